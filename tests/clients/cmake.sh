#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# find_package(Orrery) from a staged installation and from a prefix, in a project that begins in an empty directory: the clean test
# passes, the one with a race fails, and the program that links Orrery::orrery reads its findings.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
. "$src/tests/scripts/staged.sh"
command -v cmake >/dev/null || skip "no cmake"
[ -e /usr/include/CL/cl.h ] || skip "no /usr/include/CL/cl.h"
unset ORRERY_FAIL_ON ORRERY_SEED ORRERY_CHECKS OCL_ICD_VENDORS CMAKE_PREFIX_PATH
bad=0
fail() { echo "FAILED  $1"; [ -z "${2-}" ] || cat "$2"; bad=1; }
has() { grep -qE -- "$2" "$1" || fail "expected /$2/" "$1"; }

project() { # DIRECTORY: the project of examples/labs, and a program that links the library
    mkdir -p "$1" && cp "$src"/examples/labs/{CMakeLists.txt,sum_test.c,sum.cl,sum_fixed.cl} "$1" && chmod -R u+w "$1"
    cat >>"$1/CMakeLists.txt" <<'CMAKE'
add_executable(linked linked.c)
target_link_libraries(linked Orrery::orrery)
add_test(NAME linked COMMAND linked)
orrery_add_test(NAME quiet COMMAND sum_test sum.cl SCENARIO no_races.yaml WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
orrery_add_test(NAME nothing COMMAND ${CMAKE_COMMAND} -E true OPTIONS --expect-kernels --quiet)
orrery_add_test(NAME own_status COMMAND ${CMAKE_COMMAND} -E false)
file(WRITE ${CMAKE_BINARY_DIR}/variables "${Orrery_VERSION}\n${Orrery_COMMAND}\n${Orrery_LISTENERS_DIR}/orrery_pytest.py\n")
file(WRITE ${CMAKE_BINARY_DIR}/icd "${Orrery_ICD}")
CMAKE
    printf 'orrery: 1\nchecks: {races: off}\n' >"$1/no_races.yaml"
    cat >"$1/linked.c" <<'C'
#include <orrery/orrery.h>
#include <stdio.h>
int main(void)
{
    char text[200] = "";
    if (orrery_load_scenario_text("orrery: 2\n", text, sizeof text) != ORRERY_BAD_SCENARIO)
        return 1;
    return orrery_new_findings(NULL, 0) != 0 || orrery_finding_count() != 0;
}
C
}

configured() { # DIRECTORY [OPTION...]
    local directory=$1
    shift
    cmake -S "$directory" -B "$directory/build" "$@" >"$work/log" 2>&1
}

verdict() { # TEST Passed|Failed
    grep -E "Test +#[0-9]+: $1 \.+.*$2" "$work/ctest" >/dev/null || fail "the test $1 has not $2" "$work/ctest"
}

works() { # PREFIX
    local project=$work/project
    rm -rf "$project"
    project "$project"
    configured "$project" -DCMAKE_PREFIX_PATH="$1" || { fail "cmake" "$work/log"; return; }
    cmake --build "$project/build" >"$work/log" 2>&1 || { fail "the build" "$work/log"; return; }
    ctest --test-dir "$project/build" --output-on-failure >"$work/ctest" 2>&1
    [ "$?" = 8 ] || fail "the status of ctest" "$work/ctest"
    verdict sum Failed
    verdict sum_fixed Passed
    verdict linked Passed
    verdict quiet Passed
    verdict nothing Failed
    verdict own_status Failed
    has "$work/ctest" 'error: race-local: .*'
    [ "$(head -1 "$project/build/variables")" = "$("$1/bin/orrery" --version | sed -n '1s/^orrery //p' | cut -d' ' -f1)" ] || fail "Orrery_VERSION" "$project/build/variables"
    sed 1d "$project/build/variables" | while read -r file; do [ -f "$file" ] || echo "$file"; done >"$work/missing"
    [ ! -s "$work/missing" ] || fail "variables name files that are missing" "$work/missing"
    # the variable for programs that are run without the command
    OCL_ICD_VENDORS=$(cat "$project/build/icd") "$project/build/sum_test" "$project/sum_fixed.cl" >"$work/log" 2>&1 || fail "Orrery_ICD" "$work/log"
    has "$work/log" '^orrery: SUMMARY errors=0 .*kernels=1 '
}

staged "$work/stage"
works "$prefix"

# A prefix is where its files were to be installed. The files that make writes for it are written anew, in a copy.
for name in OrreryConfig.cmake orrery.icd; do
    file=$(find "$work/stage" -name $name)
    sed -i "s|$(sed -n 's/^prefix=//p' "$build/lib/orrery.pc")|$prefix|g" "$file"
done
works "$prefix"
[ "$(cat "$work/project/build/icd")" = "$prefix/share/orrery" ] || fail "Orrery_ICD of a prefix" "$work/project/build/icd"

# Refusals, with a message.
refused() { # LINE EXPECTED
    rm -rf "$work/refused"
    mkdir "$work/refused"
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(refused NONE)\nset(CMAKE_SIZEOF_VOID_P 8)\n%s\n' "$1" >"$work/refused/CMakeLists.txt"
    configured "$work/refused" -DCMAKE_PREFIX_PATH="$prefix" && fail "not refused: $1" "$work/log"
    tr -s ' \n' ' ' <"$work/log" >"$work/words"
    has "$work/words" "$2"
}
refused 'find_package(Orrery REQUIRED)
orrery_add_test(NAME x)' 'expected NAME name COMMAND command .*found: NAME;x'
refused 'find_package(Orrery REQUIRED)
orrery_add_test(NAME x COMMAND y SCENARIO z.yaml)' 'x: there is no scenario .*refused/z.yaml'
refused 'find_package(Orrery 9 REQUIRED)' 'compatible with requested version "9"'
refused 'find_package(Orrery 0.0 REQUIRED)' 'compatible with requested version "0.0"'
mv "$(find "$work/stage" -name orrery.h)" "$work"
refused 'find_package(Orrery REQUIRED)' "orrery.h is missing: Orrery's installation is not complete"
[ "$bad" = 0 ] && echo "ok      a staged installation, a prefix, 5 refusals"
exit "$bad"
