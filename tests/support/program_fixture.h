/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of programs share: programs of texts and binaries, and what is asked of them. */
#ifndef ORRERY_TESTS_SUPPORT_PROGRAM_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_PROGRAM_FIXTURE_H

#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "cl_fixture.h"

static inline cl_program from_source(const char *source)
{
    cl_int err = 1;
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &err);
    cl_ok(err);
    return made;
}

static inline cl_program built(const char *source, const char *options)
{
    cl_program made = from_source(source);
    cl_ok(clBuildProgram(made, 0, NULL, options, NULL, NULL));
    return made;
}

static inline uint64_t build_info(cl_program program, cl_program_build_info name, size_t size)
{
    uint64_t value = 0;
    size_t written = 0;
    cl_ok(clGetProgramBuildInfo(program, device, name, size, &value, &written));
    ck_assert_uint_eq(written, size);
    return value;
}

static inline const char *build_text(cl_program program, cl_program_build_info name)
{
    static char value[1 << 16];
    size_t size = 0;
    cl_ok(clGetProgramBuildInfo(program, device, name, sizeof value, value, &size));
    ck_assert_uint_eq(size, strlen(value) + 1);
    return value;
}

static inline cl_build_status status_of(cl_program program)
{
    return (cl_build_status)build_info(program, CL_PROGRAM_BUILD_STATUS, sizeof(cl_build_status));
}

static inline cl_program_binary_type type_of(cl_program program)
{
    return (cl_program_binary_type)build_info(program, CL_PROGRAM_BINARY_TYPE,
                                              sizeof(cl_program_binary_type));
}

static inline const char *program_text(cl_program program, cl_program_info name)
{
    static char value[1 << 16];
    size_t size = 0;
    cl_ok(clGetProgramInfo(program, name, sizeof value, value, &size));
    ck_assert_uint_eq(size, strlen(value) + 1);
    return value;
}

struct blob {
    unsigned char *bytes;
    size_t size;
};

static inline struct blob binary_of(cl_program program)
{
    struct blob blob = {0};
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof blob.size, &blob.size, NULL));
    ck_assert_uint_gt(blob.size, 0);
    blob.bytes = malloc(blob.size);
    cl_ok(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof blob.bytes, &blob.bytes, NULL));
    return blob;
}

static inline cl_program from_binary(struct blob blob, cl_int *out_status, cl_int *out_err)
{
    const unsigned char *bytes = blob.bytes;
    return clCreateProgramWithBinary(context, 1, &device, &blob.size, &bytes, out_status, out_err);
}

/* The SPIR-V inside a binary of ours: it stands at the end. */
static inline struct blob il_of(cl_program program)
{
    struct blob blob = binary_of(program);
    const uint32_t magic = 0x07230203;
    for (size_t at = 0; at + 20 <= blob.size; at++)
        if (!memcmp(blob.bytes + at, &magic, sizeof magic)) {
            memmove(blob.bytes, blob.bytes + at, blob.size - at);
            blob.size -= at;
            return blob;
        }
    ck_abort_msg("no module in the binary");
    return blob;
}

#endif
