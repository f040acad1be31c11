/* SPDX-License-Identifier: Apache-2.0 */
/* Many seeds, one process each; then the failing schedule with the fewest steps. */
#include "tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHRINK_RUNS = 500, TOKEN_MAX_CHARS = 100000 };

struct seed_search {
    const struct seeds_target *target;
    enum schedule_policy policy;
    char directory[32], replay[64], record[64]; /* files of a trial */
    bool scenario;                              /* the target is one, not a program */
    int code;                                   /* of the failure that is shrunk */
    uint32_t runs;
};

bool seeds_parse(const char *text, struct seeds *out_seeds)
{
    char *end;
    bool digits = *text >= '0' && *text <= '9';
    errno = 0;
    out_seeds->first = out_seeds->last = strtoull(text, &end, 10);
    if (digits && strncmp(end, "..", 2) == 0) {
        digits = end[2] >= '0' && end[2] <= '9';
        out_seeds->last = strtoull(end + 2, &end, 10);
    }
    out_seeds->given = digits && !errno && !*end && out_seeds->first <= out_seeds->last;
    return out_seeds->given;
}

/* ---- one trial ------------------------------------------------------------------- */

struct seed_words {
    char **at;
    size_t count;
};

static void word_add(struct seed_words *words, char *word)
{
    char **grown = word ? realloc(words->at, (words->count + 2) * sizeof *grown) : NULL;
    if (!grown)
        tools_no_memory();
    words->at = grown;
    grown[words->count++] = word;
    grown[words->count] = NULL;
}

static void option_add(struct seed_words *words, const char *name, const char *value)
{
    char *word;
    if (asprintf(&word, *value ? "--%s=%s" : "--%s", name, value) < 0)
        tools_no_memory();
    word_add(words, word);
}

static void words_fini(struct seed_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->at[i]);
    free(words->at);
}

static bool overridden(const char *option)
{
    return strcmp(option, "record") == 0 || strcmp(option, "replay") == 0;
}

/* The command line of this one without its seeds. loud: the user's record file counts. */
static void command_begin(const struct seed_search *search, struct seed_words *words, bool loud)
{
    const struct settings *settings = search->target->settings;
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length < 0 ? 0 : length] = '\0';
    word_add(words, strdup(own));
    word_add(words, strdup(search->target->command));
    if (settings->scenario_file)
        option_add(words, "scenario", settings->scenario_file);
    for (size_t i = 0; i < settings->count; i++)
        if (loud || !overridden(settings->given[i].name))
            option_add(words, settings->given[i].name, settings->given[i].value);
    if (!loud && strcmp(search->target->command, "run") == 0)
        option_add(words, "fixes", "off"); /* the exit status is all that counts */
    if (search->target->exec)
        option_add(words, "exec", search->target->exec);
}

static int command_run(const struct seed_search *search, struct seed_words *words, bool loud)
{
    word_add(words, strdup("--"));
    for (char *const *rest = search->target->rest; *rest; rest++)
        word_add(words, strdup(*rest));
    if (loud)
        progress_hide();
    int code = process_status(words->at, !loud);
    words_fini(words);
    return code;
}

static int run_seed(struct seed_search *search, uint64_t seed, bool loud)
{
    struct seed_words words = {0};
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    command_begin(search, &words, loud);
    option_add(&words, "schedule", schedule_policy_name(search->policy));
    option_add(&words, "seed", text);
    if (!loud)
        option_add(&words, "record", search->record);
    search->runs++;
    return command_run(search, &words, loud);
}

static bool write_replay(const struct seed_search *search, const struct schedule_record *record)
{
    FILE *stream = fopen(search->replay, "we");
    if (!stream)
        return false;
    fputs(SCHEDULE_RECORD_MAGIC, stream);
    schedule_record_print(record, stream);
    return fclose(stream) == 0;
}

/*
 * The file does not outlive the search: the output for the last run names the token, if one argument can hold
 * it.
 */
static void add_switches(struct seed_search *search, struct seed_words *words,
                         const struct schedule_record *record, bool loud)
{
    char *token = loud ? schedule_replay_token(record) : NULL;
    option_add(words, "replay", token && strlen(token) < TOKEN_MAX_CHARS ? token : search->replay);
    free(token);
}

static int run_switches(struct seed_search *search, const struct schedule_record *record, bool loud)
{
    struct seed_words words = {0};
    if (!write_replay(search, record))
        return -1;
    command_begin(search, &words, loud);
    add_switches(search, &words, record, loud);
    if (!loud)
        option_add(&words, "record", search->record);
    search->runs++;
    return command_run(search, &words, loud);
}

/* The choices of the latest trial; NULL when it left nothing. */
static struct schedule_record *read_record(const struct seed_search *search)
{
    struct schedule_record *record = NULL;
    char *text = NULL;
    size_t room = 0;
    FILE *stream = fopen(search->record, "re");
    if (stream && getdelim(&text, &room, '\0', stream) > 0 &&
        schedule_record_parse(text, &record, NULL) != STATUS_OK)
        record = NULL;
    free(text);
    if (stream)
        fclose(stream);
    return record;
}

/* ---- shrinking ---------------------------------------------------------------------- */

/* Takes away [from, from + count) if the failure stays. */
static bool try_without(struct seed_search *search, struct schedule_record **record, size_t from,
                        size_t count)
{
    struct schedule_record *smaller = schedule_record_without(*record, from, count);
    bool fails = smaller && run_switches(search, smaller, false) == search->code;
    if (fails) {
        schedule_record_free(*record);
        *record = smaller;
    } else {
        schedule_record_free(smaller);
    }
    return fails;
}

static bool goes_on(const struct seed_search *search)
{
    return search->runs < SHRINK_RUNS && !interrupt_caught();
}

/* Delta debugging (Zeller, Hildebrandt 2002), from halves down to single steps until none can be removed. */
static void shrink(struct seed_search *search, struct schedule_record **record)
{
    size_t size = schedule_record_switches(*record);
    progress_note("orrery: shrinking the schedule, %zu steps against the default order", size);
    size_t chunk = size;
    while (chunk > 0 && goes_on(search)) {
        bool smaller = false;
        for (size_t at = 0; at < schedule_record_switches(*record) && goes_on(search);) {
            if (try_without(search, record, at, chunk))
                smaller = true;
            else
                at += chunk;
        }
        if (!smaller || chunk > 1)
            chunk /= 2;
    }
}

/* The remaining steps were recorded beside others; the run itself gives their final form. */
static bool settle(struct seed_search *search, struct schedule_record **record)
{
    if (run_switches(search, *record, false) != search->code)
        return false;
    struct schedule_record *exact = read_record(search);
    if (!exact)
        return false;
    schedule_record_free(*record);
    *record = exact;
    return true;
}

static void say_token(const struct seed_search *search, const struct schedule_record *record)
{
    const struct seeds_target *from = search->target;
    const struct replay_options options = settings_replay(from->settings, search->scenario);
    char *target = tools_target_words(from->exec, !search->scenario, from->rest);
    const struct replay_run run = {
        .options = &options, .record = record, .compares = !strcmp(from->command, "check"), .target = target};
    char *line = replay_line(&run);
    if (!line)
        tools_no_memory();
    tools_message("smallest failing schedule: %s", line);
    free(line);
    free(target);
}

/*
 * A program that fails by chance (threads, time, memory that differs) need not do so again; the seeds have
 * failed all the same.
 */
static int loud_outcome(const struct seed_search *search, uint64_t seed, int code)
{
    if (code)
        return code;
    tools_message("seed %" PRIu64 " ended with status %d before, and with 0 now: not the seed alone decides how the program runs; "
        "the exit status is %d",
        seed, search->code, search->code);
    return search->code;
}

static int run_again(struct seed_search *search, uint64_t seed)
{
    return loud_outcome(search, seed, run_seed(search, seed, true));
}

/* Its choices when it failed; NULL, which is printed: it does not fail so again, or chose nothing. */
static struct schedule_record *failing_record(struct seed_search *search, uint64_t seed)
{
    const int code = run_seed(search, seed, false);
    struct schedule_record *record = read_record(search);
    if (code == search->code && record && record->has_switches)
        return record;
    schedule_record_free(record);
    if (code != search->code)
        tools_message("seed %" PRIu64 " does not fail again as it did: it ended with status %d, then with %d", seed,
            search->code, code);
    else
        tools_message("seed %" PRIu64 " fails before it chooses anything", seed);
    return NULL;
}

static int shrink_seed(struct seed_search *search, uint64_t seed)
{
    struct schedule_record *record = failing_record(search, seed);
    if (!record)
        return run_again(search, seed);
    size_t before = schedule_record_switches(record);
    record->lenient = true;
    search->runs = 0;
    if (run_switches(search, record, false) != search->code) {
        tools_message("seed %" PRIu64 " does not fail again when its %zu steps are replayed", seed, before);
        schedule_record_free(record);
        return run_again(search, seed);
    }
    shrink(search, &record);
    bool settled = settle(search, &record);
    tools_message("seed %" PRIu64 ": %zu steps against the usual order shrunk to %zu in %" PRIu32 " runs", seed, before,
        schedule_record_switches(record), search->runs);
    if (settled)
        say_token(search, record);
    else
        tools_message("seed %" PRIu64 " does not fail again when the remaining steps are replayed", seed);
    int code = settled ? run_switches(search, record, true) : run_seed(search, seed, true);
    schedule_record_free(record);
    return loud_outcome(search, seed, code);
}

/* ---- many seeds ------------------------------------------------------------------------ */

/* The seeds so far, and how one that failed is run again. */
static int say_interrupted(const struct seed_search *search, uint64_t first_failing)
{
    const struct seeds_target *from = search->target;
    char *target = tools_target_words(from->exec, !search->scenario, from->rest);
    if (search->code)
        tools_message("repeat a failing one with: orrery %s --schedule=%s --seed=%" PRIu64 " %s", from->command,
            schedule_policy_name(search->policy), first_failing, target ? target : "");
    free(target);
    return 128 + interrupt_caught();
}

static int search_seeds(struct seed_search *search, const struct seeds *seeds)
{
    uint64_t failed = 0, first = 0, total = seeds->last - seeds->first + 1;
    for (uint64_t i = 0; i < total; i++) {
        progress_note("orrery: seed %" PRIu64 ", %" PRIu64 " of %" PRIu64 ", %" PRIu64 " fail",
                      seeds->first + i, i + 1, total, failed);
        int code = run_seed(search, seeds->first + i, false);
        if (interrupt_caught()) {
            total = i;
            break;
        }
        if (code < 0 || code == EXIT_USAGE || code == EXIT_FAILED)
            return run_seed(search, seeds->first + i, true); /* it prints the reason */
        if (code && !failed++) {
            first = seeds->first + i;
            search->code = code;
        }
    }
    char where[40] = "";
    if (failed)
        snprintf(where, sizeof where, ", first seed %" PRIu64, first);
    tools_message("seeds %" PRIu64 "..%" PRIu64 " under %s: %" PRIu64 " of %" PRIu64 " fail%s", seeds->first,
        seeds->last, schedule_policy_name(search->policy), failed, total, where);
    if (interrupt_caught())
        return say_interrupted(search, first);
    return failed ? shrink_seed(search, first) : 0;
}

/* Seeds mean nothing to the other policies. */
static bool find_policy(struct seed_search *search)
{
    const struct seeds_target *target = search->target;
    const char *dot = strrchr(target->rest[0], '.');
    struct scenario scenario;
    search->scenario =
        strcmp(target->command, "check") == 0 || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
    if (!settings_load(target->settings, search->scenario ? target->rest[0] : NULL, &scenario))
        return false;
    bool seeded = scenario.schedule.policy == SCHEDULE_RANDOM || scenario.schedule.policy == SCHEDULE_PCT;
    search->policy = seeded ? scenario.schedule.policy : SCHEDULE_RANDOM;
    const bool updates = scenario.update_baseline; /* each seed would write the file anew */
    if (updates)
        tools_message("error: --update-baseline: found with --seeds, expected a single run");
    scenario_fini(&scenario);
    return !updates;
}

int seeds_run(const struct seeds *seeds, const struct seeds_target *target)
{
    struct seed_search search = {.target = target};
    strcpy(search.directory, "/tmp/orrery-XXXXXX");
    if (!find_policy(&search))
        return EXIT_USAGE;
    if (!mkdtemp(search.directory)) {
        tools_message("error: no directory can be made in /tmp");
        return EXIT_FAILED;
    }
    snprintf(search.replay, sizeof search.replay, "%s/replay", search.directory);
    snprintf(search.record, sizeof search.record, "%s/record", search.directory);
    progress_begin();
    interrupt_catch();
    int code = search_seeds(&search, seeds);
    progress_end();
    unlink(search.replay);
    unlink(search.record);
    rmdir(search.directory);
    interrupt_end();
    return code;
}
