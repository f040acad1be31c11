#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# clinfo makes every query; none may fail.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
command -v clinfo >/dev/null || skip "no clinfo"
clinfo >"$work/human" 2>"$work/errors" && clinfo --raw >"$work/raw" 2>>"$work/errors" || exit 1
cat "$work/errors"
[ ! -s "$work/errors" ] || exit 1
bad=$(grep -E '<.*error|CL_INVALID|CL_OUT_OF|-[0-9]+>' "$work/human" "$work/raw")
[ -z "$bad" ] || { echo "FAILED  $bad"; exit 1; }
[ "$(wc -l <"$work/raw")" -gt 100 ] || { echo "FAILED  only $(wc -l <"$work/raw") lines"; exit 1; }
grep -q 'CL_DEVICE_NAME.*Orrery' "$work/raw"
