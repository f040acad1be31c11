#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program whose threads hold locks of their own around their calls, or take their work from a queue that such a lock
# guards: each recorded run is had again. `check_host_locks.sh KIND...` tries these kinds of locks alone.
set -u
build=${ORRERY_BUILDDIR:-.}
program=$build/tests/host_locks
orrery=$build/orrery
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$(cd "$build" && pwd)/icd} ORRERY_QUIET=1
work=$(mktemp -d "${TMPDIR:-/tmp}/check_host_locks.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail=0

complain() {
    echo "$@"
    fail=1
}

replay() { # KIND RECORD
    timeout 100 "$orrery" replay "$2" -- "$program" "$1" > "$work/again" 2> "$work/again.err" ||
        complain "$1: the replay ends with status $?: $(cat "$work/again.err")"
    cmp -s "$work/again" "$2.out" || complain "$1: the replay found $(cat "$work/again"), expected $(cat "$2.out")"
    [ -s "$work/again.err" ] && complain "$1: the replay says $(cat "$work/again.err")"
}

kinds=("$@")
[ $# -gt 0 ] || kinds=(plain mutex rwlock trylock timed spin c11 semaphore barrier callback queue pool once daemon)
for kind in "${kinds[@]}"; do
    for run in 1 2 3 4 5; do
        record=$work/$kind.$run
        timeout 100 "$orrery" run --fast --record "$record" -- "$program" "$kind" > "$record.out" 2> "$record.err" ||
            complain "$kind: the run ends with status $?: $(cat "$record.err")"
        [ "$(tr -d '\n' < "$record.out" | wc -c)" -ge 12 ] || [ "$kind" = daemon ] || complain "$kind: found '$(cat "$record.out")'"
        if [ $fail -eq 0 ]; then replay "$kind" "$record"; fi
        if [ $fail -eq 0 ]; then replay "$kind" "$record"; fi
    done
    [ "$(cat "$work/$kind".?.out | sort -u | wc -l)" -gt 1 ] || complain "$kind: five runs came to the same order: this proves nothing"
done
[ $# -eq 0 ] || exit $fail

# An order that cannot be kept is given up, which is printed once, and the program ends.
record=$work/mutex.1
sed 's/^\[locks\]$/&\n0.1 0.0 mutex after 0.7 1.0/' "$record" > "$work/bad"
timeout 200 "$orrery" replay "$work/bad" -- "$program" mutex > "$work/again" 2> "$work/again.err"
[ $? -eq 124 ] && complain "a thread that never comes: the replay does not end"
[ "$(grep -c 'gives up the order of the program.s locks: thread .* waits for thread' "$work/again.err")" -eq 1 ] ||
    complain "a thread that never comes: found $(cat "$work/again.err")"
sed 's/^\[locks\]$/&\n0.1 0.0 mutex bla/' "$record" > "$work/bad"
timeout 200 "$orrery" replay "$work/bad" -- "$program" mutex > "$work/again" 2> "$work/again.err"
[ $? -eq 124 ] && complain "a torn line: the replay does not end"
grep -q 'line 1 of \[locks\]' "$work/again.err" || complain "a torn line: found $(cat "$work/again.err")"

# Without the section the order of the calls is kept as far as the locks allow.
sed '/^\[locks\]$/,$d' "$work/plain.1" > "$work/bad"
cp "$work/plain.1.out" "$work/bad.out"
replay plain "$work/bad"
grep -q '^\[locks\]$' "$record" || complain "no locks in the record"
exit $fail
