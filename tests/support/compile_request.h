/* SPDX-License-Identifier: Apache-2.0 */
/* Builds of OpenCL C for a device that has every feature. */
#ifndef ORRERY_TESTS_SUPPORT_COMPILE_REQUEST_H
#define ORRERY_TESTS_SUPPORT_COMPILE_REQUEST_H

#include <stdio.h>

#include "orrery/compiler.h"

static inline struct compile_request request_for(const char *source, const char *options)
{
    return (struct compile_request){
        .source = source,
        .source_name = "program.cl",
        .options = options,
        .version_major = 3,
        .version_minor = 0,
        .opencl_c_20 = true,
        .fp16 = true,
        .fp64 = true,
        .int64_atomics = true,
        .sub_groups = true,
        .generic_address_space = true,
        .program_scope_variables = true,
        .work_group_collectives = true,
        .images = true,
        .pipes = true,
        .device_enqueue = true,
        .kernel_clock = true,
        .named_barriers = true,
        .srgb_writes = true,
    };
}

enum { BOMB_LEVELS = 24 };

/* A text that clang never finishes: macros of which each level has four of the one before it. */
static inline void macro_bomb(char *source, size_t room)
{
    int length = snprintf(source, room, "#define A0 a[0]++;\n");
    for (int i = 1; i <= BOMB_LEVELS; i++)
        length += snprintf(source + length, room - (size_t)length, "#define A%d A%d A%d A%d A%d\n", i, i - 1,
                           i - 1, i - 1, i - 1);
    snprintf(source + length, room - (size_t)length, "kernel void k(global int *a) { A%d }\n", BOMB_LEVELS);
}

#endif
