/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  SPIR-V's VecTypeHint has no sign: vec_type_hint(uint4) and vec_type_hint(int4) are the same words.
 *          The sign is read from the source.
 *
 * Interface
 *   vector_hint_is_unsigned   does the hint of this kernel's definition name an unsigned type?
 *
 * Limits   The type is compared as it is spelled: a macro or a typedef counts as signed.
 */
#ifndef ORRERY_LIB_VECTOR_HINT_H
#define ORRERY_LIB_VECTOR_HINT_H

#include <stdbool.h>

bool vector_hint_is_unsigned(const char *source, const char *kernel);

#endif
