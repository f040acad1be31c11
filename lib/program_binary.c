/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The binary form of a build: a header with a checksum, texts, and SPIR-V words. A reader checks every
 * length against the size, and the checksum, before it uses the contents.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_program.h"
#include "source_place.h"

enum { BINARY_VERSION = 1, SPIRV_HEADER_WORDS = 5 };
static const char magic[8] = {'O', 'R', 'R', 'E', 'R', 'Y', 'P', 'B'};

struct binary_header {
    char magic[8];
    uint32_t version;
    uint32_t type;          /* CL_PROGRAM_BINARY_TYPE_* */
    uint64_t checksum;      /* of all bytes, with this field as 0 */
    uint32_t options_bytes; /* with the final NUL; 0 = none */
    uint32_t source_bytes;
    uint32_t constant_count; /* values given to specialisation constants */
    uint32_t flags;
    uint64_t word_count;
};
/* FLAG_PLACED: the name of the file that the source stands in precedes the source, with a NUL of its own.
 * FLAG_BUILT: clBuildProgram made all of the binary from the source, with these options. */
enum { FLAG_KERNEL_ARG_INFO = 1, FLAG_UNIFORM_GROUPS = 2, FLAG_DEBUG = 4, FLAG_PLACED = 8, FLAG_BUILT = 16 };
_Static_assert(sizeof(struct spec_constant) == 16, "specialisation constants are stored as they are");
_Static_assert(sizeof(struct binary_header) == 48, "the header has no padding");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "program binaries are written in host order, which must be little-endian"
#endif

static uint64_t checksum_add(uint64_t sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return sum;
}

/* FNV-1a finds damage. It does not find forgery, but the words are validated when they are built. */
static uint64_t checksum(struct binary_header header, const unsigned char *body, size_t size)
{
    header.checksum = 0;
    return checksum_add(checksum_add(0xcbf29ce484222325u, &header, sizeof header), body, size);
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* The parts of a build that its binary holds; borrowed. */
struct binary_parts {
    const char *source_name, *source;
    const struct spec_constant *constants;
    size_t constant_count;
    bool built;
};

static struct binary_parts made_of(const struct program_object *program, const struct program_build *build)
{
    const struct program_binary *binary = build->binary;
    const char *source = program->placed.text ? program->placed.text : program->source;
    const bool built =
        program->origin == PROGRAM_FROM_SOURCE && build->binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return binary ? (struct binary_parts){binary->source_name, binary->source, binary->constants,
                                          binary->constant_count, binary->built}
                  : (struct binary_parts){program->placed.name, source, program->constants,
                                          program->constant_count, built};
}

size_t program_binary_size(const struct program_object *program, const struct program_build *build)
{
    struct binary_parts origin = made_of(program, build);
    if (!build->spirv.words)
        return 0;
    return sizeof(struct binary_header) + text_bytes(build->options) + text_bytes(origin.source_name) +
           text_bytes(origin.source) + origin.constant_count * sizeof *origin.constants +
           build->spirv.word_count * sizeof(uint32_t);
}

static unsigned char *put(unsigned char *out, const void *bytes, size_t size)
{
    if (size)
        memcpy(out, bytes, size);
    return out + size;
}

void program_binary_write(const struct program_object *program, const struct program_build *build,
                          unsigned char *out)
{
    size_t size = program_binary_size(program, build);
    struct binary_parts origin = made_of(program, build);
    struct binary_header header = {
        .version = BINARY_VERSION,
        .type = build->binary_type,
        .options_bytes = (uint32_t)text_bytes(build->options),
        .source_bytes = (uint32_t)(text_bytes(origin.source_name) + text_bytes(origin.source)),
        .constant_count = (uint32_t)origin.constant_count,
        .flags = (build->kernel_arg_info ? FLAG_KERNEL_ARG_INFO : 0u) |
                 (build->uniform_groups ? FLAG_UNIFORM_GROUPS : 0u) | (build->debug ? FLAG_DEBUG : 0u) |
                 (origin.source_name ? FLAG_PLACED : 0u) | (origin.built ? FLAG_BUILT : 0u),
        .word_count = build->spirv.word_count,
    };
    memcpy(header.magic, magic, sizeof magic);
    unsigned char *at = out + sizeof header;
    at = put(at, build->options, header.options_bytes);
    at = put(at, origin.source_name, text_bytes(origin.source_name));
    at = put(at, origin.source, text_bytes(origin.source));
    at = put(at, origin.constants, origin.constant_count * sizeof *origin.constants);
    put(at, build->spirv.words, build->spirv.word_count * sizeof(uint32_t));
    header.checksum = checksum(header, out + sizeof header, size - sizeof header);
    memcpy(out, &header, sizeof header);
}

/* Of the whole binary, by its header; UINT64_MAX: more than there can be. */
static uint64_t size_by_header(const struct binary_header *header)
{
    if (header->word_count > UINT32_MAX)
        return UINT64_MAX;
    return sizeof *header + header->options_bytes + (uint64_t)header->source_bytes +
           header->constant_count * (uint64_t)sizeof(struct spec_constant) +
           header->word_count * sizeof(uint32_t);
}

static bool header_read(struct binary_header *header, const unsigned char *bytes, size_t size)
{
    if (size < sizeof *header)
        return false;
    memcpy(header, bytes, sizeof *header);
    if (memcmp(header->magic, magic, sizeof magic) || header->version != BINARY_VERSION)
        return false;
    if (header->word_count < SPIRV_HEADER_WORDS || size_by_header(header) != size)
        return false;
    return checksum(*header, bytes + sizeof *header, size - sizeof *header) == header->checksum;
}

static bool begins_with(const unsigned char *bytes, size_t size, const void *start, size_t start_bytes)
{
    return size >= start_bytes && memcmp(bytes, start, start_bytes) == 0;
}

/* What other programs than this one write. */
static const char *foreign_form(const unsigned char *bytes, size_t size)
{
    static const uint32_t spirv = 0x07230203;
    size_t text = 0;
    while (text < size && (bytes[text] >= ' ' || (bytes[text] >= '\t' && bytes[text] <= '\r')))
        text++;
    if (begins_with(bytes, size, &spirv, sizeof spirv))
        return "is SPIR-V, which clCreateProgramWithIL takes";
    if (begins_with(bytes, size, "BC\xc0\xde", 4))
        return "is LLVM bitcode";
    if (begins_with(bytes, size,
                    "\x7f"
                    "ELF",
                    4))
        return "is an ELF file, of another platform's device";
    if (text && (text == size || (text == size - 1 && !bytes[text])))
        return "is text, which clCreateProgramWithSource takes";
    return "does not begin as a binary of this platform";
}

void program_binary_say(const unsigned char *bytes, size_t size, char *out, size_t out_size)
{
    struct binary_header header = {.version = BINARY_VERSION};
    const bool begins = size && memcmp(bytes, magic, size < sizeof magic ? size : sizeof magic) == 0;
    if (begins && size < sizeof header) {
        snprintf(out, out_size, "has %zu bytes, and its header alone %zu: it is cut short", size,
                 sizeof header);
        return;
    }
    if (begins)
        memcpy(&header, bytes, sizeof header);
    const uint64_t wanted = size_by_header(&header);
    if (!begins)
        snprintf(out, out_size, "has %zu bytes and %s", size, foreign_form(bytes, size));
    else if (header.version != BINARY_VERSION)
        snprintf(out, out_size, "is of version %" PRIu32 " of the format, and this library reads version %d",
                 header.version, BINARY_VERSION);
    else if (wanted > size && wanted != UINT64_MAX)
        snprintf(out, out_size, "has %zu bytes, and by its header %" PRIu64 ": it is cut short", size,
                 wanted);
    else if (wanted < size)
        snprintf(out, out_size, "has %zu bytes, and by its header only %" PRIu64, size, wanted);
    else
        snprintf(out, out_size, "has %zu bytes and is damaged: its checksum does not fit", size);
}

/* Copies a text of size bytes, the last of which is a NUL; *out_text is NULL for size 0. False: invalid. */
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

static bool take_source(const unsigned char **at, const struct binary_header *header,
                        struct program_binary *binary)
{
    const char *text = (const char *)*at;
    const bool placed = header->flags & FLAG_PLACED;
    const size_t name_bytes = placed ? strnlen(text, header->source_bytes) + 1 : 0;
    if (placed && name_bytes >= header->source_bytes)
        return false;
    return take_text(at, (uint32_t)name_bytes, &binary->source_name) &&
           take_text(at, header->source_bytes - (uint32_t)name_bytes, &binary->source);
}

static bool type_known(uint32_t type)
{
    return type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY ||
           type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

static bool take_constants(const unsigned char **at, uint32_t count, struct program_binary *binary)
{
    size_t size = count * sizeof *binary->constants;
    if (!count)
        return true;
    binary->constants = malloc(size);
    if (!binary->constants)
        return false;
    memcpy(binary->constants, *at, size);
    binary->constant_count = count;
    *at += size;
    return true;
}

static bool take_words(const unsigned char *at, uint64_t count, struct spirv *out_spirv)
{
    uint32_t *words = malloc(count * sizeof *words);
    if (!words)
        return false;
    memcpy(words, at, count * sizeof *words);
    *out_spirv = (struct spirv){.words = words, .word_count = count};
    return true;
}

/* The file may have been edited since: then positions in the words are of its former lines. */
static void renew_place(struct program_binary *binary)
{
    struct placed_source placed = {binary->source, binary->source_name};
    if (!binary->source || !binary->source_name || !binary->built)
        return;
    binary->moved = !source_place_renew(&placed);
    binary->source = placed.text;
    binary->source_name = placed.name;
}

bool program_binary_read(struct program_binary *binary, const unsigned char *bytes, size_t size)
{
    struct binary_header header;
    if (!header_read(&header, bytes, size) || !type_known(header.type))
        return false;
    const unsigned char *at = bytes + sizeof header;
    binary->type = header.type;
    binary->kernel_arg_info = header.flags & FLAG_KERNEL_ARG_INFO;
    binary->uniform_groups = header.flags & FLAG_UNIFORM_GROUPS;
    binary->debug = header.flags & FLAG_DEBUG;
    binary->built = header.flags & FLAG_BUILT;
    const bool whole = take_text(&at, header.options_bytes, &binary->options) &&
                       take_source(&at, &header, binary) &&
                       take_constants(&at, header.constant_count, binary) &&
                       take_words(at, header.word_count, &binary->words);
    if (whole)
        renew_place(binary);
    return whole;
}

void program_binary_free(struct program_binary *list)
{
    while (list) {
        struct program_binary *binary = list;
        list = binary->next;
        spirv_fini(&binary->words);
        free(binary->constants);
        free(binary->options);
        free(binary->source);
        free(binary->source_name);
        free(binary);
    }
}

const struct program_binary *program_binary_for(const struct program_object *program,
                                                const struct cl_device *device)
{
    for (size_t i = 0; i < program->device_binary_count; i++)
        if (program->device_binaries[i].device == device)
            return program->device_binaries[i].binary;
    return NULL;
}

const char *program_source(const struct program_object *program)
{
    const struct program_binary *binary =
        program->device_binary_count ? program->device_binaries[0].binary : NULL;
    if (!binary || !binary->source)
        return binary ? NULL : program->source;
    return binary->source + (binary->source_name ? strspn(binary->source, "\n") : 0);
}

void program_copy_placed(const struct program_object *program, struct placed_source *out_placed)
{
    const struct program_binary *binary =
        program->device_binary_count ? program->device_binaries[0].binary : NULL;
    const char *text = binary ? binary->source : program->placed.text,
               *name = binary ? binary->source_name : program->placed.name;
    *out_placed = (struct placed_source){NULL, NULL};
    if (text && name)
        source_place_set(out_placed, strdup(text), strdup(name));
}
