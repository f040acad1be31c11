"""What random_kernels.py puts into kernels besides: structs and unions by value, pointers into arrays, elements of vectors by
index, jumps, loops with conditions of several parts, more built-in functions, functions of work-groups, asynchronous copies and
pointers to the generic address space.
"""


class Type:
    """A scalar (width 1) or a vector."""

    def __init__(self, base, width=1):
        self.base, self.width = base, width
        self.name = base + (str(width) if width > 1 else "")
        self.floating = base in ("float", "double")

    def of(self, base):
        return Type(base, self.width)

    def resized(self, width):
        return Type(self.base, width)


INT, UINT, ULONG = Type("int"), Type("uint"), Type("ulong")


class Node:
    """A statement: its text, or what it begins with, its own statements, and what it ends with."""

    def __init__(self, head, body=None, tail="", fixed=False):
        self.head, self.body, self.tail, self.fixed = head, body, tail, fixed

    def text(self):
        return self.head + "".join(n.text() for n in self.body or []) + self.tail


class Struct:
    """A structure of random members; `rows` are the arrays among them."""

    def __init__(self, rng, name, bases, inner=None):
        self.name, self.members, self.rows, self.inner = name, [], [], inner if rng.random() < 0.6 else None
        lines = []
        for k in range(rng.randint(2, 4)):
            t = Type(rng.choice(bases), rng.choice([1, 1, 2, 3, 4]))
            if rng.random() < 0.3:
                self.rows.append((f"r{k}", t, 2))
                lines.append(f"{t.name} r{k}[2];")
            else:
                self.members.append((f"m{k}", t))
                lines.append(f"{t.name} m{k};")
        if self.inner:
            lines.insert(rng.randint(0, len(lines)), f"struct {inner.name} in[2];")
        self.text = f"struct {name} {{ {' '.join(lines)} }};\n"

    def places(self, at):
        found = [(f"{at}.{m}", t) for m, t in self.members]
        return found + (self.inner.places(f"{at}.in[1]") if self.inner else [])

    def arrays(self, at):
        found = [(f"{at}.{m}", t, size) for m, t, size in self.rows]
        return found + (self.inner.arrays(f"{at}.in[0]") if self.inner else [])

    def filled(self, at, literal):
        """Statements that write every member."""
        text = "".join(f"{at}.{m} = {literal(t)};\n" for m, t in self.members)
        text += "".join(f"{at}.{m}[{k}] = {literal(t)};\n" for m, t, size in self.rows for k in range(size))
        return text + ("".join(self.inner.filled(f"{at}.in[{k}]", literal) for k in range(2)) if self.inner else "")


class Forms:
    """The rest of a Writer."""

    structs, modern, group_items = (), False, 0  # what the kernel has; OpenCL C 2.0; work-items of a group that may wait

    # ---- statements ----

    def declare_record(self):
        """A structure, copied, chosen, or what a function returned."""
        if not self.structs:
            return self.declare()
        r, s = self.rng, self.rng.choice(self.structs)
        name = self.fresh("t")
        node = Node(f"struct {s.name} {name};\n" + s.filled(name, lambda t: self.value(t, 1)))
        kept, at = [n for n, u in self.records if u is s], name
        kind = r.choice(["plain", "copy", "array", "choice", "pointer", "call"])
        other = r.choice(kept) if kept else name
        if kind == "copy":
            at = self.fresh("t")
            node.head += f"struct {s.name} {at} = {other};\n{other} = {name};\n"
        elif kind == "array":
            whole = self.fresh("t")
            node.head += f"struct {s.name} {whole}[2];\n{whole}[0] = {name}; {whole}[1] = {other};\n{whole}[{self.index(1)}] = {other};\n"
            at = f"{whole}[{self.index(1)}]"
        elif kind == "choice":
            at = self.fresh("t")
            node.head += f"struct {s.name} {at} = {self.condition()} ? {name} : {other};\n"
        elif kind == "pointer":
            pointer = self.fresh("q")
            node.head += f"struct {s.name} *{pointer} = {self.condition()} ? &{name} : &{other};\n"
            at = f"(*{pointer})"
        fitting = [h for h in self.helpers if h.record is s]
        if kind == "call" and fitting:
            h = r.choice(fitting)
            node.head += f"{name} = {h.name}({', '.join([other] + [self.value(p, 1) for p in h.parameters])});\n"
        self.places += s.places(at)
        self.arrays += s.arrays(at)
        if at.isalnum():
            self.records.append((at, s))
        return node

    def declare_union(self):
        """Written as a whole, read and written in parts."""
        r, name = self.rng, self.fresh("u")
        whole, parts = r.choice([(Type("uint", 4), [("b", Type("uchar"), 16), ("s", Type("ushort", 2), 4), ("l", ULONG, 2)]),
                                 (ULONG, [("b", Type("uchar"), 8), ("s", Type("short"), 4), ("l", UINT, 2)])])
        kind = "words" if whole.width > 1 else "word"
        node = Node(f"union {kind} {name};\n{name}.whole = {self.value(whole, 2)};\n")
        if r.random() < 0.3:
            copy = self.fresh("u")
            node.head += f"union {kind} {copy} = {name};\n{name}.b[{self.index(7)}] = {self.value(Type('uchar'), 1)};\n"
            name = copy
        self.places.append((f"{name}.whole", whole))
        self.arrays += [(f"{name}.{m}", t, size) for m, t, size in parts]
        return node

    def walk(self):
        """Pointers into an array."""
        r = self.rng
        arrays = [a for a in self.arrays if a[0].isalnum()]
        if not arrays:
            return self.declare_array()
        name, t, size = r.choice(arrays)
        p = self.fresh("q")
        if r.random() < 0.5:
            return Node(f"for ({t.name} *{p} = {name} + {self.index(size - 1)}; {p} < {name} + {size}; {p}++) *{p} = {self.value(t, 2)};\n")
        node = Node(f"{t.name} *{p} = &{name}[{self.index(size // 2 - 1)}];\nif ({self.condition()}) {p} += {size // 2};\n")
        self.places.append((f"(*{p})", t))
        if r.random() < 0.5:
            node.head += f"*{p} = {name}[{size - 1} - ({p} - {name})];\n"
        return node

    def view(self):
        """A vector, or a scalar, as an array of its parts."""
        r = self.rng
        fitting = [(p, u) for p, u in self.places if p.isalnum() and u.base not in ("bool", "h16") and u.width != 3]
        if not fitting:
            return self.declare()
        place, t = r.choice(fitting)
        part = t.resized(1) if t.width > 1 and r.random() < 0.6 else Type("uchar")
        size = t.width if part.base == t.base and t.width > 1 else t.width * {"char": 1, "short": 2, "float": 4, "double": 8, "long": 8}.get(
            t.base.lstrip("u"), 4)
        if part.base == "uchar" and t.floating or size < 2:
            return self.assign()
        return Node(f"(({part.name} *)&{place})[{self.index(size - 1)}] = {self.value(part, 2)};\n")

    def set_component(self):
        vectors = [(p, u) for p, u in self.places if u.width in (2, 4, 8, 16)]
        if not vectors:
            return self.assign()
        place, t = self.rng.choice(vectors)
        return Node(f"{place}[{self.index(t.width - 1)}] = {self.value(t.resized(1), 2)};\n")

    def step(self):
        """++, -- and op= on parts of vectors of unsigned words."""
        fitting = [(p, u) for p, u in self.places if u.base in ("uint", "ulong")]
        if not fitting:
            return self.assign()
        place, t = self.rng.choice(fitting)
        if t.width > 1 and self.rng.random() < 0.7:
            count = self.rng.choice([w for w in (1, 2, 4) if w < t.width])
            place, t = f"{place}.{self.swizzle(t.width, count, True)}", t.resized(count)
        if t.width == 1 and "." not in place and self.rng.random() < 0.4:
            return Node(f"{self.rng.choice(['++', '--'])}{place};\n")
        return Node(f"{place} {self.rng.choice(['+=', '^=', '-=', '|=', '*=', '&='])} {self.value(t, 2)};\n")

    def jump(self, depth, loops):
        """Forwards over statements, out of loops, backwards, or into a loop."""
        r, label, name = self.rng, self.fresh("z"), self.fresh("n")
        kind = r.choice(["over", "out", "back", "into"])
        if kind == "over":
            return Node(f"{{ if ({self.condition()}) goto {label};\n", self.plain(), f"{label}: ; }}\n")
        if kind == "out":
            inner = [Node(f"if ({self.condition()}) goto {label};\n")] + self.plain()
            self.rng.shuffle(inner)
            return Node(f"{{ for (uint {name} = 0; {name} < {r.randint(1, 3)}u; {name}++)\n{{", [self.loop(1, loops)] + [
                Node(f"for (uint {name}_ = 0; {name}_ < 2u + {self.index(1)}; {name}_++) {{\n", inner, "}\n")], f"}}\n{label}: ; }}\n")
        if kind == "back":
            return Node(f"{{ uint {name} = {self.index(3)};\n{label}: ;\n", self.plain(), f"if ({name}-- > 0u && {self.condition()}) goto {label}; }}\n")
        return Node(f"{{ uint {name} = {r.randint(1, 3)}u + {self.index(1)};\nif ({self.condition()}) goto {label};\nwhile ({name}-- > 0u) {{\n",
                    self.plain() + [Node(f"{label}: ;\n")] + self.plain(), "} }\n")

    def plain(self):
        """Statements that declare nothing."""
        return [self.rng.choice([self.assign, self.store, self.step, self.set_component])() for _ in range(self.rng.randint(1, 2))]

    def complex_loop(self, depth, loops):
        """Conditions of several parts, with effects."""
        r, name = self.rng, self.fresh("n")
        self.values.append((name, UINT))
        body = self.block(depth - 1, loops + 1)
        self.values.pop()
        effect = r.choice([p for p, u in self.places if u.name == "uint"] or ["0u, 0u"])
        effect += f" ^= {name}" if effect[0] != "0" else ""
        more = r.choice([f"({self.condition()} || {self.condition()})", f"({effect}, {self.condition()})",
                         f"!({self.condition()} && {self.condition()})", f"({self.condition()} ? {self.condition()} : {self.condition()})"])
        bound = f"{r.randint(1, 3)}u + {self.index(3)}"
        kind = r.choice(["while", "endless", "for", "do"])
        if kind == "while":
            return Node(f"{{ uint {name} = {bound};\nwhile ({name}-- > 0u && {more}) {{\n", body, "}}\n")
        if kind == "endless":
            return Node(f"{{ uint {name} = {bound};\nfor (;;) {{\nif ({name}-- == 0u) break;\n", body, f"if ({more}) break;\n}}}}\n")
        if kind == "for":
            return Node(f"for (uint {name} = {bound}; {name} && {more}; {name} -= 1u, {effect}) {{\n", body, "}\n")
        return Node(f"{{ uint {name} = {bound};\ndo {{\n", body, f"}} while ({more} && --{name} > 0u);}}\n")

    def choose_in_loop(self, depth, loops):
        """A switch in a loop, whose cases continue it, return or end the switch."""
        r, name = self.rng, self.fresh("n")
        cases = []
        t = r.choice([UINT, Type("char"), ULONG, Type("short")])
        for n in r.sample(range(-2, 6) if t.base[0] != "u" else range(6), 4):
            ends = ["break;\n", "break;\n", "continue;\n", "", f"if ({self.condition()}) continue;\n", f"if ({self.condition()}) break;\n"]
            if self.early_return:
                ends.append(f"if ({self.condition()}) {{ {self.early_return()} }}\n")
            cases.append(Node(f"case {n}: {{\n", self.block(depth - 1, 0), "}\n" + r.choice(ends)))
        if r.random() < 0.6:
            cases.insert(r.randint(0, len(cases)), Node("default: {\n", self.block(depth - 1, 0), "}\n" + r.choice(["break;\n", ""])))
        what = f"({t.name})({self.value(t, 2)} & ({t.name})7)" if t.base[0] == "u" else f"({t.name})(({self.value(t, 2)} & ({t.name})7) - 2)"
        return Node(f"for (uint {name} = 0; {name} < {r.randint(1, 3)}u; {name}++) {{\nswitch ({what}) {{\n", cases, "}\n" + "".join(
            n.text() for n in self.plain()) + "}\n")

    def exchange_loop(self):
        """An update by compare-exchange: the sum does not depend on the order."""
        if not self.memory:
            return self.assign()
        was, now = self.fresh("c"), self.fresh("c")
        return Node(f"{{ uint {now} = 0, {was}, by = {self.value(UINT, 2)};\ndo {{ {was} = {now}; {now} = atomic_cmpxchg(&sums[0], {was}, {was} + by); }}"
                    f" while ({now} != {was}); }}\n")

    def generic(self):
        """A pointer that may point to private, local or global memory; before 2.0 to private memory."""
        p = self.fresh("q")
        places = [f"&{n}" for n, u in self.places if u.name == "uint" and n.isalnum()]
        if self.modern and self.memory:
            places.append("(uint *)own")
            places += ["(uint *)&kept[id]"] * 2 if self.group_items else []
        if len(places) < 2:
            return self.assign()
        a, b = self.rng.sample(places, 2)
        return Node(f"{{ uint *{p} = {self.condition()} ? {a} : {b};\n*{p} = changed({p}, {self.value(UINT, 2)}); }}\n")

    def together(self):
        """Functions of the whole group, in uniform flow; their sums do not depend on the sub-groups."""
        r, items = self.rng, self.group_items
        kinds = ["copy", "copy_back"] + (["reduce", "scan", "broadcast", "any", "sub_group"] * 2 if self.modern else [])
        kind, v = r.choice(kinds), self.value(UINT, 2)
        if kind == "copy":
            e, n = self.fresh("e"), r.randint(1, 16)
            text = r.choice([f"async_work_group_copy(fetched, in + {r.randrange(16)}, {n}, 0)",
                             f"async_work_group_strided_copy(fetched, in + {r.randrange(4)}, {n}, {1 if n > 9 else 3}, 0)"])
            return Node(f"event_t {e} = {text};\nwait_group_events(1, &{e});\nx ^= fetched[(id + {r.randrange(16)}u) % {n}u];\nbarrier(CLK_LOCAL_MEM_FENCE);\n")
        if kind == "copy_back":
            return Node(
                            f"if (id < 16u) fetched[id] = {v};\nbarrier(CLK_LOCAL_MEM_FENCE);\nx += fetched[id % {min(16, items)}u];\nbarrier(CLK_LOCAL_MEM_FENCE);\n")
        if kind == "reduce":
            return Node(f"x ^= work_group_reduce_{r.choice(['add', 'min', 'max'])}({v});\n")
        if kind == "scan":
            return Node(f"x += work_group_scan_{r.choice(['inclusive', 'exclusive'])}_{r.choice(['add', 'min', 'max'])}({v});\n")
        if kind == "broadcast":
            return Node(f"x ^= broadcast({v}, {r.randrange(1 << 16)}u);\n")
        if kind == "any":
            return Node(f"x += (uint)work_group_{r.choice(['any', 'all'])}({self.condition()});\n")
        return Node(f"{{ uint part = sub_group_reduce_add({v}); if (get_sub_group_local_id() == 0u) atomic_add(&counts[0], part); }}\n")

    # ---- values ----

    def more_integers(self, t, depth):
        """More functions of integers; None: none of this type."""
        r = self.rng
        v = lambda: self.value(t, depth - 1)
        kind = r.choice(["clamp", "abs", "sat", "select", "logic", "shuffle", "element", "mad_sat", "mad_hi", "mul24", "long_division", "upsample", "round",
                         "relation", "as"])
        bits = {"char": 8, "short": 16, "int": 32, "long": 64}[t.base.lstrip("u")]
        if kind == "clamp":
            a = v()
            return f"clamp({v()}, min({a}, ({t.name})(17)), max({a}, ({t.name})(17)))"
        if kind == "abs":
            return f"convert_{t.name}(abs({v()}))"
        if kind == "sat":
            source = Type(r.choice(["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]), t.width)
            return f"convert_{t.name}_sat({self.value(source, depth - 1)})" if t.width in (1, 2, 4) else None
        if kind == "select":
            mask = Type(r.choice([t.base.lstrip("u"), "u" + t.base.lstrip("u")]), t.width)
            return f"select({v()}, {v()}, {self.value(mask, depth - 1)})"
        if kind == "logic" and t.width > 1 and t.base[0] != "u":
            return f"({v()} {r.choice(['&&', '||'])} {v()})" if r.random() < 0.7 else f"(!{v()})"
        if kind == "relation" and t.width > 1 and t.base in ("int", "long"):
            f = Type("float" if t.base == "int" else "double", t.width)
            return f"{r.choice(['isless', 'isequal', 'isgreater', 'isunordered'])}({self.value(f, depth - 1)}, {self.value(f, depth - 1)})"
        if kind == "relation" and t.base == "int":
            f = Type(r.choice(["float", "double"]), r.choice([2, 3, 4]))
            i = f.of("int" if f.base == "float" else "long")
            return f"{r.choice(['any', 'all'])}({self.value(i, depth - 1)} {r.choice(['<', '!='])} {self.value(i, depth - 1)})"
        if kind == "shuffle" and t.width in (2, 4, 8, 16) and bits < 64:
            source = t.resized(r.choice([2, 4, 8]))
            mask = self.value(Type("u" + t.base.lstrip("u"), t.width), depth - 1)
            if r.random() < 0.5:
                return f"shuffle({self.value(source, depth - 1)}, {mask})"
            return f"shuffle2({self.value(source, depth - 1)}, {self.value(source, depth - 1)}, {mask})"
        if kind == "element" and t.width == 1:
            vectors = [(p, u) for p, u in self.places if u.base == t.base and u.width in (2, 4, 8, 16)]
            if vectors:
                p, u = r.choice(vectors)
                return f"{p}[{self.index(u.width - 1)}]"
        if kind == "mad_sat" and bits < 64:
            return f"mad_sat({v()}, {v()}, {v()})"
        if kind == "mad_hi" and bits < 64 and t.base[0] == "u":
            return f"mad_hi({v()}, {v()}, {v()})"
        if kind == "mul24" and t.base == "uint":
            return f"mul24({v()} & ({t.name})0xffffff, {v()} & ({t.name})0xffffff)"
        if kind == "mul24" and t.base == "int":
            return f"mul24({v()} & ({t.name})0x7fff, {v()} & ({t.name})0x7fff)"
        if kind == "long_division" and bits >= 32:
            divisor = f"({v()} | ({t.name})1)" if t.base[0] == "u" else f"(({v()} & ({t.name}){'0x7fffffff' if bits == 32 else '0x7fffffffffffffff'}) | ({t.name})1)"
            return f"({v()} {r.choice('/%')} {divisor})"
        if kind == "upsample" and t.base in ("ushort", "uint", "ulong", "short", "int", "long"):
            half = {16: "char", 32: "short", 64: "int"}[bits]
            return f"upsample({self.value(Type(half if t.base[0] != 'u' else 'u' + half, t.width), depth - 1)}, {self.value(Type('u' + half, t.width), depth - 1)})"
        if kind == "round" and t.width == 1:
            return f"convert_{t.name}_sat_{r.choice(['rte', 'rtp', 'rtn', 'rtz'])}({self.value(Type(r.choice(['float', 'double'])), depth - 1)})"
        if kind == "as":
            size = bits * t.width
            others = [Type(b, w) for b, n in (("uchar", 8), ("ushort", 16), ("uint", 32), ("ulong", 64)) for w in (1, 2, 4, 8, 16)
                      if n * w == size and b.lstrip("u") != t.base.lstrip("u")]
            if others and t.width != 3:
                source = r.choice(others)
                return f"as_{t.name}({self.value(source, depth - 1)})"
        return None

    def more_floats(self, t, depth):
        r = self.rng
        v = lambda: self.value(t, depth - 1)
        kind = r.choice(["fmin", "fmod", "copysign", "nextafter", "round", "ldexp", "fdim", "sign", "rounded", "element", "select", "modf", "half"])
        if kind == "fmin":
            return f"({r.choice(['fmin', 'fmax'])}({v()}, {v()}) + ({t.name})0)"
        if kind == "copysign": # the sign of a NaN is not defined
            return f"copysign({v()}, convert_{t.name}({self.value(t.of('int'), depth - 1)}))"
        if kind in ("fmod", "nextafter", "fdim"):
            return f"{kind if kind != 'fmod' else r.choice(['fmod', 'remainder'])}({v()}, {v()})"
        if kind == "round":
            return f"round({v()})"
        if kind == "ldexp":
            return f"ldexp({v()}, ({Type('int', t.width).name})({r.randint(-150, 150)}))"
        if kind == "sign":
            return f"sign({v()})"
        if kind == "rounded" and t.width == 1:
            source = r.choice([INT, UINT, Type("long"), ULONG] + ([Type("double")] if t.base == "float" else []))
            return f"convert_{t.base}_{r.choice(['rte', 'rtp', 'rtn', 'rtz'])}({self.value(source, depth - 1)})"
        if kind == "element" and t.width == 1:
            vectors = [(p, u) for p, u in self.places if u.base == t.base and u.width in (2, 4, 8, 16)]
            if vectors:
                p, u = r.choice(vectors)
                return f"{p}[{self.index(u.width - 1)}]"
        if kind == "select":
            return f"select({v()}, {v()}, {self.value(t.of('int' if t.base == 'float' else 'long'), depth - 1)})"
        if kind == "modf" and t.width == 1:
            return f"{t.base}_parts({v()}, {self.index(3)})"
        if kind == "half" and t.base == "float" and t.width == 1:
            return f"h_kept_{r.choice(['rte', 'rtz', 'rtp', 'rtn'])}({v()})"
        return None


HEAD = """
union words { uint4 whole; uchar b[16]; ushort2 s[4]; ulong l[2]; };
union word { ulong whole; uchar b[8]; short s[4]; uint l[2]; };
uint changed(uint *p, uint by) { *p ^= by; if (by & 1u) return *p * 3u; *p += 7u; return by; }
float float_parts(float x, uint which)
{
    float whole; int e;
    if (x != x || x - x != 0) return 1.0f;
    if (which == 0u) return modf(x, &whole);
    if (which == 1u) { modf(x, &whole); return whole; }
    float m = frexp(x, &e);
    return which == 2u ? m : (float)e;
}
double double_parts(double x, uint which)
{
    double whole; int e;
    if (x != x || x - x != 0) return 1.0;
    if (which == 0u) return modf(x, &whole);
    if (which == 1u) { modf(x, &whole); return whole; }
    double m = frexp(x, &e);
    return which == 2u ? m : (double)e;
}
#ifdef cl_khr_fp16
float h_kept_rte(float x) { ushort h; vstore_half(x, 0, (half *)&h); return vload_half(0, (half *)&h); }
float h_kept_rtz(float x) { ushort h[2]; vstore_half_rtz(x, 1, (half *)h); return vload_half(1, (half *)h); }
float h_kept_rtp(float x) { ushort h; vstore_half_rtp(x, 0, (half *)&h); return vload_half(0, (half *)&h); }
float h_kept_rtn(float x) { ushort h; vstore_half_rtn(x, 0, (half *)&h); return vload_half(0, (half *)&h); }
#if __OPENCL_C_VERSION__ >= 200
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
uint broadcast(uint x, uint from)
{
    size_t w = get_local_size(0), h = get_local_size(1);
    return h > 1 ? work_group_broadcast(x, from % w, from / w % h) : work_group_broadcast(x, from % w);
}
#endif
#endif
"""
