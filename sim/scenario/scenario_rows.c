/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of scenario.def: the text of a setting to its field of struct scenario, and back. Each type of row
 * has a form: a function that parses, one that prints, the words of an enumeration and the bytes of its
 * field. A text that does not fit leaves the field as it was and fills `expected`.
 */
#include "sim/base/scenario_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/nearest.h"
#include "orrery/schedule.h"
#include "sim/base/utf8.h"

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

/* ---- words of enumerations ------------------------------------------------------------- */

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
static const struct scenario_word guarantees[] = {
    {"none", PROGRESS_NONE},
    {"sub-group", PROGRESS_SUB_GROUP},
    {"fair", PROGRESS_FAIR},
    {NULL, 0},
};
static const struct scenario_word after_script[] = {
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
static const struct scenario_word answers[] = {
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
static const struct scenario_word fix_modes[] = {
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

bool scenario_row_truth(const char *text, bool *out_truth)
{
    int value;
    const bool found = word_find(truths, text, &value);
    if (found)
        *out_truth = value != 0;
    return found;
}

/* ---- text to field -------------------------------------------------------------------- */

/* One text for one field. */
struct setting {
    const struct scenario_row *row;
    const char *text;
    void *field;
    char *expected; /* EXPECTED_CHARS: the texts that fit, in words */
};

static bool is_in_range(const struct scenario_row *row, uint64_t value)
{
    return value >= row->min && value <= row->max;
}

static void expect_range(const struct setting *setting, const char *before)
{
    snprintf(setting->expected, EXPECTED_CHARS, "%s%" PRIu64 " to %" PRIu64, before, setting->row->min,
             setting->row->max);
}

static bool parse_in_range(const struct setting *setting, uint64_t *out_value)
{
    expect_range(setting, "");
    return value_parse_number(setting->text, out_value) && is_in_range(setting->row, *out_value);
}

static bool int_set(const struct setting *setting)
{
    uint64_t value;
    const bool fine = parse_in_range(setting, &value);
    if (fine)
        *(int *)setting->field = (int)value;
    return fine;
}

static bool uint_set(const struct setting *setting)
{
    uint64_t value;
    const bool fine = parse_in_range(setting, &value);
    if (fine)
        *(uint32_t *)setting->field = (uint32_t)value;
    return fine;
}

static bool ulong_set(const struct setting *setting)
{
    uint64_t value;
    const bool fine = parse_in_range(setting, &value);
    if (fine)
        *(uint64_t *)setting->field = value;
    return fine;
}

static bool size_set(const struct setting *setting)
{
    uint64_t bytes;
    const bool size = value_parse_size(setting->text, &bytes);
    if (size)
        expect_range(setting, "");
    else
        snprintf(setting->expected, EXPECTED_CHARS, "bytes, such as 4096, 64KiB, 16MiB or 1GiB");
    const bool fine = size && is_in_range(setting->row, bytes);
    if (fine)
        *(uint64_t *)setting->field = bytes;
    return fine;
}

static bool seconds_set(const struct setting *setting)
{
    char *end;
    const double value = strtod(setting->text, &end);
    const double least = (double)setting->row->min, most = (double)setting->row->max;
    expect_range(setting, "seconds, ");
    if (end == setting->text || *end || !(value >= least && value <= most)) /* a NaN is not in range */
        return false;
    *(double *)setting->field = value;
    return true;
}

static bool fast_set(const struct setting *setting)
{
    bool fast;
    if (!scenario_row_truth(setting->text, &fast)) {
        words_list(truths, setting->expected);
        return false;
    }
    (fast ? checks_fast : checks_default)(setting->field);
    return true;
}

static bool checks_set(const struct setting *setting)
{
    return checks_parse(setting->text, setting->field, setting->expected, EXPECTED_CHARS);
}

static bool version_set(const struct setting *setting)
{
    static const char *const versions[] = {"1.2", "2.0", "2.1", "2.2", "3.0"};
    const char *text = setting->text;
    uint32_t *major_minor = setting->field;
    snprintf(setting->expected, EXPECTED_CHARS, "1.2, 2.0, 2.1, 2.2 or 3.0");
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
static void expect_topology(const struct setting *setting, const char *wrong)
{
    const char *text = setting->text;
    size_t count = 0;
    while (preset_at(NULL, count))
        count++;
    const bool word = !text[strcspn(text, ": ")];
    char *meant = word ? nearest_names(text, "", preset_at, NULL, count) : NULL;
    if (meant && *meant)
        snprintf(setting->expected, EXPECTED_CHARS,
                 "a topology or the name of a preset; did you mean %.200s?", meant);
    else if (word)
        snprintf(setting->expected, EXPECTED_CHARS,
                 "a topology or a preset of `orrery topology --list-presets`: %.220s", wrong);
    else
        snprintf(setting->expected, EXPECTED_CHARS, "a topology: %.250s", wrong);
    free(meant);
}

static bool topology_set(const struct setting *setting)
{
    const char *text = setting->text;
    char units[32];
    uint64_t count = 0;
    struct topology parsed;
    struct diagnosis diagnosis = {0};
    bool number = value_parse_number(text, &count); /* N stands for cu:N */
    snprintf(units, sizeof units, "cu:%" PRIu64, count);
    enum status status = strncmp(text, "xml:", 4) == 0
                             ? topology_load_xml(text + 4, &parsed, &diagnosis)
                             : topology_parse(number ? units : text, &parsed, &diagnosis);
    if (status != STATUS_OK) {
        expect_topology(setting, diagnosis.text);
        return false;
    }
    topology_fini(setting->field);
    *(struct topology *)setting->field = parsed;
    return true;
}

/* "16,8": at most `most` numbers, which are `out_list`; the rest of it becomes 0. Returns their count; 0:
 * does not fit. */
static size_t parse_list(const struct setting *setting, uint32_t *out_list, size_t most)
{
    size_t count = 0;
    char *copy = strdup(setting->text), *rest = copy;
    bool fine = copy != NULL;
    for (char *part; fine && (part = strsep(&rest, ",")) != NULL; count++) {
        uint64_t value = 0;
        part += strspn(part, " ");
        fine = count < most && value_parse_number(part, &value) && is_in_range(setting->row, value);
        if (fine)
            out_list[count] = (uint32_t)value;
    }
    free(copy);
    return fine ? count : 0;
}

static bool size_list_set(const struct setting *setting)
{
    uint32_t list[SCENARIO_SUB_GROUP_SIZES] = {0};
    snprintf(setting->expected, EXPECTED_CHARS, "1 to %d numbers, each %" PRIu64 " to %" PRIu64,
             SCENARIO_SUB_GROUP_SIZES, setting->row->min, setting->row->max);
    const bool fine = parse_list(setting, list, SCENARIO_SUB_GROUP_SIZES) > 0;
    if (fine)
        memcpy(setting->field, list, sizeof list);
    return fine;
}

static bool triple_set(const struct setting *setting)
{
    uint32_t list[3];
    expect_range(setting, "3 numbers, each ");
    const bool fine = parse_list(setting, list, 3) == 3;
    if (fine)
        memcpy(setting->field, list, sizeof list);
    return fine;
}

/* "0,3,1": any count of numbers; the empty text is an empty list. */
static bool unit_list_set(const struct setting *setting)
{
    const size_t most = strlen(setting->text) + 1; /* a number and a comma are two characters */
    struct unit_list *list = setting->field, read = {0, calloc(most, sizeof *read.units)};
    expect_range(setting, "numbers, each ");
    if (read.units && *setting->text)
        read.count = (uint32_t)parse_list(setting, read.units, most);
    if (!read.units || (*setting->text && !read.count)) {
        free(read.units);
        return false;
    }
    free(list->units);
    *list = read;
    return true;
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

/* A capability across queues implies the same capability within one queue. */
static bool are_complete(uint32_t bits)
{
    const bool events = !(bits & QUEUE_CAN_CROSS_EVENTS) || bits & QUEUE_CAN_SINGLE_EVENTS;
    const bool waits = !(bits & QUEUE_CAN_CROSS_WAITS) || bits & QUEUE_CAN_SINGLE_WAITS;
    return bits && events && waits;
}

/* "transfer-buffer,marker" */
static bool capabilities_set(const struct setting *setting)
{
    uint32_t bits = 0;
    char *copy = strdup(setting->text), *rest = copy;
    bool fine = copy != NULL;
    for (char *part; fine && (part = strsep(&rest, ",")) != NULL;) {
        uint32_t bit = capability_bit(part + strspn(part, " "));
        fine = bit != 0;
        bits |= bit;
    }
    free(copy);
    char *expected = setting->expected;
    size_t used = 0;
    for (size_t i = 0; i < CAPABILITY_COUNT; i++)
        used += (size_t)snprintf(expected + used, EXPECTED_CHARS - used, "%s%s",
                                 i ? ", " : "some of: ", capabilities[i].name);
    snprintf(expected + used, EXPECTED_CHARS - used, "; cross- with single-");
    fine = fine && are_complete(bits);
    if (fine)
        *(uint32_t *)setting->field = bits;
    return fine;
}

/* Frees the former text of a field; NULL: out of memory, which is reported like a text that does not fit. */
static bool text_store(char **field, char *text)
{
    if (!text)
        return false;
    free(*field);
    *field = text;
    return true;
}

static bool string_set(const struct setting *setting)
{
    return text_store(setting->field, strdup(setting->text));
}

static bool kernels_set(const struct setting *setting)
{
    return filter_set_kernels(setting->field, setting->text, setting->expected);
}

static bool launches_set(const struct setting *setting)
{
    return filter_set_launches(setting->field, setting->text, setting->expected);
}

static bool save_launch_set(const struct setting *setting)
{
    return saved_launch_set(setting->field, setting->text, setting->expected);
}

/* A token begins with its version, a record with its magic; anything else names a file with a record. */
static char *replay_text(const char *text, char expected[EXPECTED_CHARS])
{
    bool given = strncmp(text, "1:", 2) == 0 ||
                 strncmp(text, SCHEDULE_RECORD_MAGIC, strlen(SCHEDULE_RECORD_MAGIC)) == 0;
    char *record = given ? strdup(text) : scenario_file_text(text);
    if (!record)
        snprintf(expected, EXPECTED_CHARS,
                 "a replay token (1:SEED:POLICY:SHAPE...) or a file with a record%s",
                 access(text, F_OK) != 0 ? ", which is not there" : "");
    return record;
}

/* The field is schedule.replay; the settings that the record states go beside it, for scenario_settle(). */
static bool replay_set(const struct setting *setting)
{
    struct schedule_config *schedule =
        (void *)((char *)setting->field - offsetof(struct schedule_config, replay));
    struct diagnosis diagnosis = {0};
    struct schedule_record *record;
    char *own = replay_text(setting->text, setting->expected);
    if (!own)
        return false;
    if (schedule_record_parse(own, &record, &diagnosis) != STATUS_OK) {
        snprintf(setting->expected, EXPECTED_CHARS, "a token or record that can be read (%.200s)",
                 diagnosis.text);
        free(own);
        return false;
    }
    schedule->replayed = record->settings;
    /* Policies below random run in passes, which have no time slices: switches are replayed one by one. */
    if (record->has_switches && record->settings.policy < SCHEDULE_RANDOM)
        schedule->replayed.policy = SCHEDULE_REPLAY;
    schedule_record_free(record);
    return text_store(&schedule->replay, own);
}

/* ---- field to text ----------------------------------------------------------------------- */

static void int_print(const void *field, FILE *stream)
{
    fprintf(stream, "%d", *(const int *)field);
}

static void uint_print(const void *field, FILE *stream)
{
    fprintf(stream, "%" PRIu32, *(const uint32_t *)field);
}

static void ulong_print(const void *field, FILE *stream)
{
    fprintf(stream, "%" PRIu64, *(const uint64_t *)field);
}

static void seconds_print(const void *field, FILE *stream)
{
    fprintf(stream, "%.17g", *(const double *)field);
}

static void version_print(const void *field, FILE *stream)
{
    const uint32_t *major_minor = field;
    fprintf(stream, "\"%" PRIu32 ".%" PRIu32 "\"", major_minor[0], major_minor[1]);
}

static void size_print(const void *field, FILE *stream)
{
    uint64_t bytes = *(const uint64_t *)field;
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    int unit = 0;
    while (unit < 3 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    fprintf(stream, "%" PRIu64 "%s", bytes, units[unit]);
}

static void numbers_print(const uint32_t *list, size_t count, FILE *stream)
{
    fputc('[', stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s%" PRIu32, i ? ", " : "", list[i]);
    fputc(']', stream);
}

static void size_list_print(const void *field, FILE *stream)
{
    const uint32_t *list = field;
    size_t count = 0;
    while (count < SCENARIO_SUB_GROUP_SIZES && list[count])
        count++;
    numbers_print(list, count, stream);
}

static void triple_print(const void *field, FILE *stream)
{
    numbers_print(field, 3, stream);
}

static void unit_list_print(const void *field, FILE *stream)
{
    const struct unit_list *list = field;
    numbers_print(list->units, list->count, stream);
}

static void capabilities_print(const void *field, FILE *stream)
{
    const uint32_t bits = *(const uint32_t *)field;
    const char *before = "[";
    for (size_t i = 0; i < CAPABILITY_COUNT; i++)
        if (bits & capabilities[i].bit) {
            fprintf(stream, "%s%s", before, capabilities[i].name);
            before = ", ";
        }
    fputc(']', stream);
}

/* YAML takes these as escapes only: control characters, a mark of byte order, other ends of lines, and what
 * is no character (YAML 1.2, 5.1 and 5.4). */
static bool is_escaped(uint32_t character)
{
    return character < 32 || (character >= 127 && character < 0xa0) || character == 0x2028 ||
           character == 0x2029 || character == 0xfeff || character == 0xfffe || character == 0xffff;
}

void scenario_print_quoted(const char *text, FILE *stream)
{
    size_t bytes;
    fputc('"', stream);
    for (const char *c = text, *end = text + strlen(text); c < end; c += bytes) {
        const uint32_t decoded = utf8_decode(c, (size_t)(end - c), &bytes),
                       character = decoded == UTF8_INVALID ? (unsigned char)*c : decoded;
        if (character == '"' || character == '\\')
            fprintf(stream, "\\%c", (int)character);
        else if (character == '\n')
            fputs("\\n", stream);
        else if (decoded == UTF8_INVALID || (is_escaped(character) && character < 0x100))
            fprintf(stream, "\\x%02x", character);
        else if (is_escaped(character))
            fprintf(stream, "\\u%04x", character);
        else
            fwrite(c, 1, bytes, stream);
    }
    fputc('"', stream);
}

static void string_print(const void *field, FILE *stream)
{
    scenario_print_quoted(*(char *const *)field, stream);
}

static void topology_field_print(const void *field, FILE *stream)
{
    fputc('"', stream);
    topology_print(field, stream);
    fputc('"', stream);
}

static void checks_field_print(const void *field, FILE *stream)
{
    checks_print(field, stream);
}

static void launches_print(const void *field, FILE *stream)
{
    filter_print_launches(field, stream);
}

/* ---- forms: one per type of row ----------------------------------------------------------- */

_Static_assert(sizeof(enum severity) == sizeof(int), "an enumeration is stored as an int");

/* A form has either words or functions. */
static const struct row_form {
    const struct scenario_word *words;
    size_t word_bytes; /* of an enumeration or a bool */
    bool (*set)(const struct setting *setting);
    void (*print)(const void *field, FILE *stream);
} forms[] = {
    [ROW_BOOL] = {truths, sizeof(bool), NULL, NULL},
    [ROW_FAULTS] = {after_faults, sizeof(bool), NULL, NULL},
    [ROW_COMPILER] = {compilers, sizeof(enum compile_way), NULL, NULL},
    [ROW_FIXES] = {fix_modes, sizeof(enum fixes), NULL, NULL},
    [ROW_SEVERITY] = {severities, sizeof(enum severity), NULL, NULL},
    [ROW_COLOUR] = {colours, sizeof(enum colour), NULL, NULL},
    [ROW_POLICY] = {policies, sizeof(enum schedule_policy), NULL, NULL},
    [ROW_THEN] = {after_script, sizeof(enum schedule_policy), NULL, NULL},
    [ROW_PROGRESS] = {guarantees, sizeof(enum progress), NULL, NULL},
    [ROW_DEVICE_TYPE] = {device_types, sizeof(enum device_type), NULL, NULL},
    [ROW_ANSWERS] = {answers, sizeof(enum answers), NULL, NULL},
    [ROW_HIERARCHY] = {hierarchies, sizeof(enum hierarchy), NULL, NULL},
    [ROW_SCOPE_RULE] = {scope_rules, sizeof(enum scope_rule), NULL, NULL},
    [ROW_PLACEMENT] = {placements, sizeof(enum placement), NULL, NULL},
    [ROW_INT] = {NULL, 0, int_set, int_print},
    [ROW_UINT] = {NULL, 0, uint_set, uint_print},
    [ROW_ULONG] = {NULL, 0, ulong_set, ulong_print},
    [ROW_SIZE] = {NULL, 0, size_set, size_print},
    [ROW_SECONDS] = {NULL, 0, seconds_set, seconds_print},
    [ROW_STRING] = {NULL, 0, string_set, string_print},
    [ROW_REPLAY] = {NULL, 0, replay_set, string_print},
    [ROW_KERNELS] = {NULL, 0, kernels_set, string_print},
    [ROW_SAVED_LAUNCH] = {NULL, 0, save_launch_set, string_print},
    [ROW_CHECKS] = {NULL, 0, checks_set, checks_field_print},
    [ROW_FAST] = {NULL, 0, fast_set, NULL},
    [ROW_VERSION] = {NULL, 0, version_set, version_print},
    [ROW_TOPOLOGY] = {NULL, 0, topology_set, topology_field_print},
    [ROW_CAPABILITIES] = {NULL, 0, capabilities_set, capabilities_print},
    [ROW_UNIT_LIST] = {NULL, 0, unit_list_set, unit_list_print},
    [ROW_SIZE_LIST] = {NULL, 0, size_list_set, size_list_print},
    [ROW_TRIPLE] = {NULL, 0, triple_set, triple_print},
    [ROW_LAUNCHES] = {NULL, 0, launches_set, launches_print},
    [ROW_SUPPRESSIONS] = {NULL, 0, NULL, NULL}, /* a file; scenario_load_suppressions() reads it */
};

static void *field_of(struct scenario *scenario, const struct scenario_row *row)
{
    return (char *)scenario + row->offset;
}

static const void *field_in(const struct scenario *scenario, const struct scenario_row *row)
{
    return (const char *)scenario + row->offset;
}

/* Little-endian: the first byte of an int is the bool. */
static bool word_set(const struct row_form *form, const struct setting *setting)
{
    int value;
    const bool found = word_find(form->words, setting->text, &value);
    if (found)
        memcpy(setting->field, &value, form->word_bytes);
    else
        words_list(form->words, setting->expected);
    return found;
}

void scenario_row_print_value(const struct scenario *scenario, const struct scenario_row *row, FILE *stream)
{
    const struct row_form *form = &forms[row->type];
    int word = 0;
    memcpy(&word, field_in(scenario, row), form->word_bytes);
    if (form->words)
        fputs(word_name(form->words, word), stream);
    else if (form->print)
        form->print(field_in(scenario, row), stream);
}

bool scenario_row_is_text(const struct scenario_row *row)
{
    return forms[row->type].print == string_print;
}

bool scenario_row_is_list(const struct scenario_row *row)
{
    switch (row->type) {
    case ROW_SIZE_LIST:
    case ROW_TRIPLE:
    case ROW_UNIT_LIST:
    case ROW_CAPABILITIES:
    case ROW_CHECKS:
    case ROW_KERNELS: return true;
    default: return false;
    }
}

void scenario_rows_free_texts(struct scenario *scenario)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (scenario_row_is_text(&rows[i]))
            free(*(char **)field_of(scenario, &rows[i]));
    }
}

/* The flag that notes whether the row was given; NULL: nothing depends on it. */
static bool *stated_of(struct scenario *scenario, const struct scenario_row *row)
{
    struct schedule_config *schedule = &scenario->schedule;
    const void *field = field_of(scenario, row);
    return field == &schedule->timeout_seconds ? &schedule->timeout_stated
           : field == &schedule->max_steps     ? &schedule->steps_stated
                                               : NULL;
}

bool scenario_row_set(struct scenario *scenario, const struct scenario_row *row, const char *text,
                      char expected[EXPECTED_CHARS])
{
    const struct row_form *form = &forms[row->type];
    const struct setting setting = {
        .row = row, .text = text, .field = field_of(scenario, row), .expected = expected};
    const bool fine = form->words ? word_set(form, &setting) : form->set && form->set(&setting);
    bool *stated = stated_of(scenario, row);
    if (fine && stated)
        *stated = true;
    return fine;
}

/* Suppressions are a section of their own; the rows of single checks say what a profile says. */
static bool is_printed_elsewhere(const struct scenario_row *row)
{
    return row->type == ROW_SUPPRESSIONS || row->type == ROW_CHECKS || row->type == ROW_FAST;
}

/* Absent texts, the range of all launches, sizes that follow from another setting (0 is below the least that
 * can be given), and an exit status that no expectation gives (-1). */
bool scenario_row_is_absent(const struct scenario *scenario, const struct scenario_row *row)
{
    const void *field = field_in(scenario, row);
    const struct launch_range *range = field;
    switch (row->type) {
    case ROW_LAUNCHES: return !range->first && !range->last;
    case ROW_SIZE: return row->min && !*(const uint64_t *)field;
    case ROW_INT: return *(const int *)field < 0;
    default: return scenario_row_is_text(row) && !*(char *const *)field;
    }
}

bool scenario_row_print(const struct scenario *scenario, const struct scenario_row *row, FILE *stream)
{
    const bool *stated = stated_of((struct scenario *)(uintptr_t)scenario, row);
    if ((stated && !*stated) || is_printed_elsewhere(row) || scenario_row_is_absent(scenario, row))
        return false;
    fprintf(stream, "%s: ", row->key);
    scenario_row_print_value(scenario, row, stream);
    return true;
}
