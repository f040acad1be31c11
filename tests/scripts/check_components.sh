#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Accesses to components of vectors. For each swizzle, of a type of 1, 4 or 8 bytes: the bytes that a read and a write of global memory, of a
# member and of an element of an array access are those of the components alone; a component that was written
# is initialised, one beside it is not. The bytes come from the indices in the table below.
build=${abs_top_builddir:-$PWD}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
# width, swizzle, its components, a component that it does not have
cat >table <<'EOF'
2 x 0 1
2 y 1 0
3 z 2 0
3 zx 2,0 1
3 xy 0,1 2
4 w 3 1
4 xyz 0,1,2 3
4 xz 0,2 1
4 even 0,2 3
4 hi 2,3 1
4 wy 3,1 0
8 s5 5 4
8 odd 1,3,5,7 2
8 s072 0,7,2 1
16 sf 15 14
16 even 0,2,4,6,8,10,12,14 15
16 lo 0,1,2,3,4,5,6,7 8
EOF
python3 - <<'EOF' || exit 99
kernels, launches, bytes, wrong = [], [], [], []
def kernel(head, body, is_wrong=False, accesses=None):
    number = len(kernels) + 1
    kernels.append('    kernel void k%d(%s) { %s }' % (number, head, body))
    launches.append('  - {kernel: k%d, global: [1], args: [{buffer: {type: char, count: 1024, fill: 0}}, '
                    '{buffer: {type: char, count: 64, fill: 0}}]}' % number)
    if is_wrong:
        wrong.append(number)
    for kind, offsets in (accesses or {}).items():
        bytes.append('%d %s %s' % (number, kind, ','.join(map(str, sorted(offsets)))))
for number, row in enumerate(open('table')):
    width, swizzle, has, other = row.split()
    has = [int(k) for k in has.split(',')]
    for type, size in ((('char', 1), ('float', 4), ('ulong', 8))[number % 3],):
        vector, part = type + width, type + ('' if len(has) == 1 else str(len(has)))
        one, align = '(%s)(1)' % part, size * (4 if width == '3' else int(width))
        struct = 'struct { char c; %s v[2]; }' % vector
        total = 't' if len(has) == 1 else ' + '.join('t.s%x' % k for k in range(len(has)))
        def touched(base):
            return [base + k * size + i for k in has for i in range(size)]
        for head, place, base in (('global %s *v' % vector, 'v[1]', align),
                                  ('global %s *v' % struct, 'v[1].v[1]', 5 * align)):
            head += ', global %s *o' % type
            kernel(head, '%s.%s = %s;' % (place, swizzle, one), accesses={'write': touched(base)})
            kernel(head, '%s t = %s.%s; o[0] = %s;' % (part, place, swizzle, total), accesses={'read': touched(base)})
        head = 'global %s *v, global %s *o' % (vector, type)
        for declared, place in (('%s v_;', 'v_'), ('%s v_[3];', 'v_[get_global_id(0) + 1]'),
                                ('local %s v_;', 'v_'), ('local %s v_[3];', 'v_[get_global_id(0) + 1]')):
            for of, member in ((vector, ''), (struct, '.v[1]')):
                start = (declared % of) + ' %s%s.%s = %s;' % (place, member, swizzle, one)
                kernel(head, '%s o[0] = %s%s.s%x;' % (start, place, member, has[-1]))
                kernel(head, '%s o[0] = %s%s.s%s;' % (start, place, member, '%x' % int(other)), is_wrong=True)
open('run.yaml', 'w').write('orrery: 1\nchecks: {uninitialised: error}\nprogram:\n  text: |\n' +
                            '\n'.join(kernels) + '\nlaunch:\n' + '\n'.join(launches) + '\n')
open('bytes', 'w').write('\n'.join(bytes) + '\n')
open('wrong', 'w').write('\n'.join(map(str, wrong)) + '\n')
EOF
timeout 120 "$build/orrery" run --max-errors=1000 --trace=trace run.yaml >out 2>&1
python3 - <<'EOF'
import json, re, sys
found = {}
for row in map(json.loads, open('trace')):
    if row['type'] == 'launch':
        number = int(row['kernel'][1:])
        buffer = None
    elif row['type'] == 'access' and row['region'] == 'global':
        buffer = row['object'] if buffer is None else buffer
        if row['object'] == buffer:
            found.setdefault((number, row['kind']), []).extend(range(row['offset'], row['offset'] + row['size']))
bad = 0
for line in open('bytes'):
    number, kind, offsets = line.split()
    got = ','.join(map(str, sorted(found.get((int(number), kind), []))))
    if got != offsets or (kind == 'write' and (int(number), 'read') in found):
        print('kernel %s: %s of bytes %s, expected %s' % (number, kind, got, offsets))
        bad += 1
lines = {int(n) for n in re.findall(r'program\.cl:(\d+):', open('out').read())}
wrong = {int(n) for n in open('wrong')}
for number in sorted(lines ^ wrong):
    print('kernel %d: %s' % (number, 'a finding in a correct kernel' if number in lines else 'no finding'))
bad += len(lines ^ wrong)
print('%d kernels, %d of them wrong' % (len(open('run.yaml').read().split('kernel void')) - 1, len(wrong)))
sys.exit(bool(bad or not wrong))
EOF
status=$?
[ $status = 0 ] || { head -5 out; grep -n 'kernel void' run.yaml | head -3; }

# A value is shown as a number, that of a vector as its bits.
echo 'kernel void same(global TYPE *a) { a[0] = (TYPE)VALUE; }' >same.cl
while read -r type value shown; do
    "$build/orrery" run "--build-options=-DTYPE=$type -DVALUE=$value" same.cl >out 2>&1
    grep -q "store, [0-9]* bytes, wrote $shown\$" out || { echo "$type: not wrote $shown:"; grep wrote out; status=1; }
done <<'EOF'
float2 (1,2) 0x400000003f800000
int2 (1,2) 0x200000001
char4 (1,2,3,4) 0x4030201
float (1) 1 (0x3f800000)
int (70000) 70000 (0x11170)
EOF
exit $status
