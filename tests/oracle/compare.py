# SPDX-License-Identifier: Apache-2.0
"""Runs random programs and compares the races that are told with those of the model: compare.py ORRERY WORK FROM COUNT SECONDS [first]

No pair of lines is told that has no race (and the two work-items that are named do race), and of each byte one of the
pairs that race first is told. What the accesses are said to have read and written, they have (values.py). Exit status 1 when
a program differs; it is left in WORK. With "first" the first that does is the last. Status 1, too, when values are told seldom.
"""

import json
import os
import subprocess
import sys
import time
import traceback

from model import GLOBAL, LOCAL, REGIONS, Model
from programs import Program
import values

FEW = 8  # programs that show nothing
RACES = {"race-global": GLOBAL, "race-local": LOCAL}


def run(orrery, base, program, seed):
    """The findings."""
    with open(base + ".cl", "w") as file:
        file.write(program.source())
    with open(base + ".yaml", "w") as file:
        file.write(program.scenario(os.path.basename(base) + ".cl", seed))
    done = subprocess.run([orrery, "run", "--max-errors=0", "--fixes=off", "--timeout=300", "--trace=" + base + ".trace", "--json=" + base + ".json",
                           base + ".yaml"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 66):
        raise RuntimeError("status %d: %s" % (done.returncode, done.stderr[-300:]))
    with open(base + ".json") as file:
        return [finding for finding in map(json.loads, file) if finding["type"] == "finding"]


def read_trace(base):
    with open(base + ".trace") as file:
        return [json.loads(line) for line in file]


def judge(trace, program):
    """A model of each launch."""
    models = []
    for line in trace:
        if line["type"] == "launch":
            models.append(Model(program.meaning, program.inclusive31))
        models[-1].hear(line)
    for model in models:
        model.pass_barrier()
    return models


def pair_of(finding):
    lines = sorted(access["line"] for access in finding["accesses"])
    return (RACES[finding["id"]], lines[0], lines[-1])


def who(access):
    item = access["item"]
    return (item["group_id"][0], item["local_id"][0]), access["line"]


def differences(findings, models):
    races, found = {}, []
    for model in models:
        for pair, units in model.races.items():
            races.setdefault(pair, set()).update(units)
    for finding in findings:
        if finding["id"] not in RACES:
            found.append("told: %s" % finding["id"])
            continue
        pair, accesses = pair_of(finding), finding["accesses"]
        if pair not in races:
            found.append("no race: %s" % (pair,))
        elif len(accesses) == 2 and all("item" in access for access in accesses):
            one, two = who(accesses[0]), who(accesses[1])
            if one + two not in races[pair] and two + one not in races[pair]:
                found.append("others race: %s, not %s and %s" % (pair, one, two))
    told = {pair_of(finding) for finding in findings if finding["id"] in RACES}
    for model in models:
        missed = [(byte, sorted(pairs)) for byte, pairs in model.first.items() if not pairs & told]
        found += ["not told: %s of %s" % (pairs, byte) for byte, pairs in missed[:3]]
    return found


def main(orrery, work, first, count, seconds, until=None):
    end = time.monotonic() + float(seconds) if float(seconds) else float('inf')
    programs = races = accesses = bad = 0
    earlier = values.Earlier()
    for seed in range(int(first), int(first) + int(count)):
        if time.monotonic() > end or (bad and until == "first"):
            break
        base, program = os.path.join(work, "p%d" % seed), Program(seed)
        try:
            findings = run(orrery, base, program, seed)
            trace = read_trace(base)
            models = judge(trace, program)
            wrong, told = values.differences(trace, findings)
            found = differences(findings, models) + wrong
            earlier.add(told)
            races += sum(len(model.races) for model in models)
            accesses += sum(len(model.accesses) for model in models)
        except Exception:  # whatever it is, it is this program's
            found = [traceback.format_exc(limit=-1)]
        programs += 1
        bad += bool(found)
        for text in found[:8]:
            print("program %d, %s: %s" % (seed, program.policy, text), flush=True)
        if not found:
            for end_of_name in (".cl", ".yaml", ".trace", ".json"):
                os.unlink(base + end_of_name)
    print("%d programs, %d accesses, %d pairs of lines race, %d programs differ; earlier values told: %d of %d before plain accesses, %d of %d "
          "before atomic ones" % (programs, accesses, races, bad, earlier.told[0], earlier.all[0], earlier.told[1], earlier.all[1]))
    few = earlier.are_few() and until != "first"
    if few:
        print("that is too few")
    return 1 if bad or few or programs < FEW else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
