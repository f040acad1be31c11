#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyOpenCL drives the device; NumPy judges. Names of tests on the command line run only those."""
import os
import random
import sys
import time

try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as cla
    import pyopencl.bitonic_sort
    import pyopencl.clmath as clmath
    import pyopencl.clrandom as clrandom
    import pyopencl.tools
    from pyopencl.algorithm import RadixSort, copy_if, partition, unique
    from pyopencl.elementwise import ElementwiseKernel
    from pyopencl.reduction import ReductionKernel
    from pyopencl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel
except ImportError as absent:
    print(f"skipped: {absent}")
    sys.exit(77)

MF = cl.mem_flags
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
REALS = [np.float32, np.float64]


def open_device():
    for platform in cl.get_platforms():
        if platform.name == "Orrery":
            return cl.Context(platform.get_devices())
    print("pyopencl_numpy: no platform of the name Orrery")
    sys.exit(1)


context = open_device()
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
rng = np.random.default_rng(7)


def ulps(found, wanted):
    """The largest distance in units of the last place of what was wanted."""
    spacing = np.spacing(np.maximum(np.abs(wanted), np.finfo(wanted.dtype).tiny).astype(wanted.dtype))
    return float(np.max(np.abs(found.astype(np.longdouble) - wanted.astype(np.longdouble)) / spacing))


def same(found, wanted):
    np.testing.assert_array_equal(found, wanted)


def integers(dtype, count, low=None, high=None):
    limits = np.iinfo(dtype)
    low = limits.min if low is None else low
    high = limits.max if high is None else high
    return rng.integers(low, high, count, dtype=dtype, endpoint=True)


def test_elementwise_integers():
    for dtype in INTEGERS:
        x, y = integers(dtype, 1000), integers(dtype, 1000)
        ctype = cl.tools.dtype_to_ctype(np.dtype(dtype))
        kernel = ElementwiseKernel(context, f"{ctype} *x, {ctype} *y, {ctype} *z",
                                   "z[i] = (x[i] * 3 + y[i]) ^ (y[i] >> 3)", f"mix_{ctype.replace(' ', '_')}")
        dx, dy = cla.to_device(queue, x), cla.to_device(queue, y)
        dz = cla.empty_like(dx)
        kernel(dx, dy, dz)
        with np.errstate(over="ignore"):
            same(dz.get(), (x * dtype(3) + y) ^ (y >> dtype(3)))


def test_elementwise_reals():
    for dtype in REALS:
        x, y = rng.standard_normal(4099).astype(dtype), rng.standard_normal(4099).astype(dtype)
        ctype = cl.tools.dtype_to_ctype(np.dtype(dtype))
        kernel = ElementwiseKernel(context, f"{ctype} a, {ctype} *x, {ctype} *y, {ctype} *z",
                                   "z[i] = a * x[i] - y[i] / (1 + x[i] * x[i])", "blend",
                                   options=["-cl-fp32-correctly-rounded-divide-sqrt"])
        dz = cla.empty(queue, 4099, dtype)
        kernel(dtype(1.5), cla.to_device(queue, x), cla.to_device(queue, y), dz)
        wanted = dtype(1.5) * x - y / (1 + x * x)
        assert np.max(np.abs(dz.get() - wanted)) <= 8 * np.finfo(dtype).eps * np.max(np.abs(x) + np.abs(y))


def test_elementwise_complex():
    x = (rng.standard_normal(513) + 1j * rng.standard_normal(513)).astype(np.complex64)
    y = (rng.standard_normal(513) + 1j * rng.standard_normal(513)).astype(np.complex64)
    dx, dy = cla.to_device(queue, x), cla.to_device(queue, y)
    np.testing.assert_allclose((dx * dy + 2 * dx).get(), x * y + 2 * x, rtol=1e-5)
    np.testing.assert_allclose((dx / dy).get(), x / y, rtol=1e-5)
    same(dx.conj().get(), x.conj())
    same(dx.real.get(), x.real)


def test_reduction():
    for count in (1, 63, 64, 1000, 50001):
        x = integers(np.int32, count, -1000, 1000)
        dx = cla.to_device(queue, x)
        total = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a+b", map_expr="(long)x[i]*x[i]",
                                arguments="__global int *x")
        assert total(dx).get() == (x.astype(np.int64) ** 2).sum()
        assert cla.max(dx).get() == x.max() and cla.min(dx).get() == x.min()
        assert cla.sum(dx, dtype=np.int64).get() == x.sum(dtype=np.int64)
    x, y = rng.standard_normal(10000).astype(np.float32), rng.standard_normal(10000).astype(np.float32)
    found = cla.dot(cla.to_device(queue, x), cla.to_device(queue, y)).get()
    assert abs(found - np.dot(x.astype(np.float64), y)) < 1e-2
    mask = cla.to_device(queue, (x > 10).astype(np.int8))
    assert not mask.any().get() and cla.vdot(mask, mask).get() == 0


def test_scan():
    for count in (1, 2, 127, 128, 1025, 20000):
        x = integers(np.int32, count, -9, 9)
        dx = cla.to_device(queue, x)
        InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(dx)
        same(dx.get(), np.cumsum(x, dtype=np.int32))
        dx = cla.to_device(queue, x)
        ExclusiveScanKernel(context, np.int32, "a+b", neutral="0")(dx)
        same(dx.get(), np.concatenate(([0], np.cumsum(x, dtype=np.int32)[:-1])))
    x = rng.standard_normal(3000).astype(np.float32)
    dx = cla.to_device(queue, x)
    InclusiveScanKernel(context, np.float32, "max(a,b)", neutral="-INFINITY")(dx)
    same(dx.get(), np.maximum.accumulate(x))
    same(cla.cumsum(cla.to_device(queue, x.astype(np.int32) + 5)).get(), np.cumsum(x.astype(np.int32) + 5, dtype=np.int32))


def test_segmented_scan():
    x = integers(np.int32, 5000, 0, 9)
    flags = (rng.random(5000) < 0.01).astype(np.int8)
    flags[0] = 1
    kernel = GenericScanKernel(
        context, np.int32, "__global int *x, __global char *flags, __global int *out", input_expr="x[i]",
        is_segment_start_expr="flags[i]", scan_expr="across_seg_boundary ? b : a+b", neutral="0",
        output_statement="out[i] = item;")
    out = cla.empty(queue, 5000, np.int32)
    kernel(cla.to_device(queue, x), cla.to_device(queue, flags), out)
    wanted, total = np.empty_like(x), 0
    for i in range(5000):
        total = x[i] if flags[i] else total + x[i]
        wanted[i] = total
    same(out.get(), wanted)


def test_algorithms():
    x = integers(np.int32, 3000, 0, 99)
    dx = cla.to_device(queue, x)
    kept, count, _ = copy_if(dx, "ary[i] > 40")
    same(kept.get()[:count.get()], x[x > 40])
    yes, no, count, _ = partition(dx, "ary[i] % 3 == 0")
    same(yes.get()[:count.get()], x[x % 3 == 0])
    same(no.get()[:3000 - count.get()], x[x % 3 != 0])
    ordered = np.sort(x)
    firsts, count, _ = unique(cla.to_device(queue, ordered))
    same(firsts.get()[:count.get()], np.unique(ordered))


def test_radix_sort():
    x = rng.permutation(4000).astype(np.int32)
    sort = RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])
    (ordered,), _ = sort(cla.to_device(queue, x), key_bits=12)
    same(ordered.get(), np.sort(x))


def test_bitonic_sort():
    for dtype in (np.int32, np.float32):
        x = (rng.standard_normal(1024) * 1000).astype(dtype)
        dx = cla.to_device(queue, x)
        ordered, _ = pyopencl.bitonic_sort.BitonicSort(context)(dx)
        same(ordered.get(), np.sort(x))


MATRIX = """
kernel void multiply(global const REAL *a, global const REAL *b, global REAL *c, int n)
{
    local REAL ta[8][8], tb[8][8];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    REAL sum = 0;
    for (int t = 0; t < n; t += 8) {
        ta[ly][lx] = a[y * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}
"""


def test_matrix_multiply():
    n = 48
    for dtype, ctype in ((np.float32, "float"), (np.float64, "double"), (np.int32, "int")):
        a = (rng.standard_normal((n, n)) * 10).astype(dtype)
        b = (rng.standard_normal((n, n)) * 10).astype(dtype)
        program = cl.Program(context, MATRIX).build(options=[f"-DREAL={ctype}"])
        da = cl.Buffer(context, MF.READ_ONLY | MF.COPY_HOST_PTR, hostbuf=a)
        db = cl.Buffer(context, MF.READ_ONLY | MF.COPY_HOST_PTR, hostbuf=b)
        dc = cl.Buffer(context, MF.WRITE_ONLY, a.nbytes)
        program.multiply(queue, (n, n), (8, 8), da, db, dc, np.int32(n))
        c = np.empty_like(a)
        cl.enqueue_copy(queue, c, dc)
        wanted = np.zeros((n, n), dtype)
        for k in range(n): # the device's order of additions
            wanted += a[:, k:k + 1] * b[k:k + 1, :]
        same(c, wanted)


def test_structs():
    record = np.dtype([("id", np.int32), ("weight", np.float64), ("tag", np.int8), ("pair", np.int16, (2,))], align=True)
    record, ctype = cl.tools.match_dtype_to_c_struct(context.devices[0], "record", record)
    cl.tools.get_or_register_dtype("record", record)
    x = np.zeros(100, record)
    x["id"], x["weight"], x["tag"] = np.arange(100), rng.random(100), np.arange(100) % 5
    x["pair"] = integers(np.int16, 200, -99, 99).reshape(100, 2)
    program = cl.Program(context, ctype + """
        kernel void grow(global record *x)
        {
            int i = get_global_id(0);
            record r = x[i];
            r.weight = r.weight * 2 + r.id;
            r.pair[0] += r.pair[1];
            r.tag = -r.tag;
            x[i] = r;
        }""").build()
    dx = cl.Buffer(context, MF.READ_WRITE | MF.COPY_HOST_PTR, hostbuf=x)
    program.grow(queue, (100,), None, dx)
    y = np.empty_like(x)
    cl.enqueue_copy(queue, y, dx)
    same(y["weight"], x["weight"] * 2 + x["id"])
    same(y["pair"][:, 0], x["pair"][:, 0] + x["pair"][:, 1])
    same(y["tag"], -x["tag"])
    same(y["id"], x["id"])


def test_printf():
    program = cl.Program(context, r"""
        kernel void say(int n)
        {
            printf("%d|%5.2f|%s|%v4d|%#x\n", (int)get_global_id(0) + n, 2.5, "text", (int4)(1, 2, 3, 4), 255);
        }""").build()
    sys.stdout.flush()
    saved = os.dup(1)
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    try:
        program.say(queue, (2,), None, np.int32(7))
        queue.finish()
    finally:
        os.dup2(saved, 1)
        os.close(writer)
    text = os.read(reader, 4096).decode()
    assert text == "7| 2.50|text|1,2,3,4|0xff\n8| 2.50|text|1,2,3,4|0xff\n", text


def test_events():
    gate = cl.UserEvent(context)
    free = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
                           | cl.command_queue_properties.PROFILING_ENABLE)
    buffer = cl.Buffer(context, MF.READ_WRITE, 4096)
    zero = np.zeros(1024, np.int32)
    filled = cl.enqueue_fill_buffer(free, buffer, np.int32(5), 0, 4096, wait_for=[gate])
    read = cl.enqueue_copy(free, zero, buffer, is_blocking=False, wait_for=[filled])
    done = []
    read.set_callback(cl.command_execution_status.COMPLETE, lambda status: done.append(status))
    free.flush()
    assert read.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    cl.wait_for_events([read])
    free.finish()
    same(zero, np.full(1024, 5, np.int32))
    for event in (filled, read):
        times = event.profile
        assert times.queued <= times.submit <= times.start <= times.end
    assert filled.profile.end <= read.profile.start
    deadline = time.monotonic() + 10
    while not done and time.monotonic() < deadline:
        time.sleep(0.001)
    assert done == [cl.command_execution_status.COMPLETE]
    cl.enqueue_marker(queue).wait()
    cl.enqueue_barrier(queue).wait()


def test_sub_buffers_and_maps():
    x = np.arange(1024, dtype=np.int32)
    whole = cl.Buffer(context, MF.READ_WRITE | MF.COPY_HOST_PTR, hostbuf=x)
    align = context.devices[0].mem_base_addr_align // 8
    part = whole.get_sub_region(align * 2, 256)
    cl.enqueue_fill_buffer(queue, part, np.int32(-1), 0, 256)
    view, _ = cl.enqueue_map_buffer(queue, whole, cl.map_flags.READ | cl.map_flags.WRITE, 0, 1024, np.int32)
    wanted = x.copy()
    wanted[align // 2:align // 2 + 64] = -1
    same(view, wanted)
    view[0] = 99
    view.base.release(queue)
    found = np.empty_like(x)
    cl.enqueue_copy(queue, found, whole)
    wanted[0] = 99
    same(found, wanted)
    rows = np.zeros((4, 4), np.int32)
    cl.enqueue_copy(queue, rows, whole, buffer_origin=(0, 0), host_origin=(0, 0), region=(16, 4), buffer_pitches=(128, 0),
                    host_pitches=(16, 0))
    same(rows, wanted.reshape(32, 32)[:4, :4])
    host = np.arange(64, dtype=np.float32)
    used = cl.Buffer(context, MF.READ_WRITE | MF.USE_HOST_PTR, hostbuf=host)
    cl.enqueue_fill_buffer(queue, used, np.float32(2), 0, 128)
    view, _ = cl.enqueue_map_buffer(queue, used, cl.map_flags.READ, 0, 64, np.float32)
    same(view, np.concatenate((np.full(32, 2, np.float32), np.arange(32, 64, dtype=np.float32))))
    view.base.release(queue)


def test_svm():
    program = cl.Program(context, "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }").build()
    memory = cl.csvm_empty(context, 256, np.int32)
    with cl.SVM(memory).map_rw(queue) as x:
        x[:] = np.arange(256)
    program.twice(queue, (256,), None, cl.SVM(memory))
    with cl.SVM(memory).map_ro(queue) as x:
        same(x, 2 * np.arange(256))


def test_binaries():
    program = cl.Program(context, "kernel void add(global int *x, int n) { x[get_global_id(0)] += n; }").build("-DSOME=1")
    binary = program.get_info(cl.program_info.BINARIES)[0]
    again = cl.Program(context, context.devices, [binary]).build()
    dx = cla.zeros(queue, 32, np.int32)
    again.add(queue, (32,), None, dx.data, np.int32(3))
    same(dx.get(), np.full(32, 3))
    assert [k.function_name for k in again.all_kernels()] == ["add"]
    for source, name in (("kernel void wrong() { undeclared(); }", "undeclared"),
                         ("int undefined_one(int); kernel void wrong(global int *x) { *x = undefined_one(*x); }", "undefined_one")):
        try:
            cl.Program(context, source).build()
        except cl.RuntimeError as error:
            assert name in str(error), error
        else:
            assert False, f"a program without {name} was built"


def test_array_arithmetic():
    for dtype in (np.int32, np.uint8, np.float32, np.float64):
        x, y = integers(np.uint8, 777, 1, 90).astype(dtype), integers(np.uint8, 777, 1, 90).astype(dtype)
        dx, dy = cla.to_device(queue, x), cla.to_device(queue, y)
        for operation in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: 3 + a, lambda a, b: b - 1,
                          lambda a, b: -a, lambda a, b: a[3:50] + b[100:147]):
            with np.errstate(over="ignore"):
                same(operation(dx, dy).get(), operation(x, y))
        for compare in (lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b,
                        lambda a, b: a == b, lambda a, b: a != b):
            same(compare(dx, dy).get().astype(bool), compare(x, y))
        same(cla.maximum(dx, dy).get(), np.maximum(x, y))
        same(cla.if_positive(dx > dy, dx, dy).get(), np.maximum(x, y))
    same((cla.arange(queue, 0, 99, 3, dtype=np.int32) * 4).get(), np.arange(0, 99, 3, dtype=np.int32) * 4)
    x = cla.to_device(queue, np.arange(12, dtype=np.int32).reshape(3, 4))
    same(x.T.get(), np.arange(12).reshape(3, 4).T)
    same(cla.take(x.ravel(), cla.to_device(queue, np.array([5, 0, 11], np.int32))).get(), [5, 0, 11])
    x[1:2] = 7
    same(x.get()[1], [7] * 4)
    np.testing.assert_allclose((cla.to_device(queue, np.arange(1, 9, dtype=np.float32)) ** 3).get(), np.arange(1, 9) ** 3,
                               rtol=2e-6)


# Bounds of the full profile in ULP; NumPy's double results are the reference for float.
MATH = {"exp": 3, "log": 3, "log10": 3, "sqrt": 3, "sin": 4, "cos": 4, "tan": 5, "asin": 4, "acos": 4, "atan": 5,
        "sinh": 4, "cosh": 4, "tanh": 5, "floor": 0, "ceil": 0, "fabs": 0}
NUMPY_NAME = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}


def test_clmath():
    x = (rng.random(5000) * 0.998 + 0.001).astype(np.float32)
    dx = cla.to_device(queue, x)
    for name, bound in MATH.items():
        found = getattr(clmath, name)(dx).get()
        wanted = getattr(np, NUMPY_NAME.get(name, name))(x.astype(np.float64)).astype(np.float32)
        assert ulps(found, wanted) <= bound + 0.5, (name, ulps(found, wanted))
    y = rng.random(5000).astype(np.float32) * 9 + 1
    dy = cla.to_device(queue, y)
    assert ulps(clmath.atan2(dx, dy).get(), np.arctan2(x.astype(np.float64), y).astype(np.float32)) <= 6.5
    same(clmath.fmod(dy, dx).get(), np.fmod(y, x))
    fraction, exponent = clmath.modf(dy), clmath.frexp(dy)
    same(fraction[0].get(), np.modf(y)[0])
    same(exponent[0].get(), np.frexp(y)[0])
    double = rng.random(3000) * 5
    for name in ("exp", "sin", "sqrt", "tanh"):
        found = getattr(clmath, name)(cla.to_device(queue, double)).get()
        assert ulps(found, getattr(np, name)(double)) <= 5.5, name


def test_clrandom():
    for generator in (clrandom.PhiloxGenerator, clrandom.ThreefryGenerator):
        first = generator(context, seed=15).uniform(queue, 10000, np.float32).get()
        again = generator(context, seed=15).uniform(queue, 10000, np.float32).get()
        same(first, again)
        assert 0 <= first.min() and first.max() <= 1 and abs(first.mean() - 0.5) < 0.02
        normal = generator(context, seed=3).normal(queue, 10000, np.float64, mu=2, sigma=3).get()
        assert abs(normal.mean() - 2) < 0.15 and abs(normal.std() - 3) < 0.15
        whole = generator(context, seed=3).uniform(queue, 1000, np.int32, a=5, b=17).get()
        assert whole.min() >= 5 and whole.max() < 17


def test_random_expressions():
    """Random integer expressions, C's wrap-around rules on both sides."""
    chooser = random.Random(11)

    def expression(depth):
        if depth == 0:
            return chooser.choice(["x[i]", "y[i]", "7u", "65537u"])
        operator = chooser.choice(["+", "-", "*", "&", "|", "^", "<<", ">>", "min", "?"])
        left, right = expression(depth - 1), expression(depth - 1)
        if operator in ("<<", ">>"):
            return f"({left} {operator} ({right} & 31u))"
        if operator == "min":
            return f"min({left}, {right})"
        if operator == "?":
            return f"select({left}, {right}, {left} < {right})"
        return f"({left} {operator} {right})"

    x, y = integers(np.uint32, 500), integers(np.uint32, 500)
    dx, dy, dz = cla.to_device(queue, x), cla.to_device(queue, y), cla.empty(queue, 500, np.uint32)
    texts = [expression(3) for _ in range(6)]
    source = "".join(f"kernel void k{n}(global uint *x, global uint *y, global uint *z)"
                     f"{{ int i = get_global_id(0); z[i] = {text.replace('select(', 'choose(')}; }}\n"
                     for n, text in enumerate(texts))
    program = cl.Program(context, "uint choose(uint a, uint b, int c) { return c ? b : a; }\n" + source).build()
    names = {"x": x, "y": y, "i": slice(None), "min": np.minimum, "select": lambda a, b, c: np.where(c, b, a)}
    for n, text in enumerate(texts):
        getattr(program, f"k{n}")(queue, (500,), None, dx.data, dy.data, dz.data)
        for literal in ("65537", "31", "7"):
            text = text.replace(literal + "u", f"U({literal})")
        with np.errstate(over="ignore"):
            wanted = eval(text, {**names, "U": lambda v: np.full(500, v, np.uint32)})
        same(dz.get(), wanted)


def test_images_and_samplers():
    """Pictures through image objects: copied whole, mirrored and blurred by kernels, read back by region."""
    picture = rng.integers(0, 256, (12, 20, 4), dtype=np.uint8)
    source = """
    kernel void mirror(read_only image2d_t from, write_only image2d_t to) {
        const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(to, at, read_imagef(from, s, (int2)(get_image_width(from) - 1 - at.x, at.y)));
    }
    kernel void between(read_only image2d_t from, sampler_t s, global float4 *to) {
        int x = get_global_id(0), y = get_global_id(1);
        to[y * get_global_size(0) + x] = read_imagef(from, s, (float2)((x + 1.0f) / get_image_width(from), (y + 0.5f) / get_image_height(from)));
    }"""
    program = cl.Program(context, source).build()
    image = cl.image_from_array(context, picture, 4, norm_int=True)
    target = cl.Image(context, cl.mem_flags.READ_WRITE, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8), shape=(20, 12))
    program.mirror(queue, (20, 12), None, image, target)
    out = np.empty_like(picture)
    cl.enqueue_copy(queue, out, target, origin=(0, 0), region=(20, 12))
    same(out, picture[:, ::-1])
    part = np.empty((5, 4, 4), np.uint8)
    cl.enqueue_copy(queue, part, target, origin=(3, 2), region=(4, 5))
    same(part, picture[2:7, ::-1][:, 3:7])
    sampler = cl.Sampler(context, True, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.LINEAR)
    halves = cla.empty(queue, (12, 19, 4), np.float32)
    program.between(queue, (19, 12), None, image, sampler, halves.data)
    wanted = (picture[:, :-1].astype(np.float32) + picture[:, 1:].astype(np.float32)) / 510
    assert np.abs(halves.get() - wanted).max() < 1e-5


def main():
    failed = 0
    wanted = sys.argv[1:]
    tests = [(name, f) for name, f in globals().items() if name.startswith("test_")]
    for name, function in tests:
        if wanted and name not in wanted:
            continue
        try:
            function()
            print(f"ok      {name}", flush=True)
        except Exception as error:  # one test's failure must not hide the others
            failed += 1
            print(f"FAILED  {name}: {type(error).__name__}: {error}", flush=True)
    print(f"pyopencl_numpy: failed={failed} of={len(tests)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
