#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Both accesses of each data race that scenarios/racy reports are reached in the debugger by one command each. A sanitizer
# looks at memory, for which every eighth scenario will do.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
build=$(realpath "${ORRERY_BUILDDIR:-build}")
[ -x "$build/orrery" ] || { echo "no orrery command in $build"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
scenarios=("$src"/scenarios/racy/*.yaml) each=1
if grep -q '^#define ORRERY_LOOPING' "$build/config.h"; then each=8; fi
chosen=()
for ((i = 0; i < ${#scenarios[@]}; i += each)); do chosen+=("${scenarios[i]}"); done
exec python3 "$src/tests/scripts/debug_findings.py" "$build/orrery" "${chosen[@]}"
