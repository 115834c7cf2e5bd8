/* SPDX-License-Identifier: MIT */
/*
 * Replays the events of a ledger:
 *   init     adds a data set with its terms
 *   reserve  adds an entry to a data set; the ceiling is checked here
 *   advance  begins a round of a stream; rounds come in order, each once
 *   raise, close, renew   change the budget of a data set (take_change)
 *   commit, refund, void   end a reserved entry
 *   made     says what a reserved or committed entry has made
 * Invariant after every event, for every data set and period: the sum over its reserved
 * and committed entries of mu^2, rounded up, is at most mu_max^2, rounded down.
 */
#include "extra/ledger/book.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "privacy/exact.h"

const char *const tacit_entry_state_names[TACIT_ENTRY_STATES] = {
    "reserved", "committed", "refunded", "void"};

tacit_status tacit_book_init(tacit_book *book, tacit_error *err) {
  *book = (tacit_book){.events = json_array()};
  return book->events != NULL ? TACIT_OK : tacit_fail_memory(err);
}

void tacit_book_fini(tacit_book *book) {
  for (size_t i = 0; i < book->n_entries; ++i)
    json_decref(book->entries[i].made);
  tacit_array_free(book->sets);
  tacit_array_free(book->entries);
  json_decref(book->events);
  *book = (tacit_book){0};
}

void tacit_book_hash(const char *head, const char *body,
                     char out[TACIT_JOURNAL_HASH + 1]) {
  unsigned char digest[TACIT_JOURNAL_HASH / 2];
  tacit_hash hash;
  tacit_hash_begin(&hash, sizeof digest, "tacit-ledger-1");
  tacit_hash_add_text(&hash, head);
  tacit_hash_add_text(&hash, body);
  tacit_hash_end(&hash, digest, sizeof digest);
  sodium_bin2hex(out, TACIT_JOURNAL_HASH + 1, digest, sizeof digest);
}

bool tacit_book_changes(const char *kind) {
  return strcmp(kind, "raise") == 0 || strcmp(kind, "close") == 0 ||
         strcmp(kind, "renew") == 0;
}

const tacit_book_set *tacit_book_find(const tacit_book *book, const char *dataset) {
  for (size_t i = 0; i < book->n_sets; ++i)
    if (strcmp(book->sets[i].terms.dataset, dataset) == 0) return &book->sets[i];
  return NULL;
}

/* A sum of squares as hi + lo, with lo below half a unit of hi in the last place. One
   square is exact in this form, so a run with the whole budget of a data set fits. */
struct squares {
  double hi, lo;
};

/* Adds mu^2. Rounds up if the sum does not fit into hi + lo. */
static void add_square_up(struct squares *sum, double mu) {
  double hi = mu * mu, lo = fma(mu, mu, -hi);
  double both = sum->hi + hi, part = both - sum->hi;
  double lost = (sum->hi - (both - part)) + (hi - part); /* Knuth's two-sum: exact */
  double rest = tacit_sum_up(tacit_sum_up(sum->lo, lo), lost);
  sum->hi = both + rest;
  sum->lo = rest - (sum->hi - both); /* exact, because |rest| < both */
}

/* Sums over the entries of period `first` and later. */
static struct squares spent_up(const tacit_book *book, const tacit_book_set *set,
                               int first) {
  struct squares spent = {0, 0};
  for (size_t i = 0; i < book->n_entries; ++i) {
    const tacit_book_entry *entry = &book->entries[i];
    int counts =
        entry->state == TACIT_ENTRY_RESERVED || entry->state == TACIT_ENTRY_COMMITTED;
    if (counts && &book->sets[entry->set] == set && entry->period >= first)
      add_square_up(&spent, entry->mu);
  }
  return spent;
}

static double whole_up(struct squares sum) {
  return sum.lo > 0 ? tacit_up(sum.hi) : sum.hi;
}

double tacit_book_spent_up(const tacit_book *book, const tacit_book_set *set) {
  return whole_up(spent_up(book, set, set->period));
}

double tacit_book_exposed_up(const tacit_book *book, const tacit_book_set *set) {
  return whole_up(spent_up(book, set, 0));
}

/* Returns 1 if the sum stays within the ceiling of the data set. */
static int fits(const tacit_book_set *set, const struct squares *sum) {
  struct squares max = {0, 0};
  add_square_up(&max, set->mu_max); /* exact */
  return sum->hi < max.hi || (sum->hi == max.hi && sum->lo <= max.lo);
}

int tacit_book_fits(const tacit_book *book, const tacit_book_set *set, double mu) {
  struct squares spent = spent_up(book, set, set->period);
  add_square_up(&spent, mu);
  return !set->closed && fits(set, &spent);
}

double tacit_book_left_down(const tacit_book *book, const tacit_book_set *set) {
  double spent = tacit_book_spent_up(book, set);
  if (set->closed) return 0;
  if (spent == 0) return set->mu_max;
  return tacit_sqrt_down(
      tacit_add_down(tacit_mul_down(set->mu_max, set->mu_max), -spent));
}

static int get_text(const json_t *event, const char *key, const char **out) {
  *out = json_string_value(json_object_get(event, key));
  return *out != NULL && **out != '\0';
}

static int get_number(const json_t *event, const char *key, double *out) {
  const json_t *value = json_object_get(event, key);
  *out = json_number_value(value);
  return json_is_number(value) && isfinite(*out);
}

static tacit_status fail_event(tacit_error *err) {
  return tacit_fail(err, TACIT_EINVAL, "the event is not complete");
}

/* Returns 1 if the name is printable, so that it can be shown anywhere, and short. */
static int is_name(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < length; ++i)
    if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f) return 0;
  return length > 0 && length <= 100;
}

static tacit_status take_init(tacit_book *book, const json_t *event, tacit_error *err) {
  tacit_book_set set = {0};
  const char *unit, *adjacency;
  tacit_ledger_terms *terms = &set.terms;
  if (!get_text(event, "dataset", &terms->dataset) || !get_text(event, "unit", &unit) ||
      !get_text(event, "adjacency", &adjacency) ||
      !get_number(event, "epsilon", &terms->epsilon) ||
      !get_number(event, "delta", &terms->delta) ||
      !get_number(event, "mu", &set.mu_max) || !(set.mu_max > 0) ||
      !json_is_boolean(json_object_get(event, "in_place")))
    return fail_event(err);
  if (!is_name(terms->dataset))
    return tacit_fail(err, TACIT_EINVAL,
                      "the name of a data set must be 1 to 100 printable characters");
  if (tacit_book_find(book, terms->dataset) != NULL)
    return tacit_fail(err, TACIT_EINVAL, "data set %s is in the ledger already",
                      terms->dataset);
  terms->persons = strcmp(unit, "person") == 0;
  terms->adjacency =
      strcmp(adjacency, "zero-out") == 0 ? TACIT_ZERO_OUT : TACIT_REPLACE;
  terms->in_place = json_is_true(json_object_get(event, "in_place"));
  if (!tacit_array_reserve(&book->sets, &book->room_sets, book->n_sets + 1, sizeof set))
    return tacit_fail_memory(err);
  book->sets[book->n_sets++] = set;
  return TACIT_OK;
}

static tacit_status take_reserve(tacit_book *book, json_t *event, tacit_error *err) {
  tacit_book_entry entry = {.origin = event, .last = event};
  const char *dataset;
  if (!get_text(event, "dataset", &dataset) || !get_number(event, "mu", &entry.mu) ||
      !(entry.mu > 0) ||
      json_integer_value(json_object_get(event, "id")) !=
          (json_int_t)book->n_entries + 1)
    return fail_event(err);
  const tacit_book_set *set = tacit_book_find(book, dataset);
  if (set == NULL)
    return tacit_fail(err, TACIT_EINVAL, "data set %s is not in the ledger", dataset);
  entry.set = (size_t)(set - book->sets);
  entry.period = set->period;
  if (!tacit_book_fits(book, set, entry.mu))
    return tacit_fail(err, TACIT_EBUDGET, "the run does not fit the budget of %s",
                      dataset);
  if (!tacit_array_reserve(&book->entries, &book->room_entries, book->n_entries + 1,
                           sizeof entry))
    return tacit_fail_memory(err);
  book->entries[book->n_entries++] = entry;
  return TACIT_OK;
}

/* Finds the entry that an event is about. Fails unless the entry is reserved. */
static tacit_status find_reserved(tacit_book *book, const json_t *event,
                                  tacit_book_entry **out, tacit_error *err) {
  json_int_t id = json_integer_value(json_object_get(event, "id"));
  if (id < 1 || (size_t)id > book->n_entries)
    return tacit_fail(err, TACIT_EINVAL, "the ledger has no entry %lld", (long long)id);
  *out = &book->entries[id - 1];
  if ((*out)->state == TACIT_ENTRY_RESERVED) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    "entry %lld is %s: only a reserved one can "
                    "change",
                    (long long)id, tacit_entry_state_names[(*out)->state]);
}

static tacit_status take_advance(tacit_book *book, json_t *event, tacit_error *err) {
  tacit_book_entry *entry = NULL;
  const char *digest;
  TACIT_TRY(find_reserved(book, event, &entry, err));
  int64_t round = json_integer_value(json_object_get(event, "round"));
  if (!get_text(event, "digest", &digest)) return fail_event(err);
  if (round != entry->round + 1)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the ledger has begun round %lld of the stream, and this state "
                      "begins round %lld: it is not the latest, or another was fed",
                      (long long)entry->round, (long long)round);
  const tacit_book_set *set = &book->sets[entry->set];
  if (entry->period != set->period)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the stream has its budget in a period of %s that has ended: "
                      "the people of the period from %s have another; close the "
                      "stream and begin a new one",
                      set->terms.dataset, set->from);
  entry->round = round;
  entry->digest = digest;
  return TACIT_OK;
}

/* Keeps an event if it says what its entry has made. */
static tacit_status keep_made(tacit_book_entry *entry, json_t *event,
                              tacit_error *err) {
  if (json_object_get(event, "digest") == NULL &&
      json_object_get(event, "file") == NULL)
    return TACIT_OK;
  if (entry->made == NULL) entry->made = json_array();
  return json_array_append(entry->made, event) == 0 ? TACIT_OK : tacit_fail_memory(err);
}

static tacit_status take_made(tacit_book *book, json_t *event, tacit_error *err) {
  json_int_t id = json_integer_value(json_object_get(event, "id"));
  if (id < 1 || (size_t)id > book->n_entries ||
      book->entries[id - 1].state > TACIT_ENTRY_COMMITTED)
    return tacit_fail(err, TACIT_EINVAL, "entry %lld has paid for nothing",
                      (long long)id);
  return keep_made(&book->entries[id - 1], event, err);
}

static tacit_status take_end(tacit_book *book, json_t *event, tacit_entry_state state,
                             tacit_error *err) {
  tacit_book_entry *entry = NULL;
  TACIT_TRY(find_reserved(book, event, &entry, err));
  /* An old copy of a stream may not know of rounds that were released since. */
  if (state == TACIT_ENTRY_REFUNDED && entry->round > 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the stream of entry %lld has begun round %lld: what it reserved "
                      "stays spent",
                      (long long)(entry - book->entries) + 1, (long long)entry->round);
  TACIT_TRY(keep_made(entry, event, err));
  entry->state = state;
  entry->last = event;
  return TACIT_OK;
}

/* Returns 1 if the text is a date such as 2026-01-31. Leaves the length of months
   out. */
static int is_date(const char *text) {
  static const char *const least = "0000-01-01", *const most = "9999-12-31";
  for (size_t i = 0; i < 10; ++i)
    if (text[i] < (least[i] == '-' ? '-' : '0') ||
        text[i] > (least[i] == '-' ? '-' : '9'))
      return 0;
  return text[10] == '\0' && strncmp(text + 5, least + 5, 2) >= 0 &&
         strncmp(text + 5, most + 5, 2) <= 0 && strcmp(text + 8, least + 8) >= 0 &&
         strcmp(text + 8, most + 8) <= 0;
}

static tacit_status take_raise(tacit_book_set *set, const json_t *event,
                               tacit_error *err) {
  double epsilon, mu;
  if (!get_number(event, "epsilon", &epsilon) || !get_number(event, "mu", &mu))
    return fail_event(err);
  if (set->closed)
    return tacit_fail(err, TACIT_EINVAL,
                      "the budget of %s is closed: only a renewal opens it",
                      set->terms.dataset);
  if (!(epsilon > set->terms.epsilon) || !(mu > set->mu_max))
    return tacit_fail(err, TACIT_EINVAL,
                      "the budget of %s is epsilon %g: a raise must be to a larger one",
                      set->terms.dataset, set->terms.epsilon);
  set->terms.epsilon = epsilon;
  set->mu_max = mu;
  return TACIT_OK;
}

/* Begins a period, whose entries are counted from zero. Earlier entries stay in the sum
   of tacit_book_exposed_up. */
static tacit_status take_renew(tacit_book_set *set, const json_t *event,
                               tacit_error *err) {
  const char *from;
  if (!get_text(event, "from", &from) || !is_date(from))
    return tacit_fail(err, TACIT_EINVAL,
                      "a renewal begins at a date, such as 2026-01-31");
  if (set->from != NULL && strcmp(from, set->from) <= 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "the period of %s began %s: the next one must begin later",
                      set->terms.dataset, set->from);
  set->from = from;
  set->period++;
  set->closed = false;
  return TACIT_OK;
}

/* Changes the budget of a data set. */
static tacit_status take_change(tacit_book *book, const json_t *event, const char *kind,
                                tacit_error *err) {
  const char *dataset, *reason;
  if (!get_text(event, "dataset", &dataset)) return fail_event(err);
  const tacit_book_set *found = tacit_book_find(book, dataset);
  if (found == NULL)
    return tacit_fail(err, TACIT_EINVAL, "data set %s is not in the ledger", dataset);
  if (!get_text(event, "reason", &reason))
    return tacit_fail(err, TACIT_EINVAL, "a reason is required: it is recorded");
  tacit_book_set *set = &book->sets[found - book->sets];
  if (strcmp(kind, "raise") == 0) return take_raise(set, event, err);
  if (strcmp(kind, "renew") == 0) return take_renew(set, event, err);
  if (set->closed)
    return tacit_fail(err, TACIT_EINVAL, "the budget of %s is closed already", dataset);
  set->closed = true;
  return TACIT_OK;
}

static tacit_status take(tacit_book *book, json_t *event, tacit_error *err) {
  const char *kind;
  if (!get_text(event, "event", &kind)) return fail_event(err);
  if (strcmp(kind, "init") == 0) return take_init(book, event, err);
  if (strcmp(kind, "reserve") == 0) return take_reserve(book, event, err);
  if (strcmp(kind, "advance") == 0) return take_advance(book, event, err);
  if (strcmp(kind, "made") == 0) return take_made(book, event, err);
  if (tacit_book_changes(kind)) return take_change(book, event, kind, err);
  static const char *const ends[] = {NULL, "commit", "refund", "void"};
  for (int i = TACIT_ENTRY_COMMITTED; i < TACIT_ENTRY_STATES; ++i)
    if (strcmp(kind, ends[i]) == 0)
      return take_end(book, event, (tacit_entry_state)i, err);
  return fail_event(err);
}

tacit_status tacit_book_take(tacit_book *book, json_t *event, tacit_error *err) {
  if (json_array_append(book->events, event) != 0) return tacit_fail_memory(err);
  tacit_status status = take(book, event, err);
  if (status != TACIT_OK)
    (void)json_array_remove(book->events, json_array_size(book->events) - 1);
  return status;
}

/* Sets the role that the server saw. The event itself says nothing of it. */
static tacit_status set_role(json_t *event, const char *role, tacit_error *err) {
  (void)json_object_del(event, "role");
  if (role == NULL || json_object_set_new(event, "role", json_string(role)) == 0)
    return TACIT_OK;
  return tacit_fail_memory(err);
}

tacit_status tacit_book_visit(void *context, int64_t number, const char *body,
                              const char *hash, const char *role, tacit_error *err) {
  tacit_book *book = context;
  char expected[TACIT_JOURNAL_HASH + 1];
  tacit_book_hash(book->head, body, expected);
  if (number != (int64_t)json_array_size(book->events) + 1 ||
      strcmp(hash, expected) != 0)
    return tacit_fail(err, TACIT_EDATA,
                      "the history was changed at event %lld: its hash is not that of "
                      "the events before it",
                      (long long)number);
  json_t *event = NULL;
  tacit_status status = tacit_json_parse(body, strlen(body), "event", &event, err);
  if (status == TACIT_OK) status = set_role(event, role, err);
  if (status == TACIT_OK) status = tacit_book_take(book, event, err);
  json_decref(event);
  if (status != TACIT_OK && status != TACIT_ENOMEM)
    return tacit_fail(err, TACIT_EDATA, "event %lld of the history is not valid",
                      (long long)number);
  memcpy(book->head, expected, sizeof book->head);
  return status;
}
