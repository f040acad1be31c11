/* SPDX-License-Identifier: Apache-2.0 */
/* Embeds the source lines that findings quote into the module, as OpSource, because the files may change
 * later. Only lines that an OpLine names are kept; all others are empty. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compile_cache.h"
#include "compile.h"
#include "spirv_words.h"

enum { SOURCE_WORDS = 4, CHUNK_BYTES = 0xf000 * 4 };

struct line_embedder {
    const struct spirv *spirv;
    const struct compilation *compilation;
    const struct list *included;
    struct timespec begun;
    const uint32_t **strings; /* per id: its OpString */
    uint32_t bound;
    struct text words; /* the instructions to add */
};

static const char *skip_dot_slashes(const char *name)
{
    while (!strncmp(name, "./", 2))
        name += 2;
    return name;
}

/* ---- whose text ----------------------------------------------------------------------- */

static const char *given_header(const struct compile_request *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (!strcmp(skip_dot_slashes(request->headers[i].name), name))
            return request->headers[i].text;
    return NULL;
}

/* A path in the list of headers_included(). */
static const char *included_path(const struct line_embedder *embedder, const char *name)
{
    const char *directory = embedder->compilation->working_directory;
    const size_t length = strlen(directory);
    for (size_t i = 0; i < embedder->included->count; i++) {
        const char *path = embedder->included->items[i];
        const bool below = !strncmp(path, directory, length) && path[length] == '/';
        if (!strcmp(path, name) ||
            (name[0] != '/' && below && !strcmp(skip_dot_slashes(path + length + 1), name)))
            return path;
    }
    return NULL;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Was the file modified after the build began? Then clang may have read another text. Modification times in
 * the future are ignored. */
static bool changed_since_start(const struct line_embedder *embedder, const char *path)
{
    struct timespec now;
    struct stat about;
    if (stat(path, &about) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return true;
    return is_later(&about.st_mtim, &embedder->begun) && !is_later(&about.st_mtim, &now);
}

/* False: the text is not available. */
static bool find_text(const struct line_embedder *embedder, const char *name, struct text *out_text)
{
    const struct compile_request *request = embedder->compilation->request;
    const char *given = given_header(request, name), *path = given ? NULL : included_path(embedder, name);
    if (!given && !path && request->embed_source && !strcmp(name, request->source_name))
        given = request->source;
    if (given)
        text_add(out_text, given);
    else if (!path || changed_since_start(embedder, path) || !cache_read_file(path, out_text))
        return false;
    return !out_text->failed && out_text->data && strlen(out_text->data) == out_text->size;
}

/* Files with #line directives have line numbers of their own. */
static bool has_line_directives(const char *text)
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

/* A flag per line, up to the last one that an OpLine names; NULL: no line is named, or out of memory. */
static unsigned char *named_lines(const struct line_embedder *embedder, uint32_t id, uint32_t line_count,
                                  uint32_t *out_last)
{
    unsigned char *named = calloc((size_t)line_count + 1, 1);
    *out_last = 0;
    for (size_t at = HEADER_WORDS; named && at < embedder->spirv->word_count;
         at += length_of(embedder->spirv->words[at])) {
        const uint32_t *w = embedder->spirv->words + at;
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

static void add_source(struct line_embedder *embedder, uint32_t id, const char *text, size_t size)
{
    const struct compilation *compilation = embedder->compilation;
    const uint32_t language =
        compilation->cplusplus ? SpvSourceLanguageOpenCL_CPP : SpvSourceLanguageOpenCL_C;
    size_t part = size < CHUNK_BYTES ? size : CHUNK_BYTES;
    const uint32_t source[SOURCE_WORDS] = {instruction_word(SpvOpSource, SOURCE_WORDS + literal_words(part)),
                                           language, compilation->cl_std * 1000, id};
    text_add_bytes(&embedder->words, source, sizeof source);
    add_literal(&embedder->words, text, part);
    for (size_t at = part; at < size; at += part) {
        part = size - at < CHUNK_BYTES ? size - at : CHUNK_BYTES;
        const uint32_t more = instruction_word(SpvOpSourceContinued, 1 + literal_words(part));
        text_add_bytes(&embedder->words, &more, sizeof more);
        add_literal(&embedder->words, text + at, part);
    }
}

static void quote(struct line_embedder *embedder, uint32_t id, const char *name)
{
    struct text text = {0}, lines = {0};
    unsigned char *named = NULL;
    uint32_t last;
    if (find_text(embedder, name, &text) && !has_line_directives(text.data))
        named = named_lines(embedder, id, count_lines(text.data), &last);
    if (named) {
        keep_lines(text.data, named, last, &lines);
        if (!lines.failed)
            add_source(embedder, id, lines.data, lines.size);
    }
    free(named);
    text_fini(&lines);
    text_fini(&text);
}

/* After the last OpString, since OpSource refers to one. */
static size_t find_strings(struct line_embedder *embedder)
{
    const struct spirv *spirv = embedder->spirv;
    size_t past = 0;
    for (size_t at = HEADER_WORDS; at < spirv->word_count; at += length_of(spirv->words[at])) {
        const uint32_t *w = spirv->words + at;
        if (opcode_of(w[0]) != SpvOpString || w[1] >= embedder->bound)
            continue;
        embedder->strings[w[1]] = w;
        past = at + (length_of(w[0]));
    }
    return past;
}

enum status embed_module(const struct compilation *compilation, const struct list *included,
                         const struct timespec *begun, struct spirv *spirv)
{
    struct line_embedder embedder = {.spirv = spirv,
                                     .compilation = compilation,
                                     .included = included,
                                     .begun = *begun,
                                     .bound = spirv->words[BOUND_WORD]};
    embedder.strings = calloc(embedder.bound, sizeof *embedder.strings);
    if (!embedder.strings)
        return STATUS_OUT_OF_MEMORY;
    const size_t past = find_strings(&embedder);
    for (uint32_t id = 1; id < embedder.bound; id++)
        if (embedder.strings[id])
            quote(&embedder, id, (const char *)(embedder.strings[id] + 2));
    free(embedder.strings);
    const size_t added = embedder.words.size / sizeof(uint32_t);
    uint32_t *words = added && !embedder.words.failed
                          ? realloc(spirv->words, (spirv->word_count + added) * sizeof *words)
                          : NULL;
    if (words) {
        memmove(words + past + added, words + past, (spirv->word_count - past) * sizeof *words);
        memcpy(words + past, embedder.words.data, added * sizeof *words);
        *spirv = (struct spirv){.words = words, .word_count = spirv->word_count + added};
    }
    const bool lost = embedder.words.failed || (added && !words);
    text_fini(&embedder.words);
    return lost ? STATUS_OUT_OF_MEMORY : STATUS_OK;
}
