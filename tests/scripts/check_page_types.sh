#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The scripts of the pages fit the types of their data (sim/page/page_types.d.ts): TypeScript checks them
# strictly, and refuses a wrong line in each of four. The pages themselves have no comments of types.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
command -v tsc >/dev/null || { echo "no tsc (node-typescript)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# A copy of both projects with these wrong lines at the end of their files. That nothing else is refused shows that the scripts fit.
mkdir -p "$work/sim/page" "$work/tools/serve"
cp "$src"/sim/page/page_* "$src/sim/page/tsconfig.json" "$work/sim/page"
cp "$src"/tools/serve/serve_page.js "$src/tools/serve/tsconfig.json" "$work/tools/serve"
chmod -R u+w "$work"
while read -r file text; do
    echo "$text" >>"$work/$file" || bad=1
    echo "${file##*/}($(wc -l <"$work/$file"),"
done >"$work/wanted" <<'LINES'
sim/page/page_steps.js function wrongMember(/** @type {Step} */ step) { return step.ofset; }
sim/page/page_litmus.js function wrongWord() { return say("didReed"); }
sim/page/page_memory.js function wrongNull() { return document.getElementById("data").id; }
tools/serve/serve_page.js function wrongAnswer(/** @type {Answer} */ answer) { return answer.pages; }
LINES
for project in sim/page tools/serve; do
    tsc -p "$work/$project"
done >"$work/refused"
sed -n '/error TS/s!^\(.*/\)*\([a-z_]*\.js([0-9]*,\)[0-9]*): error TS.*!\2!; /^[^ ]/p' "$work/refused" | sort >"$work/found"
sort "$work/wanted" | diff - "$work/found" || { echo "refused by tsc, where > is not expected and < is not refused:"; cat "$work/refused"; bad=1; }

# What page.awk drops, and what it keeps.
cat >"$work/part" <<'TEXT'
/** @param {Step} step */
/* kept */
/**
 * @param {Step} step
 */
call(/** kept */ 1); /** kept */
TEXT
echo '@INCLUDE part@' >"$work/page"
printf '"/* kept */",\n"call(/** kept */ 1); /** kept */",\n' >"$work/wanted"
awk -v folder="$work/" -f "$src/sim/page/page.awk" "$work/page" | diff "$work/wanted" - ||
    { echo "page.awk: comments of types"; bad=1; }
for page in sim/page/page.html tools/serve/serve_page.html; do
    awk -v folder="$src/${page%/*}/" -f "$src/sim/page/page.awk" "$src/$page" >"$work/lines" || bad=1
    grep -E '/\*\*|@(param|type)' "$work/lines" && { echo "$page: has comments of types"; bad=1; }
done
exit "$bad"
