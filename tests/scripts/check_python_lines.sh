#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Findings name lines of Python programs: of the kernel, where its text stands in the file, also in a binary; of the launch, the buffer
# and refused calls, also in threads and finalizers, past packages; and of a call that releases the interpreter's lock, the binding.
set -u
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
python=/usr/bin/python3
skip() {
    echo "skipped: $1"
    exit 77
}
[ -x $python ] || skip "no $python"
$python -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "Python is older than 3.10"
$python -c 'import ctypes; ctypes.CDLL("libOpenCL.so.1")' 2>/dev/null || skip "no OpenCL loader"
if ldd "$build/.libs/liborrery.so" | grep -q "lib[at]san"; then skip "built with a sanitizer"; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir -p lib/site-packages
printf 'def refused(cl, kernel):\n    cl.clGetKernelInfo(kernel, 0, None, None, None)\n' >lib/site-packages/helper.py
cp "$src/tests/scripts/check_python_lines.py" program.py
bad=0
"$build/orrery" run --check-api=error -- $python program.py lib/site-packages >out 2>err
[ $? = 66 ] || { echo "the run did not end with findings"; bad=1; }
grep -q 'the program ends' out || { echo "the program did not end"; bad=1; }
# says LINE TEXT: TEXT with the number of the line that has that comment
says() {
    local number
    number=$(grep -nm 1 "line: $1\$" program.py | cut -d: -f1)
    tr -s '\n ' ' ' <err | grep -qF -- "${2//@/program.py:$number}" || { echo "not said: ${2//@/program.py:$number}"; bad=1; }
}
says launch "launch 1, enqueued at @"
says text "launch 1, enqueued at program.py:$(grep -n '# line: launch$' program.py | cut -d: -f1) 1 @:25 a[get_global_id(0)] += 1;"
says text "also 1 more out-of-bounds-read at @:25"
if grep -q 'program3' err; then echo "the program of a binary lost its lines"; bad=1; fi
says source "program.cl is the text that @ gives to OpenCL"
says other "launch 3, enqueued at @ 1 program2.cl:3:21 a[__LINE__ - 2] ="
says buffer "created at @"
says package "@ helper.refused(cl, kernel) # line: package clGetKernelInfo returned"
says finalizer "@ cl.clGetKernelInfo(kernel, 0"
says thread "@ thread = threading"
grep -q 'clGetContextInfo returned' err || { echo "no finding on the call without the interpreter's lock"; bad=1; }
[ "$(grep -c 'error: api-error' err)" = 4 ] || { echo "not four refused calls"; bad=1; }
[ $bad = 0 ] || cat out err
cp "$src/tests/scripts/check_python_strings.py" strings.py
printf 'TEXT = """\nkernel void k(global int *out)\n{\n    out[0] = beside;\n}\n"""\n' >beside.py
"$build/orrery" run -- $python strings.py >out 2>err || { cat out err; bad=1; }
exit $bad
