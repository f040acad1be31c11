/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the function of an OpenCL.std instruction for a type. Tables are one per instruction set and type,
 * filled by math_*.c; the widest set that the processor has is taken. All sets give the same bits, so the
 * choice shows only in time.
 */
#include "math_isa.h"

typedef math_fn *const math_rows[MATH_ENTRIES];

#define FAMILIES(isa)                                                         \
    {                                                                         \
        [MATH_I8] = &MATH_JOIN(i8, isa), [MATH_I16] = &MATH_JOIN(i16, isa),   \
        [MATH_I32] = &MATH_JOIN(i32, isa), [MATH_I64] = &MATH_JOIN(i64, isa), \
        [MATH_F16] = &MATH_JOIN(f16, isa), [MATH_F32] = &MATH_JOIN(f32, isa), \
        [MATH_F64] = &MATH_JOIN(f64, isa)                                     \
    }

static math_rows *const families[][MATH_TYPES] = {
    FAMILIES(0),
#if defined __x86_64__ && !defined ORRERY_BASELINE
    FAMILIES(1),
    FAMILIES(2),
#endif
};

static bool cpu_has(int isa)
{
#if defined __x86_64__ && !defined ORRERY_BASELINE
    switch (isa) {
    case 0: return true;
    case 1: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case 2:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    default: return false;
    }
#else
    return isa == 0;
#endif
}

/* nan() reads an integer and is found under its operand's type; bitwise entries serve floats too. */
static enum math_type row_type(uint32_t instruction, enum math_type type)
{
    static const enum math_type to_float[MATH_TYPES] = {MATH_TYPES, MATH_F16, MATH_F32, MATH_F64,
                                                        MATH_F16,   MATH_F32, MATH_F64};
    static const enum math_type to_integer[MATH_TYPES] = {MATH_I8,  MATH_I16, MATH_I32, MATH_I64,
                                                          MATH_I16, MATH_I32, MATH_I64};
    switch (instruction) {
    case OpenCLstd_Nan: return to_float[type];
    case OpenCLstd_Bitselect:
    case OpenCLstd_Select: return to_integer[type];
    default: return type;
    }
}

math_fn *math_find_isa(uint32_t instruction, enum math_type type, int isa)
{
    if (instruction >= MATH_ENTRIES || type >= MATH_TYPES || !cpu_has(isa))
        return NULL;
    const enum math_type row = row_type(instruction, type);
    return row < MATH_TYPES ? (*families[isa][row])[instruction] : NULL;
}

math_fn *math_find(uint32_t instruction, enum math_type type)
{
    for (int isa = (int)(sizeof(families) / sizeof(families[0])) - 1; isa > 0; isa--)
        if (cpu_has(isa))
            return math_find_isa(instruction, type, isa);
    return math_find_isa(instruction, type, 0);
}
