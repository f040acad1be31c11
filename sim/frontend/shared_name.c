/* SPDX-License-Identifier: Apache-2.0 */
/* Names the socket of a shared compile server by a hash of what a server inherits from the process that
 * starts it, and of where it runs. Processes share a server only if all of that is equal. */
#include "shared_server.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child_setup.h"
#include "compile_cache.h"
#include "compile_protocol.h"

/* ---- processes that may not share ----------------------------------------------------------- */

static bool is_unchanged_user(void)
{
    uid_t real, effective, saved;
    if (getresuid(&real, &effective, &saved) != 0 || real != effective || real != saved)
        return false;
    return real == (uid_t)setfsuid((uid_t)-1) && real == getauxval(AT_UID);
}

static bool is_unchanged_group(void)
{
    gid_t real, effective, saved;
    if (getresgid(&real, &effective, &saved) != 0 || real != effective || real != saved)
        return false;
    return real == (gid_t)setfsgid((gid_t)-1) && real == getauxval(AT_GID);
}

/* A sandbox of files (Landlock) cannot be detected from inside, but it requires no_new_privs unless the
 * process has privileges. A server outside of the sandbox would read files that the sandbox refuses. */
const char *shared_prevented(void)
{
    if (getauxval(AT_SECURE))
        return "the program has privileges that its user has not";
    if (!is_unchanged_user() || !is_unchanged_group())
        return "the program changed its user";
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
        return "the program cannot gain privileges (no_new_privs), and may be in a sandbox";
    return NULL;
}

/* ---- environment ---------------------------------------------------------------------------- */

/* Variables that differ from process to process and that no tool depends on. PWD only names the directory,
 * which does not appear in results (COMPILE_DIRECTORY). */
static bool is_left_out(const char *variable)
{
    static const char *const names[] = {"PWD", "OLDPWD", "SHLVL", "_", "PYTEST_CURRENT_TEST"};
    const size_t length = strcspn(variable, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(variable, names[i], length))
            return true;
    return !strncmp(variable, "ORRERY_", strlen("ORRERY_"));
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* With two values of one variable, the order would decide which counts. */
static bool has_twice(char *const *sorted)
{
    for (; sorted[0] && sorted[1]; sorted++)
        if (!strncmp(sorted[0], sorted[1], strcspn(sorted[0], "=") + 1))
            return true;
    return false;
}

/* Sorted, because shells do not keep the order. */
char **shared_environment(void)
{
    char **environment = child_environment();
    size_t kept = 0;
    for (char **variable = environment; variable && *variable; variable++)
        if (!is_left_out(*variable))
            environment[kept++] = *variable;
    if (!environment)
        return NULL;
    environment[kept] = NULL;
    qsort(environment, kept, sizeof *environment, by_text);
    if (!has_twice(environment))
        return environment;
    free(environment);
    return NULL;
}

/* ---- name ----------------------------------------------------------------------------------- */

static void add_stat(const char *path, struct text *description)
{
    struct stat about;
    if (stat(path, &about) != 0)
        description->failed = true;
    else
        text_addf(description, "%s %llu %llu %lld %lld.%09ld\n", path, (unsigned long long)about.st_dev,
                  (unsigned long long)about.st_ino, (long long)about.st_size, (long long)about.st_mtim.tv_sec,
                  about.st_mtim.tv_nsec);
}

/* The identity of the root directory; its size and times may change. */
static void add_root(struct text *description)
{
    struct stat about;
    if (stat("/", &about) != 0)
        description->failed = true;
    else
        text_addf(description, "/ %llu %llu\n", (unsigned long long)about.st_dev,
                  (unsigned long long)about.st_ino);
}

/* Files of /proc have size 0, so they are read to the end. */
static bool read_all(const char *path, struct text *out_text)
{
    char bytes[4096];
    ssize_t size = -1;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && ((size = read(file, bytes, sizeof bytes)) > 0 || (size < 0 && errno == EINTR)))
        if (size > 0)
            text_add_bytes(out_text, bytes, (size_t)size);
    if (file >= 0)
        close(file);
    return size == 0 && out_text->data;
}

/* A file of the calling thread, since each thread can have its own rights. must: without the file (limits,
 * groups, capabilities) the server is not shared; other files depend on the system's configuration. */
static void add_file(const char *path, bool must, struct text *description)
{
    struct text text = {0};
    if (read_all(path, &text))
        text_add_bytes(description, text.data, text.size);
    else
        description->failed |= must;
    text_add_bytes(description, "", 1);
    text_fini(&text);
}

static void add_credentials(struct text *description)
{
    static const char *const kept[] = {"Umask:", "Uid:", "Gid:", "Groups:", "NoNewPrivs:", "Seccomp", "Cap"};
    struct text status = {0};
    description->failed |= !read_all("/proc/thread-self/status", &status);
    for (const char *line = status.data; line && *line;) {
        const size_t length = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            if (!strncmp(line, kept[i], strlen(kept[i])))
                text_addf(description, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    text_fini(&status);
}

static void add_namespaces(struct text *description)
{
    static const char *const names[] = {"mnt", "user", "pid", "time"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64], target[64];
        snprintf(path, sizeof path, "/proc/thread-self/ns/%s", names[i]);
        const ssize_t size = readlink(path, target, sizeof target);
        text_addf(description, "%.*s\n", size < 0 ? 0 : (int)size, target);
    }
}

/* The host name is part of it: the directory may be on a file system that two machines share. */
static void describe(const struct shared_server *shared, char *const *environment, struct text *description)
{
    text_add_bytes(description, compile_revision, COMPILE_REVISION_SIZE);
    text_addf(description, "%u\n%s", shared->idle_ms, shared->identity);
    add_stat(shared->program, description);
    add_root(description);
    add_file("/proc/sys/kernel/random/boot_id", false, description);
    add_credentials(description);
    add_namespaces(description);
    add_file("/proc/thread-self/limits", true, description);
    add_file("/proc/thread-self/cgroup", false, description);
    add_file("/proc/thread-self/attr/current", false, description);
    text_addf(description, "%d %d\n", getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
    for (; *environment; environment++)
        text_add_bytes(description, *environment, strlen(*environment) + 1);
}

bool shared_name(const struct shared_server *shared, char *const *environment,
                 char out_name[SHARED_NAME_SIZE])
{
    struct text description = {0};
    struct cache_key key;
    describe(shared, environment, &description);
    const bool known = cache_key_of(&description, &key);
    if (known)
        snprintf(out_name, SHARED_NAME_SIZE, "%016llx%016llx", (unsigned long long)key.high,
                 (unsigned long long)key.low);
    text_fini(&description);
    return known;
}
