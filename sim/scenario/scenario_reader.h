/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A YAML document on its way into a struct scenario: nodes, keys, the rows of scenario.def and
 *          plain values. Each error has the position of its node.
 *
 * Interface
 *   reader_error, reader_unexpected, reader_out_of_memory   false, after a diagnosis "FILE:LINE:COLUMN: ..."
 *   reader_node_text             of a scalar, else NULL; the document owns it
 *   reader_node_pairs, reader_pair, reader_get   a mapping; reader_get is NULL without the key
 *   reader_get_row                               the same for a key of scenario.def, also by its other names
 *   reader_node_items, reader_item   a sequence
 *   reader_keys                  is the node a mapping with legal keys, none twice? The section is a name in
 *                                scenario_reader.c
 *   reader_rows                  the rows of a section, from a mapping
 *   reader_section               the same from the mapping under a key, if there is one
 *   reader_string, reader_number, reader_u32   one value; the caller frees out_text. reader_u32 leaves the
 *                                value unchanged for a NULL node, reader_optional for an absent key
 */
#ifndef ORRERY_SIM_SCENARIO_SCENARIO_READER_H
#define ORRERY_SIM_SCENARIO_SCENARIO_READER_H

#include <yaml.h>

#include "orrery/scenario.h"

struct reader {
    yaml_document_t document;
    const char *file;
    struct scenario *scenario;
    struct diagnosis *diagnosis;
};

struct pair {
    yaml_node_t *key, *value;
};

bool reader_error(struct reader *reader, const yaml_node_t *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool reader_unexpected(struct reader *reader, const yaml_node_t *node, const char *key, const char *expected);
bool reader_out_of_memory(struct reader *reader);
const char *reader_node_text(const yaml_node_t *node);
size_t reader_node_pairs(const yaml_node_t *mapping);
struct pair reader_pair(struct reader *reader, const yaml_node_t *mapping, size_t index);
yaml_node_t *reader_get(struct reader *reader, const yaml_node_t *mapping, const char *key);
yaml_node_t *reader_get_row(struct reader *reader, const yaml_node_t *mapping, const char *section,
                            const char *key);
size_t reader_node_items(const yaml_node_t *sequence);
yaml_node_t *reader_item(struct reader *reader, const yaml_node_t *sequence, size_t index);
bool reader_keys(struct reader *reader, const yaml_node_t *node, const char *section);
bool reader_rows(struct reader *reader, const yaml_node_t *mapping, const char *section);
bool reader_section(struct reader *reader, const yaml_node_t *parent, const char *key, const char *section);
bool reader_checks(struct reader *reader, const yaml_node_t *parent);
bool reader_string(struct reader *reader, const yaml_node_t *node, const char *key, char **out_text);
bool reader_optional(struct reader *reader, const yaml_node_t *mapping, const char *key, char **out_text);
bool reader_number(struct reader *reader, const yaml_node_t *node, const char *key, uint64_t most,
                   uint64_t *out_value);
bool reader_u32(struct reader *reader, const yaml_node_t *node, const char *key, uint32_t *out_value);

#endif
