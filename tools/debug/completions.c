/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that begin with the letters before the cursor: variables in sight, then functions of OpenCL C for
 * work-items. After a dot or an arrow nothing is offered, since the type before it is not known here.
 */
#include "completions.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Members are not offered, since the type of what precedes is not known here. */
static bool is_member(const char *text, size_t start)
{
    while (start && text[start - 1] == ' ')
        start--;
    const bool by_arrow = start >= 2 && strncmp(text + start - 2, "->", 2) == 0;
    return by_arrow || (start && text[start - 1] == '.');
}

static bool is_there(const json_t *targets, const char *name)
{
    for (size_t i = 0; i < json_array_size(targets); i++)
        if (!strcmp(json_string_value(json_object_get(json_array_get(targets, i), "label")), name))
            return true;
    return false;
}

struct typed {
    const char *letters;
    size_t start, length;
};

static void offer(json_t *targets, const struct typed *typed, const char *name, const char *type)
{
    if (name && !strncmp(name, typed->letters, typed->length) && !is_there(targets, name))
        json_array_append_new(targets,
                              json_pack("{s:s,s:s,s:I,s:I}", "label", name, "type", type, "start",
                                        (json_int_t)typed->start + 1, "length", (json_int_t)typed->length));
}

json_t *completions_find(const char *text, size_t column, const json_t *variables)
{
    static const char *const functions[] = {"get_global_id", "get_local_id", "get_group_id",
                                            "get_sub_group_id", "get_sub_group_local_id"};
    const size_t size = strlen(text), end = column == 0 ? 0 : column - 1 < size ? column - 1 : size;
    size_t start = end;
    json_t *targets = json_array();
    while (start && is_letter(text[start - 1]))
        start--;
    if ((start < end && isdigit((unsigned char)text[start])) || is_member(text, start))
        return targets;
    const struct typed typed = {text + start, start, end - start};
    for (size_t i = 0; i < json_array_size(variables); i++)
        offer(targets, &typed, json_string_value(json_object_get(json_array_get(variables, i), "name")),
              "variable");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        offer(targets, &typed, functions[i], "function");
    return targets;
}
