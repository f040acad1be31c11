#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random loops that wait for a flag and count meanwhile: none that ends some time is called a livelock, and those are which
# only count for later readers. WAITING_SEEDS makes it longer, WAITING_FIRST another one.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
policies=(lockstep serial round-robin random reverse)
bad=0
seeds=2
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && seeds=1 # a sanitizer looks at memory, for which fewer will do
first=${WAITING_FIRST:-1}
for ((seed = first; seed < first + ${WAITING_SEEDS:-$seeds}; seed++)); do
    for kind in ends waits; do
        python3 "$src/tests/scripts/waiting_loops.py" "$seed" "$kind" "$work" "${policies[seed % 5]}"
        if ! "$build/orrery" check "$work/loops.yaml" >"$work/out" 2>&1; then
            echo "seed $seed, loops of which each $kind:"
            head -40 "$work/out"
            bad=1
        fi
    done
done

# Lanes that have ended, or that there are none of, count on.
for policy in "${policies[@]}" pct; do
    "$build/orrery" check --schedule="$policy" "$src/scenarios/schedule/dead_lanes.yaml" >"$work/out" 2>&1 && continue
    echo "dead_lanes.yaml under $policy:"
    cat "$work/out"
    bad=1
done

# The second place is where the helper wrote, not a line that only another work-item reaches.
for policy in lockstep serial; do
    "$build/orrery" run --schedule=$policy "$src/scenarios/faulty/waits_where.yaml" >"$work/out" 2>&1
    if ! grep -qE '^  2 .*waits_where.cl:10:' "$work/out"; then
        echo "$policy: the store at line 10 is not told"
        head -20 "$work/out"
        bad=1
    fi
done
exit $bad
