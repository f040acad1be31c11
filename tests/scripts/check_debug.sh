#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `orrery debug`: what scripts of the terminal client print, and each request of the Debug Adapter Protocol.
# A hash of the state depends on where code keeps its values, so that its digits are left out here; walks.py compares hashes.
# `check_debug.sh --renew` writes the expected text anew: read the difference before it is committed.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")/tests/debug
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
[ -x "$orrery" ] || { echo "no orrery command in $build"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

fail() { echo "FAIL: $*"; failed=1; }

for script in "$src"/*.commands; do
    name=$(basename "$script" .commands)
    scenario=$src/$name.yaml
    [ -f "$scenario" ] || scenario=$src/calls.yaml
    timeout 120 "$orrery" debug --batch -x "$script" "$scenario" 2>&1 </dev/null | sed "s,$src/,,; /^memory of the copies: /d; s/^[0-9a-f]\{16\} at position/HASH at position/" >"$work/$name"
    if [ "${1:-}" = --renew ]; then
        cp "$work/$name" "$src/$name.expected"
    elif ! diff -u "$src/$name.expected" "$work/$name"; then
        fail "$name: other text"
    fi
done

# A refused command is the exit status of --batch -e; errors have the found and the expected text.
timeout 120 "$orrery" debug --batch -e 'print 1 +' "$src/calls.yaml" >"$work/out" 2>&1
[ $? -eq 2 ] || fail "a refused command: exit status"
timeout 120 "$orrery" debug --finding=x "$src/calls.yaml" 2>&1 | grep -q "found 'x', expected a number" || fail "--finding=x"
timeout 120 "$orrery" debug --batch --finding=9 "$src/calls.yaml" 2>&1 | grep -q '^found 2 findings up to the end of the run, expected 9' || fail "--finding=9"
timeout 120 "$orrery" debug 2>&1 | grep -q 'nothing to debug' || fail "no target"
timeout 120 "$orrery" debug --batch --finding=2 "$src/calls.yaml" 2>&1 | grep -q '^28' || fail "--finding=2 lands on the second finding"

# A program that does not compile is a result, not a crash.
printf 'orrery: 1\nprogram: {text: "kernel void k(global int *a) { a[0] = b; }"}\nlaunch:\n  - {kernel: k, global: [1], local: [1], args: [{buffer: {type: int, count: 1, fill: 0}}]}\n' >"$work/bad.yaml"
timeout 120 "$orrery" debug --batch -e run "$work/bad.yaml" 2>&1 | grep -q "undeclared identifier 'b'" || fail "the compiler's message"

# Of SPIR-V without debug information the session says so, and that a breakpoint cannot stop.
clean=$src/../../scenarios/clean/float_atomics
timeout 120 "$orrery" debug --batch -e 'break k' -e 'info threads' "$clean.yaml" >"$work/bare" 2>&1
grep -q "^Its program has no debug information" "$work/bare" || fail "no debug information: $(cat "$work/bare")"
grep -q '^Breakpoint 1 at function k, which this kernel does not have' "$work/bare" || fail "a function without lines: $(cat "$work/bare")"
sed "s|spirv: *|source: $src/../../scenarios/clean/|" "$clean.yaml" >"$work/source.yaml"
timeout 120 "$orrery" run "$work/source.yaml" 2>&1 | grep -q "float_atomics.spvasm is SPIR-V, no source: expected 'spirv: " || fail "SPIR-V as source"

# Under another schedule, and the same schedule by its token.
token=$(timeout 120 "$orrery" run --schedule=random --seed=3 "$src/calls.yaml" 2>&1 | sed -n "s/.*orrery replay \(1:[^ ]*\).*/\1/p")
if [ -n "$token" ]; then
    timeout 120 "$orrery" debug --batch -e 'catch' -e run --replay="$token" "$src/calls.yaml" >"$work/replayed" 2>&1
    grep -q '^Finding: race-global' "$work/replayed" || fail "a replay token: $(cat "$work/replayed")"
else
    fail "no token was printed"
fi

# The token stands before its target, too, and so does a record, as for orrery show.
timeout 120 "$orrery" debug --batch -e 'catch' -e run "$token" "$src/calls.yaml" >"$work/before" 2>&1
cmp -s "$work/before" "$work/replayed" || fail "a token before its target: $(diff "$work/replayed" "$work/before")"
timeout 120 "$orrery" run --schedule=random --seed=3 --record="$work/calls.record" "$src/calls.yaml" >/dev/null 2>&1
timeout 120 "$orrery" debug --batch -e 'catch' -e run "$work/calls.record" -- "$src/calls.yaml" >"$work/recorded" 2>&1
cmp -s "$work/recorded" "$work/replayed" || fail "a record before its target: $(diff "$work/replayed" "$work/recorded")"
timeout 120 "$orrery" debug --batch --finding=2 "$token" "$src/calls.yaml" 2>&1 | grep -q '^Finding: race-global' || fail "--finding=2 of a token"
timeout 120 "$orrery" debug "$token" >"$work/alone" 2>&1
[ $? -eq 2 ] && grep -q 'found nothing after it' "$work/alone" || fail "a token alone: $(cat "$work/alone")"

# What copies of the run take now is less than if each page differed.
timeout 120 "$orrery" debug --batch -e 'break 21' -e run -e 'info position' "$src/calls.yaml" 2>&1 |
    awk '/^memory of the copies: [0-9]+ bytes now, at most [0-9]+ \(32 copies/ { found = $5 > 0 && $5 < $9 } END { exit !found }' ||
    fail "the memory of copies"

# The bytecode has the SPIR-V instruction that it carries out above it, once; a mark of a line has none.
timeout 120 "$orrery" debug --batch -e 'break 4' -e run -e disassemble "$src/shader_info.yaml" >"$work/code" 2>&1
grep -A1 '^ *%[0-9]* = OpIAdd %uint' "$work/code" | grep -q '^ *[0-9]*  add_32' && grep -q '^=> *[0-9]*  line 4$' "$work/code" &&
    [ "$(grep -c 'OpIAdd' "$work/code")" = 1 ] || fail "disassemble: $(cat "$work/code")"

# What going back costs, in steps that are executed again: a step back at most two distances of copies (2^15), not the way from the
# beginning; back to a place k steps ago at most twice k and as much.
timeout 300 "$orrery" debug --batch -e 'break far' -e run -e 'info steps' -e reverse-next -e 'info steps' -e delete -e 'break near' -e reverse-continue \
    -e 'info steps' -e quit "$src/long.yaml" >"$work/steps" 2>&1
sed -n 's/^position \([0-9]*\), \([0-9]*\) steps executed.*/\1 \2/p' "$work/steps" | tr '\n' ' ' | {
    read -r far first back second near third _
    [ "$far" -gt 600000 ] && [ "$far" -lt 1000000 ] && [ "$back" -lt "$far" ] && [ $((second - first)) -le 65536 ] &&
        [ "$near" -lt "$back" ] && [ $((third - second)) -le $((2 * (back - near + 32768))) ]
} || fail "what going back costs: $(cat "$work/steps")"

# A program: the stop, the values there, and back.
timeout 120 "$orrery" debug --batch -e 'break 7' -e run -e 'print before' -e continue -e 'print before' -e reverse-continue -e 'print before' -e quit -- \
    "$build/examples/lost_update" "$src/../../examples/lost_update.cl" >"$work/program" 2>&1
[ "$(grep -c '^before = 0' "$work/program")$(grep -c '^before = 1' "$work/program")" = 21 ] || fail "a program: $(cat "$work/program")"

# A program that a signal ends, and one that exits before its first kernel.
timeout 120 "$orrery" debug --batch -- sh -c 'kill -SEGV $$' >"$work/killed" 2>&1
grep -q 'has ended: signal 11, ' "$work/killed" || fail "a program that crashes: $(cat "$work/killed")"
timeout 120 "$orrery" debug --batch -- sh -c 'exit 3' >"$work/exited" 2>&1
grep -q 'has ended: exit status 3$' "$work/exited" || fail "a program without a kernel: $(cat "$work/exited")"

# What the host program has: commands that are complete, run, or wait for a user event; the call that enqueued the launch.
host=$build/tests/host_commands
if [ -x "$host" ]; then
    timeout 120 "$orrery" debug --batch -e start -e backtrace -e up -e 'info launch' -e 'info queues' -e 'info commands' -e 'info events' -e quit -- "$host" >"$work/host" 2>&1
    for row in '#1  host program: clEnqueueNDRangeKernel, launch at .*host_commands.c:[0-9]*$' '^this is the host program: its variables are not known' \
        '^enqueued by clEnqueueNDRangeKernel, launch at .*host_commands.c:[0-9]*$' \
        '^queue 1  in order, device 1, 1 command not complete$' '^queue 2  out of order, device 1, 2 commands not complete$' \
        '^command 1  clEnqueueFillBuffer, queue 1, complete, main at .*host_commands.c:[0-9]*$' \
        '^command [0-9]*  clEnqueueFillBuffer, queue 2, queued, main at .*host_commands.c:[0-9]*$' \
        '^command [0-9]*  clEnqueueNDRangeKernel of add, queue 2, queued, launch at ' \
        '^command [0-9]*  clEnqueueNDRangeKernel of add, queue 1, running, launch at ' \
        '^event [0-9]*  user event, submitted$' '^event [0-9]*  of command [0-9]*, queue 2, queued$'; do
        [ -e /usr/lib/x86_64-linux-gnu/libdw.so.1 ] || row=${row%%, main at*} row=${row%%, launch at*} row=${row%\$}
        grep -q "$row" "$work/host" || fail "the host program, '$row': $(cat "$work/host")"
    done
fi

# Without the check of races findings name no call, under the debugger neither.
timeout 120 "$orrery" run --races=off -- "$build/examples/out_of_bounds" "$src/../../examples/out_of_bounds.cl" >"$work/plain" 2>&1
timeout 120 "$orrery" debug --races=off --batch -e run -e quit -- "$build/examples/out_of_bounds" "$src/../../examples/out_of_bounds.cl" >"$work/debugged" 2>&1
sed '/^Kernel shift, stopped before/d; /^The run is over/d' "$work/debugged" | diff "$work/plain" - || fail "findings without the check of races are others"

# A condition that compares a variable with a number takes a way of its own: it is met where the same in parentheses is, which
# takes the common one.
conditions() { # BEFORE AFTER
    for condition in 'i == 3' 'i != 0' 'i > 3' 'i >= 3' 'i < 1' 'i <= 0' 'i > -1' 'u > -1' 'u < -1' 'u == 3' 'u != 3' 'j == 2' 'j > -1' 'j <= -1' \
        'n >= 4' 'n < 2147483647' 'e == 5' 'nothing == 1'; do
        printf 'delete\nbreak 21 if %s%s%s\nrun\nprint j\n' "$1" "$condition" "$2"
    done
}
conditions '' '' >"$work/simple.commands"
conditions '(' ')' >"$work/common.commands"
for way in simple common; do
    timeout 120 "$orrery" debug --batch -x "$work/$way.commands" "$src/calls.yaml" >"$work/$way" 2>&1
done
cmp -s "$work/simple" "$work/common" && [ "$(grep -c '^Breakpoint .*, k' "$work/simple")" -gt 9 ] || fail "conditions: $(diff "$work/simple" "$work/common")"

# Another wave first in a program, too: the token that the program ends with repeats that run.
program=$build/examples/lost_update kernel=$src/../../examples/lost_update.cl
timeout 120 "$orrery" debug --schedule=random --seed=2 --batch -e 'schedule 1' -e continue -e quit -- "$program" "$kernel" >"$work/chosen" 2>&1
token=$(sed -n 's/.*orrery replay \(1:2:random[^ ]*\).*/\1/p' "$work/chosen")
grep -q '^At step 0 of launch 1 work-item 1 runs' "$work/chosen" && [ -n "$token" ] || fail "a choice in a program: $(cat "$work/chosen")"
timeout 120 "$orrery" replay "$token" -- "$program" "$kernel" 2>&1 | grep -v '^orrery: replay' >"$work/repeated"
sed '1,/^At step/d; /^The run is over/d; /^orrery: replay/d' "$work/chosen" | diff - "$work/repeated" || fail "the token of the choice gives another run"

# Under a policy that runs in passes no token repeats the choice, so the program promises none; without a choice it does.
for choice in 'schedule 1' 'info launch'; do
    timeout 120 "$orrery" debug --schedule=serial --resident-groups=4 --batch -e "$choice" -e continue -e quit -- "$program" "$kernel" >"$work/passes" 2>&1
    grep -q '^orrery: replay with: ' "$work/passes" && promised=yes || promised=no
    case $choice,$promised in
    schedule*,no | info*,yes) ;;
    *) fail "a token after '$choice' in a program: $(cat "$work/passes")" ;;
    esac
done

# Another wave first under policies that run in passes: it does, again after going back, each line is printed once, and no token
# is promised.
for policy in serial reverse round-robin lockstep; do
    [ $policy = lockstep ] && first=256 || first=64
    timeout 120 "$orrery" debug --schedule=$policy --batch -e "schedule $first" -e 'break 7' -e continue -e reverse-continue -e continue -e delete -e continue \
        -e quit "$src/passes.yaml" >"$work/passes" 2>&1
    [ "$(grep -c "^Breakpoint 1, .*work-item ($first,0,0)" "$work/passes")" = 2 ] && grep -q "^$first is number 0$" "$work/passes" &&
        [ "$(grep ' is number [0-9]*$' "$work/passes" | sort -u | wc -l)" = 260 ] && [ "$(grep -c ' is number [0-9]*$' "$work/passes")" = 260 ] &&
        [ "$(grep -c "^No token repeats\|orrery replay" "$work/passes")" = 1 ] || fail "a choice under $policy: $(cat "$work/passes")"
done

# What the tabulator completes.
if command -v python3 >/dev/null; then
    timeout 120 python3 "${ORRERY_SRCDIR:-.}/tests/scripts/debug_terminal.py" "$orrery" "$src/calls.yaml" 2>"$work/terminal"
    case $? in
    0 | 77) ;;
    *) fail "the line editor: $(cat "$work/terminal")" ;;
    esac
fi

if command -v python3 >/dev/null; then
    [ "${CHECK_DEBUG_ALL-}" = 1 ] && limit=86400 || limit=300
    timeout "$limit" python3 "${ORRERY_SRCDIR:-.}/tests/scripts/dap_client.py" "$orrery" "$src/calls.yaml" "$build/examples/lost_update" "$src/../../examples/lost_update.cl" 2>"$work/dap" || fail "DAP: $(cat "$work/dap")"
fi
exit $failed
