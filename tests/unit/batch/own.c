/* SPDX-License-Identifier: MIT */
/*
 * Arrays that change while they are used cannot pass the clip, and a gradient callback
 * sees one row only. Two ways to change them: a loss that does it between the norm of a
 * row and its sum, every time, and a thread that does it all the time.
 */
#include "check.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"
#include "batch/row.h"
#include "loss/loss.h"
#include "run/run.h"

enum { ROWS = 96, FEATURES = 8, DIM = FEATURES + 1, CLASSES = 3, MAX = DIM * CLASSES };
enum kind { DENSE, NARROW, SPARSE, SPARSE_NARROW, N_KINDS };

/* The rows of a caller, which this program changes meanwhile. */
static struct {
  double values[ROWS * FEATURES], labels[ROWS], classes[ROWS], weights[ROWS];
  uint32_t unit_rows[ROWS];
  float values32[ROWS * FEATURES];
  int64_t starts[ROWS + 1];
  uint32_t indices[ROWS * FEATURES];
} arrays;

static void fill(void) {
  for (int i = 0; i < ROWS * FEATURES; ++i) {
    arrays.values[i] = arrays.values32[i] = (float)((i * 37 % 64 - 31) / 16.0);
    arrays.indices[i] = (uint32_t)(i % (FEATURES - 1));
  }
  for (int i = 0; i < ROWS; ++i) {
    arrays.labels[i] = i % 2 ? 1 : -1;
    arrays.weights[i] = i % 5 / 4.0;
    arrays.unit_rows[i] = (uint32_t)i % 4;
    arrays.classes[i] = i % CLASSES;
    arrays.starts[i] = i * (FEATURES - 1);
  }
  arrays.starts[ROWS] = ROWS * (FEATURES - 1);
}

static tacit_batch batch_of(enum kind kind) {
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = FEATURES;
  batch.raw_labels = arrays.labels;
  batch.raw_weights = arrays.weights;
  batch.raw_unit_rows = arrays.unit_rows;
  if (kind == NARROW || kind == SPARSE_NARROW)
    batch.raw_values32 = arrays.values32;
  else
    batch.raw_values = arrays.values;
  if (kind >= SPARSE) {
    batch.raw_row_start = arrays.starts;
    batch.raw_indices = arrays.indices;
  }
  return batch;
}

static tacit_config config_of(const tacit_schema *schema) {
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = 2 * ROWS; /* so a batch of ROWS is never a whole round */
  config.batch = 2 * ROWS;
  config.epsilon = 1;
  config.seeded = 1;
  config.threads = 1;
  config.weighted = 1;
  return config;
}

/* A logistic loss that spoils the arrays whenever it is called. */
static int spoils;

static void spoil(void) {
  for (int i = 0; i < ROWS * FEATURES; ++i) {
    arrays.values[i] = 1e300;
    arrays.values32[i] = 1e30F;
    arrays.indices[i] = 0;
  }
  for (int i = 0; i < ROWS; ++i) {
    arrays.weights[i] = 1;
    arrays.unit_rows[i] = 1;
  }
}

static double value(const void *self, double margin, double label) {
  (void)self;
  return log1p(exp(-margin * label));
}

static double slope(const void *self, double margin, double label) {
  (void)self;
  if (spoils) spoil();
  return -label / (1 + exp(margin * label));
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  (void)self;
  (void)facts;
  *out = (tacit_loss_bounds){.slope = 1, .curvature = 0.25};
}

static const tacit_loss_ops spoiler = {
    .version = 1,
    .name = "spoiler",
    .summary = "changes the rows between their norms and their sums",
    .value = value,
    .slope = slope,
    .bounds = bounds,
};

/* The sums of the first rows, through one of the public functions. */
enum way { FEED, DELTA, N_WAYS };

static tacit_status sums_of(tacit_train *train, enum way way, enum kind kind,
                            int64_t rows, int64_t *sum, tacit_error *err) {
  tacit_batch batch = batch_of(kind);
  batch.n_rows = rows;
  int64_t count = 0;
  memset(sum, 0, DIM * sizeof *sum);
  if (way == FEED) {
    batch.raw_unit_rows = NULL; /* rows of persons cannot be fed */
    tacit_status status = tacit_train_feed(train, &batch, err);
    if (status == TACIT_OK) /* otherwise the run has dropped its sums */
      memcpy(sum, tacit_sum_raw_integers(train->open.partials[0].sum),
             DIM * sizeof *sum);
    return status;
  }
  tacit_round round;
  tacit_round_init(&round);
  CHECK_OK(tacit_round_ask(train, &round, err), *err);
  return tacit_round_delta(train, &round, &batch, sum, &count, err);
}

static void what_changes_between_norm_and_sum_is_not_seen(void **state) {
  (void)state;
  tacit_schema *schema;
  tacit_loss *loss;
  tacit_error err;
  tacit_loss_facts facts = {.margin_max = 10, .label_max = 1};
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  CHECK_OK(tacit_loss_new_ops(&spoiler, NULL, &facts, &loss, &err), err);
  for (int way = 0; way < N_WAYS; ++way) {
    for (int kind = 0; kind < N_KINDS; ++kind) {
      int64_t sums[2][DIM];
      for (spoils = 0; spoils < 2; ++spoils) {
        tacit_config config = config_of(schema);
        if (way == DELTA) config.units = 2 * ROWS;
        tacit_train *train;
        CHECK_OK(tacit_train_new(&config, &train, &err), err);
        fill();
        CHECK_OK(tacit_round_open(train, &err), err);
        train->open.delta.loss = loss;
        /* One copy holds these rows, so what the loss changes is never read again. */
        CHECK_OK(sums_of(train, (enum way)way, (enum kind)kind, TACIT_BATCH_ROWS,
                         sums[spoils], &err),
                 err);
        assert_true(!spoils || arrays.values[0] == 1e300);
        tacit_train_free(train);
      }
      for (int i = 0; i < DIM; ++i) {
        if (sums[0][i] != sums[1][i])
          fail_msg("way %d, kind %d: other numbers were added than were measured", way,
                   kind);
      }
    }
  }
  spoils = 0;
  tacit_loss_free(loss);
  tacit_schema_free(schema);
}

/* A thread that never stops changing the arrays. */
static volatile int done;

static void *change(void *unused) {
  volatile double *values = arrays.values, *labels = arrays.labels,
                  *classes = arrays.classes;
  volatile float *values32 = arrays.values32;
  volatile uint32_t *indices = arrays.indices;
  volatile int64_t *starts = arrays.starts;
  for (unsigned turn = 1; !done; turn = turn * 1664525 + 1013904223) {
    unsigned i = turn / 65536 % (ROWS * FEATURES), row = turn / 4096 % ROWS;
    values[i] = turn & 256 ? 1e300 : 1;
    values32[i] = turn & 256 ? 3e38F : 1;
    if (i % 16 == 0)
      indices[i] = turn & 512 ? i % (FEATURES - 1) : turn & 1024 ? 0 : UINT32_MAX;
    else
      indices[i] = i % (FEATURES - 1);
    if (row % 16 == 1) {
      starts[row] = turn & 1024 ? -1 : 1 << 30;
      starts[row] = row * (FEATURES - 1);
      labels[row] = classes[row] = turn & 2048 ? 1e9 : NAN;
      labels[row] = row % 2 ? 1 : -1;
      classes[row] = row % CLASSES;
    }
    indices[i] = i % (FEATURES - 1);
  }
  return unused;
}

static void check_sums(const int64_t *sum, size_t dim, const tacit_train *train) {
  tacit_i128 max = (tacit_i128)train->open.delta.clip * ROWS;
  for (size_t i = 0; i < dim; ++i)
    assert_true(sum[i] <= max && sum[i] >= -max);
}

/* Repeated many times: a result is refused, or within what so many rows can add. */
static void no_thread_passes_the_clip(void **state) {
  (void)state;
  enum { TIMES = 600, TAKEN = 30 };
  tacit_schema *schemas[2];
  tacit_error err;
  pthread_t changer;
  int taken = 0;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schemas[0], &err), err);
  CHECK_OK(tacit_schema_memory(FEATURES, CLASSES, 0, 0, &schemas[1], &err), err);
  fill();
  done = 0;
  assert_int_equal(pthread_create(&changer, NULL, change, NULL), 0);
  for (int time = 0; time < TIMES || taken < TAKEN; ++time) {
    enum kind kind = (enum kind)(time % N_KINDS);
    int many = time / N_KINDS % 2;
    tacit_config config = config_of(schemas[many]);
    tacit_train *train;
    tacit_round round;
    tacit_batch batch = batch_of(kind);
    if (many) batch.raw_labels = arrays.classes;
    if (time % 3 == 0)
      config.units = 2 * ROWS; /* such rows cannot be fed */
    else
      batch.raw_unit_rows = NULL;
    int64_t sum[MAX] = {0}, count = 0;
    tacit_round_init(&round);
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    CHECK_OK(tacit_round_ask(train, &round, &err), err);
    tacit_status status = tacit_round_delta(train, &round, &batch, sum, &count, &err);
    taken += status == TACIT_OK;
    assert_true(status == TACIT_OK || status == TACIT_EDATA || status == TACIT_EINVAL);
    check_sums(sum, round.dim, train);
    status = tacit_train_feed(train, &batch, &err);
    assert_true(status == TACIT_OK || status == TACIT_EDATA || status == TACIT_EINVAL);
    check_sums(tacit_sum_raw_integers(train->open.partials[0].sum), round.dim, train);
    tacit_train_free(train);
  }
  done = 1;
  assert_int_equal(pthread_join(changer, NULL), 0);
  tacit_schema_free(schemas[0]);
  tacit_schema_free(schemas[1]);
}

/* What a callback sees outside its row. */
struct looks {
  int64_t calls, beyond; /* calls that saw something there */
  enum kind kind;
};

static int within(const void *place, const void *array, size_t size) {
  uintptr_t at = (uintptr_t)place, begin = (uintptr_t)array;
  return at >= begin && at < begin + size;
}

static tacit_status curious(void *self, const tacit_batch *batch, int64_t row,
                            const double *weights, double *out) {
  struct looks *looks = self;
  size_t count = batch->raw_row_start != NULL
                     ? (size_t)(batch->raw_row_start[1] - batch->raw_row_start[0])
                     : FEATURES;
  (void)weights;
  int beyond = batch->n_rows != 1 || row != 0 || batch->raw_values == NULL ||
               batch->raw_values32 != NULL ||
               within(batch->raw_values, &arrays, sizeof arrays) ||
               within(batch->raw_labels, &arrays, sizeof arrays) ||
               within(batch->raw_row_start, &arrays, sizeof arrays) ||
               within(batch->raw_indices, &arrays, sizeof arrays);
  if (batch->raw_row_start != NULL)
    beyond |= batch->raw_row_start[0] != 0 || count > FEATURES;
  /* It is still a row of the caller; the label says which. */
  int number = (int)batch->raw_labels[0];
  int64_t from = looks->kind >= SPARSE ? arrays.starts[number] : number * FEATURES;
  for (size_t j = 0; j < count && !beyond; ++j) {
    beyond |= batch->raw_values[j] != arrays.values[from + (int64_t)j];
    if (batch->raw_indices != NULL)
      beyond |= batch->raw_indices[j] != arrays.indices[from + (int64_t)j];
  }
  looks->beyond += beyond;
  ++looks->calls;
  out[0] = 1;
  return TACIT_OK;
}

static void a_gradient_sees_one_row(void **state) {
  (void)state;
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 0, -1, ROWS, &schema, &err), err);
  for (int kind = 0; kind < N_KINDS; ++kind) {
    struct looks looks = {.kind = (enum kind)kind};
    tacit_gradient_ops ops = {
        .version = 1, .dim = DIM, .gradient = curious, .self = &looks};
    tacit_config config = config_of(schema);
    config.gradient = &ops;
    config.clip = 1;
    tacit_train *train;
    fill();
    /* Rows of all lengths, so that short rows follow long ones. */
    for (int i = 0; i < ROWS; ++i) {
      arrays.labels[i] = i;
      arrays.starts[i + 1] = arrays.starts[i] + (i % 3 == 0 ? FEATURES - 1 : i % 3);
    }
    for (int64_t i = 0; kind >= SPARSE && i < ROWS; ++i)
      for (int64_t j = arrays.starts[i]; j < arrays.starts[i + 1]; ++j)
        arrays.indices[j] = (uint32_t)(j - arrays.starts[i]);
    CHECK_OK(tacit_train_new(&config, &train, &err), err);
    tacit_batch batch = batch_of((enum kind)kind);
    batch.raw_unit_rows = NULL;
    CHECK_OK(tacit_train_feed(train, &batch, &err), err);
    assert_true(looks.calls >= ROWS);
    assert_true(looks.beyond == 0);
    tacit_train_free(train);
  }
  tacit_schema_free(schema);
}

/* Row numbers in messages are those of the caller's batch. */
static void faults_are_at_their_rows(void **state) {
  (void)state;
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  for (int way = 0; way < N_WAYS; ++way) {
    for (int fault = 0; fault < 5; ++fault) {
      tacit_config config = config_of(schema);
      if (way == DELTA) config.units = 2 * ROWS;
      tacit_train *train;
      int64_t sum[DIM];
      fill();
      if (fault == 0) arrays.labels[90] = 7;
      if (fault == 1) arrays.indices[90 * (FEATURES - 1) + 1] = 0;
      if (fault == 2) arrays.weights[90] = NAN;
      if (fault == 3) arrays.weights[90] = -0.5;
      if (fault == 4) arrays.weights[90] = 1.5;
      CHECK_OK(tacit_train_new(&config, &train, &err), err);
      assert_int_equal(sums_of(train, (enum way)way, SPARSE, ROWS, sum, &err),
                       TACIT_EDATA);
      assert_non_null(strstr(err.message, "row 91 of the batch"));
      tacit_train_free(train);
    }
  }
  tacit_schema_free(schema);
}

/* Programs built before there were weights pass a shorter struct. */
static void a_shorter_batch_has_no_weights(void **state) {
  (void)state;
  tacit_error err;
  tacit_batch taken, batch;
  fill();
  batch = batch_of(SPARSE);
  batch.raw_weights = &arrays.labels[0]; /* -1: must not be looked at */
  batch.struct_size = offsetof(tacit_batch, raw_weights);
  CHECK_OK(tacit_batch_take(&batch, FEATURES, 1, &taken, &err), err);
  assert_null(taken.raw_weights);
  assert_null(taken.raw_unit_rows);
  assert_true(taken.struct_size == sizeof taken);
  tacit_batch_drop(&taken);
  batch.struct_size -= 1;
  assert_int_equal(tacit_batch_take(&batch, FEATURES, 1, &taken, &err), TACIT_EINVAL);
}

/* The statement would be silent about what it was not told. */
static void undeclared_weights_and_persons_are_refused(void **state) {
  (void)state;
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  fill();
  for (int way = 0; way < N_WAYS; ++way) {
    for (int persons = 0; persons < 2; ++persons) {
      tacit_config config = config_of(schema);
      tacit_batch batch = batch_of(DENSE);
      tacit_round round;
      tacit_train *train;
      int64_t sum[DIM], count = 0;
      config.weighted = persons;
      if (!persons) batch.raw_unit_rows = NULL;
      tacit_round_init(&round);
      CHECK_OK(tacit_train_new(&config, &train, &err), err);
      if (way == DELTA) CHECK_OK(tacit_round_ask(train, &round, &err), err);
      assert_int_equal(
          way == FEED ? tacit_train_feed(train, &batch, &err)
                      : tacit_round_delta(train, &round, &batch, sum, &count, &err),
          TACIT_EINVAL);
      assert_non_null(strstr(err.message, persons ? "persons" : "weights"));
      tacit_train_free(train);
    }
  }
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(undeclared_weights_and_persons_are_refused),
      cmocka_unit_test(what_changes_between_norm_and_sum_is_not_seen),
      cmocka_unit_test(no_thread_passes_the_clip),
      cmocka_unit_test(a_gradient_sees_one_row),
      cmocka_unit_test(faults_are_at_their_rows),
      cmocka_unit_test(a_shorter_batch_has_no_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
