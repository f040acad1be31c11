#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program whose threads race for the log: each recorded run is had again, thread by thread, and a record of another
# program does not fit.
set -u
build=${ORRERY_BUILDDIR:-.}
program=$build/tests/host_threads
orrery=$build/orrery
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$(cd "$build" && pwd)/icd} ORRERY_QUIET=1
work=$(mktemp -d "${TMPDIR:-/tmp}/check_host_threads.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail=0

complain() {
    echo "$@"
    fail=1
}

for run in 1 2 3 4; do
    "$orrery" run --fast --record "$work/$run" -- "$program" > "$work/$run.out" 2> "$work/$run.err" ||
        complain "run $run ends with status $?: $(cat "$work/$run.err")"
    [ "$(tr -d '\n' < "$work/$run.out" | wc -c)" -eq 30 ] || complain "run $run: found $(cat "$work/$run.out"), expected 30 digits"
    for again in 1 2; do
        "$orrery" replay "$work/$run" -- "$program" > "$work/again" 2> "$work/again.err" ||
            complain "replay $again of run $run ends with status $?: $(cat "$work/again.err")"
        cmp -s "$work/again" "$work/$run.out" ||
            complain "replay $again of run $run: found $(cat "$work/again"), expected $(cat "$work/$run.out")"
    done
    for name in 0 0.0 0.1 0.2 0.3 callbacks; do
        grep -q "^$name cl" "$work/$run" || complain "run $run: no call of thread $name in the record"
    done
done
[ "$(cat "$work"/?.out | sort -u | wc -l)" -gt 1 ] || complain "four runs came to the same order: the program proves nothing"

# Another order than the program's own, another call, a torn line.
refused() { # STATUS WHAT TEXT...
    local wanted=$1
    shift
    timeout 100 "$orrery" replay "$work/bad" -- "$program" > "$work/again" 2>&1
    local status=$? what=$1
    shift
    [ $status -eq "$wanted" ] || complain "$what: status $status instead of $wanted: $(cat "$work/again")"
    for text in "$@"; do
        grep -qF -- "$text" "$work/again" || complain "$what: does not say '$text': $(cat "$work/again")"
    done
}
sed 's/^0 clCreateBuffer$/0 clCreatePipe/' "$work/1" > "$work/bad"
refused 2 "another call" "does not fit" "clCreatePipe of thread 0" "calls clCreateBuffer"
sed 's/^0 clCreateContext$/0 clCreateContext often/' "$work/1" > "$work/bad"
refused 1 "a torn line" "line" "of [host]" "often"

# A thread that never calls: the others wait for long, and then name it.
sed '/^\[host\]/a 0.7 clFlush' "$work/1" > "$work/bad"
refused 2 "a thread that never comes" "does not fit" "clFlush of thread 0.7" "line 1 of [host]"

# Its findings: the line names the record, which keeps the checks; without one it is printed that chance has a part.
unset ORRERY_QUIET
"$orrery" run --checks=fast,races --record "$work/races.%p" -- "$program" > "$work/races.out" 2> "$work/races.err"
[ $? -eq 66 ] || complain "no races are found: $(cat "$work/races.err")"
record=$(ls "$work"/races.[0-9]*)
grep -qF "orrery: replay with: orrery replay $record -- $program" "$work/races.err" ||
    complain "the line does not name the record: $(tail -3 "$work/races.err")"
grep -q 'several threads' "$work/races.err" && complain "a recorded run is said to leave something to chance"
"$orrery" replay "$record" -- "$program" > "$work/again" 2> "$work/again.err"
[ $? -eq 66 ] || complain "the record does not keep the checks"
cmp -s "$work/again" "$work/races.out" || complain "the record of the races gives $(cat "$work/again")"
cmp -s "$work/again.err" "$work/races.err" || complain "the record of the races finds something else: $(diff "$work/again.err" "$work/races.err")"
"$orrery" run --checks=fast,races -- "$program" > "$work/again" 2>&1
grep -q 'several threads of the program called OpenCL' "$work/again" || complain "nothing is said of several threads"
printf 'orrery: 1\nchecks: {races: error}\nexpect: {findings: []}\n' > "$work/races.yaml"
"$orrery" check --exec "$program" "$work/races.yaml" > "$work/again" 2>&1
grep -q 'several threads of the program called OpenCL' "$work/again" || complain "check says nothing of several threads"

# One that ends without exit, while its threads are at it.
"$orrery" run --fast -- "$program" early > "$work/early.out" 2> "$work/early.err"
[ $? -eq 5 ] || complain "the program that ends early ends otherwise: $(cat "$work/early.err")"
grep -A1 'orrery: replay with: ' "$work/early.err" | grep -q 'several threads of the program called OpenCL' ||
    complain "a program that fails by itself is not told of its threads: $(cat "$work/early.err")"
for run in 1 2 3; do
    rm -f "$work/early"
    "$orrery" run --fast --record "$work/early" -- "$program" early > "$work/early.out" 2> "$work/early.err"
    [ $? -eq 5 ] || complain "the program that ends early ends otherwise: $(cat "$work/early.err")"
    grep -q '^0.3 cl' "$work/early" || complain "no record of a program that ends early"
    "$orrery" replay "$work/early" -- "$program" early > "$work/again" 2> "$work/again.err"
    [ $? -eq 5 ] || complain "the replay of the program that ends early ends otherwise: $(cat "$work/again.err")"
done

# A single thread needs no log.
"$orrery" run --fast --record "$work/single" -- "$build/examples/host_order" queues fixed > /dev/null 2>&1
grep -q '^\[schedule\]' "$work/single" || complain "no record of a program with one thread"
grep -q '^\[host\]' "$work/single" && complain "calls of a program with one thread are recorded"
exit $fail
