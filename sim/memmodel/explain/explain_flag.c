/* SPDX-License-Identifier: Apache-2.0 */
/* Races that follow from one on a flag: a plain store that others wait for, or read, before they use the
 * memory that it announces. */
#include "explain_state.h"
#include "sim/base/memory_words.h"

static enum memory_scope wider(enum memory_scope a, enum memory_scope b)
{
    return a > b ? a : b;
}

/* Other groups execute the same statements, and an atomic end keeps what it has. */
static enum memory_scope scope_of(const struct question *question, const struct passing *passing)
{
    const uint64_t *count = question->launch->group_count;
    const bool one_group = passing->region == IN_LOCAL || count[0] * count[1] * count[2] == 1;
    enum memory_scope scope = one_group ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    scope = passing->store.atomic ? wider(scope, passing->store.scope) : scope;
    return passing->load.atomic ? wider(scope, passing->load.scope) : scope;
}

static const struct passing *passing_at(const struct passings *passings, uint32_t index)
{
    return &passings->items[(passings->next + PASSINGS_MOST - 1 - index) % PASSINGS_MOST];
}

static bool is_flag_of(const struct flag *flag, const struct passing *passing)
{
    return flag->store == passing->store.site && flag->load == passing->load.site &&
           flag->region == passing->region;
}

/* An earlier one, which is a later index, was of the same two places. */
static bool was_tried(const struct passings *passings, uint32_t index, const struct flag *flag)
{
    for (uint32_t i = 0; i < index; i++) {
        if (is_flag_of(flag, passing_at(passings, i)))
            return true;
    }
    return false;
}

static bool is_own_race(const struct question *question, const struct flag *flag)
{
    const uint32_t a = question->meetings->first.site, b = question->meetings->second.site;
    return (a == flag->store && b == flag->load) || (b == flag->store && a == flag->load);
}

/* f++ is no store that might be an atomic one. */
static bool updates(const struct question *question, uint32_t site)
{
    static const char operators[][3] = {"++", "--", "+=", "-=", "*=", "|=", "&=", "^="};
    struct source_place place;
    question->host->place(question->host->self, site, &place);
    for (size_t i = 0; place.text && place.column && strlen(place.text) >= place.column &&
                       i < sizeof operators / sizeof operators[0];
         i++) {
        if (strncmp(place.text + place.column - 1, operators[i], 2) == 0)
            return true;
    }
    return false;
}

static bool releases(const struct passing *passing)
{
    return passing->order[0] == ORDER_RELEASE || passing->order[0] >= ORDER_ACQ_REL;
}

static bool acquires(const struct passing *passing)
{
    return passing->order[1] == ORDER_ACQUIRE || passing->order[1] >= ORDER_ACQ_REL;
}

static void say_why(const struct question *question, const struct passing *passing, struct wording *why)
{
    wording_add(why, "the %s at ", passing->load.writes ? "read-modify-write" : "load");
    wording_place(why, question->host, passing->load.site);
    wording_add(why, " read what the store at ");
    wording_place(why, question->host, passing->store.site);
    wording_add(why, !passing->store.atomic && !passing->load.atomic
                         ? " wrote, and both are plain: they race, and order nothing else"
                     : passing->load.atomic ? " wrote, which is plain: it races, and releases nothing"
                                            : " wrote, but it is plain: it races, and acquires nothing");
}

static void say_end(const struct question *question, int region, const struct asked *end,
                    const char *function, enum memory_ordering order, enum memory_scope scope,
                    struct wording *fix)
{
    wording_add(fix, "%s%s%s%s, %s at ", fix->used ? ", and " : "", end->atomic ? "" : function,
                end->atomic ? "" : " with ", memory_order_word(order), memory_scope_word(scope));
    wording_place(fix, question->host, end->site);
    const bool local = region == IN_LOCAL;
    if (end->atomic)
        wording_call(fix, end->site, 0, (int)order, NOT_GIVEN, (int)scope);
    else if (end->writes && strcmp(function, "atomic_store_explicit") == 0)
        wording_store(fix, end->site, local, order, scope);
    else if (!end->writes)
        wording_load(fix, end->site, local, order, scope);
    else
        fix->partial = true;
}

static void say_fix(const struct question *question, const struct passing *passing, enum memory_scope scope,
                    struct wording *fix)
{
    if (!passing->store.atomic || !releases(passing) || passing->store.scope != scope)
        say_end(question, passing->region, &passing->store, store_function(question, passing->load.site),
                passing->order[0] == ORDER_ACQUIRE ? ORDER_ACQ_REL : ORDER_RELEASE, scope, fix);
    if (!passing->load.atomic || !acquires(passing) || passing->load.scope != scope)
        say_end(question, passing->region, &passing->load, "atomic_load_explicit",
                passing->order[1] == ORDER_RELEASE ? ORDER_ACQ_REL : ORDER_ACQUIRE, scope, fix);
}

bool explain_flag(const struct question *question, const struct passings *passings, struct flag *out_flag,
                  struct wording *out_why, struct wording *out_fix)
{
    enum { TRIES_MOST = 8 };
    uint32_t tries = 0;
    *out_why = *out_fix = (struct wording){.used = 0};
    for (uint32_t i = 0; i < passings->count && tries < TRIES_MOST; i++) {
        const struct passing *passing = passing_at(passings, i);
        const struct flag flag = {passing->store.site, passing->load.site, passing->region,
                                  scope_of(question, passing)};
        if (is_own_race(question, &flag) || was_tried(passings, i, &flag) || updates(question, flag.store) ||
            updates(question, flag.load))
            continue;
        tries++;
        if (!passings_order(question, passings, &flag))
            continue;
        *out_flag = flag;
        say_why(question, passing, out_why);
        say_fix(question, passing, flag.scope, out_fix);
        return true;
    }
    return false;
}

bool explain_flag_covers(const struct question *question, const struct passings *passings,
                         const struct flag *flag)
{
    return passings->lost || question->sync_log->full || !question->meeting_count ||
           passings_order(question, passings, flag) == question->meeting_count;
}
