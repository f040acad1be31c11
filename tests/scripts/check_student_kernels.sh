#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `orrery run kernel.cl` finds the usual mistakes of students with the sizes that it chooses itself, and nothing in right kernels.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$src/tests/scripts/student_kernels.py" "$build/orrery" "$work"
