/* SPDX-License-Identifier: Apache-2.0 */
#include "suppression.h"

#include <string.h>

#include "scenario_rows.h"

/* One mark to return to is enough: what an earlier star took, a later one may take as well. */
bool glob_fits(const char *pattern, const char *text)
{
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static bool text_fits(const char *pattern, const char *text)
{
    return !pattern || glob_fits(pattern, text ? text : "");
}

static bool place_fits(const struct suppression *suppression, const struct source_place *place)
{
    const char *file = place->file ? place->file : "", *slash = strrchr(file, '/');
    if (suppression->line && suppression->line != place->line)
        return false;
    return text_fits(suppression->file, file) || (slash && text_fits(suppression->file, slash + 1));
}

static bool places_fit(const struct suppression *suppression, const struct finding *finding)
{
    if (!suppression->file && !suppression->line)
        return true;
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++) {
        if (place_fits(suppression, &finding->access[i].place))
            return true;
    }
    return false;
}

const struct suppression *suppression_find(const struct scenario *scenario, const struct finding *finding)
{
    for (size_t i = 0; i < scenario->suppression_count; i++) {
        const struct suppression *suppression = &scenario->suppressions[i];
        if (text_fits(suppression->id, finding_id(finding->kind)) && text_fits(suppression->kernel, finding->kernel) &&
            text_fits(suppression->object, finding->object) && places_fit(suppression, finding))
            return suppression;
    }
    return NULL;
}

/* ---- a file that suppresses what was found ------------------------------------------------- */

/* A name is quoted whole; a star in it still fits itself. */
static void write_key(FILE *stream, const char *key, const char *text)
{
    if (!text)
        return;
    fprintf(stream, ", %s: ", key);
    text_print_quoted(text, stream);
}

static void write_one(FILE *stream, const struct finding *finding)
{
    const struct source_place *place = &finding->access[0].place;
    fprintf(stream, "- {id: %s", finding_id(finding->kind));
    write_key(stream, "kernel", finding->kernel);
    if (finding->access_count)
        write_key(stream, "file", place->file);
    if (finding->access_count && place->line)
        fprintf(stream, ", line: %u", (unsigned)place->line);
    write_key(stream, "object", finding->object);
    fputs("}\n", stream);
}

void report_write_suppressions(FILE *stream, const struct report *report)
{
    fputs("# Suppressions for orrery --suppressions=FILE; see orrery-report(5).\n", stream);
    if (!report_count(report))
        fputs("[]\n", stream);
    for (size_t i = 0; i < report_count(report); i++)
        write_one(stream, report_get(report, i));
}
