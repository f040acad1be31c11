/* SPDX-License-Identifier: Apache-2.0 */
/* Set-associative caches with replacement of the least recently used line, as an observer. An access is
 * split into pieces that lie in one line of each cache on the unit's path. Each piece is looked up from the
 * inner caches outwards and filled into all that missed. Then caches off the path are snooped: they hand
 * out changed bytes, and lose lines that are written. */
#include "cache_model.h"

#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "access_lanes.h"
#include "orrery/device.h"
#include "orrery/limits.h"

#define NONE UINT32_MAX
enum { WAYS_MOST = 1 << 16, PATH_MOST = 4, HOST_LINE = 64 };

struct line {
    uint64_t number;  /* address / line_bytes */
    uint64_t used;    /* time of the last use */
    uint64_t touched; /* the 64ths of the line that units of this cache accessed */
    bool valid, dirty;
    bool alone; /* no cache off the path has the line */
};

struct cache {
    struct node_counters counted;
    uint32_t outer;                  /* the next outer cache; NONE */
    uint32_t first_unit, unit_count; /* numbered in the whole machine */
    uint32_t line_bytes, ways;
    uint64_t sets;
    struct line **set; /* NULL until its first use */
    uint64_t now;
};

struct core {
    struct counters counters;
    uint32_t inner, memory, piece_bytes;
};

struct caches {
    const struct memory *memory;
    const struct pages *pages;
    uint32_t unit_count, cache_count, memory_count;
    struct core *units;
    struct cache *caches;
    struct node_counters *memories;
    struct counters total;
    bool lost;

    struct command_counters *commands;
    size_t command_count, command_room, latest; /* latest: the launch of the last access */
    struct place_counters *places;
    size_t place_count, place_room;

    /* of the running launch */
    uint32_t *place_of_site; /* site -> place + 1 */
    size_t site_room;
    size_t host_row; /* of the latest host command */
    struct counters uncounted;
    /* of the current access */
    struct core *unit;           /* NULL: the host */
    struct counters *targets[4]; /* the counters that it adds to */
};

const char *counter_name(enum counter counter)
{
    static const char *const names[] = {
#define COUNTER_NAME(name, text) text,
        COUNTER_LIST(COUNTER_NAME)
#undef COUNTER_NAME
    };
    return counter < COUNTER_COUNT ? names[counter] : "unknown";
}

/* ---- set-up ---------------------------------------------------------------------------- */

static uint32_t count_level(const struct topology *topology, bool caches)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < topology->node_count; i++) {
        enum topology_level level = topology->nodes[i].level;
        count += caches ? topology_is_cache(level) : level == TOPOLOGY_NUMA;
    }
    return count;
}

static void cache_init(struct cache *cache, uint32_t root, const struct topology_node *node,
                       uint32_t first_unit)
{
    CHECKED(node->line_bytes > 0 && node->bytes >= node->line_bytes); /* topology_build.c checks this */
    uint64_t lines = node->bytes / node->line_bytes;
    uint64_t ways = node->associativity && node->associativity < lines ? node->associativity : lines;
    *cache = (struct cache){
        .counted = {.root = root, .node = node},
        .outer = NONE,
        .first_unit = first_unit + node->first_unit,
        .unit_count = node->unit_count,
        .line_bytes = node->line_bytes,
        .ways = (uint32_t)(ways < WAYS_MOST ? ways : WAYS_MOST),
    };
    cache->sets = lines / cache->ways;
    CHECKED(cache->sets > 0 && cache->unit_count > 0);
}

static bool holds(const struct cache *cache, uint32_t unit)
{
    return unit >= cache->first_unit && unit - cache->first_unit < cache->unit_count;
}

/* Caches are added depth first, so the last cache that contains all units of a later one is the next outer
 * cache. */
static uint32_t around(const struct caches *caches, uint32_t index)
{
    const struct cache *inner = &caches->caches[index];
    for (uint32_t i = index; i-- > 0;) {
        const struct cache *outer = &caches->caches[i];
        if (holds(outer, inner->first_unit) && outer->counted.node->level < inner->counted.node->level)
            return i;
    }
    return NONE;
}

static void add_root(struct caches *caches, uint32_t root, const struct device_config *config)
{
    const struct topology *topology = &config->topology;
    uint32_t first_memory = caches->memory_count++;
    caches->memories[first_memory].root = root;
    for (uint32_t i = 0; i < topology->compute_units; i++)
        caches->units[config->first_unit + i] = (struct core){.inner = NONE, .memory = first_memory};
    for (uint32_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        uint32_t first = config->first_unit + node->first_unit;
        if (node->level == TOPOLOGY_NUMA) {
            caches->memories[caches->memory_count] = (struct node_counters){.root = root, .node = node};
            for (uint32_t u = 0; u < node->unit_count; u++)
                caches->units[first + u].memory = caches->memory_count;
            caches->memory_count++;
        } else if (topology_is_cache(node->level)) {
            uint32_t index = caches->cache_count++;
            cache_init(&caches->caches[index], root, node, config->first_unit);
            caches->caches[index].outer = around(caches, index);
            CHECKED(caches->caches[index].outer == NONE || caches->caches[index].outer < index);
            for (uint32_t u = 0; u < node->unit_count; u++)
                caches->units[first + u].inner = index; /* later caches are further in */
        }
    }
}

/* The bytes of a piece: the shortest line on the unit's path. */
static void size_pieces(struct caches *caches)
{
    for (uint32_t i = 0; i < caches->unit_count; i++) {
        struct core *unit = &caches->units[i];
        for (uint32_t c = unit->inner; c != NONE; c = caches->caches[c].outer) {
            uint32_t line = caches->caches[c].line_bytes;
            unit->piece_bytes = unit->piece_bytes && unit->piece_bytes < line ? unit->piece_bytes : line;
        }
    }
}

static bool make_sets(struct caches *caches)
{
    for (uint32_t i = 0; i < caches->cache_count; i++) {
        struct cache *cache = &caches->caches[i];
        cache->set = calloc(cache->sets, sizeof(struct line *));
        if (!cache->set)
            return false;
    }
    return true;
}

struct caches *caches_new(const struct scenario *scenario, const struct memory *memory,
                          const struct pages *pages)
{
    struct caches *caches = calloc(1, sizeof *caches);
    uint32_t cache_count = 0, memory_count = 0;
    if (!caches)
        return NULL;
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++) {
        const struct topology *topology = &scenario_root(scenario, i)->topology;
        caches->unit_count += topology->compute_units;
        cache_count += count_level(topology, true);
        memory_count += 1 + count_level(topology, false);
    }
    caches->memory = memory;
    caches->pages = pages;
    caches->units = calloc(caches->unit_count, sizeof *caches->units);
    caches->caches = calloc(cache_count + 1, sizeof *caches->caches);
    caches->memories = calloc(memory_count, sizeof *caches->memories);
    if (!caches->units || !caches->caches || !caches->memories) {
        caches_free(caches);
        return NULL;
    }
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++)
        add_root(caches, i, scenario_root(scenario, i));
    size_pieces(caches);
    CHECKED(caches->cache_count == cache_count && caches->memory_count == memory_count);
    if (make_sets(caches))
        return caches;
    caches_free(caches);
    return NULL;
}

static void cache_fini(struct cache *cache)
{
    for (uint64_t i = 0; cache->set && i < cache->sets; i++)
        free(cache->set[i]);
    free(cache->set);
}

void caches_free(struct caches *caches)
{
    if (!caches)
        return;
    for (uint32_t i = 0; i < caches->cache_count; i++)
        cache_fini(&caches->caches[i]);
    for (size_t i = 0; i < caches->place_count; i++) {
        free(caches->places[i].kernel);
        free(caches->places[i].file);
    }
    for (size_t i = 0; i < caches->command_count; i++)
        free(caches->commands[i].kernel);
    free(caches->units);
    free(caches->caches);
    free(caches->memories);
    free(caches->commands);
    free(caches->places);
    free(caches->place_of_site);
    free(caches);
}

/* ---- counting ------------------------------------------------------------------------------ */

static void count(struct caches *caches, enum counter counter, uint64_t by)
{
    for (size_t i = 0; i < sizeof caches->targets / sizeof caches->targets[0]; i++)
        caches->targets[i]->value[counter] += by;
}

static void count_both(struct caches *caches, struct cache *cache, enum counter counter)
{
    cache->counted.counters.value[counter]++;
    count(caches, counter, 1);
}

/* The memory of a page: the node of the unit that touched it first; if untouched, of the accessing unit.
 * NONE: untouched, and the host accesses it. */
static uint32_t memory_of(const struct caches *caches, uint64_t address)
{
    uint32_t toucher = pages_toucher(caches->pages, address);
    if (toucher < caches->unit_count)
        return caches->units[toucher].memory;
    return caches->unit ? caches->unit->memory : NONE;
}

static void count_in_memory(struct caches *caches, uint32_t index, uint64_t lines, uint64_t bytes, bool write)
{
    CHECKED(index < caches->memory_count);
    struct counters *memory = &caches->memories[index].counters;
    memory->value[COUNTER_ACCESSES] += lines;
    memory->value[COUNTER_WRITES] += write ? lines : 0;
    memory->value[COUNTER_BYTES] += bytes;
    memory->value[COUNTER_MEMORY_ACCESSES] += lines;
}

static void use_memory(struct caches *caches, uint64_t address, uint64_t bytes, bool write)
{
    uint32_t index = memory_of(caches, address);
    count(caches, COUNTER_MEMORY_ACCESSES, 1);
    if (index == NONE)
        return;
    count_in_memory(caches, index, 1, bytes, write);
    if (!caches->unit || index == caches->unit->memory)
        return;
    struct counters *memory = &caches->memories[index].counters;
    memory->value[COUNTER_REMOTE_ACCESSES]++;
    memory->value[COUNTER_REMOTE_BYTES] += bytes;
    count(caches, COUNTER_REMOTE_ACCESSES, 1);
    count(caches, COUNTER_REMOTE_BYTES, bytes);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static struct line *line_find(const struct cache *cache, uint64_t address)
{
    uint64_t number = address / cache->line_bytes;
    struct line *set = cache->set[number % cache->sets];
    for (uint32_t way = 0; set && way < cache->ways; way++)
        if (set[way].valid && set[way].number == number)
            return &set[way];
    return NULL;
}

/* The 64ths of its line that [address, address + bytes) covers. */
static uint64_t parts_of(const struct cache *cache, uint64_t address, uint64_t bytes)
{
    uint64_t from = address % cache->line_bytes, line = cache->line_bytes;
    uint64_t to = from + bytes < line ? from + bytes : line;
    CHECKED(from < to && to <= line); /* a piece is in one line */
    uint64_t first = from * 64 / line, last = (to * 64 - 1) / line;
    return (last - first == 63 ? UINT64_MAX : (UINT64_C(1) << (last - first + 1)) - 1) << first;
}

/* Writes the changed bytes of a line to the next outer cache that has it, or to memory. */
static void write_back(struct caches *caches, struct cache *cache, struct line *line)
{
    uint64_t address = line->number * cache->line_bytes;
    line->dirty = false;
    count_both(caches, cache, COUNTER_WRITE_BACKS);
    for (uint32_t c = cache->outer; c != NONE; c = caches->caches[c].outer) {
        struct line *outer = line_find(&caches->caches[c], address);
        if (outer) {
            outer->dirty = true;
            return;
        }
    }
    use_memory(caches, address, cache->line_bytes, true);
}

/* A free way, or the least recently used one. */
static struct line *line_victim(struct cache *cache, struct line *set)
{
    struct line *victim = &set[0];
    for (uint32_t way = 0; way < cache->ways; way++) {
        if (!set[way].valid)
            return &set[way];
        victim = set[way].used < victim->used ? &set[way] : victim;
    }
    return victim;
}

static struct line *line_fill(struct caches *caches, struct cache *cache, uint64_t address)
{
    uint64_t number = address / cache->line_bytes;
    struct line **set = &cache->set[number % cache->sets];
    if (!*set)
        *set = calloc(cache->ways, sizeof **set);
    if (!*set) {
        caches->lost = true;
        return NULL;
    }
    struct line *line = line_victim(cache, *set);
    if (line->valid) {
        count_both(caches, cache, COUNTER_EVICTIONS);
        if (line->dirty)
            write_back(caches, cache, line);
    }
    *line = (struct line){.number = number, .valid = true};
    CHECKED(!line->dirty);
    return line;
}

/* ---- one piece of one access -------------------------------------------------------------------- */

struct cache_piece {
    uint64_t address, bytes;
    uint32_t unit;
    bool write;
};

static void line_invalidate(struct caches *caches, struct cache *cache, struct line *line, uint64_t parts)
{
    CHECKED(line->valid);
    count_both(caches, cache, COUNTER_INVALIDATIONS);
    if (!(line->touched & parts))
        count_both(caches, cache, COUNTER_FALSE_SHARING);
    if (line->dirty)
        write_back(caches, cache, line);
    line->valid = false;
}

/* Snoops caches that the unit does not use: they hand out what they changed, and lose lines that are
 * written. */
static void snoop(struct caches *caches, const struct cache_piece *piece)
{
    /* inner ones first, since they write back to outer ones */
    for (uint32_t i = caches->cache_count; i-- > 0;) {
        struct cache *cache = &caches->caches[i];
        struct line *line = holds(cache, piece->unit) ? NULL : line_find(cache, piece->address);
        if (!line)
            continue;
        line->alone = false;
        if (piece->write)
            line_invalidate(caches, cache, line, parts_of(cache, piece->address, piece->bytes));
        else if (line->dirty)
            write_back(caches, cache, line);
    }
}

/* Looks the line up from the unit outwards until a cache has it. Returns how many caches missed; out_path:
 * all caches of the unit. */
static uint32_t look_up(struct caches *caches, const struct cache_piece *piece, struct cache *path[PATH_MOST],
                        uint32_t *out_length)
{
    uint32_t length = 0, missed = 0;
    bool found = false;
    for (uint32_t c = caches->unit->inner; c != NONE; c = caches->caches[c].outer) {
        struct cache *const cache = &caches->caches[c];
        CHECKED(length < PATH_MOST && holds(cache, piece->unit));
        path[length++] = cache;
        if (found)
            continue;
        found = line_find(cache, piece->address) != NULL;
        cache->counted.counters.value[COUNTER_ACCESSES]++;
        cache->counted.counters.value[COUNTER_WRITES] += piece->write;
        cache->counted.counters.value[found ? COUNTER_HITS : COUNTER_MISSES]++;
        missed += !found;
    }
    count(caches, found ? COUNTER_HITS : COUNTER_MISSES, 1);
    *out_length = length;
    return missed;
}

static void use_line(struct cache *cache, struct line *line, const struct cache_piece *piece, bool innermost)
{
    line->used = ++cache->now;
    line->touched |= parts_of(cache, piece->address, piece->bytes);
    line->alone = piece->write || line->alone;
    line->dirty = line->dirty || (piece->write && innermost);
}

static void access_piece(struct caches *caches, const struct cache_piece *piece)
{
    struct cache *path[PATH_MOST];
    uint32_t length, missed = look_up(caches, piece, path, &length);
    count(caches, COUNTER_ACCESSES, 1);
    count(caches, COUNTER_WRITES, piece->write);
    count(caches, COUNTER_BYTES, piece->bytes);
    struct line *inner = length ? line_find(path[0], piece->address) : NULL;
    if (!inner || (piece->write && !inner->alone))
        snoop(caches, piece);
    CHECKED(missed <= length);
    if (missed == length) {
        uint64_t line = length ? path[length - 1]->line_bytes : piece->bytes;
        use_memory(caches, piece->address, line, piece->write && !length);
    }
    for (uint32_t i = length; i-- > 0;) {
        struct line *line =
            i < missed ? line_fill(caches, path[i], piece->address) : line_find(path[i], piece->address);
        if (line)
            use_line(path[i], line, piece, i == 0);
    }
}

static void access_bytes(struct caches *caches, uint32_t unit, uint64_t address, uint64_t bytes, bool write)
{
    uint64_t step = caches->unit->piece_bytes;
    while (bytes) {
        uint64_t room = step ? step - address % step : bytes;
        struct cache_piece piece = {address, bytes < room ? bytes : room, unit, write};
        access_piece(caches, &piece);
        address += piece.bytes;
        bytes -= piece.bytes;
    }
}

/* ---- source lines ---------------------------------------------------------------------------------- */

static void *grown(void *items, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return items;
    size_t wanted = *room ? *room * 2 : HOSTILE(64, 1);
    void *larger = realloc(items, wanted * size);
    *room = larger ? wanted : *room;
    return larger;
}

static char *copy_text(const char *text)
{
    return strdup(text ? text : "");
}

/* The place of that kernel, file and line, or a new one; NONE: out of memory. */
static uint32_t find_place(struct caches *caches, const char *kernel, const struct source_place *source)
{
    const char *file = source->file ? source->file : "";
    for (size_t at = 0; at < caches->place_count; at++) {
        const struct place_counters *place = &caches->places[at];
        if (strcmp(place->kernel, kernel) == 0 && strcmp(place->file, file) == 0 &&
            place->line == source->line)
            return (uint32_t)at;
    }
    struct place_counters *places =
        grown(caches->places, &caches->place_room, caches->place_count, sizeof *caches->places);
    struct place_counters place = {
        .kernel = copy_text(kernel), .file = copy_text(file), .line = source->line};
    caches->places = places ? places : caches->places;
    if (!places || !place.kernel || !place.file) {
        free(place.kernel);
        free(place.file);
        caches->lost = true;
        return NONE;
    }
    caches->places[caches->place_count] = place;
    CHECKED(caches->place_count < caches->place_room);
    return (uint32_t)caches->place_count++;
}

static bool site_room(struct caches *caches, uint32_t site)
{
    if (site < caches->site_room)
        return true;
    size_t room = (size_t)site + HOSTILE(256, 1);
    uint32_t *places = realloc(caches->place_of_site, room * sizeof *places);
    if (!places)
        return false;
    memset(places + caches->site_room, 0, (room - caches->site_room) * sizeof *places);
    caches->place_of_site = places;
    caches->site_room = room;
    return true;
}

static struct counters *counters_of_site(struct caches *caches, const struct origin *origin)
{
    struct source_place source = {0};
    if (!site_room(caches, origin->site)) {
        caches->lost = true;
        return NULL;
    }
    uint32_t *place = &caches->place_of_site[origin->site];
    if (!*place) {
        program_site(origin->launch->program, origin->site, &source);
        *place = find_place(caches, origin->launch->kernel, &source) + 1; /* NONE becomes 0 */
    }
    return *place ? &caches->places[*place - 1].counters : NULL;
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* Sites are numbered per program. */
static void forget_sites(struct caches *caches)
{
    if (caches->site_room)
        memset(caches->place_of_site, 0, caches->site_room * sizeof *caches->place_of_site);
}

/* With several launches, the running one may not be the last that began. */
static void follow_launch(struct caches *caches, uint32_t launch)
{
    CHECKED(caches->command_count > 0 && caches->latest < caches->command_count);
    size_t at = caches->command_count - 1;
    if (caches->commands[caches->latest].launch == launch)
        return;
    while (at && caches->commands[at].launch != launch)
        at--;
    caches->latest = at;
    forget_sites(caches);
}

static bool begin_access(struct caches *caches, const struct origin *origin)
{
    caches->unit = &caches->units[origin->compute_unit];
    caches->targets[0] = &caches->total;
    caches->targets[1] = &caches->unit->counters;
    follow_launch(caches, origin->launch->launch);
    caches->targets[2] = &caches->commands[caches->latest].counters;
    caches->targets[3] = counters_of_site(caches, origin);
    return caches->targets[3] != NULL;
}

static bool writes(const struct access_event *event, uint32_t lane)
{
    bool failed = event->failed && event->failed[lane / 64] >> (lane % 64) & 1;
    return event->kind != ACCESS_READ && event->kind != ACCESS_ATOMIC_READ && !failed;
}

static bool is_local(const struct caches *caches, uint64_t address)
{
    return memory_region(caches->memory, address)->kind == REGION_LOCAL_VARIABLE;
}

static void on_access(void *self, const struct access_event *event)
{
    struct caches *caches = self;
    CHECKED(event->origin.compute_unit < caches->unit_count);
    if (caches->lost || !caches->command_count || !begin_access(caches, &event->origin))
        return;
    for (uint32_t lane = 0; lane < event->lane_count && !caches->lost; lane++) {
        if (!event_has_lane(event, lane))
            continue;
        uint64_t address = event_address(event, lane);
        if (!is_local(caches, address))
            access_bytes(caches, event->origin.compute_unit, address, event->size_bytes, writes(event, lane));
    }
}

/* Takes ownership of the kernel's name. */
static bool add_command(struct caches *caches, const struct command_counters *row)
{
    struct command_counters *commands =
        grown(caches->commands, &caches->command_room, caches->command_count, sizeof *caches->commands);
    caches->commands = commands ? commands : caches->commands;
    if (!commands) {
        free(row->kernel);
        caches->lost = true;
        return false;
    }
    caches->commands[caches->command_count++] = *row;
    return true;
}

static void begin_launch(struct caches *caches, const struct launch_info *info)
{
    struct command_counters row = {.kernel = copy_text(info->kernel),
                                   .launch = info->launch,
                                   .command = info->command,
                                   .device = info->device};
    caches->lost = !row.kernel;
    if (caches->lost || !add_command(caches, &row))
        return;
    caches->latest = caches->command_count - 1;
    forget_sites(caches);
}

static void on_launch(void *self, const struct launch_event *event)
{
    struct caches *caches = self;
    if (event->phase == LAUNCH_BEGIN && !caches->lost)
        begin_launch(caches, event->launch);
}

/* ---- commands of the host -------------------------------------------------------------------- */

struct cache_range {
    uint64_t address, bytes;
    bool write;
};

static void host_line(struct caches *caches, struct cache *cache, struct line *line,
                      const struct cache_range *range)
{
    uint64_t start = line->number * cache->line_bytes, end = start + cache->line_bytes,
             last = range->address + range->bytes;
    uint64_t from = start > range->address ? start : range->address, to = end < last ? end : last;
    if (from >= to)
        return;
    if (range->write)
        line_invalidate(caches, cache, line, parts_of(cache, from, to - from));
    else if (line->dirty)
        write_back(caches, cache, line);
    line->alone = false;
}

/* Visits the lines of the range, or all lines of the cache if these are fewer. */
static void host_cache(struct caches *caches, struct cache *cache, const struct cache_range *range)
{
    uint64_t first = range->address / cache->line_bytes,
             last = (range->address + range->bytes - 1) / cache->line_bytes;
    if (last - first < cache->sets) {
        for (uint64_t number = first; number <= last; number++) {
            struct line *line = line_find(cache, number * cache->line_bytes);
            if (line)
                host_line(caches, cache, line, range);
        }
        return;
    }
    for (uint64_t s = 0; s < cache->sets; s++)
        for (uint32_t way = 0; cache->set[s] && way < cache->ways; way++)
            if (cache->set[s][way].valid)
                host_line(caches, cache, &cache->set[s][way], range);
}

/* Counts memory page by page, each at the node of its first toucher. */
static void host_memory(struct caches *caches, const struct cache_range *range)
{
    const uint64_t page = UINT64_C(1) << PAGE_SHIFT, end = range->address + range->bytes;
    for (uint64_t at = range->address, next; at < end; at = next) {
        next = (at / page + 1) * page < end ? (at / page + 1) * page : end;
        uint64_t lines = (next - 1) / HOST_LINE - at / HOST_LINE + 1;
        uint32_t index = memory_of(caches, at);
        count(caches, COUNTER_ACCESSES, lines);
        count(caches, COUNTER_WRITES, range->write ? lines : 0);
        count(caches, COUNTER_MISSES, lines);
        count(caches, COUNTER_MEMORY_ACCESSES, lines);
        if (index != NONE)
            count_in_memory(caches, index, lines, next - at, range->write);
    }
    count(caches, COUNTER_BYTES, range->bytes);
}

static const char *what_of(const struct command_event *event)
{
    if (event->role == COMMAND_MAPS || event->role == COMMAND_UNMAPS)
        return event->role == COMMAND_MAPS ? "map" : "unmap";
    return event->kind == ACCESS_WRITE ? "write" : "read";
}

/* The events of one command are consecutive; a command that reads and writes is a copy. */
static bool begin_command(struct caches *caches, const struct command_event *event)
{
    const char *what = what_of(event);
    struct command_counters *row = caches->command_count ? &caches->commands[caches->host_row] : NULL;
    if (!row || !row->what || row->command != event->command) {
        if (!add_command(caches, &(struct command_counters){.what = what, .command = event->command}))
            return false;
        caches->host_row = caches->command_count - 1;
        row = &caches->commands[caches->host_row];
    }
    if (event->role == COMMAND_MOVES && row->what != what)
        row->what = "copy";
    for (size_t i = 0; i < sizeof caches->targets / sizeof caches->targets[0]; i++)
        caches->targets[i] = &caches->uncounted;
    caches->targets[0] = &row->counters;
    caches->unit = NULL;
    return true;
}

static bool moves_bytes(const struct command_event *event)
{
    return event->role == COMMAND_MOVES || event->role == COMMAND_MAPS || event->role == COMMAND_UNMAPS;
}

static void on_command(void *self, const struct command_event *event)
{
    struct caches *caches = self;
    const struct cache_range range = {event->address, event->size_bytes, event->kind == ACCESS_WRITE};
    const struct region *region = memory_region(caches->memory, event->address);
    bool ours = event->address >= region->low && event->address < region->high;
    if (caches->lost || !ours || !moves_bytes(event) || !begin_command(caches, event))
        return;
    /* inner ones first, since they write back to outer ones */
    for (uint32_t i = caches->cache_count; i-- > 0;)
        host_cache(caches, &caches->caches[i], &range);
    host_memory(caches, &range);
}

struct observer caches_observer(struct caches *caches)
{
    return (struct observer){.self = caches, .access = on_access, .command = on_command, .launch = on_launch};
}

static void cache_forget(struct cache *cache, uint64_t address, uint64_t size)
{
    for (uint64_t s = 0; s < cache->sets; s++) {
        for (uint32_t way = 0; cache->set[s] && way < cache->ways; way++) {
            struct line *line = &cache->set[s][way];
            uint64_t start = line->number * cache->line_bytes;
            if (line->valid && start + cache->line_bytes > address && start < address + size)
                line->valid = false;
        }
    }
}

void caches_forget(struct caches *caches, uint64_t address, uint64_t size)
{
    for (uint32_t i = 0; i < caches->cache_count; i++)
        cache_forget(&caches->caches[i], address, size);
}

/*
 * ---- queries ---------------------------------------------------------------------------------------------
 */

bool caches_lost(const struct caches *caches)
{
    return caches->lost;
}

const struct counters *caches_total(const struct caches *caches)
{
    return &caches->total;
}

const struct counters *caches_of_unit(const struct caches *caches, uint32_t index)
{
    return index < caches->unit_count ? &caches->units[index].counters : NULL;
}

const struct node_counters *caches_of_cache(const struct caches *caches, uint32_t index)
{
    return index < caches->cache_count ? &caches->caches[index].counted : NULL;
}

const struct node_counters *caches_of_memory(const struct caches *caches, uint32_t index)
{
    return index < caches->memory_count ? &caches->memories[index] : NULL;
}

const struct command_counters *caches_of_command(const struct caches *caches, size_t index)
{
    return index < caches->command_count ? &caches->commands[index] : NULL;
}

const struct place_counters *caches_of_place(const struct caches *caches, size_t index)
{
    return index < caches->place_count ? &caches->places[index] : NULL;
}
