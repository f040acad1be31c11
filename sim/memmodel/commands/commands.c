/* SPDX-License-Identifier: Apache-2.0 */
/* Checks commands against each other and against the host: what each order event, each access of a command
 * and each launch means for the areas (commands_compare.c, commands_host.c). Conflicts are reported when
 * both commands are complete (commands_report.c). */
#include "commands_state.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- life --------------------------------------------------------------------------- */

struct commands *commands_new(const struct memory *memory, struct report *report)
{
    struct commands *commands = calloc(1, sizeof *commands);
    struct command_graph *graph = command_graph_new();
    struct command_log *log = command_log_new();
    struct inter_launch *inter_launch = inter_launch_new(memory, report_scenario(report)->device.scope_rule);
    struct tree_races *tree_races = tree_races_new(memory, report, inter_launch);
    if (!commands || !graph || !log || !inter_launch || !tree_races) {
        free(commands);
        tree_races_free(tree_races);
        inter_launch_free(inter_launch);
        command_graph_free(graph);
        command_log_free(log);
        return NULL;
    }
    commands->memory = memory;
    commands->report = report;
    commands->graph = graph;
    commands->log = log;
    commands->inter_launch = inter_launch;
    commands->tree_races = tree_races;
    pthread_mutex_init(&commands->lock, NULL);
    inter_launch_set_predecessors(inter_launch, commands, commands_report_predecessors);
    return commands;
}

void commands_free(struct commands *commands)
{
    if (!commands)
        return;
    commands_areas_free(commands);
    commands_sites_free(commands);
    touches_fini(&commands->touches);
    command_graph_free(commands->graph);
    command_log_free(commands->log);
    tree_races_free(commands->tree_races);
    inter_launch_free(commands->inter_launch);
    list_fini(&commands->atomic_pairs);
    list_fini(&commands->mappings);
    list_fini(&commands->conflicts);
    list_fini(&commands->storages);
    pthread_mutex_destroy(&commands->lock);
    free(commands);
}

/* ---- events ----------------------------------------------------------------------------------- */

void commands_say_loss(struct commands *commands)
{
    if (commands->reported_loss || !(commands->lost || command_graph_exhausted(commands->graph) ||
                                     inter_launch_lost(commands->inter_launch)))
        return;
    commands->reported_loss = true;
    fputs("orrery: commands are not checked for races from here on: out of memory\n", stderr);
    report_miss(commands->report, CHECK_RACES);
}

static void on_order(void *self, const struct order_event *event)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    command_log_add(commands->log, event);
    if (event->kind == ORDER_END) {
        commands_report_all(commands, event->command);
        commands_report_inter_launch(commands, event->command);
        if (!commands->conflicts.count)
            commands->atomic_pairs.count = 0;
    }
    inter_launch_order(commands->inter_launch, event);
    command_graph_order(commands->graph, event);
    if (command_graph_idle(commands->graph))
        command_log_clear(commands->log);
    if (event->kind >= ORDER_HOST_WAITED)
        commands_host_waited(commands);
    if (event->kind == ORDER_HOST_WAITED)
        commands_sweep(commands);
    commands_say_loss(commands);
    pthread_mutex_unlock(&commands->lock);
}

static void check_host_at_range(struct commands *commands, struct command_area *area,
                                const struct command_event *event, const struct byte_access *access)
{
    static const uint32_t nowhere[FOOTPRINT_USES];
    const uint64_t size = event->most_bytes ? event->most_bytes : event->size_bytes;
    struct byte_run run = {event->address - area->low, event->address + size - area->low};
    struct byte_set sets[FOOTPRINT_USES];
    for (int use = 0; use < FOOTPRINT_USES; use++)
        byte_set_init(&sets[use], area->high - area->low);
    sets[event->kind == ACCESS_READ ? FOOTPRINT_READ : FOOTPRINT_WRITTEN] =
        byte_set_of(&run, area->high - area->low);
    const struct command_uses uses = commands_uses(area->low, sets, access, nowhere);
    commands_check_host(commands, area, &uses);
}

static void take_range(struct commands *commands, const struct command_event *event,
                       struct byte_access *access)
{
    const uint64_t end = event->address + event->size_bytes;
    struct command_area *area = commands_area_of(commands, event->address);
    if (!area) {
        commands->lost = true;
        return;
    }
    if (!area->id && event->kind == ACCESS_WRITE)
        commands_host_memory(commands, event->address, end, event->command);
    if (!commands_has_no_host_access(commands, area) && !access->of_host)
        check_host_at_range(commands, area, event, access);
    if (event->launch)
        access->site = commands_number_site(commands, event->launch, event->site, area);
    const bool known = commands_follows(commands, area, event->command);
    if (area->kept.count && known) {
        commands_keep_access(commands, area,
                             &(struct kept_access){.access = *access, .low = event->address, .high = end});
        return;
    }
    commands_apply_kept(commands, area);
    commands_touch(commands, area, event->address, end, access);
}

static void take(struct commands *commands, const struct command_event *event, struct byte_access *access)
{
    if (!access->packets && inter_launch_wants_predecessors(commands->inter_launch, event->command))
        commands_announce_predecessors(commands, event->command);
    if (!access->packets)
        inter_launch_command(commands->inter_launch, event);
    take_range(commands, event, access);
}

/* Is the address in a buffer whose bytes the host may only use while they are mapped? */
static bool is_lent(const struct commands *commands, uint64_t address)
{
    const struct region *region = commands_region_of(commands, address);
    return region && !(region->flags & REGION_FLAG_SVM);
}

/* 5.2.2: reading a CL_MEM_USE_HOST_PTR buffer into its own memory moves no byte. */
static bool is_own(const struct commands *commands, const struct command_event *event)
{
    const struct command_event *moved = &commands->moved;
    return moved->command == event->command && moved->address == event->address &&
           moved->size_bytes == event->size_bytes;
}

/* Host memory that a command was given may be the storage of a CL_MEM_USE_HOST_PTR buffer. Then it is an
 * access to the buffer, too. */
static void take_storage(struct commands *commands, const struct command_event *event,
                         const struct byte_access *access)
{
    struct byte_access copy = *access;
    struct command_event there = *event;
    struct byte_run bytes;
    copy.of_host = true;
    for (size_t at = 0;
         commands_storage_next(commands, event->address, event->address + event->size_bytes, &at, &bytes);) {
        there.address = bytes.low;
        there.size_bytes = bytes.high - bytes.low;
        take(commands, &there, &copy);
        if (event->kind == ACCESS_WRITE && !is_own(commands, &there))
            commands_wrote_storage(commands, &bytes, &copy);
    }
}

/* Does the unmap end this mapping? A map of an image is one mapping for each row. most_bytes: which map the
 * unmap ends is not known. */
static bool ends_mapping(const struct command_event *unmap, const struct command_mapping *mapping)
{
    const bool same_bytes =
        mapping->low == unmap->address && mapping->high == unmap->address + unmap->size_bytes;
    return mapping->command == unmap->map && (!mapping->lent || (same_bytes && !unmap->most_bytes));
}

static void note_map(struct commands *commands, const struct command_event *event)
{
    const struct command_facts *facts = command_graph_facts(commands->graph, event->command);
    const bool lent = is_lent(commands, event->address);
    const struct command_mapping mapping = {event->command, event->address,
                                            event->address + event->size_bytes, lent,
                                            facts ? *facts : (struct command_facts){0}};
    if (event->role == COMMAND_MAPS && facts)
        commands->lost |= !list_add(&commands->mappings, mapping);
    else if (event->role == COMMAND_UNMAPS)
        list_keep(&commands->mappings, other, !ends_mapping(event, other));
}

static void on_command(void *self, const struct command_event *event)
{
    struct commands *commands = self;
    struct byte_access access = {.command = event->command,
                                 .kind = event->role == COMMAND_PACKETS ? ACCESS_WRITE : event->kind,
                                 .by_map = event->role == COMMAND_MAPS || event->role == COMMAND_OPENS ||
                                           event->role == COMMAND_UNMAPS,
                                 .packets = event->role == COMMAND_PACKETS,
                                 .reads_packets =
                                     event->role == COMMAND_PACKETS && event->kind == ACCESS_READ,
                                 .frees = event->role == COMMAND_FREES,
                                 /* its own number: which map it ends is not known */
                                 .map = event->most_bytes ? event->command : event->map,
                                 .opens = event->role == COMMAND_OPENS};
    pthread_mutex_lock(&commands->lock);
    note_map(commands, event);
    if (commands_can_check(commands, event->command)) {
        if (event->role == COMMAND_MOVES && event->kind == ACCESS_READ)
            commands->moved = *event;
        access.by_pointer = event->by_pointer && is_lent(commands, event->address);
        access.unmapped =
            access.by_pointer && !commands_may_use_pointer(commands, event->command, event->address,
                                                           event->address + event->size_bytes);
        take(commands, event, &access);
        if (event->by_pointer)
            take_storage(commands, event, &access);
    }
    commands_say_loss(commands);
    pthread_mutex_unlock(&commands->lock);
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct commands *commands = self;
    if (event->phase != LAUNCH_BEGIN || event->launch->releases < SCOPE_DEVICE)
        return;
    pthread_mutex_lock(&commands->lock);
    const uint32_t saw = command_graph_seen_step(commands->graph, event->launch->command);
    if (saw > commands->released)
        commands->released = saw;
    pthread_mutex_unlock(&commands->lock);
}

struct observer commands_observer(struct commands *commands)
{
    return (struct observer){.self = commands, .command = on_command, .launch = on_launch, .order = on_order};
}
