#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# GETTING-STARTED.md keeps its word: each command after a dollar sign is run in a copy of examples/labs, in order, and prints the
# lines that follow it there. Orrery is installed, below a temporary directory, for the commands that look for it.
set -u
unset ORRERY_FIXES ORRERY_VALUES # as users have it
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
# Half of the commands start programs that do not have the address sanitizer first of all, and the others follow them.
if ldd "$build/.libs/liborrery.so" 2>/dev/null | grep -q "lib[at]san"; then exit 77; fi
. "$src/tests/scripts/examples.sh"
. "$src/tests/scripts/staged.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/check_guide.XXXXXX")
trap 'rm -rf "$work"' EXIT
use_staged
mkdir "$work/labs"
cp "$src"/examples/labs/* "$work/labs" && chmod -R u+w "$work/labs" && cd "$work/labs" || exit 99
examples_path "$work/bin"
run_examples <"$src/GETTING-STARTED.md"
[ $((commands + skipped)) -ge 50 ] && [ "$lines" -ge 18 ] || { echo "FAIL: $commands commands and $lines lines are too few"; bad=1; }
exit "$bad"
