/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images (OpenCL 3.0 API, 5.3): descriptors and formats are checked in the order of the specification;
 * pitches and mipmap levels are laid out; a region of texels becomes rows of bytes (image_place).
 */
#include "api_image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "context.h"
#include "device_info.h"
#include "error.h"
#include "info.h"
#include "lib/diagnose/call.h"
#include "memobj.h"
#include "transfer.h"
#include "version.h"

/* ---- formats ------------------------------------------------------------------------- */

enum {
    ORDER_FIRST = CL_R,
    ORDER_LAST = CL_ABGR,
    DATA_FIRST = CL_SNORM_INT8,
    DATA_LAST = CL_UNORM_INT_101010_2
};

static bool is_packed(cl_channel_type type)
{
    return type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010;
}

static bool is_integer(cl_channel_type type)
{
    return type >= CL_SIGNED_INT8 && type <= CL_UNSIGNED_INT32;
}

static bool is_byte(cl_channel_type type)
{
    return type == CL_SNORM_INT8 || type == CL_UNORM_INT8 || type == CL_SIGNED_INT8 ||
           type == CL_UNSIGNED_INT8;
}

static bool is_known_format(const cl_image_format *format)
{
    const cl_channel_order order = format->image_channel_order;
    const cl_channel_type type = format->image_channel_data_type;
    return order >= ORDER_FIRST && order <= ORDER_LAST && type >= DATA_FIRST && type <= DATA_LAST;
}

/* The pairs of order and type that the specification allows (5.3.1.1). */
static bool format_valid(const cl_image_format *format)
{
    if (!format || !is_known_format(format))
        return false;
    cl_channel_type type = format->image_channel_data_type;
    switch (format->image_channel_order) {
    case CL_RGB: return is_packed(type); /* three channels of one size each would not be a power of two */
    case CL_RGBx: return type != CL_UNORM_INT24 && type != CL_UNORM_INT_101010_2;
    case CL_RGBA: return !is_packed(type) && type != CL_UNORM_INT24;
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return !is_packed(type) && !is_integer(type) && type != CL_UNORM_INT24 &&
               type != CL_UNORM_INT_101010_2;
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR: return is_byte(type);
    case CL_sRGB:
    case CL_RGx: return false; /* three channels */
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA: return type == CL_UNORM_INT8;
    case CL_DEPTH: return type == CL_UNORM_INT16 || type == CL_FLOAT;
    case CL_DEPTH_STENCIL: return type == CL_UNORM_INT24 || type == CL_FLOAT;
    default: return !is_packed(type) && type != CL_UNORM_INT24 && type != CL_UNORM_INT_101010_2;
    }
}

static const struct image_format *find_format(const cl_image_format *format)
{
    return image_format(format->image_channel_order - CL_R, format->image_channel_data_type - CL_SNORM_INT8);
}

static cl_image_format to_host(const struct image_format *format)
{
    return (cl_image_format){CL_R + format->order, CL_SNORM_INT8 + format->data};
}

static const cl_mem_flags kernel_writes =
    CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE;

/* Images of that type in this context may have the format, with access as the flags say. */
static bool image_supported(const struct context *context, const struct image_format *format,
                            cl_mem_object_type type, cl_mem_flags flags)
{
    bool writes = flags & kernel_writes || !(flags & CL_MEM_READ_ONLY);
    bool flat = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (writes && format->srgb && !context_any(context, device_writes_srgb_images))
        return false;
    if (format->depth && !flat)
        return false;
    return version_context_has_format(context, to_host(format));
}

static bool type_valid(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

cl_int CL_API_CALL api_clGetSupportedImageFormats(cl_context handle, cl_mem_flags flags,
                                                  cl_mem_object_type image_type, cl_uint num_entries,
                                                  cl_image_format *image_formats, cl_uint *num_image_formats)
{
    struct context *context = context_lookup(handle);
    const struct image_format *format;
    cl_uint count = 0;
    if (!context)
        return CL_INVALID_CONTEXT;
    if (!type_valid(image_type) || (!num_entries && image_formats) ||
        !memobj_flags_valid(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE))
        return CL_INVALID_VALUE;
    bool any = context_any(context, flags & CL_MEM_KERNEL_READ_AND_WRITE ? device_supports_read_write_images
                                                                         : device_supports_images);
    for (size_t i = 0; any && (format = image_format_at(i)) != NULL; i++) {
        if (!image_supported(context, format, image_type, flags))
            continue;
        if (image_formats && count < num_entries)
            image_formats[count] = to_host(format);
        count++;
    }
    if (num_image_formats)
        *num_image_formats = count;
    return CL_SUCCESS;
}

/* ---- an image in the making --------------------------------------------------------------- */

struct creation {
    struct context *context;
    cl_mem_flags flags;
    const struct image_format *format;
    cl_image_desc desc;
    struct memobj *source; /* the buffer or image whose bytes it shares */
    enum image_type type;
    size_t size[3]; /* in texels; layers after the last dimension */
    struct image_desc device;
    size_t bytes;
};

static enum image_type device_type(cl_mem_object_type type)
{
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D: return IMAGE_1D;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER: return IMAGE_1D_BUFFER;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: return IMAGE_1D_ARRAY;
    case CL_MEM_OBJECT_IMAGE2D: return IMAGE_2D;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY: return IMAGE_2D_ARRAY;
    default: return IMAGE_3D;
    }
}

static cl_int check_sizes(const struct creation *c)
{
    size_t most = c->type == IMAGE_3D          ? IMAGE_3D_SIZE
                  : c->type == IMAGE_1D_BUFFER ? IMAGE_BUFFER_SIZE
                                               : IMAGE_2D_SIZE;
    uint32_t dimensions = image_dimensions(c->type);
    static const char *const names[] = {"image_width", "image_height", "image_depth"};
    for (uint32_t d = 0; d < dimensions; d++)
        if (!c->size[d] || c->size[d] > most)
            return call_because(CL_INVALID_IMAGE_SIZE, "%s is %zu, and 1 to %zu are allowed", names[d],
                                c->size[d], most);
    if (image_is_array(c->type) && (!c->size[dimensions] || c->size[dimensions] > IMAGE_ARRAY_SIZE))
        return call_because(CL_INVALID_IMAGE_SIZE, "image_array_size is %zu, and 1 to %d are allowed",
                            c->size[dimensions], IMAGE_ARRAY_SIZE);
    return CL_SUCCESS;
}

static void take_sizes(struct creation *c)
{
    const cl_image_desc *desc = &c->desc;
    uint32_t dimensions = image_dimensions(c->type);
    size_t given[3] = {desc->image_width, desc->image_height, desc->image_depth};
    for (uint32_t d = 0; d < 3; d++)
        c->size[d] = d < dimensions ? given[d] : 1;
    if (image_is_array(c->type))
        c->size[dimensions] = desc->image_array_size;
}

/* Fields that do not apply to the image type become 0, as queries return them. */
static void normalise(struct creation *c)
{
    cl_image_desc *desc = &c->desc;
    if (image_dimensions(c->type) < 2)
        desc->image_height = 0;
    if (c->type != IMAGE_3D)
        desc->image_depth = 0;
    if (!image_is_array(c->type))
        desc->image_array_size = 0;
}

static bool pitched(enum image_type type)
{
    return type == IMAGE_3D || image_is_array(type);
}

static void report_pitch(const char *what, size_t pitch, const char *of, size_t least, size_t unit)
{
    char text[160];
    snprintf(text, sizeof text, "%s is %zu; a %s has %zu bytes, and the pitch is a multiple of %zu", what,
             pitch, of, least, unit);
    call_detail(text);
}

/* A given pitch holds at least a row (slice), in whole texels (rows); 0 stands for the least pitch. */
static cl_int resolve_pitches(struct creation *c, bool may_be_given, cl_int refusal)
{
    cl_image_desc *desc = &c->desc;
    size_t texel = c->format->texel_bytes, row = c->size[0] * texel;
    if (!may_be_given && (desc->image_row_pitch || (pitched(c->type) && desc->image_slice_pitch))) {
        call_detail("image_row_pitch and image_slice_pitch must be 0 where host_ptr is NULL");
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    if (desc->image_row_pitch && (desc->image_row_pitch < row || desc->image_row_pitch % texel)) {
        report_pitch("image_row_pitch", desc->image_row_pitch, "row", row, texel);
        return refusal;
    }
    if (!desc->image_row_pitch)
        desc->image_row_pitch = row;
    if (!pitched(c->type)) {
        desc->image_slice_pitch = 0;
        return CL_SUCCESS;
    }
    size_t slice = desc->image_row_pitch * (c->type == IMAGE_1D_ARRAY ? 1 : c->size[1]);
    if (desc->image_slice_pitch &&
        (desc->image_slice_pitch < slice || desc->image_slice_pitch % desc->image_row_pitch)) {
        report_pitch("image_slice_pitch", desc->image_slice_pitch, "slice", slice, desc->image_row_pitch);
        return refusal;
    }
    if (!desc->image_slice_pitch)
        desc->image_slice_pitch = slice;
    return CL_SUCCESS;
}

/* Level 0 is laid out by the descriptor; the other levels follow, packed. */
static cl_int lay_out(struct creation *c)
{
    struct image_desc *device = &c->device;
    uint32_t size[3] = {(uint32_t)c->size[0], (uint32_t)c->size[1], (uint32_t)c->size[2]};
    size_t at = 0;
    *device = (struct image_desc){.format = c->format, .type = c->type};
    device->levels = c->desc.num_mip_levels > 1 ? c->desc.num_mip_levels : 1;
    for (uint32_t n = 0; n < device->levels; n++) {
        struct image_level *level = &device->level[n];
        image_level_size(c->type, size, n, level->size);
        size_t row = n ? (size_t)level->size[0] * c->format->texel_bytes : c->desc.image_row_pitch;
        size_t slice = n ? row * (c->type == IMAGE_1D_ARRAY ? 1 : level->size[1]) : c->desc.image_slice_pitch;
        level->offset = at;
        level->pitch[0] = c->type == IMAGE_1D_ARRAY ? slice : row;
        level->pitch[1] = slice;
        at += pitched(c->type) ? slice * level->size[image_dimensions(c->type) - (c->type == IMAGE_3D)]
                               : row * level->size[1];
    }
    c->bytes = at;
    return at > context_max_allocation(c->context).most ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

static cl_int check_levels(const struct creation *c)
{
    size_t longest = 1, levels = 1;
    for (uint32_t d = 0; d < image_dimensions(c->type); d++)
        longest = c->size[d] > longest ? c->size[d] : longest;
    while (longest >>= 1)
        levels++;
    if (c->desc.num_mip_levels <= 1)
        return CL_SUCCESS;
    bool possible = c->type != IMAGE_1D_BUFFER && !c->format->depth && !c->source &&
                    !(c->flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR));
    if (!possible)
        return call_because(
            CL_INVALID_IMAGE_DESCRIPTOR,
            "num_mip_levels is %u: images of a buffer, of a depth format or with host_ptr have no levels",
            c->desc.num_mip_levels);
    return c->desc.num_mip_levels <= levels && levels <= IMAGE_LEVELS_MAX
               ? CL_SUCCESS
               : call_because(CL_INVALID_IMAGE_DESCRIPTOR,
                              "num_mip_levels is %u, and this size has %zu levels", c->desc.num_mip_levels,
                              levels);
}

/* ---- from the bytes of another object -------------------------------------------------------- */

static cl_int find_source(struct creation *c)
{
    c->source = c->desc.buffer ? object_lookup(c->desc.buffer, OBJECT_MEMOBJ) : NULL;
    bool wanted = c->type == IMAGE_1D_BUFFER, allowed = wanted || c->type == IMAGE_2D;
    if (!c->desc.buffer && wanted)
        return call_because(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is NULL, and image_type is "
                                                         "CL_MEM_OBJECT_IMAGE1D_BUFFER");
    if (c->desc.buffer && (!c->source || !allowed || c->source->context != c->context))
        return call_because(CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is %s",
                            !c->source ? "no memory object that exists"
                            : !allowed ? "given, and image_type is neither CL_MEM_OBJECT_IMAGE1D_BUFFER nor "
                                         "CL_MEM_OBJECT_IMAGE2D"
                                       : "of another context");
    if (!c->source)
        return CL_SUCCESS;
    bool fits = c->source->type == CL_MEM_OBJECT_BUFFER ||
                (c->type == IMAGE_2D && c->source->type == CL_MEM_OBJECT_IMAGE2D);
    return fits ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
}

static cl_int check_source_flags(struct creation *c)
{
    const cl_mem_flags host_pointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if (!c->source)
        return CL_SUCCESS;
    if (c->flags & host_pointer || !memobj_narrows(c->source->flags, c->flags))
        return CL_INVALID_VALUE;
    c->flags = memobj_inherit(c->source->flags, c->flags);
    return CL_SUCCESS;
}

/* An image of an image: the table of compatible channel orders (5.3.1.2). */
static bool orders_compatible(cl_channel_order order, cl_channel_order of)
{
    static const cl_channel_order pairs[][2] = {{CL_sBGRA, CL_BGRA}, {CL_BGRA, CL_sBGRA}, {CL_sRGBA, CL_RGBA},
                                                {CL_RGBA, CL_sRGBA}, {CL_sRGBx, CL_RGBx}, {CL_RGBx, CL_sRGBx},
                                                {CL_DEPTH, CL_R}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] == order && pairs[i][1] == of)
            return true;
    return false;
}

static cl_int check_view(const struct creation *c, const cl_image_format *format)
{
    const struct image *of = c->source->image;
    if (c->desc.image_width != of->desc.image_width || c->desc.image_height != of->desc.image_height)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (c->desc.image_row_pitch && c->desc.image_row_pitch != of->desc.image_row_pitch)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (of->device.levels != 1)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return format->image_channel_data_type == of->format.image_channel_data_type &&
                   orders_compatible(format->image_channel_order, of->format.image_channel_order)
               ? CL_SUCCESS
               : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
}

static cl_int check_source(struct creation *c, const cl_image_format *format)
{
    if (!c->source)
        return CL_SUCCESS;
    if (c->source->image) {
        cl_int err = check_view(c, format);
        c->desc.image_row_pitch = c->source->image->desc.image_row_pitch;
        return err;
    }
    return CL_SUCCESS;
}

/* ---- creating ------------------------------------------------------------------------------------ */

static cl_int check_creation(struct creation *c, const cl_image_format *format, const cl_image_desc *desc,
                             const void *host_ptr)
{
    if (!context_any(c->context, device_supports_images))
        return CL_INVALID_OPERATION;
    if (!memobj_flags_valid(c->flags))
        return CL_INVALID_VALUE;
    if (!format_valid(format) || !version_context_has_format(c->context, *format))
        return format ? call_because(
                            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
                            "image_channel_order 0x%x and image_channel_data_type 0x%x do not exist, or "
                            "do not go together",
                            format->image_channel_order, format->image_channel_data_type)
                      : CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!desc)
        return call_because(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is NULL");
    if (!type_valid(desc->image_type))
        return call_because(CL_INVALID_IMAGE_DESCRIPTOR, "image_type is 0x%x, which is no type of image",
                            desc->image_type);
    if (desc->num_samples)
        return call_because(CL_INVALID_IMAGE_DESCRIPTOR, "num_samples is %u, and must be 0",
                            desc->num_samples);
    c->desc = *desc;
    c->type = device_type(desc->image_type);
    c->format = find_format(format);
    take_sizes(c);
    cl_int err = find_source(c);
    if (!err)
        err = check_source_flags(c);
    if (!err)
        err = check_sizes(c);
    if (!err && (!c->format || !image_supported(c->context, c->format, desc->image_type, c->flags)))
        err = CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if (!err)
        err = check_source(c, format);
    if (!err && c->source)
        err = host_ptr ? CL_INVALID_HOST_PTR : CL_SUCCESS;
    else if (!err)
        err = memobj_check_host_ptr(c->flags, host_ptr);
    if (!err)
        err = check_levels(c);
    bool from_buffer = c->source && c->type == IMAGE_2D;
    if (!err)
        err = resolve_pitches(c, host_ptr || from_buffer || (c->source && c->type == IMAGE_1D_BUFFER),
                              from_buffer ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR);
    if (!err)
        err = lay_out(c);
    if (!err && c->source && c->bytes > c->source->size) {
        char text[120];
        snprintf(text, sizeof text, "the image needs %zu bytes, and its buffer has %zu", c->bytes,
                 c->source->size);
        call_detail(text);
        err = CL_INVALID_IMAGE_SIZE;
    }
    normalise(c);
    return err;
}

static cl_int build_image(struct creation *c, const cl_mem_properties *properties,
                          const cl_image_format *format, void *host_ptr, struct memobj *memobj)
{
    memobj->image = calloc(1, sizeof *memobj->image);
    if (!memobj->image)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = memobj_keep_properties(memobj, properties);
    if (!err && c->source)
        memobj_part(memobj, c->source, 0);
    else if (!err)
        err = memobj_provide_storage(memobj, host_ptr, "image");
    memobj->image->format = *format;
    memobj->image->desc = c->desc;
    memobj->image->device = c->device;
    memobj->image->device.address = memobj->address;
    memobj->image->device.id = memobj->base.id;
    return err;
}

static cl_int create_image(struct context *context, const cl_mem_properties *properties, cl_mem_flags flags,
                           const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
                           struct memobj **out_memobj)
{
    struct creation creation = {.context = context, .flags = flags};
    cl_int err =
        properties && properties[0] ? CL_INVALID_PROPERTY : check_creation(&creation, format, desc, host_ptr);
    if (err)
        return err;
    struct memobj *memobj = memobj_new(context, desc->image_type, creation.flags, creation.bytes);
    if (!memobj)
        return CL_OUT_OF_HOST_MEMORY;
    return memobj_complete(memobj, build_image(&creation, properties, format, host_ptr, memobj), out_memobj);
}

/* since: the version that added the call. */
static cl_mem image_of_call(cl_context handle, uint32_t since, const cl_mem_properties *properties,
                            cl_mem_flags flags, const cl_image_format *format, const cl_image_desc *desc,
                            void *host_ptr, cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct memobj *memobj = NULL;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    cl_int err = CL_INVALID_OPERATION;
    if (version_context_at_least(context, since, 0))
        err = create_image(context, properties, flags, format, desc, host_ptr, &memobj);
    return error_return(errcode_ret, context_refuse(context, "clCreateImage", err), memobj);
}

cl_mem CL_API_CALL api_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                                   cl_mem_flags flags, const cl_image_format *image_format,
                                                   const cl_image_desc *image_desc, void *host_ptr,
                                                   cl_int *errcode_ret)
{
    return image_of_call(context, 3, properties, flags, image_format, image_desc, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL api_clCreateImage(cl_context context, cl_mem_flags flags,
                                     const cl_image_format *image_format, const cl_image_desc *image_desc,
                                     void *host_ptr, cl_int *errcode_ret)
{
    return image_of_call(context, 1, NULL, flags, image_format, image_desc, host_ptr, errcode_ret);
}

/* The calls of OpenCL 1.1 return CL_INVALID_IMAGE_SIZE for invalid pitches. */
static cl_mem create_before(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                            const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    cl_int err;
    cl_mem image = api_clCreateImage(context, flags, format, desc, host_ptr, &err);
    if (errcode_ret)
        *errcode_ret = err == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : err;
    return image;
}

cl_mem CL_API_CALL api_clCreateImage2D(cl_context context, cl_mem_flags flags,
                                       const cl_image_format *image_format, size_t image_width,
                                       size_t image_height, size_t image_row_pitch, void *host_ptr,
                                       cl_int *errcode_ret)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = image_width,
                          .image_height = image_height,
                          .image_row_pitch = image_row_pitch};
    return create_before(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL api_clCreateImage3D(cl_context context, cl_mem_flags flags,
                                       const cl_image_format *image_format, size_t image_width,
                                       size_t image_height, size_t image_depth, size_t image_row_pitch,
                                       size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                          .image_width = image_width,
                          .image_height = image_height,
                          .image_depth = image_depth > 1 ? image_depth
                                                         : 0, /* in OpenCL 1.1 a depth of 1 is not allowed */
                          .image_row_pitch = image_row_pitch,
                          .image_slice_pitch = image_slice_pitch};
    return create_before(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

/* ---- queries --------------------------------------------------------------------------------------- */

static cl_mem buffer_of(const struct memobj *memobj)
{
    return memobj->parent && !memobj->parent->image ? (cl_mem)memobj->parent : NULL;
}

cl_int CL_API_CALL api_clGetImageInfo(cl_mem handle, cl_image_info param_name, size_t param_value_size,
                                      void *param_value, size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct memobj *memobj = object_lookup(handle, OBJECT_MEMOBJ);
    if (!memobj || !memobj->image)
        return CL_INVALID_MEM_OBJECT;
    const struct image *image = memobj->image;
    switch (param_name) {
    case CL_IMAGE_FORMAT: return info_bytes(reply, &image->format, sizeof image->format);
    case CL_IMAGE_ELEMENT_SIZE: return INFO_VALUE(reply, size_t, image->device.format->texel_bytes);
    case CL_IMAGE_ROW_PITCH: return INFO_VALUE(reply, size_t, image->desc.image_row_pitch);
    case CL_IMAGE_SLICE_PITCH: return INFO_VALUE(reply, size_t, image->desc.image_slice_pitch);
    case CL_IMAGE_WIDTH: return INFO_VALUE(reply, size_t, image->desc.image_width);
    case CL_IMAGE_HEIGHT: return INFO_VALUE(reply, size_t, image->desc.image_height);
    case CL_IMAGE_DEPTH: return INFO_VALUE(reply, size_t, image->desc.image_depth);
    case CL_IMAGE_ARRAY_SIZE: return INFO_VALUE(reply, size_t, image->desc.image_array_size);
    case CL_IMAGE_BUFFER: return INFO_VALUE(reply, cl_mem, buffer_of(memobj));
    case CL_IMAGE_NUM_MIP_LEVELS: return INFO_VALUE(reply, cl_uint, image->desc.num_mip_levels);
    case CL_IMAGE_NUM_SAMPLES: return INFO_VALUE(reply, cl_uint, image->desc.num_samples);
    default: return CL_INVALID_VALUE;
    }
}

/* ---- regions ------------------------------------------------------------------------------------------ */

static cl_int place_level(const struct image_desc *image, const size_t *origin, uint32_t *out_level)
{
    uint32_t used = image_dimensions(image->type) + image_is_array(image->type);
    *out_level = 0;
    if (image->levels == 1)
        return CL_SUCCESS;
    if (origin[used] >= image->levels)
        return CL_INVALID_MIP_LEVEL;
    *out_level = (uint32_t)origin[used];
    return CL_SUCCESS;
}

static void report_place(uint32_t d, size_t from, size_t count, size_t size)
{
    char text[160];
    snprintf(text, sizeof text,
             "origin[%" PRIu32 "] %zu and region[%" PRIu32 "] %zu leave the image, which has %zu there", d,
             from, d, count, size);
    if (!count)
        snprintf(text, sizeof text, "region[%" PRIu32 "] is 0", d);
    call_detail(text);
}

cl_int image_place(const struct memobj *memobj, const size_t *origin, const size_t *region,
                   struct image_place *out_place)
{
    const struct image_desc *image = &memobj->image->device;
    uint32_t used = image_dimensions(image->type) + image_is_array(image->type), number;
    if (!origin || !region)
        return CL_INVALID_VALUE;
    cl_int err = place_level(image, origin, &number);
    if (err)
        return err;
    const struct image_level *level = &image->level[number];
    for (uint32_t d = 0; d < 3; d++) {
        size_t from =
            d >= used && image->levels > 1 && d == used
                ? 0
                : origin[d]; /* of mipmapped images the element after the coordinates is the level */
        if (region[d] == 0 || !transfer_range_inside(from, region[d], level->size[d])) {
            report_place(d, from, region[d], level->size[d]);
            return CL_INVALID_VALUE;
        }
    }
    *out_place = (struct image_place){
        .offset = level->offset + origin[0] * image->format->texel_bytes +
                  (used > 1 ? origin[1] * level->pitch[0] : 0) + (used > 2 ? origin[2] * level->pitch[1] : 0),
        .region = {region[0] * image->format->texel_bytes, region[1], region[2]},
        .pitch = {level->pitch[0], level->pitch[1]},
    };
    return CL_SUCCESS;
}
