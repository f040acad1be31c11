#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The results of `check` for machines, judged by python3's readers of JSON, XML and YAML and by the rules of each form:
# every verdict, text that the forms have to escape, and the same bytes whatever the number of processes.
set -u
src=${ORRERY_SRCDIR:?} build=$(realpath "${ORRERY_BUILDDIR:?}")
src=$(realpath "$src") orrery=$build/orrery
python3 -c 'import jsonschema, yaml' 2>/dev/null || { echo "python3-jsonschema or python3-yaml is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

scenario() { # EXPECT
    cat <<END
orrery: 1
program: {text: "kernel void k(global int *a) { a[8] = 1; printf(\"<&]]>\\\\x01\\\\n  two\"); }"}
launch: [{kernel: k, global: 1, args: [{buffer: {type: int, count: 8, fill: 0}}]}]
expect: {$1}
END
}
odd='a<&"#.yaml'
scenario 'findings: [{id: out-of-bounds-write}]' >good.yaml
scenario 'findings: [], output: "other", buffers: [{arg: 0, values: [0, 0, 0, 0, 0, 0, 0, 2]}]' >"$odd"
echo 'orrery: 1' >none.yaml
files=(good.yaml "$odd" none.yaml good.yaml missing.yaml)

# run NAME OPTION...: the status, both streams and the files, which do not depend on the number of processes
run() {
    local name=$1
    shift
    mkdir -p "$name" # the name of the file is in the SARIF log
    "$orrery" check --json="$name.json" --junit="$name.xml" --sarif="$name/all.sarif" "$@" "${files[@]}" >"$name.out" 2>"$name.err"
    [ $? = 2 ] || { echo "$name: the status is not 2"; bad=1; }
}
run one
run one # files of the same kind are replaced
for jobs in 2 7; do
    run many -j$jobs
    for form in json xml out err; do
        cmp one.$form many.$form || bad=1
    done
    cmp one/all.sarif many/all.sarif || bad=1
done
"$orrery" check "${files[@]}" >plain.out 2>plain.err
"$orrery" check -j3 "${files[@]}" >jobs.out 2>jobs.err
cmp plain.out jobs.out && cmp plain.err jobs.err && cmp plain.out one.out || bad=1
"$orrery" check --tap -j2 "${files[@]}" >tap.out 2>tap.err

# refused TEXT OPTION...
refused() {
    local text=$1
    shift
    "$orrery" check "$@" good.yaml >out 2>&1
    [ $? = 2 ] && grep -qF -- "$text" out || { echo "$*:"; cat out; bad=1; }
}
refused "--jobs: found '0', expected a number from 1" -j0
refused "--jobs: found '2x', expected a number from 1" -j2x
refused "--seeds has no verdict for each scenario" --seeds=1..2 --tap
refused "junit: good.yaml: found a file that is not such a report" --junit=good.yaml
refused "json: good.yaml: found a file that is not such a report" --json=good.yaml
refused "junit: no/x.xml: No such file or directory" --junit=no/x.xml

# JUnit by the schema of the form, and that the schema refuses what is none.
validates() {
    if command -v xmllint >/dev/null; then
        xmllint --noout --schema "$src/tests/schema/junit.xsd" "$1" >valid 2>&1
    else
        python3 -c 'import sys; from lxml import etree; etree.XMLSchema(etree.parse(sys.argv[1])).assertValid(etree.parse(sys.argv[2]))' \
            "$src/tests/schema/junit.xsd" "$1" >valid 2>&1
    fi
}
if command -v xmllint >/dev/null || python3 -c 'import lxml' 2>/dev/null; then
    validates one.xml || { echo "one.xml is not valid:"; cat valid; bad=1; }
    for change in 's/ time="[^"]*"//' 's/<properties\/>//' 's/ hostname="localhost"//' 's/<system-out>/<system-err><\/system-err>&/' 's/time="0/&,5/' 's/ tests="/&-/'; do
        sed "$change" one.xml >broken.xml
        cmp -s one.xml broken.xml && { echo "$change changes nothing"; bad=1; }
        validates broken.xml && { echo "valid with $change"; bad=1; }
    done
fi

# A program of its own, and findings of it.
if [ -x "$build/examples/out_of_bounds" ]; then
    printf 'orrery: 1\nexpect: {findings: [], exit_status: 3}\n' >exec.yaml
    "$orrery" check --json=exec.json --exec="$build/examples/out_of_bounds $src/examples/out_of_bounds.cl" exec.yaml >exec.out 2>&1
fi

python3 - "$src" "$odd" <<'END' || bad=1
import json, pathlib, re, sys
import xml.etree.ElementTree as tree
import jsonschema, yaml
src, odd = pathlib.Path(sys.argv[1]), sys.argv[2]
bad = 0
def expect(what, found, expected):
    global bad
    if found != expected:
        print(f"{what}: {found!r}, expected {expected!r}"); bad = 1
names = ["good.yaml", odd, "none.yaml", "good.yaml", "missing.yaml"]
verdicts = ["pass", "fail", "error", "pass", "error"]

finding = json.load(open(src / "man/findings.schema.json"))
schema = jsonschema.Draft7Validator(json.load(open(src / "man/check.schema.json")))
if schema.is_valid({"type": "scenario", "path": "x"}) or schema.is_valid({}):
    print("the schema accepts half a result"); bad = 1
lines = [json.loads(text) for text in open("one.json")]
for line in lines:
    for error in schema.iter_errors(line):
        print("one.json:", error.message); bad = 1
    for one in line["findings"]:
        for error in jsonschema.Draft7Validator(finding).iter_errors(one):
            print("one.json:", error.message); bad = 1
expect("paths", [line["path"] for line in lines], names)
expect("verdicts", [line["verdict"] for line in lines], verdicts)
expect("statuses", [line["exit_status"] for line in lines], [0, 1, 2, 0, 2])
expect("findings", [[one["id"] for one in line["findings"]] for line in lines], [["out-of-bounds-write"]] * 2 + [[]] + [["out-of-bounds-write"]] + [[]])
expect("differences", [text.split(":")[0] for text in lines[1]["differences"]], ["unexpected", "buffer", "output"])
expect("whole output", lines[1]["differences"][2].split("\n"), ["output:", "<&]]>\ufffd", "  two", "  expected:", "other"])
expect("differences of others", [len(line["differences"]) for line in lines], [0, 3, 0, 0, 0])
expect("messages", ["no 'expect'" in lines[2]["messages"], "missing.yaml" in lines[4]["messages"]], [True, True])
if pathlib.Path("exec.json").exists():
    line, = [json.loads(text) for text in open("exec.json")]
    expect("of a program", (line["verdict"], any(one["id"].startswith("out-of-bounds") for one in line["findings"]), any(text.startswith("exit status: ") for text in line["differences"])),
           ("fail", True, True))

# JUnit: what Ant's schema and Jenkins's both accept. Name, the attributes that there must be, children in their order.
elements = {
    "testsuites": (set(), ["testsuite"]),
    "testsuite": ({"id", "name", "package", "tests", "failures", "errors", "time", "timestamp", "hostname"}, ["properties", "testcase", "system-out", "system-err"]),
    "properties": (set(), []), "system-out": (set(), []), "system-err": (set(), []),
    "testcase": ({"name", "classname", "time"}, ["error", "failure"]),
    "failure": ({"message", "type"}, []), "error": ({"message", "type"}, []),
}
def judge(element):
    attributes, children = elements[element.tag]
    expect(f"attributes of {element.tag}", set(element.attrib), attributes)
    order = [children.index(child.tag) for child in element]
    expect(f"children of {element.tag}", order, sorted(order))
    for child in element:
        judge(child)
root = tree.parse("one.xml").getroot()
expect("root", root.tag, "testsuites")
judge(root)
suite, = root
expect("all children", [child.tag for child in suite], ["properties"] + ["testcase"] * 5 + ["system-out", "system-err"])
cases = suite.findall("testcase")
expect("counts", [suite.get(key) for key in ("tests", "failures", "errors")], ["5", "1", "2"])
expect("cases", [case.get("name") for case in cases], names)
expect("elements", [[child.tag for child in case] for case in cases], [[], ["failure"], ["error"], [], ["error"]])
expect("a failure", (cases[1][0].get("message"), "<&]]>\ufffd\n  two" in cases[1][0].text, "FAIL: " + odd in cases[1][0].text), ("3 differences", True, True))
expect("timestamp", re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp")) is not None, True)
# Times: of the simulated device, at least what a launch costs; the same for the same launches.
times = [line.get("time") for line in lines]
expect("times", (times[0] > 5000, times[1] >= times[0] == times[3], times[2], times[4]), (True, True, None, None))
expect("seconds", [round(float(case.get("time")) * 1e9) for case in cases], [time or 0 for time in times])
expect("no zeros at the end", [case.get("time")[-1:] for case in cases if "." in case.get("time") and case.get("time").endswith("0")], [])
expect("sum of seconds", round(float(suite.get("time")) * 1e9), sum(time or 0 for time in times))

# TAP 14: version, plan, points from 1 on, and YAML in blocks of two spaces.
text = open("tap.out").read()
expect("begin", text.split("\n")[:2], ["TAP version 14", "1..5"])
points = re.findall(r"^(not ok|ok) (\d+) - (.*)$", text, re.M)
expect("points", [(ok == "ok", int(number)) for ok, number, _ in points], [(verdict == "pass", i + 1) for i, verdict in enumerate(verdicts)])
expect("description", points[1][2], odd.replace("#", "\\#"))
blocks = [yaml.safe_load(block) for block in re.findall(r"^  ---\n(.*?)^  \.\.\.$", text, re.M | re.S)]
expect("blocks", [block["verdict"] for block in blocks], ["fail", "error", "error"])
expect("differences in TAP", blocks[0]["differences"], lines[1]["differences"])
rest = re.sub(r"^  ---\n.*?^  \.\.\.\n", "", text, flags=re.M | re.S).split("\n")[2:-1]
expect("nothing else", [line for line in rest if not re.match(r"(not )?ok ", line)], [])
sys.exit(bad)
END
exit "$bad"
