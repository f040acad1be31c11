/* SPDX-License-Identifier: Apache-2.0 */
#include "commands_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/limits.h"
#include "orrery/rule.h"

static const char spec_text[] = "OpenCL 2.2 API, 3.3.6 host-side and device-side commands";

/* ---- life --------------------------------------------------------------------------- */

struct commands *commands_new(const struct memory *memory, struct report *report)
{
    struct commands *commands = calloc(1, sizeof *commands);
    struct command_graph *graph = command_graph_new();
    struct command_log *log = command_log_new();
    if (!commands || !graph || !log) {
        free(commands);
        command_graph_free(graph);
        command_log_free(log);
        return NULL;
    }
    commands->memory = memory;
    commands->report = report;
    commands->graph = graph;
    commands->log = log;
    pthread_mutex_init(&commands->lock, NULL);
    return commands;
}

static void area_free(struct commands *commands, struct area *area)
{
    HASH_DEL(commands->areas, area);
    for (size_t i = 0; i < area->loose_count; i++)
        byte_set_fini(&area->loose[i].bytes);
    byte_map_free(area->map);
    stale_fini(&area->stale);
    stale_fini(&area->stores);
    unseen_fini(&area->unseen);
    free(area->loose);
    free(area->kept);
    free(area);
}

static void areas_free(struct commands *commands)
{
    struct area *area, *following;
    HASH_ITER (hh, commands->areas, area, following)
        area_free(commands, area);
}

static void site_free(struct site *site)
{
    free((char *)(uintptr_t)site->place.file);
    free((char *)(uintptr_t)site->place.text);
    free(site->kernel);
    free(site->argument);
    free(site->key);
    free(site);
}

static void sites_free(struct commands *commands)
{
    HASH_CLEAR(hh, commands->sites_by_key);
    for (uint32_t i = 0; i < commands->site_count; i++)
        site_free(commands->sites[i]);
    free(commands->sites);
}

void commands_free(struct commands *commands)
{
    if (!commands)
        return;
    areas_free(commands);
    sites_free(commands);
    touches_fini(&commands->touches);
    command_graph_free(commands->graph);
    command_log_free(commands->log);
    free(commands->talks);
    pthread_mutex_destroy(&commands->lock);
    free(commands->conflicts);
    free(commands);
}

/* ---- areas --------------------------------------------------------------------------- */

void commands_name_area(struct area *area, const struct region *region)
{
    if (!region)
        snprintf(area->name, sizeof area->name, "host memory");
    else
        snprintf(area->name, sizeof area->name, "%s%s%s (%" PRIu64 " bytes)",
                 region->kind == REGION_VARIABLE ? "program-scope variable '" : "", region->name,
                 region->kind == REGION_VARIABLE ? "'" : "", region->high - region->low);
}

static struct area *area_new(struct commands *commands, uint32_t id, const struct region *region)
{
    struct area *area = calloc(1, sizeof *area), *found = NULL;
    struct byte_map *map = byte_map_new();
    if (!area || !map) {
        free(area);
        byte_map_free(map);
        return NULL;
    }
    *area = (struct area){.id = id, .map = map, .high = UINT64_MAX, .guaranteed = !region, .in_order = true};
    commands_name_area(area, region);
    if (region) {
        area->low = region->low;
        area->high = region->high;
        area->guaranteed = region->kind == REGION_VARIABLE || region->flags & REGION_FLAG_SVM;
    }
    HASH_ADD(hh, commands->areas, id, sizeof area->id, area);
    HASH_FIND(hh, commands->areas, &id, sizeof id, found);
    if (!found) {
        free(area);
        byte_map_free(map);
    }
    return found;
}

/* Of a freed region too: what was done to it was done. */
const struct region *commands_region_of(const struct commands *commands, uint64_t address)
{
    const struct region *region = memory_region(commands->memory, address);
    return region->kind != REGION_NONE && address >= region->low && address < region->high ? region : NULL;
}

struct area *commands_area_of(struct commands *commands, uint64_t address)
{
    const struct region *region = commands_region_of(commands, address);
    uint32_t id = region ? region->id : 0;
    struct area *area = NULL;
    HASH_FIND(hh, commands->areas, &id, sizeof id, area);
    return area ? area : area_new(commands, id, region);
}

/* ---- sites ---------------------------------------------------------------------------- */

enum { ARGUMENT_CHARS = 120 };

static char *site_key(const char *kernel, const struct source_place *place, const char *argument)
{
    char *key = NULL;
    if (asprintf(&key, "%s\n%s\n%" PRIu32 ":%" PRIu32 "\n%s", kernel, place->file ? place->file : "", place->line,
                 place->column, argument ? argument : "") < 0)
        return NULL;
    return key;
}

static char *copy_text(const char *text, bool *lost)
{
    char *copy = text ? strdup(text) : NULL;
    *lost |= text && !copy;
    return copy;
}

static struct site *site_new(char *key, const char *kernel, const struct source_place *place, const char *argument)
{
    bool lost = false;
    struct site *site = calloc(1, sizeof *site);
    if (!site) {
        free(key);
        return NULL;
    }
    *site = (struct site){.key = key, .kernel = copy_text(kernel, &lost), .place = *place};
    site->place.file = copy_text(place->file, &lost);
    site->place.text = copy_text(place->text, &lost);
    site->argument = copy_text(argument, &lost);
    if (!lost)
        return site;
    site_free(site);
    return NULL;
}

static bool sites_reserve(struct commands *commands)
{
    if (commands->site_count < commands->site_room)
        return true;
    uint32_t room = 2 * commands->site_room + 16;
    struct site **sites = realloc(commands->sites, room * sizeof(struct site *));
    if (!sites)
        return false;
    commands->sites = sites;
    commands->site_room = room;
    return true;
}

/* Its number, from 1; 0: out of memory. */
static uint32_t site_number(struct commands *commands, const struct launch_info *launch, uint32_t index, const char *argument)
{
    struct source_place place = {0};
    struct site *site = NULL, *known = NULL;
    if (launch->program)
        program_site(launch->program, index, &place);
    char *key = site_key(launch->kernel, &place, argument);
    if (!key)
        return 0;
    HASH_FIND_STR(commands->sites_by_key, key, site);
    if (site) {
        free(key);
        return site->number;
    }
    site = sites_reserve(commands) ? site_new(key, launch->kernel, &place, argument) : (free(key), NULL);
    if (!site)
        return 0;
    HASH_ADD_KEYPTR(hh, commands->sites_by_key, site->key, strlen(site->key), site);
    HASH_FIND_STR(commands->sites_by_key, site->key, known);
    if (!known) {
        site_free(site);
        return 0;
    }
    commands->sites[commands->site_count++] = site;
    return site->number = commands->site_count;
}

const struct site *commands_site_of(const struct commands *commands, const struct byte_access *access)
{
    return access->site ? commands->sites[access->site - 1] : NULL;
}

/* ---- what conflicts --------------------------------------------------------------------- */

static bool is_atomic(const struct byte_access *access)
{
    return access->kind != ACCESS_READ && access->kind != ACCESS_WRITE;
}

/* A map for writing is no write yet, but what it maps is the host's: for all but other maps. */
static bool conflicts(const struct byte_access *a, const struct byte_access *b)
{
    if ((a->opens || b->opens) && RULE(33))
        return !a->by_map || !b->by_map;
    return !reads_only(a) || !reads_only(b);
}

static bool same_places(const struct conflict *a, const struct conflict *b)
{
    return a->earlier.command == b->earlier.command && a->earlier.site == b->earlier.site &&
           a->later.site == b->later.site && a->area == b->area;
}

static void keep_conflict(struct commands *commands, const struct conflict *conflict)
{
    for (size_t i = commands->conflict_count; i > 0; i--) {
        if (same_places(&commands->conflicts[i - 1], conflict)) {
            commands->conflicts[i - 1].bytes += conflict->bytes;
            return;
        }
    }
    if (commands->conflict_count == commands->conflict_room) {
        size_t room = 2 * commands->conflict_room + 8;
        struct conflict *grown = realloc(commands->conflicts, room * sizeof *grown);
        if (!grown)
            return; /* the others are told */
        commands->conflicts = grown;
        commands->conflict_room = room;
    }
    commands->conflicts[commands->conflict_count++] = *conflict;
}

static bool knows(void *self, const struct byte_access *later, const struct byte_access *earlier)
{
    const struct commands *commands = self;
    return command_graph_knows(commands->graph, later->command, earlier->command);
}

/* What one kernel released on an atomic object the other one may have acquired there. */
static bool may_hand_on(const struct byte_access *from, const struct byte_access *to)
{
    return from->kind != ACCESS_ATOMIC_READ && from->releases >= SCOPE_DEVICE && to->acquires >= SCOPE_DEVICE;
}

/* They may have run side by side; in turn, the one that ran first has read nothing of the other's. */
static bool may_synchronise(const struct commands *commands, const struct byte_access *later, const struct byte_access *earlier)
{
    const bool in_turn = command_graph_in_turn(commands->graph, later->command, earlier->command) && RULE(3203);
    return may_hand_on(earlier, later) || (!in_turn && may_hand_on(later, earlier));
}

static void note_talk(struct commands *commands, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < commands->talk_count; i++)
        if (commands->talks[i].a == a && commands->talks[i].b == b)
            return;
    if (commands->talk_count == commands->talk_room) {
        size_t room = 2 * commands->talk_room + 4;
        struct talk *grown = realloc(commands->talks, room * sizeof *grown);
        commands->lost |= !grown;
        if (!grown)
            return;
        commands->talks = grown;
        commands->talk_room = room;
    }
    commands->talks[commands->talk_count++] = (struct talk){a, b};
}

static bool talked(const struct commands *commands, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < commands->talk_count; i++)
        if ((commands->talks[i].a == a && commands->talks[i].b == b) || (commands->talks[i].a == b && commands->talks[i].b == a))
            return true;
    return false;
}

static void met(void *self, const struct byte_access *later, const struct byte_access *earlier, uint64_t low,
                uint64_t high)
{
    struct commands *commands = self;
    if (!conflicts(later, earlier))
        return;
    if (is_atomic(later) && is_atomic(earlier) && ((commands->asked->guaranteed && RULE(32)) || !RULE(3201))) {
        if (may_synchronise(commands, later, earlier) || !RULE(3202))
            command_graph_assume(commands->graph, later->command, earlier->command);
        else
            note_talk(commands, later->command, earlier->command);
        return;
    }
    keep_conflict(commands, &(struct conflict){*later, *earlier, low, high, high - low, commands->asked});
}

static bool covers(const struct byte_set *all, const struct byte_set *some)
{
    struct byte_run need = {0, 0}, have;
    while (byte_set_next(some, need.high, &need))
        if (!byte_set_next(all, need.low, &have) || have.low > need.low || have.high < need.high)
            return false;
    return true;
}

/* What meets whom among the loose ones; those that are covered go. */
static void meet_loose(struct commands *commands, struct area *area, const struct byte_set *bytes,
                       const struct byte_access *access)
{
    size_t kept = 0;
    for (size_t i = 0; i < area->loose_count; i++) {
        struct loose *loose = &area->loose[i];
        struct byte_run run;
        bool known = loose->access.command == access->command || knows(commands, access, &loose->access);
        if (known && byte_access_stands_for(access, &loose->access) && covers(bytes, &loose->bytes)) {
            byte_set_fini(&loose->bytes);
            continue;
        }
        if (!known && byte_set_intersection(bytes, &loose->bytes, &run))
            met(commands, access, &loose->access, area->low + run.low, area->low + run.high);
        area->loose[kept++] = *loose;
    }
    area->loose_count = kept;
}

static void touch(struct commands *commands, struct area *area, uint64_t low, uint64_t high,
                  const struct byte_access *access)
{
    struct byte_run run = {low - area->low, high - area->low};
    const struct byte_set bytes = {.runs = &run, .count = 1, .size = area->high - area->low};
    const struct byte_map_asker asker = {commands, knows, met};
    commands->asked = area;
    commands->added++;
    meet_loose(commands, area, &bytes, access);
    commands->lost |= !byte_map_add(area->map, low, high, access, &asker);
}

struct scattered {
    struct commands *commands;
    const struct area *area;
    const struct byte_set *bytes;
    const struct byte_access *access;
};

static void meet_segment(void *self, uint64_t low, uint64_t high, const struct byte_access *earlier)
{
    struct scattered *scattered = self;
    const struct area *area = scattered->area;
    struct byte_run run;
    if (earlier->command == scattered->access->command ||
        knows(scattered->commands, scattered->access, earlier) ||
        !byte_set_next(scattered->bytes, low - area->low, &run) || run.low >= high - area->low)
        return;
    if (run.high > high - area->low)
        run.high = high - area->low;
    met(scattered->commands, scattered->access, earlier, area->low + run.low, area->low + run.high);
}

/* Takes the bytes. */
static void touch_scattered(struct commands *commands, struct area *area, struct byte_set *bytes,
                            const struct byte_access *access)
{
    struct scattered scattered = {commands, area, bytes, access};
    commands->asked = area;
    commands->added++;
    byte_map_visit(area->map, area->low, area->high, meet_segment, &scattered);
    meet_loose(commands, area, bytes, access);
    if (area->loose_count == area->loose_room) {
        size_t room = 2 * area->loose_room + 4;
        struct loose *grown = realloc(area->loose, room * sizeof *grown);
        commands->lost |= !grown;
        if (!grown)
            return;
        area->loose = grown;
        area->loose_room = room;
    }
    struct loose *loose = &area->loose[area->loose_count++];
    loose->access = *access;
    byte_set_take(&loose->bytes, bytes);
}

/* More runs than these stay together: each segment would be looked up and split by itself. */
enum { RUNS_FEW = HOSTILE(16, 2), KEPT_MOST = HOSTILE(4096, 3) };

static bool is_forgotten(const struct commands *commands, uint32_t command)
{
    return command < command_graph_first(commands->graph);
}

/* Takes the bytes of the part. */
static void touch_part(struct commands *commands, struct area *area, struct footprint_part *part, const struct byte_access *by,
                       const uint32_t site[FOOTPRINT_USES])
{
    static const enum access_kind kinds[FOOTPRINT_USES] = {ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_UPDATE,
                                                         ACCESS_ATOMIC_READ};
    for (int use = 0; use < FOOTPRINT_USES; use++) {
        struct byte_run run = {0, 0};
        if (byte_set_empty(&part->bytes[use]))
            continue;
        struct byte_access access = *by;
        access.kind = kinds[use];
        access.site = site[use];
        if (area->id && (part->bytes[use].bits || part->bytes[use].count > RUNS_FEW)) {
            touch_scattered(commands, area, &part->bytes[use], &access);
            continue;
        }
        while (byte_set_next(&part->bytes[use], run.high, &run))
            touch(commands, area, part->low + run.low, part->low + run.high, &access);
    }
}

/* Of a part that has a keeper. */
static void fetch_and_touch(struct commands *commands, struct area *area, struct footprint_part *part, const struct byte_access *by,
                            const uint32_t site[FOOTPRINT_USES])
{
    commands->lost |= !footprint_fetch(part);
    touch_part(commands, area, part, by, site);
    for (int use = 0; use < FOOTPRINT_USES; use++)
        byte_set_fini(&part->bytes[use]);
}

/* Does the command know everything that was done to the area? */
static bool knows_all(const struct commands *commands, const struct area *area, uint32_t command)
{
    return !area->latest || (area->in_order && (command == area->latest || command_graph_knows(commands->graph, command, area->latest)));
}

static void note_latest(const struct commands *commands, struct area *area, uint32_t command)
{
    area->in_order &= knows_all(commands, area, command);
    area->latest = command;
}

/* Somebody comes who may not know all of it. */
void commands_bring_in(struct commands *commands, struct area *area)
{
    for (size_t i = 0; i < area->kept_count; i++) {
        struct kept *kept = &area->kept[i];
        if (is_forgotten(commands, kept->access.command))
            continue;
        if (kept->part.keeper)
            fetch_and_touch(commands, area, &kept->part, &kept->access, kept->site);
        else
            touch(commands, area, kept->low, kept->high, &kept->access);
    }
    area->kept_count = 0;
}

static void keep(struct commands *commands, struct area *area, const struct kept *kept)
{
    if (area->kept_count == KEPT_MOST)
        commands_bring_in(commands, area);
    if (area->kept_count == area->kept_room) {
        size_t room = 2 * area->kept_room + 4;
        struct kept *grown = realloc(area->kept, room * sizeof *grown);
        commands->lost |= !grown;
        if (!grown)
            return;
        area->kept = grown;
        area->kept_room = room;
    }
    area->kept[area->kept_count++] = *kept;
    commands->added++;
}

bool commands_judges(const struct commands *commands, uint32_t command)
{
    return !commands->lost && !command_graph_exhausted(commands->graph) &&
           command_graph_facts(commands->graph, command);
}

/* ---- telling ----------------------------------------------------------------------------- */

static const char *action(const struct byte_access *access)
{
    if (access->opens)
        return "mapping for writing";
    if (is_atomic(access))
        return "atomic access";
    return reads_only(access) ? "read" : "write";
}

void commands_format(char *text, size_t size, const char *pattern, ...)
{
    va_list args;
    va_start(args, pattern);
    vsnprintf(text, size, pattern, args);
    va_end(args);
}

void commands_describe(const struct commands *commands, const struct byte_access *access, const struct command_facts *facts,
                       struct finding_access *out_access, struct side *side)
{
    const struct site *site = commands_site_of(commands, access);
    commands_format(side->what, sizeof side->what, "%s by %s", action(access), site ? "a kernel" : facts->call);
    commands_format(side->by, sizeof side->by, "%s%s%s%s (command %" PRIu32 ", queue %" PRIu32 ")%s%s",
           site ? "kernel " : "", site ? site->kernel : "", site ? ", " : "", facts->call, access->command,
           facts->queue, site && site->argument ? ", " : "", site && site->argument ? site->argument : "");
    *out_access = (struct finding_access){.kind = access->kind, .what = side->what, .by = side->by, .device_id = facts->device};
    if (site)
        out_access->place = site->place;
}

uint32_t commands_clamp(uint64_t bytes)
{
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static void explain(const struct commands *commands, const struct conflict *conflict, uint32_t first,
                    uint32_t second, char why[SPEC_CHARS])
{
    const struct command_facts *a = command_graph_facts(commands->graph, first);
    const struct command_facts *b = command_graph_facts(commands->graph, second);
    const char *queues = a->queue == b->queue ? "an out-of-order queue orders nothing by itself"
                                              : "different queues are not ordered";
    if (is_atomic(&conflict->later) && is_atomic(&conflict->earlier))
        commands_format(why, SPEC_CHARS,
               "neither command %" PRIu32 " nor command %" PRIu32
               " waits for the other; what atomic operations of kernels that the host enqueued do "
               "together on one memory object is implementation-defined",
               first, second);
    else
        commands_format(why, SPEC_CHARS,
               "neither of the commands %" PRIu32 " and %" PRIu32
               " waits for the other, and the host did not wait for the one before it enqueued the other: %s%s",
               first, second, queues, a->asked ? "; a status that clGetEventInfo gave is no synchronization point (5.11)" : "");
}

/* Trying is linear in what is logged. */
enum { TRIES_MOST = 64 };

static bool helps(const struct commands *commands, enum command_edit edit, uint32_t first, uint32_t second)
{
    return commands->tries <= TRIES_MOST && command_log_try(commands->log, edit, first, second);
}

/* Only what was gone through again, and hangs nowhere; or, not verified, what has to be settled first. */
static bool cure(struct commands *commands, uint32_t first, uint32_t second, char fix[SPEC_CHARS])
{
    const struct command_facts *a = command_graph_facts(commands->graph, first), *b = command_graph_facts(commands->graph, second);
    const bool crosses = commands->tries >= TRIES_MOST || command_log_crosses(commands->log, first);
    char flush[80] = "", wait[160] = "";
    commands->tries++;
    if (crosses)
        commands_format(flush, sizeof flush, ", with clFlush before on all queues that it waits for");
    else if (a->queue != b->queue)
        commands_format(flush, sizeof flush, ", with clFlush on queue %" PRIu32 " before", a->queue);
    if (talked(commands, first, second)) {
        commands_format(fix, SPEC_CHARS, "if neither kernel waits for the other in its atomic operations, add the event of command %" PRIu32
               " to the wait list of command %" PRIu32 "%s; else have these release and acquire, for the device or wider", first, second, flush);
        return false;
    }
    if (!crosses && helps(commands, EDIT_FINISH, first, second))
        commands_format(wait, sizeof wait, ", or call clFinish on queue %" PRIu32 " before command %" PRIu32 " is enqueued", a->queue, second);
    else if (!crosses && helps(commands, EDIT_HOST_WAITS, first, second))
        commands_format(wait, sizeof wait, ", or wait for it with clWaitForEvents before command %" PRIu32 " is enqueued", second);
    if (helps(commands, EDIT_WAIT_LIST, first, second)) {
        commands_format(fix, SPEC_CHARS, "add the event of command %" PRIu32 " to the wait list of command %" PRIu32 "%s%s%s", first, second, flush,
               wait, wait[0] || crosses ? "" : "; the host itself cannot wait for it there without waiting for ever");
        return true;
    }
    if (helps(commands, EDIT_HOST_SETS, first, second)) {
        commands_format(fix, SPEC_CHARS, "wait for the event of command %" PRIu32 " with clWaitForEvents before the user event is set that command %" PRIu32
               " waits for", second, first);
        return true;
    }
    commands_format(fix, SPEC_CHARS, "set all user events that command %" PRIu32 " waits for before command %" PRIu32
           " is enqueued, and add the event of the one to the wait list of the other%s", first, second, flush);
    return false;
}

const char *commands_object(const struct commands *commands, const struct area *area, const struct byte_access *a, const struct byte_access *b,
                            char out[OBJECT_CHARS])
{
    const struct site *one = commands_site_of(commands, a), *other = b ? commands_site_of(commands, b) : NULL;
    const struct site *named = one && one->argument ? one : other && other->argument ? other : NULL;
    const bool both = named == one && other && other->argument && (strcmp(one->argument, other->argument) != 0 || strcmp(one->kernel, other->kernel) != 0);
    if (!named)
        return area->name;
    commands_format(out, OBJECT_CHARS, "%s, %s of kernel %s%s%s%s%s", area->name, named->argument, named->kernel, both ? " and " : "",
           both ? other->argument : "", both ? " of kernel " : "", both ? other->kernel : "");
    return out;
}

static void tell(struct commands *commands, const struct conflict *conflict)
{
    bool swapped = conflict->later.command < conflict->earlier.command;
    const struct byte_access *first = swapped ? &conflict->later : &conflict->earlier;
    const struct byte_access *second = swapped ? &conflict->earlier : &conflict->later;
    const struct site *site = commands_site_of(commands, second) ? commands_site_of(commands, second) : commands_site_of(commands, first);
    struct side side[2];
    char why[SPEC_CHARS], fix[SPEC_CHARS], object[OBJECT_CHARS];
    struct finding finding = {.kind = FINDING_RACE_COMMANDS,
                              .kernel = site ? site->kernel : NULL,
                              .object = commands_object(commands, conflict->area, first, second, object),
                              .has_offset = conflict->area->id != 0,
                              .offset_bytes = conflict->low - conflict->area->low,
                              .access_count = 2,
                              .why = why,
                              .fix = fix,
                              .spec = spec_text};
    explain(commands, conflict, first->command, second->command, why);
    finding.fix_verified = cure(commands, first->command, second->command, fix);
    commands_describe(commands, first, command_graph_facts(commands->graph, first->command), &finding.access[0], &side[0]);
    commands_describe(commands, second, command_graph_facts(commands->graph, second->command), &finding.access[1], &side[1]);
    finding.access[0].size_bytes = finding.access[1].size_bytes = commands_clamp(conflict->high - conflict->low);
    report_add(commands->report, &finding);
}

static bool are_ordered(const struct commands *commands, uint32_t a, uint32_t b)
{
    return command_graph_knows(commands->graph, a, b) || command_graph_knows(commands->graph, b, a);
}

/* Does the unmap's race, or the map's of the same bytes, say it all? Who comes first is to come before the map, who comes
 * last behind the unmap. */
static bool is_followed(const struct commands *commands, const struct conflict *conflict)
{
    const struct byte_access *map = conflict->earlier.by_map ? &conflict->earlier : &conflict->later;
    const struct byte_access *other = map == &conflict->later ? &conflict->earlier : &conflict->later;
    if (other->by_map || !map->by_map)
        return false;
    if (map->map && other->command < map->map)
        return command_graph_facts(commands->graph, map->map) && !are_ordered(commands, map->map, other->command);
    for (size_t i = 0; i < commands->conflict_count && !map->map; i++) {
        const struct conflict *by_unmap = &commands->conflicts[i];
        if (by_unmap->earlier.map == map->command && by_unmap->earlier.command < other->command && by_unmap->later.command == other->command &&
            !are_ordered(commands, by_unmap->earlier.command, other->command))
            return true;
    }
    return false;
}

/* When the command is complete: by then it is known whether atomics may have ordered it. */
static void tell_all(struct commands *commands)
{
    for (size_t i = 0; i < commands->conflict_count; i++) {
        const struct conflict *conflict = &commands->conflicts[i];
        if (!command_graph_knows(commands->graph, conflict->later.command, conflict->earlier.command) && !is_followed(commands, conflict))
            tell(commands, conflict);
    }
    commands->conflict_count = commands->talk_count = 0;
}

/* ---- forgetting ---------------------------------------------------------------------------- */

static bool forgotten(void *self, const struct byte_access *access)
{
    return is_forgotten(self, access->command);
}

static void drop_kept(struct commands *commands, struct area *area)
{
    size_t count = 0;
    for (size_t i = 0; i < area->kept_count; i++)
        if (!is_forgotten(commands, area->kept[i].access.command))
            area->kept[count++] = area->kept[i];
    area->kept_count = count;
}

static void drop_loose(struct commands *commands, struct area *area)
{
    size_t kept = 0;
    for (size_t i = 0; i < area->loose_count; i++) {
        if (forgotten(commands, &area->loose[i].access))
            byte_set_fini(&area->loose[i].bytes);
        else
            area->loose[kept++] = area->loose[i];
    }
    area->loose_count = kept;
}

enum { SWEEP_AFTER = HOSTILE(4096, 4) };

static void sweep(struct commands *commands)
{
    struct area *area, *following;
    touches_drop(&commands->touches, command_graph_first(commands->graph));
    if (commands->added < SWEEP_AFTER && !(command_graph_idle(commands->graph) && commands->added))
        return;
    HASH_ITER (hh, commands->areas, area, following) {
        byte_map_drop(area->map, forgotten, commands);
        drop_loose(commands, area);
        drop_kept(commands, area);
        stale_drop(&area->stores, command_graph_first(commands->graph));
        if (byte_map_empty(area->map) && !area->loose_count && !area->kept_count && commands_is_calm(commands, area))
            area_free(commands, area);
    }
    commands->added = 0;
}

/* ---- events ----------------------------------------------------------------------------------- */

static void say_loss(struct commands *commands)
{
    if (commands->told_loss || !(commands->lost || command_graph_exhausted(commands->graph)))
        return;
    commands->told_loss = true;
    fputs("orrery: commands are not checked for races from here on: out of memory\n", stderr);
    report_miss(commands->report, CHECK_RACES);
}

static void on_order(void *self, const struct order_event *event)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    command_log_add(commands->log, event);
    if (event->kind == ORDER_END)
        tell_all(commands);
    if (event->kind == ORDER_ENQUEUED && !event->queue)
        commands_forget_stores(commands);
    else if (event->kind == ORDER_ENQUEUED)
        commands->latest = event->command;
    command_graph_order(commands->graph, event);
    if (command_graph_idle(commands->graph))
        command_log_clear(commands->log);
    if (event->kind >= ORDER_HOST_WAITED)
        commands_host_learned(commands);
    if (event->kind == ORDER_HOST_WAITED)
        sweep(commands);
    say_loss(commands);
    pthread_mutex_unlock(&commands->lock);
}

static void range_meets_host(struct commands *commands, struct area *area, const struct command_event *event, const struct byte_access *access)
{
    static const uint32_t nowhere[FOOTPRINT_USES];
    struct byte_run run = {event->address - area->low, event->address + event->size_bytes - area->low};
    struct byte_set sets[FOOTPRINT_USES];
    for (int use = 0; use < FOOTPRINT_USES; use++)
        byte_set_init(&sets[use], area->high - area->low);
    struct byte_set *touched = &sets[event->kind == ACCESS_READ ? FOOTPRINT_READ : FOOTPRINT_WRITTEN];
    touched->runs = &run;
    touched->count = 1;
    commands_judge_host(commands, area, sets, access, nowhere);
}

static void take_range(struct commands *commands, const struct command_event *event, const struct byte_access *access)
{
    const uint64_t end = event->address + event->size_bytes;
    struct area *area = commands_area_of(commands, event->address);
    if (!area) {
        commands->lost = true;
        return;
    }
    if (!area->id && event->kind == ACCESS_WRITE)
        commands_host_memory(commands, event->address, end, event->command);
    if (!commands_is_calm(commands, area))
        range_meets_host(commands, area, event, access);
    const bool known = knows_all(commands, area, event->command);
    note_latest(commands, area, event->command);
    if (area->kept_count && known) {
        keep(commands, area, &(struct kept){.access = *access, .low = event->address, .high = end});
        return;
    }
    commands_bring_in(commands, area);
    touch(commands, area, event->address, end, access);
}

static void on_command(void *self, const struct command_event *event)
{
    struct commands *commands = self;
    struct byte_access access = {.command = event->command,
                                 .kind = event->kind,
                                 .by_map = event->role != COMMAND_MOVES,
                                 .map = event->map,
                                 .opens = event->role == COMMAND_OPENS};
    pthread_mutex_lock(&commands->lock);
    if (commands_judges(commands, event->command))
        take_range(commands, event, &access);
    say_loss(commands);
    pthread_mutex_unlock(&commands->lock);
}

struct observer commands_observer(struct commands *commands)
{
    return (struct observer){.self = commands, .command = on_command, .order = on_order};
}

static void take_part(struct commands *commands, const struct launch_info *launch, struct footprint_part *part)
{
    struct area *area = commands_area_of(commands, part->low);
    struct kept kept = {.access = {.command = launch->command, .releases = launch->releases, .acquires = launch->acquires}, .part = *part};
    if (!area) {
        commands->lost = true;
        return;
    }
    char name[ARGUMENT_CHARS];
    const char *argument = launch->argument && launch->argument(launch, part->low, part->high, name, sizeof name) ? name : NULL;
    for (int use = 0; use < FOOTPRINT_USES; use++)
        if (part->keeper ? part->uses >> use & 1 : !byte_set_empty(&part->bytes[use]))
            kept.site[use] = site_number(commands, launch, part->site[use], argument);
    const bool known = knows_all(commands, area, launch->command);
    note_latest(commands, area, launch->command);
    if (part->keeper && known && commands_is_calm(commands, area)) {
        keep(commands, area, &kept);
        return;
    }
    commands_bring_in(commands, area);
    if (part->keeper && !commands_is_calm(commands, area)) {
        commands->lost |= !footprint_fetch(part);
        part->keeper = NULL;
    }
    if (!commands_is_calm(commands, area))
        commands_judge_host(commands, area, part->bytes, &kept.access, kept.site);
    (part->keeper ? fetch_and_touch : touch_part)(commands, area, part, &kept.access, kept.site);
}

static void on_launch_ended(void *self, const struct footprint *footprint)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    commands->partial |= footprint->partial;
    for (uint32_t i = 0; i < footprint->count && commands_judges(commands, footprint->launch->command); i++)
        take_part(commands, footprint->launch, &footprint->parts[i]);
    say_loss(commands);
    pthread_mutex_unlock(&commands->lock);
}

static struct area *kept_area(const struct commands *commands, const struct footprint_keeper *keeper)
{
    struct area *area = NULL;
    HASH_FIND(hh, commands->areas, &keeper->region_id, sizeof keeper->region_id, area);
    return area;
}

/* The latest that the keeper may be asked for; NULL: none. */
static const struct kept *latest_of(const struct area *area, const struct footprint_keeper *keeper)
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
    struct area *area = kept_area(commands, keeper);
    if (area)
        drop_kept(commands, area);
    if (latest_of(area, keeper))
        commands_bring_in(commands, area);
    pthread_mutex_unlock(&commands->lock);
}

static bool on_follows(void *self, const struct launch_info *launch, const struct footprint_keeper *keeper)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    const struct kept *kept = latest_of(kept_area(commands, keeper), keeper);
    const bool known = !kept || kept->access.command == launch->command ||
                       command_graph_knows(commands->graph, launch->command, kept->access.command);
    pthread_mutex_unlock(&commands->lock);
    return known;
}

struct footprint_sink commands_footprints(struct commands *commands)
{
    return (struct footprint_sink){commands, on_launch_ended, on_settle, on_follows};
}