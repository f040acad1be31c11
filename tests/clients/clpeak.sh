#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clpeak launches twenty thousand kernels and times them by events; its long bandwidth and compute runs are left
# out. Its kernel reads an unwritten buffer, so the uninitialised check stays off.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
command -v clpeak >/dev/null || skip "no clpeak"
clpeak --kernel-latency --use-event-timer >"$work/out" 2>"$work/errors" || exit 1
cat "$work/out" "$work/errors"
grep -q 'Device: Orrery (simulated)' "$work/out" && grep -q 'Kernel launch latency : [0-9.]* us' "$work/out" || exit 1
grep -q 'SUMMARY errors=0 warnings=0 suppressed=0 kernels=2000[0-9]' "$work/errors"
