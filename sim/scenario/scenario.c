/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of scenario.def: defaults, parsing and printing of single values. */
#include "orrery/scenario.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/checked.h"
#include "orrery/nearest.h"
#include "orrery/schedule.h"
#include "sim/base/scenario_rows.h"

static const struct scenario_row rows[] = {
#define ROW(key, section, field, type, min, max, option, argument, help) \
    {section, key, offsetof(struct scenario, field), ROW_##type, min, max, option, argument, help},
#include "scenario.def"
#undef ROW
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const struct scenario_row *scenario_row(size_t index)
{
    return index < ROW_COUNT ? &rows[index] : NULL;
}

/* ---- defaults ------------------------------------------------------------------- */

#define MEMORY_USUAL (UINT64_C(4) << 30)
#define ALLOCATION_LEAST (UINT64_C(1) << 30)
#define MEMORY_LEAST (UINT64_C(1) << 20)

static void device_default(struct device_config *device)
{
    *device = (struct device_config){
        .type = DEVICE_GPU,
        .version_major = 3,
        .progress = PROGRESS_SUB_GROUP,
        .copy_capabilities = QUEUE_CAN_SINGLE_EVENTS | QUEUE_CAN_CROSS_EVENTS | QUEUE_CAN_SINGLE_WAITS |
                             QUEUE_CAN_CROSS_WAITS | QUEUE_CAN_TRANSFER_BUFFER | QUEUE_CAN_TRANSFER_RECT |
                             QUEUE_CAN_MAP_BUFFER | QUEUE_CAN_MAP_IMAGE | QUEUE_CAN_MARKER |
                             QUEUE_CAN_BARRIER,
        .global_memory = MEMORY_USUAL,
        .max_allocation = ALLOCATION_LEAST,
        .local_memory = 64 << 10,
        .constant_memory = 64 << 10,
        .private_memory = 64 << 20,
        .printf_buffer = 1 << 20,
        .local_banks = 32,
        .bank_bytes = 4,
        .sector_bytes = 32,
        .max_work_group_size = 1024,
        .max_work_item_sizes = {1024, 1024, 1024},
        .max_read_images = 128,
        .max_write_images = 64,
        .max_samplers = 16,
        .sub_group_sizes = {32},
        .fp16 = true,
        .fp64 = true,
        .int64_atomics = true,
        .sub_groups = true,
        .svm_coarse = true,
        .svm_fine = true,
        .svm_atomics = true,
        .il = true,
        .generic_address_space = true,
        .program_scope_variables = true,
        .work_group_collectives = true,
        .non_uniform_groups = true,
        .images = true,
        .pipes = true,
        .device_enqueue = true,
        .initialize_memory = true,
        .kernel_clock = true,
        .named_barriers = true,
        .srgb_writes = true,
        .terminate_context = true,
        .compiler = true,
    };
    topology_default(&device->topology);
}

void scenario_default(struct scenario *scenario)
{
    *scenario = (struct scenario){
        .schedule = {.policy = SCHEDULE_LOCKSTEP, .quantum = 1, .depth = 3, .first_launch = 1},
        .fail_on = SEVERITY_ERROR,
        .values = true,
        .error_exitcode = 66,
        .max_findings = 10,
        .compile_seconds = 60,
        .compile_bytes = UINT64_C(4) << 30,
        .expect = {.exit_status = -1},
    };
    checks_default(scenario->checks);
    device_default(&scenario->device);
}

/* ---- words ------------------------------------------------------------------------ */

struct scenario_word {
    const char *name;
    int value;
};

static const struct scenario_word policies[] = {
    {"lockstep", SCHEDULE_LOCKSTEP}, {"serial", SCHEDULE_SERIAL}, {"round-robin", SCHEDULE_ROUND_ROBIN},
    {"reverse", SCHEDULE_REVERSE},   {"random", SCHEDULE_RANDOM}, {"pct", SCHEDULE_PCT},
    {"script", SCHEDULE_SCRIPT},     {"replay", SCHEDULE_REPLAY}, {NULL, 0},
};
static const struct scenario_word placements[] = {
    {"round-robin", PLACEMENT_ROUND_ROBIN},
    {"block", PLACEMENT_BLOCK},
    {"numa", PLACEMENT_NUMA},
    {"script", PLACEMENT_SCRIPT},
    {NULL, 0},
};
static const struct scenario_word promises[] = {
    {"none", PROGRESS_NONE},
    {"sub-group", PROGRESS_SUB_GROUP},
    {"fair", PROGRESS_FAIR},
    {NULL, 0},
};
static const struct scenario_word thens[] = {
    {"lockstep", SCHEDULE_LOCKSTEP},
    {"serial", SCHEDULE_SERIAL},
    {"random", SCHEDULE_RANDOM},
    {NULL, 0},
};
static const struct scenario_word severities[] = {
    {"off", SEVERITY_OFF},
    {"warning", SEVERITY_WARNING},
    {"error", SEVERITY_ERROR},
    {NULL, 0},
};
static const struct scenario_word device_types[] = {
    {"cpu", DEVICE_CPU},       {"gpu", DEVICE_GPU}, {"accelerator", DEVICE_ACCELERATOR},
    {"custom", DEVICE_CUSTOM}, {NULL, 0},
};
static const struct scenario_word answer_sets[] = {
    {"cts", ANSWERS_CTS}, {"spec", ANSWERS_SPEC}, {"pocl", ANSWERS_POCL}, {"neo", ANSWERS_NEO}, {NULL, 0},
};
static const struct scenario_word hierarchies[] = {
    {"composite", HIERARCHY_COMPOSITE},
    {"flat", HIERARCHY_FLAT},
    {NULL, 0},
};
static const struct scenario_word scope_rules[] = {
    {"equal", SCOPE_RULE_EQUAL},
    {"inclusive31", SCOPE_RULE_INCLUSIVE31},
    {NULL, 0},
};
static const struct scenario_word after_faults[] = {
    {"continue", false},
    {"stop", true},
    {NULL, 0},
};
static const struct scenario_word fixes_words[] = {
    {"try", FIXES_TRY},
    {"compile", FIXES_COMPILE},
    {"off", FIXES_OFF},
    {NULL, 0},
};
static const struct scenario_word compilers[] = {
    {"auto", COMPILE_AUTO},
    {"server", COMPILE_BY_SERVER},
    {"programs", COMPILE_BY_PROGRAMS},
    {"shared", COMPILE_SHARED},
    {NULL, 0},
};
static const struct scenario_word colours[] = {
    {"auto", COLOUR_AUTO},
    {"always", COLOUR_ALWAYS},
    {"never", COLOUR_NEVER},
    {NULL, 0},
};
static const struct scenario_word truths[] = {
    {"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0}, {"on", 1}, {"off", 0}, {"1", 1}, {"0", 0}, {NULL, 0},
};

static bool word_find(const struct scenario_word *words, const char *text, int *out_value)
{
    for (; words->name; words++) {
        if (strcmp(words->name, text) == 0) {
            *out_value = words->value;
            return true;
        }
    }
    return false;
}

static const char *word_name(const struct scenario_word *words, int value)
{
    while (words->name && words->value != value)
        words++;
    return words->name ? words->name : "unknown";
}

static void words_list(const struct scenario_word *words, char expected[EXPECTED_CHARS])
{
    size_t used = 0;
    for (; words->name; words++)
        used +=
            (size_t)snprintf(expected + used, EXPECTED_CHARS - used, "%s%s", used ? ", " : "", words->name);
}

static bool word_set(const struct scenario_word *words, const char *text, int *out_value,
                     char expected[EXPECTED_CHARS])
{
    if (word_find(words, text, out_value))
        return true;
    words_list(words, expected);
    return false;
}

const char *schedule_policy_name(enum schedule_policy policy)
{
    return word_name(policies, (int)policy);
}

bool schedule_policy_from_name(const char *name, enum schedule_policy *out_policy)
{
    int value;
    if (!word_find(policies, name, &value))
        return false;
    *out_policy = (enum schedule_policy)value;
    return true;
}

/* ---- one row: text to field --------------------------------------------------------- */

static void *field_of(struct scenario *scenario, const struct scenario_row *row)
{
    return (char *)scenario + row->offset;
}

static const void *field_in(const struct scenario *scenario, const struct scenario_row *row)
{
    return (const char *)scenario + row->offset;
}

static bool in_range(const struct scenario_row *row, uint64_t value, char expected[EXPECTED_CHARS])
{
    snprintf(expected, EXPECTED_CHARS, "%" PRIu64 " to %" PRIu64, row->min, row->max);
    return value >= row->min && value <= row->max;
}

static bool number_set(const struct scenario_row *row, const char *text, uint64_t *out_value,
                       char expected[EXPECTED_CHARS])
{
    return value_parse_number(text, out_value) ? in_range(row, *out_value, expected)
                                               : in_range(row, 0, expected) && false;
}

static bool size_set(const struct scenario_row *row, const char *text, uint64_t *out_value,
                     char expected[EXPECTED_CHARS])
{
    if (value_parse_size(text, out_value))
        return in_range(row, *out_value, expected);
    snprintf(expected, EXPECTED_CHARS, "bytes, such as 4096, 64KiB, 16MiB or 1GiB");
    return false;
}

static bool seconds_set(const struct scenario_row *row, const char *text, double *out_value,
                        char expected[EXPECTED_CHARS])
{
    char *end;
    double value = strtod(text, &end);
    snprintf(expected, EXPECTED_CHARS, "seconds, %" PRIu64 " to %" PRIu64, row->min, row->max);
    if (end == text || *end || !(value >= (double)row->min && value <= (double)row->max))
        return false;
    *out_value = value;
    return true;
}

static bool version_set(const char *text, uint32_t *major_minor, char expected[EXPECTED_CHARS])
{
    static const char *const versions[] = {"1.2", "2.0", "2.1", "2.2", "3.0"};
    snprintf(expected, EXPECTED_CHARS, "1.2, 2.0, 2.1, 2.2 or 3.0");
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        if (strcmp(text, versions[i]) == 0) {
            major_minor[0] = (uint32_t)(text[0] - '0');
            major_minor[1] = (uint32_t)(text[2] - '0');
            return true;
        }
    }
    return false;
}

static const char *preset_at(const void *self, size_t index)
{
    const char *text, *help;
    (void)self;
    return topology_preset(index, &text, &help);
}

/* One word may be a preset's name misspelt; anything else is a tree with a mistake. */
static void expect_topology(const char *text, const char *wrong, char expected[EXPECTED_CHARS])
{
    size_t count = 0;
    while (preset_at(NULL, count))
        count++;
    char *meant = text[strcspn(text, ": ")] ? NULL : nearest_names(text, "", preset_at, NULL, count);
    if (meant && *meant)
        snprintf(expected, EXPECTED_CHARS, "a topology or the name of a preset; did you mean %.200s?", meant);
    else
        snprintf(expected, EXPECTED_CHARS, "a topology: %.250s", wrong);
    free(meant);
}

static bool topology_set(const char *text, struct topology *topology, char expected[EXPECTED_CHARS])
{
    char units[32];
    uint64_t count = 0;
    struct topology parsed;
    struct diagnosis diagnosis = {0};
    bool number = value_parse_number(text, &count); /* --compute-units N */
    snprintf(units, sizeof units, "cu:%" PRIu64, count);
    enum status status = strncmp(text, "xml:", 4) == 0
                             ? topology_load_xml(text + 4, &parsed, &diagnosis)
                             : topology_parse(number ? units : text, &parsed, &diagnosis);
    if (status != STATUS_OK) {
        expect_topology(text, diagnosis.text, expected);
        return false;
    }
    topology_fini(topology);
    *topology = parsed;
    return true;
}

/* "16,8": at most `most` numbers; the rest of the array becomes 0. */
static bool list_set(const struct scenario_row *row, const char *text, uint32_t *out_list, size_t most,
                     char expected[EXPECTED_CHARS])
{
    uint32_t list[SCENARIO_SUB_GROUP_SIZES] = {0};
    size_t count = 0;
    char *copy = strdup(text), *rest = copy;
    bool fine = copy != NULL;
    for (char *part; fine && (part = strsep(&rest, ",")) != NULL; count++) {
        uint64_t value = 0;
        part += strspn(part, " ");
        fine = count < most && value_parse_number(part, &value) && value >= row->min && value <= row->max;
        list[count < most ? count : 0] = (uint32_t)value;
    }
    free(copy);
    bool triple = row->type == ROW_TRIPLE;
    snprintf(expected, EXPECTED_CHARS, "%s%zu numbers, each %" PRIu64 " to %" PRIu64, triple ? "" : "1 to ",
             most, row->min, row->max);
    if (fine && (!triple || count == most)) {
        memcpy(out_list, list, most * sizeof list[0]);
        return true;
    }
    return false;
}

static const struct {
    const char *name;
    uint32_t bit;
} capabilities[] = {
#define CAPABILITY_WORD(name, word, bit) {word, UINT32_C(1) << bit},
    QUEUE_CAPABILITY_LIST(CAPABILITY_WORD)
#undef CAPABILITY_WORD
};
enum { CAPABILITY_COUNT = sizeof capabilities / sizeof *capabilities };

static uint32_t capability_bit(const char *word)
{
    for (size_t i = 0; i < CAPABILITY_COUNT; i++)
        if (strcmp(word, capabilities[i].name) == 0)
            return capabilities[i].bit;
    return 0;
}

/* A capability across queues implies it within one. */
static bool capabilities_fit(uint32_t bits)
{
    return bits && (!(bits & QUEUE_CAN_CROSS_EVENTS) || (bits & QUEUE_CAN_SINGLE_EVENTS)) &&
           (!(bits & QUEUE_CAN_CROSS_WAITS) || (bits & QUEUE_CAN_SINGLE_WAITS));
}

/* "transfer-buffer,marker" */
static bool capabilities_set(const char *text, uint32_t *out_bits, char expected[EXPECTED_CHARS])
{
    uint32_t bits = 0;
    char *copy = strdup(text), *rest = copy;
    bool fine = copy != NULL;
    for (char *part; fine && (part = strsep(&rest, ",")) != NULL;) {
        uint32_t bit = capability_bit(part + strspn(part, " "));
        fine = bit != 0;
        bits |= bit;
    }
    free(copy);
    size_t used = 0;
    for (size_t i = 0; i < CAPABILITY_COUNT; i++)
        used += (size_t)snprintf(expected + used, EXPECTED_CHARS - used, "%s%s",
                                 i ? ", " : "some of: ", capabilities[i].name);
    snprintf(expected + used, EXPECTED_CHARS - used, "; cross- with single-");
    if (fine && capabilities_fit(bits))
        *out_bits = bits;
    return fine && capabilities_fit(bits);
}

static void capabilities_print(uint32_t bits, FILE *stream)
{
    const char *before = "[";
    for (size_t i = 0; i < CAPABILITY_COUNT; i++)
        if (bits & capabilities[i].bit) {
            fprintf(stream, "%s%s", before, capabilities[i].name);
            before = ", ";
        }
    fputc(']', stream);
}

/* "0,3,1": as many as there are; "" is none. */
static bool unit_list_set(const struct scenario_row *row, const char *text, struct unit_list *list,
                          char expected[EXPECTED_CHARS])
{
    char *copy = strdup(text), *rest = copy;
    struct unit_list read = {0, calloc(strlen(text) + 1, sizeof *read.units)};
    bool fine = copy && read.units;
    for (char *part; fine && *text && (part = strsep(&rest, ",")) != NULL;) {
        uint64_t value = 0;
        part += strspn(part, " ");
        fine = value_parse_number(part, &value) && value >= row->min && value <= row->max;
        read.units[read.count++] = (uint32_t)value;
    }
    free(copy);
    if (!fine) {
        free(read.units);
        snprintf(expected, EXPECTED_CHARS, "numbers, each %" PRIu64 " to %" PRIu64, row->min, row->max);
        return false;
    }
    free(list->units);
    *list = read;
    return true;
}

static bool string_set(char **field, const char *text)
{
    char *copy = strdup(text);
    free(*field);
    *field = copy;
    return copy != NULL;
}

/* A token begins with its version, a record with its magic; anything else names a file with a record. */
static char *replay_text(const char *text, char expected[EXPECTED_CHARS])
{
    bool given = strncmp(text, "1:", 2) == 0 ||
                 strncmp(text, SCHEDULE_RECORD_MAGIC, strlen(SCHEDULE_RECORD_MAGIC)) == 0;
    char *record = given ? strdup(text) : scenario_file_text(text);
    if (!record)
        snprintf(expected, EXPECTED_CHARS, "a replay token (1:SEED:POLICY:SHAPE...) or a file with a record");
    return record;
}

static bool replay_set(struct schedule_config *schedule, const char *text, char expected[EXPECTED_CHARS])
{
    struct diagnosis diagnosis = {0};
    struct schedule_record *record;
    char *own = replay_text(text, expected);
    if (!own)
        return false;
    if (schedule_record_parse(own, &record, &diagnosis) != STATUS_OK) {
        snprintf(expected, EXPECTED_CHARS, "a token or record that can be read (%.200s)", diagnosis.text);
        free(own);
        return false;
    }
    schedule->replayed = record->settings;
    /* runs in passes, which have no time slices */
    if (record->has_switches && record->settings.policy < SCHEDULE_RANDOM)
        schedule->replayed.policy = SCHEDULE_REPLAY;
    schedule_record_free(record);
    free(schedule->replay);
    schedule->replay = own;
    return true;
}

/* NULL: nothing depends on whether the row is stated. */
static bool *stated_of(struct scenario *scenario, const struct scenario_row *row)
{
    struct schedule_config *schedule = &scenario->schedule;
    const void *field = field_of(scenario, row);
    return field == &schedule->timeout_seconds ? &schedule->timeout_stated
           : field == &schedule->max_steps     ? &schedule->steps_stated
                                               : NULL;
}

static bool field_set(struct scenario *scenario, const struct scenario_row *row, const char *text,
                      char expected[EXPECTED_CHARS])
{
    void *field = field_of(scenario, row);
    uint64_t number = 0;
    int word = 0;
    bool fine = false;
    switch (row->type) {
    case ROW_STRING: return string_set(field, text);
    case ROW_REPLAY: return replay_set(&scenario->schedule, text, expected);
    case ROW_BOOL:
        fine = word_set(truths, text, &word, expected);
        if (fine)
            *(bool *)field = word != 0;
        return fine;
    case ROW_FAULTS:
        fine = word_set(after_faults, text, &word, expected);
        if (fine)
            *(bool *)field = word != 0;
        return fine;
    case ROW_COMPILER:
        fine = word_set(compilers, text, &word, expected);
        if (fine)
            *(enum compile_way *)field = (enum compile_way)word;
        return fine;
    case ROW_FIXES:
        fine = word_set(fixes_words, text, &word, expected);
        if (fine)
            *(enum fixes *)field = (enum fixes)word;
        return fine;
    case ROW_INT:
        fine = number_set(row, text, &number, expected);
        if (fine)
            *(int *)field = (int)number;
        return fine;
    case ROW_UINT:
        fine = number_set(row, text, &number, expected);
        if (fine)
            *(uint32_t *)field = (uint32_t)number;
        return fine;
    case ROW_ULONG:
    case ROW_SIZE:
        fine = row->type == ROW_SIZE ? size_set(row, text, &number, expected)
                                     : number_set(row, text, &number, expected);
        if (fine)
            *(uint64_t *)field = number;
        return fine;
    case ROW_SECONDS: return seconds_set(row, text, field, expected);
    case ROW_SEVERITY:
        fine = word_set(severities, text, &word, expected);
        if (fine)
            *(enum severity *)field = (enum severity)word;
        return fine;
    case ROW_COLOUR:
        fine = word_set(colours, text, &word, expected);
        if (fine)
            *(enum colour *)field = (enum colour)word;
        return fine;
    case ROW_CHECKS: return checks_parse(text, scenario->checks, expected, EXPECTED_CHARS);
    case ROW_FAST:
        fine = word_set(truths, text, &word, expected);
        if (fine)
            (word ? checks_fast : checks_default)(scenario->checks);
        return fine;
    case ROW_POLICY:
    case ROW_THEN:
        fine = word_set(row->type == ROW_THEN ? thens : policies, text, &word, expected);
        if (fine)
            *(enum schedule_policy *)field = (enum schedule_policy)word;
        return fine;
    case ROW_PROGRESS:
        fine = word_set(promises, text, &word, expected);
        if (fine)
            *(enum progress *)field = (enum progress)word;
        return fine;
    case ROW_DEVICE_TYPE:
        fine = word_set(device_types, text, &word, expected);
        if (fine)
            *(enum device_type *)field = (enum device_type)word;
        return fine;
    case ROW_ANSWERS:
        fine = word_set(answer_sets, text, &word, expected);
        if (fine)
            *(enum answers *)field = (enum answers)word;
        return fine;
    case ROW_HIERARCHY:
        fine = word_set(hierarchies, text, &word, expected);
        if (fine)
            *(enum hierarchy *)field = (enum hierarchy)word;
        return fine;
    case ROW_SCOPE_RULE:
        fine = word_set(scope_rules, text, &word, expected);
        if (fine)
            *(enum scope_rule *)field = (enum scope_rule)word;
        return fine;
    case ROW_VERSION: return version_set(text, field, expected);
    case ROW_TOPOLOGY: return topology_set(text, field, expected);
    case ROW_PLACEMENT:
        fine = word_set(placements, text, &word, expected);
        if (fine)
            *(enum placement *)field = (enum placement)word;
        return fine;
    case ROW_CAPABILITIES: return capabilities_set(text, field, expected);
    case ROW_UNIT_LIST: return unit_list_set(row, text, field, expected);
    case ROW_SIZE_LIST: return list_set(row, text, field, SCENARIO_SUB_GROUP_SIZES, expected);
    case ROW_TRIPLE: return list_set(row, text, field, 3, expected);
    case ROW_KERNELS: return filter_set_kernels(field, text, expected);
    case ROW_LAUNCHES: return filter_set_launches(field, text, expected);
    case ROW_SAVED_LAUNCH: return saved_launch_set(field, text, expected);
    case ROW_SUPPRESSIONS: /* a file; scenario_load_suppressions reads it */ break;
    }
    return false;
}

/* ---- one row: field to text ----------------------------------------------------------- */

static void size_print(uint64_t bytes, FILE *stream)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (unit < 3 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    fprintf(stream, "%" PRIu64 "%s", bytes, units[unit]);
}

static void list_print(const uint32_t *list, size_t most, FILE *stream)
{
    fputc('[', stream);
    for (size_t i = 0; i < most && list[i]; i++)
        fprintf(stream, "%s%" PRIu32, i ? ", " : "", list[i]);
    fputc(']', stream);
}

static void unit_list_print(const struct unit_list *list, FILE *stream)
{
    fputc('[', stream);
    for (uint32_t i = 0; i < list->count; i++)
        fprintf(stream, "%s%" PRIu32, i ? ", " : "", list->units[i]);
    fputc(']', stream);
}

void scenario_print_quoted(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", stream);
        else if (*c < 32 || *c == 127)
            fprintf(stream, "\\x%02x", *c);
        else
            fputc(*c, stream);
    }
    fputc('"', stream);
}

static void print_field(const struct scenario_row *row, const void *field, FILE *stream)
{
    switch (row->type) {
    case ROW_STRING:
    case ROW_KERNELS:
    case ROW_SAVED_LAUNCH:
    case ROW_REPLAY: scenario_print_quoted(*(char *const *)field, stream); break;
    case ROW_BOOL: fputs(*(const bool *)field ? "true" : "false", stream); break;
    case ROW_COMPILER: fputs(word_name(compilers, (int)*(const enum compile_way *)field), stream); break;
    case ROW_FIXES: fputs(word_name(fixes_words, (int)*(const enum fixes *)field), stream); break;
    case ROW_FAULTS: fputs(word_name(after_faults, *(const bool *)field), stream); break;
    case ROW_INT: fprintf(stream, "%d", *(const int *)field); break;
    case ROW_UINT: fprintf(stream, "%" PRIu32, *(const uint32_t *)field); break;
    case ROW_ULONG: fprintf(stream, "%" PRIu64, *(const uint64_t *)field); break;
    case ROW_SIZE: size_print(*(const uint64_t *)field, stream); break;
    case ROW_SECONDS: fprintf(stream, "%.17g", *(const double *)field); break;
    case ROW_SEVERITY: fputs(word_name(severities, (int)*(const enum severity *)field), stream); break;
    case ROW_POLICY:
    case ROW_THEN: fputs(word_name(policies, (int)*(const enum schedule_policy *)field), stream); break;
    case ROW_PROGRESS: fputs(word_name(promises, (int)*(const enum progress *)field), stream); break;
    case ROW_DEVICE_TYPE:
        fputs(word_name(device_types, (int)*(const enum device_type *)field), stream);
        break;
    case ROW_ANSWERS: fputs(word_name(answer_sets, (int)*(const enum answers *)field), stream); break;
    case ROW_HIERARCHY: fputs(word_name(hierarchies, (int)*(const enum hierarchy *)field), stream); break;
    case ROW_SCOPE_RULE: fputs(word_name(scope_rules, (int)*(const enum scope_rule *)field), stream); break;
    case ROW_VERSION:
        fprintf(stream, "\"%" PRIu32 ".%" PRIu32 "\"", ((const uint32_t *)field)[0],
                ((const uint32_t *)field)[1]);
        break;
    case ROW_TOPOLOGY:
        fputc('"', stream);
        topology_print(field, stream);
        fputc('"', stream);
        break;
    case ROW_PLACEMENT: fputs(word_name(placements, (int)*(const enum placement *)field), stream); break;
    case ROW_CAPABILITIES: capabilities_print(*(const uint32_t *)field, stream); break;
    case ROW_UNIT_LIST: unit_list_print(field, stream); break;
    case ROW_SIZE_LIST: list_print(field, SCENARIO_SUB_GROUP_SIZES, stream); break;
    case ROW_TRIPLE: list_print(field, 3, stream); break;
    case ROW_COLOUR: fputs(word_name(colours, (int)*(const enum colour *)field), stream); break;
    case ROW_CHECKS: checks_print(field, stream); break;
    case ROW_LAUNCHES: filter_print_launches(field, stream); break;
    case ROW_SUPPRESSIONS:
    case ROW_FAST: break;
    }
}

bool scenario_row_set(struct scenario *scenario, const struct scenario_row *row, const char *text,
                      char expected[EXPECTED_CHARS])
{
    const bool fine = field_set(scenario, row, text, expected);
    bool *stated = stated_of(scenario, row);
    if (fine && stated)
        *stated = true;
    return fine;
}

/* Suppressions, and the checks of a profile, have rows of their own. */
static bool is_printed_apart(const struct scenario_row *row)
{
    return row->type == ROW_SUPPRESSIONS || row->type == ROW_CHECKS || row->type == ROW_FAST;
}

static bool is_text(const struct scenario_row *row)
{
    return row->type == ROW_STRING || row->type == ROW_REPLAY || row->type == ROW_KERNELS ||
           row->type == ROW_SAVED_LAUNCH;
}

/* Absent strings, all launches and an exit status that is not stated have no text. */
bool scenario_row_print(const struct scenario *scenario, const struct scenario_row *row, FILE *stream)
{
    const void *field = field_in(scenario, row);
    bool text = is_text(row);
    if (row->type == ROW_LAUNCHES && !((const struct launch_range *)field)->first &&
        !((const struct launch_range *)field)->last)
        return false;
    if (row->type == ROW_SIZE && row->min && !*(const uint64_t *)field)
        return false;
    const bool *stated = stated_of((struct scenario *)(uintptr_t)scenario, row);
    if ((stated && !*stated) || is_printed_apart(row) || (text && !*(char *const *)field) ||
        (row->type == ROW_INT && *(const int *)field < 0))
        return false;
    fprintf(stream, "%s: ", row->key);
    print_field(row, field, stream);
    return true;
}

void scenario_limit(struct scenario *scenario)
{
    enum { LIMIT_SECONDS = 10, LIMIT_STEPS = 20000000 };
    struct schedule_config *schedule = &scenario->schedule;
    if (!schedule->timeout_stated)
        schedule->timeout_seconds = LIMIT_SECONDS;
    if (!schedule->steps_stated)
        schedule->max_steps = LIMIT_STEPS;
    schedule->timeout_stated = schedule->steps_stated = true;
}

const struct scenario_arg *scenario_named_arg(const struct scenario *scenario, const char *name)
{
    for (size_t l = 0; l < scenario->launch_count; l++) {
        for (size_t a = 0; a < scenario->launches[l].arg_count; a++) {
            const struct scenario_arg *arg = &scenario->launches[l].args[a];
            const bool memory = arg->kind == SCENARIO_ARG_BUFFER || arg->kind == SCENARIO_ARG_IMAGE;
            if (arg->name && !arg->same_as && memory && strcmp(arg->name, name) == 0)
                return arg;
        }
    }
    return NULL;
}

bool scenario_opencl_c_20(const struct device_config *device)
{
    return device->version_major == 2 ||
           (device->version_major > 2 && device->generic_address_space && device->program_scope_variables &&
            device->work_group_collectives && device->pipes && device->device_enqueue);
}

/* ---- root devices ----------------------------------------------------------------------- */

/* "on", "off" or a file. */
static bool is_on(const char *text)
{
    int on = 1;
    return text && *text && (!word_find(truths, text, &on) || on);
}

static const char *file_in(const char *text)
{
    int on;
    return text && *text && !word_find(truths, text, &on) ? text : NULL;
}

bool scenario_counts(const struct scenario *scenario)
{
    return scenario->expect.counter_count || is_on(scenario->counters);
}

const char *scenario_counters_file(const struct scenario *scenario)
{
    return file_in(scenario->counters);
}

bool scenario_counts_instructions(const struct scenario *scenario)
{
    return is_on(scenario->instructions);
}

const char *scenario_instructions_file(const struct scenario *scenario)
{
    return file_in(scenario->instructions);
}

bool scenario_profiles(const struct scenario *scenario)
{
    return is_on(scenario->instructions) || scenario->coverage_file;
}

uint32_t scenario_root_count(const struct scenario *scenario)
{
    return 1 + scenario->other_device_count;
}

const struct device_config *scenario_root(const struct scenario *scenario, uint32_t index)
{
    CHECKED(index < scenario_root_count(scenario));
    return index ? &scenario->other_devices[index - 1] : &scenario->device;
}

void scenario_swap_device(struct scenario *scenario, uint32_t other)
{
    struct device_config first = scenario->device;
    scenario->device = scenario->other_devices[other];
    scenario->other_devices[other] = first;
}

static bool copy_text(const char *text, char **out_copy)
{
    *out_copy = text ? strdup(text) : NULL;
    return !text || *out_copy;
}

bool scenario_add_device(struct scenario *scenario)
{
    struct device_config *added = &scenario->other_devices[scenario->other_device_count];
    *added = scenario->device;
    bool copied = copy_text(scenario->device.name, &added->name);
    copied &= copy_text(scenario->device.built_in_kernels, &added->built_in_kernels);
    if (!copied || topology_copy(&scenario->device.topology, &added->topology) != STATUS_OK) {
        free(added->name);
        free(added->built_in_kernels);
        *added = (struct device_config){0};
        return false;
    }
    scenario->other_device_count++;
    return true;
}

/* ---- options ---------------------------------------------------------------------------- */

/* Other names of options: of Oclgrind, of other Englishes, and of the key in a scenario. */
static const struct {
    const char *name, *real, *argument;
} aliases[] = {
    {"compute-units", "topology", "N"},
    {"uninitialized", "check-uninitialised", NULL},
    {"uninitialised", "check-uninitialised", NULL},
    {"check-uninitialized", "check-uninitialised", NULL},
    {"data-races", "check-races", NULL},
    {"races", "check-races", NULL},
    {"check-data-races", "check-races", NULL},
    {"max-errors", "max-findings", NULL},
    {"max-wgsize", "work-group-size", NULL},
    {"colour", "color", NULL},
};
enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

static void variable_name(const char *option, char out[SCENARIO_VARIABLE_CHARS])
{
    size_t used = (size_t)snprintf(out, SCENARIO_VARIABLE_CHARS, "ORRERY_");
    for (; *option && used + 1 < SCENARIO_VARIABLE_CHARS; option++)
        out[used++] = (char)(*option == '-'                     ? '_'
                             : *option >= 'a' && *option <= 'z' ? *option - 'a' + 'A'
                                                                : *option);
    out[used] = '\0';
}

static const struct scenario_row *option_row(const char *key);

bool scenario_option(size_t index, struct scenario_option *out_option)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!rows[i].option || index-- > 0)
            continue;
        *out_option = (struct scenario_option){.name = rows[i].option,
                                               .argument = rows[i].argument,
                                               .help = rows[i].help,
                                               .section = rows[i].section};
        variable_name(rows[i].option, out_option->variable);
        return true;
    }
    if (index >= ALIAS_COUNT)
        return false;
    const struct scenario_row *row = option_row(aliases[index].real);
    const char *argument = aliases[index].argument ? aliases[index].argument : row->argument;
    *out_option = (struct scenario_option){.name = aliases[index].name,
                                           .argument = argument,
                                           .help = row->help,
                                           .section = row->section,
                                           .real = row->option};
    variable_name(aliases[index].name, out_option->variable);
    return true;
}

/* Texts that are absent, and numbers whose 0 means the setting of another key, are no defaults to show. */
bool scenario_option_default(const struct scenario_option *option, FILE *stream)
{
    const struct scenario_row *row = option_row(option->name);
    struct scenario scenario;
    scenario_default(&scenario);
    const void *field = field_in(&scenario, row);
    const bool text = is_text(row) || row->type == ROW_UNIT_LIST || row->type == ROW_LAUNCHES;
    const bool none = row->type == ROW_SUPPRESSIONS || row->type == ROW_FAST || row->type == ROW_BOOL ||
                      text || (row->type == ROW_SIZE && !*(const uint64_t *)field);
    if (!none)
        print_field(row, field, stream);
    scenario_fini(&scenario);
    return !none;
}

bool scenario_option_selects(const struct scenario_option *option)
{
    const struct scenario_row *row = option_row(option->name);
    return row && (row->type == ROW_CHECKS || row->type == ROW_FAST);
}

bool scenario_option_adds(const struct scenario_option *option)
{
    return strcmp(option->name, "suppressions") == 0 || strcmp(option->name, "kernel") == 0;
}

/* "max_errors" and "max-errors" are one name. */
static bool same_option(const char *name, const char *key)
{
    while (*name && (*name == *key || (*name == '-' && *key == '_'))) {
        name++;
        key++;
    }
    return *name == *key;
}

static const struct scenario_row *option_row(const char *key)
{
    for (size_t i = 0; i < ALIAS_COUNT; i++) {
        if (same_option(aliases[i].name, key))
            key = aliases[i].real;
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].option && same_option(rows[i].option, key))
            return &rows[i];
    }
    return NULL;
}

/* An alias that needs another argument than the option is another way to write it, and no name of the key. */
static bool is_alias_of(const struct scenario_row *row, const char *key)
{
    for (size_t i = 0; i < ALIAS_COUNT; i++) {
        if (!aliases[i].argument && strcmp(aliases[i].real, row->option) == 0 &&
            same_option(aliases[i].name, key))
            return true;
    }
    return false;
}

const struct scenario_row *scenario_row_named(const char *section, const char *key)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct scenario_row *row = &rows[i];
        if (strcmp(row->section, section) != 0)
            continue;
        if (strcmp(row->key, key) == 0 ||
            (row->option && (same_option(row->option, key) || is_alias_of(row, key))))
            return row;
    }
    return NULL;
}

/* A bare switch, or VARIABLE=1, enables a check; Oclgrind's variables read so. */
static const char *switch_value(const struct scenario_row *row, const char *value)
{
    int on;
    if (row->argument[0] == '[' && (!value || !*value))
        return row->type == ROW_SEVERITY ? "error" : "true";
    if (row->type == ROW_SEVERITY && value && strcmp(value, "off") != 0 && word_find(truths, value, &on))
        return on ? "error" : "off";
    return value ? value : "";
}

static void settle_replay(struct schedule_config *schedule)
{
    if (!schedule->replay)
        return;
    schedule->policy = schedule->replayed.policy;
    schedule->seed = schedule->replayed.seed;
    schedule->quantum = schedule->replayed.quantum;
    schedule->resident_groups = schedule->replayed.resident_groups;
    schedule->depth = schedule->replayed.depth;
    schedule->spurious = schedule->replayed.spurious;
}

uint64_t scenario_usual_allocation(uint64_t memory)
{
    uint64_t usual = memory / 4 > ALLOCATION_LEAST ? memory / 4 : ALLOCATION_LEAST;
    return usual < memory ? usual : memory;
}

static void settle_memory(struct device_config *device)
{
    const struct topology *topology = &device->topology;
    uint64_t nodes = 0, bytes = device->stated_memory;
    for (uint32_t i = 0; i < topology->node_count; i++)
        nodes += topology->nodes[i].level == TOPOLOGY_NUMA ? topology->nodes[i].bytes : 0;
    if (!bytes)
        bytes = !nodes ? MEMORY_USUAL : nodes < MEMORY_LEAST ? MEMORY_LEAST : nodes;
    device->global_memory = bytes;
    device->max_allocation =
        device->stated_allocation ? device->stated_allocation : scenario_usual_allocation(bytes);
    if (device->max_allocation > bytes)
        device->max_allocation = bytes;
}

void scenario_settle(struct scenario *scenario)
{
    settle_replay(&scenario->schedule);
    uint32_t units = 0;
    for (uint32_t i = 0; i < scenario_root_count(scenario); i++) {
        struct device_config *device = i ? &scenario->other_devices[i - 1] : &scenario->device;
        settle_memory(device);
        device->first_unit = units;
        units += device->topology.compute_units;
    }
}

static enum status load_each(struct scenario *scenario, const char *paths, struct diagnosis *diagnosis)
{
    enum status status = STATUS_OK;
    do {
        const size_t length = strcspn(paths, "\n");
        char *path = strndup(paths, length);
        status = path ? scenario_load_suppressions(scenario, path, diagnosis) : STATUS_OUT_OF_MEMORY;
        free(path);
        paths += length + (paths[length] == '\n');
    } while (!status && *paths);
    return status;
}

enum status scenario_apply_option(struct scenario *scenario, const char *key, const char *value,
                                  struct diagnosis *diagnosis)
{
    char expected[EXPECTED_CHARS] = "";
    const struct scenario_row *row = option_row(key);
    if (!row)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO, "no option is named '%s'", key);
    if (row->type == ROW_SUPPRESSIONS)
        return load_each(scenario, value ? value : "", diagnosis);
    const char *text = switch_value(row, value);
    struct plain_locale locale = value_locale_begin();
    bool fine = scenario_row_set(scenario, row, text, expected);
    for (uint32_t i = 0; fine && i < scenario->other_device_count && strncmp(row->section, "device", 6) == 0;
         i++) {
        scenario_swap_device(scenario, i);
        fine = scenario_row_set(scenario, row, text, expected);
        scenario_swap_device(scenario, i);
    }
    value_locale_end(locale);
    scenario_settle(scenario);
    if (fine)
        return STATUS_OK;
    char *meant = nearest_words(text, expected);
    const bool near = meant && *meant;
    const enum status status =
        diagnose(diagnosis, STATUS_BAD_SCENARIO, "option %s: found '%s', expected %s%s%s%s", row->option,
                 text, expected, near ? "; did you mean " : "", near ? meant : "", near ? "?" : "");
    free(meant);
    return status;
}

enum status scenario_check_policy(const struct scenario *scenario, struct diagnosis *diagnosis)
{
    const struct schedule_config *schedule = &scenario->schedule;
    if (schedule->policy == SCHEDULE_SCRIPT && !schedule->script)
        return diagnose(diagnosis, STATUS_BAD_SCENARIO,
                        "policy script: found no script, expected steps in schedule: script: of a scenario");
    if (schedule->policy == SCHEDULE_REPLAY && !schedule->replay)
        return diagnose(
            diagnosis, STATUS_BAD_SCENARIO,
            "policy replay: found nothing to replay, expected --replay=TOKEN, or a file with a record");
    return STATUS_OK;
}

/* ---- end ----------------------------------------------------------------------------------- */

static void launch_fini(struct scenario_launch *launch)
{
    for (size_t i = 0; i < launch->arg_count; i++) {
        free(launch->args[i].values.data);
        free(launch->args[i].unwritten);
        free(launch->args[i].name);
        free(launch->args[i].same_as);
    }
    free(launch->args);
    free(launch->kernel);
    free(launch->device);
}

static void expect_fini(struct scenario_expect *expect)
{
    for (size_t i = 0; i < expect->finding_count; i++) {
        free(expect->findings[i].id);
        free(expect->findings[i].kernel);
        free(expect->findings[i].why);
        free(expect->findings[i].fix);
    }
    for (size_t i = 0; i < expect->buffer_count; i++)
        free(expect->buffers[i].values.data);
    for (size_t i = 0; i < expect->placement_count; i++)
        free(expect->placements[i].units.units);
    for (size_t i = 0; i < expect->counter_count; i++)
        free(expect->counters[i].place);
    free(expect->placements);
    free(expect->counters);
    free(expect->findings);
    free(expect->buffers);
}

const char *scenario_api_error_name(int error)
{
    switch (error) {
#define API_ERROR(name, number) \
    case number:                \
        return #name;
#include "orrery/api_error.def"
#undef API_ERROR
    default: return NULL;
    }
}

bool scenario_api_error_from_name(const char *name, int *out_error)
{
#define API_ERROR(error, number)     \
    if (strcmp(name, #error) == 0) { \
        *out_error = (number);       \
        return true;                 \
    }
#include "orrery/api_error.def"
#undef API_ERROR
    return false;
}

static void suppression_fini(struct suppression *suppression)
{
    free(suppression->id);
    free(suppression->kernel);
    free(suppression->file);
    free(suppression->object);
    free(suppression->reason);
    free(suppression->origin);
}

void scenario_fini(struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->suppression_count; i++)
        suppression_fini(&scenario->suppressions[i]);
    free(scenario->suppressions);
    for (size_t i = 0; i < scenario->fault_count; i++)
        free(scenario->faults[i].call), free(scenario->faults[i].device);
    free(scenario->faults);
    for (size_t i = 0; i < scenario->launch_count; i++)
        launch_fini(&scenario->launches[i]);
    free(scenario->launches);
    expect_fini(&scenario->expect);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (is_text(&rows[i]))
            free(*(char **)field_of(scenario, &rows[i]));
    }
    for (size_t i = 0; i < scenario->schedule.script_count; i++)
        free(scenario->schedule.script[i].file);
    free(scenario->schedule.script);
    free(scenario->schedule.script_file);
    free(scenario->file);
    topology_fini(&scenario->device.topology);
    free(scenario->schedule.placement_script.units);
    for (uint32_t i = 0; i < scenario->other_device_count; i++) {
        topology_fini(&scenario->other_devices[i].topology);
        free(scenario->other_devices[i].name);
        free(scenario->other_devices[i].built_in_kernels);
    }
    *scenario = (struct scenario){0};
}
