/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A line from the user: with editing, history and completion where libedit is there and
 * standard input is a terminal, plain otherwise.
 */
#ifndef ORRERY_TOOLS_DEBUG_LINE_EDITOR_H
#define ORRERY_TOOLS_DEBUG_LINE_EDITOR_H

#include <stdbool.h>
#include <stddef.h>

/* The i-th word that may stand at the end of the line, in place of the letters there; NULL: there are no
 * more. */
typedef const char *line_editor_word(void *self, const char *line, size_t i);

/* malloc'd, without the newline; NULL: the end. prompts: a person reads it. */
char *line_editor_read(const char *prompt, bool prompts, line_editor_word *words, void *self);

#endif
