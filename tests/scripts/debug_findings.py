#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The data races of scenarios, in the debugger: `--finding=N` stands at the second access of finding N, and `first-access` at its
first. Places and work-items have to be those of the report of a run without a debugger.

debug_findings.py ORRERY SCENARIO...: exit status 0 when all are. Only the standard library.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

PLACE = re.compile(r"^\S+, work-item \((\d+),(\d+),(\d+)\) of work-group \(.*\), at (.*):(\d+)$")


def findings_of(orrery, scenario, work):
    """The findings of a run, as its report has them."""
    report = os.path.join(work, os.path.basename(scenario) + ".json")
    subprocess.run([orrery, "run", "--json=" + report, scenario], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(report) as file:
        return [row for row in map(json.loads, file) if row["type"] == "finding"]


def is_wanted(finding):
    """Both accesses are of work-items: a copy, a command and the host stand at no line of a kernel."""
    return finding["id"] in ("race-global", "race-local", "race-image") and len(finding["accesses"]) == 2 and all("item" in access for access in finding["accesses"])


def place_of(access):
    return os.path.basename(access.get("file", "")), access["line"], access["item"]["global_id"]


def stands(orrery, scenario, numbers):
    """Where the debugger stands at each of these findings, and after first-access: one process, which --finding takes to the first
    of them, and `race` to the others, each time from the beginning of the run."""
    argv = [orrery, "debug", "--batch", "--finding=%d" % numbers[0], "-e", "echo @", "-e", "first-access"]
    for number in numbers[1:]:
        argv += ["-e", "goto 1", "-e", "echo @", "-e", "race %d" % number, "-e", "echo @", "-e", "first-access"]
    done = subprocess.run(argv + [scenario], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, errors="replace")
    places = []
    for part in done.stdout.split("\n@\n"):
        found = [place for place in map(PLACE.match, part.split("\n")) if place]
        places.append((os.path.basename(found[0].group(4)), int(found[0].group(5)), [int(found[0].group(i)) for i in (1, 2, 3)]) if found else None)
    return places


def check(orrery, scenario, work):
    """What is wrong with the scenario's races; how many were looked at."""
    findings = [(number, finding) for number, finding in enumerate(findings_of(orrery, scenario, work), 1) if is_wanted(finding)]
    places = stands(orrery, scenario, [number for number, _ in findings]) if findings else []
    wrong = []
    for number, finding in findings:
        for access, which in ((1, "second"), (0, "first")):
            found, expected = places.pop(0) if places else None, place_of(finding["accesses"][access])
            if found != expected:
                wrong.append("%s: finding %d, %s access: stands at %s, expected %s" % (os.path.basename(scenario), number, which, found, expected))
    return wrong, len(findings)


def main(orrery, scenarios):
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda scenario: check(orrery, scenario, work), scenarios))
    wrong = [line for lines, _ in results for line in lines]
    print("\n".join(wrong + ["%d races of %d scenarios, %d wrong" % (sum(count for _, count in results), len(scenarios), len(wrong))]))
    return 1 if wrong or not any(count for _, count in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
