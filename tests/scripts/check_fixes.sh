#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Racy kernels of each kind: what is suggested for them builds, leaves nothing to be found and gives the result of one work-item after
# another. check_printed_fixes.sh does the same with the fixes of the racy scenarios.
set -u
unset ORRERY_FIXES # as users have it
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$src/tests/scripts/fix_table.py" "$build/orrery" "$work" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
