#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# GETTING-STARTED.md keeps its word: each command after a dollar sign is run in a copy of examples/labs, in order, and prints the
# lines that follow it there, each of them as a part of one line.
set -u
src=$(realpath "${ORRERY_SRCDIR:?}") build=$(realpath "${ORRERY_BUILDDIR:?}")
work=$(mktemp -d "${TMPDIR:-/tmp}/check_guide.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$src"/examples/labs/* "$work" && chmod -R u+w "$work" && cd "$work" || exit 99
export PATH=$build:$PATH
bad=0 commands=0 lines=0
squeezed() { tr -s ' ' | sed 's/^ //'; }

while IFS= read -r line; do
    text=${line#"${line%%[! ]*}"}
    case $line in
    '    $ '* | '       $ '*)
        command=${text#\$ }
        commands=$((commands + 1))
        bash -c "$command" </dev/null 2>&1 | squeezed >"$work/.out"
        ;;
    '    '*)
        [ -n "${command:-}" ] || continue
        lines=$((lines + 1))
        grep -qF -- "$(squeezed <<<"$text")" "$work/.out" ||
            { echo "FAIL: $command: expected '$text', found:"; cat "$work/.out"; bad=1; }
        ;;
    *) command='' ;;
    esac
done <"$src/GETTING-STARTED.md"
[ "$commands" -ge 9 ] && [ "$lines" -ge 18 ] || { echo "FAIL: $commands commands and $lines lines are too few"; bad=1; }
exit "$bad"
