/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of the object, from the request and from the declaration that is nearest in the text.
 */
#include <ctype.h>
#include <string.h>

#include "rewrite_state.h"

bool rewriting_is_float(const struct rewriting *r)
{
    return r->request->type >= NUMBER_HALF;
}

/* The scalar type that ends at the token, such as unsigned int; NULL: none. */
static const char *type_of_words(const struct rewriting *r, uint32_t last)
{
    static const char *const types[] = {"int", "uint", "long", "ulong", "float", "double"};
    const bool is_unsigned = (last && is_token(r, last - 1, "unsigned")) || is_token(r, last, "unsigned");
    if (is_token(r, last, "unsigned") || (is_token(r, last, "int") && is_unsigned))
        return "uint";
    if (is_token(r, last, "long") && is_unsigned)
        return "ulong";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is_token(r, last, types[i]))
            return types[i];
    return NULL;
}

/* The type in the nearest declaration of the name before a token; NULL: no declaration has a scalar type. */
static const char *type_of_name(const struct rewriting *r, uint32_t name, uint32_t before)
{
    for (uint32_t i = before; i-- > 1;) {
        uint32_t last = i - 1;
        if (!same_tokens(r, i, name))
            continue;
        while (last &&
               is_any_token(r, last, "* restrict const volatile __restrict global local __global __local"))
            last--;
        const char *type = type_of_words(r, last);
        if (type)
            return type;
    }
    return NULL;
}

/* The name whose declaration has the object's type: the last one outside of brackets. */
static uint32_t name_of(const struct rewriting *r, struct range object)
{
    uint32_t name = NO_TOKEN;
    object = range_strip(r, object);
    for (uint32_t i = object.first; i < object.end; i++) {
        if (is_token(r, i, "[") || (is_token(r, i, "(") && name != NO_TOKEN))
            i = r->syntax.tokens[i].match;
        else if (token_is_word(&r->syntax, i))
            name = i;
    }
    return name;
}

static bool has_size(const char *type, uint32_t size)
{
    const bool eight = strcmp(type, "long") == 0 || strcmp(type, "ulong") == 0 || strcmp(type, "double") == 0;
    return size == (eight ? 8 : 4);
}

/* A type that has another size than the access does not count: then the type is unknown. */
void rewriting_find_type(struct rewriting *r)
{
    const uint32_t name = name_of(r, r->object);
    const bool member =
        name != NO_TOKEN && name && (is_token(r, name - 1, ".") || is_token(r, name - 1, "->"));
    r->type = r->request->type == NUMBER_FLOAT    ? "float"
              : r->request->type == NUMBER_DOUBLE ? "double"
                                                  : NULL;
    if (!r->type && !rewriting_is_float(r) && name != NO_TOKEN)
        r->type = type_of_name(r, name, member ? r->syntax.token_count : name);
    if (r->type && !has_size(r->type, r->request->size))
        r->type = NULL;
}

/* A decimal number with a point, an exponent or the suffix f. */
static bool is_float_number(const struct token *token)
{
    const bool number = isdigit((unsigned char)*token->at) || *token->at == '.';
    const bool hex = token->length > 1 && token->at[0] == '0' && (token->at[1] | 0x20) == 'x';
    if (!number || hex || token->length == 1)
        return false;
    for (size_t i = 0; i < token->length; i++)
        if (strchr(".ef", token->at[i]))
            return true;
    return false;
}

/* Does the expression have a floating-point number or variable? Then the update is not one of integers. */
bool rewriting_may_be_float(const struct rewriting *r, struct range range)
{
    for (uint32_t i = range.first; i < range.end; i++) {
        const struct token *token = &r->syntax.tokens[i];
        if (is_float_number(token))
            return true;
        const char *type = token_is_word(&r->syntax, i) ? type_of_name(r, i, i) : NULL;
        if (type && (strcmp(type, "float") == 0 || strcmp(type, "double") == 0))
            return true;
    }
    return false;
}
