#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the memory model without one rule at a time (orrery/rule.h) and demands that the rule's own test fails: those of
# the race checker in check_race.c, those of values, waiting and barriers by the command. With every rule in place, all pass.
# The random programs of tests/oracle have to notice what kernels can show of the race checker's, too.
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
declare -A test_of=([1]=r1_ [2]=r2_ [3]=r3_ [4]=r4_ [5]=r5_ [6]=r6_ [8]=r8_ [9]=r9_scopes_are [901]=r9_all_svm_devices_is [902]=r9_all_svm_devices_stays [10]=r10_ [11]=r11_ [12]=r12_ [13]=r13_
    [14]=r14_ [15]=r15_ [16]=r16_ [17]=r17_ [19]=r19_ [20]=r20_ [21]=r21_ [29]=r29_ [34]=r34_ [35]=r35_ [36]=r36_ [37]=r37_ [38]=r38_
    [3101]=r31_1_ [3102]=r31_2_ [3113]=r31_13_ [3114]=r31_14_
    [13101]=R31_1_ [13102]=R31_2_ [13103]=R31_2_ [13104]=R31_4_ [13105]=R31_5_ [13106]=R31_6_ [13107]=R31_7_ [13108]=R31_8_
    [13111]=R31_11_ [13112]=R31_12_ [32]=R32_ [3201]=R32_ [3202]=R32_ [3203]=R32_ [3204]=r32_launches_and [33]=R33_)

# One build serves all rules: which is away the environment says.
cat > "$work/mutated.h" <<'C'
extern int mutated_rule;
C
cat > "$work/mutated.c" <<'C'
#include <stdlib.h>
#include "mutated.h"
int mutated_rule;
__attribute__((constructor)) static void set_mutated_rule(void)
{
    const char *rule = getenv("MUTATE_RULE");
    mutated_rule = rule ? atoi(rule) : 0;
}
C

# objects DIRECTORY OUT FLAGS...: of the files that mark rules, or include a header that does
objects() {
    local directory=$1 out=$2 file
    shift 2
    mkdir -p "$out"
    for file in "$work/mutated.c" $(marking "$directory"); do
        ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -w -DMUTATE_RULE=mutated_rule -include "$work/mutated.h" "$@" -iquote "$src" -iquote "$build" \
            -I"$src/include" -c "$file" \
            -o "$out/$(basename "$file" .c).o" || return 1
    done
}

# The folders of a part; sim is what is neither the checker nor the interpreter.
rooms() { # DIRECTORY
    if [ "$1" = sim ]; then
        find "$src/sim" -mindepth 1 -type d ! -path '*/memmodel*' ! -path '*/interp*' | sort
    else
        find "$src/$1" -type d | sort
    fi
}

# What a header marks is everywhere in its folder.
marking() { # DIRECTORY
    local folder
    for folder in $(rooms "$1"); do
        if grep -qsF 'RULE(' "$folder"/*.h; then
            ls "$folder"/*.c
        else
            grep -lsF 'RULE(' "$folder"/*.c
        fi
    done
}

# The libraries of the tree: its own copies of what the objects define are not taken from the archives, since the objects come first.
libraries=$(cd "$build" && MAKEFLAGS='' make -s --no-print-directory --eval 'libraries: ; @echo $(SIM_LIBS)' libraries | sed "s|\<lib[a-z0-9]*\.a\>|$build/&|g")
line="${CC:-cc} -pthread -Wl,--as-needed OBJECTS.o $libraries -o PROGRAM"
test_line="$line $(pkg-config --libs check)"

link() { # LINE OUT OBJECT...
    local line=$1 out=$2
    shift 2
    line=${line/OBJECTS.o/$*}
    eval "${line/PROGRAM/$out} -Wl,-S"
}

# A test program with the memory model that may lack a rule.
program() { # NAME
    local of=("$build"/tests/*/"$1.o")
    [[ $1 == check_race* ]] && of+=("$build"/tests/support/race_{world*,oracle,judge}.o)
    link "$test_line" "$work/$1" "$work"/memmodel/*.o "${of[@]}"
}

# The library, likewise, as an ICD.
library() {
    local out=$work/library
    objects lib "$out" -fPIC || return 1
    # shellcheck disable=SC2086
    ${CC:-cc} -shared -pthread -Wl,-Bsymbolic,-u,clIcdGetPlatformIDsKHR,-u,clGetExtensionFunctionAddress "$out"/*.o "$build/libapi.a" \
        $libraries -o "$out/liborrery.so"
    echo "$out/liborrery.so" > "$out/orrery.icd"
}

# Everything is built once, then run without each rule.
objects sim/memmodel "$work/memmodel" && objects sim "$work/sim" || exit 99
program check_race && program check_commands || exit 99
rm -f "$work/sim/mutated.o" # there is one in memmodel
link "$line" "$work/orrery" "$work"/memmodel/*.o "$work"/sim/*.o "$build"/tools/orrery-*.o "$build"/tools/{debug,serve}/orrery-*.o && library || exit 99

# Whose tests they are.
program_of() { # RULE
    [[ ${test_of[$1]:-} == R* ]] && echo check_commands || echo check_race
}

# Does its test fail without the rule? The tests of rules are one process, or one each where that one crashes.
fails_without() { # RULE NAME
    local fork
    for fork in no yes; do
        MUTATE_RULE=$1 CK_FORK=$fork CK_RUN_CASE=rules "$work/$(program_of "$1")" > "$work/log" 2>&1 && return 1
        grep -q ":$2" "$work/log" && return 0
    done
    return 1
}

# Random programs from the one that notices.
oracle() { # RULE FROM
    mkdir -p "$work/oracle-$1"
    MUTATE_RULE=$1 python3 -B "$src/tests/oracle/compare.py" "$work/orrery" "$work/oracle-$1" "$2" 12 300 first > "$work/log"
}

# Does the command without the rule do wrong?
notices() { # RULE MUTATED-RULE
    local engine=
    export MUTATE_RULE=$2
    case $1 in
    18) ! "$work/orrery" check "$src/scenarios/faulty/barrier_divergence.yaml" > "$work/log" 2>&1 ;;
    28) "$work/orrery" litmus --interleavings "$src/scenarios/litmus/teaching/mp_spin.litmus" | grep -q 'waits for ever' ;;
    *)
        [ "$1" = 23 ] && engine=--thin-air
        "$work/orrery" litmus $engine --verdicts "$litmus/verdicts.csv" "$litmus" | grep -q "differs: r$(printf %02d "$1")_"
        ;;
    esac
}

# Rules that the random programs notice, and the first program that does.
declare -A oracle_from=([1]=0 [2]=0 [3]=0 [4]=0 [5]=0 [6]=14 [8]=39 [9]=23 [10]=0 [11]=0 [12]=3 [13]=0 [14]=3 [15]=96 [16]=8 [17]=1 [19]=1 [20]=1
    [21]=29 [29]=0 [35]=14 [36]=12 [37]=33 [38]=0 [901]=6)
command -v python3 > /dev/null || oracle_from=()

failures=0
unnoticed() { # RULE
    echo "without rule $1 its test passes"
    failures=$((failures + 1))
}

# The programs whole, and check_race and check_commands without each rule.
marked=$(grep -rho --include='*.[ch]' 'RULE([0-9]*)' "$src"/sim/memmodel | tr -dc '0-9\n' | sort -nu)
for program in check_race check_commands; do
    if ! "$work/$program" > "$work/log" 2>&1; then
        echo "with every rule:"; cat "$work/log"
        exit 1
    fi
done
for rule in $marked; do
    name=${test_of[$rule]:-}
    if [ -z "$name" ]; then
        echo "rule $rule is marked and has no test"
        failures=$((failures + 1))
    elif ! fails_without "$rule" "$name"; then
        unnoticed "$rule"
    fi
    [ -n "${oracle_from[$rule]:-}" ] || continue
    oracle "$rule" "${oracle_from[$rule]}" && unnoticed "$rule"
    grep -qE ': (no race|not told|others race): ' "$work/log" || { cat "$work/log"; failures=$((failures + 1)); }
done
if [ ${#oracle_from[@]} != 0 ]; then
    oracle 0 0 || { echo "with every rule:"; cat "$work/log"; exit 1; }
fi

# The library, likewise.
called=$(grep -rho --include='*.c' 'RULE([0-9]*)' "$src"/lib | tr -dc '0-9\n' | sort -nu)
for rule in 0 $called; do
    MUTATE_RULE=$rule OCL_ICD_VENDORS=$work/library "$build/tests/check_api_order" > "$work/log" 2>&1
    status=$?
    if [ "$rule" = 0 ] && [ "$status" != 0 ]; then
        echo "with every rule:"; cat "$work/log"
        exit 1
    elif [ "$rule" != 0 ] && ! grep -q ":${test_of[$rule]:-no test}" "$work/log"; then
        unnoticed "$rule"
    fi
done

valued=$(marking sim | xargs grep -ho 'RULE([0-9]*)' | tr -dc '0-9\n' | sort -nu)
for rule in $valued; do
    (notices "$rule" 0) && { echo "the test of rule $rule fails with every rule"; failures=$((failures + 1)); }
    (notices "$rule" "$rule") || unnoticed "$rule"
done
marked="$marked $called $valued"
echo "$(wc -w <<<"$marked") rules taken away, $failures unnoticed"
[ "$failures" = 0 ]
