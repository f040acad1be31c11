/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A scenario made from the signature of a kernel, for `orrery run kernel.cl`.
 *
 * Interface
 *   skeleton_text   YAML, malloc'd; NULL: the program does not build, or the kernel is not to be found or has
 *                   an argument that no scenario has. scenario: the settings to build with; its program is
 *                   set
 *   skeleton_notes_fini   frees the texts
 */
#ifndef ORRERY_SKELETON_H
#define ORRERY_SKELETON_H

#include "orrery/scenario.h"

/* How the text begins. */
#define SKELETON_MAGIC "orrery: 1\nname: made from the signature of kernel"

/* What a user should know of the values. Texts are malloc'd. */
struct skeleton_notes {
    char *idle_lines; /* the lines that do not run with them; "": none, NULL: not known */
    char *numbers;    /* whole numbers: "width = 21, height = 23"; "": there are none, NULL: not known */
    char *alike;      /* lengths of rows that are equal: "width and pitch are 24"; "", NULL: likewise */
};

struct skeleton_request {
    const char *file;            /* OpenCL C */
    const char *source;          /* how the scenario names it */
    const char *kernel;          /* NULL: the only one */
    struct skeleton_notes notes; /* out */
};

void skeleton_notes_fini(struct skeleton_notes *notes);

char *skeleton_text(struct scenario *scenario, struct skeleton_request *request, struct diagnosis *diagnosis);

#endif
