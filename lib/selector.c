/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device selector, in the form of ONEAPI_DEVICE_SELECTOR:
 *
 *     filters    filter { ; filter } filters with ! are the last and discard
 *     filter     [!] [backend :] device { , device }
 *     backend    * opencl orrery               or another one, which has no device here
 *     device     * cpu gpu fpga N N.M N.* *.* N.M.K N.M.* N.*.* *.*.*
 *
 * N is the number of a root device. Each point descends to parts: of a tile to its cslices, of another
 * device to the sub-devices of the next partitionable affinity domain.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message_stream.h"
#include "root.h"
#include "subdevice.h"

enum { DEPTH_MAX = 3 };
#define WILD UINT32_MAX

struct selector_term {
    bool by_type;
    enum device_type type;
    uint32_t depth;
    uint32_t index[DEPTH_MAX]; /* or WILD */
};

struct selection {
    const char *text; /* of the whole selector, for messages */
    const struct roots *all;
    struct roots chosen, discarded;
    bool accepts; /* a filter without ! has occurred */
    struct diagnosis *diagnosis;
};

static enum status error(const struct selection *selection, const char *at, const char *what)
{
    return diagnose(selection->diagnosis, STATUS_BAD_SCENARIO, "device selector \"%s\", character %td: %s",
                    selection->text, at - selection->text + 1, what);
}

/* ---- words ---------------------------------------------------------------------- */

static bool word_is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !strncasecmp(word, name, length);
}

static bool backend_known(const char *word, size_t length, bool *out_ours)
{
    static const struct {
        const char *name;
        bool ours;
    } backends[] = {
        {"*", true},     {"opencl", true}, {"orrery", true},      {"level_zero", false},
        {"cuda", false}, {"hip", false},   {"native_cpu", false},
    };
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (word_is(word, length, backends[i].name)) {
            *out_ours = backends[i].ours;
            return true;
        }
    return false;
}

static bool type_known(const char *word, size_t length, enum device_type *out_type)
{
    static const struct {
        const char *name;
        enum device_type type;
    } types[] = {{"cpu", DEVICE_CPU}, {"gpu", DEVICE_GPU}, {"fpga", DEVICE_ACCELERATOR}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (word_is(word, length, types[i].name)) {
            *out_type = types[i].type;
            return true;
        }
    return false;
}

/* Reads a number or a star, and moves *at past it. */
static bool read_index(const char **at, const char *end, uint32_t *out_index)
{
    uint64_t number = 0;
    const char *c = *at;
    if (c < end && *c == '*') {
        *out_index = WILD;
        *at = c + 1;
        return true;
    }
    while (c < end && isdigit((unsigned char)*c) && number < WILD)
        number = number * 10 + (uint64_t)(*c++ - '0');
    if (c == *at || number >= WILD)
        return false;
    *out_index = (uint32_t)number;
    *at = c;
    return true;
}

static enum status take_term(const struct selection *selection, const char *word, size_t length,
                             struct selector_term *out_term)
{
    const char *at = word, *end = word + length;
    *out_term = (struct selector_term){0};
    if (type_known(word, length, &out_term->type)) {
        out_term->by_type = true;
        out_term->depth = 1;
        out_term->index[0] = WILD;
        return STATUS_OK;
    }
    for (bool more = true; more; at += more) {
        if (out_term->depth == DEPTH_MAX)
            return error(selection, at, "a device has at most three parts, as in 0.1.2");
        if (!read_index(&at, end, &out_term->index[out_term->depth]))
            return error(selection, at, "a device is *, cpu, gpu, fpga or a number, with points as in 0.1.2");
        uint32_t depth = out_term->depth++;
        if (depth && out_term->index[depth - 1] == WILD && out_term->index[depth] != WILD)
            return error(selection, word, "only * can follow *");
        more = at < end && *at == '.';
    }
    return at == end ? STATUS_OK : error(selection, at, "expected a point, a comma or the end");
}

/* ---- the devices of a term -------------------------------------------------------------- */

static enum status parts_of(const struct cl_device *device, struct partition *out_parts)
{
    enum topology_level level;
    enum partition_result result =
        partition_by_cslice(device->topology, &device->units, device->config->cslice_seed, out_parts);
    if (result == PARTITION_IMPOSSIBLE)
        result = partition_next(device->topology, &device->units, &level, out_parts);
    return result == PARTITION_NO_MEMORY ? STATUS_OUT_OF_MEMORY : STATUS_OK;
}

/* Adds the parts of the device that the rest of the term names. */
static enum status choose_parts(struct roots *chosen, const struct cl_device *device,
                                const struct selector_term *term, uint32_t depth)
{
    struct partition parts = {0};
    enum status status = parts_of(device, &parts);
    for (uint32_t i = 0; i < parts.count && !status; i++) {
        if (term->index[depth] != WILD && term->index[depth] != i)
            continue;
        struct cl_device *part = root_part(device, &parts.sets[i]);
        if (!part) {
            status = STATUS_OUT_OF_MEMORY;
        } else if (depth + 1 == term->depth) {
            status = roots_add(chosen, part);
        } else {
            status = choose_parts(chosen, part, term, depth + 1);
            object_unref(part);
        }
    }
    partition_fini(&parts);
    return status;
}

static bool names_root(const struct selector_term *term, const struct cl_device *device, uint32_t index)
{
    if (term->by_type)
        return device->config->type == term->type;
    return term->index[0] == WILD || term->index[0] == index;
}

static bool chosen_already(const struct roots *chosen, const struct cl_device *device)
{
    for (cl_uint i = 0; i < chosen->count; i++)
        if (chosen->devices[i] == device)
            return true;
    return false;
}

static enum status choose(const struct selection *selection, struct roots *list,
                          const struct selector_term *term, bool *out_found)
{
    enum status status = STATUS_OK;
    cl_uint before = list->count;
    for (cl_uint i = 0; i < selection->all->count && !status; i++) {
        struct cl_device *device = selection->all->devices[i];
        if (!names_root(term, device, i))
            continue;
        if (term->depth > 1)
            status = choose_parts(list, device, term, 1);
        else if (!chosen_already(list, device))
            status = roots_add(list, object_ref(device));
        else
            *out_found = true;
    }
    *out_found |= list->count > before;
    return status;
}

/* ---- filters ---------------------------------------------------------------------------- */

static enum status apply_terms(struct selection *selection, const char *list, const char *end, bool ours,
                               bool discard)
{
    enum status status = STATUS_OK;
    for (const char *next; list <= end && !status; list = next + 1) {
        struct selector_term term;
        bool found = false;
        next = memchr(list, ',', (size_t)(end - list));
        next = next ? next : end;
        status = take_term(selection, list, (size_t)(next - list), &term);
        if (!status && ours)
            status = choose(selection, discard ? &selection->discarded : &selection->chosen, &term, &found);
        if (!status && ours && !found)
            fprintf(message_stream(), "orrery: warning: device selector: %.*s names no device\n",
                    (int)(next - list), list);
    }
    return status;
}

static enum status apply_filter(struct selection *selection, const char *filter, const char *end,
                                bool *discarding)
{
    bool discard = filter < end && *filter == '!', ours = true;
    filter += discard;
    const char *colon = memchr(filter, ':', (size_t)(end - filter));
    if (!discard && *discarding)
        return error(selection, filter, "filters with ! come last");
    if (colon && !backend_known(filter, (size_t)(colon - filter), &ours))
        return error(selection, filter,
                     "a backend is *, opencl, orrery, level_zero, cuda, hip or native_cpu");
    *discarding = discard;
    selection->accepts |= !discard;
    return apply_terms(selection, colon ? colon + 1 : filter, end, ours, discard);
}

static enum status apply_filters(struct selection *selection)
{
    enum status status = STATUS_OK;
    bool discarding = false;
    const char *end;
    for (const char *at = selection->text; !status; at = end + 1) {
        end = strchrnul(at, ';');
        status = apply_filter(selection, at, end, &discarding);
        if (!*end)
            break;
    }
    return status;
}

/* ---- the selection ----------------------------------------------------------------------------- */

static bool units_within(const struct unit_set *part, const struct unit_set *whole)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        while (at < whole->count && whole->units[at] < part->units[i])
            at++;
        if (at == whole->count || whole->units[at] != part->units[i])
            return false;
    }
    return true;
}

/* The device was discarded, or is a part of one that was. */
static bool is_discarded(const struct selection *selection, const struct cl_device *device)
{
    for (cl_uint i = 0; i < selection->discarded.count; i++) {
        const struct cl_device *whole = selection->discarded.devices[i];
        if (whole->config == device->config && units_within(&device->units, &whole->units))
            return true;
    }
    return false;
}

static enum status keep_rest(struct selection *selection)
{
    enum status status = STATUS_OK;
    struct roots chosen = selection->accepts ? selection->chosen : *selection->all;
    struct roots kept = {0};
    for (cl_uint i = 0; i < chosen.count && !status; i++)
        if (!is_discarded(selection, chosen.devices[i]))
            status = roots_add(&kept, object_ref(chosen.devices[i]));
    roots_free(&selection->chosen);
    selection->chosen = kept;
    if (!status && !kept.count)
        status = diagnose(selection->diagnosis, STATUS_BAD_SCENARIO,
                          "device selector \"%s\": no device is left", selection->text);
    return status;
}

enum status roots_select(const char *text, struct roots *roots, struct diagnosis *diagnosis)
{
    struct selection selection = {.text = text, .all = roots, .diagnosis = diagnosis};
    enum status status = apply_filters(&selection);
    if (!status)
        status = keep_rest(&selection);
    roots_free(&selection.discarded);
    if (status) {
        roots_free(&selection.chosen);
        return diagnose(diagnosis, status, "out of host memory");
    }
    roots_free(roots);
    *roots = selection.chosen;
    return STATUS_OK;
}
