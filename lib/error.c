/* SPDX-License-Identifier: Apache-2.0 */
/* Tables from statuses of the layers below to errors of the API, and from errors to their names. */
#include "error.h"

static const cl_int status_errors[STATUS_COUNT] = {
    [STATUS_OK] = CL_SUCCESS,
    [STATUS_OUT_OF_MEMORY] = CL_OUT_OF_HOST_MEMORY,
    [STATUS_OUT_OF_DEVICE_MEMORY] = CL_MEM_OBJECT_ALLOCATION_FAILURE,
    [STATUS_OUT_OF_RESOURCES] = CL_OUT_OF_RESOURCES,
    [STATUS_BAD_ARGUMENT] = CL_INVALID_VALUE,
    [STATUS_BAD_BINARY] = CL_INVALID_BINARY,
    [STATUS_UNSUPPORTED] = CL_BUILD_PROGRAM_FAILURE,
    [STATUS_NOT_FOUND] = CL_INVALID_VALUE,
    [STATUS_BAD_OPTIONS] = CL_INVALID_BUILD_OPTIONS,
    [STATUS_COMPILE_FAILED] = CL_BUILD_PROGRAM_FAILURE,
    [STATUS_LINK_FAILED] = CL_LINK_PROGRAM_FAILURE,
    [STATUS_COMPILER_MISSING] = CL_COMPILER_NOT_AVAILABLE,
    [STATUS_BAD_SCENARIO] = CL_INVALID_VALUE,
    [STATUS_IO] = CL_OUT_OF_RESOURCES,
    [STATUS_NO_PROGRESS] = CL_OUT_OF_RESOURCES,
    [STATUS_ABORTED] = CL_OUT_OF_RESOURCES,
    [STATUS_STOPPED] = CL_CONTEXT_TERMINATED_KHR,
};

cl_int error_from_status(enum status status)
{
    return (unsigned)status < STATUS_COUNT ? status_errors[status] : CL_OUT_OF_RESOURCES;
}

#define API_ERROR(name, number) _Static_assert(name == (number), #name);
#include "orrery/api_error.def"
#undef API_ERROR

const char *error_name(cl_int error)
{
    switch (error) {
    case CL_SUCCESS: return "CL_SUCCESS";
#define API_ERROR(name, number) \
    case name:                  \
        return #name;
#include "orrery/api_error.def"
#undef API_ERROR
    default: return "unknown error";
    }
}
