/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions: every pair of kinds, rounding and saturation against long double arithmetic, whose 64 digits
 * hold every number of every kind; the direct operations against the same; affine integers against their
 * lanes. */
#include <fenv.h>
#include <math.h>

#include "tests/support/exec_support.h"

static const uint32_t kind_bits[] = {8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64};

static long double half_value(uint64_t h)
{
    const int e = (int)(h >> 10 & 31), m = (int)(h & 1023);
    const long double x = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpl(1024 + m, e - 25) : ldexpl(m, -24);
    return h & 0x8000 ? -x : x;
}

static long double value_of(uint32_t kind, uint64_t bits)
{
    float f;
    double d;
    const uint32_t unused = 64 - kind_bits[kind];
    memcpy(&f, &bits, 4);
    memcpy(&d, &bits, 8);
    switch (kind) {
    case NUMBER_F16: return half_value(bits & 0xffff);
    case NUMBER_F32: return f;
    case NUMBER_F64: return d;
    default:
        return kind & 1 ? (long double)(bits << unused >> unused)
                        : (long double)((int64_t)(bits << unused) >> unused);
    }
}

static long double to_integral(long double x, uint32_t rounding)
{
    return rounding == ROUND_RTZ   ? truncl(x)
           : rounding == ROUND_RTP ? ceill(x)
           : rounding == ROUND_RTN ? floorl(x)
                                   : nearbyintl(x);
}

/* To p digits with unit no less than 2^least, overflow above 2^top. */
static long double to_float(long double x, uint32_t rounding, int p, int least, int top)
{
    int e;
    if (isnan(x) || isinf(x) || x == 0)
        return x;
    frexpl(x, &e);
    const int unit = e - p < least ? least : e - p;
    const long double y = ldexpl(to_integral(ldexpl(x, -unit), rounding), unit),
                      most = ldexpl(1, top) - ldexpl(1, top - p);
    if (fabsl(y) <= most)
        return y;
    const bool away = rounding == ROUND_DEFAULT || rounding == ROUND_RTE ||
                      (rounding == ROUND_RTP && x > 0) || (rounding == ROUND_RTN && x < 0);
    return copysignl(away ? INFINITY : most, x);
}

/* Does got stand for what x converts to? */
static bool right(uint32_t from, uint32_t to, uint32_t rounding, bool saturate, uint64_t bits, uint64_t got)
{
    const long double x = value_of(from, bits);
    if (to >= NUMBER_F16) {
        const long double want = to == NUMBER_F16   ? to_float(x, rounding, 11, -24, 16)
                                 : to == NUMBER_F32 ? to_float(x, rounding, 24, -149, 128)
                                                    : to_float(x, rounding, 53, -1074, 1024);
        const long double have = value_of(to, got);
        return isnan(want)
                   ? isnan(have)
                   : want == have && (want != 0 || from < NUMBER_F16 || !signbit(want) == !signbit(have));
    }
    const uint32_t n = kind_bits[to], mode = rounding == ROUND_DEFAULT ? ROUND_RTZ : rounding;
    const long double low = to & 1 ? 0 : -ldexpl(1, (int)n - 1),
                      high = to & 1 ? ldexpl(1, (int)n) - 1 : ldexpl(1, (int)n - 1) - 1;
    const uint64_t all = ~0ull >> (64 - n), top = 1ull << (n - 1);
    if (isnan(x))
        return got == (saturate ? 0 : top);
    const long double whole = to_integral(x, mode);
    if (whole >= low && whole <= high)
        return got == ((whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole) & all);
    if (!saturate)
        return got == (from < NUMBER_F16 ? bits & all &
                                               (n > kind_bits[from]
                                                    ? (uint64_t)((int64_t)(bits << (64 - kind_bits[from])) >>
                                                                 (64 - kind_bits[from]))
                                                    : all)
                                         : top) ||
               (from < NUMBER_F16 && n > kind_bits[from]);
    return got == ((whole < low ? (to & 1 ? 0 : top) : to & 1 ? all : top - 1) & all);
}

static void convert(struct rig *rig, int isa, uint32_t op, uint32_t how, uint64_t *state)
{
    const uint32_t from = how & 0xff, to = how >> 8 & 0xff, rounding = how >> 16 & 0xff,
                   in = kind_bits[from] / 8, out = kind_bits[to] / 8;
    uint64_t bits[48] = {0};
    for (uint32_t i = 0; i < 48; i++) {
        const uint64_t random = edge_or_random(state, kind_bits[from], from >= NUMBER_F16);
        memcpy(&bits[i], &random, in);
        memcpy(rig->frame + SLOT_A + i * in, &bits[i], in);
    }
    memset(rig->frame + SLOT_D, GUARD, 512);
    rig_run(rig, isa, op, (struct insn){.d = SLOT_D, .a = SLOT_A, .e = how});
    for (uint32_t i = 0; i < 48; i++) {
        uint64_t got = 0;
        memcpy(&got, rig->frame + SLOT_D + i * out, out);
        EXPECT(right(from, to, rounding, how >> 24 & 1, bits[i], got),
               "%s build %d %u -> %u rounding %u saturate %u: %#lx -> %#lx", op_names[op], isa, from, to,
               rounding, how >> 24, bits[i], got);
    }
    EXPECT(rig->frame[SLOT_D + 48 * out] == GUARD, "written beyond the lanes");
}

START_TEST(every_conversion)
{
    uint64_t state = 5;
    struct rig rig;
    rig_init(&rig, 48, 48, 48);
    for (uint32_t from = 0; from <= NUMBER_F64; from++)
        for (uint32_t to = 0; to <= NUMBER_F64; to++)
            for (uint32_t rounding = 0; rounding <= ROUND_RTN; rounding++)
                for (uint32_t saturate = 0; saturate < 2; saturate++)
                    for (int round = 0; round < 6; round++)
                        convert(&rig, 0, OP_convert_any_v, from | to << 8 | rounding << 16 | saturate << 24,
                                &state);
}
END_TEST

static uint32_t kind_of(const char *name)
{
    static const char *const names[] = {"s8",  "u8",  "s16", "u16", "s32", "u32",
                                        "s64", "u64", "f16", "f32", "f64"};
    for (uint32_t k = 0; k <= NUMBER_F64; k++)
        if (!strncmp(name, names[k], strlen(names[k])))
            return k;
    ck_abort_msg("no kind %s", name);
}

START_TEST(direct_conversions)
{
    uint64_t state = 6;
    struct rig rig;
    uint32_t tried = 0;
    rig_init(&rig, 48, 48, 48);
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        if (strncmp(op_names[op], "cvt_", 4) || !strstr(op_names[op], "_v"))
            continue;
        const uint32_t how = kind_of(op_names[op] + 4) | kind_of(op_names[op] + 8) << 8;
        for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
            for (int round = 0; round < 40; round++)
                convert(&rig, isa, op, how, &state);
        tried++;
    }
    ck_assert_uint_eq(tried, 20);
}
END_TEST

START_TEST(resizes)
{
    uint64_t state = 7;
    struct rig rig;
    rig_init(&rig, 48, 48, 48);
    for (uint32_t op = OP_trunc_16_8_v; op < OP_cvt_s32_f32_v; op += 2) {
        uint32_t from, to;
        ck_assert_int_eq(sscanf(op_names[op] + strcspn(op_names[op], "_"), "_%u_%u_v", &from, &to), 2);
        const uint32_t kinds[65] = {[8] = NUMBER_S8, [16] = NUMBER_S16, [32] = NUMBER_S32, [64] = NUMBER_S64};
        const uint32_t sign = op_names[op][0] == 'z';
        for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
            convert(&rig, isa, op, (kinds[from] + sign) | (kinds[to] + sign) << 8, &state);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec_convert");
    TCase *tests = tcase_create("core");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_conversion);
    tcase_add_test(tests, direct_conversions);
    tcase_add_test(tests, resizes);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
