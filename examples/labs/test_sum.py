# SPDX-License-Identifier: Apache-2.0
"""Two tests of pytest with PyOpenCL: the kernel with a race fails under Orrery, although its result is right."""
import numpy
import pyopencl as cl


def sum_with(path):
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    values = numpy.arange(64, dtype=numpy.int32)
    result = numpy.zeros(1, dtype=numpy.int32)
    flags = cl.mem_flags
    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)
    target = cl.Buffer(context, flags.WRITE_ONLY, result.nbytes)
    with open(path) as file:
        program = cl.Program(context, file.read()).build()
    program.sum(queue, values.shape, values.shape, source, target, cl.LocalMemory(values.nbytes))
    cl.enqueue_copy(queue, result, target)
    return result[0], values.sum()


def test_sum():
    found, expected = sum_with("sum.cl")
    assert found == expected


def test_sum_fixed():
    found, expected = sum_with("sum_fixed.cl")
    assert found == expected
