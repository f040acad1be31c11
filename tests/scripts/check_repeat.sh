#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Same program, same scenario, same seed: same bytes. Runs every scenario twice, the second time with another build
# (or a copy of the command in another place), another working directory, environment size and address-space layout.
# check_repeat.sh [BUILD [OTHER-BUILD]]; REPEAT_OTHER_BUILD is another one for the suite. A sanitizer's build compares nothing,
# since what differs there differs without it: each scenario runs once under each policy that is not its own (that is a test
# of the suite), and the sanitizer has nothing to say.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
build=$(realpath "${1:-${ORRERY_BUILDDIR:-build}}")
[ -x "$build/orrery" ] || { echo "no orrery command in $build"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ORRERY_CACHE_DIR=$(realpath -m "${ORRERY_CACHE_DIR:-$work/cache}")
export ORRERY_CACHE_DIR

other=${2:-${REPEAT_OTHER_BUILD:-}}
if [ -n "$other" ]; then
    other=$(realpath "$other")/orrery
else
    mkdir "$work/elsewhere"
    other=$work/elsewhere/orrery
    cp "$build/orrery" "$other"
fi
bad=0 count=0
no_aslr=
setarch -R true 2>/dev/null && no_aslr="setarch -R"

programs() { (cd "$src" && find "$@" -name '*.yaml' -exec grep -l '^program:' {} + | LC_ALL=C sort); } # DIRECTORY...

# result PREFIX COMMAND...: what it prints and ends with
result() {
    local prefix=$1
    shift
    "$@" >"$prefix.out" 2>"$prefix.err" </dev/null
    echo "status $?" >>"$prefix.out"
}

if grep -q '^#define ORRERY_LOOPING' "$build/config.h"; then
    for scenario in $(programs scenarios); do
        for policy in random round-robin; do
            result "$work/one" "$build/orrery" run --schedule "$policy" --seed 1 --quantum 3 --json "$work/one.json" "$src/$scenario"
            grep -hE 'Sanitizer|runtime error' "$work/one.err" && echo "$scenario, $policy" && bad=1
        done
        count=$((count + 2))
    done
    echo "$count runs"
    [ "$count" -gt 0 ] || exit 77
    exit "$bad"
fi

# with_every_policy OUT RUN...
with_every_policy() {
    local out=$1 scenario name policy
    shift
    mkdir "$out"
    for scenario in $(programs scenarios); do
        name=$out/${scenario//\//:}
        result "$name" "$@" --json "$name.json" "$src/$scenario"
        for policy in random round-robin; do
            result "$name.$policy" "$@" --schedule "$policy" --seed 1 --quantum 3 --json "$name.$policy.json" "$src/$scenario"
            result "$name.$policy.seed" "$@" --schedule "$policy" --seed 20261120 --json "$name.$policy.seed.json" "$src/$scenario"
        done
    done
}

(cd "$src" && with_every_policy "$work/first" "$build/orrery" run) &
# Compiles for itself: a cached build may not differ from a fresh one.
(cd "$work" && PADDING=$(printf '%4000s' x) && ORRERY_CACHE_DIR=$work/other-cache && export PADDING &&
    with_every_policy "$work/second" $no_aslr "$other" run)
wait
diff -ru "$work/first" "$work/second" || bad=1
count=$(find "$work/first" -name '*.out' | wc -l)
# What races, is misused or waits for ever: twenty times, in every form of the report.
in_every_form() { # OUT
    local scenario name
    mkdir "$1"
    for scenario in $found; do
        name=$1/${scenario//\//:}
        result "$name" "$build/orrery" run --json "$name.json" --sarif "$name.sarif" --dot "$name.dot" "$scenario"
    done
}
cd "$src" || exit 1
found=
for scenario in $(programs scenarios/racy scenarios/faulty scenarios/schedule scenarios/concurrent); do
    grep -q '"type":"finding"' "$work/first/${scenario//\//:}.json" && found="$found $scenario"
done
in_every_form "$work/once"
forms=$(find "$work/once" -name '*.dot' -size +0 | wc -l)
for ((run = 2; run <= 20; run++)); do
    in_every_form "$work/again"
    diff -r "$work/once" "$work/again" || { echo "run $run differs"; bad=1; }
    rm -r "$work/again"
done
[ "$forms" -gt 0 ] || { echo "no graph was drawn"; bad=1; }
echo "$count runs, twice each; $forms graphs, twenty times each"
[ "$count" -gt 0 ] || exit 77
exit "$bad"
