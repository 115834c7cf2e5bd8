/* SPDX-License-Identifier: MIT */
/* A payer that keeps the budget of a data set in a ledger. */
#include <tacit/extra/ledger.h>

#include "base/error.h"

static tacit_status reserve(void *self, const tacit_payment *payment,
                            tacit_error *err) {
  tacit_ledger_payer *ledger = self;
  const tacit_ledger_run run = {
      .dataset = ledger->dataset,
      .kind = payment->kind,
      .statement = payment->statement,
      .id = payment->id,
      .resumes = payment->resumes,
      .note = ledger->note,
  };
  ledger->id = 0;
  ledger->is_same = false;
  ledger->kept = (tacit_error){TACIT_OK, ""};
  return tacit_ledger_reserve(ledger->where, &run, &ledger->id, err);
}

/* Does nothing for a resumed run whose entry is committed already. */
static tacit_status commit(void *self, const char *digest, const char *json,
                           tacit_error *err) {
  tacit_ledger_payer *ledger = self;
  char of_json[TACIT_LEDGER_DIGEST_SIZE];
  int is_same = 0;
  if (ledger->id == 0) return TACIT_OK;
  if (json != NULL) {
    TACIT_TRY(tacit_ledger_digest(json, "the result", of_json, err));
    digest = of_json;
  }
  const tacit_ledger_made made = {
      .fingerprint = ledger->fingerprint, .digest = digest, .file = ledger->file};
  TACIT_TRY(tacit_ledger_commit(ledger->where, ledger->id, &made, &is_same, err));
  ledger->is_same = is_same;
  return TACIT_OK;
}

/* An entry that cannot be given back stays reserved, which is on the safe side. */
static void refund(void *self) {
  tacit_ledger_payer *ledger = self;
  if (ledger->id != 0 &&
      tacit_ledger_refund(ledger->where, ledger->id, &ledger->kept) == TACIT_OK)
    ledger->id = 0;
}

tacit_payer tacit_ledger_pay(tacit_ledger_payer *ledger) {
  return (tacit_payer){
      .reserve = reserve, .commit = commit, .refund = refund, .self = ledger};
}
