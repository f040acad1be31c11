#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the memory model without one rule at a time (orrery/rule.h) and demands that the rule's own test fails: those of
# the race checker in check_race.c, those of values, waiting and barriers by the command. With every rule in place, all pass.
# Rules 1 to 38 of the memory model; 901 and 902 are rule 9 of all_svm_devices, on memory without and with SVM's atomics.
# No RULE() marks these:
#   1, 31 to 33   units, and what orders commands and the host: r1_ in check_race.c, R31_, R32_ and maps in check_commands.c;
#                 3101 to 3114 stand for (1) to (14) of rule 31 between kernels that enqueue each other
#   22            follows from 24: a circle of happens-before goes through a value that is read before it is stored
#   30            two accesses of one work-item without order: SPIR-V has none, so it cannot occur
set -u
src=${ORRERY_SRCDIR:-.} build=${ORRERY_BUILDDIR:-.}
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && { echo "a sanitizer's objects link with their own kind only"; exit 77; }
work=$(mktemp -d) || exit 1
litmus=$src/scenarios/litmus/rules
trap 'rm -rf "$work"' EXIT
declare -A test_of=([2]=r2_ [3]=r3_ [4]=r4_ [5]=r5_ [6]=r6_ [8]=r8_ [9]=r9_scopes_are [901]=r9_all_svm_devices_is [902]=r9_all_svm_devices_stays [10]=r10_ [11]=r11_ [12]=r12_ [13]=r13_
    [14]=r14_ [15]=r15_ [16]=r16_ [17]=r17_ [19]=r19_ [20]=r20_ [21]=r21_ [29]=r29_ [34]=r34_ [35]=r35_ [36]=r36_ [37]=r37_ [38]=r38_
    [3101]=r31_1_ [3102]=r31_2_ [3113]=r31_13_ [3114]=r31_14_)

object() { # FILE OUT FLAGS...
    local file=$1 out=$2
    shift 2
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O0 -w "$@" -iquote "$src/include" -iquote "$src/sim" -iquote "$src/sim/memmodel" \
        -iquote "$src" -iquote "$build" -I"$src/include" -c "$file" -o "$out"
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

# The command without a rule of sim/.
command_without() { # RULE
    local out=$work/command-$1 file
    mkdir -p "$out"
    for file in $(grep -l 'RULE(' "$src"/sim/*.c); do
        object "$file" "$out/$(basename "$file" .c).o" "-DMUTATE_RULE=$1" || return 1
    done
    "$build/libtool" --silent --tag=CC --mode=link ${CC:-cc} "$out"/*.o "$build"/tools/orrery-*.o "$build/libsim.la" \
        $(pkg-config --libs jansson) -o "$out/orrery" > /dev/null
}

# Does the command without the rule do wrong?
notices() { # RULE
    local orrery=$work/command-$1/orrery engine=--weak
    case $1 in
    18) ! "$orrery" check "$src/scenarios/faulty/barrier_divergence.yaml" > "$work/log" 2>&1 ;;
    28) "$orrery" litmus "$src/scenarios/litmus/teaching/mp_spin.litmus" | grep -q 'waits for ever' ;;
    *)
        [ "$1" = 23 ] && engine=--thin-air
        "$orrery" litmus $engine --verdicts "$litmus/verdicts.csv" "$litmus" | grep -q "differs: r$(printf %02d "$1")_"
        ;;
    esac
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
valued=$(grep -ho 'RULE([0-9]*)' "$src"/sim/*.c | tr -dc '0-9\n' | sort -nu)
for rule in 0 $valued; do # 0: all are there
    command_without "$rule" || exit 99
    if [ "$rule" = 0 ]; then
        for one in $valued; do
            mkdir -p "$work/command-$one"
            ln -sf "$work/command-0/orrery" "$work/command-$one/orrery"
            notices "$one" && { echo "the test of rule $one fails with every rule"; failures=$((failures + 1)); }
            rm "$work/command-$one/orrery"
        done
    elif ! notices "$rule"; then
        echo "without rule $rule its test passes"
        failures=$((failures + 1))
    fi
done
marked="$marked $valued"
echo "$(wc -w <<<"$marked") rules taken away, $failures unnoticed"
[ "$failures" = 0 ]
