/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests source, loadedSources and modules. A source has a path if its file is the scenario's own or
 * one that the program opened; any other text (of the scenario itself, or of the host program's
 * clCreateProgramWithSource) has a reference, 1 + its index.
 */
#include "dap_adapter.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static char *scenario_path(const struct dap *dap, const char *name)
{
    const char *file = dap->scenario.program.source_file;
    char *copy = strdup(dap->scenario.file ? dap->scenario.file : ""), *path = NULL, *real = NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file && copy && !strcmp(slash ? slash + 1 : file, name) &&
        asprintf(&path, file[0] == '/' ? "%.0s%s" : "%s/%s", dirname(copy), file) >= 0)
        real = realpath(path, NULL);
    free(path);
    free(copy);
    return real;
}

/* A process that ran before the session has a working directory of its own. */
char *dap_program_path(const struct dap *dap, const char *name)
{
    char *path = NULL, *real = NULL;
    if (*name == '/' || !dap->session || !session_attached(dap->session))
        return realpath(name, NULL);
    if (asprintf(&path, "/proc/%d/cwd/%s", session_process(dap->session), name) >= 0)
        real = realpath(path, NULL);
    free(path);
    return real;
}

/* A program's source has the name of the file with that text, as the program opened it, or none of a file. */
static char *path_of(const struct dap *dap, const char *name)
{
    const bool program = dap->command || (dap->session && session_attached(dap->session));
    if (program)
        return dap_program_path(dap, name);
    if (dap->session && dap->scenario.program.spirv_file)
        return session_source_path(dap->session, name);
    return scenario_path(dap, name);
}

json_t *dap_source_of(struct dap *dap, const char *name)
{
    char *path = path_of(dap, name);
    json_t *source = json_pack("{s:s}", "name", name);
    if (path) {
        json_object_set_new(source, "path", json_string(path));
        free(path);
        return source;
    }
    size_t i = 0;
    while (i < json_array_size(dap->sources) &&
           strcmp(json_string_value(json_array_get(dap->sources, i)), name))
        i++;
    if (i == json_array_size(dap->sources))
        json_array_append_new(dap->sources, json_string(name));
    json_object_set_new(source, "sourceReference", json_integer((json_int_t)i + 1));
    return source;
}

json_t *dap_source(struct dap *dap, const json_t *arguments)
{
    const json_t *source = json_object_get(arguments, "source");
    const json_int_t reference = NUMBER(source, "sourceReference") ? NUMBER(source, "sourceReference")
                                                                   : NUMBER(arguments, "sourceReference");
    const char *name = reference > 0 ? json_string_value(json_array_get(dap->sources, (size_t)reference - 1))
                                     : TEXT(source, "name");
    json_t *answer = dap_query(dap, json_pack("{s:s,s:s*}", "verb", "source", "file", name));
    json_t *body = answer ? json_pack("{s:s}", "content", TEXT(answer, "text")) : NULL;
    json_decref(answer);
    return body;
}

json_t *dap_loaded_sources(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    json_t *answer = dap_query(dap, json_pack("{s:s}", "verb", "sources")), *list = json_array();
    for (size_t i = 0; i < json_array_size(json_object_get(answer, "list")); i++)
        json_array_append_new(
            list, dap_source_of(dap, json_string_value(json_array_get(json_object_get(answer, "list"), i))));
    json_decref(answer);
    return json_pack("{s:o}", "sources", list);
}

/* A module is a program object; the engine has that of the launch. */
json_t *dap_modules(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    json_t *answer = dap_query(dap, json_pack("{s:s}", "verb", "modules")), *list = json_array();
    for (size_t i = 0; i < json_array_size(json_object_get(answer, "list")); i++) {
        const json_t *module = json_array_get(json_object_get(answer, "list"), i);
        char *path = path_of(dap, TEXT(module, "name"));
        json_array_append_new(list, json_pack("{s:I,s:s,s:s*,s:b,s:s}", "id", (json_int_t)i + 1, "name",
                                              TEXT(module, "name"), "path", path, "isUserCode", true,
                                              "symbolStatus", TEXT(module, "symbols")));
        free(path);
    }
    json_decref(answer);
    const json_int_t count = (json_int_t)json_array_size(list);
    return json_pack("{s:o,s:I}", "modules", list, "totalModules", count);
}
