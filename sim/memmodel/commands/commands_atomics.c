/* SPDX-License-Identifier: Apache-2.0 */
/* Races of launches that atomics may have ordered, as inter_launch.h finds them, become findings. In the
 * other direction it announces to inter_launch.h the accesses of commands that a launch is after
 * (predecessors), in the order in which the commands ended. */
#include "commands_state.h"

#include <inttypes.h>

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b, enum inter_launch_what what)
{
    (void)what;
    return commands_are_ordered(self, a, b);
}

static void describe(const struct commands *commands, const struct inter_launch_side *from,
                     struct finding_access *access, struct command_name *side)
{
    const struct command_facts *facts = command_graph_facts(commands->graph, from->command);
    if (!from->kernel) {
        commands_describe_call(facts, from->command, from->what, access, side);
        return;
    }
    commands_name_by(facts, from->command, from->kernel, from->argument[0] ? from->argument : NULL, side->by);
    access->by = side->by;
}

/* If nothing orders the launches as commands either, the reason and the fix are those of commands. */
static void report_inter_launch_race(void *self, const struct inter_launch_race *race)
{
    struct commands *commands = self;
    struct finding finding = race->finding;
    struct command_name side[2];
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

/* A visit of an area's accesses for those of a predecessor. */
struct predecessor_visit {
    struct commands *commands;
    const struct command_area *area;
    uint32_t predecessor;
};

/* Announces the bytes of a run of the access, instruction by instruction. */
static void announce_run(struct commands *commands, const struct command_area *area,
                         const struct byte_access *access, const struct byte_run *run)
{
    uint64_t low = area->low + run->low, high = area->low + run->high;
    struct inter_launch_predecessor predecessor = {.command = access->command,
                                                   .region_id = area->id,
                                                   .kind = access->kind,
                                                   .partial = access->by_map || access->opens};
    for (uint64_t end; low < high; low = end) {
        end = high;
        const struct byte_access one = commands_access_at(area, access, low, &end);
        CHECKED(low < end && end <= high);
        const struct command_site *site = commands_site_of(commands, &one);
        predecessor.site = one.site;
        if (site) {
            predecessor.kernel = site->kernel;
            predecessor.argument = site->argument;
            predecessor.place = site->place;
        }
        predecessor.address = low;
        predecessor.size_bytes = access->opens ? 0 : end - low; /* 0 bytes: a map accesses nothing itself */
        inter_launch_add_predecessor(commands->inter_launch, &predecessor);
    }
}

static void announce_access(void *self, const struct byte_set *bytes, const struct byte_access *access)
{
    const struct predecessor_visit *visit = self;
    struct byte_run run = {0, 0};
    while (access->command == visit->predecessor && byte_set_next(bytes, run.high, &run))
        announce_run(visit->commands, visit->area, access, &run);
}

void commands_announce_predecessors(struct commands *commands, uint32_t command)
{
    struct predecessor_visit visit = {.commands = commands};
    while ((visit.predecessor = inter_launch_next_predecessor(commands->inter_launch, command)) != 0)
        for (struct command_area *area = commands->areas; area; area = area->hh.next) {
            if (!area->id)
                continue;
            visit.area = area;
            commands_apply_kept(commands, area);
            commands_visit(area, area->low, area->high, announce_access, &visit);
        }
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
