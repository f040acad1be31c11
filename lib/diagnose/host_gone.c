/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each command's host memory is checked as the command runs: the extents that it copies from or to, and the
 * whole host memory of its objects. But when a command runs is not determined by the program's calls, so the
 * memory of a faulty program may or may not be mapped then. While the order of commands is observed, the
 * memory of CL_MEM_USE_HOST_PTR is therefore checked again before the host is ordered after the last command
 * that used it, or releases the object. If it is gone then, it went while the command could have run, and
 * that is reported in either case.
 *
 * Pages of a small block stay mapped when the program frees it. free_preload.c, if it is loaded, calls back
 * then: for the memory of objects, and for what a read or write copies to or from until the host is ordered
 * after it.
 *
 * msync of an extent costs one system call, reads no byte, and returns ENOMEM if one of its pages is not
 * mapped. Pages that guard.c closed stay mapped, so they count as present.
 */
#include "host_gone.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "orrery/checked.h"
#include "call.h"
#include "lib/command.h"
#include "lib/host/host_changed.h"
#include "lib/host/host_use.h"
#include "lib/command_order.h"
#include "lib/api_runtime.h"
#include "lib/memobj.h"

enum { PAGE_BYTES = 4096 };

/* The host memory of an object, or of one read or write. It outlives the object until the host is ordered
 * after the last command that uses it. Guarded by runtime_lock. */
struct hosted {
    struct hosted *next;
    const struct memobj *memobj; /* NULL: destroyed, or of a read or write */
    bool transfer, written;      /* of a read or write; which writes it */
    char object[64];             /* a transfer's memory object */
    struct host_extent bytes;
    const char *sort; /* "buffer", "image" */
    uint32_t id;
    uint32_t command; /* the last one enqueued that uses it; 0: none, or the host is ordered after it */
    enum command_kind kind;
    struct host_trace freed; /* the call of free; no frames: not known */
    bool gone;               /* it was unmapped when a command ran; other memory may be mapped there by now */
    bool reported;
    bool called_back; /* the object is destroyed, and a callback lets the program free the memory */
};
static struct hosted *all_hosted; /* atomic: whether there are any is asked without the lock */

static bool is_gone(struct host_extent extent)
{
    const uint64_t low = extent.low & ~(uint64_t)(PAGE_BYTES - 1);
    uint64_t allocation, size;
    return extent.low < extent.high && msync((void *)(uintptr_t)low, extent.high - low, MS_ASYNC) != 0 &&
           errno == ENOMEM && !device_allocation(runtime_device(), extent.low, &allocation, &size);
}

bool host_gone_bytes(const void *pointer, size_t size)
{
    const uint64_t low = (uint64_t)(uintptr_t)pointer;
    return is_gone((struct host_extent){low, low + size});
}

static struct hosted *hosted_of(const struct memobj *root)
{
    struct hosted *hosted = all_hosted;
    while (hosted && hosted->memobj != root)
        hosted = hosted->next;
    return hosted;
}

static bool was_freed(const struct memobj *root)
{
    const bool locked = runtime_lock_held();
    if (!locked)
        runtime_lock();
    const struct hosted *hosted = hosted_of(root);
    const bool freed = hosted && hosted->gone;
    if (!locked)
        runtime_unlock();
    return freed;
}

/* Memory that is gone stays so: what is mapped there later is different memory, for example the files that
 * host_place.c maps. */
bool host_gone(struct memobj *memobj)
{
    struct memobj *root = memobj_root(memobj);
    const uint64_t low = (uint64_t)(uintptr_t)root->host_ptr;
    if (memobj_has_host_memory(root) && !root->gone)
        root->gone = was_freed(root) || is_gone((struct host_extent){low, low + root->size});
    return root->gone;
}

/* The command that a finding names. */
struct hosted_user {
    uint32_t command;
    enum command_kind kind;
    const char *verb;               /* "runs" */
    const struct host_trace *freed; /* NULL: it is not known where the host freed the memory */
};

static void report(const struct hosted_user *user, const char *object, const char *why, const char *fix)
{
    const char *call = call_running();
    char what[160], by[64];
    struct host_trace trace;
    struct host_place place, freed;
    host_place_of_call(&trace, HOST_FRAMES);
    host_place_find(&trace, &place);
    if (call && strcmp(call, command_call(user->kind)) == 0)
        snprintf(what, sizeof what, "%s uses the memory", call);
    else
        snprintf(what, sizeof what, "%s %s%s%s", command_call(user->kind), user->verb,
                 call ? ", within " : "", call ? call : "");
    snprintf(by, sizeof by, "command %" PRIu32, user->command);
    struct finding finding = {.kind = FINDING_USE_AFTER_FREE,
                              .object = object,
                              .why = why,
                              .fix = fix,
                              .access_count = 1,
                              .access[0] = {.place = place.place, .act = ACT_CALL, .what = what, .by = by}};
    if (user->freed && user->freed->count) {
        host_place_find(user->freed, &freed);
        finding.access[finding.access_count++] =
            (struct finding_access){.place = freed.place, .act = ACT_CALL, .what = "free", .by = "the host"};
    }
    report_add(runtime_get()->report, &finding);
}

static void report_object(const struct hosted_user *user, const struct hosted *hosted)
{
    char object[64], why[200];
    snprintf(object, sizeof object, "%s %" PRIu32 " (%" PRIu64 " bytes)", hosted->sort, hosted->id,
             hosted->bytes.high - hosted->bytes.low);
    snprintf(why, sizeof why,
             "the host has freed the memory that %s %" PRIu32
             " was made with (CL_MEM_USE_HOST_PTR), and command %" PRIu32 " (%s) uses it",
             hosted->sort, hosted->id, user->command, command_call(user->kind));
    report(user, object, why,
           "free the memory after the memory object was released and the commands that use it are complete");
}

/* ---- memory of CL_MEM_USE_HOST_PTR ------------------------------------------------------------ */

typedef bool watch_function(const void *address, void (*freed)(const void *address));
typedef void unwatch_function(const void *address);

/* Before the program's free: called by free_preload.c in the thread that calls free. */
static void note_freed(const void *address)
{
    struct host_trace freed;
    host_place_capture(&freed);
    runtime_lock();
    for (struct hosted *hosted = all_hosted; hosted; hosted = hosted->next)
        if (hosted->bytes.low == (uint64_t)(uintptr_t)address && !hosted->gone) {
            hosted->gone = true;
            hosted->freed = freed;
        }
    runtime_unlock();
}

/* False: there is no room, or free_preload.c is not loaded. */
static bool watch(const struct hosted *hosted)
{
    watch_function *function = (watch_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "orrery_free_watch");
    return function && function((const void *)(uintptr_t)hosted->bytes.low, note_freed);
}

static void unwatch(const struct hosted *hosted)
{
    unwatch_function *function = (unwatch_function *)(uintptr_t)dlsym(RTLD_DEFAULT, "orrery_free_unwatch");
    if (function)
        function((const void *)(uintptr_t)hosted->bytes.low);
}

static const char *sort_of(const struct memobj *root)
{
    return root->image ? "image" : "buffer";
}

void host_gone_begin(const struct memobj *memobj)
{
    const bool watched = memobj_has_host_memory(memobj) && order_observed();
    struct hosted *hosted = watched ? calloc(1, sizeof *hosted) : NULL;
    if (!hosted)
        return;
    const uint64_t low = (uint64_t)(uintptr_t)memobj->host_ptr;
    *hosted = (struct hosted){
        .memobj = memobj, .bytes = {low, low + memobj->size}, .sort = sort_of(memobj), .id = memobj->base.id};
    runtime_lock();
    hosted->next = all_hosted;
    __atomic_store_n(&all_hosted, hosted, __ATOMIC_RELAXED);
    runtime_unlock();
    (void)watch(hosted);
}

void host_gone_end(const struct memobj *memobj)
{
    runtime_lock();
    struct hosted *hosted = hosted_of(memobj);
    if (hosted) {
        hosted->memobj = NULL;
        hosted->called_back = memobj->destructors && !is_gone(hosted->bytes);
    }
    runtime_unlock();
}

/* A command may still use it: no call has reported to the host that the command is complete. */
static bool is_used(const struct hosted *hosted)
{
    return hosted->command && !hosted->called_back &&
           !device_host_reported(runtime_device(), hosted->command);
}

/* The next entry to report; removes entries that no command uses any more. False: none is left. */
static bool next_gone(struct hosted *out_hosted)
{
    const bool locked = runtime_lock_held();
    bool found = false;
    if (!locked)
        runtime_lock();
    for (struct hosted **link = &all_hosted; *link && !found;) {
        struct hosted *hosted = *link;
        const bool used = is_used(hosted);
        if (!used && !hosted->memobj) {
            __atomic_store_n(link, hosted->next, __ATOMIC_RELAXED);
            unwatch(hosted);
            free(hosted);
            continue;
        }
        found = used && !hosted->reported && (hosted->gone || (!hosted->transfer && is_gone(hosted->bytes)));
        if (found) {
            hosted->reported = true;
            *out_hosted = *hosted;
        }
        link = &hosted->next;
    }
    if (!locked)
        runtime_unlock();
    return found;
}

static bool some_hosted(void)
{
    return __atomic_load_n(&all_hosted, __ATOMIC_RELAXED) != NULL;
}

static void report_transfer(const struct hosted_user *user, const struct hosted *hosted, const char *then)
{
    char why[240];
    snprintf(why, sizeof why,
             "the host has freed the %" PRIu64 " bytes of memory that command %" PRIu32 " (%s) %s%s",
             hosted->bytes.high - hosted->bytes.low, user->command, command_call(user->kind),
             hosted->written ? "writes" : "reads", then);
    report(user, hosted->object[0] ? hosted->object : NULL, why,
           "wait for the command before the memory is freed");
}

void host_gone_look(void)
{
    struct hosted hosted;
    while (some_hosted() && next_gone(&hosted)) {
        const struct hosted_user user = {hosted.command, hosted.kind, "may not be complete", &hosted.freed};
        if (hosted.transfer)
            report_transfer(&user, &hosted, ", and no call has waited for it");
        else
            report_object(&user, &hosted);
    }
}

static bool note_gone(const struct memobj *root)
{
    const bool locked = runtime_lock_held();
    if (!locked)
        runtime_lock();
    struct hosted *hosted = hosted_of(root);
    if (hosted)
        hosted->gone = true;
    if (!locked)
        runtime_unlock();
    return hosted;
}

/* An object of the list is reported by host_gone_look; another one, since nothing looks later, at once. */
static void find_object(const struct command *command, struct memobj *memobj)
{
    if (!memobj || !host_gone(memobj) || note_gone(memobj_root(memobj)))
        return;
    const struct memobj *root = memobj_root(memobj);
    const uint64_t low = (uint64_t)(uintptr_t)root->host_ptr;
    const struct hosted hosted = {
        .bytes = {low, low + root->size}, .sort = sort_of(root), .id = root->base.id};
    report_object(&(struct hosted_user){command->serial, command->kind, "runs", NULL}, &hosted);
}

static void note_use(const struct command *command, struct memobj *memobj)
{
    struct hosted *hosted = memobj ? hosted_of(memobj_root(memobj)) : NULL;
    if (!hosted)
        return;
    hosted->command = command->serial;
    hosted->kind = command->kind;
}

/* Each memory object that a command uses. */
static void visit_objects(const struct command *command,
                          void (*visit)(const struct command *command, struct memobj *memobj))
{
    if (command_transfers(command)) {
        visit(command, command->u.transfer.source);
        visit(command, command->u.transfer.target);
    } else if (command->kind == COMMAND_FILL_BUFFER || command->kind == COMMAND_FILL_IMAGE) {
        visit(command, command->u.fill.target);
    } else if (command->kind == COMMAND_MAP_BUFFER || command->kind == COMMAND_MAP_IMAGE ||
               command->kind == COMMAND_UNMAP_MEM_OBJECT) {
        visit(command, command->u.map.record ? command->u.map.record->owner : NULL);
    } else if (command_launches(command)) {
        for (size_t i = 0; i < command->u.launch.memobj_count; i++)
            visit(command, command->u.launch.memobjs[i]);
    }
}

/* The memory object of a transfer; "": none. */
static void name_object(const struct command *command, char *out, size_t size)
{
    const struct memobj *memobj = !command_transfers(command)  ? NULL
                                  : command->u.transfer.source ? command->u.transfer.source
                                                               : command->u.transfer.target;
    out[0] = '\0';
    if (memobj)
        snprintf(out, size, "%s %" PRIu32 " (%zu bytes)", memobj->image ? "image" : "buffer", memobj->base.id,
                 memobj->size);
}

/* At most as many as free_preload.c has room for. */
static void watch_transfer(const struct command *command)
{
    struct host_extent read, written;
    host_use_extents(command, &read, &written);
    const bool writes = written.low < written.high;
    struct hosted *hosted = read.low < read.high || writes ? calloc(1, sizeof *hosted) : NULL;
    if (!hosted)
        return;
    *hosted = (struct hosted){.next = all_hosted,
                              .transfer = true,
                              .written = writes,
                              .bytes = writes ? written : read,
                              .command = command->serial,
                              .kind = command->kind};
    name_object(command, hosted->object, sizeof hosted->object);
    if (watch(hosted))
        __atomic_store_n(&all_hosted, hosted, __ATOMIC_RELAXED);
    else
        free(hosted);
}

void host_gone_enqueued(const struct command *command)
{
    if (some_hosted())
        visit_objects(command, note_use);
    if (command_transfers(command) && order_observed())
        watch_transfer(command);
}

/* ---- memory that commands copy from or to ------------------------------------------------------ */

/* How many bytes are mapped before the first that is not, to whole pages. */
static uint64_t bytes_before_gap(struct host_extent extent)
{
    uint64_t mapped = 0, gone = extent.high - extent.low; /* so many bytes are mapped; so many are not */
    while (gone - mapped > 1) {
        const uint64_t half = mapped + (gone - mapped) / 2;
        if (is_gone((struct host_extent){extent.low, extent.low + half}))
            gone = half;
        else
            mapped = half;
    }
    CHECKED(mapped < extent.high - extent.low);
    return mapped;
}

static void find_pointer(const struct command *command, struct host_extent extent)
{
    const uint64_t mapped = bytes_before_gap(extent);
    char object[64], why[280], gap[120] = "some are not mapped: the host has freed them, or never had them";
    name_object(command, object, sizeof object);
    if (mapped)
        snprintf(gap, sizeof gap,
                 "those from byte %" PRIu64
                 " on are not mapped: the memory is shorter, or the host has freed it",
                 mapped);
    snprintf(why, sizeof why,
             "of the %" PRIu64 " bytes of host memory that command %" PRIu32
             " (%s) was given, %s; the command copies nothing",
             extent.high - extent.low, command->serial, command_call(command->kind), gap);
    report(&(struct hosted_user){command->serial, command->kind, "runs", NULL}, object[0] ? object : NULL,
           why,
           mapped ? "copy no more bytes than the memory has, and free it after the command is complete"
                  : "free the memory after the command is complete");
}

enum { STACK_BYTES_MAX = 64 << 20 };

static bool ending; /* atomic: no function of the program continues */

void host_gone_ending(void)
{
    __atomic_store_n(&ending, true, __ATOMIC_RELAXED);
}

/*
 * Memory on this thread's stack that belongs to no function of the program any more, but perhaps to one of
 * this library: all below the frame of the call that runs, or the whole stack at the end of the program.
 * Where commands run without a call, as for a function of orrery.h or a fault of a page, it is not known.
 */
static bool is_left_stack(struct host_extent extent)
{
    const uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    const uint64_t frame = (uint64_t)(uintptr_t)call_frame();
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    const bool far = extent.low + STACK_BYTES_MAX < here || extent.low > here + STACK_BYTES_MAX;
    if (extent.low >= extent.high || far ||
        (frame ? extent.low >= frame : !__atomic_load_n(&ending, __ATOMIC_RELAXED)))
        return false; /* the usual case: it costs no look at the stack */
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return false;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    const uint64_t bottom = (uint64_t)(uintptr_t)low, top = bottom + size, end = frame ? frame : top;
    return end > bottom && end <= top && extent.low >= bottom && extent.low < end;
}

/* At the end of the program the read that was not waited for is a finding itself. */
static void find_left_stack(const struct command *command, struct host_extent extent)
{
    char object[64], why[240];
    if (!call_frame())
        return;
    name_object(command, object, sizeof object);
    snprintf(why, sizeof why,
             "the %" PRIu64 " bytes of host memory that command %" PRIu32
             " (%s) writes were on the stack of a function that has returned; the command copies nothing",
             extent.high - extent.low, command->serial, command_call(command->kind));
    report(&(struct hosted_user){command->serial, command->kind, "runs", NULL}, object[0] ? object : NULL,
           why, "wait for the command before the function returns, or give it memory that lives as long");
}

/* The block was freed before the command runs. The entry is reported once. */
static bool find_freed(const struct command *command)
{
    const bool locked = runtime_lock_held();
    struct hosted found = {.gone = false};
    if (!some_hosted() || !command_transfers(command))
        return false;
    if (!locked)
        runtime_lock();
    for (struct hosted *hosted = all_hosted; hosted && !found.gone; hosted = hosted->next)
        if (hosted->transfer && hosted->command == command->serial && hosted->gone) {
            hosted->reported = true;
            found = *hosted;
        }
    if (!locked)
        runtime_unlock();
    if (found.gone)
        report_transfer(&(struct hosted_user){command->serial, command->kind, "runs", &found.freed}, &found,
                        "; the command copies nothing");
    return found.gone;
}

/* Everything is examined before anything is reported: a report maps files, perhaps where the memory was. */
bool host_gone_find(const struct command *command)
{
    struct host_extent read, written;
    host_use_extents(command, &read, &written);
    const bool no_source = is_gone(read), no_target = is_gone(written), no_frame = is_left_stack(written);
    const bool freed = find_freed(command);
    visit_objects(command, find_object);
    if (no_source || no_target || freed)
        host_changed_gone(command);
    if (no_source && !freed)
        find_pointer(command, read);
    if (no_target && !freed)
        find_pointer(command, written);
    if (no_frame)
        find_left_stack(command, written);
    return no_source || no_target || no_frame || freed;
}
