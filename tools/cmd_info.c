/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery info`: the device that options and environment describe, its limits and features, the compilers
 * that are found and their versions, and where library and .icd file are. With --yaml the settings are
 * printed as a scenario instead.
 */
#include "tools.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "orrery/compiler.h"

struct info_arguments {
    struct settings settings;
    bool yaml;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct info_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
    case 'y': arguments->yaml = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "found '%s', expected options only", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the device ------------------------------------------------------------------- */

static void print_bytes(const char *name, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    printf("  %-26s %" PRIu64 " %s\n", name, bytes, units[unit]);
}

static void print_count(const char *name, uint64_t count)
{
    printf("  %-26s %" PRIu64 "\n", name, count);
}

static void print_list(const char *name, const uint32_t *list, size_t most)
{
    printf("  %-26s", name);
    for (size_t i = 0; i < most && list[i]; i++)
        printf(" %" PRIu32, list[i]);
    putchar('\n');
}

static void print_features(const struct device_config *device)
{
    const struct {
        const char *name;
        bool on;
    } features[] = {
        {"fp16", device->fp16},
        {"fp64", device->fp64},
        {"int64-atomics", device->int64_atomics},
        {"sub-groups", device->sub_groups},
        {"svm", device->svm_coarse},
        {"il", device->il},
        {"generic-address-space", device->generic_address_space},
        {"program-scope-variables", device->program_scope_variables},
        {"work-group-collectives", device->work_group_collectives},
        {"non-uniform-groups", device->non_uniform_groups},
    };
    printf("  %-26s", "features");
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        printf("%s%s", features[i].on ? " " : "", features[i].on ? features[i].name : "");
    putchar('\n');
}

static void print_device(const struct scenario *scenario)
{
    const struct device_config *device = &scenario->device;
    static const char *const types[] = {"cpu", "gpu", "accelerator", "custom"};
    puts("device");
    printf("  %-26s %s\n", "type", types[device->type]);
    printf("  %-26s %" PRIu32 ".%" PRIu32 "\n", "OpenCL version", device->version_major,
           device->version_minor);
    print_count("compute units", device->topology.compute_units);
    print_list("sub-group sizes", device->sub_group_sizes, SCENARIO_SUB_GROUP_SIZES);
    print_count("max work-group size", device->max_work_group_size);
    print_list("max work-item sizes", device->max_work_item_sizes, 3);
    print_bytes("global memory", device->global_memory);
    print_bytes("max allocation", device->max_allocation);
    print_bytes("constant memory", device->constant_memory);
    print_bytes("local memory", device->local_memory);
    print_bytes("private memory", device->private_memory);
    print_bytes("printf buffer", device->printf_buffer);
    print_bytes("cache", device->topology.cache_bytes);
    print_bytes("cache line", device->topology.cache_line_bytes);
    print_features(device);
}

/* ---- the tools ---------------------------------------------------------------------- */

static void print_tools(void)
{
    struct library library = library_find();
    puts("tools");
    version_print_tools();
    printf("  %-26s %s\n", "OpenCL C", compiler_available() ? "available" : "not available");
    printf("  %-26s %s\n", "library", library.path ? library.path : "not found");
    printf("  %-26s %s%s\n", "icd", library.icd_directory ? library.icd_directory : "not found",
           library.icd_directory ? "/orrery.icd" : "");
    library_fini(&library);
}

int cmd_info(int argc, char **argv)
{
    struct info_arguments arguments = {.yaml = false};
    const struct argp_option options[] = {
        {"yaml", 'y', NULL, 0, "print every setting as a scenario instead", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Shows the device, its limits, the versions of the tools and where the library is.",
        .children = children,
    };
    struct scenario scenario;
    if (arguments_parse(&argp, argc, argv, &arguments) != 0 ||
        !settings_load(&arguments.settings, NULL, &scenario))
        return EXIT_USAGE;
    environment_configure_compiler();
    if (arguments.yaml) {
        scenario_print(&scenario, stdout);
    } else {
        print_device(&scenario);
        print_tools();
    }
    scenario_fini(&scenario);
    return 0;
}
