/* SPDX-License-Identifier: Apache-2.0 */
/* The device owns memory, clock and observers, and forwards each event to all observers in one order.
 * Below: the callbacks of waves (struct wave_host), what the checker asks about code (struct code_host),
 * creation, memory of buffers, and the host's commands that read, write, fill, copy and map it. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "device_observers.h"
#include "device_enqueue.h"
#include "device_state.h"
#include "element_name.h"
#include "fault.h"
#include "host_memory.h"
#include "memory_view.h"
#include "profiled.h"
#include "orrery/debug.h"
#include "orrery/pipe.h"
#include "sim/base/rng.h"
#include "schedule_record.h"

/* ---- observers ------------------------------------------------------------------ */

static void fan_access(void *self, const struct access_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].access)
            device->observers[i].access(device->observers[i].self, event);
}

static void fan_before(void *self)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].before)
            device->observers[i].before(device->observers[i].self);
}

/* Some observer wants this kind of event. */
static void pass_access(void *self, const struct access_event *event)
{
    const struct observer *listener = ((const struct device *)self)->listener;
    listener->access(listener->self, event);
}

static void pass_sync(void *self, const struct sync_event *event)
{
    const struct observer *listener = ((const struct device *)self)->sync_listener;
    listener->sync(listener->self, event);
}

static void fan_sync(void *self, const struct sync_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].sync)
            device->observers[i].sync(device->observers[i].self, event);
}

static void fan_command(void *self, const struct command_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].command)
            device->observers[i].command(device->observers[i].self, event);
}

static void fan_launch(void *self, const struct launch_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].launch)
            device->observers[i].launch(device->observers[i].self, event);
}

static void fan_order(void *self, const struct order_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].order)
            device->observers[i].order(device->observers[i].self, event);
}

static void fan_slice(void *self, const struct slice_event *event)
{
    struct device *device = self;
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].slice)
            device->observers[i].slice(device->observers[i].self, event);
}

/* A single observer is called directly; several through the merged one, which wants what any of them
 * wants. */
static void merge_observers(struct device *device)
{
    struct observer *merged = &device->merged;
    *merged = device->observers[0];
    if (device->observer_count == 1)
        return;
    *merged = (struct observer){.self = device};
    for (uint32_t i = 0; i < device->observer_count; i++) {
        if (device->observers[i].access) {
            merged->access = merged->access ? fan_access : pass_access;
            device->listener = &device->observers[i];
        }
        if (device->observers[i].sync) {
            merged->sync = merged->sync ? fan_sync : pass_sync;
            device->sync_listener = &device->observers[i];
        }
        merged->before = device->observers[i].before ? fan_before : merged->before;
        merged->command = device->observers[i].command ? fan_command : merged->command;
        merged->launch = device->observers[i].launch ? fan_launch : merged->launch;
        merged->order = device->observers[i].order ? fan_order : merged->order;
        merged->slice = device->observers[i].slice ? fan_slice : merged->slice;
    }
}

void device_add_observer(struct device *device, const struct observer *observer)
{
    CHECKED(device->observer_count < DEVICE_OBSERVERS);
    device->observers[device->observer_count++] = *observer;
    merge_observers(device);
}

void device_change_observer(struct device *device, const struct observer *observer)
{
    for (uint32_t i = 0; i < device->observer_count; i++)
        if (device->observers[i].self == observer->self)
            device->observers[i] = *observer;
    device->listener = device->sync_listener = NULL;
    merge_observers(device);
}

/* The only observer that wants events of waves; NULL: none or several. */
static const struct observer *only_listener(const struct device *device)
{
    const struct observer *merged = &device->merged;
    if (device->observer_count == 1)
        return merged;
    return merged->access == pass_access && merged->sync == pass_sync &&
                   device->listener == device->sync_listener
               ? device->listener
               : NULL;
}

const struct observer *device_wave_observer(const struct device *device, const struct launch_info *launch)
{
    const struct observer *listener = only_listener(device);
    const struct observer *own =
        listener && listener->for_launch ? listener->for_launch(listener->self, launch) : NULL;
    return own ? own : listener ? listener : &device->merged;
}

const struct observer *device_observer(const struct device *device)
{
    return device->observer_count ? &device->merged : NULL;
}

bool device_observes_order(const struct device *device)
{
    return device->merged.order != NULL;
}

void device_order(struct device *device, const struct order_event *event)
{
    if (!device->merged.order)
        return;
    pthread_mutex_lock(&device->order_lock);
    device->merged.order(device->merged.self, event);
    pthread_mutex_unlock(&device->order_lock);
}

void device_host_access(struct device *device, const struct host_access *access)
{
    if (device->commands)
        commands_host_access(device->commands, access);
}

void device_host_wrote(struct device *device, uint32_t command, uint64_t address, uint64_t size)
{
    if (device->commands)
        commands_host_wrote(device->commands, command, address, size);
}

void device_host_stored(struct device *device, uint64_t address, uint64_t size, bool ran)
{
    if (device->commands)
        commands_host_stored(device->commands, address, size, ran);
}

void device_host_touched(struct device *device, const struct host_access *access)
{
    if (device->commands)
        commands_host_touched(device->commands, access);
}

void device_storage(struct device *device, uint64_t address, uint64_t size, const void *host)
{
    if (device->commands)
        commands_storage(device->commands, address, size, host);
}

void device_mirror(struct device *device, uint64_t address, const void *host)
{
    if (device->commands)
        commands_mirror(device->commands, address, host);
}

bool device_unseen(struct device *device, uint64_t address)
{
    return device->commands && commands_device_dirty(device->commands, address);
}

bool device_under_way(struct device *device)
{
    return device->commands && commands_under_way(device->commands);
}

bool device_host_is_after(struct device *device, uint32_t command)
{
    return !device->commands || commands_host_is_after(device->commands, command);
}

bool device_host_reported(struct device *device, uint32_t command)
{
    return !device->commands || commands_host_reported(device->commands, command);
}

static void announce(struct device *device, const struct command_event *event)
{
    if (device->merged.command && event->size_bytes)
        device->merged.command(device->merged.self, event);
}

static void announce_command(struct device *device, uint32_t command, enum access_kind kind, uint64_t address,
                             size_t size, enum command_role role)
{
    announce(device,
             &(struct command_event){
                 .command = command, .kind = kind, .address = address, .size_bytes = size, .role = role});
}

static void announce_host(struct device *device, uint32_t command, enum access_kind kind, const void *pointer,
                          size_t size)
{
    announce(device, &(struct command_event){.command = command,
                                             .kind = kind,
                                             .address = (uint64_t)(uintptr_t)pointer,
                                             .size_bytes = size,
                                             .by_pointer = true});
}

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
        announce(self, &(struct command_event){.command = launch->command,
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

/* ---- the checker ------------------------------------------------------------------------ */

static void host_place(void *self, uint32_t site, struct source_place *out_place)
{
    const struct device *device = self;
    launch_place(device->launch, site, out_place);
}

static void host_access(void *self, uint32_t site, struct finding_access *out_access)
{
    const struct device *device = self;
    launch_access(device->launch, site, out_access);
}

static const char *host_what(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_site(device->launch, site)->what;
}

static void host_object(void *self, uint64_t address, char *out_name, size_t size)
{
    const struct device *device = self;
    const struct region *region = memory_region(&device->arena.memory, address);
    struct sentence name;
    if (region->kind == REGION_NONE) {
        snprintf(out_name, size, "host memory");
        return;
    }
    object_name(device->launch, region, &name);
    snprintf(out_name, size, "%s", name.bytes);
}

static void host_element(void *self, uint64_t address, uint64_t bytes, char *out_name, size_t size)
{
    const struct device *device = self;
    struct sentence name;
    sentence_init(&name);
    const bool found = element_of_region(device->launch, address, bytes, &name);
    snprintf(out_name, size, "%s", found ? name.bytes : "");
}

static bool host_between(void *self, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct device *device = self;
    return launch_between(device->launch, a, b, out_place);
}

static bool host_in_iteration(void *self, uint32_t a, uint32_t b, uint32_t since,
                              struct code_place *out_place)
{
    const struct device *device = self;
    return launch_in_iteration(device->launch, a, b, since, out_place);
}

static bool host_next_iteration(void *self, uint32_t a, uint32_t b, struct code_place *out_place)
{
    const struct device *device = self;
    return launch_next_iteration(device->launch, a, b, out_place);
}

static bool host_each_iteration(void *self, uint32_t a, uint32_t b, struct code_place out_places[2])
{
    const struct device *device = self;
    return launch_each_iteration(device->launch, a, b, out_places);
}

static bool host_precedes(void *self, uint32_t a, uint32_t b)
{
    const struct device *device = self;
    return launch_precedes(device->launch, a, b);
}

static bool host_collective(void *self, uint32_t a, uint32_t b, uint32_t *out_site)
{
    const struct device *device = self;
    return launch_collective(device->launch, a, b, out_site);
}

static bool host_controls_branch(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_site(device->launch, site)->controls_branch;
}

static bool host_waits(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_site(device->launch, site)->waits;
}

static bool host_last_iteration(void *self, uint32_t a, const struct code_place *place, uint32_t b)
{
    const struct device *device = self;
    return launch_last_iteration(device->launch, a, place, b);
}

static bool host_decides(void *self, uint32_t a, uint32_t b)
{
    const struct device *device = self;
    return launch_decides(device->launch, a, b);
}

static bool host_spins_on(void *self, uint32_t a, uint32_t b)
{
    const struct device *device = self;
    return launch_spins_on(device->launch, a, b);
}

static bool host_beside(void *self, uint32_t operation, uint32_t access, bool past,
                        struct fence_place *out_place)
{
    const struct device *device = self;
    return launch_beside(device->launch, operation, access, past, out_place);
}

static bool host_order(void *self, uint32_t a, uint32_t b, struct code_order *out_order)
{
    const struct device *device = self;
    return launch_order(device->launch, a, b, out_order);
}

static uint32_t host_opencl_c(void *self)
{
    const struct device *device = self;
    return launch_opencl_c(device->launch);
}

static bool host_update(void *self, uint32_t site, uint32_t *out_load, uint32_t *out_store)
{
    const struct device *device = self;
    return launch_update(device->launch, site, out_load, out_store);
}

static bool host_rewrite(void *self, uint32_t load, uint32_t store, bool local, bool one_group,
                         struct code_rewrite *out_rewrite)
{
    const struct device *device = self;
    return launch_rewrite(device->launch, load, store, local, one_group, out_rewrite);
}

static enum code_builds host_builds(void *self, uint32_t site, const struct code_edit *edits, uint32_t count)
{
    const struct device *device = self;
    return (enum code_builds)launch_builds(device->launch, site, edits, count);
}

static bool host_other_buffer(void *self, uint32_t first, uint32_t later, char *out_name, size_t size)
{
    const struct device *device = self;
    return launch_other_buffer(device->launch, first, later, out_name, size);
}

static bool host_change(void *self, const struct code_change *change, struct code_rewrite *rewrite)
{
    const struct device *device = self;
    return launch_change(device->launch, change, rewrite);
}

static bool host_uniform(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_uniform(device->launch, site);
}

static bool host_even(void *self, uint32_t site)
{
    const struct device *device = self;
    return launch_even(device->launch, site);
}

static void attach_checker(struct device *device)
{
    struct observer observer;
    checkers_observer(device->checkers, &observer);
    device_add_observer(device, &observer);
    device->checker_listens = true;
}

static bool make_checker(struct device *device)
{
    const struct scenario *scenario = device->scenario;
    const struct checker_host host = {device,
                                      host_place,
                                      host_access,
                                      host_what,
                                      host_object,
                                      host_element,
                                      host_between,
                                      host_in_iteration,
                                      host_next_iteration,
                                      host_each_iteration,
                                      host_last_iteration,
                                      host_precedes,
                                      host_collective,
                                      host_controls_branch,
                                      host_waits,
                                      host_decides,
                                      host_spins_on,
                                      host_beside,
                                      host_order,
                                      host_opencl_c,
                                      host_update,
                                      host_rewrite,
                                      host_builds,
                                      host_other_buffer,
                                      host_change,
                                      host_uniform,
                                      host_even};
    bool races = scenario->checks[CHECK_RACES] != SEVERITY_OFF;
    if (!races && scenario->checks[CHECK_ATOMICS] == SEVERITY_OFF)
        return true;
    device->checkers = checkers_new(&device->arena.memory, device->report, scenario, &host);
    if (device->checkers && races)
        attach_checker(device);
    return device->checkers != NULL;
}

void device_check_code(struct device *device, const struct code *code)
{
    if (device->checkers && !device->checker_listens && code->suspect)
        attach_checker(device);
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
    if (!make_checker(device))
        return false;
    if (device->scenario->checks[CHECK_RACES] == SEVERITY_OFF)
        return true;
    device->commands = commands_new(&device->arena.memory, device->report);
    if (!device->commands)
        return false;
    observer = commands_observer(device->commands);
    device_add_observer(device, &observer);
    sink = commands_footprints(device->commands);
    device->tree_races = tree_races_new(&device->arena.memory, device->report, &sink);
    if (!device->tree_races)
        return false;
    sink = tree_races_footprints(device->tree_races);
    checkers_set_sink(device->checkers, &sink);
    checkers_set_inter_launch(device->checkers, commands_cross(device->commands));
    tree_races_set_inter_launch(device->tree_races, commands_cross(device->commands));
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
    tree_races_free(device->tree_races);
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
    if (region->flags & REGION_FLAG_FREED || address < region->low || address >= region->high)
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

/* A command that moves bytes must respect maps of the memory, as kernels must. */
static void check_mapped(struct device *device, uint32_t command, enum access_kind kind, uint64_t address,
                         size_t size)
{
    const struct region *region = memory_region(&device->arena.memory, address);
    uint32_t deny = kind == ACCESS_WRITE ? DENY_KERNEL_WRITE : DENY_KERNEL_READ;
    const struct region_map *map = region->map_count ? memory_map_at(region, address, size, deny) : NULL;
    struct sentence object, why, by;
    if (!map)
        return;
    sentence_init(&object), sentence_init(&why), sentence_init(&by);
    sentence_add(&object, "%s (", region->name);
    sentence_bytes(&object, region->high - region->low);
    sentence_add(&object, ")");
    fault_say_mapped(region, map, object.bytes, &why);
    sentence_add(&by, "a command of the host (command %" PRIu32 ")", command);
    struct command_name name, name_of_map;
    struct finding finding = {.kind = FINDING_MAPPED_ACCESS,
                              .object = object.bytes,
                              .has_offset = true,
                              .offset_bytes = address - region->low,
                              .access_count = 1,
                              .access = {{.kind = kind,
                                          .what = kind == ACCESS_WRITE ? "write" : "read",
                                          .by = by.bytes,
                                          .size_bytes = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size}},
                              .why = why.bytes,
                              .fix = "unmap the memory object before the command"};
    if (device->commands)
        commands_name(device->commands, command, &name, &finding.access[0]);
    fault_mapped_by(device->commands, map, &finding, &name_of_map);
    report_add(device->report, &finding);
}

/* ---- host commands ----------------------------------------------------------------------------- */

enum { MAP_CHUNK = 4096 }; /* bytes of a map that are compared at once */

/* The device's address of a byte; for host memory, the host's address. */
static uint8_t *byte_of(const struct device *device, const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    return memory_byte(memory_region(&device->arena.memory, address), address);
}

enum status device_write(struct device *device, uint32_t command, uint64_t address, const void *source,
                         size_t size)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region)
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_WRITE, address, size);
    memmove(memory_byte(region, address), byte_of(device, source), size);
    memory_set_valid(region, address, size, true);
    announce_host(device, command, ACCESS_READ, source, size);
    announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_MOVES);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

enum status device_read(struct device *device, uint32_t command, uint64_t address, void *target, size_t size)
{
    const struct region *region = arena_find(&device->arena, address, size);
    if (!region)
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_READ, address, size);
    memmove(byte_of(device, target), memory_byte(region, address), size);
    announce_command(device, command, ACCESS_READ, address, size, COMMAND_MOVES);
    announce_host(device, command, ACCESS_WRITE, target, size);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

/* Bytes that were uninitialised stay so at the destination of a copy. */
static void copy_validity(uint32_t command, struct region *to, uint64_t target, const struct region *from,
                          uint64_t source, size_t size)
{
    if (!to->valid)
        return;
    if (memory_range_valid(from, source, size)) {
        memory_set_valid(to, target, size, true);
        return;
    }
    for (size_t i = 0; i < size; i++) {
        size_t at = target > source ? size - 1 - i : i; /* the ranges may overlap */
        memory_set_valid(to, target + at, 1, memory_range_valid(from, source + at, 1));
    }
    memory_became_unset(to, target, size, command);
}

enum status device_copy(struct device *device, uint32_t command, uint64_t target, uint64_t source,
                        size_t size)
{
    struct region *to = arena_find(&device->arena, target, size),
                  *from = arena_find(&device->arena, source, size);
    if (!to || !from)
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_READ, source, size);
    check_mapped(device, command, ACCESS_WRITE, target, size);
    memmove(memory_byte(to, target), memory_byte(from, source), size);
    copy_validity(command, to, target, from, source, size);
    announce_command(device, command, ACCESS_READ, source, size, COMMAND_MOVES);
    announce_command(device, command, ACCESS_WRITE, target, size, COMMAND_MOVES);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

static void repeat(uint8_t *target, const void *pattern, size_t pattern_size, size_t size)
{
    size_t done = pattern_size < size ? pattern_size : size;
    memcpy(target, pattern, done);
    while (done < size) {
        size_t step = done < size - done ? done : size - done;
        memcpy(target + done, target, step);
        done += step;
    }
}

enum status device_fill(struct device *device, uint32_t command, uint64_t address, const void *pattern,
                        size_t pattern_size, size_t size)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region || pattern_size == 0 || size % pattern_size != 0)
        return STATUS_BAD_ARGUMENT;
    check_mapped(device, command, ACCESS_WRITE, address, size);
    if (size)
        repeat(memory_byte(region, address), pattern, pattern_size, size);
    memory_set_valid(region, address, size, true);
    announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_MOVES);
    clock_tick(&device->clock, clock_copy_cost(size));
    return STATUS_OK;
}

void device_host_copy(struct device *device, uint32_t command, void *target, const void *source, size_t size)
{
    memmove(byte_of(device, target), byte_of(device, source), size);
    announce_host(device, command, ACCESS_READ, source, size);
    announce_host(device, command, ACCESS_WRITE, target, size);
    clock_tick(&device->clock, clock_copy_cost(size));
}

void device_host_fill(struct device *device, uint32_t command, void *target, const void *pattern,
                      size_t pattern_size, size_t size)
{
    repeat(byte_of(device, target), pattern, pattern_size, size);
    announce_host(device, command, ACCESS_WRITE, target, size);
    clock_tick(&device->clock, clock_copy_cost(size));
}

void device_migrate(struct device *device, uint32_t command, uint64_t address, size_t size, bool discards)
{
    struct region *region = discards ? arena_find(&device->arena, address, size) : NULL;
    check_mapped(device, command, discards ? ACCESS_WRITE : ACCESS_READ, address, size);
    if (region) {
        memory_set_valid(region, address, size, false);
        memory_became_unset(region, address, size, command);
    }
    announce_command(device, command, discards ? ACCESS_WRITE : ACCESS_READ, address, size, COMMAND_MIGRATES);
}

void device_frees(struct device *device, uint32_t command, uint64_t address)
{
    uint64_t start, size;
    if (device_allocation(device, address, &start, &size) && start == address)
        announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_FREES);
}

_Static_assert((int)DEVICE_MAP_READ == (int)ARENA_MAP_READ && (int)DEVICE_MAP_WRITE == (int)ARENA_MAP_WRITE,
               "map flags go through unchanged");

/* Memory that a program may only read can be that of a buffer. Bytes that no command has changed are not
 * stored there. */
static void copy_changed(uint8_t *target, const uint8_t *source, size_t size)
{
    for (size_t at = 0; at < size; at += MAP_CHUNK) {
        const size_t part = size - at < MAP_CHUNK ? size - at : MAP_CHUNK;
        if (memcmp(target + at, source + at, part) != 0)
            memcpy(target + at, source + at, part);
    }
}

void device_map(struct device *device, uint32_t command, uint64_t address, size_t size, uint32_t flags,
                void *host)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region)
        return;
    if (flags && !(flags & DEVICE_MAP_ASTRAY))
        arena_map(&device->arena, region, address, size, flags, command);
    if (host) {
        copy_changed(byte_of(device, host), memory_byte(region, address), size);
        clock_tick(&device->clock, clock_copy_cost(size));
    }
    announce_command(device, command, ACCESS_READ, address, size, COMMAND_MAPS);
    if (flags & DEVICE_MAP_WRITE)
        announce_command(device, command, ACCESS_WRITE, address, size, COMMAND_OPENS);
}

/* All bytes that the host may have written count as initialised. */
void device_unmap(struct device *device, uint32_t command, uint32_t map, uint64_t address, size_t size,
                  uint32_t flags, const void *host)
{
    struct region *region = arena_find(&device->arena, address, size);
    if (!region)
        return;
    if (flags && !(flags & (DEVICE_MAP_ASTRAY | DEVICE_MAP_BYTES)))
        arena_unmap(&device->arena, region, address, size, flags, map);
    if (flags & DEVICE_MAP_WRITE && !(flags & DEVICE_MAP_ASTRAY)) {
        memory_set_valid(region, address, size, true);
        if (host)
            memcpy(memory_byte(region, address), byte_of(device, host), size);
        clock_tick(&device->clock, clock_copy_cost(size));
    }
    if (flags & DEVICE_MAP_BYTES)
        return;
    announce(device, &(struct command_event){.command = command,
                                             .kind = flags & DEVICE_MAP_WRITE ? ACCESS_WRITE : ACCESS_READ,
                                             .address = address,
                                             .size_bytes = size,
                                             .role = COMMAND_UNMAPS,
                                             .map = map});
}

void device_unmap_any(struct device *device, uint32_t command, uint32_t map, uint64_t address, size_t least,
                      size_t most, uint32_t sorts)
{
    struct region *region = arena_find(&device->arena, address, most);
    const bool write = !(sorts & DEVICE_MAP_READ);
    if (!region)
        return;
    arena_unmap_any(&device->arena, region, address, least, write, map);
    if (sorts & DEVICE_MAP_WRITE)
        memory_set_valid(region, address, most, true);
    announce(device, &(struct command_event){.command = command,
                                             .kind = write ? ACCESS_WRITE : ACCESS_READ,
                                             .address = address,
                                             .size_bytes = least,
                                             .role = COMMAND_UNMAPS,
                                             .map = map,
                                             .most_bytes = most});
}
