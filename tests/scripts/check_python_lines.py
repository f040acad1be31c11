# SPDX-License-Identifier: Apache-2.0
# Calls OpenCL through ctypes, as bindings do. PyDLL keeps the interpreter's lock during a call, CDLL releases it.
import ctypes
import sys
import threading

sys.path.insert(0, sys.argv[1])
import helper  # of a folder site-packages: its lines are not the program's

cl = ctypes.PyDLL("libOpenCL.so.1")
for name in ("clCreateContext", "clCreateBuffer", "clCreateProgramWithSource", "clCreateKernel", "clCreateCommandQueue"):
    getattr(cl, name).restype = ctypes.c_void_p
pointer, number = ctypes.c_void_p, ctypes.c_size_t
platform, device = pointer(), pointer()
cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
cl.clGetDeviceIDs(platform, ctypes.c_uint64(4), 1, ctypes.byref(device), None)
context = pointer(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
queue = pointer(cl.clCreateCommandQueue(context, device, ctypes.c_uint64(0), None))
text = ctypes.c_char_p(b"kernel void k(global int *a) { a[get_global_id(0)] += 1; }")
program = pointer(cl.clCreateProgramWithSource(context, 1, ctypes.byref(text), None, None))  # line: source
cl.clBuildProgram(program, 0, None, None, None, None)
kernel = pointer(cl.clCreateKernel(program, b"k", None))
buffer = pointer(cl.clCreateBuffer(context, ctypes.c_uint64(1), number(8), None, None))  # line: buffer
cl.clSetKernelArg(kernel, 0, number(8), ctypes.byref(buffer))


def launch():
    cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(number(3)), None, 0, None, None)  # line: launch


launch()
cl.clFinish(queue)
helper.refused(cl, kernel)  # line: package


class Owner:
    def __del__(self):
        cl.clGetKernelInfo(kernel, 0, number(0), None, None)  # line: finalizer


def owns():
    owner = Owner()
    raise ValueError("passes through the finalizer")


try:
    owns()
except ValueError as error:
    assert "passes" in str(error)
thread = threading.Thread(target=lambda: cl.clGetCommandQueueInfo(queue, 0, number(0), None, None))  # line: thread
thread.start()
thread.join()
ctypes.CDLL("libOpenCL.so.1").clGetContextInfo(context, 0, number(0), None, None)
for handle, release in ((buffer, cl.clReleaseMemObject), (kernel, cl.clReleaseKernel), (program, cl.clReleaseProgram),
                        (queue, cl.clReleaseCommandQueue), (context, cl.clReleaseContext)):
    assert release(handle) == 0
print("the program ends")
