/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL.std: entries with an instruction of their own, geometric functions from scalars,
 * vector loads and stores, shuffles, printf; all others are math_find() per component. */
#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

#include "lower.h"

/* ir ops that do the same as an entry */
struct direct {
    uint16_t entry;
    uint8_t op, operands;
};
static const struct direct directs[] = {
    {OpenCLstd_Fabs, IR_fabs, 1},
    {OpenCLstd_Sqrt, IR_sqrt, 1},
    {OpenCLstd_Native_sqrt, IR_sqrt, 1},
    {OpenCLstd_Half_sqrt, IR_sqrt, 1},
    {OpenCLstd_Fmin, IR_fmin, 2},
    {OpenCLstd_Fmax, IR_fmax, 2},
    {OpenCLstd_FMin_common, IR_fmin, 2},
    {OpenCLstd_FMax_common, IR_fmax, 2},
    {OpenCLstd_Mad, IR_mad, 3},
    {OpenCLstd_Half_divide, IR_fdiv, 2},
    {OpenCLstd_Native_divide, IR_fdiv, 2},
    {OpenCLstd_SMin, IR_smin, 2},
    {OpenCLstd_SMax, IR_smax, 2},
    {OpenCLstd_UMin, IR_umin, 2},
    {OpenCLstd_UMax, IR_umax, 2},
    {OpenCLstd_SMul_hi, IR_smulhi, 2},
    {OpenCLstd_UMul_hi, IR_umulhi, 2},
    {OpenCLstd_Rotate, IR_rotl, 2},
    {OpenCLstd_Fmod, IR_frem, 2},
};

static const struct direct *find_direct(uint32_t entry)
{
    for (size_t i = 0; i < sizeof directs / sizeof *directs; i++)
        if (directs[i].entry == entry)
            return &directs[i];
    return NULL;
}

uint32_t lower_math(struct lower *l, uint32_t instruction, enum scalar of, enum scalar result, uint32_t a,
                    uint32_t b, uint32_t c)
{
    enum math_type type = lower_math_type(of);
    if (!math_find(instruction, type))
        module_fail(l->m, STATUS_UNSUPPORTED, "OpenCL.std instruction %u is not supported for %u bits",
                    instruction, scalar_bits(of));
    return lower_emit(l, IR_math, result, a, b, c, instruction | (uint64_t)type << 32);
}

static enum storage storage_of(struct lower *l, uint32_t id)
{
    return lower_storage(module_value_type(l->m, id)->storage);
}

static enum scalar component(const struct type *type)
{
    return type->kind == TYPE_VECTOR ? type->element->scalar : type->scalar;
}

/* ---- geometric ------------------------------------------------------------------------------- */

static uint32_t widen(struct lower *l, uint32_t v, enum scalar from)
{
    switch (from) {
    case T_F16: return lower_convert(l, v, NUMBER_F16, NUMBER_F32, ROUND_DEFAULT, false);
    case T_F32: return lower_convert(l, v, NUMBER_F32, NUMBER_F64, ROUND_DEFAULT, false);
    default: return v;
    }
}

static uint32_t narrow(struct lower *l, uint32_t v, enum scalar to)
{
    switch (to) {
    case T_F16: return lower_convert(l, v, NUMBER_F32, NUMBER_F16, ROUND_DEFAULT, false);
    case T_F32: return lower_convert(l, v, NUMBER_F64, NUMBER_F32, ROUND_DEFAULT, false);
    default: return v;
    }
}

/* The components in the next wider type, whose squares can neither overflow nor vanish; of doubles, by how
 * much they were multiplied, and the inverse of that. */
struct vector {
    uint32_t x[16], n, scale, inverse;
    enum scalar wide;
};

static uint32_t real_const(struct lower *l, enum scalar type, double value)
{
    const float single = (float)value;
    uint64_t bits = 0;
    memcpy(&bits, type == T_F64 ? (const void *)&value : (const void *)&single,
           type == T_F64 ? sizeof value : sizeof single);
    return ir_const(l->ir, type, bits);
}

static struct vector widened(struct lower *l, const uint32_t *x, uint32_t n, enum scalar type)
{
    struct vector v = {.n = n, .wide = type == T_F16 ? T_F32 : T_F64};
    for (uint32_t i = 0; i < n; i++)
        v.x[i] = widen(l, x[i], type);
    return v;
}

static uint32_t largest_magnitude(struct lower *l, const struct vector *v)
{
    uint32_t most = NONE;
    for (uint32_t i = 0; i < v->n; i++) {
        const uint32_t m = lower_emit(l, IR_fabs, v->wide, v->x[i], NONE, NONE, 0);
        most = most ? lower_emit(l, IR_fmax, v->wide, most, m, NONE, 0) : m;
    }
    return most;
}

static uint32_t choose(struct lower *l, enum scalar type, uint32_t condition, double yes, uint32_t no)
{
    return lower_emit(l, IR_select, type, condition, real_const(l, type, yes), no, 0);
}

/*
 * There is no wider type than double: a vector whose largest component is beyond 2^500 or below 2^-500 is
 * multiplied by a power of two, so that the squares of all components that count stay normal numbers (Blue,
 * 1978). Both products are exact. The length then has to be multiplied by the inverse.
 */
static void scale_doubles(struct lower *l, struct vector *v)
{
    const uint32_t most = largest_magnitude(l, v), one = real_const(l, T_F64, 1);
    const uint32_t large = lower_emit(l, IR_folt, T_BOOL, real_const(l, T_F64, 0x1p500), most, NONE, 0);
    const uint32_t small = lower_emit(l, IR_folt, T_BOOL, most, real_const(l, T_F64, 0x1p-500), NONE, 0);
    v->scale = choose(l, T_F64, large, 0x1p-600, choose(l, T_F64, small, 0x1p600, one));
    v->inverse = choose(l, T_F64, large, 0x1p600, choose(l, T_F64, small, 0x1p-600, one));
    for (uint32_t i = 0; i < v->n; i++)
        v->x[i] = lower_emit(l, IR_fmul, T_F64, v->x[i], v->scale, NONE, 0);
}

static uint32_t root_of_squares(struct lower *l, const struct vector *v)
{
    uint32_t sum = NONE;
    for (uint32_t i = 0; i < v->n; i++) {
        const uint32_t square = lower_emit(l, IR_fmul, v->wide, v->x[i], v->x[i], NONE, 0);
        sum = sum ? lower_emit(l, IR_fadd, v->wide, sum, square, NONE, 0) : square;
    }
    return lower_emit(l, IR_sqrt, v->wide, sum, NONE, NONE, 0);
}

/* OpenCL C 3.0, 7.5.1: a vector with infinities points where they do: each counts as one, other components
 * as zero. */
static void replace_infinities(struct lower *l, struct vector *v)
{
    const uint32_t zero = real_const(l, v->wide, 0), one = real_const(l, v->wide, 1);
    const uint32_t any = lower_emit(l, IR_isinf, T_BOOL, largest_magnitude(l, v), NONE, NONE, 0);
    for (uint32_t i = 0; i < v->n; i++) {
        const uint32_t negative = lower_emit(l, IR_folt, T_BOOL, v->x[i], zero, NONE, 0);
        const uint32_t unit = choose(l, v->wide, negative, -1, one);
        const uint32_t nothing = lower_emit(l, IR_fmul, v->wide, v->x[i], zero, NONE, 0);
        const uint32_t infinite = lower_emit(l, IR_isinf, T_BOOL, v->x[i], NONE, NONE, 0);
        const uint32_t part = lower_emit(l, IR_select, v->wide, infinite, unit, nothing, 0);
        v->x[i] = lower_emit(l, IR_select, v->wide, any, part, v->x[i], 0);
    }
}

/*
 * A component over the length, both scaled. A component that scaling brought below 2^-600 may have lost bits,
 * which the quotient can still show; it was below 1, so that as it was, over the scaled length, it can
 * neither overflow nor, unless the result does, vanish: then the quotient is scaled instead. (A vector scaled
 * up has none such but zeros.)
 */
static uint32_t double_quotient(struct lower *l, const struct vector *v, uint32_t i, uint32_t original,
                                uint32_t length)
{
    const uint32_t m = lower_emit(l, IR_fabs, T_F64, v->x[i], NONE, NONE, 0);
    const uint32_t tiny = lower_emit(l, IR_folt, T_BOOL, m, real_const(l, T_F64, 0x1p-600), NONE, 0);
    const uint32_t part = lower_emit(l, IR_select, T_F64, tiny, original, v->x[i], 0);
    const uint32_t factor = lower_emit(l, IR_select, T_F64, tiny, v->scale, real_const(l, T_F64, 1), 0);
    const uint32_t q = lower_emit(l, IR_fdiv, T_F64, part, length, NONE, 0);
    return lower_emit(l, IR_fmul, T_F64, q, factor, NONE, 0);
}

static void lower_geometric(struct lower *l, const uint32_t *w, const struct type *type)
{
    const uint32_t *a = lower_get(l, w[5]);
    uint32_t n = module_value_type(l->m, w[5])->leaves, out[16];
    enum scalar t = component(type);
    if (w[4] == OpenCLstd_Cross) {
        const uint32_t *b = lower_get(l, w[6]);
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
            uint32_t left = lower_emit(l, IR_fmul, t, a[j], b[k], NONE, 0),
                     right = lower_emit(l, IR_fmul, t, a[k], b[j], NONE, 0);
            out[i] = lower_emit(l, IR_fsub, t, left, right, NONE, 0);
        }
        out[3] = ir_const(l->ir, t, 0);
        lower_set(l, w[2], out, type->leaves);
        return;
    }
    uint32_t difference[16];
    if (w[4] == OpenCLstd_Distance || w[4] == OpenCLstd_Fast_distance) {
        for (uint32_t i = 0; i < n; i++)
            difference[i] = lower_emit(l, IR_fsub, t, a[i], lower_get(l, w[6])[i], NONE, 0);
        a = difference;
    }
    const bool normalize = w[4] == OpenCLstd_Normalize || w[4] == OpenCLstd_Fast_normalize;
    struct vector v = widened(l, a, n, lower_component(l, w[5]));
    if (w[4] == OpenCLstd_Normalize)
        replace_infinities(l, &v);
    const struct vector unscaled = v;
    if (t == T_F64)
        scale_doubles(l, &v);
    const uint32_t length = root_of_squares(l, &v);
    if (!normalize) {
        out[0] = narrow(l, v.inverse ? lower_emit(l, IR_fmul, T_F64, length, v.inverse, NONE, 0) : length, t);
        lower_set(l, w[2], out, 1);
        return;
    }
    uint32_t zero = lower_emit(l, IR_foeq, T_BOOL, length, ir_const(l->ir, v.wide, 0), NONE, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = v.scale ? double_quotient(l, &v, i, unscaled.x[i], length)
                             : narrow(l, lower_emit(l, IR_fdiv, v.wide, v.x[i], length, NONE, 0), t);
        out[i] = lower_emit(l, IR_select, t, zero, a[i], q, 0);
    }
    lower_set(l, w[2], out, n);
}

/* ---- vload, vstore ------------------------------------------------------------------------------ */

static uint32_t element_address(struct lower *l, uint32_t pointer_id, uint32_t offset_id, uint64_t stride)
{
    uint32_t index = lower_scalar(l, offset_id);
    if (lower_type(l, index) != T_I64)
        index = lower_emit(l, IR_zext, T_I64, index, NONE, NONE, 0);
    const uint32_t pointer = lower_scalar(l, pointer_id),
                   address = ir_index(l->ir, l->block, pointer, index, stride, 0);
    uint64_t at;
    if (ir_is_const(l->ir, index, &at) && !at)
        index_note(l, pointer, address, NULL);
    return address;
}

static void lower_vload(struct lower *l, const uint32_t *w, const struct type *type)
{
    enum scalar t = component(type);
    bool half =
        w[4] == OpenCLstd_Vload_half || w[4] == OpenCLstd_Vload_halfn || w[4] == OpenCLstd_Vloada_halfn;
    enum scalar stored = half ? T_F16 : t;
    uint32_t n = type->leaves, out[16];
    bool aligned = w[4] == OpenCLstd_Vloada_halfn;
    uint64_t stride = (uint64_t)scalar_bytes(stored) * (aligned && n == 3 ? 4 : n);
    lower_load_components(l, stored, n, element_address(l, w[6], w[5], stride), 0, storage_of(l, w[6]),
                          (uint32_t)(aligned ? stride : scalar_bytes(stored)), out, "vload");
    for (uint32_t i = 0; half && i < n; i++)
        out[i] = lower_convert(l, out[i], NUMBER_F16, NUMBER_F32, ROUND_DEFAULT, false);
    lower_set(l, w[2], out, n);
}

static void lower_vstore(struct lower *l, const uint32_t *w)
{
    const struct type *type = module_value_type(l->m, w[5]);
    enum scalar t = component(type);
    uint32_t n = type->leaves, out[16], entry = w[4];
    memcpy(out, lower_get(l, w[5]), n * sizeof *out);
    bool half = entry != OpenCLstd_Vstoren,
         aligned = entry == OpenCLstd_Vstorea_halfn || entry == OpenCLstd_Vstorea_halfn_r;
    bool mode = entry == OpenCLstd_Vstore_half_r || entry == OpenCLstd_Vstore_halfn_r ||
                entry == OpenCLstd_Vstorea_halfn_r;
    enum scalar stored = half ? T_F16 : t;
    for (uint32_t i = 0; half && i < n; i++)
        out[i] = lower_convert(l, out[i], t == T_F64 ? NUMBER_F64 : NUMBER_F32, NUMBER_F16,
                               mode ? ROUND_RTE + w[8] : ROUND_DEFAULT, false);
    uint64_t stride = (uint64_t)scalar_bytes(stored) * (aligned && n == 3 ? 4 : n);
    lower_store_components(l, stored, n, element_address(l, w[7], w[6], stride), 0, storage_of(l, w[7]),
                           (uint32_t)(aligned ? stride : scalar_bytes(stored)), out, "vstore");
}

/* ---- shuffle, select, printf ------------------------------------------------------------------------ */

static void lower_shuffle(struct lower *l, const uint32_t *w, const struct type *type)
{
    bool two = w[4] == OpenCLstd_Shuffle2;
    uint32_t n = module_value_type(l->m, w[5])->leaves, total = two ? 2 * n : n, list[32], out[16];
    memcpy(list, lower_get(l, w[5]), n * sizeof *list);
    if (two)
        memcpy(list + n, lower_get(l, w[6]), n * sizeof *list);
    const uint32_t *mask = lower_get(l, w[two ? 7 : 6]);
    for (uint32_t i = 0; i < type->leaves; i++) {
        enum scalar t = lower_type(l, mask[i]);
        uint32_t index = lower_emit(l, IR_and, t, mask[i], ir_const(l->ir, t, total - 1), NONE, 0);
        out[i] = list[total - 1];
        for (uint32_t k = total - 1; k-- > 0;) {
            uint32_t is = lower_emit(l, IR_ieq, T_BOOL, index, ir_const(l->ir, t, k), NONE, 0);
            out[i] = lower_emit(l, IR_select, lower_type(l, list[k]), is, list[k], out[i], 0);
        }
    }
    lower_set(l, w[2], out, type->leaves);
}

static uint32_t lower_select_leaf(struct lower *l, uint32_t entry, uint32_t a, uint32_t b, uint32_t c,
                                  bool vector)
{
    static const enum scalar ints[] = {T_NONE, T_I8, T_I16, T_NONE, T_I32, T_NONE, T_NONE, T_NONE, T_I64};
    enum scalar t = ints[scalar_bytes(lower_type(l, a))], ct = lower_type(l, c);
    if (entry == OpenCLstd_Bitselect) {
        uint32_t keep = lower_emit(l, IR_and, t, a, lower_emit(l, IR_not, t, c, NONE, NONE, 0), NONE, 0);
        return lower_emit(l, IR_or, t, keep, lower_emit(l, IR_and, t, b, c, NONE, 0), NONE, 0);
    }
    uint32_t chosen = lower_emit(l, vector ? IR_slt : IR_ine, T_BOOL, c, ir_const(l->ir, ct, 0), NONE, 0);
    return lower_emit(l, IR_select, lower_type(l, a), chosen, b, a, 0);
}

static void lower_printf(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    struct ir *ir = l->ir;
    uint32_t n = spv_length(l->m, word), total = 0, first = ir->words.count, arguments = n - 6;
    for (uint32_t i = 6; i < n; i++)
        total += module_value_type(l->m, w[i])->leaves;
    uint32_t *list = ARENA_ARRAY(l->arena, uint32_t, total + 1), at = 0;
    for (uint32_t i = 6; i < n; i++) {
        const struct type *type = module_value_type(l->m, w[i]);
        enum scalar t = component(type);
        uint32_t kind = type->kind == TYPE_POINTER ? 2 : t == T_F16 || t == T_F32 || t == T_F64 ? 1 : 0;
        *list_push(l->arena, &ir->words) = kind | scalar_bytes(t) << 8 | type->leaves << 16;
        memcpy(list + at, lower_get(l, w[i]), type->leaves * sizeof *list);
        at += type->leaves;
    }
    uint32_t format = lower_scalar(l, w[5]);
    uint32_t v =
        lower_effect(l, IR_printf, T_I32, lower_site(l, &(struct site){.act = ACT_CALL, .what = "printf"}));
    struct value *p = ir_value(ir, v);
    p->args[0] = format;
    p->list = list;
    p->list_count = total;
    p->imm = first | (uint64_t)arguments << 32;
    lower_set(l, w[2], &v, 1);
}

/* ---- per component ------------------------------------------------------------------------------------- */

static bool has_pointer_result(uint32_t entry)
{
    switch (entry) {
    case OpenCLstd_Fract:
    case OpenCLstd_Frexp:
    case OpenCLstd_Lgamma_r:
    case OpenCLstd_Modf:
    case OpenCLstd_Remquo:
    case OpenCLstd_Sincos: return true;
    default: return false;
    }
}

static void lower_components(struct lower *l, uint32_t word, const struct type *type)
{
    const uint32_t *w = &l->m->words[word];
    uint32_t entry = w[4], operands = spv_length(l->m, word) - 5, out[16], second[16];
    bool pointer = has_pointer_result(entry);
    uint32_t values = operands - pointer;
    enum scalar result = component(type);
    const struct direct *direct = find_direct(entry);
    for (uint32_t i = 0; i < type->leaves && i < 16; i++) {
        uint32_t in[3] = {NONE, NONE, NONE};
        for (uint32_t k = 0; k < values && k < 3; k++) {
            bool scalar = module_value_type(l->m, w[5 + k])->leaves == 1;
            in[k] = lower_get(l, w[5 + k])[scalar ? 0 : i];
        }
        if (entry == OpenCLstd_Select || entry == OpenCLstd_Bitselect)
            out[i] = lower_select_leaf(l, entry, in[0], in[1], in[2], type->leaves > 1);
        else if (direct)
            out[i] = lower_emit(l, direct->op, result, in[0], in[1], in[2], 0);
        else
            out[i] = lower_math(l, entry, lower_component(l, w[5]), result, in[0], in[1], in[2]);
        if (pointer) {
            ir_value(l->ir, out[i])->offset =
                out[i]; /* equal calls must not become one: each has its own second result */
            const struct type *to = lower_pointee(l, w[5 + values]);
            second[i] = lower_emit(l, IR_math_second, component(to), out[i], NONE, NONE, 0);
        }
    }
    if (pointer) {
        uint32_t id = w[5 + values];
        const struct type *to = lower_pointee(l, id);
        lower_store(l, to, lower_scalar(l, id), 0, storage_of(l, id), to->align, second, "store");
    }
    lower_set(l, w[2], out, type->leaves);
}

void lower_extended(struct lower *l, uint32_t word)
{
    const uint32_t *w = &l->m->words[word];
    if (w[3] == l->m->debug_set)
        debug_extended(l, word);
    if (w[3] != l->m->opencl_std)
        return;
    const struct type *type = module_type(l->m, w[1]);
    switch (w[4]) {
    case OpenCLstd_Cross:
    case OpenCLstd_Distance:
    case OpenCLstd_Length:
    case OpenCLstd_Normalize:
    case OpenCLstd_Fast_distance:
    case OpenCLstd_Fast_length:
    case OpenCLstd_Fast_normalize: lower_geometric(l, w, type); break;
    case OpenCLstd_Vloadn:
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn: lower_vload(l, w, type); break;
    case OpenCLstd_Vstoren:
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r: lower_vstore(l, w); break;
    case OpenCLstd_Shuffle:
    case OpenCLstd_Shuffle2: lower_shuffle(l, w, type); break;
    case OpenCLstd_Printf: lower_printf(l, word); break;
    case OpenCLstd_Prefetch: break;
    default: lower_components(l, word, type); break;
    }
}
