/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that ended before any command after them was checked. Their accesses are added as those of a
 * launch with one work-item, so that races with checked launches are found that do not come after them.
 */
#include "inter_launch_state.h"

enum { PIECE_BYTES = 1 << 30 };

/* ---- which commands --------------------------------------------------------------------------- */

static bool comes_after(const struct inter_launch *detector, uint32_t command, uint32_t predecessor)
{
    return command == INTER_LAUNCH_HOST ? command_graph_host_passes_on(detector->graph, predecessor)
                                        : command_graph_is_after(detector->graph, command, predecessor);
}

/* It may have a higher number than the command, which may wait for it by a user event. */
static bool is_predecessor(const struct inter_launch *detector, uint32_t command, uint32_t predecessor)
{
    return predecessor != command && command_graph_ended(detector->graph, predecessor) &&
           !command_graph_is_marked(detector->graph, predecessor) &&
           comes_after(detector, command, predecessor);
}

static void close_latest(struct inter_launch *detector)
{
    struct launch_state *latest = &detector->states[detector->state_count - 1];
    if (detector->state_count > 1 && latest->predecessor &&
        order_group_find(&detector->order, first_group(detector, latest)))
        inter_launch_close_group(detector, latest, first_group(detector, latest));
}

uint32_t inter_launch_next_predecessor(struct inter_launch *detector, uint32_t command)
{
    uint32_t next = 0;
    pthread_mutex_lock(&detector->lock);
    const struct command_graph *graph = detector->graph;
    if (detector->state_count)
        close_latest(detector);
    for (uint32_t other = command_graph_first(graph); other < command_graph_end(graph); other++)
        if (is_predecessor(detector, command, other) &&
            (!next || command_graph_ended(graph, other) < command_graph_ended(graph, next)))
            next = other;
    command_graph_mark(detector->graph, next);
    pthread_mutex_unlock(&detector->lock);
    return next;
}

void inter_launch_set_predecessors(struct inter_launch *detector, void *self,
                                   void (*report)(void *self, uint32_t command))
{
    detector->predecessors_self = self;
    detector->report_predecessors = report;
}

/* ---- their accesses --------------------------------------------------------------------------- */

static struct launch_state *state_of_predecessor(struct inter_launch *detector,
                                                 const struct inter_launch_predecessor *predecessor)
{
    struct launch_state *latest = &detector->states[detector->state_count - 1];
    if (latest->predecessor && latest->command == predecessor->command)
        return latest;
    latest = inter_launch_add_command(detector, predecessor->command, predecessor->kernel);
    if (!latest) {
        detector->gave_up = true;
        return NULL;
    }
    latest->predecessor = true;
    return latest;
}

static uint32_t site_of(struct inter_launch *detector, struct launch_state *state,
                        const struct inter_launch_predecessor *predecessor)
{
    const uint32_t number = inter_launch_site_of(detector, state, predecessor->site);
    struct inter_launch_site *site = &detector->sites.items[number];
    if (inter_launch_failed(detector) || !predecessor->site || site->place.file || !predecessor->place.file)
        return number;
    site->place = predecessor->place;
    (void)launch_names_keep(&site->place);
    return number;
}

static void put_accesses(struct inter_launch *detector, struct launch_state *state,
                         const struct inter_launch_predecessor *predecessor)
{
    const uint32_t site = site_of(detector, state, predecessor);
    for (uint64_t done = 0; done < predecessor->size_bytes && !inter_launch_failed(detector);
         done += PIECE_BYTES) {
        const uint64_t left = predecessor->size_bytes - done, size = left < PIECE_BYTES ? left : PIECE_BYTES;
        struct shadow_region *region = inter_launch_region_at(detector, predecessor->address + done);
        /* the memory was freed, and other memory is there now */
        if (!region || region->id != predecessor->region_id)
            return;
        if (predecessor->argument)
            inter_launch_keep_argument(state, region->id, predecessor->argument);
        inter_launch_put(detector, state, region, predecessor->address + done, (uint32_t)size,
                         predecessor->kind, site);
    }
}

/* Atomics are left out: two of different sizes conflict, and the size is not known any more. */
void inter_launch_add_predecessor(struct inter_launch *detector,
                                  const struct inter_launch_predecessor *predecessor)
{
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state =
        inter_launch_failed(detector) ? NULL : state_of_predecessor(detector, predecessor);
    if (state) {
        detector->order.event = ++detector->time;
        state->partial |= predecessor->partial || predecessor->kind > ACCESS_WRITE;
        if (predecessor->kind <= ACCESS_WRITE)
            put_accesses(detector, state, predecessor);
    }
    pthread_mutex_unlock(&detector->lock);
}
