/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suppressions: patterns of kinds, places and objects, tried in the order of the scenario. A star matches
 * any text. Suppressions that are written for findings leave the sizes and numbers of objects open, since
 * another run has others.
 */
#include "suppression.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/scenario_rows.h"

/* On a mismatch the match goes back to the latest star only: what an earlier star could take, a later one
 * can take as well. */
bool suppression_glob_matches(const char *pattern, const char *text)
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

static bool text_matches(const char *pattern, const char *text)
{
    return !pattern || suppression_glob_matches(pattern, text ? text : "");
}

static bool place_matches(const struct suppression *suppression, const struct source_place *place)
{
    const char *file = place->file ? place->file : "", *slash = strrchr(file, '/');
    if (suppression->line && suppression->line != place->line)
        return false;
    return text_matches(suppression->file, file) || (slash && text_matches(suppression->file, slash + 1));
}

static bool places_match(const struct suppression *suppression, const struct finding *finding)
{
    if (!suppression->file && !suppression->line)
        return true;
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++) {
        if (place_matches(suppression, &finding->access[i].place))
            return true;
    }
    return false;
}

static bool matches(const struct suppression *suppression, const struct finding *finding)
{
    return finding_id_fits(finding->kind, suppression->id, text_matches) &&
           text_matches(suppression->kernel, finding->kernel) &&
           text_matches(suppression->object, finding->object) && places_match(suppression, finding);
}

const struct suppression *suppression_find(const struct scenario *scenario, const struct finding *finding)
{
    for (size_t i = 0; i < scenario->suppression_count; i++) {
        if (matches(&scenario->suppressions[i], finding))
            return &scenario->suppressions[i];
    }
    return NULL;
}

/* ---- a file that suppresses what was found ------------------------------------------------- */

/* A name is quoted as it is: a star in it matches itself, too. */
static void write_key(FILE *stream, const char *key, const char *text)
{
    if (!text)
        return;
    fprintf(stream, ", %s: ", key);
    scenario_print_quoted(text, stream);
}

static void write_one(FILE *stream, const struct suppression *suppression)
{
    fprintf(stream, "- {id: %s", suppression->id);
    write_key(stream, "kernel", suppression->kernel);
    write_key(stream, "file", suppression->file);
    if (suppression->line)
        fprintf(stream, ", line: %" PRIu32, suppression->line);
    write_key(stream, "object", suppression->object);
    fputs("}\n", stream);
}

static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "argument 0 'data' (buffer, * bytes)": another run may have other sizes and other numbers of API objects.
 * Digits in names and in types such as image2d_t stay. NULL: out of memory. */
static char *object_pattern(const struct finding *finding)
{
    const bool of_call = finding_of_call(finding->kind);
    char *pattern = strdup(finding->object), *out = pattern;
    bool named = false, inside = false;
    for (const char *at = finding->object; pattern && *at; at++) {
        const bool of_word = at != finding->object && is_letter(at[-1]);
        const bool may_differ = !named && (inside || of_call);
        const bool is_number = is_digit(*at) && !of_word && may_differ;
        named ^= *at == '\'';
        inside = !named && *at != ')' && (inside || *at == '(');
        *out++ = is_number ? '*' : *at;
        while (is_number && is_digit(at[1]))
            at++;
    }
    if (pattern)
        *out = '\0';
    return pattern;
}

/* A finding with a line stands for all objects that were accessed there. The finding outlives the
 * suppression; the object is malloc'd. */
static struct suppression suppression_of(const struct finding *finding)
{
    const struct source_place *place = &finding->access[0].place;
    const bool placed = finding->access_count && place->line;
    const bool of_site = !placed || (finding->access_count > 1 && !finding->access[1].place.line);
    return (struct suppression){
        .id = borrowed(finding_id(finding->kind)),
        .kernel = borrowed(finding->kernel),
        .file = finding->access_count ? borrowed(place->file) : NULL,
        .line = finding->access_count ? place->line : 0,
        .object = finding->object && of_site ? object_pattern(finding) : NULL,
    };
}

static bool any_matches(const struct suppression *written, size_t count, const struct finding *finding)
{
    for (size_t i = 0; i < count; i++) {
        if (matches(&written[i], finding))
            return true;
    }
    return false;
}

/*
 * A finding that an earlier entry matches gets no entry of its own: the entry would be reported as not used.
 */
void report_write_suppressions(FILE *stream, const struct report *report)
{
    size_t count = report_count(report), written = 0;
    struct suppression *entries = calloc(count + 1, sizeof *entries);
    fputs("# Suppressions for orrery --suppressions=FILE; see orrery-report(5).\n", stream);
    if (!count)
        fputs("[]\n", stream);
    for (size_t i = 0; i < count; i++) {
        const struct finding *finding = report_get(report, i);
        if (any_matches(entries, written, finding))
            continue;
        struct suppression entry = suppression_of(finding);
        write_one(stream, &entry);
        if (entries)
            entries[written++] = entry;
        else
            free(entry.object);
    }
    while (written)
        free(entries[--written].object);
    free(entries);
}
