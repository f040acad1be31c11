#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Same program, same scenario, same seed: same bytes. Runs every scenario twice, the second time with another build
# (or a copy of the command in another place), another working directory, environment size and address-space layout.
# check_repeat.sh [BUILD [OTHER-BUILD]]: with another build only the two are compared.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
build=$(realpath "${1:-${ORRERY_BUILDDIR:-build}}")
[ -x "$build/orrery" ] || { echo "no orrery command in $build"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ $# -ge 2 ]; then
    other=$(realpath "$2")/orrery
else
    mkdir "$work/elsewhere"
    other=$work/elsewhere/orrery
    cp "$build/orrery" "$other"
fi
no_aslr=
setarch -R true 2>/dev/null && no_aslr="setarch -R"

run_first() { (cd "$src" && ORRERY_CACHE_DIR=$work/cache "$build/orrery" "$@"); }
# Compiles for itself: a cached build may not differ from a fresh one.
run_second() { (cd "$work" && PADDING=$(printf '%4000s' x) ORRERY_CACHE_DIR=$work/other-cache $no_aslr "$other" "$@"); }

bad=0
count=0
same_twice() { # SCENARIO OPTION...
    local scenario=$1 run part
    shift
    for run in first second; do
        "run_$run" run "$@" --json "$work/$run.json" "$src/$scenario" >"$work/$run.out" 2>"$work/$run.err" </dev/null
        echo "status $?" >>"$work/$run.out"
        touch "$work/$run.json"
    done
    for part in out err json; do
        diff -u "$work/first.$part" "$work/second.$part" || { echo "$scenario $*: $part differs"; bad=1; }
    done
    rm -f "$work"/*.json
    count=$((count + 1))
}

while read -r scenario; do
    grep -q '^program:' "$src/$scenario" || continue
    same_twice "$scenario"
    for policy in random round-robin; do
        same_twice "$scenario" --schedule "$policy" --seed 1 --quantum 3
        same_twice "$scenario" --schedule "$policy" --seed 20261120
    done
done < <(cd "$src" && find scenarios -name '*.yaml' | LC_ALL=C sort)
# What races, is misused or waits for ever: twenty times, in every form of the report.
again() { # SCENARIO DIRECTORY
    mkdir -p "$2"
    (cd "$src" && ORRERY_CACHE_DIR=$work/cache "$build/orrery" run --json "$2/json" --sarif "$2/sarif" --dot "$2/dot" "$1" \
        >"$2/out" 2>"$2/err" </dev/null
     echo "status $?" >>"$2/out")
}
forms=0
# A sanitizer's run is slow, and what differs there differs here.
if [ $# -lt 2 ] && ! grep -q '^#define ORRERY_LOOPING' "$build/config.h"; then
    while read -r scenario; do
        grep -q '^program:' "$src/$scenario" || continue
        again "$scenario" "$work/once"
        forms=$((forms + $(find "$work/once" -name dot -size +0 | wc -l)))
        for ((run = 2; run <= 20; run++)); do
            again "$scenario" "$work/again"
            diff -r "$work/once" "$work/again" || { echo "$scenario: run $run differs"; bad=1; }
            rm -r "$work/again"
        done
        rm -r "$work/once"
    done < <(cd "$src" && find scenarios/racy scenarios/faulty scenarios/schedule scenarios/concurrent -name '*.yaml' | LC_ALL=C sort)
    [ "$forms" -gt 0 ] || { echo "no graph was drawn"; bad=1; }
fi
echo "$count runs, twice each; $forms graphs, twenty times each"
[ "$count" -gt 0 ] || exit 77
exit "$bad"
