#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The files that reports go to, against descriptions of their formats: SARIF against the objects of the standard
# (tests/schema), JSON lines against the schema that is installed, the graph by Graphviz. One scenario of each fault.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
python3 -c 'import jsonschema' 2>/dev/null || { echo "python3-jsonschema is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 runs=0

# reports NAME COMMAND...: run it with all forms on
reports() {
    local name=$1
    shift
    ORRERY_SARIF=$work/$name.sarif ORRERY_JSON=$work/$name.jsonl ORRERY_DOT=$work/$name.dot "$@" >/dev/null 2>"$work/log"
    [ -s "$work/$name.sarif" ] && [ -s "$work/$name.jsonl" ] && [ -s "$work/$name.dot" ] || { echo "$name: no files"; bad=1; }
    runs=$((runs + 1))
}

for scenario in "$src"/scenarios/{faulty,racy}/*.yaml; do
    [ -f "$scenario" ] && reports "$(basename "$scenario" .yaml)" "$build/orrery" run "$scenario"
done
reports devices "$build/orrery" run "$src/scenarios/concurrent/race.yaml" # whose findings name devices
reports clean "$build/orrery" run "$src/scenarios/clean/atomics.yaml"
echo '- {id: "*", reason: "known, and \"odd\""}' >"$work/all.yaml"
reports suppressed "$build/orrery" run --suppressions="$work/all.yaml" "$src/scenarios/faulty/two_places.yaml"
if [ -x "$build/examples/out_of_bounds" ]; then
    reports program "$build/examples/out_of_bounds" "$src/examples/out_of_bounds.cl"
    ORRERY_CHECK_API=warning reports refused "$build/examples/out_of_bounds" "$src/examples/lost_update.cl" # no such kernel
fi

python3 - "$src" "$work" <<'END' || bad=1
import json, pathlib, sys
import jsonschema
src, work = map(pathlib.Path, sys.argv[1:])
sarif = jsonschema.Draft7Validator(json.load(open(src / "tests/schema/sarif-2.1.0.json")))
line = jsonschema.Draft7Validator(json.load(open(src / "man/findings.schema.json")))
bad = 0
def complain(name, errors):
    global bad
    for error in errors:
        print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
        bad = 1
# The descriptions must be able to fail.
for wrong in ({}, {"version": "2.1.0", "runs": [{}]}, {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x", "rule": []}}}]},
              {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"ruleId": "x"}]}]}):
    if sarif.is_valid(wrong):
        print("the description of SARIF accepts", wrong); bad = 1
if line.is_valid({"type": "finding", "id": "x"}):
    print("the schema accepts half a finding"); bad = 1
# Of findings that are about no access, what stands there instead.
words = {"barrier-divergence": {"barrier", "wait"}, "barrier-mismatch": {"barrier"}, "fence-flags": {"fence"}, "collective-argument": {"collective", "wait"},
         "collective-divergence": {"collective", "copy"}, "missing-wait-group-events": {"copy"}, "non-uniform-argument": {"collective", "copy", "wait"},
         "uninitialised-branch": {"branch"}, "enqueue-misuse": {"call"}, "printf-misuse": {"call"}}
if (work / "refused.jsonl").exists():
    words["api-error"] = {"call"}
met = set()
results = flows = 0
for path in sorted(work.glob("*.sarif")):
    log = json.load(open(path))
    complain(path.name, sarif.iter_errors(log))
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    lines = [json.loads(text) for text in open(path.with_suffix(".jsonl"))]
    for one in lines:
        complain(path.with_suffix(".jsonl").name, line.iter_errors(one))
        for access in one["accesses"] if one.get("id") in words else []:
            met.add((one["id"], access["access"]))
            if access["access"] not in words[one["id"]]:
                print(path.name, one["id"], "is about a", access["access"]); bad = 1
    if [one["type"] for one in lines] != ["finding"] * (len(lines) - 1) + ["summary"]:
        print(path.name, "the summary is not last"); bad = 1
    told = [result for result in run["results"] if "suppressions" not in result]
    if [r["ruleId"] for r in told] != [one["id"] for one in lines[:-1]]:
        print(path.name, "SARIF and JSON differ"); bad = 1
    for result in run["results"]:
        results += 1
        if rules[result["ruleIndex"]] != result["ruleId"]:
            print(path.name, "ruleIndex is another rule"); bad = 1
        for flow in result.get("codeFlows", []):
            flows += 1
            paths = [[place.get("importance") for place in one["locations"]].count("essential") for one in flow["threadFlows"]]
            if paths != [1, 1] + [0] * (len(paths) - 2): # those of others come after the two
                print(path.name, "not two paths"); bad = 1
if not flows or not any("suppressions" in r for r in json.load(open(work / "suppressed.sarif"))["runs"][0]["results"]):
    print("no run has a code flow, or no suppressed result"); bad = 1
if met != {(id, word) for id in words for word in words[id]}:
    print("not met:", {(id, word) for id in words for word in words[id]} - met); bad = 1
# The kernels' calls of the functions that findings are in: their lines.
source = (src / "scenarios/faulty/called_from.cl").read_text().splitlines()
expected = [number for number, text in enumerate(source, 1) if "from here" in text]
lines = [json.loads(text) for text in open(work / "called_from.jsonl")][:-1]
callers = [access.get("called_from", {}).get("line") for one in lines for access in one["accesses"]]
stacks = [stack["frames"] for result in json.load(open(work / "called_from.sarif"))["runs"][0]["results"] for stack in result.get("stacks", [])]
outer = [frames[-1]["location"]["physicalLocation"]["region"]["startLine"] for frames in stacks]
if not expected or sorted(callers) != expected or outer != callers:
    print("called from", callers, "and", outer, "not", expected); bad = 1
# and the whole way there, innermost first: of the barrier by way of another function
calls = [[call["line"] for call in access.get("calls", [])] for one in lines for access in one["accesses"]]
by_way = [number for number, text in enumerate(source, 1) if "by way of" in text]
whole = [[frame["location"]["physicalLocation"]["region"]["startLine"] for frame in frames[1:]] for frames in stacks]
if len(by_way) != 1 or by_way + expected[:1] not in calls or [way[-1] for way in calls] != callers or whole != calls:
    print("calls", calls, "and", whole, "not by way of", by_way); bad = 1
if any("called_from" in access for text in open(work / "fence_flags.jsonl") for access in json.loads(text).get("accesses", [])):
    print("a kernel is called from somewhere"); bad = 1
# Types of numbers, and values without a type.
numbers = [(access.get("type"), access["value"]) for text in open(work / "number_types.jsonl") for access in json.loads(text).get("accesses", [])[:1]]
if numbers != [(None, "0x3f800000"), ("half", "0x3800"), ("float", "0x3dcccccd"), ("double", "0xfe37e43c8800759c"), (None, "0x3f80000000000000")]:
    print("numbers are told as", numbers); bad = 1
print(results, "results,", flows, "code flows")
sys.exit(bad)
END
if command -v dot >/dev/null; then
    for graph in "$work"/*.dot; do
        dot -Tsvg -o "$work/picture.svg" "$graph" 2>"$work/log" || { cat "$work/log"; echo "$graph: dot fails"; bad=1; }
        [ -s "$work/log" ] && { cat "$work/log"; echo "$graph: dot complains"; bad=1; }
        width=$(sed -n 's/^<svg width="\([0-9]*\).*/\1/p' "$work/picture.svg")
        [ "${width:-9999}" -le 1200 ] || { echo "$graph: $width points wide, expected at most 1200, which are 1600 pixels"; bad=1; }
    done
fi
echo "$runs runs"
exit "$bad"
