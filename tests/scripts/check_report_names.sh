#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The names that findings have: of processes and their commands, of the tests of a suite, of members and elements.
set -u
build=$(realpath "${ORRERY_BUILDDIR:?}")
orrery=$build/orrery program=$build/tests/check_runtime
[ -x "$program" ] && [ -f "$build/.libs/liborrery.so" ] || exit 77
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
bad=0
problem() {
    echo "FAIL: $*"
    bad=1
}

# ---- processes: one has no line, of several each that writes after another one
"$orrery" run --json=one.json -- "$program" found_exit >one.out 2>&1
grep -q 'orrery: process' one.out && problem 'a single process has a line'
ORRERY_TEST=second "$orrery" run --json=two.json --sarif=two.sarif -- sh -c "$program found_exit; PYTEST_CURRENT_TEST='t.py::test_it (call)' ORRERY_TEST= $program found_exit; exit 0" >two.out 2>&1
[ "$(grep -c '^orrery: process' two.out)" = 1 ] || problem 'not one line for the second of two processes'
grep -qx "orrery: process 2: $program found_exit" two.out || problem 'the line of the second process'
python3 - "$program" <<'PY' || bad=1
import json, sys
program, bad = sys.argv[1], 0
def expect(what, found, expected):
    global bad
    if found != expected:
        print(f"{what}: {found!r}, expected {expected!r}"); bad = 1
one, two = ([json.loads(line) for line in open(name)] for name in ("one.json", "two.json"))
summaries = [row for row in one + two if row["type"] == "summary"]
expect("processes", [row["process"]["number"] for row in summaries], [1, 1, 2])
expect("programs", {row["process"]["program"] for row in summaries}, {program.rsplit("/", 1)[1]})
expect("commands", [row["command"] for row in summaries], [[program, "found_exit"]] * 3)
expect("tests", [row.get("test") for row in one + two if row["type"] == "finding"], [None, "second", "t.py::test_it"])
run = json.load(open("two.sarif"))["runs"][0]
expect("commands of SARIF", [entry["commandLine"] for entry in run["invocations"]], [program + " found_exit"] * 2)
expect("the test in SARIF", run["results"][0]["properties"]["test"], "second")
sys.exit(bad)
PY

# ---- elements
cat >k.cl <<'END'
struct cell { int a; float w[3]; };
kernel void members(global struct cell *c, global float4 *v, global int *plain)
{
    c[3].w[1] = get_global_id(0);
    v[2].y = get_global_id(0);
    plain[5] = get_global_id(0);
}
kernel void local_arrays(global int *o)
{
    local int2 t[2][3];
    t[1][2].y = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[1][2].y;
}
kernel void beyond(global int *o, global struct cell *c, int n)
{
    int w[4][3];
    for (int i = 0; i < 12; i++)
        w[i / 3][i % 3] = i;
    w[n][1] = 3;
    o[0] = w[-1][n - 2];
    c[10].w[2] = 1;
}
END
cat >k.yaml <<'END'
orrery: 1
program: {source: k.cl}
launch:
  - {kernel: members, global: [2], local: [1], args: [{buffer: {type: int, count: 40, fill: 0}}, {buffer: {type: float, count: 40, fill: 0}}, {buffer: {type: int, count: 40, fill: 0}}]}
  - {kernel: local_arrays, global: [2], local: [2], args: [{buffer: {type: int, count: 2, fill: 0}}]}
  - {kernel: beyond, global: [1], local: [1], args: [{buffer: {type: int, count: 40, fill: 0}}, {buffer: {type: int, count: 40, fill: 0}}, {scalar: {type: int, value: 4}}]}
END
"$orrery" run --json=k.json k.yaml >k.out 2>&1
for line in "kernel members, argument 0 'c' (buffer, 160 bytes), bytes 56..59: c[3].w[1]" "argument 1 'v' (buffer, 160 bytes), bytes 36..39: v[2].y" \
    "argument 2 'plain' (buffer, 160 bytes), bytes 20..23" "local variable 't' (48 bytes), bytes 44..47: t[1][2].y"; do
    grep -q -- "${line//[/\\[}\$" k.out || problem "no '$line'"
done
for words in "writes w[4][1]; 'w' has 4 elements of 12 bytes: " "reads w[-1][2]; 'w' has 4 elements of 12 bytes: " "writes c[10].w[2]; 'c' has 10 elements of 16 bytes: "; do
    grep -qF -- "$words" k.out || problem "no '$words'"
done
[ "$(grep -o '"element":"[^"]*"' k.json | sort | tr '\n' ' ')" = '"element":"c[3].w[1]" "element":"t[1][2].y" "element":"v[2].y" ' ] || problem 'elements of JSON'

# ---- C++ for OpenCL: class templates, function templates, members of a base class
cat >cpp.yaml <<'END'
orrery: 1
program:
  options: "-cl-std=CLC++2021"
  text: |
    template <typename T, int N> struct tile { T a[N]; void put(int i, T v) { a[i] = v; } };
    struct base { int first; int second; };
    struct point : base { float2 where; };
    template <typename T> void fill(global T *p, int i, T v) { p[i & 1] = v; }
    kernel void k(global int *out) {
        local tile<float, 8> t;
        local point q;
        uint i = get_local_id(0);
        t.put(3, i);
        fill<int>(out, i, 3 + i);
        q.second = i;
        q.where.y = i;
        tile<int, 4> p;
        p.put(i & 1, 2);
        out[i + 8] = p.a[2];
    }
launch:
  - {kernel: k, global: [4], local: [4], args: [{buffer: {type: int, count: 16, fill: 0}}]}
END
"$orrery" run --values cpp.yaml >cpp.out 2>&1
for line in "bytes 12..15: t.a[3]" "with i = 3, v = 1" "with i = 2, v = 5" "bytes 4..7: q.second" "bytes 12..15: q.where.y" "variable 'p.a[2]' (declared at program.cl:13)"; do
    grep -qF -- "$line" cpp.out || problem "no '$line' of C++"
done
grep -q ' = void' cpp.out && problem 'a type of C++ is not known'
[ $bad = 0 ] || cat two.out k.out cpp.out
exit $bad
