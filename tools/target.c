/* SPDX-License-Identifier: Apache-2.0 */
/* A command's target: a scenario, a kernel or a program, by the word that names it. */
#include "target.h"

#include <unistd.h>
#include <limits.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near_file.h"
#include "skeleton.h"
#include "tools.h"

bool target_is_scenario(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

char *target_file(const char *word, const char **out_kernel)
{
    static const char *const ends[] = {".cl", ".clcpp"};
    *out_kernel = NULL;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t length = strlen(ends[i]);
        for (const char *at = strstr(word, ends[i]); at; at = strstr(at + 1, ends[i])) {
            if (at == word || (at[length] != '\0' && at[length] != ':'))
                continue;
            *out_kernel = at[length] ? at + length + 1 : NULL;
            return strndup(word, (size_t)(at - word) + length);
        }
    }
    return NULL;
}

static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* How a scenario in that file names the source: without its directory if that is the same. malloc'd. */
static char *source_name(const char *file, const char *scenario_file)
{
    const size_t length = directory_length(file);
    const bool beside =
        length == directory_length(scenario_file) && strncmp(file, scenario_file, length) == 0;
    char *name = beside ? strdup(file + length) : realpath(file, NULL);
    return name ? name : strdup(file);
}

/* A scenario is text, and so is the name of the kernel's file in it. */
static bool is_utf8(const char *name)
{
    const unsigned char *at = (const unsigned char *)name;
    while (*at) {
        const int more = *at < 0x80 ? 0 : *at >> 5 == 6 ? 1 : *at >> 4 == 14 ? 2 : *at >> 3 == 30 ? 3 : -1;
        if (more < 0 || *at == 0xc0 || *at == 0xc1)
            return false;
        at++;
        for (int i = 0; i < more; i++)
            if (*at++ >> 6 != 2)
                return false;
    }
    return true;
}

char *target_scenario(const struct settings *settings, const char *file, const char *kernel,
                      const char *beside, struct skeleton_notes *out_notes)
{
    struct scenario scenario;
    struct diagnosis diagnosis = {0};
    char *source = source_name(file, beside), *text = NULL;
    if (out_notes)
        *out_notes = (struct skeleton_notes){NULL, NULL, NULL};
    if (source && !is_utf8(source)) {
        tools_message("error: %s: found a name that is no UTF-8, expected a text, as scenarios are", file);
        free(source);
        return NULL;
    }
    struct skeleton_request request = {.file = file, .source = source, .kernel = kernel};
    if (source && settings_load(settings, NULL, &scenario)) {
        environment_configure_compiler();
        text = skeleton_text(&scenario, &request, &diagnosis);
        if (!text) {
            tools_message_diagnosis(&diagnosis);
            near_file_say(file);
        }
        scenario_fini(&scenario);
    }
    if (out_notes)
        *out_notes = request.notes;
    else
        skeleton_notes_fini(&request.notes);
    free(source);
    return text;
}

bool target_begins_with(const char *file, const char *begins)
{
    char text[64];
    FILE *stream = fopen(file, "re");
    const size_t got = stream ? fread(text, 1, sizeof text, stream) : 0, wanted = strlen(begins);
    if (stream)
        fclose(stream);
    return got >= wanted && memcmp(text, begins, wanted) == 0;
}

bool target_is_replay(const char *word)
{
    return strncmp(word, "1:", 2) == 0 || target_begins_with(word, SCHEDULE_RECORD_MAGIC);
}

char **target_after(char **replay)
{
    char **target = replay[1] && strcmp(replay[1], "--") == 0 ? replay + 2 : replay + 1;
    if (*target)
        return target;
    tools_message("error: %s: found nothing after it, expected what to run: a program or a scenario",
                  replay[0]);
    return NULL;
}

int target_missing(const char *program)
{
    const char *path = strchr(program, '/') ? NULL : getenv("PATH");
    char file[PATH_MAX];
    if (!path)
        return access(program, X_OK) == 0 ? 0 : errno;
    for (size_t length; *path; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        const int size =
            snprintf(file, sizeof file, "%.*s%s%s", (int)length, path, length ? "/" : "", program);
        if (size > 0 && (size_t)size < sizeof file && access(file, X_OK) == 0)
            return 0;
    }
    return ENOENT;
}
