#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Words of which only some bytes were written. Random expressions of such a word, of bitwise operations, shifts, casts, selects and loops:
# what they store is reported exactly when one of its bits is uninitialised, by the model below, which follows each bit. A word that is only
# copied is reported when no byte of it was written. Some words of local and global memory are updated by an atomic first, and the expression
# is of what it found or of what it left: an update of global memory that makes further bits uninitialised is reported itself.
build=${abs_top_builddir:-$PWD}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >model.py <<'EOF'
import random, re, sys
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
TYPES = {2: 'ushort', 4: 'uint', 8: 'ulong'}
def ones(size): return (1 << 8 * size) - 1
class Word:
    """text: of OpenCL C; unset: its uninitialised bits; size in bytes"""
    def __init__(self, text, unset, size): self.text, self.unset, self.size = text, unset, size
def cast(w, size):
    return Word('(%s)(%s)' % ('uchar' if size == 1 else TYPES[size], w.text), w.unset & ones(size), size)
def wide(w): return cast(w, 8) if w.size < 8 else w
def mask(w):
    bits = random.choice([0xff << 8 * random.randrange(w.size), random.getrandbits(8 * w.size), ones(w.size) >> 8])
    unset = w.unset & bits
    if random.random() < 0.5:
        return Word('(%s)(%s | (%s)%#xUL)' % (TYPES.get(w.size, 'uchar'), w.text, TYPES.get(w.size, 'uchar'), ~bits & ones(w.size)), unset, w.size)
    return Word('(%s)(%s & (%s)%#xUL)' % (TYPES.get(w.size, 'uchar'), w.text, TYPES.get(w.size, 'uchar'), bits), unset, w.size)
def shift(w):
    w, by = wide(w), 8 * random.randrange(8)
    left = random.random() < 0.5
    amount = random.choice(['%d', '(%d + zero)']) % by
    return Word('(%s %s %s)' % (w.text, '<<' if left else '>>', amount), (w.unset << by if left else w.unset >> by) & ones(8), 8)
def turn(w):
    w, by = wide(w), random.randrange(1, 63)
    return Word('rotate(%s, %dUL)' % (w.text, by), (w.unset << by | w.unset >> 64 - by) & ones(8), 8)
def flip(w): return Word('(%s)~%s' % (TYPES.get(w.size, 'uchar'), w.text), w.unset, w.size)
def narrow(w):
    sizes = [size for size in (1, 2, 4, 8) if size < w.size]
    return cast(w, random.choice(sizes)) if sizes else flip(w)
def choose(w):
    return Word('(zero ? (%s)0 : %s)' % (TYPES.get(w.size, 'uchar'), w.text), w.unset, w.size)
def add(w): return Word('(%s)(%s + 1)' % (TYPES.get(w.size, 'uchar'), w.text), ones(w.size) if w.unset else 0, w.size)
def whole_bytes(bits): return sum(0xff << 8 * k for k in range(8) if bits >> 8 * k & 0xff)
def update(word, place):
    """an atomic update of the word: its text, what it found, what it leaves, is it reported?"""
    size, unset, all_bits = word.size, word.unset, ones(word.size)
    name = random.choice(['add', 'sub', 'xor', 'or', 'and', 'xchg', 'max', 'cmpxchg'])
    value = random.choice([1, 0xff << 8 * random.randrange(size), random.getrandbits(8 * size - 1)])
    left = {'xchg': 0, 'and': unset & value, 'or': unset & ~value, 'xor': unset}.get(name)
    if name in ('and', 'or') and unset == all_bits:
        left = all_bits
    if name in ('add', 'sub'):
        left = all_bits & ~((unset & -unset) - 1) if unset else 0
    elif left is None:
        left = all_bits if unset else 0
    keeps = unset not in (0, all_bits) and not left & ~unset
    reported = bool(left) and not keeps and place == 'global'
    found, left = (0, 0) if reported else (unset, whole_bytes(left))
    text = '%s old = %s_%s(&%s, %s%#xUL);' % (TYPES[size], 'atomic' if size == 4 else 'atom', name, word.text, '0, ' if name == 'cmpxchg' else '', value)
    return text, Word('old', found, size), Word(word.text, left, size), reported
STEPS = [mask, mask, mask, shift, shift, turn, flip, narrow, narrow, choose]
PLACES = {
    'union': 'union { %(t)s w; uchar b[%(n)d]; } u; %(set)s',
    'array': '%(t)s a[3]; private uchar *p = (private uchar *)&a[1 + zero]; %(setp)s',
    'local': 'local union { %(t)s w; uchar b[%(n)d]; } u; %(set)s',
    'global': 'global uchar *p = (global uchar *)&in[1 + i]; %(setp)s',
    'vector': 'uchar%(n)d v; %(setv)s',
    'local vector': 'local uchar%(n)d v; %(setv)s',
    'bytes': 'uchar b[%(n)d]; %(setb)s',
}
WORDS = {'union': 'u.w', 'array': 'a[1 + zero]', 'local': 'u.w', 'global': 'in[1 + i]', 'vector': 'as_%(t)s(v)', 'local vector': 'as_%(t)s(v)', 'bytes': '(%(t)s)(%(bytes)s)'}
texts, launches, wrong = [], [], set()
for number in range(320):
    size, place = random.choice([2, 4, 8]), random.choice(sorted(PLACES))
    written = [k for k in range(size) if random.random() < 0.6]
    unset = sum(0xff << 8 * k for k in range(size) if k not in written)
    names = {'t': TYPES[size], 'n': size, 'set': ' '.join('u.b[%d] = i + %d;' % (k, k) for k in written),
             'setp': ' '.join('p[%d] = i + %d;' % (k, k) for k in written),
             'setb': ' '.join('b[%d + zero] = i + %d;' % (k, k) for k in written),
             'bytes': ' | '.join('(%s)b[%d + zero] << %d' % (TYPES[size], k, 8 * k) for k in range(size)),
             'setv': ' '.join('v.s%x = i + %d;' % (k, k) for k in written)}
    word = start = Word(WORDS[place] % names, unset, size)
    atomic = ''
    if place in ('local', 'global') and size > 2 and random.random() < 0.7:
        atomic, found, left, reported = update(word, place)
        word = start = random.choice([found, left])
        if reported:
            wrong.add(number)
    for _ in range(random.randrange(0, 6)):
        word = random.choice(STEPS)(word)
    looped = random.random() < 0.3
    if not looped and random.random() < 0.2:
        word = add(word)
    body = (PLACES[place] % names) + ' ' + atomic + ' '
    if looped:
        by = random.randrange(1, size) * 8
        w = wide(word)
        body += 'ulong r = %s; for (int k = 0; k < %d + zero; k++) r >>= 8; out[i] = r;' % (w.text, by // 8)
        word = Word('', w.unset >> by, 8)
    else:
        body += 'out[i] = %s;' % word.text
    texts.append('kernel void k%d(global ulong *out, global %s *in, uint zero) { uint i = get_global_id(0); %s }' % (number, TYPES[size], body))
    launches.append('  - {kernel: k%d, global: [2], local: [1], args: [{buffer: {type: ulong, count: 2, fill: 0}}, '
                    '{buffer: {type: uchar, count: 64}}, {scalar: {type: uint, value: 0}}]}' % number)
    copied = word is start and size == 8 and place not in ('vector', 'local vector', 'bytes')
    if word.unset == ones(8) if copied else word.unset:
        wrong.add(number)
open('run.yaml', 'w').write('orrery: 1\nchecks: {uninitialised: error}\nprogram:\n  text: |\n    #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n    #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n' +
                            '\n'.join('    ' + t for t in texts) + '\nlaunch:\n' + '\n'.join(launches) + '\n')
open('texts', 'w').write('\n'.join(texts))
open('wrong', 'w').write(' '.join(map(str, sorted(wrong))))
EOF
bad=0
for seed in ${PARTIAL_SEEDS:-1 2 3}; do
    python3 model.py "$seed" || exit 99
    timeout 200 "$build/orrery" run --max-errors=1000 run.yaml >out 2>&1
    python3 - "$seed" <<'EOF' || bad=1
import re, sys
out = open('out').read()
found = {int(n) for n in re.findall(r'kernel k(\d+), argument', out)}
wrong = {int(n) for n in open('wrong').read().split()}
texts = open('texts').read().split('\n')
if 'SUMMARY' not in out:
    sys.exit('seed %s: no summary:\n%s' % (sys.argv[1], out[-2000:]))
for number in sorted(found ^ wrong):
    print('seed %s: %s: %s' % (sys.argv[1], 'reported, but initialised' if number in found else 'not reported', texts[number]))
print('seed %s: %d of %d kernels store uninitialised bits' % (sys.argv[1], len(wrong), len(texts)))
sys.exit(found != wrong or not 40 < len(wrong) < 270)
EOF
done
exit $bad
