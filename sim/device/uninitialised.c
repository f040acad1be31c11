/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The origin of an uninitialised value, in words. The interpreter keeps the place from which the work-item
 * read such bytes (poison_trail.h); here they get their names. If there is one place it is the origin; if
 * there are several, the value derives from some of them, and the sentence says "may". A region has whether
 * its uninitialised bytes began so or became so (unset_low and unset_by of struct region).
 */
#include "uninitialised.h"

#include <inttypes.h>
#include <string.h>

#include "device_program.h"
#include "element_name.h"
#include "object_name.h"

/* ---- parts --------------------------------------------------------------------------------------- */

struct object_part {
    uint64_t offset, bytes, size; /* of an object of that size */
    struct elements elements;
};

/* "element 3 of ", nothing when it is the whole object. */
static void say_part(const struct object_part *part, struct sentence *why)
{
    const struct elements *e = &part->elements;
    if (part->bytes >= part->size)
        return;
    if (e->name && part->bytes == e->bytes && part->offset % e->bytes == 0)
        sentence_add(why, "element %" PRIu64 " of ", part->offset / e->bytes);
    else if (part->bytes == 1)
        sentence_add(why, "byte %" PRIu64 " of ", part->offset);
    else
        sentence_add(why, "bytes %" PRIu64 " to %" PRIu64 " of ", part->offset,
                     part->offset + part->bytes - 1);
}

/* ", read at k.cl:9", where that is another line than the finding's. */
static void say_read(const struct uninitialised *of, const struct poison_end *end, struct sentence *why)
{
    const uint32_t number = of->wave->code->poison_sources[end->source].site;
    const struct site *read = launch_site(of->launch, number),
                      *used = launch_site(of->launch, of->fault->site);
    struct source_place place;
    launch_place(of->launch, number, &place);
    if (place.file && read->line && (read->line != used->line || read->file != used->file))
        sentence_add(why, ", read at %s:%" PRIu32, place.file, place.line);
}

/* The instruction found such bytes in other places later, and it is not known which of them the value has. */
static void say_later(const struct poison_end *end, struct sentence *why)
{
    if (end->more == 1)
        sentence_add(why, ", or from a later read there");
    else if (end->more)
        sentence_add(why, ", or from one of %" PRIu32 " later reads there", end->more);
}

/* ---- variables ----------------------------------------------------------------------------------- */

/* The compiler's own variables have a dot in their names, but for this one. */
static const char made_for_result[] = "retval";

/* Part of a private variable: its number, and its name as the module has it. */
struct uninitialised_variable {
    uint32_t number;
    const char *name;
    struct object_part part;
    bool passed_on; /* or of another work-item: a group function passed its value to this one */
};

/* "table[3]", "ray.from.x". False: the part is not one thing that has a name. */
static bool say_path(const struct code_variable *declared, const struct object_part *part,
                     struct sentence *name)
{
    sentence_add(name, "%s", declared->name);
    return element_path(declared->type, part->offset, part->bytes, name);
}

static void say_declared(const struct uninitialised *of, const struct code_variable *declared,
                         const struct object_part *part, struct sentence *why)
{
    struct sentence name;
    const char *file =
        declared->file ? program_file(of->launch->info.program, declared->file, declared->line) : NULL;
    sentence_init(&name);
    if (!say_path(declared, part, &name)) {
        sentence_init(&name);
        sentence_add(&name, "%s", declared->name);
        say_part(part, why);
    }
    sentence_add(why, "variable '%s'", name.bytes);
    if (file && declared->line)
        sentence_add(why, " (declared at %s:%" PRIu32 ")", file, declared->line);
}

static void say_variable(const struct uninitialised *of, const struct uninitialised_variable *variable,
                         struct sentence *why)
{
    const struct code_variable *declared = element_declared(of->launch, of->wave->code, variable->number);
    const char *name = variable->name;
    if (declared) {
        say_declared(of, declared, &variable->part, why);
    } else if (name && strcmp(name, made_for_result) == 0) {
        sentence_add(why, "the result of a function that returned without one");
        return;
    } else {
        say_part(&variable->part, why);
        if (!name || !*name || strchr(name, '.'))
            sentence_add(why, "a temporary value");
        else
            sentence_add(why, "variable '%s'", name);
    }
    sentence_add(why, variable->passed_on
                          ? ", which the work-item, or one that passed it the value, had not written"
                          : ", which the work-item had not written");
}

static void say_source(const struct uninitialised *of, const struct poison_end *end, struct sentence *why)
{
    const struct poison_source *source = &of->wave->code->poison_sources[end->source];
    say_variable(
        of,
        &(struct uninitialised_variable){source->variable,
                                         source->name,
                                         {source->offset, source->bytes, source->size, source->elements},
                                         source->passed_on},
        why);
}

static const struct private_object *private_of(const struct code *code, uint64_t offset)
{
    for (uint32_t i = 0; i < code->private_object_count; i++)
        if (offset >= code->private_objects[i].low && offset < code->private_objects[i].high)
            return &code->private_objects[i];
    return NULL;
}

static bool say_private(const struct uninitialised *of, const struct poison_end *end, struct sentence *why)
{
    const uint64_t offset = end->address - PRIVATE_BASE;
    const struct private_object *object = private_of(of->wave->code, offset);
    if (!object)
        return false;
    say_variable(of,
                 &(struct uninitialised_variable){
                     object->variable,
                     object->name,
                     {offset - object->low, end->bytes, object->high - object->low, object->elements},
                     false},
                 why);
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------------ */

static bool began_so(const struct region *region, const struct poison_end *end)
{
    return end->address >= region->unset_high || end->address + end->bytes <= region->unset_low;
}

static bool say_command(const struct uninitialised *of, uint32_t command, struct sentence *why)
{
    struct command_name name;
    struct finding_access access = {.what = ""};
    if (!of->commands || !commands_name(of->commands, command, &name, &access))
        return false;
    sentence_add(why, ", which %s left uninitialised", name.by);
    if (access.place.file && access.place.line)
        sentence_add(why, " (%s:%" PRIu32 ")", access.place.file, access.place.line);
    return true;
}

/* Bytes that a copy or a migration left so are all that it touched; stores are within the known range. */
static void say_why_so(const struct uninitialised *of, const struct region *region,
                       const struct poison_end *end, struct sentence *why)
{
    const bool local = region->kind == REGION_LOCAL_VARIABLE;
    struct source_place made = {0};
    if (began_so(region, end) && local)
        sentence_add(why, ", which the work-group had not written");
    else if (began_so(region, end) && region->maker && region->maker->find(region->maker, &made) && made.file)
        sentence_add(why, ", created at %s:%" PRIu32 " and never written", made.file, made.line);
    else if (began_so(region, end))
        sentence_add(why, ", which was never written");
    else if (region->unset_by && say_command(of, region->unset_by, why))
        return;
    else if (local)
        sentence_add(why, ", which the work-group had not written, or where it had stored such a value");
    else
        sentence_add(why, ", which was not written, or where such a value was stored or copied to");
    if (began_so(region, end) && region->read_mapped)
        sentence_add(why, "; a map with CL_MAP_READ alone hands over nothing that the host stores");
}

/* The texel at that offset from the image's first: its coordinates, and its mip level. */
static uint32_t texel_at(const struct image_desc *image, uint64_t offset, uint32_t out_where[3])
{
    uint32_t level = 0;
    while (level + 1 < image->levels && offset >= image->level[level + 1].offset)
        level++;
    const struct image_level *l = &image->level[level];
    uint64_t rest = offset - l->offset;
    for (uint32_t d = 2; d > 0; d--) {
        const uint64_t pitch = l->pitch[d - 1];
        out_where[d] = pitch && l->size[d] > 1 ? (uint32_t)(rest / pitch) : 0;
        rest -= out_where[d] * pitch;
    }
    out_where[0] = (uint32_t)(rest / image->format->texel_bytes);
    return level;
}

/* "the texel (3, 0) of argument 0 'picture' (image2d_t, 4 x 4)" */
static void say_texel(const struct launch *launch, const struct poison_end *end, struct sentence *why)
{
    const struct image_desc *image = launch->arg_values[end->image - 1].value;
    const uint32_t used = image_dimensions(image->type) + image_is_array(image->type);
    uint32_t where[3];
    struct sentence name;
    const uint32_t level = texel_at(image, end->address - image->address, where);
    sentence_add(why, "the texel (");
    for (uint32_t d = 0; d < used; d++)
        sentence_add(why, "%s%" PRIu32, d ? ", " : "", where[d]);
    sentence_add(why, ")");
    if (image->levels > 1)
        sentence_add(why, " of mip level %" PRIu32, level);
    object_name_image(launch, image, &name);
    sentence_add(why, " of %s", name.bytes);
}

static void say_element(const struct uninitialised *of, const struct region *region,
                        const struct poison_end *end, struct sentence *why)
{
    struct sentence name;
    struct object_part part = {.bytes = end->bytes};
    uint64_t low;
    part.elements = object_elements(of->launch, region, &low);
    if (end->address < low) { /* before a sub-buffer's, or an inner pointer's */
        part.elements.name = NULL;
        low = region->low;
    }
    part.offset = end->address - low;
    part.size = region->high - low;
    say_part(&part, why);
    object_name(of->launch, region, &name);
    sentence_add(why, "%s", name.bytes);
}

static bool say_region(const struct uninitialised *of, const struct poison_end *end, struct sentence *why)
{
    const struct region *region = memory_region(&of->launch->arena->memory, end->address);
    if (region->kind == REGION_NONE || end->address < region->low || end->address >= region->high)
        return false;
    if (end->image)
        say_texel(of->launch, end, why);
    else
        say_element(of, region, end, why);
    say_read(of, end, why);
    say_why_so(of, region, end, why);
    return true;
}

static bool say_end(const struct uninitialised *of, const struct poison_end *end, struct sentence *why)
{
    if (end->kind == POISON_END_SOURCE)
        say_source(of, end, why);
    else if (wave_is_private_address(end->address))
        return say_private(of, end, why);
    else
        return say_region(of, end, why);
    return true;
}

/* ---- advice ------------------------------------------------------------------------------------------- */

/* The declared variable is initialised where it is declared; of a part, the part is written first. */
static void advise_variable(const struct uninitialised *of, uint32_t number, bool part,
                            struct sentence *advice)
{
    const struct code_variable *declared = element_declared(of->launch, of->wave->code, number);
    const char *file = declared && declared->file
                           ? program_file(of->launch->info.program, declared->file, declared->line)
                           : NULL;
    if (!file || !declared->line || declared->parameter)
        return;
    sentence_add(advice, part ? "initialise all of '%s' at %s:%" PRIu32 : "initialise '%s' at %s:%" PRIu32,
                 declared->name, file, declared->line);
}

/* Nothing: a command or a store left the bytes so, and there is no saying which one should have written. */
static void advise_region(const struct uninitialised *of, const struct poison_end *end,
                          struct sentence *advice)
{
    const struct region *region = memory_region(&of->launch->arena->memory, end->address);
    if (region->kind == REGION_NONE || !began_so(region, end))
        return;
    if (region->kind == REGION_LOCAL_VARIABLE)
        sentence_add(advice,
                     "local memory begins without values: let the work-group write '%s', and reach "
                     "barrier(CLK_LOCAL_MEM_FENCE), before it is read",
                     object_plain_name(region));
    else if (region->kind == REGION_BUFFER && region->flags & REGION_FLAG_SVM)
        sentence_add(advice,
                     region->read_mapped
                         ? "map it with CL_MAP_WRITE where the host stores, or write it in the kernel first"
                         : "write it before the launch, or in the kernel first");
    else if (region->kind == REGION_BUFFER && region->read_mapped)
        sentence_add(advice,
                     "map it with CL_MAP_WRITE where the host stores, or write it in the kernel first");
    else if (region->kind == REGION_BUFFER && !end->image && region->maker)
        sentence_add(advice,
                     "clEnqueueFillBuffer or clEnqueueWriteBuffer before the launch, "
                     "CL_MEM_COPY_HOST_PTR where the buffer is created, or a store in the kernel first");
    else if (region->kind == REGION_BUFFER && !end->image)
        sentence_add(advice, "fill or data for the buffer in the scenario, or a store in the kernel first");
}

static void advise_end(const struct uninitialised *of, const struct poison_end *end, struct sentence *advice)
{
    const struct code *code = of->wave->code;
    if (end->kind == POISON_END_SOURCE) {
        const struct poison_source *source = &code->poison_sources[end->source];
        if (source->name && strcmp(source->name, made_for_result) == 0)
            sentence_add(advice, "return a value on every path of the function");
        else
            advise_variable(of, source->variable, source->bytes < source->size, advice);
    } else if (wave_is_private_address(end->address)) {
        const struct private_object *object = private_of(code, end->address - PRIVATE_BASE);
        if (object)
            advise_variable(of, object->variable, end->bytes < object->high - object->low, advice);
    } else {
        advise_region(of, end, advice);
    }
}

/* The origins in words, each once: a variable of which two loads are used is one origin. False: one of them
 * has no name, and it is not known which one. */
static bool say_each(const struct uninitialised *of, const struct poison_end ends[POISON_ENDS],
                     uint32_t count, struct sentence said[POISON_ENDS], uint32_t *out_said)
{
    *out_said = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct sentence *one = &said[*out_said];
        sentence_init(one);
        if (!say_end(of, &ends[i], one))
            return false;
        say_later(&ends[i], one);
        uint32_t before = 0;
        while (before < *out_said && strcmp(said[before].bytes, one->bytes) != 0)
            before++;
        *out_said += before == *out_said;
    }
    return count > 0;
}

static bool say_ends(const struct uninitialised *of, struct sentence *why, struct sentence *advice)
{
    struct poison_end ends[POISON_ENDS];
    struct sentence said[POISON_ENDS];
    const uint32_t count = poison_trail_ends(of->wave, of->fault->poison_list, of->fault->lane, ends);
    uint32_t said_count;
    if (!say_each(of, ends, count, said, &said_count))
        return false;
    sentence_add(why, "the %s %s from ", of->what, said_count > 1 ? "may derive" : "derives");
    for (uint32_t i = 0; i < said_count; i++)
        sentence_add(why, "%s%s", i ? "; or from " : "", said[i].bytes);
    if (said_count == 1 && !ends[0].more)
        advise_end(of, &ends[0], advice);
    return true;
}

void uninitialised_say(const struct uninitialised *of, struct sentence *out_why, struct sentence *out_advice)
{
    struct sentence origin;
    sentence_init(&origin);
    if (say_ends(of, &origin, out_advice))
        sentence_add(out_why, "%s", origin.bytes);
    else
        sentence_add(out_why, "the %s derives from a variable or from memory that has not been written yet",
                     of->what);
}
