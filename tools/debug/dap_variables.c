/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values: variables, setVariable, setExpression, and an expression's value. A value with members gets a
 * handle with the expression that names it; its members are that expression's, by pages.
 */
#include "dap_adapter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the expression for a variable of a container, or of a frame. */
char *dap_expression_of(struct dap *dap, const json_t *arguments, const char *name, json_int_t *out_thread,
                        int *out_frame)
{
    const json_int_t container = NUMBER(arguments, "variablesReference"),
                     frame = NUMBER(arguments, "frameId");
    char *expression = NULL;
    *out_thread = NUMBER(dap->stop, "thread");
    *out_frame = 0;
    if (!container && !frame)
        return strdup(name);
    const struct dap_handle *handle =
        container ? dap_handle_find(dap, container, "variablesReference") : dap_frame_find(dap, frame);
    if (!handle)
        return NULL;
    *out_thread = handle->thread;
    *out_frame = handle->frame;
    if (handle->kind != HANDLE_VALUE)
        return strdup(name);
    const int length = name[0] == '*'   ? asprintf(&expression, "*(%s)", handle->text)
                       : name[0] == '[' ? asprintf(&expression, "(%s)%s", handle->text, name)
                                        : asprintf(&expression, "(%s).%s", handle->text, name);
    return length < 0 ? NULL : expression;
}

/* The engine's format for "format": {"hex": true}. */
static const char *format_of(const json_t *arguments)
{
    return json_is_true(json_object_get(json_object_get(arguments, "format"), "hex")) ? "X" : "";
}

static json_t *show_value(struct dap *dap, const json_t *value, const char *expression, json_int_t thread,
                          int frame, const char *key)
{
    const json_int_t children = NUMBER(value, "children");
    const bool indexed = json_is_true(json_object_get(value, "indexed"));
    const json_t *target = json_object_get(value, "points_to"), *address = json_object_get(value, "address");
    const json_int_t id =
        children ? dap_handle_new(dap, &(struct dap_handle){.kind = HANDLE_VALUE,
                                                            .thread = thread,
                                                            .frame = frame,
                                                            .text = (char *)(uintptr_t)expression,
                                                            .indexed = indexed})
                 : 0;
    json_t *shown = json_pack("{s:s,s:s,s:I}", key, TEXT(value, "value") ? TEXT(value, "value") : "", "type",
                              TEXT(value, "type") ? TEXT(value, "type") : "", "variablesReference", id);
    if (children)
        json_object_set_new(shown, indexed ? "indexedVariables" : "namedVariables", json_integer(children));
    if (target || address) {
        char reference[24];
        snprintf(reference, sizeof reference, "0x%" PRIx64,
                 (uint64_t)json_integer_value(target ? target : address));
        json_object_set_new(shown, "memoryReference", json_string(reference));
    }
    return shown;
}

static json_t *show_list(struct dap *dap, const json_t *list, const struct dap_handle *of)
{
    json_t *variables = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        json_t *shown = show_value(dap, value, TEXT(value, "expression"), of->thread, of->frame, "value");
        json_object_set(shown, "name", json_object_get(value, "name"));
        json_object_set_new(shown, "evaluateName", json_string(TEXT(value, "expression")));
        json_array_append_new(variables, shown);
    }
    return json_pack("{s:o}", "variables", variables);
}

static json_t *list_ids(struct dap *dap, const struct dap_handle *of, const json_t *arguments)
{
    static const char *const names[] = {"get_global_id(0)",   "get_global_id(1)",        "get_global_id(2)",
                                        "get_local_id(0)",    "get_local_id(1)",         "get_local_id(2)",
                                        "get_group_id(0)",    "get_group_id(1)",         "get_group_id(2)",
                                        "get_sub_group_id()", "get_sub_group_local_id()"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = dap_query(dap, json_pack("{s:s,s:s,s:I,s:i,s:s}", "verb", "evaluate", "expression",
                                                 names[i], "thread", of->thread, "frame", of->frame, "format",
                                                 format_of(arguments)));
        if (!value)
            continue;
        json_object_set_new(value, "name", json_string(names[i]));
        json_object_set_new(value, "expression", json_string(names[i]));
        json_array_append_new(list, value);
    }
    json_t *body = show_list(dap, list, of);
    json_decref(list);
    return body;
}

json_t *dap_variables(struct dap *dap, const json_t *arguments)
{
    const struct dap_handle *found =
        dap_handle_find(dap, NUMBER(arguments, "variablesReference"), "variablesReference");
    const char *filter = TEXT(arguments, "filter");
    json_t *answer, *body;
    if (!found)
        return NULL;
    struct dap_handle of = *found; /* the table may move */
    char *text = of.text ? strdup(of.text) : NULL;
    if (of.kind == HANDLE_IDS) {
        free(text);
        return list_ids(dap, &of, arguments);
    }
    if (of.kind == HANDLE_VALUE && filter && strcmp(filter, of.indexed ? "indexed" : "named")) {
        free(text);
        return json_pack("{s:[]}", "variables");
    }
    if (of.kind == HANDLE_SCOPE)
        answer =
            dap_query(dap, json_pack("{s:s,s:s,s:I,s:i,s:s}", "verb", "variables", "scope", text, "thread",
                                     of.thread, "frame", of.frame, "format", format_of(arguments)));
    else
        answer = dap_query(dap, json_pack("{s:s,s:s,s:I,s:i,s:b,s:I,s:I,s:s}", "verb", "evaluate",
                                          "expression", text, "thread", of.thread, "frame", of.frame,
                                          "expand", true, "start", NUMBER(arguments, "start"), "count",
                                          NUMBER(arguments, "count"), "format", format_of(arguments)));
    body = answer ? show_list(dap, json_object_get(answer, "list"), &of) : NULL;
    json_decref(answer);
    free(text);
    return body;
}

json_t *dap_evaluate_here(struct dap *dap, const json_t *arguments, const char *expression, bool assigns,
                          const char *key)
{
    json_int_t thread = NUMBER(dap->stop, "thread"), id = NUMBER(arguments, "frameId");
    int frame = 0;
    if (id) {
        const struct dap_handle *handle = dap_frame_find(dap, id);
        if (!handle)
            return NULL;
        thread = handle->thread;
        frame = handle->frame;
    }
    json_t *value = dap_query(dap, json_pack("{s:s,s:s,s:I,s:i,s:b,s:s}", "verb", "evaluate", "expression",
                                             expression, "thread", thread, "frame", frame, "assigns", assigns,
                                             "format", format_of(arguments)));
    if (!value)
        return NULL;
    json_t *shown = show_value(dap, value, expression, thread, frame, key);
    json_decref(value);
    return shown;
}

static json_t *assign(struct dap *dap, const json_t *arguments, const char *target, json_int_t thread,
                      int frame)
{
    char *text = NULL;
    json_t *body = NULL;
    if (!TEXT(arguments, "value") || asprintf(&text, "%s = %s", target, TEXT(arguments, "value")) < 0)
        return dap_fail(dap, "there is no value");
    json_t *value = dap_query(dap, json_pack("{s:s,s:s,s:I,s:i,s:b}", "verb", "evaluate", "expression", text,
                                             "thread", thread, "frame", frame, "assigns", true));
    if (value) {
        body = show_value(dap, value, target, thread, frame, "value");
        dap_announce_values(dap, json_object_get(value, "address"), NUMBER(value, "size"));
    }
    json_decref(value);
    free(text);
    return body;
}

json_t *dap_set_variable(struct dap *dap, const json_t *arguments)
{
    const char *name = TEXT(arguments, "name");
    json_int_t thread;
    int frame;
    char *target = name ? dap_expression_of(dap, arguments, name, &thread, &frame) : NULL;
    if (!target)
        return dap->error[0] ? NULL : dap_fail(dap, "setVariable needs a name");
    json_t *body = assign(dap, arguments, target, thread, frame);
    free(target);
    return body;
}

json_t *dap_set_expression(struct dap *dap, const json_t *arguments)
{
    json_int_t thread;
    int frame;
    char *target = TEXT(arguments, "expression")
                       ? dap_expression_of(dap, arguments, TEXT(arguments, "expression"), &thread, &frame)
                       : NULL;
    if (!target)
        return dap->error[0] ? NULL : dap_fail(dap, "setExpression needs an expression");
    json_t *body = assign(dap, arguments, target, thread, frame);
    free(target);
    return body;
}
