/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which launches are checked: --kernel and --launches.
 *
 *   kernels  = pattern { ( "," | blank ) pattern } ;   pattern = [ "!" ] glob
 *   launches = N | N ".." | ".." N | N ".." N ;         N from 1
 *
 * A kernel is checked when a pattern without "!" matches its name (or no pattern is without "!"), and no
 * pattern with "!" matches. The order of the patterns does not matter. Globs are those of fnmatch(3).
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/scenario_rows.h"

static const char separators[] = ", \t\n";

/* ---- kernels ---------------------------------------------------------------------------- */

/* The patterns with one comma between two, malloc'd; NULL: out of memory. */
static char *joined(const char *text)
{
    char *all = calloc(strlen(text) + 1, 1), *end = all;
    for (const char *part = text + strspn(text, separators); all && *part; part += strspn(part, separators)) {
        const size_t length = strcspn(part, separators);
        if (end != all)
            *end++ = ',';
        end = (char *)memcpy(end, part, length) + length;
        part += length;
    }
    return all;
}

static bool has_empty_pattern(const char *kernels)
{
    for (const char *mark = strchr(kernels, '!'); mark; mark = strchr(mark + 1, '!'))
        if (mark[1] == '\0' || mark[1] == ',' || mark[1] == '!')
            return true;
    return !*kernels;
}

bool filter_set_kernels(char **kernels, const char *text, char expected[EXPECTED_CHARS])
{
    char *all = joined(text);
    snprintf(expected, EXPECTED_CHARS,
             "the name of a kernel, in which * stands for any text; !NAME leaves that kernel out");
    if (!all || has_empty_pattern(all)) {
        free(all);
        return false;
    }
    free(*kernels);
    *kernels = all;
    return true;
}

static bool matches(const char *pattern, size_t length, const char *kernel)
{
    char glob[256];
    if (length >= sizeof glob)
        return false;
    memcpy(glob, pattern, length);
    glob[length] = '\0';
    return fnmatch(glob, kernel, 0) == 0;
}

static bool kernel_is_checked(const char *kernels, const char *kernel)
{
    bool wanted = false, some_wanted = false, unwanted = false;
    for (const char *part = kernels; *part; part += *part == ',') {
        const bool excludes = *part == '!';
        const size_t length = strcspn(part, ",");
        const bool fits = matches(part + excludes, length - excludes, kernel);
        some_wanted |= !excludes;
        wanted |= !excludes && fits;
        unwanted |= excludes && fits;
        part += length;
    }
    return (wanted || !some_wanted) && !unwanted;
}

/* ---- launches ----------------------------------------------------------------------------- */

static bool number_of(const char *text, size_t length, uint32_t *out_number)
{
    char digits[16];
    uint64_t value;
    if (length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!value_parse_number(digits, &value) || value < 1 || value > UINT32_MAX)
        return false;
    *out_number = (uint32_t)value;
    return true;
}

bool filter_set_launches(struct launch_range *launches, const char *text, char expected[EXPECTED_CHARS])
{
    struct launch_range range = {0, 0};
    const char *dots = strstr(text, "..");
    const size_t before = dots ? (size_t)(dots - text) : strlen(text);
    const char *after = dots ? dots + 2 : "";
    const bool first_fits = !before || number_of(text, before, &range.first);
    const bool last_fits = !*after || number_of(after, strlen(after), &range.last);
    if (!dots)
        range.last = range.first;
    snprintf(expected, EXPECTED_CHARS,
             "numbers of launches, which count from 1: A, A..B with A not above B, A.. or ..B");
    const bool ascends = !range.last || range.first <= range.last;
    const bool has_end = before || *after;
    const bool fine = has_end && first_fits && last_fits && ascends;
    if (fine)
        *launches = range;
    return fine;
}

void filter_print_launches(const struct launch_range *launches, FILE *stream)
{
    fputc('"', stream);
    if (launches->first)
        fprintf(stream, "%" PRIu32, launches->first);
    if (launches->first != launches->last)
        fputs("..", stream);
    if (launches->last && launches->first != launches->last)
        fprintf(stream, "%" PRIu32, launches->last);
    fputc('"', stream);
}

/* ---- a launch ----------------------------------------------------------------------------- */

bool scenario_filters(const struct scenario *scenario)
{
    return scenario->checked_kernels || scenario->checked_launches.first || scenario->checked_launches.last;
}

enum left_out scenario_leaves_out(const struct scenario *scenario, const char *kernel, uint32_t launch)
{
    const struct launch_range *range = &scenario->checked_launches;
    if (scenario->checked_kernels && !kernel_is_checked(scenario->checked_kernels, kernel))
        return LEFT_OUT_BY_KERNEL;
    if (launch < range->first || (range->last && launch > range->last))
        return LEFT_OUT_BY_LAUNCHES;
    return LEFT_OUT_NOT;
}
