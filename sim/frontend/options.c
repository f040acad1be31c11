/* SPDX-License-Identifier: Apache-2.0 */
/* Build options. Words are split by the rules of shells, and each is looked up in options.def. */
#include "options.h"

#include <string.h>

enum option_form { ALONE, PREFIX, VALUE };
enum option_place { COMPILE = 1, LINK = 2, BOTH = 3 };

struct option_row {
    const char *spelling;
    enum option_form form;
    enum option_place place;
    bool clang;
    size_t field; /* offset in struct build_options */
};

/* Rows without a field of their own write here. */
struct fields {
    struct build_options build;
    bool unused;
};

#define FIELD_kernel_arg_info build.kernel_arg_info
#define FIELD_opt_disable build.opt_disable
#define FIELD_uniform_work_group_size build.uniform_work_group_size
#define FIELD_denorms_are_zero build.denorms_are_zero
#define FIELD_no_subgroup_ifp build.no_subgroup_ifp
#define FIELD_create_library build.create_library
#define FIELD_enable_link_options build.enable_link_options
#define FIELD_debug build.debug
#define FIELD_unused unused

static const struct option_row option_rows[] = {
#define OPTION(spelling, form, place, clang, field) \
    {spelling, form, place, clang, offsetof(struct fields, FIELD_##field)},
#include "options.def"
#undef OPTION
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_escape(const char *at)
{
    return *at == '\\' && at[1] && strchr("\"'\\ ", at[1]);
}

/* Copies the next word to `word`; returns its end, or NULL at the end of the string. *out_open: a quote is
 * not closed. */
static const char *next_word(const char *at, struct text *word, bool *out_open)
{
    while (is_space(*at))
        at++;
    if (!*at)
        return NULL;
    char quote = '\0';
    for (; *at && (quote || !is_space(*at)); at++) {
        if (quote != '\'' && is_escape(at))
            text_add_bytes(word, ++at, 1);
        else if (quote ? *at == quote : (*at == '"' || *at == '\''))
            quote = quote ? '\0' : *at;
        else
            text_add_bytes(word, at, 1);
    }
    text_add_bytes(word, "", 0);
    *out_open = quote != '\0';
    return at;
}

static enum status split(const char *string, struct list *words, struct diagnosis *diagnosis)
{
    enum status status = STATUS_OK;
    bool open = false;
    struct text word = {0};
    while (!status && (string = next_word(string, &word, &open))) {
        list_add(words, word.data ? word.data : "");
        if (open)
            status = diagnose(diagnosis, STATUS_BAD_OPTIONS, "build option '%s': the quote is not closed",
                              word.data ? word.data : "");
        if (word.failed || words->failed)
            status = STATUS_OUT_OF_MEMORY;
        text_fini(&word);
    }
    return status;
}

static bool row_matches(const struct option_row *row, const char *word)
{
    if (row->form == ALONE)
        return !strcmp(word, row->spelling);
    return !strncmp(word, row->spelling, strlen(row->spelling));
}

static const struct option_row *row_find(const char *word)
{
    for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++)
        if (row_matches(&option_rows[i], word))
            return &option_rows[i];
    return NULL;
}

static enum status take_cl_std(struct options *options, const char *value, struct diagnosis *diagnosis)
{
    static const char *const versions[] = {"CL1.0", "CL1.1", "CL1.2",    "CL2.0",
                                           "CL3.0", "CLC++", "CLC++1.0", "CLC++2021"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strcmp(value, versions[i])) {
            strcpy(options->cl_std, value);
            return STATUS_OK;
        }
    return diagnose(diagnosis, STATUS_BAD_OPTIONS,
                    "build option '-cl-std=%s': the versions are CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CLC++ "
                    "(1.0) and CLC++2021",
                    value);
}

static enum status take_value(struct options *options, const struct option_row *row, const char *value,
                              struct diagnosis *diagnosis)
{
    if (!strcmp(row->spelling, "-D")) {
        list_add(&options->macros, value);
    } else if (!strcmp(row->spelling, "-I")) {
        list_add(&options->directories, value);
    } else if (!strcmp(row->spelling, "-cl-std=")) {
        return take_cl_std(options, value, diagnosis);
    } else if (!strcmp(row->spelling, "-x") && strcmp(value, "spir") && strcmp(value, "cl")) {
        return diagnose(diagnosis, STATUS_BAD_OPTIONS, "build option '-x %s': the languages are spir and cl",
                        value);
    }
    return STATUS_OK;
}

static enum status take_word(const struct list *words, size_t *index, bool linking, struct options *options,
                             struct fields *fields, struct diagnosis *diagnosis)
{
    const char *word = words->items[*index];
    const struct option_row *row = row_find(word);
    if (!row)
        return diagnose(diagnosis, STATUS_BAD_OPTIONS, "unknown build option '%s'", word);
    if (!(row->place & (linking ? LINK : COMPILE)))
        return diagnose(diagnosis, STATUS_BAD_OPTIONS, "build option '%s' is for %s only", word,
                        linking ? "clBuildProgram and clCompileProgram" : "clLinkProgram");
    *(bool *)((char *)fields + row->field) = true;
    if (row->form == ALONE) {
        if (row->clang)
            list_add(&options->clang, word);
        return STATUS_OK;
    }
    const char *value = word + strlen(row->spelling);
    if (!*value && row->form == VALUE && *index + 1 < words->count)
        value = words->items[++*index];
    if (!*value)
        return diagnose(diagnosis, STATUS_BAD_OPTIONS, "build option '%s' lacks its value", word);
    return take_value(options, row, value, diagnosis);
}

static enum status check_together(const struct build_options *build, struct diagnosis *diagnosis)
{
    if (build->enable_link_options && !build->create_library)
        return diagnose(diagnosis, STATUS_BAD_OPTIONS,
                        "build option '-enable-link-options' needs '-create-library' beside it");
    return STATUS_OK;
}

enum status options_parse(const char *string, bool linking, struct options *out_options,
                          struct diagnosis *diagnosis)
{
    *out_options = (struct options){0};
    struct fields fields = {0};
    struct list words = {0};
    enum status status = split(string ? string : "", &words, diagnosis);
    for (size_t i = 0; !status && i < words.count; i++)
        status = take_word(&words, &i, linking, out_options, &fields, diagnosis);
    out_options->build = fields.build;
    if (!status)
        status = check_together(&fields.build, diagnosis);
    if (!status &&
        (out_options->clang.failed || out_options->macros.failed || out_options->directories.failed))
        status = STATUS_OUT_OF_MEMORY;
    list_fini(&words);
    return status;
}

void options_fini(struct options *options)
{
    list_fini(&options->clang);
    list_fini(&options->macros);
    list_fini(&options->directories);
}

enum status build_options_parse(const char *string, bool linking, struct build_options *out_options,
                                struct diagnosis *diagnosis)
{
    struct options options;
    enum status status = options_parse(string, linking, &options, diagnosis);
    *out_options = options.build;
    options_fini(&options);
    return status;
}
