/* SPDX-License-Identifier: MIT */
/*
 * With many weights the time goes into reading the vectors of all earlier rounds. So at
 * every fourth round their part of the next four rows is added up in one sweep.
 */
#include "vault/history.h"

#include <string.h>

#include "base/memory.h"

enum { AHEAD = 4 }; /* rows that are formed in one sweep */

/* Returns the rounds that raw_sums has room for. It holds, chunk by chunk of
   coordinates: u_1, u_2, …, then room for begun rows. A begun row has 128 bits per
   number, so it takes the room of two later u. */
static size_t kept_rounds(const tacit_history *history) {
  return (size_t)history->rounds + AHEAD - 1;
}

int tacit_history_init(tacit_history *history, int64_t rounds, size_t dim) {
  size_t even = dim + dim % 2;
  *history = (tacit_history){.rounds = rounds};
  if (even > SIZE_MAX / kept_rounds(history)) return 0;
  history->raw_sums = tacit_raw_new(kept_rounds(history) * even, sizeof(int64_t));
  return history->raw_sums != NULL;
}

void tacit_history_fini(tacit_history *history) { tacit_raw_free(history->raw_sums); }

/* Adds the sum of k[j] u_j over n rounds j to raw_row, four rounds at a time. */
static void add_rounds(const int64_t *raw_sums, size_t width, const int64_t *k,
                       int64_t n, size_t count, tacit_i128 *raw_row) {
  for (; n >= 4; n -= 4, k += 4, raw_sums += 4 * width) {
    for (size_t i = 0; i < count; ++i) {
      raw_row[i] += (tacit_i128)k[0] * raw_sums[i] +
                    (tacit_i128)k[1] * raw_sums[width + i] +
                    (tacit_i128)k[2] * raw_sums[2 * width + i] +
                    (tacit_i128)k[3] * raw_sums[3 * width + i];
    }
  }
  for (; n > 0; --n, ++k, raw_sums += width)
    for (size_t i = 0; i < count; ++i)
      raw_row[i] += (tacit_i128)*k * raw_sums[i];
}

/* Writes the product of one row of the matrix with the sums of all rounds so far. */
void tacit_history_row(tacit_history *history, const int64_t *k, int64_t t,
                       const int64_t *raw_sum, size_t first, size_t count,
                       tacit_i128 *raw_out) {
  int64_t rounds = history->rounds, place = (t - 1) % AHEAD, done = t - 1 - place;
  int64_t n_rows = rounds - done < AHEAD ? rounds - done : AHEAD;
  k += done * rounds;
  size_t width = count + count % 2; /* even, because 128-bit numbers must be aligned */
  int64_t *raw_sums = history->raw_sums + first * kept_rounds(history);
  /* Row done+1+r is begun in the room of u_{done+2r} and the next u. */
  tacit_i128 *raw_begun[AHEAD] = {raw_out};
  for (int64_t r = 1; r < n_rows; ++r)
    raw_begun[r] =
        (tacit_i128 *)(void *)(raw_sums + (size_t)(done + 2 * r - 1) * width);

  if (place == 0) {
    for (int64_t r = 0; r < n_rows; ++r)
      memset(raw_begun[r], 0, count * sizeof *raw_out);
    for (int64_t j = 0; j < done; j += AHEAD) {
      for (int64_t r = 0; r < n_rows; ++r)
        add_rounds(raw_sums + (size_t)j * width, width, k + r * rounds + j, AHEAD,
                   count, raw_begun[r]);
    }
  } else {
    memcpy(raw_out, raw_begun[place], count * sizeof *raw_out);
  }
  memcpy(raw_sums + (size_t)(done + place) * width, raw_sum + first,
         count * sizeof *raw_sum);
  add_rounds(raw_sums + (size_t)done * width, width, k + place * rounds + done,
             place + 1, count, raw_out);
}
