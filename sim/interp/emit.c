/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From classed SSA to bytecode: phis become copies on their edges, instructions are written out, with the
 * operands of emit_operands.c at the places of emit_slots.c.
 */
#include <stdio.h>
#include <string.h>

#include "orrery/checked.h"
#include "emit.h"
#include "image_op.h"
#include "math.h"
#include "slot_check.h"

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

static struct insn *put(struct emitter *e, uint32_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t c)
{
    if (e->yield && takes_yield(op)) {
        e->yield = false;
        put(e, OP_yield, 0, 0, 0, 0);
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

static uint32_t size_index(enum scalar type)
{
    CHECKED(scalar_bytes(type) && scalar_bytes(type) <= 8);
    return (uint32_t)__builtin_ctz(scalar_bytes(type));
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
            struct insn *add = put(e, OP_a_index_au, d, emit_loc(e, a), e->scratch[SLOT_U], 0);
            add->e = 0;
            add->f = (uint32_t)(int32_t)val(e, v)->offset;
            return;
        }
        op = a_u ? OP_a_index_ua : b_u ? OP_a_index_au : OP_a_index_aa;
    }
    struct insn *insn = put(e, op, d, emit_loc(e, a), emit_loc(e, b), 0);
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
    put(e, op + u, emit_loc(e, v), emit_loc(e, value->args[0]), 0, 0)->e = (uint32_t)value->imm;
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
    put(e, op + !is_v(e, a), emit_loc(e, v), emit_loc(e, a), 0, 0);
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
    put(e, op, emit_loc(e, v), emit_loc(e, a), emit_loc(e, b), emit_loc(e, c));
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
    uint32_t second = second_result(e, v), list = push_operand(e, emit_loc(e, v));
    CHECKED(fn);
    push_operand(
        e, second ? emit_loc(e, second)
                  : e->scratch[value->cls == CLASS_V ? SLOT_V8 : SLOT_U]); /* the function may write it */
    for (int k = 0; k < 3; k++)
        push_operand(e, value->args[k] ? emit_loc(e, value->args[k]) : UINT32_MAX);
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
        d = push_operand(e, slots[0]);
        for (uint32_t i = 1; i < k; i++)
            push_operand(e, slots[i]);
    } else if (!e->groups[emit_group(e, v)].used) {
        d = e->scratch[value->cls == CLASS_U ? SLOT_U : SLOT_V1 + value->size_log2];
    }
    CHECKED(op && k > 0 && value->size_log2 <= 3); /* private memory has no affine form */
    struct insn *insn = put(e, op + value->size_log2, d, emit_loc(e, address),
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
        d = push_operand(e, emit_loc(e, value->list[0]));
        for (uint32_t i = 1; i < k; i++)
            push_operand(e, emit_loc(e, value->list[i]));
    }
    CHECKED(op && k > 0 && value->size_log2 <= 3);
    struct insn *insn = put(e, op + value->size_log2, d, emit_loc(e, address),
                            (uint32_t)(int32_t)value->offset, value->object);
    insn->e = value->site;
    insn->f = k;
}

/* The address form of a poison operation: 0 u, 1 a, 2 v, 3 private u, 4 private v, 5 generic. */
static void push_open_bits(struct emitter *e, uint32_t constant)
{
    uint64_t bits = 0;
    const bool is_const = ir_is_const(e->ir, constant, &bits);
    CHECKED(is_const);
    push_operand(e, (uint32_t)bits);
    push_operand(e, is_const ? (uint32_t)(bits >> 32) : 0);
}

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
    push_operand(e, (uint32_t)(value->imm >> POISON_FROM_SHIFT));
    if (value->op == IR_poison_atomic)
        push_open_bits(e, value->args[2]);
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
        put(e, op, d, emit_loc(e, address), list, value->args[1] ? emit_loc(e, value->args[1]) : 0);
    insn->e = value->site;
    insn->f = (uint32_t)value->imm;
}

static void put_printf(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t first = (uint32_t)value->imm, arguments = (uint32_t)(value->imm >> 32);
    uint32_t list = push_operand(e, emit_loc(e, value->args[0]));
    for (uint32_t i = 0; i < arguments; i++)
        push_operand(e, e->ir->words.at[first + i]);
    for (uint32_t i = 0; i < value->list_count; i++)
        push_operand(e, emit_loc(e, value->list[i]));
    const uint32_t result = e->groups[emit_group(e, v)].used ? emit_loc(e, v) : e->scratch[SLOT_V1 + 2];
    struct insn *insn = put(e, OP_printf, list, result, 0, 0);
    insn->e = value->site;
    insn->f = arguments;
}

static void put_list(struct emitter *e, uint32_t op, uint32_t v)
{
    const struct value *value = val(e, v);
    uint32_t list = e->operands.count;
    if (op == OP_collective || op == OP_pipe || op == OP_enqueue)
        push_operand(e, emit_loc(e, v));
    else if (op == OP_async_copy)
        push_operand(e, e->groups[emit_group(e, v)].used ? emit_loc(e, v) : e->scratch[SLOT_V1 + 3]);
    for (uint32_t i = 0; i < value->list_count; i++)
        push_operand(e, emit_loc(e, value->list[i]));
    struct insn *insn = put(e, op, list, 0, 0, 0);
    insn->b = op == OP_barrier ? value->list_count : 0;
    insn->c = value->args[0] ? emit_loc(e, value->args[0]) : 0;
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
            results[part->imm] = emit_loc(e, block->insts.at[i]);
    }
    for (uint32_t i = 0; op == OP_image_read && i < IMAGE_RESULTS; i++)
        push_operand(e, results[i]);
    if (op == OP_image_read)
        push_operand(e, (uint32_t)(value->imm >> POISON_FROM_SHIFT));
    for (uint32_t i = 0; i < value->list_count; i++)
        push_operand(e, emit_loc(e, value->list[i]));
    struct insn *insn = put(e, op, list, emit_loc(e, value->args[0]), emit_loc(e, value->args[1]),
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
        put(e, op, emit_loc(e, v), emit_loc(e, a), b ? emit_loc(e, b) : e->scratch[SLOT_U], 0);
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
    CHECKED(a && (operands < 2 || b) && (operands < 3 || c));
    const uint32_t last = !is_v(e, operands == 3 ? c : a);
    op += operands == 3 ? 2 * form2(e, a, b) + last : operands == 2 ? form2(e, a, b) : last;
    put(e, op, emit_loc(e, v), emit_loc(e, a), operands > 1 ? emit_loc(e, b) : 0,
        operands > 2 ? emit_loc(e, c) : 0);
    return true;
}

/* With its place in the program, and what it is reported besides. */
static struct insn *put_sited(struct emitter *e, uint32_t v, uint32_t op, uint32_t d, uint32_t a, uint32_t b,
                              uint32_t c)
{
    struct insn *insn = put(e, op, d, a, b, c);
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
    struct insn *insn = put(e, ops[val(e, value->args[0])->cls], (uint32_t)(value->imm >> 32),
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
    put(e, op, emit_loc(e, v), emit_loc(e, value->args[0]), 0, 0);
}

static void put_count(struct emitter *e, uint32_t v)
{
    const struct value *value = val(e, v);
    const uint32_t condition = value->op == IR_count ? 0 : value->args[0];
    const uint32_t op = value->op == IR_count ? OP_count
                        : is_v(e, condition)  ? OP_count_way_v
                                              : OP_count_way_u;
    put(e, op, 0, emit_loc(e, condition), 0, 0)->e = (uint32_t)value->imm;
}

static void put_value(struct emitter *e, uint32_t v)
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
    case IR_clock: put(e, OP_clock, emit_loc(e, v), 0, 0, (uint32_t)value->imm); break;
    case IR_space: put(e, OP_space_v, emit_loc(e, v), emit_loc(e, a), 0, 0); break;
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
    case IR_refused: put(e, OP_refused, emit_loc(e, v), 0, 0, 0); break;
    case IR_fence: put(e, OP_fence, 0, 0, 0, 0)->e = value->site; break;
    case IR_barrier: put_list(e, OP_barrier, v); break;
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
    case IR_line: put(e, OP_line, 0, 0, 0, 0)->e = (uint32_t)value->imm; break;
    case IR_printf: put_printf(e, v); break;
    case IR_collective: put_list(e, OP_collective, v); break;
    case IR_pipe: put_list(e, OP_pipe, v); break;
    case IR_enqueue: put_list(e, OP_enqueue, v); break;
    case IR_async_copy: put_list(e, OP_async_copy, v); break;
    case IR_image_read: put_image(e, OP_image_read, v); break;
    case IR_image_write: put_image(e, OP_image_write, v); break;
    case IR_image_query:
        put(e, OP_image_query, emit_loc(e, v), emit_loc(e, a), emit_loc(e, b), 0)->f = (uint32_t)value->imm;
        break;
    default: break; /* phi, extract, math_second: nothing to do */
    }
}

/* ---- copies on edges ------------------------------------------------------------------------- */

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
    CHECKED(phi->cls != CLASS_U || from == CLASS_U); /* diverge.c: no uniform phi of varying values */
    CHECKED(phi->cls != CLASS_A || from != CLASS_V);
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
    CHECKED(ir_block(ir, b)->succ_count == 1); /* cfg_split_edges */
    LIST(struct move) moves = {0};
    for (uint32_t i = 0; i < succ->insts.count && val(e, succ->insts.at[i])->op == IR_phi; i++) {
        uint32_t id = succ->insts.at[i];
        const struct value *phi = val(e, id);
        for (uint32_t k = 0; k < phi->list_count; k++) {
            if (phi->list[phi->list_count + k] != b)
                continue;
            uint32_t source = phi->list[k];
            struct move m = {id, emit_loc(e, id), emit_loc(e, source), val(e, source)->cls, false};
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
            uint32_t cls = emit_slot_class(val(e, m->phi)), scratch = e->scratch[cls], old = m->target;
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

/* The phis of the successor that get no value from here. A block on an edge that is not emitted stands for
 * the edge. */
static void note_undefined(struct emitter *e, uint32_t b)
{
    struct ir *ir = e->ir;
    if (ir_block(ir, b)->term != TERM_JUMP)
        return;
    const struct block *succ = ir_block(ir, ir_block(ir, b)->succs[0]);
    const uint32_t from = e->edge_empty[b] ? ir_block(ir, b)->preds[0] : b;
    for (uint32_t i = 0; i < succ->insts.count && val(e, succ->insts.at[i])->op == IR_phi; i++) {
        const struct value *phi = val(e, succ->insts.at[i]);
        for (uint32_t k = 0; k < phi->list_count; k++)
            if (phi->list[phi->list_count + k] == b && val(e, phi->list[k])->op == IR_undef)
                *list_push(e->arena, &e->undefined) = (struct slot_undefined){
                    ir_block(ir, from)->order, succ->order, emit_loc(e, succ->insts.at[i])};
    }
}

/* ---- blocks ------------------------------------------------------------------------------------------ */

static uint32_t target_of(struct emitter *e, uint32_t b)
{
    while (e->edge_empty[b])
        b = ir_block(e->ir, b)->succs[0];
    CHECKED(ir_block(e->ir, b)->order < e->ir->order_count);
    return ir_block(e->ir, b)->order;
}

static bool copies_needed(struct emitter *e, uint32_t b)
{
    uint32_t before = e->insns.count, operands = e->operands.count;
    put_phi_copies(e, b);
    bool needed = e->insns.count > before;
    e->insns.count = e->ops.count = before;
    e->words.count = e->ir->debug ? before : 0;
    e->operands.count = operands;
    return needed;
}

static void put_jump(struct emitter *e, uint32_t from, uint32_t to)
{
    uint32_t target = target_of(e, to), here = ir_block(e->ir, from)->order;
    const uint32_t work = ir_block(e->ir, from)->work;
    if (target == here + 1 && !e->divergent && !work)
        return;
    CHECKED(target < e->ir->order_count && here < e->ir->order_count);
    struct insn *insn = put(e, target <= here ? OP_loop : OP_jump, 0, 0, 0, work);
    insn->d = ir_block(e->ir, from)->site;
    insn->e = target;
}

static void put_switch(struct emitter *e, uint32_t b)
{
    struct block *block = ir_block(e->ir, b);
    CHECKED(block->cond && block->succ_count > 0 && val(e, block->cond)->cls != CLASS_A);
    uint32_t list = push_operand(e, scalar_bits(val(e, block->cond)->type));
    push_operand(e, block->succ_count - 1);
    push_operand(e, target_of(e, block->succs[0]));
    for (uint32_t i = 1; i < block->succ_count; i++) {
        push_operand(e, (uint32_t)block->cases[i - 1]);
        push_operand(e, (uint32_t)(block->cases[i - 1] >> 32));
        push_operand(e, target_of(e, block->succs[i]));
    }
    put(e, is_v(e, block->cond) ? OP_switch_v : OP_switch_u, block->site, emit_loc(e, block->cond), 0,
        block->work)
        ->e = list;
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
        CHECKED(block->succ_count == 2 && val(e, block->cond)->type == T_BOOL);
        struct insn *insn = put(e, is_v(e, block->cond) ? OP_branch_v : OP_branch_u, block->site,
                                emit_loc(e, block->cond), 0, block->work);
        insn->e = target_of(e, block->succs[0]);
        insn->f = target_of(e, block->succs[1]);
        insn->b = block->order;
        break;
    }
    case TERM_SWITCH: put_switch(e, b); break;
    case TERM_UNREACHABLE: put(e, OP_unreachable, 0, 0, 0, block->work)->e = block->site; break;
    default: put(e, OP_ret, 0, 0, 0, block->work); break;
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

static void keep_private(struct ir *ir, struct code *code)
{
    bool *kept = ARENA_ARRAY(&ir->module->arena, bool, ir->private_variables.count + 1);
    for (uint32_t i = 0; i < ir->private_variables.count; i++)
        kept[i] = ir->private_variables.at[i].live;
    code->private_kept = kept;
    code->private_variable_count = ir->private_variables.count;
}

static void keep_poison(struct ir *ir, struct code *code)
{
    struct arena *keep = &ir->module->arena;
    const uint32_t count = ir->poison_sources.count, words = ir->poison_lists.count;
    code->poison_sources = arena_copy(keep, ir->poison_sources.at, count * sizeof *code->poison_sources);
    code->poison_source_count = count;
    code->poison_lists = arena_copy(keep, ir->poison_lists.at, words * sizeof *code->poison_lists);
    code->poison_list_words = words;
}

/* Findings are explained by the code as it is without a debugger, and without counts. Both were lowered from
 * the same words in the same order, so their sites have the same numbers. */
static void take_explanations(struct code *code, const struct code *plain)
{
    CHECKED(code->site_count == plain->site_count && code->call_count == plain->call_count);
    code->sites = plain->sites;
    code->loops = plain->loops;
    code->loop_count = plain->loop_count;
    code->ways = plain->ways;
    code->written = plain->written;
    code->writes_elsewhere = plain->writes_elsewhere;
    code->suspect = plain->suspect;
}

static struct code *finish(struct emitter *e, uint32_t *block_start)
{
    struct ir *ir = e->ir;
    struct arena *keep = &ir->module->arena; /* everything else goes with the work arena */
    CHECKED(e->insns.count == e->ops.count);
    struct code *code = ARENA_NEW(keep, struct code);
    code->width = e->width;
    code->insns = arena_copy(keep, e->insns.at, e->insns.count * sizeof *e->insns.at);
    code->insn_count = e->insns.count;
    code->ops = arena_copy(keep, e->ops.at, e->ops.count * sizeof *e->ops.at);
    code->operands = arena_copy(keep, e->operands.at, e->operands.count * sizeof *e->operands.at);
    code->operand_count = e->operands.count;
    code->sites = arena_copy(keep, ir->sites.at, ir->sites.count * sizeof *ir->sites.at);
    code->site_count = ir->sites.count;
    code->loops = arena_copy(keep, e->loops, ir->loops.count * sizeof *e->loops);
    code->loop_count = ir->loops.count;
    code->calls = arena_copy(keep, ir->calls.at, ir->calls.count * sizeof *ir->calls.at);
    code->call_count = ir->calls.count;
    code->ways = arena_copy(keep, e->ways, ir->order_count * sizeof *e->ways);
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
    code->file = ir->file;
    code->written = written_arguments(ir, keep, &code->writes_elsewhere);
    code->undefined = arena_copy(keep, e->undefined.at, e->undefined.count * sizeof *e->undefined.at);
    code->undefined_count = e->undefined.count;
    code->irreducible = e->ir->irreducible;
    emit_idle(e, block_start, code);
    keep_private(ir, code);
    keep_poison(ir, code);
    if (ir->debug) {
        CHECKED(e->words.count == e->insns.count);
        code->debug = debug_describe(ir);
        code->words = arena_copy(keep, e->words.at, e->words.count * sizeof *e->words.at);
    }
    if (ir->profile)
        code->profile = profile_describe(ir);
    if (ir->plain)
        take_explanations(code, ir->plain);
    return code;
}

static bool is_exit(struct ir *ir, const struct loop *loop, uint32_t b)
{
    const struct block *block = ir_block(ir, b);
    for (uint32_t k = 0; k < block->succ_count; k++)
        if (!loop->members[block->succs[k]])
            return true;
    return false;
}

/*
 * The blocks that each iteration of a loop executes. Work-items may leave it in one place only: with several
 * exits, some of them may not have executed the last iteration's blocks.
 */
static void mark_iterations(struct ir *ir, uint32_t l, uint8_t *each_iteration)
{
    const struct loop *loop = &ir->loops.at[l];
    uint32_t exits = 0;
    for (uint32_t i = 0; i < loop->blocks.count; i++)
        exits += is_exit(ir, loop, loop->blocks.at[i]);
    if (exits != 1 || ir->irreducible)
        return;
    for (uint32_t b = loop->latch, steps = 0; b && steps < ir->blocks.count;
         b = ir_block(ir, b)->idom, steps++) {
        CHECKED(ir_block(ir, b)->reachable);
        each_iteration[b] = ir_block(ir, b)->loop == l + 1;
        if (b == loop->header)
            break;
    }
}

struct ranking {
    struct ir *ir;
    uint8_t *always, *each_iteration;
    struct code_loop *loops;
    uint32_t rank, stage;
};

static void rank_site(struct ranking *ranking, uint32_t b, uint32_t index)
{
    struct ir *ir = ranking->ir;
    struct site *site = &ir->sites.at[index];
    CHECKED(index < ir->sites.count && ir_block(ir, b)->order < ir->order_count);
    site->rank = ++ranking->rank;
    site->stage = ranking->stage;
    site->always = ranking->always[b];
    site->block = ir_block(ir, b)->order;
    site->loop = ir_block(ir, b)->loop;
    site->each_iteration = ranking->each_iteration[b];
    for (uint32_t l = site->loop; l; l = ir->loops.at[l - 1].parent) {
        struct code_loop *loop = &ranking->loops[l - 1];
        if (loop->low > loop->high)
            loop->low = site->rank;
        loop->high = site->rank;
    }
}

/* The exit condition of a loop stands, in the source, before the loop or after it. */
static bool leaves_loop(struct ir *ir, uint32_t b)
{
    const uint32_t loop = ir_block(ir, b)->loop;
    return loop && is_exit(ir, &ir->loops.at[loop - 1], b);
}

/* The dependences of a branch through values, not through memory. */
static void mark_controlling(struct ir *ir)
{
    uint8_t *seen = ARENA_ARRAY(ir->arena, uint8_t, ir->values.count);
    uint32_t *open = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count), count = 0;
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        if (block->succ_count > 1 && block->cond && !seen[block->cond]) {
            seen[block->cond] = 1;
            open[count++] = block->cond;
        }
    }
    while (count) {
        const uint32_t v = open[--count];
        const struct value *value = ir_value(ir, v);
        if (value->site)
            ir->sites.at[value->site].controls_branch = true;
        if (ir_families[value->op] == FAMILY_EFFECT && value->op != IR_collective)
            continue;
        IR_OPERANDS(ir, v, slot)
        {
            if (*slot && !seen[*slot]) {
                seen[*slot] = 1;
                open[count++] = *slot;
            }
        }
    }
}

/* ---- loops that a work-group iterates together --------------------------------------------- */

/* blocks: executed by all of a work-group or by none, once. */
struct levelling {
    struct ir *ir;
    uint8_t *always, *blocks, *state;
    struct code_loop *loops;
    uint32_t *visited, visited_count;
};
enum { LEVEL_UNKNOWN, LEVEL_ASSUMED, LEVEL_NOT };

/* One value for all of a work-group: made of arguments, sizes, ids of the work-group and the counts of
 * loops that are level. */
static bool is_level(struct levelling *levelling, uint32_t v)
{
    struct ir *ir = levelling->ir;
    const struct value *value = ir_value(ir, v);
    if (levelling->state[v] != LEVEL_UNKNOWN)
        return levelling->state[v] == LEVEL_ASSUMED;
    bool level = value->cls == CLASS_U;
    switch ((enum ir_op)value->op) {
    case IR_const:
    case IR_arg: break;
    case IR_input: level &= value->imm < INPUT_FIRST_AFFINE; break;
    case IR_phi: {
        const uint32_t loop = ir_block(ir, value->block)->loop;
        level &= loop && ir->loops.at[loop - 1].header == value->block && levelling->loops[loop - 1].level;
        break;
    }
    case IR_select:
    case IR_trunc:
    case IR_zext:
    case IR_sext:
    case IR_cvt: break;
    default:
        level &= ir_families[value->op] != FAMILY_EFFECT && ir_families[value->op] != FAMILY_LEAF &&
                 ir_families[value->op] != FAMILY_PURE;
    }
    levelling->state[v] = level ? LEVEL_ASSUMED : LEVEL_NOT;
    levelling->visited[levelling->visited_count++] = v;
    for (uint32_t k = 0; level && k < 3; k++)
        level = !value->args[k] || is_level(levelling, value->args[k]);
    for (uint32_t k = 0; level && value->op == IR_phi && k < value->list_count; k++)
        level = is_level(levelling, value->list[k]);
    levelling->state[v] = level ? LEVEL_ASSUMED : LEVEL_NOT;
    return level;
}

static void forget_from(struct levelling *levelling, uint32_t first)
{
    while (levelling->visited_count > first)
        levelling->state[levelling->visited[--levelling->visited_count]] = LEVEL_UNKNOWN;
}

/* A result that took a block for level may be wrong once that block is not. */
static bool find_level(struct levelling *levelling, uint32_t v)
{
    const uint32_t first = levelling->visited_count;
    const bool level = is_level(levelling, v);
    if (!level)
        forget_from(levelling, first);
    return level;
}

static bool is_reached_alike(const struct levelling *levelling, const struct loop *loop)
{
    struct ir *ir = levelling->ir;
    const uint32_t before = ir_block(ir, loop->header)->idom;
    if (!loop->parent)
        return levelling->always[loop->header] ||
               (levelling->blocks[before] && ir_block(ir, before)->succ_count == 1);
    const struct loop *parent = &ir->loops.at[loop->parent - 1];
    CHECKED(parent->depth + 1 == loop->depth);
    uint32_t b = parent->latch;
    for (uint32_t steps = 0; b && b != parent->header && b != loop->header && steps < ir->blocks.count;
         steps++)
        b = ir_block(ir, b)->idom;
    return b == loop->header && levelling->loops[loop->parent - 1].level;
}

/* Left in one place, by a condition that is level: its loop's own variables count as level meanwhile. */
static void find_level_loop(struct levelling *levelling, uint32_t l)
{
    struct ir *ir = levelling->ir;
    const struct loop *loop = &ir->loops.at[l];
    uint32_t exits = 0, cond = 0;
    for (uint32_t i = 0; i < loop->blocks.count; i++) {
        if (is_exit(ir, loop, loop->blocks.at[i])) {
            exits++;
            cond = ir_block(ir, loop->blocks.at[i])->cond;
        }
    }
    levelling->loops[l].level = exits == 1 && cond && !loop->divergent && is_reached_alike(levelling, loop);
    forget_from(levelling, 0);
    levelling->loops[l].level = levelling->loops[l].level && is_level(levelling, cond);
}

/* All of a work-group go one way, wherever ways to it part. */
static bool is_led_to(struct levelling *levelling, uint32_t b)
{
    struct ir *ir = levelling->ir;
    const struct block *block = ir_block(ir, b);
    bool level = block->pred_count;
    for (uint32_t k = 0; level && k < block->pred_count; k++) {
        const struct block *pred = ir_block(ir, block->preds[k]);
        level = levelling->blocks[block->preds[k]] &&
                (pred->succ_count == 1 || (pred->cond && find_level(levelling, pred->cond)));
    }
    return level;
}

/* A property that a block has for all of a work-group holds for the blocks on each path from it. */
static void find_level_blocks(struct levelling *levelling)
{
    struct ir *ir = levelling->ir;
    forget_from(levelling, 0);
    memset(levelling->blocks, 0, ir->blocks.count);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const uint32_t first = ir->order[o];
        if (ir_block(ir, first)->loop || levelling->blocks[first] ||
            !(first == ir->entry_block || is_led_to(levelling, first)))
            continue;
        for (uint32_t b = first; b && cfg_dominates(ir, first, b) && !levelling->blocks[b];
             b = ir_block(ir, b)->ipdom)
            levelling->blocks[b] = !ir_block(ir, b)->loop;
    }
}

static void find_level_loops(struct levelling *levelling)
{
    struct ir *ir = levelling->ir;
    uint32_t depth = 1, deepest = 0;
    for (uint32_t b = ir->entry_block, steps = 0; b && steps < ir->blocks.count;
         b = ir_block(ir, b)->ipdom, steps++)
        levelling->always[b] = 1;
    for (uint32_t l = 0; l < ir->loops.count; l++) {
        levelling->loops[l].parent = ir->loops.at[l].parent;
        deepest = ir->loops.at[l].depth > deepest ? ir->loops.at[l].depth : deepest;
    }
    for (; depth <= deepest; depth++) { /* outer ones first */
        for (uint32_t l = 0; l < ir->loops.count; l++)
            if (ir->loops.at[l].depth == depth)
                find_level_loop(levelling, l);
    }
}

static void find_level_code(struct ir *ir, struct code_loop *loops, struct code_way *ways)
{
    struct levelling levelling = {ir,
                                  ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                                  ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                                  ARENA_ARRAY(ir->arena, uint8_t, ir->values.count),
                                  loops,
                                  ARENA_ARRAY(ir->arena, uint32_t, ir->values.count),
                                  0};
    find_level_blocks(&levelling);
    find_level_loops(&levelling);
    find_level_blocks(&levelling); /* with what those loops count */
    for (uint32_t o = 0; o < ir->order_count; o++)
        ways[o].level = levelling.blocks[ir->order[o]];
}

static uint32_t way_of(struct ir *ir, uint32_t b)
{
    return b && ir_block(ir, b)->order < ir->order_count && ir->order[ir_block(ir, b)->order] == b
               ? ir_block(ir, b)->order
               : NO_WAY;
}

static struct code_way *find_ways(struct ir *ir)
{
    struct code_way *ways = ARENA_ARRAY(ir->arena, struct code_way, ir->order_count + 1);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const uint32_t b = ir->order[o];
        ways[o] = (struct code_way){.idom = b == ir->entry_block ? NO_WAY : way_of(ir, ir_block(ir, b)->idom),
                                    .ipdom = way_of(ir, ir_block(ir, b)->ipdom)};
    }
    return ways;
}

/* Blocks on every path from the beginning to the end, in no loop, are executed once. */
static struct code_loop *rank_sites(struct ir *ir, struct code_way *ways)
{
    struct ranking ranking = {.ir = ir,
                              .always = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                              .each_iteration = ARENA_ARRAY(ir->arena, uint8_t, ir->blocks.count),
                              .loops = ARENA_ARRAY(ir->arena, struct code_loop, ir->loops.count + 1)};
    for (uint32_t b = ir->entry_block, steps = 0; b && steps < ir->blocks.count;
         b = ir_block(ir, b)->ipdom, steps++)
        ranking.always[b] = !ir_block(ir, b)->loop && !ir->irreducible;
    for (uint32_t l = 0; l < ir->loops.count; l++) {
        const struct loop *loop = &ir->loops.at[l];
        ranking.loops[l] = (struct code_loop){.low = 1,
                                              .head = way_of(ir, loop->header),
                                              .tail = way_of(ir, loop->latch),
                                              .divergent = loop->divergent};
        mark_iterations(ir, l, ranking.each_iteration);
    }
    for (uint32_t o = 0; o < ir->order_count; o++) {
        const struct block *block = ir_block(ir, ir->order[o]);
        ranking.stage += ranking.always[ir->order[o]];
        for (uint32_t i = 0; i < block->insts.count; i++)
            rank_site(&ranking, ir->order[o], ir_value(ir, block->insts.at[i])->site);
        if (block->succ_count > 1 && block->site && !leaves_loop(ir, ir->order[o]))
            rank_site(&ranking, ir->order[o], block->site);
    }
    if (!ir->irreducible) {
        mark_controlling(ir);
        updates_mark(ir);
        find_level_code(ir, ranking.loops, ways);
    }
    return ranking.loops;
}

const struct code *emit(struct ir *ir, uint32_t width)
{
    struct emitter emitter = {.ir = ir, .arena = ir->arena, .width = width}, *e = &emitter;
    uint32_t room = ir->values.count * 4 + 4096;
    e->splat_of = ARENA_ARRAY(e->arena, uint32_t, room);
    e->lanes_of = ARENA_ARRAY(e->arena, uint32_t, room);
    emit_private(e);
    e->ways = find_ways(ir);
    e->loops = rank_sites(ir, e->ways);
    emit_operands(e);
    find_divergence(e);
    emit_slots(e);
    e->edge_empty = ARENA_ARRAY(e->arena, uint8_t, ir->blocks.count);
    for (uint32_t o = 0; o < ir->order_count; o++)
        if (ir_block(ir, ir->order[o])->edge && !ir_block(ir, ir->order[o])->insts.count)
            e->edge_empty[ir->order[o]] = !copies_needed(e, ir->order[o]);
    uint32_t *block_start = ARENA_ARRAY(e->arena, uint32_t, ir->order_count + 1);
    for (uint32_t o = 0; o < ir->order_count; o++) {
        struct block *block = ir_block(ir, ir->order[o]);
        CHECKED(block->order == o && block->reachable);
        block_start[o] = e->insns.count;
        note_undefined(e, ir->order[o]);
        if (e->edge_empty[ir->order[o]])
            continue;
        e->yield = false;
        for (uint32_t i = 0; i < block->insts.count; i++) {
            e->word = val(e, block->insts.at[i])->word;
            put_value(e, block->insts.at[i]);
        }
        e->word = block->word;
        put_terminator(e, ir->order[o]);
    }
    CHECKED(block_start[0] == 0 && e->insns.count > 0); /* the last block ends with a terminator */
    const struct code *code = finish(e, block_start);
#ifdef ORRERY_CHECKS
    struct slot_fault fault;
    CHECKED(slot_check(code, e->arena, &fault));
#endif
    return code;
}
