/* SPDX-License-Identifier: Apache-2.0 */
/* Counts launches by the option that left them out. Names of kernels are kept for the note that no launch
 * was checked. */
#include "report_launches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/nearest.h"

static void keep_name(struct report_launches *launches, const char *kernel)
{
    for (uint32_t i = 0; i < launches->kernel_count; i++)
        if (strcmp(launches->kernels[i], kernel) == 0)
            return;
    char *name = launches->kernel_count < REPORT_KERNELS_MOST ? strdup(kernel) : NULL;
    launches->more |= !name;
    if (name)
        launches->kernels[launches->kernel_count++] = name;
}

void report_launches_add(struct report_launches *launches, const struct scenario *scenario,
                         const char *kernel, uint32_t launch)
{
    if (!scenario_filters(scenario))
        return;
    launches->begun++;
    launches->left_out[scenario_leaves_out(scenario, kernel, launch)]++;
    keep_name(launches, kernel);
}

void report_launches_fini(struct report_launches *launches)
{
    for (uint32_t i = 0; i < launches->kernel_count; i++)
        free(launches->kernels[i]);
}

static void print_checks(FILE *stream)
{
    const char *before = "";
#define CHECK_PRINT(name, key, severity, fast, help) \
    if (check_filtered(CHECK_##name)) {              \
        fprintf(stream, "%s%s", before, key);        \
        before = ", ";                               \
    }
    CHECK_LIST(CHECK_PRINT)
#undef CHECK_PRINT
}

void report_launches_print(FILE *stream, const uint64_t left_out[2], uint64_t begun)
{
    const uint64_t all = left_out[0] + left_out[1];
    if (!all)
        return;
    fprintf(stream, "orrery: note: %" PRIu64 " of %" PRIu64 " launches %s left out of checks (", all, begun,
            all == 1 ? "was" : "were");
    print_checks(stream);
    fputs("): ", stream);
    if (left_out[0])
        fprintf(stream, "%" PRIu64 " by --kernel%s", left_out[0], left_out[1] ? ", " : "");
    if (left_out[1])
        fprintf(stream, "%" PRIu64 " by --launches", left_out[1]);
    fputc('\n', stream);
}

static const char *kernel_at(const void *self, size_t index)
{
    return ((const struct report_launches *)self)->kernels[index];
}

/* The kernel that a pattern may have meant. "!" and stars are not part of a name. */
static void print_meant(FILE *stream, const struct report_launches *launches, const char *pattern)
{
    char word[NEAREST_NAME_CHARS];
    size_t length = 0;
    for (; *pattern && *pattern != ',' && length + 1 < sizeof word; pattern++)
        if (!strchr("!*?", *pattern))
            word[length++] = *pattern;
    word[length] = '\0';
    char *meant = length ? nearest_names(word, "", kernel_at, launches, launches->kernel_count) : NULL;
    if (meant && *meant)
        fprintf(stream, "; did you mean %s?", meant);
    free(meant);
}

void report_launches_note_none(FILE *stream, const struct report_launches *launches,
                               const struct scenario *scenario)
{
    if (!launches->begun || launches->left_out[LEFT_OUT_NOT])
        return;
    fprintf(stream, "orrery: note: no launch is one of ");
    if (scenario->checked_kernels)
        fprintf(stream, "--kernel=%s", scenario->checked_kernels);
    if (scenario->checked_launches.first || scenario->checked_launches.last)
        fprintf(stream, "%s--launches", scenario->checked_kernels ? " and " : "");
    fprintf(stream, ": %" PRIu64 " launch%s ran, of ", launches->begun, launches->begun == 1 ? "" : "es");
    for (uint32_t i = 0; i < launches->kernel_count; i++)
        fprintf(stream, "%s%s", i ? ", " : "", launches->kernels[i]);
    fputs(launches->more ? " and others" : "", stream);
    if (scenario->checked_kernels && launches->left_out[LEFT_OUT_BY_KERNEL])
        print_meant(stream, launches, scenario->checked_kernels);
    fputc('\n', stream);
}
