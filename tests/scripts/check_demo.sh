#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The README's two examples and the manual's: the errors are reported at their lines with the fix, and the status is 66.
set -u
unset ORRERY_FIXES ORRERY_VALUES # as users have it
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
out=$(mktemp)
trap 'rm -f "$out" "$out".*' EXIT
bad=0
build=$(realpath "$build") src=$(realpath "$src")
cd "$src" || exit 99 # findings name the kernel's file as it is seen from there

fail() { echo "demo: FAILED: $1" >&2; bad=1; }
demand() { # WHAT PATTERN
    grep -Eq -- "$2" "$out" || fail "$1 is missing"
}
demonstrate() { # SCENARIO PROGRAM KERNEL
    local command=("$build/orrery" run --scenario "$src/scenarios/$1" -- "$build/examples/$2" "$src/examples/$3") status
    echo "\$ ${command[*]//"$src/"/}" # as one types it in the source directory
    "${command[@]}" 2>&1 | tee "$out"
    status=${PIPESTATUS[0]}
    [ "$status" = 66 ] || fail "status $status, not 66"
}

demonstrate demo_race.yaml message_passing message_passing.cl
demand "the race" 'orrery: error: race-global'
demand "the store" ':7:.*data\[0\] = 42'
demand "the load" ':11:.*out\[0\] = data\[0\]'
demand "the reason" 'why +the release at .*:8 has memory_scope_work_group'
demand "the fix" 'fix +memory_scope_device at .*:8'
demand "the summary" '^orrery: SUMMARY errors=2 warnings=0 suppressed=[0-9]+ kernels=1 seed=7 schedule=lockstep checks=all$'

# The README's excerpt is the first finding, line for line. Without debug information the host's call has no line, and compilers
# differ in its column.
finding() { sed -nE 's/^(  launch 1, enqueued at .*:[0-9]+):[0-9]+$/\1/; /^orrery: error: race-global/,/^  spec/p; /^  spec/q' "$1"; }
sed 's/^    //' "$src/README" >"$out.readme"
finding "$out.readme" >"$out.shown"
finding "$out" >"$out.printed"
rm -f "$out.readme"
grep -q 'enqueued at .*start\.h' "$out.printed" || sed -i '/^  launch 1, enqueued at/d' "$out.shown" "$out.printed"
[ "$(wc -l <"$out.shown")" -ge 15 ] || fail "the README's finding"
diff "$out.shown" "$out.printed" || fail "the README's finding is not the one that is printed"

demonstrate demo.yaml out_of_bounds out_of_bounds.cl
demand "the store after the buffer" 'orrery: error: out-of-bounds-write'
demand "its line" ':10:.*shifted\[i \+ 1\]'
demand "the uninitialised value" 'orrery: error: uninitialised-store'
demand "its line" ':9:.*sums\[i\]'
demand "the summary" '^orrery: SUMMARY errors=2 warnings=0 suppressed=[0-9]+ kernels=1 seed=7 schedule=lockstep checks=all$'
# The finding with which orrery-findings(7) begins is one that is printed.
folder=$(mktemp -d)
trap 'rm -rf "$out" "$out".* "$folder"' EXIT
cat >"$folder/shift.cl" <<'END'
/* Each work-item writes the element after its own; the last one has none. */
kernel void shift(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i + 1] = in[i];
}
END
cat >"$folder/shift.yaml" <<'END'
orrery: 1
program: {source: shift.cl}
launch:
  - kernel: shift
    global: [16]
    local: [16]
    args: [{buffer: {type: int, count: 16, fill: 0}}, {buffer: {type: int, count: 16, fill: 0}}]
END
(cd "$folder" && "$build/orrery" run shift.yaml 2>&1) | sed -n '/^orrery: error/,/^  spec/p' >"$out.printed"
sed -n '/^orrery: error: out-of-bounds-write/,/^  spec/p' "$src/man/orrery-findings.7" >"$out.shown"
diff "$out.shown" "$out.printed" || fail "the finding of orrery-findings(7) is not the one that is printed"

[ "$bad" = 0 ] && echo "demo: status 66 and all findings, as expected"
exit "$bad"
