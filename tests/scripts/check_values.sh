#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The values of the variables on the line of a finding. Kernels whose subscripts are made at random of variables: what a finding
# says of them must give the bytes that it names, the value that was written and the work-item, of both accesses, under each schedule;
# and nothing else that is found depends on whether values are asked for. Likewise the iterations of the loops around it: their
# variables count them.
build=${ORRERY_BUILDDIR:?}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >make.py <<'PY'
import random
R = random.Random(20261128)
kernels, launches = [], []
def kernel(text, args, items=8):
    name = 'k%d' % len(kernels)
    kernels.append(text.replace('NAME', name))
    launches.append('  - {kernel: %s, global: [%d], local: [4], args: [%s]}' % (name, items, args))
def buffer(count):
    return '{buffer: {type: int, count: %d, fill: 0}}' % count
def scalar(value):
    return '{scalar: {type: int, value: %d}}' % value
for _ in range(8):
    p, q, n, m, turns = R.randint(1, 5), R.randint(1, 7), R.randint(0, 3), R.randint(3, 9), R.randint(2, 5)
    data = {'p': p, 'q': q, 'm': m, 'turns': turns}
    loop = '  for (int k = 0; k < %(turns)d; k++) {\n    int j = i * %(p)d + k * %(q)d;\n' % data
    kernel('kernel void NAME(global int *a, int n)\n{\n  int i = get_global_id(0);\n' + loop +
           '    a[(j + n * i) %% %(m)d] = k + i * 10; // RULE (j + n * i) %% %(m)d ; k + i * 10\n  }\n}\n' % data,
           buffer(m) + ', ' + scalar(n))
    kernel('kernel void NAME(global int *a, int n)\n{\n  int i = get_global_id(0);\n' + loop +
           '    a[(j ^ n) %% %(m)d] += k; // RULE (j ^ n) %% %(m)d ;\n  }\n}\n' % data, buffer(m) + ', ' + scalar(n))
    kernel('void put_NAME(global int *a, int i, int at, int v)\n{\n' +
           '  a[at %% %(m)d + i - i] = v; // RULE at %% %(m)d ; v\n}\n' % data +
           'kernel void NAME(global int *a, int n)\n{\n  int i = get_global_id(0);\n' + loop +
           '    put_NAME(a, i, j + n, k * 100 + i);\n  }\n}\n', buffer(m) + ', ' + scalar(n))
    kernel('kernel void NAME(global int *out, local int *a)\n{\n  int i = get_global_id(0), l = get_local_id(0);\n' + loop +
           '    a[(j + l) %% %(m)d] = i; // RULE (j + l) %% %(m)d ; i\n  }\n  barrier(CLK_LOCAL_MEM_FENCE);\n  out[i] = a[0];\n}\n'
           % data, buffer(8) + ', {local: %d}' % (4 * m))
    kernel('kernel void NAME(global int *a, int n)\n{\n  int i = get_global_id(0);\n' + loop +
           '    if (k & 1)\n      continue;\n    int2 w = (int2)(j, k);\n' +
           '    a[(w.x + w.y * n) %% %(m)d] = i; // RULE (w[0] + w[1] * n) %% %(m)d ; i\n  }\n}\n' % data,
           buffer(m) + ', ' + scalar(n))
    kernel('kernel void NAME(global int *a, int n)\n{\n  int i = get_global_id(0);\n' + loop +
           '    a[j + n * i + 16] = k; // RULE j + n * i + 16 ; k\n  }\n}\n', buffer(20) + ', ' + scalar(n))
    kernel('void put_NAME(global int *a, int v)\n{\n  for (int k = 0; k < 3; k++)\n    if (k * v > 2)\n' +
           '      a[0] = v * 10 + k; // RULE 0 ; v * 10 + k ; v, k\n}\n' +
           'kernel void NAME(global int *a, int n)\n{\n  for (int v = 0; v < %(turns)d; v++) {\n' % data +
           '    put_NAME(a, v);\n    for (int k = 0; k <= v; k++)\n' +
           '      a[v * k + n] = v + k; // RULE v * k + n ; v + k ; v, k\n  }\n' +
           '  int v = 0, k = n;\n  do {\n    a[v + k] = v + k * 10; // RULE v + k ; v + k * 10 ; v\n    v++;\n  } while (v < 4);\n}\n',
           buffer(40) + ', ' + scalar(n))
text = ''.join(kernels)
open('k.cl', 'w').write(text)
open('run.yaml', 'w').write('orrery: 1\nprogram: {source: k.cl}\nlaunch:\n' + '\n'.join(launches) + '\n')
PY
cat >judge.py <<'PY'
import json, re, sys
lines = open('k.cl').read().split('\n')
shown = wanted = iterated = 0
for row in map(json.loads, open(sys.argv[1])):
    if row['type'] != 'finding' or row['id'].startswith('uninitialised'):
        continue
    for access in row['accesses']:
        rule = re.search(r'RULE ([^;]*) ;([^;]*)(?:; (.*))?', lines[access['line'] - 1])
        if not rule:
            continue
        wanted += 1
        if 'values' not in access:
            continue
        shown += 1
        found = {}
        for name, value in re.findall(r'(\w+) = (\([^)]*\)|-?\d+)', access['values']):
            found[name] = tuple(map(int, re.findall(r'-?\d+', value))) if value[0] == '(' else int(value)
        where = '%s at line %d: %s' % (row['id'], access['line'], access['values'])
        assert 'i' not in found or found['i'] == access['item']['global_id'][0], where
        assert 'l' not in found or found['l'] == access['item']['local_id'][0], where
        assert eval(rule.group(1), {}, found) * 4 == row['offset_bytes'], where + ', but bytes from %d' % row['offset_bytes']
        if rule.group(2).strip() and 'value' in access and access['access'] == 'store':
            assert eval(rule.group(2), {}, found) & 0xffffffff == int(access['value'], 16), where + ', but wrote ' + access['value']
        counters = rule.group(3) or ('k' if 'k' in found else '')
        for name, iteration in zip(counters.split(', ') if counters else [], access.get('iterations', [{}] * 9)):
            assert iteration.get('iteration') == found[name] + 1, where + ', but iterations %s' % access.get('iterations')
            assert re.search(r'for \(int %s\b' % name, lines[iteration['line'] - 1]) or 'a[v + k]' in lines[iteration['line'] - 1], \
                where + ', but a loop at ' + lines[iteration['line'] - 1]
            iterated += 1
        assert len(access.get('iterations', [])) == max(1, len(counters.split(', '))), where + ', but %s' % access.get('iterations')
assert iterated >= 40, 'only %d iterations' % iterated
assert wanted >= 40, 'only %d accesses were found' % wanted
assert shown >= wanted * 95 // 100, 'values at %d of %d accesses' % (shown, wanted)
print('%d of %d accesses have values' % (shown, wanted))
PY
cat >same.py <<'PY'
import json, sys
def read(name):
    rows = [json.loads(line) for line in open(name)]
    for row in rows:
        for access in row.get('accesses', []):
            access.pop('values', None)
            access.pop('iterations', None)
    return rows
assert read(sys.argv[1]) == read(sys.argv[2]), 'what is found depends on --values'
PY
cat >log.py <<'PY'
import json, sys
values = {access['values'] for row in map(json.loads, open(sys.argv[1])) for access in row.get('accesses', []) if 'values' in access}
log = open(sys.argv[2]).read()
absent = [v for v in values if '; with ' + v + '"' not in log]
assert values and not absent, 'not in the SARIF log: %s' % absent
PY
python3 make.py || exit 99
bad=0
for schedule in lockstep serial reverse round-robin 'random --seed=3'; do
    # shellcheck disable=SC2086
    "$build/orrery" run --schedule=$schedule --values=on --force --json=with --sarif=log run.yaml >out 2>&1
    [ $? = 66 ] || { echo "$schedule: another status"; cat out; bad=1; }
    # shellcheck disable=SC2086
    "$build/orrery" run --schedule=$schedule --values=off --force --json=without run.yaml >/dev/null 2>&1
    python3 judge.py with && python3 same.py with without && python3 log.py with log || { echo "schedule $schedule"; bad=1; }
done
grep -q '^     with j = [0-9]*, n = [0-9], i = [0-9], k = [0-9]$' out || { echo "not printed:"; head -20 out; bad=1; }
grep -q '^     in iteration [0-9]* of the loop at k.cl:[0-9]*, [0-9]* of k.cl:[0-9]*$' out || { echo "no iterations:"; bad=1; }
exit "$bad"
