/* SPDX-License-Identifier: Apache-2.0 */
/* Where an instruction of a launch is in the source, and where its statement begins and ends. */
#include <string.h>

#include "launch_places.h"

/* ---- places ------------------------------------------------------------------- */

const struct site *launch_site(const struct launch *launch, uint32_t site)
{
    static const struct site nowhere = {.what = "an instruction"};
    return launch->code && site < launch->code->site_count ? &launch->code->sites[site] : &nowhere;
}

/* The kernel's line is the caller; the functions between are calls. */
static void fill_calls(const struct program *program, uint32_t number, struct finding_access *out_access)
{
    struct source_place places[FINDING_CALLS_MOST + 1];
    const uint32_t count = program_calls(program, number, FINDING_CALLS_MOST + 1, places);
    if (!count)
        return;
    out_access->call_count = count - 1;
    memcpy(out_access->calls, places, (count - 1) * sizeof *places);
    out_access->caller = places[count - 1];
}

void launch_access(const struct launch *launch, uint32_t number, struct finding_access *out_access)
{
    const struct site *site = launch_site(launch, number);
    *out_access = (struct finding_access){
        .act = site->act, .kind = site->access, .type = site->type, .scope = site->scope, .what = site->what};
    launch_place(launch, number, &out_access->place);
    if (launch->info.program)
        fill_calls(launch->info.program, number, out_access);
}

uint32_t launch_opencl_c(const struct launch *launch)
{
    return launch->info.program ? interp_opencl_c(launch->info.program->module) : 0;
}

void launch_place(const struct launch *launch, uint32_t site, struct source_place *out_place)
{
    memset(out_place, 0, sizeof *out_place);
    if (launch->info.program)
        program_site(launch->info.program, site, out_place);
}

bool launch_same_line(const struct site *a, const struct site *b)
{
    return a->file == b->file && a->line == b->line;
}

/* ---- statements --------------------------------------------------------------- */

bool launch_position_in_call(const struct code *code, const struct site *site, uint32_t call,
                             struct launch_position *out_position)
{
    uint32_t at = site->call;
    *out_position = (struct launch_position){site->file, site->line};
    while (at != call && at) {
        *out_position = (struct launch_position){code->calls[at].file, code->calls[at].line};
        at = code->calls[at].caller;
    }
    return at == call;
}

uint32_t launch_site_number(const struct code *code, const struct site *site)
{
    return (uint32_t)(site - code->sites);
}

struct source_line launch_line_at(const struct launch *launch, const struct site *site, uint32_t line)
{
    return launch->info.program
               ? program_line(launch->info.program, launch_site_number(launch->code, site), line)
               : (struct source_line){.kind = LINE_UNKNOWN};
}

uint32_t launch_statement_line_of(const struct launch *launch, const struct site *site, uint32_t line)
{
    struct source_line at = launch_line_at(launch, site, line);
    while (at.kind == LINE_WITHIN && at.begins && at.begins < line) {
        line = at.begins;
        at = launch_line_at(launch, site, line);
    }
    return at.kind == LINE_UNKNOWN || (at.kind == LINE_BETWEEN && !at.closes) ? line : 0;
}

uint32_t launch_statement_line(const struct launch *launch, const struct site *site)
{
    return launch_statement_line_of(launch, site, site->line);
}

uint32_t launch_statement_end_of(const struct launch *launch, const struct site *site, uint32_t own)
{
    const uint32_t depth = launch_line_at(launch, site, own).depth;
    uint32_t line = own + 1;
    struct source_line at = launch_line_at(launch, site, line);
    while (at.kind == LINE_WITHIN)
        at = launch_line_at(launch, site, ++line);
    return at.kind == LINE_UNKNOWN ? own : at.kind == LINE_BETWEEN && at.depth <= depth ? line - 1 : 0;
}

uint32_t launch_statement_end(const struct launch *launch, const struct site *site)
{
    return launch_statement_end_of(launch, site, site->line);
}

uint32_t launch_line_after(const struct launch *launch, const struct site *site)
{
    const uint32_t end = launch_statement_end(launch, site);
    for (uint32_t line = site->line; line <= end; line++)
        if (launch_line_at(launch, site, line).leaves)
            return 0;
    return end;
}

bool launch_may_return(const struct launch *launch, const struct site *site, const struct site *later)
{
    struct launch_position position;
    return launch_line_at(launch, site, site->line).kind == LINE_UNKNOWN && site->access == ACCESS_READ &&
           !launch_position_in_call(launch->code, later, site->call, &position);
}

bool launch_begins_after(const struct code *code, const struct site *site, uint32_t line,
                         const struct site *first)
{
    struct launch_position position;
    return !launch_position_in_call(code, first, site->call, &position) || position.file != site->file ||
           position.line < line;
}

const struct site *launch_one_statement_site(const struct launch *launch, const struct site *first,
                                             const struct site *later)
{
    const struct code *code = launch->code;
    struct launch_position position;
    uint32_t line;
    if (launch_position_in_call(code, first, later->call, &position)) {
        const struct source_line at = launch_line_at(launch, later, later->line);
        line = at.kind == LINE_BODY && !at.begins ? later->line : launch_statement_line(launch, later);
        const bool other = first->call != later->call || !launch_same_line(first, later);
        return position.file == later->file && later->line && other &&
                       (line ? position.line >= line : position.line > later->line)
                   ? later
                   : NULL;
    }
    line = launch_statement_end(launch, first);
    return launch_position_in_call(code, later, first->call, &position) && position.file == first->file &&
                   position.line <= line
               ? first
               : NULL;
}
