#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Fails where a folder has fewer assertions, assert() or CHECKED(), in a thousand lines than the table below says.
set -u
src=${ORRERY_SRCDIR:-.}

# FOLDER: tenths of an assertion in a thousand lines, at least.
floors='
lib 40
sim 50
sim/device 42
sim/interp 35
sim/memmodel 100
sim/schedule 70
sim/topology 55
'

failed=0
while read -r folder floor; do
    [ -n "$folder" ] || continue
    mapfile -t files < <(find "$src/$folder" -name '*.[ch]')
    [ ${#files[@]} -gt 0 ] || { echo "$folder: no files found"; failed=1; continue; }
    lines=$(cat "${files[@]}" | wc -l)
    count=$(cat "${files[@]}" | grep -cE '\b(assert|CHECKED)\(')
    found=$((count * 10000 / lines))
    [ "$found" -ge "$floor" ] && continue
    echo "$folder: found $found tenths of an assertion in a thousand lines ($count in $lines), expected $floor or more"
    failed=1
done <<< "$floors"
exit $failed
