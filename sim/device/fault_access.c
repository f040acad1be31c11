/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a faulty address lies. The pointer is derived from an argument or variable: its offset says by how
 * much it leaves that object. Else the nearest object in the pointer's address space is named, with the
 * distance to it.
 */
#include "fault_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "argument_part.h"
#include "bounds_advice.h"
#include "element_name.h"
#include "group.h"
#include "host_memory.h"
#include "object_name.h"
#include "orrery/checked.h"

static bool is_private(const struct fault_description *description, uint64_t address)
{
    return address >= PRIVATE_BASE && address - PRIVATE_BASE < description->launch->code->private_size;
}

static enum finding_kind by_access(const struct fault_description *description, enum finding_kind read,
                                   enum finding_kind write)
{
    return description->write ? write : read;
}

void fault_set_offset(struct fault_description *description, uint64_t low)
{
    if (description->fault->address < low)
        return;
    description->finding.has_offset = true;
    description->finding.offset_bytes = description->fault->address - low;
}

/* ---- elements --------------------------------------------------------------------- */

/* The element type of an argument, "float" of "float*"; for numbers only. */
struct elements fault_pointee(const struct kernel_arg *arg)
{
    static const struct {
        const char *type;
        struct elements elements;
    } rows[] = {
        {"char*", {"chars", 1}},     {"uchar*", {"uchars", 1}},   {"short*", {"shorts", 2}},
        {"ushort*", {"ushorts", 2}}, {"int*", {"ints", 4}},       {"uint*", {"uints", 4}},
        {"long*", {"longs", 8}},     {"ulong*", {"ulongs", 8}},   {"half*", {"halfs", 2}},
        {"float*", {"floats", 4}},   {"double*", {"doubles", 8}},
    };
    for (size_t i = 0; arg->type_name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].type, arg->type_name) == 0)
            return rows[i].elements;
    return (struct elements){NULL, 0};
}

static const char *verb_of(const struct fault_description *description)
{
    if (description->site->access == ACCESS_ATOMIC_UPDATE)
        return "updates";
    return description->write ? "writes" : "reads";
}

static enum array_owner owner_of(const struct fault_description *description)
{
    const enum storage storage = description->site->storage;
    if (description->fault->private_space || storage == STORAGE_PRIVATE)
        return ARRAY_OF_ITEM;
    const enum region_kind kind = description->region ? description->region->kind : REGION_NONE;
    if (storage == STORAGE_LOCAL || kind == REGION_LOCAL_VARIABLE)
        return ARRAY_OF_GROUP;
    return kind == REGION_VARIABLE || kind == REGION_CONSTANT_DATA ? ARRAY_OF_PROGRAM : ARRAY_OF_LAUNCH;
}

/* The index is outside of the array: what to change. */
static void advise(struct fault_description *description, const char *name, const char *elements,
                   int64_t index, uint64_t count, bool counted)
{
    struct item item;
    origin_item(description->origin, description->fault->lane, &item);
    bounds_advice(&(struct bounds_question){.launch = description->launch,
                                            .item = &item,
                                            .name = name,
                                            .elements = elements,
                                            .index = index,
                                            .count = count,
                                            .source = description->site->index,
                                            .counted = counted,
                                            .always = description->site->always,
                                            .owner = owner_of(description)},
                  &description->advice);
}

/* "reads a[100]; 'a' has 100 floats: ", for an access to one element of a named array from low to high. */
static void say_element(struct fault_description *description, const char *name, struct elements elements,
                        uint64_t low, uint64_t high)
{
    const int64_t away = (int64_t)(description->fault->address - low);
    if (!elements.name || !name || !*name)
        return;
    if (description->fault->size != elements.bytes || away % elements.bytes != 0)
        return;
    const uint64_t count = (high - low) / elements.bytes;
    sentence_add(&description->why, "%s %s[%" PRId64 "]; '%s' has %" PRIu64 " %.*s: ", verb_of(description),
                 name, away / elements.bytes, name, count, (int)strlen(elements.name) - (count == 1),
                 elements.name);
    advise(description, name, elements.name, away / elements.bytes, count,
           description->site->counted_bytes == elements.bytes);
}

/* "writes w[4][0]; 'w' has 4 elements of 12 bytes: " */
static void say_beyond(struct fault_description *description, const char *name,
                       const struct sentence *element, const struct debug_type *type, uint64_t low,
                       uint64_t high)
{
    const uint64_t count = (high - low) / type->size;
    const int64_t away = (int64_t)(description->fault->address - low), size = (int64_t)type->size;
    sentence_add(&description->why, "%s %s; '%s' has %" PRIu64 " element%s of ", verb_of(description),
                 element->bytes, name, count, count == 1 ? "" : "s");
    sentence_bytes(&description->why, type->size);
    sentence_add(&description->why, ": ");
    advise(description, name, "elements", away >= 0 ? away / size : -((size - 1 - away) / size), count,
           description->site->counted_bytes == type->size);
}

static bool argument_address(const struct launch *launch, uint32_t index, uint64_t *out_address)
{
    if (index >= launch->kernel->arg_count || !launch->arg_values || !launch->arg_values[index].value)
        return false;
    memcpy(out_address, launch->arg_values[index].value, sizeof *out_address);
    return true;
}

/* The object that the pointer derives from; NULL: unknown. */
static const struct region *derived_from(const struct fault_description *description)
{
    const struct launch *launch = description->launch;
    const uint32_t origin = description->site->argument;
    const struct region *region = NULL;
    uint64_t address;
    if (!origin || description->fault->image || description->site->act == ACT_COPY)
        return NULL;
    if (description->site->storage == STORAGE_LOCAL) {
        if (launch->running && origin <= launch->code->local_object_count)
            region = launch->running->locals[origin - 1];
    } else if (argument_address(launch, origin - 1, &address))
        region = memory_region(&launch->arena->memory, address);
    return region && region->kind != REGION_NONE && !(region->flags & REGION_FLAG_FREED) ? region : NULL;
}

/* The same for arrays of structs or vectors. */
static void say_beyond_argument(struct fault_description *description, uint32_t argument, uint64_t low,
                                uint64_t high)
{
    const struct debug_type *type = NULL;
    struct sentence name;
    sentence_init(&name);
    if (element_beyond_argument(description->launch, argument, (int64_t)(description->fault->address - low),
                                description->fault->size, &name, &type))
        say_beyond(description, description->launch->kernel->args[argument].name, &name, type, low, high);
}

static bool say_beyond_variable(struct fault_description *description, const struct region *region)
{
    const struct debug_type *type = NULL;
    struct sentence name;
    sentence_init(&name);
    if (!element_beyond_variable(description->launch, region,
                                 (int64_t)(description->fault->address - region->low),
                                 description->fault->size, &name, &type))
        return false;
    say_beyond(description, object_plain_name(region), &name, type, region->low, region->high);
    return true;
}

/* The end of what the argument's pointer may touch, which is a sub-buffer's or the region's. */
static uint64_t end_of_argument(const struct launch *launch, uint32_t argument, const struct region *region)
{
    const struct argument_part *part = argument_part(launch, argument);
    return part ? part->high : region->high;
}

static void say_derived(struct fault_description *description, const struct region *region)
{
    const struct launch *launch = description->launch;
    const struct kernel_arg *args = launch->kernel->args;
    const uint32_t origin = description->site->argument - 1;
    uint64_t low = region->low;
    if (description->site->storage != STORAGE_LOCAL) {
        const uint64_t high = end_of_argument(launch, origin, region);
        if (!argument_address(launch, origin, &low))
            return;
        if (fault_pointee(&args[origin]).name)
            say_element(description, args[origin].name, fault_pointee(&args[origin]), low, high);
        else
            say_beyond_argument(description, origin, low, high);
        return;
    }
    const struct local_object *object = &launch->code->local_objects[origin];
    if (object->arg >= 0)
        say_element(description, args[object->arg].name, fault_pointee(&args[object->arg]), low,
                    region->high);
    else if (!say_beyond_variable(description, region))
        say_element(description, object_plain_name(region), object->elements, low, region->high);
}

/* ---- by how much ------------------------------------------------------------------ */

static void say_distance(struct fault_description *description, uint64_t low, uint64_t high)
{
    uint64_t address = description->fault->address, size = description->fault->size;
    struct sentence *why = &description->why;
    sentence_add(why, "the access of ");
    sentence_bytes(why, size);
    if (address == high) {
        sentence_add(why, " begins directly after the end of ");
    } else if (address > high) {
        sentence_add(why, " begins ");
        sentence_bytes(why, address - high);
        sentence_add(why, " past the end of ");
    } else if (address >= low) {
        sentence_add(why, " begins inside and runs ");
        sentence_bytes(why, size - (high - address));
        sentence_add(why, " past the end of ");
    } else if (low - address < size) {
        sentence_add(why, " begins ");
        sentence_bytes(why, low - address);
        sentence_add(why, " before the start of, and runs into, ");
    } else {
        sentence_add(why, " begins ");
        sentence_bytes(why, low - address);
        sentence_add(why, " before the start of ");
    }
    sentence_add(why, "%s", description->object.bytes);
}

/* Addresses of the host's memory differ from run to run, so no number names them. */
static bool of_the_host(struct fault_description *description)
{
    const struct memory *memory = &description->launch->arena->memory;
    uint64_t address = description->fault->address, size = description->fault->size;
    if (address - memory->base < memory->size)
        return false;
    if (memory->host.permits) {
        sentence_add(&description->why, "the program has no memory at this address%s",
                     description->write ? ", or may only read it" : "");
        return true;
    }
    if (!host_memory_has(address, size ? size : 1))
        return false;
    sentence_add(&description->why,
                 "the address is of memory that only the host has: the device does not share all of it");
    description->finding.fix =
        "take the memory from clSVMAlloc or a buffer; or give the device features: {svm_system: true}";
    return true;
}

/* The sub-buffer of the argument that the pointer derives from; NULL: it is none. */
static const struct argument_part *part_of(const struct fault_description *description)
{
    const bool local = description->site->storage == STORAGE_LOCAL && description->site->act != ACT_COPY;
    const bool known =
        !local && description->site->argument && !description->launch->code->pointers_as_numbers;
    return known ? argument_part(description->launch, description->site->argument - 1) : NULL;
}

/* The access may stay inside the buffer. It then takes place, as on a device, which is given an address
 * alone. */
static void out_of_part(struct fault_description *description, const struct argument_part *part)
{
    const struct region *region = memory_region(&description->launch->arena->memory, part->low);
    description->finding.kind =
        by_access(description, FINDING_OUT_OF_BOUNDS_READ, FINDING_OUT_OF_BOUNDS_WRITE);
    object_name_part(description->launch, description->site->argument - 1, &description->object);
    fault_set_offset(description, part->low);
    if (region == derived_from(description))
        say_derived(description, region);
    say_distance(description, part->low, part->high);
    if (description->fault->leaves_part) {
        const bool shared = region->flags & REGION_FLAG_SVM;
        description->finding.title = description->write
                                         ? shared ? "a store leaves the buffer of its argument"
                                                  : "a store leaves the sub-buffer of its argument"
                                     : shared ? "a load leaves the buffer of its argument"
                                              : "a load leaves the sub-buffer of its argument";
        sentence_add(&description->why, "; these bytes are %s all the same",
                     description->write ? "written" : "read");
    }
    description->finding.spec = "OpenCL 3.0 API, 5.2.1, clCreateSubBuffer";
}

/* Likewise, and the buffer itself permits it. */
static void part_denies(struct fault_description *description, const struct argument_part *part)
{
    struct finding *finding = &description->finding;
    object_name_part(description->launch, description->site->argument - 1, &description->object);
    fault_set_offset(description, part->low);
    finding->kind = description->write ? FINDING_READ_ONLY_WRITE : FINDING_WRITE_ONLY_READ;
    sentence_add(&description->why,
                 "the memory object was created for kernels to %s only, from memory that they may also %s",
                 description->write ? "read" : "write", description->write ? "write" : "read");
    finding->fix = "create it with CL_MEM_READ_WRITE (access: read-write in a scenario)";
}

#define NEAREST_OBJECT ", the nearest object; the pointer may come from another one"

/* Most wrong indices are off by less than the object has. */
static bool is_near(const struct fault_description *description, uint64_t low, uint64_t high)
{
    const uint64_t address = description->fault->address, size = high - low;
    return address + size >= low && address < high + size;
}

/* The nearest variable: one at program scope, whose pointer is a number, or one in local memory that a
 * generic pointer is of. */
static void say_variable(struct fault_description *description, const struct region *region)
{
    const struct launch *launch = description->launch;
    const bool is_local = region->kind == REGION_LOCAL_VARIABLE;
    uint64_t low;
    if (description->site->argument || description->fault->image || description->site->act == ACT_COPY ||
        !is_near(description, region->low, region->high))
        return;
    if (!is_local && region->kind != REGION_VARIABLE && region->kind != REGION_CONSTANT_DATA)
        return;
    const int32_t argument = is_local ? object_argument_index(launch, region, &low) : -1;
    if (argument >= 0)
        say_element(description, launch->kernel->args[argument].name,
                    fault_pointee(&launch->kernel->args[argument]), region->low, region->high);
    else if (!say_beyond_variable(description, region))
        say_element(description, object_plain_name(region), element_numbers(launch, region), region->low,
                    region->high);
}

/* The object is the nearest one, since the pointer derives from several, or from memory. */
static bool may_be_of_another(const struct fault_description *description, const struct region *region)
{
    return !description->site->argument && !description->fault->image && description->site->act != ACT_COPY &&
           !is_near(description, region->low, region->high);
}

static void out_of_bounds(struct fault_description *description, const struct region *region)
{
    description->finding.kind =
        by_access(description, FINDING_OUT_OF_BOUNDS_READ, FINDING_OUT_OF_BOUNDS_WRITE);
    if (of_the_host(description))
        return;
    if (!region) {
        sentence_add(&description->why,
                     "the address lies in no allocation, and there is none that the pointer may reach");
        return;
    }
    object_name(description->launch, region, &description->object);
    description->region = region;
    fault_set_offset(description, region->low);
    if (region == derived_from(description))
        say_derived(description, region);
    else
        say_variable(description, region);
    say_distance(description, region->low, region->high);
    if (may_be_of_another(description, region))
        sentence_add(&description->why, NEAREST_OBJECT);
}

/* ---- mapped ------------------------------------------------------------------------- */

void fault_say_mapped(const struct region *region, const struct region_map *map, const char *object,
                      struct sentence *out_why)
{
    sentence_add(out_why, "the host has mapped ");
    if (map->low > region->low || map->high < region->high)
        sentence_add(out_why, "bytes %" PRIu64 "..%" PRIu64 " of ", map->low - region->low,
                     map->high - 1 - region->low);
    sentence_add(out_why, "%s for %s and not yet unmapped it", object,
                 map->deny & DENY_KERNEL_READ ? "writing" : "reading");
}

void fault_mapped_by(struct commands *commands, const struct region_map *map, struct finding *finding,
                     struct command_name *out_name)
{
    struct finding_access *access = &finding->access[1];
    *access = (struct finding_access){.act = ACT_CALL,
                                      .what = map->deny & DENY_KERNEL_READ ? "mapping for writing"
                                                                           : "mapping for reading"};
    if (commands && commands_name(commands, map->command, out_name, access))
        finding->access_count = 2;
}

/* ---- inside a region, but not allowed ------------------------------------------------ */

static void not_allowed(struct fault_description *description, const struct region *region)
{
    struct finding *finding = &description->finding;
    struct sentence *why = &description->why;
    uint32_t deny = description->write ? DENY_KERNEL_WRITE : DENY_KERNEL_READ;
    const struct region_map *map =
        memory_map_at(region, description->fault->address, description->fault->size, deny);
    object_name(description->launch, region, &description->object);
    fault_set_offset(description, region->low);

    if (region->flags & REGION_FLAG_FREED) {
        finding->kind = FINDING_USE_AFTER_FREE;
        sentence_add(why, "%s has been released by the host", description->object.bytes);
        finding->fix = "keep the memory object until the kernels that use it have finished";
    } else if (region->kind == REGION_LOCAL_VARIABLE) {
        finding->kind = FINDING_USE_AFTER_FREE;
        sentence_add(why, "the local memory belonged to a work-group that has ended");
    } else if (map) {
        finding->kind = FINDING_MAPPED_ACCESS;
        fault_say_mapped(region, map, description->object.bytes, why);
        finding->fix = "unmap the memory object before the launch";
        fault_mapped_by(description->commands, map, finding, &description->mapping);
    } else if (region->flags & REGION_FLAG_NOT_SET) {
        finding->kind = FINDING_SVM_MISUSE;
        sentence_add(why, "%s is no argument of the kernel, and not set with clSetKernelExecInfo",
                     description->object.bytes);
        finding->fix = "clSetKernelExecInfo with a pointer into it (or, of unified shared memory, that "
                       "allows indirect access)";
    } else if (description->write && region->kind == REGION_CONSTANT_DATA) {
        finding->kind = FINDING_CONSTANT_WRITE;
        sentence_add(why, "%s is in the constant address space", description->object.bytes);
        finding->fix = "a variable in global, local or private memory for what is written";
    } else if (description->write && !(region->flags & REGION_FLAG_WRITE_ONLY)) {
        /* Write-only memory denies only reads. An atomic update that fails here failed as a read, although
         * it also writes. */
        finding->kind = FINDING_READ_ONLY_WRITE;
        sentence_add(why, "%s was created for kernels to read only", description->object.bytes);
        finding->fix = "create it with CL_MEM_READ_WRITE (access: read-write in a scenario)";
    } else {
        finding->kind = FINDING_WRITE_ONLY_READ;
        sentence_add(why, "%s was created for kernels to write only", description->object.bytes);
        finding->fix = "create it with CL_MEM_READ_WRITE (access: read-write in a scenario)";
    }
}

/* ---- null, and other address spaces ----------------------------------------------------- */

static void name_null_argument(struct fault_description *description)
{
    const struct launch *launch = description->launch;
    int32_t found = -1;
    for (size_t i = 0; i < launch->kernel->arg_count; i++) {
        enum arg_kind kind = launch->kernel->args[i].kind;
        uint64_t address = 1;
        if ((kind != ARG_GLOBAL && kind != ARG_CONSTANT) || !launch->arg_values)
            continue;
        if (launch->arg_values[i].value)
            memcpy(&address, launch->arg_values[i].value, sizeof address);
        if (address != 0 && launch->arg_values[i].value)
            continue;
        if (found >= 0)
            return; /* two null arguments: the one used is unknown */
        found = (int32_t)i;
    }
    if (found < 0)
        return;
    sentence_add(&description->why, "; argument %" PRId32 " '%s' is NULL", found,
                 launch->kernel->args[found].name);
    sentence_add(&description->advice, "give argument %" PRId32 " a buffer, or do the access only if (%s)",
                 found, launch->kernel->args[found].name);
}

static void null_access(struct fault_description *description)
{
    description->finding.kind = by_access(description, FINDING_NULL_READ, FINDING_NULL_WRITE);
    if (description->fault->address == 0) {
        sentence_add(&description->why, "the pointer is null");
    } else {
        sentence_add(&description->why, "the address is ");
        sentence_bytes(&description->why, description->fault->address);
        sentence_add(&description->why, " from a null pointer");
    }
    name_null_argument(description);
}

static const char *storage_name(enum storage storage)
{
    static const char *const names[] = {"global", "constant", "local", "private", "generic"};
    return storage <= STORAGE_GENERIC ? names[storage] : "another";
}

static void wrong_space(struct fault_description *description, const char *holds)
{
    description->finding.kind = FINDING_WRONG_ADDRESS_SPACE;
    sentence_add(&description->why, "the pointer is %s, the address it holds is %s",
                 storage_name(description->site->storage), holds);
}

/* ---- private memory ------------------------------------------------------------------------ */

static const struct private_object *private_of(const struct fault_description *description)
{
    const struct code *code = description->launch->code;
    uint32_t known = description->fault->private_object;
    if (known && known <= code->private_object_count)
        return &code->private_objects[known - 1];

    const struct private_object *nearest = NULL;
    uint64_t offset = description->fault->address - PRIVATE_BASE, best = 0;
    for (uint32_t i = 0; i < code->private_object_count; i++) {
        const struct private_object *object = &code->private_objects[i];
        uint64_t away = offset >= object->high ? offset - object->high
                        : offset < object->low ? object->low - offset
                                               : 0;
        if (!nearest || away < best) {
            nearest = object;
            best = away;
        }
    }
    return nearest;
}

/* For an array of arrays, vectors or structs. False: the type is another, or unknown. */
static bool say_nested(struct fault_description *description, const struct private_object *object,
                       uint64_t low, uint64_t high)
{
    const struct code_variable *declared =
        element_declared(description->launch, description->wave->code, object->variable);
    const struct debug_type *type = NULL;
    struct sentence name;
    sentence_init(&name);
    if (!declared || !element_beyond(declared, (int64_t)(description->fault->address - low),
                                     description->fault->size, &name, &type))
        return false;
    say_beyond(description, declared->name, &name, type, low, high);
    return true;
}

void fault_private_access(struct fault_description *description)
{
    const struct private_object *object = private_of(description);
    description->finding.kind =
        by_access(description, FINDING_OUT_OF_BOUNDS_READ, FINDING_OUT_OF_BOUNDS_WRITE);
    if (!object) {
        sentence_add(&description->why, "the address lies outside the work-item's private memory");
        return;
    }
    uint64_t low = PRIVATE_BASE + (uint64_t)object->low, high = PRIVATE_BASE + (uint64_t)object->high;
    sentence_add(&description->object, "private variable '%s' (",
                 object->name && *object->name ? object->name : "?");
    sentence_bytes(&description->object, high - low);
    sentence_add(&description->object, ")");
    fault_set_offset(description, low);
    if (!say_nested(description, object, low, high))
        say_element(description, object->name, object->elements, low, high);
    say_distance(description, low, high);
    if (!description->fault->private_object && !is_near(description, low, high))
        sentence_add(&description->why, NEAREST_OBJECT);
}

/* ---- reads and writes ------------------------------------------------------------------------ */

static void image_access(struct fault_description *description)
{
    const struct fault *fault = description->fault;
    const struct image_desc *image = fault->image;
    uint32_t used = image_dimensions(image->type) + image_is_array(image->type);
    description->finding.kind =
        by_access(description, FINDING_OUT_OF_BOUNDS_READ, FINDING_OUT_OF_BOUNDS_WRITE);
    object_name_image(description->launch, image, &description->object);
    sentence_add(&description->why, "the texel (");
    for (uint32_t d = 0; d < used; d++)
        sentence_add(&description->why, "%s%" PRId32, d ? ", " : "", fault->texel[d]);
    sentence_add(&description->why, ")");
    if (image->levels > 1)
        sentence_add(&description->why, " of mip level %" PRIu32, fault->level);
    sentence_add(&description->why, " lies outside %s", description->object.bytes);
    description->finding.spec = "OpenCL C 3.0, 6.15.15 image read and write functions";
}

/* The kinds of regions that the pointer may point to. The site of an asynchronous copy has the storage of
 * its target; its source is in the other storage. */
static uint32_t kinds_in_reach(const struct fault_description *description)
{
    const uint32_t local = REGION_KIND_BIT(REGION_LOCAL_VARIABLE);
    if (description->site->what && strncmp(description->site->what, "async_", 6) == 0)
        return (description->site->storage == STORAGE_LOCAL) == (description->fault->kind == FAULT_WRITE)
                   ? local
                   : ~local;
    switch (description->site->storage) {
    case STORAGE_LOCAL: return local;
    case STORAGE_GLOBAL:
    case STORAGE_CONSTANT: return ~local;
    default: return ~UINT32_C(0);
    }
}

void fault_examine_access(struct fault_description *description)
{
    if (description->fault->image) {
        image_access(description);
        return;
    }
    const struct memory *memory = &description->launch->arena->memory;
    uint64_t address = description->fault->address;
    const struct region *region = memory_region(memory, address);
    int64_t distance;

    if (description->fault->leaves_part)
        out_of_part(description, part_of(description));
    else if (description->fault->part_denies)
        part_denies(description, part_of(description));
    else if (fault_is_null(address))
        null_access(description);
    else if (description->fault->private_space && region->kind == REGION_NONE)
        fault_private_access(description);
    else if (description->fault->private_space)
        wrong_space(description, region->kind == REGION_LOCAL_VARIABLE ? "local" : "global");
    else if (is_private(description, address))
        wrong_space(description, "private");
    else if (fault_contains(region, address, description->fault->size) &&
             memory_denied(region, address, description->fault->size))
        not_allowed(description, region);
    else if (part_of(description) && derived_from(description))
        out_of_part(description, part_of(description));
    else if (derived_from(description))
        out_of_bounds(description, derived_from(description));
    else
        out_of_bounds(description, memory_nearest(memory, address, kinds_in_reach(description), &distance));
}

/* The words of an inner array are "'t[1]', which has 8 ints"; without a name they begin otherwise. */
static void advise_inner(struct fault_description *description)
{
    const struct fault *fault = description->fault;
    char name[112] = "";
    const char *elements = strrchr(fault->misuse, ' ');
    if (elements && sscanf(fault->misuse, "'%100[^']'", name) == 1)
        advise(description, name, elements + 1, fault->index, fault->count, description->site->counts_inner);
    else if (fault->count)
        sentence_add(&description->advice, "the last index is %" PRIu64, fault->count - 1);
}

/* The bytes may belong to the variable that contains the array. */
void fault_examine_index(struct fault_description *description)
{
    const struct region *region = derived_from(description);
    description->finding.kind =
        by_access(description, FINDING_OUT_OF_BOUNDS_READ, FINDING_OUT_OF_BOUNDS_WRITE);
    description->finding.title = description->write ? "a store has an index outside of its array"
                                                    : "a load has an index outside of its array";
    if (region)
        object_name(description->launch, region, &description->object);
    sentence_add(&description->why, "%s index %" PRId64 " of %s", verb_of(description),
                 description->fault->index, description->fault->misuse);
    advise_inner(description);
    description->finding.spec = "C11, 6.5.6p8: an index stays inside its array";
}

void fault_examine_misaligned(struct fault_description *description)
{
    const struct memory *memory = &description->launch->arena->memory;
    const struct region *region = memory_region(memory, description->fault->address);
    const uint32_t align = description->site->align > 1 ? description->site->align : description->fault->size;
    if (description->fault->private_space) {
        fault_private_access(description);
        sentence_init(&description->why);
        sentence_init(&description->advice);
    } else if (region->kind != REGION_NONE) {
        object_name(description->launch, region, &description->object);
        fault_set_offset(description, region->low);
    }
    description->finding.kind = FINDING_MISALIGNED;
    if (description->finding.has_offset)
        sentence_add(&description->why,
                     "offset %" PRIu64 " is not a multiple of %" PRIu32 ", the alignment of the type",
                     description->finding.offset_bytes, align);
    else
        sentence_add(&description->why,
                     "the address is not a multiple of %" PRIu32 ", the alignment of the type", align);
    const char *what = description->site->what ? description->site->what : "";
    if (description->site->components > 1 && strncmp(what, "vload", 5) != 0 &&
        strncmp(what, "vstore", 6) != 0)
        sentence_add(&description->advice,
                     "%s%" PRIu32
                     ", which needs the alignment of one element, or an address that is a multiple "
                     "of %" PRIu32,
                     description->write ? "vstore" : "vload", description->site->components, align);
}
