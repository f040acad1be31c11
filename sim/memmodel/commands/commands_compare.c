/* SPDX-License-Identifier: Apache-2.0 */
/* Compares an access with those of its area, and adds it. Each allocation has an area with the accesses
 * that may still race: as segments of a byte map, as scattered sets of bytes, and as kept accesses that
 * are applied later. Two accesses that conflict and that the command graph does not order become a
 * conflict. Lemma: an access that happens after all accesses of its area conflicts with none of them. So
 * it is only kept, and applied when a command comes that may not be after all of them. Most programs never
 * get there. */
#include "commands_state.h"

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "orrery/rule.h"

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
    if (more->later.opens)
        kept->later = more->later;
    if (more->earlier.opens)
        kept->earlier = more->earlier;
}

/* Adds a conflict, or merges it with one at the same places. */
static void commands_keep_conflict(struct commands *commands, const struct conflict *conflict)
{
    for (size_t i = commands->conflicts.count; i > 0; i--) {
        if (same_places(commands, &commands->conflicts.items[i - 1], conflict)) {
            merge_conflict(&commands->conflicts.items[i - 1], conflict);
            return;
        }
    }
    CHECKED(conflict->low < conflict->high);
    (void)list_add(&commands->conflicts, *conflict); /* out of memory: the conflicts so far are reported */
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
        CHECKED(low < conflict.high && conflict.high <= high);
        commands_keep_conflict(commands, &conflict);
        low = conflict.high;
    }
}

/* They are ordered, but the command that uses the pointer was enqueued after the map. */
bool commands_is_early(const struct commands *commands, const struct byte_access *later,
                       const struct byte_access *earlier)
{
    return commands_lacks_map(earlier, later) && !later->opens && earlier->command > later->command &&
           command_graph_is_after(commands->graph, later->command, earlier->command);
}

/* The query of byte maps: does the later access's command come after the other? */
static bool commands_is_after(void *self, const struct byte_access *later, const struct byte_access *earlier)
{
    const struct commands *commands = self;
    return command_graph_is_after(commands->graph, later->command, earlier->command) &&
           !commands_is_early(commands, later, earlier);
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
    for (size_t i = 0; i < commands->atomic_pairs.count; i++)
        if (commands->atomic_pairs.items[i].a == a && commands->atomic_pairs.items[i].b == b)
            return;
    CHECKED(a != b);
    commands->lost |= !list_add(&commands->atomic_pairs, (struct atomic_pair){a, b});
}

/* True: they race. */
static bool check_pair(void *self, const struct byte_access *later, const struct byte_access *earlier,
                       uint64_t low, uint64_t high)
{
    struct commands *commands = self;
    if (!conflicts(later, earlier))
        return false;
    const bool guaranteed = (commands->queried_area->guaranteed && RULE(32)) || !RULE(3201);
    if (is_atomic(later) && is_atomic(earlier) && guaranteed) {
        if (may_synchronise(commands, later, earlier) || !RULE(3202))
            command_graph_assume(commands->graph, later->command, earlier->command);
        else
            note_atomic_pair(commands, later->command, earlier->command);
        return false;
    }
    keep_conflicts(commands, later, earlier, low, high);
    return true;
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

/* Checks a scattered access. True: the new access replaces it: it is after the old one, covers its bytes and
 * conflicts with whatever that conflicts with. */
static bool replaces(struct commands *commands, const struct byte_set *bytes,
                     const struct byte_access *access, struct scattered_access *old)
{
    const bool known =
        old->access.command == access->command || commands_is_after(commands, access, &old->access);
    if (!known)
        check_sets(commands, bytes, access, &old->bytes, &old->access, &(struct byte_run){0, UINT64_MAX});
    if (!known || !byte_access_subsumes(access, &old->access) || !covers(bytes, &old->bytes))
        return false;
    byte_set_fini(&old->bytes);
    return true;
}

void commands_touch(struct commands *commands, struct command_area *area, uint64_t low, uint64_t high,
                    const struct byte_access *access)
{
    struct byte_run run = {low - area->low, high - area->low};
    const struct byte_set bytes = byte_set_of(&run, area->high - area->low);
    const struct byte_map_query query = {commands, commands_is_after, check_pair};
    commands->queried_area = area;
    commands->added++;
    list_keep(&area->scattered, old, !replaces(commands, &bytes, access, old));
    commands->lost |= !byte_map_add(&area->map, low, high, access, &query);
}

struct scattered_check {
    struct commands *commands;
    const struct byte_set *bytes;
    const struct byte_access *access;
};

/* ---- visits ------------------------------------------------------------------------------ */

struct area_visit {
    const struct command_area *area;
    void (*visit)(void *self, const struct byte_set *bytes, const struct byte_access *access);
    void *self;
};

static void visit_segment(void *self, uint64_t low, uint64_t high, const struct byte_access *access)
{
    const struct area_visit *visit = self;
    CHECKED(low >= visit->area->low && low < high);
    struct byte_run run = {low - visit->area->low, high - visit->area->low};
    const struct byte_set bytes = byte_set_of(&run, visit->area->high - visit->area->low);
    visit->visit(visit->self, &bytes, access);
}

void commands_visit(const struct command_area *area, uint64_t low, uint64_t high,
                    void (*visit)(void *self, const struct byte_set *bytes, const struct byte_access *access),
                    void *self)
{
    byte_map_visit(&area->map, low, high, visit_segment, &(struct area_visit){area, visit, self});
    for (size_t i = 0; i < area->scattered.count; i++)
        visit(self, &area->scattered.items[i].bytes, &area->scattered.items[i].access);
}

static void check_segment(void *self, const struct byte_set *segment, const struct byte_access *earlier)
{
    struct scattered_check *check = self;
    if (earlier->command != check->access->command &&
        !commands_is_after(check->commands, check->access, earlier))
        check_sets(check->commands, check->bytes, check->access, segment, earlier, &segment->runs[0]);
}

/* Takes ownership of the bytes. */
static void touch_scattered(struct commands *commands, struct command_area *area, struct byte_set *bytes,
                            const struct byte_access *access)
{
    struct scattered_check check = {commands, bytes, access};
    CHECKED(bytes->size == area->high - area->low);
    commands->queried_area = area;
    commands->added++;
    byte_map_visit(&area->map, area->low, area->high, visit_segment,
                   &(struct area_visit){area, check_segment, &check});
    list_keep(&area->scattered, old, !replaces(commands, bytes, access, old));
    if (list_add(&area->scattered, (struct scattered_access){*bytes, *access}))
        *bytes = (struct byte_set){.size = bytes->size};
    else
        commands->lost = true;
}

/* An access with more runs is scattered: as segments each run would be looked up and split by itself. */
enum { RUNS_FEW = HOSTILE(16, 2), KEPT_MOST = HOSTILE(4096, 3) };

static bool is_forgotten(const struct commands *commands, uint32_t command)
{
    return command < command_graph_first(commands->graph);
}

struct command_uses commands_uses(uint64_t low, struct byte_set bytes[FOOTPRINT_USES],
                                  const struct byte_access *by, const uint32_t site[FOOTPRINT_USES])
{
    struct command_uses uses = {.low = low, .bytes = bytes, .command = by->command, .by_map = by->by_map};
    for (enum footprint_use use = 0; use < FOOTPRINT_USES; use++) {
        uses.access[use] = *by;
        uses.access[use].kind = footprint_kind(use);
        uses.access[use].site = site[use];
    }
    return uses;
}

/* Takes ownership of the bytes. */
void commands_touch_uses(struct commands *commands, struct command_area *area,
                         const struct command_uses *uses)
{
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        struct byte_set *bytes = &uses->bytes[use];
        struct byte_run run = {0, 0};
        if (area->id && (bytes->bits || bytes->count > RUNS_FEW)) {
            touch_scattered(commands, area, bytes, &uses->access[use]);
            continue;
        }
        while (byte_set_next(bytes, run.high, &run))
            commands_touch(commands, area, uses->low + run.low, uses->low + run.high, &uses->access[use]);
    }
}

/* Fetches the bytes of a launch that its keeper still has, and applies them. */
static void fetch_and_touch(struct commands *commands, struct command_area *area, struct kept_access *kept)
{
    commands->lost |= !footprint_fetch(&kept->part);
    const struct command_uses uses =
        commands_part_uses(commands, area, &kept->part, &kept->access, kept->numbers);
    commands_touch_uses(commands, area, &uses);
    footprint_part_fini(&kept->part);
}

bool commands_follows(const struct commands *commands, struct command_area *area, uint32_t command)
{
    area->in_order &= !area->latest || command == area->latest ||
                      command_graph_is_after(commands->graph, command, area->latest);
    area->latest = command;
    return area->in_order;
}

/* A command comes that may not be after all kept accesses: they become segments. */
void commands_apply_kept(struct commands *commands, struct command_area *area)
{
    for (size_t i = 0; i < area->kept.count; i++) {
        struct kept_access *kept = &area->kept.items[i];
        if (is_forgotten(commands, kept->access.command))
            ;
        else if (kept->part.keeper)
            fetch_and_touch(commands, area, kept);
        else
            commands_touch(commands, area, kept->low, kept->high, &kept->access);
    }
    area->kept.count = 0;
}

void commands_keep_access(struct commands *commands, struct command_area *area,
                          const struct kept_access *kept)
{
    if (area->kept.count == KEPT_MOST)
        commands_apply_kept(commands, area);
    /* out of memory: the bytes still belong to the part's keeper, or to the caller */
    commands->lost |= !list_add(&area->kept, *kept);
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

void commands_drop_kept(struct commands *commands, struct command_area *area)
{
    list_keep(&area->kept, kept, !is_forgotten(commands, kept->access.command));
}

static bool drop_scattered(const struct commands *commands, struct scattered_access *scattered)
{
    const bool drop = is_forgotten(commands, scattered->access.command);
    if (drop)
        byte_set_fini(&scattered->bytes);
    return drop;
}

enum { SWEEP_AFTER = HOSTILE(4096, 4) };

void commands_sweep(struct commands *commands)
{
    struct command_area *area, *following;
    touches_drop(&commands->touches, command_graph_first_step(commands->graph));
    if (commands->added < SWEEP_AFTER && !(command_graph_idle(commands->graph) && commands->added))
        return;
    HASH_ITER(hh, commands->areas, area, following)
    {
        byte_map_drop(&area->map, forgotten, commands);
        list_keep(&area->scattered, scattered, !drop_scattered(commands, scattered));
        commands_drop_kept(commands, area);
        if (area->several.count)
            commands_drop_several(area);
        dirty_bytes_drop(&area->stores, command_graph_first_step(commands->graph));
        if (byte_map_empty(&area->map) && !area->scattered.count && !area->kept.count &&
            commands_has_no_host_access(commands, area))
            commands_area_free(commands, area);
    }
    commands->added = 0;
}
