/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of objects for findings: an address becomes its argument, variable or buffer, with the size. Of
 * several arguments that point into a region the first gives the name; a region that is no argument has its
 * own name, or its sort. Names are functions of the launch, never of addresses.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "argument_part.h"
#include "fault.h"
#include "object_name.h"
#include "group.h"
#include "orrery/pipe.h"

static bool is_pointer(enum arg_kind kind)
{
    return kind == ARG_GLOBAL || kind == ARG_CONSTANT;
}

/* Sub-buffers and SVM pointers too. */
static bool points_into(const struct launch *launch, size_t i, uint64_t low, uint64_t high)
{
    uint64_t address;
    enum arg_kind kind = launch->kernel->args[i].kind;
    const bool has_value = launch->arg_values && launch->arg_values[i].value;
    if (!has_value || (!is_pointer(kind) && kind != ARG_IMAGE && kind != ARG_PIPE))
        return false;
    memcpy(&address, launch->arg_values[i].value, sizeof address);
    if (kind == ARG_IMAGE)
        address = ((const struct image_desc *)launch->arg_values[i].value)->address;
    return address >= low && (address < high || address == low);
}

/* The first argument that points there. */
static int32_t argument_in(const struct launch *launch, uint64_t low, uint64_t high)
{
    for (size_t i = 0; i < launch->kernel->arg_count; i++)
        if (points_into(launch, i, low, high))
            return (int32_t)i;
    return -1;
}

static int32_t argument_of(const struct launch *launch, const struct region *region)
{
    return argument_in(launch, region->low, region->high);
}

static const struct local_object *local_of(const struct launch *launch, const struct region *region)
{
    const struct group *group = launch->running;
    for (uint32_t i = 0; group && i < launch->code->local_object_count; i++)
        if (group->locals[i] == region)
            return &launch->code->local_objects[i];
    return NULL;
}

static void add_argument(struct sentence *name, const struct launch *launch, int32_t index)
{
    const char *given = launch->kernel->args[index].name;
    sentence_add(name, "argument %" PRId32, index);
    if (given && *given)
        sentence_add(name, " '%s'", given);
}

static const struct launch *launch_of(const struct launch_info *info)
{
    return (const struct launch *)(uintptr_t)((const char *)info - offsetof(struct launch, info));
}

/* A pointer may stand at the end of what is its own, and at the beginning of the next. */
bool object_may_be_written(const struct launch_info *info, uint64_t low, uint64_t high)
{
    const struct launch *launch = launch_of(info);
    bool may = !launch->code->written || launch->code->writes_elsewhere || argument_in(launch, low, high) < 0;
    for (size_t i = 0; !may && i < launch->kernel->arg_count; i++)
        may = launch->code->written[i] && points_into(launch, i, low, high);
    return may;
}

bool object_argument(const struct launch_info *info, uint64_t low, uint64_t high, char *out_name, size_t size)
{
    const struct launch *launch = launch_of(info);
    const int32_t index = argument_in(launch, low, high);
    struct sentence name;
    if (index < 0)
        return false;
    sentence_init(&name);
    add_argument(&name, launch, index);
    snprintf(out_name, size, "%s", name.bytes);
    return true;
}

static void add_size(struct sentence *name, const char *sort, const struct region *region)
{
    sentence_add(name, " (%s, ", sort);
    sentence_bytes(name, region->high - region->low);
    sentence_add(name, ")");
}

/* The front end calls a variable inside a function "function.variable". */
static const char *scoped_name(const struct region *region)
{
    const char *dot = strrchr(region->name, '.');
    return dot && dot[1] ? dot + 1 : region->name;
}

/* In C++ for OpenCL a variable inside a function is "function::variable". */
const char *object_plain_name(const struct region *region)
{
    const char *colon = strrchr(region->name, ':');
    return colon && colon[1] ? colon + 1 : scoped_name(region);
}

static void name_local(struct sentence *name, const struct launch *launch, const struct region *region)
{
    const struct local_object *object = local_of(launch, region);
    if (object && object->arg >= 0 && (size_t)object->arg < launch->kernel->arg_count) {
        add_argument(name, launch, object->arg);
        add_size(name, "local memory", region);
        return;
    }
    sentence_add(name, "local variable '%s' (", object_plain_name(region));
    sentence_bytes(name, region->high - region->low);
    sentence_add(name, ")");
}

static const char *buffer_sort(const struct region *region)
{
    return region->flags & REGION_FLAG_SVM ? "SVM allocation" : "buffer";
}

void object_name_image(const struct launch *launch, const struct image_desc *image, struct sentence *out_name)
{
    const uint32_t *size = image->level[0].size;
    uint32_t used = image_dimensions(image->type) + image_is_array(image->type);
    sentence_init(out_name);
    for (size_t i = 0; launch->arg_values && i < launch->kernel->arg_count; i++)
        if (launch->arg_values[i].value == image) {
            add_argument(out_name, launch, (int32_t)i);
            sentence_add(out_name, " (%.*s%s, %" PRIu32, (int)strlen(image_type_name(image->type)) - 2,
                         image_type_name(image->type), image->format->depth ? "_depth_t" : "_t", size[0]);
        }
    for (uint32_t d = 1; d < used; d++)
        sentence_add(out_name, " x %" PRIu32, size[d]);
    sentence_add(out_name, ")");
}

/* Shared virtual memory has no sub-buffers, but buffers that are a part of it. */
void object_name_part(const struct launch *launch, uint32_t argument, struct sentence *out_name)
{
    const struct argument_part *part = argument_part(launch, argument);
    const struct region *region = memory_region(&launch->arena->memory, part->low);
    sentence_init(out_name);
    add_argument(out_name, launch, (int32_t)argument);
    sentence_add(out_name, " (%s, ", region->flags & REGION_FLAG_SVM ? "buffer" : "sub-buffer");
    sentence_bytes(out_name, part->high - part->low);
    sentence_add(out_name, " from byte %" PRIu64 " of %s, which has ", part->low - region->low,
                 region->name[0] ? region->name : buffer_sort(region));
    sentence_bytes(out_name, region->high - region->low);
    sentence_add(out_name, ")");
}

static void name_pipe(struct sentence *name, const struct launch *launch, const struct region *region)
{
    const struct pipe *pipe = (const struct pipe *)(uintptr_t)region->low;
    const int32_t argument = argument_of(launch, region);
    if (argument >= 0)
        add_argument(name, launch, argument);
    else
        sentence_add(name, "%s", region->name);
    sentence_add(name, " (pipe, %" PRIu32 " packets of ", pipe->packet_count);
    sentence_bytes(name, pipe->packet_bytes);
    sentence_add(name, ")");
}

static void name_buffer(struct sentence *name, const struct launch *launch, const struct region *region)
{
    int32_t argument = argument_of(launch, region);
    if (argument >= 0 && launch->kernel->args[argument].kind == ARG_IMAGE) {
        object_name_image(launch, launch->arg_values[argument].value, name);
        return;
    }
    if (argument >= 0) {
        add_argument(name, launch, argument);
        add_size(name, buffer_sort(region), region);
        return;
    }
    sentence_add(name, "%s (", region->name[0] ? region->name : buffer_sort(region));
    sentence_bytes(name, region->high - region->low);
    sentence_add(name, ")");
}

int32_t object_argument_index(const struct launch *launch, const struct region *region, uint64_t *out_low)
{
    const struct local_object *object =
        region->kind == REGION_LOCAL_VARIABLE ? local_of(launch, region) : NULL;
    const int32_t argument =
        region->kind == REGION_LOCAL_VARIABLE ? object ? object->arg : -1 : argument_of(launch, region);
    *out_low = region->low;
    if (argument < 0 || (size_t)argument >= launch->kernel->arg_count)
        return -1;
    if (!object && is_pointer(launch->kernel->args[argument].kind))
        memcpy(out_low, launch->arg_values[argument].value, sizeof *out_low);
    return object || is_pointer(launch->kernel->args[argument].kind) ? argument : -1;
}

struct elements object_elements(const struct launch *launch, const struct region *region, uint64_t *out_low)
{
    const struct local_object *object =
        region->kind == REGION_LOCAL_VARIABLE ? local_of(launch, region) : NULL;
    const int32_t argument = object ? object->arg : argument_of(launch, region);
    *out_low = region->low;
    if (object && argument < 0)
        return object->elements;
    if (argument < 0 || (size_t)argument >= launch->kernel->arg_count)
        return (struct elements){NULL, 0};
    if (!object && is_pointer(launch->kernel->args[argument].kind))
        memcpy(out_low, launch->arg_values[argument].value, sizeof *out_low);
    return fault_pointee(&launch->kernel->args[argument]);
}

void object_name(const struct launch *launch, const struct region *region, struct sentence *out_name)
{
    sentence_init(out_name);
    switch (region->kind) {
    case REGION_LOCAL_VARIABLE: name_local(out_name, launch, region); return;
    case REGION_VARIABLE:
    case REGION_CONSTANT_DATA:
        sentence_add(out_name, "%s '%s' (",
                     region->kind == REGION_VARIABLE ? "program-scope variable" : "constant variable",
                     scoped_name(region));
        sentence_bytes(out_name, region->high - region->low);
        sentence_add(out_name, ")");
        return;
    case REGION_PIPE: name_pipe(out_name, launch, region); return;
    default: name_buffer(out_name, launch, region);
    }
}

/* As the kernel's text names it. */
static const char *kernel_name(const struct launch *launch, const struct region *region)
{
    const struct local_object *object =
        region->kind == REGION_LOCAL_VARIABLE ? local_of(launch, region) : NULL;
    const int32_t argument = object ? object->arg : argument_of(launch, region);
    if (region->kind == REGION_VARIABLE || region->kind == REGION_CONSTANT_DATA)
        return scoped_name(region);
    if (argument >= 0 && (size_t)argument < launch->kernel->arg_count)
        return launch->kernel->args[argument].name;
    return object ? object_plain_name(region) : NULL;
}

/* The size in parentheses, which object_name ends with, is left out. */
void object_words(const struct launch_info *info, const struct region *region, struct object_words *out_words)
{
    const struct launch *launch = launch_of(info);
    uint64_t low;
    object_name(launch, region, &out_words->label);
    char *size = strrchr(out_words->label.bytes, '(');
    if (size && size > out_words->label.bytes)
        size[-1] = '\0';
    out_words->name = kernel_name(launch, region);
    out_words->elements = object_elements(launch, region, &low);
    out_words->first_offset = low - region->low;
}
