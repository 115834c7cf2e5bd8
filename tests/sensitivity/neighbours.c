/* SPDX-License-Identifier: MIT */
/*
 * Neighbouring data sets through the real code, on the same past: for every loss, dense
 * and sparse rows, both adjacencies, all bounds, one and three passes, the change of
 * every round's sums and of every encoded row stays within the bound the noise was
 * calibrated to, in exact integers, and the whole run costs at most mu. Half of the
 * pairs are worst cases, a third have weights and units of up to 20 rows. The same
 * harness with the bounds halved must find violations, or it sees nothing.
 */
#include "sums.h"

#include <stdlib.h>

#include "run/run.h"
#include "vault/words.h"

enum {
  FEATURES = 5,
  ROWS = 12,
  PER_PASS = 4,
  CLASSES = 4,
  DIM_MAX = CLASSES * (FEATURES + 1)
};

/* A loss that lies: its slope is ten times the bound it declares. */
struct liar {
  tacit_loss *honest;
};

static double liar_value(const void *self, double margin, double label) {
  const struct liar *liar = self;
  return 10 * tacit_loss_value(liar->honest, margin, label);
}

static double liar_slope(const void *self, double margin, double label) {
  const struct liar *liar = self;
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(liar->honest, &bounds);
  double slope = tacit_loss_slope(liar->honest, margin, label);
  return slope > 0 ? 10 * bounds.slope : slope < 0 ? -10 * bounds.slope : slope;
}

/* The honest direction, ten times as long as it says it can be. */
static void liar_slope_joint(const void *self, const double *margins, size_t outputs,
                             size_t label, double *out) {
  const struct liar *liar = self;
  tacit_loss_bounds bounds;
  tacit_loss_bounds_of(liar->honest, &bounds);
  tacit_loss_slope_all(liar->honest, margins, (double)label, out);
  double squares = 0;
  for (size_t k = 0; k < outputs; ++k)
    squares += out[k] * out[k];
  for (size_t k = 0; k < outputs && squares > 0; ++k) {
    out[k] *= 10 * bounds.slope / sqrt(squares);
  }
}

static double liar_value_joint(const void *self, const double *margins, size_t outputs,
                               size_t label) {
  (void)outputs;
  const struct liar *liar = self;
  return 10 * tacit_loss_value_all(liar->honest, margins, (double)label);
}

static void liar_predict_joint(const void *self, const double *margins, size_t outputs,
                               double *out) {
  (void)outputs;
  tacit_loss_predict_all(((const struct liar *)self)->honest, margins, out);
}

static void liar_bounds(const void *self, const tacit_loss_facts *facts,
                        tacit_loss_bounds *out) {
  (void)facts;
  tacit_loss_bounds_of(((const struct liar *)self)->honest, out);
}

static const tacit_loss_ops liar_ops = {
    .version = 1,
    .name = "liar",
    .summary = "declares a tenth of its slope",
    .state_size = sizeof(struct liar),
    .value = liar_value,
    .slope = liar_slope,
    .bounds = liar_bounds,
    .value_joint = liar_value_joint,
    .slope_joint = liar_slope_joint,
    .predict_joint = liar_predict_joint,
};

/* How contributions are bounded: the norm of the weights and the law of the noise. */
struct geometry {
  double norm;
  const char *law, *mechanism;
  int pairs;   /* in a full test; PAIRS_USUAL in others */
  int classes; /* more than two: losses on classes only, one output each */
};

enum { PAIRS_USUAL = 20 };
static int is_full;

static const struct geometry geometries[] = {
    {2, "gaussian", "tree", 200, 2},      {1.5, "gaussian", "tree", 40, 2},
    {1, "gaussian", "banded", 40, 2},     {2, "laplace", "tree", 40, 2},
    {2, "exp-l2", "tree", 40, 2},         {2, "exp-linf", "tree", 40, 2},
    {1.5, "exp-lp", "tree", 40, 2},       {2, "gaussian", "banded", 60, 2},
    {2, "gaussian", "blt", 60, 2},        {2, "gaussian", "matrix", 60, 2},
    {2, "gaussian", "tree", 60, CLASSES}, {1.5, "gaussian", "banded", 40, CLASSES},
    {2, "laplace", "tree", 40, CLASSES},
};

static int pairs_of(const struct geometry *geometry) {
  return is_full ? geometry->pairs : PAIRS_USUAL;
}

struct setting {
  const struct geometry *geometry;
  const tacit_loss_ops *loss;
  int sparse;
  tacit_adjacency adjacency;
  tacit_bound bound;
  int passes;
};

/* One data set: dense numbers and, for the sparse form, the same in CSR. */
struct rows {
  double raw_dense[ROWS * FEATURES], raw_labels[ROWS];
  double raw_packed[ROWS * FEATURES], raw_weights[ROWS];
  uint32_t raw_unit_rows[ROWS]; /* 0 in row 0: no weights */
  uint32_t raw_indices[ROWS * FEATURES];
  int64_t raw_row_start[ROWS + 1];
};

static double uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11), -52) - 1;
}

static void pack(struct rows *rows) {
  int64_t at = 0;
  for (int i = 0; i < ROWS; ++i) {
    rows->raw_row_start[i] = at;
    for (int j = 0; j < FEATURES; ++j) {
      double value = rows->raw_dense[i * FEATURES + j];
      if (value == 0) continue;
      rows->raw_packed[at] = value;
      rows->raw_indices[at++] = (uint32_t)j;
    }
  }
  rows->raw_row_start[ROWS] = at;
}

static double random_label(tacit_words *words, const struct setting *setting) {
  double u = uniform(words);
  if (setting->loss->labels == TACIT_LOSS_CLASSES) {
    return setting->geometry->classes > 2 ? floor((u + 1) / 2 * CLASSES)
           : u > 0                        ? 1
                                          : -1;
  }
  return 4 + 6 * u; /* declared bounds are 0 and 7: some lie outside */
}

static void random_row(struct rows *rows, int i, tacit_words *words,
                       const struct setting *setting) {
  double size = exp(3 * uniform(words));
  for (int j = 0; j < FEATURES; ++j) {
    double value = size * uniform(words);
    rows->raw_dense[i * FEATURES + j] = uniform(words) > 0.5 ? 0 : value;
  }
  rows->raw_labels[i] = random_label(words, setting);
}

/* The record that differs, in its worst forms. */
static void worst_row(struct rows *rows, struct rows *other, int i, int kind,
                      const struct setting *setting) {
  int classes = setting->loss->labels == TACIT_LOSS_CLASSES;
  int flat = kind % 8 == 0;
  for (int j = 0; j < FEATURES; ++j) {
    double *here = &rows->raw_dense[i * FEATURES + j];
    double *there = &other->raw_dense[i * FEATURES + j];
    switch (kind % 4) {
    case 0: /* opposite and aligned; or one flat row with opposite labels */
      *here = flat ? 1 : 1 + j;
      *there = flat ? 1 : -*here;
      break;
    case 1: /* one long row, the other far too long */
      *here = j == 0 ? 1e6 : 0;
      *there = j == 0 ? -1e150 : 0;
      break;
    case 2: /* not a number against a plain row */
      *here = j == 2 ? NAN : 1;
      *there = 1 - 3 * (j % 2);
      break;
    default: /* overflowing squares against infinity */
      *here = j == 1 ? 1e300 : 1;
      *there = j == 3 ? INFINITY : -1;
      break;
    }
  }
  rows->raw_labels[i] = classes ? 1 : 7;
  double opposite = !classes || setting->geometry->classes > 2 ? 0 : -1;
  other->raw_labels[i] = flat ? opposite : rows->raw_labels[i];
}

/* Weights of all rows, also such as no caller can pass: those add nothing. The units of
   the record that differs have m rows, before and after. */
static void weigh(struct rows *rows, int shift, uint32_t m, int64_t differs) {
  static const double weights[] = {1, 0, 1e-300, 0.3, NAN, 1, -1, 0.999};
  for (int i = 0; i < ROWS; ++i) {
    rows->raw_weights[i] = weights[(i + shift) % 8];
    rows->raw_unit_rows[i] = i == differs ? m : 1 + (uint32_t)i % 3;
  }
}

static void view(const struct rows *rows, int sparse, tacit_batch *out) {
  tacit_batch_init(out);
  out->n_rows = ROWS;
  out->n_features = FEATURES;
  out->raw_labels = rows->raw_labels;
  out->raw_values = sparse ? rows->raw_packed : rows->raw_dense;
  out->raw_indices = sparse ? rows->raw_indices : NULL;
  out->raw_row_start = sparse ? rows->raw_row_start : NULL;
  if (rows->raw_unit_rows[0] > 0) {
    out->raw_weights = rows->raw_weights;
    out->raw_unit_rows = rows->raw_unit_rows;
    tacit_error err; /* some are no weights: callers refuse them */
    assert_int_equal(tacit_batch_check(out, FEATURES, 1, &err), TACIT_EDATA);
  }
}

static void sums_of(tacit_train *train, const struct rows *rows, int sparse,
                    int64_t first, int64_t end, int64_t skip, int64_t *raw_sum) {
  tacit_batch batch;
  tacit_error err;
  view(rows, sparse, &batch);
  memset(raw_sum, 0, DIM_MAX * sizeof *raw_sum);
  for (int64_t i = first; i < end; ++i) {
    if (i == skip) continue; /* the null record contributes nothing */
    CHECK_OK(delta_add(&train->delta, &batch, i, i + 1, raw_sum, &err), err);
  }
}

/* |a - b| > limit in the norm of the guarantee: exact integers for the laws that can be
   private, doubles for the others. */
static int past(const tacit_i128 *a, const tacit_i128 *b, size_t dim, double sens_norm,
                tacit_i128 limit) {
  tacit_i128 sum = 0, squares = 0;
  double powers = 0, max = 0;
  for (size_t j = 0; j < dim; ++j) {
    tacit_i128 size = a[j] > b[j] ? a[j] - b[j] : b[j] - a[j];
    sum += size;
    squares += size * size;
    max = fmax(max, (double)size);
    powers += isinf(sens_norm) ? 0 : pow((double)size, sens_norm);
  }
  if (sens_norm == 1) return sum > limit;
  if (sens_norm == 2) return squares > limit * limit;
  double length = isinf(sens_norm) ? max : pow(powers, 1 / sens_norm);
  return length > (double)limit * (1 + 1e-9);
}

static double length_of(const tacit_i128 *a, const tacit_i128 *b, size_t dim,
                        double sens_norm) {
  double powers = 0, max = 0;
  for (size_t j = 0; j < dim; ++j) {
    double size = fabs((double)(a[j] - b[j]));
    max = fmax(max, size);
    powers += isinf(sens_norm) ? 0 : pow(size, sens_norm);
  }
  return isinf(sens_norm) ? max : pow(powers, 1 / sens_norm);
}

struct finding {
  int64_t past_sum, past_row, past_budget, checked;
  double worst; /* largest cost/mu of a run */
};

/* A matrix of the caller's, with signs that alternate. */
static tacit_matrix signed_matrix(int64_t *entries, int64_t rounds) {
  for (int64_t t = 0; t < rounds; ++t) {
    for (int64_t i = 0; i < rounds; ++i) {
      int64_t entry = i > t ? 0 : 1000 / (t - i + 1);
      entries[t * rounds + i] = (t - i) % 2 == 0 ? entry : -entry;
    }
  }
  return (tacit_matrix){rounds, 10, entries};
}

static tacit_train *start(const struct setting *setting, int lie, uint64_t seed,
                          tacit_schema **out_schema) {
  tacit_error err;
  tacit_config config;
  int classes = setting->loss->labels == TACIT_LOSS_CLASSES;
  double low = classes ? (double)NAN : 0, high = classes ? (double)NAN : 7;
  CHECK_OK(setting->geometry->classes > 2
               ? tacit_schema_memory_classes(FEATURES, CLASSES, out_schema, &err)
               : tacit_schema_memory(FEATURES, low, high, out_schema, &err),
           err);
  tacit_config_init(&config);
  config.schema = *out_schema;
  config.rows = ROWS;
  config.epsilon = 50; /* little noise: the iterates move, and so do the bounds */
  config.law = setting->geometry->law;
  config.mechanism = setting->geometry->mechanism;
  config.norm = setting->geometry->norm;
  config.pure = strcmp(config.law, "gaussian") != 0;
  config.delta = config.pure ? 0 : 1e-3;
  config.adjacency = setting->adjacency;
  config.loss = setting->loss->name;
  config.bound = setting->bound;
  config.passes = setting->passes;
  config.batch = ROWS / PER_PASS;
  config.radius = 3;
  config.power = 1 + (double)(seed % 3) / 2; /* k = 1: all bounds alike, no slack */
  config.row_norm = 2;
  config.seeded = 1;
  config.seed = seed;
  config.threads = 1;
  int64_t rounds = (int64_t)setting->passes * PER_PASS;
  int64_t *entries = calloc((size_t)(rounds * rounds), sizeof *entries);
  const tacit_matrix matrix = signed_matrix(entries, rounds);
  if (strcmp(config.mechanism, "matrix") == 0) config.matrix = &matrix;
  tacit_train *train;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  free(entries);
  if (lie) {
    tacit_loss *liar;
    CHECK_OK(
        tacit_loss_new_ops(&liar_ops, NULL, &train->plan->loss->facts, &liar, &err),
        err);
    ((struct liar *)liar->state)->honest = train->plan->loss;
    train->plan->loss = liar;
  }
  return train;
}

static void stop(tacit_train *train, int lie, tacit_schema *schema) {
  if (lie) tacit_loss_free(((struct liar *)train->plan->loss->state)->honest);
  tacit_train_free(train);
  tacit_schema_free(schema);
}

static tacit_i128 limit_of_rows(const tacit_vault_facts *facts, int inside,
                                int64_t row_clip) {
  if (!facts->encoder->relative) return (tacit_i128)facts->kappa * inside * row_clip;
  return (tacit_i128)(facts->kappa * facts->lattice.sens * (double)row_clip);
}

/* Runs on `one`; at every round also encodes what `two` would have given. `halved`
   claims half of each bound on purpose. */
static void compare(const struct setting *setting, const struct rows *one,
                    const struct rows *two, int64_t differs, int lie, uint64_t seed,
                    int halved, struct finding *finding) {
  tacit_schema *schema;
  tacit_train *train = start(setting, lie, seed, &schema);
  const tacit_vault_facts *facts = &train->plan->vault;
  tacit_encoder *first = encoder_of(facts->encoder, &facts->shape);
  tacit_encoder *second = encoder_of(facts->encoder, &facts->shape);
  tacit_error err;
  int null_record = setting->adjacency == TACIT_ZERO_OUT;
  size_t dim = train->plan->dim;
  assert_true(dim <= DIM_MAX);
  double cost = 0, sens_norm = train->plan->sens_norm;
  for (int64_t t = 1; t <= train->plan->rounds; ++t) {
    int64_t begin = (t - 1) % PER_PASS * (ROWS / PER_PASS),
            end = begin + ROWS / PER_PASS;
    CHECK_OK(tacit_round_open(train, &err), err);
    int64_t raw_one[DIM_MAX], raw_two[DIM_MAX], clip = train->delta.clip;
    tacit_i128 row_one[DIM_MAX], row_two[DIM_MAX];
    sums_of(train, one, setting->sparse, begin, end, -1, raw_one);
    sums_of(train, two, setting->sparse, begin, end, null_record ? differs : -1,
            raw_two);
    tacit_i128 sum_one[DIM_MAX], sum_two[DIM_MAX];
    for (size_t j = 0; j < dim; ++j) {
      sum_one[j] = raw_one[j];
      sum_two[j] = raw_two[j];
    }
    int64_t row_clip = encoder_begin(first, t, clip);
    assert_true(encoder_begin(second, t, clip) == row_clip);
    encoder_encode(first, raw_one, 0, dim, row_one);
    encoder_encode(second, raw_two, 0, dim, row_two);
    uint32_t m = one->raw_unit_rows[0] > 0 ? one->raw_unit_rows[differs] : 1;
    tacit_i128 limit = (tacit_i128)facts->kappa * (clip / m);
    /* A row of the tree holds `inside` rounds of the record, each with weight 1; the
       rows of the others are bounded together, by the budget below. */
    int inside = 0;
    for (int64_t i = t - (t & -t) + 1; i <= t; ++i) {
      inside += (i - 1) % PER_PASS == differs / (ROWS / PER_PASS);
    }
    tacit_i128 limit_row = limit_of_rows(facts, inside, row_clip);
    if (halved) limit /= 2, limit_row /= 2;
    finding->past_sum += past(sum_one, sum_two, dim, sens_norm, limit);
    finding->past_row += past(row_one, row_two, dim, sens_norm, limit_row);
    ++finding->checked;
    double scale = (double)tacit_noise_scale_up(facts->kappa, facts->lattice.sens,
                                                row_clip, facts->budget);
    double cost_row = length_of(row_one, row_two, dim, sens_norm) / scale;
    cost += facts->law->pure ? cost_row : cost_row * cost_row;
    tacit_partial sum = {.sum = train->partials[0].sum, .rows = ROWS / PER_PASS};
    memcpy(tacit_sum_raw_load(sum.sum, sum.rows), raw_one, dim * sizeof *raw_one);
    CHECK_OK(tacit_round_close_with(train, &sum, &err), err);
  }
  if (!facts->law->pure) cost = sqrt(cost);
  double used = cost / facts->budget * (halved ? 2 : 1);
  finding->past_budget += !(used <= 1 + 1e-12);
  finding->worst = fmax(finding->worst, used);
  encoder_free(first);
  encoder_free(second);
  stop(train, lie, schema);
}

static void try_pairs(const struct setting *setting, int halved,
                      struct finding *finding) {
  static const unsigned char key[TACIT_KEY_BYTES] = "neighbours";
  tacit_words words;
  tacit_words_init(&words, key);
  for (int pair = 0; pair < pairs_of(setting->geometry); ++pair) {
    static struct rows one, two;
    int flat = pair % 16 == 1; /* row 1, k = 1: no slack anywhere */
    int64_t differs = flat ? 0 : pair % ROWS;
    for (int i = 0; i < ROWS; ++i)
      random_row(&one, i, &words, setting);
    one.raw_unit_rows[0] = 0;
    if (pair % 3 == 2) weigh(&one, pair, 1 + (uint32_t)pair % 20, differs);
    two = one;
    if (pair % 3 == 2) two.raw_weights[differs] = one.raw_weights[(pair + 5) % ROWS];
    int worst = pair % 2, lie = worst && pair % 4 == 1;
    if (worst)
      worst_row(&one, &two, (int)differs, pair / 2, setting);
    else
      random_row(&two, (int)differs, &words, setting);
    pack(&one);
    pack(&two);
    compare(setting, &one, &two, differs, lie, (uint64_t)(flat ? 3 * pair : pair),
            halved, finding);
  }
}

static void every_setting(const struct geometry *geometry, int halved) {
  static const tacit_bound bounds[] = {TACIT_BOUND_CLIP, TACIT_BOUND_TIGHT,
                                       TACIT_BOUND_PAPER};
  int settings = 0;
  double closest = 0;
  for (size_t loss = 0; tacit_loss_at(loss) != NULL; ++loss) {
    int outputs = geometry->classes > 2;
    if (outputs && tacit_loss_at(loss)->labels != TACIT_LOSS_CLASSES) continue;
    for (int which = 0; which < 24; ++which) {
      struct setting setting = {
          .geometry = geometry,
          .loss = tacit_loss_at(loss),
          .sparse = which % 2,
          .adjacency = which / 2 % 2 ? TACIT_ZERO_OUT : TACIT_REPLACE,
          .bound = bounds[which / 4 % 3],
          .passes = which / 12 ? 3 : 1,
      };
      struct finding finding = {0};
      try_pairs(&setting, halved, &finding);
      ++settings;
      closest = fmax(closest, finding.worst);
      assert_true(finding.checked ==
                  (int64_t)pairs_of(geometry) * PER_PASS * setting.passes);
      if (halved) {
        int rows_tell = strcmp(geometry->mechanism, "tree") == 0;
        if (finding.past_sum == 0 || (rows_tell && finding.past_row == 0)) {
          fail_msg("%s, setting %d: half the bound goes unnoticed", setting.loss->name,
                   which);
        }
      } else if (finding.past_sum + finding.past_row + finding.past_budget > 0) {
        fail_msg("%s, setting %d: %lld sums, %lld rows, %lld runs past their bound",
                 setting.loss->name, which, (long long)finding.past_sum,
                 (long long)finding.past_row, (long long)finding.past_budget);
      }
    }
  }
  assert_true(settings >= (geometry->classes > 2 ? 4 : 8) * 24);
  /* Clipped, opposite and aligned: the budget is used to the full somewhere. */
  double min = geometry->classes > 2 ? 0.9 : 0.99; /* slopes of outputs rarely align */
  CHECK_AT_MAX(halved ? 2 * min : min, closest);
}

static void no_neighbour_passes_its_bound(void **state) {
  every_setting((const struct geometry *)*state, 0);
}

static void half_the_bound_is_noticed(void **state) {
  every_setting((const struct geometry *)*state, 1);
}

int main(int argc, char **argv) {
  is_full = is_full_test(argc, argv);
  enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };
  struct CMUnitTest tests[2 * GEOMETRIES];
  static char names[2 * GEOMETRIES][128];
  for (int i = 0; i < 2 * GEOMETRIES; ++i) {
    const struct geometry *geometry = &geometries[i / 2];
    (void)snprintf(
        names[i], sizeof names[i], "%s: norm %g, %s, %s, %d classes",
        i % 2 ? "half the bound is noticed" : "no neighbour passes its bound",
        geometry->norm, geometry->law, geometry->mechanism, geometry->classes);
    tests[i] = (struct CMUnitTest){
        .name = names[i],
        .test_func = i % 2 ? half_the_bound_is_noticed : no_neighbour_passes_its_bound,
        .initial_state = (void *)(uintptr_t)geometry,
    };
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
