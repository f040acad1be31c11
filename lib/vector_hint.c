/* SPDX-License-Identifier: Apache-2.0 */
/* The hint stands between the end of what is before the kernel (';' or '}') and its name. */
#include "vector_hint.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *after_spaces(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* The next place where the whole word stands; NULL: none. */
static const char *find_word(const char *source, const char *from, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = strstr(from, word); at; at = strstr(at + 1, word))
        if ((at == source || !in_word(at[-1])) && !in_word(at[size]))
            return at;
    return NULL;
}

static const char *begin_of_declaration(const char *source, const char *name)
{
    while (name > source && name[-1] != ';' && name[-1] != '}')
        name--;
    return name;
}

/* The type of a hint in this part of the source; NULL: it has none. */
static const char *hinted_type(const char *from, const char *to)
{
    static const char word[] = "vec_type_hint";
    const char *hint = strstr(from, word), *type = hint && hint < to ? hint + sizeof word - 1 : NULL;
    if (type && strncmp(type, "__", 2) == 0)
        type += 2;
    type = type ? after_spaces(type) : NULL;
    return type && *type == '(' ? after_spaces(type + 1) : NULL;
}

static bool is_unsigned(const char *type)
{
    static const char *const words[] = {"unsigned", "uchar",  "ushort",   "uint",
                                        "ulong",    "size_t", "uintptr_t"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(type, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

bool vector_hint_is_unsigned(const char *source, const char *kernel)
{
    for (const char *name = find_word(source, source, kernel); name;
         name = find_word(source, name + 1, kernel)) {
        const char *type = hinted_type(begin_of_declaration(source, name), name);
        if (type && *after_spaces(name + strlen(kernel)) == '(')
            return is_unsigned(type);
    }
    return false;
}
