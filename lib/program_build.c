/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builds of a program: a list with the latest first, in which no device is in two builds. A new build
 * replaces the older builds of its devices.
 */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "api_program.h"
#include "queue.h"
#include "subdevice.h"

static const struct program_build no_build = {.status = CL_BUILD_NONE};

/* ---- devices --------------------------------------------------------------------- */

static bool has_device(cl_uint count, struct cl_device *const *devices, const struct cl_device *device)
{
    for (cl_uint i = 0; i < count; i++)
        if (devices[i] == device)
            return true;
    return false;
}

bool program_reserve_devices(struct program_object *program, cl_uint more)
{
    size_t room = program->device_count + (size_t)more + 1;
    struct cl_device **grown = realloc(program->devices, room * sizeof *grown);
    if (grown)
        program->devices = grown;
    return grown != NULL;
}

void program_add_devices(struct program_object *program, cl_uint count, struct cl_device *const *devices)
{
    for (cl_uint i = 0; i < count; i++)
        if (!has_device(program->device_count, program->devices, devices[i]))
            program->devices[program->device_count++] = object_ref(devices[i]);
}

/* A binary can be built for the devices that it was given for, a source for all that the context can use. */
cl_int program_check_devices(const struct program_object *program, cl_uint num_devices,
                             const cl_device_id *device_list)
{
    cl_int err = context_check_devices(program->context, num_devices, device_list);
    for (cl_uint i = 0; i < num_devices && !err && program->origin == PROGRAM_FROM_BINARY; i++)
        if (!has_device(program->device_count, program->devices, (struct cl_device *)device_list[i]))
            err = CL_INVALID_DEVICE;
    return err;
}

/* ---- builds (runtime_lock held) ------------------------------------------------------ */

const struct program_build *program_latest(const struct program_object *program)
{
    return program->builds ? program->builds : &no_build;
}

/* A sub-device without a build of its own uses that of its parent. */
const struct program_build *program_build(const struct program_object *program,
                                          const struct cl_device *device)
{
    for (; device; device = device->parent)
        for (const struct program_build *build = program->builds; build; build = build->next)
            if (has_device(build->device_count, build->devices, device))
                return build;
    return &no_build;
}

bool program_building(const struct program_object *program)
{
    for (const struct program_build *build = program->builds; build; build = build->next)
        if (build->status == CL_BUILD_IN_PROGRESS)
            return true;
    return false;
}

static void forget_devices(struct program_build *build, const struct program_build *newer)
{
    cl_uint kept = 0;
    for (cl_uint i = 0; i < build->device_count; i++) {
        if (has_device(newer->device_count, newer->devices, build->devices[i]))
            object_unref(build->devices[i]);
        else
            build->devices[kept++] = build->devices[i];
    }
    build->device_count = kept;
}

void program_push_build(struct program_object *program, struct program_build *build,
                        struct program_build **out_old)
{
    struct program_build **link = &program->builds;
    while (*link) {
        struct program_build *older = *link;
        forget_devices(older, build);
        if (older->device_count) {
            link = &older->next;
            continue;
        }
        *link = older->next;
        older->next = *out_old;
        *out_old = older;
    }
    build->next = program->builds;
    program->builds = build;
}

/* ---- one build ------------------------------------------------------------------------- */

struct program_build *program_build_new(cl_uint count, struct cl_device *const *devices)
{
    struct program_build *build = calloc(1, sizeof *build);
    if (!build)
        return NULL;
    build->status = CL_BUILD_NONE;
    build->devices = calloc(count, sizeof *build->devices);
    if (!build->devices) {
        free(build);
        return NULL;
    }
    for (; build->device_count < count; build->device_count++)
        build->devices[build->device_count] = object_ref(devices[build->device_count]);
    return build;
}

/* Destructors of program-scope variables run on the device, after the commands that are enqueued. */
static void end_program(struct program *program)
{
    if (program_has_destructors(program)) {
        queue_hold();
        program_finish(program);
        queue_resume();
    }
    program_release(program);
}

void program_build_free(struct program_build *list)
{
    while (list) {
        struct program_build *build = list;
        list = build->next;
        if (build->program)
            end_program(build->program);
        spirv_fini(&build->spirv);
        free(build->options);
        free(build->log);
        for (cl_uint i = 0; i < build->device_count; i++)
            object_unref(build->devices[i]);
        free(build->devices);
        free(build);
    }
}

/* ---- executables ------------------------------------------------------------------------- */

struct program *program_executable(struct program_object *program)
{
    struct program *executable = NULL;
    runtime_lock();
    bool busy = program_building(program);
    for (const struct program_build *build = program->builds; build && !busy && !executable;
         build = build->next)
        executable = build->program;
    runtime_unlock();
    return executable;
}

const struct kernel *program_named(struct program_object *program, const char *name)
{
    const struct kernel *kernel = NULL;
    runtime_lock();
    for (const struct program_build *build = program->builds; build && !kernel; build = build->next)
        kernel = build->program ? program_find_kernel(build->program, name) : NULL;
    runtime_unlock();
    return kernel;
}

const struct kernel *program_kernel_for(const struct program_object *program, const struct cl_device *device,
                                        const char *name, bool *out_uniform_groups)
{
    runtime_lock();
    const struct program_build *build = program_build(program, device);
    const struct kernel *kernel =
        build->program && !program_building(program) ? program_find_kernel(build->program, name) : NULL;
    *out_uniform_groups = build->uniform_groups;
    runtime_unlock();
    return kernel;
}

static bool same_arguments(const struct kernel_info *a, const struct kernel_info *b)
{
    if (a->arg_count != b->arg_count)
        return false;
    for (size_t i = 0; i < a->arg_count; i++)
        if (a->args[i].kind != b->args[i].kind || a->args[i].size != b->args[i].size ||
            strcmp(a->args[i].type_name, b->args[i].type_name))
            return false;
    return true;
}

static bool agrees_on(const struct program_object *program, const struct kernel *kernel)
{
    const struct kernel_info *info = kernel_info(kernel);
    bool agrees = true;
    for (const struct program_build *build = program->builds; build && agrees; build = build->next) {
        const struct kernel *other = build->program ? program_find_kernel(build->program, info->name) : NULL;
        agrees = !other || same_arguments(info, kernel_info(other));
    }
    return agrees;
}

bool program_agrees_on(const struct program_object *program, const struct kernel *kernel)
{
    runtime_lock();
    const bool agrees = agrees_on(program, kernel);
    runtime_unlock();
    return agrees;
}

/* A build before this one in the list has a kernel of that name. */
static bool is_repeated(const struct program_object *program, const struct program_build *build,
                        const char *name)
{
    bool found = false;
    for (const struct program_build *before = program->builds; before != build && !found;
         before = before->next)
        found = before->program && program_find_kernel(before->program, name);
    return found;
}

size_t program_kernels(const struct program_object *program, const struct kernel **out_kernels)
{
    size_t found = 0;
    for (const struct program_build *build = program->builds; build; build = build->next)
        for (size_t i = 0; build->program && i < program_kernel_count(build->program); i++) {
            const struct kernel *kernel = program_kernel(build->program, i);
            if (is_repeated(program, build, kernel_info(kernel)->name) || !agrees_on(program, kernel))
                continue;
            if (out_kernels)
                out_kernels[found] = kernel;
            found++;
        }
    return found;
}
