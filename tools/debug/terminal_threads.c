/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items. Consecutive ones that are alike are one row. The number of a work-item counts from 0
 * here, and from 1 in the engine. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

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
void terminal_show_threads(struct terminal *t, bool all)
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
    terminal_print_frame(t, frames, 0);
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
