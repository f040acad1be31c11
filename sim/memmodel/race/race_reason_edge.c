/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A release and an acquire that read its value, or a store that was read, would order the two accesses were
 * it not for one fault, which order_explain() names: a scope, a region of memory, a missing acquire or a
 * missing release (OpenCL 2.2 API, 3.3.5 and 3.3.6).
 */
#include <string.h>

#include "race_reason.h"
#include "sim/base/memory_words.h"

static uint64_t releasing_group(const struct racing_pair *pair, const struct missed_edge *edge)
{
    return order_unit_group(pair->order, edge->release_unit);
}

static void say_scope(struct race_reason *reason, const struct racing_pair *pair,
                      const struct missed_edge *edge)
{
    const struct races *races = pair->races;
    const uint64_t from = releasing_group(pair, edge), to = pair->unit_state->place.group;
    const enum memory_scope releases = edge->release_scope,
                            acquires = order_scope(races->order, edge->acquire_scope, edge->local,
                                                   edge->svm_atomics);
    const bool differ_only = releases != acquires && from == to;
    struct wording *why = &reason->why;
    wording_add(why, "the release at %s has %s", AT(races->host, edge->release_site),
                SCOPE(race_scope(races, edge->release_site, releases), releases));
    if (!differ_only && releases == SCOPE_WORK_ITEM)
        wording_add(why, ": it reaches no other work-item");
    else if (!differ_only && releases <= SCOPE_WORK_GROUP)
        wording_add(why, ": it reaches %s%s only", releases == SCOPE_SUB_GROUP ? "its sub-group of " : "",
                    WORK_GROUP(races->launch, from));
    wording_add(why, ", and the acquire at %s that read its value ", AT(races->host, edge->acquire_site));
    if (!differ_only && releases <= SCOPE_WORK_GROUP && from != to)
        wording_add(why, "is in %s", WORK_GROUP(races->launch, to));
    else
        wording_add(why, "has %s%s", SCOPE(edge->acquire_scope, acquires),
                    releases != acquires ? ": before OpenCL 3.1 the two must be the same" : "");
    wording_add(&reason->fix, "%s at %s and %s",
                memory_scope_word(from == to ? SCOPE_WORK_GROUP : SCOPE_DEVICE),
                AT(races->host, edge->release_site), AT(races->host, edge->acquire_site));
}

static void say_region(struct race_reason *reason, const struct racing_pair *pair,
                       const struct missed_edge *edge)
{
    const struct checker_host *host = pair->host;
    wording_add(&reason->why,
                "the release at %s and the acquire at %s meet at a flag in %s memory; the data is %s, and "
                "only fences with both flags on both sides order one region by the other (seq_cst alone does "
                "not)",
                AT(host, edge->release_site), AT(host, edge->acquire_site), edge->local ? "local" : "global",
                pair->space_word);
    wording_add(&reason->fix,
                "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, ...) on both sides, or a "
                "flag in %s memory",
                pair->space_word);
}

static void say_acquire(struct race_reason *reason, const struct racing_pair *pair,
                        const struct missed_edge *edge)
{
    wording_add(&reason->why,
                "the reader took the value released at %s with a relaxed operation, and no acquire fence "
                "followed",
                AT(pair->host, edge->release_site));
    wording_add(&reason->fix,
                "memory_order_acquire for the atomic that reads the flag, or an acquire fence after it");
}

static bool is_plain(const struct races *races, uint32_t site)
{
    return strncmp(races->host->what(races->host->self, site), "atomic ", strlen("atomic ")) != 0;
}

/* The latest logged atomic operation of an instruction; NULL: none. */
static const struct sync_op *atomic_at(const struct races *races, uint32_t site)
{
    const struct sync_log *sync_log = races->order->sync_log;
    for (uint32_t i = sync_log->count; i-- > 0;)
        if (sync_log->items[i].kind == SYNC_OP_ATOMIC && sync_log->items[i].site == site)
            return &sync_log->items[i];
    return NULL;
}

/* Adds to the fix of the release what the load needs. An order or a scope that it has is left out. */
static void fix_load(struct race_reason *reason, const struct races *races, const struct missed_edge *edge,
                     enum memory_scope scope)
{
    const struct sync_op *load = atomic_at(races, edge->acquire_site);
    const bool acquires = load && (load->order == ORDER_ACQUIRE || load->order >= ORDER_ACQ_REL);
    if (!acquires || edge->acquire_scope != scope)
        wording_add(&reason->fix, ", and %s%s at %s", acquires ? "" : "memory_order_acquire, ",
                    memory_scope_word(scope), AT(races->host, edge->acquire_site));
}

static void say_release(struct race_reason *reason, const struct racing_pair *pair,
                        const struct missed_edge *edge)
{
    const struct checker_host *host = pair->host;
    const bool plain = is_plain(pair->races, edge->release_site),
               other_region = edge->local != (pair->space == IN_LOCAL);
    const enum memory_scope least =
        releasing_group(pair, edge) == pair->unit_state->place.group ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    /* no less than the load's scope: the load may need it for other stores */
    const enum memory_scope wanted = edge->acquire_scope > least ? edge->acquire_scope : least;
    const char *scope = memory_scope_word(wanted);
    wording_add(&reason->why, "the store at %s%s", AT(host, edge->release_site),
                plain ? " is plain: it races with the atomic that read it, and releases nothing"
                      : " is relaxed: what was written before it does not become visible with it");
    if (!other_region) {
        wording_add(&reason->fix, "%smemory_order_release, %s at %s",
                    plain ? "atomic_store_explicit with " : "", scope, AT(host, edge->release_site));
        fix_load(reason, pair->races, edge, wanted);
        return;
    }
    wording_add(&reason->why,
                "; it is in %s memory, the data is %s, so that only fences with both flags on both sides "
                "would do",
                edge->local ? "local" : "global", pair->space_word);
    wording_add(
        &reason->fix,
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_release, "
        "%s) before %s, and the same with memory_order_acquire after %s, with %s for both atomics, or "
        "a flag in %s memory",
        scope, AT(host, edge->release_site), AT(host, edge->acquire_site), scope, pair->space_word);
}

/* Fences and atomics order no images (R34). An atomic store that races itself lacks no release. */
static bool is_missed(const struct racing_pair *pair, struct missed_edge *out_edge)
{
    const struct access_context *first = pair->first;
    if (pair->space == IN_IMAGE ||
        !order_explain(pair->order, pair->unit_state, pair->space, pair->race->unit, first->clock, out_edge))
        return false;
    const bool races_itself = first->kind > ACCESS_WRITE && out_edge->release_site == first->site;
    return out_edge->why != MISSED_RELEASE || !races_itself;
}

bool race_reason_edge(struct race_reason *reason, const struct racing_pair *pair)
{
    struct missed_edge edge;
    if (!is_missed(pair, &edge))
        return false;
    race_reason_blame(reason, edge.release_site);
    race_reason_blame(reason, edge.acquire_site);
    switch (edge.why) {
    case MISSED_SCOPE: say_scope(reason, pair, &edge); break;
    case MISSED_REGION: say_region(reason, pair, &edge); break;
    case MISSED_ACQUIRE: say_acquire(reason, pair, &edge); break;
    default: say_release(reason, pair, &edge); break;
    }
    return true;
}
