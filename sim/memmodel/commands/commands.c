/* SPDX-License-Identifier: Apache-2.0 */
/* Checks commands against each other. Each allocation has an area with the accesses that may still race:
 * as segments of a byte map, as scattered sets of bytes, and as kept accesses that are applied later. A
 * new access is compared with those of the area; two accesses that conflict and that the command graph
 * does not order become a conflict. Conflicts are reported when both commands are complete
 * (commands_report.c). Lemma: an access that happens after all accesses of its area conflicts with none
 * of them. So it is only kept, and applied when a command comes that may not be after all of them. Most
 * programs never get there. */
#include "commands_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "sim/memmodel/launches/inter_launch.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

/* ---- life --------------------------------------------------------------------------- */

struct commands *commands_new(const struct memory *memory, struct report *report)
{
    struct commands *commands = calloc(1, sizeof *commands);
    struct command_graph *graph = command_graph_new();
    struct command_log *log = command_log_new();
    struct inter_launch *inter_launch = inter_launch_new(memory, report_scenario(report)->device.scope_rule);
    if (!commands || !graph || !log || !inter_launch) {
        free(commands);
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
    pthread_mutex_init(&commands->lock, NULL);
    const struct inter_launch_predecessors predecessors = commands_predecessors(commands);
    inter_launch_set_predecessors(inter_launch, &predecessors);
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
    inter_launch_free(commands->inter_launch);
    free(commands->atomic_pairs);
    free(commands->mappings);
    pthread_mutex_destroy(&commands->lock);
    free(commands->conflicts);
    free(commands->storages);
    free(commands->map_pointers);
    free(commands);
}

/* ---- what conflicts --------------------------------------------------------------------- */

bool commands_lacks_map(const struct byte_access *access, const struct byte_access *map)
{
    return access->unmapped && map->by_map && !map->map && RULE(33);
}

/* R33: a map for writing is not a write, but its bytes belong to the host, so it conflicts with all commands
 * but maps. Two accesses by the host's pointers are judged in the area of the host's memory. */
static bool conflicts(const struct byte_access *a, const struct byte_access *b)
{
    if (a->of_host && b->of_host)
        return false;
    if (commands_lacks_map(a, b) || commands_lacks_map(b, a))
        return true;
    if ((a->opens || b->opens) && RULE(33))
        return !a->by_map || !b->by_map;
    return !reads_only(a) || !reads_only(b);
}

static bool same_places(const struct commands *commands, const struct conflict *a, const struct conflict *b)
{
    return a->earlier.command == b->earlier.command && a->later.command == b->later.command &&
           a->area == b->area && commands_same_line(commands, &a->earlier, &b->earlier) &&
           commands_same_line(commands, &a->later, &b->later);
}

/* Of several accesses of a map the one that opens the bytes for writing is reported, not its read. */
static void merge_conflict(struct conflict *kept, const struct conflict *more)
{
    kept->bytes += more->bytes;
    if (more->later.opens)
        kept->later = more->later;
    if (more->earlier.opens)
        kept->earlier = more->earlier;
}

static void keep_conflict(struct commands *commands, const struct conflict *conflict)
{
    for (size_t i = commands->conflict_count; i > 0; i--) {
        if (same_places(commands, &commands->conflicts[i - 1], conflict)) {
            merge_conflict(&commands->conflicts[i - 1], conflict);
            return;
        }
    }
    if (!commands_reserve((void **)&commands->conflicts, &commands->conflict_room, commands->conflict_count,
                          sizeof *conflict))
        return; /* out of memory: the conflicts so far are reported */
    CHECKED(commands->conflict_count < commands->conflict_room && conflict->low < conflict->high);
    commands->conflicts[commands->conflict_count++] = *conflict;
}

/* An access by several instructions is split into ranges of one instruction each. Only the first ranges are
 * looked at, since later ones mostly repeat their lines. */
enum { STRETCHES_MOST = HOSTILE(4096, 64) };

static void keep_conflicts(struct commands *commands, const struct byte_access *later,
                           const struct byte_access *earlier, uint64_t low, uint64_t high)
{
    for (uint32_t i = 0; i < STRETCHES_MOST && low < high; i++) {
        struct conflict conflict = {.low = low, .high = high, .area = commands->queried_area};
        conflict.later = commands_access_at(commands->queried_area, later, low, &conflict.high);
        conflict.earlier = commands_access_at(commands->queried_area, earlier, low, &conflict.high);
        conflict.bytes = conflict.high - low;
        CHECKED(low < conflict.high && conflict.high <= high);
        keep_conflict(commands, &conflict);
        low = conflict.high;
    }
}

bool commands_is_after(void *self, const struct byte_access *later, const struct byte_access *earlier)
{
    const struct commands *commands = self;
    return command_graph_is_after(commands->graph, later->command, earlier->command);
}

/* May the kernel of `to` have acquired what the kernel of `from` released on an atomic object? */
static bool may_release_to(const struct byte_access *from, const struct byte_access *to)
{
    return from->kind != ACCESS_ATOMIC_READ && from->releases >= SCOPE_DEVICE && to->acquires >= SCOPE_DEVICE;
}

/* Kernels that may run at the same time may synchronise in either direction. If one ends before the other
 * begins, it cannot have read what the other stored. */
static bool may_synchronise(const struct commands *commands, const struct byte_access *later,
                            const struct byte_access *earlier)
{
    const bool in_sequence =
        command_graph_in_sequence(commands->graph, later->command, earlier->command) && RULE(3203);
    return may_release_to(earlier, later) || (!in_sequence && may_release_to(later, earlier));
}

static void note_atomic_pair(struct commands *commands, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < commands->atomic_pair_count; i++)
        if (commands->atomic_pairs[i].a == a && commands->atomic_pairs[i].b == b)
            return;
    CHECKED(a != b);
    if (commands_reserve((void **)&commands->atomic_pairs, &commands->atomic_pair_room,
                         commands->atomic_pair_count, sizeof *commands->atomic_pairs))
        commands->atomic_pairs[commands->atomic_pair_count++] = (struct atomic_pair){a, b};
    else
        commands->lost = true;
}

static void check_pair(void *self, const struct byte_access *later, const struct byte_access *earlier,
                       uint64_t low, uint64_t high)
{
    struct commands *commands = self;
    if (!conflicts(later, earlier))
        return;
    const bool guaranteed = (commands->queried_area->guaranteed && RULE(32)) || !RULE(3201);
    if (is_atomic(later) && is_atomic(earlier) && guaranteed) {
        if (may_synchronise(commands, later, earlier) || !RULE(3202))
            command_graph_assume(commands->graph, later->command, earlier->command);
        else
            note_atomic_pair(commands, later->command, earlier->command);
        return;
    }
    keep_conflicts(commands, later, earlier, low, high);
}

static bool covers(const struct byte_set *all, const struct byte_set *some)
{
    struct byte_run need = {0, 0}, have;
    while (byte_set_next(some, need.high, &need))
        if (!byte_set_next(all, need.low, &have) || have.low > need.low || have.high < need.high)
            return false;
    return true;
}

/* Checks two sets of bytes within a range. If either access is by several instructions, each common range is
 * checked by itself, else the first one stands for all. */
static void check_sets(struct commands *commands, const struct byte_set *bytes,
                       const struct byte_access *access, const struct byte_set *others,
                       const struct byte_access *earlier, const struct byte_run *within)
{
    const uint64_t low = commands->queried_area->low;
    const uint32_t most = (access->site | earlier->site) & SITE_SEVERAL ? STRETCHES_MOST : 1;
    struct byte_run run = {within->low, within->low};
    for (uint32_t i = 0; i < most && byte_set_common(bytes, others, run.high, &run) && run.low < within->high;
         i++)
        check_pair(commands, access, earlier, low + run.low,
                   low + (run.high < within->high ? run.high : within->high));
}

/* Checks the scattered accesses, and drops those that the new access replaces: it is after them, covers
 * their bytes and conflicts with whatever they conflict with. */
static void check_scattered(struct commands *commands, struct command_area *area,
                            const struct byte_set *bytes, const struct byte_access *access)
{
    size_t kept = 0;
    for (size_t i = 0; i < area->scattered_count; i++) {
        struct scattered_access *old = &area->scattered[i];
        bool known =
            old->access.command == access->command || commands_is_after(commands, access, &old->access);
        if (known && byte_access_subsumes(access, &old->access) && covers(bytes, &old->bytes)) {
            byte_set_fini(&old->bytes);
            continue;
        }
        if (!known)
            check_sets(commands, bytes, access, &old->bytes, &old->access, &(struct byte_run){0, UINT64_MAX});
        area->scattered[kept++] = *old;
    }
    area->scattered_count = kept;
}

static void touch(struct commands *commands, struct command_area *area, uint64_t low, uint64_t high,
                  const struct byte_access *access)
{
    struct byte_run run = {low - area->low, high - area->low};
    const struct byte_set bytes = {.runs = &run, .count = 1, .size = area->high - area->low};
    const struct byte_map_query query = {commands, commands_is_after, check_pair};
    commands->queried_area = area;
    commands->added++;
    check_scattered(commands, area, &bytes, access);
    commands->lost |= !byte_map_add(area->map, low, high, access, &query);
}

struct scattered_check {
    struct commands *commands;
    const struct command_area *area;
    const struct byte_set *bytes;
    const struct byte_access *access;
};

static void check_segment(void *self, uint64_t low, uint64_t high, const struct byte_access *earlier)
{
    struct scattered_check *check = self;
    const struct command_area *area = check->area;
    struct byte_run run = {low - area->low, high - area->low};
    const struct byte_set segment = {.runs = &run, .count = 1, .size = area->high - area->low};
    if (earlier->command != check->access->command &&
        !commands_is_after(check->commands, check->access, earlier))
        check_sets(check->commands, check->bytes, check->access, &segment, earlier, &run);
}

/* Takes ownership of the bytes. */
static void touch_scattered(struct commands *commands, struct command_area *area, struct byte_set *bytes,
                            const struct byte_access *access)
{
    struct scattered_check check = {commands, area, bytes, access};
    commands->queried_area = area;
    commands->added++;
    byte_map_visit(area->map, area->low, area->high, check_segment, &check);
    check_scattered(commands, area, bytes, access);
    if (!commands_reserve((void **)&area->scattered, &area->scattered_room, area->scattered_count,
                          sizeof *area->scattered)) {
        commands->lost = true;
        return;
    }
    struct scattered_access *new = &area->scattered[area->scattered_count++];
    CHECKED(area->scattered_count <= area->scattered_room);
    new->access = *access;
    byte_set_take(&new->bytes, bytes);
}

/* An access with more runs is scattered: as segments each run would be looked up and split by itself. */
enum { RUNS_FEW = HOSTILE(16, 2), KEPT_MOST = HOSTILE(4096, 3) };

static bool is_forgotten(const struct commands *commands, uint32_t command)
{
    return command < command_graph_first(commands->graph);
}

const enum access_kind commands_use_kinds[FOOTPRINT_USES] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_UPDATE,
                                                             ACCESS_ATOMIC_READ};

/* Takes ownership of the part's bytes. */
static void touch_part(struct commands *commands, struct command_area *area, struct footprint_part *part,
                       const struct byte_access *by, const uint32_t site[FOOTPRINT_USES])
{
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        struct byte_run run = {0, 0};
        if (byte_set_empty(&part->bytes[use]))
            continue;
        struct byte_access access = *by;
        access.kind = commands_use_kinds[use];
        access.site = site[use];
        if (area->id && (part->bytes[use].bits || part->bytes[use].count > RUNS_FEW)) {
            touch_scattered(commands, area, &part->bytes[use], &access);
            continue;
        }
        while (byte_set_next(&part->bytes[use], run.high, &run))
            touch(commands, area, part->low + run.low, part->low + run.high, &access);
    }
}

/* Fetches the bytes of a launch that its keeper still has, and applies them. */
static void fetch_and_touch(struct commands *commands, struct command_area *area, struct kept_access *kept)
{
    uint32_t site[FOOTPRINT_USES];
    commands->lost |= !footprint_fetch(&kept->part);
    commands_take_sites(commands, area, &kept->part, kept->numbers, site);
    touch_part(commands, area, &kept->part, &kept->access, site);
    footprint_part_fini(&kept->part);
}

/* Do all accesses to the area happen before the command? */
static bool all_happen_before(const struct commands *commands, const struct command_area *area,
                              uint32_t command)
{
    return !area->latest ||
           (area->in_order &&
            (command == area->latest || command_graph_is_after(commands->graph, command, area->latest)));
}

static void note_latest(const struct commands *commands, struct command_area *area, uint32_t command)
{
    area->in_order &= all_happen_before(commands, area, command);
    area->latest = command;
}

/* A command comes that may not be after all kept accesses: they become segments. */
void commands_apply_kept(struct commands *commands, struct command_area *area)
{
    for (size_t i = 0; i < area->kept_count; i++) {
        struct kept_access *kept = &area->kept[i];
        if (is_forgotten(commands, kept->access.command))
            ;
        else if (kept->part.keeper)
            fetch_and_touch(commands, area, kept);
        else
            touch(commands, area, kept->low, kept->high, &kept->access);
    }
    area->kept_count = 0;
}

static void keep(struct commands *commands, struct command_area *area, const struct kept_access *kept)
{
    if (area->kept_count == KEPT_MOST)
        commands_apply_kept(commands, area);
    if (!commands_reserve((void **)&area->kept, &area->kept_room, area->kept_count, sizeof *kept)) {
        commands->lost = true; /* the bytes still belong to the part's keeper, or to the caller */
        return;
    }
    CHECKED(area->kept_count < area->kept_room);
    area->kept[area->kept_count++] = *kept;
    commands->added++;
}

bool commands_can_check(const struct commands *commands, uint32_t command)
{
    return !commands->lost && !command_graph_exhausted(commands->graph) &&
           command_graph_facts(commands->graph, command);
}

/* ---- forgetting ---------------------------------------------------------------------------- */

static bool forgotten(void *self, const struct byte_access *access)
{
    return is_forgotten(self, access->command);
}

static void drop_kept(struct commands *commands, struct command_area *area)
{
    size_t count = 0;
    for (size_t i = 0; i < area->kept_count; i++) {
        if (!is_forgotten(commands, area->kept[i].access.command))
            area->kept[count++] = area->kept[i];
    }
    area->kept_count = count;
}

static void drop_scattered(struct commands *commands, struct command_area *area)
{
    size_t kept = 0;
    for (size_t i = 0; i < area->scattered_count; i++) {
        if (forgotten(commands, &area->scattered[i].access))
            byte_set_fini(&area->scattered[i].bytes);
        else
            area->scattered[kept++] = area->scattered[i];
    }
    area->scattered_count = kept;
}

enum { SWEEP_AFTER = HOSTILE(4096, 4) };

static void sweep(struct commands *commands)
{
    struct command_area *area, *following;
    touches_drop(&commands->touches, command_graph_first_step(commands->graph));
    if (commands->added < SWEEP_AFTER && !(command_graph_idle(commands->graph) && commands->added))
        return;
    HASH_ITER(hh, commands->areas, area, following)
    {
        byte_map_drop(area->map, forgotten, commands);
        drop_scattered(commands, area);
        drop_kept(commands, area);
        if (area->several_count)
            commands_drop_several(area);
        host_dirty_drop(&area->stores, command_graph_first_step(commands->graph));
        if (byte_map_empty(area->map) && !area->scattered_count && !area->kept_count &&
            commands_has_no_host_access(commands, area))
            commands_area_free(commands, area);
    }
    commands->added = 0;
}

/* ---- events ----------------------------------------------------------------------------------- */

static void say_loss(struct commands *commands)
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
        if (!commands->conflict_count)
            commands->atomic_pair_count = 0;
    }
    inter_launch_order(commands->inter_launch, event);
    command_graph_order(commands->graph, event);
    if (command_graph_idle(commands->graph))
        command_log_clear(commands->log);
    if (event->kind >= ORDER_HOST_WAITED)
        commands_host_waited(commands);
    if (event->kind == ORDER_HOST_WAITED)
        sweep(commands);
    say_loss(commands);
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
    struct byte_set *touched = &sets[event->kind == ACCESS_READ ? FOOTPRINT_READ : FOOTPRINT_WRITTEN];
    touched->runs = &run;
    touched->count = 1;
    commands_check_host(commands, area, sets, access, nowhere);
}

/* A command that uses the pointer of a map, was enqueued after the map, and that the map waits for. */
struct early_use {
    struct commands *commands;
    const struct command_area *area;
    const struct byte_access *map;
    struct byte_run bytes;
};

static void check_early_use(void *self, uint64_t low, uint64_t high, const struct byte_access *access)
{
    const struct early_use *early = self;
    struct commands *commands = early->commands;
    if (!access->unmapped || access->command < early->map->command ||
        !commands_is_after(commands, early->map, access) || !RULE(33))
        return;
    struct conflict conflict = {
        .later = *early->map, .earlier = *access, .area = early->area, .before_map = true};
    conflict.low = low > early->bytes.low ? low : early->bytes.low;
    conflict.high = high < early->bytes.high ? high : early->bytes.high;
    conflict.bytes = conflict.high - conflict.low;
    keep_conflict(commands, &conflict);
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
    const bool known = all_happen_before(commands, area, event->command);
    note_latest(commands, area, event->command);
    if (area->kept_count && known) {
        keep(commands, area, &(struct kept_access){.access = *access, .low = event->address, .high = end});
        return;
    }
    commands_apply_kept(commands, area);
    if (event->role == COMMAND_MAPS)
        byte_map_visit(area->map, event->address, end, check_early_use,
                       &(struct early_use){commands, area, access, {event->address, end}});
    touch(commands, area, event->address, end, access);
}

static void drop_mapping(struct commands *commands, uint32_t command)
{
    for (size_t i = 0; i < commands->mapping_count; i++)
        if (commands->mappings[i].command == command)
            commands->mappings[i--] = commands->mappings[--commands->mapping_count];
}

/* Maps of images report one event for each row: the mapping is noted once. */
static void note_mapping(struct commands *commands, uint32_t command, uint64_t address)
{
    const struct command_facts *facts = command_graph_facts(commands->graph, command);
    if (!facts ||
        (commands->mapping_count && commands->mappings[commands->mapping_count - 1].command == command))
        return;
    if (!commands_reserve((void **)&commands->mappings, &commands->mapping_room, commands->mapping_count,
                          sizeof *commands->mappings))
        return; /* out of memory: findings cannot name the map */
    CHECKED(commands->mapping_count < commands->mapping_room);
    commands->mappings[commands->mapping_count++] = (struct command_mapping){command, address, *facts};
}

static void take(struct commands *commands, const struct command_event *event, struct byte_access *access)
{
    if (!access->packets && inter_launch_lacks_predecessors(commands->inter_launch, event->command))
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

static void note_map(struct commands *commands, const struct command_event *event)
{
    const uint64_t high = event->address + event->size_bytes;
    if (event->role == COMMAND_MAPS && is_lent(commands, event->address))
        commands_add_pointer(commands, event->command, event->address, high);
    else if (event->role == COMMAND_UNMAPS && !event->most_bytes)
        commands_drop_pointer(commands, event->map, event->address, high);
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
    if (event->role == COMMAND_MAPS)
        note_mapping(commands, event->command, event->address);
    else if (event->role == COMMAND_UNMAPS)
        drop_mapping(commands, event->map);
    if (commands_can_check(commands, event->command)) {
        note_map(commands, event);
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
    say_loss(commands);
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

/* A kernel's access by a pointer to host memory: parts that are the storage of a buffer are accesses to the
 * buffer. */
static void touch_storage(struct commands *commands, const struct command_area *host, uint64_t low,
                          uint64_t high, const struct byte_access *access)
{
    struct byte_run bytes;
    for (uint64_t end; low < high; low = end) {
        end = high;
        struct byte_access one = commands_access_at(host, access, low, &end);
        one.of_host = true;
        for (size_t at = 0; commands_storage_next(commands, low, end, &at, &bytes);) {
            struct command_area *area = commands_area_of(commands, bytes.low);
            commands->lost |= !area;
            if (!area)
                return;
            note_latest(commands, area, one.command);
            commands_apply_kept(commands, area);
            touch(commands, area, bytes.low, bytes.high, &one);
        }
    }
}

static void touch_storages(struct commands *commands, const struct command_area *host,
                           const struct footprint_part *part, const struct byte_access *by,
                           const uint32_t site[FOOTPRINT_USES])
{
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        struct byte_access access = *by;
        access.kind = commands_use_kinds[use];
        access.site = site[use];
        for (struct byte_run run = {0, 0}; byte_set_next(&part->bytes[use], run.high, &run);)
            touch_storage(commands, host, part->low + run.low, part->low + run.high, &access);
    }
}

static void take_part(struct commands *commands, const struct launch_info *launch,
                      struct footprint_part *part)
{
    struct command_area *area = commands_area_of(commands, part->low);
    struct kept_access kept = {
        .access = {.command = launch->command, .releases = launch->releases, .acquires = launch->acquires},
        .part = *part};
    if (!area) {
        commands->lost = true;
        return;
    }
    char name[ARGUMENT_CHARS];
    const char *argument =
        launch->argument && launch->argument(launch, part->low, part->high, name, sizeof name) ? name : NULL;
    commands_number_sites(commands, launch, part, argument, kept.numbers);
    const bool known = all_happen_before(commands, area, launch->command);
    note_latest(commands, area, launch->command);
    const bool of_host = !area->id && commands->storage_count;
    if (part->keeper && known && !of_host && commands_has_no_host_access(commands, area)) {
        keep(commands, area, &kept);
        return;
    }
    commands_apply_kept(commands, area);
    if (part->keeper)
        commands->lost |= !footprint_fetch(part);
    uint32_t site[FOOTPRINT_USES];
    commands_take_sites(commands, area, part, kept.numbers, site);
    if (!commands_has_no_host_access(commands, area))
        commands_check_host(commands, area, part->bytes, &kept.access, site);
    if (of_host)
        touch_storages(commands, area, part, &kept.access, site);
    touch_part(commands, area, part, &kept.access, site);
}

static bool shares_atomics(const struct memory *memory)
{
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (memory->regions[i].flags & REGION_FLAG_SVM_ATOMICS)
            return true;
    return false;
}

/* The launch counts as after all that the host had waited for by now, since it may have acquired from the
 * host. inter_launch.h checks accesses before that acquire, from the predecessors announced here. */
static void count_as_after_host(struct commands *commands, uint32_t command)
{
    if (inter_launch_lacks_predecessors(commands->inter_launch, INTER_LAUNCH_HOST))
        commands_announce_predecessors(commands, INTER_LAUNCH_HOST);
    command_graph_assume_host(commands->graph, command);
}

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    if (footprint->launch->left_out) /* a launch without a footprint may have written any of these bytes */
        commands_forget_host_writes(commands);
    if (footprint->launch->acquires >= SCOPE_ALL_SVM && shares_atomics(commands->memory))
        count_as_after_host(commands, footprint->launch->command);
    commands->partial |= footprint->partial;
    if (footprint->launch->acquires >=
        SCOPE_DEVICE) /* it may have acquired from any kernel that released by then */
        command_graph_set_seen_step(commands->graph, footprint->launch->command, commands->released);
    for (uint32_t i = 0; i < footprint->count && commands_can_check(commands, footprint->launch->command);
         i++)
        take_part(commands, footprint->launch, &footprint->parts[i]);
    say_loss(commands);
    pthread_mutex_unlock(&commands->lock);
}

static struct command_area *kept_area(const struct commands *commands, const struct footprint_keeper *keeper)
{
    struct command_area *area = NULL;
    HASH_FIND(hh, commands->areas, &keeper->region_id, sizeof keeper->region_id, area);
    return area;
}

/* The area's latest kept access of that keeper; NULL: none. */
static struct kept_access *latest_of(const struct command_area *area, const struct footprint_keeper *keeper)
{
    for (size_t i = area ? area->kept_count : 0; i > 0; i--)
        if (area->kept[i - 1].part.keeper == keeper)
            return &area->kept[i - 1];
    return NULL;
}

static void on_settle(void *self, struct footprint_keeper *keeper)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    struct command_area *area = kept_area(commands, keeper);
    if (area)
        drop_kept(commands, area);
    if (latest_of(area, keeper))
        commands_apply_kept(commands, area);
    pthread_mutex_unlock(&commands->lock);
}

static bool on_follows(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    const struct kept_access *kept = latest_of(kept_area(commands, keeper), keeper);
    const bool known = !kept || kept->access.command == launch->command ||
                       command_graph_is_after(commands->graph, launch->command, kept->access.command);
    pthread_mutex_unlock(&commands->lock);
    return known;
}

struct footprint_sink commands_footprints(struct commands *commands)
{
    return (struct footprint_sink){commands, on_launch_ended, on_settle, on_follows};
}
