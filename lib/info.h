/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The one size rule of all clGet*Info calls: a function replies, the caller returns. value may be
 *          NULL; size too small gives CL_INVALID_VALUE and writes nothing to value; size_ret is always
 *          written when not NULL.
 */
#ifndef ORRERY_LIB_INFO_H
#define ORRERY_LIB_INFO_H
#include "object.h"

struct info_reply {
    size_t size;
    void *value;
    size_t *size_ret;
};

cl_int info_bytes(const struct info_reply *reply, const void *bytes, size_t size);
cl_int info_string(const struct info_reply *reply, const char *text); /* with its NUL; NULL = "" */
#define INFO_VALUE(reply, type, expression) info_bytes((reply), (type[]){(expression)}, sizeof(type))
#endif
