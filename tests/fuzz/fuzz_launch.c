/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/compiler.h"
#include "orrery/device.h"
#include "orrery/image.h"
#include "orrery/memory.h"
#include "sim/device/device_state.h"

enum { IMAGE_EDGE = 4, TEXEL_BYTES_MOST = 16, LOCAL_BYTES = 128 };
_Static_assert(IMAGE_EDGE *IMAGE_EDGE *IMAGE_EDGE *TEXEL_BYTES_MOST <= LAUNCH_BUFFER_BYTES,
               "images fit in what buffers have");

struct argument {
    uint64_t address; /* of its memory; 0: none */
    union {
        uint64_t number;
        struct image_desc image;
        uint8_t *value;
    } is;
};

static void swallow(void *self, const char *text, size_t size)
{
    (void)text;
    *(size_t *)self += size;
}

static void describe_image(const struct kernel_arg *arg, uint64_t address, uint32_t seed,
                           struct image_desc *out)
{
    static const uint32_t formats[] = {0, 3, 7, 12, 20, 30};
    const struct image_format *format = image_format_at((formats[seed % 6] + seed / 6) % 40);
    const uint32_t dimensions = image_dimensions(arg->image_type) + image_is_array(arg->image_type);
    *out = (struct image_desc){.format = format ? format : image_format_at(0),
                               .type = arg->image_type,
                               .levels = 1,
                               .address = address,
                               .id = 1};
    struct image_level *level = &out->level[0];
    for (uint32_t i = 0; i < 3; i++)
        level->size[i] = i < dimensions ? IMAGE_EDGE : 1;
    level->pitch[0] = (uint64_t)IMAGE_EDGE * out->format->texel_bytes;
    level->pitch[1] = level->pitch[0] * (image_dimensions(arg->image_type) == 1 ? 1 : IMAGE_EDGE);
}

static bool has_memory(const struct kernel_arg *arg)
{
    return arg->kind == ARG_GLOBAL || arg->kind == ARG_CONSTANT || arg->kind == ARG_IMAGE;
}

static void make_argument(struct device *device, const struct kernel_arg *arg, uint32_t seed,
                          struct argument *argument, struct launch_arg *out_value)
{
    uint8_t pattern[LAUNCH_BUFFER_BYTES];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i % 4 ? 0 : i / 4 * (seed | 1) % 61);
    *argument = (struct argument){0};
    if (has_memory(arg) &&
        device_alloc(device, sizeof pattern, 0, 0, "buffer", &argument->address) == STATUS_OK)
        device_write(device, 1, argument->address, pattern, sizeof pattern);
    *out_value = (struct launch_arg){&argument->is, sizeof argument->is.number, 0, 0};
    switch (arg->kind) {
    case ARG_VALUE:
        argument->is.value = calloc(1, arg->size + 1);
        if (!argument->is.value)
            exit(99);
        memcpy(argument->is.value, pattern + 4,
               arg->size < sizeof pattern - 4 ? arg->size : sizeof pattern - 4);
        *out_value = (struct launch_arg){argument->is.value, arg->size, 0, 0};
        break;
    case ARG_IMAGE:
        describe_image(arg, argument->address, seed, &argument->is.image);
        out_value->size = sizeof argument->is.image;
        break;
    case ARG_LOCAL: argument->is.number = LOCAL_BYTES; break;
    case ARG_SAMPLER:
        argument->is.number = sampler_pack(&(struct sampler){.addressing = seed % 5, .linear = seed & 8});
        break;
    default: argument->is.number = argument->address;
    }
}

static void see_argument(struct device *device, const struct argument *argument, struct launch_seen *seen)
{
    if (!argument->address)
        return;
    const struct region *region = memory_region(&device->arena.memory, argument->address);
    const size_t at = seen->buffers++;
    for (size_t i = 0; region && i < LAUNCH_BUFFER_BYTES; i++)
        seen->valid[at][i] = !region->valid || memory_range_valid(region, argument->address + i, 1);
    device_read(device, 3, argument->address, seen->bytes[at], LAUNCH_BUFFER_BYTES);
}

static bool run_kernel(struct device *device, const struct kernel *kernel, const struct launch_shape *shape,
                       struct launch_seen *seen)
{
    const struct kernel_info *info = kernel_info(kernel);
    struct argument arguments[LAUNCH_ARGS] = {0};
    struct launch_arg values[LAUNCH_ARGS];
    struct diagnosis diagnosis = {0};
    if (info->arg_count > LAUNCH_ARGS)
        return false;
    for (size_t i = 0; i < info->arg_count; i++)
        make_argument(device, &info->args[i], shape->seed, &arguments[i], &values[i]);
    struct launch_request request = {.kernel = kernel,
                                     .command = 2,
                                     .work_dim = 2,
                                     .global_size = {shape->global[0], shape->global[1], 1},
                                     .local_size = {shape->local[0], shape->local[1], 1},
                                     .args = values,
                                     .arg_count = info->arg_count};
    for (int i = 0; i < 3 && info->required_size[0]; i++)
        request.local_size[i] = request.global_size[i] = info->required_size[i];
    const enum status status = device_launch(device, &request, &diagnosis);
    const bool done = status == STATUS_OK;
    for (size_t i = 0; i < info->arg_count; i++) {
        if (seen)
            see_argument(device, &arguments[i], seen);
        if (arguments[i].address)
            device_release(device, arguments[i].address);
        if (info->args[i].kind == ARG_VALUE)
            free(arguments[i].is.value);
    }
    if (seen)
        seen->refused = status == STATUS_UNSUPPORTED || status == STATUS_OUT_OF_RESOURCES;
    return done && !info->required_size[0];
}

void launch_all(const uint32_t *words, size_t count, struct scenario *scenario,
                const struct launch_shape *shape, struct launch_seen *out_seen)
{
    struct device *device;
    struct program *program;
    struct diagnosis diagnosis = {0};
    size_t printed = 0;
    struct report *report = report_new(scenario);
    report_set_stream(report, NULL, false);
    if (device_new(scenario, report, &device, &diagnosis) != STATUS_OK)
        abort();
    device_set_printf(device, swallow, &printed);
    struct program_request request = {.words = words,
                                      .word_count = count,
                                      .source_name = "fuzz.cl",
                                      .source_text = "1\n2\n3\n",
                                      .unoptimised = shape->unoptimised};
    if (program_load(device, &request, &program, &diagnosis) == STATUS_OK) {
        for (size_t k = 0; k < program_kernel_count(program) && k < LAUNCH_KERNELS; k++) {
            struct launch_seen *seen = out_seen ? &out_seen[k] : NULL;
            const bool done = run_kernel(device, program_kernel(program, k), shape, seen);
            if (!seen)
                continue;
            seen->printed = printed;
            seen->clean = done && report_count(report) == 0;
        }
        program_release(program);
    }
    device_free(device);
    report_free(report);
}

static bool differs(const struct launch_seen *first, const struct launch_seen *second)
{
    for (size_t i = 0; i < first->buffers; i++)
        for (size_t j = 0; j < LAUNCH_BUFFER_BYTES; j++)
            if (first->valid[i][j] && first->bytes[i][j] != second->bytes[i][j]) {
                fprintf(stderr, "byte %zu of buffer %zu is 0x%02x, then 0x%02x\n", j, i, first->bytes[i][j],
                        second->bytes[i][j]);
                return true;
            }
    return first->printed != second->printed;
}

int launch_differs(const struct launch_seen *first, const struct launch_seen *second)
{
    for (int k = 0; k < LAUNCH_KERNELS && first[k].clean; k++)
        if (!second[k].refused && differs(&first[k], &second[k]))
            return k;
    return -1;
}
