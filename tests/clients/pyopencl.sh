#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PyOpenCL against NumPy. The system's Python: others do not see Debian's modules.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
unset PYTHONUNBUFFERED # stdout is as in any C program
export PYOPENCL_NO_CACHE=1 PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$work
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
/usr/bin/python3 -W ignore "$src/tests/clients/pyopencl_numpy.py"
