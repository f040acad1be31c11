# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the listeners: each builds one program and checks its framework's result of each test.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
unset ORRERY_FAIL_ON ORRERY_CHECKS
export ORRERY_KEEP_EXIT_CODE=1
bad=0
fail() { echo "FAILED  $1"; [ -z "${2-}" ] || cat "$2"; bad=1; }
has() { grep -qE -- "$2" "$1" || fail "expected /$2/" "$1"; }
times() { # FILE COUNT PATTERN
    local count
    count=$(grep -cE -- "$3" "$1")
    [ "$count" = "$2" ] || fail "expected /$3/ $2 times, found it $count times" "$1"
}
