/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each command's extents of host memory are checked: those that it copies from or to, and the whole memory
 * that its memory objects were made with. msync of an extent costs one system call, reads no byte, and
 * returns ENOMEM when some page of it is mapped no more. Pages that guard.c closed stay mapped, so they count
 * as present.
 */
#include "host_gone.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "lib/diagnose/call.h"
#include "lib/command.h"
#include "host_use.h"
#include "lib/api_runtime.h"

enum { PAGE_BYTES = 4096 };

static bool is_gone(struct extent extent)
{
    const uint64_t low = extent.low & ~(uint64_t)(PAGE_BYTES - 1);
    uint64_t allocation, size;
    return extent.low < extent.high && msync((void *)(uintptr_t)low, extent.high - low, MS_ASYNC) != 0 &&
           errno == ENOMEM && !device_allocation(runtime_device(), extent.low, &allocation, &size);
}

bool host_gone_bytes(const void *pointer, size_t size)
{
    const uint64_t low = (uint64_t)(uintptr_t)pointer;
    return is_gone((struct extent){low, low + size});
}

static struct memobj *root_of(struct memobj *memobj)
{
    while (memobj->parent)
        memobj = memobj->parent;
    return memobj;
}

/* Once it is gone it stays so: what is mapped there later is another's, as the files that places are
 * looked up in. */
bool host_gone(struct memobj *memobj)
{
    struct memobj *root = root_of(memobj);
    const uint64_t low = (uint64_t)(uintptr_t)root->host_ptr;
    if (root->flags & CL_MEM_USE_HOST_PTR && !root->is_svm && !root->gone)
        root->gone = is_gone((struct extent){low, low + root->size});
    return root->gone;
}

static void report(const struct command *command, const char *object, const char *why, const char *fix)
{
    const char *call = call_running();
    char what[160], by[64];
    struct host_trace trace;
    struct host_place place;
    host_place_capture(&trace);
    host_place_find(&trace, &place);
    snprintf(what, sizeof what, "%s runs%s%s", command_call(command->kind), call ? ", within " : "",
             call ? call : "");
    snprintf(by, sizeof by, "command %" PRIu32, command->serial);
    struct finding finding = {.kind = FINDING_USE_AFTER_FREE,
                              .object = object,
                              .why = why,
                              .fix = fix,
                              .access_count = 1,
                              .access[0] = {.place = place.place, .act = ACT_CALL, .what = what, .by = by}};
    report_add(runtime_get()->report, &finding);
}

static void find_object(const struct command *command, struct memobj *memobj)
{
    char object[64], why[200];
    if (!memobj || !host_gone(memobj))
        return;
    const struct memobj *root = root_of(memobj);
    const char *sort = root->image ? "image" : "buffer";
    snprintf(object, sizeof object, "%s %" PRIu32 " (%zu bytes)", sort, root->base.id, root->size);
    snprintf(why, sizeof why,
             "the host has freed the memory that %s %" PRIu32
             " was made with (CL_MEM_USE_HOST_PTR), and command %" PRIu32 " (%s) uses it",
             sort, root->base.id, command->serial, command_call(command->kind));
    report(command, object, why,
           "free the memory after the memory object was released and the commands that use it are complete");
}

/* The memory objects that a command uses. */
static void find_objects(const struct command *command)
{
    if (command_transfers(command)) {
        find_object(command, command->u.transfer.source);
        find_object(command, command->u.transfer.target);
    } else if (command->kind == COMMAND_FILL_BUFFER || command->kind == COMMAND_FILL_IMAGE) {
        find_object(command, command->u.fill.target);
    } else if (command->kind == COMMAND_MAP_BUFFER || command->kind == COMMAND_MAP_IMAGE ||
               command->kind == COMMAND_UNMAP_MEM_OBJECT) {
        find_object(command, command->u.map.record ? command->u.map.record->owner : NULL);
    } else if (command_launches(command)) {
        for (size_t i = 0; i < command->u.launch.memobj_count; i++)
            find_object(command, command->u.launch.memobjs[i]);
    }
}

static void find_pointer(const struct command *command, struct extent extent)
{
    const struct memobj *memobj = !command_transfers(command)  ? NULL
                                  : command->u.transfer.source ? command->u.transfer.source
                                                               : command->u.transfer.target;
    char object[64] = "", why[200];
    if (memobj)
        snprintf(object, sizeof object, "%s %" PRIu32 " (%zu bytes)", memobj->image ? "image" : "buffer",
                 memobj->base.id, memobj->size);
    snprintf(why, sizeof why,
             "of the %" PRIu64 " bytes of host memory that command %" PRIu32
             " (%s) was given, some are not mapped: the host has freed them; the command copies nothing",
             extent.high - extent.low, command->serial, command_call(command->kind));
    report(command, memobj ? object : NULL, why, "free the memory after the command is complete");
}

/* All is looked at before something is reported: the report maps files, maybe where the memory was. */
bool host_gone_find(const struct command *command)
{
    struct extent read, written;
    host_use_extents(command, &read, &written);
    const bool no_source = is_gone(read), no_target = is_gone(written);
    find_objects(command);
    if (no_source)
        find_pointer(command, read);
    if (no_target)
        find_pointer(command, written);
    return no_source || no_target;
}
