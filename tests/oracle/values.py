# SPDX-License-Identifier: Apache-2.0
"""What memory has after each access of a trace, and whether the accesses of findings read and wrote what they are told to.

The later access is under way when a race is told: it always has its value. Of the earlier one it is told where it is certain,
which it often is.
"""

KINDS = {"load": "read", "store": "write", "atomic load": "atomic-read", "atomic store": "atomic-write",
         "atomic read-modify-write": "atomic-update"}


def place_of(line):
    """Its first byte: local memory is another one in each work-group."""
    return (line["object"], line["group"] if line["region"] == "local" else None), line["offset"]


class Memory:
    """Bytes that are known; what copies and long vectors write is not."""

    def __init__(self):
        self.bytes, self.wrong = {}, []

    def hear(self, line):
        if line["type"] != "access" or "object" not in line:
            return
        (where, offset), size = place_of(line), line["size"]
        if "found" in line:
            found = int(line["found"], 16).to_bytes(size, "little")
            known = [self.bytes.get((where, offset + i)) for i in range(size)]
            if any(byte is not None and byte != found[i] for i, byte in enumerate(known)):
                self.wrong.append("found %s where %s was: %s" % (found.hex(), known, line))
            self.put(where, offset, found)
        if "wrote" in line:
            self.put(where, offset, int(line["wrote"], 16).to_bytes(size, "little"))
        elif line["kind"] in ("write", "atomic-write", "atomic-update"):
            self.put(where, offset, [None] * size)

    def put(self, where, offset, values):
        for i, byte in enumerate(values):
            self.bytes[where, offset + i] = byte


def acts_of(trace):
    """The accesses by launch, work-item, place in the source and kind, each with its number in the trace."""
    acts = {}
    for number, line in enumerate(trace):
        if line["type"] == "access" and "copy" not in line and "object" in line:
            key = line["launch"], line["group"], line["item"], line.get("line"), line.get("column"), line["kind"]
            acts.setdefault(key, []).append((number, line))
    return acts


def those(acts, finding, access):
    item = access["item"]
    key = finding["launch"], item["group_id"][0], item["local_id"][0], access["line"], access["column"], KINDS[access["access"]]
    at, local = finding["offset_bytes"], finding["id"] == "race-local"
    return [(number, line) for number, line in acts.get(key, []) if (line["region"] == "local") == local and line["size"] == access["size_bytes"] and
            line["offset"] <= at < line["offset"] + line["size"]]


def is_told(access, line):
    read = access["access"] in ("load", "atomic load", "atomic read-modify-write")
    told = {"found" if read else "wrote": access.get("value"), "wrote" if read else None: access.get("written")}
    return all(value is None or line.get(name) == value for name, value in told.items() if name)


def is_scalar(access):
    return access["size_bytes"] in (1, 2, 4, 8)


def lacks_value(access):
    return is_scalar(access) and ("value" not in access or (KINDS[access["access"]] == "atomic-update" and "written" not in access))


class Earlier:
    """Of how many earlier accesses a value is told, by whether the later one is atomic: memory has it, or what the atomic found.

    What an atomic operation comes after is seldom certain: another one may have come between.
    """
    ENOUGH, ONE_IN = 60, (2, 20)  # least to be judged, and to be reported

    def __init__(self):
        self.told, self.all = [0, 0], [0, 0]

    def hear(self, earlier, later):
        atomic = KINDS[later["access"]].startswith("atomic")
        self.all[atomic] += is_scalar(earlier)
        self.told[atomic] += "value" in earlier or "written" in earlier

    def add(self, other):
        self.told, self.all = ([a + b for a, b in zip(*pair)] for pair in ((self.told, other.told), (self.all, other.all)))

    def are_few(self):
        return any(count >= self.ENOUGH and told * one_in < count for told, count, one_in in zip(self.told, self.all, self.ONE_IN))


def differences(trace, findings):
    """And Earlier, how many accesses could have a value and how many have."""
    memory, acts, found, earlier_ones = Memory(), acts_of(trace), [], Earlier()
    for line in trace:
        memory.hear(line)
    for finding in findings:
        accesses = finding["accesses"]
        if finding["id"] not in ("race-global", "race-local") or len(accesses) != 2 or not all("item" in access for access in accesses):
            continue
        earlier_ones.hear(*accesses)
        if lacks_value(accesses[1]):
            found.append("no value: %s" % {key: finding[key] for key in ("id", "offset_bytes", "accesses")})
        earlier, later = (those(acts, finding, access) for access in accesses)
        pairs = [(max((act for act in earlier if act[0] < second[0]), default=None, key=lambda act: act[0]), second) for second in later]
        if not any(first and is_told(accesses[0], first[1]) and is_told(accesses[1], second[1]) for first, second in pairs):
            found.append("values: %s" % {key: finding[key] for key in ("id", "offset_bytes", "accesses")})
    return memory.wrong[:3] + found, earlier_ones
