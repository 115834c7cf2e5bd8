/* SPDX-License-Identifier: MIT */
/* data/: what cells of each type become, by the fast parser and by the strict one; the
   largest norm; crosses. */
#include "unit/data_files.h"

#include "data/schema/cell.h"
#include "data/text/csv.h"

static tacit_schema *schema_with(const char *more, const char *columns) {
  char json[2000];
  tacit_schema *schema = NULL;
  tacit_error err;
  (void)snprintf(json, sizeof json,
                 "{\"tacit_schema\": 2, %s\"label\": {\"column\": \"y\", \"min\": 0, "
                 "\"max\": 1}, \"columns\": [%s]}",
                 more, columns);
  CHECK_OK(tacit_schema_from_text(json, strlen(json), "s", &schema, &err), err);
  return schema;
}

/* The same rows whether the columns are in the order of the schema, which the fast
   parser needs, or not. */
static void becomes(const char *more, const char *column, const char *cells,
                    const char *expected) {
  char columns[1000], ordered[1000], turned[1000], rows[1000];
  (void)snprintf(columns, sizeof columns,
                 "%s, {\"name\": \"last\", \"type\": \"numeric\", \"min\": 0, \"max\": "
                 "1, \"map\": [0, 1]}",
                 column);
  size_t used[3] = {0};
  used[0] = (size_t)sprintf(ordered, "x,last,y\n");
  used[1] = (size_t)sprintf(turned, "last,x,y\n");
  for (const char *at = cells; *at != '\0';) {
    size_t size = strcspn(at, "\n");
    used[0] += (size_t)sprintf(ordered + used[0], "%.*s,0,1\n", (int)size, at);
    used[1] += (size_t)sprintf(turned + used[1], "0,%.*s,1\n", (int)size, at);
    at += size + (at[size] == '\n');
  }
  for (const char *at = expected; *at != '\0';) {
    size_t size = strcspn(at, "\n");
    used[2] += (size_t)sprintf(rows + used[2], "1%s%.*s\n", size > 0 ? " " : "",
                               (int)size, at);
    at += size + (at[size] == '\n');
  }
  tacit_schema *schema = schema_with(more, columns);
  check_rows(file_of("ordered.csv", ordered), schema, rows);
  check_rows(file_of("turned.csv", turned), schema, rows);
  tacit_schema_free(schema);
}

#define X(type, more) "{\"name\": \"x\", \"type\": \"" type "\"" more "}"

static void steps_are_equal_or_declared(void **state) {
  (void)state;
  const char *ten = X("numeric", ", \"min\": 0, \"max\": 100, \"curve\": 10");
  /* an edge belongs to the step above it */
  becomes("", ten, "-3\n0\n9.99\n10\n30\n70\n99.9\n100\n1e9\n",
          "1:1\n1:1\n1:1\n2:1\n4:1\n8:1\n10:1\n10:1\n10:1\n");
  becomes("", X("numeric", ", \"min\": 0, \"max\": 100, \"edges\": [1, 65]"),
          "0\n0.999\n1\n64\n65\n100\n", "1:1\n1:1\n2:1\n2:1\n3:1\n3:1\n");
  becomes("",
          X("numeric", ", \"min\": 1, \"max\": 10000, \"map\": \"log\", \"curve\": 4"),
          "0\n9\n11\n999\n1001\n10000\n", "1:1\n1:1\n2:1\n3:1\n4:1\n4:1\n");
}

static void every_edge_of_equal_steps_is_in_the_step_above(void **state) {
  (void)state;
  tacit_error err;
  for (size_t steps = 2; steps < 100; ++steps) {
    tacit_curve curve = {
        .min = 17, .max = 90, .shape = TACIT_TERM_STEPS, .n_points = steps + 1};
    CHECK_OK(tacit_curve_finish(&curve, NULL, &err), err);
    for (size_t i = 0; i < steps; ++i) {
      assert_int_equal(tacit_curve_find(&curve, curve.at[i]), i);
      assert_int_equal(tacit_curve_find(&curve, nextafter(curve.at[i + 1], 0)), i);
    }
    tacit_curve_fini(&curve);
  }
}

static void hats_share_a_number_between_two_knots(void **state) {
  (void)state;
  const char *five =
      X("numeric", ", \"min\": 0, \"max\": 8, \"curve\": {\"knots\": 5, \"kind\": "
                   "\"linear\"}");
  becomes("", five, "-1\n0\n0.5\n2\n3\n8\n9\n",
          "1:1\n1:1\n1:0.75 2:0.25\n2:1\n2:0.5 3:0.5\n5:1\n5:1\n");
  becomes("",
          X("numeric", ", \"min\": 0, \"max\": 8, \"edges\": [2, 3], \"curve\": "
                       "{\"kind\": \"linear\"}"),
          "1\n2.25\n5.5\n", "1:0.5 2:0.5\n2:0.75 3:0.25\n3:0.5 4:0.5\n");
  becomes("",
          X("numeric", ", \"min\": 0, \"max\": 16, \"map\": \"sqrt\", \"curve\": "
                       "{\"knots\": 3}"),
          "0\n1\n4\n9\n16\n", "1:1\n1:0.5 2:0.5\n2:1\n2:0.5 3:0.5\n3:1\n");
}

static void a_line_beside_hats_is_their_last_input(void **state) {
  (void)state;
  becomes("",
          X("numeric", ", \"min\": 0, \"max\": 8, \"curve\": {\"knots\": 5, "
                       "\"kind\": \"linear\", \"line\": true}"),
          "-1\n0\n1\n4\n7\n9\n",
          "1:1 6:-1\n1:1 6:-1\n1:0.5 2:0.5 6:-0.75\n3:1\n4:0.5 5:0.5 6:0.75\n5:1 "
          "6:1\n");
  becomes("\"na\": [\"NA\"], ",
          X("numeric", ", \"min\": 0, \"max\": 8, \"edges\": [2, 3], \"curve\": "
                       "{\"kind\": \"linear\", \"line\": true}, \"missing\": "
                       "\"own\""),
          "2\nNA\n5.5\n", "2:1 5:-0.5\n6:1\n3:0.5 4:0.5 5:0.375\n");
  becomes("",
          X("numeric", ", \"min\": 0, \"max\": 16, \"map\": \"sqrt\", \"curve\": "
                       "{\"knots\": 3, \"line\": true}, \"missing\": 1"),
          "0\n1\n\n4\n16\n",
          "1:1 4:-1\n1:0.5 2:0.5 4:-0.5\n1:0.5 2:0.5 4:-0.5\n2:1\n3:1 4:1\n");
  becomes("",
          X("date", ", \"format\": \"%Y-%m-%d\", \"min\": \"2020-01-01\", \"max\": "
                    "\"2020-01-09\", \"parts\": [\"days\"], \"curve\": {\"knots\": 3, "
                    "\"line\": true}, \"missing\": \"own\""),
          "2020-01-01\n2020-01-03\n\n2020-01-09\n",
          "1:1 4:-1\n1:0.5 2:0.5 4:-0.5\n5:1\n3:1 4:1\n");
}

/* An atom has an input of its own, after the inputs of the curve, which are doubled
   for all other numbers. Numbers beyond a bound that is an atom are this atom. */
static void atoms_have_inputs_of_their_own(void **state) {
  (void)state;
  becomes("", X("numeric", ", \"min\": 0, \"max\": 8, \"atoms\": [0, 8]"),
          "-1\n0\n-0.0\n2\n4\n8\n9\n", "2:1\n2:1\n2:1\n1:-1\n\n3:1\n3:1\n");
  becomes("", X("numeric", ", \"min\": 0, \"max\": 8, \"curve\": 4, \"atoms\": [3]"),
          "0\n2.9\n3\n3.1\n", "1:2\n2:2\n5:1\n2:2\n");
  becomes("",
          X("numeric", ", \"min\": 0, \"max\": 8, \"edges\": [2, 3], \"curve\": "
                       "{\"kind\": \"linear\"}, \"atoms\": [2, 5.5], \"missing\": 2"),
          "0\n2\n\n2.25\n5.5\n", "1:2\n5:1\n5:1\n2:1.5 3:0.5\n6:1\n");
  becomes("",
          X("numeric", ", \"min\": 0, \"max\": 16, \"map\": \"sqrt\", \"curve\": "
                       "{\"knots\": 3, \"line\": true}, \"atoms\": [0], "
                       "\"missing\": \"own\""),
          "0\n1\n\n9\n16\n", "5:1\n1:1 2:1 4:-1\n6:1\n2:1 3:1 4:1\n3:2 4:2\n");
}

static void lines_follow_their_map(void **state) {
  (void)state;
  becomes("", X("numeric", ", \"min\": 0, \"max\": 4, \"map\": \"sqrt\""),
          "0\n1\n2.25\n4\n9\n", "1:-1\n\n1:0.5\n1:1\n1:1\n");
  becomes("", X("numeric", ", \"min\": 1, \"max\": 4, \"map\": \"log\""),
          "0\n1\n2\n4\n", "1:-1\n1:-1\n\n1:1\n");
  becomes("", X("numeric", ", \"min\": 0, \"max\": 3, \"map\": \"log1p\""), "0\n1\n3\n",
          "1:-1\n\n1:1\n");
}

static void the_logarithm_is_that_of_the_library(void **state) {
  (void)state;
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    double exact = log(x);
    assert_true(fabs(tacit_curve_log(x) - exact) <= 4e-16 * fmax(1, fabs(exact)));
  }
  for (double x = 0.5; x < 2; x += 1e-4)
    assert_true(fabs(tacit_curve_log(x) - log(x)) <= 4e-16);
  assert_true(tacit_curve_log(1) == 0);
}

static void missing_cells(void **state) {
  (void)state;
  const char *na = "\"na\": [\"NA\", \".\"], ";
  becomes(na,
          X("numeric", ", \"min\": 0, \"max\": 8, \"curve\": 4, \"missing\": \"own\""),
          "NA\n\n.\n\"NA\"\n1\n8\n", "5:1\n5:1\n5:1\n5:1\n1:1\n4:1\n");
  becomes(na, X("numeric", ", \"min\": 0, \"max\": 8, \"missing\": 6"), "NA\n8\n",
          "1:0.5\n1:1\n");
  becomes(na, X("bool", ", \"missing\": \"own\""), "NA\ntrue\nFALSE\n", "2:1\n1:1\n\n");
  becomes(na, X("bool", ", \"missing\": true"), "NA\n\nF\n", "1:1\n1:1\n\n");
  becomes(na, X("ordinal", ", \"values\": [\"a\", \"b\"], \"missing\": \"b\""),
          "NA\na\nb\n", "1:1\n\n1:1\n");
  becomes(na,
          X("date", ", \"format\": \"%Y-%m-%d\", \"min\": \"2020-01-01\", \"max\": "
                    "\"2021-12-31\", \"parts\": [\"year\"], \"missing\": \"own\""),
          "NA\n2020-05-05\n2021-01-01\n2030-01-01\n1999-01-01\n",
          "3:1\n1:1\n2:1\n2:1\n1:1\n");
  /* in a category it is a text like any other */
  becomes(na, X("category", ", \"values\": [\"NA\", \"b\"]"), "NA\nb\n.\n",
          "1:1\n2:1\n3:1\n");
}

static void nobody_is_called_missing(void **state) {
  (void)state;
  tacit_schema *schema = schema_with("\"na\": [\"NA\"], \"unit\": \"id\", ",
                                     X("numeric", ", \"min\": 0, \"max\": 1"));
  static const char message[] =
      ": line 3, column 'id': no id; every row must say who it belongs to";
  check_refused(file_of("u.csv", "id,x,y\n7,1,1\nNA,1,1\n"), schema, TACIT_EDATA,
                message, NULL);
  check_refused(file_of("u.csv", "id,x,y\n7,1,1\n,1,1\n"), schema, TACIT_EDATA, message,
                NULL);
  tacit_schema_free(schema);
}

static void truth_has_many_words(void **state) {
  (void)state;
  becomes("", X("bool", ""), "TRUE\nT\nyes\nY\n1\nFalse\nf\nNO\nn\n0\n",
          "1:1\n1:1\n1:1\n1:1\n1:1\n\n\n\n\n\n");
}

static void ordered_values_are_cumulative(void **state) {
  (void)state;
  becomes("", X("ordinal", ", \"values\": [\"a\", \"b\", \"c\", \"d\", \"e\"]"),
          "a\nb\n\"e\"\nc\n", "\n1:0.5\n1:0.5 2:0.5 3:0.5 4:0.5\n1:0.5 2:0.5\n");
}

static void dates_have_parts(void **state) {
  (void)state;
  const char *all =
      X("date", ", \"format\": \"%d.%m.%Y\", \"min\": \"2023-12-31\", \"max\": "
                "\"2024-01-02\", \"parts\": [\"days\", \"year\", \"month\", "
                "\"weekday\", \"yearday\"]");
  /* years 1 2, months 3…14, weekdays 15…21, days of the year 22…387, days 388 */
  becomes("", all, "31.12.2023\n01.01.2024\n2.1.2024\n",
          "1:1 14:1 21:1 386:1 388:-1\n2:1 3:1 15:1 22:1\n2:1 3:1 16:1 23:1 388:1\n");
  becomes("",
          X("date", ", \"format\": \"%Y\\/%m\\/%d\", \"min\": \"2020-01-01\", \"max\": "
                    "\"2020-01-09\", \"parts\": [\"days\"], \"curve\": {\"knots\": 3}"),
          "2020/01/01\n2020/01/03\n2020/01/09\n", "1:1\n1:0.5 2:0.5\n3:1\n");
}

/* The slots are known only to the hash; their number and their values are not. */
static void words_have_norm_one(void **state) {
  (void)state;
  tacit_schema *schema = schema_with("", X("text", ", \"slots\": 1000000"));
  const char *path = file_of("t.csv", "x,y\n"
                                      "\"The cat, the CAT; the c\xc3\xa4t!\",1\n"
                                      "\"cat the the cat the c\xc3\xa4t\",1\n"
                                      "  ... ,1\n"
                                      "dog,1\n");
  tacit_error err;
  char *rows = read_rows(path, schema, 0, 1, &err);
  if (rows == NULL) fail_msg("%s", err.message);
  char *line = strtok(rows, "\n"), *again = strtok(NULL, "\n");
  assert_string_equal(line, again);
  double squares = 0;
  int words = 0;
  for (const char *at = line; (at = strchr(at, ':')) != NULL; ++at, ++words) {
    double value = strtod(at + 1, NULL);
    squares += value * value;
  }
  assert_int_equal(words, 3);
  assert_true(fabs(squares - 1) < 1e-15);
  assert_string_equal(strtok(NULL, "\n"), "1");
  assert_non_null(strstr(strtok(NULL, "\n"), ":1"));
  free(rows);
  tacit_schema_free(schema);
}

#define PAIR                                                                           \
  "{\"name\": \"a\", \"type\": \"category\", \"values\": [\"p\", \"q\"]},"             \
  "{\"name\": \"b\", \"type\": \"numeric\", \"min\": 0, \"max\": 2, \"curve\": "       \
  "{\"knots\": 3}},"                                                                   \
  "{\"name\": \"c\", \"type\": \"bool\"},"                                             \
  "{\"name\": \"d\", \"type\": \"ordinal\", \"values\": [\"u\", \"v\", \"w\"], "       \
  "\"missing\": \"own\"}"

static void crosses_are_products(void **state) {
  (void)state;
  /* a 1…3, b 4…6, c 7, d 8 9 missing 10; a*b 11…19; c*d 20…27 */
  tacit_schema *schema =
      schema_with("\"crosses\": [[\"a\", \"b\"], [\"c\", \"d\"]], ", PAIR);
  assert_int_equal(tacit_schema_features(schema), 27);
  double half = 0.70710678118654746;
  char expected[400];
  (void)snprintf(expected, sizeof expected,
                 "1 2:1 4:0.5 5:0.5 7:1 8:%.17g 14:0.5 15:0.5 25:1\n"
                 "1 3:1 6:1 19:1 20:1\n"
                 "1 1:1 5:1 10:1 12:1 23:1\n",
                 half);
  check_rows(file_of("c.csv", "a,b,c,d,y\nq,0.5,T,v,1\n?,2,F,u,1\np,1,F,,1\n"), schema,
             expected);
  check_rows(file_of("d.csv", "d,a,b,c,y\nv,q,0.5,T,1\nu,?,2,F,1\n,p,1,F,1\n"), schema,
             expected);
  tacit_schema_free(schema);
}

static void the_line_beside_hats_is_not_crossed(void **state) {
  (void)state;
  /* a 1…3, b 4…6, its line 7, missing 8; a*b 9…20 */
  tacit_schema *schema = schema_with(
      "\"crosses\": [[\"a\", \"b\"]], ",
      "{\"name\": \"a\", \"type\": \"category\", \"values\": [\"p\", \"q\"]},"
      "{\"name\": \"b\", \"type\": \"numeric\", \"min\": 0, \"max\": 2, \"curve\": "
      "{\"knots\": 3, \"line\": true}, \"missing\": \"own\"}");
  assert_int_equal(tacit_schema_features(schema), 20);
  assert_string_equal(tacit_schema_feature_name(schema, 6), "b");
  assert_string_equal(tacit_schema_feature_name(schema, 14), "a=q*b@2");
  assert_string_equal(tacit_schema_feature_name(schema, 15), "a=q*b=missing");
  check_rows(file_of("l.csv", "a,b,y\nq,0.5,1\nq,2,1\np,,1\n?,1,1\n"), schema,
             "1 2:1 4:0.5 5:0.5 7:-0.5 13:0.5 14:0.5\n1 2:1 6:1 7:1 15:1\n"
             "1 1:1 8:1 12:1\n1 3:1 5:1 18:1\n");
  tacit_schema_free(schema);
}

static void an_atom_is_a_level_of_a_cross(void **state) {
  (void)state;
  /* a 1…3, b 4…6, its line 7, its atom 8, missing 9; a*b 10…24 */
  tacit_schema *schema = schema_with(
      "\"crosses\": [[\"a\", \"b\"]], ",
      "{\"name\": \"a\", \"type\": \"category\", \"values\": [\"p\", \"q\"]},"
      "{\"name\": \"b\", \"type\": \"numeric\", \"min\": 0, \"max\": 2, \"curve\": "
      "{\"knots\": 3, \"line\": true}, \"atoms\": [2], \"missing\": \"own\"}");
  assert_int_equal(tacit_schema_features(schema), 24);
  assert_string_equal(tacit_schema_feature_name(schema, 7), "b=2");
  assert_string_equal(tacit_schema_feature_name(schema, 17), "a=q*b=2");
  assert_string_equal(tacit_schema_feature_name(schema, 18), "a=q*b=missing");
  check_rows(file_of("a.csv", "a,b,y\nq,0.5,1\nq,2,1\np,,1\n?,1,1\n"), schema,
             "1 2:1 4:1 5:1 7:-1 15:0.5 16:0.5\n1 2:1 8:1 18:1\n"
             "1 1:1 9:1 14:1\n1 3:1 5:2 21:1\n");
  tacit_schema_free(schema);
}

static void hashed_crosses_keep_their_sum(void **state) {
  (void)state;
  tacit_schema *schema = schema_with(
      "\"crosses\": [{\"columns\": [\"a\", \"b\", \"d\"], \"slots\": 2}], ", PAIR);
  assert_int_equal(tacit_schema_features(schema), 12);
  tacit_error err;
  char *rows =
      read_rows(file_of("c.csv", "a,b,c,d,y\nq,0.5,T,v,1\n?,1.75,F,u,1\np,1,F,,1\n"),
                schema, 0, 1, &err);
  if (rows == NULL) fail_msg("%s", err.message);
  int lines = 0;
  for (char *line = strtok(rows, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    double sum = 0;
    for (const char *at = line; (at = strchr(at, ' ')) != NULL;) {
      char *colon;
      long index = strtol(++at, &colon, 10);
      if (index > 10) sum += strtod(colon + 1, NULL);
    }
    assert_true(sum == 1);
    ++lines;
  }
  assert_int_equal(lines, 3);
  free(rows);
  tacit_schema_free(schema);
}

/* Rows at random; none is longer than the schema says, in any norm. */
static void no_row_is_longer_than_the_largest_norm(void **state) {
  (void)state;
  static const char *const many =
      PAIR ", {\"name\": \"e\", \"type\": \"date\", \"format\": \"%Y-%m-%d\", "
           "\"min\": \"2020-01-01\", \"max\": \"2020-12-31\", \"parts\": [\"month\", "
           "\"days\"]}, {\"name\": \"f\", \"type\": \"text\", \"slots\": 5}, "
           "{\"name\": \"g\", \"type\": \"numeric\", \"min\": -1, \"max\": 1, "
           "\"curve\": {\"knots\": 3, \"line\": true}}, {\"name\": \"h\", \"type\": "
           "\"numeric\", \"min\": -1, \"max\": 1, \"curve\": {\"knots\": 3, \"line\": "
           "true}, \"atoms\": [0]}";
  static const double exponents[] = {1, 1.5, 2, 3, INFINITY};
  tacit_schema *schema = schema_with("\"crosses\": [[\"a\", \"d\"]], ", many);
  char text[8000];
  size_t used = (size_t)sprintf(text, "a,b,c,d,e,f,g,h,y\n");
  uint64_t random = 1;
  for (int i = 0; i < 100; ++i) {
    random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    unsigned bits = (unsigned)(random >> 40);
    used += (size_t)sprintf(
        text + used, "%c,%u.%u,%c,%.1s,2020-%02u-0%u,%.*s,%s,%u,1\n", "pqx"[bits % 3],
        bits % 2, bits / 2 % 10, "TF"[bits / 8 % 2], &"uvw"[bits / 16 % 4],
        bits % 12 + 1, bits % 9 + 1, (int)(2 * (bits / 64 % 8)), "a b c d e f g h ",
        bits % 5 == 0 ? "-1" : "1", bits / 512 % 2);
  }
  tacit_error err;
  char *rows = read_rows(file_of("n.csv", text), schema, 0, 1, &err);
  if (rows == NULL) fail_msg("%s", err.message);
  double reached[5] = {0};
  for (char *line = strtok(rows, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    double sums[5] = {1, 1, 1, 1, 1}, largest = 1;
    for (const char *at = line; (at = strchr(at, ':')) != NULL; ++at) {
      double value = fabs(strtod(at + 1, NULL));
      largest = fmax(largest, value);
      for (int i = 0; i < 4; ++i)
        sums[i] += pow(value, exponents[i]);
    }
    for (int i = 0; i < 5; ++i)
      reached[i] = fmax(reached[i], i < 4 ? pow(sums[i], 1 / exponents[i]) : largest);
  }
  for (int i = 0; i < 5; ++i) {
    double max = tacit_schema_norm_max(schema, 1, exponents[i]);
    assert_true(reached[i] <= max * (1 + 1e-14));
    assert_true(reached[i] >= 0.9 * max);
  }
  free(rows);
  tacit_schema_free(schema);
}

static void bad_cells_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *column, *cell, *message;
  } cases[] = {
      {X("bool", ""), "maybe",
       ": line 2, column 'x': not true or false: true, t, yes, y, 1, false, f, no, n "
       "and 0 are, in any case"},
      {X("bool", ""), "",
       ": line 2, column 'x': the cell is empty; give \"missing\" in the schema to "
       "allow it"},
      {X("ordinal", ", \"values\": [\"a\", \"b\"]"), "zzz",
       ": line 2, column 'x': not one of the values that the schema declares"},
      {X("date", ", \"format\": \"%Y-%m-%d\", \"min\": \"2020-01-01\", \"max\": "
                 "\"2021-12-31\", \"parts\": [\"year\"]"),
       "2021-02-30",
       ": line 2, column 'x': not a date in the format that the schema declares"},
      {X("numeric", ", \"min\": 0, \"max\": 8, \"curve\": 4"), "zero",
       ": line 2, column 'x': not a finite number"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[100];
    tacit_schema *schema = schema_with("", cases[i].column);
    (void)snprintf(text, sizeof text, "x,y\n%s,1\n", cases[i].cell);
    check_refused(file_of("b.csv", text), schema, TACIT_EDATA, cases[i].message,
                  cases[i].cell[0] != '\0' ? cases[i].cell : NULL);
    tacit_schema_free(schema);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_equal_or_declared),
      cmocka_unit_test(every_edge_of_equal_steps_is_in_the_step_above),
      cmocka_unit_test(hats_share_a_number_between_two_knots),
      cmocka_unit_test(a_line_beside_hats_is_their_last_input),
      cmocka_unit_test(atoms_have_inputs_of_their_own),
      cmocka_unit_test(lines_follow_their_map),
      cmocka_unit_test(the_logarithm_is_that_of_the_library),
      cmocka_unit_test(missing_cells),
      cmocka_unit_test(nobody_is_called_missing),
      cmocka_unit_test(truth_has_many_words),
      cmocka_unit_test(ordered_values_are_cumulative),
      cmocka_unit_test(dates_have_parts),
      cmocka_unit_test(words_have_norm_one),
      cmocka_unit_test(crosses_are_products),
      cmocka_unit_test(the_line_beside_hats_is_not_crossed),
      cmocka_unit_test(an_atom_is_a_level_of_a_cross),
      cmocka_unit_test(hashed_crosses_keep_their_sum),
      cmocka_unit_test(no_row_is_longer_than_the_largest_norm),
      cmocka_unit_test(bad_cells_are_refused),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
