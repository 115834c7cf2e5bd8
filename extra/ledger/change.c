/* SPDX-License-Identifier: MIT */
/* Changes the budget of a data set: a raise, its end, a renewal for new people. */
#include <tacit/account.h>
#include <tacit/extra/ledger.h>

#include "base/error.h"
#include "extra/ledger/session.h"
#include "extra/ledger/who.h"

/* Records a change of the budget of a data set. Sets mu if the change has an
   epsilon. */
static tacit_status change(tacit_session *session, const tacit_ledger_change *change,
                           tacit_error *err) {
  static const char *const kinds[] = {"raise", "close", "renew"};
  const tacit_book_set *set = tacit_book_find(&session->book, change->dataset);
  json_t *event =
      json_pack("{s:s, s:s, s:s*, s:s*}", "event", kinds[change->kind], "dataset",
                change->dataset, "reason", change->reason, "from", change->from);
  double mu;
  tacit_status status = event != NULL ? TACIT_OK : tacit_fail_memory(err);
  if (status == TACIT_OK && change->kind == TACIT_LEDGER_RAISE && set != NULL) {
    status = tacit_mu_from_dp_down(change->epsilon, set->terms.delta, &mu, err);
    if (status == TACIT_OK &&
        (json_object_set_new(event, "epsilon", json_real(change->epsilon)) != 0 ||
         json_object_set_new(event, "mu", json_real(mu)) != 0))
      status = tacit_fail_memory(err);
  }
  if (status == TACIT_OK) return tacit_session_record(session, event, err);
  json_decref(event);
  return status;
}

tacit_status tacit_ledger_alter(const char *where, const tacit_ledger_change *asked,
                                tacit_error *err) {
  tacit_session session;
  if (asked == NULL || asked->dataset == NULL || asked->kind < TACIT_LEDGER_RAISE ||
      asked->kind > TACIT_LEDGER_RENEW)
    return tacit_fail(err, TACIT_EINVAL, "a change is of a data set and has a kind");
  TACIT_TRY(tacit_check_text("reason", asked->reason, err));
  tacit_status status = tacit_session_open(&session, where, TACIT_JOURNAL_WRITE, err);
  if (status == TACIT_OK) status = change(&session, asked, err);
  tacit_session_close(&session);
  return status;
}
