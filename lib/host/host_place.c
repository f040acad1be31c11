/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skips the frames of this library, of the C library and of sanitizers, and looks the next addresses up
 * until one has a line of the program.
 */
#include "host_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf_line.h"

void host_place_prepare(void)
{
    struct host_trace trace;
    host_place_capture(&trace); /* the first call loads the unwinder */
}

static void capture(struct host_trace *out_trace, int most)
{
    out_trace->pc = 0;
    out_trace->script = NULL;
    out_trace->count = backtrace(out_trace->frame, most < HOST_FRAMES ? most : HOST_FRAMES);
}

void host_place_capture(struct host_trace *out_trace)
{
    capture(out_trace, HOST_FRAMES);
}

void host_place_of_call(struct host_trace *out_trace, int most)
{
    capture(out_trace, most);
    out_trace->script = script_place_here();
}

static void copy(char *to, size_t room, const char *from)
{
    snprintf(to, room, "%s", from ? from : "");
}

/* ---- the line's text ------------------------------------------------------------------- */

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* NULL if the file was written after the object file was built: its lines may have changed. */
static FILE *open_source(const char *path, const char *object)
{
    struct stat source, program;
    if (stat(path, &source) || !S_ISREG(source.st_mode))
        return NULL;
    if (object && ((stat(object, &program) && stat("/proc/self/exe", &program)) ||
                   is_later(&source.st_mtim, &program.st_mtim)))
        return NULL;
    return fopen(path, "re");
}

static bool ends_line(int c)
{
    return c == EOF || c == '\n' || c == '\0';
}

/* object: NULL: the file is run as it is. */
static void read_line(const char *path, const char *object, struct host_place *out_place)
{
    FILE *file = open_source(path, object);
    uint32_t line = 1;
    int c;
    size_t length = 0;
    if (!file)
        return;
    while (line < out_place->place.line && (c = getc(file)) != EOF)
        line += c == '\n';
    while (length + 1 < sizeof out_place->source && !ends_line(c = getc(file)))
        out_place->source[length++] = (char)c;
    if (length)
        out_place->place.text = out_place->source;
    fclose(file);
}

/* A relative name is looked up in the directory of the compilation: the directory in which the program
 * runs may have another file of that name. */
static void find_text(const char *file, const char *directory, const char *object,
                      struct host_place *out_place)
{
    char path[4096];
    if (*file != '/' && !directory)
        return;
    const int length =
        snprintf(path, sizeof path, "%s%s%s", *file == '/' ? "" : directory, *file == '/' ? "" : "/", file);
    if (length > 0 && (size_t)length < sizeof path)
        read_line(path, object, out_place);
}

/* A file in or below the working directory is named from there, however the compiler was called: so the name
 * can be opened. False: it is elsewhere, or was compiled on another machine. */
static bool name_from_here(const char *file, const char *directory, char *out, size_t room)
{
    char path[PATH_MAX], real[PATH_MAX], here[PATH_MAX];
    const bool absolute = *file == '/';
    if (!absolute && !directory)
        return false;
    const int length =
        snprintf(path, sizeof path, "%s%s%s", absolute ? "" : directory, absolute ? "" : "/", file);
    if (length < 0 || (size_t)length >= sizeof path || !realpath(path, real) || !getcwd(here, sizeof here))
        return false;
    const size_t begins = strlen(here);
    if (strncmp(real, here, begins) != 0 || real[begins] != '/' || strlen(real + begins + 1) >= room)
        return false;
    copy(out, room, real + begins + 1);
    return true;
}

/* ---- which frame ------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_ours(const Dl_info *info)
{
    Dl_info self;
    return dladdr((void *)(uintptr_t)host_place_find, &self) && self.dli_fbase == info->dli_fbase;
}

/* Frames between the program's line and this library: the signal frame, functions of the C library such
 * as memcpy, the loader, and a sanitizer's runtime. */
static bool is_library(const Dl_info *info)
{
    static const char *const names[] = {"libc.",    "libc-",    "liborrery_sync.", "libOpenCL.",
                                        "libasan.", "libtsan.", "libubsan.",       "libclang_rt."};
    const char *name = base_name(info->dli_fname ? info->dli_fname : "");
    bool found = is_ours(info);
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = strncmp(name, names[i], strlen(names[i])) == 0;
    return found;
}

/* clang links its sanitizers into the program: their memcpy, for example. */
static bool is_interceptor(const Dl_info *info)
{
    static const char *const prefixes[] = {"__interceptor_", "__asan_", "__sanitizer_", "__tsan_",
                                           "__ubsan_"};
    bool found = false;
    for (size_t i = 0; info->dli_sname && i < sizeof prefixes / sizeof *prefixes && !found; i++)
        found = strncmp(info->dli_sname, prefixes[i], strlen(prefixes[i])) == 0;
    return found;
}

/* The first frame of this library; frames of a sanitizer's backtrace may precede it. 0 if there is none. */
static int first_of_ours(const struct host_trace *trace)
{
    Dl_info info;
    for (int at = 0; at < trace->count; at++)
        if (dladdr(trace->frame[at], &info) && is_ours(&info))
            return at;
    return 0;
}

void host_place_name(const char *file, char *out, size_t room)
{
    if (!name_from_here(file, NULL, out, room))
        copy(out, room, file);
}

static void place_in_script(const struct script_place *script, struct host_place *out_place)
{
    host_place_name(script->file, out_place->text, sizeof out_place->text);
    copy(out_place->function, sizeof out_place->function, script->function);
    out_place->place.line = script->line;
    read_line(script->file, NULL, out_place);
}

static void place_assign(struct host_place *to, const struct host_place *from)
{
    *to = *from;
    to->place.file = to->text;
    to->place.text = from->place.text ? to->source : NULL;
}

/* False: it has no line of the program itself. The C library's code begins a program. */
static bool place_of_frame(void *session, const struct host_trace *trace, int at, const Dl_info *info,
                           struct host_place *out_place)
{
    const uint64_t address = (uint64_t)(uintptr_t)trace->frame[at];
    struct dwarf_line line;
    memset(out_place, 0, sizeof *out_place);
    out_place->place.file = out_place->text;
    copy(out_place->text, sizeof out_place->text, base_name(info->dli_fname));
    copy(out_place->function, sizeof out_place->function, info->dli_sname);
    /* a return address follows its call */
    const bool found = dwarf_line_find(session, address == trace->pc ? address : address - 1, &line);
    if (line.function)
        copy(out_place->function, sizeof out_place->function, line.function);
    if (!found)
        return false;
    if (!name_from_here(line.file, line.directory, out_place->text, sizeof out_place->text))
        snprintf(out_place->text, sizeof out_place->text, "%s%s%s", line.below ? line.directory : "",
                 line.below ? "/" : "", line.file);
    out_place->place.line = (uint32_t)line.line;
    out_place->place.column = line.column > 0 ? (uint32_t)line.column : 0;
    find_text(line.file, line.directory, info->dli_fname, out_place);
    return !line.installed && strcmp(out_place->function, "_start") != 0;
}

void host_place_find(const struct host_trace *trace, struct host_place *out_place)
{
    void *session = dwarf_line_begin();
    bool any = false, found = false;
    memset(out_place, 0, sizeof *out_place);
    out_place->place.file = out_place->text;
    for (int at = first_of_ours(trace); at < trace->count && !found; at++) {
        Dl_info info = {0};
        struct host_place place;
        if (!dladdr(trace->frame[at], &info) || is_library(&info) || is_interceptor(&info))
            continue;
        found = place_of_frame(session, trace, at, &info, &place);
        if (!any && !place.place.line && trace->script) {
            place_in_script(trace->script, &place);
            found = true;
        }
        if (!any || found)
            place_assign(out_place, &place);
        any = true;
    }
    dwarf_line_end(session);
}
