/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The name of a program's source, for build logs and findings.
 *
 * Interface
 *   source_file_name   the file that holds the text, relative to the working directory if possible; or the
 *                      file of the folder save_sources to which the text was written; or else program.cl,
 *                      program2.cl and so on, in the order of the texts' first builds. In this case the
 *                      report gets the call of the program that gave the text. The name is never freed
 *   source_file_given  the bytes before what a binding has added to a text of this size; 0: it seems to have
 *                      added nothing
 *
 * Threads  Any.
 */
#ifndef ORRERY_LIB_SOURCE_FILE_H
#define ORRERY_LIB_SOURCE_FILE_H
#include <stddef.h>

#include "orrery/observer.h"

/* made: the call that gave the text; NULL: not recorded */
const char *source_file_name(const char *text, const struct enqueuer *made);
size_t source_file_given(const char *text, size_t size);
#endif
