/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the library and sets the variables by which a program loads it. */
#include "tools.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The places of the vendor library, from the directory of the command: the build tree, the same with
 * libtool's wrapper in between, an installation that was moved. */
static const struct {
    const char *library, *icd;
} beside[] = {
    {".libs/liborrery.so", "icd"},
    {"liborrery.so", "../icd"},
    {"../lib/liborrery.so", "../share/orrery"},
};

static bool own_directory(char out[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (length <= 0)
        return false;
    out[length] = '\0';
    char *slash = strrchr(out, '/');
    *slash = '\0';
    return true;
}

/* directory/name as an absolute path, if wanted can be read there ("" = itself). */
static char *existing(const char *directory, const char *name, const char *wanted)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s%s%s", directory, name, *wanted ? "/" : "", wanted);
    if (access(path, R_OK) != 0)
        return NULL;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return realpath(path, NULL);
}

/* An .icd file names its library by the path it was installed under, which may not be where it is now. */
static bool names_library(const char *icd_directory)
{
    char path[2 * PATH_MAX], line[PATH_MAX] = "";
    snprintf(path, sizeof path, "%s/orrery.icd", icd_directory);
    FILE *file = fopen(path, "r");
    bool read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return read && access(line, R_OK) == 0;
}

struct library library_find(void)
{
    char directory[PATH_MAX];
    struct library library = {NULL, NULL};
    for (size_t i = 0; own_directory(directory) && i < sizeof beside / sizeof beside[0] && !library.path;
         i++) {
        library.path = existing(directory, beside[i].library, "");
        library.icd_directory = library.path ? existing(directory, beside[i].icd, "orrery.icd") : NULL;
    }
    if (!library.path && access(ORRERY_LIBDIR "/liborrery.so", R_OK) == 0) {
        library.path = strdup(ORRERY_LIBDIR "/liborrery.so");
        library.icd_directory = existing(ORRERY_DATADIR, ".", "orrery.icd");
    }
    return library;
}

static const char threads_name[] = "liborrery_threads.so", sync_name[] = "liborrery_sync.so";

static bool append(const char *variable, const char *text, bool in_front)
{
    const char *before = getenv(variable);
    char list[4 * PATH_MAX];
    if (!before || !*before)
        snprintf(list, sizeof list, "%s", text);
    else
        snprintf(list, sizeof list, "%s:%s", in_front ? text : before, in_front ? before : text);
    return setenv(variable, list, 1) == 0;
}

/*
 * Beside the library in a build tree, in a directory of its own where it was installed. It is loaded before
 * the runtime of a program's sanitizer, which must accept that.
 */
static bool preload(const char *name)
{
    struct library library = library_find();
    char directory[PATH_MAX] = "", list[2 * PATH_MAX];
    if (library.path)
        snprintf(directory, sizeof directory, "%s", library.path);
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    char *path = existing(directory, name, "");
    if (!path && snprintf(list, sizeof list, "orrery/%s", name) > 0)
        path = existing(directory, list, "");
    bool found =
        path && append("LD_PRELOAD", path, true) && append("ASAN_OPTIONS", "verify_asan_link_order=0", false);
    free(path);
    library_fini(&library);
    return found;
}

bool library_name_threads(void)
{
    return preload(threads_name);
}

bool library_watch_threads(void)
{
    return preload(sync_name);
}

void library_fini(struct library *library)
{
    free(library->path);
    free(library->icd_directory);
}

/* Both loaders take a directory of .icd files; OCL_ICD_FILENAMES would add other platforms to it. */
bool library_select(void)
{
    struct library library = library_find();
    bool found = library.path != NULL;
    if (found && library.icd_directory && names_library(library.icd_directory)) {
        setenv("OCL_ICD_VENDORS", library.icd_directory, 1);
        unsetenv("OCL_ICD_FILENAMES");
    } else if (found) {
        setenv("OCL_ICD_VENDORS", library.path, 1);
        setenv("OCL_ICD_FILENAMES", library.path, 1);
    }
    library_fini(&library);
    return found;
}
