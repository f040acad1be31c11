/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of single work-items: arithmetic, composites, memory, atomics and images. Each function
 * compares the types of operands and result with what the specification and the lowering demand. */
#include "verify_shapes.h"

/* ---- values -------------------------------------------------------------------------------- */

static void verify_family(const struct verify *v, uint32_t op, const struct type *r, const struct type *a,
                          const struct type *b)
{
    bool shift = op == IR_shl || op == IR_lshr || op == IR_ashr, fits = true;
    switch (ir_families[op]) {
    case FAMILY_INT2: fits = is_int(r) && same_shape(r, a) && (shift ? is_int(b) : same_shape(r, b)); break;
    case FAMILY_INT1: fits = is_int(r) && same_shape(r, a); break;
    case FAMILY_FLT2: fits = is_float(r) && same_shape(r, a) && same_shape(r, b); break;
    case FAMILY_FLT1: fits = is_float(r) && same_shape(r, a); break;
    case FAMILY_ICMP: fits = is_bool(r) && is_int(a) && same_shape(a, b); break;
    case FAMILY_FCMP: fits = is_bool(r) && is_float(a) && same_shape(a, b); break;
    case FAMILY_FTEST: fits = is_bool(r) && is_float(a); break;
    case FAMILY_BOOL2: fits = is_bool(r) && is_bool(a) && is_bool(b); break;
    case FAMILY_BOOL1: fits = is_bool(r) && is_bool(a); break;
    default: break;
    }
    need(v, fits, "operand types do not fit");
}

void verify_arithmetic(const struct verify *v, const struct spirv_op *row)
{
    bool two = row->lowering == LOWER_BINARY || row->lowering == LOWER_BINARY_SWAPPED;
    const struct type *r = result(v), *a = operand(v, 3), *b = two ? operand(v, 4) : a;
    need(v, is_simple(r) && is_simple(a) && is_simple(b), "operands differ in size");
    need(v, r->leaves == a->leaves && r->leaves == b->leaves, "operands differ in size");
    verify_family(v, row->argument, r, a, b);
}

void verify_convert(const struct verify *v)
{
    const struct type *r = result(v), *a = operand(v, 3);
    bool from_float = v->op == SpvOpConvertFToU || v->op == SpvOpConvertFToS || v->op == SpvOpFConvert;
    bool to_float = v->op == SpvOpConvertSToF || v->op == SpvOpConvertUToF || v->op == SpvOpFConvert;
    need(v, is_simple(r) && is_simple(a) && r->leaves == a->leaves, "operands differ in size");
    need(v, (from_float ? is_float(a) : is_int(a)) && (to_float ? is_float(r) : is_int(r)),
         "operand types do not fit");
}

void verify_select(const struct verify *v)
{
    const struct type *r = result(v), *c = operand(v, 3);
    need(v, is_bool(c) && (c->leaves == 1 || (r->kind == TYPE_VECTOR && c->leaves == r->leaves)),
         "the condition does not fit");
    need(v, same_shape(r, operand(v, 4)) && same_shape(r, operand(v, 5)), "operand types do not fit");
}

static bool is_vector_of(const struct type *t, enum scalar of)
{
    return t->kind == TYPE_VECTOR && component(t) == of;
}

static void verify_construct(const struct verify *v, const struct type *r)
{
    uint32_t leaves = 0;
    need(v, is_composite(r) && (r->kind == TYPE_VECTOR || v->n - 3 == r->count),
         "its parts do not make up its type");
    for (uint32_t i = 3; i < v->n; i++) {
        const struct type *t = operand(v, i);
        need(v,
             r->kind == TYPE_VECTOR ? is_simple(t) && component(t) == component(r)
                                    : same_shape(t, type_part(r, i - 3)),
             "a part does not fit");
        leaves += t->leaves;
    }
    need(v, leaves == r->leaves, "its parts do not make up its type");
}

void verify_composite(const struct verify *v)
{
    const struct type *r = result(v), *a = operand(v, 3), *b;
    switch (v->op) {
    case SpvOpCompositeConstruct: verify_construct(v, r); break;
    case SpvOpCompositeExtract:
        for (uint32_t i = 4; i < v->n; i++)
            a = part(v, a, v->w[i]);
        need(v, same_shape(a, r), "the part has another type");
        break;
    case SpvOpCompositeInsert:
        need(v, same_shape(operand(v, 4), r), "the composite has another type");
        for (uint32_t i = 5; i < v->n; i++)
            r = part(v, r, v->w[i]);
        need(v, same_shape(a, r), "the part has another type");
        break;
    case SpvOpVectorShuffle:
        b = operand(v, 4);
        need(v,
             is_vector_of(r, component(r)) && is_vector_of(a, component(r)) && is_vector_of(b, component(r)),
             "operand types do not fit");
        need(v, v->n - 5 == r->leaves, "operand types do not fit");
        for (uint32_t i = 5; i < v->n; i++)
            need(v, v->w[i] == UINT32_MAX || v->w[i] < a->leaves + b->leaves,
                 "a component number is too large");
        break;
    case SpvOpVectorExtractDynamic:
        whole_number(v, 4);
        need(v, a->kind == TYPE_VECTOR && same_shape(r, a->element), "operand types do not fit");
        break;
    default:
        whole_number(v, 5);
        need(v, r->kind == TYPE_VECTOR && same_shape(a, r) && same_shape(operand(v, 4), r->element),
             "operand types do not fit");
    }
}

/* The specification demands that operand i is one integer. */
static bool is_number(const struct verify *v, uint32_t i)
{
    return is_one_int(operand(v, i));
}

/* Operand 3, an integer, has the shape of the result; the operands after it are the bits that are meant. */
static bool bit_field_fits(const struct verify *v, const struct type *r, const struct type *a)
{
    const uint32_t offset = v->op == SpvOpBitFieldInsert ? 5 : 4;
    if (!is_simple(a) || !is_int(a) || !same_shape(a, r))
        return false;
    if (v->op == SpvOpBitFieldInsert && !same_shape(a, operand(v, 4)))
        return false;
    return is_number(v, offset) && is_number(v, offset + 1);
}

static bool bitcast_fits(const struct type *r, const struct type *a)
{
    if (!is_simple(a) || !is_simple(r) || is_bool(a) || is_bool(r))
        return false;
    return a->leaves * scalar_bits(component(a)) == r->leaves * scalar_bits(component(r));
}

/* The result is a structure of two numbers, as carry and sum. */
static bool extended_arithmetic_fits(const struct verify *v, const struct type *r, const struct type *a)
{
    if (!is_simple(a) || !is_int(a) || !same_shape(a, operand(v, 4)))
        return false;
    if (r->kind != TYPE_STRUCT || r->count != 2)
        return false;
    return same_shape(r->members[0], a) && same_shape(r->members[1], a);
}

/* Two vectors of one shape, or two packed numbers; the sum is at least as wide as its factors. */
static bool dot_fits(const struct verify *v, const struct type *r, const struct type *a)
{
    bool saturates = v->op >= SpvOpSDotAccSat;
    bool factors_fit = is_simple(a) && is_int(a) && same_shape(a, operand(v, 4));
    bool sum_fits = r->kind == TYPE_SCALAR && is_int(r) && (!saturates || same_shape(r, operand(v, 5)));
    if (!factors_fit || !sum_fits)
        return false;
    if (a->kind == TYPE_VECTOR)
        return scalar_bits(component(a)) <= scalar_bits(r->scalar);
    uint32_t format = saturates ? 6 : 5;
    return scalar_bits(component(a)) == 32 && v->n > format && v->w[format] == 0;
}

void verify_other(const struct verify *v)
{
    const struct type *r = result(v), *a = operand(v, 3);
    bool fits = is_simple(a);
    switch (v->op) {
    case SpvOpBitReverse: fits = fits && is_int(a) && same_shape(a, r); break;
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract: fits = bit_field_fits(v, r, a); break;
    case SpvOpSDot:
    case SpvOpUDot:
    case SpvOpSUDot:
    case SpvOpSDotAccSat:
    case SpvOpUDotAccSat:
    case SpvOpSUDotAccSat: fits = dot_fits(v, r, a); break;
    case SpvOpAny:
    case SpvOpAll: fits = fits && is_bool(a) && r->kind == TYPE_SCALAR && is_bool(r); break;
    case SpvOpBitcast: fits = bitcast_fits(r, a); break;
    case SpvOpDot:
        fits = is_float(a) && same_shape(a, operand(v, 4)) && r->kind == TYPE_SCALAR &&
               r->scalar == component(a);
        break;
    case SpvOpPtrDiff: pointer(v, 3), pointer(v, 4), fits = is_one_int(r); break;
    case SpvOpSizeOf: fits = is_value(pointer(v, 3)) && r->kind == TYPE_SCALAR && r->scalar == T_I32; break;
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended: fits = extended_arithmetic_fits(v, r, a); break;
    case SpvOpGenericPtrMemSemantics:
        pointer(v, 3), fits = r->kind == TYPE_SCALAR && r->scalar == T_I32;
        break;
    case SpvOpGenericCastToPtrExplicit: pointer(v, 3), fits = r->kind == TYPE_POINTER; break;
    case SpvOpVectorTimesScalar:
        fits = is_float(a) && same_shape(a, r) && operand(v, 4)->leaves == 1 &&
               component(operand(v, 4)) == component(r);
        break;
    case SpvOpBitCount: fits = is_int(a) && is_int(r) && a->leaves == r->leaves; break;
    default: fits = fits && component(a) == T_F32 && same_shape(a, r); /* QuantizeToF16 */
    }
    need(v, fits, "operand types do not fit");
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void verify_chain(const struct verify *v)
{
    const struct type *type = pointer(v, 3);
    uint32_t first = v->op == SpvOpPtrAccessChain || v->op == SpvOpInBoundsPtrAccessChain ? 5 : 4;
    need(v, result(v)->kind == TYPE_POINTER, "its result is not a pointer");
    for (uint32_t i = 4; i < v->n; i++) {
        whole_number(v, i);
        if (i < first)
            continue;
        need(v, is_composite(type), "an index goes into what has no parts");
        if (type->kind == TYPE_STRUCT)
            constant_number(v, i);
        type = type->kind == TYPE_STRUCT ? part(v, type, module_constant(v->m, v->w[i])->leaves[0].bits)
                                         : type->element;
    }
}

void verify_memory(const struct verify *v)
{
    switch (v->op) {
    case SpvOpVariable: {
        const struct type *r = result(v);
        need(v,
             r->kind == TYPE_POINTER && r->storage == SpvStorageClassFunction &&
                 v->w[3] == SpvStorageClassFunction,
             "it is not a Function variable");
        const struct type *t = module_type(v->m, v->m->words[v->m->def[r->id] + 3]);
        need(v, is_value(t), "its type has no size");
        if (v->n > 4)
            need(v, same_shape(operand(v, 4), t), "the initialiser has another type");
        break;
    }
    case SpvOpLoad: need(v, same_shape(result(v), pointer(v, 3)), "the pointer is to another type"); break;
    case SpvOpStore:
        need(v, same_shape(operand(v, 2), pointer(v, 1)), "the pointer is to another type");
        break;
    case SpvOpCopyMemory:
        need(v, same_shape(pointer(v, 1), pointer(v, 2)) && is_value(pointer(v, 1)),
             "the pointers are to different types");
        break;
    case SpvOpCopyMemorySized: pointer(v, 1), pointer(v, 2), whole_number(v, 3); break;
    default: verify_chain(v); break;
    }
}

void verify_atomic(const struct verify *v)
{
    bool has_result = v->op != SpvOpAtomicStore && v->op != SpvOpAtomicFlagClear;
    bool flag = v->op == SpvOpAtomicFlagTestAndSet || v->op == SpvOpAtomicFlagClear;
    uint32_t at = has_result ? 3 : 1;
    pointer(v, at);
    for (uint32_t i = 1;
         i <= (v->op == SpvOpAtomicCompareExchange || v->op == SpvOpAtomicCompareExchangeWeak ? 3u : 2u); i++)
        whole_number(v, at + i);
    if (flag) {
        need(v, !has_result || is_bool(result(v)), "its result is not a boolean");
        return;
    }
    const struct type *t = has_result ? result(v) : operand(v, 4);
    bool any_bits = v->op == SpvOpAtomicLoad || v->op == SpvOpAtomicStore || v->op == SpvOpAtomicExchange;
    bool real = spirv_op(v->op)->argument >= ATOMIC_FADD;
    const bool scalar_fits = real ? is_float(t) : is_int(t) || (any_bits && is_float(t));
    need(v, is_simple(t) && t->leaves == 1 && scalar_fits, "operand types do not fit");
    for (uint32_t i = has_result ? 6 : 4; i < v->n; i++)
        if (i >= 7 || !(v->op == SpvOpAtomicCompareExchange || v->op == SpvOpAtomicCompareExchangeWeak))
            need(v, same_shape(operand(v, i), t), "operand types do not fit");
}

/* ---- images ------------------------------------------------------------------------------------ */

/* Operand i is an image, or one with a sampler. */
static void verify_is_image(const struct verify *v, uint32_t i, bool sampled)
{
    const struct type *t = operand(v, i);
    need(v, t->opcode == (sampled ? SpvOpTypeSampledImage : SpvOpTypeImage), "an operand is not an image");
    if (sampled)
        t = module_type(v->m, v->m->words[v->m->def[t->id] + 2]);
    need(v, t->opcode == SpvOpTypeImage, "an operand is not an image");
    module_image_type(v->m, &v->m->words[v->m->def[t->id]]);
}

static void verify_number(const struct verify *v, uint32_t i)
{
    const struct type *t = operand(v, i);
    need(v, (t->kind == TYPE_SCALAR || t->kind == TYPE_VECTOR) && (is_int(t) || is_float(t)),
         "an operand is not a number");
}

static void verify_image_options(const struct verify *v, uint32_t i)
{
    uint32_t mask = i < v->n ? v->w[i++] : 0;
    if (mask & SpvImageOperandsLodMask) {
        verify_number(v, i);
        need(v, operand(v, i++)->leaves == 1, "the level of detail is not one number");
    }
    for (uint32_t k = 0; mask & SpvImageOperandsGradMask && k < 2; k++)
        need(v, component(operand(v, i + k)) == T_F32 && operand(v, i + k)->leaves <= 4,
             "a gradient is not of floats");
}

void verify_image(const struct verify *v)
{
    bool sampled = v->op == SpvOpImageSampleExplicitLod;
    switch (v->op) {
    case SpvOpSampledImage:
        verify_is_image(v, 3, false);
        need(v, operand(v, 4)->opcode == SpvOpTypeSampler && result(v)->opcode == SpvOpTypeSampledImage,
             "operand types do not fit");
        break;
    case SpvOpImage:
        verify_is_image(v, 3, true);
        need(v, result(v)->opcode == SpvOpTypeImage, "its result is not an image");
        break;
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageRead:
        verify_is_image(v, 3, sampled);
        verify_number(v, 4);
        verify_image_options(v, 5);
        need(v, is_simple(result(v)) && (is_int(result(v)) || is_float(result(v))) && result(v)->leaves <= 4,
             "its result is not a texel");
        break;
    case SpvOpImageWrite:
        verify_is_image(v, 1, false);
        verify_number(v, 2), verify_number(v, 3);
        need(v, operand(v, 3)->leaves <= 4, "its operand is not a texel");
        verify_image_options(v, 4);
        break;
    default:
        verify_is_image(v, 3, false);
        if (v->op == SpvOpImageQuerySizeLod)
            whole_number(v, 4);
        need(v, is_simple(result(v)) && is_int(result(v)) && result(v)->leaves <= 4,
             "its result is not a number");
    }
}
