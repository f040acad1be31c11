/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Turns a handler's fault into a finding: the object that an address belongs to or just misses, the
 *          distance, and the rule that is broken.
 *
 * Interface
 *   fault_report                 the body of the wave_host callback
 *   fault_report_at              of an access that leaves a sub-buffer, which is known from its event
 *   fault_say_mapped             why bytes that the host has mapped may not be accessed
 *   fault_mapped_by              makes the command that mapped the finding's second access, if it is known;
 *                                commands NULL: it is not
 */
#ifndef ORRERY_SIM_DEVICE_FAULT_H
#define ORRERY_SIM_DEVICE_FAULT_H

#include "sim/memmodel/commands/commands.h"
#include "launch.h"
#include "sim/base/sentence.h"

void fault_report(struct launch *launch, const struct wave *wave, const struct fault *fault,
                  struct commands *commands);
void fault_report_at(struct launch *launch, const struct origin *origin, const struct fault *fault);
/* The element type of an argument, "float" of "float*"; for numbers only. */
struct elements fault_pointee(const struct kernel_arg *arg);
void fault_say_mapped(const struct region *region, const struct region_map *map, const char *object,
                      struct sentence *out_why);
void fault_mapped_by(struct commands *commands, const struct region_map *map, struct finding *finding,
                     struct command_name *out_name);

#endif
