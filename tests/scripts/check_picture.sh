#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The edges of a finding: which operations synchronise on the way from one access to the other, and which would have to.
# Expected are those of the source, found by reading it: "line of the release > line of the acquire", sides, and +
# where they do synchronise, - where they do not. The picture has the same edges as the JSON. And the pairs that a fix covers.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

edges() { # SCENARIO LINE EDGES: of the finding at that line
    local name=$1 found
    "$build/orrery" run --json="$work/$name.jsonl" --dot="$work/$name.dot" "$src/scenarios/racy/$name.yaml" >/dev/null 2>&1
    found=$(python3 - "$work/$name" "$2" <<'END'
import json, re, sys
findings = [json.loads(line) for line in open(sys.argv[1] + ".jsonl")][:-1]
dot = open(sys.argv[1] + ".dot").read()
for number, one in enumerate(findings, 1):
    steps, drawn = one["steps"], set()
    for a, b, colour in re.findall(r"f%d_step(\d+) -> f%d_step(\d+) \[constraint=false, color=(\w+)" % (number, number), dot):
        drawn.add((int(a), int(b), colour == "blue"))
    edges = [(edge["from"], edge["to"], edge["synchronises"]) for edge in one["edges"]]
    if drawn != set(edges):
        print("the picture has other edges", drawn, edges, end=" ")
    for step, entry in enumerate(steps):
        if entry["side"] > 1 and "item" not in entry:
            print("nobody did step", step, end=" ")
    if one["accesses"][0]["line"] == int(sys.argv[2]):
        print(*("%d%d>%d%d%s" % (steps[a]["side"], steps[a]["line"], steps[b]["side"], steps[b]["line"], "+" if yes else "-")
                for a, b, yes in edges))
        break
END
    )
    [ "$found" = "$3" ] || { echo "$name, line $2: edges '$found', expected '$3'"; bad=1; }
}

edges message_by_third 8 "09>211+ 213>115-"
edges barrier_then_flag 6 "07>27+ 29>111-"
edges message_passing_scope 7 "08>110-"
edges barrier_flags 6 "07>17-"
edges mp_plain 5 ""

# A fix that does not cover all pairs of two places has a note: the lines of those findings.
partial() { # SCENARIO LINES
    local found
    "$build/orrery" run --json="$work/$1.jsonl" "$src/scenarios/racy/$1.yaml" >/dev/null 2>&1
    found=$(python3 -c '
import json, sys
print(*(f["accesses"][0]["line"] for f in map(json.loads, open(sys.argv[1])) if f.get("fix_partial")))' "$work/$1.jsonl")
    [ "$found" = "$2" ] || { echo "$1: not enough at lines '$found', expected '$2'"; bad=1; }
}

partial neighbour "5"
partial iterations_two_flags ""
partial iterations_sub_group_barrier "10"
partial message_within_group "8"
partial message_for_all ""
partial histogram ""
exit "$bad"
