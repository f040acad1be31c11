#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Asynchronous copies that only a part of the work-group reaches, and waits for events that no copy gave or that a wait
# released, under each schedule: the findings that the table gives, and none for uniform control flow.
build=${abs_top_builddir:-$PWD}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
# findings, or clean | body; me is the local id, g the work-group, COPY begins a copy, WAIT waits for e
cat >table <<'EOF'
clean|COPY; WAIT;
clean|if (g == 1) { COPY; WAIT; }
clean|for (int i = 0; i < 3; i++) { COPY; WAIT; }
clean|int i = 0; while (i < me) i++; COPY; if (me) o[me] = i; WAIT;
clean|event_t f[3]; for (int i = 0; i < 3; i++) { COPY; f[i] = e; } wait_group_events(3, f);
clean|event_t f[200]; int n = in[0] + 3; for (int i = 0; i < n; i++) { COPY; f[i] = e; } wait_group_events(n, f);
clean|COPY; e = async_work_group_copy(tile + 4, in, 4, e); WAIT;
clean|COPY; WAIT; e = async_work_group_copy(tile + 4, in, 4, e); WAIT;
clean|COPY; WAIT; COPY; WAIT;
clean|COPY; event_t f[2]; f[0] = f[1] = e; wait_group_events(2, f);
clean|event_t f[2]; COPY; f[0] = e; for (int i = 1; i < 6; i++) { COPY; f[i % 2] = e; wait_group_events(1, f + 1 - i % 2); } WAIT;
clean|event_t f[200]; int n = in[0] + 40; for (int i = 0; i < n; i++) { COPY; f[i] = e; } wait_group_events(10, f); wait_group_events(n - 10, f + 10);
collective-divergence|COPY; if (me == 2) e = async_work_group_copy(tile + 4, in, 1, e); WAIT;
collective-divergence|COPY; if (me < 3) e = async_work_group_copy(tile + 4, in, 1, e); WAIT;
collective-divergence|COPY; if (me == 7) e = async_work_group_copy(tile + 4, in, 1, e); WAIT;
collective-divergence|COPY; if (g == 1 && me != 1) e = async_work_group_copy(tile + 4, in, 1, e); WAIT;
collective-divergence|COPY; for (int i = 0; i < me + 1; i++) e = async_work_group_copy(tile + 4, in, 1, e); WAIT;
collective-argument|event_t f = 0; wait_group_events(1, &f);
collective-argument|COPY; event_t f[2]; f[0] = e; wait_group_events(2, f);
collective-argument|if (g == 1) COPY; WAIT;
collective-argument|COPY; WAIT; WAIT;
collective-argument|COPY; for (int i = 0; i < in[0] + 2; i++) WAIT;
collective-argument|event_t f[2]; COPY; f[0] = e; COPY; f[1] = e; wait_group_events(1, f); wait_group_events(2, f);
EOF
python3 - <<'EOF' || exit 99
kernels, launches, expected = [], [], []
for row in open('table'):
    found, body = row.strip().split('|')
    body = body.replace('COPY', 'e = async_work_group_copy(tile, in, 4, 0)').replace('WAIT', 'wait_group_events(1, &e)')
    name = 'k%d' % (len(kernels) + 1)
    kernels.append('    kernel void %s(global int *in, global int *o) { local int tile[16]; event_t e; int me = get_local_id(0), g = get_group_id(0); %s }'
                   % (name, body))
    launches.append('  - {kernel: %s, global: [16], local: [8], args: [{buffer: {type: int, count: 16, fill: 0}}, '
                    '{buffer: {type: int, count: 16, fill: 0}}]}' % name)
    if found != 'clean':
        expected.append(name + ' ' + found)
open('run.yaml', 'w').write('orrery: 1\nchecks: fast\nprogram:\n  text: |\n' + '\n'.join(kernels) + '\nlaunch:\n' + '\n'.join(launches) + '\n')
open('expected', 'w').write('\n'.join(sorted(expected)) + '\n')
EOF
bad=0
for schedule in lockstep serial reverse round-robin random; do
    timeout 60 "$build/orrery" run --schedule=$schedule --force --json=json run.yaml >out 2>&1
    python3 -c 'import json
for row in map(json.loads, open("json")):
    if "kernel" in row: print(row["kernel"], row["id"])' | sort >found
    diff expected found || { echo "schedule $schedule: expected <, found >"; bad=1; }
done
[ $bad = 0 ] || grep -m 3 error out

cat >strided.cl <<'EOF'
kernel void strided(global int *in, global int *o) {
    local int tile[16];
    event_t e = async_work_group_strided_copy(tile, in, 16, 2, 0);
    if (get_local_id(0) < 16) o[get_global_id(0)] = tile[get_local_id(0)];
    wait_group_events(1, &e);
}
EOF
"$build/orrery" run strided.cl >out 2>&1
grep -q 'store by async_work_group_strided_copy' out || { echo "strided.cl: expected the copy by its name, found:"; cat out; bad=1; }
exit $bad
