#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the memory-model checker without one rule at a time (sim/memmodel/rule.h) and demands that the rule's own test in
# check_race.c fails; with every rule in place, all pass. Rule 1 to 38 of the memory model; those that no RULE() marks are
# structure (one relation a region, values, host commands) and have tests or parts of their own.
set -u
src=${ORRERY_SRCDIR:-.} build=${ORRERY_BUILDDIR:-.}
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && { echo "a sanitizer's objects link with their own kind only"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
declare -A test_of=([2]=r2_ [3]=r3_ [4]=r4_ [5]=r5_ [6]=r6_ [8]=r8_ [9]=r9_ [10]=r10_ [11]=r11_ [12]=r12_ [13]=r13_
    [14]=r14_ [15]=r15_ [16]=r16_ [17]=r17_ [19]=r19_ [20]=r20_ [21]=r21_ [29]=r29_ [34]=r34_ [35]=r35_ [36]=r36_ [37]=r37_ [38]=r38_)

object() { # FILE OUT FLAGS...
    local file=$1 out=$2
    shift 2
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O0 -w "$@" -iquote "$src/include" -iquote "$src/sim" -iquote "$src/sim/memmodel" \
        -iquote "$src" -I"$src/include" -c "$file" -o "$out"
}

# The library's own copies are not taken from the archive: these objects define the same names first.
compile() { # NAME FLAGS...: the files that apply rules anew, the others from the first time
    local out=$work/$1 file
    shift
    mkdir -p "$out"
    [ "$out" = "$work/all" ] || cp "$work"/all/*.o "$out"
    for file in "$src"/sim/memmodel/*.c "$src"/tests/check_race.c "$src"/tests/race_world.c; do
        if [ "$out" = "$work/all" ] || grep -q 'RULE(' "$file"; then
            object "$file" "$out/$(basename "$file" .c).o" "$@" || return 1
        fi
    done
    "$build/libtool" --silent --tag=CC --mode=link ${CC:-cc} "$out"/*.o "$build/libsim.la" $(pkg-config --libs check) \
        -o "$out/check_race" > /dev/null
}

failures=0
marked=$(grep -ho 'RULE([0-9]*)' "$src"/sim/memmodel/*.c | tr -dc '0-9\n' | sort -nu)
compile all || exit 99
if ! CHECK_RACE_PROGRAMS=500 "$work/all/check_race" > "$work/log" 2>&1; then
    echo "with every rule:"; cat "$work/log"
    exit 1
fi
for rule in $marked; do
    name=${test_of[$rule]:-}
    if [ -z "$name" ]; then
        echo "rule $rule is marked and has no test"
        failures=$((failures + 1))
    elif ! compile "$rule" "-DMUTATE_RULE=$rule"; then
        exit 99
    elif CHECK_RACE_PROGRAMS=20 "$work/$rule/check_race" > "$work/log" 2>&1 || ! grep -q ":$name" "$work/log"; then
        echo "without rule $rule its test passes"
        failures=$((failures + 1))
    fi
done
echo "$(wc -w <<<"$marked") rules taken away, $failures unnoticed"
[ "$failures" = 0 ]
