/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons, bools, selects and moves, all forms, all builds. */
#include <math.h>

#include "tests/support/exec_support.h"

#define IS(x) (!strcmp(f, x))

static int64_t extend(uint64_t x, uint32_t bits)
{
    return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

static double half_value(uint64_t h)
{
    const int e = (int)(h >> 10 & 31), m = (int)(h & 1023);
    const double x = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h & 0x8000 ? -x : x;
}

static double value_of(uint64_t bits, uint32_t size)
{
    float x;
    double d;
    if (size == 16)
        return half_value(bits & 0xffff);
    memcpy(&x, &bits, 4);
    memcpy(&d, &bits, 8);
    return size == 32 ? x : d;
}

static bool expected(const char *f, uint32_t size, uint64_t a, uint64_t b)
{
    if (IS("ieq"))
        return a == b;
    if (IS("ine"))
        return a != b;
    if (IS("ult"))
        return a < b;
    if (IS("ule"))
        return a <= b;
    if (IS("slt"))
        return extend(a, size) < extend(b, size);
    if (IS("sle"))
        return extend(a, size) <= extend(b, size);
    const double x = size == 1 ? 0 : value_of(a, size), y = size == 1 ? 0 : value_of(b, size);
    const bool unordered = isnan(x) || isnan(y);
    if (IS("foeq"))
        return !unordered && x == y;
    if (IS("fone"))
        return !unordered && x != y;
    if (IS("folt"))
        return !unordered && x < y;
    if (IS("fole"))
        return !unordered && x <= y;
    if (IS("fueq"))
        return unordered || x == y;
    if (IS("fune"))
        return unordered || x != y;
    if (IS("fult"))
        return unordered || x < y;
    if (IS("fule"))
        return unordered || x <= y;
    if (IS("ford"))
        return !unordered;
    if (IS("fuord"))
        return unordered;
    if (IS("isnan"))
        return isnan(x);
    if (IS("isinf"))
        return isinf(x);
    if (IS("isfinite"))
        return isfinite(x);
    if (IS("isnormal"))
        return isfinite(x) && fabs(x) >= (size == 16 ? 0x1p-14 : size == 32 ? 0x1p-126 : 0x1p-1022);
    if (IS("signbit"))
        return a >> (size - 1) & 1;
    if (IS("mand"))
        return a & b & 1;
    if (IS("mor"))
        return (a | b) & 1;
    if (IS("mxor"))
        return (a ^ b) & 1;
    if (IS("mxnor"))
        return ~(a ^ b) & 1;
    if (IS("mnot"))
        return ~a & 1;
    ck_abort_msg("no reference for %s", f);
}

static void put(struct rig *rig, uint32_t slot, uint32_t cell, bool uniform, uint32_t n, uint32_t size,
                bool is_float, uint64_t *out, uint64_t *state)
{
    if (size == 1)
        memset(rig->frame + slot, 0, 32);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = uniform && i ? out[0] : edge_or_random(state, size == 1 ? 8 : size, is_float);
        out[i] &= ~0ull >> (64 - size);
        if (size == 1)
            rig->frame[slot + i / 8] |= (uint8_t)(out[i] << i % 8);
        else
            memcpy(rig->frame + slot + i * (size / 8), &out[i], size / 8);
    }
    memcpy(rig->frame + cell, &out[0], 8);
}

static bool bit_at(const struct rig *rig, uint32_t slot, uint32_t i)
{
    return rig->frame[slot + i / 8] >> i % 8 & 1;
}

static void try(int isa, uint32_t op, uint32_t n, const char *f, uint32_t size, const char *form,
                uint64_t *state)
{
    struct rig rig;
    uint64_t a[256], b[256];
    const bool ua = form[0] == 'u', ub = form[1] == 'u', ud = ua && (ub || !form[1]),
               is_float = f[0] == 'f' || f[1] == 's' || IS("signbit");
    rig_init(&rig, n, n - 1, n);
    put(&rig, SLOT_A, CELL_A, ua, n, size, is_float, a, state);
    put(&rig, SLOT_B, CELL_B, ub, n, size, is_float, b, state);
    for (uint32_t i = 0; i < n; i += 3) /* equal operands are rare otherwise */
        if (!ua && !ub && size > 1) {
            b[i] = a[i];
            memcpy(rig.frame + SLOT_B + i * (size / 8), &b[i], size / 8);
        }
    rig_run(&rig, isa, op,
            (struct insn){.d = ud ? CELL_D : SLOT_D, .a = ua ? CELL_A : SLOT_A, .b = ub ? CELL_B : SLOT_B});
    for (uint32_t i = 0; !ud && i < n; i++)
        EXPECT(bit_at(&rig, SLOT_D, i) == expected(f, size, a[i], b[i]), "%s build %d lane %u: %#lx, %#lx",
               op_names[op], isa, i, a[i], b[i]);
    if (ud)
        EXPECT(rig.frame[CELL_D] == expected(f, size, a[0], b[0]), "%s build %d: %#lx, %#lx", op_names[op],
               isa, a[0], b[0]);
    for (uint32_t k = 32; k < SLOT_ROOM; k++)
        EXPECT(rig.frame[SLOT_D + k] == GUARD, "a guard byte was written");
    EXPECT(rig.frame[CELL_D + 8] == GUARD, "a guard byte was written");
}

static bool is_comparison(const char *name)
{
    static const char *const others[] = {"many_u", "mall_u", "select", "uselect", "splat", "mov", "first"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(name, others[i], strlen(others[i])))
            return false;
    return !strcmp(op_test(name), "compare");
}

START_TEST(comparisons_and_bools)
{
    uint64_t state = 3;
    uint32_t tried = 0;
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        char f[32], form[8];
        uint32_t size;
        if (!is_comparison(op_names[op]))
            continue;
        ck_assert(op_parts(op_names[op], f, &size, form));
        for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
            for (int round = 0; round < 4; round++) {
                try(isa, op, 256, f, size, form, &state);
                try(isa, op, 48, f, size, form, &state);
                try(isa, op, 16, f, size, form, &state);
            }
        tried++;
    }
    ck_assert_uint_eq(tried, 6 * 16 + 10 * 12 + 5 * 6 + 4 * 4 + 2);
}
END_TEST

/* ---- selects and moves ------------------------------------------------------------------- */

/* The expected lane i of d, from the old d, a, b and the bits of c. */
static uint64_t moved(const char *f, const char *form, bool active, bool c, uint64_t d, uint64_t a,
                      uint64_t b)
{
    (void)form;
    if (IS("select") || IS("uselect"))
        return c ? a : b;
    if (IS("splat") || IS("mov"))
        return a;
    if (IS("movm") || IS("movmu"))
        return active ? a : d;
    ck_abort_msg("no reference for %s", f);
}

static void try_move(int isa, uint32_t op, uint32_t n, bool partial, uint64_t *state)
{
    struct rig rig;
    char f[32], form[8];
    uint32_t size;
    uint64_t d[256], a[256], b[256], c[256];
    ck_assert(op_parts(op_names[op], f, &size, form));
    const bool first = IS("first"), u_source = IS("splat") || IS("movmu"),
               all_u = IS("uselect") && form[0] == 'u';
    const bool ua = u_source || all_u || (IS("select") && form[0] == 'u'),
               ub = all_u || (IS("select") && form[1] == 'u');
    rig_init(&rig, n, n, n);
    const lane_mask mask = rig_random_mask(state, n);
    rig_activate(&rig, partial ? &mask : NULL);
    put(&rig, SLOT_D, CELL_D, false, n, size, false, d, state);
    put(&rig, SLOT_A, CELL_A, ua, n, size, false, a, state);
    put(&rig, SLOT_B, CELL_B, ub, n, size, false, b, state);
    put(&rig, SLOT_C, CELL_C, IS("uselect"), n, 1, false, c, state);
    rig_run(&rig, isa, op,
            (struct insn){.d = all_u || first ? CELL_D : SLOT_D,
                          .a = ua ? CELL_A : SLOT_A,
                          .b = ub ? CELL_B : SLOT_B,
                          .c = IS("uselect") ? CELL_C : SLOT_C});
    if (first || all_u) {
        uint64_t got = 0, lowest = 0;
        while (!lane_mask_test(&rig.wave.active, (uint32_t)lowest))
            lowest++;
        memcpy(&got, rig.frame + CELL_D, size == 1 ? 1 : size / 8);
        EXPECT(got == (first ? a[lowest] : c[0] ? a[0] : b[0]), "%s", op_names[op]);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t got = 0,
                 want = moved(f, form, lane_mask_test(&rig.wave.active, i), c[i] & 1, d[i], a[i], b[i]);
        if (size == 1)
            got = bit_at(&rig, SLOT_D, i);
        else
            memcpy(&got, rig.frame + SLOT_D + i * (size / 8), size / 8);
        EXPECT(got == want, "%s build %d lane %u: %#lx not %#lx", op_names[op], isa, i, got, want);
    }
    for (uint32_t k = size == 1 ? 32 : n * size / 8; k < SLOT_ROOM; k++)
        EXPECT(rig.frame[SLOT_D + k] == GUARD, "a guard byte was written");
}

START_TEST(selects_and_moves)
{
    uint64_t state = 4;
    uint32_t tried = 0;
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        if (strcmp(op_test(op_names[op]), "compare") || is_comparison(op_names[op]) || op == OP_many_u ||
            op == OP_mall_u || op == OP_mov_u)
            continue;
        for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
            for (int round = 0; round < 6; round++)
                try_move(isa, op, round % 3 == 0 ? 16 : round % 3 == 1 ? 48 : 256, round > 2, &state);
        tried++;
    }
    ck_assert_uint_eq(tried, 16 + 1 + 8 + 1 + 5 * 5);
}
END_TEST

START_TEST(any_and_all_heed_active_lanes_only)
{
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
        struct rig rig;
        rig_init(&rig, 256, 250, 256);
        lane_mask active = {{2, 0, 8, 0}}, value = {{~2ull, ~0ull, ~8ull, ~0ull}};
        rig_activate(&rig, &active);
        memcpy(rig.frame + SLOT_A, &value, 32);
        rig_run(&rig, isa, OP_many_u, (struct insn){.d = CELL_D, .a = SLOT_A});
        ck_assert_uint_eq(rig.frame[CELL_D], 0);
        value.word[2] = 8;
        memcpy(rig.frame + SLOT_A, &value, 32);
        rig_run(&rig, isa, OP_many_u, (struct insn){.d = CELL_D, .a = SLOT_A});
        ck_assert_uint_eq(rig.frame[CELL_D], 1);
        rig_run(&rig, isa, OP_mall_u, (struct insn){.d = CELL_D, .a = SLOT_A});
        ck_assert_uint_eq(rig.frame[CELL_D], 0);
        value = active;
        memcpy(rig.frame + SLOT_A, &value, 32);
        rig_run(&rig, isa, OP_mall_u, (struct insn){.d = CELL_D, .a = SLOT_A});
        ck_assert_uint_eq(rig.frame[CELL_D], 1);
        memcpy(rig.frame + CELL_A, &(uint64_t){0x0123456789abcdef}, 8);
        rig_run(&rig, isa, OP_mov_u, (struct insn){.d = CELL_D, .a = CELL_A});
        ck_assert_mem_eq(rig.frame + CELL_D, rig.frame + CELL_A, 8);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec_compare");
    TCase *tests = tcase_create("core");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, comparisons_and_bools);
    tcase_add_test(tests, selects_and_moves);
    tcase_add_test(tests, any_and_all_heed_active_lanes_only);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
