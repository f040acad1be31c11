#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pages in Chromium, through ChromeDriver: every view of each kind of page is opened and stepped through with real key strokes;
# what it shows is what page_views.py works out from the trace or the data; the console stays empty, and no request leaves the file.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}") build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
python3=$(command -v python3) || { echo "no python3"; exit 77; }
"$python3" "$src/tests/scripts/page_browser.py" --available || { echo "no Chromium or no ChromeDriver"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export HOME=$work

# Two launches, between which the host writes nothing; local memory of two groups; elements of 4 bytes and of 1.
cat >run.yaml <<'YAML'
orrery: 1
name: two launches
program:
  text: |
    kernel void first(global int *a, local int *t, global char *c) {
        int i = get_local_id(0);
        t[i] = a[get_global_id(0)] + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = t[i ^ 1];
        c[get_global_id(0)] = (char)(i + 65);
    }
    kernel void second(global int *a, global int *sum) {
        atomic_add(sum, a[get_global_id(0)]);
        a[0] = (int)get_global_id(0);
    }
launch:
  - {kernel: first, global: 8, local: 4, args: [{buffer: {type: int, count: 8, fill: 5}, name: a}, {local: 16}, {buffer: {type: char, count: 8, fill: 0}, name: c}]}
  - {kernel: second, global: 8, local: 4, args: [{same: a}, {buffer: {type: int, count: 1, fill: 0}, name: sum}]}
YAML
# More steps than the table or the memory view draws at once.
cat >long.yaml <<'YAML'
orrery: 1
program: {text: "kernel void k(global int *a) { for (int i = 0; i < 400; i++) a[get_global_id(0)] += i; }"}
launch: [{kernel: k, global: 256, local: 64, args: [{buffer: {type: int, count: 256, fill: 0}}]}]
YAML
# Whichever work-item comes last writes last.
cat >order.yaml <<'YAML'
orrery: 1
program: {text: "kernel void k(global int *a) { a[1] = a[0]; a[0] = (int)get_global_id(0) + 1; }"}
launch: [{kernel: k, global: 4, local: 1, args: [{buffer: {type: int, count: 2, fill: 0}, name: a}]}]
YAML
# Numbers of several types: of arguments, of local memory, negative, in no array; a value that many take.
cat >values.yaml <<'YAML'
orrery: 1
program:
  text: |
    kernel void k(global float *a, global int *b, local double *t, global half *h, global int4 *v) {
        int i = get_local_id(0);
        t[i] = a[i] + 1.0;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = (float)t[i ^ 1] * 0.1f;
        b[i] = -1 - i;
        barrier(CLK_GLOBAL_MEM_FENCE);
        b[8 + i] = b[i] + b[0] + 100000;
        vstore_half(0.1f * i, i, h);
        v[i] = (int4)i;
    }
launch:
  - kernel: k
    global: 8
    local: 8
    args: [{buffer: {type: float, count: 8, fill: 1}}, {buffer: {type: int, count: 16, fill: 0}}, {local: 64}, {buffer: {type: half, count: 8, fill: 0}}, {buffer: {type: int4, count: 8, fill: 0}}]
YAML
# Caches that miss, and memory of another node.
cat >numa.yaml <<'YAML'
orrery: 1
device: {topology: "numa:2 l2:1(size=4KiB) l1:2(size=1KiB) cu:1"}
program:
  text: |
    kernel void k(global int *a) {
        int s = 0;
        for (int i = 0; i < 64; i++)
            s += a[(get_global_id(0) * 37 + i * 16) % 1024];
        a[1024 + get_global_id(0)] = s;
    }
launch: [{kernel: k, global: 64, local: 16, args: [{buffer: {type: int, count: 1088, fill: 0}}]}]
YAML
"$orrery" run --quiet --html=numa.html numa.yaml || exit 1
"$orrery" run --quiet --html=values.html values.yaml || exit 1
"$orrery" run --quiet --html=run.html --trace=run.trace run.yaml >/dev/null 2>err
[ $? = 66 ] || { cat err; exit 1; }
"$orrery" run --quiet --html=long.html long.yaml || exit 1
"$orrery" run --quiet --html=serial.html --schedule=serial order.yaml >/dev/null 2>&1
"$orrery" run --quiet --html=reverse.html --schedule=reverse order.yaml >/dev/null 2>&1
"$orrery" show --diff --html=diff.html serial.html reverse.html 2>err || { cat err; exit 1; }
"$orrery" show --diff --html=same.html serial.html serial.html 2>err || { cat err; exit 1; }
# Two findings of one kind at one object, at other places; the other run has one of them at a place of its own.
for seed in 0 5; do
    "$orrery" run --quiet --seed=$seed --html=sum$seed.html "$src/examples/labs/sum.cl" >/dev/null 2>err
    [ $? = 66 ] || { cat err; exit 1; }
done
"$orrery" show --diff --html=sums.html sum0.html sum5.html 2>err || { cat err; exit 1; }
mkdir repaired && sed 's/part\[l\] = .*/& barrier(CLK_LOCAL_MEM_FENCE);/' "$src/examples/labs/sum.cl" >repaired/sum.cl
"$orrery" run --quiet --html=repaired.html repaired/sum.cl >/dev/null 2>&1
"$orrery" show --diff --html=less.html sum0.html repaired.html 2>err || { cat err; exit 1; }
# The order around a race: operations of three work-items, an edge that is missing, and a fix that was tried.
"$orrery" run --quiet --html=order.html "$src/scenarios/racy/barrier_two_sides.yaml" >/dev/null 2>&1
for test in mp_release_acquire mp_relaxed sb_seq_cst lb_thin_air rseq_update; do
    "$orrery" litmus --html=$test.html "$src/scenarios/litmus/teaching/$test.litmus" >/dev/null || exit 1
done
PYTHONPATH=$src/tests/scripts timeout 300 "$python3" "$src/tests/scripts/page_views.py" "$work"
