/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_BOOK_H
#define TACIT_EXTRA_LEDGER_BOOK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/extra/ledger.h>

#include "extra/ledger/journal.h"

/*
 * The state of a ledger, computed from its events. Only events are stored: a book
 * replays them and checks their hash chain.
 */

typedef struct tacit_book_set {
  tacit_ledger_terms terms; /* its strings belong to the event; epsilon is the latest */
  double mu_max;            /* what one period may spend */
  bool closed;              /* true if nothing more may be reserved */
  int period;               /* number of renewals */
  const char *from;         /* date of the latest renewal, or NULL; belongs to the
                               event */
} tacit_book_set;

typedef enum tacit_entry_state {
  TACIT_ENTRY_RESERVED,
  TACIT_ENTRY_COMMITTED,
  TACIT_ENTRY_REFUNDED,
  TACIT_ENTRY_VOID,
  TACIT_ENTRY_STATES
} tacit_entry_state;
extern const char *const tacit_entry_state_names[TACIT_ENTRY_STATES];

typedef struct tacit_book_entry {
  size_t set;     /* index of its data set */
  int period;     /* period of its data set when it was reserved */
  double mu;      /* cost of the run in its data set */
  json_t *origin; /* event that reserved the entry */
  json_t *last;   /* latest event about the entry */
  json_t *made;   /* array of the events that say what it made, or NULL */
  tacit_entry_state state;
  int64_t round;      /* last begun round of a stream, or 0 */
  const char *digest; /* digest of that round, or NULL; belongs to the event */
} tacit_book_entry;

typedef struct tacit_book {
  json_t *events; /* array of all events; owns the strings above */
  tacit_book_set *sets;
  tacit_book_entry *entries; /* entry number `id` is entries[id - 1] */
  size_t n_sets, n_entries, room_sets, room_entries;
  char head[TACIT_JOURNAL_HASH + 1]; /* hash of the whole history */
} tacit_book;

tacit_status tacit_book_init(tacit_book *book, tacit_error *err);
void tacit_book_fini(tacit_book *book);

/* Checks the hash of an event and applies it. Is a tacit_journal_visit whose context is
   a book. Returns TACIT_EDATA if the history was changed or is damaged. */
tacit_status tacit_book_visit(void *context, int64_t number, const char *body,
                              const char *hash, const char *role, tacit_error *err);
/* Applies an event that is not stored yet. Returns TACIT_EINVAL, TACIT_EBUDGET or
   TACIT_EPRIVACY if the event is not allowed now, and then leaves the book
   unchanged. */
tacit_status tacit_book_take(tacit_book *book, json_t *event, tacit_error *err);

/* Computes the hash of a history: its events before `body` have the hash `head`. */
void tacit_book_hash(const char *head, const char *body,
                     char out[TACIT_JOURNAL_HASH + 1]);

/* Returns true if events of this kind change the budget of a data set. */
bool tacit_book_changes(const char *kind);

/* Returns the data set with this name, or NULL. */
const tacit_book_set *tacit_book_find(const tacit_book *book, const char *dataset);
/* Returns the sum of the squared mu of reserved and committed entries of the latest
   period, rounded up. */
double tacit_book_spent_up(const tacit_book *book, const tacit_book_set *set);
/* Returns that sum over all periods: what somebody has spent who is in all of them. */
double tacit_book_exposed_up(const tacit_book *book, const tacit_book_set *set);
/* Returns 1 if the data set is open and one more entry of this mu fits. */
int tacit_book_fits(const tacit_book *book, const tacit_book_set *set, double mu);
/* Returns the largest mu that still fits, rounded down, or 0. */
double tacit_book_left_down(const tacit_book *book, const tacit_book_set *set);

#endif
