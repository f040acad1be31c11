/* SPDX-License-Identifier: Apache-2.0 */
/* A character has as few bytes as it can have, and is no half of a pair of UTF-16. */
#include "sim/base/utf8.h"

#include <stdbool.h>

uint32_t utf8_decode(const char *text, size_t left, size_t *out_bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *c = (const unsigned char *)text;
    const size_t bytes = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
    uint32_t character = bytes == 1 ? *c : *c & (0x7fu >> bytes);
    bool fine = bytes && bytes <= left && *c < 0xf5;
    for (size_t i = 1; fine && i < bytes; i++) {
        fine = (c[i] & 0xc0) == 0x80;
        character = character << 6 | (c[i] & 0x3f);
    }
    fine = fine && character >= least[bytes] && character <= 0x10ffff && (character & 0x1ff800) != 0xd800;
    *out_bytes = fine ? bytes : 1;
    return fine ? character : UTF8_INVALID;
}
