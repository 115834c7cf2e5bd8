/* SPDX-License-Identifier: MIT */
/* The calls of tacit/extra/ledger.h that runs make, and its description. */
#include <tacit/extra/ledger.h>

#include <string.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "extra/ledger/session.h"
#include "extra/ledger/terms.h"
#include "extra/ledger/who.h"
#include "privacy/compose.h"

static tacit_status add_set(tacit_session *session, const tacit_ledger_terms *terms,
                            tacit_error *err) {
  double mu;
  TACIT_TRY(tacit_mu_from_dp_down(terms->epsilon, terms->delta, &mu, err));
  return tacit_session_record(
      session,
      json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:b}", "event", "init", "dataset",
                terms->dataset, "unit", terms->persons ? "person" : "row", "adjacency",
                tacit_ledger_adjacency(terms->adjacency), "epsilon", terms->epsilon,
                "delta", terms->delta, "mu", mu, "in_place", terms->in_place),
      err);
}

tacit_status tacit_ledger_init(const char *where, const tacit_ledger_terms *terms,
                               tacit_error *err) {
  if (terms == NULL || terms->dataset == NULL)
    return tacit_fail(err, TACIT_EINVAL, "the data set has no name");
  tacit_session session;
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_CREATE, err);
  if (status == TACIT_OK) status = add_set(&session, terms, err);
  tacit_session_close(&session);
  return status;
}

/* Returns the last entry of a resumed run, or NULL. Only the random id identifies a
   run, because two runs may have equal options and key files. Entries of older versions
   lack the id. */
static const tacit_book_entry *find_entry(const tacit_book *book,
                                          const tacit_book_set *set, const char *id,
                                          double mu) {
  for (size_t i = book->n_entries; i > 0; --i) {
    const tacit_book_entry *entry = &book->entries[i - 1];
    const char *own = json_string_value(json_object_get(entry->origin, "run"));
    if (own != NULL && strcmp(own, id) == 0 && &book->sets[entry->set] == set &&
        entry->mu >= mu)
      return entry;
  }
  return NULL;
}

/* Sets *out_id to the entry of a resumed run, to 0 if the entry is committed, or to -1
   if budget must be reserved. A refunded run must reserve again: it drew no noise. */
static tacit_status resume(const tacit_book *book, const tacit_book_set *set,
                           const tacit_ledger_run *run, double mu, int64_t *out_id,
                           tacit_error *err) {
  *out_id = -1;
  if (!run->resumes) return TACIT_OK;
  const tacit_book_entry *entry = find_entry(book, set, run->id, mu);
  if (entry == NULL || entry->state == TACIT_ENTRY_VOID)
    return tacit_fail(err, TACIT_EINVAL,
                      "the run that is resumed has no entry in the ledger, or a void "
                      "one: resume it with the ledger and data set it began with, or "
                      "delete its checkpoint to start anew");
  if (entry->state == TACIT_ENTRY_RESERVED) *out_id = entry - book->entries + 1;
  if (entry->state == TACIT_ENTRY_COMMITTED) *out_id = 0;
  return TACIT_OK;
}

/* Makes the event of a reservation. An empty id is not recorded, so that no later run
   is taken for this one. */
static json_t *event_of(const tacit_ledger_run *run,
                        const tacit_ledger_cost_facts *cost, int64_t id) {
  return json_pack(
      "{s:s, s:I, s:s, s:s, s:f, s:f, s:f, s:s, s:b, s:s, s:s, s:s*, s:s*}", "event",
      "reserve", "id", (json_int_t)id, "dataset", run->dataset, "kind", run->kind, "mu",
      cost->mu, "epsilon", cost->epsilon, "delta", cost->delta, "adjacency",
      tacit_ledger_adjacency(cost->adjacency), "as_sets", cost->as_sets, "version",
      cost->version, "unit", cost->unit, "run",
      run->id != NULL && run->id[0] != '\0' ? run->id : NULL, "note", run->note);
}

/* Refuses persons by another column of ids than earlier entries of the data set: a
   person by one column may be many by the other. Ids without a name are taken. */
static tacit_status check_column(const tacit_book *book, const tacit_book_set *set,
                                 const char *unit, tacit_error *err) {
  for (size_t i = 0; i < book->n_entries; ++i) {
    const tacit_book_entry *entry = &book->entries[i];
    const char *other = json_string_value(json_object_get(entry->origin, "unit"));
    if (&book->sets[entry->set] == set && entry->state != TACIT_ENTRY_VOID &&
        other != NULL && tacit_guarantee_other_column(unit, other))
      return tacit_fail(err, TACIT_EPRIVACY,
                        "the budget of %s is for a %.200s, by its first entry, and the "
                        "run protects persons by another column of ids: make a data "
                        "set for them",
                        set->terms.dataset, other);
  }
  return TACIT_OK;
}

static tacit_status reserve(tacit_session *session, const tacit_ledger_run *run,
                            const json_t *statement, int64_t *out_id,
                            tacit_error *err) {
  const tacit_book *book = &session->book;
  const tacit_book_set *set = tacit_book_find(book, run->dataset);
  if (set == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "data set %s is not in the ledger: \"tacit ledger show\" lists "
                      "those that are",
                      run->dataset);
  tacit_ledger_cost_facts cost;
  TACIT_TRY(tacit_ledger_cost_of(statement, &set->terms, &cost, err));
  TACIT_TRY(check_column(book, set, cost.unit, err));
  TACIT_TRY(resume(book, set, run, cost.mu, out_id, err));
  if (*out_id >= 0) return TACIT_OK;
  if (!tacit_book_fits(book, set, cost.mu))
    return tacit_ledger_refuse(book, set, &cost, err);
  *out_id = (int64_t)book->n_entries + 1;
  return tacit_session_record(session, event_of(run, &cost, *out_id), err);
}

tacit_status tacit_ledger_reserve(const char *where, const tacit_ledger_run *run,
                                  int64_t *out_id, tacit_error *err) {
  if (run == NULL || run->dataset == NULL || run->kind == NULL ||
      run->statement == NULL || out_id == NULL || (run->resumes && run->id == NULL))
    return tacit_fail(err, TACIT_EINVAL,
                      "data set, kind, statement and result must not be NULL, nor the "
                      "id of a run that is resumed");
  json_t *statement = NULL;
  TACIT_TRY(tacit_check_text("note", run->note, err));
  TACIT_TRY(tacit_json_parse(run->statement, strlen(run->statement), "statement",
                             &statement, err));
  tacit_session session;
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_WRITE, err);
  if (status == TACIT_OK) status = reserve(&session, run, statement, out_id, err);
  tacit_session_close(&session);
  json_decref(statement);
  return status;
}

tacit_status tacit_ledger_cost(const char *statement, const tacit_ledger_terms *terms,
                               double *out_mu, tacit_error *err) {
  tacit_ledger_cost_facts cost;
  json_t *object = NULL;
  if (statement == NULL || terms == NULL || out_mu == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "statement, terms and result must not be NULL");
  TACIT_TRY(tacit_json_parse(statement, strlen(statement), "statement", &object, err));
  tacit_status status = tacit_ledger_cost_of(object, terms, &cost, err);
  if (status == TACIT_OK) *out_mu = cost.mu;
  json_decref(object);
  return status;
}

/* Returns 1 if an entry of another data set or period than entry `id` has this
   fingerprint. */
static int seen_elsewhere(const tacit_book *book, int64_t id, const char *fingerprint) {
  if (id < 1 || (size_t)id > book->n_entries || fingerprint == NULL) return 0;
  const tacit_book_entry *own = &book->entries[id - 1];
  for (size_t i = 0; i < book->n_entries; ++i) {
    const tacit_book_entry *entry = &book->entries[i];
    const char *other = json_string_value(json_object_get(entry->last, "fingerprint"));
    if (other != NULL && strcmp(other, fingerprint) == 0 &&
        (entry->set != own->set || entry->period != own->period))
      return 1;
  }
  return 0;
}

/* Does one transaction with one event. Takes ownership of the event. */
static tacit_status record_alone(const char *where, json_t *event, tacit_error *err) {
  tacit_session session;
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_WRITE, err);
  if (status == TACIT_OK)
    status = tacit_session_record(&session, event, err);
  else
    json_decref(event);
  tacit_session_close(&session);
  return status;
}

/* Makes an event that says what an entry has made. Returns NULL if memory runs out. */
static json_t *made_event(const char *kind, int64_t id, const tacit_ledger_made *made) {
  char file[TACIT_LEDGER_TEXT_MAX + 1] = "";
  tacit_printable_path(made->file, file, sizeof file);
  return json_pack("{s:s, s:I, s:s*, s:s*, s:s*}", "event", kind, "id", (json_int_t)id,
                   "fingerprint", made->fingerprint, "digest", made->digest, "file",
                   *file != '\0' ? file : NULL);
}

tacit_status tacit_ledger_commit(const char *where, int64_t id,
                                 const tacit_ledger_made *made, int *out_same,
                                 tacit_error *err) {
  static const tacit_ledger_made nothing = {0};
  tacit_session session;
  if (made == NULL) made = &nothing;
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_WRITE, err);
  if (status == TACIT_OK) {
    if (out_same != NULL)
      *out_same = seen_elsewhere(&session.book, id, made->fingerprint);
    status = tacit_session_record(&session, made_event("commit", id, made), err);
  }
  tacit_session_close(&session);
  return status;
}

tacit_status tacit_ledger_add_made(const char *where, int64_t id,
                                   const tacit_ledger_made *made, tacit_error *err) {
  if (made == NULL || made->fingerprint != NULL)
    return tacit_fail(err, TACIT_EINVAL, "what was made has a digest and a file");
  return record_alone(where, made_event("made", id, made), err);
}

/* Returns 1 if entry `id` exists and belongs to another run. The stream of an older
   version has an entry without the id of a run. */
static int is_of_another(const tacit_book *book, int64_t id, const char *run) {
  if (id < 1 || (size_t)id > book->n_entries) return 0;
  const json_t *origin = book->entries[id - 1].origin;
  const char *own = json_string_value(json_object_get(origin, "run"));
  const char *kind = json_string_value(json_object_get(origin, "kind"));
  if (own == NULL) return kind == NULL || strcmp(kind, "stream") != 0;
  return strcmp(own, run) != 0;
}

static tacit_status fail_another(int64_t id, tacit_error *err) {
  return tacit_fail(err, TACIT_EPRIVACY,
                    "entry %lld of the ledger is of another run: the stream has its "
                    "budget in another ledger; feed it there",
                    (long long)id);
}

/* Returns 1 if the round was begun with these rows. It may then be begun again, because
   its feeder was interrupted. */
static int is_begun(const tacit_book *book, int64_t id, int64_t round,
                    const char *digest) {
  if (id < 1 || (size_t)id > book->n_entries) return 0;
  const tacit_book_entry *entry = &book->entries[id - 1];
  return entry->state == TACIT_ENTRY_RESERVED && entry->round == round && round > 0 &&
         strcmp(entry->digest, digest) == 0;
}

/* Proof: docs/proofs/stream.md */
tacit_status tacit_ledger_advance(const char *where, int64_t id, const char *run,
                                  int64_t round, const char *digest, tacit_error *err) {
  if (run == NULL || digest == NULL || *digest == '\0')
    return tacit_fail(err, TACIT_EINVAL, "a round has a run and a digest");
  tacit_session session;
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_WRITE, err);
  if (status == TACIT_OK && is_of_another(&session.book, id, run))
    status = fail_another(id, err);
  if (status == TACIT_OK && !is_begun(&session.book, id, round, digest))
    status = tacit_session_record(&session,
                                  json_pack("{s:s, s:I, s:I, s:s}", "event", "advance",
                                            "id", (json_int_t)id, "round",
                                            (json_int_t)round, "digest", digest),
                                  err);
  tacit_session_close(&session);
  return status;
}

tacit_status tacit_ledger_refund(const char *where, int64_t id, tacit_error *err) {
  return record_alone(
      where, json_pack("{s:s, s:I}", "event", "refund", "id", (json_int_t)id), err);
}

tacit_status tacit_ledger_void(const char *where, int64_t id, const char *reason,
                               tacit_error *err) {
  if (reason == NULL || *reason == '\0')
    return tacit_fail(err, TACIT_EINVAL, "a reason is required: it is recorded");
  TACIT_TRY(tacit_check_text("reason", reason, err));
  return record_alone(where,
                      json_pack("{s:s, s:I, s:s}", "event", "void", "id",
                                (json_int_t)id, "reason", reason),
                      err);
}

tacit_status tacit_ledger_read(const char *where, char **out, tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no room for the text");
  tacit_session session;
  json_t *object = NULL;
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_READ, err);
  if (status == TACIT_OK) status = tacit_ledger_describe(&session.book, &object, err);
  if (status == TACIT_OK) status = tacit_json_text(object, 2, out, err);
  json_decref(object);
  tacit_session_close(&session);
  return status;
}

tacit_status tacit_ledger_find(const char *where, const char *digest, char **out,
                               tacit_error *err) {
  if (digest == NULL || strlen(digest) < 8 || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "a digest has 8 digits or more");
  tacit_session session;
  json_t *object = NULL;
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_READ, err);
  if (status == TACIT_OK)
    status = tacit_ledger_describe_found(&session.book, digest, &object, err);
  if (status == TACIT_OK) status = tacit_json_text(object, 2, out, err);
  json_decref(object);
  tacit_session_close(&session);
  return status;
}

void tacit_ledger_text_free(char *text) { tacit_array_free(text); }
