/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Lines of addresses of this process, from debug information.
 *
 * Interface
 *   dwarf_line_begin   a session; NULL: no libdw (elfutils), or out of memory
 *   dwarf_line_find    the line at an address; false: none. An inlined call of a function of an installed
 *                      header, as opencl.hpp, is at the line of the call. The function is found, if any, also
 *                      where no line is. NULL has no lines
 *   dwarf_line_end     frees the session, and the names that it gave
 */
#ifndef ORRERY_LIB_HOST_DWARF_LINE_H
#define ORRERY_LIB_HOST_DWARF_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct dwarf_line {
    const char *function;  /* NULL: unknown */
    const char *file;      /* NULL: no line */
    const char *directory; /* in which the unit was compiled; NULL: unknown */
    bool below;            /* the file's name is relative to the directory, as clang writes it */
    bool installed;        /* the file is an installed header */
    int line, column;      /* column 0: unknown */
};

void *dwarf_line_begin(void);
bool dwarf_line_find(void *session, uint64_t address, struct dwarf_line *out_line);
void dwarf_line_end(void *session);

#endif
