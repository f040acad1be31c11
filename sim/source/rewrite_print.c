/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the text of an atomic update: a call of an atomic function, or a compare-exchange loop; and adds
 * edits. In OpenCL C 1.x a function has the type in its name and no order; in later versions the pointer
 * is cast to an atomic type, and the order is relaxed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "orrery/checked.h"
#include "rewrite_state.h"
#include "sim/base/memory_words.h"

void print_text(struct text_piece *piece, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(piece->bytes + piece->used, sizeof piece->bytes - piece->used, format, arguments);
    va_end(arguments);
    piece->cut |= length < 0 || piece->used + (size_t)length >= sizeof piece->bytes;
    piece->used = piece->cut ? sizeof piece->bytes - 1 : piece->used + (size_t)length;
}

/* Is there white space before the token? */
static bool follows_space(const struct rewriting *r, uint32_t token)
{
    const struct token *now = &r->syntax.tokens[token], *before = now - 1;
    return now->line != before->line || now->column != before->column + before->length;
}

/* Prints the tokens of a range. old: replaces the value before the update; NULL: nothing is replaced. */
void print_range(const struct rewriting *r, struct text_piece *piece, struct range range, const char *old)
{
    for (uint32_t i = range.first; i < range.end; i++) {
        if (i > range.first && follows_space(r, i))
            print_text(piece, " ");
        if (old && rewriting_object_at(r, i, range.end)) {
            print_text(piece, "%s", old);
            i += r->object.end - r->object.first - 1;
        } else if (old && rewriting_variable_at(r, i)) {
            print_text(piece, "%s", old);
        } else {
            print_text(piece, "%.*s", (int)r->syntax.tokens[i].length, r->syntax.tokens[i].at);
        }
    }
}

/* Prints a pointer to the object; a cast may precede it. */
void print_pointer(const struct rewriting *r, struct text_piece *piece)
{
    const struct range object = range_strip(r, r->object);
    if (!is_token(r, object.first, "*")) {
        print_text(piece, "&");
        print_range(r, piece, object, NULL);
        return;
    }
    print_range(r, piece, (struct range){object.first + 1, object.end}, NULL);
}

static const char *space(const struct rewriting *r)
{
    return r->request->local ? "local" : "global";
}

bool rewriting_is_opencl_c_1(const struct rewriting *r)
{
    return r->request->opencl_c && r->request->opencl_c < 200;
}

static const char *scope(const struct rewriting *r)
{
    return r->request->local || r->request->one_group ? "memory_scope_work_group" : "memory_scope_device";
}

/* ---- calls ----------------------------------------------------------------------------------- */

static const char *const old_names[] = {
    [UPDATE_ADD] = "add", [UPDATE_SUB] = "sub", [UPDATE_AND] = "and", [UPDATE_OR] = "or",
    [UPDATE_XOR] = "xor", [UPDATE_MIN] = "min", [UPDATE_MAX] = "max"};

static const char *prefix(const struct rewriting *r)
{
    return r->request->size == 8 ? "atom_" : "atomic_";
}

static void print_operand(const struct rewriting *r, struct text_piece *piece, const struct update *update)
{
    if (update->one)
        print_text(piece, "1");
    else
        print_range(r, piece, update->by, NULL);
}

/* In OpenCL C 1.x the function's name has the type, in later versions the pointer. */
void print_call(const struct rewriting *r, struct text_piece *piece, const struct update *update)
{
    const bool old = rewriting_is_opencl_c_1(r) || !r->type;
    char *function = r->out->function;
    if (!old) {
        snprintf(function, sizeof r->out->function, "atomic_fetch_%s_explicit", old_names[update->operation]);
        print_text(piece, "%s((volatile %s atomic_%s *)", function, space(r), r->type);
        print_pointer(r, piece);
        /* an int is ambiguous there: atomic_ulong is atomic_uintptr_t, too, which takes a ptrdiff_t */
        const bool casts = strcmp(r->type, "ulong") == 0;
        print_text(piece, casts ? ", (ulong)(" : ", ");
        print_operand(r, piece, update);
        print_text(piece, "%s, memory_order_relaxed, %s)", casts ? ")" : "", scope(r));
        return;
    }
    const bool step =
        update->one || (update->by.end - update->by.first == 1 && is_token(r, update->by.first, "1"));
    const char *name = !step                             ? old_names[update->operation]
                       : update->operation == UPDATE_ADD ? "inc"
                       : update->operation == UPDATE_SUB ? "dec"
                                                         : NULL;
    const bool with_operand = !step || !name;
    snprintf(function, sizeof r->out->function, "%s%s", prefix(r),
             name ? name : old_names[update->operation]);
    print_text(piece, "%s(", function);
    print_pointer(r, piece);
    print_text(piece, with_operand ? ", " : "");
    if (with_operand)
        print_operand(r, piece, update);
    print_text(piece, ")");
}

/* The value after the update, computed from the call, which returns the value before. */
void print_call_after(const struct rewriting *r, struct text_piece *piece, const struct update *update)
{
    static const char *const marks[] = {
        [UPDATE_ADD] = "+", [UPDATE_SUB] = "-", [UPDATE_AND] = "&", [UPDATE_OR] = "|", [UPDATE_XOR] = "^"};
    const bool ordered = update->operation == UPDATE_MIN || update->operation == UPDATE_MAX;
    print_text(piece, "%s(", ordered ? old_names[update->operation] : "");
    print_call(r, piece, update);
    print_text(piece, ordered ? ", " : " %s ", ordered ? "" : marks[update->operation]);
    print_text(piece, ordered ? "" : "(");
    print_operand(r, piece, update);
    print_text(piece, ordered ? ")" : "))");
}

void print_expected(const struct rewriting *r, struct text_piece *piece, struct range expected)
{
    if (range_is_empty(expected))
        print_text(piece, "0");
    else
        print_range(r, piece, expected, NULL);
}

void print_compare_exchange(const struct rewriting *r, struct text_piece *piece, struct range expected)
{
    snprintf(r->out->function, sizeof r->out->function, "%scmpxchg", prefix(r));
    print_text(piece, "%s(", r->out->function);
    print_pointer(r, piece);
    print_text(piece, ", ");
    print_expected(r, piece, expected);
    print_text(piece, ", ");
    print_range(r, piece, r->value, NULL);
    print_text(piece, ")");
}

/* An exchange of OpenCL C 1.x, which every version has. */
void print_xchg(const struct rewriting *r, struct text_piece *piece, struct range value)
{
    snprintf(r->out->function, sizeof r->out->function, "%sxchg", prefix(r));
    print_text(piece, "%s(", r->out->function);
    print_pointer(r, piece);
    print_text(piece, ", ");
    print_expected(r, piece, value);
    print_text(piece, ")");
}

void print_exchange(const struct rewriting *r, struct text_piece *piece)
{
    const bool old = rewriting_is_opencl_c_1(r) || !r->type;
    snprintf(r->out->function, sizeof r->out->function, old ? "%sxchg" : "atomic_exchange_explicit",
             prefix(r));
    print_text(piece, "%s(", r->out->function);
    if (!old)
        print_text(piece, "(volatile %s atomic_%s *)", space(r), r->type);
    print_pointer(r, piece);
    print_text(piece, ", ");
    print_range(r, piece, r->value, NULL);
    if (!old)
        print_text(piece, ", memory_order_relaxed, %s", scope(r));
    print_text(piece, ")");
}

void print_access(const struct rewriting *r, struct text_piece *piece, const struct code_change *change)
{
    const bool stores = change->kind == CHANGE_STORE;
    print_text(piece, "atomic_%s_explicit((volatile %s atomic_%s *)", stores ? "store" : "load", space(r),
               r->type);
    print_pointer(r, piece);
    if (stores) {
        print_text(piece, ", ");
        print_range(r, piece, r->value, NULL);
    }
    print_text(piece, ", %s, %s)", memory_order_words[change->order], memory_scope_words[change->scope]);
}

/* OpenCL C 1.x has no fence between work-groups, so nothing is printed. */
void print_fence(const struct rewriting *r, struct text_piece *piece, const char *order)
{
    if (!rewriting_is_opencl_c_1(r))
        print_text(piece, "atomic_work_item_fence(CLK_%s_MEM_FENCE, memory_order_%s, %s);",
                   r->request->local ? "LOCAL" : "GLOBAL", order, scope(r));
}

/* ---- compare-exchange loops ------------------------------------------------------------------ */

/* Finds a suffix with which no name of the loop's variables occurs in the text. */
static void free_suffix(const struct rewriting *r, char out_suffix[8])
{
    static const char *const names[] = {"cell", "was", "seen", "by"};
    out_suffix[0] = '\0';
    for (bool used = true; used && strlen(out_suffix) < 6;) {
        used = false;
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            char name[16];
            snprintf(name, sizeof name, "%s%s", names[n], out_suffix);
            for (uint32_t i = 0; i < r->syntax.token_count; i++)
                used |= is_token(r, i, name);
        }
        if (used)
            strcat(out_suffix, "_");
    }
}

static void print_new_value(const struct rewriting *r, struct text_piece *piece,
                            const struct rewritten_loop *loop, const char *old, const char *by)
{
    if (!range_is_empty(loop->condition)) {
        print_text(piece, "(");
        print_range(r, piece, loop->condition, old);
        print_text(piece, ") ? (");
    }
    if (loop->step) {
        print_text(piece, "%s %c 1", old, *r->syntax.tokens[loop->compound].at);
    } else if (loop->compound != NO_TOKEN) {
        print_text(piece, "%s %.*s (", old, (int)r->syntax.tokens[loop->compound].length - 1,
                   r->syntax.tokens[loop->compound].at);
        if (*by)
            print_text(piece, "%s", by);
        else
            print_range(r, piece, loop->value, old);
        print_text(piece, ")");
    } else {
        print_range(r, piece, loop->value, old);
    }
    if (!range_is_empty(loop->condition))
        print_text(piece, ") : %s", old);
}

/* Prints the loop. False: the type is unknown, or an operand with effects would be evaluated again. */
static bool print_loop(const struct rewriting *r, struct text_piece *piece, const struct rewritten_loop *loop)
{
    const uint32_t size = r->request->size;
    const char *bits = !rewriting_is_float(r) ? r->type : size == 8 ? "ulong" : "uint", *type = r->type;
    char suffix[8], old[32], by[16] = "", was[16];
    const bool hoists = loop->compound != NO_TOKEN && !loop->step && rewriting_has_effects(r, loop->value);
    const bool repeats = rewriting_has_effects(r, loop->condition) ||
                         (rewriting_has_effects(r, loop->value) && !(hoists && rewriting_is_float(r)));
    if (!type || !rewriting_has_atomic_size(r) || repeats)
        return false;
    free_suffix(r, suffix);
    snprintf(was, sizeof was, "was%s", suffix);
    snprintf(old, sizeof old, rewriting_is_float(r) ? "as_%s(%s)" : "%.0s%s", type, was);
    if (hoists)
        snprintf(by, sizeof by, "by%s", suffix);
    const bool of_old = rewriting_is_opencl_c_1(r);
    print_text(piece, "{ volatile %s %s%s *cell%s = (volatile %s %s%s *)", space(r), of_old ? "" : "atomic_",
               bits, suffix, space(r), of_old ? "" : "atomic_", bits);
    print_pointer(r, piece);
    print_text(piece, "; ");
    if (hoists) {
        print_text(piece, "%s %s = ", type, by);
        print_range(r, piece, loop->value, NULL);
        print_text(piece, "; ");
    }
    if (of_old) {
        snprintf(r->out->function, sizeof r->out->function, "a compare-exchange loop (%scmpxchg)", prefix(r));
        print_text(piece, "%s %s = 0, seen%s; while ((seen%s = %scmpxchg(cell%s, %s, ", bits, was, suffix,
                   suffix, prefix(r), suffix, was);
    } else {
        snprintf(r->out->function, sizeof r->out->function,
                 "a compare-exchange loop (atomic_compare_exchange_weak_explicit)");
        print_text(piece,
                   "%s %s = atomic_load_explicit(cell%s, memory_order_relaxed, %s); while "
                   "(!atomic_compare_exchange_weak_explicit(cell%s, &%s, ",
                   bits, was, suffix, scope(r), suffix, was);
    }
    if (rewriting_is_float(r))
        print_text(piece, "as_%s(", bits);
    print_new_value(r, piece, loop, old, by);
    print_text(piece, rewriting_is_float(r) ? ")" : "");
    if (of_old)
        print_text(piece, ")) != %s) %s = seen%s; }", was, was, suffix);
    else
        print_text(piece, ", memory_order_relaxed, memory_order_relaxed, %s)) {} }", scope(r));
    return true;
}

/* ---- edits ----------------------------------------------------------------------------------- */

bool rewriting_add_edit(struct rewriting *r, struct range range, const struct text_piece *piece)
{
    const struct token *first = &r->syntax.tokens[range.first], *last = &r->syntax.tokens[range.end - 1];
    struct text_piece old = {.used = 0};
    if (r->out->edit_count == CODE_EDITS_MOST || piece->cut || range_is_empty(range))
        return false;
    struct code_edit *edit = &r->out->edits[r->out->edit_count++];
    CHECKED(range.first < range.end && range.end <= r->syntax.token_count && piece->used < sizeof edit->text);
    *edit = (struct code_edit){first->line, first->column, last->line, last->column + last->length, "", ""};
    memcpy(edit->text, piece->bytes, piece->used + 1);
    print_range(r, &old, range, NULL);
    snprintf(edit->old, sizeof edit->old, "%.*s", (int)sizeof edit->old - 1,
             old.used < sizeof edit->old ? old.bytes : "");
    return true;
}

/* Removes a statement. If it is the whole body of an if or a loop, an empty statement remains. */
bool rewriting_drop(struct rewriting *r, uint32_t node)
{
    const struct syntax_node *statement = &r->syntax.nodes[node];
    struct text_piece piece = {.used = 0};
    if (r->syntax.nodes[statement->parent].kind != NODE_BLOCK)
        print_text(&piece, ";");
    return rewriting_add_edit(r, (struct range){statement->first, statement->end}, &piece);
}

bool rewriting_replace_by_loop(struct rewriting *r, struct range range, const struct rewritten_loop *loop)
{
    struct text_piece piece = {.used = 0};
    return print_loop(r, &piece, loop) && rewriting_add_edit(r, range, &piece);
}
