#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What findings of the racy scenarios suggest as fixes that were tried is done to their kernels: no fix may leave the two accesses racing,
# keep the kernel from being built or bring divergence. FIXES_FEWEST are tried, at least.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
python3 "$src/tests/scripts/fixes.py" "$build/orrery" "$work" "$src"/scenarios/racy/*.yaml >"$work/out" 2>&1 || { cat "$work/out"; bad=1; }
tried=$(sed -n 's/^tried //p' "$work/out")
if ((${tried:-0} < ${FIXES_FEWEST:-45})); then
    echo "only ${tried:-0} fixes were tried"
    bad=1
fi
# Racy kernels of each kind: what is suggested for them builds, leaves nothing to be found and gives the result of one work-item after another.
mkdir "$work/table"
python3 "$src/tests/scripts/fix_table.py" "$build/orrery" "$work/table" >"$work/out" 2>&1 || { cat "$work/out"; bad=1; }
exit $bad
