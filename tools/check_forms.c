/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of `orrery check` as JSON lines, JUnit's XML and TAP 14. Times are simulated: the same
 * scenarios give the same bytes. JUnit's form is valid by both schemas in use, Ant's and Jenkins's: where one
 * of them wants an attribute that a deterministic run has no value for (timestamp, hostname), it is constant.
 */
#include "check_results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/report.h"
#include "tools.h"

/* "pass", "fail", "error", "interrupted" */
static const char *check_verdict(const struct check_result *result)
{
    if (result->interrupted)
        return "interrupted";
    return result->code == 0 ? "pass" : result->code == EXIT_DIFFERS ? "fail" : "error";
}

/* ---- text ---------------------------------------------------------------------------- */

/* Bytes of the character at `at` if XML 1.0 and UTF-8 both allow it, 0: they do not. */
static size_t character_length(const char *at, size_t left)
{
    const unsigned char first = (unsigned char)*at;
    const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    json_t *valid = length <= left ? json_stringn(at, length) : NULL; /* jansson refuses what is no UTF-8 */
    json_decref(valid);
    const bool is_control = first < ' ' && first != '\t' && first != '\n' && first != '\r';
    if (!valid || is_control)
        return 0;
    return length == 3 && (memcmp(at, "\xef\xbf\xbe", 3) == 0 || memcmp(at, "\xef\xbf\xbf", 3) == 0) ? 0
                                                                                                     : length;
}

char *check_clean_text(const char *text, size_t length)
{
    char *clean = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&clean, &size);
    if (!stream)
        tools_no_memory();
    for (size_t i = 0; i < length;) {
        const size_t bytes = character_length(text + i, length - i);
        fwrite(bytes ? text + i : "\xef\xbf\xbd", 1, bytes ? bytes : 3, stream); /* U+FFFD replaces a byte */
        i += bytes ? bytes : 1;
    }
    fclose(stream);
    return clean;
}

/* Newlines and tabs of an attribute would be read as spaces, and a carriage return as a newline. */
static void put_xml(FILE *stream, const char *text, bool attribute)
{
    for (; *text; text++) {
        if (strchr("&<>\"\r", *text) || (attribute && strchr("\n\t", *text)))
            fprintf(stream, "&#%d;", *text);
        else
            fputc(*text, stream);
    }
}

/* The path as text; a path need not be UTF-8. */
static char *path_text(const struct check_result *result)
{
    return check_clean_text(result->path, strlen(result->path));
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void put_json(FILE *stream, const struct check_result *result)
{
    char *path = path_text(result);
    json_t *object = json_pack("{s:s,s:s,s:s,s:i,s:O,s:O,s:s}", "type", "scenario", "path", path, "verdict",
                               check_verdict(result), "exit_status", result->code, "differences",
                               result->differences, "findings", result->findings, "messages", result->err);
    if (!object)
        tools_no_memory();
    if (result->time)
        json_object_set(object, "time", result->time);
    json_dumpf(object, stream, JSON_COMPACT);
    fputc('\n', stream);
    json_decref(object);
    free(path);
}

static void write_json(FILE *stream, const struct check_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_json(stream, &results[i]);
}

/* ---- JUnit ------------------------------------------------------------------------------ */

static bool is_failure(const struct check_result *result)
{
    return result->code == EXIT_DIFFERS && !result->interrupted;
}

/* "2 differences", or the first line of the output. */
static void put_message(FILE *stream, const struct check_result *result)
{
    const size_t count = json_array_size(result->differences);
    char *line = strndup(result->err, strcspn(result->err, "\n"));
    if (is_failure(result))
        fprintf(stream, "%zu difference%s", count, count == 1 ? "" : "s");
    else
        put_xml(stream, line ? line : "", true);
    free(line);
}

/* In seconds, without trailing zeros. */
static void put_time(FILE *stream, uint64_t ns)
{
    char fraction[16];
    snprintf(fraction, sizeof fraction, ".%09" PRIu64, ns % 1000000000);
    for (size_t end = strlen(fraction); end && strchr("0.", fraction[end - 1]);) {
        const bool point = fraction[--end] == '.';
        fraction[end] = '\0';
        if (point)
            break;
    }
    fprintf(stream, " time=\"%" PRIu64 "%s\"", ns / 1000000000, fraction);
}

static uint64_t time_of(const struct check_result *result)
{
    return (uint64_t)json_integer_value(result->time);
}

static void put_case(FILE *stream, const struct check_result *result)
{
    const char *element = is_failure(result) ? "failure" : "error";
    char *path = path_text(result);
    fputs("    <testcase classname=\"orrery.check\" name=\"", stream);
    put_xml(stream, path, true);
    free(path);
    fputc('"', stream);
    put_time(stream, time_of(result));
    if (result->code == 0) {
        fputs("/>\n", stream);
        return;
    }
    fprintf(stream, ">\n      <%s type=\"%s\" message=\"", element, check_verdict(result));
    put_message(stream, result);
    fputs("\">", stream);
    put_xml(stream, result->out, false);
    put_xml(stream, result->err, false);
    fprintf(stream, "</%s>\n    </testcase>\n", element);
}

static void write_junit(FILE *stream, const struct check_result *results, size_t count)
{
    size_t failures = 0, errors = 0;
    uint64_t time = 0;
    for (size_t i = 0; i < count; i++) {
        failures += is_failure(&results[i]);
        errors += results[i].code && !is_failure(&results[i]);
        time += time_of(&results[i]);
    }
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite id=\"0\" name=\"orrery "
            "check\" "
            "package=\"orrery\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
            count, failures, errors);
    put_time(stream, time);
    fputs(" timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\">\n    <properties/>\n", stream);
    for (size_t i = 0; i < count; i++)
        put_case(stream, &results[i]);
    fputs("    <system-out></system-out>\n    <system-err>", stream);
    for (size_t i = 0; i < count; i++)
        put_xml(stream, results[i].err, false);
    fputs("</system-err>\n  </testsuite>\n</testsuites>\n", stream);
}

/* ---- TAP 14 ------------------------------------------------------------------------------ */

/* A JSON string is a double-quoted scalar of YAML. */
static void print_scalar(const char *text)
{
    json_t *string = json_string(text);
    char *dump = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    puts(dump ? dump : "\"\"");
    free(dump);
    json_decref(string);
}

/* In a description # begins a directive and \ escapes; a line ends it. */
static void print_description(const char *text)
{
    for (; *text; text++) {
        if (strchr("#\\", *text))
            putchar('\\');
        putchar(*text == '\n' || *text == '\r' ? ' ' : *text);
    }
}

static void print_diagnostics(const struct check_result *result)
{
    printf("  ---\n  verdict: %s\n", check_verdict(result));
    for (size_t i = 0; i < json_array_size(result->differences); i++) {
        fputs(i ? "    - " : "  differences:\n    - ", stdout);
        print_scalar(json_string_value(json_array_get(result->differences, i)));
    }
    fputs("  output: ", stdout);
    print_scalar(result->out);
    fputs("  messages: ", stdout);
    print_scalar(result->err);
    puts("  ...");
}

void check_forms_tap(const struct check_result *result, size_t number)
{
    char *path = path_text(result);
    printf("%sok %zu - ", result->code ? "not " : "", number);
    print_description(path);
    putchar('\n');
    if (result->code)
        print_diagnostics(result);
    free(path);
}

/* ---- files ------------------------------------------------------------------------------- */

typedef void write_form(FILE *stream, const struct check_result *results, size_t count);

static bool write_file(const char *pattern, bool force, write_form *form, const struct check_result *results,
                       size_t count)
{
    FILE *stream = report_open_file(pattern, force);
    bool fine = stream != NULL;
    if (stream) {
        form(stream, results, count);
        fine = !ferror(stream);
        fine &= fclose(stream) == 0;
    }
    if (!fine)
        tools_message("error: %s cannot be written", pattern);
    return fine;
}

bool check_forms_write(const struct check_options *options, const struct check_result *results, size_t count)
{
    bool fine = true;
    if (options->json_file)
        fine &= write_file(options->json_file, options->force, write_json, results, count);
    if (options->junit_file)
        fine &= write_file(options->junit_file, options->force, write_junit, results, count);
    return fine;
}
