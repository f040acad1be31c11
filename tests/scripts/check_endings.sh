#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs that end without the library's last words: abort, _Exit, exec, a signal. Their findings are reported all the same.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery program=$build/tests/check_runtime
[ -f "$build/.libs/liborrery.so" ] || exit 77
work=$(mktemp -d "${TMPDIR:-/tmp}/check_endings.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
ulimit -c 0
export ORRERY_CHECK_API=error
bad=0

problem() {
    echo "FAIL: $1"
    sed 's/^/    /' err
    bad=1
}

# ends STATUS [run's options] ROLE
ends() {
    local status=$1 got
    shift
    ("$orrery" run "${@:1:$#-1}" -- "$program" "${!#}") >out 2>err
    got=$?
    [ "$got" = "$status" ] || problem "$*: ended with $got, expected $status"
}

says() {
    grep -q -- "$1" "${2:-err}" || problem "no '$1' in ${2:-stderr}"
}

for ending in found_abort found_exit found_kill found_exec; do
    rm -f found.*
    ends 66 --json=found.json --sarif=found.sarif --gen-suppressions=found.yaml --dot=found.svg $ending
    says 'error: null-write'
    [ "$(grep -c '^orrery: SUMMARY errors=1 .*kernels=1 seed=0' err)" = 1 ] || problem "$ending: not one summary"
    says '"id":"null-write"' found.json
    says '"type":"summary","errors":1,.*"exit_status":66' found.json
    says '"ruleId": "null-write"' found.sarif
    says '"executionSuccessful": false' found.sarif
    says 'id: null-write' found.yaml
    says '^digraph' found.dot
    if compgen -G '*.part' >/dev/null; then problem "$ending: leaves a part of a file"; fi
done
ends 66 --sarif=found.sarif refused
says '"executionSuccessful": true' found.sarif
ends 66 found_kill
says 'ended by signal 9'

# what is written at the end of a process is missing then, and a note says so; of an end by exit() nothing is
for ending in found_kill found_exit; do
    rm -f end.*
    ends 66 --html=end.html --timeline=end.trace --coverage=end.info --counters=end.counters $ending
    says '^orrery: note: end.html, end.trace, end.info, end.counters: not written, since no process that ran a kernel came to the end'
done
rm -f end.*
ends 66 --html=end.html clean_status
if grep -q 'not written' err; then problem 'a file that is written'; fi

# files are where the command is given, also when the program runs elsewhere
mkdir -p away
rm -f end.*
"$orrery" run --json=end.json --sarif=end.sarif --dot=end.dot --html=end.html --log=end.log --counters=end.counters --save-launch=1:end.yaml \
    -- sh -c 'cd away && exec "$1" clean_status' sh "$program" >out 2>err
for file in end.json end.sarif end.dot end.html end.log end.counters end.yaml; do
    [ -s $file ] || problem "$file is not where the command is"
done
says 'is saved: orrery run end.yaml'
[ -z "$(ls away)" ] || problem "files in the program's directory: $(ls away)"

# suppressions of every file count, those of the variable, too; the line and the record name them all
"$orrery" run --gen-suppressions=found.yaml -- "$program" clean_status >out 2>err
printf '%s\n' '- {id: race-global}' >one.yaml
printf '%s\n' '- {id: race-local}' >two.yaml
ends 5 --suppressions=found.yaml --suppressions=one.yaml --suppressions=found.yaml clean_status
says 'SUMMARY errors=0 warnings=0 suppressed=[1-9]'
says 'suppression not used: one.yaml:1'
if grep -q 'not used: found' err; then problem 'a file that is given twice counts twice'; fi
ORRERY_SUPPRESSIONS=$'found.yaml\ntwo.yaml' ends 5 --suppressions=one.yaml clean_status
says 'suppressed=[1-9]'
says 'not used: one.yaml:1'
says 'not used: two.yaml:1'
ends 5 --suppressions=found.yaml --suppressions=one.yaml --record=suppressed.rec --seed=3 --schedule=random clean_status
says 'replay with: orrery replay [^ ]* --check-api=error --suppressions=found.yaml --suppressions=one.yaml'
"$orrery" replay suppressed.rec -- "$program" clean_status >out 2>err
[ $? = 5 ] || problem 'the replay has not all suppressions'
says 'suppressed=[1-9]'
ends 2 --suppressions=found.yaml --suppressions=nowhere.yaml clean_status
says 'nowhere.yaml: the suppressions cannot be read'
ends 50 --error-exitcode=50 found_exit
ends 66 refused_exit
says 'SUMMARY errors=1'

# without a finding the status stays
ends 5 clean_exit
says 'SUMMARY errors=0 .*kernels=1'
ends 134 clean_abort
ends 0 --keep-exit-code found_exit
says 'SUMMARY errors=1'
ends 134 --keep-exit-code found_abort
ends 134 --check-bounds=off found_abort
ends 66 --quiet found_exit
if grep -q SUMMARY err; then problem 'quiet has a summary'; fi
ends 66 --log=found-%p.txt found_abort
says 'SUMMARY errors=1' "$(echo found-[0-9]*.txt)"
says 'error: null-write' "$(echo found-[0-9]*.txt)"

# a program that sends its standard error elsewhere, and one that closes all files and opens its own
ends 66 --check-api=off found_captured
says 'error: null-write'
says 'SUMMARY errors=1'
[ "$(cat captured)" = own ] || { cat captured; problem 'what the program keeps has more than its own words'; }
ends 66 --check-api=off --check-races=off found_captured
says 'error: null-write' captured
ends 66 --check-api=off found_closed
says 'error: null-write'
[ -f own ] && [ ! -s own ] || problem 'a file of the program has a finding'

# a program that fails by itself gets the replay line, unless it is the same anyway
for ending in clean_exit clean_abort clean_status; do
    status=5
    [ $ending = clean_abort ] && status=134
    ends $status --schedule=random --seed=3 --check-api=off $ending
    says "replay with: orrery replay 1:3:random:[0-9a-f]* --check-api=off -- $program $ending\$"
    [ "$(grep -c 'replay with' err)" = 1 ] || problem "$ending: not one line"
    ends $status --check-api=off $ending
    if grep -q 'replay with' err; then problem "$ending: a line that nobody needs"; fi
done
ends 0 --schedule=random --check-api=off kernel
if grep -q 'replay with' err; then problem 'a line for what did not fail'; fi
"$orrery" run --seeds=0..2 --check-api=off -- "$program" clean_status >out 2>err
says '3 of 3 fail'

# the record up to the end is complete, and fits
export STATUS=5
for ending in clean_abort clean_exit clean_quick_exit clean_exec clean_execle; do
    status=5 kernels=1
    [ $ending = clean_abort ] && status=134
    [ $ending = clean_exec ] && kernels=2
    ends $status --schedule=random --seed=3 --record=$ending.rec $ending
    says "^number $kernels shape [0-9a-f]* turns" $ending.rec
    "$orrery" replay $ending.rec -- "$program" $ending >out 2>err
    [ $? = $status ] || problem "the replay of $ending ends otherwise"
    says "SUMMARY errors=0 .*kernels=$kernels"
    if grep -q 'does not fit' err; then problem "the replay of $ending does not fit"; fi
done

# a log on a full disk reports it
if [ -c /dev/full ]; then
    ends 66 --log=/dev/full refused
    says 'warning: /dev/full cannot be written: what was found is not in it'
    ends 66 --log=/dev/full found_exit
    says 'error: /dev/full cannot be written: what was found is not in it'
    # a status of 0 would hide that a report is lost
    for option in log json sarif gen-suppressions dot html counters instructions coverage timeline trace record; do
        ends 125 --check-api=off "--$option=/dev/full" kernel
        says '^orrery: .*/dev/full'
        ends 0 --keep-exit-code --check-api=off "--$option=/dev/full" kernel
    done
    ends 5 --check-api=off --json=/dev/full clean_status
    says 'warning: /dev/full cannot be written'
fi

# a pipe is written once, at the end
mkfifo pipe
cat pipe >piped &
ends 66 --json=pipe refused_status_7
wait $!
[ "$(grep -c summary piped)" = 1 ] || problem 'a pipe gets not one summary'

# processes of the program's own count, too
"$orrery" run -- sh -c "$program found_exit; $program clean_exit; exit 0" >out 2>err
[ $? = 66 ] || problem 'a child that ends without a word is lost'
[ "$(grep -c SUMMARY err)" = 2 ] || problem 'not two summaries'
"$orrery" run -- sh -c "$program refused; $program clean_exit; exit 0" >out 2>err
[ $? = 66 ] || problem 'a child that had its summary is lost'
"$orrery" run --error-exitcode=50 -- sh -c "$program refused; exit 4" >out 2>err
[ $? = 50 ] || problem 'a child that had its summary is lost, with another status'
"$orrery" run --timeout=0.2 --check-progress=off -- sh -c "$program endless_begun; exit 0" >out 2>err
[ $? = 124 ] || problem 'a child that made no progress is lost'
rm -f began
"$orrery" run --keep-exit-code -- sh -c "$program refused; exit 4" >out 2>err
[ $? = 4 ] || problem 'a child changes the status that is to be kept'
# which a program that is ended in its midst has none of
ends 124 --keep-exit-code --timeout=0.2 --check-progress=off endless_begun
rm -f began

# they share the files: none takes away what another one found, whether it ended, was replaced or runs beside it
has_both() { # the command of $1 has left it in the files, beside what was there before the run
    [ "$(grep -c SUMMARY both.log)" = "$2" ] || problem "$1: not $2 summaries in the log"
    [ "$(grep -c 'error: null-write' both.log) $(grep -c 'error: api-' both.log)" = '1 1' ] || problem "$1: the log lacks a finding"
    [ "$(grep -c '"id":"null-write"' both.json) $(grep -c '"type":"summary"' both.json)" = "1 $2" ] || problem "$1: the JSON lacks a process"
    [ "$(grep -c '"id":"api-[a-z-]*"' both.json)" = 1 ] || problem "$1: the JSON lacks the call"
    [ "$(grep -c '"ruleId": "null-write"' both.sarif) $(grep -c '"ruleId": "api-' both.sarif)" = '1 1' ] || problem "$1: the SARIF log lacks a finding"
    [ "$(grep -c '"columnKind"' both.sarif) $(grep -c '"executionSuccessful"' both.sarif)" = "1 $2" ] || problem "$1: the SARIF log has not one run with an invocation for each process"
    [ "$(grep -c '^- {id: null-write' both.yaml) $(grep -c '^- {id: api-' both.yaml)" = '1 1' ] || problem "$1: the suppressions lack one"
    if grep -q 'race-global\|^\[\]' both.yaml; then problem "$1: the suppressions are not begun anew"; fi
}
share=(--log=both.log --json=both.json --sarif=both.sarif --gen-suppressions=both.yaml)
for command in "$program found_exit; $program refused; $program clean_status" \
    "$program refused & $program found_kill & $program clean_status & wait" \
    "$program clean_status; $program found_abort; $program refused"; do
    echo 'orrery: stale' >both.log # files that are no reports are not replaced
    echo '{"type":"finding","id":"null-write"}' >both.json
    cp found.sarif both.sarif
    printf '# Suppressions for orrery\n- {id: race-global}\n' >both.yaml
    "$orrery" run "${share[@]}" -- sh -c "$command; exit 0" >out 2>err
    [ $? = 66 ] || problem "$command: not the status of findings"
    has_both "$command" 3
    if grep -q stale both.log; then problem 'the log is not begun anew'; fi
done
"$orrery" run --suppressions=both.yaml -- sh -c "$program found_exit; $program refused; exit 0" >out 2>err
[ $? = 0 ] || problem 'the suppressions of two processes do not suppress both'
mkdir -p elsewhere
# An option names one file for all; a variable one in each directory.
"$orrery" run --json=all.json -- sh -c "$program found_exit; cd elsewhere; $program refused; exit 0" >out 2>err
[ "$(grep -c '"type":"finding"' all.json)" = 2 ] || problem 'processes of two directories do not share the file'
[ ! -e elsewhere/all.json ] || problem 'a second file elsewhere'
ORRERY_JSON=both.json "$orrery" run -- sh -c "$program found_exit; cd elsewhere; $program refused; exit 0" >out 2>err
[ "$(cat both.json elsewhere/both.json | grep -c '"type":"finding"')" = 2 ] || problem 'files of two directories are not two'

# check compares what all of them found, and the command has to run and to end
compares() { # STATUS COMMAND
    "$orrery" check --exec="$2" compare.yaml >out 2>err
    [ $? = "$1" ] || problem "check --exec='$2': not $1"
}
printf 'orrery: 1\nexpect: {findings: []}\n' >compare.yaml
for command in "$program found_exit; $program clean_exit" "$program found_exec" "$program found_abort; $program look; true" \
    "$program refused & $program clean_exit & wait"; do
    compares 1 "$command"
    says 'unexpected: \(null-write\|api-\)' out
done
compares 1 "$program found_exit; $program found_exit"
[ "$(grep -c 'unexpected: null-write' out)" = 2 ] || problem 'the same of two processes is not two'
compares 0 "$program clean_exit"
compares 1 "$work/nowhere"
says 'exit status: 127, the command is not there' out
compares 1 "$work/compare.yaml"
says 'exit status: 126, the command cannot be run' out
compares 1 'kill -9 $$'
says 'exit status: 137, the command was ended by a signal' out
printf 'orrery: 1\nexpect: {findings: [], exit_status: 137}\n' >compare.yaml
compares 0 'kill -9 $$'

# one summary also of a command without kernels, whether it loads OpenCL or not; the library alone prints nothing
for command in "$program look" "sh -c '$program look; $program look'" 'true' 'sh -c "exit 5"' "sh -c 'kill -9 \$\$'"; do
    eval "'$orrery' run --seed=4 -- $command" >out 2>err
    [ "$(grep -c '^orrery: SUMMARY errors=0 warnings=0 suppressed=0 kernels=0 seed=4 schedule=lockstep checks=all,api$' err)" = 1 ] ||
        problem "$command: not one summary"
    eval "'$orrery' run --quiet -- $command" >out 2>err
    if grep -q SUMMARY err; then problem "$command: quiet has a summary"; fi
done
echo 'orrery: old' >log
for command in true "$program look"; do
    eval "'$orrery' run --log=log -- $command" >out 2>err
    [ "$(grep -c SUMMARY log)" = 1 ] || problem "$command: not one summary in the log"
    if grep -q SUMMARY err || grep -q old log; then problem "$command: the log is not the place"; fi
done
"$orrery" run --check-api=off -- sh -c "$program kernel; $program look" >out 2>err
[ "$(grep -c SUMMARY err)" = 1 ] || problem 'who only looks has a summary of his own'

# expected kernels: of the program, or of any process of its own
expects() { # STATUS COMMAND...
    "$orrery" run --expect-kernels "${@:2}" >out 2>err
    local got=$?
    [ "$got" = "$1" ] || problem "--expect-kernels ${*:2}: ended with $got, expected $1"
}
expects 3 -- true
says 'error: no process ran a kernel, and --expect-kernels wants one'
[ "$(grep -c 'SUMMARY errors=0 warnings=0 suppressed=0 kernels=0 seed=0 schedule=lockstep' err)" = 1 ] || problem 'what runs nothing: not one summary'
expects 3 --quiet -- true
if grep -q SUMMARY err; then problem 'quiet has a summary'; fi
expects 0 --keep-exit-code -- true
expects 0 --expect-kernels=false -- true
expects 3 -- false
expects 127 -- ./nowhere
if grep -q SUMMARY err; then problem 'what cannot be run is summed up'; fi
expects 3 -- "$program" look
says 'error: this process ran no kernel, and --expect-kernels wants one'
[ "$(grep -c 'SUMMARY .*kernels=0' err)" = 1 ] || problem 'who only looks: not one summary'
expects 3 -- sh -c "$program look; exit 0"
expects 3 -- sh -c "$program look; exit 5"
expects 3 -- sh -c 'exit 5'
says 'error: no process ran a kernel, and --expect-kernels wants one'
[ "$(grep -c 'SUMMARY .*kernels=0' err)" = 1 ] || problem 'what fails and runs nothing: not one summary'
expects 3 -- sh -c 'kill -9 $$'
says 'ended by signal 9'
says 'error: no process ran a kernel, and --expect-kernels wants one'
[ "$(grep -c 'SUMMARY .*kernels=0' err)" = 1 ] || problem 'what is ended and runs nothing: not one summary'
expects 66 -- "$program" refused
expects 0 --check-api=off -- "$program" kernel
expects 0 --check-api=off -- sh -c "$program kernel"
expects 0 --check-api=off -- sh -c "$program kernel; $program look; exit 0"
expects 0 --check-api=off -- sh -c "$program clean_abort; exit 0"
expects 134 --check-api=off -- "$program" clean_abort
expects 5 --check-api=off -- "$program" clean_exit
ORRERY_EXPECT_KERNELS=1 "$orrery" run -- true >out 2>err
[ $? = 3 ] || problem 'the variable expects no kernels'

"$orrery" run --seeds=0..2 -- "$program" found_exit >out 2>err
[ $? = 66 ] || problem 'seeds: the status'
says '3 of 3 fail'

# a program ended while a kernel runs is reported, with the replay line
for options in '' '--schedule=random --seed=3' --expect-kernels; do
    rm -f began
    read -ra given <<<"$options"
    "$orrery" run "${given[@]}" --check-api=off -- "$program" endless_begun 2>err >out &
    command=$!
    for _ in $(seq 100); do [ -s began ] || sleep 0.1; done
    sleep 1
    kill -TERM $command
    wait $command 2>/dev/null
    got=$?
    [ $got = 143 ] || problem "a running kernel $options: ended with $got"
    says 'ended by signal 15'
    [ "$(grep -c 'SUMMARY errors=0 .*kernels=1' err)" = 1 ] || problem "a running kernel $options: not one summary"
    if [ "${options#--schedule}" != "$options" ]; then
        says 'SUMMARY .*seed=3 schedule=random'
        says "replay with: orrery replay 1:3:random:[0-9a-f]* --check-api=off -- $program endless_begun\$"
    fi
done

# why no kernel ran: how far the program got in using OpenCL
why() { # ROLE TEXT
    ends 0 --check-api=off "$1"
    [ "$(grep -c 'no kernel ran: ' err)" = 1 ] || problem "$1: not one reason"
    says "no kernel ran: .*$2"
}
why look 'asked Orrery.s for no device'
why filtered '--device-type=cpu makes it one'
why listed 'made no context'
why units 'made a context'
ends 0 --check-api=off kernel
if grep -q 'no kernel ran' err; then problem 'a kernel that ran has a reason'; fi
ends 0 --check-api=off --fast kernel
[ "$(grep -c 'note: not looked for' err)" = 1 ] || problem 'not one note on checks that were off'

# a signal to the command ends the program
for signal in TERM KILL; do
    "$orrery" run -- sh -c 'echo $$ >pid; exec sleep 60' 2>err &
    command=$!
    until [ -s pid ]; do sleep 0.1; done
    kill -$signal $command
    wait $command 2>/dev/null
    got=$?
    [ $got = $((128 + $(kill -l $signal))) ] || problem "$signal: ended with $got"
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$(cat pid)" 2>/dev/null && sleep 0.2; done
    if kill -0 "$(cat pid)" 2>/dev/null; then problem "$signal: the program goes on"; fi
    rm -f pid
done
# A kernel that enqueues itself for ever: the timeout is that of the launch with all its children. How many of these run
# depends on the machine, so this is no scenario whose report is compared byte by byte.
cat >endless_children.yaml <<'EOF'
orrery: 1
schedule: {timeout: 0.05}
program:
  options: "-cl-std=CL3.0"
  text: |
    void again(global int *a, queue_t queue);
    kernel void child(global int *a) { again(a, get_default_queue()); }
    void again(global int *a, queue_t queue)
    {
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ child(a); });
    }
    kernel void first(global int *a, queue_t queue) { again(a, queue); }
launch:
  - {kernel: first, global: [1], args: [{buffer: {type: int, count: 4, fill: 0}}, {queue: default}]}
EOF
"$orrery" run endless_children.yaml >out 2>err
got=$?
[ $got = 124 ] || problem "endless children: ended with $got, expected 124"
says 'no-progress'
says 'ran longer than 0.05 seconds (timeout)'
# What it enqueued is judged for races in pairs, at the end: of very many the first ones.
sed 's/timeout: 0.05/max_steps: 5000/' endless_children.yaml >many_children.yaml
"$orrery" run --timeout=0 many_children.yaml >out 2>err
got=$?
[ $got = 124 ] || problem "many children: ended with $got, expected 124"
says 'launch 1 and the kernels that it enqueued are 500[01] launches: races among the first 4096 are looked for'
exit $bad
