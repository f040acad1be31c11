#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Uninitialised values of some work-items through functions of the group, and of some iterations of a loop: random kernels, of which
# exactly those uses are found that a model takes for uninitialised. By hand: FLOW_FIRST=100 FLOW_COUNT=2000
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=120
if grep -q '^#define ORRERY_LOOPING' "$build/config.h"; then count=24; fi
python3 "$src/tests/scripts/uninitialised_flow.py" "$build/orrery" "$work" "${FLOW_FIRST:-1}" "${FLOW_COUNT:-$count}"
