/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Names of the shared libraries that a program is linked with, read from its file.
 *
 * Interface
 *   shared_libraries_read   false: no ELF program of this machine's word size
 *   shared_libraries_fini   in every case
 */
#ifndef ORRERY_SIM_FRONTEND_SHARED_LIBRARIES_H
#define ORRERY_SIM_FRONTEND_SHARED_LIBRARIES_H

#include <stdbool.h>

#include "text.h"

struct shared_libraries {
    struct list names;
    bool own_path; /* DT_RPATH or DT_RUNPATH: the program searches directories of its own */
};

bool shared_libraries_read(const char *path, struct shared_libraries *out_libraries);
void shared_libraries_fini(struct shared_libraries *libraries);

#endif
