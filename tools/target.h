/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The targets of `orrery run`, `show` and `debug`: a scenario, a kernel in a file, or a program,
 *          and what may stand before it: a token or a record of a run.
 *
 * Interface
 *   target_is_scenario  it ends in .yaml or .yml
 *   target_file         the file of "kernels.cl:sum", malloc'd, and the name after the colon or NULL; NULL:
 *                       the word names no file of kernels: .cl is OpenCL C, .clcpp is C++ for OpenCL
 *   target_scenario     YAML of a scenario that is made from the signature of that kernel, malloc'd. kernel:
 *                       NULL is the only one. beside: a file in whose directory the scenario counts as lying.
 *                       out_notes: NULL, or what to say of its values, for skeleton_notes_fini.
 *                       NULL: there is none, and a message was printed
 *   target_is_replay    the word is a token, or the file of a record
 *   target_after        the words of the target after a token or record; NULL: none follow, which was printed
 *   target_begins_with    the file can be read and begins with that text
 */
#ifndef ORRERY_TARGET_H
#define ORRERY_TARGET_H

#include <stdbool.h>

struct settings;
struct skeleton_notes;

bool target_is_scenario(const char *path);
char *target_file(const char *word, const char **out_kernel);
char *target_scenario(const struct settings *settings, const char *file, const char *kernel,
                      const char *beside, struct skeleton_notes *out_notes);
bool target_is_replay(const char *word);
char **target_after(char **replay);
bool target_begins_with(const char *file, const char *begins);
/* As execvp looks for it: 0, or the reason why no program of that name can be run. */
int target_missing(const char *program);

#endif
