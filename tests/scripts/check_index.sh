#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Indices past arrays inside variables. Each place of the table, in each address space, as a load, a store and an update, with
# indices before, at and after its ends: a finding of the right kind exactly where the index is outside its array. All
# bytes are the variable's, so that nothing else is found. The finding names the array as the source does, and never says that
# the access lies outside of the variable. Other ways to the same bytes are allowed: pointers that go on from
# an element, and addresses that are only formed.
build=${abs_top_builddir:-$PWD}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
# the place; the array that i indexes, its number of elements, and what they are; of v[2].m[3][5], v[2].a[4], v[2].s[3].p[2], v[2].f[3]
cat >table <<'EOF'
v[1].m[1][i]; v[1].m[1]; 5; ints
v[1].m[i][2]; v[1].m; 3; rows
v[1].m[i][i + 1]; v[1].m; 3; rows
v[1].a[i]; v[1].a; 4; ints
v[1].a[i & 7]; v[1].a; 4; ints
v[1].s[i].n; v[1].s; 3; structs
v[1].s[1].p[i]; v[1].s[1].p; 2; ints
v[i & 1].s[1].p[i]; v[...].s[1].p; 2; ints
v[1].s[i].p[1]; v[1].s; 3; structs
v[1].f[i].y; v[1].f; 3; vectors
v[1].f[i].s1; v[1].f; 3; vectors
v[1].f[2][i]; v[1].f[2]; 2; ints
v->m[1][i]; v->m[1]; 5; ints
EOF
python3 - <<'EOF' || exit 99
import re
kernels, launches, wrong, words = [], [], [], []
def kernel(space, statement, index, kinds=(), array=None):
    number, arguments = len(kernels) + 1, 'global int *o, int i'
    head = '' if space in ('global', 'constant') else space + ' struct outer v[3]; '
    launch = '{buffer: {type: int, count: 4, fill: 0}}, {scalar: {type: int, value: %d}}' % index
    if space in ('global', 'constant'):
        arguments += ', %s struct outer *v' % space
        launch += ', {buffer: {type: char, count: 1024, fill: 0}}'
    kernels.append('    kernel void k%d(%s) { %s%s }' % (number, arguments, head, statement))
    launches.append('  - {kernel: k%d, global: [1], args: [%s]}' % (number, launch))
    wrong.extend('k%d out-of-bounds-%s' % (number, kind) for kind in kinds)
    if array:
        words.append('k%d %s' % (number, array))
        if space == 'local': # all constant, an address of a local variable is one chain without names of members
            words.append('k%d %s' % (number, re.sub(r"'(v).*, which has (.*)", r"an array of \2 inside '\1'", array)))
for row in open('table'):
    place, array, count, elements = row.strip().split('; ')
    for space in ('global', 'constant', 'local', 'private'):
        for index in (-1, 0, int(count) - 1, int(count)):
            at = index & 7 if 'i & 7' in place else index
            outside = not 0 <= at < int(count)
            array_here = array.replace('v->', 'v[0].') if space in ('local', 'private') else array
            told = "index %d of '%s', which has %s %s" % (at, array_here, count, elements) if outside else None
            load, both = (['read'], ['read', 'write']) if outside else ([], [])
            kernel(space, 'o[0] = %s;' % place, index, load, told)
            if space != 'constant':
                kernel(space, '%s = 1;' % place, index, both[1:], told)
                kernel(space, '%s += 1;' % place, index, both, told)
            if '.f' not in place and space in ('global', 'local'):
                kernel(space, 'atomic_inc((volatile %s int *)&%s);' % (space, place), index, both[1:], told)
for space in ('global', 'local', 'private'):
    kernel(space, 'struct inner t = v[0].s[i]; o[0] = t.n;', 3, ['read'])
    kernel(space, 'struct inner t = v[0].s[i]; o[0] = t.n;', 2)
    kernel(space, 'vstore2((int2)(1), 0, &v[1].m[1][i]);', 5, ['write'])
    kernel(space, 'vstore2((int2)(1), 0, &v[1].m[1][i]);', 3)
    for index in range(12):
        kernel(space, 'o[0] = *(&v[0].m[0][0] + i);', index) # through the rows
        kernel(space, 'o[0] = (&v[1].a[4])[-i];', index + 1)
        kernel(space, '%s int *p = &v[1].a[4]; o[0] = p != &v[1].a[0]; o[1] = p[-1];' % space, index)
text = ['    struct inner { char c; int p[2]; int n; };',
        '    struct outer { int m[3][5]; int a[4]; struct inner s[3]; int2 f[3]; int end[16]; };']
open('run.yaml', 'w').write('orrery: 1\nchecks: fast\nprogram:\n  options: -w\n  text: |\n' + '\n'.join(text + kernels) + '\nlaunch:\n' + '\n'.join(launches) + '\n')
open('words', 'w').write('\n'.join(words) + '\n')
open('expected', 'w').write('\n'.join(wrong) + '\n')
EOF
timeout 120 "$build/orrery" run --max-errors=10000 --json=json run.yaml >out 2>&1
python3 - <<'EOF' || { head -n 3 out; exit 1; }
import json, sys
found = [row['kernel'] + ' ' + row['id'] for row in map(json.loads, open('json')) if 'kernel' in row]
wanted = open('expected').read().split('\n')[:-1]
text = {line.split('(')[0].split()[-1]: line.strip() for line in open('run.yaml') if 'kernel void' in line}
launch = {line.split(',')[0].split()[-1]: line.strip() for line in open('run.yaml') if 'kernel: k' in line}
for row in sorted(set(found) ^ set(wanted))[:9]:
    name = row.split()[0]
    print('%s %s: %s %s' % ('not found' if row in wanted else 'unexpected', row, text[name], launch[name]))
print('%d kernels, %d findings' % (len(text), len(wanted)))
words = {}
for line in open('words'):
    words.setdefault(line.split(' ', 1)[0], []).append(line.rstrip('\n').split(' ', 1)[1])
strange = [row for row in map(json.loads, open('json')) if row.get('kernel') in words and
           (not row['why'].endswith(tuple(words[row['kernel']])) or 'an index outside of its array' not in row['sentence'])]
for row in strange[:9]:
    print('%s: "%s: %s", and not "%s": %s' % (row['kernel'], row['sentence'], row['why'], words[row['kernel']][0], text[row['kernel']]))
sys.exit(sorted(found) != sorted(wanted) or len(strange) > 0)
EOF
# An index past the inner array and past the variable is one access of each work-item.
cat >both.cl <<'EOF'
kernel void both(global int *out) { int i = get_global_id(0), m[2][4] = {{i}}; m[1][i + 4] = 1; out[i] = m[0][i & 3]; }
EOF
timeout 60 "$build/orrery" run --json=both.json both.cl:both >out 2>&1
python3 - <<'EOF' || { cat out; exit 1; }
import json, sys
rows = [row for row in map(json.loads, open('both.json')) if row.get('id') == 'out-of-bounds-write']
items = [row['launches'] if 'launches' in row else row['count'] for row in rows]
print('counted', items)
sys.exit(items != [192])
EOF
