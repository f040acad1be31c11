/* SPDX-License-Identifier: Apache-2.0 */
/* Programs on the device: source texts, lines, and code per number of lanes. */
#include "device_program.h"

#include "orrery/compiler.h"
#include "sim/source/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "device_state.h"
#include "sim/source/line_marker.h"

/* ---- source text ---------------------------------------------------------------- */

/* The text itself is cut: it is not needed whole. */
static bool split_lines(char *text, char ***out_lines, uint32_t *out_count)
{
    uint32_t count = 1;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    char **lines = malloc(count * sizeof *lines);
    if (!lines)
        return false;
    *out_lines = lines;
    *out_count = 0;
    for (char *at = text; at;) {
        lines[(*out_count)++] = at;
        char *end = strchr(at, '\n');
        if (end) {
            if (end > at && end[-1] == '\r')
                end[-1] = '\0';
            *end++ = '\0';
        }
        at = end;
    }
    return true;
}

static bool keep_source(struct program *program, const struct program_request *request)
{
    if (request->source_name && !(program->source_name = strdup(request->source_name)))
        return false;
    if (request->module_name && !(program->module_name = strdup(request->module_name)))
        return false;
    if (!request->source_text)
        return true;
    program->source_text = strdup(request->source_text);
    if (!program->source_text || !split_lines(program->source_text, &program->lines, &program->line_count))
        return false;
    program->own_lines = program->lines;
    program->own_line_count = program->line_count;
    program->statements = calloc(program->line_count, sizeof *program->statements);
    if (program->statements)
        statements_read(program->lines, program->line_count, program->statements);
    return program->statements;
}

/* Of a text with headers that are given in memory no other one is compiled. */
static bool keep_request(struct program *program, const struct compile_request *compiled)
{
    if (!compiled || compiled->header_count || !program->source_text)
        return true;
    struct compile_request *copy = malloc(sizeof *copy);
    program->trials = calloc(1, sizeof *program->trials);
    if (!copy || !program->trials) {
        free(copy);
        return false;
    }
    *copy = *compiled;
    copy->source = program->source_text;
    copy->source_name = program->source_name;
    copy->options = compiled->options ? strdup(compiled->options) : NULL;
    copy->program_dir = compiled->program_dir ? strdup(compiled->program_dir) : NULL;
    program->compiled = copy;
    return (!compiled->options || copy->options) && (!compiled->program_dir || copy->program_dir);
}

static void request_free(struct compile_request *compiled)
{
    if (!compiled)
        return;
    free((void *)(uintptr_t)compiled->options);
    free((void *)(uintptr_t)compiled->program_dir);
    free(compiled);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static bool compiles(const struct program *program, const char *text)
{
    struct compile_request request = *program->compiled;
    struct spirv spirv;
    char *log = NULL;
    request.source = text;
    const bool fine = compile_opencl_c(&request, &spirv, &log) == STATUS_OK;
    if (fine)
        spirv_fini(&spirv);
    free(log);
    return fine;
}

/* A fix is suggested for several pairs of accesses: what was compiled is remembered. */
bool program_builds(const struct program *program, const struct code_edit *edits, uint32_t count)
{
    struct trials *trials = program->trials;
    char *text = program->compiled ? rewrite_apply(program->lines, program->line_count, edits, count) : NULL;
    const uint64_t hash = text ? hash_of(text) : 0;
    uint32_t found = 0;
    while (text && found < trials->count && trials->items[found].hash != hash)
        found++;
    if (text && found == trials->count && found < TRIALS_MOST) {
        trials->items[found].hash = hash;
        trials->items[found].builds = compiles(program, text);
        trials->count++;
    }
    const bool builds = text && found < trials->count && trials->items[found].builds;
    free(text);
    return builds;
}

static struct module *compile_debug(const struct program *program)
{
    struct compile_request request = *program->compiled;
    struct diagnosis diagnosis = {0};
    struct module *module = NULL;
    struct spirv spirv;
    char *log = NULL, *text = rewrite_apply(program->lines, program->line_count, NULL, 0);
    request.source = text;
    request.debug = true;
    if (text && compile_opencl_c(&request, &spirv, &log) == STATUS_OK) {
        if (interp_module_new(spirv.words, spirv.word_count, NULL, 0, &module, &diagnosis) != STATUS_OK)
            module = NULL;
        spirv_fini(&spirv);
    }
    free(log);
    free(text);
    return module;
}

/* A program that was built for a debugger has it in its own module. */
const struct code_debug *program_debug(const struct program *program, const struct kernel_info *kernel)
{
    struct code_request request = {.width = 64, .debug = true};
    struct diagnosis diagnosis = {0};
    const struct code *code = NULL;
    while (request.kernel < program->kernel_count && program->kernels[request.kernel].info != kernel)
        request.kernel++;
    struct trials *trials = program->compiled && !program->compiled->debug ? program->trials : NULL;
    if (trials && !trials->debug_tried) {
        trials->debug_tried = true;
        trials->debug = compile_debug(program);
    }
    struct module *module = trials && trials->debug ? trials->debug : program->module;
    if (request.kernel >= interp_kernel_count(module) ||
        interp_code(module, &request, &code, &diagnosis) != STATUS_OK)
        return NULL;
    return code->debug;
}

static bool add_file(struct program *program, const struct source_file *file)
{
    struct source_file *files = realloc(program->files, (program->file_count + 1) * sizeof *files);
    if (!files)
        return false;
    program->files = files;
    files[program->file_count++] = *file;
    return true;
}

/* What a #line of the text calls another file, or other lines of its own. */
static bool keep_marked(struct program *program)
{
    struct marked_file *marked;
    size_t count;
    bool kept = line_markers_read(program->source_name, program->lines, program->line_count, &marked, &count);
    if (count) {
        program->own_lines = marked[0].lines;
        program->own_line_count = marked[0].line_count;
        marked[0].lines = NULL;
    }
    for (size_t i = 1; i < count && kept; i++) {
        kept = add_file(program, &(struct source_file){marked[i].name, marked[i].name, marked[i].lines,
                                                       marked[i].line_count});
        if (kept)
            marked[i] = (struct marked_file){0};
    }
    line_markers_free(marked, count);
    return kept;
}

static bool keep_files(struct program *program)
{
    struct source_file file = {0};
    while (interp_source(program->module, program->file_count, &file.name, &file.text)) {
        file.lines = NULL;
        if (!file.text || !split_lines(file.text, &file.lines, &file.line_count) ||
            !add_file(program, &file)) {
            free(file.lines);
            free(file.text);
            return false;
        }
    }
    return keep_marked(program);
}

static void files_fini(struct program *program)
{
    for (size_t i = 0; i < program->file_count; i++) {
        free(program->files[i].lines);
        free(program->files[i].text);
    }
    free(program->files);
    if (program->own_lines != program->lines)
        free(program->own_lines);
}

/* Modules that were linked may each have a file of this name. Only one of them has the line, unless its
 * module is not known: each carries those that its positions name. */
static const char *carried_line(const struct program *program, const char *name, uint32_t line)
{
    const char *text = NULL;
    for (size_t i = 0; name && i < program->file_count; i++) {
        const struct source_file *file = &program->files[i];
        if (strcmp(file->name, name) != 0 || line > file->line_count || !*file->lines[line - 1])
            continue;
        if (text && strcmp(text, file->lines[line - 1]) != 0)
            return NULL;
        text = file->lines[line - 1];
    }
    return text;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Line tables may hold the path that the compiler saw; the name alone identifies the file. */
static bool is_source(const struct program *program, const char *file)
{
    return !program->source_name || strcmp(base_name(program->source_name), base_name(file)) == 0;
}

/* Without a file a position is in the source. */
static bool is_own_line(const struct program *program, const char *file, uint32_t line)
{
    return line && line <= program->own_line_count && (!file || is_source(program, file));
}

/* ---- places -------------------------------------------------------------------------- */

void program_running(struct program *program, const struct code *code)
{
    program->running = code;
}

static void fill_place(const struct program *program, uint32_t file, uint32_t line, uint32_t column,
                       struct source_place *out_place)
{
    const struct code *code = program->running;
    out_place->line = line;
    out_place->column = column;
    if (file && file < code->string_count)
        out_place->file = code->strings[file];
    if (!out_place->file && line)
        out_place->file = program->source_name;
    if (line)
        out_place->text = carried_line(program, out_place->file, line);
    if (!out_place->text && is_own_line(program, out_place->file, line)) {
        out_place->text = program->own_lines[line - 1];
        if (program->source_name)
            out_place->file = program->source_name;
    }
}

static void fill_instruction(const struct program *program, uint32_t word,
                             struct spirv_instruction *out_instruction)
{
    const char *name = interp_instruction(program->module, word, &out_instruction->result);
    if (!name)
        return;
    out_instruction->name = name;
    out_instruction->word = word;
    out_instruction->module = program->module_name;
}

const char *program_file(const struct program *program, const char *file, uint32_t line)
{
    const bool own =
        program->source_name && is_own_line(program, file, line) && !carried_line(program, file, line);
    return own || !file ? program->source_name : file;
}

void program_site(const struct program *program, uint32_t site, struct source_place *out_place)
{
    const struct code *code = program->running;
    memset(out_place, 0, sizeof *out_place);
    if (code && site < code->site_count)
        fill_place(program, code->sites[site].file, code->sites[site].line, code->sites[site].column,
                   out_place);
    if (code && site < code->site_count && !out_place->line)
        fill_instruction(program, code->sites[site].word, &out_place->instruction);
}

/* Calls that have a line: an entry point may be a function without lines, which calls the kernel. */
uint32_t program_calls(const struct program *program, uint32_t site, uint32_t room,
                       struct source_place *out_places)
{
    const struct code *code = program->running;
    uint32_t count = 0;
    for (uint32_t number = code && site < code->site_count ? code->sites[site].call : 0; number;
         number = code->calls[number].caller) {
        const struct code_call *call = &code->calls[number];
        if (!call->line)
            continue;
        count += count < room;
        memset(&out_places[count - 1], 0, sizeof *out_places);
        fill_place(program, call->file, call->line, call->column, &out_places[count - 1]);
    }
    return count;
}

bool program_is_own(const struct program *program, uint32_t site)
{
    struct source_place place;
    program_site(program, site, &place);
    return place.text && place.line <= program->line_count && place.text == program->lines[place.line - 1];
}

const uint32_t *program_words(const struct program *program, size_t *out_count)
{
    return interp_module_words(program->module, out_count);
}

bool program_source_get(const struct program *program, size_t index, struct program_source *out_source)
{
    if (index > program->file_count)
        return false;
    const struct source_file *file = index ? &program->files[index - 1] : NULL;
    *out_source =
        file ? (struct program_source){file->name, file->lines, file->line_count}
             : (struct program_source){program->source_name, program->own_lines, program->own_line_count};
    return true;
}

/* Of files that the module carries it has some lines only. */
struct source_line program_line(const struct program *program, uint32_t site, uint32_t line)
{
    const bool exists = line && line <= program->line_count && line <= program->own_line_count;
    const bool is_own = exists && program->own_lines[line - 1] == program->lines[line - 1];
    return program_is_own(program, site) && is_own ? program->statements[line - 1]
                                                   : (struct source_line){.kind = LINE_UNKNOWN};
}

bool program_site_elsewhere(const struct program *program, uint32_t site)
{
    const struct code *code = program->running;
    return code && site < code->site_count && code->sites[site].file != code->file;
}

enum number_type program_site_type(const struct program *program, uint32_t site)
{
    const struct code *code = program->running;
    return code && site < code->site_count ? code->sites[site].type : NUMBER_INTEGER;
}

char *program_listing(const struct program *program)
{
    const struct code_request request = {.width = WAVE_LANES_MAX,
                                         .poison = program->device->arena.memory.track_validity,
                                         .zero_private = program->zero_private,
                                         .unoptimised = program->unoptimised};
    return interp_listing(program->module, &request);
}

/* ---- variables -------------------------------------------------------------------------- */

static enum status variables_allocate(struct program *program)
{
    size_t count = interp_variable_count(program->module);
    program->variables = calloc(count + 1, sizeof *program->variables);
    if (!program->variables)
        return STATUS_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const struct module_variable *variable = interp_variable(program->module, i);
        struct allocation wanted = {.kind = variable->constant ? REGION_CONSTANT_DATA : REGION_VARIABLE,
                                    .size = variable->size,
                                    .align = variable->align,
                                    .name = variable->name};
        enum status status = device_alloc_kind(program->device, &wanted, &program->variables[i]);
        if (status != STATUS_OK)
            return status;
        program->variable_bytes += variable->constant ? 0 : variable->size;
    }
    return STATUS_OK;
}

static void write_initial(void *self, uint64_t address, const void *bytes, size_t size, bool initialised)
{
    struct device *device = self;
    struct region *region = arena_find(&device->arena, address, size);
    if (!region)
        return;
    memcpy((void *)(uintptr_t)address, bytes, size);
    memory_set_valid(region, address, size, initialised);
}

size_t program_variable_bytes(const struct program *program)
{
    return program->variable_bytes;
}

/* ---- life --------------------------------------------------------------------------------- */

static bool is_named(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ';'), at = at ? at + 1 : NULL)
        if (strcspn(at, ";") == length && memcmp(at, name, length) == 0)
            return true;
    return !names;
}

static bool is_hosted(const struct kernel_info *info, const char *names)
{
    return !info->block && !info->initializer && !info->finalizer && is_named(names, info->name);
}

static bool kernels_make(struct program *program, const char *names)
{
    size_t count = interp_kernel_count(program->module);
    program->kernels = calloc(count + 1, sizeof *program->kernels);
    program->hosted = calloc(count + 1, sizeof *program->hosted);
    if (!program->kernels || !program->hosted)
        return false;
    program->kernel_count = count;
    for (size_t i = 0; i < count; i++) {
        program->kernels[i] =
            (struct kernel){.program = program, .index = i, .info = interp_kernel_info(program->module, i)};
        if (is_hosted(program->kernels[i].info, names))
            program->hosted[program->hosted_count++] = &program->kernels[i];
        CHECKED(program->hosted_count <= i + 1);
    }
    return true;
}

enum status program_load(struct device *device, const struct program_request *request,
                         struct program **out_program, struct diagnosis *diagnosis)
{
    struct program *program = calloc(1, sizeof *program);
    enum status status = STATUS_OUT_OF_MEMORY;
    if (!program)
        return diagnose(diagnosis, status, "no memory for a program");
    program->device = device;
    program->detailed_errors = request->detailed_errors;
    program->uniform_groups = request->uniform_groups;
    program->unoptimised = request->unoptimised;
    program->zero_local = request->zero_local;
    program->zero_private = request->zero_private;
    if (!keep_source(program, request) || !keep_request(program, request->compiled))
        goto fail;
    status = interp_module_new(request->words, request->word_count, request->constants,
                               request->constant_count, &program->module, diagnosis);
    if (status != STATUS_OK)
        goto fail;
    status = keep_files(program) ? variables_allocate(program) : STATUS_OUT_OF_MEMORY;
    if (status != STATUS_OK)
        goto fail;
    status = interp_module_bind(program->module, program->variables, write_initial, device);
    if (status != STATUS_OK)
        goto fail;
    status = STATUS_OUT_OF_MEMORY;
    if (!kernels_make(program, request->kernel_names))
        goto fail;
    *out_program = program;
    return STATUS_OK;

fail:
    program_release(program);
    return diagnose(diagnosis, status, "%s: the program cannot be loaded", status_name(status));
}

static void variant_free(struct variant *variant)
{
    group_pool_fini(&variant->pool);
    free(variant);
}

static void kernel_fini(struct kernel *kernel)
{
    for (struct variant *variant = kernel->variants, *next; variant; variant = next) {
        next = variant->next;
        variant_free(variant);
    }
}

void program_release(struct program *program)
{
    if (!program)
        return;
    for (size_t i = 0; i < program->kernel_count; i++)
        kernel_fini(&program->kernels[i]);
    for (size_t i = 0; program->variables && i < interp_variable_count(program->module); i++)
        if (program->variables[i])
            device_release(program->device, program->variables[i]);
    files_fini(program);
    if (program->trials && program->trials->debug)
        interp_module_free(program->trials->debug);
    if (program->module)
        interp_module_free(program->module);
    free(program->hosted);
    free(program->kernels);
    free(program->variables);
    free(program->source_name);
    free(program->source_text);
    free(program->module_name);
    free(program->lines);
    free(program->statements);
    request_free(program->compiled);
    free(program->trials);
    free(program);
}

/* ---- kernels ----------------------------------------------------------------------------- */

size_t program_kernel_count(const struct program *program)
{
    return program->hosted_count;
}

const struct kernel *program_kernel(const struct program *program, size_t index)
{
    return index < program->hosted_count ? program->hosted[index] : NULL;
}

const struct kernel *program_find_kernel(const struct program *program, const char *name)
{
    for (size_t i = 0; i < program->hosted_count; i++)
        if (strcmp(program->hosted[i]->info->name, name) == 0)
            return program->hosted[i];
    return NULL;
}

const struct kernel_info *kernel_info(const struct kernel *kernel)
{
    return kernel->info;
}

enum status kernel_traits_get(struct kernel *kernel, const struct code_request *request,
                              struct kernel_traits *out_traits, struct diagnosis *diagnosis)
{
    if (!kernel->traits_known) {
        enum status status = interp_traits(kernel->program->module, request, &kernel->traits, diagnosis);
        if (status != STATUS_OK)
            return status;
        kernel->traits_known = true;
    }
    *out_traits = kernel->traits;
    return STATUS_OK;
}

static uint32_t width_class(uint32_t width)
{
    return width <= 16 ? 16 : width <= 64 ? 64 : WAVE_LANES_MAX;
}

static bool serves(const struct variant *variant, const struct code_request *request)
{
    const struct code_request *made = &variant->request;
    if (width_class(made->width) != width_class(request->width))
        return false;
    const bool same_checks = made->poison == request->poison && made->marks_stores == request->marks_stores &&
                             made->zero_private == request->zero_private;
    const bool same_steps = made->preempt == request->preempt && made->spurious == request->spurious &&
                            made->unoptimised == request->unoptimised;
    return same_checks && same_steps && made->debug == request->debug && made->profile == request->profile;
}

/* Nothing runs beside constructors and destructors, and all of the program is after them: their order cannot
 * be wrong. */
static const struct observer *observer_of(const struct kernel *kernel)
{
    return kernel->info->initializer || kernel->info->finalizer ? NULL
                                                                : device_observer(kernel->program->device);
}

size_t kernel_private_bytes(const struct kernel *kernel)
{
    const struct code_request request = {
        .kernel = kernel->index, .width = 64, .unoptimised = kernel->program->unoptimised};
    const struct code *code;
    struct diagnosis diagnosis = {0};
    return interp_code(kernel->program->module, &request, &code, &diagnosis) == STATUS_OK ? code->private_size
                                                                                          : 0;
}

static enum status variant_new(struct kernel *kernel, const struct code_request *request,
                               struct variant **out_variant, struct diagnosis *diagnosis)
{
    const struct code *code;
    enum status status = interp_code(kernel->program->module, request, &code, diagnosis);
    if (status != STATUS_OK)
        return status;
    struct variant *variant = calloc(1, sizeof *variant);
    if (!variant)
        return STATUS_OUT_OF_MEMORY;
    struct device *device = kernel->program->device;
    device_check_code(device, code);
    variant->request = *request;
    variant->code = code;
    group_pool_init(&variant->pool, code, &device->arena, &device->host, observer_of(kernel));
    variant->next = kernel->variants;
    kernel->variants = variant;
    *out_variant = variant;
    return STATUS_OK;
}

/* Waves keep the observer they were made with; another one needs other waves. Those that run keep theirs: the
 * code of another launch got one. */
static void follow_observer(struct variant *variant, const struct kernel *kernel)
{
    const struct observer *observer = observer_of(kernel);
    if (variant->pool.observer == observer || variant->pool.busy)
        return;
    struct group_pool old = variant->pool;
    group_pool_fini(&variant->pool);
    group_pool_init(&variant->pool, old.code, old.arena, old.host, observer);
}

enum status kernel_variant(struct kernel *kernel, const struct code_request *request,
                           struct variant **out_variant, struct diagnosis *diagnosis)
{
    for (struct variant *variant = kernel->variants; variant; variant = variant->next) {
        if (!serves(variant, request))
            continue;
        follow_observer(variant, kernel);
        *out_variant = variant;
        return STATUS_OK;
    }
    return variant_new(kernel, request, out_variant, diagnosis);
}

/* ---- constructors and destructors --------------------------------------------------------- */

bool program_has_constructors(const struct program *program)
{
    for (size_t i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].info->initializer)
            return true;
    return false;
}

bool program_has_destructors(const struct program *program)
{
    for (size_t i = 0; i < program->kernel_count; i++)
        if (program->kernels[i].info->finalizer)
            return true;
    return false;
}

/* A finding in it ends it and nothing else. */
static enum status run_one(const struct kernel *kernel, const struct launch_request *place,
                           struct diagnosis *diagnosis)
{
    struct launch_request request = {.kernel = kernel,
                                     .command = place->command,
                                     .work_dim = 1,
                                     .global_size = {1, 1, 1},
                                     .local_size = {1, 1, 1},
                                     .root = place->root,
                                     .compute_units = place->compute_units,
                                     .compute_unit_count = place->compute_unit_count,
                                     .device = place->device,
                                     .stop = place->stop};
    enum status status = device_launch_alone(kernel->program->device, &request, diagnosis);
    return status == STATUS_ABORTED ? STATUS_OK : status;
}

enum status program_construct(struct program *program, const struct launch_request *first,
                              struct diagnosis *diagnosis)
{
    enum status status = STATUS_OK;
    if (program->constructed)
        return STATUS_OK;
    program->constructed = true;
    for (size_t i = 0; i < program->kernel_count && status == STATUS_OK; i++)
        if (program->kernels[i].info->initializer)
            status = run_one(&program->kernels[i], first, diagnosis);
    return status;
}

void program_finish(struct program *program)
{
    struct diagnosis ignored = {0};
    if (program->destructed || (!program->constructed && program_has_constructors(program)))
        return;
    program->constructed = program->destructed = true;
    for (size_t i = program->kernel_count; i > 0; i--)
        if (program->kernels[i - 1].info->finalizer)
            run_one(&program->kernels[i - 1], &(struct launch_request){0}, &ignored);
}
