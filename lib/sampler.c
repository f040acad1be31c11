/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampler objects (OpenCL 3.0 API, 5.7). Both creating calls check each property, which may occur once, and
 * encode them in the word that kernels get (struct sampler of include/orrery/image.h). The list of
 * properties is kept for clGetSamplerInfo if the program gave one.
 */
#include <inttypes.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "context.h"
#include "device_info.h"
#include "error.h"
#include "info.h"
#include "lib/diagnose/call.h"
#include "version.h"

void sampler_destroy(void *object)
{
    struct sampler_object *sampler = object;
    free(sampler->properties);
    object_unref(sampler->context);
}

/* ---- properties --------------------------------------------------------------------- */

static bool addressing_valid(cl_sampler_properties value)
{
    return value >= CL_ADDRESS_NONE && value <= CL_ADDRESS_MIRRORED_REPEAT;
}

static bool filter_valid(cl_sampler_properties value)
{
    return value == CL_FILTER_NEAREST || value == CL_FILTER_LINEAR;
}

/* cl_khr_mipmap_image passes a float as its bits. */
static float float_value(cl_sampler_properties value)
{
    float result;
    uint32_t bits = (uint32_t)value;
    memcpy(&result, &bits, sizeof result);
    return result;
}

static bool take_property(struct sampler_object *sampler, cl_sampler_properties name,
                          cl_sampler_properties value)
{
    struct sampler *s = &sampler->sampler;
    switch (name) {
    case CL_SAMPLER_NORMALIZED_COORDS: s->normalized = value; return value == CL_TRUE || value == CL_FALSE;
    case CL_SAMPLER_ADDRESSING_MODE:
        s->addressing = (enum image_addressing)(value - CL_ADDRESS_NONE);
        return addressing_valid(value);
    case CL_SAMPLER_FILTER_MODE: s->linear = value == CL_FILTER_LINEAR; return filter_valid(value);
    case CL_SAMPLER_MIP_FILTER_MODE_KHR:
        s->mip_linear = value == CL_FILTER_LINEAR;
        return filter_valid(value);
    case CL_SAMPLER_LOD_MIN_KHR: sampler->lod_min = float_value(value); return true;
    case CL_SAMPLER_LOD_MAX_KHR: sampler->lod_max = float_value(value); return true;
    default: return false;
    }
}

static const char *value_name(cl_sampler_properties name)
{
    switch (name) {
    case CL_SAMPLER_NORMALIZED_COORDS: return "value of normalized_coords: CL_TRUE and CL_FALSE are";
    case CL_SAMPLER_ADDRESSING_MODE: return "addressing mode";
    case CL_SAMPLER_FILTER_MODE:
    case CL_SAMPLER_MIP_FILTER_MODE_KHR: return "filter mode: CL_FILTER_NEAREST and CL_FILTER_LINEAR are";
    default: return "value of a property that samplers have";
    }
}

static cl_int take_properties(struct sampler_object *sampler, const cl_sampler_properties *properties)
{
    size_t count = 0;
    for (; properties[count]; count += 2) {
        for (size_t i = 0; i < count; i += 2)
            if (properties[i] == properties[count])
                return call_because(CL_INVALID_VALUE, "the property 0x%" PRIx64 " is given twice",
                                    (uint64_t)properties[count]);
        if (!take_property(sampler, properties[count], properties[count + 1]))
            return call_because(CL_INVALID_VALUE, "0x%" PRIx64 " is no %s", (uint64_t)properties[count + 1],
                                value_name(properties[count]));
    }
    sampler->property_count = count + 1;
    sampler->properties = malloc(sampler->property_count * sizeof *properties);
    if (!sampler->properties)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(sampler->properties, properties, sampler->property_count * sizeof *properties);
    return CL_SUCCESS;
}

/* Repeating address modes are defined for normalised coordinates only. */
static bool combination_valid(const struct sampler *sampler)
{
    if (sampler->normalized || sampler->addressing < ADDRESSING_REPEAT)
        return true;
    call_detail(sampler->addressing == ADDRESSING_REPEAT
                    ? "CL_ADDRESS_REPEAT is for normalised coordinates only"
                    : "CL_ADDRESS_MIRRORED_REPEAT is for normalised coordinates only");
    return false;
}

/* ---- the calls ------------------------------------------------------------------------ */

/* properties NULL: the defaults. keep: clGetSamplerInfo returns the list. */
static cl_int create_sampler(struct context *context, const cl_sampler_properties *properties, bool keep,
                             struct sampler_object **out_sampler)
{
    if (!context_any(context, device_supports_images))
        return CL_INVALID_OPERATION;
    struct sampler_object *sampler = object_new(OBJECT_SAMPLER, sizeof *sampler);
    if (!sampler)
        return CL_OUT_OF_HOST_MEMORY;
    sampler->context = object_ref(context);
    sampler->sampler = (struct sampler){.addressing = ADDRESSING_CLAMP, .normalized = true};
    sampler->lod_max = FLT_MAX;
    cl_int err = properties ? take_properties(sampler, properties) : CL_SUCCESS;
    if (!err && !combination_valid(&sampler->sampler))
        err = CL_INVALID_VALUE;
    sampler->property_count = keep ? sampler->property_count : 0;
    sampler->sampler.lod_min = sampler->lod_min;
    sampler->sampler.lod_max = sampler->lod_max;
    if (err) {
        object_unref(sampler);
        return err;
    }
    object_publish(sampler);
    *out_sampler = sampler;
    return CL_SUCCESS;
}

static cl_sampler create(cl_context handle, const cl_sampler_properties *properties, bool keep,
                         const char *call, cl_int *errcode_ret)
{
    struct context *context = context_lookup(handle);
    struct sampler_object *sampler = NULL;
    if (!context)
        return error_return(errcode_ret, CL_INVALID_CONTEXT, NULL);
    cl_int err = create_sampler(context, properties, keep, &sampler);
    return error_return(errcode_ret, context_refuse(context, call, err), sampler);
}

cl_sampler CL_API_CALL api_clCreateSamplerWithProperties(cl_context context,
                                                         const cl_sampler_properties *sampler_properties,
                                                         cl_int *errcode_ret)
{
    const struct context *known = context_lookup(context);
    if (known && !version_context_at_least(known, 2, 0))
        return error_return(errcode_ret, CL_INVALID_OPERATION, NULL);
    return create(context, sampler_properties, true, "clCreateSamplerWithProperties", errcode_ret);
}

cl_sampler CL_API_CALL api_clCreateSampler(cl_context context, cl_bool normalized_coords,
                                           cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                           cl_int *errcode_ret)
{
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                normalized_coords,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                addressing_mode,
                                                CL_SAMPLER_FILTER_MODE,
                                                filter_mode,
                                                0};
    return create(context, properties, false, "clCreateSampler", errcode_ret);
}

cl_int CL_API_CALL api_clRetainSampler(cl_sampler sampler)
{
    return object_retain(sampler, OBJECT_SAMPLER);
}

cl_int CL_API_CALL api_clReleaseSampler(cl_sampler sampler)
{
    return object_release(sampler, OBJECT_SAMPLER);
}

cl_int CL_API_CALL api_clGetSamplerInfo(cl_sampler handle, cl_sampler_info param_name,
                                        size_t param_value_size, void *param_value,
                                        size_t *param_value_size_ret)
{
    const struct info_reply reply[] = {{param_value_size, param_value, param_value_size_ret}};
    const struct sampler_object *sampler = object_lookup(handle, OBJECT_SAMPLER);
    if (!sampler)
        return CL_INVALID_SAMPLER;
    if (!version_context_has_query(sampler->context, param_name))
        return CL_INVALID_VALUE;
    const struct sampler *s = &sampler->sampler;
    switch (param_name) {
    case CL_SAMPLER_REFERENCE_COUNT: return INFO_VALUE(reply, cl_uint, sampler->base.refs);
    case CL_SAMPLER_CONTEXT: return INFO_VALUE(reply, cl_context, (cl_context)sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS: return INFO_VALUE(reply, cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return INFO_VALUE(reply, cl_addressing_mode, CL_ADDRESS_NONE + (cl_addressing_mode)s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return INFO_VALUE(reply, cl_filter_mode, s->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST);
    case CL_SAMPLER_MIP_FILTER_MODE_KHR:
        return INFO_VALUE(reply, cl_filter_mode, s->mip_linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST);
    case CL_SAMPLER_LOD_MIN_KHR: return INFO_VALUE(reply, cl_float, sampler->lod_min);
    case CL_SAMPLER_LOD_MAX_KHR: return INFO_VALUE(reply, cl_float, sampler->lod_max);
    case CL_SAMPLER_PROPERTIES:
        return info_bytes(reply, sampler->properties, sampler->property_count * sizeof *sampler->properties);
    default: return CL_INVALID_VALUE;
    }
}
