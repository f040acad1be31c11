#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A module without lines: findings name instructions, which stand in the module where they say. The words are those of spirv-as.
set -u
src=$(realpath "${ORRERY_SRCDIR:?}") orrery=$(realpath "${ORRERY_BUILDDIR:?}")/orrery
command -v spirv-as >/dev/null && command -v python3 >/dev/null || { echo "spirv-as or python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
sed '/^ *OpLine/d' "$src/scenarios/racy/fence_by_argument.spvasm" >fence_by_argument.spvasm
cp "$src/scenarios/racy/fence_by_argument.yaml" .
spirv-as --preserve-numeric-ids --target-env spv1.2 -o module.spv fence_by_argument.spvasm || exit 99
sed 's/fence_by_argument.spvasm/module.spv/' fence_by_argument.yaml >module.yaml
bad=0
for name in fence_by_argument module; do
    "$orrery" run --values=off --json=$name.json $name.yaml >$name.out 2>&1
    grep -nE 'unknown line|no line' $name.out && { echo "$name: an instruction has no name"; bad=1; }
done
grep -qE '^  1  OpStore, word [0-9]* of module\.spv ' module.out || { echo "no store:"; cat module.out; bad=1; }
grep -qE 'advice memory_scope_device at OpMemoryBarrier, word [0-9]+ of module\.spv and( |$)' module.out || { echo "no advice:"; cat module.out; bad=1; }
python3 - <<'PY' || bad=1
import json, struct, sys
words = struct.unpack("<%dI" % (len(open("module.spv", "rb").read()) // 4), open("module.spv", "rb").read())
begins, at = set(), 5
while at < len(words):
    begins.add(at)
    at += words[at] >> 16
codes = {"OpLoad": 61, "OpStore": 62, "OpControlBarrier": 224, "OpMemoryBarrier": 225, "OpAtomicLoad": 227, "OpAtomicStore": 228}
bad, met = 0, set()
for row in map(json.loads, open("module.json")):
    for place in row.get("accesses", []) + row.get("steps", []):
        one = place["instruction"]
        met.add(one["name"])
        word = one["word"]
        result = words[word + 2] if one["name"].endswith("Load") else None
        if word not in begins or words[word] & 0xffff != codes.get(one["name"]) or one.get("result") != result or one["module"] != "module.spv":
            print("not in the module:", one); bad = 1
if met != set(codes):
    print("met", met, "expected", set(codes)); bad = 1
sys.exit(bad)
PY
exit $bad
