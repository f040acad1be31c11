/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The control functions by name, for clGetExtensionFunctionAddress.
 */
#ifndef ORRERY_LIB_ORRERY_API_H
#define ORRERY_LIB_ORRERY_API_H

/* NULL: no control function has that name. */
void *orrery_function(const char *name);
#endif
