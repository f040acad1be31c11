/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario for a kernel that has none: the program is built, and each argument gets a value for its type.
 * Whole numbers are n: the work-items of a dimension or, where the kernel compares an id with one or reads
 * one nowhere, fewer, so that a wrong or a missing test shows. One with which the kernel does less than with
 * 1, or leaves out lines that run with 1 or 0, gets that. Buffers have n elements, or as
 * many as a table of n has that the kernel stays in (buffer_sizes.h); all are 1, which is an index within
 * bounds, too; counters are 0, and offsets of parts 0, 1, 2 and so on. Other numbers are 1.
 */
#include "skeleton.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/device.h"
#include "buffer_sizes.h"
#include "kernel_shape.h"
#include "orrery/scenario_run.h"
#include "tools.h"

enum { TILE_MOST = 32, NARROWER = 2, SIZE_BYTES = 4 };

struct launch_sizes {
    uint64_t global[3], local[3];
    uint64_t whole; /* n */
    uint64_t width; /* of tables whose width is one argument and whose height another: n - 2; else n */
};

/* ---- types ------------------------------------------------------------------------------- */

/* "float4*" is 4 of VALUE_F32; structs and unknown types are as many bytes as they have. */
struct element {
    enum value_type type;
    uint64_t width;
    bool known;
};

static struct element element_of(const struct kernel_arg *arg)
{
    char name[32];
    const size_t letters = strspn(arg->type_name, "abcdefghijklmnopqrstuvwxyz");
    struct element element = {.type = VALUE_U8, .width = arg->element_bytes ? arg->element_bytes : 1};
    snprintf(name, sizeof name, "%.*s", (int)letters, arg->type_name);
    element.known = letters < sizeof name && value_type_from_name(name, &element.type);
    if (!element.known)
        return element;
    const char digit = arg->type_name[letters];
    element.width = digit >= '0' && digit <= '9' ? strtoull(arg->type_name + letters, NULL, 10) : 1;
    return element;
}

static bool is_whole(enum value_type type)
{
    return type < VALUE_F16;
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* Of one element in a buffer: a vector of three has the room of four. */
static uint64_t values_of(const struct element *element)
{
    return element->known && element->width == 3 ? 4 : element->width;
}

enum skeleton_fill { FILL_ONES, FILL_ZEROS, FILL_RAMP };

static void print_buffer(FILE *stream, const struct kernel_arg *arg, uint64_t elements,
                         enum skeleton_fill contents)
{
    const struct element element = element_of(arg);
    if (contents == FILL_RAMP && element.known && element.width == 1) {
        fprintf(stream, "{buffer: {type: %s, count: %" PRIu64 ", values: [", value_type_name(element.type),
                elements);
        for (uint64_t i = 0; i < elements; i++)
            fprintf(stream, "%s%" PRIu64, i ? ", " : "", i);
        fputs("]}}", stream);
        return;
    }
    fprintf(stream, "{buffer: {type: %s, count: %" PRIu64 ", fill: %d}}", value_type_name(element.type),
            elements * values_of(&element), element.known && contents != FILL_ZEROS);
}

/* A vector of three has the room of four, and three values. */
static void print_value(FILE *stream, const struct kernel_arg *arg, uint64_t width)
{
    const struct element element = element_of(arg);
    const uint64_t count = element.known ? element.width : arg->size, value = !element.known           ? 0
                                                                              : is_whole(element.type) ? width
                                                                                                       : 1;
    if (element.known && count == 1) {
        fprintf(stream, "{scalar: {type: %s, value: %" PRIu64 "}}", value_type_name(element.type), value);
        return;
    }
    fprintf(stream, element.known ? "{scalar: {type: %s%" PRIu64 ", value: [" : "{struct: [",
            value_type_name(element.type), count);
    for (uint64_t i = 0; i < count; i++)
        fprintf(stream, element.known ? "%s%" PRIu64 : "%s{type: uchar, value: %" PRIu64 "}", i ? ", " : "",
                value);
    fputs(element.known ? "]}}" : "]}", stream);
}

/* As wide and high as whole numbers say, and as deep for a kernel of three dimensions; else two layers. */
static void print_image(FILE *stream, const struct kernel_arg *arg, const struct launch_sizes *sizes)
{
    static const struct {
        const char *type;
        uint32_t dimensions;
        bool layers;
    } images[] = {
        [IMAGE_1D] = {"1d", 1, false},
        [IMAGE_1D_BUFFER] = {"1d-buffer", 1, false},
        [IMAGE_1D_ARRAY] = {"1d-array", 1, true},
        [IMAGE_2D] = {"2d", 2, false},
        [IMAGE_2D_ARRAY] = {"2d-array", 2, true},
        [IMAGE_3D] = {"3d", 3, false},
    };
    const char *access = arg->read_only ? "read" : arg->write_only ? "write" : "read-write";
    const uint32_t dimensions = images[arg->image_type].dimensions;
    fprintf(stream, "{image: {type: %s, order: %s, data: %s, size: [", images[arg->image_type].type,
            arg->image_depth ? "DEPTH" : "RGBA", arg->image_depth ? "UNORM_INT16" : "UNORM_INT8");
    for (uint32_t d = 0; d < dimensions; d++)
        fprintf(stream, "%s%" PRIu64, d ? ", " : "",
                d == 2 && sizes->global[2] == 1 ? 2
                : d                             ? sizes->whole
                                                : sizes->width);
    fprintf(stream, "%s], fill: 1, access: %s}}", images[arg->image_type].layers ? ", 2" : "", access);
}

static uint64_t product(const uint64_t sizes[3])
{
    return sizes[0] * sizes[1] * sizes[2];
}

struct skeleton {
    const struct kernel_info *info;
    const struct kernel_shape *shape;
    struct launch_sizes sizes;
    uint32_t widths;      /* bit i: argument i is the width */
    uint32_t ones, zeros; /* bit i: argument i is a whole number, and 1 or 0 in place of n */
};

/* Is it in the set of arguments? */
static bool has(uint32_t set, size_t argument)
{
    return argument < 32 && set >> argument & 1;
}

static uint64_t whole_of(const struct skeleton *skeleton, size_t argument)
{
    if (has(skeleton->zeros, argument) || has(skeleton->ones, argument))
        return has(skeleton->ones, argument);
    return has(skeleton->widths, argument) ? skeleton->sizes.width : skeleton->sizes.whole;
}

static enum skeleton_fill contents_of(const struct skeleton *skeleton, size_t argument)
{
    const struct element element = element_of(&skeleton->info->args[argument]);
    const bool is_number = element.known && is_whole(element.type) && element.width == 1;
    return has(skeleton->shape->offsets, argument) && is_number ? FILL_RAMP
           : has(skeleton->shape->counters, argument)           ? FILL_ZEROS
                                                                : FILL_ONES;
}

/* False: scenarios have no such argument. */
static bool print_argument(FILE *stream, const struct skeleton *skeleton, size_t i, uint64_t elements)
{
    const struct kernel_arg *arg = &skeleton->info->args[i];
    const struct element element = element_of(arg);
    switch (arg->kind) {
    case ARG_GLOBAL:
    case ARG_CONSTANT: print_buffer(stream, arg, elements, contents_of(skeleton, i)); return true;
    case ARG_LOCAL:
        fprintf(stream, "{local: %" PRIu64 "}",
                elements * values_of(&element) * (element.known ? value_type_size(element.type) : 1));
        return true;
    case ARG_VALUE: print_value(stream, arg, whole_of(skeleton, i)); return true;
    case ARG_IMAGE: print_image(stream, arg, &skeleton->sizes); return true;
    case ARG_SAMPLER:
        fputs("{sampler: {addressing: clamp-to-edge, filter: nearest, coordinates: pixels}}", stream);
        return true;
    case ARG_QUEUE: fputs("{queue: default}", stream); return true;
    default: return false;
    }
}

/* ---- the scenario --------------------------------------------------------------------------- */

/* As large as the device allows: the largest dimension is halved until all fit. */
static void keep_to_device(const struct device_config *device, uint64_t local[3])
{
    for (int d = 0; d < 3; d++)
        while (local[d] > 1 && device->max_work_item_sizes[d] && local[d] > device->max_work_item_sizes[d])
            local[d] /= 2;
    while (device->max_work_group_size && product(local) > device->max_work_group_size) {
        int widest = 0;
        for (int d = 1; d < 3; d++)
            widest = local[d] > local[widest] ? d : widest;
        local[widest] /= 2;
    }
}

/* The dimensions of the work-groups: what the kernel requires, a tile of local memory, or 64 work-items. */
static uint32_t size_groups(const struct kernel_info *info, const struct kernel_shape *shape,
                            const struct device_config *device, struct launch_sizes *sizes)
{
    static const uint64_t shapes[][3] = {{64, 1, 1}, {8, 8, 1}, {4, 4, 4}};
    const bool tiled = shape->dimensions == 2 && shape->tile > 1 && shape->tile <= TILE_MOST;
    uint32_t dimensions = shape->dimensions;
    for (uint32_t d = 0; d < 3; d++) {
        sizes->local[d] = info->required_size[0] ? info->required_size[d]
                          : tiled && d < 2       ? shape->tile
                                                 : shapes[shape->dimensions - 1][d];
        if (sizes->local[d] > 1 && d + 1 > dimensions)
            dimensions = d + 1;
    }
    if (!info->required_size[0] && !tiled)
        keep_to_device(device, sizes->local);
    return dimensions;
}

/* The arguments that are whole numbers of so many bytes or more. */
static uint32_t numbers_of(const struct kernel_info *info, size_t bytes)
{
    uint32_t found = 0;
    for (size_t i = 0; i < info->arg_count && i < 32; i++) {
        const struct element element = element_of(&info->args[i]);
        if (info->args[i].kind == ARG_VALUE && element.known && is_whole(element.type) &&
            element.width == 1 && value_type_size(element.type) >= bytes)
            found |= UINT32_C(1) << i;
    }
    return found;
}

static uint32_t whole_arguments(const struct kernel_info *info)
{
    return numbers_of(info, 1);
}

/* Less than the work-items of a dimension, and odd: pairs and rows end in the middle of a work-group. */
static uint64_t fewer(uint64_t items, uint32_t dimensions)
{
    const uint64_t less = dimensions == 1 ? items * 7 / 32 : 1;
    return items > 1 ? (items - (less ? less : 1)) | (items > 2) : items;
}

/* Are there whole numbers, and does an id have to stay below one of them, or does nothing read any? Those of
 * `ones` are small: ids stay above them. */
static bool ends_before_ids(const struct kernel_info *info, const struct kernel_shape *shape, uint32_t ones)
{
    const uint32_t whole = whole_arguments(info) & ~ones;
    return whole && (shape->limits & whole || !(whole & ~shape->unread));
}

/* The numbers that ids of the first dimension alone stay below, if others limit the second alone, and there
 * are no further numbers of the size of an int. They differ from the others, so that a mix-up shows. */
static uint32_t widths_of(const struct kernel_info *info, const struct kernel_shape *shape, uint32_t ones)
{
    const uint32_t whole = numbers_of(info, SIZE_BYTES) & ~ones, first = shape->limits_of[0],
                   second = shape->limits_of[1], widths = whole & first & ~second,
                   heights = whole & second & ~first;
    return shape->dimensions == 2 && heights && widths && whole == (widths | heights) ? widths : 0;
}

/* Several work-groups in each dimension, for a kernel that can distinguish them: three, so that no size is a
 * power of two as kernels have them in their texts; of large tiles two. */
static struct launch_sizes sizes_of(const struct kernel_info *info, const struct kernel_shape *shape,
                                    const struct device_config *device, uint32_t ones)
{
    struct launch_sizes sizes;
    const uint32_t dimensions = size_groups(info, shape, device, &sizes);
    uint64_t least = UINT64_MAX;
    for (uint32_t d = 0; d < 3; d++) {
        const bool several = shape->several_groups && d < dimensions && (sizes.local[d] > 1 || d == 0);
        const uint64_t groups = !several ? 1 : dimensions > 1 && sizes.local[d] > 16 ? 2 : 3;
        sizes.global[d] = groups * sizes.local[d];
        least = d < dimensions && sizes.global[d] < least ? sizes.global[d] : least;
    }
    sizes.whole = ends_before_ids(info, shape, ones) ? fewer(least, dimensions) : sizes.global[0];
    const bool has_width = widths_of(info, shape, ones) && sizes.whole > NARROWER + 1;
    sizes.width = sizes.whole - (has_width ? NARROWER : 0);
    return sizes;
}

/* As many of the three as there are dimensions. */
static void print_sizes(FILE *stream, const char *key, const uint64_t sizes[3], uint32_t dimensions)
{
    fprintf(stream, "    %s: [", key);
    for (uint32_t d = 0; d < dimensions; d++)
        fprintf(stream, "%s%" PRIu64, d ? ", " : "", sizes[d]);
    fputs("]\n", stream);
}

/* As YAML has it between quotes, on one line. */
static void print_quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c < 32 || *c == 127)
            fprintf(stream, "\\x%02x", *c);
        else
            fprintf(stream, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    }
    fputc('"', stream);
}

/* With so many elements for each argument. */
static enum status print_scenario(FILE *stream, const struct skeleton *skeleton, const char *source,
                                  const uint64_t *elements, struct diagnosis *diagnosis)
{
    const struct kernel_info *info = skeleton->info;
    const struct launch_sizes *sizes = &skeleton->sizes;
    const uint32_t dimensions = sizes->global[2] > 1 ? 3 : sizes->global[1] > 1 ? 2 : 1;
    fprintf(stream, SKELETON_MAGIC " %s\nprogram: {source: ", info->name);
    print_quoted(stream, source);
    fprintf(stream, "}\nlaunch:\n  - kernel: %s\n", info->name);
    print_sizes(stream, "global", sizes->global, dimensions);
    print_sizes(stream, "local", sizes->local, dimensions);
    fputs(info->arg_count ? "    args:\n" : "", stream);
    for (size_t i = 0; i < info->arg_count; i++) {
        fputs("      - ", stream);
        if (!print_argument(stream, skeleton, i, elements[i]))
            return diagnose(diagnosis, STATUS_UNSUPPORTED,
                            "kernel %s, argument %zu: a scenario has no argument of type %s", info->name, i,
                            info->args[i].type_name);
        fprintf(stream, " # %s %s\n", info->args[i].type_name, info->args[i].name);
    }
    return STATUS_OK;
}

/* For buffer_sizes_find. */
static enum status print_trial(FILE *stream, const void *self, const uint64_t *elements,
                               struct diagnosis *diagnosis)
{
    return print_scenario(stream, self, "trial", elements, diagnosis);
}

/* ---- what fits the kernel ---------------------------------------------------------------------- */

/* A skeleton, how many elements its arguments have, and the lines that do not run with them. */
struct fitting {
    struct skeleton skeleton;
    uint64_t *elements;
    struct idle_lines idle;
};

static void fitting_init(struct fitting *fitting, const struct skeleton *skeleton)
{
    *fitting = (struct fitting){.skeleton = *skeleton,
                                .elements = calloc(skeleton->info->arg_count + 1, sizeof(uint64_t))};
    if (!fitting->elements)
        tools_no_memory();
}

static void fitting_fini(struct fitting *fitting)
{
    free(fitting->elements);
    free(fitting->idle.lines);
}

static struct buffer_trials trials_of(const struct fitting *fitting, const struct scenario *scenario,
                                      const char *file)
{
    const struct launch_sizes *sizes = &fitting->skeleton.sizes;
    uint64_t most = 1;
    for (int d = 0; d < 3; d++)
        most = sizes->global[d] > most ? sizes->global[d] : most;
    return (struct buffer_trials){.scenario = scenario,
                                  .file = file,
                                  .info = fitting->skeleton.info,
                                  .whole = sizes->whole,
                                  .width = sizes->width,
                                  .most = most,
                                  .local = product(sizes->local),
                                  .one_more = fitting->skeleton.shape->offsets,
                                  .print = print_trial,
                                  .self = &fitting->skeleton};
}

static enum status fit(struct fitting *fitting, const struct scenario *scenario, const char *file,
                       struct diagnosis *diagnosis)
{
    const struct buffer_trials trials = trials_of(fitting, scenario, file);
    const enum status status = buffer_sizes_find(&trials, fitting->elements, diagnosis);
    if (status == STATUS_OK)
        buffer_sizes_measure(&trials, fitting->elements, &fitting->idle);
    return status;
}

/* The instructions that run when whole numbers are as large as the launch, but for those of `ones`; 0: it
 * does not end. */
static uint64_t executed_with(const struct skeleton *skeleton, uint32_t ones, const struct scenario *scenario,
                              const char *file)
{
    struct fitting fitting;
    fitting_init(&fitting, skeleton);
    fitting.skeleton.sizes.whole = fitting.skeleton.sizes.width = skeleton->sizes.global[0];
    fitting.skeleton.ones = ones;
    const struct buffer_trials trials = trials_of(&fitting, scenario, file);
    for (size_t i = 0; i < skeleton->info->arg_count; i++)
        fitting.elements[i] =
            skeleton->info->args[i].kind == ARG_LOCAL ? trials.local : 2 * trials.most * trials.most;
    buffer_sizes_measure(&trials, fitting.elements, &fitting.idle);
    const uint64_t executed = fitting.idle.executed;
    fitting_fini(&fitting);
    return executed;
}

/* The numbers that an id has to reach: more work-items do something with a small one than with a large one.
 */
static uint32_t lower_bounds(const struct skeleton *skeleton, const struct scenario *scenario,
                             const char *file)
{
    const uint32_t limits = skeleton->shape->limits & whole_arguments(skeleton->info);
    uint32_t found = 0;
    const uint64_t before = limits ? executed_with(skeleton, 0, scenario, file) : 0;
    for (uint32_t i = 0; before && i < 32; i++)
        if (has(limits, i) && executed_with(skeleton, UINT32_C(1) << i, scenario, file) > before)
            found |= UINT32_C(1) << i;
    return found;
}

/* Keeps the better of two: more lines run, and not for less work. */
static void keep_better(struct fitting *best, struct fitting *other)
{
    const bool better = other->idle.lines && other->idle.count < best->idle.count &&
                        other->idle.executed >= best->idle.executed;
    struct fitting *worse = better ? best : other;
    fitting_fini(worse);
    if (better)
        *best = *other;
}

/* While lines do not run, each whole number in turn is 1, or 0. */
static enum status reach_lines(struct fitting *best, const struct scenario *scenario, const char *file,
                               struct diagnosis *diagnosis)
{
    const uint32_t whole = whole_arguments(best->skeleton.info);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < 64 && best->idle.count && status == STATUS_OK; i++) {
        const uint32_t argument = UINT32_C(1) << i / 2;
        struct fitting other;
        if (!(whole & argument) || (best->skeleton.ones | best->skeleton.zeros) & argument)
            continue;
        fitting_init(&other, &best->skeleton);
        *(i % 2 ? &other.skeleton.zeros : &other.skeleton.ones) |= argument;
        status = fit(&other, scenario, file, diagnosis);
        keep_better(best, &other);
    }
    return status;
}

static enum status print_fitted(FILE *stream, const struct skeleton *skeleton,
                                const struct scenario *scenario, struct skeleton_request *request,
                                struct diagnosis *diagnosis)
{
    struct fitting best;
    fitting_init(&best, skeleton);
    best.skeleton.ones = lower_bounds(skeleton, scenario, request->file);
    best.skeleton.widths = widths_of(skeleton->info, skeleton->shape, best.skeleton.ones);
    best.skeleton.sizes = sizes_of(skeleton->info, skeleton->shape, &scenario->device, best.skeleton.ones);
    enum status status = fit(&best, scenario, request->file, diagnosis);
    if (status == STATUS_OK)
        status = reach_lines(&best, scenario, request->file, diagnosis);
    if (status == STATUS_OK)
        status = print_scenario(stream, &best.skeleton, request->source, best.elements, diagnosis);
    request->idle_lines = best.idle.lines;
    best.idle.lines = NULL;
    fitting_fini(&best);
    return status;
}

/* ---- which kernel ----------------------------------------------------------------------------- */

static bool is_for_the_host(const struct kernel_info *info)
{
    return !info->block && !info->initializer && !info->finalizer;
}

static char *names_of(const struct program *program)
{
    char *names = NULL;
    size_t size = 0, shown = 0;
    FILE *stream = open_memstream(&names, &size);
    for (size_t i = 0; stream && i < program_kernel_count(program); i++) {
        const struct kernel_info *info = kernel_info(program_kernel(program, i));
        if (is_for_the_host(info))
            fprintf(stream, "%s%s", shown++ ? ", " : "", info->name);
    }
    if (!stream || fclose(stream) != 0)
        tools_no_memory();
    return names;
}

/* The one of that name, or the only one; NULL, with the names of all. */
static const struct kernel_info *choose(const struct program *program, const char *file, const char *name,
                                        struct diagnosis *diagnosis)
{
    const struct kernel_info *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < program_kernel_count(program); i++) {
        const struct kernel_info *info = kernel_info(program_kernel(program, i));
        if (!is_for_the_host(info) || (name && strcmp(name, info->name) != 0))
            continue;
        found = info;
        count++;
    }
    if (count == 1)
        return found;
    char *names = names_of(program);
    if (!*names)
        diagnose(diagnosis, STATUS_BAD_ARGUMENT, "%s has no kernel", file);
    else if (name)
        diagnose(diagnosis, STATUS_BAD_ARGUMENT, "%s has no kernel '%s': choose one of %s", file, name,
                 names);
    else
        diagnose(diagnosis, STATUS_BAD_ARGUMENT,
                 "%s has several kernels: choose one with --kernel=NAME, of %s", file, names);
    free(names);
    return NULL;
}

/* ---- from file to text -------------------------------------------------------------------------- */

static enum status describe_kernel(FILE *stream, const struct kernel_info *info, const struct spirv *spirv,
                                   const struct scenario *scenario, struct skeleton_request *request,
                                   struct diagnosis *diagnosis)
{
    const struct kernel_shape shape = kernel_shape_find(spirv->words, spirv->word_count, info->name);
    const struct skeleton skeleton = {
        .info = info, .shape = &shape, .sizes = sizes_of(info, &shape, &scenario->device, 0)};
    return print_fitted(stream, &skeleton, scenario, request, diagnosis);
}

static enum status describe(const struct scenario *scenario, struct skeleton_request *request,
                            const struct spirv *spirv, const struct scenario_source *source, FILE *stream,
                            struct diagnosis *diagnosis)
{
    /* Nothing runs yet: what is printed and written is that of the run. */
    const struct scenario silent = scenario_without_outputs(scenario);
    struct report *report = report_new(&silent);
    struct device *device = NULL;
    struct program *program = NULL;
    const struct program_request load = {.words = spirv->words,
                                         .word_count = spirv->word_count,
                                         .source_name = source->name,
                                         .source_text = source->text};
    enum status status = report ? device_new(&silent, report, &device, diagnosis) : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = program_load(device, &load, &program, diagnosis);
    if (status == STATUS_OK) {
        const struct kernel_info *info = choose(program, request->file, request->kernel, diagnosis);
        status =
            info ? describe_kernel(stream, info, spirv, scenario, request, diagnosis) : STATUS_BAD_ARGUMENT;
        program_release(program);
    }
    if (device)
        device_free(device);
    report_free(report);
    return status;
}

char *skeleton_text(struct scenario *scenario, struct skeleton_request *request, struct diagnosis *diagnosis)
{
    char *text = NULL, *log = NULL;
    size_t size = 0;
    struct spirv spirv;
    struct scenario_source source;
    FILE *stream = open_memstream(&text, &size);
    scenario->program.source_file = strdup(request->file);
    if (!stream || !scenario->program.source_file)
        tools_no_memory();
    enum status status = scenario_build(scenario, &spirv, &source, &log, diagnosis);
    if (status != STATUS_OK && log)
        fputs(log, stderr);
    if (status == STATUS_OK)
        status = describe(scenario, request, &spirv, &source, stream, diagnosis);
    spirv_fini(&spirv);
    scenario_source_fini(&source);
    free(log);
    if (fclose(stream) != 0)
        tools_no_memory();
    if (status == STATUS_OK)
        return text;
    free(text);
    return NULL;
}
