/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Sizes that only matter for speed, in one place to shrink them: the hostile build
 *          (--enable-hostile) takes the second number, so small that every table grows, every wave is cut and
 *          every time slice ends early. Results must not change.
 */
#ifndef ORRERY_LIMITS_H
#define ORRERY_LIMITS_H

#ifdef ORRERY_HOSTILE
#define HOSTILE(usual, tiny) (tiny)
#else
#define HOSTILE(usual, tiny) (usual)
#endif

#endif
