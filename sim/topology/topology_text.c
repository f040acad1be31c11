/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a topology in the form that topology_parse.c reads. Siblings with equal subtrees become one level
 * with a count; attributes that are the level's defaults are omitted. Equal topologies print equally. */
#include <inttypes.h>

#include "topology_build.h"

static void print_bytes(uint64_t bytes, FILE *stream)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (unit < 4 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    fprintf(stream, "%" PRIu64 "%s", bytes, units[unit]);
}

/* Prints the attributes that differ from the level's defaults. */
static void print_attributes(const struct topology_node *node, FILE *stream)
{
    struct node_shape usual = node_shape_default(node->level);
    const char *separator = "(";
    if (node->bytes != usual.bytes) {
        fprintf(stream, "%ssize=", separator);
        print_bytes(node->bytes, stream);
        separator = ",";
    }
    if (node->line_bytes != usual.line_bytes) {
        fprintf(stream, "%sline=%" PRIu32, separator, node->line_bytes);
        separator = ",";
    }
    if (node->associativity != usual.associativity) {
        fprintf(stream, node->associativity ? "%sways=%" PRIu32 : "%sways=full", separator,
                node->associativity);
        separator = ",";
    }
    if (*separator == ',')
        fputc(')', stream);
}

/* ---- equal branches ------------------------------------------------------------------ */

static uint32_t subtree_end(const struct topology *topology, uint32_t node)
{
    while (node && !topology->nodes[node].next_sibling)
        node = topology->nodes[node].parent;
    return node ? topology->nodes[node].next_sibling : topology->node_count;
}

static bool same_branch(const struct topology *topology, uint32_t a, uint32_t b)
{
    uint32_t count = subtree_end(topology, a) - a;
    if (subtree_end(topology, b) - b != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct topology_node *x = &topology->nodes[a + i], *y = &topology->nodes[b + i];
        bool same_parent = i == 0 || x->parent - a == y->parent - b;
        if (!same_parent || !node_has_shape_of(x, y))
            return false;
    }
    return true;
}

/* The number of siblings from `node` on with equal subtrees; out_next: the next sibling. */
static uint32_t run_of(const struct topology *topology, uint32_t node, uint32_t *out_next)
{
    uint32_t count = 1, next = topology->nodes[node].next_sibling;
    while (next && same_branch(topology, node, next)) {
        count++;
        next = topology->nodes[next].next_sibling;
    }
    *out_next = next;
    return count;
}

/* ---- levels ------------------------------------------------------------------------------ */

static void print_children(const struct topology *topology, uint32_t parent, FILE *stream);

static void print_run(const struct topology *topology, uint32_t node, uint32_t count, FILE *stream)
{
    const struct topology_node *first = &topology->nodes[node];
    fprintf(stream, "%s:%" PRIu32, topology_level_name(first->level), count);
    print_attributes(first, stream);
    print_children(topology, node, stream);
}

static void print_children(const struct topology *topology, uint32_t parent, FILE *stream)
{
    uint32_t node = topology->nodes[parent].first_child, next = 0;
    if (!node)
        return;
    uint32_t count = run_of(topology, node, &next);
    bool braces = parent && next;
    fputs(braces ? "{" : parent ? " " : "", stream);
    for (;;) {
        print_run(topology, node, count, stream);
        if (!next)
            break;
        fputs(", ", stream);
        node = next;
        count = run_of(topology, node, &next);
    }
    fputs(braces ? "}" : "", stream);
}

void topology_print(const struct topology *topology, FILE *stream)
{
    if (topology->node_count)
        print_children(topology, 0, stream);
}
