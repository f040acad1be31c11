/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host may acquire and pass on by way of atomics. Its own are not seen: it acquires at once what is
 * released for it, and hands that on to each unit that acquires from it, and to what it enqueues, or sets a
 * user event for, after that (OpenCL 2.2 API, 3.3.6, host-side and device-side commands, rules (1) and (12)).
 * After that is: by a call that had not been made when the atomic operation began, since the host may have
 * continued before the event arrives here. What it has waited for (4) it hands on to every acquiring unit,
 * too; others have that by its calls (command_graph.h).
 */
#include "inter_launch_state.h"

static const uint64_t HOST_UNIT = 0, HANDED_ON = 8; /* an address that no allocation has */

void cross_host_before(struct cross_launch *cross)
{
    cross->began = command_graph_step(cross->graph);
}

/* ---- the host's clock at its calls ---------------------------------------------------------- */

static void drop_latest(struct cross_launch *cross)
{
    drop_all(&cross->order, cross->handed[--cross->handed_count].known);
}

/* No query comes for those below the step that every command has seen. */
static void drop_seen_by_all(struct cross_launch *cross)
{
    const uint32_t first = command_graph_first_step(cross->graph);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cross->handed_count; i++)
        if (cross->handed[i].step < first)
            drop_all(&cross->order, cross->handed[i].known);
        else
            cross->handed[kept++] = cross->handed[i];
    cross->handed_count = kept;
}

/* It is about to acquire something that does not happen before commands up to this step of its. */
static void keep_known(struct cross_launch *cross, uint32_t step)
{
    while (cross->handed_count && cross->handed[cross->handed_count - 1].step > step)
        drop_latest(cross);
    if (cross->handed_count && cross->handed[cross->handed_count - 1].step == step)
        return;
    if (cross->handed_count == cross->handed_room)
        drop_seen_by_all(cross);
    if (!cross_room_for((void **)&cross->handed, cross->handed_count, &cross->handed_room,
                        sizeof *cross->handed)) {
        cross->shadow.failed = true;
        return;
    }
    struct handed *handed = &cross->handed[cross->handed_count++];
    handed->step = step;
    order_group_vclock(&cross->order, 0, handed->known);
}

void cross_host_known(struct cross_launch *cross, const struct member *member,
                      struct vclock *out_known[ORDER_REGIONS])
{
    const uint32_t saw =
        cross_is_announced(cross, member) ? command_graph_saw(cross->graph, member->command) : UINT32_MAX;
    uint32_t i = cross->handed_count;
    while (i > 0 && cross->handed[i - 1].step >= saw)
        i--;
    if (i < cross->handed_count)
        share_all(out_known, cross->handed[i].known);
    else
        order_group_vclock(&cross->order, 0, out_known);
}

void cross_host_fini(struct cross_launch *cross)
{
    while (cross->handed_count)
        drop_latest(cross);
    free(cross->handed);
    cross->handed = NULL;
    cross->handed_room = 0;
    cross->host_knows = cross->host_waited = cross->host_unchecked = false;
}

/* ---- its atomics ---------------------------------------------------------------------------- */

static void hand_on(struct cross_launch *cross, uint32_t site)
{
    struct unit_state host;
    const struct atomic_act act = {.address = HANDED_ON,
                                   .size = 4,
                                   .region = IN_GLOBAL,
                                   .reads = true,
                                   .writes = true,
                                   .order = ORDER_ACQ_REL,
                                   .scope = SCOPE_ALL_SVM,
                                   .site = site,
                                   .svm_atomics = true};
    order_unit_state(&cross->order, HOST_UNIT, &host);
    order_atomic(&cross->order, &host, &act);
}

/* The host waited for it (rule (4)): all its operations, and its clock. */
static void learn(struct cross_launch *cross, struct member *member)
{
    struct group_order *host = order_group(&cross->order, 0);
    for (int r = 0; host && r < ORDER_REGIONS; r++) {
        join_into(&cross->order, &host->acquired[r], member->learned[r]);
        put_into(&cross->order, &host->acquired[r], launch_key((uint32_t)(member - cross->members)), 1);
    }
    member->host_knows = true;
}

static void learn_waited(struct cross_launch *cross, uint32_t site)
{
    keep_known(cross, command_graph_step(cross->graph));
    for (uint32_t i = 1; i < cross->member_count; i++) {
        struct member *member = &cross->members[i];
        if (!member->host_knows && !cross_is_running(member) &&
            command_graph_host_hands_on(cross->graph, member->command))
            learn(cross, member);
    }
    hand_on(cross, site);
    cross->host_waited = false;
}

void cross_host_acquires(struct cross_launch *cross, const struct atomic_act *released)
{
    struct atomic_act act = *released;
    struct unit_state host;
    keep_known(cross, cross->began);
    cross->host_knows = true;
    act.reads = true;
    act.writes = false;
    act.order = ORDER_ACQUIRE;
    order_unit_state(&cross->order, HOST_UNIT, &host);
    order_atomic(&cross->order, &host, &act);
    hand_on(cross, released->site);
}

void cross_host_hands_on(struct cross_launch *cross, struct unit_state *unit_state,
                         const struct atomic_act *read)
{
    struct atomic_act act = *read;
    if (cross->host_waited)
        learn_waited(cross, read->site);
    act.address = HANDED_ON;
    act.size = 4;
    act.writes = false;
    order_atomic(&cross->order, unit_state, &act);
}
