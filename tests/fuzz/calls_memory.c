/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, images of every type, pipes and samplers. */
#include <string.h>

#include "calls_sequence.h"

static const uint64_t memory_flags[] = {0,
                                        CL_MEM_READ_ONLY,
                                        CL_MEM_WRITE_ONLY,
                                        CL_MEM_COPY_HOST_PTR,
                                        CL_MEM_USE_HOST_PTR,
                                        CL_MEM_ALLOC_HOST_PTR,
                                        CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
                                        CL_MEM_HOST_NO_ACCESS,
                                        CL_MEM_HOST_READ_ONLY,
                                        CL_MEM_HOST_WRITE_ONLY,
                                        CL_MEM_READ_WRITE,
                                        CL_MEM_KERNEL_READ_AND_WRITE};

static void *host_for(struct sequence *s, cl_mem_flags flags)
{
    const uint8_t byte = draw(s);
    const bool wanted = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);
    struct shared *shared = &s->shared[byte % PLACES];
    if (byte >= 240) /* one that is missing, or not wanted */
        return wanted ? NULL : world.host;
    if (byte & 16 && wanted && shared->pointer && !shared->freed && shared->size >= 4096)
        return shared->pointer;
    return wanted ? world.host + byte : NULL;
}

void try_buffer(struct sequence *s)
{
    static const cl_mem_properties wrong[] = {1, 2, 0};
    const cl_mem_properties none[] = {0};
    const cl_context context = DRAW_CONTEXT(s);
    const cl_mem_flags flags = draw_flags(s, memory_flags, COUNT_OF(memory_flags));
    const size_t size = draw_bytes(s);
    void *const host = host_for(s, flags);
    const uint8_t way = draw(s);
    cl_int err = CL_SUCCESS;
    if ((const uint8_t *)host < world.host && size > 4096)
        return; /* of shared memory */
    cl_mem made = way % 4 ? clCreateBuffer(context, flags, size, host, &err)
                          : clCreateBufferWithProperties(context,
                                                         way == 4   ? wrong
                                                         : way == 8 ? none
                                                                    : NULL,
                                                         flags, size, host, &err);
    put(s, MEMORY, made, err);
}

void try_sub_buffer(struct sequence *s)
{
    const cl_mem whole = DRAW_MEMORY(s);
    const size_t offset = draw_size(s);
    const cl_buffer_region region = {draw_odd(s, 4) ? offset : offset * 128, draw_bytes(s)};
    cl_int err = CL_SUCCESS;
    const cl_mem_flags flags = draw_flags(s, memory_flags, COUNT_OF(memory_flags));
    const uint8_t odd = draw(s);
    cl_mem made = clCreateSubBuffer(whole, flags, odd == 255 ? 0 : CL_BUFFER_CREATE_TYPE_REGION,
                                    odd == 254 ? NULL : &region, &err);
    put(s, MEMORY, made, err);
}

static cl_image_format draw_format(struct sequence *s)
{
    static const cl_image_format common[] = {{CL_RGBA, CL_UNORM_INT8},   {CL_RGBA, CL_FLOAT},
                                             {CL_R, CL_UNSIGNED_INT8},   {CL_RG, CL_HALF_FLOAT},
                                             {CL_BGRA, CL_UNORM_INT8},   {CL_DEPTH, CL_FLOAT},
                                             {CL_sRGBA, CL_UNORM_INT8},  {CL_RGB, CL_UNORM_SHORT_565},
                                             {CL_RGBA, CL_SIGNED_INT32}, {CL_INTENSITY, CL_SNORM_INT16}};
    const uint8_t byte = draw(s);
    if (byte < 192)
        return common[byte % COUNT_OF(common)];
    const uint8_t order = draw(s), type = draw(s);
    return (cl_image_format){CL_R + order % 20, CL_SNORM_INT8 + type % 20};
}

static cl_image_desc draw_description(struct sequence *s)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,       CL_MEM_OBJECT_IMAGE2D_ARRAY,
        CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_BUFFER,
        CL_MEM_OBJECT_BUFFER,  CL_MEM_OBJECT_PIPE,          0};
    const uint8_t type = draw(s);
    cl_image_desc made = {.image_type = types[type % COUNT_OF(types)],
                          .image_width = 1 + draw_size(s),
                          .image_height = 1 + draw_size(s),
                          .image_depth = 1 + draw_size(s),
                          .image_array_size = 1 + draw_size(s)};
    if (draw_odd(s, 4))
        made.image_row_pitch = draw_size(s) * 16;
    if (draw_odd(s, 4))
        made.image_slice_pitch = draw_size(s) * 16;
    const uint8_t rest = draw(s);
    made.num_mip_levels = rest & 8 ? rest % 8 : 0;
    made.num_samples = rest >= 224 ? rest % 8 : 0;
    if (rest & 16 || made.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        made.mem_object = DRAW_MEMORY(s);
    return made;
}

/* Bytes of the host's memory that a creation from a host pointer may read; more than there is: SIZE_MAX. */
static size_t host_extent(const cl_image_desc *about)
{
    const size_t sizes[] = {about->image_width,      about->image_height,    about->image_depth,
                            about->image_array_size, about->image_row_pitch, about->image_slice_pitch};
    for (unsigned i = 0; i < COUNT_OF(sizes); i++)
        if (sizes[i] > HOST_BYTES)
            return SIZE_MAX;
    const size_t most_row =
        about->image_row_pitch > about->image_width * 16 ? about->image_row_pitch : about->image_width * 16;
    const size_t rows = about->image_height ? about->image_height : 1,
                 slices = about->image_depth > about->image_array_size ? about->image_depth
                                                                       : about->image_array_size;
    const size_t slice =
        most_row * rows > about->image_slice_pitch ? most_row * rows : about->image_slice_pitch;
    return slice > HOST_BYTES || slice * (slices ? slices : 1) > HOST_BYTES ? SIZE_MAX : slice * slices;
}

void try_image(struct sequence *s)
{
    const cl_context context = DRAW_CONTEXT(s);
    cl_mem_flags flags = draw_flags(s, memory_flags, COUNT_OF(memory_flags));
    const cl_image_format format = draw_format(s);
    const uint8_t way = draw(s);
    const cl_image_desc about = draw_description(s);
    cl_int err = CL_SUCCESS;
    if (host_extent(&about) == SIZE_MAX)
        flags &= ~(cl_mem_flags)(CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);
    void *const host = flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR) ? world.host : NULL;
    cl_mem made;
    if (way % 8 == 4)
        made = clCreateImage2D(context, flags, &format, about.image_width, about.image_height,
                               about.image_row_pitch, host, &err);
    else if (way % 8 == 5)
        made = clCreateImage3D(context, flags, &format, about.image_width, about.image_height,
                               about.image_depth, about.image_row_pitch, about.image_slice_pitch, host, &err);
    else if (way % 8 == 6)
        made = clCreateImageWithProperties(context, NULL, flags, &format, &about, host, &err);
    else
        made = clCreateImage(context, flags, way == 255 ? NULL : &format, way == 247 ? NULL : &about, host,
                             &err);
    put(s, MEMORY, made, err);
}

void try_list_formats(struct sequence *s)
{
    cl_image_format list[8];
    cl_uint count;
    const cl_uint room = draw(s) % 9;
    const cl_context context = DRAW_CONTEXT(s);
    const cl_mem_flags flags = draw_flags(s, memory_flags, COUNT_OF(memory_flags));
    const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER + draw(s) % 10;
    const uint8_t odd = draw(s);
    clGetSupportedImageFormats(context, flags, type, room, room && !(odd & 64) ? list : NULL,
                               odd & 32 ? NULL : &count);
}

void try_pipe(struct sequence *s)
{
    const cl_pipe_properties wrong[] = {1, 1, 0}, none[] = {0};
    const cl_context context = DRAW_CONTEXT(s);
    const cl_uint packet = draw_odd(s, 4) ? (cl_uint)draw_size(s) : 4, most = (cl_uint)draw_size(s) + 1;
    const uint8_t way = draw(s);
    cl_int err = CL_SUCCESS;
    cl_mem made = clCreatePipe(context, draw_flags(s, memory_flags, COUNT_OF(memory_flags)), packet, most,
                               way == 1   ? wrong
                               : way == 2 ? none
                                          : NULL,
                               &err);
    put(s, MEMORY, made, err);
}

void try_sampler(struct sequence *s)
{
    static const cl_sampler_properties names[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                  CL_SAMPLER_ADDRESSING_MODE,
                                                  CL_SAMPLER_FILTER_MODE,
                                                  CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                                  CL_SAMPLER_LOD_MIN_KHR,
                                                  CL_SAMPLER_LOD_MAX_KHR,
                                                  0x1234};
    const cl_context context = DRAW_CONTEXT(s);
    const unsigned words = draw(s) % 4;
    cl_sampler_properties list[7] = {0};
    cl_int err = CL_SUCCESS;
    for (unsigned i = 0; i < words; i++) {
        list[2 * i] = names[draw(s) % COUNT_OF(names)];
        list[2 * i + 1] = list[2 * i] == CL_SAMPLER_ADDRESSING_MODE ? CL_ADDRESS_NONE + draw(s) % 6
                          : list[2 * i] == CL_SAMPLER_FILTER_MODE   ? CL_FILTER_NEAREST + draw(s) % 3
                                                                    : draw(s);
    }
    const bool old = draw_odd(s, 4);
    const cl_bool normalized = draw(s) % 3;
    const cl_addressing_mode addressing = CL_ADDRESS_NONE + draw(s) % 6;
    const cl_filter_mode filter = CL_FILTER_NEAREST + draw(s) % 3;
    cl_sampler made = old ? clCreateSampler(context, normalized, addressing, filter, &err)
                          : clCreateSamplerWithProperties(context, words ? list : NULL, &err);
    put(s, SAMPLERS, made, err);
}

void try_memory_callback(struct sequence *s)
{
    const cl_mem memory = DRAW_MEMORY(s);
    const uint8_t odd = draw(s);
    clSetMemObjectDestructorCallback(memory, odd & 64 ? NULL : on_memory, draw_note(s));
}
