# SPDX-License-Identifier: Apache-2.0
# Random kernels in which some work-items, or some iterations of a loop, give a variable no value. Where the value goes is computed here,
# too: through functions of the group that pass it on, and into the next iteration, where it is none. Each use stands on a line of its
# own, so the lines of the findings say which uses were taken for uninitialised: exactly those that are.
# usage: uninitialised_flow.py ORRERY WORK FIRST COUNT
import os, random, re, subprocess, sys

orrery, work, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
GROUP, SUB = 16, 8
TYPES = ["int", "uint", "long", "float", "double"]


# ---- functions of the group -----------------------------------------------------------------------------------------------------

def before(lane, size, known):
    return all(known[k] for k in range(lane // size * size, lane))


def functions(r):
    place, lane, mask, up = r.randrange(GROUP), r.randrange(SUB), r.randrange(SUB), r.randrange(1, SUB)
    scan = r.choice(["add", "min", "max"])
    return r.choice([
        ("work_group_broadcast(b, %d)" % place, lambda l, known: known[place]),
        ("sub_group_broadcast(b, %d)" % lane, lambda l, known: known[l // SUB * SUB + lane]),
        ("sub_group_broadcast_first(b)", lambda l, known: known[l // SUB * SUB]),
        ("work_group_scan_exclusive_%s(b)" % scan, lambda l, known: before(l, GROUP, known)),
        ("sub_group_scan_exclusive_%s(b)" % scan, lambda l, known: before(l, SUB, known)),
        ("sub_group_non_uniform_scan_exclusive_%s(b)" % scan, lambda l, known: before(l, SUB, known)),
        ("sub_group_shuffle(b, (l + %d) & 7)" % lane, lambda l, known: known[l // SUB * SUB + (l + lane) % SUB]),
        ("sub_group_shuffle_xor(b, %d)" % mask, lambda l, known: known[l // SUB * SUB + (l % SUB ^ mask)]),
        ("sub_group_shuffle_up(b, %d)" % up, lambda l, known: l % SUB < up or known[l - up]),
        ("sub_group_shuffle_down(b, %d)" % up, lambda l, known: l % SUB + up >= SUB or known[l + up]),
        ("sub_group_rotate(b, %d)" % lane, lambda l, known: known[l // SUB * SUB + (l + lane) % SUB]),
        ("sub_group_shuffle(sub_group_broadcast(b, %d), 1)" % lane, lambda l, known: known[l // SUB * SUB + lane]),
    ])


def group_kernel(r):
    known = [r.random() < r.choice([0.2, 0.8]) for _ in range(GROUP)]
    call, gives = functions(r)
    kind = r.choice(TYPES)
    bits = sum(1 << l for l in range(GROUP) if known[l])
    lines = ["kernel void k(global int *o)", "{", "int l = get_local_id(0);", kind + " b;", "if (%d >> l & 1)" % bits, "b = l;",
             kind + " g = %s;" % call]
    wrong = set()
    for l in range(GROUP):
        lines.append("if (l == %d) o[l] = (int)g;" % l)
        if not gives(l, known):
            wrong.add(len(lines))
    return lines + ["}"], wrong


# ---- loops ----------------------------------------------------------------------------------------------------------------------

ROUNDS = 4
# How the variable is declared, set and used.
PLACES = [
    ("{t} t;", "t = i;", "t"),
    ("{t} t[3];", "t[i % 3] = i;", "t[i % 3]"),
    ("{t} t[5];", "for (int m = 0; m < 5; m++) t[m] = i;", "t[(i + l) % 5]"),
    ("struct {{ char c; {t} v; }} t;", "t.v = i;", "t.v"),
    ("{t} t, *p = &t;", "*p = i;", "t"),
    ("{t} t;", "set_{t}(&t, i);", "t"),
    ("{t}4 t;", "t.y = i;", "t.y"),
    ("char s[7]; {t} t;", "s[i] = 1; t = s[i];", "t"),
]
LOOPS = [
    ("for (int i = 0; i < %d; i++) {" % ROUNDS, "}"),
    ("int i = 0; while (i < %d) {" % ROUNDS, "i++; }"),
    ("int i = 0; do {", "} while (++i < %d);" % ROUNDS),
    ("for (int n = 0; n < %d; n++) { int i = n; for (int q = 0; q < 2; q++) {" % ROUNDS, "} }"),
]


def loop_kernel(r):
    kind = r.choice(TYPES[:4])
    declare, put, use = r.choice(PLACES)
    begin, end = r.choice(LOOPS)
    sets, by_lane = r.randrange(1 << ROUNDS + 2), r.choice([0, 1])
    where = "(i + l) & 3" if by_lane else "i"
    body = [declare.format(t=kind), "if (%d >> (%s) & 1) { %s }" % (sets, where, put.format(t=kind))]
    called = "{" not in begin[begin.index("{") + 1:] and r.random() < 0.3
    uses, wrong = [], set()
    for i in range(ROUNDS):
        uses.append("if (i == %d) o[l] = (int)%s;" % (i, use))
    lines = ["void set_%s(%s *p, int i) { *p = i; }" % (kind, kind)]
    if called:
        lines += ["void called(global int *o, int i, int l)", "{"] + body
        start = len(lines)
        lines += uses + ["}"]
    lines += ["kernel void k(global int *o)", "{", "int l = get_local_id(0);", begin]
    if called:
        lines.append("called(o, i, l);")
    else:
        lines += body
        start = len(lines)
        lines += uses
    lines += [end, "}"]
    for i in range(ROUNDS):
        lanes = range(4) if by_lane else [0]
        if any(not sets >> ((i + l) & 3 if by_lane else i) & 1 for l in lanes):
            wrong.add(start + i + 1)
    return lines, wrong


# ---- running --------------------------------------------------------------------------------------------------------------------

def scenario(lines, schedule):
    items = GROUP
    return """orrery: 1
device: {sub_group_sizes: [%d]}
checks: {races: "off"}
schedule: {policy: %s, seed: 3}
report: {max_findings: 100}
program:
  options: "-cl-std=CL3.0"
  text: |
    %s
launch:
  - {kernel: k, global: [%d], local: [%d], args: [{buffer: {type: int, count: 64, fill: 0}}]}
""" % (SUB, schedule, "\n    ".join(lines), items, items)


def found_lines(path):
    done = subprocess.run([orrery, "run", "--keep-exit-code", path], capture_output=True, text=True)
    text = done.stdout + done.stderr
    if "SUMMARY" not in text:
        return None, text
    return set(int(n) for n in re.findall(r"uninitialised-[a-z]*: .*\n.*\n\n  1  program.cl:(\d+):", text)), text


def main():
    wrong = tried = uninitialised = 0
    for seed in range(first, first + count):
        r = random.Random(seed)
        lines, expected = r.choice([group_kernel, loop_kernel])(r)
        path = os.path.join(work, "flow%d.yaml" % seed)
        with open(path, "w") as file:
            file.write(scenario(lines, r.choice(["lockstep", "lockstep", "random", "round-robin", "serial"])))
        found, text = found_lines(path)
        tried += 1
        uninitialised += bool(expected)
        if found != expected:
            wrong += 1
            print("seed %d: expected lines %s, found %s\n%s" % (seed, sorted(expected), found and sorted(found), "\n".join(lines)))
            if found is None:
                print(text[-600:])
    print("%d kernels, %d with uninitialised values, %d wrong" % (tried, uninitialised, wrong))
    return wrong or uninitialised < count // 4


sys.exit(main() != 0)
