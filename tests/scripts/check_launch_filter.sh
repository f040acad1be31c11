#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --kernel and --launches: what is found in the launches that are checked is what is found there without them, to the byte; the
# others run with the same results and are not reported; bad values are refused.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
orrery=$build/orrery program=("$build/examples/two_kernels" "$src/examples/two_kernels.cl")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 passed=0
fail() { echo "$*"; bad=$((bad + 1)); }

# findings NAME OPTION... -> NAME.out (results), NAME.json (findings and summary), NAME.text; status in $status
findings() {
    local name=$1
    shift
    $orrery run --json="$work/$name.json" --force "$@" -- "${program[@]}" >"$work/$name.out" 2>"$work/$name.text"
    status=$?
}

# Of the launches that are checked, without the filter; which finding a finding may follow from is another matter.
same_findings() { # NAME CONDITION
    python3 - "$work/all.json" "$work/$1.json" "$2" <<'END' || fail "$1: findings differ"
import json, sys
drops_count = "launch" in sys.argv[3]
def findings(path):
    for line in open(path):
        finding = json.loads(line)
        if finding.get("type") != "summary":
            finding.pop("cause", None)
            if drops_count: # launches that are left out found the same
                finding.pop("count", None)
            yield finding
wanted = [f for f in findings(sys.argv[1]) if eval(sys.argv[3], {"kernel": f["kernel"], "launch": f["launch"]})]
found = list(findings(sys.argv[2]))
assert wanted, "nothing is found without the filter"
assert json.dumps(wanted) == json.dumps(found), (wanted, found)
END
    passed=$((passed + 1))
}

# has NAME TEXT
has() { grep -qF -- "$2" "$work/$1.text" || fail "$1: no '$2' in: $(grep -a '^orrery' "$work/$1.text")"; passed=$((passed + 1)); }

if [ -x "$build/examples/two_kernels" ]; then
    findings all
    [ "$status" = 66 ] || fail "all: status $status"
    grep -q 'left out' "$work/all.text" && fail "all: something is left out"
    findings sum --kernel=sum
    has sum "2 of 4 launches were left out of checks (uninitialised, races, atomics): 2 by --kernel"
    has sum "kernels=4"
    # the element that fill does not write counts as not written: no other launch wrote it
    same_findings sum 'kernel == "sum"'
    findings other '--kernel=!sum'
    same_findings other 'kernel == "fill"'
    findings two '--kernel=su*' '--kernel=fill'
    same_findings two 'True'
    findings two_lines '--kernel=su*
fill'
    same_findings two_lines 'True'
    findings first --launches=1
    has first "3 of 4 launches were left out of checks (uninitialised, races, atomics): 3 by --launches"
    same_findings first 'launch == 1'
    findings head --launches=..2
    same_findings head 'launch <= 2'
    findings both --kernel=sum --launches=..2
    has both "3 of 4 launches were left out of checks (uninitialised, races, atomics): 2 by --kernel, 1 by --launches"
    same_findings both 'kernel == "sum" and launch <= 2'
    findings none --kernel=sun
    [ "$status" = 0 ] || fail "none: status $status"
    has none "no launch is one of --kernel=sun: 4 launches ran, of fill, sum; did you mean sum?"
    findings late --launches=9..
    has late "no launch is one of --launches: 4 launches ran, of fill, sum"
    for name in sum other two first head both none late; do
        cmp -s "$work/all.out" "$work/$name.out" || fail "$name: the program has another result"
    done
    # the library alone
    OCL_ICD_VENDORS=$build/icd ORRERY_KERNEL=sum ORRERY_LAUNCHES=2 ORRERY_JSON=$work/env.json "${program[@]}" >"$work/env.out" 2>"$work/env.text"
    has env "3 of 4 launches were left out of checks (uninitialised, races, atomics): 2 by --kernel, 1 by --launches"
    same_findings env 'kernel == "sum" and launch == 2'
    python3 - "$src/man/findings.schema.json" "$work/both.json" <<'END' || fail "the JSON lines are not as the schema says"
import json, sys
lines = [json.loads(line) for line in open(sys.argv[2])]
assert lines[-1]["left_out_by_kernel"] == 2 and lines[-1]["left_out_by_launches"] == 1, lines[-1]
try:
    import jsonschema
except ImportError:
    sys.exit(0)
schema = json.load(open(sys.argv[1]))
for line in lines:
    jsonschema.validate(line, schema)
END
fi

# ---- a scenario: the same under every schedule, and no false finding of what was left out ------
cat >"$work/chain.cl" <<'END'
kernel void init(global int *a, global int *b, global int *carry)
{
    size_t i = get_global_id(0);
    if (i < 8)
        a[i] = b[i];           /* b is not initialised */
    atomic_add(carry, 1);      /* nor is carry */
    if (i == 0)
        a[0] = 1, b[8] = 2;    /* a[0] races with work-item 0's own group only by itself: none */
    b[9] = (int)i;             /* a race */
}
kernel void use(global int *a, global int *out, global int *carry)
{
    size_t i = get_global_id(0);
    out[i] = a[i] > 0 ? 1 : 2; /* a branch on what init wrote */
    if (*carry > 5)
        out[16 + i] = 1;
    out[40] = (int)i;          /* a race */
}
END
cat >"$work/chain.yaml" <<'END'
orrery: 1
program: {source: chain.cl}
launch:
  - {kernel: init, global: [8], local: [4], args: [{buffer: {type: int, count: 8}, name: a}, {buffer: {type: int, count: 16}}, {buffer: {type: int, count: 1}, name: carry}]}
  - {kernel: use, global: [8], local: [4], args: [{same: a}, {buffer: {type: int, count: 48}}, {same: carry}]}
END
for schedule in lockstep serial reverse round-robin random; do
    $orrery run --schedule=$schedule --fixes=off --kernel=use "$work/chain.yaml" >"$work/chain" 2>&1
    [ "$(grep -c '^orrery: error' "$work/chain")" = 1 ] && grep -q 'race-global' "$work/chain" ||
        fail "$schedule: $(cat "$work/chain")"
    passed=$((passed + 1))
done
$orrery run --fixes=off --launches=1 "$work/chain.yaml" 2>&1 | grep -q 'uninitialised-store' || fail "launch 1 is not checked"
sed '$a checks: {kernel: ["us?", "!init"], launches: 2..}' "$work/chain.yaml" >"$work/keyed.yaml"
$orrery run --fixes=off "$work/keyed.yaml" >"$work/keyed" 2>&1
grep -q '1 of 2 launches was left out.*: 1 by --kernel$' "$work/keyed" || fail "keys: $(cat "$work/keyed")"
# a launch that is left out may be wrong in any way
sed 's/b\[8\] = 2/b[1000000] = 2/' "$work/chain.cl" >"$work/far.cl"
sed 's/chain.cl/far.cl/' "$work/chain.yaml" >"$work/far.yaml"
$orrery run --fixes=off --kernel=use "$work/far.yaml" >"$work/far" 2>&1
[ "$?" = 66 ] && grep -q 'out-of-bounds-write' "$work/far" || fail "bounds: $(cat "$work/far")"
$orrery run --kernel=nothing "$work/chain.yaml" >"$work/check" 2>&1
grep -q 'no launch is one of --kernel=nothing: 2 launches ran, of init, use$' "$work/check" || fail "none of a scenario: $(cat "$work/check")"

# ---- bad values -------------------------------------------------------------------------------
refused() { # TEXT OPTION
    $orrery run "$2" "$work/chain.yaml" >"$work/refused" 2>&1
    local got=$?
    [ "$got" = 2 ] && grep -qF -- "$1" "$work/refused" || fail "$2: status $got, $(cat "$work/refused")"
    passed=$((passed + 1))
}
refused "option launches: found '3..2', expected numbers of launches, which count from 1" --launches=3..2
refused "option launches: found '0', expected" --launches=0
refused "option launches: found 'x', expected" --launches=x
refused "option kernel: found '!', expected the name of a kernel" '--kernel=!'
refused "option kernel: found '', expected" --kernel=
sed '$a checks: {launches: 2-3}' "$work/chain.yaml" >"$work/keyed.yaml"
$orrery run "$work/keyed.yaml" >"$work/keyed" 2>&1
grep -q "keyed.yaml:6:20: launches: found '2-3', expected numbers" "$work/keyed" || fail "position: $(cat "$work/keyed")"

echo "$passed checks, $bad failures"
[ "$bad" = 0 ]
