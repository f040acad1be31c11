/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two instructions is first, and where a barrier or fence between them fits. Instructions have
 * ranks in layout order. Lemma: loops are contiguous in that order, so outside of common loops layout
 * order is execution order. */

#include "launch_places.h"

bool launch_is_level(const struct code *code, const struct site *site)
{
    return site->rank && (site->always || code->ways[site->block].level);
}

bool launch_dominates(const struct code *code, uint32_t block, uint32_t other)
{
    while (other != NO_WAY && other != block)
        other = code->ways[other].idom;
    return other == block;
}

bool launch_post_dominates(const struct code *code, uint32_t block, uint32_t other)
{
    for (uint32_t steps = 0; other != NO_WAY && other != block && steps < code->block_count; steps++)
        other = code->ways[other].ipdom;
    return other == block;
}

/* ... and every work-item that reaches `from` or `to` reaches the site. */
static bool is_passed_by_all(const struct code *code, const struct site *site, const struct site *from,
                             const struct site *to)
{
    return launch_is_level(code, site) && (site->always || launch_dominates(code, site->block, to->block) ||
                                           launch_post_dominates(code, site->block, from->block));
}

/* Do all work-items of a work-group reach each instruction of the site's line once? The line may be several
 * instructions, or be inlined several times. */
static bool is_level_line(const struct code *code, const struct site *site)
{
    if (!site->rank || !site->line)
        return false;
    for (uint32_t i = 1; i < code->site_count; i++)
        if (code->sites[i].rank && launch_same_line(&code->sites[i], site) &&
            !launch_is_level(code, &code->sites[i]))
            return false;
    return true;
}

bool launch_opens_line(const struct code *code, const struct site *site)
{
    uint32_t last = site->rank;
    if (!site->rank || !site->line)
        return false;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *other = &code->sites[i];
        if (!other->rank || !launch_same_line(other, site))
            continue;
        if (other->rank < site->rank)
            return false;
        last = other->rank > last ? other->rank : last;
    }
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *other = &code->sites[i];
        if (other->rank > site->rank && other->rank < last && other->line && !launch_same_line(other, site))
            return false;
    }
    return true;
}

bool launch_branches_before(const struct code *code, const struct site *from, uint32_t rank)
{
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        if (site->rank > from->rank && site->rank < rank && launch_same_line(site, from) &&
            site->act == ACT_BRANCH)
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
    const bool between = site->rank > from->rank && site->rank <= to->rank && !launch_same_line(site, from);
    if (!between || !is_passed_by_all(code, site, from, to))
        return false;
    if (!is_level_line(code, site) && !launch_opens_line(code, site))
        return false;
    *out_line = launch_statement_line(launch, site);
    return *out_line && launch_begins_after(code, site, *out_line, from);
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
    struct launch_position position;
    if (!is_level_line(code, from) || launch_may_return(launch, from, to))
        return false;
    *place = (struct code_place){.site = launch_site_number(code, from),
                                 .line = from->line,
                                 .first = place->first,
                                 .branches = launch_branches_before(code, from, to->rank)};
    if (place->branches)
        return true;
    place->line = launch_line_after(launch, from);
    return place->line && !(launch_position_in_call(code, to, from->call, &position) &&
                            position.file == from->file && position.line <= place->line);
}

bool launch_loop_holds(const struct code_loop *loop, const struct site *site)
{
    return site->rank && loop->low <= site->rank && site->rank <= loop->high;
}

/* Does a loop contain `to` but not `from`? */
static bool begins_loop(const struct code *code, const struct site *from, const struct site *to)
{
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (launch_loop_holds(&code->loops[i], to) && !launch_loop_holds(&code->loops[i], from))
            return true;
    return false;
}

uint32_t launch_loop_line(const struct launch *launch, uint32_t from_line, const struct site *to)
{
    uint32_t found = 0, depth = UINT32_MAX;
    for (uint32_t line = to->line; line > from_line; line--) {
        const struct source_line at = launch_line_at(launch, to, line);
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
    return before != NO_WAY && launch_post_dominates(code, head, before) ? head : NO_WAY;
}

/* A place before a loop if every work-item reaches the loop's head, but all of them execute no single
 * instruction before it. */
static bool place_before_loop(const struct launch *launch, const struct site *from, const struct site *to,
                              struct code_place *place)
{
    const struct code *code = launch->code;
    struct launch_position position; /* of `from`, or of the call that it is in, in the function of `to` */
    const bool same_function = launch_position_in_call(code, from, to->call, &position) &&
                               position.file == to->file && position.line && begins_loop(code, from, to);
    const uint32_t head = same_function ? level_head(code, to) : NO_WAY,
                   line = head == NO_WAY ? 0 : launch_loop_line(launch, position.line, to);
    if (!line || launch_dominates(code, head, from->block) ||
        line <= launch_statement_end_of(launch, to, position.line))
        return false;
    place->site = launch_site_number(code, to);
    place->line = line;
    place->before = true;
    return true;
}

/* Does every work-item of a work-group reach some block between the two, which leads to `to`: once, or in
 * each iteration of the loop? */
static bool is_level_between(const struct code *code, const struct code_loop *loop, const struct site *from,
                             const struct site *to)
{
    uint32_t block = to->block;
    while (block != NO_WAY && !(loop ? launch_dominates(code, block, loop->tail) : code->ways[block].level))
        block = code->ways[block].idom;
    return block != NO_WAY && (block == from->block || !launch_dominates(code, block, from->block));
}

/* Is every work-item that executes the line before in the block of the later line, or in a block inside of
 * it, from which nothing jumps? */
static bool leads_to_line(const struct launch *launch, const struct site *site, uint32_t before,
                          uint32_t line)
{
    const uint32_t depth = launch_line_at(launch, site, line).depth;
    bool leads = launch_line_at(launch, site, line).kind == LINE_BETWEEN;
    for (uint32_t i = before; i < line && leads; i++) {
        const struct source_line at = launch_line_at(launch, site, i);
        leads = !at.leaves && (i == before || at.depth > depth || (at.depth == depth && !at.closes));
    }
    return leads;
}

/* Two calls of one function have no other instruction between them. */
bool launch_before_call(const struct launch *launch, const struct code_loop *loop, const struct site *from,
                        const struct site *to, struct code_place *place)
{
    const struct code *code = launch->code;
    struct launch_position position; /* of `from` or of the call for it, in the kernel */
    uint32_t call = to->call;
    if (launch_position_in_call(code, from, call, &position))
        return false;
    while (!launch_position_in_call(code, from, code->calls[call].caller, &position))
        call = code->calls[call].caller;
    const uint32_t caller = code->calls[call].caller; /* the kernel, or what the entry point calls */
    const bool calls = (!caller || !code->calls[caller].line) && position.line &&
                       position.file == code->calls[call].file && to->file == code->calls[call].file;
    const uint32_t line = calls ? launch_statement_line_of(launch, to, code->calls[call].line) : 0;
    if (!line || position.line >= line || !leads_to_line(launch, to, position.line, line) ||
        !is_level_between(code, loop, from, to))
        return false;
    place->site = launch_site_number(code, to);
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
    if (!known || from == to || (launch_same_line(from, to) && from->call == to->call))
        return false;
    return launch_before_call(launch, NULL, from, to, out_place) ||
           (!launch_same_line(from, to) &&
            (place_before(launch, from, to, out_place) || place_after(launch, from, to, out_place) ||
             place_before_loop(launch, from, to, out_place)));
}

bool launch_order(const struct launch *launch, uint32_t a, uint32_t b, struct code_order *out_order)
{
    const struct code *code = launch->code;
    const struct site *from = launch_site(launch, a), *to = launch_site(launch, b);
    const int first = from->rank < to->rank ? 0 : 1;
    if (!code || !from->rank || !to->rank)
        return false;
    const bool parted = launch_is_level(code, from) || launch_is_level(code, to) || from->stage != to->stage;
    const struct site *statement = first == 0 ? launch_one_statement_site(launch, from, to)
                                              : launch_one_statement_site(launch, to, from);
    *out_order = (struct code_order){.first = first,
                                     .entwined = statement,
                                     .parted = parted,
                                     .statement = statement ? launch_site_number(code, statement) : 0,
                                     .branched = !parted && from->stage && !from->loop && !to->loop};
    return true;
}

/* ---- beside an atomic ----------------------------------------------------------- */

/* Does execution reach `other` only in the loop's next iteration, and is the loop's head on another line? */
static bool follows_in_next_iteration(const struct launch *launch, const struct site *site, uint32_t line,
                                      const struct site *other)
{
    struct launch_position position;
    return other->rank > site->rank && launch_position_in_call(launch->code, other, site->call, &position) &&
           position.line > launch_statement_end(launch, site) && !launch_line_at(launch, site, line).loops;
}

/* A place before the site's statement that is after `other`. */
static bool fence_before(const struct launch *launch, const struct site *site, const struct site *other,
                         struct fence_place *out_place)
{
    uint32_t line = site->line;
    struct source_line at = launch_line_at(launch, site, line);
    while ((at.kind == LINE_WITHIN || at.kind == LINE_BODY) && at.begins) {
        line = at.begins;
        at = launch_line_at(launch, site, line);
    }
    const bool body = at.kind == LINE_BODY && !at.otherwise;
    *out_place = (struct fence_place){FENCE_BEFORE, launch_site_number(launch->code, site), line, body};
    const bool fits = body || at.kind == LINE_UNKNOWN || (at.kind == LINE_BETWEEN && !at.closes);
    return fits && (launch_begins_after(launch->code, site, line, other) ||
                    follows_in_next_iteration(launch, site, line, other));
}

/* A place after the site's statement, if `other` is not executed before that. */
static bool fence_after(const struct launch *launch, const struct site *site, const struct site *other,
                        struct fence_place *out_place)
{
    const uint32_t line = launch_line_after(launch, site);
    struct launch_position position;
    const bool within = launch_position_in_call(launch->code, other, site->call, &position) &&
                        position.file == site->file && position.line >= site->line && position.line <= line;
    *out_place = (struct fence_place){FENCE_AFTER, launch_site_number(launch->code, site), line, false};
    /* `} else if` begins in one block and ends in another */
    return line && !within && !launch_line_at(launch, site, site->line).closes;
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
    if (past && launch_spins_on(launch, operation, access) && !launch_same_line(site, other)) {
        *out_place = (struct fence_place){FENCE_LOOP, operation, site->line, false};
        return true;
    }
    *out_place = (struct fence_place){FENCE_BETWEEN, operation, site->line, false};
    if (launch_same_line(site, other) ? past ? fence_between(site, other) : fence_between(other, site)
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
