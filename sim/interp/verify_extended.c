/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the extended instruction set OpenCL.std. Most are componentwise: all operands have the result's
 * shape, or are scalars, and entry_scalar() has those whose scalar types differ. */
#include <spirv/unified1/OpenCL.std.h>

#include "verify_shapes.h"

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

void verify_extended(const struct verify *v)
{
    if (v->w[3] != v->m->opencl_std)
        return;
    const struct type *r = module_type(v->m, v->w[1]);
    uint32_t entry = v->w[4];
    switch (entry) {
    case OpenCLstd_Cross:
        need(v, is_float(r) && (r->leaves == 3 || r->leaves == 4), "operand types do not fit");
        need(v, same_shape(r, operand(v, 5)) && same_shape(r, operand(v, 6)), "operand types do not fit");
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
