#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A read that does not block, and whose end the program never learns: reported at its end. Each way to learn it is none.
set -u
build=${ORRERY_BUILDDIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for how in nothing finish wait later_read query callback; do
    "$build/orrery" run -- "$build/tests/host_reads" $how >"$work/out" 2>&1
    status=$? expected=0 findings=0
    [ $how = nothing ] && expected=66 findings=1
    grep -q "^orrery: SUMMARY errors=$findings warnings=0" "$work/out" && [ $status = $expected ] &&
        [ "$(grep -c 'read-not-waited-for: the program never waits' "$work/out")" = $findings ] || {
        echo "$how: status $status: $(cat "$work/out")"
        bad=1
    }
done
exit $bad
