/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of uninitialised values in every build: which lanes and bytes loads find, what stores and atomics
 * leave and report, and that no row of private memory counts as written before it is. */
#include "tests/support/exec_support.h"

enum { FORM_UNIFORM, FORM_AFFINE, FORM_LANES, FORM_PRIVATE_UNIFORM, FORM_PRIVATE_LANES, FORM_ANY };

static uint32_t apart = 1;    /* as many times their size stand lanes after each other */
static uint32_t stray = 1000; /* lane that is in another region */
static uint32_t skew;         /* bytes by which addresses of private memory are misaligned */

static uint64_t poison_address(struct rig *rig, uint32_t form, uint32_t lane, uint32_t bytes)
{
    switch (form) {
    case FORM_UNIFORM: return rig_base(rig, 1) + 64;
    case FORM_PRIVATE_UNIFORM: return PRIVATE_BASE + 32 + skew;
    case FORM_PRIVATE_LANES: return PRIVATE_BASE + lane * 7 % 20 * bytes + skew;
    case FORM_ANY: return lane & 1 ? PRIVATE_BASE + 64 : rig_base(rig, 1) + lane * apart * bytes;
    case FORM_LANES: return lane == stray ? rig_base(rig, 2) + 64 : rig_base(rig, 1) + lane * apart * bytes;
    default: return rig_base(rig, 1) + lane * apart * bytes;
    }
}

static uint8_t *undefined_byte(struct rig *rig, uint32_t lane, uint64_t address)
{
    const uint64_t offset = address - PRIVATE_BASE;
    return rig->wave.private_undefined + (offset / 4 * 256 + lane) * 4 + offset % 4;
}

static void make_undefined(struct rig *rig, uint32_t lane, uint64_t address)
{
    *undefined_byte(rig, lane, address) = 1;
    rig->wave.private_rows[(address - PRIVATE_BASE) / 4] = 0;
}

/* A row that is known to be written has no undefined byte in any live lane. */
static bool rows_are_true(struct rig *rig)
{
    for (uint32_t at = 0; at < PRIVATE_BYTES; at++)
        for (uint32_t lane = 0; rig->wave.private_rows[at / 4] && lane < 41; lane++)
            if (lane_mask_test(&rig->wave.live, lane) && *undefined_byte(rig, lane, PRIVATE_BASE + at))
                return false;
    return true;
}

static bool defined(struct rig *rig, uint32_t lane, uint64_t address, uint32_t bytes)
{
    bool all = true;
    if (address - PRIVATE_BASE >= PRIVATE_BYTES)
        return memory_range_valid(memory_region(&rig->memory, address), address, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        all &= !*undefined_byte(rig, lane, address + i);
    return all;
}

/* Ones for the bytes that are not initialised. */
static uint64_t undefined_bits(struct rig *rig, uint32_t lane, uint64_t address, uint32_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t k = 0; k < bytes; k++)
        bits |= defined(rig, lane, address + k, 1) ? 0 : 0xffull << 8 * k;
    return bits;
}

static uint64_t bits_left(uint32_t operation, uint64_t found, bool value, uint64_t open, uint64_t all)
{
    switch (operation) {
    case ATOMIC_STORE:
    case ATOMIC_EXCHANGE: return value ? all : 0;
    case ATOMIC_OR:
    case ATOMIC_XOR: return value || found == all ? all : found & open;
    case ATOMIC_ADD: /* from the lowest one on */
        for (uint64_t bit = 1; !value && bit && !(found & bit); bit <<= 1)
            all &= ~bit;
        return all;
    default: return value || found ? all : 0;
    }
}

/* A byte with both kinds of bits counts as uninitialised. */
static uint64_t whole_bytes(uint64_t bits)
{
    for (uint32_t k = 0; k < 64; k += 8)
        bits |= bits >> k & 0xff ? 0xffull << k : 0;
    return bits;
}

/* Work-items act in order: each finds the values that the ones before it stored. A report makes the bytes
 * initialised. */
static void poison_atomic(struct rig *rig, int isa, uint32_t form, uint32_t bytes, uint32_t a,
                          uint64_t *state)
{
    static const uint32_t operations[] = {
        ATOMIC_LOAD, ATOMIC_STORE, ATOMIC_EXCHANGE, ATOMIC_ADD, ATOMIC_COMPARE_EXCHANGE,
        ATOMIC_OR,   ATOMIC_XOR};
    const uint32_t operation = operations[rig_random(state) % 7];
    const bool finds_bits = rig_random(state) % 2;
    const uint64_t all = UINT64_MAX >> (64 - 8 * bytes),
                   open = operation == ATOMIC_OR ? rig_random(state) & all : all;
    const lane_mask active = rig->wave.active,
                    value = rig_random(state) % 2 ? rig_random_mask(state, 41) : (lane_mask){{0}};
    uint64_t undefined[41], found[41], reported = 0;
    for (uint32_t i = 0, many = rig_random(state) % 2; i < 41; i++) {
        const uint64_t address = poison_address(rig, form, i, bytes);
        if (many && rig_random(state) % 3 == 0 && address - PRIVATE_BASE < PRIVATE_BYTES)
            make_undefined(rig, i, address);
        else if (many && rig_random(state) % 3 == 0)
            memory_set_valid(&rig->regions[1], address, 1 + rig_random(state) % bytes, false);
    }
    for (uint32_t i = 0; i < 41; i++)
        undefined[i] = undefined_bits(rig, i, poison_address(rig, form, i, bytes), bytes);
    for (uint32_t i = 0; i < 41; i++) {
        uint64_t *at = &undefined[form == FORM_UNIFORM ? 0 : i];
        const bool private = poison_address(rig, form, i, bytes) - PRIVATE_BASE < PRIVATE_BYTES;
        found[i] = *at;
        if (!lane_mask_test(&active, i) || operation == ATOMIC_LOAD)
            continue;
        const uint64_t left = bits_left(operation, *at, lane_mask_test(&value, i), open, all);
        const bool keeps = *at && *at != all && !(left & ~*at);
        *at = whole_bytes(left) & all;
        if (left && !private && !keeps) {
            reported++;
            *at = found[i] = 0;
        }
    }
    rig->operands[14] = (uint32_t)open;
    rig->operands[15] = (uint32_t)(open >> 32);
    memcpy(rig->frame + SLOT_C, &value, sizeof value);
    rig->fault_count = 0;
    rig_run(rig, isa, OP_poison_atomic,
            (struct insn){.d = SLOT_D,
                          .a = a,
                          .b = 10,
                          .c = SLOT_C,
                          .e = 1,
                          .f = operation | (finds_bits ? POISON_FINDS_BITS : 0u)});
    for (uint32_t i = 0; i < 41; i++) {
        const uint64_t left = undefined_bits(rig, i, poison_address(rig, form, i, bytes), bytes),
                       want = finds_bits ? found[i] : found[i] != 0,
                       got = finds_bits ? rig_get(rig, SLOT_D, i, bytes)
                                        : rig_get(rig, SLOT_D, i / 64, 8) >> i % 64 & 1;
        EXPECT(!lane_mask_test(&active, i) || got == want, "operation %u form %u build %d lane %u finds %lx",
               operation, form, isa, i, got);
        EXPECT(left == undefined[form == FORM_UNIFORM ? 0 : i],
               "operation %u form %u build %d lane %u leaves %lx", operation, form, isa, i, left);
    }
    EXPECT(rig->fault_count == (reported > 0) && (!reported || rig->fault.lanes == reported),
           "operation %u form %u build %d: %u reports of %lu lanes, not %lu", operation, form, isa,
           rig->fault_count, rig->fault.lanes, reported);
}

static void poison_bits(struct rig *rig, int isa, uint32_t form, uint32_t bytes, uint32_t a)
{
    const lane_mask active = rig->wave.active;
    rig_run(rig, isa, OP_poison_bits_v, (struct insn){.d = SLOT_D, .a = a, .b = 10, .e = 1});
    for (uint32_t i = 0; i < 41; i++) {
        const uint64_t got = rig_get(rig, SLOT_D, i, bytes),
                       want = undefined_bits(rig, i, poison_address(rig, form, i, bytes), bytes);
        EXPECT(!lane_mask_test(&active, i) || got == want,
               "form %u of %u bytes, build %d lane %u: %#lx, %#lx", form, bytes, isa, i, got, want);
    }
    if (form != FORM_UNIFORM)
        return;
    rig_run(rig, isa, OP_poison_bits_u, (struct insn){.d = CELL_D, .a = a, .b = 10, .e = 1});
    const uint64_t got = rig_get(rig, CELL_D, 0, bytes),
                   want = undefined_bits(rig, 0, rig_base(rig, 1) + 64, bytes);
    EXPECT(got == want, "uniform form of %u bytes, build %d: %#lx, %#lx", bytes, isa, got, want);
}

/* Bytes of both memories that are not initialised: none, some here and there, or one of a lane alone. */
static void mark_some(struct rig *rig, uint32_t form, uint32_t bytes, uint64_t *state)
{
    memory_set_valid(&rig->regions[2], rig_base(rig, 2) + 64, 8, rig_random(state) % 2);
    for (int i = rig_random(state) % 3 ? 0 : 20; i < 20; i++)
        memory_set_valid(&rig->regions[1], rig_base(rig, 1) + rig_random(state) % (400 * apart),
                         1 + rig_random(state) % 5, false);
    for (int i = 0, many = rig_random(state) % 2 ? 2000 : 0; i < many; i++)
        rig->wave.private_undefined[rig_random(state) % (PRIVATE_BYTES * 256)] = 1;
    if (form >= FORM_PRIVATE_UNIFORM && form != FORM_ANY && rig_random(state) % 2) {
        const uint32_t lane = rig_random(state) % 41;
        *undefined_byte(rig, lane, poison_address(rig, form, lane, bytes) + rig_random(state) % bytes) = 1;
    }
}

static void prepare(struct rig *rig, uint32_t form, uint32_t bytes, bool partial, uint64_t *state)
{
    static uint8_t valid[2][32768 / 8], undefined[PRIVATE_BYTES * 256], rows[PRIVATE_BYTES / 4];
    rig_init(rig, 48, 41, 48);
    apart = 1 + 2 * (rig_random(state) % 3 == 0);
    stray = 17 + rig_random(state) % 60;
    const lane_mask some = rig_random_mask(state, 41);
    rig_activate(rig, partial ? &some : NULL);
    if (rig_random(state) % 2)
        rig->wave.live = (lane_mask){{(UINT64_C(1) << 41) - 1}};
    memset(valid, 0xff, sizeof valid);
    memset(undefined, 0, sizeof undefined);
    memset(rows, 0, sizeof rows);
    skew = rig_random(state) % 3 ? 0 : rig_random(state) % 4;
    rig->memory.track_validity = true;
    for (int r = 0; r < 2; r++)
        rig->regions[1 + r].valid = valid[r];
    rig->wave.private_undefined = undefined;
    rig->wave.private_rows = rows;
    mark_some(rig, form, bytes, state);
}

/* Returns the slot or cell of the addresses, from which the list of operands subtracts 24. */
static uint32_t put_addresses(struct rig *rig, uint32_t form, uint32_t bytes, uint64_t *state)
{
    const uint32_t list[] = {form, bytes, 24};
    memcpy(&rig->operands[10], list, sizeof list);
    rig->sites[1] = (struct site){.access = ACCESS_READ, .size = bytes, .components = 1, .align = 1};
    for (uint32_t i = 0; i < 48; i++) {
        const bool wild = form == FORM_LANES && i < 41 && !lane_mask_test(&rig->wave.active, i);
        rig_put(rig, SLOT_A, i, 8, wild ? rig_random(state) : poison_address(rig, form, i, bytes) - 24);
    }
    if (form == FORM_UNIFORM || form == FORM_PRIVATE_UNIFORM)
        memcpy(rig->frame + CELL_A, &(uint64_t){poison_address(rig, form, 0, bytes) - 24}, 8);
    else if (form == FORM_AFFINE)
        *(struct affine *)(void *)(rig->frame + CELL_A) =
            (struct affine){.base = (int64_t)rig_base(rig, 1) - 24, .step_x = apart * bytes, .slot = SLOT_A};
    else
        return SLOT_A;
    return CELL_A;
}

static void poison_loads(struct rig *rig, int isa, uint32_t form, uint32_t bytes, uint32_t a)
{
    rig_run(rig, isa, OP_poison_ld, (struct insn){.d = SLOT_D, .a = a, .b = 10, .e = 1});
    for (uint32_t i = 0; i < 41; i++) {
        const bool got = rig_get(rig, SLOT_D, i / 64, 8) >> i % 64 & 1,
                   want = !defined(rig, i, poison_address(rig, form, i, bytes), bytes);
        EXPECT(!lane_mask_test(&rig->wave.active, i) || got == want,
               "form %u of %u bytes, build %d lane %u: %d", form, bytes, isa, i, got);
    }
    poison_bits(rig, isa, form, bytes, a);
    if (form != FORM_UNIFORM)
        return;
    rig_run(rig, isa, OP_poison_ld_u, (struct insn){.d = CELL_D, .a = a, .b = 10, .e = 1});
    EXPECT(rig->frame[CELL_D] == !defined(rig, 0, rig_base(rig, 1) + 64, bytes),
           "uniform form of %u bytes, build %d", bytes, isa);
}

static void poison_stores(struct rig *rig, int isa, uint32_t form, uint32_t bytes, uint32_t a,
                          uint64_t *state)
{
    const lane_mask bad =
        form == FORM_UNIFORM || rig_random(state) % 2 ? (lane_mask){{0}} : rig_random_mask(state, 41);
    bool before[41];
    uint64_t reported = 0;
    for (uint32_t i = 0; i < 41; i++)
        before[i] = defined(rig, i, poison_address(rig, form, i, bytes), bytes);
    memcpy(rig->frame + SLOT_C, &bad, sizeof bad);
    rig_run(rig, isa, OP_poison_st, (struct insn){.a = a, .b = 10, .c = SLOT_C, .e = 1});
    for (uint32_t i = 0; i < 41; i++) {
        const uint64_t address = poison_address(rig, form, i, bytes);
        const bool private = address - PRIVATE_BASE < PRIVATE_BYTES, is_bad = lane_mask_test(&bad, i),
                   is_active = lane_mask_test(&rig->wave.active, i);
        EXPECT(is_active || form == FORM_UNIFORM || defined(rig, i, address, bytes) == before[i],
               "form %u of %u bytes, build %d inactive lane %u is marked", form, bytes, isa, i);
        EXPECT(!is_active || defined(rig, i, address, bytes) == !(is_bad && private),
               "form %u of %u bytes, build %d lane %u is marked wrong", form, bytes, isa, i);
        reported += is_active && is_bad && !private;
    }
    EXPECT(rig->fault_count == (reported > 0) &&
               (!reported || (rig->fault.kind == FAULT_UNINITIALISED_STORE && rig->fault.lanes == reported)),
           "form %u build %d: %u reports of %lu lanes", form, isa, rig->fault_count, rig->fault.lanes);
}

static void poison(int isa, uint32_t form, uint32_t bytes, bool partial, uint64_t *state)
{
    struct rig rig;
    prepare(&rig, form, bytes, partial, state);
    const uint32_t a = put_addresses(&rig, form, bytes, state);
    poison_loads(&rig, isa, form, bytes, a);
    poison_stores(&rig, isa, form, bytes, a, state);
    EXPECT(rows_are_true(&rig), "form %u of %u bytes, build %d: a row after a store", form, bytes, isa);
    poison_atomic(&rig, isa, form, bytes, a, state);
    EXPECT(rows_are_true(&rig), "form %u of %u bytes, build %d: a row after an atomic", form, bytes, isa);
}

START_TEST(uninitialised_bytes)
{
    uint64_t state = 27;
    EACH_BUILD
    for (uint32_t form = FORM_UNIFORM; form <= FORM_ANY; form++)
        for (uint32_t bytes = 1; bytes <= 8; bytes *= 2)
            for (int round = 0; round < 24; round++)
                poison(isa, form, bytes, round & 1, &state);
}
END_TEST

static void poison_open(int isa, uint32_t size_index, uint32_t form, uint64_t *state)
{
    static const uint32_t first[] = {OP_poison_open_v_8, OP_poison_open_u_8, OP_poison_open_uu_8};
    const uint32_t bytes = 1u << size_index, decides = rig_random(state) % 2 ? UINT32_MAX : 0,
                   lanes = form == 2 ? 1 : 41;
    const bool has_own = rig_random(state) % 2;
    const lane_mask some = rig_random_mask(state, 41),
                    own = has_own ? rig_random_mask(state, 41) : (lane_mask){{0}};
    struct rig rig;
    rig_init(&rig, 48, 41, 48);
    for (uint32_t i = 0; i < 41; i++)
        rig_put(&rig, SLOT_A, i, bytes, rig_random(state) % 3 ? (uint64_t)(int64_t)(int32_t)decides : i + 1);
    memcpy(rig.frame + SLOT_B, &some, sizeof some);
    memcpy(rig.frame + SLOT_C, &own, sizeof own);
    rig_run(&rig, isa, first[form] + size_index,
            (struct insn){.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .c = has_own ? SLOT_C : 0, .f = decides});
    for (uint32_t i = 0; i < lanes; i++) {
        const uint64_t ones = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1,
                       value = rig_get(&rig, SLOT_A, form ? 0 : i, bytes);
        const bool decided = value == (decides ? ones : 0),
                   want = lane_mask_test(&some, i) && (lane_mask_test(&own, i) || !decided);
        EXPECT((rig_get(&rig, SLOT_D, i / 64, form == 2 ? 1 : 8) >> i % 64 & 1) == want,
               "form %u of %u bytes, build %d lane %u: not %d", form, bytes, isa, i, want);
    }
}

START_TEST(operands_that_decide_hide_uninitialised_ones)
{
    uint64_t state = 28;
    EACH_BUILD
    for (uint32_t form = 0; form < 3; form++)
        for (uint32_t size_index = 0; size_index < 4; size_index++)
            for (int round = 0; round < 20; round++)
                poison_open(isa, size_index, form, &state);
}
END_TEST

START_TEST(uses_are_reported)
{
    EACH_BUILD
    {
        struct rig rig;
        rig_init(&rig, 80, 70, 80);
        const lane_mask mask = {{0x8000000000000001, 0x8}}, some = {{~1ull, 0xff}};
        rig_activate(&rig, &some);
        memcpy(rig.frame + SLOT_A, &mask, sizeof mask);
        rig_run(&rig, isa, OP_poison_check_v,
                (struct insn){.a = SLOT_A, .e = 2, .f = FAULT_UNINITIALISED_BRANCH});
        EXPECT(rig.fault_count == 1 && rig.fault.lanes == 2 && rig.fault.lane == 63 &&
                   rig.fault.kind == FAULT_UNINITIALISED_BRANCH && rig.fault.site == 2,
               "build %d", isa);
        rig.frame[CELL_A] = 0;
        rig_run(&rig, isa, OP_poison_check_u,
                (struct insn){.a = CELL_A, .e = 2, .f = FAULT_UNINITIALISED_ADDRESS});
        ck_assert_uint_eq(rig.fault_count, 1);
        rig.frame[CELL_A] = 1;
        rig_run(&rig, isa, OP_poison_check_u,
                (struct insn){.a = CELL_A, .e = 2, .f = FAULT_UNINITIALISED_ADDRESS});
        EXPECT(rig.fault_count == 2 && rig.fault.lanes == 69 && rig.fault.kind == FAULT_UNINITIALISED_ADDRESS,
               "build %d: %lu lanes", isa, rig.fault.lanes);
        EXPECT(lane_mask_test(&rig.wave.active, 63), "a use stopped a lane");
    }
}
END_TEST

/* Bytes of private memory that begin anew: of active lanes alone, and of no other byte. */
static void begin_anew(struct rig *rig, int isa, uint32_t lanes, uint64_t *state)
{
    static uint8_t undefined[PRIVATE_BYTES * 256], rows[PRIVATE_BYTES / 4];
    const uint32_t low = rig_random(state) % (PRIVATE_BYTES - 1),
                   bytes = 1 + rig_random(state) % (rig_random(state) % 2 ? 9 : PRIVATE_BYTES - low);
    const uint32_t high = low + bytes < PRIVATE_BYTES ? low + bytes : PRIVATE_BYTES;
    memset(undefined, 0, sizeof undefined);
    memset(rows, 1, sizeof rows);
    rig->wave.private_undefined = undefined;
    rig->wave.private_rows = rows;
    rig_run(rig, isa, OP_forget, (struct insn){.e = low, .f = high - low});
    for (uint32_t i = 0; i < lanes; i++)
        for (uint32_t at = 0; at < PRIVATE_BYTES; at++) {
            const bool anew = lane_mask_test(&rig->wave.active, i) && at >= low && at < high;
            EXPECT(*undefined_byte(rig, i, PRIVATE_BASE + at) == anew, "build %d: byte %u of lane %u, %u to %u", isa,
                   at, i, low, high);
        }
    EXPECT(rows_are_true(rig), "build %d: a row counts as written", isa);
}

START_TEST(variables_begin_anew)
{
    uint64_t state = 7;
    EACH_BUILD
    for (int round = 0; round < 60; round++) {
        struct rig rig;
        const lane_mask some = rig_random_mask(&state, 41);
        rig_init(&rig, 48, 41, 48);
        rig_activate(&rig, round % 3 ? &some : NULL);
        begin_anew(&rig, isa, 41, &state);
        rig_init(&rig, 256, 256, 256);
        rig_activate(&rig, NULL);
        begin_anew(&rig, isa, 256, &state);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec: uninitialised values");
    TCase *tests = tcase_create("uninitialised values");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, uninitialised_bytes);
    tcase_add_test(tests, operands_that_decide_hide_uninitialised_ones);
    tcase_add_test(tests, uses_are_reported);
    tcase_add_test(tests, variables_begin_anew);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
