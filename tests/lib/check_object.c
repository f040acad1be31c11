/* SPDX-License-Identifier: Apache-2.0 */
/* The table of handles and the size rule, without the rest of the library. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/callback.h"
#include "lib/diagnose/call.h"
#include "lib/info.h"
#include "lib/diagnose/usage.h"
#include "lib/queue.h"
#include "lib/api_runtime.h"

/* ---- what the table calls ------------------------------------------------------------ */

const cl_icd_dispatch api_dispatch;
extern const cl_icd_dispatch api_dispatch;

static int destroyed[OBJECT_KIND_COUNT];
static struct event *child_of_context;
static bool lock_is_held;
static int posted;

void context_destroy(void *object)
{
    destroyed[((struct object *)object)->kind]++;
}
void queue_destroy(void *object)
{
    destroyed[((struct object *)object)->kind]++;
}
void memobj_destroy(void *object)
{
    destroyed[((struct object *)object)->kind]++;
}
void program_destroy(void *object)
{
    destroyed[((struct object *)object)->kind]++;
}
void device_destroy(void *object)
{
    destroyed[((struct object *)object)->kind]++;
}
void kernel_destroy(void *object)
{
    destroyed[((struct object *)object)->kind]++;
}
bool runtime_lock_held(void)
{
    return lock_is_held;
}

void command_buffer_destroy(void *object)
{
    (void)object;
}

void semaphore_destroy(void *object)
{
    (void)object;
}

void sampler_destroy(void *object)
{
    (void)object;
}

void event_destroy(void *object)
{
    destroyed[((struct object *)object)->kind]++;
    if (object == child_of_context)
        object_unref(((struct event *)object)->context);
}

struct call_site *call_site_new(void)
{
    return NULL;
}

void usage_shared_published(const struct memobj *memobj)
{
    (void)memobj;
}

void usage_released(struct object *object)
{
    (void)object;
}

void callback_post(void (*function)(void *), void *data)
{
    posted++;
    function(data);
}

static void *published(enum object_kind kind, size_t size)
{
    void *object = object_new(kind, size);
    ck_assert_ptr_nonnull(object);
    object_publish(object);
    return object;
}

/* ---- the table --------------------------------------------------------------------------- */

START_TEST(object_lookup_finds_published_objects_of_that_kind)
{
    struct event *event = object_new(OBJECT_EVENT, sizeof *event);
    ck_assert_ptr_null(object_lookup(event, OBJECT_EVENT));
    object_publish(event);
    ck_assert_ptr_eq(object_lookup(event, OBJECT_EVENT), event);
    ck_assert_ptr_null(object_lookup(event, OBJECT_KERNEL));
    ck_assert_ptr_null(object_lookup(NULL, OBJECT_EVENT));
    ck_assert_ptr_null(object_lookup((void *)0x10, OBJECT_EVENT));
    ck_assert_ptr_eq(event->base.dispatch, &api_dispatch);
    ck_assert_uint_eq(event->base.refs, 1);
}
END_TEST

START_TEST(object_ids_count_per_kind_from_one)
{
    struct object *a = published(OBJECT_EVENT, sizeof(struct event)),
                  *b = published(OBJECT_EVENT, sizeof(struct event));
    struct object *c = published(OBJECT_KERNEL, sizeof(struct kernel_object));
    ck_assert_uint_eq(a->id, 1);
    ck_assert_uint_eq(b->id, 2);
    ck_assert_uint_eq(c->id, 1);
}
END_TEST

START_TEST(object_release_of_the_last_reference_destroys)
{
    struct event *event = published(OBJECT_EVENT, sizeof *event);
    ck_assert_int_eq(object_retain(event, OBJECT_EVENT), CL_SUCCESS);
    ck_assert_uint_eq(event->base.refs, 2);
    ck_assert_int_eq(object_release(event, OBJECT_EVENT), CL_SUCCESS);
    ck_assert_int_eq(destroyed[OBJECT_EVENT], 0);
    ck_assert_int_eq(object_release(event, OBJECT_EVENT), CL_SUCCESS);
    ck_assert_int_eq(destroyed[OBJECT_EVENT], 1);
    ck_assert_int_eq(object_release(event, OBJECT_EVENT), CL_INVALID_EVENT);
    ck_assert_int_eq(object_retain(event, OBJECT_EVENT), CL_INVALID_EVENT);
    ck_assert_uint_eq(object_live_count(OBJECT_EVENT), 0);
}
END_TEST

START_TEST(object_references_of_the_runtime_keep_but_do_not_show)
{
    struct event *event = published(OBJECT_EVENT, sizeof *event);
    object_ref(event);
    ck_assert_uint_eq(event->base.refs, 1);
    ck_assert_int_eq(object_release(event, OBJECT_EVENT), CL_SUCCESS);
    ck_assert_int_eq(destroyed[OBJECT_EVENT], 0);
    ck_assert_ptr_null(object_lookup(event, OBJECT_EVENT));
    object_unref(event);
    ck_assert_int_eq(destroyed[OBJECT_EVENT], 1);
}
END_TEST

START_TEST(object_context_is_found_and_revived_while_children_hold_it)
{
    struct context *context = published(OBJECT_CONTEXT, sizeof *context);
    child_of_context = published(OBJECT_EVENT, sizeof *child_of_context);
    child_of_context->context = object_ref(context);
    ck_assert_int_eq(object_release(context, OBJECT_CONTEXT), CL_SUCCESS);
    ck_assert_int_eq(object_release(context, OBJECT_CONTEXT), CL_INVALID_CONTEXT);
    ck_assert_ptr_eq(object_lookup(context, OBJECT_CONTEXT), context);
    ck_assert_int_eq(object_retain(context, OBJECT_CONTEXT), CL_SUCCESS);
    ck_assert_int_eq(object_release(child_of_context, OBJECT_EVENT), CL_SUCCESS);
    ck_assert_int_eq(destroyed[OBJECT_CONTEXT], 0);
    ck_assert_int_eq(object_release(context, OBJECT_CONTEXT), CL_SUCCESS);
    ck_assert_int_eq(destroyed[OBJECT_CONTEXT], 1);
    ck_assert_ptr_null(object_lookup(context, OBJECT_CONTEXT));
}
END_TEST

START_TEST(object_unref_under_the_lock_destroys_on_the_callback_thread)
{
    struct event *event = object_new(OBJECT_EVENT, sizeof *event);
    lock_is_held = true;
    object_unref(event);
    ck_assert_int_eq(posted, 1);
    ck_assert_int_eq(destroyed[OBJECT_EVENT], 1);
}
END_TEST

START_TEST(object_unref_of_nothing_does_nothing)
{
    object_unref(NULL);
    ck_assert_ptr_null(object_ref(NULL));
}
END_TEST

/* A model: which of many objects are alive, against random publishing and releasing. */
START_TEST(object_table_agrees_with_a_model)
{
    enum { COUNT = 3000, STEPS = 30000 };
    static void *object[COUNT];
    uint32_t state = 1;
    size_t alive = 0;
    for (int step = 0; step < STEPS; step++) {
        state = state * 1664525u + 1013904223u;
        uint32_t i = (state >> 8) % COUNT;
        if (object[i]) {
            ck_assert_int_eq(object_release(object[i], OBJECT_KERNEL), CL_SUCCESS);
            ck_assert_ptr_null(object_lookup(object[i], OBJECT_KERNEL));
            object[i] = NULL;
            alive--;
        } else {
            object[i] = published(OBJECT_KERNEL, sizeof(struct kernel_object));
            alive++;
        }
        ck_assert_uint_eq(object_live_count(OBJECT_KERNEL), alive);
    }
    for (int i = 0; i < COUNT; i++)
        if (object[i])
            ck_assert_ptr_eq(object_lookup(object[i], OBJECT_KERNEL), object[i]);
}
END_TEST

static struct event *shared;

static void *retain_and_release(void *unused)
{
    for (int i = 0; i < 20000; i++) {
        ck_assert_int_eq(object_retain(shared, OBJECT_EVENT), CL_SUCCESS);
        object_ref(shared);
        ck_assert_int_eq(object_release(shared, OBJECT_EVENT), CL_SUCCESS);
        object_unref(shared);
    }
    return unused;
}

START_TEST(object_counts_survive_several_threads)
{
    pthread_t thread[4];
    shared = published(OBJECT_EVENT, sizeof *shared);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, retain_and_release, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    ck_assert_uint_eq(shared->base.refs, 1);
    ck_assert_int_eq(destroyed[OBJECT_EVENT], 0);
    ck_assert_int_eq(object_release(shared, OBJECT_EVENT), CL_SUCCESS);
    ck_assert_int_eq(destroyed[OBJECT_EVENT], 1);
}
END_TEST

/* ---- the size rule -------------------------------------------------------------------------- */

START_TEST(info_writes_value_and_size)
{
    uint32_t value = 0;
    size_t size = 0;
    const struct info_reply reply = {sizeof value, &value, &size};
    ck_assert_int_eq(INFO_VALUE(&reply, uint32_t, 7), CL_SUCCESS);
    ck_assert_uint_eq(value, 7);
    ck_assert_uint_eq(size, sizeof value);
}
END_TEST

START_TEST(info_refuses_a_small_size_and_writes_no_value)
{
    uint32_t value = 5;
    size_t size = 0;
    const struct info_reply reply = {sizeof value - 1, &value, &size};
    ck_assert_int_eq(INFO_VALUE(&reply, uint32_t, 7), CL_INVALID_VALUE);
    ck_assert_uint_eq(value, 5);
    ck_assert_uint_eq(size, sizeof value);
}
END_TEST

START_TEST(info_ignores_the_size_when_there_is_no_value)
{
    size_t size = 0;
    const struct info_reply reply = {0, NULL, &size}, nothing = {0, NULL, NULL};
    ck_assert_int_eq(info_string(&reply, "four"), CL_SUCCESS);
    ck_assert_uint_eq(size, 5);
    ck_assert_int_eq(info_string(&nothing, "four"), CL_SUCCESS);
}
END_TEST

START_TEST(info_string_of_NULL_is_empty)
{
    char text[4] = "xyz";
    size_t size = 0;
    const struct info_reply reply = {sizeof text, text, &size};
    ck_assert_int_eq(info_string(&reply, NULL), CL_SUCCESS);
    ck_assert_str_eq(text, "");
    ck_assert_uint_eq(size, 1);
}
END_TEST

START_TEST(info_of_no_bytes_is_a_success)
{
    char text[1] = {'x'};
    size_t size = 9;
    const struct info_reply reply = {0, text, &size};
    ck_assert_int_eq(info_bytes(&reply, NULL, 0), CL_SUCCESS);
    ck_assert_uint_eq(size, 0);
    ck_assert_int_eq(text[0], 'x');
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("object");
    TCase *table = tcase_create("table"), *info = tcase_create("info");
    tcase_add_test(table, object_lookup_finds_published_objects_of_that_kind);
    tcase_add_test(table, object_ids_count_per_kind_from_one);
    tcase_add_test(table, object_release_of_the_last_reference_destroys);
    tcase_add_test(table, object_references_of_the_runtime_keep_but_do_not_show);
    tcase_add_test(table, object_context_is_found_and_revived_while_children_hold_it);
    tcase_add_test(table, object_unref_under_the_lock_destroys_on_the_callback_thread);
    tcase_add_test(table, object_unref_of_nothing_does_nothing);
    tcase_add_test(table, object_table_agrees_with_a_model);
    tcase_add_test(table, object_counts_survive_several_threads);
    tcase_add_test(info, info_writes_value_and_size);
    tcase_add_test(info, info_refuses_a_small_size_and_writes_no_value);
    tcase_add_test(info, info_ignores_the_size_when_there_is_no_value);
    tcase_add_test(info, info_string_of_NULL_is_empty);
    tcase_add_test(info, info_of_no_bytes_is_a_success);
    suite_add_tcase(suite, table);
    suite_add_tcase(suite, info);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
