/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tries each line of the file as the first one of the text, which most often differs in the next line. What
 * a binding adds after the text, as pyopencl does, is not looked for.
 */
#include "source_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/host/host_place.h"
#include "source_file.h"

enum { FILE_MOST = 1 << 20, COMPARED_MOST = 4 << 20, MODULES_MOST = 64, PATH_BYTES = 4096 };
#define NOWHERE SIZE_MAX

/* ---- lines ----------------------------------------------------------------------------------- */

struct text_line {
    const char *at;
    size_t size;
};
struct text_lines {
    struct text_line *at;
    size_t count;
};

/* Of the first `size` bytes; the last line may be empty. */
static struct text_lines lines_of(const char *text, size_t size)
{
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    struct text_lines lines = {malloc(count * sizeof *lines.at), 0};
    for (const char *at = text, *end = text + size; lines.at && lines.count < count;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        lines.at[lines.count++] = (struct text_line){at, (size_t)((newline ? newline : end) - at)};
        at = newline ? newline + 1 : end;
    }
    return lines;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static size_t indentation(struct text_line line)
{
    size_t blanks = 0;
    while (blanks < line.size && is_blank(line.at[blanks]))
        blanks++;
    return blanks;
}

static struct text_line trimmed(struct text_line line)
{
    const size_t blanks = indentation(line);
    line.at += blanks;
    line.size -= blanks;
    while (line.size && is_blank(line.at[line.size - 1]))
        line.size--;
    return line;
}

/* The characters of the file that stand for the next one of the text; 0: another one does. */
static size_t stands_for(struct text_line file, size_t f, struct text_line text, size_t t)
{
    const char c = text.at[t];
    if (f == file.size || file.at[f] != c)
        return 0;
    const bool doubled = f + 1 < file.size && file.at[f + 1] == c && strchr("{}%\\", c);
    return doubled && !(t + 1 < text.size && text.at[t + 1] == c) ? 2 : 1;
}

/* The end of a placeholder, as {n}, %d, %(n)s, $n or ${n}, that begins at `at`; 0: none does. */
static size_t placeholder_end(struct text_line line, size_t at)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *rest = line.at + at + 1, *end = line.at + line.size, *close = NULL;
    if (at + 1 >= line.size || !strchr("{%$", line.at[at]))
        return 0;
    if (line.at[at] == '{')
        close = memchr(rest, '}', (size_t)(end - rest));
    else if (*rest == '{' || *rest == '(')
        close = memchr(rest, *rest == '{' ? '}' : ')', (size_t)(end - rest));
    if (line.at[at] == '{')
        return close ? (size_t)(close + 1 - line.at) : 0;
    if (close && line.at[at] == '$')
        return (size_t)(close + 1 - line.at);
    const char *after = close ? close + 1 : rest;
    while (after < end && line.at[at] == '%' && strchr("-+ #.0123456789", *after))
        after++;
    if (line.at[at] == '%')
        return after < end && strchr(letters, *after) ? (size_t)(after + 1 - line.at) : 0;
    while (after < end && strchr(letters, *after))
        after++;
    return after > rest ? (size_t)(after - line.at) : 0;
}

enum likeness { DIFFERENT, FILLED_IN, EQUAL };

/* FILLED_IN: equal, but for anything in place of the file's placeholders. */
static enum likeness compare(struct text_line file, struct text_line text)
{
    enum likeness likeness = EQUAL;
    size_t f = 0, t = 0, after = 0, from = 0; /* after the latest placeholder; where its text began */
    while (t < text.size) {
        const size_t same = stands_for(file, f, text, t), end = f < file.size ? placeholder_end(file, f) : 0;
        if (end) {
            after = end;
            from = t;
        }
        if (same) {
            f += same;
            t++;
        } else if (after) {
            likeness = FILLED_IN;
            f = after;
            t = end ? t : ++from;
        } else {
            return DIFFERENT;
        }
    }
    for (size_t end; f < file.size && (end = placeholder_end(file, f)); f = end)
        likeness = FILLED_IN;
    return f == file.size ? likeness : DIFFERENT;
}

/* ---- one place -------------------------------------------------------------------------------- */

/* What remains of a line of the file: code precedes the first line of the text, and follows the last one. */
static struct text_line part_of(struct text_line line, struct text_line text, bool first, bool last)
{
    if (first && text.size <= line.size) {
        line.at += line.size - text.size;
        line.size = text.size;
    } else if (last && indentation(line) + text.size <= line.size) {
        line.size = indentation(line) + text.size;
    }
    return line;
}

/* How many lines are filled in; NOWHERE: the text does not stand there. Adds the lines that it compares. */
static size_t stands_at(const struct text_lines *file, size_t from, const struct text_lines *text,
                        size_t *compared)
{
    size_t equal = 0, filled = 0;
    for (size_t i = 0; i < text->count && 2 * filled <= text->count; i++, ++*compared) {
        const struct text_line wanted = trimmed(text->at[i]);
        const bool last = i + 1 == text->count;
        struct text_line line = file->at[from + i];
        if (!wanted.size && (i == 0 || last))
            continue;
        line = i == 0 || last ? part_of(line, i == 0 ? text->at[i] : wanted, i == 0, last) : line;
        const enum likeness likeness = compare(trimmed(line), wanted);
        if (likeness == DIFFERENT)
            return NOWHERE;
        equal += likeness == EQUAL && wanted.size;
        filled += likeness == FILLED_IN;
    }
    return equal > 1 && equal >= filled ? filled : NOWHERE;
}

/* The place with the fewest lines that are filled in: the last one before the call's line, or else the first
 * one. False: there is none, or the search takes too long. */
static bool find_place(const struct text_lines *file, const struct text_lines *text, uint32_t call_line,
                       size_t *out_from)
{
    size_t compared = 0, best = NOWHERE;
    for (size_t from = 0; from + text->count <= file->count && compared < COMPARED_MOST; from++) {
        const size_t filled = stands_at(file, from, text, &compared);
        if (filled > best || filled == NOWHERE || (filled == best && from >= call_line))
            continue;
        *out_from = from;
        best = filled;
    }
    return best != NOWHERE && compared < COMPARED_MOST;
}

/* ---- the text ---------------------------------------------------------------------------------- */

static char *put(char *out, const char *from, size_t size)
{
    memcpy(out, from, size);
    return out + size;
}

/* `given` lines get the indentation of the lines of the file from `from` on; the others keep theirs. */
static char *moved(const struct text_lines *file, size_t from, const struct text_lines *text, size_t given)
{
    size_t room = from + 1;
    for (size_t i = 0; i < text->count; i++)
        room += text->at[i].size + 1 + (i < given ? file->at[from + i].size : 0);
    char *moved = malloc(room), *out = moved;
    if (!moved)
        return NULL;
    memset(out, '\n', from);
    out += from;
    for (size_t i = 0; i < text->count; i++) {
        struct text_line line = text->at[i];
        size_t blanks = i < given ? indentation(file->at[from + i]) : 0;
        if (i == 0 && file->at[from].size >= line.size)
            blanks = file->at[from].size - line.size;
        else if (i < given)
            line = (struct text_line){line.at + indentation(line), line.size - indentation(line)};
        memset(out, ' ', blanks);
        out = put(out + blanks, line.at, line.size);
        out = put(out, "\n", i + 1 < text->count);
    }
    *out = '\0';
    return moved;
}

static bool may_move(const char *text)
{
    const char *newline = strchr(text, '\n');
    if (!newline || !newline[1] || strstr(text, "__LINE__"))
        return false;
    for (const char *hash = text; (hash = strchr(hash, '#')); hash++) {
        const size_t blanks = strspn(hash + 1, " \t");
        if (!strncmp(hash + 1 + blanks, "line", 4) || strspn(hash + 1 + blanks, "0123456789"))
            return false;
    }
    return true;
}

static bool is_readable(const struct stat *file)
{
    return S_ISREG(file->st_mode) && file->st_size <= FILE_MOST;
}

/* NULL: it cannot be read, or is too long. A binary may name any file: to open a device can have effects. */
static char *read_file(const char *path)
{
    struct stat stat_;
    const bool may = stat(path, &stat_) == 0 && is_readable(&stat_);
    const int file = may ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    const bool fits = file >= 0 && fstat(file, &stat_) == 0 && is_readable(&stat_);
    char *text = fits ? malloc((size_t)stat_.st_size + 1) : NULL;
    const ssize_t size = text ? read(file, text, (size_t)stat_.st_size) : -1;
    if (file >= 0)
        close(file);
    if (size >= 0) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static char *place(const char *text, const char *whole, uint32_t call_line)
{
    const size_t size = strlen(text), before = source_file_given(text, size);
    const struct text_lines all = lines_of(text, size), file = lines_of(whole, strlen(whole));
    char *found = NULL;
    size_t from = 0;
    for (int i = 0; i < 2 && !found && all.at && file.at; i++) {
        const struct text_lines given = lines_of(text, i == 0 ? size : before);
        if (given.at && given.count > 1 && find_place(&file, &given, call_line, &from))
            found = moved(&file, from, &all, given.count);
        free(given.at);
    }
    free(all.at);
    free(file.at);
    return found;
}

static bool find_in(const char *path, const char *text, uint32_t call_line, struct placed_source *out_placed)
{
    char name[PATH_BYTES];
    char *whole = read_file(path), *found = whole ? place(text, whole, call_line) : NULL;
    free(whole);
    if (!found)
        return false;
    host_place_name(path, name, sizeof name);
    source_place_set(out_placed, found, strdup(name));
    return true;
}

static int is_module(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return *entry->d_name != '.' && length > 3 && strcmp(entry->d_name + length - 3, ".py") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A module may hold the texts that another one builds. */
static void find_beside(const char *file, const char *text, struct placed_source *out_placed)
{
    const char *slash = strrchr(file, '/');
    const int length = slash ? (int)(slash - file) : 1;
    const char *start = slash ? file : ".";
    char folder[PATH_BYTES], path[PATH_BYTES];
    struct dirent **entries = NULL;
    if (snprintf(folder, sizeof folder, "%.*s", length, start) >= (int)sizeof folder)
        return;
    const int count = scandir(length ? folder : "/", &entries, is_module, by_bytes);
    bool found = count > MODULES_MOST;
    for (int i = 0; i < count; i++) {
        if (!found && snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path)
            found = find_in(path, text, 0, out_placed);
        free(entries[i]);
    }
    free(entries);
}

void source_place_find(const char *text, const struct script_place *call, struct placed_source *out_placed)
{
    *out_placed = (struct placed_source){NULL, NULL};
    if (call && may_move(text) && !find_in(call->file, text, call->line, out_placed))
        find_beside(call->file, text, out_placed);
}

/* Its lines stand in the file as they did. */
static bool is_there(const char *text, const char *whole, size_t from)
{
    const size_t size = strlen(text), sizes[] = {size, source_file_given(text, size)};
    const struct text_lines file = lines_of(whole, strlen(whole));
    bool is = false;
    for (int i = 0; i < 2 && !is && file.at; i++) {
        const struct text_lines given = lines_of(text, sizes[i]);
        size_t compared = 0;
        is = given.at && given.count > 1 && from + given.count <= file.count &&
             stands_at(&file, from, &given, &compared) != NOWHERE;
        free(given.at);
    }
    free(file.at);
    return is;
}

bool source_place_renew(struct placed_source *placed)
{
    const size_t from = strspn(placed->text, "\n");
    const char *text = placed->text + from + strspn(placed->text + from, " \t");
    char *whole = read_file(placed->name);
    const bool is = whole && is_there(text, whole, from);
    char *found = whole && !is ? place(text, whole, (uint32_t)from) : NULL;
    free(whole);
    if (is)
        return true;
    if (!found) {
        free(placed->name);
        placed->name = NULL;
        found = strdup(text);
    }
    if (found) {
        free(placed->text);
        placed->text = found;
    }
    return false;
}

void source_place_set(struct placed_source *out_placed, char *text, char *name)
{
    *out_placed = (struct placed_source){text, name};
    if (!text || !name)
        source_place_fini(out_placed);
}

void source_place_fini(struct placed_source *placed)
{
    free(placed->text);
    free(placed->name);
    *placed = (struct placed_source){NULL, NULL};
}
