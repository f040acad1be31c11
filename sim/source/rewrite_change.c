/* SPDX-License-Identifier: Apache-2.0 */
/* A change of synchronisation as edits: a statement beside another one, other arguments for a barrier,
 * fence or atomic of OpenCL C, or a statement that moves. It has the order of these functions' arguments
 * and, for forms without order and scope, the form that has them. */
#include "rewrite.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "orrery/checked.h"
#include "rewrite_text.h"
#include "sim/base/memory_words.h"

struct changing {
    const struct change_request *request;
    const struct code_change *change;
    struct code_rewrite *out;
    struct syntax syntax;
};

/* ---- edits --------------------------------------------------------------------------- */

static struct rewrite_place begin_of(const struct changing *c, uint32_t token)
{
    return (struct rewrite_place){c->syntax.tokens[token].line, c->syntax.tokens[token].column};
}

static struct rewrite_place end_of(const struct changing *c, uint32_t token)
{
    const struct token *at = &c->syntax.tokens[token];
    return (struct rewrite_place){at->line, at->column + at->length};
}

static bool add(struct changing *c, struct rewrite_place from, struct rewrite_place to, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

static bool add(struct changing *c, struct rewrite_place from, struct rewrite_place to, const char *format,
                ...)
{
    va_list arguments;
    if (c->out->edit_count == CODE_EDITS_MOST || from.line > c->request->update.line_count)
        return false;
    struct code_edit *edit = &c->out->edits[c->out->edit_count];
    *edit = (struct code_edit){from.line, from.column, to.line, to.column, "", ""};
    va_start(arguments, format);
    const int length = vsnprintf(edit->text, sizeof edit->text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof edit->text)
        return false;
    c->out->edit_count++;
    return true;
}

/* ---- tokens ---------------------------------------------------------------------------- */

static bool is(const struct changing *c, uint32_t token, const char *text)
{
    return token_is(&c->syntax, token, text);
}

static uint32_t token_at(const struct changing *c, struct rewrite_place place)
{
    return syntax_token_at(&c->syntax, place.line, place.column);
}

static uint32_t first_of_line(const struct changing *c, uint32_t line)
{
    uint32_t i = 0;
    while (i < c->syntax.token_count && c->syntax.tokens[i].line < line)
        i++;
    return i < c->syntax.token_count && c->syntax.tokens[i].line == line ? i : NO_TOKEN;
}

/* The outermost statement that begins with the token; 0: none. */
static uint32_t statement_from(const struct changing *c, uint32_t token)
{
    for (uint32_t i = 1; i < c->syntax.node_count; i++)
        if (c->syntax.nodes[i].first == token)
            return i;
    return 0;
}

/* The innermost loop with a head that contains the token; 0: none. */
static uint32_t loop_of(const struct changing *c, uint32_t token)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < c->syntax.node_count; i++) {
        const struct syntax_node *node = &c->syntax.nodes[i];
        if ((node->kind == NODE_LOOP || node->kind == NODE_DO) && node->first <= token && token < node->end)
            found = i;
    }
    return found;
}

/* The statement of a block that contains the token; 0: none. */
static uint32_t statement_of(const struct changing *c, uint32_t token)
{
    uint32_t node = syntax_leaf(&c->syntax, token);
    while (node && c->syntax.nodes[node].parent &&
           c->syntax.nodes[c->syntax.nodes[node].parent].kind != NODE_BLOCK)
        node = c->syntax.nodes[node].parent;
    return node;
}

/* ---- a statement more -------------------------------------------------------------------- */

static const char *statement_text(const struct changing *c)
{
    static const char word[] = "work_group_barrier";
    const bool old = c->request->update.opencl_c && c->request->update.opencl_c < 200;
    const char *text = c->change->text;
    return old && strncmp(text, word, strlen(word)) == 0 ? text + strlen("work_group_") : text;
}

/* Puts the statement and the new one into braces. */
static bool put_in_braces(struct changing *c, const char *text, bool before)
{
    const uint32_t token = first_of_line(c, c->request->line),
                   node = token == NO_TOKEN ? 0 : statement_from(c, token);
    if (!node)
        return false;
    const struct rewrite_place first = begin_of(c, token), end = end_of(c, c->syntax.nodes[node].end - 1);
    return before ? add(c, first, first, "{ %s; ", text) && add(c, end, end, " }")
                  : add(c, first, first, "{ ") && add(c, end, end, " %s; }", text);
}

static bool put_statement(struct changing *c, const char *text)
{
    const struct fence_place *place = &c->change->place;
    const uint32_t line = c->request->line + (place->side == FENCE_AFTER);
    struct rewrite_place at = {line, 1};
    if (place->braces)
        return put_in_braces(c, text, place->side == FENCE_BEFORE);
    if (place->side == FENCE_LOOP) {
        const uint32_t token = token_at(c, c->request->update.write),
                       loop = token == NO_TOKEN ? 0 : loop_of(c, token);
        if (!loop)
            return false;
        at = end_of(c, c->syntax.nodes[loop].end - 1);
        return add(c, at, at, " %s;", text);
    }
    if (place->side == FENCE_BETWEEN) {
        const uint32_t token = c->request->other.line ? token_at(c, c->request->other) : NO_TOKEN,
                       node = token == NO_TOKEN ? 0 : statement_of(c, token);
        if (!node || c->syntax.nodes[node].first > token)
            return false;
        at = begin_of(c, c->syntax.nodes[node].first);
    }
    return add(c, at, at, "%s; ", text);
}

/* Do the tokens from first to last have this text, on one line? */
static bool has_text(const struct changing *c, uint32_t first, uint32_t last, const char *text)
{
    const struct token *from = &c->syntax.tokens[first], *to = &c->syntax.tokens[last];
    const size_t length = (size_t)(to->column + to->length - from->column);
    return first <= last && from->line == to->line && length == strlen(text) &&
           memcmp(from->at, text, length) == 0;
}

/* The statement after the call, in the same block, that is the wait with this text. 0: there is none, or the
 * event may be another one there. */
static uint32_t later_wait(const struct changing *c, uint32_t call, const char *event, const char *wait)
{
    const uint32_t block = c->syntax.nodes[statement_of(c, call)].parent;
    for (uint32_t i = call; i + 1 < c->syntax.token_count; i++) {
        const uint32_t node = is(c, i, "wait_group_events") ? statement_of(c, i) : 0;
        if (i > call && is(c, i, "=") && has_text(c, i - 1, i - 1, event))
            return 0;
        if (node && c->syntax.nodes[node].first == i && c->syntax.nodes[node].parent == block &&
            has_text(c, i, c->syntax.nodes[node].end - 2, wait))
            return node;
    }
    return 0;
}

/* A wait that comes too late moves: a second wait for one event is a mistake. */
static bool take_later_wait(struct changing *c, uint32_t call, const char *event, const char *wait)
{
    const uint32_t node = later_wait(c, call, event, wait);
    if (!node)
        return true;
    const uint32_t first = c->syntax.nodes[node].first;
    c->out->replaced_line = c->syntax.tokens[first].line;
    return add(c, begin_of(c, first), end_of(c, c->syntax.nodes[node].end - 1), "%s", "");
}

/* e = async_work_group_copy(...): adds the wait for e. */
static bool put_wait(struct changing *c)
{
    const uint32_t call = token_at(c, c->request->other);
    char text[CODE_STATEMENT_CHARS], event[CODE_STATEMENT_CHARS - sizeof "wait_group_events(1, &)"];
    if (call == NO_TOKEN || call < 3 || !is(c, call - 1, "="))
        return false;
    uint32_t name = call - 2;
    if (is(c, name, "]"))
        name = c->syntax.tokens[name].match - 1;
    if (!token_is_word(&c->syntax, name))
        return false;
    const struct token *first = &c->syntax.tokens[name], *last = &c->syntax.tokens[call - 2];
    if (first->line != last->line)
        return false;
    snprintf(event, sizeof event, "%.*s", (int)(last->column + last->length - first->column), first->at);
    snprintf(text, sizeof text, "wait_group_events(1, &%s)", event);
    return put_statement(c, text) && take_later_wait(c, call, event, text);
}

/* ---- another call ------------------------------------------------------------------------- */

enum { ARGS_MOST = 8 };
struct changed_call {
    uint32_t name, open, close;
    struct range args[ARGS_MOST];
    uint32_t count;
};

static bool read_call(const struct changing *c, uint32_t token, struct changed_call *call)
{
    *call = (struct changed_call){.name = token, .open = token + 1};
    if (token == NO_TOKEN || !token_is_word(&c->syntax, token) || token + 1 >= c->syntax.token_count ||
        !is(c, token + 1, "("))
        return false;
    call->close = c->syntax.tokens[call->open].match;
    uint32_t first = call->open + 1;
    for (uint32_t i = first; i <= call->close; i++) {
        const uint32_t match = c->syntax.tokens[i].match;
        if (i < call->close && match != NO_TOKEN && match > i) {
            i = match;
        } else if (i == call->close || is(c, i, ",")) {
            if (call->count == ARGS_MOST)
                return false;
            CHECKED(first <= i && (call->count == 0 || call->args[call->count - 1].end < first + 1));
            call->args[call->count++] = (struct range){first, i};
            first = i + 1;
        }
    }
    return call->args[0].first < call->args[0].end;
}

/* Replaces argument `at`, or adds it at the end. */
static bool set_argument(struct changing *c, const struct changed_call *call, uint32_t at, const char *word)
{
    if (at < call->count)
        return add(c, begin_of(c, call->args[at].first), end_of(c, call->args[at].end - 1), "%s", word);
    const struct rewrite_place end = begin_of(c, call->close);
    return at == call->count && add(c, end, end, ", %s", word);
}

static bool set_name(struct changing *c, const struct changed_call *call, const char *name)
{
    return add(c, begin_of(c, call->name), end_of(c, call->name), "%s", name);
}

static const char *regions_text(uint32_t regions, char text[80])
{
    static const char *const flags[] = {"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE", "CLK_IMAGE_MEM_FENCE"};
    text[0] = '\0';
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (regions >> i & 1)
            snprintf(text + strlen(text), 80 - strlen(text), "%s%s", *text ? " | " : "", flags[i]);
    return text;
}

/* The next three leave an argument that the change does not concern. */
static bool set_order(struct changing *c, const struct changed_call *call, uint32_t at, int order)
{
    return order < 0 || set_argument(c, call, at, memory_order_words[order]);
}

static bool set_scope(struct changing *c, const struct changed_call *call, uint32_t at)
{
    return c->change->scope < 0 || set_argument(c, call, at, memory_scope_words[c->change->scope]);
}

static bool set_regions(struct changing *c, const struct changed_call *call)
{
    char flags[80];
    return !c->change->regions || set_argument(c, call, 0, regions_text(c->change->regions, flags));
}

/* A scope needs work_group_barrier(), which has that argument. */
static bool change_barrier(struct changing *c, const struct changed_call *call, const char *name)
{
    const struct code_change *change = c->change;
    const bool renames = (strcmp(name, "barrier") == 0 && change->scope >= 0) ||
                         (*change->text && strcmp(name, change->text) != 0);
    if (change->order >= 0)
        return false;
    if (renames && !set_name(c, call, *change->text ? statement_text(c) : "work_group_barrier"))
        return false;
    return set_regions(c, call) && set_scope(c, call, 1);
}

static bool change_fence(struct changing *c, const struct changed_call *call)
{
    return call->count == 3 && set_regions(c, call) && set_order(c, call, 1, c->change->order) &&
           set_scope(c, call, 2);
}

/* mem_fence() and its like order the work-group. */
static bool change_old_fence(struct changing *c, const struct changed_call *call, const char *name)
{
    const struct code_change *change = c->change;
    const char *order = strcmp(name, "read_mem_fence") == 0    ? "memory_order_acquire"
                        : strcmp(name, "write_mem_fence") == 0 ? "memory_order_release"
                                                               : "memory_order_acq_rel";
    const struct rewrite_place end = begin_of(c, call->close);
    if (!set_regions(c, call))
        return false;
    return (change->order < 0 && change->scope < 0) ||
           (set_name(c, call, "atomic_work_item_fence") &&
            add(c, end, end, ", %s, %s", change->order < 0 ? order : memory_order_words[change->order],
                change->scope < 0 ? "memory_scope_work_group" : memory_scope_words[change->scope]));
}

/* The number of arguments before the order; 0: another function. after: the name after atomic_. */
static uint32_t args_before_order(const char *after)
{
    return strncmp(after, "compare_exchange_", 17) == 0                        ? 3
           : strncmp(after, "load", 4) == 0 || strncmp(after, "flag_", 5) == 0 ? 1
           : strncmp(after, "store", 5) == 0 || strncmp(after, "exchange", 8) == 0 ||
                   strncmp(after, "fetch_", 6) == 0
               ? 2
               : 0;
}

static bool change_explicit(struct changing *c, const struct changed_call *call, const char *after)
{
    const struct code_change *change = c->change;
    const uint32_t order = args_before_order(after), two = order == 3;
    if (*change->text && !set_name(c, call, change->text))
        return false;
    if (!order || call->count <= order || (change->failure >= 0 && !two))
        return false;
    return set_order(c, call, order, change->order) && set_order(c, call, order + 1, change->failure) &&
           set_scope(c, call, order + 1 + two);
}

/* Without order and scope an atomic is seq_cst, with the scope of the device. */
static bool change_implicit(struct changing *c, const struct changed_call *call, const char *name,
                            const char *after)
{
    const struct code_change *change = c->change;
    const uint32_t order = args_before_order(after);
    const struct rewrite_place end = begin_of(c, call->close);
    const char *first = change->order < 0 ? "memory_order_seq_cst" : memory_order_words[change->order],
               *second = change->failure < 0 ? "memory_order_seq_cst" : memory_order_words[change->failure];
    char renamed[80];
    snprintf(renamed, sizeof renamed, "%s_explicit", name);
    return order && call->count == order && set_name(c, call, *change->text ? change->text : renamed) &&
           add(c, end, end, "%s%s%s%s, %s", ", ", first, order == 3 ? ", " : "", order == 3 ? second : "",
               memory_scope_words[change->scope < 0 ? SCOPE_DEVICE : change->scope]);
}

/* Functions of OpenCL C 1.x are relaxed. Their scope is the device, or the work-group on local memory. */
static bool change_old_atomic(struct changing *c, const struct changed_call *call, const char *after)
{
    static const struct {
        const char *old, *now, *operand;
    } names[] = {
        {"inc", "fetch_add", ", 1"}, {"dec", "fetch_sub", ", 1"}, {"add", "fetch_add", ""},
        {"sub", "fetch_sub", ""},    {"xchg", "exchange", ""},    {"min", "fetch_min", ""},
        {"max", "fetch_max", ""},    {"and", "fetch_and", ""},    {"or", "fetch_or", ""},
        {"xor", "fetch_xor", ""},
    };
    const struct code_change *change = c->change;
    const struct rewrite_request *update = &c->request->update;
    const struct rewrite_place first = begin_of(c, call->open + 1), end = begin_of(c, call->close);
    char name[64];
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strcmp(names[i].old, after) != 0)
        i++;
    if (i == sizeof names / sizeof *names || update->size != 4 ||
        (update->opencl_c && update->opencl_c < 200))
        return false;
    snprintf(name, sizeof name, "atomic_%s_explicit", names[i].now);
    const enum memory_scope usual = change->local ? SCOPE_WORK_GROUP : SCOPE_DEVICE;
    return set_name(c, call, name) && add(c, first, first, "(volatile atomic_int *)") &&
           add(c, end, end, "%s, %s, %s", names[i].operand,
               memory_order_words[change->order < 0 ? ORDER_RELAXED : change->order],
               memory_scope_words[change->scope < 0 ? usual : (enum memory_scope)change->scope]);
}

static bool change_call(struct changing *c)
{
    static const char suffix[] = "_explicit";
    struct changed_call call;
    char name[64];
    if (!read_call(c, token_at(c, c->request->update.write), &call) ||
        c->syntax.tokens[call.name].length >= sizeof name)
        return false;
    const size_t length = c->syntax.tokens[call.name].length;
    memcpy(name, c->syntax.tokens[call.name].at, length);
    name[length] = '\0';
    if (strcmp(name, "barrier") == 0 || strcmp(name, "work_group_barrier") == 0 ||
        strcmp(name, "sub_group_barrier") == 0)
        return change_barrier(c, &call, name);
    if (strcmp(name, "atomic_work_item_fence") == 0)
        return change_fence(c, &call);
    if (strstr(name, "mem_fence"))
        return change_old_fence(c, &call, name);
    if (strncmp(name, "atomic_", 7) != 0)
        return false;
    if (length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0)
        return change_explicit(c, &call, name + 7);
    return args_before_order(name + 7) ? change_implicit(c, &call, name, name + 7)
                                       : change_old_atomic(c, &call, name + 7);
}

/* ---- another place -------------------------------------------------------------------------- */

/* Moves a whole statement of a block before or after another statement of a block. */
static bool move_statement(struct changing *c)
{
    const uint32_t token = token_at(c, c->request->update.write), other = token_at(c, c->request->other);
    const uint32_t moved = token == NO_TOKEN ? 0 : statement_of(c, token),
                   to = other == NO_TOKEN ? 0 : statement_of(c, other);
    char text[CODE_TEXT_CHARS];
    if (!moved || !to || moved == to || c->syntax.nodes[moved].kind != NODE_PLAIN)
        return false;
    const struct syntax_node *node = &c->syntax.nodes[moved], *target = &c->syntax.nodes[to];
    const struct token *first = &c->syntax.tokens[node->first], *last = &c->syntax.tokens[node->end - 1];
    if (first->line != last->line)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)(last->column + last->length - first->column), first->at);
    const bool before = c->change->place.side == FENCE_BEFORE;
    const struct rewrite_place at = before ? begin_of(c, target->first) : end_of(c, target->end - 1);
    return add(c, begin_of(c, node->first), end_of(c, node->end - 1), "%s", "") &&
           add(c, at, at, before ? "%s " : " %s", text);
}

static bool change_text(struct changing *c)
{
    switch (c->change->kind) {
    case CHANGE_STATEMENT: return put_statement(c, statement_text(c));
    case CHANGE_WAIT: return put_wait(c);
    case CHANGE_CALL: return change_call(c);
    case CHANGE_MOVE: return move_statement(c);
    default: return false;
    }
}

bool rewrite_change(const struct change_request *request, struct code_rewrite *rewrite)
{
    struct changing c = {.request = request, .change = request->change, .out = rewrite};
    if (request->change->kind == CHANGE_STORE || request->change->kind == CHANGE_LOAD)
        return rewrite_access(request, rewrite);
    if (request->change->kind == CHANGE_BUFFER)
        return rewrite_buffer(request, rewrite);
    const bool done =
        syntax_read(&c.syntax, request->update.lines, request->update.line_count) && change_text(&c);
    syntax_fini(&c.syntax);
    return done;
}
