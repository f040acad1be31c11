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
    const struct checker_host *host = question->host;
    struct source_place place[2];
    host->place(host->self, first, &place[0]);
    host->place(host->self, second, &place[1]);
    wording_add(fix, " between the two %s of %s",
                accesses_statement_ends(&place[0], &place[1]) ? "statements" : "accesses", AT(host, first));
}

/* Records the change that puts the statement at the place. */
void explain_put_at(const struct code_place *place, const char *statement, struct wording *fix)
{
    const struct fence_place at = {.side = place->before ? FENCE_BEFORE : FENCE_AFTER,
                                   .site = place->site,
                                   .line = place->line,
                                   .braces = place->braces};
    wording_statement(fix, statement, &at);
}

static uint32_t access_beside(const struct question *question, bool past)
{
    return past ? question->instances->second.site : question->instances->first.site;
}

bool explain_has_fence_place(const struct question *question, uint32_t site, bool past)
{
    const struct checker_host *host = question->host;
    struct fence_place place;
    return !host->beside || !host->beside(host->self, site, access_beside(question, past), past, &place) ||
           place.side != FENCE_NOWHERE;
}

void explain_say_beside(const struct question *question, uint32_t site, bool past, struct wording *fix)
{
    static const char *const sides[] = {
        [FENCE_BEFORE] = " before ", [FENCE_AFTER] = " after ", [FENCE_LOOP] = " after the loop of "};
    const struct checker_host *host = question->host;
    const uint32_t access = access_beside(question, past);
    struct fence_place place;
    if (!host->beside || !host->beside(host->self, site, access, past, &place) ||
        place.side == FENCE_NOWHERE) {
        wording_add(fix, "%s%s", past ? " after " : " before ", AT(host, site));
    } else if (place.side == FENCE_BETWEEN) {
        say_between(question, past ? site : access, past ? access : site, fix);
    } else {
        wording_add(fix, "%s%s%s", sides[place.side], AT_LINE(host, place.site, place.line),
                    place.braces ? ", which needs braces" : "");
    }
}

void explain_say_statement_beside(const struct question *question, uint32_t site, bool past,
                                  const char *statement, struct wording *fix)
{
    const struct checker_host *host = question->host;
    const uint32_t access = access_beside(question, past);
    struct fence_place place;
    struct code_change change = {.kind = CHANGE_STATEMENT, .site = site};
    wording_add(fix, "%s", statement);
    explain_say_beside(question, site, past, fix);
    if (!host->beside || !host->beside(host->self, site, access, past, &place) ||
        place.side == FENCE_NOWHERE || strlen(statement) >= sizeof change.text) {
        fix->partial = true;
        return;
    }
    strcpy(change.text, statement);
    change.place = place;
    if (place.side == FENCE_BETWEEN) {
        change.other = past ? access : site; /* the later one in the code */
        change.place.site = site;
    }
    if (place.side == FENCE_LOOP)
        change.place.site = 0;
    wording_change(fix, &change);
}
