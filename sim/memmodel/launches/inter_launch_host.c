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
#include "orrery/checked.h"

static const uint64_t HOST_UNIT = 0, HANDED_ON = 8; /* an address that no allocation has */

void inter_launch_host_before(struct inter_launch *detector)
{
    detector->began = command_graph_step(detector->graph);
}

/* ---- the host's clock at its calls ---------------------------------------------------------- */

static void drop_latest(struct inter_launch *detector)
{
    drop_all(&detector->order, detector->handed[--detector->handed_count].known);
}

/* No query comes for those below the step that every command has seen. */
static void drop_seen_by_all(struct inter_launch *detector)
{
    const uint32_t first = command_graph_first_step(detector->graph);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < detector->handed_count; i++)
        if (detector->handed[i].step < first)
            drop_all(&detector->order, detector->handed[i].known);
        else
            detector->handed[kept++] = detector->handed[i];
    detector->handed_count = kept;
}

/* It is about to acquire something that does not happen before commands up to this step of its. */
static void keep_known(struct inter_launch *detector, uint32_t step)
{
    while (detector->handed_count && detector->handed[detector->handed_count - 1].step > step)
        drop_latest(detector);
    if (detector->handed_count && detector->handed[detector->handed_count - 1].step == step)
        return;
    if (detector->handed_count == detector->handed_room)
        drop_seen_by_all(detector);
    if (!inter_launch_room_for((void **)&detector->handed, detector->handed_count, &detector->handed_room,
                               sizeof *detector->handed)) {
        detector->shadow.failed = true;
        return;
    }
    CHECKED(!detector->handed_count || detector->handed[detector->handed_count - 1].step < step);
    struct handed *handed = &detector->handed[detector->handed_count++];
    handed->step = step;
    order_group_vclock(&detector->order, 0, handed->known);
}

void inter_launch_host_known(struct inter_launch *detector, const struct launch_state *state,
                             struct vclock *out_known[ORDER_REGIONS])
{
    const uint32_t saw = inter_launch_is_announced(detector, state)
                             ? command_graph_saw(detector->graph, state->command)
                             : UINT32_MAX;
    uint32_t i = detector->handed_count;
    while (i > 0 && detector->handed[i - 1].step >= saw)
        i--;
    if (i < detector->handed_count)
        share_all(out_known, detector->handed[i].known);
    else
        order_group_vclock(&detector->order, 0, out_known);
}

void inter_launch_host_fini(struct inter_launch *detector)
{
    while (detector->handed_count)
        drop_latest(detector);
    free(detector->handed);
    detector->handed = NULL;
    detector->handed_room = 0;
    detector->host_acquired = detector->host_waited = detector->host_unchecked = false;
}

/* ---- its atomics ---------------------------------------------------------------------------- */

static void hand_on(struct inter_launch *detector, uint32_t site)
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
    order_unit_state(&detector->order, HOST_UNIT, &host);
    order_atomic(&detector->order, &host, &act);
}

/* The host waited for it (rule (4)): all its operations, and its clock. */
static void learn(struct inter_launch *detector, struct launch_state *state)
{
    struct group_order *host = order_group(&detector->order, 0);
    for (int r = 0; host && r < ORDER_REGIONS; r++) {
        join_into(&detector->order, &host->acquired[r], state->learned[r]);
        put_into(&detector->order, &host->acquired[r], launch_key((uint32_t)(state - detector->states)), 1);
    }
    state->host_acquired = true;
}

static void learn_waited(struct inter_launch *detector, uint32_t site)
{
    keep_known(detector, command_graph_step(detector->graph));
    for (uint32_t i = 1; i < detector->state_count; i++) {
        struct launch_state *state = &detector->states[i];
        if (!state->host_acquired && !inter_launch_is_running(state) &&
            command_graph_host_hands_on(detector->graph, state->command))
            learn(detector, state);
    }
    hand_on(detector, site);
    detector->host_waited = false;
}

void inter_launch_host_acquires(struct inter_launch *detector, const struct atomic_act *released)
{
    struct atomic_act act = *released;
    struct unit_state host;
    keep_known(detector, detector->began);
    detector->host_acquired = true;
    act.reads = true;
    act.writes = false;
    act.order = ORDER_ACQUIRE;
    order_unit_state(&detector->order, HOST_UNIT, &host);
    order_atomic(&detector->order, &host, &act);
    hand_on(detector, released->site);
}

void inter_launch_host_hands_on(struct inter_launch *detector, struct unit_state *unit_state,
                                const struct atomic_act *read)
{
    struct atomic_act act = *read;
    if (detector->host_waited)
        learn_waited(detector, read->site);
    act.address = HANDED_ON;
    act.size = 4;
    act.writes = false;
    order_atomic(&detector->order, unit_state, &act);
}
