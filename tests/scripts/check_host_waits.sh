#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A kernel that only spins, and the host's steps meanwhile: a livelock is reported if no thread is left that could release it, at
# once and always in the same words, also in memory that the host may write; and never if a thread still does. What is waited for
# seconds has a clock that runs fast, and the host acts when it sees the note of it.
# shellcheck disable=SC2030,SC2031 # parts have folders of their own
set -u
build=${ORRERY_BUILDDIR:-.}
program=$build/tests/host_waits
orrery=$build/orrery
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$(cd "$build" && pwd)/icd}
work=$(mktemp -d "${TMPDIR:-/tmp}/check_host_waits.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf 'orrery: 1\ndevice: {features: {svm_system: true}}\n' > "$work/system.yaml"
fail=0 clock=
# A library with the address sanitizer in it can only be loaded by programs that have it first of all.
fast_clock=$(realpath "$build")/.libs/fast_clock.so
if ldd "$build/.libs/liborrery.so" 2>/dev/null | grep -q 'libasan\|libclang_rt' || [ ! -f "$fast_clock" ]; then fast_clock=; fi

complain() {
    echo "$@"
    fail=1
}

# run PLACE WHAT [KERNEL], with options
run() {
    local of_system=() given
    case $1 in system | shared) of_system=(--scenario "$work/system.yaml") ;; esac
    read -ra given <<<"$options"
    timeout 60 ${clock:+env "LD_PRELOAD=$clock"} "$orrery" run "${of_system[@]}" "${given[@]}" -- "$program" "$@" > "$work/out" 2> "$work/err"
}

livelock() {
    run "$@"
    local status=$?
    [ $status -eq 124 ] && grep -q 'error: livelock' "$work/err" ||
        complain "$*, options '$options': status $status and no livelock: $(cat "$work/err")"
}

ends() {
    run "$@"
    local status=$?
    case $status in 0 | 66) ;; *) complain "$*, options '$options': status $status: $(cat "$work/err")" ;; esac
    grep -q 'done' "$work/out" || complain "$*, options '$options': it does not come to its end"
    grep -q livelock "$work/err" && complain "$*, options '$options': a livelock is told where there is none: $(cat "$work/err")"
}

# A host that does nothing for long, to which the memory is closed while commands run. The clock of its patience is the system's.
(
    work=$work/nap options="--checks=fast,races --shared-pages"
    mkdir "$work"
    ends grain nap
    grep -q 'note: for 20 seconds' "$work/err" || complain "nothing is said while the host does nothing: $(cat "$work/err")"
    exit $fail
) &
napping=$!

for options in "--fast" "--fast --schedule random" "--checks=fast,races"; do
    for place in fine buffer; do
        for what in finish flush read exit both ends callback-waits-too; do
            livelock "$place" "$what"
        done
        for what in writer callback callback-waits next sleep poll fork-beside; do
            ends "$place" "$what"
        done
    done
    livelock fine finish lock
    ends fine signal
    ends fine finish count
done
options=
grep -q 'the host, which could write it, waits, too' <(run fine finish; tr -s ' \n' ' ' < "$work/err") || complain "it is not said why the host does not write"

# Memory of the host itself. What other processes may write is never certain.
for options in "--fast" "--fast --schedule random"; do
    for what in finish flush both ends; do
        livelock system $what
    done
    for what in writer sleep poll; do
        ends system $what
        ends shared $what
    done
    ends system finish count
    ends shared fork
done
livelock system finish lock
options=
livelock system exit

# Closed to the host while commands run.
options="--checks=fast,races --shared-pages"
livelock grain finish
livelock grain flush
for what in writer sleep poll; do
    ends grain $what
done
options=

# A thread that does nothing for long, and could: a buffer's flag needs a call, memory only a store of any thread.
clock=$fast_clock
livelock buffer idle
ends fine late
grep -q "note: for 10 seconds kernels have only spun: kernel 'await', work-item (0,0,0) reads .*byte 0: 0 (program.cl:" "$work/err" ||
    complain "nothing is said of what it waits for: $(cat "$work/err")"
grep 'has run for' "$work/err" && complain "it is said to run while it only waits for the host"
ends fine handler
grep -q 'note: for 10 seconds' "$work/err" || complain "nothing is said while only a signal may let it go on: $(cat "$work/err")"
grep 'has run for' "$work/err" && complain "it is said to run while it only waits for the host"
clock=

# The same words each time; a sanitizer has none to compare.
times=5
grep -qs '^#define ORRERY_LOOPING' "$build/config.h" && times=1
for what in finish flush both callback-waits-too ends; do
    livelock fine $what
    cp "$work/err" "$work/first"
    for again in $(seq $times); do
        livelock fine $what
        cmp -s "$work/err" "$work/first" || complain "fine $what: run $again says something else: $(diff "$work/first" "$work/err")"
    done
done

# Recorded, and had again: also where it is the patience that ends.
for place in fine buffer; do
    for what in finish both ends idle callback callback-waits callback-waits-too writer next; do
        [ "$place $what" = "fine idle" ] && continue
        clock=
        [ "$what" = idle ] && clock=$fast_clock
        ${clock:+env "LD_PRELOAD=$clock"} "$orrery" run --fast --record "$work/record" -- "$program" "$place" "$what" > "$work/out" 2> "$work/first"
        first=$?
        timeout 60 ${clock:+env "LD_PRELOAD=$clock"} "$orrery" replay "$work/record" -- "$program" "$place" "$what" > "$work/again" 2> "$work/err"
        status=$?
        [ $status -eq $first ] && cmp -s "$work/err" "$work/first" && cmp -s "$work/again" "$work/out" ||
            complain "$place $what: status $first recorded, $status replayed: $(diff "$work/first" "$work/err")"
        case $what in
        finish | both | ends | idle | callback-waits-too) [ $first -eq 124 ] || complain "$place $what recorded: status $first" ;;
        *) [ $first -ne 124 ] || complain "$place $what recorded: a livelock is told where there is none" ;;
        esac
    done
done

# Also where the flag is let go before the waits in the one run, and in them in the other: by a store that is no call.
for place in fine buffer; do
    for what in paced both-paced callback-paced; do
        for late in "writer waiter" "waiter writer" "writer writer" "waiter waiter"; do
            HOST_WAITS_LATE=${late% *} "$orrery" run --fast --record "$work/record" -- "$program" "$place" "$what" > "$work/out" 2> "$work/first"
            first=$?
            HOST_WAITS_LATE=${late#* } timeout 60 "$orrery" replay "$work/record" -- "$program" "$place" "$what" > "$work/again" 2> "$work/err"
            status=$?
            { [ $first -eq 0 ] || [ $first -eq 66 ]; } && [ $status -eq $first ] && cmp -s "$work/err" "$work/first" && cmp -s "$work/again" "$work/out" ||
                complain "$place $what, late: $late: status $first recorded, $status replayed: $(diff "$work/first" "$work/err")"
        done
    done
done
wait $napping || fail=1
exit $fail
