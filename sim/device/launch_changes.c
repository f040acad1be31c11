/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a launch's source that a fix may be: an update in the place of a load and a store, other
 * calls, another buffer; and whether the source still builds with them. */

#include "launch_places.h"
#include "sim/source/rewrite.h"

/* Both must be in the program's own text, since the module has only some lines of included files. */
bool launch_rewrite(const struct launch *launch, uint32_t load, uint32_t store, bool local, bool one_group,
                    struct code_rewrite *out_rewrite)
{
    const struct site *read = launch_site(launch, load), *write = launch_site(launch, store);
    const struct program *program = launch->info.program;
    if (!program || write->components != 1 || !program_is_own(program, load) ||
        !program_is_own(program, store))
        return false;
    const struct rewrite_request request = {.lines = program->lines,
                                            .line_count = program->line_count,
                                            .read = {read->line, read->column},
                                            .write = {write->line, write->column},
                                            .type = write->type,
                                            .size = write->size,
                                            .local = local,
                                            .one_group = one_group,
                                            .exchanges = write->exchanges,
                                            .opencl_c = launch_opencl_c(launch)};
    return rewrite_update(&request, out_rewrite);
}

bool launch_update(const struct launch *launch, uint32_t site, uint32_t *out_load, uint32_t *out_store)
{
    const struct site *own = launch_site(launch, site);
    const bool writes = own->access == ACCESS_WRITE;
    *out_store = writes ? site : own->update;
    *out_load = launch_site(launch, *out_store)->update;
    if (!own->update || own->act != ACT_ACCESS || !*out_load)
        return false;
    /* An exchange for which no edit is possible may be another mistake: the race is then explained by its
     * two accesses. */
    struct code_rewrite unused;
    return !own->exchanges || launch_rewrite(launch, *out_load, *out_store, false, false, &unused);
}

int launch_builds(const struct launch *launch, uint32_t site, const struct code_edit *edits, uint32_t count)
{
    const struct program *program = launch->info.program;
    if (!program || !program->compiled || !program_is_own(program, site))
        return BUILDS_UNKNOWN;
    if (report_scenario(launch->report)->fixes == FIXES_OFF)
        return BUILDS; /* the report drops the edits later */
    return program_builds(program, edits, count) ? BUILDS : BUILDS_NOT;
}

bool launch_other_buffer(const struct launch *launch, uint32_t first, uint32_t later, char *out_name,
                         size_t size)
{
    const struct site *read = launch_site(launch, first), *write = launch_site(launch, later);
    const struct program *program = launch->info.program;
    const bool in_loops = read->loop && write->loop;
    if (!program || !in_loops || !program_is_own(program, first) || !program_is_own(program, later))
        return false;
    return rewrite_other_buffer(program->lines, program->line_count,
                                (struct rewrite_place){read->line, read->column},
                                (struct rewrite_place){write->line, write->column}, out_name, size);
}

/* The site is 0 or in the program's own text. */
static bool is_none_or_own(const struct program *program, uint32_t site)
{
    return !site || program_is_own(program, site);
}

static struct rewrite_place rewrite_place_of(const struct site *site)
{
    return (struct rewrite_place){site->line, site->column};
}

bool launch_change(const struct launch *launch, const struct code_change *change,
                   struct code_rewrite *rewrite)
{
    const struct site *site = launch_site(launch, change->site), *other = launch_site(launch, change->other),
                      *beside = launch_site(launch, change->place.site);
    const struct program *program = launch->info.program;
    if (!program || !program_is_own(program, change->site) || !is_none_or_own(program, change->other) ||
        !is_none_or_own(program, change->place.site))
        return false;
    const struct change_request request = {.update = {.lines = program->lines,
                                                      .line_count = program->line_count,
                                                      .read = rewrite_place_of(site),
                                                      .write = rewrite_place_of(site),
                                                      .type = site->type,
                                                      .size = site->size,
                                                      .local = change->local,
                                                      .opencl_c = launch_opencl_c(launch)},
                                           .change = change,
                                           .other = change->other ? rewrite_place_of(other)
                                                                  : (struct rewrite_place){0, 0},
                                           .line = change->place.line   ? change->place.line
                                                   : change->place.site ? beside->line
                                                                        : site->line};
    return rewrite_change(&request, rewrite);
}

bool launch_even(const struct launch *launch, uint32_t number)
{
    for (uint32_t loop = launch_site(launch, number)->loop; loop; loop = launch->code->loops[loop - 1].parent)
        if (launch->code->loops[loop - 1].divergent)
            return false;
    return true;
}

bool launch_uniform(const struct launch *launch, uint32_t number)
{
    const struct site *site = launch_site(launch, number);
    return site->loop ? site->each_iteration && launch->code->loops[site->loop - 1].level
                      : launch->code && launch_is_level(launch->code, site);
}

bool launch_same_for_all(const struct launch *launch, uint32_t number)
{
    const struct site *site = launch_site(launch, number);
    return site->one_address && !site->update && launch_uniform(launch, number);
}
