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

/* Registered learners by name and by index; NULL if there is none. */
const tacit_learner_ops *tacit_learner_find(const char *name);
const tacit_learner_ops *tacit_learner_at(size_t i);

/* A registered learner, given as "NAME" or "NAME:key=value,…". */
tacit_status tacit_learner_new(const char *spec, const tacit_learner_facts *facts,
                               tacit_learner **out, tacit_error *err);
/* A learner from any table, which must outlive it. spec must have the table's name, or
   be NULL for the default of every parameter. */
tacit_status tacit_learner_new_ops(const tacit_learner_ops *ops,
                                   const char *spec_or_null,
                                   const tacit_learner_facts *facts,
                                   tacit_learner **out, tacit_error *err);
void tacit_learner_free(tacit_learner *learner);

/* Writes w_1, the learner's first point of W. */
void tacit_learner_first(tacit_learner *learner, double *w);
/* One round: w is w_t on entry and w_{t+1}, a point of W, on return. xi and nu of the
   loss are 0 unless the table says takes_regulariser. */
void tacit_learner_step(tacit_learner *learner, const tacit_learner_loss *loss,
                        double *w);

/* 1 if deviations can be carried. */
int tacit_learner_carries(const tacit_learner *learner);
/* The last step once more, for a deviation of `dim` coordinates with vectors of its
   own. */
void tacit_learner_carry(const tacit_learner *learner, const tacit_learner_loss *loss,
                         size_t dim, double *const *vectors, double *w);

/* Counts, saves or loads the state. The state of a registered learner holds numbers
   only. */
void tacit_learner_archive(tacit_learner *learner, tacit_archive *archive);

/* 1 if the covariance of the noise must be in the loss. */
int tacit_learner_takes_noise(const tacit_learner *learner);
/* 1 if the learner takes plain gradients. */
int tacit_learner_is_plain(const tacit_learner *learner);
int tacit_learner_ops_plain(const tacit_learner_ops *ops);
/* The table of the learner. */
const tacit_learner_ops *tacit_learner_ops_of(const tacit_learner *learner);
/* One number per param of the table, with derived ones filled in. */
const double *tacit_learner_values(const tacit_learner *learner, size_t *out_count);

#endif
