/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of launches that atomics may have ordered, and did not: what cross_launch.h found, as findings. */
#include "commands_state.h"

#include "cross_launch.h"

static bool counts_as_ordered(void *self, uint32_t a, uint32_t b)
{
    const struct commands *commands = self;
    return command_graph_knows(commands->graph, a, b) || command_graph_knows(commands->graph, b, a);
}

static const char *what_of(enum access_kind kind)
{
    return kind > ACCESS_WRITE ? "atomic access by a kernel" : kind == ACCESS_READ ? "read by a kernel" : "write by a kernel";
}

static void describe(const struct commands *commands, const struct cross_side *from, struct finding_access *out_access, char by[OBJECT_CHARS])
{
    const struct command_facts *facts = command_graph_facts(commands->graph, from->command);
    const bool named = from->argument[0] != '\0';
    commands_format(by, OBJECT_CHARS, "kernel %s, %s (command %" PRIu32 ", queue %" PRIu32 ")%s%s", from->kernel, facts ? facts->call : "?", from->command,
                    facts ? facts->queue : 0, named ? ", " : "", named ? from->argument : "");
    *out_access = (struct finding_access){.kind = from->kind, .what = what_of(from->kind), .by = by, .device_id = from->device, .place = from->place,
                                          .has_item = true, .item = from->item, .has_order = from->kind > ACCESS_WRITE, .order = from->order,
                                          .scope = from->scope, .size_bytes = from->size_bytes};
}

static void tell(void *self, const struct cross_race *race)
{
    struct commands *commands = self;
    const struct cross_side *first = &race->side[0], *second = &race->side[1];
    char by[2][OBJECT_CHARS], fix[SPEC_CHARS];
    struct finding finding = {.kind = FINDING_RACE_COMMANDS, .kernel = second->kernel, .object = race->object, .has_offset = true,
                              .offset_bytes = race->offset_bytes, .access_count = 2, .why = race->why, .fix = fix, .count = race->count,
                              .spec = "OpenCL 2.2 API, 3.3.6 data race"};
    commands_format(fix, sizeof fix, "put the access of kernel %s before its release, and that of kernel %s behind the acquire that reads what was "
                    "released; or, if neither waits for the other in its atomic operations, order the commands by an event", first->kernel, second->kernel);
    describe(commands, first, &finding.access[0], by[0]);
    describe(commands, second, &finding.access[1], by[1]);
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
