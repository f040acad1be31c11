/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Tokens of Khronos extensions that are younger than the oldest headers the project is built with;
 *          the values are those of the registry.
 */
#ifndef ORRERY_LIB_TOKENS_H
#define ORRERY_LIB_TOKENS_H
#include "object.h"

#ifndef CL_DEVICE_SPIRV_CAPABILITIES_KHR /* cl_khr_spirv_queries */
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif

#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR /* cl_khr_semaphore; before, its name was CL_DEVICE_HANDLE_LIST_KHR */
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#endif

#ifndef CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR /* cl_khr_initialize_memory */
#define CL_CONTEXT_MEMORY_INITIALIZE_LOCAL_KHR (1 << 0)
#define CL_CONTEXT_MEMORY_INITIALIZE_PRIVATE_KHR (1 << 1)
typedef cl_bitfield cl_context_memory_initialize_khr;
#endif

#ifndef CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR /* cl_khr_terminate_context */
#define CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR (1 << 0)
typedef cl_bitfield cl_device_terminate_capability_khr;
#endif
#define CL_DEVICE_TERMINATE_CAPABILITY_KHR_1X \
    0x200F /* its number in the texts of 1.2, which clinfo queries, too */

#ifndef CL_COMMAND_BUFFER_CONTEXT_KHR /* cl_khr_command_buffer 0.9.2, 0.9.4 and, last, 0.9.6 */
#define CL_COMMAND_BUFFER_CONTEXT_KHR 0x1299
cl_int CL_API_CALL clCommandSVMMemcpyKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                                         void *dst_ptr, const void *src_ptr, size_t size,
                                         cl_uint num_sync_points_in_wait_list,
                                         const cl_sync_point_khr *sync_point_wait_list,
                                         cl_sync_point_khr *sync_point,
                                         cl_mutable_command_khr *mutable_handle);
cl_int CL_API_CALL clCommandSVMMemFillKHR(cl_command_buffer_khr command_buffer,
                                          cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                                          size_t pattern_size, size_t size,
                                          cl_uint num_sync_points_in_wait_list,
                                          const cl_sync_point_khr *sync_point_wait_list,
                                          cl_sync_point_khr *sync_point,
                                          cl_mutable_command_khr *mutable_handle);
#endif
#ifndef CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
#define CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR 0x129A
#endif

#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR /* cl_khr_kernel_clock */
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
typedef cl_bitfield cl_device_kernel_clock_capabilities_khr;
#endif

#ifndef CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL /* cl_intel_required_subgroup_size */
#define CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL 0x410A
#endif

#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT /* cl_ext_float_atomics */
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
typedef cl_bitfield cl_device_fp_atomic_capabilities_ext;
#endif
#endif
