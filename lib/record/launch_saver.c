/* SPDX-License-Identifier: Apache-2.0 */
/* The executing thread calls this before the launch runs, so memory is as the launch finds it. */
#include "launch_saver.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/api_runtime.h"
#include "lib/message_stream.h"
#include "orrery/saved_launch.h"

static bool saved; /* the launch has begun */

/* The file's name with the process id, malloc'd; NULL: no launch is to be saved, or out of memory. */
static char *file_of_launch(uint32_t *out_number)
{
    const char *text = runtime_get()->scenario.save_launch;
    const char *file = text ? saved_launch_file(text, out_number) : NULL;
    return file ? report_file_name(file) : NULL;
}

void launch_saver_begun(const struct device *device, const struct launch_request *request)
{
    struct diagnosis diagnosis = {0};
    uint32_t number = 0;
    char *file = runtime_get()->scenario.save_launch ? file_of_launch(&number) : NULL;
    if (!file || saved || number != device_last_launch(device)) {
        free(file);
        return;
    }
    saved = true;
    const enum status status = launch_save(device, request, file, &diagnosis);
    if (status != STATUS_OK)
        fprintf(message_stream(), "orrery: error: %s\n",
                diagnosis.text[0] ? diagnosis.text : status_name(status));
    else if (!runtime_get()->scenario.quiet)
        fprintf(message_stream(), "orrery: launch %" PRIu32 ", kernel %s, is saved: orrery run %s\n", number,
                kernel_info(request->kernel)->name, report_name_below_root(runtime_get()->report, file));
    free(file);
}

void launch_saver_end(const struct device *device)
{
    uint32_t number = 0;
    char *file = saved ? NULL : file_of_launch(&number);
    if (file)
        fprintf(message_stream(),
                "orrery: warning: save_launch: the program came to launch %" PRIu32 ", not to %" PRIu32
                ": nothing is saved\n",
                device_last_launch(device), number);
    free(file);
}
