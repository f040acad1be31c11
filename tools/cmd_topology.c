/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery topology`: prints a topology as a tree, draws it, and lists what every partition scheme would give.
 * --partition applies steps in turn ("numa@1/equally:2"): a step divides the units at hand, and @N continues
 * with part N of it. The functions are those of clCreateSubDevices.
 */
#include "tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology_print.h"

struct topology_arguments {
    struct settings settings;
    const char *what, *svg, *partition;
    bool presets;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct topology_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->settings; return 0;
    case 'g': arguments->svg = argument; return 0;
    case 'p': arguments->partition = argument; return 0;
    case 'l': arguments->presets = true; return 0;
    case ARGP_KEY_ARG:
        if (arguments->what)
            argp_error(state, "found '%s' after '%s', expected one topology: quote it, as in 'numa:2 cu:4'",
                       argument, arguments->what);
        arguments->what = argument;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- units ---------------------------------------------------------------------------- */

/* "0-3,8" */
static void print_units(const struct unit_set *set)
{
    for (uint32_t i = 0, last; i < set->count; i = last + 1) {
        for (last = i; last + 1 < set->count && set->units[last + 1] == set->units[last] + 1;)
            last++;
        printf("%s%" PRIu32, i ? "," : "", set->units[i]);
        if (last > i)
            printf("-%" PRIu32, set->units[last]);
    }
}

static bool every_unit(const struct topology *topology, struct unit_set *out_set)
{
    *out_set = (struct unit_set){topology->compute_units, calloc(topology->compute_units, sizeof(uint32_t))};
    for (uint32_t i = 0; out_set->units && i < out_set->count; i++)
        out_set->units[i] = i;
    return out_set->units != NULL;
}

/* ---- one partition, by name ---------------------------------------------------- */

enum { NUMBERS_MAX = TOPOLOGY_UNITS_MAX };

/* "1,2,3" up to the end of the text. */
static bool read_numbers(const char *text, int64_t *numbers, size_t *out_count)
{
    char *end;
    *out_count = 0;
    for (;; text = end + 1) {
        errno = 0;
        numbers[*out_count] = strtoll(text, &end, 10);
        if (end == text || errno || ++*out_count == NUMBERS_MAX)
            return false;
        if (!*end)
            return true;
        if (*end != ',')
            return false;
    }
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool find_level(const char *name, enum topology_level *out_level)
{
    int level = TOPOLOGY_PACKAGE;
    while (level < TOPOLOGY_LEVEL_COUNT && strcmp(name, topology_level_name((enum topology_level)level)) != 0)
        level++;
    *out_level = (enum topology_level)level;
    return level < TOPOLOGY_LEVEL_COUNT;
}

/* A step: "equally:N", "counts:A,B", "names:A,B", "next", or the name of a level. False: none of these. */
static bool split(const struct topology *topology, const struct unit_set *parent, const char *step,
                  enum partition_result *out_result, struct partition *out_partition)
{
    int64_t numbers[NUMBERS_MAX];
    size_t count = 0;
    enum topology_level level;
    const char *colon = strchr(step, ':');
    if (colon && !read_numbers(colon + 1, numbers, &count))
        return false;
    if (starts_with(step, "equally:") && count == 1 && numbers[0] >= 0)
        *out_result = partition_equally(parent, (uint64_t)numbers[0], out_partition);
    else if (starts_with(step, "counts:"))
        *out_result = partition_by_counts(parent, numbers, count, parent->count, out_partition);
    else if (starts_with(step, "names:"))
        *out_result = partition_by_names(parent, numbers, count, out_partition);
    else if (strcmp(step, "next") == 0)
        *out_result = partition_next(topology, parent, &level, out_partition);
    else if (!colon && find_level(step, &level))
        *out_result = partition_by_level(topology, parent, level, out_partition);
    else
        return false;
    return true;
}

static const char *result_words(enum partition_result result)
{
    switch (result) {
    case PARTITION_BAD_VALUE:
        return "refused: a part of no units, or a unit that is not there or named twice";
    case PARTITION_BAD_COUNT: return "refused: more units than there are, or a count below 1";
    case PARTITION_IMPOSSIBLE: return "impossible";
    default: return "no memory";
    }
}

/* The parts of a step become partition; with more steps, the chosen part becomes the parent. */
struct topology_walk {
    const struct topology *topology;
    struct unit_set parent;
    struct partition partition;
};
enum walk_result { WALK_ON, WALK_REFUSED, WALK_WRONG };

static enum walk_result take_step(struct topology_walk *walk, const char *step)
{
    enum partition_result result = PARTITION_NO_MEMORY;
    partition_fini(&walk->partition);
    if (!split(walk->topology, &walk->parent, step, &result, &walk->partition)) {
        tools_message("error: found '%s', expected equally:N, counts:N,N..., names:N,N..., next or a level",
                      step);
        return WALK_WRONG;
    }
    if (result == PARTITION_OK)
        return WALK_ON;
    puts(result_words(result));
    return WALK_REFUSED;
}

static enum walk_result enter(struct topology_walk *walk, const char *number)
{
    unsigned long chosen = strtoul(number, NULL, 10);
    if (chosen >= walk->partition.count) {
        tools_message("error: there is no part %lu of %" PRIu32, chosen, walk->partition.count);
        return WALK_WRONG;
    }
    unit_set_fini(&walk->parent);
    walk->parent = walk->partition.sets[chosen];
    walk->partition.sets[chosen] = (struct unit_set){0};
    return WALK_ON;
}

static enum walk_result take_steps(struct topology_walk *walk, char *steps)
{
    enum walk_result result = WALK_ON;
    for (char *step; result == WALK_ON && (step = strsep(&steps, "/")) != NULL;) {
        char *at = strchr(step, '@');
        if (at)
            *at++ = '\0';
        result = take_step(walk, step);
        if (result == WALK_ON && steps)
            result = enter(walk, at ? at : "0");
    }
    return result;
}

/* "numa@1/equally:2": the second node, in parts of two. Prints the parts of the last step, a line each. */
static int ask(const struct topology *topology, const char *question)
{
    struct topology_walk walk = {.topology = topology};
    char *steps = strdup(question);
    if (!steps || !every_unit(topology, &walk.parent)) {
        free(steps);
        return EXIT_FAILED;
    }
    enum walk_result result = take_steps(&walk, steps);
    for (uint32_t i = 0; result == WALK_ON && i < walk.partition.count; i++) {
        print_units(&walk.partition.sets[i]);
        putchar('\n');
    }
    partition_fini(&walk.partition);
    unit_set_fini(&walk.parent);
    free(steps);
    return result == WALK_WRONG ? EXIT_USAGE : 0;
}

/* ---- every scheme --------------------------------------------------------------------------- */

enum { PARTS_SHOWN = 8 };

static void print_partition(const char *call, enum partition_result result, struct partition *partition)
{
    printf("  %-52s ", call);
    if (result != PARTITION_OK) {
        printf("%s\n", result_words(result));
        return;
    }
    printf("%" PRIu32 ": ", partition->count);
    for (uint32_t i = 0; i < partition->count && i < PARTS_SHOWN; i++) {
        fputs(i ? " | " : "", stdout);
        print_units(&partition->sets[i]);
    }
    puts(partition->count > PARTS_SHOWN ? " | ..." : "");
    partition_fini(partition);
}

static void print_parts_of(const struct unit_set *all, uint32_t units)
{
    struct partition partition;
    char call[64];
    snprintf(call, sizeof call, "EQUALLY, %" PRIu32, units);
    enum partition_result result = partition_equally(all, units, &partition);
    print_partition(call, result, &partition);
}

/* 1, 2, 4 ... and half of the units: more of them make one part. */
static void print_equally(const struct unit_set *all)
{
    uint32_t half = all->count / 2;
    for (uint32_t units = 1; units < half; units *= 2)
        print_parts_of(all, units);
    if (half)
        print_parts_of(all, half);
}

static void print_counts(const struct unit_set *all)
{
    struct partition partition;
    char call[64];
    int64_t counts[2] = {1, (int64_t)all->count - 1};
    if (all->count < 2)
        return;
    snprintf(call, sizeof call, "BY_COUNTS, 1, %" PRId64 ", 0", counts[1]);
    enum partition_result result = partition_by_counts(all, counts, 2, all->count, &partition);
    print_partition(call, result, &partition);
}

static void print_levels(const struct topology *topology, const struct unit_set *all)
{
    static const struct {
        enum topology_level level;
        const char *call;
    } calls[] = {
        {TOPOLOGY_NUMA, "BY_AFFINITY_DOMAIN, NUMA"},   {TOPOLOGY_L4, "BY_AFFINITY_DOMAIN, L4_CACHE"},
        {TOPOLOGY_L3, "BY_AFFINITY_DOMAIN, L3_CACHE"}, {TOPOLOGY_L2, "BY_AFFINITY_DOMAIN, L2_CACHE"},
        {TOPOLOGY_L1, "BY_AFFINITY_DOMAIN, L1_CACHE"},
    };
    struct partition partition;
    char call[64];
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        enum partition_result result = partition_by_level(topology, all, calls[i].level, &partition);
        print_partition(calls[i].call, result, &partition);
    }
    enum topology_level level = TOPOLOGY_MACHINE;
    enum partition_result result = partition_next(topology, all, &level, &partition);
    snprintf(call, sizeof call, "BY_AFFINITY_DOMAIN, NEXT_PARTITIONABLE%s%s%s",
             result == PARTITION_OK ? " (" : "", result == PARTITION_OK ? topology_level_name(level) : "",
             result == PARTITION_OK ? ")" : "");
    print_partition(call, result, &partition);
}

static void print_rest(const struct topology *topology, const struct unit_set *all)
{
    struct partition partition;
    int64_t names[2] = {0, (int64_t)all->count - 1};
    char call[64];
    snprintf(call, sizeof call,
             all->count > 1 ? "BY_NAMES_INTEL, 0, %" PRId64 ", -1" : "BY_NAMES_INTEL, %" PRId64 ", -1",
             names[1]);
    enum partition_result result = partition_by_names(all, names, all->count > 1 ? 2 : 1, &partition);
    print_partition(call, result, &partition);
    if (topology_node_of(topology, 0, TOPOLOGY_CSLICE)) {
        result = partition_by_level(topology, all, TOPOLOGY_CSLICE, &partition);
        print_partition("cslices", result, &partition);
    }
}

static bool describe(const struct topology *topology)
{
    struct unit_set all;
    if (!every_unit(topology, &all))
        return false;
    topology_print(topology, stdout);
    puts("");
    topology_print_tree(topology, stdout);
    puts("partitions: the call, how many sub-devices, their compute units");
    print_equally(&all);
    print_counts(&all);
    print_levels(topology, &all);
    print_rest(topology, &all);
    unit_set_fini(&all);
    return true;
}

/* ---- command ------------------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool may_write_svg(const char *path, bool force)
{
    struct diagnosis diagnosis = {0};
    if (report_output_check("svg", path, "<svg xmlns=", force, &diagnosis) == STATUS_OK)
        return true;
    tools_message_diagnosis(&diagnosis);
    return false;
}

static bool write_svg(const struct topology *topology, const char *path, bool force)
{
    errno = 0;
    FILE *stream = report_output_open(path, "w", force);
    bool fine = stream && topology_print_svg(topology, stream);
    fine = stream && fclose(stream) == 0 && fine;
    if (!fine)
        tools_message("error: %s cannot be written%s%s", path, errno ? ": " : "",
                      errno ? strerror(errno) : "");
    return fine;
}

static int show(const struct topology_arguments *arguments, const struct scenario *scenario)
{
    const bool force = scenario->force_files;
    if (arguments->partition)
        return ask(&scenario->device.topology, arguments->partition);
    if (arguments->svg && !may_write_svg(arguments->svg, force))
        return EXIT_USAGE;
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++) {
        const struct device_config *device = scenario_root(scenario, i);
        if (scenario_root_count(scenario) > 1)
            printf("%sdevice %" PRIu32 "%s%s\n", i ? "\n" : "", i, device->name ? ": " : "",
                   device->name ? device->name : "");
        if (!describe(&device->topology))
            return EXIT_FAILED;
    }
    return !arguments->svg || write_svg(&scenario->device.topology, arguments->svg, force) ? 0 : EXIT_USAGE;
}

static int list_presets(void)
{
    const char *name, *text, *help;
    for (size_t i = 0; (name = topology_preset(i, &text, &help)) != NULL; i++)
        printf("%-14s %s\n%-14s %s\n", name, help, "", text);
    return 0;
}

/* The argument is a scenario, a file of hwloc's, or what --topology takes. */
static bool load(struct topology_arguments *arguments, struct scenario *out_scenario)
{
    const char *what = arguments->what;
    struct diagnosis diagnosis = {0};
    char *xml = NULL;
    bool yaml = what && (ends_with(what, ".yaml") || ends_with(what, ".yml"));
    if (!settings_load(&arguments->settings, yaml ? what : NULL, out_scenario))
        return false;
    if (!what || yaml)
        return true;
    if (ends_with(what, ".xml") && !starts_with(what, "xml:") && asprintf(&xml, "xml:%s", what) < 0)
        return false;
    bool fine = scenario_apply_option(out_scenario, "topology", xml ? xml : what, &diagnosis) == STATUS_OK;
    if (!fine) {
        tools_message_diagnosis(&diagnosis);
        scenario_fini(out_scenario);
    }
    free(xml);
    return fine;
}

int cmd_topology(int argc, char **argv)
{
    struct topology_arguments arguments = {.what = NULL};
    const struct argp_option options[] = {
        {"svg", 'g', "FILE", 0, "draw the tree into FILE", 0},
        {"partition", 'p', "STEPS", 0, "only the parts of one partition: \"numa@1/equally:2\"", 0},
        {"list-presets", 'l', NULL, 0, "the presets and what they stand for", 0},
        {NULL, 0, NULL, 0, NULL, 0},
    };
    const struct argp_child children[] = {{settings_argp(), 0, NULL, 0}, {NULL, 0, NULL, 0}};
    const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[TOPOLOGY|PRESET|FILE.xml|FILE.yaml]",
        .doc = "Shows the tree of a topology, and for every partition scheme what it would give.",
        .children = children,
    };
    struct scenario scenario;
    if (arguments_parse(&argp, argc, argv, &arguments) != 0)
        return EXIT_USAGE;
    if (arguments.presets)
        return list_presets();
    if (!load(&arguments, &scenario))
        return EXIT_USAGE;
    int code = show(&arguments, &scenario);
    scenario_fini(&scenario);
    return code;
}
