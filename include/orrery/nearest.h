/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  "Did you mean": the names that a misspelt one is nearest to.
 *
 * Interface
 *   nearest_names   "--seed" for "sede" and the mark "--": of `count` names those of the least edit distance,
 *                   or those that the word is a part of, each after the mark; "" when none is near; malloc'd,
 *                   NULL without memory. A NULL name is none.
 */
#ifndef ORRERY_NEAREST_H
#define ORRERY_NEAREST_H

#include <stddef.h>

enum { NEAREST_NAME_CHARS = 64 }; /* of the longest name in the list */

typedef const char *nearest_name_function(const void *self, size_t index);
char *nearest_names(const char *wanted, const char *mark, nearest_name_function *name, const void *self,
                    size_t count);

#endif
