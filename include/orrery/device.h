/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The device port: what lib/ and tools/ call.  Memory, programs and
 *          launches of one simulated device.  No CL types.
 *
 * Threads  device_alloc/free, program_* may be called from any thread.
 *          device_launch and the memory_* commands are called by one thread at a
 *          time (the one that executes commands).
 *
 * Addresses  A device address is a host pointer into the device's arena: a fixed
 *            range of address space, so that SVM pointers are shared as they are.
 */
#ifndef ORRERY_DEVICE_H
#define ORRERY_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "orrery/counters.h"
#include "orrery/image.h"
#include "orrery/observer.h"
#include "orrery/profile.h"
#include "orrery/report.h"
#include "orrery/scenario.h"
#include "orrery/schedule.h"
#include "orrery/status.h"

struct device;
struct compile_request;
struct program; /* a SPIR-V module decoded for execution; immutable once loaded */
struct kernel;  /* an entry point of a program; borrowed from it */

/* Borrows scenario and report for its life. */
enum status device_new(const struct scenario *scenario, struct report *report, struct device **out_device,
                       struct diagnosis *diagnosis);
void device_free(struct device *device);
/* Were the checks that the scenario enables now enabled when the device was made? Their data on earlier
 * launches, and on the contents of memory, is kept from the start. */
bool device_has_check_data(const struct device *device);
void device_add_observer(struct device *device, const struct observer *observer);
/* The events that an added observer receives from now on, by its self; while no waves run. */
void device_change_observer(struct device *device, const struct observer *observer);
/* lib/ announces what orders commands and the host; calls are serialised here. */
/* The host touched memory of the device that it may not touch now: becomes a finding. */
struct host_access {
    uint64_t address;
    bool write;
    struct source_place place; /* in the host program */
    const char *what;          /* "store, in fill_input" */
    const char *why, *fix;
    uint32_t command; /* that makes it forbidden; 0: none */
};
void device_host_access(struct device *device, const struct host_access *access);
/* The host changed what a buffer was made of (CL_MEM_USE_HOST_PTR) before it enqueued the command, with no
 * map of it: a later read of these bytes of the buffer that finds the earlier values is reported. */
void device_host_wrote(struct device *device, uint32_t command, uint64_t address, uint64_t size);
/* The host stored into fine-grained shared virtual memory, after all that was enqueued so far, and before it
 * passes that on or learns of commands that are complete. `ran`: some of the bytes may be what commands
 * wrote instead, that is over by now. */
void device_host_stored(struct device *device, uint64_t address, uint64_t size, bool ran);
/* It was caught at such memory, at that of a mirror (by the device's address), or at memory of its own, or of
 * a mapped region, that commands read and write as the host's: why, fix and command do not matter, what
 * commands touch judges. */
void device_host_touched(struct device *device, const struct host_access *access);
/* The bytes of this allocation are those of the host's memory at `host`, too (CL_MEM_USE_HOST_PTR); NULL:
 * no longer. */
void device_storage(struct device *device, uint64_t address, uint64_t size, const void *host);
/* The host has the bytes of this allocation at `host`, too (CL_MEM_USE_HOST_PTR), and is watched there;
 * NULL: no longer. */
void device_mirror(struct device *device, uint64_t address, const void *host);
/* may commands have written there what the host need not have? */
bool device_unseen(struct device *device, uint64_t address);
bool device_under_way(struct device *device); /* some command may not be complete for the host */
/* to be complete, by the order events so far */
bool device_host_is_after(struct device *device, uint32_t command);
/* the same, or by a query (5.11) or a native kernel after it */
bool device_host_reported(struct device *device, uint32_t command);
bool device_observes_order(const struct device *device); /* is there an observer of it? */
void device_order(struct device *device, const struct order_event *event);

/* The numbers below count in an order that the seed and the serial number choose; seed 0: as they are. */
void device_permutation(uint64_t seed, uint32_t serial, uint32_t count, uint32_t *out_order);

/* Simulated time in nanoseconds; advances with work done, never with the wall clock. */
uint64_t device_clock(const struct device *device);
/* The submit time of a command submitted now, later than device_clock(); its start, advanced to, later than
 * that. */
uint64_t device_clock_submit(const struct device *device);
uint64_t device_clock_start(struct device *device, uint64_t submitted);
void device_host_waited(struct device *device);    /* counts at the next query */
uint64_t device_host_query(struct device *device); /* advance; a time inside the query; no command runs */
uint64_t device_clock_tick(struct device *device, uint64_t nanoseconds); /* advance, return new time */
uint64_t device_kernels_run(const struct device *device);
/* The number of the latest launch: as many were before the first one as the scenario's first_launch says. */
uint32_t device_last_launch(const struct device *device);

/* ---- counters --------------------------------------------------------------- */

/* The counters of a command, a launch or one of the host; command 0: the accesses of all launches. False:
 * counters are not on. */
bool device_counters(const struct device *device, uint32_t command, struct counters *out_counters);
/* The lines that no launch has run, if the scenario counts them; false: it does not, or no memory. */
bool device_idle_lines(const struct device *device, struct idle_lines *out_idle);
/* Counters as text, if the scenario enables them; then its files: counters as JSON, the timeline, the trace,
 * the page. stream NULL: files only. False: one could not be written. */
/* The counters as JSON; false: none, or no memory. */
bool device_write_counters(const struct device *device, FILE *stream);
bool device_write_results(const struct device *device, FILE *stream, struct diagnosis *diagnosis);

/* ---- memory ---------------------------------------------------------------- */

/* SHARED: the host touches it whenever it likes, also while a kernel runs; SVM_ATOMICS besides: with
 * atomics, too. */
enum {
    ALLOC_KERNEL_READ_ONLY = 1,
    ALLOC_KERNEL_WRITE_ONLY = 2,
    ALLOC_SVM = 4,
    ALLOC_PIPE = 8,
    ALLOC_SHARED = 16,
    ALLOC_SVM_ATOMICS = 32
};

/* align: power of two, 0 = the device's base alignment. The bytes read as zero but
 * count as uninitialised.  name is for findings ("buffer 3"); copied. */
enum status device_alloc(struct device *device, size_t size, size_t align, uint32_t flags, const char *name,
                         uint64_t *out_address);
/* The host's call that the allocation is for, for findings; borrowed, stays. NULL: not known. */
void device_made_by(struct device *device, uint64_t address, const struct enqueuer *maker);
void device_release(struct device *device, uint64_t address); /* quarantined */
uint64_t device_memory_used(const struct device *device);
/* From now on the device has the bytes of the allocation at addresses of its own, too, so that those which it
 * shares with the host can be closed to that while commands run. fresh: nothing was written. Nothing executes
 * meanwhile, and stores of the host fault. device_view_apart false: the kernel refused; device_view_joined
 * ends it. Neither allocates nor locks. */
bool device_view_apart(struct device *device, uint64_t address, bool fresh);
void device_view_joined(struct device *device, uint64_t address);
/* Address of an allocation's first byte and its size, from any address inside it. */
bool device_allocation(const struct device *device, uint64_t address, uint64_t *out_start,
                       uint64_t *out_size);
bool device_is_svm(const struct device *device, uint64_t address); /* inside an allocation of ALLOC_SVM */

/* Host commands on device memory. They mark bytes initialised and are announced to observers. Ranges must lie
 * inside one allocation (checked, BAD_ARGUMENT). */
enum status device_write(struct device *device, uint32_t command, uint64_t address, const void *source,
                         size_t size);
enum status device_read(struct device *device, uint32_t command, uint64_t address, void *target, size_t size);
/* memmove */
enum status device_copy(struct device *device, uint32_t command, uint64_t target, uint64_t source,
                        size_t size);
enum status device_fill(struct device *device, uint32_t command, uint64_t address, const void *pattern,
                        size_t pattern_size, size_t size);
/* The same where all of it is the host's: memory of the program, or of a mapped region, which is the
 * host's meanwhile. What is in the arena and not in one allocation, as freed memory, is BAD_ARGUMENT, also as
 * the host's side of device_write and device_read. */
/* memmove */
enum status device_host_copy(struct device *device, uint32_t command, void *target, const void *source,
                             size_t size);
enum status device_host_fill(struct device *device, uint32_t command, void *target, const void *pattern,
                             size_t pattern_size, size_t size);
/* discards: the contents are undefined then */
void device_migrate(struct device *device, uint32_t command, uint64_t address, size_t size, bool discards);
/* the allocation that begins there, if one does, goes now */
void device_frees(struct device *device, uint32_t command, uint64_t address);
/* While bytes are mapped for reading kernels and commands may not write them; for writing, not touch. Each
 * unmap takes one map of the same bytes and flags back; map: the command that made it. host: their address in
 * the program, NULL when that is the same memory or need not be copied. DEVICE_MAP_ASTRAY, of both: the unmap
 * runs before its map, so nothing stays mapped; _BYTES, of the unmap: it hands over the bytes that the host
 * wrote; see device_unmap_any. */
enum { DEVICE_MAP_READ = 1, DEVICE_MAP_WRITE = 2, DEVICE_MAP_ASTRAY = 4, DEVICE_MAP_BYTES = 8 };
void device_map(struct device *device, uint32_t command, uint64_t address, size_t size, uint32_t flags,
                void *host);
void device_unmap(struct device *device, uint32_t command, uint32_t map, uint64_t address, size_t size,
                  uint32_t flags, const void *host);
/* One of the maps that begin there, not known which: each has `least` bytes at least, and none has more than
 * `most`. sorts: _WRITE if some are for writing, _READ if some are not. */
void device_unmap_any(struct device *device, uint32_t command, uint32_t map, uint64_t address, size_t least,
                      size_t most, uint32_t sorts);

/* ---- programs -------------------------------------------------------------- */

enum arg_kind { ARG_VALUE, ARG_GLOBAL, ARG_CONSTANT, ARG_LOCAL, ARG_IMAGE, ARG_SAMPLER, ARG_PIPE, ARG_QUEUE };
struct kernel_arg {
    const char *name; /* from OpName; "" when unknown */
    /* "float4*" when the module has it (OpString kernel_arg_type), else derived from the type */
    const char *type_name;
    enum arg_kind kind;
    size_t size, align;     /* of the value the host passes */
    uint64_t element_bytes; /* of what a pointer points to; 0: no pointer, or unknown */
    bool is_const, is_volatile, is_restrict;
    uint64_t max_bytes;         /* memory after a pointer: MaxByteOffset; 0 = as much as one likes */
    bool read_only, write_only; /* images, pipes */
    enum image_type image_type; /* images */
    bool image_depth;
};
struct kernel_info {
    const char *name;
    const char *attributes; /* "reqd_work_group_size(8,8,1)" */
    size_t arg_count;
    const struct kernel_arg *args;
    uint32_t required_size[3]; /* reqd_work_group_size, 0 = none */
    uint32_t work_group_hint[3];
    uint32_t required_sub_group_size; /* 0 = none */
    uint32_t required_sub_groups;     /* of a work-group; 0 = none */
    uint32_t constant_samplers;       /* different ones that it declares */
    size_t local_bytes;               /* of local variables declared in the kernel */
    size_t private_bytes;
    /* the widest scope in which some operation of its code does; SCOPE_WORK_ITEM: none */
    enum memory_scope releases, acquires;
    bool atomics;  /* it has some, but for those on local memory */
    bool narrow;   /* ... of a scope that is, or may be, narrower than the device */
    bool enqueues; /* kernels */
    /* it enqueues or is enqueued, and one of its program that does releases or acquires for the device, or
     * is narrow */
    bool in_launch_tree;
    bool block; /* run by enqueue_kernel only */
    /* run by the device, before the program's other kernels and at its end; not the host's */
    bool initializer, finalizer;
};

/* Named barriers that a kernel may initialise, each call that does counting. */
enum { NAMED_BARRIERS_MOST = 64 };

struct spec_constant {
    uint32_t id;
    uint32_t size;
    uint64_t value;
};

struct program_request {
    const uint32_t *words;
    size_t word_count; /* copied */
    const struct spec_constant *constants;
    size_t constant_count;
    const char *source_name, *source_text; /* for findings; may be NULL; copied */
    const char *module_name;  /* for findings without a line: the module's file; may be NULL; copied */
    const char *kernel_names; /* "a;b": the host gets these alone; NULL: all */
    /* how source_text was compiled, for fixes of it; NULL: not known. Copied */
    const struct compile_request *compiled;
    bool detailed_errors; /* -g: enqueue_kernel reports why it failed */
    bool uniform_groups;  /* -cl-uniform-work-group-size */
    bool unoptimised;     /* -cl-opt-disable: code as the module has it, variables in memory */
    /* such memory begins as zeros, and counts as initialised */
    bool zero_local, zero_private;
};
/* BAD_BINARY and UNSUPPORTED name the instruction and word. Allocates program-scope variables on the
 * device. */
enum status program_load(struct device *device, const struct program_request *request,
                         struct program **out_program, struct diagnosis *diagnosis);
void program_release(struct program *program);
/* Constructors and destructors of program-scope variables: one work-item runs each, in the order of the
 * module, before the first launch of another kernel of the program; backwards, on the first root, in
 * program_finish, which the thread that launches calls before program_release. It does nothing when no
 * constructor has run though there are some. Errors in them are reported. */
bool program_has_constructors(const struct program *program);
bool program_has_destructors(const struct program *program);
void program_finish(struct program *program);
size_t program_kernel_count(const struct program *program);
const struct kernel *program_kernel(const struct program *program, size_t index);
const struct kernel *program_find_kernel(const struct program *program, const char *name);
const struct kernel_info *kernel_info(const struct kernel *kernel);
/* Of a work-item's variables that stay in memory; 0 as well where there is no memory to find out. */
size_t kernel_private_bytes(const struct kernel *kernel);
/* CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE */
size_t program_variable_bytes(const struct program *program);

/* A specialisation constant's size in bytes (1 for bool), 0 if the module has none of that id. Works on
 * words alone. */
uint32_t module_spec_constant_size(const uint32_t *words, size_t word_count, uint32_t spec_id);
/* The given values become the defaults of a valid module, in place. */
void module_specialise(uint32_t *words, size_t word_count, const struct spec_constant *constants,
                       size_t constant_count);

/* The place of an instruction. Never fails; unknown parts are 0 or NULL. */
void program_site(const struct program *program, uint32_t site, struct source_place *out_place);
/* The calls that lead to an instruction in a function, innermost first, the kernel's own line last. The
 * result counts them, 0: the kernel has the instruction. When there are more than room, the kernel's line
 * follows the innermost ones. */
uint32_t program_calls(const struct program *program, uint32_t site, uint32_t room,
                       struct source_place *out_places);
/* in another file than the kernel that runs */
bool program_site_elsewhere(const struct program *program, uint32_t site);
/* The type of the number that the instruction loads or stores; unknown: NUMBER_INTEGER. */
enum number_type program_site_type(const struct program *program, uint32_t site);
/* Bytecode listing for `orrery dis`; malloc'd. */
char *program_listing(const struct program *program);

/* ---- launches --------------------------------------------------------------- */

/* values: for ARG_VALUE kernel_arg.size bytes; for ARG_GLOBAL/CONSTANT a uint64_t device
 * address (0 = NULL); for ARG_LOCAL a uint64_t size in bytes; for ARG_IMAGE a struct image_desc;
 * for ARG_SAMPLER the uint64_t of sampler_pack; for ARG_QUEUE the uint64_t of device_queue_new. */
struct launch_arg {
    const void *value;
    size_t size;
    /* of a buffer that may be a part of its allocation, as a sub-buffer is: its size; 0: it is none */
    uint64_t part_bytes;
    uint32_t part_denies; /* DENY_* by the flags of that part, beside what the allocation denies */
};

/* The launch and all kernels that it started, directly or indirectly: device_launch returns when all are
 * complete. */
struct launch_result {
    uint64_t end_time; /* simulated nanoseconds: its own work-groups have ended */
    /* of a kernel that it enqueued, or one of those: a negative event status; 0: none failed */
    int32_t child_error;
    uint64_t steps; /* loop iterations, of it and of what it enqueued, and one for each of them */
};
/* May come from another thread. IN_TIME: once it has taken more loop iterations than LAUNCH_PATIENCE. */
enum launch_stop { LAUNCH_GOES_ON, LAUNCH_STOPS_IN_TIME, LAUNCH_STOPS };
enum { LAUNCH_PATIENCE = 1 << 22 };
struct launch_node; /* of a kernel that another one enqueued: the simulator's own */

struct launch_request {
    const struct kernel *kernel;
    uint32_t command; /* serial number of the host command, for events */
    /* the call of a host program that enqueued the command, for findings; NULL: not known */
    const struct enqueuer *enqueuer;
    bool among_devices; /* its context has several */
    /* every command of its context comes before or after it: one queue, in order */
    bool alone;
    uint32_t work_dim;
    uint64_t global_size[3], global_offset[3], local_size[3]; /* unused dimensions 1, 0, 1 */
    const struct launch_arg *args;
    size_t arg_count;
    uint32_t root; /* scenario_root() that the queue's device is or is a part of */
    const uint32_t *compute_units;
    uint32_t compute_unit_count;  /* those of the queue's device in the whole machine
                                     * (device_config.first_unit is its root's first), borrowed; 0 = all of
                                     * the root */
    uint32_t device;              /* serial number of the queue's device, for events */
    uint32_t default_queue;       /* what get_default_queue() gives; 0: CLK_NULL_QUEUE */
    struct launch_result *result; /* NULL: not wanted */
    const uint64_t *reported;
    size_t
        reported_count; /* addresses in the shared allocations that it may touch; others are a finding. Borrowed;
                                     * NULL: it may touch all */
    /* enum launch_stop, atomic, of it and of what it enqueues; NULL: it cannot be stopped. Borrowed */
    const uint8_t *stop;
    struct launch_node *node; /* NULL from outside the simulator */
};
/* Runs to the end. ABORTED after a finding that ends a launch; STOPPED as the request says; NO_PROGRESS past
 * the limits; OUT_OF_RESOURCES when local or private memory does not fit. Never harms the host. */
enum status device_launch(struct device *device, const struct launch_request *request,
                          struct diagnosis *diagnosis);

/* Several at the same time. The request's pointers are borrowed until the launch ends. On an error nothing
 * began. */
struct live_launch;
enum status device_launch_begin(struct device *device, const struct launch_request *request,
                                struct live_launch **out_launch, struct diagnosis *diagnosis);
/* Time slices of those that began, as the scenario's policy gives them, until one is over: device_launch_end
 * is due for it. HELP_COMMANDS: the caller could begin more; then NULL as soon as those that run only spin.
 * HELP_HOST: the caller may later, or the host may write; then NULL when they do nothing but spin, ever:
 * otherwise they would be over, with a livelock. HELP_NONE: neither, until one is over: memory that the host
 * shares does not change by itself, either. HELP_LOOK: the same, but NULL now and then while they only spin,
 * in case the caller has something to do. */
enum device_help { HELP_NONE, HELP_HOST, HELP_COMMANDS, HELP_LOOK };
struct live_launch *device_run(struct device *device, enum device_help help);
/* While launches only spin. device_is_still: is all memory what it was at the last call? device_say_spin:
 * which work-items read which place again and again, as text. */
bool device_is_still(struct device *device);
/* a kernel touched memory of the host that was not allocated through OpenCL */
bool device_touches_host(const struct device *device);
void device_say_spin(struct device *device, char *text, size_t size);
/* Status as device_launch, and with a child_error perhaps in words why; time: when it was over,
 * device_clock() is at least that. */
enum status device_launch_end(struct live_launch *launch, uint64_t *out_time, struct diagnosis *diagnosis);

/* The recorded choices of the launches so far; switches only with record_file or keep_switches in the
 * scenario. Borrowed, or taken away: then the device begins anew; NULL: no memory. */
const struct schedule_record *device_record(struct device *device);
struct schedule_record *device_take_record(struct device *device);

/* The work-group size the device picks for a global size (local_size NULL in the API). */
void device_suggest_local_size(const struct device_config *config, const struct kernel *kernel,
                               uint32_t work_dim, const uint64_t global_size[3], uint64_t out_local_size[3]);
uint32_t device_sub_group_size(const struct device_config *config, const struct kernel *kernel,
                               uint64_t local_linear_size);
/* STATUS_OUT_OF_RESOURCES: the kernel has more image or sampler arguments than the device's limits, and the
 * diagnosis names them. */
enum status device_check_images(const struct device_config *config, const struct kernel_info *info,
                                struct diagnosis *diagnosis);
/* STATUS_OUT_OF_RESOURCES: races are looked for, and the launch has more work-items than that can be done for;
 * the diagnosis says so. */
enum status device_check_numbers(const struct device *device, const struct launch_request *request,
                                 struct diagnosis *diagnosis);
/* Does the device have sub-groups of the size that the kernel requires, if it does? */
bool device_fits_sub_groups(const struct device_config *config, const struct kernel *kernel);

/* ---- device queues ------------------------------------------------------------ */

enum {
    DEVICE_QUEUE_PREFERRED_BYTES = 64 << 10,
    DEVICE_QUEUE_MAX_BYTES = 1 << 20,
    DEVICE_QUEUES = 16, /* per device and context */
    DEVICE_QUEUE_EVENTS = 1024
};
/* To which kernels enqueue kernels: on these units. Its number is the value of a queue_t, and that of
 * ARG_QUEUE (uint64_t). */
struct device_queue_request {
    uint32_t root;
    const uint32_t *compute_units;
    uint32_t compute_unit_count; /* as in struct launch_request; copied */
    uint32_t device;
    uint32_t size_bytes;
};
/* OUT_OF_MEMORY. */
enum status device_queue_new(struct device *device, const struct device_queue_request *request,
                             uint32_t *out_queue);
void device_queue_free(struct device *device, uint32_t queue);

/* The sink of kernel printf: default writes to stdout. */
typedef void printf_sink(void *self, const char *text, size_t size);
void device_set_printf(struct device *device, printf_sink *sink, void *self);

#endif
