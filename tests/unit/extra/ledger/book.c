/* SPDX-License-Identifier: MIT */
/* The arithmetic of a ledger, the life of its entries, and its hash chain. */
#include "check.h"

#include <stdlib.h>
#include <tacit/account.h>
#include <tacit/extra/ledger.h>
#include <tacit/plan.h>
#include <unistd.h>

#include "base/memory.h"
#include "extra/ledger/book.h"

static tacit_error err;

static json_t *init_event(double mu) {
  return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:b}", "event", "init",
                   "dataset", "d", "unit", "row", "adjacency", "replace", "epsilon",
                   1.0, "delta", 1e-6, "mu", mu, "in_place", 0);
}

static tacit_status take(tacit_book *book, json_t *event) {
  tacit_status status = tacit_book_take(book, event, &err);
  json_decref(event);
  return status;
}

static tacit_status reserve(tacit_book *book, double mu) {
  return take(book,
              json_pack("{s:s, s:I, s:s, s:f}", "event", "reserve", "id",
                        (json_int_t)book->n_entries + 1, "dataset", "d", "mu", mu));
}

static tacit_status end(tacit_book *book, const char *event, int id) {
  return take(book, json_pack("{s:s, s:i}", "event", event, "id", id));
}

static void open_book(tacit_book *book, double mu) {
  CHECK_OK(tacit_book_init(book, &err), err);
  CHECK_OK(take(book, init_event(mu)), err);
}

/* A run that costs the whole budget fits, whatever the last digits are; one that costs
   the next double does not. */
static void test_whole_budget(void **state) {
  (void)state;
  for (int i = 0; i < 2000; ++i) {
    double mu = 0.1 + (double)(i * 7919 % 2003) / 1999.0 / 3;
    tacit_book book;
    open_book(&book, mu);
    assert_int_equal(reserve(&book, nextafter(mu, 2)), TACIT_EBUDGET);
    CHECK_OK(reserve(&book, mu), err);
    assert_int_equal(reserve(&book, 1e-9), TACIT_EBUDGET);
    assert_true(tacit_book_left_down(&book, &book.sets[0]) == 0);
    tacit_book_fini(&book);
  }
}

/* The sum of squares never passes the ceiling, compared in long double with a slack
   that is larger than its own error and far below one entry. */
static void test_ceiling_of_many(void **state) {
  (void)state;
  for (int round = 0; round < 50; ++round) {
    tacit_book book;
    double mu = 0.5 + round * 0.01;
    open_book(&book, mu);
    long double sum = 0;
    int taken = 0;
    for (int i = 0; i < 400; ++i) {
      double cost = 0.02 + (double)(i * 31 % 17) / 400;
      if (reserve(&book, cost) != TACIT_OK) continue;
      sum += (long double)cost * cost;
      ++taken;
    }
    assert_true(taken > 20);
    assert_true(sum <= (long double)mu * mu * (1 + 1e-17L));
    double left = tacit_book_left_down(&book, &book.sets[0]);
    assert_true(left >= 0 && (long double)left * left + sum <= (long double)mu * mu);
    if (left > 1e-8) CHECK_OK(reserve(&book, left), err);
    tacit_book_fini(&book);
  }
}

static void test_life_of_entries(void **state) {
  (void)state;
  tacit_book book;
  open_book(&book, 1);
  CHECK_OK(reserve(&book, 0.8), err);
  assert_int_equal(reserve(&book, 0.8), TACIT_EBUDGET);
  CHECK_OK(end(&book, "refund", 1), err);
  CHECK_OK(reserve(&book, 0.8), err);
  CHECK_OK(end(&book, "commit", 2), err);
  assert_int_equal(end(&book, "refund", 2), TACIT_EINVAL);
  assert_int_equal(end(&book, "void", 2), TACIT_EINVAL);
  assert_int_equal(end(&book, "commit", 1), TACIT_EINVAL);
  assert_int_equal(end(&book, "commit", 9), TACIT_EINVAL);
  assert_int_equal(reserve(&book, -1), TACIT_EINVAL);
  assert_int_equal(take(&book, init_event(1)), TACIT_EINVAL);
  assert_int_equal(take(&book, json_pack("{s:s}", "event", "party")), TACIT_EINVAL);
  assert_int_equal(json_array_size(book.events), 5);
  tacit_book_fini(&book);
}

static void test_chain(void **state) {
  (void)state;
  const char *first = "{\"event\": \"init\", \"dataset\": \"d\", \"unit\": \"row\", "
                      "\"adjacency\": \"replace\", \"epsilon\": 1, \"delta\": 1e-6, "
                      "\"mu\": 1, \"in_place\": false}";
  const char *second = "{\"event\": \"reserve\", \"id\": 1, \"dataset\": \"d\", "
                       "\"mu\": 0.5}";
  char hash_1[TACIT_JOURNAL_HASH + 1], hash_2[TACIT_JOURNAL_HASH + 1];
  tacit_book_hash("", first, hash_1);
  tacit_book_hash(hash_1, second, hash_2);
  tacit_book book;
  CHECK_OK(tacit_book_init(&book, &err), err);
  assert_int_equal(tacit_book_visit(&book, 2, first, hash_1, NULL, &err), TACIT_EDATA);
  assert_int_equal(tacit_book_visit(&book, 1, first, hash_2, NULL, &err), TACIT_EDATA);
  CHECK_OK(tacit_book_visit(&book, 1, first, hash_1, NULL, &err), err);
  assert_int_equal(tacit_book_visit(&book, 2, first, hash_2, NULL, &err), TACIT_EDATA);
  CHECK_OK(tacit_book_visit(&book, 2, second, hash_2, NULL, &err), err);
  assert_string_equal(book.head, hash_2);
  tacit_book_fini(&book);
}

static tacit_status change(tacit_book *book, const char *event, const char *key,
                           const char *text, double epsilon, double mu) {
  return take(book, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f}", "event", event,
                              "dataset", "d", "reason", "because", key, text, "epsilon",
                              epsilon, "mu", mu));
}

/* Budgets end and grow; what is spent stays spent. */
static void test_raise_and_close(void **state) {
  (void)state;
  tacit_book book;
  open_book(&book, 1);
  CHECK_OK(reserve(&book, 1), err);
  assert_int_equal(change(&book, "raise", "x", "", 2, 0.9), TACIT_EINVAL);
  assert_int_equal(change(&book, "raise", "x", "", 0.5, 2), TACIT_EINVAL);
  assert_int_equal(
      take(&book, json_pack("{s:s, s:s}", "event", "close", "dataset", "d")),
      TACIT_EINVAL); /* no reason */
  CHECK_OK(change(&book, "raise", "x", "", 2, 1.25), err);
  assert_true(book.sets[0].terms.epsilon == 2);
  assert_int_equal(reserve(&book, nextafter(0.75, 1)), TACIT_EBUDGET);
  CHECK_OK(reserve(&book, 0.75), err);
  CHECK_OK(end(&book, "refund", 2), err);
  CHECK_OK(reserve(&book, 0.1), err);
  CHECK_OK(change(&book, "close", "x", "", 0, 0), err);
  assert_int_equal(reserve(&book, 0.1), TACIT_EBUDGET);
  assert_true(tacit_book_left_down(&book, &book.sets[0]) == 0);
  assert_int_equal(change(&book, "raise", "x", "", 3, 2), TACIT_EINVAL);
  assert_int_equal(change(&book, "close", "x", "", 0, 0), TACIT_EINVAL);
  CHECK_OK(end(&book, "commit", 3), err); /* it was paid for */
  tacit_book_fini(&book);
}

/* A renewal counts from zero for new people, and adds up for the others. */
static void test_renewals(void **state) {
  (void)state;
  tacit_book book;
  open_book(&book, 1);
  CHECK_OK(reserve(&book, 0.6), err);
  CHECK_OK(take(&book, json_pack("{s:s, s:i, s:i, s:s}", "event", "advance", "id", 1,
                                 "round", 1, "digest", "a")),
           err);
  static const char *const not_dates[] = {"",           "2027",        "2027-1-1",
                                          "2027-13-01", "2027-00-01",  "2027-01-32",
                                          "2027-01-00", "2027-01-011", "2027/01/01"};
  for (size_t i = 0; i < sizeof not_dates / sizeof *not_dates; ++i)
    assert_int_equal(change(&book, "renew", "from", not_dates[i], 0, 0), TACIT_EINVAL);
  CHECK_OK(change(&book, "close", "x", "", 0, 0), err);
  CHECK_OK(change(&book, "renew", "from", "2027-01-31", 0, 0), err);
  assert_int_equal(change(&book, "renew", "from", "2027-01-31", 0, 0), TACIT_EINVAL);
  assert_true(tacit_book_left_down(&book, &book.sets[0]) == 1);
  CHECK_OK(reserve(&book, 0.8), err);
  assert_int_equal(reserve(&book, 0.61), TACIT_EBUDGET);
  CHECK_OK(reserve(&book, 0.6 - 1e-9), err);
  double exposed = tacit_book_exposed_up(&book, &book.sets[0]);
  assert_true(exposed >= 0.36 + 0.64 + 0.36 - 3e-9 && exposed < 1.36);
  /* A stream of the first period does not learn from people of the second. */
  assert_int_equal(take(&book, json_pack("{s:s, s:i, s:i, s:s}", "event", "advance",
                                         "id", 1, "round", 2, "digest", "b")),
                   TACIT_EPRIVACY);
  CHECK_OK(end(&book, "commit", 1), err);
  tacit_book_fini(&book);
}

/* The role of an event is what the server saw, whatever the event says. */
static void test_roles(void **state) {
  (void)state;
  const char *body = "{\"event\": \"init\", \"dataset\": \"d\", \"unit\": \"row\", "
                     "\"adjacency\": \"replace\", \"epsilon\": 1, \"delta\": 1e-6, "
                     "\"mu\": 1, \"in_place\": false, \"role\": \"boss\"}";
  static const char *const roles[] = {NULL, "anna"};
  for (size_t i = 0; i < 2; ++i) {
    char hash[TACIT_JOURNAL_HASH + 1];
    tacit_book book;
    CHECK_OK(tacit_book_init(&book, &err), err);
    tacit_book_hash("", body, hash);
    CHECK_OK(tacit_book_visit(&book, 1, body, hash, roles[i], &err), err);
    const json_t *role = json_object_get(json_array_get(book.events, 0), "role");
    if (roles[i] == NULL) assert_null(role);
    if (roles[i] != NULL) assert_string_equal(json_string_value(role), roles[i]);
    tacit_book_fini(&book);
  }
}

/* A plan whose statement has this epsilon. */
static tacit_plan *plan_of(double epsilon) {
  tacit_schema *schema;
  tacit_plan *plan;
  tacit_config config;
  tacit_config_init(&config);
  config.rows = 1000;
  config.epsilon = epsilon;
  config.delta = 1e-6;
  config.shuffled = 1;
  CHECK_OK(tacit_schema_memory(3, 2, 0, 0, &schema, &err), err);
  config.schema = schema;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  tacit_schema_free(schema);
  return plan;
}

static const char *make_ledger(char *folder, char *path, size_t size) {
  strcpy(folder, "/tmp/tacit-book-XXXXXX");
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, size, "%s/team.db", folder);
  for (int i = 0; i < 2; ++i) {
    const tacit_ledger_terms terms = {
        .dataset = i == 0 ? "d" : "e", .epsilon = 3, .delta = 1e-6};
    CHECK_OK(tacit_ledger_init(path, &terms, &err), err);
  }
  return path;
}

/* An entry in a file that was removed meanwhile is no entry. */
static void test_removed_file(void **state) {
  (void)state;
  char folder[64], path[96];
  const char *where = make_ledger(folder, path, sizeof path);
  const tacit_journal_ops *journal = &tacit_journal_sqlite;
  void *self = tacit_array_new(1, journal->size);
  for (int removed = 0; removed < 2; ++removed) {
    memset(self, 0, journal->size);
    CHECK_OK(journal->open(self, where, TACIT_JOURNAL_WRITE, &err), err);
    CHECK_OK(journal->append(self, 9 + removed, "body", "hash", &err), err);
    if (removed) assert_int_equal(unlink(path), 0);
    assert_int_equal(journal->commit(self, &err), removed ? TACIT_EIO : TACIT_OK);
    journal->close(self);
  }
  tacit_array_free(self);
  assert_int_equal(rmdir(folder), 0);
}

/* A raise in the ledger has the ceiling of its epsilon, which a run of this epsilon
   fills, and a run of more does not fit. */
static void test_raised_ceiling(void **state) {
  (void)state;
  char folder[64], path[96];
  const char *where = make_ledger(folder, path, sizeof path);
  tacit_plan *small = plan_of(4), *large = plan_of(4.01);
  int64_t id = 0;
  tacit_ledger_run run = {.dataset = "d",
                          .kind = "train",
                          .statement = tacit_plan_statement_json(small),
                          .note = "two\nlines"};
  tacit_ledger_change raise = {.dataset = "d",
                               .kind = TACIT_LEDGER_RAISE,
                               .epsilon = 4,
                               .reason = "the board agreed"};
  assert_int_equal(tacit_ledger_reserve(where, &run, &id, &err), TACIT_EINVAL);
  run.note = "one line";
  assert_int_equal(tacit_ledger_reserve(where, &run, &id, &err), TACIT_EBUDGET);
  CHECK_OK(tacit_ledger_alter(where, &raise, &err), err);
  run.statement = tacit_plan_statement_json(large);
  assert_int_equal(tacit_ledger_reserve(where, &run, &id, &err), TACIT_EBUDGET);
  run.statement = tacit_plan_statement_json(small);
  CHECK_OK(tacit_ledger_reserve(where, &run, &id, &err), err);
  raise.dataset = "f";
  assert_int_equal(tacit_ledger_alter(where, &raise, &err), TACIT_EINVAL);
  tacit_plan_free(small);
  tacit_plan_free(large);
  assert_int_equal(unlink(path) | rmdir(folder), 0);
}

/* Nothing but its own id makes a resumed run free, and only for what it costs. */
static void test_resumed_runs(void **state) {
  (void)state;
  char folder[64], path[96];
  const char *where = make_ledger(folder, path, sizeof path);
  tacit_plan *plan = plan_of(0.5), *dear = plan_of(1);
  int64_t id = 0;
  tacit_ledger_run run = {.dataset = "d",
                          .kind = "train",
                          .statement = tacit_plan_statement_json(plan),
                          .id = "0123456789abcdef0123456789abcdef"};
  tacit_ledger_run again = run, other = run, none = run, away = run, more = run;
  again.resumes = other.resumes = none.resumes = away.resumes = more.resumes = 1;
  other.id = "0123456789abcdef0123456789abcdee";
  none.id = ""; /* a checkpoint without an id */
  away.dataset = "e";
  more.statement = tacit_plan_statement_json(dear);
  assert_int_equal(tacit_ledger_reserve(where, &again, &id, &err), TACIT_EINVAL);
  CHECK_OK(tacit_ledger_reserve(where, &run, &id, &err), err);
  assert_int_equal(id, 1);
  for (int committed = 0; committed < 2; ++committed) {
    assert_int_equal(tacit_ledger_reserve(where, &other, &id, &err), TACIT_EINVAL);
    assert_int_equal(tacit_ledger_reserve(where, &none, &id, &err), TACIT_EINVAL);
    assert_int_equal(tacit_ledger_reserve(where, &away, &id, &err), TACIT_EINVAL);
    assert_int_equal(tacit_ledger_reserve(where, &more, &id, &err), TACIT_EINVAL);
    CHECK_OK(tacit_ledger_reserve(where, &again, &id, &err), err);
    assert_int_equal(id, committed ? 0 : 1);
    if (!committed) CHECK_OK(tacit_ledger_commit(where, 1, NULL, NULL, &err), err);
  }
  /* A run that was given back is paid for anew; a void one is not resumed. */
  run.id = again.id = "run that was given back";
  CHECK_OK(tacit_ledger_reserve(where, &run, &id, &err), err);
  CHECK_OK(tacit_ledger_refund(where, id, &err), err);
  CHECK_OK(tacit_ledger_reserve(where, &again, &id, &err), err);
  assert_int_equal(id, 3);
  CHECK_OK(tacit_ledger_void(where, 3, "a test", &err), err);
  assert_int_equal(tacit_ledger_reserve(where, &again, &id, &err), TACIT_EINVAL);
  tacit_plan_free(plan);
  tacit_plan_free(dear);
  assert_int_equal(unlink(path) | rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_budget),    cmocka_unit_test(test_ceiling_of_many),
      cmocka_unit_test(test_life_of_entries), cmocka_unit_test(test_chain),
      cmocka_unit_test(test_removed_file),    cmocka_unit_test(test_resumed_runs),
      cmocka_unit_test(test_raise_and_close), cmocka_unit_test(test_renewals),
      cmocka_unit_test(test_roles),           cmocka_unit_test(test_raised_ceiling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
