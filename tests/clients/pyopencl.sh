#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PyOpenCL against NumPy, and its cache: of a program that it loads from a binary, a run has the same fix, and the debugger variables;
# after an edit of the file, its present lines.
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
# the kernel's text is the same, and so pyopencl loads the same binary
sed -i '1i # one\n# two\n' sum.py
"$build/orrery" run -- /usr/bin/python3 -W ignore sum.py 2>edited || exit
grep -q 'fix   barrier(CLK_LOCAL_MEM_FENCE) after sum.py:13 (compiles' edited || { echo "not the line of the edited file:"; cat edited; exit 1; }
mkdir elsewhere && mv sum.py elsewhere/ && cd elsewhere || exit 99
"$build/orrery" run -- /usr/bin/python3 -W ignore sum.py 2>moved || exit
grep -q 'fix   barrier(CLK_LOCAL_MEM_FENCE) after sum.py:13 (compiles' moved || { echo "not the line of the moved file:"; cat moved; exit 1; }
sed -i 's/^KERNELS = .*/&\n/; s/kernel void sum/kernel  void sum/' sum.py
"$build/orrery" run -- /usr/bin/python3 -W ignore sum.py 2>changed || exit
grep -q 'fix   barrier(CLK_LOCAL_MEM_FENCE) after sum.py:14 (compiles' changed || { echo "not the line of the changed kernel:"; cat changed; exit 1; }
