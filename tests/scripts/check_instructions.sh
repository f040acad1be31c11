#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --instructions: counts of kernels whose counts are known by arithmetic; the same under every schedule and sub-group size where they
# have to be; conflicts of banks, and sectors, of strides worked out by hand; bad values.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
orrery=$build/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 passed=0
fail() { echo "$*"; bad=$((bad + 1)); }

# ---- a kernel in assembly: each instruction is ours -----------------------------------------------
# Work-item g goes round g times. By line: 1 the start (a load of an input, an extract, a conversion, a branch), 2 the loop (a comparison
# and a branch g + 1 times, a step and a branch g times), 3 its body (two integer instructions g times), 4 the end (address, store, return).
cat >"$work/loop.spvasm" <<'END'
               OpCapability Addresses
               OpCapability Kernel
               OpCapability Int64
               OpMemoryModel Physical64 OpenCL
               OpEntryPoint Kernel %test "test" %gid
       %file = OpString "loop.c"
               OpDecorate %gid BuiltIn GlobalInvocationId
               OpDecorate %gid Constant
       %void = OpTypeVoid
       %bool = OpTypeBool
       %uint = OpTypeInt 32 0
      %ulong = OpTypeInt 64 0
         %v3 = OpTypeVector %ulong 3
      %input = OpTypePointer Input %v3
     %global = OpTypePointer CrossWorkgroup %uint
     %kernel = OpTypeFunction %void %global
         %c0 = OpConstant %uint 0
         %c1 = OpConstant %uint 1
         %c3 = OpConstant %uint 3
        %gid = OpVariable %input Input
       %test = OpFunction %void None %kernel
        %out = OpFunctionParameter %global
      %entry = OpLabel
               OpLine %file 1 0
        %ids = OpLoad %v3 %gid
         %id = OpCompositeExtract %ulong %ids 0
          %g = OpUConvert %uint %id
               OpBranch %head
       %head = OpLabel
          %i = OpPhi %uint %c0 %entry %next %body
        %sum = OpPhi %uint %c0 %entry %more %body
               OpLine %file 2 0
       %goes = OpULessThan %bool %i %g
               OpBranchConditional %goes %body %end
       %body = OpLabel
               OpLine %file 3 0
     %triple = OpIMul %uint %i %c3
       %more = OpIAdd %uint %sum %triple
               OpLine %file 2 0
       %next = OpIAdd %uint %i %c1
               OpBranch %head
        %end = OpLabel
               OpLine %file 4 0
          %p = OpInBoundsPtrAccessChain %global %out %id
               OpStore %p %sum Aligned 4
               OpReturn
               OpFunctionEnd
END
cat >"$work/loop.yaml" <<'END'
orrery: 1
program: {spirv: loop.spvasm}
launch:
  - {kernel: test, global: [64], local: [64], args: [{buffer: {type: uint, count: 64}}]}
END
python3 - "$work" <<'END'
import sys
values = [3 * g * (g - 1) // 2 for g in range(64)]
open(sys.argv[1] + "/loop.yaml", "a").write(
    "expect: {buffers: [{launch: 0, arg: 0, values: %s}]}\n" % values)
END
cat >"$work/judge.py" <<'END'
import json, sys
counts = json.load(open(sys.argv[1]))
size, issued_known = int(sys.argv[2]), sys.argv[3] == "issued"
assert counts["complete"] is True
(kernel,) = counts["kernels"]
assert (kernel["kernel"], kernel["launches"], kernel["work_items"]) == ("test", 1, 64), kernel
items, rounds = 64, sum(range(64))
lines = {line["line"]: line for line in kernel["lines"]}
wanted = {
    1: {"constant": items, "composite": items, "convert": items, "branch": items},
    2: {"integer": rounds + items + rounds, "branch": rounds + items + rounds},
    3: {"integer": 2 * rounds},
    4: {"address": items, "global": items, "branch": items},
}
for number, classes in wanted.items():
    assert lines[number]["by_class"] == classes, (number, lines[number], classes)
    assert lines[number]["executed"] == sum(classes.values())
    assert lines[number]["file"] == "loop.c", lines[number]
assert sorted(lines) == sorted(wanted)
for key in ("executed", "issued"):
    assert kernel[key] == sum(line[key] for line in lines.values()), key
for name in kernel["by_class"]:
    assert name in counts["classes"] and kernel["by_class"][name] == sum(l["by_class"].get(name, 0) for l in lines.values()), name
assert kernel["issued"] >= kernel["executed"]
if issued_known:  # the lanes of each sub-group go round as often as the one that does most
    most = [size * group + size - 1 for group in range(64 // size)]
    assert lines[3]["issued"] == 2 * size * sum(most), lines[3]
    assert lines[2]["issued"] == 2 * size * sum(m + 1 for m in most) + 2 * size * sum(most), lines[2]
    assert lines[1]["issued"] == lines[1]["executed"]
# 64 words one after the other, in sectors of 32 bytes
requests = 64 // size
if issued_known:
    assert (lines[4]["global_requests"], lines[4]["global_sectors"], lines[4]["global_bytes"]) == (requests, requests * max(size // 8, 1), 256), lines[4]
END
judge() { # SIZE issued|executed OPTION...
    local size=$1 what=$2
    shift 2
    "$orrery" check --sub-group-sizes="$size" --instructions="$work/loop.json" --force "$@" "$work/loop.yaml" >"$work/out" 2>&1 ||
        fail "$size $*: $(tail -n 5 "$work/out")"
    python3 "$work/judge.py" "$work/loop.json" "$size" "$what" || fail "$size $*: other counts"
    passed=$((passed + 1))
}
for size in 8 16 32 64; do
    judge $size issued
    judge $size issued --checks=none
    for schedule in serial reverse round-robin random pct; do
        judge $size executed --schedule=$schedule --seed=7
    done
    sed 's/^orrery: 1/&\ndevice: {progress: none}/' "$work/loop.yaml" >"$work/none.yaml"
    "$orrery" run --sub-group-sizes=$size --instructions="$work/none.json" --force "$work/none.yaml" >/dev/null 2>&1
    python3 "$work/judge.py" "$work/none.json" $size issued || fail "$size: other counts of a device that promises no progress"
done
cp "$work/loop.json" "$work/first.json"
judge 64 executed --schedule=pct --seed=7
cmp -s "$work/first.json" "$work/loop.json" || fail "two runs differ"

# ---- strides --------------------------------------------------------------------------------------
cat >"$work/stride.cl" <<'END'
kernel void stride(global int *a, int step, int shift)
{
    local int t[32 * 33 + 32];
    int i = get_local_id(0);
    t[i * step + shift] = i;
    a[i * step + shift] = i;
}
END
strides() { # STEP SHIFT CONFLICTS SECTORS BYTES [OPTION...]
    cat >"$work/stride.yaml" <<END
orrery: 1
program: {source: stride.cl}
launch:
  - {kernel: stride, global: [32], local: [32], args: [{buffer: {type: int, count: 1200}}, {scalar: {type: int, value: $1}}, {scalar: {type: int, value: $2}}]}
END
    local wanted="$3 $4 $5" step=$1 shift=$2
    shift 5
    "$orrery" run --checks=none --instructions="$work/stride.json" --force "$@" "$work/stride.yaml" >"$work/out" 2>&1
    got=$(python3 -c 'import json, sys
lines = {l["line"]: l for l in json.load(open(sys.argv[1]))["kernels"][0]["lines"]}
assert lines[5]["local_requests"] == 1 and lines[6]["global_requests"] == 1, lines
assert lines[5]["by_class"]["local"] == 32 and lines[6]["by_class"]["global"] == 32, lines
print(lines[5]["bank_conflicts"], lines[6]["global_sectors"], lines[6]["global_bytes"])' "$work/stride.json")
    [ "$got" = "$wanted" ] || fail "step $step, shift $shift $*: '$got', expected '$wanted': $(tail -n 3 "$work/out")"
    passed=$((passed + 1))
}
strides 1 0 0 4 128
strides 1 1 0 5 128  # the last word is in the next sector
strides 0 3 0 1 4    # one word for all: no conflict
strides 2 0 1 8 128  # words 0, 2, ... 62: two in each even bank
strides 8 0 7 32 128 # a sector each
strides 32 0 31 32 128
strides 33 0 0 32 128 # padded
strides 16 0 15 32 128
strides 16 0 31 32 128 --local-banks=16
strides 1 0 1 4 128 --local-banks=16
strides 2 0 0 8 128 --bank-bytes=8
strides 1 0 0 1 128 --sector-bytes=128
strides 1 0 0 8 128 --sector-bytes=16

# ---- text -----------------------------------------------------------------------------------------
"$orrery" run --instructions "$work/loop.yaml" >"$work/text" 2>&1
grep -q '^orrery: INSTRUCTIONS executed=' "$work/text" || fail "no line of instructions: $(cat "$work/text")"
awk '/source line/ { on = 1; next } on && /loop\.c:/ { if (before != "" && $4 + 0 > before + 0) exit 1; before = $4; rows++ } END { if (rows != 4) exit 1 }' "$work/text" ||
    fail "the lines are not four, the most expensive first: $(cat "$work/text")"
"$orrery" run "$work/loop.yaml" 2>&1 | grep -q INSTRUCTIONS && fail "counts without the option"
"$orrery" run --instructions=off "$work/loop.yaml" 2>&1 | grep -q INSTRUCTIONS && fail "counts though they are off"

# ---- findings are the same ------------------------------------------------------------------------
for file in "$src"/scenarios/racy/counter*.yaml "$src"/scenarios/racy/stencil*.yaml "$src"/scenarios/faulty/global_write.yaml; do
    [ -f "$file" ] || continue
    "$orrery" run --fixes=off --json="$work/without.json" --force "$file" >/dev/null 2>&1
    "$orrery" run --fixes=off --json="$work/with.json" --instructions="$work/some.json" --force "$file" >/dev/null 2>&1
    cmp -s "$work/without.json" "$work/with.json" || fail "$file: other findings with --instructions"
    passed=$((passed + 1))
done

# ---- a host program ---------------------------------------------------------------------------------
if [ -x "$build/examples/two_kernels" ]; then
    "$orrery" run --instructions="$work/host.json" -- "$build/examples/two_kernels" "$src/examples/two_kernels.cl" >/dev/null 2>&1
    python3 -c 'import json, sys
kernels = {k["kernel"]: k for k in json.load(open(sys.argv[1]))["kernels"]}
assert kernels["fill"]["launches"] == kernels["sum"]["launches"] == 2 and kernels["fill"]["work_items"] == 16
assert kernels["sum"]["by_class"]["barrier"] == 16' "$work/host.json" || fail "host program: $(head -c 600 "$work/host.json")"
fi

# ---- bad values ---------------------------------------------------------------------------------------
refused() { # TEXT OPTION
    "$orrery" run "$2" "$work/loop.yaml" >"$work/refused" 2>&1
    local got=$?
    [ "$got" = 2 ] && grep -qF -- "$1" "$work/refused" && ! grep -q SUMMARY "$work/refused" || fail "$2: status $got, $(cat "$work/refused")"
    passed=$((passed + 1))
}
refused "instructions: $work/no/such.json: No such file or directory" "--instructions=$work/no/such.json"
refused "instructions: $work/loop.yaml: found a file that is not such a report" "--instructions=$work/loop.yaml"
refused "option local-banks: found '0', expected 1 to 1024" --local-banks=0
refused "option bank-bytes: found '2', expected 4 to 16" --bank-bytes=2
refused "option sector-bytes: found 'x', expected 16 to 4096" --sector-bytes=x

echo "$passed checks, $bad failures"
[ "$bad" = 0 ]
