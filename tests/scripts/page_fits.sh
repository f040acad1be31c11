#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# page_fits.sh SRC PAGE...: fails where the data of a page does not fit the types of
# sim/page/page_types.d.ts, or has members that these lack. Without tsc it says nothing.
set -u
src=$1
shift
command -v tsc >/dev/null || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
for page in "$@"; do
    n=$((n + 1))
    {
        printf '// %s\nconst data%d: PageData =\n' "${page##*/}" "$n"
        sed -n '/^<script type="application\/json" id="data">$/,/^<\/script>$/p' "$page" |
            LC_ALL=C sed $'1d; $d; s/\xe2\x80\xa8/\\\\u2028/g' # the end of a line for TypeScript
    } >"$work/data$n.ts"
done
cat >"$work/tsconfig.json" <<JSON
{"extends": "$src/sim/page/tsconfig.json", "include": ["$src/sim/page/page_*", "*.ts"]}
JSON
tsc -p "$work" >"$work/out" && exit 0
head -20 "$work/out" | cut -c 1-400
exit 1
