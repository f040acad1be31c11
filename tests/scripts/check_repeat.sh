#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Same program, same scenario, same seed: same bytes. Every scenario runs twice, the second time with another build (or a copy of the
# command in another place), another working directory, environment size and address-space layout: alone, with every form of the
# report, and among all the others in one process, under other policies, the second time in the reverse order. What has findings
# runs three times more. CHECK_REPEAT_ALL=1: twenty times more, and under four other policies instead of two.
# check_repeat.sh [BUILD [OTHER-BUILD]]; REPEAT_OTHER_BUILD is another one for the suite. A sanitizer's build takes long to start and
# runs all scenarios in one process only, under each policy that is not their own: the sanitizer has nothing to say, and the other
# build, which is not sanitized, writes the same bytes.
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
    [ ! -x "$build/orrery-compile-server" ] || cp -r "$build/orrery-compile-server" "$build/precompiled" "$work/elsewhere/"
fi
bad=0 count=0
no_aslr=()
setarch -R true 2>/dev/null && no_aslr=(setarch -R)

programs() { (cd "$src" && find "$@" -name '*.yaml' -exec grep -l '^program:' {} + | LC_ALL=C sort); } # DIRECTORY...

# result PREFIX COMMAND...: what it prints and ends with
result() {
    local prefix=$1
    shift
    "$@" >"$prefix.out" 2>"$prefix.err" </dev/null
    echo "status $?" >>"$prefix.out"
}

# The limit on kernels that kernels enqueue is far away: what reaches it is not run again and again.
long='scenarios/faulty/endless_children\.yaml$'

# together OUT COMMAND POLICY-OPTION... -- SCENARIO...: all of them in one process, its lines sorted. Without the limit of time that
# `check` has, which is of another machine than the results.
together() {
    local out=$1 command=$2 options=()
    shift 2
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    "$command" check --timeout=0 --json="$out.json" "${options[@]}" "$@" >"$out.out" 2>"$out.err" </dev/null
    local status=$?
    [ "$status" -le 2 ] || [ "$status" = 66 ] || { echo "$out: status $status"; bad=1; }
    sort -o "$out.json" "$out.json"
}

# Half of the time of all under other policies: their own is enough.
slow='scenarios/(racy/lock_history|schedule/many_wait_for_last|racy/async_copy_waves(_apart)?)\.yaml$'

policies=("--schedule random --seed 1 --quantum 3" "--schedule round-robin --seed 1 --quantum 3") times=3
if [ -n "${CHECK_REPEAT_ALL:-}" ]; then
    policies+=("--schedule random --seed 20261120" "--schedule round-robin --seed 20261120") times=20
fi

cd "$src" || exit 99
mapfile -t scenarios < <(programs scenarios | grep -v "$long")
count=$((${#scenarios[@]} * 2))
if grep -q '^#define ORRERY_LOOPING' "$build/config.h"; then
    for policy in "${policies[@]}"; do
        # shellcheck disable=SC2086
        together "$work/one" "$build/orrery" $policy -- "${scenarios[@]}"
        grep -hE -A20 'Sanitizer|runtime error' "$work/one.err" && echo "$policy" && bad=1
        [ "$(grep -c '^{"type":"scenario"' "$work/one.json")" = "${#scenarios[@]}" ] || { echo "$policy: it did not come to its end"; tail "$work/one.err"; bad=1; }
        [ -n "${2:-${REPEAT_OTHER_BUILD:-}}" ] || continue
        # shellcheck disable=SC2086
        together "$work/other" "$other" $policy -- "${scenarios[@]}"
        diff -u "$work/one.json" "$work/other.json" || bad=1
    done
    echo "$count runs"
    [ "$count" -gt 0 ] || exit 77
    exit "$bad"
fi

# each OUT COMMAND [PREFIX...]: each scenario in a process of its own, with every form of the report
each() {
    local out=$1 scenario name
    shift
    mkdir "$out"
    for scenario in "${scenarios[@]}" $(programs scenarios | grep "$long"); do
        name=$out/${scenario//\//:}
        result "$name" "$@" run --json "$name.json" --sarif "$name.sarif" --dot "$name.dot" "$scenario"
    done
}

# Compiles for itself: a cached build may not differ from a fresh one. All in one process, whose compile server starts once.
(
    PADDING=$(printf '%4000s' x) ORRERY_CACHE_DIR=$work/other-cache
    export PADDING ORRERY_CACHE_DIR
    "$other" check --timeout=0 "${scenarios[@]}" >"$work/compiled.out" 2>&1 </dev/null
    each "$work/second" "${no_aslr[@]}" "$other"
) &
each "$work/first" "$build/orrery"
wait
diff -ru "$work/first" "$work/second" || bad=1
mapfile -t forwards < <(printf '%s\n' "${scenarios[@]}" | grep -vE "$slow")
mapfile -t backwards < <(printf '%s\n' "${forwards[@]}" | tac)
for policy in "${policies[@]}"; do
    # shellcheck disable=SC2086
    (PADDING=$(printf '%4000s' x) && export PADDING && together "$work/backwards" "$other" $policy -- "${backwards[@]}"; exit "$bad") &
    # shellcheck disable=SC2086
    together "$work/forwards" "$build/orrery" $policy -- "${forwards[@]}"
    wait $! || bad=1
    diff -u "$work/forwards.json" "$work/backwards.json" || bad=1
    [ "$(grep -c '^{"type":"scenario"' "$work/forwards.json")" = "${#forwards[@]}" ] || { echo "$policy: not every scenario ran"; bad=1; }
done

# What races, is misused or waits for ever.
found=()
for scenario in "${scenarios[@]}"; do
    case $scenario in scenarios/racy/* | scenarios/faulty/* | scenarios/schedule/* | scenarios/concurrent/*) ;; *) continue ;; esac
    grep -q '"type":"finding"' "$work/first/${scenario//\//:}.json" && found+=("$scenario")
done
forms=$(find "$work/first" -name '*.dot' -size +0 | wc -l)
together "$work/once" "$build/orrery" -- "${found[@]}"
for ((run = 2; run <= times; run++)); do
    together "$work/again" "$build/orrery" -- "${found[@]}"
    diff -u "$work/once.json" "$work/again.json" || { echo "run $run differs"; bad=1; }
done
[ "$forms" -gt 0 ] || { echo "no graph was drawn"; bad=1; }
echo "${#scenarios[@]} scenarios, twice alone and under ${#policies[@]} policies; ${#found[@]} with findings, $times times more; $forms graphs"
[ "$count" -gt 0 ] || exit 77
exit "$bad"
