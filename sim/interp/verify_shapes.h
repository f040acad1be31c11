/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  An instruction that is verified, the types of its operands, and what they are made of. A function
 *          that finds what must not be refuses the module and does not return.
 *
 * Interface
 *   need, refuse            the module is refused unless the condition holds; the text says why
 *   result, operand         the type of the result and of operand i, which have values
 *   pointer                 the type that operand i, a pointer, points to
 *   whole_number, constant_number, part   operand i is one integer; a constant one; a part of a composite
 *   is_simple, is_int, ...  facts about types; of a vector is_int, is_float and is_bool ask its components
 *   same_shape              the same scalars in the same places
 *   verify_x                the checks of one family of instructions (the families of spirv_ops.def)
 */
#ifndef ORRERY_INTERP_VERIFY_SHAPES_H
#define ORRERY_INTERP_VERIFY_SHAPES_H

#include "ir.h"
#include "spirv_ops.h"

enum { VALUE_LEAVES_MAX = 65536 };
struct verify {
    struct module *m;
    uint32_t word;
    const uint32_t *w;
    uint32_t n, op;
    const struct function *f;
};

static inline _Noreturn void refuse(const struct verify *v, const char *why)
{
    module_fail(v->m, STATUS_BAD_BINARY, "%s at word %u: %s", spirv_op_name(v->op), v->word, why);
}

static inline void need(const struct verify *v, bool condition, const char *why)
{
    if (!condition)
        refuse(v, why);
}

static inline bool is_simple(const struct type *t)
{
    return t->kind == TYPE_SCALAR || t->kind == TYPE_VECTOR || t->kind == TYPE_POINTER ||
           t->kind == TYPE_OPAQUE;
}
static inline bool is_composite(const struct type *t)
{
    return t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY || t->kind == TYPE_VECTOR;
}
static inline bool is_value(const struct type *t)
{
    return t->kind != TYPE_VOID && t->kind != TYPE_FUNCTION;
}
static inline enum scalar component(const struct type *t)
{
    return t->kind == TYPE_VECTOR ? t->element->scalar : is_simple(t) ? t->scalar : T_NONE;
}
static inline bool is_int(const struct type *t)
{
    return component(t) >= T_I8 && component(t) <= T_I64;
}
static inline bool is_float(const struct type *t)
{
    return component(t) >= T_F16;
}
static inline bool is_bool(const struct type *t)
{
    return component(t) == T_BOOL;
}

static inline bool is_one_int(const struct type *t)
{
    return t->kind == TYPE_SCALAR && is_int(t);
}

/* The same scalars in the same places. */
static inline bool same_shape(const struct type *a, const struct type *b)
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

static inline const struct type *result(const struct verify *v)
{
    const struct type *t = module_type(v->m, v->w[1]);
    need(v, is_value(t), "its result has no value");
    need(v, t->leaves <= VALUE_LEAVES_MAX, "its result has too many scalars");
    return t;
}

static inline const struct type *operand(const struct verify *v, uint32_t i)
{
    if (i >= v->n)
        refuse(v, "an operand is missing");
    const struct type *t = module_value_type(v->m, v->w[i]);
    need(v, is_value(t), "an operand has no value");
    return t;
}

static inline const struct type *pointer(const struct verify *v, uint32_t i)
{
    const struct type *t = operand(v, i);
    need(v, t->kind == TYPE_POINTER, "an operand is not a pointer");
    return module_type(v->m, v->m->words[v->m->def[t->id] + 3]);
}

static inline void whole_number(const struct verify *v, uint32_t i)
{
    const struct type *t = operand(v, i);
    need(v, is_one_int(t), "an operand is not one integer");
}

static inline void constant_number(const struct verify *v, uint32_t i)
{
    whole_number(v, i);
    need(v, module_is_constant(v->m, v->w[i]), "an operand is not a constant");
}

static inline const struct type *part(const struct verify *v, const struct type *type, uint64_t index)
{
    need(v, is_composite(type) && index < type->count, "an index is outside its composite");
    return type_part(type, (uint32_t)index);
}

void verify_arithmetic(const struct verify *v, const struct spirv_op *row);
void verify_convert(const struct verify *v);
void verify_select(const struct verify *v);
void verify_composite(const struct verify *v);
void verify_other(const struct verify *v);
void verify_memory(const struct verify *v);
void verify_atomic(const struct verify *v);
void verify_image(const struct verify *v);
void verify_group(const struct verify *v);
void verify_sub_group(const struct verify *v);
void verify_pipe(const struct verify *v);
void verify_enqueue(const struct verify *v);
void verify_extended(const struct verify *v);

#endif
