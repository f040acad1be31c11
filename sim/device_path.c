/* SPDX-License-Identifier: Apache-2.0 */
#include "device_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const char *text, *at;
    struct diagnosis *diagnosis;
    const struct device_config *config; /* NULL: only the text is looked at */
    struct unit_set units;              /* of the device so far */
};

static enum status complain(const struct walk *walk, const char *at, const char *what)
{
    return diagnose(walk->diagnosis, STATUS_BAD_SCENARIO, "device \"%s\", character %td: %s", walk->text,
                    at - walk->text + 1, what);
}

static enum status no_memory(const struct walk *walk)
{
    return diagnose(walk->diagnosis, STATUS_OUT_OF_MEMORY, "out of host memory");
}

/* ---- the text ----------------------------------------------------------------------- */

static enum status take_number(struct walk *walk, uint32_t *out_number)
{
    const char *start = walk->at;
    uint64_t number = 0;
    while (isdigit((unsigned char)*walk->at) && number <= UINT32_MAX)
        number = number * 10 + (uint64_t)(*walk->at++ - '0');
    *out_number = (uint32_t)number;
    return walk->at > start && number <= UINT32_MAX ? STATUS_OK : complain(walk, start, "expected a number");
}

static enum status take_sign(struct walk *walk, char sign)
{
    char what[] = "expected ' '";
    what[10] = sign;
    if (*walk->at != sign)
        return complain(walk, walk->at, what);
    walk->at++;
    return STATUS_OK;
}

struct values { size_t count; int64_t *list; };

/* "(3,1,4)" */
static enum status take_values(struct walk *walk, struct values *out_values)
{
    uint32_t number;
    *out_values = (struct values){0, malloc((strlen(walk->at) + 1) * sizeof *out_values->list)};
    if (!out_values->list)
        return no_memory(walk);
    enum status status = take_sign(walk, '(');
    for (bool more = true; more && !status; walk->at += more) {
        status = take_number(walk, &number);
        out_values->list[out_values->count++] = number;
        more = !status && *walk->at == ',';
    }
    return status ? status : take_sign(walk, ')');
}

/* ---- parts ---------------------------------------------------------------------------- */

/* The device becomes its part of that index. */
static enum status choose(struct walk *walk, const char *at, enum partition_result result,
                          struct partition *parts, uint32_t index)
{
    enum status status = STATUS_OK;
    if (result == PARTITION_NO_MEMORY)
        status = no_memory(walk);
    else if (result == PARTITION_IMPOSSIBLE)
        status = complain(walk, at, "that does not divide the device");
    else if (result != PARTITION_OK)
        status = complain(walk, at, "the device has no such units");
    else if (index >= parts->count)
        status = diagnose(walk->diagnosis, STATUS_BAD_SCENARIO,
                          "device \"%s\", character %td: part %u, but there are %u, from 0", walk->text,
                          at - walk->text + 1, index, parts->count);
    if (!status) {
        struct unit_set chosen = parts->sets[index];
        parts->sets[index] = walk->units;
        walk->units = chosen;
    }
    partition_fini(parts);
    return status;
}

static enum partition_result split_next(const struct walk *walk, struct partition *out_parts)
{
    enum topology_level level;
    return partition_next(&walk->config->topology, &walk->units, &level, out_parts);
}

static enum partition_result split_cslices(const struct walk *walk, struct partition *out_parts)
{
    return partition_by_cslice(&walk->config->topology, &walk->units, walk->config->cslice_seed, out_parts);
}

/* What a point means in the device selector. */
static enum status step_part(struct walk *walk)
{
    struct partition parts = {0};
    const char *at = walk->at;
    uint32_t index;
    enum status status = take_number(walk, &index);
    if (status || !walk->config)
        return status;
    enum partition_result result = split_cslices(walk, &parts);
    if (result == PARTITION_IMPOSSIBLE)
        result = split_next(walk, &parts);
    return choose(walk, at, result, &parts, index);
}

static enum status step_level(struct walk *walk, const char *at, enum topology_level level)
{
    struct partition parts = {0};
    uint32_t index;
    enum status status = take_sign(walk, ':');
    status = status ? status : take_number(walk, &index);
    if (status || !walk->config)
        return status;
    enum partition_result result = level == TOPOLOGY_MACHINE ? split_next(walk, &parts)
                                   : level == TOPOLOGY_CSLICE
                                       ? split_cslices(walk, &parts)
                                       : partition_by_level(&walk->config->topology, &walk->units, level, &parts);
    return choose(walk, at, result, &parts, index);
}

static enum status step_equally(struct walk *walk, const char *at, const struct values *values)
{
    struct partition parts = {0};
    uint32_t index;
    enum status status = values->count == 1 ? take_sign(walk, ':') : complain(walk, at, "expected equally(UNITS):INDEX");
    status = status ? status : take_number(walk, &index);
    if (status || !walk->config)
        return status;
    return choose(walk, at, partition_equally(&walk->units, (uint64_t)values->list[0], &parts), &parts, index);
}

static enum status step_counts(struct walk *walk, const char *at, const struct values *values)
{
    struct partition parts = {0};
    uint32_t index;
    enum status status = take_sign(walk, ':');
    status = status ? status : take_number(walk, &index);
    if (status || !walk->config)
        return status;
    enum partition_result result =
        partition_by_counts(&walk->units, values->list, values->count, walk->units.count, &parts);
    return choose(walk, at, result, &parts, index);
}

static enum status step_names(struct walk *walk, const char *at, const struct values *values)
{
    struct partition parts = {0};
    if (!walk->config)
        return STATUS_OK;
    return choose(walk, at, partition_by_names(&walk->units, values->list, values->count, &parts), &parts, 0);
}

static enum status step_list(struct walk *walk, const char *at,
                             enum status (*step)(struct walk *, const char *, const struct values *))
{
    struct values values;
    enum status status = take_values(walk, &values);
    if (!status)
        status = step(walk, at, &values);
    free(values.list);
    return status;
}

/* ---- steps ------------------------------------------------------------------------------- */

static const struct { const char *word; enum topology_level level; } levels[] = {
    {"numa", TOPOLOGY_NUMA}, {"l4", TOPOLOGY_L4}, {"l3", TOPOLOGY_L3},         {"l2", TOPOLOGY_L2},
    {"l1", TOPOLOGY_L1},     {"next", TOPOLOGY_MACHINE}, {"cslice", TOPOLOGY_CSLICE},
};
static const struct {
    const char *word;
    enum status (*step)(struct walk *walk, const char *at, const struct values *values);
} lists[] = {{"equally", step_equally}, {"counts", step_counts}, {"names", step_names}};

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static enum status step(struct walk *walk)
{
    const char *at = walk->at;
    size_t length = strcspn(at, ":(.");
    if (isdigit((unsigned char)*at))
        return step_part(walk);
    walk->at += length;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (is_word(at, length, levels[i].word))
            return step_level(walk, at, levels[i].level);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is_word(at, length, lists[i].word))
            return step_list(walk, at, lists[i].step);
    return complain(walk, at, "expected a number, numa:, l4:, l3:, l2:, l1:, next:, cslice:, equally(, counts( or names(");
}

static enum status step_root(struct walk *walk, const struct scenario *scenario, uint32_t *out_root)
{
    enum status status = take_number(walk, out_root);
    if (status || !scenario)
        return status;
    if (*out_root >= scenario_root_count(scenario))
        return complain(walk, walk->text, "there is no such root device");
    walk->config = scenario_root(scenario, *out_root);
    uint32_t count = walk->config->topology.compute_units;
    walk->units.units = malloc(count * sizeof *walk->units.units);
    if (!walk->units.units)
        return no_memory(walk);
    for (; walk->units.count < count; walk->units.count++)
        walk->units.units[walk->units.count] = walk->units.count;
    return STATUS_OK;
}

static enum status walk_path(struct walk *walk, const struct scenario *scenario, uint32_t *out_root)
{
    walk->at = walk->text;
    enum status status = step_root(walk, scenario, out_root);
    while (!status && *walk->at) {
        status = take_sign(walk, '.');
        status = status ? status : step(walk);
    }
    return status;
}

enum status device_path_check(const char *text, struct diagnosis *diagnosis)
{
    struct walk walk = {.text = text, .diagnosis = diagnosis};
    uint32_t root;
    return walk_path(&walk, NULL, &root);
}

enum status device_path_units(const struct scenario *scenario, const char *text, uint32_t *out_root,
                              struct unit_set *out_units, struct diagnosis *diagnosis)
{
    struct walk walk = {.text = text, .diagnosis = diagnosis};
    enum status status = walk_path(&walk, scenario, out_root);
    *out_units = walk.units;
    if (status) {
        unit_set_fini(out_units);
        return status;
    }
    for (uint32_t i = 0; i < out_units->count; i++)
        out_units->units[i] += walk.config->first_unit;
    return STATUS_OK;
}
