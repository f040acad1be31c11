"""The host's side of random_kernels.py: OpenCL C compiled by clang for the processor itself.

The built-in functions are written here from the text of the specification, in
OpenCL C; work-items are fibres of one thread that change at barriers.
"""
import os
import subprocess

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64,
        "float": 32, "double": 64}
INTEGERS = [t for t in BITS if t not in ("float", "double")]
WIDTHS = (2, 3, 4, 8, 16)

# T: type, U: its unsigned one, N: bits, MIN, MAX: its limits
SCALAR_FUNCTIONS = """
OVER T min(T a, T b) { return a < b ? a : b; }
OVER T max(T a, T b) { return a < b ? b : a; }
OVER T rotate(T a, T b) { U s = (U)b & (N - 1); return (T)(((U)a << s) | ((U)a >> ((N - s) & (N - 1)))); }
OVER T popcount(T a) { return (T)__builtin_popcountll((ulong)(U)a); }
OVER T clz(T a) { T n = 0; for (int k = N - 1; k >= 0 && !((ulong)(U)a >> k & 1); k--) n++; return n; }
OVER T hadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + (a & b & 1)); }
OVER T rhadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + ((a | b) & 1)); }
OVER T bitselect(T a, T b, T c) { return (T)((a & ~c) | (b & c)); }
OVER U abs_diff(T a, T b) { return a > b ? (U)((ulong)a - (ulong)b) : (U)((ulong)b - (ulong)a); }
"""
SIGNED_FUNCTIONS = """
OVER T add_sat(T a, T b) { T r = (T)((ulong)a + (ulong)b); return (T)((a ^ r) & (b ^ r)) < 0 ? (a < 0 ? MIN : MAX) : r; }
OVER T sub_sat(T a, T b) { T r = (T)((ulong)a - (ulong)b); return (T)((a ^ b) & (a ^ r)) < 0 ? (a < 0 ? MIN : MAX) : r; }
"""
UNSIGNED_FUNCTIONS = """
OVER T add_sat(T a, T b) { T r = (T)((ulong)a + (ulong)b); return r < a ? MAX : r; }
OVER T sub_sat(T a, T b) { return a < b ? 0 : (T)((ulong)a - (ulong)b); }
"""
FLOAT_FUNCTIONS = """
OVER T sqrt(T a) { return __builtin_sqrtF(a); }
OVER T floor(T a) { return __builtin_floorF(a); }
OVER T ceil(T a) { return __builtin_ceilF(a); }
OVER T trunc(T a) { return __builtin_truncF(a); }
OVER T rint(T a) { return __builtin_rintF(a); }
OVER T fabs(T a) { return __builtin_fabsF(a); }
OVER T fma(T a, T b, T c) { return __builtin_fmaF(a, b, c); }
"""
ONE, TWO, THREE = ["popcount", "clz"], ["min", "max", "rotate", "hadd", "rhadd", "add_sat", "sub_sat", "abs_diff"], ["bitselect"]


def unsigned(base):
    return base if base[0] == "u" else "u" + base


def limits(base):
    bits = BITS[base]
    if base[0] == "u":
        return "0", f"(({base})~({base})0)"
    top = f"(({base})(((ulong)1 << {bits - 1}) - 1))"
    return f"(({base})(-{top} - 1))", top


def lanes(result, name, types, width):
    """The function of vectors, component by component."""
    names = "abc"[:len(types)]
    arguments = ", ".join(f"{t}{width} {n}" for t, n in zip(types, names))
    values = ", ".join(f"{n}[k]" for n in names)
    return (f"OVER {result}{width} {name}({arguments}) {{ {result}{width} r; for (int k = 0; k < {width}; k++) "
            f"r[k] = {name}({values}); return r; }}\n")


def integer_functions(base):
    low, high = limits(base)
    text = SCALAR_FUNCTIONS + (UNSIGNED_FUNCTIONS if base[0] == "u" else SIGNED_FUNCTIONS)
    functions = [("popcount", 1), ("clz", 1), ("bitselect", 3)] + [(n, 2) for n in TWO]
    if BITS[base] < 64:
        text += "OVER T mul_hi(T a, T b) { return (T)(((%s)a * (%s)b) >> N); }\n" % ((("ulong",) if base[0] == "u" else ("long",)) * 2)
        functions.append(("mul_hi", 2))
    for source in ("float", "double"):
        # the first value above the largest one is a power of two
        top = f"{2.0 ** (BITS[base] - (base[0] != 'u'))!r}"
        text += (f"OVER T convert_{base}_sat({source} x) {{ return x != x ? 0 : x >= ({source}){top} ? MAX : "
                 f"x <= ({source})MIN ? MIN : (T)x; }}\n")
    words = {"T": base, "U": unsigned(base), "N": str(BITS[base]), "MIN": low, "MAX": high}
    text = "".join(words.get(w, w) for w in split_words(text))
    for width in WIDTHS:
        for name, count in functions:
            text += lanes(unsigned(base) if name == "abs_diff" else base, name, [base] * count, width)
        for source in ("float", "double"):
            text += (f"OVER {base}{width} convert_{base}{width}_sat({source}{width} a) {{ {base}{width} r; "
                     f"for (int k = 0; k < {width}; k++) r[k] = convert_{base}_sat(a[k]); return r; }}\n")
    return text


# T: type of the result, S: of the operand
SATURATING = "OVER T convert_T_sat(S x) { return x > (WIDE)MAX ? MAX : LOW ? MIN : (T)x; }\n"


def more_integer_functions(base):
    """Those of random_kernels_forms.py."""
    low, high = limits(base)
    bits, signed = BITS[base], base[0] != "u"
    wide = "long" if signed else "ulong"
    text, functions = "", [("clamp", [base] * 3, base), ("abs", [base], unsigned(base))]
    text += f"OVER {base} clamp({base} x, {base} a, {base} b) {{ return x < a ? a : x > b ? b : x; }}\n"
    text += f"OVER {unsigned(base)} abs({base} x) {{ return x < 0 ? ({unsigned(base)})-(ulong)x : ({unsigned(base)})x; }}\n"
    if bits < 64:
        text += (f"OVER {base} mad_sat({base} a, {base} b, {base} c) {{ {wide} r = ({wide})a * ({wide})b + ({wide})c; "
                 f"return r > ({wide}){high} ? {high} : " + (f"r < ({wide}){low} ? {low} : " if signed else "") + f"({base})r; }}\n"
                 f"OVER {base} mad_hi({base} a, {base} b, {base} c) {{ return mul_hi(a, b) + c; }}\n")
        functions += [("mad_sat", [base] * 3, base), ("mad_hi", [base] * 3, base)]
    if bits == 32:
        text += f"OVER {base} mul24({base} a, {base} b) {{ return ({base})((ulong)a * (ulong)b); }}\n"
        functions.append(("mul24", [base] * 2, base))
    if bits > 8:
        half = {16: "char", 32: "short", 64: "int"}[bits]
        top, other = (half if signed else "u" + half), "u" + half
        text += f"OVER {base} upsample({top} a, {other} b) {{ return ({base})((ulong)a << {bits // 2} | b); }}\n"
        functions.append(("upsample", [top, other], base))
    for source in INTEGERS:
        test = "0" if source[0] == "u" else f"(long)x < {'(long)' + low if signed else '0'}"
        above = f"x > 0 && (ulong)x > (ulong){high}"
        text += f"OVER {base} convert_{base}_sat({source} x) {{ return {test} ? {low} : {above} ? {high} : ({base})x; }}\n"
        text += "".join(lanes(base, f"convert_{base}_sat", [source], w).replace(f"convert_{base}_sat({source}{w}", f"convert_{base}{w}_sat({source}{w}")
                        for w in (2, 4))
    for source in ("float", "double"):
        for mode, name in (("rte", "rint"), ("rtp", "ceil"), ("rtn", "floor"), ("rtz", "trunc")):
            text += f"OVER {base} convert_{base}_sat_{mode}({source} x) {{ return convert_{base}_sat({name}(x)); }}\n"
    for mask in (base.lstrip("u"), "u" + base.lstrip("u")):
        text += f"OVER {base} select({base} a, {base} b, {mask} c) {{ return c ? b : a; }}\n" + selects(base, mask)
    if bits < 64:
        text += shuffles(base, "u" + base.lstrip("u"))
    return text + "".join(lanes(result, name, types, w) for w in WIDTHS for name, types, result in functions)


def selects(base, mask):
    return "".join(f"OVER {base}{w} select({base}{w} a, {base}{w} b, {mask}{w} c) {{ for (int k = 0; k < {w}; k++) if (c[k] >> {BITS[mask] - 1} & 1) "
                   f"a[k] = b[k]; return a; }}\n" for w in WIDTHS)


def shuffles(base, mask):
    text = ""
    for w in (2, 4, 8, 16):
        for n in (2, 4, 8):
            text += (f"OVER {base}{w} shuffle({base}{n} a, {mask}{w} m) {{ {base}{w} r; for (int k = 0; k < {w}; k++) r[k] = a[m[k] & {n - 1}]; return r; }}\n"
                     f"OVER {base}{w} shuffle2({base}{n} a, {base}{n} b, {mask}{w} m) {{ {base}{w} r; for (int k = 0; k < {w}; k++) "
                     f"r[k] = m[k] & {n} ? b[m[k] & {n - 1}] : a[m[k] & {n - 1}]; return r; }}\n")
    return text


MORE_FLOATS = """
OVER T fmin(T a, T b) { return a != a ? b : b != b ? a : a < b ? a : b; }
OVER T fmax(T a, T b) { return a != a ? b : b != b ? a : a > b ? a : b; }
OVER T fdim(T a, T b) { return a != a || b != b ? a + b : a > b ? a - b : 0; }
OVER T fmod(T a, T b) { return __builtin_fmodF(a, b); }
OVER T remainder(T a, T b) { return __builtin_remainderF(a, b); }
OVER T copysign(T a, T b) { return __builtin_copysignF(a, b); }
OVER T nextafter(T a, T b) { return __builtin_nextafterF(a, b); }
OVER T round(T a) { return __builtin_roundF(a); }
OVER T sign(T a) { return a > 0 ? 1 : a < 0 ? -1 : a != a ? 0 : a; }
OVER T ldexp(T a, int n) { return __builtin_ldexpF(a, n); }
OVER T frexp(T a, int *e) { return __builtin_frexpF(a, e); }
OVER T modf(T a, T *whole) { return __builtin_modfF(a, whole); }
"""


def more_float_functions(base):
    text = MORE_FLOATS.replace("F(", "f(" if base == "float" else "(")
    text = "".join({"T": base}.get(w, w) for w in split_words(text))
    mask = "int" if base == "float" else "long"
    for w in WIDTHS:
        for name in ("fmin", "fmax", "fdim", "fmod", "remainder", "copysign", "nextafter"):
            text += lanes(base, name, [base] * 2, w)
        text += lanes(base, "round", [base], w) + lanes(base, "sign", [base], w) + lanes(base, "ldexp", [base, "int"], w)
        for name, test in (("isless", "a[k] < b[k]"), ("isequal", "a[k] == b[k]"), ("isgreater", "a[k] > b[k]"),
                           ("isunordered", "a[k] != a[k] || b[k] != b[k]")):
            text += f"OVER {mask}{w} {name}({base}{w} a, {base}{w} b) {{ {mask}{w} r; for (int k = 0; k < {w}; k++) r[k] = -({test}); return r; }}\n"
        text += (f"OVER int any({mask}{w} a) {{ for (int k = 0; k < {w}; k++) if (a[k] < 0) return 1; return 0; }}\n"
                 f"OVER int all({mask}{w} a) {{ for (int k = 0; k < {w}; k++) if (a[k] >= 0) return 0; return 1; }}\n")
    text += f"OVER {base} select({base} a, {base} b, {mask} c) {{ return c ? b : a; }}\n" + selects(base, mask)
    for source in ("int", "uint", "long", "ulong") + (("double",) if base == "float" else ()):
        text += roundings(base, source)
    return text


def roundings(base, source):
    """To nearest by the processor; then the neighbour, if that went the wrong way."""
    above = "(double)r > x" if source == "double" else f"r >= 0x1p{BITS[source] - (source[0] != 'u')}{'f' if base == 'float' else ''} || ({source})r > x"
    below = "(double)r < x" if source == "double" else f"!({above}) && ({source})r < x"
    inf = "__builtin_inff()" if base == "float" else "__builtin_inf()"
    down, up = f"nextafter(r, -{inf})", f"nextafter(r, {inf})"
    head = f"({source} x) {{ {base} r = ({base})x; "
    return (f"OVER {base} convert_{base}_rte{head}return r; }}\nOVER {base} convert_{base}_rtp{head}return {below} ? {up} : r; }}\n"
            f"OVER {base} convert_{base}_rtn{head}return {above} ? {down} : r; }}\n"
            f"OVER {base} convert_{base}_rtz{head}return x > 0 && ({above}) ? {down} : x < 0 && ({below}) ? {up} : r; }}\n")


def float_functions(base):
    text = FLOAT_FUNCTIONS.replace("F(", "f(" if base == "float" else "(")
    text = "".join({"T": base}.get(w, w) for w in split_words(text))
    for width in WIDTHS:
        for name in ("sqrt", "floor", "ceil", "trunc", "rint", "fabs"):
            text += lanes(base, name, [base], width)
        text += lanes(base, "fma", [base] * 3, width)
    return text


def split_words(text):
    word, out = "", []
    for c in text:
        if c.isalnum() or c == "_":
            word += c
            continue
        if word:
            out.append(word)
        word = ""
        out.append(c)
    return out + ([word] if word else [])


# half as its bits: to nearest even; sums, products, quotients and roots of halves, rounded to float before, are right, since
# float has more than twice the digits and two more.
HALF = """
#undef cl_khr_fp16
typedef ushort h16;
static float h_float(h16 h) {
    const int e = h >> 10 & 31, m = h & 1023;
    const float v = e == 31 ? (m ? __builtin_nanf("") : __builtin_inff()) : e ? __builtin_ldexpf(m + 1024, e - 25) : __builtin_ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}
static h16 h_of(float x) {
    const uint bits = as_uint(x), sign = bits >> 16 & 0x8000, m = bits & 0x7fffffff;
    if (m > 0x7f800000) return (h16)(sign | 0x7e00);
    if (m >= 0x477ff000) return (h16)(sign | 0x7c00);
    if (m < 0x38800000) return (h16)(sign | (uint)__builtin_rintf(as_float(m) * 0x1p24f));
    return (h16)(sign | ((m + 0xfff + (m >> 13 & 1) - 0x38000000) >> 13));
}
static h16 h_add(h16 a, h16 b) { return h_of(h_float(a) + h_float(b)); }
static h16 h_sub(h16 a, h16 b) { return h_of(h_float(a) - h_float(b)); }
static h16 h_mul(h16 a, h16 b) { return h_of(h_float(a) * h_float(b)); }
static h16 h_div(h16 a, h16 b) { return h_of(h_float(a) / h_float(b)); }
static float h_near(float x, int way) { /* -1: down, 1: up, 0: to nearest, 2: to zero */
    h16 r = h_of(x); const float v = h_float(r);
    if (v == x || x != x || !way) return v;
    if (way == 2) way = x > 0 ? -1 : 1;
    if (way == 1 ? v > x : v < x) return v;
    if (way == 1) return h_float(v < 0 || r == 0x8000 ? (r == 0x8000 ? 1 : r - 1) : r + 1);
    return h_float(v > 0 || r == 0 ? (r == 0 ? 0x8001 : r - 1) : r + 1);
}
float h_kept_rte(float x) { return h_near(x, 0); }
float h_kept_rtz(float x) { return h_near(x, 2); }
float h_kept_rtp(float x) { return h_near(x, 1); }
float h_kept_rtn(float x) { return h_near(x, -1); }
static h16 h_sqrt(h16 a) { return h_of(__builtin_sqrtf(h_float(a))); }
"""


# Of a group; a sub-group has one work-item. What each gives is kept in an array.
GROUP = """
extern uint *group_values(void);
static size_t own_id(void) { return get_local_id(1) * get_local_size(0) + get_local_id(0); }
static size_t all_items(void) { return get_local_size(1) * get_local_size(0); }
static uint min_(uint a, uint b) { return a < b ? a : b; }
static uint max_(uint a, uint b) { return a > b ? a : b; }
static uint add_(uint a, uint b) { return a + b; }
static void all_give(uint x) { barrier(1); group_values()[own_id()] = x; barrier(1); }
#define GROUP_FUNCTIONS(op, first) \\
static uint up_to_##op(uint x, size_t end) { uint r = first; all_give(x); for (size_t k = 0; k < end; k++) r = op##_(r, group_values()[k]); barrier(1); return r; } \\
static uint work_group_reduce_##op(uint x) { return up_to_##op(x, all_items()); } \\
static uint work_group_scan_inclusive_##op(uint x) { return up_to_##op(x, own_id() + 1); } \\
static uint work_group_scan_exclusive_##op(uint x) { return up_to_##op(x, own_id()); }
GROUP_FUNCTIONS(add, 0)
GROUP_FUNCTIONS(min, 0xffffffffu)
GROUP_FUNCTIONS(max, 0)
static int work_group_any(int x) { return (int)work_group_reduce_max(x != 0); }
static int work_group_all(int x) { return (int)work_group_reduce_min(x != 0); }
static uint broadcast(uint x, uint from) {
    const size_t w = get_local_size(0), h = get_local_size(1);
    all_give(x);
    x = group_values()[h > 1 ? from / w % h * w + from % w : from % w];
    barrier(1);
    return x;
}
#define sub_group_reduce_add(x) (x)
#define get_sub_group_local_id() 0u
#define event_t int
#define async_work_group_copy(to, from, n, e) copied(to, from, n, 1)
#define async_work_group_strided_copy(to, from, n, stride, e) copied(to, from, n, stride)
#define wait_group_events(n, e)
static int copied(uint *to, const uint *from, size_t n, size_t stride) {
    barrier(1);
    for (size_t k = 0; k < n; k++) to[k] = from[k * stride];
    barrier(1);
    return 0;
}
"""


def prelude():
    text = ("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL FP_CONTRACT OFF\n"
            "#define OVER static __attribute__((overloadable))\n"
            "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint; typedef unsigned long ulong;\n"
            "typedef unsigned long size_t;\n")
    for base in BITS:
        text += f"#define as_{base}(x) __builtin_astype((x), {base})\n#define convert_{base}(x) (({base})(x))\n"
        for width in WIDTHS:
            name = f"{base}{width}"
            text += (f"typedef {base} {name} __attribute__((ext_vector_type({width})));\n"
                     f"#define as_{name}(x) __builtin_astype((x), {name})\n"
                     f"#define convert_{name}(x) __builtin_convertvector((x), {name})\n")
    text += "".join(integer_functions(t) for t in INTEGERS) + float_functions("float") + float_functions("double")
    text += "".join(more_float_functions(t) for t in ("float", "double")) + "".join(more_integer_functions(t) for t in INTEGERS)
    for width in WIDTHS:
        text += (f"OVER uint{width} vload{width}(size_t at, const uint *p) {{ uint{width} r; "
                 f"for (int k = 0; k < {width}; k++) r[k] = p[at * {width} + k]; return r; }}\n"
                 f"OVER void vstore{width}(uint{width} v, size_t at, uint *p) {{ "
                 f"for (int k = 0; k < {width}; k++) p[at * {width} + k] = v[k]; }}\n")
    for name, change in (("add", "*p + v"), ("min", "*p < v ? *p : v"), ("max", "*p < v ? v : *p"), ("and", "*p & v"),
                         ("or", "*p | v"), ("xor", "*p ^ v")):
        text += f"OVER void atomic_{name}(uint *p, uint v) {{ *p = {change}; }}\n"
    text += "OVER uint atomic_cmpxchg(uint *p, uint was, uint v) { uint r = *p; if (r == was) *p = v; return r; }\n"
    return text + HALF + ("#define CLK_LOCAL_MEM_FENCE 1\nvoid barrier(uint flags);\nsize_t get_global_id(uint d);\n"
                   "size_t get_local_id(uint d);\nsize_t get_global_size(uint d);\nsize_t get_local_size(uint d);\n" + GROUP)


DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

typedef void kernel(unsigned long *, const unsigned *, unsigned *, unsigned *);
struct launch { kernel *run; unsigned size[2], local[2]; unsigned in[32]; };
enum { ITEMS = 256, STACK = 1 << 18 };
static ucontext_t main_context, fibres[ITEMS];
static unsigned char ended[ITEMS];
static unsigned item, group[2];
static const struct launch *now;
static unsigned long *out;
static unsigned *sums, *mine;
unsigned *group_values(void) { static unsigned values[ITEMS]; return values; }

/* The last groups may be smaller. */
size_t get_local_size(unsigned d)
{
    if (d > 1)
        return 1;
    const unsigned left = now->size[d] - group[d] * now->local[d];
    return left < now->local[d] ? left : now->local[d];
}
size_t get_local_id(unsigned d) { return d == 0 ? item % get_local_size(0) : d == 1 ? item / get_local_size(0) : 0; }
size_t get_global_size(unsigned d) { return d < 2 ? now->size[d] : 1; }
size_t get_global_id(unsigned d) { return d < 2 ? group[d] * now->local[d] + get_local_id(d) : 0; }
void barrier(unsigned flags) { (void)flags; swapcontext(&fibres[item], &main_context); }

static void begin(void)
{
    now->run(out, now->in, sums, mine);
    ended[item] = 1;
}

static void run_group(void)
{
    static char stacks[ITEMS][STACK];
    const unsigned count = (unsigned)(get_local_size(0) * get_local_size(1));
    unsigned left = count;
    for (item = 0; item < count; item++) {
        getcontext(&fibres[item]);
        fibres[item].uc_stack.ss_sp = stacks[item];
        fibres[item].uc_stack.ss_size = STACK;
        fibres[item].uc_link = &main_context;
        makecontext(&fibres[item], begin, 0);
        ended[item] = 0;
    }
    while (left)
        for (item = 0; item < count; item++)
            if (!ended[item]) {
                swapcontext(&main_context, &fibres[item]);
                left -= ended[item];
            }
}

static void run(const struct launch *launch, const unsigned *first_sums)
{
    const unsigned items = launch->size[0] * launch->size[1];
    now = launch;
    out = calloc(items, sizeof *out);
    sums = malloc(6 * sizeof *sums);
    mine = aligned_alloc(64, (8 * items * sizeof *mine + 63) / 64 * 64);
    memcpy(sums, first_sums, 6 * sizeof *sums);
    for (unsigned i = 0; i < 8 * items; i++)
        mine[i] = 9;
    for (group[1] = 0; group[1] * launch->local[1] < launch->size[1]; group[1]++)
        for (group[0] = 0; group[0] * launch->local[0] < launch->size[0]; group[0]++)
            run_group();
    for (unsigned i = 0; i < items; i++)
        printf("%lu ", out[i]);
    puts("");
    for (unsigned i = 0; i < 6; i++)
        printf("%u ", sums[i]);
    puts("");
    for (unsigned i = 0; i < 8 * items; i++)
        printf("%u ", mine[i]);
    puts("");
    free(out);
    free(sums);
    free(mine);
}
"""


def clang():
    return os.environ.get("RANDOM_KERNELS_CLANG", "clang-14").split()


def prepared(folder):
    """The prelude, compiled once for all programs."""
    path = os.path.join(folder, "prelude.cl")
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write(prelude())
    return path


def values(folder, text, kernels):
    """Of each kernel the three buffers that it writes, as words."""
    source, driver = os.path.join(folder, "host.cl"), os.path.join(folder, "host.c")
    with open(source, "w") as file:
        file.write(f'#include "{prepared(folder)}"\n' + text)
    with open(driver, "w") as file:
        file.write(DRIVER + "".join(f"kernel k{k.number};\n" for k in kernels))
        file.write("int main(void)\n{\nstatic const unsigned first[6] = {0, ~0u, 0, ~0u, 0, 0};\n")
        for k in kernels:
            size, local = (list(k.size) + [1])[:2], (list(k.local) + [1])[:2]
            file.write(f"run(&(struct launch){{k{k.number}, {{{size[0]}, {size[1]}}}, {{{local[0]}, {local[1]}}}, "
                       f"{{{', '.join(str(v) + 'u' for v in k.input)}}}}}, first);\n")
        file.write("return 0;\n}\n")
    base = clang() + ["-w", "-O0", "-ffp-contract=off"]
    compiled, program = os.path.join(folder, "host.o"), os.path.join(folder, "host")
    quiet = {"check": True, "capture_output": True, "timeout": 300}
    subprocess.run(base + ["-x", "cl", "-cl-std=CL2.0", "-cl-no-stdinc", "-c", source, "-o", compiled], **quiet)
    subprocess.run(base + ["-o", program, driver, compiled, "-lm"], **quiet)
    lines = [line.split() for line in subprocess.run([program], **quiet).stdout.decode().splitlines()]
    return [lines[3 * k:3 * k + 3] for k in range(len(kernels))]
