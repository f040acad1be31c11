/* SPDX-License-Identifier: Apache-2.0 */
/* cl_orrery_counters: the counters of each command of a program. */
#include "tests/support/cl_fixture.h"

#include "CL/cl_orrery_counters.h"

static const char *const source = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }";

static bool has_extension(void)
{
    char text[8192];
    cl_ok(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    return strstr(text, CL_ORRERY_COUNTERS_EXTENSION_NAME) != NULL;
}

static void start(const char *counters)
{
    setenv("ORRERY_TOPOLOGY", "numa:2 l1:1(size=4KiB) cu:1", 1);
    setenv("ORRERY_COUNTERS", counters, 1);
    setenv("ORRERY_LOG", "/dev/null", 1);
    cl_set_up();
}

static cl_event_counters_orrery counters_of(cl_event event)
{
    cl_event_counters_orrery counters = {0};
    size_t size = 0;
    cl_ok(clGetEventInfo(event, CL_EVENT_COUNTERS_ORRERY, sizeof counters, &counters, &size));
    ck_assert_uint_eq(size, sizeof counters);
    cl_ok(clReleaseEvent(event));
    return counters;
}

START_TEST(each_command_has_its_own)
{
    const cl_device_partition_property numa[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                 CL_DEVICE_AFFINITY_DOMAIN_NUMA, 0};
    cl_device_id nodes[2];
    cl_command_queue on[2];
    cl_event event;
    cl_int err, host[256] = {0};
    const size_t items = 256, group = 64;
    start("on");
    ck_assert(has_extension());
    cl_ok(clCreateSubDevices(device, numa, 2, nodes, NULL));
    cl_kernel kernel = cl_kernel_of(context, source, "");
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, sizeof host, NULL);
    cl_ok(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int i = 0; i < 2; i++) {
        on[i] = clCreateCommandQueueWithProperties(context, nodes[i], NULL, &err);
        cl_ok(err);
    }
    cl_ok(clEnqueueWriteBuffer(on[0], buffer, CL_TRUE, 0, sizeof host, host, 0, NULL, &event));
    cl_event_counters_orrery write = counters_of(event);
    ck_assert(write.bytes == 1024 && write.accesses == 16 && write.writes == 16 && write.misses == 16 &&
              !write.hits);
    cl_ok(clEnqueueNDRangeKernel(on[1], kernel, 1, NULL, &items, &group, 0, NULL, &event));
    cl_ok(clFinish(on[1]));
    cl_event_counters_orrery near = counters_of(event);
    ck_assert(near.accesses == 512 && near.writes == 256 && near.bytes == 2048 && near.misses == 16 &&
              near.hits == 496);
    ck_assert(near.remote_bytes == 0 && near.memory_accesses == 16);
    cl_ok(clEnqueueNDRangeKernel(on[0], kernel, 1, NULL, &items, &group, 0, NULL, &event));
    cl_ok(clFinish(on[0]));
    cl_event_counters_orrery far = counters_of(event);
    ck_assert(far.accesses == 512 && far.misses == 16 && far.invalidations == 16 && far.write_backs == 16);
    ck_assert_uint_eq(far.remote_bytes, 2 * 1024); /* node 1 hands its lines out, node 0 fetches them */
    cl_ok(clEnqueueReadBuffer(on[0], buffer, CL_TRUE, 0, sizeof host, host, 0, NULL, &event));
    cl_event_counters_orrery read = counters_of(event);
    ck_assert(read.bytes == 1024 && read.writes == 0 && read.write_backs == 16 && read.memory_accesses == 32);
    ck_assert_int_eq(host[255], 2);
    cl_ok(clEnqueueMarkerWithWaitList(on[0], 0, NULL, &event));
    cl_ok(clFinish(on[0]));
    cl_event_counters_orrery marker = counters_of(event);
    ck_assert(marker.accesses == 0 && marker.memory_accesses == 0);
    for (int i = 0; i < 2; i++) {
        cl_ok(clReleaseCommandQueue(on[i]));
        cl_ok(clReleaseDevice(nodes[i]));
    }
    cl_ok(clReleaseMemObject(buffer));
    cl_ok(clReleaseKernel(kernel));
    cl_tear_down();
}
END_TEST

START_TEST(refusals)
{
    cl_event_counters_orrery counters;
    cl_event event;
    cl_int err, word = 0;
    size_t size = 0;
    start("on");
    cl_mem buffer = cl_buffer(context, CL_MEM_READ_WRITE, 64, NULL);
    cl_event user = clCreateUserEvent(context, &err);
    cl_ok(err);
    cl_is(clGetEventInfo(user, CL_EVENT_COUNTERS_ORRERY, sizeof counters, &counters, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_ok(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4, &word, 1, &user, &event));
    cl_ok(clFlush(queue));
    cl_is(clGetEventInfo(event, CL_EVENT_COUNTERS_ORRERY, sizeof counters, &counters, NULL),
          CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_ok(clSetUserEventStatus(user, CL_COMPLETE));
    cl_ok(clFinish(queue));
    cl_is(clGetEventInfo(event, CL_EVENT_COUNTERS_ORRERY, sizeof counters - 1, &counters, NULL),
          CL_INVALID_VALUE);
    cl_ok(clGetEventInfo(event, CL_EVENT_COUNTERS_ORRERY, 0, NULL, &size));
    ck_assert_uint_eq(size, sizeof counters);
    cl_ok(clReleaseEvent(event));
    cl_ok(clReleaseEvent(user));
    cl_ok(clReleaseMemObject(buffer));
    cl_tear_down();
}
END_TEST

START_TEST(without_counters_there_is_no_such_query)
{
    cl_event_counters_orrery counters;
    cl_event event;
    start("off");
    ck_assert(!has_extension());
    cl_ok(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    cl_ok(clFinish(queue));
    cl_is(clGetEventInfo(event, CL_EVENT_COUNTERS_ORRERY, sizeof counters, &counters, NULL),
          CL_INVALID_VALUE);
    cl_ok(clReleaseEvent(event));
    cl_tear_down();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("event_counters");
    TCase *tests = tcase_create("queries");
    tcase_add_test(tests, each_command_has_its_own);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, without_counters_there_is_no_such_query);
    suite_add_tcase(suite, tests);
    return cl_run_suite(suite);
}
