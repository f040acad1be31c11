#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The files of --instructions, --counters, --timeline and --trace and the lines of `litmus --json` are as their schemas in man/ say,
# of runs of several kinds: scenarios with each sort of access and synchronisation, a host program, sub-devices, SPIR-V without lines.
# And the schemas say something: each member that one names is in some file, and a file with another member, or without one that
# must be there, is refused.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
orrery=$build/orrery
python3 -c 'import jsonschema' 2>/dev/null || { echo "no python3-jsonschema"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/check_schemas.XXXXXX")
trap 'rm -rf "$work"' EXIT
bad=0 runs=0
cat >"$work/sorts.yaml" <<'END'
orrery: 1
program:
  options: -cl-std=CL2.0
  text: |
    #pragma OPENCL EXTENSION cl_khr_fp64 : enable
    #line 5 "helper.h"
    void helper(global int *a) { a[get_local_id(0)] += 1; barrier(CLK_GLOBAL_MEM_FENCE); }
    #line 3 "sorts.cl"
    kernel void sorts(global int *a, global atomic_int *b, read_only image2d_t in, write_only image2d_t out, global double *d)
    {
        local int tile[8];
        int i = get_local_id(0), expected = 77;
        helper(a);
        event_t copied = async_work_group_copy(tile, a, 8, 0);
        wait_group_events(1, &copied);
        atomic_fetch_add(b, 1);
        atomic_store_explicit(b + 1, 2, memory_order_release, memory_scope_device);
        atomic_compare_exchange_strong_explicit(b + 2, &expected, 1, memory_order_acq_rel, memory_order_acquire, memory_scope_device);
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_work_group);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE);
        d[get_global_id(0)] = tile[i] + work_group_reduce_add(i) + atomic_load_explicit(b + 1, memory_order_acquire, memory_scope_device);
        write_imagef(out, (int2)(get_global_id(0), 0), read_imagef(in, (int2)(i, 0)) * 2);
    }
launch:
  - kernel: sorts
    global: 16
    local: 8
    args:
      - {buffer: {type: int, count: 8, fill: 1}}
      - {buffer: {type: int, count: 4, fill: 0}}
      - {image: {type: 2d, order: RGBA, data: UNORM_INT8, size: [8, 1], fill: 3}}
      - {image: {type: 2d, order: RGBA, data: UNORM_INT8, size: [16, 1], fill: 3}}
      - {buffer: {type: double, count: 16, fill: 0}}
END
cat >"$work/forall.litmus" <<'END'
OPENCL forall
{ [x]=0; }
P0 (global atomic_int *x) { atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device); }
forall (x=1)
END
# run TARGET OPTION...: a run with all files; what it finds does not matter
run() {
    local kind
    runs=$((runs + 1))
    for kind in instructions counters timeline trace; do set -- "$@" "--$kind=$work/$runs.$kind"; done
    "$orrery" run --quiet "${@:2}" ${1:+$1} >"$work/out" 2>&1
    for kind in instructions counters timeline trace; do
        [ -s "$work/$runs.$kind" ] || { echo "$*: no file of $kind: $(cat "$work/out")"; bad=1; }
    done
}
run "$work/sorts.yaml"
run "$work/sorts.yaml" --topology='numa:2 l3:1 l2:1 l1:2 cu:1' --schedule=random --seed=3
run "$src/scenarios/clean/named_barrier_spirv.yaml"
run "$src/scenarios/clean/named_barrier.yaml"
run "$src/scenarios/clean/sub_group_barrier.yaml"
run "$src/scenarios/clean/barrier_iterations.yaml"
run "$src/scenarios/concurrent/alternate.yaml"
run "$src/scenarios/racy/histogram.yaml"
run "$src/scenarios/faulty/global_write.yaml"
for kind in instructions counters timeline trace; do set -- "$@" "--$kind=$work/host.$kind"; done
"$orrery" run --quiet "$@" -- "$build/examples/two_kernels" "$src/examples/two_kernels.cl" >"$work/out" 2>&1
[ -s "$work/host.timeline" ] || { echo "a host program: no file: $(cat "$work/out")"; bad=1; }
# litmus NAME OPTION...: one line a test
litmus() {
    local name=$1
    shift
    "$orrery" litmus --json "$@" >"$work/$name.litmus-json" 2>"$work/out" || { echo "litmus $*: status $?: $(cat "$work/out")"; bad=1; }
}
mapfile -t teaching < <(ls "$src"/scenarios/litmus/teaching/*.litmus)
litmus weak "${teaching[@]}" "$work/forall.litmus"
litmus interleavings --interleavings "${teaching[@]}"
litmus thin --thin-air "$src/scenarios/litmus/teaching/lb_relaxed.litmus"
litmus short --work=10 "$src/scenarios/litmus/teaching/spinlock.litmus"
litmus cut --bound=1 "$src/scenarios/litmus/teaching/spinlock.litmus"
python3 - "$src" "$work" <<'END' || bad=1
import copy, json, pathlib, sys
import jsonschema
src, work = map(pathlib.Path, sys.argv[1:])
bad = 0
def fail(text):
    global bad
    print(text)
    bad = 1
def documents(kind):
    for path in sorted(work.glob(f"*.{kind}")):
        text = path.read_text()
        parts = text.splitlines() if kind in ("trace", "litmus-json") else [text]
        yield from ((f"{path.name}:{number}", json.loads(part)) for number, part in enumerate(parts, 1))
def members(schema):
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value
            yield from members(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from members(value)
def objects(value):
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from objects(member)
    elif isinstance(value, list):
        for member in value:
            yield from objects(member)
free = {"by_class", "values"}  # objects whose members are no fixed ones
def refuses(schema, document):
    return next(schema.iter_errors(document), None) is not None
for kind in ("instructions", "counters", "timeline", "trace", "litmus-json"):
    text = json.load(open(src / f"man/{kind.removesuffix('-json')}.schema.json"))
    jsonschema.Draft7Validator.check_schema(text)
    schema = jsonschema.Draft7Validator(text)
    found, shapes, count = set(), {}, 0
    for where, document in documents(kind):
        count += 1
        for error in list(schema.iter_errors(document))[:3]:
            fail(f"{where}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        for one in objects(document):
            found |= set(one)
        shapes.setdefault(tuple(sorted(document)) + (document.get("kind"),), document)
    if count < 5:
        fail(f"{kind}: only {count} documents")
    for member in sorted(set(members(text)) - found):
        fail(f"{kind}.schema.json has '{member}', and no file has it")
    required = 0
    for document in shapes.values():
        if kind == "timeline":  # of the events one of a sort is enough
            sorts = {(one["ph"], one.get("cat"), one["name"] if one["ph"] == "M" else ""): one for one in document["traceEvents"]}
            document = dict(document, traceEvents=list(sorts.values()))
        whole = copy.deepcopy(document)
        for key, owner in [(key, owner) for owner in objects(whole) for key in [None, *owner]]:
            if any(owner is one.get(name) for one in objects(whole) for name in free):
                continue
            if key is None:
                owner["surplus"] = 1
                if not refuses(schema, whole):
                    fail(f"{kind}: another member is not refused in {str(owner)[:200]}")
                del owner["surplus"]
                continue
            items = list(owner.items())
            del owner[key]
            required += refuses(schema, whole)
            owner.clear()
            owner.update(items)
    if required < 4:
        fail(f"{kind}: only {required} members must be there")
sys.exit(bad)
END
exit $bad
