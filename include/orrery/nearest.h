/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  "Did you mean": the names that a misspelt one is nearest to.
 *
 * Interface
 *   nearest_names   "--seed" for "sede" and the mark "--": of `count` names those of the least edit distance,
 *                   or those that the word is a part of, each after the mark; "" when none is near; malloc'd,
 *                   NULL without memory. A NULL name is none. When very many are as near, none is
 *   nearest_words   of a list of words with commas, what those of another such list are nearest to that are
 *                   not in the first: "races,bonds" and "bounds, races" give "bounds"; likewise
 */
#ifndef ORRERY_NEAREST_H
#define ORRERY_NEAREST_H

#include <stddef.h>

enum { NEAREST_NAME_CHARS = 64 }; /* of the longest name in the list */

typedef const char *nearest_name_function(const void *self, size_t index);
char *nearest_names(const char *wanted, const char *mark, nearest_name_function *name, const void *self,
                    size_t count);
char *nearest_words(const char *wanted, const char *expected);

#endif
