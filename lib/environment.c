/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.h"

static const char prefix[] = "ORRERY_";
enum { PREFIX_LENGTH = sizeof prefix - 1, KEY_MAX = 64 };

/* Variables that are no option of a scenario. */
static const char *const reserved[] = {
    "SCENARIO",  "SUMMARY",  "CLANG",  "LLVM_SPIRV", "CACHE",
    "CACHE_DIR", "BUILDDIR", "SRCDIR", "LIBRARY",    "ICD",
    "WATCH",
};

static bool is_reserved(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strlen(reserved[i]) == length && !memcmp(reserved[i], name, length))
            return true;
    return false;
}

/* ORRERY_FAIL_ON is the option fail-on. */
static bool option_key(const char *name, size_t length, char key[KEY_MAX])
{
    if (!length || length >= KEY_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        key[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
    key[length] = '\0';
    return true;
}

static enum status apply_variable(struct scenario *scenario, const char *variable,
                                  struct diagnosis *diagnosis)
{
    const char *name = variable + PREFIX_LENGTH, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : 0;
    char key[KEY_MAX];
    if (!equals || is_reserved(name, length) || !option_key(name, length, key))
        return STATUS_OK;
    struct diagnosis cause = {0};
    enum status status = scenario_apply_option(scenario, key, equals + 1, &cause);
    if (status)
        diagnose(diagnosis, status, "environment variable ORRERY_%.*s: %s", (int)length, name, cause.text);
    return status;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names: the order of environ says nothing. */
enum status environment_apply(struct scenario *scenario, struct diagnosis *diagnosis)
{
    size_t count = 0, found = 0;
    while (environ[count])
        count++;
    char **sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!strncmp(environ[i], prefix, PREFIX_LENGTH))
            sorted[found++] = environ[i];
    qsort(sorted, found, sizeof *sorted, compare_text);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < found && !status; i++)
        status = apply_variable(scenario, sorted[i], diagnosis);
    free(sorted);
    return status;
}

/* $ORRERY_CACHE_DIR, or orrery/ where the XDG base directory rules put caches. */
static char *cache_directory(void)
{
    const char *wanted = getenv("ORRERY_CACHE"), *own = getenv("ORRERY_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    if (wanted && !strcmp(wanted, "0"))
        return NULL;
    if (own && *own)
        return strdup(own);
    bool use_xdg = xdg && *xdg == '/';
    if (!use_xdg && (!home || *home != '/'))
        return NULL;
    if (asprintf(&path, use_xdg ? "%s/orrery" : "%s/.cache/orrery", use_xdg ? xdg : home) < 0)
        return NULL;
    return path;
}

void environment_configure_compiler(void)
{
    char *directory = cache_directory();
    compiler_configure(&(struct compiler_settings){
        .clang = getenv("ORRERY_CLANG"),
        .llvm_spirv = getenv("ORRERY_LLVM_SPIRV"),
        .cache_directory = directory,
    });
    free(directory);
}
