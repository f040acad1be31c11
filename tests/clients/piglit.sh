#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Piglit's tests of OpenCL: of calls, and of programs with arguments and results in them.
. "${ORRERY_SRCDIR:?}/tests/clients/run.sh"
piglit=/usr/lib/$(uname -m)-linux-gnu/piglit
[ -x "$piglit/bin/cl-program-tester" ] || skip "no piglit"
export PIGLIT_SOURCE_DIR=$piglit PIGLIT_PLATFORM=gbm
cd "$piglit" || exit 1

# Tests that fail for a reason of their own: kernels that read or write past a buffer (they stop, with a finding),
# a file that is not there, programs that are no OpenCL, a result that only holds where subnormal numbers are zero,
# and calls whose expected result the specification forbids.
own='cl-api-create-program-with-binary
cl-api-get-command-queue-info
cl-api-get-device-info
cl-api-get-extension-function-address-for-platform
cl-custom-use-sub-buffer-in-kernel
vload/vload-.*-(local|private)
vload/vload_half-float-(local|private)
doc_program
include-directories
amdgcn-f32-inline-immediates
atomic_int64_cmpxchg-local
constant-load'

passed=0 failed=0
result() { # NAME COMMAND...
    local name=$1
    shift
    "$@" >"$work/out" 2>&1 </dev/null
    if grep -Eq '^PIGLIT: \{"result": "(pass|skip|warn)"' "$work/out"; then
        passed=$((passed + 1))
    elif ! grep -Eq "($(tr '\n' '|' <<<"$own" | sed 's/|$//'))" <<<"$name"; then
        echo "FAILED  $name"
        grep -Ev 'PASS|pass' "$work/out" | tail -n 20
        failed=$((failed + 1))
    fi
}

for test in bin/cl-api-* bin/cl-custom-* bin/cl-program-[bmp]*; do
    result "$test" "$test"
done
while read -r program; do
    result "$program" bin/cl-program-tester "$program"
done < <(find tests/cl generated_tests/cl -name '*.cl' -o -name '*.program_test' | sort)
echo "$passed passed, $failed failed"
[ "$passed" -ge 600 ] && [ "$failed" = 0 ]
