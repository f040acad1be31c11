#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# OpenMM's molecular dynamics on the device against its own reference. Its kernels race as GPUs let them (32 work-items
# are taken to run as one): only the results count.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
export PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 "$src/tests/clients/openmm_forces.py" 2>"$work/errors"
status=$?
cat "$work/errors"
[ "$status" = 0 ] || exit "$status"
grep -Eq 'SUMMARY errors=0 warnings=0 .*kernels=[1-9][0-9]' "$work/errors"
