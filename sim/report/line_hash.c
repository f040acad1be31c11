/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GitHub's fingerprint of a line, primaryLocationLineHash. GitHub's action for uploads computes it from the
 * file again and warns if the result differs. The hash covers 100 UTF-16 units from the beginning of the
 * line on, also of the lines that follow: spaces and tabs are left out, each end of a line is a newline, the
 * end of the file is 65535, and zeros follow it. It is the polynomial of these units at 37, modulo 2 to the
 * 64th. The number after the colon counts the lines with this hash.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "fingerprint.h"
#include "sim/base/utf8.h"

enum { UNITS = 100, FACTOR = 37, END_OF_FILE = 0xffff, NO_CHARACTER = 0xfffd };

struct line_hash {
    uint64_t hash;
    uint32_t times; /* how many lines up to this one have this hash */
};

struct hashed_file {
    char *path;
    size_t count;
    struct line_hash *lines; /* NULL: the file cannot be read */
    UT_hash_handle hh;
};

/* ---- units ------------------------------------------------------------------------------ */

struct utf16_units {
    size_t count;
    uint16_t *at; /* with UNITS zeros after the last one */
};

static void put_unit(struct utf16_units *units, uint32_t unit)
{
    units->at[units->count++] = (uint16_t)unit;
}

/* The units fit into an array of `size`: a character of two units has four bytes. */
static struct utf16_units units_of(const char *text, size_t size)
{
    struct utf16_units units = {.at = calloc(size + UNITS + 1, sizeof *units.at)};
    bool returned = false;
    for (size_t i = 0, bytes; units.at && i < size; i += bytes) {
        const uint32_t decoded = utf8_decode(text + i, size - i, &bytes),
                       character = decoded == UTF8_INVALID ? NO_CHARACTER : decoded;
        const bool skipped = character == ' ' || character == '\t' || (returned && character == '\n');
        returned = character == '\r';
        if (character > 0xffff)
            put_unit(&units, 0xd800 + ((character - 0x10000) >> 10));
        if (character > 0xffff)
            put_unit(&units, 0xdc00 + ((character - 0x10000) & 0x3ff));
        else if (!skipped)
            put_unit(&units, returned ? '\n' : character);
    }
    if (units.at)
        put_unit(&units, END_OF_FILE);
    return units;
}

/* Beyond the end of the file the array has zeros. */
static uint64_t hash_at(const struct utf16_units *units, size_t start)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < UNITS; i++)
        hash = hash * FACTOR + (start + i < units->count ? units->at[start + i] : 0);
    return hash;
}

/* ---- lines ------------------------------------------------------------------------------ */

struct counted_line {
    uint64_t hash;
    uint32_t times;
    UT_hash_handle hh;
};

static uint32_t count_hash(struct counted_line **all, uint64_t hash)
{
    struct counted_line *counted = NULL, *added = NULL;
    HASH_FIND(hh, *all, &hash, sizeof hash, counted);
    if (counted)
        return ++counted->times;
    if (!(counted = calloc(1, sizeof *counted)))
        return 1;
    *counted = (struct counted_line){.hash = hash, .times = 1};
    HASH_ADD(hh, *all, hash, sizeof hash, counted);
    HASH_FIND(hh, *all, &hash, sizeof hash, added);
    if (!added)
        free(counted);
    return 1;
}

static void count_lines(struct hashed_file *file)
{
    struct counted_line *all = NULL, *counted, *next;
    for (size_t i = 0; i < file->count; i++)
        file->lines[i].times = count_hash(&all, file->lines[i].hash);
    HASH_ITER(hh, all, counted, next)
    {
        HASH_DEL(all, counted);
        free(counted);
    }
}

static void hash_lines(struct hashed_file *file, const char *text, size_t size)
{
    struct utf16_units units = units_of(text, size);
    size_t lines = 1;
    for (size_t i = 0; i < units.count; i++)
        lines += units.at[i] == '\n';
    file->lines = units.at ? calloc(lines, sizeof *file->lines) : NULL;
    for (size_t i = 0; file->lines && i < units.count; i++)
        if (i == 0 || units.at[i - 1] == '\n')
            file->lines[file->count++].hash = hash_at(&units, i);
    free(units.at);
    count_lines(file);
}

static char *line_text(const struct hashed_file *file, uint32_t line)
{
    char *text = NULL;
    if (!line || line > file->count)
        return NULL;
    const struct line_hash *found = &file->lines[line - 1];
    return asprintf(&text, "%" PRIx64 ":%" PRIu32, found->hash, found->times) < 0 ? NULL : text;
}

char *line_hashes_of_text(const char *text)
{
    struct hashed_file file = {.count = 0};
    hash_lines(&file, text, strcspn(text, "\r\n"));
    char *hash = line_text(&file, 1);
    free(file.lines);
    return hash;
}

/* ---- files ------------------------------------------------------------------------------ */

static void read_file(struct hashed_file *file)
{
    char *text = NULL, part[4096];
    size_t size = 0;
    FILE *in = fopen(file->path, "re"), *all = in ? open_memstream(&text, &size) : NULL;
    for (size_t got; all && (got = fread(part, 1, sizeof part, in)) > 0;)
        fwrite(part, 1, got, all);
    if (all && fclose(all) == 0)
        hash_lines(file, text, size);
    if (in)
        fclose(in);
    free(text);
}

static void file_free(struct hashed_file *file)
{
    free(file->path);
    free(file->lines);
    free(file);
}

/* NULL: out of memory. */
static struct hashed_file *add_file(struct line_hashes *hashes, const char *path)
{
    struct hashed_file *file = calloc(1, sizeof *file), *added = NULL;
    if (file && (file->path = strdup(path))) {
        read_file(file);
        HASH_ADD_KEYPTR(hh, hashes->files, file->path, strlen(file->path), file);
        HASH_FIND_STR(hashes->files, path, added);
    }
    if (file && !added)
        file_free(file);
    return added;
}

char *line_hashes_of(struct line_hashes *hashes, const char *path, uint32_t line)
{
    struct hashed_file *file = NULL;
    HASH_FIND_STR(hashes->files, path, file);
    if (!file)
        file = add_file(hashes, path);
    return file ? line_text(file, line) : NULL;
}

void line_hashes_fini(struct line_hashes *hashes)
{
    struct hashed_file *file, *next;
    HASH_ITER(hh, hashes->files, file, next)
    {
        HASH_DEL(hashes->files, file);
        file_free(file);
    }
}
