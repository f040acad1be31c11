/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Where a program's source stands within the file of the host program, as in a string of Python.
 *
 * Interface
 *   source_place_find   the file's name, and the text with as many empty lines in front and such indentation
 *                       as make each of its lines and columns those of the file. NULLs: it stands neither in
 *                       the file of the call nor in another module of its folder, which has at most 64; or
 *                       it has one line, or uses __LINE__ or #line
 *   source_place_renew  of a text that was placed by an earlier process: false: the file has changed since,
 *                       and the text has a new place, or no name and none
 *   source_place_set    takes both; without one of them it frees the other
 *   source_place_fini   frees both
 *
 * The lines of the text are equal to consecutive ones of the file, but for blanks at both ends. Where the
 * string is a template, up to half of them have something in place of {n}, %d, %(n)s, $n or ${n}; braces, per
 * cent signs and backslashes that are doubled count once.
 *
 * Threads  Any.
 */
#ifndef ORRERY_LIB_SOURCE_PLACE_H
#define ORRERY_LIB_SOURCE_PLACE_H
#include "lib/host/script_place.h"
#include "object.h"

/* call: NULL: not of Python */
void source_place_find(const char *text, const struct script_place *call, struct placed_source *out_placed);
bool source_place_renew(struct placed_source *placed);
void source_place_set(struct placed_source *out_placed, char *text, char *name);
void source_place_fini(struct placed_source *placed);
#endif
