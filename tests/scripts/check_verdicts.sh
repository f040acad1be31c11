#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Litmus tests: verdicts of others, every outcome of every test as it was, and the command's ways to fail.
# After a change that is meant: check_verdicts.sh --renew writes the tables of tests/litmus/ anew; read the difference.
set -u
src=$(realpath "${ORRERY_SRCDIR:-.}")
orrery=$(realpath "${ORRERY_BUILDDIR:-build}")/orrery
tests=$src/scenarios/litmus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

problem() {
    echo "FAIL: $1"
    bad=1
}

# table DIRECTORY NAME OPTION...
table() {
    local directory=$1 name=$2
    shift 2
    "$orrery" litmus "$@" "$tests/$directory" >"$work/table" || problem "litmus $* $directory ended with $?"
    [ "${renew-}" ] && cp "$work/table" "$src/tests/litmus/$directory.$name"
    diff -u "$src/tests/litmus/$directory.$name" "$work/table" || problem "outcomes of $directory, $name"
}

# verdicts DIRECTORY STATUS LAST-LINE OPTION...
verdicts() {
    local directory=$1 status=$2 last=$3 got
    shift 3
    "$orrery" litmus "$@" --verdicts "$tests/$directory/verdicts.csv" "$tests/$directory" >"$work/verdicts"
    got=$?
    [ "$got" = "$status" ] && [ "$(tail -n 1 "$work/verdicts")" = "$last, 0 tests did not run" ] && return
    cat "$work/verdicts"
    problem "verdicts of $directory $*: status $got, expected $status and '$last'"
}

# fails STATUS TEXT ARGUMENT...
fails() {
    local status=$1 text=$2 got
    shift 2
    "$orrery" litmus "$@" >"$work/out" 2>&1
    got=$?
    [ "$got" = "$status" ] && grep -qF -- "$text" "$work/out" && return
    cat "$work/out"
    problem "litmus $*: status $got, expected $status and '$text'"
}

[ "${1-}" = --renew ] && renew=1
for directory in dat3m teaching mixes rules; do
    table "$directory" interleavings --interleavings
    table "$directory" weak
done

# The guarantees of each engine; the rest needs weaker ones.
verdicts dat3m 0 '59 of 79 verdicts agree' --interleavings
verdicts dat3m 0 '75 of 79 verdicts agree'
verdicts dat3m 0 '79 of 79 verdicts agree' --thin-air
verdicts teaching 0 '52 of 70 verdicts agree' --interleavings
verdicts teaching 0 '68 of 70 verdicts agree'
verdicts mixes 0 '45 of 60 verdicts agree' --interleavings
verdicts mixes 0 '60 of 60 verdicts agree'
verdicts mixes 1 '59 of 60 verdicts agree' --thin-air
verdicts rules 0 '14 of 14 verdicts agree'
[ "$("$orrery" litmus --interleavings --verdicts "$tests/dat3m/verdicts.csv" "$tests/dat3m" | grep 'race no' )" = \
    '  not reached: overhauling/example7b.litmus: race no, expected race' ] || problem 'races of dat3m'

# A verdict that is wrong is a difference.
sed 's/^herd\/R.litmus,reachable/herd\/R.litmus,unreachable/' "$tests/dat3m/verdicts.csv" >"$work/wrong.csv"
fails 1 'differs: herd/R.litmus: exists yes, expected unreachable' --verdicts "$work/wrong.csv" "$tests/dat3m"
sed 's/^herd\/S.litmus,reachable,race/herd\/S.litmus,reachable,no-race/' "$tests/dat3m/verdicts.csv" >"$work/wrong.csv"
fails 1 'differs: herd/S.litmus: race yes, expected no-race' --verdicts "$work/wrong.csv" "$tests/dat3m"
fails 1 'no verdict: '"$tests"'/teaching/mp_plain.litmus' --verdicts "$work/wrong.csv" "$tests/teaching"
# The rows' names begin above the directory or file that is given.
fails 0 '45 of 79 verdicts agree, 17 tests did not run' --weak --verdicts "$tests/dat3m/verdicts.csv" "$tests/dat3m/herd"
fails 0 '2 of 79 verdicts agree, 40 tests did not run' --verdicts "$tests/dat3m/verdicts.csv" "$tests/dat3m/herd/R.litmus"
(cd "$tests/dat3m/herd" && fails 0 '2 of 79 verdicts agree' --verdicts ../verdicts.csv R.litmus && exit "$bad") || bad=1

echo 'a,b' >"$work/wrong.csv"
fails 2 'wrong.csv:1: expected the columns' --verdicts "$work/wrong.csv" "$tests/dat3m"
# Only the words that there are.
word() { # COLUMN FOUND EXPECTED ROW
    printf '%s\n' test,outcome_expected,race_expected,needs '' "$4" herd/R.litmus,reachable,race,interleaving >"$work/wrong.csv"
    fails 2 "wrong.csv:3: $1: found '$2', expected $3" --verdicts "$work/wrong.csv" "$tests/dat3m/herd/S.litmus"
}
word outcome_expected maybe 'reachable, unreachable or nothing' herd/S.litmus,maybe,0,interleaving
word race_expected 0 'race, no-race or nothing' herd/S.litmus,,0,interleaving
word race_expected Race 'race, no-race or nothing' herd/S.litmus,reachable,Race,interleaving
word needs nonsense 'forbidden, interleaving, stale-read, stale-read+mo-reorder or porf-cycle' herd/S.litmus,reachable,race,nonsense
word needs '' 'forbidden, interleaving' herd/S.litmus,reachable,race,
printf '%s\n' test,outcome_expected,race_expected,needs herd/S.litmus,,race,stale-read+mo-reorder >"$work/right.csv"
fails 0 '1 of 1 verdicts agree' --weak --verdicts "$work/right.csv" "$tests/dat3m/herd/S.litmus"
for second in reachable,race unreachable,race; do
    printf '%s\n' test,outcome_expected,race_expected,needs herd/S.litmus,reachable,race,interleaving '' \
        "herd/S.litmus,$second,interleaving" >"$work/wrong.csv"
    fails 2 "wrong.csv:4: test: 'herd/S.litmus' has a row already, in line 2" --verdicts "$work/wrong.csv" "$tests/dat3m/herd/S.litmus"
done
fails 2 'cannot be read' --verdicts "$work/none.csv" "$tests/dat3m"

fails 2 'No such file or directory' "$work/none.litmus"
mkdir "$work/empty"
fails 2 'no litmus test in it' "$work/empty"
fails 2 'a bound is a number' --bound 0 "$tests/dat3m"
fails 2 'no litmus test given' --json

# A loop that changes something in each round meets the bound: not decided, unless the outcome is there anyway.
cat >"$work/count.litmus" <<'END'
OPENCL count
{ }
P0@wg 0, dev 0 (global atomic_int* x) {
  while (atomic_fetch_add(x, 1) != 5) {
  }
}
exists (x=9)
END
fails 0 'exists unknown, race unknown' --bound 3 "$work/count.litmus"
fails 0 'execution cut at the bound' --bound 3 "$work/count.litmus"
fails 0 'exists no, race no' "$work/count.litmus"
fails 0 'exists unknown, race unknown' --weak --bound 3 "$work/count.litmus"
fails 0 'exists no, race no' --weak "$work/count.litmus"
sed 's/!= 5/>= 0/' "$work/count.litmus" >"$work/loop.litmus"
fails 0 '{"test":"'"$work"'/loop.litmus","model":"opencl","exists":"unknown","race":"unknown","outcomes":[],"stuck":0,"cut":1,"gave_up":false,"divergence":null}' --json "$work/loop.litmus"

# Four locks are answered, each order of their holders once.
{
    printf 'OPENCL locks\n{ }\n'
    for thread in 0 1 2 3; do
        cat <<END
P$thread@wg $thread, dev 0 (global int* x, global atomic_int* l) {
  int e = 0;
  while (atomic_compare_exchange_strong_explicit(l, &e, 1, memory_order_acquire, memory_order_relaxed) == 0) { e = 0; }
  *x = *x + 1;
  atomic_store_explicit(l, 0, memory_order_release);
}
END
    done
    echo 'exists (x=3)'
} >"$work/locks.litmus"
fails 0 'exists no, race no' --weak "$work/locks.litmus"
# Other loops in which four threads wait: old values are refused as soon as they are read, and stores that happen before one another
# have one order. A relaxed release lets the next holder read an old value.
spinning() { # THREADS PARAMETERS BODY CONDITION
    printf 'OPENCL spinning\n{ }\n'
    for ((thread = 0; thread < $1; thread++)); do
        printf 'P%d@wg %d, dev 0 (%s) {\n%s\n}\n' "$thread" "$thread" "$2" "${3//@/$thread}"
    done
    echo "$4"
}
lock='  while (atomic_exchange_explicit(l, 1, memory_order_acquire) == 1) { }
  *x = *x + 1;
  atomic_store_explicit(l, 0, memory_order_release);'
ticket='  int r0 = atomic_fetch_add_explicit(t, 1, memory_order_relaxed);
  while (atomic_load_explicit(l, memory_order_acquire) != r0) { }
  *x = *x + 1;
  atomic_store_explicit(l, r0 + 1, memory_order_release);'
meet='  *x@ = 1;
  atomic_fetch_add_explicit(l, 1, memory_order_acq_rel);
  while (atomic_load_explicit(l, memory_order_acquire) != 3) { }
  int r0 = *x0 + *x1 + *x2;'
parameters='global int* x, global atomic_int* l'
spinning 4 "$parameters" "$lock" 'forall (x=4)' >"$work/exchange.litmus"
spinning 4 "$parameters" "${lock/release/relaxed}" 'exists (x=3)' >"$work/relaxed.litmus"
spinning 4 "$parameters, global atomic_int* t" "$ticket" 'forall (x=4)' >"$work/tickets.litmus"
spinning 3 "global int* x0, global int* x1, global int* x2, global atomic_int* l" "$meet" 'exists (0:r0=2)' >"$work/meet.litmus"
fails 0 'forall yes, race no' "$work/exchange.litmus"
fails 0 'exists yes, race yes' "$work/relaxed.litmus"
fails 0 'forall yes, race no' "$work/tickets.litmus"
fails 0 'exists no, race no' "$work/meet.litmus"
# Without a bound to meet, thin air is not cut at one.
"$orrery" litmus --thin-air --bound 1 "$tests/mixes/update_alone.litmus" "$tests/mixes/seven_updates.litmus" >"$work/out"
grep -q 'cut\|unknown' "$work/out" && problem "thin air: $(cat "$work/out")"

# Updates without a loop, of values that were read: where each thread goes from the first location to the second, no value can be its
# own cause. Thin air then has the outcomes and races that there are without it, and leaves none open.
mkdir "$work/updates"
python3 - "$work/updates" <<'END' || problem 'no updates are made'
import random, sys
for seed in range(60):
    rng = random.Random(seed)
    lines, registers = ['OPENCL updates', '{ }'], []
    threads = rng.randint(1, 3)
    for thread in range(threads):
        lines.append('P%d@wg %d, dev 0 (global atomic_int* x, global atomic_int* y) {' % (thread, rng.randint(0, thread)))
        own = []
        for place in sorted(rng.choice('xxy') for _ in range(rng.randint(1, 3 if threads < 3 else 2))):
            call = rng.choice(['fetch_add', 'fetch_add', 'fetch_or', 'exchange', 'load', 'store'])
            orders = {'load': ['relaxed', 'acquire', 'seq_cst'], 'store': ['relaxed', 'release', 'seq_cst']}
            order = rng.choice(orders.get(call, ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst']))
            value = '' if call == 'load' else ', ' + rng.choice(['1', '2'] + own)
            text = 'atomic_%s_explicit(%s%s, memory_order_%s, memory_scope_device);' % (call, place, value, order)
            if call != 'store':
                own.append('r%d' % len(own))
                text = 'int %s = %s' % (own[-1], text)
            lines.append('  ' + text)
        lines.append('}')
        registers += ['%d:%s' % (thread, name) for name in own]
    asked = registers + ['x', 'y']
    lines.append('exists (%s)' % ' /\\ '.join('%s=%d' % (name, rng.randint(0, 3)) for name in rng.sample(asked, 2)))
    open('%s/%d.litmus' % (sys.argv[1], seed), 'w').write('\n'.join(lines) + '\n')
END
"$orrery" litmus --weak "$work/updates" | sed 's/ (model.*//' >"$work/weak"
"$orrery" litmus --thin-air "$work/updates" | sed 's/ (model.*//' >"$work/thin"
[ "$(grep -c 'exists.*race' "$work/weak")" = 60 ] || problem "not 60 tests of updates: $(head -5 "$work/weak")"
diff "$work/weak" "$work/thin" >"$work/out" || problem "thin air, of updates: $(head -5 "$work/out")"

# Too many executions: given up after a count, the same each time.
{
    printf 'OPENCL nine\n{ }\n'
    for thread in 0 1 2 3 4 5 6 7 8; do
        echo "P$thread@wg $thread, dev 0 (global atomic_int* x) { int r = atomic_fetch_add(x, 1); int q = atomic_fetch_add(x, 1); }"
    done
    echo 'exists (x=17)'
} >"$work/nine.litmus"
for engine in --interleavings --weak --thin-air; do
    fails 0 'exists unknown, race unknown' --work 20000 "$engine" "$work/nine.litmus"
    fails 0 'gave up, there are more executions' --work 20000 "$engine" "$work/nine.litmus"
    cp "$work/out" "$work/before"
    fails 0 'gave up' --work 20000 "$engine" "$work/nine.litmus"
    cmp "$work/before" "$work/out" || problem "litmus --work $engine comes to something else"
done
fails 0 'exists no, race no' --work 100 "$work/count.litmus"
fails 2 'the work is a number from 1' --work 0 "$tests/dat3m"

# Waiting for a value that is never written; a barrier that one of the group never reaches.
cat >"$work/wait.litmus" <<'END'
OPENCL wait
{ }
P0@wg 0, dev 0 (global atomic_int* x) {
  while (atomic_load(x) == 0) { }
}
P1@wg 0, dev 0 (global atomic_int* x) {
  barrier(CLK_GLOBAL_MEM_FENCE);
}
exists (x=0)
END
cat >"$work/spin.litmus" <<'END'
OPENCL spin
{ }
P0@wg 0, dev 0 (global atomic_int* x, global atomic_int* y) {
  while (atomic_load(x) != 1) { }
}
P1@wg 1, dev 0 (global atomic_int* x, global atomic_int* y) {
  atomic_store(x, 1);
  while (atomic_load(y) == 0) { }
}
P2@wg 2, dev 0 (global atomic_int* x, global atomic_int* y) {
  atomic_store(x, 2);
  atomic_store(y, 1);
}
exists (x=2)
END
sed 's/atomic_store(x, 2);//' "$work/spin.litmus" >"$work/served.litmus"
cat >"$work/divergent.litmus" <<'END'
OPENCL divergent
{ }
P0@wg 0, dev 0 (global atomic_int* x) {
  if (atomic_load(x) == 1) { barrier(CLK_GLOBAL_MEM_FENCE); }
}
P1@wg 0, dev 0 (global atomic_int* x) {
  atomic_store(x, 1);
  barrier(CLK_GLOBAL_MEM_FENCE);
}
exists (x=1)
END
sed 's/if (atomic_load(x) == 1) { /B1: /; s/; }/;/; s/^  barrier/  B2: barrier/' "$work/divergent.litmus" >"$work/labels.litmus"
for engine in --interleavings --weak --thin-air; do
    fails 0 '     1 execution where what is left waits for ever' "$engine" "$work/wait.litmus"
    fails 0 'exists no, race no' "$engine" "$work/wait.litmus"
    fails 0 '"cut":0,"gave_up":false,"divergence":null' --json "$engine" "$work/spin.litmus"
    fails 0 'executions where what is left waits for ever' "$engine" "$work/spin.litmus"
    fails 0 '"stuck":0' --json "$engine" "$work/served.litmus"
    fails 1 'error: barrier divergence: P1 waits in line 8, P0 has returned' "$engine" "$work/divergent.litmus"
    fails 1 'exists yes, race no' "$engine" "$work/divergent.litmus"
    fails 1 '"divergence":"P0 waits in line 4, P1 in line 8"' --json "$engine" "$work/labels.litmus"
done
echo 'test,outcome_expected,race_expected,needs
divergent.litmus,reachable,no-race,interleaving' >"$work/divergent.csv"
mkdir "$work/divergent"
cp "$work/divergent.litmus" "$work/divergent"
fails 1 'error: divergent.litmus: barrier divergence' --verdicts "$work/divergent.csv" "$work/divergent"

fails 0 '"model":"interleavings","exists":true,"race":false,"outcomes":[{"values":{"1:r0":0},"count":1,"satisfies":true},{"values":{"1:r0":1},"count":2,"satisfies":false}],"stuck":0,"cut":0,"gave_up":false,"divergence":null}' \
    --interleavings --json "$tests/dat3m/herd/R.litmus"
# Each verdict names the model that it is by; the default is OpenCL's, and --weak is a word for it.
for model in 'opencl ' 'opencl --weak' 'interleavings --interleavings' 'thin-air --thin-air' 'opencl --thin-air --weak'; do
    read -ra given <<<"${model#* }"
    fails 0 "(model: ${model%% *})" "${given[@]}" "$tests/teaching/sb_relaxed.litmus"
    fails 0 "\"model\":\"${model%% *}\"" --json "${given[@]}" "$tests/teaching/sb_relaxed.litmus"
done
# A race has its place by each model, where an interleaving has it.
for engine in --interleavings --weak --thin-air; do
    fails 0 '  race: lines 15 and 19' $engine "$tests/dat3m/herd/3.2W.litmus"
done
# The condition of a clause is one thing, its quantifier another.
cp "$tests/dat3m/herd/R.litmus" "$work/none.litmus"
sed -i 's/^exists/~exists/' "$work/none.litmus"
fails 0 ': ~exists no, race no' "$work/none.litmus"
fails 0 '"exists":true,"race":false,' --json "$work/none.litmus"
fails 0 '"divergence":null,"clause":"~exists","holds":false}' --json "$work/none.litmus"
printf 'test,outcome_expected,race_expected,needs\nnone.litmus,reachable,no-race,interleaving\n' >"$work/none.csv"
fails 0 '2 of 2 verdicts agree' --verdicts "$work/none.csv" "$work/none.litmus"
sed -i 's/^~exists/forall/' "$work/none.litmus"
fails 0 ': forall no, race no' "$work/none.litmus"
fails 0 '"divergence":null,"clause":"forall","holds":false}' --json "$work/none.litmus"
fails 0 'atomic_store_explicit((global atomic_int *)x, 1, memory_order_seq_cst, memory_scope_device);' --kernel "$tests/dat3m/herd/R.litmus"

# Leaving the locations is an error with its place.
cat >"$work/outside.litmus" <<'END'
OPENCL outside
{ int y[2] = {1, 2}; }
P0@wg 0, dev 0 (global int* y) {
  int r = y[2];
}
exists (0:r=0)
END
fails 2 'outside.litmus:4:' "$work/outside.litmus"

sed 's|r = y\[2\]|r = 1 % 0|' "$work/outside.litmus" >"$work/zero.litmus"
fails 2 'zero.litmus:4:15: a division by zero' "$work/zero.litmus"

cat >"$work/divides.litmus" <<'END'
OPENCL divides
{ [x]=1; }
P0 (global atomic_int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  int r1 = 8 / (r0 + 1) + 7 % atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
exists (0:r1=4 /\ [x]=2)
END
fails 0 'exists yes' "$work/divides.litmus"
sed 's/\[x\]=1/[x]=0/' "$work/divides.litmus" >"$work/zero.litmus"
for engine in '' --interleavings --thin-air; do
    fails 2 'zero.litmus:5: a division by zero in an execution that was looked at' $engine "$work/zero.litmus"
done

# JSON is nothing but JSON.
sed 's/^herd\/S.litmus,reachable,race/herd\/S.litmus,reachable,no-race/' "$tests/dat3m/verdicts.csv" >"$work/wrong.csv"
"$orrery" litmus --json --verdicts "$work/wrong.csv" "$tests/dat3m" >"$work/out" 2>"$work/told"
[ $? = 1 ] && grep -q 'differs: herd/S.litmus: race yes, expected no-race' "$work/told" || problem "--json --verdicts tells no differences"
grep -q 'verdicts agree, 0 tests did not run$' "$work/told" || problem "--json --verdicts counts nothing"
grep -vq '^{.*}$' "$work/out" && problem "--json --verdicts writes something else"

# Comments of herd among C, where (*x) is no comment.
cat >"$work/comments.litmus" <<'END'
OPENCL comments
{ } (* here *)
P0@wg 0, dev 0 (global int* x) { (* stores (plainly)
  one *)
  (*x) = 1; (* and reads *) int r = (*x)*(*x); (**) r = r + (*x);
}
exists (0:r=2)
END
fails 0 'exists yes, race no' "$work/comments.litmus"
sed 's/reads \*)/reads/; s/(\*\*)//' "$work/comments.litmus" >"$work/open.litmus"
fails 2 'open.litmus:5:' "$work/open.litmus"

# The parsed test prints as the test again. A sanitizer checks memory, for which every fourth suffices.
files=("$tests"/*/*.litmus "$tests"/dat3m/*/*.litmus)
step=1
grep -qs '^#define ORRERY_LOOPING' "$(dirname "$orrery")/config.h" && step=4
for ((i = 0; i < ${#files[@]}; i += step)); do
    file=${files[i]}
    "$orrery" litmus --print "$file" >"$work/once.litmus" || problem "$file is not understood"
    "$orrery" litmus --print "$work/once.litmus" >"$work/twice.litmus"
    cmp -s "$work/once.litmus" "$work/twice.litmus" || problem "$file is printed as another test"
    awk '/^P[0-9]/ { split("", declared) } $1 == "int" { sub(/;$/, "", $2); if (declared[$2]++) exit 1 }' "$work/once.litmus" ||
        problem "$file is printed with a register that is declared twice"
done
"$orrery" litmus "$tests/dat3m/herd/R.litmus" | tail -n +2 >"$work/first"
"$orrery" litmus --print "$tests/dat3m/herd/R.litmus" >"$work/R.litmus"
"$orrery" litmus "$work/R.litmus" | tail -n +2 | diff -u "$work/first" - || problem 'the printed test comes to something else'
exit "$bad"
