#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every row of a table is complete: it has its handler, its test and its line in the manual.
set -u
src=${ORRERY_SRCDIR:-.} build=${ORRERY_BUILDDIR:-build}
bad=0
rows=0

lacks() { # ROW WHAT; a missing file lacks hundreds, twenty are enough to see it
    bad=$((bad + 1))
    [ "$bad" -gt 20 ] || echo "$1: $2"
}

# in_text NAME FILE...: the word stands in one of the files
in_text() {
    local name=$1
    shift
    cat "$@" 2>/dev/null | sed 's/\\-/-/g' | grep -qE -- "(^|[^[:alnum:]_-])$name([^[:alnum:]_-]|\$)"
}

first_column() { # MACRO FILE -> first argument of each row
    sed -n "s/^[[:space:]]*$1(\([A-Za-z0-9_]*\).*/\1/p" "$2"
}

# Findings: a section in the manual.
if [ -f "$src/man/orrery-findings.7" ]; then
    for id in $(sed -n 's/^ *KIND([A-Z_]*, *"\([a-z-]*\)".*/\1/p' "$src/include/orrery/report.h"); do
        rows=$((rows + 1))
        in_text "$id" "$src/man/orrery-findings.7" || lacks "finding $id" "not in orrery-findings(7)"
    done
fi

# Each finding names its check in the manual; each check is a key there and has an option.
while read -r id check; do
    rows=$((rows + 1))
    sed -n "/^\.Ss $id\$/,/^\.Ss/p" "$src/man/orrery-findings.7" | grep -qx "\.Ic $check \." || lacks "finding $id" "its check is not $check in orrery-findings(7)"
done < <(sed -n 's/^ *KIND([A-Z_]*, *"\([a-z-]*\)", *\([A-Z]*\),.*/\1 \L\2/p' "$src/include/orrery/report.h")
for check in $(sed -n 's/^ *CHECK([A-Z]*, *"\([a-z]*\)".*/\1/p' "$src/include/orrery/check.h"); do
    rows=$((rows + 1))
    grep -q "^\.It Ic $check Pq" "$src/man/orrery-scenario.5" || lacks "check $check" "no key in orrery-scenario(5)"
    in_text "--check-$check" "$src/man/orrery.1" || lacks "check $check" "no option in orrery(1)"
    in_text "$check" "$src/tests/sim/check_scenario.c" || lacks "check $check" "not in check_scenario.c"
done

# Extensions: a line in the manual, and a test that names each.
if [ -f "$src/lib/api_device.c" ] && [ -f "$src/man/orrery-extensions.7" ]; then
    for name in $(sed -n 's/^ *EXTENSION("\([a-z0-9_]*\)".*/\1/p' "$src/lib/api_device.c"); do
        rows=$((rows + 1))
        in_text "$name" "$src/man/orrery-extensions.7" || lacks "extension $name" "not in orrery-extensions(7)"
        in_text "$name" "$src"/tests/*/*.[ch] "$src"/tests/*/*.sh "$src"/scenarios/*/* || lacks "extension $name" "no test names it"
    done
fi

# Scenario keys: a line in the manual, a use in the test.
if [ -f "$src/sim/scenario/scenario.def" ] && [ -f "$src/man/orrery-scenario.5" ]; then
    for key in $(sed -n 's/^[A-Z_]*("\([A-Za-z0-9_.-]*\)".*/\1/p' "$src/sim/scenario/scenario.def"); do
        rows=$((rows + 1))
        in_text "${key##*.}" "$src/man/orrery-scenario.5" || lacks "scenario key $key" "not in orrery-scenario(5)"
        in_text "${key##*.}" "$src/tests/sim/check_scenario.c" || lacks "scenario key $key" "not in check_scenario.c"
    done
fi

# Keys of launches, arguments, findings and so on: marked as one in the manual, a section of it, or in a form such as {key: N}.
for key in $(sed -n 's/^    {"[a-z]*", "[^"]*", {\(".*"\)}},$/\1/p' "$src/sim/scenario/scenario_reader.c" | tr -d '",'); do
    rows=$((rows + 1))
    grep -qE "^\.(It )?Ic (.* )?$key( |\$)|^\.Ss (.*: )?$key\$|[{ ]$key: [A-Z]" "$src/man/orrery-scenario.5" ||
        lacks "scenario key $key" "no key in orrery-scenario(5)"
done

# The control API: each function in its manual.
for name in $(sed -n 's/^\(orrery_[a-z_]*\)_fn orrery_.*/\1/p' "$src/include/orrery/orrery.h"); do
    rows=$((rows + 1))
    grep -q "^\.Fn $name " "$src/man/orrery.3" || lacks "$name" "not in orrery(3)"
done

# API: a slot in the dispatch table, an exported symbol, a test that names it.
if [ -f "$src/lib/dispatch.c" ]; then
    for name in $(first_column API "$src/lib/api.h"); do
        rows=$((rows + 1))
        in_text "(api|entry)_$name" "$src"/lib/dispatch.c "$src"/lib/icd.c || lacks "$name" "no slot in dispatch.c, no mention in icd.c"
        # Extensions are reached through clGetExtensionFunctionAddressForPlatform.
        case $name in *EXT | *KHR | *GL*) continue ;; esac
        in_text "$name" "$src/lib/icd.sym" || lacks "$name" "not in icd.sym"
        in_text "$name(_[a-zA-Z0-9_]+)?" "$src"/tests/*/check_*.c || lacks "$name" "no test names it"
    done
fi

# Commands: run and drop functions, used by the table in command.c; the linker checks that they exist.
if [ -f "$build/.libs/liborrery.so" ] && ls "$src"/tests/lib/check_enqueue*.c >/dev/null 2>&1; then
    for name in $(first_column COMMAND "$src/lib/command.def"); do
        rows=$((rows + 1))
        grep -qE "CL_COMMAND_$name\b" "$src"/tests/*/*.c || lacks "command $name" "no test names CL_COMMAND_$name"
    done
fi

# Operations: a handler in each build, and a place in the operation tests' table.
if ls "$src"/sim/interp/exec_*.c >/dev/null 2>&1 && [ -f "$build/sim/interp/libisa0_a-exec_table.o" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    printf '#define OP(name, text) @name\n#include "%s"\n' "$(realpath "$src/sim/interp/op.def")" |
        ${CC:-cc} -E -P -x c - | grep -oE '@ *[A-Za-z0-9_]+' | tr -d '@ ' | sort -u >"$work/ops"
    for isa in 0 1 2; do
        [ -f "$build/sim/interp/libisa${isa}_a-exec_table.o" ] || continue
        nm "$build/sim/interp/libisa${isa}"_a-*.o 2>/dev/null | sed -n "s/.* T exec_\(.*\)_isa$isa\$/\1/p" | sort -u >"$work/handlers"
        for op in $(comm -23 "$work/ops" "$work/handlers"); do
            lacks "operation $op" "no handler exec_${op}_isa$isa"
        done
    done
    rows=$((rows + $(wc -l <"$work/ops")))
fi


# Queries of later versions: cl.h shows them to that version, and not to the one before.
header=$(mktemp -d)
for version in 120 200 210 220 300; do
    echo '#include <CL/cl.h>' | ${CC:-cc} -E -dM -DCL_TARGET_OPENCL_VERSION=$version - 2>/dev/null | sed -n 's/^#define \(CL_[A-Z0-9_]*\).*/\1/p' >"$header/$version"
done
if [ -s "$header/300" ]; then
    while read -r query major minor; do
        rows=$((rows + 1))
        since=$major${minor}0 before=$(find "$header" -type f -printf '%f\n' | sort -n | awk -v since="$major${minor}0" '$1 < since' | tail -1)
        grep -qx "$query" "$header/$since" || lacks "query $query" "cl.h of $major.$minor does not have it"
        ! grep -qx "$query" "$header/$before" || lacks "query $query" "cl.h of $before has it already"
    done < <(sed -n 's/^SINCE(\([A-Z0-9_]*\), \([0-9]\), \([0-9]\),.*/\1 \2 \3/p' "$src/lib/version.def")
    for query in $(sort "$header/300" | comm -23 - <(sort "$header/120") | grep -xFf <(sed -n 's/^[A-Z]*(\(CL_DEVICE_[A-Z0-9_]*\),.*/\1/p' "$src/lib/device_info.def")); do
        grep -q "^SINCE($query," "$src/lib/version.def" ||
            case $query in *_WITH_VERSION | *_NUMERIC_VERSION | CL_DEVICE_QUEUE_ON_HOST_PROPERTIES) ;; *) lacks "query $query" "of a later version than 1.2, and not in version.def" ;; esac
    done
fi
rm -r "$header"

# Costs of simulated time: the number in the manual.
for cost in $(sed -n 's/^ *COST(\([A-Z_]*, [0-9]*\)).*/\1/p' "$src/sim/base/clock.h" "$src/sim/interp/cost.h" | tr -d ' '); do
    rows=$((rows + 1))
    grep -qx ".It ${cost#*,}" "$src/man/orrery-topology.5" || lacks "cost ${cost%,*}" "${cost#*,} is not in orrery-topology(5)"
done

# Options: every long option of the command in its manual.
if [ -x "$build/orrery" ] && [ -f "$src/man/orrery.1" ]; then
    for option in $("$build/orrery" run --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
        rows=$((rows + 1))
        in_text "$option" "$src/man/orrery.1" || lacks "option $option" "not in orrery(1)"
    done
fi

echo "$rows rows, $bad incomplete"
[ "$bad" = 0 ]
