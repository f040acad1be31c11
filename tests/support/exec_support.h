/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One wave without a device around it, to run one handler at a time: operands in
 *          known slots with guards, two regions of memory, a host and an observer that note
 *          their calls.
 *
 * Interface
 *   rig_init                    a wave of n lanes, lane_count of them real, in rows; one rig at a time
 *   rig_run                     one instruction in one build; where it continued, NULL: it stopped
 * *   op_parts                    "add_32_vu" -> "add", 32, "vu"
 *   rig_random                  the next number of a fixed sequence
 */
#ifndef TESTS_EXEC_SUPPORT_H
#define TESTS_EXEC_SUPPORT_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/interp/interp.h"
#include "sim/interp/bytecode.h"
#include "sim/interp/wave.h"

enum {
    SLOT_ROOM = 8192,
    SLOT_D = 1024,
    SLOT_A = SLOT_D + SLOT_ROOM,
    SLOT_B = SLOT_A + SLOT_ROOM,
    SLOT_C = SLOT_B + SLOT_ROOM,
    SLOT_E = SLOT_C + SLOT_ROOM,
    SLOT_F = SLOT_E + SLOT_ROOM,
    FRAME_BYTES = SLOT_F + SLOT_ROOM
};
enum { CELL_D = 64, CELL_A = 128, CELL_B = 192, CELL_C = 256 }; /* U and A cells */
enum { REGION_BYTES = 1 << 16, ARENA_REGIONS = 4, PRIVATE_BYTES = 256 };
enum { ISAS = 3, GUARD = 0xa5 };

/* Not ck_assert: that reports every check to the parent process, and these are millions. */
#define EXPECT(condition, ...)         \
    do {                               \
        if (!(condition))              \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

struct rig {
    struct wave wave;
    struct code code;
    struct memory memory;
    struct region regions[ARENA_REGIONS];
    struct observer observer;
    struct wave_host host;
    struct site sites[4];
    struct private_object objects[1];
    struct insn insns[2];
    uint32_t granules[ARENA_REGIONS];
    uint32_t operands[64];
    uint32_t block_start[1];
    lane_mask pending[1];
    uint64_t pending_set[1];
    int32_t x[256], y[256];
    uint8_t *arena, *frame, *private_memory;
    /* noted */
    uint32_t fault_count;
    struct fault fault;
    uint32_t access_count;
    struct access_event access;
    uint64_t access_mask[LANE_MASK_WORDS], access_address[256];
    uint64_t access_failed[LANE_MASK_WORDS];
    uint32_t sync_count;
    char printed[65536];
    size_t printed_size, print_count;
};

void rig_init(struct rig *rig, uint32_t n, uint32_t lane_count, uint32_t row);
void rig_activate(struct rig *rig, const lane_mask *active); /* NULL: every real lane */
bool rig_has(int isa);
const struct insn *rig_run(struct rig *rig, int isa, uint32_t op, struct insn insn);
uint64_t rig_random(uint64_t *state);
lane_mask rig_random_mask(uint64_t *state, uint32_t lane_count);
bool op_parts(const char *name, char family[32], uint32_t *bits, char form[8]);
uint64_t edge_or_random(uint64_t *state, uint32_t bits, bool is_float);
/* Which test program has the operation: NULL when none has. */
const char *op_test(const char *name);

#define EACH_BUILD for (int isa = 0; isa < ISAS && rig_has(isa); isa++)

/* The lowest address of a region. */
static inline uint64_t rig_base(const struct rig *rig, uint32_t region)
{
    return rig->regions[region].low;
}

/* A lane's value in a slot, of 1 to 8 bytes. */
static inline uint64_t rig_get(const struct rig *rig, uint32_t slot, uint32_t lane, uint32_t size)
{
    uint64_t value = 0;
    memcpy(&value, rig->frame + slot + lane * size, size);
    return value;
}

static inline void rig_put(struct rig *rig, uint32_t slot, uint32_t lane, uint32_t size, uint64_t value)
{
    memcpy(rig->frame + slot + lane * size, &value, size);
}

#endif
