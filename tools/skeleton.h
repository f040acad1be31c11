/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A scenario made from the signature of a kernel, for `orrery run kernel.cl`.
 *
 * Interface
 *   skeleton_text   YAML, malloc'd; NULL: the program does not build, or the kernel is not to be found or has
 *                   an argument that no scenario has. scenario: the settings to build with; its program is
 *                   set
 */
#ifndef ORRERY_SKELETON_H
#define ORRERY_SKELETON_H

#include "orrery/scenario.h"

/* How the text begins. */
#define SKELETON_MAGIC "orrery: 1\nname: made from the signature of kernel"

struct skeleton_request {
    const char *file;   /* OpenCL C */
    const char *source; /* how the scenario names it */
    const char *kernel; /* NULL: the only one */
    char *idle_lines;   /* out: the lines that do not run with it, malloc'd; "": none, NULL: not known */
};

char *skeleton_text(struct scenario *scenario, struct skeleton_request *request, struct diagnosis *diagnosis);

#endif
