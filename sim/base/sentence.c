/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of findings in a fixed buffer; what does not fit is cut. */
#include "sentence.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void sentence_init(struct sentence *sentence)
{
    sentence->used = 0;
    sentence->bytes[0] = '\0';
}

void sentence_add(struct sentence *sentence, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    size_t room = sizeof sentence->bytes - sentence->used;
    int length = vsnprintf(sentence->bytes + sentence->used, room, format, values);
    va_end(values);
    if (length > 0)
        sentence->used += (size_t)length < room ? (size_t)length : room - 1;
}

void sentence_ids(struct sentence *sentence, const uint64_t ids[3])
{
    sentence_add(sentence, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", ids[0], ids[1], ids[2]);
}

void sentence_bytes(struct sentence *sentence, uint64_t count)
{
    sentence_add(sentence, "%" PRIu64 " byte%s", count, count == 1 ? "" : "s");
}
