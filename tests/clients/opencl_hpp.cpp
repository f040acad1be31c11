// SPDX-License-Identifier: Apache-2.0
// The C++ bindings of OpenCL: objects that release themselves, exceptions, functors, program binaries.
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

static const char source[] = R"(
    kernel void add(global const int *a, global int *b, int n) { size_t i = get_global_id(0); b[i] += a[i] * n; }
    kernel void turn(global int *x, local int *tile)
    {
        size_t l = get_local_id(0);
        tile[l] = x[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        x[get_global_id(0)] = tile[get_local_size(0) - 1 - l];
    }
)";

static int failures;

static void judge(const char *what, bool good)
{
    failures += !good;
    std::cout << (good ? "ok      " : "FAILED  ") << what << std::endl;
}

static cl::Device find_device()
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const cl::Platform &platform : platforms) {
        std::vector<cl::Device> devices;
        if (platform.getInfo<CL_PLATFORM_NAME>().find("Orrery") == std::string::npos)
            continue;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        return devices.at(0);
    }
    std::cout << "FAILED  a platform called Orrery" << std::endl;
    std::exit(1);
}

int main()
try {
    cl::Device device = find_device();
    cl::Context context(device);
    cl::CommandQueue queue(context, device, cl::QueueProperties::Profiling);
    cl::Program program(context, source);
    program.build("-cl-kernel-arg-info");

    std::vector<int> a(256), b(256, 1);
    std::iota(a.begin(), a.end(), 0);
    cl::Buffer da(queue, a.begin(), a.end(), true), db(queue, b.begin(), b.end(), false);
    auto add = cl::KernelFunctor<cl::Buffer, cl::Buffer, int>(program, "add");
    cl::Event event = add(cl::EnqueueArgs(queue, cl::NDRange(256)), da, db, 3);
    event.wait();
    judge("profiling", event.getProfilingInfo<CL_PROFILING_COMMAND_START>() <
                           event.getProfilingInfo<CL_PROFILING_COMMAND_END>());
    cl::copy(queue, db, b.begin(), b.end());
    bool good = true;
    for (int i = 0; i < 256; i++)
        good = good && b[i] == 1 + 3 * i;
    judge("functor", good);

    auto turn = cl::KernelFunctor<cl::Buffer, cl::LocalSpaceArg>(program, "turn");
    turn(cl::EnqueueArgs(queue, cl::NDRange(256), cl::NDRange(64)), db, cl::Local(64 * sizeof(int)));
    cl::copy(queue, db, b.begin(), b.end());
    judge("local memory", b[0] == 1 + 3 * 63 && b[255] == 1 + 3 * 192);

    cl::Program again(context, {device}, program.getInfo<CL_PROGRAM_BINARIES>());
    again.build();
    std::vector<cl::Kernel> kernels;
    again.createKernels(&kernels);
    judge("binaries", kernels.size() == 2);
    judge("argument names", cl::Kernel(program, "add").getArgInfo<CL_KERNEL_ARG_NAME>(2) == "n");
    judge("kernel names", program.getInfo<CL_PROGRAM_KERNEL_NAMES>() == "add;turn");

    bool refused = false;
    try {
        cl::Program(context, "kernel void wrong( {", true);
    } catch (const cl::BuildError &error) {
        refused = error.getBuildLog().at(0).second.find("error") != std::string::npos;
    }
    judge("build error", refused);

    std::vector<int, cl::SVMAllocator<int, cl::SVMTraitCoarse<>>> shared(
        32, cl::SVMAllocator<int, cl::SVMTraitCoarse<>>(context));
    return failures != 0;
} catch (const cl::Error &error) {
    std::cout << "FAILED  " << error.what() << " " << error.err() << std::endl;
    return 1;
}
