/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations of SARIF. GitHub refuses a log in which a location has no file, and shows an alert only in a
 * file of the repository. So a place that no file has is replaced: a text that a host program gave to OpenCL
 * by the line that gave it, a text in a scenario by the scenario, a place without a line by the whole
 * source, scenario or executable. The message then names the original place.
 */
#include "sarif.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report_json.h"
#include "report_words.h"

static const char base_id[] = "%SRCROOT%";
enum { LEVELS_UP = 4 };

/* ---- paths ------------------------------------------------------------------------------ */

static char *joined(const char *directory, const char *name)
{
    char *path = NULL;
    if (*name == '/' || !directory)
        return strdup(name);
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* The path without symbolic links, which GitHub does not follow. NULL: there is no such file. */
static char *real_of(const char *directory, const char *name)
{
    char *path = joined(directory, name), *real = path ? realpath(path, NULL) : NULL;
    free(path);
    return real;
}

/* A file named relative to the directory in which a host program was compiled: that is looked for from the
 * executable's directory upwards. */
static char *file_above(const char *executable, const char *name)
{
    char *directory = executable ? directory_of(executable) : NULL, *real = NULL;
    for (int levels = 0; directory && !real && levels < LEVELS_UP && strcmp(directory, "/") != 0; levels++) {
        char *above = directory_of(directory);
        real = real_of(directory, name);
        free(directory);
        directory = above;
    }
    free(directory);
    return real;
}

/* The file of a name. Sources of a scenario are relative to the scenario, those of a host program to the
 * working directory or to where it was compiled. */
static char *file_of(const struct sarif_places *places, const char *name)
{
    char *real = places->beside ? real_of(places->beside, name) : NULL;
    if (!real)
        real = real_of(NULL, name);
    return real || places->beside || places->is_text ? real : file_above(places->whole, name);
}

static char *executable(void)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return length > 0 ? strndup(path, (size_t)length) : NULL;
}

void sarif_places_init(struct sarif_places *places, const struct report *report)
{
    const struct scenario *scenario = report_scenario(report);
    const struct scenario_program *program = &scenario->program;
    const char *source = program->source_file ? program->source_file : program->spirv_file;
    const bool own = source || program->source_text;
    char *folder = own && scenario->file ? directory_of(scenario->file) : NULL,
         *path = source ? joined(folder, source) : NULL;
    *places = (struct sarif_places){.report = report, .is_text = own && !source};
    places->beside = path ? directory_of(path) : NULL;
    places->whole = path ? realpath(path, NULL) : NULL;
    if (!places->whole)
        places->whole = own && scenario->file ? realpath(scenario->file, NULL) : executable();
    free(folder);
    free(path);
}

void sarif_places_fini(struct sarif_places *places)
{
    free(places->beside);
    free(places->whole);
    line_hashes_fini(&places->hashes);
}

/* ---- URIs ------------------------------------------------------------------------------- */

static bool is_uri_character(unsigned char c)
{
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || strchr("-._~/", c);
}

/* A path as a URI reference, malloc'd. Absolute paths get a scheme, and other bytes than a URI may have are
 * escaped. */
static char *uri_of(const char *path, const char *end)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs(*path == '/' ? "file://" : "", stream);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        fprintf(stream, is_uri_character(*c) ? "%c" : "%%%02X", *c);
    fputs(end, stream);
    return fclose(stream) == 0 ? text : NULL;
}

char *sarif_root(const struct report *report)
{
    const char *root = report_root(report);
    return root ? uri_of(root, strcmp(root, "/") == 0 ? "" : "/") : NULL;
}

json_t *sarif_base_ids(const struct report *report)
{
    char *root = sarif_root(report);
    json_t *ids = root ? json_pack("{s:{s:s}}", base_id, "uri", root) : NULL;
    free(root);
    return ids;
}

/* The path relative to the root; NULL: it is not below the root. */
static const char *below_root(const struct report *report, const char *path)
{
    const char *root = report_root(report);
    const size_t length = root && strcmp(root, "/") != 0 ? strlen(root) : 0;
    return root && strncmp(path, root, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

static json_t *artifact_location(const struct report *report, const char *path)
{
    const char *below = below_root(report, path);
    char *uri = uri_of(below ? below : path, "");
    json_t *object = json_object();
    report_put_text(object, "uri", uri);
    if (below)
        report_put_text(object, "uriBaseId", base_id);
    free(uri);
    return object;
}

/* ---- what stands for a place -------------------------------------------------------------- */

struct sarif_spot {
    char *path;                       /* without symbolic links; or a name that no file has */
    const struct source_place *place; /* NULL: the whole file */
};

static struct sarif_spot spot_of(const struct sarif_places *places, const struct finding *finding,
                                 const struct source_place *place)
{
    const bool of_text = finding->source && place->file && strcmp(finding->source, place->file) == 0;
    const bool made = of_text && finding->made.line && finding->made.file;
    const struct source_place *from = made ? &finding->made : place;
    char *path = place->line && place->file ? file_of(places, from->file) : NULL;
    if (path)
        return (struct sarif_spot){path, from};
    const bool has_no_file = places->is_text || !place->line || !place->file;
    if (places->whole && (has_no_file || strstr(from->file, "../")))
        return (struct sarif_spot){strdup(places->whole), NULL};
    return (struct sarif_spot){strdup(from->file ? from->file : "unknown"), from->line ? from : NULL};
}

/* The column in code points, as columnKind says, if the text is known. `bytes` counts bytes and may be past
 * the end of the text. */
static uint32_t column_of(const char *text, uint32_t bytes)
{
    uint32_t column = bytes;
    for (const char *at = text; at && *at && at - text + 1 < (ptrdiff_t)bytes; at++)
        column -= (*at & 0xc0) == 0x80;
    return column;
}

/* The region from the column, if it is known, to the end of the line. */
static json_t *region(const struct source_place *place)
{
    const uint32_t start = place && place->column ? column_of(place->text, place->column) : 0;
    size_t length = place && place->text ? strcspn(place->text, "\r\n") : 0;
    while (length && strchr(" \t", place->text[length - 1]))
        length--;
    const uint32_t end = column_of(place ? place->text : NULL, (uint32_t)length + 1);
    json_t *object = json_object();
    report_put_number(object, "startLine", place ? place->line : 1);
    if (start)
        report_put_number(object, "startColumn", start);
    if (start && end > start) {
        report_put_number(object, "endLine", place->line);
        report_put_number(object, "endColumn", end);
    }
    if (place && place->text)
        json_object_set_new(object, "snippet", sarif_message(place->text));
    return object;
}

/* "plain store, 4 bytes: work-item (0,0,0), ... at program.cl:7:11" */
static json_t *message_of(const char *text, const struct source_place *place, bool replaced)
{
    char name[PLACE_CHARS], *whole = NULL;
    report_place_text(place, name);
    if (replaced && place->file && asprintf(&whole, "%s%s%s", text ? text : "", text ? " at " : "", name) < 0)
        whole = NULL;
    json_t *message = whole || text ? sarif_message(whole ? whole : text) : NULL;
    free(whole);
    return message;
}

json_t *sarif_location(struct sarif_places *places, const struct finding *finding,
                       const struct source_place *place, const char *text)
{
    const struct sarif_spot spot = spot_of(places, finding, place);
    json_t *object = json_object(), *message = message_of(text, place, spot.place != place);
    if (spot.path)
        json_object_set_new(object, "physicalLocation",
                            json_pack("{s:o,s:o}", "artifactLocation",
                                      artifact_location(places->report, spot.path), "region",
                                      region(spot.place)));
    if (finding->kernel)
        json_object_set_new(
            object, "logicalLocations",
            json_pack("[{s:o,s:s}]", "name", report_json_text(finding->kernel), "kind", "function"));
    if (message)
        json_object_set_new(object, "message", message);
    free(spot.path);
    return object;
}

/*
 * The hash covers the following lines of the file, if it can be read, else the line alone. Without a line it
 * covers what distinguishes the finding, since an executable differs after each build.
 */
char *sarif_line_hash(struct sarif_places *places, const struct finding *finding)
{
    const struct source_place none = {.line = 0},
                              *place = finding->access_count ? &finding->access[0].place : &none;
    const struct sarif_spot spot = spot_of(places, finding, place);
    char own[FINGERPRINT_CHARS], *hash = NULL;
    fingerprint_print(finding->fingerprint, own);
    if (spot.path && spot.place)
        hash = line_hashes_of(&places->hashes, spot.path, spot.place->line);
    if (!hash)
        hash = line_hashes_of_text(spot.place && place->text ? place->text : own);
    free(spot.path);
    return hash;
}
