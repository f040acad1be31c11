/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar is libstdc++'s, which the linker of SPIRV-Tools brings in anyway. It leaves clang's address
 * spaces as "AS1"; they are written as OpenCL's qualifiers.
 */
#include "demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *buffer, size_t *length,
                     int *status); /* <cxxabi.h>, which is C++ */

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "AS" and a digit, as a word of its own; NULL: something else. The numbers are those of the SPIR target. */
static const char *qualifier_at(const char *text, const char *start)
{
    static const char *const qualifiers[] = {"__private", "__global", "__constant", "__local", "__generic"};
    if ((text != start && is_of_name(text[-1])) || strncmp(text, "AS", 2) != 0)
        return NULL;
    if (text[2] < '0' || text[2] > '4' || is_of_name(text[3]))
        return NULL;
    return qualifiers[text[2] - '0'];
}

/* Each qualifier has at most ten characters in the place of three. */
static const char *with_qualifiers(struct arena *arena, const char *text)
{
    char *result = arena_alloc(arena, 4 * strlen(text) + 1), *out = result;
    for (const char *at = text; *at;) {
        const char *qualifier = qualifier_at(at, text);
        if (qualifier) {
            out = stpcpy(out, qualifier);
            at += 3;
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
    return result;
}

/*
 * "_ZNU3AS4" begins a member function whose object lies in that address space, which libstdc++ does not parse
 * there.
 */
static char *without_object_space(struct arena *arena, const char *name)
{
    static const char begin[] = "_ZNU3AS";
    const size_t length = strlen(begin);
    char *plain = arena_copy(arena, name, strlen(name) + 1);
    if (strncmp(name, begin, length) == 0 && isdigit((unsigned char)name[length]))
        memmove(plain + 3, name + length + 1, strlen(name + length + 1) + 1);
    return plain;
}

const char *demangle(struct arena *arena, const char *name)
{
    if (!name || strncmp(name, "_Z", 2) != 0)
        return name;
    char *text = __cxa_demangle(without_object_space(arena, name), NULL, NULL, NULL);
    const char *result = text ? with_qualifiers(arena, text) : name;
    free(text);
    return result;
}
