/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of SARIF: one for each kind of finding, made of its row and its page of orrery-findings(7). They
 * do not depend on the run, so all logs of a version have the same rules; a result has its own level. Rules
 * have no security-severity: that scores what an attacker could do, which a simulated device cannot judge,
 * and it would make every finding a security alert.
 */
#include "sarif.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report_json.h"
#include "report_words.h"

json_t *sarif_message(const char *text)
{
    json_t *object = json_object();
    report_put_text(object, "text", text ? text : "");
    return object;
}

static char *close_text(FILE *stream, char **text)
{
    return fclose(stream) == 0 ? *text : NULL;
}

/* ---- words ------------------------------------------------------------------------------ */

/* "RaceGlobal" for "race-global". */
static json_t *rule_name(const char *id)
{
    char name[64];
    size_t length = 0;
    bool begins = true;
    for (; *id && length + 1 < sizeof name; id++) {
        if (*id != '-')
            name[length++] = (char)(begins ? toupper((unsigned char)*id) : *id);
        begins = *id == '-';
    }
    name[length] = '\0';
    return json_string(name);
}

static void put_sentence(FILE *stream, const char *sentence)
{
    fprintf(stream, "%c%s.", toupper((unsigned char)*sentence), sentence + 1);
}

/* The part of the page between its first and its second empty line. */
static void put_first_paragraph(FILE *stream, const char *page)
{
    const char *at = strstr(page, "\n\n"), *end = at ? strstr(at + 2, "\n\n") : NULL;
    bool space = true;
    for (at = at ? at + 2 : ""; *at && at != end; at++) {
        const bool gap = *at == ' ' || *at == '\n';
        if (!gap)
            fprintf(stream, "%s%c", space ? " " : "", *at);
        space = gap;
    }
}

/* NULL: out of memory. */
static json_t *description(enum finding_kind kind, bool full)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    put_sentence(stream, finding_sentence(kind));
    if (full)
        put_first_paragraph(stream, finding_page(kind));
    if (!close_text(stream, &text))
        return NULL;
    if (size > SARIF_DESCRIPTION_MOST)
        strcpy(text + SARIF_DESCRIPTION_MOST - 3, "...");
    json_t *object = sarif_message(text);
    free(text);
    return object;
}

/* ---- the page as Markdown ------------------------------------------------------------------- */

enum { INDENT = 2, INDENT_MORE = 4 }; /* of text and headings; of text below a heading */

/* Is the line a heading: one word on a line of its own after an empty line? */
static bool is_heading(const char *line, size_t length, bool after_empty)
{
    bool word = after_empty && length > INDENT && line[INDENT] != ' ';
    for (size_t i = INDENT; word && i < length; i++)
        word = isalpha((unsigned char)line[i]) != 0;
    return word;
}

static void put_escaped(FILE *stream, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fprintf(stream, strchr("\\`*_<>[]#|", text[i]) ? "\\%c" : "%c", text[i]);
}

struct markdown {
    FILE *stream;
    bool after_empty, in_example, in_code;
};

static void set_code(struct markdown *markdown, bool code)
{
    if (markdown->in_code != code)
        fputs(code ? "```c\n" : "```\n", markdown->stream);
    markdown->in_code = code;
}

static void put_line(struct markdown *markdown, const char *line, size_t length)
{
    const bool heading = is_heading(line, length, markdown->after_empty);
    const size_t indent = strspn(line, " ");
    if (heading) {
        markdown->in_example = strncmp(line + INDENT, "Example", length - INDENT) == 0;
        fprintf(markdown->stream, "## %.*s\n\n", (int)(length - INDENT), line + INDENT);
    } else if (markdown->in_example && length > INDENT_MORE) {
        set_code(markdown, true);
        fprintf(markdown->stream, "%.*s\n", (int)(length - INDENT_MORE), line + INDENT_MORE);
    } else {
        put_escaped(markdown->stream, line + (indent < length ? indent : length),
                    indent < length ? length - indent : 0);
        fputc('\n', markdown->stream);
    }
}

/* The page without its title, which the rule has already. An example ends at the next heading. */
static void put_markdown(FILE *stream, const char *page)
{
    struct markdown markdown = {.stream = stream};
    const char *line = strchr(page, '\n');
    for (line = line ? line + 1 : page; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        if (markdown.in_code && (is_heading(line, length, markdown.after_empty) ||
                                 (length == 0 && is_heading(line + 1, strcspn(line + 1, "\n"), true))))
            set_code(&markdown, false);
        put_line(&markdown, line, length);
        markdown.after_empty = length == 0;
    }
    set_code(&markdown, false);
}

static json_t *help(enum finding_kind kind)
{
    json_t *object = sarif_message(finding_page(kind));
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return object;
    put_markdown(stream, finding_page(kind));
    if (close_text(stream, &text))
        report_put_text(object, "markdown", text);
    free(text);
    return object;
}

/* ---- tags --------------------------------------------------------------------------------- */

/* The entry of the Common Weakness Enumeration that fits a kind, where there is one. */
static const struct {
    enum finding_kind kind;
    const char *tag;
} weaknesses[] = {
    {FINDING_OUT_OF_BOUNDS_READ, "external/cwe/cwe-125"},
    {FINDING_OUT_OF_BOUNDS_WRITE, "external/cwe/cwe-787"},
    {FINDING_NULL_READ, "external/cwe/cwe-476"},
    {FINDING_NULL_WRITE, "external/cwe/cwe-476"},
    {FINDING_USE_AFTER_FREE, "external/cwe/cwe-416"},
    {FINDING_USE_AFTER_RELEASE, "external/cwe/cwe-416"},
    {FINDING_OVER_RELEASE, "external/cwe/cwe-415"},
    {FINDING_SVM_FREE_IN_USE, "external/cwe/cwe-416"},
    {FINDING_SVM_FREE_INVALID, "external/cwe/cwe-763"},
    {FINDING_UNINITIALISED_ADDRESS, "external/cwe/cwe-908"},
    {FINDING_UNINITIALISED_BRANCH, "external/cwe/cwe-908"},
    {FINDING_UNINITIALISED_STORE, "external/cwe/cwe-908"},
    {FINDING_RACE_GLOBAL, "external/cwe/cwe-362"},
    {FINDING_RACE_LOCAL, "external/cwe/cwe-362"},
    {FINDING_RACE_COMMANDS, "external/cwe/cwe-362"},
    {FINDING_RACE_HOST_DEVICE, "external/cwe/cwe-362"},
    {FINDING_RACE_IMAGE, "external/cwe/cwe-362"},
    {FINDING_LIVELOCK, "external/cwe/cwe-835"},
    {FINDING_LEAKED_OBJECT, "external/cwe/cwe-772"},
};

static json_t *tags(enum finding_kind kind)
{
#define CHECK_KEY(name, key, severity, fast, text) [CHECK_##name] = key,
    static const char *const keys[] = {CHECK_LIST(CHECK_KEY)};
#undef CHECK_KEY
    json_t *list = json_pack("[s,s,s]", "correctness", "opencl", keys[finding_check(kind)]);
    for (size_t i = 0; i < sizeof weaknesses / sizeof *weaknesses; i++)
        if (weaknesses[i].kind == kind)
            json_array_append_new(list, json_string(weaknesses[i].tag));
    return list;
}

/* ---- the specification -------------------------------------------------------------------- */

/* The web page of the first specification that the kind's page names. NULL: it names none of these. */
static const char *help_uri(enum finding_kind kind)
{
    static const struct {
        const char *name, *uri;
    } pages[] = {
        {"OpenCL 2.2 API", "https://registry.khronos.org/OpenCL/specs/2.2/html/OpenCL_API.html"},
        {"OpenCL 3.0 API", "https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_API.html"},
        {"OpenCL C 3.0", "https://registry.khronos.org/OpenCL/specs/3.0-unified/html/OpenCL_C.html"},
        {"OpenCL C 2.0", "https://registry.khronos.org/OpenCL/specs/opencl-2.0-openclc.pdf"},
        {"SPIR-V", "https://registry.khronos.org/SPIR-V/specs/unified1/SPIRV.html"},
    };
    const char *spec = finding_spec(kind);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strncmp(spec, pages[i].name, strlen(pages[i].name)) == 0)
            return pages[i].uri;
    return NULL;
}

/* ---- the tool ----------------------------------------------------------------------------- */

/* A kind that is off by default is legal OpenCL, so its rule is disabled by default. */
static json_t *rule(enum finding_kind kind, enum severity severity)
{
    const bool on = severity != SEVERITY_OFF;
    const char *level = on ? report_severity_word(severity) : "warning";
    json_t *object = json_object();
    report_put_text(object, "id", finding_id(kind));
    json_object_set_new(object, "name", rule_name(finding_id(kind)));
    json_object_set_new(object, "shortDescription", description(kind, false));
    json_object_set_new(object, "fullDescription", description(kind, true));
    json_object_set_new(object, "help", help(kind));
    report_put_text(object, "helpUri", help_uri(kind));
    json_object_set_new(object, "defaultConfiguration",
                        json_pack("{s:b,s:s}", "enabled", on, "level", level));
    json_object_set_new(object, "properties",
                        json_pack("{s:o,s:s,s:s}", "tags", tags(kind), "precision", "very-high",
                                  "problem.severity", on ? level : "recommendation"));
    return object;
}

json_t *sarif_tool(void)
{
    enum severity severities[CHECK_COUNT];
    json_t *rules = json_array();
    checks_default(severities);
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        json_array_append_new(
            rules, rule((enum finding_kind)kind, severities[finding_check((enum finding_kind)kind)]));
    return json_pack("{s:{s:s,s:s,s:s,s:o}}", "driver", "name", "Orrery", "version", ORRERY_VERSION,
                     "semanticVersion", ORRERY_VERSION, "rules", rules);
}
