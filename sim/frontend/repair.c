/* SPDX-License-Identifier: Apache-2.0 */
/* Translator output that validators reject. Positions exist twice: OpLine, which a reader of findings wants,
 * and OpenCL.DebugInfo.100 records, which go. Its own helper functions (for memory orders that are not
 * constant) have a linkage of a number that does not exist. get_global_id(3) becomes the fourth component of
 * a vector of three, which no module may use; with a computed index it may, and lowering follows OpenCL C.
 * Queues and device-side events are compared as if they were pointers. Literals of arrays and structures are
 * private variables outside of functions, where none may be. Variables stand among the constants of
 * composites. */
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "spirv_words.h"

static const char debug_set[] = "OpenCL.DebugInfo.100";

static bool literal_is(const uint32_t *words, uint32_t count, const char *string)
{
    size_t size = strlen(string) + 1;
    return count * sizeof *words >= size && !memcmp(words, string, size);
}

/* Writes the string's words at out, which may overlap it from below; returns how many. */
static uint32_t literal_put(uint32_t *out, const char *string)
{
    size_t size = strlen(string), count = size / sizeof *out + 1;
    memmove(out, string, size);
    memset((char *)out + size, 0, count * sizeof *out - size);
    return (uint32_t)count;
}

static bool is_debug(const uint32_t *words, uint32_t count, uint32_t debug_id)
{
    return opcode_of(words[0]) == SpvOpExtInst && count > 4 && debug_id && words[3] == debug_id;
}

static bool is_unknown_linkage(const uint32_t *words, uint32_t count)
{
    return opcode_of(words[0]) == SpvOpDecorate && count > 3 && words[2] == SpvDecorationLinkageAttributes &&
           words[count - 1] > SpvLinkageTypeLinkOnceODR;
}

/* Of the functions that clang_source defines: every module has its own. Those of operations.c are declared
 * alone. */
static bool is_own_linkage(const uint32_t *words, uint32_t count)
{
    static const char prefix[] = "__orrery_";
    return opcode_of(words[0]) == SpvOpDecorate && count > 5 && words[2] == SpvDecorationLinkageAttributes &&
           words[count - 1] == SpvLinkageTypeExport &&
           !strncmp((const char *)(words + 3), prefix, strlen(prefix));
}

/* A name below the compilation's directory loses that part and a leading "./". */
static const char *user_name(const char *name)
{
    size_t length = strlen(COMPILE_DIRECTORY);
    if (strncmp(name, COMPILE_DIRECTORY "/", length + 1))
        return name;
    name += length + 1;
    while (!strncmp(name, "./", 2))
        name += 2;
    return name;
}

/* Copies a string forward over itself; it can only have become shorter. */
static uint32_t put_string(uint32_t *out, const uint32_t *words)
{
    uint32_t id = words[1];
    uint32_t count = 2 + literal_put(out + 2, user_name((const char *)(words + 2)));
    out[0] = count << SpvWordCountShift | SpvOpString;
    out[1] = id;
    return count;
}

/* ---- components that built-in vectors lack ------------------------------------------------ */

enum { BUILTIN_COMPONENTS = 3, CONSTANT_WORDS = 5 };

struct extracts {
    uint8_t *builtin; /* per id: a built-in variable, or a value loaded from one */
    uint32_t bound;
    uint32_t type;  /* of the first of them: the index has the same type */
    uint32_t index; /* id of the constant; 0: none is needed */
};

static bool is_builtin(const struct extracts *extracts, uint32_t id)
{
    return id < extracts->bound && extracts->builtin[id];
}

/* In place: both forms have five words. */
static void extract_visit(struct extracts *extracts, uint32_t *words, uint32_t count)
{
    switch (opcode_of(words[0])) {
    case SpvOpDecorate:
        if (count == 4 && words[2] == SpvDecorationBuiltIn && words[1] < extracts->bound)
            extracts->builtin[words[1]] = 1;
        return;
    case SpvOpLoad:
        if (is_builtin(extracts, words[3]) && words[2] < extracts->bound)
            extracts->builtin[words[2]] = 1;
        return;
    case SpvOpCompositeExtract:
        if (count != 5 || words[4] < BUILTIN_COMPONENTS || !is_builtin(extracts, words[3]))
            return;
        if (!extracts->index) {
            extracts->type = words[1];
            extracts->index = extracts->bound;
        }
        words[0] = 5u << SpvWordCountShift | SpvOpVectorExtractDynamic;
        words[4] = extracts->index;
    }
}

/* Declares the index before the first function. */
static enum status declare_index(struct spirv *spirv, const struct extracts *extracts)
{
    uint32_t *words = realloc(spirv->words, (spirv->word_count + CONSTANT_WORDS) * sizeof *words), width = 32;
    size_t at = HEADER_WORDS;
    if (!words)
        return STATUS_OUT_OF_MEMORY;
    for (; opcode_of(words[at]) != SpvOpFunction; at += words[at] >> SpvWordCountShift)
        if (opcode_of(words[at]) == SpvOpTypeInt && words[at + 1] == extracts->type)
            width = words[at + 2];
    const uint32_t size = width == 64 ? CONSTANT_WORDS : CONSTANT_WORDS - 1;
    const uint32_t constant[] = {size << SpvWordCountShift | SpvOpConstant, extracts->type, extracts->index,
                                 BUILTIN_COMPONENTS, 0};
    memmove(words + at + size, words + at, (spirv->word_count - at) * sizeof *words);
    memcpy(words + at, constant, size * sizeof *words);
    words[3] = extracts->index + 1; /* the bound on ids */
    *spirv = (struct spirv){.words = words, .word_count = spirv->word_count + size};
    return STATUS_OK;
}

static enum status repair_extracts(struct spirv *spirv)
{
    struct extracts extracts = {.bound = spirv->words[3]};
    extracts.builtin = calloc(extracts.bound, 1);
    if (!extracts.builtin)
        return STATUS_OUT_OF_MEMORY;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += spirv->words[at] >> SpvWordCountShift)
        extract_visit(&extracts, spirv->words + at, spirv->words[at] >> SpvWordCountShift);
    free(extracts.builtin);
    return extracts.index ? declare_index(spirv, &extracts) : STATUS_OK;
}

/* ---- comparisons of queues and of device-side events ---------------------------------------- */

enum { OPAQUE_QUEUE, OPAQUE_EVENT, OPAQUE_KINDS };

/*
 * The translator compares them as pointers, which they are not: functions of clang_source return their bits.
 */
struct opaques {
    uint8_t *kind; /* per id: 1 + kind of a type, or of a value of that type */
    uint32_t bound;
    uint32_t bits[OPAQUE_KINDS]; /* the functions; 0: there is none */
    size_t found;                /* conversions of one */
};

static uint32_t kind_of(const struct opaques *opaques, uint32_t id)
{
    return id < opaques->bound ? opaques->kind[id] : 0;
}

static void set_kind(struct opaques *opaques, uint32_t id, uint32_t kind)
{
    if (id < opaques->bound)
        opaques->kind[id] = (uint8_t)kind;
}

static bool is_opaque_bits(const struct opaques *opaques, const uint32_t *words)
{
    uint32_t kind = opcode_of(words[0]) == SpvOpConvertPtrToU ? kind_of(opaques, words[3]) : 0;
    return kind && opaques->bits[kind - 1];
}

static void opaque_visit(struct opaques *opaques, const uint32_t *words, uint32_t count)
{
    static const char *const names[] = {"__orrery_queue_bits", "__orrery_event_bits"};
    switch (opcode_of(words[0])) {
    case SpvOpName:
        for (uint32_t i = 0; i < OPAQUE_KINDS; i++)
            if (literal_is(words + 2, count - 2, names[i]))
                opaques->bits[i] = words[1];
        break;
    case SpvOpTypeQueue: set_kind(opaques, words[1], 1 + OPAQUE_QUEUE); break;
    case SpvOpTypeDeviceEvent: set_kind(opaques, words[1], 1 + OPAQUE_EVENT); break;
    case SpvOpFunctionParameter:
    case SpvOpFunctionCall:
    case SpvOpLoad:
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpGetDefaultQueue:
    case SpvOpCreateUserEvent: set_kind(opaques, words[2], kind_of(opaques, words[1])); break;
    default: opaques->found += is_opaque_bits(opaques, words); break;
    }
}

/* Each conversion becomes a call, which is one word longer. */
static enum status call_bits(struct spirv *spirv, const struct opaques *opaques)
{
    uint32_t *words = malloc((spirv->word_count + opaques->found) * sizeof *words);
    size_t put = HEADER_WORDS;
    if (!words)
        return STATUS_OUT_OF_MEMORY;
    memcpy(words, spirv->words, HEADER_WORDS * sizeof *words);
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *from = spirv->words + at;
        count = from[0] >> SpvWordCountShift;
        if (is_opaque_bits(opaques, from)) {
            const uint32_t call[] = {5u << SpvWordCountShift | SpvOpFunctionCall, from[1], from[2],
                                     opaques->bits[kind_of(opaques, from[3]) - 1], from[3]};
            memcpy(words + put, call, sizeof call);
            put += 5;
        } else {
            memcpy(words + put, from, count * sizeof *words);
            put += count;
        }
    }
    free(spirv->words);
    *spirv = (struct spirv){.words = words, .word_count = put};
    return STATUS_OK;
}

static enum status repair_opaques(struct spirv *spirv)
{
    struct opaques opaques = {.bound = spirv->words[3]};
    enum status status = STATUS_OK;
    opaques.kind = calloc(opaques.bound, 1);
    if (!opaques.kind)
        return STATUS_OUT_OF_MEMORY;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += spirv->words[at] >> SpvWordCountShift)
        opaque_visit(&opaques, spirv->words + at, spirv->words[at] >> SpvWordCountShift);
    if (opaques.found)
        status = call_bits(spirv, &opaques);
    free(opaques.kind);
    return status;
}

/* ---- literals of arrays and structures --------------------------------------------------------- */

/* Each function that uses one gets its own: the first one keeps the id. */
struct literals {
    const uint32_t **variable; /* per id: OpVariable with an initialiser, outside of functions; or NULL */
    uint32_t *renamed;         /* per id: its id in this function; 0: it is not used there */
    uint8_t *taken;            /* per id: some function has it */
    uint32_t bound, next;
    size_t count;
};

/* The places of pointers to private memory among the words of an instruction. */
static bool pointer_words(uint32_t opcode, uint32_t count, uint32_t *out_from, uint32_t *out_to)
{
    static const struct {
        uint16_t opcode, from, to;
    } uses[] = {
        {SpvOpLoad, 3, 4},           {SpvOpStore, 1, 3},
        {SpvOpCopyMemory, 1, 3},     {SpvOpCopyMemorySized, 1, 3},
        {SpvOpAccessChain, 3, 4},    {SpvOpInBoundsAccessChain, 3, 4},
        {SpvOpPtrAccessChain, 3, 4}, {SpvOpInBoundsPtrAccessChain, 3, 4},
        {SpvOpBitcast, 3, 4},        {SpvOpPtrCastToGeneric, 3, 4},
        {SpvOpConvertPtrToU, 3, 4},  {SpvOpSelect, 4, 6},
        {SpvOpPhi, 3, UINT16_MAX},   {SpvOpFunctionCall, 4, UINT16_MAX},
        {SpvOpExtInst, 5, 7},        {SpvOpLifetimeStart, 1, 2},
        {SpvOpLifetimeStop, 1, 2},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (uses[i].opcode != opcode)
            continue;
        *out_from = uses[i].from;
        *out_to = uses[i].to < count ? uses[i].to : count;
        return true;
    }
    return false;
}

static bool is_literal(const struct literals *literals, uint32_t id)
{
    return id < literals->bound && literals->variable[id];
}

/* Of the function that begins at words; it ends within size, or there. */
static size_t function_words(const uint32_t *words, size_t size)
{
    size_t at = 0;
    while (at < size && opcode_of(words[at]) != SpvOpFunctionEnd)
        at += words[at] >> SpvWordCountShift;
    return at < size ? at + 1 : size;
}

/* Names what the function uses, there too. */
static void rename_literals(struct literals *literals, uint32_t *words, size_t size)
{
    uint32_t from, to;
    memset(literals->renamed, 0, literals->bound * sizeof *literals->renamed);
    for (size_t at = 0; at < size; at += words[at] >> SpvWordCountShift) {
        if (!pointer_words(opcode_of(words[at]), words[at] >> SpvWordCountShift, &from, &to))
            continue;
        for (uint32_t *id = words + at + from; id < words + at + to; id++) {
            if (!is_literal(literals, *id))
                continue;
            if (!literals->renamed[*id])
                literals->renamed[*id] = literals->taken[*id] ? literals->next++ : *id;
            literals->taken[*id] = 1;
            *id = literals->renamed[*id];
        }
    }
}

static size_t put_variables(const struct literals *literals, uint32_t *out)
{
    size_t put = 0;
    for (uint32_t id = 0; id < literals->bound; id++) {
        if (!literals->renamed[id])
            continue;
        const uint32_t count = literals->variable[id][0] >> SpvWordCountShift;
        memcpy(out + put, literals->variable[id], count * sizeof *out);
        out[put + 2] = literals->renamed[id];
        put += count;
    }
    return put;
}

static size_t put_function(struct literals *literals, uint32_t *words, size_t size, uint32_t *out)
{
    size_t put = 0;
    bool begun = false;
    rename_literals(literals, words, size);
    for (size_t at = 0, count; at < size; at += count) {
        count = words[at] >> SpvWordCountShift;
        memcpy(out + put, words + at, count * sizeof *out);
        put += count;
        if (opcode_of(words[at]) == SpvOpLabel && !begun)
            put += put_variables(literals, out + put);
        begun |= opcode_of(words[at]) == SpvOpLabel;
    }
    return put;
}

/* Without those of the interface and without their decorations as constants. */
static size_t put_outside(const struct literals *literals, const uint32_t *words, uint32_t *out)
{
    const uint32_t opcode = opcode_of(words[0]), count = words[0] >> SpvWordCountShift;
    if ((opcode == SpvOpVariable && is_literal(literals, words[2])) ||
        (opcode == SpvOpDecorate && is_literal(literals, words[1])))
        return 0;
    memcpy(out, words, count * sizeof *out);
    if (opcode != SpvOpEntryPoint)
        return count;
    uint32_t put = 3 + (uint32_t)strnlen((const char *)(words + 3), (count - 4) * sizeof *words) / 4 + 1;
    for (uint32_t i = put; i < count; i++)
        if (!is_literal(literals, words[i]))
            out[put++] = words[i];
    out[0] = put << SpvWordCountShift | opcode;
    return put;
}

static size_t put_module(struct literals *literals, uint32_t *words, size_t word_count, uint32_t *out)
{
    size_t put = HEADER_WORDS;
    memcpy(out, words, HEADER_WORDS * sizeof *out);
    for (size_t at = HEADER_WORDS; at < word_count;) {
        const bool function = opcode_of(words[at]) == SpvOpFunction;
        const size_t size =
            function ? function_words(words + at, word_count - at) : words[at] >> SpvWordCountShift;
        put += function ? put_function(literals, words + at, size, out + put)
                        : put_outside(literals, words + at, out + put);
        at += size;
    }
    out[3] = literals->next; /* the bound on ids */
    return put;
}

/* Returns the number of functions. */
static size_t find_literals(struct literals *literals, const struct spirv *spirv)
{
    size_t functions = 0;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += spirv->words[at] >> SpvWordCountShift) {
        const uint32_t *w = spirv->words + at;
        functions += opcode_of(w[0]) == SpvOpFunction;
        if (functions || opcode_of(w[0]) != SpvOpVariable || w[0] >> SpvWordCountShift != 5 ||
            w[3] != SpvStorageClassFunction || w[2] >= literals->bound)
            continue;
        literals->variable[w[2]] = w;
        literals->count++;
    }
    return functions;
}

static enum status repair_literals(struct spirv *spirv)
{
    const uint32_t bound = spirv->words[3];
    struct literals literals = {.variable = calloc(bound, sizeof *literals.variable),
                                .renamed = calloc(bound, sizeof *literals.renamed),
                                .taken = calloc(bound, 1),
                                .bound = bound,
                                .next = bound};
    enum status status = STATUS_OUT_OF_MEMORY;
    if (literals.variable && literals.renamed && literals.taken) {
        const size_t functions = find_literals(&literals, spirv);
        uint32_t *words = literals.count
                              ? malloc((spirv->word_count + functions * literals.count * 5) * sizeof *words)
                              : NULL;
        status = literals.count && !words ? STATUS_OUT_OF_MEMORY : STATUS_OK;
        if (words) {
            const size_t put = put_module(&literals, spirv->words, spirv->word_count, words);
            free(spirv->words);
            *spirv = (struct spirv){.words = words, .word_count = put};
        }
    }
    free(literals.variable);
    free(literals.renamed);
    free(literals.taken);
    return status;
}

/* ---- addresses of variables in composites ---------------------------------------------------------- */

/* A constituent has to be a constant, and a variable is none: a cast of it to its own type is one. */
struct addresses {
    uint32_t *type;     /* per id: of a variable outside of functions; 0: it is none */
    uint32_t *constant; /* per id: the cast; 0: there is none yet */
    uint32_t bound, next;
};

enum { CAST_WORDS = 5 };

static bool is_composite(uint32_t word)
{
    return opcode_of(word) == SpvOpConstantComposite || opcode_of(word) == SpvOpSpecConstantComposite;
}

static bool is_variable(const struct addresses *addresses, uint32_t id)
{
    return id < addresses->bound && addresses->type[id];
}

/* Returns the number of constituents that are variables. */
static size_t find_addresses(struct addresses *addresses, const struct spirv *spirv)
{
    size_t found = 0;
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *w = spirv->words + at;
        count = w[0] >> SpvWordCountShift;
        if (opcode_of(w[0]) == SpvOpVariable && w[3] != SpvStorageClassFunction && w[2] < addresses->bound)
            addresses->type[w[2]] = w[1];
        for (size_t i = 3; is_composite(w[0]) && i < count; i++)
            found += is_variable(addresses, w[i]);
    }
    return found;
}

/* Returns where the next cast goes. */
static uint32_t *put_cast(struct addresses *addresses, uint32_t variable, uint32_t *out)
{
    if (addresses->constant[variable])
        return out;
    addresses->constant[variable] = addresses->next++;
    const uint32_t cast[CAST_WORDS] = {CAST_WORDS << SpvWordCountShift | SpvOpSpecConstantOp,
                                       addresses->type[variable], addresses->constant[variable], SpvOpBitcast,
                                       variable};
    memcpy(out, cast, sizeof cast);
    return out + CAST_WORDS;
}

static size_t put_addresses(struct addresses *addresses, const struct spirv *spirv, uint32_t *words)
{
    uint32_t *out = words + HEADER_WORDS;
    memcpy(words, spirv->words, HEADER_WORDS * sizeof *words);
    for (size_t at = HEADER_WORDS, count; at < spirv->word_count; at += count) {
        const uint32_t *w = spirv->words + at;
        count = w[0] >> SpvWordCountShift;
        const bool composite = is_composite(w[0]);
        for (size_t i = 3; composite && i < count; i++)
            if (is_variable(addresses, w[i]))
                out = put_cast(addresses, w[i], out);
        memcpy(out, w, count * sizeof *out);
        for (size_t i = 3; composite && i < count; i++)
            if (is_variable(addresses, w[i]))
                out[i] = addresses->constant[w[i]];
        out += count;
    }
    words[3] = addresses->next; /* the bound on ids */
    return (size_t)(out - words);
}

static enum status repair_addresses(struct spirv *spirv)
{
    const uint32_t bound = spirv->words[3];
    struct addresses addresses = {.type = calloc(bound, sizeof *addresses.type),
                                  .constant = calloc(bound, sizeof *addresses.constant),
                                  .bound = bound,
                                  .next = bound};
    enum status status = STATUS_OUT_OF_MEMORY;
    if (addresses.type && addresses.constant) {
        const size_t found = find_addresses(&addresses, spirv);
        uint32_t *words = found ? malloc((spirv->word_count + found * CAST_WORDS) * sizeof *words) : NULL;
        status = found && !words ? STATUS_OUT_OF_MEMORY : STATUS_OK;
        if (words) {
            const size_t put = put_addresses(&addresses, spirv, words);
            free(spirv->words);
            *spirv = (struct spirv){.words = words, .word_count = put};
        }
    }
    free(addresses.type);
    free(addresses.constant);
    return status;
}

enum status repair_module(struct spirv *spirv)
{
    uint32_t *words = spirv->words, debug_id = 0;
    size_t kept = HEADER_WORDS;
    for (size_t at = HEADER_WORDS; at < spirv->word_count;) {
        uint32_t count = words[at] >> SpvWordCountShift, opcode = opcode_of(words[at]);
        if (!count || at + count > spirv->word_count)
            return STATUS_BAD_BINARY;
        if (opcode == SpvOpExtInstImport && literal_is(words + at + 2, count - 2, debug_set)) {
            debug_id = words[at + 1];
        } else if (opcode == SpvOpString) {
            kept += put_string(words + kept, words + at);
        } else if (!is_debug(words + at, count, debug_id) && !is_unknown_linkage(words + at, count) &&
                   !is_own_linkage(words + at, count)) {
            memmove(words + kept, words + at, count * sizeof *words);
            kept += count;
        }
        at += count;
    }
    spirv->word_count = kept;
    enum status status = repair_lines(spirv);
    if (status == STATUS_OK)
        status = repair_order(spirv);
    if (status == STATUS_OK)
        status = repair_expected(spirv);
    if (status == STATUS_OK)
        status = operations_of_module(spirv);
    if (status == STATUS_OK)
        status = repair_destructors(spirv);
    if (status == STATUS_OK)
        status = repair_extracts(spirv);
    if (status == STATUS_OK)
        status = repair_literals(spirv);
    if (status == STATUS_OK)
        status = repair_addresses(spirv);
    if (status == STATUS_OK)
        status = repair_selects(spirv);
    return status == STATUS_OK ? repair_opaques(spirv) : status;
}
