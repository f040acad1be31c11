/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How libFuzzer and fuzz_main.c change an input that is a text. Half of the changes move, repeat or remove
 * lines and tokens, or replace a number by an extreme one. The other half are libFuzzer's own changes of
 * bytes, which also insert words of a dictionary.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

struct span {
    size_t at, size;
};
struct text {
    uint8_t *bytes;
    size_t size, most;
    uint64_t random;
};

static size_t pick(struct text *text, size_t n)
{
    uint64_t z = text->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return n ? z % n : 0;
}

/* Bytes that stay must not be in the replacement. */
static bool replace(struct text *text, struct span old, const void *bytes, size_t size)
{
    if (text->size - old.size + size > text->most)
        return false;
    memmove(text->bytes + old.at + size, text->bytes + old.at + old.size, text->size - old.at - old.size);
    memcpy(text->bytes + old.at, bytes, size);
    text->size += size - old.size;
    return true;
}

static struct span line_at(const struct text *text, size_t at)
{
    struct span line = {at, 0};
    while (line.at && text->bytes[line.at - 1] != '\n')
        line.at--;
    while (line.at + line.size < text->size && text->bytes[line.at + line.size] != '\n')
        line.size++;
    line.size += line.at + line.size < text->size;
    return line;
}

static bool in_word(uint8_t byte)
{
    return isalnum(byte) || byte == '_' || byte == '-' || byte == '.';
}

/* A word, or one other byte. */
static struct span token_at(const struct text *text, size_t at)
{
    struct span token = {at, 1};
    if (!in_word(text->bytes[at]))
        return token;
    while (token.at && in_word(text->bytes[token.at - 1]))
        token.at--;
    token.size = at + 1 - token.at;
    while (token.at + token.size < text->size && in_word(text->bytes[token.at + token.size]))
        token.size++;
    return token;
}

static struct span any_token(struct text *text)
{
    struct span token = token_at(text, pick(text, text->size));
    for (int i = 0; i < 8 && isspace(text->bytes[token.at]); i++)
        token = token_at(text, pick(text, text->size));
    return token;
}

static bool replace_copy(struct text *text, struct span old, struct span from)
{
    uint8_t *copy = malloc(from.size + 1);
    if (!copy)
        exit(99);
    memcpy(copy, text->bytes + from.at, from.size);
    const bool done = replace(text, old, copy, from.size);
    free(copy);
    return done;
}

static bool change_number(struct text *text)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "2",
                                          "-1",
                                          "3",
                                          "16",
                                          "64",
                                          "255",
                                          "256",
                                          "1000",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "0x10",
                                          "1e9",
                                          "-0.5",
                                          "nan",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "9223372036854775808"};
    for (int i = 0; i < 32; i++) {
        const struct span token = any_token(text);
        if (!isdigit(text->bytes[token.at]))
            continue;
        const char *number = numbers[pick(text, sizeof numbers / sizeof *numbers)];
        return replace(text, token, number, strlen(number));
    }
    return false;
}

static bool change_indent(struct text *text)
{
    const struct span line = line_at(text, pick(text, text->size));
    if (pick(text, 2) && text->bytes[line.at] == ' ')
        return replace(text, (struct span){line.at, line.size > 2 ? 2 : 1}, "", 0);
    return replace(text, (struct span){line.at, 0}, "    ", 1 + pick(text, 4));
}

static bool change(struct text *text)
{
    const struct span line = line_at(text, pick(text, text->size)),
                      other = line_at(text, pick(text, text->size));
    const struct span token = any_token(text), another = any_token(text);
    switch (pick(text, 9)) {
    case 0: return replace(text, line, "", 0);
    case 1: return replace_copy(text, (struct span){other.at, 0}, line);
    case 2: return replace_copy(text, other, line);
    case 3: return replace(text, token, "", 0);
    case 4: return replace_copy(text, (struct span){another.at, 0}, token);
    case 5:
    case 6: return replace_copy(text, another, token);
    case 7: return change_number(text);
    default: return change_indent(text);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    struct text text = {data, size, most, seed};
    if (!size || pick(&text, 2))
        return LLVMFuzzerMutate(data, size, most);
    for (size_t i = 1 + pick(&text, 3); i > 0 && text.size; i--)
        change(&text);
    return text.size;
}

/* Lines of the second text in the first, or in the place of some. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second,
                                 size_t second_size, uint8_t *out, size_t most, unsigned int seed)
{
    struct text text = {out, first_size, most, seed},
                from = {(uint8_t *)(uintptr_t)second, second_size, 0, 0};
    if (!first_size || !second_size || first_size > most)
        return 0;
    memcpy(out, first, first_size);
    struct span lines = line_at(&from, pick(&text, second_size));
    for (size_t i = pick(&text, 6); i > 0 && lines.at + lines.size < second_size; i--)
        lines.size += line_at(&from, lines.at + lines.size).size;
    struct span old = line_at(&text, pick(&text, first_size));
    if (pick(&text, 2))
        old.size = 0;
    return replace(&text, old, second + lines.at, lines.size) ? text.size : 0;
}
