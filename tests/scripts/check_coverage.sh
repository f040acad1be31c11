#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --coverage: a tracefile with each line that has code, as often as it was executed, also those with 0; lcov and genhtml, where they are
# installed, read it and get the same numbers.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
orrery=$build/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 passed=0
fail() { echo "$*"; bad=$((bad + 1)); }

# Lines that have code end in how often work-items execute them; 8 work-items run k.
cat >"$work/k.cl" <<'END'
int twice(int x)
{
    return 2 * x; // =24
}

kernel void k(global int *a, int n)
{
    int i = get_global_id(0); // =8
    int sum = 0; // =8
    for (int round = 0; round < 3; round++) // =32
        sum += twice(round); // =24
    if (i < 5) // =8
        sum += 1; // =5
    else if (n > 100) // =3
        sum += 1000; // =0
    switch (i) { // =8
    case 0:
        sum += 7; // =1
        break; // =1
    case 50:
        sum += 9; // =0
        break; // =0
    default:
        sum -= 1; // =7
    } // =7
    a[i] = sum; // =8
} // =8

kernel void never(global int *a)
{
    if (a[0]) // =0
        a[0] = 1; // =0
} // =0
END
cat >"$work/k.yaml" <<'END'
orrery: 1
program: {source: k.cl}
launch:
  - {kernel: k, global: [8], local: [8], args: [{buffer: {type: int, count: 8}}, {scalar: {type: int, value: 3}}]}
END
cat >"$work/judge.py" <<'END'
import re, sys
source, trace = sys.argv[1:3]
sections, name = {}, None
for line in open(trace):
    line = line.rstrip("\n")
    key, _, rest = line.partition(":")
    if key == "TN":
        assert rest == ""
    elif key == "SF":
        section = sections[rest] = {"FN": {}, "FNDA": {}, "BRDA": {}, "DA": {}}
    elif key in ("FN", "FNDA"):
        number, name = rest.split(",")
        assert name not in section[key], line
        section[key][name] = int(number)
    elif key == "BRDA":
        place, block, way, taken = rest.split(",")
        assert (int(place), int(block), int(way)) not in section["BRDA"], line
        section["BRDA"][int(place), int(block), int(way)] = taken
    elif key == "DA":
        place, count = map(int, rest.split(","))
        assert place not in section["DA"], line
        section["DA"][place] = count
    elif key in ("FNF", "FNH", "BRF", "BRH", "LF", "LH"):
        section[key] = int(rest)
    else:
        assert line == "end_of_record", line
(section,) = [s for f, s in sections.items() if f.endswith("k.cl")]
wanted = {}
for number, text in enumerate(open(source), 1):
    found = re.search(r"// =(\d+)$", text)
    if found:
        wanted[number] = int(found.group(1))
for number in sorted(set(wanted) | set(section["DA"])):
    assert wanted.get(number) == section["DA"].get(number), (number, wanted.get(number), section["DA"].get(number))
assert section["LF"] == len(wanted) and section["LH"] == sum(c > 0 for c in wanted.values())
assert section["FNDA"] == {"k": 8, "never": 0, "twice": 24}, section["FNDA"]
assert sorted(section["FN"]) == sorted(section["FNDA"]) and section["FN"]["twice"] == 3, section["FN"]
assert section["FNF"] == 3 and section["FNH"] == 2
line = {t.strip(): n for n, t in enumerate(open(source), 1)}
def ways(text):
    (number,) = [n for t, n in line.items() if t.startswith(text)]
    return [t for (place, block, way), t in sorted(section["BRDA"].items()) if place == number]
assert ways("for (") == ["24", "8"], ways("for (")
assert ways("if (i < 5)") == ["5", "3"]
assert ways("else if") == ["0", "3"]
assert ways("switch") == ["1", "0", "7"], ways("switch")
assert ways("if (a[0])") == ["-", "-"]
assert section["BRF"] == 11 and section["BRH"] == 7, (section["BRF"], section["BRH"])
END
for schedule in lockstep serial reverse round-robin random; do
    "$orrery" run --schedule=$schedule --coverage="$work/k.info" "$work/k.yaml" >"$work/out" 2>&1 || fail "$schedule: $(cat "$work/out")"
    python3 "$work/judge.py" "$work/k.cl" "$work/k.info" || fail "$schedule: $(cat "$work/k.info")"
    passed=$((passed + 1))
done
"$orrery" run --coverage="$work/two.info" --instructions="$work/two.json" "$work/k.yaml" >/dev/null 2>&1
cmp -s "$work/k.info" "$work/two.info" || fail "another schedule, or counts besides, give another file"

if command -v lcov >/dev/null; then
    lcov --summary "$work/k.info" --rc lcov_branch_coverage=1 >"$work/summary" 2>&1 || fail "lcov: $(cat "$work/summary")"
    for line in 'lines\.*: 71.4% (15 of 21 lines)' 'functions\.*: 66.7% (2 of 3 functions)' 'branches\.*: 63.6% (7 of 11 branches)'; do
        grep -q "$line" "$work/summary" || fail "lcov: no '$line' in $(cat "$work/summary")"
    done
    lcov -a "$work/k.info" -a "$work/two.info" --rc lcov_branch_coverage=1 -o "$work/sum.info" >"$work/added" 2>&1 || fail "lcov -a: $(cat "$work/added")"
    grep -q '^DA:13,10' "$work/sum.info" || fail "lcov adds other counts: $(grep ^DA "$work/sum.info")"
    passed=$((passed + 2))
fi
if command -v genhtml >/dev/null; then
    (cd "$work" && genhtml --branch-coverage -o html k.info) >"$work/pages" 2>&1 || fail "genhtml: $(cat "$work/pages")"
    find "$work/html" -name 'k.cl.gcov.html' | grep -q . || fail "genhtml: no page of k.cl"
    passed=$((passed + 1))
fi

# ---- a host program --------------------------------------------------------------------------------
if [ -x "$build/examples/two_kernels" ]; then
    "$orrery" run --coverage="$work/host.info" -- "$build/examples/two_kernels" "$src/examples/two_kernels.cl" >/dev/null 2>&1
    grep -q '^FNDA:16,fill' "$work/host.info" && grep -q '^FNDA:16,sum' "$work/host.info" || fail "host program: $(cat "$work/host.info")"
    ORRERY_COVERAGE=$work/env.info OCL_ICD_VENDORS=$build/icd "$build/examples/two_kernels" "$src/examples/two_kernels.cl" >/dev/null 2>&1
    cmp -s "$work/host.info" "$work/env.info" || fail "the library alone writes another file"
fi

# ---- bad values --------------------------------------------------------------------------------------
refused() { # TEXT OPTION
    "$orrery" run "$2" "$work/k.yaml" >"$work/refused" 2>&1
    local got=$?
    [ "$got" = 2 ] && grep -qF -- "$1" "$work/refused" && ! grep -q SUMMARY "$work/refused" || fail "$2: status $got, $(cat "$work/refused")"
    passed=$((passed + 1))
}
refused "coverage: $work/no/k.info: No such file or directory" "--coverage=$work/no/k.info"
refused "coverage: $work/k.cl: found a file that is not such a report" "--coverage=$work/k.cl"

echo "$passed checks, $bad failures"
[ "$bad" = 0 ]
