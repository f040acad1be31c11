/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The last look at a module before it is trusted: nothing that the lowering
 *          relies on is left to whoever made the words.
 *
 * Interface
 *   verify_grammar     words against the grammar; ids defined, and in order (after their definitions are
 *                      known)
 *   verify_functions   blocks, operands, types of every function (after functions and types are known)
 *   verify_ir          values made before they are used (after cfg_build)
 */
#ifndef ORRERY_INTERP_VERIFY_H
#define ORRERY_INTERP_VERIFY_H

#include "ir.h"

void verify_grammar(struct module *module);
void verify_functions(struct module *module);
void verify_ir(struct ir *ir);

#endif
