/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PURPOSE  Lists: arrays that grow by one item, with their count. A list that is all zeros is empty.
 *
 * Interface
 *   LIST         the type of a list, for a member or variable
 *   list_add     appends an item, which may be a compound literal. False: out of memory, and the list is
 *                unchanged
 *   list_keep    drops the items for which the condition is false; in it `item` points to the item
 *   list_fini    frees the items; the list is empty then
 *   bisect       sets the variable `at` to the first index below count for which the condition is true, or to
 *                count. The condition is of `at`; it is true for all indices from one on
 *
 * Ownership  The list owns its items, not what they point to.
 */
#ifndef ORRERY_SIM_MEMMODEL_COMMON_LIST_H
#define ORRERY_SIM_MEMMODEL_COMMON_LIST_H

#include "room.h"

enum { LIST_ROOM = 8 }; /* items at first */

#define LIST(type)            \
    struct {                  \
        type *items;          \
        uint32_t count, room; \
    }

#define list_add(list, ...)                                                         \
    (room_for_one((void **)&(list)->items, (list)->count, &(list)->room, LIST_ROOM, \
                  sizeof *(list)->items) &&                                         \
     ((list)->items[(list)->count++] = __VA_ARGS__, true))

#define list_keep(list, item, condition)                                       \
    do {                                                                       \
        uint32_t kept_count = 0;                                               \
        for (uint32_t item_at = 0; item_at < (list)->count; item_at++) {       \
            __typeof__((list)->items) const item = &(list)->items[item_at];    \
            if (condition)                                                     \
                (list)->items[kept_count++] = *item;                           \
        }                                                                      \
        CHECKED(kept_count <= (list)->count && (list)->count <= (list)->room); \
        (list)->count = kept_count;                                            \
    } while (0)

#define list_fini(list) \
    (free((list)->items), (list)->items = NULL, (list)->count = 0, (list)->room = 0, (void)0)

#define bisect(count, at, condition)                                      \
    do {                                                                  \
        uint32_t from_ = 0, to_ = (count);                                \
        for (at = to_ / 2; from_ < to_; at = from_ + (to_ - from_) / 2) { \
            if (condition)                                                \
                to_ = at;                                                 \
            else                                                          \
                from_ = at + 1;                                           \
        }                                                                 \
    } while (0)

#endif
