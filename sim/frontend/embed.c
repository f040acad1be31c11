/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of included files that a finding quotes are kept in the module, in OpSource, when it is built:
 * the file may change later. Only lines that positions name are there; the others are empty.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile_cache.h"
#include "compile.h"
#include "spirv_words.h"

enum { SOURCE_WORDS = 4, CHUNK_BYTES = 0xf000 * 4 };

struct quoted {
    const struct spirv *spirv;
    const struct compilation *compilation;
    const struct list *included;
    struct timespec begun;
    const uint32_t **strings; /* per id: its OpString */
    uint32_t bound;
    struct text words; /* the instructions that are added */
};

static const char *without_dots(const char *name)
{
    while (!strncmp(name, "./", 2))
        name += 2;
    return name;
}

/* ---- whose text ----------------------------------------------------------------------- */

static const char *given_header(const struct compile_request *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (!strcmp(without_dots(request->headers[i].name), name))
            return request->headers[i].text;
    return NULL;
}

/* As headers_included wrote it down. */
static const char *included_path(const struct quoted *quoted, const char *name)
{
    const char *directory = quoted->compilation->working_directory;
    const size_t length = strlen(directory);
    for (size_t i = 0; i < quoted->included->count; i++) {
        const char *path = quoted->included->items[i];
        const bool below = !strncmp(path, directory, length) && path[length] == '/';
        if (!strcmp(path, name) ||
            (name[0] != '/' && below && !strcmp(without_dots(path + length + 1), name)))
            return path;
    }
    return NULL;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* The text that clang read may be lost if the file was written since. A time in the future proves nothing. */
static bool written_meanwhile(const struct quoted *quoted, const char *path)
{
    struct timespec now;
    struct stat about;
    if (stat(path, &about) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return true;
    return is_later(&about.st_mtim, &quoted->begun) && !is_later(&about.st_mtim, &now);
}

/* False: there is none. */
static bool find_text(const struct quoted *quoted, const char *name, struct text *out_text)
{
    const struct compile_request *request = quoted->compilation->request;
    const char *given = given_header(request, name), *path = given ? NULL : included_path(quoted, name);
    if (!given && !path && request->embed_source && !strcmp(name, request->source_name))
        given = request->source;
    if (given)
        text_add(out_text, given);
    else if (!path || written_meanwhile(quoted, path) || !cache_read_file(path, out_text))
        return false;
    return !out_text->failed && out_text->data && strlen(out_text->data) == out_text->size;
}

/* A file that numbers its lines itself. */
static bool counts_otherwise(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *at = line + strspn(line, " \t");
        if (*at != '#')
            continue;
        at += 1 + strspn(at + 1, " \t");
        if (!strncmp(at, "line", 4) || (*at >= '0' && *at <= '9'))
            return true;
    }
    return false;
}

/* ---- which lines ---------------------------------------------------------------------- */

/* One byte per line up to the last one that is named; NULL: none is, or there is no memory. */
static unsigned char *named_lines(const struct quoted *quoted, uint32_t id, uint32_t line_count,
                                  uint32_t *out_last)
{
    unsigned char *named = calloc((size_t)line_count + 1, 1);
    *out_last = 0;
    for (size_t at = HEADER_WORDS; named && at < quoted->spirv->word_count;
         at += quoted->spirv->words[at] >> SpvWordCountShift) {
        const uint32_t *w = quoted->spirv->words + at;
        if (opcode_of(w[0]) != SpvOpLine || w[1] != id || !w[2] || w[2] > line_count)
            continue;
        named[w[2]] = 1;
        *out_last = w[2] > *out_last ? w[2] : *out_last;
    }
    if (*out_last)
        return named;
    free(named);
    return NULL;
}

static uint32_t count_lines(const char *text)
{
    uint32_t count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void keep_lines(const char *text, const unsigned char *named, uint32_t last, struct text *out)
{
    for (uint32_t line = 1; line <= last; line++) {
        const size_t length = strcspn(text, "\n");
        if (named[line])
            text_add_bytes(out, text, length);
        text_add(out, "\n");
        text += length + (text[length] == '\n');
    }
}

/* ---- instructions --------------------------------------------------------------------- */

static void add_literal(struct text *words, const char *bytes, size_t size)
{
    static const char zeros[sizeof(uint32_t)] = "";
    text_add_bytes(words, bytes, size);
    text_add_bytes(words, zeros, sizeof zeros - size % sizeof zeros);
}

static uint32_t literal_words(size_t size)
{
    return (uint32_t)(size / sizeof(uint32_t)) + 1;
}

static void add_source(struct quoted *quoted, uint32_t id, const char *text, size_t size)
{
    const struct compilation *compilation = quoted->compilation;
    const uint32_t language =
        compilation->cplusplus ? SpvSourceLanguageOpenCL_CPP : SpvSourceLanguageOpenCL_C;
    size_t part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
    const uint32_t source[SOURCE_WORDS] = {(SOURCE_WORDS + literal_words(part)) << SpvWordCountShift |
                                               SpvOpSource,
                                           language, compilation->cl_std * 1000, id};
    text_add_bytes(&quoted->words, source, sizeof source);
    add_literal(&quoted->words, text, part);
    for (size_t at = part; at < size; at += part) {
        part = size - at < CHUNK_BYTES ? size - at : CHUNK_BYTES;
        const uint32_t more = (1 + literal_words(part)) << SpvWordCountShift | SpvOpSourceContinued;
        text_add_bytes(&quoted->words, &more, sizeof more);
        add_literal(&quoted->words, text + at, part);
    }
}

static void quote(struct quoted *quoted, uint32_t id, const char *name)
{
    struct text text = {0}, lines = {0};
    unsigned char *named = NULL;
    uint32_t last;
    if (find_text(quoted, name, &text) && !counts_otherwise(text.data))
        named = named_lines(quoted, id, count_lines(text.data), &last);
    if (named) {
        keep_lines(text.data, named, last, &lines);
        if (!lines.failed)
            add_source(quoted, id, lines.data, lines.size);
    }
    free(named);
    text_fini(&lines);
    text_fini(&text);
}

/* After the last OpString: what it names has to be there. */
static size_t find_strings(struct quoted *quoted)
{
    const struct spirv *spirv = quoted->spirv;
    size_t past = 0;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += spirv->words[at] >> SpvWordCountShift) {
        const uint32_t *w = spirv->words + at;
        if (opcode_of(w[0]) != SpvOpString || w[1] >= quoted->bound)
            continue;
        quoted->strings[w[1]] = w;
        past = at + (w[0] >> SpvWordCountShift);
    }
    return past;
}

enum status embed_module(const struct compilation *compilation, const struct list *included,
                         const struct timespec *begun, struct spirv *spirv)
{
    struct quoted quoted = {.spirv = spirv,
                            .compilation = compilation,
                            .included = included,
                            .begun = *begun,
                            .bound = spirv->words[3]};
    quoted.strings = calloc(quoted.bound, sizeof *quoted.strings);
    if (!quoted.strings)
        return STATUS_OUT_OF_MEMORY;
    const size_t past = find_strings(&quoted);
    for (uint32_t id = 1; id < quoted.bound; id++)
        if (quoted.strings[id])
            quote(&quoted, id, (const char *)(quoted.strings[id] + 2));
    free(quoted.strings);
    const size_t added = quoted.words.size / sizeof(uint32_t);
    uint32_t *words = added && !quoted.words.failed
                          ? realloc(spirv->words, (spirv->word_count + added) * sizeof *words)
                          : NULL;
    if (words) {
        memmove(words + past + added, words + past, (spirv->word_count - past) * sizeof *words);
        memcpy(words + past, quoted.words.data, added * sizeof *words);
        *spirv = (struct spirv){.words = words, .word_count = spirv->word_count + added};
    }
    const bool lost = quoted.words.failed || (added && !words);
    text_fini(&quoted.words);
    return lost ? STATUS_OUT_OF_MEMORY : STATUS_OK;
}
