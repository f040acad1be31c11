/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verbs that show: source, values, memory, calls, work-items. Each sends one request to the engine and prints
 * the reply in gdb's form. This side keeps only the list of displays, which are evaluated again at each stop.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "tools/tools.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))
#define NUMBER(object, key) json_integer_value(json_object_get(object, key))

enum { LIST_LINES = 10 };

/* ---- source ---------------------------------------------------------------------------------- */

static json_t *source_of(struct terminal *t, const char *file)
{
    json_t *answer = session_request(t->session, json_pack("{s:s,s:s*}", "verb", "source", "file", file));
    if (!json_object_get(answer, "error"))
        return answer;
    json_decref(answer);
    return NULL;
}

static const char *line_at(const char *text, json_int_t line, size_t *out_length)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || !*text)
        return NULL;
    *out_length = strcspn(text, "\n");
    return text;
}

/* `list` shows the lines around this one. */
static void list_around(struct terminal *t, const char *file, json_int_t line)
{
    free(t->list_file);
    t->list_file = file ? strdup(file) : NULL;
    t->list_line = line > LIST_LINES / 2 ? (uint32_t)line - LIST_LINES / 2 : 1;
}

void terminal_show_line(struct terminal *t, const char *file, json_int_t line)
{
    json_t *source = source_of(t, file);
    list_around(t, file, line);
    size_t length = 0;
    const char *text = source ? line_at(TEXT(source, "text"), line, &length) : NULL;
    fprintf(t->out, "%" PRId64 "\t%.*s\n", (int64_t)line, (int)length, text ? text : "");
    json_decref(source);
}

/* Finds the line that defines a function by searching the text, since the engine does not know where a
 * function begins. */
static json_int_t line_of_function(const char *text, const char *name)
{
    json_int_t line = 1;
    const size_t size = strlen(name);
    for (const char *at = text; at; line++) {
        const char *end = strchr(at, '\n'), *found = strstr(at, name);
        if (found && (!end || found < end) && found[size] == '(' &&
            (found == at || !isalnum((unsigned char)found[-1])) && at[0] != ' ' && at[0] != '\t')
            return line;
        at = end ? end + 1 : NULL;
    }
    return 0;
}

/* "9", "9,20", "9,", ",20" or a function: the first and last line to be shown. False: refused. */
static bool find_range(struct terminal *t, const char *text, const char *at, json_int_t *out_first,
                       json_int_t *out_last)
{
    const char *comma = strchr(at, ',');
    const json_int_t last = comma ? strtoll(comma + 1, NULL, 10) : 0;
    const json_int_t middle = isdigit((unsigned char)*at) ? strtoll(at, NULL, 10)
                              : comma == at && last       ? (last > LIST_LINES ? last - LIST_LINES + 1 : 1)
                                                          : line_of_function(text, at);
    if (!middle) {
        terminal_refuse(t, "no function '%s' is in the source", at);
        return false;
    }
    *out_first = comma ? middle : middle > LIST_LINES / 2 ? middle - LIST_LINES / 2 : 1;
    *out_last = last >= *out_first ? last : *out_first + LIST_LINES - 1;
    return true;
}

/* "FILE:9": the file is the one from now on. Returns what follows; NULL: there is none of that name, and that
 * is printed. */
static const char *take_file(struct terminal *t, const char *arguments)
{
    const char *colon = strrchr(arguments, ':');
    if (!colon)
        return arguments;
    json_t *answer = terminal_ask(t, "sources", NULL);
    const json_t *list = json_object_get(answer, "list");
    const size_t length = (size_t)(colon - arguments);
    bool found = false;
    for (size_t i = 0; i < json_array_size(list) && !found; i++) {
        const char *file = json_string_value(json_array_get(list, i));
        const size_t size = strlen(file);
        found = size >= length && !strncmp(file + size - length, arguments, length) &&
                (size == length || file[size - length - 1] == '/');
        if (found)
            list_around(t, file, 1);
    }
    json_decref(answer);
    if (!found)
        terminal_refuse(t, "no source '%.*s' is known: 'info sources' lists them", (int)length, arguments);
    return found ? colon + 1 : NULL;
}

static void list_lines(struct terminal *t, const char *text, json_int_t first, json_int_t last)
{
    size_t length;
    if (!line_at(text, first, &length)) {
        terminal_refuse(t, "the source has no line %" PRId64, (int64_t)first);
        return;
    }
    for (json_int_t i = first; i <= last; i++) {
        const char *line = line_at(text, i, &length);
        if (line)
            fprintf(t->out, "%" PRId64 "\t%.*s\n", (int64_t)i, (int)length, line);
    }
    t->list_line = (uint32_t)last + 1;
}

void do_list(struct terminal *t, const char *arguments)
{
    arguments = take_file(t, arguments);
    if (!arguments)
        return;
    json_t *source = source_of(t, t->list_file ? t->list_file : t->file);
    const char *text = TEXT(source, "text");
    json_int_t first = t->list_line ? (json_int_t)t->list_line : 1, last;
    if (!strcmp(arguments, "-")) {
        first = first > 2 * LIST_LINES ? first - 2 * LIST_LINES : 1;
        arguments = "";
    }
    last = first + LIST_LINES - 1;
    if (!source)
        terminal_refuse(t, "no source text is known");
    else if (!*arguments || find_range(t, text, arguments, &first, &last))
        list_lines(t, text, first, last);
    json_decref(source);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Parses "/x" and skips it. Returns the format, or '\0'. */
static char take_format(const char **arguments)
{
    char format = '\0';
    if (**arguments != '/')
        return '\0';
    for (++*arguments; **arguments && !isspace((unsigned char)**arguments); ++*arguments)
        format = **arguments;
    while (isspace((unsigned char)**arguments))
        ++*arguments;
    return format;
}

static bool needs_expression(struct terminal *t, const char *arguments)
{
    if (!*arguments)
        terminal_refuse(t, "expected an expression");
    return *arguments != '\0';
}

static void print_value(struct terminal *t, const char *arguments, const char *head)
{
    const char format[] = {take_format(&arguments), '\0'};
    if (!needs_expression(t, arguments))
        return;
    json_t *value =
        terminal_ask(t, "evaluate", json_pack("{s:s,s:s}", "expression", arguments, "format", format));
    if (!value)
        return;
    if (head)
        fprintf(t->out, "%s%s\n", head, TEXT(value, "value"));
    else
        fprintf(t->out, "%s = %s\n", arguments, TEXT(value, "value"));
    json_decref(value);
}

void do_print(struct terminal *t, const char *arguments)
{
    print_value(t, arguments, NULL);
}
void do_output(struct terminal *t, const char *arguments)
{
    print_value(t, arguments, "");
}

static void show_type(struct terminal *t, const char *arguments, const char *key)
{
    if (!needs_expression(t, arguments))
        return;
    json_t *answer = terminal_ask(t, "type", json_pack("{s:s}", "expression", arguments));
    if (answer)
        fprintf(t->out, "type = %s\n", TEXT(answer, key));
    json_decref(answer);
}

void do_ptype(struct terminal *t, const char *arguments)
{
    show_type(t, arguments, "definition");
}

void do_whatis(struct terminal *t, const char *arguments)
{
    show_type(t, arguments, "type");
}

void do_set(struct terminal *t, const char *arguments)
{
    const char *rest = terminal_after_word(arguments, "var");
    if (!rest)
        rest = terminal_after_word(arguments, "variable");
    if (!rest)
        rest = arguments;
    if (!strchr(rest, '=')) {
        terminal_refuse(t, "found '%s', expected: set var VARIABLE = EXPRESSION", arguments);
        return;
    }
    json_decref(terminal_evaluate(t, rest, true));
}

static bool is_in_sight(struct terminal *t, const char *expression)
{
    json_t *value =
        session_request(t->session, json_pack("{s:s,s:s,s:I,s:i}", "verb", "evaluate", "expression",
                                              expression, "thread", t->thread, "frame", (int)t->frame));
    const bool fine = !json_object_get(value, "error");
    json_decref(value);
    return fine;
}

void terminal_show_displays(struct terminal *t)
{
    for (uint32_t i = 0; i < t->display_count; i++) {
        char head[32];
        snprintf(head, sizeof head, "/%c ", t->displays[i].format);
        char *text = NULL;
        if (!is_in_sight(t, t->displays[i].expression))
            continue;
        fprintf(t->out, "%" PRIu32 ": ", t->displays[i].id);
        if (asprintf(&text, "%s%s", t->displays[i].format ? head : "", t->displays[i].expression) >= 0)
            print_value(t, text, NULL);
        free(text);
        t->failed = false;
    }
}

static void list_displays(struct terminal *t)
{
    if (!t->display_count)
        fputs("No displays.\n", t->out);
    for (uint32_t i = 0; i < t->display_count; i++)
        fprintf(t->out, "%" PRIu32 ": %.*s%s\n", t->displays[i].id, t->displays[i].format ? 3 : 0,
                (const char[]){'/', t->displays[i].format, ' ', '\0'}, t->displays[i].expression);
}

void do_display(struct terminal *t, const char *arguments)
{
    if (!*arguments) {
        terminal_show_displays(t);
        return;
    }
    if (t->display_count == DISPLAYS_MOST) {
        terminal_refuse(t, "there are %d displays already", DISPLAYS_MOST);
        return;
    }
    const char format = take_format(&arguments);
    t->displays[t->display_count].format = format;
    t->displays[t->display_count].id = t->next_display++;
    t->displays[t->display_count++].expression = strdup(arguments);
    if (t->thread)
        terminal_show_displays(t);
}

void do_undisplay(struct terminal *t, const char *arguments)
{
    const uint32_t id = (uint32_t)strtoul(arguments, NULL, 10);
    for (uint32_t i = t->display_count; i-- > 0;) {
        if (id && t->displays[i].id != id)
            continue;
        free(t->displays[i].expression);
        memmove(&t->displays[i], &t->displays[i + 1], (t->display_count - i - 1) * sizeof *t->displays);
        t->display_count--;
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Finds the address that an expression means: of an lvalue that is no pointer its own, else its value. */
static bool address_of(struct terminal *t, const char *expression, json_int_t *out_address,
                       json_int_t *out_size)
{
    json_t *value = terminal_evaluate(t, expression, false);
    if (!value)
        return false;
    const json_t *target = json_object_get(value, "points_to"), *own = json_object_get(value, "address"),
                 *bits = json_object_get(value, "bits");
    const json_t *address = target ? target : own && !bits ? own : bits;
    *out_address = json_integer_value(address);
    *out_size = NUMBER(value, "size");
    json_decref(value);
    if (!address)
        terminal_refuse(t, "the expression is no address");
    return address != NULL;
}

static uint64_t unit_value(const char *hex, size_t size)
{
    uint64_t value = 0;
    for (size_t k = size; k-- > 0;) {
        const char pair[3] = {hex[2 * k], hex[2 * k + 1], '\0'};
        value = value << 8 | strtoul(pair, NULL, 16);
    }
    return value;
}

static void print_binary(FILE *out, uint64_t bits)
{
    int top = 63;
    while (top && !(bits >> top & 1))
        top--;
    for (; top >= 0; top--)
        fputc('0' + (int)(bits >> top & 1), out);
}

static void print_unit(struct terminal *t, uint64_t value, size_t size, char format)
{
    const int64_t signed_value = (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
    float single;
    double real;
    memcpy(&single, &value, sizeof single);
    memcpy(&real, &value, sizeof real);
    switch (format) {
    case 'd': fprintf(t->out, "\t%" PRId64, signed_value); break;
    case 'u': fprintf(t->out, "\t%" PRIu64, value); break;
    case 'o': fprintf(t->out, "\t0%" PRIo64, value); break;
    case 'f': fprintf(t->out, "\t%.9g", size == 8 ? real : (double)single); break;
    case 'c':
        fprintf(t->out, isprint((int)(value & 127)) && value < 127 ? "\t'%c'" : "\t'\\%o'",
                (int)(value & 255));
        break;
    case 't':
        fputc('\t', t->out);
        print_binary(t->out, value);
        break;
    default: fprintf(t->out, "\t0x%0*" PRIx64, (int)size * 2, value);
    }
}

static void examine(struct terminal *t, json_int_t address, json_int_t count, size_t size, char format)
{
    json_t *answer =
        terminal_ask(t, "read", json_pack("{s:I,s:I}", "address", address, "size", count * (json_int_t)size));
    if (!answer)
        return;
    const char *hex = TEXT(answer, "bytes");
    const size_t units = strlen(hex) / 2 / size, row = 16 / size;
    for (size_t i = 0; i < units; i++) {
        if (i % row == 0)
            fprintf(t->out, "%s0x%" PRIx64 ":", i ? "\n" : "", (uint64_t)address + i * size);
        print_unit(t, unit_value(hex + 2 * i * size, size), size, format);
    }
    if (units)
        fputc('\n', t->out);
    if ((json_int_t)units < count)
        terminal_refuse(t, "cannot read memory at 0x%" PRIx64, (uint64_t)address + units * size);
    json_decref(answer);
}

void do_examine(struct terminal *t, const char *arguments)
{
    json_int_t count = 1, address, bytes;
    size_t size = 4;
    char format = 'x';
    if (*arguments == '/') {
        char *end;
        arguments++;
        const long given = strtol(arguments, &end, 10);
        count = given > 0 ? given : 1;
        for (arguments = end; *arguments && !isspace((unsigned char)*arguments); arguments++) {
            const char *unit = strchr("bhwg", *arguments);
            if (unit)
                size = (size_t)1 << (unit - strchr("bhwg", 'b'));
            else
                format = *arguments;
        }
        while (isspace((unsigned char)*arguments))
            arguments++;
    }
    if (!strchr("xduotfc", format)) {
        terminal_refuse(t, "found format '%c', expected one of d u x o t c f", format);
        return;
    }
    if (needs_expression(t, arguments) && address_of(t, arguments, &address, &bytes))
        examine(t, address, count, size, format);
}

/* Takes a size, "16", off the end of "EXPRESSION 16"; 0: there is none. */
static json_int_t take_size(char *text)
{
    char *space = strrchr(text, ' '), *end;
    const json_int_t size = space ? (json_int_t)strtoull(space + 1, &end, 0) : 0;
    if (!size || *end || !isalnum((unsigned char)space[1]))
        return 0;
    *space = '\0';
    return size;
}

static void dump(struct terminal *t, const char *arguments, json_int_t base)
{
    char *text = strdup(arguments), *end;
    if (!text)
        tools_no_memory();
    const json_int_t given = take_size(text), address = (json_int_t)strtoull(text, &end, 0);
    json_int_t place, bytes;
    if (end != text && !*end)
        examine(t, base + address, given ? given : 8, 1, 'x');
    else if (needs_expression(t, text) && address_of(t, text, &place, &bytes))
        examine(t, place, given ? given : 8, 1, 'x');
    free(text);
}

void do_global_memory(struct terminal *t, const char *arguments)
{
    dump(t, arguments, 0);
}

/* Addresses below the private base are offsets in the work-item's private memory. */
void do_private_memory(struct terminal *t, const char *arguments)
{
    const json_int_t base = INT64_C(0x4000000000010000);
    dump(t, arguments, strtoull(arguments, NULL, 0) >= (uint64_t)base ? 0 : base);
}

/* Prints bytecode, and each SPIR-V instruction once, above the bytecode that carries it out. */
void do_disassemble(struct terminal *t, const char *arguments)
{
    (void)arguments;
    json_t *answer = terminal_ask(t, "disassemble",
                                  json_pack("{s:i,s:i,s:b}", "start", -8, "count", 24, "relative", true));
    const json_t *list = json_object_get(answer, "list");
    json_int_t word = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (TEXT(row, "spirv") && NUMBER(row, "word") != word)
            fprintf(t->out, "          %s\n", TEXT(row, "spirv"));
        word = NUMBER(row, "word") ? NUMBER(row, "word") : word;
        fprintf(t->out, "%s %5" PRId64 "  %s\n", json_is_true(json_object_get(row, "here")) ? "=>" : "  ",
                (int64_t)NUMBER(row, "index"), TEXT(row, "text"));
    }
    json_decref(answer);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void print_frame(struct terminal *t, const json_t *frames, size_t level)
{
    const json_t *frame = json_array_get(frames, level);
    fprintf(t->out, "#%zu  %s at %s:%" PRId64 "\n", level, TEXT(frame, "function"), TEXT(frame, "file"),
            (int64_t)NUMBER(frame, "line"));
}

static void show_variables(struct terminal *t, const char *scope);

/* The variables of a call, below it. */
static void show_frame_variables(struct terminal *t, uint32_t level)
{
    const uint32_t frame = t->frame;
    t->frame = level;
    show_variables(t, "arguments");
    show_variables(t, "locals");
    t->frame = frame;
}

/* "N" innermost calls, "-N" outermost ones, "full" with their variables. */
void do_backtrace(struct terminal *t, const char *arguments)
{
    const char *rest = terminal_after_word(arguments, "full"), *number = rest ? rest : arguments;
    char *end;
    const long wanted = strtol(number, &end, 10);
    if (*end) {
        terminal_refuse(t, "found '%s', expected: backtrace [full] [COUNT]", arguments);
        return;
    }
    json_t *stack = terminal_ask(t, "stack", NULL);
    const json_t *frames = json_object_get(stack, "frames");
    const long count = (long)json_array_size(frames);
    const long first = wanted < 0 && -wanted < count ? count + wanted : 0,
               last = wanted > 0 && wanted < count ? wanted : count;
    for (long i = first; i < last; i++) {
        print_frame(t, frames, (size_t)i);
        if (rest)
            show_frame_variables(t, (uint32_t)i);
    }
    if (last == count)
        terminal_show_host_frame(t, stack);
    json_decref(stack);
}

static void select_frame(struct terminal *t, long level)
{
    json_t *stack = terminal_ask(t, "stack", json_pack("{s:i}", "frame", 0));
    const json_t *frames = json_object_get(stack, "frames");
    const long count = (long)json_array_size(frames);
    if (stack && level == count && json_object_get(stack, "host")) {
        terminal_show_host_frame(t, stack);
        terminal_refuse(t, "this is the host program: its variables are not known");
    } else if (stack && (level < 0 || level >= count)) {
        terminal_refuse(t, level < 0 ? "this is the innermost call" : "this is the kernel: it has no caller");
    } else if (stack) {
        t->frame = (uint32_t)level;
        print_frame(t, frames, (size_t)level);
        terminal_show_line(t, TEXT(json_array_get(frames, (size_t)level), "file"),
                           NUMBER(json_array_get(frames, (size_t)level), "line"));
    }
    json_decref(stack);
}

static long count_of(const char *arguments)
{
    return *arguments ? strtol(arguments, NULL, 10) : 1;
}

void do_frame(struct terminal *t, const char *arguments)
{
    char *end;
    const long level = strtol(arguments, &end, 10);
    if (*end)
        terminal_refuse(t, "found '%s', expected the number of a call: 'backtrace' lists them", arguments);
    else
        select_frame(t, *arguments ? level : (long)t->frame);
}
void do_up(struct terminal *t, const char *arguments)
{
    select_frame(t, (long)t->frame + count_of(arguments));
}
void do_down(struct terminal *t, const char *arguments)
{
    select_frame(t, (long)t->frame - count_of(arguments));
}

/* ---- info ------------------------------------------------------------------------------------ */

static void show_variables(struct terminal *t, const char *scope)
{
    json_t *answer = terminal_ask(t, "variables", json_pack("{s:s}", "scope", scope));
    const json_t *list = json_object_get(answer, "list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *variable = json_array_get(list, i);
        fprintf(t->out, "%s = %s\n", TEXT(variable, "name"), TEXT(variable, "value"));
    }
    if (answer && !json_array_size(list))
        fprintf(t->out, "No %s.\n", scope);
    json_decref(answer);
}

json_t *terminal_variables(struct terminal *t)
{
    static const char *const scopes[] = {"locals", "arguments", "globals"};
    json_t *variables = json_array();
    for (size_t i = 0; t->thread && i < sizeof scopes / sizeof *scopes; i++) {
        json_t *answer =
            session_request(t->session, json_pack("{s:s,s:s,s:I,s:i}", "verb", "variables", "scope",
                                                  scopes[i], "thread", t->thread, "frame", (int)t->frame));
        json_array_extend(variables, json_object_get(answer, "list"));
        json_decref(answer);
    }
    return variables;
}

/* Of code without debug information, no function and line are known. */
static bool have_same(const json_t *thread, const json_t *other, const char *key)
{
    const json_t *a = json_object_get(thread, key), *b = json_object_get(other, key);
    return (!a && !b) || json_equal(a, b);
}

static bool is_same_row(const struct terminal *t, const json_t *thread, const json_t *other)
{
    const bool has_focus = NUMBER(thread, "id") == t->thread || NUMBER(other, "id") == t->thread;
    return !has_focus && have_same(thread, other, "state") && have_same(thread, other, "function") &&
           have_same(thread, other, "line");
}

static void show_thread_row(struct terminal *t, const json_t *first, const json_t *last)
{
    fprintf(t->out, "%c %" PRId64, NUMBER(first, "id") == t->thread ? '*' : ' ',
            (int64_t)NUMBER(first, "id") - 1);
    if (first != last)
        fprintf(t->out, " to %" PRId64, (int64_t)NUMBER(last, "id") - 1);
    fputs(first != last ? "  work-items " : "  work-item ", t->out);
    terminal_print_item(t->out, json_object_get(first, "global"));
    if (first != last) {
        fputs(" to ", t->out);
        terminal_print_item(t->out, json_object_get(last, "global"));
    }
    fprintf(t->out, "  %s", TEXT(first, "state"));
    if (TEXT(first, "function"))
        fprintf(t->out, ", %s line %" PRId64, TEXT(first, "function"), (int64_t)NUMBER(first, "line"));
    fputc('\n', t->out);
}

/* Prints consecutive work-items at the same line in the same state as one row. */
static void show_threads(struct terminal *t, bool all)
{
    json_t *answer = terminal_ask(t, "threads", json_pack("{s:b}", "all", all));
    const json_t *list = json_object_get(answer, "threads");
    const size_t count = json_array_size(list);
    for (size_t i = 0, end; i < count; i = end) {
        const json_t *first = json_array_get(list, i);
        for (end = i + 1; end < count && is_same_row(t, first, json_array_get(list, end));)
            end++;
        show_thread_row(t, first, json_array_get(list, end - 1));
    }
    if (NUMBER(answer, "left_out"))
        fprintf(t->out, "%" PRId64 " more are not listed\n", (int64_t)NUMBER(answer, "left_out"));
    json_decref(answer);
}

static void print_sizes(struct terminal *t, const char *name, const json_t *sizes)
{
    fprintf(t->out, "%s ", name);
    terminal_print_item(t->out, sizes);
    fputc('\n', t->out);
}

static void show_launch(struct terminal *t)
{
    json_t *launch = terminal_ask(t, "launch", NULL);
    if (!launch)
        return;
    fprintf(t->out, "launch %" PRId64 " of kernel %s\n", (int64_t)NUMBER(launch, "launch"),
            TEXT(launch, "kernel"));
    print_sizes(t, "global size", json_object_get(launch, "global_size"));
    print_sizes(t, "local size", json_object_get(launch, "local_size"));
    print_sizes(t, "global offset", json_object_get(launch, "global_offset"));
    terminal_show_host_call(t, launch);
    json_decref(launch);
}

static void show_sources(struct terminal *t)
{
    json_t *answer = terminal_ask(t, "sources", NULL);
    for (size_t i = 0; i < json_array_size(json_object_get(answer, "list")); i++)
        fprintf(t->out, "%s\n", json_string_value(json_array_get(json_object_get(answer, "list"), i)));
    json_decref(answer);
}

/* Finding the position may take another run, which leaves copies. */
static void show_position(struct terminal *t)
{
    const uint64_t position = session_position(t->session);
    fprintf(t->out, "position %" PRIu64 ", %zu copies to go back to\n", position, session_copies(t->session));
    const struct session_memory memory = session_memory(t->session);
    if (memory.copies)
        fprintf(t->out,
                "memory of the copies: %" PRIu64 " bytes now, at most %" PRIu64
                " (%zu copies in which each page "
                "differs)\n",
                memory.bytes, memory.most_bytes, memory.most_copies);
}

static void show_steps(struct terminal *t)
{
    const uint64_t position = session_position(t->session), executed = session_executed(t->session);
    fprintf(t->out,
            "position %" PRIu64 ", %" PRIu64 " steps executed so far, with those that ways back repeated\n",
            position, executed);
}

static bool begins(const char *text, const char *name)
{
    return *text && !strncmp(name, text, strlen(text));
}

const char *terminal_info_subject(size_t i)
{
    static const char *const subjects[] = {
        "args", "breakpoints", "commands", "display", "events",  "frame", "globals", "launch",
        "line", "locals",      "position", "queues",  "sources", "steps", "threads", "watchpoints"};
    return i < sizeof subjects / sizeof *subjects ? subjects[i] : NULL;
}

void do_info(struct terminal *t, const char *arguments)
{
    const char *all = terminal_after_word(arguments, "threads");
    if (begins(arguments, "locals"))
        show_variables(t, "locals");
    else if (begins(arguments, "args"))
        show_variables(t, "arguments");
    else if (begins(arguments, "globals") || begins(arguments, "variables"))
        show_variables(t, "globals");
    else if (begins(arguments, "breakpoints"))
        terminal_show_points(t, false);
    else if (begins(arguments, "watchpoints"))
        terminal_show_points(t, true);
    else if (all || begins(arguments, "threads") || begins(arguments, "work-items"))
        show_threads(t, all && terminal_after_word(all, "all"));
    else if (begins(arguments, "launch") || begins(arguments, "program") || begins(arguments, "kernel"))
        show_launch(t);
    else if (begins(arguments, "queues"))
        terminal_show_host(t, "queues");
    else if (begins(arguments, "commands"))
        terminal_show_host(t, "commands");
    else if (begins(arguments, "events"))
        terminal_show_host(t, "events");
    else if (begins(arguments, "display"))
        list_displays(t);
    else if (begins(arguments, "sources"))
        show_sources(t);
    else if (begins(arguments, "position"))
        show_position(t);
    else if (begins(arguments, "registers"))
        terminal_refuse(t, "variables are in memory, not in registers: 'info locals', 'disassemble'");
    else if (begins(arguments, "steps"))
        show_steps(t);
    else if (begins(arguments, "line") || begins(arguments, "frame"))
        select_frame(t, (long)t->frame);
    else
        terminal_refuse(t,
                        "found '%s', expected args, breakpoints, commands, display, events, frame, globals, "
                        "launch, line, locals, position, queues, sources, steps or threads",
                        arguments);
}

/* ---- work-items ------------------------------------------------------------------------------ */

bool terminal_parse_item(struct terminal *t, const char *text, json_int_t *out_number)
{
    uint64_t ids[3] = {0, 0, 0};
    int count = 0;
    for (const char *at = text; *at && count < 3;) {
        char *end;
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        ids[count++] = strtoull(at, &end, 0);
        at = end;
    }
    json_t *launch = count ? terminal_ask(t, "launch", NULL) : NULL;
    const json_t *sizes = json_object_get(launch, "global_size"),
                 *offsets = json_object_get(launch, "global_offset");
    for (size_t k = 0; k < 3 && count > 1; k++)
        ids[k] -= (uint64_t)json_integer_value(json_array_get(offsets, k));
    *out_number =
        1 + (json_int_t)((ids[2] * (uint64_t)json_integer_value(json_array_get(sizes, 1)) + ids[1]) *
                             (uint64_t)json_integer_value(json_array_get(sizes, 0)) +
                         ids[0]);
    json_decref(launch);
    return launch != NULL;
}

/* Executes the command of "all COMMAND" for each work-item of the work-group. */
static void apply_to_threads(struct terminal *t, const char *arguments)
{
    const char *command = terminal_after_word(arguments, "all");
    if (!command || !*command) {
        terminal_refuse(t, "found '%s', expected: thread apply all COMMAND", arguments);
        return;
    }
    json_t *answer = terminal_ask(t, "threads", NULL);
    const json_t *list = json_object_get(answer, "threads");
    const json_int_t thread = t->thread;
    const uint32_t frame = t->frame;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        t->thread = NUMBER(one, "id");
        t->frame = 0;
        fprintf(t->out, "Work-item %" PRId64 ":\n", (int64_t)t->thread - 1);
        terminal_execute(t, command);
    }
    t->thread = thread;
    t->frame = frame;
    json_decref(answer);
}

void do_thread(struct terminal *t, const char *arguments)
{
    const char *applied = terminal_after_word(arguments, "apply");
    if (applied) {
        apply_to_threads(t, applied);
        return;
    }
    json_int_t number = t->thread;
    const bool given = arguments[strcspn(arguments, "0123456789")] != '\0';
    if (given && !terminal_parse_item(t, arguments, &number))
        return;
    json_t *stack = terminal_ask(t, "stack", json_pack("{s:I,s:i}", "thread", number, "frame", 0));
    if (!stack)
        return;
    t->thread = NUMBER(stack, "thread");
    t->frame = 0;
    fprintf(t->out, "Work-item %" PRId64 ", which %s\n", (int64_t)t->thread - 1, TEXT(stack, "state"));
    const json_t *frames = json_object_get(stack, "frames");
    print_frame(t, frames, 0);
    terminal_show_line(t, TEXT(json_array_get(frames, 0), "file"), NUMBER(json_array_get(frames, 0), "line"));
    json_decref(stack);
}

/* Prints consecutive work-items with the same value as one row. */
void do_lanes(struct terminal *t, const char *arguments)
{
    json_t *answer = terminal_ask(t, "lanes", json_pack("{s:s}", "expression", arguments));
    const json_t *list = json_object_get(answer, "threads");
    const size_t count = json_array_size(list);
    for (size_t i = 0, end; i < count; i = end) {
        const json_t *first = json_array_get(list, i);
        for (end = i + 1; end < count &&
                          !strcmp(TEXT(json_array_get(list, end), "value"), TEXT(first, "value")) &&
                          !strcmp(TEXT(json_array_get(list, end), "state"), TEXT(first, "state"));)
            end++;
        terminal_print_item(t->out, json_object_get(first, "global"));
        if (end > i + 1) {
            fputs(" to ", t->out);
            terminal_print_item(t->out, json_object_get(json_array_get(list, end - 1), "global"));
        }
        fprintf(t->out, "  %s  (%s)\n", TEXT(first, "value"), TEXT(first, "state"));
    }
    json_decref(answer);
}

/* ---- the past -------------------------------------------------------------------------------- */

static void show_last(struct terminal *t, const char *expression, bool reads)
{
    json_t *value = terminal_evaluate(t, expression, false);
    if (!value)
        return;
    json_t *own = json_object_get(value, "address"), *bits = json_object_get(value, "bits");
    json_int_t address = json_integer_value(own ? own : bits), size = own ? NUMBER(value, "size") : 1;
    const bool is_private = json_is_true(json_object_get(value, "private"));
    json_decref(value);
    if (is_private) {
        terminal_refuse(t, "accesses to private memory are not recorded; use watch and reverse-continue");
        return;
    }
    json_decref(session_points(t->session, json_pack("[{s:i,s:s,s:I,s:I,s:b,s:b}]", "id", TERMINAL_OWN_POINT,
                                                     "kind", "watch", "address", address, "size", size,
                                                     "read", reads, "write", 1)));
    const json_int_t thread = t->thread;
    json_t *last = session_last(t->session, json_pack("{s:s}", "mode", "continue"));
    terminal_points_send(t);
    t->thread = thread;
    if (!terminal_is_refused(t, last)) {
        if (NUMBER(last, "last"))
            fprintf(t->out, "%s, at position %" PRId64 "\n", TEXT(last, "text"),
                    (int64_t)NUMBER(last, "last"));
        else
            fprintf(t->out, "No kernel %s it yet.\n", reads ? "accessed" : "wrote");
    }
    json_decref(last);
}

void do_who_wrote(struct terminal *t, const char *arguments)
{
    show_last(t, arguments, false);
}
void do_last_access(struct terminal *t, const char *arguments)
{
    show_last(t, arguments, true);
}

/* A variable of the work-item is compared at each of its lines; other memory has a row for each write. */
static json_t *log_of_writes(struct terminal *t, const char *expression)
{
    json_t *value = terminal_evaluate(t, expression, false), *point = NULL;
    if (!value)
        return NULL;
    if (!json_object_get(value, "address"))
        terminal_refuse(t, "'%s' is no memory: its value cannot change", expression);
    else if (json_is_true(json_object_get(value, "private")))
        point = json_pack("{s:i,s:s,s:s,s:s,s:I,s:I}", "id", TERMINAL_OWN_POINT, "kind", "expression", "log",
                          "", "expression", expression, "thread", t->thread, "launch", t->launch);
    else
        point = json_pack("{s:i,s:s,s:s,s:O,s:O,s:b,s:b}", "id", TERMINAL_OWN_POINT, "kind", "watch", "log",
                          "", "address", json_object_get(value, "address"), "size",
                          json_object_get(value, "size"), "read", 0, "write", 1);
    json_decref(value);
    return point;
}

void do_history(struct terminal *t, const char *arguments)
{
    json_t *point = log_of_writes(t, arguments);
    if (!point)
        return;
    json_decref(session_points(t->session, json_pack("[o]", point)));
    const json_int_t thread = t->thread;
    json_t *stop = session_replay(t->session);
    terminal_is_refused(t, stop);
    json_decref(stop);
    terminal_points_send(t);
    t->thread = thread;
}

void do_hash(struct terminal *t, const char *arguments)
{
    (void)arguments;
    json_t *answer = terminal_ask(t, "hash", NULL);
    if (answer)
        fprintf(t->out, "%s at position %" PRId64 "\n", TEXT(answer, "hash"),
                (int64_t)NUMBER(answer, "position"));
    json_decref(answer);
}
