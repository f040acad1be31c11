/* SPDX-License-Identifier: Apache-2.0 */
/* ORRERY_DEVICE_SELECTOR: which terms name which devices, and what is no selector. */
#include "tests/support/cl_fixture.h"

#include <stdio.h>
#include <unistd.h>

/* Two roots: 0 has two tiles of four cslices of two units; 1 has two NUMA nodes of two L2 caches of three. */
static const char yaml[] = "orrery: 1\n"
                           "devices:\n"
                           "  - {topology: \"numa:2 tile:1 cslice:4 cu:2\", type: gpu}\n"
                           "  - {topology: \"numa:2 l2:2 cu:3\", type: cpu}\n";

/* The compute units of what is listed, in order; NULL: no platform. */
static const struct {
    const char *selector, *units;
} good[] = {
    {"", "16 12"},
    {"*", "16 12"},
    {"opencl:*", "16 12"},
    {"*:*", "16 12"},
    {"OpenCL:GPU", "16"},
    {"orrery:cpu", "12"},
    {"1", "12"},
    {"1,0", "12 16"},
    {"0,0,*", "16 12"},
    {"0.0", "8"},
    {"0.1", "8"},
    {"0.*", "8 8"},
    {"*.*", "8 8 6 6"},
    {"0.1.2", "2"},
    {"0.1.*", "2 2 2 2"},
    {"1.1.1", "3"},
    {"1.*.*", "3 3 3 3"},
    {"*.*.*", "2 2 2 2 2 2 2 2 3 3 3 3"},
    {"0.0.3,1.0", "2 6"},
    {"opencl:0.1;opencl:1", "8 12"},
    {"level_zero:0;opencl:1", "12"},
    {"!opencl:0", "12"},
    {"!1", "16"},
    {"!gpu", "12"},
    {"*.*;!0.1", "8 6 6"},
    {"*;!0", "12"},
    {"*.*;!0", "6 6"},
    {"*;!cuda:*", "16 12"},
    {"0,7", "16"},
    {"0.7,1.0", "6"},
};

static const char *const bad[] = {
    "opencl",
    "opencl:",
    "level_zero:gpu:0",
    "opencl:gpu:0",
    "x",
    "0.",
    "0.1.",
    ".1",
    "0..1",
    "0.1.2.3",
    "*.0",
    "0.*.1",
    "-1",
    "0 ",
    "0,",
    ",0",
    "0;",
    ";0",
    "!0;1",
    "dcl:0",
    "4294967295",
    "99999999999999999999",
    "gpu.0",
    "!",
    "opencl:!0",
    "7",
    "fpga",
    "cuda:0",
    "*;!*",
    "0.0.0.0",
    "1.0.0.*",
};

static char scenario[64];

static cl_uint find_devices(const char *selector, cl_device_id found[16])
{
    cl_platform_id platforms[8];
    cl_uint count = 0, devices = 0;
    setenv("ORRERY_SCENARIO", scenario, 1);
    setenv("ORRERY_DEVICE_SELECTOR", selector, 1);
    int kept = dup(2);
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    clGetPlatformIDs(8, platforms, &count);
    dup2(kept, 2);
    for (cl_uint i = 0; i < count; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Orrery") == 0)
            cl_ok(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, found, &devices));
    }
    return devices;
}

START_TEST(terms_name_devices)
{
    cl_device_id found[16], parent;
    char units[64] = "";
    cl_uint count = find_devices(good[_i].selector, found), one;
    for (cl_uint i = 0; i < count; i++) {
        size_t used = strlen(units);
        cl_ok(clGetDeviceInfo(found[i], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof one, &one, NULL));
        snprintf(units + used, sizeof units - used, "%s%u", i ? " " : "", one);
        cl_ok(clGetDeviceInfo(found[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        ck_assert_ptr_null(parent);
    }
    ck_assert_msg(!strcmp(units, good[_i].units), "%s: %s, not %s", good[_i].selector, units, good[_i].units);
}
END_TEST

START_TEST(other_text_is_refused)
{
    cl_device_id found[16];
    ck_assert_msg(find_devices(bad[_i], found) == 0, "'%s' was taken", bad[_i]);
}
END_TEST

/* The position and the reason, on the standard error. */
START_TEST(messages_have_a_position)
{
    char text[500] = "", path[] = "/tmp/check_selector_log.XXXXXX";
    cl_platform_id platforms[8];
    cl_uint count;
    setenv("ORRERY_SCENARIO", scenario, 1);
    setenv("ORRERY_DEVICE_SELECTOR", "0.1,*.0", 1);
    int file = mkstemp(path), kept = dup(2);
    dup2(file, 2);
    clGetPlatformIDs(8, platforms, &count);
    dup2(kept, 2);
    ck_assert(pread(file, text, sizeof text - 1, 0) > 0);
    unlink(path);
    ck_assert_msg(strstr(text, "device selector \"0.1,*.0\", character 5: only * can follow *") != NULL, "%s",
                  text);
}
END_TEST

START_TEST(a_part_of_its_own_can_be_split_again)
{
    const cl_device_partition_property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_device_id found[16], parts[2];
    cl_uint count = 0;
    ck_assert_uint_eq(find_devices("1.1", found), 1);
    cl_ok(clCreateSubDevices(found[0], next, 2, parts, &count));
    ck_assert_uint_eq(count, 2);
    cl_ok(clReleaseDevice(parts[0]));
    cl_ok(clReleaseDevice(parts[1]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device selector");
    TCase *tests = tcase_create("selector");
    strcpy(scenario, "/tmp/check_selector.XXXXXX");
    int file = mkstemp(scenario);
    if (file < 0 || write(file, yaml, sizeof yaml - 1) != sizeof yaml - 1)
        return EXIT_FAILURE;
    tcase_add_loop_test(tests, terms_name_devices, 0, sizeof good / sizeof *good);
    tcase_add_loop_test(tests, other_text_is_refused, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tests, messages_have_a_position);
    tcase_add_test(tests, a_part_of_its_own_can_be_split_again);
    suite_add_tcase(suite, tests);
    int status = cl_run_suite(suite);
    unlink(scenario);
    return status;
}
