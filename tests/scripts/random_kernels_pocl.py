"""The kernels of random_kernels.py on PoCL, by the OpenCL loader: a second opinion on their values.

PoCL compiles the text with its own built-in functions. What it cannot run is left
out: kernels with half, which its processors do not have, and last groups that
are smaller.
"""
import ctypes
import re

SIZE, WORD = ctypes.c_size_t, ctypes.c_void_p
PLATFORM_NAME, DEVICE_TYPE_ALL, READ_WRITE, COPY_HOST_PTR, NOT_FOUND = 0x0902, 0xFFFFFFFF, 1, 32, -1001


class Pocl:
    """A context and a queue on PoCL's first device."""

    def __init__(self, loader):
        self.cl = loader
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel", "clCreateBuffer"):
            getattr(loader, name).restype = WORD
        self.device = WORD()
        self.check(loader.clGetDeviceIDs(self.platform(), ctypes.c_uint64(DEVICE_TYPE_ALL), 1, ctypes.byref(self.device), None))
        self.context = self.made("clCreateContext", None, 1, ctypes.byref(self.device), None, None)
        self.queue = self.made("clCreateCommandQueue", self.context, self.device, ctypes.c_uint64(0))

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"PoCL: status {status}")

    def made(self, call, *arguments):
        status = ctypes.c_int()
        made = WORD(getattr(self.cl, call)(*arguments, ctypes.byref(status)))
        self.check(status.value)
        return made

    def platform(self):
        found = (WORD * 16)()
        count = ctypes.c_uint()
        self.check(self.cl.clGetPlatformIDs(16, found, ctypes.byref(count)))
        for platform in found[:count.value]:
            name = ctypes.create_string_buffer(256)
            self.check(self.cl.clGetPlatformInfo(WORD(platform), PLATFORM_NAME, SIZE(256), name, None))
            if b"Portable Computing Language" in name.value:
                return WORD(platform)
        raise RuntimeError("PoCL is not installed")

    def program(self, text, build_options):
        source = ctypes.c_char_p(text.encode())
        program = self.made("clCreateProgramWithSource", self.context, 1, ctypes.byref(source), None)
        self.check(self.cl.clBuildProgram(program, 1, ctypes.byref(self.device), build_options.encode(), None, None))
        return program

    def buffers(self, kernel, first_sums):
        """The arguments of the kernel, as arrays of the host."""
        items = kernel.items()
        return [(ctypes.c_uint64 * items)(), (ctypes.c_uint32 * 32)(*kernel.input), (ctypes.c_uint32 * 6)(*first_sums),
                (ctypes.c_uint32 * (8 * items))(*[9] * (8 * items))]

    def run(self, program, kernel, first_sums):
        """The three buffers that the kernel writes, as words of text."""
        cl, arrays = self.cl, self.buffers(kernel, first_sums)
        handle = self.made("clCreateKernel", program, f"k{kernel.number}".encode())
        memory = [self.made("clCreateBuffer", self.context, ctypes.c_uint64(READ_WRITE | COPY_HOST_PTR),
                            SIZE(ctypes.sizeof(a)), a) for a in arrays]
        for k, buffer in enumerate(memory):
            self.check(cl.clSetKernelArg(handle, k, SIZE(ctypes.sizeof(WORD)), ctypes.byref(buffer)))
        size, local = ((SIZE * len(s))(*s) for s in (kernel.size, kernel.local))
        self.check(cl.clEnqueueNDRangeKernel(self.queue, handle, len(kernel.size), None, size, local, 0, None, None))
        for k in (0, 2, 3):
            self.check(cl.clEnqueueReadBuffer(self.queue, memory[k], 1, SIZE(0), SIZE(ctypes.sizeof(arrays[k])), arrays[k], 0,
                                              None, None))
        for buffer in memory:
            cl.clReleaseMemObject(buffer)
        cl.clReleaseKernel(handle)
        return [[str(v) for v in arrays[k]] for k in (0, 2, 3)]


def opened():
    """PoCL, or None where it or the loader is not installed."""
    try:
        return Pocl(ctypes.CDLL("libOpenCL.so.1"))
    except (OSError, RuntimeError):
        return None


def can_run(kernel):
    uneven = any(s % l for s, l in zip(kernel.size, kernel.local))
    return not uneven and not re.search(r"\bh16\b|\bh_\w+\(", kernel.text())


def differences(pocl, head, kernels, first_sums, rows):
    """How many of the kernels were run, and a text for each that has other values than rows."""
    head = "\n".join(line for line in head.splitlines() if "h16" not in line) + "\n"
    chosen = [(kernel, row) for kernel, row in zip(kernels, rows) if can_run(kernel)]
    if not chosen:
        return 0, []
    program = pocl.program(head + "".join(kernel.text() for kernel, _ in chosen), "")
    found = []
    for kernel, row in chosen:
        for name, ours, theirs in zip(("out", "sums", "mine"), row, pocl.run(program, kernel, first_sums)):
            at = next((k for k, (a, b) in enumerate(zip(ours, theirs)) if a != b), None)
            if at is not None:
                found.append(f"kernel {kernel.number}: {name}[{at}] is {theirs[at]} on PoCL, {ours[at]} by clang for the host\n")
                break
    pocl.cl.clReleaseProgram(program)
    return len(chosen), found
