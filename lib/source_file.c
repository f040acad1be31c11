/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program gives OpenCL a text without a name. The first build lists the files that may hold texts: files
 * with the extension of a source that the command line names, then those in the working directory and in the
 * executable's, two levels down. A text gets the name of the first listed file with equal bytes. A text of
 * no file is written to the folder that save_sources names. Directories are read completely and sorted by
 * name, so that the list depends on their contents only.
 *
 * pyopencl adds a variable of its own after a text. So a text also belongs to a file that has all of it but a
 * few words after the last empty line.
 */
#include "source_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orrery/report.h"
#include "api_runtime.h"
#include "message_stream.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { ENTRIES_MOST = 4096, LEVELS = 2, PATH_BYTES = 4096, ADDED_MOST = 128 };

struct source_candidate {
    char *path;
    size_t size;
};
struct text_key {
    uint64_t hash, size;
};
struct named {
    struct text_key key;
    char *name;
    UT_hash_handle hh;
};

static struct {
    pthread_mutex_t lock;
    bool listed;
    struct source_candidate *files;
    size_t count, room;
    size_t entries; /* directory entries that were read */
    struct named *all;
    uint32_t unnamed;
} sources = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the list of files ---------------------------------------------------------------- */

static bool is_source(const char *name)
{
    static const char *const extensions[] = {".cl", ".clh", ".clcpp", ".c", ".h", ".ocl", ".txt"};
    const char *dot = strrchr(name, '.');
    bool known = false;
    for (size_t i = 0; dot && i < sizeof extensions / sizeof *extensions; i++)
        known |= strcmp(dot, extensions[i]) == 0;
    return known;
}

static void list_file(const char *path, size_t size)
{
    if (sources.count == sources.room) {
        const size_t room = 2 * sources.room + 64;
        struct source_candidate *grown = realloc(sources.files, room * sizeof *grown);
        if (!grown)
            return;
        sources.files = grown;
        sources.room = room;
    }
    struct source_candidate *file = &sources.files[sources.count];
    file->size = size;
    file->path = strdup(path);
    sources.count += file->path != NULL;
}

struct kept_entry {
    char *name;
    unsigned char type;
};

/* The entries of a directory that may be sources or directories. */
struct source_listing {
    struct kept_entry *entry;
    size_t count, room;
};

static void keep_entry(struct source_listing *listing, const struct dirent *entry)
{
    const unsigned char type = entry->d_type;
    if (type != DT_DIR && type != DT_UNKNOWN && !is_source(entry->d_name))
        return;
    if (listing->count == listing->room) {
        const size_t room = 2 * listing->room + 16;
        struct kept_entry *grown = realloc(listing->entry, room * sizeof *grown);
        if (!grown)
            return;
        listing->entry = grown;
        listing->room = room;
    }
    struct kept_entry *kept = &listing->entry[listing->count];
    kept->type = type;
    kept->name = strdup(entry->d_name);
    listing->count += kept->name != NULL;
}

/* By bytes, independent of the locale. */
static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct kept_entry *)a)->name, ((const struct kept_entry *)b)->name);
}

/* False: the directory cannot be read, or has more visible entries than may still be read. Then none of
 * its entries is listed, since their order is not determined. */
static bool read_directory(const char *path, struct source_listing *listing)
{
    const struct dirent *entry;
    size_t seen = 0;
    const size_t most = ENTRIES_MOST - sources.entries;
    DIR *directory = opendir(path);
    if (!directory)
        return false;
    while (seen <= most && (entry = readdir(directory)))
        if (entry->d_name[0] != '.') {
            seen++;
            keep_entry(listing, entry);
        }
    closedir(directory);
    if (seen > most)
        return false;
    sources.entries += seen;
    if (listing->count)
        qsort(listing->entry, listing->count, sizeof *listing->entry, by_name);
    return true;
}

static void list_directory(const char *path, int levels);

/* Follows links to files, not to directories, which may be cycles. */
static void list_entry(const char *directory, const char *name, int levels, bool files)
{
    char path[PATH_BYTES];
    struct stat stat_;
    const int length = snprintf(path, sizeof path, "%s%s%s", directory, *directory ? "/" : "", name);
    if (length < 0 || (size_t)length >= sizeof path)
        return;
    if (files && is_source(name) && stat(path, &stat_) == 0 && S_ISREG(stat_.st_mode))
        list_file(path, (size_t)stat_.st_size);
    else if (!files && levels && lstat(path, &stat_) == 0 && S_ISDIR(stat_.st_mode))
        list_directory(path, levels - 1);
}

/* Files of a directory precede those of its sub-directories. directory: "" is the working directory. */
static void list_directory(const char *directory, int levels)
{
    struct source_listing listing = {NULL, 0, 0};
    const bool fits = read_directory(*directory ? directory : ".", &listing);
    for (size_t i = 0; fits && i < listing.count; i++)
        if (listing.entry[i].type != DT_DIR)
            list_entry(directory, listing.entry[i].name, levels, true);
    for (size_t i = 0; fits && i < listing.count; i++)
        if (listing.entry[i].type == DT_DIR || listing.entry[i].type == DT_UNKNOWN)
            list_entry(directory, listing.entry[i].name, levels, false);
    for (size_t i = 0; i < listing.count; i++)
        free(listing.entry[i].name);
    free(listing.entry);
}

static bool ends_name(char c)
{
    return !c || c == '/';
}

/* "../kernels" for /a/b/kernels from /a/b/c; the absolute path if only the root is common. */
static void relative(const char *from, const char *to, char out[PATH_BYTES])
{
    size_t common = 0, used = 0;
    size_t i = 0;
    for (; from[i] && from[i] == to[i]; i++) {
        if (from[i] == '/')
            common = i;
    }
    if (ends_name(from[i]) && ends_name(to[i]))
        common = i;
    if (!common) {
        snprintf(out, PATH_BYTES, "%s", to);
        return;
    }
    out[0] = '\0';
    for (const char *at = strchr(from + common, '/'); at && used + 4 < PATH_BYTES; at = strchr(at + 1, '/'))
        used += (size_t)snprintf(out + used, PATH_BYTES - used, "%s..", used ? "/" : "");
    if (to[common])
        snprintf(out + used, PATH_BYTES - used, "%s%s", used ? "/" : "", to + common + 1);
}

static bool executable_directory(char out[PATH_BYTES])
{
    const ssize_t length = readlink("/proc/self/exe", out, PATH_BYTES - 1);
    if (length <= 0)
        return false;
    out[length] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash || slash == out)
        return false;
    *slash = '\0';
    return true;
}

/* A file below the working directory is named relative to it. working: "" is unknown. */
static void list_argument(const char *argument, const char *working)
{
    struct stat stat_;
    const size_t length = strlen(working);
    const bool below = length > 1 && strncmp(argument, working, length) == 0 && argument[length] == '/';
    if (is_source(argument) && stat(argument, &stat_) == 0 && S_ISREG(stat_.st_mode))
        list_file(below ? argument + length + 1 : argument, (size_t)stat_.st_size);
}

/* An argument that is longer than the buffer is read in parts, which name no file. */
static void list_arguments(const char *working)
{
    char argument[PATH_BYTES];
    size_t used = 0;
    FILE *line = fopen("/proc/self/cmdline", "re");
    for (int c; line && (c = getc(line)) != EOF;) {
        argument[used++] = (char)c;
        if (c == '\0')
            list_argument(argument, working);
        if (c == '\0' || used == sizeof argument)
            used = 0;
    }
    if (line)
        fclose(line);
}

static void list_files(void)
{
    char working[PATH_BYTES], executable[PATH_BYTES], path[PATH_BYTES];
    const bool known = getcwd(working, sizeof working) != NULL;
    sources.listed = true;
    list_arguments(known ? working : "");
    list_directory("", LEVELS);
    sources.entries = 0; /* each of the two directories has its own limit */
    if (executable_directory(executable) && !(known && strcmp(working, executable) == 0)) {
        relative(known ? working : "", executable, path);
        if (*path)
            list_directory(path, LEVELS);
    }
}

/* ---- which of them holds the text ------------------------------------------------------ */

/* The file holds the text. It may have been replaced since it was listed, even by a FIFO. */
static bool holds(const char *path, const char *text, size_t size)
{
    char part[4096];
    struct stat now;
    size_t at = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool same = file >= 0 && fstat(file, &now) == 0 && S_ISREG(now.st_mode) && (size_t)now.st_size == size;
    while (same && at < size) {
        const ssize_t count = read(file, part, sizeof part);
        same = count > 0 && (size_t)count <= size - at && memcmp(part, text + at, (size_t)count) == 0;
        at += same ? (size_t)count : 0;
    }
    if (file >= 0)
        close(file);
    return same;
}

static const char *file_of_size(const char *text, size_t size)
{
    for (size_t i = 0; size && i < sources.count; i++)
        if (sources.files[i].size == size && holds(sources.files[i].path, text, size))
            return sources.files[i].path;
    return NULL;
}

size_t source_file_given(const char *text, size_t size)
{
    const char *rest = NULL;
    for (const char *at = text; (at = strstr(at, "\n\n")); at++)
        rest = at;
    return rest && size - (size_t)(rest - text) <= ADDED_MOST && !strpbrk(rest, "{}") ? (size_t)(rest - text)
                                                                                      : 0;
}

static const char *find_file(const char *text)
{
    const size_t size = strlen(text);
    const char *file = file_of_size(text, size);
    return file ? file : file_of_size(text, source_file_given(text, size));
}

static bool is_listed(const char *name)
{
    bool listed = false;
    for (size_t i = 0; i < sources.count; i++)
        listed |= strcmp(sources.files[i].path, name) == 0;
    return listed;
}

/* A name that neither another text nor a listed file has. */
static char *make_up_name(void)
{
    char name[32];
    do {
        const uint32_t number = ++sources.unnamed;
        if (number == 1)
            snprintf(name, sizeof name, "program.cl");
        else
            snprintf(name, sizeof name, "program%u.cl", (unsigned)number);
    } while (is_listed(name));
    return strdup(name);
}

static bool write_whole(int file, const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        const ssize_t count = write(file, text + at, size - at);
        if (count < 0 && errno != EINTR)
            return false;
        at += count > 0 ? (size_t)count : 0;
    }
    return true;
}

/*
 * The name is a hash of the text, so that each process and each run uses the same file. An existing file is
 * not written again, even if it holds another text. Returns the path as seen from where the run began.
 */
static char *save(const char *folder, const char *text, const struct text_key *key)
{
    char path[PATH_BYTES];
    const int length = snprintf(path, sizeof path, "%s/program-%016" PRIx64 ".cl", folder, key->hash);
    bool saved = length > 0 && (size_t)length < sizeof path && (mkdir(folder, 0777) == 0 || errno == EEXIST);
    const int file = saved ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (file >= 0) {
        saved = write_whole(file, text, key->size);
        saved &= close(file) == 0;
        if (!saved)
            unlink(path);
    } else {
        saved = saved && errno == EEXIST && holds(path, text, key->size);
    }
    if (!saved)
        fprintf(message_stream(), "orrery: warning: %s was not written: %s\n", path,
                errno == EEXIST ? "another text has its name" : strerror(errno));
    return saved ? strdup(report_name_below_root(runtime_get()->report, path)) : NULL;
}

/* A program may build any number of texts, so they are not kept: size and hash stand for a text. */
static struct text_key key_of(const char *text)
{
    struct text_key key = {.hash = UINT64_C(14695981039346656037)}; /* FNV-1a */
    for (; text[key.size]; key.size++)
        key.hash = (key.hash ^ (unsigned char)text[key.size]) * UINT64_C(1099511628211);
    return key;
}

static struct named *add(const char *text, const struct text_key *key, const struct enqueuer *made)
{
    struct named *named = calloc(1, sizeof *named), *added = NULL;
    if (!named)
        return NULL;
    if (!sources.listed)
        list_files();
    const char *file = find_file(text), *folder = runtime_get()->scenario.sources_folder;
    named->key = *key;
    named->name = file ? strdup(file) : NULL;
    if (!named->name && folder)
        named->name = save(folder, text, key);
    if (!named->name)
        named->name = make_up_name();
    if (named->name) {
        HASH_ADD(hh, sources.all, key, sizeof named->key, named);
        HASH_FIND(hh, sources.all, key, sizeof named->key, added);
    }
    if (added && !file && made)
        report_source_made(runtime_get()->report, named->name, made);
    if (!added) {
        free(named->name);
        free(named);
    }
    return added;
}

const char *source_file_name(const char *text, const struct enqueuer *made)
{
    const struct text_key key = key_of(text);
    const int saved = errno;
    struct named *named = NULL;
    pthread_mutex_lock(&sources.lock);
    HASH_FIND(hh, sources.all, &key, sizeof key, named);
    if (!named)
        named = add(text, &key, made);
    pthread_mutex_unlock(&sources.lock);
    errno = saved;
    return named ? named->name : "program.cl";
}
