#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzz target for some seconds; build them with --enable-fuzz first.
#
#     tests/fuzz/run.sh [-k] SECONDS [BUILD] [TARGET...]
#
# -k: go on after an input that fails; without it a target ends there. What the sanitizers say goes to
# BUILD/fuzz/TARGET.report.*.
# New inputs go to BUILD/fuzz/TARGET, what fails to BUILD/fuzz/TARGET-crash-*, its output to BUILD/fuzz/TARGET.log.
# Exit status 1: some target failed.
set -u
src=$(cd "$(dirname "$0")/../.." && pwd)
go_on=()
[ "${1:-}" != -k ] || { go_on=(-fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1); shift; }
seconds=${1:?usage: tests/fuzz/run.sh [-k] SECONDS [BUILD] [TARGET...]}
build=${2:-build}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- binary calls litmus module options replay run scenario suppressions threads topology xml

# Inputs of a target that has no corpus of its own.
corpus_of() {
    case $1 in
    run) echo module ;;
    threads) echo calls ;;
    *) echo "$1" ;;
    esac
}

# The files whose words a target reads.
sources_of() {
    case $1 in
    litmus) echo sim/litmus/litmus_{lexer,parser,c_parser,condition,printer}.c sim/base/memory_words.c include/orrery/litmus.h ;;
    options) echo sim/frontend/{options.def,options.c} sim/scenario/scenario_{option,rows,value}.c include/orrery/{check,scenario}.h ;;
    replay) echo sim/schedule/{replay,schedule_record,schedule}.c lib/api_runtime.c include/orrery/schedule.h ;;
    scenario | suppressions)
        echo sim/scenario/scenario.def sim/scenario/scenario_{parse,parse_expect,parse_launch,rows,value,values,image}.c \
            sim/topology/topology.def sim/report/suppression.c include/orrery/{check,scenario,report,image_format}.* ;;
    topology) echo sim/topology/{topology.def,topology.c,topology_parse.c,topology_text.c} ;;
    xml) echo sim/topology/topology_{import,build}.c ;;
    esac
}

# Strings of those files that are words, not sentences, and names of rows: a line each, as libFuzzer reads it.
dictionary_of() {
    local files
    read -ra files <<<"$(sources_of "$1")"
    [ ${#files[@]} -gt 0 ] || return 0
    (cd "$src" && grep -hoE '"[^"\\% ]{1,32}"|^ *[A-Z_]+\([A-Za-z0-9_]+,' "${files[@]}") |
        grep -vE '[.](h|def)"$' |
        sed -E 's/^ *[A-Z_]+\((.*),$/"\1"/' | LC_ALL=C sort -u
}

# Of calls each sequence leaves memory in caches, so that libFuzzer would look for leaks after each; the target counts objects
# itself. hwloc's reader of XML is a module of its own, gone when leaks are listed, and loses memory of inputs that it refuses.
options_of() {
    case $1 in
    calls | threads) echo "-detect_leaks=0 -max_len=1536 -len_control=0" ;;
    xml) echo "-detect_leaks=0" ;;
    esac
}

# So does the rest of hwloc.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'leak:libhwloc' >"$work/suppressions"
export LSAN_OPTIONS=suppressions=$work/suppressions:print_suppressions=0
failed=0

# What failed since this run began: with -fork the status is 0 all the same.
failed_inputs() {
    find "$build/fuzz" -maxdepth 1 -name "$1-*-*" ! -name '*-slow-unit-*' -newer "$work/words" | wc -l
}

# With -fork the last line of a log has the count.
inputs_of() {
    sed -nE 's/^Done ([0-9]*) runs.*|^#([0-9]+): cov.*/\1\2/p' "$build/fuzz/$1.log" | tail -1
}

for target; do
    program=$build/tests/fuzz/fuzz_$target
    [ -x "$program" ] || { echo "run.sh: no $program: configure with --enable-fuzz" >&2; exit 2; }
    mkdir -p "$build/fuzz/$target"
    dictionary_of "$target" >"$work/words"
    read -ra options < <(options_of "$target")
    [ ! -s "$work/words" ] || options+=(-dict="$work/words")
    # entropic=0: to count how rare each of 10^5 features is takes half of the time
    options+=("${go_on[@]}" -entropic=0 -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -close_fd_mask=1)
    status=0
    # libFuzzer drops the output of what it forks
    reports=${go_on[*]:+:log_path=$build/fuzz/$target.report}
    leaks=1
    [[ "${options[*]} " != *-detect_leaks=0\ * ]] || leaks=0
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1$reports
    export ASAN_OPTIONS=detect_leaks=$leaks:allocator_may_return_null=1$reports
    nice -n 15 "$program" "${options[@]}" -artifact_prefix="$build/fuzz/$target-" "$build/fuzz/$target" \
        "$src/tests/fuzz/corpus/$(corpus_of "$target")" > "$build/fuzz/$target.log" 2>&1 || status=$?
    if [ $status -eq 0 ] && [ "$(failed_inputs "$target")" -eq 0 ]; then
        echo "$target: $(inputs_of "$target") inputs, none fails"
    else
        echo "$target: fails with status $status, $(failed_inputs "$target") inputs; see $build/fuzz/$target.log"
        failed=1
    fi
done
exit $failed
