// SPDX-License-Identifier: Apache-2.0
// A kernel with a race in a raw string, launched through functions of opencl.hpp, and of a library without debug information.
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>

extern "C" int binding_run(cl_command_queue queue, cl_kernel kernel, size_t size);

static const char *kernels = R"CLC(
kernel void sum(global int *out, local int *part)
{
    int l = get_local_id(0);
    part[l] = l;
    if (l == 0)
        *out = part[63];
}
)CLC";

int main()
{
    cl::Context context(CL_DEVICE_TYPE_ALL);
    cl::CommandQueue queue(context);
    cl::Buffer out(context, CL_MEM_WRITE_ONLY, 4);
    cl::Program program(context, kernels, true); // line: program
    cl::Kernel kernel(program, "sum");
    kernel.setArg(0, out);
    kernel.setArg(1, cl::Local(256));
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, 64, 64); // line: launch
    queue.finish();
    try {
        kernel.setArg(7, out); // line: refused
    } catch (const cl::Error &) {
    }
    return binding_run(queue(), kernel(), 32); // line: binding
}
