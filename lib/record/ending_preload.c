/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded with threads_preload.c: calls back before the program ends by _exit, _Exit or quick_exit, or
 * becomes another one by exec. No destructor runs then; api_runtime.c writes the record in the callback.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

void orrery_ending_call(void (*function)(void));

static void (*ending)(void); /* NULL: no callback */

static void call_back(void)
{
    const int kept = errno;
    if (ending)
        ending();
    errno = kept;
}

void orrery_ending_call(void (*function)(void))
{
    if (!ending)
        (void)at_quick_exit(
            call_back); /* fails if there are too many handlers; then quick_exit loses the record */
    ending = function;
}

/* Calls the function of that name in the C library. */
#define NEXT(name, ...) ((__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

_Noreturn void _exit(int status)
{
    call_back();
    NEXT(_exit, status);
    abort();
}

_Noreturn void _Exit(int status)
{
    call_back();
    NEXT(_Exit, status);
    abort();
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    call_back();
    return NEXT(execve, path, arguments, environment);
}

int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

int fexecve(int file, char *const arguments[], char *const environment[])
{
    call_back();
    return NEXT(fexecve, file, arguments, environment);
}

int execveat(int directory, const char *path, char *const arguments[], char *const environment[], int flags)
{
    call_back();
    return NEXT(execveat, directory, path, arguments, environment, flags);
}

int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    call_back();
    return NEXT(execvpe, file, arguments, environment);
}

int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

/* ---- variadic forms; nothing is allocated, since this may be a child of vfork ---- */

/* The number of arguments, with the final NULL. */
static size_t count_of(const char *first, va_list *list)
{
    size_t count = 1;
    for (const char *argument = first; argument; argument = va_arg(*list, const char *))
        count++;
    return count;
}

static void collect(char **arguments, const char *first, va_list *list)
{
    const char *argument = first;
    size_t count = 0;
    for (; argument; argument = va_arg(*list, const char *))
        arguments[count++] = (char *)(uintptr_t)argument;
    arguments[count] = NULL;
}

int execl(const char *path, const char *first, ...)
{
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    char **arguments = alloca(count_of(first, &again) * sizeof *arguments);
    collect(arguments, first, &list);
    va_end(again);
    va_end(list);
    return execv(path, arguments);
}

int execlp(const char *file, const char *first, ...)
{
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    char **arguments = alloca(count_of(first, &again) * sizeof *arguments);
    collect(arguments, first, &list);
    va_end(again);
    va_end(list);
    return execvp(file, arguments);
}

int execle(const char *path, const char *first, ...)
{
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    char **arguments = alloca(count_of(first, &again) * sizeof *arguments);
    collect(arguments, first, &list);
    char *const *environment = va_arg(list, char *const *);
    va_end(again);
    va_end(list);
    return execve(path, arguments, environment);
}
