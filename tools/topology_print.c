/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A topology as a tree and as SVG. The tree is lstopo's: a node with an only child continues its line. The
 * picture is boxes in boxes: sizes are computed from the leaves upwards, with the number of columns that
 * makes a box most like a square, then drawn from the root.
 */
#include "topology_print.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- one node ------------------------------------------------------------------- */

static const char *title_of(enum topology_level level)
{
    static const char *const titles[TOPOLOGY_LEVEL_COUNT] = {
        [TOPOLOGY_MACHINE] = "Machine", [TOPOLOGY_PACKAGE] = "Package", [TOPOLOGY_NUMA] = "NUMANode",
        [TOPOLOGY_TILE] = "Tile",       [TOPOLOGY_CSLICE] = "CSlice",   [TOPOLOGY_L4] = "L4",
        [TOPOLOGY_L3] = "L3",           [TOPOLOGY_L2] = "L2",           [TOPOLOGY_L1] = "L1",
        [TOPOLOGY_UNIT] = "CU",
    };
    return titles[level];
}

static void print_bytes(uint64_t bytes, FILE *stream)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (unit < 4 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    fprintf(stream, "%" PRIu64 "%s", bytes, units[unit]);
}

static void print_label(const struct topology_node *node, FILE *stream)
{
    fputs(title_of(node->level), stream);
    if (node->level != TOPOLOGY_MACHINE)
        fprintf(stream, " L#%" PRIu32, node->index);
    if (node->bytes) {
        fputs(" (", stream);
        print_bytes(node->bytes, stream);
        fputc(')', stream);
    }
}

/* ---- text -------------------------------------------------------------------------- */

static uint32_t only_child(const struct topology *topology, const struct topology_node *node)
{
    uint32_t child = node->first_child;
    return child && !topology->nodes[child].next_sibling ? child : 0;
}

static void print_subtree(const struct topology *topology, uint32_t index, int indent, FILE *stream)
{
    const struct topology_node *node = &topology->nodes[index];
    fprintf(stream, "%*s", indent, "");
    print_label(node, stream);
    for (uint32_t child; index && (child = only_child(topology, node)) != 0;) {
        node = &topology->nodes[child];
        fputs(" + ", stream);
        print_label(node, stream);
    }
    fputc('\n', stream);
    for (uint32_t child = node->first_child; child; child = topology->nodes[child].next_sibling)
        print_subtree(topology, child, indent + 2, stream);
}

void topology_print_tree(const struct topology *topology, FILE *stream)
{
    print_subtree(topology, 0, 0, stream);
}

/* ---- picture ------------------------------------------------------------------------- */

enum { UNIT_WIDTH = 62, UNIT_HEIGHT = 24, GAP = 6, TITLE_HEIGHT = 20, LETTER_WIDTH = 7 };

struct drawn_box {
    uint32_t width, height, columns;
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t title_width(const struct topology_node *node)
{
    char text[80];
    FILE *stream = fmemopen(text, sizeof text, "w");
    if (!stream)
        return UNIT_WIDTH;
    print_label(node, stream);
    long length = ftell(stream);
    fclose(stream);
    return (uint32_t)length * LETTER_WIDTH + 2 * GAP;
}

/* Rows of at most `columns` children; each row is as high as its highest. */
static struct drawn_box grid(const struct topology *topology, const struct drawn_box *boxes, uint32_t parent,
                             uint32_t columns)
{
    struct drawn_box all = {GAP, TITLE_HEIGHT + GAP, columns};
    uint32_t child = topology->nodes[parent].first_child;
    while (child) {
        uint32_t width = GAP, height = 0;
        for (uint32_t i = 0; child && i < columns; i++, child = topology->nodes[child].next_sibling) {
            width += boxes[child].width + GAP;
            height = larger(height, boxes[child].height);
        }
        all.width = larger(all.width, width);
        all.height += height + GAP;
    }
    return all;
}

static uint32_t child_count(const struct topology *topology, uint32_t parent)
{
    uint32_t count = 0;
    for (uint32_t child = topology->nodes[parent].first_child; child;
         child = topology->nodes[child].next_sibling)
        count++;
    return count;
}

/* As many columns as make the box most like a square. */
static struct drawn_box fit(const struct topology *topology, const struct drawn_box *boxes, uint32_t node)
{
    struct drawn_box best = {UNIT_WIDTH, UNIT_HEIGHT, 1};
    uint32_t count = child_count(topology, node);
    for (uint32_t columns = 1; columns <= count; columns++) {
        struct drawn_box box = grid(topology, boxes, node, columns);
        if (columns == 1 || larger(box.width, box.height) < larger(best.width, best.height))
            best = box;
        if (box.width > box.height && columns > 1)
            break;
    }
    best.width = larger(best.width, title_width(&topology->nodes[node]));
    return best;
}

static const char *colour_of(enum topology_level level)
{
    static const char *const colours[TOPOLOGY_LEVEL_COUNT] = {
        [TOPOLOGY_MACHINE] = "#ffffff", [TOPOLOGY_PACKAGE] = "#dedede", [TOPOLOGY_NUMA] = "#efdfde",
        [TOPOLOGY_TILE] = "#dfe7f5",    [TOPOLOGY_CSLICE] = "#e8dff5",  [TOPOLOGY_L4] = "#e4f5df",
        [TOPOLOGY_L3] = "#eff9ec",      [TOPOLOGY_L2] = "#f7fbdf",      [TOPOLOGY_L1] = "#fdfbe6",
        [TOPOLOGY_UNIT] = "#bebebe",
    };
    return colours[level];
}

static void draw(const struct topology *topology, const struct drawn_box *boxes, uint32_t index, uint32_t x,
                 uint32_t y, FILE *stream)
{
    const struct topology_node *node = &topology->nodes[index];
    const struct drawn_box *box = &boxes[index];
    fprintf(stream,
            "<rect x=\"%" PRIu32 "\" y=\"%" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
            "\" fill=\"%s\"/>\n",
            x, y, box->width, box->height, colour_of(node->level));
    fprintf(stream, "<text x=\"%" PRIu32 "\" y=\"%" PRIu32 "\">", x + GAP, y + 16);
    print_label(node, stream);
    fputs("</text>\n", stream);
    uint32_t child = node->first_child, top = y + TITLE_HEIGHT + GAP;
    while (child) {
        uint32_t left = x + GAP, height = 0;
        for (uint32_t i = 0; child && i < box->columns; i++, child = topology->nodes[child].next_sibling) {
            draw(topology, boxes, child, left, top, stream);
            left += boxes[child].width + GAP;
            height = larger(height, boxes[child].height);
        }
        top += height + GAP;
    }
}

bool topology_print_svg(const struct topology *topology, FILE *stream)
{
    struct drawn_box *boxes = calloc(topology->node_count, sizeof *boxes);
    if (!boxes)
        return false;
    for (uint32_t i = topology->node_count; i-- > 0;) /* children follow their parents */
        boxes[i] = fit(topology, boxes, i);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu32 "\" height=\"%" PRIu32
            "\" font-family=\"monospace\" font-size=\"11\" "
            "stroke-width=\"1\">\n<style>rect{stroke:#333}</style>\n",
            boxes[0].width + 2 * GAP, boxes[0].height + 2 * GAP);
    draw(topology, boxes, 0, GAP, GAP, stream);
    fputs("</svg>\n", stream);
    free(boxes);
    return true;
}
