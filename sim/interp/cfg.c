/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control-flow graph: reachability, dominators, post-dominators, loops, the order in which
 * blocks are laid out, and the shapes the later passes rely on.
 *
 * Order matters at run time: the lowest parked block always runs first, so lanes meet again at
 * a join exactly when everything that can reach the join lies before it. Hence the blocks of a
 * loop are contiguous and its latch is last.
 */
#include <string.h>

#include "orrery/checked.h"
#include "ir.h"

struct cfg_walk {
    struct ir *ir;
    bool backward; /* from a block to its predecessors */
    uint8_t *seen;
    uint32_t *post;
    uint32_t count;
};

/* ---- reachability and predecessors ------------------------------------------------------- */

/* Each block is visited once, so its entry among the predecessors of another block can only be the last so
 * far. */
static bool is_last_pred(const struct block *block, uint32_t pred)
{
    return block->pred_count && block->preds[block->pred_count - 1] == pred;
}

static void reach(struct ir *ir)
{
    LIST(uint32_t) stack = {0};
    for (uint32_t b = 0; b < ir->blocks.count; b++) {
        ir_block(ir, b)->reachable = false;
        ir_block(ir, b)->pred_count = 0;
    }
    *list_push(ir->arena, &stack) = ir->entry_block;
    ir_block(ir, ir->entry_block)->reachable = true;
    while (stack.count) {
        uint32_t b = stack.at[--stack.count];
        for (uint32_t i = 0; i < ir_block(ir, b)->succ_count; i++) {
            uint32_t s = ir_block(ir, b)->succs[i];
            if (!is_last_pred(ir_block(ir, s), b))
                ir_add_pred(ir, s, b);
            if (!ir_block(ir, s)->reachable) {
                ir_block(ir, s)->reachable = true;
                *list_push(ir->arena, &stack) = s;
            }
        }
    }
}

/* Removes operands of phis that come from blocks which are not predecessors. leads_to: for each block, the
 * last block that it was found to be a predecessor of. */
static void prune_phis(struct ir *ir, uint32_t b, uint32_t *leads_to)
{
    struct block *block = ir_block(ir, b);
    for (uint32_t i = 0; i < block->pred_count; i++)
        leads_to[block->preds[i]] = b;
    for (uint32_t i = 0; i < block->insts.count; i++) {
        struct value *phi = ir_value(ir, block->insts.at[i]);
        if (phi->op != IR_phi)
            continue;
        uint32_t n = phi->list_count, kept = 0;
        CHECKED(phi->list || !n);
        uint32_t *old = arena_copy(ir->arena, phi->list, 2 * n * sizeof *old);
        for (uint32_t k = 0; k < n; k++)
            kept += leads_to[old[n + k]] == b;
        phi->list_count = kept;
        for (uint32_t k = 0, at = 0; k < n; k++)
            if (leads_to[old[n + k]] == b) {
                phi->list[at] = old[k];
                phi->list[kept + at++] = old[n + k];
            }
    }
}

/* ---- dominators -------------------------------------------------------------------------------- */

/* Adds to `post` the blocks that are reached from `root` and were not seen before, in post-order. */
static void post_order(struct cfg_walk *w, uint32_t root)
{
    struct arena *arena = w->ir->arena;
    LIST(uint32_t) stack = {0};
    LIST(uint32_t) next = {0};
    *list_push(arena, &stack) = root;
    *list_push(arena, &next) = 0;
    w->seen[root] = 1;
    while (stack.count) {
        uint32_t b = stack.at[stack.count - 1];
        const struct block *block = ir_block(w->ir, b);
        if (next.at[next.count - 1] == (w->backward ? block->pred_count : block->succ_count)) {
            w->post[w->count++] = b;
            stack.count--;
            next.count--;
            continue;
        }
        uint32_t s = (w->backward ? block->preds : block->succs)[next.at[next.count - 1]++];
        if (!w->seen[s] && ir_block(w->ir, s)->reachable) {
            w->seen[s] = 1;
            *list_push(arena, &stack) = s;
            *list_push(arena, &next) = 0;
        }
    }
}

static uint32_t dominator_of(struct ir *ir, uint32_t b, bool post)
{
    return post ? ir_block(ir, b)->ipdom : ir_block(ir, b)->idom;
}

/* The nearest block that dominates both (post-dominates), in the tree as it is so far. number: post-order. */
static uint32_t common_dominator(struct ir *ir, const uint32_t *number, bool post, uint32_t p, uint32_t q)
{
    while (p != q) {
        while (number[p] < number[q])
            p = dominator_of(ir, p, post);
        while (number[q] < number[p])
            q = dominator_of(ir, q, post);
    }
    return p;
}

/* The trees of immediate dominators, from idom: children, and how deep each block is. */
static void link_dominators(struct ir *ir, const uint32_t *post, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        CHECKED(ir_block(ir, post[i])->idom); /* each reachable block has an immediate dominator */
    for (uint32_t b = 0; b < ir->blocks.count; b++) {
        ir_block(ir, b)->dom_children.count = 0;
        ir_block(ir, b)->frontier.count = 0;
    }
    for (uint32_t i = count; i-- > 0;)
        if (post[i] != ir->entry_block)
            *list_push(ir->arena, &ir_block(ir, ir_block(ir, post[i])->idom)->dom_children) = post[i];
    for (uint32_t i = count; i-- > 0;)
        ir_block(ir, post[i])->dom_depth =
            post[i] == ir->entry_block ? 0 : ir_block(ir, ir_block(ir, post[i])->idom)->dom_depth + 1;
}

/* Cooper, Harvey and Kennedy: iterate to the fixed point over reverse post-order. */
static void dominators(struct ir *ir, const uint32_t *post, uint32_t count)
{
    uint32_t *number = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
    for (uint32_t i = 0; i < count; i++)
        number[post[i]] = i + 1;
    for (uint32_t b = 0; b < ir->blocks.count; b++)
        ir_block(ir, b)->idom = 0;
    ir_block(ir, ir->entry_block)->idom = ir->entry_block;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = count; i-- > 0;) {
            struct block *block = ir_block(ir, post[i]);
            uint32_t dom = 0;
            if (post[i] == ir->entry_block)
                continue;
            for (uint32_t k = 0; k < block->pred_count; k++) {
                const uint32_t p = block->preds[k];
                if (ir_block(ir, p)->idom)
                    dom = common_dominator(ir, number, false, p, dom ? dom : p);
            }
            changed |= block->idom != dom;
            block->idom = dom;
        }
    }
    link_dominators(ir, post, count);
}

bool cfg_dominates(struct ir *ir, uint32_t a, uint32_t b)
{
    CHECKED(ir_block(ir, a)->reachable && ir_block(ir, b)->reachable);
    while (ir_block(ir, b)->dom_depth > ir_block(ir, a)->dom_depth)
        b = ir_block(ir, b)->idom;
    return a == b;
}

static void frontiers(struct ir *ir, const uint32_t *post, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = post[i];
        struct block *block = ir_block(ir, b);
        if (block->pred_count < 2 && !(block->pred_count == 1 && b == ir->entry_block))
            continue;
        for (uint32_t k = 0; k < block->pred_count; k++)
            for (uint32_t r = block->preds[k]; r != block->idom; r = ir_block(ir, r)->idom) {
                struct block *runner = ir_block(ir, r);
                if (!runner->frontier.count || runner->frontier.at[runner->frontier.count - 1] != b)
                    *list_push(ir->arena, &runner->frontier) = b;
                if (r == ir->entry_block)
                    break;
            }
    }
}

/* Post-dominators on the reversed graph; block 0 stands for the end. A block from which the
 * end cannot be reached has ipdom 0. As in dominators, to the fixed point. */
static void post_dominators(struct ir *ir)
{
    uint32_t n = ir->blocks.count, *number = ARENA_ARRAY(ir->arena, uint32_t, n);
    struct cfg_walk w = {ir, true, ARENA_ARRAY(ir->arena, uint8_t, n), ARENA_ARRAY(ir->arena, uint32_t, n),
                         0};
    for (uint32_t b = 1; b < n; b++) {
        ir_block(ir, b)->ipdom = 0;
        if (ir_block(ir, b)->reachable && !ir_block(ir, b)->succ_count && !w.seen[b])
            post_order(&w, b);
    }
    for (uint32_t i = 0; i < w.count; i++)
        number[w.post[i]] = i + 1;
    number[0] = w.count + 1;
    uint8_t *done = ARENA_ARRAY(ir->arena, uint8_t, n);
    done[0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = w.count; i-- > 0;) {
            struct block *block = ir_block(ir, w.post[i]);
            uint32_t dom = block->succ_count ? UINT32_MAX : 0;
            for (uint32_t k = 0; k < block->succ_count; k++) {
                const uint32_t p = block->succs[k];
                if (done[p])
                    dom = common_dominator(ir, number, true, p, dom == UINT32_MAX ? p : dom);
            }
            if (dom != UINT32_MAX && (!done[w.post[i]] || block->ipdom != dom)) {
                block->ipdom = dom;
                done[w.post[i]] = 1;
                changed = true;
            }
        }
    }
}

/* ---- loops ------------------------------------------------------------------------------------------ */

static uint32_t loop_of_header(struct ir *ir, uint32_t header)
{
    for (uint32_t i = 0; i < ir->loops.count; i++)
        if (ir->loops.at[i].header == header)
            return i;
    struct loop *loop = list_push(ir->arena, &ir->loops);
    memset(loop, 0, sizeof *loop);
    loop->header = header;
    loop->members = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count);
    loop->members[header] = 1;
    *list_push(ir->arena, &loop->blocks) = header;
    CHECKED(ir_block(ir, header)->reachable);
    return ir->loops.count - 1;
}

static void add_loop_body(struct ir *ir, uint32_t loop_index, uint32_t from)
{
    struct loop *loop = &ir->loops.at[loop_index];
    LIST(uint32_t) stack = {0};
    if (loop->members[from])
        return;
    loop->members[from] = 1;
    *list_push(ir->arena, &loop->blocks) = from;
    *list_push(ir->arena, &stack) = from;
    while (stack.count) {
        struct block *block = ir_block(ir, stack.at[--stack.count]);
        for (uint32_t k = 0; k < block->pred_count; k++) {
            uint32_t p = block->preds[k];
            if (loop->members[p] || !ir_block(ir, p)->reachable)
                continue;
            loop->members[p] = 1;
            *list_push(ir->arena, &loop->blocks) = p;
            *list_push(ir->arena, &stack) = p;
        }
    }
}

static void find_loops(struct ir *ir, const uint32_t *post, uint32_t count)
{
    uint32_t *number = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
    for (uint32_t i = 0; i < count; i++)
        number[post[i]] = i;
    ir->loops.count = 0;
    ir->irreducible = false;
    for (uint32_t i = count; i-- > 0;) { /* outer headers first */
        uint32_t b = post[i];
        struct block *block = ir_block(ir, b);
        for (uint32_t k = 0; k < block->pred_count; k++) {
            uint32_t p = block->preds[k];
            if (!ir_block(ir, p)->reachable || number[p] > number[b])
                continue;
            if (!cfg_dominates(ir, b, p)) {
                ir->irreducible = true;
                continue;
            }
            uint32_t loop = loop_of_header(ir, b);
            ir->loops.at[loop].latch = p;
            add_loop_body(ir, loop, p);
        }
    }
    for (uint32_t b = 0; b < ir->blocks.count; b++)
        ir_block(ir, b)->loop = 0;
    for (uint32_t i = 0; i < ir->loops.count; i++) { /* inner loops come later in the list and overwrite */
        struct loop *loop = &ir->loops.at[i];
        loop->parent = ir_block(ir, loop->header)->loop;
        CHECKED(loop->parent <= i && loop->latch && loop->members[loop->latch]); /* outer loops come first */
        loop->depth = loop->parent ? ir->loops.at[loop->parent - 1].depth + 1 : 1;
        for (uint32_t k = 0; k < loop->blocks.count; k++)
            ir_block(ir, loop->blocks.at[k])->loop = i + 1;
    }
}

/* ---- order -------------------------------------------------------------------------------------------- */

struct layout {
    struct ir *ir;
    uint8_t *seen;
    uint32_t *out;
    uint32_t count;
};

/* The loop directly inside `inside` that holds b, or 0 when b lies in `inside` itself. */
static uint32_t child_loop(struct ir *ir, uint32_t b, uint32_t inside)
{
    uint32_t loop = ir_block(ir, b)->loop;
    while (loop && loop != inside && ir->loops.at[loop - 1].parent != inside)
        loop = ir->loops.at[loop - 1].parent;
    return loop == inside ? 0 : loop;
}

static bool in_loop(struct ir *ir, uint32_t b, uint32_t loop)
{
    return !loop || ir->loops.at[loop - 1].members[b];
}

static void layout_region(struct layout *w, uint32_t entry, uint32_t loop, uint32_t *nodes,
                          uint32_t *node_count);

/* Depth-first over the region with each child loop as one node; nodes come out in post-order. */
static void visit_node(struct layout *w, uint32_t b, uint32_t loop, uint32_t *nodes, uint32_t *node_count)
{
    struct ir *ir = w->ir;
    uint32_t child = child_loop(ir, b, loop), node = child ? ir->loops.at[child - 1].header : b;
    if (w->seen[node])
        return;
    w->seen[node] = 1;
    uint32_t blocks = child ? ir->loops.at[child - 1].blocks.count : 1;
    for (uint32_t k = 0; k < blocks; k++) {
        uint32_t from = child ? ir->loops.at[child - 1].blocks.at[k] : b;
        struct block *block = ir_block(ir, from);
        for (uint32_t i = block->succ_count; i-- > 0;) { /* the first successor comes out first */
            uint32_t s = block->succs[i];
            bool leaves_child = !child || !in_loop(ir, s, child);
            bool back = loop && s == ir->loops.at[loop - 1].header;
            if (leaves_child && !back && in_loop(ir, s, loop))
                visit_node(w, s, loop, nodes, node_count);
        }
    }
    nodes[(*node_count)++] = node;
}

static void layout_region(struct layout *w, uint32_t entry, uint32_t loop, uint32_t *nodes,
                          uint32_t *node_count)
{
    struct ir *ir = w->ir;
    uint32_t latch = loop ? ir->loops.at[loop - 1].latch : 0;
    CHECKED(in_loop(ir, entry, loop) && loop <= ir->loops.count);
    *node_count = 0;
    visit_node(w, entry, loop, nodes, node_count);
    for (uint32_t pass = 0; pass < 2; pass++) /* the latch goes last */
        for (uint32_t i = *node_count; i-- > 0;) {
            uint32_t node = nodes[i], child = child_loop(ir, node, loop);
            if ((node == latch && !child && node != entry) != (pass == 1))
                continue;
            if (!child) {
                w->out[w->count++] = node;
                continue;
            }
            uint32_t inner_count,
                *inner = ARENA_ARRAY(ir->arena, uint32_t, ir->loops.at[child - 1].blocks.count + 1);
            w->seen[node] = 0;
            layout_region(w, node, child, inner, &inner_count);
        }
}

static void order_blocks(struct ir *ir, const uint32_t *post, uint32_t count)
{
    ir->order = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
    ir->order_count = 0;
    if (ir->irreducible) {
        for (uint32_t i = count; i-- > 0;)
            ir->order[ir->order_count++] = post[i];
    } else {
        struct layout w = {ir, ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count), ir->order, 0};
        uint32_t nodes_count, *nodes = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
        layout_region(&w, ir->entry_block, 0, nodes, &nodes_count);
        ir->order_count = w.count;
    }
    /* Blocks on a split edge run at once: right after their predecessor. */
    uint32_t *final = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count), n = 0;
    uint8_t *placed = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count);
    for (uint32_t i = 0; i < ir->order_count; i++) {
        uint32_t b = ir->order[i];
        if (ir_block(ir, b)->edge)
            continue;
        final[n++] = b;
        for (uint32_t k = 0; k < ir_block(ir, b)->succ_count; k++) {
            const uint32_t next = ir_block(ir, b)->succs[k]; /* cases of a switch may share it */
            if (ir_block(ir, next)->edge && !placed[next])
                final[n++] = next;
            placed[next] = true;
        }
    }
    ir->order = final;
    ir->order_count = n;
    CHECKED(n == count); /* each reachable block is in the order once */
    for (uint32_t i = 0; i < n; i++)
        ir_block(ir, final[i])->order = i;
}

void cfg_build(struct ir *ir)
{
    reach(ir);
    uint32_t *leads_to = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
    memset(leads_to, 0xff, ir->blocks.count * sizeof *leads_to); /* no block leads anywhere yet */
    for (uint32_t b = 0; b < ir->blocks.count; b++)
        if (ir_block(ir, b)->reachable)
            prune_phis(ir, b, leads_to);
    struct cfg_walk w = {ir, false, ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                         ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count), 0};
    post_order(&w, ir->entry_block);
    dominators(ir, w.post, w.count);
    frontiers(ir, w.post, w.count);
    post_dominators(ir);
    find_loops(ir, w.post, w.count);
    order_blocks(ir, w.post, w.count);
}

/* ---- changing the graph ---------------------------------------------------------------------- */

static void redirect(struct ir *ir, uint32_t from, uint32_t old, uint32_t new)
{
    struct block *block = ir_block(ir, from);
    for (uint32_t i = 0; i < block->succ_count; i++)
        if (block->succs[i] == old)
            block->succs[i] = new;
}

/* A new block that jumps to target and takes over the edges from the given predecessors;
 * phis of target get one operand from it, through phis of its own when there are several. */
static uint32_t insert_before(struct ir *ir, uint32_t target, const uint32_t *preds, uint32_t count)
{
    CHECKED(count > 0 && target < ir->blocks.count);
    uint32_t b = ir_new_block(ir);
    struct block *block = ir_block(ir, b);
    block->term = TERM_JUMP;
    block->succs = arena_copy(ir->arena, &target, sizeof target);
    block->succ_count = 1;
    for (uint32_t i = 0; i < ir_block(ir, target)->insts.count; i++) {
        uint32_t phi_id = ir_block(ir, target)->insts.at[i];
        if (ir_value(ir, phi_id)->op != IR_phi)
            continue;
        uint32_t n = ir_value(ir, phi_id)->list_count, rest = 0, moved = 0;
        uint32_t *old = ir_value(ir, phi_id)->list;
        uint32_t *kept = ARENA_ARRAY(ir->arena, uint32_t, 2 * (n + 1)),
                 *gone = ARENA_ARRAY(ir->arena, uint32_t, 2 * (n + 1));
        uint32_t *kept_from = ARENA_ARRAY(ir->arena, uint32_t, n + 1),
                 *gone_from = ARENA_ARRAY(ir->arena, uint32_t, n + 1);
        for (uint32_t k = 0; k < n; k++) {
            bool mine = false;
            for (uint32_t p = 0; p < count; p++)
                mine |= old[n + k] == preds[p];
            if (mine)
                gone[moved] = old[k], gone_from[moved++] = old[n + k];
            else
                kept[rest] = old[k], kept_from[rest++] = old[n + k];
        }
        if (!moved)
            continue;
        uint32_t value = gone[0];
        if (moved > 1) {
            value = ir_new_value(ir, IR_phi, ir_value(ir, phi_id)->type);
            ir_append(ir, b, value);
            memcpy(gone + moved, gone_from, moved * sizeof *gone);
            ir_value(ir, value)->list = gone;
            ir_value(ir, value)->list_count = moved;
        }
        kept[rest] = value;
        kept_from[rest++] = b;
        memcpy(kept + rest, kept_from, rest * sizeof *kept);
        ir_value(ir, phi_id)->list = kept;
        ir_value(ir, phi_id)->list_count = rest;
    }
    for (uint32_t p = 0; p < count; p++)
        redirect(ir, preds[p], target, b);
    return b;
}

static void canonical_loop(struct ir *ir, const struct loop *loop)
{
    struct block *header = ir_block(ir, loop->header);
    uint32_t *outside = ARENA_ARRAY(ir->arena, uint32_t, header->pred_count + 1), out_count = 0;
    uint32_t *inside = ARENA_ARRAY(ir->arena, uint32_t, header->pred_count + 1), in_count = 0;
    for (uint32_t k = 0; k < header->pred_count; k++) {
        uint32_t p = header->preds[k];
        if (p < ir->blocks.count && loop->members[p])
            inside[in_count++] = p;
        else
            outside[out_count++] = p;
    }
    CHECKED(in_count > 0 && in_count + out_count == header->pred_count);
    header->many_ways_back |= in_count > 1;
    if (in_count > 1 || ir_block(ir, inside[0])->succ_count > 1)
        insert_before(ir, loop->header, inside, in_count);
    if (out_count > 1 || (out_count == 1 && ir_block(ir, outside[0])->succ_count > 1))
        insert_before(ir, loop->header, outside, out_count);
}

/* An exit block all of whose predecessors lie in the loop. */
static bool dedicate_exit(struct ir *ir, const struct loop *loop, uint32_t b)
{
    struct block *block = ir_block(ir, b);
    uint32_t *inside = ARENA_ARRAY(ir->arena, uint32_t, block->pred_count + 1), count = 0;
    for (uint32_t k = 0; k < block->pred_count; k++)
        if (loop->members[block->preds[k]])
            inside[count++] = block->preds[k];
    CHECKED(count > 0 && count <= block->pred_count);
    if (count == block->pred_count)
        return false;
    insert_before(ir, b, inside, count);
    return true;
}

/* Gives each exit that is shared with blocks outside the loop a block of its own. New blocks are in no loop
 * until the next cfg_build. */
static bool dedicate_exits(struct ir *ir)
{
    uint32_t known = ir->blocks.count;
    uint8_t *touched = ARENA_ARRAY(ir->arena, uint8_t, known);
    bool changed = false;
    for (uint32_t i = ir->loops.count; i-- > 0;) {
        const struct loop *loop = &ir->loops.at[i];
        for (uint32_t k = 0; k < loop->blocks.count; k++)
            for (uint32_t s = 0; s < ir_block(ir, loop->blocks.at[k])->succ_count; s++) {
                uint32_t target = ir_block(ir, loop->blocks.at[k])->succs[s];
                if (target >= known || loop->members[target] || touched[target] ||
                    !dedicate_exit(ir, loop, target))
                    continue;
                touched[target] = 1;
                changed = true;
            }
    }
    return changed;
}

void cfg_canonical(struct ir *ir)
{
    if (ir->irreducible)
        return;
    for (uint32_t i = 0; i < ir->loops.count; i++)
        canonical_loop(ir, &ir->loops.at[i]);
    cfg_build(ir);
    while (dedicate_exits(ir))
        cfg_build(ir);
}

void cfg_split_edges(struct ir *ir)
{
    uint32_t count = ir->blocks.count;
    for (uint32_t b = 1; b < count; b++) {
        if (!ir_block(ir, b)->reachable || ir_block(ir, b)->succ_count < 2)
            continue;
        for (uint32_t i = 0; i < ir_block(ir, b)->succ_count; i++) {
            uint32_t s = ir_block(ir, b)->succs[i];
            struct block *target = ir_block(ir, s);
            if (target->edge || !target->insts.count || ir_value(ir, target->insts.at[0])->op != IR_phi)
                continue;
            uint32_t e = insert_before(ir, s, &b, 1);
            ir_block(ir, e)->edge = true;
            CHECKED(ir_block(ir, e)->succ_count == 1 && ir_block(ir, e)->succs[0] == s);
        }
    }
    cfg_build(ir);
}

/* ---- loop-closed form -------------------------------------------------------------------------------- */

/* A value that is used outside its loop passes a phi at the exit of that loop. Such a phi is a new
 * definition, so other phis merge it with the phis of other exits: at the iterated dominance frontier of
 * the exits (Cytron et al., 1991), and nowhere else. Any other block is reached by the definition that
 * reaches the end of its immediate dominator: phis put there would be trivial, and would lie in later
 * loops as values that leave those without a phi. If a frontier lies in another loop, the phi there is
 * closed for that loop in the next round. The rounds end: a phi made for a value lies outside the value's
 * loop and is strictly dominated by the value's block. */

/* The uses of a value. The operand of a phi counts as a use in the block that the value comes from; user 0
 * is the condition of a block. Lists for each value, linked through `older`. */
struct cfg_use {
    uint32_t user, block, slot, older;
};

struct closing {
    struct ir *ir;
    const struct loop *loop;
    uint8_t *joins; /* for each block: a value of the loop passes a phi there */
    bool made;      /* a phi, in this round */
    uint32_t value;
    /* for each block: the definition that reaches its start, valid if visited is the value */
    uint32_t *at_start, *visited;
    LIST(struct cfg_use) uses;
    LIST(uint32_t) newest; /* for each value */
};

static uint32_t value_at_end(struct closing *c, uint32_t b);

static void add_use(struct closing *c, uint32_t value, uint32_t user, uint32_t block, uint32_t slot)
{
    while (c->newest.count <= value)
        *list_push(c->ir->arena, &c->newest) = 0;
    *list_push(c->ir->arena, &c->uses) = (struct cfg_use){user, block, slot, c->newest.at[value]};
    c->newest.at[value] = c->uses.count - 1;
    CHECKED(c->uses.at[c->uses.count - 1].older < c->uses.count - 1);
}

static void collect_uses(struct closing *c)
{
    struct ir *ir = c->ir;
    *list_push(ir->arena, &c->uses) = (struct cfg_use){0};
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o];
        for (uint32_t i = 0; i < ir_block(ir, b)->insts.count; i++) {
            uint32_t user = ir_block(ir, b)->insts.at[i];
            const struct value *value = ir_value(ir, user);
            IR_OPERANDS(ir, user, slot)
            if (*slot)
                add_use(c, *slot, user,
                        value->op == IR_phi && _k >= 3 ? value->list[value->list_count + _k - 3] : b, _k);
        }
        if (ir_block(ir, b)->cond)
            add_use(c, ir_block(ir, b)->cond, 0, b, 0);
    }
}

uint32_t cfg_phi_at(struct ir *ir, uint32_t b, enum scalar type)
{
    uint32_t phi = ir_new_value(ir, IR_phi, type);
    struct block *block = ir_block(ir, b);
    ir_append(ir, b, phi);
    memmove(block->insts.at + 1, block->insts.at, (block->insts.count - 1) * sizeof *block->insts.at);
    block->insts.at[0] = phi;
    return phi;
}

static uint32_t reaching_phi(struct closing *c, uint32_t b)
{
    struct ir *ir = c->ir;
    uint32_t phi = cfg_phi_at(ir, b, ir_value(ir, c->value)->type);
    c->made = true;
    c->visited[b] = c->value;
    c->at_start[b] = phi;
    uint32_t n = ir_block(ir, b)->pred_count, *list = ARENA_ARRAY(ir->arena, uint32_t, 2 * n);
    CHECKED(n > 0 && !c->loop->members[b]);
    for (uint32_t k = 0; k < n; k++) {
        list[k] = value_at_end(c, ir_block(ir, b)->preds[k]);
        list[n + k] = ir_block(ir, b)->preds[k];
        add_use(c, list[k], phi, list[n + k], 3 + k);
    }
    ir_value(ir, phi)->list = list;
    ir_value(ir, phi)->list_count = n;
    return phi;
}

static uint32_t value_at_start(struct closing *c, uint32_t b)
{
    if (c->visited[b] == c->value)
        return c->at_start[b];
    if (c->joins[b])
        return reaching_phi(c, b);
    CHECKED(b != c->ir->entry_block); /* the loop's blocks dominate every block that the value reaches */
    uint32_t reaching = value_at_end(c, ir_block(c->ir, b)->idom);
    c->visited[b] = c->value;
    return c->at_start[b] = reaching;
}

static uint32_t value_at_end(struct closing *c, uint32_t b)
{
    return c->loop->members[b] ? c->value : value_at_start(c, b);
}

static void close_value(struct closing *c, uint32_t v)
{
    struct ir *ir = c->ir;
    uint32_t u = v < c->newest.count ? c->newest.at[v] : 0, kept = 0;
    c->value = v;
    if (u)
        c->newest.at[v] = 0; /* uses within the loop stay as they are */
    for (uint32_t older; u; u = older) {
        struct cfg_use use = c->uses.at[u];
        older = use.older;
        if (c->loop->members[use.block]) {
            c->uses.at[u].older = kept;
            kept = u;
            continue;
        }
        bool from_phi = use.user && ir_value(ir, use.user)->op == IR_phi && use.slot >= 3;
        uint32_t reaching = from_phi ? value_at_end(c, use.block) : value_at_start(c, use.block);
        *(use.user ? ir_operand_slot(ir, use.user, use.slot) : &ir_block(ir, use.block)->cond) = reaching;
        add_use(c, reaching, use.user, use.block, use.slot);
    }
    while (kept) {
        uint32_t next = c->uses.at[kept].older;
        c->uses.at[kept].older = c->newest.at[v];
        c->newest.at[v] = kept;
        kept = next;
    }
}

/* The exits of the loop and their iterated dominance frontier. */
static void find_joins(struct closing *c)
{
    struct ir *ir = c->ir;
    LIST(uint32_t) work = {0};
    memset(c->joins, 0, ir->blocks.count);
    for (uint32_t k = 0; k < c->loop->blocks.count; k++) {
        const struct block *block = ir_block(ir, c->loop->blocks.at[k]);
        for (uint32_t s = 0; s < block->succ_count; s++)
            if (!c->loop->members[block->succs[s]])
                *list_push(ir->arena, &work) = block->succs[s];
    }
    while (work.count) {
        const uint32_t b = work.at[--work.count];
        if (c->joins[b] || c->loop->members[b])
            continue;
        c->joins[b] = 1;
        for (uint32_t k = 0; k < ir_block(ir, b)->frontier.count; k++)
            *list_push(ir->arena, &work) = ir_block(ir, b)->frontier.at[k];
    }
}

static void close_loop(struct closing *c)
{
    struct ir *ir = c->ir;
    find_joins(c);
    memset(c->visited, 0, ir->blocks.count * sizeof *c->visited);
    for (uint32_t k = 0; k < c->loop->blocks.count; k++) {
        uint32_t b = c->loop->blocks.at[k];
        for (uint32_t i = 0; i < ir_block(ir, b)->insts.count; i++)
            close_value(c, ir_block(ir, b)->insts.at[i]);
    }
}

/* Every use of v outside the loop is an operand of a phi that comes from inside it. */
static bool value_is_closed(const struct closing *c, uint32_t v)
{
    for (uint32_t u = v < c->newest.count ? c->newest.at[v] : 0; u; u = c->uses.at[u].older)
        if (!c->loop->members[c->uses.at[u].block])
            return false;
    return true;
}

bool cfg_check_loop_closed(struct ir *ir)
{
    struct closing c = {.ir = ir};
    if (ir->irreducible)
        return true;
    collect_uses(&c);
    for (uint32_t i = 0; i < ir->loops.count; i++) {
        c.loop = &ir->loops.at[i];
        for (uint32_t k = 0; k < c.loop->blocks.count; k++) {
            const struct block *block = ir_block(ir, c.loop->blocks.at[k]);
            for (uint32_t n = 0; n < block->insts.count; n++)
                if (!value_is_closed(&c, block->insts.at[n]))
                    return false;
        }
    }
    return true;
}

void cfg_loop_closed(struct ir *ir)
{
    struct closing c = {.ir = ir};
    if (ir->irreducible || !ir->loops.count)
        return;
    c.at_start = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
    c.visited = ARENA_ARRAY(ir->arena, uint32_t, ir->blocks.count);
    c.joins = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count);
    collect_uses(&c);
    do {
        c.made = false;
        for (uint32_t i = ir->loops.count; i-- > 0;) { /* inner loops first */
            c.loop = &ir->loops.at[i];
            close_loop(&c);
        }
    } while (c.made);
    CHECKED(cfg_check_loop_closed(ir));
}
