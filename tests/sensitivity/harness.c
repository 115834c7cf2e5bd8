/* SPDX-License-Identifier: MIT */
/* How pairs of neighbours are compared: see harness.h. */
#include "harness.h"

#include <stdlib.h>

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
  for (size_t k = 0; k < outputs && squares > 0; ++k)
    out[k] *= 10 * bounds.slope / sqrt(squares);
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

double uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11), -52) - 1;
}

static void pack(struct rows *rows) {
  int64_t at = 0;
  for (int64_t i = 0; i < rows->n; ++i) {
    rows->raw_row_start[i] = at;
    for (int j = 0; j < FEATURES; ++j) {
      double value = rows->raw_dense[i * FEATURES + j];
      if (value == 0) continue;
      rows->raw_packed[at] = value;
      rows->raw_indices[at++] = (uint32_t)j;
    }
  }
  rows->raw_row_start[rows->n] = at;
}

double label_from(double u, const struct setting *setting) {
  if (setting->loss->labels == TACIT_LOSS_CLASSES) {
    return setting->geometry->classes > 2 ? floor((u + 1) / 2 * CLASSES)
           : u > 0                        ? 1
                                          : -1;
  }
  return 4 + 6 * u; /* declared bounds are 0 and 7: some lie outside */
}

void random_row(struct rows *rows, int64_t i, tacit_words *words,
                const struct setting *setting) {
  double size = exp(3 * uniform(words));
  for (int j = 0; j < FEATURES; ++j) {
    double value = size * uniform(words);
    rows->raw_dense[i * FEATURES + j] = uniform(words) > 0.5 ? 0 : value;
  }
  rows->raw_labels[i] = label_from(uniform(words), setting);
}

void worst_row(struct rows *rows, int64_t i, struct rows *other, int64_t i_other,
               int kind, const struct setting *setting) {
  int classes = setting->loss->labels == TACIT_LOSS_CLASSES;
  int flat = kind % 8 == 0;
  for (int j = 0; j < FEATURES; ++j) {
    double *here = &rows->raw_dense[i * FEATURES + j];
    double *there = &other->raw_dense[i_other * FEATURES + j];
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
  other->raw_labels[i_other] = flat ? opposite : rows->raw_labels[i];
}

void copy_row(struct rows *to, int64_t at, const struct rows *from, int64_t i) {
  memcpy(to->raw_dense + at * FEATURES, from->raw_dense + i * FEATURES,
         sizeof(double[FEATURES]));
  to->raw_labels[at] = from->raw_labels[i];
}

static void view(const struct rows *rows, int sparse, tacit_batch *out) {
  tacit_batch_init(out);
  out->n_rows = rows->n;
  out->n_features = FEATURES;
  out->raw_labels = rows->raw_labels;
  out->raw_values = sparse ? rows->raw_packed : rows->raw_dense;
  out->raw_indices = sparse ? rows->raw_indices : NULL;
  out->raw_row_start = sparse ? rows->raw_row_start : NULL;
  if (!rows->weighted) return;
  out->raw_weights = rows->raw_weights;
  out->raw_unit_rows = rows->raw_unit_rows;
  int sound = 1; /* a set with anything that is no weight is refused by every caller */
  for (int64_t i = 0; i < rows->n; ++i)
    sound &= rows->raw_weights[i] >= 0 && rows->raw_weights[i] <= 1;
  tacit_error err;
  tacit_status status = tacit_batch_check(out, FEATURES, 1, &err);
  assert_true(sound || status == TACIT_EDATA);
}

void sums_of(const tacit_delta *delta, const struct rows *rows, int sparse,
             int64_t batch, int64_t *raw_sum) {
  tacit_batch all;
  tacit_error err;
  view(rows, sparse, &all);
  memset(raw_sum, 0, DIM_MAX * sizeof *raw_sum);
  for (int64_t i = 0; i < rows->n; ++i) {
    if (rows->batch[i] != batch) continue;
    CHECK_OK(delta_add(delta, &all, i, i + 1, raw_sum, &err), err);
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

tacit_train *start_run(const struct setting *setting, const struct pair *pair,
                       tacit_schema **out_schema) {
  tacit_error err;
  tacit_config config;
  int classes = setting->loss->labels == TACIT_LOSS_CLASSES;
  size_t n_classes = setting->geometry->classes > 2 ? CLASSES : classes ? 2 : 0;
  CHECK_OK(tacit_schema_memory(FEATURES, n_classes, 0, 7, out_schema, &err), err);
  tacit_config_init(&config);
  config.schema = *out_schema;
  config.rows = pair->persons ? 0 : UNITS;
  config.units = pair->persons ? UNITS : 0;
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
  config.batch = UNITS / PER_PASS;
  config.radius = 3;
  config.power =
      1 + (double)(pair->seed % 3) / 2; /* k = 1: all bounds alike, no slack */
  config.row_norm = 2;
  config.seeded = 1;
  config.seed = pair->seed;
  config.threads = 1;
  int64_t rounds = (int64_t)setting->passes * PER_PASS;
  int64_t *entries = calloc((size_t)(rounds * rounds), sizeof *entries);
  const tacit_matrix matrix = signed_matrix(entries, rounds);
  if (strcmp(config.mechanism, "matrix") == 0) config.matrix = &matrix;
  tacit_train *train;
  CHECK_OK(tacit_train_new(&config, &train, &err), err);
  free(entries);
  if (pair->lie) {
    tacit_loss *liar;
    CHECK_OK(
        tacit_loss_new_ops(&liar_ops, NULL, &train->plan->loss->facts, &liar, &err),
        err);
    ((struct liar *)liar->state)->honest = train->plan->loss;
    train->plan->loss = liar;
  }
  return train;
}

void stop_run(tacit_train *train, const struct pair *pair, tacit_schema *schema) {
  if (pair->lie) tacit_loss_free(((struct liar *)train->plan->loss->state)->honest);
  tacit_train_free(train);
  tacit_schema_free(schema);
}

/* Rounds of the rows that differ in row t of the tree, each with weight 1. */
static int inside_tree(int64_t t, int64_t odd_batch) {
  int most = 0;
  for (int64_t batch = 0; batch < PER_PASS; ++batch) {
    int inside = 0;
    for (int64_t i = t - (t & -t) + 1; i <= t; ++i)
      inside += (i - 1) % PER_PASS == batch;
    if ((odd_batch == batch || odd_batch < 0) && inside > most) most = inside;
  }
  return most;
}

/* Rows of the tree are bounded one by one; the rows of the others together, by the
   budget. */
static tacit_i128 limit_of_rows(const tacit_vault_facts *facts, int inside,
                                int64_t row_clip) {
  if (!facts->encoder->relative) return (tacit_i128)facts->kappa * inside * row_clip;
  return (tacit_i128)(facts->kappa * facts->lattice.sens * (double)row_clip);
}

/* One round: what both data sets would add and release. Returns the cost of the row. */
static double compare_round(const struct setting *setting, const struct pair *pair,
                            tacit_train *train, tacit_encoder *encoders[2], int halved,
                            struct finding *finding) {
  const tacit_vault_facts *facts = &train->plan->vault;
  size_t dim = train->plan->dim;
  int64_t t = train->t, clip = train->open.delta.clip, row_clip = 0;
  int64_t raw_sums[2][DIM_MAX];
  tacit_i128 sums[2][DIM_MAX], rows[2][DIM_MAX];
  double sens_norm = train->plan->sens_norm;
  for (int f = 0; f < 2; ++f) {
    sums_of(&train->open.delta, f ? &pair->two : &pair->one, setting->sparse,
            (t - 1) % PER_PASS, raw_sums[f]);
    for (size_t j = 0; j < dim; ++j)
      sums[f][j] = raw_sums[f][j];
    int64_t begun = encoder_begin(encoders[f], t, clip);
    assert_true(f == 0 || begun == row_clip);
    row_clip = begun;
    encoder_encode(encoders[f], raw_sums[f], 0, dim, rows[f]);
  }
  tacit_i128 limit = (tacit_i128)facts->kappa * (clip / pair->share);
  tacit_i128 limit_row =
      limit_of_rows(facts, inside_tree(t, pair->odd_batch), row_clip);
  if (halved) limit /= 2, limit_row /= 2;
  finding->past_sum += past(sums[0], sums[1], dim, sens_norm, limit);
  finding->past_row += past(rows[0], rows[1], dim, sens_norm, limit_row);
  ++finding->checked;
  double scale = (double)tacit_noise_scale_up(facts->kappa, facts->lattice.sens,
                                              row_clip, facts->budget);
  tacit_error err;
  int64_t count = pair->persons ? UNITS : train->open.rows_due;
  tacit_partial sum = {.sum = train->open.partials[0].sum, .rows = count};
  memcpy(tacit_sum_raw_load(sum.sum, count), raw_sums[0], dim * sizeof(int64_t));
  CHECK_OK(tacit_round_close_with(train, &sum, &err), err);
  return length_of(rows[0], rows[1], dim, sens_norm) / scale;
}

void compare(const struct setting *setting, struct pair *pair, int halved,
             struct finding *finding) {
  tacit_schema *schema;
  tacit_train *train = start_run(setting, pair, &schema);
  const tacit_vault_facts *facts = &train->plan->vault;
  tacit_encoder *encoders[] = {encoder_of(facts->encoder, &facts->shape),
                               encoder_of(facts->encoder, &facts->shape)};
  tacit_error err;
  double cost = 0;
  pack(&pair->one);
  pack(&pair->two);
  assert_true(train->plan->dim <= DIM_MAX);
  while (train->t < train->plan->rounds) {
    CHECK_OK(tacit_round_open(train, &err), err);
    double row = compare_round(setting, pair, train, encoders, halved, finding);
    cost += facts->law->pure ? row : row * row;
  }
  if (!facts->law->pure) cost = sqrt(cost);
  double used = cost / facts->budget * (halved ? 2 : 1);
  finding->past_budget += !(used <= 1 + 1e-12);
  finding->worst = fmax(finding->worst, used);
  for (int f = 0; f < 2; ++f)
    encoder_free(encoders[f]);
  stop_run(train, pair, schema);
}

static int pairs_of(const struct maker *maker, const struct geometry *geometry) {
  return is_full ? geometry->pairs : maker->pairs;
}

static void try_pairs(const struct maker *maker, const struct setting *setting,
                      int halved, struct finding *finding) {
  static const unsigned char key[TACIT_KEY_BYTES] = "neighbours";
  static struct pair pair;
  tacit_words words;
  tacit_words_init(&words, key);
  for (int number = 0; number < pairs_of(maker, setting->geometry); ++number) {
    memset(&pair, 0, sizeof pair);
    maker->make(setting, number, &words, &pair);
    compare(setting, &pair, halved, finding);
  }
}

/* Fails unless no bound was passed; with half of them, unless one was. */
static void judge(const struct setting *setting, int which, int halved,
                  const struct finding *finding) {
  int rows_tell = strcmp(setting->geometry->mechanism, "tree") == 0;
  if (!halved && finding->past_sum + finding->past_row + finding->past_budget > 0)
    fail_msg("%s, setting %d: %lld sums, %lld rows, %lld runs past their bound",
             setting->loss->name, which, (long long)finding->past_sum,
             (long long)finding->past_row, (long long)finding->past_budget);
  if (halved && (finding->past_sum == 0 || (rows_tell && finding->past_row == 0)))
    fail_msg("%s, setting %d: half the bound goes unnoticed", setting->loss->name,
             which);
}

struct task {
  const struct maker *maker;
  const struct geometry *geometry;
  int halved;
};

static void every_setting(void **state) {
  static const tacit_bound bounds[] = {TACIT_BOUND_CLIP, TACIT_BOUND_TIGHT,
                                       TACIT_BOUND_PAPER};
  const struct task *task = *state;
  const struct geometry *geometry = task->geometry;
  int settings = 0, many = geometry->classes > 2;
  double closest = 0;
  for (size_t loss = 0; tacit_loss_at(loss) != NULL; ++loss) {
    if (many && tacit_loss_at(loss)->labels != TACIT_LOSS_CLASSES) continue;
    for (int which = 0; which < 24; ++which) {
      struct setting setting = {
          .geometry = geometry,
          .loss = tacit_loss_at(loss),
          .sparse = which % 2,
          .adjacency = which / 2 % 2 ? TACIT_ZERO_OUT : TACIT_REPLACE,
          .passes = which / 4 % 2 ? 3 : 1,
          .bound = bounds[which / 8],
      };
      if (which >= 8 && !is_full && !task->maker->whole) continue;
      struct finding finding = {0};
      try_pairs(task->maker, &setting, task->halved, &finding);
      ++settings;
      closest = fmax(closest, finding.worst);
      assert_true(finding.checked ==
                  (int64_t)pairs_of(task->maker, geometry) * PER_PASS * setting.passes);
      judge(&setting, which, task->halved, &finding);
    }
  }
  assert_true(settings >= (many ? 4 : 8) * (is_full || task->maker->whole ? 24 : 8));
  /* Clipped, opposite and aligned: the budget is used to the full somewhere. */
  CHECK_AT_MAX(task->maker->reach[many] * (task->halved ? 2 : 1), closest);
}

int run_harness(int argc, char **argv, const struct maker *makers, size_t n_makers,
                const struct CMUnitTest *others, size_t n_others) {
  enum { GEOMETRIES = sizeof geometries / sizeof geometries[0], TESTS_MAX = 100 };
  static struct CMUnitTest tests[TESTS_MAX];
  static struct task tasks[TESTS_MAX];
  static char names[TESTS_MAX][128];
  size_t n = 2 * GEOMETRIES * n_makers;
  is_full = is_full_test(argc, argv);
  assert_true(n + n_others <= TESTS_MAX);
  for (size_t i = 0; i < n; ++i) {
    const struct geometry *geometry = &geometries[i / 2 % GEOMETRIES];
    tasks[i] = (struct task){&makers[i / 2 / GEOMETRIES], geometry, (int)(i % 2)};
    (void)snprintf(
        names[i], sizeof names[i], "%s: %s: norm %g, %s, %s, %d classes",
        tasks[i].maker->name,
        i % 2 ? "half the bound is noticed" : "no neighbour passes its bound",
        geometry->norm, geometry->law, geometry->mechanism, geometry->classes);
    tests[i] = (struct CMUnitTest){
        .name = names[i], .test_func = every_setting, .initial_state = &tasks[i]};
  }
  for (size_t i = 0; i < n_others; ++i)
    tests[n + i] = others[i];
  return _cmocka_run_group_tests("harness", tests, n + n_others, NULL, NULL);
}
