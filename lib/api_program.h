/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Programs and their builds, as kernels and the building calls use them; and the binary form of a
 *          build.
 *
 * Interface
 *   program_reserve_devices, program_add_devices, program_check_devices   the devices of a program
 *   program_latest, program_build, program_building, program_push_build
 *                               builds, with runtime_lock held; the first two are never NULL
 *   program_build_new, program_build_free   one build; program_build_free frees a whole list, no lock held
 *   program_executable          the latest executable, or NULL; valid while a kernel is attached
 *   program_named               the kernel of that name in the latest executable that has it, or NULL
 *   program_kernels             counts the kernels of all executables, each name once, and stores them if
 *                               out is not NULL; runtime_lock held
 *   program_kernel_for          the kernel of that name in the executable of a device, or NULL
 *   program_agrees_on           all executables have the same arguments for this kernel
 *   program_attach/detach       a kernel object is made; destroyed
 *   program_info_available      the program was built with kernel argument information
 *   program_source              the source text that the program, or its binary, has; or NULL
 *   program_copy_placed         a copy of the source as it was compiled, where a script holds it; or NULLs
 *   program_binary_write        header, build options, source, SPIR-V words; malloc'd
 *   program_binary_read         false: another format, cut short or damaged; program_binary_say: which of
 *                               these, as a sentence without its subject
 *   program_binary_for          the binary that was given for a device, or NULL
 *
 * Binaries are little-endian and carry a checksum. They hold SPIR-V, so any later version that reads the
 * format can load them.
 */
#ifndef ORRERY_LIB_API_PROGRAM_H
#define ORRERY_LIB_API_PROGRAM_H
#include "object.h"

/* Not published. */
struct program_object *program_new(struct context *context, enum program_origin origin, cl_uint count,
                                   struct cl_device *const *devices);
bool program_reserve_devices(struct program_object *program, cl_uint more);
void program_add_devices(struct program_object *program, cl_uint count, struct cl_device *const *devices);
cl_int program_check_devices(const struct program_object *program, cl_uint num_devices,
                             const cl_device_id *device_list);

const struct program_build *program_latest(const struct program_object *program);
const struct program_build *program_build(const struct program_object *program,
                                          const struct cl_device *device);
bool program_building(const struct program_object *program);
/* Takes the build. Builds that it replaces are added to the list *out_old. */
void program_push_build(struct program_object *program, struct program_build *build,
                        struct program_build **out_old);
struct program_build *program_build_new(cl_uint count, struct cl_device *const *devices);
void program_build_free(struct program_build *list);

struct program *program_executable(struct program_object *program);
size_t program_kernels(const struct program_object *program, const struct kernel **out_kernels);
const struct kernel *program_named(struct program_object *program, const char *name);
const struct kernel *program_kernel_for(const struct program_object *program, const struct cl_device *device,
                                        const char *name, bool *out_uniform_groups);
bool program_agrees_on(const struct program_object *program, const struct kernel *kernel);
void program_attach(struct program_object *program);
void program_detach(struct program_object *program);
bool program_info_available(const struct program_object *program);

/* 0: there is no build */
size_t program_binary_size(const struct program_object *program, const struct program_build *build);
void program_binary_write(const struct program_object *program, const struct program_build *build,
                          unsigned char *out);
const char *program_source(const struct program_object *program);
void program_copy_placed(const struct program_object *program, struct placed_source *out_placed);
bool program_binary_read(struct program_binary *binary, const unsigned char *bytes, size_t size);
void program_binary_say(const unsigned char *bytes, size_t size, char *out, size_t out_size);
void program_binary_free(struct program_binary *list);
const struct program_binary *program_binary_for(const struct program_object *program,
                                                const struct cl_device *device);
#endif
