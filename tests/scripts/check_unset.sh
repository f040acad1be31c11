#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Memory that no work-item set. Each operation of the table, on local and on global memory, with each use of what it returns:
# exactly one finding, of the kind that the table gives, in each kernel; none when the memory was set before. A value that an
# earlier work-group left in local memory counts as never set, and all groups begin alike, so that the race of what they
# number by it is found under each schedule.
build=${abs_top_builddir:-$PWD}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
# does what it leaves depend on what it found? operation at p
cat >table <<'EOF'
yes atomic_inc(p)
yes atomic_dec(p)
yes atomic_add(p, 3)
yes atomic_sub(p, 3)
yes atomic_min(p, 3)
yes atomic_max(p, 3)
yes atomic_and(p, 3)
yes atomic_or(p, 3)
yes atomic_xor(p, 3)
yes atomic_cmpxchg(p, 0, 3)
no atomic_xchg(p, 3)
no atomic_and(p, 0)
no atomic_min(p, 0)
no atomic_or(p, 0xffffffff)
no atomic_max(p, 0xffffffff)
EOF
python3 - <<'EOF' || exit 99
kernels, launches, expected = [], [], []
def kernel(body, *kinds):
    kernels.append('    kernel void k%d(global uint *u, global uint *o) { %s }' % (len(kernels) + 1, body))
    launches.append('  - {kernel: k%d, global: [8], local: [4], args: [{buffer: {type: uint, count: 1}}, '
                    '{buffer: {type: uint, count: 64, fill: 0}}]}' % len(kernels))
    expected.append(['uninitialised-' + kind for kind in kinds])
barrier, item = ' barrier(3); ', 'get_global_id(0)'
uses = (('address', 'o[(%%s & 7) * 8 + %s] = 1;' % item), ('branch', 'if (%%s) o[%s] = 1;' % item), ('store', 'o[%s] = %%s;' % item))
for row in open('table'):
    depends, operation = row.strip().split(' ', 1)
    for space, declared in (('local', 'local uint n; local uint *p = &n; '), ('global', 'global uint *p = u; ')):
        one = 'if (%s) { %%s }' % ('get_local_id(0) == 0' if space == 'local' else item + ' == 5') # a local counter: in each group
        for kind, use in uses:
            kernel((declared + one % '*p = 1;' + barrier if space == 'local' else 'global uint *p = o + 63; ') + use % operation)
            # Global memory then has a value that depends on the unset one, which is the finding.
            kernel(declared + one % (use % operation), 'store' if space == 'global' and depends == 'yes' else kind)
        kernel(declared + one % (operation + ';') + barrier + 'if (%s == 5) o[0] = *p;' % item, *(['store'] if depends == 'yes' else []))
kernel('local uint n; if (get_group_id(0) == 0) n = 5; o[%s] = n;' % item, 'store')
kernel('local uint n[4]; n[get_local_id(0)] = 5;%s if (get_group_id(0) == 1) o[%s] = n[3 - get_local_id(0)];' % (barrier, item))
open('run.yaml', 'w').write('orrery: 1\nchecks: {fast: true, uninitialised: error}\nprogram:\n  text: |\n' +
                            '\n'.join(kernels) + '\nlaunch:\n' + '\n'.join(launches) + '\n')
open('expected', 'w').write('\n'.join('k%d %s' % (n + 1, kind) for n, kinds in enumerate(expected) for kind in kinds) + '\n')
EOF
bad=0
for schedule in lockstep serial reverse round-robin; do
    timeout 120 "$build/orrery" run --schedule=$schedule --max-errors=1000 --force --json=json run.yaml >out 2>&1
    python3 - <<'EOF' || { echo "schedule $schedule"; grep -m 3 error out; bad=1; }
import json, sys
found = [row['kernel'] + ' ' + row['id'] for row in map(json.loads, open('json')) if 'kernel' in row]
wanted = open('expected').read().split('\n')[:-1]
text = {line.split('(')[0].split()[-1]: line.strip() for line in open('run.yaml') if 'kernel void' in line}
for row in sorted(set(found) ^ set(wanted))[:9]:
    print('%s %s: %s' % ('not found' if row in wanted else 'unexpected', row, text[row.split()[0]]))
for row in sorted(row for row in set(found) if found.count(row) > 1):
    print('reported %d times: %s' % (found.count(row), text[row.split()[0]]))
sys.exit(sorted(found) != sorted(wanted))
EOF
done
for operation in 'atomic_inc(&n)' 'atomic_add(&n, 2)' 'atomic_or(&n, 1)' 'n++'; do
    for schedule in lockstep serial reverse round-robin; do
        cat >race.yaml <<EOF
orrery: 1
checks: {fast: true, races: error}
schedule: {policy: $schedule}
program:
  text: |
    kernel void number(global uint *owner) {
      local uint n;
      for (int i = 0; i < 4 && get_local_id(0) == 0; i++) {
        uint mine = $operation;
        owner[mine & 63] = get_group_id(0);
      }
    }
launch:
  - {kernel: number, global: [16], local: [4], args: [{buffer: {type: uint, count: 64, fill: 0}}]}
expect:
  findings: [{id: race-global, line: 5}]
EOF
        timeout 60 "$build/orrery" check race.yaml >out 2>&1 || { echo "$operation, $schedule:"; head -3 out; bad=1; }
    done
done
exit $bad
