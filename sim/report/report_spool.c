/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SARIF logs wait in a temporary file without a name, one record after the other: the lengths of a name and
 * of a text, and both. Processes made by fork share the file and its position. At the end the logs of each
 * file are joined in their order, which takes time in proportion to their size.
 */
#include "report_spool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_share.h"
#include "sarif.h"

struct report_spool {
    FILE *file;
    struct watch *watch;
    bool failed; /* something could not be kept */
};

struct record {
    uint64_t name_size, text_size; /* with their ends */
};

struct report_spool *report_spool_new(struct watch *watch)
{
    struct report_spool *spool = calloc(1, sizeof *spool);
    FILE *file = spool ? tmpfile() : NULL;
    if (!file) {
        free(spool);
        return NULL;
    }
    spool->file = file;
    spool->watch = watch;
    return spool;
}

void report_spool_free(struct report_spool *spool)
{
    if (spool)
        fclose(spool->file);
    free(spool);
}

/* ---- a record comes ------------------------------------------------------------------- */

static bool write_whole(int file, const void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t count = write(file, (const char *)bytes + at, size - at);
        if (count <= 0)
            return false;
        at += (size_t)count;
    }
    return true;
}

bool report_spool_put(struct report_spool *spool, const char *name, const char *text)
{
    const int file = fileno(spool->file);
    const struct record record = {strlen(name) + 1, strlen(text) + 1};
    watch_lock(spool->watch);
    const bool fine = write_whole(file, &record, sizeof record) &&
                      write_whole(file, name, record.name_size) && write_whole(file, text, record.text_size);
    watch_unlock(spool->watch);
    spool->failed |= !fine;
    return fine;
}

/* ---- the end ------------------------------------------------------------------------------ */

struct target {
    const char *name;
    struct sarif_sum sum;
};

static char *read_all(const struct report_spool *spool, size_t *out_size)
{
    struct stat stat_;
    const int file = fileno(spool->file);
    const size_t size = fstat(file, &stat_) == 0 ? (size_t)stat_.st_size : 0;
    char *bytes = malloc(size + 1);
    size_t at = 0;
    for (ssize_t count = 1; bytes && at < size && count > 0; at += count > 0 ? (size_t)count : 0)
        count = pread(file, bytes + at, size - at, (off_t)at);
    *out_size = at;
    return bytes;
}

static struct target *target_of(struct target **targets, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*targets)[i].name, name) == 0)
            return &(*targets)[i];
    struct target *grown = realloc(*targets, (*count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    *targets = grown;
    grown[*count] = (struct target){.name = name};
    return &grown[(*count)++];
}

static bool join_record(struct target **targets, size_t *count, const char *name, const char *text)
{
    struct target *target = target_of(targets, count, name);
    return target && sarif_sum_add(&target->sum, text);
}

/* A record that is cut short could not be written whole; that was said then. */
static bool join_records(char *bytes, size_t size, struct target **targets, size_t *count)
{
    struct record record;
    bool fine = true;
    for (size_t at = 0; at + sizeof record <= size;
         at += sizeof record + record.name_size + record.text_size) {
        memcpy(&record, bytes + at, sizeof record);
        if (record.name_size + record.text_size > size - at - sizeof record)
            break;
        const char *name = bytes + at + sizeof record;
        fine &= join_record(targets, count, name, name + record.name_size);
    }
    return fine;
}

/* With what programs that were run have written there. */
static bool write_target(struct report_spool *spool, struct target *target, bool force)
{
    struct report_share *share = report_share_new(spool->watch);
    char *own = sarif_sum_text(&target->sum);
    if (!share || !own) {
        report_share_free(share);
        free(own);
        return false;
    }
    report_share_lock(share);
    const char *text = report_share_text(share, SHARE_SARIF, target->name, own);
    FILE *stream = text ? report_output_open(target->name, "w", force) : NULL;
    bool fine = stream != NULL;
    if (stream) {
        fine = fputs(text, stream) >= 0;
        fine &= fclose(stream) == 0;
    }
    report_share_unlock(share);
    report_share_free(share);
    return fine;
}

bool report_spool_write(struct report_spool *spool, bool force, struct diagnosis *diagnosis)
{
    struct target *targets = NULL;
    size_t count = 0, size = 0;
    char *bytes = read_all(spool, &size);
    bool fine = bytes && join_records(bytes, size, &targets, &count) && !spool->failed;
    if (!fine)
        diagnose(diagnosis, STATUS_IO, "the SARIF log is not complete: its parts could not be kept");
    for (size_t i = 0; i < count; i++) {
        const bool written = write_target(spool, &targets[i], force);
        if (!written)
            diagnose(diagnosis, STATUS_IO, "%s cannot be written", targets[i].name);
        fine &= written;
        sarif_sum_fini(&targets[i].sum);
    }
    free(targets);
    free(bytes);
    return fine;
}
