/* SPDX-License-Identifier: MIT */
/*
 * Transactions on a ledger. A change is one: lock, replay all events, check, append one
 * event, commit. The lock makes sure that the check still holds when the event is
 * written.
 */
#include "extra/ledger/session.h"

#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "extra/ledger/who.h"

/* Chooses the kind of database that `where` names. */
static tacit_status journal_of(const char *where, const tacit_journal_ops **out,
                               tacit_error *err) {
  if (where == NULL || *where == '\0')
    return tacit_fail(err, TACIT_EINVAL, "the ledger has no name");
  *out = &tacit_journal_sqlite;
  if (strncmp(where, "postgresql://", 13) != 0 &&
      strncmp(where, "postgres://", 11) != 0)
    return TACIT_OK;
#ifdef TACIT_HAVE_POSTGRESQL
  *out = &tacit_journal_postgresql;
  return TACIT_OK;
#else
  return tacit_fail(err, TACIT_EINVAL,
                    "this build has no PostgreSQL: install libpq-dev and build again");
#endif
}

tacit_status tacit_session_open(tacit_session *session, const char *where,
                                tacit_journal_mode mode, tacit_error *err) {
  *session = (tacit_session){0};
  TACIT_TRY(journal_of(where, &session->journal, err));
  TACIT_TRY(tacit_book_init(&session->book, err));
  session->self = tacit_array_new(1, session->journal->size);
  if (session->self == NULL) return tacit_fail_memory(err);
  TACIT_TRY(session->journal->open(session->self, where, mode, err));
  return session->journal->read(session->self, tacit_book_visit, &session->book, err);
}

void tacit_session_close(tacit_session *session) {
  if (session->self != NULL) session->journal->close(session->self);
  tacit_array_free(session->self);
  tacit_book_fini(&session->book);
}

/* Stores an event that the book has accepted. */
static tacit_status store(tacit_session *session, const json_t *event,
                          tacit_error *err) {
  char *body = NULL, hash[TACIT_JOURNAL_HASH + 1];
  TACIT_TRY(tacit_json_text(event, 0, &body, err));
  tacit_book_hash(session->book.head, body, hash);
  int64_t number = (int64_t)json_array_size(session->book.events);
  tacit_status status =
      session->journal->append(session->self, number, body, hash, err);
  if (status == TACIT_OK) status = session->journal->commit(session->self, err);
  tacit_array_free(body);
  return status;
}

tacit_status tacit_session_record(tacit_session *session, json_t *event,
                                  tacit_error *err) {
  if (event == NULL) return tacit_fail_memory(err);
  tacit_stamp(event);
  tacit_status status = tacit_book_take(&session->book, event, err);
  if (status == TACIT_OK) status = store(session, event, err);
  json_decref(event);
  return status;
}
