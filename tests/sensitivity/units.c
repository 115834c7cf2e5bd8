/* SPDX-License-Identifier: MIT */
/*
 * Neighbours that are not lists with one place changed: sets of rows in files whose
 * order depends on what the rows say, under coupled orders, and persons with 0 to 20
 * rows, dealt by the roster. Then whole runs over a reader, to show that they add what
 * the harness adds: the rows of a person with their weights and shares, in every pass.
 */
#include "harness.h"

#include "admit/rounds.h"

/* The batch of every row in the order of a key. */
static void deal_rows(uint64_t number, int64_t batch[UNITS]) {
  unsigned char key[TACIT_ORDER_KEY_BYTES] = {0};
  int64_t rows[UNITS];
  tacit_order *order = NULL;
  tacit_error err;
  memcpy(key, &number, sizeof number);
  CHECK_OK(tacit_order_new(UNITS, PER_PASS, key, NULL, &order, &err), err);
  CHECK_OK(tacit_order_rows(order, 0, UNITS, rows, &err), err);
  for (int64_t j = 0; j < PER_PASS; ++j)
    for (int64_t p = tacit_rounds_batch(UNITS, PER_PASS, j);
         p < tacit_rounds_batch(UNITS, PER_PASS, j + 1); ++p)
      batch[rows[p]] = j;
  tacit_order_free(order);
}

/* Opposite rows first, with and without a loss that lies. */
static int worst_kind(int number) {
  static const int kinds[] = {0, 4, 1, 2, 3};
  return kinds[number / 2 % 5];
}

/* The row that differs is in another place of each file; the others keep their order,
   as in any sorted file. `coupled`: the first file has the order of the second one that
   matches the common rows; otherwise both have the same order of positions. */
static void make_files(const struct setting *setting, int number, int coupled,
                       tacit_words *words, struct pair *out) {
  struct rows *one = &out->one, *two = &out->two;
  int64_t batch[UNITS], at_one = number % UNITS, at_two = (7 * number + 5) % UNITS;
  int worst = number % 2;
  one->n = two->n = UNITS;
  out->seed = (uint64_t)(worst ? 3 * number : number);
  deal_rows(out->seed, batch);
  for (int64_t i = 0, from = 0; i < UNITS; ++i, ++from) {
    random_row(one, i, words, setting);
    one->batch[i] = batch[i];
    if (i == at_one) --from; /* place of the row among the common ones */
    int64_t to = from + (from >= at_two);
    if (i != at_one && coupled) one->batch[i] = batch[to];
    if (i != at_one) copy_row(two, to, one, i);
    if (i != at_one) two->batch[to] = batch[to];
  }
  two->batch[at_two] = batch[at_two];
  if (coupled) one->batch[at_one] = batch[at_two];
  if (worst)
    worst_row(one, at_one, two, at_two, worst_kind(number), setting);
  else
    random_row(two, at_two, words, setting);
  if (setting->adjacency == TACIT_ZERO_OUT) two->batch[at_two] = -1;
  out->share = 1;
  out->odd_batch = coupled ? batch[at_two] : -1;
  out->lie = worst && number % 4 == 1;
}

static void make_sets(const struct setting *setting, int number, tacit_words *words,
                      struct pair *out) {
  make_files(setting, number, 1, words, out);
  int64_t sizes[PER_PASS] = {0};
  for (int i = 0; i < UNITS; ++i) /* the coupled order is one that a run can draw */
    ++sizes[out->one.batch[i]];
  for (int j = 0; j < PER_PASS; ++j)
    assert_int_equal(sizes[j], UNITS / PER_PASS);
}

/* Who the rows of a data set belong to. */
struct owners {
  int64_t ids[ROWS_MAX];
  uint64_t content[ROWS_MAX];
  int64_t cap;
};

static tacit_roster *roster_of(const struct rows *rows, const struct owners *owners,
                               const tacit_key *key) {
  tacit_roster *roster = NULL;
  tacit_error err;
  CHECK_OK(tacit_roster_new(owners->cap, &roster, &err), err);
  for (int64_t i = 0; i < rows->n; ++i) {
    tacit_unit unit;
    tacit_unit_of_number(owners->ids[i], &unit);
    CHECK_OK(tacit_roster_add(roster, i, &unit, owners->content[i], &err), err);
  }
  CHECK_OK(tacit_roster_meet(roster, NULL, &err), err);
  CHECK_OK(tacit_roster_deal(roster, key, PER_PASS, &err), err);
  return roster;
}

/* Batches and shares, from the roster of the data set. */
static void deal_persons(struct rows *rows, const struct owners *owners,
                         const tacit_key *key) {
  tacit_roster *roster = roster_of(rows, owners, key);
  rows->weighted = 1;
  for (int64_t i = 0; i < rows->n; ++i) { /* a cap may leave rows out */
    rows->batch[i] = -1;
    rows->raw_unit_rows[i] = 1;
  }
  for (int64_t j = 0; j < PER_PASS; ++j) {
    int64_t first, end;
    tacit_roster_batch(roster, j, &first, &end);
    for (int64_t place = first; place < end; ++place) {
      int64_t i = tacit_roster_row(roster, place);
      rows->batch[i] = j;
      rows->raw_unit_rows[i] = *tacit_roster_shares(roster, &place, 1, NULL);
    }
  }
  tacit_roster_free(roster);
}

static void add_row(struct rows *rows, struct owners *owners, const struct rows *from,
                    int64_t id, double weight, tacit_words *words) {
  copy_row(rows, rows->n, from, 0);
  rows->raw_weights[rows->n] = weight;
  owners->ids[rows->n] = id;
  owners->content[rows->n++] = tacit_words_next(words);
}

enum { FIRST_ID = 100, ODD_ID = 7, OTHER_ID = 1000, PERSON_ROWS = 20 };

/* Adds a person. In a worst case all rows are the same and count in full. */
static void add_person(const struct setting *setting, int64_t id, int count,
                       const struct rows *worst, struct rows *rows,
                       struct owners *owners, tacit_words *words) {
  static const double weights[] = {1, 0, 1e-300, 0.3, 0.999, 1};
  for (int k = 0; k < count; ++k) {
    struct rows row = {0};
    if (worst == NULL) random_row(&row, 0, words, setting);
    add_row(rows, owners, worst != NULL ? worst : &row, id,
            worst != NULL ? 1 : weights[tacit_words_next(words) % 6], words);
  }
}

/* Where the rows first … end-1 are, all of one person; -1: nowhere. */
static int64_t batch_of(const struct rows *rows, int64_t first, int64_t end) {
  int64_t batch = -1;
  for (int64_t i = first; i < end; ++i)
    batch = rows->batch[i] > batch ? rows->batch[i] : batch;
  return batch;
}

/* The person that takes the place of another: anybody; in a worst case somebody of the
   same batch. */
static void add_other(const struct setting *setting, int count,
                      const struct rows *worst, int64_t wanted, struct rows *rows,
                      struct owners *owners, const tacit_key *key, tacit_words *words) {
  struct rows before = *rows;
  struct owners owners_before = *owners;
  for (int64_t id = OTHER_ID;; ++id) {
    *rows = before;
    *owners = owners_before;
    add_person(setting, id, count, worst, rows, owners, words);
    deal_persons(rows, owners, key);
    int64_t batch = batch_of(rows, before.n, rows->n);
    if (worst == NULL || batch < 0 || wanted < 0 || batch == wanted) return;
  }
}

/* All rows of a person replaced by those of another one; with zero-out they are gone,
   or have weight 0. The odd rows are first in one file and last in the other. */
static void make_persons(const struct setting *setting, int number, tacit_words *words,
                         struct pair *out) {
  static struct owners owners_one, owners_two;
  struct rows *one = &out->one, *two = &out->two, odd = {0}, other = {0};
  int worst = number % 2, zero_out = setting->adjacency == TACIT_ZERO_OUT;
  int counts[] = {number % (PERSON_ROWS + 1), (8 * number + 3) % (PERSON_ROWS + 1)};
  tacit_key key = {{(unsigned char)number, 1}};
  owners_one.cap = owners_two.cap = number % 3 == 2 ? 1 + number % 4 : 0;
  if (worst) worst_row(&odd, 0, &other, 0, worst_kind(number), setting);
  add_person(setting, ODD_ID, counts[0], worst ? &odd : NULL, one, &owners_one, words);
  for (int64_t id = FIRST_ID; id < FIRST_ID + UNITS - 1; ++id) {
    int64_t before = one->n;
    add_person(setting, id, 1 + (int)(tacit_words_next(words) % 3), NULL, one,
               &owners_one, words);
    for (int64_t i = before; i < one->n; ++i) {
      copy_row(two, two->n, one, i);
      two->raw_weights[two->n] = one->raw_weights[i];
      owners_two.ids[two->n] = owners_one.ids[i];
      owners_two.content[two->n++] = owners_one.content[i];
    }
  }
  deal_persons(one, &owners_one, &key);
  add_other(setting, zero_out && number % 4 < 2 ? 0 : counts[1], worst ? &other : NULL,
            batch_of(one, 0, counts[0]), two, &owners_two, &key, words);
  for (int64_t i = 0; zero_out && i < two->n; ++i)
    if (owners_two.ids[i] >= OTHER_ID) two->raw_weights[i] = 0;
  out->share = 1;
  out->odd_batch = -1;
  out->lie = worst && number % 4 == 1;
  out->seed = (uint64_t)(worst ? 3 * number : number);
  out->persons = 1;
}

/* Rows that alternate: whoever moves by one place is the opposite of who was there. */
static void alternate(struct rows *rows) {
  for (int64_t i = 0; i < rows->n; ++i) {
    for (int j = 0; j < FEATURES; ++j)
      rows->raw_dense[i * FEATURES + j] = j == 0;
    rows->raw_labels[i] = i % 2 ? 1 : -1;
  }
}

/* Without the coupling the rows that moved are in other batches: that is what a public
   order does, and the harness sees it. */
static void a_public_order_is_noticed(void **state) {
  (void)state;
  static const struct geometry geometry = {2, "gaussian", "tree", 0, 2};
  static const unsigned char key[TACIT_KEY_BYTES] = "public order";
  static struct pair pair, moved;
  const struct setting setting = {.geometry = &geometry,
                                  .loss = tacit_loss_at(0),
                                  .adjacency = TACIT_REPLACE,
                                  .bound = TACIT_BOUND_CLIP,
                                  .passes = 1};
  tacit_words words;
  for (int coupled = 0; coupled < 2; ++coupled) {
    struct finding finding = {0};
    tacit_words_init(&words, key);
    for (int number = 0; number < 20; ++number) {
      memset(&pair, 0, sizeof pair);
      make_files(&setting, 12 * number, coupled, &words, &pair); /* first, and sixth */
      alternate(&pair.one);
      moved = pair;
      for (int64_t i = 1; i < UNITS; ++i)
        copy_row(&pair.two, i - (i <= 5), &moved.one, i);
      pair.lie = 1;
      compare(&setting, &pair, 0, &finding);
    }
    assert_true(coupled ? finding.past_sum + finding.past_budget == 0
                        : finding.past_sum > 5 && finding.past_budget > 5);
  }
}

/* A whole run over the rows of persons. */
struct whole {
  const char *mechanism; /* NULL: the default */
  int passes;
  struct rows rows;
  struct owners owners;
  tacit_train *train;
  tacit_encoder *encoder;
  double x_prev[FEATURES]; /* the point of the round before */
  int64_t rounds;          /* seen */
  double largest;          /* |coordinate| of a sum over the clip */
  int exact;               /* 0: a release is not the sum of the harness */
};

static int observe(void *cookie, const tacit_progress *progress) {
  struct whole *whole = cookie;
  const tacit_train *train = whole->train;
  int64_t raw_sum[DIM_MAX];
  tacit_i128 raw_row[DIM_MAX];
  tacit_delta delta = train->open.delta;
  delta.x_prev = whole->x_prev; /* after the last round the run has overwritten it */
  sums_of(&delta, &whole->rows, 0, (progress->round - 1) % PER_PASS, raw_sum);
  (void)encoder_begin(whole->encoder, progress->round, train->open.delta.clip);
  encoder_encode(whole->encoder, raw_sum, 0, FEATURES, raw_row);
  for (int j = 0; j < FEATURES; ++j) {
    double y = ldexp(train->open.y[j], train->plan->vault.lattice.exponent);
    whole->exact &= y == (double)raw_row[j];
    whole->largest =
        fmax(whole->largest, fabs((double)raw_sum[j]) / (double)train->open.delta.clip);
  }
  assert_int_equal(progress->rows_all, UNITS * whole->passes);
  memcpy(whole->x_prev, delta.x, sizeof whole->x_prev);
  ++whole->rounds;
  return 0;
}

static tacit_train *new_whole(struct whole *whole, tacit_schema **schema) {
  tacit_config config;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, schema, &err), err);
  tacit_config_init(&config);
  config.preset = TACIT_ANYTIME; /* the harness has rows that are not centred here */
  config.schema = *schema;
  config.units = UNITS;
  config.unit_rows = whole->owners.cap;
  config.weighted = 1;
  config.epsilon =
      whole->mechanism != NULL && strcmp(whole->mechanism, "none") == 0 ? 0 : 50;
  config.mechanism = whole->mechanism;
  config.passes = whole->passes;
  config.batch = UNITS / PER_PASS;
  config.bias = 0;
  config.seeded = 1;
  config.seed = 3;
  config.threads = 2;
  config.progress = observe;
  config.progress_cookie = whole;
  CHECK_OK(tacit_train_new(&config, &whole->train, &err), err);
  return whole->train;
}

static void run_whole(struct whole *whole, tacit_schema *schema) {
  tacit_arrays arrays;
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_error err;
  int64_t units;
  tacit_arrays_init(&arrays);
  arrays.n_rows = whole->rows.n;
  arrays.n_features = FEATURES;
  arrays.raw_values = whole->rows.raw_dense;
  arrays.row_stride = sizeof(double[FEATURES]);
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = whole->rows.raw_labels;
  arrays.raw_units = whole->owners.ids;
  arrays.raw_weights = whole->rows.raw_weights;
  tacit_reader_options_init(&options);
  options.schema = schema;
  CHECK_OK(tacit_reader_open_arrays(&arrays, &options, &reader, &err), err);
  CHECK_OK(tacit_reader_units(reader, whole->owners.cap, &units, &err), err);
  assert_int_equal(units, UNITS);
  deal_persons(&whole->rows, &whole->owners, &whole->train->rows.order_key);
  const tacit_vault_facts *facts = &whole->train->plan->vault;
  whole->encoder = encoder_of(facts->encoder, &facts->shape);
  whole->exact = 1;
  CHECK_OK(tacit_train_run(whole->train, reader, &err), err);
  assert_int_equal(whole->rounds, (int64_t)PER_PASS * whole->passes);
  encoder_free(whole->encoder);
  tacit_reader_free(reader);
  tacit_train_free(whole->train);
  tacit_schema_free(schema);
}

static const struct setting logistic = {.geometry =
                                            &(const struct geometry){.classes = 2}};

/* Without noise the releases are the sums of the harness: every row of a person with
   its own weight and 1/m of the bound, m counted over all rows, in every pass. */
static void a_run_adds_what_the_harness_adds(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = "whole runs";
  tacit_words words;
  tacit_words_init(&words, key);
  for (int passes = 1; passes <= 3; passes += 2) {
    static struct whole whole;
    struct setting setting = logistic;
    tacit_schema *schema = NULL;
    memset(&whole, 0, sizeof whole);
    setting.loss = tacit_loss_at(0);
    whole.mechanism = "none";
    whole.passes = passes;
    for (int64_t id = 0; id < UNITS; ++id)
      add_person(&setting, id, 1 + (int)id % 7, NULL, &whole.rows, &whole.owners,
                 &words);
    (void)new_whole(&whole, &schema);
    run_whole(&whole, schema);
    assert_true(whole.exact);
    for (int64_t i = 0; i < whole.rows.n; ++i)
      assert_int_equal(whole.rows.raw_unit_rows[i], 1 + whole.owners.ids[i] % 7);
  }
}

/* An id of a person in batch 0, from *id on. */
static void next_of_batch(const tacit_key *key, int64_t *id) {
  struct owners owners = {.ids = {0, -1, -2, -3, -4}};
  struct rows rows = {.n = 1 + PER_PASS};
  do {
    owners.ids[0] = ++*id;
    deal_persons(&rows, &owners, key);
  } while (rows.batch[0] != 0);
}

/* All N persons in one batch, all contributions aligned and clipped: the sum is N
   clips, and neither lattice nor vault refuse it; the other batches are empty. */
static void a_batch_may_hold_all_persons(void **state) {
  (void)state;
  static const char *const mechanisms[] = {"none", "tree", "banded", "blt", "matrix"};
  static const unsigned char key[TACIT_KEY_BYTES] = "one batch";
  struct setting setting = logistic;
  struct rows worst = {0}, unused = {0};
  tacit_words words;
  tacit_words_init(&words, key);
  setting.loss = tacit_loss_at(0);
  worst_row(&worst, 0, &unused, 0, 4, &setting);
  for (int i = 0; i < FEATURES; ++i) /* long: the slope at 0 is below the clip */
    worst.raw_dense[i] = i == 0 ? 1e6 : 0;
  for (int way = 0; way < 10; ++way) {
    static struct whole whole;
    tacit_schema *schema = NULL;
    int64_t id = 0;
    memset(&whole, 0, sizeof whole);
    whole.mechanism = mechanisms[way / 2];
    whole.passes = way % 2 ? 3 : 1;
    const tacit_train *train = new_whole(&whole, &schema);
    for (int k = 0; k < UNITS; ++k) {
      next_of_batch(&train->rows.order_key, &id);
      add_person(&setting, id, 1 + k % 5, &worst, &whole.rows, &whole.owners, &words);
    }
    run_whole(&whole, schema);
    CHECK_AT_MAX(whole.largest, UNITS);
    CHECK_AT_MAX(0.7 * UNITS, whole.largest);
  }
}

/* However many persons there are: a sum of all of them in one batch fits. */
static void the_lattice_leaves_room_for_all_persons(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), err);
  for (int64_t units = 1; units <= UINT32_MAX; units = 7 * units + 1) {
    tacit_config config;
    tacit_plan *plan = NULL;
    tacit_config_init(&config);
    config.schema = schema;
    config.units = units;
    config.epsilon = 1;
    tacit_status status = tacit_plan_new(&config, &plan, &err);
    if (units > 10000000 && status != TACIT_OK) continue; /* said before any row */
    CHECK_OK(status, err);
    tacit_i128 all = (tacit_i128)plan->vault.lattice.clip_max * units;
    assert_true(all <= INT64_MAX && all > 0);
    tacit_plan_free(plan);
  }
  tacit_schema_free(schema);
}

int main(int argc, char **argv) {
  static const struct maker makers[] = {
      {.name = "sets", .pairs = 6, .reach = {0.85, 0.8}, .make = make_sets},
      {.name = "persons", .pairs = 6, .reach = {0.85, 0.8}, .make = make_persons},
  };
  static const struct CMUnitTest others[] = {
      cmocka_unit_test(a_public_order_is_noticed),
      cmocka_unit_test(a_run_adds_what_the_harness_adds),
      cmocka_unit_test(a_batch_may_hold_all_persons),
      cmocka_unit_test(the_lattice_leaves_room_for_all_persons),
  };
  return run_harness(argc, argv, makers, 2, others, 4);
}
