/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void text_init(struct text *text)
{
    text->used = 0;
    text->bytes[0] = '\0';
}

void text_add(struct text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    size_t room = sizeof text->bytes - text->used;
    int length = vsnprintf(text->bytes + text->used, room, format, values);
    va_end(values);
    if (length > 0)
        text->used += (size_t)length < room ? (size_t)length : room - 1;
}

void text_ids(struct text *text, const uint64_t ids[3])
{
    text_add(text, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", ids[0], ids[1], ids[2]);
}

void text_bytes(struct text *text, uint64_t count)
{
    text_add(text, "%" PRIu64 " byte%s", count, count == 1 ? "" : "s");
}
