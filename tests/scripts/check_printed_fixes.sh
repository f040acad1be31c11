#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the racy scenarios' findings call a fix is one: done to the source, it compiles, and the finding is gone with nothing new
# instead. PRINTED_FEWEST are called tried, at least. A sanitizer looks at memory, for which every eighth scenario will do.
set -u
unset ORRERY_FIXES # as users have it
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scenarios=("$src"/scenarios/racy/*.yaml) fewest=180 each=1
if grep -q '^#define ORRERY_LOOPING' "$build/config.h"; then each=8 fewest=12; fi
chosen=()
for ((i = 0; i < ${#scenarios[@]}; i += each)); do chosen+=("${scenarios[i]}"); done
python3 "$src/tests/scripts/printed_fixes.py" "$build/orrery" "$work" "${chosen[@]}" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
tried=$(sed -n 's/^printed .* tried //p' "$work/out")
if ((${tried:-0} < ${PRINTED_FEWEST:-$fewest})); then
    echo "only ${tried:-0} fixes were tried"
    exit 1
fi
