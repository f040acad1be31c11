/* SPDX-License-Identifier: Apache-2.0 */
/* Verbs that query the race checker: would an access race, and what happens before. */
#include <inttypes.h>
#include <string.h>

#include "terminal.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))
#define NUMBER(object, key) json_integer_value(json_object_get(object, key))
#define TRUE(object, key) json_is_true(json_object_get(object, key))

/* "barrier at k.cl:12"; "atomic store, memory_order_release at k.cl:9 of work-item (0,0,0) -> ..." */
static void print_end(struct terminal *t, const json_t *end, bool who)
{
    fprintf(t->out, "%s at %s:%" PRId64, TEXT(end, "what"), TEXT(end, "file"), (int64_t)NUMBER(end, "line"));
    if (!who)
        return;
    fputs(" of work-item ", t->out);
    terminal_print_item(t->out, json_object_get(end, "global"));
}

static void print_edge(struct terminal *t, const json_t *edge)
{
    const bool barrier = TRUE(edge, "barrier");
    print_end(t, json_object_get(edge, "from"), !barrier);
    if (barrier)
        return;
    fputs(" -> ", t->out);
    print_end(t, json_object_get(edge, "to"), true);
}

/* ---- why ------------------------------------------------------------------------------------- */

static void print_who(struct terminal *t, const json_t *access)
{
    const json_t *global = json_object_get(access, "global");
    fprintf(t->out, "  %s at %s:%" PRId64 " by ", TEXT(access, "what"), TEXT(access, "file"),
            (int64_t)NUMBER(access, "line"));
    if (global) {
        fputs("work-item ", t->out);
        terminal_print_item(t->out, global);
    } else {
        fputs(TEXT(access, "by") ? TEXT(access, "by") : "a copy", t->out);
    }
}

static const char *verdict_of(const json_t *access)
{
    const bool read = TRUE(access, "races_with_read"), write = TRUE(access, "races_with_write");
    if (read || write)
        return !write ? "a read here would race"
               : read ? "a read or a write here would race"
                      : "a write here would race";
    if (TRUE(access, "own"))
        return "the work-item's own, in program order";
    return "happens before";
}

/* Rows that differ from the one before only in the work-item are counted, not printed. */
static bool is_alike(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"what", "line", "file", "why"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
            return false;
    return !strcmp(verdict_of(a), verdict_of(b)) &&
           json_array_size(json_object_get(a, "edges")) == json_array_size(json_object_get(b, "edges"));
}

static void print_access(struct terminal *t, const json_t *access, size_t more)
{
    const json_t *edges = json_object_get(access, "edges");
    const size_t count = json_array_size(edges);
    const bool races = TRUE(access, "races_with_read") || TRUE(access, "races_with_write");
    print_who(t, access);
    if (more)
        fprintf(t->out, " and %zu more", more);
    fprintf(t->out, ": %s", verdict_of(access));
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "; " : ", by ", t->out);
        print_edge(t, json_array_get(edges, i));
    }
    fputc('\n', t->out);
    if (races && TEXT(access, "why"))
        fprintf(t->out, "    because: %s\n", TEXT(access, "why"));
    if (races && TEXT(access, "fix"))
        fprintf(t->out, "    to order them: %s\n", TEXT(access, "fix"));
}

static void print_conclusion(struct terminal *t, const json_t *list, bool read_only)
{
    bool read = false, write = false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        read |= TRUE(json_array_get(list, i), "races_with_read");
        write |= TRUE(json_array_get(list, i), "races_with_write");
    }
    if (!json_array_size(list) && !read_only)
        fputs("No work-item of this launch has accessed it. ", t->out);
    if (read_only)
        fputs("No instruction of the kernel writes there: a read cannot race, and reads are not recorded.\n",
              t->out);
    else if (!read && !write)
        fputs("Neither a read nor a write here would race.\n", t->out);
    else if (!read)
        fputs("A read here would not race.\n", t->out);
}

void do_why(struct terminal *t, const char *arguments)
{
    json_t *answer = terminal_ask(t, "why", json_pack("{s:s}", "expression", arguments));
    const json_t *list = json_object_get(answer, "accesses");
    const size_t count = json_array_size(list);
    if (!answer)
        return;
    fprintf(t->out, "%" PRId64 " bytes at 0x%" PRIx64 "\n", (int64_t)NUMBER(answer, "size"),
            (uint64_t)NUMBER(answer, "address"));
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_alike(json_array_get(list, i), json_array_get(list, end));)
            end++;
        print_access(t, json_array_get(list, i), end - i - 1);
    }
    print_conclusion(t, list, TRUE(answer, "read_only"));
    json_decref(answer);
}

/* ---- may-read -------------------------------------------------------------------------------- */

static void print_write(struct terminal *t, const json_t *write, const json_t *answer)
{
    const bool part = NUMBER(write, "size") != NUMBER(answer, "size");
    fprintf(t->out, "  %s  ", TEXT(write, "value") ? TEXT(write, "value") : "(value not kept)");
    if (part)
        fprintf(t->out, "in bytes %" PRId64 " to %" PRId64 ", ", (int64_t)NUMBER(write, "first"),
                (int64_t)(NUMBER(write, "first") + NUMBER(write, "size") - 1));
    fprintf(t->out, "%s at %s:%" PRId64 " by ", TEXT(write, "what"), TEXT(write, "file"),
            (int64_t)NUMBER(write, "line"));
    fputs(TRUE(write, "copy") ? "a copy of the work-group of work-item " : "work-item ", t->out);
    terminal_print_item(t->out, json_object_get(write, "global"));
    fprintf(t->out, ", position %" PRId64 ": %s\n", (int64_t)NUMBER(write, "position"),
            TRUE(write, "ordered") ? "happens before" : "not ordered with a load here");
}

static void print_initial(struct terminal *t, const json_t *initial)
{
    if (!initial)
        return;
    if (json_is_string(initial))
        fprintf(t->out, "  %s  what was there when the launch began\n", json_string_value(initial));
    else
        fputs("  (undefined)  nothing was written there before\n", t->out);
}

void do_may_read(struct terminal *t, const char *arguments)
{
    json_t *answer = terminal_ask_may_read(t, arguments);
    const json_t *list = json_object_get(answer, "writes");
    if (!answer)
        return;
    fprintf(t->out, "%" PRId64 " bytes at 0x%" PRIx64 ": of the writes so far, a load here may return\n",
            (int64_t)NUMBER(answer, "size"), (uint64_t)NUMBER(answer, "address"));
    for (size_t i = 0; i < json_array_size(list); i++)
        print_write(t, json_array_get(list, i), answer);
    print_initial(t, json_object_get(answer, "initial"));
    if (NUMBER(answer, "hidden"))
        fprintf(t->out, "Not any of %" PRId64 " other write%s: later ones happen before this place.\n",
                (int64_t)NUMBER(answer, "hidden"), NUMBER(answer, "hidden") == 1 ? "" : "s");
    if (TRUE(answer, "fewer"))
        fputs("Not all atomic reads could be kept: some of these may be impossible.\n", t->out);
    json_decref(answer);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void print_row(struct terminal *t, const json_t *row)
{
    const bool global = TRUE(row, "global_memory"), local = TRUE(row, "local_memory");
    const json_t *edge = json_object_get(row, "edge");
    terminal_print_item(t->out, json_object_get(row, "first"));
    if (NUMBER(row, "count") > 1) {
        fputs(" to ", t->out);
        terminal_print_item(t->out, json_object_get(row, "last"));
    }
    fputs("  before its ", t->out);
    print_end(t, json_object_get(row, "until"), false);
    fprintf(t->out, "  %s  by ", !local ? "global" : global ? "global, local" : "local");
    if (edge)
        print_edge(t, edge);
    else
        fputs("an edge that is not kept", t->out);
    fputc('\n', t->out);
}

void do_clocks(struct terminal *t, const char *arguments)
{
    (void)arguments;
    json_t *answer = terminal_ask(t, "clocks", NULL);
    const json_t *rows = json_object_get(answer, "rows");
    if (!answer)
        return;
    if (!json_array_size(rows))
        fputs("Nothing that another work-item did happens before this place.\n", t->out);
    else
        fputs("work-items  what they did  memory  edge\n", t->out);
    for (size_t i = 0; i < json_array_size(rows); i++)
        print_row(t, json_array_get(rows, i));
    json_decref(answer);
}
