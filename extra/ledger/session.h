/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_SESSION_H
#define TACIT_EXTRA_LEDGER_SESSION_H

#include "extra/ledger/book.h"

/* One transaction on a ledger. */
typedef struct tacit_session {
  const tacit_journal_ops *journal;
  void *self; /* state of the journal */
  tacit_book book;
} tacit_session;

/* Begins a transaction on the ledger at `where` and replays its events. Call
   tacit_session_close also after a failure. */
tacit_status tacit_session_open(tacit_session *session, const char *where,
                                tacit_journal_mode mode, tacit_error *err);
/* Ends the transaction. Drops what was not recorded. */
void tacit_session_close(tacit_session *session);
/* Applies and stores an event, which then is durable. Takes ownership of the event;
   NULL means that memory ran out. */
tacit_status tacit_session_record(tacit_session *session, json_t *event,
                                  tacit_error *err);

/*
 * Begins a round of a stream. `run` must be the id that the entry was reserved with.
 * Rounds must come in order, each once; only the last one may come again, with an equal
 * digest. The digest must be keyed, so that it says nothing about the rows. Returns
 * TACIT_EPRIVACY if the entry belongs to another run or to a period that has ended, the
 * state of the stream is an old copy, or other rows were fed. Returns TACIT_EINVAL if
 * no entry `id` is reserved.
 */
tacit_status tacit_ledger_advance(const char *where, int64_t id, const char *run,
                                  int64_t round, const char *digest, tacit_error *err);

#endif
