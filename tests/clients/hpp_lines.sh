#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Findings name lines of a C++ program, not those of opencl.hpp that it calls, with and without optimisation, and also where a library
# without debug information makes the call.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
export ORRERY_CHECKS=all
ldconfig -p | grep -q 'libdw[.]so[.]1' || skip "no libdw"
cp "$src/tests/clients/hpp_lines.cpp" "$work/program.cpp"
cd "$work" || exit 99
echo '#include <CL/opencl.hpp>' | g++ -DCL_HPP_TARGET_OPENCL_VERSION=200 -E -x c++ - >/dev/null 2>&1 || skip "no CL/opencl.hpp"
cat >binding.c <<'EOF'
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
int binding_run(cl_command_queue queue, cl_kernel kernel, size_t size)
{
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL) != CL_SUCCESS;
}
EOF
gcc -g0 -shared -fPIC binding.c -o libbinding.so || exit 1
bad=0
# says LINE TEXT: TEXT with the number of the line that has that comment
says() {
    local number
    number=$(grep -n "line: $1\$" program.cpp | cut -d: -f1)
    tr -s '\n ' ' ' <err | grep -qF -- "${2//@/program.cpp:$number}" || { echo "$how: not said: ${2//@/program.cpp:$number}"; bad=1; }
}
for compiler in g++ clang++-14; do
    command -v $compiler >/dev/null || continue
    for level in -O0 -O2; do
        how="$compiler $level"
        rm -f program
        $compiler -g $level -w program.cpp -o program -L. -lbinding -Wl,-rpath,"$work" -lOpenCL || exit 1
        "$build/orrery" run --check-api=error -- ./program 2>err || { echo "$how: the program failed"; bad=1; }
        says launch "launch 1, enqueued at @"
        says program "program.cl is the text that @"
        says refused "1 @:"
        says binding "launch 2, enqueued at @"
        if grep -q 'opencl[.]hpp' err; then echo "$how: a line of the binding"; bad=1; fi
        [ $bad = 0 ] || { cat err; exit 1; }
    done
done
