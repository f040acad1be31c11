/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Conversion between any two number kinds, with any rounding, saturating or not, in
 *          integer arithmetic: the same bits everywhere.
 *
 * Interface
 *   number_convert   count numbers; how = from | to << 8 | rounding << 16 | saturate << 24.
 *                    Arrays may be the same when the widths are.
 *   Integers keep the low bits unless saturating.  Float to integer out of range: the
 *   smallest signed, 1 << (bits - 1) unsigned; saturating: the nearest, NaN gives 0.
 */
#ifndef ORRERY_SIM_INTERP_VALUE_NUMBER_H
#define ORRERY_SIM_INTERP_VALUE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

void number_convert(uint32_t how, size_t count, void *out, const void *in);

#endif
