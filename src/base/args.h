/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_ARGS_H
#define TACIT_BASE_ARGS_H

#include <stddef.h>
#include <tacit/catalog.h>
#include <tacit/status.h>

#include "base/registry.h"

/*
 * The one notation for an interchangeable part and its numbers: "NAME" or
 * "NAME:key=value,key=value". A mistake is TACIT_EINVAL and one line that says what is
 * allowed.
 */
enum { TACIT_ARGS_NAME_SIZE = 32, TACIT_ARGS_MAX = 16 };

/* The name in front, copied to out_name (`size` bytes with the closing zero). */
tacit_status tacit_args_name(const char *spec, char *out_name, size_t size,
                             tacit_error *err);

/*
 * One number per param into `values`, which holds n_max: the one given or the fallback
 * (NaN where that is derived). `what` names the family in messages: "loss". `params`
 * may be NULL for a part without numbers. `values` is untouched on failure.
 */
tacit_status tacit_args_values(const char *spec, const char *what,
                               const tacit_param *params, double *values, size_t n_max,
                               tacit_error *err);

/* The same for a part that is known: `spec` must name it. spec NULL: all fallbacks. */
tacit_status tacit_args_values_of(const char *spec_or_null, const char *what,
                                  const char *name, const tacit_param *params,
                                  double *values, size_t n_max, tacit_error *err);

/* Number of params; 0 for NULL. */
size_t tacit_args_count(const tacit_param *params);

/* TACIT_EINVAL for a name that no entry has; the message lists the names there are. */
tacit_status tacit_args_unknown(const char *what, const char *name,
                                tacit_name_fn name_at, tacit_error *err);

#endif
