/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clCreateSubDevices: every machine, scheme, argument and setting of `errors`. The expected result of a call
 * is computed here from the text and the numbers below, which were counted by hand from the descriptions, not
 * from the code that partitions.
 */
#include "tests/support/cl_fixture.h"

#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

/* Units of the nodes of each level, "SIZExCOUNT ..." in order; "" where there is no such level. */
struct machine {
    const char *topology;
    cl_uint units;
    const char *numa, *l4, *l3, *l2, *l1;
    cl_uint tiles; /* what Intel's driver would list */
};

static const struct machine machines[] = {
    {"one-unit", 1, "", "", "", "", "", 0},
    {"cu:8", 8, "", "", "", "", "", 0},
    {"tiny", 2, "", "", "", "2x1", "1x2", 0},
    {"dual-socket", 16, "8x2", "", "8x2", "1x16", "1x16", 2},
    {"four-numa-l4", 32, "8x4", "8x4", "4x8", "2x16", "1x32", 4},
    {"eight-tile", 32, "4x8", "", "", "4x8", "1x32", 8},
    {"intel-pvc", 896, "448x2", "", "", "448x2", "8x112", 2},
    {"odd-sizes", 21, "7x3", "", "7x3", "7x3", "", 3},
    {"asymmetric", 19, "7x1 5x2", "", "4x1 3x1 5x2", "2x3", "1x4 5x2", 3},
    {"l3:1 cu:3", 3, "", "", "3x1", "", "", 0},
};
enum { MACHINE_COUNT = sizeof machines / sizeof *machines };
static const char *const sets[] = {"spec", "cts", "pocl", "neo"};
enum { SPEC, CTS, POCL, NEO, SET_COUNT };

enum { PARTS_MAX = 1024 };
struct parts {
    cl_int err;
    cl_uint count;
    cl_uint units[PARTS_MAX];
};

static struct parts nothing(cl_int err)
{
    return (struct parts){.err = err};
}

static void start(const char *topology, const char *errors)
{
    setenv("ORRERY_TOPOLOGY", topology, 1);
    setenv("ORRERY_ERRORS", errors, 1);
    cl_find_device();
}

static cl_uint units_of(cl_device_id id)
{
    cl_uint units = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return units;
}

static cl_uint references(cl_device_id id)
{
    cl_uint count = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

static cl_device_affinity_domain domains_of(cl_device_id id)
{
    cl_device_affinity_domain bits = 99;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, sizeof bits, &bits, NULL));
    return bits;
}

static cl_uint max_sub_devices(cl_device_id id)
{
    cl_uint count = 99;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof count, &count, NULL));
    return count;
}

static bool lists(cl_device_id id, cl_device_partition_property scheme)
{
    cl_device_partition_property list[16];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_PARTITION_PROPERTIES, sizeof list, list, &size));
    ck_assert_uint_ge(size, sizeof *list);
    for (size_t i = 0; i < size / sizeof *list; i++)
        if (list[i] == scheme)
            return true;
    return false;
}

static cl_int create(cl_device_id id, const cl_device_partition_property *list, cl_uint room,
                     cl_device_id *out, cl_uint *count)
{
    return clCreateSubDevices(id, list, room, out, count);
}

static void release_all(cl_device_id *devices, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        cl_ok(clReleaseDevice(devices[i]));
}

/* The call, in its two usual steps, must return the expected result. */
static void comes_to(const char *what, cl_device_id id, const cl_device_partition_property *list,
                     const struct parts *want)
{
    static cl_device_id made[PARTS_MAX];
    cl_uint count = 77;
    cl_int err = create(id, list, 0, NULL, &count);
    ck_assert_msg(err == want->err, "%s: %d, not %d", what, err, want->err);
    if (err)
        return;
    ck_assert_msg(count == want->count, "%s: %u parts, not %u", what, count, want->count);
    cl_is(create(id, list, count - 1, made, NULL), CL_INVALID_VALUE);
    cl_ok(create(id, list, count, made, NULL));
    for (cl_uint i = 0; i < count; i++) {
        cl_device_id parent = NULL;
        ck_assert_msg(units_of(made[i]) == want->units[i], "%s: part %u has %u units, not %u", what, i,
                      units_of(made[i]), want->units[i]);
        cl_ok(clGetDeviceInfo(made[i], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
        ck_assert_ptr_eq(parent, id);
        ck_assert_uint_eq(references(made[i]), 1);
    }
    release_all(made, count);
}

/* ---- the specification ---------------------------------------------------------------- */

static struct parts read_parts(const char *text)
{
    struct parts parts = {0};
    unsigned size, times;
    int length;
    for (; sscanf(text, "%ux%u%n", &size, &times, &length) == 2; text += length)
        while (times--)
            parts.units[parts.count++] = size;
    return parts;
}

static bool any_domain_splits(const struct machine *machine)
{
    return read_parts(machine->numa).count > 1 || read_parts(machine->l4).count > 1 ||
           read_parts(machine->l3).count > 1 || read_parts(machine->l2).count > 1 ||
           read_parts(machine->l1).count > 1;
}

static struct parts reckon_tiles(const struct machine *machine)
{
    struct parts parts = read_parts(machine->numa);
    return machine->tiles ? parts : nothing(CL_DEVICE_PARTITION_FAILED);
}

static struct parts reckon_equally(const struct machine *machine, int set, intptr_t n)
{
    struct parts parts = {0};
    if (set == NEO)
        return nothing(machine->tiles ? CL_INVALID_VALUE : CL_DEVICE_PARTITION_FAILED);
    if ((machine->units == 1 && set != POCL) || n == 0)
        return nothing(CL_INVALID_VALUE);
    if (n < 0 || n > machine->units)
        return nothing(set == CTS ? CL_INVALID_DEVICE_PARTITION_COUNT : CL_INVALID_VALUE);
    if (n == machine->units && set != POCL)
        return nothing(CL_DEVICE_PARTITION_FAILED);
    for (cl_uint left = machine->units; left >= n; left -= (cl_uint)n)
        parts.units[parts.count++] = (cl_uint)n;
    return parts;
}

static struct parts reckon_counts(const struct machine *machine, int set, const intptr_t *counts)
{
    struct parts parts = {0};
    intptr_t sum = 0;
    if (set == NEO)
        return nothing(machine->tiles ? CL_INVALID_VALUE : CL_DEVICE_PARTITION_FAILED);
    if (machine->units == 1 && set != POCL)
        return nothing(CL_INVALID_VALUE);
    if (!counts[0])
        return nothing(set == POCL ? CL_INVALID_DEVICE_PARTITION_COUNT : CL_INVALID_VALUE);
    for (; *counts; counts++) {
        sum += *counts;
        if (*counts < 0 || sum > machine->units)
            return nothing(CL_INVALID_DEVICE_PARTITION_COUNT);
        parts.units[parts.count++] = (cl_uint)*counts;
    }
    return parts;
}

static struct parts reckon_domain(const struct machine *machine, int set, const char *level)
{
    struct parts parts = read_parts(level);
    if (set == POCL || !any_domain_splits(machine) || !parts.count)
        return nothing(CL_INVALID_VALUE);
    return parts.count > 1 ? parts : nothing(CL_DEVICE_PARTITION_FAILED);
}

/* ---- roots: machine and set by the loop's number ------------------------------------------ */

static const struct machine *machine_of(int loop)
{
    return &machines[loop / SET_COUNT];
}

START_TEST(equally)
{
    const struct machine *machine = machine_of(_i);
    int set = _i % SET_COUNT;
    const intptr_t units = machine->units;
    const intptr_t arguments[] = {0, 1, 2, 3, units / 2, units - 1, units, units + 1, 100000, -1, INTPTR_MIN};
    start(machine->topology, sets[set]);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, arguments[i], 0};
        struct parts want = reckon_equally(machine, set, arguments[i]);
        char what[100];
        snprintf(what, sizeof what, "%s, %s: equally %ld", machine->topology, sets[set], (long)arguments[i]);
        comes_to(what, device, list, &want);
    }
}
END_TEST

START_TEST(by_counts)
{
    const struct machine *machine = machine_of(_i);
    int set = _i % SET_COUNT;
    const intptr_t units = machine->units;
    const intptr_t arguments[][5] = {
        {0},
        {1, 0},
        {1, units - 1, 0},
        {units, 0},
        {units + 1, 0},
        {-1, 0},
        {3, -1, 0},
        {1, 1, 0},
        {units - 1, 1, 0},
        {2, 1, 2, 0},
        {units, 1, 0},
        {INTPTR_MAX, 1, 0},
        {1, 1, 1, 0},
        {2, units, 2, 0},
        {INTPTR_MIN, 0, 0},
        {units / 2, 1, 0},
    };
    start(machine->topology, sets[set]);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        cl_device_partition_property list[8] = {CL_DEVICE_PARTITION_BY_COUNTS};
        struct parts want = reckon_counts(machine, set, arguments[i]);
        char what[100];
        memcpy(list + 1, arguments[i], sizeof arguments[i]);
        snprintf(what, sizeof what, "%s, %s: by counts, list %zu", machine->topology, sets[set], i);
        comes_to(what, device, list, &want);
    }
}
END_TEST

static void check_type(cl_device_id id, const cl_device_partition_property *want, size_t count)
{
    cl_device_partition_property list[32];
    size_t size = 0;
    cl_ok(clGetDeviceInfo(id, CL_DEVICE_PARTITION_TYPE, sizeof list, list, &size));
    ck_assert_uint_eq(size, count * sizeof *list);
    ck_assert_mem_eq(list, want, size);
}

START_TEST(by_affinity_domain)
{
    const struct machine *machine = machine_of(_i);
    int set = _i % SET_COUNT;
    const struct {
        cl_device_affinity_domain bit;
        const char *level;
    } domains[] = {
        {CL_DEVICE_AFFINITY_DOMAIN_NUMA, machine->numa},   {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, machine->l4},
        {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, machine->l3}, {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, machine->l2},
        {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, machine->l1},
    };
    const char *next = NULL;
    cl_device_affinity_domain next_bit = 0, splitting = 0;
    char what[100];
    start(machine->topology, sets[set]);
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                     (cl_device_partition_property)domains[i].bit, 0};
        struct parts want = reckon_domain(machine, set, domains[i].level);
        if (set == NEO)
            want = !machine->tiles ? nothing(CL_DEVICE_PARTITION_FAILED)
                   : i == 0        ? reckon_tiles(machine)
                                   : nothing(CL_INVALID_VALUE);
        snprintf(what, sizeof what, "%s, %s: domain %zu", machine->topology, sets[set], i);
        comes_to(what, device, list, &want);
        if (want.err)
            continue;
        splitting |= domains[i].bit;
        next = next ? next : domains[i].level;
        next_bit = next_bit ? next_bit : domains[i].bit;
        cl_device_id made[PARTS_MAX];
        cl_ok(clCreateSubDevices(device, list, PARTS_MAX, made, NULL));
        check_type(made[want.count - 1], list, 3);
        release_all(made, want.count);
    }
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    struct parts want =
        next ? read_parts(next) : nothing(set == NEO ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE);
    comes_to("next partitionable", device, list, &want);
    ck_assert_uint_eq(domains_of(device),
                      next ? splitting | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE : 0);
    ck_assert(lists(device, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) == (next != NULL));
    if (next) {
        const cl_device_partition_property used[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                     (cl_device_partition_property)next_bit, 0};
        cl_device_id made[PARTS_MAX];
        cl_ok(clCreateSubDevices(device, list, PARTS_MAX, made, NULL));
        check_type(made[0], used, 3);
        release_all(made, want.count);
    }
}
END_TEST

START_TEST(by_names)
{
    const struct machine *machine = machine_of(_i);
    int set = _i % SET_COUNT;
    const intptr_t units = machine->units;
    const struct {
        intptr_t names[5];
        cl_uint count; /* 0: wrong */
    } arguments[] = {
        {{0, -1, 0}, 1},    {{units - 1, 0, -1, 0}, 2}, {{0, 1, -1, 0}, 2},
        {{0, 0, -1, 0}, 0}, {{units, -1, 0}, 0},        {{-1, 0}, 0},
        {{-2, -1, 0}, 0},   {{1, 0, 1, -1, 0}, 0},      {{0, -1, 1, 0}, 0},
    };
    start(machine->topology, sets[set]);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        cl_device_partition_property list[8] = {CL_DEVICE_PARTITION_BY_NAMES_INTEL};
        struct parts want = {.count = 1, .units = {arguments[i].count}};
        memcpy(list + 1, arguments[i].names, sizeof arguments[i].names);
        if (set == NEO)
            want = nothing(machine->tiles ? CL_INVALID_VALUE : CL_DEVICE_PARTITION_FAILED);
        else if (set == POCL || machine->units == 1 || !arguments[i].count)
            want = nothing(CL_INVALID_VALUE);
        char what[100];
        snprintf(what, sizeof what, "%s, %s: names, list %zu", machine->topology, sets[set], i);
        comes_to(what, device, list, &want);
    }
}
END_TEST

START_TEST(root_reports_its_partitions)
{
    const struct machine *machine = machine_of(_i);
    int set = _i % SET_COUNT;
    start(machine->topology, sets[set]);
    bool numbers = set == POCL || (machine->units > 1 && set != NEO);
    ck_assert_uint_eq(units_of(device), machine->units);
    ck_assert_uint_eq(max_sub_devices(device), set == NEO ? machine->tiles : numbers ? machine->units : 0);
    ck_assert(lists(device, CL_DEVICE_PARTITION_EQUALLY) == numbers);
    ck_assert(lists(device, CL_DEVICE_PARTITION_BY_COUNTS) == numbers);
    ck_assert(lists(device, CL_DEVICE_PARTITION_BY_NAMES_INTEL) == (numbers && set != POCL));
    bool any = numbers || (set == NEO && machine->tiles);
    ck_assert(lists(device, 0) == !any);
    check_type(device, (const cl_device_partition_property[]){0}, 1);
    cl_device_id parent = device;
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    ck_assert_ptr_null(parent);
    cl_ok(clRetainDevice(device));
    ck_assert_uint_eq(references(device), 1);
    for (int i = 0; i < 3; i++)
        cl_ok(clReleaseDevice(device));
    ck_assert_uint_eq(references(device), 1);
}
END_TEST

/* ---- lists that are wrong, and arguments ----------------------------------------------------- */

START_TEST(lists_with_more_than_one_scheme_are_refused)
{
    start("four-numa-l4", sets[_i]);
    const cl_device_partition_property wrong[][8] = {
        {0},
        {-1, 2, 0},
        {0x1089, 0, 0},
        {0x4050, 2, 0},
        {CL_DEVICE_PARTITION_EQUALLY, 2, CL_DEVICE_PARTITION_BY_COUNTS, 2, 0, 0},
        {CL_DEVICE_PARTITION_EQUALLY, 2, 1},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_PARTITION_EQUALLY,
         2, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 64, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
         CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, -1, 0},
    };
    cl_uint count;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(clCreateSubDevices(device, wrong[i], 0, NULL, &count) == CL_INVALID_VALUE, "list %zu",
                      i);
    cl_is(clCreateSubDevices(device, NULL, 0, NULL, &count), CL_INVALID_VALUE);
}
END_TEST

/* After it nothing can be read. */
static cl_device_partition_property *guarded_end(void)
{
    const size_t page = 4096;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    return (cl_device_partition_property *)(void *)(pages + page);
}

/* A device that lacks the scheme, and one that has read enough, look no further. */
START_TEST(lists_are_read_no_further_than_they_must)
{
    cl_device_partition_property *end = guarded_end(), *one = end - 1;
    cl_uint count = 0;
    start("one-unit", "cts");
    one[0] = CL_DEVICE_PARTITION_BY_COUNTS;
    cl_is(clCreateSubDevices(device, one, 0, NULL, &count), CL_INVALID_VALUE);
    one[0] = -1;
    cl_is(clCreateSubDevices(device, one, 0, NULL, &count), CL_INVALID_VALUE);
}
END_TEST

START_TEST(counts_may_end_with_a_single_zero)
{
    cl_device_partition_property *end = guarded_end();
    cl_uint count = 0;
    start("cu:8", "cts");
    const cl_device_partition_property good[] = {CL_DEVICE_PARTITION_BY_COUNTS, 3, 1, 0};
    const cl_device_partition_property sum[] = {CL_DEVICE_PARTITION_BY_COUNTS, 3, 7};
    const cl_device_partition_property below[] = {CL_DEVICE_PARTITION_BY_COUNTS, -1};
    const cl_device_partition_property name[] = {CL_DEVICE_PARTITION_BY_NAMES_INTEL, 0, 8};
    const cl_device_partition_property zero[] = {CL_DEVICE_PARTITION_EQUALLY, 0};
    cl_ok(clCreateSubDevices(device, memcpy(end - 4, good, sizeof good), 0, NULL, &count));
    ck_assert_uint_eq(count, 2);
    cl_is(clCreateSubDevices(device, memcpy(end - 3, sum, sizeof sum), 0, NULL, &count),
          CL_INVALID_DEVICE_PARTITION_COUNT);
    cl_is(clCreateSubDevices(device, memcpy(end - 2, below, sizeof below), 0, NULL, &count),
          CL_INVALID_DEVICE_PARTITION_COUNT);
    cl_is(clCreateSubDevices(device, memcpy(end - 3, name, sizeof name), 0, NULL, &count), CL_INVALID_VALUE);
    cl_is(clCreateSubDevices(device, memcpy(end - 2, zero, sizeof zero), 0, NULL, &count), CL_INVALID_VALUE);
}
END_TEST

START_TEST(room_and_counts)
{
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_device_id made[5] = {0};
    cl_uint count = 0;
    start("cu:8", sets[_i]);
    cl_is(clCreateSubDevices(device, list, 0, made, &count), CL_INVALID_VALUE);
    cl_is(clCreateSubDevices(device, list, 3, made, &count), CL_INVALID_VALUE);
    ck_assert_ptr_null(made[0]);
    cl_ok(clCreateSubDevices(device, list, 5, made, &count));
    ck_assert_uint_eq(count, 4);
    ck_assert_ptr_null(made[4]);
    release_all(made, 4);
    cl_ok(clCreateSubDevices(device, list, 0, NULL, NULL));
    cl_is(clCreateSubDevices(device, list, 4, NULL, &count), _i == POCL ? CL_INVALID_VALUE : CL_SUCCESS);
}
END_TEST

START_TEST(handles_of_other_kinds_are_no_devices)
{
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id made[8];
    cl_uint count;
    start("cu:8", sets[_i]);
    context = cl_new_context();
    cl_is(clCreateSubDevices(NULL, list, 0, NULL, &count), CL_INVALID_DEVICE);
    cl_is(clCreateSubDevices((cl_device_id)context, list, 0, NULL, &count), CL_INVALID_DEVICE);
    cl_is(clCreateSubDevices((cl_device_id)platform, NULL, 0, NULL, &count), CL_INVALID_DEVICE);
    if (_i != NEO) {
        cl_ok(clCreateSubDevices(device, list, 8, made, NULL));
        release_all(made, 8);
        cl_is(clCreateSubDevices(made[0], list, 0, NULL, &count), CL_INVALID_DEVICE);
        cl_is(clReleaseDevice(made[0]), CL_INVALID_DEVICE);
        cl_is(clRetainDevice(made[0]), CL_INVALID_DEVICE);
    }
    cl_ok(clReleaseContext(context));
}
END_TEST

/* ---- sub-devices of sub-devices ----------------------------------------------------------------- */

START_TEST(part_too_small_is_refused)
{
    const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_partition_property lists_again[][5] = {
        {CL_DEVICE_PARTITION_EQUALLY, 1, 0},
        {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0},
        {CL_DEVICE_PARTITION_BY_NAMES_INTEL, 0, -1, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0},
        {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0},
    };
    cl_device_id made[32];
    cl_uint count;
    start("four-numa-l4", sets[_i]);
    cl_ok(clCreateSubDevices(device, ones, 32, made, NULL));
    ck_assert(lists(made[0], 0));
    ck_assert_uint_eq(domains_of(made[0]), 0);
    ck_assert_uint_eq(max_sub_devices(made[0]), 0);
    for (size_t i = 0; i < sizeof lists_again / sizeof *lists_again; i++)
        cl_is(clCreateSubDevices(made[0], lists_again[i], 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
    release_all(made, 32);
}
END_TEST

START_TEST(domains_of_a_part_are_those_within_it)
{
    const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    const cl_device_partition_property l4[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                               CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 0};
    const cl_device_partition_property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_device_id nodes[4], threes[2], twos[2], ones[2];
    cl_uint count;
    start("four-numa-l4", "cts");
    cl_ok(clCreateSubDevices(device, numa, 4, nodes, NULL));
    ck_assert_uint_eq(domains_of(nodes[1]),
                      CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE | CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE |
                          CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE);
    cl_is(clCreateSubDevices(nodes[1], l4, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
    cl_ok(clCreateSubDevices(nodes[1], next, 2, threes, NULL));
    check_type(threes[0],
               (const cl_device_partition_property[]){0x1088, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 0}, 3);
    cl_ok(clCreateSubDevices(threes[1], next, 2, twos, NULL));
    check_type(twos[0], (const cl_device_partition_property[]){0x1088, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 0},
               3);
    cl_ok(clCreateSubDevices(twos[0], next, 2, ones, NULL));
    check_type(ones[1], (const cl_device_partition_property[]){0x1088, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, 0},
               3);
    cl_is(clCreateSubDevices(ones[0], next, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
    /* Children keep their ancestors, whose handles stay good meanwhile. */
    release_all(nodes, 4);
    release_all(threes, 2);
    release_all(twos, 2);
    cl_device_id parent = NULL;
    cl_ok(clGetDeviceInfo(ones[0], CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, NULL));
    ck_assert_ptr_eq(parent, twos[0]);
    ck_assert_uint_eq(units_of(parent), 2);
    cl_is(clReleaseDevice(parent), CL_INVALID_DEVICE);
    cl_is(clRetainDevice(nodes[0]), CL_INVALID_DEVICE);
    release_all(ones, 2);
    cl_is(clRetainDevice(twos[0]), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(types_echo_the_request)
{
    const cl_device_partition_property requests[][8] = {
        {CL_DEVICE_PARTITION_EQUALLY, 3, 0},
        {CL_DEVICE_PARTITION_BY_COUNTS, 1, 4, 2, 0, 0},
        {CL_DEVICE_PARTITION_BY_NAMES_INTEL, 5, 0, 3, -1, 0},
    };
    const size_t words[] = {3, 6, 6};
    cl_device_id made[8];
    cl_uint count;
    start("cu:8", "cts");
    for (size_t i = 0; i < 3; i++) {
        cl_ok(clCreateSubDevices(device, requests[i], 8, made, &count));
        check_type(made[count - 1], requests[i], words[i]);
        release_all(made, count);
    }
}
END_TEST

START_TEST(caches_are_those_of_the_units)
{
    const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 4, 3, 10, 2, 0, 0};
    cl_device_id made[4];
    cl_ulong size[4];
    start("l3:1(size=3MiB) l2:2(size=1MiB) cu:2, l2:1(size=2MiB) cu:3, cu:12", "cts");
    cl_ok(clCreateSubDevices(device, parts, 4, made, NULL));
    for (int i = 0; i < 4; i++)
        cl_ok(clGetDeviceInfo(made[i], CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof size[i], &size[i], NULL));
    ck_assert_uint_eq(size[0], 3 << 20);
    ck_assert_uint_eq(size[1], 2 << 20);
    ck_assert_uint_eq(size[2], 0);
    cl_device_mem_cache_type type;
    cl_ok(clGetDeviceInfo(made[2], CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, sizeof type, &type, NULL));
    ck_assert_uint_eq(type, CL_NONE);
    release_all(made, 4);
}
END_TEST

/* ---- random machines ------------------------------------------------------------------------------ */

static uint32_t state;
static uint32_t draw(uint32_t bound)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
}

/* The memory of all NUMA nodes, and of one of them; 0 and 4 GiB by default. */
static cl_ulong memory_of_all, memory_of_node;

static void random_topology(char *text, size_t room)
{
    static const char *const levels[] = {"package", "numa", "l4", "l3", "l2", "l1"};
    size_t used = 0;
    cl_ulong nodes = 1;
    memory_of_node = 0;
    memory_of_all = (cl_ulong)4 << 30;
    for (size_t i = 0; i < 6; i++) {
        if (!draw(2))
            continue;
        unsigned count = 1 + draw(3);
        used += (size_t)snprintf(text + used, room - used, "%s:%u", levels[i], count);
        nodes *= i < 2 ? count : 1;
        if (i == 1 && draw(4)) {
            memory_of_node = (cl_ulong)(1 + draw(12000)) << 20;
            used += (size_t)snprintf(text + used, room - used, "(size=%luMiB)",
                                     (unsigned long)(memory_of_node >> 20));
            memory_of_all = nodes * memory_of_node;
        }
        used += (size_t)snprintf(text + used, room - used, " ");
    }
    snprintf(text + used, room - used, "cu:%u", 1 + draw(4));
}

static cl_ulong ulong_of(cl_device_id id, cl_device_info query)
{
    cl_ulong value = 0;
    cl_ok(clGetDeviceInfo(id, query, sizeof value, &value, NULL));
    return value;
}

/* OpenCL 3.0, table 5: at least a quarter of the memory, or 1 GiB when that is less... and never more than
 * all. */
static void has_memory(cl_device_id id, cl_ulong bytes)
{
    cl_ulong largest = ulong_of(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE), gib = (cl_ulong)1 << 30;
    ck_assert_uint_eq(ulong_of(id, CL_DEVICE_GLOBAL_MEM_SIZE), bytes);
    ck_assert_uint_ge(largest, bytes / 4 < gib ? bytes / 4 : gib);
    ck_assert_uint_eq(largest, bytes < gib ? bytes : bytes < 4 * gib ? gib : bytes / 4);
}

/* A device makes the partitions that it reports, and no others, at any depth. */
static void walk(cl_device_id id, int depth)
{
    static const cl_device_affinity_domain bits[] = {1, 2, 4, 8, 16, 32};
    cl_uint units = units_of(id), most = max_sub_devices(id), count;
    cl_device_affinity_domain domains = domains_of(id);
    has_memory(id, memory_of_all); /* of sub-devices, too: OpenCL 2.2 API, 4.2 */
    ck_assert_uint_le(most, units);
    ck_assert(lists(id, CL_DEVICE_PARTITION_EQUALLY) == (most > 0));
    ck_assert(lists(id, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) == (domains != 0));
    const cl_device_partition_property ones[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_int err = clCreateSubDevices(id, ones, 0, NULL, &count);
    ck_assert(most ? !err && count == most : err != CL_SUCCESS);
    for (size_t i = 0; i < 6; i++) {
        const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                     (cl_device_partition_property)bits[i], 0};
        cl_device_id made[PARTS_MAX];
        err = clCreateSubDevices(id, list, PARTS_MAX, made, &count);
        ck_assert_msg((err == CL_SUCCESS) == ((domains & bits[i]) != 0), "domain %zu: %d", i, err);
        if (err)
            continue;
        cl_uint sum = 0;
        ck_assert_uint_ge(count, 2);
        for (cl_uint k = 0; k < count; k++)
            sum += units_of(made[k]);
        ck_assert_uint_le(sum, units);
        if (depth < 3)
            walk(made[draw(count)], depth + 1);
        release_all(made, count);
    }
    if (most < 2)
        return;
    cl_uint each = 1 + draw(most - 1);
    const cl_device_partition_property several[] = {CL_DEVICE_PARTITION_EQUALLY, each, 0};
    cl_device_id made[PARTS_MAX];
    cl_ok(clCreateSubDevices(id, several, PARTS_MAX, made, &count));
    ck_assert_uint_eq(count, units / each);
    if (depth < 3)
        walk(made[draw(count)], depth + 1);
    release_all(made, count);
}

START_TEST(random_machines_keep_their_word)
{
    char text[200];
    state = (uint32_t)_i * 7919u + 1;
    random_topology(text, sizeof text);
    start(text, draw(2) ? "cts" : "spec");
    walk(device, 0);
}
END_TEST

/* ---- Intel's driver -------------------------------------------------------------------------------- */

/* GiB of all nodes, and of the first; a NUMA node is what Intel's driver calls a tile. */
static const struct {
    const char *topology;
    cl_ulong all, first;
} memories[] = {
    {"numa:2(size=3GiB) cu:2", 6, 3},
    {"numa:1(size=1GiB) cu:2, numa:1(size=2GiB) cu:2", 3, 1},
    {"package:2 numa:2(size=8GiB) cu:2", 32, 8},
    {"intel-pvc", 128, 64},
    {"numa:2(size=2GiB) cu:1, cu:4", 4, 2},
};
enum { MEMORY_COUNT = sizeof memories / sizeof *memories };

START_TEST(memory_is_that_of_the_nodes)
{
    const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_ulong all = memories[_i / SET_COUNT].all << 30, first = memories[_i / SET_COUNT].first << 30;
    int set = _i % SET_COUNT;
    cl_device_id nodes[8];
    cl_uint count;
    start(memories[_i / SET_COUNT].topology, sets[set]);
    has_memory(device, all);
    if (set == POCL)
        return;
    cl_ok(clCreateSubDevices(device, numa, 8, nodes, &count));
    has_memory(nodes[0], set == NEO ? first : all);
    release_all(nodes, count);
}
END_TEST

START_TEST(a_tile_that_is_a_root_has_its_own_memory)
{
    setenv("ORRERY_DEVICE_HIERARCHY", "flat", 1);
    start(memories[_i].topology, "cts");
    has_memory(device, memories[_i].first << 30);
}
END_TEST

START_TEST(memory_of_the_limits_is_everyones)
{
    setenv("ORRERY_DEVICE_HIERARCHY", "flat", 1);
    setenv("ORRERY_GLOBAL_MEM_SIZE", "2GiB", 1);
    setenv("ORRERY_MAX_ALLOC_SIZE", "1536MiB", 1);
    start(memories[_i].topology, "neo");
    ck_assert_uint_eq(ulong_of(device, CL_DEVICE_GLOBAL_MEM_SIZE), (cl_ulong)2 << 30);
    ck_assert_uint_eq(ulong_of(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE), (cl_ulong)1536 << 20);
}
END_TEST

/* No more than it has; the largest one alone. */
START_TEST(memory_can_be_had)
{
    cl_int err;
    char byte = 7, back = 0;
    start("intel-pvc", "cts");
    cl_context owner = cl_new_context();
    cl_command_queue on = cl_new_queue(owner, 0);
    cl_mem large = clCreateBuffer(owner, CL_MEM_READ_WRITE, (size_t)32 << 30, NULL, &err);
    cl_ok(err);
    cl_ok(clEnqueueWriteBuffer(on, large, CL_TRUE, ((size_t)32 << 30) - 1, 1, &byte, 0, NULL, NULL));
    cl_ok(clEnqueueReadBuffer(on, large, CL_TRUE, ((size_t)32 << 30) - 1, 1, &back, 0, NULL, NULL));
    ck_assert_int_eq(back, 7);
    ck_assert_ptr_null(clCreateBuffer(owner, CL_MEM_READ_WRITE, ((size_t)32 << 30) + 1, NULL, &err));
    ck_assert_int_eq(err, CL_INVALID_BUFFER_SIZE);
    cl_ok(clReleaseMemObject(large));
    cl_ok(clReleaseCommandQueue(on));
    cl_ok(clReleaseContext(owner));
}
END_TEST

START_TEST(neo_gives_the_same_tiles_each_time)
{
    const cl_device_partition_property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    const cl_device_partition_property either[] = {
        CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
        CL_DEVICE_AFFINITY_DOMAIN_NUMA | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_device_id a[2], b[2];
    cl_uint count = 0;
    start("intel-pvc", "neo");
    cl_ok(clCreateSubDevices(device, next, 7, NULL, &count));
    ck_assert_uint_eq(count, 2);
    cl_is(clCreateSubDevices(device, next, 1, a, NULL), CL_INVALID_VALUE);
    cl_ok(clCreateSubDevices(device, next, 2, a, NULL));
    cl_ok(clCreateSubDevices(device, either, 2, b, NULL));
    ck_assert_mem_eq(a, b, sizeof a);
    ck_assert_uint_eq(references(a[0]), 2);
    ck_assert_uint_eq(units_of(a[0]), 448);
    check_type(a[0], (const cl_device_partition_property[]){0x1088, CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0}, 3);
    ck_assert(lists(a[0], 0));
    ck_assert_uint_eq(max_sub_devices(a[0]), 0);
    cl_is(clCreateSubDevices(a[0], NULL, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED);
    release_all(a, 2);
    release_all(b, 2);
    cl_ok(clCreateSubDevices(device, next, 2, b, NULL));
    ck_assert_mem_eq(a, b, sizeof a);
    ck_assert_uint_eq(references(b[1]), 1);
    release_all(b, 2);
}
END_TEST

/* ---- life -------------------------------------------------------------------------------------------- */

START_TEST(contexts_and_queues_keep_sub_devices)
{
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    cl_device_id made[2], answer[2] = {0};
    cl_int err;
    start("cu:8", "cts");
    cl_ok(clCreateSubDevices(device, list, 2, made, NULL));
    cl_context both = clCreateContext(NULL, 2, made, NULL, NULL, &err);
    cl_ok(err);
    cl_command_queue first = clCreateCommandQueueWithProperties(both, made[0], NULL, &err);
    cl_ok(err);
    release_all(made, 2);
    cl_ok(clGetContextInfo(both, CL_CONTEXT_DEVICES, sizeof answer, answer, NULL));
    ck_assert_mem_eq(answer, made, sizeof made);
    ck_assert_uint_eq(units_of(made[1]), 4);
    cl_ok(clRetainDevice(made[1]));
    cl_ok(clReleaseContext(both));
    ck_assert_uint_eq(units_of(made[0]), 4);
    cl_ok(clGetCommandQueueInfo(first, CL_QUEUE_DEVICE, sizeof answer[0], answer, NULL));
    ck_assert_ptr_eq(answer[0], made[0]);
    cl_ok(clReleaseCommandQueue(first));
    cl_uint units;
    cl_is(clGetDeviceInfo(made[0], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
          CL_INVALID_DEVICE);
    ck_assert_uint_eq(units_of(made[1]), 4);
    cl_ok(clReleaseDevice(made[1]));
    cl_is(clReleaseDevice(made[1]), CL_INVALID_DEVICE);
}
END_TEST

START_TEST(references_count_up_and_down)
{
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 4, 0};
    cl_device_id made[2];
    start("cu:8", "cts");
    cl_ok(clCreateSubDevices(device, list, 2, made, NULL));
    for (cl_uint i = 2; i < 5; i++) {
        cl_ok(clRetainDevice(made[0]));
        ck_assert_uint_eq(references(made[0]), i);
    }
    for (cl_uint i = 4; i > 0; i--) {
        ck_assert_uint_eq(references(made[0]), i);
        cl_ok(clReleaseDevice(made[0]));
    }
    cl_is(clReleaseDevice(made[0]), CL_INVALID_DEVICE);
    cl_ok(clReleaseDevice(made[1]));
}
END_TEST

START_TEST(only_roots_are_listed)
{
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id made[8], found[8];
    cl_uint count = 0;
    size_t size = 0;
    cl_int err;
    start("cu:8", "cts");
    cl_ok(clCreateSubDevices(device, list, 8, made, NULL));
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, found, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_eq(found[0], device);
    cl_context all = clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &err);
    cl_ok(err);
    cl_ok(clGetContextInfo(all, CL_CONTEXT_DEVICES, 0, NULL, &size));
    ck_assert_uint_eq(size, sizeof *found);
    cl_ok(clReleaseContext(all));
    release_all(made, 8);
}
END_TEST

/* ---- another scenario, several threads --------------------------------------------------------------- */

typedef int load_function(const char *text, char *error, size_t error_size);

START_TEST(another_scenario_keeps_handles_of_roots)
{
    const cl_device_partition_property list[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_device_id made[4], found[4];
    cl_uint count = 0;
    load_function *load;
    start("cu:8", "cts");
    unsetenv("ORRERY_TOPOLOGY");
    *(void **)&load = clGetExtensionFunctionAddressForPlatform(platform, "orrery_load_scenario_text");
    cl_ok(clCreateSubDevices(device, list, 4, made, NULL));
    ck_assert_int_ne(load("orrery: 1\n", NULL, 0), 0);
    release_all(made, 4);
    ck_assert_int_eq(
        load("orrery: 1\ndevices: [{topology: \"cu:3\"}, {topology: \"numa:2 cu:2\"}]\n", NULL, 0), 0);
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, found, &count));
    ck_assert_uint_eq(count, 2);
    ck_assert_ptr_eq(found[0], device);
    ck_assert_uint_eq(units_of(found[0]), 3);
    ck_assert_uint_eq(units_of(found[1]), 4);
    cl_ok(clCreateSubDevices(found[1], list, 4, made, &count));
    ck_assert_uint_eq(count, 2);
    release_all(made, 2);
    ck_assert_int_eq(load("orrery: 1\ndevice: {topology: intel-pvc, errors: neo}\n", NULL, 0), 0);
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 4, found, &count));
    ck_assert_uint_eq(count, 1);
    ck_assert_ptr_eq(found[0], device);
    cl_is(clRetainDevice(found[1]), CL_INVALID_DEVICE);
    /* Tiles that only the platform remembers are no hindrance. */
    const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    setenv("ORRERY_ERRORS", "neo", 1);
    ck_assert_int_eq(load("orrery: 1\ndevice: {topology: intel-pvc}\n", NULL, 0), 0);
    cl_ok(clCreateSubDevices(device, numa, 2, made, NULL));
    ck_assert_int_ne(load("orrery: 1\n", NULL, 0), 0);
    cl_ok(clCreateSubDevices(device, numa, 2, found, NULL));
    release_all(made, 2);
    release_all(found, 2);
    setenv("ORRERY_ERRORS", "cts", 1);
    ck_assert_int_eq(load("orrery: 1\n", NULL, 0), 0);
    ck_assert_uint_eq(units_of(device), 8);
}
END_TEST

enum { THREADS = 6, ROUNDS = 200 };

static void *split_and_release(void *data)
{
    const cl_device_partition_property next[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    cl_device_id made[4], inner[4];
    size_t failures = 0;
    for (int i = 0; i < ROUNDS; i++) {
        cl_uint count = 0;
        failures += clCreateSubDevices(device, next, 4, made, NULL) != CL_SUCCESS;
        failures += clCreateSubDevices(made[i % 4], next, 4, inner, &count) != CL_SUCCESS;
        for (int k = 0; k < 4; k++)
            failures += clReleaseDevice(made[k]) != CL_SUCCESS;
        for (cl_uint k = 0; k < count; k++)
            failures += clReleaseDevice(inner[k]) != CL_SUCCESS;
    }
    *(size_t *)data = failures;
    return NULL;
}

START_TEST(threads_do_not_interfere)
{
    pthread_t threads[THREADS];
    size_t failures[THREADS];
    setenv("ORRERY_CHECK_API", "warning", 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    start("four-numa-l4", "cts");
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, split_and_release, &failures[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_uint_eq(failures[i], 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sub-devices");
    TCase *table = tcase_create("every machine and set of answers"),
          *rest = tcase_create("lists, parts, life");
    const int loops = MACHINE_COUNT * SET_COUNT;
    tcase_add_loop_test(table, equally, 0, loops);
    tcase_add_loop_test(table, by_counts, 0, loops);
    tcase_add_loop_test(table, by_affinity_domain, 0, loops);
    tcase_add_loop_test(table, by_names, 0, loops);
    tcase_add_loop_test(table, root_reports_its_partitions, 0, loops);
    suite_add_tcase(suite, table);
    tcase_add_loop_test(rest, lists_with_more_than_one_scheme_are_refused, 0, SET_COUNT);
    tcase_add_test(rest, lists_are_read_no_further_than_they_must);
    tcase_add_test(rest, counts_may_end_with_a_single_zero);
    tcase_add_loop_test(rest, room_and_counts, 0, NEO);
    tcase_add_loop_test(rest, handles_of_other_kinds_are_no_devices, 0, SET_COUNT);
    tcase_add_loop_test(rest, part_too_small_is_refused, 0, NEO);
    tcase_add_test(rest, domains_of_a_part_are_those_within_it);
    tcase_add_test(rest, types_echo_the_request);
    tcase_add_test(rest, caches_are_those_of_the_units);
    tcase_add_loop_test(rest, random_machines_keep_their_word, 0, 60);
    tcase_add_loop_test(rest, memory_is_that_of_the_nodes, 0, MEMORY_COUNT * SET_COUNT);
    tcase_add_loop_test(rest, a_tile_that_is_a_root_has_its_own_memory, 0, MEMORY_COUNT);
    tcase_add_loop_test(rest, memory_of_the_limits_is_everyones, 0, MEMORY_COUNT);
    tcase_add_test(rest, memory_can_be_had);
    tcase_add_test(rest, neo_gives_the_same_tiles_each_time);
    tcase_add_test(rest, contexts_and_queues_keep_sub_devices);
    tcase_add_test(rest, references_count_up_and_down);
    tcase_add_test(rest, only_roots_are_listed);
    tcase_add_test(rest, another_scenario_keeps_handles_of_roots);
    tcase_add_test(rest, threads_do_not_interfere);
    suite_add_tcase(suite, rest);
    return cl_run_suite(suite);
}
