#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# SARIF as GitHub's code scanning takes it: its published limits ("SARIF support for code scanning"), the members
# that it requires, one run of several processes and scenarios, names below the working directory, and fingerprints
# that stay when lines move. The schema is judged only where python3-jsonschema is installed.
set -u
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
orrery=$build/orrery program=$build/tests/check_runtime
[ -f "$build/.libs/liborrery.so" ] || exit 77
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir -p project/kernels outside other
bad=0
cat >project/kernels/race.cl <<'EOC'
#define COUNT 1
kernel void first(global int *a)
{
    a[0] = COUNT;
}
kernel void second(global int *a)
{
    a[8] = 1;
    a[0] = COUNT;
}
EOC
cat >project/kernels/race.yaml <<'EOC'
orrery: 1
program: {source: race.cl}
launch:
  - {kernel: first, global: [4], local: [1], args: [{buffer: {type: int, count: 8, fill: 0}}]}
  - {kernel: second, global: [4], local: [1], args: [{buffer: {type: int, count: 8, fill: 0}}]}
expect: {findings: [{id: race-global}, {id: race-global}, {id: out-of-bounds-write}]}
EOC
cat >project/text.yaml <<'EOC'
orrery: 1
program: {text: "kernel void k(global int *a) { a[8] = 1; }"}
launch: [{kernel: k, global: 1, args: [{buffer: {type: int, count: 8, fill: 0}}]}]
expect: {findings: [{id: out-of-bounds-write}]}
EOC
# ran STATUS OPTION...: a command with a file of SARIF
ran() {
    local status=$1 got
    shift
    "$@" >out 2>err
    got=$?
    [ "$got" = "$status" ] && return
    echo "$*: status $got, expected $status"
    cat out err
    bad=1
}
cd project || exit 99
ran 66 "$orrery" run --sarif=run.sarif kernels/race.yaml
# lines above, and another indentation: what is found is the same
cp -r kernels moved
{ printf '// one\n// two\n\n'; sed 's/^    /\t/' kernels/race.cl; } >moved/race.cl
ran 66 "$orrery" run --sarif=moved.sarif moved/race.yaml
(cd ../outside && ran 66 "$orrery" run --sarif=../project/outside.sarif ../project/kernels/race.yaml)
ran 0 "$orrery" check --sarif=check.sarif kernels/race.yaml text.yaml moved/race.yaml kernels/race.yaml
ran 0 "$orrery" check --json=check.json kernels/race.yaml text.yaml moved/race.yaml kernels/race.yaml
ran 66 "$orrery" run --sarif=text.sarif text.yaml
ran 125 "$orrery" check --sarif=/dev/full kernels/race.yaml
# between STATUS COMMAND OPTION...: what is done after the first scenario of a check and before the second
between() {
    local status=$1 between=$2 got
    shift 2
    mkfifo late.yaml
    "$orrery" check "$@" kernels/race.yaml late.yaml >out 2>err &
    local check=$!
    exec 3>late.yaml # opens when the check opens it
    eval "$between"
    cat text.yaml >&3
    exec 3>&-
    wait $check
    got=$?
    rm late.yaml
    [ "$got" = "$status" ] && return
    echo "check $*, then $between: status $got, expected $status"
    cat out err
    bad=1
}
mkdir gone
between 125 'rm -r gone' --sarif=gone/log.sarif
grep -qx 'orrery: error: gone/log.sarif cannot be written' err || { echo "it is not said that the log cannot be written:"; cat err; bad=1; }
for machines in "" --json=ended.json; do
    # shellcheck disable=SC2016,SC2086
    between 143 'kill -TERM $check' --sarif=ended.sarif $machines
    [ "$(grep -c '"ruleId"' ended.sarif)" -ge 3 ] || { echo "check $machines, ended by a signal: the log has $(grep -c ruleId ended.sarif) results of at least 3"; bad=1; }
    rm -f ended.sarif ended.json
done
# processes of a program, in another directory, at the same time, and so many that one run each would be refused
ran 66 "$orrery" run --check-api=error --sarif="$PWD/several.sarif" --json="$PWD/several.json" -- \
    sh -c "$program found_exit; cd ../other && $program refused & $program found_kill; wait; exit 0"
many="for i in $(seq -s' ' 25); do $program found_exit; done; exit 0"
ran 66 "$orrery" run --sarif=many.sarif -- sh -c "$many"
ran 66 "$orrery" run --sarif=%p-own.sarif -- "$program" found_exit
mv ./*-own.sarif own.sarif
cd ..
python3 - "$src" "$work" "$build" <<'END' || bad=1
import gzip, json, pathlib, re, sys
src, work, build = map(pathlib.Path, sys.argv[1:])
bad = 0
def expect(what, found, expected):
    global bad
    if found != expected:
        print(f"{what}: {found!r}, expected {expected!r}"); bad = 1
try:
    import jsonschema
    schema = jsonschema.Draft7Validator(json.load(open(src / "tests/schema/sarif-2.1.0.json")))
except ImportError:
    schema = None
def all_of(value, key):
    if isinstance(value, dict):
        for name, member in value.items():
            if name == key:
                yield member
            yield from all_of(member, key)
    elif isinstance(value, list):
        for member in value:
            yield from all_of(member, key)
# The pages of the registry, by the names that the rules' own pages cite.
pages = {"OpenCL 2.2 API": "OpenCL/specs/2.2/html/OpenCL_API.html", "OpenCL 3.0 API": "OpenCL/specs/3.0-unified/html/OpenCL_API.html",
         "OpenCL C 2.0": "OpenCL/specs/opencl-2.0-openclc.pdf", "OpenCL C 3.0": "OpenCL/specs/3.0-unified/html/OpenCL_C.html",
         "SPIR-V": "SPIR-V/specs/unified1/SPIRV.html"}
logs = {}
for path in sorted((work / "project").glob("*.sarif")):
    name, text = path.stem, path.read_bytes()
    log = logs[name] = json.loads(text)
    for error in schema.iter_errors(log) if schema else []:
        print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}"); bad = 1
    # Rejected logs.
    expect(f"{name}: at most 10 MB", len(gzip.compress(text)) <= 10_000_000, True)
    expect(f"{name}: runs", len(log["runs"]), 1)
    run, = log["runs"]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    expect(f"{name}: results, rules, extensions", [len(results) <= 25000, len(rules) <= 25000, len(run["tool"].get("extensions", [])) <= 100], [True] * 3)
    for rule in rules:
        about = f"{name}: rule {rule['id']}"
        expect(f"{about}: tags", 0 < len(rule["properties"]["tags"]) <= 10, True)
        expect(f"{about}: name", 0 < len(rule["name"]) <= 255, True)
        expect(f"{about}: texts", [0 < len(rule[key]["text"]) <= 1024 for key in ("shortDescription", "fullDescription")], [True, True])
        expect(f"{about}: help", [len(rule["help"][key]) > 100 for key in ("text", "markdown")], [True, True])
        cited = re.search(r"\n  Specification\n\s*(OpenCL C [23]\.0|OpenCL [23]\.[02] API|SPIR-V)", rule["help"]["text"])
        expect(f"{about}: specification {cited}", rule["helpUri"], "https://registry.khronos.org/" + pages.get(cited and cited.group(1), "?"))
        expect(f"{about}: level", rule["defaultConfiguration"]["level"] in ("note", "warning", "error"), True)
        expect(f"{about}: properties", (rule["properties"]["precision"], rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")), ("very-high", True))
    expect(f"{name}: rules are one each", len({rule["id"] for rule in rules}), len(rules))
    root = run["originalUriBaseIds"]["%SRCROOT%"]["uri"]
    expect(f"{name}: working directories", {entry["workingDirectory"]["uri"] for entry in run["invocations"]}, {root})
    for result in results:
        about = f"{name}: {result['ruleId']}"
        expect(f"{about}: rule", rules[result["ruleIndex"]]["id"], result["ruleId"])
        expect(f"{about}: message", result["message"]["text"][0].isupper(), True)
        expect(f"{about}: locations", len(result["locations"]) + len(result.get("relatedLocations", [])) <= 100 and len(result["locations"]), 1)
        flows = [len(flow["locations"]) for flow in all_of(result, "threadFlows") for flow in flow]
        expect(f"{about}: thread flow locations", sum(flows) <= 1000 and all(flows), True)
        expect(f"{about}: fingerprints", sorted(result["partialFingerprints"]), ["orrery/v2", "primaryLocationLineHash"])
        for place in all_of(result, "physicalLocation"):
            uri, region = place["artifactLocation"]["uri"], place["region"]
            expect(f"{about}: {uri}", [bool(uri), region["startLine"] >= 1, region.get("startColumn", 1) < region.get("endColumn", 1 << 30)], [True] * 3)
            expect(f"{about}: base of {uri}", place["artifactLocation"].get("uriBaseId") == "%SRCROOT%", not uri.startswith("file:///"))
        ids = [place["id"] for place in result.get("relatedLocations", [])]
        expect(f"{about}: links", [f"]({number})" in result["message"]["text"] for number in ids], [True] * len(ids))
        expect(f"{about}: places", len(list(all_of(result["locations"], "physicalLocation"))), 1)
    prints = [(result["ruleId"], result["partialFingerprints"]["orrery/v2"]) for result in results]
    uris_of = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results]
    expect(f"{name}: fingerprints tell apart", len(set(zip(prints, uris_of))), len(prints))

run = {name: log["runs"][0] for name, log in logs.items()}
def prints(name, key):
    return sorted(result["partialFingerprints"][key] for result in run[name]["results"])
def uris(name):
    return sorted({place["artifactLocation"]["uri"] for place in all_of(run[name]["results"], "physicalLocation")})
expect("names of run", uris("run"), ["kernels/race.cl"])
expect("names of moved", uris("moved"), ["moved/race.cl"])
expect("names from outside", uris("outside"), [f"file://{work}/project/kernels/race.cl"])
expect("names of a text", uris("text"), ["text.yaml"])
expect("names of check", uris("check"), ["kernels/race.cl", "moved/race.cl", "text.yaml"])
expect("results of run", len(run["run"]["results"]), 3)
for key in ("orrery/v2", "primaryLocationLineHash"):
    expect(f"{key} of moved lines", prints("moved", key), prints("run", key))
    expect(f"{key} from outside", prints("outside", key), prints("run", key))
lines = [[result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in run[name]["results"]] for name in ("run", "moved")]
expect("lines moved", [line + 3 for line in lines[0]], lines[1])
scenarios = [json.loads(text) for text in open(work / "project/check.json")]
expect("fingerprints of JSON", {one["fingerprint"] for line in scenarios for one in line["findings"]}, set(prints("check", "orrery/v2")))
# Several processes and scenarios: an invocation each; what several find in one file is one result.
expect("scenarios", (len(run["check"]["invocations"]), len(run["check"]["results"])), (4, 7))
def counts(name, times):
    return sorted((uri, result["partialFingerprints"]["orrery/v2"], result["occurrenceCount"] * times) for result in run[name]["results"]
                  for uri in [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]])
expect("occurrences", counts("check", 1), sorted(counts("run", 2) + counts("moved", 1) + counts("text", 1)))
several = sorted((result["ruleId"], result["occurrenceCount"]) for result in run["several"]["results"])
expect("processes", (len(run["several"]["invocations"]), [id for id, _ in several]), (3, ["api-error", "null-write"]))
invocations = run["several"]["invocations"]
expect("commands", [" ".join([one["commandLine"].split()[0]] + one["arguments"]) == one["commandLine"] and one["arguments"][0][:7] for one in invocations],
       [one["arguments"][0][:7] for one in invocations])
expect("numbers of processes", sorted(one["properties"]["process"]["number"] for one in invocations), [1, 2, 3])
summaries = [one for one in map(json.loads, open(work / "project/several.json")) if one["type"] == "summary"]
expect("processes in JSON", sorted((one["process"]["number"], one["command"][1:] == []) for one in summaries), [(1, False), (2, False), (3, False)])
expect("programs in JSON", {one["process"]["program"] for one in summaries}, {pathlib.Path(summaries[0]["command"][0]).name})
expect("the first process in JSON", [one["command"][1] for one in summaries if one["process"]["number"] == 1], ["found_exit"])
found = {}
for one in map(json.loads, open(work / "project/several.json")):
    if one["type"] == "finding":
        found[one["id"]] = found.get(one["id"], 0) + one["count"]
expect("occurrences of processes", several, sorted(found.items()))
expect("many processes", (len(run["many"]["invocations"]), [result["ruleId"] for result in run["many"]["results"]]), (25, ["null-write"]))
expect("categories", [run[name]["automationDetails"]["id"] for name in ("run", "several", "own")], ["orrery/run/", "orrery/several/", "orrery/-own/"])
expect("the rules say nothing of the run", run["run"]["tool"], run["several"]["tool"])
sys.exit(bad)
END
exit $bad
