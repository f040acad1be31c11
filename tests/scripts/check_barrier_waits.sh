#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A wait that passes a barrier or a collective function in each iteration, for a value that is never written, is a livelock under every policy.
# Likewise, each sub-group that waits at two barriers is one occurrence.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# The same again; where a replay lets work-groups come when they are to run, all have come.
replayed()
{
    local token
    token=$(sed -n 's/.*orrery replay \([^ ]*\) .*/\1/p' "$work/out")
    timeout -s KILL 60 "$build/orrery" replay "$token" "$work/wait.yaml" >"$work/again" 2>&1
    if ! diff <(grep -v 'SUMMARY\|replay with' "$work/out") <(grep -v 'SUMMARY\|replay with' "$work/again") >"$work/diff"; then
        echo "$1: the replay $token says something else"
        cat "$work/diff"
        bad=1
    fi
}

# kernel, work-items, of a work-group, the setter of the flag: none
livelock()
{
    cat >"$work/wait.yaml" <<END
orrery: 1
name: a wait past barriers
device: {progress: fair, sub_group_sizes: [4]}
program: {source: $src/scenarios/schedule/barrier_waits.cl, options: "-cl-std=CL3.0"}
launch:
  - {kernel: $1, global: $2, local: $3, args: [{buffer: {type: int, count: 1, fill: 0}}, {scalar: {type: int, value: -1}}]}
END
    for policy in lockstep serial reverse round-robin random pct; do
        timeout -s KILL 60 "$build/orrery" run --schedule=$policy "$work/wait.yaml" >"$work/out" 2>&1
        local status=$?
        if [ $status != 124 ] || ! grep -q 'livelock: work-items wait' "$work/out" || ! grep -q "argument 0 'flag'" "$work/out" ||
           grep -q 'no more work-groups fit' "$work/out"; then
            echo "$1, $2 work-items of $3 each, $policy: status $status, not the livelock"
            head -20 "$work/out"
            bad=1
        fi
        [ $policy = random ] && replayed "$1"
    done
}

for kernel in one_looks all_look any any_of_sub_group plain_barrier; do
    livelock $kernel 24 8
done
livelock any 128 64
livelock plain_barrier 2 1
livelock sub_groups 16 16

"$build/orrery" run "$src/scenarios/schedule/livelock_all_came.yaml" >"$work/out" 2>&1
if ! grep -q 'no other work-item can' "$work/out" || grep -q 'for no more' "$work/out"; then
    echo "all work-groups have come: none has to fit"
    head -20 "$work/out"
    bad=1
fi

for policy in lockstep serial reverse round-robin random pct; do
    "$build/orrery" run --schedule=$policy "$src/scenarios/faulty/barrier_sub_groups_lockstep.yaml" >"$work/out" 2>&1
    if ! grep -q 'also 2 more barrier-divergence at barrier_sub_groups.cl:6:9' "$work/out"; then
        echo "three sub-groups come apart, $policy: another count"
        grep also "$work/out"
        bad=1
    fi
done
exit $bad
