/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of the page of `orrery serve`: the files on the command line, or the installed teaching
 * examples. */
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/serve/serve.h"
#include "tools/tools.h"

/* malloc'd; NULL: the file cannot be read, or is longer than a text that may be run. */
static char *text_of(const char *path)
{
    FILE *stream = fopen(path, "re");
    char *text = stream ? calloc(1, SERVE_TEXT_BYTES + 2) : NULL;
    const size_t size = text ? fread(text, 1, SERVE_TEXT_BYTES + 1, stream) : 0;
    const bool fine = text && !ferror(stream) && size <= SERVE_TEXT_BYTES && !memchr(text, '\0', size);
    if (stream)
        fclose(stream);
    if (fine)
        return text;
    free(text);
    return NULL;
}

/* ---- a source beside a scenario -------------------------------------------------------------- */

static void put_indented(const char *text, FILE *stream)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length)
            fputs("    ", stream);
        fprintf(stream, "%.*s\n", (int)length, text);
    }
}

static char *source_of(const char *path, const char *name, size_t length)
{
    const char *slash = strrchr(path, '/');
    char *file = NULL;
    if (asprintf(&file, "%.*s%.*s", slash ? (int)(slash - path) + 1 : 0, path, (int)length, name) < 0)
        tools_no_memory();
    char *text = text_of(file);
    free(file);
    return text;
}

/* A served text cannot name files, so `program: {source: NAME}` is replaced by the source. Other forms
 * stay; a run of them reports the file that it does not find. */
static char *with_source(const char *path, char *text)
{
    static const char key[] = "\nprogram: {source: ";
    char *found = strstr(text, key), *name = found ? found + strlen(key) : NULL, *joined = NULL;
    const size_t length = name ? strcspn(name, ",}\" \n") : 0;
    char *source = name && name[length] == '}' ? source_of(path, name, length) : NULL;
    size_t size = 0;
    FILE *stream = source ? open_memstream(&joined, &size) : NULL;
    if (!stream) {
        free(source);
        return text;
    }
    fprintf(stream, "%.*s\nprogram:\n  text: |\n", (int)(found - text), text);
    put_indented(source, stream);
    fputs(name + length + 1 + strspn(name + length + 1, "\n"), stream);
    if (fclose(stream) != 0)
        tools_no_memory();
    free(source);
    free(text);
    return joined;
}

/* ---- the list -------------------------------------------------------------------------------- */

static bool add_example(json_t *list, const char *path, const char *name)
{
    char *text = text_of(path);
    if (text)
        text = with_source(path, text);
    json_t *example = text ? json_pack("{ss ss}", "name", name, "text", text) : NULL;
    free(text);
    return example && json_array_append_new(list, example) == 0;
}

/* Adds the teaching examples below `directory`. */
static void add_installed(json_t *list, const char *directory)
{
    static const char *const patterns[] = {"examples/labs/*.cl", "examples/labs/*.yaml",
                                           "scenarios/litmus/teaching/*.litmus"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char pattern[2 * PATH_MAX];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s", directory, patterns[i]);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        for (size_t k = 0; k < found.gl_pathc && json_array_size(list) < SERVE_EXAMPLES; k++)
            add_example(list, found.gl_pathv[k], strrchr(found.gl_pathv[k], '/') + 1);
        globfree(&found);
    }
}

/* The first of these that has examples: the sources, if the command is in their build tree; an installation
 * that was moved; this installation. */
static void add_default(json_t *list)
{
    static const char *const beside[] = {"..", "../share/orrery"};
    char own[PATH_MAX], path[PATH_MAX + 32];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length > 0) {
        own[length] = '\0';
        *strrchr(own, '/') = '\0';
    }
    for (size_t i = 0; length > 0 && i < sizeof beside / sizeof *beside && !json_array_size(list); i++) {
        snprintf(path, sizeof path, "%s/%s", own, beside[i]);
        add_installed(list, path);
    }
    if (!json_array_size(list))
        add_installed(list, ORRERY_DATADIR);
}

/* "</script>" in a text would end the script of the page. */
static char *escaped(char *json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = json ? open_memstream(&text, &size) : NULL;
    if (!stream)
        tools_no_memory();
    for (const char *c = json; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", stream);
        else
            fputc(*c, stream);
    }
    if (fclose(stream) != 0)
        tools_no_memory();
    free(json);
    return text;
}

char *serve_examples(char *const *files)
{
    json_t *list = json_array();
    bool fine = list != NULL;
    for (size_t i = 0; files[i] && fine; i++) {
        fine = add_example(list, files[i], files[i]);
        if (!fine)
            tools_message("error: %s: %s", files[i],
                          access(files[i], R_OK) != 0 ? strerror(errno)
                                                      : "expected a text of at most 1 MiB in UTF-8");
    }
    if (fine && !files[0])
        add_default(list);
    char *text = fine ? escaped(json_dumps(list, JSON_COMPACT)) : NULL;
    json_decref(list);
    return text;
}
