/* SPDX-License-Identifier: MIT */
#include "kernel/products.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

struct tacit_products {
  tacit_offset offset;
  int64_t rows;
  double *raw_products; /* NaN: not known */
};

tacit_status tacit_products_new(const tacit_offset *offset, int64_t rows,
                                tacit_products **out, tacit_error *err) {
  tacit_products *products = tacit_raw_new(1, sizeof *products);
  if (products == NULL) return tacit_fail_memory(err);
  products->offset = *offset;
  products->rows = rows;
  products->raw_products = tacit_raw_new((size_t)rows, sizeof(double));
  if (products->raw_products == NULL) {
    tacit_products_free(products);
    return tacit_fail_memory(err);
  }
  for (int64_t i = 0; i < rows; ++i)
    products->raw_products[i] = (double)NAN;
  *out = products;
  return TACIT_OK;
}

void tacit_products_free(tacit_products *products) {
  if (products == NULL) return;
  tacit_raw_free(products->raw_products);
  tacit_raw_free(products);
}

/* 1 if rows from row i of one batch on are in the same memory as those from row j of
   the other on. Sparse rows may be shown as dense ones. */
static int are_same(const tacit_batch *kept, int64_t i, const tacit_batch *batch,
                    int64_t j, size_t rows) {
  tacit_row a = tacit_row_of(kept, i), b = tacit_row_of(batch, j);
  if (a.raw_values != b.raw_values || a.raw_values32 != b.raw_values32 ||
      a.count != b.count)
    return 0;
  if (batch->raw_row_start != NULL)
    return a.raw_indices == b.raw_indices && kept->raw_row_start != NULL &&
           kept->raw_row_start + i == batch->raw_row_start + j;
  int are_full = 1;
  for (size_t k = 0; kept->raw_row_start != NULL && k < rows; ++k)
    are_full &= tacit_row_of(kept, i + (int64_t)k).count == batch->n_features;
  return are_full;
}

/* Which of the kept rows the rows of a batch are, by their labels; -1: none. */
static int64_t find_rows(const tacit_batch *kept, const tacit_batch *batch,
                         int64_t first, size_t rows) {
  uintptr_t start = (uintptr_t)kept->raw_labels;
  uintptr_t at = (uintptr_t)batch->raw_labels + (uintptr_t)first * sizeof(double);
  if (kept->raw_labels == NULL || batch->raw_labels == NULL || at < start) return -1;
  uintptr_t raw_row = (at - start) / sizeof(double);
  if (rows > (uintptr_t)kept->n_rows || raw_row > (uintptr_t)kept->n_rows - rows)
    return -1;
  return are_same(kept, (int64_t)raw_row, batch, first, rows) ? (int64_t)raw_row : -1;
}

/* Where the products of the rows are; NULL: nowhere. */
static double *products_at(const tacit_places *places, const tacit_offset *offset,
                           const tacit_batch *batch, int64_t first, size_t rows) {
  tacit_products *products = places->products;
  if (products == NULL || products->offset.values != offset->values ||
      products->offset.bits != offset->bits)
    return NULL;
  int64_t row = find_rows(&places->rows, batch, first, rows);
  int64_t place = places->place + row;
  if (row < 0 || place < 0 || place > products->rows - (int64_t)rows) return NULL;
  return products->raw_products + place;
}

static int are_known(const double *raw_products, size_t rows) {
  int all_known = 1;
  for (size_t i = 0; i < rows; ++i)
    all_known &= !isnan(raw_products[i]);
  return all_known;
}

void tacit_products_sums(const tacit_places *places, const tacit_centre *centre,
                         const tacit_level *kernel, const tacit_batch *batch,
                         int64_t first, size_t rows, const tacit_points *points,
                         tacit_sums *raw_out) {
  tacit_points own = tacit_centre_points(centre, points);
  double *raw_products = products_at(places, &centre->offset, batch, first, rows);
  int is_known = raw_products != NULL && are_known(raw_products, rows);
  if (is_known) own.offset = NULL;
  tacit_batch_sums(kernel, batch, first, rows, &own, raw_out);
  for (size_t i = 0; is_known && i < rows; ++i)
    raw_out[i].raw_offset = raw_products[i];
  for (size_t i = 0; raw_products != NULL && !is_known && i < rows; ++i)
    raw_products[i] = raw_out[i].raw_offset;
}
