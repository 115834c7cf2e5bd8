/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_ARGS_H
#define TACIT_BASE_ARGS_H

#include <stddef.h>
#include <tacit/catalog.h>
#include <tacit/status.h>

#include "base/registry.h"

/*
 * The notation for a loss, learner, mechanism … with its parameters: "NAME" or
 * "NAME:key=value,key=value". A mistake is TACIT_EINVAL with a message that says what
 * is allowed.
 */
enum { TACIT_ARGS_NAME_SIZE = 32, TACIT_ARGS_MAX = 16 };

/* Copies the name to out_name, which has `size` bytes. */
tacit_status tacit_args_name(const char *spec, char *out_name, size_t size,
                             tacit_error *err);

/*
 * Writes one number per param into `values`, which has room for n_max: the one given,
 * or the fallback (NaN if it is derived later). `what` is the family for messages:
 * "loss". `params` may be NULL: no parameters. `values` is unchanged on failure.
 */
tacit_status tacit_args_values(const char *spec, const char *what,
                               const tacit_param *params, double *values, size_t n_max,
                               tacit_error *err);

/* The same for a table that is known by another way than its name: `spec` must have the
   table's name, or be NULL for all fallbacks. */
tacit_status tacit_args_values_of(const char *spec_or_null, const char *what,
                                  const char *name, const tacit_param *params,
                                  double *values, size_t n_max, tacit_error *err);

/* Number of params; 0 for NULL. */
size_t tacit_args_count(const tacit_param *params);

/* TACIT_EINVAL for a name that no entry has; the message lists the names there are. */
tacit_status tacit_args_unknown(const char *what, const char *name,
                                tacit_name_fn name_at, tacit_error *err);

#endif
