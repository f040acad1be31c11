#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Origins of uninitialised values: kernels whose origin is evident in the source, and kernels of which nothing may be
# claimed. A line of a kernel that the report names has a mark, /*declared*/ or /*read*/: its number is counted here.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0 passed=0
general="a variable or from memory that has not been written yet"
not_written="which the work-item had not written"

# launch ARGS [KERNEL [GLOBAL]]: one more launch of the scenario; ARGS: of two buffers, "in" has 4 ints, "out" 8 of them
launches=""
launch() { launches+="  - {kernel: ${2:-k}, global: [${3:-1}], local: [${3:-1}], args: [$1]}
"; }
unwritten="{buffer: {type: int, count: 4}}" zeros="{buffer: {type: int, count: 8, fill: 0}}"

line_of() { grep -n "/\*$1\*/" k.cl | head -n 1 | cut -d: -f1; }

# origin NAME KIND SENTENCE: the kernel k is on standard input. @declared and @read in the sentence: where these lines are.
origin() {
    local name=$1 kind=$2 sentence=$3 mark line
    cat >k.cl
    [ -n "$launches" ] || launch "$zeros"
    printf 'orrery: 1\nprogram: {source: k.cl, options: "-cl-std=CL3.0"}\nlaunch:\n%s' "$launches" >k.yaml
    launches=""
    for mark in declared read; do
        line=$(line_of $mark)
        sentence=${sentence//@$mark/k.cl:$line}
    done
    rm -f found
    "$build/orrery" run --quiet --json=found k.yaml >error 2>&1
    python3 - "$kind" "$sentence" <<'END' >judged || { echo "$name:"; cat judged error; bad=$((bad + 1)); return; }
import json, sys
findings = [json.loads(line) for line in open("found")]
found = [f["why"] for f in findings if f.get("id") == sys.argv[1]]
if found != [sys.argv[2]]:
    print("  found    %s\n  expected %s" % (found or findings, sys.argv[2]))
    sys.exit(1)
END
    passed=$((passed + 1))
}

# ---- variables ------------------------------------------------------------------------------------

origin "a scalar" uninitialised-store \
    "the stored value derives from variable 'sum' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int sum; /*declared*/
    for (int i = 0; i < 4; i++)
        sum += i;
    out[0] = sum;
}
END

origin "a branch" uninitialised-branch \
    "the condition derives from variable 'flag' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int other = 2, flag; /*declared*/
    if (out[1])
        flag = 1;
    if (flag)
        out[0] = other;
}
END

origin "an address" uninitialised-address \
    "the address derives from variable 'at' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int at; /*declared*/
    out[at & 7] = 1;
}
END

origin "two variables of one name" uninitialised-store \
    "the stored value derives from variable 'x' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    for (int x = 0; x < 2; x++)
        out[x] = x;
    {
        int x; /*declared*/
        out[3] = x;
    }
}
END

origin "an array's element, its number known" uninitialised-store \
    "the stored value derives from variable 'a[2]' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int a[4]; /*declared*/
    a[0] = a[1] = a[3] = 1;
    out[0] = a[0] + a[1] + a[2] + a[3];
}
END

origin "an array's element, its number computed" uninitialised-store \
    "the stored value derives from variable 'a[2]' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int a[4]; /*declared*/
    for (int i = 0; i < 4; i++)
        if (i != 2)
            a[(i + out[i]) & 3] = 1;
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += a[(i + out[i]) & 3];
    out[0] = sum;
}
END

origin "an element of an array in an array" uninitialised-store \
    "the stored value derives from variable 'a[1][2]' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int a[2][3]; /*declared*/
    a[0][0] = a[0][1] = a[0][2] = a[1][0] = a[1][1] = 1;
    out[0] = a[1][1 + (out[0] + 1)];
}
END

origin "a member" uninitialised-store \
    "the stored value derives from variable 's.b.y' (declared at @declared), $not_written" <<'END'
struct pair { int x, y; };
struct both { struct pair a, b; };
kernel void k(global int *out)
{
    struct both s; /*declared*/
    s.a.x = s.a.y = s.b.x = 1;
    out[0] = s.a.x + s.a.y + s.b.x + s.b.y;
}
END

origin "a component" uninitialised-store \
    "the stored value derives from variable 'v.z' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int4 v; /*declared*/
    v.x = v.y = v.w = 1;
    out[0] = v.x + v.y + v.z + v.w;
}
END

origin "through a call" uninitialised-store \
    "the stored value derives from variable 'x' (declared at @declared), $not_written" <<'END'
int twice(int v) { return 2 * v; }
kernel void k(global int *out)
{
    int x; /*declared*/
    out[0] = twice(twice(x) + 1);
}
END

origin "in a function, called twice" uninitialised-store \
    "the stored value derives from variable 'r' (declared at @declared), $not_written" <<'END'
int some(int v)
{
    int r; /*declared*/
    if (v > 2)
        r = v;
    return r;
}
kernel void k(global int *out)
{
    out[0] = some(3) + some(out[1]);
}
END

origin "through a pointer" uninitialised-store \
    "the stored value derives from variable 'x' (declared at @declared), $not_written" <<'END'
void set(int *p, int yes)
{
    if (yes)
        *p = 1;
}
kernel void k(global int *out)
{
    int x; /*declared*/
    set(&x, out[0]);
    out[1] = x;
}
END

origin "a select" uninitialised-store \
    "the stored value derives from variable 'a' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int b = 3, a; /*declared*/
    out[0] = select(a, b, out[1]);
}
END

origin "one way of a conditional" uninitialised-store \
    "the stored value derives from variable 'a' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int b = 3, a; /*declared*/
    out[0] = out[1] ? b : a + 1;
}
END

origin "through private memory" uninitialised-store \
    "the stored value derives from variable 'x' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int t[4];
    int x; /*declared*/
    for (int i = 0; i < 4; i++)
        t[(i + out[i]) & 3] = i == 2 ? x : i;
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += t[(i + out[i]) & 3];
    out[0] = sum;
}
END

origin "through bytes of private memory" uninitialised-store \
    "the stored value derives from variable 'x' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    char t[4];
    char x; /*declared*/
    t[1 + out[0]] = x;
    out[1] = t[1 + out[0]];
}
END

origin "a function without its result" uninitialised-store \
    "the stored value derives from the result of a function that returned without one" <<'END'
int some(int v)
{
    if (v)
        return 1;
}
kernel void k(global int *out)
{
    out[0] = some(out[1]);
}
END

# ---- memory ---------------------------------------------------------------------------------------

launch "$unwritten, $zeros"
origin "a buffer" uninitialised-store \
    "the stored value derives from element 3 of argument 0 'in' (buffer, 16 bytes), which was never written" <<'END'
kernel void k(global const int *in, global int *out)
{
    out[0] = in[3];
}
END

launch "$unwritten, $zeros"
origin "read on another line" uninitialised-branch \
    "the condition derives from element 2 of argument 0 'in' (buffer, 16 bytes), read at @read, which was never written" <<'END'
kernel void k(global const int *in, global int *out)
{
    int x = in[2]; /*read*/
    if (x > 1)
        out[0] = x;
}
END

launch "{buffer: {type: int, count: 4}, name: kept}" first 2
launch "{same: kept}, $zeros"
origin "a buffer that is partly written" uninitialised-store \
    "the stored value derives from element 2 of argument 0 'in' (buffer, 16 bytes), read at @read, which was never written, or from a later read there" <<'END'
kernel void first(global int *in) { in[get_global_id(0)] = 1; }
kernel void k(global const int *in, global int *out)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += in[i]; /*read*/
    out[0] = sum;
}
END

launch "$unwritten, {buffer: {type: int, count: 4}, name: kept}" first
launch "{same: kept}, $zeros"
origin "what another kernel copied" uninitialised-store \
    "the stored value derives from element 3 of argument 0 'in' (buffer, 16 bytes), which was not written, or where such a value was stored or copied to" <<'END'
kernel void first(global int4 *a, global int4 *b)
{
    (*a).xyz = 1;
    *b = *a;
}
kernel void k(global const int *in, global int *out)
{
    out[0] = in[3];
}
END

launch "$zeros" k 4
origin "local memory" uninitialised-store \
    "the stored value derives from element 3 of local variable 'tile' (16 bytes), which the work-group had not written" <<'END'
kernel void k(global int *out)
{
    local int tile[4];
    int i = get_local_id(0);
    if (i < 3)
        tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i];
}
END

launch "{local: 16}, $zeros" k 4
origin "a local argument" uninitialised-store \
    "the stored value derives from element 0 of argument 0 'tile' (local memory, 16 bytes), which the work-group had not written" <<'END'
kernel void k(local int *tile, global int *out)
{
    int i = get_local_id(0);
    if (i > 0)
        tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = tile[i];
}
END

launch "$unwritten, $zeros"
origin "an atomic" uninitialised-store \
    "the stored value derives from element 1 of argument 0 'in' (buffer, 16 bytes), which was never written" <<'END'
kernel void k(global int *in, global int *out)
{
    atomic_inc(&in[1]);
}
END

# ---- images ---------------------------------------------------------------------------------------

launch "{image: {type: 2d, order: RGBA, data: UNORM_INT8, size: [4, 2]}}, $zeros"
origin "a texel" uninitialised-store \
    "the stored value derives from the texel (3, 1) of argument 0 'in' (image2d_t, 4 x 2), which was never written" <<'END'
kernel void k(read_only image2d_t in, global int *out)
{
    out[0] = (int)read_imagef(in, (int2)(3, 1)).x;
}
END

launch "{image: {type: 2d, order: RGBA, data: UNORM_INT8, size: [8, 1]}, name: kept}" first 8
launch "{same: kept}, $zeros" k 8
origin "texels that most work-items find written" uninitialised-branch \
    "the condition derives from the texel (5, 0) of argument 0 'in' (image2d_t, 8 x 1), read at @read, which was never written" <<'END'
kernel void first(write_only image2d_t out)
{
    int i = get_global_id(0);
    if (i != 5)
        write_imagef(out, (int2)(i, 0), 1);
}
kernel void k(read_only image2d_t in, global int *out)
{
    int i = get_global_id(0);
    float4 texel = read_imagef(in, (int2)(i, 0)); /*read*/
    if (texel.y > 0.5f)
        out[i] = 1;
}
END

launch "{image: {type: 3d, order: R, data: SIGNED_INT32, size: [4, 3, 2]}}, $zeros"
origin "a texel of three dimensions" uninitialised-store \
    "the stored value derives from the texel (2, 1, 1) of argument 0 'in' (image3d_t, 4 x 3 x 2), which was never written" <<'END'
kernel void k(read_only image3d_t in, global int *out)
{
    out[0] = read_imagei(in, (int4)(2, 1, 1, 0)).x;
}
END

launch "{image: {type: 1d-array, order: R, data: FLOAT, size: [4, 3]}}, $zeros"
origin "a texel of a layer" uninitialised-store \
    "the stored value derives from the texel (1, 2) of argument 0 'in' (image1d_array_t, 4 x 3), which was never written" <<'END'
kernel void k(read_only image1d_array_t in, global int *out)
{
    out[0] = (int)read_imagef(in, (int2)(1, 2)).x;
}
END

launch "{image: {type: 2d, order: R, data: FLOAT, size: [4, 1]}}, {sampler: {addressing: clamp-to-edge, filter: linear, coordinates: pixels}}, $zeros"
origin "the first of the texels that are filtered" uninitialised-store \
    "the stored value derives from the texel (1, 0) of argument 0 'in' (image2d_t, 4 x 1), which was never written" <<'END'
kernel void k(read_only image2d_t in, sampler_t s, global int *out)
{
    out[0] = (int)read_imagef(in, s, (float2)(2.0f, 0.5f)).x;
}
END

launch "{image: {type: 2d, order: R, data: FLOAT, size: [4, 1]}, name: same}, {image: {type: 2d, order: R, data: FLOAT, size: [4, 1], fill: 2}}, $zeros"
origin "one of two images" uninitialised-store \
    "the stored value derives from the texel (0, 0) of argument 0 'a' (image2d_t, 4 x 1), which was never written" <<'END'
kernel void k(read_only image2d_t a, read_only image2d_t b, global int *out)
{
    int2 first = (int2)(0, 0);
    out[0] = (int)(read_imagef(a, first).x + read_imagef(b, first).x);
}
END

# ---- what the host left so ------------------------------------------------------------------------

# host WAY MARK SENTENCE [WHAT]: the report for that program; @ in the sentence: the line with that mark
host() {
    local way=$1 line sentence what=${4:-"element 3 of argument 0 'in' (buffer, 16 bytes)"}
    line=$(grep -n "/\* $2 \*/" "$src/tests/scripts/origins_host.c" | cut -d: -f1)
    sentence=${3//@/origins_host.c:$line}
    rm -f found
    "$build/orrery" run --quiet --json=found -- "$build/tests/origins_host" "$way" >error 2>&1
    sed -i 's|[^ (]*/origins_host\.c|origins_host.c|g' found
    if grep -Fq "\"why\":\"the stored value derives from $what, $sentence\"" found
    then
        passed=$((passed + 1))
    else
        echo "$way: expected $sentence"
        cat error
        bad=$((bad + 1))
    fi
}

host none in "created at @ and never written"
grep -Fq '"fix":"clEnqueueFillBuffer or clEnqueueWriteBuffer before the launch, CL_MEM_COPY_HOST_PTR where the buffer is created, or a store in the kernel first"' found || { echo "none: no advice"; bad=$((bad + 1)); }
host part in "created at @ and never written"
host copy copy "which clEnqueueCopyBuffer (command 1, queue 1) left uninitialised (@)"
grep -q '"fix"' found && { echo "copy: advice, though a command wrote the bytes"; bad=$((bad + 1)); }
host migrate migrate "which clEnqueueMigrateMemObjects (command 2, queue 1) left uninitialised (@)"

texel="the texel (3, 0) of argument 0 'in' (image2d_t, 4 x 1)"
host image image "created at @ and never written" "$texel"
host image-copy image-copy "which clEnqueueCopyImage (command 1, queue 1) left uninitialised (@)" "$texel"

# ---- several --------------------------------------------------------------------------------------

origin "two variables" uninitialised-store \
    "the stored value may derive from variable 'b' (declared at @declared), $not_written; or from variable 'a' (declared at @declared), $not_written" <<'END'
kernel void k(global int *out)
{
    int a, b; /*declared*/
    out[0] = a + b;
}
END

launch "$unwritten, $zeros"
origin "one of two that are read" uninitialised-store \
    "the stored value derives from element 1 of argument 0 'in' (buffer, 16 bytes), which was never written" <<'END'
kernel void k(global int *in, global int *out)
{
    in[0] = 1;
    out[0] = in[0] + in[1];
}
END

launch "$unwritten, $zeros"
origin "a value that is written later" uninitialised-branch \
    "the condition derives from element 0 of argument 0 'in' (buffer, 16 bytes), read at @read, which was never written" <<'END'
kernel void k(global int *in, global int *out)
{
    int x = in[0]; /*read*/
    out[1] = 5;
    if (x)
        out[0] = 1;
}
END

# ---- nothing is claimed -----------------------------------------------------------------------------

origin "more variables than are followed" uninitialised-store "the stored value derives from $general" <<'END'
kernel void k(global int *out)
{
    int a, b, c, d, e, f, g, h, i, j, l, m, n, o, p, q, r, s;
    out[0] = a + b + c + d + e + f + g + h + i + j + l + m + n + o + p + q + r + s;
}
END

origin "through a copy of private memory" uninitialised-store \
    "the stored value derives from variable 'one.a[39]' (declared at @declared), $not_written" <<'END'
struct big { int a[40]; };
kernel void k(global int *out)
{
    struct big two, one; /*declared*/
    for (int i = 0; i < 39; i++)
        one.a[(i + out[0]) % 40] = i;
    two = one;
    out[1] = two.a[39 + out[0]];
}
END

origin "bytes of one word" uninitialised-store "the stored value derives from $general" <<'END'
kernel void k(global int *out)
{
    char x, t[4];
    t[out[0]] = x;
    out[1] = t[1 + out[0]];
}
END

launch "$zeros" k 2
origin "local memory in which such a value was stored" uninitialised-store \
    "the stored value derives from element 1 of local variable 'tile' (8 bytes), which the work-group had not written, or where it had stored such a value" <<'END'
kernel void k(global int *out)
{
    local int tile[2];
    int x;
    tile[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        out[0] = tile[1];
}
END

origin "one variable that is read in two ways" uninitialised-store \
    "the stored value derives from bytes 2 to 3 of variable 'c' (declared at @declared), which the work-item had not written" <<'END'
kernel void k(global int *out)
{
    union { float f; int i; short h[2]; } c; /*declared*/
    c.h[0] = 1;
    out[0] = c.i ^ c.h[1];
}
END

[ "$passed" -ge 44 ] || { echo "only $passed kernels were judged"; bad=$((bad + 1)); }
[ "$bad" = 0 ] || exit 1
echo "$passed kernels"
