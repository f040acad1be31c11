/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a fuzz target without libFuzzer: replays files, or mutates them for some seconds.
 *
 *     fuzz_module corpus/module              every file of the directory, in name order
 *     fuzz_module -m SECONDS -s SEED -o FILE corpus/module
 *
 * The input at work is kept in FILE, so that it is there after a crash. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

enum { INPUT_MAX = 256 * 1024, SECONDS_PER_INPUT = 20 };

struct corpus {
    struct input {
        uint8_t *bytes;
        size_t size;
    } * at;
    size_t count;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void add_file(struct corpus *corpus, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(INPUT_MAX);
    if (!file || !bytes) {
        perror(path);
        exit(99);
    }
    size_t size = fread(bytes, 1, INPUT_MAX, file);
    fclose(file);
    bytes = realloc(bytes, size + 1);
    corpus->at = realloc(corpus->at, (corpus->count + 1) * sizeof *corpus->at);
    corpus->at[corpus->count++] = (struct input){bytes, size};
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void add_path(struct corpus *corpus, const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, not_hidden, alphasort);
    if (count < 0) {
        add_file(corpus, path);
        return;
    }
    for (int i = 0; i < count; i++) {
        char whole[4096];
        snprintf(whole, sizeof whole, "%s/%s", path, names[i]->d_name);
        add_path(corpus, whole);
        free(names[i]);
    }
    free(names);
}

#pragma weak LLVMFuzzerCustomMutator
#pragma weak LLVMFuzzerCustomCrossOver

/* Of the input at work: what mutates bytes has no other state. */
static uint64_t random_state;

static size_t repeat_piece(uint8_t *bytes, size_t size, size_t most, size_t at, size_t length)
{
    if (length > size - at || length > most - size)
        return size;
    memmove(bytes + at + length, bytes + at, size - at);
    return size + length;
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most)
{
    static const uint8_t odd[] = {0,   1,   0x7f, 0x80, 0xff, ' ',  '\n', ':',
                                  ',', '-', '0',  '9',  '"',  '\'', '(',  '{'};
    const uint64_t pick = next_random(&random_state);
    if (!size)
        return size;
    const size_t at = next_random(&random_state) % size, other = next_random(&random_state) % size;
    const size_t length = 1 + (pick >> 32) % 16;
    switch (pick % 8) {
    case 0: bytes[at] = (uint8_t)(pick >> 16); break;
    case 1: bytes[at] ^= (uint8_t)(1 << (pick >> 16) % 8); break;
    case 2: bytes[at] = odd[(pick >> 16) % sizeof odd]; break;
    case 3: bytes[at] = bytes[other]; break;
    case 4: /* leave a piece out */
        if (length >= size - at)
            return at;
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    case 5: return repeat_piece(bytes, size, most, at, length);
    case 6: /* a piece from elsewhere */
        if (length <= size - at && length <= size - other)
            memmove(bytes + at, bytes + other, length);
        break;
    default: return (pick >> 16) % 16 ? size : at;
    }
    return size;
}

/* The start of one input and the end of another. */
static size_t cross_bytes(uint8_t *bytes, size_t size, const struct input *from)
{
    const size_t cut = size ? next_random(&random_state) % size : 0;
    const size_t start = from->size ? next_random(&random_state) % from->size : 0;
    const size_t length = from->size - start < INPUT_MAX - cut ? from->size - start : INPUT_MAX - cut;
    memcpy(bytes + cut, from->bytes + start, length);
    return cut + length;
}

static size_t cross(uint8_t *bytes, size_t size, const struct input *from)
{
    static uint8_t out[INPUT_MAX];
    if (!LLVMFuzzerCustomCrossOver)
        return cross_bytes(bytes, size, from);
    const size_t length = LLVMFuzzerCustomCrossOver(bytes, size, from->bytes, from->size, out, sizeof out,
                                                    (unsigned int)next_random(&random_state));
    if (!length)
        return size;
    memcpy(bytes, out, length);
    return length;
}

static size_t mutate(const struct corpus *corpus, uint8_t *bytes, size_t size, uint64_t *random)
{
    random_state = next_random(random);
    if (next_random(random) % 8 == 0)
        return cross(bytes, size, &corpus->at[next_random(random) % corpus->count]);
    if (LLVMFuzzerCustomMutator)
        return LLVMFuzzerCustomMutator(bytes, size, INPUT_MAX, (unsigned int)random_state);
    return LLVMFuzzerMutate(bytes, size, INPUT_MAX);
}

static int drive(const struct corpus *corpus, unsigned seconds, uint64_t random, const char *keep)
{
    struct {
        uint64_t size;
        uint8_t bytes[INPUT_MAX + 64];
    } * now;
    int file = open(keep, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || ftruncate(file, sizeof *now) != 0)
        return 99;
    now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (now == MAP_FAILED)
        return 99;
    time_t end = time(NULL) + seconds;
    unsigned long runs = 0;
    while (time(NULL) < end) {
        const struct input *from = &corpus->at[next_random(&random) % corpus->count];
        size_t size = from->size;
        memcpy(now->bytes, from->bytes, size);
        for (uint64_t i = next_random(&random) % 4 + 1; i > 0; i--)
            size = mutate(corpus, now->bytes, size, &random);
        now->size = size;
        uint8_t *copy = malloc(size ? size : 1); /* its end is the block's end */
        memcpy(copy, now->bytes, size);
        alarm(SECONDS_PER_INPUT);
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
        runs++;
    }
    printf("%lu inputs\n", runs);
    munmap(now, sizeof *now);
    close(file);
    return 0;
}

int main(int argc, char **argv)
{
    struct corpus corpus = {0};
    unsigned seconds = 0;
    uint64_t seed = 1;
    const char *keep = "fuzz-input";
    for (int option; (option = getopt(argc, argv, "m:s:o:")) != -1;)
        switch (option) {
        case 'm': seconds = (unsigned)atoi(optarg); break;
        case 's': seed = strtoull(optarg, NULL, 0); break;
        case 'o': keep = optarg; break;
        default: return 99;
        }
    for (int i = optind; i < argc; i++)
        add_path(&corpus, argv[i]);
    if (optind == argc) { /* under make check */
        char path[4096];
        const char *top = getenv("ORRERY_SRCDIR");
        snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", top ? top : ".", fuzz_name);
        add_path(&corpus, path);
    }
    if (corpus.count == 0)
        return 99;
    int result = seconds ? drive(&corpus, seconds, seed, keep) : 0;
    for (size_t i = 0; !seconds && i < corpus.count; i++) {
        uint8_t *copy = malloc(corpus.at[i].size ? corpus.at[i].size : 1);
        memcpy(copy, corpus.at[i].bytes, corpus.at[i].size);
        alarm(SECONDS_PER_INPUT);
        LLVMFuzzerTestOneInput(copy, corpus.at[i].size);
        free(copy);
    }
    if (!seconds)
        printf("%s: %zu inputs replayed\n", fuzz_name, corpus.count);
    for (size_t i = 0; i < corpus.count; i++)
        free(corpus.at[i].bytes);
    free(corpus.at);
    return result;
}
