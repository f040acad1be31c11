/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The name of a program's source, for build logs and findings.
 *
 * Interface
 *   source_file_name   of a text: the file that holds it, relative to the working directory where that is
 *                      possible; or the file in the folder of save_sources that the text was written to; or,
 *                      when there is no such file, program.cl, program2.cl and so on, in the
 *                      order of the texts' first builds. The report then learns which call of the program
 *                      gave the text. Stays
 *
 * Threads  Any.
 */
#ifndef ORRERY_LIB_SOURCE_FILE_H
#define ORRERY_LIB_SOURCE_FILE_H
#include "orrery/observer.h"

/* made: the call that gave the text; NULL: not recorded */
const char *source_file_name(const char *text, const struct enqueuer *made);
#endif
