#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A baseline accepts what was found once, in a scenario, in the processes of a program and in several scenarios, also
# when lines were added above it. What it does not have is reported, and rows that nothing meets are named once.
set -u
build=$(realpath "${ORRERY_BUILDDIR:?}")
orrery=$build/orrery program=$build/tests/check_runtime
[ -f "$build/.libs/liborrery.so" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
mkdir elsewhere
bad=0
cat >race.cl <<'EOC'
kernel void first(global int *a)
{
    a[0] = get_global_id(0);
}
kernel void second(global int *a)
{
    a[8] = 1;
}
EOC
cat >race.yaml <<'EOC'
orrery: 1
program: {source: race.cl}
launch:
  - {kernel: first, global: [4], local: [1], args: [{buffer: {type: int, count: 8, fill: 0}}]}
  - {kernel: second, global: [1], local: [1], args: [{buffer: {type: int, count: 8, fill: 0}}]}
expect: {findings: [{id: race-global}]}
EOC
problem() {
    echo "FAIL: $1"
    sed 's/^/    /' out err
    bad=1
}
# ran STATUS WHAT COMMAND...
ran() {
    local status=$1 what=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    [ "$got" = "$status" ] || problem "$what: status $got, expected $status"
}
says() { grep -q -- "$1" err || problem "$2: no '$1'"; }
says_not() { if grep -q -- "$1" err; then problem "$2: '$1'"; fi; }
rows() { grep -vc '^#' "$1"; }

# The present findings are accepted.
ran 66 'without one' "$orrery" run race.yaml
ran 0 'an update' "$orrery" run --baseline=known.txt --update-baseline race.yaml
says 'suppressed by the baseline: 2' 'an update'
[ "$(rows known.txt)" = 2 ] || problem 'not a row for each finding'
grep -qP '^[0-9a-f]{16}\trace-global\tfirst\trace.cl\ta\[0\] = get_global_id\(0\);$' known.txt || problem 'the row of the race'
grep -qP '^[0-9a-f]{16}\tout-of-bounds-write\tsecond\trace.cl\ta\[8\] = 1;$' known.txt || problem 'the row of the store'
cp known.txt before.txt
ran 0 'with it' "$orrery" run --baseline=known.txt --json=found.json --sarif=found.sarif race.yaml
says '^orrery: suppressed by the baseline: 2$' 'with it'
says 'SUMMARY errors=0 warnings=0 suppressed=2 ' 'with it'
says_not 'error:\|note:' 'with it'
cmp known.txt before.txt || problem 'a baseline that is read has changed'
ran 0 'by a variable' env ORRERY_BASELINE=known.txt "$orrery" run race.yaml
ran 66 'and stops nobody else' "$orrery" run race.yaml
cut -f1 before.txt | grep -v '^#' | sort >rows
grep -o '"fingerprint":"[^"]*"' found.json | cut -d'"' -f4 | sort | cmp - rows || problem 'the fingerprints of JSON'
grep -o '"orrery/v2": "[^"]*"' found.sarif | cut -d'"' -f4 | sort | cmp - rows || problem 'the fingerprints of SARIF'
[ "$(grep -c '"accepted":true' found.json)" = 2 ] || problem 'the JSON does not say what is accepted'
grep -q '"type":"summary","errors":0,"warnings":0,"suppressed":2,"accepted":2' found.json || problem 'the summary of JSON'
[ "$(grep -c '"baselineState": "unchanged"' found.sarif) $(grep -c '"kind": "external"' found.sarif)" = '2 2' ] || problem 'the states of SARIF'

# Lines move, one finding is new and one is gone.
{ printf '// one\n\n'; sed 's/a\[8\] = 1/a[9] = 2/' race.cl; } >moved.cl
sed 's/race\.cl/moved.cl/' race.yaml >moved.yaml
sed 's/race\.cl/moved.cl/' known.txt >unused.txt
mkdir moved && mv moved.cl moved/race.cl && cp race.yaml moved
ran 66 'another store' "$orrery" run --baseline=known.txt --sarif=new.sarif moved/race.yaml
says 'suppressed by the baseline: 1' 'another store'
says 'SUMMARY errors=1 warnings=0 suppressed=1 ' 'another store'
says 'error: out-of-bounds-write' 'another store'
says_not 'error: race-global' 'another store'
says 'note: nothing was found of 1 row of the baseline known.txt; --update-baseline drops it:' 'another store'
says '^  [0-9a-f]*.out-of-bounds-write.second.race.cl.a\[8\] = 1;$' 'another store'
[ "$(grep -c '"baselineState": "unchanged"' new.sarif) $(grep -c '"baselineState": "new"' new.sarif)" = '1 1' ] || problem 'the states of both'
ran 0 'updated' "$orrery" run --baseline=known.txt --update-baseline moved/race.yaml
[ "$(rows known.txt)" = 2 ] && ! grep -q 'a\[8\]' known.txt || problem 'an update does not drop rows'
cp before.txt known.txt

# Suppressed findings are not in the baseline.
printf '%s\n' '- {id: race-global}' >hide.yaml
ran 0 'with a suppression' "$orrery" run --suppressions=hide.yaml --baseline=one.txt --update-baseline race.yaml
[ "$(rows one.txt)" = 1 ] || problem 'a suppressed finding has a row'
ran 0 'with both' "$orrery" run --suppressions=hide.yaml --baseline=known.txt race.yaml
says 'suppressed by the baseline: 1' 'with both'
says_not 'note: nothing was found' 'with both'

# Scenarios: what is expected may be in it, what is not is accepted; the note is of all of them.
ran 1 'check without' "$orrery" check race.yaml moved/race.yaml
for option in -j1 -j2 --tap; do
    rm -f all.txt
    ran 0 "check, $option, an update" "$orrery" check $option --baseline=all.txt --update-baseline race.yaml moved/race.yaml
    [ "$(rows all.txt)" = 3 ] || problem "check, $option: not the rows of both"
    says '^orrery: suppressed by the baseline: 4$' "check, $option, an update"
    ran 0 "check, $option" "$orrery" check $option --baseline=all.txt race.yaml moved/race.yaml
    says_not 'note:' "check, $option"
    ran 1 "check, $option, one row" "$orrery" check $option --baseline=before.txt race.yaml moved/race.yaml
    says_not 'note:' "check, $option, one row"
    ran 0 "check, $option, one scenario" "$orrery" check $option --baseline=all.txt race.yaml
    [ "$(grep -c 'note: nothing was found of 1 row of' err)" = 1 ] || problem "check, $option: not one note"
done

# Processes, in other directories, too.
both="cd elsewhere; $program found_exit; $program refused; exit 0"
ran 66 'processes' "$orrery" run --check-api=error -- sh -c "$both"
ran 0 'processes, an update' "$orrery" run --check-api=error --baseline=both.txt --update-baseline -- sh -c "$both"
[ "$(rows both.txt)" = 2 ] || problem 'not the rows of both processes'
ran 0 'processes with it' "$orrery" run --check-api=error --baseline=both.txt -- sh -c "$both"
says_not 'note: nothing\|error:' 'processes with it'
ran 0 'one of them' "$orrery" run --check-api=error --baseline=both.txt -- sh -c "$program found_kill; exit 0"
[ "$(grep -c 'note: nothing was found of 1 row of' err)" = 1 ] || problem 'processes: not one note'
printf 'orrery: 1\nexpect: {findings: []}\n' >program.yaml
ran 1 'check of a program' "$orrery" check --check-api=error --exec="$both" program.yaml
ran 0 'check of a program with it' "$orrery" check --check-api=error --baseline="$work/both.txt" --exec="$both" program.yaml
says '^orrery: suppressed by the baseline: 2$' 'check of a program with it'
says_not 'note: nothing' 'check of a program with it'

# A file that is no baseline is refused before anything runs, and no other file is replaced.
refused() { # TEXT OPTION...
    local text=$1
    shift
    ran 2 "$*" "$orrery" run "$@" race.yaml
    says "error: $text" "$*"
    ran 2 "check $*" "$orrery" check "$@" race.yaml
    says "error: $text" "check $*"
    ran 2 "program $*" "$orrery" run "$@" -- "$program" clean_status
}
refused 'absent.txt: the baseline cannot be read; --update-baseline makes it' --baseline=absent.txt
refused 'elsewhere: the baseline cannot be read' --baseline=elsewhere
refused 'update-baseline: found no baseline, expected --baseline=FILE' --update-baseline
refused 'baseline: race.cl: found a file that is not such a report' --baseline=race.cl --update-baseline
refused 'baseline: no/b.txt: No such file or directory' --baseline=no/b.txt --update-baseline
printf '# Baseline of orrery\n\n0123456789abcdef\tx\n0123456789abcde\tx\n' >wrong.txt
refused "wrong.txt:4:1: baseline: found '0123456789abcde', expected a fingerprint of 16 hexadecimal digits" --baseline=wrong.txt
printf '0123456789abcdefg\n' >wrong.txt
refused "wrong.txt:1:1: baseline: found '0123456789abcdefg', expected" --baseline=wrong.txt
ran 2 'seeds' "$orrery" run --seeds=1..2 --baseline=known.txt --update-baseline race.yaml
says 'update-baseline: found with --seeds, expected a single run' 'seeds'
printf '# any\r\n0123456789ABCDEF\r\n0123456789abcdef\n' >wrong.txt # any text may follow, and none
ran 66 'lines of Windows' "$orrery" run --baseline=wrong.txt race.yaml
says 'note: nothing was found of 1 row' 'lines of Windows'
# A device of zeros is no baseline, and no suppressions or scenario either.
if [ -c /dev/zero ]; then
    ln -s /dev/zero zero.yaml
    for given in '--baseline=/dev/zero race.yaml' '--suppressions=/dev/zero race.yaml' zero.yaml; do
        # shellcheck disable=SC2086
        ran 2 "$given" timeout 20 "$orrery" run $given
        says 'is no text' "$given"
    done
fi
exit $bad
