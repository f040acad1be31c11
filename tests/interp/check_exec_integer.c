/* SPDX-License-Identifier: Apache-2.0 */
/* Integer operations against 128-bit arithmetic, all forms, all builds. */
#include "tests/support/exec_support.h"

typedef __int128 wide;

static int64_t extend(uint64_t x, uint32_t bits)
{
    return (int64_t)(x << (64 - bits)) >> (64 - bits);
}
static uint64_t mask_of(uint32_t bits)
{
    return ~0ull >> (64 - bits);
}

static wide floor_mod(wide a, wide b)
{
    wide r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static uint64_t expected(const char *f, uint32_t bits, uint64_t ra, uint64_t rb)
{
    const uint64_t a = ra & mask_of(bits), b = rb & mask_of(bits);
    const wide sa = extend(a, bits), sb = extend(b, bits);
    const uint32_t shift = (uint32_t)(b % bits);
#define IS(x) (!strcmp(f, x))
    if (IS("add"))
        return a + b;
    if (IS("sub"))
        return a - b;
    if (IS("mul"))
        return a * b;
    if (IS("and"))
        return a & b;
    if (IS("or"))
        return a | b;
    if (IS("xor"))
        return a ^ b;
    if (IS("shl"))
        return a << shift;
    if (IS("lshr"))
        return a >> shift;
    if (IS("ashr"))
        return (uint64_t)(sa >> shift);
    if (IS("udiv"))
        return b ? a / b : 0;
    if (IS("urem"))
        return b ? a % b : 0;
    if (IS("sdiv"))
        return sb ? (uint64_t)(sa / sb) : 0;
    if (IS("srem"))
        return sb ? (uint64_t)(sa % sb) : 0;
    if (IS("smod"))
        return sb ? (uint64_t)floor_mod(sa, sb) : 0;
    if (IS("smin"))
        return sa < sb ? a : b;
    if (IS("smax"))
        return sa > sb ? a : b;
    if (IS("umin"))
        return a < b ? a : b;
    if (IS("umax"))
        return a > b ? a : b;
    if (IS("rotl"))
        return shift ? a << shift | a >> (bits - shift) : a;
    if (IS("smulhi"))
        return (uint64_t)((sa * sb) >> bits);
    if (IS("umulhi"))
        return (uint64_t)(((unsigned __int128)a * b) >> bits);
    if (IS("neg"))
        return 0 - a;
    if (IS("not"))
        return ~a;
    ck_abort_msg("no reference for %s", f);
}

static void try(int isa, uint32_t op, uint32_t n, const char *family, uint32_t bits, const char *form,
                uint64_t *state)
{
    struct rig rig;
    const uint32_t bytes = bits / 8;
    const bool ua = form[0] == 'u', ub = form[1] == 'u', ud = ua && (ub || !form[1]);
    rig_init(&rig, n, n - 3, n);
    uint64_t a[256], b[256], ca = edge_or_random(state, bits, false), cb = edge_or_random(state, bits, false);
    for (uint32_t i = 0; i < n; i++) {
        a[i] = ua ? ca : edge_or_random(state, bits, false);
        b[i] = ub ? cb : edge_or_random(state, bits, false);
        memcpy(rig.frame + SLOT_A + i * bytes, &a[i], bytes);
        memcpy(rig.frame + SLOT_B + i * bytes, &b[i], bytes);
    }
    memcpy(rig.frame + CELL_A, &ca, 8);
    memcpy(rig.frame + CELL_B, &cb, 8);
    const uint32_t d = ud ? CELL_D : SLOT_D;
    rig_run(&rig, isa, op, (struct insn){.d = d, .a = ua ? CELL_A : SLOT_A, .b = ub ? CELL_B : SLOT_B});
    for (uint32_t i = 0; i < (ud ? 1 : n); i++) {
        uint64_t got = 0, want = expected(family, bits, a[i], b[i]) & mask_of(bits);
        memcpy(&got, rig.frame + d + i * bytes, bytes);
        EXPECT(got == want, "%s build %d lane %u: %#lx, %#lx -> %#lx, not %#lx", op_names[op], isa, i, a[i],
               b[i], got, want);
    }
    for (uint32_t k = ud ? 8 : n * bytes; !ud && k < SLOT_ROOM; k++)
        EXPECT(rig.frame[d + k] == GUARD, "a guard byte was written");
    for (uint32_t k = 512; k < SLOT_D; k++)
        EXPECT(rig.frame[k] == GUARD, "a guard byte was written");
}

START_TEST(integer_operations)
{
    static const uint32_t widths[] = {16, 48, 256};
    uint64_t state = 1;
    uint32_t tried = 0;
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        char family[32], form[8];
        uint32_t bits;
        const char *test = op_test(op_names[op]);
        if (!test || strcmp(test, "integer"))
            continue;
        ck_assert(op_parts(op_names[op], family, &bits, form));
        for (int isa = _i; isa == _i && rig_has(isa); isa++)
            for (int w = 0; w < 12; w++)
                try(isa, op, widths[w % 3], family, bits, form, &state);
        tried++;
    }
    ck_assert_uint_eq(tried, 21 * 16 + 2 * 8);
}
END_TEST

START_TEST(every_operation_has_a_test)
{
    for (uint32_t op = 0; op < OP_COUNT; op++)
        EXPECT(op_test(op_names[op]), "no test for %s", op_names[op]);
}
END_TEST

START_TEST(every_build_has_every_handler)
{
    for (int isa = 0; isa < ISAS; isa++)
        for (uint32_t op = 0; rig_has(isa) && op < OP_COUNT; op++)
            EXPECT(op_table_isa(isa)[op], "%s", op_names[op]);
    ck_assert_ptr_nonnull(op_table());
    ck_assert_ptr_null(op_table_isa(3));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec_integer");
    TCase *tests = tcase_create("core");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, integer_operations, 0, ISAS);
    tcase_add_test(tests, every_operation_has_a_test);
    tcase_add_test(tests, every_build_has_every_handler);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
