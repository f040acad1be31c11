#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory of CL_MEM_USE_HOST_PTR that the program frees while a command may use it: one finding that names buffer, command, call and the
# call of free, for small blocks, too, whose pages stay mapped; and none where it is freed in time. The same of the memory that reads and
# writes are given.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery program=$build/tests/freed_blocks
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$build/icd}
err=$(mktemp "${TMPDIR:-/tmp}/check_freed_blocks.XXXXXX")
trap 'rm -f "$err"' EXIT
bad=0

# finds COUNT PATTERN WORDS
finds() {
    local count=$1 pattern=$2
    shift 2
    timeout 60 "$orrery" run -- "$program" "$@" >/dev/null 2>"$err"
    if [ "$(grep -c 'error: use-after-free' "$err")" != "$count" ] || ! grep -q -- "$pattern" "$err" || grep -q 'ended by signal' "$err"; then
        echo "FAIL: $*: expected $count findings, and '$pattern'"
        cat "$err"
        bad=1
    fi
}

for bytes in 256 4096 64000 1000000; do
    for order in early moved map; do
        finds 1 'the host has freed the memory that buffer 1 was made with (CL_MEM_USE_HOST_PTR), and command' $order $bytes
    done
    for order in right callback after_finish; do
        finds 0 'errors=0' $order $bytes
    done
    for order in read read_flushed read_moved; do
        finds 1 'bytes of memory that command 2 (clEnqueueReadBuffer)' $order $bytes
    done
    finds 1 'bytes of memory that command 2 (clEnqueueWriteBuffer)' written $bytes
    finds 0 'errors=0' read_right $bytes
done
finds 1 'the host has freed the memory that image 2 was made with' image
finds 1 '(clEnqueueNDRangeKernel) uses it' early 4096
grep -q 'freed_blocks.*free$' "$err" || grep -A1 'freed_blocks.c:[0-9]*.*free(block)' "$err" | grep -q . || { echo "FAIL: the call of free is not named"; cat "$err"; bad=1; }
exit $bad
