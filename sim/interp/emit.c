/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From classed SSA to bytecode: operands get the form their handler wants, values get frame
 * slots, phis become copies on their edges, instructions are written out.
 *
 * Slots. An interval runs from definition to last use in layout order, without holes, and over
 * every loop that a value is carried through. That alone keeps parked lanes safe: while they wait
 * at a block, only blocks laid out before it run, and what they need lives across those. A
 * phi's interval starts at its first copy for the same reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_op.h"
#include "ir.h"
#include "math.h"

enum { FRAME_BYTES_MAX = 1 << 30 };
enum { SLOT_NONE, SLOT_U, SLOT_A, SLOT_V1, SLOT_V2, SLOT_V4, SLOT_V8, SLOT_MASK, SLOT_CLASSES };

struct segment {
    uint32_t start, end, next;
};
struct group {
    uint32_t start, end, first_segment, slot_class, offset;
    bool used;
};

struct emitter {
    struct ir *ir;
    struct arena *arena;
    uint32_t width;
    uint32_t *group_of;   /* value -> group (union-find) */
    struct group *groups; /* per value */
    LIST(struct segment) segments;
    uint32_t *def_position, *block_first, *block_last;
    uint32_t *splat_of, *lanes_of; /* value -> its splat, its to_v */
    LIST(struct insn) insns;
    LIST(uint16_t) ops;
    LIST(uint32_t) operands;
    LIST(uint8_t) template; /* frame start */
    uint32_t frame_size;
    uint32_t *leaf_offset; /* value -> frame offset, for leaves */
    uint32_t args_offset;
    uint32_t scratch[SLOT_CLASSES], lanes_scratch;
    uint8_t *edge_empty; /* block -> nothing but a jump */
    uint32_t private_size;
    LIST(struct private_object) objects;
    uint32_t *object_of; /* private variable -> 1 + object */
    bool divergent;
    bool yield; /* a preemption point waits for its instruction */
};

static struct value *val(struct emitter *e, uint32_t v)
{
    return ir_value(e->ir, v);
}

/* ---- operand forms ---------------------------------------------------------------------------- */

/* Puts a new value right behind the definition of `of` (behind the phis; in the entry block
 * for leaves). */
static void place_behind(struct emitter *e, uint32_t of, uint32_t v)
{
    uint32_t b = val(e, of)->block ? val(e, of)->block : e->ir->entry_block, at = 0;
    ir_append(e->ir, b, v);
    struct block *block = ir_block(e->ir, b);
    uint32_t count = block->insts.count - 1;
    for (uint32_t i = 0; i < count && val(e, of)->block; i++)
        if (block->insts.at[i] == of)
            at = i + 1;
    while (at < count &&
           (val(e, block->insts.at[at])->op == IR_extract || val(e, block->insts.at[at])->op == IR_phi ||
            val(e, block->insts.at[at])->op == IR_math_second))
        at++;
    memmove(block->insts.at + at + 1, block->insts.at + at, (count - at) * sizeof *block->insts.at);
    block->insts.at[at] = v;
}

static uint32_t in_lanes(struct emitter *e, uint32_t v, bool splat)
{
    enum value_class cls = val(e, v)->cls;
    if (cls == CLASS_V || (cls == CLASS_U && !splat))
        return v;
    uint32_t *known = cls == CLASS_A ? &e->lanes_of[v] : &e->splat_of[v];
    if (!*known) {
        *known = ir_new_value(e->ir, cls == CLASS_A ? IR_to_v : IR_splat, val(e, v)->type);
        val(e, *known)->cls = CLASS_V;
        val(e, *known)->args[0] = v;
        place_behind(e, v, *known);
    }
    return *known;
}

static void lanes_only(struct emitter *e, uint32_t v, uint32_t first, uint32_t last)
{
    for (uint32_t k = first; k <= last; k++) {
        uint32_t *slot = ir_operand_slot(e->ir, v, k);
        if (slot && *slot)
            *ir_operand_slot(e->ir, v, k) = in_lanes(e, *slot, true);
    }
}

static void no_affine(struct emitter *e, uint32_t v)
{
    for (uint32_t k = 0; k < 3; k++)
        if (val(e, v)->args[k])
            val(e, v)->args[k] = in_lanes(e, val(e, v)->args[k], false);
}

/* A varying base and a uniform index: scale the index once. */
static void prepare_index(struct emitter *e, uint32_t v)
{
    struct ir *ir = e->ir;
    if (val(e, v)->cls != CLASS_V)
        return;
    uint32_t a = val(e, v)->args[0], b = val(e, v)->args[1];
    if (b && val(e, b)->cls != CLASS_U) {
        val(e, v)->args[0] = in_lanes(e, a, false);
        val(e, v)->args[1] = in_lanes(e, b, false);
        return;
    }
    uint32_t step;
    if (b) {
        step = ir_new_value(ir, IR_index, T_I64);
        val(e, step)->cls = CLASS_U;
        val(e, step)->args[0] = ir_const(ir, T_I64, 0);
        val(e, step)->args[1] = b;
        val(e, step)->imm = val(e, v)->imm;
        val(e, step)->offset = val(e, v)->offset;
        place_behind(e, b, step);
    } else {
        step = ir_const(ir, T_I64, (uint64_t)val(e, v)->offset);
    }
    struct value *value = val(e, v);
    value->op = IR_add;
    value->args[0] = in_lanes(e, a, false);
    val(e, v)->args[1] = step;
    val(e, v)->imm = 0;
    val(e, v)->offset = 0;
}

static void place_before(struct emitter *e, uint32_t user, uint32_t v)
{
    struct block *block = ir_block(e->ir, val(e, user)->block);
    ir_append(e->ir, val(e, user)->block, v);
    uint32_t at = block->insts.count - 1;
    for (; block->insts.at[at - 1] != user; at--)
        block->insts.at[at] = block->insts.at[at - 1];
    block->insts.at[at] = user;
    block->insts.at[at - 1] = v;
}

/* The value of the first active lane, for operands that are uniform by the specification. */
static uint32_t in_one_lane(struct emitter *e, uint32_t user, uint32_t v)
{
    if (val(e, v)->cls == CLASS_U)
        return v;
    v = in_lanes(e, v, true);
    uint32_t first = ir_new_value(e->ir, IR_first, val(e, v)->type);
    val(e, first)->args[0] = v;
    place_before(e, user, first);
    return first;
}

/* The same, of arguments that the program may have got wrong. */
static uint32_t in_all_lanes_alike(struct emitter *e, uint32_t user, uint32_t v, uint32_t argument)
{
    if (val(e, v)->cls == CLASS_U)
        return v;
    uint32_t lanes = in_lanes(e, v, true), check = ir_new_value(e->ir, IR_same, T_NONE);
    val(e, check)->args[0] = lanes;
    val(e, check)->site = val(e, user)->site;
    val(e, check)->imm = argument;
    place_before(e, user, check);
    return in_one_lane(e, user, lanes);
}

static void prepare(struct emitter *e, uint32_t v)
{
    struct value *value = val(e, v);
    switch (ir_families[value->op]) {
    case FAMILY_INT2:
    case FAMILY_FLT2:
    case FAMILY_FLT3:
    case FAMILY_ICMP:
    case FAMILY_FCMP:
    case FAMILY_BOOL2:
    case FAMILY_INT1:
    case FAMILY_FLT1:
    case FAMILY_FTEST:
    case FAMILY_BOOL1:
        if (value->cls != CLASS_A)
            no_affine(e, v);
        return;
    default: break;
    }
    enum storage storage = value->storage;
    switch (value->op) {
    case IR_trunc:
    case IR_zext:
    case IR_sext:
    case IR_cvt:
        if (value->cls != CLASS_A)
            no_affine(e, v);
        break;
    case IR_select:
        no_affine(e, v);
        if (val(e, v)->cls == CLASS_V &&
            (val(e, val(e, v)->args[0])->cls == CLASS_U || val(e, v)->type == T_BOOL))
            lanes_only(e, v, 1, 2);
        break;
    case IR_index: prepare_index(e, v); break;
    case IR_math:
        if (value->cls == CLASS_V)
            lanes_only(e, v, 0, 2);
        break;
    case IR_space: lanes_only(e, v, 0, 0); break;
    case IR_poison_check:
    case IR_same: break;
    case IR_poison_store: lanes_only(e, v, 1, 1); /* fall through */
    case IR_poison_load:
    case IR_load:
        if (storage == STORAGE_GENERIC)
            lanes_only(e, v, 0, 0);
        else if (storage == STORAGE_PRIVATE)
            no_affine(e, v);
        break;
    case IR_store:
        if (storage == STORAGE_GENERIC)
            lanes_only(e, v, 0, 0);
        else if (storage == STORAGE_PRIVATE)
            no_affine(e, v);
        lanes_only(e, v, 3, 2 + val(e, v)->list_count);
        break;
    case IR_atomic:
        lanes_only(e, v,
                   storage == STORAGE_GENERIC || storage == STORAGE_PRIVATE ||
                           val(e, value->args[0])->cls != CLASS_U
                       ? 0
                       : 1,
                   2);
        break;
    case IR_copy: lanes_only(e, v, 0, 2); break;
    case IR_printf: {
        uint32_t one = in_one_lane(e, v, value->args[0]);
        val(e, v)->args[0] = one;
    }
        lanes_only(e, v, 3, 2 + val(e, v)->list_count);
        break;
    case IR_async_copy:
    case IR_barrier:
        if (value->op == IR_barrier && value->imm == 3) {
            lanes_only(e, v, 3, 2 + value->list_count);
            break;
        }
        for (uint32_t k = 0; k < val(e, v)->list_count; k++) {
            uint32_t argument = val(e, v)->op == IR_barrier ? 0 : (k + 1) | (k < 2 ? 256 : 0);
            uint32_t one = in_all_lanes_alike(e, v, val(e, v)->list[k], argument);
            val(e, v)->list[k] = one;
        }
        break;
    case IR_pipe:
    case IR_enqueue:
    case IR_collective: lanes_only(e, v, 3, 2 + value->list_count); break;
    case IR_image_read:
    case IR_image_write:
        lanes_only(e, v, 2, 2 + value->list_count); /* fall through */
    case IR_image_query:
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t slot = val(e, v)->args[k], one = slot ? in_one_lane(e, v, slot) : NONE;
            val(e, v)->args[k] = one;
        }
        break;
    default: break;
    }
}

/* Constant offsets go into the access. */
static void fold_offset(struct emitter *e, uint32_t v)
{
    struct value *value = val(e, v);
    if (value->op != IR_load && value->op != IR_store && value->op != IR_poison_load &&
        value->op != IR_poison_store)
        return;
    const struct value *address = val(e, value->args[0]);
    int64_t offset = value->offset + address->offset;
    if (address->op == IR_index && address->offset && offset == (int32_t)offset) {
        if (!address->args[1]) {
            value->args[0] = address->args[0];
            value->offset = offset;
        }
    }
}

static uint32_t root_object(struct emitter *e, uint32_t address)
{
    const struct value *v = val(e, address);
    while (v->op == IR_index || v->op == IR_to_v || v->op == IR_splat ||
           (v->op == IR_add && v->type == T_I64))
        v = val(e, v->args[0]);
    return v->op == IR_private_address ? e->object_of[v->imm] : 0;
}

static void prepare_all(struct emitter *e)
{
    struct ir *ir = e->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o], count = ir_block(ir, b)->insts.count;
        uint32_t *insts = arena_copy(e->arena, ir_block(ir, b)->insts.at, count * sizeof *insts);
        for (uint32_t i = 0; i < count; i++) {
            fold_offset(e, insts[i]);
            if (val(e, insts[i])->op == IR_load || val(e, insts[i])->op == IR_store)
                val(e, insts[i])->object = root_object(e, val(e, insts[i])->args[0]);
            prepare(e, insts[i]);
        }
        uint32_t cond = ir_block(ir, b)->cond;
        if (cond)
            ir_block(ir, b)->cond = in_lanes(e, cond, false);
    }
}

/* ---- slots ------------------------------------------------------------------------------------------- */

static uint32_t slot_class(const struct value *v)
{
    static const uint8_t lanes[] = {SLOT_NONE, SLOT_MASK, SLOT_V1, SLOT_V2, SLOT_V4,
                                    SLOT_V8,   SLOT_V2,   SLOT_V4, SLOT_V8};
    if (v->type == T_NONE)
        return SLOT_NONE;
    return v->cls == CLASS_U ? SLOT_U : v->cls == CLASS_A ? SLOT_A : lanes[v->type];
}

static uint32_t lane_slot_bytes(const struct emitter *e, uint32_t cls)
{
    static const uint8_t bytes[] = {0, 0, 8, 1, 2, 4, 8, 0};
    if (cls == SLOT_MASK)
        return 64; /* LANE_MASK_WORDS words, a line of its own */
    uint32_t size = e->width * bytes[cls];
    return (size + 63) / 64 * 64 + (size >= 1024 ? 64 : 0); /* an odd number of lines: no 4 KiB aliasing */
}

static uint32_t find_group(struct emitter *e, uint32_t v)
{
    while (e->group_of[v] != v)
        v = e->group_of[v] = e->group_of[e->group_of[v]];
    return v;
}

static void extend(struct group *g, uint32_t start, uint32_t end)
{
    if (!g->used || start < g->start)
        g->start = start;
    if (!g->used || end > g->end)
        g->end = end;
    g->used = true;
}

static uint32_t edge_loop(struct ir *ir, uint32_t b)
{
    return ir_block(ir, b)->edge ? ir_block(ir, ir_block(ir, b)->preds[0])->loop : ir_block(ir, b)->loop;
}

static uint32_t loop_end(struct emitter *e, uint32_t loop)
{
    uint32_t end = 0;
    const struct loop *l = &e->ir->loops.at[loop - 1];
    for (uint32_t i = 0; i < l->blocks.count; i++) {
        struct block *block = ir_block(e->ir, l->blocks.at[i]);
        if (e->block_last[l->blocks.at[i]] > end)
            end = e->block_last[l->blocks.at[i]];
        for (uint32_t k = 0; k < block->succ_count; k++)
            if (ir_block(e->ir, block->succs[k])->edge && e->block_last[block->succs[k]] > end)
                end = e->block_last[block->succs[k]];
    }
    return 2 * end + 1;
}

static uint32_t loop_start(struct emitter *e, uint32_t loop)
{
    return 2 * e->block_first[e->ir->loops.at[loop - 1].header];
}

static bool holds(struct ir *ir, uint32_t loop, uint32_t b)
{
    return ir->loops.at[loop - 1].members[b] ||
           (ir_block(ir, b)->edge && ir->loops.at[loop - 1].members[ir_block(ir, b)->preds[0]] &&
            ir->loops.at[loop - 1].members[ir_block(ir, b)->succs[0]]);
}

static void use_at(struct emitter *e, uint32_t v, uint32_t b, uint32_t time)
{
    struct ir *ir = e->ir;
    if (!v || ir_families[val(e, v)->op] == FAMILY_LEAF)
        return;
    uint32_t def = val(e, v)->block, end = time;
    for (uint32_t l = edge_loop(ir, b); l; l = ir->loops.at[l - 1].parent)
        if (!holds(ir, l, def) && loop_end(e, l) > end)
            end = loop_end(e, l);
    extend(&e->groups[v], e->groups[v].used ? e->groups[v].start : end, end);
}

static void number_positions(struct emitter *e)
{
    struct ir *ir = e->ir;
    uint32_t position = 1;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o];
        e->block_first[b] = position++;
        for (uint32_t i = 0; i < ir_block(ir, b)->insts.count; i++)
            e->def_position[ir_block(ir, b)->insts.at[i]] =
                val(e, ir_block(ir, b)->insts.at[i])->op == IR_phi ? e->block_first[b] : position++;
        e->block_last[b] = position++;
    }
}

static void add_segment(struct emitter *e, uint32_t g, uint32_t start, uint32_t end)
{
    *list_push(e->arena, &e->segments) = (struct segment){start, end, e->groups[g].first_segment};
    e->groups[g].first_segment = e->segments.count - 1;
}

static void phi_interval(struct emitter *e, uint32_t v, uint32_t b)
{
    struct ir *ir = e->ir;
    const struct value *phi = val(e, v);
    struct group *g = &e->groups[v];
    uint32_t start = 2 * e->block_first[b], end = g->used ? g->end : start;
    for (uint32_t k = 0; k < phi->list_count; k++) {
        uint32_t from = phi->list[phi->list_count + k], time = 2 * e->block_last[from] + 1;
        if (time < start)
            start = time;
        for (uint32_t l = edge_loop(ir, from); l; l = ir->loops.at[l - 1].parent)
            if (!ir->loops.at[l - 1].members[b] && loop_start(e, l) < start)
                start = loop_start(e, l);
    }
    extend(g, start, end);
    add_segment(e, v, start, end);
    for (uint32_t k = 0; k < phi->list_count; k++) {
        uint32_t time = 2 * e->block_last[phi->list[phi->list_count + k]] + 1;
        if (time > end)
            add_segment(e, v, time, time);
        extend(g, time < start ? time : start, time);
    }
}

/* Operands that are still read after the first result is written. */
static bool reads_late(const struct value *v)
{
    return ir_families[v->op] == FAMILY_EFFECT || v->op == IR_math || v->op == IR_space ||
           v->op == IR_poison_load;
}

static void find_intervals(struct emitter *e)
{
    struct ir *ir = e->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o];
        struct block *block = ir_block(ir, b);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            uint32_t v = block->insts.at[i];
            const struct value *value = val(e, v);
            for (uint32_t k = 0; value->op == IR_phi && k < value->list_count; k++)
                use_at(e, value->list[k], value->list[value->list_count + k],
                       2 * e->block_last[value->list[value->list_count + k]]);
            if (value->op != IR_phi)
                IR_OPERANDS(ir, v, slot)
            use_at(e, *slot, b, 2 * e->def_position[v] + reads_late(value));
        }
        use_at(e, block->cond, b, 2 * e->block_last[b]);
    }
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o];
        struct block *block = ir_block(ir, b);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            uint32_t v = block->insts.at[i];
            if (!slot_class(val(e, v)))
                continue;
            e->groups[v].slot_class = slot_class(val(e, v));
            if (val(e, v)->op == IR_phi) {
                phi_interval(e, v, b);
                continue;
            }
            /* the components of a load appear with the load */
            uint32_t def =
                val(e, v)->op == IR_extract || val(e, v)->op == IR_math_second ? val(e, v)->args[0] : v;
            uint32_t start = 2 * e->def_position[def] + 1, end = e->groups[v].used ? e->groups[v].end : start;
            if (end < start)
                end = start;
            extend(&e->groups[v], start, end);
            add_segment(e, v, start, end);
        }
    }
    for (uint32_t v = 1; ir->irreducible && v < ir->values.count; v++)
        if (e->groups[v].used) {
            e->groups[v].start = 0;
            e->groups[v].end = UINT32_MAX / 2;
        }
}

static bool disjoint(struct emitter *e, uint32_t a, uint32_t b)
{
    for (uint32_t i = e->groups[a].first_segment; i; i = e->segments.at[i].next)
        for (uint32_t k = e->groups[b].first_segment; k; k = e->segments.at[k].next)
            if (e->segments.at[i].start <= e->segments.at[k].end &&
                e->segments.at[k].start <= e->segments.at[i].end)
                return false;
    return true;
}

/* A phi and its operand share a slot when they are never both needed: no copy then. */
static void coalesce(struct emitter *e, uint32_t phi, uint32_t operand)
{
    if (ir_families[val(e, operand)->op] == FAMILY_LEAF ||
        slot_class(val(e, operand)) != slot_class(val(e, phi)))
        return;
    uint32_t a = find_group(e, phi), b = find_group(e, operand);
    if (a == b || !e->groups[b].used || !disjoint(e, a, b))
        return;
    e->group_of[b] = a;
    extend(&e->groups[a], e->groups[b].start, e->groups[b].end);
    uint32_t last = e->groups[a].first_segment;
    while (e->segments.at[last].next)
        last = e->segments.at[last].next;
    e->segments.at[last].next = e->groups[b].first_segment;
}

static void coalesce_phis(struct emitter *e)
{
    struct ir *ir = e->ir;
    for (uint32_t o = ir->order_count; !ir->irreducible && o-- > 0;) {
        struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count && val(e, block->insts.at[i])->op == IR_phi; i++) {
            const struct value *phi = val(e, block->insts.at[i]);
            for (uint32_t k = phi->list_count; k-- > 0;)
                coalesce(e, block->insts.at[i], phi->list[k]);
        }
    }
}

static int by_start(const void *a, const void *b, void *groups)
{
    const struct group *group = groups;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (group[x].start != group[y].start)
        return group[x].start < group[y].start ? -1 : 1;
    return x < y ? -1 : x > y;
}

static uint32_t new_lane_slot(struct emitter *e, uint32_t cls)
{
    uint32_t offset = (e->frame_size + 63) / 64 * 64;
    if (offset > FRAME_BYTES_MAX)
        module_fail(e->ir->module, STATUS_OUT_OF_RESOURCES, "kernel %s keeps more than %d MiB of values",
                    e->ir->entry->name, FRAME_BYTES_MAX >> 20);
    e->frame_size = offset + lane_slot_bytes(e, cls);
    return offset;
}

static uint32_t template_room(struct emitter *e, uint32_t bytes, uint32_t align)
{
    while (e->template.count % align)
        *list_push(e->arena, &e->template) = 0;
    uint32_t offset = e->template.count;
    for (uint32_t i = 0; i < bytes; i++)
        *list_push(e->arena, &e->template) = 0;
    return offset;
}

/* First the U and A cells, which lie in the template; then lane slots behind it. */
static void assign_slots(struct emitter *e)
{
    uint32_t values = e->ir->values.count, n = 0;
    uint32_t *order = ARENA_ARRAY(e->arena, uint32_t, values + 1);
    LIST(uint32_t) active = {0};
    LIST(uint32_t) free_slots[SLOT_CLASSES] = {{0}};
    struct slot {
        uint32_t offset;
    };
    for (uint32_t v = 1; v < values; v++)
        if (e->groups[v].used && e->groups[v].slot_class && find_group(e, v) == v)
            order[n++] = v;
    qsort_r(order, n, sizeof *order, by_start, e->groups);
    /* logical slots per class */
    uint32_t made[SLOT_CLASSES] = {0};
    for (uint32_t i = 0; i < n; i++) {
        struct group *g = &e->groups[order[i]];
        uint32_t kept = 0;
        for (uint32_t k = 0; k < active.count; k++) {
            struct group *old = &e->groups[active.at[k]];
            if (old->end < g->start)
                *list_push(e->arena, &free_slots[old->slot_class]) = old->offset;
            else
                active.at[kept++] = active.at[k];
        }
        active.count = kept;
        if (free_slots[g->slot_class].count)
            g->offset = free_slots[g->slot_class].at[--free_slots[g->slot_class].count];
        else
            g->offset = made[g->slot_class]++;
        *list_push(e->arena, &active) = order[i];
    }
    uint32_t *real[SLOT_CLASSES], a_lanes = 0;
    for (uint32_t c = SLOT_U; c < SLOT_CLASSES; c++)
        real[c] = ARENA_ARRAY(e->arena, uint32_t, made[c] + 2);
    for (uint32_t c = SLOT_U; c <= SLOT_A; c++)
        for (uint32_t i = 0; i <= made[c]; i++)
            real[c][i] = template_room(e, c == SLOT_U ? 8 : (uint32_t)sizeof(struct affine), 8);
    e->frame_size = e->template.count;
    for (uint32_t c = SLOT_V1; c < SLOT_CLASSES; c++)
        for (uint32_t i = 0; i <= made[c]; i++)
            if (i < made[c] || c != SLOT_NONE)
                real[c][i] = new_lane_slot(e, c);
    for (uint32_t i = 0; i <= made[SLOT_A]; i++) {
        struct affine *cell = (struct affine *)(void *)(e->template.at + real[SLOT_A][i]);
        a_lanes = new_lane_slot(e, SLOT_V8);
        cell->slot = a_lanes;
    }
    for (uint32_t k = 0; k < 11; k++) { /* affine inputs */
        uint32_t offset = INPUT_FIRST_AFFINE + k * AFFINE_STRIDE;
        struct affine *cell = (struct affine *)(void *)(e->template.at + offset);
        if (cell->slot == 1)
            cell->slot = new_lane_slot(e, SLOT_V8);
    }
    for (uint32_t i = 0; i < n; i++)
        e->groups[order[i]].offset = real[e->groups[order[i]].slot_class][e->groups[order[i]].offset];
    for (uint32_t c = SLOT_U; c < SLOT_CLASSES; c++)
        e->scratch[c] = real[c][made[c]];
    e->lanes_scratch = new_lane_slot(e, SLOT_V8);
}

/* ---- leaves ----------------------------------------------------------------------------------------------
 */

static uint32_t constant_cell(struct emitter *e, uint64_t bits)
{
    for (uint32_t at = e->args_offset + (e->ir->args_size + 15) / 8 * 8; at + 8 <= e->template.count; at += 8)
        if (!memcmp(e->template.at + at, &bits, 8))
            return at;
    uint32_t offset = template_room(e, 8, 8);
    memcpy(e->template.at + offset, &bits, 8);
    return offset;
}

static void place_leaf(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t *offset = &e->leaf_offset[v];
    if (*offset != UINT32_MAX)
        return;
    switch (value->op) {
    case IR_const: *offset = constant_cell(e, value->imm); break;
    case IR_undef: *offset = constant_cell(e, 0); break;
    case IR_arg: *offset = e->args_offset + (uint32_t)value->imm; break;
    case IR_input:
        if (value->imm >= INPUT_END)
            module_fail(e->ir->module, STATUS_BAD_BINARY,
                        "kernel '%s': the address of a built-in variable is used for more than a load",
                        e->ir->entry->name);
        *offset = (uint32_t)value->imm;
        if (*offset >= INPUT_FIRST_AFFINE)
            ((struct affine *)(void *)(e->template.at + *offset))->slot = 1;
        break;
    case IR_local_address: *offset = e->ir->locals.at[value->imm].cell; break;
    default: /* private_address */
        *offset = constant_cell(e, PRIVATE_BASE + e->ir->private_variables.at[value->imm].offset);
    }
}

static void place_leaves(struct emitter *e)
{
    struct ir *ir = e->ir;
    template_room(e, INPUT_END, 64);
    e->args_offset = template_room(e, (ir->args_size + 15) / 8 * 8, 64);
    e->leaf_offset = ARENA_ARRAY(e->arena, uint32_t, ir->values.count + 1);
    memset(e->leaf_offset, 0xff, (ir->values.count + 1) * sizeof *e->leaf_offset);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i <= block->insts.count; i++) {
            if (i == block->insts.count) {
                if (block->cond && ir_families[val(e, block->cond)->op] == FAMILY_LEAF)
                    place_leaf(e, block->cond);
                break;
            }
            IR_OPERANDS(ir, block->insts.at[i], slot)
            if (*slot && ir_families[val(e, *slot)->op] == FAMILY_LEAF &&
                val(e, *slot)->op != IR_local_address)
                place_leaf(e, *slot);
        }
    }
    for (uint32_t i = 0; i < ir->locals.count; i++)
        ir->locals.at[i].cell = template_room(e, 8, 8);
    for (uint32_t v = 1; v < ir->values.count; v++)
        if (val(e, v)->op == IR_local_address)
            place_leaf(e, v);
}

static void place_private(struct emitter *e)
{
    struct ir *ir = e->ir;
    uint64_t at = 0;
    e->object_of = ARENA_ARRAY(e->arena, uint32_t, ir->private_variables.count + 1);
    for (uint32_t i = 0; i < ir->private_variables.count; i++) {
        struct private_variable *v = &ir->private_variables.at[i];
        if (!v->live)
            continue;
        uint64_t align = v->align < 16 ? 16 : v->align;
        at = (at + 16 + align - 1) / align * align; /* a gap between variables shows overruns */
        if (at + v->size > 1u << 30)
            module_fail(ir->module, STATUS_OUT_OF_RESOURCES,
                        "kernel %s needs more than 1 GiB of private memory per work-item", ir->entry->name);
        v->offset = (uint32_t)at;
        *list_push(e->arena, &e->objects) =
            (struct private_object){(uint32_t)at, (uint32_t)(at + v->size), v->name};
        e->object_of[i] = e->objects.count;
        at += v->size;
    }
    e->private_size = at ? (uint32_t)(at + 16 + 3) / 4 * 4 : 0;
}

/* ---- writing instructions
 * ------------------------------------------------------------------------------------ */

static uint32_t loc(struct emitter *e, uint32_t v)
{
    if (!v)
        return 0;
    if (ir_families[val(e, v)->op] == FAMILY_LEAF)
        return e->leaf_offset[v];
    return e->groups[find_group(e, v)].offset;
}

static bool is_v(struct emitter *e, uint32_t v)
{
    return val(e, v)->cls == CLASS_V;
}

static bool is_private(uint32_t op)
{
    return op >= OP_ldp_u_8 && op < OP_ldg_v_8;
}

/* A preemption point stands right before what it is for, whatever was placed between them. */
static bool takes_yield(uint32_t op)
{
    return (op >= OP_ld_u_8 && op <= OP_fence && !is_private(op)) || op == OP_printf || op == OP_async_copy ||
           op == OP_poison_ld || op == OP_poison_ld_u || op == OP_poison_st;
}

static struct insn *put(struct emitter *e, uint32_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t c)
{
    if (e->yield && takes_yield(op)) {
        e->yield = false;
        put(e, OP_yield, 0, 0, 0, 0);
    }
    struct insn *insn = list_push(e->arena, &e->insns);
    *insn = (struct insn){exec_table()[op], d, a, b, c, 0, 0};
    *list_push(e->arena, &e->ops) = (uint16_t)op;
    return insn;
}

static uint32_t size_index(enum scalar type)
{
    return (uint32_t)__builtin_ctz(scalar_bytes(type));
}
static uint32_t float_index(enum scalar type)
{
    return size_index(type) - 1;
}

static const uint16_t first_op[IR_OP_COUNT] = {
#define FIRST_INT2(name) [IR_##name] = OP_##name##_8_vv,
#define FIRST_INT1(name) [IR_##name] = OP_##name##_8_v,
#define FIRST_FLT2(name) [IR_##name] = OP_##name##_16_vv,
#define FIRST_FLT1(name) [IR_##name] = OP_##name##_16_v,
#define FIRST_FLT3(name) [IR_##name] = OP_##name##_16_vvv,
#define FIRST_ICMP(name) [IR_##name] = OP_##name##_8_vv,
#define FIRST_FCMP(name) [IR_##name] = OP_##name##_16_vv,
#define FIRST_FTEST(name) [IR_##name] = OP_##name##_16_v,
#define FIRST_BOOL2(name) [IR_##name] = OP_##name##_m_vv,
#define FIRST_BOOL1(name) [IR_##name] = OP_##name##_m_v,
#define FIRST_LEAF(name)
#define FIRST_PURE(name)
#define FIRST_EFFECT(name)
#define IR(name, family) FIRST_##family(name)
#include "ir.def"
#undef IR
};

static uint32_t form2(struct emitter *e, uint32_t a, uint32_t b)
{
    return (is_v(e, a) ? 0 : 2) + (is_v(e, b) ? 0 : 1);
}

static void put_affine(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t a = value->args[0], b = value->args[1], d = loc(e, v), op;
    bool a_u = a && val(e, a)->cls == CLASS_U, b_u = b && val(e, b)->cls == CLASS_U,
         wide = value->type == T_I64;
    switch (value->op) {
    case IR_add:
        if (a_u) {
            uint32_t t = a;
            a = b, b = t, b_u = true;
        }
        op = b_u ? wide ? OP_a_add_64_au : OP_a_add_32_au : wide ? OP_a_add_64_aa : OP_a_add_32_aa;
        break;
    case IR_sub:
        op = a_u    ? wide ? OP_a_sub_64_ua : OP_a_sub_32_ua
             : b_u  ? wide ? OP_a_sub_64_au : OP_a_sub_32_au
             : wide ? OP_a_sub_64_aa
                    : OP_a_sub_32_aa;
        break;
    case IR_mul:
        if (a_u) {
            uint32_t t = a;
            a = b, b = t;
        }
        op = wide ? OP_a_mul_64_au : OP_a_mul_32_au;
        break;
    case IR_shl: op = wide ? OP_a_shl_64_au : OP_a_shl_32_au; break;
    case IR_sext: op = OP_a_sext_32_64; break;
    case IR_zext: op = OP_a_zext_32_64; break;
    case IR_trunc: op = OP_a_trunc_64_32; break;
    default:      /* index */
        if (!b) { /* base affine, constant offset */
            struct insn *add = put(e, OP_a_index_au, d, loc(e, a), e->scratch[SLOT_U], 0);
            add->e = 0;
            add->f = (uint32_t)(int32_t)val(e, v)->offset;
            return;
        }
        op = a_u ? OP_a_index_ua : b_u ? OP_a_index_au : OP_a_index_aa;
    }
    struct insn *insn = put(e, op, d, loc(e, a), loc(e, b), 0);
    if (val(e, v)->op == IR_index) {
        insn->e = (uint32_t)val(e, v)->imm;
        insn->f = (uint32_t)(int32_t)val(e, v)->offset;
    }
}

static void put_convert(struct emitter *e, uint32_t v)
{
    static const struct {
        uint8_t from, to;
        uint16_t op;
    } direct[] = {{NUMBER_S32, NUMBER_F32, OP_cvt_s32_f32_v}, {NUMBER_U32, NUMBER_F32, OP_cvt_u32_f32_v},
                  {NUMBER_S32, NUMBER_F64, OP_cvt_s32_f64_v}, {NUMBER_U32, NUMBER_F64, OP_cvt_u32_f64_v},
                  {NUMBER_S64, NUMBER_F64, OP_cvt_s64_f64_v}, {NUMBER_U64, NUMBER_F64, OP_cvt_u64_f64_v},
                  {NUMBER_S64, NUMBER_F32, OP_cvt_s64_f32_v}, {NUMBER_U64, NUMBER_F32, OP_cvt_u64_f32_v},
                  {NUMBER_F32, NUMBER_S32, OP_cvt_f32_s32_v}, {NUMBER_F32, NUMBER_U32, OP_cvt_f32_u32_v},
                  {NUMBER_F64, NUMBER_S32, OP_cvt_f64_s32_v}, {NUMBER_F64, NUMBER_U32, OP_cvt_f64_u32_v},
                  {NUMBER_F32, NUMBER_S64, OP_cvt_f32_s64_v}, {NUMBER_F64, NUMBER_S64, OP_cvt_f64_s64_v},
                  {NUMBER_F32, NUMBER_U64, OP_cvt_f32_u64_v}, {NUMBER_F64, NUMBER_U64, OP_cvt_f64_u64_v},
                  {NUMBER_F32, NUMBER_F64, OP_cvt_f32_f64_v}, {NUMBER_F64, NUMBER_F32, OP_cvt_f64_f32_v},
                  {NUMBER_F16, NUMBER_F32, OP_cvt_f16_f32_v}, {NUMBER_F32, NUMBER_F16, OP_cvt_f32_f16_v}};
    const struct value *value = val(e, v);
    uint32_t from = value->imm & 0xff, to = value->imm >> 8 & 0xff, rounding = value->imm >> 16 & 0xff,
             sat = value->imm >> 24 & 1;
    uint32_t u = !is_v(e, value->args[0]), op = OP_convert_any_v;
    bool to_float = to >= NUMBER_F16;
    bool usual = !sat && (rounding == ROUND_DEFAULT || (to_float && rounding == ROUND_RTE) ||
                          (!to_float && rounding == ROUND_RTZ));
    for (size_t i = 0; usual && i < sizeof direct / sizeof *direct; i++)
        if (direct[i].from == from && direct[i].to == to)
            op = direct[i].op;
    put(e, op + u, loc(e, v), loc(e, value->args[0]), 0, 0)->e = (uint32_t)value->imm;
}

static void put_resize(struct emitter *e, uint32_t v)
{
    static const uint16_t truncs[4][4] = {{0},
                                          {OP_trunc_16_8_v},
                                          {OP_trunc_32_8_v, OP_trunc_32_16_v},
                                          {OP_trunc_64_8_v, OP_trunc_64_16_v, OP_trunc_64_32_v}};
    static const uint16_t zexts[4][4] = {{0, OP_zext_8_16_v, OP_zext_8_32_v, OP_zext_8_64_v},
                                         {0, 0, OP_zext_16_32_v, OP_zext_16_64_v},
                                         {0, 0, 0, OP_zext_32_64_v}};
    static const uint16_t sexts[4][4] = {{0, OP_sext_8_16_v, OP_sext_8_32_v, OP_sext_8_64_v},
                                         {0, 0, OP_sext_16_32_v, OP_sext_16_64_v},
                                         {0, 0, 0, OP_sext_32_64_v}};
    const struct value *value = val(e, v);
    uint32_t a = value->args[0], from = size_index(val(e, a)->type), to = size_index(value->type);
    uint32_t op = value->op == IR_trunc  ? truncs[from][to]
                  : value->op == IR_zext ? zexts[from][to]
                                         : sexts[from][to];
    put(e, op + !is_v(e, a), loc(e, v), loc(e, a), 0, 0);
}

static void put_select(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t c = value->args[0], a = value->args[1], b = value->args[2], op;
    if (value->cls == CLASS_U)
        op = OP_uselect_8_u + (value->type == T_BOOL ? 0 : 2 * size_index(value->type));
    else if (value->type == T_BOOL)
        op = is_v(e, c) ? OP_select_m : OP_uselect_m;
    else if (is_v(e, c))
        op = OP_select_8_vv + 4 * size_index(value->type) + form2(e, a, b);
    else
        op = OP_uselect_8_v + 2 * size_index(value->type);
    put(e, op, loc(e, v), loc(e, a), loc(e, b), loc(e, c));
}

static uint32_t push_operand(struct emitter *e, uint32_t operand)
{
    *list_push(e->arena, &e->operands) = operand;
    return e->operands.count - 1;
}

static uint32_t second_result(struct emitter *e, uint32_t v)
{
    struct block *block = ir_block(e->ir, val(e, v)->block);
    for (uint32_t i = 0; i < block->insts.count; i++)
        if (val(e, block->insts.at[i])->op == IR_math_second && val(e, block->insts.at[i])->args[0] == v)
            return block->insts.at[i];
    return NONE;
}

static void put_math(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint64_t fn = (uint64_t)(uintptr_t)math_find((uint32_t)value->imm, value->imm >> 32 & 0xff);
    uint32_t second = second_result(e, v), list = push_operand(e, loc(e, v));
    push_operand(e, second ? loc(e, second) : e->scratch[value->cls == CLASS_V ? SLOT_V8 : SLOT_U]); /* the function may write it */
    for (int k = 0; k < 3; k++)
        push_operand(e, value->args[k] ? loc(e, value->args[k]) : UINT32_MAX);
    struct insn *insn = put(e, value->cls == CLASS_V ? OP_math_v : OP_math_u, list, 0, 0, 0);
    insn->e = (uint32_t)fn;
    insn->f = (uint32_t)(fn >> 32);
}

static uint32_t address_form(struct emitter *e, uint32_t address)
{
    return val(e, address)->cls;
} /* U, A, V */

static void put_load(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    static const uint16_t flat[] = {OP_ld_u_8, OP_ld_a_8, OP_ld_v_8}, private[] = {OP_ldp_u_8, 0, OP_ldp_v_8};
    uint32_t address = value->args[0], k = value->components, op, d = loc(e, v);
    op = value->storage == STORAGE_PRIVATE   ? private[address_form(e, address)]
         : value->storage == STORAGE_GENERIC ? OP_ldg_v_8
                                             : flat[address_form(e, address)];
    if (k > 1) { /* components nobody reads still need a place */
        uint32_t *slots = ARENA_ARRAY(e->arena, uint32_t, k);
        uint32_t scratch = e->scratch[value->cls == CLASS_U ? SLOT_U : SLOT_V1 + value->size_log2];
        for (uint32_t i = 0; i < k; i++)
            slots[i] = scratch;
        struct block *block = ir_block(e->ir, value->block);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            const struct value *part = val(e, block->insts.at[i]);
            if (part->op == IR_extract && part->args[0] == v)
                slots[part->imm] = loc(e, block->insts.at[i]);
        }
        d = push_operand(e, slots[0]);
        for (uint32_t i = 1; i < k; i++)
            push_operand(e, slots[i]);
    } else if (!e->groups[find_group(e, v)].used) {
        d = e->scratch[value->cls == CLASS_U ? SLOT_U : SLOT_V1 + value->size_log2];
    }
    struct insn *insn =
        put(e, op + value->size_log2, d, loc(e, address), (uint32_t)(int32_t)value->offset, value->object);
    insn->e = value->site;
    insn->f = k;
}

static void put_store(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    static const uint16_t flat[] = {OP_st_u_8, OP_st_a_8, OP_st_v_8}, private[] = {OP_stp_u_8, 0, OP_stp_v_8};
    uint32_t address = value->args[0], k = value->list_count, op, d = loc(e, value->list[0]);
    op = value->storage == STORAGE_PRIVATE   ? private[address_form(e, address)]
         : value->storage == STORAGE_GENERIC ? OP_stg_v_8
                                             : flat[address_form(e, address)];
    if (k > 1) {
        d = push_operand(e, loc(e, value->list[0]));
        for (uint32_t i = 1; i < k; i++)
            push_operand(e, loc(e, value->list[i]));
    }
    struct insn *insn =
        put(e, op + value->size_log2, d, loc(e, address), (uint32_t)(int32_t)value->offset, value->object);
    insn->e = value->site;
    insn->f = k;
}

/* The address form of a poison operation: 0 u, 1 a, 2 v, 3 private u, 4 private v, 5 generic. */
static void put_poison(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t address = value->args[0], cls = address_form(e, address), form = cls, op = OP_poison_st;
    if (value->storage == STORAGE_PRIVATE)
        form = cls == CLASS_U ? 3 : 4;
    else if (value->storage == STORAGE_GENERIC)
        form = 5;
    uint32_t list = push_operand(e, form);
    push_operand(e, (uint32_t)value->components << value->size_log2);
    push_operand(e, (uint32_t)(int32_t)value->offset);
    if (value->op == IR_poison_load)
        op = value->cls == CLASS_U ? OP_poison_ld_u : OP_poison_ld;
    put(e, op, value->op == IR_poison_load ? loc(e, v) : 0, loc(e, address), list,
        value->args[1] ? loc(e, value->args[1]) : 0)
        ->e = value->site;
}

static void put_printf(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t first = (uint32_t)value->imm, arguments = (uint32_t)(value->imm >> 32);
    uint32_t list = push_operand(e, loc(e, value->args[0]));
    for (uint32_t i = 0; i < arguments; i++)
        push_operand(e, e->ir->words.at[first + i]);
    for (uint32_t i = 0; i < value->list_count; i++)
        push_operand(e, loc(e, value->list[i]));
    struct insn *insn = put(e, OP_printf, list, 0, 0, 0);
    insn->e = value->site;
    insn->f = arguments;
}

static void put_list(struct emitter *e, uint32_t op, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t list = e->operands.count;
    if (op == OP_collective || op == OP_pipe || op == OP_enqueue)
        push_operand(e, loc(e, v));
    else if (op == OP_async_copy)
        push_operand(e, e->groups[find_group(e, v)].used ? loc(e, v) : e->scratch[SLOT_V1 + 3]);
    for (uint32_t i = 0; i < value->list_count; i++)
        push_operand(e, loc(e, value->list[i]));
    struct insn *insn = put(e, op, list, 0, 0, 0);
    insn->b = op == OP_barrier ? value->list_count : 0;
    insn->e = value->site;
    insn->f = (uint32_t)value->imm;
}

static void put_image(struct emitter *e, uint32_t op, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t list = e->operands.count, results[IMAGE_RESULTS];
    struct block *block = ir_block(e->ir, value->block);
    memset(results, 0xff, sizeof results); /* IMAGE_UNUSED */
    for (uint32_t i = 0; op == OP_image_read && i < block->insts.count; i++) {
        const struct value *part = val(e, block->insts.at[i]);
        if (part->op == IR_extract && part->args[0] == v)
            results[part->imm] = loc(e, block->insts.at[i]);
    }
    for (uint32_t i = 0; op == OP_image_read && i < IMAGE_RESULTS; i++)
        push_operand(e, results[i]);
    for (uint32_t i = 0; i < value->list_count; i++)
        push_operand(e, loc(e, value->list[i]));
    struct insn *insn = put(e, op, list, loc(e, value->args[0]), loc(e, value->args[1]), loc(e, value->args[2]));
    insn->e = value->site;
    insn->f = (uint32_t)value->imm;
}

static void put_index(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t a = value->args[0], b = value->args[1];
    uint32_t op = value->cls == CLASS_U ? OP_u_index : is_v(e, a) ? OP_v_index : OP_v_index_uv;
    struct insn *insn = put(e, op, loc(e, v), loc(e, a), b ? loc(e, b) : e->scratch[SLOT_U], 0);
    insn->e = b ? (uint32_t)value->imm : 0;
    insn->f = (uint32_t)(int32_t)value->offset;
}

static void put_value(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t a = value->args[0], b = value->args[1], c = value->args[2], op = first_op[value->op];
    if (value->cls == CLASS_A && value->op != IR_phi) {
        put_affine(e, v);
        return;
    }
    switch (ir_families[value->op]) {
    case FAMILY_INT2:
        put(e, op + 4 * size_index(value->type) + form2(e, a, b), loc(e, v), loc(e, a), loc(e, b), 0);
        return;
    case FAMILY_FLT2:
        put(e, op + 4 * float_index(value->type) + form2(e, a, b), loc(e, v), loc(e, a), loc(e, b), 0);
        return;
    case FAMILY_INT1:
        put(e, op + 2 * size_index(value->type) + !is_v(e, a), loc(e, v), loc(e, a), 0, 0);
        return;
    case FAMILY_FLT1:
        put(e, op + 2 * float_index(value->type) + !is_v(e, a), loc(e, v), loc(e, a), 0, 0);
        return;
    case FAMILY_FLT3:
        put(e, op + 8 * float_index(value->type) + 2 * form2(e, a, b) + !is_v(e, c), loc(e, v), loc(e, a),
            loc(e, b), loc(e, c));
        return;
    case FAMILY_ICMP:
        put(e, op + 4 * size_index(val(e, a)->type) + form2(e, a, b), loc(e, v), loc(e, a), loc(e, b), 0);
        return;
    case FAMILY_FCMP:
        put(e, op + 4 * float_index(val(e, a)->type) + form2(e, a, b), loc(e, v), loc(e, a), loc(e, b), 0);
        return;
    case FAMILY_FTEST:
        put(e, op + 2 * float_index(val(e, a)->type) + !is_v(e, a), loc(e, v), loc(e, a), 0, 0);
        return;
    case FAMILY_BOOL2: put(e, op + form2(e, a, b), loc(e, v), loc(e, a), loc(e, b), 0); return;
    case FAMILY_BOOL1: put(e, op + !is_v(e, a), loc(e, v), loc(e, a), 0, 0); return;
    default: break;
    }
    switch (value->op) {
    case IR_select: put_select(e, v); break;
    case IR_trunc:
    case IR_zext:
    case IR_sext: put_resize(e, v); break;
    case IR_cvt: put_convert(e, v); break;
    case IR_index: put_index(e, v); break;
    case IR_math: put_math(e, v); break;
    case IR_clock: put(e, OP_clock, loc(e, v), 0, 0, 0); break;
    case IR_space: put(e, OP_space_v, loc(e, v), loc(e, a), 0, 0); break;
    case IR_first:
        put(e, value->type == T_BOOL ? OP_first_m : OP_first_8 + size_index(value->type), loc(e, v),
            loc(e, a), 0, 0);
        break;
    case IR_to_v:
        put(e, value->type == T_I64 ? OP_a_to_v_64 : OP_a_to_v_32, loc(e, v), loc(e, a), 0, 0);
        break;
    case IR_splat:
        put(e, value->type == T_BOOL ? OP_splat_m : OP_splat_8 + size_index(value->type), loc(e, v),
            loc(e, a), 0, 0);
        break;
    case IR_load: put_load(e, v); break;
    case IR_store: put_store(e, v); break;
    case IR_copy: {
        struct insn *insn = put(e, OP_copy_v, loc(e, a), loc(e, b), 0, loc(e, c));
        insn->a = loc(e, b);
        insn->e = value->site;
        insn->f = (uint32_t)value->imm;
        break;
    }
    case IR_atomic: {
        uint32_t d = e->groups[find_group(e, v)].used ? loc(e, v) : e->scratch[SLOT_V1 + value->size_log2];
        bool wide = value->size_log2 == 3;
        op = is_v(e, a) ? wide ? OP_atomic_64 : OP_atomic_32 : wide ? OP_atomic_u_64 : OP_atomic_u_32;
        struct insn *insn = put(e, op, d, loc(e, a), loc(e, b), loc(e, c));
        insn->e = value->site;
        insn->f = (uint32_t)value->imm;
        break;
    }
    case IR_fence: put(e, OP_fence, 0, 0, 0, 0)->e = value->site; break;
    case IR_barrier: put_list(e, OP_barrier, v); break;
    case IR_poison_load:
    case IR_poison_store: put_poison(e, v); break;
    case IR_poison_check: {
        struct insn *insn = put(e, is_v(e, a) ? OP_poison_check_v : OP_poison_check_u, 0, loc(e, a), 0, 0);
        insn->e = value->site;
        insn->f = (uint32_t)value->imm;
        break;
    }
    case IR_same: {
        struct insn *insn = put(e, OP_same, 0, loc(e, a), 0, 0);
        insn->e = value->site;
        insn->f = (uint32_t)value->imm;
        break;
    }
    case IR_yield: e->yield = true; break;
    case IR_printf: put_printf(e, v); break;
    case IR_collective: put_list(e, OP_collective, v); break;
    case IR_pipe: put_list(e, OP_pipe, v); break;
    case IR_enqueue: put_list(e, OP_enqueue, v); break;
    case IR_async_copy: put_list(e, OP_async_copy, v); break;
    case IR_image_read: put_image(e, OP_image_read, v); break;
    case IR_image_write: put_image(e, OP_image_write, v); break;
    case IR_image_query: put(e, OP_image_query, loc(e, v), loc(e, a), loc(e, b), 0)->f = (uint32_t)value->imm; break;
    default: break; /* phi, extract, math_second: nothing to do */
    }
}

/* ---- copies on edges
 * --------------------------------------------------------------------------------------------- */

static void put_copy(struct emitter *e, const struct value *phi, uint32_t target, uint32_t source,
                     enum value_class from)
{
    uint32_t op, size = phi->type == T_BOOL ? 4 : size_index(phi->type);
    if (phi->cls == CLASS_V && phi->masked && from == CLASS_A) { /* lanes first: the others' must stay */
        put(e, phi->type == T_I64 ? OP_a_to_v_64 : OP_a_to_v_32, e->lanes_scratch, source, 0, 0);
        source = e->lanes_scratch;
        from = CLASS_V;
    }
    if (phi->cls == CLASS_U)
        op = OP_mov_u;
    else if (phi->cls == CLASS_A)
        op = from == CLASS_U ? phi->type == T_I64 ? OP_a_from_u_64 : OP_a_from_u_32 : OP_a_mov;
    else if (from == CLASS_U)
        op = (phi->masked ? OP_movmu_8 : OP_splat_8) + size;
    else if (from == CLASS_A)
        op = phi->type == T_I64 ? OP_a_to_v_64 : OP_a_to_v_32;
    else
        op = (phi->masked ? OP_movm_8 : OP_mov_8) + size;
    put(e, op, target, source, 0, 0);
}

struct move {
    uint32_t phi, target, source;
    enum value_class from;
    bool done;
};

/* All phis of the successor at once: a copy waits while another still reads its target. */
static void put_phi_copies(struct emitter *e, uint32_t b)
{
    struct ir *ir = e->ir;
    struct block *succ = ir_block(ir, ir_block(ir, b)->succs[0]);
    LIST(struct move) moves = {0};
    for (uint32_t i = 0; i < succ->insts.count && val(e, succ->insts.at[i])->op == IR_phi; i++) {
        uint32_t id = succ->insts.at[i];
        const struct value *phi = val(e, id);
        for (uint32_t k = 0; k < phi->list_count; k++) {
            if (phi->list[phi->list_count + k] != b)
                continue;
            uint32_t source = phi->list[k];
            struct move m = {id, loc(e, id), loc(e, source), val(e, source)->cls, false};
            if (val(e, source)->op == IR_undef || (m.target == m.source && m.from == phi->cls))
                continue;
            *list_push(e->arena, &moves) = m;
        }
    }
    for (uint32_t left = moves.count; left;) {
        bool progress = false;
        for (uint32_t i = 0; i < moves.count; i++) {
            struct move *m = &moves.at[i];
            bool blocked = m->done;
            for (uint32_t k = 0; k < moves.count && !blocked; k++)
                blocked = k != i && !moves.at[k].done && moves.at[k].source == m->target;
            if (blocked)
                continue;
            put_copy(e, val(e, m->phi), m->target, m->source, m->from);
            m->done = progress = true;
            left--;
        }
        if (progress)
            continue;
        for (uint32_t i = 0; i < moves.count; i++) { /* a cycle: free one target through scratch */
            struct move *m = &moves.at[i];
            if (m->done)
                continue;
            uint32_t cls = slot_class(val(e, m->phi)), scratch = e->scratch[cls], old = m->target;
            struct value plain = *val(e, m->phi);
            plain.masked = false;
            put_copy(e, &plain, scratch, old, plain.cls);
            for (uint32_t k = 0; k < moves.count; k++)
                if (!moves.at[k].done && moves.at[k].source == old)
                    moves.at[k].source = scratch;
            break;
        }
    }
}

/* ---- blocks
 * -----------------------------------------------------------------------------------------------------------
 */

static uint32_t target_of(struct emitter *e, uint32_t b)
{
    while (e->edge_empty[b])
        b = ir_block(e->ir, b)->succs[0];
    return ir_block(e->ir, b)->order;
}

static bool copies_needed(struct emitter *e, uint32_t b)
{
    uint32_t before = e->insns.count, operands = e->operands.count;
    put_phi_copies(e, b);
    bool needed = e->insns.count > before;
    e->insns.count = e->ops.count = before;
    e->operands.count = operands;
    return needed;
}

static void put_jump(struct emitter *e, uint32_t from, uint32_t to)
{
    uint32_t target = target_of(e, to), here = ir_block(e->ir, from)->order;
    if (target == here + 1 && !e->divergent)
        return;
    struct insn *insn = put(e, target <= here ? OP_loop : OP_jump, 0, 0, 0, 0);
    insn->e = target;
}

static void put_switch(struct emitter *e, uint32_t b)
{
    struct block *block = ir_block(e->ir, b);
    uint32_t list = push_operand(e, scalar_bits(val(e, block->cond)->type));
    push_operand(e, block->succ_count - 1);
    push_operand(e, target_of(e, block->succs[0]));
    for (uint32_t i = 1; i < block->succ_count; i++) {
        push_operand(e, (uint32_t)block->cases[i - 1]);
        push_operand(e, (uint32_t)(block->cases[i - 1] >> 32));
        push_operand(e, target_of(e, block->succs[i]));
    }
    put(e, is_v(e, block->cond) ? OP_switch_v : OP_switch_u, 0, loc(e, block->cond), 0, 0)->e = list;
}

static void put_terminator(struct emitter *e, uint32_t b)
{
    struct block *block = ir_block(e->ir, b);
    switch (block->term) {
    case TERM_JUMP:
        put_phi_copies(e, b);
        put_jump(e, b, block->succs[0]);
        break;
    case TERM_BRANCH: {
        struct insn *insn =
            put(e, is_v(e, block->cond) ? OP_branch_v : OP_branch_u, 0, loc(e, block->cond), 0, 0);
        insn->e = target_of(e, block->succs[0]);
        insn->f = target_of(e, block->succs[1]);
        insn->b = block->order;
        break;
    }
    case TERM_SWITCH: put_switch(e, b); break;
    case TERM_UNREACHABLE: put(e, OP_unreachable, 0, 0, 0, 0)->e = block->site; break;
    default: put(e, OP_ret, 0, 0, 0, 0); break;
    }
}

static void find_divergence(struct emitter *e)
{
    struct ir *ir = e->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        e->divergent |= block->succ_count > 1 && is_v(e, block->cond);
    }
}

static struct code *finish(struct emitter *e, uint32_t *block_start)
{
    struct ir *ir = e->ir;
    struct arena *keep = &ir->module->arena; /* everything else goes with the work arena */
    struct code *code = ARENA_NEW(keep, struct code);
    code->width = e->width;
    code->insns = arena_copy(keep, e->insns.at, e->insns.count * sizeof *e->insns.at);
    code->insn_count = e->insns.count;
    code->ops = arena_copy(keep, e->ops.at, e->ops.count * sizeof *e->ops.at);
    code->operands = arena_copy(keep, e->operands.at, e->operands.count * sizeof *e->operands.at);
    code->operand_count = e->operands.count;
    code->sites = arena_copy(keep, ir->sites.at, ir->sites.count * sizeof *ir->sites.at);
    code->site_count = ir->sites.count;
    for (uint32_t i = 0; i < ir->sites.count; i++)
        code->suspect |= ir->sites.at[i].suspect;
    code->frame_size = (e->frame_size + 63) / 64 * 64;
    code->template_bytes = arena_copy(keep, e->template.at, e->template.count);
    code->template_size = e->template.count;
    code->args_offset = e->args_offset;
    code->args_size = ir->args_size;
    code->block_count = ir->order_count;
    code->block_start = arena_copy(keep, block_start, (ir->order_count + 1) * sizeof *block_start);
    code->private_size = e->private_size;
    code->zero_private = e->ir->zero_private;
    code->private_objects = arena_copy(keep, e->objects.at, e->objects.count * sizeof *e->objects.at);
    code->private_object_count = e->objects.count;
    code->local_objects = arena_copy(keep, ir->locals.at, ir->locals.count * sizeof *ir->locals.at);
    code->local_object_count = ir->locals.count;
    code->strings = arena_copy(keep, ir->strings.at, ir->strings.count * sizeof *ir->strings.at);
    code->string_count = ir->strings.count;
    return code;
}

/* Blocks that lie on every way from the beginning to the end, and in no loop, are come by once. */
static void rank_sites(struct ir *ir)
{
    uint8_t *always = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count);
    uint32_t rank = 0;
    for (uint32_t b = ir->entry_block, steps = 0; b && steps < ir->blocks.count; b = ir_block(ir, b)->ipdom, steps++)
        always[b] = !ir_block(ir, b)->loop && !ir->irreducible;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            struct site *site = &ir->sites.at[ir_value(ir, block->insts.at[i])->site];
            site->rank = ++rank;
            site->always = always[ir->order[o]];
        }
    }
}

const struct code *emit(struct ir *ir, uint32_t width)
{
    struct emitter emitter = {.ir = ir, .arena = ir->arena, .width = width}, *e = &emitter;
    uint32_t room = ir->values.count * 4 + 4096;
    e->splat_of = ARENA_ARRAY(e->arena, uint32_t, room);
    e->lanes_of = ARENA_ARRAY(e->arena, uint32_t, room);
    place_private(e);
    rank_sites(ir);
    prepare_all(e);
    find_divergence(e);
    uint32_t values = ir->values.count;
    e->group_of = ARENA_ARRAY(e->arena, uint32_t, values + 1);
    e->groups = ARENA_ARRAY(e->arena, struct group, values + 1);
    e->def_position = ARENA_ARRAY(e->arena, uint32_t, values + 1);
    e->block_first = ARENA_ARRAY(e->arena, uint32_t, ir->blocks.count);
    e->block_last = ARENA_ARRAY(e->arena, uint32_t, ir->blocks.count);
    e->edge_empty = ARENA_ARRAY(e->arena, uint8_t, ir->blocks.count);
    for (uint32_t v = 0; v < values; v++)
        e->group_of[v] = v;
    *list_push(e->arena, &e->segments) = (struct segment){0};
    place_leaves(e);
    number_positions(e);
    find_intervals(e);
    coalesce_phis(e);
    assign_slots(e);
    for (uint32_t o = 0; o < ir->order_count; o++)
        if (ir_block(ir, ir->order[o])->edge && !ir_block(ir, ir->order[o])->insts.count)
            e->edge_empty[ir->order[o]] = !copies_needed(e, ir->order[o]);
    uint32_t *block_start = ARENA_ARRAY(e->arena, uint32_t, ir->order_count + 1);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        block_start[o] = e->insns.count;
        if (e->edge_empty[ir->order[o]])
            continue;
        e->yield = false;
        for (uint32_t i = 0; i < block->insts.count; i++)
            put_value(e, block->insts.at[i]);
        put_terminator(e, ir->order[o]);
    }
    return finish(e, block_start);
}
