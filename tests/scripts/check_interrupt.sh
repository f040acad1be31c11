#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A kernel that does not end is noted after ten seconds (of a clock that runs fast here). SIGINT and SIGTERM then print where its
# work-items stand, the summary and the replay line, and end the command; a program's own handler stays.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery program=$build/tests/endless_kernel
[ -f "$build/.libs/fast_clock.so" ] || exit 77
# A library with the address sanitizer in it can only be loaded by programs that have it first of all.
if ldd "$build/.libs/liborrery.so" 2>/dev/null | grep -q "lib[at]san"; then exit 77; fi
work=$(mktemp -d "${TMPDIR:-/tmp}/check_interrupt.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
export CLOCK=$build/.libs/fast_clock.so
bad=0

cat >ends.py <<'P'
"""ends.py SIGNAL COMMAND...: runs COMMAND, sends SIGNAL once it says that a kernel has run for long; prints all it said.
The signal goes to the process and to its group, as timeout(1) sends it, and `orrery run` passes it on as well."""
import os, signal, subprocess, sys
def as_a_shell_starts_it():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         preexec_fn=as_a_shell_starts_it, start_new_session=True, env={**os.environ, "LD_PRELOAD": os.environ["CLOCK"]})
for line in child.stdout:
    print(line, end="", flush=True)
    if "has run for" in line:
        os.kill(child.pid, getattr(signal, sys.argv[1]))
        os.killpg(child.pid, getattr(signal, sys.argv[1]))
print("status", child.wait())
P

# says COUNT PATTERN
says() {
    [ "$(grep -c -- "$2" out)" = "$1" ] && return
    echo "FAIL: $what: expected $1 lines like '$2'"
    sed 's/^/    /' out
    bad=1
}

ends() {
    what="$*"
    timeout 100 python3 ends.py "$@" >out 2>&1
}

cat >spread.yaml <<'Y'
orrery: 1
schedule: {max_steps: 0, timeout: 0} # check has limits of its own
program:
  text: |
    kernel void spread(global int *o)
    {
        if (get_local_id(0) < 16)
            barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0;; i++)
            o[get_global_id(0)] = i;
    }
launch:
  - kernel: spread
    global: [64]
    local: [32]
    args: [{buffer: {type: int, count: 64, fill: 0}}]
expect: {findings: []}
Y

cat >launches.yaml <<'Y'
orrery: 1
schedule: {policy: random, seed: 3, resident_groups: 40}
program:
  text: |
    kernel void turns(global int *o, local int *l)
    {
        for (int i = 0;; i++) {
            l[get_local_id(0)] = i;
            barrier(CLK_LOCAL_MEM_FENCE);
            o[get_global_id(0)] = i;
        }
    }
launch:
  - kernel: turns
    global: [128]
    local: [2]
    args: [{buffer: {type: int, count: 128, fill: 0}}, {local: 8}]
expect: {findings: []}
Y

for command in run check; do
    ends SIGINT "$orrery" $command spread.yaml
    says 1 "note: kernel 'spread' has run for 10 seconds and is at .*:[67]:.*--timeout=SECONDS"
    says 1 "note: kernel 'spread', launch [0-9]*: [12] of 2 work-groups runs\?"
    says 1 'work-group (0,0,0).*: 16 work-items wait in work_group_barrier at .*:4:'
    says 1 'work-group (0,0,0).*: 16 work-items at .*:[67]:'
    says 1 '^orrery: SUMMARY'
    says 1 'replay with: orrery'
    says 1 '^status -2$'
done
ends SIGTERM "$orrery" run spread.yaml
says 1 '^status -15$'
says 1 '^orrery: SUMMARY'

# more places than lines: the list is bounded, and no work-item is left out of the counts
ends SIGINT "$orrery" run launches.yaml
says 1 "note: kernel 'turns', launch [0-9]*: [0-9]* of 64 work-groups run"
awk '/work-groups run/ {resident = $7} /: [0-9]+ work-items? / {rows++; for (i = 1; i < NF; i++) if ($(i + 1) ~ /^work-item/) items += $i}
    /more work-items/ {items += $2} END {exit !(resident && items == 2 * resident && rows <= 24)}' out || {
    echo "FAIL: the counts do not add up to the work-items"
    cat out
    bad=1
}

ends SIGINT "$orrery" run -- "$program"
says 1 "note: kernel 'g', launch [0-9]*: 1 of 1 work-group runs"
says 1 'work-group (0,0,0).*: 8 work-items at .*:4:'
says 1 '^orrery: SUMMARY.*kernels=1'
says 1 'replay with: orrery'
says 1 '^status -2$'
ends SIGINT "$orrery" run -- "$program" handler
says 0 'launch [0-9]*:'
says 1 '^status 7$'

# a limit ends it, so there is no note; nor is there one of what ends by itself
what='with a limit'
LD_PRELOAD=$CLOCK timeout 60 "$orrery" run --max-steps=3000000 spread.yaml >out 2>&1
says 0 'has run for'

# a compiler that reads from a pipe which nobody writes to
mkfifo never.h
printf 'orrery: 1\nprogram: {text: "#include \\"never.h\\"\\nkernel void k() {}"}\nlaunch: [{kernel: k, global: 1, args: []}]\n' >compiles.yaml
what='a build'
SECONDS=0
timeout --foreground -s TERM 2 "$orrery" run compiles.yaml >out 2>&1
echo "status $?" >>out
says 1 'status 124'
[ "$SECONDS" -lt 20 ] || { echo "FAIL: a build goes on for $SECONDS seconds"; bad=1; }

# many seeds: those that ran are summed up, and one that failed is named
cat >fails.yaml <<'Y'
orrery: 1
program: {text: "kernel void k(global int *o) { o[0] = get_global_id(0); }"}
launch: [{kernel: k, global: [2], local: [1], args: [{buffer: {type: int, count: 1}}]}]
Y
what='many seeds'
for seconds in 2 5 15 45; do # until one has run on a busy machine; --foreground: one signal, not two
    timeout --foreground -s TERM $seconds "$orrery" run --schedule=random --seeds=5..1000000 fails.yaml >out 2>&1
    grep -q ' 0 of 0 fail' out || break
done
says 1 '^orrery: seeds 5..1000000 under random: \([1-9][0-9]*\) of \1 fail, first seed 5$'
says 1 '^orrery: repeat a failing one with: orrery run --schedule=random --seed=5 fails.yaml$'
says 1 "ended by signal 15"
exit $bad
