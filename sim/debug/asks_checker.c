/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries that need the race checker: would an access here race, and what happens before this place? A query
 * changes the checker's state. So a copy of the process makes the query, and its reply arrives through a
 * pipe. The run continues as if there had been no query.
 */
#include "debugger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/device/device_state.h"
#include "sim/memmodel/checkers.h"

enum { ACCESS_BYTES_MOST = 128 };

/* ---- a copy that replies --------------------------------------------------------------------- */

struct query {
    struct debugger *debugger;
    const struct view *view;
    struct race_inquiry inquiry;
    json_t *list;
};
typedef json_t *inquire(struct query *query);

static int write_bytes(const char *bytes, size_t size, void *fd)
{
    while (size) {
        const ssize_t written = write(*(int *)fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return -1;
        bytes += written;
        size -= (size_t)written;
    }
    return 0;
}

static json_t *query_copy(struct query *query, inquire *question)
{
    int ends[2];
    if (pipe(ends) < 0)
        return debugger_refuse("no pipe for a copy of the process");
    const pid_t copy = fork();
    if (copy == 0) {
        close(ends[0]);
        json_t *answer = question(query);
        _exit(answer && json_dump_callback(answer, write_bytes, &ends[1], JSON_COMPACT) == 0 ? 0 : 1);
    }
    close(ends[1]);
    FILE *stream = copy > 0 ? fdopen(ends[0], "r") : NULL;
    json_t *answer = stream ? json_loadf(stream, 0, NULL) : NULL;
    if (stream)
        fclose(stream);
    else
        close(ends[0]);
    while (copy > 0 && waitpid(copy, NULL, 0) < 0 && errno == EINTR)
        ;
    return answer ? answer : debugger_refuse("no copy of the process could answer");
}

/* ---- the queries ----------------------------------------------------------------------------- */

/* The access is judged as if this instruction made it: an instruction of this line and call that
 * accesses the storage. Private memory has none. */
static uint32_t site_here(const struct view *view)
{
    const struct code *code = view->wave->code;
    const struct code_line *line = &code->debug->lines[view->line];
    uint32_t found = 0;
    for (uint32_t i = 1; i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        const bool here = site->act == ACT_ACCESS && site->storage != STORAGE_PRIVATE;
        if (!here)
            continue;
        if (site->line == line->line && site->call == line->call && site->file == line->file)
            return i;
        if (!found || (site->line <= line->line && site->file == line->file))
            found = i;
    }
    return found;
}

static json_t *place_json(const struct source_place *place)
{
    return json_pack("{s:s,s:i}", "file", place->file ? place->file : "", "line", (int)place->line);
}

static json_t *global_of(const struct item *item)
{
    return json_pack("[I,I,I]", (json_int_t)item->global_id[0], (json_int_t)item->global_id[1],
                     (json_int_t)item->global_id[2]);
}

static json_t *end_json(const struct inquiry_end *end)
{
    json_t *object = place_json(&end->place);
    json_object_set_new(object, "what", json_string(end->what));
    json_object_set_new(object, "global", global_of(&end->item));
    return object;
}

static json_t *edge_json(const struct inquiry_edge *edge)
{
    return json_pack("{s:b,s:o,s:o}", "barrier", edge->barrier, "from", end_json(&edge->from), "to",
                     end_json(&edge->to));
}

static const char *why_not(enum inquiry_answer answer)
{
    switch (answer) {
    case INQUIRY_UNCHECKED: return "this launch is not checked for data races: --data-races=error does";
    case INQUIRY_UNWATCHED: return "no memory that work-items share is there";
    case INQUIRY_UNKNOWN: return "more operations synchronised, or more work-items, than are kept";
    default: return NULL;
    }
}

/* ---- why ------------------------------------------------------------------------------------- */

static void add_past(void *self, const struct inquiry_past *past)
{
    struct query *query = self;
    json_t *access = place_json(&past->access.place), *edges = json_array();
    for (uint32_t i = 0; i < past->edge_count; i++)
        json_array_append_new(edges, edge_json(&past->edges[i]));
    json_object_set_new(access, "what", json_string(past->access.what));
    if (past->access.has_item)
        json_object_set_new(access, "global", global_of(&past->access.item));
    if (past->access.by)
        json_object_set_new(access, "by", json_string(past->access.by));
    json_object_set_new(access, "own", json_boolean(past->own));
    json_object_set_new(access, "races_with_read", json_boolean(past->races[0]));
    json_object_set_new(access, "races_with_write", json_boolean(past->races[1]));
    if (past->why)
        json_object_set_new(access, "why", json_string(past->why));
    if (past->fix && past->fix[0])
        json_object_set_new(access, "fix", json_string(past->fix));
    json_object_set_new(access, "edges", edges);
    json_array_append_new(query->list, access);
}

static json_t *inquire_why(struct query *query)
{
    const struct inquiry_sink sink = {.self = query, .past = add_past};
    const struct race_inquiry *inquiry = &query->inquiry;
    query->list = json_array();
    const enum inquiry_answer answer = checkers_why(query->debugger->device->checkers, inquiry, &sink);
    if (why_not(answer))
        return debugger_refuse("%s", why_not(answer));
    return json_pack("{s:I,s:I,s:b,s:o}", "address", (json_int_t)inquiry->address, "size",
                     (json_int_t)inquiry->size_bytes, "read_only", answer == INQUIRY_READ_ONLY, "accesses",
                     query->list);
}

/* A type that the evaluation made is freed with it, so it is not returned. */
static bool type_lasts(const struct evaluation *e, const struct debug_type *type)
{
    for (uint32_t i = 0; i < e->made_count; i++)
        if (e->made[i] == type)
            return false;
    return true;
}

/* An lvalue means its own bytes. A number is an address: of as many bytes as a pointer of its type
 * points to, else of 4. */
json_t *ask_bytes(const struct view *view, const char *expression, struct race_inquiry *inquiry,
                  const struct debug_type **out_type)
{
    struct evaluation e;
    struct debug_value value;
    json_t *error = NULL;
    if (!expression_evaluate(&e, view, expression, false, &value)) {
        error = debugger_refuse("%s", e.error);
    } else if (value.lvalue) {
        inquiry->address = value.address;
        inquiry->size_bytes = value.type->size <= ACCESS_BYTES_MOST ? (uint32_t)value.type->size : 0;
        *out_type = type_lasts(&e, value.type) ? value.type : NULL;
    } else if (value.type->kind == DEBUG_STRUCT || value.type->kind == DEBUG_FLOAT) {
        error = debugger_refuse("'%.100s' is no memory and no address", expression);
    } else {
        const struct debug_type *to = value.type->kind == DEBUG_POINTER ? value.type->element : NULL;
        inquiry->address = (uint64_t)value_integer(&value);
        inquiry->size_bytes = to && to->size && to->size <= ACCESS_BYTES_MOST ? (uint32_t)to->size : 4;
        *out_type = to && type_lasts(&e, to) ? to : NULL;
    }
    evaluation_fini(&e);
    if (!error && inquiry->address >> 32 == PRIVATE_BASE >> 32)
        return debugger_refuse("'%.100s' is private memory of the work-item: no other one has access",
                               expression);
    if (!error && !inquiry->size_bytes)
        return debugger_refuse("'%.100s' is too large for one access: name an element", expression);
    return error;
}

static struct query query_here(struct debugger *d, const struct view *view, struct origin *origin)
{
    *origin = view->wave->origin;
    origin->site = site_here(view);
    return (struct query){
        d, view, {.origin = origin, .lane_count = view->wave->lane_count, .lane = view->lane}, NULL};
}

json_t *ask_why(struct debugger *d, const struct view *view, const char *expression)
{
    struct origin origin;
    struct query query = query_here(d, view, &origin);
    const struct debug_type *type = NULL;
    json_t *error = ask_bytes(view, expression, &query.inquiry, &type);
    if (error)
        return error;
    if (!d->device->checkers)
        return debugger_refuse("%s", why_not(INQUIRY_UNCHECKED));
    return query_copy(&query, inquire_why);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void add_row(void *self, const struct inquiry_row *row)
{
    struct query *query = self;
    json_t *object =
        json_pack("{s:o,s:o,s:I,s:b,s:b,s:o}", "first", global_of(&row->first), "last", global_of(&row->last),
                  "count", (json_int_t)row->count, "global_memory", (row->regions & REGION_GLOBAL) != 0,
                  "local_memory", (row->regions & REGION_LOCAL) != 0, "until", end_json(&row->until));
    if (row->has_edge)
        json_object_set_new(object, "edge", edge_json(&row->edge));
    json_array_append_new(query->list, object);
}

static json_t *inquire_clocks(struct query *query)
{
    const struct inquiry_sink sink = {.self = query, .row = add_row};
    query->list = json_array();
    const enum inquiry_answer answer =
        checkers_clocks(query->debugger->device->checkers, &query->inquiry, &sink);
    return why_not(answer) ? debugger_refuse("%s", why_not(answer)) : json_pack("{s:o}", "rows", query->list);
}

json_t *ask_clocks(struct debugger *d, const struct view *view)
{
    struct origin origin;
    struct query query = query_here(d, view, &origin);
    if (!d->device->checkers)
        return debugger_refuse("%s", why_not(INQUIRY_UNCHECKED));
    return query_copy(&query, inquire_clocks);
}
