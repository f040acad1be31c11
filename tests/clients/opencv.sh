#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OpenCV's kernels, chosen as it chooses them. Some of its kernels have races of equal values and read a byte too far:
# only the results count.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
export PYTHONDONTWRITEBYTECODE=1 OPENCV_OPENCL_DEVICE=:: OPENCV_OPENCL_CACHE_ENABLE=0 XDG_CACHE_HOME=$work
/usr/bin/python3 "$src/tests/clients/opencv_umat.py" 2>"$work/errors"
status=$?
cat "$work/errors"
[ "$status" = 0 ] || exit "$status"
grep -Eq 'SUMMARY .*kernels=[1-9][0-9]' "$work/errors"
