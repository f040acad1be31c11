#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Findings name lines of Python programs: of the launch, the buffer, the program's text and refused calls, also in threads and
# finalizers, past packages; and of a call that does not keep the interpreter's lock, the binding.
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
    number=$(grep -n "# line: $1\$" program.py | cut -d: -f1)
    tr -s '\n ' ' ' <err | grep -qF -- "${2//LINE/program.py:$number}" || { echo "not said: ${2//LINE/program.py:$number}"; bad=1; }
}
says launch "launch 1, enqueued at LINE"
says source "is the text that LINE gives to OpenCL"
says buffer "created at LINE"
says package "LINE helper.refused(cl, kernel) # line: package clGetKernelInfo returned"
says finalizer "LINE cl.clGetKernelInfo(kernel, 0"
says thread "LINE thread = threading"
grep -q 'clGetContextInfo returned' err || { echo "no finding on the call without the interpreter's lock"; bad=1; }
[ "$(grep -c 'error: api-error' err)" = 4 ] || { echo "not four refused calls"; bad=1; }
[ $bad = 0 ] || cat out err
exit $bad
