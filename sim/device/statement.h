/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which lines of a text of OpenCL C begin between two statements, so that another one fits before
 *          them.
 *
 * Interface
 *   statements_read   fills what each line is; false: the text is not supported (brackets that do not match,
 *                     #line)
 *
 * It parses brackets, strings, comments and key words, not types nor macros: a macro that stands for a
 * statement is taken as the beginning of the next one.
 */
#ifndef ORRERY_SIM_DEVICE_STATEMENT_H
#define ORRERY_SIM_DEVICE_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* BODY: what is next belongs to an if, a loop or an else without braces. */
enum line_kind { LINE_UNKNOWN, LINE_OUTSIDE, LINE_BETWEEN, LINE_WITHIN, LINE_BODY };

struct source_line {
    enum line_kind kind;
    uint32_t begins; /* line of the begin of the statement that continues here; 0: none, or no place */
    uint32_t depth;  /* blocks that are open */
    bool loops;      /* a loop's head is next, or the end of do's block and its condition */
    bool closes;     /* the end of a block is next */
    bool otherwise;  /* else is next: nothing comes between it and its if */
    /* return, break, continue or goto is in it, or in the statement that continues: execution past it is
     * elsewhere */
    bool leaves;
};

/* out_lines[0] is line 1 */
bool statements_read(char *const *lines, uint32_t count, struct source_line *out_lines);

#endif
