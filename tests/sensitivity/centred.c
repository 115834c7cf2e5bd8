/* SPDX-License-Identifier: MIT */
/*
 * Neighbouring data sets through centred rows, moments and products: for logistic,
 * softmax and squared loss, dense and sparse rows, with weights and with persons of
 * several rows, zero-out and replace. The difference of the closed sums, over all
 * rounds of a pass, stays within the clip in exact integers. Half of the pairs are
 * worst cases. The same harness with the clip halved must find violations, or it sees
 * nothing.
 */
#include "sums.h"

#include "base/numbers.h"
#include "gradient/interleave.h"
#include "kernel/kernel.h"
#include "vault/words.h"

enum {
  FEATURES = 6,
  COLUMNS = FEATURES + 1,
  CLASSES = 3,
  ROWS = 140, /* three blocks of the vault */
  AT = 70,    /* the record that differs is in the second one */
  OWN = 3,
  BITS = 12,
  BINS = 5
};
enum { DIM_MAX = (COLUMNS + 1) * (COLUMNS + 1) };

static double uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11), -52) - 1;
}

/* The rows of one data set; OWN of them from AT on are one person's, or row AT alone is
   the record that differs. Other persons have one or two rows, those of the first block
   one, so that their bounds are not those of the rows at the same places after them. */
struct rows {
  double raw_values[ROWS * FEATURES], raw_sparse[ROWS * FEATURES], raw_labels[ROWS];
  double raw_weights[ROWS];
  uint32_t raw_indices[ROWS * FEATURES], raw_unit_rows[ROWS];
  int64_t raw_row_start[ROWS + 1];
};

struct setting {
  const char *loss;
  tacit_delta_kind kind;
  int sparse, persons, replace, bias, mapped;
};

struct fixture {
  tacit_words words;
  tacit_loss *loss;
  tacit_delta delta;
  tacit_offset offset;
  double values[COLUMNS + 1], x[CLASSES * (COLUMNS + 1)],
      x_prev[CLASSES * (COLUMNS + 1)];
  double offsets[2][CLASSES], spread[2 * 8 * (COLUMNS + 1)], stretch[FEATURES];
  tacit_map map;
  double centre[COLUMNS + 1], weights[8 * COLUMNS];
};

static void fixture_init(struct fixture *f, const struct setting *setting) {
  static const unsigned char key[TACIT_KEY_BYTES] = "centred neighbours";
  tacit_error err;
  int joint = strcmp(setting->loss, "softmax") == 0;
  int number = strcmp(setting->loss, "squared") == 0;
  memset(f, 0, sizeof *f);
  tacit_words_init(&f->words, key);
  tacit_loss_facts facts = {.margin_max = 10,
                            .label_max = 1,
                            .classes = joint    ? CLASSES
                                       : number ? 0
                                                : 2};
  CHECK_OK(tacit_loss_new(setting->loss, &facts, &f->loss, &err), err);
  f->offset = (tacit_offset){f->values, BITS};
  f->delta = (tacit_delta){
      .kind = setting->kind,
      .loss = f->loss,
      .row = {FEATURES, setting->bias, 1, 2, joint ? CLASSES : 1, 0},
      .label = {number ? TACIT_LOSS_UNIT : TACIT_LOSS_CLASSES, facts.classes, 0, 1},
      .x = f->x,
      .x_prev = f->x_prev,
      .ratio = 0.7,
      .sens_norm = 2,
      .offset = setting->kind == TACIT_DELTA_MOMENTS ? NULL : &f->offset,
      .offsets = f->offsets[0],
      .offsets_prev = f->offsets[1],
      .radius = 3, /* so wide that the vault's clip has to do the work */
      .slope_max = 3,
      .square_scale = 0.3,
      .square_max = 3,
      .label_unit = 1,
      .label_scale = 0.5,
      .norm_scale = 0.2,
      .wave_scale = 0.1,
      .weight_scale = 0.1,
      .bins = number ? BINS : 0,
      .bin_low = -1,
      .bin_scale = 0.4,
  };
  CHECK_OK(tacit_kernel_pick(&f->delta.kernel, &err), err);
  if (!setting->mapped) return;
  size_t columns = FEATURES + (setting->bias ? 1 : 0);
  f->map = (tacit_map){f->delta.row, f->centre, f->weights, 0x1p-13, columns, 8};
  f->delta.map = &f->map;
  f->delta.row = (tacit_row_rule){columns, 0, 1, 2, f->delta.row.outputs, 1};
}

/* Points, offset and factors of the columns of another round: half of the rounds of one
   output have stretched rows. */
static void move_on(struct fixture *f) {
  size_t columns = FEATURES + (f->delta.row.bias ? 1 : 0);
  for (size_t i = 0; i < CLASSES * (COLUMNS + 1); ++i) {
    f->x[i] = 3 * uniform(&f->words);
    f->x_prev[i] = 3 * uniform(&f->words);
  }
  for (size_t j = 0; j < columns; ++j)
    f->values[j] = ldexp(rint(ldexp(0.6 * uniform(&f->words), BITS)), -BITS);
  if (f->delta.map != NULL) columns = f->map.columns;
  for (size_t j = 0; j < 8 * columns; ++j)
    f->weights[j] = rint(ldexp(uniform(&f->words), TACIT_MAP_BITS));
  for (size_t j = 0; j < columns; ++j)
    f->centre[j] = 0.5 * uniform(&f->words);
  f->values[columns] = 0.0625 * (double)(1 + tacit_words_next(&f->words) % 5);
  for (size_t k = 0; k < CLASSES; ++k) {
    f->offsets[0][k] = uniform(&f->words);
    f->offsets[1][k] = uniform(&f->words);
  }
  for (size_t j = 0; j < FEATURES; ++j)
    f->stretch[j] = (double)(1u << tacit_words_next(&f->words) % 5);
  int stretched = f->delta.map == NULL && f->delta.row.outputs == 1 &&
                  tacit_words_next(&f->words) % 2;
  f->delta.stretch = stretched ? f->stretch : NULL;
  tacit_interleave(&f->delta, NULL, f->spread);
}

static double random_label(struct fixture *f) {
  const tacit_label_rule *label = &f->delta.label;
  if (label->kind != TACIT_LOSS_CLASSES) return uniform(&f->words);
  uint64_t word = tacit_words_next(&f->words);
  return label->classes > 2 ? (double)(word % CLASSES) : word % 2 ? 1 : -1;
}

/* Row i, which is long and alike for all rows of its person in worst cases: opposite to
   the offset, or the offset itself. A row and its opposite have the same products, so
   rows of products take every other number of the offset. */
static void fill_row(struct fixture *f, struct rows *rows, int i, int worst,
                     double sign) {
  for (int j = 0; j < FEATURES; ++j) {
    double value = tacit_words_next(&f->words) % 3 ? uniform(&f->words) : 0;
    if (worst) value = sign * (f->values[j] != 0 ? f->values[j] : 0.1) * 100;
    if (worst && f->delta.kind == TACIT_DELTA_PRODUCTS)
      value = (j % 2 == 0) == (sign > 0) ? sign * value : 0;
    if (worst && f->delta.stretch != NULL) value /= f->stretch[j];
    rows->raw_values[i * FEATURES + j] = value;
  }
  rows->raw_labels[i] = worst && f->delta.label.classes == 2   ? sign
                        : worst && f->delta.label.classes == 0 ? (sign > 0)
                                                               : random_label(f);
}

static tacit_batch view(struct rows *rows, int sparse) {
  int64_t count = 0;
  tacit_batch batch = dense_rows(rows->raw_values, rows->raw_labels, ROWS, FEATURES);
  batch.raw_weights = rows->raw_weights;
  batch.raw_unit_rows = rows->raw_unit_rows;
  if (!sparse) return batch;
  rows->raw_row_start[0] = 0;
  for (int i = 0; i < ROWS; ++i) {
    for (uint32_t j = 0; j < FEATURES; ++j) {
      double value = rows->raw_values[i * FEATURES + (int)j];
      if (value == 0) continue;
      rows->raw_sparse[count] = value;
      rows->raw_indices[count++] = j;
    }
    rows->raw_row_start[i + 1] = count;
  }
  batch.raw_values = rows->raw_sparse;
  batch.raw_indices = rows->raw_indices;
  batch.raw_row_start = rows->raw_row_start;
  return batch;
}

/* Two data sets that differ in one record or person. Zero-out: its weight is 0. */
static void make_pair(struct fixture *f, const struct setting *setting, int worst,
                      struct rows *one, struct rows *two) {
  int end = AT + (setting->persons ? OWN : 1);
  for (int i = 0; i < ROWS; ++i) {
    int is_own = i >= AT && i < end,
        is_pair = setting->persons && i >= end && i % 4 < 2;
    fill_row(f, one, i, worst && is_own, 1);
    one->raw_weights[i] = is_own || i % 2 ? 1 : 0.25;
    one->raw_unit_rows[i] = is_own ? (uint32_t)(end - AT) : is_pair ? 2 : 1;
  }
  *two = *one;
  for (int i = AT; i < end; ++i)
    if (setting->replace)
      fill_row(f, two, i, worst, -1);
    else
      two->raw_weights[i] = 0;
}

/* |sum of one - sum of two| in exact integers against kappa times the clip. Worst cases
   are far above the clip, or near it: from a sixteenth to twice as long. */
static int passes_bound(struct fixture *f, const struct setting *setting, int worst,
                        int near, int64_t clip, int halved) {
  struct rows one, two;
  int64_t raw_one[DIM_MAX] = {0}, raw_two[DIM_MAX] = {0};
  tacit_error err;
  move_on(f);
  make_pair(f, setting, worst, &one, &two);
  f->delta.clip = clip;
  double size = near ? exp2(2.5 * uniform(&f->words) - 1.5) : 100;
  f->delta.steps = (double)clip * (worst ? size : 0.5 + uniform(&f->words));
  tacit_batch batch_one = view(&one, setting->sparse),
              batch_two = view(&two, setting->sparse);
  CHECK_OK(delta_add(&f->delta, &batch_one, 0, ROWS, raw_one, &err), err);
  CHECK_OK(delta_add(&f->delta, &batch_two, 0, ROWS, raw_two, &err), err);
  tacit_i128 square = 0, bound = (setting->replace ? 2 : 1) * (clip / (halved ? 2 : 1));
  for (int i = 0; i < DIM_MAX; ++i) {
    tacit_i128 change = (tacit_i128)raw_one[i] - raw_two[i];
    square += change * change;
  }
  return square > bound * bound;
}

/* Pairs of a setting that pass the bound. Clips of some thousand closed steps show the
   margin, large ones the norms. */
static int violations(const struct setting *setting, int halved) {
  static const int64_t clips[] = {3 << 15, 1000003, INT64_C(1) << 30, INT64_C(1) << 50};
  struct fixture f;
  int found = 0;
  fixture_init(&f, setting);
  for (int i = 0; i < 120; ++i)
    found += passes_bound(&f, setting, i % 2, i % 3 > 0, clips[i / 2 % 4], halved);
  tacit_loss_free(f.loss);
  return found;
}

static void every_setting(int halved) {
  static const char *const losses[] = {"logistic", "softmax", "squared"};
  for (int way = 0; way < 4 * 3 * 16; ++way) {
    const struct setting setting = {
        .loss = losses[way / 16 % 3],
        .kind = (tacit_delta_kind)(way / 48 % 3),
        .mapped = way >= 3 * 48,
        .sparse = way & 1,
        .persons = way >> 1 & 1,
        .replace = way >> 2 & 1,
        .bias = way >> 3 & 1,
    };
    int found = violations(&setting, halved);
    if ((found > 0) != halved)
      fail_msg("%s, mapped %d, kind %d, sparse %d, persons %d, replace %d, bias %d: %d "
               "pairs",
               setting.loss, setting.mapped, (int)setting.kind, setting.sparse,
               setting.persons, setting.replace, setting.bias, found);
  }
}

static void no_neighbour_passes_its_bound(void **state) {
  (void)state;
  every_setting(0);
}

static void half_the_bound_is_noticed(void **state) {
  (void)state;
  every_setting(1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_neighbour_passes_its_bound),
      cmocka_unit_test(half_the_bound_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
