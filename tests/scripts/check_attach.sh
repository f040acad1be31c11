#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A debugger attaches to a program that runs: at its next launch, twice, and the program's results are those of a run without one.
# No other user can: the socket's directory has to be the user's alone.
set -u
build=$(realpath "${ORRERY_BUILDDIR:-build}")
orrery=$build/orrery
program=$build/tests/attach_target
[ -x "$orrery" ] && [ -x "$program" ] || { echo "no orrery command, or no attach_target, in $build"; exit 77; }
work=$(mktemp -d) || exit 1
target=
trap '[ -z "$target" ] || kill "$target" 2>/dev/null; rm -rf "$work"' EXIT
failed=0
export OCL_ICD_VENDORS=${OCL_ICD_VENDORS:-$build/icd}

fail() { echo "FAIL: $*"; failed=1; }

# The program launches until the file `stop` is there, so that there is always a next launch.
start() { # DIRECTORY
    rm -f "$work/stop" "$work/err" # else the words of the program before this one may be read
    XDG_RUNTIME_DIR=$1 ORRERY_DEBUG_LISTEN=1 "$program" "$work/stop" >"$work/out" 2>"$work/err" &
    target=$!
    for ((i = 0; i < 100; i++)); do
        grep -qs 'a debugger can attach\|no debugger can attach' "$work/err" && return
        sleep 0.1
    done
    fail "the program says nothing: $(cat "$work/err")"
}

finish() {
    touch "$work/stop"
    wait "$target" || fail "the program ends with $?: $(cat "$work/out" "$work/err")"
    target=
}

debug() { # PID ARGUMENT...
    XDG_RUNTIME_DIR=$work/own timeout 60 "$orrery" debug --batch --attach="$1" "${@:2}" 2>&1
}

mkdir -m 700 "$work/own"
start "$work/own"
socket=$work/own/orrery/debug-$target
[ "$(stat -c %a "$socket")" = 600 ] || fail "mode of the socket: $(stat -c %a "$socket")"
[ "$(stat -c %a "$work/own/orrery")" = 700 ] || fail "mode of its directory"
debug "$target" -e 'break add' -e continue -e 'print value' -e 'reverse-step' -e up -e 'may-read data[0]' -e quit >"$work/one"
grep -q '^Breakpoint 1, add, work-item (0,0,0)' "$work/one" || fail "a breakpoint: $(cat "$work/one")"
grep -q '^value = 1' "$work/one" || fail "a variable: $(cat "$work/one")"
[ "$(grep -c 'there is no way back from here' "$work/one")" = 2 ] || fail "the way back: $(cat "$work/one")"
# By its socket, after the first session has gone; its own Ctrl-C does not reach the program.
debug "$socket" -e start -e 'print (int)get_global_size(0)' -e step -e 'info position' >"$work/two"
grep -q '= 4$' "$work/two" || fail "a second session: $(cat "$work/two")"
# One that is killed leaves the program to itself.
XDG_RUNTIME_DIR=$work/own "$orrery" debug --attach="$target" >"$work/three" 2>&1 < <(sleep 60) &
session=$!
for ((i = 0; i < 100; i++)); do grep -q 'stopped before it begins' "$work/three" && break; sleep 0.1; done
kill -KILL $session; wait $session 2>/dev/null
finish
grep -q '^all launches were right' "$work/out" || fail "results: $(cat "$work/out")"
[ -e "$socket" ] && fail "the socket is left"
debug "$$" | grep -q "process $$ does not listen for a debugger: start it with ORRERY_DEBUG_LISTEN=1" || fail "a process that does not listen: $(debug "$$")"

# A directory that others can enter, and a link to one, are refused; the program runs all the same.
mkdir "$work/open" && mkdir -m 755 "$work/open/orrery"
start "$work/open"
grep -q 'found what others have access to' "$work/err" || fail "an open directory: $(cat "$work/err")"
finish
mkdir "$work/linked"; ln -s "$work/own" "$work/linked/orrery"
start "$work/linked"
grep -q 'found what others have access to' "$work/err" || fail "a link: $(cat "$work/err")"
finish

# Another user's process is hung up on; only root can try.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    start "$work/own"
    chmod 711 "$work" "$work/own" "$work/own/orrery"; chmod 666 "$work/own/orrery/debug-$target"
    timeout 60 setpriv --reuid=65534 --clear-groups "$orrery" debug --batch --attach="$work/own/orrery/debug-$target" >"$work/other" 2>&1
    grep -q 'of another user' "$work/other" || fail "another user: $(cat "$work/other")"
    finish
fi
exit $failed
