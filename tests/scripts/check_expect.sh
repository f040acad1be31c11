#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A launch on a part of a device and what a scenario expects of placement and counters: the right thing passes, anything
# else fails with a message, and an impossible expectation has its position.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
[ -x "$orrery" ] || { echo "no orrery command in $build"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
cases=0

scenario() { # TOPOLOGY DEVICE EXPECT
    cat <<END
orrery: 1
device: {topology: "$1"}
program: {text: "kernel void k(global int *a) { a[get_global_id(0)] = 1; }"}
launch: [{kernel: k, device: "$2", global: 8, local: 1, args: [{buffer: {type: int, count: 8, fill: 0}}]}]
expect: {findings: [], $3}
END
}

# judge STATUS TEXT WHAT COMMAND...
judge() {
    local status=$1 text=$2 what=$3
    shift 3
    cases=$((cases + 1))
    "$@" >out 2>&1
    local got=$?
    if [ "$got" -ne "$status" ] || ! grep -qF -- "$text" out; then
        bad=$((bad + 1))
        echo "$what: status $got, expected $status and \"$text\":"
        cat out
    fi
}

# check STATUS TEXT TOPOLOGY DEVICE EXPECT
check() {
    scenario "${@:3}" >case.yaml
    judge "$1" "$2" "'$3' '$4' '$5'" "$orrery" check case.yaml
}

# ---- parts ------------------------------------------------------------------------------
machine="numa:2 l3:2 l2:2 cu:2"
check 0 PASS "$machine" 0 "placement: [{units: [0, 1, 2, 3, 4, 5, 6, 7]}]"
check 0 PASS "$machine" 0.1.0.1 "placement: [{launch: 0, units: [10, 11]}]"
check 0 PASS "tile:1 cslice:2 l2:2 cu:1" 0.1.1 "placement: [{units: [3]}]"
check 0 PASS "$machine" 0/numa@1/equally:2 "placement: [{units: [8, 9]}]"
check 0 PASS "package:2 l1:2 cu:2" 0/package@1/l1@1 "placement: [{units: [6, 7]}]"
check 2 'device "", character 1: expected a number' "$machine" "" "output: ''"
check 2 'case.yaml:4:30: device "0/", character 3: expected equally:N, counts:N' "$machine" 0/ "output: ''"
check 2 'device "0x", character 2: expected '"'/'" "$machine" 0x "output: ''"
check 2 'device "0/l5@1", character 3: expected equally:N, counts:N' "$machine" 0/l5@1 "output: ''"
check 2 'device "0/numa1", character 3: expected' "$machine" 0/numa1 "output: ''"
check 2 'device "0/numa:1", character 7: expected '"'/'" "$machine" 0/numa:1 "output: ''"
check 2 'device "0/numa@", character 8: expected a number' "$machine" 0/numa@ "output: ''"
check 2 'device "0/equally", character 10: expected '"':'" "$machine" 0/equally "output: ''"
check 2 'device "0/equally:2,2@0", character 3: expected equally:N' "$machine" "0/equally:2,2@0" "output: ''"
check 2 'device "0/names:1,", character 11: expected a number' "$machine" "0/names:1," "output: ''"
check 2 'device "0.99999999999", character 3: expected a number' "$machine" 0.99999999999 "output: ''"
check 2 'launch 0: device "2", character 1: there is no such root device' "$machine" 2 "output: ''"
check 2 'device "0/numa@2", character 3: part 2, but there are 2, from 0' "$machine" 0/numa@2 "output: ''"
check 2 'device "0/l4", character 3: that does not divide the device' "$machine" 0/l4 "output: ''"
check 2 'device "0/cslice@0", character 3: that does not divide' "$machine" 0/cslice@0 "output: ''"
check 2 'device "0/counts:9,9", character 3: the device has no such units' "$machine" "0/counts:9,9" "output: ''"
check 2 'device "0/names:1,1", character 3: the device has no such units' "$machine" "0/names:1,1" "output: ''"
check 2 'device "0/equally:0", character 3: the device has no such units' "$machine" "0/equally:0" "output: ''"
check 2 'device "0/equally:3@5", character 3: part 5, but there are 5' "$machine" "0/equally:3@5" "output: ''"
check 2 'device "0/numa/0", character 8: expected equally:N' "$machine" 0/numa/0 "output: ''"

# ---- placement ----------------------------------------------------------------------------
check 1 'placement: launch 0, work-group 1 ran on compute unit 9, expected 8' "$machine" 0/numa@1 "placement: [{units: [8]}]"
check 1 'work-group 4 ran on compute unit 4, expected 0' "$machine" 0 "placement: [{units: [0, 1, 2, 3]}]"
check 2 'launch: found 1, expected less than 1' "$machine" 0 "placement: [{launch: 1, units: [0]}]"
check 2 'expected a sequence of compute units' "$machine" 0 "placement: [{units: 3}]"
check 2 "key 'units' is missing" "$machine" 0 "placement: [{launch: 0}]"
check 2 'units: found nothing, expected a sequence of compute units' "$machine" 0 "placement: [{units: }]"
check 2 'expected a sequence of placements' "$machine" 0 "placement: {}"

# ---- counters -----------------------------------------------------------------------------
check 0 PASS "$machine" 0/l2@0 "counters: {accesses: 8, l2:0.accesses: '>=8', l2.misses: '<2', cu:1.writes: '>3', launch:0.hits: '<=7', line:1.bytes: 32}"
check 0 PASS "cu:2" 0 "counters: {memory.accesses: 8, memory.bytes: 32}"
check 1 'counters: l2:0.misses is 1, expected 2' "$machine" 0/l2@0 "counters: {l2:0.misses: 2}"
check 1 'counters: hits is 7, expected >7' "$machine" 0/l2@0 "counters: {hits: '>7'}"
check 1 'counters: hits is 7, expected <7' "$machine" 0/l2@0 "counters: {hits: '<7'}"
check 1 'counters: hits is 7, expected >=8' "$machine" 0/l2@0 "counters: {hits: '>=8'}"
check 1 'counters: hits is 7, expected <=6' "$machine" 0/l2@0 "counters: {hits: '<=6'}"
check 1 'counters: l4.hits is of nothing that was counted, expected 0' "$machine" 0 "counters: {l4.hits: 0}"
check 1 'counters: launch:1.hits is of nothing that was counted' "$machine" 0 "counters: {launch:1.hits: 0}"
check 2 "counters: found 'l5.hits', expected accesses, writes" "$machine" 0 "counters: {l5.hits: 1}"
check 2 "counters: found 'l1.speed', expected accesses" "$machine" 0 "counters: {l1.speed: 1}"
check 2 "counters: found 'launch.hits'" "$machine" 0 "counters: {launch.hits: 1}"
check 2 "counters: found 'memory:1.hits'" "$machine" 0 "counters: {memory:1.hits: 1}"
check 2 "hits: found '=3', expected a number, or one after" "$machine" 0 "counters: {hits: '=3'}"
check 2 "hits: found '>', expected a number" "$machine" 0 "counters: {hits: '>'}"
check 2 'counters: found a sequence, expected a mapping such as' "$machine" 0 "counters: [1]"

# ---- positions of mistakes -------------------------------------------------------------------------
check 2 'case.yaml:5:34: launch: found 1, expected less than 1: the first is 0' "$machine" 0 "buffers: [{launch: 1, arg: 0, fill: 1, count: 8}]"
check 2 'an expected buffer: found 36 bytes, expected at most the 32 of argument 0' "$machine" 0 "buffers: [{arg: 0, fill: 1, count: 9}]"
check 2 'case.yaml:4: launch 0: device "9", character 1' "$machine" 9 "output: ''"
scenario "$machine" 0 "buffers: [{arg: 0, fill: 1, count: 8}]" | sed '/^launch/d' >case.yaml
judge 2 'launch: found 0, but the scenario has no launches' 'no launch' "$orrery" check case.yaml
scenario "$machine" 0 "buffers: [{arg: 0, fill: 1, count: 8}]" | sed 's/count: 8, fill: 0/count: 0/' >case.yaml
judge 2 'arg: found 0, which is a buffer of no elements: a null pointer' 'no elements' "$orrery" check case.yaml
scenario "$machine" 0 "output: ''" | sed 's/local: 1/local: 2000/' >case.yaml
judge 2 'case.yaml:4: launch 0: local size 2000, expected 1 to 1024' 'a local size' "$orrery" check case.yaml
scenario "$machine" 0 "output: ''" | sed 's/^program: {/&source: k.cl, /' >case.yaml
judge 2 'case.yaml:3:10: program: found 2 of them, expected exactly one of: source' 'two programs' "$orrery" check case.yaml

# ---- what this check cannot see -------------------------------------------------------------------
check 2 'case.yaml: expect: exit_status is that of a program: name one with --exec' "$machine" 0 "exit_status: 0"
for key in buffers placement; do
    scenario "$machine" 0 "$(if [ $key = buffers ]; then echo 'buffers: [{arg: 0, fill: 7, count: 8}]'; else echo 'placement: [{units: [9]}]'; fi)" >case.yaml
    judge 2 "case.yaml: expect: $key cannot be compared with --exec" "$key of a program" "$orrery" check --exec=true case.yaml
done

# ---- images and other arguments -----------------------------------------------------------------
# argument STATUS TEXT PARAMETER ARGUMENT
argument() {
    cat >case.yaml <<END
orrery: 1
program: {text: "kernel void k($3 a) {}", options: -cl-std=CL2.0}
launch: [{kernel: k, global: 1, args: [{$4}]}]
END
    judge "$1" "$2" "'$3' of '$4'" "$orrery" run case.yaml
}
plane='image: {type: 2d, order: R, data: FLOAT, size: [2, 2], fill: 1'
sampler='sampler: {addressing: none, filter: nearest, coordinates: pixels}'
argument 0 errors=0 image2d_t "$plane}"
argument 0 errors=0 'read_write image2d_t' "$plane}"
argument 0 errors=0 image2d_depth_t 'image: {type: 2d, order: DEPTH, data: FLOAT, size: [2, 2]}'
argument 2 "'a': found an image2d_t, but its type is image3d_t" image3d_t "$plane}"
argument 2 "found an image2d_t, but its type is image2d_depth_t" image2d_depth_t "$plane}"
argument 2 "found an image2d_t of depths, but its type is image2d_t" image2d_t 'image: {type: 2d, order: DEPTH, data: FLOAT, size: [2, 2]}'
argument 2 'found an image, but its type is float*' 'global float *' "$plane}"
argument 2 'that kernels only read, but this one writes it' 'write_only image2d_t' "$plane, access: read}"
argument 2 'that kernels only write, but this one reads it' 'read_only image2d_t' "$plane, access: write}"
argument 0 errors=0 sampler_t "$sampler"
argument 2 'found a sampler, but its type is image2d_t' image2d_t "$sampler"
argument 0 errors=0 queue_t 'queue: own'
argument 2 'found a queue, but its type is sampler_t' sampler_t 'queue: default'
argument 2 'found local memory, but its type is queue_t' queue_t 'local: 4'

# too_many STATUS TEXT LIMIT PARAMETERS ARGUMENTS: more than the device's limit.
too_many() {
    cases=$((cases + 1))
    cat >case.yaml <<END
orrery: 1
device: {limits: {$3}}
program: {text: "kernel void k($4) {}", options: -cl-std=CL2.0}
launch: [{kernel: k, global: 1, args: [$5]}]
END
    "$orrery" run case.yaml >out 2>&1
    local got=$?
    if [ "$got" -ne "$1" ] || ! grep -qF -- "$2" out; then
        bad=$((bad + 1))
        echo "'$4' with '$3': status $got, expected $1 and \"$2\":"
        cat out
    fi
}
read_two='image2d_t a, image2d_t b' write_two='write_only image2d_t a, read_write image2d_t b'
too_many 0 errors=0 'read_images: 2' "$read_two" "{$plane}}, {$plane}}"
too_many 2 'kernel k has 2 images that it only reads, but the device'"'"'s limit is 1' 'read_images: 1' "$read_two" "{$plane}}, {$plane}}"
too_many 0 errors=0 'write_images: 2' "$write_two" "{$plane}}, {$plane}}"
too_many 2 'kernel k has 2 images that it writes, but' 'write_images: 1' "$write_two" "{$plane}}, {$plane}}"
too_many 2 'kernel k has 2 samplers, but' 'samplers: 1' 'sampler_t a, sampler_t b' "{$sampler}, {$sampler}"

# A file is beside its scenario.
mkdir sub
printf 'ab' >sub/texels
cat >sub/file.yaml <<'END'
orrery: 1
program: {text: "kernel void k(read_only image1d_t i, global uint4 *o) { o[0] = read_imageui(i, 1); }", options: -cl-std=CL2.0}
launch: [{kernel: k, global: 1, args: [{image: {type: 1d, order: R, data: UNSIGNED_INT8, size: 2, file: texels}}, {buffer: {type: uint4, count: 1}}]}]
expect: {buffers: [{arg: 1, values: [98, 0, 0, 1]}]}
END
judge 0 PASS 'a file beside its scenario' "$orrery" check sub/file.yaml

# ---- of a host program ----------------------------------------------------------------------
program() { # STATUS TEXT COUNTERS OPTION...
    printf 'orrery: 1\nchecks: fast\ndevice: {topology: tiny}\nexpect: {counters: {%s}}\n' "$3" >host.yaml
    judge "$1" "$2" "a program that counts $3" "$orrery" check "${@:4}" \
        --exec="'$build/examples/message_passing' '$ORRERY_SRCDIR/examples/message_passing.cl'" host.yaml
}
if [ -x "$build/examples/message_passing" ]; then
    ORRERY_SRCDIR=$(cd "$OLDPWD" && realpath "${ORRERY_SRCDIR:-.}")
    program 0 PASS "accesses: '>0', l1.accesses: '>0'"
    program 1 'counters: accesses is' "accesses: 0"
    program 0 PASS "accesses: '>0'" --counters="$work/kept.json"
    [ -s kept.json ] || { echo "the counters' own file is not there"; bad=$((bad + 1)); }
fi

[ "$cases" -ge 50 ] || { echo "only $cases cases"; bad=$((bad + 1)); }
echo "$cases cases, $bad wrong"
[ "$bad" -eq 0 ]
