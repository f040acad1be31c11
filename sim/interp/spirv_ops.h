/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Which SPIR-V instructions are supported and how each is lowered: the rows
 *          of spirv_ops.def as an enum and a table.
 */
#ifndef ORRERY_INTERP_SPIRV_OPS_H
#define ORRERY_INTERP_SPIRV_OPS_H

#include <stdbool.h>
#include <stdint.h>

enum lowering {
    LOWER_ABSENT, /* no row: refused by name */
    LOWER_MODULE, /* read by module.c, or without effect inside a function */
    LOWER_UNARY,
    LOWER_BINARY,
    LOWER_BINARY_SWAPPED,
    LOWER_CONVERT,
    LOWER_SAME,
    LOWER_SELECT,
    LOWER_TEST,
    LOWER_COMPOSITE,
    LOWER_MEMORY,
    LOWER_IMAGE,
    LOWER_ATOMIC,
    LOWER_GROUP,
    LOWER_SUB_GROUP,
    LOWER_PIPE,
    LOWER_ENQUEUE,
    LOWER_CONTROL,
    LOWER_CALL,
    LOWER_EXTENDED,
    LOWER_OTHER
};
struct spirv_op {
    const char *name;
    enum lowering lowering;
    uint32_t argument;
};

const struct spirv_op *spirv_op(uint32_t opcode); /* never NULL */
bool spirv_op_supported(uint32_t opcode);

#endif
