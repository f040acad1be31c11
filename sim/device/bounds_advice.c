/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice for an index outside of its array: the first that fits of the index being an id of the work-item in
 * a launch with more work-items than elements; an id plus or minus at most BESIDE_MOST; a row and a column of
 * the launch's ids in a table of known width; anything else.
 */
#include "bounds_advice.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_CHARS = 64, BESIDE_MOST = 2 };

/* The ids that may be an index of the array: global ones, or local ones of a work-group's array. */
struct ids {
    const char *function;
    const uint64_t *id;
    uint64_t end[3]; /* one past the last */
};

static struct ids ids_of(const struct bounds_question *of)
{
    const struct launch_info *info = &of->launch->info;
    const bool local = of->owner == ARRAY_OF_GROUP;
    struct ids ids = {.function = local ? "get_local_id" : "get_global_id",
                      .id = local ? of->item->local_id : of->item->global_id};
    for (int d = 0; d < 3; d++)
        ids.end[d] = local ? info->local_size[d] : info->global_offset[d] + info->global_size[d];
    return ids;
}

/* ---- integers that the kernel was given ---------------------------------------------------------------- */

static bool is_integer_type(const char *name)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "short", "ushort", "size_t"};
    for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
        if (strcmp(name, types[i]) == 0)
            return true;
    return false;
}

/* False: the argument is no integer from 1 to INT32_MAX. */
static bool positive_argument(const struct launch *launch, size_t i, uint64_t *out_value)
{
    const struct kernel_arg *arg = &launch->kernel->args[i];
    uint64_t value = 0;
    const bool is_named_integer =
        arg->kind == ARG_VALUE && is_integer_type(arg->type_name) && arg->name && *arg->name;
    const bool is_set = launch->arg_values && launch->arg_values[i].value;
    if (!is_named_integer || !is_set || arg->size > sizeof value)
        return false;
    memcpy(&value, launch->arg_values[i].value, arg->size);
    *out_value = value;
    return value != 0 && value <= INT32_MAX;
}

/* What a number is by its name, where several have its value. */
enum number_role { ROLE_NONE, ROLE_COUNT, ROLE_WIDTH, ROLE_HEIGHT };

static bool has_role(const char *name, enum number_role role)
{
    static const char *const names[][9] = {
        [ROLE_NONE] = {NULL},
        [ROLE_COUNT] = {"n", "N", "size", "count", "length", "len", "num", "total", "num_elements"},
        [ROLE_WIDTH] = {"width", "w", "W", "cols", "columns", "ncols", "nx", "pitch", "stride"},
        [ROLE_HEIGHT] = {"height", "h", "H", "rows", "nrows", "ny"},
    };
    for (size_t i = 0; i < 9 && names[role][i]; i++)
        if (strcmp(names[role][i], name) == 0)
            return true;
    return false;
}

/* The name of the only argument with that value, or of the only one of them with that role; NULL: neither. */
static const char *argument_with(const struct launch *launch, uint64_t number, enum number_role role)
{
    const char *any = NULL, *fitting = NULL;
    uint32_t found = 0, fit = 0;
    uint64_t value;
    for (size_t i = 0; i < launch->kernel->arg_count; i++) {
        if (!positive_argument(launch, i, &value) || value != number)
            continue;
        any = launch->kernel->args[i].name;
        found++;
        if (!has_role(any, role))
            continue;
        fitting = any;
        fit++;
    }
    return found == 1 ? any : fit == 1 ? fitting : NULL;
}

/* That name, else the number. */
static void name_number(const struct launch *launch, uint64_t number, enum number_role role,
                        char out[NUMBER_CHARS])
{
    const char *name = argument_with(launch, number, role);
    if (name && strlen(name) < NUMBER_CHARS)
        snprintf(out, NUMBER_CHARS, "%s", name);
    else
        snprintf(out, NUMBER_CHARS, "%" PRIu64, number);
}

/* The kernel declares the size of its own arrays: an argument of that value has it by chance. */
static void name_count(const struct bounds_question *of, char out[NUMBER_CHARS])
{
    if (of->owner == ARRAY_OF_LAUNCH)
        name_number(of->launch, of->count, ROLE_COUNT, out);
    else
        snprintf(out, NUMBER_CHARS, "%" PRIu64, of->count);
}

/* ---- one id ------------------------------------------------------------------------------------------ */

/* The launch has more work-items than the array has elements, and perhaps an argument that says how many. */
static void say_too_many(const struct bounds_question *of, const struct ids *ids, int d, struct sentence *out)
{
    char bound[NUMBER_CHARS];
    const char *given =
        of->owner == ARRAY_OF_LAUNCH ? argument_with(of->launch, ids->end[d], ROLE_COUNT) : NULL;
    name_count(of, bound);
    sentence_add(out, "the index is %s(%d): ", ids->function, d);
    if (given)
        sentence_add(out,
                     "give '%s' %" PRIu64 " %s, as '%s' says, or pass %" PRIu64
                     " and do the access only if (%s(%d) < %s)",
                     of->name, ids->end[d], of->elements, given, of->count, ids->function, d, given);
    else
        sentence_add(out, "do the access only if (%s(%d) < %s)", ids->function, d, bound);
    /* under a condition fewer elements may do */
    if (!given && of->always)
        sentence_add(out, ", or give '%s' %" PRIu64 " %s", of->name, ids->end[d], of->elements);
}

static bool advise_id(const struct bounds_question *of, const struct ids *ids, struct sentence *out)
{
    for (int d = 0; d < 3; d++) {
        if (ids->id[d] != (uint64_t)of->index || ids->end[d] <= of->count)
            continue;
        say_too_many(of, ids, d, out);
        return true;
    }
    return false;
}

/* An unsigned index of 32 bits below zero is a large one. */
static int64_t signed_index(int64_t index)
{
    return index > INT32_MAX && index <= UINT32_MAX && index - UINT32_MAX > -BESIDE_MOST ? (int32_t)index
                                                                                         : index;
}

/* With several dimensions an index has more to it than one id. */
static bool is_line(const struct ids *ids)
{
    return (ids->end[0] > 1) + (ids->end[1] > 1) + (ids->end[2] > 1) == 1;
}

/* "get_global_id(0) + 1". False: the index is not beside an id, and nothing is advised. */
static bool advise_beside_id(const struct bounds_question *of, const struct ids *ids, struct sentence *out)
{
    char bound[NUMBER_CHARS], sum[NUMBER_CHARS];
    const int64_t index = signed_index(of->index);
    if (!is_line(ids))
        return false;
    name_count(of, bound);
    for (int d = 0; d < 3; d++) {
        const int64_t apart = index - (int64_t)ids->id[d], size = apart < 0 ? -apart : apart;
        if (!apart || size > BESIDE_MOST || ids->end[d] < 2)
            continue;
        snprintf(sum, sizeof sum, "%s(%d) %c %" PRId64, ids->function, d, apart > 0 ? '+' : '-', size);
        sentence_add(out, "the index is %s: do the access only if (", sum);
        if (index < 0)
            sentence_add(out, "%s(%d) >= %" PRId64 ")", ids->function, d, size);
        else
            sentence_add(out, "%s < %s)", sum, bound);
        return true;
    }
    return false;
}

/* ---- a row and a column -------------------------------------------------------------------------------- */

/* Is the index that of a row and a column in a table of that width, whose ids go past its end? */
static bool is_in_table(const struct bounds_question *of, const struct ids *ids, uint64_t width, int row)
{
    assert(width && (row == 0 || row == 1));
    const int column = 1 - row;
    const bool is_place = of->index >= 0 && ids->id[row] * width + ids->id[column] == (uint64_t)of->index;
    const bool exceeds = ids->end[row] > of->count / width || ids->end[column] > width;
    return of->count % width == 0 && is_place && exceeds;
}

static bool advise_row_and_column(const struct bounds_question *of, const struct ids *ids,
                                  struct sentence *out)
{
    char bounds[2][NUMBER_CHARS];
    uint64_t width;
    for (size_t i = 0; i < of->launch->kernel->arg_count && ids->end[1] > 1; i++) {
        for (int row = 0; row < 2 && positive_argument(of->launch, i, &width); row++) {
            if (!is_in_table(of, ids, width, row))
                continue;
            /* x * something + y: which of two equal numbers it is cannot be said */
            const bool usual = row == 1;
            name_number(of->launch, width, usual ? ROLE_WIDTH : ROLE_NONE, bounds[1 - row]);
            name_number(of->launch, of->count / width, usual ? ROLE_HEIGHT : ROLE_NONE, bounds[row]);
            sentence_add(out, "do the access only if (%s(0) < %s && %s(1) < %s)", ids->function, bounds[0],
                         ids->function, bounds[1]);
            return true;
        }
    }
    return false;
}

/* ---- anything else ------------------------------------------------------------------------------------- */

static void say_indices(const struct bounds_question *of, struct sentence *out)
{
    char bound[NUMBER_CHARS];
    assert(of->index < 0 || (uint64_t)of->index >= of->count);
    name_count(of, bound);
    if (of->count == 1)
        sentence_add(out, "the only index of '%s' is 0", of->name);
    else if (of->index < 0)
        sentence_add(out, "the first index of '%s' is 0", of->name);
    else
        sentence_add(out, "the last index of '%s' is %" PRIu64, of->name, of->count - 1);
    if (of->source == INDEX_READ && of->count > 1)
        sentence_add(out,
                     "; the index was read from memory or computed from what was: test it before the access");
    if (of->index != (int64_t)of->count || of->count == 1 || of->source == INDEX_READ)
        return;
    const bool named = *bound < '0' || *bound > '9';
    if (named)
        sentence_add(out, ", that is %s - 1", bound);
    if (of->counted)
        sentence_add(out, "; a loop over it ends with < %s, not with <= %s", bound, bound);
}

void bounds_advice(const struct bounds_question *of, struct sentence *out_advice)
{
    assert(of->name && of->elements && of->item && of->launch->kernel);
    const struct ids ids = ids_of(of);
    if (!of->count || (of->index >= 0 && (uint64_t)of->index < of->count))
        return;
    /* a private array is indexed otherwise, and what was read or counted equals an id by chance */
    const bool has_ids = of->owner != ARRAY_OF_ITEM && of->source == INDEX_OF_ID;
    if (has_ids && (advise_id(of, &ids, out_advice) || advise_beside_id(of, &ids, out_advice) ||
                    advise_row_and_column(of, &ids, out_advice)))
        return;
    say_indices(of, out_advice);
}
