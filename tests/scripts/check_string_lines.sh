#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A build log names the lines and columns of a C program in whose strings the kernels stand: one for each line, one that backslashes
# continue, or a list; and program.cl where the lines of the text are not those of the program.
set -u
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
skip() {
    echo "skipped: $1"
    exit 77
}
if ldd "$build/.libs/liborrery.so" | grep -q "lib[at]san"; then skip "built with a sanitizer"; fi
ldconfig -p | grep -q 'libdw[.]so[.]1' || skip "no libdw"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$src/tests/scripts/string_lines.c" "$work/program.c" && cd "$work" || exit 99
gcc -g -w program.c -o program -lOpenCL 2>err || skip "$(head -1 err)"
"$build/orrery" run -- ./program >out 2>err || { cat out err; exit 1; }
bad=0
for name in quoted_lines after_a_tab continued_lines of_a_list; do
    place=$(awk -v name="$name;" 'at = index($0, name) { print "program.c:" NR ":" at; exit }' program.c)
    grep -q "^$place: error: use of undeclared identifier '$name'" out || { echo "not said: $place: $name"; bad=1; }
done
grep -q "^program.cl:3:14: error: use of undeclared identifier 'of_an_array'" out || { echo "no made-up name for the array"; bad=1; }
grep -q "^program2.cl:1:43: error: use of undeclared identifier 'no_lines'" out || { echo "no made-up name for one line"; bad=1; }
[ $bad = 0 ] || cat out
exit $bad
