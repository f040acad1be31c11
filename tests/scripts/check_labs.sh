#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Four labs of a course, each with its usual mistake, from an empty directory: as a kernel alone, as a scenario that is checked, and in
# a host program. Each way finds the mistake and nothing else, and no way finds anything once it is fixed.
set -u
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
orrery=$build/orrery
work=$(mktemp -d "${TMPDIR:-/tmp}/check_labs.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
bad=0 passed=0

# ---- the kernels: wrong where a line has a mark, fixed by what follows it -----------------------------
cat >vadd.cl <<'END'
__kernel void vadd(__global const float *a, __global const float *b, __global float *c, int n)
{
    int i = get_global_id(0);
    if (i <= n) // if (i < n)
        c[i] = a[i] + b[i];
}
END
cat >reduce.cl <<'END'
__kernel void reduce(__global const float *in, __global float *out, __local float *part)
{
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)]; // part[l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s)
            part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
END
cat >hist.cl <<'END'
__kernel void hist(__global const uint *data, __global uint *bins)
{
    __local uint part[8];
    uint l = get_local_id(0);
    if (l < 8)
        part[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    part[data[get_global_id(0)] & 7]++; // atomic_inc(&part[data[get_global_id(0)] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        atomic_add(&bins[l], part[l]);
}
END
cat >mm.cl <<'END'
#define TILE 4
__kernel void mm(int n, __global const float *a, __global const float *b, __global float *c)
{
    __local float as[TILE][TILE], bs[TILE][TILE];
    int row = get_local_id(1), col = get_local_id(0);
    int y = TILE * get_group_id(1) + row, x = TILE * get_group_id(0) + col;
    float sum = 0;
    for (int t = 0; t < n / TILE; t++) {
        as[row][col] = a[y * n + TILE * t + col];
        bs[row][col] = b[(TILE * t + row) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += as[row][k] * bs[k][col + 1]; // sum += as[row][k] * bs[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
END
floats() { printf '{buffer: {type: float, count: %s, fill: 1}}' "$1"; }
scenario() { # LAB SIZES ARGUMENTS EXPECTED
    printf 'orrery: 1\nprogram: {source: %s.cl}\nlaunch: [{kernel: %s, %s, args: [%s]}]\nexpect: {findings: [], buffers: [%s]}\n' \
        "$1" "$1" "$2" "$3" "$4" >"$1.yaml"
}
scenario vadd "global: 64, local: 16" "$(floats 60), $(floats 60), {buffer: {type: float, count: 60}}, {scalar: {type: int, value: 60}}" \
    "{arg: 2, count: 60, fill: 2}"
scenario reduce "global: 128, local: 64" "$(floats 128), {buffer: {type: float, count: 2}}, {local: 256}" "{arg: 1, values: [64, 64]}"
scenario hist "global: 64, local: 32" "{buffer: {type: uint, count: 64, fill: 3}}, {buffer: {type: uint, count: 8, fill: 0}}" \
    "{arg: 1, values: [0, 0, 0, 64]}"
scenario mm "global: [8, 8], local: [4, 4]" "{scalar: {type: int, value: 8}}, $(floats 64), $(floats 64), {buffer: {type: float, count: 64}}" \
    "{arg: 3, count: 64, fill: 8}"

# ---- the host program: the lab's name as argument ---------------------------------------------------
cat >host.c <<'END'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static char text[4096];
    const char *lab = argc > 1 ? argv[1] : "", *source = text;
    const int flat = strcmp(lab, "mm") != 0, n = flat ? 60 : 8;
    const size_t global[2] = {flat ? 64 : 8, 8}, local[2] = {flat ? 16 : 4, 4};
    unsigned values[64];
    cl_platform_id platform;
    cl_device_id device;
    snprintf(text, sizeof text, "%s.cl", lab);
    FILE *file = fopen(text, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    memset(values, 0, sizeof values);
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, lab, NULL);
    cl_mem memory[3];
    for (int i = 0; i < 3; i++)
        memory[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, flat ? 240 : 256, values, NULL);
    if (strcmp(lab, "hist") == 0 || strcmp(lab, "reduce") == 0)
        memory[0] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 256, values, NULL);
    for (int i = 0; i < (strcmp(lab, "vadd") == 0 || !flat ? 3 : 2); i++)
        clSetKernelArg(kernel, i + !flat, sizeof memory[i], &memory[i]);
    if (strcmp(lab, "reduce") == 0)
        clSetKernelArg(kernel, 2, 64, NULL);
    else if (strcmp(lab, "hist") != 0)
        clSetKernelArg(kernel, flat ? 3 : 0, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, kernel, flat ? 1 : 2, NULL, global, local, 0, NULL, NULL);
    return clEnqueueReadBuffer(queue, memory[1], CL_TRUE, 0, 64, values, 0, NULL, NULL) != CL_SUCCESS;
}
END
${CC:-cc} host.c -o host -lOpenCL 2>err || { cat err; echo "no loader to link with"; exit 77; }

# finds LAB STATUS KINDS COMMAND...: the kinds and lines that a run finds, each once, are these
finds() {
    local lab=$1 status=$2 kinds=$3 got found
    shift 3
    rm -f found.json
    timeout 100 "$@" >out 2>err
    got=$?
    found=$(python3 -c 'import json, sys
rows = [json.loads(line) for line in open("found.json")]
rows = [one for row in rows for one in (row["findings"] if row["type"] == "scenario" else [row])]
print(*sorted({"%s:%d" % (one["id"], one["accesses"][0]["line"]) for one in rows if one["type"] == "finding"}))')
    if [ "$got" = "$status" ] && [ "$found" = "$kinds" ]; then
        passed=$((passed + 1))
        return
    fi
    echo "$lab: $*: status $got and '$found', expected $status and '$kinds'"
    cat out err
    bad=1
}
for lab in vadd reduce hist mm; do
    case $lab in
    vadd) kinds="out-of-bounds-read:5 out-of-bounds-write:5" ;;
    reduce) kinds="race-local:4" ;;
    hist) kinds="race-local:8" ;;
    mm) kinds="out-of-bounds-read:13" ;;
    esac
    finds $lab 66 "$kinds" "$orrery" run --json=found.json $lab.cl
    finds $lab 1 "$kinds" "$orrery" check --json=found.json $lab.yaml
    finds $lab 66 "$kinds" "$orrery" run --json=found.json -- ./host $lab
done
# results in parallel are those in turn
"$orrery" check -j1 --tap --junit=one.xml --sarif=one.sarif ./*.yaml >one 2>&1
"$orrery" check -j4 --tap --junit=four.xml --sarif=four.sarif ./*.yaml >four 2>&1
cmp one four && cmp one.xml four.xml || bad=1
if command -v xmllint >/dev/null; then xmllint --noout --schema "$src/tests/schema/junit.xsd" one.xml 2>err || { cat err; bad=1; }; fi

for lab in vadd reduce hist mm; do
    sed -i 's|^\( *\).* // |\1|' $lab.cl
    finds $lab 0 "" "$orrery" run --json=found.json $lab.cl
    finds $lab 0 "" "$orrery" check --json=found.json $lab.yaml
    finds $lab 0 "" "$orrery" run --json=found.json -- ./host $lab
done
echo "$passed runs"
[ $bad = 0 ]
