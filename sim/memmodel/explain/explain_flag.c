/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Races that follow from a race on a flag: one work-item writes data and then the flag, another reads the
 * flag and then uses the data, and the flag's accesses are plain. Each flag that was read in the launch is
 * tried, the latest first: are the accesses of the data ordered if those of the flag are a release and an
 * acquire?
 */
#include "explain_state.h"
#include "sim/base/memory_words.h"

static enum memory_scope wider_scope(enum memory_scope a, enum memory_scope b)
{
    return a > b ? a : b;
}

/* The scope that the flag needs: all work-groups execute the same statements, and an atomic end keeps its
 * scope if that is wider. */
static enum memory_scope scope_of(const struct question *question, const struct flag_read *flag_read)
{
    enum memory_scope scope = launch_scope(question, flag_read->region);
    scope = flag_read->store.atomic ? wider_scope(scope, flag_read->store.scope) : scope;
    return flag_read->load.atomic ? wider_scope(scope, flag_read->load.scope) : scope;
}

/* Was a flag of the same two places tried? */
static bool was_tried(const struct flag_reads *flag_reads, uint32_t index, const struct flag *flag)
{
    for (uint32_t i = 0; i < index; i++)
        if (is_read_of_flag(flag_read_at(flag_reads, i), flag))
            return true;
    return false;
}

static bool is_own_race(const struct question *question, const struct flag *flag)
{
    const uint32_t a = question->instances->first.site, b = question->instances->second.site;
    return (a == flag->store && b == flag->load) || (b == flag->store && a == flag->load);
}

static void say_why(const struct question *question, const struct flag_read *flag_read, struct wording *why)
{
    wording_add(why, "the %s at %s read what the store at %s%s",
                flag_read->load.writes ? "read-modify-write" : "load",
                AT(question->host, flag_read->load.site), AT(question->host, flag_read->store.site),
                !flag_read->store.atomic && !flag_read->load.atomic
                    ? " wrote, and both are plain: they race, and order nothing else"
                : flag_read->load.atomic ? " wrote, which is plain: it races, and releases nothing"
                                         : " wrote, but it is plain: it races, and acquires nothing");
}

static void say_end(const struct question *question, int region, const struct racing_access *end,
                    const char *function, enum memory_ordering order, enum memory_scope scope,
                    struct wording *fix)
{
    wording_add(fix, "%s%s%s%s, %s at %s", fix->used ? ", and " : "", end->atomic ? "" : function,
                end->atomic ? "" : " with ", memory_order_word(order), memory_scope_word(scope),
                AT(question->host, end->site));
    if (end->atomic)
        wording_call(fix, end->site, false, 0, (int)order, NOT_GIVEN, (int)scope);
    else if (!end->writes || strcmp(function, "atomic_store_explicit") == 0)
        wording_access_change(fix, end->site, end->writes, region == IN_LOCAL, order, scope);
    else
        fix->partial = true;
}

static void say_fix(const struct question *question, const struct flag_read *flag_read,
                    enum memory_scope scope, struct wording *fix)
{
    const char *update = NULL;
    explain_updates(question, flag_read->store.site, &update);
    if (!flag_read->store.atomic || !has_order(flag_read->order[0], true) || flag_read->store.scope != scope)
        say_end(question, flag_read->region, &flag_read->store,
                update ? update : explain_store_function(question, flag_read->load.site),
                flag_read->order[0] == ORDER_ACQUIRE ? ORDER_ACQ_REL : ORDER_RELEASE, scope, fix);
    if (!flag_read->load.atomic || !has_order(flag_read->order[1], false) || flag_read->load.scope != scope)
        say_end(question, flag_read->region, &flag_read->load, "atomic_load_explicit",
                flag_read->order[1] == ORDER_RELEASE ? ORDER_ACQ_REL : ORDER_ACQUIRE, scope, fix);
}

bool explain_flag(const struct question *question, struct proposal *out_proposal)
{
    enum { TRIES_MOST = 8 };
    const struct flag_reads *flag_reads = question->flag_reads;
    uint32_t tries = 0;
    for (uint32_t i = 0; i < flag_reads->count && tries < TRIES_MOST; i++) {
        const struct flag_read *flag_read = flag_read_at(flag_reads, i);
        const struct flag flag = {flag_read->store.site, flag_read->load.site, flag_read->region,
                                  scope_of(question, flag_read)};
        if (is_own_race(question, &flag) || was_tried(flag_reads, i, &flag) ||
            explain_updates(question, flag.store, NULL) || explain_updates(question, flag.load, NULL))
            continue;
        tries++;
        if (!explain_flag_orders(question, &flag))
            continue;
        out_proposal->suggested = (struct suggested_fix){.kind = FIX_FLAG, .flag = flag};
        say_why(question, flag_read, &out_proposal->why);
        say_fix(question, flag_read, flag.scope, &out_proposal->fix);
        return true;
    }
    return false;
}

/* Does a loop wait for the value, and not to take a lock? */
static bool waits_for(const struct question *question, const struct racing_access *load)
{
    for (uint32_t i = 0; question->locks && i < question->locks->count; i++)
        if (question->locks->items[i].load == load->site && !question->locks->items[i].flags)
            return false;
    return ASK(question, waits, load->site);
}

/* The race on a flag itself. False: its load is not one that a loop waits with. */
static bool own_flag(const struct question *question, struct flag_read *out_flag)
{
    const struct racing_access *first = &question->instances->first, *second = &question->instances->second;
    *out_flag = (struct flag_read){.store = first->writes ? *first : *second,
                                   .load = first->writes ? *second : *first,
                                   .region = question->region,
                                   .order = {ORDER_RELAXED, ORDER_RELAXED}};
    const bool plain = !first->atomic && !second->atomic, words = first->size == 4 && second->size == 4;
    if (first->writes == second->writes || !plain || !words)
        return false;
    return !explain_is_update(question) && waits_for(question, &out_flag->load);
}

/* Does the code write the data, then the flag, and elsewhere wait for the flag, then use the data? */
static bool hands_over(const struct question *question, const struct flag_read *flag_read)
{
    const struct racing_access *first = &question->instances->first, *second = &question->instances->second;
    const struct racing_access *store = &flag_read->store, *load = &flag_read->load;
    struct code_order order;
    const bool same_units = store->unit == first->unit && load->unit == second->unit;
    if (!same_units || store->atomic || load->atomic || !waits_for(question, load))
        return false;
    return ASK(question, order, first->site, store->site, &order) && order.first == 0 &&
           ASK(question, spins_on, load->site, second->site);
}

bool explain_flag_advice(const struct question *question, struct proposal *out_proposal)
{
    struct flag_read flag_read;
    bool found = question->region != IN_IMAGE && own_flag(question, &flag_read);
    for (uint32_t i = 0; i < question->flag_reads->count && !found; i++) {
        flag_read = *flag_read_at(question->flag_reads, i);
        found = hands_over(question, &flag_read);
    }
    const char *function = "";
    if (!found || (explain_updates(question, flag_read.store.site, &function) && !function) ||
        explain_updates(question, flag_read.load.site, NULL))
        return false;
    say_fix(question, &flag_read, scope_of(question, &flag_read), &out_proposal->fix);
    return true;
}

bool explain_flag_covers(const struct question *question, const struct flag *flag)
{
    return question->flag_reads->lost || question->sync_log->full ||
           explain_flag_orders(question, flag) == question->instance_count;
}
