/* SPDX-License-Identifier: MIT */
/* Knots from private counts. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/draft.h>
#include <tacit/tacit.h>

#include "unit/data_files.h"
#include "unit/privacy/statement_example.h"

static const char *path;

static tacit_schema *schema_of(const char *curve) {
  char text[400];
  tacit_schema *schema = NULL;
  tacit_error err;
  (void)snprintf(text, sizeof text,
                 "{\"tacit_schema\": 2, \"label\": {\"column\": \"y\", \"classes\": "
                 "[\"n\", \"p\"]}, \"columns\": [{\"name\": \"a\", \"type\": "
                 "\"numeric\", \"min\": 0, \"max\": 16%s}]}",
                 curve);
  CHECK_OK(tacit_schema_from_text(text, strlen(text), "test", &schema, &err), err);
  return schema;
}

/* Writes counts of `bins` bins from 0 to `end`, as describe prints them. */
static void write_counts(const double *counts, size_t bins, double end, double noise) {
  json_t *list = json_array();
  for (size_t i = 0; i < bins; ++i)
    json_array_append_new(list, json_pack("{s:f, s:f, s:f}", "count", counts[i], "from",
                                          end * (double)i / (double)bins, "to",
                                          end * (double)(i + 1) / (double)bins));
  tacit_statement_parts statement = example();
  json_t *file = json_pack("{s:b, s:o, s:[{s:s, s:b, s:f, s:o}]}", "private", 1,
                           "statement", object_of(&statement), "columns", "column", "a",
                           "label", 0, "noise", noise, "counts", list);
  char *text = json_dumps(file, 0);
  json_decref(file);
  assert_non_null(text);
  path = file_of_bytes("counts.json", text, strlen(text));
  free(text);
}

/* The inner knots of column a, and how many. */
static size_t knots_of(const tacit_schema *schema, double *out) {
  char *text = NULL;
  tacit_error err;
  int is_private = 0;
  CHECK_OK(tacit_schema_knots(schema, path, 0, &text, &is_private, &err), err);
  assert_true(is_private);
  json_t *json = json_loads(text, 0, NULL);
  tacit_string_free(text);
  const json_t *column = json_array_get(json_object_get(json, "columns"), 0);
  const json_t *edges = json_object_get(column, "edges");
  size_t count = json_array_size(edges);
  for (size_t i = 0; i < count; ++i)
    out[i] = json_real_value(json_array_get(edges, i));
  assert_true(count > 0 ||
              json_object_get(json_object_get(column, "curve"), "knots") != NULL);
  json_decref(json);
  return count;
}

static void even_counts_give_even_knots(void **state) {
  double counts[16], knots[16];
  (void)state;
  for (int i = 0; i < 16; ++i)
    counts[i] = 10;
  write_counts(counts, 16, 16, 0.1);
  tacit_schema *schema = schema_of(", \"curve\": {\"knots\": 5}");
  assert_int_equal(knots_of(schema, knots), 3);
  for (int i = 0; i < 3; ++i)
    CHECK_WITHIN(knots[i], 4 * (i + 1), 1e-12);
  tacit_schema_free(schema);
}

/* Half of the rows in bin 7, from 7 to 8, the others even: a knot in its middle. */
static void atoms_have_a_knot_of_their_own(void **state) {
  double counts[16], knots[16];
  (void)state;
  for (int i = 0; i < 16; ++i)
    counts[i] = i == 7 ? 150 : 10;
  write_counts(counts, 16, 16, 1);
  tacit_schema *schema = schema_of(", \"curve\": {\"knots\": 4}");
  assert_int_equal(knots_of(schema, knots), 3);
  /* The rest is 150, and as much is even: bins hold 19.375, the atom's 9.375. A third
     of 300 is 5 bins and 3.125, two thirds are 8 bins and 55. */
  CHECK_WITHIN(knots[0], 5 + 3.125 / 19.375, 1e-12);
  CHECK_WITHIN(knots[1], 7.5, 1e-12);
  CHECK_WITHIN(knots[2], 8 + 55 / 19.375, 1e-12);
  /* The same count under noise that could have made it is none. */
  write_counts(counts, 16, 16, 40);
  assert_int_equal(knots_of(schema, knots), 2);
  CHECK_WITHIN(knots[0], 6 + 27.5 / 28.75, 1e-12);
  CHECK_WITHIN(knots[1], 8 + 30 / 28.75, 1e-12);
  tacit_schema_free(schema);
}

static void knots_that_move_keep_their_line(void **state) {
  double counts[16];
  char *text = NULL;
  tacit_error err;
  (void)state;
  for (int i = 0; i < 16; ++i)
    counts[i] = 10 + i;
  write_counts(counts, 16, 16, 0.1);
  tacit_schema *schema = schema_of(", \"curve\": {\"knots\": 5, \"line\": true}");
  CHECK_OK(tacit_schema_knots(schema, path, 0, &text, NULL, &err), err);
  tacit_schema *moved = NULL;
  CHECK_OK(tacit_schema_from_text(text, strlen(text), "moved", &moved, &err), err);
  assert_int_equal(tacit_schema_features(moved), 6);
  assert_string_equal(tacit_schema_feature_name(moved, 5), "a");
  tacit_string_free(text);
  tacit_schema_free(moved);
  tacit_schema_free(schema);
}

static void noise_that_lowers_sums_is_borne(void **state) {
  double counts[16] = {5, -7, 30, -2, 40, 3, -9, 11, 60, -20, 9, 8, -30, 5, 2, -3};
  double knots[16];
  (void)state;
  write_counts(counts, 16, 16, 12);
  tacit_schema *schema = schema_of(", \"curve\": {\"knots\": 8}");
  size_t count = knots_of(schema, knots);
  double last = 0;
  assert_in_range(count, 1, 6);
  for (size_t i = 0; i < count; ++i) {
    assert_true(knots[i] - last >= 1 && knots[i] <= 15);
    last = knots[i];
  }
  for (int i = 0; i < 16; ++i)
    counts[i] = -1;
  write_counts(counts, 16, 16, 12);
  assert_int_equal(knots_of(schema, knots), 0); /* the declared ones stay */
  tacit_schema_free(schema);
}

static void counts_of_other_columns_are_refused(void **state) {
  double counts[16] = {1, 2, 3, 4};
  char *text = NULL;
  tacit_error err;
  (void)state;
  write_counts(counts, 16, 17, 1); /* past max */
  tacit_schema *schema = schema_of(", \"curve\": {\"knots\": 8}");
  assert_int_equal(tacit_schema_knots(schema, path, 0, &text, NULL, &err), TACIT_EDATA);
  write_counts(counts, 1, 16, 1); /* one bin */
  assert_int_equal(tacit_schema_knots(schema, path, 0, &text, NULL, &err), TACIT_EDATA);
  write_counts(counts, 16, 16, -1);
  assert_int_equal(tacit_schema_knots(schema, path, 0, &text, NULL, &err), TACIT_EDATA);
  tacit_schema_free(schema);
  schema = schema_of(""); /* a line has no knots */
  write_counts(counts, 16, 16, 1);
  assert_int_equal(tacit_schema_knots(schema, path, 0, &text, NULL, &err), TACIT_EDATA);
  assert_null(text);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(even_counts_give_even_knots),
      cmocka_unit_test(atoms_have_a_knot_of_their_own),
      cmocka_unit_test(knots_that_move_keep_their_line),
      cmocka_unit_test(noise_that_lowers_sums_is_borne),
      cmocka_unit_test(counts_of_other_columns_are_refused),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
