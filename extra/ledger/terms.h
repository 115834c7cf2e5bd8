/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_LEDGER_TERMS_H
#define TACIT_EXTRA_LEDGER_TERMS_H

#include "extra/ledger/book.h"

/* What a run costs in a data set of a ledger. */
typedef struct tacit_ledger_cost_facts {
  double mu;             /* in the adjacency of the ledger */
  double times;          /* mu over that of the run: 2 for zero-out under replace */
  double epsilon, delta; /* of the run, in its own adjacency; delta 0: pure */
  tacit_adjacency adjacency;
  int as_sets;
  const char *version;
} tacit_ledger_cost_facts;

/* TACIT_EPRIVACY if a run with this statement cannot be counted in the data set,
   TACIT_EINVAL if it protects another unit. */
tacit_status tacit_ledger_cost_of(const json_t *statement,
                                  const tacit_ledger_terms *terms,
                                  tacit_ledger_cost_facts *out, tacit_error *err);
/* TACIT_EBUDGET with what is left, as an epsilon that such a run may have. */
tacit_status tacit_ledger_refuse(const tacit_book *book, const tacit_book_set *set,
                                 const tacit_ledger_cost_facts *cost, tacit_error *err);
/* The whole ledger as a JSON object (new reference). */
tacit_status tacit_ledger_describe(const tacit_book *book, json_t **out,
                                   tacit_error *err);
const char *tacit_ledger_adjacency(tacit_adjacency adjacency);

#endif
