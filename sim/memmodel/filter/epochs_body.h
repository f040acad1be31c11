/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  The functions of epochs.c that exist once per instruction set: it includes this once for each,
 *          with TARGET, NAME() and WIDTH (lanes to a vector) defined, after links, list and pack.
 */
typedef int32_t NAME(epochs) __attribute__((vector_size(WIDTH * sizeof(int32_t))));
#define epochs NAME(epochs)

/* WIDTH lanes of a run: where their granules' epochs are, of readers [0] and writers [1]; their values; the
 * lanes' own epochs; all ones for active lanes. */
struct NAME(part) {
    int32_t *at[2];
    epochs epoch[2], own, active;
};
TARGET INLINED void NAME(load)(const int32_t *from, epochs *out)
{
    memcpy(out, from, sizeof *out);
}

/* All ones in lanes whose bit is set. */
TARGET INLINED void NAME(spread)(uint32_t bits, epochs *out)
{
    static const epochs bit = BITS;
    *out = (bit & (int32_t)bits) != 0;
}

TARGET INLINED void NAME(part_of)(const struct epoch_row *row, const struct lane_run *run, uint32_t from,
                                  struct NAME(part) * out)
{
    const uint32_t left = run->count - from, lane = run->lane + from;
    const size_t at = (run->at >> row->shift) + from;
    out->at[0] = row->readers + at;
    out->at[1] = row->writers + at;
    NAME(load)(out->at[0], &out->epoch[0]);
    NAME(load)(out->at[1], &out->epoch[1]);
    NAME(load)(row->own + lane, &out->own);
    out->own += row->add;
    NAME(spread)((uint32_t)lane_bits(row->mask, lane, left < WIDTH ? left : WIDTH), &out->active);
}

TARGET INLINED void NAME(put)(const struct NAME(part) * part, int use, const epochs *value)
{
    const epochs kept = (*value & part->active) | (part->epoch[use] & ~part->active);
    memcpy(part->at[use], &kept, sizeof kept);
}

/* All ones where another unit has written in this launch; without rule 3, where any unit has. */
TARGET INLINED void NAME(written)(const struct NAME(part) * part, const struct epoch_row *row, epochs *out)
{
    *out = (part->epoch[1] >= row->first) & ((part->epoch[1] != part->own) | (RULE(3) ? 0 : -1));
}

TARGET INLINED void NAME(read_part)(const struct NAME(part) * part, const struct epoch_row *row,
                                    epochs *foreign)
{
    const epochs old = part->epoch[0], inside = (old >= row->low) & (old < row->high),
                 other = (old >= row->first) & (old != part->own);
    const epochs mixed = (inside & (row->high - 1)) | (~inside & row->many),
                 next = (other & mixed) | (~other & part->own);
    epochs theirs;
    NAME(written)(part, row, &theirs);
    *foreign |= part->active & theirs & (part->epoch[1] != row->loads);
    NAME(put)(part, 0, &next);
}

TARGET INLINED void NAME(write_part)(const struct NAME(part) * part, const struct epoch_row *row,
                                     epochs *foreign)
{
    epochs theirs;
    NAME(written)(part, row, &theirs);
    *foreign |= part->active & (theirs | ((part->epoch[0] >= row->first) & (part->epoch[0] != part->own)));
    NAME(put)(part, 1, &part->own);
}

TARGET INLINED bool NAME(touch_runs)(const struct epoch_row *row, const struct lane_runs *runs, bool write)
{
    const struct epoch_row local = *row;
    epochs foreign = {0};
    for (const struct lane_run *run = runs->run, *end = run + runs->count; run < end; run++)
        for (uint32_t from = 0; from < run->count; from += WIDTH) {
            struct NAME(part) part;
            NAME(part_of)(&local, run, from, &part);
            (write ? NAME(write_part) : NAME(read_part))(&part, &local, &foreign);
        }
    int32_t any = 0;
    for (int i = 0; i < WIDTH; i++)
        any |= foreign[i];
    return !any;
}

TARGET static bool NAME(find)(const struct lane_list *list, struct lane_runs *out)
{
    uint64_t links[LANE_MASK_WORDS] = {0};
    NAME(links)(list, links);
    return find_runs(list, links, out);
}

TARGET static bool NAME(read)(const struct epoch_row *row, const struct lane_runs *runs)
{
    return NAME(touch_runs)(row, runs, false);
}

TARGET static bool NAME(write)(const struct epoch_row *row, const struct lane_runs *runs)
{
    return NAME(touch_runs)(row, runs, true);
}

static const struct epoch_loops NAME(loops) = {NAME(find), NAME(read), NAME(write), NAME(list), NAME(pack)};

#undef epochs
#undef TARGET
#undef NAME
#undef WIDTH
#undef BITS
