/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls for which the device has nothing to offer: images, samplers, pipes,
 * sharing. Each says so as the specification wants a device without the
 * feature to: a bad handle first, then CL_INVALID_OPERATION.
 */
#include "api.h"
#include "error.h"

static cl_int refuse(const void *handle, enum object_kind kind)
{
    return object_lookup(handle, kind) ? CL_INVALID_OPERATION : object_error(kind);
}

static void *refuse_creation(cl_context context, cl_int *errcode_ret)
{
    return error_return(errcode_ret, refuse(context, OBJECT_CONTEXT), NULL);
}

/* These calls look at one handle only. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ABSENT(call, (its parameters), handle, its kind) */
#define ABSENT(call, parameters, handle, kind) \
    cl_int CL_API_CALL api_##call parameters   \
    {                                          \
        return refuse(handle, OBJECT_##kind);  \
    }
#define ABSENT_CREATION(type, call, parameters)       \
    type CL_API_CALL api_##call parameters            \
    {                                                 \
        return refuse_creation(context, errcode_ret); \
    }

/* clang-format off */
#define AFTER cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event

/* ---- images ---- */
ABSENT_CREATION(cl_mem, clCreateImage,
    (cl_context context, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateImageWithProperties,
    (cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateImage2D,
    (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width, size_t height, size_t row_pitch, void *host_ptr, cl_int *errcode_ret))
ABSENT_CREATION(cl_mem, clCreateImage3D,
    (cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width, size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr, cl_int *errcode_ret))
/* clang-format on */

static bool image_type_valid(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

/* A list of no formats is what a device without images supports. */
cl_int CL_API_CALL api_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                  cl_mem_object_type image_type, cl_uint num_entries,
                                                  cl_image_format *image_formats, cl_uint *num_image_formats)
{
    if (!object_lookup(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!image_type_valid(image_type) || (!num_entries && image_formats))
        return CL_INVALID_VALUE;
    if (num_image_formats)
        *num_image_formats = 0;
    return CL_SUCCESS;
}

cl_int CL_API_CALL api_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}

/* clang-format off */
ABSENT(clEnqueueReadImage,
    (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch, void *ptr, AFTER), queue, QUEUE)
ABSENT(clEnqueueWriteImage,
    (cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin, const size_t *region, size_t row_pitch, size_t slice_pitch, const void *ptr, AFTER), queue, QUEUE)
ABSENT(clEnqueueCopyImage,
    (cl_command_queue queue, cl_mem source, cl_mem target, const size_t *source_origin, const size_t *target_origin, const size_t *region, AFTER), queue, QUEUE)
ABSENT(clEnqueueCopyImageToBuffer,
    (cl_command_queue queue, cl_mem source, cl_mem target, const size_t *origin, const size_t *region, size_t offset, AFTER), queue, QUEUE)
ABSENT(clEnqueueCopyBufferToImage,
    (cl_command_queue queue, cl_mem source, cl_mem target, size_t offset, const size_t *origin, const size_t *region, AFTER), queue, QUEUE)
ABSENT(clEnqueueFillImage,
    (cl_command_queue queue, cl_mem image, const void *color, const size_t *origin, const size_t *region, AFTER), queue, QUEUE)

void *CL_API_CALL api_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
    const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch, AFTER, cl_int *errcode_ret)
{
    return error_return(errcode_ret, refuse(queue, OBJECT_QUEUE), NULL);
}

/* ---- samplers and pipes ---- */
ABSENT_CREATION(cl_sampler, clCreateSampler,
    (cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter, cl_int *errcode_ret))
ABSENT_CREATION(cl_sampler, clCreateSamplerWithProperties,
    (cl_context context, const cl_sampler_properties *properties, cl_int *errcode_ret))
ABSENT(clRetainSampler, (cl_sampler sampler), sampler, SAMPLER)
ABSENT(clReleaseSampler, (cl_sampler sampler), sampler, SAMPLER)
ABSENT(clGetSamplerInfo, (cl_sampler sampler, cl_sampler_info name, size_t size, void *value, size_t *size_ret), sampler, SAMPLER)
ABSENT_CREATION(cl_mem, clCreatePipe,
    (cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets, const cl_pipe_properties *properties, cl_int *errcode_ret))

cl_int CL_API_CALL api_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                                     void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}

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
