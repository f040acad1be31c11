/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that had ended before any command after them was checked: their accesses are added, as by one
 * work-item. */
#include "inter_launch_state.h"

enum { PIECE_BYTES = 1 << 30 };

/* ---- which ---------------------------------------------------------------------------------- */

static bool is_handled(const struct cross_launch *cross, uint32_t command)
{
    const uint32_t at = command - cross->handled_from;
    return command < cross->handled_from ||
           (at / 64 < cross->handled_words && cross->handled[at / 64] >> at % 64 & 1);
}

void cross_handle(struct cross_launch *cross, uint32_t command)
{
    if (!cross->handled)
        cross->handled_from = command_graph_first(cross->graph);
    if (command < cross->handled_from)
        return;
    const uint32_t at = command - cross->handled_from;
    if (at / 64 >= cross->handled_words) {
        const uint32_t words = 2 * (at / 64) + 8;
        uint64_t *grown = realloc(cross->handled, words * sizeof *grown);
        cross->shadow.failed |= !grown;
        if (!grown)
            return;
        memset(grown + cross->handled_words, 0, (words - cross->handled_words) * sizeof *grown);
        cross->handled = grown;
        cross->handled_words = words;
    }
    cross->handled[at / 64] |= UINT64_C(1) << at % 64;
}

static bool knows(const struct cross_launch *cross, uint32_t command, uint32_t predecessor)
{
    return command == CROSS_HOST ? command_graph_host_hands_on(cross->graph, predecessor)
                                 : command_graph_is_after(cross->graph, command, predecessor);
}

/* Also one that was enqueued later: it may happen before a command that waits for a user event. */
static bool is_predecessor(const struct cross_launch *cross, uint32_t command, uint32_t predecessor)
{
    return predecessor != command && predecessor >= command_graph_first(cross->graph) &&
           !is_handled(cross, predecessor) && command_graph_ended(cross->graph, predecessor) &&
           knows(cross, command, predecessor);
}

bool cross_lacks_predecessors(struct cross_launch *cross, uint32_t command)
{
    for (uint32_t predecessor = command_graph_first(cross->graph);
         predecessor < command_graph_end(cross->graph); predecessor++)
        if (is_predecessor(cross, command, predecessor))
            return true;
    return false;
}

bool cross_launch_is_predecessor(struct cross_launch *cross, uint32_t command, uint32_t predecessor)
{
    pthread_mutex_lock(&cross->lock);
    const bool is = is_predecessor(cross, command, predecessor);
    pthread_mutex_unlock(&cross->lock);
    return is;
}

void cross_launch_set_predecessors(struct cross_launch *cross, const struct cross_predecessors *predecessors)
{
    cross->predecessors = *predecessors;
}

/* ---- what they did -------------------------------------------------------------------------- */

static void close(struct cross_launch *cross)
{
    struct member *latest = &cross->members[cross->member_count - 1];
    if (cross->member_count > 1 && latest->predecessor &&
        order_group_find(&cross->order, cross_order_of(cross, latest)->first_group))
        cross_close_group(cross, latest, cross_order_of(cross, latest)->first_group);
}

static struct member *member_of(struct cross_launch *cross, const struct cross_predecessor *predecessor)
{
    struct member *latest = &cross->members[cross->member_count - 1];
    if (latest->predecessor && latest->command == predecessor->command)
        return latest;
    close(cross);
    latest = cross_add_command(cross, predecessor->command, predecessor->kernel);
    if (!latest) {
        cross->blind = true;
        return NULL;
    }
    latest->predecessor = true;
    return latest;
}

static uint32_t site_of(struct cross_launch *cross, struct member *member,
                        const struct cross_predecessor *predecessor)
{
    const uint32_t number = cross_site_of(cross, member, predecessor->site);
    struct cross_site *site = &cross->sites[number];
    if (cross_failed(cross) || !predecessor->site || site->place.file || !predecessor->place.file)
        return number;
    cross_site_keep(site, &predecessor->place);
    return number;
}

static void put_in(struct cross_launch *cross, struct member *member,
                   const struct cross_predecessor *predecessor)
{
    const uint32_t site = site_of(cross, member, predecessor);
    for (uint64_t done = 0; done < predecessor->size_bytes && !cross_failed(cross); done += PIECE_BYTES) {
        const uint64_t left = predecessor->size_bytes - done, size = left < PIECE_BYTES ? left : PIECE_BYTES;
        struct shadow_region *region = cross_region_at(cross, predecessor->address + done);
        if (!region || region->id != predecessor->region_id) /* freed since, and allocated again */
            return;
        if (predecessor->argument)
            cross_keep_argument(member, region->id, predecessor->argument);
        cross_put(cross, member, region, predecessor->address + done, (uint32_t)size, predecessor->kind,
                  site);
    }
}

/* Atomics of one size are reported against those of another, which is not known any more. */
void cross_launch_predecessor(struct cross_launch *cross, const struct cross_predecessor *predecessor)
{
    pthread_mutex_lock(&cross->lock);
    struct member *member = cross_failed(cross) ? NULL : member_of(cross, predecessor);
    if (member) {
        cross->order.event = ++cross->time;
        member->partial |= predecessor->partial || predecessor->kind > ACCESS_WRITE;
        if (predecessor->kind <= ACCESS_WRITE)
            put_in(cross, member, predecessor);
    }
    pthread_mutex_unlock(&cross->lock);
}

void cross_launch_predecessors_over(struct cross_launch *cross, uint32_t command)
{
    pthread_mutex_lock(&cross->lock);
    if (cross->member_count)
        close(cross);
    for (uint32_t predecessor = command_graph_first(cross->graph);
         predecessor < command_graph_end(cross->graph); predecessor++)
        if (is_predecessor(cross, command, predecessor))
            cross_handle(cross, predecessor);
    pthread_mutex_unlock(&cross->lock);
}
