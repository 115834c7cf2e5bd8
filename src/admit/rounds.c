/* SPDX-License-Identifier: MIT */
#include "admit/rounds.h"

#include "base/numbers.h"

static int64_t batch_first(int64_t rows, int64_t per_pass, int64_t j) {
  return (int64_t)((tacit_i128)j * rows / per_pass);
}

int64_t tacit_rounds_first(int64_t rows, int64_t per_pass, int64_t t) {
  return batch_first(rows, per_pass, (t - 1) % per_pass);
}

int64_t tacit_rounds_rows(int64_t rows, int64_t per_pass, int64_t t) {
  int64_t j = (t - 1) % per_pass;
  return batch_first(rows, per_pass, j + 1) - batch_first(rows, per_pass, j);
}
