/* SPDX-License-Identifier: Apache-2.0 */
/* Declares functions for instructions that the translator lacks or chooses wrongly for this device, and for
 * extensions of OpenCL C that clang's header lacks or defines for every device. An extension's macros are
 * defined if and only if the device has it. Functions are declared only for sources that use them; their
 * symbols name the instructions (operations.c). */
#include <stdio.h>
#include <string.h>

#include "compile.h"
#include "text.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define OVERLOAD "__attribute__((overloadable)) "

static bool names(const struct compilation *compilation, const char *word)
{
    return strstr(compilation->request->source, word) != NULL;
}

static void define(struct text *source, const char *name)
{
    text_addf(source, "#undef %s\n#define %s 1\n", name, name);
}

/* Undefines macros of the header whose extension the device lacks. */
static void undefine_unless(struct text *source, const char *const *list, size_t count, bool present)
{
    for (size_t i = 0; i < count && !present; i++)
        text_addf(source, "#undef %s\n", list[i]);
}

/* ---- cl_ext_float_atomics -------------------------------------------------------------------- */

static const char *const half_atomics[] = {
    "__opencl_c_ext_fp16_global_atomic_load_store", "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_add",        "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_min_max",    "__opencl_c_ext_fp16_local_atomic_min_max",
};
static const char *const float_atomics[] = {
    "cl_ext_float_atomics",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_min_max",
};
static const char *const double_atomics[] = {
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_min_max",
};

/* SPIR-V has no atomic subtraction of floats: the negated value is added. */
static void add_subtractions(struct text *source, const char *type, const char *space)
{
    const char *rest = *space ? space : "generic";
    text_addf(
        source,
        OVERLOAD
        "%s atomic_fetch_sub(volatile %s atomic_%s *, %s) __asm(\"__orrery_op6035_a0c1c16n1_%s%s\");" OVERLOAD
        "%s atomic_fetch_sub_explicit(volatile %s atomic_%s *, %s, memory_order) "
        "__asm(\"__orrery_op6035_a0c1o2n1_%s%s\");" OVERLOAD
        "%s atomic_fetch_sub_explicit(volatile %s atomic_%s *, %s, memory_order, memory_scope) "
        "__asm(\"__orrery_op6035_a0s3o2n1_%s%s\");\n",
        type, space, type, type, type, rest, type, space, type, type, type, rest, type, space, type, type,
        type, rest);
}

static void add_float_atomics(const struct compilation *compilation, struct text *source)
{
    const struct compile_request *request = compilation->request;
    const bool present = compilation->cl_std >= 200,
               doubles = present && request->fp64 && request->int64_atomics;
    const bool generic = compilation->cl_std < 300 || request->generic_address_space;
    undefine_unless(source, half_atomics, COUNT_OF(half_atomics), false);
    undefine_unless(source, float_atomics, COUNT_OF(float_atomics), present);
    undefine_unless(source, double_atomics, COUNT_OF(double_atomics), doubles);
    for (int wide = 0; wide < 1 + doubles && present && names(compilation, "atomic_fetch_sub"); wide++) {
        const char *type = wide ? "double" : "float";
        add_subtractions(source, type, "global");
        add_subtractions(source, type, "local");
        if (generic)
            add_subtractions(source, type, "");
    }
}

/* ---- the atomics of OpenCL 1.x --------------------------------------------------------------- */

static const struct {
    const char *name;
    unsigned signed_opcode, unsigned_opcode; /* opcodes for int and for uint */
    const char *parameters;                  /* parameters after the pointer */
    const char *operands;                    /* operands after scope and semantics */
} legacy_atomics[] = {
    {"add", 234, 234, "x", "a1"}, {"sub", 235, 235, "x", "a1"}, {"xchg", 229, 229, "x", "a1"},
    {"inc", 232, 232, "", ""},    {"dec", 233, 233, "", ""},    {"cmpxchg", 230, 230, "xx", "c0a2a1"},
    {"min", 236, 237, "x", "a1"}, {"max", 238, 239, "x", "a1"}, {"and", 240, 240, "x", "a1"},
    {"or", 241, 241, "x", "a1"},  {"xor", 242, 242, "x", "a1"},
};

/* Relaxed; the scope is the device (1 in SPIR-V) on global memory, the work-group (2) on local memory. */
static void add_legacy_atomic(struct text *source, const char *prefix, size_t row, const char *type,
                              bool is_unsigned, bool local)
{
    const char *space = local ? "local" : "global", *name = legacy_atomics[row].name,
               *parameters = legacy_atomics[row].parameters;
    text_addf(source, OVERLOAD "%s %s_%s(volatile %s %s *", type, prefix, name, space, type);
    for (size_t i = 0; parameters[i]; i++)
        text_addf(source, ", %s", type);
    text_addf(source, ") __asm(\"__orrery_op%u_a0c%uc0%s_%s_%s_%s\");",
              is_unsigned ? legacy_atomics[row].unsigned_opcode : legacy_atomics[row].signed_opcode,
              local ? 2 : 1, legacy_atomics[row].operands, prefix, space, type);
}

/* The translator gives these atomics the scope of the work-group on every memory, so functions replace
 * them. */
static void add_legacy_atomics(const struct compilation *compilation, struct text *source)
{
    static const char *const types[] = {"int", "uint", "long", "ulong"};
    const size_t atom_types = compilation->request->int64_atomics ? 4 : 2;
    if (!compile_may_name(compilation, "atom"))
        return;
    for (int local = 0; local < 2; local++) {
        for (size_t row = 0; row < COUNT_OF(legacy_atomics); row++) {
            for (size_t type = 0; type < atom_types; type++)
                add_legacy_atomic(source, "atom", row, types[type], type % 2, local);
            for (size_t type = 0; type < 2; type++)
                add_legacy_atomic(source, "atomic", row, types[type], type % 2, local);
        }
        add_legacy_atomic(source, "atomic", 2, "float", false, local);
    }
    text_add(source, "\n");
}

/* ---- cl_khr_integer_dot_product -------------------------------------------------------------- */

/* In SPIR-V the signed factor is the first operand. */
static void add_dot_products(const struct compilation *compilation, struct text *source)
{
    static const struct {
        const char *result, *a, *b, *packed, *operands;
        unsigned opcode;
    } rows[] = {
        {"uint", "uchar4", "uchar4", "uu_uint", "a0a1", 4451},
        {"int", "char4", "char4", "ss_int", "a0a1", 4450},
        {"int", "uchar4", "char4", "us_int", "a1a0", 4452},
        {"int", "char4", "uchar4", "su_int", "a0a1", 4452},
    };
    define(source, "cl_khr_integer_dot_product");
    define(source, "__opencl_c_integer_dot_product_input_4x8bit");
    define(source, "__opencl_c_integer_dot_product_input_4x8bit_packed");
    for (size_t i = 0; i < COUNT_OF(rows) && names(compilation, "dot"); i++) {
        const char *r = rows[i].result, *a = rows[i].a, *b = rows[i].b, *packed = rows[i].packed,
                   *order = rows[i].operands;
        const unsigned opcode = rows[i].opcode;
        text_addf(source, OVERLOAD "%s dot(%s, %s) __asm(\"__orrery_op%u_%s_%s\");", r, a, b, opcode, order,
                  packed);
        text_addf(source, OVERLOAD "%s dot_acc_sat(%s, %s, %s) __asm(\"__orrery_op%u_%sa2_%s\");", r, a, b, r,
                  opcode + 3, order, packed);
        text_addf(source, OVERLOAD "%s dot_4x8packed_%s(uint, uint) __asm(\"__orrery_op%u_%sl0_packed_%s\");",
                  r, packed, opcode, order, packed);
        text_addf(source,
                  OVERLOAD
                  "%s dot_acc_sat_4x8packed_%s(uint, uint, %s) __asm(\"__orrery_op%u_%sa2l0_packed_%s\");\n",
                  r, packed, r, opcode + 3, order, packed);
    }
}

/* ---- cl_khr_work_group_uniform_arithmetic ---------------------------------------------------- */

static const struct {
    const char *name;
    unsigned integer, real; /* opcodes; 0: none for floating-point types */
} uniform_operations[] = {{"mul", 6401, 6402}, {"and", 6403, 0}, {"or", 6404, 0}, {"xor", 6405, 0}};

/* in the order of SPIR-V's GroupOperation */
static const char *const group_functions[] = {"reduce", "scan_inclusive", "scan_exclusive"};

static void add_uniform_function(const struct compile_request *request, struct text *source, size_t operation,
                                 unsigned function)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "float", "double", "half"};
    const bool present[] = {true, true, true, true, true, request->fp64, request->fp16};
    const char *name = uniform_operations[operation].name, *form = group_functions[function];
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const unsigned opcode =
            i < 4 ? uniform_operations[operation].integer : uniform_operations[operation].real;
        if (opcode && present[i])
            text_addf(source, OVERLOAD "%s work_group_%s_%s(%s) __asm(\"__orrery_op%u_c2l%ua0_%s\");",
                      types[i], form, name, types[i], opcode, function, types[i]);
    }
    if (operation)
        text_addf(source,
                  "bool __orrery_%s_logical_%s(bool) __asm(\"__orrery_op%u_c2l%ua0\");\n"
                  "#define work_group_%s_logical_%s(x) ((int)__orrery_%s_logical_%s((x) != 0))\n",
                  form, name, 6405 + (unsigned)operation, function, form, name, form, name);
}

static void add_uniform_arithmetic(const struct compilation *compilation, struct text *source)
{
    const struct compile_request *request = compilation->request;
    const bool present = compilation->cl_std >= 200 && request->work_group_collectives;
    if (!present)
        return;
    define(source, "cl_khr_work_group_uniform_arithmetic");
    if (!names(compilation, "work_group_reduce_") && !names(compilation, "work_group_scan_"))
        return;
    if (request->fp16)
        text_add(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (size_t operation = 0; operation < COUNT_OF(uniform_operations); operation++)
        for (unsigned function = 0; function < COUNT_OF(group_functions); function++)
            add_uniform_function(request, source, operation, function);
    text_add(source, "\n");
    if (request->fp16)
        text_add(source, "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n");
}

/* ---- cl_khr_kernel_clock --------------------------------------------------------------------- */

/* The constant is SPIR-V's number of the scope. */
static void add_clocks(const struct compilation *compilation, struct text *source)
{
    static const char *const scopes[] = {"device", "work_group", "sub_group"};
    if (!compilation->request->kernel_clock)
        return;
    define(source, "cl_khr_kernel_clock");
    for (unsigned i = 0; i < 2u + compilation->request->sub_groups; i++) {
        text_addf(source,
                  "#undef __opencl_c_kernel_clock_scope_%s\n#define __opencl_c_kernel_clock_scope_%s 1\n",
                  scopes[i], scopes[i]);
        if (names(compilation, "clock_read_"))
            text_addf(source,
                      "ulong clock_read_%s(void) __asm(\"__orrery_op5056_c%u\");"
                      "uint2 clock_read_hilo_%s(void) __asm(\"__orrery_op5056_c%u_hilo\");\n",
                      scopes[i], i + 1, scopes[i], i + 1);
    }
}

/* ---- barriers of sub-groups ------------------------------------------------------------------ */

/* Without an argument the scope is the sub-group (3 in SPIR-V), but the translator takes the work-group. */
static void add_sub_group_barrier(const struct compilation *compilation, struct text *source)
{
    if (compilation->request->sub_groups && names(compilation, "sub_group_barrier"))
        text_add(source, "#if defined(cl_intel_subgroups) || defined(cl_khr_subgroups) || "
                         "defined(__opencl_c_subgroups)\n" OVERLOAD
                         "__attribute__((convergent)) void sub_group_barrier(cl_mem_fence_flags) "
                         "__asm(\"__orrery_op224_c3c3f0\");\n#endif\n");
}

/* ---- cl_khr_subgroup_named_barrier ----------------------------------------------------------- */

/* The header declares these for C++ only. A barrier is a pointer that is never dereferenced. */
static void add_named_barriers(const struct compilation *compilation, struct text *source)
{
    if (!compilation->request->named_barriers || !compilation->request->sub_groups)
        return;
    define(source, "cl_khr_subgroup_named_barrier");
    if (!names(compilation, "named_barrier"))
        return;
    text_add(source, "typedef struct __orrery_named_barrier named_barrier_t;"
                     "local named_barrier_t *named_barrier_init(uint) __asm(\"__orrery_op328_a0\");" OVERLOAD
                     "void work_group_named_barrier(local named_barrier_t *, cl_mem_fence_flags) "
                     "__asm(\"__orrery_op329_a0c2f1\");\n");
    if (compilation->cl_std >= 200)
        text_add(source, OVERLOAD
                 "void work_group_named_barrier(local named_barrier_t *, cl_mem_fence_flags, memory_scope)"
                 " __asm(\"__orrery_op329_a0s2f1\");\n");
}

void extensions_add_functions(const struct compilation *compilation, struct text *source)
{
    /* OpenCL C 3.0, 6.15.15.7; clang's header lacks the first one, and the others in C++ */
    text_add(source, "#ifndef CLK_UNORM_INT_101010_2\n#define CLK_UNORM_INT_101010_2 0x10E0\n#endif\n"
                     "#if defined(__OPENCL_CPP_VERSION__) && !defined(CLK_sRGB)\n"
                     "#define CLK_sRGB 0x10BF\n#define CLK_sRGBx 0x10C0\n#define CLK_sRGBA 0x10C1\n"
                     "#define CLK_sBGRA 0x10C2\n#define CLK_ABGR 0x10C3\n#endif\n");
    add_legacy_atomics(compilation, source);
    add_float_atomics(compilation, source);
    add_dot_products(compilation, source);
    add_uniform_arithmetic(compilation, source);
    add_clocks(compilation, source);
    add_sub_group_barrier(compilation, source);
    add_named_barriers(compilation, source);
    if (compilation->request->images && compilation->request->srgb_writes && compilation->cl_std >= 200)
        define(source, "cl_khr_srgb_image_writes"); /* A precompiled header loses this macro. */
}
