/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs are records in a memory file (memfd), to which processes made by fork append, too. A record is a
 * head, the name of the log's file, and the log. At the end the logs of each file are joined in the order of
 * their records, in time proportional to their size.
 */
#include "report_spool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report_share.h"
#include "sarif.h"

struct report_spool {
    FILE *file;
    struct watch *watch; /* its lock keeps records of processes from mixing */
    bool failed;         /* a record was written in part */
};

struct spool_record {
    uint64_t name_size, text_size; /* bytes, with the terminating zeros */
    uint64_t force;                /* --force: the file is replaced whatever it contains */
};

struct report_spool *report_spool_new(struct watch *watch)
{
    struct report_spool *spool = calloc(1, sizeof *spool);
    const int memory = spool ? memfd_create("orrery-sarif", MFD_CLOEXEC) : -1;
    FILE *file = memory >= 0 ? fdopen(memory, "a") : NULL;
    if (!file) {
        if (memory >= 0)
            close(memory);
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

/* ---- adding a log --------------------------------------------------------------------- */

bool report_spool_put(struct report_spool *spool, const char *name, bool force, const char *text)
{
    const struct spool_record record = {strlen(name) + 1, strlen(text) + 1, force};
    watch_lock(spool->watch);
    fwrite(&record, sizeof record, 1, spool->file);
    fwrite(name, record.name_size, 1, spool->file);
    fwrite(text, record.text_size, 1, spool->file);
    const bool fine = fflush(spool->file) == 0 && !ferror(spool->file);
    watch_unlock(spool->watch);
    spool->failed |= !fine;
    return fine;
}

/* ---- joining the logs ----------------------------------------------------------------- */

struct target {
    const char *name;
    bool force;
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

static bool join_record(struct target **targets, size_t *count, const struct spool_record *record,
                        const char *name)
{
    struct target *target = target_of(targets, count, name);
    if (target)
        target->force |= record->force != 0;
    return target && sarif_sum_add(&target->sum, name + record->name_size);
}

/* Stops at a record that was written in part: report_spool_put returned false for it. */
static bool join_records(char *bytes, size_t size, struct target **targets, size_t *count)
{
    struct spool_record record;
    bool fine = true;
    for (size_t at = 0; at + sizeof record <= size;
         at += sizeof record + record.name_size + record.text_size) {
        memcpy(&record, bytes + at, sizeof record);
        if (record.name_size + record.text_size > size - at - sizeof record)
            break;
        fine &= join_record(targets, count, &record, bytes + at + sizeof record);
    }
    return fine;
}

/* Joins the sum with what programs that the command ran have written to the file. */
static bool write_target(struct report_spool *spool, struct target *target)
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
    FILE *stream = text ? report_output_open(target->name, "w", target->force) : NULL;
    bool fine = stream != NULL;
    if (stream) {
        fine = fputs(text, stream) >= 0;
        fine &= fclose(stream) == 0;
    }
    report_share_unlock(share);
    report_share_free(share);
    return fine;
}

bool report_spool_write(struct report_spool *spool, struct diagnosis *diagnosis)
{
    struct target *targets = NULL;
    size_t count = 0, size = 0;
    char *bytes = read_all(spool, &size);
    bool fine = bytes && join_records(bytes, size, &targets, &count) && !spool->failed;
    if (!fine)
        diagnose(diagnosis, STATUS_IO, "the SARIF log is not complete: its parts could not be kept");
    for (size_t i = 0; i < count; i++) {
        const bool written = write_target(spool, &targets[i]);
        if (!written)
            diagnose(diagnosis, STATUS_IO, "%s cannot be written", targets[i].name);
        fine &= written;
        sarif_sum_fini(&targets[i].sum);
    }
    free(targets);
    free(bytes);
    return fine;
}
