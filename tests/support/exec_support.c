/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one handler on one wave: operands in slots with guards around them, two regions of memory, and a host
 * and observer that note their calls. A test fills operands, calls run, and compares slots, guards and notes.
 */
#include "exec_support.h"

/* ---- what the handlers call ------------------------------------------------------ */

static void note_fault(void *self, struct wave *wave, const struct fault *fault)
{
    struct rig *rig = self;
    (void)wave;
    rig->fault_count++;
    rig->fault = *fault;
}

static bool note_print(void *self, struct wave *wave, const char *text, size_t size)
{
    struct rig *rig = self;
    (void)wave;
    ck_assert_uint_lt(rig->printed_size + size, sizeof rig->printed);
    memcpy(rig->printed + rig->printed_size, text, size);
    rig->printed_size += size;
    rig->print_count++;
    return true;
}

static bool note_may_print(void *self)
{
    (void)self;
    return true;
}

static void note_access(void *self, const struct access_event *event)
{
    struct rig *rig = self;
    rig->access_count++;
    rig->access = *event;
    memcpy(rig->access_mask, event->mask, sizeof rig->access_mask);
    memset(rig->access_failed, 0, sizeof rig->access_failed);
    if (event->failed)
        memcpy(rig->access_failed, event->failed, sizeof rig->access_failed);
    for (uint32_t i = 0; i < event->lane_count; i++)
        rig->access_address[i] =
            event->shape == ADDRESS_LIST
                ? event->address[i]
                : event->base + (event->shape == ADDRESS_AFFINE
                                     ? (uint64_t)(event->step_x * (int64_t)(i % event->row) +
                                                  event->step_y * (int64_t)(i / event->row))
                                     : 0);
}

static void note_sync(void *self, const struct sync_event *event)
{
    (void)event;
    ((struct rig *)self)->sync_count++;
}

static const struct insn *stop_here(const struct insn *insn, uint8_t *frame, struct wave *wave)
{
    (void)frame;
    wave->resume = insn;
    return NULL;
}

/* ---- the rig ------------------------------------------------------------------------ */

static void set_region(struct rig *rig, uint32_t index, uint64_t low, uint64_t size, uint32_t deny)
{
    struct region *region = &rig->regions[index];
    region->low = (uint64_t)(uintptr_t)rig->arena + index * REGION_BYTES + low;
    region->high = region->low + size;
    region->deny = region->denied = deny;
    region->kind = REGION_BUFFER;
    rig->granules[index] = index;
}

/* As a device's memory, above the addresses that private memory has: a program's own data may be below. */
static uint8_t *arena(void)
{
    static uint8_t *made;
    if (!made) {
        made = aligned_alloc(REGION_BYTES, ARENA_REGIONS * REGION_BYTES);
        ck_assert_ptr_nonnull(made);
        ck_assert_uint_gt((uintptr_t)made, UINT32_MAX);
        memset(made, 0, ARENA_REGIONS * REGION_BYTES);
    }
    return made;
}

void rig_init(struct rig *rig, uint32_t n, uint32_t lane_count, uint32_t row)
{
    memset(rig, 0, sizeof *rig);
    static _Alignas(64) uint8_t frame[FRAME_BYTES], private_memory[PRIVATE_BYTES * 256];
    rig->frame = frame;
    rig->arena = arena();
    rig->private_memory = private_memory;
    memset(rig->frame, GUARD, FRAME_BYTES);
    for (uint32_t i = 1; i < ARENA_REGIONS; i++)
        memset(rig->arena + i * REGION_BYTES + 2048, GUARD, 12288);
    memset(rig->private_memory, GUARD, PRIVATE_BYTES * 256);
    rig->regions[0].low = 1;
    set_region(rig, 1, 4096, 32768, 0);
    set_region(rig, 2, 4096, 32768, DENY_KERNEL_WRITE);
    set_region(rig, 3, 4096, 32768, 0);
    rig->memory = (struct memory){.base = (uint64_t)(uintptr_t)rig->arena,
                                  .size = ARENA_REGIONS * REGION_BYTES,
                                  .granule = rig->granules,
                                  .regions = rig->regions,
                                  .region_count = ARENA_REGIONS};
    rig->objects[0] = (struct private_object){.low = 16, .high = 48, .name = "object"};
    rig->code = (struct code){.width = 256,
                              .insns = rig->insns,
                              .operands = rig->operands,
                              .sites = rig->sites,
                              .site_count = 4,
                              .block_start = rig->block_start,
                              .block_count = 1,
                              .private_size = PRIVATE_BYTES,
                              .private_objects = rig->objects,
                              .private_object_count = 0}; /* until a test counts it */
    rig->host = (struct wave_host){.self = rig,
                                   .fault = note_fault,
                                   .may_print = note_may_print,
                                   .print = note_print,
                                   .faults_stop = true};
    rig->observer = (struct observer){.self = rig, .access = note_access, .sync = note_sync};
    for (uint32_t i = 0; i < 256; i++) {
        rig->x[i] = (int32_t)(i % row);
        rig->y[i] = (int32_t)(i / row);
    }
    rig->wave = (struct wave){.code = &rig->code,
                              .frame = rig->frame,
                              .n = n,
                              .lane_count = lane_count,
                              .row = row,
                              .memory = &rig->memory,
                              .private_memory = rig->private_memory,
                              .host = &rig->host,
                              .lane_x = rig->x,
                              .lane_y = rig->y,
                              .pending = rig->pending,
                              .pending_set = rig->pending_set};
    wave_begin_events(&rig->wave);
    rig_activate(rig, NULL);
}

void rig_activate(struct rig *rig, const lane_mask *active)
{
    struct wave *wave = &rig->wave;
    uint32_t count = 0;
    wave->active = (lane_mask){{0}};
    for (uint32_t i = 0; i < wave->lane_count; i++)
        if (!active || lane_mask_test(active, i)) {
            wave->active.word[i / 64] |= 1ull << i % 64;
            count++;
        }
    wave->live = wave->active;
    wave->full = count == wave->n;
}

bool rig_has(int isa)
{
    return op_table_isa(isa) != NULL;
}

const struct insn *rig_run(struct rig *rig, int isa, uint32_t op, struct insn insn)
{
    insn.exec = op_table_isa(isa)[op];
    rig->insns[0] = insn;
    rig->insns[1] = (struct insn){.exec = stop_here};
    const struct insn *at = rig->insns;
    while (at)
        at = at->exec(at, rig->frame, &rig->wave);
    return rig->wave.resume;
}

uint64_t rig_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

lane_mask rig_random_mask(uint64_t *state, uint32_t lane_count)
{
    lane_mask mask = {{0}};
    for (uint32_t i = 0; i < lane_count; i++)
        if (rig_random(state) & 4)
            mask.word[i / 64] |= 1ull << i % 64;
    mask.word[0] |= 2;
    return mask;
}

bool op_parts(const char *name, char family[32], uint32_t *bits, char form[8])
{
    const char *last = strrchr(name, '_');
    memset(form, 0, 8);
    if (!last)
        return false;
    size_t tail = strspn(last + 1, "uv");
    if (last[1 + tail] == 0 && tail > 0 && tail < 8) {
        strcpy(form, last + 1);
        do
            if (last-- == name)
                return false;
        while (*last != '_');
    }
    char *end;
    *bits = last[1] == 'm' ? 1 : (uint32_t)strtoul(last + 1, &end, 10);
    snprintf(family, 32, "%.*s", (int)(last - name), name);
    return *bits != 0;
}

uint64_t edge_or_random(uint64_t *state, uint32_t bits, bool is_float)
{
    static const uint64_t integers[] = {0,
                                        1,
                                        2,
                                        3,
                                        5,
                                        7,
                                        10,
                                        ~0ull,
                                        ~1ull,
                                        ~2ull,
                                        ~6ull,
                                        0x7f,
                                        0x80,
                                        0x7fff,
                                        0x8000,
                                        0x7fffffff,
                                        0x80000000,
                                        0x7fffffffffffffff,
                                        0x8000000000000000,
                                        255,
                                        256,
                                        65535,
                                        65536,
                                        0xffffffff,
                                        1000003};
    static const uint64_t halves[] = {0,      0x8000, 1,      0x8001, 0x3ff,  0x400,  0x3c00, 0xbc00,
                                      0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3c01, 0x4000};
    static const uint64_t floats[] = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x800000,
                                      0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
                                      0x7fc00000, 0x7fc12345, 0xffd54321, 0x7f800077, 0x3f800001, 0x40000000,
                                      0x4f000000, 0x4f800000, 0xcf000000};
    static const uint64_t doubles[] = {0,
                                       1ull << 63,
                                       1,
                                       0xfffffffffffff,
                                       0x10000000000000,
                                       0x3ff0000000000000,
                                       0xbff0000000000000,
                                       0x7fefffffffffffff,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0x7ff8000000012345,
                                       0xfffc000000054321,
                                       0x7ff0000000000077,
                                       0x3ff0000000000001,
                                       0x41e0000000000000,
                                       0x43e0000000000000,
                                       0xc3e0000000000000};
    uint64_t pick = rig_random(state), value = rig_random(state);
    if (pick & 3)
        return pick & 4 ? value : is_float ? value >> 2 & ~(1ull << (bits - 2)) : value >> (pick >> 8) % bits;
    if (!is_float)
        return integers[(pick >> 8) % (sizeof integers / 8)];
    switch (bits) {
    case 16: return halves[(pick >> 8) % (sizeof halves / 8)];
    case 32: return floats[(pick >> 8) % (sizeof floats / 8)];
    default: return doubles[(pick >> 8) % (sizeof doubles / 8)];
    }
}

/* ---- every operation has a test ------------------------------------------------------- */

const char *op_test(const char *name)
{
    static const struct {
        const char *test, *families;
    } tests[] = {
        {"integer", " add sub mul and or xor shl lshr ashr sdiv udiv srem urem smod smin smax umin umax rotl "
                    "smulhi umulhi neg not "},
        {"float", " fadd fsub fmul fdiv frem fmod fmin fmax fneg fabs sqrt mad msub nmad math_v math_u "},
        {"compare",
         " ieq ine ult ule slt sle foeq fone folt fole fueq fune fult fule ford fuord isnan isinf isfinite "
         "isnormal signbit"
         " mand mor mxor mxnor mnot many_u mall_u select uselect splat mov movm movmu mov_u first "},
        {"convert", " trunc zext sext cvt convert "},
        {"affine", " a_add a_sub a_mul a_shl a_sext a_zext a_trunc a_index_aa a_index_au a_index_ua a_mov "
                   "a_from_u a_to_v u_index v_index v_index_uv "},
        {"memory", " ld_u ld_a ld_v st_u st_a st_v ldp_u ldp_v stp_u stp_v ldg_v stg_v copy_v same "
                   "async_copy poison_ld poison_ld_u poison_bits_v poison_bits_u poison_st poison_atomic"
                   " poison_check_v poison_check_u poison_open_v poison_open_u poison_open_uu forget "},
        {"atomic", " atomic atomic_u fence refused "},
        {"printf", " printf "},
        {"image", " image "},
        {"collective", " collective "},
        {"pipe", " pipe "},
        {"device queue", " enqueue "},
        {"control", " line count count_way_v count_way_u index_check jump loop branch_u branch_v switch_u "
                    "switch_v ret unreachable barrier "
                    "clock space_v yield "},
    };
    char family[40];
    snprintf(family, sizeof family, " %s ", name);
    for (;;) {
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
            if (strstr(tests[i].families, family))
                return tests[i].test;
        char *last = strrchr(family, '_');
        if (!last)
            return NULL;
        strcpy(last, " ");
    }
}
