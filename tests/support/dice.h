/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  Numbers that look random and are the same in every run, for tests that throw dice. */
#ifndef ORRERY_TESTS_SUPPORT_DICE_H
#define ORRERY_TESTS_SUPPORT_DICE_H

#include <stdint.h>

static uint64_t dice = 1;

static inline uint32_t below(uint32_t n)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(dice >> 33) % n;
}

#endif
