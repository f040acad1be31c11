/* SPDX-License-Identifier: Apache-2.0 */
/* Capabilities and extensions of SPIR-V that a device accepts, in one table, for cl_khr_spirv_queries and
 * for the check of modules. */
#include "device_spirv.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

#include "device_info.h"

enum { HEADER_WORDS = 5, COUNT_MAX = 96 };

/* CAPABILITY(SpvCapability..., the extension that a module must declare for it or NULL, condition) */
/* clang-format off */
#define CAPABILITIES(CAPABILITY) \
    CAPABILITY(Addresses, NULL, true) \
    CAPABILITY(Linkage, NULL, true) \
    CAPABILITY(Kernel, NULL, true) \
    CAPABILITY(Vector16, NULL, true) \
    CAPABILITY(Float16Buffer, NULL, true) \
    CAPABILITY(Int8, NULL, true) \
    CAPABILITY(Int16, NULL, true) \
    CAPABILITY(Int64, NULL, true) \
    CAPABILITY(Float16, NULL, config->fp16) \
    CAPABILITY(Float64, NULL, config->fp64) \
    CAPABILITY(Int64Atomics, NULL, config->int64_atomics) \
    CAPABILITY(ImageBasic, NULL, config->images) \
    CAPABILITY(LiteralSampler, NULL, config->images) \
    CAPABILITY(Sampled1D, NULL, config->images) \
    CAPABILITY(Image1D, NULL, config->images) \
    CAPABILITY(SampledBuffer, NULL, config->images) \
    CAPABILITY(ImageBuffer, NULL, config->images) \
    CAPABILITY(ImageReadWrite, NULL, device_supports_read_write_images(device)) \
    CAPABILITY(ImageMipmap, NULL, device_supports_read_write_images(device)) \
    CAPABILITY(GenericPointer, NULL, config->generic_address_space && at_least_20) \
    CAPABILITY(Groups, NULL, device_supports_sub_groups(device) || (config->work_group_collectives && at_least_20)) \
    CAPABILITY(Pipes, NULL, device_supports_pipes(device)) \
    CAPABILITY(DeviceEnqueue, NULL, device_supports_device_enqueue(device)) \
    CAPABILITY(SubgroupDispatch, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniform, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniformVote, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniformArithmetic, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniformBallot, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniformShuffle, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniformShuffleRelative, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniformClustered, NULL, device_supports_sub_groups(device)) \
    CAPABILITY(GroupNonUniformRotateKHR, "SPV_KHR_subgroup_rotate", device_supports_sub_groups(device)) \
    CAPABILITY(SubgroupShuffleINTEL, "SPV_INTEL_subgroups", device_supports_sub_groups(device)) \
    CAPABILITY(SubgroupBufferBlockIOINTEL, "SPV_INTEL_subgroups", device_supports_sub_groups(device)) \
    CAPABILITY(BitInstructions, "SPV_KHR_bit_instructions", true) \
    CAPABILITY(ExpectAssumeKHR, "SPV_KHR_expect_assume", true) \
    CAPABILITY(DotProduct, "SPV_KHR_integer_dot_product", true) \
    CAPABILITY(DotProductInputAll, "SPV_KHR_integer_dot_product", true) \
    CAPABILITY(DotProductInput4x8Bit, "SPV_KHR_integer_dot_product", true) \
    CAPABILITY(DotProductInput4x8BitPacked, "SPV_KHR_integer_dot_product", true) \
    CAPABILITY(AtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add", true) \
    CAPABILITY(AtomicFloat64AddEXT, "SPV_EXT_shader_atomic_float_add", config->fp64 && config->int64_atomics) \
    CAPABILITY(AtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max", true) \
    CAPABILITY(AtomicFloat64MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max", config->fp64 && config->int64_atomics) \
    CAPABILITY(NamedBarrier, NULL, device_supports_named_barriers(device)) \
    CAPABILITY(ShaderClockKHR, "SPV_KHR_shader_clock", config->kernel_clock) \
    CAPABILITY(GroupUniformArithmeticKHR, "SPV_KHR_uniform_group_instructions", config->work_group_collectives && at_least_20)
/* clang-format on */

struct capability {
    uint32_t token;
    const char *extension;
};

/* Lists the device's capabilities; room for COUNT_MAX. Returns their number. */
static size_t list_capabilities(const struct cl_device *device, struct capability *out_list)
{
    const struct device_config *config = device->config;
    const bool at_least_20 = device_version_at_least(device, 2, 0);
    size_t count = 0;
    if (!device_supports_il(device))
        return 0;
#define LIST_CAPABILITY(name, extension, condition) \
    if (condition)                                  \
        out_list[count++] = (struct capability){SpvCapability##name, extension};
    CAPABILITIES(LIST_CAPABILITY)
#undef LIST_CAPABILITY
    return count;
}

#define COUNT_CAPABILITY(name, extension, condition) +1
_Static_assert(0 CAPABILITIES(COUNT_CAPABILITY) <= COUNT_MAX, "there is room for every capability");
#undef COUNT_CAPABILITY

static bool device_spirv_capability(const struct cl_device *device, uint32_t capability)
{
    struct capability list[COUNT_MAX];
    size_t count = list_capabilities(device, list);
    for (size_t i = 0; i < count; i++)
        if (list[i].token == capability)
            return true;
    return false;
}

static bool enqueues(uint32_t opcode)
{
    return opcode == SpvOpTypeDeviceEvent || opcode == SpvOpTypeQueue ||
           (opcode >= SpvOpEnqueueMarker && opcode <= SpvOpBuildNDRange);
}

/* SubgroupDispatch implies DeviceEnqueue; a module that does not enqueue is accepted without it. */
static bool enqueues_without(const struct cl_device *device, const struct spirv *spirv)
{
    if (device_spirv_capability(device, SpvCapabilityDeviceEnqueue))
        return false;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += spirv->words[at] >> SpvWordCountShift)
        if (enqueues(spirv->words[at] & SpvOpCodeMask))
            return true;
    return false;
}

bool device_spirv_refused(const struct cl_device *device, const struct spirv *spirv, uint32_t *out_capability)
{
    const uint32_t *words = spirv->words;
    for (size_t at = HEADER_WORDS;
         at + 1 < spirv->word_count && (words[at] & SpvOpCodeMask) == SpvOpCapability; at += 2)
        if (!device_spirv_capability(device, words[at + 1])) {
            *out_capability = words[at + 1];
            return true;
        }
    *out_capability = SpvCapabilityDeviceEnqueue;
    return enqueues_without(device, spirv);
}

/* ---- the queries ------------------------------------------------------------------------------- */

cl_int device_info_spirv_sets(const struct info_reply *reply, const struct cl_device *device)
{
    static const char *const sets[] = {"OpenCL.std"};
    return info_bytes(reply, sets, device_supports_il(device) ? sizeof sets : 0);
}

cl_int device_info_spirv_extensions(const struct info_reply *reply, const struct cl_device *device)
{
    struct capability list[COUNT_MAX];
    const char *answer[COUNT_MAX + 1];
    size_t count = list_capabilities(device, list), found = 0;
    if (count)
        answer[found++] = "SPV_KHR_no_integer_wrap_decoration";
    for (size_t i = 0; i < count; i++)
        if (list[i].extension && strcmp(list[i].extension, answer[found - 1]) != 0)
            answer[found++] = list[i].extension;
    return info_bytes(reply, answer, found * sizeof *answer);
}

cl_int device_info_spirv_capabilities(const struct info_reply *reply, const struct cl_device *device)
{
    struct capability list[COUNT_MAX];
    cl_uint answer[COUNT_MAX];
    size_t count = list_capabilities(device, list);
    for (size_t i = 0; i < count; i++)
        answer[i] = list[i].token;
    return info_bytes(reply, answer, count * sizeof *answer);
}
