/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Accesses to components of vectors, as the source means them. clang makes of v.x = a
 *              %v = OpLoad %p    %w = OpCompositeInsert %a %v 0    OpStore %p %w
 *          and of a = v.x an OpLoad of the whole vector and an OpCompositeExtract. In modules that the front
 *          end made (module->by_components), the store writes the bytes of the inserted components alone, and
 *          a load reads the bytes of the components that something uses. Hand-written modules are taken
 *          literally.
 *
 * Stores   are recognised while lowering: the stored value is made by inserts (OpCompositeInsert,
 *          OpVectorShuffle, OpVectorInsertDynamic) from the value of an OpLoad through the same pointer id,
 *          in the same block, and between the two are at most other loads.
 *
 *          Lemma. Let component k of the stored value be component k of that load. Nothing between the load
 *          and the store writes memory or orders it, so in every execution in which no other unit writes the
 *          component between the two, the store leaves it as it is. In an execution where another unit may,
 *          the two accesses of the whole vector race with it, whereas the source, which names other
 *          components, does not access the bytes. To leave component k out is therefore right for the source,
 *          and changes no other execution. clang writes a vector that the source itself puts together,
 *          (float4)(a, v.yzw), without inserts into the loaded value, and a local copy that is changed and
 *          stored back passes private memory: neither is taken for a store to components.
 *
 *          A load whose value is not used at all and that such a store follows goes, too: clang begins v.wzyx
 *          = u with it. If the source has a load there whose value is not used, the store of the same
 *          bytes that follows at once has the same place in happens-before, so an access that races with the
 *          load races with the store.
 *
 * Loads    are narrowed once the kernel is lowered (components_narrow): a component that no instruction uses
 *          is not read. Before any variable has been promoted, a vector that the source reads as a whole is
 *          stored somewhere, passed on or computed with, which uses every component. A load of which nothing
 *          is used stays whole.
 */
#include <string.h>

#include "lower.h"

/* ---- while lowering -------------------------------------------------------------------- */

/* The IR_load of an OpLoad's result, if it is a vector whose components may be loaded separately. */
static uint32_t load_of(const struct lower *l, uint32_t id)
{
    if (!l->m->by_components || id >= l->m->bound || !l->m->def[id])
        return NONE;
    if (spv_opcode(l->m, l->m->def[id]) != SpvOpLoad || module_value_type(l->m, id)->kind != TYPE_VECTOR)
        return NONE;
    const struct value *first = ir_value(l->ir, l->leaf[id][0]);
    /* bools and built-in variables are not extracts of loads */
    return first->op == IR_extract ? first->args[0] : NONE;
}

void components_note_load(struct lower *l, uint32_t id)
{
    const uint32_t load = load_of(l, id);
    if (load)
        ir_value(l->ir, load)->by_components = true;
}

static bool only_reads(const struct lower *l, uint32_t v)
{
    const enum ir_op op = (enum ir_op)ir_value(l->ir, v)->op;
    switch (op) {
    case IR_load:
    case IR_yield:
    case IR_index_check:
    case IR_line:
    case IR_forget:
    case IR_count: return true;
    default: return ir_families[op] != FAMILY_EFFECT;
    }
}

/* The load is in this block, and only loads come after it. */
static bool is_recent(const struct lower *l, uint32_t load)
{
    const struct block *block = ir_block(l->ir, l->block);
    for (uint32_t i = block->insts.count; i-- > 0 && only_reads(l, block->insts.at[i]);)
        if (block->insts.at[i] == load)
            return true;
    return false;
}

/* Marks a load of all bytes that the store will write as its base, if no store or similar operation is
 * between them; it must have no other use. */
static void note_base(struct lower *l, const struct memory_place *to)
{
    const struct block *block = ir_block(l->ir, l->block);
    for (uint32_t i = block->insts.count; i-- > 0 && only_reads(l, block->insts.at[i]);) {
        struct value *value = ir_value(l->ir, block->insts.at[i]);
        if (value->by_components && value->args[0] == to->address && value->components == to->type->leaves)
            value->base_of_components = true;
    }
}

/* The shuffle keeps the components of its first vector in place and takes the others from the second one. */
static bool shuffle_inserts(const struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word], count = spv_length(l->m, word) - 5;
    bool inserts = false;
    for (uint32_t k = 0; k < count; k++) {
        if (w[5 + k] == UINT32_MAX || (w[5 + k] < count && w[5 + k] != k))
            return false;
        inserts |= w[5 + k] >= count;
    }
    return inserts && module_value_type(l->m, w[3])->leaves == count;
}

/* The vector that a chain of inserts begins with. */
static uint32_t base_of(const struct lower *l, uint32_t id)
{
    while (id < l->m->bound && l->m->def[id]) {
        const uint32_t word = l->m->def[id], *w = &l->m->words[word];
        switch (spv_opcode(l->m, word)) {
        case SpvOpCompositeInsert: id = w[4]; break;
        case SpvOpVectorInsertDynamic: id = w[3]; break;
        case SpvOpVectorShuffle:
            if (!shuffle_inserts(l, word))
                return id;
            id = w[3];
            break;
        default: return id;
        }
    }
    return id;
}

/* The byte offset of a component whose index is not constant. An index past the end means the last
 * component, as in lower_composite. */
static uint32_t component_address(struct lower *l, const struct type *vector, uint32_t address,
                                  uint32_t index)
{
    const enum scalar type = lower_type(l, index);
    index = lower_emit(l, IR_umin, type, index, ir_const(l->ir, type, vector->leaves - 1), NONE, 0);
    if (type != T_I64)
        index = lower_emit(l, IR_zext, T_I64, index, NONE, NONE, 0);
    return ir_index(l->ir, l->block, address, index, scalar_bytes(vector->element->scalar), 0);
}

/* v[i] of shared memory loads one component. Private variables are left alone, so that they can be
 * promoted. */
uint32_t components_load_dynamic(struct lower *l, uint32_t vector_id, uint32_t index)
{
    const struct type *vector = module_value_type(l->m, vector_id);
    const uint32_t load = load_of(l, vector_id);
    if (!load || ir_value(l->ir, load)->storage == STORAGE_PRIVATE || !is_recent(l, load))
        return NONE;
    const uint32_t address = component_address(l, vector, ir_value(l->ir, load)->args[0], index);
    const enum storage storage = (enum storage)ir_value(l->ir, load)->storage;
    const uint32_t bytes = scalar_bytes(vector->element->scalar),
                   align = lower_part_align(l->ir->sites.at[ir_value(l->ir, load)->site].align, bytes, bytes);
    uint32_t out;
    ir_value(l->ir, load)->base_of_components = true;
    lower_load_components(l, vector->element->scalar, 1, address, 0, storage, align, &out, "load");
    return out;
}

static void store_dynamic(struct lower *l, const struct memory_place *to, const uint32_t *insert)
{
    const uint32_t index = lower_scalar(l, insert[5]), component = lower_scalar(l, insert[4]);
    const uint32_t address = component_address(l, to->type, to->address, index);
    const uint32_t bytes = scalar_bytes(to->type->element->scalar);
    lower_store_components(l, to->type->element->scalar, 1, address, 0, to->storage,
                           lower_part_align(to->align, bytes, bytes), &component, "store");
}

static bool is_kept(struct lower *l, uint32_t load, const uint32_t *values, uint32_t k)
{
    const struct value *value = ir_value(l->ir, values[k]);
    return value->op == IR_extract && value->args[0] == load && value->imm == k;
}

static void store_runs(struct lower *l, const struct memory_place *to, uint32_t load, const uint32_t *values)
{
    const enum scalar type = to->type->element->scalar;
    const uint32_t count = to->type->leaves;
    for (uint32_t first = 0, end; first < count; first = end) {
        const bool kept = is_kept(l, load, values, first);
        for (end = first + 1; end < count && is_kept(l, load, values, end) == kept;)
            end++;
        const uint32_t at = first * scalar_bytes(type), bytes = (end - first) * scalar_bytes(type);
        if (!kept)
            lower_store_components(l, type, end - first, to->address, at, to->storage,
                                   lower_part_align(to->align, at, bytes), values + first, "store");
    }
}

bool components_store(struct lower *l, const struct memory_place *to, uint32_t pointer, uint32_t object)
{
    if (!l->m->by_components || to->type->kind != TYPE_VECTOR)
        return false;
    const uint32_t *values = lower_get(l, object); /* the object has been lowered, and so have its parts */
    const uint32_t base = base_of(l, object), load = load_of(l, base);
    note_base(l, to);
    if (!load || l->m->words[l->m->def[base] + 3] != pointer || !is_recent(l, load))
        return false;
    const uint32_t *insert = &l->m->words[l->m->def[object]];
    if (spv_opcode(l->m, l->m->def[object]) == SpvOpVectorInsertDynamic && insert[3] == base &&
        to->storage != STORAGE_PRIVATE)
        store_dynamic(l, to, insert);
    else if (base != object)
        store_runs(l, to, load, values);
    return base != object;
}

/* ---- afterwards ---------------------------------------------------------------------------- */

struct narrowing {
    struct ir *ir;
    uint32_t *uses;     /* for each value */
    uint32_t *map;      /* for each component: the load that replaces it */
    LIST(uint32_t) out; /* the block being rewritten */
};

/*
 * The choice of a dynamic insert for a component counts as a use if it is used itself: components_store may
 * not have needed it.
 */
static void count_uses(struct narrowing *n)
{
    struct ir *ir = n->ir;
    for (uint32_t b = 0; b < ir->blocks.count; b++) {
        const struct block *block = ir_block(ir, b);
        n->uses[block->cond]++;
        for (uint32_t i = 0; i < block->insts.count; i++)
            IR_OPERANDS(ir, block->insts.at[i], slot)
        n->uses[*slot]++;
    }
    for (uint32_t b = ir->blocks.count; b-- > 0;)
        for (uint32_t i = ir_block(ir, b)->insts.count; i-- > 0;) {
            const uint32_t v = ir_block(ir, b)->insts.at[i];
            if (!ir_value(ir, v)->insertion || n->uses[v])
                continue;
            IR_OPERANDS(ir, v, slot)
            n->uses[*slot]--;
            ir_value(ir, v)->dead = true;
        }
}

static void keep(struct narrowing *n, uint32_t v)
{
    *list_push(n->ir->arena, &n->out) = v;
}

/* The site of the load, for components first to first + count. */
static uint32_t part_site(struct ir *ir, uint32_t site, uint32_t first, uint32_t count, enum scalar type)
{
    struct site *part = list_push(ir->arena, &ir->sites);
    *part = ir->sites.at[site];
    part->components = count;
    part->align = lower_part_align(part->align, (uint64_t)first * part->size, count * part->size);
    part->type = count == 1 ? lower_number_type(type) : NUMBER_VECTOR;
    return ir->sites.count - 1;
}

/* Emits a load of components first to first + count; component[k] is the value of component k. */
static void keep_part(struct narrowing *n, uint32_t load, const uint32_t *component, uint32_t first,
                      uint32_t count)
{
    struct ir *ir = n->ir;
    const enum scalar type = ir_value(ir, component[first])->type;
    const uint32_t part = ir_new_value(ir, IR_load, count == 1 ? type : T_NONE);
    const uint32_t site = part_site(ir, ir_value(ir, load)->site, first, count, type);
    struct value *value = ir_value(ir, part);
    const uint8_t scalar = value->type;
    *value = *ir_value(ir, load);
    value->type = scalar;
    value->components = (uint8_t)count;
    value->offset += (int64_t)first << value->size_log2;
    value->site = site;
    keep(n, part);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t v = component[first + k];
        if (count == 1) {
            n->map[v] = part;
        } else {
            ir_value(ir, v)->args[0] = part;
            ir_value(ir, v)->imm = k;
            keep(n, v);
        }
    }
}

/* Removes the preemption point of a load that is removed. */
static bool drop_yield(struct narrowing *n)
{
    const bool has = n->out.count && ir_value(n->ir, n->out.at[n->out.count - 1])->op == IR_yield;
    n->out.count -= has;
    return has;
}

/* Removes the load's index checks, too, if no component is read. */
static void drop_index_checks(struct narrowing *n, uint32_t load)
{
    const struct value *last;
    while (n->out.count && (last = ir_value(n->ir, n->out.at[n->out.count - 1]))->op == IR_index_check &&
           last->site == ir_value(n->ir, load)->site)
        n->out.count--;
}

/* The checks that precede output `end` belong to the first part of the load. */
static void move_index_checks(struct narrowing *n, uint32_t end, uint32_t site, uint32_t part)
{
    for (uint32_t i = end; i-- > 0;) {
        struct value *value = ir_value(n->ir, n->out.at[i]);
        if (value->op != IR_index_check || value->site != site)
            return;
        value->site = part;
    }
}

/* Narrows the load and its components, which follow it; returns the number of components. */
static uint32_t narrow_load(struct narrowing *n, uint32_t load, const uint32_t *component)
{
    struct ir *ir = n->ir;
    const uint32_t count = ir_value(ir, load)->components, block = ir_value(ir, load)->block;
    uint32_t used = 0;
    for (uint32_t k = 0; k < count; k++)
        used += n->uses[component[k]] != 0;
    if (used == count || (!used && !ir_value(ir, load)->base_of_components)) {
        keep(n, load);
        for (uint32_t k = 0; k < count; k++)
            keep(n, component[k]);
        return count;
    }
    const bool yields = drop_yield(n);
    const uint32_t before = n->out.count, next_site = ir->sites.count;
    if (!used)
        drop_index_checks(n, load);
    for (uint32_t first = 0, end; first < count; first = end) {
        const bool is_used = n->uses[component[first]] != 0;
        for (end = first + 1; end < count && (n->uses[component[end]] != 0) == is_used;)
            end++;
        if (!is_used)
            continue;
        if (yields) {
            keep(n, ir_new_value(ir, IR_yield, T_NONE));
            ir_value(ir, n->out.at[n->out.count - 1])->block = block;
        }
        keep_part(n, load, component, first, end - first);
    }
    if (used)
        move_index_checks(n, before, ir_value(ir, load)->site, next_site);
    return count;
}

void components_narrow(struct ir *ir)
{
    const uint32_t values = ir->values.count;
    struct narrowing n = {.ir = ir,
                          .uses = ARENA_ARRAY(ir->arena, uint32_t, values),
                          .map = ARENA_ARRAY(ir->arena, uint32_t, values)};
    count_uses(&n);
    for (uint32_t b = 0; b < ir->blocks.count; b++) {
        const uint32_t *insts = ir_block(ir, b)->insts.at, count = ir_block(ir, b)->insts.count;
        memset(&n.out, 0, sizeof n.out);
        for (uint32_t i = 0; i < count; i++) {
            if (ir_value(ir, insts[i])->by_components)
                i += narrow_load(&n, insts[i], insts + i + 1);
            else if (!ir_value(ir, insts[i])->dead)
                keep(&n, insts[i]);
        }
        ir_block(ir, b)->insts.at = n.out.at;
        ir_block(ir, b)->insts.count = n.out.count;
        ir_block(ir, b)->insts.room = n.out.room;
    }
    uint32_t *map = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count + 1);
    memcpy(map, n.map, values * sizeof *map);
    ir_rewrite(ir, map);
}
