/* SPDX-License-Identifier: Apache-2.0 */
#include "orrery/report.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* %p for the process id. */
static char *file_name_of(const char *pattern, long process)
{
    const char *mark = strstr(pattern, "%p");
    char *name = NULL;
    if (!mark)
        return strdup(pattern);
    if (asprintf(&name, "%.*s%ld%s", (int)(mark - pattern), pattern, process, mark + 2) < 0)
        return NULL;
    return name;
}

char *report_file_name(const char *pattern)
{
    return file_name_of(pattern, (long)getpid());
}

FILE *report_append_file(const char *pattern, long process)
{
    char *name = file_name_of(pattern, process);
    FILE *stream = name ? fopen(name, "ae") : NULL;
    free(name);
    return stream;
}

FILE *report_open_file(const char *pattern)
{
    char *name = report_file_name(pattern);
    FILE *stream = name ? fopen(name, "we") : NULL;
    free(name);
    return stream;
}

/* ---- one file each ------------------------------------------------------------------ */

struct output { const struct report *report; const struct report_end *end; struct diagnosis *diagnosis; };

static bool complain(const struct output *output, const char *name)
{
    diagnose(output->diagnosis, STATUS_IO, "%s cannot be written", name);
    return false;
}

static void put_json(FILE *stream, const struct output *output)
{
    for (size_t i = 0; i < report_count(output->report); i++)
        report_write_json(stream, report_get(output->report, i));
    report_write_json_summary(stream, output->report, output->end);
}

static void put_sarif(FILE *stream, const struct output *output)
{
    report_write_sarif(stream, output->report, output->end);
}

static void put_dot(FILE *stream, const struct output *output)
{
    report_write_dot(stream, output->report);
}

static void put_suppressions(FILE *stream, const struct output *output)
{
    report_write_suppressions(stream, output->report);
}

static bool write_file(const struct output *output, const char *pattern, void (*put)(FILE *, const struct output *))
{
    FILE *stream = pattern ? report_open_file(pattern) : NULL;
    if (!pattern)
        return true;
    if (!stream)
        return complain(output, pattern);
    put(stream, output);
    bool full = ferror(stream) != 0;
    return (fclose(stream) == 0 && !full) || complain(output, pattern);
}

/* ---- drawn -------------------------------------------------------------------------------- */

extern char **environ;

static bool draw(const char *graph, const char *picture)
{
    char *argv[] = {"dot", "-Tsvg", "-o", (char *)(uintptr_t)picture, (char *)(uintptr_t)graph, NULL};
    pid_t child;
    int status;
    if (posix_spawnp(&child, "dot", NULL, NULL, argv, environ) != 0)
        return false;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* picture.svg is drawn from picture.dot, which stays: without Graphviz that is all there is. */
static bool write_picture(const struct output *output, const char *pattern)
{
    char *picture = report_file_name(pattern), *graph = picture ? strdup(picture) : NULL;
    bool fine = graph != NULL;
    if (fine) {
        memcpy(graph + strlen(graph) - strlen("svg"), "dot", strlen("dot"));
        fine = write_file(output, graph, put_dot);
        if (fine && !draw(graph, picture)) {
            diagnose(output->diagnosis, STATUS_IO, "%s was not drawn: Graphviz's dot does not run; the graph is in %s", picture, graph);
            fine = false;
        }
    }
    free(picture);
    free(graph);
    return fine;
}

static bool is_picture(const char *pattern)
{
    size_t length = pattern ? strlen(pattern) : 0;
    return length > 4 && strcmp(pattern + length - 4, ".svg") == 0;
}

bool report_write_files(const struct report *report, const struct report_end *end, struct diagnosis *diagnosis)
{
    const struct scenario *scenario = report_scenario(report);
    const struct output output = {report, end, diagnosis};
    bool fine = write_file(&output, scenario->json_file, put_json);
    fine &= write_file(&output, scenario->sarif_file, put_sarif);
    fine &= write_file(&output, scenario->gen_suppressions, put_suppressions);
    fine &= is_picture(scenario->dot_file) ? write_picture(&output, scenario->dot_file)
                                           : write_file(&output, scenario->dot_file, put_dot);
    return fine;
}

/* ---- while the run goes on ------------------------------------------------------------------ */

static bool is_file_or_new(const char *name)
{
    struct stat found;
    return lstat(name, &found) == 0 ? S_ISREG(found.st_mode) : errno == ENOENT;
}

/* What cannot be written is told at the end. */
static void save_file(const struct output *output, const char *name, void (*put)(FILE *, const struct output *))
{
    char *beside = NULL;
    if (!name || !is_file_or_new(name) || asprintf(&beside, "%s.%ld.part", name, (long)getpid()) < 0)
        return;
    FILE *stream = fopen(beside, "we");
    bool fine = stream != NULL;
    if (stream) {
        put(stream, output);
        fine = !ferror(stream);
        fine &= fclose(stream) == 0;
    }
    if (!fine || rename(beside, name) != 0)
        unlink(beside);
    free(beside);
}

static void save(const struct output *output, const char *pattern, void (*put)(FILE *, const struct output *))
{
    char *name = pattern ? report_file_name(pattern) : NULL;
    if (name && put == put_dot && is_picture(name))
        memcpy(name + strlen(name) - strlen("svg"), "dot", strlen("dot"));
    save_file(output, name, put);
    free(name);
}

void report_save_files(const struct report *report, const struct report_end *end)
{
    const struct scenario *scenario = report_scenario(report);
    const struct output output = {.report = report, .end = end};
    save(&output, scenario->json_file, put_json);
    save(&output, scenario->sarif_file, put_sarif);
    save(&output, scenario->gen_suppressions, put_suppressions);
    save(&output, scenario->dot_file, put_dot);
}
