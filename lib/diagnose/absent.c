/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls whose feature the device lacks: sharing with OpenGL and EGL. Each fails as the specification
 * requires of a device without the feature: first for an invalid handle, then with CL_INVALID_OPERATION.
 */
#include "lib/api.h"
#include "lib/error.h"

static cl_int refusal(const void *handle, enum object_kind kind)
{
    return object_lookup(handle, kind) ? CL_INVALID_OPERATION : object_error(kind);
}

static void *refuse_creation(cl_context context, cl_int *errcode_ret)
{
    return error_return(errcode_ret, refusal(context, OBJECT_CONTEXT), NULL);
}

/* These calls read one argument only. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ABSENT(call, (its parameters), handle, its kind) */
#define ABSENT(call, parameters, handle, kind) \
    cl_int CL_API_CALL api_##call parameters   \
    {                                          \
        return refusal(handle, OBJECT_##kind); \
    }
#define ABSENT_CREATION(type, call, parameters)       \
    type CL_API_CALL api_##call parameters            \
    {                                                 \
        return refuse_creation(context, errcode_ret); \
    }

/* clang-format off */
#define AFTER cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event

/* ---- sharing with OpenGL and EGL ---- */
ABSENT_CREATION(cl_mem, clCreateFromGLBuffer,
    (cl_context context, cl_mem_flags flags, cl_GLuint buffer, int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateFromGLTexture,
    (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint texture, cl_int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateFromGLTexture2D,
    (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint texture, cl_int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateFromGLTexture3D,
    (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint level, cl_GLuint texture, cl_int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateFromGLRenderbuffer,
    (cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer, cl_int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateFromEGLImageKHR,
    (cl_context context, CLeglDisplayKHR display, CLeglImageKHR image, cl_mem_flags flags, const cl_egl_image_properties_khr *properties, cl_int *errcode_ret))
ABSENT_CREATION(cl_event, clCreateEventFromGLsyncKHR,
    (cl_context context, cl_GLsync sync, cl_int *errcode_ret))
ABSENT_CREATION(cl_event, clCreateEventFromEGLSyncKHR,
    (cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int *errcode_ret))
#define SHARED (cl_command_queue queue, cl_uint count, const cl_mem *objects, AFTER)
ABSENT(clEnqueueAcquireGLObjects, SHARED, queue, QUEUE)
ABSENT(clEnqueueReleaseGLObjects, SHARED, queue, QUEUE)
ABSENT(clEnqueueAcquireEGLObjectsKHR, SHARED, queue, QUEUE)
ABSENT(clEnqueueReleaseEGLObjectsKHR, SHARED, queue, QUEUE)
/* clang-format on */

cl_int CL_API_CALL api_clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *type, cl_GLuint *name)
{
    return object_lookup(memobj, OBJECT_MEMOBJ) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

cl_int CL_API_CALL api_clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name,
                                          size_t param_value_size, void *param_value,
                                          size_t *param_value_size_ret)
{
    return object_lookup(memobj, OBJECT_MEMOBJ) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}

cl_int CL_API_CALL api_clGetGLContextInfoKHR(const cl_context_properties *properties,
                                             cl_gl_context_info param_name, size_t param_value_size,
                                             void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_OPERATION;
}
