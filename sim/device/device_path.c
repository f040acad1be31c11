/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that name a device or a part of one, step by step from a root. */
#include "device_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct path_walk {
    const char *text, *at;
    struct diagnosis *diagnosis;
    const struct device_config *config; /* NULL: only the text is looked at */
    struct unit_set units;              /* of the device so far */
};

static enum status complain(const struct path_walk *walk, const char *at, const char *what)
{
    return diagnose(walk->diagnosis, STATUS_BAD_SCENARIO, "device \"%s\", character %td: %s", walk->text,
                    at - walk->text + 1, what);
}

static enum status no_memory(const struct path_walk *walk)
{
    return diagnose(walk->diagnosis, STATUS_OUT_OF_MEMORY, "out of host memory");
}

/* ---- the text ----------------------------------------------------------------------- */

static enum status take_number(struct path_walk *walk, uint32_t *out_number)
{
    const char *start = walk->at;
    uint64_t number = 0;
    while (isdigit((unsigned char)*walk->at) && number <= UINT32_MAX)
        number = number * 10 + (uint64_t)(*walk->at++ - '0');
    *out_number = (uint32_t)number;
    return walk->at > start && number <= UINT32_MAX ? STATUS_OK : complain(walk, start, "expected a number");
}

static enum status take_sign(struct path_walk *walk, char sign)
{
    char what[] = "expected ' '";
    what[10] = sign;
    if (*walk->at != sign)
        return complain(walk, walk->at, what);
    walk->at++;
    return STATUS_OK;
}

struct values {
    size_t count;
    int64_t *list;
};

/* "3,1,4" */
static enum status take_values(struct path_walk *walk, struct values *out_values)
{
    uint32_t number;
    enum status status = STATUS_OK;
    *out_values = (struct values){0, malloc((strlen(walk->at) + 1) * sizeof *out_values->list)};
    if (!out_values->list)
        return no_memory(walk);
    for (bool more = true; more && !status; walk->at += more) {
        status = take_number(walk, &number);
        out_values->list[out_values->count++] = number;
        more = !status && *walk->at == ',';
    }
    return status;
}

/* ---- parts ---------------------------------------------------------------------------- */

/* The device becomes its part of that index. */
static enum status choose(struct path_walk *walk, const char *at, enum partition_result result,
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

/* The meaning of a point in the device selector. */
static enum status step_part(struct path_walk *walk)
{
    struct partition parts = {0};
    enum topology_level level;
    const char *at = walk->at;
    uint32_t index;
    enum status status = take_number(walk, &index);
    if (status || !walk->config)
        return status;
    enum partition_result result =
        partition_by_cslice(&walk->config->topology, &walk->units, walk->config->cslice_seed, &parts);
    if (result == PARTITION_IMPOSSIBLE)
        result = partition_next(&walk->config->topology, &walk->units, &level, &parts);
    return choose(walk, at, result, &parts, index);
}

/* ---- schemes --------------------------------------------------------------------------- */

enum scheme { SCHEME_NONE, SCHEME_LEVEL, SCHEME_NEXT, SCHEME_EQUALLY, SCHEME_COUNTS, SCHEME_NAMES };

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static enum scheme find_scheme(const char *at, size_t length, enum topology_level *out_level)
{
    static const struct {
        const char *word;
        enum scheme scheme;
    } words[] = {{"next", SCHEME_NEXT},
                 {"equally", SCHEME_EQUALLY},
                 {"counts", SCHEME_COUNTS},
                 {"names", SCHEME_NAMES}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(at, length, words[i].word))
            return words[i].scheme;
    for (int level = TOPOLOGY_PACKAGE; level < TOPOLOGY_UNIT; level++)
        if (is_word(at, length, topology_level_name((enum topology_level)level))) {
            *out_level = (enum topology_level)level;
            return SCHEME_LEVEL;
        }
    return SCHEME_NONE;
}

static enum partition_result split(const struct path_walk *walk, enum scheme scheme,
                                   enum topology_level level, const struct values *values,
                                   struct partition *out_parts)
{
    const struct topology *topology = &walk->config->topology;
    switch (scheme) {
    case SCHEME_EQUALLY: return partition_equally(&walk->units, (uint64_t)values->list[0], out_parts);
    case SCHEME_COUNTS:
        return partition_by_counts(&walk->units, values->list, values->count, walk->units.count, out_parts);
    case SCHEME_NAMES: return partition_by_names(&walk->units, values->list, values->count, out_parts);
    case SCHEME_NEXT: return partition_next(topology, &walk->units, &level, out_parts);
    default:
        return level == TOPOLOGY_CSLICE
                   ? partition_by_cslice(topology, &walk->units, walk->config->cslice_seed, out_parts)
                   : partition_by_level(topology, &walk->units, level, out_parts);
    }
}

/* "counts:3,1@1" */
static enum status step_scheme(struct path_walk *walk)
{
    struct partition parts = {0};
    struct values values = {0};
    enum topology_level level = TOPOLOGY_MACHINE;
    enum status status = STATUS_OK;
    const char *at = walk->at;
    uint32_t index = 0;
    size_t length = strcspn(at, ":@/");
    enum scheme scheme = find_scheme(at, length, &level);
    if (scheme == SCHEME_NONE)
        return complain(walk, at, "expected equally:N, counts:N,N..., names:N,N..., next or a level");
    walk->at += length;
    if (scheme >= SCHEME_EQUALLY) {
        status = take_sign(walk, ':');
        status = status ? status : take_values(walk, &values);
    }
    if (!status && scheme == SCHEME_EQUALLY && values.count != 1)
        status = complain(walk, at, "expected equally:N");
    if (!status && *walk->at == '@') {
        walk->at++;
        status = take_number(walk, &index);
    }
    if (!status && walk->config)
        status = choose(walk, at, split(walk, scheme, level, &values, &parts), &parts, index);
    free(values.list);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum status step_root(struct path_walk *walk, const struct scenario *scenario, uint32_t *out_root)
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

static enum status walk_path(struct path_walk *walk, const struct scenario *scenario, uint32_t *out_root)
{
    walk->at = walk->text;
    enum status status = step_root(walk, scenario, out_root);
    while (!status && *walk->at == '.') {
        walk->at++;
        status = step_part(walk);
    }
    while (!status && *walk->at) {
        status = take_sign(walk, '/');
        status = status ? status : step_scheme(walk);
    }
    return status;
}

enum status device_path_check(const char *text, struct diagnosis *diagnosis)
{
    struct path_walk walk = {.text = text, .diagnosis = diagnosis};
    uint32_t root;
    return walk_path(&walk, NULL, &root);
}

enum status device_path_units(const struct scenario *scenario, const char *text, uint32_t *out_root,
                              struct unit_set *out_units, struct diagnosis *diagnosis)
{
    struct path_walk walk = {.text = text, .diagnosis = diagnosis};
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
