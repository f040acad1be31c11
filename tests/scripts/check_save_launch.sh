#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --save-launch: a launch that was saved prints the same, whatever its arguments are, and finds the same as in the program, with the
# same work-items, lines and values, under every schedule. What cannot be saved is refused, and nothing of others is overwritten.
set -u
src=${ORRERY_SRCDIR:?} build=${ORRERY_BUILDDIR:?}
orrery=$build/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 passed=0
fail() { echo "$*"; bad=$((bad + 1)); }
has() { grep -qF -- "$2" "$1" || fail "$1 has no '$2': $(tail -n 20 "$1")"; passed=$((passed + 1)); }
cd "$work" || exit 99

# ---- arguments of every kind ----

for how in source binary linked; do
    $orrery run --fixes=off --save-launch="2:$how.yaml" -- "$build/tests/saved_arguments" $how >$how.all 2>$how.err
    status=$?
    has $how.err "orrery: launch 2, kernel show, is saved: orrery run $how.yaml"
    sed -n '/^3 of/,$p' $how.all >$how.program
    [ "$(wc -l <$how.program)" = 8 ] || fail "$how: $(cat $how.all $how.err)"
    mkdir -p moved/$how && mv $how.yaml $how.[csN]* $how.*.bin moved/$how/ 2>/dev/null
    $orrery run --fixes=off moved/$how/$how.yaml >$how.alone 2>$how.alone_err
    [ $? = $status ] || fail "$how: status $?, the program's was $status"
    cmp $how.program $how.alone || fail "$how: another output: $(cat $how.alone_err)"
    passed=$((passed + 2))
done
[ -e moved/source/source.cl ] || fail "no source text"
[ -e moved/binary/binary.cl ] || fail "no source text of a binary that clBuildProgram made"
[ -e moved/linked/linked.spv ] || fail "no module"
has moved/source/source.yaml "# A launch saved by orrery: number 2, kernel show"
has moved/source/source.yaml "# Variables of the program begin as the program has them"
has moved/source/source.yaml "is shared virtual memory: a pointer that is stored in it points nowhere here."
has moved/source/source.yaml "first_launch: 2"

# The sub-buffer ends where it did.
has moved/source/source.yaml ", offset: 4096, bytes: 128"

# A part of the buffer is uninitialised, and is so in the saved launch.
has moved/source/source.yaml "unwritten: [128..4095, 4140..4223]"

# A part of a device is not saved, and the file says so.
$orrery run --save-launch=2:part.yaml -- "$build/tests/saved_arguments" part >part.program 2>err
has part.yaml "# The launch ran on 4 of the 8 compute units; here, on all."

# Numbers are those of YAML, whatever language the program speaks.
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null; then
    LOCPATH=$work LC_ALL=de_DE.UTF-8 $orrery run --save-launch=2:german.yaml -- "$build/tests/saved_arguments" >german.all 2>err
    sed 's/german\./source./; s/"german\./"source./g' german.yaml | cmp - moved/source/source.yaml || fail "the locale is in the numbers"
    passed=$((passed + 1))
fi

# ---- findings ----

# findings FILE: of launch $launch, without what names the program's objects and calls
findings() {
    python3 - "$1" "$launch" <<'END'
import json, sys
for line in open(sys.argv[1]):
    f = json.loads(line)
    if f.get("type") != "finding" or f.get("launch") != int(sys.argv[2]):
        continue
    print(f["id"], f.get("kernel"))
    for a in f.get("accesses", []):
        print("  ", [a.get(k) for k in ("access", "line", "column", "value", "size_bytes", "item")])
END
}

for schedule in lockstep serial round-robin random pct; do
    for launch in 1 2 3 4; do
        # what an earlier launch found is not found again: each is checked alone in the program
        $orrery run --schedule=$schedule --seed=11 --launches=$launch --force --json=all.json --save-launch="$launch:l.yaml" -- "$build/examples/two_kernels" "$src/examples/two_kernels.cl" >l.out 2>l.err
        $orrery run --values=off --fixes=off --force --json=l.json l.yaml >l.out 2>l.err
        findings all.json >wanted
        findings l.json >found
        cmp -s wanted found || fail "launch $launch under $schedule: $(diff wanted found)"
        passed=$((passed + 1)) total=$((${total:-0} + $(wc -l <found)))
    done
done
[ "${total:-0}" -gt 50 ] || fail "only ${total:-0} lines of findings were compared"

# ---- what goes wrong ----

$orrery run --save-launch=1:pipe.yaml -- "$build/tests/saved_arguments" pipe >out 2>err
has err "save_launch: argument 0 'p' of kernel piped cannot be saved: it is a pipe"
[ ! -e pipe.yaml ] || fail "a file of half a launch"
$orrery run --save-launch=9:late.yaml -- "$build/tests/saved_arguments" >out 2>err
has err "save_launch: the program came to launch 2, not to 9: nothing is saved"
$orrery run --save-launch=x.yaml -- true >out 2>err
[ $? = 2 ] || fail "no number: not refused"
has err "as in 3:launch.yaml"
$orrery run --save-launch=1:no/such/l.yaml -- true >out 2>err
[ $? = 2 ] || fail "no folder: not refused"
$orrery run --save-launch=1:kernel.yaml "$src/examples/labs/sum.cl" >out 2>err
[ $? = 2 ] || fail "a kernel: not refused"
has err "save_launch: found a scenario or kernel, expected a program"
[ ! -e kernel.yaml ] || fail "a file for a kernel"
echo mine >other.yaml
$orrery run --save-launch=1:other.yaml -- "$build/tests/saved_arguments" >out 2>err
[ "$(cat other.yaml)" = mine ] || fail "a file of others is overwritten"
echo mine >beside.cl
$orrery run --save-launch=1:beside.yaml -- "$build/tests/saved_arguments" >out 2>err
[ "$(cat beside.cl)" = mine ] || fail "a text of others is overwritten"
has err "beside.cl"

echo "$passed checks, $bad failed"
[ "$bad" = 0 ]
