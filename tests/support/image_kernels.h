/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of images in kernels share: launches, their arguments and results, findings, and numbers that
 * look random. */
#ifndef ORRERY_TESTS_SUPPORT_IMAGE_KERNELS_H
#define ORRERY_TESTS_SUPPORT_IMAGE_KERNELS_H

#include "image_fixture.h"
#include "orrery/orrery.h"

static inline void run(cl_kernel kernel, cl_uint dimensions, size_t x, size_t y, size_t z)
{
    const size_t global[3] = {x, y, z};
    cl_ok(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, NULL, 0, NULL, NULL));
}

static inline void set_arg(cl_kernel kernel, cl_uint index, cl_mem object)
{
    cl_ok(clSetKernelArg(kernel, index, sizeof object, &object));
}

static inline void read_buffer(cl_mem buffer, void *to, size_t size)
{
    cl_ok(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

static uint32_t state = 1;

static inline uint32_t next_number(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8 ^ state << 20;
}

static inline void *extension(const char *name)
{
    void *function = clGetExtensionFunctionAddressForPlatform(platform, name);
    ck_assert_ptr_nonnull(function);
    return function;
}

/* The last launch has exactly this finding, with these words in its reason. */
static inline void expect_finding(const char *id, const char *why)
{
    orrery_finding_count_fn *count = (orrery_finding_count_fn *)extension("orrery_finding_count");
    orrery_finding_get_fn *get = (orrery_finding_get_fn *)extension("orrery_finding_get");
    orrery_clear_findings_fn *clear = (orrery_clear_findings_fn *)extension("orrery_clear_findings");
    struct orrery_finding finding;
    cl_ok(clFinish(queue));
    ck_assert_uint_eq(count(), id != NULL);
    if (!id)
        return;
    ck_assert_int_eq(get(0, &finding), ORRERY_OK);
    ck_assert_str_eq(finding.id, id);
    ck_assert_msg(strstr(finding.why, why) != NULL, "%s", finding.why);
    if (!strcmp(id, "race-image"))
        ck_assert_str_eq(finding.object, "argument 0 'image' (image2d_t, 4 x 1)");
    clear();
}

#endif
