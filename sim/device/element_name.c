/* SPDX-License-Identifier: Apache-2.0 */
/* Names of members, components and elements, from the types in the program's debug records. */
#include "element_name.h"

#include <inttypes.h>
#include <string.h>

#include "device_program.h"
#include "fault.h"
#include "object_name.h"

/* ---- paths --------------------------------------------------------------------------------------- */

/* "x", or "0" of more than four. */
static void say_component(const struct debug_type *vector, uint64_t index, struct sentence *name)
{
    sentence_add(name, "%c", vector->count > 4 ? "0123456789abcdef"[index & 15] : "xyzw"[index & 3]);
}

/* One step into the type, to where the offset is; false: this is as far as names go. */
static bool say_inside(const struct debug_type **type, uint64_t *offset, struct sentence *name)
{
    const struct debug_type *at = *type;
    const struct debug_member *member = NULL;
    for (uint32_t i = 0; at->kind == DEBUG_STRUCT && i < at->member_count; i++)
        if (*offset >= at->members[i].offset && *offset - at->members[i].offset < at->members[i].type->size)
            member = &at->members[i];
    if (member && member->name) {
        sentence_add(name, ".%s", member->name);
        *offset -= member->offset;
        *type = member->type;
        return true;
    }
    if ((at->kind != DEBUG_ARRAY && at->kind != DEBUG_VECTOR) || !at->element->size)
        return false;
    const uint64_t index = *offset / at->element->size;
    if (at->kind == DEBUG_ARRAY) {
        sentence_add(name, "[%" PRIu64 "]", index);
    } else {
        sentence_add(name, at->count > 4 ? ".s" : ".");
        say_component(at, index, name);
    }
    *offset -= index * at->element->size;
    *type = at->element;
    return true;
}

/* Are the bytes several components of the vector? Three of three have fewer bytes than their vector. */
static bool say_components(const struct debug_type *type, uint64_t offset, uint64_t bytes,
                           struct sentence *name)
{
    const uint64_t size = type->kind == DEBUG_VECTOR ? type->element->size : 0;
    if (!size || offset % size || bytes % size || bytes == size || offset + bytes > type->count * size)
        return false;
    if (bytes == type->count * size)
        return true;
    sentence_add(name, type->count > 4 ? ".s" : ".");
    for (uint64_t index = offset / size; index < (offset + bytes) / size; index++)
        say_component(type, index, name);
    return true;
}

bool element_path(const struct debug_type *type, uint64_t offset, uint64_t bytes, struct sentence *name)
{
    while (bytes < type->size) {
        if (say_components(type, offset, bytes, name))
            return true;
        if (!say_inside(&type, &offset, name))
            return false;
    }
    return offset == 0 && type->size == bytes;
}

/* ---- declarations --------------------------------------------------------------------------------- */

static const struct code_debug *debug_of(const struct launch *launch, const struct code *code)
{
    if (code && code->debug)
        return code->debug;
    return launch->info.program ? program_debug(launch->info.program, launch->kernel) : NULL;
}

const struct code_variable *element_declared(const struct launch *launch, const struct code *code,
                                             uint32_t number)
{
    const struct code_debug *debug = debug_of(launch, code);
    for (uint32_t i = 0; debug && i < debug->variable_count; i++)
        if (debug->variables[i].place == VARIABLE_PRIVATE && debug->variables[i].number == number)
            return &debug->variables[i];
    return NULL;
}

/* Local and program-scope variables keep their names; two of one name and size have no other difference. */
static const struct code_variable *declared_as(const struct launch *launch, enum variable_place place,
                                               const char *name, uint64_t size)
{
    const struct code_debug *debug = debug_of(launch, launch->code);
    for (uint32_t i = 0; debug && i < debug->variable_count; i++) {
        const struct code_variable *variable = &debug->variables[i];
        if (variable->place == place && variable->type->size == size && strcmp(variable->name, name) == 0)
            return variable;
    }
    return NULL;
}

static const struct code_variable *declared_region(const struct launch *launch, const struct region *region)
{
    const enum variable_place place =
        region->kind == REGION_LOCAL_VARIABLE ? VARIABLE_LOCAL : VARIABLE_GLOBAL;
    const char *name = object_plain_name(region);
    return name ? declared_as(launch, place, name, region->high - region->low) : NULL;
}

/* What the kernel's argument points to; NULL: not known. */
static const struct debug_type *pointee_of(const struct launch *launch, uint32_t argument)
{
    const struct code_debug *debug = debug_of(launch, launch->code);
    const char *name = argument < launch->kernel->arg_count ? launch->kernel->args[argument].name : NULL;
    for (uint32_t i = 0; debug && name && i < debug->variable_count; i++) {
        const struct code_variable *variable = &debug->variables[i];
        if (variable->parameter && variable->type->kind == DEBUG_POINTER &&
            strcmp(variable->name, name) == 0 && variable->type->element->size)
            return variable->type->element;
    }
    return NULL;
}

static bool has_parts(const struct debug_type *type)
{
    return type->kind == DEBUG_STRUCT || type->kind == DEBUG_VECTOR || type->kind == DEBUG_ARRAY;
}

/* ---- of a region ------------------------------------------------------------------------------------ */

static bool of_argument(const struct launch *launch, uint32_t argument, uint64_t offset, uint64_t bytes,
                        struct sentence *out_name)
{
    const struct debug_type *type = NULL;
    return !fault_pointee(&launch->kernel->args[argument]).name &&
           element_beyond_argument(launch, argument, (int64_t)offset, bytes, out_name, &type);
}

static bool of_variable(const struct launch *launch, const struct region *region, uint64_t offset,
                        uint64_t bytes, struct sentence *out_name)
{
    const struct code_variable *declared = declared_region(launch, region);
    if (!declared || !has_parts(declared->type) ||
        (declared->type->kind != DEBUG_STRUCT && !has_parts(declared->type->element)))
        return false;
    sentence_add(out_name, "%s", declared->name);
    return element_path(declared->type, offset, bytes, out_name);
}

bool element_of_region(const struct launch *launch, uint64_t address, uint64_t bytes,
                       struct sentence *out_name)
{
    const struct region *region = memory_region(&launch->arena->memory, address);
    uint64_t low = region->low;
    const int32_t argument = object_argument_index(launch, region, &low);
    if (region->kind == REGION_NONE || address < low)
        return false;
    if (argument >= 0)
        return of_argument(launch, (uint32_t)argument, address - low, bytes, out_name);
    return (region->kind == REGION_LOCAL_VARIABLE || region->kind == REGION_VARIABLE ||
            region->kind == REGION_CONSTANT_DATA) &&
           of_variable(launch, region, address - region->low, bytes, out_name);
}

/* ---- outside ---------------------------------------------------------------------------------------- */

/* "w[4][0]": the first index continues where the object ends. */
static bool go_beyond(const char *name, const struct debug_type *element, int64_t away, uint64_t bytes,
                      struct sentence *out_name)
{
    const int64_t size = (int64_t)element->size;
    const int64_t index = away >= 0 ? away / size : -((size - 1 - away) / size);
    if (!has_parts(element))
        return false;
    sentence_add(out_name, "%s[%" PRId64 "]", name, index);
    return element_path(element, (uint64_t)(away - index * size), bytes, out_name);
}

bool element_beyond(const struct code_variable *declared, int64_t away, uint64_t bytes,
                    struct sentence *out_name, const struct debug_type **out_type)
{
    const struct debug_type *type = declared->type;
    if (type->kind != DEBUG_ARRAY || !type->element->size)
        return false;
    *out_type = type->element;
    return go_beyond(declared->name, type->element, away, bytes, out_name);
}

bool element_beyond_variable(const struct launch *launch, const struct region *region, int64_t away,
                             uint64_t bytes, struct sentence *out_name, const struct debug_type **out_type)
{
    const struct code_variable *declared = declared_region(launch, region);
    return declared && element_beyond(declared, away, bytes, out_name, out_type);
}

struct elements element_numbers(const struct launch *launch, const struct region *region)
{
    static const char *const names[][9] = {
        [DEBUG_INTEGER] = {[1] = "chars", [2] = "shorts", [4] = "ints", [8] = "longs"},
        [DEBUG_UNSIGNED] = {[1] = "uchars", [2] = "ushorts", [4] = "uints", [8] = "ulongs"},
        [DEBUG_FLOAT] = {[2] = "halfs", [4] = "floats", [8] = "doubles"}};
    const struct code_variable *declared = declared_region(launch, region);
    const struct debug_type *type =
        declared && declared->type->kind == DEBUG_ARRAY ? declared->type->element : NULL;
    if (!type || type->kind >= sizeof names / sizeof *names || type->size > 8)
        return (struct elements){NULL, 0};
    return (struct elements){names[type->kind][type->size], (uint32_t)type->size};
}

bool element_beyond_argument(const struct launch *launch, uint32_t argument, int64_t away, uint64_t bytes,
                             struct sentence *out_name, const struct debug_type **out_type)
{
    const struct debug_type *type = pointee_of(launch, argument);
    if (!type)
        return false;
    *out_type = type;
    return go_beyond(launch->kernel->args[argument].name, type, away, bytes, out_name);
}
