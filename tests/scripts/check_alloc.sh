#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory that runs out is an error like others: one allocation of Orrery's own code fails (tests/support/fail_alloc.c), each in
# turn, and the process ends by itself, with an error or with what it would have done anyway. Where the command has one thread
# and writes to its streams alone, it runs once, and a process is forked for each allocation that fails: most of the time went
# into starting it again.
# CHECK_ALLOC_EVERY=1 tries each one; by default every seventh.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
shim=$build/.libs/fail_alloc.so
every=${CHECK_ALLOC_EVERY:-7}
[ -f "$shim" ] || { echo "fail_alloc.so was not built"; exit 77; }
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && { echo "a sanitizer replaces malloc itself"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 tried=0 noticed=0

# judge NAME N STATUS USUAL-STATUS STREAMS: killed, or quietly wrong?
judge() {
    if [ "$3" -ge 128 ]; then
        echo "$1: allocation $2: ended by signal $(($3 - 128))"
    elif [ -n "$host" ]; then
        return 0 # calls were refused: what it makes of that is the program's
    elif [ "$3" = 0 ] && [ "$4" != 0 ]; then
        echo "$1: allocation $2: the finding got lost"
    elif [ "$4" = 0 ] && [[ $(<"$5err") == *': race-'* ]]; then
        echo "$1: allocation $2: a race that is none"
    elif [ "$3" = "$4" ] && [[ $(<"$5out") != "$usually" && $(<"$5out") != *'no memory'* && $1 != "$told" ]]; then
        echo "$1: allocation $2: another result and no error"
    else
        return 0
    fi
    bad=1
}

# usually_of NAME COMMAND...: what it does where nothing fails; sets usual, usually, count.
usually_of() {
    local name=$1
    shift
    "$@" >/dev/null 2>&1 # into the compile cache
    LD_PRELOAD=$shim FAIL_ALLOCATION_COUNT=$work/count "$@" >"$work/usual" 2>/dev/null
    usual=$?
    usually=$(<"$work/usual")
    count=$(cat "$work/count") || { echo "$name: no allocation counted"; bad=1; return 1; }
    rm -f "$work/count"
}

# noted NAME N STATUS STREAMS: one more, whose streams are the files STREAMSout and STREAMSerr
noted() {
    judge "$1" "$2" "$3" "$usual" "$4" 2>/dev/null
    [[ $3 = "$usual" && $(<"$4out") == "$usually" ]] || noticed=$((noticed + 1))
    tried=$((tried + 1))
}

# starve NAME COMMAND...
starve() {
    local name=$1 usual usually n count
    shift
    usually_of "$name" "$@" || return
    for ((n = 1 + start % every; n <= count; n += every)); do
        LD_PRELOAD=$shim FAIL_ALLOCATION=$n "$@" >"$work/out" 2>"$work/err"
        noted "$name" "$n" $? "$work/"
    done
    start=$((start + 3)) # not the same ones in each
}

# starve_forks NAME COMMAND...: the same, in forked processes
starve_forks() {
    local name=$1 usual usually n count status first=$((1 + start % every)) ends=0
    shift
    usually_of "$name" "$@" || return
    mkdir "$work/forks"
    LD_PRELOAD=$shim FAIL_ALLOCATION_EACH=$every FAIL_ALLOCATION_FIRST=$first FAIL_ALLOCATION_DIR=$work/forks "$@" \
        >"$work/whole" 2>"$work/whole.err"
    status=$?
    [[ $status = "$usual" && $(<"$work/whole") == "$usually" ]] || { echo "$name: status $status, not $usual, beside its forks"; bad=1; }
    while read -r n status; do
        noted "$name" "$n" "$status" "$work/forks/$n."
        ends=$((ends + 1))
    done <"$work/forks/ends"
    [ "$ends" = $((count < first ? 0 : (count - first) / every + 1)) ] || { echo "$name: $ends of $count allocations failed"; bad=1; }
    rm -rf "$work/forks"
    start=$((start + 3))
}

# Cached data of one program under a description that ran out of memory is not another's.
mix_up() {
    local word count
    local -x ORRERY_CACHE_DIR=$work/mixed
    for word in one other; do
        printf 'kernel void k(void) { printf("%s\\n"); }\n' "$word" >"$work/$word.cl"
        printf 'orrery: 1\nprogram: {source: %s.cl}\nlaunch: [{kernel: k, global: [1]}]\n' "$word" >"$work/$word.yaml"
        "$build/orrery" run "$work/$word.yaml" 2>/dev/null | grep -qx "$word" || { echo "mixed: $word is not printed"; bad=1; }
    done
    # first all that the one leaves there, then what the other takes for its own
    for word in one other; do
        mkdir "$work/$word"
        LD_PRELOAD=$shim FAIL_ALLOCATION_EACH=1 FAIL_ALLOCATION_FIRST=1 FAIL_ALLOCATION_DIR=$work/$word "$build/orrery" run "$work/$word.yaml" >"$work/out" 2>"$work/err"
        grep -qx "$word" "$work/out" || { echo "mixed: $word is not printed"; bad=1; }
        count=$(wc -l <"$work/$word/ends")
        [ "$count" -ge 100 ] || { echo "mixed: $word: $count allocations failed"; bad=1; }
    done
    grep -lx one "$work"/other/*.out && { echo "mixed: another program ran"; bad=1; }
    grep -lx other "$work"/one/*.out && { echo "mixed: another program ran"; bad=1; }
}

# CHECK_ALLOC_STARTED=1: each is started for itself
[ -z "${CHECK_ALLOC_STARTED:-}" ] || starve_forks() { starve "$@"; }

start=0 host=
told=clean/device_enqueue # enqueue_kernel returns an error, which the kernel ignores
for scenario in clean/collectives clean/device_enqueue clean/printf faulty/global_write faulty/uninitialised_store faulty/endless_loop; do
    starve_forks "$scenario" "$build/orrery" run "$src/scenarios/$scenario.yaml"
done
for scenario in racy/spinlock racy/histogram racy/message_passing_scope clean/reduction_tree clean/global_barrier clean/spinlock racy/child_counter racy/child_lock racy/sub_group_barrier_wide; do
    starve_forks "races $scenario" "$build/orrery" run --data-races "$src/scenarios/$scenario.yaml"
done
every=$((7 * every)) starve_forks 'races clean/stacks' "$build/orrery" run --data-races "$src/scenarios/clean/stacks.yaml" # thousands
starve_forks topology "$build/orrery" topology asymmetric
starve_forks partition "$build/orrery" topology --partition numa@1/next "package:2 numa:2 l3:2 cu:2"
starve expect "$build/orrery" check "$src/scenarios/partition/numa_first_touch.yaml"
starve arguments "$build/orrery" check "$src/scenarios/clean/image_arguments.yaml"
starve device "$build/orrery" run "$src/scenarios/partition/nested.yaml"
starve books "$build/orrery" run --counters="$work/counters" --timeline="$work/timeline" --html="$work/page" --placement=numa "$src/scenarios/clean/collectives.yaml"
for option in --json --weak; do
    starve_forks "litmus $option" "$build/orrery" litmus "$option" "$src/scenarios/litmus/dat3m/herd/MP.litmus"
done
host=yes
starve program "$build/examples/out_of_bounds" "$src/examples/out_of_bounds.cl"
export ORRERY_TOPOLOGY="numa:2 l2:1 cu:2"
starve explorer "$build/examples/partition_explorer/partition_explorer" 1
ORRERY_TOPOLOGY="tile:1 cslice:2 cu:2"
starve cslice "$build/examples/cslice/cslice"
unset ORRERY_TOPOLOGY
mix_up
echo "$tried allocations failed, $noticed were noticed"
[ "$noticed" -gt $((tried / 8)) ] || { echo "most of them did not matter: did they fail?"; bad=1; }
exit "$bad"
