/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of the report, one for each form. At the end each form is written to its file. During the run
 * (report_save_files) it is written to a file beside it, which is then renamed, so that a program that dies
 * leaves a whole file. Processes of one run share a file: under its lock each reads what the others wrote
 * and writes that again with its own text.
 */
#include "orrery/report.h"
#include "orrery/file_limit.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report_share.h"
#include "report_spool.h"

/* The name with the process id in place of %p; malloc'd. */
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

FILE *report_open_file(const char *pattern, bool force)
{
    char *name = report_file_name(pattern);
    FILE *stream = name ? report_output_open(name, "w", force) : NULL;
    free(name);
    return stream;
}

static bool is_file_or_new(const char *name)
{
    struct stat found;
    return stat(name, &found) == 0 ? S_ISREG(found.st_mode) : errno == ENOENT;
}

/* Opened to append, since other processes of the run write to it, too. */
FILE *report_open_log(const char *pattern, struct watch *watch, bool force)
{
    char *name = watch ? report_file_name(pattern) : NULL;
    if (!name || !is_file_or_new(name)) {
        free(name);
        return report_open_file(pattern, force);
    }
    watch_lock(watch);
    FILE *anew = watch_begin_file(watch, name, false) ? report_output_open(name, "w", force) : NULL;
    if (anew)
        fclose(anew);
    FILE *stream = report_output_open(name, "a", force);
    watch_unlock(watch);
    free(name);
    return stream;
}

/* ---- one file each ------------------------------------------------------------------ */

struct output {
    const struct report *report;
    const struct report_end *end;
    struct diagnosis *diagnosis;
};

static bool complain(const struct output *output, const char *name)
{
    diagnose(output->diagnosis, STATUS_IO, "%s cannot be written", name);
    return false;
}

static void put_json(FILE *stream, const struct output *output)
{
    for (size_t i = 0; i < report_count(output->report); i++)
        report_write_json(stream, report_get(output->report, i));
    for (size_t i = 0; i < report_suppressed_count(output->report); i++)
        if (report_accepts(output->report, report_suppressed_get(output->report, i)))
            report_write_json(stream, report_suppressed_get(output->report, i));
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

static void put_baseline(FILE *stream, const struct output *output)
{
    report_write_baseline(stream, output->report);
}

enum { NOT_SHARED = SHARE_FORM_COUNT };

struct form {
    void (*put)(FILE *, const struct output *);
    int share;
};

static const struct form form_json = {put_json, SHARE_JSON}, form_sarif = {put_sarif, SHARE_SARIF},
                         form_suppressions = {put_suppressions, SHARE_SUPPRESSIONS},
                         form_baseline = {put_baseline, SHARE_BASELINE}, form_dot = {put_dot, NOT_SHARED};

/* Locks the file for this process. NULL: no other process writes it, and nothing is locked. */
static struct report_share *begin_share(const struct output *output, const char *name,
                                        const struct form *form)
{
    struct report_share *share =
        form->share != NOT_SHARED && is_file_or_new(name) ? report_share_of(output->report) : NULL;
    if (share)
        report_share_lock(share);
    return share;
}

static void end_share(struct report_share *share)
{
    if (share)
        report_share_unlock(share);
}

/* The text together with what other processes wrote. NULL: the file is not shared, or out of memory; then
 * the form is written without theirs. */
static const char *text_of(const struct output *output, struct report_share *share, const char *name,
                           const struct form *form)
{
    char *own = NULL;
    size_t size = 0;
    FILE *stream = share ? open_memstream(&own, &size) : NULL;
    if (!stream)
        return NULL;
    form->put(stream, output);
    return fclose(stream) == 0 ? report_share_text(share, (enum share_form)form->share, name, own) : NULL;
}

static void put_form(FILE *stream, const struct output *output, const char *text, const struct form *form)
{
    if (text)
        fputs(text, stream);
    else
        form->put(stream, output);
}

/* Keeps the SARIF log for the end of the command. False: the report has no spool. */
static bool keep_log(const struct output *output, char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool fine = stream != NULL;
    if (stream) {
        put_sarif(stream, output);
        fine = fclose(stream) == 0 && report_spool_put(report_spool_of(output->report), name,
                                                       report_scenario(output->report)->force_files, text);
    }
    if (!fine)
        complain(output, name);
    free(text);
    free(name);
    return fine;
}

static bool write_file(const struct output *output, const char *pattern, const struct form *form)
{
    char *name = pattern ? report_file_name(pattern) : NULL;
    if (!pattern)
        return true;
    if (name && form == &form_sarif && report_spool_of(output->report) && is_file_or_new(name))
        return keep_log(output, name);
    struct report_share *share = name ? begin_share(output, name, form) : NULL;
    const char *text = text_of(output, share, name, form);
    const bool force = report_scenario(output->report)->force_files;
    FILE *stream = name ? report_output_open(name, "w", force) : NULL;
    bool fine = stream != NULL;
    if (stream) {
        put_form(stream, output, text, form);
        fine = !ferror(stream);
        fine &= fclose(stream) == 0;
    }
    end_share(share);
    free(name);
    return fine || complain(output, pattern);
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

/* Graphviz draws picture.svg from picture.dot, which stays. Without Graphviz there is only the latter. */
static bool write_picture(const struct output *output, const char *pattern)
{
    char *picture = report_file_name(pattern), *graph = picture ? strdup(picture) : NULL;
    bool fine = graph != NULL;
    if (fine) {
        memcpy(graph + strlen(graph) - strlen("svg"), "dot", strlen("dot"));
        fine = write_file(output, graph, &form_dot);
        if (fine && !draw(graph, picture)) {
            diagnose(output->diagnosis, STATUS_IO,
                     "%s was not drawn: Graphviz's dot does not run; the graph is in %s", picture, graph);
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

bool report_write_files(const struct report *report, const struct report_end *end,
                        struct diagnosis *diagnosis)
{
    const struct scenario *scenario = report_scenario(report);
    const struct output output = {report, end, diagnosis};
    struct file_limit hold;
    file_limit_hold(&hold);
    bool fine = write_file(&output, scenario->json_file, &form_json);
    fine &= write_file(&output, scenario->sarif_file, &form_sarif);
    fine &= write_file(&output, scenario->gen_suppressions, &form_suppressions);
    fine &= write_file(&output, scenario->update_baseline ? scenario->baseline_file : NULL, &form_baseline);
    fine &= is_picture(scenario->dot_file) ? write_picture(&output, scenario->dot_file)
                                           : write_file(&output, scenario->dot_file, &form_dot);
    file_limit_release(&hold);
    return fine;
}

/* ---- during the run ------------------------------------------------------------------ */

static bool is_plain_or_new(const char *name)
{
    struct stat found;
    return lstat(name, &found) == 0 ? S_ISREG(found.st_mode) : errno == ENOENT;
}

/* A failure is not reported here: the file is written again at the end. */
static void save_file(const struct output *output, const char *name, const struct form *form)
{
    char *beside = NULL;
    if (!name || !is_plain_or_new(name) || asprintf(&beside, "%s.%ld.part", name, (long)getpid()) < 0)
        return;
    struct report_share *share = begin_share(output, name, form);
    const char *text = text_of(output, share, name, form);
    FILE *stream = fopen(beside, "we");
    bool fine = stream != NULL;
    if (stream) {
        put_form(stream, output, text, form);
        fine = !ferror(stream);
        fine &= fclose(stream) == 0;
    }
    if (!fine || rename(beside, name) != 0)
        unlink(beside);
    end_share(share);
    free(beside);
}

static void save(const struct output *output, const char *pattern, const struct form *form)
{
    char *name = pattern ? report_file_name(pattern) : NULL;
    if (name && form == &form_dot && is_picture(name))
        memcpy(name + strlen(name) - strlen("svg"), "dot", strlen("dot"));
    save_file(output, name, form);
    free(name);
}

void report_save_files(const struct report *report, const struct report_end *end)
{
    const struct scenario *scenario = report_scenario(report);
    const struct output output = {.report = report, .end = end};
    struct file_limit hold;
    file_limit_hold(&hold);
    save(&output, scenario->json_file, &form_json);
    save(&output, scenario->sarif_file, &form_sarif);
    save(&output, scenario->gen_suppressions, &form_suppressions);
    save(&output, scenario->update_baseline ? scenario->baseline_file : NULL, &form_baseline);
    save(&output, scenario->dot_file, &form_dot);
    file_limit_release(&hold);
}
