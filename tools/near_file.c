/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the directory that a path names, in the order of bytes, so that each run says the same. */
#include "near_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orrery/nearest.h"
#include "tools.h"

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int in_order(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* NULL: too long to be compared. */
static const char *name_at(const void *self, size_t index)
{
    struct dirent *const *entries = self;
    const char *name = entries[index]->d_name;
    return strlen(name) < NEAREST_NAME_CHARS ? name : NULL;
}

void near_file_say(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *meant = NULL;
    struct dirent **entries = NULL;
    const int count = directory && access(path, F_OK) != 0 && strlen(name) < NEAREST_NAME_CHARS
                          ? scandir(directory, &entries, is_visible, in_order)
                          : -1;
    if (count > 0)
        meant = nearest_names(name, slash ? directory : "", name_at, entries, (size_t)count);
    if (meant && *meant)
        tools_message("do you mean %s?", meant);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    free(meant);
    free(directory);
}
