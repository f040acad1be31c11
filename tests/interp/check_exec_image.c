/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image handlers: each build gives the bits of the baseline, batches those of single lanes; the events of
 * observers.
 */
#include "orrery/device.h"
#include "orrery/image.h"
#include "sim/interp/image_op.h"
#include "tests/support/exec_support.h"

enum { WIDTH = 9, HEIGHT = 7, LANES = 48 };
enum { SLOT_X = SLOT_A, SLOT_Y = SLOT_A + 1024, RESULTS = SLOT_D };

static struct image_desc image;
static struct kernel_arg arg;
static struct kernel_info info;
static struct launch_arg value;

/* A wave whose only argument is a picture at the start of region r. */
static void picture_rig(struct rig *rig, const struct image_format *format, uint32_t r)
{
    rig_init(rig, LANES, LANES - 5, 16);
    const uint64_t row = (uint64_t)WIDTH * format->texel_bytes;
    image =
        (struct image_desc){.format = format, .type = IMAGE_2D, .levels = 1, .address = rig->regions[r].low};
    image.level[0] = (struct image_level){.pitch = {row, row * HEIGHT}, .size = {WIDTH, HEIGHT, 1}};
    arg = (struct kernel_arg){.name = "picture", .kind = ARG_IMAGE, .image_type = IMAGE_2D};
    info = (struct kernel_info){.name = "k", .arg_count = 1, .args = &arg};
    value = (struct launch_arg){&image, sizeof image, 0, 0};
    rig->wave.kernel = &info;
    rig->wave.arg_values = &value;
    const uint64_t number = 1;
    memcpy(rig->frame + CELL_A, &number, sizeof number);
    uint64_t state = 7;
    for (uint64_t i = 0; i < row * HEIGHT / 4; i++) {
        const float f = (float)(int32_t)rig_random(&state) / 65536.0f;
        const uint32_t word = (uint32_t)rig_random(&state);
        memcpy((uint8_t *)(uintptr_t)image.address + 4 * i, format->kind == 'f' ? (const void *)&f : &word,
               4);
    }
}

/* Nothing asks where an uninitialised texel came from. */
enum { NO_SOURCE = 0 };

static void set_operands(struct rig *rig)
{
    const uint32_t results[] = {RESULTS,      RESULTS + 1024, RESULTS + 2048, RESULTS + 3072,
                                IMAGE_UNUSED, NO_SOURCE,      SLOT_X,         SLOT_Y};
    memcpy(rig->operands, results, sizeof results);
}

static void read_by(struct rig *rig, int isa, const struct sampler *sampler, bool real)
{
    const uint64_t bits = sampler_pack(sampler);
    memcpy(rig->frame + CELL_B, &bits, sizeof bits);
    set_operands(rig);
    memset(rig->frame + RESULTS, GUARD, 4096);
    rig_run(rig, isa, OP_image_read,
            (struct insn){.d = 0,
                          .a = CELL_A,
                          .b = CELL_B,
                          .e = 1,
                          .f = 2 | IMAGE_OP_SAMPLED | (real ? IMAGE_OP_FLOAT : 0)});
}

static void set_coordinates(struct rig *rig, bool real, uint64_t seed)
{
    for (uint32_t i = 0; i < LANES; i++)
        for (uint32_t d = 0; d < 2; d++) {
            const int32_t whole = (int32_t)(rig_random(&seed) % 30) - 9;
            const float f = (float)whole + (float)(rig_random(&seed) % 1024) / 1024.0f;
            memcpy(rig->frame + (d ? SLOT_Y : SLOT_X) + 4 * i, real ? (const void *)&f : &whole, 4);
        }
}

static const enum image_order orders[] = {IMAGE_RGBA, IMAGE_BGRA, IMAGE_RGBA, IMAGE_R};
static const enum image_data datas[] = {IMAGE_UNORM_INT8, IMAGE_UNORM_INT8, IMAGE_FLOAT, IMAGE_FLOAT};

START_TEST(every_build_reads_the_same_bits)
{
    static struct rig rig;
    uint8_t first[4096];
    picture_rig(&rig, image_format(orders[_i], datas[_i]), 1);
    for (int how = 0; how < 8; how++) {
        const struct sampler sampler = {.addressing = how & 1 ? ADDRESSING_CLAMP : ADDRESSING_CLAMP_TO_EDGE,
                                        .linear = (how & 6) == 6};
        set_coordinates(&rig, how & 4, (uint64_t)how);
        rig.wave.observer = &rig.observer; /* then each lane goes by itself */
        read_by(&rig, 0, &sampler, how & 4);
        memcpy(first, rig.frame + RESULTS, sizeof first);
        rig.wave.observer = NULL;
        for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
            read_by(&rig, isa, &sampler, how & 4);
            for (uint32_t c = 0; c < 4; c++)
                for (uint32_t lane = 0; lane < rig.wave.lane_count; lane++)
                    EXPECT(!memcmp(first + 1024 * c + 4 * lane, rig.frame + RESULTS + 1024 * c + 4 * lane, 4),
                           "isa %d how %d component %u lane %u", isa, how, c, lane);
        }
    }
    ck_assert_uint_eq(rig.fault_count, 0);
}
END_TEST

START_TEST(every_build_writes_the_same_bytes)
{
    static struct rig rig;
    const struct image_format *format = image_format(orders[_i], datas[_i]);
    uint8_t first[WIDTH * HEIGHT * 16];
    const uint32_t slots[] = {SLOT_B, SLOT_B + 1024, SLOT_B + 2048, SLOT_B + 3072, SLOT_X, SLOT_Y};
    const size_t bytes = (size_t)WIDTH * HEIGHT * format->texel_bytes;
    uint64_t state = 3;
    picture_rig(&rig, format, 1);
    memcpy(rig.operands, slots, sizeof slots);
    for (uint32_t i = 0; i < LANES; i++) {
        const int32_t x = (int32_t)(rig_random(&state) % WIDTH), y = (int32_t)(rig_random(&state) % HEIGHT);
        memcpy(rig.frame + SLOT_X + 4 * i, &x, 4);
        memcpy(rig.frame + SLOT_Y + 4 * i, &y, 4);
        for (uint32_t c = 0; c < 4; c++) {
            const float v = (float)(int32_t)(rig_random(&state) % 4096 - 1024) / 2048.0f;
            memcpy(rig.frame + SLOT_B + 1024 * c + 4 * i, &v, 4);
        }
    }
    const lane_mask some = rig_random_mask(&state, rig.wave.lane_count);
    for (int isa = -1; isa < ISAS && (isa < 0 || rig_has(isa)); isa++) {
        rig.wave.observer = isa < 0 ? &rig.observer : NULL;
        memset((uint8_t *)(uintptr_t)image.address, GUARD, bytes);
        rig_activate(&rig, &some);
        rig_run(&rig, isa < 0 ? 0 : isa, OP_image_write, (struct insn){.d = 0, .a = CELL_A, .e = 1, .f = 2});
        if (isa < 0)
            memcpy(first, (uint8_t *)(uintptr_t)image.address, bytes);
        ck_assert_mem_eq(first, (uint8_t *)(uintptr_t)image.address, bytes);
    }
}
END_TEST

/* A nearest read announces one texel per lane, a filtered one four, each with its address. */
START_TEST(observers_receive_every_texel)
{
    static struct rig rig;
    picture_rig(&rig, image_format(IMAGE_RGBA, IMAGE_UNORM_INT8), 1);
    rig.wave.observer = &rig.observer;
    for (uint32_t i = 0; i < LANES; i++) {
        const float x = (float)(i % 8) + 1.0f, y = (float)(i / 8) + 1.0f;
        memcpy(rig.frame + SLOT_X + 4 * i, &x, 4);
        memcpy(rig.frame + SLOT_Y + 4 * i, &y, 4);
    }
    read_by(&rig, 0, &(struct sampler){.addressing = ADDRESSING_CLAMP_TO_EDGE}, true);
    ck_assert_uint_eq(rig.access_count, 1);
    ck_assert(rig.access.image && rig.access.kind == rig.sites[1].access && rig.access.size_bytes == 4);
    for (uint32_t i = 0; i < rig.wave.lane_count; i++)
        ck_assert_uint_eq(rig.access_address[i], image.address + (i / 8 + 1) * 4 * WIDTH + (i % 8 + 1) * 4);
    read_by(&rig, 0, &(struct sampler){.addressing = ADDRESSING_CLAMP_TO_EDGE, .linear = true}, true);
    ck_assert_uint_eq(rig.access_count, 5);
    for (uint32_t i = 0; i < rig.wave.lane_count; i++) /* the last corner */
        ck_assert_uint_eq(rig.access_address[i], image.address + (i / 8 + 1) * 4 * WIDTH + (i % 8 + 1) * 4);
}
END_TEST

static uint8_t valid[REGION_BYTES / 8 + 9];

/* Of each texel all bytes, none, or the last one alone not. */
static void undefine_some(struct rig *rig, const struct image_format *format, uint64_t *state)
{
    memset(valid, 0xff, sizeof valid);
    rig->memory.track_validity = true;
    rig->regions[1].valid = valid;
    rig->regions[1].invalid = 0;
    for (uint32_t i = 0; state && i < WIDTH * HEIGHT; i++) {
        const uint64_t texel = image.address + (uint64_t)i * format->texel_bytes;
        const uint32_t pick = (uint32_t)rig_random(state) % 4;
        if (pick < 2)
            memory_set_valid(&rig->regions[1], pick ? texel : texel + format->texel_bytes - 1,
                             pick ? format->texel_bytes : 1, false);
    }
}

static int32_t whole_at(const struct rig *rig, uint32_t slot, uint32_t lane)
{
    int32_t whole;
    memcpy(&whole, rig->frame + slot + 4 * lane, 4);
    return whole;
}

static uint64_t texel_of(const struct rig *rig, const struct image_format *format, uint32_t lane)
{
    int32_t x = whole_at(rig, SLOT_X, lane), y = whole_at(rig, SLOT_Y, lane);
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return image.address + (uint64_t)(y * WIDTH + x) * format->texel_bytes;
}

static void set_rows(struct rig *rig, uint32_t row)
{
    for (uint32_t i = 0; i < LANES; i++) {
        rig->x[i] = (int32_t)(i % row);
        rig->y[i] = (int32_t)(i / row);
    }
    rig->wave.row = row;
    rig->wave.lane_count = LANES;
    wave_begin_events(&rig->wave);
    rig_activate(rig, NULL);
}

/* Lane i: x + i % row * dx, y + i / row * dy; one of them may be beside it. */
static void walk(struct rig *rig, const int32_t from[2], const int32_t step[2], uint32_t odd)
{
    for (uint32_t i = 0; i < LANES; i++) {
        const int32_t x = from[0] + (int32_t)(i % rig->wave.row) * step[0] + (i == odd),
                      y = from[1] + (int32_t)(i / rig->wave.row) * step[1];
        memcpy(rig->frame + SLOT_X + 4 * i, &x, 4);
        memcpy(rig->frame + SLOT_Y + 4 * i, &y, 4);
    }
}

/* Even rows are reported as such, and all else lane by lane; beyond the edge rows are even no more. */
START_TEST(read_texels_are_announced)
{
    static const int32_t from[][2] = {{1, 1}, {0, 0}, {4, 3}, {-1, -1}, {6, 5}, {8, 6}},
                         step[][2] = {{1, 1}, {0, 1}, {1, 0}, {-1, 1}, {2, -1}, {0, 0}};
    static const uint32_t rows[] = {4, 5, 16, WAVE_LANES_MAX}, odds[] = {LANES, 0, 1, 7, 13, 31};
    static struct rig rig;
    const struct image_format *format = image_format(orders[_i], datas[_i]);
    uint32_t affine = 0, listed = 0;
    for (uint32_t k = 0; k < 4 * 6 * 6 * 6; k++) {
        picture_rig(&rig, format, 1);
        set_rows(&rig, rows[k / 216]);
        rig.wave.observer = &rig.observer;
        walk(&rig, from[k % 6], step[k / 6 % 6], odds[k / 36 % 6]);
        for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
            rig.access_count = 0;
            read_by(&rig, isa, &(struct sampler){.addressing = ADDRESSING_CLAMP_TO_EDGE}, false);
            ck_assert_uint_eq(rig.access_count, 1);
            ck_assert(rig.access.image && rig.access.size_bytes == format->texel_bytes);
            affine += rig.access.shape == ADDRESS_AFFINE;
            listed += rig.access.shape == ADDRESS_LIST;
            for (uint32_t lane = 0; lane < rig.wave.lane_count; lane++)
                EXPECT(rig.access_address[lane] == texel_of(&rig, format, lane), "isa %d case %u lane %u",
                       isa, k, lane);
        }
    }
    ck_assert(affine > 100 && listed > 100);
}
END_TEST

START_TEST(lanes_that_read_undefined_texels_are_marked)
{
    static struct rig rig;
    const struct image_format *format = image_format(orders[_i % 4], datas[_i % 4]);
    const struct sampler sampler = {.addressing = ADDRESSING_CLAMP_TO_EDGE};
    uint64_t state = 5, bits = sampler_pack(&sampler);
    const uint32_t operands[] = {RESULTS, RESULTS + 1024, RESULTS + 2048, RESULTS + 3072,
                                 SLOT_C,  NO_SOURCE,      SLOT_X,         SLOT_Y};
    picture_rig(&rig, format, 1);
    undefine_some(&rig, format, _i < 4 ? &state : NULL);
    set_coordinates(&rig, false, 11);
    const lane_mask some = rig_random_mask(&state, rig.wave.lane_count);
    rig_activate(&rig, &some);
    memcpy(rig.operands, operands, sizeof operands);
    memcpy(rig.frame + CELL_B, &bits, sizeof bits);
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
        memset(rig.frame + SLOT_C, 0xff, sizeof(lane_mask));
        rig_run(&rig, isa, OP_image_read,
                (struct insn){.d = 0, .a = CELL_A, .b = CELL_B, .e = 1, .f = 2 | IMAGE_OP_SAMPLED});
        const lane_mask *undefined = (const lane_mask *)(const void *)(rig.frame + SLOT_C);
        for (uint32_t lane = 0; lane < rig.wave.lane_count; lane++) {
            const bool want =
                !memory_range_valid(&rig.regions[1], texel_of(&rig, format, lane), format->texel_bytes);
            EXPECT(!lane_mask_test(&some, lane) || lane_mask_test(undefined, lane) == want, "isa %d lane %u",
                   isa, lane);
        }
    }
    ck_assert_uint_eq(rig.fault_count, 0);
}
END_TEST

/* Of four texels one is enough. With an observer each lane is done by itself. */
START_TEST(filtered_read_of_one_undefined_texel_is_undefined)
{
    static struct rig rig;
    const struct sampler sampler = {.addressing = ADDRESSING_CLAMP_TO_EDGE, .linear = true};
    uint64_t state = 5, bits = sampler_pack(&sampler);
    const uint32_t operands[] = {RESULTS, RESULTS + 1024, RESULTS + 2048, RESULTS + 3072,
                                 SLOT_C,  NO_SOURCE,      SLOT_X,         SLOT_Y};
    lane_mask alone;
    picture_rig(&rig, image_format(orders[_i], datas[_i]), 1);
    undefine_some(&rig, image_format(orders[_i], datas[_i]), &state);
    set_coordinates(&rig, true, 11);
    memcpy(rig.operands, operands, sizeof operands);
    memcpy(rig.frame + CELL_B, &bits, sizeof bits);
    for (int isa = -1; isa < ISAS && (isa < 0 || rig_has(isa)); isa++) {
        rig.wave.observer = isa < 0 ? &rig.observer : NULL;
        rig_run(&rig, isa < 0 ? 0 : isa, OP_image_read,
                (struct insn){
                    .d = 0, .a = CELL_A, .b = CELL_B, .e = 1, .f = 2 | IMAGE_OP_SAMPLED | IMAGE_OP_FLOAT});
        if (isa < 0)
            memcpy(&alone, rig.frame + SLOT_C, sizeof alone);
        ck_assert_mem_eq(&alone, rig.frame + SLOT_C, sizeof alone);
    }
    ck_assert(alone.word[0] != 0 && rig.fault_count == 0);
}
END_TEST

/*
 * Texels that a lane writes are initialised; an uninitialised value is reported, by the lanes that write it.
 */
START_TEST(written_texels_are_initialised)
{
    static struct rig rig;
    const struct image_format *format = image_format(orders[_i % 4], datas[_i % 4]);
    const uint32_t slots[] = {SLOT_B, SLOT_B + 1024, SLOT_B + 2048, SLOT_B + 3072, SLOT_X, SLOT_Y};
    for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
        uint64_t state = 9;
        picture_rig(&rig, format, 1);
        undefine_some(&rig, format, &state);
        memset(rig.frame + SLOT_B, 0, 4096);
        memcpy(rig.operands, slots, sizeof slots);
        const lane_mask some = rig_random_mask(&state, rig.wave.lane_count);
        lane_mask undefined = {{0}};
        static bool before[WIDTH * HEIGHT];
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
            before[i] = memory_range_valid(&rig.regions[1], image.address + (uint64_t)i * format->texel_bytes,
                                           format->texel_bytes);
        uint32_t reported = 0;
        for (uint32_t i = 0; i < LANES; i++) {
            const int32_t x = (int32_t)(rig_random(&state) % WIDTH),
                          y = (int32_t)(rig_random(&state) % HEIGHT);
            memcpy(rig.frame + SLOT_X + 4 * i, &x, 4);
            memcpy(rig.frame + SLOT_Y + 4 * i, &y, 4);
            /* of others it has no effect */
            if (i < rig.wave.lane_count && (_i < 4 ? !lane_mask_test(&some, i) : i % 5 == 0))
                undefined.word[i / 64] |= UINT64_C(1) << i % 64;
            if (i < rig.wave.lane_count && lane_mask_test(&some, i)) {
                before[y * WIDTH + x] = true;
                reported += lane_mask_test(&undefined, i);
            }
        }
        memcpy(rig.frame + SLOT_C, &undefined, sizeof undefined);
        rig_activate(&rig, &some);
        rig_run(&rig, isa, OP_image_write, (struct insn){.d = 0, .a = CELL_A, .c = SLOT_C, .e = 1, .f = 2});
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
            EXPECT(memory_range_valid(&rig.regions[1], image.address + (uint64_t)i * format->texel_bytes,
                                      format->texel_bytes) == before[i],
                   "isa %d texel %u", isa, i);
        ck_assert_uint_eq(rig.fault_count, reported > 0);
        ck_assert(!reported || (rig.fault.kind == FAULT_UNINITIALISED_STORE && rig.fault.lanes == reported));
    }
}
END_TEST

/* An image that no argument describes reads as zero and is not written: a module may name any. */
START_TEST(invented_images_are_invalid)
{
    static struct rig rig;
    picture_rig(&rig, image_format(IMAGE_RGBA, IMAGE_FLOAT), 1);
    for (int k = 0; k < 4; k++) {
        const uint64_t number = k == 0 ? 0 : k == 1 ? 2 : k == 2 ? UINT64_MAX : (uint64_t)(uintptr_t)&image;
        const uint32_t nothing = 0;
        memcpy(rig.frame + CELL_A, &number, sizeof number);
        for (int isa = 0; isa < ISAS && rig_has(isa); isa++) {
            read_by(&rig, isa, &(struct sampler){.addressing = ADDRESSING_CLAMP}, false);
            ck_assert_mem_eq(rig.frame + RESULTS, &nothing, 4);
            rig_run(&rig, isa, OP_image_query,
                    (struct insn){.d = CELL_D, .a = CELL_A, .f = IMAGE_QUERY_SIZE});
            ck_assert_mem_eq(rig.frame + CELL_D, &nothing, 4);
        }
    }
    ck_assert_uint_eq(rig.fault_count, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("image handlers");
    TCase *tests = tcase_create("image handlers");
    tcase_add_loop_test(tests, every_build_reads_the_same_bits, 0, 4);
    tcase_add_loop_test(tests, every_build_writes_the_same_bytes, 0, 4);
    tcase_add_loop_test(tests, lanes_that_read_undefined_texels_are_marked, 0, 8);
    tcase_add_loop_test(tests, filtered_read_of_one_undefined_texel_is_undefined, 0, 4);
    tcase_add_loop_test(tests, written_texels_are_initialised, 0, 8);
    tcase_add_test(tests, observers_receive_every_texel);
    tcase_add_loop_test(tests, read_texels_are_announced, 0, 4);
    tcase_add_test(tests, invented_images_are_invalid);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
