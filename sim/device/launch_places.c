/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the checker's questions about places in a launch's code: where an instruction is in the source,
 * which of two is first, and where a barrier or fence between them fits. Instructions have ranks in layout
 * order. Lemma: loops are contiguous in that order, so outside of common loops layout order is execution
 * order. */
#include <string.h>

#include "launch.h"
#include "sim/memmodel/checker.h"
#include "device_program.h"
#include "rewrite.h"

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

static bool same_line(const struct site *a, const struct site *b)
{
    return a->file == b->file && a->line == b->line;
}

/* ---- statements --------------------------------------------------------------- */

struct position {
    uint32_t file, line;
};

/* The position in the function of `call` when execution is at the site: the site itself, or the call that
 * leads to it. False: the function does not contain the site. */
static bool position_in_call(const struct code *code, const struct site *site, uint32_t call,
                             struct position *out_position)
{
    uint32_t at = site->call;
    *out_position = (struct position){site->file, site->line};
    while (at != call && at) {
        *out_position = (struct position){code->calls[at].file, code->calls[at].line};
        at = code->calls[at].caller;
    }
    return at == call;
}

static uint32_t site_number(const struct code *code, const struct site *site)
{
    return (uint32_t)(site - code->sites);
}

static struct source_line line_at(const struct launch *launch, const struct site *site, uint32_t line)
{
    return launch->info.program ? program_line(launch->info.program, site_number(launch->code, site), line)
                                : (struct source_line){.kind = LINE_UNKNOWN};
}

/* The line before which a barrier is before the site's whole statement; 0: none. */
static uint32_t statement_line(const struct launch *launch, const struct site *site)
{
    uint32_t line = site->line;
    struct source_line at = line_at(launch, site, line);
    while (at.kind == LINE_WITHIN && at.begins && at.begins < line) {
        line = at.begins;
        at = line_at(launch, site, line);
    }
    return at.kind == LINE_UNKNOWN || (at.kind == LINE_BETWEEN && !at.closes) ? line : 0;
}

/* The last line of the site's statement: another statement begins on the next line. 0: unknown. */
static uint32_t statement_end(const struct launch *launch, const struct site *site)
{
    const uint32_t depth = line_at(launch, site, site->line).depth;
    uint32_t line = site->line + 1;
    struct source_line at = line_at(launch, site, line);
    while (at.kind == LINE_WITHIN)
        at = line_at(launch, site, ++line);
    return at.kind == LINE_UNKNOWN ? site->line : at.kind == LINE_BETWEEN && at.depth <= depth ? line - 1 : 0;
}

/* The same, if every work-item that reaches the site reaches that line: nothing up to there jumps. 0: not
 * so. */
static uint32_t line_after(const struct launch *launch, const struct site *site)
{
    const uint32_t end = statement_end(launch, site);
    for (uint32_t line = site->line; line <= end; line++)
        if (line_at(launch, site, line).leaves)
            return 0;
    return end;
}

/* If the source is unknown, the statement of a read may be a return. */
static bool may_return(const struct launch *launch, const struct site *site, const struct site *later)
{
    struct position position;
    return line_at(launch, site, site->line).kind == LINE_UNKNOWN && site->access == ACCESS_READ &&
           !position_in_call(launch->code, later, site->call, &position);
}

/* Does the statement that begins at `line` come after a site that is executed before it? */
static bool begins_after(const struct code *code, const struct site *site, uint32_t line,
                         const struct site *first)
{
    struct position position;
    return !position_in_call(code, first, site->call, &position) || position.file != site->file ||
           position.line < line;
}

/* The site whose own function has both in one statement; NULL: they are in different statements. */
static const struct site *one_statement_site(const struct launch *launch, const struct site *first,
                                             const struct site *later)
{
    const struct code *code = launch->code;
    struct position position;
    uint32_t line;
    if (position_in_call(code, first, later->call, &position)) {
        const struct source_line at = line_at(launch, later, later->line);
        line = at.kind == LINE_BODY && !at.begins ? later->line : statement_line(launch, later);
        const bool other = first->call != later->call || !same_line(first, later);
        return position.file == later->file && later->line && other &&
                       (line ? position.line >= line : position.line > later->line)
                   ? later
                   : NULL;
    }
    line = statement_end(launch, first);
    return position_in_call(code, later, first->call, &position) && position.file == first->file &&
                   position.line <= line
               ? first
               : NULL;
}

/* ---- between two -------------------------------------------------------------- */

/* Either all work-items of a work-group reach the site once, or none does. */
static bool is_level(const struct code *code, const struct site *site)
{
    return site->rank && (site->always || code->ways[site->block].level);
}

static bool dominates(const struct code *code, uint32_t block, uint32_t other)
{
    while (other != NO_WAY && other != block)
        other = code->ways[other].idom;
    return other == block;
}

static bool post_dominates(const struct code *code, uint32_t block, uint32_t other)
{
    for (uint32_t steps = 0; other != NO_WAY && other != block && steps < code->block_count; steps++)
        other = code->ways[other].ipdom;
    return other == block;
}

/* ... and every work-item that reaches `from` or `to` reaches the site. */
static bool is_passed_by_all(const struct code *code, const struct site *site, const struct site *from,
                             const struct site *to)
{
    return is_level(code, site) && (site->always || dominates(code, site->block, to->block) ||
                                    post_dominates(code, site->block, from->block));
}

/* Do all work-items of a work-group reach each instruction of the site's line once? The line may be several
 * instructions, or be inlined several times. */
static bool is_level_line(const struct code *code, const struct site *site)
{
    if (!site->rank || !site->line)
        return false;
    for (uint32_t i = 1; i < code->site_count; i++)
        if (code->sites[i].rank && same_line(&code->sites[i], site) && !is_level(code, &code->sites[i]))
            return false;
    return true;
}

/* Is the site the first of its line, and is no other line executed before the line ends? Functions that are
 * inlined twice and heads of loops have other lines in between. */
static bool opens_line(const struct code *code, const struct site *site)
{
    uint32_t last = site->rank;
    if (!site->rank || !site->line)
        return false;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *other = &code->sites[i];
        if (!other->rank || !same_line(other, site))
            continue;
        if (other->rank < site->rank)
            return false;
        last = other->rank > last ? other->rank : last;
    }
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *other = &code->sites[i];
        if (other->rank > site->rank && other->rank < last && other->line && !same_line(other, site))
            return false;
    }
    return true;
}

/* Does the line of `from` have a branch before the rank? */
static bool branches_before(const struct code *code, const struct site *from, uint32_t rank)
{
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        if (site->rank > from->rank && site->rank < rank && same_line(site, from) && site->act == ACT_BRANCH)
            return true;
    }
    return false;
}

/* Does every work-item that executes both `from` and `to` pass the site in between, and can a barrier be
 * inserted before the site's line? out_line: that line. */
static bool separates(const struct launch *launch, const struct site *site, const struct site *from,
                      const struct site *to, uint32_t *out_line)
{
    const struct code *code = launch->code;
    const bool between = site->rank > from->rank && site->rank <= to->rank && !same_line(site, from);
    if (!between || !is_passed_by_all(code, site, from, to))
        return false;
    if (!is_level_line(code, site) && !opens_line(code, site))
        return false;
    *out_line = statement_line(launch, site);
    return *out_line && begins_after(code, site, *out_line, from);
}

/* The latest place that separates the two. Layout order is execution order except in common loops. */
static bool place_before(const struct launch *launch, const struct site *from, const struct site *to,
                         struct code_place *place)
{
    const struct code *code = launch->code;
    const struct site *found = NULL;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        uint32_t line;
        if ((found && site->rank > found->rank) || !separates(launch, site, from, to, &line))
            continue;
        found = site;
        place->site = i;
        place->line = line;
    }
    place->before = true;
    return found;
}

static bool place_after(const struct launch *launch, const struct site *from, const struct site *to,
                        struct code_place *place)
{
    const struct code *code = launch->code;
    struct position position;
    if (!is_level_line(code, from) || may_return(launch, from, to))
        return false;
    *place = (struct code_place){.site = site_number(code, from),
                                 .line = from->line,
                                 .first = place->first,
                                 .branches = branches_before(code, from, to->rank)};
    if (place->branches)
        return true;
    place->line = line_after(launch, from);
    return place->line && !(position_in_call(code, to, from->call, &position) &&
                            position.file == from->file && position.line <= place->line);
}

static bool loop_holds(const struct code_loop *loop, const struct site *site)
{
    return site->rank && loop->low <= site->rank && site->rank <= loop->high;
}

/* Does a loop contain `to` but not `from`? */
static bool begins_loop(const struct code *code, const struct site *from, const struct site *to)
{
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (loop_holds(&code->loops[i], to) && !loop_holds(&code->loops[i], from))
            return true;
    return false;
}

/* The line of the outermost loop that begins after the line of `from` and contains `to`; 0: none. */
static uint32_t loop_line(const struct launch *launch, const struct site *from, const struct site *to)
{
    uint32_t found = 0, depth = UINT32_MAX;
    for (uint32_t line = to->line; line > from->line; line--) {
        const struct source_line at = line_at(launch, to, line);
        if (at.kind != LINE_BETWEEN || !at.loops || at.closes || at.depth >= depth)
            continue;
        found = line;
        depth = at.depth;
    }
    return found;
}

/* The head of the loop that contains the site, if all work-items of a work-group reach the block before it
 * once. NO_WAY: otherwise. */
static uint32_t level_head(const struct code *code, const struct site *to)
{
    uint32_t head = to->block;
    while (head != NO_WAY && code->ways[head].idom != NO_WAY && !code->ways[code->ways[head].idom].level)
        head = code->ways[head].idom;
    const uint32_t before = head == NO_WAY ? NO_WAY : code->ways[head].idom;
    return before != NO_WAY && post_dominates(code, head, before) ? head : NO_WAY;
}

/* A place before a loop whose head every work-item reaches, if no single instruction before it is executed
 * by all. */
static bool place_before_loop(const struct launch *launch, const struct site *from, const struct site *to,
                              struct code_place *place)
{
    const struct code *code = launch->code;
    const bool same_function =
        from->call == to->call && from->file == to->file && from->line && begins_loop(code, from, to);
    const uint32_t head = same_function ? level_head(code, to) : NO_WAY,
                   line = head == NO_WAY ? 0 : loop_line(launch, from, to);
    if (!line || dominates(code, head, from->block) || line <= statement_end(launch, from))
        return false;
    place->site = site_number(code, to);
    place->line = line;
    place->before = true;
    return true;
}

bool launch_between(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct code *code = launch->code;
    const struct site *from = launch_site(launch, a), *to = launch_site(launch, b);
    const int first = from->rank < to->rank ? 0 : 1;
    if (first == 1) {
        const struct site *later = from;
        from = to;
        to = later;
    }
    *out_place = (struct code_place){.first = first};
    const bool known = code && from->rank && to->rank;
    if (!known || from == to || same_line(from, to))
        return false;
    return place_before(launch, from, to, out_place) || place_after(launch, from, to, out_place) ||
           place_before_loop(launch, from, to, out_place);
}

bool launch_order(const struct launch *launch, uint32_t a, uint32_t b, struct code_order *out_order)
{
    const struct code *code = launch->code;
    const struct site *from = launch_site(launch, a), *to = launch_site(launch, b);
    const int first = from->rank < to->rank ? 0 : 1;
    if (!code || !from->rank || !to->rank)
        return false;
    const bool parted = is_level(code, from) || is_level(code, to) || from->stage != to->stage;
    const struct site *statement =
        first == 0 ? one_statement_site(launch, from, to) : one_statement_site(launch, to, from);
    *out_order = (struct code_order){.first = first,
                                     .entwined = statement,
                                     .parted = parted,
                                     .statement = statement ? site_number(code, statement) : 0,
                                     .branched = !parted && from->stage && !from->loop && !to->loop};
    return true;
}

/* ---- in the iterations of a loop ---------------------------------------------- */

/* Does a barrier fit before the statement that begins the site's line, inside of the site's loop? */
static bool fits_in_iteration(const struct launch *launch, const struct site *site, struct code_place *place)
{
    const struct source_line at = line_at(launch, site, site->line);
    const bool body = at.kind == LINE_BODY && !at.begins;
    const bool end = at.kind == LINE_BETWEEN && at.closes && at.loops;
    const uint32_t line = body || end ? site->line : statement_line(launch, site);
    place->line = line;
    place->braces = body;
    return line && (!line_at(launch, site, line).loops || end);
}

/* The site's rank counted from `since`: a site before it belongs to the next iteration. */
static uint64_t rank_since(const struct site *site, const struct site *since, uint32_t ranks)
{
    return site->rank > since->rank ? site->rank : (uint64_t)site->rank + ranks;
}

/* The innermost loop that contains both, if all work-items of a work-group iterate equally often; else
 * NULL. */
static const struct code_loop *level_loop(const struct code *code, const struct site *a, const struct site *b)
{
    const struct code_loop *loop = NULL;
    for (uint32_t i = 0; code && i < code->loop_count; i++) {
        const struct code_loop *other = &code->loops[i];
        if (loop_holds(other, a) && loop_holds(other, b) &&
            (!loop || other->high - other->low < loop->high - loop->low))
            loop = other;
    }
    return loop && loop->level ? loop : NULL;
}

/* The loop is the innermost one around the site, and each iteration executes the site. */
static bool is_of_iterations(const struct code *code, const struct site *site, const struct code_loop *loop)
{
    return site->rank && site->each_iteration && code->loops + site->loop - 1 == loop;
}

/* A place after the first access, if none before the second was found. */
static bool after_in_iteration(const struct launch *launch, const struct code_loop *loop,
                               const struct site *first, const struct site *second,
                               struct code_place *out_place)
{
    const struct code *code = launch->code;
    const uint32_t line = line_after(launch, first);
    struct position position;
    const bool leaves = line_at(launch, first, line + 1).depth < line_at(launch, first, first->line).depth;
    const bool wraps = second->rank <= first->rank;
    *out_place = (struct code_place){.site = site_number(code, first), .line = line};
    if (!line || leaves || may_return(launch, first, second))
        return false;
    if (!is_of_iterations(code, first, loop) || !opens_line(code, first))
        return false;
    if (branches_before(code, first, wraps ? loop->high + 1 : second->rank))
        return false;
    if (!position_in_call(code, second, first->call, &position) || position.file != first->file)
        return true;
    return position.line > line || (wraps && position.line < first->line);
}

/* The latest place, reached by every iteration, that is after the first access and before the second: in
 * the same iteration, or in the next one if the second is earlier in the code. */
static bool place_in_iteration(const struct launch *launch, const struct code_loop *loop,
                               const struct site *first, const struct site *second,
                               struct code_place *out_place)
{
    const struct code *code = launch->code;
    const bool wraps = first->rank > second->rank;
    const struct site *found = NULL;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const bool past = site->rank > first->rank, before = site->rank <= second->rank;
        const bool between = wraps ? past || before : past && before;
        struct code_place place = {.site = i, .before = true};
        if (!between || !is_of_iterations(code, site, loop) || !opens_line(code, site))
            continue;
        if (found && rank_since(site, first, loop->high) < rank_since(found, first, loop->high))
            continue;
        if (!fits_in_iteration(launch, site, &place) ||
            (past && !begins_after(code, site, place.line, first)))
            continue;
        found = site;
        *out_place = place;
    }
    return found || after_in_iteration(launch, loop, first, second, out_place);
}

/* For an access and a later one that precedes it in the code: the place that separates one iteration from
 * the next. */
bool launch_next_iteration(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    const struct code_loop *loop = level_loop(launch->code, first, second);
    return loop && first->rank > second->rank && place_in_iteration(launch, loop, first, second, out_place);
}

bool launch_each_iteration(const struct launch *launch, uint32_t a, uint32_t b, struct code_place *out_places)
{
    const struct site *sides[2] = {launch_site(launch, a), launch_site(launch, b)};
    const struct site *first = sides[sides[0]->rank > sides[1]->rank],
                      *second = sides[sides[0]->rank <= sides[1]->rank];
    const struct code_loop *loop = level_loop(launch->code, first, second);
    return loop && first != second && place_in_iteration(launch, loop, first, second, &out_places[0]) &&
           place_in_iteration(launch, loop, second, first, &out_places[1]);
}

/* Lemma: without a loop around both, layout order is execution order. */
bool launch_precedes(const struct launch *launch, uint32_t a, uint32_t b)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    if (!code || !first->rank || !second->rank || first->rank >= second->rank)
        return false;
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (loop_holds(&code->loops[i], first) && loop_holds(&code->loops[i], second))
            return false;
    return true;
}

/* In the last iteration the code after the place may not run, nor the place if the loop is left before
 * it. */
bool launch_last_iteration(const struct launch *launch, uint32_t a, const struct code_place *place,
                           uint32_t b)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *at = launch_site(launch, place->site);
    if (!code || !first->rank || !at->each_iteration || !launch_precedes(launch, place->site, b))
        return false;
    return loop_holds(&code->loops[at->loop - 1], first) && post_dominates(code, at->block, first->block) &&
           (place->before ? first->rank < at->rank && begins_after(code, at, place->line, first)
                          : first->rank <= at->rank);
}

bool launch_decides(const struct launch *launch, uint32_t a, uint32_t b)
{
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    return first->rank && second->rank && first->controls_branch &&
           !post_dominates(launch->code, second->block, first->block);
}

bool launch_spins_on(const struct launch *launch, uint32_t a, uint32_t b)
{
    const struct code *code = launch->code;
    const struct site *first = launch_site(launch, a), *second = launch_site(launch, b);
    if (!first->rank || first->rank >= second->rank || !first->controls_branch)
        return false;
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (loop_holds(&code->loops[i], first) && !loop_holds(&code->loops[i], second))
            return true;
    return false;
}

/* ---- updates ------------------------------------------------------------------- */

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
                      : launch->code && is_level(launch->code, site);
}

/* ---- beside an atomic ----------------------------------------------------------- */

/* Does execution reach `other` only in the loop's next iteration, whose head is not on that line? */
static bool follows_in_next_iteration(const struct launch *launch, const struct site *site, uint32_t line,
                                      const struct site *other)
{
    struct position position;
    return other->rank > site->rank && position_in_call(launch->code, other, site->call, &position) &&
           position.line > statement_end(launch, site) && !line_at(launch, site, line).loops;
}

/* A place before the site's statement that is after `other`. */
static bool fence_before(const struct launch *launch, const struct site *site, const struct site *other,
                         struct fence_place *out_place)
{
    uint32_t line = site->line;
    struct source_line at = line_at(launch, site, line);
    while ((at.kind == LINE_WITHIN || at.kind == LINE_BODY) && at.begins) {
        line = at.begins;
        at = line_at(launch, site, line);
    }
    const bool body = at.kind == LINE_BODY && !at.otherwise;
    *out_place = (struct fence_place){FENCE_BEFORE, site_number(launch->code, site), line, body};
    const bool fits = body || at.kind == LINE_UNKNOWN || (at.kind == LINE_BETWEEN && !at.closes);
    return fits && (begins_after(launch->code, site, line, other) ||
                    follows_in_next_iteration(launch, site, line, other));
}

/* A place after the site's statement, if `other` is not executed before that. */
static bool fence_after(const struct launch *launch, const struct site *site, const struct site *other,
                        struct fence_place *out_place)
{
    const uint32_t line = line_after(launch, site);
    struct position position;
    const bool within = position_in_call(launch->code, other, site->call, &position) &&
                        position.file == site->file && position.line >= site->line && position.line <= line;
    *out_place = (struct fence_place){FENCE_AFTER, site_number(launch->code, site), line, false};
    /* `} else if` begins in one block and ends in another */
    return line && !within && !line_at(launch, site, site->line).closes;
}

/* Two operations on one line: the earlier one comes first. */
static bool fence_between(const struct site *earlier, const struct site *later)
{
    return earlier->call == later->call && earlier->rank < later->rank;
}

/* Beside the operation if possible, else beside the access. */
bool launch_beside(const struct launch *launch, uint32_t operation, uint32_t access, bool past,
                   struct fence_place *out_place)
{
    const struct site *site = launch_site(launch, operation), *other = launch_site(launch, access);
    if (!launch->code || !site->rank || !other->rank || !site->line)
        return false;
    if (past && launch_spins_on(launch, operation, access) && !same_line(site, other)) {
        *out_place = (struct fence_place){FENCE_LOOP, operation, site->line, false};
        return true;
    }
    *out_place = (struct fence_place){FENCE_BETWEEN, operation, site->line, false};
    if (same_line(site, other) ? past ? fence_between(site, other) : fence_between(other, site)
        : past ? fence_after(launch, site, other, out_place) || fence_before(launch, other, site, out_place)
               : fence_before(launch, site, other, out_place) || fence_after(launch, other, site, out_place))
        return true;
    *out_place = (struct fence_place){FENCE_NOWHERE, operation, site->line, false};
    return true;
}

bool launch_collective(const struct launch *launch, uint32_t a, uint32_t b, uint32_t *out_site)
{
    const struct code *code = launch->code;
    const uint32_t ranks[2] = {launch_site(launch, a)->rank, launch_site(launch, b)->rank};
    const int first = ranks[0] < ranks[1] ? 0 : 1;
    for (uint32_t i = 1; code && ranks[first] && i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        if (!site->always || site->rank <= ranks[first] || site->rank >= ranks[!first] ||
            site->act != ACT_COLLECTIVE)
            continue;
        *out_site = i;
        return true;
    }
    return false;
}

static bool is_barrier_of_iterations(const struct site *site, uint32_t loop)
{
    const bool barrier = site->act == ACT_BARRIER && site->of_work_group;
    return barrier && site->rank && site->each_iteration && site->loop == loop + 1;
}

/* The innermost loop around both in which the work-group waits at a barrier in each iteration, so that its
 * work-items iterate equally often; loop_count: none. */
static uint32_t common_loop(const struct code *code, const struct site *a, const struct site *b)
{
    uint32_t best = code->loop_count;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const uint32_t loop = code->sites[i].loop - 1;
        if (!code->sites[i].loop || !is_barrier_of_iterations(&code->sites[i], loop) ||
            !loop_holds(&code->loops[loop], a) || !loop_holds(&code->loops[loop], b))
            continue;
        if (best == code->loop_count || code->loops[loop].low > code->loops[best].low)
            best = loop;
    }
    return best;
}

static bool waits_after(const struct code *code, uint32_t loop, uint32_t rank)
{
    for (uint32_t i = 1; i < code->site_count; i++)
        if (is_barrier_of_iterations(&code->sites[i], loop) && code->sites[i].rank > rank)
            return true;
    return false;
}

/* The loop directly inside of `outer` that contains the site but not `other`; NULL: none. */
static const struct code_loop *inner_loop(const struct code *code, uint32_t outer, const struct site *site,
                                          const struct site *other)
{
    const struct code_loop *inner = site->loop ? &code->loops[site->loop - 1] : NULL;
    while (inner && inner->parent != outer + 1)
        inner = inner->parent ? &code->loops[inner->parent - 1] : NULL;
    return inner && !loop_holds(inner, other) ? inner : NULL;
}

/* A place before an inner loop whose head every iteration of the outer loop reaches. */
static bool place_before_inner_loop(const struct launch *launch, uint32_t outer, const struct site *from,
                                    const struct site *to, struct code_place *place)
{
    const struct code *code = launch->code;
    const struct code_loop *inner = inner_loop(code, outer, to, from);
    const bool same_function =
        from->call == to->call && from->file == to->file && from->line && from->rank < to->rank;
    const uint32_t line = same_function && inner && dominates(code, inner->head, code->loops[outer].tail)
                              ? loop_line(launch, from, to)
                              : 0;
    if (!line || line <= statement_end(launch, from))
        return false;
    place->site = site_number(code, to);
    place->line = line;
    place->before = true;
    return true;
}

bool launch_in_iteration(const struct launch *launch, uint32_t a, uint32_t b, uint32_t since_site,
                         struct code_place *out_place)
{
    static const struct site before_all = {.rank = 0};
    const struct code *code = launch->code;
    const struct site *sides[2] = {launch_site(launch, a), launch_site(launch, b)},
                      *since = launch_site(launch, since_site), *found = NULL;
    const uint32_t loop = code ? common_loop(code, sides[0], sides[1]) : 0;
    if (!code || loop == code->loop_count)
        return false;
    const uint32_t ranks = code->loops[loop].high;
    if (!loop_holds(&code->loops[loop], since)) { /* in the first iteration, whose barrier comes later */
        if (!waits_after(code, loop, sides[0]->rank > sides[1]->rank ? sides[0]->rank : sides[1]->rank))
            return false;
        since = &before_all;
    } else if (!is_barrier_of_iterations(since, loop)) {
        return false;
    }
    const uint64_t iterations[2] = {rank_since(sides[0], since, ranks), rank_since(sides[1], since, ranks)};
    const int first = iterations[0] < iterations[1] ? 0 : 1;
    *out_place = (struct code_place){.first = first};
    if (place_before_inner_loop(launch, loop, sides[first], sides[!first], out_place))
        return true;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const uint64_t rank = rank_since(site, since, ranks);
        const bool between = rank > iterations[first] && rank <= iterations[!first];
        struct code_place place = {.site = i, .before = true, .first = first};
        if (!between || !site->each_iteration || site->loop != loop + 1)
            continue;
        if ((found && rank <= rank_since(found, since, ranks)) || same_line(site, sides[first]))
            continue;
        if (!opens_line(code, site) || !fits_in_iteration(launch, site, &place))
            continue;
        if (site->rank > sides[first]->rank && !begins_after(code, site, place.line, sides[first]))
            continue;
        found = site;
        *out_place = place;
    }
    return found;
}
