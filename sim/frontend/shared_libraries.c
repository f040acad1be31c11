/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic section of an ELF file. Program headers lead to it and to the string table, which it
 * refers to by address. The file may be damaged: each read checks its own bounds. */
#include "shared_libraries.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MOST = 64, ENTRIES_MOST = 512, NAME_SIZE = 256 };

struct library_file {
    int descriptor;
    ElfW(Phdr) segments[SEGMENTS_MOST];
    size_t segment_count;
    ElfW(Dyn) entries[ENTRIES_MOST];
    size_t entry_count;
};

static bool read_at(const struct library_file *file, void *bytes, size_t size, uint64_t offset)
{
    return pread(file->descriptor, bytes, size, (off_t)offset) == (ssize_t)size;
}

static bool read_segments(struct library_file *file)
{
    ElfW(Ehdr) header;
    const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!read_at(file, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return false;
    if (header.e_ident[EI_CLASS] != class || header.e_phentsize != sizeof *file->segments ||
        header.e_phnum > SEGMENTS_MOST)
        return false;
    file->segment_count = header.e_phnum;
    return read_at(file, file->segments, file->segment_count * sizeof *file->segments, header.e_phoff);
}

static bool read_entries(struct library_file *file)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const ElfW(Phdr) *segment = &file->segments[i];
        if (segment->p_type != PT_DYNAMIC)
            continue;
        file->entry_count = segment->p_filesz / sizeof *file->entries;
        return file->entry_count <= ENTRIES_MOST &&
               read_at(file, file->entries, file->entry_count * sizeof *file->entries, segment->p_offset);
    }
    return false;
}

static bool offset_of(const struct library_file *file, uint64_t address, uint64_t *out_offset)
{
    for (size_t i = 0; i < file->segment_count; i++) {
        const ElfW(Phdr) *segment = &file->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz) {
            *out_offset = segment->p_offset + (address - segment->p_vaddr);
            return true;
        }
    }
    return false;
}

static bool read_names(const struct library_file *file, struct shared_libraries *libraries)
{
    uint64_t strings = 0;
    bool found = false;
    for (size_t i = 0; i < file->entry_count; i++)
        if (file->entries[i].d_tag == DT_STRTAB)
            found = offset_of(file, file->entries[i].d_un.d_ptr, &strings);
    for (size_t i = 0; found && i < file->entry_count && file->entries[i].d_tag != DT_NULL; i++) {
        char name[NAME_SIZE] = "";
        const ElfW(Sxword) tag = file->entries[i].d_tag;
        libraries->own_path |= tag == DT_RPATH || tag == DT_RUNPATH;
        if (tag != DT_NEEDED)
            continue;
        if (pread(file->descriptor, name, sizeof name - 1, (off_t)(strings + file->entries[i].d_un.d_val)) <=
            0)
            return false;
        list_add(&libraries->names, name);
    }
    return found && !libraries->names.failed;
}

bool shared_libraries_read(const char *path, struct shared_libraries *out_libraries)
{
    struct library_file *file = calloc(1, sizeof *file);
    *out_libraries = (struct shared_libraries){.own_path = false};
    if (!file)
        return false;
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool read =
        file->descriptor >= 0 && read_segments(file) && read_entries(file) && read_names(file, out_libraries);
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file);
    return read;
}

void shared_libraries_fini(struct shared_libraries *libraries)
{
    list_fini(&libraries->names);
}
