/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A parsed SPIR-V module: types with their OpenCL layout, constants as lists of scalars,
 * decorations, functions,
 *          entry points. The words of the module stay, and everything else refers to them by word index.
 *
 * Leaves   A composite is the list of its scalar leaves in memory order. A leaf of a constant is bits, or
 * the
 *          address of a module-scope variable plus an offset.
 */
#ifndef ORRERY_INTERP_MODULE_H
#define ORRERY_INTERP_MODULE_H

#include <pthread.h>
#include <spirv/unified1/spirv.h>
#include <stdbool.h>

#include "arena.h"
#include "interp.h"
#include "orrery/image.h"

enum scalar { T_NONE, T_BOOL, T_I8, T_I16, T_I32, T_I64, T_F16, T_F32, T_F64 };
enum type_kind {
    TYPE_VOID,
    TYPE_SCALAR,
    TYPE_VECTOR,
    TYPE_ARRAY,
    TYPE_STRUCT,
    TYPE_POINTER,
    TYPE_FUNCTION,
    TYPE_OPAQUE
};

struct type {
    enum type_kind kind;
    uint32_t id, opcode;
    enum scalar scalar;   /* SCALAR; POINTER is T_I64; OPAQUE (event) is T_I64 */
    struct type *element; /* VECTOR, ARRAY, POINTER, FUNCTION (result) */
    uint32_t count;       /* of elements or members */
    struct type **members;
    uint64_t *offsets;
    SpvStorageClass storage; /* POINTER */
    uint64_t size;           /* bytes in memory */
    uint32_t align;
    uint32_t leaves;
    uint64_t stride;  /* ARRAY, VECTOR: bytes between elements */
    const char *name; /* STRUCT: OpName */
};

struct leaf {
    uint64_t bits;
    uint32_t variable; /* 0, or id of a module-scope variable: bits is an offset */
    enum scalar scalar;
    bool undefined;
};
struct constant {
    uint32_t count;
    struct leaf *leaves;
};

/* A function or constant that uses a variable in local memory, or a constant made from one. */
struct local_use {
    uint32_t used, next; /* next: 1 + index of another use by the same user; 0: none */
};
struct decoration {
    uint32_t next;
    uint32_t kind;
    uint32_t word;
    uint32_t word_count;
    int32_t member;
};

struct block_range {
    uint32_t label;
    uint32_t first, last; /* word indices: OpLabel, the word after the terminator */
};
struct function {
    uint32_t id, word;
    struct type *type; /* function type */
    uint32_t *params;
    uint32_t param_count;
    struct block_range *blocks;
    uint32_t block_count; /* 0: an import */
};

struct variable { /* module scope */
    uint32_t id;
    struct type *type; /* of the value */
    SpvStorageClass storage;
    uint32_t initializer; /* id or 0 */
    struct module_variable info;
    uint64_t address; /* after bind */
    int32_t builtin;  /* SpvBuiltIn or -1 */
};

struct entry_point {
    uint32_t function;
    const char *name;
    struct kernel_info info;
    LIST(const struct code *) code; /* emitted so far */
    LIST(uint32_t) code_key;
    struct kernel_traits traits;
    bool has_traits;
};

/* A kernel that was lowered for its traits, of which code is likely to be asked for next. ir NULL: none. */
struct lowered_kernel {
    struct ir *ir;
    const struct entry_point *entry;
    uint32_t key; /* but for the width */
};

struct module {
    struct arena arena;
    struct arena work;             /* for the kernel that is being lowered; freed when its code is made */
    struct lowered_kernel lowered; /* in `work` */
    pthread_mutex_t lock;          /* guards lazy lowering */
    uint32_t *words;
    size_t word_count;
    uint32_t bound;
    uint32_t *def;                   /* id -> word index of the defining instruction, 0 = none */
    uint32_t *type_of;               /* id -> result type id */
    struct type **types;             /* id -> type, lazily */
    struct debug_type **debug_types; /* id -> a type's debug information, lazily */
    struct constant **constants;     /* id -> constant, lazily */
    const char **names;
    uint32_t *first_decoration; /* id -> index + 1 */
    LIST(struct decoration) decorations;
    uint32_t opencl_std; /* id of the import */
    uint32_t *records;
    uint32_t record_words; /* debug records, decoded; 0: the module has none */
    uint32_t *record_of;   /* id -> index of its record, 0 = none */
    uint32_t debug_set;    /* id of the import of debug records that stay in the module; 0: none */
    bool debug_ids;        /* of debug_set: NonSemantic.Shader.DebugInfo, with ids instead of literals */
    uint32_t address_bits;
    bool by_components; /* made by the front end (MODULE_COMPONENTS): loads and stores mean components */
    LIST(struct function) functions;
    uint32_t *function_index; /* id -> index + 1 */
    LIST(struct variable) variables;
    uint32_t *variable_index; /* id -> index + 1 */
    uint32_t *bindable;
    uint32_t bindable_count; /* number of variables that the device allocates */
    LIST(struct local_use) local_uses;
    uint32_t *first_local_use; /* id of the user -> index + 1 */
    LIST(struct entry_point) entries;
    uint32_t nesting;            /* depth of types and constants being made, and of calls being scanned */
    struct diagnosis *diagnosis; /* during one call */
    jmp_buf *fail;
    enum status fail_status;
};

enum { MODULE_NESTING_MAX = 255 }; /* of types, and of constants, in each other */
/* Ends the current load or lowering with a diagnosis; never returns. */
_Noreturn void module_fail(struct module *module, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* debug_info.c: records in an OpModuleProcessed, which may be another producer's */
void debug_take_records(struct module *module, const char *text);
/* debug_sets.c: of an OpExtInstImport; the records of a set that is one of debug information; a constant */
void debug_note_set(struct module *module, uint32_t id, const char *name);
void debug_read_records(struct module *module);
uint32_t debug_constant(const struct module *module, uint32_t id); /* 0: it is no constant */

static inline uint32_t spv_opcode(const struct module *m, uint32_t word)
{
    return m->words[word] & 0xffff;
}
static inline uint32_t spv_length(const struct module *m, uint32_t word)
{
    return m->words[word] >> 16;
}
const char *spirv_op_name(uint32_t opcode);

struct type *module_type(struct module *module, uint32_t type_id);
/* The type of an element, member or variable, which must be a value. word: of the instruction it is for. */
struct type *module_part_type(struct module *module, uint32_t type_id, uint32_t word);
struct type *module_value_type(struct module *module, uint32_t id);
/* The image type of an OpTypeImage; types that OpenCL does not have are refused. */
enum image_type module_image_type(struct module *module, const uint32_t *type_words);
const struct constant *module_constant(struct module *module, uint32_t id);
/* Of the type that a variable or parameter by value has, or more if a decoration says so. */
uint32_t module_align(struct module *module, uint32_t id, const struct type *type);
bool module_is_constant(const struct module *module, uint32_t id);
const struct decoration *module_decoration(const struct module *module, uint32_t id, uint32_t kind);
/* SpvFunctionParameterAttribute */
bool module_has_attribute(const struct module *module, uint32_t id, uint32_t attribute);
struct variable *module_variable(struct module *module, uint32_t id);
struct function *module_function(struct module *module, uint32_t id);
/* The entry point that runs a block: the function that OpEnqueueKernel and similar instructions call
 * Invoke. */
uint32_t module_block(struct module *module, uint32_t function_id);
const char *module_string(const struct module *module, uint32_t word);
uint32_t scalar_bytes(enum scalar scalar); /* in memory: bool is 1 */
uint32_t scalar_bits(enum scalar scalar);
/* Leaf index of the first leaf of member or element i. */
uint32_t type_first_leaf(const struct type *type, uint32_t index);
struct type *type_part(const struct type *type, uint32_t index);
uint64_t type_stride(const struct type *element); /* bytes from one element of an array to the next */
uint64_t type_part_offset(const struct type *type, uint32_t index);
uint64_t module_bits_truncate(uint64_t bits, enum scalar scalar);
int64_t module_bits_signed(uint64_t bits, enum scalar scalar);

#endif
