/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lowering's assumptions, which a validator may not have checked: words that follow the grammar,
 * definitions before uses, operands whose shapes fit. A module that fails here is refused by instruction and
 * word; after it, nothing checks these things again.
 */
#include <spirv-tools/libspirv.h>
#include <spirv/unified1/OpenCL.std.h>
#include <spirv/unified1/OpenCLDebugInfo100.h>
#include <stdio.h>
#include <string.h>

#include "ir.h"
#include "spirv_ops.h"
#include "verify.h"

/* ---- grammar -------------------------------------------------------------------------- */

/* Parsing calls back through C++: what went wrong is kept, not thrown. */
struct parse {
    struct module *m;
    uint32_t word, function; /* the function that is open, or 0 */
    bool *made_of_local;     /* per id of a constant */
    char text[200];
};

static bool is_id_operand(spv_operand_type_t type)
{
    return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
           type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID || type == SPV_OPERAND_TYPE_SCOPE_ID;
}

/* Types, constants and variables are made of earlier definitions; only pointers may refer to later ones. */
static bool must_follow(const struct parse *p, const spv_parsed_instruction_t *inst, uint32_t id)
{
    uint32_t op = inst->opcode;
    if (p->function || op == SpvOpTypePointer || op == SpvOpTypeForwardPointer)
        return false;
    const bool type = op >= SpvOpTypeVoid && op <= SpvOpTypePipe;
    const bool constant = op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp;
    const bool declares = type || constant || op == SpvOpVariable || op == SpvOpUndef;
    return declares && spv_opcode(p->m, p->m->def[id]) != SpvOpTypePointer;
}

static bool is_local_variable(const struct module *m, uint32_t id)
{
    const uint32_t word = m->def[id];
    return spv_opcode(m, word) == SpvOpVariable && m->words[word + 3] == SpvStorageClassWorkgroup;
}

/* There is room for each word of the module. */
static void see_local(struct parse *p, const spv_parsed_instruction_t *inst, uint32_t id)
{
    struct module *m = p->m;
    const uint32_t user = p->function ? p->function : inst->result_id;
    if (!user || !(p->made_of_local[id] || is_local_variable(m, id)))
        return;
    if (!p->function)
        p->made_of_local[user] = true;
    m->local_uses[m->local_use_count++] = (struct local_use){user, id};
}

static spv_result_t see_instruction(void *self, const spv_parsed_instruction_t *inst)
{
    struct parse *p = self;
    for (uint16_t i = 0; i < inst->num_operands; i++) {
        const spv_parsed_operand_t *operand = &inst->operands[i];
        if (!is_id_operand(operand->type))
            continue;
        uint32_t id = inst->words[operand->offset], def = id < p->m->bound ? p->m->def[id] : 0;
        if (!def || (must_follow(p, inst, id) && def >= p->word)) {
            snprintf(p->text, sizeof p->text, "%s at word %u: id %u is not defined%s",
                     spirv_op_name(inst->opcode), p->word, id, def ? " before" : "");
            return SPV_ERROR_INVALID_ID;
        }
        see_local(p, inst, id);
    }
    if (inst->opcode == SpvOpFunction || inst->opcode == SpvOpFunctionEnd)
        p->function = inst->result_id;
    p->word += inst->num_words;
    return SPV_SUCCESS;
}

void verify_grammar(struct module *m)
{
    struct parse parse = {.m = m, .word = 5, .made_of_local = ARENA_ARRAY(&m->work, bool, m->bound)};
    m->local_uses = ARENA_ARRAY(&m->arena, struct local_use, m->word_count);
    spv_diagnostic diagnostic = NULL;
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_result_t result = SPV_ERROR_OUT_OF_MEMORY;
    if (context)
        result = spvBinaryParse(context, &parse, m->words, m->word_count, NULL, see_instruction, &diagnostic);
    if (result != SPV_SUCCESS && !parse.text[0])
        snprintf(parse.text, sizeof parse.text, "word %zu: %s",
                 diagnostic ? diagnostic->position.index : parse.word,
                 diagnostic ? diagnostic->error : "the words cannot be read");
    spvDiagnosticDestroy(diagnostic);
    if (context)
        spvContextDestroy(context);
    if (result != SPV_SUCCESS)
        module_fail(m, STATUS_BAD_BINARY, "%s", parse.text);
}

/* ---- shapes ------------------------------------------------------------------------------ */

enum { VALUE_LEAVES_MAX = 65536 };
struct verify {
    struct module *m;
    uint32_t word;
    const uint32_t *w;
    uint32_t n, op;
    const struct function *f;
};

static _Noreturn void refuse(const struct verify *v, const char *why)
{
    module_fail(v->m, STATUS_BAD_BINARY, "%s at word %u: %s", spirv_op_name(v->op), v->word, why);
}

static void need(const struct verify *v, bool condition, const char *why)
{
    if (!condition)
        refuse(v, why);
}

static bool is_simple(const struct type *t)
{
    return t->kind == TYPE_SCALAR || t->kind == TYPE_VECTOR || t->kind == TYPE_POINTER ||
           t->kind == TYPE_OPAQUE;
}
static bool is_composite(const struct type *t)
{
    return t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY || t->kind == TYPE_VECTOR;
}
static bool is_value(const struct type *t)
{
    return t->kind != TYPE_VOID && t->kind != TYPE_FUNCTION;
}
static enum scalar component(const struct type *t)
{
    return t->kind == TYPE_VECTOR ? t->element->scalar : is_simple(t) ? t->scalar : T_NONE;
}
static bool is_int(const struct type *t)
{
    return component(t) >= T_I8 && component(t) <= T_I64;
}
static bool is_float(const struct type *t)
{
    return component(t) >= T_F16;
}
static bool is_bool(const struct type *t)
{
    return component(t) == T_BOOL;
}

/* The same scalars in the same places. */
static bool same_shape(const struct type *a, const struct type *b)
{
    if (a == b)
        return true;
    bool composite = is_composite(a);
    if (composite ? a->kind != b->kind || a->count != b->count
                  : is_composite(b) || a->scalar != b->scalar || a->leaves != b->leaves)
        return false;
    if (a->kind != TYPE_STRUCT)
        return !composite || same_shape(a->element, b->element);
    for (uint32_t i = 0; i < a->count; i++)
        if (!same_shape(a->members[i], b->members[i]))
            return false;
    return true;
}

static const struct type *result(const struct verify *v)
{
    const struct type *t = module_type(v->m, v->w[1]);
    need(v, is_value(t), "its result has no value");
    need(v, t->leaves <= VALUE_LEAVES_MAX, "its result has too many scalars");
    return t;
}

static const struct type *operand(const struct verify *v, uint32_t i)
{
    if (i >= v->n)
        refuse(v, "an operand is missing");
    const struct type *t = module_value_type(v->m, v->w[i]);
    need(v, is_value(t), "an operand has no value");
    return t;
}

static const struct type *pointer(const struct verify *v, uint32_t i)
{
    const struct type *t = operand(v, i);
    need(v, t->kind == TYPE_POINTER, "an operand is not a pointer");
    return module_type(v->m, v->m->words[v->m->def[t->id] + 3]);
}

static void whole_number(const struct verify *v, uint32_t i)
{
    const struct type *t = operand(v, i);
    need(v, t->kind == TYPE_SCALAR && is_int(t), "an operand is not one integer");
}

static void constant_number(const struct verify *v, uint32_t i)
{
    whole_number(v, i);
    need(v, module_is_constant(v->m, v->w[i]), "an operand is not a constant");
}

static const struct type *part(const struct verify *v, const struct type *type, uint64_t index)
{
    need(v, is_composite(type) && index < type->count, "an index is outside its composite");
    return type_part(type, (uint32_t)index);
}

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

static void verify_arithmetic(const struct verify *v, const struct spirv_op *row)
{
    bool two = row->lowering == LOWER_BINARY || row->lowering == LOWER_BINARY_SWAPPED;
    const struct type *r = result(v), *a = operand(v, 3), *b = two ? operand(v, 4) : a;
    need(v, is_simple(r) && is_simple(a) && is_simple(b) && r->leaves == a->leaves && r->leaves == b->leaves,
         "operands differ in size");
    verify_family(v, row->argument, r, a, b);
}

static void verify_convert(const struct verify *v)
{
    const struct type *r = result(v), *a = operand(v, 3);
    bool from_float = v->op == SpvOpConvertFToU || v->op == SpvOpConvertFToS || v->op == SpvOpFConvert;
    bool to_float = v->op == SpvOpConvertSToF || v->op == SpvOpConvertUToF || v->op == SpvOpFConvert;
    need(v, is_simple(r) && is_simple(a) && r->leaves == a->leaves, "operands differ in size");
    need(v, (from_float ? is_float(a) : is_int(a)) && (to_float ? is_float(r) : is_int(r)),
         "operand types do not fit");
}

static void verify_select(const struct verify *v)
{
    const struct type *r = result(v), *c = operand(v, 3);
    need(v, is_bool(c) && (c->leaves == 1 || (r->kind == TYPE_VECTOR && c->leaves == r->leaves)),
         "the condition does not fit");
    need(v, same_shape(r, operand(v, 4)) && same_shape(r, operand(v, 5)), "operand types do not fit");
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

static void verify_composite(const struct verify *v)
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
             r->kind == TYPE_VECTOR && a->kind == TYPE_VECTOR && b->kind == TYPE_VECTOR &&
                 component(a) == component(r) && component(b) == component(r) && v->n - 5 == r->leaves,
             "operand types do not fit");
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

static bool is_number(const struct verify *v, uint32_t at)
{
    const struct type *t = operand(v, at);
    return t->kind == TYPE_SCALAR && is_int(t);
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

static void verify_other(const struct verify *v)
{
    const struct type *r = result(v), *a = operand(v, 3);
    bool fits = is_simple(a);
    switch (v->op) {
    case SpvOpBitReverse: fits = fits && is_int(a) && same_shape(a, r); break;
    case SpvOpBitFieldInsert:
        fits = fits && is_int(a) && same_shape(a, r) && same_shape(a, operand(v, 4)) && is_number(v, 5) &&
               is_number(v, 6);
        break;
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        fits = fits && is_int(a) && same_shape(a, r) && is_number(v, 4) && is_number(v, 5);
        break;
    case SpvOpSDot:
    case SpvOpUDot:
    case SpvOpSUDot:
    case SpvOpSDotAccSat:
    case SpvOpUDotAccSat:
    case SpvOpSUDotAccSat: fits = dot_fits(v, r, a); break;
    case SpvOpAny:
    case SpvOpAll: fits = fits && is_bool(a) && r->kind == TYPE_SCALAR && is_bool(r); break;
    case SpvOpBitcast:
        fits = fits && is_simple(r) && !is_bool(a) && !is_bool(r) &&
               a->leaves * scalar_bits(component(a)) == r->leaves * scalar_bits(component(r));
        break;
    case SpvOpDot:
        fits = fits && is_float(a) && same_shape(a, operand(v, 4)) && r->kind == TYPE_SCALAR &&
               r->scalar == component(a);
        break;
    case SpvOpPtrDiff: pointer(v, 3), pointer(v, 4), fits = r->kind == TYPE_SCALAR && is_int(r); break;
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        fits = fits && is_int(a) && same_shape(a, operand(v, 4)) && r->kind == TYPE_STRUCT && r->count == 2 &&
               same_shape(r->members[0], a) && same_shape(r->members[1], a);
        break;
    case SpvOpGenericPtrMemSemantics:
        pointer(v, 3), fits = r->kind == TYPE_SCALAR && r->scalar == T_I32;
        break;
    case SpvOpGenericCastToPtrExplicit: pointer(v, 3), fits = r->kind == TYPE_POINTER; break;
    case SpvOpVectorTimesScalar:
        fits = is_float(a) && same_shape(a, r) && operand(v, 4)->leaves == 1 &&
               component(operand(v, 4)) == component(r);
        break;
    case SpvOpBitCount:
        fits = fits && is_int(a) && is_simple(r) && is_int(r) && a->leaves == r->leaves;
        break;
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

static void verify_memory(const struct verify *v)
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

static void verify_atomic(const struct verify *v)
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
    need(v, is_simple(t) && t->leaves == 1 && (real ? is_float(t) : is_int(t) || (any_bits && is_float(t))),
         "operand types do not fit");
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

static void verify_image(const struct verify *v)
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

/* ---- groups ------------------------------------------------------------------------------------ */

/* OpenCL C has pointers to local memory for them. */
static bool is_named_barrier(const struct type *type)
{
    return type->opcode == SpvOpTypeNamedBarrier ||
           (type->kind == TYPE_POINTER && type->storage == SpvStorageClassWorkgroup);
}

static bool is_clock(const struct type *type)
{
    return is_simple(type) && is_int(type) && scalar_bits(component(type)) * type->leaves == 64 &&
           type->leaves <= 2;
}

static void verify_group(const struct verify *v)
{
    const struct type *r, *value;
    bool reduction = (spirv_op(v->op)->argument & COLLECTIVE_OP_MASK) > COLLECTIVE_BROADCAST;
    bool real = v->op == SpvOpGroupFAdd || v->op == SpvOpGroupFMin || v->op == SpvOpGroupFMax ||
                v->op == SpvOpGroupFMulKHR;
    bool logical = v->op == SpvOpGroupLogicalAndKHR || v->op == SpvOpGroupLogicalOrKHR ||
                   v->op == SpvOpGroupLogicalXorKHR;
    switch (v->op) {
    case SpvOpControlBarrier: constant_number(v, 1), whole_number(v, 2), whole_number(v, 3); return;
    case SpvOpMemoryBarrier: whole_number(v, 1), whole_number(v, 2); return;
    case SpvOpGroupWaitEvents: return;
    case SpvOpNamedBarrierInitialize:
        need(v, is_named_barrier(result(v)), "its result is no named barrier");
        need(v, operand(v, 3)->kind == TYPE_SCALAR && component(operand(v, 3)) == T_I32,
             "the number of sub-groups is no 32-bit integer");
        return;
    case SpvOpMemoryNamedBarrier:
        whole_number(v, 2), whole_number(v, 3);
        need(v, is_named_barrier(operand(v, 1)), "its operand is no named barrier");
        return;
    case SpvOpReadClockKHR:
        constant_number(v, 3);
        need(v, is_clock(result(v)), "its result is neither a 64-bit integer nor two of 32 bits");
        return;
    case SpvOpGroupAsyncCopy: {
        uint64_t size = pointer(v, 4)->size;
        pointer(v, 5), whole_number(v, 6), whole_number(v, 7);
        need(v, result(v)->leaves == 1 && operand(v, 8)->leaves == 1 && size > 0 && size < 65536,
             "operand types do not fit");
        return;
    }
    default: break;
    }
    r = result(v);
    value = operand(v, reduction ? 5 : 4);
    constant_number(v, 3);
    need(v, is_simple(r) && same_shape(r, value), "operand types do not fit");
    if (reduction)
        need(v, logical ? is_bool(r) : real ? is_float(r) : is_int(r), "operand types do not fit");
    else if (v->op == SpvOpGroupBroadcast)
        need(v,
             is_simple(operand(v, 5)) && is_int(operand(v, 5)) && operand(v, 5)->leaves <= 3 && !is_bool(r),
             "operand types do not fit");
    else
        need(v, is_bool(r) && r->leaves == 1, "operand types do not fit");
}

static bool is_ballot(const struct type *type)
{
    return type->kind == TYPE_VECTOR && type->leaves == 4 && component(type) == T_I32;
}

static bool is_one_int(const struct type *type)
{
    return type->kind == TYPE_SCALAR && is_int(type);
}

static bool is_truth(const struct type *type)
{
    return type->kind == TYPE_SCALAR && is_bool(type);
}

static bool sub_group_reduction_fits(const struct verify *v, const struct type *r)
{
    bool real = v->op == SpvOpGroupNonUniformFAdd || v->op == SpvOpGroupNonUniformFMul ||
                v->op == SpvOpGroupNonUniformFMin || v->op == SpvOpGroupNonUniformFMax;
    bool logical = v->op >= SpvOpGroupNonUniformLogicalAnd && v->op <= SpvOpGroupNonUniformLogicalXor;
    bool clustered = v->w[4] == SpvGroupOperationClusteredReduce;
    if (clustered && v->n > 6)
        constant_number(v, 6);
    return is_simple(r) && same_shape(r, operand(v, 5)) &&
           (logical ? is_bool(r)
            : real  ? is_float(r)
                    : is_int(r)) &&
           v->w[4] <= SpvGroupOperationClusteredReduce && clustered == (v->n > 6);
}

static bool block_fits(const struct verify *v, uint32_t at, const struct type *value)
{
    return is_simple(value) && is_int(value) &&
           scalar_bits(component(pointer(v, at))) == scalar_bits(component(value));
}

static bool sub_group_fits(const struct verify *v)
{
    if (v->op == SpvOpSubgroupBlockWriteINTEL)
        return block_fits(v, 1, operand(v, 2));
    const struct type *r = result(v);
    switch (v->op) {
    case SpvOpSubgroupBlockReadINTEL: return block_fits(v, 3, r);
    case SpvOpSubgroupShuffleINTEL:
    case SpvOpSubgroupShuffleXorINTEL:
        return is_simple(r) && !is_bool(r) && same_shape(r, operand(v, 3)) && is_one_int(operand(v, 4));
    case SpvOpSubgroupShuffleUpINTEL:
    case SpvOpSubgroupShuffleDownINTEL:
        return is_simple(r) && !is_bool(r) && same_shape(r, operand(v, 3)) && same_shape(r, operand(v, 4)) &&
               is_one_int(operand(v, 5));
    default: break;
    }
    constant_number(v, 3);
    switch (v->op) {
    case SpvOpGroupNonUniformElect: return is_truth(r);
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny: return is_truth(r) && is_truth(operand(v, 4));
    case SpvOpGroupNonUniformAllEqual: return is_truth(r) && is_simple(operand(v, 4));
    case SpvOpGroupNonUniformBallot: return is_ballot(r) && is_truth(operand(v, 4));
    case SpvOpGroupNonUniformInverseBallot: return is_truth(r) && is_ballot(operand(v, 4));
    case SpvOpGroupNonUniformBallotBitExtract:
        return is_truth(r) && is_ballot(operand(v, 4)) && is_one_int(operand(v, 5));
    case SpvOpGroupNonUniformBallotBitCount:
        return is_one_int(r) && component(r) == T_I32 && is_ballot(operand(v, 5)) &&
               v->w[4] <= SpvGroupOperationExclusiveScan;
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return is_one_int(r) && component(r) == T_I32 && is_ballot(operand(v, 4));
    case SpvOpGroupNonUniformBroadcastFirst: return is_simple(r) && same_shape(r, operand(v, 4));
    case SpvOpGroupNonUniformRotateKHR:
        if (v->n > 6)
            constant_number(v, 6);
        return is_simple(r) && same_shape(r, operand(v, 4)) && is_one_int(operand(v, 5));
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
        return is_simple(r) && same_shape(r, operand(v, 4)) && is_one_int(operand(v, 5));
    default: return sub_group_reduction_fits(v, r);
    }
}

static void verify_sub_group(const struct verify *v)
{
    need(v, sub_group_fits(v), "operand types do not fit");
}

/* ---- pipes ---------------------------------------------------------------------------------------- */

static bool is_handle(const struct verify *v, uint32_t at, uint32_t opcode)
{
    const struct type *type = operand(v, at);
    return type->kind == TYPE_OPAQUE && type->opcode == opcode;
}

static void verify_pipe(const struct verify *v)
{
    bool fits = true;
    uint32_t at = 3;
    switch (v->op) {
    case SpvOpIsValidReserveId:
        need(v, is_truth(result(v)) && is_handle(v, 3, SpvOpTypeReserveId), "operand types do not fit");
        return;
    case SpvOpReadPipe:
    case SpvOpWritePipe: pointer(v, 4); break;
    case SpvOpReservedReadPipe:
    case SpvOpReservedWritePipe:
        pointer(v, 6), whole_number(v, 5);
        fits = is_handle(v, 4, SpvOpTypeReserveId);
        break;
    case SpvOpReserveReadPipePackets:
    case SpvOpReserveWritePipePackets: whole_number(v, 4); break;
    case SpvOpCommitReadPipe:
    case SpvOpCommitWritePipe:
        at = 1;
        fits = is_handle(v, 2, SpvOpTypeReserveId);
        break;
    case SpvOpGroupReserveReadPipePackets:
    case SpvOpGroupReserveWritePipePackets:
        at = 4;
        constant_number(v, 3), whole_number(v, 5);
        break;
    case SpvOpGroupCommitReadPipe:
    case SpvOpGroupCommitWritePipe:
        at = 2;
        constant_number(v, 1);
        fits = is_handle(v, 3, SpvOpTypeReserveId);
        break;
    default: break;
    }
    constant_number(v, v->n - 2);
    need(v, fits && is_handle(v, at, SpvOpTypePipe), "operand types do not fit");
    if (at >= 3)
        need(v, result(v)->leaves == 1, "operand types do not fit");
}

/* ---- device-side enqueue --------------------------------------------------------------------------- */

static bool is_size(const struct type *type)
{
    return type->kind == TYPE_SCALAR && is_int(type);
}

/* A number of dimensions, then offset, global and local size. */
static bool is_range(const struct type *type)
{
    bool fits = type->kind == TYPE_STRUCT && type->count == 4 && is_size(type->members[0]);
    for (uint32_t i = 1; fits && i < 4; i++)
        fits = type->members[i]->kind == TYPE_ARRAY && type->members[i]->count == 3 &&
               is_size(type->members[i]->element) && same_shape(type->members[i], type->members[1]);
    return fits;
}

static void range_operand(const struct verify *v, uint32_t i)
{
    need(v, is_range(operand(v, i)->kind == TYPE_POINTER ? pointer(v, i) : operand(v, i)),
         "it has no NDRange descriptor");
}

static void build_range(const struct verify *v)
{
    const struct type *sizes = operand(v, 3), *range = result(v);
    bool array = sizes->kind == TYPE_ARRAY && sizes->count >= 2 && sizes->count <= 3;
    const struct type *word = array ? sizes->element : sizes;
    need(v,
         is_range(range) && (array || is_size(sizes)) && same_shape(word, range->members[1]->element) &&
             same_shape(sizes, operand(v, 4)) && same_shape(sizes, operand(v, 5)),
         "operand types do not fit");
}

/* A block's function takes a pointer to the captured variables, then pointers to local memory. */
static const struct type *invoke(const struct verify *v, uint32_t i)
{
    need(v, i + 3 < v->n, "an operand is missing");
    const struct function *f = module_function(v->m, v->w[i]);
    const struct type *type = module_type(v->m, v->m->words[f->word + 4]);
    bool fits = f->block_count && type->kind == TYPE_FUNCTION && type->element->kind == TYPE_VOID &&
                type->count && type->members[0]->kind == TYPE_POINTER;
    for (uint32_t k = 1; fits && k < type->count; k++)
        fits =
            type->members[k]->kind == TYPE_POINTER && type->members[k]->storage == SpvStorageClassWorkgroup;
    need(v, fits, "it names no block's function");
    pointer(v, i + 1), whole_number(v, i + 2), whole_number(v, i + 3);
    return type;
}

static void verify_enqueue_kernel(const struct verify *v)
{
    range_operand(v, 5);
    whole_number(v, 4), whole_number(v, 6), pointer(v, 7), pointer(v, 8);
    need(v, is_handle(v, 3, SpvOpTypeQueue) && invoke(v, 9)->count - 1 == v->n - 13,
         "operand types do not fit");
    for (uint32_t i = 13; i < v->n; i++)
        need(v, is_size(operand(v, i)->kind == TYPE_POINTER ? pointer(v, i) : operand(v, i)),
             "operand types do not fit");
}

static void verify_event(const struct verify *v, uint32_t i)
{
    need(v, is_handle(v, i, SpvOpTypeDeviceEvent), "operand types do not fit");
}

static void verify_enqueue(const struct verify *v)
{
    switch (v->op) {
    case SpvOpBuildNDRange: build_range(v); return;
    case SpvOpRetainEvent:
    case SpvOpReleaseEvent: verify_event(v, 1); return;
    case SpvOpSetUserEventStatus: verify_event(v, 1), whole_number(v, 2); return;
    case SpvOpCaptureEventProfilingInfo: verify_event(v, 1), whole_number(v, 2), pointer(v, 3); return;
    case SpvOpEnqueueKernel: verify_enqueue_kernel(v); break;
    case SpvOpEnqueueMarker:
        whole_number(v, 4), pointer(v, 5), pointer(v, 6);
        need(v, is_handle(v, 3, SpvOpTypeQueue), "operand types do not fit");
        break;
    case SpvOpIsValidEvent: verify_event(v, 3); break;
    case SpvOpGetKernelNDrangeSubGroupCount:
    case SpvOpGetKernelNDrangeMaxSubGroupSize: range_operand(v, 3), invoke(v, 4); break;
    case SpvOpGetKernelLocalSizeForSubgroupCount: whole_number(v, 3), invoke(v, 4); break;
    case SpvOpGetDefaultQueue:
    case SpvOpCreateUserEvent: break;
    default: invoke(v, 3); break;
    }
    need(v, is_simple(result(v)) && result(v)->leaves == 1, "operand types do not fit");
}

/* ---- control ------------------------------------------------------------------------------------- */

static void label(const struct verify *v, uint32_t i)
{
    uint32_t at = v->m->def[v->w[i]], last = v->f->block_count - 1;
    need(v,
         spv_opcode(v->m, at) == SpvOpLabel && at >= v->f->blocks[0].first && at <= v->f->blocks[last].first,
         "it names a block that the function does not have");
}

static void verify_control(const struct verify *v)
{
    const struct type *returned = v->f->type->element;
    switch (v->op) {
    case SpvOpPhi:
        need(v, v->n % 2 == 1, "its operands are not pairs");
        for (uint32_t i = 3; i < v->n; i += 2) {
            need(v, same_shape(result(v), operand(v, i)), "operand types do not fit");
            label(v, i + 1);
        }
        break;
    case SpvOpBranch: label(v, 1); break;
    case SpvOpBranchConditional:
        need(v, operand(v, 1)->kind == TYPE_SCALAR && is_bool(operand(v, 1)),
             "the condition is not a boolean");
        label(v, 2), label(v, 3);
        break;
    case SpvOpSwitch: {
        whole_number(v, 1);
        uint32_t step = scalar_bytes(operand(v, 1)->scalar) == 8 ? 3 : 2;
        label(v, 2);
        for (uint32_t i = 3; i < v->n; i += step)
            label(v, i + step - 1);
        break;
    }
    case SpvOpReturn: need(v, returned->kind == TYPE_VOID, "the function returns a value"); break;
    case SpvOpReturnValue:
        need(v, is_value(returned) && same_shape(returned, operand(v, 1)),
             "the function returns another type");
        break;
    default: break;
    }
}

static void verify_call(const struct verify *v)
{
    const struct type *t = module_function(v->m, v->w[3])->type, *r = module_type(v->m, v->w[1]);
    need(v, v->n - 4 == t->count && same_shape(r, t->element), "the function is of another type");
    for (uint32_t i = 0; i < t->count; i++)
        need(v, same_shape(operand(v, 4 + i), t->members[i]), "an argument is of another type");
}

/* ---- OpenCL.std -------------------------------------------------------------------------------------- */

/* The type of operand k, or of the result (k = 3), of an entry when its first operand is t. */
static enum scalar entry_scalar(uint32_t entry, uint32_t k, enum scalar t)
{
    static const enum scalar wide[] = {T_NONE, T_NONE, T_I16, T_I32, T_I64, T_NONE, T_NONE, T_NONE, T_NONE};
    static const enum scalar real[] = {T_NONE, T_NONE, T_NONE, T_F16, T_F32, T_F64, T_NONE, T_NONE, T_NONE};
    static const enum scalar whole[] = {T_NONE, T_NONE, T_I8, T_I16, T_I32, T_I64, T_I16, T_I32, T_I64};
    switch (entry) {
    case OpenCLstd_Nan: return k == 3 ? real[t] : t;
    case OpenCLstd_Ilogb: return k == 3 ? T_I32 : t;
    case OpenCLstd_Ldexp:
    case OpenCLstd_Pown:
    case OpenCLstd_Rootn: return k == 1 ? T_I32 : t;
    case OpenCLstd_U_Upsample:
    case OpenCLstd_S_Upsample: return k == 3 ? wide[t] : t;
    case OpenCLstd_Select: return k == 2 ? whole[t] : t;
    default: return t;
    }
}

static void verify_components(const struct verify *v, const struct type *r)
{
    uint32_t entry = v->w[4];
    bool counts = entry == OpenCLstd_Frexp || entry == OpenCLstd_Lgamma_r || entry == OpenCLstd_Remquo;
    bool stores = counts || entry == OpenCLstd_Fract || entry == OpenCLstd_Modf || entry == OpenCLstd_Sincos;
    uint32_t values = v->n - 5 - stores;
    need(v, is_simple(r) && v->n > 5u + stores && values <= 3, "operand types do not fit");
    enum scalar first = component(operand(v, 5));
    need(v, first > T_BOOL && component(r) == entry_scalar(entry, 3, first), "its result does not fit");
    for (uint32_t k = 0; k < values; k++) {
        const struct type *t = operand(v, 5 + k);
        need(v,
             is_simple(t) && (t->leaves == 1 || t->leaves == r->leaves) &&
                 component(t) == entry_scalar(entry, k, first),
             "operand types do not fit");
    }
    if (stores) {
        const struct type *to = pointer(v, 5 + values);
        need(v, is_simple(to) && to->leaves == r->leaves && component(to) == (counts ? T_I32 : component(r)),
             "the pointer is to another type");
    }
}

static void verify_vector_load(const struct verify *v, const struct type *r, bool of_half)
{
    whole_number(v, 5), pointer(v, 6);
    need(v, of_half ? component(r) == T_F32 : is_int(r) || is_float(r), "its result does not fit");
}

static void verify_vector_store(const struct verify *v, bool of_half)
{
    const struct type *t = operand(v, 5);
    whole_number(v, 6), pointer(v, 7);
    need(v, of_half ? component(t) == T_F32 || component(t) == T_F64 : is_int(t) || is_float(t),
         "operand types do not fit");
}

static void verify_shuffle(const struct verify *v, const struct type *r, bool two)
{
    const struct type *a = operand(v, 5), *mask = operand(v, two ? 7 : 6);
    bool source_fits = is_simple(a) && component(a) == component(r) && (!two || same_shape(a, operand(v, 6)));
    bool mask_fits = is_simple(mask) && is_int(mask) && mask->leaves == r->leaves;
    need(v, r->kind == TYPE_VECTOR && source_fits && mask_fits, "operand types do not fit");
}

static void verify_extended(const struct verify *v)
{
    if (v->w[3] != v->m->opencl_std)
        return;
    const struct type *r = module_type(v->m, v->w[1]);
    uint32_t entry = v->w[4];
    switch (entry) {
    case OpenCLstd_Cross:
        need(v,
             is_float(r) && (r->leaves == 3 || r->leaves == 4) && same_shape(r, operand(v, 5)) &&
                 same_shape(r, operand(v, 6)),
             "operand types do not fit");
        break;
    case OpenCLstd_Distance:
    case OpenCLstd_Fast_distance:
        need(v, same_shape(operand(v, 5), operand(v, 6)), "operand types do not fit"); /* fall through */
    case OpenCLstd_Length:
    case OpenCLstd_Fast_length:
        need(v, r->kind == TYPE_SCALAR && is_float(r) && component(operand(v, 5)) == r->scalar,
             "operand types do not fit");
        break;
    case OpenCLstd_Normalize:
    case OpenCLstd_Fast_normalize:
        need(v, is_float(r) && same_shape(r, operand(v, 5)), "operand types do not fit");
        break;
    case OpenCLstd_Vloadn:
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn: verify_vector_load(v, r, entry != OpenCLstd_Vloadn); break;
    case OpenCLstd_Vstoren:
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r: verify_vector_store(v, entry != OpenCLstd_Vstoren); break;
    case OpenCLstd_Shuffle:
    case OpenCLstd_Shuffle2: verify_shuffle(v, r, entry == OpenCLstd_Shuffle2); break;
    case OpenCLstd_Printf:
        pointer(v, 5);
        for (uint32_t i = 6; i < v->n; i++)
            need(v, is_simple(operand(v, i)), "an argument has no printed form");
        break;
    case OpenCLstd_Prefetch: break;
    default: verify_components(v, r); break;
    }
}

/* ---- functions --------------------------------------------------------------------------------------- */

static void verify_instruction(const struct verify *v)
{
    const struct spirv_op *row = spirv_op(v->op);
    switch (row->lowering) {
    case LOWER_MODULE:
    case LOWER_ABSENT:
        if (v->op == SpvOpUndef)
            result(v);
        break;
    case LOWER_UNARY:
    case LOWER_TEST:
    case LOWER_BINARY:
    case LOWER_BINARY_SWAPPED: verify_arithmetic(v, row); break;
    case LOWER_CONVERT: verify_convert(v); break;
    case LOWER_SAME: need(v, same_shape(result(v), operand(v, 3)), "operand types do not fit"); break;
    case LOWER_SELECT: verify_select(v); break;
    case LOWER_COMPOSITE: verify_composite(v); break;
    case LOWER_MEMORY: verify_memory(v); break;
    case LOWER_ATOMIC: verify_atomic(v); break;
    case LOWER_IMAGE: verify_image(v); break;
    case LOWER_GROUP: verify_group(v); break;
    case LOWER_SUB_GROUP: verify_sub_group(v); break;
    case LOWER_PIPE: verify_pipe(v); break;
    case LOWER_ENQUEUE: verify_enqueue(v); break;
    case LOWER_CONTROL: verify_control(v); break;
    case LOWER_CALL: verify_call(v); break;
    case LOWER_EXTENDED: verify_extended(v); break;
    case LOWER_OTHER: verify_other(v); break;
    }
}

static void verify_parameters(const struct verify *v)
{
    const struct type *t = module_type(v->m, v->w[4]);
    need(v, t->kind == TYPE_FUNCTION && t->count == v->f->param_count,
         "it has another number of parameters than its type");
    need(v, same_shape(t->element, module_type(v->m, v->w[1])), "it returns another type than its type says");
    for (uint32_t i = 0; i < t->count; i++)
        need(v,
             is_value(t->members[i]) && same_shape(t->members[i], module_value_type(v->m, v->f->params[i])),
             "a parameter is of another type than its type says");
}

static bool is_terminator(uint32_t op)
{
    return op >= SpvOpBranch && op <= SpvOpUnreachable;
}

/* The translator writes the scope of a phi between phis. */
static bool is_scope_or_line(const struct verify *v)
{
    enum { DEBUG_LINE = 103, DEBUG_NO_LINE = 104 }; /* of NonSemantic.Shader.DebugInfo */
    const bool is_record = v->op == SpvOpExtInst && v->n > 4 && v->m->debug_set && v->w[3] == v->m->debug_set;
    return is_record &&
           (v->w[4] == OpenCLDebugInfo100DebugScope || v->w[4] == OpenCLDebugInfo100DebugNoScope ||
            v->w[4] == DEBUG_LINE || v->w[4] == DEBUG_NO_LINE);
}

/* Blocks begin with a label, end with a terminator, and have nothing between them. */
static void verify_function(struct module *m, const struct function *f)
{
    bool in_block = false, phis = false;
    struct verify v = {.m = m,
                       .f = f,
                       .word = f->word,
                       .w = &m->words[f->word],
                       .n = spv_length(m, f->word),
                       .op = SpvOpFunction};
    verify_parameters(&v);
    for (;;) {
        v.word += v.n;
        if (v.word >= m->word_count)
            module_fail(m, STATUS_BAD_BINARY, "OpFunction at word %u has no end", f->word);
        v.w = &m->words[v.word];
        v.n = spv_length(m, v.word);
        v.op = spv_opcode(m, v.word);
        if (v.op == SpvOpFunctionEnd)
            break;
        if (v.op == SpvOpLine || v.op == SpvOpNoLine)
            continue;
        if (v.op == SpvOpLabel || v.op == SpvOpFunctionParameter) {
            need(&v, !in_block && (v.op == SpvOpLabel || !f->block_count || v.word < f->blocks[0].first),
                 "it is inside a block");
            in_block = phis = v.op == SpvOpLabel;
            continue;
        }
        need(&v, in_block, "it is outside every block");
        need(&v, v.op != SpvOpPhi || phis, "it is not at the start of its block");
        phis &= v.op == SpvOpPhi || is_scope_or_line(&v);
        verify_instruction(&v);
        in_block = !is_terminator(v.op);
    }
    need(&v, !in_block, "the last block has no end");
}

void verify_functions(struct module *m)
{
    for (uint32_t i = 0; i < m->functions.count; i++)
        verify_function(m, &m->functions.at[i]);
    for (uint32_t i = 0; i < m->entries.count; i++)
        if (module_function(m, m->entries.at[i].function)->block_count == 0)
            module_fail(m, STATUS_BAD_BINARY, "entry point '%s' has no body", m->entries.at[i].name);
}

/* ---- the intermediate form ------------------------------------------------------------------- */

static bool dominates(struct ir *ir, uint32_t a, uint32_t b)
{
    while (ir_block(ir, b)->dom_depth > ir_block(ir, a)->dom_depth)
        b = ir_block(ir, b)->idom;
    return a == b;
}

/* A phi has one value from each predecessor. */
static bool phi_fits(struct ir *ir, const struct value *phi, const struct block *block,
                     const uint32_t *position)
{
    if (phi->list_count != block->pred_count)
        return false;
    for (uint32_t i = 0; i < block->pred_count; i++) {
        uint32_t found = 0;
        for (uint32_t k = 0; k < phi->list_count; k++)
            found += phi->list[phi->list_count + k] == block->preds[i];
        if (found != 1)
            return false;
    }
    for (uint32_t k = 0; k < phi->list_count; k++) {
        const struct value *from = ir_value(ir, phi->list[k]);
        if (from->block &&
            (!position[phi->list[k]] || !dominates(ir, from->block, phi->list[phi->list_count + k])))
            return false;
    }
    return true;
}

/* Every value is made before it is used, on every path. */
void verify_ir(struct ir *ir)
{
    uint32_t *position = ARENA_ARRAY(ir->arena, uint32_t, ir->values.count), count = 0;
    for (uint32_t b = 1; b < ir->blocks.count; b++)
        for (uint32_t i = 0; ir_block(ir, b)->reachable && i < ir_block(ir, b)->insts.count; i++)
            position[ir_block(ir, b)->insts.at[i]] = ++count;
    for (uint32_t b = 1; b < ir->blocks.count; b++) {
        const struct block *block = ir_block(ir, b);
        if (!block->reachable)
            continue;
        for (uint32_t i = 0; i <= block->insts.count; i++) {
            uint32_t user = i < block->insts.count ? block->insts.at[i] : 0,
                     at = user ? position[user] : UINT32_MAX;
            const struct value *value = ir_value(ir, user);
            bool fits = true;
            if (value->op == IR_phi && user)
                fits = phi_fits(ir, value, block, position);
            for (uint32_t k = 0; fits && value->op != IR_phi && k < (user ? 3 + value->list_count : 1); k++) {
                uint32_t used = user ? *ir_operand_slot(ir, user, k) : block->cond;
                const struct value *from = ir_value(ir, used);
                if (used && from->block)
                    fits = position[used] &&
                           (from->block == b ? position[used] < at : dominates(ir, from->block, b));
            }
            if (!fits)
                module_fail(ir->module, STATUS_BAD_BINARY,
                            "kernel '%s', line %u: a value is used where it has not been made on every path",
                            ir->entry->name,
                            ir->sites.at[user && value->site ? value->site : block->site].line);
        }
    }
}
