/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `orrery explain`: pages of orrery-findings(7) and terms of orrery-glossary(7). Both manuals are made into
 * tables of C strings when building (man/pages.awk), so the command prints what the manuals say. A term
 * fits without regard to case and hyphens; for an unknown word the nearest ids are named.
 */
#include "tools.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct explain_arguments {
    size_t count;
    char **ids;
};

/* The terms of orrery-glossary(7), made from the manual; the last row is empty. */
struct explained_term {
    const char *name, *spec, *text;
};
#define PAGE(name, spec, text) {name, spec, text},
static const struct explained_term terms[] = {
#include "tools/glossary_pages.inc"
};
#undef PAGE

/* Case does not matter, and a hyphen is as good as a blank. */
static bool is_term(const char *name, const char *text)
{
    for (; *name && *text; name++, text++) {
        char a = *name == '-' ? ' ' : (char)tolower((unsigned char)*name);
        char b = *text == '-' ? ' ' : (char)tolower((unsigned char)*text);
        if (a != b)
            return false;
    }
    return !*name && !*text;
}

static const struct explained_term *find_term(const char *text)
{
    for (const struct explained_term *term = terms; *term->name; term++)
        if (is_term(term->name, text))
            return term;
    return NULL;
}

/* The findings of a check, which is no finding itself; NULL: it is no check. malloc'd. */
static char *findings_of_check(const char *name)
{
    char *text = NULL;
    size_t size = 0, count = 0;
    enum check check;
    if (!check_from_name(name, &check))
        return NULL;
    FILE *stream = open_memstream(&text, &size);
    for (int i = 0; stream && i < FINDING_KIND_COUNT; i++)
        if (finding_check((enum finding_kind)i) == check)
            fprintf(stream, "%s%s", count++ ? ", " : "", finding_id((enum finding_kind)i));
    if (!stream || fclose(stream) != 0)
        tools_no_memory();
    return text;
}

static int unknown(const char *id)
{
    char *of_check = findings_of_check(id);
    if (of_check) {
        tools_message("error: '%s' is a check; its findings are %s", id, of_check);
        free(of_check);
        return EXIT_USAGE;
    }
    char *meant = finding_meant(id);
    tools_message("error: neither a finding nor a term is called '%s'", id);
    if (meant && *meant)
        tools_message("do you mean %s?", meant);
    else
        tools_message("`orrery explain` lists them all");
    free(meant);
    return EXIT_USAGE;
}

/* ---- the command ------------------------------------------------------------------------ */

static void list_all(void)
{
    for (int i = 0; i < FINDING_KIND_COUNT; i++)
        printf("%-26s %s\n", finding_id((enum finding_kind)i), finding_sentence((enum finding_kind)i));
    printf("\nTerms:");
    for (const struct explained_term *term = terms; *term->name; term++)
        printf("%s %s", term == terms ? "" : ",", term->name);
    printf("\n");
}

/* Case does not matter here, either. */
static bool find_kind(const char *text, enum finding_kind *out_kind)
{
    char *lower = strdup(text);
    if (!lower)
        tools_no_memory();
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    const bool found = finding_from_id(lower, out_kind);
    free(lower);
    return found;
}

static int explain(const char *id, bool first)
{
    enum finding_kind kind;
    const struct explained_term *term = find_term(id);
    bool is_finding = find_kind(id, &kind);
    if (!is_finding && !term)
        return unknown(id);
    printf("%s%s", first ? "" : "\n", is_finding ? finding_page(kind) : term->text);
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct explain_arguments *arguments = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    arguments->ids[arguments->count++] = argument;
    return 0;
}

int cmd_explain(int argc, char **argv)
{
    struct explain_arguments arguments = {.ids = calloc((size_t)argc + 1, sizeof *arguments.ids)};
    const struct argp argp = {
        .parser = parse,
        .args_doc = "[ID|TERM...]",
        .doc = "Prints what orrery-findings(7) says on each ID, or orrery-glossary(7) on each TERM; without "
               "any, lists them.",
    };
    int code = arguments.ids ? 0 : EXIT_FAILED;
    if (!code && (arguments_parse(&argp, argc, argv, &arguments) != 0 || !tools_check_environment()))
        code = EXIT_USAGE;
    if (!code && !arguments.count)
        list_all();
    for (size_t i = 0; !code && i < arguments.count; i++)
        code = explain(arguments.ids[i], i == 0);
    free(arguments.ids);
    return code;
}
