/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skips the frames of this library, of the C library and of sanitizers, and looks the next addresses up in
 * the DWARF line table, by libdw, until a line is not of an installed header. libdw is loaded at the first
 * look-up, so that no program needs it otherwise.
 */
#include "host_place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- libdw, if it is installed ------------------------------------------------------------ */

/* Declarations of elfutils' libdwfl.h and libdw.h, so that building does not need the headers. */
typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Line Dwfl_Line;
typedef struct Dwarf_Files Dwarf_Files;
typedef struct {
    void *address, *unit, *abbreviation;
    long padding;
} Dwarf_Die;
typedef struct Dwarf_Line Dwarf_Line;
typedef struct {
    void *find_elf, *find_debuginfo, *section_address;
    char **debuginfo_path;
} Dwfl_Callbacks;

static struct {
    Dwfl *(*begin)(const Dwfl_Callbacks *);
    void (*end)(Dwfl *);
    int (*report)(Dwfl *, pid_t);
    int (*report_end)(Dwfl *, void *, void *);
    Dwfl_Module *(*module)(Dwfl *, uint64_t);
    Dwfl_Line *(*line)(Dwfl_Module *, uint64_t);
    const char *(*info)(Dwfl_Line *, uint64_t *, int *, int *, uint64_t *, uint64_t *);
    const char *(*name)(Dwfl_Module *, uint64_t);
    const char *(*directory)(Dwfl_Line *);
    Dwarf_Die *(*unit_at)(Dwfl_Module *, uint64_t, uint64_t *);
    Dwarf_Die *(*next_unit)(Dwfl_Module *, Dwarf_Die *, uint64_t *);
    int (*unit_has)(Dwarf_Die *, uint64_t);
    Dwarf_Line *(*unit_line)(Dwarf_Die *, uint64_t);
    const char *(*unit_file)(Dwarf_Line *, uint64_t *, uint64_t *);
    int (*unit_number)(Dwarf_Line *, int *), (*unit_column)(Dwarf_Line *, int *);
    void *(*attribute)(Dwarf_Die *, unsigned, void *);
    const char *(*string)(void *);
    int (*number)(void *, uint64_t *);
    int (*scopes)(Dwarf_Die *, uint64_t, Dwarf_Die **), (*scopes_of)(Dwarf_Die *, Dwarf_Die **);
    int (*tag)(Dwarf_Die *);
    int (*files)(Dwarf_Die *, Dwarf_Files **, size_t *);
    const char *(*file)(Dwarf_Files *, size_t, uint64_t *, uint64_t *);
    Dwfl_Callbacks callbacks;
} dw;

static const struct {
    const char *name;
    void *out_function;
} dw_symbols[] = {{"dwfl_end", &dw.end},
                  {"dwfl_linux_proc_report", &dw.report},
                  {"dwfl_report_end", &dw.report_end},
                  {"dwfl_addrmodule", &dw.module},
                  {"dwfl_module_getsrc", &dw.line},
                  {"dwfl_lineinfo", &dw.info},
                  {"dwfl_module_addrname", &dw.name},
                  {"dwfl_line_comp_dir", &dw.directory},
                  {"dwfl_module_nextcu", &dw.next_unit},
                  {"dwfl_module_addrdie", &dw.unit_at},
                  {"dwarf_haspc", &dw.unit_has},
                  {"dwarf_getsrc_die", &dw.unit_line},
                  {"dwarf_linesrc", &dw.unit_file},
                  {"dwarf_lineno", &dw.unit_number},
                  {"dwarf_linecol", &dw.unit_column},
                  {"dwarf_attr", &dw.attribute},
                  {"dwarf_formstring", &dw.string},
                  {"dwarf_formudata", &dw.number},
                  {"dwarf_getscopes", &dw.scopes},
                  {"dwarf_getscopes_die", &dw.scopes_of},
                  {"dwarf_tag", &dw.tag},
                  {"dwarf_getsrcfiles", &dw.files},
                  {"dwarf_filesrc", &dw.file},
                  {"dwfl_linux_proc_find_elf", &dw.callbacks.find_elf},
                  {"dwfl_standard_find_debuginfo", &dw.callbacks.find_debuginfo},
                  {"dwfl_begin", &dw.begin}};

static bool find_symbol(void *library, const char *name, void *out_function)
{
    void *found = dlsym(library, name);
    memcpy(out_function, &found, sizeof found);
    return found != NULL;
}

static pthread_once_t dw_once = PTHREAD_ONCE_INIT;
static bool dw_loaded;

static void dw_load(void)
{
    static char *no_path;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    dw.callbacks.debuginfo_path = &no_path;
    dw_loaded = true;
    for (size_t i = 0; dw_loaded && i < sizeof dw_symbols / sizeof *dw_symbols; i++)
        dw_loaded = find_symbol(library, dw_symbols[i].name, dw_symbols[i].out_function);
    if (!dw_loaded)
        dlclose(library);
}

static bool dw_usable(void)
{
    pthread_once(&dw_once, dw_load);
    return dw_loaded;
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

struct host_line {
    Dwarf_Die *unit;       /* that has it */
    uint64_t address;      /* in the unit's terms */
    const char *file;      /* NULL: not found */
    const char *directory; /* in which the unit was compiled; NULL: unknown */
    bool below;            /* the file's name is relative to the directory, as clang writes it */
    int line, column;
};

/* By .debug_aranges, the index of addresses that gcc writes. libdw takes the gaps of the index for parts of
 * the unit before them, also those that hold a unit without line table. */
static struct host_line line_by_index(Dwfl_Module *module, uint64_t address)
{
    struct host_line found = {.file = NULL};
    uint64_t bias = 0;
    Dwarf_Die *unit = dw.unit_at(module, address, &bias);
    Dwfl_Line *row = unit && dw.unit_has(unit, address - bias) == 1 ? dw.line(module, address) : NULL;
    if (row) {
        found.unit = unit;
        found.address = address - bias;
        found.file = dw.info(row, NULL, &found.line, &found.column, NULL, NULL);
        found.directory = dw.directory(row);
    }
    return found;
}

static const char *unit_directory(Dwarf_Die *unit)
{
    enum { DW_AT_comp_dir = 0x1b };
    uint64_t attribute[8]; /* a Dwarf_Attribute takes three */
    void *found = dw.attribute(unit, DW_AT_comp_dir, attribute);
    return found ? dw.string(found) : NULL;
}

/* clang writes no index: each compilation unit is searched for the address. */
static struct host_line line_by_units(Dwfl_Module *module, uint64_t address)
{
    struct host_line found = {.file = NULL};
    uint64_t bias = 0;
    for (Dwarf_Die *unit = NULL; (unit = dw.next_unit(module, unit, &bias));) {
        Dwarf_Line *row = dw.unit_has(unit, address - bias) == 1 ? dw.unit_line(unit, address - bias) : NULL;
        if (!row)
            continue;
        found.unit = unit;
        found.address = address - bias;
        found.file = dw.unit_file(row, NULL, NULL);
        found.directory = unit_directory(unit);
        found.below = found.file && *found.file != '/' && found.directory;
        if (dw.unit_number(row, &found.line) != 0 || dw.unit_column(row, &found.column) != 0)
            found.file = NULL;
        break;
    }
    return found;
}

/* A header that is installed, as those of C++ bindings, of which programs call inline functions. */
static bool is_package(const char *file)
{
    static const char *const bindings[] = {"opencl.hpp", "cl2.hpp", "cl.hpp"}, *const folders[] = {
                                                                                   "/usr/include/",
                                                                                   "/usr/local/include/",
                                                                                   "/usr/lib/", "/opt/"};
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    bool is = strstr(file, "/include/c++/");
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings && !is; i++)
        is = strcmp(name, bindings[i]) == 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !is; i++)
        is = strncmp(file, folders[i], strlen(folders[i])) == 0;
    return is;
}

static int number_of(Dwarf_Die *die, unsigned attribute)
{
    uint64_t room[8], number = 0; /* a Dwarf_Attribute takes three */
    void *found = dw.attribute(die, attribute, room);
    return found && dw.number(found, &number) == 0 && number < INT_MAX ? (int)number : 0;
}

/* Where functions were inlined, to the innermost call that is not in an installed header. */
static void leave_inlined(struct host_line *line)
{
    enum { DW_TAG_inlined_subroutine = 0x1d, DW_AT_call_column = 0x57, DW_AT_call_file, DW_AT_call_line };
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    Dwarf_Files *files = NULL;
    int count = 0;
    if (dw.scopes(line->unit, line->address, &innermost) > 0 && dw.files(line->unit, &files, NULL) == 0)
        count = dw.scopes_of(&innermost[0], &scopes);
    for (int i = 0; i < count && is_package(line->file); i++) {
        const int number =
            dw.tag(&scopes[i]) == DW_TAG_inlined_subroutine ? number_of(&scopes[i], DW_AT_call_line) : 0;
        const char *file =
            number ? dw.file(files, (size_t)number_of(&scopes[i], DW_AT_call_file), NULL, NULL) : NULL;
        if (!file)
            continue;
        line->file = file;
        line->line = number;
        line->column = number_of(&scopes[i], DW_AT_call_column);
        line->below = *file != '/' && line->directory;
    }
    free(innermost);
    free(scopes);
}

static Dwfl *session_begin(void)
{
    Dwfl *dwfl = dw_usable() ? dw.begin(&dw.callbacks) : NULL;
    if (dwfl && (dw.report(dwfl, getpid()) != 0 || dw.report_end(dwfl, NULL, NULL) != 0)) {
        dw.end(dwfl);
        dwfl = NULL;
    }
    return dwfl;
}

/* object: the path of the object file that holds the address. */
static void find_line(Dwfl *dwfl, uint64_t address, const char *object, struct host_place *out_place)
{
    Dwfl_Module *module = dwfl ? dw.module(dwfl, address) : NULL;
    struct host_line found = {.file = NULL};
    if (module) {
        copy(out_place->function, sizeof out_place->function, dw.name(module, address));
        found = line_by_index(module, address);
        if (!found.file)
            found = line_by_units(module, address);
    }
    if (!found.file || found.line <= 0)
        return;
    if (is_package(found.file))
        leave_inlined(&found);
    if (!name_from_here(found.file, found.directory, out_place->text, sizeof out_place->text))
        snprintf(out_place->text, sizeof out_place->text, "%s%s%s", found.below ? found.directory : "",
                 found.below ? "/" : "", found.file);
    out_place->place.line = (uint32_t)found.line;
    out_place->place.column = found.column > 0 ? (uint32_t)found.column : 0;
    find_text(found.file, found.directory, object, out_place);
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

static void place_in_script(const struct script_place *script, struct host_place *out_place)
{
    if (!name_from_here(script->file, NULL, out_place->text, sizeof out_place->text))
        copy(out_place->text, sizeof out_place->text, script->file);
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

static void place_of_frame(Dwfl *dwfl, const struct host_trace *trace, int at, const Dl_info *info,
                           struct host_place *out_place)
{
    const uint64_t address = (uint64_t)(uintptr_t)trace->frame[at];
    memset(out_place, 0, sizeof *out_place);
    out_place->place.file = out_place->text;
    copy(out_place->text, sizeof out_place->text, base_name(info->dli_fname));
    copy(out_place->function, sizeof out_place->function, info->dli_sname);
    /* a return address follows its call */
    find_line(dwfl, address == trace->pc ? address : address - 1, info->dli_fname, out_place);
}

/* The C library's own code begins a program. */
static bool is_program(const struct host_place *place)
{
    return place->place.line && !is_package(place->text) && strcmp(place->function, "_start") != 0;
}

void host_place_find(const struct host_trace *trace, struct host_place *out_place)
{
    Dwfl *dwfl = session_begin();
    bool any = false, found = false;
    memset(out_place, 0, sizeof *out_place);
    out_place->place.file = out_place->text;
    for (int at = first_of_ours(trace); at < trace->count && !found; at++) {
        Dl_info info = {0};
        struct host_place place;
        if (!dladdr(trace->frame[at], &info) || is_library(&info) || is_interceptor(&info))
            continue;
        place_of_frame(dwfl, trace, at, &info, &place);
        found = is_program(&place);
        if (!any && !place.place.line && trace->script) {
            place_in_script(trace->script, &place);
            found = true;
        }
        if (!any || found)
            place_assign(out_place, &place);
        any = true;
    }
    if (dwfl)
        dw.end(dwfl);
}
