/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The targets of `orrery run` and `orrery debug`: a scenario, a kernel of OpenCL C, or a program.
 *
 * Interface
 *   target_is_scenario  it ends in .yaml or .yml
 *   target_file         the file of "kernels.cl:sum", malloc'd, and the name after the colon or NULL; NULL:
 *                       the word is no OpenCL C
 *   target_scenario     YAML of a scenario that is made from the signature of that kernel, malloc'd. kernel:
 *                       NULL is the only one. beside: a file in whose directory the scenario counts as lying.
 *                       NULL: there is none, and a message was printed
 */
#ifndef ORRERY_TARGET_H
#define ORRERY_TARGET_H

#include <stdbool.h>

struct settings;

bool target_is_scenario(const char *path);
char *target_file(const char *word, const char **out_kernel);
char *target_scenario(const struct settings *settings, const char *file, const char *kernel,
                      const char *beside);

#endif
