/* SPDX-License-Identifier: Apache-2.0 */
/* PURPOSE  The Debug Adapter Protocol over a session: on standard input and output, or for one client on a
 * loopback port. */
#ifndef ORRERY_TOOLS_DEBUG_DAP_H
#define ORRERY_TOOLS_DEBUG_DAP_H

struct settings;

/* port NULL: standard input and output. Returns the exit status. */
int dap_run(const struct settings *settings, const char *port);

#endif
