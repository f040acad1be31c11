/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every query that the specification lists: its value has the size of the type listed there, is returned into
 * a buffer of that size or larger, and refused with CL_INVALID_VALUE for a smaller one.
 */
#include "tests/support/recorder_fixture.h"
#include "tests/support/refusal_fixture.h"

static cl_mem image, pipe_object;
static cl_sampler sampler;
static cl_program program;
static cl_kernel kernel;
static cl_event done;
static cl_command_queue on_device;
static cl_semaphore_khr semaphore;
static cl_command_buffer_khr recorder;

/* Names that OpenCL 3.1 has for what was there. */
#ifndef CL_DEVICE_UUID
#define CL_DEVICE_MAX_WORK_GROUP_SIZES CL_DEVICE_MAX_WORK_ITEM_SIZES
#define CL_DEVICE_UUID CL_DEVICE_UUID_KHR
#define CL_DRIVER_UUID CL_DRIVER_UUID_KHR
#define CL_DEVICE_LUID_VALID CL_DEVICE_LUID_VALID_KHR
#define CL_DEVICE_LUID CL_DEVICE_LUID_KHR
#define CL_DEVICE_NODE_MASK CL_DEVICE_NODE_MASK_KHR
#endif

/* Names that the oldest headers have not. */
#ifndef CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES
#define CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT \
    CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED \
    CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR
typedef cl_device_integer_dot_product_acceleration_properties_khr
    cl_device_integer_dot_product_acceleration_properties;
#endif
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#endif
#ifndef CL_DEVICE_SPIRV_CAPABILITIES
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES 0x12BB
#endif
#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif
#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#endif
#ifndef CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL
#define CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL 0x410A
#endif
#ifndef CL_KERNEL_SPILL_MEM_SIZE_INTEL
#define CL_KERNEL_SPILL_MEM_SIZE_INTEL 0x4109
#endif
#ifndef CL_DEVICE_SUB_GROUP_SIZES_INTEL
#define CL_DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#endif
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#endif

enum shape { ONE_VALUE, MANY_VALUES, TEXT_VALUE };

/* clang-format off */
static const struct query {
    const char *call, *name;
    cl_uint number;
    size_t size; /* of one */
    enum shape shape;
} queries[] = {
#define ONE(call, name, type) {#call, #name, name, sizeof(type), ONE_VALUE},
#define MANY(call, name, type) {#call, #name, name, sizeof(type), MANY_VALUES},
#define TEXT(call, name) {#call, #name, name, 1, TEXT_VALUE},
    TEXT(clGetPlatformInfo, CL_PLATFORM_PROFILE)
    TEXT(clGetPlatformInfo, CL_PLATFORM_VERSION)
    ONE(clGetPlatformInfo, CL_PLATFORM_NUMERIC_VERSION, cl_version)
    TEXT(clGetPlatformInfo, CL_PLATFORM_NAME)
    TEXT(clGetPlatformInfo, CL_PLATFORM_VENDOR)
    TEXT(clGetPlatformInfo, CL_PLATFORM_EXTENSIONS)
    MANY(clGetPlatformInfo, CL_PLATFORM_EXTENSIONS_WITH_VERSION, cl_name_version)
    ONE(clGetPlatformInfo, CL_PLATFORM_HOST_TIMER_RESOLUTION, cl_ulong)
    ONE(clGetDeviceInfo, CL_DEVICE_TYPE, cl_device_type)
    ONE(clGetDeviceInfo, CL_DEVICE_VENDOR_ID, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint)
    MANY(clGetDeviceInfo, CL_DEVICE_MAX_WORK_ITEM_SIZES, size_t)
    MANY(clGetDeviceInfo, CL_DEVICE_MAX_WORK_GROUP_SIZES, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_UUID, cl_uchar[CL_UUID_SIZE_KHR])
    ONE(clGetDeviceInfo, CL_DRIVER_UUID, cl_uchar[CL_UUID_SIZE_KHR])
    ONE(clGetDeviceInfo, CL_DEVICE_LUID_VALID, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_LUID, cl_uchar[CL_LUID_SIZE_KHR])
    ONE(clGetDeviceInfo, CL_DEVICE_NODE_MASK, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_ADDRESS_BITS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE_SUPPORT, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_READ_IMAGE_ARGS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_WRITE_IMAGE_ARGS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, cl_uint)
    TEXT(clGetDeviceInfo, CL_DEVICE_IL_VERSION)
    MANY(clGetDeviceInfo, CL_DEVICE_ILS_WITH_VERSION, cl_name_version)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE2D_MAX_WIDTH, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE2D_MAX_HEIGHT, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE3D_MAX_WIDTH, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE3D_MAX_HEIGHT, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE3D_MAX_DEPTH, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_SAMPLERS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_PIPE_ARGS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_PIPE_MAX_PACKET_SIZE, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_PARAMETER_SIZE, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config)
    ONE(clGetDeviceInfo, CL_DEVICE_DOUBLE_FP_CONFIG, cl_device_fp_config)
    ONE(clGetDeviceInfo, CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, cl_device_mem_cache_type)
    ONE(clGetDeviceInfo, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong)
    ONE(clGetDeviceInfo, CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, cl_ulong)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_CONSTANT_ARGS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_LOCAL_MEM_TYPE, cl_device_local_mem_type)
    ONE(clGetDeviceInfo, CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong)
    ONE(clGetDeviceInfo, CL_DEVICE_ERROR_CORRECTION_SUPPORT, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_PROFILING_TIMER_RESOLUTION, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_ENDIAN_LITTLE, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_AVAILABLE, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_COMPILER_AVAILABLE, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_LINKER_AVAILABLE, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities)
    ONE(clGetDeviceInfo, CL_DEVICE_QUEUE_PROPERTIES, cl_command_queue_properties)
    ONE(clGetDeviceInfo, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, cl_command_queue_properties)
    ONE(clGetDeviceInfo, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, cl_command_queue_properties)
    ONE(clGetDeviceInfo, CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_ON_DEVICE_QUEUES, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_ON_DEVICE_EVENTS, cl_uint)
    TEXT(clGetDeviceInfo, CL_DEVICE_BUILT_IN_KERNELS)
    MANY(clGetDeviceInfo, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, cl_name_version)
    ONE(clGetDeviceInfo, CL_DEVICE_PLATFORM, cl_platform_id)
    TEXT(clGetDeviceInfo, CL_DEVICE_NAME)
    TEXT(clGetDeviceInfo, CL_DEVICE_VENDOR)
    TEXT(clGetDeviceInfo, CL_DRIVER_VERSION)
    TEXT(clGetDeviceInfo, CL_DEVICE_PROFILE)
    TEXT(clGetDeviceInfo, CL_DEVICE_VERSION)
    ONE(clGetDeviceInfo, CL_DEVICE_NUMERIC_VERSION, cl_version)
    TEXT(clGetDeviceInfo, CL_DEVICE_OPENCL_C_VERSION)
    MANY(clGetDeviceInfo, CL_DEVICE_OPENCL_C_ALL_VERSIONS, cl_name_version)
    MANY(clGetDeviceInfo, CL_DEVICE_OPENCL_C_FEATURES, cl_name_version)
    TEXT(clGetDeviceInfo, CL_DEVICE_EXTENSIONS)
    MANY(clGetDeviceInfo, CL_DEVICE_EXTENSIONS_WITH_VERSION, cl_name_version)
    ONE(clGetDeviceInfo, CL_DEVICE_PRINTF_BUFFER_SIZE, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_PARENT_DEVICE, cl_device_id)
    ONE(clGetDeviceInfo, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, cl_uint)
    MANY(clGetDeviceInfo, CL_DEVICE_PARTITION_PROPERTIES, cl_device_partition_property)
    ONE(clGetDeviceInfo, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, cl_device_affinity_domain)
    MANY(clGetDeviceInfo, CL_DEVICE_PARTITION_TYPE, cl_device_partition_property)
    ONE(clGetDeviceInfo, CL_DEVICE_REFERENCE_COUNT, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_SVM_CAPABILITIES, cl_device_svm_capabilities)
    ONE(clGetDeviceInfo, CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_NUM_SUB_GROUPS, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, cl_device_atomic_capabilities)
    ONE(clGetDeviceInfo, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, cl_device_atomic_capabilities)
    ONE(clGetDeviceInfo, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, cl_device_device_enqueue_capabilities)
    ONE(clGetDeviceInfo, CL_DEVICE_PIPE_SUPPORT, cl_bool)
    ONE(clGetDeviceInfo, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t)
    TEXT(clGetDeviceInfo, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED)
    ONE(clGetPlatformInfo, CL_PLATFORM_SEMAPHORE_TYPES_KHR, cl_semaphore_type_khr)
    TEXT(clGetPlatformInfo, CL_PLATFORM_ICD_SUFFIX_KHR)
    ONE(clGetDeviceInfo, CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, cl_version)
    ONE(clGetDeviceInfo, CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT, cl_version)
    ONE(clGetDeviceInfo, CL_DEVICE_HALF_FP_CONFIG, cl_device_fp_config)
    ONE(clGetDeviceInfo, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, cl_device_command_buffer_capabilities_khr)
    ONE(clGetDeviceInfo, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, cl_command_queue_properties)
    ONE(clGetDeviceInfo, CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, cl_command_queue_properties)
    ONE(clGetDeviceInfo, CL_DEVICE_TERMINATE_CAPABILITY_KHR, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_SEMAPHORE_TYPES_KHR, cl_semaphore_type_khr)
    ONE(clGetDeviceInfo, CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT, cl_device_integer_dot_product_acceleration_properties)
    ONE(clGetDeviceInfo, CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED, cl_device_integer_dot_product_acceleration_properties)
    MANY(clGetDeviceInfo, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, const char *)
    MANY(clGetDeviceInfo, CL_DEVICE_SPIRV_EXTENSIONS, const char *)
    MANY(clGetDeviceInfo, CL_DEVICE_SPIRV_CAPABILITIES, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, cl_bitfield)
    MANY(clGetDeviceInfo, CL_DEVICE_SUB_GROUP_SIZES_INTEL, size_t)
    ONE(clGetDeviceInfo, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, cl_bitfield)
    ONE(clGetDeviceInfo, CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, cl_uint)
    ONE(clGetDeviceInfo, CL_DEVICE_PARENT_DEVICE_EXT, cl_device_id)
    MANY(clGetDeviceInfo, CL_DEVICE_PARTITION_TYPES_EXT, cl_device_partition_property_ext)
    MANY(clGetDeviceInfo, CL_DEVICE_AFFINITY_DOMAINS_EXT, cl_device_partition_property_ext)
    ONE(clGetDeviceInfo, CL_DEVICE_REFERENCE_COUNT_EXT, cl_uint)
    MANY(clGetDeviceInfo, CL_DEVICE_PARTITION_STYLE_EXT, cl_device_partition_property_ext)
    ONE(clGetKernelWorkGroupInfo, CL_KERNEL_SPILL_MEM_SIZE_INTEL, cl_ulong)
    ONE(clGetKernelSubGroupInfo, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, size_t)
    ONE(clGetKernelSubGroupInfoKHR, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR, size_t)
    ONE(clGetKernelSubGroupInfoKHR, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR, size_t)
    ONE(clGetSemaphoreInfoKHR, CL_SEMAPHORE_CONTEXT_KHR, cl_context)
    ONE(clGetSemaphoreInfoKHR, CL_SEMAPHORE_REFERENCE_COUNT_KHR, cl_uint)
    MANY(clGetSemaphoreInfoKHR, CL_SEMAPHORE_PROPERTIES_KHR, cl_semaphore_properties_khr)
    ONE(clGetSemaphoreInfoKHR, CL_SEMAPHORE_TYPE_KHR, cl_semaphore_type_khr)
    ONE(clGetSemaphoreInfoKHR, CL_SEMAPHORE_PAYLOAD_KHR, cl_semaphore_payload_khr)
    MANY(clGetSemaphoreInfoKHR, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, cl_device_id)
    ONE(clGetCommandBufferInfoKHR, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, cl_uint)
    MANY(clGetCommandBufferInfoKHR, CL_COMMAND_BUFFER_QUEUES_KHR, cl_command_queue)
    ONE(clGetCommandBufferInfoKHR, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, cl_uint)
    ONE(clGetCommandBufferInfoKHR, CL_COMMAND_BUFFER_STATE_KHR, cl_command_buffer_state_khr)
    MANY(clGetCommandBufferInfoKHR, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, cl_command_buffer_properties_khr)
    ONE(clGetCommandBufferInfoKHR, CL_COMMAND_BUFFER_CONTEXT_KHR, cl_context)
    ONE(clGetMemAllocInfoINTEL, CL_MEM_ALLOC_TYPE_INTEL, cl_unified_shared_memory_type_intel)
    ONE(clGetMemAllocInfoINTEL, CL_MEM_ALLOC_BASE_PTR_INTEL, void *)
    ONE(clGetMemAllocInfoINTEL, CL_MEM_ALLOC_SIZE_INTEL, size_t)
    ONE(clGetMemAllocInfoINTEL, CL_MEM_ALLOC_DEVICE_INTEL, cl_device_id)
    ONE(clGetMemAllocInfoINTEL, CL_MEM_ALLOC_FLAGS_INTEL, cl_mem_alloc_flags_intel)
    ONE(clGetContextInfo, CL_CONTEXT_REFERENCE_COUNT, cl_uint)
    ONE(clGetContextInfo, CL_CONTEXT_NUM_DEVICES, cl_uint)
    MANY(clGetContextInfo, CL_CONTEXT_DEVICES, cl_device_id)
    MANY(clGetContextInfo, CL_CONTEXT_PROPERTIES, cl_context_properties)
    ONE(clGetCommandQueueInfo, CL_QUEUE_CONTEXT, cl_context)
    ONE(clGetCommandQueueInfo, CL_QUEUE_DEVICE, cl_device_id)
    ONE(clGetCommandQueueInfo, CL_QUEUE_REFERENCE_COUNT, cl_uint)
    MANY(clGetCommandQueueInfo, CL_QUEUE_PROPERTIES_ARRAY, cl_queue_properties)
    ONE(clGetCommandQueueInfo, CL_QUEUE_DEVICE_DEFAULT, cl_command_queue)
    ONE(clGetImageInfo, CL_IMAGE_FORMAT, cl_image_format)
    ONE(clGetImageInfo, CL_IMAGE_ELEMENT_SIZE, size_t)
    ONE(clGetImageInfo, CL_IMAGE_ROW_PITCH, size_t)
    ONE(clGetImageInfo, CL_IMAGE_SLICE_PITCH, size_t)
    ONE(clGetImageInfo, CL_IMAGE_WIDTH, size_t)
    ONE(clGetImageInfo, CL_IMAGE_HEIGHT, size_t)
    ONE(clGetImageInfo, CL_IMAGE_DEPTH, size_t)
    ONE(clGetImageInfo, CL_IMAGE_ARRAY_SIZE, size_t)
    ONE(clGetImageInfo, CL_IMAGE_BUFFER, cl_mem)
    ONE(clGetImageInfo, CL_IMAGE_NUM_MIP_LEVELS, cl_uint)
    ONE(clGetImageInfo, CL_IMAGE_NUM_SAMPLES, cl_uint)
    ONE(clGetPipeInfo, CL_PIPE_PACKET_SIZE, cl_uint)
    ONE(clGetPipeInfo, CL_PIPE_MAX_PACKETS, cl_uint)
    MANY(clGetPipeInfo, CL_PIPE_PROPERTIES, cl_pipe_properties)
    ONE(clGetMemObjectInfo, CL_MEM_TYPE, cl_mem_object_type)
    ONE(clGetMemObjectInfo, CL_MEM_FLAGS, cl_mem_flags)
    ONE(clGetMemObjectInfo, CL_MEM_SIZE, size_t)
    ONE(clGetMemObjectInfo, CL_MEM_HOST_PTR, void *)
    ONE(clGetMemObjectInfo, CL_MEM_MAP_COUNT, cl_uint)
    ONE(clGetMemObjectInfo, CL_MEM_REFERENCE_COUNT, cl_uint)
    ONE(clGetMemObjectInfo, CL_MEM_CONTEXT, cl_context)
    ONE(clGetMemObjectInfo, CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem)
    ONE(clGetMemObjectInfo, CL_MEM_OFFSET, size_t)
    ONE(clGetMemObjectInfo, CL_MEM_USES_SVM_POINTER, cl_bool)
    MANY(clGetMemObjectInfo, CL_MEM_PROPERTIES, cl_mem_properties)
    ONE(clGetSamplerInfo, CL_SAMPLER_REFERENCE_COUNT, cl_uint)
    ONE(clGetSamplerInfo, CL_SAMPLER_CONTEXT, cl_context)
    MANY(clGetSamplerInfo, CL_SAMPLER_PROPERTIES, cl_sampler_properties)
    ONE(clGetProgramInfo, CL_PROGRAM_REFERENCE_COUNT, cl_uint)
    ONE(clGetProgramInfo, CL_PROGRAM_CONTEXT, cl_context)
    ONE(clGetProgramInfo, CL_PROGRAM_NUM_DEVICES, cl_uint)
    MANY(clGetProgramInfo, CL_PROGRAM_DEVICES, cl_device_id)
    TEXT(clGetProgramInfo, CL_PROGRAM_SOURCE)
    MANY(clGetProgramInfo, CL_PROGRAM_IL, char)
    MANY(clGetProgramInfo, CL_PROGRAM_BINARY_SIZES, size_t)
    ONE(clGetProgramInfo, CL_PROGRAM_NUM_KERNELS, size_t)
    TEXT(clGetProgramInfo, CL_PROGRAM_KERNEL_NAMES)
    ONE(clGetProgramInfo, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl_bool)
    ONE(clGetProgramInfo, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cl_bool)
    ONE(clGetProgramBuildInfo, CL_PROGRAM_BUILD_STATUS, cl_build_status)
    TEXT(clGetProgramBuildInfo, CL_PROGRAM_BUILD_OPTIONS)
    TEXT(clGetProgramBuildInfo, CL_PROGRAM_BUILD_LOG)
    ONE(clGetProgramBuildInfo, CL_PROGRAM_BINARY_TYPE, cl_program_binary_type)
    ONE(clGetProgramBuildInfo, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, size_t)
    TEXT(clGetKernelInfo, CL_KERNEL_FUNCTION_NAME)
    ONE(clGetKernelInfo, CL_KERNEL_NUM_ARGS, cl_uint)
    ONE(clGetKernelInfo, CL_KERNEL_REFERENCE_COUNT, cl_uint)
    ONE(clGetKernelInfo, CL_KERNEL_CONTEXT, cl_context)
    ONE(clGetKernelInfo, CL_KERNEL_PROGRAM, cl_program)
    TEXT(clGetKernelInfo, CL_KERNEL_ATTRIBUTES)
    ONE(clGetKernelWorkGroupInfo, CL_KERNEL_WORK_GROUP_SIZE, size_t)
    ONE(clGetKernelWorkGroupInfo, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, size_t[3])
    ONE(clGetKernelWorkGroupInfo, CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong)
    ONE(clGetKernelWorkGroupInfo, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t)
    ONE(clGetKernelWorkGroupInfo, CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong)
    ONE(clGetKernelSubGroupInfo, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, size_t)
    ONE(clGetKernelSubGroupInfo, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, size_t)
    MANY(clGetKernelSubGroupInfo, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, size_t)
    ONE(clGetKernelSubGroupInfo, CL_KERNEL_MAX_NUM_SUB_GROUPS, size_t)
    ONE(clGetKernelSubGroupInfo, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, size_t)
    ONE(clGetKernelArgInfo, CL_KERNEL_ARG_ADDRESS_QUALIFIER, cl_kernel_arg_address_qualifier)
    ONE(clGetKernelArgInfo, CL_KERNEL_ARG_ACCESS_QUALIFIER, cl_kernel_arg_access_qualifier)
    TEXT(clGetKernelArgInfo, CL_KERNEL_ARG_TYPE_NAME)
    ONE(clGetKernelArgInfo, CL_KERNEL_ARG_TYPE_QUALIFIER, cl_kernel_arg_type_qualifier)
    TEXT(clGetKernelArgInfo, CL_KERNEL_ARG_NAME)
    ONE(clGetEventInfo, CL_EVENT_COMMAND_QUEUE, cl_command_queue)
    ONE(clGetEventInfo, CL_EVENT_CONTEXT, cl_context)
    ONE(clGetEventInfo, CL_EVENT_COMMAND_TYPE, cl_command_type)
    ONE(clGetEventInfo, CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int)
    ONE(clGetEventInfo, CL_EVENT_REFERENCE_COUNT, cl_uint)
    ONE(clGetEventProfilingInfo, CL_PROFILING_COMMAND_QUEUED, cl_ulong)
    ONE(clGetEventProfilingInfo, CL_PROFILING_COMMAND_SUBMIT, cl_ulong)
    ONE(clGetEventProfilingInfo, CL_PROFILING_COMMAND_START, cl_ulong)
    ONE(clGetEventProfilingInfo, CL_PROFILING_COMMAND_END, cl_ulong)
    ONE(clGetEventProfilingInfo, CL_PROFILING_COMMAND_COMPLETE, cl_ulong)
#undef ONE
#undef MANY
#undef TEXT
};
/* clang-format on */
enum { QUERY_COUNT = sizeof queries / sizeof *queries };

static bool is(const struct query *query, const char *call)
{
    return strcmp(query->call, call) == 0;
}

/* The inputs of the queries of sub-groups. */
static cl_int query_sub_groups(cl_uint name, size_t size, void *value, size_t *size_ret)
{
    const size_t range = 64, count = 1;
    const bool counts = name == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
    return clGetKernelSubGroupInfo(kernel, device, name, sizeof range, counts ? &count : &range, size, value,
                                   size_ret);
}

/* A queue on the device alone has a size. */
static cl_command_queue queue_for(cl_uint name)
{
    return name == CL_QUEUE_SIZE ? on_device : queue;
}

static cl_int run_query(const struct query *query, size_t size, void *value, size_t *size_ret)
{
    const cl_uint name = query->number;
    const size_t range = 64;
    if (is(query, "clGetPlatformInfo"))
        return clGetPlatformInfo(platform, name, size, value, size_ret);
    if (is(query, "clGetDeviceInfo"))
        return clGetDeviceInfo(device, name, size, value, size_ret);
    if (is(query, "clGetContextInfo"))
        return clGetContextInfo(context, name, size, value, size_ret);
    if (is(query, "clGetCommandQueueInfo"))
        return clGetCommandQueueInfo(queue_for(name), name, size, value, size_ret);
    if (is(query, "clGetImageInfo"))
        return clGetImageInfo(image, name, size, value, size_ret);
    if (is(query, "clGetPipeInfo"))
        return clGetPipeInfo(pipe_object, name, size, value, size_ret);
    if (is(query, "clGetMemObjectInfo"))
        return clGetMemObjectInfo(buffer, name, size, value, size_ret);
    if (is(query, "clGetSamplerInfo"))
        return clGetSamplerInfo(sampler, name, size, value, size_ret);
    if (is(query, "clGetProgramInfo"))
        return clGetProgramInfo(program, name, size, value, size_ret);
    if (is(query, "clGetProgramBuildInfo"))
        return clGetProgramBuildInfo(program, device, name, size, value, size_ret);
    if (is(query, "clGetKernelInfo"))
        return clGetKernelInfo(kernel, name, size, value, size_ret);
    if (is(query, "clGetKernelWorkGroupInfo"))
        return clGetKernelWorkGroupInfo(kernel, device, name, size, value, size_ret);
    if (is(query, "clGetKernelSubGroupInfo"))
        return query_sub_groups(name, size, value, size_ret);
    if (is(query, "clGetKernelSubGroupInfoKHR"))
        return NAMED(clGetKernelSubGroupInfoKHR)(kernel, device, name, sizeof range, &range, size, value,
                                                 size_ret);
    if (is(query, "clGetSemaphoreInfoKHR"))
        return NAMED(clGetSemaphoreInfoKHR)(semaphore, name, size, value, size_ret);
    if (is(query, "clGetCommandBufferInfoKHR"))
        return NAMED(clGetCommandBufferInfoKHR)(recorder, name, size, value, size_ret);
    if (is(query, "clGetMemAllocInfoINTEL"))
        return NAMED(clGetMemAllocInfoINTEL)(context, host, name, size, value, size_ret);
    if (is(query, "clGetKernelArgInfo"))
        return clGetKernelArgInfo(kernel, 0, name, size, value, size_ret);
    if (is(query, "clGetEventInfo"))
        return clGetEventInfo(done, name, size, value, size_ret);
    if (is(query, "clGetEventProfilingInfo"))
        return clGetEventProfilingInfo(done, name, size, value, size_ret);
    ck_abort_msg("%s: no such call", query->call);
    return CL_INVALID_OPERATION;
}

static void set_up(void)
{
    static const char *source = "kernel void k(global int *p) { *p = 1; }";
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const cl_semaphore_properties_khr binary[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                        CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int err;
    refusal_set_up();
    image = clCreateImage(context, 0, &rgba, &flat, NULL, &err);
    cl_ok(err);
    pipe_object = clCreatePipe(context, 0, 4, 4, NULL, &err);
    cl_ok(err);
    sampler = clCreateSamplerWithProperties(context, NULL, &err);
    cl_ok(err);
    program = cl_program_of(context, source, "-cl-kernel-arg-info");
    kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    on_device = clCreateCommandQueueWithProperties(context, device, list, &err);
    cl_ok(err);
    semaphore = NAMED(clCreateSemaphoreWithPropertiesKHR)(context, binary, &err);
    cl_ok(err);
    recorder = recorder_new(queue, NULL);
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &done));
    cl_ok(clWaitForEvents(1, &done));
}

static void tear_down(void)
{
    cl_ok(clReleaseEvent(done));
    cl_ok(NAMED(clReleaseSemaphoreKHR)(semaphore));
    recorder_free(recorder);
    cl_ok(clReleaseCommandQueue(on_device));
    cl_ok(clReleaseKernel(kernel));
    cl_ok(clReleaseProgram(program));
    cl_ok(clReleaseSampler(sampler));
    cl_ok(clReleaseMemObject(pipe_object));
    cl_ok(clReleaseMemObject(image));
    refusal_tear_down();
}

static void check_size(const struct query *query, size_t size)
{
    if (query->shape == ONE_VALUE)
        ck_assert_msg(size == query->size, "%s, %s: %zu bytes, not %zu", query->call, query->name, size,
                      query->size);
    else
        ck_assert_msg(size % query->size == 0, "%s, %s: %zu bytes, of %zu each", query->call, query->name,
                      size, query->size);
}

/* The room: exactly so many bytes are written. */
static void check_answer(const struct query *query, size_t size)
{
    size_t reported = 0;
    char *room = malloc(size + 16);
    ck_assert_ptr_nonnull(room);
    memset(room, 0x55, size + 16);
    cl_int err = run_query(query, size, room, &reported);
    ck_assert_msg(err == CL_SUCCESS && reported == size, "%s, %s: %d, %zu bytes", query->call, query->name,
                  err, reported);
    ck_assert_msg(room[size] == 0x55, "%s, %s: wrote too much", query->call, query->name);
    if (query->shape == TEXT_VALUE)
        ck_assert_msg(size && !room[size - 1] && strlen(room) == size - 1, "%s, %s: no text", query->call,
                      query->name);
    /* The buffer size gives the number of dimensions: there are no four. */
    const size_t more = query->number == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT ? 0 : 8;
    err = run_query(query, size + more, room, NULL);
    ck_assert_msg(err == CL_SUCCESS, "%s, %s: %d when there is more room", query->call, query->name, err);
    err = size ? run_query(query, size - 1, room, NULL) : CL_INVALID_VALUE;
    ck_assert_msg(err == CL_INVALID_VALUE, "%s, %s: %d when there is less room", query->call, query->name,
                  err);
    free(room);
}

START_TEST(every_query_has_its_type)
{
    const struct query *query = &queries[_i];
    size_t size = 12345;
    cl_int err = run_query(query, 0, NULL, &size);
    ck_assert_msg(err == CL_SUCCESS, "%s, %s: %d", query->call, query->name, err);
    check_size(query, size);
    check_answer(query, size);
}
END_TEST

START_TEST(binaries_are_written_to_the_given_pointers)
{
    size_t bytes, size;
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, 0, NULL, &size));
    ck_assert_uint_eq(size, sizeof binary);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    cl_is(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary - 1, &binary, NULL), CL_INVALID_VALUE);
    free(binary);
}
END_TEST

/* For kernels of custom devices and built-in ones. */
START_TEST(a_kernel_from_source_has_no_global_size)
{
    size_t sizes[3];
    REFUSES(clGetKernelWorkGroupInfo, CL_INVALID_VALUE, kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE,
            sizeof sizes, sizes, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queries");
    TCase *tcase = tcase_create("queries");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, every_query_has_its_type, 0, QUERY_COUNT);
    tcase_add_test(tcase, binaries_are_written_to_the_given_pointers);
    tcase_add_test(tcase, a_kernel_from_source_has_no_global_size);
    suite_add_tcase(suite, tcase);
    return cl_run_suite(suite);
}
