#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A program that ignores what its calls return: one note at the end counts the refused calls and names the first. None where no
# call was refused, where the check of the API reports each, or where the run is quiet. And why no kernel ran, where none did.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery program=$build/tests/refused_calls
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$build/icd}
err=$(mktemp "${TMPDIR:-/tmp}/check_refused_note.XXXXXX")
trap 'rm -f "$err" "$err".*' EXIT
bad=0

# notes COUNT PATTERN [run's options --] WORDS
notes() {
    local count=$1 pattern=$2
    shift 2
    timeout 60 "$orrery" run "$@" >/dev/null 2>"$err"
    if [ "$(grep -c 'note: [0-9]* calls* w' "$err")" != "$count" ] || { [ -n "$pattern" ] && ! grep -q -- "$pattern" "$err"; }; then
        echo "FAIL: $*: expected $count notes, and '$pattern'"
        cat "$err"
        bad=1
    fi
}

notes 1 'note: 1 call was refused, the first clReleaseMemObject: CL_INVALID_MEM_OBJECT' -- "$program" release
notes 1 'note: 1 call was refused, the first clCreateBuffer: CL_INVALID_BUFFER_SIZE, size is 0;' -- "$program" buffer
notes 1 'note: 3 calls were refused, the first clReleaseMemObject: CL_INVALID_MEM_OBJECT' -- "$program" release buffer release
notes 1 "CL_OUT_OF_RESOURCES, kernel f needs 1073741824 bytes of local memory (argument 0 't' 1073741824), CL_DEVICE_LOCAL_MEM_SIZE is 65536" \
    -- "$program" local
notes 1 "CL_INVALID_KERNEL_ARGS, argument 1 'o' and argument 2 'n' of kernel f are not set" -- "$program" unset
notes 1 "CL_BUILD_PROGRAM_FAILURE, the build log has program.cl:4:12: error: use of undeclared identifier 'nobody'; --check-api says where" -- "$program" build
# the specification has several reasons for this error, and none is guessed
notes 1 'the first clEnqueueNativeKernel: CL_INVALID_VALUE; --check-api says why and where$' -- "$program" native
notes 1 'the first clEnqueueCopyBuffer: CL_MEM_COPY_OVERLAP, the 2 bytes from src_offset 0 and those from dst_offset 1 share bytes of one buffer;' \
    -- "$program" overlap
notes 1 "CL_INVALID_MEM_OBJECT, argument 0 'o' of kernel f is a memory object of type int\*, and arg_value points to a command-queue" \
    -- "$program" object
notes 1 'the first clEnqueueReadBuffer: CL_INVALID_VALUE, offset 0 and size 8 leave buffer 1, which has 4 bytes' -- "$program" read
notes 0 'no kernel ran: the program enqueued kernels and ended before one of them began' -- "$program" enqueue
notes 0 'no kernel ran: the program enqueued kernels for no work-items: global_work_size has a 0, or is NULL' -- "$program" empty
notes 1 'no kernel ran: the program made a context, and the calls that enqueue a kernel were refused' -- "$program" unset
notes 0 'the program has errors: the build log has program.cl:4:12: error' --check-api -- "$program" build
notes 0 '' -- "$program" query
notes 1 'CL_PROFILING_INFO_NOT_AVAILABLE, command-queue 1 was made without CL_QUEUE_PROFILING_ENABLE;' -- "$program" times
notes 0 '' -- "$program" none
notes 0 '' --quiet -- "$program" release
notes 0 'api-error' --check-api -- "$program" buffer

# A program that does not come to its end, as by an exception of C++ that nothing catches, has the note all the same.
for end in abort _exit; do
    notes 1 'note: 2 calls were refused, the first clReleaseMemObject: CL_INVALID_MEM_OBJECT' -- "$program" release buffer $end
    notes 0 '' -- "$program" $end
    notes 0 '' --quiet -- "$program" release $end
done

# A wait that does not end: after five seconds a note says what is missing.
for what in gate chain web semaphore callback nested; do
    timeout -s TERM 20 "$orrery" run -- "$program" $what >/dev/null 2>"$err.$what" &
done
for ((i = 0; i < 150; i++)); do
    [ "$(cat "$err".* | grep -c 'note: for 5 seconds')" -ge 6 ] && break
    sleep 0.1
done
mapfile -t left < <(jobs -p)
kill "${left[@]}" 2>/dev/null
wait
waits() {
    grep -q "note: for 5 seconds $2" "$err.$1" && return
    echo "FAIL: $1: no note '$2'"
    cat "$err.$1"
    bad=1
}
waits gate 'clWaitForEvents has waited for event 1\( (.*)\)\?, a user event that the program has not set$'
waits chain 'clFinish has waited for command 2\( (.*)\)\?, which waits for event 1\( (.*)\)\?, a user event that'
waits web 'clWaitForEvents has waited for command 4\( (.*)\)\?, which waits for event 1\( (.*)\)\?, a user event that'
waits semaphore 'clFinish has waited for command [0-9]*\( (.*)\)\?, which waits for a semaphore that no command has signalled$'
waits callback 'a callback for command 1\( (.*)\)\? has waited for a clFlush of command-queue 1: until then a device need not run the command$'
waits nested 'a callback for command 2\( (.*)\)\? has waited for a clFlush of command-queue 1: until'
exit $bad
