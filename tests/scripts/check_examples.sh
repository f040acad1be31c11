#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each manual has a section EXAMPLES, and keeps its word: each command after a dollar sign there is run in a copy of examples/labs and
# prints the lines that the manual shows after it; Orrery is installed for those that look for it. mandoc has no warning for any manual.
set -u
unset ORRERY_FIXES ORRERY_VALUES # as users have it
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
# Half of the commands start programs that do not have the address sanitizer first of all, and the others follow them.
if ldd "$build/.libs/liborrery.so" 2>/dev/null | grep -q "lib[at]san"; then exit 77; fi
. "$src/tests/scripts/examples.sh"
. "$src/tests/scripts/staged.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/check_examples.XXXXXX")
trap 'rm -rf "$work"' EXIT
examples_path "$work/bin"
use_staged

# The displays of the section as they are read, indented by four; a line "-" between any two.
examples_of() { # MANUAL
    awk '
        /^\.Sh / { inside = $2 == "EXAMPLES"; next }
        !inside { next }
        /^\.Bd -literal/ { display = 1; next }
        /^\.Ed/ { display = 0; print "-"; next }
        display { gsub(/\\-/, "-"); gsub(/\\&/, ""); gsub(/\\e/, "\\"); print $0 == "" ? "" : "    " $0 }' "$1"
}

self_test() { # an example that does not print its line, one that is no command, one that is right
    local text answer
    for text in '    $ echo one\n    two' '    $ no-such-command' '    $ cat new\n    one\n\n    $ cat new\n    one'; do
        answer=$(cd "$work" && printf '%b\n' "$text" | { run_examples >/dev/null; echo "$bad"; })
        printf '%s' "$answer"
    done
}
answers=$(self_test)
[ "$answers" = 110 ] || { echo "self-test: expected 110, found $answers"; exit 1; }

for manual in "$src"/man/*.[0-9]; do
    name=$(basename "$manual")
    mkdir "$work/$name" && cp "$src"/examples/labs/* "$work/$name" && chmod -R u+w "$work/$name"
    examples_of "$manual" >"$work/examples"
    before=$((commands + skipped)) lines_before=$lines
    cd "$work/$name" || exit 99
    run_examples <"$work/examples"
    [ $((commands + skipped)) -gt "$before" ] || { echo "FAIL: $name shows no command that can be run"; bad=1; }
    echo "$name: $((commands + skipped - before)) commands, $((lines - lines_before)) lines"
    if command -v mandoc >/dev/null; then
        mandoc -Tlint -W warning "$manual" 2>&1 || bad=1
    fi
done
exit "$bad"
