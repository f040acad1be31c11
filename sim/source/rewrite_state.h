/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A rewrite in progress: the tokens of a text, the write of an object in it, and how the rewrite_*.c
 *          files read and print it.
 *
 * Interface
 *   rewrite_range.c    where object and variable occur in ranges of tokens; what changes them
 *   rewrite_type.c     the type of the object
 *   rewrite_write.c    finds the write or the read at a place
 *   rewrite_update.c   the written value as an operation on the old one
 *   rewrite_print.c    text of an update; edits
 *
 * The caller of rewriting_find_write() has filled request, out and syntax.
 */
#ifndef ORRERY_SIM_REWRITE_STATE_H
#define ORRERY_SIM_REWRITE_STATE_H

#include <string.h>

#include "rewrite.h"
#include "rewrite_text.h"

struct text_piece {
    char bytes[CODE_TEXT_CHARS];
    size_t used;
    bool cut; /* a text did not fit */
};

/* L is the object, R its new value, t a variable that L is read into. */
struct rewriting {
    const struct rewrite_request *request;
    struct code_rewrite *out;
    struct syntax syntax;
    struct range object;    /* L */
    uint32_t op;            /* the token that writes: =, op=, ++ or -- */
    struct range value;     /* R, or E of L op= E; empty for ++ and -- */
    struct range whole;     /* the expression that writes */
    uint32_t leaf;          /* the statement that has it */
    bool alone;             /* the statement has nothing else */
    uint32_t read;          /* the token that reads */
    uint32_t definer;       /* an earlier statement t = X; 0: none */
    uint32_t variable;      /* the token t in it */
    struct range initial;   /* X */
    uint32_t guard;         /* the if around the write; 0: none */
    struct range condition; /* the last conjunct of its condition, which reads the object */
    const char *type;       /* of the object; NULL: unknown */
};

enum update_operation {
    UPDATE_NONE,
    UPDATE_ADD,
    UPDATE_SUB,
    UPDATE_AND,
    UPDATE_OR,
    UPDATE_XOR,
    UPDATE_MIN,
    UPDATE_MAX,
    UPDATE_ANY
};

/* An operation with its operand. */
struct update {
    enum update_operation operation;
    struct range by; /* empty for ANY and for `one` */
    bool one;        /* ++ or --: the operand is 1 */
};

/* A compare-exchange loop: it computes the new value from the old one until no other unit has written in
 * between. */
struct rewritten_loop {
    struct range condition; /* the update is made only if it holds; empty: always */
    struct range value;
    uint32_t compound; /* the operator of L op= E; NO_TOKEN: none */
    bool step;         /* ++ or -- */
};

static inline bool same_tokens(const struct rewriting *r, uint32_t a, uint32_t b)
{
    const struct token *x = &r->syntax.tokens[a], *y = &r->syntax.tokens[b];
    return x->length == y->length && memcmp(x->at, y->at, x->length) == 0;
}

static inline bool is_token(const struct rewriting *r, uint32_t token, const char *text)
{
    return token_is(&r->syntax, token, text);
}

/* The token is one of the words, which are separated by blanks. */
static inline bool is_any_token(const struct rewriting *r, uint32_t token, const char *words)
{
    const struct token *t = &r->syntax.tokens[token];
    if (token >= r->syntax.token_count)
        return false;
    for (const char *word = words; *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        if (t->length == length && memcmp(t->at, word, length) == 0)
            return true;
        word += length;
    }
    return false;
}

static inline bool is_step(const struct rewriting *r, uint32_t token)
{
    return is_any_token(r, token, "++ --");
}

static inline bool range_is_empty(struct range range)
{
    return range.first >= range.end;
}

static inline struct range node_range(const struct rewriting *r, uint32_t node)
{
    return (struct range){r->syntax.nodes[node].first, r->syntax.nodes[node].end};
}

/* rewrite_range.c */
struct range range_strip(const struct rewriting *r, struct range range);
bool range_equals(const struct rewriting *r, struct range a, struct range b);
bool rewriting_ends_operand(const struct rewriting *r, uint32_t token);
bool rewriting_object_at(const struct rewriting *r, uint32_t token, uint32_t end);
bool rewriting_variable_at(const struct rewriting *r, uint32_t token);
bool rewriting_has_object(const struct rewriting *r, struct range range);
uint32_t rewriting_count_variable(const struct rewriting *r, struct range range);
bool rewriting_is_old(const struct rewriting *r, struct range range);
bool rewriting_has_old(const struct rewriting *r, struct range range);
bool rewriting_has_effects(const struct rewriting *r, struct range range);
bool rewriting_is_changed(const struct rewriting *r, uint32_t word, struct range range);
bool rewriting_means_same(const struct rewriting *r, struct range range, struct range across);
uint32_t rewriting_past(const struct rewriting *r, uint32_t token);
uint32_t rewriting_last_operator(const struct rewriting *r, struct range range, const char *const *operators,
                                 uint32_t *out_count);

/* rewrite_type.c */
bool rewriting_is_float(const struct rewriting *r);
void rewriting_find_type(struct rewriting *r);
bool rewriting_may_be_float(const struct rewriting *r, struct range range);

/* rewrite_write.c */
/* Sets object, op, value, whole, leaf and alone from request->write; false: the place has no write. */
bool rewriting_find_write(struct rewriting *r);
uint32_t rewriting_value_end(const struct rewriting *r, uint32_t first, uint32_t most);
uint32_t rewriting_count_writes(const struct rewriting *r, struct range range);
bool rewriting_find_read(struct rewriting *r);
bool rewriting_assigns_new_value(const struct rewriting *r);

/* rewrite_update.c */
struct update update_any(void);
struct update update_of_comparison(const struct rewriting *r, struct range comparison, struct range value);
struct update update_of_value(const struct rewriting *r, struct range range);
struct update update_of_assignment(const struct rewriting *r, uint32_t op, struct range value);
bool rewriting_has_atomic_size(const struct rewriting *r);
bool update_has_function(const struct rewriting *r, const struct update *update);
bool update_commutes(const struct rewriting *r, const struct update *update);

/* rewrite_print.c */
void print_text(struct text_piece *piece, const char *format, ...) __attribute__((format(printf, 2, 3)));
void print_range(const struct rewriting *r, struct text_piece *piece, struct range range, const char *old);
void print_pointer(const struct rewriting *r, struct text_piece *piece);
bool rewriting_is_opencl_c_1(const struct rewriting *r);
void print_call(const struct rewriting *r, struct text_piece *piece, const struct update *update);
void print_call_after(const struct rewriting *r, struct text_piece *piece, const struct update *update);
void print_expected(const struct rewriting *r, struct text_piece *piece, struct range expected);
void print_compare_exchange(const struct rewriting *r, struct text_piece *piece, struct range expected);
void print_xchg(const struct rewriting *r, struct text_piece *piece, struct range value);
void print_exchange(const struct rewriting *r, struct text_piece *piece);
void print_access(const struct rewriting *r, struct text_piece *piece, const struct code_change *change);
void print_fence(const struct rewriting *r, struct text_piece *piece, const char *order);
bool rewriting_drop(struct rewriting *r, uint32_t node);
bool rewriting_replace_by_loop(struct rewriting *r, struct range range, const struct rewritten_loop *loop);
/* Adds an edit of the range to out; false: too many edits, or the text was cut. */
bool rewriting_add_edit(struct rewriting *r, struct range range, const struct text_piece *piece);

#endif
