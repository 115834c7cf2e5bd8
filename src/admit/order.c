/* SPDX-License-Identifier: MIT */
/* Makes the secret order (order_draw.c draws it) and says which rows are at which
   places. */
#include "admit/order.h"

#include <sodium.h>
#include <string.h>

#include "admit/order_draw.h"
#include "admit/roster.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

/* Returns the batch that a place is in: the largest j whose first place is at or before
   it. */
static int64_t batch_of(const tacit_order *order, int64_t place) {
  return (int64_t)((((tacit_i128)place + 1) * order->batches - 1) / order->n_rows);
}

tacit_status tacit_order_new(int64_t n_rows, int64_t batches,
                             const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                             tacit_pool *pool, tacit_order **out, tacit_error *err) {
  if (batches < 1 || batches > n_rows || raw_key == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "an order needs a key, at least one row, and from one batch to "
                      "as many as rows");
  tacit_order *order = tacit_raw_new(1, sizeof *order);
  if (order == NULL) return tacit_fail_memory(err);
  order->n_rows = n_rows;
  order->batches = batches;
  order->per_part = (batches - 1) / TACIT_ORDER_PARTS + 1;
  order->parts = (batches - 1) / order->per_part + 1;
  memcpy(order->raw_key, raw_key, sizeof order->raw_key);
  tacit_status status = TACIT_RAW_NEW(order->raw_low, (size_t)n_rows, err);
  if (status == TACIT_OK) status = tacit_order_draw(order, pool, err);
  return TACIT_HAND_OVER(status, order, tacit_order_free, out);
}

tacit_status tacit_order_of_roster(const tacit_roster *roster, tacit_order **out,
                                   tacit_error *err) {
  tacit_order *order = tacit_raw_new(1, sizeof *order);
  if (order == NULL) return tacit_fail_memory(err);
  order->roster = roster;
  *out = order;
  return TACIT_OK;
}

void tacit_order_free(tacit_order *order) {
  if (order == NULL) return;
  TACIT_RAW_FREE(order->raw_first, order->raw_start, order->raw_low,
                 order->raw_places32, order->raw_places, order);
}

/* Lists rows skip … skip+count-1 of a part, in ascending order. */
static void list_part(const tacit_order *order, int64_t part, int64_t skip,
                      int64_t count, int64_t *raw_rows) {
  for (int64_t segment = 0; count > 0; ++segment) {
    const uint16_t *start = order->raw_start + segment * order->parts;
    int64_t end =
        part + 1 < order->parts ? start[part + 1] : tacit_order_segment(order, segment);
    int64_t here = end - start[part];
    if (skip >= here) {
      skip -= here;
      continue;
    }
    int64_t first = order->raw_first[segment];
    const uint16_t *low = order->raw_low + first + start[part] + skip;
    here -= skip;
    if (here > count) here = count;
    for (int64_t i = 0; i < here; ++i)
      raw_rows[i] = first + low[i];
    raw_rows += here;
    count -= here;
    skip = 0;
  }
}

void tacit_order_group_fini(tacit_order_group *group) {
  tacit_raw_free(group->raw_rows);
  *group = (tacit_order_group){0};
}

/* What a group is dealt with: the batch of each place that is left, and the end of the
   rows of each batch that are not dealt yet. */
struct deal_group {
  tacit_words words;
  uint32_t *raw_batch;
  int64_t *raw_end;
};

/* Deals the rows of a group to its batches: each row draws one of the places that are
   left, as shuffle_segment does. */
static void deal_group(const tacit_order *order, int64_t number,
                       struct deal_group *room, int64_t *raw_rows) {
  int64_t first = tacit_order_part(order, number), left = 0, raw_some[256];
  for (; first + left < tacit_order_part(order, number + 1); ++left) {
    int64_t batch = batch_of(order, first + left) - number * order->per_part;
    room->raw_batch[left] = (uint32_t)batch;
    room->raw_end[batch] = left + 1;
  }
  tacit_order_words(order, TACIT_ORDER_GROUP, number, &room->words);
  while (left > 0) {
    int64_t some = left < 256 ? left : 256;
    list_part(order, number, left - some, some, raw_some);
    while (some > 0) {
      uint64_t bound = (uint64_t)left--;
      uint64_t place = bound <= UINT32_MAX
                           ? tacit_order_below(&room->words, (uint32_t)bound)
                           : tacit_words_below(&room->words, bound);
      raw_rows[--room->raw_end[room->raw_batch[place]]] = raw_some[--some];
      room->raw_batch[place] = room->raw_batch[left];
    }
  }
  sodium_memzero(raw_some, sizeof raw_some);
}

/* Makes `group` the group of this number. */
static tacit_status need_group(const tacit_order *order, tacit_order_group *group,
                               int64_t number, tacit_error *err) {
  if (group->raw_rows != NULL && group->number == number) return TACIT_OK;
  int64_t rows = tacit_order_part(order, number + 1) - tacit_order_part(order, number);
  if (!tacit_raw_reserve(&group->raw_rows, &group->capacity, (size_t)rows,
                         sizeof *group->raw_rows))
    return tacit_fail_memory(err);
  struct deal_group *room = tacit_raw_new(1, sizeof *room);
  if (room == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_RAW_NEW(room->raw_batch, (size_t)rows, err);
  if (status == TACIT_OK)
    status = TACIT_RAW_NEW(room->raw_end, (size_t)order->per_part, err);
  if (status == TACIT_OK) deal_group(order, number, room, group->raw_rows);
  group->number = number;
  TACIT_RAW_FREE(room->raw_batch, room->raw_end, room);
  return status;
}

/* Lists the rows that the secret order put at some places. */
tacit_status tacit_order_list(const tacit_order *order, tacit_order_group *group,
                              int64_t first, int64_t count, int64_t *raw_rows,
                              tacit_error *err) {
  for (; order->roster != NULL && count > 0; --count)
    *raw_rows++ = tacit_roster_row(order->roster, first++);
  while (count > 0) {
    int64_t part = batch_of(order, first) / order->per_part;
    int64_t begin = tacit_order_part(order, part),
            end = tacit_order_part(order, part + 1);
    int64_t here = end - first < count ? end - first : count;
    if (order->per_part == 1) {
      list_part(order, part, first - begin, here, raw_rows);
    } else {
      TACIT_TRY(need_group(order, group, part, err));
      memcpy(raw_rows, group->raw_rows + (first - begin),
             (size_t)here * sizeof *raw_rows);
    }
    first += here;
    count -= here;
    raw_rows += here;
  }
  return TACIT_OK;
}

tacit_status tacit_order_rows(const tacit_order *order, int64_t first, int64_t count,
                              int64_t *raw_rows, tacit_error *err) {
  if (order == NULL || raw_rows == NULL || first < 0 || count < 0 ||
      first > order->n_rows || count > order->n_rows - first)
    return tacit_fail(err, TACIT_EINVAL, "the order has no such places");
  tacit_order_group group = {0};
  tacit_status status = tacit_order_list(order, &group, first, count, raw_rows, err);
  tacit_order_group_fini(&group);
  return status;
}

static void note_places(tacit_order *order, int64_t first, int64_t count,
                        const int64_t *raw_rows) {
  for (int64_t i = 0; i < count; ++i)
    if (order->raw_places32 != NULL)
      order->raw_places32[raw_rows[i]] = (uint32_t)(first + i);
    else
      order->raw_places[raw_rows[i]] = first + i;
}

static tacit_status make_places(tacit_order *order, tacit_error *err) {
  enum { SOME = 4096 };
  size_t rows = (size_t)order->n_rows;
  if (order->n_rows <= UINT32_MAX)
    order->raw_places32 = tacit_raw_new(rows, sizeof *order->raw_places32);
  else
    order->raw_places = tacit_raw_new(rows, sizeof *order->raw_places);
  int64_t *raw_rows = tacit_raw_new(SOME, sizeof *raw_rows);
  tacit_order_group group = {0};
  tacit_status status = TACIT_OK;
  if (raw_rows == NULL || (order->raw_places32 == NULL && order->raw_places == NULL))
    status = tacit_fail_memory(err);
  for (int64_t first = 0; status == TACIT_OK && first < order->n_rows; first += SOME) {
    int64_t left = order->n_rows - first, count = left < SOME ? left : SOME;
    status = tacit_order_list(order, &group, first, count, raw_rows, err);
    if (status == TACIT_OK) note_places(order, first, count, raw_rows);
  }
  tacit_order_group_fini(&group);
  tacit_raw_free(raw_rows);
  return status;
}

tacit_status tacit_order_open(int64_t n_rows, int64_t batches,
                              const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                              tacit_order **out, tacit_error *err) {
  tacit_order *order = NULL;
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the order");
  TACIT_TRY(tacit_order_new(n_rows, batches, raw_key, NULL, &order, err));
  tacit_status status = make_places(order, err);
  return TACIT_HAND_OVER(status, order, tacit_order_free, out);
}

int64_t tacit_order_place(const tacit_order *order, int64_t row) {
  if (order == NULL || row < 0 || row >= order->n_rows) return -1;
  return order->raw_places32 != NULL ? (int64_t)order->raw_places32[row]
                                     : order->raw_places[row];
}
