/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PAYER_H
#define TACIT_PAYER_H

#include <stdbool.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a payer is asked to pay for. */
typedef struct tacit_payment {
  const char *kind;      /**< what is made: "train", "eval", "describe" or "infer" */
  const char *statement; /**< its privacy statement as JSON */
  const char *id; /**< tacit_train_id, which finds the run again when it is resumed, or
                       NULL if it cannot be resumed */
  bool resumes;   /**< true if the run began before and has an entry with its id */
} tacit_payment;

/**
 * Keeps the budget of the people in the data. The library calls it itself, so that no
 * release is made before it is paid for. tacit_ledger_pay makes a payer of a ledger.
 * A payer pays for one run at a time. Only rank 0 of a group calls it.
 */
typedef struct tacit_payer {
  /** Reserves the budget before the first row is read. A failure ends the run. */
  tacit_status (*reserve)(void *self, const tacit_payment *payment, tacit_error *err);
  /** Makes the reservation final after the last release, before the caller gets the
      result. `digest` is tacit_model_digest of a model, else NULL; `json` is the result
      of an evaluation, else NULL. After a failure there is no result, and the
      reservation stays. */
  tacit_status (*commit)(void *self, const char *digest, const char *json,
                         tacit_error *err);
  /** Gives the reservation back. Called only if no noise was drawn: a later failure may
      depend on the noise, and another try would tell more than was paid for. */
  void (*refund)(void *self);
  void *self; /**< first argument of the functions */
} tacit_payer;

#ifdef __cplusplus
}
#endif
#endif
