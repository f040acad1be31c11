/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of sizes that all clGet*Info calls share. */
#include "info.h"

#include <string.h>

cl_int info_bytes(const struct info_reply *reply, const void *bytes, size_t size)
{
    if (reply->size_ret)
        *reply->size_ret = size;
    if (!reply->value)
        return CL_SUCCESS;
    if (reply->size < size)
        return CL_INVALID_VALUE;
    if (size)
        memcpy(reply->value, bytes, size);
    return CL_SUCCESS;
}

cl_int info_string(const struct info_reply *reply, const char *text)
{
    if (!text)
        text = "";
    return info_bytes(reply, text, strlen(text) + 1);
}
