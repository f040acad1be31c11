/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of launches that atomics may have ordered, and did not: what cross_launch.h found, as findings. */
#include "commands_state.h"

#include <inttypes.h>

#include "cross_launch.h"

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b)
{
    return commands_are_ordered(self, a, b);
}

static void describe(const struct commands *commands, const struct cross_side *from, struct finding_access *access, struct side *side)
{
    const struct command_facts *facts = command_graph_facts(commands->graph, from->command);
    const char *call = facts ? facts->call : "?", *kernel = from->kernel ? from->kernel : "";
    const bool named = from->argument[0] != '\0';
    if (from->kernel)
        cross_launch_action(from, side->what, sizeof side->what);
    else
        commands_format(side->what, sizeof side->what, "%s by %s", access->what, call);
    commands_format(side->by, sizeof side->by, "%s%s%s%s (command %" PRIu32 ", queue %" PRIu32 ")%s%s", from->kernel ? "kernel " : "", kernel,
                    from->kernel ? ", " : "", call, from->command, facts ? facts->queue : 0, named ? ", " : "", named ? from->argument : "");
    access->what = side->what;
    access->by = side->by;
}

static void tell(void *self, const struct cross_race *race)
{
    const struct commands *commands = self;
    struct finding finding;
    struct side side[2];
    cross_launch_finding(race, &finding);
    for (int i = 0; i < 2; i++)
        describe(commands, &race->side[i], &finding.access[i], &side[i]);
    report_add(commands->report, &finding);
}

void commands_tell_cross(struct commands *commands, uint32_t command)
{
    const struct cross_hearer hearer = {commands, counts_as_ordered, tell};
    cross_launch_end_command(commands->cross, command, &hearer);
}

struct cross_launch *commands_cross(struct commands *commands)
{
    return commands->cross;
}
