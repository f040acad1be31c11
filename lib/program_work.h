/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  One build of a program: what clBuildProgram, clCompileProgram and clLinkProgram have in common.
 *
 * Interface
 *   program_work_check           keeps the devices in the work: CL_INVALID_VALUE, CL_INVALID_DEVICE
 *   program_work_parse_options   errors in the options of an existing program are reported in its log, by
 *                                program_work_run
 *   program_work_run             builds for all devices, and notifies
 *   program_work_copy_words      a copy of a module
 *
 * The caller owns what the work points to until program_work_run returns.
 */
#ifndef ORRERY_LIB_PROGRAM_WORK_H
#define ORRERY_LIB_PROGRAM_WORK_H

#include "api_program.h"

typedef void CL_CALLBACK notify_function(cl_program program, void *data);
enum build_kind { BUILD, COMPILE, LINK };

/* The inputs of a link. */
struct link_inputs {
    struct spirv *modules;
    struct program_object **programs;
    size_t count;
    struct cl_device **devices; /* to link for; owned array of borrowed devices */
    cl_uint device_count;
    bool kernel_arg_info, uniform_groups, debug;
};

struct build_work {
    enum build_kind kind;
    struct program_object *program;
    cl_uint device_count; /* devices that the call names; 0: all of the program */
    struct cl_device **devices;
    struct program_build *build; /* the result */
    const char *options;         /* as the caller gave them; never NULL */
    struct build_options parsed;
    const struct compile_header *headers;
    size_t header_count;
    struct link_inputs *inputs;                        /* LINK */
    const struct program_binary *binary;               /* of the present devices, or NULL */
    bool keeps_options, wants_arg_info;                /* the binary's options count; the caller's */
    bool uniform_groups, debug;                        /* as its inputs were built */
    char refused[sizeof((struct diagnosis *)0)->text]; /* why the options are invalid; "": they are valid */
    /* results, which are moved into build */
    struct spirv spirv;
    struct program *executable;
    cl_program_binary_type type;
    char *log;
};

cl_int program_work_check(struct build_work *work, cl_uint num_devices, const cl_device_id *device_list,
                          notify_function *notify, const void *data);
cl_int program_work_parse_options(struct build_work *work, struct context *context);
cl_int program_work_run(struct build_work *work, notify_function *notify, void *data);
enum status program_work_copy_words(const struct spirv *from, struct spirv *out_spirv);

#endif
