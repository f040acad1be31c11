/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The last check of a module before it is trusted: every assumption of the lowering is checked,
 *          whatever made the words.
 *
 * Interface
 *   verify_grammar     words against the grammar; ids defined, and in order (once their definitions are
 *                      collected)
 *   verify_functions   blocks, operands, types of every function (once functions and types are collected)
 *   verify_ir          values made before they are used (after cfg_build)
 */
#ifndef ORRERY_INTERP_VERIFY_H
#define ORRERY_INTERP_VERIFY_H

#include "ir.h"

void verify_grammar(struct module *module);
void verify_functions(struct module *module);
void verify_ir(struct ir *ir);

#endif
