/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario for a kernel that has none: the program is built, and each argument gets a value for its type.
 * Whole numbers are those of number_choice.h, in the order of two that shows a mistake. One with which the
 * kernel does less than with 1, or leaves out lines that run with 1 or 0, gets that. Buffers are as large as
 * buffer_sizes.h says; all elements are 1, which is an index within bounds, too; counters are 0, and offsets
 * of parts 0, 1, 2 and so on. Other numbers are 1. Work-groups have the size for which the kernel seems to be
 * written, of several the one with the fewest findings.
 */
#include "skeleton.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/device.h"
#include "buffer_sizes.h"
#include "kernel_shape.h"
#include "number_choice.h"
#include "orrery/scenario_run.h"
#include "tools.h"

enum {
    TILE_MOST = 32,
    SIZE_BYTES = 4,
    GROUPS_NUMBERED = 6,
    ITEMS = 64,
    PLANS_MOST = 5,
    MANY = 6,
    PADDING_MOST = 16
};

struct launch_sizes {
    uint64_t global[3], local[3];
    uint64_t whole;         /* n */
    uint64_t width, height; /* of images */
    uint64_t ids[3];        /* how far go ids that are compared with a number: the launch, or a multiple */
    bool exact;             /* no id stays below a number: n is the size of the launch */
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
                : d == 1                        ? sizes->height
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
    uint64_t numbers[32]; /* of arguments that are whole numbers */
    uint64_t in_group;    /* what local ids are compared with; 0: any */
    uint32_t ones, zeros; /* bit i: argument i is a whole number, and 1 or 0 */
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
    const enum value_type type = element_of(&skeleton->info->args[argument]).type;
    const uint64_t value = argument < 32 ? skeleton->numbers[argument] : skeleton->sizes.whole,
                   most = type == VALUE_I8   ? INT8_MAX
                          : type == VALUE_U8 ? UINT8_MAX
                                             : UINT64_MAX;
    return value < most ? value : most;
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

/* The power of two that an array for a work-group, and a border of it, has room for; 0: it is none such. */
static uint64_t items_of(uint64_t array)
{
    uint64_t items = array ? 1 : 0;
    while (2 * items <= array && items)
        items *= 2;
    return array - items <= items / 4 ? items : 0;
}

/* Work-groups, and what local ids are compared with (number_choice.h). */
struct group_plan {
    uint64_t width, height, in_group;
};

/* The dimensions of the work-groups: what the kernel requires, a tile of local memory, or so many work-items,
 * 64 in several dimensions. */
static uint32_t size_groups(const struct kernel_info *info, const struct kernel_shape *shape,
                            const struct device_config *device, const struct group_plan *plan,
                            struct launch_sizes *sizes)
{
    const uint64_t shapes[][3] = {{plan->width, 1, 1}, {plan->width, plan->height, 1}, {4, 4, 4}};
    const uint64_t inner = items_of(shape->tile);
    const uint64_t tile =
        inner && (shape->tile - inner) % 2 == 0 ? inner : shape->tile; /* without its border */
    const bool tiled = shape->dimensions == 2 && tile > 1 && tile <= TILE_MOST;
    uint32_t dimensions = shape->dimensions;
    for (uint32_t d = 0; d < 3; d++) {
        sizes->local[d] = info->required_size[0] ? info->required_size[d]
                          : tiled && d < 2       ? tile
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

/* Several work-groups in each dimension, for a kernel that can distinguish them: three, so that no size is a
 * power of two as kernels have them in their texts; of large tiles two. */
static struct launch_sizes sizes_of(const struct kernel_info *info, const struct kernel_shape *shape,
                                    const struct device_config *device, const struct group_plan *plan,
                                    uint32_t ones)
{
    struct launch_sizes sizes;
    const uint32_t dimensions = size_groups(info, shape, device, plan, &sizes);
    uint64_t least = UINT64_MAX;
    for (uint32_t d = 0; d < 3; d++) {
        const bool several = shape->several_groups && d < dimensions && (sizes.local[d] > 1 || d == 0);
        const bool numbered = shape->group_limits & whole_arguments(info) & ~ones;
        const uint64_t groups = !several                                ? 1
                                : dimensions > 1 && sizes.local[d] > 16 ? 2
                                : dimensions == 1 && numbered           ? GROUPS_NUMBERED
                                                                        : 3;
        sizes.global[d] = groups * sizes.local[d];
        least = d < dimensions && sizes.global[d] < least ? sizes.global[d] : least;
    }
    memcpy(sizes.ids, sizes.global, sizeof sizes.ids);
    sizes.exact = !ends_before_ids(info, shape, ones);
    sizes.whole = sizes.width = sizes.height = sizes.exact ? sizes.global[0] : fewer(least, dimensions);
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

/* A skeleton, how many elements its arguments have, and the lines that do not run with them. leaves: it has
 * accesses outside of its buffers. */
struct fitting {
    struct skeleton skeleton;
    uint64_t *elements;
    struct idle_lines idle;
    bool leaves;
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

static struct buffer_trials trials_of(const struct skeleton *skeleton, const struct scenario *scenario,
                                      const char *file)
{
    return (struct buffer_trials){.scenario = scenario,
                                  .file = file,
                                  .info = skeleton->info,
                                  .local = product(skeleton->sizes.local),
                                  .one_more = skeleton->shape->offsets,
                                  .print = print_trial,
                                  .self = skeleton};
}

/* The arguments whose numbers differ from each other. */
static uint32_t numbers_in(const struct skeleton *skeleton)
{
    return numbers_of(skeleton->info, SIZE_BYTES) & ~(skeleton->ones | skeleton->zeros);
}

static uint32_t dimensions_of(const struct launch_sizes *sizes)
{
    return sizes->global[2] > 1 ? 3 : sizes->global[1] > 1 ? 2 : 1;
}

static void choose_numbers(struct skeleton *skeleton, enum number_order order)
{
    struct launch_sizes *sizes = &skeleton->sizes;
    const struct kernel_shape *shape = skeleton->shape;
    struct number_request request = {.shape = shape,
                                     .numbers = numbers_in(skeleton),
                                     .dimensions = dimensions_of(sizes),
                                     .in_group = skeleton->in_group,
                                     .whole = sizes->whole,
                                     .exact = sizes->exact};
    for (int d = 0; d < 3; d++) {
        request.global[d] = sizes->global[d];
        request.local[d] = sizes->local[d];
        request.groups[d] = sizes->global[d] / sizes->local[d];
    }
    numbers_choose(&request, order, skeleton->numbers);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t limit = shape->limits & request.numbers & UINT32_C(1) << i;
        if (limit & shape->limits_of[0] & ~shape->limits_of[1])
            sizes->width = skeleton->numbers[i];
        if (limit & shape->limits_of[1] & ~shape->limits_of[0])
            sizes->height = skeleton->numbers[i];
    }
}

/* How far ids go that are compared with the argument. */
static uint64_t ids_past(const struct skeleton *skeleton, uint32_t argument, uint64_t value)
{
    const struct kernel_shape *shape = skeleton->shape;
    const struct launch_sizes *sizes = &skeleton->sizes;
    uint64_t past = value;
    for (int d = 0; d < 3; d++) {
        const uint64_t groups = sizes->global[d] / sizes->local[d],
                       ids = has(shape->group_limits, argument) ? groups : sizes->ids[d];
        const bool limits =
            has((shape->limits & shape->limits_of[d]) | (sizes->exact ? 0 : shape->unread), argument);
        if (limits && ids > past)
            past = ids;
    }
    return past;
}

static enum size_square square_of(const struct skeleton *skeleton, uint32_t argument)
{
    const struct kernel_shape *shape = skeleton->shape;
    const uint32_t numbers = numbers_in(skeleton) & ~numbers_small(shape), limits = shape->limits & numbers;
    int dimensions = 0, others = 0;
    for (int d = 0; d < 3; d++) {
        dimensions += has(limits & shape->limits_of[d], argument);
        others += (limits & shape->limits_of[d]) && !has(shape->limits_of[d], argument);
    }
    if (has(shape->group_limits, argument))
        return SQUARE_UNLIKELY;
    if (dimensions > 1 || !(numbers & (numbers - 1)))
        return SQUARE_LIKELY;
    return dimensions && (others || has(shape->products, argument)) ? SQUARE_UNLIKELY : SQUARE_POSSIBLE;
}

static void add_factor(struct size_fit *fit, const struct size_factor *factor)
{
    bool fits = fit->factor_count < SIZE_FACTORS_MOST && factor->value[0] > 1;
    for (size_t c = 0; c < fit->choice_count; c++)
        fits = fits && factor->value[c] > 1; /* sizes are divided by it */
    if (fits)
        fit->factors[fit->factor_count++] = *factor;
}

/* What sizes are made of: the whole numbers and, if no id stays below one, the sizes of the launch. */
static void find_factors(const struct fitting *fittings, struct size_fit *fit)
{
    const struct skeleton *skeleton = &fittings->skeleton;
    const uint32_t numbers = numbers_in(skeleton), used = skeleton->shape->limits | skeleton->shape->counts |
                                                          skeleton->shape->shared |
                                                          skeleton->shape->group_limits;
    const uint32_t small = numbers_small(skeleton->shape);
    bool known[3] = {false};
    for (uint32_t i = 0; i < 32; i++) {
        struct size_factor factor = {.square = square_of(skeleton, i),
                                     .around = has(skeleton->shape->counts | small, i),
                                     .alone = has(small, i)};
        for (size_t c = 0; c < fit->choice_count && has(numbers, i); c++) {
            factor.value[c] = fittings[c].skeleton.numbers[i];
            factor.past[c] = ids_past(&fittings[c].skeleton, i, factor.value[c]);
            factor.padding[c] = has(used, i) ? 0 : PADDING_MOST;
        }
        for (int d = 0; d < 3; d++)
            known[d] |= has(numbers, i) && factor.value[0] == skeleton->sizes.global[d];
        add_factor(fit, &factor);
        for (size_t c = 0; c < fit->choice_count && factor.value[0]; c++) {
            factor.value[c] += skeleton->shape->border;
            factor.past[c] += skeleton->shape->border;
        }
        if (skeleton->shape->border)
            add_factor(fit, &factor);
    }
    for (int d = 0; d < 3 && (skeleton->sizes.exact || !numbers); d++) {
        const uint64_t size = skeleton->sizes.global[d];
        if (!known[d] && (!d || size != skeleton->sizes.global[d - 1]))
            add_factor(
                fit, &(struct size_factor){{size, size}, {size, size}, {0, 0}, SQUARE_LIKELY, false, false});
    }
}

/* Both orders of the numbers: the first is kept, unless the second alone shows accesses outside, and does as
 * much. */
static void fit(struct fitting *fitting, const struct scenario *scenario, const char *file)
{
    struct fitting fittings[NUMBER_ORDERS];
    struct size_fit sizes = {.whole = fitting->skeleton.sizes.whole};
    struct buffer_trials trials[NUMBER_ORDERS];
    bool fine = true;
    for (size_t c = 0; c < NUMBER_ORDERS; c++) {
        fitting_init(&fittings[c], &fitting->skeleton);
        choose_numbers(&fittings[c].skeleton, (enum number_order)c);
        trials[c] = trials_of(&fittings[c].skeleton, scenario, file);
        fine = fine && buffer_trial_run(&trials[c], &sizes.trial[c]);
        const bool same = c && memcmp(fittings[c].skeleton.numbers, fittings[0].skeleton.numbers,
                                      sizeof fittings[c].skeleton.numbers) == 0;
        if (fine && !same && sizes.trial[c].idle.count <= sizes.trial[0].idle.count)
            sizes.choice_count = c + 1;
        sizes.elements[c] = fittings[c].elements;
    }
    sizes.trials = trials;
    if (!sizes.choice_count) /* the run that follows says why */
        for (size_t i = 0; i < fitting->skeleton.info->arg_count; i++)
            fittings[0].elements[i] =
                fitting->skeleton.info->args[i].kind == ARG_LOCAL ? trials[0].local : sizes.whole;
    find_factors(fittings, &sizes);
    buffer_sizes_fit(&sizes);
    const size_t chosen = sizes.choice_count > 1 && sizes.leaves[1] && !sizes.leaves[0];
    fitting_fini(fitting);
    *fitting = fittings[chosen];
    fitting->leaves = sizes.leaves[chosen];
    if (sizes.choice_count) {
        fitting->idle = sizes.trial[chosen].idle;
        sizes.trial[chosen].idle.lines = NULL;
    }
    fitting_fini(&fittings[!chosen]);
    for (size_t c = 0; c < NUMBER_ORDERS; c++)
        buffer_trial_fini(&sizes.trial[c]);
}

/* The instructions that run when whole numbers are as large as the launch, but for those of `ones`; 0: it
 * does not end. */
static uint64_t executed_with(const struct skeleton *skeleton, uint32_t ones, const struct scenario *scenario,
                              const char *file)
{
    struct fitting fitting;
    struct buffer_trial trial;
    fitting_init(&fitting, skeleton);
    fitting.skeleton.ones = ones;
    const struct buffer_trials trials = trials_of(&fitting.skeleton, scenario, file);
    uint64_t most = 1;
    for (int d = 0; d < 3; d++)
        most = skeleton->sizes.global[d] > most ? skeleton->sizes.global[d] : most;
    for (size_t i = 0; i < 32; i++)
        fitting.skeleton.numbers[i] = skeleton->sizes.global[0];
    for (size_t i = 0; i < skeleton->info->arg_count; i++)
        fitting.elements[i] = skeleton->info->args[i].kind == ARG_LOCAL ? trials.local : 2 * most * most;
    const uint64_t executed =
        buffer_trial_measure(&trials, fitting.elements, &trial) ? trial.idle.executed : 0;
    buffer_trial_fini(&trial);
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

/* Keeps the better of two: more lines run, or as many with all accesses inside, and not for less work. */
static void keep_better(struct fitting *best, struct fitting *other)
{
    const bool more = other->idle.count < best->idle.count;
    const bool inside = best->leaves && !other->leaves && other->idle.count == best->idle.count;
    const bool better = other->idle.lines && (more || inside) && other->idle.executed >= best->idle.executed;
    struct fitting *worse = better ? best : other;
    fitting_fini(worse);
    if (better)
        *best = *other;
}

/* The numbers that are neither limits of ids nor of counters: places, say, which have to be inside. */
static uint32_t places_of(const struct skeleton *skeleton)
{
    const struct kernel_shape *shape = skeleton->shape;
    return whole_arguments(skeleton->info) & ~(shape->limits | shape->shared | shape->counts |
                                               shape->strides | shape->divisors | shape->unread);
}

/* While lines do not run, each whole number in turn is 1, or 0; while accesses leave buffers, each place. */
static void reach_lines(struct fitting *best, const struct scenario *scenario, const char *file)
{
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t argument = UINT32_C(1) << i / 2, whole = best->idle.count
                                                                    ? whole_arguments(best->skeleton.info)
                                                                : best->leaves ? places_of(&best->skeleton)
                                                                               : 0;
        struct fitting other;
        if (!(whole & argument) || (best->skeleton.ones | best->skeleton.zeros) & argument)
            continue;
        fitting_init(&other, &best->skeleton);
        *(i % 2 ? &other.skeleton.zeros : &other.skeleton.ones) |= argument;
        fit(&other, scenario, file);
        keep_better(best, &other);
    }
}

/* Elements up to the last that is accessed in any buffer when whole numbers are so large; 0: it does not
 * end. */
static uint64_t reached_with(const struct skeleton *skeleton, uint64_t whole, const struct scenario *scenario,
                             const char *file)
{
    struct skeleton large = *skeleton;
    struct buffer_trial trial;
    uint64_t most = 0;
    for (size_t i = 0; i < 32; i++)
        large.numbers[i] = whole;
    const struct buffer_trials trials = trials_of(&large, scenario, file);
    const bool fine = buffer_trial_run(&trials, &trial);
    for (size_t i = 0; i < skeleton->info->arg_count && fine; i++)
        if (skeleton->info->args[i].kind == ARG_GLOBAL && trial.elements[i] > most)
            most = trial.elements[i];
    buffer_trial_fini(&trial);
    return most;
}

/* Work-items that do several elements each: n is less than all of these, if it limits them. */
static void widen_ids(struct skeleton *skeleton, const struct scenario *scenario, const char *file)
{
    struct launch_sizes *sizes = &skeleton->sizes;
    const struct kernel_shape *shape = skeleton->shape;
    const uint32_t numbers = numbers_in(skeleton);
    const bool fits = dimensions_of(sizes) == 1 && numbers && !(numbers & (numbers - 1)) &&
                      numbers & shape->limits && !(numbers & (shape->item_limits | shape->group_limits));
    const uint64_t items = sizes->global[0],
                   all = fits ? reached_with(skeleton, MANY * items, scenario, file) : 0;
    if (all % items || all / items < 2 || all / items >= MANY)
        return;
    const uint64_t less = fewer(all, 1);
    if (reached_with(skeleton, less, scenario, file) == all)
        return; /* something else limits them */
    sizes->ids[0] = all;
    sizes->whole = less;
}

static void fit_groups(const struct skeleton *skeleton, const struct group_plan *plan,
                       const struct scenario *scenario, const char *file, struct fitting *out_fitting)
{
    struct skeleton *fitted = &out_fitting->skeleton;
    const struct device_config *device = &scenario->device;
    fitting_init(out_fitting, skeleton);
    fitted->sizes = sizes_of(skeleton->info, skeleton->shape, device, plan, 0);
    fitted->ones = lower_bounds(fitted, scenario, file);
    fitted->sizes = sizes_of(skeleton->info, skeleton->shape, device, plan, fitted->ones);
    fitted->in_group = plan->in_group;
    widen_ids(fitted, scenario, file);
    fit(out_fitting, scenario, file);
    reach_lines(out_fitting, scenario, file);
}

static bool is_any_group(const struct skeleton *skeleton)
{
    return skeleton->info->required_size[0] || skeleton->shape->any_group || !skeleton->shape->local_ids;
}

/* Work-groups of one dimension that the kernel may have been written for, the likeliest first. */
static size_t plan_rows(const struct skeleton *skeleton, uint64_t most, struct group_plan *out_plans)
{
    const struct kernel_shape *shape = skeleton->shape;
    const uint64_t tested = shape->tested_items, array = items_of(shape->array_items);
    const bool any = is_any_group(skeleton);
    size_t count = 0;
    out_plans[count++] = (struct group_plan){!any && tested > ITEMS && tested <= most ? tested : ITEMS, 1, 0};
    if (!any && array > 1 && array <= most && (array > out_plans[0].width || (array < ITEMS && !tested)))
        out_plans[count++] = (struct group_plan){array, 1, 0};
    return count;
}

/* Likewise of two. */
static size_t plan_tiles(const struct skeleton *skeleton, uint64_t most, struct group_plan *out_plans)
{
    const uint64_t array = items_of(skeleton->shape->array_items);
    const bool any = is_any_group(skeleton) || skeleton->shape->tile > 1;
    size_t count = 0;
    out_plans[count++] = (struct group_plan){8, 8, 0};
    if (!any && most >= 256)
        out_plans[count++] = (struct group_plan){16, 16, 0};
    if (!any && array >= 16 && array <= most)
        out_plans[count++] = (struct group_plan){array, 1, 0};
    return count;
}

static size_t plan_groups(const struct skeleton *skeleton, const struct device_config *device,
                          struct group_plan out_plans[PLANS_MOST])
{
    const struct kernel_shape *shape = skeleton->shape;
    const uint64_t most = device->max_work_group_size ? device->max_work_group_size : ITEMS;
    size_t count =
        shape->dimensions == 2 ? plan_tiles(skeleton, most, out_plans) : plan_rows(skeleton, most, out_plans);
    const struct group_plan first = out_plans[0];
    for (uint64_t times = 1; times <= 2 && shape->item_limits; times++)
        out_plans[count++] =
            (struct group_plan){first.width, first.height, times * first.width * first.height};
    return count;
}

/* The first plan with which nothing is found, or the least: a kernel that is right for one is right. */
static void fit_best(const struct skeleton *skeleton, const struct scenario *scenario, const char *file,
                     struct fitting *out_best)
{
    struct group_plan plans[PLANS_MOST];
    const size_t count = plan_groups(skeleton, &scenario->device, plans);
    size_t least = SIZE_MAX;
    fit_groups(skeleton, &plans[0], scenario, file, out_best);
    for (size_t i = 0; i < count && count > 1 && least; i++) {
        struct fitting fitting;
        if (i)
            fit_groups(skeleton, &plans[i], scenario, file, &fitting);
        struct fitting *tried = i ? &fitting : out_best;
        const struct buffer_trials trials = trials_of(&tried->skeleton, scenario, file);
        const size_t found = buffer_trial_findings(&trials, tried->elements);
        if (i)
            fitting_fini(found < least ? out_best : &fitting);
        if (i && found < least)
            *out_best = fitting;
        least = found < least ? found : least;
    }
}

static char *name_numbers(const struct skeleton *skeleton)
{
    char *text = NULL;
    size_t size = 0, shown = 0;
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; stream && i < skeleton->info->arg_count; i++) {
        const struct kernel_arg *arg = &skeleton->info->args[i];
        const struct element element = element_of(arg);
        if (arg->kind != ARG_VALUE || !element.known || element.width != 1 || !is_whole(element.type))
            continue;
        fputs(shown++ ? ", " : "", stream);
        if (*arg->name)
            fputs(arg->name, stream);
        else
            fprintf(stream, "argument %zu", i);
        fprintf(stream, " = %" PRIu64, whole_of(skeleton, i));
    }
    if (!stream || fclose(stream) != 0)
        tools_no_memory();
    return text;
}

static enum status print_fitted(FILE *stream, const struct skeleton *skeleton,
                                const struct scenario *scenario, struct skeleton_request *request,
                                struct diagnosis *diagnosis)
{
    struct fitting best;
    fit_best(skeleton, scenario, request->file, &best);
    const enum status status =
        print_scenario(stream, &best.skeleton, request->source, best.elements, diagnosis);
    request->notes = (struct skeleton_notes){best.idle.lines, name_numbers(&best.skeleton)};
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
    const struct skeleton skeleton = {.info = info, .shape = &shape};
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

void skeleton_notes_fini(struct skeleton_notes *notes)
{
    free(notes->idle_lines);
    free(notes->numbers);
    *notes = (struct skeleton_notes){NULL, NULL};
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
