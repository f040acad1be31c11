/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A fix as edits of the text in OpenCL C: an atomic update in place of a read and a write of one
 *          object, and other changes of synchronisation.
 *
 * Interface
 *   rewrite_update         the edits that make one atomic update of a write and of the read that it depends
 *                          on or exchanges; false: the form of the text is not supported
 *   rewrite_other_buffer   for a read and a write of one of two buffers that alternate: the other one's name
 *                          in the text
 *   rewrite_change         adds the edits of a change to *rewrite
 *   rewrite_access         the same for an access that becomes atomic
 *   rewrite_buffer         the same for an access that goes to the other buffer
 *   rewrite_apply          the text with edits applied; malloc'd, NULL: out of memory
 *
 * It parses tokens, statements and operators, not types or macros: a result is a proposal until a compiler
 * has accepted it.
 */
#ifndef ORRERY_SIM_REWRITE_H
#define ORRERY_SIM_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/memmodel/checker.h"

struct rewrite_place {
    uint32_t line, column;
};

struct rewrite_request {
    char *const *lines; /* lines[0] is line 1 */
    uint32_t line_count;
    struct rewrite_place read, write;
    enum number_type type; /* of the object */
    uint32_t size;
    bool local;        /* the address space is local, else global */
    bool one_group;    /* no other work-group accesses it */
    bool exchanges;    /* the written value does not depend on the read one */
    uint32_t opencl_c; /* 102 is 1.2 */
};

bool rewrite_update(const struct rewrite_request *request, struct code_rewrite *out_rewrite);
bool rewrite_other_buffer(char *const *lines, uint32_t line_count, struct rewrite_place read,
                          struct rewrite_place write, char *out_name, size_t size);
/* A change at update.write; other: the second place, line: the line that the new statement is beside. */
struct change_request {
    struct rewrite_request update;
    const struct code_change *change;
    struct rewrite_place other;
    uint32_t line;
};
bool rewrite_change(const struct change_request *request, struct code_rewrite *rewrite);
bool rewrite_access(const struct change_request *request, struct code_rewrite *rewrite);
bool rewrite_buffer(const struct change_request *request, struct code_rewrite *rewrite);
char *rewrite_apply(char *const *lines, uint32_t line_count, const struct code_edit *edits,
                    uint32_t edit_count);

#endif
