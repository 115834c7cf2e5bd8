/* SPDX-License-Identifier: MIT */
/*
 * The secret order. Row after row goes to batch j with probability (places left in j)
 * divided by (rows left): this is uniform over all assignments with these batch sizes.
 * Random numbers are exact and come from the key of the order, which depends on no
 * record.
 *
 * Rows are stored in segments. A segment has the low parts of its row numbers, sorted
 * by batch, in 2 bytes each: the rows of a batch come out in ascending order.
 */
#include "admit/order.h"

#include <sodium.h>
#include <string.h>

#include "admit/roster.h"
#include "admit/rounds.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "vault/words.h"

enum { SEGMENT_ROWS = 65535, SLOTS = TACIT_ORDER_PARTS };

struct tacit_order {
  const tacit_roster *roster; /* who says which row is where; NULL: what follows */
  int64_t n_rows, batches;
  int64_t per_part, parts; /* batches of a part, and parts */
  int64_t segments;
  uint16_t *raw_low;      /* of each row number, sorted by part in each segment */
  uint16_t *raw_start;    /* segments x parts: where a part begins in its segment */
  uint32_t *raw_places32; /* of rows, if there are fewer than 2^32; NULL: not asked */
  int64_t *raw_places;
  unsigned char raw_key[TACIT_ORDER_KEY_BYTES];
};

/* Places that are left in some bins, as a binary tree: node i has the sum of its left
   half, its halves are nodes 2i and 2i+1. */
struct dealer {
  uint64_t raw_left[SLOTS];
  uint64_t size; /* power of two, at least the number of bins */
  uint64_t rows; /* not dealt yet */
  tacit_words words;
};

static int64_t part_first(const tacit_order *order, int64_t part) {
  int64_t batch = part * order->per_part;
  if (batch > order->batches) batch = order->batches;
  return tacit_rounds_batch(order->n_rows, order->batches, batch);
}

/* The batch that a place is in: the largest j whose first place is at or before it. */
static int64_t batch_of(const tacit_order *order, int64_t place) {
  return (int64_t)((((tacit_i128)place + 1) * order->batches - 1) / order->n_rows);
}

/* The random words of the parts (0) or of the batches of group number - 1. */
static void start_words(const tacit_order *order, int64_t number, tacit_words *out) {
  unsigned char message[8], key[TACIT_KEY_BYTES];
  tacit_store_le64(message, (uint64_t)number);
  tacit_hash_of(message, sizeof message, "tacit-order-1", order->raw_key,
                sizeof order->raw_key, key, sizeof key);
  tacit_words_init(out, key);
  sodium_memzero(key, sizeof key);
}

/* Fills the tree for bins whose borders are firsts[0] … firsts[bins]. */
static void fill(struct dealer *dealer, const int64_t *firsts, uint64_t bins) {
  dealer->size = 1;
  while (dealer->size < bins)
    dealer->size *= 2;
  dealer->rows = (uint64_t)(firsts[bins] - firsts[0]);
  uint64_t half = dealer->size / 2, width = 1; /* of half a node, in bins */
  for (; half > 0; half /= 2, width *= 2) {
    for (uint64_t i = 0; i < half; ++i) {
      uint64_t begin = 2 * i * width, middle = begin + width;
      if (begin > bins) begin = bins;
      if (middle > bins) middle = bins;
      dealer->raw_left[half + i] = (uint64_t)(firsts[middle] - firsts[begin]);
    }
  }
}

/* Uniform on {0, …, bound-1}, exactly: the product of a random half and the bound, its
   low half dropped unless that would favour a number. */
static uint64_t below(tacit_words *words, uint64_t bound) {
  if (bound > UINT32_MAX) return tacit_words_below(words, bound);
  uint64_t product = tacit_words_half(words) * bound;
  if ((uint32_t)product < bound) {
    uint32_t first_kept = (0 - (uint32_t)bound) % (uint32_t)bound;
    while ((uint32_t)product < first_kept)
      product = tacit_words_half(words) * bound;
  }
  return product >> 32;
}

/* The bin of the next row. Proof: docs/proofs/secret_order.md */
static inline uint64_t deal(struct dealer *dealer) {
  uint64_t place = below(&dealer->words, dealer->rows--), node = 1;
  while (node < dealer->size) {
    uint64_t left = dealer->raw_left[node];
    uint64_t is_right = place >= left;
    dealer->raw_left[node] = left - (1 - is_right);
    place -= left & (0 - is_right);
    node = 2 * node + is_right;
  }
  return node - dealer->size;
}

/* Sorts the rows of a segment by their parts. */
static void sort_segment(tacit_order *order, int64_t segment, const uint16_t *raw_parts,
                         int64_t rows) {
  uint16_t *start = order->raw_start + segment * order->parts;
  uint16_t *low = order->raw_low + segment * SEGMENT_ROWS;
  uint16_t raw_next[SLOTS] = {0};
  for (int64_t i = 0; i < rows; ++i)
    ++raw_next[raw_parts[i]];
  uint16_t sum = 0;
  for (int64_t part = 0; part < order->parts; ++part) {
    start[part] = sum;
    sum = (uint16_t)(sum + raw_next[part]);
    raw_next[part] = start[part];
  }
  for (int64_t i = 0; i < rows; ++i)
    low[raw_next[raw_parts[i]]++] = (uint16_t)i;
  sodium_memzero(raw_next, sizeof raw_next);
}

/* Rows of a segment. */
static int64_t segment_rows(const tacit_order *order, int64_t segment) {
  int64_t left = order->n_rows - segment * SEGMENT_ROWS;
  return left < SEGMENT_ROWS ? left : SEGMENT_ROWS;
}

static tacit_status deal_rows(tacit_order *order, tacit_error *err) {
  int64_t firsts[TACIT_ORDER_PARTS + 1] = {0};
  struct dealer *dealer = tacit_raw_new(1, sizeof *dealer);
  uint16_t *raw_parts =
      tacit_raw_new((size_t)segment_rows(order, 0), sizeof *raw_parts);
  if (dealer == NULL || raw_parts == NULL) {
    tacit_raw_free(dealer);
    tacit_raw_free(raw_parts);
    return tacit_fail_memory(err);
  }
  for (int64_t part = 0; part <= order->parts; ++part)
    firsts[part] = part_first(order, part);
  fill(dealer, firsts, (uint64_t)order->parts);
  start_words(order, 0, &dealer->words);
  for (int64_t segment = 0; segment < order->segments; ++segment) {
    int64_t rows = segment_rows(order, segment);
    for (int64_t i = 0; i < rows; ++i)
      raw_parts[i] = (uint16_t)deal(dealer);
    sort_segment(order, segment, raw_parts, rows);
  }
  tacit_raw_free(raw_parts);
  tacit_raw_free(dealer);
  return TACIT_OK;
}

tacit_status tacit_order_new(int64_t n_rows, int64_t batches,
                             const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                             tacit_order **out, tacit_error *err) {
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
  order->segments = (n_rows - 1) / SEGMENT_ROWS + 1;
  memcpy(order->raw_key, raw_key, sizeof order->raw_key);
  order->raw_low = tacit_raw_new((size_t)n_rows, sizeof *order->raw_low);
  order->raw_start =
      tacit_raw_new((size_t)(order->segments * order->parts), sizeof *order->raw_start);
  tacit_status status = order->raw_low != NULL && order->raw_start != NULL
                            ? deal_rows(order, err)
                            : tacit_fail_memory(err);
  if (status != TACIT_OK) {
    tacit_order_free(order);
    return status;
  }
  *out = order;
  return TACIT_OK;
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
  tacit_raw_free(order->raw_low);
  tacit_raw_free(order->raw_start);
  tacit_raw_free(order->raw_places32);
  tacit_raw_free(order->raw_places);
  tacit_raw_free(order);
}

size_t tacit_order_bytes(const tacit_order *order) {
  size_t rows = (size_t)order->n_rows;
  return sizeof *order + rows * sizeof *order->raw_low +
         (size_t)(order->segments * order->parts) * sizeof *order->raw_start +
         (order->raw_places32 != NULL ? rows * sizeof *order->raw_places32 : 0) +
         (order->raw_places != NULL ? rows * sizeof *order->raw_places : 0);
}

/* Rows skip … skip+count-1 of a part, ascending. */
static void list_part(const tacit_order *order, int64_t part, int64_t skip,
                      int64_t count, int64_t *raw_rows) {
  for (int64_t segment = 0; count > 0; ++segment) {
    const uint16_t *start = order->raw_start + segment * order->parts;
    int64_t end =
        part + 1 < order->parts ? start[part + 1] : segment_rows(order, segment);
    int64_t here = end - start[part];
    if (skip >= here) {
      skip -= here;
      continue;
    }
    int64_t first = segment * SEGMENT_ROWS;
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

/* What a group is dealt with: the batch of each of its rows, and the next free place of
   each batch. */
struct deal_group {
  tacit_words words;
  uint32_t *raw_batch;
  int64_t *raw_next;
};

/* Batch numbers, each as often as the batch has places, in uniformly random order
   (Fisher-Yates), then row after row to its batch: uniform like the parts. */
static void deal_group(const tacit_order *order, int64_t number,
                       struct deal_group *room, int64_t *raw_rows) {
  int64_t first = part_first(order, number), end = part_first(order, number + 1);
  int64_t first_batch = number * order->per_part, rows = end - first;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t batch = batch_of(order, first + i);
    room->raw_batch[i] = (uint32_t)(batch - first_batch);
    if (i == 0 || room->raw_batch[i] != room->raw_batch[i - 1])
      room->raw_next[batch - first_batch] = i;
  }
  start_words(order, 1 + number, &room->words);
  for (int64_t i = rows - 1; i > 0; --i) {
    uint64_t j = below(&room->words, (uint64_t)i + 1);
    uint32_t kept = room->raw_batch[i];
    room->raw_batch[i] = room->raw_batch[j];
    room->raw_batch[j] = kept;
  }
  int64_t raw_some[256], some = 256;
  for (int64_t i = 0; i < rows; i += some) {
    if (some > rows - i) some = rows - i;
    list_part(order, number, i, some, raw_some);
    for (int64_t k = 0; k < some; ++k)
      raw_rows[room->raw_next[room->raw_batch[i + k]]++] = raw_some[k];
  }
  sodium_memzero(raw_some, sizeof raw_some);
}

/* Makes `group` the group of this number. */
static tacit_status need_group(const tacit_order *order, tacit_order_group *group,
                               int64_t number, tacit_error *err) {
  if (group->raw_rows != NULL && group->number == number) return TACIT_OK;
  int64_t rows = part_first(order, number + 1) - part_first(order, number);
  if (rows > group->capacity) {
    int64_t *larger = tacit_raw_grow(group->raw_rows, (size_t)rows, sizeof *larger);
    if (larger == NULL) return tacit_fail_memory(err);
    group->raw_rows = larger;
    group->capacity = rows;
  }
  struct deal_group *room = tacit_raw_new(1, sizeof *room);
  if (room == NULL) return tacit_fail_memory(err);
  room->raw_batch = tacit_raw_new((size_t)rows, sizeof *room->raw_batch);
  room->raw_next = tacit_raw_new((size_t)order->per_part, sizeof *room->raw_next);
  int got = room->raw_batch != NULL && room->raw_next != NULL;
  if (got) deal_group(order, number, room, group->raw_rows);
  group->number = number;
  tacit_raw_free(room->raw_batch);
  tacit_raw_free(room->raw_next);
  tacit_raw_free(room);
  return got ? TACIT_OK : tacit_fail_memory(err);
}

tacit_status tacit_order_list(const tacit_order *order, tacit_order_group *group,
                              int64_t first, int64_t count, int64_t *raw_rows,
                              tacit_error *err) {
  for (; order->roster != NULL && count > 0; --count)
    *raw_rows++ = tacit_roster_row(order->roster, first++);
  while (count > 0) {
    int64_t part = batch_of(order, first) / order->per_part;
    int64_t begin = part_first(order, part), end = part_first(order, part + 1);
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
  for (int64_t i = 0; i < count; ++i) {
    if (order->raw_places32 != NULL)
      order->raw_places32[raw_rows[i]] = (uint32_t)(first + i);
    else
      order->raw_places[raw_rows[i]] = first + i;
  }
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
  TACIT_TRY(tacit_order_new(n_rows, batches, raw_key, &order, err));
  tacit_status status = make_places(order, err);
  if (status != TACIT_OK) {
    tacit_order_free(order);
    return status;
  }
  *out = order;
  return TACIT_OK;
}

int64_t tacit_order_place(const tacit_order *order, int64_t row) {
  if (order == NULL || row < 0 || row >= order->n_rows) return -1;
  return order->raw_places32 != NULL ? (int64_t)order->raw_places32[row]
                                     : order->raw_places[row];
}
