/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_JOURNAL_H
#define TACIT_EXTRA_LEDGER_JOURNAL_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

enum {
  TACIT_JOURNAL_HASH = 64, /* hex digits of a hash */
  /* The format that is written. A ledger of format 1 is read, and has format 2 from the
     first event that this version writes: format 1 knows no changes of budgets. */
  TACIT_JOURNAL_FORMAT = 2,
  TACIT_JOURNAL_OLDEST = 1
};

typedef enum tacit_journal_mode {
  TACIT_JOURNAL_READ,
  TACIT_JOURNAL_WRITE, /* nobody else can write until the journal is closed */
  TACIT_JOURNAL_CREATE /* like TACIT_JOURNAL_WRITE; makes the journal if none exists */
} tacit_journal_mode;

/* Receives the events in order, with number 1, 2 and so on. `role` is who wrote the
   event by the word of a server, or NULL. */
typedef tacit_status (*tacit_journal_visit)(void *context, int64_t number,
                                            const char *body, const char *hash,
                                            const char *role, tacit_error *err);

/* A database with a list of events, each with the hash of the history that it ends. */
typedef struct tacit_journal_ops {
  size_t size; /* bytes of the state, which must be zeros before `open` */
  /* Begins a transaction. `where` must outlive it. Call `close` also after a failure.
   */
  tacit_status (*open)(void *self, const char *where, tacit_journal_mode mode,
                       tacit_error *err);
  tacit_status (*read)(void *self, tacit_journal_visit visit, void *context,
                       tacit_error *err);
  tacit_status (*append)(void *self, int64_t number, const char *body, const char *hash,
                         tacit_error *err);
  /* Makes the appended events durable. */
  tacit_status (*commit)(void *self, tacit_error *err);
  /* Ends the transaction. Drops events that were not committed. */
  void (*close)(void *self);
} tacit_journal_ops;

extern const tacit_journal_ops tacit_journal_sqlite;
#ifdef TACIT_HAVE_POSTGRESQL
extern const tacit_journal_ops tacit_journal_postgresql;
#endif

#endif
