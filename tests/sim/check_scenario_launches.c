/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of scenario files: which are checked, their ranges and arguments, and complaints about them. */
#include <locale.h>
#include <math.h>

#include "tests/support/scenario_fixture.h"

static enum left_out leaves_out(const char *kernels, const char *launches, const char *kernel,
                                uint32_t launch)
{
    scenario_default(&scenario);
    ck_assert(!scenario_filters(&scenario));
    if (kernels)
        ck_assert_int_eq(scenario_apply_option(&scenario, "kernel", kernels, NULL), STATUS_OK);
    if (launches)
        ck_assert_int_eq(scenario_apply_option(&scenario, "launches", launches, NULL), STATUS_OK);
    ck_assert_int_eq(scenario_filters(&scenario), kernels || launches);
    const enum left_out left_out = scenario_leaves_out(&scenario, kernel, launch);
    scenario_fini(&scenario);
    return left_out;
}

START_TEST(a_launch_is_checked_when_both_filters_allow_it)
{
    ck_assert_int_eq(leaves_out(NULL, NULL, "scan", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("scan", NULL, "scan", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("scan", NULL, "scan2", 1), LEFT_OUT_BY_KERNEL);
    ck_assert_int_eq(leaves_out("scan*", NULL, "scan2", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("s?an[12]", NULL, "scan2", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("fill\nscan", NULL, "scan", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("!scan", NULL, "scan", 1), LEFT_OUT_BY_KERNEL);
    ck_assert_int_eq(leaves_out("!scan", NULL, "fill", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("!scan_init,scan*", NULL, "scan_init", 1), LEFT_OUT_BY_KERNEL);
    ck_assert_int_eq(leaves_out("scan*, !scan_init", NULL, "scan_sum", 1), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "3", "scan", 2), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "3", "scan", 3), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "3", "scan", 4), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "2..3", "scan", 2), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "2..3", "scan", 3), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out(NULL, "..3", "scan", 4), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "3..", "scan", 2), LEFT_OUT_BY_LAUNCHES);
    ck_assert_int_eq(leaves_out(NULL, "3..", "scan", UINT32_MAX), LEFT_OUT_NOT);
    ck_assert_int_eq(leaves_out("scan", "3..", "fill", 1), LEFT_OUT_BY_KERNEL);
}
END_TEST

START_TEST(invalid_launch_filter_is_refused)
{
    static const char *const launches[] = {"",   "..",    "0",       "0..2",       "3..2", "1-2",
                                           "-1", "1...2", "1..2..3", "4294967296", "a",    "1 .. 2"};
    static const char *const kernels[] = {"", " ", "!", "a,!", "!!a", "!,a"};
    scenario_default(&scenario);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        diagnosis = (struct diagnosis){0};
        ck_assert_int_eq(scenario_apply_option(&scenario, "launches", launches[i], &diagnosis),
                         STATUS_BAD_SCENARIO);
        ck_assert_msg(strstr(diagnosis.text, "A..B with A not above B"), "%s", diagnosis.text);
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        diagnosis = (struct diagnosis){0};
        ck_assert_int_eq(scenario_apply_option(&scenario, "kernel", kernels[i], &diagnosis),
                         STATUS_BAD_SCENARIO);
        ck_assert_msg(strstr(diagnosis.text, "!NAME leaves that kernel out"), "%s", diagnosis.text);
    }
    ck_assert(!scenario_filters(&scenario));
    scenario_fini(&scenario);
}
END_TEST

START_TEST(launch_ranges_are_read)
{
    load(PROGRAM "launch:\n  - {kernel: k, global: [128, 4], local: [64, 2], offset: [1, 0]}\n  - {kernel: "
                 "j, global: 7}\n");
    ck_assert_uint_eq(scenario.launch_count, 2);
    const struct scenario_launch *k = &scenario.launches[0], *j = &scenario.launches[1];
    ck_assert_str_eq(k->kernel, "k");
    ck_assert_uint_eq(k->work_dim, 2);
    ck_assert_uint_eq(k->global[0], 128);
    ck_assert_uint_eq(k->global[1], 4);
    ck_assert_uint_eq(k->local[0], 64);
    ck_assert_uint_eq(k->local[1], 2);
    ck_assert_uint_eq(k->offset[0], 1);
    ck_assert_uint_eq(j->work_dim, 1);
    ck_assert_uint_eq(j->global[0], 7);
    ck_assert_uint_eq(j->local[0], 0);
    ck_assert_uint_eq(j->arg_count, 0);
}
END_TEST

static const struct scenario_arg *load_arg(const char *arg)
{
    char text[600];
    snprintf(text, sizeof text, PROGRAM "launch:\n  - kernel: k\n    global: 1\n    args:\n      - %s\n",
             arg);
    load(text);
    ck_assert_uint_eq(scenario.launches[0].arg_count, 1);
    return &scenario.launches[0].args[0];
}

START_TEST(buffers_are_filled)
{
    const struct scenario_arg *arg = load_arg("{buffer: {type: int, count: 3, fill: -7}}");
    ck_assert_int_eq(arg->kind, SCENARIO_ARG_BUFFER);
    ck_assert(!arg->uninitialised && !arg->read_only && !arg->write_only);
    holds(&arg->values, VALUE_I32, (int32_t[]){-7, -7, -7}, 3);
    arg = load_arg("{buffer: {type: uchar, values: [1, 0xff]}}");
    holds(&arg->values, VALUE_U8, (uint8_t[]){1, 255}, 2);
    arg = load_arg("{buffer: {type: short, count: 4, fill: 9, values: [1, 2]}}");
    holds(&arg->values, VALUE_I16, (int16_t[]){1, 2, 9, 9}, 4);
    arg = load_arg("{buffer: {values: [1, 2], type: double, count: 3}}");
    holds(&arg->values, VALUE_F64, (double[]){1, 2, 0}, 3);
    arg = load_arg("{buffer: {type: ulong, count: 2}}");
    ck_assert(arg->uninitialised);
    ck_assert_uint_eq(arg->values.count, 2);
}
END_TEST

START_TEST(buffers_may_be_null_or_guarded)
{
    const struct scenario_arg *arg = load_arg("{buffer: null}");
    ck_assert_int_eq(arg->kind, SCENARIO_ARG_BUFFER);
    ck_assert_uint_eq(arg->values.count, 0);
    ck_assert(load_arg("{buffer: {type: int, count: 1, access: read}}")->read_only);
    ck_assert(load_arg("{buffer: {type: int, count: 1, access: write}}")->write_only);
}
END_TEST

START_TEST(vectors_are_their_elements)
{
    holds(&load_arg("{scalar: {type: float4, value: [1, 2, 3, 4]}}")->values, VALUE_F32,
          (float[]){1, 2, 3, 4}, 4);
    holds(&load_arg("{scalar: {type: int3, value: [1, 2, 3]}}")->values, VALUE_I32, (int32_t[]){1, 2, 3, 0},
          4);
    holds(&load_arg("{buffer: {type: int3, values: [1, 2, 3, 4, 5, 6]}}")->values, VALUE_I32,
          (int32_t[]){1, 2, 3, 0, 4, 5, 6, 0}, 8);
    holds(&load_arg("{buffer: {type: uint2, count: 2, fill: 5}}")->values, VALUE_U32,
          (uint32_t[]){5, 5, 5, 5}, 4);
    ck_assert_uint_eq(load_arg("{buffer: {type: char16, count: 2}}")->values.count, 32);
}
END_TEST

START_TEST(structs_are_laid_out_as_in_c)
{
    struct sample {
        int8_t c;
        int32_t i;
        int16_t s;
        double d;
        int8_t end;
    } sample = {0};
    memset(&sample, 0, sizeof sample);
    sample.c = -1;
    sample.i = 2;
    sample.s = 3;
    sample.d = 0.5;
    sample.end = 4;
    const struct scenario_arg *arg =
        load_arg("{struct: [{type: char, value: -1}, {type: int, value: 2}, {type: short, value: 3},"
                 " {type: double, value: 0.5}, {type: char, value: 4}]}");
    ck_assert_int_eq(arg->kind, SCENARIO_ARG_SCALAR);
    holds(&arg->values, VALUE_U8, &sample, sizeof sample);
    arg = load_arg("{struct: [{type: char, value: 1}, {type: float4, value: [1, 2, 3, 4]}]}");
    ck_assert_uint_eq(arg->values.count, 32);
}
END_TEST

START_TEST(local_and_same)
{
    ck_assert_uint_eq(load_arg("{local: 2KiB}")->local_bytes, 2048);
    load(PROGRAM "launch:\n- {kernel: a, global: 1, args: [{buffer: {type: int, count: 1}, name: x}]}\n"
                 "- {kernel: b, global: 1, args: [{same: x}]}\n");
    ck_assert_str_eq(scenario.launches[0].args[0].name, "x");
    ck_assert_str_eq(scenario.launches[1].args[0].same_as, "x");
    rejects(PROGRAM "launch:\n- {kernel: a, global: 1, args: [{same: x, name: x}]}\n",
            "t.yaml:4:40: ", "no buffer before", "'x'");
}
END_TEST

START_TEST(numbers_of_every_type_reach_their_ends)
{
    holds(&load_arg("{buffer: {type: char, values: [-128, 127]}}")->values, VALUE_I8, (int8_t[]){-128, 127},
          2);
    holds(&load_arg("{buffer: {type: ushort, values: [0, 65535]}}")->values, VALUE_U16,
          (uint16_t[]){0, 65535}, 2);
    holds(&load_arg("{buffer: {type: int, values: [-2147483648, 2147483647]}}")->values, VALUE_I32,
          (int32_t[]){INT32_MIN, INT32_MAX}, 2);
    holds(&load_arg("{buffer: {type: uint, values: [4294967295]}}")->values, VALUE_U32,
          (uint32_t[]){UINT32_MAX}, 1);
    holds(&load_arg("{buffer: {type: long, values: [-9223372036854775808, 9223372036854775807]}}")->values,
          VALUE_I64, (int64_t[]){INT64_MIN, INT64_MAX}, 2);
    holds(&load_arg("{buffer: {type: ulong, values: [18446744073709551615]}}")->values, VALUE_U64,
          (uint64_t[]){UINT64_MAX}, 1);
    holds(&load_arg("{buffer: {type: uint, values: [true, false]}}")->values, VALUE_U32, (uint32_t[]){1, 0},
          2);
}
END_TEST

START_TEST(floats_round_once)
{
    holds(&load_arg("{buffer: {type: float, values: [0.1, -0.0, inf, -.inf, 0x1p-149, 16777217]}}")->values,
          VALUE_F32, (float[]){0.1f, -0.0f, INFINITY, -INFINITY, 0x1p-149f, 16777216.0f}, 6);
    /* to double it would be a tie, to float it is above the tie */
    holds(&load_arg("{scalar: {type: float, value: 1.00000005960464477540}}")->values, VALUE_F32,
          (float[]){0x1.000002p0f}, 1);
    float nan_value;
    memcpy(&nan_value, load_arg("{scalar: {type: float, value: .nan}}")->values.data, sizeof nan_value);
    ck_assert(isnan(nan_value));
}
END_TEST

START_TEST(halves_round_to_even)
{
    /* bit patterns by the definition of binary16 */
    holds(
        &load_arg("{buffer: {type: half, values: [1, -2, 65504, 65519, 65520, 6.103515625e-5, "
                  "5.960464477539063e-8, 2.98e-8,"
                  " 1.00048828125, 1.00146484375, inf]}}")
             ->values,
        VALUE_F16,
        (uint16_t[]){0x3c00, 0xc000, 0x7bff, 0x7bff, 0x7c00, 0x0400, 0x0001, 0x0000, 0x3c00, 0x3c02, 0x7c00},
        11);
}
END_TEST

static void rejects_arg(const char *arg, unsigned column, const char *word, const char *other)
{
    char text[400], position[32];
    snprintf(text, sizeof text, PROGRAM "launch: [{kernel: k, global: 1, args: [\n%s]}]\n", arg);
    snprintf(position, sizeof position, "t.yaml:4:%u: ", column);
    rejects(text, position, word, other);
}

START_TEST(contents_are_read_from_files)
{
    FILE *file = fopen("check_scenario.bin", "w");
    ck_assert(file && fwrite("\1\2\3\4\5\6\7\10", 1, 8, file) == 8 && fclose(file) == 0);
    load(
        PROGRAM
        "launch:\n  - kernel: k\n    global: 1\n    args:\n      - {buffer: {type: ushort, count: 4, file: "
        "check_scenario.bin}}\n"
        "      - {image: {type: 1d, order: RGBA, data: UNSIGNED_INT8, size: 2, file: check_scenario.bin}}\n");
    survives_printing();
    const struct scenario_arg *args = scenario.launches[0].args;
    ck_assert(!args[0].uninitialised && ((const uint16_t *)args[0].values.data)[3] == 0x0807);
    ck_assert(!args[1].uninitialised && args[1].values.count == 8 &&
              ((const uint8_t *)args[1].values.data)[7] == 8);
    rejects_arg("{buffer: {type: int, count: 3, file: check_scenario.bin}}", 38,
                "found 8 bytes in 'check_scenario.bin'", "expected 12");
    rejects_arg("{buffer: {type: int, count: 1, file: check_scenario.bin}}", 38, "found more than 4 bytes",
                "expected 4");
    rejects_arg("{buffer: {type: int, count: 2, file: check_scenario.nowhere}}", 38, "check_scenario.nowhere",
                "can be read");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, file: check_scenario.bin}}", 47, "beside fill",
                "one of them");
    rejects_arg("{buffer: {type: int, count: 2, file: [1]}}", 38, "file", "can be read");
    remove("check_scenario.bin");
}
END_TEST

START_TEST(unwritten_bytes_and_offsets_survive_printing)
{
    load(PROGRAM
         "launch:\n  - kernel: k\n    global: 1\n    args:\n"
         "      - {buffer: {type: int, count: 4, fill: 1, unwritten: [0..3, 4..5, 12..15]}, name: b}\n"
         "      - {same: b, offset: 8}\n");
    survives_printing();
    const struct scenario_arg *args = scenario.launches[0].args;
    ck_assert_uint_eq(args[0].unwritten_count, 3);
    ck_assert(args[0].unwritten[1].low == 4 && args[0].unwritten[1].high == 6);
    ck_assert(args[0].unwritten[2].low == 12 && args[0].unwritten[2].high == 16);
    ck_assert(args[0].offset_bytes == 0 && args[1].offset_bytes == 8);
    rejects_arg("{buffer: {type: int, count: 1, fill: 1, unwritten: [0..4]}}", 53, "found byte 4", "has 4");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, unwritten: [4..7, 7..7]}}", 59, "'7..7'",
                "ascending");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, unwritten: [5..4]}}", 53, "'5..4'",
                "ranges of bytes");
    rejects_arg("{buffer: {type: int, count: 2, fill: 1, unwritten: [4]}}", 53, "'4'", "ranges of bytes");
    rejects_arg("{buffer: {type: int, count: 2, unwritten: [0..1]}}", 43, "unwritten", "no byte");
    rejects_arg("{scalar: {type: int, value: 1}, offset: 4}", 41, "offset", "beside no buffer");
    rejects_arg("{scalar: {type: int, value: 1}, bytes: 4}", 40, "bytes", "beside no buffer");
    rejects_arg("{buffer: {type: int, count: 4}, bytes: 0}", 40, "bytes", "expected 1 byte or more");
}
END_TEST

START_TEST(a_launch_to_save_has_a_number_and_a_file)
{
    rejects("orrery: 1\nreport: {save_launch: l.yaml}\n", "t.yaml:2:23: ", "'l.yaml'", "3:launch.yaml");
    rejects("orrery: 1\nreport: {save_launch: \"0:l.yaml\"}\n", "t.yaml:2:23: ", "'0:l.yaml'", "from 1");
    rejects("orrery: 1\nreport: {save_launch: \"3:\"}\n", "t.yaml:2:23: ", "'3:'", "a file");
}
END_TEST

START_TEST(images_samplers_and_queues_survive_printing)
{
    load(PROGRAM "launch:\n  - kernel: k\n    global: 1\n    args:\n"
                 "      - {image: {type: 3d, order: RG, data: SNORM_INT16, size: [2, 1, 3], values: [5, "
                 "-7]}, name: picture}\n"
                 "      - {image: {type: 1d-array, order: DEPTH, data: FLOAT, size: [2, 1], access: read}}\n"
                 "      - {image: {type: 2d, order: RGB, data: UNORM_INT_101010, size: [4, 4], fill: 9, "
                 "access: write}}\n"
                 "      - {sampler: {addressing: mirrored-repeat, filter: linear, coordinates: normalized}}\n"
                 "      - {queue: own}\n      - {queue: default}\n      - {same: picture}\n"
                 "expect: {buffers: [{arg: 6, values: [5, -7, 0]}]}\n");
    survives_printing();
    const struct scenario_arg *args = scenario.launches[0].args;
    ck_assert(args[0].kind == SCENARIO_ARG_IMAGE && args[0].image.type == IMAGE_3D &&
              args[0].image.format->order == IMAGE_RG);
    ck_assert(args[0].image.size[0] == 2 && args[0].image.size[1] == 1 && args[0].image.size[2] == 3);
    ck_assert_uint_eq(args[0].values.count, 12);
    ck_assert_int_eq(args[0].values.type, VALUE_I16);
    ck_assert_int_eq(((const int16_t *)args[0].values.data)[1], -7);
    ck_assert_int_eq(((const int16_t *)args[0].values.data)[2], 0);
    ck_assert(args[1].uninitialised && args[1].read_only && args[1].values.type == VALUE_F32);
    ck_assert(!args[2].uninitialised && args[2].write_only && args[2].values.type == VALUE_U32 &&
              args[2].values.count == 16);
    const struct sampler sampler = sampler_unpack(args[3].sampler);
    ck_assert(sampler.addressing == ADDRESSING_MIRRORED_REPEAT && sampler.linear && sampler.normalized);
    ck_assert(args[4].kind == SCENARIO_ARG_QUEUE && args[4].own_queue && !args[5].own_queue &&
              args[6].kind == SCENARIO_ARG_IMAGE);
    ck_assert_int_eq(scenario.expect.buffers[0].values.type, VALUE_I16);
}
END_TEST

START_TEST(launches_survive_printing)
{
    load(PROGRAM
         "launch:\n"
         "  - kernel: k\n    device: 0/numa@1\n    global: [8, 2, 3]\n    local: [4, 1, 1]\n    offset: [0, "
         "9, 0]\n    args:\n"
         "      - {buffer: {type: float, values: [0.1, -0.0, inf, 1e-45]}, name: \"the \\\"x\\\"\"}\n"
         "      - {buffer: {type: int, count: 100000, fill: 3, values: []}}\n"
         "      - {buffer: {type: double, count: 5, access: write}}\n"
         "      - {buffer: null}\n      - {same: \"the \\\"x\\\"\"}\n      - {local: 17}\n"
         "      - {scalar: {type: half, value: 0.333}}\n      - {scalar: {type: int3, value: [1, -2, 3]}}\n"
         "      - {struct: [{type: char, value: 1}, {type: ulong, value: 0xffffffffffffffff}]}\n"
         "expect:\n  findings: [{id: null-read, line: 3, kernel: k}, {id: unreachable}]\n"
         "  buffers: [{arg: 0, values: [0.25, 1, nan]}, {arg: 1, count: 9, fill: 1}]\n  output: "
         "\"tab\\there\\n\"\n"
         "  placement: [{launch: 0, units: [4, 5]}]\n  counters: {hits: 3, l1:2.misses: \">=4\"}\n");
    float before[4];
    memcpy(before, scenario.launches[0].args[0].values.data, sizeof before);
    survives_printing();
    const struct scenario_launch *launch = &scenario.launches[0];
    ck_assert_uint_eq(launch->arg_count, 9);
    ck_assert_mem_eq(launch->args[0].values.data, before, sizeof before);
    ck_assert_uint_eq(launch->args[1].values.count, 100000);
    ck_assert_int_eq(((const int32_t *)launch->args[1].values.data)[99999], 3);
    ck_assert(launch->args[2].uninitialised && launch->args[2].write_only);
    ck_assert_uint_eq(launch->args[3].values.count, 0);
    ck_assert_uint_eq(launch->args[8].values.count, 16);
    ck_assert_str_eq(scenario.expect.output, "tab\there\n");
    ck_assert_str_eq(launch->device, "0/numa@1");
    ck_assert_uint_eq(scenario.expect.placements[0].units.count, 2);
    ck_assert_uint_eq(scenario.expect.placements[0].units.units[1], 5);
    const struct expect_counter *counter = scenario.expect.counters;
    ck_assert_uint_eq(scenario.expect.counter_count, 2);
    ck_assert(!counter[0].place && counter[0].counter == COUNTER_HITS &&
              counter[0].comparison == COMPARE_EQUAL);
    ck_assert_str_eq(counter[1].place, "l1:2");
    ck_assert_int_eq(counter[1].comparison, COMPARE_AT_LEAST);
    ck_assert_uint_eq(counter[1].value, 4);
    ck_assert(scenario_counts(&scenario) && !scenario_counters_file(&scenario));
}
END_TEST

START_TEST(numbers_do_not_follow_the_locale)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        return; /* not installed here */
    holds(&load_arg("{scalar: {type: float, value: 1.5}}")->values, VALUE_F32, (float[]){1.5f}, 1);
    survives_printing();
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- complaints -------------------------------------------------------------------------------- */

START_TEST(rejects_impossible_launches)
{
    rejects("orrery: 1\nlaunch: [{kernel: k, global: 1}]\n", "t.yaml:2:9: ", "no 'program'", "launch");
    rejects(PROGRAM "launch: k\n", "t.yaml:3:9: ", "'k'", "a sequence");
    rejects(PROGRAM "launch: [{global: 1}]\n", "t.yaml:3:10: ", "'kernel' is missing", "kernel");
    rejects(PROGRAM "launch: [{kernel: k}]\n", "t.yaml:3:10: ", "'global' is missing", "1 to 3");
    rejects(PROGRAM "launch: [{kernel: k, global: [1, 2, 3, 4]}]\n", "t.yaml:3:30: ", "a sequence",
            "1 to 3 numbers");
    rejects(PROGRAM "launch: [{kernel: k, concurrent: true, global: 1}]\n", "t.yaml:3:34: ", "concurrent",
            "before the first");
    rejects(PROGRAM "launch: [{kernel: k, concurrent: both, global: 1}]\n", "t.yaml:3:34: ", "'both'",
            "true or false");
    rejects(PROGRAM "launch: [{kernel: k, global: [1, x]}]\n", "t.yaml:3:34: ", "'x'", "0 to");
    rejects(PROGRAM "launch: [{kernel: k, global: [1, 2], local: [1]}]\n", "t.yaml:3:45: ", "found 1 numbers",
            "global has 2");
    rejects(PROGRAM "launch: [{kernel: k, global: 1, args: 3}]\n", "t.yaml:3:39: ", "'3'",
            "a sequence of arguments");
    rejects(PROGRAM "launch: [{kernel: k, global: 1, args: [{}]}]\n", "t.yaml:3:40: ", "exactly one of",
            "buffer, scalar, struct, local, same");
    rejects(PROGRAM "launch: [{kernel: k, global: 1, args: [{local: 4, same: x}]}]\n",
            "t.yaml:3:40: ", "several", "exactly one of");
}
END_TEST

START_TEST(rejects_impossible_arguments)
{
    rejects_arg("{buffer: {count: 1}}", 10, "'type' is missing", "char, uchar");
    rejects_arg("{buffer: {type: integer, count: 1}}", 17, "'integer'", "char, uchar, short");
    rejects_arg("{buffer: {type: int5, count: 1}}", 17, "'int5'", "2, 3, 4, 8 or 16");
    rejects_arg("{buffer: {type: int}}", 10, "'count' or 'values'", "size");
    rejects_arg("{buffer: {type: int, count: 1, values: [1, 2]}}", 40, "found 2", "count is 1");
    rejects_arg("{buffer: {type: int2, values: [1, 2, 3]}}", 31, "found 3", "multiple of 2");
    rejects_arg("{buffer: {type: int, values: [1, 2.5]}}", 34, "'2.5'", "int: -2147483648 to 2147483647");
    rejects_arg("{buffer: {type: uchar, values: [256]}}", 33, "'256'", "uchar: 0 to 255");
    rejects_arg("{buffer: {type: char, values: [-129]}}", 32, "'-129'", "-128 to 127");
    rejects_arg("{buffer: {type: uint, fill: -1, count: 1}}", 29, "'-1'", "0 to 4294967295");
    rejects_arg("{buffer: {type: float, fill: one, count: 1}}", 30, "'one'", "a float such as");
    rejects_arg("{buffer: {type: double, count: 999999999}}", 10, "999999999", "at most");
    rejects_arg("{buffer: {type: int, count: 1, access: all}}", 40, "'all'", "read, write or read-write");
    rejects_arg("{scalar: {type: int}}", 10, "'value' is missing", "value");
    rejects_arg("{scalar: {type: int4, value: [1, 2]}}", 30, "found 2", "multiple of 4");
    rejects_arg("{struct: 3}", 10, "'3'", "a sequence of members");
    rejects_arg("{local: lots}", 9, "'lots'", "4KiB");
    rejects_arg("{same: nobody}", 8, "'nobody'", "no buffer before");
    rejects_arg("5", 1, "'5'", "buffer, scalar");
    rejects_arg("{image: 3}", 9, "image", "mapping");
    rejects_arg("{image: {order: R, data: FLOAT, size: 1}}", 9, "'type' is missing",
                "1d, 1d-buffer, 1d-array, 2d, 2d-array, 3d");
    rejects_arg("{image: {type: 4d, order: R, data: FLOAT, size: 1}}", 16, "'4d'", "2d-array");
    rejects_arg("{image: {type: 1d, order: r, data: FLOAT, size: 1}}", 27, "'r'", "R, A, RG, RA");
    rejects_arg("{image: {type: 1d, order: R, data: float, size: 1}}", 36, "'float'", "UNORM_INT8, ");
    rejects_arg("{image: {type: 1d, order: RGB, data: FLOAT, size: 1}}", 38, "no images", "RGB and FLOAT");
    rejects_arg("{image: {type: 2d, order: R, data: FLOAT}}", 9, "'size' is missing", "2 numbers");
    rejects_arg("{image: {type: 2d, order: R, data: FLOAT, size: 4}}", 49, "found 1 numbers",
                "image2d_t has 2");
    rejects_arg("{image: {type: 2d, order: R, data: FLOAT, size: [4, 0]}}", 49, "found 0", "1 to 1048576");
    rejects_arg("{image: {type: 2d, order: RG, data: FLOAT, size: [1, 1], values: [1, 2, 3]}}", 66, "found 3",
                "there are 2");
    rejects_arg("{image: {type: 1d, order: R, data: SIGNED_INT8, size: 1, fill: 128}}", 64, "'128'",
                "-128 to 127");
    rejects_arg("{image: {type: 1d, order: RGB, data: UNORM_SHORT_565, size: 1, values: [0, 1]}}", 72,
                "found 2", "there are 1");
    rejects_arg("{image: {type: 1d, order: R, data: FLOAT, size: 1, access: all}}", 60, "'all'",
                "read-write");
    rejects_arg("{sampler: {filter: linear, coordinates: pixels}}", 11, "'addressing' is missing",
                "clamp-to-edge");
    rejects_arg("{sampler: {addressing: clamp, filter: cubic, coordinates: pixels}}", 39, "'cubic'",
                "nearest, linear");
    rejects_arg("{sampler: {addressing: repeat, filter: linear, coordinates: pixels}}", 24, "repeat",
                "normalized");
    rejects_arg("{queue: 3}", 9, "'3'", "default");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        launch_ranges_are_read,
        a_launch_is_checked_when_both_filters_allow_it,
        invalid_launch_filter_is_refused,
        buffers_are_filled,
        buffers_may_be_null_or_guarded,
        vectors_are_their_elements,
        structs_are_laid_out_as_in_c,
        local_and_same,
        numbers_of_every_type_reach_their_ends,
        floats_round_once,
        halves_round_to_even,
        launches_survive_printing,
        images_samplers_and_queues_survive_printing,
        contents_are_read_from_files,
        unwritten_bytes_and_offsets_survive_printing,
        a_launch_to_save_has_a_number_and_a_file,
        numbers_do_not_follow_the_locale,
        rejects_impossible_launches,
        rejects_impossible_arguments,
    };
    return scenario_failures("scenario: launches", tests, sizeof tests / sizeof *tests) ? EXIT_FAILURE
                                                                                        : EXIT_SUCCESS;
}
