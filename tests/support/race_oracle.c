/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which accesses race, from the text of the memory model alone: relations between the operations of a short
 * trace (program order, synchronizes-with by scopes and fences, barriers) as matrices of bits, and
 * happens-before as their transitive closure. Comments give the number of the rule. Nothing is shared with
 * sim/memmodel.
 */
#include "race_oracle.h"

#include <string.h>

#include "sim/base/memory_words.h"

/* ---- what a operation is ------------------------------------------------------------------- */

static bool is_access(const struct operation *d)
{
    return d->kind == ORACLE_OP_ACCESS;
}
static bool is_atomic(const struct operation *d)
{
    return is_access(d) && d->access >= ACCESS_ATOMIC_READ;
}
static bool is_write(const struct operation *d)
{
    return is_access(d) && d->access != ACCESS_READ && d->access != ACCESS_ATOMIC_READ;
}

/* Rule 35: memory locations are bytes. */
bool oracle_op_overlaps(const struct operation *a, const struct operation *b)
{
    return a->size && b->size && a->space == b->space && a->address < b->address + b->size &&
           b->address < a->address + a->size;
}

/* Rules 5, 6 and 17: arriving at a barrier releases, leaving it acquires. */
static bool releases(const struct operation *d)
{
    if (d->kind == ORACLE_OP_ENTRY)
        return true;
    return d->kind != ORACLE_OP_EXIT &&
           (d->order == ORDER_RELEASE || d->order == ORDER_ACQ_REL || d->order == ORDER_SEQ_CST);
}

static bool acquires(const struct operation *d)
{
    if (d->kind == ORACLE_OP_EXIT)
        return true;
    return d->kind != ORACLE_OP_ENTRY &&
           (d->order == ORDER_ACQUIRE || d->order == ORDER_ACQ_REL || d->order == ORDER_SEQ_CST);
}

static bool acts_in(const struct operation *d, enum oracle_op_region region)
{
    return is_access(d) ? d->region == region : (d->flags >> region & 1) != 0;
}

/* ---- scopes --------------------------------------------------------------------------- */

/* Rule 9. */
static enum memory_scope reduced(const struct race_oracle *oracle, enum memory_scope scope,
                                 enum oracle_op_region region)
{
    if (region == IN_LOCAL && scope > SCOPE_WORK_GROUP)
        return SCOPE_WORK_GROUP;
    return scope == SCOPE_ALL_SVM && !(region == IN_GLOBAL && oracle->svm_atomics) ? SCOPE_DEVICE : scope;
}

/* Rule 10, and that of OpenCL 3.1, where the scopes need not be the same. */
static bool inclusive(const struct race_oracle *oracle, const struct operation *a, const struct operation *b,
                      enum oracle_op_region region)
{
    const enum memory_scope x = reduced(oracle, a->scope, region), y = reduced(oracle, b->scope, region),
                            narrower = x < y ? x : y;
    if (oracle->rule == SCOPE_RULE_EQUAL && x != y)
        return false;
    if (narrower == SCOPE_WORK_ITEM)
        return false;
    if (narrower == SCOPE_SUB_GROUP)
        return a->group == b->group && a->sub_group == b->sub_group;
    return narrower == SCOPE_WORK_GROUP || (oracle->apart && region == IN_GLOBAL) ? a->group == b->group
                                                                                  : true;
}

/* ---- edges ------------------------------------------------------------------------------ */

static void edge(oracle_op_relation before, uint32_t i, uint32_t j)
{
    before[i][j / 64] |= UINT64_C(1) << j % 64;
}
static bool comes_before(const uint64_t *row, uint32_t j)
{
    return row[j / 64] >> j % 64 & 1;
}

/* Rule 8: is the value that y reads from x or a later member of the sequence that x heads? x may be a relaxed
 * store. */
static bool reads_sequence(const struct race_oracle *oracle, uint32_t x, uint32_t y)
{
    const struct operation *head = &oracle->operations[x], *reader = &oracle->operations[y];
    if (!oracle_op_overlaps(head, reader) || head->address != reader->address || head->size != reader->size)
        return false;
    for (uint32_t i = x + 1; i < y; i++) {
        const struct operation *d = &oracle->operations[i];
        if (!is_write(d) || !oracle_op_overlaps(d, head))
            continue;
        const bool other_object = is_atomic(d) && d->size != head->size,
                   update = d->access == ACCESS_ATOMIC_UPDATE;
        if (other_object || (!update && d->item != head->item))
            return false;
    }
    return true;
}

/* The operation that stands for the release of x's value: x itself, or a fence before it (rules 12 to 14);
 * so for the acquiring side. */
static bool is_release_end(const struct race_oracle *oracle, uint32_t a, uint32_t x,
                           enum oracle_op_region region)
{
    const struct operation *end = &oracle->operations[a], *store = &oracle->operations[x];
    if (!is_write(store) || !is_atomic(store) || !releases(end))
        return false;
    if (is_access(end))
        return a == x;
    return end->item == store->item && a < x && end->flags >> region & 1;
}

static bool is_acquire_end(const struct race_oracle *oracle, uint32_t b, uint32_t y,
                           enum oracle_op_region region)
{
    const struct operation *end = &oracle->operations[b], *load = &oracle->operations[y];
    if (!is_atomic(load) || load->access == ACCESS_ATOMIC_WRITE || !acquires(end))
        return false;
    if (is_access(end))
        return b == y;
    return end->item == load->item && y < b && end->flags >> region & 1;
}

/* Rule 15: two such fences order both memories. */
static bool is_dual(const struct operation *d)
{
    const uint32_t both = REGION_GLOBAL | REGION_LOCAL;
    return !is_access(d) && (d->flags & both) == both;
}

/* y reads what x stored, or what follows it. */
static void add_synchronisation(struct race_oracle *oracle, uint32_t x, uint32_t y)
{
    const enum oracle_op_region region = oracle->operations[x].region;
    for (uint32_t a = 0; a <= x; a++) {
        if (!is_release_end(oracle, a, x, region))
            continue;
        for (uint32_t b = y; b < oracle->count; b++) {
            const struct operation *from = &oracle->operations[a], *to = &oracle->operations[b];
            if (!is_acquire_end(oracle, b, y, region) || !inclusive(oracle, from, to, region))
                continue;
            edge(oracle->before[region], a, b);
            if (is_dual(from) && is_dual(to))
                edge(oracle->before[!region], a, b);
        }
    }
}

/* Rule 37: whose event the member waits for. */
static bool waits_for(const struct race_oracle *oracle, const struct operation *wait,
                      const struct operation *access)
{
    if (wait->kind != ORACLE_OP_COPY_WAIT || !is_access(access) || !access->copy)
        return false;
    for (uint32_t i = 0; i < oracle->count; i++) {
        const struct operation *start = &oracle->operations[i];
        if (start->kind == ORACLE_OP_COPY_START && start->copy == access->copy)
            return start->group == wait->group && start->event == wait->event;
    }
    return false;
}

/* Rules 3, 17 and 37. */
static bool is_edge(const struct race_oracle *oracle, const struct operation *a, const struct operation *b,
                    enum oracle_op_region region)
{
    const bool sequenced = a->item == b->item && acts_in(a, region) && acts_in(b, region);
    const bool at_one_barrier = a->kind == ORACLE_OP_ENTRY && b->kind == ORACLE_OP_EXIT &&
                       a->instance == b->instance && a->flags >> region & 1;
    return sequenced || at_one_barrier || waits_for(oracle, b, a);
}

static void build_edges(struct race_oracle *oracle)
{
    for (uint32_t i = 0; i < oracle->count; i++) {
        const struct operation *a = &oracle->operations[i];
        for (uint32_t j = i + 1; j < oracle->count; j++) {
            const struct operation *b = &oracle->operations[j];
            for (enum oracle_op_region region = IN_GLOBAL; region < ORACLE_OP_REGIONS; region++)
                if (is_edge(oracle, a, b, region))
                    edge(oracle->before[region], i, j);
            if (is_atomic(a) && is_write(a) && is_atomic(b) && b->access != ACCESS_ATOMIC_WRITE &&
                reads_sequence(oracle, i, j))
                add_synchronisation(oracle, i, j);
        }
    }
}

/* ---- what follows from them ---------------------------------------------------------------- */

static void close(oracle_op_relation before, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < count; i++)
            if (comes_before(before[i], k))
                for (uint32_t word = 0; word < ORACLE_ORACLE_OPS / 64; word++)
                    before[i][word] |= before[k][word];
}

/* Does operation i happen before the copy's start by all members of the group? */
static bool all_have(const struct race_oracle *oracle, enum oracle_op_region region, uint32_t i,
                     uint32_t copy)
{
    for (uint32_t start = 0; start < oracle->count; start++) {
        const struct operation *d = &oracle->operations[start];
        if (d->kind == ORACLE_OP_COPY_START && d->copy == copy &&
            !comes_before(oracle->before[region][i], start))
            return false;
    }
    return true;
}

static void begin_copy(struct race_oracle *oracle, enum oracle_op_region region, uint32_t copy)
{
    for (uint32_t access = 0; access < oracle->count; access++)
        for (uint32_t i = 0;
             is_access(&oracle->operations[access]) && oracle->operations[access].copy == copy && i < access;
             i++)
            if (all_have(oracle, region, i, copy))
                edge(oracle->before[region], i, access);
}

/* A copy's clock is no union of edges but the least of its members' clocks: closed in the order in which
 * copies began. */
static void close_with_copies(struct race_oracle *oracle, enum oracle_op_region region)
{
    for (uint32_t copy = 1; copy <= oracle->copies; copy++) {
        close(oracle->before[region], oracle->count);
        begin_copy(oracle, region, copy);
    }
    close(oracle->before[region], oracle->count);
}

void race_oracle_order(struct race_oracle *oracle)
{
    memset(oracle->before, 0, sizeof oracle->before);
    build_edges(oracle);
    for (enum oracle_op_region region = IN_GLOBAL; region < ORACLE_OP_REGIONS; region++)
        close_with_copies(oracle, region);
}

/* ---- races -------------------------------------------------------------------------------- */

bool race_oracle_ordered(const struct race_oracle *oracle, uint32_t i, uint32_t j)
{
    const struct operation *a = &oracle->operations[i], *b = &oracle->operations[j];
    return a->item == b->item || comes_before(oracle->before[a->region][i], j);
}

/* Rule 34: no fence of its own for images stands between a write and a read of a work-item, or the read is
 * by a sampler. */
static bool is_unseen(const struct race_oracle *oracle, uint32_t i, uint32_t j)
{
    const struct operation *a = &oracle->operations[i], *b = &oracle->operations[j];
    if (a->region != IN_IMAGE || !is_write(a) || is_write(b) || !oracle_op_overlaps(a, b) ||
        (a->item != b->item && !b->sampled))
        return false;
    for (uint32_t k = i + 1; !b->sampled && k < j; k++) {
        const struct operation *d = &oracle->operations[k];
        if (d->item == a->item && d->flags & REGION_IMAGE && !is_access(d) && releases(d) &&
            (d->kind == ORACLE_OP_ENTRY || acquires(d)))
            return false;
    }
    return true;
}

/* Rules 29 and 36: atomics of one object, whose scopes include each other. */
static bool agree(const struct race_oracle *oracle, const struct operation *a, const struct operation *b)
{
    return is_atomic(a) && is_atomic(b) && a->size == b->size && a->address == b->address &&
           inclusive(oracle, a, b, a->region);
}

bool race_oracle_races(const struct race_oracle *oracle, uint32_t i, uint32_t j)
{
    const struct operation *a = &oracle->operations[i], *b = &oracle->operations[j];
    if (!is_access(a) || !is_access(b) ||
        (oracle->inside && (a->group >= oracle->inside || b->group >= oracle->inside)))
        return false;
    if (is_unseen(oracle, i, j))
        return true;
    const bool conflict = oracle_op_overlaps(a, b) && (is_write(a) || is_write(b));
    return conflict && a->item != b->item && !agree(oracle, a, b) && !race_oracle_ordered(oracle, i, j);
}

bool race_oracle_races_across(const struct race_oracle *oracle, uint32_t i, uint32_t j)
{
    const struct operation *a = &oracle->operations[i], *b = &oracle->operations[j];
    return a->group != b->group && a->region != IN_LOCAL && race_oracle_races(oracle, i, j);
}

/* ---- for failures --------------------------------------------------------------------------- */

static const char *access_words(const struct operation *d)
{
    static const char *const words[] = {[ACCESS_READ] = "reads",
                                        [ACCESS_WRITE] = "writes",
                                        [ACCESS_ATOMIC_READ] = "loads atomically",
                                        [ACCESS_ATOMIC_WRITE] = "stores atomically",
                                        [ACCESS_ATOMIC_UPDATE] = "updates"};
    return words[d->access];
}

static void print_op(const struct operation *d, FILE *stream)
{
    static const char *const memories[] = {"global", "local", "image"};
    static const char *const kinds[] = {[ORACLE_OP_FENCE] = "fence",
                                        [ORACLE_OP_ENTRY] = "arrives at barrier",
                                        [ORACLE_OP_EXIT] = "leaves barrier",
                                        [ORACLE_OP_COPY_START] = "begins copy",
                                        [ORACLE_OP_COPY_WAIT] = "waits for copy"};
    fprintf(stream, "  item %u, group %u: ", d->item, d->group);
    if (is_access(d))
        fprintf(stream, "%s %u bytes at %s %u", access_words(d), d->size, memories[d->region], d->address);
    else
        fputs(kinds[d->kind], stream);
    if (d->kind == ORACLE_OP_ENTRY || d->kind == ORACLE_OP_EXIT)
        fprintf(stream, " %u", d->instance);
    if (d->kind == ORACLE_OP_COPY_START || d->kind == ORACLE_OP_COPY_WAIT)
        fprintf(stream, " %u", d->event);
    else if (!is_access(d) || is_atomic(d))
        fprintf(stream, ", %s, %s", memory_order_word(d->order), memory_scope_word(d->scope));
    if (!is_access(d))
        fprintf(stream, ", regions %#x", d->flags);
    fputc('\n', stream);
}

void race_oracle_print(const struct race_oracle *oracle, FILE *stream)
{
    for (uint32_t i = 0; i < oracle->count; i++)
        print_op(&oracle->operations[i], stream);
}
