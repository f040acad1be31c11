/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The rule of sizes of all clGet*Info calls. param_value may be NULL. If its size is too small the
 *          result is CL_INVALID_VALUE, and param_value is not written. param_value_size_ret is written
 *          unless it is NULL.
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
