/* SPDX-License-Identifier: Apache-2.0 */
/* A goto into a loop, in a branch that optimisation leaves out. */
kernel void jumps(global uint *out, global const uint *in)
{
    const uint id = get_local_id(0), x = in[id];
    local uint fetched[2];
    uint never = 0;
    if (x == 1000u) {
        uint n = 3u;
        if (never == 2u)
            goto inside;
        while (n-- > 0u) {
inside:;
        }
    }
    uint m = 2u, rounds = 0;
    do {
        uint l = 2u;
        while (l-- > 0u)
            rounds++;
    } while (--m > 0u && x > 6u);
    event_t copied = async_work_group_copy(fetched, in + 1, 2, 0);
    wait_group_events(1, &copied);
    out[id] = fetched[id & 1u] + 100u * rounds;
}
