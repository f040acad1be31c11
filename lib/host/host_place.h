/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Finds the line of the host program that belongs to a call stack of this process.
 *
 * Interface
 *   host_place_prepare    loads the unwinder, which must not happen in a signal handler
 *   host_place_capture    the return addresses from here outwards; also in a signal handler
 *   host_place_of_call    at most that many of them, and the line of the Python program; not in a signal
 *                         handler
 *   host_place_find       the line of the innermost frame that lies neither in the C library nor in this one,
 *                         and has a line, which is not of an installed header. With libdw (elfutils) and
 *                         debug information: its file, as seen from the working directory when it is there
 *                         or below, and line, and the text of the line if the file can be read and is not
 *                         newer than the program. Where no frame has that: such a header's line; or the
 *                         Python program's file, line and function; or the name of the innermost frame's
 *                         object file, and its function if it is exported
 *   host_place_name       the name of a file of the program, from the working directory if it is below
 */
#ifndef ORRERY_LIB_HOST_HOST_PLACE_H
#define ORRERY_LIB_HOST_HOST_PLACE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orrery/report.h"
#include "script_place.h"

enum { HOST_FRAMES = 24 };
/* pc: the interrupted instruction, in a signal handler; else 0 */
struct host_trace {
    void *frame[HOST_FRAMES];
    int count;
    uint64_t pc;
    const struct script_place *script; /* NULL: none */
};
struct host_place {
    struct source_place place; /* place.file points to text[], place.text to source[] or is NULL */
    char text[256], function[128];
    char source[512];
};
void host_place_prepare(void);
void host_place_capture(struct host_trace *out_trace);
void host_place_of_call(struct host_trace *out_trace, int most);
void host_place_find(const struct host_trace *trace, struct host_place *out_place);
void host_place_name(const char *file, char *out, size_t room);
#endif
