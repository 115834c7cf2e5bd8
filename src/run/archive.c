/* SPDX-License-Identifier: MIT */
/* The state of a run between two rounds: what the vault, the average and the learner
   keep of the rounds so far. Its size does not depend on their number. */
#include "run/archive.h"

#include "base/error.h"

tacit_status tacit_train_archive(tacit_train *train, tacit_archive *raw_archive,
                                 tacit_error *err) {
  if (tacit_run_is_open(train->state) || train->mean.frame != NULL ||
      train->rounds.vault == NULL)
    return tacit_fail(err, TACIT_ESTATE, "a run is saved between rounds only");
  int64_t state = train->state;
  tacit_archive_part(raw_archive, &train->t, sizeof train->t);
  tacit_archive_part(raw_archive, &state, sizeof state);
  tacit_archive_part(raw_archive, &train->rows.fed, sizeof train->rows.fed);
  tacit_archive_part(raw_archive, &train->open.noise_last,
                     sizeof train->open.noise_last);
  if (train->plan->vault.encoder->archive == NULL ||
      !tacit_algorithm1_archive(train->algorithm1, raw_archive))
    return tacit_fail(err, TACIT_EINVAL,
                      "mechanism %s with learner %s cannot be saved: a stream takes "
                      "blt or tree, and a learner of preset anytime",
                      train->plan->vault.encoder->name, train->plan->learner_spec);
  tacit_vault_archive(train->rounds.vault, raw_archive);
  train->released = train->t;
  train->state = state == TACIT_RUN_COMPLETE ? TACIT_RUN_COMPLETE : TACIT_RUN_BETWEEN;
  return TACIT_OK;
}
