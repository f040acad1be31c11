/* SPDX-License-Identifier: Apache-2.0 */
/* The key of a finding: a text of its kind, kernel and places. Numbers that differ from one execution of a
 * place to the next are left out, so that a loop's findings are one. */
#include "report_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void key_text(FILE *stream, const char *text)
{
    fprintf(stream, "%s%c", text ? text : "", text ? 1 : 2);
}

/* "clEnqueueReadBuffer (command 4, queue 1)" without the numbers: the same call in a loop is one place. */
static void key_by(FILE *stream, const char *by)
{
    const char *numbers = by ? strstr(by, " (command ") : NULL;
    if (numbers)
        fprintf(stream, "%.*s%c", (int)(numbers - by), by, 1);
    else
        key_text(stream, by);
}

/* The key of one access: its place, or its words where no place is known. */
static char *access_key(const struct finding_access *access, bool by_call)
{
    char *key = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&key, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%d:%" PRIu32 ":%" PRIu32 ":", (int)access->kind, access->place.line,
            access->place.column);
    key_text(stream, access->place.file);
    if (by_call && access->caller.line) {
        fprintf(stream, "%" PRIu32 ":%" PRIu32 ":", access->caller.line, access->caller.column);
        key_text(stream, access->caller.file);
    }
    if (!access->place.line) {
        key_text(stream, access->what);
        key_by(stream, access->by);
    }
    fclose(stream);
    return key;
}

/* Sorted: which access came first depends on the schedule. */
static bool key_accesses(FILE *stream, const struct finding *finding)
{
    /* a barrier in a function counts once for each call of the function */
    const bool by_call = finding_check(finding->kind) == CHECK_DIVERGENCE;
    char *first = access_key(&finding->access[0], by_call);
    char *second = finding->access_count > 1 ? access_key(&finding->access[1], by_call) : strdup("");
    bool fine = first && second;
    bool swapped = fine && finding->access_count > 1 && strcmp(first, second) > 0;
    if (fine)
        fprintf(stream, "%s%s", swapped ? second : first, swapped ? first : second);
    free(first);
    free(second);
    return fine;
}

/* Is it a header of the C++ bindings, through which a program makes all its calls? */
static bool is_binding(const char *file)
{
    static const char *const names[] = {"/opencl.hpp", "/cl2.hpp", "/cl.hpp"};
    const char *name = file ? strrchr(file, '/') : NULL;
    bool known = false;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        known |= strcmp(name, names[i]) == 0;
    return known;
}

/*
 * Does the object belong to the key? Commands may have no line, so their memory distinguishes two mistakes.
 * For API calls it would make a finding of each object of a loop.
 */
static bool object_is_of_site(const struct finding *finding)
{
    bool placed = true;
    for (uint32_t i = 0; i < finding->access_count && i < 2; i++)
        placed &= finding->access[i].place.line != 0 && !is_binding(finding->access[i].place.file);
    return !placed && !finding_of_call(finding->kind);
}

char *report_key(const struct finding *finding, bool hidden)
{
    char *key = NULL;
    size_t size = 0;
    bool fine = true;
    FILE *stream = open_memstream(&key, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%d:%d:%" PRIu32 ":", hidden, (int)finding->kind, finding->access_count);
    key_text(stream, finding->kernel);
    if (finding->access_count) {
        fine = key_accesses(stream, finding);
        if (finding_of_call(finding->kind)) /* one line of the program may have several calls */
            key_text(stream, finding->access[0].what);
        if (object_is_of_site(finding))
            key_text(stream, finding->object);
        else if (finding_is_of_object(finding))
            fprintf(stream, "%.*s", (int)finding_object_name_length(finding->object), finding->object);
    } else {
        key_text(stream, finding->object);
        key_text(stream, finding->why);
    }
    if (fclose(stream) == 0 && fine)
        return key;
    free(key);
    return NULL;
}
