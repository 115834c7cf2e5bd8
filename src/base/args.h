/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_ARGS_H
#define TACIT_BASE_ARGS_H

#include <stddef.h>
#include <tacit/catalog.h>
#include <tacit/status.h>

#include "base/registry.h"

/*
 * The notation for a loss, learner, mechanism or law with its parameters: "NAME" or
 * "NAME:key=value,key=value". A mistake is TACIT_EINVAL with a message that says what
 * is allowed.
 */
enum { TACIT_ARGS_NAME_SIZE = 32, TACIT_ARGS_MAX = 16 };

/* Copies the name before the ':' to out_name, which has `size` bytes. */
tacit_status tacit_args_name(const char *spec, char *out_name, size_t size,
                             tacit_error *err);

/*
 * Writes one number per param into `values`, which has room for n_max: the number in
 * `spec`, or the fallback, which is NaN if the value is derived later. `what` is the
 * family for messages, such as "loss". `params` is NULL if there are no parameters.
 * `values` is unchanged on failure.
 */
tacit_status tacit_args_values(const char *spec, const char *what,
                               const tacit_param *params, double *values, size_t n_max,
                               tacit_error *err);

/* Writes the values of params like tacit_args_values, for a table that the caller
   already has: `spec` must have the name of that table, or be NULL for all
   fallbacks. */
tacit_status tacit_args_values_of(const char *spec_or_null, const char *what,
                                  const char *name, const tacit_param *params,
                                  double *values, size_t n_max, tacit_error *err);

/* Returns the number of params, 0 for NULL. */
size_t tacit_args_count(const tacit_param *params);

/* Returns TACIT_EINVAL for a name that no entry has. The message lists the names that
   exist. */
tacit_status tacit_args_unknown(const char *what, const char *name,
                                tacit_name_fn name_at, tacit_error *err);

#endif
