#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every row of a table is complete: it has its handler, its test and its line in the manual. Rows are looked up a table at a time: a
# process for each row took a minute.
# shellcheck disable=SC2001 # the texts have many lines
set -u
src=${ORRERY_SRCDIR:-.} build=${ORRERY_BUILDDIR:-build}
bad=0
rows=0

lacks() { # ROW WHAT; a missing file lacks hundreds, twenty are enough to see it
    bad=$((bad + 1))
    [ "$bad" -gt 20 ] || echo "$1: $2"
}

# words FILE...: their words, each once
words() { cat "$@" 2>/dev/null | sed 's/\\-/-/g' | LC_ALL=C grep -oE '[[:alnum:]_-]+' | LC_ALL=C awk '!seen[$0]++'; }

# without_suffixes: the words of stdin, and what they are suffixed names of, as clFinish_waits is one of clFinish
without_suffixes() {
    LC_ALL=C awk '{
        print
        if (!/-/)
            for (at = length($0) - 1; at > 1; at--)
                if (substr($0, at, 1) == "_") print substr($0, 1, at - 1)
    }'
}

# in_text KIND WHAT FILE...: each name of stdin is a word of one of the files; KIND NAME lacks WHAT otherwise
in_text() {
    local kind=$1 what=$2 name
    shift 2
    while read -r name; do lacks "$kind${kind:+ }$name" "$what"; done < <(awk 'NR == FNR { word[$0]; next } !($0 in word)' <(words "$@") -)
}

first_column() { # MACRO FILE -> first argument of each row
    sed -n "s/^[[:space:]]*$1(\([A-Za-z0-9_]*\).*/\1/p" "$2"
}

# take NAMES: counts the rows of a table
take() { [ -z "$1" ] || rows=$((rows + $(wc -l <<<"$1"))); }

# Findings: a section in the manual.
if [ -f "$src/man/orrery-findings.7" ]; then
    findings=$(sed -n 's/^ *KIND([A-Z_]*, *"\([a-z-]*\)".*/\1/p' "$src/include/orrery/report.h")
    take "$findings"
    in_text finding "not in orrery-findings(7)" "$src/man/orrery-findings.7" <<<"$findings"
fi

# Each finding names its check in the manual; each check is a key there and has an option.
declare -A check_of
while read -r id check; do check_of[$id,$check]=1; done < <(sed -n 's/^\.Ss \([a-z-]*\)$/section \1/p; s/^\.Ic \([a-z]*\) \.$/\1/p' "$src/man/orrery-findings.7" |
    awk '/^section / { id = $2; next } id { print id, $1 }')
while read -r id check; do
    rows=$((rows + 1))
    [ -n "${check_of[$id,$check]-}" ] || lacks "finding $id" "its check is not $check in orrery-findings(7)"
done < <(sed -n 's/^ *KIND([A-Z_]*, *"\([a-z-]*\)", *\([A-Z]*\),.*/\1 \L\2/p' "$src/include/orrery/report.h")
checks=$(sed -n 's/^ *CHECK([A-Z]*, *"\([a-z]*\)".*/\1/p' "$src/include/orrery/check.h")
take "$checks"
for check in $checks; do
    grep -q "^\.It Ic $check Pq" "$src/man/orrery-scenario.5" || lacks "check $check" "no key in orrery-scenario(5)"
done
sed 's/^/--check-/' <<<"$checks" | in_text option "not in orrery(1)" "$src/man/orrery.1"
scenario_tests=("$src"/tests/sim/check_{scenario,scenario_launches,options}.c)
in_text check "not in check_scenario.c or check_options.c" "${scenario_tests[@]}" <<<"$checks"

# Extensions: a line in the manual, and a test that names each.
if [ -f "$src/lib/api_device.c" ] && [ -f "$src/man/orrery-extensions.7" ]; then
    extensions=$(sed -n 's/^ *EXTENSION("\([a-z0-9_]*\)".*/\1/p' "$src/lib/api_device.c")
    take "$extensions"
    in_text extension "not in orrery-extensions(7)" "$src/man/orrery-extensions.7" <<<"$extensions"
    in_text extension "no test names it" "$src"/tests/*/*.[ch] "$src"/tests/*/*.sh "$src"/scenarios/*/* <<<"$extensions"
fi

# Scenario keys: a line in the manual, a use in the test.
if [ -f "$src/sim/scenario/scenario.def" ] && [ -f "$src/man/orrery-scenario.5" ]; then
    keys=$(sed -n 's/^[A-Z_]*("\([A-Za-z0-9_.-]*\)".*/\1/p' "$src/sim/scenario/scenario.def")
    take "$keys"
    keys=$(sed 's/.*\.//' <<<"$keys")
    in_text "scenario key" "not in orrery-scenario(5)" "$src/man/orrery-scenario.5" <<<"$keys"
    in_text "scenario key" "not in check_scenario*.c or check_options.c" "${scenario_tests[@]}" <<<"$keys"
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
    names=$(first_column API "$src/lib/api.h")
    take "$names"
    in_text "" "no slot in dispatch.c, no mention in icd.c" <(words "$src"/lib/dispatch.c "$src"/lib/icd.c | sed -nE 's/^(api|entry)_//p') <<<"$names"
    # Extensions are reached through clGetExtensionFunctionAddressForPlatform.
    names=$(grep -vE '(EXT|KHR)$|GL' <<<"$names")
    in_text "" "not in icd.sym" "$src/lib/icd.sym" <<<"$names"
    in_text "" "no test names it" <(words "$src"/tests/*/check_*.c | without_suffixes) <<<"$names"
fi

# Commands: run and drop functions, used by the table in command.c; the linker checks that they exist.
if [ -f "$build/.libs/liborrery.so" ] && ls "$src"/tests/lib/check_enqueue*.c >/dev/null 2>&1; then
    names=$(first_column COMMAND "$src/lib/command.def" | sed 's/^/CL_COMMAND_/')
    take "$names"
    in_text "command" "no test names it" "$src"/tests/*/*.c <<<"$names"
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
    declare -A has
    while IFS=: read -r version query; do has[$version,$query]=1; done < <(cd "$header" && grep . -- *)
    while read -r query major minor; do
        rows=$((rows + 1))
        since=$major${minor}0
        for version in 120 200 210 220 300; do [ "$version" -ge "$since" ] || before=$version; done
        [ -n "${has[$since,$query]-}" ] || lacks "query $query" "cl.h of $major.$minor does not have it"
        [ -z "${has[$before,$query]-}" ] || lacks "query $query" "cl.h of $before has it already"
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
    options=$("$build/orrery" run --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sort -u)
    take "$options"
    in_text option "not in orrery(1)" "$src/man/orrery.1" <<<"$options"
fi

echo "$rows rows, $bad incomplete"
[ "$bad" = 0 ]
