#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `make html`: each file of scenarios/lessons is there, the index links a page of each program, and nothing is missing without an
# error. Pages are made of the shortest lessons only: check_page.sh and check_litmus_page.sh look at what is on them.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

lessons=$(grep -v '^#' "$src/scenarios/lessons")
while IFS='|' read -r number title broken fixed; do
    [ -n "$number" ] && [ -n "$title" ] && [ -n "$fixed" ] || fail "not four fields: $number|$title|$broken|$fixed"
    for file in $broken $fixed; do
        [ -e "$src/scenarios/${file#-}" ] || fail "lesson $number: there is no ${file#-}"
    done
done <<<"$lessons"

# A lesson of each kind of page.
mkdir "$work/scenarios"
ln -s "$src"/scenarios/{clean,racy,faulty,litmus} "$work/scenarios/"
grep '^[14] \|sub_group_flag' "$src/scenarios/lessons" >"$work/scenarios/lessons"
timeout 300 "$src/tools/lesson_pages.sh" "$build/orrery" "$work/scenarios" "$work/html" || fail "lesson_pages.sh: status $?"
links=$(grep -o 'href="[^"]*"' "$work/html/index.html" | sed 's/href="\(.*\)"/\1/' | sort -u)
[ "$(echo "$links" | wc -l)" = 8 ] || fail "not 8 links: $links"
[ "$(cd "$work/html" && printf '%s\n' ./*.html | sed 's,^./,,; /^index.html$/d')" = "$links" ] || fail "pages: $(ls "$work/html"), links: $links"
for page in $links; do
    grep -q '</html>' "$work/html/$page" || fail "$page does not end"
done
grep -q 'a long run: orrery run faulty/sub_group_flag.yaml' "$work/html/index.html" || fail "the long run is not named"
grep -q 'race-global' "$work/html/racy-mp_plain.html" || fail "the page of a plain flag has no race"

echo '1 | A file that is not there | racy/no_such.yaml | clean/atomics.yaml' >"$work/scenarios/lessons"
"$src/tools/lesson_pages.sh" "$build/orrery" "$work/scenarios" "$work/html" 2>"$work/err" && fail "a missing file is passed over"
grep -q 'there is no racy/no_such.yaml' "$work/err" || fail "a missing file: $(cat "$work/err")"
[ ! -e "$work/html/index.html" ] || fail "an index is left that is not whole"
exit $failed
