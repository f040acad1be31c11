# SPDX-License-Identifier: Apache-2.0
"""litmus_page.py FOLDER VERDICTS: judges the pages of litmus tests in FOLDER, NAME.html beside NAME.json of the command.

Of each execution it makes program order, reads-from, modification order and reads-before from the events; nothing of the answer
of the command is used. Allowed: values fit, each location is coherent, updates are atomic. Forbidden: the cycle is one, and each
of its edges is there."""
import csv, json, pathlib, re, sys

RELEASES, ACQUIRES = {"release", "acq_rel", "seq_cst"}, {"acquire", "acq_rel", "seq_cst"}


def data_of(path):
    text = path.read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)\n</script>', text, re.S)[1])


class Execution:
    def __init__(self, shown):
        self.events, self.cycle = shown["events"], shown.get("cycle", [])
        self.sync = {tuple(pair) for pair in shown.get("synchronises", [])}
        events = range(len(self.events))
        thread = [event.get("thread") for event in self.events]
        self.po = {(a, b) for a in events for b in events if a < b and thread[a] is not None and thread[a] == thread[b]}
        self.rf = {(event["reads_from"], i) for i, event in enumerate(self.events) if "reads_from" in event}
        stores = {each["location"]: each["stores"] for each in shown["modification"]}
        self.mo = {(a, b) for some in stores.values() for i, a in enumerate(some) for b in some[i + 1:]}
        self.fr = {(read, later) for store, read in self.rf for first, later in self.mo if first == store and later != read}
        for name, some in stores.items():
            listed = [i for i in events if "wrote" in self.events[i] and self.events[i]["location"] == name]
            assert sorted(some) == listed, (name, some)
        for store, read in self.rf:
            a, b = self.events[store], self.events[read]
            assert a["location"] == b["location"] and a["wrote"] == b["read"], (a, b)
        self.stores = stores

    def final(self):
        return {name: self.events[some[-1]]["wrote"] for name, some in self.stores.items()}

    def check_allowed(self):
        same = {(a, b) for a, b in self.po if self.events[a].get("location") == self.events[b].get("location") is not None}
        assert acyclic(same | self.rf | self.mo | self.fr), "not coherent"
        for store, update in self.rf:
            if "wrote" in self.events[update]:
                some = self.stores[self.events[update]["location"]]
                assert some.index(update) == some.index(store) + 1, "an update that is not atomic"
        for a, b in self.sync:
            one, other = self.events[a], self.events[b]
            assert one["thread"] != other["thread"]
            assert one["kind"] == "barrier-entry" or one["order"] in RELEASES, one
            assert other["kind"] == "barrier-exit" or other["order"] in ACQUIRES, other

    def check_cycle(self, axiom):
        assert self.cycle, "no cycle"
        for link, after in zip(self.cycle, self.cycle[1:] + self.cycle[:1]):
            assert link["to"] == after["from"], ("the cycle is open", self.cycle)
            edge, kind = (link["from"], link["to"]), link["kind"]
            known = {"program-order": self.po, "reads-from": self.rf, "modification-order": self.mo, "reads-before": self.fr,
                     "synchronises-with": self.sync}
            if kind == "initial":
                assert self.events[edge[0]]["kind"] == "initial" != self.events[edge[1]]["kind"]
            elif kind == "happens-before":
                raise AssertionError("an edge that is not spelled out")
            else:
                assert edge in known[kind], (kind, edge)
        kinds = {link["kind"] for link in self.cycle}
        if axiom == "cause":
            assert kinds <= {"program-order", "reads-from"} and not acyclic(self.po | self.rf)
        if axiom == "atomic-update":
            assert any("read" in self.events[link["from"]] and "wrote" in self.events[link["from"]] for link in self.cycle)
            assert not kinds & {"program-order", "synchronises-with"}
        if axiom == "seq-cst":
            assert sum(self.events[link["from"]].get("order") == "seq_cst" for link in self.cycle) >= 2


def acyclic(edges):
    left = set(edges)
    while left:
        targets = {b for _, b in left}
        kept = {(a, b) for a, b in left if a in targets}
        if kept == left:
            return False
        left = kept
    return True


def check(test, result, verdict, needs):
    shown = [outcome for outcome in test["outcomes"] if outcome["allowed"]]
    found = [(list(outcome["values"].values()), outcome["count"], outcome["satisfies"]) for outcome in result["outcomes"]]
    assert [(o["values"], o["count"], o["satisfies"]) for o in shown] == found, "other outcomes than the command's"
    played = refused = 0
    for outcome in test["outcomes"]:
        for execution in [outcome["execution"]] if outcome.get("execution") else []:
            judged = Execution(execution)
            judged.check_allowed()
            played += 1
            finals = judged.final()
            for name, value in zip(test["names"], outcome["values"]):
                assert name not in finals or finals[name] == value, (name, value)
        for why in outcome.get("refused", []):
            assert not outcome["allowed"]
            judged = Execution(why["execution"])
            judged.check_cycle(why["axiom"])
            refused += 1
    complete = not (test["gave_up"] or test["cut"] or test["refused_cut"])
    assert not complete or all(outcome.get("execution") for outcome in shown), "an allowed outcome without an execution"
    wanted = [outcome for outcome in test["outcomes"] if outcome["satisfies"]]
    if verdict == "reachable" and needs != "porf-cycle" and not test["gave_up"]:
        assert any(outcome["allowed"] for outcome in wanted), "the literature's outcome is not allowed"
    if needs == "porf-cycle":  # of the formal text alone: a value that is its own cause
        refusals = [why["axiom"] for outcome in wanted for why in outcome.get("refused", [])]
        assert "cause" in refusals, refusals
    if verdict == "unreachable":
        assert not any(outcome["allowed"] for outcome in wanted), "an outcome that the literature forbids"
    return played, refused, bool(wanted) and verdict == "unreachable"


folder, verdicts = pathlib.Path(sys.argv[1]), {}
with open(sys.argv[2]) as rows:
    for row in csv.DictReader(rows):
        verdicts[row["test"]] = row["outcome_expected"], row["needs"]
bad = tests = played = refused = explained = unreachable = 0
for page in sorted(folder.glob("*.html")):
    tests += 1
    result = json.loads(page.with_suffix(".json").read_text())
    verdict, needs = verdicts.get(page.stem + ".litmus", ("", ""))
    try:
        data = data_of(page)
        got = check(data["litmus"], result, verdict, needs)
        played, refused, explained = played + got[0], refused + got[1], explained + got[2]
        unreachable += verdict == "unreachable"
        if verdict == "unreachable" and not got[2]:
            print(f"{page.stem}: no execution ends as the clause asks, not even a refused one")
    except AssertionError as error:
        print(f"{page.stem}: {error}")
        bad = 1
print(f"{folder.name}: {tests} tests, {played} executions, {refused} refused, {explained} of {unreachable} unreachable outcomes explained")
sys.exit(bad or not played or not refused)
