/* SPDX-License-Identifier: MIT */
/*
 * The recipe of the practical preset, by public numbers: centred rows, a matrix made
 * for what the learner uses, and one of two learners.
 *
 *   smooth losses  bettor on differences, power 1.5; one pass: 1.25
 *   squared loss, little noise  heavy-ball on plain gradients, with steps made from
 *                  released second moments: no direction waits for another
 *   stiff losses   heavy-ball on plain gradients: the clipped difference of two
 *                  gradients never catches up with a slope that jumps
 *
 * Rows that can be read only once have one pass, and round 0 takes the mean of the
 * first sixteenth of them. What the user gives is kept. The rules of the preset anytime
 * hold instead if the user names a learner, if rows with classes are few, or if an
 * option does not go with centred rows. Evidence: docs/results/defaults.md
 */
#include <math.h>
#include <string.h>
#include <tacit/account.h>

#include "algorithm1/covariance.h"
#include "plan/preset.h"

/* A loss is stiff if H/G is larger: how fast its slope turns, divided by how large it
   is. */
static const double stiffness_high = 1.5;
/* Least n mu / kappa with which classes have the recipe. */
static const double signal_least = 35;
/* Most rounds for which the recipe chooses `matrix`. Its table ends at 64 rounds; for
   more rounds it uses `banded`. */
static const int64_t rounds_matrix = 128;
/* Most rows in a round: their sum and its noise fit exact integers with room to
   spare. */
static const int64_t rows_most = INT64_C(1) << 28;
/* Second moments: the most columns for which they are worth their time, the least n mu
   / (kappa columns) for which they are worth their budget, the most columns whose
   products fit memory, and the most rows whose products fit exact integers. */
static const double products_columns = 300, products_signal = 40;
static const size_t products_columns_most = 4096;
static const int64_t products_rows_most = 1 << 22;
/* The learner of classes with second moments, whose rows pass through a map. */
static const char learner_mapped[] = "bettor:ceiling=0.5";
/* The learner of numbers with second moments: heavy ball whose steps are shares of the
   steps to the minimum, 64 rounds of 0.35 of them. tools/matrix_design.py has the same
   numbers. */
static const char learner_products[] = "heavy-ball:tau=22.4,momentum=0.85,average=3";
/* Number of rows from which fewer passes are enough. */
static const int64_t rows_many = 1000000;

static int is_stiff(const tacit_plan *plan) {
  tacit_loss_facts facts = {
      .margin_max = 1, .label_max = 1, .classes = tacit_schema_classes(plan->schema)};
  tacit_loss *loss = NULL;
  tacit_loss_bounds bounds;
  /* A loss that cannot be made is reported later. */
  if (tacit_loss_new(tacit_plan_loss(plan), &facts, &loss, NULL) != TACIT_OK) return 0;
  tacit_loss_bounds_of(loss, &bounds);
  double slope = bounds.slope_is_global ? bounds.slope : bounds.slope_at_zero;
  double stiffness = sqrt((double)tacit_loss_copies(loss)) * bounds.curvature / slope;
  tacit_loss_free(loss);
  return stiffness > stiffness_high;
}

static int has_recipe(const tacit_config *config) {
  return config->preset == TACIT_PRACTICAL && config->gradient == NULL &&
         config->learner == NULL && config->learner_ops == NULL && !config->pure &&
         config->law == NULL && (config->norm == 0 || config->norm == 2) &&
         config->domain != TACIT_DOMAIN_SIMPLEX && config->reg_scale == 0 &&
         (config->bound == TACIT_BOUND_DEFAULT || config->bound == TACIT_BOUND_CLIP);
}

/* Returns n mu / kappa, or INFINITY without noise. */
static double signal_of(const tacit_plan *plan) {
  const tacit_config *config = &plan->config;
  double n = (double)config->rows, mu = config->rho;
  double delta = config->delta > 0 ? config->delta : fmin(1 / (n * n), 1e-6);
  double kappa = config->adjacency == TACIT_ZERO_OUT ? 1 : 2;
  if (config->epsilon + mu == 0) return INFINITY;
  /* A budget that cannot be converted is reported later. */
  if (mu == 0 && tacit_mu_from_dp_down(config->epsilon, delta, &mu, NULL) != TACIT_OK)
    return INFINITY;
  return n * mu / kappa;
}

/* Returns 1 if the rates of the classes, which centred runs start from, would drown in
   noise. AdaGrad of the preset anytime then learns them better. Returns 0 for losses on
   numbers, which need centring. */
static int is_drowned(const tacit_plan *plan) {
  return tacit_schema_classes(plan->schema) > 0 && signal_of(plan) < signal_least;
}

/* Returns what in the config does not go with second moments, or NULL. They serve the
   squared loss in 8 passes of 8 rounds, for which there is a matrix, and smooth losses
   on classes. Those have their l2 and radius in mapped space, so they go without. */
static const char *products_obstacle(const tacit_plan *plan, int64_t per_pass,
                                     int stiff) {
  const tacit_config *config = &plan->config;
  int classes = tacit_schema_classes(plan->schema) > 0;
  if (classes && stiff) return "a stiff loss";
  if (classes && (config->l2 > 0 || config->radius > 0)) return "l2 or radius";
  if (!classes && strcmp(tacit_plan_loss(plan), "squared") != 0)
    return "a loss other than squared";
  if (!classes && (config->passes != 8 || per_pass != 8))
    return "passes other than 8 of 8 rounds";
  if (config->centre != TACIT_CENTRE_DEFAULT && config->centre != TACIT_CENTRE_ON)
    return "rows that are not centred, or that can be read once";
  if (config->mechanism != NULL || config->matrix != NULL) return "a named mechanism";
  if (config->scaling == TACIT_SCALE_SPREAD ||
      (!classes && config->scaling == TACIT_SCALE_OWN) || config->row_norm != 1)
    return "rows scaled like this, or to another norm than 1";
  if (config->start != NULL || config->init != NULL) return "an initial model";
  if (config->clip > 0 || config->power > 0) return "clip or power";
  if (config->rows > products_rows_most) return "so many rows";
  if (tacit_schema_features(plan->schema) > products_columns_most)
    return "so many columns";
  return NULL;
}

/* Decides whether second moments are released, and then chooses learner and mechanism
   for steps that are made with them. */
static void choose_products(tacit_plan *plan, int64_t per_pass, int stiff) {
  tacit_config *config = &plan->config;
  double columns = (double)tacit_schema_features(plan->schema) + 1;
  int classes = tacit_schema_classes(plan->schema) > 0;
  int pays = !classes && columns <= products_columns &&
             signal_of(plan) >= products_signal * columns;
  plan->products_obstacle = products_obstacle(plan, per_pass, stiff);
  plan->products = plan->products_obstacle == NULL &&
                   (config->moments == TACIT_MOMENTS_ON ||
                    (config->moments != TACIT_MOMENTS_OFF && pays));
  if (!plan->products) return;
  config->learner = classes ? learner_mapped : learner_products;
  if (!classes) config->mechanism = "matrix:design=2";
}

/* Returns 1 if rows can be read more than once. Rows that are not shuffled cannot,
   unless the config says otherwise. */
static int reads_again(const tacit_config *config) {
  if (config->centre == TACIT_CENTRE_HEAD) return 0;
  return config->shuffled || config->rereadable || config->units > 0 ||
         config->passes > 1 || config->centre == TACIT_CENTRE_ON;
}

/* Chooses the passes. More passes mean less noise in the model and take more time. With
   very many rows the noise is small, and three passes are about as good
   (docs/results/defaults.md). `numbers` is the number of values of a pass if no
   declared input were 0. */
int tacit_rules_practical_passes(const tacit_plan *plan) {
  double numbers = (double)plan->config.rows *
                   ((double)tacit_schema_features(plan->schema) + 1) *
                   fmax(1, (double)tacit_schema_classes(plan->schema) - 1);
  if (!reads_again(&plan->config)) return 1;
  if (numbers > 2e10) return numbers <= 2e11 ? 2 : 1;
  if (plan->config.rows >= rows_many && numbers > 2e8) return 3;
  return numbers <= 2e9 ? 8 : 4;
}

static int64_t rounds_for(int passes, int stiff) {
  if (passes == 1) return stiff ? 32 : 24;
  if (passes <= 4) return 16;
  return (int64_t)fmax(1, round(64.0 / fmax(passes, 8)));
}

void tacit_rules_practical(tacit_plan *plan) {
  tacit_config *config = &plan->config;
  if (!has_recipe(config)) return;
  int stiff = is_stiff(plan), passes = config->passes;
  if (passes == 0) passes = tacit_rules_practical_passes(plan);
  config->passes = passes;
  if (is_drowned(plan)) return;
  int64_t per_pass = (config->rows - 1) / rows_most + 1;
  if (per_pass < rounds_for(passes, stiff)) per_pass = rounds_for(passes, stiff);
  if (per_pass > config->rows) per_pass = config->rows;
  if (config->batch > 0) per_pass = (config->rows - 1) / config->batch + 1;
  /* With more rounds, the covariance of the noise, which the learners use, is not
     computed. */
  if (per_pass > TACIT_COVARIANCE_ROUNDS_MAX / passes) return;
  plan->recipe = 1;
  plan->per_pass = per_pass;
  choose_products(plan, per_pass, stiff);
  if (!plan->products) config->learner = stiff ? "heavy-ball" : "bettor";
  memcpy(plan->learner_spec, config->learner, strlen(config->learner) + 1);
  if (config->power == 0 && !stiff && config->learner != learner_products)
    config->power = passes == 1 ? 1.25 : 1.5;
  if (config->centre == TACIT_CENTRE_DEFAULT) {
    config->centre = reads_again(config) ? TACIT_CENTRE_ON : TACIT_CENTRE_HEAD;
    plan->centre_optional = 1;
  }
  if (config->mechanism == NULL && config->matrix == NULL &&
      per_pass * passes <= rounds_matrix)
    config->mechanism = stiff ? "matrix:design=1" : "matrix";
}
