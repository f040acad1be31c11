#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The listener of Check: the very test that had a finding fails, with the finding in its message, with a process for each test
# and without.
. "${ORRERY_SRCDIR:?}/tests/clients/listeners.sh"
# shellcheck disable=SC2046
HEADER=check.h compiled "${CC:-gcc}" listener_check.c -I"$src/include" $(pkg-config --libs check) -lOpenCL -lpthread
for fork in yes no; do
    CK_FORK=$fork "$program" >"$work/out" 2>"$work/err"
    [ "$?" = 1 ] || fail "the exit status with CK_FORK=$fork" "$work/out"
    has "$work/out" '^50%: Checks: 6, Failures: 3, Errors: 0'
    times "$work/out" 2 '[FS]:listener:beyond:0: Orrery: 1 finding in this test'
    times "$work/out" 1 '[FS]:teardown:in_the_teardown:0: Orrery: 1 finding in this test'
    times "$work/out" 3 '^orrery: error: out-of-bounds-write: '
done
[ "$bad" = 0 ] && echo "ok      3 of 6 tests fail, each with its finding"
exit "$bad"
