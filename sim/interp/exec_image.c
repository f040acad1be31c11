/* SPDX-License-Identifier: Apache-2.0 */
/* Images: texels of the common formats by the batch, everything else lane by lane through image_access.c. */
#include "image_op.h"
#include "lanes.h"

HANDLER(image_read)
{
    image_read_lanes(insn, frame, wave);
    NEXT;
}

HANDLER(image_write)
{
    image_write_lanes(insn, frame, wave);
    NEXT;
}

HANDLER(image_query)
{
    const uint32_t level = insn->f & IMAGE_QUERY_AT_LEVEL ? *AT(u32, insn->b) : 0;
    *AT(u64, insn->d) = image_query(wave, *AT(u64, insn->a), insn->f, level);
    NEXT;
}
