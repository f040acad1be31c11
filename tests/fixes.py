# SPDX-License-Identifier: Apache-2.0
# Does to the source what the fixes of a scenario's findings say, one at a time, and runs it again: the two accesses have to race
# no more, and nothing else may be wrong that was not. Only fixes that are called verified, that are enough for all pairs of
# the two places, and that a line of text can follow: barriers and fences at a line, and flags. Prints how many those are; fails on one that does not hold.
# usage: fixes.py ORRERY SCENARIO WORK
import json, os, re, shutil, subprocess, sys

orrery, scenario, work = sys.argv[1:]
source_dir = os.path.dirname(scenario)
PLACE = r"(before|behind|at) ([\w.]+):(\d+)"
FLAGS = r"CLK_\w+(?: \| CLK_\w+)*"


def findings(directory):
    path = os.path.join(directory, "found.json")
    if os.path.exists(path):
        os.remove(path)
    subprocess.run([orrery, "run", "--max-errors=1000", "--json=" + path, os.path.join(directory, os.path.basename(scenario))],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if not os.path.exists(path):
        return None
    with open(path) as lines:
        return [f for f in map(json.loads, lines) if f.get("type") == "finding"]


def end_of(access):
    return access["file"], access["line"], access["text"][access["column"] - 1:] if "column" in access else ""


def pair_of(finding):
    return finding["id"], finding["kernel"], sorted(end_of(a) for a in finding["accesses"])


# Lines keep their numbers: what is put before a line stands at its beginning.
def edits_of(fix):
    if "needs braces" in fix or " branch" in fix or "between the two" in fix:
        return None
    move = re.fullmatch(r"the (?:load|store) at ([\w.]+):(\d+) (before|behind) \1:(\d+)", fix)
    if move:
        return [("move " + move[3], move[1], int(move[2]), int(move[4]))]
    barrier = re.match(r"((?:work_group_)?barrier\(%s\)|atomic_work_item_fence\([^)]*\)) " % FLAGS, fix)
    edits = []
    if barrier:
        rest = re.sub(r", in each turn of the loop$", "", fix[barrier.end():])
        for part in rest.split(", and "):
            place = re.fullmatch(PLACE, part)
            if not place:
                return None
            edits.append((place[1], place[2], int(place[3]), barrier[1]))
        return edits
    for part in fix.split(", and "):
        flags = re.fullmatch("(%s) %s" % (FLAGS, PLACE), part)
        if not flags:
            return None
        edits.append(("flags", flags[3], int(flags[4]), flags[1]))
    return edits


# One whole statement, which may become the body of what it comes behind.
def move(lines, how, number, to):
    moved = lines[number - 1].strip()
    lines[number - 1] = ""
    if how == "move before":
        lines[to - 1] = moved + " " + lines[to - 1]
    else:
        lines[to] = "{ " + moved + " " + lines[to] + " }"


def apply(lines, how, number, text):
    if how.startswith("move"):
        move(lines, how, number, text)
        return
    if how == "before":
        lines[number - 1] = text + "; " + lines[number - 1]
    elif how == "behind":
        lines[number] = text + "; " + lines[number]
    elif how == "at":
        lines[number - 1] = re.sub(r"(\w*barrier)\([^;]*\)", text, lines[number - 1], count=1)
    else:
        lines[number - 1] = re.sub(r"(?<=[( ])(?:%s|0)(?=[,)])" % FLAGS, text, lines[number - 1], count=1)


def holds(finding, edits, others):
    there = os.path.join(work, "edited")
    shutil.rmtree(there, ignore_errors=True)
    os.mkdir(there)
    for name in os.listdir(source_dir):
        if name.endswith((".cl", ".spvasm", ".h")) or name == os.path.basename(scenario):
            shutil.copy(os.path.join(source_dir, name), there)
    for how, file, number, text in sorted(edits, key=lambda edit: -edit[2]):
        path = os.path.join(there, file)
        with open(path) as text_file:
            lines = text_file.read().split("\n")
        apply(lines, how, number, text)
        with open(path, "w") as text_file:
            text_file.write("\n".join(lines))
    found = findings(there)
    if found is None:
        return "it does not run any more"
    if pair_of(finding) in [pair_of(f) for f in found]:
        return "they still race"
    more = {f["id"] for f in found if f["kernel"] == finding["kernel"]} - others
    return "it brings " + ", ".join(sorted(more)) if more else None


def main():
    original = os.path.join(work, "original")
    shutil.rmtree(original, ignore_errors=True)
    shutil.copytree(source_dir, original)
    found = findings(original) or []
    others = {f["id"] for f in found} | {"race-global", "race-local"}
    tried = bad = 0
    for finding in found:
        edits = edits_of(finding.get("fix", "")) if finding.get("fix_verified") and not finding.get("fix_partial") else None
        if not edits or any(file.endswith(".spvasm") for _, file, _, _ in edits): # its lines are those of no source
            continue
        tried += 1
        wrong = holds(finding, edits, others)
        if wrong:
            bad += 1
            print("%s, kernel %s: %s: %s" % (scenario, finding["kernel"], finding["fix"], wrong))
    print("tried", tried)
    return bad > 0


sys.exit(main())
