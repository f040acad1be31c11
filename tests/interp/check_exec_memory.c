/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores, atomics, affine integers, printf and group functions against plain loops. */
#include "tests/support/exec_support.h"

static struct affine *cell(struct rig *rig, uint32_t offset, int64_t base, int64_t step_x, int64_t step_y)
{
    struct affine *a = (struct affine *)(void *)(rig->frame + offset);
    *a = (struct affine){.base = base,
                         .step_x = step_x,
                         .step_y = step_y,
                         .slot = offset == CELL_A   ? SLOT_A
                                 : offset == CELL_B ? SLOT_B
                                                    : SLOT_D};
    return a;
}

enum { REGION_END = 32768, FIELDS_MOST = 4 };

/* A load or store of a wave. Steps and low are bytes: lanes beyond the region when low is near its end. */
struct access_case {
    int isa;
    bool store;
    uint32_t log2; /* of the size of a component */
    char form;     /* of the address: 'u'niform, 'a'ffine, 'v'arying */
    uint32_t components;
    int64_t low, step_x, step_y; /* from the begin of the region */
    uint32_t row, lanes;         /* the last five lanes are not there */
    bool partial;                /* some lanes are inactive */
};

/* What has to come out: the lanes at fault, the region's bytes, and whether some lane accesses memory. */
struct access_outcome {
    lane_mask active, bad;
    uint32_t faults;
    bool accessed;
    uint8_t bytes[REGION_END];
};

static const uint32_t field_slots[FIELDS_MOST] = {SLOT_B, SLOT_C, SLOT_E, SLOT_F};

static int64_t offset_of(const struct access_case *of, const struct rig *rig, uint32_t lane)
{
    return of->form == 'u' ? 0 : of->step_x * rig->x[lane] + of->step_y * rig->y[lane];
}

/* The wave, with random bytes in the region and in what is stored. */
static void prepare(struct rig *rig, const struct access_case *of, uint64_t *state)
{
    const uint32_t size = 1u << of->log2, lanes = of->lanes - 5;
    rig_init(rig, of->lanes, lanes, of->row);
    rig->wave.observer = *state & 1 ? &rig->observer : NULL;
    const lane_mask some = rig_random_mask(state, lanes);
    rig_activate(rig, of->partial ? &some : NULL);
    uint8_t *memory = (uint8_t *)(uintptr_t)rig_base(rig, 1);
    for (int i = 0; i < REGION_END; i++)
        memory[i] = (uint8_t)rig_random(state);
    const uint64_t base = rig_base(rig, 1) + (uint64_t)of->low;
    cell(rig, CELL_A, (int64_t)base - 8, of->step_x, of->step_y);
    for (uint32_t i = 0; i < of->lanes; i++)
        memcpy(rig->frame + SLOT_A + 8 * i, &(uint64_t){base + (uint64_t)offset_of(of, rig, i) - 8}, 8);
    for (uint32_t c = 0; c < of->components; c++) {
        rig->operands[1 + c] = field_slots[c];
        for (uint32_t i = 0; of->store && i < of->lanes * size; i++)
            rig->frame[field_slots[c] + i] = (uint8_t)rig_random(state);
    }
    rig->sites[2] = (struct site){.access = of->store ? ACCESS_WRITE : ACCESS_READ,
                                  .size = size,
                                  .components = of->components,
                                  .align = size};
}

/* Lane by lane, in plain C. */
static void expect_outcome(const struct rig *rig, const struct access_case *of, struct access_outcome *out)
{
    const uint32_t size = 1u << of->log2;
    *out = (struct access_outcome){.active = rig->wave.active};
    memcpy(out->bytes, (const uint8_t *)(uintptr_t)rig_base(rig, 1), sizeof out->bytes);
    for (uint32_t i = 0; i < of->lanes - 5; i++) {
        const int64_t at = of->low + offset_of(of, rig, i);
        if (!lane_mask_test(&out->active, i))
            continue;
        if (at < 0 || at + of->components * size > REGION_END || at % size != 0) {
            out->faults++;
            out->bad.word[i / 64] |= 1ull << i % 64;
            continue;
        }
        out->accessed = true;
        for (uint32_t c = 0; of->store && c < of->components; c++)
            memcpy(out->bytes + at + c * size, rig->frame + field_slots[c] + i * size, size);
    }
}

static uint32_t operation_of(const struct access_case *of)
{
    switch (of->form) {
    case 'u': return (of->store ? OP_st_u_8 : OP_ld_u_8) + of->log2;
    case 'a': return (of->store ? OP_st_a_8 : OP_ld_a_8) + of->log2;
    default: return (of->store ? OP_st_v_8 : OP_ld_v_8) + of->log2;
    }
}

static void check_memory(const struct rig *rig, const struct access_case *of,
                         const struct access_outcome *want)
{
    const char *const name = op_names[operation_of(of)];
    const uint8_t *memory = (const uint8_t *)(uintptr_t)rig_base(rig, 1);
    EXPECT(rig->fault_count == (want->faults > 0) && rig->fault.lanes == want->faults,
           "%s build %d: %lu lanes at fault, not %u", name, of->isa, rig->fault.lanes, want->faults);
    for (int w = 0; w < 4; w++)
        EXPECT(rig->wave.active.word[w] == (want->active.word[w] & ~want->bad.word[w]),
               "other lanes stopped");
    EXPECT(!memcmp(memory, want->bytes, sizeof want->bytes), "%s build %d: memory differs", name, of->isa);
    for (int i = 1; i <= 1024; i++)
        EXPECT(memory[-i] == GUARD, "written below the region");
}

/* A lane at fault loads zero. */
static void check_loaded(const struct rig *rig, const struct access_case *of,
                         const struct access_outcome *want)
{
    const uint32_t size = 1u << of->log2;
    const uint64_t none = 0;
    for (uint32_t i = 0; i < (of->form == 'u' ? 1 : of->lanes - 5); i++)
        for (uint32_t c = 0; c < of->components && lane_mask_test(&want->active, i); c++) {
            const int64_t at = of->low + offset_of(of, rig, i);
            EXPECT(!memcmp(rig->frame + field_slots[c] + i * size,
                           lane_mask_test(&want->bad, i) ? (const void *)&none : want->bytes + at + c * size,
                           size),
                   "%s build %d lane %u component %u", op_names[operation_of(of)], of->isa, i, c);
        }
}

static void check_event(const struct rig *rig, const struct access_case *of,
                        const struct access_outcome *want)
{
    EXPECT(rig->access_count == (rig->wave.observer && want->accessed), "%u events", rig->access_count);
    if (!rig->access_count)
        return;
    EXPECT(rig->access.size_bytes == of->components << of->log2 && rig->access.kind == rig->sites[2].access &&
               rig->access.origin.site == 2,
           "event");
    const uint64_t base = rig_base(rig, 1) + (uint64_t)of->low;
    for (uint32_t i = 0; i < of->lanes - 5; i++)
        EXPECT(!lane_mask_test(&want->active, i) || lane_mask_test(&want->bad, i) ||
                   rig->access_address[i] == base + (uint64_t)offset_of(of, rig, i),
               "address announced for lane %u", i);
}

static void access(const struct access_case *of, uint64_t *state)
{
    struct rig rig;
    static struct access_outcome want;
    prepare(&rig, of, state);
    expect_outcome(&rig, of, &want);
    rig_run(&rig, of->isa, operation_of(of),
            (struct insn){.d = of->components == 1 ? SLOT_B : 1,
                          .a = of->form == 'v' ? SLOT_A : CELL_A,
                          .b = 8,
                          .e = 2,
                          .f = of->components});
    check_memory(&rig, of, &want);
    if (!of->store)
        check_loaded(&rig, of, &want);
    check_event(&rig, of, &want);
}

/* One form of address in all shapes of step: near the end of the region, misaligned, in rows of lanes. */
static void access_with_steps(struct access_case of, int s, uint64_t *state)
{
    static const int64_t steps[][3] = {{1, 16, 16}, {1, 32, 20},  {0, 16, 16}, {4, 7, 7},
                                       {0, 0, 256}, {-1, 16, 16}, {2, 40, 12}};
    const int64_t size = 1 << of.log2, low[] = {8192, REGION_END - 40 * size, 8192 + (s == 3)};
    of.lanes = s % 2 ? 48 : 256;
    of.partial = of.components & 1;
    of.step_x = steps[s][0] * size;
    of.step_y = steps[s][1] * size;
    of.row = (uint32_t)steps[s][2];
    for (int where = 0; where < 3; where++) {
        of.low = low[where];
        access(&of, state);
    }
    of.low = 8192;
    of.row = 256;
    of.step_y = 0;
    of.step_x = of.components * size;
    access(&of, state);
    of.partial = s & 1;
    of.step_x = 4 * size;
    access(&of, state);
    of.step_x = 2 * size;
    if (of.components <= 2)
        access(&of, state);
}

START_TEST(loads_and_stores)
{
    uint64_t state = 8;
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
        for (uint32_t log2 = 0; log2 < 4; log2++)
            for (int store = 0; store < 2; store++)
                for (const char *form = "uav"; *form; form++)
                    for (int s = 0; s < 7; s++)
                        for (uint32_t k = 1; k <= FIELDS_MOST; k++)
                            access_with_steps(
                                (struct access_case){
                                    .isa = isa, .store = store, .log2 = log2, .form = *form, .components = k},
                                s, &state);
}
END_TEST

START_TEST(denied_stores_stop_lanes)
{
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
        struct rig rig;
        rig_init(&rig, 16, 16, 16);
        rig.sites[0] = (struct site){.size = 4, .components = 1, .align = 4};
        rig.regions[2].flags |= REGION_FLAG_FREED;
        cell(&rig, CELL_A, (int64_t)rig_base(&rig, 2), 4, 0);
        ck_assert_ptr_null(rig_run(&rig, isa, OP_st_a_32, (struct insn){.d = SLOT_B, .a = CELL_A, .f = 1}));
        ck_assert_uint_eq(rig.fault.kind, FAULT_WRITE);
        ck_assert_uint_eq(rig.fault.lanes, 16);
        ck_assert_uint_eq(rig.wave.stop, RUN_DONE);
        rig_activate(&rig, NULL);
        ck_assert_ptr_nonnull(
            rig_run(&rig, isa, OP_ld_a_32, (struct insn){.d = SLOT_B, .a = CELL_A, .f = 1}));
        ck_assert_uint_eq(rig.fault_count, 1);
    }
}
END_TEST

START_TEST(denied_stores_to_live_memory_take_effect)
{
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
        struct rig rig;
        rig_init(&rig, 16, 16, 16);
        rig.sites[0] = (struct site){.size = 4, .components = 1, .align = 4};
        const uint64_t address = rig_base(&rig, 2);
        cell(&rig, CELL_A, (int64_t)address, 4, 0);
        for (uint32_t i = 0; i < 16; i++)
            memcpy(rig.frame + SLOT_B + 4 * i, &(uint32_t){i + 77}, 4);
        ck_assert_ptr_nonnull(
            rig_run(&rig, isa, OP_st_a_32, (struct insn){.d = SLOT_B, .a = CELL_A, .f = 1}));
        ck_assert_uint_eq(rig.fault_count, 1);
        ck_assert_uint_eq(rig.fault.kind, FAULT_WRITE);
        ck_assert(rig.fault.continues);
        ck_assert_mem_eq((void *)(uintptr_t)address, rig.frame + SLOT_B, 64);
    }
}
END_TEST

START_TEST(private_memory)
{
    uint64_t state = 9;
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
        for (uint32_t log2 = 0; log2 < 4; log2++)
            for (uint32_t offset = 0; offset < 24; offset += 1u << log2)
                for (int uniform = 0; uniform < 2; uniform++) {
                    struct rig rig;
                    const uint32_t size = 1u << log2;
                    rig_init(&rig, 48, 45, 48);
                    const lane_mask some = rig_random_mask(&state, 45);
                    rig_activate(&rig, &some);
                    rig.sites[0] = (struct site){.size = size, .components = 1, .align = size};
                    memcpy(rig.frame + CELL_A, &(uint64_t){PRIVATE_BASE + offset}, 8);
                    for (uint32_t i = 0; i < 48; i++) {
                        memcpy(rig.frame + SLOT_A + 8 * i, &(uint64_t){PRIVATE_BASE + offset + (i & 7) * 8},
                               8);
                        for (uint32_t b = 0; b < size; b++)
                            rig.frame[SLOT_B + i * size + b] = (uint8_t)rig_random(&state);
                    }
                    const struct insn insn = {.d = SLOT_B, .a = uniform ? CELL_A : SLOT_A, .f = 1};
                    rig_run(&rig, isa, (uniform ? OP_stp_u_8 : OP_stp_v_8) + log2, insn);
                    for (uint32_t i = 0; i < 48; i++)
                        for (uint32_t b = 0; b < size; b++) {
                            const uint32_t o = offset + (uniform ? 0 : (i & 7) * 8) + b;
                            EXPECT(rig.private_memory[(o / 4 * 256 + i) * 4 + o % 4] ==
                                       (i < 45 && lane_mask_test(&some, i) ? rig.frame[SLOT_B + i * size + b]
                                                                           : GUARD),
                                   "private byte %u of lane %u", o, i);
                        }
                    struct insn load = insn;
                    load.d = SLOT_D;
                    rig_run(&rig, isa, (uniform ? OP_ldp_u_8 : OP_ldp_v_8) + log2, load);
                    for (uint32_t i = 0; i < 45; i++)
                        EXPECT(!lane_mask_test(&some, i) || !memcmp(rig.frame + SLOT_D + i * size,
                                                                    rig.frame + SLOT_B + i * size, size),
                               "lane %u", i);
                    EXPECT(rig.fault_count == 0, "a fault");
                    rig.code.private_object_count = 1; /* the object is bytes 16..47 */
                    rig_run(&rig, isa, OP_ldp_u_8 + log2,
                            (struct insn){.d = SLOT_D, .a = CELL_A, .c = 1, .f = 1});
                    EXPECT(rig.fault_count == (offset < 16), "bounds of the object");
                    EXPECT(offset >= 16 || (rig.fault.private_space && rig.fault.private_object == 1),
                           "which object");
                }
}
END_TEST

START_TEST(atomics_in_lane_order)
{
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
        for (uint32_t how = 0; how <= ATOMIC_XOR; how++)
            for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
                struct rig rig;
                uint64_t state = 10;
                rig_init(&rig, 48, 47, 48);
                const lane_mask some = rig_random_mask(&state, 47);
                rig_activate(&rig, &some);
                rig.sites[0] = (struct site){.size = bytes, .components = 1, .align = bytes};
                uint64_t memory[2] = {5, 7};
                for (uint32_t i = 0; i < 48; i++) {
                    memcpy(rig.frame + SLOT_A + 8 * i, &(uint64_t){rig_base(&rig, 1) + (i & 1) * 8}, 8);
                    memcpy(rig.frame + SLOT_B + bytes * i, &(uint64_t){rig_random(&state)}, bytes);
                    memcpy(rig.frame + SLOT_C + bytes * i, &(uint64_t){i % 3 ? 5 : 7}, bytes);
                }
                memcpy((void *)(uintptr_t)rig_base(&rig, 1), memory, 16);
                rig_run(&rig, isa, bytes == 4 ? OP_atomic_32 : OP_atomic_64,
                        (struct insn){.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .c = SLOT_C, .f = how});
                for (uint32_t i = 0; i < 47; i++) {
                    uint64_t *m = &memory[i & 1], value = 0, other = 0, old = 0;
                    if (!lane_mask_test(&some, i))
                        continue;
                    memcpy(&value, rig.frame + SLOT_B + bytes * i, bytes);
                    memcpy(&other, rig.frame + SLOT_C + bytes * i, bytes);
                    memcpy(&old, rig.frame + SLOT_D + bytes * i, bytes);
                    EXPECT(old == *m || (how == ATOMIC_STORE), "%u: old value of lane %u: %#lx not %#lx", how,
                           i, old, *m);
                    const int64_t s = bytes == 4 ? (int32_t)value : (int64_t)value,
                                  t = bytes == 4 ? (int32_t)*m : (int64_t)*m;
                    const uint64_t results[] = {*m,
                                                value,
                                                value,
                                                *m == other ? value : *m,
                                                *m + value,
                                                *m - value,
                                                s < t ? value : *m,
                                                value < *m ? value : *m,
                                                s > t ? value : *m,
                                                value > *m ? value : *m,
                                                *m & value,
                                                *m | value,
                                                *m ^ value};
                    *m = bytes == 4 ? (uint32_t)results[how] : results[how];
                }
                EXPECT(!memcmp((void *)(uintptr_t)rig_base(&rig, 1), memory, bytes), "%u leaves other values",
                       how);
            }
}
END_TEST

/* Every third that would succeed. */
static bool refuse_third(void *self)
{
    return ++*(uint32_t *)self % 3 == 0;
}

START_TEST(weak_exchanges_fail_when_the_host_decides_so)
{
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
        for (uint32_t bytes = 4; bytes <= 8; bytes += 4)
            for (int set = 0; set < 4; set++) {
                struct rig rig;
                uint64_t state = 12, expected = 5, memory[2] = {5, 5};
                uint32_t queried = 0, wanted = 0, refused = 0;
                rig_init(&rig, 48, 47, 48);
                const lane_mask some = rig_random_mask(&state, 47);
                rig_activate(&rig, set % 2 ? &some : NULL);
                rig.host.refuses = refuse_third;
                rig.host.self = &queried;
                rig.wave.observer = set < 2 ? NULL : &rig.observer;
                rig.wave.refused.word[0] = UINT64_MAX; /* what another left */
                rig.sites[0] = (struct site){.size = bytes, .components = 1, .align = bytes};
                memcpy((void *)(uintptr_t)rig_base(&rig, 1), memory, 16);
                for (uint32_t i = 0; i < 48; i++) {
                    memcpy(rig.frame + SLOT_A + 8 * i, &(uint64_t){rig_base(&rig, 1) + (i & 1) * 8}, 8);
                    memcpy(rig.frame + SLOT_B + bytes * i, &(uint64_t){i % 5 ? 5 : 6}, bytes);
                    memcpy(rig.frame + SLOT_C + bytes * i, &expected, bytes);
                }
                rig_run(&rig, isa, bytes == 4 ? OP_atomic_weak_32 : OP_atomic_weak_64,
                        (struct insn){.d = SLOT_D,
                                      .a = SLOT_A,
                                      .b = SLOT_B,
                                      .c = SLOT_C,
                                      .f = ATOMIC_COMPARE_EXCHANGE_WEAK});
                rig_run(&rig, isa, OP_refused, (struct insn){.d = SLOT_E});
                const lane_mask *reported = (const lane_mask *)(const void *)(rig.frame + SLOT_E);
                for (uint32_t i = 0; i < 47; i++) {
                    uint64_t *m = &memory[i & 1], old = 0;
                    if (!lane_mask_test(&rig.wave.active, i)) {
                        EXPECT(lane_mask_test(reported, i), "lane %u is another's", i);
                        continue;
                    }
                    memcpy(&old, rig.frame + SLOT_D + bytes * i, bytes);
                    const bool fails = *m == expected && ++wanted % 3 == 0;
                    refused += fails;
                    EXPECT(old == *m, "old value of lane %u: %#lx not %#lx", i, old, *m);
                    EXPECT(lane_mask_test(reported, i) == fails, "lane %u fails spuriously: %d", i, !fails);
                    EXPECT(set < 2 || (rig.access_failed[i / 64] >> i % 64 & 1) == (fails || old != expected),
                           "failure announced for lane %u", i);
                    *m = old == expected && !fails ? (i % 5 ? 5 : 6) : old;
                }
                EXPECT(!memcmp((void *)(uintptr_t)rig_base(&rig, 1), memory, bytes), "other values are left");
                EXPECT(queried == wanted && rig.wave.refusals == refused && refused,
                       "%u were queried, %u would succeed", queried, wanted);
            }
}
END_TEST

/* Values from a small set: some competitors succeed, blocks of sixteen without one do not. */
START_TEST(one_address_in_lane_order)
{
    static const uint64_t sets[][2] = {{2, 2}, {3, 3}, {1, 40}, {40, 2}}; /* how many values, comparators */
    uint64_t state = 12;
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++)
        for (uint32_t how = 0; how <= ATOMIC_XOR; how++)
            for (uint32_t bytes = 4; bytes <= 8; bytes += 4)
                for (int set = 0; set < 8; set++) {
                    struct rig rig;
                    rig_init(&rig, 256, 251, 256);
                    const lane_mask some = rig_random_mask(&state, 251);
                    rig_activate(&rig, set % 4 ? &some : NULL);
                    rig.wave.observer = set < 4 ? NULL : &rig.observer;
                    rig.sites[0] = (struct site){.size = bytes, .components = 1, .align = bytes};
                    uint64_t memory = 1, values[256], others[256];
                    const uint64_t address = rig_base(&rig, 1);
                    memcpy((void *)(uintptr_t)address, &memory, 8);
                    memcpy(rig.frame + CELL_A, &address, 8);
                    for (uint32_t i = 0; i < 256; i++) {
                        values[i] = rig_random(&state) % sets[set % 4][0] + 1;
                        others[i] = rig_random(&state) % sets[set % 4][1] + 1;
                        memcpy(rig.frame + SLOT_B + bytes * i, &values[i], bytes);
                        memcpy(rig.frame + SLOT_C + bytes * i, &others[i], bytes);
                    }
                    const lane_mask active = rig.wave.active;
                    lane_mask failed = {{0}};
                    rig_run(&rig, isa, bytes == 4 ? OP_atomic_u_32 : OP_atomic_u_64,
                            (struct insn){.d = SLOT_D, .a = CELL_A, .b = SLOT_B, .c = SLOT_C, .f = how});
                    for (uint32_t i = 0; i < 251; i++) {
                        uint64_t old = 0;
                        if (!lane_mask_test(&active, i))
                            continue;
                        memcpy(&old, rig.frame + SLOT_D + bytes * i, bytes);
                        EXPECT(old == memory || how == ATOMIC_STORE,
                               "%u: old value of lane %u: %#lx not %#lx", how, i, old, memory);
                        const uint64_t v = values[i], m = memory;
                        if (how == ATOMIC_COMPARE_EXCHANGE && m != others[i])
                            failed.word[i / 64] |= UINT64_C(1) << i % 64;
                        const int64_t s = (int64_t)v, t = bytes == 4 ? (int32_t)m : (int64_t)m;
                        const uint64_t results[] = {m,
                                                    v,
                                                    v,
                                                    m == others[i] ? v : m,
                                                    m + v,
                                                    m - v,
                                                    s < t ? v : m,
                                                    v < m ? v : m,
                                                    s > t ? v : m,
                                                    v > m ? v : m,
                                                    m & v,
                                                    m | v,
                                                    m ^ v};
                        memory = bytes == 4 ? (uint32_t)results[how] : results[how];
                    }
                    EXPECT(!memcmp((void *)(uintptr_t)address, &memory, bytes), "%u leaves another value",
                           how);
                    EXPECT(rig.access_count == (set < 4 ? 0 : 1) &&
                               (set < 4 || !memcmp(rig.access_failed, &failed, sizeof failed)),
                           "%u: announced failures differ", how);
                }
}
END_TEST

START_TEST(affine_operations)
{
    uint64_t state = 11;
    for (int round = 0; round < 40; round++)
        for (uint32_t op = OP_a_add_32_aa; op <= OP_a_index_ua; op++) {
            struct rig rig;
            const char *name = op_names[op];
            const int isa = rig_has(round % 3) ? round % 3 : 0;
            const bool index = strstr(name, "index"), ext = strstr(name, "ext"),
                       trunc = strstr(name, "trunc"), in32 = strstr(name, "_32") && !trunc;
            const bool out32 = trunc || (in32 && !ext), ua = strstr(name, "_ua"), ub = strstr(name, "_au");
            rig_init(&rig, 48, 48, 20);
            uint64_t v[2][48];
            for (int o = 0; o < 2; o++) {
                const bool u = o ? ub : ua, general = rig_random(&state) % 4 == 0;
                const uint32_t at = o ? CELL_B : CELL_A, slot = o ? SLOT_B : SLOT_A;
                const uint64_t random = edge_or_random(&state, 32, false);
                const int64_t base = in32 ? (int32_t)random : (int64_t)random,
                              sx = (int32_t)rig_random(&state) >> 8,
                              sy = (int32_t)rig_random(&state) >> (rig_random(&state) & 24);
                if (u)
                    memcpy(rig.frame + at, &base, 8);
                else
                    cell(&rig, at, base, sx, sy)->general = general;
                for (uint32_t i = 0; i < 48; i++) {
                    v[o][i] = u         ? (uint64_t)base
                              : general ? rig_random(&state)
                                        : (uint64_t)base + (uint64_t)sx * rig.x[i] + (uint64_t)sy * rig.y[i];
                    if (in32)
                        v[o][i] = (uint64_t)(int64_t)(int32_t)v[o][i];
                    memcpy(rig.frame + slot + i * (in32 ? 4 : 8), &v[o][i], in32 ? 4 : 8);
                }
            }
            cell(&rig, CELL_D, 0, 0, 0);
            rig_run(&rig, isa, op,
                    (struct insn){.d = CELL_D, .a = CELL_A, .b = CELL_B, .e = 12, .f = (uint32_t)-5});
            rig_run(&rig, isa, out32 ? OP_a_to_v_32 : OP_a_to_v_64, (struct insn){.d = SLOT_E, .a = CELL_D});
            for (uint32_t i = 0; i < 48; i++) {
                const uint64_t a = v[0][i], b = v[1][i];
                uint64_t got = 0, want = index                  ? a + b * 12 - 5
                                         : strstr(name, "add")  ? a + b
                                         : strstr(name, "sub")  ? a - b
                                         : strstr(name, "mul")  ? a * b
                                         : strstr(name, "shl")  ? a << (b & (out32 ? 31 : 63))
                                         : strstr(name, "zext") ? (uint32_t)a
                                                                : a;
                memcpy(&got, rig.frame + SLOT_E + i * (out32 ? 4 : 8), out32 ? 4 : 8);
                EXPECT(got == (out32 ? (uint32_t)want : want),
                       "%s build %d lane %u: %#lx %#lx -> %#lx not %#lx", name, isa, i, a, b, got, want);
            }
        }
}
END_TEST

START_TEST(printf_converts)
{
    struct rig rig;
    rig_init(&rig, 16, 16, 16);
    rig_activate(&rig, &(lane_mask){{5}});
    char *text = (char *)(uintptr_t)rig_base(&rig, 1);
    strcpy(text, "%d|%5.2f|%s|%v2hlx|%c%%|%-4u|%q|%d\n");
    strcpy(text + 100, "word");
    memcpy(rig.frame + CELL_A, &(uint64_t){rig_base(&rig, 1)}, 8);
    const uint32_t list[] = {CELL_A,
                             4 << 8 | 1 << 16,
                             1 | 8 << 8 | 1 << 16,
                             2 | 8 << 8 | 1 << 16,
                             4 << 8 | 2 << 16,
                             4 << 8 | 1 << 16,
                             4 << 8 | 1 << 16,
                             SLOT_A,
                             SLOT_B,
                             SLOT_C,
                             SLOT_E,
                             SLOT_E + 64,
                             SLOT_F,
                             SLOT_A};
    memcpy(rig.operands, list, sizeof list);
    for (int i = 0; i < 16; i++) {
        ((int32_t *)(void *)(rig.frame + SLOT_A))[i] = -i;
        ((double *)(void *)(rig.frame + SLOT_B))[i] = 1.5 + i;
        ((uint64_t *)(void *)(rig.frame + SLOT_C))[i] = i ? rig_base(&rig, 1) + 100 : 0x1234;
        ((int32_t *)(void *)(rig.frame + SLOT_E))[i] = 0xabc;
        ((int32_t *)(void *)(rig.frame + SLOT_E + 64))[i] = -1;
        ((int32_t *)(void *)(rig.frame + SLOT_F))[i] = 'x';
    }
    rig_run(&rig, 0, OP_printf, (struct insn){.a = SLOT_D, .f = 6});
    ck_assert_int_eq(((const int32_t *)(const void *)(rig.frame + SLOT_D))[2], 0);
    ck_assert_uint_eq(rig.print_count, 2);
    ck_assert_str_eq(rig.printed, "0| 1.50|(not a string)|abc,ffffffff|x%|0   |%q|%d\n-2| "
                                  "3.50|word|abc,ffffffff|x%|4294967294|%q|%d\n");
}
END_TEST

START_TEST(group_functions)
{
    struct rig rig;
    rig_init(&rig, 48, 40, 40);
    rig.operands[0] = SLOT_D;
    rig.operands[1] = SLOT_A;
    rig.operands[2] = SLOT_B;
    rig.wave.origin.tile_size[0] = 40;
    rig.wave.wait = rig.insns;
    struct wave *waves[] = {&rig.wave};
    int32_t *a = (int32_t *)(void *)(rig.frame + SLOT_A), *d = (int32_t *)(void *)(rig.frame + SLOT_D);
    for (int i = 0; i < 48; i++) {
        a[i] = (i * 7) % 11 - 5;
        ((uint64_t *)(void *)(rig.frame + SLOT_B))[i] = 3;
    }
    for (uint32_t size = 0; size <= 16; size += 16)
        for (uint32_t op = 0; op <= COLLECTIVE_SCAN_MAX; op++)
            for (uint32_t exclusive = 0; exclusive <= (op >= COLLECTIVE_SCAN_ADD ? COLLECTIVE_EXCLUSIVE : 0);
                 exclusive += COLLECTIVE_EXCLUSIVE) {
                rig.insns[0].f = op | exclusive | 2u << 16 | 1u << 24;
                collective_perform(waves, 1, size);
                for (int i = 0; i < 40; i++) {
                    const int low = size ? i / 16 * 16 : 0, high = size && low + 16 < 40 ? low + 16 : 40;
                    const bool is_scan = op >= COLLECTIVE_SCAN_ADD,
                               add = op == COLLECTIVE_REDUCE_ADD || op == COLLECTIVE_SCAN_ADD;
                    const bool min = op == COLLECTIVE_REDUCE_MIN || op == COLLECTIVE_SCAN_MIN;
                    int want = add ? 0 : min ? INT32_MAX : INT32_MIN, all = 1, any = 0;
                    for (int j = low; j < (is_scan ? i + !exclusive : high); j++)
                        want = add           ? want + a[j]
                               : min         ? (a[j] < want ? a[j] : want)
                               : a[j] > want ? a[j]
                                             : want;
                    for (int j = low; j < high; j++)
                        all &= a[j] != 0, any |= a[j] != 0;
                    if (op <= COLLECTIVE_BROADCAST)
                        want = op == COLLECTIVE_ALL ? all : op == COLLECTIVE_ANY ? any : a[low + 3];
                    EXPECT(d[i] == want, "operation %u of %u lanes, lane %d: %d not %d", op | exclusive, size,
                           i, d[i], want);
                }
            }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec_memory");
    TCase *tests = tcase_create("core");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, loads_and_stores);
    tcase_add_test(tests, denied_stores_stop_lanes);
    tcase_add_test(tests, denied_stores_to_live_memory_take_effect);
    tcase_add_test(tests, private_memory);
    tcase_add_test(tests, atomics_in_lane_order);
    tcase_add_test(tests, weak_exchanges_fail_when_the_host_decides_so);
    tcase_add_test(tests, one_address_in_lane_order);
    tcase_add_test(tests, affine_operations);
    tcase_add_test(tests, printf_converts);
    tcase_add_test(tests, group_functions);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
