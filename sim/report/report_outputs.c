/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output files are checked before anything runs. A table row names each key of a scenario that holds an
 * output file, and how the text of such a file begins. A file is replaced only if it is absent, empty, or
 * begins so. A symbolic link is not followed, unless it leads to what is not a regular file, or is below
 * /dev or /proc. The check creates no file: another process of the run may write the same one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orrery/report.h"
#include "orrery/scenario.h"
#include "orrery/saved_launch.h"
#include "orrery/schedule.h"
#include "baseline.h"

struct output_kind {
    const char *key;
    size_t offset;
    const char *begins;
};

/* clang-format off */
static const struct output_kind kinds[] = {
    {"record", offsetof(struct scenario, schedule.record_file), SCHEDULE_RECORD_MAGIC},
    {"log", offsetof(struct scenario, log_file), "orrery: "},
    {"json", offsetof(struct scenario, json_file), "{\"type\":"},
    {"sarif", offsetof(struct scenario, sarif_file), "{\n  \"$schema\": \"https://docs.oasis-open.org/sarif/"},
    {"dot", offsetof(struct scenario, dot_file), "digraph orrery {"},
    {"html", offsetof(struct scenario, html_file), PAGE_MAGIC},
    {"gen_suppressions", offsetof(struct scenario, gen_suppressions), "# Suppressions for orrery"},
    {"timeline", offsetof(struct scenario, timeline_file), "{\"displayTimeUnit\":"},
    {"coverage", offsetof(struct scenario, coverage_file), "TN:\nSF:"},
    {"trace", offsetof(struct scenario, trace_file), "{\"type\":"},
};
/* clang-format on */

static bool below_system(const char *name)
{
    return strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/proc/", 6) == 0;
}

static bool link_followed(const char *name)
{
    struct stat target;
    return below_system(name) || (stat(name, &target) == 0 && !S_ISREG(target.st_mode));
}

/* A named pipe that nothing reads is an error: open would not return. Writes do wait for the reader. */
FILE *report_output_open(const char *name, const char *mode, bool force)
{
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (*mode == 'a' ? O_APPEND : O_TRUNC);
    const bool follow = force || link_followed(name);
    const int descriptor = open(name, flags | (follow ? 0 : O_NOFOLLOW), 0666);
    if (descriptor >= 0)
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, mode) : NULL;
    if (descriptor >= 0 && !stream)
        close(descriptor);
    return stream;
}

static enum status refuse(struct diagnosis *diagnosis, const char *key, const char *name, const char *why)
{
    return diagnose(diagnosis, STATUS_IO, "%s: %s: %s", key, name, why);
}

/* For a file that does not exist: can its folder take one? */
static enum status check_folder(const char *key, const char *name, struct diagnosis *diagnosis)
{
    const char *slash = strrchr(name, '/');
    char *folder = !slash ? strdup(".") : slash == name ? strdup("/") : strndup(name, (size_t)(slash - name));
    struct stat found;
    int failed = !folder ? ENOMEM : stat(folder, &found) != 0 ? errno : !S_ISDIR(found.st_mode) ? ENOTDIR : 0;
    if (!failed && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        failed = errno;
    if (!failed && (!*name || (slash && !slash[1])))
        failed = EISDIR;
    free(folder);
    return failed ? refuse(diagnosis, key, name, strerror(failed)) : STATUS_OK;
}

/* Some folders take no file though their rights allow it: of /proc, or of a file system that is full. A name
 * that is too long with the six letters says nothing. */
static enum status check_new(const char *key, const char *name, struct diagnosis *diagnosis)
{
    enum status status = check_folder(key, name, diagnosis);
    const size_t length = strlen(name);
    char *other = status ? NULL : malloc(length + sizeof ".XXXXXX");
    if (!other)
        return status;
    memcpy(other, name, length);
    memcpy(other + length, ".XXXXXX", sizeof ".XXXXXX");
    const int made = mkstemp(other);
    if (made >= 0) {
        close(made);
        unlink(other);
    } else if (errno != ENAMETOOLONG) {
        status = refuse(diagnosis, key, name, strerror(errno));
    }
    free(other);
    return status;
}

static bool begins_so(const char *name, const char *begins)
{
    char text[128];
    FILE *stream = fopen(name, "re");
    const size_t got = stream ? fread(text, 1, sizeof text, stream) : 0, wanted = strlen(begins);
    const bool empty = stream && got == 0 && !ferror(stream);
    if (stream)
        fclose(stream);
    return empty || (got >= wanted && memcmp(text, begins, wanted) == 0);
}

static enum status check_name(const char *key, const char *name, const char *begins, bool force,
                              struct diagnosis *diagnosis)
{
    struct stat found, target;
    if (lstat(name, &found) != 0)
        return errno == ENOENT ? check_new(key, name, diagnosis)
                               : refuse(diagnosis, key, name, strerror(errno));
    if (S_ISLNK(found.st_mode) && !force && !link_followed(name))
        return refuse(diagnosis, key, name, "found a symbolic link, expected a file; --force follows it");
    if (S_ISLNK(found.st_mode) && stat(name, &target) != 0)
        return below_system(name) || errno == ENOENT ? STATUS_OK
                                                     : refuse(diagnosis, key, name, strerror(errno));
    if (stat(name, &target) == 0 && S_ISDIR(target.st_mode))
        return refuse(diagnosis, key, name, strerror(EISDIR));
    if (faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) != 0)
        return refuse(diagnosis, key, name, strerror(errno));
    if (S_ISREG(target.st_mode) && !force && !below_system(name) && !begins_so(name, begins))
        return refuse(diagnosis, key, name, "found a file that is not such a report; --force replaces it");
    return STATUS_OK;
}

enum status report_output_check(const char *key, const char *pattern, const char *begins, bool force,
                                struct diagnosis *diagnosis)
{
    char *name = pattern ? report_file_name(pattern) : NULL;
    const size_t length = name ? strlen(name) : 0;
    enum status status = STATUS_OK;
    if (name && !length) {
        free(name);
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "%s: found nothing, expected the name of a file",
                        key);
    }
    if (strcmp(key, "dot") == 0 && length > 4 && strcmp(name + length - 4, ".svg") == 0) {
        status = check_name(key, name, "<?xml", force,
                            diagnosis); /* the picture; a graph (.dot) is written beside it */
        memcpy(name + length - 3, "dot", 3);
    }
    if (name && !status)
        status = check_name(key, name, begins, force, diagnosis);
    free(name);
    return status;
}

/* The folder of --save-sources has to be writable, or possible to make. */
static enum status check_sources_folder(const char *name, struct diagnosis *diagnosis)
{
    static const char key[] = "save_sources";
    struct stat found;
    if (stat(name, &found) != 0)
        return errno == ENOENT ? check_folder(key, name, diagnosis)
                               : refuse(diagnosis, key, name, strerror(errno));
    if (!S_ISDIR(found.st_mode))
        return refuse(diagnosis, key, name, strerror(ENOTDIR));
    return faccessat(AT_FDCWD, name, W_OK | X_OK, AT_EACCESS) == 0
               ? STATUS_OK
               : refuse(diagnosis, key, name, strerror(errno));
}

/* The baseline is read, or with --update-baseline written. */
static enum status check_baseline(const struct scenario *scenario, struct diagnosis *diagnosis)
{
    struct baseline baseline = {NULL, 0};
    enum status status = STATUS_OK;
    if (scenario->update_baseline && !scenario->baseline_file)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                        "update-baseline: found no baseline, expected --baseline=FILE");
    if (scenario->update_baseline)
        return report_output_check("baseline", scenario->baseline_file, "# Baseline of orrery",
                                   scenario->force_files, diagnosis);
    if (scenario->baseline_file)
        status = baseline_load(&baseline, scenario->baseline_file, diagnosis);
    baseline_fini(&baseline);
    return status;
}

static const char *name_of(const struct scenario *scenario, size_t kind)
{
    return *(char *const *)(const void *)((const char *)scenario + kinds[kind].offset);
}

/* Two reports in one file would be one report. */
static enum status check_distinct(const struct scenario *scenario, struct diagnosis *diagnosis)
{
    enum { KINDS = sizeof kinds / sizeof *kinds, OUTPUTS = KINDS + 2 };
    const char *keys[OUTPUTS], *names[OUTPUTS];
    for (size_t i = 0; i < KINDS; i++)
        keys[i] = kinds[i].key, names[i] = name_of(scenario, i);
    keys[KINDS] = "counters", names[KINDS] = scenario_counters_file(scenario);
    keys[KINDS + 1] = "instructions", names[KINDS + 1] = scenario_instructions_file(scenario);
    for (size_t i = 0; i < OUTPUTS; i++)
        for (size_t j = 0; j < i; j++)
            if (names[i] && names[j] && strcmp(names[i], names[j]) == 0 && !below_system(names[i]))
                return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                                "%s: %s: found the file of %s, expected another one", keys[i], names[i],
                                keys[j]);
    return STATUS_OK;
}

enum status report_outputs_check(const struct scenario *scenario, struct diagnosis *diagnosis)
{
    const bool force = scenario->force_files;
    enum status status = report_output_check("counters", scenario_counters_file(scenario), "{\n \"total\": {",
                                             force, diagnosis);
    if (!status)
        status = report_output_check("instructions", scenario_instructions_file(scenario),
                                     "{\n \"classes\": [", force, diagnosis);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !status; i++) {
        status = report_output_check(kinds[i].key, name_of(scenario, i), kinds[i].begins, force, diagnosis);
    }
    if (!status)
        status = check_distinct(scenario, diagnosis);
    if (scenario->save_launch && !status) {
        uint32_t number;
        status = report_output_check("save_launch", saved_launch_file(scenario->save_launch, &number),
                                     SAVED_LAUNCH_MAGIC, force, diagnosis);
    }
    if (scenario->sources_folder && !status)
        status = check_sources_folder(scenario->sources_folder, diagnosis);
    return status ? status : check_baseline(scenario, diagnosis);
}
