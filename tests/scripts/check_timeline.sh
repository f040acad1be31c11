#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Timelines and counters of whole runs: files that viewers and programs read, the same bytes each time, under every
# schedule, from scenarios and from programs of the host.
set -u
src=${ORRERY_SRCDIR:-.} build=${ORRERY_BUILDDIR:-build}
orrery=$build/orrery
python3=$(command -v python3) || { echo "no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

cat >"$work/run.yaml" <<'YAML'
orrery: 1
device: {name: "a \"device\"", topology: "numa:2 l2:1(size=4KiB) l1:2(size=1KiB) cu:1", sub_group_sizes: [8]}
program:
  text: |
    kernel void shift(global int *a, local int *t) {
        t[get_local_id(0)] = a[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 3; i++)
            a[get_global_id(0)] += t[(get_local_id(0) + i) % get_local_size(0)];
    }
launch:
  - {kernel: shift, global: 192, local: 32, args: [{buffer: {type: int, count: 192, fill: 1}, name: b}, {local: 128}]}
  - {kernel: shift, global: 64, local: 16, args: [{same: b}, {local: 64}]}
YAML

# timeline NAME WANTED OPTION...: twice the same bytes, and what the checker wants
timeline() {
    local name=$1 wanted=$2
    shift 2
    for n in 1 2; do
        "$orrery" run --quiet --timeline="$work/$n.json" "$@" "$work/run.yaml" || { echo "$name: status $?"; bad=1; }
    done
    cmp -s "$work/1.json" "$work/2.json" || { echo "$name: two timelines"; bad=1; }
    # shellcheck disable=SC2086
    "$python3" "$src/tests/scripts/timeline_check.py" "$work/1.json" $wanted || { echo "$name: not as it should be"; bad=1; }
}
timeline lockstep "units=4 groups=10 launches=2 concurrent=0 dropped=0"
timeline serial "units=4 groups=10 launches=2" --schedule=serial
timeline random "units=4 groups=10 launches=2" --schedule=random --seed=4 --resident-groups=6
timeline round-robin "units=4 groups=10 launches=2" --schedule=round-robin --resident-groups=9
timeline one-unit "units=1 groups=10 launches=2" --topology=cu:1 --schedule=round-robin --resident-groups=9
timeline script "units=2 groups=10 launches=2" --placement=script --placement-script=1,3

# Kernels of two sub-devices at the same time.
"$orrery" run --quiet --timeline="$work/both.json" "$src/scenarios/concurrent/alternate.yaml" || { echo "concurrent: status $?"; bad=1; }
"$python3" "$src/tests/scripts/timeline_check.py" "$work/both.json" units=4 groups=8 launches=2 concurrent=1 || { echo "concurrent: not as it should be"; bad=1; }

# The counters of a run, as text and as JSON; sums agree whichever way they are taken.
"$orrery" run --quiet --counters="$work/c.json" "$work/run.yaml" 2>"$work/text" || bad=1
"$orrery" run --quiet --counters="$work/d.json" "$work/run.yaml" 2>"$work/text2" || bad=1
cmp -s "$work/c.json" "$work/d.json" && cmp -s "$work/text" "$work/text2" || { echo "counters differ between runs"; bad=1; }
"$python3" - "$work/c.json" "$work/text" <<'PYTHON' || bad=1
import json, sys
c, text = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
total = c["total"]
# Each of 256 work-items: a load, and three loads and stores.
assert c["complete"] and total["accesses"] == 256 * 7 and total["writes"] == 256 * 3, total
assert total["bytes"] == 4 * total["accesses"] and total["hits"] + total["misses"] == total["accesses"], total
for rows in ("units", "commands", "lines"):
    for key in total:
        assert sum(r[key] for r in c[rows] if "what" not in r) == total[key], (rows, key)
# The one buffer was written by the host: 192 integers.
assert [(r["what"], r["bytes"], r["writes"]) for r in c["commands"] if "what" in r] == [("write", 768, 12)], c["commands"]
assert [l["line"] for l in c["lines"]] == [2, 5] and c["lines"][0]["accesses"] == 256, c["lines"]
assert len(c["units"]) == 4 and len(c["caches"]) == 6 and [m["name"] for m in c["memories"]] == ["memory", "numa 0", "numa 1"]
for cache in c["caches"]:
    assert cache["hits"] + cache["misses"] == cache["accesses"], cache
l1 = sum(r["accesses"] for r in c["caches"] if r["name"].startswith("l1"))
l1_misses = sum(r["misses"] for r in c["caches"] if r["name"].startswith("l1"))
l2 = [r for r in c["caches"] if r["name"].startswith("l2")]
assert l1 == total["accesses"] and sum(r["accesses"] for r in l2) == l1_misses
assert sum(r["misses"] for r in l2) == total["misses"]
for key in ("evictions", "write_backs", "invalidations", "false_sharing"):
    assert sum(r[key] for r in c["caches"]) == total[key], key
assert sum(m["accesses"] for m in c["memories"]) == total["memory_accesses"]
assert sum(m["remote_bytes"] for m in c["memories"]) == total["remote_bytes"]
assert "orrery: COUNTERS accesses=%d " % total["accesses"] in text and "program.cl:5 shift" in text, text
PYTHON

"$orrery" run --quiet --timeline=/nowhere/t.json "$work/run.yaml" 2>"$work/err"
[ $? = 2 ] && grep -q /nowhere/t.json "$work/err" || { echo "a timeline that cannot be written: $(cat "$work/err")"; bad=1; }

# A program of the host; its findings end it with 66.
"$orrery" run --quiet --timeline="$work/host.json" --counters="$work/host-counters.json" -- \
    "$build/examples/out_of_bounds" "$src/examples/out_of_bounds.cl" >/dev/null 2>"$work/err"
status=$?
[ "$status" = 66 ] || { echo "host program: status $status"; cat "$work/err"; bad=1; }
"$python3" "$src/tests/scripts/timeline_check.py" "$work/host.json" launches=1 || bad=1
"$python3" -c 'import json, sys
trace = json.load(open(sys.argv[1]))
calls = [e["name"] for e in trace["traceEvents"] if e.get("cat") == "command"]
assert "clEnqueueNDRangeKernel" in calls, calls
assert json.load(open(sys.argv[2]))["total"]["accesses"] > 0' "$work/host.json" "$work/host-counters.json" || bad=1

# The second of two root devices: its units are its own, and so are its tracks.
printf 'orrery: 1\ndevices: [{topology: "cu:3"}, {topology: "numa:2 cu:2"}]\n' >"$work/two.yaml"
"$orrery" run --quiet --scenario "$work/two.yaml" --device-selector=1 --timeline="$work/host.json" --counters="$work/c.json" -- \
    "$build/examples/out_of_bounds" "$src/examples/out_of_bounds.cl" >/dev/null 2>&1
"$python3" "$src/tests/scripts/timeline_check.py" "$work/host.json" launches=1 units=4 || bad=1
"$python3" -c 'import json, sys
trace, counters = (json.load(open(f)) for f in sys.argv[1:])
assert {e["pid"] for e in trace["traceEvents"] if e.get("cat") == "group"} == {2}
used = [u["unit"] for u in counters["units"] if u["accesses"]]
assert used == [3, 4, 5, 6], used' "$work/host.json" "$work/c.json" || bad=1
exit "$bad"
