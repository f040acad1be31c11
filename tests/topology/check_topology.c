/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topologies: text to tree and back, refusals with their place, presets against hwloc's own reading of the
 * same strings, and each partition scheme against sets of units.
 */
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/many_asserts.h"
#include "orrery/topology.h"

/* ---- helpers ------------------------------------------------------------------------ */

static struct topology parsed(const char *text)
{
    struct topology topology;
    struct diagnosis diagnosis = {0};
    ck_assert_msg(topology_parse(text, &topology, &diagnosis) == STATUS_OK, "%s: %s", text, diagnosis.text);
    return topology;
}

static char *printed(const struct topology *topology)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    topology_print(topology, stream);
    fclose(stream);
    return text;
}

static void prints(const char *text, const char *expected)
{
    struct topology topology = parsed(text);
    char *print = printed(&topology);
    ck_assert_str_eq(print, expected);
    free(print);
    topology_fini(&topology);
}

static void rejects(const char *text, const char *where, const char *why)
{
    struct topology topology;
    struct diagnosis diagnosis = {0};
    ck_assert_int_eq(topology_parse(text, &topology, &diagnosis), STATUS_BAD_SCENARIO);
    ck_assert_msg(strncmp(diagnosis.text, where, strlen(where)) == 0, "%s: %s", text, diagnosis.text);
    ck_assert_msg(strstr(diagnosis.text, why) != NULL, "%s: %s", text, diagnosis.text);
    ck_assert_ptr_null(topology.nodes);
    topology_fini(&topology);
}

static uint32_t count_of(const struct topology *topology, enum topology_level level)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < topology->node_count; i++)
        count += topology->nodes[i].level == level;
    return count;
}

static struct unit_set everything(const struct topology *topology)
{
    struct unit_set set = {topology->compute_units, malloc(topology->compute_units * sizeof(uint32_t))};
    for (uint32_t i = 0; i < set.count; i++)
        set.units[i] = i;
    return set;
}

/* The header's guarantees for every tree. */
static void check_tree(const struct topology *topology)
{
    uint32_t units = 0, index[TOPOLOGY_LEVEL_COUNT] = {0};
    ck_assert_uint_eq(topology->nodes[0].level, TOPOLOGY_MACHINE);
    ck_assert_uint_eq(topology->nodes[0].unit_count, topology->compute_units);
    for (uint32_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *node = &topology->nodes[i];
        ck_assert_uint_eq(node->index, index[node->level]++);
        ck_assert_uint_eq(node->first_unit, units);
        units += node->level == TOPOLOGY_UNIT;
        ck_assert(i == 0 || node->parent < i);
        ck_assert_uint_eq(node->first_child == 0, node->level == TOPOLOGY_UNIT);
        uint32_t inside = node->level == TOPOLOGY_UNIT, at = node->first_unit;
        for (uint32_t child = node->first_child; child; child = topology->nodes[child].next_sibling) {
            ck_assert_uint_eq(topology->nodes[child].parent, i);
            ck_assert_uint_eq(topology->nodes[child].first_unit, at);
            inside += topology->nodes[child].unit_count;
            at += topology->nodes[child].unit_count;
        }
        ck_assert_uint_eq(node->unit_count, inside);
    }
    ck_assert_uint_eq(units, topology->compute_units);
}

static void check_round_trip(const struct topology *topology)
{
    char *text = printed(topology);
    struct topology again = parsed(text);
    ck_assert_msg(topology_equal(topology, &again), "%s", text);
    ck_assert_uint_eq(again.cache_bytes, topology->cache_bytes);
    char *second = printed(&again);
    ck_assert_str_eq(text, second);
    free(text);
    free(second);
    topology_fini(&again);
}

/* ---- text ------------------------------------------------------------------------------ */

START_TEST(strings_become_trees)
{
    struct topology topology = parsed("numa:2 l3:2(size=1MiB,line=128,ways=4) l1:1 cu:3");
    check_tree(&topology);
    ck_assert_uint_eq(topology.compute_units, 12);
    ck_assert_uint_eq(topology.cache_bytes, 1 << 20);
    ck_assert_uint_eq(topology.cache_line_bytes, 128);
    ck_assert_uint_eq(count_of(&topology, TOPOLOGY_L3), 4);
    const struct topology_node *node = topology_node_of(&topology, 7, TOPOLOGY_L3);
    ck_assert_uint_eq(node->index, 2);
    ck_assert_uint_eq(node->first_unit, 6);
    ck_assert_uint_eq(node->associativity, 4);
    ck_assert_uint_eq(topology_node_of(&topology, 7, TOPOLOGY_NUMA)->index, 1);
    ck_assert_uint_eq(topology_node_of(&topology, 7, TOPOLOGY_UNIT)->index, 7);
    ck_assert_ptr_null(topology_node_of(&topology, 7, TOPOLOGY_L2));
    ck_assert_ptr_null(topology_node_of(&topology, 12, TOPOLOGY_L3));
    topology_fini(&topology);

    topology = parsed("cu:4");
    ck_assert_uint_eq(topology.compute_units, 4);
    ck_assert_uint_eq(topology.cache_bytes, 0);
    topology_fini(&topology);
}
END_TEST

START_TEST(printed_topology_is_short_and_parses_back)
{
    prints("cu", "cu:1");
    prints("core:3", "cu:3");
    prints(" numa:2  l3:2 cu:2 ", "numa:2 l3:2 cu:2");
    prints("l2:2(size=4MiB) cu:1", "l2:2 cu:1");
    prints("l2:2(size=1500, line=32 ways=full) cu:1", "l2:2(size=1500,line=32,ways=full) cu:1");
    prints("numa:1(memory=2GB) cu:1", "numa:1(size=1953125KiB) cu:1");
    prints("l3:1 cu:2, l3:1 cu:2", "l3:2 cu:2");
    prints("l3:1 cu:2, cu:1, l3:1 cu:2", "l3:1 cu:2, cu:1, l3:1 cu:2");
    prints("numa:1{l3:2 cu:4, cu:2}, numa:1{l3:2 cu:4, cu:2}, numa cu:3",
           "numa:2{l3:2 cu:4, cu:2}, numa:1 cu:3");
    prints("package:2{numa:2{cu:1},cu:1}", "package:2{numa:2 cu:1, cu:1}");
    prints("tile:2 cslice:4 cu:2", "tile:2 cslice:4 cu:2");
    prints("Package:2 [NUMANode(memory=1GiB)] L2Cache:2 Core:1 PU:2",
           "package:2 numa:1(size=1GiB) l2:2 cu:1");
}
END_TEST

START_TEST(errors_have_a_position)
{
    rejects("", "character 1: ", "found the end, expected package");
    rejects("l3:2", "character 5: ", "found the end");
    rejects("numa:2 cx:2", "character 8: ", "found 'cx'");
    rejects("numa:0 cu:2", "character 6: ", "1 to 4096");
    rejects("numa: cu:2", "character 6: ", "how many");
    rejects("cu:99999999999999999999", "character 4: ", "how many");
    rejects("cu:4097", "character 4: ", "1 to 4096");
    rejects("l2:64 cu:65", "character 7: ", "more than 4096");
    rejects("cu:1 l1:1", "character 6: ", "found 'l1'");
    rejects("l1:1 l2:1 cu:1", "character 6: ", "larger cache");
    rejects("numa:1 l3:1 numa:2 cu:1", "character 13: ", "inside itself");
    rejects("machine:1 cu:1", "character 1: ", "found 'machine'");
    rejects("numa:1 cslice:2 cu:1", "character 8: ", "outside of every tile");
    rejects("numa:1{cu:1", "character 12: ", "expected ',' or '}'");
    rejects("numa:1{}", "character 8: ", "found '}'");
    rejects("cu:1,", "character 6: ", "found the end");
    rejects("cu:1}", "character 5: ", "expected ',' or the end");
    rejects("cu:1(size=3)", "character 6: ", "no attributes");
    rejects("l2:1(size=3XB) cu:1", "character 12: ", "bytes");
    rejects("l2:1(size=0) cu:1", "character 11: ", "1 byte");
    rejects("l2:1(size=2000TiB) cu:1", "character 11: ", "1024 TiB");
    rejects("l2:1(size=32) cu:1", "character 5: ", "no room for a line");
    rejects("l2:1(line=48) cu:1", "character 11: ", "power of two");
    rejects("l2:1(ways=0) cu:1", "character 11: ", "1 to 1024");
    rejects("l2:1(ways:2) cu:1", "character 10: ", "'='");
    rejects("numa:1(ways=2) cu:1", "character 8: ", "expected size");
    rejects("l2:1(size=64KiB cu:1", "character 17: ", "size, line or ways");
}
END_TEST

START_TEST(presets_are_trees)
{
    const char *name, *text, *help;
    size_t count = 0;
    for (; (name = topology_preset(count, &text, &help)) != NULL; count++) {
        struct topology by_name = parsed(name), by_text = parsed(text);
        ck_assert(topology_equal(&by_name, &by_text));
        ck_assert_str_eq(by_name.text, name);
        ck_assert_uint_gt(strlen(help), 0);
        check_tree(&by_name);
        check_round_trip(&by_name);
        topology_fini(&by_name);
        topology_fini(&by_text);
    }
    ck_assert_uint_ge(count, 8);
}
END_TEST

START_TEST(the_default_is_a_tree_like_others)
{
    struct topology topology, text = parsed("l3:1(size=1MiB) cu:8"), copy;
    topology_default(&topology);
    check_tree(&topology);
    ck_assert(topology_equal(&topology, &text));
    ck_assert_uint_eq(topology.cache_bytes, text.cache_bytes);
    ck_assert_uint_eq(topology.cache_line_bytes, text.cache_line_bytes);
    for (uint32_t i = 0; i < topology.node_count; i++) {
        ck_assert_uint_eq(topology.nodes[i].first_child, text.nodes[i].first_child);
        ck_assert_uint_eq(topology.nodes[i].next_sibling, text.nodes[i].next_sibling);
    }
    ck_assert_int_eq(topology_copy(&topology, &copy), STATUS_OK);
    ck_assert(topology_equal(&copy, &topology));
    topology_fini(&copy);
    ck_assert_int_eq(topology_copy(&text, &copy), STATUS_OK);
    topology_fini(&text);
    ck_assert(topology_equal(&copy, &topology));
    topology_fini(&copy);
    topology_fini(&topology);
}
END_TEST

/* ---- random trees ---------------------------------------------------------------------------- */

static uint32_t random_below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % limit;
}

/* Text of a random branch whose outermost level is from or one inside it; alike: no braces, no commas. */
static void random_branch(uint32_t *state, int from, bool alike, bool tiles, FILE *out)
{
    bool cslice_allowed = from > TOPOLOGY_TILE && tiles;
    for (int level = from; level < TOPOLOGY_UNIT; level++) {
        if (random_below(state, 2) || (level == TOPOLOGY_CSLICE && !cslice_allowed) ||
            (level == TOPOLOGY_TILE && !tiles))
            continue;
        cslice_allowed |= level == TOPOLOGY_TILE;
        fprintf(out, "%s:%u", topology_level_name((enum topology_level)level), 1 + random_below(state, 3));
        if (topology_is_cache((enum topology_level)level) && random_below(state, 3) == 0)
            fprintf(out, "(size=%uKiB,line=%u,ways=%u)", 1 + random_below(state, 4096),
                    16u << random_below(state, 5), 1 + random_below(state, 32));
        if (!alike && random_below(state, 3) == 0) {
            fputc('{', out);
            random_branch(state, level + 1, false, tiles && cslice_allowed, out);
            fputs(", ", out);
            random_branch(state, level + 1, false, tiles && cslice_allowed, out);
            fputc('}', out);
            return;
        }
        fputc(' ', out);
    }
    fprintf(out, "cu:%u", 1 + random_below(state, 5));
}

static char *random_text(uint32_t seed, bool alike, bool tiles)
{
    char *text = NULL;
    size_t size;
    uint32_t state = seed * 2654435761u + 1;
    FILE *out = open_memstream(&text, &size);
    random_branch(&state, TOPOLOGY_PACKAGE, alike, tiles, out);
    if (!alike && random_below(&state, 2)) {
        fputs(", ", out);
        random_branch(&state, TOPOLOGY_PACKAGE, alike, tiles, out);
    }
    fclose(out);
    return text;
}

static bool parse_random(uint32_t seed, bool alike, bool tiles, struct topology *out_topology)
{
    char *text = random_text(seed, alike, tiles);
    struct diagnosis diagnosis = {0};
    bool fine = topology_parse(text, out_topology, &diagnosis) == STATUS_OK;
    /* Random trees are well-formed; they may only be too large. */
    ck_assert_msg(fine || strstr(diagnosis.text, "more than 4096"), "%s: %s", text, diagnosis.text);
    free(text);
    return fine;
}

START_TEST(random_trees_parse_back)
{
    uint32_t tried = 0;
    for (uint32_t seed = 0; seed < 600; seed++) {
        struct topology topology;
        if (!parse_random(seed, false, true, &topology))
            continue;
        check_tree(&topology);
        check_round_trip(&topology);
        topology_fini(&topology);
        tried++;
    }
    ck_assert_uint_gt(tried, 400);
}
END_TEST

/* hwloc's tree of the same string, level by level: counts and sizes. */
static void check_with_hwloc(const struct topology *topology, const char *text)
{
    static const struct {
        enum topology_level level;
        hwloc_obj_type_t type;
    } levels[] = {
        {TOPOLOGY_PACKAGE, HWLOC_OBJ_PACKAGE}, {TOPOLOGY_L4, HWLOC_OBJ_L4CACHE},
        {TOPOLOGY_L3, HWLOC_OBJ_L3CACHE},      {TOPOLOGY_L2, HWLOC_OBJ_L2CACHE},
        {TOPOLOGY_L1, HWLOC_OBJ_L1CACHE},      {TOPOLOGY_UNIT, HWLOC_OBJ_CORE},
    };
    hwloc_topology_t source;
    ck_assert_int_eq(hwloc_topology_init(&source), 0);
    /* Everything, also what adds no structure. */
    hwloc_topology_set_all_types_filter(source, HWLOC_TYPE_FILTER_KEEP_ALL);
    ck_assert_msg(hwloc_topology_set_synthetic(source, text) == 0, "%s", text);
    ck_assert_int_eq(hwloc_topology_load(source), 0);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        int objects = hwloc_get_nbobjs_by_type(source, levels[i].type);
        ck_assert_msg(objects == (int)count_of(topology, levels[i].level), "%s: %d of %s", text, objects,
                      topology_level_name(levels[i].level));
    }
    for (uint32_t n = 0; n < topology->node_count; n++) {
        const struct topology_node *node = &topology->nodes[n];
        for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
            if (levels[i].level != node->level)
                continue;
            hwloc_obj_t object = hwloc_get_obj_by_type(source, levels[i].type, node->index);
            ck_assert_int_eq(hwloc_get_nbobjs_inside_cpuset_by_type(source, object->cpuset, HWLOC_OBJ_CORE),
                             (int)node->unit_count);
            ck_assert(!topology_is_cache(node->level) || object->attr->cache.size == node->bytes);
        }
    }
    uint32_t numa = count_of(topology, TOPOLOGY_NUMA);
    ck_assert_int_eq(hwloc_get_nbobjs_by_type(source, HWLOC_OBJ_NUMANODE), (int)(numa ? numa : 1));
    hwloc_topology_destroy(source);
}

/* Every level cuts both trees in the same places; a level around all units makes no difference. */
static void check_same_parts(const struct topology *a, const struct topology *b, const char *text)
{
    ck_assert_uint_eq(a->compute_units, b->compute_units);
    for (int level = TOPOLOGY_PACKAGE; level < TOPOLOGY_LEVEL_COUNT; level++) {
        for (uint32_t unit = 0; unit < a->compute_units; unit++) {
            const struct topology_node *x = topology_node_of(a, unit, (enum topology_level)level),
                                       *y = topology_node_of(b, unit, (enum topology_level)level);
            uint32_t all = a->compute_units;
            ck_assert_msg((x ? x->first_unit : 0) == (y ? y->first_unit : 0) &&
                              (x ? x->unit_count : all) == (y ? y->unit_count : all),
                          "%s: %s of unit %u", text, topology_level_name((enum topology_level)level), unit);
        }
    }
}

/* "size=" is the only attribute hwloc has, and cores need their threads. */
static char *hwloc_text(const struct topology *topology)
{
    char *text = printed(topology), *spelled = calloc(1, strlen(text) + 32), *out = spelled;
    for (const char *at = text; *at; at++) {
        if (strncmp(at, ",line=", 6) == 0 || strncmp(at, ",ways=", 6) == 0)
            at += strcspn(at + 1, ",)");
        else if (strncmp(at, "cu:", 3) == 0)
            out = stpcpy(out, "core"), at++;
        else
            *out++ = *at;
    }
    strcpy(out, " pu:1");
    free(text);
    return spelled;
}

START_TEST(hwloc_sees_the_same)
{
    uint32_t tried = 0;
    for (uint32_t seed = 0; seed < 200; seed++) {
        struct topology topology, imported;
        if (!parse_random(seed, true, false, &topology))
            continue;
        if (topology.compute_units < 400) {
            char *text = hwloc_text(&topology);
            if (!strstr(text, "(line=") && !strstr(text, "(ways=")) {
                check_with_hwloc(&topology, text);
                imported = parsed(text); /* through hwloc: "pu" is its own */
                check_tree(&imported);
                check_same_parts(&topology, &imported, text);
                ck_assert_uint_eq(imported.cache_bytes, topology.cache_bytes);
                topology_fini(&imported);
                tried++;
            }
            free(text);
        }
        topology_fini(&topology);
    }
    ck_assert_uint_gt(tried, 60);
}
END_TEST

/* ---- files of real machines ------------------------------------------------------------------------ */

/* Any product of counts is refused from the text, however the product is spelled and spread over the
 * levels. */
START_TEST(strings_for_hwloc_have_a_limit)
{
    static const char *const large[] = {
        "pu:20000",
        "PU:0x5000",
        "pu:-1",
        "pu: +20000",
        "20000 pu:1",
        "pu:99999999999999999999999",
        "core:4096 pu:4096",
        "package:20 numa:20 l3:20 core:20 pu:20",
        "package:64 [numa(memory=1GiB)] core:64(size=1) pu:64",
        "package:8000 [numa] [numa] [numa] pu:1",
    };
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        struct topology topology;
        struct diagnosis diagnosis = {0};
        ck_assert_int_eq(topology_parse(large[i], &topology, &diagnosis), STATUS_BAD_SCENARIO);
        ck_assert_msg(strstr(diagnosis.text, "at most 8192"), "%s: %s", large[i], diagnosis.text);
    }
    struct topology topology = parsed("package:2 core:64 pu:2");
    ck_assert_uint_eq(topology.compute_units, 128);
    topology_fini(&topology);
}
END_TEST

/* hwloc would read a count after each of these. */
START_TEST(strings_that_only_hwloc_reads_are_refused)
{
    static const char *const odd[] = {
        "core[x:1 pu:20000",
        "core(x:1 pu:20000",
        "Pa{x2 [re:1 PU:2266666",
        "core;:2 pu:20000",
        "core-x:2 pu:2",
        "core:2 [numa(size=1 pu:20000",
        "core:2 [numa x] pu:20000",
        "core:2 [numa:20000 pu:2",
        "[pu",
        "[pu:2(size=1)",
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        struct topology topology;
        struct diagnosis diagnosis = {0};
        ck_assert_int_eq(topology_parse(odd[i], &topology, &diagnosis), STATUS_BAD_SCENARIO);
        ck_assert_msg(diagnosis.text[0], "%s is refused without a word", odd[i]);
    }
}
END_TEST

START_TEST(strings_of_hwloc_are_read_in_each_spelling)
{
    static const struct {
        const char *text;
        uint32_t units;
    } rows[] = {
        {"(memory=1GB) core:2 pu:2", 2},
        {"core: 2 pu : +2", 2},
        {"2 0x2 pu:1", 4},
        {"core:2[numa]pu:1", 2},
        {"pack:2 [numa] [numa] core:1 pu:1", 2},
        {"core:3\npu:1(indexes=2,0,1)", 3},
        {"core:2 [numa:1] pu:2", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct topology topology = parsed(rows[i].text);
        ck_assert_msg(topology.compute_units == rows[i].units, "%s: %u", rows[i].text,
                      (unsigned)topology.compute_units);
        topology_fini(&topology);
    }
}
END_TEST

/* ---- files that no machine has ---------------------------------------------------------------------- */

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/* A tree or an error, and never the end of the process. */
static void check_xml(const char *path)
{
    struct topology topology;
    struct diagnosis diagnosis = {0};
    if (topology_load_xml(path, &topology, &diagnosis) != STATUS_OK) {
        ck_assert_ptr_nonnull(strstr(diagnosis.text, path));
        return;
    }
    ck_assert_uint_ge(topology.compute_units, 1);
    topology_fini(&topology);
}

static void export_xml(const char *path, const char *text)
{
    hwloc_topology_t source;
    hwloc_topology_init(&source);
    ck_assert_int_eq(hwloc_topology_set_synthetic(source, text), 0);
    ck_assert_int_eq(hwloc_topology_load(source), 0);
    ck_assert_int_eq(hwloc_topology_export_xml(source, path, 0), 0);
    hwloc_topology_destroy(source);
}

START_TEST(damaged_xml_is_an_error)
{
    static const char path[] = "check_topology_damaged.xml";
    static char whole[1 << 16], damaged[1 << 16];
    export_xml(path, "package:1 l3:1 core:2 pu:2");
    FILE *file = fopen(path, "r");
    size_t size = fread(whole, 1, sizeof whole, file);
    fclose(file);
    unsigned seed = 1;
    for (int round = 0; round < 150; round++) {
        memcpy(damaged, whole, size);
        for (int i = 0; i <= round % 4; i++) {
            damaged[(size_t)rand_r(&seed) % size] = " <0/x\"z9"[rand_r(&seed) % 8];
        }
        write_file(path, damaged, size);
        check_xml(path);
    }
    remove(path);
}
END_TEST

START_TEST(xml_without_units_is_an_error)
{
    static const char path[] = "check_topology_fatal.xml";
    static const char no_units[] =
        "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n"
        "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" "
        "allowed_cpuset=\"0x1\""
        " nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" gp_index=\"1\">\n"
        "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\""
        " complete_nodeset=\"0x1\" gp_index=\"2\" local_memory=\"1024\"/>\n</object>\n</topology>\n";
    struct topology topology;
    write_file(path, no_units, sizeof no_units - 1);
    ck_assert_int_eq(topology_load_xml(path, &topology, NULL), STATUS_BAD_SCENARIO);
    remove(path);
    ck_assert_int_eq(topology_load_xml("/dev/zero", &topology, NULL), STATUS_BAD_SCENARIO);
    ck_assert_int_eq(topology_load_xml("/", &topology, NULL), STATUS_BAD_SCENARIO);
}
END_TEST

START_TEST(xml_of_hwloc_becomes_a_tree)
{
    static const char path[] = "check_topology.xml";
    hwloc_topology_t source;
    struct topology topology;
    struct diagnosis diagnosis = {0};
    hwloc_topology_init(&source);
    hwloc_topology_set_synthetic(source, "package:2 [numa(memory=3GiB)] l3:1(size=2MiB) l2:3 core:1 pu:2");
    hwloc_topology_load(source);
    ck_assert_int_eq(hwloc_topology_export_xml(source, path, 0), 0);
    hwloc_topology_destroy(source);
    ck_assert_msg(topology_load_xml(path, &topology, &diagnosis) == STATUS_OK, "%s", diagnosis.text);
    remove(path);
    check_tree(&topology);
    char *text = printed(&topology);
    ck_assert_str_eq(text, "package:2 numa:1(size=3GiB) l3:1(size=2MiB) l2:3 cu:1");
    free(text);
    topology_fini(&topology);

    ck_assert_int_eq(topology_load_xml("/nowhere/at.xml", &topology, &diagnosis), STATUS_IO);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, "/nowhere/at.xml"));
    FILE *file = fopen(path, "w");
    fputs("<topology version=\"2.0\"><object type=\"Mach", file);
    fclose(file);
    diagnosis = (struct diagnosis){0};
    ck_assert_int_eq(topology_load_xml(path, &topology, &diagnosis), STATUS_BAD_SCENARIO);
    ck_assert_ptr_nonnull(strstr(diagnosis.text, path));
    remove(path);
}
END_TEST

/* ---- cslices ------------------------------------------------------------------------------------------ */

static void cslices(const char *text, uint32_t tile, uint32_t count, const char *expected)
{
    struct topology topology = parsed(text);
    ck_assert_int_eq(topology_set_cslices(&topology, tile, count), STATUS_OK);
    check_tree(&topology);
    char *print = printed(&topology);
    ck_assert_str_eq(print, expected);
    free(print);
    topology_fini(&topology);
}

START_TEST(neighbouring_cslices_become_one)
{
    struct topology topology = parsed("tile:1 cslice:4 cu:1");
    ck_assert_int_eq(topology_set_cslices(&topology, 0, 0), STATUS_BAD_ARGUMENT);
    topology_fini(&topology);
    cslices("tile:2 cslice:4 l1:2 cu:1", UINT32_MAX, 2, "tile:2 cslice:2 l1:4 cu:1");
    cslices("tile:2 cslice:4 cu:2", UINT32_MAX, 1, "tile:2 cslice:1 cu:8");
    cslices("tile:2 cslice:4 cu:2", 1, 2, "tile:1 cslice:4 cu:2, tile:1 cslice:2 cu:4");
    cslices("tile:2 cslice:2 cu:2", UINT32_MAX, 4, "tile:2 cslice:2 cu:2");
    cslices("tile:1 cslice:4 cu:1", UINT32_MAX, 3, "tile:1{cslice:1 cu:2, cslice:2 cu:1}");
    cslices("tile:1 l2:2 cslice:2 cu:1", UINT32_MAX, 1, "tile:1 l2:2 cslice:1 cu:2");
    cslices("tile:1{cslice:1 cu:1, cu:1, cslice:1 cu:1}", UINT32_MAX, 1,
            "tile:1{cslice:1 cu:1, cu:1, cslice:1 cu:1}");
    cslices("numa:2 cu:2", UINT32_MAX, 1, "numa:2 cu:2");
}
END_TEST

/* ---- partitions ------------------------------------------------------------------------------ */

/* "0,1|2,3" */
static char *partition_text(const struct partition *partition)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint32_t i = 0; i < partition->count; i++) {
        fputs(i ? "|" : "", out);
        for (uint32_t u = 0; u < partition->sets[i].count; u++)
            fprintf(out, "%s%u", u ? "," : "", partition->sets[i].units[u]);
    }
    fclose(out);
    return text;
}

static void gives(enum partition_result result, struct partition *partition, const char *expected)
{
    ck_assert_int_eq(result, PARTITION_OK);
    char *text = partition_text(partition);
    ck_assert_str_eq(text, expected);
    free(text);
    partition_fini(partition);
}

static void refuses(enum partition_result result, const struct partition *partition,
                    enum partition_result expected)
{
    ck_assert_int_eq(result, expected);
    ck_assert_uint_eq(partition->count, 0);
    ck_assert_ptr_null(partition->sets);
}

START_TEST(partitions_by_number)
{
    uint32_t units[] = {3, 4, 5, 8, 9};
    struct unit_set parent = {5, units};
    struct partition out;
    gives(partition_equally(&parent, 2, &out), &out, "3,4|5,8");
    gives(partition_equally(&parent, 5, &out), &out, "3,4,5,8,9");
    gives(partition_equally(&parent, 1, &out), &out, "3|4|5|8|9");
    refuses(partition_equally(&parent, 0, &out), &out, PARTITION_BAD_VALUE);
    refuses(partition_equally(&parent, 6, &out), &out, PARTITION_BAD_COUNT);
    refuses(partition_equally(&parent, UINT64_MAX, &out), &out, PARTITION_BAD_COUNT);

    gives(partition_by_counts(&parent, (int64_t[]){1, 3}, 2, 5, &out), &out, "3|4,5,8");
    gives(partition_by_counts(&parent, (int64_t[]){5}, 1, 5, &out), &out, "3,4,5,8,9");
    refuses(partition_by_counts(&parent, NULL, 0, 5, &out), &out, PARTITION_BAD_VALUE);
    refuses(partition_by_counts(&parent, (int64_t[]){3, 3}, 2, 5, &out), &out, PARTITION_BAD_COUNT);
    refuses(partition_by_counts(&parent, (int64_t[]){3, -1}, 2, 5, &out), &out, PARTITION_BAD_COUNT);
    refuses(partition_by_counts(&parent, (int64_t[]){0}, 1, 5, &out), &out, PARTITION_BAD_COUNT);
    refuses(partition_by_counts(&parent, (int64_t[]){1, 1, 1}, 3, 2, &out), &out, PARTITION_BAD_COUNT);
    refuses(partition_by_counts(&parent, (int64_t[]){INT64_MAX, INT64_MAX}, 2, 5, &out), &out,
            PARTITION_BAD_COUNT);
}
END_TEST

START_TEST(partitions_by_name)
{
    uint32_t units[] = {3, 4, 5, 8};
    struct unit_set parent = {4, units};
    struct partition out;
    gives(partition_by_names(&parent, (int64_t[]){3, 0}, 2, &out), &out, "3,8");
    gives(partition_by_names(&parent, (int64_t[]){0, 1, 2, 3}, 4, &out), &out, "3,4,5,8");
    refuses(partition_by_names(&parent, NULL, 0, &out), &out, PARTITION_BAD_VALUE);
    refuses(partition_by_names(&parent, (int64_t[]){1, 1}, 2, &out), &out, PARTITION_BAD_VALUE);
    refuses(partition_by_names(&parent, (int64_t[]){4}, 1, &out), &out, PARTITION_BAD_VALUE);
    refuses(partition_by_names(&parent, (int64_t[]){-1}, 1, &out), &out, PARTITION_BAD_VALUE);
    refuses(partition_by_names(&parent, (int64_t[]){0, 1, 2, 3, 0}, 5, &out), &out, PARTITION_BAD_VALUE);
}
END_TEST

START_TEST(partitions_by_level)
{
    struct topology topology = parsed("numa:2{l3:2 cu:2, cu:1}");
    struct unit_set all = everything(&topology);
    struct partition out;
    enum topology_level level;
    gives(partition_by_level(&topology, &all, TOPOLOGY_NUMA, &out), &out, "0,1,2,3,4|5,6,7,8,9");
    gives(partition_by_level(&topology, &all, TOPOLOGY_L3, &out), &out, "0,1|2,3|5,6|7,8");
    refuses(partition_by_level(&topology, &all, TOPOLOGY_L2, &out), &out, PARTITION_IMPOSSIBLE);
    refuses(partition_by_level(&topology, &all, TOPOLOGY_PACKAGE, &out), &out, PARTITION_IMPOSSIBLE);
    gives(partition_next(&topology, &all, &level, &out), &out, "0,1,2,3,4|5,6,7,8,9");
    ck_assert_int_eq(level, TOPOLOGY_NUMA);

    uint32_t some[] = {1, 2, 4};
    struct unit_set parent = {3, some};
    gives(partition_next(&topology, &parent, &level, &out), &out, "1|2");
    ck_assert_int_eq(level, TOPOLOGY_L3);
    struct unit_set one = {1, some};
    refuses(partition_next(&topology, &one, &level, &out), &out, PARTITION_IMPOSSIBLE);
    free(all.units);
    topology_fini(&topology);
}
END_TEST

static void check_parts(const struct unit_set *parent, const struct partition *partition)
{
    bool seen[TOPOLOGY_UNITS_MAX] = {false};
    bool allowed[TOPOLOGY_UNITS_MAX] = {false};
    for (uint32_t i = 0; i < parent->count; i++)
        allowed[parent->units[i]] = true;
    for (uint32_t i = 0; i < partition->count; i++) {
        const struct unit_set *set = &partition->sets[i];
        ck_assert_uint_gt(set->count, 0);
        for (uint32_t u = 0; u < set->count; u++) {
            ck_assert(u == 0 || set->units[u] > set->units[u - 1]);
            ck_assert(allowed[set->units[u]] && !seen[set->units[u]]);
            seen[set->units[u]] = true;
        }
    }
}

START_TEST(parts_are_disjoint_and_inside)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct topology topology;
        if (!parse_random(seed, false, true, &topology))
            continue;
        struct unit_set parent = everything(&topology);
        for (int depth = 0; depth < 4 && parent.count; depth++) {
            struct partition part, kept = {0};
            for (int level = TOPOLOGY_PACKAGE; level < TOPOLOGY_LEVEL_COUNT; level++) {
                enum partition_result result =
                    partition_by_level(&topology, &parent, (enum topology_level)level, &part);
                ck_assert(result == PARTITION_OK || result == PARTITION_IMPOSSIBLE);
                ck_assert(result != PARTITION_OK || part.count >= 2);
                check_parts(&parent, &part);
                partition_fini(&part);
            }
            for (uint32_t each = 1; each <= parent.count; each = each * 2 + 1) {
                ck_assert_int_eq(partition_equally(&parent, each, &part), PARTITION_OK);
                ck_assert_uint_eq(part.count, parent.count / each);
                check_parts(&parent, &part);
                partition_fini(&part);
            }
            enum topology_level level;
            if (partition_next(&topology, &parent, &level, &kept) != PARTITION_OK)
                break;
            free(parent.units);
            parent = kept.sets[seed % kept.count];
            kept.sets[seed % kept.count] = (struct unit_set){0};
            partition_fini(&kept);
        }
        free(parent.units);
        topology_fini(&topology);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("topology");
    TCase *text = tcase_create("text"), *partition = tcase_create("partition");
    tcase_add_test(text, strings_become_trees);
    tcase_add_test(text, printed_topology_is_short_and_parses_back);
    tcase_add_test(text, errors_have_a_position);
    tcase_add_test(text, presets_are_trees);
    tcase_add_test(text, the_default_is_a_tree_like_others);
    tcase_add_test(text, random_trees_parse_back);
    tcase_add_test(text, hwloc_sees_the_same);
    tcase_add_test(text, xml_of_hwloc_becomes_a_tree);
    tcase_add_test(text, strings_for_hwloc_have_a_limit);
    tcase_add_test(text, strings_that_only_hwloc_reads_are_refused);
    tcase_add_test(text, strings_of_hwloc_are_read_in_each_spelling);
    tcase_add_test(text, damaged_xml_is_an_error);
    tcase_add_test(text, xml_without_units_is_an_error);
    tcase_add_test(text, neighbouring_cslices_become_one);
    tcase_add_test(partition, partitions_by_number);
    tcase_add_test(partition, partitions_by_name);
    tcase_add_test(partition, partitions_by_level);
    tcase_add_test(partition, parts_are_disjoint_and_inside);
    suite_add_tcase(suite, text);
    suite_add_tcase(suite, partition);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
