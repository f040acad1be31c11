/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  What kernels ask of programs, and the file form of a built program.
 *
 * Interface
 *   program_has_device          the devices of a program are those of its context
 *   program_executable          the loaded executable, or NULL; stays while a kernel is attached
 *   program_attach/detach       a kernel object comes and goes
 *   program_info_available      was it built such that clGetKernelArgInfo may answer?
 *   program_binary_write        header, build options, source, SPIR-V words; malloc'd
 *   program_binary_read         false: not ours, cut short or damaged; fills an empty program
 *
 * Binaries are little-endian and carry a checksum. They hold SPIR-V, so any later version
 * that knows the format can load them.
 */
#ifndef ORRERY_LIB_PROGRAM_H
#define ORRERY_LIB_PROGRAM_H
#include "object.h"

struct program *program_executable(struct program_object *program);
void program_attach(struct program_object *program);
void program_detach(struct program_object *program);
bool program_info_available(const struct program_object *program);

size_t program_binary_size(const struct program_object *program); /* 0: nothing was built */
void program_binary_write(const struct program_object *program, unsigned char *out);
bool program_binary_read(struct program_object *program, const unsigned char *bytes, size_t size);
#endif
