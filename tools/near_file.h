/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  "Do you mean": the files that a misspelt name of a file is nearest to.
 *
 * Interface
 *   near_file_say   a line on standard error, if nothing has that name and something there has a similar one
 */
#ifndef ORRERY_NEAR_FILE_H
#define ORRERY_NEAR_FILE_H

void near_file_say(const char *path);

#endif
