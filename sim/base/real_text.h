/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The text of a floating-point number: the fewest digits that give the same number when read again,
 *          with a point in every locale, and an exponent only for large and small numbers: 10, not 1e+01.
 */
#ifndef ORRERY_SIM_BASE_REAL_TEXT_H
#define ORRERY_SIM_BASE_REAL_TEXT_H

#include <stdint.h>

enum { REAL_TEXT = 48 };

/* bytes: of the number's type: 2, 4 or 8 */
void real_text(double number, uint64_t bytes, char out_text[REAL_TEXT]);

#endif
