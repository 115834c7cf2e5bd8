/* SPDX-License-Identifier: MIT */
#include "extra/audit/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "extra/audit/canary.h"

enum { PERSON_ROWS = 3, NUMBERS_MAX = 1 << 24 };

/* Sizes of rows. Rows that are scaled by their own norm have `length` times the norm
   that rows may have, so that the bias hardly counts: the mean row is then about 0, and
   a canary less the mean is about as long as rows may be (alike_of). If one number
   scales all rows, common rows are shorter than the canary by the factor `shorter`: the
   radius, which follows from their norms, is then just below the canary. */
static const double length = 1000, shorter = 1.4;

/* Returns the length of a canary before it is scaled. */
static double size_of(const tacit_row_rule *row) {
  return row->scale > 0 ? row->row_norm / row->scale : length * row->row_norm;
}

/* Returns the fractional part of i + 1 times an irrational number that depends on j:
   evenly spread, and equal in every run. */
static double golden_fraction(int64_t i, size_t j) {
  double x = (double)(i + 1) * fmod(0.6180339887498949 * (double)(j + 1), 1);
  return x - floor(x);
}

/* Returns the label of common record i. Canaries have other labels, except that two
   classes leave only one. */
static double label_of(const tacit_label_rule *rule, int64_t i) {
  if (rule->kind != TACIT_LOSS_CLASSES)
    return rule->min + (0.25 + 0.5 * golden_fraction(i, 7)) * (rule->max - rule->min);
  if (rule->classes <= 2) return -1;
  return (double)(2 + i % (int64_t)(rule->classes - 2));
}

/* Completes common record k in both files. Its features in the first file must be
   filled in. */
static void put_common(tacit_neighbours *both, const tacit_plan *plan, int64_t k,
                       int64_t at) {
  tacit_made_rows *first = &both->files[0];
  first->raw_labels[at] = label_of(&plan->label, k);
  if (first->raw_weights != NULL) first->raw_weights[at] = k % 2 == 0 ? 1 : 0.25;
  tacit_made_rows_copy(first, at, &both->files[1],
                       tacit_neighbours_row(both, 0, 1, at));
}

/* Makes common record k. The first `count` records come in pairs of opposites around
   the middle: the first feature ascends, and their mean is 0. The later ones have rows
   like the canary. */
static void make_common(tacit_neighbours *both, const tacit_plan *plan, int64_t k,
                        int64_t count) {
  int64_t at = both->first[0] == 0 ? both->canaries + k : k;
  int64_t pair = 2 * k < count ? k : count - 1 - k;
  double *raw_row = tacit_made_rows_at(&both->files[0], at);
  double squares = 0, sign = 2 * k < count ? 1 : -1;
  raw_row[0] = k < count ? (double)(2 * k + 1) / (double)count - 1 : 1;
  for (size_t j = 1; k < count && j < both->features; ++j)
    raw_row[j] = sign * (2 * golden_fraction(pair, j) - 1);
  for (size_t j = 0; j < both->features; ++j)
    squares += raw_row[j] * raw_row[j];
  double norm = plan->row.scale > 0 ? shorter * sqrt(squares) : 1;
  for (size_t j = 0; j < both->features; ++j)
    raw_row[j] *= size_of(&plan->row) / norm;
  put_common(both, plan, k, at);
}

/* Returns how many common rows are like the canary's. Centred rows are cut to a radius
   that is 0.95 of the length of a row of norm 1 if the mean m is small; the constant
   beside them is cut with them. If one row in twenty lies in the direction of the
   canary, then |m| = 0.05. The canary less the mean is then just as long as the radius,
   and nothing is cut: docs/results/audit.md. If the radius is 0.8 of the spread of the
   rows, so many rows in that direction make |m| = 0.22 and the spread 0.98. */
static int64_t alike_of(const tacit_plan *plan, int64_t count) {
  if (plan->spreads) return count * 22 / 100;
  return plan->centred && plan->row.scale == 0 ? count / 20 : 0;
}

static void make_canary(tacit_neighbours *both, const tacit_plan *plan) {
  double size = size_of(&plan->row);
  double opposite = plan->vault.kappa == 1           ? (double)NAN
                    : tacit_canary_turns_label(plan) ? size
                                                     : -size;
  for (int which = 0; which < 2; ++which) {
    tacit_made_rows *file = &both->files[which];
    for (int64_t k = 0; k < both->canaries; ++k) {
      int64_t at = both->first[which] + k;
      tacit_made_rows_at(file, at)[0] = which == 0 ? size : opposite;
      file->raw_labels[at] = tacit_canary_label(plan, which);
      if (file->raw_weights != NULL) file->raw_weights[at] = 1;
    }
  }
}

void tacit_neighbours_free(tacit_neighbours *both) {
  if (both == NULL) return;
  tacit_made_rows_free(&both->files[0]);
  tacit_made_rows_free(&both->files[1]);
  tacit_array_free(both);
}

static int64_t records_of(const tacit_config *config) {
  return config->units > 0 ? config->units : config->rows;
}

tacit_status tacit_neighbours_check(const tacit_config *config, tacit_error *err) {
  double rows = (double)records_of(config) + (double)config->unit_rows;
  if (records_of(config) >= 2 &&
      rows * (double)tacit_schema_features(config->schema) <= NUMBERS_MAX)
    return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    "an audit makes up at least 2 records, and rows x features of at "
                    "most %d numbers: audit a plan with fewer rows or features",
                    NUMBERS_MAX);
}

tacit_status tacit_neighbours_new(const tacit_plan *plan, tacit_neighbours **out,
                                  tacit_error *err) {
  const tacit_config *config = &plan->config;
  int64_t records = records_of(config);
  TACIT_TRY(tacit_neighbours_check(config, err));
  tacit_neighbours *both = tacit_array_new(1, sizeof *both);
  if (both == NULL) return tacit_fail_memory(err);
  both->features = plan->row.features;
  both->shuffled = config->shuffled;
  both->canaries = 1;
  if (config->units > 0)
    both->canaries = config->unit_rows > PERSON_ROWS ? config->unit_rows : PERSON_ROWS;
  if (config->units > 0)
    both->share = config->unit_rows > 0 ? config->unit_rows : both->canaries;
  both->rows = records - 1 + both->canaries;
  both->moved = config->units == 0 && config->shuffled ? 1 : 0;
  both->first[0] = both->moved ? both->rows - 1 : 0;
  tacit_status status = TACIT_OK;
  for (int which = 0; which < 2 && status == TACIT_OK; ++which)
    status = tacit_made_rows_new(both->rows, both->features, config->weighted,
                                 &both->files[which], err);
  if (status != TACIT_OK) {
    tacit_neighbours_free(both);
    return status;
  }
  int64_t paired = records - 1 - alike_of(plan, records - 1);
  for (int64_t k = 0; k < records - 1; ++k)
    make_common(both, plan, k, paired);
  make_canary(both, plan);
  *out = both;
  return TACIT_OK;
}

/* A store with the rows of one of the files. */
struct file {
  const tacit_neighbours *both;
  int which;
  tacit_neighbours_spy spy;
};

static void clear(void *rows) { ((tacit_made_rows *)rows)->view.n_rows = 0; }

static tacit_status builder_init(void *rows, const void *self, tacit_error *err) {
  const tacit_neighbours *both = ((const struct file *)self)->both;
  TACIT_TRY(tacit_made_rows_new(both->rows, both->features,
                                both->files[0].raw_weights != NULL, rows, err));
  clear(rows);
  return TACIT_OK;
}

static void builder_fini(void *rows) { tacit_made_rows_free(rows); }

static tacit_status take(const void *self, void *opaque, const int64_t *rows,
                         int64_t count, int64_t *out_taken, tacit_error *err) {
  tacit_made_rows *to = opaque;
  const struct file *file = self;
  int64_t room = file->both->rows - to->view.n_rows;
  (void)err;
  if (count > room) count = room;
  for (int64_t i = 0; i < count; ++i)
    tacit_made_rows_copy(&file->both->files[file->which], rows[i], to,
                         to->view.n_rows++);
  file->spy.taken(file->spy.context, rows, count);
  *out_taken = count;
  return TACIT_OK;
}

static const tacit_batch *view(void *rows) { return &((tacit_made_rows *)rows)->view; }

static const struct tacit_store_ops file_ops = {
    .builder_size = sizeof(tacit_made_rows),
    .builder_init = builder_init,
    .builder_fini = builder_fini,
    .clear = clear,
    .take = take,
    .view = view,
    .free = tacit_array_free,
};

/* Gives one id to all rows of the canary, and another id to every other row. */
static tacit_status give_ids(const tacit_neighbours *both, int which,
                             tacit_reader *reader, int64_t unit_rows,
                             tacit_error *err) {
  int64_t units;
  TACIT_TRY(TACIT_RAW_NEW(reader->units, (size_t)both->rows, err));
  reader->has_units = 1;
  for (int64_t i = 0; i < both->rows; ++i)
    tacit_unit_of_number(tacit_neighbours_is_canary(both, which, i) ? 0 : i + 1,
                         &reader->units[i]);
  return tacit_reader_units(reader, unit_rows, &units, err);
}

tacit_status tacit_neighbours_reader(const tacit_neighbours *both, int which,
                                     const tacit_neighbours_spy *spy, int64_t unit_rows,
                                     tacit_reader **out, tacit_error *err) {
  struct file *file = tacit_array_new(1, sizeof *file);
  if (file == NULL) return tacit_fail_memory(err);
  *file = (struct file){both, which, *spy};
  tacit_store store = {.ops = &file_ops, .self = file};
  tacit_stored_reader *stored = NULL;
  TACIT_TRY(tacit_stored_new(&store, both->rows, both->shuffled, &stored, err));
  stored->base.is_weighted = both->files[0].raw_weights != NULL;
  tacit_status status =
      both->share > 0 ? give_ids(both, which, &stored->base, unit_rows, err) : TACIT_OK;
  return TACIT_HAND_OVER(status, &stored->base, tacit_reader_free, out);
}
