/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LOSS_TABLES_H
#define TACIT_LOSS_TABLES_H

#include <tacit/loss.h>

/* The tables of losses, one per file of this room. loss.c collects them. */
extern const tacit_loss_ops tacit_loss_logistic;
extern const tacit_loss_ops tacit_loss_squared;
extern const tacit_loss_ops tacit_loss_huber;
extern const tacit_loss_ops tacit_loss_hinge;
extern const tacit_loss_ops tacit_loss_squared_hinge;
extern const tacit_loss_ops tacit_loss_quantile;
extern const tacit_loss_ops tacit_loss_poisson;
extern const tacit_loss_ops tacit_loss_softmax;

/* Returns x clamped to [low, high]. NaN stays NaN, which fmin and fmax would hide. */
static inline double tacit_loss_clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

#endif
