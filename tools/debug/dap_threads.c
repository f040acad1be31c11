/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the protocol: the work-items of the focused work-group, numbered 1 + global linear id, and its
 * sub-groups, numbered SUB_GROUPS + their first work-item that has not ended.
 */
#include "dap_adapter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

/* The id of a sub-group is SUB_GROUPS plus the number of its first work-item. */
static const json_int_t SUB_GROUPS = INT64_C(1) << 48;

static bool is_same_sub_group(const json_t *thread, const json_t *other)
{
    return NUMBER(thread, "sub_group") == NUMBER(other, "sub_group") &&
           json_equal(json_object_get(thread, "group"), json_object_get(other, "group"));
}

static bool is_active(const json_t *thread)
{
    return strncmp(TEXT(thread, "state"), "waits for", 9) != 0;
}

/* Returns the work-item that a thread means: of a sub-group, its first active one. */
json_int_t dap_item_of(struct dap *dap, json_int_t thread)
{
    if (thread < SUB_GROUPS)
        return thread;
    json_t *answer = dap_query(dap, json_pack("{s:s}", "verb", "threads"));
    const json_t *list = json_object_get(answer, "threads"), *of = NULL;
    json_int_t item = thread - SUB_GROUPS;
    for (size_t i = 0; i < json_array_size(list) && !of; i++)
        if (NUMBER(json_array_get(list, i), "id") == item)
            of = json_array_get(list, i);
    for (size_t i = 0; of && i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        if (!is_same_sub_group(of, other) || !is_active(other))
            continue;
        item = NUMBER(other, "id");
        break;
    }
    json_decref(answer);
    return item;
}

static void add_sub_group(json_t *list, const json_t *first)
{
    char name[160];
    const json_t *group = json_object_get(first, "group");
    snprintf(name, sizeof name,
             "sub-group %" JSON_INTEGER_FORMAT " of work-group (%" JSON_INTEGER_FORMAT
             ",%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ")",
             NUMBER(first, "sub_group"), json_integer_value(json_array_get(group, 0)),
             json_integer_value(json_array_get(group, 1)), json_integer_value(json_array_get(group, 2)));
    json_array_append_new(list, json_pack("{s:I,s:s}", "id", SUB_GROUPS + NUMBER(first, "id"), "name", name));
}

/* Adds the sub-groups after the work-items, each numbered by its first work-item that has not ended. */
static void add_sub_groups(json_t *list, const json_t *threads)
{
    json_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(threads); i++) {
        const json_t *thread = json_array_get(threads, i);
        char *key = json_dumps(json_object_get(thread, "group"), JSON_COMPACT), *name = NULL;
        if (!key || asprintf(&name, "%s %" JSON_INTEGER_FORMAT, key, NUMBER(thread, "sub_group")) < 0)
            tools_no_memory();
        if (!json_object_get(seen, name))
            add_sub_group(list, thread);
        json_object_set_new(seen, name, json_true());
        free(name);
        free(key);
    }
    json_decref(seen);
}

json_t *dap_threads(struct dap *dap, const json_t *arguments)
{
    (void)arguments;
    json_t *answer = dap_query(dap, json_pack("{s:s}", "verb", "threads")), *list = json_array();
    for (size_t i = 0; i < json_array_size(json_object_get(answer, "threads")); i++) {
        const json_t *thread = json_array_get(json_object_get(answer, "threads"), i),
                     *ids = json_object_get(thread, "global");
        char name[160];
        snprintf(name, sizeof name,
                 "work-item (%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT ",%" JSON_INTEGER_FORMAT
                 "), sub-group %" JSON_INTEGER_FORMAT,
                 json_integer_value(json_array_get(ids, 0)), json_integer_value(json_array_get(ids, 1)),
                 json_integer_value(json_array_get(ids, 2)), NUMBER(thread, "sub_group"));
        json_array_append_new(list, json_pack("{s:I,s:s}", "id", NUMBER(thread, "id"), "name", name));
    }
    add_sub_groups(list, json_object_get(answer, "threads"));
    json_decref(answer);
    if (!json_array_size(list))
        json_array_append_new(list, json_pack("{s:i,s:s}", "id", 1, "name", "no work-item runs"));
    json_decref(dap->threads);
    dap->threads = json_pack("{s:o}", "threads", list);
    return json_incref(dap->threads);
}

/* A client that asks while the target runs needs a thread, to pause it. */
json_t *dap_known_threads(const struct dap *dap)
{
    return dap->threads ? json_incref(dap->threads)
                        : json_pack("{s:[{s:i,s:s}]}", "threads", "id", 1, "name", "the kernel that runs");
}

/* Moves the focus to the work-item; the threads are then the work-items of its work-group. */
bool dap_focus_on(struct dap *dap, json_int_t thread)
{
    json_t *place = dap_query(dap, json_pack("{s:s,s:I}", "verb", "focus", "thread", thread));
    if (!place)
        return false;
    json_t *stop =
        json_pack("{s:s,s:O*}", "reason", "focus", "position", json_object_get(dap->stop, "position"));
    json_object_update(stop, place);
    json_decref(place);
    json_decref(dap->stop);
    dap->stop = stop;
    return dap->moved = true;
}

/* Moves the focus to a global id, in any work-group that has begun. */
json_t *dap_focus(struct dap *dap, const json_t *arguments)
{
    const json_t *wanted = json_object_get(arguments, "global_id");
    json_t *launch = dap_query(dap, json_pack("{s:s}", "verb", "launch"));
    const json_t *sizes = json_object_get(launch, "global_size"),
                 *offsets = json_object_get(launch, "global_offset");
    json_int_t number = 0;
    if (!launch)
        return NULL;
    if (!json_is_array(wanted) || json_array_size(wanted) < 1 || json_array_size(wanted) > 3) {
        json_decref(launch);
        return dap_fail(dap, "orrery/focus needs \"global_id\": one to three numbers");
    }
    for (size_t k = 3; k-- > 0;) {
        const json_int_t offset = json_integer_value(json_array_get(offsets, k)),
                         size = json_integer_value(json_array_get(sizes, k)),
                         id = k < json_array_size(wanted) ? json_integer_value(json_array_get(wanted, k))
                                                          : offset;
        if (id < offset || id - offset >= size)
            dap_fail(dap,
                     "found %" JSON_INTEGER_FORMAT " in dimension %zu, expected %" JSON_INTEGER_FORMAT
                     " to %" JSON_INTEGER_FORMAT,
                     id, k, offset, offset + size - 1);
        number = number * size + id - offset;
    }
    json_decref(launch);
    if (dap->error[0] || !dap_focus_on(dap, number + 1))
        return NULL;
    return json_pack("{s:I}", "threadId", number + 1);
}
