#!/usr/bin/env python3
"""Random OpenCL C kernels, compared with the same text compiled for the host.

Each program has many kernels. All that they compute is defined: arithmetic is
unsigned or too narrow to overflow, shifts are masked, divisors are odd, every
variable is written before it is read, barriers stand where all work-items come
by, each location has one kind of atomic operation, and no work-item reads what
another writes but past a barrier. clang compiles the text for the processor
(random_kernels_host.py), where work-items are fibres; the values that it computes
become the expectations of a scenario. `orrery check` runs that under every
schedule, with checks off and on, with several sizes of sub-groups, with and
without optimisation; tests/check_slots judges the code that is emitted.

A kernel that differs is printed with its seed, cut down to the statements that
matter.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile

import random_kernels_host as host
import random_kernels_pocl as pocl
from random_kernels_forms import HEAD as FORMS, INT, UINT, ULONG, Forms, Node, Struct, Type

SCHEDULES = ["lockstep", "serial", "round-robin", "reverse", "random", "pct"]
CHECKS = {"off": ["--data-races=off", "--uninitialized=off"], "on": ["--data-races", "--uninitialized"]}
SUB_GROUPS = ["1", "4", "8", "16", "32", "64"]
SHAPES = [([16], [8]), ([24], [24]), ([21], [7]), ([6, 4], [3, 2]), ([5, 4], [5, 4]), ([64], [64]), ([96], [32])]
UNEVEN = [([21], [8]), ([7, 5], [3, 2]), ([100], [64]), ([9, 3], [4, 4])]  # the last groups are smaller, from 2.0 on
INTEGERS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
FLOATS = ["float", "double"]
HALF = "h16"  # half, by functions: the host computes its own
WIDTHS = [1, 1, 1, 2, 3, 4, 8, 16]
BITS = host.BITS
ATOMICS = ["atomic_add", "atomic_min", "atomic_max", "atomic_and", "atomic_or", "atomic_xor"]


def unsigned(base):
    return base if base[0] == "u" else "u" + base


def signed(base):
    return base.lstrip("u")


class Writer(Forms):
    """Writes one function. `places` are what may be read and written: (text, Type); `values` what may be read."""

    def __init__(self, rng, helpers, early_return=None):
        self.rng, self.helpers, self.early_return = rng, helpers, early_return
        self.places, self.values, self.arrays, self.records, self.count = [], [], [], [], 0
        self.memory = False  # a kernel: it has buffers
        self.control = False  # loops in loops, of few types

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def type(self, floats=True):
        r = self.rng
        if self.control:
            return r.choice([UINT, UINT, INT, Type("ushort"), ULONG, Type("float"), Type("int", 2)])
        base = r.choice(INTEGERS + (FLOATS if floats else []) + ["int", "uint", HALF])
        return Type(base, r.choice(WIDTHS) if base != HALF else 1)

    # ---- expressions ----

    def literal(self, t):
        r = self.rng
        if t.base == HALF:
            return f"h_of({self.literal(Type('float'))})"
        if t.floating:
            number = r.choice(["0.0", "1.0", "-1.5", "0.1", "3.25", "1e5", "-7.0", "1e-3"]) + ("f" if t.base == "float" else "")
        else:
            number = str(r.choice([0, 1, 2, 3, 5, 7, 31, 100, 127]))
        return f"({t.name})({number})"

    def leaf(self, t):
        r = self.rng
        fitting = [p for p, u in self.places + self.values if u.name == t.name]
        if fitting and r.random() < 0.7:
            return r.choice(fitting)
        others = [(p, u) for p, u in self.places + self.values if u.base == t.base and u.width > t.width]
        if others and r.random() < 0.6:
            return self.part(*r.choice(others), t.width)
        others = [(p, u) for p, u in self.places + self.values if u.width == t.width]
        if others and r.random() < 0.7:
            return self.converted(*r.choice(others), t)
        if t.width > 1 and r.random() < 0.3:
            return f"({t.name})({self.leaf(t.resized(1))})"
        return self.literal(t)

    def converted(self, text, source, t):
        if source.base == HALF:
            return text if t.base == HALF else self.converted(f"h_float({text})", Type("float"), t)
        if t.base == HALF:
            return f"h_of({self.converted(text, source, Type('float'))})"
        if source.floating and not t.floating:
            return f"convert_{t.name}_sat({text})"
        return f"convert_{t.name}({text})"

    def swizzle(self, width, count, distinct=False):
        r = self.rng
        if count == 1:
            return "s%x" % r.randrange(width)
        halves = {2: (2,), 4: (4, 3), 8: (8,), 16: (16,)}
        names = [n for n in ("lo", "hi", "even", "odd") if width == 2 * count and width != 3 and halves.get(width)]
        if names and r.random() < 0.4:
            return r.choice(names)
        picked = r.sample(range(width), count) if distinct else [r.randrange(width) for _ in range(count)]
        if width <= 4 and r.random() < 0.5:
            return "".join("xyzw"[k] for k in picked)
        return "s" + "".join("%x" % k for k in picked)

    def part(self, text, source, width):
        return f"{text}.{self.swizzle(source.width, width)}"

    def index(self, mask):
        return f"((uint)({self.value(self.rng.choice([INT, UINT, Type('uchar'), ULONG]), 1)}) & {mask}u)"

    def built_of(self, t, depth):
        """A vector of scalars and shorter vectors."""
        parts, left = [], t.width
        while left:
            width = self.rng.choice([w for w in (1, 1, 2, 3, 4, 8) if w <= left and (w < t.width or w == 1)])
            parts.append(self.value(t.resized(width), max(0, depth - 2)))
            left -= width
        return f"({t.name})({', '.join(parts)})"

    def arithmetic(self, t, a, b, op):
        if t.floating:
            return f"({a} {op} {b})"
        if t.width > 1:
            return f"as_{t.name}(as_{t.of(unsigned(t.base)).name}({a}) {op} as_{t.of(unsigned(t.base)).name}({b}))"
        wide = "ulong" if BITS[t.base] == 64 else "uint"
        return f"({t.name})(({wide})({a}) {op} ({wide})({b}))"

    def shift(self, t, a, b):
        u, mask = t.of(unsigned(t.base)), BITS[t.base] - 1
        if self.rng.random() < 0.5:
            return f"({t.name})({a} >> ({b} & ({t.name})({mask})))"
        if t.width > 1:
            return f"as_{t.name}(as_{u.name}({a}) << (as_{u.name}({b}) & ({u.name})({mask})))"
        wide = "ulong" if BITS[t.base] == 64 else "uint"
        return f"({t.name})(({wide})({a}) << ((uint)({b}) & {mask}u))"

    def integer_function(self, t, depth):
        r, a = self.rng, self.value(t, depth)
        name = r.choice(["min", "max", "rotate", "popcount", "clz", "hadd", "rhadd", "add_sat", "sub_sat", "bitselect", "abs_diff"]
                        + (["mul_hi"] if BITS[t.base] < 64 else []))
        if name in ("popcount", "clz"):
            return f"{name}({a})"
        b = self.value(t, depth)
        if name == "bitselect":
            return f"bitselect({a}, {b}, {self.value(t, depth)})"
        if name == "abs_diff":
            return f"convert_{t.name}(abs_diff({a}, {b}))"
        return f"{name}({a}, {b})"

    def half_value(self, t, depth):
        r = self.rng
        kind = r.choice(["op", "op", "op", "of", "choose", "fma", "array"])
        if kind == "op":
            return f"h_{r.choice(['add', 'sub', 'mul', 'div'])}({self.value(t, depth - 1)}, {self.value(t, depth - 1)})"
        if kind == "choose":
            return f"(h16)({self.condition(depth - 1)} ? {self.value(t, depth - 1)} : {self.value(t, depth - 1)})"
        if kind == "of":
            return f"h_of({self.value(Type('float'), depth - 1)})"
        if kind == "fma":
            return f"h_sqrt({self.value(t, depth - 1)})"
        return self.element(t)

    def element(self, t):
        fitting = [(n, size) for n, u, size in self.arrays if u.name == t.name]
        if not fitting:
            return self.leaf(t)
        name, size = self.rng.choice(fitting)
        return f"{name}[{self.index(size - 1)}]"

    def value(self, t, depth=3):
        r = self.rng
        if t.base == "bool":
            return self.condition(depth)
        depth = min(depth, 2) if self.control else depth
        if depth <= 0 or r.random() < 0.2:
            return self.leaf(t)
        if t.base == HALF:
            return self.half_value(t, depth)
        kinds = ["op"] * 4 + ["leaf", "convert", "choose", "function", "call", "array"]
        kinds += ["build"] * 2 if t.width > 1 else []
        kinds += ["choose_lanes", "memory"] if t.width > 1 else ["part", "bits", "memory"]
        kind = r.choice(kinds)
        if kind == "op" and t.floating:
            return self.arithmetic(t, self.value(t, depth - 1), self.value(t, depth - 1), r.choice("+-*/"))
        if kind == "op":
            a, b, op = self.value(t, depth - 1), self.value(t, depth - 1), r.choice(["+", "-", "*", "&", "|", "^", "/", "%", "<<", "~"])
            if op == "<<":
                return self.shift(t, a, b)
            if op == "~":
                return f"({t.name})(~{a})"
            if op in "/%":
                return f"({t.name})({a} {op} (({b} & ({t.name})(15)) | ({t.name})(1)))"
            return self.arithmetic(t, a, b, op)
        if kind == "convert":
            source = Type(r.choice(INTEGERS + FLOATS + [HALF] * (t.width == 1)), t.width)
            return self.converted(self.value(source, depth - 1), source, t)
        if kind == "choose":
            return f"({t.name})({self.condition(depth - 1)} ? {self.value(t, depth - 1)} : {self.value(t, depth - 1)})"
        if kind == "choose_lanes":
            a, b = self.value(t, depth - 1), self.value(t, depth - 1)
            return f"({a} {r.choice(['<', '>', '==', '!=', '<='])} {b} ? {b} : {self.value(t, depth - 1)})"
        if kind == "function":
            more = (self.more_floats if t.floating else self.more_integers)(t, depth - 1) if r.random() < 0.6 else None
            if more:
                return more
            if not t.floating:
                return self.integer_function(t, depth - 1)
            name = r.choice(["sqrt", "floor", "ceil", "trunc", "rint", "fabs", "fma"])
            more = "".join(", " + self.value(t, depth - 2) for _ in range(2)) if name == "fma" else ""
            return f"{name}({self.value(t, depth - 1)}{more})"
        if kind == "call":
            fitting = [h for h in self.helpers if h.result.name == t.name and not h.changed and not h.record]
            if fitting:
                h = r.choice(fitting)
                return f"{h.name}({', '.join(self.value(p, depth - 2) for p in h.parameters)})"
        if kind == "array":
            return self.element(t)
        if kind == "build":
            return self.built_of(t, depth)
        if kind == "part":
            source = t.resized(r.choice([2, 3, 4, 8, 16]))
            return f"({self.value(source, depth - 1)}).{self.swizzle(source.width, 1)}"
        if kind == "bits":
            if t.base in ("uint", "ulong"):
                return f"{'float' if t.base == 'uint' else 'double'}_bits({self.value(Type('float' if t.base == 'uint' else 'double'), depth - 1)})"
            if t.base == "int":
                return f"({self.condition(depth - 1)})"
        if kind == "memory" and self.memory:
            return self.from_memory(t)
        return self.leaf(t)

    def from_memory(self, t):
        r = self.rng
        if t.base == "uint" and t.width > 1 and r.random() < 0.5:
            return f"vload{t.width}({self.index(1)}, in)"
        if t.base == "uint" and t.width == 1:
            return r.choice([f"in[{self.index(31)}]", f"own[{self.index(1)}].{self.swizzle(4, 1)}"])
        if t.base == "uint" and t.width in (2, 3):
            return f"own[{self.index(1)}].{self.swizzle(4, t.width)}"
        if t.width == 1:
            return f"({t.name})table[{self.index(7)}]"
        return self.leaf(t)

    def condition(self, depth=1):
        r = self.rng
        if depth > 1 and r.random() < 0.3:
            return f"({self.condition(depth - 1)} {r.choice(['&&', '||'])} {self.condition(depth - 1)})"
        bools = [p for p, u in self.places if u.base == "bool"]
        if bools and r.random() < 0.2:
            return r.choice(["", "!"]) + r.choice(bools)
        t = Type(r.choice(INTEGERS + FLOATS))
        if r.random() < 0.4:
            t = r.choice([UINT, INT, Type("uchar")])
            return f"((uint)({self.value(t, 1)}) & {r.choice([1, 3, 7])}u) == {r.randrange(3)}u"
        return f"({self.value(t, depth - 1)} {r.choice(['<', '>', '<=', '==', '!='])} {self.value(t, depth - 1)})"

    # ---- statements ----

    def block(self, depth, loops):
        """Statements between braces; what they declare is forgotten after them."""
        kept = [list(self.places), list(self.values), list(self.arrays), list(self.records)]
        body = [self.statement(depth, loops) for _ in range(self.rng.randint(1, 3))]
        self.places, self.values, self.arrays, self.records = kept
        return body

    def assign(self):
        r = self.rng
        place, t = r.choice(self.places)
        if t.width > 1 and r.random() < 0.5:
            count = r.choice([w for w in (1, 2, 3, 4, 8) if w < t.width])
            return Node(f"{place}.{self.swizzle(t.width, count, True)} = {self.value(t.resized(count))};\n")
        if t.base == "bool":
            return Node(f"{place} = {self.condition(2)};\n")
        if not t.floating and t.base != HALF and r.random() < 0.3 and BITS[t.base] >= 32 and t.base[0] == "u":
            return Node(f"{place} {r.choice(['+=', '^=', '-=', '|=', '*='])} {self.value(t)};\n")
        return Node(f"{place} = {self.value(t)};\n")

    def declare(self):
        t, name = self.type(), self.fresh("d")
        node = Node(f"{t.name} {name} = {self.value(t, 2)};\n")
        self.places.append((name, t))
        return node

    def declare_late(self):
        """Written on both ways, or component by component, before it is read."""
        t, name, r = self.type(), self.fresh("l"), self.rng
        if t.width in (4, 8, 16) and r.random() < 0.6:
            half = t.resized(t.width // 2)
            first, second = r.choice([("lo", "hi"), ("even", "odd"), ("hi", "lo")])
            head = f"{t.name} {name};\n{name}.{first} = {self.value(half, 2)};\n"
            if r.random() < 0.4:  # the other half is never written, and never read
                node = Node(f"{t.name} {name};\n{name}.{first} = {self.value(half, 2)};\n")
                self.values.append((f"{name}.{first}", half))
                return node
            node = Node(head + f"{name}.{second} = {self.value(half, 2)};\n")
        else:
            node = Node(f"{t.name} {name};\nif ({self.condition()}) {name} = {self.value(t, 2)}; else {name} = {self.value(t, 2)};\n")
        self.places.append((name, t))
        return node

    def declare_array(self):
        t, name, size = self.type(), self.fresh("a"), self.rng.choice([2, 4, 8])
        if t.width > 4:
            t = t.resized(2)
        if self.rng.random() < 0.5:
            node = Node(f"{t.name} {name}[{size}] = {{{', '.join(self.value(t, 1) for _ in range(size))}}};\n")
        else:
            k = self.fresh("k")
            node = Node(f"{t.name} {name}[{size}];\nfor (uint {k} = 0; {k} < {size}u; {k}++) {name}[{k}] = {self.value(t, 2)};\n")
        self.arrays.append((name, t, size))
        return node

    def declare_pointer(self):
        targets = [(p, u) for p, u in self.places if p.isalnum()]
        if not targets:
            return self.declare()
        place, t = self.rng.choice(targets)
        same = [p for p, u in targets if u.name == t.name]
        name = self.fresh("q")
        other = self.rng.choice(same)
        node = Node(f"{t.name} *{name} = {self.condition()} ? &{place} : &{other};\n")
        self.places.append((f"(*{name})", t))
        return node

    def declare_struct(self):
        name, r = self.fresh("s"), self.rng
        node = Node(f"struct record {name} = {{{self.value(Type('uchar'), 1)}, {self.value(Type('int', 4), 1)}, "
                    f"{{{self.value(Type('short'), 1)}, {self.value(Type('short'), 1)}}}, {self.value(Type('double'), 1)}, "
                    f"{self.value(Type('float', 3), 1)}}};\n")
        at = name
        if r.random() < 0.4:
            copy = self.fresh("s")
            node.head += f"struct record {copy}[2] = {{{name}, {name}}};\n"
            at = f"{copy}[{self.index(1)}]"
        elif r.random() < 0.4:
            pointer = self.fresh("q")
            node.head += f"struct record *{pointer} = &{name};\n"
            at = f"(*{pointer})"
        self.places += [(at + ".c", Type("uchar")), (at + ".v", Type("int", 4)), (at + ".d", Type("double")), (at + ".f", Type("float", 3))]
        self.arrays.append((at + ".n", Type("short"), 2))
        return node

    def store(self):
        r = self.rng
        if self.memory and r.random() < 0.4:
            kind = r.choice(["atomic", "own", "own_part", "vstore"])
            if kind == "atomic":
                n = r.randrange(6)
                return Node(f"{ATOMICS[n]}(&sums[{n}], {self.value(UINT, 2)});\n")
            if kind == "own":
                return Node(f"own[{self.index(1)}] = {self.value(Type('uint', 4))};\n")
            if kind == "vstore":
                return Node(f"vstore4({self.value(Type('uint', 4))}, {self.index(1)}, (global uint *)own);\n")
            count = r.choice([1, 2, 3])
            return Node(f"own[{self.index(1)}].{self.swizzle(4, count, True)} = {self.value(Type('uint', count))};\n")
        if self.arrays:
            name, t, size = r.choice(self.arrays)
            part = f".{self.swizzle(t.width, 1)}" if t.width > 1 and r.random() < 0.4 else ""
            return Node(f"{name}[{self.index(size - 1)}]{part} = {self.value(t.resized(1) if part else t)};\n")
        return self.assign()

    def leave(self, loops):
        r = self.rng
        if loops and (not self.early_return or r.random() < 0.9):
            return Node(f"if ({self.condition()}) {r.choice(['break', 'break', 'continue'])};\n")
        if self.early_return:
            return Node(f"if ({self.condition()}) {{ {self.early_return()} }}\n")
        return self.assign()

    def loop(self, depth, loops):
        r, name, end = self.rng, self.fresh("n"), self.fresh("e")
        bound = f"{r.randint(1, 3)}u + {self.index(3)}"
        kind = r.choice(["for", "for", "while", "do"])
        self.values.append((name, UINT))
        body = self.block(depth - 1, loops + 1)
        self.values.pop()
        if kind == "for":
            return Node(f"for (uint {name} = 0, {end} = {bound}; {name} < {end}; {name}++) {{\n", body, "}\n")
        if kind == "while":
            return Node(f"{{ uint {name} = {bound};\nwhile ({name}-- > 0u) {{\n", body, "}}\n")
        return Node(f"{{ uint {name} = {bound};\ndo {{\n", body, f"}} while (--{name} > 0u && {self.condition()});}}\n")

    def call(self):
        """A function that changes a variable; its result goes elsewhere."""
        ways = [(h, p) for h in self.helpers if h.changed and not h.record for p, u in self.places if u.name == h.changed.name and p.isalnum()]
        if not ways:
            return self.assign()
        h, place = self.rng.choice(ways)
        result = self.fresh("d")
        node = Node(f"{h.result.name} {result} = {h.name}({', '.join(self.value(p, 1) for p in h.parameters)}, &{place});\n")
        self.places.append((result, h.result))
        return node

    def choice(self, depth):
        cases = [Node(f"case {n}: {{\n", self.block(depth - 1, 0), self.rng.choice(["}\nbreak;\n", "}\nbreak;\n", "}\n"]))
                 for n in self.rng.sample(range(5), 3)]
        if self.rng.random() < 0.7:
            cases.append(Node("default: {\n", self.block(depth - 1, 0), "}\n"))
        return Node(f"switch ({self.index(7)}) {{\n", cases, "}\n")

    def statement(self, depth, loops):
        r = self.rng
        kinds = ["set"] * 3 + ["store"] * 2 + ["declare", "late", "array", "pointer", "struct", "leave", "call"]
        kinds += ["record", "record", "union", "walk", "view", "component", "step", "exchange", "generic"]
        kinds += ["if", "if", "loop", "loop", "loop", "switch", "jump", "complex", "choose"] if depth else []
        kinds += ["leave"] if loops else []
        kinds += ["loop"] if loops and depth else []
        if self.control:
            kinds = ["set"] * 3 + ["store", "late"] + ["leave"] * 2 + (["if", "loop", "loop", "loop", "switch", "jump", "complex", "choose"] if depth else [])
        kind = r.choice(kinds)
        if kind == "if":
            node = Node(f"if ({self.condition(2)}) {{\n", self.block(depth - 1, loops), "}\n")
            if r.random() < 0.5:
                node = Node("{\n", [node, Node("else {\n", self.block(depth - 1, loops), "}\n", fixed=True)], "}\n")
            return node
        if kind == "loop":
            return self.loop(depth, loops)
        if kind == "switch":
            return self.choice(depth)
        if kind in ("jump", "complex", "choose"):
            return {"jump": self.jump, "complex": self.complex_loop, "choose": self.choose_in_loop}[kind](depth, loops)
        if kind == "leave":
            return self.leave(loops)
        return {"set": self.assign, "store": self.store, "declare": self.declare, "late": self.declare_late,
                "array": self.declare_array, "pointer": self.declare_pointer, "call": self.call, "struct": self.declare_struct,
                "record": self.declare_record, "union": self.declare_union, "walk": self.walk, "view": self.view,
                "component": self.set_component, "step": self.step, "exchange": self.exchange_loop, "generic": self.generic}[kind]()


class Helper:
    """A function with several returns; `record`: it takes and returns a structure."""

    def __init__(self, rng, number, helpers, structs=()):
        self.name = f"h{number}"
        self.record = rng.choice(structs) if structs and rng.random() < 0.5 else None
        self.result = Type(rng.choice(INTEGERS + FLOATS), rng.choice(WIDTHS))
        self.parameters = [Type(rng.choice(INTEGERS + FLOATS), rng.choice(WIDTHS)) for _ in range(rng.randint(1, 3))]
        self.changed = Type(rng.choice(INTEGERS + FLOATS), rng.choice(WIDTHS)) if rng.random() < 0.4 and not self.record else None
        writer = Writer(rng, helpers)
        writer.structs = structs
        result = (lambda: "r") if self.record else (lambda: writer.value(self.result, 2))
        writer.early_return = lambda: f"return {result()};"
        writer.places = [(f"p{k}", t) for k, t in enumerate(self.parameters)]
        names = [f"{t.name} p{k}" for k, t in enumerate(self.parameters)]
        if self.changed:
            writer.places.append(("(*c)", self.changed))
            names.append(f"{self.changed.name} *c")
        if self.record:
            writer.places += self.record.places("r")
            writer.arrays += self.record.arrays("r")
            writer.records.append(("r", self.record))
            names.insert(0, f"struct {self.record.name} r")
        body = [writer.statement(2, 0) for _ in range(rng.randint(1, 3))]
        returned = f"struct {self.record.name}" if self.record else self.result.name
        self.node = Node(f"{returned} {self.name}({', '.join(names)})\n{{\n", body, f"return {result()};\n}}\n")


def folded(place, t):
    """A statement that puts a value into the sum that is printed."""
    if t.base in ("bool", HALF):
        return f"h = h * 31 + {place if t.base == 'bool' else f'h_bits({place})'};\n"
    lines = ""
    for k in range(t.width):
        part = place + (f".s{k:x}" if t.width > 1 else "")
        lines += f"h = h * 31 + {t.base + '_bits(' + part + ')' if t.floating else '(ulong)' + part};\n"
    return lines


def is_uneven(seed):
    return seed % 4 == 0


def is_modern(seed):
    """OpenCL C 2.0: pointers are generic, and groups have functions."""
    return is_uneven(seed) or seed % 2 == 1


class Kernel:
    """One kernel with its helpers, and what it is launched with."""

    def __init__(self, seed, number):
        rng = random.Random(f"{seed}.{number}")
        self.number, self.seed = number, seed
        self.size, self.local = rng.choice(UNEVEN if is_uneven(seed) else SHAPES)
        self.input = [rng.choice([0, 1, 5, 7, 255, rng.getrandbits(32), rng.getrandbits(8)]) for _ in range(32)]
        self.helpers = []
        bases = INTEGERS + FLOATS
        inner = Struct(rng, f"i{number}", bases)
        self.structs = [inner, Struct(rng, f"o{number}", bases, inner), Struct(rng, f"l{number}", bases, inner)]
        for k in range(rng.randint(0, 3)):
            self.helpers.append(Helper(rng, f"{number}_{k}", list(self.helpers), self.structs))
        self.waits = rng.random() < 0.5
        writer = Writer(rng, self.helpers, None if self.waits else lambda: "out[i] = h + x; return;")
        writer.memory, writer.structs, writer.modern = True, self.structs, is_modern(seed)
        writer.control = rng.random() < 0.5
        writer.values = [("i", UINT), ("id", UINT)]
        places = [("x", UINT), ("y", INT)] + [(f"v{k}", writer.type()) for k in range(4)] + [("truth", Type("bool"))]
        items = self.local[0] * (self.local[1] if len(self.local) > 1 else 1)
        body = [Node(f"{t.name} {p} = {writer.literal(t) if t.base != 'bool' else 'x > 6u'};\n", fixed=True) for p, t in places[2:]]
        writer.places = places + [("own[1]", Type("uint", 4))]
        if self.waits:
            writer.places.append(("tile[id]", Type("uint", 4)))
            writer.group_items = items
            body.append(Node(f"local uint kept[{items}], fetched[16];\nkept[id] = 3u;\nif (id < 16u) fetched[id] = id;\n"))
            body.append(Node(f"local uint4 tile[{items}];\ntile[id] = (uint4)(i, x, 5, 6);\n"))
            body.append(Node(f"local uint shared[{items}], counts[6];\nfor (uint k = id; k < 6u; k += items) counts[k] = k;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"))
        for _ in range(rng.randint(3, 6) + 2 * writer.control):
            body.append(writer.statement(4 if writer.control else 3, 0))
            if self.waits and rng.random() < 0.5:
                body.append(self.exchange(rng, writer, items))
        if self.waits:
            body.append(Node("barrier(CLK_LOCAL_MEM_FENCE);\nfor (uint k = 0; k < 6u; k++) h = h * 31 + counts[k];\n"))
        body += [Node(folded(p, t)) for p, t in writer.places]
        body += [Node(folded(f"{p}[{k}]", t)) for p, t, size in writer.arrays for k in range(size)]
        self.node = Node(f"kernel void k{number}(global ulong *out, global const uint *in, global uint *sums, global uint4 *mine)\n{{\n"
                         "uint i = (uint)(get_global_id(1) * get_global_size(0) + get_global_id(0));\n"
                         "uint id = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));\n"
                         "uint items = (uint)(get_local_size(1) * get_local_size(0));\n"
                         "global uint4 *own = mine + 2 * i;\nulong h = 1;\nuint x = in[i & 31u]; int y = (int)i - 3;\n",
                         body, "out[i] = h;\n}\n")

    @staticmethod
    def exchange(rng, writer, items):
        """All write, all wait, each reads what another wrote; also in a loop that all go round equally often."""
        if rng.random() < 0.4:
            return writer.together()
        if rng.random() < 0.3:
            n = rng.randrange(6)
            return Node(f"if ({writer.condition()}) {ATOMICS[n]}(&counts[{n}], {writer.value(UINT, 2)});\n")
        text = (f"shared[id] = {writer.value(UINT, 2)};\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
                f"x ^= shared[(id + {rng.randrange(items)}u) % items];\nbarrier(CLK_LOCAL_MEM_FENCE);\n")
        if rng.random() < 0.4:
            k = writer.fresh("b")
            return Node(f"for (uint {k} = 0; {k} < {rng.randint(1, 3)}u; {k}++) {{\n", writer.block(1, 0) + [Node(text)], "}\n")
        return Node(text)

    def text(self):
        return "".join(t.text for t in self.structs) + "".join(h.node.text() for h in self.helpers) + self.node.text()

    def items(self):
        return self.size[0] * (self.size[1] if len(self.size) > 1 else 1)


SUMS = [0, 0xffffffff, 0, 0xffffffff, 0, 0]
HEAD = ("#ifdef cl_khr_fp16\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\ntypedef half h16;\n"
        "h16 h_of(float x) { return (half)x; }\nfloat h_float(h16 x) { return (float)x; }\n"
        "h16 h_add(h16 a, h16 b) { return a + b; }\nh16 h_sub(h16 a, h16 b) { return a - b; }\n"
        "h16 h_mul(h16 a, h16 b) { return a * b; }\nh16 h_div(h16 a, h16 b) { return a / b; }\n"
        "h16 h_sqrt(h16 a) { return sqrt(a); }\n#endif\n"
        "#pragma OPENCL FP_CONTRACT OFF\n#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n"
        "struct record { uchar c; int4 v; short n[2]; double d; float3 f; };\n"
        "constant int table[8] = {3, -1, 4, 1, -5, 9, 2, 6};\n"
        "uint float_bits(float x) { return x != x ? 1 : as_uint(x); }\n"
        "uint h_bits(h16 x) { float f = h_float(x); return f != f ? 1 : as_ushort(x); }\n"
        "ulong double_bits(double x) { return x != x ? 1 : as_ulong(x); }\n")


def program(kernels):
    return HEAD + FORMS + "".join(k.text() for k in kernels)


class Trial:
    """A program, its values on the host, and the runs that do not give them."""

    def __init__(self, options, folder, kernels):
        self.options, self.folder, self.kernels = options, folder, kernels
        self.path = os.path.join(folder, "k.yaml")

    def prepare(self):
        text = program(self.kernels)
        self.rows = rows = host.values(self.folder, text, self.kernels)
        with open(os.path.join(self.folder, "k.cl"), "w") as file:
            file.write(text)
        with open(self.path, "w") as file:
            file.write("orrery: 1\nprogram:\n  source: k.cl\nlaunch:\n")
            for k in self.kernels:
                file.write(f"  - kernel: k{k.number}\n    global: {k.size}\n    local: {k.local}\n    args:\n"
                           f"      - {{buffer: {{type: ulong, count: {k.items()}, fill: 0}}}}\n"
                           f"      - {{buffer: {{type: uint, values: {k.input}}}}}\n"
                           f"      - {{buffer: {{type: uint, values: {SUMS}}}}}\n"
                           f"      - {{buffer: {{type: uint, count: {8 * k.items()}, fill: 9}}}}\n")
            file.write("expect:\n  findings: []\n  buffers:\n")
            for launch, row in enumerate(rows):
                for arg, values in zip((0, 2, 3), row):
                    file.write(f"    - {{launch: {launch}, arg: {arg}, values: [{', '.join(values)}]}}\n")

    def run(self, how):
        schedule, checks, size, build = how
        command = [self.options.orrery, "check", "--schedule=" + schedule, "--sub-group-sizes=" + size, *CHECKS[checks]]
        command += ["--build-options=-w " + build]
        try:
            run = subprocess.run(command + [self.path], capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return "no end after 300 seconds"
        if "this is a fault of llvm-spirv" in run.stderr:
            return ""
        return run.stdout + run.stderr + f"(status {run.returncode})\n" if run.returncode else ""

    def slots(self):
        if not self.options.slots:
            return ""
        run = subprocess.run([self.options.slots, os.path.join(self.folder, "k.cl")], capture_output=True, text=True, timeout=300)
        return run.stdout + run.stderr if run.returncode and "this is a fault of llvm-spirv" not in run.stderr else ""


def runs_of(seed):
    """Each schedule, with checks off or on; the rest goes round from seed to seed."""
    standard = "-cl-std=CL2.0" if is_modern(seed) else ""
    builds = [standard, (standard + " -cl-opt-disable").strip()]  # one translation serves both
    return [(s, ("off", "on")[(k + seed // 4) % 2], SUB_GROUPS[(k + seed) % 6], builds[(k // 2 + seed // 8) % 2])
            for k, s in enumerate(SCHEDULES)]


def fails(options, folder, kernel, how):
    """Does the kernel alone fail so? A text that does not compile does not."""
    trial = Trial(options, folder, [kernel])
    try:
        trial.prepare()
    except subprocess.SubprocessError:
        return False
    message = trial.run(how) if how else trial.slots()
    return bool(message) and "error:" not in message.split("\n", 1)[0]


def reduced(options, folder, kernel, how, deadline=400):
    """Leaves out what does not matter, largest statements first."""
    tries = 0

    def lists(node):
        if node.body is not None:
            yield node.body
            for child in node.body:
                yield from lists(child)

    def without(siblings, at):
        nonlocal tries
        old = list(siblings)
        for new in ([], old[at].body):
            if new is None or tries > deadline:
                continue
            tries += 1
            siblings[at:at + 1] = new
            if fails(options, folder, kernel, how):
                return True
            siblings[:] = old
        return False

    changed = True
    while changed and tries < deadline:
        changed = False
        for root in [kernel.node] + [h.node for h in kernel.helpers]:
            for siblings in list(lists(root)):
                at = len(siblings)
                while at > 0:
                    at -= 1
                    if at < len(siblings) and without(siblings, at):
                        changed = True
        for helper in list(kernel.helpers):
            kernel.helpers.remove(helper)
            tries += 1
            if fails(options, folder, kernel, how):
                changed = True
                continue
            kernel.helpers.append(helper)
    return kernel


def report(options, folder, seed, kernels, how):
    """Says which kernels of the program fail in the run."""
    found = 0
    for kernel in kernels:
        if not fails(options, folder, kernel, how):
            continue
        found += 1
        if options.reduce:
            reduced(options, folder, kernel, how)
        trial = Trial(options, folder, [kernel])
        trial.prepare()
        print(f"seed {seed}, kernel {kernel.number}, {how or 'slots'}:\n{trial.run(how) if how else trial.slots()}"
              f"global {kernel.size}, local {kernel.local}, input {kernel.input}\n{program([kernel])}", flush=True)
        if found == 2:
            break
    if not found:
        print(f"seed {seed}, {how or 'slots'}: the program fails, none of its kernels alone", flush=True)


def compare_with_pocl(device, seed, trial):
    """Prints where PoCL differs. Two against one: the run has not failed, but the kernel wants a look."""
    try:
        count, found = pocl.differences(device, HEAD, trial.kernels, SUMS, trial.rows)
        print(f"seed {seed}: {count} kernels on PoCL, {len(found)} differ", flush=True)
        for text in found:
            print(f"seed {seed}, {text}", end="", flush=True)
    except RuntimeError as error:
        print(f"seed {seed}: {error}", flush=True)


def judge(options, seed):
    """Are all values of the program right?"""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ORRERY_CACHE_DIR"] = folder  # compiled kernels are removed with it
        kernels = [Kernel(seed, n) for n in range(options.kernels)]
        trial = Trial(options, folder, kernels)
        try:
            trial.prepare()
        except subprocess.CalledProcessError as error:
            if error.returncode not in (139, -11):
                raise
            print(f"seed {seed}: {host.clang()[0]} crashes on the text for the host", flush=True)
            return True
        failed = [how for how in runs_of(seed) if trial.run(how)]
        if trial.slots():
            failed.append(None)
        if options.pocl:
            compare_with_pocl(options.pocl, seed, trial)
        for how in failed[:2]:
            report(options, folder, seed, [Kernel(seed, n) for n in range(options.kernels)], how)
        return not failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("orrery")
    parser.add_argument("--slots", help="the test program that checks slots")
    parser.add_argument("--first", type=int, default=int(os.environ.get("RANDOM_KERNELS_FIRST", 1)))
    parser.add_argument("--count", type=int, default=int(os.environ.get("RANDOM_KERNELS_COUNT", 2)))
    parser.add_argument("--kernels", type=int, default=int(os.environ.get("RANDOM_KERNELS_KERNELS", 12)))
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--pocl", action="store_true", help="print where PoCL, if installed, has other values")
    parser.add_argument("--print", action="store_true", help="print the programs only")
    options = parser.parse_args()
    if options.pocl:
        options.pocl = pocl.opened() or parser.error("--pocl: PoCL or the OpenCL loader is not installed")
    seeds = range(options.first, options.first + options.count)
    if options.print:
        print("".join(program([Kernel(s, n) for n in range(options.kernels)]) for s in seeds))
        return 0
    bad = 0
    for seed in seeds:
        bad += not judge(options, seed)
        if options.count >= 50 and seed % 10 == 0:
            print(f"up to seed {seed}", file=sys.stderr, flush=True)
    print(f"{options.count * options.kernels} kernels, {bad} programs that differ")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
