#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command from outside: exit statuses, options, help, bad usage.
set -u
orrery=${ORRERY_BUILDDIR:-build}/orrery
[ -x "$orrery" ] || orrery=$PWD/orrery
orrery=$(realpath "$orrery")
src=$(realpath "${ORRERY_SRCDIR:-.}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
passed=0 failed=0

# expect STATUS [-o TEXT-ON-STDOUT] [-e TEXT-ON-STDERR] [-n TEXT-NOWHERE] -- COMMAND...
expect() {
    local status=$1 out='' err='' not='' got
    shift
    while [ "$1" != -- ]; do
        case $1 in -o) out=$2 ;; -e) err=$2 ;; -n) not=$2 ;; esac
        shift 2
    done
    shift
    "$@" >out 2>err </dev/null
    got=$?
    if [ "$got" != "$status" ]; then
        problem "$* ended with $got, expected $status"
    elif [ -n "$out" ] && ! grep -qF -- "$out" out; then
        problem "$* does not print '$out'"
    elif [ -n "$err" ] && ! grep -qF -- "$err" err; then
        problem "$* does not say '$err'"
    elif [ -n "$not" ] && grep -qF -- "$not" out err; then
        problem "$* says '$not'"
    else
        passed=$((passed + 1))
    fi
}

hostile() { grep -qs -e -DORRERY_HOSTILE "$(dirname "$orrery")/Makefile"; }

problem() {
    echo "FAIL: $1"
    sed 's/^/    /' out err | head -20
    failed=$((failed + 1))
}

# scenario NAME STATEMENT EXPECT-LINES: one work-item runs the statement on a buffer of four ints
scenario() {
    cat >"$1.yaml" <<END
orrery: 1
name: $1
program:
  text: |
    __kernel void k(__global int *data)
    {
        $2
    }
launch:
  - {kernel: k, global: 1, local: 1, args: [{buffer: {type: int, count: 4, fill: 1}}]}
expect:
$3
END
}
scenario clean 'data[0] = 5;' '  buffers: [{arg: 0, values: [5, 1, 1, 1]}]'
scenario prints 'printf("%d\n", data[1]);' '  output: "1\n"'
scenario after 'data[4] = 5;' '  findings: [{id: out-of-bounds-write, line: 3}]'
scenario wrong 'data[0] = 5;' '  buffers: [{arg: 0, values: [6]}]'
scenario surprise 'data[4] = 5;' '  findings: [{id: out-of-bounds-read, line: 3}]'
scenario broken 'data[0] = nobody;' '  findings: []'
scenario endless 'while (data[0] == 1) ;' '  findings: [{id: no-progress}]'
sed 's/kernel: k/kernel: other/' clean.yaml >missing.yaml
sed 's/args: .*/args: [{scalar: {type: int, value: 1}}]}/' clean.yaml | grep -v 'buffers' | sed 's/^expect:/expect: {}/' >mismatch.yaml
printf 'orrery: 1\nschedule: {policy: fifo}\n' >bad.yaml
printf 'orrery: 1\nexpect: {findings: []}\n' >host.yaml
printf 'orrery: 1\n' >bare.yaml
printf 'orrery: 1\nprogram: {text: "__kernel void k() {}"}\n' >idle.yaml
: >host

# ---- usage
expect 2 -e 'Usage: orrery' -- "$orrery"
expect 2 -e "no command 'frobnicate'" -- "$orrery" frobnicate
expect 0 -o 'Usage: orrery' -- "$orrery" --help
expect 0 -o 'orrery ' -- "$orrery" --version
for option in -V --version; do
    for command in '' run check dis info litmus topology explain replay show serve; do
        expect 0 -o 'llvm-spirv' -- "$orrery" $command $option
    done
done
for command in run check dis info litmus topology explain replay show serve; do
    expect 0 -o 'Usage: orrery' -- "$orrery" $command -h
    expect 0 -o 'Usage: orrery' -- "$orrery" help $command
done

# A word that is misspelt is refused with the nearest, in one line.
meant() { # TEXT WORD...
    local text=$1
    shift
    expect 2 -e "$text" -- "$orrery" "$@"
    [ "$(wc -l <err)" = 1 ] || problem "more than a line on: $*"
}
meant "no command 'rnu'; did you mean run?" rnu
meant "no command 'litmas'; did you mean litmus?" litmas a.litmus
meant "did you mean \`orrery run clean.yaml\`?" clean.yaml
meant "no option is named '--seid'; did you mean --seed?" run --seid=4 clean.yaml
meant 'did you mean --check-races?' run --check-rases clean.yaml
meant 'did you mean --checks?' check --chekcs=all clean.yaml
meant 'did you mean --checks?' check clean.yaml --chekcs=all
meant 'did you mean --verdicts?' litmus --verdict5=x.csv
meant 'did you mean --list-presets?' topology --list-preset5
# words of an option, a scenario and the environment; a name of a topology
meant "replay; did you mean lockstep?" run --schedule=lockstp clean.yaml
meant "no-NAME; did you mean bounds?" run --checks=races,bonds clean.yaml
meant "no-NAME; did you mean races?" check --checks=race clean.yaml
meant "found 'eror', expected off, warning, error; did you mean error?" run --check-races=eror clean.yaml
# a word of the sentence around a list is not meant, nor one that has next to nothing in common
for odd in 'run --topology=foo' 'run --save-launch=foo' 'run --checks=off' 'run --replay=sum.record' 'explain foo' 'run foo.yaml' 'run frobnicate.cl'; do
    # shellcheck disable=SC2086
    expect 2 -n 'you mean' -- "$orrery" $odd clean.yaml
done
expect 2 -e "found 'foo', expected a topology or a preset of \`orrery topology --list-presets\`: character 1: found 'foo'" -- "$orrery" topology foo
expect 2 -e "found 'cu:2' after 'numa:2', expected one topology: quote it" -- "$orrery" topology numa:2 cu:2
expect 2 -e "found '--fast' after the scenario, expected nothing: options stand before it" -- "$orrery" run clean.yaml --fast
expect 0 -o 'refused: a part of no units' -- "$orrery" topology --partition=equally:0 cu:4
meant "found 'tini', expected a topology or the name of a preset; did you mean tiny?" topology tini
sed '2i schedule: {policy: lokstep}' clean.yaml >lokstep.yaml
meant "replay; did you mean lockstep?" run lokstep.yaml
for command in 'litmus sb.litmus' serve 'explain race-local' 'completion bash'; do
    # shellcheck disable=SC2086
    expect 2 -e 'ORRERY_SED: no option has this name; did you mean ORRERY_SEED?' -- env ORRERY_SED=1 timeout 10 "$orrery" $command
done
expect 0 -o 'race-local' -- "$orrery" explain RACE-Local
expect 2 -e "'races' is a check; its findings are race-global, race-local, " -- "$orrery" explain races
expect 2 -e "found 'clean.yaml' beside the scenario clean.yaml, expected one of them" -- "$orrery" run --scenario=clean.yaml clean.yaml
expect 2 -e 'ORRERY_: no option has this name' -n 'did you mean' -- env ORRERY_=1 "$orrery" info
echo 'kernel void k(global int *o) { int a[1000000000]; a[o[0]] = 1; o[0] = a[o[1]]; }' >huge.cl
expect 2 -e 'found an array of 1000000000 elements, expected at most' -- "$orrery" run huge.cl
printf '<topology/>' >odd.xml
expect 2 -e 'odd.xml: hwloc does not read' -n 'did you mean' -- "$orrery" topology xml:odd.xml
printf 'orrery: 1\ndevice: {topology: {xml: odd.xml}}\n' >odd.yaml
expect 2 -e 'odd.xml: hwloc does not read' -n 'did you mean' -- "$orrery" topology odd.yaml
expect 2 -e "found '18446744073709551616'" -n 'did you mean' -- "$orrery" run --seed=18446744073709551616 clean.yaml
expect 127 -e "stands after '=': --counters=c.json" -- "$orrery" run --counters c.json clean.yaml
expect 127 -e 'not_there: No such file or directory' -- "$orrery" debug --batch not_there
expect 0 -o 'orrery 0' -- "$orrery" version
expect 0 -- "$orrery" run --quiet -- "$(command -v true)" --sede
for wrong in ORRERY_SEDE=1:ORRERY_SEED ORRERY_FASST=1:ORRERY_FAST ORRERY_DATA_RASES=1:ORRERY_DATA_RACES ORRERY_SCENARIOS=x:ORRERY_SCENARIO; do
    expect 2 -e "${wrong%=*}: no option has this name; did you mean ${wrong#*:}?" -- env "${wrong%:*}" "$orrery" run clean.yaml
    expect 2 -e "did you mean ${wrong#*:}?" -- env "${wrong%:*}" "$orrery" run "$(command -v true)"
done
expect 0 -- env ORRERY_ROOT=/usr ORRERY_UNINITIALISED=off ORRERY_UNINITIALIZED=off ORRERY_MAX_ERRORS=1 "$orrery" run clean.yaml

# A value is a word of its own, too.
expect 0 -e 'seed=4 schedule=lockstep checks=bounds,alignment,rights,uninitialised,divergence,atomics,progress,misuse' -- "$orrery" run --check-races off --seed 4 clean.yaml
expect 0 -e 'schedule=lockstep checks=none' -- "$orrery" run --checks none --quiet false clean.yaml

# The checks: all, or those of the last option; the summary ends with them, and a note names the rest.
expect 0 -e 'schedule=lockstep checks=all' -n 'not looked for' -- "$orrery" run clean.yaml
expect 0 -e 'schedule=lockstep checks=bounds,alignment,rights,divergence,atomics,progress' -- "$orrery" run --fast clean.yaml
expect 0 -e 'note: not looked for: uninitialised,races,misuse; --checks=all' -- "$orrery" run --fast clean.yaml
expect 0 -e 'schedule=lockstep checks=races' -- env ORRERY_CHECKS=none "$orrery" run --check-races clean.yaml
expect 0 -e 'schedule=lockstep checks=all' -- env ORRERY_FAST=1 "$orrery" run --checks=all clean.yaml
expect 0 -n 'not looked for' -- "$orrery" run --fast --quiet clean.yaml
cat >reduction.yaml <<'END'
orrery: 1
program:
  text: |
    kernel void sum(global int *a, local int *t)
    {
        int l = get_local_id(0);
        t[l] = a[l];
        for (int s = 32; s > 0; s /= 2)
            if (l < s)
                t[l] += t[l + s];
        if (l == 0)
            a[0] = t[0];
    }
launch: [{kernel: sum, global: 64, local: 64, args: [{buffer: {type: int, count: 64, fill: 1}}, {local: 256}]}]
expect: {findings: []}
END
expect 1 -o 'unexpected: race-local' -- "$orrery" check reduction.yaml
expect 66 -e 'race-local' -- "$orrery" run reduction.yaml
expect 0 -o PASS -- "$orrery" check --fast reduction.yaml

# Why no kernel ran.
expect 0 -e 'no kernel ran: no process called OpenCL' -- "$orrery" run "$(command -v true)"

# An endless loop cannot hang a check; the scenario may set the limit.
cat >hang.yaml <<'END'
orrery: 1
program: {text: "kernel void k(void) { while (1); }"}
launch: [{kernel: k, global: 64, local: 64, args: []}]
expect: {findings: []}
END
expect 1 -o 'more than 20000000 loop iterations' -- timeout 100 "$orrery" check hang.yaml
sed 's/^expect/schedule: {max_steps: 1000}\n&/' hang.yaml >bounded.yaml
expect 1 -o 'more than 1000 loop iterations' -- timeout 100 "$orrery" check bounded.yaml
sed 's/^expect/schedule: {max_steps: 0, timeout: 0.2}\n&/' hang.yaml >timed.yaml
expect 1 -o 'longer than 0.2 seconds' -- timeout 100 "$orrery" check timed.yaml
for command in run check dis info; do
    expect 0 -o "Usage: orrery $command" -- "$orrery" $command --help
    expect 0 -o '--max-findings' -- "$orrery" $command --help
    expect 2 -e 'no option is named' -- "$orrery" $command --no-such-option
done
expect 0 -o 'race-global                two work-items access' -- "$orrery" explain
expect 0 -o 'Specification' -- "$orrery" explain race-global
expect 0 -o 'barrier-divergence' -- "$orrery" explain race-local barrier-divergence
expect 2 -e 'do you mean race-global?' -- "$orrery" explain race-globl
expect 2 -e 'do you mean barrier-divergence, barrier-mismatch?' -- "$orrery" explain barrier-
expect 0 -o 'A place where the work-items' -- "$orrery" explain barrier
expect 0 -o 'Terms: acquire, access' -- "$orrery" explain
expect 0 -o 'atomic updates that follow it' -- "$orrery" explain Release-Sequence
expect 2 -e 'lists them all' -- "$orrery" explain xyzzy
expect 2 -e 'no option is named' -- "$orrery" explain --seed=1
expect 2 -e 'nothing to run' -- "$orrery" run
expect 2 -e 'nothing to check' -- "$orrery" check
expect 2 -e 'no file given' -- "$orrery" dis
expect 2 -e 'expected options only' -- "$orrery" info x
expect 2 -e 'requires an argument' -- "$orrery" run --seed
expect 2 -e 'option seed' -- "$orrery" run --seed=x clean.yaml
expect 2 -e 'lockstep, serial' -- "$orrery" run --schedule=fifo clean.yaml
expect 2 -e 'expected package, numa' -- "$orrery" run --topology='numa:2' clean.yaml
expect 2 -e 'ORRERY_QUANTUM' -- env ORRERY_QUANTUM=0 "$orrery" run clean.yaml
expect 2 -e 'bad.yaml:2:20: ' -- "$orrery" run bad.yaml
expect 2 -e 'nowhere.yaml' -- "$orrery" run nowhere.yaml
expect 2 -e 'has no program' -- "$orrery" run host.yaml
expect 2 -e "found 'more'" -- "$orrery" run clean.yaml more
expect 2 -e 'bad.yaml:2:20: ' -- "$orrery" run --scenario=bad.yaml -- true

# ---- what newcomers mistype: the message says what is there, and what was probably meant
printf '__kernel void first(__global int *a)\n{\n    a[get_global_id(0)] = 1;\n}\n' >first.cl
cp first.cl kernel.yaml
cp "$(type -P true)" program && chmod +x program
expect 2 -e 'program: ./frist.cl cannot be read: No such file or directory' -- "$orrery" run frist.cl
expect 2 -e 'do you mean first.cl?' -- "$orrery" run frist.cl
expect 2 -e 'do you mean clean.yaml?' -- "$orrery" check claen.yaml
expect 2 -e 'cannot be read: it is no text' -- "$orrery" check program
expect 2 -n 'do you mean' -- "$orrery" run quite-another-name.yaml
expect 127 -e 'do you mean ./program?' -- "$orrery" run program
expect 127 -e 'do you mean ./program?' -- "$orrery" run ./progam
expect 2 -e 'first.cl: found a kernel, expected a scenario: `orrery run first.cl` runs it' -- "$orrery" check first.cl
expect 2 -e "found '__kernel void first(__global int *a) { a[get_global_id(0)] =...'" -- "$orrery" run kernel.yaml
expect 2 -e 'placement script: found no compute units, expected placement_script: a list of them' -- "$orrery" run --placement=script first.cl
# more work-items than the race checker has numbers for, also where the product passes 64 bits
for size in '1000000, 1000000, 1000000' '8589934593' '4294967296, 4294967296, 2'; do
    for policy in random reverse; do
        printf 'orrery: 1\nschedule: {policy: %s}\nprogram: {source: first.cl}\nlaunch: [{kernel: first, global: [%s], args: [{buffer: {type: int, count: 1, fill: 0}}]}]\n' "$policy" "$size" >many.yaml
        expect 2 -e 'kernel first: found a launch of more than 2^33 work-items, which cannot be checked for races; --check-races=off' -- timeout 60 "$orrery" run many.yaml
        expect 124 -n '2^33' -- "$orrery" run --check-races=off --timeout=0.2 many.yaml
    done
done
# a scenario that only builds its program says that nothing ran
printf 'orrery: 1\nprogram: {source: first.cl}\nexpect: {findings: []}\n' >built.yaml
expect 0 -e "note: no kernel ran: the scenario has no 'launch'" -- "$orrery" run built.yaml
cat >fills_queue.yaml <<'Y'
orrery: 1
checks: fast
program:
  options: -cl-std=CL3.0
  text: |
    kernel void parent(global int *o, queue_t q)
    {
        for (int i = 0; i < 2000; i++)
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ o[i] = 1; });
    }
launch: [{kernel: parent, global: [1], args: [{buffer: {type: int, count: 2000, fill: 0}}, {queue: default}]}]
Y
# A kernel that ignores what enqueue_kernel returns looks clean.
expect 0 -e 'calls of enqueue_kernel returned an error, and nothing was enqueued; the first at program.cl:4:69: the queue on the device is full' \
    -- "$orrery" run fills_queue.yaml
expect 124 -e 'or let the host enqueue what is left' -- "$orrery" run "$src/scenarios/faulty/endless_children.yaml"
expect 0 -o 'PASS: built.yaml' -e "note: built.yaml: no kernel ran: the scenario has no 'launch'" -- "$orrery" check built.yaml
# of several scenarios those that do not pass are named at the end, one has had its verdict
sed 's/findings: \[\]/findings: [{id: misaligned}]/' built.yaml >differs.yaml
for jobs in 1 2; do
    expect 2 -e 'orrery: 2 of 4 scenarios do not pass: differs.yaml, gone.yaml' -- "$orrery" check -j$jobs built.yaml differs.yaml gone.yaml built.yaml
    expect 1 -n 'do not pass' -- "$orrery" check -j$jobs differs.yaml
    expect 0 -n 'do not pass' -- "$orrery" check -j$jobs built.yaml built.yaml
    expect 1 -n 'do not pass' -- "$orrery" check -j$jobs --quiet built.yaml differs.yaml
done
# a kernel alone has no host program that gives it options
echo 'kernel void later(global atomic_int *a) { atomic_fetch_add_explicit(a, N, memory_order_relaxed, memory_scope_device); }' >later.cl
expect 2 -e "note: a name that is missing may be one of a later OpenCL C, or a macro of the host program: --build-options='-cl-std=CL3.0 -DNAME=VALUE'" -- "$orrery" run later.cl
expect 0 -e 'kernels=1' -- "$orrery" run --build-options='-cl-std=CL3.0 -DN=2' later.cl
echo 'kernel void odd(global int *a) { a[0] = 1 }' >odd.cl
expect 2 -n 'a name that is missing' -- "$orrery" run odd.cl
# a mix-up of numbers that are equal is not found, and a note says which they are
printf 'kernel void copy(global float *a, global float *b, int width, int pitch)\n{\n    size_t x = get_global_id(0), y = get_global_id(1);\n    a[y * width + x] = b[y * pitch + x];\n}\n' >rows.cl
expect 0 -e 'note: width and pitch are 24: a mix-up of them is not found' -- "$orrery" run rows.cl
expect 0 -n 'a mix-up' -- "$orrery" run --quiet rows.cl
sed 's/    a\[/    if (x < width) a[/' rows.cl >limited.cl
expect 66 -n 'a mix-up' -- "$orrery" run limited.cl
echo 'kernel void tile(global char *a) { local char t[T]; t[get_local_id(0)] = 1; a[get_global_id(0)] = t[get_local_id(0)]; }' >tile.cl
mistake() { # TEXT OF A LAUNCH: the scenario of a kernel of two arguments
    printf 'orrery: 1\nprogram: {text: "kernel void two(global float *a, int n) { a[0] = n; } kernel void other(void) {}"}\nlaunch: [%s]\n' "$1" >mistake.yaml
}
buffer='{buffer: {type: float, count: 4, fill: 1}}'
mistake "{kernel: two, global: 1, args: [{bufer: {type: float, count: 4}}]}"
expect 2 -e "found key 'bufer' (did you mean buffer?), but an argument has these keys: buffer, scalar" -- "$orrery" run mistake.yaml
mistake "{kernel: tow, global: 1, args: []}"
expect 2 -e 'launch 0: the program has no kernel named tow; its kernels: two, other' -- "$orrery" run mistake.yaml
mistake "{kernel: two, global: 1, args: [$buffer]}"
expect 2 -e 'launch 0: found 1 argument, but kernel two has 2: (float* a, int n)' -- "$orrery" run mistake.yaml
mistake "{kernel: two, global: 1, args: [$buffer, {scalar: {type: float, value: 4}}]}"
expect 2 -e "launch 0, argument 1 'n': found a value of type float, but its type is int" -- "$orrery" run mistake.yaml
mistake "{kernel: two, global: 1, args: [$buffer, {scalar: {type: uint, value: 4}}]}"
expect 0 -e 'kernels=1' -- "$orrery" run mistake.yaml
printf 'orrery: 1\nlanch: []\n' >mistake.yaml
expect 2 -e "found key 'lanch' (did you mean launch?), but a scenario has these keys" -- "$orrery" run mistake.yaml
cp first.cl first.ocl
mkdir -p folder
cat > twice.clcpp <<'EOF2'
template <typename T> T twice(T value) { return value + value; }
kernel void first(global int *out) { out[get_global_id(0)] = twice(out[get_global_id(0)]); }
kernel void second(global int *out) { out[0] = 1; }
EOF2
expect 0 -e "kernels=1" -- "$orrery" run twice.clcpp:first
expect 66 -e "twice.clcpp:3:46" -- "$orrery" run --kernel=second twice.clcpp
expect 2 -e "twice.clcpp has several kernels" -- "$orrery" run twice.clcpp
expect 2 -e "error: unknown type name 'template'" -- "$orrery" run --build-options=-cl-std=CL3.0 twice.clcpp:first
expect 127 -e "first.ocl is no program: put the one that runs it before it; a kernel's file ends in .cl or .clcpp, a scenario's in .yaml" -- "$orrery" run first.ocl
expect 126 -e "a kernel's file ends in .cl" -- "$orrery" run ./first.ocl
expect 127 -e 'folder is a directory: name a program, a scenario' -n 'do you mean' -- "$orrery" run folder
expect 127 -e 'first.ocl: no program in PATH has this name' -n 'No such file' -- "$orrery" run first.ocl
cp first.cl test.litmus && cp first.cl module.spv
expect 127 -e 'test.litmus is a litmus test: `orrery litmus test.litmus` runs it' -- "$orrery" run test.litmus
expect 127 -e 'module.spv is SPIR-V: `orrery dis module.spv` prints it' -- "$orrery" run module.spv
printf '#!/no/such/interpreter\n' >script && chmod +x script
expect 127 -e './script: the interpreter or loader that it names is not there' -n 'No such file' -- "$orrery" run ./script
expect 2 -e "'first.cl' is the value of --json here" -- "$orrery" run --json first.cl
expect 2 -e "'first.cl:first' is the value of --seed here" -- "$orrery" run --seed first.cl:first
expect 2 -n 'the kernel ran' -- "$orrery" run --local-mem-size=1 --build-options=-DT=4096 tile.cl
expect 2 -e 'kernel tile needs 4096 bytes of local memory, but the device has 1' -- "$orrery" run --local-mem-size=1 --build-options=-DT=4096 tile.cl
expect 2 -e "found 'gone.record', expected a replay token (1:SEED:POLICY:SHAPE...) or a file with a record, which is not there" -n 'you mean' -- "$orrery" replay gone.record first.cl
expect 2 -e 'json: found nothing, expected the name of a file' -- "$orrery" run --json= first.cl
expect 2 -e "debug: --dap: found port '65536', expected a number from 0 to 65535" -- "$orrery" debug --dap=65536
expect 2 -o 'nowhere cannot be read: No such file or directory' -- "$orrery" debug --batch -x nowhere first.cl
expect 2 -e "no option is named '--sed'; did you mean --seed?" -- "$orrery" run --sed=3 first.cl
expect 2 -e "no option is named '--verison'; did you mean --version?" -- "$orrery" --verison
expect 2 -e 'expected a command: options follow it, as in `orrery run --seed=3 ...`' -- "$orrery" --seed=3 run first.cl
expect 2 -e '-V prints the version' -- "$orrery" -v

# ---- run a scenario
expect 0 -e 'SUMMARY errors=0 warnings=0 suppressed=0 kernels=1 seed=0 schedule=lockstep' -- "$orrery" run clean.yaml
expect 0 -o '1' -- "$orrery" run prints.yaml
expect 0 -n SUMMARY -- "$orrery" run --quiet clean.yaml
expect 0 -e 'seed=7 schedule=random' -- "$orrery" run --seed=7 --schedule random clean.yaml
expect 0 -e 'seed=8' -- env ORRERY_SEED=8 "$orrery" run clean.yaml
expect 0 -e 'seed=9' -- env ORRERY_SEED=8 "$orrery" run --seed=9 clean.yaml
expect 66 -e 'error: out-of-bounds-write: ' -- "$orrery" run after.yaml
expect 66 -e 'program.cl:3:' -- "$orrery" run after.yaml
expect 5 -e 'errors=1' -- "$orrery" run --error-exitcode=5 after.yaml
expect 0 -e 'errors=1' -- "$orrery" run --keep-exit-code after.yaml
expect 0 -e 'warnings=1' -- "$orrery" run --check-bounds=warning after.yaml
expect 66 -e 'warnings=1' -- "$orrery" run --check-bounds=warning --fail-on=warning after.yaml
expect 0 -n 'out-of-bounds' -- "$orrery" run --check-bounds=off after.yaml
expect 0 -e 'errors=1' -- "$orrery" run --fail-on=off after.yaml
expect 2 -e 'nobody' -- "$orrery" run broken.yaml
expect 2 -e 'no kernel named other' -- "$orrery" run missing.yaml
expect 2 -e 'found a scalar' -- "$orrery" run mismatch.yaml
expect 0 -- "$orrery" run --build-options=-Dnobody=3 broken.yaml
if ! hostile; then # whose time slices are too short for that
    expect 124 -e 'no-progress' -n 'was stopped' -- "$orrery" run --max-steps=1000 endless.yaml
    expect 124 -e 'was stopped: the launch took more than 1000 loop iterations (max_steps)' -n 'no-progress' -- \
        "$orrery" run --max-steps=1000 --check-progress=off endless.yaml
    expect 0 -o 'PASS' -- "$orrery" check --max-steps=1000 endless.yaml
fi
expect 124 -e 'kernel k was stopped: 1 work-item reads the same' -- "$orrery" run --check-progress=off endless.yaml
cat >count.yaml <<'END'
orrery: 1
program:
  text: |
    kernel void count(global ulong *n) { for (;;) n[0] += 1; }
launch: [{kernel: count, global: [1], local: [1], args: [{buffer: {type: ulong, count: 1, fill: 0}}]}]
END
expect 124 -e 'kernel count was stopped: the launch ran longer than 0.1 seconds (timeout)' -- \
    "$orrery" run --timeout=0.1 --check-progress=off count.yaml
expect 3 -e 'kernels=0' -- "$orrery" run --expect-kernels idle.yaml
expect 0 -e 'kernels=0' -- "$orrery" run idle.yaml

# ---- log and JSON
expect 66 -n 'out-of-bounds' -- "$orrery" run --log=found-%p.txt --json=found.json after.yaml
grep -q 'error: out-of-bounds-write' found-[0-9]*.txt || problem 'the log has no finding'
grep -q 'SUMMARY errors=1' found-[0-9]*.txt || problem 'the log has no summary'
json='^\{"type":"finding","id":"out-of-bounds-write",.*"kernel":"k",.*"accesses":\[\{"file":"program\.cl","line":3,.*"count":1\}$'
summary='{"type":"summary","errors":1,"warnings":0,"suppressed":0,"kernels":1,"exit_status":66}'
if [ "$(wc -l <found.json)" != 2 ] || ! grep -Eq "$json" found.json || [ "$(tail -n 1 found.json)" != "$summary" ]; then
    cp found.json out
    problem 'the JSON is not as it should be'
fi
expect 2 -e 'json: nowhere/x.json: No such file or directory' -- "$orrery" run --json=nowhere/x.json clean.yaml # before anything runs
if [ -c /dev/full ]; then
    expect 125 -e '/dev/full cannot be written: what was found' -- "$orrery" run --log=/dev/full after.yaml
fi

# ---- suppressions
expect 66 -- "$orrery" run --gen-suppressions=known.yaml after.yaml
expect 0 -e 'errors=0 warnings=0 suppressed=1' -n 'error: ' -- "$orrery" run --suppressions=known.yaml after.yaml
expect 0 -e 'not used: known.yaml:2' -- "$orrery" run --suppressions=known.yaml clean.yaml
expect 0 -e 'suppressed=1' -- env ORRERY_SUPPRESSIONS="$work/known.yaml" "$orrery" run after.yaml
echo '- {id: race-global}' >more.yaml
expect 0 -e 'not used: more.yaml:1' -n 'not used: known' -- "$orrery" run --suppressions=known.yaml --suppressions=more.yaml after.yaml
expect 0 -e 'suppressed=1' -- env ORRERY_SUPPRESSIONS="more.yaml" "$orrery" run --suppressions=known.yaml after.yaml
expect 2 -e "the suppressions cannot be read" -- "$orrery" run --suppressions= after.yaml
# findings that keep a launch from running are suppressed as well, each time: a line has the reason
cat >large.yaml <<'END'
orrery: 1
device: {limits: {private_memory: 4KiB}}
program: {text: "kernel void large(int n, global int *o) { int t[4096]; for (int i = 0; i < n; i++) t[i] = i; o[0] = t[n]; }"}
launch:
  - {kernel: large, global: [1], local: [1], args: [{scalar: {type: int, value: 4}}, {buffer: {type: int, count: 1, fill: 0}}]}
  - {kernel: large, global: [1], local: [1], args: [{scalar: {type: int, value: 4}}, {buffer: {type: int, count: 1, fill: 0}}]}
END
expect 66 -e 'SUMMARY errors=1 warnings=0 suppressed=0 kernels=0' -- "$orrery" run --gen-suppressions=large-known.yaml large.yaml
expect 0 -e 'kernel large was stopped: each work-item needs' -n 'error: ' -- "$orrery" run --suppressions=large-known.yaml large.yaml
expect 0 -e 'SUMMARY errors=0 warnings=0 suppressed=1 kernels=0' -- "$orrery" run --suppressions=large-known.yaml large.yaml
expect 0 -e 'SUMMARY errors=0 warnings=0 suppressed=0 kernels=0' -n 'error: ' -- "$orrery" run --check-bounds=off large.yaml
(cat after.yaml; echo 'report: {suppressions: known.yaml}') >silent.yaml
mkdir -p other
cd other && expect 0 -e "suppressed=1" -- "$orrery" run ../silent.yaml; cd ..
(grep -v findings after.yaml; echo '  findings: []'; echo 'suppressions: [{id: "out-of-*", line: 3}]') >inside.yaml
expect 0 -o PASS -- "$orrery" check inside.yaml
expect 0 -o '{id: "out-of-*", line: 3}' -- "$orrery" info --yaml --scenario=inside.yaml
cat >objects.yaml <<'END'
orrery: 1
checks: {races: error}
program: {text: "kernel void k(global int *p, global int *q) { global int *x = get_global_id(0) > 3 ? p : q; x[0] = get_global_id(0); }"}
launch: [{kernel: k, global: [8], local: [8], args: [{buffer: {type: int, count: 1, fill: 0}}, {buffer: {type: int, count: 1, fill: 0}}]}]
END
more='also 11 more race-global'
hostile && more='also at least 11 more race-global' # it keeps two of a place
expect 66 -e "$more" -- "$orrery" run objects.yaml
for object in p q; do
    echo "- {id: race-global, object: \"*'$object'*\"}" >object.yaml
    expect 66 -e 'errors=1 warnings=0 suppressed=1' -n "'$object'" -- "$orrery" run --suppressions=object.yaml objects.yaml
    expect 66 -e 'also 5 more race-global' -n 'not used' -- "$orrery" run --suppressions=object.yaml objects.yaml
done
expect 66 -e 'errors=1 warnings=0 suppressed=0' -- "$orrery" run --suppressions=known.yaml objects.yaml
printf '%s\n' '- {id: race-global}' '- {id: out-of-bound, line: 3}' >misspelt.yaml
expect 2 -e "misspelt.yaml:2:8: id: found 'out-of-bound', expected the id of a finding, perhaps out-of-bounds-read, out-of-bounds-write; \`orrery explain\` lists them" -- "$orrery" run --suppressions=misspelt.yaml clean.yaml
echo '- {id: xyzzy}' >strange.yaml
expect 2 -e 'found '"'xyzzy'"', expected the id of a finding, as `orrery explain` lists them' -- "$orrery" run --suppressions=strange.yaml clean.yaml
printf '%s\n' '- {id: race-global, lines: 3}' >key.yaml
expect 2 -e "key.yaml:1:21: found key 'lines'" -- "$orrery" run --suppressions=key.yaml clean.yaml
echo '- {kernel: k}' >noid.yaml
expect 2 -e "noid.yaml:1:3: key 'id' is missing" -- "$orrery" run --suppressions=noid.yaml clean.yaml
expect 2 -e 'nowhere.yaml: the suppressions cannot be read' -- "$orrery" run --suppressions=nowhere.yaml clean.yaml
(cat after.yaml; echo 'report: {suppressions: key.yaml}') >indirect.yaml
expect 2 -e "indirect.yaml:13:24: suppressions: key.yaml:1:21: found key" -- "$orrery" run indirect.yaml

# ---- ids in both spellings
cp "$src"/scenarios/faulty/uninitialised_branch.* .
sed 's/id: uninitialised-/id: uninitialized-/' uninitialised_branch.yaml >spelt.yaml
expect 0 -o 'uninitialised-branch' -- "$orrery" explain uninitialized-branch
expect 2 -e 'do you mean' -- "$orrery" explain uninitialized-brnch
expect 0 -o PASS -- "$orrery" check spelt.yaml
for id in uninitialized-branch '"uninitialized-*"' '"*itialized-b*"' '"un*-branch"'; do
    echo "- {id: $id}" >spelt-known.yaml
    expect 0 -e 'suppressed=1' -n 'not used' -- "$orrery" run --suppressions=spelt-known.yaml spelt.yaml
done
printf '%s\n' 'catch uninitialized-branch' 'continue' 'quit' >spelt.commands
expect 0 -o 'Finding: uninitialised-branch' -- "$orrery" debug --batch -x spelt.commands spelt.yaml

# ---- SARIF, pictures
expect 66 -- "$orrery" run --sarif=found.sarif --dot=found.dot after.yaml
grep -q '"version": "2.1.0"' found.sarif || problem 'no SARIF'
grep -q '^digraph orrery' found.dot || problem 'no graph'
if command -v dot >/dev/null; then
    expect 66 -- "$orrery" run --dot=picture.svg after.yaml
    grep -q '<svg' picture.svg || problem 'no picture'
fi
expect 125 -e 'the graph is in picture.dot' -- env PATH= "$orrery" run --dot=picture.svg idle.yaml

# ---- check
expect 0 -o 'PASS: clean.yaml' -- "$orrery" check clean.yaml
expect 0 -o 'PASS: after.yaml' -- "$orrery" check clean.yaml after.yaml prints.yaml
expect 1 -o 'element 0 is 5, expected 6' -- "$orrery" check wrong.yaml
expect 1 -o 'missing: out-of-bounds-read at line 3' -- "$orrery" check surprise.yaml
expect 1 -o 'unexpected: out-of-bounds-write at line 3' -- "$orrery" check surprise.yaml
sed 's/line: 3/why: "after the end of argument 0"/' after.yaml >because.yaml
expect 0 -o PASS -- "$orrery" check because.yaml
sed 's/after the end/before the start/' because.yaml >otherwise.yaml
expect 1 -o 'missing: out-of-bounds-write, because "before the start' -- "$orrery" check otherwise.yaml
sed 's/line: 3/fix: "more memory"/' after.yaml >fixed.yaml
expect 1 -o 'with the fix "more memory"' -- "$orrery" check fixed.yaml
expect 1 -o 'PASS: clean.yaml' -- "$orrery" check wrong.yaml clean.yaml
expect 2 -e 'bad.yaml:2:20: ' -- "$orrery" check clean.yaml bad.yaml
expect 2 -e 'nobody' -- "$orrery" check broken.yaml
expect 2 -e "no 'expect'" -- "$orrery" check bare.yaml
expect 2 -e '--exec' -- "$orrery" check host.yaml

# ---- programs of the user
if [ -f "$(dirname "$orrery")/.libs/liborrery.so" ]; then
    expect 7 -- "$orrery" run -- sh -c 'exit 7'
    expect 0 -o 'ORRERY_SEED=7' -- "$orrery" run --seed=7 env
    expect 0 -o 'ORRERY_UNINITIALIZED=1' -- "$orrery" run --uninitialized env
    expect 0 -o "ORRERY_SCENARIO=$work/clean.yaml" -- "$orrery" run --scenario clean.yaml env
    expect 0 -o 'OCL_ICD_VENDORS=' -- "$orrery" run env
    expect 0 -o '--seed=3' -- "$orrery" run echo --seed=3
    expect 127 -e 'No such file' -- "$orrery" run ./nowhere
    expect 126 -e 'ermission' -- "$orrery" run ./host
    expect 0 -o 'PASS' -- "$orrery" check --exec true host.yaml
    # an installation that was moved, whose .icd file still names the old place
    mkdir -p moved/bin moved/lib moved/share/orrery
    cp "$orrery" moved/bin/orrery
    cp -L "$(dirname "$orrery")/.libs/liborrery.so" moved/lib/
    echo /nowhere/liborrery.so >moved/share/orrery/orrery.icd
    expect 0 -o "OCL_ICD_VENDORS=$(realpath moved/lib/liborrery.so)" -- moved/bin/orrery run env
fi

# ---- dis, info
echo '__kernel void k(__global int *p) { p[0] = 1; }' >k.cl
expect 0 -o 'OpEntryPoint Kernel' -- "$orrery" dis k.cl
expect 0 -o 'OpEntryPoint Kernel' -- "$orrery" dis --spirv k.cl
cp out k.spvasm
expect 0 -n 'OpEntryPoint' -- "$orrery" dis --bytecode k.cl
expect 0 -o 'OpEntryPoint Kernel' -- "$orrery" dis --spirv k.spvasm
# Options count for SPIR-V, too: without optimisation the variable stays in memory.
echo 'kernel void k(global int *p) { volatile int a = 1; int b[2]; b[p[0] & 1] = 2; p[0] = b[p[1] & 1] + a; }' >v.cl
expect 0 -o OpEntryPoint -- "$orrery" dis --spirv --build-options=-cl-opt-disable v.cl
cp out v.spvasm
for file in v.cl v.spvasm; do
    expect 0 -- "$orrery" dis --bytecode $file
    cp out optimised
    expect 0 -- "$orrery" dis --bytecode --build-options=-cl-opt-disable $file
    [ "$(wc -l <out)" -gt "$(wc -l <optimised)" ] || problem "dis --build-options=-cl-opt-disable $file: the code is optimised"
    expect 2 -e "unknown build option '-cl-nonsense'" -- "$orrery" dis --build-options=-cl-nonsense $file
done
printf 'orrery: 1\nprogram: {spirv: v.spvasm, options: -cl-nonsense}\nlaunch: []\n' >v.yaml
expect 2 -e "unknown build option '-cl-nonsense'" -- "$orrery" run v.yaml
echo 'not SPIR-V!!' >k.spv
expect 2 -- "$orrery" dis k.spv
expect 2 -e 'nowhere.cl' -- "$orrery" dis nowhere.cl
expect 0 -o 'compute units              5' -- "$orrery" info --compute-units=5
expect 0 -o 'work_group_size: 64' -- "$orrery" info --yaml --max-wgsize=64
cp out all.yaml
expect 0 -o 'work_group_size: 64' -- "$orrery" info --yaml --scenario=all.yaml
cmp -s out all.yaml || problem 'a printed scenario reads back differently'

# ---- more races than are kept
# places N: N work-items write one word, each on a line of its own
places() {
    echo 'kernel void k(global int *c) { switch (get_global_id(0)) {'
    for ((i = 0; i < $1; i++)); do echo "case $i: c[0] = $i; break;"; done
    echo '} }'
}
for count in 40 100; do
    places $count >places$count.cl
    cat >places$count.yaml <<END
orrery: 1
checks: {races: error}
program: {source: places$count.cl}
launch: [{kernel: k, global: $count, local: $count, args: [{buffer: {type: int, count: 4, fill: 0}}]}]
END
done
hostile ||
    expect 66 -n 'at-least' -e 'SUMMARY errors=780 ' -- "$orrery" run --max-errors=1 places40.yaml
expect 66 -e 'at least so many race-global' -- "$orrery" run --max-errors=1 --json=places.json places100.yaml
grep -q 'SUMMARY .* count=at-least checks=all$' err || problem 'the summary of too many places does not say at-least'
grep -q '"type":"summary".*"count_at_least":true' places.json || problem 'nor does the JSON'
# 5000 words, of which not all can be kept, are stored by two work-groups; the other atomics there are all alike
cat >words.yaml <<'END'
orrery: 1
device: {sub_group_sizes: [4]}
checks: {races: error}
program:
  options: -cl-std=CL3.0
  text: |
    kernel void k(global uint *d) {
      uint group = get_group_id(0);
      if (get_local_id(0) == 0)
        for (int t = 0; t < 5000; t++)
          d[t] = group;
      if (group == 1) {
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        for (int t = 0; t < 5000; t++)
          atomic_fetch_add_explicit((volatile global atomic_uint *)d + t, 1, memory_order_relaxed, memory_scope_device);
        atomic_fetch_or_explicit((volatile global atomic_uint *)d + 4995, 1u, memory_order_relaxed, memory_scope_device);
      }
    }
launch: [{kernel: k, global: 128, local: 64, args: [{buffer: {type: uint, count: 5000, fill: 0}}]}]
END
expect 66 -e 'count=at-least' -- "$orrery" run words.yaml

# ---- order and scope of what raced
cat >narrow.yaml <<'END'
orrery: 1
checks: {races: error}
program:
  options: -cl-std=CL3.0
  text: |
    kernel void k(global atomic_int *f)
    {
        atomic_store_explicit(f, 7, memory_order_release, memory_scope_work_group);
    }
launch: [{kernel: k, global: 2, local: 1, args: [{buffer: {type: int, count: 1, fill: 0}}]}]
END
expect 66 -- "$orrery" run --json=narrow.json narrow.yaml
grep -q '"order":"release","scope":"work_group","size_bytes":4' narrow.json || problem 'the JSON lacks order and scope'
# as the source has it, and what it counts as in that memory
sed 's/memory_scope_work_group/get_global_id(0) ? memory_scope_all_svm_devices : memory_scope_work_group/' narrow.yaml >wide.yaml
expect 66 -- "$orrery" run --json=wide.json wide.yaml
grep -q 'release, memory_scope_all_svm_devices (counts as memory_scope_device), 4 bytes' err || problem 'an access has another scope than the source'
grep -q '"order":"release","scope":"all_svm_devices","size_bytes":4' wide.json || problem 'the JSON has another scope than the source'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
