/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies the sources of the front end: the library and its server compare it. */
#include "compile_protocol.h"

const char compile_revision[COMPILE_REVISION_SIZE] =
#include "sim/frontend/revision.inc"
    ;
