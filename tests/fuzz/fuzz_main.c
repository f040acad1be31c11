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

static uint32_t odd_word(uint64_t *random)
{
    static const uint32_t odd[] = {0,  1,  2,   3,   4,     7,     8,          16,         31,        32,
                                   63, 64, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
    uint64_t pick = next_random(random);
    return pick & 1 ? odd[(pick >> 8) % (sizeof odd / sizeof *odd)] : (uint32_t)(pick >> 8) % 512;
}

/* Words are what SPIR-V consists of; text does as well with bytes. */
static size_t mutate(const struct corpus *corpus, uint8_t *bytes, size_t size, uint64_t *random)
{
    uint64_t pick = next_random(random);
    size_t words = size / 4, at = words ? next_random(random) % words * 4 : 0,
           other = words ? next_random(random) % words * 4 : 0;
    uint32_t word = odd_word(random), old;
    if (words < 8)
        pick |= 7;
    switch (pick % 12) {
    case 0:
    case 1: memcpy(bytes + at, &word, 4); break;
    case 2:
    case 3: memcpy(bytes + at, bytes + other, 4); break; /* another id */
    case 4:                                              /* a neighbouring id or number */
        memcpy(&old, bytes + at, 4);
        old += (uint32_t)(pick >> 8) % 9 - 4;
        memcpy(bytes + at, &old, 4);
        break;
    case 5: /* another opcode of the same length */
        memcpy(&old, bytes + at, 4);
        old = (old & 0xffff0000) | (uint32_t)(pick >> 8) % 420;
        memcpy(bytes + at, &old, 4);
        break;
    case 6: { /* swap */
        memcpy(&old, bytes + at, 4);
        memcpy(bytes + at, bytes + other, 4);
        memcpy(bytes + other, &old, 4);
        break;
    }
    case 8: { /* a piece of another input */
        const struct input *from = &corpus->at[(pick >> 8) % corpus->count];
        size_t length = (pick >> 32) % 64 * 4, start = from->size ? (pick >> 20) % from->size / 4 * 4 : 0;
        if (length <= from->size - start && at + length <= size)
            memcpy(bytes + at, from->bytes + start, length);
        break;
    }
    case 9: { /* leave a piece out */
        size_t length = (1 + (pick >> 8) % 8) * 4;
        if (at + length < size) {
            memmove(bytes + at, bytes + at + length, size - at - length);
            size -= length;
        }
        break;
    }
    case 10: { /* repeat a piece */
        size_t length = (1 + (pick >> 8) % 16) * 4;
        if (at + length < size && size + length <= INPUT_MAX) {
            memmove(bytes + at + length, bytes + at, size - at);
            size += length;
        }
        break;
    }
    default:
        if (size)
            bytes[next_random(random) % size] = (uint8_t)(pick >> 16);
        if (pick % 12 == 7 && (pick >> 9) % 16 == 0)
            size = next_random(random) % (size + 1);
    }
    return size;
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
