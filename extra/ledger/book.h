/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_BOOK_H
#define TACIT_EXTRA_LEDGER_BOOK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/extra/ledger.h>

#include "extra/ledger/journal.h"

/*
 * What the events of a ledger add up to. The events are the only thing that is stored:
 * everything here is replayed from them, and the hash chain is checked on the way.
 */

typedef struct tacit_book_set {
  tacit_ledger_terms terms; /* strings belong to the event */
  double mu_max;
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
  double mu;      /* what it costs there */
  json_t *origin; /* the event that reserved it */
  json_t *last;   /* the latest event about it */
  tacit_entry_state state;
  int64_t round;      /* of a stream: the last one that was begun */
  const char *digest; /* … and its digest, which belongs to the event; NULL: none */
} tacit_book_entry;

typedef struct tacit_book {
  json_t *events; /* an array; the strings above belong to it */
  tacit_book_set *sets;
  tacit_book_entry *entries; /* entry number id is entries[id - 1] */
  size_t n_sets, n_entries, room_sets, room_entries;
  char head[TACIT_JOURNAL_HASH + 1]; /* hash of the whole history */
} tacit_book;

tacit_status tacit_book_init(tacit_book *book, tacit_error *err);
void tacit_book_fini(tacit_book *book);

/* A tacit_journal_visit whose context is a book: checks the hash and takes the event.
   TACIT_EDATA if the history was changed or is damaged. */
tacit_status tacit_book_visit(void *context, int64_t number, const char *body,
                              const char *hash, tacit_error *err);
/* Takes an event that is not stored yet. TACIT_EINVAL or TACIT_EBUDGET if the event is
   not allowed now; the book is unchanged then. */
tacit_status tacit_book_take(tacit_book *book, json_t *event, tacit_error *err);

/* The hash of a history that ends with `body` after the history `head`. */
void tacit_book_hash(const char *head, const char *body,
                     char out[TACIT_JOURNAL_HASH + 1]);

/* The data set of a name, or NULL. */
const tacit_book_set *tacit_book_find(const tacit_book *book, const char *dataset);
/* Sum of the squared mu of reserved and committed entries, rounded up. */
double tacit_book_spent_up(const tacit_book *book, const tacit_book_set *set);
/* Does one more entry of this mu fit? */
int tacit_book_fits(const tacit_book *book, const tacit_book_set *set, double mu);
/* The largest mu that still fits, rounded down; 0: none. */
double tacit_book_left_down(const tacit_book *book, const tacit_book_set *set);

#endif
