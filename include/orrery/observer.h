/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The observer seam: memory, groups and the device announce events, as plain values and ids. They do
 *          not know their observers: a checker, a tracer, statistics, or none.
 *
 * Rules    Pointers in an event are valid during the callback only.
 *          A NULL callback means "not wanted" and costs one test.
 *          Events come in the order in which the simulated device performed them: plain
 *          accesses just before they take effect, atomics just after. Lanes act in
 *          ascending order. All callbacks but `order` come from the one thread that
 *          executes commands; `order` comes from any thread, one at a time.
 */
#ifndef ORRERY_OBSERVER_H
#define ORRERY_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WAVE_LANES_MAX = 256, LANE_MASK_WORDS = WAVE_LANES_MAX / 64 };

/* The number of ones. Where the processor at hand need not have the instruction, the compiler's own builtin
 * is a call of a library, which takes a multiple of the time. */
static inline uint32_t ones_of(uint64_t word)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcountll(word);
#else
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return (uint32_t)(((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#endif
}

/* ---- origin ------------------------------------------------------------------ */

/* When a kernel that another one enqueued begins: CLK_ENQUEUE_FLAGS_NO_WAIT, _WAIT_KERNEL,
 * _WAIT_WORK_GROUP. */
enum launch_start { LAUNCH_AT_ONCE, LAUNCH_AFTER_PARENT, LAUNCH_AFTER_GROUP };
/* A launch that has ended before another one began; complete: and all that it enqueued is. marked: neither
 * need be, but one of its work-items had enqueued a marker, at that clock snapshot and of that work-group. */
struct launch_after {
    uint32_t launch;
    bool complete, marked;
    uint32_t clock_snapshot;
    uint64_t group;
};

enum memory_ordering { ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQ_REL, ORDER_SEQ_CST };
enum memory_scope { SCOPE_WORK_ITEM, SCOPE_SUB_GROUP, SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_ALL_SVM };

/* One NDRange launch; constant while it runs but for what it enqueues. Units: work-items. */
struct launch_info {
    uint32_t launch;    /* serial number of the launch on this device, from 1 */
    uint32_t command;   /* serial number of the host command that caused it */
    bool among_devices; /* its context has several */
    bool alone;         /* every command of its context comes before or after it: one queue, in order */
    uint32_t device;    /* serial number of the device or sub-device that runs it; 0: the first root */
    uint32_t parent;    /* the launch whose kernel enqueued it; 0: the host did */
    /* the root of its launch tree, the launch itself once it enqueued kernels; 0: no tree */
    uint32_t tree_root;
    enum launch_start start;
    uint64_t parent_group;          /* LAUNCH_AFTER_GROUP */
    uint32_t parent_clock_snapshot; /* when it was enqueued: checkers_enqueue; 0: not known */
    const struct launch_after *after;
    uint32_t after_count; /* it waited for these by events */
    /* its own whose end kernels it enqueued wait for, so far */
    const uint64_t *awaited_groups;
    uint32_t awaited_group_count;
    const char *kernel;            /* name; owned by the program */
    const struct program *program; /* for program_site(); opaque to observers */
    uint32_t work_dim;
    uint64_t global_size[3], global_offset[3], local_size[3], group_count[3];
    uint32_t sub_group_size;
    enum memory_scope releases, acquires; /* as the kernel's code may: kernel_info */
    bool atomics;                         /* likewise */
    /* likewise: of kernels that enqueue each other, whose atomics may order them, or race by their scopes */
    bool in_launch_tree;
    bool enqueues; /* likewise: kernels */
    /* --kernel or --launches leaves it out: no race, use of an uninitialised value or misuse of atomics in it
     * is reported */
    bool left_out;
    /* "argument 0 'data'": the first that points into the bytes; false: none does. While the launch runs;
     * NULL: not known. */
    bool (*argument)(const struct launch_info *launch, uint64_t low, uint64_t high, char *out_name,
                     size_t size);
    /* Has its code an instruction that may write to one of the bytes, or do an atomic operation? NULL: it
     * may have. */
    bool (*may_write)(const struct launch_info *launch, uint64_t low, uint64_t high);
    /* Of litmus tests: */
    /* each work-group's device, when there are several; NULL: device runs all */
    const uint32_t *group_device;
    bool formal; /* scopes count as written, local memory is one for all work-groups */
};

/* The work-items of one wave: a tile tile_size[] of consecutive work-items,
 * lane = (z * tile_size[1] + y) * tile_size[0] + x, starting at lane first_lane of
 * the tile; global id = tile_origin + (x, y, z) + global_offset.  A tile is one
 * work-group, or a box of neighbours when the kernel cannot distinguish them. */
struct origin {
    const struct launch_info *launch;
    uint64_t tile_origin[3];
    uint32_t tile_size[3];
    uint32_t first_lane;
    uint32_t compute_unit;
    uint32_t site; /* instruction: program_site(launch->program, site) */
    uint64_t wave; /* a number that no other wave of the launch has had; 0: none was given */
    /* some of its lanes continue by themselves: before, all were in one iteration of a loop that they are
     * in */
    bool parted;
};

/* One work-item, spelled out. */
struct item {
    uint64_t global_id[3]; /* with the offset */
    uint64_t local_id[3], group_id[3];
    uint64_t group_linear, local_linear;
    uint32_t sub_group; /* within the work-group */
    uint32_t compute_unit;
};

/* Which work-item lane is. */
void origin_item(const struct origin *origin, uint32_t lane, struct item *out_item);

/* ---- what ----------------------------------------------------------------- */

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC_READ, ACCESS_ATOMIC_WRITE, ACCESS_ATOMIC_UPDATE };
/* The operation at a place of a program: an access of one of those kinds, or none. */
enum act {
    ACT_ACCESS,
    ACT_BARRIER,
    ACT_FENCE,
    ACT_COLLECTIVE, /* another function of a work-group or sub-group */
    ACT_COPY,       /* asynchronous */
    ACT_WAIT,       /* for such copies */
    ACT_BRANCH,
    ACT_CALL /* of the API or a built-in function that only queries or passes on */
};
/* INTEGER: or anything else that is not one of these; VECTOR: several numbers, of any of these types */
enum number_type { NUMBER_INTEGER, NUMBER_VECTOR, NUMBER_HALF, NUMBER_FLOAT, NUMBER_DOUBLE };
/* A failed compare-exchange is a load: its order neither releases nor is stronger than that of success.
 * Of acquire and release neither is stronger. */
static inline bool failure_order_fits(enum memory_ordering success, enum memory_ordering failure)
{
    return failure == ORDER_RELAXED || (failure == ORDER_ACQUIRE && success != ORDER_RELAXED) ||
           (failure == ORDER_SEQ_CST && success == ORDER_SEQ_CST);
}
enum { REGION_GLOBAL = 1, REGION_LOCAL = 2, REGION_IMAGE = 4 }; /* flags of fences and barriers */

/* How the lanes' addresses are laid out; address of lane (x, y) of the tile row. */
enum address_shape { ADDRESS_UNIFORM, ADDRESS_AFFINE, ADDRESS_LIST };

/* One instruction, all its active lanes, in lane order. */
struct access_event {
    struct origin origin;
    enum access_kind kind;
    enum memory_ordering order;         /* atomics */
    enum memory_ordering failure_order; /* compare-exchange: of the lanes in failed */
    enum memory_scope scope;
    const uint64_t *failed; /* compare-exchange: lanes that found another value and only read; NULL: none */
    /* texels of an image, which fences of REGION_IMAGE order; a filtered read announces each texel it
     * takes */
    bool image;
    bool sampled; /* an image read with a sampler */
    /* part of the work-group's latest asynchronous copy of this number, which no work-item performs; else
     * 0 */
    uint32_t copy;
    uint32_t size_bytes; /* bytes per lane */
    uint32_t lane_count;
    const uint64_t *mask; /* LANE_MASK_WORDS words; bit set = lane took part */
    enum address_shape shape;
    uint64_t base;          /* UNIFORM, AFFINE */
    int64_t step_x, step_y; /* AFFINE: base + step_x * (lane % row) + step_y * (lane / row) */
    uint32_t row;
    const uint64_t *address; /* LIST: one per lane */
    /* The values that each lane is about to store, or that an atomic found: component c of lane l has
     * component_bytes, at frame + slots[c] + l * component_bytes. slots NULL: not known. Of a load they mean
     * nothing, even if they are set: memory has the values read (lane_values). */
    const uint8_t *frame;
    const uint32_t *slots;
    uint32_t component_bytes;
};

/* Is the lane of one of an event's masks? NULL: none is. */
static inline bool lane_in(const uint64_t *mask, uint64_t lane)
{
    return mask && mask[lane / 64] >> lane % 64 & 1;
}

static inline uint64_t lane_address(const struct access_event *event, uint64_t lane)
{
    switch (event->shape) {
    case ADDRESS_UNIFORM: return event->base;
    case ADDRESS_AFFINE:
        if (lane < event->row)
            return event->base + (uint64_t)event->step_x * lane;
        return event->base + (uint64_t)event->step_x * (lane % event->row) +
               (uint64_t)event->step_y * (lane / event->row);
    default: return event->address[lane];
    }
}

/* The values that the work-item of a lane reads and writes, in at most 8 bytes, while the event is under way.
 * An atomic store, too, has read the value that it replaced. */
struct memory;
struct lane_values {
    bool has_read, has_written;
    uint64_t read, written;
};
void lane_values(const struct memory *memory, const struct access_event *event, uint32_t lane,
                 struct lane_values *out_values);

/* All waves that pass one barrier or collective announce it one after another, nothing between; `last` marks
 * the end. A named barrier is passed by some sub-groups of a work-group. A work-group's barrier that is
 * passed by some work-items while others of the work-group wait elsewhere has `parted` set. Each wave
 * announces when its work-items reach a copy (SYNC_COPY), be it started by then or not; right after the
 * announcement that is `last` its accesses follow. SYNC_COPY_WAIT waits for it. */
enum sync_kind {
    SYNC_FENCE,
    SYNC_WORK_GROUP_BARRIER,
    SYNC_SUB_GROUP_BARRIER,
    SYNC_NAMED_BARRIER,
    SYNC_COLLECTIVE,
    SYNC_COPY,
    SYNC_COPY_WAIT
};
struct sync_event {
    struct origin origin;
    enum sync_kind kind;
    uint32_t regions; /* REGION_* */
    enum memory_ordering order;
    enum memory_scope scope;
    uint32_t lane_count; /* of the wave, as in struct access_event */
    const uint64_t *mask;
    bool last, parted;
    /* SYNC_COPY*: the number of its event, from 1 within the work-group; a wait for several events is one
     * event each */
    uint32_t copy;
};

/* A host command touched memory: the device's, or the host's that it was given. A map reads its bytes (it
 * opens the bytes besides when the host may write them), and an unmap reads or writes them. Freed memory
 * counts as written: it may not be used any more. Migrated memory is read, or written when its contents are
 * given up, though no byte is copied. COMMAND_PACKETS: the command's kernel reads packets from a pipe, or
 * writes some to it. The bytes are those of that side, of which one kernel at a time has the use. */
enum command_role {
    COMMAND_MOVES,
    COMMAND_MAPS,
    COMMAND_OPENS,
    COMMAND_UNMAPS,
    COMMAND_FREES,
    COMMAND_MIGRATES,
    COMMAND_PACKETS
};
struct command_event {
    uint32_t command;
    enum access_kind kind;
    uint64_t address, size_bytes;
    enum command_role role;
    uint32_t map; /* COMMAND_UNMAPS: the command that mapped; 0: not known */
    /* COMMAND_UNMAPS: it may be another map that begins there, of so many bytes at most; 0: it is this one */
    uint64_t most_bytes;
    /* COMMAND_PACKETS: of the function, program_site(launch->program, site) */
    const struct launch_info *launch;
    uint32_t site;
    bool by_pointer; /* COMMAND_MOVES: to the host's memory, or to what a map has made that meanwhile */
};

/* The order of commands and the host (OpenCL 2.2 API, 3.3.6 "host-side and device-side commands"). Commands
 * and user events share one numbering. */
enum order_kind {
    /* the host enqueued it; it starts after all of after[]: wait list, order of the queue, barriers */
    ORDER_ENQUEUED,
    ORDER_BEGIN, /* it starts on the device */
    ORDER_END,   /* it is complete, or failed */
    /* all of after[] is complete for the host: clWaitForEvents, clFinish, a blocking call, a callback */
    ORDER_HOST_WAITED,
    /* clGetEventInfo returned CL_COMPLETE: that orders nothing (5.11), but explains what was meant */
    ORDER_HOST_ASKED,
    /* so did something else: its profiling information, or a native kernel begins, after what it waited
     * for */
    ORDER_HOST_REPORTED
};
struct source_place;
/* The call of the program that enqueued commands. It stays; so do the strings that find() hands out. */
struct enqueuer {
    bool (*find)(const struct enqueuer *self, struct source_place *out_place); /* false: no line is known */
};

/* The thread of the host that made the call, and of each thread, itself included, how many of its calls
 * happen before or are this one: by locks, joins and the like. Numbers of threads are chance. */
struct host_clock {
    uint32_t thread, count;
    const uint32_t *at;
    bool several; /* there is more than one */
};

struct order_event {
    enum order_kind kind;
    uint32_t command; /* of HOST_WAITED: 0 */
    /* serial numbers; 0: a user event, set by the host at ENQUEUED, or by the commands of after[] */
    uint32_t queue, device;
    const char *call; /* "clEnqueueReadBuffer" */
    const uint32_t *after;
    size_t after_count;
    uint64_t time;                   /* simulated nanoseconds; of BEGIN and END */
    const struct enqueuer *enqueuer; /* of ENQUEUED; NULL: not known */
    /* of ENQUEUED: commands of one clEnqueueCommandBufferKHR have one number; 0: it is of none */
    uint32_t batch;
    bool
        program; /* of BEGIN: a function of the program runs with it (a native kernel); of ENQUEUED: such a function, or a
                              callback, enqueues it, or sets the user event, and so a command came before */
    /* of ENQUEUED: an unmap's, the command that maps; 0: it is none, or that is not known yet */
    uint32_t map;
    /* of ENQUEUED and HOST_WAITED; NULL: not known, and the threads count as one */
    const struct host_clock *host;
};

/* A time slice of a wave: nothing else on the device runs until it ends. */
struct slice_event {
    const struct launch_info *launch;
    bool begin;            /* or end */
    uint64_t group_linear; /* the first of the wave's tile */
    uint32_t compute_unit;
    uint32_t first_lane, lane_count; /* of the tile */
    uint64_t time;
};

enum launch_phase { LAUNCH_BEGIN, LAUNCH_END, GROUP_BEGIN, GROUP_END };
struct launch_event {
    const struct launch_info *launch;
    enum launch_phase phase;
    uint64_t group_linear; /* GROUP_* */
    uint32_t compute_unit;
    uint64_t time; /* simulated nanoseconds, as device_clock() will return when the launch has ended */
};

struct observer {
    void *self;
    void (*access)(void *self, const struct access_event *event);
    /* Atomics are about to change memory that the host may read at once: access announces them when they have
     * happened, and by then the host may have continued. */
    void (*before)(void *self);
    void (*sync)(void *self, const struct sync_event *event);
    void (*command)(void *self, const struct command_event *event);
    void (*launch)(void *self, const struct launch_event *event);
    void (*order)(void *self, const struct order_event *event);
    void (*slice)(void *self, const struct slice_event *event);
    /* The observer that the waves of a launch call instead of this one, queried when it begins; NULL:
     * none. */
    const struct observer *(*for_launch)(void *self, const struct launch_info *launch);
};

#endif
