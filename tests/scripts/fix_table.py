# SPDX-License-Identifier: Apache-2.0
# Racy kernels of each kind, the fix or advice that each is to get, and what it computes when its work-items run one after another.
# A fix that has edits is done to the source, which then builds, runs without findings and computes that; one in words has to name
# the expected text, and no advice may name a forbidden one.
# usage: fix_table.py ORRERY WORK
import json, os, re, subprocess, sys

orrery, work = sys.argv[1], sys.argv[2]
N = 64 # work-items, in groups of 16
DATA = [(i * 37 + 11) % 101 for i in range(N)]


def total(values, start=0):
    return start + sum(values)


# Name, type of x, initial x[0], what x[0] is in the end, body; i is the work-item's number and v its value.
UPDATES = [
    ("add", "int", 5, 5 + sum(DATA), "x[0] += v;"),
    ("add_deref", "int", 5, 5 + sum(DATA), "*x += v;"),
    ("add_written_out", "uint", 5, 5 + sum(DATA), "x[0] = x[0] + v;"),
    ("add_on_the_left", "int", 5, 5 + sum(DATA), "*x = v + *x;"),
    ("add_three", "int", 5, 5 + sum(DATA) + N, "*x = *x + v + 1;"),
    ("add_brackets", "int", 0, 2 * sum(DATA), "(*x) += (v * 2);"),
    ("sub", "int", 9000, 9000 - sum(DATA), "x[0] -= v;"),
    ("sub_written_out", "int", 9000, 9000 - sum(DATA), "x[0] = x[0] - v;"),
    ("sub_and_add", "int", 9000, 9000 - sum(DATA) + N, "x[0] = x[0] - v + 1;"),
    ("inc", "int", 0, N, "x[0]++;"),
    ("inc_prefix", "uint", 0, N, "++*x;"),
    ("dec", "int", 100, 100 - N, "(*x)--;"),
    ("inc_by_one", "int", 0, N, "*x = *x + 1;"),
    ("and", "uint", 255, 248, "x[0] &= 248 | v;"),
    ("and_written_out", "uint", 255, 248, "x[0] = x[0] & (248 | v);"),
    ("or", "uint", 0, 127, "x[0] |= v;"),
    ("or_written_out", "uint", 0, 127, "*x = *x | v;"),
    ("xor", "uint", 0, __import__("functools").reduce(lambda a, b: a ^ b, DATA), "x[0] ^= v;"),
    ("max", "int", 0, max(DATA), "x[0] = max(x[0], v);"),
    ("max_swapped", "uint", 0, max(DATA), "*x = max((uint)v, *x);"),
    ("max_choice", "int", 0, max(DATA), "x[0] = x[0] > v ? x[0] : v;"),
    ("max_choice_other", "int", 0, max(DATA), "x[0] = v > x[0] ? v : x[0];"),
    ("max_if", "int", 0, max(DATA), "if (v > x[0])\n    x[0] = v;"),
    ("max_if_braces", "int", 0, max(DATA), "if (x[0] < v) {\n    x[0] = v;\n  }"),
    ("max_if_and", "int", 0, max(DATA), "if (i >= 0 && v > *x) *x = v;"),
    ("max_read_first", "int", 0, max(DATA), "int seen_now = *x;\n  if (seen_now < v)\n    *x = v;"),
    ("max_read_first_call", "int", 0, max(DATA), "int old = x[0];\n  x[0] = max(old, v);"),
    ("max_before", "int", 0, max(DATA), "int best = max(x[0], v);\n  x[0] = best;"),
    ("min", "int", 1000, min(DATA), "x[0] = min(x[0], v);"),
    ("min_if", "int", 1000, min(DATA), "if (v < *x) *x = v;"),
    ("min_with_flag", "int", 1000, min(DATA), "if (x[0] > v) {\n    x[0] = v;\n    y[i] = 1;\n  }"),
    ("min_if_equal", "uint", 1000, min(DATA), "if (*x >= v) { *x = v; }"),
    ("add_read_first", "int", 0, sum(DATA), "int t = *x;\n  *x = t + v;"),
    ("add_temporary", "int", 0, sum(DATA), "int t = *x;\n  t += v;\n  *x = t;"),
    ("add_in_between", "int", 0, sum(DATA), "int t = x[0] + v;\n  x[0] = t;"),
    ("float_add", "float", 0, float(sum(DATA)), "x[0] += v;"),
    ("float_add_written_out", "float", 0, float(sum(DATA)), "*x = *x + (float)v;"),
    ("float_sub", "float", 9000, float(9000 - sum(DATA)), "x[0] -= v;"),
    ("float_max", "float", 0, float(max(DATA)), "x[0] = fmax(x[0], (float)v);"),
    ("float_max_if", "float", 0, float(max(DATA)), "if (*x < v) *x = v;"),
    ("float_min_if", "float", 1000, float(min(DATA)), "float w = v;\n  if (w < x[0]) { x[0] = w; }"),
    ("float_read_first", "float", 0, float(sum(DATA)), "float t = *x;\n  *x = t + v;"),
    ("double_by_two", "uint", 1, 2 ** N % 2 ** 32, "x[0] *= 2;"),
    ("shift", "uint", 1, 0, "x[0] <<= 1;"),
    ("bounded", "int", 0, 10, "if (*x < 10) *x += 1;"),
    ("float_in_int", "int", 0, 32, "if (i < 32) *x += 1.5f;"),
    ("loop", "int", 0, 3 * sum(DATA), "for (int k = 0; k < 3; k++)\n    x[0] += v;"),
    ("member", "int", 0, sum(DATA), "((global struct pair *)x)->first += v;"),
    ("ulong_add", "ulong", 5, 5 + sum(DATA), "x[0] += v;"),
    ("ulong_inc", "ulong", 0, N, "x[0]++;"),
    ("ulong_max_if", "ulong", 0, max(DATA), "if (x[0] < (ulong)v) x[0] = (ulong)v;"),
    ("ulong_sub_one", "ulong", 100, 100 - N, "x[0] = x[0] - 1;"),
    ("long_min", "long", 1000, min(DATA), "x[0] = min(x[0], (long)v);"),
    ("double_add", "double", 0, float(sum(DATA)), "x[0] += v;"),
    ("in_a_branch", "int", 0, sum(DATA[:40]), "if (i < 40) { x[0] += v; }"),
    ("in_an_else", "int", 0, sum(DATA[40:]), "if (i < 40) ; else x[0] += v;"),
]
SPECIAL = {"float_in_int": N // 2} # each adds 1: an int has no halves

# Each takes a slot of its own of y, adds 1 there, and none takes another one's.
SLOTS = [
    ("slot", "int slot = x[0];\n  x[0] = slot + 1;\n  y[slot] += 1;"),
    ("slot_step", "int slot = x[0]++;\n  y[slot] += 1;"),
    ("slot_in_place", "y[x[0]++] += 1;"),
    ("slot_used_first", "y[*x] += 1;\n  (*x)++;"),
    ("slot_in_brackets", "if (v >= 0)\n    y[(*x)++] += 1;"),
    ("slot_add", "int slot = *x;\n  *x += 1;\n  y[slot] += 1;"),
]
FIRST = [
    ("first_come", "if (x[0] == 0) {\n    x[0] = 1;\n    y[0] += 1;\n  }"),
    ("first_come_not", "if (!*x) {\n    *x = 1;\n    y[0] += 1;\n  }"),
    ("first_come_read", "int taken = x[0];\n  if (taken == 0) {\n    x[0] = 1;\n    y[0] += 1;\n  }"),
]

# A push on a list: each gets what the one before it put there. Name, type of x, body.
PUSHES = [
    ("push", "int", "y[i] = x[0];\n  x[0] = i;"),
    ("push_deref", "uint", "y[i] = *x;\n  *x = i;"),
    ("push_read_first", "int", "int old = *x;\n  y[i] = old;\n  *x = i;"),
    ("push_stored_first", "uint", "uint old = x[0];\n  x[0] = i;\n  y[i] = old;"),
    ("push_float", "float", "float old = x[0];\n  x[0] = (float)i;\n  y[i] = (int)old;"),
]

# A lock that is a plain word: taken, and given back, by one of the stores. Each adds 1 to y[0].
LOCKS = [
    ("lock_in_if", "int done = 0;\n  while (!done) {\n    if (x[0] == 0) {\n      x[0] = 1;\n      y[0] += 1;\n      x[0] = 0;\n      done = 1;\n    }\n  }"),
    ("lock_in_if_not", "for (bool done = false; !done;)\n    if (!*x) {\n      *x = 7;\n      done = true;\n      y[0] = y[0] + 1;\n      *x = 0;\n    }"),
]

VERSIONS = ["CL1.2", "CL2.0", "CL3.0"]
HEAD = "struct pair { int first, second; };\n"


def scenario(name, source, version, args, expect="", groups=True):
    path = os.path.join(work, name + ".yaml")
    lines = ["orrery: 1", "name: %s" % name, "checks: {races: error}", "program:", "  options: \"-cl-std=%s\"" % version, "  text: |"]
    lines += ["    " + line for line in source.split("\n")]
    lines += ["launch:", "  - {kernel: k, global: [%d], local: [%d], args: [%s]}" % (N, 16 if groups else N, ", ".join(args))]
    with open(path, "w") as file:
        file.write("\n".join(lines + [expect]) + "\n")
    return path


def run(path):
    """What was found, and what was printed."""
    found = path + ".json"
    if os.path.exists(found):
        os.remove(found)
    done = subprocess.run([orrery, "run", "--max-errors=1000", "--json=" + found, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    if not os.path.exists(found):
        return None, done.stdout
    with open(found) as lines:
        return [f for f in map(json.loads, lines) if f.get("type") == "finding"], done.stdout


def holds(path):
    """Nothing is found, and the buffers have what is expected."""
    return subprocess.run([orrery, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)


def edited(source, edits):
    lines = source.split("\n")
    for edit in sorted(edits, key=lambda e: (-e["line"], -e["column"])):
        first, last = lines[edit["line"] - 1], lines[edit["end_line"] - 1]
        lines[edit["line"] - 1:edit["end_line"]] = [first[:edit["column"] - 1] + edit["text"] + last[edit["end_column"] - 1:]]
    return "\n".join(lines)


def number(value):
    return "%d" % value


def kernel(type, body, second="int"):
    return HEAD + ("kernel void k(global %s *x, global const int *data, global %s *y)\n{\n  int i = get_global_id(0);\n  int v = data[i];\n  %s\n}"
                   % (type, second, body))


def arguments(type, start):
    data = "{buffer: {type: int, count: %d, values: [%s]}}" % (N, ", ".join(map(str, DATA)))
    return ["{buffer: {type: %s, count: 2, values: [%s, 0]}}" % (type, number(start)), data, "{buffer: {type: int, count: %d, fill: 0}}" % N]


def not_covered(found, fixed, text):
    """One fix leaves nothing to be found: what the other findings lack that says so. None: nothing."""
    for finding in found:
        if finding is not fixed and finding.get("covered_by", {}).get("line") != fixed["accesses"][0]["line"]:
            return "the fix of another finding removes this one, too, and does not say so: " + json.dumps(finding)
    if text.count("orrery: error: ") != 1 or text.count("note  the fix also removes ") != len(found) - 1:
        return "one fix for all, but not one finding: " + text
    return None


def judge(name, source, version, args, expect, steps, groups=True):
    """Applies fixes until nothing is found; each has to have edits. None: all is well."""
    found, fixes, text = [], [], ""
    for step in range(steps):
        before, text_before = found, text
        found, text = run(scenario(name, source, version, args, groups=groups))
        if found is None:
            return "it does not run: " + text[-300:]
        if not found and step:
            break
        fixes = [f for f in found if f.get("edits") and f["fix_verified"]]
        if not fixes:
            return "no fix with edits: " + "; ".join(f.get("fix", "-") for f in found)
        source = edited(source, fixes[0]["edits"])
    else:
        return "still something is found"
    if not_covered(before, fixes[0], text_before):
        return not_covered(before, fixes[0], text_before)
    done = holds(scenario(name, source, version, args, expect, groups))
    return None if done.returncode == 0 else "the result is wrong: " + done.stdout[-400:] + "\n" + source


def update_cases():
    for index, (name, type, start, end, body) in enumerate(UPDATES):
        version = VERSIONS[index % len(VERSIONS)] if "--all" not in sys.argv else None
        end = SPECIAL.get(name, end)
        expect = "expect:\n  findings: []\n  buffers: [{arg: 0, values: [%s, 0]}]" % number(end)
        for each in [version] if version else VERSIONS:
            yield name + "_" + each, kernel(type, body), each, arguments(type, start), expect


def other_cases():
    for name, body in SLOTS:
        yield name, kernel("int", body), "CL1.2", arguments("int", 0), "expect:\n  findings: []\n  buffers: [{arg: 0, values: [%d, 0]}, {arg: 2, values: [%s]}]" % (
            N, ", ".join(["1"] * N))
    for name, body in FIRST:
        yield name, kernel("int", body), "CL3.0", arguments("int", 0), "expect:\n  findings: []\n  buffers: [{arg: 0, values: [1, 0]}, {arg: 2, values: [1%s]}]" % (
            ", 0" * (N - 1))
    for name, type, body in PUSHES:
        for version in VERSIONS:
            yield name + "_" + version, kernel(type, body), version, arguments(type, 1000), "expect:\n  findings: []\n  buffers: [{arg: 0, values: [%d, 0]}, {arg: 2, values: [%s]}]" % (
                N - 1, ", ".join(map(str, [1000] + list(range(N - 1)))))
    for name, body in LOCKS:
        yield name, kernel("int", body), "CL2.0", arguments("int", 0), "expect:\n  findings: []\n  buffers: [{arg: 0, values: [0, 0]}, {arg: 2, values: [%d, 0]}]" % N
    shared = kernel("int", "local int seen[4];\n  if (get_local_id(0) < 4) seen[get_local_id(0)] = 0;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  seen[v & 3] += 1;\n"
                           "  barrier(CLK_LOCAL_MEM_FENCE);\n  if (get_local_id(0) < 4) atomic_add(&y[get_local_id(0)], seen[get_local_id(0)]);")
    counts = [sum(1 for d in DATA if d & 3 == k) for k in range(4)]
    yield "local_histogram", shared, "CL1.2", arguments("int", 0), "expect:\n  findings: []\n  buffers: [{arg: 2, values: [%s]}]" % (
        ", ".join(map(str, counts + [0] * (N - 4))))


LOCAL = "int touch(local int *p, int v); kernel void k(global int *x, global const int *data, global int *y)\n{\n  local int t[%d], u[%d];\n  int i = get_local_id(0);\n%%s\n}\nint touch(local int *p, int v)\n{\n  int old = *p; if (v) *p = v;\n  return old;\n}" % (N, N)
# A queue of the work-group: each round, its work-items take what the last round pushed. What is read at the head of the loop, before a
# barrier, decides whether there is another round; that makes no update of it and a later store. A relaxed atomic in an earlier round does
# not come too early for an access in a later one.
QUEUE = ("  local int head, tail;\n  if (i == 0) {\n    t[0] = 0;\n    head = 0;\n    tail = 1;\n  }\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  for (;;) {\n    int from = head, to = tail;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (from == to) break;\n"
         "    for (int q = from + i; q < to; q += %d)\n      for (int k = 1; k < 3; k++)\n        if (2 * t[q] + k < %d)\n          %%s;\n    %%s;\n"
         "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  y[i] = i < tail;" % (N, N))
# Name, body, the text of a fix or advice, text that none has, and y when a barrier is put at its place; None: it is not.
WORDS = [
    ("missing_barrier", "  t[i] = data[i];\n  y[i] = t[%d - i];" % (N - 1), r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:6", None,
     list(reversed(DATA))),
    ("counter_set_and_added_to", "  if (i == 0)\n    t[0] = 0;\n  atomic_add(&t[0], data[i]);\n  barrier(CLK_LOCAL_MEM_FENCE);\n  y[i] = t[0];",
     r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:7", r"acq_rel|_explicit", [sum(DATA)] * N),
    ("reduction", "  t[i] = data[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  for (int s = %d; s > 0; s /= 2) {\n    if (i < s)\n      t[i] += t[i + s];\n  }\n"
                  "  if (i == 0)\n    y[0] = t[0];" % (N // 2), r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:8, in each iteration", None,
     [sum(DATA)] + [0] * (N - 1)),
    ("stencil", "  t[i] = data[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  int sum = t[i] + t[(i + 1) %% %d];\n  t[i] = sum;\n  y[i] = t[i];" % N,
     r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:8", None, [DATA[i] + DATA[(i + 1) % N] for i in range(N)]),
    ("divergent_loop", "  t[i] = 1;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  for (int k = 0; k < i; k++)\n    t[(i + k) %% %d] = t[(i + k + 1) %% %d];\n  y[i] = t[i];" % (N, N),
     None, r"in each iteration", None),
    ("tagged_words", "  t[i] = 0;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  int c, d = data[i] & 7;\n  do {\n    c = t[d] & 0xffffff;\n    c = i << 24 | (c + 1);\n    t[d] = c;\n"
                     "  } while (t[d] != c);\n  barrier(CLK_LOCAL_MEM_FENCE);\n  y[i] = t[i];", r"atomic_inc", r"barrier", None),
    ("copy_without_wait", "  event_t e = async_work_group_copy(t, data, %d, 0);\n  y[i] = t[i];" % N, r"wait_group_events before", None, None),
    ("copy_of_one", "  event_t e = 0;\n  if (i == 0)\n    e = async_work_group_copy(t, data, %d, 0);\n  wait_group_events(1, &e);\n  y[i] = t[i];" % N,
     r"outside of the branch", r"wait_group_events before", None),
    ("copy_of_another_event", "  event_t e[2];\n  e[0] = async_work_group_copy(t, data, %d, 0);\n  e[1] = async_work_group_copy(u, data, %d, 0);\n"
                              "  wait_group_events(1, e);\n  y[i] = t[i] + u[i];" % (N, N), r"the event of the copy at program.cl:7 among those", r"wait_group_events before", None),
    ("same_buffer", "  local int *from = t, *to = u;\n  t[i] = data[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  for (int k = 0; k < 3; k++) {\n"
                    "    from[i] = from[(i + 1) %% %d];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    local int *other = from;\n    from = to;\n    to = other;\n  }\n  y[i] = from[i];" % N,
     r"to, the other buffer", r"barrier", None),
    ("same_index", "  local int b[2][%d];\n  int now = 0;\n  b[0][i] = data[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  for (int k = 0; k < 3; k++) {\n"
                   "    b[now][i] = b[now][(i + 1) %% %d];\n    barrier(CLK_LOCAL_MEM_FENCE);\n    now = 1 - now;\n  }\n  y[i] = b[now][i];" % (N, N),
     r"b\[1 - now\], the other buffer", r"barrier", None),
    ("lock_differs", "  while (x[0] != 0)\n    ;\n  x[0] = 1;\n  y[0] += 1;\n  atomic_xchg(x, 0);", r"atomic_cmpxchg\(&x\[0\], 0, 1\) != 0 in place", r"barrier", None),
    ("lock_is", "  while (*x == 1) {}\n  *x = 1;\n  y[0] += 1;\n  atomic_xchg(x, 0);", r"atomic_xchg\(x, 1\) == 1 in place", r"barrier", None),
    # each waits for its neighbour's flag, and sets its own: no lock
    ("chain", "  if (i > 0)\n    while (y[i - 1] == 0)\n      ;\n  y[i] = data[i] + 1;", r"atomic_load_explicit with memory_order_acquire", r"barrier|lock is", None),
    ("chain_in_rows", "  for (int k = 0; k < 3; k++) {\n    if (i > 0)\n      while (y[i - 1] <= k)\n        ;\n    y[i] = k + 1;\n  }",
     r"atomic_load_explicit with memory_order_acquire", r"barrier|lock is", None),
    ("broadcast_reset", "  if (i == 0) x[0] = 7;\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  y[i] = x[0];\n  x[0] = 0;",
     r"barrier\(CLK_GLOBAL_MEM_FENCE\) before program.cl:8", r"xchg", None),
    ("last_one_wins", "  y[0] = i;", r"one work-item", r"atomic_store", None),
    ("stores_of_all", "  y[0] = 1;\n  x[i] = data[i];\n  y[0] = 2;", r"one work-item do both", r"barrier|two kernels", None),
    ("stores_of_all_in_local_memory", "  t[3] = 1;\n  x[i] = data[i];\n  t[3] = data[i];", r"one work-item do both", r"barrier|two kernels", None),
    ("stores_of_all_in_a_loop", "  for (int k = 0; k < 3; k++) {\n    y[2] = k;\n    y[2] = 7;\n  }", r"one work-item do both", r"barrier|two kernels", None),
    ("stores_of_one_each", "  if (i == 0)\n    y[0] = 1;\n  if (i == 1)\n    y[0] = 2;", r"barrier\(CLK_GLOBAL_MEM_FENCE\) before", r"do both", None),
    ("queue_of_plain_pushes", QUEUE % ("t[tail++] = 2 * t[q] + k", "if (i == 0) head = to"), r"atomic_inc\(&tail\) in place of tail\+\+", r"program.cl:14", None),
    ("queue_with_a_head_of_all", QUEUE % ("t[atomic_inc(&tail)] = 2 * t[q] + k", "head = to"), r"let one work-item do it", r"only where|atomic update", None),
    ("read_before_a_barrier", "  int old = x[0];\n  barrier(CLK_GLOBAL_MEM_FENCE);\n  x[0] = old + data[i];", r"atomic", r"barrier", None),
    # one line of a function that is called twice is two statements of the kernel
    ("helper_called_twice", "  touch(&t[i], data[i] + 1);\n  y[i] = data[i];\n  y[i] += touch(&t[%d - i], 0);" % (N - 1), r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:7", r"two statements",
     [DATA[i] + DATA[N - 1 - i] + 1 for i in range(N)]),
    ("helper_fills_before_a_loop", "  touch(&t[i], data[i] + 1);\n  int sum = 0;\n  for (int k = 0; k < %d; k++) sum += t[k];\n  y[i] = sum;" % N,
     r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:7", None, [sum(DATA) + N] * N),
    ("helper_fills_tiles", "  int sum = 0;\n  for (int at = 1; at < 3; at++) {\n    touch(&t[i], data[i] + at);\n    for (int k = 0; k < %d; k++) sum += t[k];\n"
                           "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  y[i] = sum;" % N, r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:8, in each iteration", None,
     [2 * sum(DATA) + 3 * N] * N),
    # two calls have no other access between them, and the later one may store in a branch of its own
    ("helper_called_twice_in_turn", "  touch(&t[i], data[i] + 1);\n  y[i] = touch(&t[%d - i], 0);" % (N - 1), r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:6", r"two statements",
     [DATA[N - 1 - i] + 1 for i in range(N)]),
    ("helper_stores_twice", "  touch(&t[i], 0 * data[i]);\n  touch(&t[i], data[i] + 1);\n  touch(&t[i ^ 1], i & 1);\n  barrier(CLK_LOCAL_MEM_FENCE);\n  y[i] = t[i];",
     r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:7", r"two statements", [DATA[i] + 1 if i & 1 else 1 for i in range(N)]),
    ("helper_after_a_block", "  if (i < 32)\n  {\n    touch(&t[i], data[i] + 1);\n  }\n  touch(&t[i ^ 1], i == 9);\n  y[i] = i;", r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:9", r"program.cl:6",
     list(range(N))),
    ("helper_in_a_loop", "  int sum = 0;\n  for (int k = 0; k < 3; k++) {\n    touch(&t[i], data[i] + k + 1);\n    sum += touch(&t[%d - i], 0);\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  y[i] = sum;" % (N - 1),
     r"barrier\(CLK_LOCAL_MEM_FENCE\) before program.cl:8, in each iteration", None, [3 * DATA[N - 1 - i] + 6 for i in range(N)]),
    ("helper_after_a_return", "  touch(&t[i], data[i] + 1);\n  if (i > 40) return;\n  y[i] = touch(&t[%d - i], 0);" % (N - 1), r"barrier\(CLK_LOCAL_MEM_FENCE\)", r"before program.cl:7", None),
    ("helper_in_a_branch", "  touch(&t[i], data[i] + 1);\n  if (i > 40)\n  {\n    y[i] = touch(&t[%d - i], 0);\n  }" % (N - 1), r"barrier\(CLK_LOCAL_MEM_FENCE\)", r"before program.cl:8", None),
    ("helper_in_each_branch", "  if (i < 32) {\n    touch(&t[i], data[i] + 1);\n  } else {\n    touch(&t[%d - i], 7);\n  }\n  y[i] = i;" % (N - 1), None, r"before program.cl:8", None),
    ("macro_update", "#define ADD(p, n) p = p + n\n  ADD(x[0], data[i]);", r"atomic update", r"barrier|atomic_store", None),
    ("byte_update", "  ((global uchar *)x)[0] += 1;", r"object of 4 bytes", r"barrier|atomic_store", None),
    ("argmax", "  if (data[i] > x[0]) {\n    x[0] = data[i];\n    x[1] = i;\n  }", r"atomic update|work-item", r"barrier|atomic_store", None),
]


def with_barrier(source, fix):
    place = re.match(r"(\w+\(\w+\)) before program.cl:(\d+)", fix)
    lines = source.split("\n")
    lines[int(place[2]) - 1] = place[1] + "; " + lines[int(place[2]) - 1]
    return "\n".join(lines)


def judge_words(name, body, wanted, unwanted, result):
    source = LOCAL % body
    args = arguments("int", 0)
    found, text = run(scenario(name, source, "CL1.2", args, groups=False))
    races = [f for f in found or [] if f["id"].startswith("race")]
    if not races:
        return "no race is found: " + text[-300:]
    fixes = [f.get("fix", "") for f in races]
    if wanted and not any(re.search(wanted, fix) for fix in fixes):
        return "'%s' is not in: %s" % (wanted, "; ".join(fixes))
    if unwanted and any(re.search(unwanted, fix) for fix in fixes):
        return "'%s' is in: %s" % (unwanted, "; ".join(fixes))
    if result is None:
        return None
    fix = [f for f in races if re.search(wanted, f.get("fix", ""))][0]
    repaired = with_barrier(source, fix["fix"])
    if edited(source, fix.get("edits", [])) != repaired:
        return "the edits are not the words: " + str(fix.get("edits"))
    done = holds(scenario(name, repaired, "CL1.2", args, "expect:\n  findings: []\n  buffers: [{arg: 2, values: [%s]}]" % ", ".join(map(str, result)), groups=False))
    return None if done.returncode == 0 else "with the barrier it is wrong: " + done.stdout[-400:] + "\n" + repaired


def main():
    wrong = []
    for name, source, version, args, expect in list(update_cases()) + list(other_cases()):
        wrong.append((name, judge(name, source, version, args, expect, 4)))
    for name, body, wanted, unwanted, result in WORDS:
        wrong.append((name, judge_words(name, body, wanted, unwanted, result)))
    for name, what in wrong:
        if what:
            print("%s: %s" % (name, what))
    print("tried", len(wrong))
    return any(what for _, what in wrong)


sys.exit(main())
