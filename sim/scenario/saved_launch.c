/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a launch as a scenario (--save-launch). Short contents are part of the scenario; long contents,
 * the source text or the module get files beside it: of launch.yaml, launch.cl and launch.ARGUMENT.bin. An
 * allocation that several arguments point into is saved once, with the first of them. */
#include "orrery/saved_launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "orrery/compiler.h"
#include "scenario_image.h"
#include "sim/base/scenario_rows.h"
#include "sim/device/device_program.h"
#include "sim/device/device_state.h"

enum { INLINE_MOST = 64, RANGES_MOST = 1024, FILE_NAME_CHARS = 64 };

struct saving {
    const struct device *device;
    const struct launch_request *request;
    const struct kernel_info *info;
    const struct program *program;
    const char *file;   /* path of the scenario */
    size_t stem;        /* bytes of `file` before .yaml */
    size_t folder;      /* bytes of `file` before its last component */
    FILE *yaml, *notes; /* the scenario; the comments at its beginning */
    bool replaces;      /* existing files beside the scenario are of an earlier run */
    struct diagnosis *diagnosis;
};

/* ---- "3:FILE" ------------------------------------------------------------------------------- */

const char *saved_launch_file(const char *text, uint32_t *out_number)
{
    char digits[12];
    uint64_t number;
    const char *colon = strchr(text, ':');
    if (!colon || !colon[1] || (size_t)(colon - text) >= sizeof digits)
        return NULL;
    memcpy(digits, text, (size_t)(colon - text));
    digits[colon - text] = '\0';
    if (!value_parse_number(digits, &number) || number < 1 || number > UINT32_MAX)
        return NULL;
    *out_number = (uint32_t)number;
    return colon + 1;
}

bool saved_launch_set(char **field, const char *text, char expected[EXPECTED_CHARS])
{
    uint32_t number;
    snprintf(expected, EXPECTED_CHARS,
             "the number of a launch, which count from 1, and a file, as in 3:launch.yaml");
    char *copy = saved_launch_file(text, &number) ? strdup(text) : NULL;
    if (!copy)
        return false;
    free(*field);
    *field = copy;
    return true;
}

/* ---- files beside the scenario ---------------------------------------------------------------- */

static enum status cannot_write(const struct saving *saving, const char *path)
{
    return diagnose(saving->diagnosis, STATUS_IO, "save_launch: %s: %s", path, strerror(errno));
}

static bool begins_so(const char *path, const char *begins)
{
    char text[64];
    FILE *stream = fopen(path, "re");
    const size_t wanted = strlen(begins), got = stream ? fread(text, 1, wanted, stream) : 0;
    if (stream)
        fclose(stream);
    return got == wanted && memcmp(text, begins, wanted) == 0;
}

static bool is_there(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && found.st_size > 0;
}

static enum status write_file(const struct saving *saving, const char *path, const void *bytes, size_t size)
{
    if (!saving->replaces && is_there(path))
        return diagnose(saving->diagnosis, STATUS_IO,
                        "save_launch: %s: found a file, but no %s that it is of; --force replaces it", path,
                        saving->file);
    FILE *stream = report_output_open(path, "w", saving->device->scenario->force_files);
    if (!stream)
        return cannot_write(saving, path);
    const bool written = fwrite(bytes, 1, size, stream) == size;
    return fclose(stream) == 0 && written ? STATUS_OK : cannot_write(saving, path);
}

/* Writes a file beside the scenario, and its name into the scenario. */
static enum status write_beside(const struct saving *saving, const char *key, const char *end,
                                const void *bytes, size_t size)
{
    char *path = NULL;
    if (asprintf(&path, "%.*s.%s", (int)saving->stem, saving->file, end) < 0)
        return STATUS_OUT_OF_MEMORY;
    const enum status status = write_file(saving, path, bytes, size);
    fprintf(saving->yaml, "%s: ", key);
    scenario_print_quoted(path + saving->folder, saving->yaml);
    free(path);
    return status;
}

static enum status write_contents(const struct saving *saving, size_t index, const void *bytes, size_t size)
{
    char end[FILE_NAME_CHARS + 32];
    const char *name = saving->info->args[index].name;
    if (*name && strlen(name) < FILE_NAME_CHARS)
        snprintf(end, sizeof end, "%s.bin", name);
    else
        snprintf(end, sizeof end, "arg%zu.bin", index);
    return write_beside(saving, "file", end, bytes, size);
}

/* ---- the program -------------------------------------------------------------------------------- */

static enum status write_source(const struct saving *saving)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < saving->program->line_count; i++)
        fprintf(stream, "%s\n", saving->program->lines[i]);
    const bool written = fclose(stream) == 0;
    const enum status status =
        written ? write_beside(saving, "source", "cl", text, size) : STATUS_OUT_OF_MEMORY;
    free(text);
    return status;
}

static enum status save_program(const struct saving *saving)
{
    const struct program *program = saving->program;
    const struct compile_request *compiled = program->compiled;
    enum status status;
    fputs("program:\n  ", saving->yaml);
    if (!compiled || !program->source_text) {
        size_t count;
        const uint32_t *words = program_words(program, &count);
        status = write_beside(saving, "spirv", "spv", words, count * sizeof *words);
        fputc('\n', saving->yaml);
        return status;
    }
    status = write_source(saving);
    if (compiled->options && *compiled->options) {
        fputs("\n  options: ", saving->yaml);
        scenario_print_quoted(compiled->options, saving->yaml);
    }
    if (compiled->options && strstr(compiled->options, "-I"))
        fputs("# Folders in the build options are relative to where `orrery` is started.\n", saving->notes);
    fputc('\n', saving->yaml);
    return status;
}

/* ---- contents ----------------------------------------------------------------------------------- */

/* How the elements of an argument are written: in the argument's own type if the bytes are whole elements,
 * else as bytes. */
struct element_type {
    enum value_type type;
    uint32_t width;
};

static struct element_type element_type_of(const char *type_name, uint64_t bytes)
{
    char name[16], count[3];
    uint64_t width = 1;
    struct element_type found = {VALUE_U8, 1};
    const size_t letters = strspn(type_name, "abcdefghijklmnopqrstuvwxyz");
    const size_t digits = strspn(type_name + letters, "0123456789");
    const char rest = type_name[letters + digits];
    if (letters >= sizeof name || digits > 2 || (rest && rest != '*'))
        return found;
    memcpy(name, type_name, letters);
    name[letters] = '\0';
    memcpy(count, type_name + letters, digits);
    count[digits] = '\0';
    enum value_type type;
    if (!value_type_from_name(name, &type) || (digits && !value_parse_number(count, &width)))
        width = 0;
    /* A vector of three has the size of four; the fourth is saved, too. */
    if (width && bytes % (value_type_size(type) * (width == 3 ? 1 : width)) == 0)
        found = (struct element_type){type, width == 3 ? 1 : (uint32_t)width};
    return found;
}

static void print_type(const struct saving *saving, const struct element_type *elements)
{
    fprintf(saving->yaml, "type: %s", value_type_name(elements->type));
    if (elements->width > 1)
        fprintf(saving->yaml, "%" PRIu32, elements->width);
}

/* Do the numbers, written as text, give the same bytes back? A NaN's may not. */
static bool is_exact(const struct element_type *elements, const uint8_t *bytes, uint64_t size)
{
    const size_t unit = value_type_size(elements->type);
    bool exact = true;
    for (uint64_t at = 0; at < size && exact; at += unit) {
        char text[64] = "";
        uint64_t value = 0;
        FILE *stream = fmemopen(text, sizeof text, "w");
        if (!stream)
            return false;
        value_print(bytes + at, elements->type, stream);
        exact = fclose(stream) == 0 && value_parse(text, elements->type, &value) &&
                memcmp(&value, bytes + at, unit) == 0;
    }
    return exact;
}

static void print_values(const struct saving *saving, const struct element_type *elements,
                         const uint8_t *bytes, uint64_t size)
{
    const size_t unit = value_type_size(elements->type);
    for (uint64_t at = 0; at < size; at += unit) {
        fputs(at ? ", " : "[", saving->yaml);
        value_print(bytes + at, elements->type, saving->yaml);
    }
    fputc(']', saving->yaml);
}

static bool all_equal(const uint8_t *bytes, uint64_t size, size_t unit)
{
    return size >= unit && memcmp(bytes, bytes + unit, size - unit) == 0;
}

static enum status print_contents(const struct saving *saving, const struct kernel_arg *arg,
                                  const struct element_type *elements, const uint8_t *bytes, uint64_t size)
{
    const size_t unit = value_type_size(elements->type);
    if (all_equal(bytes, size, unit) && is_exact(elements, bytes, unit)) {
        fprintf(saving->yaml, ", count: %" PRIu64 ", fill: ", size / unit / elements->width);
        value_print(bytes, elements->type, saving->yaml);
        return STATUS_OK;
    }
    if (size / unit <= INLINE_MOST && is_exact(elements, bytes, size)) {
        fputs(", values: ", saving->yaml);
        print_values(saving, elements, bytes, size);
        return STATUS_OK;
    }
    fprintf(saving->yaml, ", count: %" PRIu64 ", ", size / unit / elements->width);
    return write_contents(saving, (size_t)(arg - saving->info->args), bytes, size);
}

/* The next range of bytes without a value, from *at on. */
static bool next_unwritten(const struct region *region, uint64_t *at, struct byte_range *out_range)
{
    const uint64_t size = region->high - region->low;
    while (*at < size && memory_range_valid(region, region->low + *at, 1))
        ++*at;
    out_range->low = *at;
    while (*at < size && !memory_range_valid(region, region->low + *at, 1))
        ++*at;
    out_range->high = *at;
    return out_range->low < out_range->high;
}

static bool is_unwritten(const struct region *region)
{
    return region->valid && region->invalid == region->high - region->low;
}

static void print_unwritten(const struct saving *saving, const struct region *region)
{
    struct byte_range range;
    uint32_t count = 0;
    for (uint64_t at = 0; region->valid && region->invalid && next_unwritten(region, &at, &range); count++) {
        if (count == RANGES_MOST) {
            fprintf(saving->notes,
                    "# More than %d parts of %s are uninitialised: those after the first count as written.\n",
                    RANGES_MOST, region->name);
            break;
        }
        fprintf(saving->yaml, "%s%" PRIu64 "..%" PRIu64, count ? ", " : ", unwritten: [", range.low,
                range.high - 1);
    }
    fputs(count ? "]" : "", saving->yaml);
}

static void print_access(const struct saving *saving, const struct region *region)
{
    if (region->flags & (REGION_FLAG_READ_ONLY | REGION_FLAG_WRITE_ONLY))
        fprintf(saving->yaml, ", access: %s", region->flags & REGION_FLAG_READ_ONLY ? "read" : "write");
}

/* ---- arguments ------------------------------------------------------------------------------------ */

static uint64_t word_of(const struct launch_arg *arg)
{
    uint64_t word = 0;
    memcpy(&word, arg->value, arg->size < sizeof word ? arg->size : sizeof word);
    return word;
}

static bool is_memory(const struct kernel_arg *arg)
{
    return arg->kind == ARG_GLOBAL || arg->kind == ARG_CONSTANT;
}

static const struct region *region_of(const struct saving *saving, uint64_t address)
{
    const struct region *region = memory_region(&saving->device->arena.memory, address);
    return region->kind != REGION_NONE && address >= region->low && address < region->high ? region : NULL;
}

/* Does an earlier argument point into the same allocation? */
static bool is_saved(const struct saving *saving, size_t index, const struct region *region)
{
    for (size_t i = 0; i < index; i++)
        if (is_memory(&saving->info->args[i]) &&
            region_of(saving, word_of(&saving->request->args[i])) == region)
            return true;
    return false;
}

static enum status refuse(const struct saving *saving, size_t index, const char *why)
{
    return diagnose(saving->diagnosis, STATUS_BAD_SCENARIO,
                    "save_launch: argument %zu '%s' of kernel %s cannot be saved: it is %s", index,
                    saving->info->args[index].name, saving->info->name, why);
}

static bool is_part(const struct saving *saving, size_t index, const struct region *region)
{
    const uint64_t bytes = saving->request->args[index].part_bytes;
    return bytes && bytes < region->high - region->low;
}

static enum status save_buffer(const struct saving *saving, size_t index)
{
    const struct kernel_arg *arg = &saving->info->args[index];
    const uint64_t address = word_of(&saving->request->args[index]);
    const struct region *region = address ? region_of(saving, address) : NULL;
    enum status status = STATUS_OK;
    if (!address) {
        fputs("buffer: null", saving->yaml);
        return STATUS_OK;
    }
    if (!region)
        return refuse(saving, index, "memory of the host that OpenCL did not allocate");
    const uint64_t size = region->high - region->low;
    if (is_saved(saving, index, region)) {
        fputs("same: ", saving->yaml);
        scenario_print_quoted(region->name, saving->yaml);
    } else {
        const struct element_type elements = element_type_of(arg->type_name, size);
        fputs("buffer: {", saving->yaml);
        print_type(saving, &elements);
        if (is_unwritten(region))
            fprintf(saving->yaml, ", count: %" PRIu64,
                    size / value_type_size(elements.type) / elements.width);
        else
            status = print_contents(saving, arg, &elements, memory_byte(region, region->low), size);
        if (!is_unwritten(region))
            print_unwritten(saving, region);
        print_access(saving, region);
        fputs("}, name: ", saving->yaml);
        scenario_print_quoted(region->name, saving->yaml);
    }
    if (address != region->low)
        fprintf(saving->yaml, ", offset: %" PRIu64, address - region->low);
    if (is_part(saving, index, region))
        fprintf(saving->yaml, ", bytes: %" PRIu64, saving->request->args[index].part_bytes);
    if (region->flags & REGION_FLAG_SVM)
        fprintf(saving->notes,
                "# %s is shared virtual memory: a pointer that is stored in it points nowhere here.\n",
                region->name);
    return status;
}

static void save_scalar(const struct saving *saving, size_t index)
{
    const struct launch_arg *value = &saving->request->args[index];
    struct element_type elements = element_type_of(saving->info->args[index].type_name, value->size);
    if (!is_exact(&elements, value->value, value->size))
        elements = (struct element_type){VALUE_U8, 1};
    fputs("scalar: {", saving->yaml);
    print_type(saving, &elements);
    fputs(", value: ", saving->yaml);
    print_values(saving, &elements, value->value, value->size);
    fputc('}', saving->yaml);
}

/* The texels without padding between rows and slices, malloc'd; NULL: out of memory. */
static uint8_t *texels_of(const struct region *region, const struct image_desc *image, size_t *out_size)
{
    const struct image_level *level = &image->level[0];
    const bool rows_are_layers = image->type == IMAGE_1D_ARRAY;
    const size_t row = (size_t)level->size[0] * image->format->texel_bytes;
    const uint32_t rows = rows_are_layers ? 1 : level->size[1],
                   planes = rows_are_layers ? level->size[1] : level->size[2];
    const uint8_t *from = memory_byte(region, image->address + level->offset);
    *out_size = row * rows * planes;
    uint8_t *texels = malloc(*out_size + 1);
    for (uint32_t plane = 0; texels && plane < planes; plane++)
        for (uint32_t y = 0; y < rows; y++)
            memcpy(texels + ((size_t)plane * rows + y) * row,
                   from + plane * level->pitch[1] + y * level->pitch[0], row);
    return texels;
}

static enum status save_image(const struct saving *saving, size_t index)
{
    const struct image_desc *image = saving->request->args[index].value;
    const struct region *region = region_of(saving, image->address);
    struct scenario_image shape = {.type = image->type, .format = image->format};
    if (image->levels > 1)
        return refuse(saving, index, "an image with mip levels");
    if (!region)
        return refuse(saving, index, "an image of memory that OpenCL did not allocate");
    memcpy(shape.size, image->level[0].size, sizeof shape.size);
    fputs("image: {", saving->yaml);
    scenario_image_print(&shape, saving->yaml);
    enum status status = STATUS_OK;
    if (!is_unwritten(region)) {
        size_t size;
        uint8_t *texels = texels_of(region, image, &size);
        if (!texels)
            return STATUS_OUT_OF_MEMORY;
        fputs(", ", saving->yaml);
        status = write_contents(saving, index, texels, size);
        free(texels);
        if (region->valid && region->invalid)
            fprintf(saving->notes, "# Some texels of %s are uninitialised: here, all count as written.\n",
                    region->name);
    }
    print_access(saving, region);
    fputc('}', saving->yaml);
    return status;
}

static enum status save_arg(const struct saving *saving, size_t index)
{
    const struct launch_arg *value = &saving->request->args[index];
    enum status status = STATUS_OK;
    fputs("      - {", saving->yaml);
    switch (saving->info->args[index].kind) {
    case ARG_GLOBAL:
    case ARG_CONSTANT: status = save_buffer(saving, index); break;
    case ARG_VALUE: save_scalar(saving, index); break;
    case ARG_LOCAL: fprintf(saving->yaml, "local: %" PRIu64, word_of(value)); break;
    case ARG_IMAGE: status = save_image(saving, index); break;
    case ARG_SAMPLER:
        fputs("sampler: {", saving->yaml);
        scenario_sampler_print(word_of(value), saving->yaml);
        fputc('}', saving->yaml);
        break;
    case ARG_QUEUE:
        fprintf(saving->yaml, "queue: %s",
                word_of(value) == saving->request->default_queue ? "default" : "own");
        break;
    case ARG_PIPE: status = refuse(saving, index, "a pipe"); break;
    }
    fprintf(saving->yaml, "} # %s %s\n", saving->info->args[index].type_name, saving->info->args[index].name);
    return status;
}

/* ---- the launch ------------------------------------------------------------------------------------- */

static void print_range(const struct saving *saving, const char *key, const uint64_t range[3])
{
    fprintf(saving->yaml, "    %s: [", key);
    for (uint32_t d = 0; d < saving->request->work_dim; d++)
        fprintf(saving->yaml, "%s%" PRIu64, d ? ", " : "", range[d]);
    fputs("]\n", saving->yaml);
}

static enum status save_arguments(const struct saving *saving)
{
    const struct launch_request *request = saving->request;
    const uint64_t *offset = request->global_offset;
    enum status status = STATUS_OK;
    fputs("launch:\n  - kernel: ", saving->yaml);
    scenario_print_quoted(saving->info->name, saving->yaml);
    fputc('\n', saving->yaml);
    if (request->root)
        fprintf(saving->yaml, "    device: \"%" PRIu32 "\"\n", request->root);
    print_range(saving, "global", request->global_size);
    print_range(saving, "local", request->local_size);
    if (offset[0] || offset[1] || offset[2])
        print_range(saving, "offset", offset);
    if (request->arg_count)
        fputs("    args:\n", saving->yaml);
    for (size_t i = 0; i < request->arg_count && status == STATUS_OK; i++)
        status = save_arg(saving, i);
    return status;
}

static void note_limits(const struct saving *saving)
{
    const struct launch_request *request = saving->request;
    const struct device_config *root = scenario_root(saving->device->scenario, request->root);
    if (saving->program->variable_bytes)
        fputs("# Variables of the program begin as the program has them, not as launches before left them.\n",
              saving->notes);
    if (request->compute_unit_count && request->compute_unit_count < root->topology.compute_units)
        fprintf(saving->notes,
                "# The launch ran on %" PRIu32 " of the %" PRIu32 " compute units; here, on all.\n",
                request->compute_unit_count, root->topology.compute_units);
}

static enum status write_scenario(const struct saving *saving, const char *notes, const char *yaml)
{
    FILE *stream = report_output_open(saving->file, "w", saving->device->scenario->force_files);
    if (!stream)
        return cannot_write(saving, saving->file);
    fprintf(stream, "%s: number %" PRIu32 ", kernel %s. `orrery run` has it alone.\n%s%s", SAVED_LAUNCH_MAGIC,
            device_last_launch(saving->device), saving->info->name, notes, yaml);
    const bool written = !ferror(stream);
    return fclose(stream) == 0 && written ? STATUS_OK : cannot_write(saving, saving->file);
}

static enum status save(struct saving *saving)
{
    const uint32_t number = device_last_launch(saving->device);
    fprintf(saving->yaml, "orrery: 1\nname: launch %" PRIu32 ", kernel %s\n", number, saving->info->name);
    scenario_print_settings(saving->device->scenario, number, saving->yaml);
    note_limits(saving);
    const enum status status = save_program(saving);
    return status == STATUS_OK ? save_arguments(saving) : status;
}

static size_t stem_of(const char *file)
{
    const size_t length = strlen(file);
    return length > 5 && strcmp(file + length - 5, ".yaml") == 0  ? length - 5
           : length > 4 && strcmp(file + length - 4, ".yml") == 0 ? length - 4
                                                                  : length;
}

enum status launch_save(const struct device *device, const struct launch_request *request, const char *file,
                        struct diagnosis *diagnosis)
{
    char *yaml = NULL, *notes = NULL, *slash = strrchr(file, '/');
    size_t yaml_size, notes_size;
    struct saving saving = {
        .device = device,
        .request = request,
        .info = request->kernel->info,
        .program = request->kernel->program,
        .file = file,
        .stem = stem_of(file),
        .folder = slash ? (size_t)(slash + 1 - file) : 0,
        .yaml = open_memstream(&yaml, &yaml_size),
        .notes = open_memstream(&notes, &notes_size),
        .replaces = device->scenario->force_files || begins_so(file, SAVED_LAUNCH_MAGIC),
        .diagnosis = diagnosis,
    };
    /* The host program may have set a locale that writes numbers with commas. */
    struct plain_locale locale = value_locale_begin();
    enum status status = saving.yaml && saving.notes ? save(&saving) : STATUS_OUT_OF_MEMORY;
    value_locale_end(locale);
    if (saving.yaml && fclose(saving.yaml) != 0)
        status = STATUS_OUT_OF_MEMORY;
    if (saving.notes && fclose(saving.notes) != 0)
        status = STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = write_scenario(&saving, notes, yaml);
    free(yaml);
    free(notes);
    return status;
}
