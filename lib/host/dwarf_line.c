/* SPDX-License-Identifier: Apache-2.0 */
/* libdw is loaded at the first look-up, so that no program needs it otherwise. */
#include "dwarf_line.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols.h"

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

static const struct symbol dw_symbols[] = {{"dwfl_end", &dw.end},
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

static pthread_once_t dw_once = PTHREAD_ONCE_INIT;
static bool dw_loaded;

static void dw_load(void)
{
    static char *no_path;
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    dw.callbacks.debuginfo_path = &no_path;
    dw_loaded = symbols_find(library, dw_symbols, sizeof dw_symbols / sizeof *dw_symbols);
    if (!dw_loaded)
        dlclose(library);
}

static bool dw_usable(void)
{
    pthread_once(&dw_once, dw_load);
    return dw_loaded;
}

/* ---- lines of a unit ---------------------------------------------------------------------- */

/* The unit that has a line, and the address in its terms. */
struct place_in_unit {
    Dwarf_Die *unit;
    uint64_t address;
};

/* By .debug_aranges, the index of addresses that gcc writes. libdw takes the gaps of the index for parts of
 * the unit before them, also those that hold a unit without line table. */
static struct dwarf_line line_by_index(Dwfl_Module *module, uint64_t address, struct place_in_unit *out_place)
{
    struct dwarf_line found = {.file = NULL};
    uint64_t bias = 0;
    Dwarf_Die *unit = dw.unit_at(module, address, &bias);
    Dwfl_Line *row = unit && dw.unit_has(unit, address - bias) == 1 ? dw.line(module, address) : NULL;
    if (row) {
        *out_place = (struct place_in_unit){unit, address - bias};
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
static struct dwarf_line line_by_units(Dwfl_Module *module, uint64_t address, struct place_in_unit *out_place)
{
    struct dwarf_line found = {.file = NULL};
    uint64_t bias = 0;
    for (Dwarf_Die *unit = NULL; (unit = dw.next_unit(module, unit, &bias));) {
        Dwarf_Line *row = dw.unit_has(unit, address - bias) == 1 ? dw.unit_line(unit, address - bias) : NULL;
        if (!row)
            continue;
        *out_place = (struct place_in_unit){unit, address - bias};
        found.file = dw.unit_file(row, NULL, NULL);
        found.directory = unit_directory(unit);
        found.below = found.file && *found.file != '/' && found.directory;
        if (dw.unit_number(row, &found.line) != 0 || dw.unit_column(row, &found.column) != 0)
            found.file = NULL;
        break;
    }
    return found;
}

/* As those of bindings for C++ and Rust, of which programs call inline functions. */
static bool is_installed(const char *file)
{
    static const char *const bindings[] = {"opencl.hpp", "cl2.hpp", "cl.hpp"};
    static const char *const folders[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/", "/opt/",
                                          "/rustc/"};
    static const char *const within[] = {"/include/c++/", "/.cargo/registry/"};
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    bool is = false;
    for (size_t i = 0; i < sizeof bindings / sizeof *bindings && !is; i++)
        is = strcmp(name, bindings[i]) == 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && !is; i++)
        is = strncmp(file, folders[i], strlen(folders[i])) == 0;
    for (size_t i = 0; i < sizeof within / sizeof *within && !is; i++)
        is = strstr(file, within[i]) != NULL;
    return is;
}

static int number_of(Dwarf_Die *die, unsigned attribute)
{
    uint64_t room[8], number = 0; /* a Dwarf_Attribute takes three */
    void *found = dw.attribute(die, attribute, room);
    return found && dw.number(found, &number) == 0 && number < INT_MAX ? (int)number : 0;
}

/* Where functions were inlined, to the innermost call that is not in an installed header. */
static void leave_inlined(const struct place_in_unit *place, struct dwarf_line *line)
{
    enum { DW_TAG_inlined_subroutine = 0x1d, DW_AT_call_column = 0x57, DW_AT_call_file, DW_AT_call_line };
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    Dwarf_Files *files = NULL;
    int count = 0;
    if (dw.scopes(place->unit, place->address, &innermost) > 0 && dw.files(place->unit, &files, NULL) == 0)
        count = dw.scopes_of(&innermost[0], &scopes);
    for (int i = 0; i < count && is_installed(line->file); i++) {
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

/* ---- look-ups --------------------------------------------------------------------------- */

void *dwarf_line_begin(void)
{
    Dwfl *dwfl = dw_usable() ? dw.begin(&dw.callbacks) : NULL;
    if (dwfl && (dw.report(dwfl, getpid()) != 0 || dw.report_end(dwfl, NULL, NULL) != 0)) {
        dw.end(dwfl);
        dwfl = NULL;
    }
    return dwfl;
}

void dwarf_line_end(void *session)
{
    if (session)
        dw.end(session);
}

bool dwarf_line_find(void *session, uint64_t address, struct dwarf_line *out_line)
{
    Dwfl_Module *module = session ? dw.module(session, address) : NULL;
    struct place_in_unit place = {NULL, 0};
    *out_line = (struct dwarf_line){.file = NULL};
    if (!module)
        return false;
    *out_line = line_by_index(module, address, &place);
    if (!out_line->file)
        *out_line = line_by_units(module, address, &place);
    out_line->function = dw.name(module, address);
    if (!out_line->file || out_line->line <= 0)
        return false;
    if (is_installed(out_line->file))
        leave_inlined(&place, out_line);
    out_line->installed = is_installed(out_line->file);
    return true;
}
