/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Tokens of Khronos extensions that are younger than the oldest headers the project is built with; the values
 *          are those of the registry.
 */
#ifndef ORRERY_LIB_TOKENS_H
#define ORRERY_LIB_TOKENS_H
#include "object.h"

#ifndef CL_DEVICE_SPIRV_CAPABILITIES_KHR /* cl_khr_spirv_queries */
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS_KHR 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES_KHR 0x12BB
#endif
#endif
