/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A kernel's bytecode as text, each instruction with the SPIR-V instruction that it carries out.
 *
 * Interface
 *   disassembly_list   count instructions from begin, those that exist, as a new array of objects: "index",
 *                      "text" (bytecode), "spirv" and "word" (where the SPIR-V instruction begins in the
 *                      module) if it carries one out, "line" and "file" if known, "here": its index is here
 */
#ifndef ORRERY_DEBUG_DISASSEMBLY_H
#define ORRERY_DEBUG_DISASSEMBLY_H

#include "debugger.h"

json_t *disassembly_list(const struct code *code, const struct program *program, int64_t begin, int64_t count,
                         int64_t here);

#endif
