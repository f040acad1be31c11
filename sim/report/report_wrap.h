/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Breaks the lines of a text at a terminal's width.
 *
 * Interface
 *   report_wrap_text   prints the text in lines of at most so many columns; a longer word stays whole
 */
#ifndef ORRERY_SIM_REPORT_REPORT_WRAP_H
#define ORRERY_SIM_REPORT_REPORT_WRAP_H

#include <stddef.h>
#include <stdio.h>

void report_wrap_text(FILE *stream, const char *text, size_t columns);

#endif
