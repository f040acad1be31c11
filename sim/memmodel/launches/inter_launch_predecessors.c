/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that had ended before any command after them was checked: their accesses are added, as by one
 * work-item. */
#include "inter_launch_state.h"

enum { PIECE_BYTES = 1 << 30 };

/* ---- which ---------------------------------------------------------------------------------- */

static bool is_handled(const struct inter_launch *detector, uint32_t command)
{
    const uint32_t at = command - detector->handled_from;
    return command < detector->handled_from ||
           (at / 64 < detector->handled_words && detector->handled[at / 64] >> at % 64 & 1);
}

void inter_launch_handle(struct inter_launch *detector, uint32_t command)
{
    if (!detector->handled)
        detector->handled_from = command_graph_first(detector->graph);
    if (command < detector->handled_from)
        return;
    const uint32_t at = command - detector->handled_from;
    if (at / 64 >= detector->handled_words) {
        const uint32_t words = 2 * (at / 64) + 8;
        uint64_t *grown = realloc(detector->handled, words * sizeof *grown);
        detector->shadow.failed |= !grown;
        if (!grown)
            return;
        memset(grown + detector->handled_words, 0, (words - detector->handled_words) * sizeof *grown);
        detector->handled = grown;
        detector->handled_words = words;
    }
    detector->handled[at / 64] |= UINT64_C(1) << at % 64;
}

static bool comes_after(const struct inter_launch *detector, uint32_t command, uint32_t predecessor)
{
    return command == INTER_LAUNCH_HOST ? command_graph_host_hands_on(detector->graph, predecessor)
                                        : command_graph_is_after(detector->graph, command, predecessor);
}

/* Also one that was enqueued later: it may happen before a command that waits for a user event. */
static bool is_predecessor(const struct inter_launch *detector, uint32_t command, uint32_t predecessor)
{
    return predecessor != command && predecessor >= command_graph_first(detector->graph) &&
           !is_handled(detector, predecessor) && command_graph_ended(detector->graph, predecessor) &&
           comes_after(detector, command, predecessor);
}

bool inter_launch_wants_predecessors(struct inter_launch *detector, uint32_t command)
{
    for (uint32_t predecessor = command_graph_first(detector->graph);
         predecessor < command_graph_end(detector->graph); predecessor++)
        if (is_predecessor(detector, command, predecessor))
            return true;
    return false;
}

bool inter_launch_is_predecessor(struct inter_launch *detector, uint32_t command, uint32_t predecessor)
{
    pthread_mutex_lock(&detector->lock);
    const bool is = is_predecessor(detector, command, predecessor);
    pthread_mutex_unlock(&detector->lock);
    return is;
}

void inter_launch_set_predecessors(struct inter_launch *detector,
                                   const struct inter_launch_predecessors *predecessors)
{
    detector->predecessors = *predecessors;
}

/* ---- what they did -------------------------------------------------------------------------- */

static void close(struct inter_launch *detector)
{
    struct launch_state *latest = &detector->states[detector->state_count - 1];
    if (detector->state_count > 1 && latest->predecessor &&
        order_group_find(&detector->order, inter_launch_order_of(detector, latest)->first_group))
        inter_launch_close_group(detector, latest, inter_launch_order_of(detector, latest)->first_group);
}

static struct launch_state *member_of(struct inter_launch *detector,
                                      const struct inter_launch_predecessor *predecessor)
{
    struct launch_state *latest = &detector->states[detector->state_count - 1];
    if (latest->predecessor && latest->command == predecessor->command)
        return latest;
    close(detector);
    latest = inter_launch_add_command(detector, predecessor->command, predecessor->kernel);
    if (!latest) {
        detector->blind = true;
        return NULL;
    }
    latest->predecessor = true;
    return latest;
}

static uint32_t site_of(struct inter_launch *detector, struct launch_state *state,
                        const struct inter_launch_predecessor *predecessor)
{
    const uint32_t number = inter_launch_site_of(detector, state, predecessor->site);
    struct inter_launch_site *site = &detector->sites[number];
    if (inter_launch_failed(detector) || !predecessor->site || site->place.file || !predecessor->place.file)
        return number;
    inter_launch_site_keep(site, &predecessor->place);
    return number;
}

static void put_in(struct inter_launch *detector, struct launch_state *state,
                   const struct inter_launch_predecessor *predecessor)
{
    const uint32_t site = site_of(detector, state, predecessor);
    for (uint64_t done = 0; done < predecessor->size_bytes && !inter_launch_failed(detector);
         done += PIECE_BYTES) {
        const uint64_t left = predecessor->size_bytes - done, size = left < PIECE_BYTES ? left : PIECE_BYTES;
        struct shadow_region *region = inter_launch_region_at(detector, predecessor->address + done);
        if (!region || region->id != predecessor->region_id) /* freed since, and allocated again */
            return;
        if (predecessor->argument)
            inter_launch_keep_argument(state, region->id, predecessor->argument);
        inter_launch_put(detector, state, region, predecessor->address + done, (uint32_t)size,
                         predecessor->kind, site);
    }
}

/* Atomics of one size are reported against those of another, which is not known any more. */
void inter_launch_add_predecessor(struct inter_launch *detector,
                                  const struct inter_launch_predecessor *predecessor)
{
    pthread_mutex_lock(&detector->lock);
    struct launch_state *state = inter_launch_failed(detector) ? NULL : member_of(detector, predecessor);
    if (state) {
        detector->order.event = ++detector->time;
        state->partial |= predecessor->partial || predecessor->kind > ACCESS_WRITE;
        if (predecessor->kind <= ACCESS_WRITE)
            put_in(detector, state, predecessor);
    }
    pthread_mutex_unlock(&detector->lock);
}

void inter_launch_predecessors_over(struct inter_launch *detector, uint32_t command)
{
    pthread_mutex_lock(&detector->lock);
    if (detector->state_count)
        close(detector);
    for (uint32_t predecessor = command_graph_first(detector->graph);
         predecessor < command_graph_end(detector->graph); predecessor++)
        if (is_predecessor(detector, command, predecessor))
            inter_launch_handle(detector, predecessor);
    pthread_mutex_unlock(&detector->lock);
}
