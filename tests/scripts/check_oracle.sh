#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random programs, and the races among their accesses by another implementation of the memory model than the checker's
# (tests/oracle): it reads what --trace wrote. ORACLE_PROGRAMS makes it longer, ORACLE_SECONDS ends it, ORACLE_FIRST makes it another one.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
orrery=$build/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
programs=108
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && programs=27 # a sanitizer looks at memory, for which fewer will do

cat >"$work/run.yaml" <<'YAML'
orrery: 1
device: {sub_group_sizes: [4]}
checks: {races: error}
program:
  options: "-cl-std=CL3.0"
  text: |
    kernel void k(global int *data, global atomic_int *flag, global int *twice) {
        local int tile[8];
        size_t i = get_local_id(0), gid = get_global_id(0);
        tile[i] = data[gid];
        work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_sub_group);
        int none = 5;
        if (i == 0)
            atomic_compare_exchange_strong_explicit(flag, &none, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
        event_t e = async_work_group_copy(twice, tile, 2, 0);
        wait_group_events(1, &e);
    }
launch:
  - {kernel: k, global: 16, local: 8, args: [{buffer: {type: int, count: 16, fill: 1}}, {buffer: {type: int, count: 1, fill: 0}},
                                             {buffer: {type: int, count: 2, fill: 0}}]}
YAML

# One line as it should be: how often its pattern stands in the trace.
stands() { # COUNT PATTERN
    local count
    count=$(grep -c "$2" "$work/1")
    [ "$count" = "$1" ] || { echo "$count lines, not $1: $2"; bad=1; }
}
for n in 1 2; do
    "$orrery" run --trace="$work/$n" --json="$work/with" "$work/run.yaml" >/dev/null 2>&1
done
"$orrery" run --json="$work/without" "$work/run.yaml" >/dev/null 2>&1
[ "$(head -c 400 "$work/with")" ] || { echo "no findings"; bad=1; }
cmp "$work/1" "$work/2" || bad=1
cmp "$work/with" "$work/without" || bad=1
stands 1 '"type":"launch","launch":1,"kernel":"k","global":\[16,1,1\],"local":\[8,1,1\],"sub_group_size":4}$'
stands 1 '"group":1,"item":5,"sub_group":1,"line":4,"column":[0-9]*,"kind":"read","object":[0-9]*,"name":"[^"]*","region":"global","offset":52,"size":4,"found":"0x1"}$'
stands 1 '"group":1,"item":5,.*"kind":"write",.*"region":"local","offset":20,"size":4,"wrote":"0x1"}$'
stands 16 '"kind":"work-group-barrier","passage":[0-9]*,"regions":\["local"\],"scope":"device"}$'
stands 16 '"kind":"fence","regions":\["global"\],"scope":"sub_group","order":"release"}$'
stands 2 '"kind":"atomic-read","order":"acquire","scope":"device",.*"offset":0,"size":4,"found":"0x0"}$'
stands 16 '"kind":"copy","copy":1}$'
stands 16 '"kind":"copy-wait","copy":1}$'
stands 2 '"kind":"write","copy":1,.*"region":"global","offset":0,"size":8}$'
"$orrery" run --trace="$work/none/here" "$work/run.yaml" >/dev/null 2>"$work/err"
grep -q 'none/here: No such file or directory' "$work/err" || { echo "a file that cannot be written: $(cat "$work/err")"; bad=1; }

python3 -B "$src/tests/oracle/compare.py" "$orrery" "$work" "${ORACLE_FIRST:-0}" "${ORACLE_PROGRAMS:-$programs}" "${ORACLE_SECONDS:-0}" || bad=1
exit $bad
