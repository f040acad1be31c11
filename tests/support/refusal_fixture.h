/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  For tests that go through the errors of calls, row by row of lib/api_rows.def.
 *
 * Interface
 *   REFUSES(call, error, arguments...)        a call that returns an error
 *   REFUSES_OBJECT(call, error, arguments...) one that returns an object, with errcode_ret after its
 *   arguments
 *   REFUSES_NAMED, REFUSES_NAMED_OBJECT       the same of functions of extensions
 *   refusal_set_up       objects of every kind, of `context` and of `other_context`
 *   refusal_set_up_with  the same on a device of another scenario
 *   refusal_pair         the same on one of two devices, with a context of both and a queue of each;
 *                        refusal_unpair ends it
 *   refusal_image, refusal_flat   an image; one of 4 times 4 texels
 *   refusal_case         a test with a fixture of its own
 *
 * Each error has to come as a finding, too. Wait lists, with no event after them: NONE, and
 * those that are refused.
 */
#ifndef ORRERY_TESTS_SUPPORT_REFUSAL_FIXTURE_H
#define ORRERY_TESTS_SUPPORT_REFUSAL_FIXTURE_H
#include <stdio.h>

#include "finding_fixture.h"

static cl_mem buffer, other_buffer;
static cl_event user, other_user, failed;
static cl_event not_an_event;
__attribute__((unused)) static char host[4096];

#define NONE 0, NULL, NULL
#define COUNT_WITHOUT_LIST 1, NULL, NULL
#define LIST_WITHOUT_COUNT 0, &user, NULL
#define NO_EVENT 1, &not_an_event, NULL
#define OTHER_EVENT 1, &other_user, NULL
#define FAILED 1, &failed, NULL

/* The call was refused so, and that is a finding. */
#define refused(call, got, wanted, name) refused_at(__FILE__, __LINE__, call, got, wanted, name)
static inline void refused_at(const char *file, int line, const char *call, cl_int got, cl_int wanted,
                              const char *name)
{
    char what[200];
    if (got != wanted)
        fail_at(file, line, "%s returned %d, not %s", call, got, name);
    const struct orrery_finding finding = finding_last_at(file, line, "api-error");
    snprintf(what, sizeof what, "%s returned %s", call, name);
    if (strcmp(finding.access[0].what, what) != 0)
        fail_at(file, line, "found '%s', not '%s'", finding.access[0].what, what);
}

#define REFUSES(call, error, ...) refused(#call, call(__VA_ARGS__), error, #error)
#define REFUSES_OBJECT_BY(call, function, error, name, ...) \
    do {                                                    \
        cl_int err_ = 1;                                    \
        const void *made_ = function(__VA_ARGS__, &err_);   \
        refused(call, err_, error, name);                   \
        ck_assert_ptr_null(made_);                          \
    } while (0)
#define REFUSES_OBJECT(call, error, ...) REFUSES_OBJECT_BY(#call, call, error, #error, __VA_ARGS__)
#define REFUSES_NAMED(call, error, ...) refused(#call, NAMED(call)(__VA_ARGS__), error, #error)
#define REFUSES_NAMED_OBJECT(call, error, ...) \
    REFUSES_OBJECT_BY(#call, NAMED(call), error, #error, __VA_ARGS__)

static inline void refusal_objects(void)
{
    not_an_event = (cl_event)queue;
    buffer = cl_buffer(context, 0, 1024, NULL);
    other_buffer = cl_buffer(other_context, 0, 1024, NULL);
    user = cl_user_event(context);
    other_user = cl_user_event(other_context);
    failed = cl_user_event(context);
    cl_ok(clSetUserEventStatus(failed, -5));
}

static inline void refusal_set_up(void)
{
    finding_set_up();
    refusal_objects();
}

static inline void refusal_set_up_with(const char *scenario)
{
    setenv("ORRERY_CHECK_API", "warning", 1);
    cl_set_up_with(scenario);
    finding_functions();
    refusal_objects();
}

static inline void refusal_tear_down(void)
{
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseMemObject(other_buffer));
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseEvent(other_user));
    cl_ok(clReleaseEvent(failed));
    cl_tear_down();
}

static struct {
    cl_device_id device[2];
    cl_context context;
    cl_command_queue queue[2];
} pair __attribute__((unused));

static inline void refusal_pair(const char *scenario)
{
    cl_int err;
    refusal_set_up_with(scenario);
    cl_ok(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, pair.device, NULL));
    pair.context = clCreateContext(NULL, 2, pair.device, NULL, NULL, &err);
    cl_ok(err);
    for (int i = 0; i < 2; i++) {
        pair.queue[i] = clCreateCommandQueueWithProperties(pair.context, pair.device[i], NULL, &err);
        cl_ok(err);
    }
}

static inline void refusal_unpair(void)
{
    cl_ok(clReleaseCommandQueue(pair.queue[0]));
    cl_ok(clReleaseCommandQueue(pair.queue[1]));
    cl_ok(clReleaseContext(pair.context));
    refusal_tear_down();
}

static inline cl_mem refusal_image(cl_context owner, cl_mem_flags flags, const cl_image_format *format,
                                   const cl_image_desc *desc)
{
    cl_int err;
    cl_mem made = clCreateImage(owner, flags, format, desc, NULL, &err);
    cl_ok(err);
    return made;
}

static inline cl_mem refusal_flat(cl_context owner, cl_mem_flags flags)
{
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    return refusal_image(owner, flags, &rgba, &desc);
}

static inline void refusal_case(Suite *suite, const char *name, void (*begin)(void), void (*end)(void),
                                const TTest *test)
{
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, test);
    suite_add_tcase(suite, tcase);
}

/* kernel void k(global uint *p) { *p = 5; } of two sub-groups, and with at most 64 bytes after p */
/* clang-format off */
__attribute__((unused)) static const uint32_t restricted[] = {
    0x07230203, 0x00010100, 0, 9, 0,
    0x00020011, 4,                         /* OpCapability Addresses */
    0x00020011, 6,                         /* OpCapability Kernel */
    0x00020011, 58,                        /* OpCapability SubgroupDispatch */
    0x0003000e, 2, 2,                      /* OpMemoryModel Physical64 OpenCL */
    0x0004000f, 6, 5, 0x0000006b,          /* OpEntryPoint Kernel %5 "k" */
    0x00040010, 5, 36, 2,                  /* OpExecutionMode %5 SubgroupsPerWorkgroup 2 */
    0x00040047, 8, 45, 64,                 /* OpDecorate %8 MaxByteOffset 64 */
    0x00040015, 2, 32, 0,                  /* %2 = OpTypeInt 32 0 */
    0x00020013, 3,                         /* %3 = OpTypeVoid */
    0x00040020, 7, 5, 2,                   /* %7 = OpTypePointer CrossWorkgroup %2 */
    0x00040021, 4, 3, 7,                   /* %4 = OpTypeFunction %3 %7 */
    0x0004002b, 2, 1, 5,                   /* %1 = OpConstant %2 5 */
    0x00050036, 3, 5, 0, 4,                /* %5 = OpFunction */
    0x00030037, 7, 8,                      /* %8 = OpFunctionParameter */
    0x000200f8, 6,                         /* OpLabel */
    0x0005003e, 8, 1, 2, 4,                /* OpStore %8 %1 Aligned 4 */
    0x000100fd, 0x00010038,                /* OpReturn, OpFunctionEnd */
};
/* clang-format on */

static inline cl_kernel restricted_kernel(void)
{
    cl_int err;
    cl_program program = clCreateProgramWithIL(context, restricted, sizeof restricted, &err);
    cl_ok(err);
    cl_ok(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_ok(err);
    cl_ok(clReleaseProgram(program));
    return kernel;
}

#endif
