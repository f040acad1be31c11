# SPDX-License-Identifier: Apache-2.0
# Does to the source what the fixes of a scenario's findings say, one at a time, and runs it again: the two accesses have to race
# no more, and nothing else may be wrong that was not. Only fixes that were tried, that are enough for all pairs of
# the two places, and that a line of text can follow: barriers and fences at a line, and flags. Prints how many those are; fails on one that does not hold.
# usage: fixes.py ORRERY WORK SCENARIO... (of one directory)
import json, os, re, shutil, subprocess, sys

orrery, work, scenarios = sys.argv[1], sys.argv[2], sys.argv[3:]
there = os.path.join(work, "edited") # a copy of the directory, where one scenario's files are edited at a time
PLACE = r"(before|after the loop of|after|after|at) ([\w.]+):(\d+)(, which needs braces)?"
FLAGS = r"CLK_\w+(?: \| CLK_\w+)*"
FENCE = r"atomic_work_item_fence\(%s, \w+, \w+\)" % FLAGS


def findings(scenario):
    path = os.path.join(work, "found.json")
    if os.path.exists(path):
        os.remove(path)
    subprocess.run([orrery, "run", "--max-errors=1000", "--json=" + path, os.path.join(there, os.path.basename(scenario))],
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
    if " branch" in fix or "between the two" in fix:
        return None
    move = re.fullmatch(r"the (?:load|store) at ([\w.]+):(\d+) (before|after) \1:(\d+)", fix)
    if move:
        return [("move " + move[3], move[1], int(move[2]), int(move[4]))]
    barrier = re.match(r"((?:(?:work_group_)?barrier|mem_fence)\(%s\)|atomic_work_item_fence\([^)]*\)) " % FLAGS, fix)
    edits = []
    if barrier:
        rest = re.sub(r", in each turn of the loop(?=$|, which)", "", fix[barrier.end():])
        for part in rest.split(", and "):
            other = re.match("(%s) " % FENCE, part)
            place = re.fullmatch(PLACE, part[other.end():] if other else part)
            if not place:
                return None
            edits.append(("body" if place[4] else place[1], place[2], int(place[3]), (other or barrier)[1]))
        return edits
    for part in fix.split(", and "):
        flags = re.fullmatch("(%s) %s" % (FLAGS, PLACE), part)
        if not flags:
            return None
        edits.append(("flags", flags[3], int(flags[4]), flags[1]))
    return edits


# One whole statement, which may become the body of what it comes after.
def move(lines, how, number, to):
    moved = lines[number - 1].strip()
    lines[number - 1] = ""
    if how == "move before":
        lines[to - 1] = moved + " " + lines[to - 1]
    else:
        lines[to] = "{ " + moved + " " + lines[to] + " }"


# Where the statement of a loop ends whose head is on the line, or on the latest one before it.
def end_of_loop(text, at):
    head = [loop.start() for loop in re.finditer(r"\b(?:for|while|do)\b", text) if loop.start() <= at][-1]
    depth, does = 0, text.startswith("do", head)
    for end in range(head, len(text)):
        depth += (text[end] in "([{") - (text[end] in ")]}")
        if depth == 0 and (text[end] == ";" or (text[end] == "}" and not does)):
            return end + 1
    return len(text)


def put_behind_loop(lines, number, fence):
    end = end_of_loop("\n".join(lines), sum(len(line) + 1 for line in lines[:number]) - 1)
    text = "\n".join(lines)
    lines[:] = (text[:end] + " " + fence + ";" + text[end:]).split("\n")


def apply(lines, how, number, text):
    if how.startswith("move"):
        move(lines, how, number, text)
    elif how == "after the loop of":
        put_behind_loop(lines, number, text)
    elif how == "body": # one statement, of one line
        lines[number - 1] = "{ " + text + "; " + lines[number - 1] + " }"
    elif how == "before":
        lines[number - 1] = text + "; " + lines[number - 1]
    elif how in ("after", "after"):
        lines[number] = text + "; " + lines[number]
    elif how == "at":
        lines[number - 1] = re.sub(r"(\w*barrier)\([^;]*\)", text, lines[number - 1], count=1)
    else:
        lines[number - 1] = re.sub(r"(?<=[( ])(?:%s|0)(?=[,)])" % FLAGS, text, lines[number - 1], count=1)


def edit(edits):
    """The texts as they were, by path."""
    texts = {}
    for how, file, number, text in sorted(edits, key=lambda edit: -edit[2]):
        path = os.path.join(there, file)
        with open(path) as text_file:
            before = text_file.read()
        texts.setdefault(path, before)
        lines = before.split("\n")
        apply(lines, how, number, text)
        with open(path, "w") as text_file:
            text_file.write("\n".join(lines))
    return texts


def edit_text(edits):
    """Those that the finding has as text. The texts as they were, by path."""
    texts = {}
    for each in sorted(edits, key=lambda e: (-e["line"], -e["column"])):
        path = os.path.join(there, each["file"])
        with open(path) as text_file:
            before = text_file.read()
        texts.setdefault(path, before)
        lines = before.split("\n")
        first, last = lines[each["line"] - 1], lines[each["end_line"] - 1]
        lines[each["line"] - 1:each["end_line"]] = [first[:each["column"] - 1] + each["text"] + last[each["end_column"] - 1:]]
        with open(path, "w") as text_file:
            text_file.write("\n".join(lines))
    return texts


def holds(scenario, finding, edits, others):
    texts = edit_text(finding["edits"]) if "edits" in finding else edit(edits)
    found = findings(scenario)
    for path, text in texts.items():
        with open(path, "w") as text_file:
            text_file.write(text)
    if found is None:
        return "it does not run any more"
    if pair_of(finding) in [pair_of(f) for f in found]:
        return "they still race"
    more = {f["id"] for f in found if f["kernel"] == finding["kernel"]} - others
    return "it brings " + ", ".join(sorted(more)) if more else None


def try_fixes(scenario):
    """How many, and how many of them do not hold."""
    found = findings(scenario) or []
    others = {f["id"] for f in found} | {"race-global", "race-local"}
    tried = bad = 0
    for finding in found:
        tried_before = finding.get("fix_verified") and not finding.get("fix_partial")
        edits = edits_of(finding.get("fix", "")) if tried_before else None
        if tried_before and "edits" in finding and os.path.exists(os.path.join(there, finding["edits"][0]["file"])):
            edits = [("text", finding["edits"][0]["file"], 0, "")]
        if not edits or any(file.endswith(".spvasm") for _, file, _, _ in edits): # its lines are those of no source
            continue
        tried += 1
        wrong = holds(scenario, finding, edits, others)
        if wrong:
            bad += 1
            print("%s, kernel %s: %s: %s" % (scenario, finding["kernel"], finding["fix"], wrong))
    return tried, bad


def main():
    shutil.copytree(os.path.dirname(scenarios[0]), there)
    counts = [try_fixes(scenario) for scenario in scenarios]
    print("tried", sum(tried for tried, _ in counts))
    return any(bad for _, bad in counts)


sys.exit(main())
