#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The teaching programs about commands and the host: each mistake is found and named, each fix is silent.
set -u
build=${ORRERY_BUILDDIR:-.}
program=$build/examples/host_order
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$(cd "$build" && pwd)/icd}
fail=0
closed=

expect() { # STATUS MODE FIXED TEXT...
    local wanted=$1 mode=$2 fixed=$3 output status
    shift 3
    # shellcheck disable=SC2086
    output=$("$build/orrery" run --checks=fast,races $closed -- "$program" "$mode" $fixed 2>&1)
    status=$?
    if [ $status -ne "$wanted" ]; then
        echo "host_order $mode $fixed: status $status instead of $wanted"
        echo "$output"
        fail=1
    fi
    for text in "$@"; do
        tr -s ' \n' ' ' <<< "$output" | grep -qF -- "$text" && continue
        echo "host_order $mode $fixed: does not say: $text"
        echo "$output"
        fail=1
    done
}

expect 66 queues '' 'race-commands' 'kernel fill, clEnqueueNDRangeKernel (command 1, queue 1)' \
    'kernel twice, clEnqueueNDRangeKernel (command 2, queue 1)' 'data[get_global_id(0)] *= 2' \
    'add the event of command 1 to the wait list of command 2'
expect 66 map '' 'race-host-device' 'clEnqueueMapBuffer (command 2, queue 1)' 'wait for the event of the map'
expect 66 polling '' 'race-host-device' 'coarse-grained shared virtual memory only while it is mapped'
for closed in '' --shared-pages; do
    for mode in queues map polling reading after; do
        expect 0 $mode fixed "errors=0"
    done
done
expect 66 reading '' 'race-host-device' 'load in reading' 'clEnqueueReadBuffer (command 2, queue 1)' 'had not waited for it'
expect 66 after '' 'race-host-device' 'load in after' 'kernel fill, clEnqueueNDRangeKernel (command 1, queue 1)' \
    'only when a map of these bytes is complete' 'CL_MAP_READ'

# of several devices each access names its own
output=$("$build/orrery" run "${ORRERY_SRCDIR:-$(dirname "$0")/..}/scenarios/concurrent/race.yaml" 2>&1)
for text in "argument 0 'a', device 0/equally:1@0" "argument 0 'a', device 0/equally:1@1"; do
    grep -qF -- "$text" <<< "$output" && continue
    echo "concurrent/race.yaml does not say: $text"
    echo "$output"
    fail=1
done
exit $fail
