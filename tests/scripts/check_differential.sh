#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every kernel of tests/differential gives what another implementation gave, under every schedule and without findings.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v spirv-as >/dev/null || { echo "no spirv-as"; exit 77; }
out=$(mktemp)
trap 'rm -f "$out"' EXIT

bad=0
schedules="lockstep serial round-robin random reverse"
# Under a sanitizer waves that are whole and waves in parts will do: the policies themselves have other tests.
grep -q '^#define ORRERY_LOOPING' "$build/config.h" && schedules="lockstep random"
for schedule in $schedules; do
    ORRERY_FAST=1 ORRERY_SCHEDULE=$schedule ORRERY_SEED=5 ORRERY_QUANTUM=3 \
        "$build/tests/run_differential" Orrery "$src/tests/differential" >"$out" 2>&1 || bad=1
    grep -v '^ok \|SUMMARY errors=0 warnings=0\|note: not looked for' "$out" | sed "s/^/$schedule: /"
    grep -q 'SUMMARY errors=[1-9]\|SUMMARY errors=0 warnings=[1-9]' "$out" && bad=1
done
exit "$bad"
