/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A rewrite in progress: the tokens of a text, and the write of an object that they have. Shared by
 *          rewrite.c and rewrite_buffer.c.
 */
#ifndef ORRERY_SIM_DEVICE_REWRITE_STATE_H
#define ORRERY_SIM_DEVICE_REWRITE_STATE_H

#include "rewrite.h"
#include "rewrite_text.h"

struct text_piece {
    char bytes[CODE_TEXT_CHARS];
    size_t used;
    bool cut;
};

struct rewriting {
    const struct rewrite_request *request;
    struct code_rewrite *out;
    struct syntax syntax;
    struct range object;  /* L */
    uint32_t operator;    /* the token that writes */
    struct range value;   /* R, or E; empty of ++ and -- */
    struct range whole;   /* the expression that writes, with its operator */
    uint32_t leaf;        /* the statement that it is in */
    bool alone;           /* and which has nothing else */
    uint32_t read;        /* the token that reads */
    uint32_t definer;     /* a statement t = X before it, 0: none */
    uint32_t variable;    /* the token t there */
    struct range initial; /* X */
    uint32_t guard;       /* an if; 0: none */
    struct range
        condition;    /* the part of its condition that reads the object, the last of those joined by && */
    const char *type; /* of the object; NULL: not known */
};

/* Sets object, operator, value, whole, leaf and alone from request->write; false: no write is there. */
bool rewriting_find_write(struct rewriting *r);
/* Adds an edit of the range to out; false: too many, or the text was cut. */
bool rewriting_add_edit(struct rewriting *r, struct range range, const struct text_piece *piece);

#endif
