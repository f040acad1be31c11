/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Every OpenCL handle is a pointer to a struct whose first member is struct object. A table of live
 *          handles has the kind of each pointer, so an unknown or released handle gives the error of its kind
 *          and is never dereferenced.
 *
 * Interface
 *   object_new/object_lookup/object_retain/object_release      by the table object.def
 *   object_ref/object_unref    references of the runtime. They keep the object alive, but are not part of
 *                              CL_*_REFERENCE_COUNT; a handle without references of the user is no longer
 *                              found
 *   object_hold/object_unhold  a reference of the user that the runtime has for a callback, so that the
 *                              handle is found in it. The program cannot release it
 *
 * Locks    The table has its own lock. All other state that several host threads use is guarded by
 *          runtime_lock(), one lock, which is never held while a callback or a kernel runs.
 */
#ifndef ORRERY_LIB_OBJECT_H
#define ORRERY_LIB_OBJECT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/compiler.h"
#include "orrery/device.h"

/* OBJECT(ENUM, "name", error for a bad handle, destroy function) rows are in object.def */
enum object_kind {
#define OBJECT(name, text, error, destroy) OBJECT_##name,
#include "object.def"
#undef OBJECT
    OBJECT_KIND_COUNT
};

struct object {
    const cl_icd_dispatch *dispatch; /* first: the ICD loader reads it */
    enum object_kind kind;
    uint32_t id;       /* serial number per kind, from 1: what reports print */
    cl_uint refs;      /* the user's references, and those held for callbacks: atomic */
    cl_uint held;      /* how many of them are held for callbacks: atomic */
    uint32_t internal; /* references of the runtime, and one that stands for all of the user: atomic */
    bool published;
    bool answered;          /* a query gave the handle to the program: atomic */
    struct call_site *made; /* where the program made it; NULL: not recorded (call.h) */
};

/* calloc'd, with one reference; NULL: out of memory. It is in the table after object_publish. */
void *object_new(enum object_kind kind, size_t size);
void object_publish(void *object);
/* The object if the handle is live and of that kind, else NULL. */
void *object_lookup(const void *handle, enum object_kind kind);
cl_int object_error(enum object_kind kind);          /* CL_INVALID_EVENT, ... */
const char *object_kind_name(enum object_kind kind); /* "memory object" */
cl_int object_retain(const void *handle, enum object_kind kind);
cl_int object_release(const void *handle, enum object_kind kind);
void object_hold(void *object);
void object_unhold(void *object);
void *object_ref(void *object);
void object_unref(void *object);
/* The live objects of the wanted kinds, a bit each, sorted by kind and number. Each is referenced, since
 * another thread may release it; NULL: out of memory. object_list_free without runtime_lock: it may destroy
 * them. */
struct object **object_list(unsigned wanted, size_t *out_count);
void object_list_free(struct object **list, size_t count);
size_t object_live_count(enum object_kind kind); /* for leak reports and tests */

/* Destructors of the rows of object.def, called without a lock. Each is in the file of its kind. */
void context_destroy(void *object);
void queue_destroy(void *object);
void memobj_destroy(void *object);
void program_destroy(void *object);
void kernel_destroy(void *object);
void event_destroy(void *object);
void device_destroy(void *object);
void sampler_destroy(void *object);
void semaphore_destroy(void *object);
void command_buffer_destroy(void *object);
/* Parts of objects whose structs are private to their files. */
const struct context *semaphore_context(const struct object *object);
const struct context *command_buffer_context(const struct object *object);
const struct queue *command_buffer_queue(const struct object *object);

void runtime_lock(void);
void runtime_unlock(void);

/* Set up at the first call (api_runtime.c): scenario from the environment, report, platform, device. */
struct runtime {
    struct scenario scenario;
    struct report *report;
    struct device *device; /* the simulated machine, of which every root device is a part */
    struct platform *platform;
    bool broken; /* the scenario could not be read: clGetPlatformIDs reports it */
};
struct runtime *runtime_get(void);

/* ---- the objects; fields without a note do not change after creation ------------------------------- */

struct platform {
    struct object base;
    cl_uint root_count;
    struct cl_device **roots;
    struct queue *named_queues; /* queues that name a family; borrowed; guarded by runtime_lock */
};

/* A request to partition, of either call. A sub-device keeps the one that made it. */
enum partition_scheme {
    SCHEME_NONE,
    SCHEME_EQUALLY,
    SCHEME_BY_COUNTS,
    SCHEME_BY_NAMES,
    SCHEME_BY_AFFINITY,
    SCHEME_BY_CSLICE
};
struct partition_type {
    enum partition_scheme scheme;
    enum topology_level level; /* of BY_AFFINITY; MACHINE: the next level that splits the device */
    /* EQUALLY: units of each part; BY_COUNTS, BY_NAMES: the list without its end mark; owned */
    size_t count;
    int64_t *values;
};

struct cl_device { /* cl_device_id */
    struct object base;
    struct device *device;    /* sim */
    struct cl_device *parent; /* NULL: root; referenced */
    const struct device_config *config;
    uint32_t root; /* the number of its root device in the scenario */
    /* the root's; a copy of the configuration's at the device's creation */
    struct topology *topology;
    uint32_t index;             /* the root's position in the platform's list */
    struct unit_set units;      /* of the topology */
    struct partition_type type; /* the request that made it */
    uint32_t part;              /* its number among the parts of that request */
    /* guarded by runtime_lock */
    struct cl_device *children, *sibling; /* live sub-devices, the latest first; borrowed */
    cl_uint tile_count;
    struct cl_device *
        *tiles; /* of Intel's driver: the sub-devices that each partition call returns; referenced */
};

struct context {
    struct object base;
    cl_uint device_count;
    struct cl_device **devices;
    cl_context_properties *properties;
    size_t property_count; /* incl. final 0 */
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
    void *notify_data;
    struct destructor *destructors;
    cl_bitfield zeroed;          /* CL_CONTEXT_MEMORY_INITIALIZE_KHR */
    bool may_terminate;          /* CL_CONTEXT_TERMINATE_KHR */
    uint8_t stop;                /* atomic: enum launch_stop of its launches */
    struct queue *device_queues; /* borrowed; guarded by runtime_lock, as is the next */
    struct queue *queues;        /* of the host; borrowed */
};
/* Calls the context's notify function (no lock held), and adds the text to the finding about the call in
 * progress. */
void context_error(struct context *context, const char *text);

/*
 * Maps of one object that begin at the same byte have one pointer, so an unmap does not identify one
 * (aliased_maps.h). Once one of several that differ was unmapped: the region that all of them have, the
 * region that any of them has, and their kinds of access (DEVICE_MAP_*).
 */
struct aliased_maps {
    bool any;
    size_t least[3], most[3];
    uint32_t sorts;
};
struct map_record {
    struct map_record *next;
    void *pointer;
    size_t offset, size;
    cl_map_flags flags;
    uint32_t count;
    /* bytes of a row, rows, slices; bytes from row to row, from slice to slice */
    size_t region[3], pitch[2];
    /* the mapped object; the record is in the list of its root, and offsets are in the root */
    struct memobj *owner;
    struct call_site *made; /* owned; NULL: not recorded */
    /* the command that maps (0: it failed); it ran; its unmap ran */
    uint32_t by;
    bool mapped, unmapped;
    struct aliased_maps aliased;
};

struct image { /* of a cl_mem */
    cl_image_format format;
    cl_image_desc desc;       /* as given at creation, with the resolved pitches */
    struct image_desc device; /* what kernels see */
};

struct sampler_object { /* cl_sampler */
    struct object base;
    struct context *context;
    struct sampler sampler;
    float lod_min, lod_max; /* as given */
    cl_sampler_properties *properties;
    size_t property_count; /* incl. final 0 */
};

struct memobj { /* cl_mem: buffer, sub-buffer, image or pipe */
    struct object base;
    struct context *context;
    struct memobj *parent;
    size_t offset;       /* in the parent: of a sub-buffer, or of an image that was made of a buffer */
    struct image *image; /* NULL: a buffer */
    cl_mem_object_type type;
    cl_mem_flags flags;
    size_t size;
    void *host_ptr;   /* of CL_MEM_USE_HOST_PTR: map and unmap copy between it and the device's bytes */
    uint64_t address; /* on the device; a sub-buffer's is inside its parent's */
    bool owns_address, is_svm;
    cl_uint packet_bytes, packet_count; /* of a pipe */
    cl_mem_properties *properties;
    size_t property_count;
    struct destructor *destructors;
    /* guarded by runtime_lock */
    struct map_record *maps;
    cl_uint map_count;
    char *seen;
    struct memobj
        *next_watched; /* host_bytes.c's, with seen: a copy of the bytes at host_ptr; NULL: not watched */
    bool gone;         /* the host has unmapped the memory at host_ptr (host_gone.c) */
};

struct program_build { /* of a program, for some of its devices */
    struct program_build *next;
    cl_uint device_count;
    struct cl_device **devices; /* referenced */
    cl_build_status status;
    char *options;
    char *log;
    cl_program_binary_type binary_type;
    struct spirv spirv;                  /* compiled object, library or executable */
    struct program *program;             /* loaded executable, or NULL */
    bool kernel_arg_info;                /* built with -cl-kernel-arg-info */
    const struct program_binary *binary; /* the binary that it was built from, or NULL */
    /* OpenCL C 1.x, or built with -cl-uniform-work-group-size: work-groups are uniform */
    bool uniform_groups;
    bool debug; /* built with -g: enqueue_kernel reports why it fails */
};
/* The contents of a program binary; devices that were given the same bytes share it. */
struct program_binary {
    struct program_binary *next;
    char *source, *options; /* or NULL */
    char *source_name;      /* of the script that holds the source; NULL: none does */
    struct spirv words;
    cl_program_binary_type type;
    struct spec_constant *constants;
    size_t constant_count;
    bool kernel_arg_info, uniform_groups, debug;
    bool built; /* clBuildProgram made all of it from the source, with the options */
    bool moved; /* the source stands elsewhere now than when it was built */
};
/* borrowed from the program */
struct device_binary {
    struct cl_device *device;
    const struct program_binary *binary;
};
enum program_origin {
    PROGRAM_FROM_SOURCE,
    PROGRAM_FROM_IL,
    PROGRAM_FROM_BINARY,
    PROGRAM_FROM_LINK,
    PROGRAM_FROM_BUILT_IN
};
struct placed_source {
    char *text, *name;
};
struct program_object { /* cl_program */
    struct object base;
    struct context *context;
    enum program_origin origin;
    char *source; /* joined strings of clCreateProgramWithSource; or the source of the only input of a link */
    const struct enqueuer *made;     /* the call that gave the source; NULL: not recorded */
    struct placed_source placed;     /* the source as it is compiled, where a script holds it; or NULLs */
    struct spirv il;                 /* clCreateProgramWithIL */
    struct program_binary *binaries; /* clCreateProgramWithBinary */
    struct device_binary *device_binaries;
    size_t device_binary_count;
    /* guarded by runtime_lock */
    cl_uint device_count;
    struct cl_device **devices;   /* given at creation, or in a build since then; referenced */
    struct program_build *builds; /* the latest first; no device is in two of them */
    struct spec_constant *constants;
    size_t constant_count;
    cl_uint attached_kernels; /* atomic */
    struct destructor *destructors;
};

struct kernel_arg_value {
    bool set;
    void *bytes;
    size_t size;
    struct memobj *memobj;
    struct queue *queue;
    uint64_t address;
    bool of_system; /* an address of the host that is in no allocation, for devices with system SVM */
};
/* The epoch of the last call of a kind on a kernel object: thread and clock value (usage_kernel.c); count
 * 0: none. */
struct kernel_use {
    uint32_t thread, count;
    struct call_site *site;
};

struct kernel_object { /* cl_kernel */
    struct object base;
    struct program_object *program;
    const struct kernel *kernel;
    const struct kernel_info *info;
    struct kernel_arg_value *args;
    void **svm_pointers;
    size_t svm_count;
    cl_bool svm_system;
    void **usm_pointers;
    size_t usm_count;
    bool usm_indirect[3];             /* CL_KERNEL_EXEC_INFO_INDIRECT_*: host, device, shared */
    struct kernel_use changed, taken; /* calls that set arguments; that read them */
    bool sharing_reported;
};

struct svm_allocation {
    struct svm_allocation *next;
    struct context *context;
    void *pointer;
    size_t size;
    cl_svm_mem_flags flags;
    cl_uint usm; /* CL_MEM_TYPE_*_INTEL; 0: of clSVMAlloc */
    cl_ulong usm_flags;
    struct cl_device *device; /* of a device allocation; borrowed */
    uint32_t serial;
    struct call_site *made;
};
/* The live allocation that holds pointer, or NULL. (svm.c) */
struct svm_allocation *svm_find(struct context *context, const void *pointer);

struct event_callback {
    struct event_callback *next;
    cl_int state;
    void(CL_CALLBACK *function)(cl_event, cl_int, void *);
    void *data;
};
struct event {
    struct object base;
    struct context *context;
    struct queue *queue; /* NULL: user event */
    cl_command_type type;
    uint32_t serial; /* of its command, or of the user event; both are numbered together */
    /* guarded by runtime_lock */
    cl_int status; /* CL_QUEUED to CL_COMPLETE, or a negative error: as of the consumed log */
    /* of a user event: the argument of clSetUserEventStatus; `status` changes as the log is consumed */
    cl_int user_status;
    cl_uint polls;    /* queries of its status that found it not complete */
    cl_ulong time[5]; /* queued, submit, start, end, complete: simulated ns */
    struct event_callback *callbacks;
    struct command **waiters;
    size_t waiter_count, waiter_room;
};

struct queue { /* cl_command_queue */
    struct object base;
    struct context *context;
    struct cl_device *device;
    cl_command_queue_properties properties;
    cl_queue_properties *property_list;
    size_t property_count;
    cl_uint size;                  /* in bytes, of a device queue */
    uint32_t number;               /* the value of its queue_t in kernels; 0: a host queue */
    struct queue *next_in_context; /* guarded by runtime_lock */
    struct queue *next_on_device;
    bool is_default;              /* of its context; guarded by runtime_lock */
    cl_uint family, family_index; /* cl_intel_command_queue_families; 0 where there are none */
    cl_command_queue_capabilities_intel capabilities;
    struct unit_set units;    /* on which its kernels run; numbers of the simulated machine */
    struct queue *next_named; /* guarded by runtime_lock */
    /* guarded by runtime_lock */
    struct command *first, *last; /* commands not yet complete, in enqueue order */
    struct event *barrier;        /* last barrier of an out-of-order queue */
    uint32_t unflushed;           /* how many commands were appended to the log after the last flush */
    uint32_t flushed;             /* serial number of the last command at the last flush */
    uint32_t search, searched;    /* usage_pending.c: the latest search, and up to which command it looked */
    /* `flushed` at the time when the context got a second queue; UINT32_MAX: it has one queue */
    uint32_t alone_until;
    uint32_t *frontier;
    size_t frontier_count, frontier_room;
    uint32_t frontier_barrier; /* command_order.c's, with frontier */
};

/* destructor callbacks are called in reverse order of registration */
struct destructor {
    struct destructor *next;
    void *function;
    void *data;
};

#endif
