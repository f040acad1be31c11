#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The page of a litmus test: its outcomes are those of the command, what it calls forbidden is what the literature's verdicts call
# unreachable, and every execution on it is judged by relations that litmus_page.py makes from its events alone.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}") build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
python3=$(command -v python3) || { echo "no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

for folder in teaching rules mixes; do
    mkdir "$work/$folder"
    for test in "$src/scenarios/litmus/$folder"/*.litmus; do
        name=$(basename "$test" .litmus)
        timeout 120 "$orrery" litmus --json --html="$work/$folder/$name.html" "$test" >"$work/$folder/$name.json" 2>"$work/err"
        code=$?
        [ "$code" -le 1 ] && [ -s "$work/$folder/$name.html" ] || { echo "$folder/$name: status $code: $(cat "$work/err")"; bad=1; }
    done
    "$python3" "$src/tests/scripts/litmus_page.py" "$work/$folder" "$src/scenarios/litmus/$folder/verdicts.csv" || bad=1
done

# The same bytes each time; an earlier page is replaced, another file is not; one test, and one that is there.
test=$src/scenarios/litmus/teaching/mp_relaxed.litmus
"$orrery" litmus --html="$work/again.html" "$test" >/dev/null || bad=1
cmp -s "$work/again.html" "$work/teaching/mp_relaxed.html" || { echo "two pages of one test differ"; bad=1; }
"$orrery" litmus --html="$work/again.html" "$test" >/dev/null || { echo "an earlier page is not replaced"; bad=1; }
refused() { # WORDS COMMAND...
    local words=$1
    shift
    "$@" >/dev/null 2>"$work/err"
    [ $? = 2 ] && grep -q "$words" "$work/err" || { echo "$*: $(cat "$work/err"), expected $words"; bad=1; }
}
echo mine >"$work/mine"
refused "not such a report" "$orrery" litmus --html="$work/mine" "$test"
[ "$(cat "$work/mine")" = mine ] || { echo "a file was replaced"; bad=1; }
refused "found a second test" "$orrery" litmus --html="$work/two.html" "$test" "$test"
refused "expected neither" "$orrery" litmus --print --html="$work/two.html" "$test"
refused "No such file" "$orrery" litmus --html="$work/no/such/folder.html" "$test"
"$orrery" litmus --force --html="$work/mine" "$test" >/dev/null || { echo "--force does not replace"; bad=1; }
bash "$src/tests/scripts/page_fits.sh" "$src" "$work"/*/*.html || { echo "data of other types"; bad=1; }
exit "$bad"
