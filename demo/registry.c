/* SPDX-License-Identifier: MIT */
/*
 * Makes synthetic patients. A hidden factor influences weight, pressure, glucose and
 * exercise, so the columns are correlated as in a real registry. Readmission is drawn
 * from a logistic model of the written columns, so the best possible loss and accuracy
 * are known.
 */
#include "registry.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "random.h"

enum column { AGE, BMI, SYSTOLIC, DIASTOLIC, CHOLESTEROL, GLUCOSE, STAY, N_NUMBERS };

/* The number columns. Their bounds are public: a doctor knows them without the file. */
static const struct number_column {
  const char *name;
  double mean, deviation, min, max;
  int decimals;
  double age_part, hidden_part; /* correlations with age and the hidden factor */
  double effect;                /* change of the log-odds per deviation */
  double late;                  /* effect after the world has changed */
} numbers[N_NUMBERS] = {
    [AGE] = {"age", 56, 16, 18, 95, 0, 1, 0, 0.9, 0.2},
    [BMI] = {"bmi", 27, 4.5, 15, 45, 1, 0.1, 0.7, 0.55, 0.55},
    [SYSTOLIC] = {"systolic", 130, 17, 80, 190, 0, 0.45, 0.45, 0.5, 0.9},
    [DIASTOLIC] = {"diastolic", 80, 10, 45, 115, 0, 0.2, 0.55, -0.2, -0.2},
    [CHOLESTEROL] = {"cholesterol", 200, 36, 90, 320, 0, 0.3, 0.35, 0.35, -0.3},
    [GLUCOSE] = {"glucose", 108, 24, 50, 200, 0, 0.15, 0.65, 0.8, 0.3},
    [STAY] = {"days_in_hospital", 6, 3, 0, 20, 0, 0.35, 0.2, 0.7, 1.1},
};

enum category { SEX, SMOKER, ACTIVITY, REGION, N_CATEGORIES, MAX_VALUES = 4 };

static const struct category_column {
  const char *name;
  int n_values;
  const char *values[MAX_VALUES];
  double weights[MAX_VALUES];   /* frequencies before age and the hidden factor change
                                   them */
  double age_push, hidden_push; /* how much age and the hidden factor favour later
                                   values */
  double effects[MAX_VALUES];   /* change of the log-odds for each value */
} categories[N_CATEGORIES] = {
    [SEX] = {"sex", 2, {"female", "male"}, {0.52, 0.48}, 0, 0, {-0.15, 0.15}},
    [SMOKER] = {"smoker",
                3,
                {"never", "former", "current"},
                {0.5, 0.28, 0.22},
                0.15,
                0.2,
                {-0.5, 0.1, 1.0}},
    [ACTIVITY] = {"activity",
                  3,
                  {"high", "medium", "low"},
                  {0.3, 0.4, 0.3},
                  0.35,
                  0.5,
                  {-0.6, 0, 0.7}},
    [REGION] = {"region",
                4,
                {"north", "east", "south", "west"},
                {0.3, 0.2, 0.3, 0.2},
                0,
                0,
                {0.1, -0.2, 0.2, -0.1}},
};

static const double log_odds_at_mean = -1.05;

struct patient {
  double values[N_NUMBERS];
  int kinds[N_CATEGORIES];
  double probability;
  int readmitted;
};

static double within(double x, double min, double max) {
  return x < min ? min : x > max ? max : x;
}

static int draw_kind(struct demo_random *random, const struct category_column *c,
                     double age, double hidden) {
  double push = c->age_push * age + c->hidden_push * hidden;
  double weights[MAX_VALUES], sum = 0;
  for (int i = 0; i < c->n_values; ++i) {
    /* A bounded straight line has equal bits everywhere, unlike exp. */
    double tilt = 1 + push * (2.0 * i / (c->n_values - 1) - 1);
    weights[i] = c->weights[i] * within(tilt, 0.2, 5);
    sum += weights[i];
  }
  double u = demo_random_uniform(random) * sum;
  int kind = 0;
  while (kind + 1 < c->n_values && u >= weights[kind])
    u -= weights[kind++];
  return kind;
}

static void draw_patient(struct demo_random *random, double drift, struct patient *p) {
  double hidden = demo_random_normal(random), age = demo_random_normal(random);
  double log_odds = log_odds_at_mean;
  for (int i = 0; i < N_NUMBERS; ++i) {
    const struct number_column *c = &numbers[i];
    double own = 1 - c->age_part * c->age_part - c->hidden_part * c->hidden_part;
    double z = c->age_part * age + c->hidden_part * hidden +
               sqrt(own > 0 ? own : 0) * demo_random_normal(random);
    double step = c->decimals == 1 ? 10 : 1;
    double value = floor((c->mean + c->deviation * z) * step + 0.5) / step;
    p->values[i] = within(value, c->min, c->max);
    double effect = c->effect + drift * (c->late - c->effect);
    log_odds += effect * (p->values[i] - c->mean) / c->deviation;
  }
  for (int i = 0; i < N_CATEGORIES; ++i) {
    p->kinds[i] = draw_kind(random, &categories[i], age, hidden);
    log_odds += categories[i].effects[p->kinds[i]];
  }
  p->probability = 1 / (1 + exp(-log_odds));
  p->readmitted = demo_random_uniform(random) < p->probability;
}

static void write_patient(FILE *stream, int64_t number, const struct patient *p) {
  fprintf(stream, "%" PRId64, number);
  for (int i = 0; i < N_NUMBERS; ++i)
    fprintf(stream, ",%.*f", numbers[i].decimals, p->values[i]);
  for (int i = 0; i < N_CATEGORIES; ++i)
    fprintf(stream, ",%s", categories[i].values[p->kinds[i]]);
  fprintf(stream, ",%s\n", p->readmitted ? "yes" : "no");
}

int cli_demo_write_patients(const char *path, int64_t rows, uint64_t stream,
                            double drift, struct demo_facts *out_facts) {
  struct cli_output output;
  int exit_code = cli_output_open(&output, path);
  if (exit_code != 0) return exit_code;
  fprintf(output.stream, "patient");
  for (int i = 0; i < N_NUMBERS; ++i)
    fprintf(output.stream, ",%s", numbers[i].name);
  for (int i = 0; i < N_CATEGORIES; ++i)
    fprintf(output.stream, ",%s", categories[i].name);
  fprintf(output.stream, ",readmitted\n");

  struct demo_random random;
  demo_random_start(&random, stream);
  struct demo_facts facts = {.rows = rows};
  for (int64_t i = 0; i < rows; ++i) {
    struct patient p;
    draw_patient(&random, drift, &p);
    write_patient(output.stream, i + 1, &p);
    facts.positive += p.readmitted;
    facts.best_loss -= log(p.readmitted ? p.probability : 1 - p.probability);
    facts.best_accuracy += (p.probability > 0.5) == p.readmitted;
  }
  facts.best_loss /= (double)rows;
  facts.best_accuracy /= (double)rows;
  *out_facts = facts;
  return cli_output_close(&output);
}

int cli_demo_write_schema(const char *path) {
  struct cli_output output;
  int exit_code = cli_output_open(&output, path);
  if (exit_code != 0) return exit_code;
  FILE *stream = output.stream;
  fprintf(stream, "{\n  \"tacit_schema\": 1,\n  \"format\": \"csv\",\n"
                  "  \"label\": {\"column\": \"readmitted\", \"classes\": [\"no\", "
                  "\"yes\"]},\n  \"columns\": [\n"
                  "    {\"name\": \"patient\", \"type\": \"ignore\"}");
  for (int i = 0; i < N_NUMBERS; ++i)
    fprintf(
        stream,
        ",\n    {\"name\": \"%s\", \"type\": \"numeric\", \"min\": %g, \"max\": %g}",
        numbers[i].name, numbers[i].min, numbers[i].max);
  for (int i = 0; i < N_CATEGORIES; ++i) {
    fprintf(stream, ",\n    {\"name\": \"%s\", \"type\": \"category\", \"values\": [",
            categories[i].name);
    for (int j = 0; j < categories[i].n_values; ++j)
      fprintf(stream, "%s\"%s\"", j > 0 ? ", " : "", categories[i].values[j]);
    fprintf(stream, "]}");
  }
  fprintf(stream, "\n  ]\n}\n");
  return cli_output_close(&output);
}

int cli_demo_days(const struct cli_args *arguments, const char *folder, int64_t days,
                  int64_t rows) {
  enum { PATH_SIZE = 1100, FIRST_STREAM = 1000 }; /* a folder has up to 1000 bytes */
  char path[PATH_SIZE];
  json_t *losses = json_array();
  (void)snprintf(path, sizeof path, "%.1000s/schema.json", folder);
  int exit_code = cli_demo_write_schema(path);
  for (int64_t day = 1; exit_code == 0 && day <= days; ++day) {
    struct demo_facts facts;
    double drift = days > 1 ? (double)(day - 1) / (double)(days - 1) : 0;
    (void)snprintf(path, sizeof path, "%.1000s/day-%03" PRId64 ".csv", folder, day);
    exit_code = cli_demo_write_patients(path, rows, (uint64_t)(FIRST_STREAM + day),
                                        drift, &facts);
    if (exit_code == 0) (void)json_array_append_new(losses, json_real(facts.best_loss));
  }
  if (exit_code != 0 || !cli_given(arguments, "json")) {
    json_decref(losses);
    if (exit_code == 0)
      printf("%" PRId64 " days of %" PRId64 " patients in %s: day-001.csv ... and "
             "schema.json\n\n"
             "What to try next:\n"
             "  head -c 32 /dev/urandom > demo.key; chmod 600 demo.key\n"
             "  tacit stream init demo.state --horizon %" PRId64
             " --batch-rows %" PRId64
             " --epsilon 1 --schema %s/schema.json --key-file demo.key\n"
             "  tacit stream feed demo.state %s/day-001.csv --round 1 --key-file "
             "demo.key -o model-001.json\n"
             "  tacit stream status demo.state --key-file demo.key\n",
             days, rows, folder, days, rows, folder, folder);
    return exit_code == 0 ? cli_close_stdout() : exit_code;
  }
  return cli_print_json(json_pack("{s:s, s:I, s:I, s:o}", "folder", folder, "days",
                                  (json_int_t)days, "rows", (json_int_t)rows,
                                  "best_losses", losses));
}
