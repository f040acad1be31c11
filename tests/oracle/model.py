# SPDX-License-Identifier: Apache-2.0
"""The memory model of OpenCL as sets: which accesses of a trace does each work-item know, and which race?

Written from section 3.3.6 of the OpenCL 2.2 API, one rule at a time and with nothing shared with the race checker:
what a unit of execution knows is the set of all accesses that happen before its next one, for global and local memory
each, as the bits of an integer. That is slow and plain. What operations mean comes from the program's generator and
not from the trace, so that a front end which loses an order or a scope is noticed, too.
"""

GLOBAL, LOCAL = 1, 2
REGIONS = {"global": GLOBAL, "local": LOCAL}
WIDTH = {"work_item": 0, "sub_group": 1, "work_group": 2, "device": 3, "all_svm_devices": 4}
ACQUIRES = {"acquire", "acq_rel", "seq_cst"}
RELEASES = {"release", "acq_rel", "seq_cst"}


class Disagreement(Exception):
    """The trace says something else than the program."""


class Unit:
    """A work-item, or a copy of a work-group."""

    def __init__(self, name, group, sub_group):
        self.name, self.group, self.sub_group = name, group, sub_group
        self.known = {GLOBAL: 0, LOCAL: 0}
        self.fences = []   # releases so far, as heads
        self.read = []     # (region, heads) of the sequences that its atomic operations read


class Copy(Unit):
    """It knows what all of the work-group's members knew when they came to it; the first of them has it done at once."""

    def __init__(self, group, call, number, absent):
        super().__init__(("copy", group, call), group, None)
        self.known = {GLOBAL: -1, LOCAL: -1}
        self.number, self.absent = number, absent
        self.accesses, self.unjudged = 0, []


class Head:
    """What a release publishes: an atomic operation's to its region, a fence's to those of its flags."""

    def __init__(self, unit, scope, regions, fence):
        self.unit, self.scope, self.regions, self.fence = unit, scope, regions, fence
        self.known = dict(unit.known)


class Store:
    """One of an object's modification order, with the releases whose sequence it heads."""

    def __init__(self, unit, is_update, heads):
        self.unit, self.is_update, self.heads = unit, is_update, heads


class Access:
    def __init__(self, unit, line, space, low, size, scope, writes):
        self.unit, self.line, self.space, self.low, self.size = unit, line, space, low, size
        self.scope, self.writes = scope, writes  # scope None: no atomic operation

    def bytes(self):
        return [(self.space, offset) for offset in range(self.low, self.low + self.size)]


def reduced(scope, region):
    """Scopes wider than the memory: local memory ends with the work-group, plain buffers with the device."""
    return REDUCED[scope, region]


REDUCED = {(scope, region): min(width, WIDTH["work_group"] if region == LOCAL else WIDTH["device"])
           for scope, width in WIDTH.items() for region in (GLOBAL, LOCAL)}


class Model:
    def __init__(self, meaning, inclusive31):
        self.meaning, self.inclusive31 = meaning, inclusive31
        self.units, self.copies, self.calls = {}, {}, {}  # copies by group and call
        self.accesses, self.at_byte, self.objects = [], {}, {}
        self.writing = 0       # the accesses that write, as bits
        self.launch, self.passing = None, []
        self.races = {}        # (region, line, line) -> {(unit, line, unit, line)}
        self.first = {}        # byte -> {(region, line, line)} of the access that raced first there

    # ---- scopes --------------------------------------------------------------------------

    def inclusive(self, one, unit, other, other_unit):
        if one != other and not self.inclusive31:
            return False
        narrow = min(one, other)
        if narrow == WIDTH["sub_group"]:
            return (unit.group, unit.sub_group) == (other_unit.group, other_unit.sub_group)
        if narrow == WIDTH["work_group"]:
            return unit.group == other_unit.group
        return narrow > WIDTH["work_group"]

    # ---- synchronises-with -----------------------------------------------------------------

    def acquire(self, unit, region, heads, scope, regions, fence):
        """An acquire of the unit after an operation that read sequences with these heads."""
        for head in heads:
            if head.unit is unit or not self.inclusive(reduced(head.scope, region), head.unit, reduced(scope, region), unit):
                continue
            unit.known[region] |= head.known[region]
            if head.fence and fence and head.regions == regions == GLOBAL | LOCAL:
                unit.known[GLOBAL + LOCAL - region] |= head.known[GLOBAL + LOCAL - region]

    def acquire_fence(self, unit, regions, scope):
        for region, heads in unit.read:
            if region & regions:
                self.acquire(unit, region, heads, scope, regions, True)

    def release_fence(self, unit, regions, scope):
        unit.fences.append(Head(unit, scope, regions, True))

    @staticmethod
    def sequences(order):
        """Heads whose release sequence the latest store is part of: later stores are the head's unit's, or updates."""
        heads, storers = [], set()
        for store in reversed(order):
            if storers <= {store.unit}:
                heads += store.heads
            if not store.is_update:
                storers.add(store.unit)
            if len(storers) > 1:
                break
        return heads

    def heads(self, unit, region, release=None):
        own = [Head(unit, release, region, False)] if release else []
        return own + [head for head in unit.fences if head.regions & region]

    # ---- races -------------------------------------------------------------------------------

    def conflicts(self, mine, other):
        if other.unit is mine.unit:
            return False
        one_object = (mine.low, mine.size) == (other.low, other.size)
        both = mine.scope is not None and other.scope is not None and one_object
        return not (both and self.inclusive(mine.scope, mine.unit, other.scope, other.unit))

    def races_with(self, index, candidates, region):
        """Those of the accesses whose bits are set that race with this one, as pairs of lines."""
        mine, pairs, digits = self.accesses[index], set(), bin(candidates)[:1:-1]
        i = digits.find("1")
        while i >= 0:
            other = self.accesses[i]
            if self.conflicts(mine, other):
                pair = (region,) + tuple(sorted((mine.line, other.line)))
                self.races.setdefault(pair, set()).add((other.unit.name, other.line, mine.unit.name, mine.line))
                pairs.add(pair)
            i = digits.find("1", i + 1)
        return pairs

    def judge(self, index, region):
        """With the accesses so far; from now on it is one of them."""
        mine, judged = self.accesses[index], {}
        open_to = ~mine.unit.known[region] if mine.writes else self.writing & ~mine.unit.known[region]
        self.writing |= mine.writes << index
        for byte in mine.bytes():
            before = self.at_byte.get(byte, 0)
            self.at_byte[byte] = before | 1 << index
            candidates = before & open_to
            if candidates not in judged:
                judged[candidates] = self.races_with(index, candidates, region)
            if judged[candidates]:
                self.first.setdefault(byte, judged[candidates])

    # ---- lines of the trace --------------------------------------------------------------------

    def unit_of(self, line):
        name = (line["group"], line["item"])
        return self.units.setdefault(name, Unit(name, line["group"], line["sub_group"]))

    def wanted(self, line):
        meaning = self.meaning.get(line["line"])
        if meaning is None:
            raise Disagreement("nothing is done at line %d" % line["line"])
        return meaning

    @staticmethod
    def expect(line, key, value):
        if line.get(key) != value:
            raise Disagreement("%s is not %s: %s" % (key, value, line))

    def atomic_of(self, line):
        """The order that the program says; of a compare-exchange that failed, that of its failure."""
        meaning = self.wanted(line)
        order = meaning["order"]
        if line["kind"] == "atomic-read":
            order = meaning.get("failure", order)
        self.expect(line, "order", order)
        self.expect(line, "scope", meaning["scope"])
        return order, meaning["scope"]

    def access(self, line):
        region = REGIONS[line["region"]]
        meaning = self.wanted(line)
        kind, atomic = line["kind"], line["kind"].startswith("atomic")
        unit = self.unit_of(line)
        if "copy" in line:
            unit = self.copies[unit.group, self.calls[unit.name]]
        space = (line["object"], line["group"] if region == LOCAL else None)
        key = (space, line["offset"], line["size"])
        writes = kind not in ("read", "atomic-read")
        order, scope = self.atomic_of(line) if atomic else (None, None)
        if "copy" not in line:
            self.expect(line, "region", meaning["region"])
        index = len(self.accesses)
        self.accesses.append(Access(unit, line["line"], space, line["offset"], line["size"],
                                    reduced(scope, region) if atomic else None, writes))
        if kind in ("atomic-read", "atomic-update"):
            heads = self.sequences(self.objects.get(key, []))
            if order in ACQUIRES:
                self.acquire(unit, region, heads, scope, region, False)
            if heads:
                unit.read.append((region, heads))
        if "copy" in line:
            unit.unjudged.append((index, region))
            unit.accesses |= 1 << index
            self.judge_copy(unit)
        else:
            self.judge(index, region)
            unit.known[region] |= 1 << index
        if writes:
            self.store(unit, region, key, kind, scope if order in RELEASES else None, atomic)

    def store(self, unit, region, key, kind, release, atomic):
        """A plain store to an object is one of its order, but publishes nothing: that takes an atomic one after a fence.
        An atomic one of another size or place is no part of its order, so nobody reads its sequences any more."""
        space, low, size = key
        for (other_space, other_low, other_size), order in self.objects.items():
            if other_space != space or other_low >= low + size or low >= other_low + other_size:
                continue
            if not atomic:
                order.append(Store(unit, False, []))
            elif (other_low, other_size) != (low, size):
                order.clear()
        if atomic:
            heads = self.heads(unit, region, release)
            self.objects.setdefault(key, []).append(Store(unit, kind == "atomic-update", heads))

    def fence(self, line):
        unit, meaning = self.unit_of(line), self.wanted(line)
        for key in ("order", "scope"):
            self.expect(line, key, meaning[key])
        if meaning["order"] in ACQUIRES:
            self.acquire_fence(unit, meaning["regions"], meaning["scope"])
        if meaning["order"] in RELEASES:
            self.release_fence(unit, meaning["regions"], meaning["scope"])

    def copy_comes(self, line):
        """The members' calls are counted: the first ones are the same copy, and so on."""
        unit = self.unit_of(line)
        call = self.calls[unit.name] = self.calls.get(unit.name, 0) + 1
        copy = self.copies.setdefault((unit.group, call), Copy(unit.group, call, line["copy"], self.launch["local"][0]))
        for region in copy.known:
            copy.known[region] &= unit.known[region]
        copy.absent -= 1
        self.judge_copy(copy)

    def judge_copy(self, copy):
        """Once all have come: only then it is known what it knows."""
        if copy.absent:
            return
        for index, region in copy.unjudged:
            self.judge(index, region)
        copy.unjudged = []

    def copy_is_waited_for(self, line):
        unit = self.unit_of(line)
        for copy in self.copies.values():
            if (copy.group, copy.number) == (unit.group, line["copy"]):
                for region in unit.known:
                    unit.known[region] |= copy.known[region] | copy.accesses

    def barrier(self, lines):
        """A release fence of each, edges from all to all for each region that it names, an acquire fence of each."""
        meaning = self.wanted(lines[0])
        units = [self.unit_of(line) for line in lines]
        for unit in units:
            self.release_fence(unit, meaning["regions"], meaning["scope"])
        for region in (GLOBAL, LOCAL):
            together = 0
            for unit in units:
                together |= unit.known[region]
            for unit in units:
                unit.known[region] |= together if meaning["regions"] & region else 0
        for unit in units:
            self.acquire_fence(unit, meaning["regions"], meaning["scope"])

    def pass_barrier(self):
        lines, self.passing = self.passing, []
        if not lines or lines[0]["kind"] == "collective":  # a collective orders nothing
            return
        for line in lines:
            self.expect(line, "scope", self.wanted(line)["scope"])
            self.expect(line, "regions", [name for name, flag in REGIONS.items() if self.wanted(line)["regions"] & flag])
        parts = {}
        for line in lines:
            part = line["sub_group"] if line["kind"] == "sub-group-barrier" else None
            parts.setdefault((line["group"], part), []).append(line)
        for part in parts.values():
            self.barrier(part)

    def hear(self, line):
        if self.passing and line.get("passage") != self.passing[0]["passage"]:
            self.pass_barrier()
        if line["type"] == "launch":
            self.launch = line
        elif line["type"] == "access":
            self.access(line)
        elif line["kind"] == "fence":
            self.fence(line)
        elif line["kind"] == "copy":
            self.copy_comes(line)
        elif line["kind"] == "copy-wait":
            self.copy_is_waited_for(line)
        else:
            self.passing.append(line)
