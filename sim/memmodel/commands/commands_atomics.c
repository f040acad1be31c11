/* SPDX-License-Identifier: Apache-2.0 */
/* Races of launches that atomics may have ordered, as inter_launch.h finds them, become findings. In the
 * other direction it announces to inter_launch.h the accesses of commands that a launch is after
 * (predecessors), in the order in which the commands ended. */
#include "commands_state.h"

#include <inttypes.h>
#include <stdlib.h>

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b, enum inter_launch_what what)
{
    (void)what;
    return commands_are_ordered(self, a, b);
}

static void describe(const struct commands *commands, const struct inter_launch_side *from,
                     struct finding_access *access, struct access_texts *side)
{
    const struct command_facts *facts = command_graph_facts(commands->graph, from->command);
    char text[CALL_CHARS];
    if (!from->kernel) {
        access->place = commands_enqueued_at(facts);
        wording_action(from->what, false, facts ? commands_call(facts, text) : "?", side->what,
                       sizeof side->what);
        access->what = side->what;
    }
    commands_name_by(facts, from->command, from->kernel, from->argument[0] ? from->argument : NULL, side->by);
    access->by = side->by;
}

/* If nothing orders the launches as commands either, the reason and the fix are those of commands. */
static void report_inter_launch_race(void *self, const struct inter_launch_race *race)
{
    struct commands *commands = self;
    struct finding finding = race->finding;
    struct access_texts side[2];
    char why[SPEC_CHARS], fix[SPEC_CHARS];
    const uint32_t a = race->side[0].command, b = race->side[1].command;
    if (inter_launch_left_out(race, report_scenario(commands->report)))
        return;
    for (int i = 0; i < 2; i++)
        describe(commands, &race->side[i], &finding.access[i], &side[i]);
    if (!race->by_scope && !commands_are_ordered(commands, a, b) && !report_has(commands->report, &finding)) {
        commands_explain(commands, finding.access[0].has_order && finding.access[1].has_order, a < b ? a : b,
                         a < b ? b : a, why);
        if (race->packets)
            wording_one_at_a_time(race->reads_packets, why, sizeof why);
        finding.fix_orders = commands_fix(commands, a < b ? a : b, a < b ? b : a, fix);
        finding.why = why;
        finding.fix = fix;
    }
    report_add(commands->report, &finding);
}

void commands_report_inter_launch(struct commands *commands, uint32_t command)
{
    const struct inter_launch_reporter reporter = {commands, counts_as_ordered, report_inter_launch_race};
    inter_launch_end_command(commands->inter_launch, command, &reporter);
}

/* ---- predecessors --------------------------------------------------------------------------------- */

/* An access of a predecessor. bytes NULL: those of the run. Offsets count from area->low. */
struct source {
    struct byte_access access;
    const struct command_area *area;
    uint64_t ended;
    struct byte_run run;
    const struct byte_set *bytes;
};
struct sources {
    struct commands *commands;
    uint32_t command;
    const struct command_area *area;
    LIST(struct source) list;
};

static void add_source(void *self, const struct byte_set *bytes, const struct byte_access *access)
{
    struct sources *sources = self;
    struct commands *commands = sources->commands;
    struct source source = {.access = *access,
                            .area = sources->area,
                            .ended = command_graph_ended(commands->graph, access->command)};
    if (!inter_launch_is_predecessor(commands->inter_launch, sources->command, access->command))
        return;
    if (!bytes->bits && bytes->count == 1) /* of a segment, whose set ends with the visit */
        source.run = bytes->runs[0];
    else
        source.bytes = bytes;
    commands->lost |= !list_add(&sources->list, source);
}

static int by_end(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    if (x->ended != y->ended)
        return x->ended < y->ended ? -1 : 1;
    const uint64_t low = x->area->low + x->run.low, other = y->area->low + y->run.low;
    return low < other ? -1 : low > other;
}

/* Announces the bytes of a run of the access, instruction by instruction. */
static void announce_run(struct commands *commands, const struct source *source, const struct byte_run *run)
{
    uint64_t low = source->area->low + run->low, high = source->area->low + run->high;
    struct inter_launch_predecessor predecessor = {.command = source->access.command,
                                                   .region_id = source->area->id,
                                                   .kind = source->access.kind,
                                                   .partial = source->access.by_map || source->access.opens};
    for (uint64_t end; low < high; low = end) {
        end = high;
        const struct byte_access access = commands_access_at(source->area, &source->access, low, &end);
        CHECKED(low < end && end <= high);
        const struct command_site *site = commands_site_of(commands, &access);
        predecessor.site = access.site;
        if (site) {
            predecessor.kernel = site->kernel;
            predecessor.argument = site->argument;
            predecessor.place = site->place;
        }
        predecessor.address = low;
        predecessor.size_bytes =
            source->access.opens ? 0 : end - low; /* 0 bytes: a map accesses nothing itself */
        inter_launch_add_predecessor(commands->inter_launch, &predecessor);
    }
}

static void announce(struct commands *commands, const struct source *source)
{
    struct byte_run run = {0, 0};
    if (!source->bytes)
        announce_run(commands, source, &source->run);
    while (source->bytes && byte_set_next(source->bytes, run.high, &run))
        announce_run(commands, source, &run);
}

void commands_announce_predecessors(struct commands *commands, uint32_t command)
{
    struct sources sources = {.commands = commands, .command = command};
    struct command_area *area, *following;
    HASH_ITER(hh, commands->areas, area, following)
    {
        sources.area = area;
        if (!area->id)
            continue;
        commands_apply_kept(commands, area);
        commands_visit(area, area->low, area->high, add_source, &sources);
    }
    if (sources.list.count)
        qsort(sources.list.items, sources.list.count, sizeof *sources.list.items, by_end);
    for (size_t i = 0; i < sources.list.count; i++)
        announce(commands, &sources.list.items[i]);
    list_fini(&sources.list);
    inter_launch_predecessors_over(commands->inter_launch, command);
}

void commands_report_predecessors(void *self, uint32_t command)
{
    struct commands *commands = self;
    pthread_mutex_lock(&commands->lock);
    commands_announce_predecessors(commands, command);
    pthread_mutex_unlock(&commands->lock);
}

struct inter_launch *commands_cross(struct commands *commands)
{
    return commands->inter_launch;
}
