/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the client counts lines and columns and writes paths, as its initialize says. This adapter counts from
 * 1 and writes plain paths; messages are changed as they come and go.
 */
#include "dap_adapter.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

static const char uri_head[] = "file://";

static bool is_false(const json_t *arguments, const char *key)
{
    return json_is_false(json_object_get(arguments, key));
}

void dap_take_client_forms(struct dap *dap, const json_t *arguments)
{
    const char *paths = TEXT(arguments, "pathFormat");
    dap->client.lines_from_0 = is_false(arguments, "linesStartAt1");
    dap->client.columns_from_0 = is_false(arguments, "columnsStartAt1");
    dap->client.uris = paths && !strcmp(paths, "uri");
}

static json_t *uri_of(const char *path)
{
    char *uri = malloc(sizeof uri_head + 3 * strlen(path)), *at = uri;
    if (!uri)
        tools_no_memory();
    at += sprintf(at, "%s", uri_head);
    for (; *path; path++)
        at += sprintf(at, isalnum((unsigned char)*path) || strchr("/-_.~", *path) ? "%c" : "%%%02X",
                      (unsigned char)*path);
    json_t *shown = json_string(uri);
    free(uri);
    return shown;
}

static json_t *path_of(const char *uri)
{
    const char *from = uri + sizeof uri_head - 1;
    char *path = strdup(from), *at = path;
    if (!path)
        tools_no_memory();
    for (; *from; from++, at++) {
        const bool escaped =
            *from == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]);
        const char digits[3] = {from[1], escaped ? from[2] : '\0', '\0'};
        *at = escaped ? (char)strtol(digits, NULL, 16) : *from;
        from += escaped ? 2 : 0;
    }
    *at = '\0';
    json_t *plain = json_string(path);
    free(path);
    return plain;
}

/* The member in the other form; NULL: it stays. */
static json_t *changed(const struct dap *dap, const char *key, const json_t *value, bool to_client)
{
    const bool line = !strcmp(key, "line") || !strcmp(key, "endLine"),
               column = !strcmp(key, "column") || !strcmp(key, "endColumn");
    const bool counts = (line && dap->client.lines_from_0) || (column && dap->client.columns_from_0);
    const char *text = json_string_value(value);
    if (counts && json_is_integer(value) && (json_integer_value(value) > 0 || !to_client))
        return json_integer(json_integer_value(value) + (to_client ? -1 : 1));
    if (!dap->client.uris || !text || strcmp(key, "path") != 0)
        return NULL;
    if (to_client)
        return *text == '/' ? uri_of(text) : NULL;
    return strncmp(text, uri_head, sizeof uri_head - 1) ? NULL : path_of(text);
}

static void change(const struct dap *dap, json_t *json, bool to_client)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_array(json))
        json_array_foreach(json, i, value) change(dap, value, to_client);
    if (!json_is_object(json))
        return;
    json_object_foreach(json, key, value)
    {
        json_t *other = changed(dap, key, value, to_client);
        if (other)
            json_object_set_new(json, key, other);
        else
            change(dap, value, to_client);
    }
}

static bool is_own_form(const struct dap *dap)
{
    return !dap->client.lines_from_0 && !dap->client.columns_from_0 && !dap->client.uris;
}

void dap_from_client(const struct dap *dap, json_t *arguments)
{
    if (!is_own_form(dap))
        change(dap, arguments, false);
}

json_t *dap_to_client(const struct dap *dap, json_t *body)
{
    if (is_own_form(dap))
        return body;
    json_t *copy = json_deep_copy(body);
    json_decref(body);
    change(dap, copy, true);
    return copy;
}
