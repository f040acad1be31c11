/* SPDX-License-Identifier: Apache-2.0 */
/*
 * readMemory and writeMemory: base64 here, hexadecimal digits in the engine.
 */
#include "dap_adapter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tools.h"

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint32_t hex_byte(const char *hex)
{
    const char pair[3] = {hex[0], hex[1], '\0'};
    return (uint32_t)strtoul(pair, NULL, 16);
}

static char *base64_of(const char *hex)
{
    const size_t count = strlen(hex) / 2;
    char *text = calloc(count / 3 * 4 + 5, 1), *at = text;
    if (!text)
        tools_no_memory();
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t word = hex_byte(hex + 2 * i) << 16 | (left > 1 ? hex_byte(hex + 2 * i + 2) << 8 : 0) |
                              (left > 2 ? hex_byte(hex + 2 * i + 4) : 0);
        *at++ = digits64[word >> 18];
        *at++ = digits64[word >> 12 & 63];
        *at++ = left > 1 ? digits64[word >> 6 & 63] : '=';
        *at++ = left > 2 ? digits64[word & 63] : '=';
    }
    return text;
}

static char *hex_of(const char *base64)
{
    char *hex = calloc(strlen(base64) * 2 + 1, 1), *at = hex;
    uint32_t word = 0, bits = 0;
    if (!hex)
        tools_no_memory();
    for (; *base64 && *base64 != '='; base64++) {
        const char *digit = strchr(digits64, *base64);
        if (!digit)
            break;
        word = word << 6 | (uint32_t)(digit - digits64);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            at += snprintf(at, 3, "%02x", word >> bits & 255);
        }
    }
    return hex;
}

uint64_t dap_address_of(const json_t *arguments)
{
    return strtoull(TEXT(arguments, "memoryReference") ? TEXT(arguments, "memoryReference") : "0", NULL, 0) +
           (uint64_t)NUMBER(arguments, "offset");
}

json_t *dap_read_memory(struct dap *dap, const json_t *arguments)
{
    char address[24];
    snprintf(address, sizeof address, "0x%" PRIx64, dap_address_of(arguments));
    json_t *answer = dap_query(
        dap, json_pack("{s:s,s:I,s:I,s:I}", "verb", "read", "address", (json_int_t)dap_address_of(arguments),
                       "size", NUMBER(arguments, "count"), "thread", NUMBER(dap->stop, "thread")));
    if (!answer)
        return NULL;
    char *data = base64_of(TEXT(answer, "bytes"));
    json_t *body = json_pack("{s:s,s:I,s:s}", "address", address, "unreadableBytes",
                             NUMBER(answer, "missing"), "data", data);
    free(data);
    json_decref(answer);
    return body;
}

json_t *dap_write_memory(struct dap *dap, const json_t *arguments)
{
    char *hex = hex_of(TEXT(arguments, "data") ? TEXT(arguments, "data") : "");
    json_t *answer = dap_query(dap, json_pack("{s:s,s:I,s:s,s:I}", "verb", "write", "address",
                                              (json_int_t)dap_address_of(arguments), "bytes", hex, "thread",
                                              NUMBER(dap->stop, "thread")));
    json_t *body = answer ? json_pack("{s:I}", "bytesWritten", NUMBER(answer, "count")) : NULL,
           *address = json_integer((json_int_t)dap_address_of(arguments));
    if (body)
        dap_announce_values(dap, address, NUMBER(answer, "count"));
    json_decref(address);
    free(hex);
    json_decref(answer);
    return body;
}
