/* SPDX-License-Identifier: Apache-2.0 */
/* Float operations against scalar C in the next wider format, all forms, all builds. */
#include <math.h>

#include "tests/support/exec_support.h"

#define IS(x) (!strcmp(f, x))

static double half_value(uint64_t h)
{
    const int e = (int)(h >> 10 & 31), m = (int)(h & 1023);
    const double x = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -x : x;
}

static uint64_t half_bits(double x)
{
    const uint64_t sign = signbit(x) ? 0x8000 : 0;
    int e;
    x = fabs(x);
    if (isnan(x))
        return sign | 0x7e00;
    if (x == 0)
        return sign;
    frexp(x, &e);
    const int unit = e - 11 < -24 ? -24 : e - 11;
    const double units = nearbyint(ldexp(x, -unit)), value = ldexp(units, unit);
    if (value >= 65536)
        return sign | 0x7c00;
    return sign | (units < 1024    ? (uint64_t)units
                   : units == 2048 ? (uint64_t)(unit + 26) << 10
                                   : (uint64_t)(unit + 25) << 10 | ((uint64_t)units & 1023));
}

static double value_of(uint64_t bits, uint32_t size)
{
    float f;
    double d;
    if (size == 16)
        return half_value(bits & 0xffff);
    memcpy(&f, &bits, 4);
    memcpy(&d, &bits, 8);
    return size == 32 ? f : d;
}

static uint64_t bits_of(double x, uint32_t size)
{
    uint64_t bits = 0;
    const float f = (float)x;
    if (size == 16)
        return half_bits(x);
    if (size == 32)
        memcpy(&bits, &f, 4);
    else
        memcpy(&bits, &x, 8);
    return bits;
}

static double rounded(double x, uint32_t size)
{
    return value_of(bits_of(x, size), size);
}

static double modulo(double a, double b)
{
    const double r = fmod(a, b);
    return r == 0 ? copysign(0, b) : (r < 0) != (b < 0) ? r + b : r;
}

/* Double holds what the narrower formats need: their sums, products, quotients, roots round alike through
 * it. */
static double expected(const char *f, uint32_t size, double a, double b, double c)
{
    if (IS("fadd"))
        return a + b;
    if (IS("fsub"))
        return a - b;
    if (IS("fmul"))
        return a * b;
    if (IS("fdiv"))
        return a / b;
    if (IS("frem"))
        return fmod(a, b);
    if (IS("fmod"))
        return size == 16 ? modulo((float)a, (float)b) : modulo(a, b);
    if (IS("fmin"))
        return isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
    if (IS("fmax"))
        return isnan(a) ? b : isnan(b) ? a : a > b ? a : b;
    if (IS("sqrt"))
        return sqrt(a);
    if (IS("mad"))
        return rounded(a * b, size) + c;
    if (IS("msub"))
        return rounded(a * b, size) - c;
    if (IS("nmad"))
        return c - rounded(a * b, size);
    ck_abort_msg("no reference for %s", f);
}

static bool is_nan_bits(uint64_t bits, uint32_t size)
{
    return size == 16   ? (bits & 0x7fff) > 0x7c00
           : size == 32 ? (bits & 0x7fffffff) > 0x7f800000
                        : (bits << 1) > 0x7ffull << 53;
}

static void fill(struct rig *rig, uint32_t slot, uint32_t cell, bool uniform, uint32_t n, uint32_t size,
                 uint64_t *out, uint64_t *state)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = uniform && i ? out[0] : edge_or_random(state, size, true);
        if (size < 64)
            out[i] &= (1ull << size) - 1;
        memcpy(rig->frame + slot + i * (size / 8), &out[i], size / 8);
    }
    memcpy(rig->frame + cell, &out[0], 8);
}

static void try(uint32_t op, uint32_t n, const char *f, uint32_t size, const char *form, uint64_t *state)
{
    static uint8_t first[2048];
    const uint64_t start = *state;
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
        struct rig rig;
        uint64_t a[256], b[256], c[256];
        const uint32_t bytes = size / 8;
        const bool ud = strspn(form, "u") == strlen(form);
        *state = start;
        rig_init(&rig, n, n, n);
        fill(&rig, SLOT_A, CELL_A, form[0] == 'u', n, size, a, state);
        fill(&rig, SLOT_B, CELL_B, form[0] && form[1] == 'u', n, size, b, state);
        fill(&rig, SLOT_C, CELL_C, form[0] && form[1] && form[2] == 'u', n, size, c, state);
        const uint32_t d = ud ? CELL_D : SLOT_D;
        rig_run(&rig, isa, op,
                (struct insn){.d = d,
                              .a = form[0] == 'u' ? CELL_A : SLOT_A,
                              .b = form[1] == 'u' ? CELL_B : SLOT_B,
                              .c = form[1] && form[2] == 'u' ? CELL_C : SLOT_C});
        for (uint32_t i = 0; i < (ud ? 1 : n); i++) {
            uint64_t got = 0, want;
            const uint64_t sign = 1ull << (size - 1);
            memcpy(&got, rig.frame + d + i * bytes, bytes);
            want = IS("fneg")   ? a[i] ^ sign
                   : IS("fabs") ? a[i] & ~sign
                                : bits_of(expected(f, size, value_of(a[i], size), value_of(b[i], size),
                                                   value_of(c[i], size)),
                                          size);
            if (size == 32 && IS("fmod")) { /* the sum with the divisor rounds in float */
                const float x = (float)value_of(a[i], 32), y = (float)value_of(b[i], 32), r = fmodf(x, y);
                const float m = r == 0 ? copysignf(0, y) : (r < 0) != (y < 0) ? r + y : r;
                memcpy(&want, &m, 4);
            }
            const bool either_zero =
                (IS("fmin") || IS("fmax")) && value_of(got, size) == 0 && value_of(want, size) == 0;
            EXPECT(got == want || either_zero ||
                       (is_nan_bits(got, size) && is_nan_bits(want, size) && !IS("fneg") && !IS("fabs")),
                   "%s build %d lane %u: %#lx, %#lx, %#lx -> %#lx, not %#lx", op_names[op], isa, i, a[i],
                   b[i], c[i], got, want);
        }
        if (isa == 0)
            memcpy(first, rig.frame + d, ud ? bytes : n * bytes);
        for (uint32_t i = 0; i < (ud ? 1 : n); i++)
            EXPECT(!memcmp(first + i * bytes, rig.frame + d + i * bytes, bytes),
                   "%s build %d lane %u differs from build 0: %#lx %#lx %#lx", op_names[op], isa, i, a[i],
                   b[i], c[i]);
        for (uint32_t k = n * bytes; !ud && k < SLOT_ROOM; k++)
            EXPECT(rig.frame[SLOT_D + k] == GUARD, "a guard byte was written");
    }
}

START_TEST(float_operations)
{
    uint64_t state = 2;
    uint32_t tried = 0;
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        char f[32], form[8];
        uint32_t size;
        const char *test = op_test(op_names[op]);
        if (!test || strcmp(test, "float") || !strncmp(op_names[op], "math", 4))
            continue;
        ck_assert(op_parts(op_names[op], f, &size, form));
        for (int round = 0; round < 4; round++) {
            try(op, 256, f, size, form, &state);
            try(op, 48, f, size, form, &state);
            try(op, 16, f, size, form, &state);
        }
        tried++;
    }
    ck_assert_uint_eq(tried, 8 * 12 + 3 * 6 + 3 * 24);
}
END_TEST

/* out0 = in0 + in1, out1 = in0 - in2, floats */
static void both(size_t n, void *const out[2], const void *const in[3])
{
    for (size_t i = 0; i < n; i++) {
        ((float *)out[0])[i] = ((const float *)in[0])[i] + ((const float *)in[1])[i];
        if (out[1])
            ((float *)out[1])[i] = ((const float *)in[0])[i] - ((const float *)in[2])[i];
    }
}

START_TEST(math_functions_get_their_operands)
{
    const uint64_t fn = (uint64_t)(uintptr_t)both;
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
        struct rig rig;
        rig_init(&rig, 48, 40, 48);
        float *a = (float *)(void *)(rig.frame + SLOT_A), *b = (float *)(void *)(rig.frame + SLOT_B),
              *c = (float *)(void *)(rig.frame + SLOT_C);
        for (int i = 0; i < 48; i++)
            a[i] = (float)i, b[i] = (float)(i * i), c[i] = 0.5f;
        memcpy(rig.operands + 3, (uint32_t[]){SLOT_D, SLOT_E, SLOT_A, SLOT_B, SLOT_C}, 20);
        rig_run(&rig, isa, OP_math_v, (struct insn){.d = 3, .e = (uint32_t)fn, .f = (uint32_t)(fn >> 32)});
        for (int i = 0; i < 48; i++) {
            ck_assert(((float *)(void *)(rig.frame + SLOT_D))[i] == (float)(i + i * i));
            ck_assert(((float *)(void *)(rig.frame + SLOT_E))[i] == (float)i - 0.5f);
        }
        EXPECT(rig.frame[SLOT_D + 48 * 4] == GUARD, "a guard byte was written");
        memcpy(rig.frame + CELL_A, &(float){3}, 4);
        memcpy(rig.frame + CELL_B, &(float){4}, 4);
        memcpy(rig.operands, (uint32_t[]){CELL_D, ~0u, CELL_A, CELL_B, ~0u}, 20);
        rig_run(&rig, isa, OP_math_u, (struct insn){.d = 0, .e = (uint32_t)fn, .f = (uint32_t)(fn >> 32)});
        ck_assert(*(float *)(void *)(rig.frame + CELL_D) == 7.0f);
        EXPECT(rig.frame[CELL_D + 8] == GUARD, "a guard byte was written");
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec_float");
    TCase *tests = tcase_create("core");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, float_operations);
    tcase_add_test(tests, math_functions_get_their_operands);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
