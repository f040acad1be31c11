/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage.h of shared virtual memory (OpenCL 2.2 API, 5.6.1). Three lists: commands that use an allocation,
 * until the program has waited for them; buffers and maps of its bytes; the last allocations that were
 * freed. A call of clSVMFree is checked against all of them.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/command.h"
#include "lib/event.h"
#include "lib/svm.h"
#include "usage.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `uses`, `marks` and `freed` */

/* ---- shared memory in use ----------------------------------------------------------------------------- */

struct svm_use {
    struct svm_use *next;
    uint64_t start, end;
    struct event *event; /* of the command; referenced */
    struct call_site *site;
};
static struct svm_use *uses; /* the latest first */

static void use_free(struct svm_use *use)
{
    object_unref(use->event);
    free(use->site);
    free(use);
}

static void add_use(const struct command *command, const void *pointer)
{
    const struct svm_allocation *allocation = pointer ? svm_find(command->queue->context, pointer) : NULL;
    struct svm_use *use = allocation ? calloc(1, sizeof *use) : NULL;
    if (!use)
        return;
    use->start = (uint64_t)(uintptr_t)allocation->pointer;
    use->end = use->start + allocation->size;
    use->event = object_ref(command->event);
    use->site = call_site_new();
    pthread_mutex_lock(&lock);
    use->next = uses;
    uses = use;
    pthread_mutex_unlock(&lock);
}

/* Removes the uses for which done() is true. */
static void drop_uses(bool (*done)(const struct svm_use *use, const void *data), const void *data)
{
    struct svm_use *dropped = NULL;
    pthread_mutex_lock(&lock);
    for (struct svm_use **link = &uses; *link;) {
        struct svm_use *use = *link;
        if (!done(use, data)) {
            link = &use->next;
            continue;
        }
        *link = use->next;
        use->next = dropped;
        dropped = use;
    }
    pthread_mutex_unlock(&lock);
    while (dropped) {
        struct svm_use *use = dropped;
        dropped = use->next;
        use_free(use);
    }
}

static bool is_complete(const struct svm_use *use, const void *data)
{
    (void)data;
    return !event_pending(use->event);
}

static bool is_of(const struct svm_use *use, const void *event)
{
    return use->event == event;
}

void usage_waited(void)
{
    if (!call_finds())
        return;
    drop_uses(is_complete, NULL);
    usage_pending_waited();
}

void usage_forget(const struct command *command)
{
    if (call_finds())
        drop_uses(is_of, command->event);
}

static const char commands_section[] = "OpenCL 2.2 API, 5.6.1";

static void name_shared(const struct svm_allocation *allocation, char *out, size_t size)
{
    snprintf(out, size, "shared memory %" PRIu32 " (%zu bytes)", allocation->serial, allocation->size);
}

static void misuse(const struct svm_allocation *allocation, const char *why, const char *fix)
{
    char object[64];
    name_shared(allocation, object, sizeof object);
    call_find(FINDING_SVM_MISUSE, &(struct call_finding){.object = object,
                                                         .why = why,
                                                         .fix = fix,
                                                         .spec = commands_section,
                                                         .other = allocation->made,
                                                         .other_what = "allocated here"});
}

/* A command may only use memory that was allocated for the context of its queue, and no more bytes than the
 * allocation has. */
static void check_allocation(const struct command *command, const void *pointer, size_t size)
{
    struct svm_allocation allocation;
    char why[120];
    if (!pointer || !svm_seek(pointer, &allocation))
        return;
    if (!allocation.usm && allocation.context != command->queue->context) {
        snprintf(why, sizeof why,
                 "it was allocated for context %" PRIu32 ", and the queue is of context %" PRIu32,
                 allocation.context->base.id, command->queue->context->base.id);
        misuse(&allocation, why, "allocate it for the context of the queue");
    }
    const size_t begin = (uintptr_t)pointer - (uintptr_t)allocation.pointer, left = allocation.size - begin;
    if (size > left) {
        snprintf(why, sizeof why, "the command uses %zu bytes from byte %zu on, of which %zu are not in it",
                 size, begin, size - left);
        misuse(&allocation, why, "use no more bytes than were allocated");
    }
    free(allocation.made);
}

static void check_freed(const struct command *command, const void *pointer);

/* A pointer argument of a command on shared memory. size 0: the command uses no bytes itself. */
static void use_shared(const struct command *command, const void *pointer, size_t size)
{
    check_allocation(command, pointer, size);
    check_freed(command, pointer);
    add_use(command, pointer);
}

static void use_launch(const struct command *command)
{
    const struct kernel_object *kernel = command->u.launch.kernel;
    for (size_t i = 0; i < kernel->info->arg_count; i++) {
        const struct kernel_arg_value *value = &kernel->args[i];
        const enum arg_kind kind = kernel->info->args[i].kind;
        if (!value->memobj && (kind == ARG_GLOBAL || kind == ARG_CONSTANT))
            add_use(command, (const void *)(uintptr_t)value->address);
    }
    for (size_t i = 0; i < kernel->svm_count; i++)
        use_shared(command, kernel->svm_pointers[i], 0);
    for (size_t i = 0; i < command->u.launch.memobj_count; i++)
        if (command->u.launch.memobjs[i]->is_svm)
            add_use(command, (const void *)(uintptr_t)command->u.launch.memobjs[i]->address);
}

static void use_memobj(const struct command *command, const struct memobj *memobj)
{
    if (memobj && memobj->is_svm)
        add_use(command, (const void *)(uintptr_t)memobj->address);
}

static void note_uses(const struct command *command)
{
    if (command_transfers(command)) {
        add_use(command, command->u.transfer.host);
        use_memobj(command, command->u.transfer.target);
        use_memobj(command, command->u.transfer.source);
        return;
    }
    switch (command->kind) {
    case COMMAND_NDRANGE_KERNEL:
    case COMMAND_TASK: use_launch(command); return;
    case COMMAND_SVM_MEMCPY:
        use_shared(command, command->u.svm_copy.target, command->u.svm_copy.size);
        use_shared(command, command->u.svm_copy.source, command->u.svm_copy.size);
        return;
    case COMMAND_SVM_MEMFILL: use_shared(command, command->u.fill.svm, command->u.fill.size); return;
    case COMMAND_SVM_MAP: use_shared(command, command->u.svm_map.pointer, command->u.svm_map.size); return;
    case COMMAND_SVM_UNMAP: use_shared(command, command->u.svm_map.pointer, 0); return;
    case COMMAND_FILL_BUFFER: use_memobj(command, command->u.fill.target); return;
    default: return;
    }
}

static void report_use(const struct svm_allocation *allocation)
{
    const uint64_t start = (uint64_t)(uintptr_t)allocation->pointer;
    struct call_site *site = NULL;
    uint32_t serial = 0;
    char object[64], why[160];
    pthread_mutex_lock(&lock);
    for (const struct svm_use *use = uses; use; use = use->next)
        if (use->start == start) {
            free(site); /* the oldest use is reported, which is last in the list */
            site = call_site_copy(use->site);
            serial = use->event->serial;
        }
    pthread_mutex_unlock(&lock);
    if (!serial)
        return;
    name_shared(allocation, object, sizeof object);
    snprintf(why, sizeof why, "command %" PRIu32 " uses it, and the program has not waited for that", serial);
    call_find(FINDING_SVM_FREE_IN_USE,
              &(struct call_finding){.object = object,
                                     .why = why,
                                     .fix = "wait for the command first, or clEnqueueSVMFree after it",
                                     .other = site,
                                     .other_what = "enqueued here"});
    free(site);
}

/* ---- buffers and maps of shared memory ----------------------------------------------------------------- */

/* A memory object that was made with the bytes as host_ptr and is not released, or a map without its
 * unmap. */
struct svm_mark {
    struct svm_mark *next;
    const struct memobj *memobj; /* NULL: a map */
    uint32_t id;
    uint64_t start, end;
    struct call_site *site; /* where it was made; NULL: out of memory */
};
static struct svm_mark *marks; /* the latest first */

static void add_mark(const struct svm_mark *values)
{
    struct svm_mark *mark = malloc(sizeof *mark);
    if (!mark)
        return;
    *mark = *values;
    mark->site = call_site_new();
    pthread_mutex_lock(&lock);
    mark->next = marks;
    marks = mark;
    pthread_mutex_unlock(&lock);
}

static struct svm_mark **find_mark(const struct memobj *memobj, const void *pointer)
{
    struct svm_mark **link = &marks;
    while (*link &&
           ((*link)->memobj != memobj || (!memobj && (*link)->start != (uint64_t)(uintptr_t)pointer)))
        link = &(*link)->next;
    return link;
}

/* False: there is no such mark. */
static bool drop_mark(const struct memobj *memobj, const void *pointer)
{
    pthread_mutex_lock(&lock);
    struct svm_mark **link = find_mark(memobj, pointer), *mark = *link;
    if (mark)
        *link = mark->next;
    pthread_mutex_unlock(&lock);
    if (mark)
        free(mark->site);
    free(mark);
    return mark != NULL;
}

/* Removes the latest mark on these bytes, which the caller frees. NULL: none. */
static struct svm_mark *take_mark(uint64_t start, uint64_t end)
{
    pthread_mutex_lock(&lock);
    struct svm_mark **link = &marks;
    while (*link && ((*link)->start >= end || (*link)->end <= start))
        link = &(*link)->next;
    struct svm_mark *mark = *link;
    if (mark)
        *link = mark->next;
    pthread_mutex_unlock(&lock);
    return mark;
}

void usage_shared_published(const struct memobj *memobj)
{
    if (call_finds() && memobj->is_svm)
        add_mark(&(struct svm_mark){.memobj = memobj,
                                    .id = memobj->base.id,
                                    .start = memobj->address,
                                    .end = memobj->address + memobj->size});
}

void usage_shared_released(const struct memobj *memobj)
{
    if (memobj->is_svm)
        drop_mark(memobj, NULL);
}

/* A map of fine-grained memory has no effect (5.6.1), so it is not noted. */
static void note_map(const struct command *command)
{
    const uint64_t start = (uint64_t)(uintptr_t)command->u.svm_map.pointer;
    const struct svm_allocation *allocation = svm_find(command->queue->context, command->u.svm_map.pointer);
    if (allocation && !(allocation->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        add_mark(&(struct svm_mark){.start = start, .end = start + command->u.svm_map.size});
}

/* Reports an unmap without a map. */
static void note_unmap(const struct command *command)
{
    const void *pointer = command->u.svm_map.pointer;
    const struct svm_allocation *allocation = svm_find(command->queue->context, pointer);
    char object[64];
    if (drop_mark(NULL, pointer) || !allocation || allocation->flags & CL_MEM_SVM_FINE_GRAIN_BUFFER)
        return;
    name_shared(allocation, object, sizeof object);
    call_find(FINDING_SVM_MISUSE,
              &(struct call_finding){.object = object,
                                     .why = "no map at svm_ptr is left that this could undo",
                                     .fix = "unmap once what clEnqueueSVMMap mapped, by the same pointer",
                                     .spec = commands_section});
}

/* A map that is left is no mistake: no command comes that the host's bytes could be lost to, and
 * cl::SVMAllocator of CL/opencl.hpp frees all of its memory in this way. */
static void report_mark(const char *object, const struct svm_mark *mark)
{
    char why[120];
    if (!mark->memobj)
        return;
    snprintf(why, sizeof why,
             "memory object %" PRIu32 " was made with it as host_ptr, and must be released before", mark->id);
    call_find(FINDING_SVM_FREE_INVALID,
              &(struct call_finding){.object = object,
                                     .why = why,
                                     .fix = "clReleaseMemObject first",
                                     .other = mark->site,
                                     .other_what = "the memory object is made here"});
}

/* Removes the marks of the allocation, and reports each. */
static void report_marks(const struct svm_allocation *allocation)
{
    const uint64_t start = (uint64_t)(uintptr_t)allocation->pointer;
    struct svm_mark *mark;
    char object[64];
    name_shared(allocation, object, sizeof object);
    while ((mark = take_mark(start, start + allocation->size))) {
        report_mark(object, mark);
        free(mark->site);
        free(mark);
    }
}

/* ---- allocations that are freed ---- */

enum { FREED_MAX = 1024 };

/* A ring of the last allocations that were freed, or that an enqueued command frees. */
static struct {
    struct freed_svm {
        struct svm_allocation
            allocation;      /* a copy; its pointers are invalid, but allocation.pointer is the key */
        struct event *event; /* of that command; referenced */
        struct call_site *site;
    } entry[FREED_MAX];
    size_t count;
} freed;

static void freed_clear(struct freed_svm *entry)
{
    object_unref(entry->event);
    free(entry->site);
    *entry = (struct freed_svm){.event = NULL};
}

static void remember_freed(const struct svm_allocation *allocation, struct event *event)
{
    struct freed_svm entry = {.allocation = *allocation, .event = object_ref(event), .site = call_site_new()};
    pthread_mutex_lock(&lock);
    struct freed_svm *slot = &freed.entry[freed.count++ % FREED_MAX], old = *slot;
    *slot = entry;
    pthread_mutex_unlock(&lock);
    freed_clear(&old);
}

/* lock held. A clEnqueueSVMFree that failed has freed nothing. */
static const struct freed_svm *find_freed(const void *pointer)
{
    for (size_t i = 0; i < FREED_MAX; i++)
        if (freed.entry[i].allocation.pointer == pointer &&
            !(freed.entry[i].event && __atomic_load_n(&freed.entry[i].event->status, __ATOMIC_RELAXED) < 0))
            return &freed.entry[i];
    return NULL;
}

/* lock held. The same of the allocation that holds the pointer. */
static const struct freed_svm *find_freed_around(const void *pointer)
{
    for (size_t i = 0; i < FREED_MAX; i++) {
        const struct svm_allocation *allocation = &freed.entry[i].allocation;
        if (allocation->pointer && (uintptr_t)pointer - (uintptr_t)allocation->pointer < allocation->size)
            return find_freed(allocation->pointer);
    }
    return NULL;
}

/* A free that is enqueued has happened for what comes after it in the same in-order queue. */
static bool is_freed_for(const struct command *command, const struct event *free_event)
{
    return !free_event || __atomic_load_n(&free_event->status, __ATOMIC_RELAXED) == CL_COMPLETE ||
           (free_event->queue == command->queue &&
            !(command->queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
}

/* The program freed the memory before it enqueued the command. The address may belong to a buffer by now,
 * which a command may use through the pointer of a map. */
static void check_freed(const struct command *command, const void *pointer)
{
    char object[64];
    uint64_t start, size;
    if (!pointer)
        return;
    pthread_mutex_lock(&lock);
    const struct freed_svm *found = find_freed_around(pointer);
    struct freed_svm copy = {.event = NULL};
    if (found && is_freed_for(command, found->event)) {
        copy = *found;
        copy.site = call_site_copy(found->site);
    }
    pthread_mutex_unlock(&lock);
    const bool frees_later =
        copy.event && __atomic_load_n(&copy.event->status, __ATOMIC_RELAXED) != CL_COMPLETE;
    const bool again =
        copy.allocation.pointer && !frees_later &&
        device_allocation(command_device(command), (uint64_t)(uintptr_t)pointer, &start, &size);
    if (copy.allocation.pointer && !again) {
        name_shared(&copy.allocation, object, sizeof object);
        call_find(
            FINDING_SVM_MISUSE,
            &(struct call_finding){.object = object,
                                   .why = "the program freed it before it enqueued this command",
                                   .fix = "free it after the last command that uses it",
                                   .spec = commands_section,
                                   .other = copy.site,
                                   .other_what = copy.event ? "its free is enqueued here" : "freed here"});
    }
    free(copy.site);
}

void usage_svm_made(const struct svm_allocation *allocation)
{
    const uint64_t start = (uint64_t)(uintptr_t)allocation->pointer;
    struct freed_svm reused = {.event = NULL};
    struct svm_mark *mark;
    if (!call_finds())
        return;
    do {
        freed_clear(&reused);
        pthread_mutex_lock(&lock);
        struct freed_svm *found = (struct freed_svm *)find_freed(allocation->pointer);
        if (found) {
            reused = *found;
            *found = (struct freed_svm){.event = NULL};
        }
        pthread_mutex_unlock(&lock);
    } while (reused.allocation.pointer);
    while ((mark = take_mark(start, start + allocation->size))) {
        free(mark->site);
        free(mark);
    }
}

static bool report_freed(const void *pointer)
{
    char object[64];
    pthread_mutex_lock(&lock);
    const struct freed_svm *found = find_freed(pointer);
    struct freed_svm copy = {.event = NULL};
    if (found)
        copy = *found;
    copy.site = found ? call_site_copy(found->site) : NULL;
    pthread_mutex_unlock(&lock);
    if (!found)
        return false;
    name_shared(&copy.allocation, object, sizeof object);
    call_find(FINDING_SVM_FREE_INVALID,
              &(struct call_finding){
                  .object = object,
                  .why = "it was freed before: the address may belong to another allocation by now",
                  .fix = "free once what clSVMAlloc returned",
                  .other = copy.site,
                  .other_what = copy.event ? "its free is enqueued here" : "freed here"});
    free(copy.site);
    return true;
}

static void report_invalid_free(const char *object, const char *why, const char *fix,
                                const struct call_site *made)
{
    call_find(FINDING_SVM_FREE_INVALID,
              &(struct call_finding){
                  .object = object, .why = why, .fix = fix, .other = made, .other_what = "allocated here"});
}

/* The pointer is in an allocation, but this call must not free it. */
static void report_wrong(const struct context *context, const struct svm_allocation *allocation,
                         const void *pointer)
{
    char object[64], why[160];
    const char *fix = "give the pointer that clSVMAlloc returned";
    name_shared(allocation, object, sizeof object);
    if (allocation->usm) {
        snprintf(why, sizeof why,
                 "svm_pointer must be the value that a call to clSVMAlloc returned; this is unified shared "
                 "memory");
        fix = "clMemFreeINTEL";
    } else if (allocation->pointer != pointer) {
        snprintf(why, sizeof why,
                 "svm_pointer must be the value that a call to clSVMAlloc returned; it points %td bytes "
                 "after that",
                 (const char *)pointer - (const char *)allocation->pointer);
    } else {
        snprintf(why, sizeof why,
                 "it was allocated for context %" PRIu32 ", and the call is about context %" PRIu32,
                 allocation->context->base.id, context->base.id);
        fix = "free it for the context that it was allocated for";
    }
    report_invalid_free(object, why, fix, allocation->made);
}

/* True: the call may free the allocation, which is copied. */
static bool check_pointer(const struct context *context, const void *pointer,
                          struct svm_allocation *out_allocation)
{
    if (report_freed(pointer))
        return false;
    if (!svm_seek(pointer, out_allocation)) {
        report_invalid_free(
            "svm_pointer",
            "no allocation of clSVMAlloc is there; svm_pointer must be the value that such a call returned",
            "free memory as it was allocated", NULL);
        return false;
    }
    const bool good =
        out_allocation->context == context && !out_allocation->usm && out_allocation->pointer == pointer;
    if (!good)
        report_wrong(context, out_allocation, pointer);
    free(out_allocation->made);
    return good;
}

void usage_svm_free(const struct context *context, const void *pointer)
{
    struct svm_allocation allocation;
    if (!call_finds() || !check_pointer(context, pointer, &allocation))
        return;
    report_use(&allocation);
    report_marks(&allocation);
    remember_freed(&allocation, NULL);
}

/* Uses and marks are not checked: they may end before the command runs. A callback of the program may
 * free nothing. */
static void note_free(const struct command *command)
{
    struct svm_allocation allocation;
    for (cl_uint i = 0; i < command->u.svm_free.count && !command->u.svm_free.function; i++) {
        const void *pointer = command->u.svm_free.pointers[i];
        if (pointer && check_pointer(command->queue->context, pointer, &allocation))
            remember_freed(&allocation, command->event);
    }
}

void usage_shared_command(const struct command *command)
{
    note_uses(command);
    if (command->kind == COMMAND_SVM_MAP)
        note_map(command);
    if (command->kind == COMMAND_SVM_UNMAP)
        note_unmap(command);
    if (command->kind == COMMAND_SVM_FREE)
        note_free(command);
}

void usage_svm_left(const struct svm_allocation *allocation)
{
    char object[64];
    if (!call_finds() || !allocation->made)
        return;
    name_shared(allocation, object, sizeof object);
    call_find_at(FINDING_LEAKED_OBJECT, allocation->made,
                 &(struct call_finding){.object = object,
                                        .why = "it was never freed",
                                        .fix = "clSVMFree before the context goes"});
}
