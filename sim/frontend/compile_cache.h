/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Results of compilations on disk, named by a hash of the input. Any number of processes may use
 *          one directory: entries appear by rename and carry the hash of their contents; an entry that does
 *          not match is ignored.
 *
 * Interface
 *   cache_key_of             hash of a description; false: the description is incomplete for lack of memory,
 *                            so its hash may be another's
 *   cache_describe           appends a list's strings to a description, unambiguously
 *   cache_path               the path of an entry
 *   cache_load               true, with words and log, when the entry is whole and every included file still
 *                            has the content it had
 *   cache_store              adds an entry; failures are silent, since the cache is only a convenience
 *   cache_read_file          a whole file; false: it cannot be read
 *   cache_is_own             a regular file that the user owns and no one else may write to; other files are
 *                            ignored
 *   cache_write_file         a whole file or none; readers never see a part of it
 *   cache_make_directories   makes the directories that a path is in
 */
#ifndef ORRERY_SIM_FRONTEND_COMPILE_CACHE_H
#define ORRERY_SIM_FRONTEND_COMPILE_CACHE_H

#include "orrery/compiler.h"
#include "text.h"

struct cache_key {
    uint64_t low, high;
};

bool cache_key_of(const struct text *description, struct cache_key *out_key);
void cache_describe(const struct list *list, struct text *description);
char *cache_path(const char *directory, struct cache_key key, const char *suffix);
bool cache_load(const char *directory, struct cache_key key, struct spirv *out_spirv, struct text *log);
void cache_store(const char *directory, struct cache_key key, const struct spirv *spirv,
                 const struct text *log, const struct list *included);
bool cache_read_file(const char *path, struct text *out_text);
bool cache_is_own(const char *path);
void cache_make_directories(const char *path);
bool cache_write_file(const char *path, const void *bytes, size_t size);

#endif
