/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the interpreter of this process by functions of its C API, which are looked up by name. They may only
 * be called by the thread that has the interpreter's lock. No other Python code runs meanwhile:
 * frames are made with the garbage collector off, since a finalizer could call OpenCL again.
 */
#include "script_place.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { PLACES_MOST = 1 << 14, KEY_MOST = 512, FRAMES_MOST = 200 };

/* ---- the interpreter -------------------------------------------------------------------------- */

/* Declarations of Python.h, so that building does not need the header. */
typedef struct object object;

static struct {
    int (*initialised)(void);
    void *(*own_state)(void), *(*current_state)(void);
    int (*collector_off)(void), (*collector_on)(void);
    object *(*frame)(void); /* borrowed */
    object *(*back)(object *frame), *(*code)(object *frame);
    int (*line)(object *frame);
    object *(*attribute)(object *of, const char *name);
    const char *(*text)(object *string);
    void (*release)(object *of);
    void (*error_take)(object **type, object **value, object **trace);
    void (*error_put)(object *type, object *value, object *trace);
} python;

static const struct symbol symbols[] = {{"Py_IsInitialized", &python.initialised},
                                        {"PyGILState_GetThisThreadState", &python.own_state},
                                        {"PyGC_Disable", &python.collector_off},
                                        {"PyGC_Enable", &python.collector_on},
                                        {"PyEval_GetFrame", &python.frame},
                                        {"PyFrame_GetBack", &python.back},
                                        {"PyFrame_GetCode", &python.code},
                                        {"PyFrame_GetLineNumber", &python.line},
                                        {"PyObject_GetAttrString", &python.attribute},
                                        {"PyUnicode_AsUTF8", &python.text},
                                        {"Py_DecRef", &python.release},
                                        {"PyErr_Fetch", &python.error_take},
                                        {"PyErr_Restore", &python.error_put}};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_there;

static void find_python(void)
{
    static const struct symbol since_3_13 = {"PyThreadState_GetUnchecked", &python.current_state},
                               before = {"_PyThreadState_UncheckedGet", &python.current_state};
    is_there = (symbols_find(RTLD_DEFAULT, &since_3_13, 1) || symbols_find(RTLD_DEFAULT, &before, 1)) &&
               symbols_find(RTLD_DEFAULT, symbols, sizeof symbols / sizeof *symbols);
}

/* Has this thread the interpreter's lock? */
static bool may_ask(void)
{
    pthread_once(&once, find_python);
    if (!is_there || !python.initialised())
        return false;
    const void *own = python.own_state();
    return own && own == python.current_state();
}

/* ---- places ------------------------------------------------------------------------------------ */

struct entry {
    struct script_place place; /* the first member: callers get a pointer to it */
    char key[KEY_MOST];        /* the rest is zeros */
    UT_hash_handle hh;
};

static struct {
    pthread_mutex_t lock;
    struct entry *all;
} places = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct entry *entry_new(const char *key, const char *file, const char *function, uint32_t line)
{
    struct entry *entry = HASH_COUNT(places.all) < PLACES_MOST ? calloc(1, sizeof *entry) : NULL,
                 *added = NULL;
    if (!entry)
        return NULL;
    entry->place = (struct script_place){strdup(file), strdup(function), line};
    memcpy(entry->key, key, KEY_MOST);
    if (entry->place.file && entry->place.function) {
        HASH_ADD(hh, places.all, key, KEY_MOST, entry);
        HASH_FIND(hh, places.all, key, KEY_MOST, added);
    }
    if (!added) {
        free(entry->place.file);
        free(entry->place.function);
        free(entry);
    }
    return added;
}

static const struct script_place *place_of(const char *file, const char *function, uint32_t line)
{
    char key[KEY_MOST] = "";
    struct entry *entry = NULL;
    const int length = snprintf(key, sizeof key, "%u:%s:%s", line, function, file);
    if (length < 0 || (size_t)length >= sizeof key)
        return NULL;
    pthread_mutex_lock(&places.lock);
    HASH_FIND(hh, places.all, key, KEY_MOST, entry);
    if (!entry)
        entry = entry_new(key, file, function, line);
    pthread_mutex_unlock(&places.lock);
    return entry ? &entry->place : NULL;
}

/* ---- frames ------------------------------------------------------------------------------------ */

/* Of an installed package, of the standard library or of the interpreter, as <frozen importlib>. */
static bool is_package(const char *file)
{
    return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") ||
           strstr(file, "/lib/python3.") || strstr(file, "/lib/python3/") || *file == '<';
}

static const struct script_place *place_of_frame(object *frame, bool *out_package)
{
    const struct script_place *place = NULL;
    object *code = python.code(frame);
    object *file = code ? python.attribute(code, "co_filename") : NULL,
           *name = code ? python.attribute(code, "co_name") : NULL;
    const char *file_text = file ? python.text(file) : NULL, *name_text = name ? python.text(name) : NULL;
    const int line = python.line(frame);
    if (file_text && name_text && line > 0) {
        *out_package = is_package(file_text);
        place = place_of(file_text, name_text, (uint32_t)line);
    }
    python.release(file);
    python.release(name);
    python.release(code);
    return place;
}

static const struct script_place *search_frames(void)
{
    const struct script_place *innermost = NULL, *found = NULL;
    object *frame = python.frame(), *previous = NULL;
    for (int i = 0; frame && !found && i < FRAMES_MOST; i++) {
        bool package = true;
        const struct script_place *place = place_of_frame(frame, &package);
        innermost = innermost ? innermost : place;
        found = package ? NULL : place;
        frame = python.back(frame);
        python.release(previous);
        previous = frame;
    }
    python.release(previous);
    return found ? found : innermost;
}

const struct script_place *script_place_here(void)
{
    object *type = NULL, *value = NULL, *trace = NULL;
    if (!may_ask())
        return NULL;
    const bool collects = python.collector_off();
    python.error_take(&type, &value, &trace);
    const struct script_place *place = search_frames();
    python.error_put(type, value, trace);
    if (collects)
        python.collector_on();
    return place;
}
