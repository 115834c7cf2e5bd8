/* SPDX-License-Identifier: MIT */
#include "extra/audit/attacker.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Notes the rows that a reader gave to the run. Copies the points now, because the run
   moves them on after its last round. */
static void see_rows(void *context, const int64_t *rows, int64_t count) {
  tacit_attacker *attacker = context;
  const tacit_train *train = attacker->train;
  if (train == NULL) return; /* the reader is counting persons */
  if (train->t != attacker->t) {
    size_t size = train->plan->dim * sizeof(double);
    attacker->t = train->t;
    attacker->taken = 0;
    if (train->open.delta.x != NULL) memcpy(attacker->x, train->open.delta.x, size);
    if (train->open.delta.x_prev != NULL)
      memcpy(attacker->x_prev, train->open.delta.x_prev, size);
  }
  if (attacker->taken + count > attacker->both->rows) return; /* a row came twice */
  memcpy(attacker->raw_rows + attacker->taken, rows, (size_t)count * sizeof *rows);
  attacker->taken += count;
}

/* Copies the counterparts in file `which` of rows raw_rows of file `from`. */
static void gather(tacit_attacker *attacker, int which, int from,
                   const int64_t *raw_rows, int64_t count) {
  const tacit_neighbours *both = attacker->both;
  for (int64_t i = 0; i < count; ++i) {
    int64_t row = tacit_neighbours_row(both, from, which, raw_rows[i]);
    tacit_made_rows_copy(&both->files[which], row, &attacker->gathered, i);
    int64_t share = tacit_neighbours_is_canary(both, which, row)
                        ? both->share
                        : attacker->train->plan->config.unit_rows;
    attacker->raw_unit_rows[i] = share > 0 ? (uint32_t)share : 1;
  }
  attacker->gathered.view.n_rows = count;
}

/* Returns the stage of round t: 0 for the mean, 1 for second moments, else 2. */
static int stage_at(const tacit_plan *plan, int64_t t) {
  return t > 0 ? 2 : tacit_plan_has_products(plan, t);
}

static int stage_of(const tacit_attacker *attacker) {
  return stage_at(attacker->train->plan, attacker->t);
}

/* Sums the gathered rows as the round of the run does. */
static tacit_status add_up(tacit_attacker *attacker, int64_t *raw_out,
                           tacit_error *err) {
  tacit_delta delta = attacker->train->open.delta;
  tacit_sum **sum = &attacker->sums[stage_of(attacker)];
  if (delta.x != NULL) delta.x = attacker->x;
  if (delta.x_prev != NULL) delta.x_prev = attacker->x_prev;
  if (*sum == NULL) TACIT_TRY(tacit_delta_sum_new(&delta, sum, err));
  TACIT_TRY(tacit_delta_open(&delta, NULL, *sum, err));
  const tacit_batch *gathered = &attacker->gathered.view;
  TACIT_TRY(tacit_delta_add(&delta, gathered, 0, gathered->n_rows, *sum, err));
  tacit_sum_close(*sum, NULL);
  memcpy(raw_out, tacit_sum_raw_integers(*sum), tacit_sum_dim(*sum) * sizeof *raw_out);
  return TACIT_OK;
}

static int holds_canary(const tacit_attacker *attacker) {
  for (int64_t i = 0; i < attacker->taken; ++i)
    if (tacit_neighbours_is_canary(attacker->both, attacker->which,
                                   attacker->raw_rows[i]))
      return 1;
  return 0;
}

/* Computes the sums of both files in the matching order. Without the canary they are
   equal. */
static tacit_status sum_matching(tacit_attacker *attacker, tacit_error *err) {
  int own = attacker->which;
  gather(attacker, own, own, attacker->raw_rows, attacker->taken);
  TACIT_TRY(add_up(attacker, attacker->raw_integers[own], err));
  if (!holds_canary(attacker)) {
    memcpy(attacker->raw_integers[!own], attacker->raw_integers[own],
           attacker->longest * sizeof(int64_t));
    return TACIT_OK;
  }
  gather(attacker, !own, own, attacker->raw_rows, attacker->taken);
  return add_up(attacker, attacker->raw_integers[!own], err);
}

/* Computes the sums of both files in the order of another run. */
static tacit_status sum_by_order(tacit_attacker *attacker, tacit_error *err) {
  const tacit_seen_order *order = attacker->order;
  int64_t batch = attacker->t > 0 ? (attacker->t - 1) % order->batches : 0;
  int64_t first = attacker->t > 0 ? order->starts[batch] : 0;
  int64_t end =
      attacker->t > 0 ? order->starts[batch + 1] : order->starts[order->batches];
  for (int which = 0; which < 2; ++which) {
    gather(attacker, which, which, order->rows + first, end - first);
    TACIT_TRY(add_up(attacker, attacker->raw_integers[2 + which], err));
  }
  return TACIT_OK;
}

/* Computes the difference of y from the encoded sum that guess g expects, in units of
   the noise. */
static void compare(tacit_attacker *attacker, const tacit_vault_facts *facts, int g) {
  const tacit_train *train = attacker->train;
  tacit_encoder *encoder = &attacker->encoders[stage_of(attacker)][g];
  int64_t t = attacker->t > 0 ? attacker->t : 1;
  int64_t clip = encoder->ops->begin(encoder->self, t, train->open.delta.clip);
  encoder->ops->encode(encoder->self, attacker->raw_integers[g], 0, facts->shape.dim,
                       attacker->raw_encoded);
  double scale = (double)tacit_noise_scale_up(facts->kappa, facts->lattice.sens, clip,
                                              facts->budget);
  for (size_t i = 0; i < facts->shape.dim; ++i)
    attacker->raw_off[g][i] = (ldexp(train->open.y[i], facts->lattice.exponent) -
                               (double)attacker->raw_encoded[i]) /
                              fmax(scale, 1);
}

/* Minus the logarithm of the density of the noise at x, up to a constant; cost is the
   privacy cost of x. */
static double surprise(const tacit_vault_facts *facts, double x) {
  return facts->law->pure ? fabs(x) : 0.5 * x * x;
}

static double cost(const tacit_vault_facts *facts, double x) {
  return facts->law->pure ? fabs(x) : x * x;
}

static tacit_status see_round(tacit_attacker *attacker, tacit_error *err) {
  const tacit_plan *plan = attacker->train->plan;
  if (attacker->t != attacker->train->t) { /* a batch of persons may be empty */
    attacker->t = attacker->train->t;
    attacker->taken = 0;
  }
  const tacit_vault_facts *facts = tacit_plan_vault(plan, attacker->t);
  int pairs = attacker->order != NULL ? 2 : 1;
  TACIT_TRY(sum_matching(attacker, err));
  if (pairs == 2) TACIT_TRY(sum_by_order(attacker, err));
  for (int g = 0; g < 2 * pairs; ++g)
    compare(attacker, facts, g);
  for (size_t i = 0; i < facts->shape.dim; ++i) {
    double own = attacker->raw_off[attacker->which][i];
    attacker->noise += own * own;
    attacker->distance +=
        cost(facts, attacker->raw_off[0][i] - attacker->raw_off[1][i]);
    for (int pair = 0; pair < pairs; ++pair)
      attacker->ratios[pair] += surprise(facts, attacker->raw_off[2 * pair + 1][i]) -
                                surprise(facts, attacker->raw_off[2 * pair][i]);
  }
  attacker->numbers += (int64_t)facts->shape.dim;
  return TACIT_OK;
}

/* Watches every release, as the progress callback of the run. Ignores calls in the
   middle of a round, which is not released yet. */
static int observe(void *cookie, const tacit_progress *progress) {
  tacit_attacker *attacker = cookie;
  (void)progress;
  if (attacker->train->released < attacker->train->t) return 0;
  return see_round(attacker, &attacker->error) != TACIT_OK;
}

static void free_encoders(tacit_attacker *attacker) {
  for (int stage = 0; stage < TACIT_STAGES; ++stage)
    for (int g = 0; g < TACIT_GUESSES; ++g)
      tacit_encoder_fini(&attacker->encoders[stage][g]);
  memset(attacker->encoders, 0, sizeof attacker->encoders);
}

static tacit_status make_encoders(tacit_attacker *attacker, tacit_error *err) {
  const tacit_plan *plan = attacker->train->plan;
  for (int g = 0; g < (attacker->order != NULL ? 4 : 2); ++g) {
    for (int64_t t = tacit_plan_first_round(plan); t < 2; ++t) {
      const tacit_vault_facts *facts = tacit_plan_vault(plan, t);
      TACIT_TRY(tacit_encoder_init(&attacker->encoders[stage_at(plan, t)][g],
                                   facts->encoder, &facts->shape, facts->shape.dim,
                                   err));
    }
  }
  return TACIT_OK;
}

/* Makes a run whose progress one thread watches. */
static tacit_status watch(tacit_attacker *attacker, const tacit_config *config,
                          tacit_progress_fn progress, void *cookie, tacit_error *err) {
  tacit_config watched = *config;
  watched.threads = 1;
  watched.payer = NULL;
  watched.progress = progress;
  watched.progress_cookie = cookie;
  attacker->t = INT64_MIN;
  return tacit_train_new(&watched, &attacker->train, err);
}

tacit_status tacit_attacker_run(tacit_attacker *attacker, const tacit_config *config,
                                int which, tacit_error *err) {
  attacker->which = which;
  attacker->ratios[0] = attacker->ratios[1] = 0;
  attacker->noise = attacker->distance = 0;
  attacker->numbers = 0;
  attacker->error = (tacit_error){TACIT_OK, ""};
  TACIT_TRY(watch(attacker, config, observe, attacker, err));
  tacit_plan *plan = attacker->train->plan;
  tacit_canary_put(plan, &attacker->canary);
  tacit_status status = make_encoders(attacker, err);
  if (status == TACIT_OK)
    status = tacit_train_run(attacker->train, attacker->readers[which], err);
  if (attacker->error.status != TACIT_OK) {
    status = attacker->error.status;
    if (err != NULL) *err = attacker->error;
  }
  attacker->distances += attacker->distance;
  tacit_canary_lift(plan, &attacker->canary);
  tacit_train_free(attacker->train);
  attacker->train = NULL;
  free_encoders(attacker);
  return status;
}

/* The context of write_down: the run whose order is learned. */
struct lesson {
  tacit_attacker *attacker;
  tacit_seen_order *order;
};

static int write_down(void *cookie, const tacit_progress *progress) {
  const struct lesson *lesson = cookie;
  const tacit_attacker *attacker = lesson->attacker;
  tacit_seen_order *order = lesson->order;
  int64_t t = attacker->t;
  (void)progress;
  if (attacker->train->released < attacker->train->t || t < 1 || t > order->batches)
    return 0;
  memcpy(order->rows + order->starts[t - 1], attacker->raw_rows,
         (size_t)attacker->taken * sizeof(int64_t));
  order->starts[t] = order->starts[t - 1] + attacker->taken;
  return 0;
}

tacit_status tacit_attacker_learn(tacit_attacker *attacker, const tacit_config *config,
                                  tacit_seen_order *out, tacit_error *err) {
  struct lesson lesson = {attacker, out};
  TACIT_TRY(watch(attacker, config, write_down, &lesson, err));
  out->batches = attacker->train->plan->per_pass;
  tacit_status status = TACIT_NEW(out->rows, (size_t)attacker->both->rows, err);
  if (status == TACIT_OK)
    status = TACIT_NEW(out->starts, (size_t)out->batches + 1, err);
  if (status == TACIT_OK)
    status = tacit_train_run(attacker->train, attacker->readers[0], err);
  tacit_train_free(attacker->train);
  attacker->train = NULL;
  return status;
}

static tacit_status make_room(tacit_attacker *attacker, const tacit_plan *plan,
                              tacit_error *err) {
  size_t rows = (size_t)attacker->both->rows;
  attacker->longest = tacit_plan_longest(plan);
  for (int g = 0; g < TACIT_GUESSES; ++g) {
    TACIT_TRY(TACIT_RAW_NEW(attacker->raw_integers[g], attacker->longest, err));
    TACIT_TRY(TACIT_RAW_NEW(attacker->raw_off[g], attacker->longest, err));
  }
  TACIT_TRY(TACIT_RAW_NEW(attacker->raw_encoded, attacker->longest, err));
  TACIT_TRY(TACIT_RAW_NEW(attacker->raw_rows, rows, err));
  TACIT_TRY(TACIT_RAW_NEW(attacker->raw_unit_rows, rows, err));
  TACIT_TRY(TACIT_NEW(attacker->x, plan->dim, err));
  TACIT_TRY(TACIT_NEW(attacker->x_prev, plan->dim, err));
  return tacit_made_rows_new(attacker->both->rows, plan->row.features,
                             attacker->both->files[0].raw_weights != NULL,
                             &attacker->gathered, err);
}

tacit_status tacit_attacker_init(tacit_attacker *attacker, const tacit_neighbours *both,
                                 const tacit_plan *plan, tacit_error *err) {
  const tacit_neighbours_spy spy = {see_rows, attacker};
  *attacker = (tacit_attacker){.both = both};
  TACIT_TRY(make_room(attacker, plan, err));
  if (both->share > 0) attacker->gathered.view.raw_unit_rows = attacker->raw_unit_rows;
  for (int which = 0; which < 2; ++which)
    TACIT_TRY(tacit_neighbours_reader(both, which, &spy, plan->config.unit_rows,
                                      &attacker->readers[which], err));
  return TACIT_OK;
}

void tacit_attacker_fini(tacit_attacker *attacker) {
  for (int i = 0; i < 2; ++i)
    tacit_reader_free(attacker->readers[i]);
  for (int stage = 0; stage < TACIT_STAGES; ++stage)
    tacit_sum_free(attacker->sums[stage]);
  for (int g = 0; g < TACIT_GUESSES; ++g)
    TACIT_RAW_FREE(attacker->raw_integers[g], attacker->raw_off[g]);
  TACIT_RAW_FREE(attacker->raw_encoded, attacker->raw_rows, attacker->raw_unit_rows);
  tacit_made_rows_free(&attacker->gathered);
  TACIT_FREE(attacker->x, attacker->x_prev);
}
