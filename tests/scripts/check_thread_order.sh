#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Commands that two threads of the host enqueue to queues of their own: the first thread's wait orders them only where a lock, a
# condition, a semaphore, a barrier, a join or the like passes it on to the second thread, or one queue or an event does. And one
# kernel object, which only such an order of the threads makes safe.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery program=$build/tests/thread_order
[ -f "$build/.libs/liborrery_sync.so" ] || exit 77
out=$(mktemp "${TMPDIR:-/tmp}/check_thread_order.XXXXXX")
trap 'rm -f "$out"' EXIT
bad=0

# expect STATUS PATTERN [run's options --] WAY
expect() {
    local status=$1 pattern=$2 got
    shift 2
    timeout 60 "$orrery" run "$@" >"$out" 2>&1
    got=$?
    [ "$got" = "$status" ] && grep -q -- "$pattern" "$out" && return
    echo "FAIL: $*: ended with $got, expected $status and '$pattern'"
    cat "$out"
    bad=1
}

for way in none other_lock; do
    expect 66 'error: race-commands' --data-races -- "$program" $way
    tr -s ' \n' ' ' <"$out" | grep -q 'two threads of the host enqueued them' || { echo "FAIL: $way: the threads are not named"; bad=1; }
    # found by the order of the calls, not by their times
    expect 66 'error: race-commands' --data-races --schedule=random --seed=3 -- "$program" $way
done
for way in mutex trylock condition rwlock spin c11 semaphore barrier once join create shared_queue event; do
    expect 0 'SUMMARY errors=0 warnings=0 .* kernels=[1-9]' --data-races -- "$program" $way
done
# One kernel object for both threads is as safe as the order of their calls; that of the queues and events does not count.
for way in none other_lock shared_queue event; do
    expect 66 'error: kernel-shared' -- "$program" one_kernel $way
    grep -q "kernel [0-9]* 'add'" "$out" || { echo "FAIL: one_kernel $way: the kernel is not named"; cat "$out"; bad=1; }
    [ "$(grep -c 'error: kernel-shared' "$out")" = 1 ] || { echo "FAIL: one_kernel $way: reported more than once"; cat "$out"; bad=1; }
done
for way in mutex condition spin c11 semaphore barrier once join create; do
    expect 0 'SUMMARY errors=0 warnings=0 .* kernels=[1-9]' -- "$program" one_kernel $way
done
# In a recorded run the order of its locks is kept instead, and the threads count as one.
record=$out.record
expect 0 'SUMMARY errors=0' --data-races --record="$record" -- "$program" mutex
timeout 60 "$orrery" replay "$record" --data-races -- "$program" mutex >"$out" 2>&1 || { echo 'FAIL: the replay'; cat "$out"; bad=1; }
rm -f "$record"
# Without the preloaded library the threads count as one.
ORRERY_DATA_RACES=error OCL_ICD_VENDORS=$build/icd timeout 60 "$program" none >"$out" 2>&1 || { echo 'FAIL: by itself'; cat "$out"; bad=1; }
exit $bad
