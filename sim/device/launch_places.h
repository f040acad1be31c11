/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Facts about the code and the source of a launch, shared by the files that look for places for a
 *          fix (launch_between.c, launch_iterations.c, launch_changes.c). Their answers are in launch.h.
 */
#ifndef ORRERY_SIM_DEVICE_LAUNCH_PLACES_H
#define ORRERY_SIM_DEVICE_LAUNCH_PLACES_H

#include "device_program.h"
#include "launch.h"
#include "sim/memmodel/checker.h"

/* A line of the source. */
struct launch_position {
    uint32_t file, line;
};

/* ---- launch_places.c ---- */

bool launch_same_line(const struct site *a, const struct site *b);
/* The position in the function of `call` when execution is at the site: the site itself, or the call that
 * leads to it. False: the function does not contain the site. */
bool launch_position_in_call(const struct code *code, const struct site *site, uint32_t call,
                             struct launch_position *out_position);
uint32_t launch_site_number(const struct code *code, const struct site *site);
struct source_line launch_line_at(const struct launch *launch, const struct site *site, uint32_t line);
/* The line before which a barrier is before the site's whole statement; 0: none. */
uint32_t launch_statement_line(const struct launch *launch, const struct site *site);
/* Likewise of the statement at another line of the site's file. */
uint32_t launch_statement_line_of(const struct launch *launch, const struct site *site, uint32_t line);
/* The last line of the site's statement: another statement begins on the next line. 0: unknown. */
uint32_t launch_statement_end(const struct launch *launch, const struct site *site);
/* Likewise of the statement at another line of the site's function. */
uint32_t launch_statement_end_of(const struct launch *launch, const struct site *site, uint32_t line);
/* launch_statement_end, if every work-item that reaches the site reaches that line: nothing up to there
 * jumps. 0: not so. */
uint32_t launch_line_after(const struct launch *launch, const struct site *site);
/* If the source is unknown, the statement of a read may be a return. */
bool launch_may_return(const struct launch *launch, const struct site *site, const struct site *later);
/* Does the statement that begins at `line` come after a site that is executed before it? */
bool launch_begins_after(const struct code *code, const struct site *site, uint32_t line,
                         const struct site *first);
/* The site in whose function both accesses are in one statement; NULL: they are in different statements. */
const struct site *launch_one_statement_site(const struct launch *launch, const struct site *first,
                                             const struct site *later);

/* ---- launch_between.c ---- */

/* Either all work-items of a work-group reach the site once, or none does. */
bool launch_is_level(const struct code *code, const struct site *site);
bool launch_dominates(const struct code *code, uint32_t block, uint32_t other);
bool launch_post_dominates(const struct code *code, uint32_t block, uint32_t other);
/* Is the site the first of its line, and is no other line executed before the line ends? Functions that are
 * inlined twice and heads of loops have other lines in between. */
bool launch_opens_line(const struct code *code, const struct site *site);
/* Does the line of `from` have a branch before the rank? */
bool launch_branches_before(const struct code *code, const struct site *from, uint32_t rank);
bool launch_loop_holds(const struct code_loop *loop, const struct site *site);
/* The place before the kernel's call that executes `to`, after `from` or the call for it. loop: in each of
 * its iterations. */
bool launch_before_call(const struct launch *launch, const struct code_loop *loop, const struct site *from,
                        const struct site *to, struct code_place *place);
/* The line of the outermost loop that begins after the line of `from` and contains `to`; 0: none. */
uint32_t launch_loop_line(const struct launch *launch, uint32_t from_line, const struct site *to);

#endif
