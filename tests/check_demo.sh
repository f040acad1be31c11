#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The README's example: both mistakes are reported at their lines, and status 66 says so.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
out=$(mktemp)
trap 'rm -f "$out"' EXIT

command=("$build/orrery" run --scenario "$src/scenarios/demo.yaml" -- "$build/examples/out_of_bounds"
    "$src/examples/out_of_bounds.cl")
echo "\$ ${command[*]//"$src/"/}" # as one types it in the source directory
"${command[@]}" 2>&1 | tee "$out"
status=${PIPESTATUS[0]}

bad=0
demand() { # WHAT PATTERN
    grep -Eq -- "$2" "$out" || { echo "demo: FAILED: $1 is missing" >&2; bad=1; }
}
[ "$status" = 66 ] || { echo "demo: FAILED: status $status, not 66" >&2; bad=1; }
demand "the store behind the buffer" 'orrery: error: out-of-bounds-write'
demand "its line" ':10:.*shifted\[i \+ 1\]'
demand "the uninitialised value" 'orrery: error: uninitialised-store'
demand "its line" ':9:.*sums\[i\]'
demand "the summary" '^orrery: SUMMARY errors=2 warnings=0 suppressed=[0-9]+ kernels=1 seed=7 schedule=lockstep$'
[ "$bad" = 0 ] && echo "demo: status 66 and both findings, as expected"
exit "$bad"
