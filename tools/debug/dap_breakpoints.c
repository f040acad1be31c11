/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakpoints by line, by function and by kind of finding. A request replaces all of its kind (of its
 * file); the engine gets the union of all kinds, and of those that the console set.
 */
#include "dap_adapter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those with options that were understood. */
static void add_meant(json_t *all, const json_t *points)
{
    for (size_t i = 0; i < json_array_size(points); i++)
        if (!TEXT(json_array_get(points, i), "wrong"))
            json_array_append(all, json_array_get(points, i));
}

json_t *dap_send_points(struct dap *dap)
{
    json_t *all = json_array();
    json_t *of_verbs = terminal_points_enabled(&dap->terminal);
    for (int i = 0; i < DAP_POINT_KINDS && !dap->without_stops; i++)
        add_meant(all, dap->points[i]);
    json_array_extend(all, of_verbs);
    json_decref(of_verbs);
    return dap_accepted(dap, session_points(dap->session, all));
}

/* Returns how many hits do not stop: "5", ">= 5" and "> 4" mean the fifth hit and those after it: 4. Of
 * another text -1. */
static json_int_t ignored_hits(const char *condition)
{
    char *end;
    const char *digits = condition + strspn(condition, " >=");
    const bool more = strchr(condition, '>') && !strchr(condition, '=');
    const json_int_t count = strtoll(digits, &end, 10);
    return end == digits || end[strspn(end, " ")] || count < 0 ? -1 : count > 0 ? count - !more : 0;
}

static void take_hits(json_t *point, const char *condition)
{
    const json_int_t ignored = ignored_hits(condition);
    if (ignored < 0)
        json_object_set_new(
            point, "wrong",
            json_sprintf("found hit count '%s', expected a number, as in 5, >= 5 or > 4", condition));
    else
        json_object_set_new(point, "ignore", json_integer(ignored));
}

static void note_verified(struct dap *dap, json_int_t id, bool verified)
{
    char key[24];
    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT, id);
    if (verified)
        json_object_set_new(dap->verified, key, json_true());
}

static bool is_known(const struct dap *dap, json_int_t id)
{
    char key[24];
    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT, id);
    return json_object_get(dap->verified, key) != NULL;
}

bool dap_sets_breakpoints(const char *command)
{
    static const char *const commands[] = {"setBreakpoints", "setFunctionBreakpoints",
                                           "setExceptionBreakpoints", "setDataBreakpoints"};
    for (size_t i = 0; command && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i], command))
            return true;
    return false;
}

/* A kernel has lines and functions that kernels before it had not. */
void dap_announce_breakpoints(struct dap *dap)
{
    json_t *answer = dap_query(dap, json_pack("{s:s}", "verb", "points"));
    const json_t *places = json_object_get(answer, "points");
    for (size_t i = 0; i < json_array_size(places); i++) {
        const json_t *place = json_array_get(places, i);
        const json_int_t id = NUMBER(place, "id");
        if (!json_is_true(json_object_get(place, "verified")) || is_known(dap, id))
            continue;
        note_verified(dap, id, true);
        dap_event(dap, "breakpoint",
                  json_pack("{s:s,s:{s:I,s:b,s:O*}}", "reason", "changed", "breakpoint", "id", id, "verified",
                            true, "line", json_object_get(place, "line")));
    }
    json_decref(answer);
}

json_t *dap_breakpoints_body(struct dap *dap, const json_t *mine)
{
    json_t *answer = dap_send_points(dap), *list = json_array();
    const json_t *places = json_object_get(answer, "points");
    for (size_t i = 0; i < json_array_size(mine); i++) {
        const json_t *point = json_array_get(mine, i);
        json_t *shown = json_pack("{s:I,s:b}", "id", NUMBER(point, "id"), "verified", false);
        for (size_t k = 0; k < json_array_size(places); k++) {
            const json_t *place = json_array_get(places, k);
            if (NUMBER(place, "id") != NUMBER(point, "id"))
                continue;
            json_object_set(shown, "verified", json_object_get(place, "verified"));
            json_object_set(shown, "line", json_object_get(place, "line"));
        }
        note_verified(dap, NUMBER(shown, "id"), json_is_true(json_object_get(shown, "verified")));
        if (!json_is_true(json_object_get(shown, "verified")))
            json_object_set_new(shown, "message",
                                json_string(TEXT(point, "wrong") ? TEXT(point, "wrong")
                                                                 : "the kernel that runs has no such place"));
        json_array_append_new(list, shown);
    }
    json_decref(answer);
    return json_pack("{s:o}", "breakpoints", list);
}

void dap_take_options(json_t *point, const json_t *from)
{
    if (TEXT(from, "condition"))
        json_object_set(point, "condition", json_object_get(from, "condition"));
    if (TEXT(from, "hitCondition") && *TEXT(from, "hitCondition"))
        take_hits(point, TEXT(from, "hitCondition"));
    if (TEXT(from, "logMessage"))
        json_object_set(point, "log", json_object_get(from, "logMessage"));
}

/* The last part of the path of a request's source. */
static const char *source_name(const json_t *arguments)
{
    const json_t *source = json_object_get(arguments, "source");
    const char *path = TEXT(source, "path") ? TEXT(source, "path") : TEXT(source, "name"),
               *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

json_t *dap_set_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *wanted = json_object_get(arguments, "breakpoints");
    const char *name = source_name(arguments);
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    if (!name)
        return dap_fail(dap, "setBreakpoints needs a source with a path or a name");
    for (size_t i = json_array_size(dap->points[BY_LINE]); i-- > 0;)
        if (!strcmp(TEXT(json_array_get(dap->points[BY_LINE], i), "file"), name))
            json_array_remove(dap->points[BY_LINE], i);
    json_t *mine = json_array();
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *breakpoint = json_array_get(wanted, i);
        json_t *point = json_pack("{s:I,s:s,s:s,s:I}", "id", ++dap->next_point, "kind", "line", "file", name,
                                  "line", NUMBER(breakpoint, "line"));
        dap_take_options(point, breakpoint);
        json_array_append_new(mine, point);
    }
    json_array_extend(dap->points[BY_LINE], mine);
    json_t *body = dap_breakpoints_body(dap, mine);
    const json_t *list = json_object_get(body, "breakpoints");
    for (size_t i = 0; i < json_array_size(list); i++)
        json_object_set_new(json_array_get(list, i), "source", dap_source_of(dap, name));
    json_decref(mine);
    return body;
}

json_t *dap_breakpoint_locations(struct dap *dap, const json_t *arguments)
{
    const json_int_t first = NUMBER(arguments, "line"),
                     last = NUMBER(arguments, "endLine") ? NUMBER(arguments, "endLine") : first;
    const char *name = source_name(arguments);
    json_t *answer = dap_query(dap, json_pack("{s:s,s:s*}", "verb", "lines", "file", name)),
           *list = json_array();
    const json_t *lines = json_object_get(answer, "lines");
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_int_t line = json_integer_value(json_array_get(lines, i));
        if (line >= first && line <= last)
            json_array_append_new(list, json_pack("{s:I}", "line", line));
    }
    json_decref(answer);
    return json_pack("{s:o}", "breakpoints", list);
}

json_t *dap_set_function_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *wanted = json_object_get(arguments, "breakpoints");
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    json_array_clear(dap->points[BY_FUNCTION]);
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const json_t *breakpoint = json_array_get(wanted, i);
        json_t *point = json_pack("{s:I,s:s,s:s}", "id", ++dap->next_point, "kind", "function", "function",
                                  TEXT(breakpoint, "name") ? TEXT(breakpoint, "name") : "");
        dap_take_options(point, breakpoint);
        json_array_append_new(dap->points[BY_FUNCTION], point);
    }
    return dap_breakpoints_body(dap, dap->points[BY_FUNCTION]);
}

static bool add_filter(struct dap *dap, const char *filter)
{
    enum finding_kind kind;
    const bool all = filter && !strcmp(filter, "findings");
    if (!all && (!filter || !finding_from_id(filter, &kind))) {
        dap_fail(dap, "found filter '%s', expected findings or the id of a kind of finding",
                 filter ? filter : "");
        return false;
    }
    json_t *point = json_pack("{s:I,s:s}", "id", ++dap->next_point, "kind", "finding");
    if (!all)
        json_object_set_new(point, "expression", json_string(filter));
    json_array_append_new(dap->points[BY_FINDING], point);
    return true;
}

json_t *dap_set_exception_breakpoints(struct dap *dap, const json_t *arguments)
{
    const json_t *filters = json_object_get(arguments, "filters"),
                 *options = json_object_get(arguments, "filterOptions");
    if (!dap->session)
        return dap_fail(dap, "nothing is launched");
    json_array_clear(dap->points[BY_FINDING]);
    for (size_t i = 0; i < json_array_size(filters); i++)
        if (!add_filter(dap, json_string_value(json_array_get(filters, i))))
            return NULL;
    for (size_t i = 0; i < json_array_size(options); i++)
        if (!add_filter(dap, TEXT(json_array_get(options, i), "filterId")))
            return NULL;
    return dap_breakpoints_body(dap, dap->points[BY_FINDING]);
}

json_t *dap_exception_info(struct dap *dap, const json_t *arguments)
{
    const json_t *finding = json_object_get(dap->stop, "finding");
    (void)arguments;
    if (!finding)
        return dap_fail(dap, "this stop is no finding");
    return json_pack("{s:s,s:s,s:s,s:{s:s}}", "exceptionId", TEXT(finding, "id"), "description",
                     TEXT(finding, "sentence"), "breakMode", "always", "details", "message",
                     TEXT(finding, "text"));
}
