/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Translates statuses of the layers below into errors of the API.
 *
 * Interface
 *   error_from_status    the cl_int of a status; CL_SUCCESS for STATUS_OK
 *   error_name           "CL_INVALID_VALUE", for messages; "unknown error" for another value
 *   error_return         stores err if the caller passed errcode_ret, returns the result
 */
#ifndef ORRERY_LIB_ERROR_H
#define ORRERY_LIB_ERROR_H
#include "object.h"

cl_int error_from_status(enum status status);
const char *error_name(cl_int error);

static inline void *error_return(cl_int *errcode_ret, cl_int err, void *result)
{
    if (errcode_ret)
        *errcode_ret = err;
    return err == CL_SUCCESS ? result : NULL;
}
#endif
