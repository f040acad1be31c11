/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks: a loop that spins on a load, and the racing store that gives the lock back. Between the two a
 * work-item holds the lock. A barrier, or the end of a kernel, cannot be there: the holder would wait for
 * work-items that wait for the lock.
 */
#include "explain_accesses.h"

/* Is the place after the loop that waits for the lock, and before the store that gives it back? */
static bool holds_lock(const struct question *question, const struct code_place *place,
                       const struct lock *lock)
{
    struct code_order order;
    if (!question->host->order || !ASK(question, spins_on, lock->load, place->site))
        return false;
    return place->site == lock->store
               ? place->before
               : ASK(question, order, place->site, lock->store, &order) && order.first == 0;
}

/* The lock that a work-item holds at the place; NULL: none. Others wait for it until the holder is past the
 * place. With a barrier there, or at the end of a kernel, the holder would wait for them. */
const struct lock *lock_held_at(const struct question *question, const struct code_place *place)
{
    for (uint32_t i = 0; question->locks && i < question->locks->count; i++)
        if (holds_lock(question, place, &question->locks->items[i]))
            return &question->locks->items[i];
    return NULL;
}

/* The lock that the two stores give back; NULL: they are not such stores. */
const struct lock *lock_of_stores(const struct question *question)
{
    for (uint32_t i = 0; question->locks && i < question->locks->count && accesses_all_write(question); i++)
        if (question->locks->items[i].store == question->instances->first.site &&
            question->locks->items[i].store == question->instances->second.site)
            return &question->locks->items[i];
    return NULL;
}

/* Is the update the one that takes a lock, as `while (*x) ; *x = 1;`? */
bool lock_is_taken_by(const struct question *question)
{
    uint32_t load, store;
    const struct checker_host *host = question->host;
    if (!host->update(host->self,
                      question->instances->first.atomic ? question->instances->second.site
                                                        : question->instances->first.site,
                      &load, &store))
        return false;
    for (uint32_t i = 0; question->locks && i < question->locks->count; i++)
        if (question->locks->items[i].load == load)
            return true;
    return false;
}
