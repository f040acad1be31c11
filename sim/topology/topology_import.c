/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees that hwloc reads: XML files of real machines, and synthetic strings in its own spelling.
 *
 * A core is a compute unit, and its hardware threads are ignored; a hardware thread without a core is a
 * unit, too. In hwloc memory is attached to an object. Here it becomes a level, inside of packages and
 * groups and outside of caches. Instruction caches, groups, dies, devices and memory without processors have
 * no level.
 *
 * hwloc checks little of its input. The objects of a string are counted before hwloc builds them, and a file
 * is first imported by a child process: input that makes hwloc crash or run for ever ends the child, and is
 * an error.
 */
#include <hwloc.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topology_build.h"

struct import {
    struct builder builder;
    enum add_result result;
};

static bool add(struct import *import, uint32_t parent, const struct node_shape *shape, uint32_t *out_node)
{
    import->result = builder_add(&import->builder, parent, shape, out_node);
    return import->result == ADD_OK;
}

/* ---- what an object is ----------------------------------------------------------------- */

static bool level_of(hwloc_obj_type_t type, enum topology_level *out_level)
{
    switch (type) {
    case HWLOC_OBJ_PACKAGE: *out_level = TOPOLOGY_PACKAGE; return true;
    case HWLOC_OBJ_L4CACHE: *out_level = TOPOLOGY_L4; return true;
    case HWLOC_OBJ_L3CACHE: *out_level = TOPOLOGY_L3; return true;
    case HWLOC_OBJ_L2CACHE: *out_level = TOPOLOGY_L2; return true;
    case HWLOC_OBJ_L1CACHE: *out_level = TOPOLOGY_L1; return true;
    case HWLOC_OBJ_CORE:
    case HWLOC_OBJ_PU: *out_level = TOPOLOGY_UNIT; return true;
    default: return false;
    }
}

/* Properties that hwloc lacks keep their defaults; -1 ways: fully associative. */
static struct node_shape shape_of(hwloc_obj_t object, enum topology_level level)
{
    struct node_shape shape = node_shape_default(level);
    if (!topology_is_cache(level))
        return shape;
    const struct hwloc_cache_attr_s *cache = &object->attr->cache;
    shape.bytes = cache->size ? cache->size : shape.bytes;
    shape.line_bytes = cache->linesize ? cache->linesize : shape.line_bytes;
    if (cache->associativity)
        shape.associativity = cache->associativity > 0 ? (uint32_t)cache->associativity : 0;
    return shape;
}

/* Memory without processors is attached to the machine and belongs to no node. */
static bool is_numa(hwloc_obj_t object)
{
    return object->type == HWLOC_OBJ_NUMANODE && !hwloc_bitmap_iszero(object->cpuset);
}

static bool has_numa(hwloc_obj_t object)
{
    for (hwloc_obj_t child = object->memory_first_child; child; child = child->next_sibling)
        if (is_numa(child))
            return true;
    return false;
}

/* All memory at one object is one node: fast and slow memory serve the same units. */
static struct node_shape memory_of(hwloc_obj_t object)
{
    struct node_shape shape = node_shape_default(TOPOLOGY_NUMA);
    for (hwloc_obj_t child = object->memory_first_child; child; child = child->next_sibling)
        if (is_numa(child))
            shape.bytes += child->attr->numanode.local_memory;
    return shape;
}

static bool is_inside_memory(enum topology_level level)
{
    return topology_is_cache(level) || level == TOPOLOGY_UNIT;
}

/* The object whose memory serves exactly the units of a cache or core: itself, or its only child. */
static hwloc_obj_t memory_place(hwloc_obj_t object)
{
    enum topology_level level;
    while (!has_numa(object) && object->arity == 1 && level_of(object->first_child->type, &level) &&
           is_inside_memory(level))
        object = object->first_child;
    return has_numa(object) ? object : NULL;
}

/* ---- the tree ------------------------------------------------------------------------------ */

static bool inside_numa(const struct import *import, uint32_t node)
{
    for (; node; node = import->builder.nodes[node].parent)
        if (import->builder.nodes[node].level == TOPOLOGY_NUMA)
            return true;
    return false;
}

static bool add_memory(struct import *import, hwloc_obj_t place, uint32_t *node)
{
    if (!place || !has_numa(place) || inside_numa(import, *node))
        return true;
    struct node_shape memory = memory_of(place);
    return add(import, *node, &memory, node);
}

static bool read_object(struct import *import, hwloc_obj_t object, uint32_t parent)
{
    enum topology_level level = TOPOLOGY_MACHINE;
    bool known = level_of(object->type, &level);
    if (is_inside_memory(level) && !add_memory(import, memory_place(object), &parent))
        return false;
    if (known) {
        struct node_shape shape = shape_of(object, level);
        if (!add(import, parent, &shape, &parent))
            return false;
    }
    if (level == TOPOLOGY_UNIT)
        return true;
    if (!is_inside_memory(level) && !add_memory(import, object, &parent))
        return false;
    for (hwloc_obj_t child = object->first_child; child; child = child->next_sibling)
        if (!read_object(import, child, parent))
            return false;
    return true;
}

static enum status convert(hwloc_topology_t source, const char *text, struct topology *out_topology,
                           struct diagnosis *diagnosis)
{
    struct import import = {.result = ADD_NO_MEMORY};
    bool fine = builder_init(&import.builder) && read_object(&import, hwloc_get_root_obj(source), 0);
    bool empty = fine && !import.builder.units;
    if (fine && !empty)
        fine = builder_finish(&import.builder, text, out_topology);
    builder_fini(&import.builder);
    if (empty)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                        "found no core and no hardware thread, expected at least one");
    if (fine)
        return STATUS_OK;
    if (import.result == ADD_TOO_MANY)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "more than %d compute units", TOPOLOGY_UNITS_MAX);
    if (import.result == ADD_MISPLACED)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "levels that lie inside themselves");
    return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a topology");
}

/* ---- sources ----------------------------------------------------------------------------------- */

/* hwloc turns the last level into hardware threads. Only a string that names such a level is left to
 * hwloc. */
static bool names_threads(const char *text)
{
    for (; *text; text++)
        if (strncasecmp(text, "pu", 2) == 0)
            return true;
    return false;
}

/* The most objects that hwloc may build, since its time grows with their square. */
enum { OBJECTS_MAX = 2 * TOPOLOGY_UNITS_MAX };

/*
 * A text that is being read as hwloc's form: levels "TYPE:COUNT" or "COUNT", each with as many objects as the
 * one before it, times its own count; "[TYPE]" adds objects to the level. hwloc takes more than this form,
 * such as other characters after a type, and finds counts after them. Such a text is not left to it.
 */
struct synthetic {
    const char *at;
    uint64_t width, objects; /* of the last level; of all. At most OBJECTS_MAX + 1 squared, so no overflow */
};

static void skip_blanks(struct synthetic *synthetic)
{
    while (isspace((unsigned char)*synthetic->at))
        synthetic->at++;
}

/* The number that comes next, as hwloc reads it: "0x10" is 16, and "-1" the largest number. OBJECTS_MAX + 1
 * for all larger numbers. */
static bool read_count(struct synthetic *synthetic, uint64_t *out_count)
{
    char *end;
    const unsigned long long count = strtoull(synthetic->at, &end, 0);
    if (end == synthetic->at)
        return false;
    synthetic->at = end;
    *out_count = count > OBJECTS_MAX ? OBJECTS_MAX + 1 : count ? count : 1;
    return true;
}

static bool read_attributes(struct synthetic *synthetic)
{
    if (*synthetic->at != '(')
        return true;
    const char *end = strchr(synthetic->at, ')');
    if (!end)
        return false;
    synthetic->at = end + 1;
    return true;
}

/* The name of a level and the ':' after it; a name may lack, and one in brackets its count. */
static bool read_name(struct synthetic *synthetic, bool attached, bool *out_counted)
{
    const char *name = synthetic->at;
    *out_counted = true;
    if (!isalpha((unsigned char)*name))
        return true;
    while (isalnum((unsigned char)*synthetic->at))
        synthetic->at++;
    skip_blanks(synthetic);
    *out_counted = *synthetic->at == ':';
    synthetic->at += *out_counted;
    return *out_counted || attached;
}

static bool read_level(struct synthetic *synthetic)
{
    const bool attached = *synthetic->at == '[';
    bool counted;
    uint64_t count = 1;
    synthetic->at += attached;
    if (!read_name(synthetic, attached, &counted) || (counted && !read_count(synthetic, &count)) ||
        !read_attributes(synthetic) || (attached && *synthetic->at != ']'))
        return false;
    synthetic->at += attached;
    if (!attached)
        synthetic->width *= count;
    synthetic->objects += attached ? synthetic->width * count : synthetic->width;
    return true;
}

/* The objects that hwloc would build, OBJECTS_MAX + 1 for all larger numbers; false: it is not the form. */
static bool count_objects(const char *text, uint64_t *out_objects)
{
    struct synthetic synthetic = {.at = text, .width = 1, .objects = 1};
    skip_blanks(&synthetic);
    bool fine = read_attributes(&synthetic); /* of the machine */
    for (skip_blanks(&synthetic); fine && *synthetic.at; skip_blanks(&synthetic)) {
        if (synthetic.width > OBJECTS_MAX || synthetic.objects > OBJECTS_MAX)
            break;
        fine = read_level(&synthetic);
    }
    *out_objects = synthetic.width > OBJECTS_MAX || synthetic.objects > OBJECTS_MAX ? OBJECTS_MAX + 1
                                                                                    : synthetic.objects;
    return fine;
}

enum status topology_import_synthetic(const char *text, struct topology *out_topology,
                                      struct diagnosis *diagnosis)
{
    hwloc_topology_t source;
    uint64_t objects;
    if (!names_threads(text) || !count_objects(text, &objects))
        return STATUS_BAD_SCENARIO;
    if (objects > OBJECTS_MAX)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                        "the counts make more than %d objects, expected at most %d", OBJECTS_MAX,
                        OBJECTS_MAX);
    if (hwloc_topology_init(&source) != 0)
        return STATUS_OUT_OF_MEMORY;
    enum status status = STATUS_BAD_SCENARIO;
    if (hwloc_topology_set_synthetic(source, text) == 0 && hwloc_topology_load(source) == 0)
        status = convert(source, text, out_topology, NULL);
    hwloc_topology_destroy(source);
    return status;
}

/* ---- files --------------------------------------------------------------------------------------- */

enum { FILE_BYTES_MAX = 64 << 20, CHILD_SECONDS = 10 };

/* hwloc requires the text to end with '\0'. */
struct import_file {
    char *bytes;
    int size;
};

static enum status read_bytes(int fd, const char *path, struct import_file *out_file,
                              struct diagnosis *diagnosis)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return diagnose(diagnosis, STATUS_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "%s: expected a regular file", path);
    if (about.st_size > FILE_BYTES_MAX)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "%s: found %lld bytes, expected at most %d", path,
                        (long long)about.st_size, FILE_BYTES_MAX);
    out_file->bytes = calloc((size_t)about.st_size + 1, 1);
    if (!out_file->bytes)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a topology");
    if (read(fd, out_file->bytes, (size_t)about.st_size) != about.st_size)
        return diagnose(diagnosis, STATUS_IO, "%s: cannot read all of it", path);
    out_file->size = (int)about.st_size + 1;
    return STATUS_OK;
}

/* O_NONBLOCK: opening a pipe without a writer does not wait. */
static enum status read_file(const char *path, struct import_file *out_file, struct diagnosis *diagnosis)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return diagnose(diagnosis, STATUS_IO, "%s: %s", path, strerror(errno));
    enum status status = read_bytes(fd, path, out_file, diagnosis);
    close(fd);
    return status;
}

static enum status load_xml(const struct import_file *file, const char *path, struct topology *out_topology,
                            struct diagnosis *diagnosis)
{
    hwloc_topology_t source;
    struct diagnosis why = {0};
    if (hwloc_topology_init(&source) != 0)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a topology");
    enum status status = STATUS_BAD_SCENARIO;
    if (hwloc_topology_set_xmlbuffer(source, file->bytes, file->size) != 0 ||
        hwloc_topology_load(source) != 0)
        diagnose(&why, status, "hwloc does not read this file as a topology");
    else
        status = convert(source, path, out_topology, &why);
    hwloc_topology_destroy(source);
    return status == STATUS_OK ? status : diagnose(diagnosis, status, "%s: %s", path, why.text);
}

/* The child must end on an error, print nothing, and leave no core file. */
static void child_limit(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU};
    const struct rlimit no_core = {0, 0}, seconds = {CHILD_SECONDS, CHILD_SECONDS};
    sigset_t none;
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        signal(fatal[i], SIG_DFL);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &seconds);
    alarm(2 * CHILD_SECONDS);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

/* Writes one byte when the import has ended, with or without an error of its own. */
static void child_run(int report, const struct import_file *file, const char *path)
{
    struct topology topology;
    child_limit();
    if (load_xml(file, path, &topology, NULL) == STATUS_OK)
        topology_fini(&topology);
    _exit(write(report, "", 1) != 1);
}

static void child_wait(pid_t child)
{
    int ended;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
}

/* The byte decides, not the exit status, which is lost if the host ignores SIGCHLD. */
static bool survives(const struct import_file *file, const char *path)
{
    int ends[2];
    char byte;
    ssize_t size;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        child_run(ends[1], file, path);
    close(ends[1]);
    do
        size = child > 0 ? read(ends[0], &byte, 1) : 0;
    while (size < 0 && errno == EINTR);
    close(ends[0]);
    if (child > 0)
        child_wait(child);
    return size == 1;
}

enum status topology_load_xml(const char *path, struct topology *out_topology, struct diagnosis *diagnosis)
{
    struct import_file file = {0};
    *out_topology = (struct topology){0};
    enum status status = read_file(path, &file, diagnosis);
    if (status == STATUS_OK && !survives(&file, path))
        status = diagnose(diagnosis, STATUS_BAD_SCENARIO,
                          "%s: hwloc does not survive reading this file as a topology", path);
    if (status == STATUS_OK)
        status = load_xml(&file, path, out_topology, diagnosis);
    free(file.bytes);
    return status;
}
