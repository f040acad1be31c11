/* SPDX-License-Identifier: Apache-2.0 */
/* Passes that shorten the bytecode: folding, value numbering, dead code, joining of straight-line blocks,
 * hoisting of loop-invariant code, small diamonds to selects, fusion of multiply and add. No pass removes,
 * merges or moves a memory access. */
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "ir.h"

static bool is_pure(const struct value *v)
{
    const bool has_place = v->op == IR_phi || v->op == IR_extract; /* of its block; after its load */
    return ir_families[v->op] != FAMILY_EFFECT && !has_place && !ir_loads_poison(v);
}

/* ---- value numbering -------------------------------------------------------------------- */

struct numbering {
    struct ir *ir;
    uint32_t *map;
    uint32_t *bucket, mask; /* hash -> the newest value in scope */
    uint32_t *older;        /* value -> the next older value of its bucket */
};

static uint32_t hash_value(const struct value *v)
{
    uint64_t h = v->op | (uint64_t)v->type << 8;
    for (int k = 0; k < 3; k++)
        h = h * 0x9e3779b97f4a7c15ull + v->args[k];
    h = (h ^ v->imm) * 0x9e3779b97f4a7c15ull + (uint64_t)v->offset;
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static bool same_value(const struct value *a, const struct value *b)
{
    return a->op == b->op && a->type == b->type && a->args[0] == b->args[0] && a->args[1] == b->args[1] &&
           a->args[2] == b->args[2] && a->imm == b->imm && a->offset == b->offset;
}

static uint32_t trivial_phi(struct ir *ir, uint32_t phi, const uint32_t *map)
{
    const struct value *v = ir_value(ir, phi);
    uint32_t only = 0;
    for (uint32_t k = 0; k < v->list_count; k++) {
        uint32_t operand = ir_resolve(map, v->list[k]);
        if (operand == phi || operand == only)
            continue;
        if (only)
            return phi;
        only = operand;
    }
    return only ? only : phi;
}

/* The one value for a leaf (constant, input and so on), wherever it was made. */
static uint32_t canonical_leaf(struct numbering *n, uint32_t v)
{
    struct value *value = ir_value(n->ir, v);
    if (ir_families[value->op] != FAMILY_LEAF || value->op == IR_undef || !v || v >= n->ir->values.count)
        return v;
    uint32_t h = hash_value(value) & n->mask;
    for (uint32_t o = n->bucket[h]; o; o = n->older[o])
        if (same_value(ir_value(n->ir, o), value))
            return o;
    n->older[v] = n->bucket[h];
    n->bucket[h] = v;
    return v;
}

static void number_instruction(struct numbering *n, uint32_t v)
{
    struct ir *ir = n->ir;
    IR_OPERANDS(ir, v, slot)
    *slot = canonical_leaf(n, ir_resolve(n->map, *slot));
    struct value *value = ir_value(ir, v);
    if (value->op == IR_phi) {
        uint32_t only = trivial_phi(ir, v, n->map);
        if (only != v)
            n->map[v] = only;
        return;
    }
    if (!is_pure(value))
        return;
    uint32_t simpler = ir_fold(ir, v);
    if (simpler != v) {
        n->map[v] = simpler;
        return;
    }
    value = ir_value(ir, v);
    uint32_t h = hash_value(value) & n->mask;
    for (uint32_t o = n->bucket[h]; o; o = n->older[o])
        if (same_value(ir_value(ir, o), value)) {
            n->map[v] = o;
            return;
        }
    n->older[v] = n->bucket[h];
    n->bucket[h] = v;
}

/* Walks the dominator tree; the values of a block leave the table when its subtree is done. */
static void number_values(struct ir *ir, uint32_t *map)
{
    uint32_t room = ir->values.count * 2 + 1024, size = 256;
    while (size < ir->values.count)
        size *= 2;
    struct numbering n = {ir, map, ARENA_ARRAY(ir->arena, uint32_t, size), size - 1,
                          ARENA_ARRAY(ir->arena, uint32_t, room)};
    struct simplify_frame {
        uint32_t block, child;
    };
    LIST(struct simplify_frame) stack = {0};
    LIST(uint32_t) added = {0};
    LIST(uint32_t) marks = {0};
    *list_push(ir->arena, &stack) = (struct simplify_frame){ir->entry_block, 0};
    while (stack.count) {
        struct simplify_frame *f = &stack.at[stack.count - 1];
        struct block *block = ir_block(ir, f->block);
        if (f->child == 0) {
            *list_push(ir->arena, &marks) = added.count;
            for (uint32_t i = 0; i < block->insts.count; i++) {
                uint32_t v = block->insts.at[i], h;
                number_instruction(&n, v);
                h = hash_value(ir_value(ir, v)) & n.mask;
                if (n.bucket[h] == v)
                    *list_push(ir->arena, &added) = v;
            }
            if (block->cond)
                block->cond = canonical_leaf(&n, ir_resolve(map, block->cond));
        }
        if (f->child < block->dom_children.count) {
            uint32_t next = block->dom_children.at[f->child++];
            *list_push(ir->arena, &stack) = (struct simplify_frame){next, 0};
            continue;
        }
        CHECKED(marks.count == stack.count); /* one mark per open block */
        uint32_t mark = marks.at[--marks.count];
        while (added.count > mark) { /* leaves the scope, newest first */
            uint32_t v = added.at[--added.count], h = hash_value(ir_value(ir, v)) & n.mask;
            uint32_t *link = &n.bucket[h];
            while (*link && *link != v)
                link = &n.older[*link];
            if (*link)
                *link = n.older[v];
        }
        stack.count--;
    }
}

/* ---- dead code ------------------------------------------------------------------------------ */

static void mark_live(struct ir *ir, uint8_t *live, uint32_t root)
{
    LIST(uint32_t) stack = {0};
    if (!root || live[root])
        return;
    live[root] = 1;
    *list_push(ir->arena, &stack) = root;
    while (stack.count) {
        uint32_t v = stack.at[--stack.count];
        IR_OPERANDS(ir, v, slot)
        if (*slot && !live[*slot]) {
            live[*slot] = 1;
            *list_push(ir->arena, &stack) = *slot;
        }
    }
}

void simplify_remove_dead(struct ir *ir)
{
    uint8_t *live = ARENA_ARRAY(ir->arena, uint8_t, ir->values.count);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        mark_live(ir, live, block->cond);
        for (uint32_t i = 0; i < block->insts.count; i++)
            if (ir_families[ir_value(ir, block->insts.at[i])->op] == FAMILY_EFFECT)
                mark_live(ir, live, block->insts.at[i]);
    }
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        uint32_t kept = 0;
        for (uint32_t i = 0; i < block->insts.count; i++)
            if (live[block->insts.at[i]])
                block->insts.at[kept++] = block->insts.at[i];
        block->insts.count = kept;
    }
}

/* ---- constant branches and straight lines ------------------------------------------------------- */

static void jump_to(struct ir *ir, struct block *block, uint32_t target)
{
    block->term = TERM_JUMP;
    block->cond = NONE;
    block->succs = arena_copy(ir->arena, &target, sizeof target);
    block->succ_count = 1;
}

static bool fold_branches(struct ir *ir)
{
    bool changed = false;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        uint64_t bits;
        if (!block->cond || !ir_is_const(ir, block->cond, &bits))
            continue;
        uint32_t target = block->succs[0];
        if (block->term == TERM_BRANCH)
            target = block->succs[bits ? 0 : 1];
        for (uint32_t i = 1; block->term == TERM_SWITCH && i < block->succ_count; i++)
            if (block->cases[i - 1] == bits) {
                target = block->succs[i];
                break;
            }
        jump_to(ir, block, target);
        changed = true;
    }
    return changed;
}

static void rename_pred(struct ir *ir, uint32_t b, uint32_t old, uint32_t new)
{
    struct block *block = ir_block(ir, b);
    for (uint32_t i = 0; i < block->insts.count; i++) {
        struct value *phi = ir_value(ir, block->insts.at[i]);
        for (uint32_t k = 0; phi->op == IR_phi && k < phi->list_count; k++)
            if (phi->list[phi->list_count + k] == old)
                phi->list[phi->list_count + k] = new;
    }
    for (uint32_t k = 0; k < block->pred_count; k++)
        if (block->preds[k] == old)
            block->preds[k] = new;
}

/* Joins a block with its only successor if that has no other predecessor. */
static bool join_lines(struct ir *ir)
{
    bool changed = false;
    uint32_t *map = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o];
        for (;;) {
            struct block *block = ir_block(ir, b);
            if (block->term != TERM_JUMP || !block->reachable)
                break;
            uint32_t s = block->succs[0];
            struct block *next = ir_block(ir, s);
            if (next->pred_count != 1 || s == b || s == ir->entry_block)
                break;
            for (uint32_t i = 0; i < next->insts.count; i++) {
                uint32_t v = next->insts.at[i];
                if (ir_value(ir, v)->op == IR_phi)
                    map[v] = ir_value(ir, v)->list[0];
                else
                    ir_append(ir, b, v);
            }
            block->term = next->term;
            block->cond = next->cond;
            block->succs = next->succs;
            block->succ_count = next->succ_count;
            block->cases = next->cases;
            block->site = next->site;
            next->insts.count = 0;
            next->reachable = false;
            next->succ_count = 0;
            next->term = TERM_NONE;
            next->cond = NONE;
            for (uint32_t k = 0; k < block->succ_count; k++)
                rename_pred(ir, block->succs[k], s, b);
            changed = true;
        }
    }
    if (changed)
        ir_rewrite(ir, map);
    return changed;
}

void simplify(struct ir *ir)
{
    for (int round = 0; round < 4; round++) {
        uint32_t *map = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count * 2 + 1024);
        number_values(ir, map);
        ir_rewrite(ir, map);
        bool changed = fold_branches(ir);
        if (changed)
            cfg_build(ir);
        changed |= join_lines(ir);
        if (changed)
            cfg_build(ir);
        simplify_remove_dead(ir);
        if (!changed && round)
            break;
    }
}

/* ---- loop-invariant code ------------------------------------------------------------------------------ */

static bool invariant(struct ir *ir, const struct loop *loop, uint32_t v)
{
    IR_OPERANDS(ir, v, slot)
    {
        const struct value *operand = ir_value(ir, *slot);
        if (*slot && operand->block && loop->members[operand->block])
            return false;
    }
    return true;
}

static uint32_t preheader_of(struct ir *ir, const struct loop *loop)
{
    const struct block *header = ir_block(ir, loop->header);
    uint32_t found = 0;
    for (uint32_t k = 0; k < header->pred_count; k++)
        if (!loop->members[header->preds[k]])
            found = header->preds[k];
    CHECKED(!found || ir_block(ir, found)->reachable);
    return found && ir_block(ir, found)->succ_count == 1 ? found : 0;
}

static bool hoist_from(struct ir *ir, const struct loop *loop, uint32_t preheader, uint32_t b)
{
    struct block *block = ir_block(ir, b);
    uint32_t kept = 0, count = block->insts.count;
    bool moved = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = block->insts.at[i];
        if (is_pure(ir_value(ir, v)) && invariant(ir, loop, v)) {
            ir_append(ir, preheader, v);
            block = ir_block(ir, b);
            moved = true;
        } else {
            block->insts.at[kept++] = v;
        }
    }
    block->insts.count = kept;
    return moved;
}

void simplify_hoist_invariants(struct ir *ir)
{
    for (uint32_t i = ir->loops.count; !ir->irreducible && i-- > 0;) {
        const struct loop *loop = &ir->loops.at[i];
        uint32_t preheader = preheader_of(ir, loop);
        if (!preheader)
            continue;
        for (uint32_t o = 0; o < ir->order_count; o++)
            if (loop->members[ir->order[o]])
                hoist_from(ir, loop, preheader, ir->order[o]);
    }
}

/* ---- diamonds ---------------------------------------------------------------------------------------- */

enum { DIAMOND_COST = 12 };

static bool is_slow(const struct value *v)
{
    const bool divides = v->op == IR_sdiv || v->op == IR_udiv;
    return v->op == IR_math || divides || v->op == IR_srem || v->op == IR_urem;
}

static bool cheap_arm(struct ir *ir, uint32_t b, uint32_t from, uint32_t join)
{
    const struct block *block = ir_block(ir, b);
    const bool from_alone = block->pred_count == 1 && block->preds[0] == from;
    const bool to_join = block->term == TERM_JUMP && block->succs[0] == join;
    if (!from_alone || !to_join || block->insts.count > DIAMOND_COST)
        return false;
    for (uint32_t i = 0; i < block->insts.count; i++) {
        const struct value *v = ir_value(ir, block->insts.at[i]);
        if (!is_pure(v) || is_slow(v))
            return false;
    }
    return true;
}

static uint32_t phi_operand(const struct value *phi, uint32_t from)
{
    for (uint32_t k = 0; k < phi->list_count; k++)
        if (phi->list[phi->list_count + k] == from)
            return phi->list[k];
    return NONE;
}

static void absorb(struct ir *ir, uint32_t b, uint32_t arm)
{
    struct block *block = ir_block(ir, arm);
    for (uint32_t i = 0; i < block->insts.count; i++)
        ir_append(ir, b, block->insts.at[i]);
    ir_block(ir, arm)->insts.count = 0;
}

static bool convert_diamond(struct ir *ir, uint32_t b)
{
    struct block *block = ir_block(ir, b);
    if (block->term != TERM_BRANCH || !block->reachable)
        return false;
    uint32_t t = block->succs[0], f = block->succs[1], join;
    bool then_arm = ir_block(ir, t)->succ_count == 1 && cheap_arm(ir, t, b, ir_block(ir, t)->succs[0]);
    bool else_arm = ir_block(ir, f)->succ_count == 1 && cheap_arm(ir, f, b, ir_block(ir, f)->succs[0]);
    if (then_arm && else_arm && ir_block(ir, t)->succs[0] == ir_block(ir, f)->succs[0])
        join = ir_block(ir, t)->succs[0];
    else if (then_arm && ir_block(ir, t)->succs[0] == f)
        join = f, else_arm = false;
    else if (else_arm && ir_block(ir, f)->succs[0] == t)
        join = t, then_arm = false;
    else
        return false;
    if (join == b)
        return false;
    uint32_t from_t = then_arm ? t : b, from_f = else_arm ? f : b, cond = block->cond, selects = 0;
    CHECKED(from_t != from_f);
    for (uint32_t i = 0; i < ir_block(ir, join)->insts.count; i++)
        selects += ir_value(ir, ir_block(ir, join)->insts.at[i])->op == IR_phi;
    if (selects > 6)
        return false;
    if (then_arm)
        absorb(ir, b, t);
    if (else_arm)
        absorb(ir, b, f);
    for (uint32_t i = 0; i < ir_block(ir, join)->insts.count; i++) {
        uint32_t id = ir_block(ir, join)->insts.at[i];
        struct value *phi = ir_value(ir, id);
        if (phi->op != IR_phi)
            continue;
        uint32_t a = phi_operand(phi, from_t), c = phi_operand(phi, from_f);
        CHECKED(a && c); /* each edge into the join has an operand */
        uint32_t chosen = ir_pure(ir, b, IR_select, phi->type, cond, a, c, 0);
        phi = ir_value(ir, id);
        uint32_t n = phi->list_count, kept = 0;
        uint32_t *list = ARENA_ARRAY(ir->arena, uint32_t, 2 * (n + 1));
        uint32_t *blocks = ARENA_ARRAY(ir->arena, uint32_t, n + 1);
        for (uint32_t k = 0; k < n; k++)
            if (phi->list[n + k] != from_t && phi->list[n + k] != from_f)
                list[kept] = phi->list[k], blocks[kept++] = phi->list[n + k];
        list[kept] = chosen;
        blocks[kept++] = b;
        memcpy(list + kept, blocks, kept * sizeof *list);
        phi->list = list;
        phi->list_count = kept;
    }
    jump_to(ir, ir_block(ir, b), join);
    return true;
}

void simplify_if_convert(struct ir *ir)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t o = ir->order_count; o-- > 0;)
            changed |= convert_diamond(ir, ir->order[o]);
        if (changed) {
            cfg_build(ir);
            simplify(ir);
        }
    }
}

/* ---- multiply-add ---------------------------------------------------------------------------- */

/* Fuses (a * b) + c, with both roundings, into one instruction if the product has no other use. */
void simplify_fuse(struct ir *ir)
{
    uint32_t *uses = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        uses[block->cond]++;
        for (uint32_t i = 0; i < block->insts.count; i++)
            IR_OPERANDS(ir, block->insts.at[i], slot)
        uses[*slot]++;
    }
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            struct value *v = ir_value(ir, block->insts.at[i]);
            if (v->op != IR_fadd && v->op != IR_fsub)
                continue;
            for (int k = 0; k < 2; k++) {
                uint32_t m = v->args[k], other = v->args[1 - k];
                const struct value *product = ir_value(ir, m);
                if (product->op != IR_fmul || uses[m] != 1 || product->block != ir->order[o])
                    continue;
                v->op = v->op == IR_fadd ? IR_mad : k == 0 ? IR_msub : IR_nmad;
                v->args[0] = product->args[0];
                v->args[1] = product->args[1];
                v->args[2] = other;
                break;
            }
        }
    }
    simplify_remove_dead(ir);
}
