/* SPDX-License-Identifier: MIT */
/* Describes a ledger as JSON. */
#include <math.h>
#include <string.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/numbers.h"
#include "extra/ledger/terms.h"

/* Copies the events that say what an entry made, each with its texts of these names
   only. Leaves out those whose digest does not begin with `digest`. */
static json_t *copies_of(const json_t *events, const char *digest) {
  static const char *const names[] = {"digest", "file", "time", "user", "host", "role"};
  json_t *copies = json_array(), *event;
  size_t i;
  json_array_foreach(events, i, event) {
    const char *own = json_string_value(json_object_get(event, "digest"));
    if (*digest != '\0' && (own == NULL || strncmp(own, digest, strlen(digest)) != 0))
      continue;
    json_t *copy = json_object();
    for (size_t j = 0; copy != NULL && j < sizeof names / sizeof *names; ++j) {
      json_t *text = json_object_get(event, names[j]);
      if (text != NULL) (void)json_object_set(copy, names[j], text);
    }
    (void)json_array_append_new(copies, copy);
  }
  return copies;
}

/* Describes an entry as JSON. Leaves out its fingerprint and the tag of its key
   file. */
static json_t *describe_entry(const tacit_book_entry *entry, const char *digest) {
  json_t *object = json_deep_copy(entry->origin);
  if (object == NULL) return NULL;
  json_t *reason = json_object_get(entry->last, "reason");
  (void)json_object_del(object, "event");
  (void)json_object_del(object, "dataset");
  (void)json_object_del(object, "tag"); /* older versions computed it from the key
                                           file */
  if (json_object_set_new(object, "state",
                          json_string(tacit_entry_state_names[entry->state])) != 0 ||
      (entry->last != entry->origin &&
       json_object_set(object, "ended", json_object_get(entry->last, "time")) != 0) ||
      json_object_set_new(object, "period", json_integer(entry->period + 1)) != 0 ||
      (entry->made != NULL &&
       json_object_set_new(object, "made", copies_of(entry->made, digest)) != 0) ||
      (reason != NULL && json_object_set(object, "reason", reason) != 0)) {
    json_decref(object);
    return NULL;
  }
  return object;
}

/* Lists the events that made and changed the budget of a data set. */
static json_t *describe_changes(const tacit_book *book, const tacit_book_set *set) {
  json_t *changes = json_array(), *event;
  size_t i;
  json_array_foreach(book->events, i, event) {
    const char *kind = json_string_value(json_object_get(event, "event"));
    const char *name = json_string_value(json_object_get(event, "dataset"));
    int is_own = kind != NULL && name != NULL &&
                 (strcmp(kind, "init") == 0 || tacit_book_changes(kind)) &&
                 strcmp(name, set->terms.dataset) == 0;
    if (is_own && json_array_append_new(changes, json_deep_copy(event)) != 0) {
      json_decref(changes);
      return NULL;
    }
  }
  return changes;
}

static json_t *describe_entries(const tacit_book *book, const tacit_book_set *set) {
  json_t *entries = json_array();
  for (size_t i = 0; entries != NULL && i < book->n_entries; ++i) {
    if (&book->sets[book->entries[i].set] != set) continue;
    if (json_array_append_new(entries, describe_entry(&book->entries[i], "")) == 0)
      continue;
    json_decref(entries);
    entries = NULL;
  }
  return entries;
}

/* Returns the mu of a sum of squares, rounded up, at most `mu_max`. */
static double mu_up(double squares, double mu_max) {
  return squares > 0 ? fmin(tacit_sqrt_up(squares), mu_max) : 0;
}

/* Returns the epsilon of a mu at the delta of a data set, rounded up, or `otherwise` if
   it is out of range. */
static double epsilon_up(double mu, const tacit_book_set *set, double otherwise) {
  double epsilon = 0;
  if (mu > 0 &&
      tacit_epsilon_from_mu_up(mu, set->terms.delta, &epsilon, NULL) != TACIT_OK)
    return otherwise;
  return epsilon;
}

static json_t *describe_set(const tacit_book *book, const tacit_book_set *set) {
  const tacit_ledger_terms *terms = &set->terms;
  double spent = mu_up(tacit_book_spent_up(book, set), set->mu_max);
  double exposed = mu_up(tacit_book_exposed_up(book, set), INFINITY);
  double left = tacit_book_left_down(book, set);
  tacit_ledger_cost_facts whole = {
      .times = 1, .epsilon = terms->epsilon, .delta = terms->delta};
  double epsilon = left == set->mu_max ? terms->epsilon
                                       : tacit_ledger_epsilon_left(book, set, &whole);
  return json_pack("{s:s, s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:i, "
                   "s:s*, s:f, s:f, s:o, s:o}",
                   "dataset", terms->dataset, "unit", terms->persons ? "person" : "row",
                   "adjacency", tacit_ledger_adjacency(terms->adjacency), "in_place",
                   terms->in_place, "epsilon", terms->epsilon, "delta", terms->delta,
                   "mu", set->mu_max, "spent_mu", spent, "spent_epsilon",
                   epsilon_up(spent, set, terms->epsilon), "left_mu", left,
                   "left_epsilon", epsilon, "closed", set->closed, "period",
                   set->period + 1, "from", set->from, "exposed_mu", exposed,
                   "exposed_epsilon", epsilon_up(exposed, set, 1e3), "changes",
                   describe_changes(book, set), "entries", describe_entries(book, set));
}

tacit_status tacit_ledger_describe(const tacit_book *book, json_t **out,
                                   tacit_error *err) {
  json_t *sets = json_array();
  for (size_t i = 0; sets != NULL && i < book->n_sets; ++i) {
    if (json_array_append_new(sets, describe_set(book, &book->sets[i])) == 0) continue;
    json_decref(sets);
    sets = NULL;
  }
  *out =
      json_pack("{s:i, s:s, s:I, s:o}", "tacit_ledger", 1, "head", book->head, "events",
                (json_int_t)json_array_size(book->events), "datasets", sets);
  return *out != NULL ? TACIT_OK : tacit_fail_memory(err);
}

tacit_status tacit_ledger_describe_found(const tacit_book *book, const char *digest,
                                         json_t **out, tacit_error *err) {
  json_t *found = json_array();
  for (size_t i = 0; found != NULL && i < book->n_entries; ++i) {
    const tacit_book_entry *entry = &book->entries[i];
    if (entry->made == NULL) continue;
    json_t *object = describe_entry(entry, digest);
    if (object != NULL && json_array_size(json_object_get(object, "made")) == 0) {
      json_decref(object);
      continue;
    }
    if (object == NULL ||
        json_object_set_new(object, "dataset",
                            json_string(book->sets[entry->set].terms.dataset)) != 0 ||
        json_array_append(found, object) != 0) {
      json_decref(found);
      found = NULL;
    }
    json_decref(object);
  }
  *out = found;
  return found != NULL ? TACIT_OK : tacit_fail_memory(err);
}
