/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in functions of OpenCL C in expressions, one row each: those whose result follows from the
 * specification to the last bit. Arguments are loaded. Vectors are computed by component; a scalar beside a
 * vector counts for each component.
 *
 *   convert_T[_sat][_rte | _rtz | _rtp | _rtn], as_T   by their names
 *   all others                                         rows[]
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "debugger.h"

/* The arguments for one component, converted to the type of the result, whose size is bits. */
struct operands {
    double real[3];
    int64_t integer[3];
    uint32_t bits;
    bool is_unsigned, is_single;
};

typedef double real_function(const struct operands *o);
typedef uint64_t integer_function(const struct operands *o);
enum result {
    RESULT_SAME,
    RESULT_UNSIGNED, /* the type's unsigned one */
    RESULT_TRUTH,    /* of scalars int 0 or 1; of vectors as many bits as an element has, 0 or -1 */
};

static uint64_t mask_of(const struct operands *o)
{
    CHECKED(o->bits > 0 && o->bits <= 64);
    return o->bits < 64 ? (UINT64_C(1) << o->bits) - 1 : UINT64_MAX;
}

static uint64_t bits_of(const struct operands *o, int k)
{
    return (uint64_t)o->integer[k] & mask_of(o);
}

/* ---- real numbers ---------------------------------------------------------------------------- */

static double rounded(const struct operands *o, double value)
{
    return o->is_single ? (double)(float)value : value;
}

static double real_min(const struct operands *o)
{
    return o->real[1] < o->real[0] ? o->real[1] : o->real[0];
}
static double real_max(const struct operands *o)
{
    return o->real[0] < o->real[1] ? o->real[1] : o->real[0];
}
static double real_clamp(const struct operands *o)
{
    return fmin(fmax(o->real[0], o->real[1]), o->real[2]);
}
static double real_mad(const struct operands *o)
{
    return rounded(o, rounded(o, o->real[0] * o->real[1]) + o->real[2]);
}
static double real_fma(const struct operands *o)
{
    return o->is_single ? (double)fmaf((float)o->real[0], (float)o->real[1], (float)o->real[2])
                        : fma(o->real[0], o->real[1], o->real[2]);
}
static double real_fabs(const struct operands *o)
{
    return fabs(o->real[0]);
}
static double real_floor(const struct operands *o)
{
    return floor(o->real[0]);
}
static double real_ceil(const struct operands *o)
{
    return ceil(o->real[0]);
}
static double real_trunc(const struct operands *o)
{
    return trunc(o->real[0]);
}
static double real_rint(const struct operands *o)
{
    return rint(o->real[0]);
}
static double real_round(const struct operands *o)
{
    return round(o->real[0]);
}
static double real_sqrt(const struct operands *o)
{
    return o->is_single ? (double)sqrtf((float)o->real[0]) : sqrt(o->real[0]);
}
static double real_fmin(const struct operands *o)
{
    return fmin(o->real[0], o->real[1]);
}
static double real_fmax(const struct operands *o)
{
    return fmax(o->real[0], o->real[1]);
}
static double real_fmod(const struct operands *o)
{
    return fmod(o->real[0], o->real[1]);
}
static double real_copysign(const struct operands *o)
{
    return copysign(o->real[0], o->real[1]);
}
static double real_sign(const struct operands *o)
{
    return isnan(o->real[0]) ? 0 : o->real[0] > 0 ? 1 : o->real[0] < 0 ? -1 : o->real[0];
}
static double real_step(const struct operands *o)
{
    return o->real[1] < o->real[0] ? 0 : 1;
}
static double real_isnan(const struct operands *o)
{
    return isnan(o->real[0]);
}
static double real_isinf(const struct operands *o)
{
    return isinf(o->real[0]) != 0;
}
static double real_isfinite(const struct operands *o)
{
    return isfinite(o->real[0]) != 0;
}
static double real_signbit(const struct operands *o)
{
    return signbit(o->real[0]) != 0;
}

/* ---- integers -------------------------------------------------------------------------------- */

static bool is_less(const struct operands *o, int a, int b)
{
    return o->is_unsigned ? bits_of(o, a) < bits_of(o, b) : o->integer[a] < o->integer[b];
}

static uint64_t integer_min(const struct operands *o)
{
    return (uint64_t)o->integer[is_less(o, 1, 0)];
}
static uint64_t integer_max(const struct operands *o)
{
    return (uint64_t)o->integer[is_less(o, 0, 1)];
}
static uint64_t integer_clamp(const struct operands *o)
{
    return (uint64_t)o->integer[is_less(o, 0, 1) ? 1 : is_less(o, 2, 0) ? 2 : 0];
}
static uint64_t integer_abs(const struct operands *o)
{
    return !o->is_unsigned && o->integer[0] < 0 ? 0 - (uint64_t)o->integer[0] : (uint64_t)o->integer[0];
}
static uint64_t integer_abs_diff(const struct operands *o)
{
    const uint64_t a = (uint64_t)o->integer[0], b = (uint64_t)o->integer[1];
    return is_less(o, 0, 1) ? b - a : a - b;
}
static uint64_t integer_mad(const struct operands *o)
{
    return (uint64_t)o->integer[0] * (uint64_t)o->integer[1] + (uint64_t)o->integer[2];
}
static uint64_t integer_mul(const struct operands *o)
{
    return (uint64_t)o->integer[0] * (uint64_t)o->integer[1];
}
static uint64_t integer_hadd(const struct operands *o)
{
    const __int128 sum = o->is_unsigned ? (__int128)bits_of(o, 0) + (__int128)bits_of(o, 1)
                                        : (__int128)o->integer[0] + o->integer[1];
    return (uint64_t)(sum >> 1);
}
static uint64_t integer_rhadd(const struct operands *o)
{
    const __int128 sum = o->is_unsigned ? (__int128)bits_of(o, 0) + (__int128)bits_of(o, 1)
                                        : (__int128)o->integer[0] + o->integer[1];
    return (uint64_t)((sum + 1) >> 1);
}
static uint64_t integer_mul_hi(const struct operands *o)
{
    const __int128 product = (__int128)o->integer[0] * o->integer[1];
    const unsigned __int128 natural = (unsigned __int128)bits_of(o, 0) * bits_of(o, 1);
    return o->is_unsigned ? (uint64_t)(natural >> o->bits) : (uint64_t)(product >> o->bits);
}
static uint64_t saturated(const struct operands *o, __int128 value)
{
    const __int128 one = 1, low = o->is_unsigned ? 0 : -(one << (o->bits - 1)),
                   high = (one << (o->bits - !o->is_unsigned)) - 1;
    return (uint64_t)(value < low ? low : value > high ? high : value);
}
static __int128 wide(const struct operands *o, int k)
{
    return o->is_unsigned ? (__int128)bits_of(o, k) : (__int128)o->integer[k];
}
static uint64_t integer_add_sat(const struct operands *o)
{
    return saturated(o, wide(o, 0) + wide(o, 1));
}
static uint64_t integer_sub_sat(const struct operands *o)
{
    return saturated(o, wide(o, 0) - wide(o, 1));
}
static uint64_t integer_popcount(const struct operands *o)
{
    return ones_of(bits_of(o, 0));
}
static uint64_t integer_clz(const struct operands *o)
{
    const uint64_t bits = bits_of(o, 0);
    return bits ? (uint64_t)__builtin_clzll(bits) - (64 - o->bits) : o->bits;
}
static uint64_t integer_ctz(const struct operands *o)
{
    const uint64_t bits = bits_of(o, 0);
    return bits ? (uint64_t)__builtin_ctzll(bits) : o->bits;
}
static uint64_t integer_rotate(const struct operands *o)
{
    const uint64_t bits = bits_of(o, 0), by = bits_of(o, 1) & (o->bits - 1);
    return by ? bits << by | bits >> (o->bits - by) : bits;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct row {
    const char *name;
    uint32_t count; /* of arguments */
    enum result result;
    real_function *real;       /* NULL: not for real numbers */
    integer_function *integer; /* NULL: not for integers */
} rows[] = {
    {"min", 2, RESULT_SAME, real_min, integer_min},
    {"max", 2, RESULT_SAME, real_max, integer_max},
    {"clamp", 3, RESULT_SAME, real_clamp, integer_clamp},
    {"mad", 3, RESULT_SAME, real_mad, NULL},
    {"fma", 3, RESULT_SAME, real_fma, NULL},
    {"fabs", 1, RESULT_SAME, real_fabs, NULL},
    {"floor", 1, RESULT_SAME, real_floor, NULL},
    {"ceil", 1, RESULT_SAME, real_ceil, NULL},
    {"trunc", 1, RESULT_SAME, real_trunc, NULL},
    {"rint", 1, RESULT_SAME, real_rint, NULL},
    {"round", 1, RESULT_SAME, real_round, NULL},
    {"sqrt", 1, RESULT_SAME, real_sqrt, NULL},
    {"fmin", 2, RESULT_SAME, real_fmin, NULL},
    {"fmax", 2, RESULT_SAME, real_fmax, NULL},
    {"fmod", 2, RESULT_SAME, real_fmod, NULL},
    {"copysign", 2, RESULT_SAME, real_copysign, NULL},
    {"sign", 1, RESULT_SAME, real_sign, NULL},
    {"step", 2, RESULT_SAME, real_step, NULL},
    {"isnan", 1, RESULT_TRUTH, real_isnan, NULL},
    {"isinf", 1, RESULT_TRUTH, real_isinf, NULL},
    {"isfinite", 1, RESULT_TRUTH, real_isfinite, NULL},
    {"signbit", 1, RESULT_TRUTH, real_signbit, NULL},
    {"abs", 1, RESULT_UNSIGNED, NULL, integer_abs},
    {"abs_diff", 2, RESULT_UNSIGNED, NULL, integer_abs_diff},
    {"mad24", 3, RESULT_SAME, NULL, integer_mad},
    {"mul24", 2, RESULT_SAME, NULL, integer_mul},
    {"hadd", 2, RESULT_SAME, NULL, integer_hadd},
    {"rhadd", 2, RESULT_SAME, NULL, integer_rhadd},
    {"mul_hi", 2, RESULT_SAME, NULL, integer_mul_hi},
    {"add_sat", 2, RESULT_SAME, NULL, integer_add_sat},
    {"sub_sat", 2, RESULT_SAME, NULL, integer_sub_sat},
    {"popcount", 1, RESULT_SAME, NULL, integer_popcount},
    {"clz", 1, RESULT_SAME, NULL, integer_clz},
    {"ctz", 1, RESULT_SAME, NULL, integer_ctz},
    {"rotate", 2, RESULT_SAME, NULL, integer_rotate},
};

static const struct row *row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

static const struct debug_type *element_of(const struct debug_type *type)
{
    return type->kind == DEBUG_VECTOR ? type->element : type;
}

static uint64_t count_of(const struct debug_type *type)
{
    return type->kind == DEBUG_VECTOR ? type->count : 1;
}

/* Returns the type in which the function computes: the widest argument's, floating-point if any
 * argument is. */
static const struct debug_type *joined(const struct debug_type *a, const struct debug_type *b)
{
    if ((a->kind == DEBUG_FLOAT) != (b->kind == DEBUG_FLOAT))
        return a->kind == DEBUG_FLOAT ? a : b;
    if (a->size != b->size || a->kind == DEBUG_FLOAT)
        return b->size > a->size ? b : a;
    return b->kind == DEBUG_UNSIGNED ? b : a;
}

static bool is_numeric(const struct debug_type *type)
{
    switch (element_of(type)->kind) {
    case DEBUG_INTEGER:
    case DEBUG_UNSIGNED:
    case DEBUG_BOOL:
    case DEBUG_ENUM: return true;
    case DEBUG_FLOAT: return element_of(type)->size > 2;
    default: return false;
    }
}

/* Checks the arguments. Returns NULL or what is wrong; out_type is the type of one component. */
static const char *check_arguments(const struct debug_value *arguments, uint32_t count,
                                   const struct debug_type **out_type, uint64_t *out_count)
{
    *out_count = 1;
    *out_type = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct debug_type *type = arguments[i].type, *element = element_of(type);
        if (!is_numeric(type))
            return element->kind == DEBUG_FLOAT ? "half is not supported" : "an argument is no number";
        if (element->kind == DEBUG_BOOL || element->kind == DEBUG_ENUM)
            element = value_integer_type(4, false);
        if (type->kind == DEBUG_VECTOR && *out_count > 1 && type->count != *out_count)
            return "the vectors have different lengths";
        *out_count = type->kind == DEBUG_VECTOR ? type->count : *out_count;
        *out_type = *out_type ? joined(*out_type, element) : element;
    }
    return NULL;
}

static const struct debug_type *result_type(struct evaluation *e, const struct row *row,
                                            const struct debug_type *type, uint64_t count)
{
    const struct debug_type *element = type;
    if (row->result == RESULT_UNSIGNED)
        element = value_integer_type(type->size, true);
    if (row->result == RESULT_TRUTH)
        element = value_integer_type(count > 1 ? type->size : 4, false);
    return count > 1 ? expression_vector_type(e, element, count) : element;
}

static void take_operands(const struct debug_value *arguments, uint32_t count, const struct debug_type *type,
                          uint64_t k, struct operands *out)
{
    *out = (struct operands){.bits = (uint32_t)type->size * 8,
                             .is_unsigned = type->kind == DEBUG_UNSIGNED,
                             .is_single = type->kind == DEBUG_FLOAT && type->size == 4};
    for (uint32_t i = 0; i < count; i++) {
        struct debug_value part = value_component(&arguments[i], k);
        value_set_number(&part, type, &part);
        out->real[i] = value_double(&part);
        out->integer[i] = type->kind == DEBUG_FLOAT ? 0 : value_integer(&part);
    }
}

static void put_component(const struct row *row, const struct operands *o, uint64_t k,
                          struct debug_value *out)
{
    const struct debug_type *element = element_of(out->type);
    const bool is_real = element->kind == DEBUG_FLOAT;
    const double real = row->real ? row->real(o) : 0;
    const float single = (float)real;
    uint64_t bits = row->integer ? row->integer(o) : 0;
    if (row->result == RESULT_TRUTH)
        bits = real == 0 ? 0 : out->type->kind == DEBUG_VECTOR ? UINT64_MAX : 1;
    memcpy(out->bytes + k * element->size,
           !is_real             ? (const void *)&bits
           : element->size == 4 ? (const void *)&single
                                : (const void *)&real,
           element->size);
}

static const char *by_row(struct evaluation *e, const struct row *row, const struct debug_value *arguments,
                          uint32_t count, struct debug_value *out)
{
    const struct debug_type *type;
    uint64_t components;
    if (count != row->count)
        return row->count == 1   ? "expected one argument"
               : row->count == 2 ? "expected two arguments"
                                 : "expected three arguments";
    const char *wrong = check_arguments(arguments, count, &type, &components);
    if (wrong)
        return wrong;
    if (!row->real && type->kind == DEBUG_FLOAT)
        return "expected integers";
    if (!row->integer && type->kind != DEBUG_FLOAT)
        type = value_basic_type("float");
    struct row one = *row;
    if (type->kind == DEBUG_FLOAT)
        one.integer = NULL;
    else
        one.real = NULL;
    struct debug_value result = {.type = result_type(e, row, type, components)};
    if (!result.type)
        return "no memory";
    for (uint64_t k = 0; k < components; k++) {
        struct operands o;
        take_operands(arguments, count, type, k, &o);
        put_component(&one, &o, k, &result);
    }
    *out = result;
    return NULL;
}

/* ---- several components to one --------------------------------------------------------------- */

static bool top_bit(const struct debug_value *value, uint64_t k)
{
    const struct debug_value part = value_component(value, k);
    return part.bytes[part.type->size - 1] >> 7;
}

static const char *any_or_all(bool all, const struct debug_value *argument, struct debug_value *out)
{
    const struct debug_type *element = element_of(argument->type);
    bool result = all;
    if (element->kind != DEBUG_INTEGER)
        return "expected signed integers";
    for (uint64_t k = 0; k < count_of(argument->type); k++)
        result = all ? result && top_bit(argument, k) : result || top_bit(argument, k);
    *out = (struct debug_value){.type = value_basic_type("int")};
    out->bytes[0] = result;
    return NULL;
}

/* Each product and sum is rounded, in the order of the components. */
static const char *dot(const struct debug_value *arguments, struct debug_value *out)
{
    const struct debug_type *type;
    uint64_t count;
    const char *wrong = check_arguments(arguments, 2, &type, &count);
    if (wrong)
        return wrong;
    if (type->kind != DEBUG_FLOAT || count_of(arguments[0].type) != count_of(arguments[1].type))
        return "expected two vectors of float or double of one length";
    double sum = 0;
    struct operands o;
    for (uint64_t k = 0; k < count; k++) {
        take_operands(arguments, 2, type, k, &o);
        const double product = rounded(&o, o.real[0] * o.real[1]);
        sum = k ? rounded(&o, sum + product) : product;
    }
    const float single = (float)sum;
    *out = (struct debug_value){.type = type};
    memcpy(out->bytes, type->size == 4 ? (const void *)&single : (const void *)&sum, type->size);
    return NULL;
}

/* select(a, b, c): b where c has its top bit, of scalars where it is not 0. */
static const char *choose(const struct debug_value *arguments, struct debug_value *out)
{
    const struct debug_type *type = arguments[0].type;
    struct debug_value result = arguments[0];
    const struct debug_type *element = element_of(type);
    if (arguments[1].type->size != type->size || count_of(arguments[1].type) != count_of(type) ||
        count_of(arguments[2].type) != count_of(type) || element_of(arguments[2].type)->kind == DEBUG_FLOAT)
        return "expected two values of one type and integers";
    for (uint64_t k = 0; k < count_of(type); k++)
        if (type->kind == DEBUG_VECTOR ? top_bit(&arguments[2], k) : value_is_true(&arguments[2]))
            memcpy(result.bytes + k * element->size, arguments[1].bytes + k * element->size, element->size);
    *out = result;
    return NULL;
}

/* ---- conversions ----------------------------------------------------------------------------- */

struct conversion {
    const struct debug_type *type;
    bool saturates;
    char rounding; /* e, z, p, n; '\0': as the specification has it by default */
};

/* "int4_sat_rte" */
static bool read_conversion(struct evaluation *e, const char *text, struct conversion *out)
{
    char name[32];
    const size_t length = strcspn(text, "_");
    if (length >= sizeof name)
        return false;
    memcpy(name, text, length);
    name[length] = '\0';
    *out = (struct conversion){.type = expression_type_named(e, name)};
    text += length;
    if (!strncmp(text, "_sat", 4)) {
        out->saturates = true;
        text += 4;
    }
    if (!strncmp(text, "_rt", 3) && strchr("ezpn", text[3]) && text[3]) {
        out->rounding = text[3];
        text += 4;
    }
    return out->type && !*text;
}

static double round_by(char rounding, double real)
{
    switch (rounding) {
    case 'e': return rint(real);
    case 'p': return ceil(real);
    case 'n': return floor(real);
    default: return trunc(real);
    }
}

/* Beyond the range the result is not defined, unless it saturates: then NaN is 0. */
static uint64_t integer_of_real(const struct conversion *how, double real, const struct operands *o)
{
    const double low = o->is_unsigned ? 0 : -ldexp(1, (int)o->bits - 1),
                 high = ldexp(1, (int)o->bits - !o->is_unsigned);
    real = isnan(real) ? 0 : round_by(how->rounding, real);
    if (real < low)
        return saturated(o, -((__int128)1 << 100));
    if (real >= high)
        return saturated(o, (__int128)1 << 100);
    return real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
}

static const char *convert_component(const struct conversion *how, const struct debug_value *from, uint64_t k,
                                     struct debug_value *out)
{
    const struct debug_type *element = element_of(out->type);
    struct debug_value part = value_component(from, k);
    const struct operands o = {.bits = (uint32_t)element->size * 8,
                               .is_unsigned = element->kind == DEBUG_UNSIGNED};
    uint64_t bits;
    if (element->kind == DEBUG_FLOAT) {
        if (how->rounding && how->rounding != 'e')
            return "this rounding is supported only to integers";
        value_set_number(&part, element, &part);
        memcpy(out->bytes + k * element->size, part.bytes, element->size);
        return NULL;
    }
    if (part.type->kind == DEBUG_FLOAT)
        bits = integer_of_real(how, value_double(&part), &o);
    else if (how->saturates)
        bits = saturated(&o, part.type->kind == DEBUG_UNSIGNED ? (__int128)(uint64_t)value_integer(&part)
                                                               : (__int128)value_integer(&part));
    else
        bits = (uint64_t)value_integer(&part);
    memcpy(out->bytes + k * element->size, &bits, element->size);
    return NULL;
}

static const char *convert(struct evaluation *e, const char *name, const struct debug_value *from,
                           struct debug_value *out)
{
    struct conversion how;
    if (!read_conversion(e, name, &how) || !is_numeric(how.type) || element_of(how.type)->kind == DEBUG_BOOL)
        return "no conversion of that name is known";
    if (!is_numeric(from->type) || count_of(from->type) != count_of(how.type))
        return "expected as many numbers as the result has";
    struct debug_value result = {.type = how.type};
    for (uint64_t k = 0; k < count_of(how.type); k++) {
        const char *wrong = convert_component(&how, from, k, &result);
        if (wrong)
            return wrong;
    }
    *out = result;
    return NULL;
}

static const char *reinterpret(struct evaluation *e, const char *name, const struct debug_value *from,
                               struct debug_value *out)
{
    const struct debug_type *type = expression_type_named(e, name);
    if (!type || type->kind == DEBUG_VOID || element_of(type)->kind == DEBUG_BOOL)
        return "no type of that name is known";
    if (type->size != from->type->size)
        return "expected a value of as many bytes as the result has";
    *out = (struct debug_value){.type = type};
    memcpy(out->bytes, from->bytes, type->size);
    return NULL;
}

/* ---- by name --------------------------------------------------------------------------------- */

bool function_is_known(const char *name)
{
    static const char *const others[] = {"dot", "any", "all", "select"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(others[i], name))
            return true;
    return !strncmp(name, "convert_", 8) || !strncmp(name, "as_", 3) || row_of(name);
}

const char *function_call(struct evaluation *e, const char *name, const struct debug_value *arguments,
                          uint32_t count, struct debug_value *out)
{
    const struct row *row = row_of(name);
    if (row)
        return by_row(e, row, arguments, count, out);
    const bool one = strcmp(name, "dot") && strcmp(name, "select");
    const uint32_t wanted = one ? 1 : name[0] == 'd' ? 2 : 3;
    if (count != wanted)
        return wanted == 1   ? "expected one argument"
               : wanted == 2 ? "expected two arguments"
                             : "expected three arguments";
    if (!strncmp(name, "convert_", 8))
        return convert(e, name + 8, arguments, out);
    if (!strncmp(name, "as_", 3))
        return reinterpret(e, name + 3, arguments, out);
    if (one)
        return any_or_all(name[1] == 'l', arguments, out);
    return name[0] == 'd' ? dot(arguments, out) : choose(arguments, out);
}
