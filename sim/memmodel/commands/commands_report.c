/* SPDX-License-Identifier: Apache-2.0 */
/* Reports two commands that race: the commands, their places, why nothing orders them, and a fix
 * (commands_fix.c). */
#include "commands_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char spec_text[] = "OpenCL 2.2 API, 3.3.6 host-side and device-side commands";

static const char *action(const struct byte_access *access)
{
    if (access->packets)
        return access->reads_packets ? "reading of packets" : "writing of packets";
    if (access->opens)
        return "mapping for writing";
    return access->frees && !is_atomic(access) ? "free" : wording_access(access->kind);
}

/* The name of the call by which the program enqueued or recorded the command. */
const char *commands_call(const struct command_facts *facts, char out[CALL_CHARS])
{
    static const char enqueue[] = "clEnqueue";
    if (!facts->batch || strncmp(facts->call, enqueue, sizeof enqueue - 1) != 0)
        return facts->call;
    wording_print(out, CALL_CHARS, "clCommand%sKHR", facts->call + sizeof enqueue - 1);
    return out;
}

/* kernel, argument NULL: none. */
void commands_name_by(const struct command_facts *facts, uint32_t command, const char *kernel,
                      const char *argument, char out_by[BY_CHARS])
{
    char text[CALL_CHARS];
    wording_print(out_by, BY_CHARS, "%s%s%s%s (command %" PRIu32 ", queue %" PRIu32 ")%s%s",
                  kernel ? "kernel " : "", kernel ? kernel : "", kernel ? ", " : "",
                  facts ? commands_call(facts, text) : "?", command, facts ? facts->queue : 0,
                  argument ? ", " : "", argument ? argument : "");
}

void commands_describe(const struct commands *commands, const struct byte_access *access,
                       const struct command_facts *facts, struct finding_access *out_access,
                       struct command_name *side)
{
    const struct command_site *site = commands_site_of(commands, access);
    *out_access = (struct finding_access){.kind = access->kind, .device_id = facts ? facts->device : 0};
    if (!site) {
        commands_describe_call(facts, access->command, action(access), out_access, side);
        return;
    }
    wording_action(action(access), site->one_of_several, "a kernel", side->what, sizeof side->what);
    commands_name_by(facts, access->command, site->kernel, site->argument, side->by);
    out_access->what = side->what;
    out_access->by = side->by;
    out_access->place = site->place;
}

void commands_describe_call(const struct command_facts *facts, uint32_t command, const char *action,
                            struct finding_access *access, struct command_name *side)
{
    char text[CALL_CHARS];
    wording_action(action, false, facts ? commands_call(facts, text) : "?", side->what, sizeof side->what);
    commands_name_by(facts, command, NULL, NULL, side->by);
    access->what = side->what;
    access->by = side->by;
    access->place = commands_enqueued_at(facts);
}

struct source_place commands_enqueued_at(const struct command_facts *facts)
{
    struct source_place place = {0};
    if (facts && facts->enqueuer)
        facts->enqueuer->find(facts->enqueuer, &place);
    return place;
}

/* The graph may have forgotten a map that is not unmapped yet. */
static const struct command_facts *facts_of_named(const struct commands *commands, uint32_t command)
{
    for (size_t i = 0; i < commands->mappings.count; i++)
        if (commands->mappings.items[i].command == command)
            return &commands->mappings.items[i].facts;
    return command_graph_facts(commands->graph, command);
}

bool commands_name(struct commands *commands, uint32_t command, struct command_name *out_name,
                   struct finding_access *access)
{
    pthread_mutex_lock(&commands->lock);
    const struct command_facts *facts = facts_of_named(commands, command);
    if (facts) {
        commands_describe_call(facts, command, access->what, access, out_name);
        access->device_id = facts->device;
    }
    pthread_mutex_unlock(&commands->lock);
    return facts != NULL;
}

uint32_t commands_clamp(uint64_t bytes)
{
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

void commands_explain(const struct commands *commands, bool atomics, uint32_t first, uint32_t second,
                      char why[SPEC_CHARS])
{
    const struct command_facts *a = command_graph_facts(commands->graph, first);
    const struct command_facts *b = command_graph_facts(commands->graph, second);
    const char *queues = a->queue == b->queue ? "an out-of-order queue orders nothing by itself"
                                              : "different queues are not ordered";
    if (atomics)
        wording_print(why, SPEC_CHARS,
                      "neither command %" PRIu32 " nor command %" PRIu32
                      " waits for the other; what atomic operations of kernels that the host enqueued do "
                      "together on one memory object is implementation-defined",
                      first, second);
    else if (a->batch && a->batch == b->batch)
        wording_print(why, SPEC_CHARS,
                      "neither of the commands %" PRIu32 " and %" PRIu32
                      ", of one command buffer, waits for the sync point of the other: %s",
                      first, second, queues);
    else if (a->thread && b->thread && a->thread != b->thread)
        wording_print(
            why, SPEC_CHARS,
            "neither of the commands %" PRIu32 " and %" PRIu32
            " waits for the other, and two threads of the host enqueued them: no wait, and no lock, join or "
            "other call of pthreads that is seen, orders the two calls; atomic variables are not seen",
            first, second);
    else
        wording_print(
            why, SPEC_CHARS,
            "neither of the commands %" PRIu32 " and %" PRIu32
            " waits for the other, and the host did not wait for the one before it enqueued the other: %s%s",
            first, second, queues,
            a->asked ? "; a status that clGetEventInfo gave is no synchronization point (5.11)" : "");
}

static bool is_same_argument(const struct command_site *a, const struct command_site *b)
{
    return strcmp(a->argument, b->argument) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

const char *commands_object(const struct commands *commands, const struct command_area *area,
                            const struct byte_access *a, const struct byte_access *b, char out[OBJECT_CHARS])
{
    const struct command_site *one = commands_site_of(commands, a),
                              *other = b ? commands_site_of(commands, b) : NULL;
    const struct command_site *named = one && one->argument ? one : other && other->argument ? other : NULL;
    if (!named)
        return area->name;
    const bool both = named == one && other && other->argument && !is_same_argument(one, other);
    wording_print(out, OBJECT_CHARS, "%s, %s of kernel %s%s%s%s%s", area->name, named->argument,
                  named->kernel, both ? " and " : "", both ? other->argument : "", both ? " of kernel " : "",
                  both ? other->kernel : "");
    return out;
}

/* Both may be reads, so the reason has to say why the command conflicts with the map whose pointer it
 * uses. */
static void say_map_not_complete(char why[SPEC_CHARS])
{
    const size_t used = strlen(why);
    wording_print(why + used, SPEC_CHARS - used,
                  "; the pointer of a map may be used only when the map is complete (5.2.4)");
}

static void say_before_map(uint32_t map, uint32_t command, char why[SPEC_CHARS], char fix[SPEC_CHARS])
{
    wording_print(why, SPEC_CHARS,
                  "command %" PRIu32 " uses the pointer that command %" PRIu32
                  ", a map, returned, and the map even waits for it: the bytes are there only when the map "
                  "is complete (5.2.4)",
                  command, map);
    wording_print(fix, SPEC_CHARS,
                  "set the user events that command %" PRIu32 " waits for before command %" PRIu32
                  " is enqueued, and have this wait for the event of the map",
                  map, command);
}

static void report_conflict(struct commands *commands, const struct conflict *conflict)
{
    bool swapped = conflict->later.command < conflict->earlier.command;
    const struct byte_access *first = swapped ? &conflict->later : &conflict->earlier;
    const struct byte_access *second = swapped ? &conflict->earlier : &conflict->later;
    const struct command_site *site = commands_site_of(commands, second) ? commands_site_of(commands, second)
                                                                         : commands_site_of(commands, first);
    struct command_name side[2];
    char why[SPEC_CHARS] = "", fix[SPEC_CHARS] = "", object[OBJECT_CHARS];
    struct finding finding = {.kind = FINDING_RACE_COMMANDS,
                              .kernel = site ? site->kernel : NULL,
                              .object = commands_object(commands, conflict->area, first, second, object),
                              .has_offset = conflict->area->id != 0 && !second->packets,
                              .offset_bytes = second->packets ? 0 : conflict->low - conflict->area->low,
                              .access_count = 2,
                              .why = why,
                              .fix = fix,
                              .spec = spec_text};
    commands_describe(commands, first, command_graph_facts(commands->graph, first->command),
                      &finding.access[0], &side[0]);
    commands_describe(commands, second, command_graph_facts(commands->graph, second->command),
                      &finding.access[1], &side[1]);
    if (!second->packets)
        finding.access[0].size_bytes = finding.access[1].size_bytes =
            commands_clamp(conflict->high - conflict->low);
    if (commands_is_early(commands, &conflict->later, &conflict->earlier)) {
        say_before_map(first->command, second->command, why, fix);
    } else if (!report_has(commands->report, &finding)) {
        commands_explain(commands, is_atomic(first) && is_atomic(second), first->command, second->command,
                         why);
        if (commands_lacks_map(first, second) || commands_lacks_map(second, first))
            say_map_not_complete(why);
        if (second->packets)
            wording_one_at_a_time(second->reads_packets, why, sizeof why);
        finding.fix_orders = commands_fix_pair(commands, first, second, fix);
    }
    report_add(commands->report, &finding);
}

bool commands_are_ordered(const struct commands *commands, uint32_t a, uint32_t b)
{
    return command_graph_is_after(commands->graph, a, b) || command_graph_is_after(commands->graph, b, a);
}

/* Did the command conflict with this map, too? Or, if unmap, with the unmap of it that comes after it? */
static bool conflicts_with_map(const struct commands *commands, const struct command_area *area,
                               uint32_t command, uint32_t map, bool unmap)
{
    for (size_t i = 0; i < commands->conflicts.count; i++) {
        const struct conflict *conflict = &commands->conflicts.items[i];
        const uint32_t earlier = conflict->earlier.command;
        const bool is_meant =
            unmap ? conflict->earlier.map == map && command_graph_is_after(commands->graph, earlier, map)
                  : earlier == map;
        if (conflict->area == area && conflict->later.command == command && is_meant &&
            !commands_are_ordered(commands, command, earlier))
            return true;
    }
    return false;
}

/* Is another conflict reported instead? A command that conflicts with a map and its unmap is reported
 * with one of them: with the map if it was enqueued before the map or ran before the unmap, else with the
 * unmap. */
static bool is_reported_elsewhere(const struct commands *commands, const struct conflict *conflict)
{
    const bool map_is_later = conflict->later.by_map;
    const struct byte_access *map = map_is_later ? &conflict->later : &conflict->earlier;
    const struct byte_access *other = map_is_later ? &conflict->earlier : &conflict->later;
    if (other->by_map || !map->by_map)
        return false;
    if (!map->map)
        return other->command > map->command &&
               conflicts_with_map(commands, conflict->area, other->command, map->command, true);
    if (map->map == map->command || !command_graph_is_after(commands->graph, map->command, map->map))
        return false; /* the unmap need not be after its map, or that is unknown */
    if (map_is_later)
        return command_graph_ended(commands->graph, map->map) &&
               !commands_are_ordered(commands, map->map, other->command);
    return other->command < map->map &&
           conflicts_with_map(commands, conflict->area, other->command, map->map, false);
}

/* Do the two also conflict in the host memory that is the buffer's storage? Then that conflict is
 * reported. */
static bool is_reported_of_host(const struct commands *commands, const struct conflict *conflict)
{
    const uint32_t later = conflict->later.command, earlier = conflict->earlier.command;
    if (!conflict->later.of_host && !conflict->earlier.of_host)
        return false;
    for (size_t i = 0; i < commands->conflicts.count; i++) {
        const struct conflict *other = &commands->conflicts.items[i];
        const bool alike = other->later.command == later && other->earlier.command == earlier;
        const bool swapped = other->later.command == earlier && other->earlier.command == later;
        if ((alike || swapped) && !other->area->id)
            return true;
    }
    return false;
}

/* Does inter_launch.h judge the two access by access, or can it not know? */
static bool is_judged_otherwise(const struct commands *commands, const struct conflict *conflict)
{
    const struct byte_access *later = &conflict->later, *earlier = &conflict->earlier;
    if (!conflict->area->id)
        return false;
    const enum inter_launch_verdict verdict =
        inter_launch_decides(commands->inter_launch, later->command, earlier->command);
    if (verdict == INTER_LAUNCH_DECIDED || later->packets || (is_atomic(later) && is_atomic(earlier)))
        return verdict == INTER_LAUNCH_DECIDED;
    return verdict == INTER_LAUNCH_GAVE_UP &&
           (later->acquires >= SCOPE_DEVICE || earlier->acquires >= SCOPE_DEVICE);
}

/* Is one of the commands still running? Kernels that it enqueued may yet order the two. */
static bool is_under_way(const struct commands *commands, const struct conflict *conflict, uint32_t ending)
{
    const uint32_t later = conflict->later.command, earlier = conflict->earlier.command;
    return (later != ending && command_graph_is_running(commands->graph, later)) ||
           (earlier != ending && command_graph_is_running(commands->graph, earlier));
}

/* Reports conflicts of which both commands are complete, `ending` being the latter: now it is known whether
 * atomics may have ordered them. Others wait. */
void commands_report_all(struct commands *commands, uint32_t ending)
{
    for (size_t i = 0; i < commands->conflicts.count; i++) {
        const struct conflict *conflict = &commands->conflicts.items[i];
        const bool ordered =
            !commands_is_early(commands, &conflict->later, &conflict->earlier) &&
            commands_are_ordered(commands, conflict->later.command, conflict->earlier.command);
        if (ordered || is_under_way(commands, conflict, ending))
            continue;
        if (!is_reported_elsewhere(commands, conflict) && !is_reported_of_host(commands, conflict) &&
            !is_judged_otherwise(commands, conflict))
            report_conflict(commands, conflict);
    }
    list_keep(&commands->conflicts, conflict, is_under_way(commands, conflict, ending));
}
