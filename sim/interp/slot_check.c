/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves that no slot of the frame is overwritten while waiting lanes still need it. Lanes that diverge
 * share one frame: those at the lower block run, the others wait. An instruction writes its result for all
 * lanes, waiting ones included, unless it writes active lanes only. So emission must never place a value
 * that waiting lanes will read into a slot that is written meanwhile. The proof uses the bytecode alone, not
 * the values or live intervals of emission.
 *
 * Lemma. The running block is always lower than every block at which lanes wait (exec_control.c). So two
 * groups of lanes, whatever the others do, move as a pair (runs at b, waits at w by edge e) with b < w. The
 * lower group takes a step to a successor s of b. If s < w, the pair becomes (s, e); if s = w, the groups
 * have reconverged; if s > w, the other group runs, and the pair becomes (w, b -> s). A pair begins where
 * lanes diverge: with any two successors of a branch. The set of pairs that are reachable in this way
 * contains every pair that an execution can reach.
 *
 * Claim. For each reachable pair, no instruction of b writes, for all lanes, a slot that is live on e. A
 * slot is live on an edge if some path from there reads it before writing it, unless the edge leaves it
 * undefined (a phi without a value).
 */
#include "slot_check.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

enum { PAIRS_MAX = 1 << 22, NO_SLOT = 0 };

typedef LIST(uint32_t) slot_list;

/* The frame offsets that an instruction reads and writes. */
struct effect {
    slot_list reads, writes; /* reused for each instruction */
    bool masked;             /* writes active lanes only */
};

struct slot_edge {
    uint32_t from, to;
    uint64_t *live; /* a bit per slot */
};

struct slot_checker {
    const struct code *code;
    struct arena *arena;
    struct effect effect;
    uint32_t *list_end; /* per instruction: the end of its operands in code->operands */
    slot_list slots;    /* the frame offsets that are written, ascending */
    uint32_t slot_words;
    /* per block, a bit per slot: read before it is written; written; written for all lanes; live at the
     * start */
    uint64_t **uses, **kills, **written, **live;
    LIST(struct slot_edge) edges;
    uint32_t *first_edge; /* per block, and one more */
    uint64_t *reached;    /* bit edge * blocks + block: the pair is reachable */
    LIST(uint64_t) open;  /* reachable pairs whose successors are not computed yet */
};

/* ---- what instructions read and write ------------------------------------------------ */

static bool within(uint32_t op, uint32_t first, uint32_t end)
{
    return op >= first && op < end;
}

static bool is_load(uint32_t op)
{
    return within(op, OP_ld_u_8, OP_st_u_8) || within(op, OP_ldp_u_8, OP_stp_u_8) ||
           within(op, OP_ldg_v_8, OP_stg_v_8);
}

static bool is_store(uint32_t op)
{
    return within(op, OP_st_u_8, OP_ldp_u_8) || within(op, OP_stp_u_8, OP_ldg_v_8) ||
           within(op, OP_stg_v_8, OP_copy_v);
}

/* Finds the start of an instruction's operands in code->operands; false: it has none there. */
static bool list_of(const struct code *code, uint32_t i, uint32_t *out_start)
{
    const struct insn *insn = &code->insns[i];
    const uint32_t op = code->ops[i];
    switch (op) {
    case OP_math_v:
    case OP_math_u:
    case OP_printf:
    case OP_image_read:
    case OP_image_write:
    case OP_barrier:
    case OP_collective:
    case OP_pipe:
    case OP_enqueue:
    case OP_async_copy: *out_start = insn->d; return true;
    case OP_poison_ld:
    case OP_poison_ld_u:
    case OP_poison_bits_v:
    case OP_poison_bits_u:
    case OP_poison_st:
    case OP_poison_atomic: *out_start = insn->b; return true;
    case OP_switch_u:
    case OP_switch_v: *out_start = insn->e; return true;
    default: *out_start = insn->d; return (is_load(op) || is_store(op)) && insn->f > 1;
    }
}

/* Operand lists are in the order of their instructions, so each ends where the next one begins. */
static void find_list_ends(struct slot_checker *c)
{
    uint32_t end = c->code->operand_count, start;
    c->list_end = ARENA_ARRAY(c->arena, uint32_t, c->code->insn_count + 1);
    for (uint32_t i = c->code->insn_count; i-- > 0;) {
        c->list_end[i] = end;
        if (list_of(c->code, i, &start))
            end = start;
        CHECKED(end <= c->code->operand_count);
    }
}

static void reads(struct slot_checker *c, uint32_t slot)
{
    *list_push(c->arena, &c->effect.reads) = slot;
}

static void writes(struct slot_checker *c, uint32_t slot)
{
    *list_push(c->arena, &c->effect.writes) = slot;
}

static void reads_list(struct slot_checker *c, uint32_t from, uint32_t end)
{
    for (; from < end; from++)
        if (c->code->operands[from] != UINT32_MAX)
            reads(c, c->code->operands[from]);
}

static void writes_list(struct slot_checker *c, uint32_t from, uint32_t end)
{
    for (; from < end; from++)
        if (c->code->operands[from] != UINT32_MAX)
            writes(c, c->code->operands[from]);
}

/* An operand list that begins with `results` results. */
static void list_effect(struct slot_checker *c, uint32_t i, uint32_t results)
{
    const uint32_t start = c->code->insns[i].d;
    writes_list(c, start, start + results);
    reads_list(c, start + results, c->list_end[i]);
}

static void access_effect(struct slot_checker *c, uint32_t i)
{
    const struct insn *insn = &c->code->insns[i];
    const bool load = is_load(c->code->ops[i]);
    reads(c, insn->a);
    if (insn->f > 1)
        (load ? writes_list : reads_list)(c, insn->d, insn->d + insn->f);
    else
        (load ? writes : reads)(c, insn->d);
}

/* In base + index * e + f, e is 0 if there is no index. */
static bool has_no_index(uint32_t op, const struct insn *insn)
{
    return insn->e == 0 && (within(op, OP_a_index_aa, OP_a_mov) || within(op, OP_u_index, OP_ld_u_8));
}

/* Absent operands are 0, the offset of an input, which no instruction writes. */
static void plain_effect(struct slot_checker *c, uint32_t i)
{
    const struct insn *insn = &c->code->insns[i];
    const uint32_t op = c->code->ops[i];
    writes(c, insn->d);
    reads(c, insn->a);
    if (!has_no_index(op, insn))
        reads(c, insn->b);
    reads(c, insn->c);
    c->effect.masked = within(op, OP_movm_8, OP_mov_u);
}

static void find_effect(struct slot_checker *c, uint32_t i)
{
    const struct insn *insn = &c->code->insns[i];
    const uint32_t op = c->code->ops[i];
    c->effect.reads.count = c->effect.writes.count = 0;
    c->effect.masked = false;
    if (is_load(op) || is_store(op)) {
        access_effect(c, i);
        return;
    }
    switch (op) {
    case OP_jump:
    case OP_loop:
    case OP_ret:
    case OP_unreachable:
    case OP_yield:
    case OP_line:
    case OP_count:
    case OP_forget:
    case OP_fence: break;
    case OP_branch_u:
    case OP_branch_v:
    case OP_switch_u:
    case OP_switch_v:
    case OP_same:
    case OP_count_way_v:
    case OP_count_way_u:
    case OP_poison_check_v:
    case OP_poison_check_u: reads(c, insn->a); break;
    case OP_copy_v: reads(c, insn->d), reads(c, insn->a), reads(c, insn->c); break;
    case OP_math_v:
    case OP_math_u: list_effect(c, i, 2); break;
    case OP_printf:
        writes(c, insn->a);
        reads(c, c->code->operands[insn->d]);
        reads_list(c, insn->d + 1 + insn->f, c->list_end[i]);
        break;
    case OP_image_read:
    case OP_image_write:
        list_effect(c, i, op == OP_image_read ? 5 : 0);
        reads(c, insn->a), reads(c, insn->b), reads(c, insn->c);
        break;
    case OP_barrier: list_effect(c, i, 0), reads(c, insn->c); break;
    case OP_collective:
        list_effect(c, i, insn->f & COLLECTIVE_TRACKED ? 2 : 1);
        reads(c, insn->c);
        break;
    case OP_pipe:
    case OP_enqueue:
    case OP_async_copy: list_effect(c, i, 1); break;
    case OP_poison_st: reads(c, insn->d), reads(c, insn->a), reads(c, insn->c); break;
    case OP_poison_ld:
    case OP_poison_ld_u:
    case OP_poison_bits_v:
    case OP_poison_bits_u:
    case OP_poison_atomic: writes(c, insn->d), reads(c, insn->a), reads(c, insn->c); break;
    default: plain_effect(c, i);
    }
}

/* ---- slots --------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void find_slots(struct slot_checker *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->code->insn_count; i++) {
        find_effect(c, i);
        for (uint32_t k = 0; k < c->effect.writes.count; k++)
            *list_push(c->arena, &c->slots) = c->effect.writes.at[k];
    }
    if (c->slots.count)
        qsort(c->slots.at, c->slots.count, sizeof *c->slots.at, by_number);
    for (uint32_t i = 0; i < c->slots.count; i++)
        if (!kept || c->slots.at[i] != c->slots.at[kept - 1])
            c->slots.at[kept++] = c->slots.at[i];
    c->slots.count = kept;
    c->slot_words = kept / 64 + 1;
}

/* False: no instruction writes the slot. */
static bool slot_bit(const struct slot_checker *c, uint32_t slot, uint32_t *out_bit)
{
    const uint32_t *found =
        c->slots.count ? bsearch(&slot, c->slots.at, c->slots.count, sizeof slot, by_number) : NULL;
    *out_bit = found ? (uint32_t)(found - c->slots.at) : NO_SLOT;
    return found;
}

static bool has_bit(const uint64_t *set, uint64_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

static void add_bit(uint64_t *set, uint64_t bit)
{
    set[bit / 64] |= 1ull << bit % 64;
}

static uint64_t **block_sets(struct slot_checker *c)
{
    uint64_t **sets = ARENA_ARRAY(c->arena, uint64_t *, c->code->block_count);
    for (uint32_t b = 0; b < c->code->block_count; b++)
        sets[b] = ARENA_ARRAY(c->arena, uint64_t, c->slot_words);
    return sets;
}

/* ---- blocks -------------------------------------------------------------------------- */

static uint32_t block_end(const struct code *code, uint32_t b)
{
    return b + 1 < code->block_count ? code->block_start[b + 1] : code->insn_count;
}

static void find_block_slots(struct slot_checker *c, uint32_t b)
{
    for (uint32_t i = c->code->block_start[b], bit; i < block_end(c->code, b); i++) {
        find_effect(c, i);
        for (uint32_t k = 0; k < c->effect.reads.count; k++)
            if (slot_bit(c, c->effect.reads.at[k], &bit) && !has_bit(c->kills[b], bit))
                add_bit(c->uses[b], bit);
        for (uint32_t k = 0; k < c->effect.writes.count; k++) {
            slot_bit(c, c->effect.writes.at[k], &bit);
            add_bit(c->kills[b], bit);
            if (!c->effect.masked)
                add_bit(c->written[b], bit);
        }
    }
}

static void add_edge(struct slot_checker *c, uint32_t from, uint32_t to)
{
    for (uint32_t k = c->first_edge[from]; k < c->edges.count; k++)
        if (c->edges.at[k].to == to)
            return;
    *list_push(c->arena, &c->edges) =
        (struct slot_edge){from, to, ARENA_ARRAY(c->arena, uint64_t, c->slot_words)};
}

static void add_switch_edges(struct slot_checker *c, uint32_t b, const uint32_t *list)
{
    add_edge(c, b, list[2]);
    for (uint32_t k = 0; k < list[1]; k++)
        add_edge(c, b, list[5 + 3 * k]);
}

/* The block after this one; blocks without instructions are skipped. */
static void add_next_edge(struct slot_checker *c, uint32_t b)
{
    for (uint32_t next = b + 1; next < c->code->block_count; next++)
        if (c->code->block_start[next] < block_end(c->code, next)) {
            add_edge(c, b, next);
            return;
        }
}

static void add_edges(struct slot_checker *c, uint32_t b)
{
    const uint32_t end = block_end(c->code, b);
    if (end == c->code->block_start[b])
        return;
    const struct insn *last = &c->code->insns[end - 1];
    switch (c->code->ops[end - 1]) {
    case OP_jump:
    case OP_loop: add_edge(c, b, last->e); break;
    case OP_branch_u:
    case OP_branch_v: add_edge(c, b, last->e), add_edge(c, b, last->f); break;
    case OP_switch_u:
    case OP_switch_v: add_switch_edges(c, b, c->code->operands + last->e); break;
    case OP_ret:
    case OP_unreachable: break;
    default: add_next_edge(c, b);
    }
}

static bool parts_lanes(const struct code *code, uint32_t b)
{
    const uint32_t end = block_end(code, b);
    return end > code->block_start[b] &&
           (code->ops[end - 1] == OP_branch_v || code->ops[end - 1] == OP_switch_v);
}

/* ---- what is live -------------------------------------------------------------------- */

static void forget_undefined(struct slot_checker *c, const struct slot_edge *edge)
{
    for (uint32_t k = 0, bit; k < c->code->undefined_count; k++) {
        const struct slot_undefined *u = &c->code->undefined[k];
        if (u->from == edge->from && u->to == edge->to && slot_bit(c, u->slot, &bit))
            edge->live[bit / 64] &= ~(1ull << bit % 64);
    }
}

static bool update_block(struct slot_checker *c, uint32_t b)
{
    bool changed = false;
    for (uint32_t w = 0; w < c->slot_words; w++) {
        uint64_t live = 0;
        for (uint32_t k = c->first_edge[b]; k < c->first_edge[b + 1]; k++)
            live |= c->edges.at[k].live[w];
        live = (live & ~c->kills[b][w]) | c->uses[b][w];
        changed |= live != c->live[b][w];
        c->live[b][w] = live;
    }
    return changed;
}

static void find_live(struct slot_checker *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = c->code->block_count; b-- > 0;) {
            for (uint32_t k = c->first_edge[b]; k < c->first_edge[b + 1]; k++) {
                memcpy(c->edges.at[k].live, c->live[c->edges.at[k].to], c->slot_words * sizeof(uint64_t));
                forget_undefined(c, &c->edges.at[k]);
            }
            changed |= update_block(c, b);
        }
    }
}

/* ---- pairs --------------------------------------------------------------------------- */

static void reach(struct slot_checker *c, uint32_t runs, uint32_t edge)
{
    const uint64_t pair = (uint64_t)edge * c->code->block_count + runs;
    if (has_bit(c->reached, pair))
        return;
    add_bit(c->reached, pair);
    *list_push(c->arena, &c->open) = pair;
}

static void reach_from_parting(struct slot_checker *c, uint32_t b)
{
    for (uint32_t k = c->first_edge[b]; k < c->first_edge[b + 1]; k++)
        for (uint32_t n = c->first_edge[b]; n < c->first_edge[b + 1]; n++)
            if (c->edges.at[k].to < c->edges.at[n].to)
                reach(c, c->edges.at[k].to, n);
}

static void step(struct slot_checker *c, uint32_t runs, uint32_t edge)
{
    const uint32_t waits = c->edges.at[edge].to;
    for (uint32_t k = c->first_edge[runs]; k < c->first_edge[runs + 1]; k++) {
        const uint32_t next = c->edges.at[k].to;
        if (next < waits)
            reach(c, next, edge);
        else if (next > waits)
            reach(c, waits, k);
    }
}

static bool overlap(const struct slot_checker *c, const uint64_t *a, const uint64_t *b)
{
    for (uint32_t w = 0; w < c->slot_words; w++)
        if (a[w] & b[w])
            return true;
    return false;
}

/* Names the first instruction of the block that writes a live slot of the edge for all lanes. */
static void name_fault(struct slot_checker *c, uint32_t runs, const struct slot_edge *edge,
                       struct slot_fault *out_fault)
{
    for (uint32_t i = block_end(c->code, runs), bit; i-- > c->code->block_start[runs];) {
        find_effect(c, i);
        for (uint32_t k = 0; k < c->effect.writes.count && !c->effect.masked; k++)
            if (slot_bit(c, c->effect.writes.at[k], &bit) && has_bit(edge->live, bit))
                *out_fault = (struct slot_fault){i, c->effect.writes.at[k], edge->to, edge->from};
    }
}

static bool check_pairs(struct slot_checker *c, struct slot_fault *out_fault)
{
    while (c->open.count) {
        const uint64_t pair = c->open.at[--c->open.count];
        const uint32_t runs = (uint32_t)(pair % c->code->block_count),
                       edge = (uint32_t)(pair / c->code->block_count);
        if (overlap(c, c->written[runs], c->edges.at[edge].live)) {
            name_fault(c, runs, &c->edges.at[edge], out_fault);
            return false;
        }
        step(c, runs, edge);
    }
    return true;
}

bool slot_check(const struct code *code, struct arena *arena, struct slot_fault *out_fault)
{
    struct slot_checker checker = {.code = code, .arena = arena}, *c = &checker;
    const uint32_t blocks = code->block_count;
    bool parts = false;
    if (code->irreducible)
        return true;
    c->first_edge = ARENA_ARRAY(arena, uint32_t, blocks + 1);
    find_list_ends(c);
    find_slots(c);
    for (uint32_t b = 0; b < blocks; b++) {
        c->first_edge[b] = c->edges.count;
        add_edges(c, b);
        parts |= parts_lanes(code, b);
    }
    c->first_edge[blocks] = c->edges.count;
    if (!parts || (uint64_t)c->edges.count * blocks > PAIRS_MAX)
        return true;
    c->uses = block_sets(c), c->kills = block_sets(c), c->written = block_sets(c), c->live = block_sets(c);
    for (uint32_t b = 0; b < blocks; b++)
        find_block_slots(c, b);
    find_live(c);
    c->reached = ARENA_ARRAY(arena, uint64_t, (uint64_t)c->edges.count * blocks / 64 + 1);
    for (uint32_t b = 0; b < blocks; b++)
        if (parts_lanes(code, b))
            reach_from_parting(c, b);
    return check_pairs(c, out_fault);
}
