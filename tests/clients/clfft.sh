#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clFFT's client compares each transform with one of its own on the host. (Those in place race: the barrier between their
# reads and writes has the flag of local memory only.)
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
command -v clFFT-client >/dev/null || skip "no clFFT-client"
failed=0
while read -r shape; do
    # shellcheck disable=SC2086
    (cd "$work" && clFFT-client -a $shape) >"$work/out" 2>"$work/errors" </dev/null
    if ! grep -q '\*\*\*\*\*PASS\*\*\*\*\*' "$work/out" ||
        ! grep -q 'SUMMARY errors=0 warnings=0 suppressed=0 kernels=[1-9]' "$work/errors"; then
        echo "FAILED  clFFT-client -a $shape"
        tail -n 3 "$work/out"
        cat "$work/errors"
        failed=1
    fi
done <<'END'
-x 64
-x 48 -y 20
-x 8 -y 9 -z 5
-x 128 --outPlace
-x 100 --inLayout 5 --outLayout 3 -o
-x 4096
-x 2401 -b 3
-x 1024 --double
END
exit "$failed"
