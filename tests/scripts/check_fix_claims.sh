#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A report's claim of a fix is its trial: run again, compiled only, or neither; and a fix that fails when it is run is advice
# that has the failure. Settings that hide findings from the report hide none from a trial.
set -u
unset ORRERY_FIXES
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
work=$(mktemp -d "${TMPDIR:-/tmp}/check_fix_claims.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$src"/examples/labs/sum.cl "$work" && cd "$work" || exit 1
bad=0

# says STATUS WORDS COMMAND...: the exit status, and words that stand in the report, whose lines are joined.
says() {
    local wanted=$1 words=$2 got
    shift 2
    "$build/orrery" "$@" >out 2>&1
    got=$?
    [ "$got" = "$wanted" ] || { echo "$*: status $got, expected $wanted: $(cat out)"; bad=1; }
    tr -s ' \n' ' ' <out | grep -qF -- "$words" || { echo "$*: expected '$words', found: $(cat out)"; bad=1; }
}

# claims WANTED: the claims of the findings in found.json, in their order.
claims() {
    local got
    got=$(grep -o '"fix_claim":"[a-z]*"' found.json | cut -d'"' -f4 | tr '\n' ' ')
    [ "${got% }" = "$1" ] || { echo "claims: expected '$1', found '${got% }'"; bad=1; }
}

fix='barrier(CLK_LOCAL_MEM_FENCE) after sum.cl:6'
says 66 "fix $fix (tried: removes this race)" run --json=found.json sum.cl
claims "tried tried"
says 66 "fix $fix (compiles; not run again)" run --fixes=compile --json=found.json sum.cl
claims "compiles compiles"
grep -q '"edits"' found.json || { echo "a fix that compiles has no edits"; bad=1; }
says 66 "advice $fix (orders the two; not run again)" run --fixes=off --json=found.json sum.cl
claims "orders orders"
grep -q '"edits"' found.json && { echo "edits, though they were not wanted"; bad=1; }
ORRERY_FIXES=off says 66 "advice $fix" run sum.cl
says 2 "option fixes: found 'never', expected try, compile, off" run --fixes=never sum.cl

# If one finding is accepted or suppressed, its race is still in the text that the trial of the other one's fix runs: the sum that
# it loses is no fault of that fix.
cat >two.yaml <<'SCENARIO'
orrery: 1
program:
  text: |
    kernel void k(global int *x, global int *y)
    {
        x[0] += 1;
        y[0] += 1;
    }
launch:
  - {kernel: k, global: [64], local: [64], args: [{buffer: {type: int, count: 1, fill: 0}}, {buffer: {type: int, count: 1, fill: 0}}]}
SCENARIO
says 0 "SUMMARY errors=0" run --baseline=known.txt --update-baseline two.yaml
grep -v 'x\[0\]' known.txt >x.txt
grep -v 'y\[0\]' known.txt >y.txt
says 66 "(tried: removes this race)" run --baseline=y.txt two.yaml
says 66 "(tried: removes this race)" run --baseline=x.txt two.yaml
echo '- {id: race-global, line: 3}' >known.yaml
says 66 "(tried: removes this race)" run --suppressions=known.yaml two.yaml

# Results and races that the order of the recorded operations does not show, and a launch that is too large to be run again.
# turns NAME SIZE SETUP FIRST SECOND: eight work-items execute a loop of two statements, after SETUP.
turns() {
    cat >"$1.yaml" <<SCENARIO
orrery: 1
device: {sub_group_sizes: [$2]}
program:
  options: "-cl-std=CL2.0"
  text: |
    kernel void turns(global atomic_int *flag, global int *out, local int *t)
    {
        int l = get_local_id(0), sum = 0;
        t[l] = 1;
        $3
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int s = 0; s < 4; s++) {
            $4
            $5
        }
        out[l] = sum;
    }
launch:
  - {kernel: turns, global: [8], local: [8], args: [{buffer: {type: int, count: 1, fill: 0}}, {buffer: {type: int, count: 8, fill: 0}}, {local: 32}]}
SCENARIO
}
# Each reads all four values of the other half before that half stores, or after it has stored the last one, which is the first again:
# one after another, the sum is 4, whichever is first. Iteration by iteration it is 1.
turns back 4 "" "if (l < 4) sum += t[l + 4];" "if (l >= 4) t[l] = s == 3;"
says 66 "" run --json=found.json back.yaml
grep -q '"fix_claim":"fails","fix_note":"the result is not that of a serial run: launch 0, argument 1, element 0 is 1, not 4"' found.json ||
    { echo "a wrong result is not said: $(cat found.json)"; bad=1; }
# Work-items that waited for others reach the barrier last. They need not continue first, or last: if the result of
# the iterations depends on it there is no serial result, and the fix, two barriers in each iteration, holds.
for size in 1 4; do
    for waits in "l < 4" "l >= 4"; do
        [ "$waits" = "l < 4" ] && setter=4 || setter=0
        setup="if ($waits) { while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_work_group)); }
        else if (l == $setter) atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_work_group);"
        for half in "l < 4 l+4 l>=4" "l >= 4 l-4 l<4"; do
            # shellcheck disable=SC2086
            set -- $half
            turns parted $size "$setup" "if ($1 $2 $3) sum += t[$4];" "if ($5) t[l] = s;"
            says 66 "in each iteration of the loop (tried: removes this race)" run parted.yaml
            turns parted $size "$setup" "if ($5) t[l] = s;" "if ($1 $2 $3) sum += t[$4];"
            says 66 "in each iteration of the loop (tried: removes this race)" run parted.yaml
        done
    done
done
says 0 "" check --json=found.json --force "$src/scenarios/racy/late_store_some.yaml"
grep -q '"fix_note":"it brings race-global at late_store_some.cl:4"' found.json || { echo "a new race is not said: $(cat found.json)"; bad=1; }
cat >large.yaml <<'SCENARIO'
orrery: 1
program:
  text: |
    kernel void k(global int *a) { a[0] += 1; }
launch: [{kernel: k, global: [65537], local: [1], args: [{buffer: {type: int, count: 1, fill: 0}}]}]
SCENARIO
says 66 "(compiles; not run again)" run large.yaml

# A fix that removes other races, too: they are lines of its finding, and need not be expected. Without it they are findings.
cat >covers.yaml <<'SCENARIO'
orrery: 1
name: one atomic update removes the race of its stores and what follows from both; these need not be listed
checks: {races: error}
program:
  options: "-cl-std=CL1.2"
  text: |
    kernel void next_slot(global int *used, global int *out)
    {
        int slot = *used;
        *used = slot + 1;
        out[slot] = get_global_id(0);
    }
    kernel void largest(global int *best, global const int *v)
    {
        if (v[get_global_id(0)] > *best)
            *best = v[get_global_id(0)];
    }
launch:
  - {kernel: next_slot, global: [8], local: [8], args: [{buffer: {type: int, count: 1, fill: 0}}, {buffer: {type: int, count: 8, fill: 0}}]}
  - {kernel: largest, global: [8], local: [4], args: [{buffer: {type: int, count: 1, fill: 0}}, {buffer: {type: int, count: 8, values: [3, 1, 4, 1, 5, 9, 2, 6]}}]}
expect:
  findings:
    - {id: race-global, line: 3, kernel: next_slot, fix: atomic_inc}
    - {id: race-global, line: 9, kernel: largest, fix: atomic_max}
SCENARIO
says 0 "PASS: covers.yaml" check covers.yaml
says 1 "unexpected: race-global at line 5 in kernel next_slot" check --fixes=compile covers.yaml
says 66 "note the fix also removes race-global at program.cl:5:15, argument 1 'out' (buffer, 32 bytes)" run covers.yaml
# Four bytes have atomic operations, a vector of four bytes has none.
cat >vector.cl <<'EOF'
kernel void number(global int *a, global int *out) { size_t i = get_global_id(0); if (i == 64) a[0] = 1; else out[i] = a[0]; }
kernel void vector(global char4 *a, global char4 *out) { size_t i = get_global_id(0); if (i == 64) a[0] = 1; else out[i] = a[0]; }
EOF
says 66 'advice atomic operations with memory_scope_device' run --kernel=number vector.cl
says 66 'advice let each byte belong to one work-item' run --kernel=vector vector.cl
exit $bad
