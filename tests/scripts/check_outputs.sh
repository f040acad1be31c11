#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each output option: no folder, a folder, another file, a link, an empty file, its own report, --force, a full disk, RLIMIT_FSIZE.
build=${abs_top_builddir:-$PWD}
work=$(mktemp -d) || exit 99
# A child that is killed before its command begins runs this trap, too.
trap '[ "$BASHPID" != $$ ] || rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >run.yaml <<'EOF'
orrery: 1
program: {text: "kernel void k(global int *a) { a[get_global_id(0)] = 1; }"}
launch: [{kernel: k, global: [4], args: [{buffer: {type: int, count: 4, fill: 0}}]}]
EOF
bad=0
# expect STATUS WHAT OPTION...
expect() {
    wanted=$1 what=$2
    shift 2
    timeout 60 "$build/orrery" run "$@" run.yaml >out 2>&1
    got=$?
    [ "$got" = "$wanted" ] && { [ "$wanted" = 0 ] || grep -q '^orrery: .*error' out; } && return
    echo "$what ($*): status $got, expected $wanted"
    cat out
    bad=1
}
for option in log json sarif dot html gen-suppressions counters timeline trace record; do
    mkdir -p "$option/folder"
    expect 2 "no such folder" "--$option=/nonexistent/x"
    expect 2 "a folder that takes no file" "--$option=/proc/x"
    expect 2 "a folder" "--$option=$option/folder"
    echo "mine" >"$option/mine"
    expect 2 "a file of the user" "--$option=$option/mine"
    ln -s mine "$option/link"
    expect 2 "a link" "--$option=$option/link"
    ln -s absent "$option/dangling"
    expect 2 "a link to nothing" "--$option=$option/dangling"
    [ "$(cat "$option/mine")" = mine ] && [ ! -e "$option/absent" ] || { echo "$option: a refused file changed"; bad=1; }
    : >"$option/empty"
    expect 0 "an empty file" "--$option=$option/empty"
    [ -s "$option/empty" ] || { echo "$option: nothing written"; bad=1; }
    expect 0 "an earlier report" "--$option=$option/empty"
    expect 0 "a device" "--$option=/dev/null"
    expect 125 "a full disk" "--$option=/dev/full"
    expect 0 "forced" --force "--$option=$option/mine"
    [ "$(cat "$option/mine")" != mine ] || { echo "$option: --force did not replace"; bad=1; }
    mkfifo "$option/pipe"
    timeout 60 "$build/orrery" run "--$option=$option/pipe" run.yaml >out 2>&1
    got=$?
    case $got in
    0 | 124) echo "$option: a named pipe that nothing reads: status $got"; cat out; bad=1 ;;
    esac
    exec 3<>"$option/pipe"
    cat "$option/pipe" >/dev/null &
    expect 0 "a named pipe that is read" "--$option=$option/pipe"
    kill $!
    exec 3>&-
    # a signal ends who writes past RLIMIT_FSIZE: not the program, for a file of ours
    (ulimit -f 0; timeout 60 "$build/orrery" run "--$option=limited.$option" run.yaml; echo "status $?") 2>&1 | cat >out
    grep -q 'status [0-9]$\|status 125' out || { echo "$option: past RLIMIT_FSIZE"; cat out; bad=1; }
done
# two reports cannot share a file
expect 2 "a file for two" --json=shared --sarif=shared
grep -q 'sarif: shared: found the file of json, expected another one' out || { echo "a file for two:"; cat out; bad=1; }
expect 2 "a file for two" --counters=shared --trace=shared
[ ! -e shared ] || { echo "a file for two was written"; bad=1; }
expect 0 "a device for two" --json=/dev/null --sarif=/dev/null
# A kernel without a scenario is looked at before it runs, and so is what `dis` prints: no file is written then.
cat >kernel.cl <<'EOF'
kernel void k(global int *a) { a[get_global_id(0)] = 1; }
EOF
for option in log json sarif dot html gen-suppressions counters timeline trace record coverage instructions save-scenario; do
    for command in run dis 'debug --batch -e next'; do
        case $option-$command in
        save-scenario-[!r]*) continue ;;
        esac
        echo "mine" >kept
        # shellcheck disable=SC2086
        timeout 60 "$build/orrery" $command "--$option=kept" kernel.cl >out 2>&1
        got=$?
        [ "$(cat kept)" = mine ] || { echo "$command --$option of a kernel: a file of the user changed"; bad=1; }
        [ "$command" != run ] || [ $got = 2 ] || { echo "run --$option of a kernel: status $got"; cat out; bad=1; }
    done
done
for again in 1 2; do
    timeout 60 "$build/orrery" run --save-scenario=saved.yaml kernel.cl >out 2>&1 || { echo "save-scenario, $again times"; cat out; bad=1; }
done
timeout 60 "$build/orrery" run --save-scenario=kernel.cl kernel.cl >out 2>&1
grep -q 'kernel void k' kernel.cl || { echo "the kernel is replaced by its scenario"; bad=1; }
timeout 60 "$build/orrery" run --force --save-scenario=kept kernel.cl >out 2>&1
grep -q 'made from the signature' kept || { echo "save-scenario: --force did not replace"; cat out; bad=1; }
# A launch that prints more than its buffer holds says so once, however often it runs again for sizes, fixes and values.
cat >flood.cl <<'EOF'
kernel void k(global int *a) { for (int i = 0; i < 1000; i++) printf("%d, and text that fills the buffer\n", i); a[0]++; }
EOF
timeout 60 "$build/orrery" run flood.cl >out 2>err
[ "$(grep -c 'printf_buffer of' err)" = 1 ] || { echo "printf_buffer: not one note"; cat err; bad=1; }
# The standard output is no option, and may be on a full disk, too.
cat >test.litmus <<'EOF'
OPENCL sb
{ [x]=0; }
P0 (global atomic_int* x) { int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device); }
exists (0:r0=0)
EOF
for words in 'explain race-local' info 'topology tiny' --help --version 'run --help' 'completion bash' 'litmus test.litmus'; do
    # shellcheck disable=SC2086
    timeout 60 "$build/orrery" $words >/dev/full 2>err
    got=$?
    [ $got != 0 ] && grep -q 'error: the standard output cannot be written' err || { echo "$words on a full disk: status $got"; cat err; bad=1; }
done

# Names of kernel files that YAML, JSON or a terminal have to quote.
for name in 'a "b" <&>.cl' "$(printf 'new\nline.cl')" "$(printf 'red\033[31m.cl')" '#x: [y].cl' '%s%p.cl' 'back\slash.cl'; do
    printf 'kernel void k(global int *a) { a[0]++; }\n' >"$name"
    timeout 60 "$build/orrery" run --force --json=odd.json --sarif=odd.sarif "./$name" >out 2>err
    got=$?
    [ $got = 66 ] || { echo "$name: status $got"; cat err; bad=1; }
    if grep '^  1 ' err | grep -q "$(printf '\033')"; then echo "$name: a terminal would obey it"; bad=1; fi
    command -v python3 >/dev/null || continue
    python3 -c 'import json; [json.loads(l) for l in open("odd.json", encoding="utf-8")]; json.load(open("odd.sarif", encoding="utf-8"))' || { echo "$name: no JSON"; bad=1; }
done
name=$(printf 'latin\374.cl')
cp '%s%p.cl' "$name"
timeout 60 "$build/orrery" run "./$name" >out 2>err
grep -q 'found a name that is no UTF-8' err || { echo "a name in Latin-1"; cat err; bad=1; }
exit $bad
