# SPDX-License-Identifier: Apache-2.0
# Random kernels whose loops wait for a flag that nobody sets: `waiting_loops.py SEED KIND FOLDER POLICY` writes a scenario.
# KIND ends: each loop has a count of its own that ends it, through other variables at times. KIND waits: the loop
# has none, whatever is counted there.
import random
import sys

KERNELS = 16
VARIABLES = "abcd"


def expression(rng, depth=0):
    kind = rng.randrange(6)
    if kind < 2 or depth > 2:
        return rng.choice(VARIABLES)
    if kind == 2:
        return str(rng.choice([0, 1, 2, 3, 7, 100, 1000]))
    if kind == 3:
        return "SEEN(%d)" % rng.randrange(2)
    return "(%s %s %s)" % (expression(rng, depth + 1), rng.choice("+-*^&|"), expression(rng, depth + 1))


def truth(rng, steady):
    """May or may not hold, and need not end anything; steady: the same in all turns."""
    return rng.choice(["(lid & 1) == 0", "!SEEN(0)", "SEEN(1) == %d" % rng.randrange(2)] if steady else ["%s < %d" % (rng.choice(VARIABLES), rng.choice([50, 400, 900])),
                       "(%s & 15u) != 3u" % rng.choice(VARIABLES), "(lid & 1) == 0",
                       "!SEEN(0)", "SEEN(1) == %d" % rng.randrange(2)])


def statements(rng, depth, count, names, steady=False):
    lines = []
    for _ in range(count):
        kind = rng.randrange(10)
        if kind < 4:
            lines.append("%s %s %s;" % (rng.choice(VARIABLES), rng.choice(["=", "+=", "^=", "+="]), expression(rng)))
        elif kind < 6:
            lines.append("%s++;" % rng.choice(VARIABLES))
        elif kind < 8 and depth < 2:
            lines.append(ending_loop(rng, depth, names))
        else:
            lines.append("if (%s) { %s++; } else { %s += 3; }" % (truth(rng, steady), rng.choice(VARIABLES), rng.choice(VARIABLES)))
    return lines


def ending_loop(rng, depth, names):
    names[0] += 1
    k, turns = "k%d" % names[0], rng.choice([9000, 12000]) if depth == 0 else rng.choice([3, 6])
    unless = "!SEEN(0)" if rng.randrange(3) else truth(rng, False)
    body = " ".join(statements(rng, depth + 1, rng.randrange(1, 4), names))
    kind = rng.randrange(9 if depth == 0 else 6)
    if kind == 0:
        return "for (uint %s = 0; %s && %s < %d; %s++) { %s }" % (k, unless, k, turns, k, body)
    if kind == 1:
        return "{ uint %s = 0; while (%s) { if (++%s > %d) break; %s } a += %s; }" % (k, unless, k, turns, body, k)
    if kind == 2:
        return "{ uint %s = lid & 7; do { %s++; %s } while (%s && %s < %d); }" % (k, k, body, unless, k, turns)
    if kind == 3:  # an iteration later, through another
        return "{ uint %s = 0, m%s = 0; while (%s) { m%s = %s * 2; %s if (m%s > %d) break; %s++; } }" % (k, k, unless, k, k, body, k, turns, k)
    if kind == 4:  # which of the two counts depends on what is seen
        return "{ uint %s = 0, m%s = 0; while (%s) { if (SEEN(1)) m%s++; else %s++; %s if (%s + m%s > %d) break; } }" % (
            k, k, unless, k, k, body, k, k, turns)
    if kind == 6:  # the value that it depends on changes once
        return "{ uint %s = 0, m%s = 0; while (%s) { if (m%s) break; %s if (++%s > %d) m%s = 1; } }" % (k, k, unless, k, body, k, turns, k)
    if kind == 7:  # its address changes
        return "{ uint %s = 0; while (%s && !SEEN(2 + %s)) { %s %s++; } }" % (k, unless, k, body, k)
    if kind == 8:  # it counts in a loop inside
        return "{ uint %s = 0; do { uint m%s = 0; do { %s++; m%s++; } while (m%s < 5 && !SEEN(0)); %s } while (%s && %s < %d); }" % (
            k, k, k, k, k, body, unless, k, turns)
    return "{ int %s = %d; while (%s) { %s = lid & 1 ? %s - 1 : %s - 2; %s if (%s < 0) break; } b ^= %s; }" % (
        k, turns, unless, k, k, k, body, k, k)


def waiting_loop(rng, names):
    names[0] += 1
    k = "k%d" % names[0]
    body = " ".join(statements(rng, 2, rng.randrange(1, 4), names, True))
    return "uint %s = 0; %s" % (k, rng.choice([
        "while (!SEEN(0)) { %s++; %s }", "do { %s += 3; %s } while (SEEN(0) == 0);",
        "for (;;) { if (SEEN(0)) break; %s ^= a; %s }"]) % (k, body)) + " a += %s;" % k


def kernel(rng, number, waits):
    names = [0]
    lines = statements(rng, 2, 1, names)
    lines.append(waiting_loop(rng, names) if waits else ending_loop(rng, 0, names))
    lines += statements(rng, 2, 1, names)
    return """kernel void k%d(global atomic_int *flag, global uint *out)
{
    uint lid = get_local_id(0), a = lid, b = 0, c = get_group_id(0), d = 1;
    atomic_store_explicit(&flag[20001], 1, memory_order_relaxed, memory_scope_device);
    %s
    size_t i = get_global_id(0) * 4;
    out[i] = a; out[i + 1] = b; out[i + 2] = c; out[i + 3] = d;
}
""" % (number, "\n    ".join(lines))


def main():
    seed, kind, folder, policy = sys.argv[1:]
    rng = random.Random(seed + kind)
    waits = kind == "waits"
    with open(folder + "/loops.cl", "w") as source:
        source.write("#define SEEN(i) atomic_load_explicit(&flag[i], memory_order_relaxed, memory_scope_device)\n")
        source.writelines(kernel(rng, i, waits) for i in range(KERNELS))
    with open(folder + "/loops.yaml", "w") as scenario:
        scenario.write("orrery: 1\nname: loops\nchecks: fast\nprogram: {source: loops.cl, options: \"-cl-std=CL3.0\"}\n")
        scenario.write("schedule: {policy: %s, seed: %s, timeout: 0, max_steps: %d}\nlaunch:\n" % (policy, seed, 50000000 if waits else 0))
        for i in range(KERNELS):
            items, group = rng.choice([(1, 1), (4, 1), (4, 2), (32, 16), (64, 64)])
            scenario.write("  - {kernel: k%d, global: %d, local: %d, args: [{buffer: {type: int, count: 20002, fill: 0}}, "
                           "{buffer: {type: int, count: %d, fill: 0}}]}\n" % (i, items, group, 4 * items))
        scenario.write("expect:\n  findings: %s\n" % ("" if waits else "[]"))
        if waits:
            scenario.writelines("    - {id: livelock, kernel: k%d}\n" % i for i in range(KERNELS))


main()
