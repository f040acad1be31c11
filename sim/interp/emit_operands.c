/* SPDX-License-Identifier: Apache-2.0 */
/* Gives operands the form that their handler expects: lanes (V), one lane or uniform (U), or a constant
 * offset that becomes part of the access. */
#include <string.h>

#include "orrery/checked.h"
#include "emit.h"

/* The position after that of `of` among so many. Definitions are mostly near the one that was sought before:
 * a search from the start of a long block would make its emission quadratic. */
static uint32_t position_after(struct emitter *e, const struct block *block, uint32_t count, uint32_t of)
{
    const uint32_t *at = block->insts.at, near = e->sought < count ? e->sought : count;
    for (uint32_t away = 0; away <= count; away++) {
        if (near >= away + 1 && at[near - away - 1] == of)
            return e->sought = near - away;
        if (near + away < count && at[near + away] == of)
            return e->sought = near + away + 1;
    }
    return 0;
}

/* Puts a new value right after the definition of `of` (after the phis; in the entry block
 * for leaves). */
static void place_after(struct emitter *e, uint32_t of, uint32_t v)
{
    uint32_t b = val(e, of)->block ? val(e, of)->block : e->ir->entry_block, at = 0;
    ir_append(e->ir, b, v);
    struct block *block = ir_block(e->ir, b);
    uint32_t count = block->insts.count - 1;
    if (val(e, of)->block)
        at = position_after(e, block, count, of);
    while (at < count &&
           (val(e, block->insts.at[at])->op == IR_extract || val(e, block->insts.at[at])->op == IR_phi ||
            val(e, block->insts.at[at])->op == IR_math_second))
        at++;
    memmove(block->insts.at + at + 1, block->insts.at + at, (count - at) * sizeof *block->insts.at);
    CHECKED(at <= count && (at == count || val(e, block->insts.at[at])->op != IR_phi));
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
        place_after(e, v, *known);
    }
    CHECKED(val(e, *known)->cls == CLASS_V && val(e, *known)->type == val(e, v)->type);
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
        place_after(e, b, step);
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
    CHECKED(at > 0);
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
    CHECKED(val(e, v)->cls == CLASS_V);
    val(e, first)->args[0] = v;
    place_before(e, user, first);
    return first;
}

/* The same for arguments that the program may have got wrong: all lanes are compared. */
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

static bool is_of_family(enum ir_op op)
{
    switch (ir_families[op]) {
    case FAMILY_INT2:
    case FAMILY_FLT2:
    case FAMILY_FLT3:
    case FAMILY_ICMP:
    case FAMILY_FCMP:
    case FAMILY_BOOL2:
    case FAMILY_INT1:
    case FAMILY_FLT1:
    case FAMILY_FTEST:
    case FAMILY_BOOL1: return true;
    default: return false;
    }
}

static bool is_load(const struct value *value)
{
    return value->op == IR_load || ir_loads_poison(value);
}

/* The address operand: generic addresses become lanes; private ones are added to each lane's own. The
 * address of a varying load is affine or varying: in irreducible control flow each lane loads for itself,
 * from a uniform address, too. */
static void prepare_address(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    const bool spreads = is_load(value) && value->cls == CLASS_V && val(e, value->args[0])->cls == CLASS_U;
    if (value->storage == STORAGE_PRIVATE)
        no_affine(e, v);
    else if (value->storage == STORAGE_GENERIC || spreads)
        lanes_only(e, v, 0, 0);
}

static void prepare_select(struct emitter *e, uint32_t v)
{
    no_affine(e, v);
    if (val(e, v)->cls == CLASS_V &&
        (val(e, val(e, v)->args[0])->cls == CLASS_U || val(e, v)->type == T_BOOL))
        lanes_only(e, v, 1, 2);
}

static void prepare_atomic(struct emitter *e, uint32_t v)
{
    const enum storage storage = val(e, v)->storage;
    const bool by_lane = storage == STORAGE_GENERIC || storage == STORAGE_PRIVATE ||
                         val(e, val(e, v)->args[0])->cls != CLASS_U ||
                         val(e, v)->imm == ATOMIC_COMPARE_EXCHANGE_WEAK;
    lanes_only(e, v, by_lane ? 0 : 1, 2);
}

/* Operands of barriers and of copies of a group. */
static void prepare_alike(struct emitter *e, uint32_t v)
{
    const bool barrier = val(e, v)->op == IR_barrier;
    for (uint32_t k = 0; k < val(e, v)->list_count; k++) {
        const uint32_t argument = barrier ? 0 : (k + 1) | (k < 2 ? 256 : 0);
        const uint32_t one = in_all_lanes_alike(e, v, val(e, v)->list[k], argument);
        val(e, v)->list[k] = one;
    }
}

/* The first so many arguments are uniform by the specification. */
static void prepare_uniform(struct emitter *e, uint32_t v, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t given = val(e, v)->args[k], one = given ? in_one_lane(e, v, given) : NONE;
        val(e, v)->args[k] = one;
    }
}

static void prepare_list(struct emitter *e, uint32_t v, uint32_t from)
{
    lanes_only(e, v, from, 2 + val(e, v)->list_count);
}

static void prepare(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    if (is_of_family(value->op)) {
        if (value->cls != CLASS_A)
            no_affine(e, v);
        return;
    }
    switch (value->op) {
    case IR_trunc:
    case IR_zext:
    case IR_sext:
    case IR_cvt:
        if (value->cls != CLASS_A)
            no_affine(e, v);
        break;
    case IR_select: prepare_select(e, v); break;
    case IR_index: prepare_index(e, v); break;
    case IR_math:
        if (value->cls == CLASS_V)
            lanes_only(e, v, 0, 2);
        break;
    case IR_space: lanes_only(e, v, 0, 0); break;
    case IR_poison_open:
        no_affine(e, v);
        if (value->cls == CLASS_V)
            lanes_only(e, v, 1, 2);
        break;
    case IR_poison_atomic:
    case IR_poison_store: lanes_only(e, v, 1, value->op == IR_poison_atomic ? 1 : 2); /* fall through */
    case IR_poison_load:
    case IR_poison_bits:
    case IR_load: prepare_address(e, v); break;
    case IR_store:
        prepare_address(e, v);
        prepare_list(e, v, 3);
        break;
    case IR_atomic: prepare_atomic(e, v); break;
    case IR_copy: lanes_only(e, v, 0, 2); break;
    case IR_printf:
        prepare_uniform(e, v, 1);
        prepare_list(e, v, 3);
        break;
    case IR_async_copy: prepare_alike(e, v); break;
    case IR_barrier:
        prepare_uniform(e, v, 1);
        if (value->imm == 3)
            prepare_list(e, v, 3);
        else
            prepare_alike(e, v);
        break;
    case IR_collective: prepare_uniform(e, v, 1); /* fall through */
    case IR_pipe:
    case IR_enqueue: prepare_list(e, v, 3); break;
    case IR_image_read:
    case IR_image_write: prepare_list(e, v, 2); /* fall through */
    case IR_image_query: prepare_uniform(e, v, 2); break;
    default: break;
    }
}

/* Constant offsets go into the access. */
static void fold_offset(struct emitter *e, uint32_t v)
{
    struct value *value = val(e, v);
    if (!is_load(value) && value->op != IR_store && value->op != IR_poison_store)
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

/* 1 + the private object that a load or store is in; 0: not known, or none. */
static uint32_t object_of(struct emitter *e, const struct value *value)
{
    const bool may_be_private = value->storage == STORAGE_PRIVATE || value->storage == STORAGE_GENERIC;
    const uint32_t variable = may_be_private ? written_private_origin(e->ir, value->args[0]) : 0;
    return variable ? e->object_of[variable - 1] : 0;
}

void emit_operands(struct emitter *e)
{
    struct ir *ir = e->ir;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        uint32_t b = ir->order[o], count = ir_block(ir, b)->insts.count;
        uint32_t *insts = arena_copy(e->arena, ir_block(ir, b)->insts.at, count * sizeof *insts);
        for (uint32_t i = 0; i < count; i++) {
            fold_offset(e, insts[i]);
            if (val(e, insts[i])->op == IR_load || val(e, insts[i])->op == IR_store)
                val(e, insts[i])->object = object_of(e, val(e, insts[i]));
            prepare(e, insts[i]);
        }
        uint32_t cond = ir_block(ir, b)->cond;
        if (cond)
            ir_block(ir, b)->cond = in_lanes(e, cond, false);
    }
}
