/* SPDX-License-Identifier: MIT */
#include "admit/rounds.h"

#include "base/numbers.h"

int64_t tacit_rounds_batch(int64_t rows, int64_t per_pass, int64_t j) {
  return (int64_t)((tacit_i128)j * rows / per_pass);
}

int64_t tacit_rounds_first(int64_t rows, int64_t per_pass, int64_t t) {
  return tacit_rounds_batch(rows, per_pass, (t - 1) % per_pass);
}

int64_t tacit_rounds_rows(int64_t rows, int64_t per_pass, int64_t t) {
  int64_t j = (t - 1) % per_pass;
  return tacit_rounds_batch(rows, per_pass, j + 1) -
         tacit_rounds_batch(rows, per_pass, j);
}
