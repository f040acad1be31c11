/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the text of this process with what others wrote to the same file. Each form has its own way: JSON as
 * lines, SARIF as one log, suppressions and baselines as one list without repetitions. */
#include "report_share.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "baseline.h"
#include "sarif.h"

struct report_share {
    struct watch *watch;
    char *own[SHARE_FORM_COUNT];    /* what this process wrote last; NULL: nothing yet */
    char *joined[SHARE_FORM_COUNT]; /* with what the others wrote */
};

struct report_share *report_share_new(struct watch *watch)
{
    struct report_share *share = calloc(1, sizeof *share);
    if (share)
        share->watch = watch;
    return share;
}

void report_share_free(struct report_share *share)
{
    for (int form = 0; share && form < SHARE_FORM_COUNT; form++) {
        free(share->own[form]);
        free(share->joined[form]);
    }
    free(share);
}

struct watch *report_share_watch(struct report_share *share)
{
    return share->watch;
}

void report_share_lock(struct report_share *share)
{
    watch_lock(share->watch);
}

void report_share_unlock(struct report_share *share)
{
    watch_unlock(share->watch);
}

/* NULL: the file is absent, or out of memory. */
static char *read_file(const char *name)
{
    char *text = NULL;
    size_t room = 0;
    FILE *stream = fopen(name, "re");
    if (stream && getdelim(&text, &room, '\0', stream) < 0) {
        free(text);
        text = NULL;
    }
    if (stream)
        fclose(stream);
    return text;
}

/* ---- lines ------------------------------------------------------------------------ */

static bool begins_line(const char *text, const char *at)
{
    return at == text || at[-1] == '\n';
}

/* Where `own` begins in the text, at the start of a line; NULL: nowhere. */
static const char *find_own(const char *text, const char *own)
{
    const char *at = own && *own ? strstr(text, own) : NULL;
    while (at && !begins_line(text, at))
        at = strstr(at + 1, own);
    return at;
}

static char *join_lines(const char *others, const char *before, const char *own)
{
    const char *at = find_own(others, before);
    char *text = NULL;
    if (!at)
        return asprintf(&text, "%s%s", others, own) < 0 ? NULL : text;
    return asprintf(&text, "%.*s%s%s", (int)(at - others), others, own, at + strlen(before)) < 0 ? NULL
                                                                                                 : text;
}

/* ---- a SARIF log ---------------------------------------------------------------------- */

static char *join_logs(const char *others, const char *before, const char *own)
{
    char *text = sarif_join(others, before, own);
    return text ? text : strdup(own); /* the file is not a log of Orrery's any more, and is replaced */
}

/* ---- a list of suppressions, an entry a line -------------------------------------------- */

static bool has_line(const char *text, const char *line, size_t length)
{
    const char *at = text;
    while (at && (strncmp(at, line, length) != 0 || at[length] != '\n')) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at != NULL;
}

static bool is_entry(const char *line)
{
    return *line == '-';
}

static void put_entries(FILE *stream, const char *text, const char *without)
{
    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        const size_t length = (size_t)(end - line);
        if (is_entry(line) && !(without && has_line(without, line, length)))
            fprintf(stream, "%.*s\n", (int)length, line);
    }
}

static bool has_entries(const char *text)
{
    return is_entry(text) || strstr(text, "\n-");
}

static char *join_lists(const char *others, const char *own)
{
    char *text = NULL;
    size_t size = 0;
    if (!has_entries(others))
        return strdup(own);
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "%.*s", (int)(strcspn(own, "\n") + 1), own); /* the heading line */
    put_entries(stream, others, NULL);
    put_entries(stream, own, others);
    return fclose(stream) == 0 ? text : NULL;
}

/* ---- together ------------------------------------------------------------------------------ */

static char *join(enum share_form form, const char *others, const char *before, const char *own)
{
    switch (form) {
    case SHARE_SARIF: return join_logs(others, before, own);
    case SHARE_SUPPRESSIONS: return join_lists(others, own);
    case SHARE_BASELINE: return baseline_join(others, own);
    default: return join_lines(others, before, own);
    }
}

const char *report_share_text(struct report_share *share, enum share_form form, const char *name, char *own)
{
    CHECKED((size_t)form < SHARE_FORM_COUNT);
    const bool alone = watch_begin_file(share->watch, name, share->own[form] != NULL);
    char *others = alone ? NULL : read_file(name),
         *joined = others ? join(form, others, share->own[form], own) : strdup(own);
    free(others);
    free(share->own[form]);
    free(share->joined[form]);
    share->own[form] = own;
    return share->joined[form] = joined;
}
