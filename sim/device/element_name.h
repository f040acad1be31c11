/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Names of parts of objects: members, components, elements of arrays in arrays, from the debug
 *          records of the program.
 *
 * Interface
 *   element_declared    the private variable of that number; NULL: it is not known
 *   element_path        adds ".from.x" to a name, of `bytes` bytes at an offset in a type; false: they are
 *                       no one thing that has a name
 *   element_of_region   "c[3].w[1]", of an argument or variable; false: its elements are numbers, or it is
 *                       not known
 *   element_beyond      "w[4][0]" of a private variable, `away` bytes from its start; element_beyond_argument
 *                       and element_beyond_variable likewise of an argument, and of a local or program-scope
 *                       variable; out_type: of the elements
 *   element_numbers     the elements of a local or program-scope variable that is an array of numbers
 */
#ifndef ORRERY_SIM_DEVICE_ELEMENT_NAME_H
#define ORRERY_SIM_DEVICE_ELEMENT_NAME_H

#include "launch.h"
#include "sim/base/sentence.h"

const struct code_variable *element_declared(const struct launch *launch, const struct code *code,
                                             uint32_t number);
bool element_path(const struct debug_type *type, uint64_t offset, uint64_t bytes, struct sentence *name);
bool element_of_region(const struct launch *launch, uint64_t address, uint64_t bytes,
                       struct sentence *out_name);
bool element_beyond(const struct code_variable *declared, int64_t away, uint64_t bytes,
                    struct sentence *out_name, const struct debug_type **out_type);
bool element_beyond_argument(const struct launch *launch, uint32_t argument, int64_t away, uint64_t bytes,
                             struct sentence *out_name, const struct debug_type **out_type);
bool element_beyond_variable(const struct launch *launch, const struct region *region, int64_t away,
                             uint64_t bytes, struct sentence *out_name, const struct debug_type **out_type);
struct elements element_numbers(const struct launch *launch, const struct region *region);

#endif
