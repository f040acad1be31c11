/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What may continue an expression that is being typed: the request `completions` of the Debug
 *          Adapter Protocol.
 *
 * Interface
 *   completions_find   the targets for a place in a text
 */
#ifndef ORRERY_TOOLS_DEBUG_COMPLETIONS_H
#define ORRERY_TOOLS_DEBUG_COMPLETIONS_H

#include <jansson.h>
#include <stddef.h>

/*
 * column: of the cursor, from 1; beyond the end of the text it stands there. variables: objects with `name`,
 * the innermost scope first; a name that comes twice counts once. The result is an array of CompletionItem:
 * variables, then the functions of expressions. It is empty after `.` and `->`, in numbers, and where no name
 * fits. The caller owns it.
 */
json_t *completions_find(const char *text, size_t column, const json_t *variables);

#endif
