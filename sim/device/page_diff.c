/* SPDX-License-Identifier: Apache-2.0 */
/* The page of two runs: the data of their pages, of which a script shows the differences. */
#include <stdlib.h>
#include <string.h>

#include "orrery/page_diff.h"
#include "sim/device/page.h"
#include "sim/report/report_json.h"

static const char data_begin[] = "<script type=\"application/json\" id=\"data\">\n", data_end[] = "</script>";

/* The file as text; malloc'd. A zero byte ends it: no page has one. */
static char *read_text(const char *file)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = fopen(file, "re"), *memory = open_memstream(&text, &size);
    char part[4096];
    for (size_t got; stream && memory && (got = fread(part, 1, sizeof part, stream)) > 0;)
        fwrite(part, 1, got, memory);
    const bool fine = stream && memory && !ferror(stream) && !ferror(memory);
    if (stream)
        fclose(stream);
    if ((memory && fclose(memory) != 0) || !fine) {
        free(text);
        return NULL;
    }
    return text;
}

/* Of a page of a run; NULL: it is none. */
static json_t *data_of(char *text)
{
    char *begin = strstr(text, data_begin), *end = begin ? strstr(begin, data_end) : NULL;
    if (!end)
        return NULL;
    begin += sizeof data_begin - 1;
    json_t *data = json_loadb(begin, (size_t)(end - begin), 0, NULL);
    if (json_is_array(json_object_get(data, "steps")))
        return data;
    json_decref(data);
    return NULL;
}

/* The data of a run for the page of the difference. */
static json_t *kept_of(const json_t *data)
{
    static const char *const keys[] = {"run", "findings", "sources", "steps", "steps_left_out", "objects"};
    json_t *kept = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_get(data, keys[i]))
            json_object_set(kept, keys[i], json_object_get(data, keys[i]));
    return kept;
}

static enum status add_run(json_t *list, const struct page_source *source, struct diagnosis *diagnosis)
{
    char *text = read_text(source->file);
    if (!text)
        return diagnose(diagnosis, STATUS_IO, "%s cannot be read", source->file);
    json_t *data = strncmp(text, PAGE_MAGIC, sizeof PAGE_MAGIC - 1) == 0 ? data_of(text) : NULL;
    free(text);
    if (!data)
        return diagnose(diagnosis, STATUS_BAD_ARGUMENT, "%s: found another file, expected the page of a run",
                        source->file);
    json_t *run = json_object();
    report_put_text(run, "name", source->name);
    json_object_set_new(run, "data", kept_of(data));
    json_array_append_new(list, run);
    json_decref(data);
    return STATUS_OK;
}

enum status page_diff(const struct page_source sources[2], FILE *stream, struct diagnosis *diagnosis)
{
    json_t *page = json_object(), *runs = json_array();
    enum status status = STATUS_OK;
    for (size_t i = 0; i < 2 && status == STATUS_OK; i++)
        status = add_run(runs, &sources[i], diagnosis);
    report_put_number(page, "page", 1);
    json_object_set_new(page, "diff", runs);
    if (status == STATUS_OK && !page_write_json(page, stream))
        status = diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "the page: %s", status_name(STATUS_OUT_OF_MEMORY));
    json_decref(page);
    return status;
}
