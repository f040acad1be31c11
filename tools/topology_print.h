/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  A topology for people to look at: as lstopo prints it, and as a picture.
 *
 * Interface
 *   topology_print_tree   a line per node, nodes with an only child joined by +
 *   topology_print_svg    boxes in boxes; false: no memory
 */
#ifndef ORRERY_TOOLS_TOPOLOGY_PRINT_H
#define ORRERY_TOOLS_TOPOLOGY_PRINT_H

#include "orrery/topology.h"

void topology_print_tree(const struct topology *topology, FILE *stream);
bool topology_print_svg(const struct topology *topology, FILE *stream);

#endif
