/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The lines of a text of OpenCL C that begin between two statements, so that another statement fits
 *          before them.
 *
 * Interface
 *   statements_read   fills what each line is; false: the text is not supported (brackets that do not match,
 *                     #line)
 *
 * It parses brackets, strings, comments and key words, not types or macros: a macro that stands for a
 * statement is read as the beginning of the next one.
 */
#ifndef ORRERY_SIM_STATEMENT_H
#define ORRERY_SIM_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* BODY: the line begins the body of an if, a loop or an else without braces. */
enum line_kind { LINE_UNKNOWN, LINE_OUTSIDE, LINE_BETWEEN, LINE_WITHIN, LINE_BODY };

struct source_line {
    enum line_kind kind;
    uint32_t begins; /* first line of the statement that continues here; 0: none, or unknown */
    uint32_t depth;  /* open blocks */
    bool loops;      /* the head of a loop is next, or the end of do's block with its condition */
    bool closes;     /* the end of a block is next */
    bool otherwise;  /* else is next, so nothing fits between it and its if */
    /* The line, or the statement that continues on it, contains return, break, continue or goto: execution
     * may not reach the next line. */
    bool leaves;
};

/* out_lines[0] is line 1 */
bool statements_read(char *const *lines, uint32_t count, struct source_line *out_lines);

#endif
