/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data breakpoints. A data id is "memory:ADDRESS:SIZE", or "private:THREAD:EXPRESSION" for private memory,
 * whose address means another place in each work-item: there the value of the expression is compared at
 * each line.
 */
#include "dap_adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *dap_data_breakpoint_info(struct dap *dap, const json_t *arguments)
{
    const char *name = TEXT(arguments, "name");
    json_int_t thread, bytes = NUMBER(arguments, "bytes");
    int frame;
    if (!name)
        return dap_fail(dap, "dataBreakpointInfo needs a name");
    if (json_is_true(json_object_get(arguments, "asAddress"))) {
        char id[64];
        snprintf(id, sizeof id, "memory:%llu:%lld", strtoull(name, NULL, 0), (long long)(bytes ? bytes : 1));
        return json_pack("{s:s,s:s,s:[s,s,s],s:b}", "dataId", id, "description", name, "accessTypes", "read",
                         "write", "readWrite", "canPersist", true);
    }
    char *expression = dap_expression_of(dap, arguments, name, &thread, &frame);
    if (!expression)
        return NULL;
    json_t *value = dap_query(dap, json_pack("{s:s,s:s,s:I,s:i}", "verb", "evaluate", "expression",
                                             expression, "thread", thread, "frame", frame)),
           *body = NULL;
    const json_t *address = json_object_get(value, "address");
    char *id = NULL;
    if (!value || !address)
        body = json_pack("{s:n,s:s}", "dataId", "description",
                         value ? "only what is in memory can be watched" : dap->error);
    else if (json_is_true(json_object_get(value, "private")) &&
             asprintf(&id, "private:%" JSON_INTEGER_FORMAT ":%s", thread, expression) >= 0)
        body = json_pack("{s:s,s:s,s:[s]}", "dataId", id, "description", expression, "accessTypes", "write");
    else if (asprintf(&id, "memory:%" JSON_INTEGER_FORMAT ":%" JSON_INTEGER_FORMAT,
                      json_integer_value(address), bytes ? bytes : NUMBER(value, "size")) >= 0)
        body = json_pack("{s:s,s:s,s:[s,s,s],s:b}", "dataId", id, "description", expression, "accessTypes",
                         "read", "write", "readWrite", "canPersist", true);
    free(id);
    free(expression);
    json_decref(value);
    return body;
}

static json_t *data_point(struct dap *dap, const char *id, const char *access)
{
    const char *first = id ? strchr(id, ':') : NULL, *second = first ? strchr(first + 1, ':') : NULL;
    if (!second) {
        dap_fail(dap, "found data id '%s', expected one of dataBreakpointInfo", id ? id : "");
        return NULL;
    }
    if (!strncmp(id, "private:", 8))
        return json_pack("{s:I,s:s,s:s,s:I,s:I}", "id", ++dap->next_point, "kind", "expression", "expression",
                         second + 1, "thread", (json_int_t)strtoll(first + 1, NULL, 10), "launch",
                         NUMBER(dap->stop, "launch"));
    const bool reads = access && strcmp(access, "write"), writes = !access || strcmp(access, "read");
    return json_pack("{s:I,s:s,s:I,s:I,s:b,s:b}", "id", ++dap->next_point, "kind", "watch", "address",
                     (json_int_t)strtoll(first + 1, NULL, 10), "size",
                     (json_int_t)strtoll(second + 1, NULL, 10), "read", reads, "write", writes);
}

json_t *dap_set_data_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *wanted = json_object_get(arguments, "breakpoints");
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    json_array_clear(dap->points[BY_DATA]);
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *breakpoint = json_array_get(wanted, i);
        json_t *point = data_point(dap, TEXT(breakpoint, "dataId"), TEXT(breakpoint, "accessType"));
        if (!point)
            return NULL;
        dap_take_options(point, breakpoint);
        json_array_append_new(dap->points[BY_DATA], point);
    }
    return dap_breakpoints_body(dap, dap->points[BY_DATA]);
}
