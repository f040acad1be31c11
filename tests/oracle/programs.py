# SPDX-License-Identifier: Apache-2.0
"""Random kernels of OpenCL C with barriers, fences, atomics and copies, and what each line of them means.

The same number makes the same program, with every version of Python 3 that keeps random.Random's sequence.
"""

import random

GLOBAL, LOCAL = 1, 2
FLAGS = {0: "0", GLOBAL: "CLK_GLOBAL_MEM_FENCE", LOCAL: "CLK_LOCAL_MEM_FENCE",
         GLOBAL | LOCAL: "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"}
NAMES = {GLOBAL: "global", LOCAL: "local"}
DATA = {GLOBAL: "g", LOCAL: "l"}      # plain ints
OBJECTS = {GLOBAL: "ga", LOCAL: "la"}  # atomic ints
ELEMENTS = 64                         # of them, and after those four for messages alone
POLICIES = ["lockstep", "random", "pct", "serial", "reverse", "round-robin"]

# Sizes of work-groups and sub-groups, how many groups, and what is more frequent than usual.
SHAPES = {
    "small": dict(local=[1, 2, 4, 6, 8, 8, 12], sub_group=[4, 4, 8, 16], groups=[1, 2, 2, 3, 4]),
    "mixed": dict(local=[2, 4, 8, 12], sub_group=[4, 8], groups=[1, 2, 3], sizes=0.2),
    "large": dict(local=[64, 96, 128, 256], sub_group=[8, 16, 32], groups=[1, 2], short=True),
    "waves": dict(local=[272, 300, 320], sub_group=[8, 32], groups=[1, 2], short=True),
    "many": dict(local=[16, 32, 64], sub_group=[8, 32], groups=[20, 32], short=True),
    "sparse": dict(local=[64, 96, 256], sub_group=[8, 32], groups=[1, 2, 3], short=True, own=0.8),
    "twice": dict(local=[2, 4, 8], sub_group=[4, 8], groups=[1, 2, 3], launches=2),
    "inclusive": dict(local=[4, 8, 12], sub_group=[4, 8], groups=[1, 2, 3], inclusive31=True, sizes=0.1),
}
# Most of the programs are small: they are run quickly, and have as many ways to synchronise.
TURNS = ["small", "mixed", "small", "inclusive", "small", "twice", "mixed", "large", "small", "mixed", "sparse", "small",
         "inclusive", "waves", "small", "mixed", "twice", "many"]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shape = SHAPES[TURNS[seed % len(TURNS)]]
        self.policy = POLICIES[seed // len(TURNS) % len(POLICIES)]
        pick = self.random.choice
        self.sub_group, self.local, self.groups = (pick(self.shape[k]) for k in ("sub_group", "local", "groups"))
        self.items = self.local * self.groups
        self.crowded = self.random.random() < 0.4
        self.inclusive31 = self.shape.get("inclusive31", False)
        self.lines, self.meaning = [], {}  # of a line's number
        self.events, self.copies = [], 0
        self.kernel()

    def source(self):
        return "\n".join(self.lines) + "\n"

    def scenario(self, source, seed):
        args = ("{buffer: {type: int, count: %d, fill: 0}}, {buffer: {type: int, count: 8, fill: 0}}, "
                "{buffer: {type: long, count: 4, fill: 0}}, {buffer: {type: int, count: %d, fill: 0}}" % (ELEMENTS + 4, self.items))
        launch = "  - {kernel: k, global: [%d], local: [%d], args: [%s]}\n" % (self.items, self.local, args)
        rule = ", scope_rule: inclusive31" if self.inclusive31 else ""
        return ("orrery: 1\ndevice: {sub_group_sizes: [%d]%s}\nschedule: {policy: %s, seed: %d}\n"
                "checks: {races: error, uninitialised: off}\nprogram: {source: %s, options: \"-cl-std=CL3.0\"}\nlaunch:\n%s"
                % (self.sub_group, rule, self.policy, seed, source, launch * self.shape.get("launches", 1)))

    # ---- words -------------------------------------------------------------------------------

    def chance(self, of_one):
        return self.random.random() < of_one

    def put(self, depth, text, **meaning):
        self.lines.append("    " * depth + text)
        if meaning:
            self.meaning[len(self.lines)] = meaning

    def region(self):
        return self.random.choice([GLOBAL, GLOBAL, LOCAL])

    def scope(self):
        return self.random.choice(["work_group", "work_group", "device", "device", "device", "sub_group", "all_svm_devices"])

    def order(self, operation):
        return self.random.choice({
            "load": ["relaxed", "acquire", "acquire", "seq_cst"], "store": ["relaxed", "release", "release", "seq_cst"],
            "update": ["relaxed", "acquire", "release", "acq_rel", "acq_rel", "seq_cst"]}[operation])

    def index(self, below, loop=None):
        pick, n = self.random.choice, self.random.randrange
        if below > 4 and self.chance(self.shape.get("own", 0)):
            return pick(["gid %% %d", "gid %% %d", "(gid + 1) %% %d", "(%d - gid) %%%% %%d" % (self.items - 1),
                         "(grp * %d + (lid + 1) %%%% %d) %%%% %%d" % (self.local, self.local)]) % below
        if self.crowded and self.chance(0.5):
            return str(n(min(3, below)))
        forms = ["%d" % n(below), "gid %% %d" % below, "lid %% %d" % below, "(gid + %d) %% %d" % (n(1, 4), below),
                 "grp %% %d" % below, "(lid + %d) %% %d" % (n(1, 4), below), "(%d - lid %% %d)" % (below - 1, below),
                 "(gid * %d) %% %d" % (pick([2, 3, 5]), below), "(gid ^ %d) %% %d" % (pick([1, 2, 3]), below),
                 "(grp * %d + lid) %% %d" % (self.local, below), "(gid / 2) %% %d" % below]
        if loop:
            forms += ["(%s + gid) %% %d" % (loop, below), "%s %% %d" % (loop, below),
                      "(%s * %d + lid) %% %d" % (loop, self.local, below)]
        return pick(forms)

    def condition(self):
        n = self.random.randrange
        return self.random.choice(["lid == %d" % n(self.local), "gid == %d" % n(self.items), "gid %% 2 == %d" % n(2),
                                   "lid < %d" % n(1, self.local + 1), "grp == %d" % n(self.groups), "gid % 3 != 1",
                                   "gid > %d" % n(self.items)])

    # ---- accesses ------------------------------------------------------------------------------

    def plain(self, depth, loop):
        """Data of every size: its own ints, parts of them, vectors, and now and then an atomic object."""
        region = self.region()
        data, space, is_store = DATA[region], NAMES[region], self.chance(0.5)
        kind = self.random.choice(["int"] * 5 + ["uchar", "short", "long", "2", "3", "4", "16", "object"])
        region = NAMES[region]
        if kind == "16":
            at = self.index(ELEMENTS // 4, loop)
            self.put(depth, "vstore16((uchar16)(%d), %s, (%s uchar *)%s);" % (self.random.randrange(9), at, space, data) if is_store
                     else "acc += vload16(%s, (%s uchar *)%s).s3;" % (at, space, data), region=region)
            return
        if kind.isdigit():
            n, at = int(kind), self.index(ELEMENTS // int(kind), loop)
            self.put(depth, "vstore%d((int%d)(%d), %s, %s);" % (n, n, self.random.randrange(9), at, data) if is_store
                     else "acc += vload%d(%s, %s).s%d;" % (n, at, data, self.random.randrange(n)), region=region)
            return
        if kind == "object":
            place = "((%s int *)%s)[%s]" % (space, "ga" if space == "global" else "la", self.index(4, loop))
        elif kind == "int":
            place = "%s[%s]" % (data, self.index(ELEMENTS, loop))
        else:
            place = "((%s %s *)%s)[%s]" % (space, kind, data, self.index(ELEMENTS // 2 if kind == "long" else ELEMENTS, loop))
        if is_store:
            self.put(depth, "%s = %s;" % (place, self.random.choice(["acc", "gid", str(self.random.randrange(9))])), region=region)
        else:
            self.put(depth, ("%s += 1;" if self.chance(0.15) else "acc += %s;") % place, region=region)

    def object(self, loop=None):
        """Region, expression, is it a long: objects of global memory, of local memory, and long ones in the midst of ints."""
        region = self.region()
        if region == GLOBAL and self.chance(0.12):
            return region, "&gl[%s]" % self.index(3, loop), True
        if self.chance(self.shape.get("sizes", 0)):
            return region, "(%s atomic_long *)%s" % (NAMES[region], OBJECTS[region]), True
        return region, "&%s[%s]" % (OBJECTS[region], self.index(3, loop)), False

    def atomic(self, depth, loop=None):
        pick, n = self.random.choice, self.random.randrange
        region, place, is_long = self.object(loop)
        scope, value, name = self.scope(), n(1, 4), NAMES[region]
        kind = pick(["load", "load", "store", "store", "update", "update", "exchange", "compare", "old", "default"])
        if kind == "old" and is_long:
            kind = "update"
        if kind == "compare":
            self.compare(depth, place, is_long, scope, name)
        elif kind == "old":  # OpenCL 1.x: relaxed, of the device or of the work-group that has the memory
            self.put(depth, "acc += %s((volatile %s int *)%s, %d);" % (pick(["atomic_add", "atomic_xchg", "atomic_or"]), name, place, value),
                     region=name, order="relaxed", scope="device" if region == GLOBAL else "work_group")
        elif kind == "default":
            self.put(depth, pick(["acc += atomic_load(%s);" % place, "atomic_store(%s, %d);" % (place, value),
                                  "acc += atomic_fetch_add(%s, %d);" % (place, value)]), region=name, order="seq_cst", scope="device")
        else:
            order = self.order(kind if kind in ("load", "store") else "update")
            self.explicit(depth, kind, place, is_long, value, region=name, order=order, scope=scope)

    def explicit(self, depth, kind, place, is_long, value, **meaning):
        function = {"load": "load", "store": "store", "exchange": "exchange",
                    "update": self.random.choice(["fetch_add"] if is_long else ["fetch_add", "fetch_or", "fetch_max", "fetch_sub"])}[kind]
        argument = "" if kind == "load" else "%d, " % value
        self.put(depth, "%satomic_%s_explicit(%s, %smemory_order_%s, memory_scope_%s);"
                 % ("" if kind == "store" else "acc += ", function, place, argument, meaning["order"], meaning["scope"]), **meaning)

    def compare(self, depth, place, is_long, scope, name):
        order = self.order("update")
        failure = self.random.choice({"acquire": ["relaxed", "acquire"], "acq_rel": ["relaxed", "acquire"],
                                      "seq_cst": ["relaxed", "acquire", "seq_cst"]}.get(order, ["relaxed"]))
        self.put(depth, "{ %s e = %d; if (atomic_compare_exchange_strong_explicit(%s, &e, %d, memory_order_%s, memory_order_%s, "
                 "memory_scope_%s)) acc++; }" % ("long" if is_long else "int", self.random.randrange(3), place,
                                                 self.random.randrange(1, 4), order, failure, scope),
                 region=name, order=order, failure=failure, scope=scope)

    # ---- what synchronises ----------------------------------------------------------------------

    def fence(self, depth, order=None):
        pick = self.random.choice
        if not order or self.chance(0.3):
            order = pick(["acq_rel", "seq_cst"] if order else ["acquire", "release", "acq_rel", "seq_cst"])
        regions, scope = pick([GLOBAL, GLOBAL, LOCAL, GLOBAL | LOCAL, GLOBAL | LOCAL]), self.scope()
        call = "atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s);" % (FLAGS[regions], order, scope)
        if self.chance(0.1):
            name, order = pick([("mem_fence", "acq_rel"), ("read_mem_fence", "acquire"), ("write_mem_fence", "release")])
            call, scope = "%s(%s);" % (name, FLAGS[regions]), "work_group"
        self.put(depth, call, regions=regions, order=order, scope=scope)

    def barrier(self, depth):
        pick = self.random.choice
        regions = pick([GLOBAL, LOCAL, GLOBAL | LOCAL, 0]) if self.chance(0.3) else GLOBAL | LOCAL
        if self.chance(0.1):
            self.put(depth, "acc += work_group_reduce_add(1);", collective=True)
            return
        if self.chance(0.25):
            scope = pick(["sub_group", "sub_group", "work_group", "device"])
            self.put(depth, "sub_group_barrier(%s, memory_scope_%s);" % (FLAGS[regions], scope), regions=regions, scope=scope)
            return
        scope = pick(["work_group"] * 4 + ["device", "sub_group"])
        if self.chance(0.3):
            scope = "work_group"
            self.put(depth, "barrier(%s);" % FLAGS[regions], regions=regions, scope=scope)
        else:
            self.put(depth, "work_group_barrier(%s, memory_scope_%s);" % (FLAGS[regions], scope), regions=regions, scope=scope)

    def copy(self, depth):
        pick, n = self.random.choice, self.random.randrange
        if self.events and self.chance(0.6):
            self.wait(depth, self.events.pop(n(len(self.events))))
            return
        if self.copies == 4:
            return
        event, count = "e%d" % self.copies, pick([1, 2, 4, 8])
        outer = "%d + grp * %d" % (n(24), count) if self.chance(0.6) and self.groups <= 4 else str(n(24))
        places = ["l + %d" % n(24), "g + %s" % outer]
        self.random.shuffle(places)
        self.copies += 1
        self.events.append(event)
        self.put(depth, "%s = async_work_group_copy(%s, %s, %d, 0);" % (event, places[0], places[1], count), copy=True)

    def wait(self, depth, event):
        self.put(depth, "wait_group_events(1, &%s);" % event, copy=True)

    def message(self, depth):
        """One work-item stores data and raises a flag, in the right way or not; another one looks for it a few times."""
        pick, n = self.random.choice, self.random.randrange
        home, region = self.region(), self.region()
        place, is_long = "&%s[3]" % OBJECTS[region], False  # nothing else uses that one
        if self.chance(0.3):
            region, place, is_long = self.object()
        data = "%s[%d]" % (DATA[home], n(4) + (ELEMENTS if self.chance(0.7) else 0))
        name, right = NAMES[region], self.chance(0.7)
        sender, reader = self.pair(LOCAL in (home, region))
        scope = self.scope()
        if right:
            near = sender // self.local == reader // self.local
            scope = pick(["device", "all_svm_devices"] + ["work_group"] * near)
        fences = [self.chance(0.5), self.chance(0.5)]
        flags = [GLOBAL | LOCAL if home != region else region] * 2
        if self.chance(0.2):
            flags[n(2)] = pick([GLOBAL, LOCAL])
        self.put(depth, "if (gid == %d) {" % sender)
        self.put(depth + 1, "%s = 1;" % data, region=NAMES[home])
        self.publish(depth + 1, right, fences[0], flags[0], place, is_long, region=name, scope=scope)
        if self.chance(0.2):
            self.atomic(depth + 1)
        self.put(depth, "}")
        if self.chance(0.4):
            self.between(depth, place, is_long, name)
        self.put(depth, "if (gid == %d) {" % reader)
        self.look(depth + 1, right, fences[1], flags[1], place, region=name, scope=scope if right or self.chance(0.8) else self.scope())
        self.put(depth + 1, "acc += %s;" % data, region=NAMES[home])
        self.put(depth, "}")

    def pair(self, near):
        """Sender and reader, of one work-group or not: mostly in the order in which they run."""
        one, two = self.random.randrange(self.items), self.random.randrange(self.items)
        if near or self.chance(0.3):
            two = one // self.local * self.local + self.random.randrange(self.local)
        if self.chance(0.8):
            one, two = sorted([one, two], reverse=self.policy == "reverse")
        return one, two

    def publish(self, depth, right, fence, regions, place, is_long, **flag):
        kind = self.random.choice(["store", "store", "exchange"])
        order = self.order("store" if kind == "store" else "update")
        if right:
            order = "relaxed" if fence else "release"
        if fence and right:
            self.exact_fence(depth, "release", regions, flag["scope"])
        elif fence:
            self.fence(depth, "release")
        self.explicit(depth, kind, place, is_long, 7, order=order, **flag)

    def between(self, depth, place, is_long, name):
        """Another work-item goes on with the sequence, or breaks it."""
        self.put(depth, "if (gid == %d) {" % self.random.randrange(self.items))
        if self.chance(0.7):
            kind = self.random.choice(["store", "exchange"])
            self.explicit(depth + 1, kind, place, is_long, 7, region=name, order="relaxed", scope=self.scope())
        else:
            self.atomic(depth + 1)
        self.put(depth, "}")

    def look(self, depth, right, fence, regions, place, **flag):
        order = self.order("load")
        if right:
            order = "relaxed" if fence else "acquire"
        self.put(depth, "for (int t = 0; t < 6 && atomic_load_explicit(%s, memory_order_%s, memory_scope_%s) != 7; t++) ;"
                 % (place, order, flag["scope"]), order=order, **flag)
        if fence and right:
            self.exact_fence(depth, "acquire", regions, flag["scope"])
        elif fence:
            self.fence(depth, "acquire")

    def exact_fence(self, depth, order, regions, scope):
        order = self.random.choice([order, "acq_rel", "seq_cst"])
        self.put(depth, "atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s);" % (FLAGS[regions], order, scope),
                 regions=regions, order=order, scope=scope)

    # ---- statements ------------------------------------------------------------------------------

    def branch(self, depth, loop):
        self.put(depth, "if (%s) {" % self.condition())
        self.block(depth + 1, self.random.randrange(1, 4), False, loop)
        if self.chance(0.4):
            self.put(depth, "} else {")
            self.block(depth + 1, self.random.randrange(1, 3), False, loop)
        self.put(depth, "}")

    def group_branch(self, depth, loop):
        self.put(depth, "if (grp == %d) {" % self.random.randrange(self.groups))
        self.block(depth + 1, self.random.randrange(1, 4), True, loop)
        self.put(depth, "}")

    def loop(self, depth, uniform):
        name = "i%d" % depth
        bound = str(self.random.randrange(2, 5)) if uniform or self.chance(0.5) else "lid %% %d + 1" % self.random.choice([2, 3])
        self.put(depth, "for (int %s = 0; %s < %s; %s++) {" % (name, name, bound, name))
        self.block(depth + 1, self.random.randrange(1, 4), uniform, name)
        self.put(depth, "}")

    def statement(self, depth, uniform, loop):
        """uniform: the whole work-group comes here."""
        at = self.random.random()
        if at < 0.30 or (at < 0.65 and at >= 0.56 and not uniform) or (depth > 3 and at >= 0.65):
            self.plain(depth, loop)
        elif at < 0.49:
            self.atomic(depth, loop)
        elif at < 0.56:
            self.fence(depth)
        elif at < 0.65:
            self.barrier(depth)
        elif at < 0.72:
            self.branch(depth, loop)
        elif at < 0.75 and uniform:
            self.group_branch(depth, loop)
        elif at < 0.80:
            self.loop(depth, uniform)
        elif at < 0.84 and uniform and depth == 1:
            self.copy(depth)
        else:
            self.message(depth)

    def block(self, depth, count, uniform, loop=None):
        for _ in range(count):
            self.statement(depth, uniform, loop)

    def kernel(self):
        self.put(0, "kernel void k(global int *g, global atomic_int *ga, global atomic_long *gl, global int *out)")
        self.put(0, "{")
        self.put(1, "local int l[%d]; local atomic_int la[4] __attribute__((aligned(8)));" % (ELEMENTS + 4))
        self.put(1, "int gid = get_global_id(0), lid = get_local_id(0), grp = get_group_id(0), acc = 0;")
        self.put(1, "event_t e0, e1, e2, e3;")
        self.put(1, "for (int i = lid; i < %d; i += get_local_size(0))" % (ELEMENTS + 4))
        self.put(2, "l[i] = 0;", region="local")
        self.put(1, "for (int i = 0; lid == 0 && i < 4; i++)")
        self.put(2, "atomic_init(&la[i], 0);", region="local")
        if self.chance(0.95):
            self.put(1, "work_group_barrier(CLK_LOCAL_MEM_FENCE);", regions=LOCAL, scope="work_group")
        self.block(1, self.random.randrange(4, 9 if self.shape.get("short") else 14), True)
        for event in self.events:
            self.wait(1, event)
        self.put(1, "out[gid] = acc;", region="global")
        self.put(0, "}")
