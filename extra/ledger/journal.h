/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_JOURNAL_H
#define TACIT_EXTRA_LEDGER_JOURNAL_H

#include <stdint.h>
#include <tacit/status.h>

enum { TACIT_JOURNAL_HASH = 64 }; /* characters of a hash, in hex */

typedef enum tacit_journal_mode {
  TACIT_JOURNAL_READ,
  TACIT_JOURNAL_WRITE, /* nobody else writes until the journal is closed */
  TACIT_JOURNAL_CREATE /* the same; makes the journal if there is none */
} tacit_journal_mode;

/* Receives event number 1, 2, … in order. */
typedef tacit_status (*tacit_journal_visit)(void *context, int64_t number,
                                            const char *body, const char *hash,
                                            tacit_error *err);

/* A database that keeps a list of events, each with the hash of the history up to it.
   Between open and close there is one transaction. */
typedef struct tacit_journal_ops {
  tacit_status (*open)(const char *where, tacit_journal_mode mode, void **out_self,
                       tacit_error *err);
  tacit_status (*read)(void *self, tacit_journal_visit visit, void *context,
                       tacit_error *err);
  tacit_status (*append)(void *self, int64_t number, const char *body, const char *hash,
                         tacit_error *err);
  /* Makes what was appended durable. */
  tacit_status (*commit)(void *self, tacit_error *err);
  /* Drops what was not committed. */
  void (*close)(void *self);
} tacit_journal_ops;

extern const tacit_journal_ops tacit_journal_sqlite;
#ifdef TACIT_HAVE_POSTGRESQL
extern const tacit_journal_ops tacit_journal_postgresql;
#endif

#endif
