/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The name of a program's source, for build logs and findings.
 *
 * Interface
 *   source_file_name   the file that holds the text, relative to the working directory if possible; or the
 *                      file of the folder save_sources to which the text was written; or else program.cl,
 *                      program2.cl and so on, in the order of the texts' first builds. In this case the
 *                      report gets the call of the program that gave the text. The name is never freed
 *   source_file_place  of a text of several lines that stands in the file of the call, as a string of
 *                      Python or a raw one of C++: the file's name, and the text after as many empty lines
 *                      and spaces as make each of its lines and columns those of the file. The caller frees
 *                      both. NULLs: it does not stand there, or uses __LINE__ or #line
 *   source_file_placed_set    takes both; without one of them it frees the other
 *   source_file_placed_fini   frees both
 *
 * Threads  Any.
 */
#ifndef ORRERY_LIB_SOURCE_FILE_H
#define ORRERY_LIB_SOURCE_FILE_H
#include "object.h"
#include "orrery/observer.h"

/* made: the call that gave the text; NULL: not recorded */
const char *source_file_name(const char *text, const struct enqueuer *made);
void source_file_place(const char *text, const struct enqueuer *made, struct placed_source *out_placed);
void source_file_placed_set(struct placed_source *out_placed, char *text, char *name);
void source_file_placed_fini(struct placed_source *placed);
#endif
