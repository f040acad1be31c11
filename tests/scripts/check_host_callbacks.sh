#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The clock of a callback does not depend on which thread is faster: a race is reported in every run or in none, in the same
# bytes, however long the callback and the program take. And no run hangs, whatever the callback waits for. Which of the two is slow
# is one of four cases by the number of the run, so each mode runs in each case twice; CHECK_HOST_CALLBACKS_ALL=1: five times.
set -u
build=${ORRERY_BUILDDIR:-.}
program=$build/tests/host_callbacks
orrery=$build/orrery
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$(cd "$build" && pwd)/icd} RUN_NUMBER
work=$(mktemp -d "${TMPDIR:-/tmp}/check_host_callbacks.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail=0
# How often a run is had again. A sanitizer looks at memory, for which fewer will do.
often=8 again=4 few=4
[ -z "${CHECK_HOST_CALLBACKS_ALL:-}" ] || often=20 again=8
grep -qs '^#define ORRERY_LOOPING' "$build/config.h" && often=4 again=2 few=2

complain() {
    echo "$@"
    fail=1
}

run() { # STATUS MODE OUTPUT COMMAND...
    local wanted=$1 mode=$2 output=$3
    shift 3
    timeout 100 "$@" > "$output" 2>&1
    local status=$?
    [ $status -eq "$wanted" ] || complain "$mode, run $RUN_NUMBER: status $status instead of $wanted: $(cat "$output")"
}

# The checks of the calls are off, as some modes do what is not allowed.
repeat() { # RUNS STATUS MODE OPTION...
    local runs=$1 wanted=$2 mode=$3
    shift 3
    for RUN_NUMBER in $(seq "$runs"); do
        run "$wanted" "$mode" "$work/$RUN_NUMBER.out" "$orrery" run --checks=fast,races --check-api=off "$@" -- "$program" "$mode"
        cmp -s "$work/1.out" "$work/$RUN_NUMBER.out" ||
            complain "$mode $*: run $RUN_NUMBER is another one: $(diff "$work/1.out" "$work/$RUN_NUMBER.out")"
    done
    [ "$wanted" -eq 0 ] || grep -q 'error: race-commands' "$work/1.out" || complain "$mode: no race of commands: $(cat "$work/1.out")"
}

races='running submitted waiting blocking both late-running threads enqueueing chain asking numbering ending afterwards helped sleeping'
clean='complete late-complete mapping mutex semaphore finishing forking'
for mode in $races; do
    repeat $often 66 "$mode"
    repeat $few 66 "$mode" --shared-pages
done
for mode in $clean; do
    repeat $often 0 "$mode"
    repeat $few 0 "$mode" --shared-pages
done
for mode in polling spinning hanging; do
    repeat 1 0 "$mode"
done

# A callback that waits in a call is detected at once.
RUN_NUMBER=0
run 66 finishing "$work/out" "$orrery" run --checks=fast,races --check-misuse -- "$program" finishing
grep -q 'blocking-callback' "$work/out" || complain "finishing: the call that waits is not told: $(cat "$work/out")"
grep -q 'race-commands' "$work/out" && complain "finishing: there is no race: $(cat "$work/out")"

# Recorded runs have the same result, and so do their replays.
for mode in running both threads chain enqueueing complete mutex semaphore afterwards; do
    wanted=66
    [[ " $clean " = *" $mode "* ]] && wanted=0
    for RUN_NUMBER in $(seq $few); do
        rm -f "$work/record"
        run $wanted "$mode, recorded" "$work/$RUN_NUMBER.out" \
            "$orrery" run --checks=fast,races --check-api=off --record "$work/record" -- "$program" "$mode"
        cmp -s "$work/1.out" "$work/$RUN_NUMBER.out" || complain "$mode: the record of run $RUN_NUMBER is of another run"
        run $wanted "$mode, replayed" "$work/again" "$orrery" replay "$work/record" -- "$program" "$mode"
        cmp -s "$work/again" "$work/$RUN_NUMBER.out" ||
            complain "$mode: the replay of run $RUN_NUMBER is another run: $(diff "$work/$RUN_NUMBER.out" "$work/again")"
    done
done
for RUN_NUMBER in $(seq $few); do
    rm -f "$work/record"
    run 0 "crowding, recorded" "$work/recorded" \
        "$orrery" run --checks=fast,races --schedule=random --record "$work/record" -- "$program" crowding
    for replay in $(seq $again); do
        run 0 "crowding, replay $replay" "$work/again" "$orrery" replay "$work/record" -- "$program" crowding
        cmp -s "$work/again" "$work/recorded" ||
            complain "crowding: replay $replay of run $RUN_NUMBER is another run: $(diff "$work/recorded" "$work/again")"
    done
done
exit $fail
