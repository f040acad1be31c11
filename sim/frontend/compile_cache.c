/* SPDX-License-Identifier: Apache-2.0 */
/* The compile cache. A file is named by the hash of a compilation's input. It is written by rename, and
 * read only if the user owns it and its checksum fits. */
#include "compile_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "orrery/checked.h"

/* An entry: this header, the words, the log; then for each included file its hash, the size of its path and
 * the path. Numbers have the byte order of this machine, which the magic number shows. */
struct entry_header {
    uint64_t magic;
    struct cache_key key, content; /* content: the hash of everything after the header */
    uint64_t word_count, log_size, included_count;
};

struct included_header {
    struct cache_key content;
    uint64_t path_size;
};

static const uint64_t entry_magic = 0x3265686361437972; /* "ryCache2" */

static struct cache_key hash(const void *bytes, size_t size)
{
    XXH128_hash_t value = XXH3_128bits(bytes, size);
    return (struct cache_key){value.low64, value.high64};
}

static bool same_key(struct cache_key left, struct cache_key right)
{
    return left.low == right.low && left.high == right.high;
}

bool cache_key_of(const struct text *description, struct cache_key *out_key)
{
    *out_key = hash(description->data, description->size);
    return !description->failed;
}

void cache_describe(const struct list *list, struct text *description)
{
    for (size_t i = 0; i < list->count; i++)
        text_add_bytes(description, list->items[i], strlen(list->items[i]) + 1);
    text_add_bytes(description, "", 1);
    description->failed |= list->failed;
}

char *cache_path(const char *directory, struct cache_key key, const char *suffix)
{
    CHECKED(directory && suffix[0]);
    struct text path = {0};
    text_addf(&path, "%s/%016llx%016llx.%s", directory, (unsigned long long)key.high,
              (unsigned long long)key.low, suffix);
    return text_take(&path);
}

/* Only the user may have written it: no symbolic link, owned by the user, not writable by others. */
static bool is_own(const struct stat *about)
{
    return S_ISREG(about->st_mode) && about->st_uid == geteuid() && !(about->st_mode & (S_IWGRP | S_IWOTH));
}

bool cache_is_own(const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool own = fd >= 0 && fstat(fd, &about) == 0 && is_own(&about);
    if (fd >= 0)
        close(fd);
    return own;
}

/* O_NONBLOCK: opening a pipe without a writer does not wait. */
static bool read_file(const char *path, int flags, bool own, struct text *out_text)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    struct stat about;
    if (fd < 0)
        return false;
    bool whole = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && (!own || is_own(&about));
    char *data = whole ? malloc((size_t)about.st_size + 1) : NULL;
    ssize_t size = data ? read(fd, data, (size_t)about.st_size) : -1;
    close(fd);
    if (size < 0 || size != about.st_size) {
        free(data);
        return false;
    }
    data[size] = '\0';
    *out_text = (struct text){.data = data, .size = (size_t)size, .capacity = (size_t)size + 1};
    return true;
}

bool cache_read_file(const char *path, struct text *out_text)
{
    return read_file(path, 0, false, out_text);
}

/* New directories are private to the user. */
void cache_make_directories(const char *path)
{
    struct text parent = {0};
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        text_fini(&parent);
        text_add_bytes(&parent, path, (size_t)(slash - path));
        if (parent.data)
            mkdir(parent.data, 0700);
    }
    text_fini(&parent);
}

static bool write_bytes(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool cache_write_file(const char *path, const void *bytes, size_t size)
{
    struct text temporary = {0};
    cache_make_directories(path);
    text_addf(&temporary, "%s.XXXXXX", path);
    int fd = temporary.failed ? -1 : mkostemp(temporary.data, O_CLOEXEC);
    bool written = fd >= 0 && write_bytes(fd, bytes, size);
    if (fd >= 0)
        written = close(fd) == 0 && written;
    if (written)
        written = rename(temporary.data, path) == 0;
    if (fd >= 0 && !written)
        unlink(temporary.data);
    text_fini(&temporary);
    return written;
}

static bool is_unchanged(const char *path, struct cache_key content)
{
    struct text text = {0};
    bool unchanged = cache_read_file(path, &text) && same_key(hash(text.data, text.size), content);
    text_fini(&text);
    return unchanged;
}

static bool included_unchanged(const char *at, size_t left, uint64_t count)
{
    for (; count; count--) {
        struct included_header header;
        if (left < sizeof header)
            return false;
        memcpy(&header, at, sizeof header);
        at += sizeof header;
        left -= sizeof header;
        if (!header.path_size || header.path_size > left || at[header.path_size - 1] ||
            !is_unchanged(at, header.content))
            return false;
        at += header.path_size;
        left -= header.path_size;
    }
    return left == 0;
}

/* A size is trusted only if the file is long enough. */
static bool entry_is_whole(const struct text *entry, struct cache_key key, struct entry_header *out_header)
{
    if (entry->size < sizeof *out_header)
        return false;
    memcpy(out_header, entry->data, sizeof *out_header);
    size_t left = entry->size - sizeof *out_header;
    if (out_header->magic != entry_magic || !same_key(out_header->key, key) ||
        !same_key(hash(entry->data + sizeof *out_header, left), out_header->content))
        return false;
    if (out_header->word_count > left / sizeof(uint32_t))
        return false;
    left -= out_header->word_count * sizeof(uint32_t);
    return out_header->log_size <= left;
}

static bool entry_take(const struct text *entry, const struct entry_header *header, struct spirv *out_spirv,
                       struct text *log)
{
    const char *words = entry->data + sizeof *header;
    size_t words_size = header->word_count * sizeof(uint32_t);
    const char *included = words + words_size + header->log_size;
    CHECKED(included <= entry->data + entry->size); /* checked by entry_is_whole */
    if (!included_unchanged(included, (size_t)(entry->data + entry->size - included), header->included_count))
        return false;
    out_spirv->words = malloc(words_size ? words_size : 1);
    if (!out_spirv->words)
        return false;
    memcpy(out_spirv->words, words, words_size);
    out_spirv->word_count = header->word_count;
    text_add_bytes(log, words + words_size, header->log_size);
    return true;
}

bool cache_load(const char *directory, struct cache_key key, struct spirv *out_spirv, struct text *log)
{
    struct text entry = {0};
    struct entry_header header;
    char *path = cache_path(directory, key, "spirv");
    bool loaded = path && read_file(path, O_NOFOLLOW, true, &entry) && entry_is_whole(&entry, key, &header) &&
                  entry_take(&entry, &header, out_spirv, log);
    text_fini(&entry);
    free(path);
    return loaded;
}

static bool add_included(const struct list *included, struct text *entry)
{
    for (size_t i = 0; i < included->count; i++) {
        struct text text = {0};
        if (!cache_read_file(included->items[i], &text))
            return false;
        struct included_header header = {hash(text.data, text.size), strlen(included->items[i]) + 1};
        text_fini(&text);
        text_add_bytes(entry, &header, sizeof header);
        text_add_bytes(entry, included->items[i], header.path_size);
    }
    return true;
}

void cache_store(const char *directory, struct cache_key key, const struct spirv *spirv,
                 const struct text *log, const struct list *included)
{
    struct entry_header header = {.magic = entry_magic,
                                  .key = key,
                                  .word_count = spirv->word_count,
                                  .log_size = log->size,
                                  .included_count = included->count};
    struct text entry = {0};
    text_add_bytes(&entry, &header, sizeof header);
    text_add_bytes(&entry, spirv->words, spirv->word_count * sizeof *spirv->words);
    text_add_bytes(&entry, log->data, log->size);
    char *path = cache_path(directory, key, "spirv");
    const bool whole = !log->failed && !included->failed && add_included(included, &entry) && !entry.failed;
    if (path && whole) {
        header.content = hash(entry.data + sizeof header, entry.size - sizeof header);
        CHECKED(entry.size >= sizeof header + spirv->word_count * sizeof *spirv->words + log->size);
        memcpy(entry.data, &header, sizeof header);
        cache_write_file(path, entry.data, entry.size);
    }
    free(path);
    text_fini(&entry);
}
