/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_PAYER_H
#define TACIT_RUN_PAYER_H

#include <tacit/payer.h>
#include <tacit/train.h>

/* The order in which everything that draws noise is paid for: reserve, read and
   release, then settle. All functions do nothing if the payer is NULL. Proof:
   docs/proofs/ledger.md */

tacit_status tacit_payer_reserve(const tacit_payer *payer, const tacit_payment *payment,
                                 tacit_error *err);
/* Ends what was reserved: commits if `status` is TACIT_OK, else gives it back unless
   noise was drawn. Returns `status`, or the failure of the commit; then there must be
   no result. `digest` and `json` are as in tacit_payer. */
tacit_status tacit_payer_settle(const tacit_payer *payer, tacit_status status,
                                int noise_begun, const char *digest, const char *json,
                                tacit_error *err);

/* Reserve what a run costs after it was made, and commit that after its last release.
   `model` is NULL if the run gives weights only. Rank 0 pays, and all ranks fail if it
   cannot. */
tacit_status tacit_train_reserve(tacit_train *train, tacit_error *err);
tacit_status tacit_train_commit(tacit_train *train, const tacit_model *model,
                                tacit_error *err);
/* Gives back what a run has reserved and not committed, unless noise was drawn. Gives
   nothing back in a group, because another rank may have drawn noise. */
void tacit_train_refund(tacit_train *train);

#endif
