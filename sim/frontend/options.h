/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Build options: the words of a string, the meaning of each, and the part that clang gets. White
 *          space separates words; quotes, and a backslash before a quote, a space or a backslash, work as in
 *          a shell.
 *
 * Interface
 *   options_parse   BAD_OPTIONS: the diagnosis names the option; call options_fini() in every case
 */
#ifndef ORRERY_FRONTEND_OPTIONS_H
#define ORRERY_FRONTEND_OPTIONS_H

#include "orrery/compiler.h"
#include "text.h"

struct options {
    struct build_options build;
    char cl_std[12];         /* "CL1.2", "CLC++2021"; "": not given */
    struct list clang;       /* -cl-* and warning options, unchanged */
    struct list macros;      /* "NAME=value" */
    struct list directories; /* of -I, in order */
};

enum status options_parse(const char *string, bool linking, struct options *out_options,
                          struct diagnosis *diagnosis);
void options_fini(struct options *options);

#endif
