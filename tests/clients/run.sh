# SPDX-License-Identifier: Apache-2.0
# Sourced by the client tests. A client that is not installed is skipped: status 77.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Programs of others have faults of their own (clFFT and ViennaCL race, Boost.Compute does not unmap): the tests are about results.
export ORRERY_FAIL_ON=off ORRERY_SEED=7 ORRERY_CHECKS=fast

skip() {
    echo "skipped: $1"
    exit 77
}

# A library with a sanitizer in it can only be loaded by programs that have it, too.
if ldd "$build/.libs/liborrery.so" 2>/dev/null | grep -q "lib[at]san"; then skip "built with a sanitizer"; fi

# compiled COMPILER FILE LIBRARY...: sets $program; skips when HEADER, the client's own, is not there.
compiled() {
    local compiler=$1 file=$2
    shift 2
    program=$work/client
    echo "#include <$HEADER>" | $compiler -w -E -x "${LANGUAGE:-c}" ${DEFINES:-} - >/dev/null 2>&1 || skip "no $HEADER"
    $compiler -O0 -w "$src/tests/clients/$file" -o "$program" "$@" || exit 1
}

# without_findings COMMAND...: runs it; any finding is a failure, those of the uninitialised check included.
without_findings() {
    ORRERY_UNINITIALIZED=error "$@" 2>"$work/errors"
    status=$?
    cat "$work/errors" >&2
    grep -q '^orrery: SUMMARY errors=0 warnings=0' "$work/errors" || { echo "FAILED  findings"; exit 1; }
    return "$status"
}
