/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Values of expressions, as a lane sees them in one of its frames: value.c reads, writes and prints
 *          them, expression.c parses and evaluates, operators.c and functions.c have operators and built-in
 *          functions.
 */
#ifndef ORRERY_DEBUG_VALUE_H
#define ORRERY_DEBUG_VALUE_H

#include <stdio.h>

#include "sim/device/launch.h"
#include "sim/interp/interp.h"

struct debugger;

enum { VALUE_BYTES = 128, DEBUG_TEXT = 160 };
/* An lvalue is memory at address, private to the focus or of the device. Any other value is in bytes. */
struct debug_value {
    const struct debug_type *type;
    bool lvalue;
    uint64_t address;
    uint8_t bytes[VALUE_BYTES];
};

/* One lane in one of its frames: the place from which expressions see variables. */
struct view {
    struct debugger *debugger;
    struct wave *wave;
    uint32_t lane;
    uint32_t call, scope; /* of the frame */
    uint32_t line;        /* index in code->debug->lines */
    char format;          /* of numbers that are printed: one of FORMATS; 0: by their type */
};
/* As gdb's; X: x of what is no floating-point number. */
#define FORMATS "duxotcfasX"

struct evaluation {
    const struct view *view;
    const char *at; /* of the expression, what is left */
    bool assigns;   /* assignments are allowed */
    uint32_t depth;
    char error[DEBUG_TEXT]; /* "": none */
    struct debug_type *made[64];
    uint32_t made_count; /* pointer types of casts and &; of this evaluation */
};
/* Returns false if refused; error has the reason. The evaluation may own the value's type, so call
 * evaluation_fini only when the value is no longer used. */
bool expression_evaluate(struct evaluation *evaluation, const struct view *view, const char *expression,
                         bool assigns, struct debug_value *out_value);
void evaluation_fini(struct evaluation *evaluation);
/* Likewise, for a type: that of an expression, or one of this name. */
bool expression_type(struct evaluation *evaluation, const struct view *view, const char *text,
                     const struct debug_type **out_type);
/* Finds a type by its name, "int" or "float4". NULL: no type has that name, or there is no memory. The
 * evaluation owns vector types. */
const struct debug_type *expression_type_named(struct evaluation *evaluation, const char *name);
const struct debug_type *expression_vector_type(struct evaluation *evaluation,
                                                const struct debug_type *element, uint64_t count);
/* functions.c: calls a built-in function of OpenCL C on loaded values. Returns NULL, or what is wrong. */
bool function_is_known(const char *name);
const char *function_call(struct evaluation *evaluation, const char *name,
                          const struct debug_value *arguments, uint32_t count, struct debug_value *out);
bool value_is_true(const struct debug_value *value);

bool value_read_memory(const struct view *view, uint64_t address, void *out_bytes, uint64_t size);
bool value_write_memory(const struct view *view, uint64_t address, const void *bytes, uint64_t size);
bool value_memory_undefined(const struct view *view, uint64_t address,
                            uint64_t size); /* all of it was never written */
bool value_load(const struct view *view,
                struct debug_value *value); /* an lvalue of at most VALUE_BYTES gets its bytes */
void value_write(const struct view *view, const struct debug_value *value, FILE *stream);
void value_print_type(const struct debug_type *type, FILE *stream);
void value_print_definition(const struct debug_type *type, FILE *stream); /* with its members */
double value_double(const struct debug_value *value);
int64_t value_integer(const struct debug_value *value);
bool value_set_number(struct debug_value *value, const struct debug_type *type,
                      const struct debug_value *from); /* converts */
/* Component k of a loaded vector; of another value itself. */
struct debug_value value_component(const struct debug_value *value, uint64_t k);
uint32_t value_children(const struct debug_value *value);
const struct debug_type *value_basic_type(const char *name); /* NULL: there is none of that name */
const struct debug_type *value_integer_type(uint64_t size, bool is_unsigned); /* of 1, 2, 4 or 8 bytes */

#endif
