#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The scripts of the pages fit the types of their data (sim/page/page_types.d.ts): TypeScript checks them
# strictly, and refuses copies with one wrong line each. The pages themselves have no comments of types.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
command -v tsc >/dev/null || { echo "no tsc (node-typescript)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

for project in sim/page tools/serve; do
    tsc -p "$src/$project" || { echo "$project: see above"; bad=1; }
done

# refused NAME FILE TEXT: the copy of FILE with a wrong line at its end
refused() {
    mkdir -p "$work/$1/sim/page" "$work/$1/tools/serve" &&
        cp "$src"/sim/page/page_* "$src/sim/page/tsconfig.json" "$work/$1/sim/page" &&
        cp "$src"/tools/serve/serve_page.js "$src/tools/serve/tsconfig.json" "$work/$1/tools/serve" &&
        chmod -R u+w "$work/$1" && echo "$3" >>"$work/$1/$2" || { bad=1; return; }
    if tsc -p "$work/$1/${2%/*}" >"$work/out"; then
        echo "$1: is not refused"
        bad=1
    elif [ "$(grep -c 'error TS' "$work/out")" != 1 ] || ! grep -q "${2##*/}" "$work/out"; then
        echo "$1: refused for something else:"
        cat "$work/out"
        bad=1
    fi
}
refused member sim/page/page_steps.js 'function wrongMember(/** @type {Step} */ step) { return step.ofset; }'
refused word sim/page/page_litmus.js 'function wrongWord() { return say("didReed"); }'
refused nothing sim/page/page_memory.js 'function wrongNull() { return document.getElementById("data").id; }'
refused answer tools/serve/serve_page.js 'function wrongAnswer(/** @type {Answer} */ answer) { return answer.pages; }'

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
