# SPDX-License-Identifier: Apache-2.0
# Builds kernels that stand in strings of this file, each with an error: the build log must name the error's line and column here, or a
# made-up name where the text has no place in this file. The name of what is undeclared occurs once.
import ctypes
import string
import textwrap

import beside  # a module of this folder

cl = ctypes.PyDLL("libOpenCL.so.1")
cl.clCreateContext.restype = cl.clCreateProgramWithSource.restype = ctypes.c_void_p
pointer, number = ctypes.c_void_p, ctypes.c_size_t
platform, device = pointer(), pointer()
cl.clGetPlatformIDs(1, ctypes.byref(platform), None)
cl.clGetDeviceIDs(platform, ctypes.c_uint64(4), 1, ctypes.byref(device), None)
context = pointer(cl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
with open(__file__) as file:
    here = file.read().split("\n")
bad = 0


def place(name):
    for number_of_line, line in enumerate(here):
        column = line.find(name + ";")
        if column >= 0:
            return "%s:%d:%d: error: use of undeclared identifier '%s'" % ("strings.py", number_of_line + 1, column + 1, name)
    return None


def log_of(text):
    program = pointer(cl.clCreateProgramWithSource(context, 1, ctypes.byref(ctypes.c_char_p(text.encode())), None, None))
    assert cl.clBuildProgram(program, 0, None, None, None, None) == -11
    room = ctypes.create_string_buffer(65536)
    assert cl.clGetProgramBuildInfo(program, device, 0x1183, number(65536), room, None) == 0
    assert cl.clReleaseProgram(program) == 0
    return room.value.decode()


def says(text, what):
    global bad
    log = log_of(text)
    if what not in log:
        bad = 1
        print("expected '%s' in:\n%s" % (what, log))


N, TYPE = 64, "int"
says("""
kernel void k(global int *out)
{
    out[0] = plain;
}
""", place("plain"))
says("""kernel void k(global int *out) { out[1] = 2;
    out[0] = after_code; }""", place("after_code"))
says("""\
kernel void k(global int *out)
{
    out[0] = continued;
}""", place("continued"))
says(f"""
kernel void k(global {TYPE} *out)
{{
    if (out[0] < {N}) {{
        out[0] = formatted; int2 pair = {{{N}, 2}};
    }}
}}
""", place("formatted"))
says("""
kernel void k(global {0} *out)
{{
    out[0] = method;
}}
""".format(TYPE), place("method"))
says("""
kernel void k(global %s *out)
{
    out[1] = percent; out[0] = %d %% 3;
    printf("\\n");
}
""" % (TYPE, N), place("percent"))
says(string.Template("""
kernel void k(global $type *out)
{
    out[1] = template; out[0] = $count;
}
""").substitute(type=TYPE, count=N), place("template"))


def indented():
    says(textwrap.dedent("""
        kernel void k(global int *out)
        {
            if (out[0])
                out[0] = dedented;
        }"""), place("dedented"))


indented()
# what pyopencl adds
says("""
kernel void k(global int *out)
{
    out[0] = cached;
}
""" + "\n\n__constant int pyopencl_defeat_cache_0 = 0;", place("cached"))
says(beside.TEXT, "beside.py:4:14: error: use of undeclared identifier 'beside'")
# no place here, or a text that depends on its lines
says("#define M 3\n" + """
kernel void k(global int *out)
{
    out[0] = joined;
}
""", "program.cl:5:14: error: use of undeclared identifier 'joined'")
says("""
kernel void k(global int *out)
{
    out[0] = __LINE__ + counted;
}
""", "program2.cl:4:25: error: use of undeclared identifier 'counted'")
says("""
#line 7 "other.cl"
kernel void k(global int *out)
{
    out[0] = renamed;
}
""", "other.cl:9:14: error: use of undeclared identifier 'renamed'")
says("kernel void k(global int *out) { out[0] = one_line; }", "program4.cl:1:43: error: use of undeclared identifier 'one_line'")
says("""
{0}
{1}
{2} = mostly_substituted;
}}
""".format("kernel void k(global int *out)", "{", "    out[0]"), "program5.cl:4:14: error: use of undeclared identifier 'mostly")
assert cl.clReleaseContext(context) == 0
raise SystemExit(bad)
