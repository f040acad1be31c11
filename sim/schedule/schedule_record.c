/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded schedules: what each launch chose where the default rule would have chosen otherwise, as a text
 * with sections and as a token. A launch is known by a hash of its kernel's code and sizes, which has no
 * pointers and no names of files, so that a record of another program is refused.
 */
#include "sim/device/schedule_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "orrery/checked.h"
#include "orrery/limits.h"
#include "sim/device/launch_schedule.h"

/* ---- shape ---------------------------------------------------------------------- */

static uint64_t add_text(uint64_t hash, const char *text)
{
    return XXH3_64bits_withSeed(text, strlen(text), hash);
}

/* The source as the code has it: the places of its operations. No pointers, no names of files. */
static uint64_t hash_code(const struct code *code)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; code && i < code->site_count; i++) {
        const struct site *site = &code->sites[i];
        uint32_t numbers[] = {site->line, site->column, site->size, site->components};
        hash = add_text(XXH3_64bits_withSeed(numbers, sizeof numbers, hash), site->what ? site->what : "");
    }
    return hash;
}

uint32_t schedule_record_shape(const struct launch *launch)
{
    const struct launch_info *info = &launch->info;
    uint64_t numbers[16] = {hash_code(launch->code), info->work_dim, info->sub_group_size,
                            launch->compute_unit_count};
    memcpy(numbers + 4, info->global_size, sizeof info->global_size);
    memcpy(numbers + 7, info->local_size, sizeof info->local_size);
    memcpy(numbers + 10, info->global_offset, sizeof info->global_offset);
    uint64_t hash = add_text(XXH3_64bits(numbers, sizeof numbers), info->kernel);
    uint32_t shape = (uint32_t)(hash ^ hash >> 32);
    return shape ? shape : 1;
}

/* ---- while it is made ----------------------------------------------------------------- */

static struct schedule_launch *launch_add(struct schedule_record *record, uint32_t launch, uint32_t shape)
{
    if (record->count == record->room) {
        size_t room = record->room ? record->room * 2 : HOSTILE(8, 1);
        struct schedule_launch *launches = realloc(record->launches, room * sizeof *launches);
        if (!launches)
            return NULL;
        record->launches = launches;
        record->room = room;
    }
    record->launches[record->count] = (struct schedule_launch){.launch = launch, .shape = shape};
    CHECKED(record->count < record->room);
    return &record->launches[record->count++];
}

bool record_launch(struct schedule_record *record, const struct launch *launch)
{
    CHECKED(!record_find(record, launch->info.launch)); /* a launch is recorded once */
    struct schedule_launch *added = launch_add(record, launch->info.launch, schedule_record_shape(launch));
    if (added)
        added->scripted = schedule_is_scripted(launch);
    return added != NULL;
}

bool record_switch(struct schedule_launch *launch, const struct schedule_switch *entry)
{
    if (launch->count == launch->room) {
        size_t room = launch->room ? launch->room * 2 : HOSTILE(64, 1);
        struct schedule_switch *switches = realloc(launch->switches, room * sizeof *switches);
        if (!switches)
            return false;
        launch->switches = switches;
        launch->room = room;
    }
    launch->switches[launch->count++] = *entry;
    CHECKED(launch->count <= launch->room && entry->to.tile != UINT64_MAX);
    return true;
}

const struct schedule_launch *record_find(const struct schedule_record *record, uint32_t launch)
{
    for (size_t i = 0; i < record->count; i++)
        if (record->launches[i].launch == launch)
            return &record->launches[i];
    return NULL;
}

size_t schedule_record_switches(const struct schedule_record *record)
{
    size_t switches = 0;
    for (size_t i = 0; i < record->count; i++)
        switches += record->launches[i].count;
    return switches;
}

void schedule_record_fini(struct schedule_record *record)
{
    for (size_t i = 0; i < record->count; i++)
        free(record->launches[i].switches);
    free(record->launches);
    *record = (struct schedule_record){0};
}

void schedule_record_free(struct schedule_record *record)
{
    if (record)
        schedule_record_fini(record);
    free(record);
}

struct schedule_record *schedule_record_without(const struct schedule_record *record, size_t from,
                                                size_t count)
{
    struct schedule_record *copy = calloc(1, sizeof *copy);
    bool fine = copy != NULL;
    if (copy) {
        *copy = *record;
        copy->launches = NULL;
        copy->count = copy->room = 0;
    }
    for (size_t l = 0, place = 0; fine && l < record->count; l++) {
        const struct schedule_launch *old = &record->launches[l];
        struct schedule_launch *launch = launch_add(copy, old->launch, old->shape);
        fine = launch != NULL;
        if (fine)
            launch->scripted = old->scripted;
        for (size_t i = 0; fine && i < old->count; i++, place++)
            if (place < from || place - from >= count)
                fine = record_switch(launch, &old->switches[i]);
    }
    if (fine)
        return copy;
    schedule_record_free(copy);
    return NULL;
}

/* ---- to text ------------------------------------------------------------------------------ */

static void print_at(const struct schedule_switch *entry, FILE *stream)
{
    if (entry->at.tile != UINT64_MAX)
        fprintf(stream, "%" PRIu64 ".%" PRIu32 "@%" PRIu64, entry->at.tile, entry->at.wave, entry->step);
    else
        fputs("start", stream);
}

static void print_switch(const struct schedule_switch *entry, char separator, FILE *stream)
{
    print_at(entry, stream);
    fprintf(stream, "%c%" PRIu64 ".%" PRIu32, separator, entry->to.tile, entry->to.wave);
}

static void print_policy(const struct schedule_record *record, FILE *stream)
{
    const struct schedule_settings *settings = &record->settings;
    fputs(schedule_policy_name(settings->policy), stream);
    if (settings->quantum > 1)
        fprintf(stream, ",q%" PRIu32, settings->quantum);
    if (settings->resident_groups)
        fprintf(stream, ",r%" PRIu32, settings->resident_groups);
    if (settings->policy == SCHEDULE_PCT)
        fprintf(stream, ",d%" PRIu32, settings->depth);
    if (settings->spurious)
        fprintf(stream, ",w%" PRIu32, settings->spurious);
    if (record->lenient)
        fputs(",lenient", stream);
    else if (record->shrunk)
        fputs(",shrunk", stream);
}

static void print_token(const struct schedule_record *record, FILE *stream)
{
    fprintf(stream, "1:%" PRIu64 ":", record->settings.seed);
    print_policy(record, stream);
    fprintf(stream, ":%08" PRIx32, record->shape);
    char before = ':';
    for (size_t l = 0; record->has_switches && l < record->count; l++) {
        const struct schedule_launch *launch = &record->launches[l];
        if (!launch->count && !launch->scripted)
            continue;
        fprintf(stream, "%c%" PRIu32 "%s", before, launch->launch, launch->scripted ? "s" : "");
        for (size_t i = 0; i < launch->count; i++) {
            fputc(',', stream);
            print_switch(&launch->switches[i], '-', stream);
        }
        before = '+';
    }
    if (record->has_switches && before == ':')
        fputc(':', stream);
}

char *schedule_record_token(const struct schedule_record *record)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    print_token(record, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

char *schedule_replay_token(const struct schedule_record *record)
{
    struct schedule_record settings = *record;
    if (record->forked || (record->mixed && !record->has_switches))
        return NULL;
    settings.has_switches = record->has_switches &&
                            (record->shrunk || record->mixed || record->settings.policy == SCHEDULE_REPLAY);
    return record->shape ? schedule_record_token(&settings) : NULL;
}

void schedule_record_print(const struct schedule_record *record, FILE *stream)
{
    fprintf(stream, "[schedule]\nsettings 1:%" PRIu64 ":", record->settings.seed);
    print_policy(record, stream);
    fprintf(stream, ":%08" PRIx32 "\n", record->shape);
    for (size_t l = 0; record->has_switches && l < record->count; l++) {
        const struct schedule_launch *launch = &record->launches[l];
        fprintf(stream, "[launch]\nnumber %" PRIu32 " shape %08" PRIx32 " turns %zu%s\n", launch->launch,
                launch->shape, launch->count, launch->scripted ? " script" : "");
        for (size_t i = 0; i < launch->count; i++) {
            print_switch(&launch->switches[i], ' ', stream);
            fputc('\n', stream);
        }
    }
}

/* ---- from text ------------------------------------------------------------------------------ */

struct cursor {
    const char *at;
    uint32_t line;
    struct schedule_record *record;
    struct diagnosis *diagnosis;
};

static enum status refuse(const struct cursor *cursor, const char *expected)
{
    int length = (int)strcspn(cursor->at, "\n");
    if (cursor->line)
        return diagnose(cursor->diagnosis, STATUS_BAD_SCENARIO,
                        "the record, line %" PRIu32 ": found '%.*s', expected %s", cursor->line,
                        length < 40 ? length : 40, cursor->at, expected);
    return diagnose(cursor->diagnosis, STATUS_BAD_SCENARIO, "the replay token: found '%.*s', expected %s",
                    length < 40 ? length : 40, cursor->at, expected);
}

static bool eat(struct cursor *cursor, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(cursor->at, text, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

static bool eat_number(struct cursor *cursor, int base, uint64_t most, uint64_t *out_value)
{
    char *end;
    if (!strchr(base == 16 ? "0123456789abcdef" : "0123456789", *cursor->at) || !*cursor->at)
        return false;
    *out_value = strtoull(cursor->at, &end, base);
    if (end - cursor->at > 20 || *out_value > most)
        return false;
    cursor->at = end;
    return true;
}

static bool eat_u32(struct cursor *cursor, int base, uint32_t *out_value)
{
    uint64_t value;
    if (!eat_number(cursor, base, UINT32_MAX, &value))
        return false;
    *out_value = (uint32_t)value;
    return true;
}

static bool eat_setting(struct cursor *cursor)
{
    struct schedule_settings *settings = &cursor->record->settings;
    if (eat(cursor, "lenient"))
        return cursor->record->lenient = true;
    if (eat(cursor, "shrunk"))
        return cursor->record->shrunk = true;
    uint32_t *field = eat(cursor, "q")   ? &settings->quantum
                      : eat(cursor, "r") ? &settings->resident_groups
                      : eat(cursor, "d") ? &settings->depth
                      : eat(cursor, "w") ? &settings->spurious
                                         : NULL;
    if (!field || !eat_u32(cursor, 10, field))
        return false;
    const bool may_be_zero = field == &settings->resident_groups;
    return (*field || may_be_zero) && settings->spurious <= SPURIOUS_MOST;
}

static bool eat_policy(struct cursor *cursor)
{
    char name[16];
    size_t length = strcspn(cursor->at, ",:\n");
    if (length >= sizeof name)
        return false;
    memcpy(name, cursor->at, length);
    name[length] = '\0';
    if (!schedule_policy_from_name(name, &cursor->record->settings.policy))
        return false;
    cursor->at += length;
    while (eat(cursor, ","))
        if (!eat_setting(cursor))
            return false;
    return true;
}

static enum status parse_settings(struct cursor *cursor)
{
    struct schedule_record *record = cursor->record;
    if (!eat(cursor, "1:"))
        return refuse(cursor, "1:SEED:POLICY:SHAPE");
    if (!eat_number(cursor, 10, UINT64_MAX, &record->settings.seed) || !eat(cursor, ":"))
        return refuse(cursor, "a seed and ':'");
    if (!eat_policy(cursor) || !eat(cursor, ":"))
        return refuse(cursor, "a policy, such as random,r8 or pct,d3, and ':'");
    if (!eat_u32(cursor, 16, &record->shape))
        return refuse(cursor, "the eight hexadecimal digits of the program's shape");
    return STATUS_OK;
}

static bool eat_unit(struct cursor *cursor, struct unit *out_unit)
{
    return eat_number(cursor, 10, UINT64_MAX - 1, &out_unit->tile) && eat(cursor, ".") &&
           eat_u32(cursor, 10, &out_unit->wave);
}

static bool eat_switch(struct cursor *cursor, const char *separator, struct schedule_switch *out_switch)
{
    *out_switch = (struct schedule_switch){.at = UNIT_NONE};
    if (!eat(cursor, "start") && !(eat_unit(cursor, &out_switch->at) && eat(cursor, "@") &&
                                   eat_number(cursor, 10, UINT64_MAX, &out_switch->step)))
        return false;
    return eat(cursor, separator) && eat_unit(cursor, &out_switch->to);
}

static enum status parse_switches(struct cursor *cursor)
{
    cursor->record->has_switches = true;
    if (!*cursor->at)
        return STATUS_OK;
    do {
        uint32_t number;
        struct schedule_switch entry;
        const bool found = eat_u32(cursor, 10, &number), scripted = eat(cursor, "s");
        if (!found || (*cursor->at != ',' && !scripted))
            return refuse(cursor, "the number of a launch and ','");
        struct schedule_launch *launch = launch_add(cursor->record, number, 0);
        if (launch)
            launch->scripted = scripted;
        while (launch && eat(cursor, ",")) {
            if (!eat_switch(cursor, "-", &entry))
                return refuse(cursor, "a step, such as 0.3@5-1.2");
            if (!record_switch(launch, &entry))
                launch = NULL;
        }
        if (!launch)
            return diagnose(cursor->diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a record");
    } while (eat(cursor, "+"));
    return *cursor->at ? refuse(cursor, "the end of the token") : STATUS_OK;
}

static enum status parse_token(struct cursor *cursor)
{
    enum status status = parse_settings(cursor);
    if (status != STATUS_OK)
        return status;
    if (eat(cursor, ":"))
        return parse_switches(cursor);
    return *cursor->at ? refuse(cursor, "':' or the end of the token") : STATUS_OK;
}

static bool next_line(struct cursor *cursor)
{
    cursor->line++;
    return eat(cursor, "\n");
}

static enum status parse_launch(struct cursor *cursor)
{
    uint32_t number, shape;
    uint64_t switches;
    const bool has_launch = eat(cursor, "number ") && eat_u32(cursor, 10, &number) &&
                            eat(cursor, " shape ") && eat_u32(cursor, 16, &shape);
    const bool found = has_launch && eat(cursor, " turns ") && eat_number(cursor, 10, UINT64_MAX, &switches);
    const bool scripted = eat(cursor, " script");
    if (!found || !next_line(cursor))
        return refuse(cursor, "number N shape HHHHHHHH turns N");
    struct schedule_launch *launch = launch_add(cursor->record, number, shape);
    bool memory = launch != NULL;
    if (memory)
        launch->scripted = scripted;
    cursor->record->has_switches = true;
    for (uint64_t i = 0; i < switches && memory; i++) {
        struct schedule_switch entry;
        if (!eat_switch(cursor, " ", &entry) || !next_line(cursor))
            return refuse(cursor, "a step, such as 0.3@5 1.2");
        memory = record_switch(launch, &entry);
    }
    return memory ? STATUS_OK : diagnose(cursor->diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a record");
}

/* More steps than were announced, for example, are no section of another reader. */
static enum status section_ends(const struct cursor *cursor)
{
    return *cursor->at && *cursor->at != '[' ? refuse(cursor, "the next section, such as [launch]")
                                             : STATUS_OK;
}

static enum status parse_section(struct cursor *cursor)
{
    if (eat(cursor, "[schedule]\n")) {
        cursor->line++;
        enum status status =
            eat(cursor, "settings ") ? parse_settings(cursor) : refuse(cursor, "settings 1:SEED:...");
        if (status == STATUS_OK && !next_line(cursor))
            status = refuse(cursor, "the end of the line");
        return status == STATUS_OK ? section_ends(cursor) : status;
    }
    if (eat(cursor, "[launch]\n")) {
        cursor->line++;
        enum status status = parse_launch(cursor);
        return status == STATUS_OK ? section_ends(cursor) : status;
    }
    do {
        cursor->at += strcspn(cursor->at, "\n");
        next_line(cursor);
    } while (*cursor->at && *cursor->at != '[');
    return STATUS_OK;
}

static enum status parse_file(struct cursor *cursor)
{
    enum status status = STATUS_OK;
    cursor->line = 2;
    if (*cursor->at != '[')
        return refuse(cursor, "a section, such as [schedule]");
    while (*cursor->at && status == STATUS_OK)
        status = parse_section(cursor);
    return status;
}

enum status schedule_record_parse(const char *text, struct schedule_record **out_record,
                                  struct diagnosis *diagnosis)
{
    struct schedule_record *record = calloc(1, sizeof *record);
    if (!record)
        return diagnose(diagnosis, STATUS_OUT_OF_MEMORY, "no memory for a record");
    struct cursor cursor = {.at = text, .record = record, .diagnosis = diagnosis};
    record->settings.quantum = 1;
    record->settings.depth = 3;
    enum status status = eat(&cursor, SCHEDULE_RECORD_MAGIC) ? parse_file(&cursor) : parse_token(&cursor);
    if (status == STATUS_OK)
        *out_record = record;
    else
        schedule_record_free(record);
    return status;
}

static enum status launches_came(const struct schedule_record *record, uint64_t launches,
                                 struct diagnosis *diagnosis)
{
    for (size_t i = 0; i < record->count && !record->lenient; i++) {
        if (record->launches[i].launch > launches)
            return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                            "the replay is not of this run: launch %" PRIu32
                            ", whose steps it has, never came: the run had %" PRIu64 " launch%s",
                            record->launches[i].launch, launches, launches == 1 ? "" : "es");
    }
    return STATUS_OK;
}

enum status schedule_replay_over(const struct schedule_config *config, uint64_t launches,
                                 struct diagnosis *diagnosis)
{
    struct schedule_record *record;
    enum status status =
        config->replay ? schedule_record_parse(config->replay, &record, diagnosis) : STATUS_OK;
    if (config->replay && status == STATUS_OK) {
        status = launches_came(record, launches, diagnosis);
        schedule_record_free(record);
    }
    return status;
}

/* ---- while it is read -------------------------------------------------------------------------- */

static int compare_units(const struct unit *a, const struct unit *b)
{
    if (a->tile != b->tile)
        return a->tile < b->tile ? -1 : 1;
    return (a->wave > b->wave) - (a->wave < b->wave);
}

static int compare_switches(const void *left, const void *right)
{
    const struct schedule_switch *a = left, *b = right;
    int order = compare_units(&a->at, &b->at);
    return order ? order : (a->step > b->step) - (a->step < b->step);
}

bool switch_index_init(struct switch_index *index, const struct schedule_launch *launch)
{
    size_t count = launch ? launch->count : 0;
    *index = (struct switch_index){.count = count, .left = count};
    index->switches = calloc(count + 1, sizeof *index->switches);
    index->taken = calloc(count + 1, sizeof *index->taken);
    if (!index->switches || !index->taken) {
        switch_index_fini(index);
        return false;
    }
    if (count)
        memcpy(index->switches, launch->switches, count * sizeof *index->switches);
    qsort(index->switches, count, sizeof *index->switches, compare_switches);
    return true;
}

void switch_index_fini(struct switch_index *index)
{
    free(index->switches);
    free(index->taken);
    *index = (struct switch_index){0};
}

const struct schedule_switch *switch_index_take(struct switch_index *index, struct unit at, uint64_t step)
{
    struct schedule_switch wanted = {.at = at, .step = step};
    const struct schedule_switch *found =
        bsearch(&wanted, index->switches, index->count, sizeof *index->switches, compare_switches);
    if (!found || index->taken[found - index->switches])
        return NULL;
    index->taken[found - index->switches] = true;
    CHECKED(index->left > 0);
    index->left--;
    return found;
}

const struct schedule_switch *switch_index_left(const struct switch_index *index)
{
    for (size_t i = 0; i < index->count && index->left; i++)
        if (!index->taken[i])
            return &index->switches[i];
    return NULL;
}
