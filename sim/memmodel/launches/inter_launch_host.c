/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host acquires and passes on by atomics. Its own atomics are not seen. It counts as acquiring at
 * once what is released for it. It passes that on to each unit that acquires from it, to what it enqueues
 * after that, and by user events that it sets after that. These are rules (1) and (12) of the OpenCL 2.2 API,
 * 3.3.6, host-side and device-side commands. "After that" means a call that had not been made when the atomic
 * operation began, because the host may have continued before the event arrives here. So the host's clock is
 * kept for each of its steps that a command may still refer to.
 *
 * What the host has waited for (rule (4)) it passes on to every unit that acquires from it; commands have
 * that by the command graph.
 */
#include "inter_launch_state.h"
#include "orrery/checked.h"

/* HOST_RELEASE: the address of an object that stands for the host's releases, where no allocation is */
static const uint64_t HOST_UNIT = 0, HOST_RELEASE = 8;

/* ---- the host's clock at its calls ---------------------------------------------------------- */

static void drop_latest_snapshot(struct inter_launch *detector)
{
    drop_all(&detector->order, detector->host_snapshots.items[--detector->host_snapshots.count].clock);
}

/* The host is about to acquire something that does not happen before commands up to this step: keeps its
 * clock without it. */
static void keep_snapshot(struct inter_launch *detector, uint32_t step)
{
    while (detector->host_snapshots.count &&
           detector->host_snapshots.items[detector->host_snapshots.count - 1].step > step)
        drop_latest_snapshot(detector);
    if (detector->host_snapshots.count &&
        detector->host_snapshots.items[detector->host_snapshots.count - 1].step == step)
        return;
    CHECKED(!detector->host_snapshots.count ||
            detector->host_snapshots.items[detector->host_snapshots.count - 1].step < step);
    if (list_add(&detector->host_snapshots, (struct host_snapshot){.step = step}))
        order_group_vclock(&detector->order, 0,
                           detector->host_snapshots.items[detector->host_snapshots.count - 1].clock);
    else
        detector->shadow.failed = true;
}

void inter_launch_host_clock(struct inter_launch *detector, const struct launch_state *state,
                             struct vclock *out_clock[ORDER_REGIONS])
{
    const uint32_t saw = inter_launch_is_announced(detector, state)
                             ? command_graph_seen_step(detector->graph, state->command)
                             : UINT32_MAX;
    uint32_t i = detector->host_snapshots.count;
    while (i > 0 && detector->host_snapshots.items[i - 1].step >= saw)
        i--;
    if (i < detector->host_snapshots.count)
        share_all(out_clock, detector->host_snapshots.items[i].clock);
    else
        order_group_vclock(&detector->order, 0, out_clock);
}

void inter_launch_host_fini(struct inter_launch *detector)
{
    while (detector->host_snapshots.count)
        drop_latest_snapshot(detector);
    list_fini(&detector->host_snapshots);
    detector->host_acquired = detector->host_waited = detector->host_unchecked = false;
}

/* ---- the host's atomics ----------------------------------------------------------------------- */

static void publish_host_clock(struct inter_launch *detector, uint32_t site)
{
    struct unit_state host;
    const struct atomic_operation act = {.address = HOST_RELEASE,
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

/* The host has waited for the launch (rule (4)): joins its operations and its clock. */
static void join_launch(struct inter_launch *detector, struct launch_state *state)
{
    struct group_order *host = order_group(&detector->order, 0);
    for (int r = 0; host && r < ORDER_REGIONS; r++) {
        join_into(&detector->order, &host->acquired[r], state->final[r]);
        put_into(&detector->order, &host->acquired[r], launch_key((uint32_t)(state - detector->states)), 1);
    }
    state->host_acquired = true;
}

static void join_waited(struct inter_launch *detector, uint32_t site)
{
    keep_snapshot(detector, command_graph_step(detector->graph));
    for (uint32_t i = 1; i < detector->state_count; i++) {
        struct launch_state *state = &detector->states[i];
        if (!state->host_acquired && !inter_launch_is_running(state) &&
            command_graph_host_passes_on(detector->graph, state->command))
            join_launch(detector, state);
    }
    publish_host_clock(detector, site);
    detector->host_waited = false;
}

void inter_launch_host_acquires(struct inter_launch *detector, const struct atomic_operation *released)
{
    struct atomic_operation act = *released;
    struct unit_state host;
    keep_snapshot(detector, detector->began);
    detector->host_acquired = true;
    act.reads = true;
    act.writes = false;
    act.order = ORDER_ACQUIRE;
    order_unit_state(&detector->order, HOST_UNIT, &host);
    order_atomic(&detector->order, &host, &act);
    publish_host_clock(detector, released->site);
}

void inter_launch_host_passes_on(struct inter_launch *detector, struct unit_state *unit_state,
                                 const struct atomic_operation *read)
{
    struct atomic_operation act = *read;
    if (detector->host_waited)
        join_waited(detector, read->site);
    act.address = HOST_RELEASE;
    act.size = 4;
    act.writes = false;
    order_atomic(&detector->order, unit_state, &act);
}
