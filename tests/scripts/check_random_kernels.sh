#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random kernels have the values that clang's code for the processor gives them, under every schedule, and keep the values of
# waiting lanes. RANDOM_KERNELS_COUNT programs of RANDOM_KERNELS_KERNELS kernels are tried, from the seed RANDOM_KERNELS_FIRST.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
command -v "${RANDOM_KERNELS_CLANG:=clang-14}" >/dev/null || { echo "$RANDOM_KERNELS_CLANG is not installed"; exit 77; }
export RANDOM_KERNELS_CLANG
exec python3 -B "$src/tests/scripts/random_kernels.py" "$build/orrery" --slots "$build/tests/check_slots" --reduce
