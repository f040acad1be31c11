/* SPDX-License-Identifier: Apache-2.0 */
/* A list of expectations, each compared with every finding of the report by kind, kernel and line. */
#include "expectation.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct expectation *list;
static size_t count;

static bool matches_text(const char *pattern, const char *text)
{
    return !pattern || fnmatch(pattern, text ? text : "", 0) == 0;
}

static bool matches_any_kind(const char *id)
{
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++) {
        if (finding_id_fits((enum finding_kind)kind, id, matches_text))
            return true;
    }
    return false;
}

static bool add(const struct expectation *expectation)
{
    struct expectation *grown = realloc(list, (count + 1) * sizeof *grown);
    if (!grown)
        return false;
    list = grown;
    struct expectation *own = &list[count];
    *own = *expectation;
    own->id = strdup(expectation->id);
    own->kernel = expectation->kernel ? strdup(expectation->kernel) : NULL;
    if (!own->id || (expectation->kernel && !own->kernel)) {
        free(own->id);
        free(own->kernel);
        return false;
    }
    count++;
    return true;
}

bool expectation_add(const struct expectation *expectation)
{
    pthread_mutex_lock(&lock);
    bool fine = matches_any_kind(expectation->id) && add(expectation);
    pthread_mutex_unlock(&lock);
    return fine;
}

void expectation_clear(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        free(list[i].id);
        free(list[i].kernel);
    }
    free(list);
    list = NULL;
    count = 0;
    pthread_mutex_unlock(&lock);
}

/* ---- comparing ------------------------------------------------------------------- */

static bool has_line(const struct finding *finding, uint32_t line)
{
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++) {
        if (finding->access[i].place.line == line)
            return true;
    }
    return !line;
}

static bool matches(const struct expectation *expectation, const struct finding *finding)
{
    return finding_id_fits(finding->kind, expectation->id, matches_text) &&
           matches_text(expectation->kernel, finding->kernel) && has_line(finding, expectation->line);
}

static bool is_expected(const struct finding *finding)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].max && matches(&list[i], finding))
            return true;
    }
    return false;
}

static void print_expectation(FILE *stream, const struct expectation *expectation)
{
    fputs(expectation->id, stream);
    if (expectation->kernel)
        fprintf(stream, " in kernel %s", expectation->kernel);
    if (expectation->line)
        fprintf(stream, " at line %" PRIu32, expectation->line);
}

static size_t check_expected(const struct expectation *expectation, const struct report *report, FILE *stream)
{
    size_t found = 0;
    for (size_t i = 0; i < report_count(report); i++)
        found += matches(expectation, report_get(report, i));
    if (found >= expectation->min && found <= expectation->max)
        return 0;
    fprintf(stream, "expected ");
    if (expectation->min == expectation->max)
        fprintf(stream, "%zu ", expectation->min);
    else if (expectation->max == SIZE_MAX)
        fprintf(stream, "at least %zu ", expectation->min);
    else
        fprintf(stream, "%zu to %zu ", expectation->min, expectation->max);
    print_expectation(stream, expectation);
    fprintf(stream, ", found %zu\n", found);
    return 1;
}

static void print_forbidden(FILE *stream, const struct finding *finding)
{
    const struct source_place *place = &finding->access[0].place;
    fprintf(stream, "forbidden: %s", finding_id(finding->kind));
    if (finding->kernel)
        fprintf(stream, " in kernel %s", finding->kernel);
    if (finding->access_count && place->line)
        fprintf(stream, " at %s:%" PRIu32 ":%" PRIu32, place->file ? place->file : "?", place->line,
                place->column);
    fprintf(stream, "%s%s\n", finding->why ? ": " : "", finding->why ? finding->why : "");
}

static size_t check_forbidden(const struct expectation *expectation, const struct report *report,
                              FILE *stream)
{
    size_t unmet = 0;
    for (size_t i = 0; i < report_count(report); i++) {
        const struct finding *finding = report_get(report, i);
        if (!matches(expectation, finding) || is_expected(finding))
            continue;
        print_forbidden(stream, finding);
        unmet++;
    }
    return unmet;
}

size_t expectation_check(const struct report *report, FILE *stream)
{
    size_t unmet = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        unmet += list[i].max ? check_expected(&list[i], report, stream)
                             : check_forbidden(&list[i], report, stream);
    pthread_mutex_unlock(&lock);
    return unmet;
}
