/* SPDX-License-Identifier: Apache-2.0 */
/* The device port: memory commands, launch checks, and findings of faults. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/device_state.h"
#include "tests/support/fake_interp.h"
#include "orrery/report.h"

static struct scenario scenario;
static struct report *report;
static struct device *device;
static struct program *program;

static bool third(const struct item *item)
{
    return item->global_id[0] == 2;
}

static const struct kernel_arg arg_rows[] = {{.name = "data", .kind = ARG_GLOBAL, .size = 8},
                                             {.name = "table", .kind = ARG_CONSTANT, .size = 8},
                                             {.name = "scratch", .kind = ARG_LOCAL, .size = 8},
                                             {.name = "count", .kind = ARG_VALUE, .size = 4}};
static const struct local_object local_rows[] = {{.size = 1020, .align = 64, .arg = -1, .name = "tile"},
                                                 {.align = 64, .arg = 2, .name = "scratch"}};
static const struct private_object private_rows[] = {{.low = 0, .high = 40, .name = "a"},
                                                     {.low = 48, .high = 64, .name = "b"}};
static const struct module_variable variable_rows[] = {
    {.name = "toy.counter", .size = 16, .align = 4},
    {.name = "primes", .size = 32, .align = 16, .constant = true}};

static void open_device(void)
{
    ck_assert_int_eq(device_new(&scenario, report, &device, NULL), STATUS_OK);
}

static void setup(void)
{
    scenario_default(&scenario);
    checks_fast(scenario.checks);
    report = report_new(&scenario);
    report_set_stream(report, NULL, false);
    fake_program = (struct fake_program){.info = {.name = "toy", .arg_count = 4, .args = arg_rows},
                                         .traits = {.sees_groups = true},
                                         .locals = local_rows,
                                         .local_count = 2,
                                         .privates = private_rows,
                                         .private_count = 2,
                                         .private_size = 64,
                                         .variables = variable_rows,
                                         .variable_count = 2};
    open_device();
}

static void teardown(void)
{
    if (program)
        program_release(program);
    program = NULL;
    device_free(device);
    report_free(report);
    scenario_fini(&scenario);
    ck_assert_uint_eq(fake_waves_alive, 0);
}

static void reopen(void)
{
    device_free(device);
    open_device();
}

static enum status try_load(const struct fake_op *ops, uint32_t magic)
{
    struct program_request request = {.words = &magic,
                                      .word_count = 1,
                                      .source_name = "dir/toy.cl",
                                      .source_text = "first\r\nsecond\nthird"};
    fake_program.ops = ops;
    return program_load(device, &request, &program, NULL);
}

/* ---- memory ----------------------------------------------------------------------- */

static uint64_t take(size_t size, uint32_t flags)
{
    uint64_t address = 0;
    ck_assert_int_eq(device_alloc(device, size, 0, flags, "buffer 1", &address), STATUS_OK);
    return address;
}

START_TEST(allocation_and_its_edges)
{
    uint64_t address = take(100, 0), start, size;
    ck_assert(device_allocation(device, address + 99, &start, &size));
    ck_assert_uint_eq(start, address);
    ck_assert_uint_eq(size, 100);
    ck_assert(!device_allocation(device, address + 100, &start, &size));
    ck_assert_uint_eq(device_memory_used(device), 100);
    device_release(device, address);
    ck_assert(!device_allocation(device, address, &start, &size));
    ck_assert_uint_eq(device_memory_used(device), 0);
    device_release(device, address); /* a second time: nothing happens */
    ck_assert_int_eq(device_alloc(device, 0, 0, 0, "", &address), STATUS_BAD_ARGUMENT);
    ck_assert_int_eq(device_alloc(device, 8, 3, 0, "", &address), STATUS_BAD_ARGUMENT);
    ck_assert_int_eq(device_alloc(device, SIZE_MAX, 0, 0, "", &address), STATUS_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(device_alloc(device, scenario.device.global_memory + 1, 0, 0, "", &address),
                     STATUS_OUT_OF_DEVICE_MEMORY);
    ck_assert_int_eq(device_alloc(device, 8, 65536, 0, "", &address), STATUS_OK);
    ck_assert_uint_eq(address % 65536, 0);
}
END_TEST

START_TEST(write_read_copy_fill)
{
    uint64_t a = take(64, 0), b = take(64, 0);
    char out[64], text[] = "the quick brown fox";
    ck_assert_int_eq(device_write(device, 1, a + 3, text, sizeof text), STATUS_OK);
    ck_assert_int_eq(device_copy(device, 2, b, a, 64), STATUS_OK);
    ck_assert_int_eq(device_read(device, 3, b + 3, out, sizeof text), STATUS_OK);
    ck_assert_str_eq(out, text);
    ck_assert_int_eq(device_copy(device, 4, b + 4, b + 3, 32), STATUS_OK); /* overlaps */
    ck_assert_int_eq(device_read(device, 5, b + 4, out, sizeof text), STATUS_OK);
    ck_assert_str_eq(out, text);
    ck_assert_int_eq(device_fill(device, 6, a + 6, "abc", 3, 12), STATUS_OK);
    ck_assert_int_eq(device_read(device, 7, a, out, 64), STATUS_OK);
    ck_assert_mem_eq(out + 3, "theabcabcabcabcx", 15);
    ck_assert_int_eq(device_fill(device, 6, a, "abc", 3, 13), STATUS_BAD_ARGUMENT);
    ck_assert_int_eq(device_write(device, 1, a + 60, text, 5), STATUS_BAD_ARGUMENT);
    ck_assert_int_eq(device_read(device, 1, a - 1, out, 5), STATUS_BAD_ARGUMENT);
    ck_assert_int_eq(device_copy(device, 1, a, b, 65), STATUS_BAD_ARGUMENT);
    ck_assert_int_eq(device_read(device, 1, 0, out, 5), STATUS_BAD_ARGUMENT);
}
END_TEST

static bool valid(uint64_t address, uint64_t size)
{
    return memory_range_valid(memory_region(&device->arena.memory, address), address, size);
}

START_TEST(commands_carry_validity)
{
    scenario.checks[CHECK_UNINITIALISED] = SEVERITY_ERROR;
    reopen();
    uint64_t a = take(64, 0), b = take(64, 0);
    ck_assert(!valid(a, 1));
    device_write(device, 1, a + 8, "12345678", 8);
    ck_assert(valid(a + 8, 8) && !valid(a + 7, 2) && !valid(a + 15, 2));
    device_copy(device, 1, b, a, 64);
    ck_assert(valid(b + 8, 8) && !valid(b + 7, 1) && !valid(b + 16, 1));
    device_copy(device, 1, b + 12, b + 8, 16);
    ck_assert(valid(b + 8, 12) && !valid(b + 20, 1));
    device_fill(device, 1, b, "x", 1, 64);
    ck_assert(valid(b, 64));
    device_unmap(device, 1, 0, a, 64, DEVICE_MAP_WRITE, NULL);
    ck_assert(valid(a, 64));
}
END_TEST

START_TEST(time_advances_with_work)
{
    uint64_t before = device_clock(device), address = take(1 << 20, 0);
    ck_assert_uint_gt(before, 0);
    ck_assert_uint_eq(device_clock(device), before);
    static char bytes[1 << 20];
    device_write(device, 1, address, bytes, 16);
    uint64_t small = device_clock(device) - before;
    device_write(device, 1, address, bytes, sizeof bytes);
    ck_assert_uint_gt(device_clock(device) - before - small, small * 10);
    uint64_t now = device_clock(device);
    ck_assert_uint_eq(device_clock_tick(device, 5), now + 5);
}
END_TEST

static uint64_t events[7];
static void on_command(void *self, const struct command_event *event)
{
    uint64_t *at = self;
    events[(*at)++ % 7] = (uint64_t)event->command << 32 | (uint64_t)event->kind << 16 | event->size_bytes;
}

START_TEST(commands_are_announced)
{
    uint64_t count = 0, a = take(64, 0);
    struct observer observer = {.self = &count, .command = on_command};
    char out[64];
    device_add_observer(device, &observer);
    device_write(device, 1, a, "12345678", 8);
    device_read(device, 2, a, out, 9);
    device_copy(device, 3, a + 32, a, 10);
    device_fill(device, 4, a, "x", 1, 11);
    ck_assert_uint_eq(count, 7); /* host memory too */
    uint64_t w = ACCESS_WRITE, r = ACCESS_READ;
    uint64_t expected[] = {UINT64_C(1) << 32 | r << 16 | 8,  UINT64_C(1) << 32 | w << 16 | 8,
                           UINT64_C(2) << 32 | r << 16 | 9,  UINT64_C(2) << 32 | w << 16 | 9,
                           UINT64_C(3) << 32 | r << 16 | 10, UINT64_C(3) << 32 | w << 16 | 10,
                           UINT64_C(4) << 32 | w << 16 | 11};
    ck_assert_mem_eq(events, expected, sizeof expected);
}
END_TEST

static void count_access(void *self, const struct access_event *event)
{
    *(uint64_t *)self += event->size_bytes;
}

static void count_sync(void *self, const struct sync_event *event)
{
    *(uint64_t *)self += event->regions;
}

static const struct observer *wrapper;
static const struct observer *find_wrapper(void *self, const struct launch_info *launch)
{
    (void)self;
    return launch->launch == 7 ? wrapper : NULL;
}

/* The operations of a wave of the launch. */
static void act(uint32_t launch)
{
    const struct launch_info info = {.launch = launch};
    const struct observer *observer = device_wave_observer(device, &info);
    observer->access(observer->self, &(struct access_event){.size_bytes = 100});
    observer->sync(observer->self, &(struct sync_event){.regions = REGION_GLOBAL});
}

START_TEST(waves_call_only_the_observers_of_an_event)
{
    uint64_t one = 0, stead = 0, other = 0, commands = 0;
    const struct observer in_stead = {.self = &stead, .access = count_access, .sync = count_sync},
                          first = {.self = &one,
                                   .access = count_access,
                                   .sync = count_sync,
                                   .for_launch = find_wrapper},
                          only_commands = {.self = &commands, .command = on_command},
                          second = {.self = &other, .access = count_access};
    wrapper = &in_stead;
    device_add_observer(device, &only_commands);
    device_add_observer(device, &first);
    act(7);
    ck_assert_uint_eq(one, 0);
    ck_assert_uint_eq(stead, 101);
    act(8);
    ck_assert_uint_eq(one, 101);
    device_add_observer(device, &second); /* each receives it now, and by itself */
    act(7);
    ck_assert_uint_eq(one, 202);
    ck_assert_uint_eq(stead, 101);
    ck_assert_uint_eq(other, 100);
}
END_TEST

START_TEST(single_observer_gets_wrapper)
{
    uint64_t one = 0, stead = 0;
    const struct observer in_stead = {.self = &stead, .access = count_access, .sync = count_sync},
                          first = {.self = &one,
                                   .access = count_access,
                                   .sync = count_sync,
                                   .for_launch = find_wrapper};
    wrapper = &in_stead;
    device_add_observer(device, &first);
    act(8);
    act(7);
    ck_assert_uint_eq(one, 101);
    ck_assert_uint_eq(stead, 101);
}
END_TEST

/* ---- programs and launches ------------------------------------------------------------ */

static const struct fake_op empty[] = {{.kind = FAKE_RETURN}};

START_TEST(program_has_kernels_and_variables)
{
    ck_assert_int_eq(try_load(empty, 1), STATUS_BAD_BINARY);
    ck_assert_uint_eq(device_memory_used(device), 0);
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    ck_assert_uint_eq(program_kernel_count(program), 1);
    ck_assert_ptr_eq(program_find_kernel(program, "toy"), program_kernel(program, 0));
    ck_assert_ptr_null(program_find_kernel(program, "toys"));
    ck_assert_ptr_null(program_kernel(program, 1));
    ck_assert_str_eq(kernel_info(program_kernel(program, 0))->name, "toy");
    ck_assert_uint_eq(program_variable_bytes(program), 16);
    ck_assert_uint_eq(device_memory_used(device), 48);
    program_release(program);
    program = NULL;
    ck_assert_uint_eq(device_memory_used(device), 0);
}
END_TEST

static uint64_t data, table, scratch_bytes = 256;
static uint32_t count_value = 5;

static struct launch_request request_of(uint64_t global, uint64_t local)
{
    static struct launch_arg args[4];
    args[0] = (struct launch_arg){&data, 8, 0, 0};
    args[1] = (struct launch_arg){&table, 8, 0, 0};
    args[2] = (struct launch_arg){&scratch_bytes, 8, 0, 0};
    args[3] = (struct launch_arg){&count_value, 4, 0, 0};
    return (struct launch_request){.kernel = program_kernel(program, 0),
                                   .command = 1,
                                   .work_dim = 1,
                                   .global_size = {global, 1, 1},
                                   .local_size = {local, 1, 1},
                                   .args = args,
                                   .arg_count = 4};
}

START_TEST(launch_refuses_invalid_requests)
{
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    struct launch_request request = request_of(64, 0);
    struct diagnosis diagnosis = {0};
    ck_assert_int_eq(device_launch(device, &request, &diagnosis), STATUS_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, "work-group size 0"));
    request = request_of(64, 2000);
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_BAD_ARGUMENT);
    request = request_of(64, 1024);
    request.local_size[1] = 2;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_BAD_ARGUMENT);
    request = request_of(64, 64);
    request.work_dim = 4;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_BAD_ARGUMENT);
    request = request_of(64, 64);
    request.arg_count = 3;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_BAD_ARGUMENT);
    struct kernel_info *info = (struct kernel_info *)(uintptr_t)kernel_info(request.kernel);
    info->required_sub_group_size = 7;
    request = request_of(64, 64);
    diagnosis = (struct diagnosis){0};
    ck_assert_int_eq(device_launch(device, &request, &diagnosis), STATUS_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, "requires sub-groups of 7"));
    info->required_sub_group_size = 0;
    request = request_of(2, 2);
    request.global_offset[0] = UINT64_MAX;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_BAD_ARGUMENT);
    request.global_offset[0] = UINT64_MAX - 1;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OK);
    ck_assert_uint_eq(device_kernels_run(device), 1);
}
END_TEST

START_TEST(local_memory_is_limited)
{
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    struct launch_request request = request_of(64, 64);
    scratch_bytes = scenario.device.local_memory - 1024;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OK);
    scratch_bytes++;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OUT_OF_RESOURCES);
    scratch_bytes = UINT64_MAX;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OUT_OF_RESOURCES);
    scratch_bytes = 256;
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OK);
    ck_assert_uint_eq(fake_local_address % 64, 0);
    const struct region *tile = memory_region(&device->arena.memory, fake_local_address);
    ck_assert_str_eq(tile->name, "tile");
    ck_assert_uint_eq(tile->high - tile->low, 1020);
    ck_assert_uint_eq(tile->deny, DENY_KERNEL_READ | DENY_KERNEL_WRITE); /* no group is running */
}
END_TEST

START_TEST(private_memory_is_limited)
{
    fake_program.private_size = (uint32_t)scenario.device.private_memory + 4;
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    struct launch_request request = request_of(64, 64);
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OUT_OF_RESOURCES);
    ck_assert_int_eq(report_get(report, 0)->kind, FINDING_PRIVATE_OVERFLOW);
}
END_TEST

START_TEST(suggested_local_sizes)
{
    struct {
        uint32_t dims;
        uint64_t global[3], local[3];
    } rows[] = {
        {1, {1024, 1, 1}, {256, 1, 1}},       {1, {1000, 1, 1}, {250, 1, 1}},
        {1, {257, 1, 1}, {1, 1, 1}},          {1, {1, 1, 1}, {1, 1, 1}},
        {2, {64, 64, 1}, {64, 4, 1}},         {3, {8, 8, 8}, {8, 8, 4}},
        {2, {1920, 1080, 1}, {240, 1, 1}},    {1, {0, 1, 1}, {1, 1, 1}},
        {1, {UINT64_MAX, 1, 1}, {255, 1, 1}},
    };
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t local[3];
        device_suggest_local_size(&scenario.device, program_kernel(program, 0), rows[i].dims, rows[i].global,
                                  local);
        ck_assert_mem_eq(local, rows[i].local, sizeof local);
    }
    program_release(program);
    fake_program.info.required_size[0] = 8, fake_program.info.required_size[1] = 4,
    fake_program.info.required_size[2] = 1;
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    uint64_t local[3], required[3] = {8, 4, 1};
    device_suggest_local_size(&scenario.device, program_kernel(program, 0), 2, (uint64_t[3]){64, 64, 1},
                              local);
    ck_assert_mem_eq(local, required, sizeof local);
}
END_TEST

START_TEST(places_in_the_source)
{
    struct source_place place;
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    program_site(program, 0, &place); /* nothing has run */
    ck_assert_uint_eq(place.line, 0);
    ck_assert_ptr_null(place.text);
    struct launch_request request = request_of(64, 64);
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OK);
    program_site(program, 0, &place);
    ck_assert_uint_eq(place.line, 1);
    ck_assert_uint_eq(place.column, 3);
    ck_assert_str_eq(place.text, "first");
    ck_assert_str_eq(place.file, "dir/toy.cl");
    program_site(program, 99, &place);
    ck_assert_uint_eq(place.line, 0);
    char *listing = program_listing(program);
    ck_assert_str_eq(listing, "toy\n");
    free(listing);
}
END_TEST

/* ---- faults ---------------------------------------------------------------------------- */

/* One launch of four work-items of which the third is at fault. */
static const struct finding *provoke(enum fault_kind kind, uint64_t address, uint32_t size,
                                     bool private_space)
{
    static struct fake_op ops[2];
    ops[0] = (struct fake_op){
        .kind = FAKE_FAULT,
        .test = third,
        .fault = {.kind = kind, .address = address, .size = size, .private_space = private_space}};
    ops[1] = (struct fake_op){.kind = FAKE_RETURN};
    if (program)
        program_release(program);
    ck_assert_int_eq(try_load(ops, 0x07230203), STATUS_OK);
    report_clear(report);
    struct launch_request request = request_of(4, 4);
    ck_assert_int_eq(device_launch(device, &request, NULL), STATUS_OK);
    ck_assert_uint_eq(report_count(report), 1);
    const struct finding *finding = report_get(report, 0);
    ck_assert_uint_eq(finding->access_count, 1);
    ck_assert_uint_eq(finding->access[0].item.global_id[0], 2);
    ck_assert_uint_eq(finding->access[0].size_bytes, size);
    ck_assert_uint_eq(finding->access[0].place.line, 1);
    ck_assert_str_eq(finding->kernel, "toy");
    return finding;
}

static void expect(const struct finding *finding, enum finding_kind kind, const char *object, const char *why)
{
    ck_assert_int_eq(finding->kind, kind);
    if (object)
        ck_assert_str_eq(finding->object, object);
    else
        ck_assert_ptr_null(finding->object);
    ck_assert_str_eq(finding->why, why);
}

static void take_args(void)
{
    data = take(64, 0);
    table = take(128, ALLOC_KERNEL_READ_ONLY);
}

START_TEST(past_the_end)
{
    take_args();
    const struct finding *finding = provoke(FAULT_WRITE, data + 64, 4, false);
    expect(finding, FINDING_OUT_OF_BOUNDS_WRITE, "argument 0 'data' (buffer, 64 bytes)",
           "the access of 4 bytes begins directly after the end of argument 0 'data' (buffer, 64 bytes)");
    ck_assert(finding->has_offset);
    ck_assert_uint_eq(finding->offset_bytes, 64);
    ck_assert_int_eq(finding->access[0].kind, ACCESS_WRITE);
    expect(provoke(FAULT_READ, data + 68, 1, false), FINDING_OUT_OF_BOUNDS_READ,
           "argument 0 'data' (buffer, 64 bytes)",
           "the access of 1 byte begins 4 bytes past the end of argument 0 'data' (buffer, 64 bytes)");
    expect(provoke(FAULT_READ, table + 124, 8, false), FINDING_OUT_OF_BOUNDS_READ,
           "argument 1 'table' (buffer, 128 bytes)",
           "the access of 8 bytes begins inside and runs 4 bytes past the end of argument 1 'table' (buffer, "
           "128 bytes)");
}
END_TEST

/* Nothing says what the pointer derives from. */
START_TEST(far_past_the_end)
{
    take_args();
    expect(provoke(FAULT_READ, table + 255, 1, false), FINDING_OUT_OF_BOUNDS_READ,
           "argument 1 'table' (buffer, 128 bytes)",
           "the access of 1 byte begins 127 bytes past the end of argument 1 'table' (buffer, 128 bytes)");
    expect(
        provoke(FAULT_READ, table + 256, 4, false), FINDING_OUT_OF_BOUNDS_READ,
        "argument 1 'table' (buffer, 128 bytes)",
        "the access of 4 bytes begins 128 bytes past the end of argument 1 'table' (buffer, 128 bytes), the "
        "nearest object; the pointer may come from another one");
}
END_TEST

START_TEST(before_the_start)
{
    take(64, 0); /* shifts the colour, so that there is room before data in its granule */
    take_args();
    const struct finding *finding = provoke(FAULT_READ, data - 8, 4, false);
    expect(finding, FINDING_OUT_OF_BOUNDS_READ, "argument 0 'data' (buffer, 64 bytes)",
           "the access of 4 bytes begins 8 bytes before the start of argument 0 'data' (buffer, 64 bytes)");
    ck_assert(!finding->has_offset);
    expect(provoke(FAULT_READ, data - 2, 4, false), FINDING_OUT_OF_BOUNDS_READ,
           "argument 0 'data' (buffer, 64 bytes)",
           "the access of 4 bytes begins 2 bytes before the start of, and runs into, argument 0 'data' "
           "(buffer, 64 bytes)");
}
END_TEST

START_TEST(null_pointers)
{
    take_args();
    expect(provoke(FAULT_READ, 0, 4, false), FINDING_NULL_READ, NULL, "the pointer is null");
    table = 0;
    expect(provoke(FAULT_WRITE, 20, 4, false), FINDING_NULL_WRITE, NULL,
           "the address is 20 bytes from a null pointer; argument 1 'table' is NULL");
    data = 0;
    expect(provoke(FAULT_WRITE, 20, 4, false), FINDING_NULL_WRITE, NULL,
           "the address is 20 bytes from a null pointer");
}
END_TEST

START_TEST(freed_memory)
{
    take_args();
    uint64_t gone = data;
    device_release(device, gone);
    data = take(64, 0);
    expect(provoke(FAULT_READ, gone + 8, 4, false), FINDING_USE_AFTER_FREE, "buffer 1 (64 bytes)",
           "buffer 1 (64 bytes) has been released by the host");
}
END_TEST

START_TEST(denied_memory)
{
    take_args();
    expect(provoke(FAULT_WRITE, table, 4, false), FINDING_READ_ONLY_WRITE,
           "argument 1 'table' (buffer, 128 bytes)",
           "argument 1 'table' (buffer, 128 bytes) was created for kernels to read only");
    data = take(64, ALLOC_KERNEL_WRITE_ONLY);
    expect(provoke(FAULT_READ, data, 4, false), FINDING_WRITE_ONLY_READ,
           "argument 0 'data' (buffer, 64 bytes)",
           "argument 0 'data' (buffer, 64 bytes) was created for kernels to write only");
    expect(provoke(FAULT_WRITE, data, 4, false), FINDING_WRITE_ONLY_READ,
           "argument 0 'data' (buffer, 64 bytes)",
           "argument 0 'data' (buffer, 64 bytes) was created for kernels to write only");
    data = take(64, ALLOC_SVM);
    device_map(device, 1, data, 64, DEVICE_MAP_WRITE, NULL);
    expect(provoke(FAULT_READ, data, 4, false), FINDING_MAPPED_ACCESS,
           "argument 0 'data' (SVM allocation, 64 bytes)",
           "the host has mapped argument 0 'data' (SVM allocation, 64 bytes) for writing and not yet "
           "unmapped it");
    device_unmap(device, 1, 0, data, 64, DEVICE_MAP_WRITE, NULL);
    ck_assert_uint_eq(memory_region(&device->arena.memory, data)->deny, 0);
    device_map(device, 1, data, 32, DEVICE_MAP_WRITE, NULL); /* a part: kernels may use the rest */
    expect(
        provoke(FAULT_READ, data + 28, 4, false), FINDING_MAPPED_ACCESS,
        "argument 0 'data' (SVM allocation, 64 bytes)",
        "the host has mapped bytes 0..31 of argument 0 'data' (SVM allocation, 64 bytes) for writing and not "
        "yet unmapped it");
    const struct region *region = memory_region(&device->arena.memory, data);
    ck_assert_uint_eq(memory_denied(region, data + 32, 32), 0);
    ck_assert_uint_eq(memory_denied(region, data + 31, 2), DENY_KERNEL_READ | DENY_KERNEL_WRITE);
    device_map(device, 1, data + 60, 4, DEVICE_MAP_READ, NULL);
    ck_assert_uint_eq(memory_denied(region, data + 32, 32), DENY_KERNEL_WRITE);
    device_unmap(device, 1, 0, data, 32, DEVICE_MAP_WRITE, NULL);
    ck_assert_uint_eq(memory_denied(region, data, 60), 0);
}
END_TEST

START_TEST(commands_are_held_to_maps)
{
    char bytes[64] = "";
    data = take(64, 0);
    uint64_t other = take(64, 0);
    device_map(device, 1, data + 16, 16, DEVICE_MAP_READ, NULL);
    device_read(device, 2, data, bytes, 64); /* reading is no fault */
    device_write(device, 3, data, bytes, 16);
    ck_assert_uint_eq(report_count(report), 0);
    device_write(device, 4, data, bytes, 17);
    ck_assert_uint_eq(report_count(report), 1);
    const struct finding *finding = report_get(report, 0);
    ck_assert_int_eq(finding->kind, FINDING_MAPPED_ACCESS);
    ck_assert_str_eq(finding->access[0].by, "a command of the host (command 4)");
    device_unmap(device, 5, 0, data + 16, 16, DEVICE_MAP_READ, NULL);
    device_map(device, 6, data + 16, 16, DEVICE_MAP_WRITE, NULL);
    report_clear(report);
    device_copy(device, 7, other, data, 64);
    ck_assert_uint_eq(report_count(report), 1);
    device_fill(device, 8, data, "x", 1, 64);
    ck_assert_uint_eq(report_count(report), 2);
}
END_TEST

static uint64_t address_named(const char *name)
{
    const struct memory *memory = &device->arena.memory;
    for (uint32_t i = 1; i < memory->region_count; i++)
        if (strcmp(memory->regions[i].name, name) == 0 && !(memory->regions[i].flags & REGION_FLAG_FREED))
            return memory->regions[i].low;
    return 0;
}

START_TEST(variables_and_constants)
{
    take_args();
    ck_assert_int_eq(try_load(empty, 0x07230203), STATUS_OK);
    uint64_t counter = address_named("toy.counter");
    ck_assert_mem_eq((void *)(uintptr_t)counter, "\x11\x22\x33\x44", 4);
    const struct finding *finding = provoke(FAULT_READ, counter, 4, false);
    ck_assert_int_eq(finding->kind, FINDING_USE_AFTER_FREE); /* of the first program */
    ck_assert_str_eq(finding->object, "program-scope variable 'counter' (16 bytes)");
    ck_assert_uint_ne(memory_region(&device->arena.memory, address_named("primes"))->deny & DENY_KERNEL_WRITE,
                      0);
}
END_TEST

START_TEST(private_variables)
{
    take_args();
    const struct finding *finding = provoke(FAULT_WRITE, PRIVATE_BASE + 40, 4, true);
    expect(finding, FINDING_OUT_OF_BOUNDS_WRITE, "private variable 'a' (40 bytes)",
           "the access of 4 bytes begins directly after the end of private variable 'a' (40 bytes)");
    ck_assert_uint_eq(finding->offset_bytes, 40);
    expect(provoke(FAULT_READ, PRIVATE_BASE + 72, 4, true), FINDING_OUT_OF_BOUNDS_READ,
           "private variable 'b' (16 bytes)",
           "the access of 4 bytes begins 8 bytes past the end of private variable 'b' (16 bytes)");
}
END_TEST

START_TEST(other_address_spaces)
{
    take_args();
    expect(provoke(FAULT_READ, PRIVATE_BASE + 8, 4, false), FINDING_WRONG_ADDRESS_SPACE, NULL,
           "the pointer is global, the address it holds is private");
    expect(provoke(FAULT_READ, data, 4, true), FINDING_WRONG_ADDRESS_SPACE, NULL,
           "the pointer is global, the address it holds is global");
}
END_TEST

START_TEST(misaligned_and_unreachable)
{
    take_args();
    const struct finding *finding = provoke(FAULT_MISALIGNED, data + 2, 4, false);
    expect(finding, FINDING_MISALIGNED, "argument 0 'data' (buffer, 64 bytes)",
           "offset 2 is not a multiple of 4, the alignment of the type");
    finding = provoke(FAULT_UNREACHABLE, 0, 0, false);
    ck_assert_int_eq(finding->kind, FINDING_UNREACHABLE);
}
END_TEST

START_TEST(wild_addresses)
{
    take_args();
    uint64_t wild[] = {UINT64_MAX,
                       UINT64_MAX - 3,
                       UINT64_C(1) << 63,
                       1u << 20,
                       device->arena.memory.base,
                       UINT64_C(0x7fffffffffff)};
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
        ck_assert_int_eq(provoke(FAULT_READ, wild[i], 4, false)->kind, FINDING_OUT_OF_BOUNDS_READ);
}
END_TEST

static char printed[100];
static void sink(void *self, const char *text, size_t size)
{
    (void)self;
    strncat(printed, text, size);
}

START_TEST(printf_goes_to_the_sink)
{
    struct wave wave = {0};
    struct device_config config = {.printf_buffer = 10};
    struct launch launch = {.config = &config};
    printed[0] = '\0';
    device->launch = &launch;
    device_set_printf(device, sink, NULL);
    ck_assert(device->host.print(device->host.self, &wave, "hello\n", 6));
    ck_assert(device->host.may_print(device->host.self));
    ck_assert(!device->host.print(device->host.self, &wave, "there\n", 6));
    ck_assert(!device->host.may_print(device->host.self)); /* nothing follows a gap */
    ck_assert_str_eq(printed, "hello\n");
    ck_assert_uint_eq(launch.not_printed, 2);
    device->launch = NULL;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device");
    TCase *tests = tcase_create("device");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, allocation_and_its_edges);
    tcase_add_test(tests, write_read_copy_fill);
    tcase_add_test(tests, commands_carry_validity);
    tcase_add_test(tests, time_advances_with_work);
    tcase_add_test(tests, commands_are_announced);
    tcase_add_test(tests, waves_call_only_the_observers_of_an_event);
    tcase_add_test(tests, single_observer_gets_wrapper);
    tcase_add_test(tests, program_has_kernels_and_variables);
    tcase_add_test(tests, launch_refuses_invalid_requests);
    tcase_add_test(tests, local_memory_is_limited);
    tcase_add_test(tests, private_memory_is_limited);
    tcase_add_test(tests, suggested_local_sizes);
    tcase_add_test(tests, places_in_the_source);
    tcase_add_test(tests, past_the_end);
    tcase_add_test(tests, far_past_the_end);
    tcase_add_test(tests, before_the_start);
    tcase_add_test(tests, null_pointers);
    tcase_add_test(tests, freed_memory);
    tcase_add_test(tests, denied_memory);
    tcase_add_test(tests, commands_are_held_to_maps);
    tcase_add_test(tests, variables_and_constants);
    tcase_add_test(tests, private_variables);
    tcase_add_test(tests, other_address_spaces);
    tcase_add_test(tests, misaligned_and_unreachable);
    tcase_add_test(tests, wild_addresses);
    tcase_add_test(tests, printf_goes_to_the_sink);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
