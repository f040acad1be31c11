#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Partitioning as programs see it: the examples on every preset and with every set of answers; what the API gives for
# an affinity domain is as many parts as hwloc and `orrery topology` count of it.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
explorer=$build/examples/partition_explorer/partition_explorer cslice=$build/examples/cslice/cslice
export ORRERY_QUIET=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 runs=0

fail() {
    echo "$*"
    bad=1
}

# hwloc's words for a description, or nothing when it has none: compute units are cores, slices are groups.
in_hwloc_words() {
    case $1 in *'{'*) return ;; esac
    sed -E 's/\([^)]*\)//g; s/\btile:1 //; s/cslice/group/; s/\bcu\b/core/; s/$/ pu:1/' <<<"$1"
}

# parts_of DOMAIN FILE: the parts that the root device gave, or the error
parts_of() {
    sed -n "s/^-> by affinity domain $1: \([0-9]*\) part.*/\1/p; s/^-> by affinity domain $1: \(CL_.*\)/\1/p" "$2"
}

compare_with_hwloc() { # NAME TEXT FILE
    local words level type count parts
    command -v hwloc-calc >/dev/null || return
    words=$(in_hwloc_words "$2")
    [ -n "$words" ] || return
    for level in NUMA:numa L4:l4 L3:l3 L2:l2 L1:l1; do
        type=${level#*:}
        case $2 in *"$type:"*) ;; *) continue ;; esac # hwloc would make one up
        count=$(hwloc-calc -i "$words" --number-of "$type" all 2>/dev/null)
        parts=$(parts_of "${level%:*}" "$3")
        [ "$count" -gt 1 ] || count=CL_DEVICE_PARTITION_FAILED
        [ "$count" = "$parts" ] || fail "$1: $type: hwloc counts $count, the device gives $parts"
    done
}

compare_with_tool() { # NAME FILE
    local domain wanted parts
    for domain in NUMA L4_CACHE L3_CACHE L2_CACHE L1_CACHE; do
        wanted=$("$build/orrery" topology "$1" | sed -n "s/^ *BY_AFFINITY_DOMAIN, $domain  *\([0-9]*\):.*/\1/p")
        parts=$(parts_of "${domain%_CACHE}" "$2" | grep -E '^[0-9]+$')
        [ "$wanted" = "$parts" ] || fail "$1: $domain: orrery topology says '$wanted', the device gives '$parts'"
    done
}

while IFS='|' read -r name text; do
    for set in cts spec pocl neo; do
        ORRERY_TOPOLOGY=$name ORRERY_ERRORS=$set "$explorer" 1 >"$work/$set" 2>"$work/log" ||
            fail "$name, $set: status $?: $(grep CONTRA "$work/$set") $(cat "$work/log")"
        runs=$((runs + 1))
    done
    ORRERY_TOPOLOGY=$name "$explorer" 1 2>/dev/null | cmp -s - "$work/cts" || fail "$name: not the same twice"
    compare_with_hwloc "$name" "$text" "$work/cts"
    compare_with_tool "$name" "$work/cts"
done < <(sed -n 's/^PRESET("\([^"]*\)", "\([^"]*\)".*/\1|\2/p' "$src/sim/topology/topology.def")
[ "$runs" -ge 32 ] || fail "only $runs runs: are there no presets?"

# The example of cslices: by sub-devices and by indices of queues, in the modes of the hardware.
printf 'orrery: 1\ndevice: {topology: intel-pvc, features: {cslice_partition: true}}\n' >"$work/pvc.yaml"
for mode in 1 2 4; do
    ORRERY_SCENARIO=$work/pvc.yaml ZEX_NUMBER_OF_CCS=0:$mode "$cslice" >"$work/out" 2>&1
    status=$?
    if [ "$mode" = 1 ]; then
        [ "$status" = 2 ] && grep -q 'feature_not_supported' "$work/out" || fail "mode 1: status $status"
        continue
    fi
    [ "$status" = 0 ] || fail "mode $mode: status $status"
    [ "$(grep -c "$mode cslices of $((448 / mode)) compute units" "$work/out")" = 2 ] || fail "mode $mode: $(cat "$work/out")"
    [ "$(grep -c "on $mode queues" "$work/out")" = 4 ] || fail "mode $mode: $(cat "$work/out")"
done
ORRERY_TOPOLOGY=dual-socket "$cslice" >/dev/null 2>&1
[ $? = 2 ] || fail "a device without cslices was used"

# One tile chosen by the selector needs no partition by domain.
ORRERY_SCENARIO=$work/pvc.yaml ORRERY_DEVICE_SELECTOR=0.1 "$cslice" 2>&1 | grep -q '448 compute units: one tile' ||
    fail "the selector"
ORRERY_DEVICE_SELECTOR=5x "$explorer" >/dev/null 2>"$work/log"
grep -q 'orrery: error: device selector "5x", character 2:' "$work/log" || fail "message: $(cat "$work/log")"

echo "$runs runs of the explorer"
exit "$bad"
