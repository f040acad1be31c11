#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A timeline is what viewers expect: JSON, named tracks, spans that nest, groups inside their launches.

Usage: timeline_check.py FILE [KEY=VALUE...]   units=N groups=N commands=N turns=N concurrent=N (pairs of launches)
"""
import json
import sys

trace = json.load(open(sys.argv[1]))
wanted = dict(a.split("=") for a in sys.argv[2:])
spans = [e for e in trace["traceEvents"] if e["ph"] == "X"]
titles = {(e["name"], e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"}
bad = []


def ns(microseconds):
    return round(microseconds * 1000)


tracks = {}
for e in trace["traceEvents"]:
    if e["ph"] not in "XM" or not all(k in e for k in ("name", "pid", "tid")):
        bad.append("not an event that viewers know: %r" % e)
for e in spans:
    if ("thread_name", e["pid"], e["tid"]) not in titles or ("process_name", e["pid"], 0) not in titles:
        bad.append("a track without a name: %r" % e)
    tracks.setdefault((e["pid"], e["tid"]), []).append(e)

# On one track spans are apart, or one holds the other.
for track in tracks.values():
    stack = []
    for e in sorted(track, key=lambda e: (ns(e["ts"]), -ns(e["dur"]))):
        begin, end = ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])
        while stack and stack[-1] <= begin:
            stack.pop()
        if stack and end > stack[-1]:
            bad.append("spans that cross: %r" % e)
        stack.append(end)

launches = {e["args"]["launch"]: e for e in spans if e["cat"] == "launch"}
groups = [e for e in spans if e["cat"] == "group"]
turns = [e for e in spans if e["cat"] == "sub-group"]
holders = {}
for g in groups:
    launch = launches[g["args"]["launch"]]
    if not (launch["ts"] <= g["ts"] and ns(g["ts"]) + ns(g["dur"]) <= ns(launch["ts"]) + ns(launch["dur"])):
        bad.append("a group outside of its launch: %r" % g)
    key = (g["args"]["launch"], g["args"]["group"])
    if key in holders:
        bad.append("a group ran twice: %r" % g)
    holders[key] = g
for t in turns:
    g = holders[(t["args"]["launch"], t["args"]["group"])]
    if (t["pid"], t["tid"]) != (g["pid"], g["tid"]) or t["ts"] < g["ts"] or ns(t["ts"]) + ns(t["dur"]) > ns(g["ts"]) + ns(g["dur"]):
        bad.append("a turn outside of its group: %r" % t)

for key, g in holders.items():
    if turns and not any(t["dur"] for t in turns if (t["args"]["launch"], t["args"]["group"]) == key):
        bad.append("a group whose sub-groups take no time: %r" % g)
# Launches that run at the same time, and on which lines they are.
both = [(a, b) for a in launches.values() for b in launches.values()
        if a["args"]["launch"] < b["args"]["launch"] and ns(b["ts"]) < ns(a["ts"]) + ns(a["dur"])]

units = {(e["pid"], titles[("thread_name", e["pid"], e["tid"])].split(" (")[0]) for e in groups}
counts = {"units": len(units), "groups": len(groups), "turns": len(turns), "launches": len(launches),
          "concurrent": len(both), "commands": sum(e["cat"] == "command" for e in spans), "dropped": trace["otherData"]["dropped"]}
for key, value in wanted.items():
    if counts[key] != int(value):
        bad.append("%s: %d, expected %s" % (key, counts[key], value))
for line in bad[:10]:
    print(line)
sys.exit(1 if bad else 0)
