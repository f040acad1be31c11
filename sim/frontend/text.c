/* SPDX-License-Identifier: Apache-2.0 */
/* Growing texts and lists of strings. Capacity doubles. A failed allocation is remembered and makes later
 * additions do nothing, so the caller checks once, at the end. Texts end with NUL, lists with NULL. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"

static bool text_reserve(struct text *text, size_t extra)
{
    if (text->failed)
        return false;
    if (text->size + extra + 1 <= text->capacity)
        return true;
    size_t capacity = (text->size + extra + 1) * 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    CHECKED(capacity > text->size + extra);
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_add_bytes(struct text *text, const void *bytes, size_t size)
{
    if (!text_reserve(text, size))
        return;
    if (size)
        memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_add(struct text *text, const char *string)
{
    text_add_bytes(text, string, strlen(string));
}

void text_addf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    text->failed |= size < 0;
    if (!text_reserve(text, (size_t)size)) /* It also fails after an earlier failure. */
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->size, (size_t)size + 1, format, arguments);
    CHECKED(text->size + (size_t)size < text->capacity);
    va_end(arguments);
    text->size += (size_t)size;
}

char *text_take(struct text *text)
{
    text_add_bytes(text, "", 0);
    char *data = text->data;
    *text = (struct text){.failed = text->failed};
    return data;
}

void text_fini(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

/* Takes ownership of the string; NULL counts as a failed allocation. */
static void list_push(struct list *list, char *string)
{
    if (string && list->count + 2 > list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        char **items = realloc(list->items, capacity * sizeof *items);
        if (items) {
            list->items = items;
            list->capacity = capacity;
        } else {
            free(string);
            string = NULL;
        }
    }
    if (!string) {
        list->failed = true;
        return;
    }
    CHECKED(list->count + 1 < list->capacity);
    list->items[list->count++] = string;
    list->items[list->count] = NULL;
}

void list_add(struct list *list, const char *string)
{
    list_push(list, strdup(string));
}

void list_addf(struct list *list, const char *format, ...)
{
    char *string = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&string, format, arguments) < 0)
        string = NULL;
    va_end(arguments);
    list_push(list, string);
}

bool list_has(const struct list *list, const char *string)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], string))
            return true;
    return false;
}

void list_fini(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct list){0};
}
