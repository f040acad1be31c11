/* SPDX-License-Identifier: Apache-2.0 */
/* Where a fix inserts something: the place in words, and as a change of the code. */
#include "explain_accesses.h"

void explain_say_at(const struct question *question, const struct code_place *place, struct wording *fix)
{
    wording_add(fix, "%s%s", place->before ? " before " : " after ",
                AT_LINE(question->host, place->site, place->line));
}

void explain_say_and_at(const struct question *question, const struct code_place *place, struct wording *fix)
{
    wording_add(fix, ", and");
    explain_say_at(question, place, fix);
}

static void say_between(const struct question *question, uint32_t first, uint32_t second, struct wording *fix)
{
    wording_add(fix, " between the two %s of %s",
                accesses_statement_ends(question, first, second) ? "statements" : "accesses",
                AT(question->host, first));
}

/* Records the change that puts the statement at the place. */
void explain_put_at(const struct code_place *place, const char *statement, struct wording *fix)
{
    const struct fence_place at = {.side = place->before ? FENCE_BEFORE : FENCE_AFTER,
                                   .site = place->site,
                                   .line = place->line,
                                   .braces = place->braces};
    wording_statement(fix, statement, &(struct code_change){.site = place->site, .place = at});
}

static uint32_t access_beside(const struct question *question, bool past)
{
    return past ? question->instances->second.site : question->instances->first.site;
}

static bool is_beside(const struct question *question, uint32_t site, bool past,
                      struct fence_place *out_place)
{
    return ASK(question, beside, site, access_beside(question, past), past, out_place);
}

bool explain_has_fence_place(const struct question *question, uint32_t site, bool past)
{
    struct fence_place place;
    return !is_beside(question, site, past, &place) || place.side != FENCE_NOWHERE;
}

void explain_say_statement_beside(const struct question *question, uint32_t site, bool past,
                                  const char *statement, struct wording *fix)
{
    static const char *const sides[] = {
        [FENCE_BEFORE] = " before ", [FENCE_AFTER] = " after ", [FENCE_LOOP] = " after the loop of "};
    const struct checker_host *host = question->host;
    const uint32_t access = access_beside(question, past), first = past ? site : access,
                   later = past ? access : site;
    struct fence_place place;
    wording_add(fix, "%s", statement);
    if (!is_beside(question, site, past, &place) || place.side == FENCE_NOWHERE) {
        wording_add(fix, "%s%s", past ? " after " : " before ", AT(host, site));
        fix->partial = true;
        return;
    }
    struct code_change change = {.site = site, .place = place};
    if (place.side == FENCE_BETWEEN) {
        say_between(question, first, later, fix);
        change.other = later;
        change.place.site = site;
    } else {
        wording_add(fix, "%s%s%s", sides[place.side], AT_LINE(host, place.site, place.line),
                    place.braces ? ", which needs braces" : "");
    }
    if (place.side == FENCE_LOOP)
        change.place.site = 0;
    wording_statement(fix, statement, &change);
}
