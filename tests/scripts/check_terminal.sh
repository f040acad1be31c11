#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Output on a terminal: help against the manual, colour, width, the line of progress, completion; and a kernel without scenario.
set -u
src=${ORRERY_SRCDIR:-.} orrery=${ORRERY_BUILDDIR:?}/orrery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
case $src in /*) ;; *) src=$OLDPWD/$src ;; esac
bad=0
problem() {
    echo "FAIL: $*"
    bad=$((bad + 1))
}
commands='run check replay litmus dis explain topology info completion serve'

# ---- help
manual=$(sed 's/\\-/-/g' "$src/man/orrery.1")
options_of() { "$orrery" "$1" --help | grep -oE '^ +(-[a-z], )?--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+$'; }
for command in $commands; do
    options_of "$command"
done | sort -u >shown
[ "$(wc -l <shown)" -gt 80 ] || problem 'hardly an option is shown'
while read -r option; do
    grep -qE -- "(^|[ ,])$option([ ,]|\$)" <<<"$manual" || problem "$option is not in orrery(1)"
done <shown
grep -E '^\.It Cm .*--' <<<"$manual" | grep -oE -- '--[a-z][a-z-]*' | sort -u | while read -r option; do
    grep -qx -- "$option" shown && continue
    known=no
    for command in $commands; do
        "$orrery" "$command" "$option" x.yaml 2>&1 </dev/null | grep -q 'no option is named' || known=yes
    done
    [ "$known" = yes ] || echo "$option"
done >lost
[ -s lost ] && problem "the manual has options that are none: $(cat lost)"
"$orrery" run --help >help
for title in 'What is looked for:' 'How it runs:' 'The device:' 'Its limits:' 'The report and its files:'; do
    grep -q "^ *$title" help || problem "no '$title' in --help"
done
# The manual has the options of the help in its groups, in its order, each with its default.
awk '/^ [A-Z].*:$/ { sub(/^ /, ""); sub(/:$/, ""); group = $0; next }
    /--help/ { exit }
    group && /^      --[a-z]/ { option = substr($0, 9); sub(/[^a-z-].*/, "", option); print group "|" option }
    /\(default:|\(default$/ && option { print "--" option >"defaults" }' help >grouped
awk '/^\.Ss / { group = substr($0, 5) }
    /^\.It Cm / && group { while (match($0, /--[a-z][a-z-]*/)) {
        print group "|" substr($0, RSTART + 2, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH) } }' <<<"$manual" >grouped.manual
grep -xFf grouped grouped.manual | cmp -s - grouped ||
    problem "orrery(1) has not the groups of --help: $(diff grouped <(grep -xFf grouped grouped.manual) | grep '^[<>]' | head -5)"
while read -r option; do
    sed -n "/^\.It Cm .*$option\( \|\$\)/,/^\.\(It\|El\|Ss\)/p" <<<"$manual" | tail -n +2 | grep -qi default || problem "orrery(1) has no default of $option"
done <defaults
[ "$(wc -l <defaults)" -gt 40 ] || problem 'hardly an option has a default'
tr -s ' \n' ' ' <help >flat
for default in 'seed of random and pct (default: 0)' '(default: lockstep)' 'report data races (default: error)' \
    'leaks, and shared units (default: off)' 'names of checks; all,no-races; races=warning (default: all)' '(default: auto)' '(default: 64KiB)'; do
    grep -qF "$default" flat || problem "no '$default' in --help"
done
for columns in 60 100; do
    [ "$(COLUMNS=$columns "$orrery" run --help | wc -L)" -le $columns ] || problem "--help is wider than $columns columns"
done
[ "$(COLUMNS=120 "$orrery" run --help | wc -L)" -gt 90 ] || problem '--help does not use the width'

# ---- width of findings: of a terminal from 60 to 200 columns; files and pipes have their own
cat >wide.yaml <<'END'
orrery: 1
program: {text: "kernel void k(global int *a) { a[get_local_id(0) / 2 + get_group_id(0) / 2 * 0 * get_num_groups(0) + 0] = 1; }"}
launch: [{kernel: k, global: 8, local: 4, args: [{buffer: {type: int, count: 4, fill: 0}}]}]
END
cat >width.py <<'END'
import fcntl, os, pty, re, struct, subprocess, sys, termios
def shown(columns, **more):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen([sys.argv[1], "run", "--color=never", "wide.yaml"], stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, **more})
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        text += part
    child.wait()
    return text.decode().replace("\r", "").split("orrery: replay")[0].rstrip().split("orrery: SUMMARY")[0].split("\n")
plain = subprocess.run([sys.argv[1], "run", "--color=never", "wide.yaml"], stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "60"}).stderr.decode()
plain = plain.split("orrery: replay")[0].rstrip().split("orrery: SUMMARY")[0].split("\n")
assert max(map(len, plain)) > 100, "the plain text is not wider than 100 columns"
words = lambda lines: " ".join(lines).split()
for columns in (60, 80, 132, 200):
    lines = shown(columns)
    begin = next(i for i, line in enumerate(lines) if "error: race" in line)
    assert max(map(len, lines[begin:])) <= columns, "%d columns: %s" % (columns, max(lines, key=len))
    assert words(lines[begin:]) == words(plain), "%d columns change the words" % columns
assert max(map(len, shown(10))) <= 60 < max(map(len, shown(200))), "not from 60 to 200"
assert max(map(len, shown(0, COLUMNS="70"))) <= 70, "COLUMNS of a terminal without a size"
END
if command -v python3 >/dev/null; then
    python3 width.py "$orrery" 2>err || { cat err; problem 'the width of findings'; }
fi

# ---- colour
printf 'orrery: 1\nprogram: {text: "kernel void k(global int *a) { a[9] = 1; }"}\nlaunch: [{kernel: k, global: 1, args: [{buffer: {type: int, count: 4, fill: 0}}]}]\nexpect: {findings: []}\n' >faulty.yaml
colour() { grep -q $'\033\\[' err; }
"$orrery" run --color=always faulty.yaml 2>err; colour || problem 'always is without colour'
NO_COLOR=1 "$orrery" run --colour=always faulty.yaml 2>err; colour || problem 'NO_COLOR is stronger than always'
"$orrery" run faulty.yaml 2>err; colour && problem 'a file gets colour'
if command -v script >/dev/null; then
    on_terminal() { script -qec "$1" /dev/null </dev/null >err 2>&1; }
    on_terminal "'$orrery' run faulty.yaml"; colour || problem 'a terminal is without colour'
    on_terminal "NO_COLOR=1 '$orrery' run faulty.yaml"; colour && problem 'NO_COLOR has colour'
    on_terminal "'$orrery' run --color=never faulty.yaml"; colour && problem 'never has colour'
    # A check of more than two seconds prints its progress, and erases it.
    printf 'orrery: 1\nschedule: {timeout: 3.5, max_steps: 0}\nprogram: {text: "kernel void k(void) { while (1); }"}\nlaunch: [{kernel: k, global: 1, args: []}]\nexpect: {findings: [{id: no-progress}]}\n' >slow.yaml
    on_terminal "'$orrery' check faulty.yaml slow.yaml"
    grep -q 'scenario 2 of 2: slow.yaml, [23] s' err || problem 'no line of progress'
    sed 's/.*\r\x1b\[K//' err | grep -q 'scenario 2 of 2' && problem 'the line of progress stays'
    on_terminal "'$orrery' run slow.yaml"
    grep -q 'launch 1, kernel k, 100 % of its work-groups have begun, [23] s' err || problem 'no line of progress of a launch'
    sed 's/.*\r\x1b\[K//' err | grep -q 'have begun' && problem 'the line of progress of a launch stays'
    on_terminal "'$orrery' check faulty.yaml"
    grep -q 'scenario 1 of 1' err && problem 'a short check has a line of progress'
fi
"$orrery" check faulty.yaml >out 2>err
grep -q 'scenario 1 of 1' out err && problem 'progress without a terminal'

# ---- completion
"$orrery" completion bash >orrery.bash || problem 'no completion for bash'
complete_words() { # WORD...: what bash offers for the last one
    bash -c '. ./orrery.bash; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _orrery; echo "${COMPREPLY[@]}"' bash "$@"
}
is() { [ "$1" = "$2" ] || problem "completion: got '$1', expected '$2'"; }
is "$(complete_words orrery ch)" check
is "$(complete_words orrery run --check-ra)" --check-races
is "$(complete_words orrery run --see)" '--seeds= --seed='
is "$(complete_words orrery run --check-races = w)" warning
is "$(complete_words orrery run --color = a)" 'auto always'
is "$(complete_words orrery litmus --verd)" --verdicts=
is "$(complete_words orrery run faul)" faulty.yaml
while read -r option; do
    grep -q -- "${option}[ =']" orrery.bash || problem "completion for bash lacks $option"
done <shown
for shell in zsh fish; do
    "$orrery" completion $shell >orrery.$shell || problem "no completion for $shell"
    while read -r option; do
        grep -qE -- "(-l |--)${option#--}([^a-z-]|\$)" orrery.$shell || problem "completion for $shell lacks $option"
    done <shown
    ! command -v $shell >/dev/null || $shell -n orrery.$shell || problem "completion for $shell is no $shell"
done

# ---- a kernel without a scenario
cat >one.cl <<'END'
kernel void all(global float4 *a, constant int *b, local double *t, int n, float f, uint3 v, read_only image2d_t i, sampler_t s)
{
    int g = get_global_id(0);
    t[get_local_id(0)] = f;
    if (g < n)
        a[g] = read_imagef(i, s, (int2)(0, 0)) + b[g] + (float)t[get_local_id(0)] + v.x;
}
END
cat >two.cl <<'END'
struct pair { int a; float b; };
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
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void tile(global struct pair *p, struct pair q)
{
    p[get_global_id(1) * get_global_size(0) + get_global_id(0)].a = q.a + (int)get_local_size(1);
}
END
runs() { # STATUS TEXT ARGUMENT...
    local status=$1 text=$2
    shift 2
    "$orrery" "$@" >out 2>err
    local got=$?
    [ $got = "$status" ] && grep -q -- "$text" out err || problem "orrery $*: status $got, expected $status and '$text': $(cat out err)"
}
runs 0 'kernels=1 .*checks=all' run one.cl
runs 0 'save-scenario=FILE' run one.cl
runs 0 'ran with 192 work-items in 3 work-groups, n = 151, buffers of 604 and 151 values$' run one.cl
# A kernel of two dimensions gets these, and its tile decides how many; one that reads one dimension, or is beside such a kernel, does not.
cat >shapes.cl <<'END'
#define TILE 5
size_t row(void) { return get_global_id(1); }
kernel void line(global int *a, int n)
{
    int i = get_global_id(0);
    if (i < n)
        a[i] = 1;
}
kernel void square(global int *a, int width)
{
    a[row() * width + get_global_id(0)] = 1;
}
kernel void cube(global int *a) { a[get_local_id(2)] = 1; }
kernel void product(int n, global const float *a, global const float *b, global float *c)
{
    local float as[TILE][TILE + 1], bs[TILE][TILE];
    int row = get_local_id(1), col = get_local_id(0), at_row = TILE * get_group_id(1) + row, at_col = TILE * get_group_id(0) + col;
    float sum = 0;
    for (int t = 0; t < n / TILE; t++) {
        as[row][col] = a[at_row * n + TILE * t + col];
        bs[row][col] = b[(TILE * t + row) * n + at_col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += as[row][k] * bs[k][col];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[at_row * n + at_col] = sum;
}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(global int *a, int width)
{
    a[get_global_id(1) * width + get_global_id(0)] = 1;
}
END
runs 0 'ran with 192 work-items in 3 work-groups, n = 151, a buffer of 151 values$' run shapes.cl:line
runs 0 'ran with 24 x 24 work-items in 9 work-groups, width = 24, a buffer of 576 values$' run shapes.cl:square
runs 66 'ran with 4 x 4 x 4 work-items in 1 work-group, a buffer of 4 values$' run shapes.cl:cube
runs 0 'ran with 15 x 15 work-items in 9 work-groups, n = 15, buffers of 225 values$' run shapes.cl:product
runs 0 'ran with 12 x 6 work-items in 9 work-groups, width = 12, a buffer of 72 values$' run shapes.cl:required
runs 2 'several kernels: choose one with --kernel=NAME, of sum, tile' run two.cl
runs 66 'race-local' run --kernel=sum two.cl
runs 66 'race-local' run --kernel sum two.cl
replay=$(sed -n 's/^orrery: replay with: orrery //p' err)
eval "runs 66 race-local $replay"
runs 0 'work-groups, a buffer of 576 bytes$' run two.cl:tile # 12 x 6 structs of 8 bytes; a struct is no whole number
runs 2 "no kernel 'som': choose one of sum, tile" run two.cl:som
runs 2 "for one kernel of OpenCL C" run --save-scenario=other.yaml faulty.yaml
runs 66 'race-local' run --kernel='!tile' two.cl:sum # of a kernel that is named, the launches that are checked
runs 0 'no launch is one of --kernel=tile: 1 launch ran, of sum' run --kernel=tile two.cl:sum
runs 2 "expected nothing" run one.cl more
printf 'kernel void p(read_only pipe int q) {}\n' >pipe.cl
runs 2 'a scenario has no argument of type' run --build-options=-cl-std=CL2.0 pipe.cl
printf 'kernel void p(global int *q) { q[0] = nobody; }\n' >wrong.cl
runs 2 'nobody' run wrong.cl
# Lines that no value reaches are named, one and several; numbers that differ are named each.
cat >idle.cl <<'END'
kernel void idle(global int *a, int n, int from)
{
    int i = get_global_id(0);
    if (i < from || i >= n)
        return;
    if (a[i] == 77)
        a[i] = 3;
    a[i]++;
    if (a[i] == 78) {
        a[i] = 4;

        a[i] = 5;
    }
}
END
runs 0 'note: lines 7, 10..13 of idle.cl did not run with these values' run idle.cl
runs 0 'in 3 work-groups, n = 151, from = 1, a buffer of 151 values' run idle.cl
echo 'kernel void small(global int *a, char c, int n) { if (get_global_id(0) < n) a[get_global_id(0)] = c; }' >small.cl
runs 0 'c = 127, n = 151, a buffer of 151 values' run small.cl
sed '9,13d' idle.cl >idle_one.cl
runs 0 'note: line 7 of idle_one.cl did not run' run idle_one.cl
if grep -q 'did not run' err && "$orrery" run one.cl 2>&1 | grep -q 'did not run'; then problem 'lines that ran are named'; fi
# A device with small work-groups gets such.
runs 0 'ran with 96 work-items in 3 work-groups' run --work-group-size=32 one.cl
runs 0 'ran with 12 x 12 work-items in 9 work-groups' run --max-work-item-sizes=4,4,1 shapes.cl:square
# The scenario that is written is the one that ran, here and in another directory.
mkdir -p else
for file in kept.yaml else/kept.yaml; do
    runs 66 'race-local' run --kernel=sum --save-scenario=$file two.cl
    runs 66 'race-local' run $file
done
grep -q 'count: 64, fill: 1' kept.yaml || problem 'the scenario has not the buffer'
runs 0 'kernels=1' run --fast kept.yaml

[ "$bad" = 0 ] && echo 'terminal: all as the manual says'
exit $((bad > 0))
