/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Embedded headers of one compilation as files of a private directory, and the reverse: the user's
 *          files that a compilation read.
 *
 * Interface
 *   headers_write      makes the directory; `directory` stays NULL when there is no header
 *   headers_included   clang's list of dependencies as absolute paths, without the embedded ones
 *   headers_remove     removes the files; call it in every case
 */
#ifndef ORRERY_FRONTEND_HEADERS_H
#define ORRERY_FRONTEND_HEADERS_H

#include "orrery/compiler.h"
#include "text.h"

struct headers {
    char *directory;
    struct list files, directories; /* made here; outer directories first */
};

enum status headers_write(const struct compile_request *request, struct headers *out_headers,
                          struct text *log);
void headers_included(const struct headers *headers, const char *working_directory,
                      const struct text *dependencies, struct list *included);
void headers_remove(struct headers *headers);

#endif
