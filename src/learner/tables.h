/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_TABLES_H
#define TACIT_LEARNER_TABLES_H

#include <tacit/learner.h>

/* The tables of learners, which learner.c collects. */
extern const tacit_learner_ops tacit_learner_kt;
extern const tacit_learner_ops tacit_learner_bettor;
extern const tacit_learner_ops tacit_learner_heavy_ball;
extern const tacit_learner_ops tacit_learner_adagrad;
extern const tacit_learner_ops tacit_learner_adagrad_diag;
extern const tacit_learner_ops tacit_learner_osd;
extern const tacit_learner_ops tacit_learner_omd;
extern const tacit_learner_ops tacit_learner_ftrl;
extern const tacit_learner_ops tacit_learner_eg;
extern const tacit_learner_ops tacit_learner_optimistic_omd;
extern const tacit_learner_ops tacit_learner_optimistic_ftrl;
extern const tacit_learner_ops tacit_learner_strongly_convex;
extern const tacit_learner_ops tacit_learner_coin_kt;
extern const tacit_learner_ops tacit_learner_coin_ons;
extern const tacit_learner_ops tacit_learner_freegrad;

#endif
