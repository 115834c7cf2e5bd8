/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_LEARNER_H
#define TACIT_LEARNER_LEARNER_H

#include <stddef.h>
#include <tacit/learner.h>
#include <tacit/status.h>

#include "base/archive.h"

enum { TACIT_LEARNER_PARAMS_MAX = 8 };

/* A learner in use: its table, parameters, state and vectors. */
typedef struct tacit_learner tacit_learner;

/* Return the registered learner with this name or index, or NULL if it does not exist.
 */
const tacit_learner_ops *tacit_learner_find(const char *name);
const tacit_learner_ops *tacit_learner_at(size_t i);

/* Makes a registered learner from "NAME" or "NAME:key=value,…". */
tacit_status tacit_learner_new(const char *spec, const tacit_learner_facts *facts,
                               tacit_learner **out, tacit_error *err);
/* Makes a learner from any table, which must outlive the learner. The spec must begin
   with the name of the table, or be NULL for the default of every parameter. */
tacit_status tacit_learner_new_ops(const tacit_learner_ops *ops,
                                   const char *spec_or_null,
                                   const tacit_learner_facts *facts,
                                   tacit_learner **out, tacit_error *err);
void tacit_learner_free(tacit_learner *learner);

/* Writes w_1, the learner's first point of W. */
void tacit_learner_first(tacit_learner *learner, double *w);
/* Makes the step of one round: w is w_t on entry and w_{t+1}, a point of W, on return.
   xi and nu of the loss must be 0 unless the table says takes_regulariser. */
void tacit_learner_step(tacit_learner *learner, const tacit_learner_loss *loss,
                        double *w);

/* Returns 1 if the learner has tacit_learner_carry. */
int tacit_learner_carries(const tacit_learner *learner);
/* Repeats the last step for a small deviation of what the learner saw (`carry` in
   tacit/learner.h). grad, vectors and w are deviations of `dim` coordinates. */
void tacit_learner_carry(const tacit_learner *learner, const tacit_learner_loss *loss,
                         size_t dim, double *const *vectors, double *w);

/* Counts, saves or loads the state of a learner. It works for registered learners,
   whose state contains numbers only. */
void tacit_learner_archive(tacit_learner *learner, tacit_archive *archive);

/* Returns 1 if the loss must contain the covariance of the noise. */
int tacit_learner_takes_noise(const tacit_learner *learner);
/* Return 1 if the learner, or a learner with this table, takes plain gradients. */
int tacit_learner_is_plain(const tacit_learner *learner);
int tacit_learner_ops_plain(const tacit_learner_ops *ops);
/* Returns the table of the learner. */
const tacit_learner_ops *tacit_learner_ops_of(const tacit_learner *learner);
/* Returns one number per parameter of the table. A parameter that was not given has the
   value that the learner derived. */
const double *tacit_learner_values(const tacit_learner *learner, size_t *out_count);

#endif
