#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Both accesses of each data race that scenarios/racy reports are reached in the debugger by one command each.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
build=$(realpath "${ORRERY_BUILDDIR:-build}")
[ -x "$build/orrery" ] || { echo "no orrery command in $build"; exit 77; }
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
exec python3 "$src/tests/scripts/debug_findings.py" "$build/orrery" "$src"/scenarios/racy/*.yaml
