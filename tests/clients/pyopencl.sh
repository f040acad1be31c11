#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PyOpenCL against NumPy, and its cache: of a program that it loads from a binary, a run has the same fix, and the debugger variables.
# The system's Python: others do not see Debian's modules.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
unset PYTHONUNBUFFERED # stdout is as in any C program
export PYOPENCL_NO_CACHE=1 PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$work
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
/usr/bin/python3 -W ignore "$src/tests/clients/pyopencl_numpy.py" || exit
unset PYOPENCL_NO_CACHE
export ORRERY_CHECKS=all
cp "$src/examples/labs/sum.py" "$work" && cd "$work" || exit 99
for time in first second; do
    "$build/orrery" run -- /usr/bin/python3 -W ignore sum.py 2>"$time" || exit
    grep -q 'fix   barrier(CLK_LOCAL_MEM_FENCE) after sum.py:10 (compiles' $time || { echo "the $time run has no fix:"; cat $time; exit 1; }
done
"$build/orrery" debug --batch --finding=1 -e 'print l' -- /usr/bin/python3 -W ignore sum.py >debugged 2>&1
grep -q '^l = 0$' debugged || { echo "the debugger has no variable:"; cat debugged; exit 1; }
