/* SPDX-License-Identifier: Apache-2.0 */
#include "order_state.h"

#include <stdlib.h>

enum { STREAMS_MOST = HOSTILE(16, 2) };

bool order_grow(struct order *order, void **items, uint32_t *room, size_t size)
{
    uint32_t wanted = *room ? *room * 2 : HOSTILE(4, 1);
    void *grown = realloc(*items, wanted * size);
    if (!grown) {
        order->failed = true;
        return false;
    }
    *items = grown;
    *room = wanted;
    return true;
}

struct message *order_list_find(const struct order *order, const struct message_list *list, const struct message *like,
                                uint64_t stream)
{
    for (uint32_t i = list->count; i-- > 0;) /* the latest to come is the likeliest */
        if (list->items[i].stream == stream && same_sender(order, &list->items[i], like))
            return &list->items[i];
    return NULL;
}

/* The list keeps references of its own. */
static void list_append(struct order *order, struct message_list *list, const struct message *message)
{
    if (list->count == list->room && !order_grow(order, (void **)&list->items, &list->room, sizeof *list->items))
        return;
    list->items[list->count] = *message;
    list->items[list->count].tried.met = false;
    share_all(list->items[list->count++].known, message->known);
}

/* What includes the same readers becomes one message. */
void order_list_add(struct order *order, struct message_list *list, const struct message *message)
{
    struct message *old = order_list_find(order, list, message, 0);
    if (old)
        join_message(order, old, message);
    else
        list_append(order, list, message);
}

/* Within one generation of an object a later message holds all of an earlier one. What came of it is kept by itself, while
 * there is room: replacing is cheaper than joining. */
void order_list_renew(struct order *order, struct message_list *list, const struct message *message, uint64_t stream)
{
    struct message *old = order_list_find(order, list, message, stream);
    if (!old && list->count >= STREAMS_MOST) {
        order_list_add(order, list, message);
        return;
    }
    if (!old) {
        struct message own = *message;
        own.stream = stream;
        list_append(order, list, &own);
        return;
    }
    renew_message(order, old, message);
}

void order_list_clear(struct order *order, struct message_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        drop_all(order, list->items[i].known);
    list->count = 0;
}

void order_list_free(struct order *order, struct message_list *list)
{
    order_list_clear(order, list);
    free(list->items);
    *list = (struct message_list){0};
}
