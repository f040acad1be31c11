/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  From addresses in the code of this process to the line of the host program.
 *
 * Interface
 *   host_place_prepare    what must not happen in a signal handler for the first time
 *   host_place_capture    the return addresses from here outwards; in a signal handler, too;
 *                         host_place_capture_some: so many
 *   host_place_find       the first of them that lies neither in the C library nor in this one. With libdw
 *                         (elfutils) and debug information its file and line, and the text of that line when
 *                         the file can be read and is not newer than the program; else the name of the
 *                         object, and the function when it is exported
 */
#ifndef ORRERY_LIB_HOST_HOST_PLACE_H
#define ORRERY_LIB_HOST_HOST_PLACE_H
#include <stdbool.h>
#include <stdint.h>

#include "orrery/report.h"

enum { HOST_FRAMES = 24 };
/* pc: where a signal struck, else 0 */
struct host_trace {
    void *frame[HOST_FRAMES];
    int count;
    uint64_t pc;
};
struct host_place {
    struct source_place place; /* its file is text[], its text source[] */
    char text[256], function[128];
    char source[512]; /* place.text, if it has one */
};
void host_place_prepare(void);
void host_place_capture(struct host_trace *out_trace);
void host_place_capture_some(struct host_trace *out_trace, int most);
void host_place_find(const struct host_trace *trace, struct host_place *out_place);
#endif
