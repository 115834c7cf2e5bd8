/* SPDX-License-Identifier: MIT */
/*
 * Sums of nearest integers for several outputs, in vector types: compiled and checked
 * like vector.c. A sum that starts at M = 1.5 2^52 stays where doubles are integers, so
 * one fused multiply-add rounds a product and adds it, exactly, for `together` rows.
 * Proof: docs/proofs/nearest_integers.md
 */
#include "kernel/vector.h"
#include "vault/nearest.h"

/* Vectors of sums that are held in registers. */
#if defined(__AVX512DQ__)
enum { SUMS = 20 };
#elif defined(__AVX__)
enum { SUMS = 10 };
#else
enum { SUMS = 4 };
#endif

/* Some rows, their factors, TACIT_OUTPUTS per row, and the sums of their columns:
   output k has its sums from raw_sum[k stride] on. */
struct call {
  const void *const *raw_rows;
  tacit_stored stored;
  const double *raw_factors;
  size_t rows, columns, together, stride;
  int64_t *raw_sum;
};

INLINE real magic(void) { return spread(TACIT_MAGIC); }

/* Returns raw_sum plus the integers nearest to the exact products. */
INLINE real add_nearest(real raw_sum, real raw_value, double raw_factor) {
#if defined(__AVX512DQ__) || defined(__FMA__)
  return add_product(raw_sum, raw_value, spread(raw_factor), 1);
#else
  real raw_product = raw_value * spread(raw_factor);
  real raw_near = (raw_product + magic()) - magic();
  real raw_off = raw_product - raw_near;
  whole raw_half = raw_off * raw_off == 0.25; /* a rounded product that lies halfway may
                                                 be on the wrong side */
  if ((raw_half[0] | raw_half[1]) != 0)
    for (int i = 0; i < WIDTH; ++i)
      raw_near[i] = (double)tacit_nearest(raw_factor, raw_value[i]);
  return raw_sum + raw_near;
#endif
}

/* Returns the integer nearest to the exact product of two numbers. */
INLINE int64_t nearest(double raw_factor, double raw_value) {
#if defined(__AVX512DQ__) || defined(__FMA__)
  double raw_moved = __builtin_fma(raw_factor, raw_value, TACIT_MAGIC);
  return (int64_t)(raw_moved - TACIT_MAGIC);
#else
  return tacit_nearest(raw_factor, raw_value);
#endif
}

/* Adds rows first … end-1 to the sums of `outputs` outputs from output k on, in
   `vectors` vectors of columns from column j on. */
INLINE void add_tile(int outputs, int vectors, const struct call *call,
                     tacit_stored stored, size_t k, size_t j, size_t first,
                     size_t end) {
  real raw_own[TACIT_OUTPUTS][SUMS]; /* held in registers */
  for (int o = 0; o < outputs; ++o)
    for (int v = 0; v < vectors; ++v)
      raw_own[o][v] = magic();
  for (size_t r = first; r < end; ++r) {
    const double *raw_factors = call->raw_factors + r * TACIT_OUTPUTS + k;
    for (int v = 0; v < vectors; ++v) {
      real raw_value = load_row(call->raw_rows[r], j + (size_t)(v * WIDTH), stored);
      for (int o = 0; o < outputs; ++o)
        raw_own[o][v] = add_nearest(raw_own[o][v], raw_value, raw_factors[o]);
    }
  }
  for (int o = 0; o < outputs; ++o) {
    int64_t *raw_sum = call->raw_sum + (k + (size_t)o) * call->stride + j;
    for (int v = 0; v < vectors; ++v)
      *(whole_there *)(raw_sum + v * WIDTH) += (whole)raw_own[o][v] - (whole)magic();
  }
}

/* Adds all rows to the sums of add_tile, `together` rows at a time, because so many
   stay exact. */
INLINE void add_rows(int outputs, int vectors, const struct call *call,
                     tacit_stored stored, size_t k, size_t j) {
  for (size_t r = 0, end; r < call->rows; r = end) {
    end = call->rows - r < call->together ? call->rows : r + call->together;
    add_tile(outputs, vectors, call, stored, k, j, r, end);
  }
}

/* Adds all columns of all rows to the sums of `outputs` outputs from output k on. */
INLINE void add_columns(int outputs, const struct call *call, tacit_stored stored,
                        size_t k) {
  const int vectors = SUMS / outputs;
  const size_t tile = (size_t)vectors * WIDTH, columns = call->columns;
  size_t j = 0;
  for (; j + tile <= columns; j += tile)
    add_rows(outputs, vectors, call, stored, k, j);
  for (; vectors > 1 && j + WIDTH <= columns; j += WIDTH)
    add_rows(outputs, 1, call, stored, k, j);
  for (; j < columns; ++j) {
    for (size_t r = 0; r < call->rows; ++r) {
      double raw_value = tacit_dense_value(call->raw_rows[r], j, stored);
      for (size_t o = k; o < k + (size_t)outputs; ++o)
        call->raw_sum[o * call->stride + j] +=
            nearest(call->raw_factors[r * TACIT_OUTPUTS + o], raw_value);
    }
  }
}

INLINE void add_stored(const struct call *call, tacit_stored stored, size_t outputs) {
  size_t k = 0;
#if defined(__AVX__)
  for (; k + 10 <= outputs; k += 10)
    add_columns(10, call, stored, k);
  for (; k + 5 <= outputs; k += 5)
    add_columns(5, call, stored, k);
#endif
  for (; k + 2 <= outputs; k += 2)
    add_columns(2, call, stored, k);
  for (; k < outputs; ++k)
    add_columns(1, call, stored, k);
}

/* Adds dense rows times the factors of several outputs, each product rounded to the
   nearest integer. */
void LEVEL(tacit_add_nearest_)(const void *const *raw_rows, tacit_stored stored,
                               const double *raw_factors, size_t rows, size_t columns,
                               size_t outputs, size_t together, size_t stride,
                               int64_t *raw_sum) {
  const struct call call = {raw_rows, stored,   raw_factors, rows,
                            columns,  together, stride,      raw_sum};
  if (stored == TACIT_FLOATS)
    add_stored(&call, TACIT_FLOATS, outputs);
  else
    add_stored(&call, TACIT_DOUBLES, outputs);
}

INLINE void add_entries(const tacit_sparse *row, tacit_stored stored, double raw_factor,
                        int64_t *raw_sum) {
  const uint32_t *raw_indices = row->raw_indices;
  const void *raw_values = row->raw_values;
  size_t count = row->count, ahead = tacit_sparse_ahead(row), e = 0;
  for (; e < ahead; ++e) {
    __builtin_prefetch(raw_sum + raw_indices[e + TACIT_AHEAD], 1);
    raw_sum[raw_indices[e]] +=
        nearest(raw_factor, tacit_dense_value(raw_values, e, stored));
  }
  for (; e < count; ++e)
    raw_sum[raw_indices[e]] +=
        nearest(raw_factor, tacit_dense_value(raw_values, e, stored));
}

/* Adds one sparse row times a factor, each product rounded to the nearest integer. */
void LEVEL(tacit_add_nearest_sparse_)(const tacit_sparse *row, double raw_factor,
                                      int64_t *raw_sum) {
  if (row->stored == TACIT_FLOATS)
    add_entries(row, TACIT_FLOATS, raw_factor, raw_sum);
  else
    add_entries(row, TACIT_DOUBLES, raw_factor, raw_sum);
}
