/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of a load and a store that are one update: the store is to the load's address, and its value, or its
 * execution, depends on the loaded value. x++ is one, and so is if (v > x) x = v.
 *
 * Addresses are the same if they are one value, or made alike of the same values: after numbering, those that
 * an optimiser could prove to be the same, and that differ for no work-item. Dependence is of values and of
 * the branches on the way; not through memory.
 *
 * Without dependence, next[me] = *head; *head = me; is an exchange: see is_exchange.
 *
 * Marks, too, what the addresses of accesses are computed from: not every index is a plain id.
 */
#include "ir.h"

enum { ADDRESS_DEPTH = 12, PAIRS_MOST = 2048, ADDRESSES_MOST = 8192, NEAR_RANKS = 32 };

struct updates {
    struct ir *ir;
    uint32_t *visited, now; /* values seen in the walk of that number */
    uint32_t *open;
};

/* The value depends on its three operands alone. */
static bool is_computed(const struct value *value)
{
    const bool has_origin = ir_families[value->op] == FAMILY_EFFECT || ir_families[value->op] == FAMILY_LEAF;
    return !has_origin && value->op != IR_phi && !value->list_count;
}

static bool same_value(struct ir *ir, uint32_t a, uint32_t b, uint32_t depth)
{
    const struct value *x = ir_value(ir, a), *y = ir_value(ir, b);
    if (a == b)
        return true;
    if (!a || !b || !depth)
        return false;
    if (!is_computed(x) || !is_computed(y))
        return false;
    if (x->op != y->op || x->type != y->type || x->imm != y->imm || x->offset != y->offset)
        return false;
    for (uint32_t k = 0; k < 3; k++)
        if (!same_value(ir, x->args[k], y->args[k], depth - 1))
            return false;
    return true;
}

static bool same_place(struct ir *ir, const struct value *load, const struct value *store)
{
    return load->storage == store->storage && load->size_log2 == store->size_log2 &&
           load->offset == store->offset && same_value(ir, load->args[0], store->args[0], ADDRESS_DEPTH);
}

static void reach(struct updates *updates, uint32_t v, uint32_t *count)
{
    if (!v || updates->visited[v] == updates->now)
        return;
    updates->visited[v] = updates->now;
    updates->open[(*count)++] = v;
}

static bool post_dominates(struct ir *ir, uint32_t b, uint32_t other)
{
    for (uint32_t steps = 0; other && other != b && steps < ir->blocks.count; steps++)
        other = ir_block(ir, other)->ipdom;
    return other == b;
}

static void reach_exits(struct updates *updates, const struct loop *loop, uint32_t *count)
{
    for (uint32_t i = 0; i < loop->blocks.count; i++) {
        const struct block *block = ir_block(updates->ir, loop->blocks.at[i]);
        for (uint32_t k = 0; block->succ_count > 1 && k < block->succ_count; k++)
            if (!loop->members[block->succs[k]])
                reach(updates, block->cond, count);
    }
}

/* The values that decide whether the block executes, and how often. */
static void reach_conditions(struct updates *updates, uint32_t b, uint32_t *count)
{
    struct ir *ir = updates->ir;
    for (uint32_t d = ir_block(ir, b)->idom, steps = 0; d && steps < ir->blocks.count;
         d = ir_block(ir, d)->idom, steps++)
        if (ir_block(ir, d)->succ_count > 1 && !post_dominates(ir, b, d))
            reach(updates, ir_block(ir, d)->cond, count);
    for (uint32_t l = ir_block(ir, b)->loop; l; l = ir->loops.at[l - 1].parent)
        reach_exits(updates, &ir->loops.at[l - 1], count);
}

static bool is_access(const struct value *value)
{
    switch ((enum ir_op)value->op) {
    case IR_load:
    case IR_store:
    case IR_copy:
    case IR_atomic:
    case IR_fence:
    case IR_barrier: return true;
    default: return false;
    }
}

/* Does something else access memory, or order it, before it in its block? */
static bool follows_another(struct ir *ir, uint32_t store)
{
    const struct block *block = ir_block(ir, ir_value(ir, store)->block);
    for (uint32_t i = 0; i < block->insts.count && block->insts.at[i] != store; i++)
        if (is_access(ir_value(ir, block->insts.at[i])))
            return true;
    return false;
}

/* The store that follows at once a loop which waited for the address: as a lock is taken, by what is no lock.
 */
static void reach_waited(struct updates *updates, uint32_t store, uint32_t *count)
{
    struct ir *ir = updates->ir;
    const uint32_t own = ir_value(ir, store)->block;
    uint32_t b = ir_block(ir, own)->idom;
    for (uint32_t steps = 0;
         steps < ir->blocks.count && b && ir_block(ir, b)->loop == ir_block(ir, own)->loop &&
         ir_block(ir, b)->succ_count == 1;
         steps++)
        b = ir_block(ir, b)->idom;
    const uint32_t loop = b ? ir_block(ir, b)->loop : 0;
    if (loop && !ir->loops.at[loop - 1].members[own] && !follows_another(ir, store))
        reach_exits(updates, &ir->loops.at[loop - 1], count);
}

/* Visits all that the stored value depends on and, if `decides`, what decides whether it is stored. */
static void walk(struct updates *updates, uint32_t store, bool decides)
{
    struct ir *ir = updates->ir;
    uint32_t count = 0;
    updates->now++;
    for (uint32_t k = 0; k < ir_value(ir, store)->list_count; k++)
        reach(updates, ir_value(ir, store)->list[k], &count);
    if (decides) {
        reach_conditions(updates, ir_value(ir, store)->block, &count);
        reach_waited(updates, store, &count);
    }
    while (count) {
        const uint32_t v = updates->open[--count];
        const struct value *value = ir_value(ir, v);
        if (ir_families[value->op] == FAMILY_EFFECT)
            continue;
        if (value->op == IR_phi && ir_block(ir, value->block)->idom)
            reach(updates, ir_block(ir, ir_block(ir, value->block)->idom)->cond, &count);
        IR_OPERANDS(ir, v, slot)
        {
            reach(updates, *slot, &count);
        }
    }
}

/* Has the block a barrier after the one value and before the other? Values of other blocks limit nothing. */
static bool waits_within(struct ir *ir, uint32_t b, uint32_t after, uint32_t before)
{
    const struct block *block = ir_block(ir, b);
    bool begun = ir_value(ir, after)->block != b;
    for (uint32_t i = 0; i < block->insts.count && block->insts.at[i] != before; i++) {
        begun |= block->insts.at[i] == after;
        if (begun && ir_value(ir, block->insts.at[i])->op == IR_barrier)
            return true;
    }
    return false;
}

/* Does the load precede the store on each way to it, with a barrier on each way between the two? */
static bool waits_between(struct ir *ir, uint32_t load, uint32_t store)
{
    const uint32_t from = ir_value(ir, load)->block;
    bool waits = false;
    for (uint32_t b = ir_value(ir, store)->block, steps = 0; b && steps < ir->blocks.count;
         b = ir_block(ir, b)->idom, steps++) {
        waits |= waits_within(ir, b, load, store);
        if (b == from)
            return waits;
    }
    return false;
}

static void pair(struct updates *updates, uint32_t load, uint32_t store)
{
    struct ir *ir = updates->ir;
    struct site *read = &ir->sites.at[ir_value(ir, load)->site],
                *write = &ir->sites.at[ir_value(ir, store)->site];
    if (updates->visited[load] != updates->now)
        return;
    read->update = read->update ? read->update : ir_value(ir, store)->site;
    write->update = write->update ? write->update : ir_value(ir, load)->site;
}

/* Pairs the store with loads that it depends on: with those that a barrier separates from it only if no
 * others are there, and its value depends on them. A condition before a barrier is another matter. */
static bool pair_store(struct updates *updates, uint32_t store, const uint32_t *loads, uint32_t load_count,
                       uint32_t *pairs)
{
    struct ir *ir = updates->ir;
    const struct value *write = ir_value(ir, store);
    bool same = false, separated = false;
    for (uint32_t l = 0; l < load_count && *pairs < PAIRS_MOST; l++) {
        if (!same_place(ir, ir_value(ir, loads[l]), write))
            continue;
        if (!same)
            walk(updates, store, true);
        same = true;
        if (waits_between(ir, loads[l], store))
            separated = true;
        else
            pair(updates, loads[l], store);
        ++*pairs;
    }
    if (!separated || ir->sites.at[write->site].update)
        return same;
    walk(updates, store, false);
    for (uint32_t l = 0; l < load_count; l++)
        if (same_place(ir, ir_value(ir, loads[l]), write))
            pair(updates, loads[l], store);
    return same;
}

static bool is_near(struct ir *ir, uint32_t load, uint32_t store)
{
    const uint32_t rank = ir->sites.at[ir_value(ir, load)->site].rank,
                   last = ir->sites.at[ir_value(ir, store)->site].rank;
    return rank < last && last - rank <= NEAR_RANKS;
}

/* Nearby, n = x; x++; is an update whose first read is the first one, too: the two are to see one value. */
static void pair_before(struct updates *updates, uint32_t load, uint32_t store)
{
    struct ir *ir = updates->ir;
    const struct value *value = ir_value(ir, load);
    struct site *read = &ir->sites.at[value->site], *write = &ir->sites.at[ir_value(ir, store)->site];
    if (read->update || !write->update || read->rank > ir->sites.at[write->update].rank)
        return;
    if (value->block != ir_value(ir, store)->block || waits_between(ir, load, store))
        return;
    read->update = ir_value(ir, store)->site;
    write->update = value->site;
}

static bool is_shared(const struct value *value, enum ir_op op)
{
    const bool shared = value->storage == STORAGE_GLOBAL || value->storage == STORAGE_LOCAL ||
                        value->storage == STORAGE_GENERIC;
    return value->op == op && value->site && shared;
}

/* In execution order; *out_count of them, or PAIRS_MOST. */
static uint32_t *list_of(struct ir *ir, enum ir_op op, uint32_t *out_count)
{
    uint32_t *list = ARENA_ARRAY(ir->arena, uint32_t, PAIRS_MOST);
    *out_count = 0;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count && *out_count < PAIRS_MOST; i++)
            if (is_shared(ir_value(ir, block->insts.at[i]), op))
                list[(*out_count)++] = block->insts.at[i];
    }
    return list;
}

/*
 * A load, and the next access of its block that may touch the same bytes, which stores what differs between
 * work-items. A value that is one for all may be a reset after all have read: that needs a barrier.
 */
static bool is_exchange(struct ir *ir, uint32_t load, uint32_t store)
{
    const struct value *read = ir_value(ir, load), *write = ir_value(ir, store);
    const struct block *block = ir_block(ir, read->block);
    bool begun = false;
    if (read->block != write->block || read->components != 1 || write->list_count != 1)
        return false;
    if (ir_value(ir, write->list[0])->cls == CLASS_U || !same_place(ir, read, write))
        return false;
    for (uint32_t i = 0; i < block->insts.count && block->insts.at[i] != store; i++) {
        const struct value *between = ir_value(ir, block->insts.at[i]);
        const bool other = is_access(between) && ((between->op != IR_load && between->op != IR_store) ||
                                                  same_place(ir, between, write));
        if (begun && other)
            return false;
        begun |= block->insts.at[i] == load;
    }
    return begun;
}

/* After all updates are known: neither access belongs to one. */
static void mark_exchanges(struct ir *ir, const uint32_t *loads, uint32_t load_count, const uint32_t *stores,
                           uint32_t store_count)
{
    uint32_t pairs = 0;
    for (uint32_t s = 0; s < store_count; s++)
        for (uint32_t l = 0; l < load_count && pairs < PAIRS_MOST; l++) {
            struct site *read = &ir->sites.at[ir_value(ir, loads[l])->site],
                        *write = &ir->sites.at[ir_value(ir, stores[s])->site];
            if (read->update || write->update ||
                ir_value(ir, loads[l])->block != ir_value(ir, stores[s])->block)
                continue;
            pairs++;
            if (!is_exchange(ir, loads[l], stores[s]))
                continue;
            read->update = ir_value(ir, stores[s])->site;
            write->update = ir_value(ir, loads[l])->site;
            read->exchanges = write->exchanges = true;
        }
}

/* ---- addresses --------------------------------------------------------------------------- */

static bool is_loop_phi(struct ir *ir, const struct value *value)
{
    const uint32_t loop = value->op == IR_phi ? ir_block(ir, value->block)->loop : 0;
    return loop && ir->loops.at[loop - 1].header == value->block;
}

static bool is_id(const struct value *value)
{
    return value->op == IR_input && value->imm >= INPUT_LOCAL_ID && value->imm < INPUT_SUB_GROUP_ID;
}

/* Is it what a loop counts? */
static bool is_counter(struct ir *ir, uint32_t v)
{
    const struct value *value = ir_value(ir, v);
    while (value->op == IR_zext || value->op == IR_sext)
        value = ir_value(ir, value->args[0]);
    return is_loop_phi(ir, value);
}

/* The bytes of an element, if the access is to a[i] or a[i].b, where a loop counts i; else 0. */
static uint32_t counted_bytes(struct ir *ir, const struct value *access)
{
    const struct value *address = ir_value(ir, access->args[0]);
    const int64_t inside = address->offset + access->offset;
    const bool counted = address->op == IR_index && address->args[1] && inside >= 0 &&
                         inside < (int64_t)address->imm && is_counter(ir, address->args[1]);
    return counted ? (uint32_t)address->imm : 0;
}

static enum index_source index_source_of(struct updates *updates, const struct value *access)
{
    struct ir *ir = updates->ir;
    uint32_t count = 0;
    bool in_loop = false, of_id = false;
    updates->now++;
    reach(updates, access->args[0], &count);
    while (count) {
        const uint32_t v = updates->open[--count];
        const struct value *value = ir_value(ir, v);
        if (is_shared(value, IR_load) || is_shared(value, IR_atomic))
            return INDEX_READ;
        in_loop |= is_loop_phi(ir, value);
        of_id |= is_id(value) || value->op == IR_load;
        if (ir_families[value->op] == FAMILY_EFFECT)
            continue;
        IR_OPERANDS(ir, v, slot)
        {
            reach(updates, *slot, &count);
        }
    }
    return in_loop ? INDEX_IN_LOOP : of_id ? INDEX_OF_ID : INDEX_OTHER;
}

/* Sets `takes` of each read in a loop that waits, if the work-item also writes to the address that it reads:
 * as a loop does that takes a lock. */
static void mark_locks(struct ir *ir, const uint32_t *reads, uint32_t read_count, const uint32_t *writes,
                       uint32_t write_count)
{
    for (uint32_t r = 0; r < read_count; r++) {
        const struct value *read = ir_value(ir, reads[r]);
        struct site *site = &ir->sites.at[read->site];
        for (uint32_t w = 0; site->waits && w < write_count && !site->takes; w++)
            site->takes = writes[w] != reads[r] && same_place(ir, read, ir_value(ir, writes[w]));
    }
}

static void mark_addresses(struct updates *updates)
{
    struct ir *ir = updates->ir;
    uint32_t count = 0;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count && count < ADDRESSES_MOST; i++) {
            const struct value *value = ir_value(ir, block->insts.at[i]);
            if (!value->site || (value->op != IR_load && value->op != IR_store && value->op != IR_atomic))
                continue;
            ir->sites.at[value->site].index = index_source_of(updates, value);
            ir->sites.at[value->site].counted_bytes = counted_bytes(ir, value);
            count++;
        }
    }
}

static void mark_inner_indices(struct ir *ir)
{
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            const struct value *value = ir_value(ir, block->insts.at[i]);
            if (value->op == IR_index_check && is_counter(ir, value->args[0]))
                ir->sites.at[value->site].counts_inner = true;
        }
    }
}

/*
 * Kernels with more pairs than PAIRS_MOST have updates that stay unknown: reports of their races have less
 * detail, and none is missed.
 */
void updates_mark(struct ir *ir)
{
    uint32_t load_count, store_count, atomic_count, pairs = 0;
    const uint32_t *loads = list_of(ir, IR_load, &load_count), *stores = list_of(ir, IR_store, &store_count),
                   *atomics = list_of(ir, IR_atomic, &atomic_count);
    struct updates updates = {ir, ARENA_ARRAY(ir->arena, uint32_t, ir->values.count), 0,
                              ARENA_ARRAY(ir->arena, uint32_t, ir->values.count)};
    for (uint32_t s = 0; s < store_count && pairs < PAIRS_MOST; s++) {
        const bool same = pair_store(&updates, stores[s], loads, load_count, &pairs);
        for (uint32_t l = load_count; same && l-- > 0;)
            if (is_near(ir, loads[l], stores[s]) &&
                same_place(ir, ir_value(ir, loads[l]), ir_value(ir, stores[s])))
                pair_before(&updates, loads[l], stores[s]);
    }
    mark_exchanges(ir, loads, load_count, stores, store_count);
    mark_locks(ir, loads, load_count, stores, store_count);
    mark_locks(ir, loads, load_count, atomics, atomic_count);
    mark_locks(ir, atomics, atomic_count, stores, store_count);
    mark_locks(ir, atomics, atomic_count, atomics, atomic_count);
    mark_addresses(&updates);
    mark_inner_indices(ir);
}
