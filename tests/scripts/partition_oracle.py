#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each partition of each preset has to be, from the text of the specification and from hwloc's own tools.

Usage: partition_oracle.py ORRERY PARTITION_LINES

The trees are not taken from Orrery: hwloc-calc says which cores a cache or a node has where hwloc can express the
preset, and the others are written down here by hand. The schemes are written from the texts of clCreateSubDevices and
cl_ext_device_fission, in a few lines each. Every answer of `orrery topology --partition` is compared. Thousands of them come from
one process (tests/support/partition_lines.c), which calls the command's own function; the first and the last of each preset
from the command, too.
"""
import re
import shutil
import subprocess
import sys

ORRERY, PARTITION_LINES = sys.argv[1:3]


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


# ---- trees: level -> list of lists of units ------------------------------------------------------------

def blocks(units, count):
    """A level of `count` equal nodes over all units."""
    each = units // count
    return [list(range(i * each, (i + 1) * each)) for i in range(count)]


def by_hand(units, **levels):
    return units, {level: blocks(units, n) if isinstance(n, int) else n for level, n in levels.items()}


HAND = {
    "eight-tile": by_hand(32, numa=8, tile=8, l2=8, l1=32),
    "intel-pvc": by_hand(896, numa=2, tile=2, l2=2, cslice=8, l1=112),
    "asymmetric": by_hand(
        19, package=[list(range(0, 7)), list(range(7, 19))],
        numa=[list(range(0, 7)), list(range(7, 12)), list(range(12, 17))],
        l3=[[0, 1, 2, 3], [4, 5, 6], list(range(7, 12)), list(range(12, 17))],
        l2=[[0, 1], [2, 3], [17, 18]],
        l1=[[0], [1], [2], [3], list(range(7, 12)), list(range(12, 17))]),
}

HWLOC_NAMES = {"package": "package", "numa": "numa", "l4": "l4cache", "l3": "l3cache", "l2": "l2cache", "l1": "l1cache"}


def hwloc_text(text):
    text = re.sub(r",(line|ways)=\w+", "", text).replace("cu:", "core:")
    text = re.sub(r"\((line|ways)=\w+\)", "", text)
    return re.sub(r"(numa:\d+)\(size=", r"\1(memory=", text) + " pu:1"


def from_hwloc(text):
    def calc(*arguments):
        return run("hwloc-calc", "-i", hwloc_text(text), *arguments).strip()
    cores = int(calc("--number-of", "core", "machine:0"))
    levels = {}
    for level, name in HWLOC_NAMES.items():
        if not re.search(r"\b%s:" % level, text):
            continue
        count = int(calc("--number-of", name, "machine:0"))
        levels[level] = [[int(i) for i in calc("--intersect", "core", "%s:%d" % (name, n)).split(",")]
                         for n in range(count)]
    return cores, levels


# ---- schemes ---------------------------------------------------------------------------------------------

BAD_VALUE = "refused: a part of no units, or a unit that is not there or named twice"
BAD_COUNT = "refused: more units than there are, or a count below 1"


def equally(parent, n):
    """Split into as many devices as can be created, each with n compute units; the rest stays unused."""
    if n == 0:
        return BAD_VALUE
    if n > len(parent):
        return BAD_COUNT
    return [parent[i:i + n] for i in range(0, len(parent) - n + 1, n)]


def counts(parent, *numbers):
    """For each non-zero count a sub-device with that many; the total may not exceed the device's units."""
    if any(n < 1 for n in numbers) or sum(numbers) > len(parent) or len(numbers) > len(parent):
        return BAD_COUNT
    rest, parts = list(parent), []
    for n in numbers:
        parts.append(rest[:n])
        rest = rest[n:]
    return parts


def names(parent, *numbers):
    """One device of the named units: 0 to n - 1, none twice."""
    if len(set(numbers)) != len(numbers) or any(n < 0 or n >= len(parent) for n in numbers):
        return BAD_VALUE
    return [sorted(parent[n] for n in numbers)]


def level(tree, parent, which):
    """Devices that share the given level of the cache hierarchy, or a NUMA node; one part is no partition."""
    parts = [[u for u in node if u in parent] for node in tree[1].get(which, [])]
    parts = [p for p in parts if p]
    return parts if len(parts) > 1 else "impossible"


def next_partitionable(tree, parent):
    """NUMA, L4, L3, L2, L1: the first that gives more than one."""
    for which in ("numa", "l4", "l3", "l2", "l1"):
        parts = level(tree, parent, which)
        if parts != "impossible":
            return parts
    return "impossible"


# ---- comparison ------------------------------------------------------------------------------------------

def ranges(units):
    text, i = [], 0
    while i < len(units):
        j = i
        while j + 1 < len(units) and units[j + 1] == units[j] + 1:
            j += 1
        text.append(str(units[i]) if i == j else "%d-%d" % (units[i], units[j]))
        i = j + 1
    return ",".join(text)


def expected_text(answer):
    return answer + "\n" if isinstance(answer, str) else "".join(ranges(p) + "\n" for p in answer)


def questions(tree, parent):
    n = len(parent)
    for each in sorted({0, 1, 2, 3, 5, 7, 8, 16, n // 2, n - 1, n, n + 1, 10 * n}):
        yield "equally:%d" % each, equally(parent, each)
    for list_ in ((1,), (n,), (1, n - 1), (n, 1), (n - 1, 2), (0,), (-1,), (3, -1), (1, 2, 1), (2, 2, 2, 2), (n + 1,)):
        yield "counts:" + ",".join(map(str, list_)), counts(parent, *list_)
    for list_ in ((0,), (n - 1, 0), tuple(range(n)), (n,), (-1,), (0, 0), (0, n - 1, 1)):
        yield "names:" + ",".join(map(str, list_)), names(parent, *list_)
    for which in ("package", "numa", "tile", "cslice", "l4", "l3", "l2", "l1"):
        yield which, level(tree, parent, which)
    yield "next", next_partitionable(tree, parent)


def answers_of(preset, asked):
    """What is printed for each question, and the status."""
    done = subprocess.run([PARTITION_LINES], input="".join("%s %s\n" % (preset, steps) for steps in asked), stdout=subprocess.PIPE, text=True, check=True)
    return re.findall(r"((?:[^=\n].*\n)*)= (\d+)\n", done.stdout)


def check(preset, tree):
    everything = list(range(tree[0]))
    paths = [("", everything)]
    # Below the root: the last part of each partition by level, of an unequal split, of scattered names, twice deep.
    for step, part in (("next", next_partitionable(tree, everything)), ("l2", level(tree, everything, "l2")),
                       ("counts:1,3", counts(everything, 1, 3)),
                       ("names:0,2,3,6", names(everything, 0, 2, 3, 6))):
        if isinstance(part, str):
            continue
        paths.append(("%s@%d/" % (step, len(part) - 1), part[-1]))
        deeper = next_partitionable(tree, part[-1])
        if not isinstance(deeper, str):
            paths.append(("%s@%d/next@0/" % (step, len(part) - 1), deeper[0]))
    expected = [(path + question, expected_text(answer)) for path, parent in paths for question, answer in questions(tree, parent)]
    answers = answers_of(preset, [steps for steps, _ in expected])
    if len(answers) != len(expected):
        sys.exit("%s: %d answers to %d questions" % (preset, len(answers), len(expected)))
    bad = 0
    for (steps, answer), (said, status) in zip(expected, answers):
        by_command = run(ORRERY, "topology", "--partition", steps, preset) if steps in (expected[0][0], expected[-1][0]) else said
        if said != answer or by_command != answer or status != "0":
            bad += 1
            print("%s: %s: got %r, status %s, by the command %r, expected %r" % (preset, steps, said[:80], status, by_command[:80], answer[:80]))
    return bad, len(expected)


def main():
    listing = run(ORRERY, "topology", "--list-presets").splitlines()
    presets = {listing[i].split()[0]: listing[i + 1].strip() for i in range(0, len(listing), 2)}
    have_hwloc = shutil.which("hwloc-calc") is not None
    bad = asked = judged = 0
    for name, text in presets.items():
        if name in HAND:
            tree = HAND[name]
        elif have_hwloc:
            tree = from_hwloc(text)
        else:
            print("%s: not judged without hwloc-calc" % name)
            continue
        wrong, questions_asked = check(name, tree)
        bad, asked, judged = bad + wrong, asked + questions_asked, judged + 1
    print("%d presets, %d partitions, %d wrong" % (judged, asked, bad))
    return 1 if bad or judged < len(HAND) or asked < 200 else 0


sys.exit(main())
