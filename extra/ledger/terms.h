/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_TERMS_H
#define TACIT_EXTRA_LEDGER_TERMS_H

#include "extra/ledger/book.h"

/* Cost of a run in a data set of a ledger, and the guarantee of the run. */
typedef struct tacit_ledger_cost_facts {
  double mu;             /* cost, in the adjacency of the ledger */
  double times;          /* cost over the mu of the run: 2 for a zero-out run under
                            replace, else 1 */
  double epsilon, delta; /* guarantee in the run's own adjacency; delta is 0 for pure
                            DP */
  tacit_adjacency adjacency;
  int as_sets;
  const char *version;
  const char *unit; /* words of the statement */
} tacit_ledger_cost_facts;

/* Computes the cost of a run with this statement. Returns TACIT_EPRIVACY if the run
   cannot be counted in the data set, TACIT_EINVAL if it protects another unit. */
tacit_status tacit_ledger_cost_of(const json_t *statement,
                                  const tacit_ledger_terms *terms,
                                  tacit_ledger_cost_facts *out, tacit_error *err);
/* Returns the largest epsilon that still fits for a run like this one, rounded down to
   three digits, or 0. */
double tacit_ledger_epsilon_left(const tacit_book *book, const tacit_book_set *set,
                                 const tacit_ledger_cost_facts *cost);
/* Fails with TACIT_EBUDGET. The message has the largest epsilon that would fit. */
tacit_status tacit_ledger_refuse(const tacit_book *book, const tacit_book_set *set,
                                 const tacit_ledger_cost_facts *cost, tacit_error *err);
/* Makes the whole ledger a JSON object. The caller takes the reference. */
tacit_status tacit_ledger_describe(const tacit_book *book, json_t **out,
                                   tacit_error *err);
/* Makes a JSON array of the entries that made a result whose digest begins so. The
   caller takes the reference. */
tacit_status tacit_ledger_describe_found(const tacit_book *book, const char *digest,
                                         json_t **out, tacit_error *err);
const char *tacit_ledger_adjacency(tacit_adjacency adjacency);

/* Writes who made an event: "user@host", with the role that a server saw, or "-" for
   events of older versions. */
void tacit_ledger_writer(const json_t *event, char *out, size_t size);
/* Returns the name of the file that an entry made, without its folders. */
const char *tacit_ledger_file(const json_t *made);

#endif
