#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `orrery topology` against lstopo and against an independent oracle; files, and refusals.
set -u
src=${ORRERY_SRCDIR:-.} orrery=${ORRERY_BUILDDIR:-build}/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# says PATTERN ARGUMENT...: a line of the output; exit status 0
says() {
    local pattern=$1
    shift
    "$orrery" topology "$@" >"$work/out" 2>"$work/err" || { echo "topology $*: status $?: $(cat "$work/err")"; bad=1; }
    grep -qE -- "$pattern" "$work/out" || { echo "topology $*: no line like $pattern"; bad=1; }
}
# refuses PATTERN ARGUMENT...: on stderr; exit status 2, nothing on stdout
refuses() {
    local pattern=$1 status
    shift
    "$orrery" topology "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" = 2 ] || { echo "topology $*: status $status, not 2"; bad=1; }
    [ ! -s "$work/out" ] || { echo "topology $*: output in spite of an error"; bad=1; }
    grep -qE -- "$pattern" "$work/err" || { echo "topology $*: $(cat "$work/err"), not $pattern"; bad=1; }
}

says '^l3:1\(size=1MiB\) cu:8$'
says '^  BY_AFFINITY_DOMAIN, NEXT_PARTITIONABLE \(l3\) +2: 0-2 \| 3-5$' "l3:2 cu:3"
says '^  EQUALLY, 2 +3: 0-1 \| 2-3 \| 4-5$' "l3:2 cu:3"
says '^  cslices +8: 0-111 ' intel-pvc
says '^3-5$' --partition counts:3,3@1/equally:3 "l3:2 cu:3"
says '^impossible$' --partition l3/next "l3:2 cu:3"
says '^dual-socket +a server' --list-presets
refuses "character 6: 'l3'" "l2:1 l3:1 cu:1"
refuses "expected equally:N" --partition halves "cu:4"
refuses "expected equally:N" --partition equally:x "cu:4"
refuses "no part 2 of 2" --partition equally:2@2/next "cu:4"
refuses "nowhere.xml" nowhere.xml

printf 'orrery: 1\ndevices:\n- {topology: tiny, name: one}\n- {topology: "numa:2 cu:3"}\n' >"$work/two.yaml"
says '^device 0: one$' "$work/two.yaml"
says '^numa:2 cu:3$' "$work/two.yaml"
if command -v lstopo-no-graphics >/dev/null; then
    lstopo-no-graphics -f -i "package:2 [numa] l3:1(size=2MiB) l2:2 core:1 pu:2" "$work/machine.xml" >/dev/null 2>&1
    says '^package:2 numa:1.* l3:1\(size=2MiB\) l2:2 cu:1$' "$work/machine.xml"
    says '^package:2 numa:1' --topology "xml:$work/machine.xml"
    # The machine that this runs on, whatever it is: as many units as cores, and it parses back.
    lstopo-no-graphics -f "$work/here.xml" >/dev/null 2>&1
    says 'CU L#0' "$work/here.xml"
    text=$(head -n1 "$work/out")
    says "CU L#$(($(hwloc-calc --number-of core all) - 1))\$" "$text"
fi

[ "$bad" = 0 ] || exit 1
python3=$(command -v python3) || { echo "no python3"; exit 77; }
"$python3" "$src/tests/scripts/partition_oracle.py" "$orrery" "$(dirname "$orrery")/tests/partition_lines" || exit 1
"$python3" "$src/tests/scripts/lstopo_compare.py" "$orrery" "$work" 2>"$work/err"
status=$?
[ "$status" = 1 ] && cat "$work/err"
exit "$status"
