/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as hwloc's XML: refused with words, or a topology that holds together. */
#include <stdlib.h>

#include "orrery/topology.h"
#include "fuzz.h"
#include "fuzz_file.h"

const char fuzz_name[] = "xml";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct topology topology = {0};
    struct diagnosis diagnosis = {0};
    fuzz_file_open(&file, data, size);
    const enum status status = topology_load_xml(file.path, &topology, &diagnosis);
    if (status == STATUS_OK ? !topology.compute_units : !diagnosis.text[0])
        abort();
    topology_fini(&topology);
    fuzz_file_close(&file);
    return 0;
}
