/* SPDX-License-Identifier: Apache-2.0 */
/* The device owns memory, clock and observers. Below: the callbacks of waves (struct wave_host), creation,
 * and the memory of buffers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "orrery/checked.h"
#include "device_observers.h"
#include "device_enqueue.h"
#include "device_state.h"
#include "fault.h"
#include "host_memory.h"
#include "memory_view.h"
#include "profiled.h"
#include "orrery/debug.h"
#include "orrery/pipe.h"
#include "sim/base/rng.h"
#include "schedule_record.h"

/* ---- what waves call back ------------------------------------------------------------ */

static void host_fault(void *self, struct wave *wave, const struct fault *fault)
{
    struct device *device = self;
    fault_report(device->launch, wave, fault, device->commands);
    if (device->scenario->debug)
        device->scenario->debug->fault(device->scenario->debug->debugger);
}

/* One kernel at a time may write into a pipe, and one read (OpenCL 2.2 API, glossary, Pipe). */
static void host_packets(void *self, struct wave *wave, const struct packets_use *use)
{
    const struct device *device = self;
    const struct launch_info *launch = wave->origin.launch;
    if (use->other && !launch->left_out)
        device_announce(self, &(struct command_event){.command = launch->command,
                                                      .kind = use->writes ? ACCESS_WRITE : ACCESS_READ,
                                                      .address = use->side,
                                                      .size_bytes = sizeof(struct pipe_side),
                                                      .role = COMMAND_PACKETS,
                                                      .launch = launch,
                                                      .site = use->site});
    if (use->others && device->tree_races && !launch->left_out)
        tree_races_packets(device->tree_races, launch, use);
    if (use->moves && device->checkers)
        checkers_packets(device->checkers, &wave->origin, use);
}

static void host_enqueue(void *self, struct wave *wave, struct enqueue_call *call)
{
    struct device *device = self;
    device_enqueue(device, device->launch, wave, call);
}

static void print_to_stdout(void *self, const char *text, size_t size)
{
    (void)self;
    fwrite(text, 1, size, stdout);
}

/* The first text that does not fit closes the buffer, so that the output has no gaps. */
static bool host_may_print(void *self)
{
    struct launch *launch = ((struct device *)self)->launch;
    launch->not_printed += launch->print_closed;
    return !launch->print_closed;
}

static bool host_print(void *self, struct wave *wave, const char *text, size_t size)
{
    struct device *device = self;
    struct launch *launch = device->launch;
    (void)wave;
    launch->exhausted |= !text;
    launch->print_closed |= text && size > launch->config->printf_buffer - launch->printed_bytes;
    if (!text || launch->print_closed) {
        launch->not_printed++;
        return false;
    }
    launch->printed_bytes += size;
    device->printf_sink(device->printf_self, text, size);
    device->printed |= device->printf_sink == print_to_stdout;
    return true;
}

static uint64_t host_clock(void *self, const struct wave *wave)
{
    struct launch *launch = ((struct device *)self)->launch;
    launch->clock_reads++;
    return launch_time_within(launch, wave);
}

static bool host_interrupted(void *self)
{
    return concurrent_is_interrupted(self);
}

static bool host_refuses(void *self)
{
    struct launch *launch = ((struct device *)self)->launch;
    return rng_below(&launch->spurious, 100) < launch->schedule->spurious;
}

void device_set_printf(struct device *device, printf_sink *sink, void *self)
{
    device->printf_sink = sink ? sink : print_to_stdout;
    device->printf_self = self;
}

void device_permutation(uint64_t seed, uint32_t serial, uint32_t count, uint32_t *out_order)
{
    struct rng rng;
    rng_init(&rng, seed, RNG_CSLICES, serial);
    for (uint32_t i = 0; i < count; i++)
        out_order[i] = i;
    for (uint32_t i = count; seed && i > 1; i--) { /* Fisher and Yates */
        uint32_t other = (uint32_t)rng_below(&rng, i), kept = out_order[other];
        out_order[other] = out_order[i - 1];
        out_order[i - 1] = kept;
    }
}

/* ---- life ------------------------------------------------------------------------------- */

static uint64_t memory_of_roots(const struct scenario *scenario)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++) {
        uint64_t more = scenario_root(scenario, i)->global_memory;
        bytes = more < UINT64_MAX - bytes ? bytes + more : UINT64_MAX;
    }
    return bytes;
}

/* Gaps and quarantined regions need as much address space as the memory; 0: the default address space
 * is enough. */
static uint64_t address_space_for(uint64_t memory)
{
    const uint64_t usual = UINT64_C(48) << 30, most = UINT64_C(512) << 30, step = UINT64_C(16) << 20;
    if (memory <= usual)
        return 0;
    return memory < most ? (memory * 2 + step - 1) / step * step : most * 2;
}

static bool attach_checkers(struct device *device)
{
    struct observer observer;
    struct footprint_sink sink;
    if (!device_make_checker(device))
        return false;
    if (device->scenario->checks[CHECK_RACES] == SEVERITY_OFF)
        return true;
    device->commands = commands_new(&device->arena.memory, device->report);
    if (!device->commands)
        return false;
    observer = commands_observer(device->commands);
    device_add_observer(device, &observer);
    device->tree_races = commands_tree_races(device->commands);
    sink = commands_footprints(device->commands);
    checkers_set_sink(device->checkers, &sink);
    checkers_set_inter_launch(device->checkers, commands_cross(device->commands));
    return true;
}

static bool open_host(struct device *device)
{
    bool wanted = false;
    for (uint32_t i = 0; i < scenario_root_count(device->scenario); i++)
        wanted |= scenario_root(device->scenario, i)->svm_system;
    if (!wanted)
        return true;
    device->host_memory = host_memory_new();
    if (device->host_memory)
        device->arena.memory.host = host_memory_port(device->host_memory);
    return device->host_memory != NULL;
}

bool device_has_check_data(const struct device *device)
{
    static const enum check kept[] = {CHECK_UNINITIALISED, CHECK_RACES, CHECK_ATOMICS};
    bool all = true;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        all &= device->has_data[kept[i]] || device->scenario->checks[kept[i]] == SEVERITY_OFF;
    return all;
}

enum status device_new(const struct scenario *scenario, struct report *report, struct device **out_device,
                       struct diagnosis *diagnosis)
{
    struct device *device = calloc(1, sizeof *device);
    if (!device)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a device");
    uint64_t memory = memory_of_roots(scenario);
    bool track = scenario->checks[CHECK_UNINITIALISED] != SEVERITY_OFF;
    for (int i = 0; i < CHECK_COUNT; i++)
        device->has_data[i] = scenario->checks[i] != SEVERITY_OFF;
    enum status status = arena_init(&device->arena, address_space_for(memory), memory, track, diagnosis);
    if (status != STATUS_OK) {
        free(device);
        return status;
    }
    pthread_mutex_init(&device->order_lock, NULL);
    device_queues_init(&device->queues);
    device->scenario = scenario;
    device->report = report;
    device->host = (struct wave_host){.self = device,
                                      .count = profiled_count,
                                      .count_way = profiled_way,
                                      .fault = host_fault,
                                      .may_print = host_may_print,
                                      .print = host_print,
                                      .packets = host_packets,
                                      .enqueue = host_enqueue,
                                      .clock = host_clock,
                                      .interrupted = host_interrupted,
                                      .faults_stop = scenario->faults_stop,
                                      .refuses = host_refuses};
    if (scenario->debug) {
        device->host.debugger = scenario->debug->debugger;
        device->host.line = scenario->debug->line;
        device->host.slice = scenario->debug->slice;
        device->host.gone = scenario->debug->gone;
    }
    clock_init(&device->clock);
    device_set_printf(device, NULL, NULL);
    if (!attach_checkers(device) || !device_observers_init(device) || !open_host(device)) {
        device_free(device);
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a device");
    }
    if (scenario->debug)
        scenario->debug->device(scenario->debug->debugger, device);
    *out_device = device;
    return STATUS_OK;
}

void device_free(struct device *device)
{
    if (!device)
        return;
    commands_free(device->commands);
    checkers_free(device->checkers);
    arena_fini(&device->arena);
    schedule_record_fini(&device->record);
    schedule_record_free(device->replay);
    free(device->replay_text);
    concurrent_fini(&device->concurrent);
    host_memory_free(device->host_memory);
    device_observers_fini(device);
    device_queues_fini(&device->queues);
    pthread_mutex_destroy(&device->order_lock);
    free(device);
}

uint64_t device_clock(const struct device *device)
{
    return clock_now(&device->clock);
}

uint64_t device_clock_submit(const struct device *device)
{
    return clock_now(&device->clock) + CLOCK_ENQUEUE_NS;
}

uint64_t device_clock_start(struct device *device, uint64_t submitted)
{
    const uint64_t now = clock_now(&device->clock), earliest = submitted + CLOCK_SUBMIT_NS;
    return now >= earliest ? now : clock_tick(&device->clock, earliest - now);
}

void device_host_waited(struct device *device)
{
    clock_host_waited(&device->clock);
}

uint64_t device_host_query(struct device *device)
{
    return clock_host_query(&device->clock);
}

uint64_t device_clock_tick(struct device *device, uint64_t nanoseconds)
{
    return clock_tick(&device->clock, nanoseconds);
}

uint32_t device_last_launch(const struct device *device)
{
    return device->scenario->schedule.first_launch - 1 + (uint32_t)device_kernels_run(device);
}

uint64_t device_kernels_run(const struct device *device)
{
    return __atomic_load_n(&device->kernels_run, __ATOMIC_RELAXED);
}

/* ---- allocations --------------------------------------------------------------------------- */

enum status device_alloc_kind(struct device *device, const struct allocation *wanted, uint64_t *out_address)
{
    struct region *region;
    enum status status = arena_allocate(&device->arena, wanted, &region);
    if (status == STATUS_OK)
        *out_address = region->low;
    return status;
}

static uint32_t region_flags(uint32_t flags)
{
    uint32_t result = 0;
    if (flags & ALLOC_KERNEL_READ_ONLY)
        result |= REGION_FLAG_READ_ONLY;
    if (flags & ALLOC_KERNEL_WRITE_ONLY)
        result |= REGION_FLAG_WRITE_ONLY;
    if (flags & ALLOC_SVM)
        result |= REGION_FLAG_SVM;
    if (flags & ALLOC_SHARED)
        result |= REGION_FLAG_SHARED;
    if (flags & ALLOC_SVM_ATOMICS)
        result |= REGION_FLAG_SVM_ATOMICS;
    return result;
}

enum status device_alloc(struct device *device, size_t size, size_t align, uint32_t flags, const char *name,
                         uint64_t *out_address)
{
    if (size == 0 || (align & (align - 1)) != 0)
        return STATUS_BAD_ARGUMENT;
    struct allocation wanted = {.kind = flags & ALLOC_PIPE ? REGION_PIPE : REGION_BUFFER,
                                .size = size,
                                .align = align,
                                .flags = region_flags(flags),
                                .name = name};
    return device_alloc_kind(device, &wanted, out_address);
}

void device_made_by(struct device *device, uint64_t address, const struct enqueuer *maker)
{
    struct region *region = arena_find(&device->arena, address, 0);
    if (region)
        region->maker = maker;
}

void device_release(struct device *device, uint64_t address)
{
    struct region *region = arena_find(&device->arena, address, 0);
    if (region)
        device_observers_forget(device, region);
    if (region && device->commands)
        commands_released(device->commands, region->low, region->high);
    if (region)
        arena_release(&device->arena, region);
}

uint64_t device_memory_used(const struct device *device)
{
    return __atomic_load_n(&device->arena.used, __ATOMIC_RELAXED);
}

bool device_allocation(const struct device *device, uint64_t address, uint64_t *out_start, uint64_t *out_size)
{
    const struct region *region = memory_region(&device->arena.memory, address);
    const uint32_t flags = __atomic_load_n(&region->flags, __ATOMIC_RELAXED);
    if (flags & REGION_FLAG_FREED || address < region->low || address >= region->high)
        return false;
    *out_start = region->low;
    *out_size = region->high - region->low;
    return true;
}

bool device_is_svm(const struct device *device, uint64_t address)
{
    uint64_t start, size;
    return device_allocation(device, address, &start, &size) &&
           memory_region(&device->arena.memory, address)->flags & REGION_FLAG_SVM;
}

bool device_view_apart(struct device *device, uint64_t address, bool fresh)
{
    struct region *region = arena_find(&device->arena, address, 1);
    return region && memory_view_make(region, fresh);
}

void device_view_joined(struct device *device, uint64_t address)
{
    struct region *region = arena_find(&device->arena, address, 1);
    if (region)
        memory_view_end(region);
}
