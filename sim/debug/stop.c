/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakpoints, watched bytes and expressions, kinds of findings. All lanes of a wave reach a line at once:
 * that is one hit. The lane in focus is taken if it meets the condition, else the first that does. A hit is
 * counted whether the run stops, collects or passes over it, so that counts follow from the position alone.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "debugger.h"

static void point_fini(struct point *point)
{
    free(point->file);
    free(point->function);
    free(point->condition);
    free(point->log);
    free(point->expression);
}

void stop_points_fini(struct debugger *d)
{
    while (d->point_count)
        point_fini(&d->points[--d->point_count]);
    free(d->points);
    d->points = NULL;
    d->point_room = 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file may be named by any number of the last parts of its path. */
static bool same_file(const char *wanted, const char *file)
{
    const size_t a = wanted ? strlen(wanted) : 0, b = strlen(file);
    if (!a || !strcmp(wanted, file))
        return true;
    if (a < b)
        return file[b - a - 1] == '/' && !strcmp(file + b - a, wanted);
    return !strcmp(base_name(wanted), base_name(file)) && !strchr(file, '/');
}

/* The line of the function's name; without debug records the first line of its code. */
static uint32_t function_line(const struct code_debug *debug, const struct code_line *line)
{
    uint32_t scope = line->scope, first = line->line;
    CHECKED(!scope || scope < debug->scope_count);
    while (scope && debug->scopes[scope].parent)
        scope = debug->scopes[scope].parent;
    if (scope && debug->scopes[scope].line)
        return debug->scopes[scope].line;
    for (uint32_t i = 0; i < debug->line_count; i++)
        if (debug->lines[i].call == line->call && debug->lines[i].line < first)
            first = debug->lines[i].line;
    return first;
}

/* Returns the first line from `line` on that the code has in a function that begins at `line` or before; a
 * breakpoint on `line` is set there. 0: there is none. */
static uint32_t stop_line_of_code(const struct code *code, const char *file, uint32_t line)
{
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < code->debug->line_count; i++) {
        const struct code_line *at = &code->debug->lines[i];
        if (at->first && at->line >= line && (!nearest || at->line < nearest) &&
            same_file(file, place_code_file(code, at->file)) &&
            (at->line == line || function_line(code->debug, at) <= line))
            nearest = at->line;
    }
    return nearest;
}

uint32_t stop_next_line(const struct code *code, const char *file, uint32_t line)
{
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < code->debug->line_count; i++) {
        const struct code_line *at = &code->debug->lines[i];
        if (at->first && at->line >= line && (!nearest || at->line < nearest) &&
            same_file(file, place_code_file(code, at->file)))
            nearest = at->line;
    }
    return nearest;
}

/* The end of a name of C++ that begins here: at the arguments, outside of those of a template. */
static const char *end_of_name(const char *at)
{
    for (uint32_t depth = 0; *at && (depth || *at != '('); at++)
        depth += *at == '<' ? 1 : *at == '>' && depth ? UINT32_MAX : 0;
    return at;
}

/* After the type that stands before the name of a template's function. */
static const char *begin_of_name(const char *full, const char *end)
{
    uint32_t depth = 0;
    const char *begin = end;
    for (; begin > full && (depth || begin[-1] != ' '); begin--)
        depth += begin[-1] == '>' ? 1 : begin[-1] == '<' && depth ? UINT32_MAX : 0;
    return begin;
}

/*
 * The name may be given as it is shown, or without what C++ adds: "int ns::most<int>(int, int)" is also
 * ns::most<int>, ns::most and most.
 */
static bool is_function(const char *full, const char *name)
{
    const char *end = end_of_name(full), *begin = begin_of_name(full, end);
    if (!strcmp(full, name))
        return true;
    if (!*end) /* C: there is no more than the name */
        return false;
    for (const char *at = begin; end > begin && end[-1] == '>' && !strchr(name, '<'); at++)
        if (*at == '<')
            end = at;
    const size_t length = strlen(name);
    if (!length || length > (size_t)(end - begin) || memcmp(end - length, name, length))
        return false;
    return length == (size_t)(end - begin) || end[-(ptrdiff_t)length - 1] == ':';
}

/* Is it the first line of the call of a function of that name? */
static bool begins_function(const struct code *code, uint32_t line, const char *name)
{
    const struct code_line *lines = code->debug->lines;
    CHECKED(line < code->debug->line_count);
    const uint32_t call = lines[line].call;
    if (!is_function(code->debug->functions[call], name) || lines[line].returned)
        return false;
    for (uint32_t i = 0; i < line; i++)
        if (lines[i].call == call)
            return false;
    return true;
}

static bool is_at(const struct point *point, const struct code *code, uint32_t line)
{
    CHECKED(line < code->debug->line_count);
    const struct code_line *at = &code->debug->lines[line];
    if (point->kind == POINT_FUNCTION)
        return begins_function(code, line, point->function);
    return point->kind == POINT_LINE && at->first && at->line >= point->line &&
           same_file(point->file, place_code_file(code, at->file)) &&
           stop_line_of_code(code, point->file, point->line) == at->line;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Most conditions compare a variable with a number and are evaluated for millions of lanes, so they are
 * parsed once. */
static struct simple_condition simple_of(const char *condition)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    struct simple_condition out = {.length = 0};
    const char *at = condition + strspn(condition, " \t");
    size_t length = 0, k = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    if (!length || length >= sizeof out.name || isdigit((unsigned char)*at))
        return out;
    memcpy(out.name, at, length);
    at += length + strspn(at + length, " \t");
    while (k < sizeof operators / sizeof *operators && strncmp(at, operators[k], strlen(operators[k])) != 0)
        k++;
    if (k == sizeof operators / sizeof *operators)
        return out;
    strcpy(out.operator, operators[k]);
    at += strlen(operators[k]);
    at += strspn(at, " \t");
    const char *digits = at + (*at == '-');
    char *end;
    const long long number = strtoll(at, &end, 10);
    const bool decimal =
        isdigit((unsigned char)*digits) && (*digits != '0' || !isdigit((unsigned char)digits[1]));
    if (!decimal || end[strspn(end, " \t")] || number > INT32_MAX || number < -INT32_MAX)
        return out;
    out.number = (int32_t)number;
    out.length = length;
    return out;
}

static bool compared(const char *operator, bool less, bool equal)
{
    switch (operator[0]) {
    case '=': return equal;
    case '!': return !equal;
    case '<': return less || (equal && operator[1]);
    default: return operator[1] ? !less : !less && !equal;
    }
}

/* Compares in the type that C gives both sides. False: the condition is not simple, and has to be
 * evaluated. */
static bool compare(const struct simple_condition *simple, const struct code_variable *variable,
                    const struct view *view, bool *out_met)
{
    struct debug_value value;
    uint64_t bits = 0;
    const struct debug_type *type = variable->type;
    if ((type->kind != DEBUG_INTEGER && type->kind != DEBUG_UNSIGNED) || type->size > sizeof bits ||
        !place_variable_value(view, variable, &value) ||
        !value_read_memory(view, value.address, &bits, type->size))
        return false;
    if (type->kind == DEBUG_UNSIGNED && type->size >= 4) {
        const uint64_t number =
            type->size == 4 ? (uint32_t)simple->number : (uint64_t)(int64_t)simple->number;
        *out_met = compared(simple->operator, bits<number, bits == number);
        return true;
    }
    const uint64_t shift = type->kind == DEBUG_INTEGER ? 64 - 8 * type->size : 0;
    const int64_t left = (int64_t)(bits << shift) >> shift;
    *out_met = compared(simple->operator, left<simple->number, left == simple->number);
    return true;
}

/* A condition that cannot be evaluated is met: the stop has the reason. All active lanes of a wave have the
 * view of one. variable: of a simple condition; NULL: it is not simple, or there is none. */
static bool meets(const struct point *point, const struct code_variable *variable, struct view *view,
                  uint32_t lane, struct hit *hit)
{
    struct evaluation e;
    struct debug_value value;
    bool met;
    view->lane = lane;
    if (point->number && place_item_number(&view->wave->origin, lane) != point->number)
        return false;
    if (!point->condition)
        return true;
    if (variable && compare(&point->simple, variable, view, &met))
        return met;
    met = !expression_evaluate(&e, view, point->condition, false, &value) || !value_load(view, &value);
    if (met)
        snprintf(hit->text, sizeof hit->text, "condition: %s", e.error[0] ? e.error : "cannot be read");
    else
        met = value_is_true(&value);
    evaluation_fini(&e);
    return met;
}

static const struct code_variable *compared_variable(const struct point *point, const struct view *view)
{
    return point->simple.length ? place_find_variable(view, point->simple.name) : NULL;
}

/* The work-item that the user looks at. A copy of the run from before knows it by the plan alone. */
static bool find_focused_lane(const struct debugger *d, const struct wave *wave, uint32_t *out_lane)
{
    const struct item_id *item = &d->plan.item;
    const bool planned = d->plan.collect && item->number && wave->origin.launch->launch == item->launch;
    for (uint32_t lane = 0; planned && lane < wave->lane_count; lane++) {
        if (!lane_mask_test(&wave->active, lane) || place_item_number(&wave->origin, lane) != item->number)
            continue;
        *out_lane = lane;
        return true;
    }
    *out_lane = d->focus.lane;
    return d->focus.wave == wave && lane_mask_test(&wave->active, d->focus.lane);
}

static bool find_lane(struct debugger *d, const struct point *point, struct wave *wave, struct hit *hit)
{
    struct view view;
    uint32_t first = 0, focused_lane;
    const bool focused = find_focused_lane(d, wave, &focused_lane);
    while (first < wave->lane_count && !lane_mask_test(&wave->active, first))
        first++;
    if (first == wave->lane_count || !place_view(d, wave, first, 0, &view))
        return false;
    const struct code_variable *variable = compared_variable(point, &view);
    if (focused && meets(point, variable, &view, focused_lane, hit)) {
        hit->lane = focused_lane;
        return true;
    }
    for (uint32_t lane = first; lane < wave->lane_count; lane++) {
        if (!lane_mask_test(&wave->active, lane) || !meets(point, variable, &view, lane, hit))
            continue;
        hit->lane = lane;
        return true;
    }
    return false;
}

/* Prints a log text as in "i is {i}": what is in braces is evaluated. */
static void print_log(struct debugger *d, const struct point *point, const struct hit *hit)
{
    char *text = NULL;
    size_t size = 0;
    struct view view;
    FILE *stream = open_memstream(&text, &size);
    if (!stream || !place_view(d, hit->wave, hit->lane, 0, &view)) {
        if (stream)
            fclose(stream);
        free(text);
        return;
    }
    for (const char *at = point->log; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (!end) {
            fputc(*at++, stream);
            continue;
        }
        char *expression = strndup(at + 1, (size_t)(end - at - 1));
        struct evaluation e;
        struct debug_value value;
        if (expression && expression_evaluate(&e, &view, expression, false, &value))
            value_write(&view, &value, stream);
        else
            fprintf(stream, "<%s>", expression ? e.error : "no memory");
        if (expression)
            evaluation_fini(&e);
        free(expression);
        at = end + 1;
    }
    fputc('\n', stream);
    fclose(stream);
    d->host.print(d->host.self, d->position, text, true);
    free(text);
}

/* A log point without a text prints the event and its position. */
static void print_hit(struct debugger *d, const struct hit *hit)
{
    char text[DEBUG_TEXT * 2 + 40];
    snprintf(text, sizeof text, "position %" PRIu64 ": %s\n", d->position, hit->text);
    d->host.print(d->host.self, d->position, text, true);
}

/* Prints one line for each work-item that meets the condition. */
static void print_logs(struct debugger *d, const struct point *point, struct hit *hit)
{
    if (!*point->log) {
        print_hit(d, hit);
        return;
    }
    if (point->kind != POINT_LINE && point->kind != POINT_FUNCTION) {
        print_log(d, point, hit);
        return;
    }
    for (hit->lane = 0; hit->lane < hit->wave->lane_count; hit->lane++) {
        struct view view;
        if (lane_mask_test(&hit->wave->active, hit->lane) && place_view(d, hit->wave, hit->lane, 0, &view) &&
            meets(point, compared_variable(point, &view), &view, hit->lane, hit))
            print_log(d, point, hit);
    }
}

/* Counts the hit. Returns whether the run stops. */
static bool take_point(struct debugger *d, struct point *point, struct hit *hit)
{
    point->hits++;
    if (point->hits <= point->ignore)
        return false;
    if (point->log) {
        if (!d->plan.collect && hit->wave)
            print_logs(d, point, hit);
        return false;
    }
    hit->point = point->id;
    return true;
}

/* ---- expressions whose value is watched ------------------------------------------------------ */

static bool is_changed(struct debugger *d, struct point *point, struct wave *wave, struct hit *hit)
{
    struct evaluation e;
    struct debug_value value, old = {0};
    struct view view;
    bool changed = false;
    if (wave->origin.launch->launch != point->of.launch)
        return false;
    for (uint32_t lane = 0; lane < wave->lane_count; lane++) {
        if (!lane_mask_test(&wave->active, lane) ||
            place_item_number(&wave->origin, lane) != point->of.number ||
            !place_view(d, wave, lane, 0, &view))
            continue;
        hit->lane = lane;
        if (!expression_evaluate(&e, &view, point->expression, false, &value) || !value_load(&view, &value)) {
            evaluation_fini(&e);
            return false; /* out of sight: in another function */
        }
        changed = point->has_old && memcmp(point->old, value.bytes, value.type->size) != 0;
        if (changed) {
            old.type = value.type;
            memcpy(old.bytes, point->old, sizeof old.bytes);
            value.lvalue = false;
            FILE *stream = fmemopen(hit->text, sizeof hit->text, "w");
            if (stream) {
                fputs("old value ", stream);
                value_write(&view, &old, stream);
                fputs(", new value ", stream);
                value_write(&view, &value, stream);
                fclose(stream);
            }
        }
        memcpy(point->old, value.bytes, sizeof point->old);
        point->has_old = true;
        evaluation_fini(&e);
    }
    return changed;
}

bool stop_at_line(struct debugger *d, struct wave *wave, uint32_t line, struct hit *out_hit)
{
    bool stops = false;
    for (uint32_t i = 0; i < d->point_count; i++) {
        struct point *point = &d->points[i];
        struct hit hit = {.wave = wave};
        const bool met = point->kind == POINT_EXPRESSION
                             ? is_changed(d, point, wave, &hit)
                             : is_at(point, wave->code, line) && find_lane(d, point, wave, &hit);
        if (met && take_point(d, point, &hit) && !stops) {
            stops = true;
            *out_hit = hit;
        }
    }
    return stops;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool touches(const struct point *point, const struct access_event *event, uint32_t *out_lane)
{
    const bool writes = event->kind == ACCESS_WRITE || event->kind == ACCESS_ATOMIC_WRITE ||
                        event->kind == ACCESS_ATOMIC_UPDATE;
    const bool reads = event->kind == ACCESS_READ || event->kind == ACCESS_ATOMIC_READ ||
                       event->kind == ACCESS_ATOMIC_UPDATE;
    if (!(writes && point->write) && !(reads && point->read))
        return false;
    for (uint32_t lane = 0; lane < event->lane_count; lane++) {
        if (!lane_in(event->mask, lane) ||
            (point->number && place_item_number(&event->origin, lane) != point->number))
            continue;
        const uint64_t address = lane_address(event, lane);
        if (address < point->address + point->size && point->address < address + event->size_bytes) {
            *out_lane = lane;
            return true;
        }
    }
    return false;
}

static void describe_access(struct debugger *d, const struct access_event *event, uint32_t lane,
                            struct hit *hit)
{
    static const char *const kinds[] = {"read", "write", "atomic read", "atomic write", "atomic update"};
    struct lane_values values = {0};
    struct source_place place = {0};
    program_site(event->origin.launch->program, event->origin.site, &place);
    int length = snprintf(hit->text, sizeof hit->text,
                          "%s of %" PRIu32 " bytes at 0x%" PRIx64 " by work-item %" PRIu64 ", line %" PRIu32,
                          kinds[event->kind], event->size_bytes, lane_address(event, lane),
                          place_item_number(&event->origin, lane) - 1, place.line);
    if (event->size_bytes > 8 || !d->device)
        return;
    lane_values(d->launch ? &d->launch->arena->memory : NULL, event, lane, &values);
    if (values.has_read && length < (int)sizeof hit->text)
        length += snprintf(hit->text + length, sizeof hit->text - (size_t)length, ", %s 0x%" PRIx64,
                           values.has_written ? "old value" : "value", values.read);
    if (values.has_written && length < (int)sizeof hit->text)
        snprintf(hit->text + length, sizeof hit->text - (size_t)length, ", new value 0x%" PRIx64,
                 values.written);
}

bool stop_at_access(struct debugger *d, const struct access_event *event, struct hit *out_hit)
{
    bool stops = false;
    for (uint32_t i = 0; i < d->point_count; i++) {
        struct point *point = &d->points[i];
        struct hit hit = {.wave = d->running};
        if (point->kind != POINT_WATCH || !touches(point, event, &hit.lane))
            continue;
        if (!stops)
            describe_access(d, event, hit.lane, &hit);
        if (take_point(d, point, &hit) && !stops) {
            stops = true;
            *out_hit = hit;
        }
    }
    return stops;
}

bool stop_at_finding(struct debugger *d, const struct finding *finding, struct hit *out_hit)
{
    for (uint32_t i = 0; i < d->point_count; i++) {
        struct point *point = &d->points[i];
        struct hit hit = {0};
        if (point->kind == POINT_FINDING &&
            (!point->expression || finding_id_is(finding->kind, point->expression)) &&
            take_point(d, point, &hit)) {
            *out_hit = hit;
            return true;
        }
    }
    return false;
}

/* ---- setting them ---------------------------------------------------------------------------- */

static char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? strdup(text) : NULL;
}

static bool kind_of(const char *name, enum point_kind *out_kind)
{
    static const char *const names[] = {"line", "function", "watch", "expression", "finding"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name))
            continue;
        *out_kind = (enum point_kind)i;
        return true;
    }
    return false;
}

static bool read_point(const json_t *object, struct point *out)
{
    *out = (struct point){.id = (uint32_t)json_integer_value(json_object_get(object, "id")),
                          .file = text_of(object, "file"),
                          .function = text_of(object, "function"),
                          .condition = text_of(object, "condition"),
                          .log = text_of(object, "log"),
                          .expression = text_of(object, "expression"),
                          .line = (uint32_t)json_integer_value(json_object_get(object, "line")),
                          .number = (uint64_t)json_integer_value(json_object_get(object, "thread")),
                          .address = (uint64_t)json_integer_value(json_object_get(object, "address")),
                          .size = (uint64_t)json_integer_value(json_object_get(object, "size")),
                          .ignore = (uint64_t)json_integer_value(json_object_get(object, "ignore")),
                          .read = json_is_true(json_object_get(object, "read")),
                          .write = json_is_true(json_object_get(object, "write")),
                          .of = {(uint32_t)json_integer_value(json_object_get(object, "launch")),
                                 (uint64_t)json_integer_value(json_object_get(object, "thread"))}};
    if (out->condition)
        out->simple = simple_of(out->condition);
    return kind_of(json_string_value(json_object_get(object, "kind")), &out->kind);
}

/* A breakpoint that was set before keeps its hits and its watched value. */
static void keep_counts(const struct debugger *d, struct point *point)
{
    for (uint32_t i = 0; i < d->point_count; i++) {
        if (d->points[i].id != point->id)
            continue;
        point->hits = d->points[i].hits;
        memcpy(point->old, d->points[i].old, sizeof point->old);
        point->has_old = d->points[i].has_old;
    }
}

/* Code without debug information has functions, but no line where one begins. */
static bool has_function(const struct code *code, const char *name)
{
    for (uint32_t i = 0; code && code->debug && i < code->debug->line_count; i++)
        if (is_function(code->debug->functions[code->debug->lines[i].call], name))
            return true;
    return false;
}

static json_t *place_of_point(const struct debugger *d, const struct point *point)
{
    const struct code *code = d->launch ? d->launch->code : NULL;
    json_t *place = json_pack("{s:i,s:I}", "id", (int)point->id, "hits", (json_int_t)point->hits);
    if (point->kind == POINT_LINE) {
        const uint32_t line = code && code->debug ? stop_line_of_code(code, point->file, point->line) : 0;
        json_object_set_new(place, "verified", json_boolean(line != 0));
        json_object_set_new(place, "line", json_integer(line ? line : point->line));
    } else if (point->kind == POINT_FUNCTION) {
        json_object_set_new(place, "verified",
                            json_boolean(has_function(code, point->function ? point->function : "")));
    } else {
        json_object_set_new(place, "verified", json_true());
    }
    return place;
}

json_t *stop_points_get(const struct debugger *d)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < d->point_count; i++)
        json_array_append_new(list, place_of_point(d, &d->points[i]));
    return json_pack("{s:o}", "points", list);
}

json_t *stop_points_set(struct debugger *d, const json_t *request)
{
    const json_t *list = json_object_get(request, "points");
    struct debugger fresh = {0};
    fresh.points = calloc(json_array_size(list) + 1, sizeof *fresh.points);
    if (!fresh.points)
        return debugger_refuse("no memory for breakpoints");
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct point *point = &fresh.points[fresh.point_count++];
        if (!read_point(json_array_get(list, i), point)) {
            stop_points_fini(&fresh);
            return debugger_refuse(
                "breakpoint %zu: found no kind, expected line, function, watch, expression or finding", i);
        }
        keep_counts(d, point);
    }
    stop_points_fini(d);
    d->points = fresh.points;
    d->point_count = fresh.point_count;
    return stop_points_get(d);
}
