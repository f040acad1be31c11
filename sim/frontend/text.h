/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Growing bytes and growing lists of strings, for argument vectors, logs and files of the front
 *          end. Both are zero-initialised. Both remember a failed allocation, so callers check once, at the
 *          end.
 *
 * Interface
 *   text_add, text_addf, text_add_bytes   append; the argument must not be part of the text itself; data
 *                                stays NUL-terminated
 *   text_take                    hands the string over; NULL: out of memory
 *   list_add, list_addf          append a copy; items stays NULL-terminated
 *   text_fini, list_fini         free
 */
#ifndef ORRERY_FRONTEND_TEXT_H
#define ORRERY_FRONTEND_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *data;
    size_t size, capacity;
    bool failed;
};

void text_add_bytes(struct text *text, const void *bytes, size_t size);
void text_add(struct text *text, const char *string);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *text_take(struct text *text);
void text_fini(struct text *text);

struct list {
    char **items;
    size_t count, capacity;
    bool failed;
};

void list_add(struct list *list, const char *string);
void list_addf(struct list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool list_has(const struct list *list, const char *string);
void list_fini(struct list *list);

#endif
