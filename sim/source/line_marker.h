/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The files and lines that a text claims to be, by #line and by the markers that a preprocessor
 *          leaves (# 12 "file"): a report names these, and has to find their text.
 *
 * Interface
 *   line_markers_read   the files of a text in the order of their first lines; its own one is the first
 *   line_markers_free   these
 *
 * The lines are the text's own strings, which the caller keeps. A line of a file is empty if no marker gives
 * it a text, or if two give it different ones.
 */
#ifndef ORRERY_SIM_LINE_MARKER_H
#define ORRERY_SIM_LINE_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct marked_file {
    char *name; /* NULL: the text itself */
    char **lines;
    uint32_t line_count;
};

/* own: the text's name, or NULL. True, and no files: no line is a marker. False: out of memory. */
bool line_markers_read(const char *own, char *const *lines, uint32_t count, struct marked_file **out_files,
                       size_t *out_count);
void line_markers_free(struct marked_file *files, size_t count);

#endif
