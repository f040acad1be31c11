/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Preloaded into a process: one allocation by Orrery's own code fails. Those of libraries
 *          and of the program under test do not, so that what breaks is ours.
 *
 * FAIL_ALLOCATION=N        the Nth one fails, counted from 1; 0 or absent: none
 * FAIL_ALLOCATION_COUNT=F  how many there were is written to this file at the end
 * FAIL_ALLOCATION_EACH=N   the first, and each Nth after it, fails: in a process of its own, forked where it would be made.
 *                          For a process of one thread that writes to its standard streams alone, which are files
 * FAIL_ALLOCATION_FIRST=N  the number of that first one
 * FAIL_ALLOCATION_DIR=D    process N's streams are the files N.out and N.err there, with what was printed before;
 *                          a line "N STATUS" is added to the file ends when it has ended, in the shell's numbers
 *
 * Orrery's own code is the command (orrery) and the library (liborrery.so): the return address shows the caller.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* glibc's own names of what is replaced here */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
int __vasprintf_chk(char **out_text, int flag, const char *format, va_list arguments);

static atomic_ulong allocations;

static bool is_in_ours(const void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    return !strcmp(name, "orrery") || !strncmp(name, "liborrery.so", 12);
}

/* dladdr looks through all symbols: its results are kept, by the calling page. */
static bool is_ours(const void *caller)
{
    enum { PAGES = 1024 };
    static atomic_uintptr_t answers[PAGES];
    const uintptr_t page = (uintptr_t)caller >> 12, kept = atomic_load(&answers[page % PAGES]);
    if (kept >> 1 == page)
        return kept & 1;
    const bool ours = is_in_ours(caller);
    atomic_store(&answers[page % PAGES], page << 1 | ours);
    return ours;
}

/* ---- a process for each --------------------------------------------------------------------- */

static struct {
    bool known;
    unsigned long each, first; /* each 0: no processes are made */
    const char *directory;
} processes;

static unsigned long number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtoul(text, NULL, 10) : 0;
}

static void read_variables(void)
{
    processes.known = true;
    processes.directory = getenv("FAIL_ALLOCATION_DIR");
    processes.each = processes.directory ? number_of("FAIL_ALLOCATION_EACH") : 0;
    processes.first = number_of("FAIL_ALLOCATION_FIRST");
}

static int open_in_directory(const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", processes.directory, name);
    const int file = open(path, flags, 0666);
    if (file < 0)
        _exit(99);
    return file;
}

/* The stream goes to a file of its own, which begins with what it got until now. */
static void divert(int stream, unsigned long number, const char *ending)
{
    char name[64], chunk[4096];
    snprintf(name, sizeof name, "/proc/self/fd/%d", stream);
    const int before = open(name, O_RDONLY);
    snprintf(name, sizeof name, "%lu.%s", number, ending);
    const int after = open_in_directory(name, O_WRONLY | O_CREAT | O_TRUNC);
    for (ssize_t got; (got = read(before, chunk, sizeof chunk)) > 0;)
        if (write(after, chunk, (size_t)got) != got)
            _exit(99);
    dup2(after, stream);
    close(before);
    close(after);
}

static void note_end(unsigned long number, int status)
{
    const int file = open_in_directory("ends", O_WRONLY | O_CREAT | O_APPEND);
    dprintf(file, "%lu %d\n", number, WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    close(file);
}

/* True in the process where it fails. */
static bool fails_in_process(unsigned long number)
{
    int status = 0;
    const pid_t process = fork();
    if (process < 0)
        _exit(99);
    if (process == 0) {
        processes.each = 0;
        unsetenv("FAIL_ALLOCATION_COUNT");
        divert(STDOUT_FILENO, number, "out");
        divert(STDERR_FILENO, number, "err");
        alarm(60);
        return true;
    }
    while (waitpid(process, &status, 0) < 0)
        ;
    note_end(number, status);
    return false;
}

/* ---- what fails ----------------------------------------------------------------------------- */

static bool fails(const void *caller)
{
    static atomic_long chosen = -1;
    if (!is_ours(caller))
        return false;
    if (!processes.known)
        read_variables();
    if (chosen < 0)
        chosen = (long)number_of("FAIL_ALLOCATION");
    const unsigned long number = atomic_fetch_add(&allocations, 1) + 1;
    const bool tried =
        processes.each && number >= processes.first && (number - processes.first) % processes.each == 0;
    if (!(tried ? fails_in_process(number) : number == (unsigned long)chosen))
        return false;
    errno = ENOMEM;
    return true;
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

void *malloc(size_t size)
{
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(CALLER) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}

static char *copy(const char *text, size_t length)
{
    char *result = __libc_malloc(length + 1);
    if (result) {
        memcpy(result, text, length);
        result[length] = '\0';
    }
    return result;
}

char *strdup(const char *text)
{
    return fails(CALLER) ? NULL : copy(text, strlen(text));
}

char *strndup(const char *text, size_t most)
{
    return fails(CALLER) ? NULL : copy(text, strnlen(text, most));
}

int vasprintf(char **out_text, const char *format, va_list arguments)
{
    return fails(CALLER) ? -1 : __vasprintf_chk(out_text, 0, format, arguments);
}

int asprintf(char **out_text, const char *format, ...)
{
    if (fails(CALLER))
        return -1;
    va_list arguments;
    va_start(arguments, format);
    int length = __vasprintf_chk(out_text, 0, format, arguments);
    va_end(arguments);
    return length;
}

FILE *open_memstream(char **out_text, size_t *out_size)
{
    FILE *(*own)(char **, size_t *);
    *(void **)&own = dlsym(RTLD_NEXT, "open_memstream");
    return fails(CALLER) ? NULL : own(out_text, out_size);
}

/* Processes that this one starts are not ours to disturb. One that hangs is ended by a signal. */
__attribute__((constructor)) static void begin(void)
{
    unsetenv("LD_PRELOAD");
    alarm(60);
}

__attribute__((destructor)) static void write_count(void)
{
    const char *name = getenv("FAIL_ALLOCATION_COUNT");
    FILE *file = name && atomic_load(&allocations) ? fopen(name, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%lu\n", atomic_load(&allocations));
    fclose(file);
}
