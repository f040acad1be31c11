/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of values in the frame.
 *
 * An interval runs from definition to last use in layout order, without holes, and over every loop that a
 * value is carried through. That alone keeps parked lanes safe: while they wait at a block, only blocks laid
 * out before it run, and the lanes' values live across those. A phi's interval starts at its first copy for
 * the same reason.
 */
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "emit.h"

enum {
    FRAME_BYTES_MAX = 1 << 30,
    AFFINE_INPUTS = (INPUT_SUB_GROUP_SIZE - INPUT_FIRST_AFFINE) / AFFINE_STRIDE + 1,
    AFFINE_INPUT_USED = 1 /* the slot of the cell of an input that is used, before it gets one */
};

uint32_t emit_slot_class(const struct value *v)
{
    static const uint8_t lanes[] = {SLOT_NONE, SLOT_MASK, SLOT_V1, SLOT_V2, SLOT_V4,
                                    SLOT_V8,   SLOT_V2,   SLOT_V4, SLOT_V8};
    if (v->type == T_NONE)
        return SLOT_NONE;
    return v->cls == CLASS_U ? SLOT_U : v->cls == CLASS_A ? SLOT_A : lanes[v->type];
}

uint32_t emit_slot_bytes(const struct emitter *e, uint32_t cls)
{
    CHECKED(cls > SLOT_NONE && cls < SLOT_CLASSES);
    static const uint8_t bytes[] = {0, 0, 0, 1, 2, 4, 8, 0};
    if (cls == SLOT_U || cls == SLOT_A)
        return cls == SLOT_U ? 8 : (uint32_t)sizeof(struct affine);
    if (cls == SLOT_MASK)
        return 64; /* LANE_MASK_WORDS words, a line of its own */
    uint32_t size = e->width * bytes[cls];
    return (size + 63) / 64 * 64 + (size >= 1024 ? 64 : 0); /* an odd number of lines: no 4 KiB aliasing */
}

uint32_t emit_group(struct emitter *e, uint32_t v)
{
    while (e->group_of[v] != v)
        v = e->group_of[v] = e->group_of[e->group_of[v]];
    return v;
}

static void extend(struct slot_group *g, uint32_t start, uint32_t end)
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
    CHECKED(v < ir->values.count && end >= time);
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
        CHECKED(e->block_first[b] < e->block_last[b]);
    }
}

static void add_segment(struct emitter *e, uint32_t g, uint32_t start, uint32_t end)
{
    *list_push(e->arena, &e->segments) = (struct live_segment){start, end, e->groups[g].first_segment};
    e->groups[g].first_segment = e->segments.count - 1;
}

static void phi_interval(struct emitter *e, uint32_t v, uint32_t b)
{
    struct ir *ir = e->ir;
    const struct value *phi = val(e, v);
    struct slot_group *g = &e->groups[v];
    uint32_t start = 2 * e->block_first[b], end = g->used ? g->end : start;
    for (uint32_t k = 0; k < phi->list_count; k++) {
        uint32_t from = phi->list[phi->list_count + k], time = 2 * e->block_last[from] + 1;
        if (time < start)
            start = time;
        CHECKED(from < ir->blocks.count && e->block_last[from]); /* the block is in the layout */
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

/* The handler still reads operands after it has written the first result. */
static bool reads_late(const struct value *v)
{
    const bool computes_late = v->op == IR_math || v->op == IR_space;
    return ir_families[v->op] == FAMILY_EFFECT || computes_late || ir_loads_poison(v);
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
            if (!emit_slot_class(val(e, v)))
                continue;
            e->groups[v].slot_class = emit_slot_class(val(e, v));
            if (val(e, v)->op == IR_phi) {
                phi_interval(e, v, b);
                continue;
            }
            /* all components of a load are defined by the load */
            uint32_t def =
                val(e, v)->op == IR_extract || val(e, v)->op == IR_math_second ? val(e, v)->args[0] : v;
            CHECKED(def && e->def_position[def]);
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

/* A phi and its operand share a slot if their intervals do not overlap: then no copy is needed. */
static void coalesce(struct emitter *e, uint32_t phi, uint32_t operand)
{
    if (ir_families[val(e, operand)->op] == FAMILY_LEAF ||
        emit_slot_class(val(e, operand)) != emit_slot_class(val(e, phi)))
        return;
    uint32_t a = emit_group(e, phi), b = emit_group(e, operand);
    if (a == b || !e->groups[b].used || !disjoint(e, a, b))
        return;
    CHECKED(e->groups[a].first_segment && e->groups[b].first_segment);
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
    const struct slot_group *group = groups;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (group[x].start != group[y].start)
        return group[x].start < group[y].start ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int by_end(const void *a, const void *b, void *groups)
{
    const struct slot_group *group = groups;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (group[x].end != group[y].end)
        return group[x].end < group[y].end ? -1 : 1;
    return by_start(a, b, groups);
}

static uint32_t new_lane_slot(struct emitter *e, uint32_t cls)
{
    uint32_t offset = (e->frame_size + 63) / 64 * 64;
    if (offset > FRAME_BYTES_MAX)
        module_fail(e->ir->module, STATUS_OUT_OF_RESOURCES, "kernel %s keeps more than %d MiB of values",
                    e->ir->entry->name, FRAME_BYTES_MAX >> 20);
    e->frame_size = offset + emit_slot_bytes(e, cls);
    return offset;
}

/* The lane slots of the class begin here, up to the next ones or to the end of the frame. */
static void begin_lane_slots(struct emitter *e, uint32_t cls)
{
    static const uint8_t lane_bytes[SLOT_CLASSES] = {
        [SLOT_V1] = 1, [SLOT_V2] = 2, [SLOT_V4] = 4, [SLOT_V8] = 8};
    CHECKED(e->lane_slots_count < LANE_SLOTS_MOST);
    const uint32_t offset = (e->frame_size + 63) / 64 * 64;
    if (e->lane_slots_count)
        e->lane_slots[e->lane_slots_count - 1].end = offset;
    e->lane_slots[e->lane_slots_count++] =
        (struct lane_slots){offset, offset, emit_slot_bytes(e, cls), lane_bytes[cls]};
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

/* The groups of values that need a slot, by the start of their intervals. */
static uint32_t *groups_by_start(struct emitter *e, uint32_t *out_count)
{
    uint32_t values = e->ir->values.count, n = 0;
    uint32_t *order = ARENA_ARRAY(e->arena, uint32_t, values + 1);
    for (uint32_t v = 1; v < values; v++)
        if (e->groups[v].used && e->groups[v].slot_class && emit_group(e, v) == v)
            order[n++] = v;
    qsort_r(order, n, sizeof *order, by_start, e->groups);
    *out_count = n;
    return order;
}

/* Gives each group a number of its class (in `offset`) that no group alive at the same time has. Counts the
 * numbers given of each class in `made`. A sweep over starts and ends: a group that has ended before the next
 * one starts has also started before it, so it has its number already, which is free again. The next one
 * itself, which ends later, ends the sweep. */
static void number_slots(struct emitter *e, const uint32_t *by_starts, uint32_t n,
                         uint32_t made[SLOT_CLASSES])
{
    uint32_t *by_ends = arena_copy(e->arena, by_starts, n * sizeof *by_ends), ended = 0;
    qsort_r(by_ends, n, sizeof *by_ends, by_end, e->groups);
    LIST(uint32_t) free_slots[SLOT_CLASSES] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        struct slot_group *g = &e->groups[by_starts[i]];
        for (; e->groups[by_ends[ended]].end < g->start; ended++) {
            const struct slot_group *old = &e->groups[by_ends[ended]];
            CHECKED(old->start <= old->end && old->offset < made[old->slot_class]);
            *list_push(e->arena, &free_slots[old->slot_class]) = old->offset;
        }
        if (free_slots[g->slot_class].count)
            g->offset = free_slots[g->slot_class].at[--free_slots[g->slot_class].count];
        else
            g->offset = made[g->slot_class]++;
        CHECKED(g->offset < made[g->slot_class]);
    }
}

static struct affine *affine_cell(struct emitter *e, uint32_t offset)
{
    return (struct affine *)(void *)(e->template.at + offset);
}

/* Makes the slots of each class and one more of each, for a copy through a temporary: first the U and A
 * cells, which are in the template, then the lane slots after it. Returns the offsets of slots in the frame
 * by class and number. */
static void make_slots(struct emitter *e, const uint32_t made[SLOT_CLASSES], uint32_t *offsets[SLOT_CLASSES])
{
    for (uint32_t c = SLOT_U; c < SLOT_CLASSES; c++)
        offsets[c] = ARENA_ARRAY(e->arena, uint32_t, made[c] + 2);
    for (uint32_t c = SLOT_U; c <= SLOT_A; c++)
        for (uint32_t i = 0; i <= made[c]; i++)
            offsets[c][i] = template_room(e, emit_slot_bytes(e, c), 8);
    e->frame_size = e->template.count;
    for (uint32_t c = SLOT_V1; c < SLOT_CLASSES; c++) {
        begin_lane_slots(e, c);
        for (uint32_t i = 0; i <= made[c]; i++)
            offsets[c][i] = new_lane_slot(e, c);
    }
    begin_lane_slots(e, SLOT_V8);
    for (uint32_t i = 0; i <= made[SLOT_A]; i++)
        affine_cell(e, offsets[SLOT_A][i])->slot = new_lane_slot(e, SLOT_V8);
    for (uint32_t k = 0; k < AFFINE_INPUTS; k++) {
        struct affine *cell = affine_cell(e, INPUT_FIRST_AFFINE + k * AFFINE_STRIDE);
        if (cell->slot == AFFINE_INPUT_USED)
            cell->slot = new_lane_slot(e, SLOT_V8);
    }
    CHECKED(e->frame_size >= e->template.count);
}

static void assign_slots(struct emitter *e)
{
    uint32_t n, made[SLOT_CLASSES] = {0}, *offsets[SLOT_CLASSES];
    const uint32_t *order = groups_by_start(e, &n);
    number_slots(e, order, n, made);
    make_slots(e, made, offsets);
    for (uint32_t i = 0; i < n; i++) {
        struct slot_group *g = &e->groups[order[i]];
        g->offset = offsets[g->slot_class][g->offset];
    }
    for (uint32_t c = SLOT_U; c < SLOT_CLASSES; c++)
        e->scratch[c] = offsets[c][made[c]];
    e->lanes_scratch = new_lane_slot(e, SLOT_V8);
    e->lane_slots[e->lane_slots_count - 1].end = e->frame_size;
}

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
    CHECKED(ir_families[value->op] == FAMILY_LEAF);
    if (*offset != UINT32_MAX)
        return;
    switch (value->op) {
    case IR_const: *offset = constant_cell(e, value->imm); break;
    case IR_undef: *offset = constant_cell(e, 0); break;
    case IR_arg: *offset = e->args_offset + (uint32_t)value->imm; break;
    case IR_input:
        if (value->imm >= INPUT_END)
            module_fail(e->ir->module, STATUS_UNSUPPORTED,
                        "kernel '%s': the address of a built-in variable is used for more than a load",
                        e->ir->entry->name);
        *offset = (uint32_t)value->imm;
        if (*offset >= INPUT_FIRST_AFFINE)
            affine_cell(e, *offset)->slot = AFFINE_INPUT_USED;
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

/*
 * Places private variables from `at` on; returns the end. For a debugger, variables that stay in memory
 * without one come first, so that their addresses are the same.
 */
static uint64_t place_private(struct emitter *e, uint64_t at, bool of_plain)
{
    struct ir *ir = e->ir;
    for (uint32_t i = 0; i < ir->private_variables.count; i++) {
        struct private_variable *v = &ir->private_variables.at[i];
        const bool kept = ir->plain && i < ir->plain->private_variable_count && ir->plain->private_kept[i];
        if (!v->live || (ir->plain && kept != of_plain))
            continue;
        uint64_t align = v->align < 16 ? 16 : v->align;
        at = (at + 16 + align - 1) / align * align; /* a gap between variables shows overruns */
        if (at + v->size > 1u << 30)
            module_fail(ir->module, STATUS_OUT_OF_RESOURCES,
                        "kernel %s needs more than 1 GiB of private memory per work-item", ir->entry->name);
        v->offset = (uint32_t)at;
        CHECKED(at % align == 0 && !e->object_of[i]);
        *list_push(e->arena, &e->objects) =
            (struct private_object){(uint32_t)at, (uint32_t)(at + v->size), v->name, v->elements, i};
        e->object_of[i] = e->objects.count;
        at += v->size;
    }
    return at;
}

void emit_private(struct emitter *e)
{
    struct ir *ir = e->ir;
    uint64_t at = 0;
    e->object_of = ARENA_ARRAY(e->arena, uint32_t, ir->private_variables.count + 1);
    if (ir->plain)
        at = place_private(e, at, true);
    at = place_private(e, at, false);
    e->private_size = at ? (uint32_t)(at + 16 + 3) / 4 * 4 : 0;
}

uint32_t emit_loc(struct emitter *e, uint32_t v)
{
    if (!v)
        return 0;
    if (ir_families[val(e, v)->op] == FAMILY_LEAF)
        return e->leaf_offset[v];
    return e->groups[emit_group(e, v)].offset;
}

void emit_slots(struct emitter *e)
{
    uint32_t values = e->ir->values.count, blocks = e->ir->blocks.count;
    e->group_of = ARENA_ARRAY(e->arena, uint32_t, values + 1);
    e->groups = ARENA_ARRAY(e->arena, struct slot_group, values + 1);
    e->def_position = ARENA_ARRAY(e->arena, uint32_t, values + 1);
    e->block_first = ARENA_ARRAY(e->arena, uint32_t, blocks);
    e->block_last = ARENA_ARRAY(e->arena, uint32_t, blocks);
    for (uint32_t v = 0; v < values; v++)
        e->group_of[v] = v;
    *list_push(e->arena, &e->segments) = (struct live_segment){0};
    place_leaves(e);
    number_positions(e);
    find_intervals(e);
    coalesce_phis(e);
    assign_slots(e);
}
