/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of one value: its opcode goes by the family of its operation, its type, and which
 * operands are uniform (u), affine (a) or vectors (v), with the operands' places in the frame. */
#include <stdio.h>
#include <string.h>

#include "orrery/checked.h"
#include "emit.h"
#include "image_op.h"
#include "math.h"

static bool is_private(uint32_t op)
{
    return op >= OP_ldp_u_8 && op < OP_ldg_v_8;
}

/* A preemption point stands right before what it is for, whatever was placed between them. */
static bool takes_yield(uint32_t op)
{
    switch (op) {
    case OP_printf:
    case OP_async_copy:
    case OP_poison_ld:
    case OP_poison_ld_u:
    case OP_poison_bits_v:
    case OP_poison_bits_u:
    case OP_poison_st:
    case OP_poison_atomic: return true;
    default: return op >= OP_ld_u_8 && op <= OP_fence && !is_private(op);
    }
}

struct insn *emit_put(struct emitter *e, uint32_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t c)
{
    if (e->yield && takes_yield(op)) {
        e->yield = false;
        emit_put(e, OP_yield, 0, 0, 0, 0);
    }
    CHECKED(op < OP_COUNT);
    CHECKED(e->insns.count == e->ops.count);
    struct insn *insn = list_push(e->arena, &e->insns);
    *insn = (struct insn){op_table()[op], d, a, b, c, 0, 0};
    *list_push(e->arena, &e->ops) = (uint16_t)op;
    if (e->ir->debug)
        *list_push(e->arena, &e->words) = e->word;
    return insn;
}

static uint32_t float_index(enum scalar type)
{
    CHECKED(size_index(type) > 0); /* no float has 8 bits */
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
    return (is_v(e, a) ? 0u : 2u) + (is_v(e, b) ? 0u : 1u);
}

static void put_affine(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t a = value->args[0], b = value->args[1], d = emit_loc(e, v), op;
    bool a_u = a && val(e, a)->cls == CLASS_U, b_u = b && val(e, b)->cls == CLASS_U,
         wide = value->type == T_I64;
    CHECKED(!(a_u && b_u)); /* that would be uniform */
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
            struct insn *add = emit_put(e, OP_a_index_au, d, emit_loc(e, a), e->scratch[SLOT_U], 0);
            add->e = 0;
            add->f = (uint32_t)(int32_t)val(e, v)->offset;
            return;
        }
        op = a_u ? OP_a_index_ua : b_u ? OP_a_index_au : OP_a_index_aa;
    }
    struct insn *insn = emit_put(e, op, d, emit_loc(e, a), emit_loc(e, b), 0);
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
    const uint32_t default_rounding = to >= NUMBER_F16 ? ROUND_RTE : ROUND_RTZ;
    const bool is_default = !sat && (rounding == ROUND_DEFAULT || rounding == default_rounding);
    for (size_t i = 0; is_default && i < sizeof direct / sizeof *direct; i++)
        if (direct[i].from == from && direct[i].to == to)
            op = direct[i].op;
    emit_put(e, op + u, emit_loc(e, v), emit_loc(e, value->args[0]), 0, 0)->e = (uint32_t)value->imm;
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
    CHECKED(op); /* there is no such change of size */
    emit_put(e, op + !is_v(e, a), emit_loc(e, v), emit_loc(e, a), 0, 0);
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
    CHECKED(value->cls != CLASS_A);
    emit_put(e, op, emit_loc(e, v), emit_loc(e, a), emit_loc(e, b), emit_loc(e, c));
}

uint32_t emit_push(struct emitter *e, uint32_t operand)
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
    uint32_t second = second_result(e, v), list = emit_push(e, emit_loc(e, v));
    CHECKED(fn);
    emit_push(e, second
                     ? emit_loc(e, second)
                     : e->scratch[value->cls == CLASS_V ? SLOT_V8 : SLOT_U]); /* the function may write it */
    for (int k = 0; k < 3; k++)
        emit_push(e, value->args[k] ? emit_loc(e, value->args[k]) : UINT32_MAX);
    struct insn *insn = emit_put(e, value->cls == CLASS_V ? OP_math_v : OP_math_u, list, 0, 0, 0);
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
    uint32_t address = value->args[0], k = value->components, op, d = emit_loc(e, v);
    CHECKED(value->cls == CLASS_U || value->storage == STORAGE_PRIVATE ||
            address_form(e, address) != CLASS_U);
    op = value->storage == STORAGE_PRIVATE   ? private[address_form(e, address)]
         : value->storage == STORAGE_GENERIC ? OP_ldg_v_8
                                             : flat[address_form(e, address)];
    if (k > 1) { /* unread components still need a slot */
        uint32_t *slots = ARENA_ARRAY(e->arena, uint32_t, k);
        uint32_t scratch = e->scratch[value->cls == CLASS_U ? SLOT_U : SLOT_V1 + value->size_log2];
        for (uint32_t i = 0; i < k; i++)
            slots[i] = scratch;
        struct block *block = ir_block(e->ir, value->block);
        for (uint32_t i = 0; i < block->insts.count; i++) {
            const struct value *part = val(e, block->insts.at[i]);
            if (part->op == IR_extract && part->args[0] == v)
                slots[part->imm] = emit_loc(e, block->insts.at[i]);
        }
        d = emit_push(e, slots[0]);
        for (uint32_t i = 1; i < k; i++)
            emit_push(e, slots[i]);
    } else if (!e->groups[emit_group(e, v)].used) {
        d = e->scratch[value->cls == CLASS_U ? SLOT_U : SLOT_V1 + value->size_log2];
    }
    CHECKED(op && k > 0 && value->size_log2 <= 3); /* private memory has no affine form */
    struct insn *insn = emit_put(e, op + value->size_log2, d, emit_loc(e, address),
                                 (uint32_t)(int32_t)value->offset, value->object);
    insn->e = value->site;
    insn->f = k;
}

static void put_store(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    static const uint16_t flat[] = {OP_st_u_8, OP_st_a_8, OP_st_v_8}, private[] = {OP_stp_u_8, 0, OP_stp_v_8};
    uint32_t address = value->args[0], k = value->list_count, op, d = emit_loc(e, value->list[0]);
    op = value->storage == STORAGE_PRIVATE   ? private[address_form(e, address)]
         : value->storage == STORAGE_GENERIC ? OP_stg_v_8
                                             : flat[address_form(e, address)];
    if (k > 1) {
        d = emit_push(e, emit_loc(e, value->list[0]));
        for (uint32_t i = 1; i < k; i++)
            emit_push(e, emit_loc(e, value->list[i]));
    }
    CHECKED(op && k > 0 && value->size_log2 <= 3);
    struct insn *insn = emit_put(e, op + value->size_log2, d, emit_loc(e, address),
                                 (uint32_t)(int32_t)value->offset, value->object);
    insn->e = value->site;
    insn->f = k;
}

/* The bits of a constant, which is not a slot. */
static void push_constant(struct emitter *e, uint32_t constant)
{
    uint64_t bits = 0;
    const bool is_const = ir_is_const(e->ir, constant, &bits);
    CHECKED(is_const);
    emit_push(e, (uint32_t)bits);
    emit_push(e, is_const ? (uint32_t)(bits >> 32) : 0);
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
    uint32_t list = emit_push(e, form);
    emit_push(e, (uint32_t)value->components << value->size_log2);
    emit_push(e, (uint32_t)(int32_t)value->offset);
    emit_push(e, (uint32_t)(value->imm >> POISON_FROM_SHIFT));
    if (value->op == IR_poison_atomic)
        push_constant(e, value->args[2]);
    if (value->op == IR_poison_load)
        op = value->cls == CLASS_U ? OP_poison_ld_u : OP_poison_ld;
    else if (value->op == IR_poison_bits)
        op = value->cls == CLASS_U ? OP_poison_bits_u : OP_poison_bits_v;
    else if (value->op == IR_poison_atomic)
        op = OP_poison_atomic;
    const uint32_t d = value->op != IR_poison_store ? emit_loc(e, v)
                       : value->args[2]             ? emit_loc(e, value->args[2])
                                                    : 0;
    struct insn *insn =
        emit_put(e, op, d, emit_loc(e, address), list, value->args[1] ? emit_loc(e, value->args[1]) : 0);
    insn->e = value->site;
    insn->f = (uint32_t)value->imm;
}

static void put_printf(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t first = (uint32_t)value->imm, arguments = (uint32_t)(value->imm >> 32);
    uint32_t list = emit_push(e, emit_loc(e, value->args[0]));
    for (uint32_t i = 0; i < arguments; i++)
        emit_push(e, e->ir->words.at[first + i]);
    for (uint32_t i = 0; i < value->list_count; i++)
        emit_push(e, emit_loc(e, value->list[i]));
    const uint32_t result = e->groups[emit_group(e, v)].used ? emit_loc(e, v) : e->scratch[SLOT_V1 + 2];
    struct insn *insn = emit_put(e, OP_printf, list, result, 0, 0);
    insn->e = value->site;
    insn->f = arguments;
}

/* first: a result before those of the operation; NONE: there is none. */
static void put_list(struct emitter *e, uint32_t op, uint32_t v, uint32_t first)
{
    const struct value *value = val(e, v);
    uint32_t list = e->operands.count;
    if (first)
        emit_push(e, emit_loc(e, first));
    if (op == OP_collective || op == OP_pipe || op == OP_enqueue)
        emit_push(e, emit_loc(e, v));
    else if (op == OP_async_copy)
        emit_push(e, e->groups[emit_group(e, v)].used ? emit_loc(e, v) : e->scratch[SLOT_V1 + 3]);
    for (uint32_t i = 0; i < value->list_count; i++)
        emit_push(e, emit_loc(e, value->list[i]));
    struct insn *insn = emit_put(e, op, list, 0, 0, 0);
    insn->b = op == OP_barrier ? value->list_count : 0;
    insn->c = value->args[0] ? emit_loc(e, value->args[0]) : 0;
    insn->e = value->site;
    insn->f = (uint32_t)value->imm;
}

/* The value with the uninitialised bits of a collective's result; NONE: nothing uses them. */
static uint32_t tracked_bits(struct emitter *e, uint32_t v)
{
    const struct block *block = ir_block(e->ir, val(e, v)->block);
    for (uint32_t i = 0; i < block->insts.count; i++) {
        const struct value *part = val(e, block->insts.at[i]);
        if (part->op == IR_extract && part->args[0] == v)
            return block->insts.at[i];
    }
    return NONE;
}

static void put_collective(struct emitter *e, uint32_t v)
{
    struct value *value = val(e, v);
    const uint32_t bits = value->imm & COLLECTIVE_TRACKED ? tracked_bits(e, v) : NONE;
    value->imm &= bits ? UINT64_MAX : ~(uint64_t)COLLECTIVE_TRACKED;
    put_list(e, OP_collective, v, bits);
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
            results[part->imm] = emit_loc(e, block->insts.at[i]);
    }
    for (uint32_t i = 0; op == OP_image_read && i < IMAGE_RESULTS; i++)
        emit_push(e, results[i]);
    if (op == OP_image_read)
        emit_push(e, (uint32_t)(value->imm >> POISON_FROM_SHIFT));
    for (uint32_t i = 0; i < value->list_count; i++)
        emit_push(e, emit_loc(e, value->list[i]));
    struct insn *insn = emit_put(e, op, list, emit_loc(e, value->args[0]), emit_loc(e, value->args[1]),
                                 emit_loc(e, value->args[2]));
    insn->e = value->site;
    insn->f = (uint32_t)value->imm;
}

static void put_index(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t a = value->args[0], b = value->args[1];
    uint32_t op = value->cls == CLASS_U ? OP_u_index : is_v(e, a) ? OP_v_index : OP_v_index_uv;
    struct insn *insn =
        emit_put(e, op, emit_loc(e, v), emit_loc(e, a), b ? emit_loc(e, b) : e->scratch[SLOT_U], 0);
    insn->e = b ? (uint32_t)value->imm : 0;
    insn->f = (uint32_t)(int32_t)value->offset;
}

/* Of a family, whose opcodes go by type and by which operands are vectors. */
static bool put_family(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    const uint32_t a = value->args[0], b = value->args[1], c = value->args[2];
    uint32_t op = first_op[value->op], operands;
    CHECKED(value->op < IR_OP_COUNT);
    switch (ir_families[value->op]) {
    case FAMILY_INT2: op += 4 * size_index(value->type), operands = 2; break;
    case FAMILY_FLT2: op += 4 * float_index(value->type), operands = 2; break;
    case FAMILY_ICMP: op += 4 * size_index(val(e, a)->type), operands = 2; break;
    case FAMILY_FCMP: op += 4 * float_index(val(e, a)->type), operands = 2; break;
    case FAMILY_BOOL2: operands = 2; break;
    case FAMILY_INT1: op += 2 * size_index(value->type), operands = 1; break;
    case FAMILY_FLT1: op += 2 * float_index(value->type), operands = 1; break;
    case FAMILY_FTEST: op += 2 * float_index(val(e, a)->type), operands = 1; break;
    case FAMILY_BOOL1: operands = 1; break;
    case FAMILY_FLT3: op += 8 * float_index(value->type), operands = 3; break;
    default: return false;
    }
    CHECKED(a);
    CHECKED((operands < 2 || b) && (operands < 3 || c));
    const uint32_t last = !is_v(e, operands == 3 ? c : a);
    op += operands == 3 ? 2 * form2(e, a, b) + last : operands == 2 ? form2(e, a, b) : last;
    emit_put(e, op, emit_loc(e, v), emit_loc(e, a), operands > 1 ? emit_loc(e, b) : 0,
             operands > 2 ? emit_loc(e, c) : 0);
    return true;
}

/* With its place in the program, and what it is reported besides. */
static struct insn *put_sited(struct emitter *e, uint32_t v, uint32_t op, uint32_t d, uint32_t a, uint32_t b,
                              uint32_t c)
{
    struct insn *insn = emit_put(e, op, d, a, b, c);
    insn->e = val(e, v)->site;
    insn->f = (uint32_t)val(e, v)->imm;
    return insn;
}

static void put_index_check(struct emitter *e, uint32_t v)
{
    static const uint32_t ops[] = {
        [CLASS_U] = OP_index_check_u, [CLASS_A] = OP_index_check_a, [CLASS_V] = OP_index_check_v};
    const struct value *value = val(e, v);
    CHECKED(val(e, value->args[0])->cls <= CLASS_V);
    struct insn *insn = emit_put(e, ops[val(e, value->args[0])->cls], (uint32_t)(value->imm >> 32),
                                 emit_loc(e, value->args[0]), 0, 0);
    insn->e = value->site;
    insn->f = (uint32_t)value->imm;
}

static void put_atomic(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    const uint32_t a = value->args[0];
    const bool wide = value->size_log2 == 3;
    const uint32_t d =
        e->groups[emit_group(e, v)].used ? emit_loc(e, v) : e->scratch[SLOT_V1 + value->size_log2];
    if (value->imm == ATOMIC_COMPARE_EXCHANGE_WEAK)
        put_sited(e, v, wide ? OP_atomic_weak_64 : OP_atomic_weak_32, d, emit_loc(e, a),
                  emit_loc(e, value->args[1]), emit_loc(e, value->args[2]));
    else
        put_sited(e, v,
                  is_v(e, a) ? wide ? OP_atomic_64 : OP_atomic_32
                  : wide     ? OP_atomic_u_64
                             : OP_atomic_u_32,
                  d, emit_loc(e, a), emit_loc(e, value->args[1]), emit_loc(e, value->args[2]));
}

/* A value of the first lane, of an A cell or of a U cell, in another class. */
static void put_change_of_class(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t op, size = value->type == T_BOOL ? 0 : size_index(value->type);
    if (value->op == IR_to_v)
        op = value->type == T_I64 ? OP_a_to_v_64 : OP_a_to_v_32;
    else if (value->op == IR_first)
        op = value->type == T_BOOL ? OP_first_m : OP_first_8 + size;
    else
        op = value->type == T_BOOL ? OP_splat_m : OP_splat_8 + size;
    emit_put(e, op, emit_loc(e, v), emit_loc(e, value->args[0]), 0, 0);
}

static void put_poison_open(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    const uint32_t a = value->args[0], c = value->args[2],
                   first = value->cls == CLASS_U ? OP_poison_open_uu_8
                           : is_v(e, a)          ? OP_poison_open_v_8
                                                 : OP_poison_open_u_8;
    emit_put(e, first + size_index(val(e, a)->type), emit_loc(e, v), emit_loc(e, a),
             emit_loc(e, value->args[1]), c ? emit_loc(e, c) : 0)
        ->f = (uint32_t)value->imm;
}

static void put_count(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    const uint32_t condition = value->op == IR_count ? 0 : value->args[0];
    const uint32_t op = value->op == IR_count ? OP_count
                        : is_v(e, condition)  ? OP_count_way_v
                                              : OP_count_way_u;
    emit_put(e, op, 0, emit_loc(e, condition), 0, 0)->e = (uint32_t)value->imm;
}

static void put_forget(struct emitter *e, uint32_t v)
{
    const struct private_variable *variable = &e->ir->private_variables.at[val(e, val(e, v)->args[0])->imm];
    struct insn *insn = emit_put(e, OP_forget, 0, 0, 0, 0);
    insn->e = variable->offset;
    insn->f = (uint32_t)variable->size;
}

void emit_value(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    const uint32_t a = value->args[0], b = value->args[1];
    if (value->cls == CLASS_A && value->op != IR_phi) {
        put_affine(e, v);
        return;
    }
    if (put_family(e, v))
        return;
    switch (value->op) {
    case IR_select: put_select(e, v); break;
    case IR_trunc:
    case IR_zext:
    case IR_sext: put_resize(e, v); break;
    case IR_cvt: put_convert(e, v); break;
    case IR_index: put_index(e, v); break;
    case IR_math: put_math(e, v); break;
    case IR_clock: emit_put(e, OP_clock, emit_loc(e, v), 0, 0, (uint32_t)value->imm); break;
    case IR_space: emit_put(e, OP_space_v, emit_loc(e, v), emit_loc(e, a), 0, 0); break;
    case IR_first:
    case IR_to_v:
    case IR_splat: put_change_of_class(e, v); break;
    case IR_load: put_load(e, v); break;
    case IR_store: put_store(e, v); break;
    case IR_copy:
        put_sited(e, v, OP_copy_v, emit_loc(e, a), emit_loc(e, b), 0, emit_loc(e, value->args[2]))->a =
            emit_loc(e, b);
        break;
    case IR_atomic: put_atomic(e, v); break;
    case IR_refused: emit_put(e, OP_refused, emit_loc(e, v), 0, 0, 0); break;
    case IR_fence: emit_put(e, OP_fence, 0, 0, 0, 0)->e = value->site; break;
    case IR_barrier: put_list(e, OP_barrier, v, NONE); break;
    case IR_poison_open: put_poison_open(e, v); break;
    case IR_poison_load:
    case IR_poison_bits:
    case IR_poison_atomic:
    case IR_poison_store: put_poison(e, v); break;
    case IR_poison_check:
        put_sited(e, v, is_v(e, a) ? OP_poison_check_v : OP_poison_check_u, 0, emit_loc(e, a), 0, 0)->b =
            (uint32_t)(value->imm >> POISON_FROM_SHIFT);
        break;
    case IR_same: put_sited(e, v, OP_same, 0, emit_loc(e, a), 0, 0); break;
    case IR_index_check: put_index_check(e, v); break;
    case IR_yield: e->yield = true; break;
    case IR_count:
    case IR_count_way: put_count(e, v); break;
    case IR_forget: put_forget(e, v); break;
    case IR_line: emit_put(e, OP_line, 0, 0, 0, 0)->e = (uint32_t)value->imm; break;
    case IR_printf: put_printf(e, v); break;
    case IR_collective: put_collective(e, v); break;
    case IR_pipe: put_list(e, OP_pipe, v, NONE); break;
    case IR_enqueue: put_list(e, OP_enqueue, v, NONE); break;
    case IR_async_copy: put_list(e, OP_async_copy, v, NONE); break;
    case IR_image_read: put_image(e, OP_image_read, v); break;
    case IR_image_write: put_image(e, OP_image_write, v); break;
    case IR_image_query:
        emit_put(e, OP_image_query, emit_loc(e, v), emit_loc(e, a), emit_loc(e, b), 0)->f =
            (uint32_t)value->imm;
        break;
    default: break; /* phi, extract, math_second: nothing to do */
    }
}
