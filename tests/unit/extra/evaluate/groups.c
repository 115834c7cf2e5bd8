/* SPDX-License-Identifier: MIT */
/*
 * Groups in the release of an evaluation. Two data sets that differ in one person,
 * whose rows move from some groups to others, differ in no part of the release by more
 * than its noise allows, and all parts together are within the budget. Groups add up to
 * all rows, and do not cost more if there are many.
 */
#include "check.h"

#include <stdlib.h>
#include <tacit/account.h>
#include <tacit/extra/evaluate.h>
#include <unistd.h>

#include "extra/evaluate/evaluate.h"

enum { PERSONS = 60, OWN = 3, ROWS = PERSONS * OWN, COLUMNS_MAX = 4096 };

static tacit_error err;
static char folder[64];

static const char *in_folder(const char *name, char out[128]) {
  (void)snprintf(out, 128, "%s/%s", folder, name);
  return out;
}

static void write_schema(int classes) {
  char path[128];
  FILE *file = fopen(in_folder("s.json", path), "w");
  fprintf(file,
          "{\"tacit_schema\": 2, \"unit\": \"id\", \"label\": {\"column\": \"y\", %s}, "
          "\"columns\": [{\"name\": \"id\", \"type\": \"ignore\"}, {\"name\": \"a\", "
          "\"type\": \"numeric\", \"min\": 0, \"max\": 1}, {\"name\": \"g\", \"type\": "
          "\"category\", \"values\": [\"p\", \"q\", \"r\"]}]}",
          classes == 2   ? "\"classes\": [\"0\", \"1\"]"
          : classes == 3 ? "\"classes\": [\"0\", \"1\", \"2\"]"
                         : "\"min\": 0, \"max\": 3");
  assert_int_equal(fclose(file), 0);
}

/* Writes the rows. The first person is of groups p, q and r, or of r alone with other
   numbers and labels. */
static void write_rows(int moved, int classes) {
  char path[128];
  FILE *file = fopen(in_folder("d.csv", path), "w");
  fprintf(file, "id,a,g,y\n");
  for (int i = 0; i < ROWS; ++i) {
    int other = moved && i < OWN;
    fprintf(file, "p%d,%g,%c,%d\n", i / OWN, other ? 1 : (i % 7) / 7.0,
            other ? 'r' : "pqr"[i % 3], (i + other) % (classes > 0 ? classes : 4));
  }
  assert_int_equal(fclose(file), 0);
}

static tacit_reader *open_rows(const tacit_schema *schema) {
  char path[128];
  const char *paths[] = {in_folder("d.csv", path)};
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_reader_options_init(&options);
  options.schema = schema;
  CHECK_OK(tacit_reader_open(paths, 1, &options, &reader, &err), err);
  return reader;
}

static tacit_model *train(int classes) {
  char path[128];
  tacit_schema *schema = NULL;
  tacit_model *model = NULL;
  tacit_train *run = NULL;
  tacit_config config;
  write_schema(classes);
  write_rows(0, classes);
  CHECK_OK(tacit_schema_load(in_folder("s.json", path), 0, &schema, &err), err);
  tacit_config_init(&config);
  config.epsilon = 4;
  config.schema = schema;
  config.rows = ROWS;
  tacit_reader *reader = open_rows(schema);
  CHECK_OK(tacit_reader_units(reader, 0, &config.units, &err), err);
  config.shuffled = tacit_reader_shuffled(reader);
  CHECK_OK(tacit_train_new(&config, &run, &err), err);
  CHECK_OK(tacit_train_run(run, reader, &err), err);
  CHECK_OK(tacit_train_finish(run, &model, &err), err);
  tacit_train_free(run);
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return model;
}

/* Evaluates and writes the sums without noise. */
static tacit_evaluation *sums_of(const tacit_model *model, tacit_adjacency adjacency,
                                 int moved, int classes, double *out) {
  static double released[COLUMNS_MAX];
  tacit_evaluation_options options;
  tacit_evaluation *evaluation = NULL;
  write_rows(moved, classes);
  tacit_evaluation_options_init(&options);
  options.epsilon = 1;
  options.adjacency = adjacency;
  options.by = "g";
  tacit_reader *reader = open_rows(tacit_model_schema(model));
  CHECK_OK(tacit_evaluation_new(model, reader, &options, &evaluation, &err), err);
  assert_true(tacit_tally_columns(evaluation->tally) <= COLUMNS_MAX);
  CHECK_OK(tacit_evaluation_table(evaluation, reader, released, &err), err);
  tacit_tally_raw_sums(evaluation->tally, out);
  tacit_reader_free(reader);
  return evaluation;
}

static void check_pair(const tacit_model *model, int classes) {
  static double raw_one[COLUMNS_MAX], raw_two[COLUMNS_MAX];
  tacit_evaluation *one = sums_of(model, TACIT_REPLACE, 0, classes, raw_one);
  tacit_evaluation *two = sums_of(model, TACIT_REPLACE, 1, classes, raw_two);
  const tacit_subject *subject = one->subject;
  double squares = 0, moved = 0;
  size_t at = 0;
  for (size_t p = 0; p < subject->n_parts; ++p) {
    double distance = 0, mu = tacit_tally_mu(one->tally, p), most;
    most = tacit_tally_noise(one->tally, p) * mu;
    for (size_t i = 0; i < subject->parts[p].columns; ++i, ++at)
      distance += (raw_one[at] - raw_two[at]) * (raw_one[at] - raw_two[at]);
    CHECK_AT_MAX(sqrt(distance), most * (1 + 1e-9));
    moved = fmax(moved, distance);
    squares += mu * mu;
  }
  assert_true(moved > 0.5); /* else the pair shows nothing */
  CHECK_AT_MAX(sqrt(squares), one->facts.mu * (1 + 1e-12));
  tacit_evaluation_free(one);
  tacit_evaluation_free(two);
}

static void a_person_moves_groups_no_further_than_their_noise(void **state) {
  (void)state;
  for (int classes = 0; classes <= 3; ++classes) {
    if (classes == 1) continue;
    tacit_model *model = train(classes);
    check_pair(model, classes);
    tacit_model_free(model);
  }
}

static void the_groups_add_up_to_all_rows(void **state) {
  static double raw[COLUMNS_MAX];
  (void)state;
  tacit_model *model = train(2);
  tacit_evaluation *evaluation = sums_of(model, TACIT_REPLACE, 0, 2, raw);
  const tacit_subject *subject = evaluation->subject;
  size_t columns = subject->parts[0].columns,
         groups = subject->parts[2].columns / columns;
  const double *of_groups = raw + columns + 1;
  assert_int_equal(subject->n_parts, 4);
  assert_int_equal(groups, 4); /* three values and the others */
  assert_int_equal(subject->parts[3].columns, groups);
  for (size_t i = 0; i < columns; ++i) {
    double sum = 0;
    for (size_t g = 0; g < groups; ++g)
      sum += of_groups[g * columns + i];
    assert_true(fabs(sum - raw[i]) < 1e-6);
  }
  tacit_evaluation_free(evaluation);
  tacit_model_free(model);
}

static void what_is_no_group_is_refused(void **state) {
  tacit_evaluation_options options;
  tacit_evaluation *evaluation = NULL;
  static const char *const not_groups[] = {"a", "id", "nothing"};
  (void)state;
  tacit_model *model = train(2);
  tacit_evaluation_options_init(&options);
  options.epsilon = 1;
  tacit_reader *reader = open_rows(tacit_model_schema(model));
  for (size_t i = 0; i < 3; ++i) {
    options.by = not_groups[i];
    assert_int_equal(tacit_evaluation_new(model, reader, &options, &evaluation, &err),
                     TACIT_EINVAL);
  }
  tacit_reader_free(reader);
  tacit_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_person_moves_groups_no_further_than_their_noise),
      cmocka_unit_test(the_groups_add_up_to_all_rows),
      cmocka_unit_test(what_is_no_group_is_refused),
  };
  char path[128];
  strcpy(folder, "/tmp/tacit-groups-XXXXXX");
  if (mkdtemp(folder) == NULL) return 1;
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  (void)unlink(in_folder("s.json", path));
  (void)unlink(in_folder("d.csv", path));
  (void)rmdir(folder);
  return failed;
}
