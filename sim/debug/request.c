/* SPDX-License-Identifier: Apache-2.0 */
/* The requests that the engine handles: one row per verb. "thread" is a work-item's number, 0 or absent the
 * focus; "frame" a level. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "debugger.h"
#include "disassembly.h"

enum { THREADS_MOST = 4096, CHILDREN_MOST = 1000, READ_MOST = 1 << 20 };

static json_int_t number_in(const json_t *request, const char *key)
{
    return json_integer_value(json_object_get(request, key));
}

/* ---- whose view ------------------------------------------------------------------------------ */

static json_t *find_view(struct debugger *d, const json_t *request, struct view *out_view)
{
    struct item_id id = {d->launch ? d->launch->info.launch : 0, (uint64_t)number_in(request, "thread")};
    struct wave *wave = d->focus.wave;
    uint32_t lane = d->focus.lane, level = (uint32_t)number_in(request, "frame");
    if (d->focus.wave)
        id.launch = d->focus.wave->origin.launch->launch;
    if (d->ended)
        return debugger_refuse("the run is over");
    if (id.number && !place_find_item(d, &id, &wave, &lane))
        return debugger_refuse("work-item %" PRIu64 " has not begun, or has ended", id.number - 1);
    if (!wave)
        return debugger_refuse("no work-item runs here");
    if (!place_view(d, wave, lane, level, out_view))
        return debugger_refuse(level ? "there is no frame %" PRIu32
                                     : "nothing is known of where the work-item stands%.0" PRIu32,
                               level);
    return NULL;
}

/* ---- threads --------------------------------------------------------------------------------- */

static json_t *describe_lane(struct debugger *d, struct wave *wave, uint32_t lane)
{
    struct item item;
    struct view view;
    struct frame frame;
    origin_item(&wave->origin, lane, &item);
    json_t *thread = json_pack(
        "{s:I,s:[I,I,I],s:[I,I,I],s:s,s:b}", "id", (json_int_t)place_item_number(&wave->origin, lane),
        "global", (json_int_t)item.global_id[0], (json_int_t)item.global_id[1], (json_int_t)item.global_id[2],
        "group", (json_int_t)item.group_id[0], (json_int_t)item.group_id[1], (json_int_t)item.group_id[2],
        "state", place_lane_state_name(place_lane_state(d, wave, lane)), "focus",
        d->focus.wave == wave && d->focus.lane == lane);
    json_object_set_new(thread, "sub_group", json_integer(item.sub_group));
    if (place_view(d, wave, lane, 0, &view) && place_find_frame(&view, 0, &frame)) {
        json_object_set_new(thread, "function", json_string(frame.function));
        json_object_set_new(thread, "line", json_integer(frame.line));
    }
    return thread;
}

static int by_id(const void *a, const void *b)
{
    const json_int_t x = number_in(*(json_t *const *)a, "id"), y = number_in(*(json_t *const *)b, "id");
    return x < y ? -1 : x > y;
}

static json_t *sorted(json_t *list)
{
    const size_t count = json_array_size(list);
    json_t **at = calloc(count + 1, sizeof *at), *out = json_array();
    for (size_t i = 0; at && i < count; i++)
        at[i] = json_array_get(list, i);
    if (at)
        qsort(at, count, sizeof *at, by_id);
    for (size_t i = 0; at && i < count; i++)
        json_array_append(out, at[i]);
    free(at);
    json_decref(list);
    return out;
}

/* Lists the work-items of the focus' work-group, or of all work-groups that began, without those that
 * ended. */
static json_t *handle_threads(struct debugger *d, const json_t *request)
{
    const bool all = json_is_true(json_object_get(request, "all"));
    json_t *list = json_array();
    struct item mine = {0}, other;
    if (d->focus.wave)
        origin_item(&d->focus.wave->origin, d->focus.lane, &mine);
    size_t left_out = 0;
    for (uint32_t i = 0; i < d->wave_count; i++) {
        struct wave *wave = d->waves[i].wave;
        for (uint32_t lane = 0; wave->origin.launch && lane < wave->lane_count; lane++) {
            if (place_lane_state(d, wave, lane) == LANE_GONE)
                continue;
            origin_item(&wave->origin, lane, &other);
            if (!all && d->focus.wave &&
                (wave->origin.launch != d->focus.wave->origin.launch ||
                 other.group_linear != mine.group_linear))
                continue;
            if (json_array_size(list) < THREADS_MOST)
                json_array_append_new(list, describe_lane(d, wave, lane));
            else
                left_out++;
        }
    }
    return json_pack("{s:o,s:I}", "threads", sorted(list), "left_out", (json_int_t)left_out);
}

/* Moves the focus to the work-item. The reply says where it is. */
static json_t *handle_focus(struct debugger *d, const json_t *request)
{
    struct view view;
    json_t *error = find_view(d, request, &view), *place = json_object();
    if (error) {
        json_decref(place);
        return error;
    }
    d->focus.wave = view.wave;
    d->focus.lane = view.lane;
    debugger_add_place(d, place);
    return place;
}

/* ---- the host program ------------------------------------------------------------------------ */

static void add_host_call(const struct debugger *d, const struct launch_info *launch, json_t *answer)
{
    json_t *call =
        d->host.enqueued && !launch->parent ? d->host.enqueued(d->host.self, launch->command) : NULL;
    if (call)
        json_object_set_new(answer, "host", call);
    if (launch->parent)
        json_object_set_new(answer, "parent", json_integer(launch->parent));
}

static json_t *handle_host(struct debugger *d, const json_t *request)
{
    (void)request;
    if (!d->host.program)
        return debugger_refuse("there is no host program: the scenario launches the kernels itself");
    json_t *answer = d->host.program(d->host.self);
    return answer ? answer : debugger_refuse("no memory for what the host program has");
}

static json_t *handle_stack(struct debugger *d, const json_t *request)
{
    struct view view;
    struct frame frame;
    json_t *error = find_view(d, request, &view), *list = json_array();
    for (uint32_t level = 0; !error && place_find_frame(&view, level, &frame); level++)
        json_array_append_new(list, json_pack("{s:s,s:s,s:i,s:i,s:i}", "function", frame.function, "file",
                                              frame.file, "line", (int)frame.line, "column",
                                              (int)frame.column, "call", (int)frame.call));
    if (error) {
        json_decref(list);
        return error;
    }
    const enum place_lane_state state = place_lane_state(d, view.wave, view.lane);
    json_t *answer = json_pack("{s:o,s:s,s:i}", "frames", list, "state", place_lane_state_name(state),
                               "launch", (int)view.wave->origin.launch->launch);
    json_object_set_new(answer, "thread",
                        json_integer((json_int_t)place_item_number(&view.wave->origin, view.lane)));
    add_host_call(d, view.wave->origin.launch, answer);
    return answer;
}

/* ---- values ---------------------------------------------------------------------------------- */

static json_t *text_by(void (*print)(const struct view *, const struct debug_value *, FILE *),
                       const struct view *view, const struct debug_value *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return json_string("");
    print(view, value, stream);
    fclose(stream);
    json_t *out = json_string(text);
    free(text);
    return out ? out : json_string("");
}

static void print_type(const struct view *view, const struct debug_value *value, FILE *stream)
{
    (void)view;
    value_print_type(value->type, stream);
}

static json_t *describe_value(const struct view *view, const struct debug_value *value)
{
    json_t *answer = json_pack("{s:o,s:o,s:i,s:I}", "value", text_by(value_write, view, value), "type",
                               text_by(print_type, view, value), "children", (int)value_children(value),
                               "size", (json_int_t)value->type->size);
    struct debug_value loaded = *value;
    if (value->lvalue)
        json_object_set_new(answer, "address", json_integer((json_int_t)value->address));
    const enum debug_kind kind = value->type->kind;
    json_object_set_new(answer, "indexed", json_boolean(kind == DEBUG_ARRAY || kind == DEBUG_VECTOR));
    if (kind == DEBUG_POINTER && value_load(view, &loaded))
        json_object_set_new(answer, "points_to", json_integer((json_int_t)value_integer(&loaded)));
    if (kind <= DEBUG_FLOAT || kind == DEBUG_ENUM || kind == DEBUG_POINTER)
        if (value_load(view, &loaded))
            json_object_set_new(answer, "bits", json_integer((json_int_t)value_integer(&loaded)));
    json_object_set_new(answer, "real", json_boolean(kind == DEBUG_FLOAT));
    json_object_set_new(answer, "private",
                        json_boolean(value->lvalue && value->address >> 32 == PRIVATE_BASE >> 32));
    return answer;
}

static const char component_names[] = "xyzw";
enum { NAME_ROOM = 256, EXPRESSION_ROOM = 2048 };

/* Writes child i as an expression over its parent, and its name. */
static void name_child(const struct debug_value *value, const char *parent, uint32_t i, char name[NAME_ROOM],
                       char expression[EXPRESSION_ROOM])
{
    const struct debug_type *type = value->type;
    if (type->kind == DEBUG_STRUCT || type->kind == DEBUG_UNION) {
        snprintf(name, NAME_ROOM, "%s", type->members[i].name ? type->members[i].name : "");
        snprintf(expression, EXPRESSION_ROOM, "(%.1700s).%s", parent, name);
    } else if (type->kind == DEBUG_VECTOR) {
        if (type->count <= 4)
            snprintf(name, NAME_ROOM, "%c", component_names[i]);
        else
            snprintf(name, NAME_ROOM, "s%x", i);
        snprintf(expression, EXPRESSION_ROOM, "(%.1700s).%s", parent, name);
    } else if (type->kind == DEBUG_POINTER) {
        snprintf(name, NAME_ROOM, "*%.200s", parent);
        snprintf(expression, EXPRESSION_ROOM, "*(%.1700s)", parent);
    } else {
        snprintf(name, NAME_ROOM, "[%" PRIu32 "]", i);
        snprintf(expression, EXPRESSION_ROOM, "(%.1700s)[%" PRIu32 "]", parent, i);
    }
}

static json_t *describe_named(const struct view *view, const char *name, const char *expression)
{
    struct evaluation e;
    struct debug_value value;
    json_t *child = expression_evaluate(&e, view, expression, false, &value)
                        ? describe_value(view, &value)
                        : json_pack("{s:s,s:s,s:i}", "value", e.error, "type", "", "children", 0);
    evaluation_fini(&e);
    json_object_set_new(child, "name", json_string(name));
    json_object_set_new(child, "expression", json_string(expression));
    return child;
}

static json_t *list_children(const struct view *view, const struct debug_value *value, const json_t *request,
                             const char *parent)
{
    const json_int_t first = number_in(request, "start"), wanted = number_in(request, "count");
    const uint32_t count = value_children(value);
    json_t *list = json_array();
    for (uint32_t i = first > 0 ? (uint32_t)first : 0;
         i < count &&
         json_array_size(list) < (size_t)(wanted > 0 && wanted < CHILDREN_MOST ? wanted : CHILDREN_MOST);
         i++) {
        char name[NAME_ROOM], expression[EXPRESSION_ROOM];
        name_child(value, parent, i, name, expression);
        json_array_append_new(list, describe_named(view, name, expression));
    }
    return list;
}

/* The "format" of a request; false: it is none. */
static bool take_format(const json_t *request, char *out_format)
{
    const char *format = json_string_value(json_object_get(request, "format"));
    *out_format = format ? format[0] : '\0';
    return !format || !format[0] || (strchr(FORMATS, format[0]) && !format[1]);
}

static void print_definition(const struct view *view, const struct debug_value *value, FILE *stream)
{
    (void)view;
    value_print_definition(value->type, stream);
}

/* The type of an expression, or of that name, with its members. */
static json_t *handle_type(struct debugger *d, const json_t *request)
{
    struct view view;
    struct evaluation e;
    struct debug_value value = {0};
    const char *text = json_string_value(json_object_get(request, "expression"));
    json_t *answer = find_view(d, request, &view);
    if (answer)
        return answer;
    answer = expression_type(&e, &view, text ? text : "", &value.type)
                 ? json_pack("{s:o,s:o}", "type", text_by(print_type, &view, &value), "definition",
                             text_by(print_definition, &view, &value))
                 : debugger_refuse("%s", e.error);
    evaluation_fini(&e);
    return answer;
}

/* Evaluates an expression as the work-item in view sees it. */
static json_t *handle_evaluate(struct debugger *d, const json_t *request)
{
    struct view view;
    struct evaluation e;
    struct debug_value value;
    const char *expression = json_string_value(json_object_get(request, "expression"));
    json_t *answer = find_view(d, request, &view);
    if (answer)
        return answer;
    if (!take_format(request, &view.format))
        return debugger_refuse("found a format that is none, expected one of d u x o t c f a s");
    if (expression_evaluate(&e, &view, expression ? expression : "",
                            json_is_true(json_object_get(request, "assigns")), &value)) {
        answer = describe_value(&view, &value);
        if (json_is_true(json_object_get(request, "expand")))
            json_object_set_new(answer, "list", list_children(&view, &value, request, expression));
    } else {
        answer = debugger_refuse("%s", e.error);
    }
    evaluation_fini(&e);
    return answer;
}

/* Lists the arguments, the local variables that are in scope, or the variables that the program and the
 * work-group share. */
static json_t *handle_variables(struct debugger *d, const json_t *request)
{
    struct view view;
    const char *which = json_string_value(json_object_get(request, "scope"));
    const bool arguments = which && !strcmp(which, "arguments"), globals = which && !strcmp(which, "globals");
    json_t *error = find_view(d, request, &view), *list = json_array();
    if (error) {
        json_decref(list);
        return error;
    }
    take_format(request, &view.format);
    const struct code_debug *debug = view.wave->code->debug;
    for (uint32_t i = 0; i < debug->variable_count; i++) {
        const struct code_variable *variable = &debug->variables[i];
        const bool fits =
            variable->place == VARIABLE_PRIVATE ? !globals && variable->parameter == arguments : globals;
        if (fits && place_is_visible(&view, variable) &&
            place_find_variable(&view, variable->name) == variable)
            json_array_append_new(list, describe_named(&view, variable->name, variable->name));
    }
    return json_pack("{s:o}", "list", list);
}

/* ---- all lanes of the work-group ------------------------------------------------------------- */

static json_t *handle_lanes(struct debugger *d, const json_t *request)
{
    const char *expression = json_string_value(json_object_get(request, "expression"));
    json_t *threads = handle_threads(d, request), *list = json_object_get(threads, "threads");
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *thread = json_array_get(list, i),
               *one = json_pack("{s:O,s:i,s:s}", "thread", json_object_get(thread, "id"), "frame", 0,
                                "expression", expression ? expression : "");
        json_t *answer = handle_evaluate(d, one), *error = json_object_get(answer, "error");
        json_object_set(thread, "value", error ? error : json_object_get(answer, "value"));
        json_object_set_new(thread, "failed", json_boolean(error != NULL));
        json_decref(answer);
        json_decref(one);
    }
    return threads;
}

/* ---- memory and code ------------------------------------------------------------------------- */

static void focus_view(struct debugger *d, const json_t *request, struct view *out_view)
{
    json_t *error = find_view(d, request, out_view);
    json_decref(error);
    if (error)
        *out_view = (struct view){.debugger = d};
}

static json_t *handle_read(struct debugger *d, const json_t *request)
{
    struct view view;
    const uint64_t address = (uint64_t)number_in(request, "address"),
                   wanted = (uint64_t)number_in(request, "size");
    focus_view(d, request, &view);
    const uint64_t size = wanted < READ_MOST ? wanted : READ_MOST;
    char *hex = malloc(size * 2 + 1);
    uint64_t got = 0;
    uint8_t byte;
    if (!hex)
        return debugger_refuse("no memory");
    for (; got < size && value_read_memory(&view, address + got, &byte, 1); got++)
        snprintf(hex + 2 * got, 3, "%02x", byte);
    hex[2 * got] = '\0';
    json_t *answer = json_pack("{s:I,s:s,s:I}", "address", (json_int_t)address, "bytes", hex, "missing",
                               (json_int_t)(wanted - got));
    free(hex);
    return answer;
}

static json_t *handle_write(struct debugger *d, const json_t *request)
{
    struct view view;
    const uint64_t address = (uint64_t)number_in(request, "address");
    const char *hex = json_string_value(json_object_get(request, "bytes"));
    uint64_t count = 0;
    focus_view(d, request, &view);
    for (; hex && hex[0] && hex[1]; hex += 2, count++) {
        const char pair[3] = {hex[0], hex[1], '\0'};
        const uint8_t byte = (uint8_t)strtoul(pair, NULL, 16);
        if (!value_write_memory(&view, address + count, &byte, 1))
            return debugger_refuse("cannot write at 0x%" PRIx64, address + count);
    }
    return json_pack("{s:I}", "count", (json_int_t)count);
}

/* Bytecode around where the work-item stands, or ("relative" false) from an index. */
static json_t *handle_disassemble(struct debugger *d, const json_t *request)
{
    struct view view;
    json_t *error = find_view(d, request, &view);
    if (error)
        return error;
    const struct code *code = view.wave->code;
    const json_int_t first = number_in(request, "start"), wanted = number_in(request, "count");
    const struct insn *at = view.wave == d->running && d->insn ? d->insn : view.wave->resume;
    const int64_t here = at >= code->insns && at < code->insns + code->insn_count ? at - code->insns : 0;
    const int64_t begin = json_is_true(json_object_get(request, "relative")) ? here + first : first;
    json_t *list = disassembly_list(code, view.wave->origin.launch->program, begin, wanted, here);
    return json_pack("{s:o,s:I,s:i}", "list", list, "here", (json_int_t)here, "count", (int)code->insn_count);
}

/* Joins the lines of a text, which are separate strings. */
static json_t *joined(const char *file, char *const *lines, uint32_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return debugger_refuse("no memory");
    for (uint32_t i = 0; i < count; i++)
        fprintf(stream, "%s\n", lines[i]);
    fclose(stream);
    json_t *shown = json_string(text);
    free(text);
    return shown ? json_pack("{s:s,s:o}", "file", file, "text", shown)
                 : debugger_refuse("the source text is no UTF-8");
}

static json_t *handle_source(struct debugger *d, const json_t *request)
{
    const char *wanted = json_string_value(json_object_get(request, "file"));
    const struct program *program = d->launch ? d->launch->info.program : NULL;
    if (!program)
        return debugger_refuse("no kernel has begun");
    if (program->source_text && (!wanted || !program->source_name || !strcmp(wanted, program->source_name)))
        return joined(program->source_name ? program->source_name : "program.cl", program->own_lines,
                      program->own_line_count);
    for (size_t i = 0; i < program->file_count; i++)
        if (program->files[i].text && (!wanted || !strcmp(program->files[i].name, wanted)))
            return joined(program->files[i].name, program->files[i].lines, program->files[i].line_count);
    return debugger_refuse("no source text of '%s' is known", wanted ? wanted : "");
}

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!strcmp(json_string_value(json_array_get(list, i)), text))
            return true;
    return false;
}

/* A module may name a file without having its text. */
static void add_files_of_lines(json_t *list, const struct code *code)
{
    for (uint32_t i = 0; code && code->debug && i < code->debug->line_count; i++) {
        const char *file = place_code_file(code, code->debug->lines[i].file);
        const bool same = i && code->debug->lines[i].file == code->debug->lines[i - 1].file;
        if (!same && *file && !has_text(list, file))
            json_array_append_new(list, json_string(file));
    }
}

static json_t *handle_sources(struct debugger *d, const json_t *request)
{
    (void)request;
    json_t *list = json_array();
    const struct program *program = d->launch ? d->launch->info.program : NULL;
    if (program && program->source_name)
        json_array_append_new(list, json_string(program->source_name));
    for (size_t i = 0; program && i < program->file_count; i++)
        if (!program->source_name || strcmp(program->files[i].name, program->source_name))
            json_array_append_new(list, json_string(program->files[i].name));
    if (d->launch)
        add_files_of_lines(list, d->launch->code);
    return json_pack("{s:o}", "list", list);
}

/* The lines of a file at which a breakpoint of this kernel may stand, in order. */
static json_t *handle_lines(struct debugger *d, const json_t *request)
{
    const char *file = json_string_value(json_object_get(request, "file"));
    const struct code *code = d->launch ? d->launch->code : NULL;
    json_t *list = json_array();
    for (uint32_t line = code && code->debug ? stop_next_line(code, file, 1) : 0; line;
         line = stop_next_line(code, file, line + 1))
        json_array_append_new(list, json_integer(line));
    return json_pack("{s:o}", "lines", list);
}

/* The functions of this kernel: each can have a breakpoint. */
static json_t *handle_functions(struct debugger *d, const json_t *request)
{
    (void)request;
    const struct code *code = d->launch ? d->launch->code : NULL;
    json_t *list = json_array();
    for (uint32_t i = 0; code && code->debug && i < code->call_count; i++)
        if (!has_text(list, code->debug->functions[i]))
            json_array_append_new(list, json_string(code->debug->functions[i]));
    return json_pack("{s:o}", "list", list);
}

/* What is known of the source by the program's debug information. */
static const char *symbols_of(const struct program *program)
{
    const struct code_debug *debug = program->running ? program->running->debug : NULL;
    if (debug && debug->variable_count)
        return "variables and lines";
    return debug && debug->line_count ? "lines" : "none";
}

/* The program of the launch: a list of one, or none before the first launch. */
static json_t *handle_modules(struct debugger *d, const json_t *request)
{
    (void)request;
    json_t *list = json_array();
    const struct program *program = d->launch ? d->launch->info.program : NULL;
    const char *name = program && program->source_name ? program->source_name
                       : program                       ? program->module_name
                                                       : NULL;
    if (program)
        json_array_append_new(list,
                              json_pack("{s:s,s:I,s:s}", "name", name ? name : "program", "kernels",
                                        (json_int_t)program->kernel_count, "symbols", symbols_of(program)));
    return json_pack("{s:o}", "list", list);
}

static json_t *handle_launch(struct debugger *d, const json_t *request)
{
    (void)request;
    if (!d->launch)
        return debugger_refuse("no kernel has begun");
    const struct launch_info *l = &d->launch->info;
    json_t *answer =
        json_pack("{s:i,s:s,s:[I,I,I],s:[I,I,I],s:[I,I,I],s:i}", "launch", (int)l->launch, "kernel",
                  l->kernel, "global_size", (json_int_t)l->global_size[0], (json_int_t)l->global_size[1],
                  (json_int_t)l->global_size[2], "local_size", (json_int_t)l->local_size[0],
                  (json_int_t)l->local_size[1], (json_int_t)l->local_size[2], "global_offset",
                  (json_int_t)l->global_offset[0], (json_int_t)l->global_offset[1],
                  (json_int_t)l->global_offset[2], "work_dim", (int)l->work_dim);
    add_host_call(d, l, answer);
    return answer;
}

static json_t *handle_hash(struct debugger *d, const json_t *request)
{
    char text[20];
    (void)request;
    snprintf(text, sizeof text, "%016" PRIx64, debugger_hash(d));
    return json_pack("{s:s,s:I}", "hash", text, "position", (json_int_t)d->position);
}

/* ---- queries of the checker ------------------------------------------------------------------ */

static json_t *handle_why(struct debugger *d, const json_t *request)
{
    struct view view;
    const char *expression = json_string_value(json_object_get(request, "expression"));
    json_t *error = find_view(d, request, &view);
    return error ? error : ask_why(d, &view, expression ? expression : "");
}

static json_t *handle_clocks(struct debugger *d, const json_t *request)
{
    struct view view;
    json_t *error = find_view(d, request, &view);
    return error ? error : ask_clocks(d, &view);
}

static json_t *handle_may_read(struct debugger *d, const json_t *request)
{
    struct view view;
    const char *expression = json_string_value(json_object_get(request, "expression"));
    json_t *error = find_view(d, request, &view);
    return error ? error : visible_writes_request(d, &view, expression ? expression : "");
}

static json_t *handle_points(struct debugger *d, const json_t *request)
{
    return json_object_get(request, "points") ? stop_points_set(d, request) : stop_points_get(d);
}

/* ---- verbs ----------------------------------------------------------------------------------- */

json_t *request_handle(struct debugger *d, const json_t *request)
{
    static const struct {
        const char *verb;
        json_t *(*answer)(struct debugger *d, const json_t *request);
    } rows[] = {
        {"run", plan_set},           {"points", handle_points},       {"threads", handle_threads},
        {"focus", handle_focus},     {"stack", handle_stack},         {"evaluate", handle_evaluate},
        {"type", handle_type},       {"lanes", handle_lanes},         {"variables", handle_variables},
        {"read", handle_read},       {"write", handle_write},         {"disassemble", handle_disassemble},
        {"hash", handle_hash},       {"source", handle_source},       {"sources", handle_sources},
        {"modules", handle_modules}, {"lines", handle_lines},         {"functions", handle_functions},
        {"launch", handle_launch},   {"host", handle_host},           {"why", handle_why},
        {"clocks", handle_clocks},   {"may_read", handle_may_read},   {"schedule", forks_forecast},
        {"forks", forks_set},        {"track", visible_writes_track},
    };
    const char *verb = json_string_value(json_object_get(request, "verb"));
    for (size_t i = 0; verb && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].verb, verb))
            return rows[i].answer(d, request);
    return debugger_refuse("found verb '%s', which is none", verb ? verb : "");
}
