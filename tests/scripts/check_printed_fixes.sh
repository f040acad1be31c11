#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the racy scenarios' findings call a fix is one: done to the source, it compiles, and the finding is gone with nothing new
# instead. PRINTED_FEWEST are called tried, at least.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$src/tests/scripts/printed_fixes.py" "$build/orrery" "$work" "$src"/scenarios/racy/*.yaml >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
tried=$(sed -n 's/^printed .* tried //p' "$work/out")
if ((${tried:-0} < ${PRINTED_FEWEST:-45})); then
    echo "only ${tried:-0} fixes were tried"
    exit 1
fi
