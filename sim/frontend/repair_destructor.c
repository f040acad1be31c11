/* SPDX-License-Identifier: Apache-2.0 */
/* Destructors of program-scope objects of C++ for OpenCL. clang makes each initialiser call __cxa_atexit
 * with the destructor and (because address spaces differ) without the object. SPIR-V for OpenCL has neither
 * that function nor function pointers. The calls become a kernel that runs when the program ends (a
 * finalizer), with the object as argument. Objects of a type are registered in the order of their variables
 * in the module. The destructor of an array finds its object itself. */
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "compile.h"
#include "spirv_words.h"

enum { KERNEL_WORDS = 32, CALL_WORDS = 12 }; /* at most */
enum { FUNCTION_POINTERS = SpvCapabilityFunctionPointersINTEL };

static const char *const initialiser_prefix = "__cxx_global_var_init", *const registration = "__cxa_atexit",
                         *const handle = "__dso_handle", *const constructors = "llvm.global_ctors",
                         *const extension = "SPV_INTEL_function_pointers";

/* What is known of an id. */
struct destructor_entry {
    const uint32_t *definition; /* the instruction that defines it; NULL: none */
    uint32_t function;          /* of a function pointer, or a cast of one: the function */
    uint32_t first_parameter;   /* of a function: the type of its first parameter */
    bool initialiser, removed;  /* removed: with all names and types that refer to it */
    bool used;                  /* a variable whose destructor call is found */
};

struct destructor_call {
    uint32_t destructor;
    uint32_t object; /* a variable; 0: the destructor of an array, which gets a null pointer */
    uint32_t argument;
};

struct destructors {
    const struct spirv *spirv;
    struct destructor_entry *entries; /* by id */
    uint32_t bound, next;
    uint32_t registrar;             /* id of __cxa_atexit; 0: not in the module */
    uint32_t void_type, plain_type; /* types of void, and of functions without parameters that return void */
    struct destructor_call *calls;  /* in the order of registration */
    size_t count;
};

/* The translator gives no id beyond the bound; id 0 is used for such. */
static struct destructor_entry *entry(const struct destructors *all, uint32_t id)
{
    return &all->entries[id < all->bound ? id : 0];
}

static const uint32_t *definition_of(const struct destructors *all, uint32_t id, uint32_t opcode)
{
    const uint32_t *made = entry(all, id)->definition;
    return made && opcode_of(*made) == opcode ? made : NULL;
}

/* ---- what there is -------------------------------------------------------------------------- */

static void name_id(struct destructors *all, uint32_t id, const char *name)
{
    if (strcmp(name, registration) == 0)
        all->registrar = id;
    if (strcmp(name, registration) == 0 || strcmp(name, handle) == 0 || strcmp(name, constructors) == 0)
        entry(all, id)->removed = true;
    entry(all, id)->initialiser |= strncmp(name, initialiser_prefix, strlen(initialiser_prefix)) == 0;
}

/* A cast of a function pointer is one, too. Composite constants of them are removed: only the list of
 * constructors has any. */
static void note_pointer(struct destructors *all, const uint32_t *w)
{
    const uint32_t opcode = opcode_of(*w), count = length_of(*w);
    uint32_t from = opcode == SpvOpBitcast                                  ? w[3]
                    : opcode == SpvOpSpecConstantOp && w[3] == SpvOpBitcast ? w[4]
                                                                            : 0;
    if (opcode == SpvOpConstantFunctionPointerINTEL)
        entry(all, w[2])->function = w[3];
    else if (from)
        entry(all, w[2])->function = entry(all, from)->function;
    for (uint32_t i = 3; opcode == SpvOpConstantComposite && i < count; i++)
        entry(all, w[2])->removed |= (entry(all, w[i])->removed || entry(all, w[i])->function);
    entry(all, w[2])->removed |= entry(all, w[2])->function != 0;
}

/* A type is removed if it is a pointer to a function or contains such a type. words[from] and later words
 * are the contained types. */
static void note_type(struct destructors *all, const uint32_t *w, uint32_t from)
{
    entry(all, w[1])->definition = w;
    for (uint32_t i = from; i < length_of(*w); i++)
        entry(all, w[1])->removed |=
            (entry(all, w[i])->removed ||
             (opcode_of(*w) == SpvOpTypePointer && definition_of(all, w[i], SpvOpTypeFunction)));
}

static void note_instruction(struct destructors *all, const uint32_t *w)
{
    switch (opcode_of(*w)) {
    case SpvOpName: name_id(all, w[1], (const char *)(w + 2)); break;
    case SpvOpTypeVoid: all->void_type = w[1]; break;
    case SpvOpTypeFunction:
        if (length_of(*w) == 3 && w[2] == all->void_type)
            all->plain_type = w[1];
        note_type(all, w, 2);
        break;
    case SpvOpTypeArray:
    case SpvOpTypeStruct: note_type(all, w, 2); break;
    case SpvOpTypePointer: note_type(all, w, 3); break;
    case SpvOpVariable: entry(all, w[2])->definition = w; break;
    case SpvOpFunction: {
        const uint32_t *type = definition_of(all, w[4], SpvOpTypeFunction);
        entry(all, w[2])->first_parameter = type && length_of(*type) > 3 ? type[3] : 0;
        break;
    }
    case SpvOpConstantFunctionPointerINTEL:
    case SpvOpBitcast:
    case SpvOpSpecConstantOp:
    case SpvOpConstantComposite: note_pointer(all, w); break;
    }
}

static bool registers(const struct destructors *all, const uint32_t *w)
{
    const bool calls = opcode_of(*w) == SpvOpFunctionCall && w[3] == all->registrar && all->registrar;
    return calls && length_of(*w) > 4 && entry(all, w[4])->function;
}

static uint32_t pointee(const struct destructors *all, uint32_t type)
{
    const uint32_t *pointer = definition_of(all, type, SpvOpTypePointer);
    return pointer ? pointer[3] : 0;
}

/* The next unused variable of the destructor's class; 0: the destructor is of an array, not of a class. */
static uint32_t take_object(struct destructors *all, uint32_t destructor)
{
    const uint32_t type = pointee(all, entry(all, destructor)->first_parameter);
    const struct spirv *spirv = all->spirv;
    for (size_t at = HEADER_WORDS; at < spirv->word_count && definition_of(all, type, SpvOpTypeStruct);
         at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at;
        if (opcode_of(*w) != SpvOpVariable || w[3] != SpvStorageClassCrossWorkgroup ||
            pointee(all, w[1]) != type || entry(all, w[2])->used)
            continue;
        entry(all, w[2])->used = true;
        return w[2];
    }
    return 0;
}

/* Finds the destructors that initialisers register. */
static void find_calls(struct destructors *all)
{
    bool in_initialiser = false;
    const struct spirv *spirv = all->spirv;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at;
        if (opcode_of(*w) == SpvOpFunction)
            in_initialiser = entry(all, w[2])->initialiser;
        if (in_initialiser && registers(all, w)) {
            const uint32_t destructor = entry(all, w[4])->function;
            CHECKED(destructor); /* by registers() */
            all->calls[all->count++] = (struct destructor_call){
                .destructor = destructor, .object = take_object(all, destructor), .argument = all->next++};
        }
    }
}

/* ---- the kernel ------------------------------------------------------------------------------- */

static uint32_t *put(uint32_t *out, uint32_t opcode, uint32_t count, const uint32_t *operands)
{
    *out = instruction_word(opcode, count + 1);
    if (count)
        memcpy(out + 1, operands, count * sizeof *out);
    return out + 1 + count;
}

#define PUT(out, opcode, ...)                                                    \
    put(out, opcode, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
        (const uint32_t[]){__VA_ARGS__})

static uint32_t *put_nulls(const struct destructors *all, uint32_t *out)
{
    for (const struct destructor_call *call = all->calls; call < all->calls + all->count; call++)
        if (!call->object)
            out = PUT(out, SpvOpConstantNull, entry(all, call->destructor)->first_parameter, call->argument);
    return out;
}

/* Calls the destructors in reverse order of construction. */
static uint32_t *put_kernel(struct destructors *all, uint32_t kernel, uint32_t *out)
{
    out = PUT(out, SpvOpFunction, all->void_type, kernel, SpvFunctionControlDontInlineMask, all->plain_type);
    out = PUT(out, SpvOpLabel, all->next++);
    for (const struct destructor_call *call = all->calls + all->count; call-- > all->calls;) {
        if (call->object)
            out = PUT(out, SpvOpPtrCastToGeneric, entry(all, call->destructor)->first_parameter,
                      call->argument, call->object);
        out = PUT(out, SpvOpFunctionCall, all->void_type, all->next++, call->destructor, call->argument);
    }
    out = put(out, SpvOpReturn, 0, NULL);
    return put(out, SpvOpFunctionEnd, 0, NULL);
}

/* ---- the module ------------------------------------------------------------------------------- */

static bool is_removed(const struct destructors *all, const uint32_t *w)
{
    const uint32_t id = length_of(*w) > 1 ? w[1] : 0, made = length_of(*w) > 2 ? w[2] : 0;
    switch (opcode_of(*w)) {
    case SpvOpCapability: return id == FUNCTION_POINTERS;
    case SpvOpExtension: return strcmp((const char *)(w + 1), extension) == 0;
    case SpvOpName:
    case SpvOpDecorate:
    case SpvOpTypeArray:
    case SpvOpTypeFunction:
    case SpvOpTypePointer:
    case SpvOpTypeStruct: return entry(all, id)->removed;
    case SpvOpVariable:
    case SpvOpConstantFunctionPointerINTEL:
    case SpvOpConstantComposite:
    case SpvOpSpecConstantOp:
    case SpvOpBitcast: return entry(all, made)->removed;
    default: return registers(all, w);
    }
}

/* Copies the module without what is removed, and inserts the kernel. Initialisers are entry points with an
 * execution mode, so the module has entry points and modes to insert the kernel's before. */
static size_t put_module(struct destructors *all, uint32_t *words)
{
    static const char name[8] = "_DTORS";
    const struct spirv *spirv = all->spirv;
    const uint32_t kernel = all->count ? all->next++ : 0;
    uint32_t *out = words + HEADER_WORDS, literal[2], before = kernel ? SpvOpEntryPoint : 0;
    bool skipping = false;
    memcpy(words, spirv->words, HEADER_WORDS * sizeof *words);
    memcpy(literal, name, sizeof literal);
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at, opcode = opcode_of(*w);
        if (opcode == before && before == SpvOpEntryPoint) {
            out = PUT(out, SpvOpEntryPoint, SpvExecutionModelKernel, kernel, literal[0], literal[1]);
            before = SpvOpExecutionMode;
        } else if (opcode == before && before == SpvOpExecutionMode) {
            out = PUT(out, SpvOpExecutionMode, kernel, SpvExecutionModeFinalizer);
            before = SpvOpFunction;
        } else if (opcode == before && before == SpvOpFunction) {
            out = put_nulls(all, out);
            before = 0;
        }
        skipping |= opcode == SpvOpFunction && entry(all, w[2])->removed; /* its type is undefined now */
        if (!skipping && !is_removed(all, w)) {
            memcpy(out, w, length_of(*w) * sizeof *out);
            out += length_of(*w);
        }
        skipping &= opcode != SpvOpFunctionEnd;
    }
    if (kernel)
        out = put_kernel(all, kernel, out);
    words[BOUND_WORD] = all->next;
    return (size_t)(out - words);
}

/* Does the module have function pointers? *out_calls: an upper bound of the registrations. */
static bool has_pointers(const struct spirv *spirv, size_t *out_calls)
{
    bool found = false;
    *out_calls = 0;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at;
        found |= opcode_of(*w) == SpvOpCapability && w[1] == FUNCTION_POINTERS;
        *out_calls += opcode_of(*w) == SpvOpFunctionCall;
    }
    return found;
}

enum status repair_destructors(struct spirv *spirv)
{
    size_t most;
    if (!has_pointers(spirv, &most))
        return STATUS_OK;
    const uint32_t bound = spirv->words[BOUND_WORD];
    struct destructors all = {.spirv = spirv,
                              .bound = bound,
                              .next = bound,
                              .entries = calloc(bound, sizeof *all.entries),
                              .calls = calloc(most + 1, sizeof *all.calls)};
    uint32_t *words = malloc((spirv->word_count + KERNEL_WORDS + most * CALL_WORDS) * sizeof *words);
    const enum status status = all.entries && all.calls && words ? STATUS_OK : STATUS_OUT_OF_MEMORY;
    for (size_t at = HEADER_WORDS; !status && at < spirv->word_count; at += length_of(spirv->words[at]))
        note_instruction(&all, spirv->words + at);
    if (!status) {
        find_calls(&all);
        const size_t put = put_module(&all, words);
        spirv_take(spirv, words, put);
        words = NULL;
    }
    free(words);
    free(all.entries);
    free(all.calls);
    return status;
}
