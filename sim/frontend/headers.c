/* SPDX-License-Identifier: Apache-2.0 */
/* Writes embedded headers as files of a private directory, and parses the list of dependencies that clang
 * writes. */
#include "headers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_part(const char *path, const char *part)
{
    size_t length = strlen(part);
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (!strncmp(at, part, length) && (at[length] == '/' || !at[length]))
            return true;
    return false;
}

/* The name must not lead out of the private directory. */
static bool is_inside(const char *name)
{
    return name[0] && name[0] != '/' && !has_part(name, "..");
}

static void make_parents(struct headers *headers, const char *path)
{
    for (const char *slash = strchr(path + strlen(headers->directory) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        struct text parent = {0};
        text_add_bytes(&parent, path, (size_t)(slash - path));
        if (parent.data && mkdir(parent.data, 0700) == 0)
            list_add(&headers->directories, parent.data);
        text_fini(&parent);
    }
}

/* Of several headers with one name the first counts. */
static bool write_header(struct headers *headers, const struct compile_header *header)
{
    struct text path = {0};
    text_addf(&path, "%s/%s", headers->directory, header->name);
    if (path.failed)
        return false;
    make_parents(headers, path.data);
    FILE *file = fopen(path.data, "wx");
    bool written = !file && errno == EEXIST;
    if (file) {
        list_add(&headers->files, path.data);
        written = fputs(header->text, file) >= 0;
        written = fclose(file) == 0 && written;
    }
    text_fini(&path);
    return written;
}

enum status headers_write(const struct compile_request *request, struct headers *out_headers,
                          struct text *log)
{
    char template[] = "/tmp/orrery-headers-XXXXXX";
    *out_headers = (struct headers){0};
    if (!request->header_count)
        return STATUS_OK;
    if (!mkdtemp(template) || !(out_headers->directory = strdup(template))) {
        text_addf(log, "cannot make a directory for the headers: %s\n", strerror(errno));
        return STATUS_IO;
    }
    for (size_t i = 0; i < request->header_count; i++) {
        const struct compile_header *header = &request->headers[i];
        if (!is_inside(header->name)) {
            text_addf(log, "header name '%s' is not a relative path without '..'\n", header->name);
            return STATUS_COMPILE_FAILED;
        }
        if (!write_header(out_headers, header)) {
            text_addf(log, "cannot write header '%s': %s\n", header->name, strerror(errno));
            return STATUS_IO;
        }
    }
    return STATUS_OK;
}

/* Parses one name of a make rule: a backslash escapes a space, '#' or line end, and "$$" is '$'. */
static const char *next_dependency(const char *at, struct text *name)
{
    while (*at == ' ' || *at == '\n' || (at[0] == '\\' && at[1] == '\n'))
        at++;
    for (; *at && *at != ' ' && *at != '\n'; at++) {
        if (strncmp(at, "\\ ", 2) == 0 || strncmp(at, "\\#", 2) == 0 || strncmp(at, "$$", 2) == 0)
            at++;
        text_add_bytes(name, at, 1);
    }
    return name->size ? at : NULL;
}

static bool is_embedded(const struct headers *headers, const char *name)
{
    while (!strncmp(name, "./", 2))
        name += 2;
    struct text path = {0};
    text_addf(&path, "%s/%s", headers->directory, name);
    bool embedded = path.data && list_has(&headers->files, path.data);
    text_fini(&path);
    return embedded;
}

void headers_included(const struct headers *headers, const char *working_directory,
                      const struct text *dependencies, struct list *included)
{
    const char *at = dependencies->data ? strchr(dependencies->data, ':') : NULL;
    struct text name = {0};
    for (at = at ? at + 1 : NULL; at && (at = next_dependency(at, &name)); text_fini(&name)) {
        if (name.failed)
            included->failed = true;
        else if (name.data[0] == '/')
            list_add(included, name.data);
        else if (strcmp(name.data, "-") && strcmp(name.data, "<stdin>") &&
                 !(headers->directory && is_embedded(headers, name.data)))
            list_addf(included, "%s/%s", working_directory, name.data);
    }
    text_fini(&name);
}

void headers_remove(struct headers *headers)
{
    for (size_t i = headers->files.count; i-- > 0;)
        unlink(headers->files.items[i]);
    for (size_t i = headers->directories.count; i-- > 0;)
        rmdir(headers->directories.items[i]);
    if (headers->directory)
        rmdir(headers->directory);
    free(headers->directory);
    list_fini(&headers->files);
    list_fini(&headers->directories);
    *headers = (struct headers){0};
}
