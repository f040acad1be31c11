/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Decodes UTF-8. The bytes need not be UTF-8: those that are not are marked.
 *
 * Interface
 *   utf8_decode   the character at `text`, of which `left` > 0 bytes may be read, and how many it has.
 *                 UTF8_INVALID, of one byte: it is not UTF-8 (RFC 3629)
 */
#ifndef ORRERY_BASE_UTF8_H
#define ORRERY_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID UINT32_MAX

uint32_t utf8_decode(const char *text, size_t left, size_t *out_bytes);

#endif
