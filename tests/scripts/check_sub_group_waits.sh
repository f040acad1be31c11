#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sub-groups of one work-group that wait for each other, which progress allows: a chain in both directions, a lock, a message that goes
# round. They wait in each way that programs have, with functions and barriers of the sub-group in the loop and after it. Under
# every policy each launch ends with its result and without a finding.
set -u
build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work" <<'END' || exit 99
import sys
LOAD = 'atomic_load_explicit(f + s, memory_order_acquire, memory_scope_work_group)'
# each waits until flag s is set; `first` is true in the first work-item of the sub-group
WAITS = ['while (!sub_group_any(first && %s != 0)) ;' % LOAD,
         'while (sub_group_all(!first || %s == 0)) ;' % LOAD,
         'int v; do { v = 0; if (first) v = %s; v = sub_group_broadcast(v, 0); } while (v == 0);' % LOAD,
         'int v; do v = first ? %s : 0; while (sub_group_reduce_add(v) == 0);' % LOAD,
         'while (sub_group_reduce_max(first ? %s : 0) == 0) ;' % LOAD,
         'if (first) while (%s == 0) ; sub_group_barrier(CLK_LOCAL_MEM_FENCE);' % LOAD,
         'for (;;) { int v = %s; sub_group_barrier(CLK_LOCAL_MEM_FENCE); if (sub_group_all(v != 0)) break; }' % LOAD,
         'for (int n = 0; n < 100000; n++) { int v = sub_group_broadcast(%s, 0); sub_group_barrier(CLK_LOCAL_MEM_FENCE); if (v) break; }' % LOAD,
         'if (first) for (int go = 1; go;) for (int n = 0; n < 5; n++) if (%s) { go = 0; break; } sub_group_barrier(CLK_LOCAL_MEM_FENCE);' % LOAD,
         'if (first) { int e; do e = 1; while (!atomic_compare_exchange_strong_explicit(f + s, &e, 2, memory_order_acq_rel, memory_order_acquire, '
         'memory_scope_work_group)); } sub_group_barrier(CLK_LOCAL_MEM_FENCE);']
text, launches, number = [], [], 0
HEAD = 'local atomic_int f[9]; local int data[9]; int s = get_sub_group_id(), many = get_num_sub_groups(); ' \
       'bool first = get_sub_group_local_id() == 0; for (int i = get_local_id(0); i < 9; i += get_local_size(0)) { atomic_init(f + i, 0); data[i] = 0; } ' \
       'work_group_barrier(CLK_LOCAL_MEM_FENCE);'
TAIL = 'work_group_barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) o[0] = %s;'
def kernel(body, result):
    global number
    text.append('    kernel void k%d(global int *o) { %s %s %s }' % (number, HEAD, body, TAIL % result))
    launches.append('  - {kernel: k%d, global: [64], local: [64], args: [{buffer: {type: int, count: 1, fill: -1}}]}' % number)
    number += 1
for number_of_wait, wait in enumerate(WAITS):
    text.append('    void wait%d(local atomic_int *f, int s, bool first) { %s }' % (number_of_wait, wait))
    for place in ('', 's = many - 1 - s;'):
        kernel('%s if (s != 0) wait%d(f, s, first); if (first) { data[s + 1] = data[s] + 1; atomic_store_explicit(f + s + 1, 1, '
               'memory_order_release, memory_scope_work_group); }' % (place, number_of_wait), 'data[many] - many')
kernel('for (int r = 0; r < 3; r++) { if (first) { while (atomic_exchange_explicit(f, 1, memory_order_acquire, memory_scope_work_group)) ; '
       'data[0]++; atomic_store_explicit(f, 0, memory_order_release, memory_scope_work_group); } sub_group_barrier(CLK_LOCAL_MEM_FENCE); }', 'data[0] - 3 * many')
kernel('for (int r = 0; r < 5; r++) { int t; do { t = first ? atomic_load_explicit(f, memory_order_acquire, memory_scope_work_group) : 0; '
       't = sub_group_broadcast(t, 0); sub_group_barrier(CLK_LOCAL_MEM_FENCE); } while (t %% many != s); '
       'if (first) { data[0]++; atomic_store_explicit(f, t + 1, memory_order_release, memory_scope_work_group); } '
       'sub_group_barrier(CLK_LOCAL_MEM_FENCE); }'.replace('%%', '%'), 'data[0] - 5 * many')
for size in (8, 32):
    with open('%s/waits_%d.yaml' % (sys.argv[1], size), 'w') as out:
        out.write('orrery: 1\ndevice: {sub_group_sizes: [%d]}\nprogram:\n  options: -cl-std=CL3.0\n  text: |\n' % size + '\n'.join(text) + '\nlaunch:\n' +
                  '\n'.join(launches) + '\nexpect:\n  findings: []\n  buffers:\n' +
                  '\n'.join('    - {launch: %d, arg: 0, values: [0]}' % k for k in range(number)) + '\n')
END
failed=0
for size in 8 32; do
    for policy in lockstep serial reverse round-robin "random --seed=1" "pct --seed=1"; do
        # shellcheck disable=SC2086
        if ! timeout 120 "$build/orrery" check --timeout=60 --schedule=$policy "$work/waits_$size.yaml" >"$work/out" 2>&1; then
            echo "sub-groups of $size, $policy:"
            head -n 12 "$work/out"
            failed=1
        fi
    done
    timeout 120 "$build/orrery" check --timeout=60 --checks=none "$work/waits_$size.yaml" >"$work/out" 2>&1 ||
        { echo "sub-groups of $size, without checks:"; head -n 12 "$work/out"; failed=1; }
done
exit $failed
