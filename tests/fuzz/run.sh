#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs each fuzz target for some seconds; build them with --enable-fuzz first.
#
#     tests/fuzz/run.sh SECONDS [BUILD] [TARGET...]
#
# New inputs go to BUILD/fuzz/TARGET, what fails to BUILD/fuzz/TARGET-crash-*, its output to BUILD/fuzz/TARGET.log.
# Exit status 1: some target failed.
set -u
src=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:?usage: tests/fuzz/run.sh SECONDS [BUILD] [TARGET...]}
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

# A sequence of calls leaves memory in caches, so that libFuzzer would look for leaks after each; the target
# counts objects itself.
options_of() {
    case $1 in
    calls | threads) echo "-detect_leaks=0 -max_len=1536 -len_control=0" ;;
    esac
}

# hwloc loses memory of inputs that it refuses.
suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
echo 'leak:libhwloc' >"$suppressions"
export LSAN_OPTIONS=suppressions=$suppressions:print_suppressions=0 UBSAN_OPTIONS=halt_on_error=1 ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
failed=0
for target; do
    program=$build/tests/fuzz/fuzz_$target
    [ -x "$program" ] || { echo "run.sh: no $program: configure with --enable-fuzz" >&2; exit 2; }
    mkdir -p "$build/fuzz/$target"
    read -ra options < <(options_of "$target")
    if nice -n 15 "$program" "${options[@]}" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -close_fd_mask=1 \
        -artifact_prefix="$build/fuzz/$target-" "$build/fuzz/$target" "$src/tests/fuzz/corpus/$(corpus_of "$target")" \
        > "$build/fuzz/$target.log" 2>&1; then
        echo "$target: $(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$build/fuzz/$target.log" | tail -1) inputs, none fails"
    else
        echo "$target: fails, see $build/fuzz/$target.log"
        failed=1
    fi
done
exit $failed
