#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Choices can be repeated: seeds are searched, failures shrunk, tokens and records replayed byte for byte,
# and what does not fit is refused.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}") build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
[ -x "$orrery" ] || { echo "no orrery command in $build"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
bad=0

fail() {
    echo "FAIL: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2" | head -20
    bad=1
}
has() { grep -qE -- "$2" "$1" || fail "expected '$2'" "$1"; }
same() { cmp -s "$1" "$2" || { fail "$3"; diff "$1" "$2" | head -10; }; }
status() { # STATUS COMMAND...: into out
    local want=$1 got
    shift
    "$@" >out 2>&1 </dev/null
    got=$?
    [ "$got" = "$want" ] || fail "$* ended with $got, expected $want" out
}

# The line that the latest run printed has the same findings and status again, in this directory.
again() { # STATUS LINE-PATTERN
    local line
    has out "$2"
    line=$(sed -n 's/^\(orrery:\| \) replay with: orrery //p' out)
    cp out told
    eval "\"\$orrery\" $line" >out 2>&1 </dev/null
    local got=$?
    [ "$got" = "$1" ] || fail "orrery $line ended with $got, expected $1" out
    same told out "orrery $line does not give the same bytes"
}

# Two work-items of different groups lose an update when one is preempted between its load and its store.
scenario() { # FILE GROUPS
    cat >"$1" <<END
orrery: 1
checks: fast
program:
  text: |
    kernel void count(volatile global int *sum, global int *noise)
    {
        int i = get_global_id(0);
        noise[i] = 1;
        sum[0] = sum[0] + 1;
        noise[i] = 2;
        noise[i] = 3;
    }
    kernel void judge(global int *sum, global int *noise)
    {
        if (sum[0] != $2)
            *(volatile global int *)0 = 1;
    }
launch:
  - {kernel: count, global: [$2], local: [1], args: [{buffer: {type: int, count: 1, fill: 0}, name: sum}, {buffer: {type: int, count: 8, fill: 0}, name: noise}]}
  - {kernel: judge, global: [1], args: [{same: sum}, {same: noise}]}
expect: {findings: []}
END
}
scenario two.yaml 2
scenario three.yaml 3

# The usual order loses nothing; some seeds do, and one preemption is all it takes.
status 0 "$orrery" run --schedule serial two.yaml
status 2 "$orrery" run --schedule replay two.yaml
has out '^orrery: error: policy replay: found nothing to replay, expected --replay=TOKEN'
ORRERY_SCHEDULE=script status 2 "$orrery" run two.yaml
has out '^orrery: error: policy script: found no script, expected steps in schedule'
for policy in random pct; do
    status 66 "$orrery" run --schedule $policy --seeds 0..19 two.yaml
    has out "^orrery: seeds 0\.\.19 under $policy: [0-9]+ of 20 fail, first seed [0-9]+\$"
    has out '^orrery: seed [0-9]+: [0-9]+ steps against the usual order shrunk to 1 in [0-9]+ runs$'
    has out "^orrery: smallest failing schedule: orrery replay 1:[0-9]+:${policy}[a-z0-9,]*,shrunk:[0-9a-f]{8}:1,[01]\.0@2-[01]\.0 two.yaml\$"
    has out '^orrery: error: null-write'
    cp out found
    token=$(sed -n 's/^orrery: smallest failing schedule: orrery replay \([^ ]*\) .*/\1/p' out)
    status 66 "$orrery" replay "$token" two.yaml
    sed -n '/^orrery: error/,$p' found >wanted
    same wanted out "the shrunk token of $policy does not give the same bytes"
done
status 1 "$orrery" check --seeds 0..19 two.yaml
has out '^FAIL: two.yaml$'
has out '^  replay with: orrery check --replay=1:[0-9]+:random,shrunk:[^ ]* two.yaml$'
has out '^orrery: smallest failing schedule: orrery check --replay=1:[0-9]+:random,shrunk:[^ ]* two.yaml$'

# The line keeps the settings of checks, from options and the environment, and quotes a shell's special characters.
mkdir 'my dir'
cat >"my dir/it's.yaml" <<'END'
orrery: 1
checks: fast
program:
  text: |
    kernel void racy(global int *x, global int *y)
    {
        x[0] = get_global_id(0);
        y[get_global_id(0)] = LEFT;
    }
launch:
  - {kernel: racy, global: [4], local: [2], args: [{buffer: {type: int, count: 1}}, {buffer: {type: int, count: 4}}]}
expect: {findings: [], buffers: [{arg: 1, values: [1, 1, 1, 1]}]}
END
name="'my dir/it'\\\\''s.yaml'"
# How kernels are built is left out: the replay is built otherwise, and is the same.
status 66 "$orrery" run --data-races --compiler=programs --build-options='-DLEFT=1 -DX' "my dir/it's.yaml"
again 66 "^orrery: replay with: orrery replay 1:0:lockstep:[0-9a-f]{8} --build-options='-DLEFT=1 -DX' --data-races $name\$"
# So are files that a run writes, and how they are written.
status 66 "$orrery" run --data-races --build-options=-DLEFT=1 --force --color=never --coverage=lines --json=rows "my dir/it's.yaml"
again 66 "^orrery: replay with: orrery replay 1:0:lockstep:[0-9a-f]{8} --build-options=-DLEFT=1 --data-races $name\$"
ORRERY_DATA_RACES=warning status 66 "$orrery" run --schedule random --seed 3 --fail-on warning --build-options=-DLEFT=1 "my dir/it's.yaml"
again 66 "^orrery: replay with: orrery replay 1:3:random:[0-9a-f]{8} --build-options=-DLEFT=1 --fail-on=warning --data-races=warning $name\$"
status 1 "$orrery" check --build-options=-DLEFT=2 "my dir/it's.yaml"
again 1 "^  replay with: orrery check --replay=1:0:lockstep:[0-9a-f]{8} --build-options=-DLEFT=2 $name\$"
status 66 "$orrery" run --seeds 0..3 --data-races --build-options=-DLEFT=1 "my dir/it's.yaml"
has out "^orrery: smallest failing schedule: orrery replay [^ ]* --build-options=-DLEFT=1 --data-races $name\$"

# So does a record, and the command line has the last word.
status 66 "$orrery" run --data-races --build-options=-DLEFT=1 --record kept "my dir/it's.yaml"
cp out first
status 66 "$orrery" replay kept "my dir/it's.yaml"
same first out "the record does not keep the checks"
status 0 "$orrery" replay --data-races=off kept "my dir/it's.yaml"
for ((i = 0; i < 300; i++)); do echo "scenario $i"; done >many
sed '/^\[options\]/r many' kept >longer
status 2 "$orrery" replay longer "my dir/it's.yaml"
has out 'too many options'

# A token of policy and seed, a record, and what a replay records itself: the same bytes each time.
for seed in 0 1 2 3 4 5 6 7 8 9; do
    for policy in random pct round-robin serial reverse; do
        "$orrery" run --schedule $policy --seed $seed --quantum 2 --record turns three.yaml >first 2>&1
        code=$?
        token=$(sed -n 's/^orrery: replay with: orrery replay \([^ ]*\) .*/\1/p' first)
        [ $code = 0 ] || [ -n "$token" ] || fail "$policy, seed $seed: no token" first
        status $code "$orrery" replay turns three.yaml
        same first out "$policy, seed $seed: the record does not give the same bytes"
        status $code "$orrery" replay --record again turns three.yaml
        same turns again "$policy, seed $seed: a replay records something else"
        [ -z "$token" ] && continue
        status $code "$orrery" replay "$token" three.yaml
        same first out "$policy, seed $seed: the token does not give the same bytes"
    done
done

# Which weak compare-exchanges fail spuriously, too; a token of a percentage that there is not is none.
cp "$src/scenarios/schedule/spurious.cl" .
sed 's,\.\./schedule/,,' "$src/scenarios/racy/spurious_order.yaml" >weak.yaml
for policy in lockstep random; do
    "$orrery" run --schedule $policy --seed 3 --spurious 90 --record turns weak.yaml >first 2>&1
    token=$(sed -n 's/^orrery: replay with: orrery replay \([^ ]*\) .*/\1/p' first)
    [[ $token == 1:3:$policy,w90:* ]] || fail "$policy: no token of spurious failures" first
    for what in turns "$token"; do
        status 66 "$orrery" replay "$what" weak.yaml
        same first out "$policy: replay of $what has other spurious failures"
    done
done
status 0 "$orrery" run --seed 3 --spurious 0 weak.yaml
status 2 "$orrery" run --spurious 100 weak.yaml
status 2 "$orrery" replay "${token/w90/w100}" weak.yaml

# Twenty times the same bytes under each policy.
for policy in lockstep serial reverse round-robin random pct; do
    "$orrery" run --schedule $policy --seed 4 --record first.turns three.yaml >first 2>&1
    for ((i = 1; i < 20; i++)); do
        "$orrery" run --schedule $policy --seed 4 --record turns three.yaml >out 2>&1
        cmp -s first out && cmp -s first.turns turns || fail "run $i under $policy differs" out
    done
done

# Records that do not fit.
"$orrery" run --schedule random --seed 3 --record turns two.yaml >/dev/null 2>&1
status 2 "$orrery" replay turns three.yaml
has out 'the replay is not of this run: launch 1, kernel count, has shape'
status 2 "$orrery" replay 1:3:random:00000bad two.yaml
has out 'the replay is not of this run'
shape=$(sed -n 's/^settings 1:3:random:\(.*\)/\1/p' turns)
status 2 "$orrery" replay "1:3:replay:$shape:1,0.0@2-7.0" two.yaml
has out 'after step 2 of work-item 0 of work-group 0 \(linear ids\), work-item 0 of work-group 7 \(linear ids\) was to continue, and cannot'
status 2 "$orrery" replay "1:3:replay:$shape:1,0.0@99-1.0" two.yaml
has out 'was to continue, but that never came'
status 2 "$orrery" replay "1:3:replay:$shape:1,0.0@2" two.yaml
has out "a step, such as"
status 2 "$orrery" replay 1:3:sometimes:0 two.yaml
has out "a policy, such as"
status 2 "$orrery" replay nowhere two.yaml
sed 's/ 0\.0$/ 0,0/' turns >broken
status 2 "$orrery" replay broken two.yaml
has out 'the record, line [0-9]+: found'
sed 's/ turns [0-9]*$/ turns 1/' turns >broken
status 2 "$orrery" replay broken two.yaml
has out 'the record, line [0-9]+: found .*, expected the next section, such as \[launch\]'
sed 's/^number 1 /number 7 /' turns >broken
status 2 "$orrery" replay broken two.yaml
has out 'the replay is not of this run: launch 7, whose steps it has, never came: the run had [0-9]+ launch'
for setting in q0 d0; do
    status 2 "$orrery" replay "1:3:pct,$setting:0" two.yaml
    has out 'a policy, such as'
done
{ cat turns; printf '[someone else]\nwhatever\n'; } >longer
"$orrery" replay turns two.yaml >first 2>&1
"$orrery" replay longer two.yaml >out 2>&1
same first out "a section it does not know changes the replay"
status 2 "$orrery" run --seeds 5..3 two.yaml
has out "expected A\.\.B"

# A step of a script that cannot happen reports the work-item's place.
step() { # STEP WHAT
    cat >script.yaml <<END
orrery: 1
schedule:
  script:
    - $1
    - {item: 0, until: end}
program:
  text: |
    kernel void look(volatile global int *value, global int *seen)
    {
        if (get_local_id(0) == 1)
            *value = 1;
        else
            for (int i = 0; i < 2; i++)
                seen[i] = *value;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        while (*value == 1)
            seen[3] = 0;
    }
  options: -cl-std=CL3.0
launch:
  - {kernel: look, global: [4], local: [2], args: [{buffer: {type: int, count: 1, fill: 0}}, {buffer: {type: int, count: 4, fill: 0}}]}
checks: fast
END
    status 2 "$orrery" run script.yaml
    has out "^orrery: error: script.yaml:4:7: script: $2\$"
}
step '{item: 4, until: end}' 'work-item \(4,0,0\) is not in the launch'
step '{group: [0, 1], until: end}' 'work-group \(0,1,0\) is not in the launch'
step '{group: 1, sub_group: 1, until: end}' 'sub-group 1 of work-group \(1,0,0\) is not in the launch'
step '{item: 0, until: end}' 'work-item \(0,0,0\) cannot reach its end: work-item \(0,0,0\) waits in work_group_barrier at line 8 for work-items that this step does not run'
sed -i 's/- {item: 0, until: end}/- {item: 0, until: {line: 8}}/' script.yaml
sed -i '4s/{.*/{item: 0, until: barrier}/' script.yaml
status 2 "$orrery" run script.yaml
has out 'script.yaml:5:7: script: work-item \(0,0,0\) cannot reach line 8 again: .* waits in work_group_barrier at line 8 '
step '{item: 1, until: {line: 7}}' 'work-item \(1,0,0\) cannot reach line 7: .* waits in .*'
step '{item: 0, until: {line: 4000}}' 'work-item \(0,0,0\) cannot reach line 4000: .* waits in work_group_barrier at line 8 for .*; it can stop at the operations of line 4, 7, 8, 9, 10'
step '{item: 0, until: {line: 10}}' 'work-item \(0,0,0\) cannot reach line 10: .* for work-items that this step does not run'
step '{group: 0, until: end}' 'work-group \(0,0,0\) does not reach its end: work-item \(0,0,0\) only reads what this step does not change, now at line (9|10)'
step '{group: 1, until: atomic}' 'work-group \(1,0,0\) does not reach an atomic: .*'
sed -i 's/while.*/seen[2] = 0;/; /seen.3/d' script.yaml
sed -i 's/- {group: 1.*/- {group: 1, until: atomic}/' script.yaml
status 2 "$orrery" run script.yaml
has out 'script: work-group \(1,0,0\) ended without reaching an atomic$'
sed -i 's/- {group: 1.*/- {item: 0, until: {line: 9, visit: 2}}/' script.yaml
status 2 "$orrery" run script.yaml
has out 'script: work-item \(0,0,0\) cannot reach visit 2 of line 9'
sed -i 's/- {item: 0, until: {l.*/- {group: 0, until: {line: 4, visit: 2}}/' script.yaml
status 2 "$orrery" run script.yaml
has out 'script: work-group \(0,0,0\) ended without reaching visit 2 of line 4; it can stop at the operations of line 4, 7, 8, 9$'
sed -i 's/- {group: 0, until: {l.*/- {group: 0, until: end}/' script.yaml
status 2 "$orrery" run script.yaml
has out 'script.yaml:5:7: script: work-item \(0,0,0\) has ended already'

# Whoever has ended has no further step, also while others of the work-group go on.
cat >ended.yaml <<'END'
orrery: 1
device: {sub_group_sizes: [2]}
schedule:
  script:
    - {group: 0, until: barrier}
    - {WHO, until: end}
    - {NEXT, until: UNTIL}
program: {text: "kernel void k(global int *d) { if (get_global_id(0) > 1) work_group_barrier(CLK_GLOBAL_MEM_FENCE); d[get_global_id(0)] = 1; }", options: -cl-std=CL3.0}
checks: {profile: fast, divergence: off}
launch: [{kernel: k, global: 6, local: 6, args: [{buffer: {type: int, count: 6, fill: 0}}]}]
END
ended() { # WHO NEXT UNTIL STATUS WHAT
    sed "s/WHO/$1/; s/NEXT/$2/; s/UNTIL/$3/" ended.yaml >again.yaml
    status "$4" "$orrery" run again.yaml
    has out "$5"
}
for until in end atomic barrier; do
    ended 'item: 2' 'item: 1' "$until" 2 '^orrery: error: again.yaml:7:7: script: work-item \(1,0,0\) has ended already$'
    ended 'group: 0' 'item: 2' "$until" 2 'script: work-item \(2,0,0\) has ended already$'
    ended 'item: 2' 'group: 0, sub_group: 0' "$until" 2 'script: sub-group 0 of work-group \(0,0,0\) has ended already$'
done
ended 'item: 2' 'group: 0' end 0 SUMMARY

# Steps that are left when the launch is over, and steps for launches that never come.
left() { # STEP STATUS WHAT
    sed "4,5d;3a\    - $1" script.yaml >left.yaml
    status "$2" "$orrery" run left.yaml
    has out "$3"
}
sed -i 's/global: .4./global: [2]/' script.yaml
left '{group: 0, until: {line: 99}}' 2 'left.yaml:4:7: script: work-group \(0,0,0\) ended without reaching line 99; it can stop'
left '{group: 0, steps: 1000}' 2 'script: work-group \(0,0,0\) ended without reaching 1000 steps: it took [0-9]+$'
left '{group: 0, until: end}' 0 'SUMMARY'
left '{launch: 2, group: 0, until: end}' 2 '^orrery: error: left.yaml:4:7: script: launch 2 never came: the run had 1 launch$'
echo 'expect: {findings: []}' >>left.yaml
status 2 "$orrery" check left.yaml
has out '^orrery: error: left.yaml:4:7: script: launch 2 never came'
status 0 "$orrery" check --schedule serial left.yaml

# Under a script no work-item continues without a step, nor when its record is replayed: without the mark the three run in order.
asked=$src/scenarios/schedule/barrier_by_step.yaml
status 0 "$orrery" check --record=asked "$asked"
has asked '^number 1 shape [0-9a-f]{8} turns [0-9]+ script$'
status 0 "$orrery" check --replay=asked --record=again "$asked"
same asked again "a replay of a script's record records something else"
token=$(sed -n 's/^settings //p' asked):1s$(sed -n '/@\|start/{s/^/,/;s/ /-/p}' asked | tr -d '\n')
status 0 "$orrery" check --replay="$token" "$asked"
sed -i 's/ script$//' asked
status 2 "$orrery" check --replay=asked "$asked"
has out 'the replay does not fit'

# Lines are of the file that the kernel stands in, unless another one is named.
mkdir -p 'a dir'
printf 'static void helper(global int *d) {\n  d[4] = 1;\n d[5] = 2;\n}\n' >'a dir/lines.h'
cat >lines.yaml <<'END'
orrery: 1
checks: fast
schedule: {script: [{item: 1, until: {line: WHERE}}, {item: 0, until: end}]}
program:
  text: |
    #include "a dir/lines.h"
    kernel void k(global int *d) { helper(d);
     d[get_global_id(0)] = d[4] + 6;
    }
launch: [{kernel: k, global: 2, local: 1, args: [{buffer: {type: int, count: 6, fill: 0}}]}]
expect: {findings: []}
END
stops() { # WHERE FILE LINE: where the second work-item stood when the first one began
    sed "s|WHERE|\"$1\"|" lines.yaml >here.yaml
    status 0 "$orrery" run --trace=events here.yaml
    grep -n '"group":0' events | head -1 | cut -d: -f1 >first
    sed "1,$(cat first)d" events | grep -m1 '"group":1' >next
    has next "\"sub_group\":0,$2\"line\":$3,"
}
stops 3 '' 3
stops lines.h:3 '"file":"[^"]*a dir/lines.h",' 3
stops 'a dir/lines.h:2' '"file":"[^"]*a dir/lines.h",' 2
sed 's/WHERE/9/' lines.yaml >here.yaml
status 2 "$orrery" run here.yaml
has out 'ended without reaching line 9; it can stop at the operations of line 3, [^ ]*a dir/lines.h:2, [^ ]*a dir/lines.h:3$'
sed 's/WHERE/dir.h:3/' lines.yaml >here.yaml
status 2 "$orrery" run here.yaml
has out 'work-item \(1,0,0\) ended without reaching dir.h:3; it can stop at'

# A program of one's own: each seed a process.
program=$build/examples/lost_update
if [ -x "$program" ]; then
    kernel=$src/examples/lost_update.cl
    export OCL_ICD_VENDORS=$build/icd
    status 0 "$orrery" run --fast -- "$program" "$kernel"
    status 1 "$orrery" run --fast --seeds 0..19 -- "$program" "$kernel"
    has out '^orrery: seeds 0\.\.19 under random: [0-9]+ of 20 fail'
    has out 'shrunk to 1 in'
    token=$(sed -n 's/^orrery: smallest failing schedule: orrery replay \([^ ]*\) --fast -- .*/\1/p' out)
    status 1 "$orrery" replay "$token" --fast -- "$program" "$kernel"
    has out '^counted 3 of 4$'
    status 2 "$orrery" replay 1:3:random:00000bad --fast -- "$program" "$kernel"
    has out 'the replay is not of this run'
    "$orrery" run --fast --seed 1 --schedule random --record host.turns -- "$program" "$kernel" >out 2>&1
    cp out first
    "$orrery" replay host.turns -- "$program" "$kernel" >out 2>&1
    same first out "the record of a program does not give the same bytes"
fi

# A seed that fails only a few times, by chance of threads, has failed: wherever the search is by then.
program=$build/examples/lost_update
if [ -x "$program" ]; then
    for times in 1 2 3 4 5; do
        echo 0 >count
        status 5 "$orrery" run --fast --seeds 0..0 -- \
            sh -c "'$program' '$kernel'; n=\$(cat count); echo \$((n + 1)) >count; [ \$n -ge $times ] || exit 5; exit 0"
        has out '^orrery: seeds 0..0 under random: 1 of 1 fail'
        has out '^orrery: seed 0 ended with status 5 before, and with 0 now: .*; the exit status is 5$'
    done
    rm -f failed
    status 5 "$orrery" run --fast --seeds 0..3 -- sh -c '[ -e failed ] || { : >failed; exit 5; }'
    has out '^orrery: seed 0 does not fail again as it did: it ended with status 5, then with 0$'
fi

# A program with a scenario: token and record have both again; nothing is offered where the replay does not fit.
program=$build/examples/message_passing
if [ -x "$program" ]; then
    kernel=$src/examples/message_passing.cl
    printf 'orrery: 1\nschedule: {policy: random, seed: 7}\nchecks: {races: error}\n' >'my dir/checks.yaml'
    status 66 "$orrery" run --scenario 'my dir/checks.yaml' --record kept -- "$program" "$kernel"
    again 66 "^orrery: replay with: orrery replay 1:7:random:[0-9a-f]{8} --scenario='/.*/my dir/checks.yaml' -- "
    status 66 "$orrery" replay kept -- "$program" "$kernel"
    same told out "the record does not keep the scenario"
    status 2 "$orrery" replay 1:3:random:00000bad --data-races -- "$program" "$kernel"
    grep -E 'replay with|SUMMARY' out && fail "a replay that does not fit is summed up" out
    status 66 "$orrery" run --seeds 0..3 --scenario 'my dir/checks.yaml' -- "$program" "$kernel"
    has out "^orrery: smallest failing schedule: orrery replay [^ ]* --scenario='my dir/checks.yaml' -- "
    printf 'orrery: 1\nschedule: {script: [{launch: 40, item: 0, until: end}]}\n' >script.yaml
    status 2 "$orrery" run --scenario script.yaml -- "$program" "$kernel"
    has out 'script.yaml:2:21: script: launch 40 never came: the run had [0-9]+ launch'
    status 0 "$orrery" run --fast --scenario script.yaml --schedule serial -- "$program" "$kernel"
    # Before the first launch there is no token: the same command has the run again.
    echo 'kernel void broken(' >broken.cl
    status 66 "$orrery" run --check-api --schedule reverse -- "$program" broken.cl
    again 66 '^orrery: replay with: orrery run --schedule=reverse --check-api -- '
    status 66 "$orrery" run --check-api --schedule random --seed 9 --quantum 3 --record kept -- "$program" broken.cl
    cp out recorded
    status 66 "$orrery" replay kept -- "$program" broken.cl
    same recorded out "the record of a run without kernels does not keep its schedule"
    printf 'orrery: 1\nchecks: {races: error}\nexpect: {findings: []}\n' >exec.yaml
    status 1 "$orrery" check --seed 5 --schedule random --exec "$program '$kernel'" exec.yaml
    again 1 '^  replay with: orrery check --schedule=random --seed=5 --exec=.* exec.yaml$'
    status 1 "$orrery" check --record kept --schedule random --exec "$program '$kernel'" exec.yaml
    again 1 '^  replay with: orrery check --replay=kept --exec=.* exec.yaml$'
fi

# Work-groups that wait: pct's state of lowered priorities is not used by the default rule.
sed -e 's/\[5000\]/[64]/' -e 's/\[1000\]/[64]/' "$src/scenarios/schedule/many_wait_for_last.yaml" >wait.yaml
cp "$src/scenarios/schedule/many_wait_for_last.cl" .
for policy in random pct; do
    for seed in 1 5; do
        status 0 "$orrery" run --schedule "$policy" --seed "$seed" --record=waits wait.yaml
        cp out told
        status 0 "$orrery" run --replay=waits wait.yaml
        same told out "a record of work-groups that wait, $policy, seed $seed"
    done
done

# A replay starts work-groups when they run, not in their original order: the named ones are the same.
cat >meet.yaml <<'END'
orrery: 1
checks: fast
program:
  text: |
    kernel void meet(global atomic_int *come)
    {
        for (int round = 1; round <= 3; round++) {
            atomic_fetch_add(come, 1);
            while (atomic_load(come) < round * (int)get_num_groups(0))
                ;
        }
    }
    kernel void never(global atomic_int *come)
    {
        while (atomic_load(come + get_group_id(0)) == 0)
            ;
    }
  options: -cl-std=CL3.0
launch:
  - {kernel: meet, global: [64], local: [1], args: [{buffer: {type: int, count: 1, fill: 0}}]}
  - {kernel: never, global: [80], local: [1], args: [{buffer: {type: int, count: 80, fill: 0}}]}
END
for policy in random pct; do
    for seed in 1 5; do
        status 124 "$orrery" run --schedule "$policy" --seed "$seed" --record=meets meet.yaml
        has out '^orrery: error: progress-assumption'
        has out '^orrery: error: livelock'
        cp out told
        status 124 "$orrery" run --replay=meets meet.yaml
        same told out "a record of work-groups that rely on others to begin, $policy, seed $seed"
    done
done

# Nor do those count that were started and have not run: the time at which all wait, and how many ran, is the same.
cat >chain.yaml <<'END'
orrery: 1
checks: fast
program:
  text: |
    kernel void chain(global atomic_int *gone)
    {
        const int group = get_group_id(0);
        if (group < get_num_groups(0) - 1)
            while (atomic_load(gone + group + 1) == 0)
                ;
        if (get_local_id(0) == 0)
            atomic_store(gone + group, 1);
    }
  options: -cl-std=CL3.0
launch:
  - {kernel: chain, global: [96], local: [4], args: [{buffer: {type: int, count: 24, fill: 0}}]}
END
status 66 "$orrery" run --schedule pct --seed 31 --quantum 3 --record=chained chain.yaml
has out '^  why .* [0-9]+ of 24 ran'
cp out told
status 66 "$orrery" run --replay=chained chain.yaml
same told out "a record of work-groups that wait in a chain"

[ $bad = 0 ] && echo "tokens and records have their runs again"
exit $bad
