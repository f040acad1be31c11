/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Results of compilations on disk, named by what went in.  Any number of
 *          processes may use one directory: entries appear by rename, carry the hash of
 *          what they hold, and one that does not fit is simply not there.
 *
 * Interface
 *   cache_key_of()      hash of a description; false: memory ran out for it, so that it may be another's
 *   cache_describe()    a list's strings, unambiguously, at the end of a description
 *   cache_path()        where an entry lives
 *   cache_load()        true and words and log, when the entry is whole and every file
 *                       it was made from still has the content it had
 *   cache_store()       failures are silent: the cache is only a convenience
 *   cache_read_file()   a whole file; false: there is none
 *   cache_is_own()      a regular file of the user's that no one else may write to; others' entries are not
 *                       there
 *   cache_write_file()  a whole file or none, readers never see half of it
 *   cache_make_directories()   those that a path is in
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
