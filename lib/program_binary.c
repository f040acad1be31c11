/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { BINARY_VERSION = 1, SPIRV_HEADER_WORDS = 5 };
static const char magic[8] = {'O', 'R', 'R', 'E', 'R', 'Y', 'P', 'B'};

struct header {
    char magic[8];
    uint32_t version;
    uint32_t type;          /* CL_PROGRAM_BINARY_TYPE_* */
    uint64_t checksum;      /* of everything behind the header */
    uint32_t options_bytes; /* with the final NUL; 0 = none */
    uint32_t source_bytes;
    uint64_t word_count;
};
_Static_assert(sizeof(struct header) == 40, "the header has no padding");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "program binaries are written in host order, which must be little-endian"
#endif

/* FNV-1a: damage shows, forgery is not the concern (the words are validated at build). */
static uint64_t checksum(const unsigned char *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

size_t program_binary_size(const struct program_object *program)
{
    if (!program->build.spirv.words)
        return 0;
    return sizeof(struct header) + text_bytes(program->build.options) + text_bytes(program->source) +
           program->build.spirv.word_count * sizeof(uint32_t);
}

static unsigned char *put(unsigned char *out, const void *bytes, size_t size)
{
    if (size)
        memcpy(out, bytes, size);
    return out + size;
}

void program_binary_write(const struct program_object *program, unsigned char *out)
{
    const struct build *build = &program->build;
    size_t size = program_binary_size(program);
    struct header header = {
        .version = BINARY_VERSION,
        .type = build->binary_type,
        .options_bytes = (uint32_t)text_bytes(build->options),
        .source_bytes = (uint32_t)text_bytes(program->source),
        .word_count = build->spirv.word_count,
    };
    memcpy(header.magic, magic, sizeof magic);
    unsigned char *at = out + sizeof header;
    at = put(at, build->options, header.options_bytes);
    at = put(at, program->source, header.source_bytes);
    put(at, build->spirv.words, build->spirv.word_count * sizeof(uint32_t));
    header.checksum = checksum(out + sizeof header, size - sizeof header);
    memcpy(out, &header, sizeof header);
}

static bool header_read(struct header *header, const unsigned char *bytes, size_t size)
{
    if (size < sizeof *header)
        return false;
    memcpy(header, bytes, sizeof *header);
    if (memcmp(header->magic, magic, sizeof magic) || header->version != BINARY_VERSION)
        return false;
    size_t rest = size - sizeof *header;
    if (header->word_count < SPIRV_HEADER_WORDS || header->word_count > rest / sizeof(uint32_t))
        return false;
    if ((uint64_t)header->options_bytes + header->source_bytes + header->word_count * sizeof(uint32_t) != rest)
        return false;
    return checksum(bytes + sizeof *header, rest) == header->checksum;
}

/* A text of size bytes, the last a NUL; *out_text stays NULL when there is none. */
static bool take_text(const unsigned char **at, uint32_t size, char **out_text)
{
    const char *text = (const char *)*at;
    *at += size;
    if (!size)
        return true;
    if (text[size - 1] != '\0' || !(*out_text = malloc(size)))
        return false;
    memcpy(*out_text, text, size);
    return true;
}

static bool type_known(uint32_t type)
{
    return type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY ||
           type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

bool program_binary_read(struct program_object *program, const unsigned char *bytes, size_t size)
{
    struct header header;
    if (!header_read(&header, bytes, size) || !type_known(header.type))
        return false;
    const unsigned char *at = bytes + sizeof header;
    if (!take_text(&at, header.options_bytes, &program->build.options) ||
        !take_text(&at, header.source_bytes, &program->source))
        return false;
    uint32_t *words = malloc(header.word_count * sizeof *words);
    if (!words)
        return false;
    memcpy(words, at, header.word_count * sizeof *words);
    program->build.spirv = (struct spirv){.words = words, .word_count = header.word_count};
    program->build.binary_type = header.type;
    return true;
}
