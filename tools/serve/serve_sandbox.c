/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock for the runs of `orrery serve`. A served text can name files (#include, keys of scenarios). It
 * can read none of the user's files, and write none outside of its run's directory. */
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "config.h"
#include "tools/serve/serve.h"
#include "tools/tools.h"

/* Rights that are newer than the header may be. */
#define FS_REFER (UINT64_C(1) << 13)
#define FS_TRUNCATE (UINT64_C(1) << 14)
#define FS_IOCTL_DEV (UINT64_C(1) << 15)

enum {
    READS = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE,
    READS_FILE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE,
    WRITES = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE |
             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
             LANDLOCK_ACCESS_FS_MAKE_DIR | FS_TRUNCATE,
    WRITES_FILE = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE
};

static int version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

/* All rights of that version, so that each is refused unless a rule allows it. */
static uint64_t rights_of(int abi)
{
    const uint64_t first = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    return first | (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNCATE : 0) | (abi >= 5 ? FS_IOCTL_DEV : 0);
}

bool sandbox_available(void)
{
    return version() >= 1;
}

/* A path that does not exist needs no rule. */
static void allow(int ruleset, const char *path, uint64_t on_directory, uint64_t on_file)
{
    struct stat what;
    const int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (fstat(descriptor, &what) == 0) {
        const uint64_t rights = S_ISDIR(what.st_mode) ? on_directory : on_file;
        const struct landlock_path_beneath_attr rule = {.allowed_access = rights & rights_of(version()),
                                                        .parent_fd = descriptor};
        syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(descriptor);
}

/* The build tree, or the bin directory of an installation and its siblings, wherever it was moved. */
static void allow_own(int ruleset)
{
    static const char *const beside[] = {"", "/../lib", "/../libexec", "/../share/orrery"};
    char own[PATH_MAX], path[PATH_MAX + 32];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s", own, beside[i]);
        allow(ruleset, path, READS, READS_FILE);
    }
}

int sandbox_new(const char *directory)
{
    static const char *const read[] = {
        "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", ORRERY_DATADIR, ORRERY_LIBDIR, "/dev/urandom"};
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = rights_of(version())};
    if (!sandbox_available())
        return -1;
    const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0)
        return -1;
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        allow(ruleset, read[i], READS, READS_FILE);
    allow_own(ruleset);
#ifdef ORRERY_LOOPING /* sanitizers read the memory map of their process */
    allow(ruleset, "/proc", READS, READS_FILE);
#endif
    allow(ruleset, "/dev/null", 0, WRITES_FILE);
    allow(ruleset, directory, WRITES, 0);
    return ruleset;
}

bool sandbox_enter(int descriptor)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, descriptor, 0) == 0;
}
