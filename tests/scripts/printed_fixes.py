# SPDX-License-Identifier: Apache-2.0
# Every fix that the racy scenarios' findings print is done to the source by this script, from the edits of the JSON: clang compiles
# the text, and `orrery check` runs the scenario with it. The finding has to be gone, and nothing may be found that was not.
# Two runs of orrery for all of them. Prints how many there were.
# usage: printed_fixes.py ORRERY WORK SCENARIO... (of one directory)
import json, os, re, shutil, subprocess, sys

orrery, work, scenarios = sys.argv[1], sys.argv[2], sys.argv[3:]
there = os.path.join(work, "scenarios") # a copy of the directory, where edited scenarios stand beside the others


def check(options, paths):
    """The findings of each scenario, by path."""
    lines = subprocess.run([orrery, "check", "--json=" + os.path.join(work, "found.json"), "--force"] + options + paths,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True, check=False)
    with open(os.path.join(work, "found.json")) as file:
        objects = [json.loads(line) for line in file]
    if len(objects) != len(paths):
        sys.exit("orrery check tells of %d scenarios, not of %d: %s" % (len(objects), len(paths), lines.stderr))
    return {o["path"]: o for o in objects if o["type"] == "scenario"}


# Lines keep their numbers: where an edit takes some away, empty ones come instead.
def edited(text, edits):
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: (-e["line"], -e["column"])):
        first, last = lines[edit["line"] - 1], lines[edit["end_line"] - 1]
        gone = edit["end_line"] - edit["line"] - edit["text"].count("\n")
        lines[edit["line"] - 1:edit["end_line"]] = (first[:edit["column"] - 1] + edit["text"] + "\n" * gone +
                                                    last[edit["end_column"] - 1:]).split("\n")
    return "\n".join(lines)


def text_of_program(scenario):
    """The lines of `text: |`, and where they are."""
    lines = scenario.split("\n")
    for at, line in enumerate(lines):
        if re.match(r" +text: \|", line):
            end = at + 1
            indent = len(lines[end]) - len(lines[end].lstrip())
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" " * indent)):
                end += 1
            return lines, at + 1, end, indent
    return None


def source_of(scenario):
    name = re.search(r"source: *\"?([\w.]+)", scenario)
    if name:
        with open(os.path.join(there, name[1])) as file:
            return file.read()
    found = text_of_program(scenario)
    if not found:
        return None
    lines, first, end, indent = found
    return "\n".join(line[indent:] for line in lines[first:end])


def with_source(scenario, name):
    """The scenario with another source file."""
    if re.search(r"source: *\"?[\w.]+\"?", scenario):
        return re.sub(r"source: *\"?[\w.]+\"?", "source: " + name, scenario, count=1)
    lines, first, end, _ = text_of_program(scenario)
    lines[first - 1:end] = [re.match(r" +", lines[first - 1])[0] + "source: " + name]
    return "\n".join(lines)


def key(finding):
    return finding["id"], finding.get("kernel"), tuple(sorted(a.get("line", 0) for a in finding["accesses"]))


def claims(finding):
    return finding.get("fix_claim") in ("tried", "compiles")


def prepare(found):
    """A case for each fix: what was found, the finding, the edited scenario and its source. Equal edits are one text."""
    cases, names = [], {}
    for path, result in found.items():
        with open(path) as file:
            scenario = file.read()
        for finding in result["findings"]:
            if not claims(finding):
                continue
            if not finding.get("edits"):
                sys.exit("%s: a fix without edits: %s" % (path, finding["fix"]))
            edits = (path, json.dumps(finding["edits"]))
            name = names.setdefault(edits, "edited_%d" % len(names))
            source = source_of(scenario)
            with open(os.path.join(there, name + ".cl"), "w") as file:
                file.write(edited(source, finding["edits"]))
            with open(os.path.join(there, name + ".yaml"), "w") as file:
                file.write(with_source(scenario, name + ".cl"))
            options = re.search(r" options: *\"([^\"]*)\"", scenario)
            cases.append((path, result["findings"], finding, os.path.join(there, name), options[1] if options else "-cl-std=CL3.0"))
    return cases


def compiles(options, files):
    done = subprocess.run(["clang-14", "-x", "cl", "-target", "spir64", "-Xclang", "-finclude-default-header", "-Xclang",
                           "-fdeclare-opencl-builtins", "-Xclang", "-cl-ext=+all", "-fsyntax-only", "-w", "-I", there] + options.split() + files,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    return done.stdout if done.returncode else ""


def compile_all(cases):
    """What clang says of the edited texts: one run for equal options. What it does not know by itself, as functions of
    extensions, it does not know of the text without the edits either."""
    said = ""
    for options in sorted({case[4] for case in cases}):
        if not compiles(options, sorted({case[3] + ".cl" for case in cases if case[4] == options})):
            continue
        for name, path in sorted({(case[3], case[0]) for case in cases if case[4] == options}):
            with open(path) as file, open(os.path.join(there, "original.cl"), "w") as original:
                original.write(source_of(file.read()))
            wrong = compiles(options, [name + ".cl"])
            if wrong and not compiles(options, [os.path.join(there, "original.cl")]):
                said += path + ": " + wrong
    return said


def judge(before, finding, result):
    if result["verdict"] not in ("pass", "fail"):
        return "it does not run: " + result["messages"][-300:]
    count = [key(f) for f in before].count(key(finding))
    if [key(f) for f in result["findings"]].count(key(finding)) >= count and finding["fix_claim"] == "tried":
        return "the finding is still there"
    more = {f["id"] for f in result["findings"] if f.get("kernel") == finding.get("kernel")} - {f["id"] for f in before}
    return "it brings " + ", ".join(sorted(more)) if more else None


def main():
    shutil.copytree(os.path.dirname(scenarios[0]), there)
    found = check([], scenarios)
    cases = prepare(found)
    said = compile_all(cases) if shutil.which("clang-14") else ""
    if said:
        print(said)
    again = check(["--fixes=off"], sorted({case[3] + ".yaml" for case in cases}))
    bad = bool(said)
    for path, before, finding, name, _ in cases:
        wrong = judge(before, finding, again[name + ".yaml"])
        if wrong:
            bad = True
            print("%s, kernel %s: %s: %s" % (os.path.basename(path), finding.get("kernel"), finding["fix"], wrong))
    print("printed", len(cases), "tried", sum(case[2]["fix_claim"] == "tried" for case in cases))
    return bad


sys.exit(main())
