/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixes for two commands that race. Each is tried: the logged calls of the program are ordered again with one
 * edit (command_log.h), as a wait list or a clFinish more. A command that races with a map gets a fix that
 * keeps it out of the time between map and unmap, or, if it uses the map's pointer, within.
 */
#include "commands_state.h"

#include "orrery/checked.h"

#include <inttypes.h>
#include <string.h>

/* A trial takes time linear in the log. */
enum { TRIES_MOST = 64 };

static bool helps(const struct commands *commands, enum command_edit edit, uint32_t first, uint32_t second)
{
    return command_log_try(commands->log, edit, first, second, first, second);
}

static bool may_try(struct commands *commands)
{
    const uint64_t clears = report_clears(commands->report);
    if (commands->tries_since != clears)
        commands->tries = 0;
    commands->tries_since = clears;
    return command_log_whole(commands->log) && commands->tries++ < TRIES_MOST;
}

static bool share_atomics(const struct commands *commands, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < commands->atomic_pairs.count; i++)
        if ((commands->atomic_pairs.items[i].a == a && commands->atomic_pairs.items[i].b == b) ||
            (commands->atomic_pairs.items[i].a == b && commands->atomic_pairs.items[i].b == a))
            return true;
    return false;
}

/* The command by its number, or the call that enqueued its command buffer. */
enum { NAME_CHARS = 64 };

static void name_enqueued(const struct command_facts *facts, uint32_t command, char out[NAME_CHARS])
{
    wording_print(out, NAME_CHARS, "%scommand %" PRIu32,
                  facts->batch ? "the clEnqueueCommandBufferKHR of " : "", command);
}

static const char flush_all[] = ", with clFlush before on all queues that it waits for";

enum { FLUSH_CHARS = 80 };

/* A fix may name a command that the graph has forgotten, as the map of an unmap: of that the queue is
 * known. */
static struct command_facts facts_or_queue(const struct commands *commands, uint32_t command)
{
    const struct command_facts *known = command_graph_facts(commands->graph, command);
    return known ? *known : (struct command_facts){.queue = command_log_queue(commands->log, command)};
}

/* The clFlush that the fix needs, so that command a of another queue than b's is submitted. */
static void name_flush(const struct commands *commands, bool crosses, uint32_t a, uint32_t b,
                       char out[FLUSH_CHARS])
{
    const uint32_t queue = facts_or_queue(commands, a).queue;
    out[0] = '\0';
    if (crosses || !queue)
        wording_print(out, FLUSH_CHARS, "%s", flush_all);
    else if (queue != facts_or_queue(commands, b).queue)
        wording_print(out, FLUSH_CHARS, ", with clFlush on queue %" PRIu32 " before", queue);
}

/* What the sentences of a fix name. */
struct fix_names {
    char one[NAME_CHARS], other[NAME_CHARS], flush[FLUSH_CHARS];
};

/* The commands synchronise by atomics, perhaps: an order between them may be wrong for them. */
static void advise_atomics(const struct fix_names *names, bool one_device, char fix[SPEC_CHARS])
{
    wording_print(fix, SPEC_CHARS,
                  "if neither kernel waits for the other in its atomic operations, add the event of %s"
                  " to the wait list of %s%s; else have these release and acquire, %s",
                  names->one, names->other, names->flush,
                  one_device ? "for the device or wider"
                             : "for all SVM devices in fine-grained shared virtual memory with atomics");
}

enum { WAIT_CHARS = 160 };

/* How the host could wait instead, which was tried; empty: in no way. */
static void name_host_wait(struct commands *commands, uint32_t first, uint32_t second, const char *other,
                           char out[WAIT_CHARS])
{
    if (helps(commands, EDIT_FINISH, first, second))
        wording_print(out, WAIT_CHARS, ", or call clFinish on queue %" PRIu32 " before %s is enqueued",
                      facts_or_queue(commands, first).queue, other);
    else if (helps(commands, EDIT_HOST_WAITS, first, second))
        wording_print(out, WAIT_CHARS, ", or wait for it with clWaitForEvents before %s is enqueued", other);
}

/* Tries an event in the wait list, then the host's wait before it sets the user event. False: advice. */
static bool try_fixes(struct commands *commands, uint32_t first, uint32_t second,
                      const struct command_waits *waits, struct fix_names *names, char fix[SPEC_CHARS])
{
    const bool may_wait = !waits->crosses && !command_log_in_callback(commands->log, second);
    char wait[WAIT_CHARS] = "";
    if (may_wait)
        name_host_wait(commands, first, second, names->other, wait);
    const bool called = !waits->crosses && !wait[0] && waits->called_back;
    if (called)
        wording_print(names->flush, sizeof names->flush, "%s", flush_all);
    if (helps(commands, EDIT_WAIT_LIST, first, second)) {
        wording_print(fix, SPEC_CHARS, "add the event of %s to the wait list of %s%s%s%s", names->one,
                      names->other, names->flush, wait,
                      wait[0] || !may_wait || called
                          ? ""
                          : "; the host itself cannot wait for it there without waiting for ever");
        return true;
    }
    if (helps(commands, EDIT_HOST_SETS, first, second)) {
        wording_print(
            fix, SPEC_CHARS,
            "wait for the event of %s with clWaitForEvents before the user event is set that %s waits for",
            names->other, names->one);
        return true;
    }
    wording_print(fix, SPEC_CHARS,
                  "set all user events that %s waits for before %s"
                  " is enqueued, and add the event of the one to the wait list of the other%s",
                  names->one, names->other, names->flush);
    return false;
}

/* True: the fix was tried, orders the two and lets no command wait for ever. False: it is advice. */
bool commands_fix(struct commands *commands, uint32_t first, uint32_t second, char fix[SPEC_CHARS])
{
    const struct command_facts a = facts_or_queue(commands, first), b = facts_or_queue(commands, second);
    const bool tried = may_try(commands);
    const struct command_waits waits =
        tried ? command_log_waits(commands->log, first) : (struct command_waits){.crosses = true};
    struct fix_names names;
    if (a.batch && a.batch == b.batch) {
        wording_print(fix, SPEC_CHARS,
                      "add the sync point of command %" PRIu32 " to the wait list of command %" PRIu32, first,
                      second);
        return tried && helps(commands, EDIT_WAIT_LIST, first, second);
    }
    name_enqueued(&a, first, names.one);
    name_enqueued(&b, second, names.other);
    name_flush(commands, waits.crosses, first, second, names.flush);
    if (share_atomics(commands, first, second)) {
        advise_atomics(&names, a.device == b.device, fix);
        return false;
    }
    if (!tried) {
        wording_print(fix, SPEC_CHARS, "add the event of %s to the wait list of %s%s", names.one, names.other,
                      names.flush);
        return false;
    }
    return try_fixes(commands, first, second, &waits, &names, fix);
}

/* 5.5.3: between a map and its unmap a command may not access the bytes, unless it uses the map's pointer.
 * unmap 0: not enqueued yet, or unknown. named: the one of map and unmap that the finding names. */
struct map_race {
    uint32_t map, unmap, command, named;
    bool by_pointer;
};

static struct map_race mapped_of(const struct commands *commands, const struct byte_access *first,
                                 const struct byte_access *second)
{
    const struct byte_access *by = first->by_map ? first : second, *other = by == first ? second : first;
    const bool by_pointer = other->by_pointer || other->of_host;
    if (!by->by_map || other->by_map || by->map == by->command)
        return (struct map_race){0};
    if (by->map)
        return (struct map_race){by->map, by->command, other->command, by->command, by_pointer};
    return (struct map_race){by->command, command_log_unmap(commands->log, by->command), other->command,
                             by->command, by_pointer};
}

static bool helps_mapped(const struct commands *commands, enum command_edit edit, uint32_t first,
                         uint32_t second, const struct map_race *mapped)
{
    return command_log_try(commands->log, edit, first, second, mapped->named, mapped->command);
}

/* Fixes that enqueue one of the commands at another place, or delay a user event, in the order in which they
 * are tried. Each edits the order of two of the commands: its first one belongs before its second. */
enum role { MAP, UNMAP, COMMAND };

/* When a fix is tried: bits, where the command was enqueued. */
enum { AFTER_MAP = 1, BEFORE_MAP_THAT_ENDS = 2, BEFORE_UNMAP = 4, WITHIN_MAP = 8 };

static uint32_t where_is(const struct map_race *mapped)
{
    const bool after_map = mapped->command > mapped->map, before_unmap = mapped->command < mapped->unmap;
    return (after_map ? AFTER_MAP : 0) |
           (mapped->command < mapped->map && mapped->unmap ? BEFORE_MAP_THAT_ENDS : 0) |
           (before_unmap ? BEFORE_UNMAP : 0) |
           (after_map && (!mapped->unmap || before_unmap) ? WITHIN_MAP : 0);
}

/* In the text, $C is the command, $M the map, $U the unmap, and $F the clFlush that the edit needs. */
static const struct {
    uint32_t where;
    enum command_edit edit;
    enum role first, second;
    const char *text;
} place_fixes[] = {
    {BEFORE_MAP_THAT_ENDS, EDIT_HOST_SETS, COMMAND, UNMAP,
     "wait for the event of $U, which unmaps, with clWaitForEvents before the user event is set that $C "
     "waits "
     "for"},
    {BEFORE_UNMAP, EDIT_AFTER, UNMAP, COMMAND,
     "enqueue $C after $U, which unmaps, with the event of that in its wait list$F"},
    {AFTER_MAP, EDIT_BEFORE, COMMAND, MAP,
     "enqueue $C before $M, which maps, and add its event to the wait list of that$F"},
    {WITHIN_MAP, EDIT_AFTER, COMMAND, MAP,
     "enqueue $M, which maps, after $C, with the event of that in its wait list$F"},
    {AFTER_MAP, EDIT_HOST_SETS, MAP, COMMAND,
     "wait for the event of $C with clWaitForEvents before the user event is set that $M, which maps, waits "
     "for"},
    {BEFORE_UNMAP, EDIT_BEFORE, UNMAP, COMMAND,
     "enqueue $U, which unmaps, before $C, when the host has done with the memory, and add its event to the "
     "wait list of that$F"},
};

static const char place_advice[] = "have $C complete before $M maps, or begin when its unmap is complete: "
                                   "enqueue it before the map or after "
                                   "the unmap, and add the event of the one to the wait list of the other";

static uint32_t in_role(const struct map_race *mapped, enum role role)
{
    return role == MAP ? mapped->map : role == UNMAP ? mapped->unmap : mapped->command;
}

static void say_place(const char *text, const struct map_race *mapped, const char *flush,
                      char fix[SPEC_CHARS])
{
    size_t used = 0;
    for (; *text && used < SPEC_CHARS - 1; text++) {
        char piece[FLUSH_CHARS] = {*text};
        if (*text == '$') {
            const char letter = *++text;
            const enum role role = letter == 'M' ? MAP : letter == 'U' ? UNMAP : COMMAND;
            if (letter == 'F')
                wording_print(piece, sizeof piece, "%s", flush);
            else
                wording_print(piece, sizeof piece, "command %" PRIu32, in_role(mapped, role));
        }
        wording_print(fix + used, SPEC_CHARS - used, "%s", piece);
        used += strlen(fix + used);
    }
}

static bool fix_by_place(struct commands *commands, const struct map_race *mapped, char fix[SPEC_CHARS])
{
    const bool tried = !facts_or_queue(commands, mapped->command).batch && may_try(commands);
    char flush[FLUSH_CHARS];
    for (size_t i = 0; tried && i < sizeof place_fixes / sizeof *place_fixes; i++) {
        const uint32_t first = in_role(mapped, place_fixes[i].first),
                       second = in_role(mapped, place_fixes[i].second);
        CHECKED(first != second);
        if (!(place_fixes[i].where & where_is(mapped)) ||
            !helps_mapped(commands, place_fixes[i].edit, first, second, mapped))
            continue;
        name_flush(commands, command_log_waits(commands->log, first).crosses, first, second, flush);
        say_place(place_fixes[i].text, mapped, flush, fix);
        return true;
    }
    say_place(place_advice, mapped, "", fix);
    return false;
}

/* A command enqueued after the map uses its pointer, so it belongs between map and unmap. */
static bool fix_by_pointer(struct commands *commands, const struct map_race *mapped, char fix[SPEC_CHARS])
{
    const uint32_t command = mapped->command, unmap = mapped->unmap;
    char flush[FLUSH_CHARS];
    if (mapped->named == mapped->map)
        return commands_fix(commands, mapped->map, command, fix);
    if (command < unmap)
        return commands_fix(commands, command, unmap, fix);
    name_flush(commands, command_log_waits(commands->log, command).crosses, command, unmap, flush);
    wording_print(fix, SPEC_CHARS,
                  "enqueue command %" PRIu32 " before command %" PRIu32
                  ", which unmaps, and add its event to the wait list of that%s",
                  command, unmap, flush);
    return may_try(commands) && helps_mapped(commands, EDIT_BEFORE, command, unmap, mapped);
}

bool commands_fix_pair(struct commands *commands, const struct byte_access *first,
                       const struct byte_access *second, char fix[SPEC_CHARS])
{
    const struct map_race mapped = mapped_of(commands, first, second);
    const uint32_t map = mapped.map, unmap = mapped.unmap, command = mapped.command;
    const bool astray = command_graph_ended(commands->graph, unmap) &&
                        !command_graph_is_after(commands->graph, unmap, map),
               past_unmap = unmap && command > unmap;
    /* `astray`: nothing orders the unmap, not even after its own map */
    if (!map || astray || command_graph_is_after(commands->graph, map, command))
        return commands_fix(commands, first->command, second->command, fix);
    if (mapped.by_pointer && command > map)
        return fix_by_pointer(commands, &mapped, fix);
    const uint32_t earlier = past_unmap ? unmap : command, later = past_unmap ? command : map;
    if ((past_unmap || command < map) && (!command_log_whole(commands->log) ||
                                          helps_mapped(commands, EDIT_WAIT_LIST, earlier, later, &mapped)))
        return commands_fix(commands, earlier, later, fix);
    return fix_by_place(commands, &mapped, fix);
}
