/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a source that the program names but does not contain: that of the file, as the producer of a
 * SPIR-V module named it. A relative name is looked for beside the scenario.
 */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "orrery/scenario.h"
#include "session_state.h"

enum { SOURCE_BYTES_MOST = 1 << 24 };

static bool is_listed(struct session *session, const char *file)
{
    json_t *answer = session_ask(session, json_pack("{s:s}", "verb", "sources"));
    const json_t *list = json_object_get(answer, "list");
    bool found = false;
    for (size_t i = 0; i < json_array_size(list) && !found; i++)
        found = !strcmp(json_string_value(json_array_get(list, i)), file);
    json_decref(answer);
    return found;
}

char *session_source_path(const struct session *session, const char *name)
{
    char *own = session->scenario && session->scenario->file ? strdup(session->scenario->file) : NULL,
         *path = NULL, *real = NULL;
    struct stat status;
    if (*name == '/')
        real = realpath(name, NULL);
    else if (own && asprintf(&path, "%s/%s", dirname(own), name) >= 0)
        real = realpath(path, NULL);
    free(path);
    free(own);
    if (real && stat(real, &status) == 0 && S_ISREG(status.st_mode))
        return real;
    free(real);
    return NULL;
}

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(SOURCE_BYTES_MOST + 1) : NULL;
    const size_t size = text ? fread(text, 1, SOURCE_BYTES_MOST, file) : 0;
    if (text)
        text[size] = '\0';
    if (file)
        fclose(file);
    return text;
}

json_t *session_source_of_file(struct session *session, const char *file)
{
    char *path = is_listed(session, file) ? session_source_path(session, file) : NULL,
         *text = path ? text_of(path) : NULL;
    json_t *shown = text ? json_string(text) : NULL;
    free(path);
    free(text);
    return shown ? json_pack("{s:s,s:o}", "file", file, "text", shown) : NULL;
}
