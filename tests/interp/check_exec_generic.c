/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of any storage, copies, uniform atomics, fences, the memory port, group functions over
 * several waves: each in every build, against plain loops. */
#include <math.h>

#include "sim/interp/math.h"
#include "tests/support/exec_support.h"

static uint8_t *private_byte(struct rig *rig, uint32_t lane, uint64_t offset)
{
    return rig->private_memory + (offset / 4 * 256 + lane) * 4 + offset % 4;
}

/* The bytes an address of a lane stands for, in order; NULL past what may be touched. */
static uint8_t *byte_at(struct rig *rig, uint32_t lane, uint64_t address)
{
    if (address - PRIVATE_BASE < PRIVATE_BYTES)
        return private_byte(rig, lane, address - PRIVATE_BASE);
    for (uint32_t r = 1; r < ARENA_REGIONS; r++)
        if (address >= rig->regions[r].low && address < rig->regions[r].high)
            return (uint8_t *)(uintptr_t)address;
    return NULL;
}

/* A denied access is reported, and done all the same. */
static bool is_denied(const struct rig *rig, uint64_t address)
{
    return address >= rig->regions[2].low && address < rig->regions[2].high;
}

static bool fits(struct rig *rig, uint32_t lane, uint64_t address, uint32_t bytes, uint32_t align)
{
    for (uint32_t i = 0; i < bytes; i++)
        if (!byte_at(rig, lane, address + i))
            return false;
    return address % align == 0;
}

/* Flat, private, denied, torn and wild addresses side by side. */
static uint64_t some_address(struct rig *rig, uint64_t *state, uint32_t size, bool wild)
{
    const uint64_t pick = rig_random(state), at = (pick >> 8) % 32 * size;
    switch (pick % (wild ? 9 : 4)) {
    case 0:
    case 1: return rig_base(rig, 1) + at;
    case 2:
    case 3: return PRIVATE_BASE + at % (PRIVATE_BYTES - 64) / size * size;
    case 4: return PRIVATE_BASE + PRIVATE_BYTES - (pick >> 8) % 3;
    case 5: return rig->regions[1].high - 1;
    case 6: return rig_base(rig, 2) + at;
    case 7: return rig_base(rig, 1) + at + 1;
    default: return pick;
    }
}

static void generic(int isa, bool store, uint32_t log2, uint32_t k, bool wild, uint64_t *state)
{
    struct rig rig;
    const uint32_t size = 1u << log2, slots[2] = {SLOT_B, SLOT_C};
    rig_init(&rig, 64, 61, 16);
    const lane_mask some = rig_random_mask(state, 61);
    rig_activate(&rig, &some);
    rig.sites[1] = (struct site){.access = store ? ACCESS_WRITE : ACCESS_READ,
                                 .storage = STORAGE_GENERIC,
                                 .size = size,
                                 .components = k,
                                 .align = size};
    rig.operands[3] = slots[0], rig.operands[4] = slots[1];
    uint64_t address[64];
    for (uint32_t i = 0; i < 64; i++) {
        address[i] = some_address(&rig, state, size, wild);
        rig_put(&rig, SLOT_A, i, 8, address[i] - 16);
        for (uint32_t c = 0; c < k; c++)
            rig_put(&rig, slots[c], i, size, rig_random(state));
    }
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t b = 0; b < PRIVATE_BYTES; b++)
            *private_byte(&rig, i, b) = (uint8_t)rig_random(state);
    for (uint32_t b = 0; b < 512; b++)
        ((uint8_t *)(uintptr_t)rig_base(&rig, 1))[b] = (uint8_t)rig_random(state);
    uint64_t want[2][64], faults = 0;
    lane_mask good = {{0}};
    for (uint32_t i = 0; i < 61; i++) {
        if (!lane_mask_test(&some, i))
            continue;
        if (!fits(&rig, i, address[i], size * k, size)) {
            faults++;
            continue;
        }
        faults += store && is_denied(&rig, address[i]);
        good.word[i / 64] |= 1ull << i % 64;
        for (uint32_t c = 0; c < k; c++) {
            want[c][i] = 0;
            for (uint32_t b = 0; b < size; b++)
                ((uint8_t *)&want[c][i])[b] = *byte_at(&rig, i, address[i] + c * size + b);
        }
    }
    uint64_t stored[2][64];
    for (uint32_t i = 0; i < 64; i++)
        for (uint32_t c = 0; c < k; c++)
            stored[c][i] = rig_get(&rig, slots[c], i, size);
    const uint32_t op = (store ? OP_stg_v_8 : OP_ldg_v_8) + log2;
    rig_run(&rig, isa, op, (struct insn){.d = k == 1 ? SLOT_B : 3, .a = SLOT_A, .b = 16, .e = 1, .f = k});
    EXPECT(rig.fault_count >= (faults > 0) && rig.fault_count <= 2 && (faults || !rig.fault_count),
           "%s build %d: %u reports of %lu", op_names[op], isa, rig.fault_count, faults);
    EXPECT(rig.wave.active.word[0] == good.word[0], "%s build %d: other lanes stopped", op_names[op], isa);
    for (uint32_t i = 0; i < 61; i++) {
        if (!lane_mask_test(&good, i))
            continue;
        for (uint32_t c = 0; c < k && !store; c++)
            EXPECT(rig_get(&rig, slots[c], i, size) == want[c][i], "%s build %d lane %u component %u",
                   op_names[op], isa, i, c);
        bool last = store; /* a later lane may have written the same bytes */
        for (uint32_t j = i + 1; j < 61 && address[i] - PRIVATE_BASE >= PRIVATE_BYTES; j++)
            last &= !lane_mask_test(&good, j) || address[j] + size * k <= address[i] ||
                    address[j] >= address[i] + size * k;
        for (uint32_t b = 0; last && b < size * k; b++)
            EXPECT(*byte_at(&rig, i, address[i] + b) == (uint8_t)(stored[b / size][i] >> b % size * 8),
                   "%s build %d lane %u byte %u", op_names[op], isa, i, b);
    }
}

START_TEST(generic_loads_and_stores)
{
    uint64_t state = 21;
    EACH_BUILD
    for (uint32_t round = 0; round < 24; round++)
        for (uint32_t log2 = 0; log2 < 4; log2++)
            generic(isa, round & 1, log2, 1 + round / 2 % 2, round % 3 == 0, &state);
}
END_TEST

START_TEST(copies_between_storages)
{
    uint64_t state = 22;
    EACH_BUILD
    for (int round = 0; round < 30; round++) {
        struct rig rig;
        rig_init(&rig, 16, 15, 16);
        const lane_mask some = rig_random_mask(&state, 15);
        rig_activate(&rig, &some);
        rig.sites[1] = (struct site){
            .access = ACCESS_READ, .storage = STORAGE_GENERIC, .size = 1, .components = 1, .align = 1};
        rig.sites[2] = (struct site){
            .access = ACCESS_WRITE, .storage = STORAGE_GENERIC, .size = 1, .components = 1, .align = 1};
        uint64_t from[16], to[16], bytes[16];
        for (uint32_t i = 0; i < 16; i++) {
            from[i] = i & 1 ? PRIVATE_BASE + 16 : rig_base(&rig, 2) + i * 64;
            to[i] = i & 2 ? PRIVATE_BASE + 128 : rig_base(&rig, 1) + i * 64;
            bytes[i] = i == 5 ? UINT64_MAX : i == 7 ? 4096 : rig_random(&state) % 60;
            rig_put(&rig, SLOT_A, i, 8, from[i]), rig_put(&rig, SLOT_D, i, 8, to[i]),
                rig_put(&rig, SLOT_C, i, 8, bytes[i]);
            for (uint32_t b = 0; b < 64; b++) {
                *byte_at(&rig, i, PRIVATE_BASE + 16 + b) = (uint8_t)rig_random(&state);
                *byte_at(&rig, i, rig_base(&rig, 2) + i * 64 + b) = (uint8_t)rig_random(&state);
                *byte_at(&rig, i, to[i] + b) = GUARD;
            }
        }
        rig_run(&rig, isa, OP_copy_v, (struct insn){.d = SLOT_D, .a = SLOT_A, .c = SLOT_C, .e = 1, .f = 2});
        for (uint32_t i = 0; i < 15; i++) {
            const bool bad = bytes[i] > 64, did = lane_mask_test(&some, i) && !bad;
            EXPECT(lane_mask_test(&rig.wave.active, i) == did, "build %d lane %u", isa, i);
            for (uint32_t b = 0; b < 64; b++)
                EXPECT(*byte_at(&rig, i, to[i] + b) ==
                           (did && b < bytes[i] ? *byte_at(&rig, i, from[i] + b) : GUARD),
                       "build %d lane %u byte %u", isa, i, b);
        }
    }
}
END_TEST

/* mode 0 plain, 1 strided on the target, 2 on the source. */
static void async(int isa, uint32_t mode, uint32_t bytes, uint64_t count, uint64_t stride, bool fails)
{
    struct rig rig;
    rig_init(&rig, 16, 16, 16);
    rig.sites[1] = (struct site){.access = ACCESS_WRITE, .size = bytes, .components = 1, .align = 1};
    const uint64_t values[] = {rig_base(&rig, 1), rig_base(&rig, 3), count, stride, 0};
    rig.operands[8] = SLOT_D;
    for (uint32_t i = 0; i < 5; i++) {
        rig.operands[9 + i] = 512 + 8 * i;
        memcpy(rig.frame + 512 + 8 * i, &values[i], 8);
    }
    uint8_t *to = (uint8_t *)(uintptr_t)values[0], *from = (uint8_t *)(uintptr_t)values[1], want[4096];
    for (uint32_t i = 0; i < 4096; i++)
        from[i] = (uint8_t)(i * 7 + 1), to[i] = want[i] = GUARD;
    for (uint64_t i = 0; i < count && !fails; i++)
        memcpy(want + i * bytes * (mode == 1 ? stride : 1), from + i * bytes * (mode == 2 ? stride : 1),
               bytes);
    const struct insn insn = {.d = 8, .e = 1, .f = bytes | (mode ? 1u << (15 + mode) : 0)};
    rig.wave.origin.first_lane = 16; /* another wave of the group does nothing */
    rig_run(&rig, isa, OP_async_copy, insn);
    EXPECT(to[0] == GUARD && rig.fault_count == 0, "copied by the second wave");
    EXPECT(rig_get(&rig, SLOT_D, 0, 8) == 1 && rig_get(&rig, SLOT_D, 15, 8) == 1 &&
               rig.wave.unwaited_count == 0,
           "an event for every lane");
    rig.wave.origin.first_lane = 0;
    rig_run(&rig, isa, OP_async_copy, insn);
    EXPECT((rig.fault_count > 0) == fails, "build %d mode %u of %lu: %u faults", isa, mode, count,
           rig.fault_count);
    EXPECT(fails || !memcmp(to, want, sizeof want), "build %d mode %u: %u bytes, %lu of them, stride %lu",
           isa, mode, bytes, count, stride);
    EXPECT(to[-1] == GUARD, "written before the target");
    EXPECT(rig_get(&rig, SLOT_D, 0, 8) == 2 && rig.wave.unwaited_count == 1 &&
               rig.wave.unwaited[0].event == 2,
           "a new event");
    if (fails) /* and its lane is gone */
        return;
    memcpy(rig.frame + 512 + 8 * 4, &(uint64_t){1}, 8);
    rig_run(&rig, isa, OP_async_copy, insn);
    EXPECT(rig_get(&rig, SLOT_D, 0, 8) == 1 && rig.wave.copies == 2, "a copy that joins an event");
}

START_TEST(asynchronous_copies)
{
    EACH_BUILD
    for (uint32_t bytes = 1; bytes <= 64; bytes *= 4) {
        for (uint32_t mode = 0; mode < 3; mode++) {
            async(isa, mode, bytes, 9, mode ? 3 : 1, false);
            async(isa, mode, bytes, 0, mode ? 3 : 1, false);
            async(isa, mode, bytes, UINT64_MAX / bytes + (bytes > 1), mode ? 2 : 1, true);
            async(isa, mode, bytes, 1ull << 62, mode ? 5 : 1, true);
        }
        async(isa, 1, bytes, 5, UINT64_MAX / 2 + 3, true);
        async(isa, 2, bytes, 5, 1ull << 40, true);
    }
}
END_TEST

static uint64_t updated(uint32_t how, uint64_t m, uint64_t value, uint64_t other, uint32_t bytes)
{
    const int64_t s = bytes == 4 ? (int32_t)value : (int64_t)value, t = bytes == 4 ? (int32_t)m : (int64_t)m;
    const uint64_t results[] = {m,
                                value,
                                value,
                                m == other ? value : m,
                                m + value,
                                m - value,
                                s < t ? value : m,
                                value < m ? value : m,
                                s > t ? value : m,
                                value > m ? value : m,
                                m & value,
                                m | value,
                                m ^ value};
    return bytes == 4 ? (uint32_t)results[how] : results[how];
}

START_TEST(uniform_atomics)
{
    uint64_t state = 23;
    EACH_BUILD
    for (uint32_t how = 0; how <= ATOMIC_XOR; how++)
        for (uint32_t round = 0; round < 8; round++) {
            struct rig rig;
            const uint32_t bytes = round & 1 ? 8 : 4;
            rig_init(&rig, 144, 131, 12);
            const lane_mask some = rig_random_mask(&state, 131);
            rig_activate(&rig, round & 2 ? &some : NULL);
            const lane_mask active = rig.wave.active;
            rig.sites[1] =
                (struct site){.access = ACCESS_ATOMIC_UPDATE, .size = bytes, .components = 1, .align = bytes};
            uint64_t m = 5, at = rig_base(&rig, 1);
            memcpy((void *)(uintptr_t)at, &m, bytes);
            memcpy(rig.frame + CELL_A, &at, 8);
            for (uint32_t i = 0; i < 144; i++) {
                rig_put(&rig, SLOT_B, i, bytes, round & 4 ? i % 3 + 4 : rig_random(&state));
                rig_put(&rig, SLOT_C, i, bytes, 4 + i % 4);
            }
            rig_run(&rig, isa, bytes == 4 ? OP_atomic_u_32 : OP_atomic_u_64,
                    (struct insn){.d = SLOT_D, .a = CELL_A, .b = SLOT_B, .c = SLOT_C, .e = 1, .f = how});
            for (uint32_t i = 0; i < 131; i++) {
                if (!lane_mask_test(&active, i))
                    continue;
                EXPECT(how == ATOMIC_STORE || rig_get(&rig, SLOT_D, i, bytes) == m,
                       "operation %u build %d lane %u: %#lx not %#lx", how, isa, i,
                       rig_get(&rig, SLOT_D, i, bytes), m);
                m = updated(how, m, rig_get(&rig, SLOT_B, i, bytes), rig_get(&rig, SLOT_C, i, bytes), bytes);
            }
            EXPECT(!memcmp((void *)(uintptr_t)at, &m, bytes), "operation %u build %d leaves another value",
                   how, isa);
            rig_activate(&rig, NULL);
            memcpy(rig.frame + CELL_A, &(uint64_t){at + 1}, 8); /* torn: every lane stops */
            rig_run(&rig, isa, bytes == 4 ? OP_atomic_u_32 : OP_atomic_u_64,
                    (struct insn){.d = SLOT_D, .a = CELL_A, .b = SLOT_B, .c = SLOT_C, .e = 1, .f = how});
            EXPECT(rig.fault_count == 1 && rig.fault.lanes == 131 && !rig.wave.live.word[0],
                   "operation %u build %d does not mind", how, isa);
        }
}
END_TEST

START_TEST(fences_are_reported)
{
    EACH_BUILD
    {
        struct rig rig;
        rig_init(&rig, 16, 16, 16);
        rig_run(&rig, isa, OP_fence, (struct insn){.e = 1});
        ck_assert_uint_eq(rig.sync_count, 0);
        rig.wave.observer = &rig.observer;
        rig_run(&rig, isa, OP_fence, (struct insn){.e = 1});
        ck_assert_uint_eq(rig.sync_count, 1);
    }
}
END_TEST

static uint64_t one_time(void *self, const struct wave *wave)
{
    (void)self, (void)wave;
    return 0x123456789a;
}

START_TEST(spaces_and_indices)
{
    uint64_t state = 24;
    EACH_BUILD
    {
        struct rig rig;
        rig_init(&rig, 32, 32, 8);
        rig.regions[3].kind = REGION_LOCAL_VARIABLE;
        const uint64_t at[3] = {PRIVATE_BASE + 8, rig_base(&rig, 3) + 4, rig_base(&rig, 1)};
        for (uint32_t i = 0; i < 32; i++)
            rig_put(&rig, SLOT_A, i, 8, at[i % 3]);
        rig.host.clock = one_time;
        rig_run(&rig, isa, OP_clock, (struct insn){.d = SLOT_D});
        for (uint32_t i = 0; i < 32; i++)
            EXPECT(rig_get(&rig, SLOT_D, i, 8) == 0x123456789a, "clock of lane %u", i);
        rig_run(&rig, isa, OP_space_v, (struct insn){.d = SLOT_D, .a = SLOT_A});
        for (uint32_t i = 0; i < 32; i++)
            EXPECT(rig_get(&rig, SLOT_D, i, 4) == i % 3, "space of lane %u", i);
        for (int round = 0; round < 20; round++) {
            const uint32_t e = (uint32_t)rig_random(&state), f = (uint32_t)rig_random(&state);
            const uint64_t u = rig_random(&state), w = rig_random(&state);
            for (uint32_t i = 0; i < 32; i++)
                rig_put(&rig, SLOT_A, i, 8, rig_random(&state)),
                    rig_put(&rig, SLOT_B, i, 8, rig_random(&state));
            memcpy(rig.frame + CELL_A, &u, 8), memcpy(rig.frame + CELL_B, &w, 8);
            rig_run(&rig, isa, OP_u_index,
                    (struct insn){.d = CELL_D, .a = CELL_A, .b = CELL_B, .e = e, .f = f});
            EXPECT(rig_get(&rig, CELL_D, 0, 8) ==
                           u + w * (uint64_t)(int64_t)(int32_t)e + (uint64_t)(int64_t)(int32_t)f ||
                       rig_get(&rig, CELL_D, 0, 8) == u + w * e + (uint64_t)(int64_t)(int32_t)f,
                   "u_index of build %d", isa);
            rig_run(&rig, isa, OP_v_index,
                    (struct insn){.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .e = 24, .f = f});
            rig_run(&rig, isa, OP_v_index_uv,
                    (struct insn){.d = SLOT_E, .a = CELL_A, .b = SLOT_B, .e = 24, .f = f});
            for (uint32_t i = 0; i < 32; i++) {
                const uint64_t b = rig_get(&rig, SLOT_B, i, 8) * 24 + (uint64_t)(int64_t)(int32_t)f;
                EXPECT(rig_get(&rig, SLOT_D, i, 8) == rig_get(&rig, SLOT_A, i, 8) + b,
                       "v_index of build %d lane %u", isa, i);
                EXPECT(rig_get(&rig, SLOT_E, i, 8) == u + b, "v_index_uv of build %d lane %u", isa, i);
            }
        }
    }
}
END_TEST

static struct affine *affine_cell(struct rig *rig, uint32_t offset, uint32_t slot)
{
    struct affine *a = (struct affine *)(void *)(rig->frame + offset);
    *a = (struct affine){.base = 100, .step_x = 3, .step_y = -7, .slot = slot};
    return a;
}

START_TEST(affine_moves)
{
    EACH_BUILD
    for (uint32_t general = 0; general < 2; general++) {
        struct rig rig;
        rig_init(&rig, 32, 32, 8);
        affine_cell(&rig, CELL_A, SLOT_A)->general = general;
        affine_cell(&rig, CELL_D, SLOT_D)->base = 9;
        for (uint32_t i = 0; i < 32; i++)
            rig_put(&rig, SLOT_A, i, 8, i * i);
        rig_run(&rig, isa, OP_a_mov, (struct insn){.d = CELL_D, .a = CELL_A});
        for (uint32_t i = 0; i < 32; i++)
            rig_put(&rig, SLOT_A, i, 8, 77); /* the copy is its own */
        rig_run(&rig, isa, OP_a_to_v_64, (struct insn){.d = SLOT_E, .a = CELL_D});
        for (uint32_t i = 0; i < 32; i++)
            EXPECT((int64_t)rig_get(&rig, SLOT_E, i, 8) ==
                       (general ? (int64_t)i * i : 100 + 3 * rig.x[i] - 7 * rig.y[i]),
                   "a_mov of build %d lane %u", isa, i);
        memcpy(rig.frame + CELL_B, &(uint64_t){0x9234567887654321}, 8);
        rig_run(&rig, isa, OP_a_from_u_64, (struct insn){.d = CELL_D, .a = CELL_B});
        rig_run(&rig, isa, OP_a_to_v_64, (struct insn){.d = SLOT_E, .a = CELL_D});
        EXPECT(rig_get(&rig, SLOT_E, 31, 8) == 0x9234567887654321, "a_from_u_64 of build %d", isa);
        rig_run(&rig, isa, OP_a_from_u_32, (struct insn){.d = CELL_D, .a = CELL_B});
        rig_run(&rig, isa, OP_a_to_v_32, (struct insn){.d = SLOT_E, .a = CELL_D});
        EXPECT(rig_get(&rig, SLOT_E, 31, 4) == 0x87654321, "a_from_u_32 of build %d", isa);
    }
}
END_TEST

/* ---- the memory port ---------------------------------------------------------------------- */

struct port {
    uint32_t loads, stores, updates;
    uint64_t last[256];
};

static void port_load(void *self, const struct access_event *event, void *out_values)
{
    uint32_t *out = out_values;
    ((struct port *)self)->loads++;
    for (uint32_t i = 0; i < event->lane_count; i++)
        out[i] = 1000 + i;
}

static void port_store(void *self, const struct access_event *event, const void *values)
{
    struct port *port = self;
    port->stores++;
    for (uint32_t i = 0; i < event->lane_count; i++)
        port->last[i] = ((const uint32_t *)values)[i];
}

static void port_update(void *self, const struct access_event *event, uint32_t operation,
                        const void *operands, const void *comparators, void *out_old)
{
    struct port *port = self;
    (void)comparators;
    port->updates++;
    for (uint32_t i = 0; i < event->lane_count; i++) {
        port->last[i] = ((const uint32_t *)operands)[i] + operation;
        ((uint32_t *)out_old)[i] = 2000 + i;
    }
}

START_TEST(the_port_decides_values)
{
    EACH_BUILD
    {
        struct rig rig;
        struct port port = {0};
        rig_init(&rig, 32, 32, 32);
        rig.memory.port = (struct memory_port){
            .self = &port, .load = port_load, .store = port_store, .update = port_update};
        rig.sites[1] = (struct site){.access = ACCESS_READ, .size = 4, .components = 1, .align = 4};
        rig.sites[2] = (struct site){.access = ACCESS_WRITE, .size = 4, .components = 1, .align = 4};
        rig.sites[3] = (struct site){.access = ACCESS_ATOMIC_UPDATE, .size = 4, .components = 1, .align = 4};
        for (uint32_t i = 0; i < 32; i++) {
            rig_put(&rig, SLOT_A, i, 8, rig_base(&rig, 1) + 4 * i);
            rig_put(&rig, SLOT_B, i, 4, 50 + i);
        }
        rig_run(&rig, isa, OP_ld_v_32, (struct insn){.d = SLOT_D, .a = SLOT_A, .e = 1, .f = 1});
        rig_run(&rig, isa, OP_st_v_32, (struct insn){.d = SLOT_B, .a = SLOT_A, .e = 2, .f = 1});
        ck_assert_uint_eq(port.loads, 1);
        ck_assert_uint_eq(port.stores, 1);
        for (uint32_t i = 0; i < 32; i++) {
            EXPECT(rig_get(&rig, SLOT_D, i, 4) == 1000 + i, "loaded lane %u", i);
            EXPECT(port.last[i] == 50 + i, "stored lane %u", i);
        }
        EXPECT(*(uint8_t *)(uintptr_t)rig_base(&rig, 1) == 0 ||
                   *(uint8_t *)(uintptr_t)rig_base(&rig, 1) != 50,
               "the bytes are the port's affair");
        rig_run(&rig, isa, OP_atomic_32,
                (struct insn){.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .c = SLOT_C, .e = 3, .f = ATOMIC_ADD});
        ck_assert_uint_eq(port.updates, 1);
        for (uint32_t i = 0; i < 32; i++)
            EXPECT(rig_get(&rig, SLOT_D, i, 4) == 2000 + i && port.last[i] == 50 + i + ATOMIC_ADD,
                   "updated lane %u", i);
        rig_put(&rig, SLOT_A, 3, 8, 12); /* faults do not reach the port */
        rig_run(&rig, isa, OP_ld_v_32, (struct insn){.d = SLOT_D, .a = SLOT_A, .e = 1, .f = 1});
        ck_assert_uint_eq(rig.fault_count, 1);
        EXPECT(!lane_mask_test(&rig.wave.active, 3) && lane_mask_test(&rig.wave.active, 4),
               "lane 3 alone stops");
    }
}
END_TEST

/* ---- group functions over several waves ----------------------------------------------------- */

enum { WAVES = 3, PER_WAVE = 21, MEMBERS = WAVES * PER_WAVE };

static double real(enum math_type type, uint64_t bits)
{
    float f;
    double d;
    if (type == MATH_F32) {
        memcpy(&f, &bits, 4);
        return (double)f;
    }
    memcpy(&d, &bits, 8);
    return d;
}

static uint64_t bits_of(enum math_type type, double value)
{
    uint64_t bits = 0;
    float f = (float)value;
    memcpy(&bits, type == MATH_F32 ? (void *)&f : (void *)&value, type == MATH_F32 ? 4 : 8);
    return bits;
}

static uint64_t combine(enum math_type type, uint32_t size, uint32_t step, bool is_unsigned, uint64_t a,
                        uint64_t b)
{
    if (type == MATH_F32 || type == MATH_F64) {
        const double x = real(type, a), y = real(type, b);
        return bits_of(type, step == 0   ? (type == MATH_F32 ? (double)((float)x + (float)y) : x + y)
                             : step == 1 ? fmin(x, y)
                                         : fmax(x, y));
    }
    const uint32_t shift = 64 - 8 * size;
    const int64_t x = (int64_t)(a << shift) >> shift, y = (int64_t)(b << shift) >> shift;
    const bool less = is_unsigned ? a < b : x < y;
    return (step == 0 ? a + b : (step == 1) == less ? a : b) << shift >> shift;
}

static uint64_t neutral(enum math_type type, uint32_t size, uint32_t step, bool is_unsigned)
{
    const uint64_t all = ~0ull >> (64 - 8 * size);
    if (step == 0)
        return 0;
    if (type == MATH_F32 || type == MATH_F64)
        return bits_of(type, step == 1 ? HUGE_VAL : -HUGE_VAL);
    return is_unsigned ? (step == 1 ? all : 0) : step == 1 ? all >> 1 : all ^ all >> 1;
}

START_TEST(group_functions_of_several_waves)
{
    static const uint32_t sizes[MATH_TYPES] = {1, 2, 4, 8, 2, 4, 8};
    static uint8_t frames[WAVES][FRAME_BYTES] __attribute__((aligned(64)));
    uint64_t state = 25;
    for (enum math_type type = MATH_I8; type < MATH_TYPES; type++)
        for (uint32_t what = COLLECTIVE_BROADCAST; what <= COLLECTIVE_SCAN_MAX; what++)
            for (uint32_t variant = 0; variant < 8; variant++) {
                struct rig rig;
                const uint32_t size = sizes[type], width = variant & 1 ? 8 : 0,
                               reduction = what >= COLLECTIVE_REDUCE_ADD,
                               step = reduction ? (what - COLLECTIVE_REDUCE_ADD) % 3 : 0;
                const bool is_unsigned = variant & 2 && type <= MATH_I64,
                           exclusive = variant & 4 && what >= COLLECTIVE_SCAN_ADD;
                if (type == MATH_F16 && reduction)
                    continue; /* halves have no independent reference here */
                rig_init(&rig, 32, PER_WAVE, PER_WAVE);
                rig.operands[0] = SLOT_D, rig.operands[1] = SLOT_A, rig.operands[2] = SLOT_B;
                struct insn insn = {.d = 0,
                                    .f = what | (is_unsigned ? COLLECTIVE_UNSIGNED : 0u) |
                                         (exclusive ? COLLECTIVE_EXCLUSIVE : 0u) |
                                         (width ? SCOPE_SUB_GROUP : SCOPE_WORK_GROUP) << 8 |
                                         (uint32_t)type << 16 | 1u << 24};
                struct wave waves[WAVES], *list[WAVES];
                uint64_t value[MEMBERS];
                for (uint32_t w = 0; w < WAVES; w++) {
                    waves[w] = rig.wave;
                    waves[w].frame = frames[w];
                    waves[w].wait = &insn;
                    waves[w].origin.first_lane = w * PER_WAVE;
                    waves[w].origin.tile_size[0] = MEMBERS;
                    list[WAVES - 1 - w] = &waves[w]; /* in any order */
                    for (uint32_t i = 0; i < PER_WAVE; i++) {
                        uint64_t v = rig_random(&state) >> (64 - 8 * size);
                        if (type == MATH_F32 || type == MATH_F64)
                            v = bits_of(type, (double)((int64_t)v % 1000) / 7);
                        value[w * PER_WAVE + i] = v;
                        memcpy(frames[w] + SLOT_A + i * size, &v, size);
                        memcpy(frames[w] + SLOT_B + i * 8, &(uint64_t){5}, 8);
                    }
                }
                collective_perform(list, WAVES, width);
                const uint32_t span = width ? width : MEMBERS;
                for (uint32_t first = 0; first < MEMBERS; first += span) {
                    const uint32_t end = first + span < MEMBERS ? first + span : MEMBERS;
                    uint64_t running = neutral(type, size, step, is_unsigned), whole = value[first];
                    for (uint32_t i = first + 1; i < end; i++)
                        whole = reduction ? combine(type, size, step, is_unsigned, whole, value[i]) : whole;
                    for (uint32_t i = first; i < end; i++) {
                        uint64_t got = 0;
                        memcpy(&got, frames[i / PER_WAVE] + SLOT_D + i % PER_WAVE * size, size);
                        const uint64_t next =
                            i == first ? value[i] : combine(type, size, step, is_unsigned, running, value[i]);
                        const uint64_t want = what == COLLECTIVE_BROADCAST
                                                  ? value[first + 5 < end ? first + 5 : i]
                                              : what < COLLECTIVE_SCAN_ADD ? whole
                                              : exclusive                  ? running
                                                                           : next;
                        if (what != COLLECTIVE_BROADCAST || first + 5 < end)
                            EXPECT(got == want, "type %d what %u variant %u member %u: %#lx not %#lx",
                                   (int)type, what, variant, i, got, want);
                        running = next;
                    }
                }
            }
}
END_TEST

/* ---- one lane ---------------------------------------------------------------------------------- */

START_TEST(one_lane_is_like_many)
{
    uint64_t state = 26;
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        char family[32], form[8];
        uint32_t bits;
        if (!op_parts(op_names[op], family, &bits, form) || !op_test(op_names[op]) || strcmp(form, "vv") ||
            bits == 1 || (strcmp(op_test(op_names[op]), "integer") && strcmp(op_test(op_names[op]), "float")))
            continue;
        struct rig rig;
        uint8_t many[16 * 8], values[3][128];
        for (int o = 0; o < 3; o++)
            for (int i = 0; i < 128; i++)
                values[o][i] = (uint8_t)rig_random(&state);
        EACH_BUILD
        {
            rig_init(&rig, 16, 1, 1);
            memcpy(rig.frame + SLOT_A, values[0], 128), memcpy(rig.frame + SLOT_B, values[1], 128),
                memcpy(rig.frame + SLOT_C, values[2], 128);
            rig_run(&rig, isa, op, (struct insn){.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .c = SLOT_C});
            if (isa == 0)
                memcpy(many, rig.frame + SLOT_D, bits / 8);
            EXPECT(!memcmp(many, rig.frame + SLOT_D, bits / 8), "%s differs in build %d", op_names[op], isa);
        }
        rig_init(&rig, 256, 256, 256);
        for (int i = 0; i < 256; i++) {
            memcpy(rig.frame + SLOT_A + i * bits / 8, values[0], bits / 8);
            memcpy(rig.frame + SLOT_B + i * bits / 8, values[1], bits / 8);
            memcpy(rig.frame + SLOT_C + i * bits / 8, values[2], bits / 8);
        }
        rig_run(&rig, 0, op, (struct insn){.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .c = SLOT_C});
        for (int i = 0; i < 256; i += 51)
            EXPECT(!memcmp(many, rig.frame + SLOT_D + i * bits / 8, bits / 8),
                   "%s: one lane has another result than lane %d of many", op_names[op], i);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec: any storage, groups");
    TCase *tests = tcase_create("any storage, groups");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, generic_loads_and_stores);
    tcase_add_test(tests, copies_between_storages);
    tcase_add_test(tests, asynchronous_copies);
    tcase_add_test(tests, uniform_atomics);
    tcase_add_test(tests, fences_are_reported);
    tcase_add_test(tests, spaces_and_indices);
    tcase_add_test(tests, affine_moves);
    tcase_add_test(tests, the_port_decides_values);
    tcase_add_test(tests, group_functions_of_several_waves);
    tcase_add_test(tests, one_lane_is_like_many);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
