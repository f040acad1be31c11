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
KERNELS = b"""kernel void k(global int *a)
{
    a[get_global_id(0)] += 1; // line: text
}
"""


def build(made):
    assert cl.clBuildProgram(made, 0, None, None, None, None) == 0
    return pointer(cl.clCreateKernel(made, b"k", None))


def program_of(source):
    return pointer(cl.clCreateProgramWithSource(context, 1, ctypes.byref(ctypes.c_char_p(source)), None, None))


def source_of(made):
    room = ctypes.create_string_buffer(4096)
    assert cl.clGetProgramInfo(made, 0x1164, number(4096), room, None) == 0
    return room.value


def binary_of(made):
    size = number()
    assert cl.clGetProgramInfo(made, 0x1165, number(8), ctypes.byref(size), None) == 0
    room = ctypes.create_string_buffer(size.value)
    assert cl.clGetProgramInfo(made, 0x1166, number(8), ctypes.byref(pointer(ctypes.addressof(room))), None) == 0
    return pointer(cl.clCreateProgramWithBinary(context, 1, ctypes.byref(device), ctypes.byref(size),
                                                ctypes.byref(pointer(ctypes.addressof(room))), None, None))


ADDED = b"\n\n__constant int added = 0;"
program = program_of(KERNELS + ADDED)
kernel = build(program)
assert source_of(program) == KERNELS + ADDED
text = ctypes.c_char_p(b"kernel void k(global int *a) { a[get_global_id(0)] += 1; }")
one_line = pointer(cl.clCreateProgramWithSource(context, 1, ctypes.byref(text), None, None))  # line: source
counted = program_of(b"""kernel void k(global int *a)
{
    a[__LINE__ - 2] = a[get_global_id(0)];
}
""")
again = binary_of(program)
assert source_of(again).lstrip(b" ") == KERNELS + ADDED
buffer = pointer(cl.clCreateBuffer(context, ctypes.c_uint64(1), number(8), None, None))  # line: buffer
cl.clSetKernelArg(kernel, 0, number(8), ctypes.byref(buffer))


def launch_other(other):
    cl.clSetKernelArg(other, 0, number(8), ctypes.byref(buffer))
    cl.clEnqueueNDRangeKernel(queue, other, 1, None, ctypes.byref(number(3)), None, 0, None, None)  # line: other
    cl.clFinish(queue)
    cl.clReleaseKernel(other)


def launch():
    cl.clEnqueueNDRangeKernel(queue, kernel, 1, None, ctypes.byref(number(3)), None, 0, None, None)  # line: launch


launch()
cl.clFinish(queue)
for made in (one_line, counted, again):
    launch_other(build(made))
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
                        (one_line, cl.clReleaseProgram), (counted, cl.clReleaseProgram), (again, cl.clReleaseProgram),
                        (queue, cl.clReleaseCommandQueue), (context, cl.clReleaseContext)):
    assert release(handle) == 0
print("the program ends")
# The same text again, after its use.
UNUSED = b"""kernel void k(global int *a)
{
    a[get_global_id(0)] += 1; // line: text
}
"""
