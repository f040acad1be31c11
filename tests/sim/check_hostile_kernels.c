/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do what none should, under every policy: the process lives, the host's bytes
 * stay, the finding names the fault and the line, and the next launch works. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/device_state.h"
#include "orrery/compiler.h"
#include "orrery/report.h"

/* Every kernel has the same arguments; the line at fault carries the mark. */
#define ARGS \
    "(global int *data, global ulong *words, ulong wild, constant int *table, local int *scratch)\n{\n"
#define MARK "/*!*/"
#define ID "    size_t i = get_global_id(0);\n"
#define KERNEL(name, body) "kernel void " name ARGS ID body "}\n"

static const char source[] =
    "struct big { int a[40]; };\n"
    "constant int fixed[4] = {1, 2, 3, 4};\n" KERNEL("healthy", "    data[i] = (int)i * 3;\n") KERNEL(
        "read",
        "    int x = *(global int *)wild; " MARK
        "\n    data[i] = x;\n") KERNEL("write",
                                       "    *(global int *)wild = 7; " MARK
                                       "\n") KERNEL("update",
                                                    "    atomic_add((volatile global int *)wild, 1); " MARK
                                                    "\n")
        KERNEL("exchange_long", "    atom_cmpxchg((volatile global long *)wild, 1L, 2L); " MARK "\n") KERNEL(
            "read_lanes",
            "    int x = ((global int *)wild)[i * 4096]; " MARK
            "\n    data[i] = x;\n") KERNEL("write_lanes",
                                           "    ((global int *)wild)[i * 1000003] = 7; " MARK
                                           "\n") KERNEL("read_vector",
                                                        "    int16 x = vload16(i, (global int *)wild); " MARK
                                                        "\n    data[i] = x.s3;\n")
            KERNEL("write_vector", "    vstore16((int16)(3), i, (global int *)wild); " MARK "\n") KERNEL(
                "copy_in",
                "    struct big b = *(global struct big *)wild; " MARK
                "\n    data[i] = b.a[i & 31];\n") KERNEL("copy_out", "    struct big b;\n    for (int k = 0; "
                                                                     "k < 40; k++) b.a[k] = k;\n    *(global "
                                                                     "struct big *)wild = b; " MARK "\n")
                KERNEL("read_local", "    int x = *(local int *)wild; " MARK "\n    data[i] = x;\n") KERNEL(
                    "write_generic",
                    "    int *p = (int *)wild;\n    *p = 5; " MARK
                    "\n") KERNEL("private_as_global",
                                 "    int x[4] = {1, 2, 3, 4};\n    int *p = x;\n"
                                 "    *(global int *)(ulong)(p + (i & 3)) = 7; " MARK
                                 "\n    data[i] = x[i & 3];\n")
                    KERNEL("kept_local",
                           "    scratch[get_local_id(0)] = (int)i;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    "
                           "ulong kept = words[0];\n"
                           "    words[0] = (ulong)scratch;\n    if (kept) data[i] = *(local int *)kept;\n")
                        KERNEL("endless", "    for (;;) { data[i] += 1; }\n") KERNEL(
                            "endless_empty",
                            "    volatile int on = 1;\n    while (on) { }\n    data[i] = 1;\n")
                            KERNEL("endless_some", "    if (i & 1) { while (table[0] != 12345) { words[i] += "
                                                   "1; } }\n    data[i] = 1;\n") KERNEL(
                                "endless_many",
                                "    int n = (int)i;\n    for (;;) { if (n & 1) { if (n > 100) n = 3 - n; n "
                                "+= 7; } else { n ^= (int)i | 1; } words[i] = n; }\n")
                                KERNEL("deep_private", "    int a[1 << 20];\n    for (int k = 0; k < 8; k++) "
                                                       "a[(wild + k) & ((1 << 20) - 1)] = k;\n    data[i] = "
                                                       "a[wild & 7];\n") KERNEL(
                                    "outside_private",
                                    "    int a[16];\n    for (int k = 0; k < 16; k++) a[k] = k;\n    a[wild] "
                                    "= 3; " MARK "\n    data[i] = a[i & 15];\n")
                                    KERNEL("huge_local", "    local int a[1 << 24];\n    a[i] = 1;\n    "
                                                         "data[i] = a[i];\n") KERNEL(
                                        "division",
                                        "    int x = data[i], zero = (int)wild, least = (int)0x80000000, "
                                        "minus = -1 - zero;\n    long l = (long)least << 32;\n"
                                        "    char c = (char)-128, m = (char)minus; short s = (short)-32768;\n"
                                        "    data[i] = x / zero + x % zero + least / minus + least % minus + "
                                        "(int)(l / minus) + (int)(l % minus) + (int)(l / (long)zero)\n"
                                        "        + c / m + c % m + (char)(c / (char)zero) + s / (short)minus "
                                        "+ (int)((uint)x / (uint)zero) + (int)((ulong)l % wild);\n"
                                        "    int4 v = (int4)(x, least, 1, 0) / (int4)(zero, minus, zero, "
                                        "minus);\n    data[i] ^= v.x ^ v.y ^ v.z ^ v.w;\n")
                                        KERNEL("shifts", "    int n = (int)wild + 100 + (int)i;\n    ulong w "
                                                         "= words[i];\n"
                                                         "    words[i] = (w << n) ^ (w >> (n + 7)) ^ "
                                                         "(ulong)((long)w >> -n) ^ (ulong)(1 << n) ^ "
                                                         "rotate(w, (ulong)n) ^ (ulong)(uchar)((uchar)i << "
                                                         "n);\n") KERNEL("unreachable",
                                                                         "    if (wild == 0)\n        "
                                                                         "__builtin_unreachable(); " MARK
                                                                         "\n    data[i] = 1;\n")
                                            KERNEL(
                                                "wide_switch",
                                                "    switch ((int)(i * 1000003 + wild)) { case -2147483647: "
                                                "data[i] = 1; break; case 2147483647: data[i] = 2; break;\n"
                                                "    case 0: data[i] = 3; break; default: data[i] = 4; }\n   "
                                                " switch (wild + i) { case 0xffffffffffffffffUL: words[i] = "
                                                "1; break; }\n")
                                                KERNEL(
                                                    "torn_barrier",
                                                    "    if (get_local_id(0) & 1)\n        "
                                                    "barrier(CLK_LOCAL_MEM_FENCE); " MARK
                                                    "\n    data[i] = 1;\n") KERNEL("barrier_in_loop",
                                                                                   "    for (size_t k = 0; k "
                                                                                   "< get_local_id(0); "
                                                                                   "k++)\n        "
                                                                                   "barrier(CLK_LOCAL_MEM_"
                                                                                   "FENCE); " MARK
                                                                                   "\n    data[i] = 1;\n")
                                                    KERNEL("formats", "    printf(\"%d %s %f %n %v4hlf %*.*d "
                                                                      "%lld %hhhd %%%\\n\", (float)i, wild, "
                                                                      "i, 3, 5);\n    printf(\"%\");\n    "
                                                                      "printf(\"%99999d|%.99999f\\n\", 1, "
                                                                      "2.0);\n") KERNEL(
                                                        "wild_string",
                                                        "    printf(\"%s %s\\n\", (constant char *)wild, "
                                                        "(constant char *)(wild + i));\n    data[i] = 1;\n")
                                                        KERNEL("wild_format", "    printf((constant char "
                                                                              "*)wild, i);\n    data[i] = "
                                                                              "1;\n") KERNEL(
                                                            "copy_negative",
                                                            "    event_t e = async_work_group_copy(scratch, "
                                                            "data, wild, 0); " MARK
                                                            "\n    wait_group_events(1, &e);\n")
                                                            KERNEL(
                                                                "copy_back",
                                                                "    event_t e = async_work_group_copy(data, "
                                                                "scratch, wild, 0); " MARK
                                                                "\n    wait_group_events(1, &e);\n")
                                                                KERNEL("copy_strided",
                                                                       "    event_t e = "
                                                                       "async_work_group_strided_copy("
                                                                       "scratch, data, 8, wild, 0); " MARK
                                                                       "\n    wait_group_events(1, &e);\n")
                                                                    KERNEL("torn_update",
                                                                           "    atomic_add((volatile global "
                                                                           "int *)((global char *)data + 1 + "
                                                                           "4 * (i & 3)), 1); " MARK "\n")
                                                                        KERNEL("private_update",
                                                                               "    int x[2] = {(int)i, "
                                                                               "5};\n    volatile atomic_int "
                                                                               "*p = (volatile atomic_int "
                                                                               "*)&x[i & 1];\n    " MARK
                                                                               "atomic_fetch_add(p, 3);\n    "
                                                                               "data[i] = x[i & 1];\n")
                                                                            KERNEL(
                                                                                "store_constant",
                                                                                "    *(int *)(ulong)&fixed[i "
                                                                                "& 3] = 9; " MARK "\n")
                                                                                KERNEL("store_table",
                                                                                       "    *(global int "
                                                                                       "*)(ulong)&table[i & "
                                                                                       "3] = 9; " MARK "\n")
                                                                                    KERNEL("far_index",
                                                                                           "    data[(long)i "
                                                                                           "* 0x123456789abL "
                                                                                           "+ (long)wild] = "
                                                                                           "1; " MARK "\n");

enum { ITEMS = 64, GROUP = 16, BUFFER = ITEMS * 8, CANARY = 4096, POLICIES = 5 };

static struct scenario scenario;
static struct report *report;
static struct device *device;
static struct program *program;
static uint64_t data, words, table, neighbour;
static uint8_t *canary;
static struct spirv spirv;
static size_t printed;

static void count_output(void *self, const char *text, size_t size)
{
    (void)text;
    *(size_t *)self += size;
}

static uint32_t line_of(const char *kernel)
{
    char head[64];
    snprintf(head, sizeof head, "kernel void %s(", kernel);
    const char *at = strstr(strstr(source, head), MARK);
    uint32_t line = 1;
    for (const char *c = source; c < at; c++)
        line += *c == '\n';
    return line;
}

static uint64_t take(size_t size, uint32_t flags, const char *name, uint8_t byte)
{
    uint64_t address;
    ck_assert_int_eq(device_alloc(device, size, 0, flags, name, &address), STATUS_OK);
    ck_assert_int_eq(device_fill(device, 1, address, &byte, 1, size), STATUS_OK);
    return address;
}

static void open_device(enum schedule_policy policy)
{
    scenario_default(&scenario);
    checks_fast(scenario.checks);
    scenario.schedule.policy = policy;
    scenario.schedule.seed = 11;
    scenario.schedule.resident_groups = 2;
    scenario.schedule.max_steps = 20000;
    scenario.device.private_memory = 1 << 20;
    report = report_new(&scenario);
    report_set_stream(report, NULL, false);
    ck_assert_int_eq(device_new(&scenario, report, &device, NULL), STATUS_OK);
    device_set_printf(device, count_output, &printed);
    data = take(BUFFER, 0, "data", 0);
    neighbour = take(CANARY, 0, "neighbour", 0xa5);
    words = take(BUFFER, 0, "words", 0);
    table = take(64, ALLOC_KERNEL_READ_ONLY, "table", 0);
    canary = malloc(CANARY);
    memset(canary, 0xa5, CANARY);
    struct program_request request = {.words = spirv.words,
                                      .word_count = spirv.word_count,
                                      .source_name = "hostile.cl",
                                      .source_text = source};
    struct diagnosis diagnosis = {0};
    ck_assert_msg(program_load(device, &request, &program, &diagnosis) == STATUS_OK, "%s", diagnosis.text);
}

static void close_device(void)
{
    uint8_t bytes[CANARY];
    ck_assert_int_eq(device_read(device, 9, neighbour, bytes, CANARY), STATUS_OK);
    for (size_t i = 0; i < CANARY; i++) {
        ck_assert_msg(canary[i] == 0xa5, "byte %zu of the host has changed", i);
        ck_assert_msg(bytes[i] == 0xa5, "byte %zu of the neighbour has changed", i);
    }
    program_release(program);
    device_free(device);
    report_free(report);
    scenario_fini(&scenario);
    free(canary);
}

static enum status launch(const char *name, uint64_t wild, uint64_t local_bytes)
{
    const struct kernel *kernel = program_find_kernel(program, name);
    ck_assert_msg(kernel != NULL, "no kernel %s", name);
    struct launch_arg args[] = {
        {&data, 8, 0, 0}, {&words, 8, 0, 0}, {&wild, 8, 0, 0}, {&table, 8, 0, 0}, {&local_bytes, 8, 0, 0}};
    struct launch_request request = {.kernel = kernel,
                                     .command = 2,
                                     .work_dim = 1,
                                     .global_size = {ITEMS, 1, 1},
                                     .local_size = {GROUP, 1, 1},
                                     .args = args,
                                     .arg_count = 5};
    struct diagnosis diagnosis = {0};
    enum status status = device_launch(device, &request, &diagnosis);
    ck_assert_msg(status == STATUS_OK || diagnosis.text[0], "%s failed without a word", name);
    return status;
}

static void still_healthy(void)
{
    int32_t values[ITEMS];
    ck_assert_int_eq(launch("healthy", 0, 64), STATUS_OK);
    ck_assert_int_eq(device_read(device, 3, data, values, sizeof values), STATUS_OK);
    for (int32_t i = 0; i < ITEMS; i++)
        ck_assert_int_eq(values[i], 3 * i);
}

/* ids: what the finding may be, between spaces; "" when there may be any or none. */
static void judge(const char *kernel, uint64_t wild, const char *ids, uint32_t line)
{
    ck_assert_msg(!ids[0] || report_count(report) > 0, "%s of %#" PRIx64 " under %s: nothing was found",
                  kernel, wild, schedule_policy_name(scenario.schedule.policy));
    for (size_t i = 0; i < report_count(report) && ids[0]; i++) {
        const struct finding *finding = report_get(report, i);
        char wanted[64];
        snprintf(wanted, sizeof wanted, " %s ", finding_id(finding->kind));
        ck_assert_msg(strstr(ids, wanted) != NULL, "%s under %s: found '%s', expected one of '%s'", kernel,
                      schedule_policy_name(scenario.schedule.policy), finding_id(finding->kind), ids);
        ck_assert_msg(!line || finding->access[0].place.line == line, "%s under %s: line %u, expected %u",
                      kernel, schedule_policy_name(scenario.schedule.policy), finding->access[0].place.line,
                      line);
        ck_assert_str_eq(finding->kernel, kernel);
    }
}

static void survives(const char *kernel, uint64_t wild, const char *ids)
{
    report_clear(report);
    launch(kernel, wild, GROUP * 4);
    judge(kernel, wild, ids, ids[0] ? line_of(kernel) : 0);
    still_healthy();
}

#define EACH_POLICY for (enum schedule_policy policy = SCHEDULE_LOCKSTEP; policy <= SCHEDULE_RANDOM; policy++)

#define READ_FAULTS \
    " out-of-bounds-read null-read misaligned wrong-address-space use-after-free write-only-read "
#define WRITE_FAULTS                                                                                \
    " out-of-bounds-write null-write misaligned wrong-address-space use-after-free constant-write " \
    "read-only-write "

static const char *const readers[] = {"read", "read_lanes", "read_vector", "copy_in", "read_local"};
static const char *const writers[] = {"write",  "write_lanes",   "write_vector", "copy_out",
                                      "update", "exchange_long", "write_generic"};

static void try_everywhere(uint64_t wild, const char *reads, const char *writes)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        survives(readers[i], wild, reads);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        survives(writers[i], wild, writes);
}

START_TEST(wild_pointers)
{
    static const uint64_t wild[] = {0x4141414141414140, 0xfffffffffffffff0, 0x8000000000000000,
                                    0x7ffffffffff0,     0x123456789ab3,     0xffffffff80000000};
    EACH_POLICY
    {
        open_device(policy);
        for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)
            try_everywhere(wild[i], READ_FAULTS, WRITE_FAULTS READ_FAULTS);
        close_device();
    }
}
END_TEST

START_TEST(null_pointers)
{
    EACH_POLICY
    {
        open_device(policy);
        survives("read", 0, " null-read ");
        survives("write", 0, " null-write ");
        survives("update", 0, " null-write ");
        survives("read_vector", 0, " null-read ");
        survives("copy_out", 0, " null-write ");
        survives("write_generic", 0, " null-write ");
        close_device();
    }
}
END_TEST

START_TEST(pointers_of_the_host)
{
    EACH_POLICY
    {
        open_device(policy);
        try_everywhere((uint64_t)(uintptr_t)canary, READ_FAULTS, WRITE_FAULTS READ_FAULTS);
        try_everywhere((uint64_t)(uintptr_t)&canary, READ_FAULTS, WRITE_FAULTS READ_FAULTS);
        try_everywhere((uint64_t)(uintptr_t)device, READ_FAULTS, WRITE_FAULTS READ_FAULTS);
        close_device();
    }
}
END_TEST

START_TEST(edges_of_memory)
{
    EACH_POLICY
    {
        open_device(policy);
        uint64_t end = device->arena.memory.base + device->arena.memory.size, freed = take(64, 0, "freed", 1);
        device_release(device, freed);
        static const int64_t around[] = {-128, -64, -4, -2, 0, 4};
        for (size_t i = 0; i < sizeof around / sizeof *around; i++)
            try_everywhere(end + (uint64_t)around[i], READ_FAULTS, WRITE_FAULTS READ_FAULTS);
        try_everywhere(device->arena.memory.base, READ_FAULTS, WRITE_FAULTS READ_FAULTS);
        survives("read", freed, " use-after-free ");
        survives("write", freed, " use-after-free ");
        survives("update", freed, " use-after-free ");
        survives("read", data + BUFFER, " out-of-bounds-read ");
        survives("write", data + BUFFER, " out-of-bounds-write ");
        survives("write", neighbour - 4, " out-of-bounds-write ");
        survives("update", neighbour + CANARY, " out-of-bounds-write ");
        survives("copy_out", neighbour + CANARY, " out-of-bounds-write ");
        survives("far_index", 1ull << 60, WRITE_FAULTS);
        close_device();
    }
}
END_TEST

START_TEST(other_address_spaces)
{
    EACH_POLICY
    {
        open_device(policy);
        survives("private_as_global", 0, " wrong-address-space ");
        survives("kept_local", 0, "");
        survives("private_update", 0, " atomic-private ");
        survives("store_constant", 0, " constant-write ");
        survives("store_table", 0, " read-only-write ");
        survives("torn_update", 0, " misaligned ");
        close_device();
    }
}
END_TEST

static void never_ends(const char *kernel)
{
    report_clear(report);
    ck_assert_int_eq(launch(kernel, 0, 64), STATUS_NO_PROGRESS);
    judge(kernel, 0, " no-progress ", 0);
    still_healthy();
}

START_TEST(endless_loops)
{
    EACH_POLICY
    {
        open_device(policy);
        never_ends("endless");
        never_ends("endless_empty");
        never_ends("endless_some");
        never_ends("endless_many");
        close_device();
    }
}
END_TEST

START_TEST(endless_until_the_clock)
{
    EACH_POLICY
    {
        open_device(policy);
        scenario.schedule.max_steps = 0;
        scenario.schedule.timeout_seconds = 0.05;
        ck_assert_int_eq(launch("endless_some", 0, 64), STATUS_NO_PROGRESS);
        scenario.schedule.timeout_seconds = 0;
        still_healthy();
        close_device();
    }
}
END_TEST

START_TEST(too_much_memory)
{
    EACH_POLICY
    {
        open_device(policy);
        ck_assert_int_eq(launch("deep_private", 0, 64), STATUS_OUT_OF_RESOURCES);
        judge("deep_private", 0, " private-memory-overflow ", 0);
        ck_assert_int_eq(launch("huge_local", 0, 64), STATUS_OUT_OF_RESOURCES);
        static const uint64_t sizes[] = {1 << 30, UINT64_MAX, UINT64_MAX - 127, 1ull << 63};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            ck_assert_int_eq(launch("kept_local", 0, sizes[i]), STATUS_OUT_OF_RESOURCES);
        still_healthy();
        static const uint64_t indices[] = {16, 17, 4096, UINT64_MAX, 1ull << 60, 0x3fffffff, 1ull << 31};
        for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
            survives("outside_private", indices[i], WRITE_FAULTS);
        close_device();
    }
}
END_TEST

START_TEST(arithmetic_without_a_result)
{
    EACH_POLICY
    {
        open_device(policy);
        static const char *const kernels[] = {"division", "shifts", "wide_switch"};
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
            report_clear(report);
            ck_assert_int_eq(launch(kernels[i], 0, 64), STATUS_OK);
            ck_assert_uint_eq(report_count(report), 0);
        }
        survives("unreachable", 0, " unreachable ");
        close_device();
    }
}
END_TEST

START_TEST(torn_barriers)
{
    EACH_POLICY
    {
        open_device(policy);
        survives("torn_barrier", 0, " barrier-divergence ");
        survives("barrier_in_loop", 0, " barrier-divergence ");
        close_device();
    }
}
END_TEST

START_TEST(wrong_printf)
{
    uint64_t far[] = {0, 0x4141414141414141, UINT64_MAX, 0};
    EACH_POLICY
    {
        open_device(policy);
        far[3] = (uint64_t)(uintptr_t)canary;
        for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
            survives("formats", far[i], "");
            survives("wild_string", far[i], "");
            survives("wild_format", far[i], "");
        }
        survives("wild_string", neighbour, ""); /* has no end */
        survives("wild_format", neighbour, "");
        close_device();
    }
}
END_TEST

START_TEST(asynchronous_copies)
{
    static const uint64_t counts[] = {UINT64_MAX, 1ull << 62, 1ull << 40, 1000, GROUP + 1};
    EACH_POLICY
    {
        open_device(policy);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            survives("copy_negative", counts[i], READ_FAULTS WRITE_FAULTS);
            survives("copy_back", counts[i], READ_FAULTS WRITE_FAULTS);
        }
        survives("copy_strided", 1ull << 40, READ_FAULTS);
        survives("copy_strided", UINT64_MAX, READ_FAULTS);
        survives("copy_negative", 0, "");
        close_device();
    }
}
END_TEST

static bool compile(void)
{
    struct compile_request request = {.source = source,
                                      .source_name = "hostile.cl",
                                      .options = "-cl-std=CL2.0 -w",
                                      .version_major = 3,
                                      .fp16 = true,
                                      .fp64 = true,
                                      .int64_atomics = true,
                                      .generic_address_space = true,
                                      .program_scope_variables = true,
                                      .opencl_c_20 = true};
    char *log = NULL;
    enum status status = compile_opencl_c(&request, &spirv, &log);
    if (status != STATUS_OK)
        fprintf(stderr, "%s\n%s\n", status_name(status), log);
    free(log);
    return status == STATUS_OK;
}

int main(void)
{
    if (!compiler_available())
        return 77;
    if (!compile())
        return 1;
    Suite *suite = suite_create("hostile kernels");
    TCase *tests = tcase_create("hostile kernels");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, wild_pointers);
    tcase_add_test(tests, null_pointers);
    tcase_add_test(tests, pointers_of_the_host);
    tcase_add_test(tests, edges_of_memory);
    tcase_add_test(tests, other_address_spaces);
    tcase_add_test(tests, endless_loops);
    tcase_add_test(tests, endless_until_the_clock);
    tcase_add_test(tests, too_much_memory);
    tcase_add_test(tests, arithmetic_without_a_result);
    tcase_add_test(tests, torn_barriers);
    tcase_add_test(tests, wrong_printf);
    tcase_add_test(tests, asynchronous_copies);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    spirv_fini(&spirv);
    return failed != 0;
}
