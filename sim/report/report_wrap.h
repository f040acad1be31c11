/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Text in the width of a terminal.
 *
 * Interface
 *   text_wrap   the text, with lines of at most so many columns; a word that is longer stays whole
 */
#ifndef ORRERY_SIM_REPORT_REPORT_WRAP_H
#define ORRERY_SIM_REPORT_REPORT_WRAP_H

#include <stddef.h>
#include <stdio.h>

void text_wrap(FILE *stream, const char *text, size_t columns);

#endif
