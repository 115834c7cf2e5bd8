/* SPDX-License-Identifier: MIT */
/* cmocka with the headers it wants before it, and comparisons of reals. */
#ifndef TACIT_TESTS_CHECK_H
#define TACIT_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <tacit/tacit.h>

/* Ends a test that this machine cannot run; the test counts as passed, and the note is
   shown under the count. cmocka's skip() prints "not ok", which is a failure. */
#define LEAVE_OUT(reason)                                                              \
  do {                                                                                 \
    printf("# left out: %s: %s\n", __func__, (reason));                                \
    return;                                                                            \
  } while (0)

/* Whether a test program was started with "full": `make check` does so where
   `make test` is content with fewer draws. */
static inline int is_full_test(int argc, char **argv) {
  return argc > 1 && strcmp(argv[1], "full") == 0;
}

/* A batch of dense rows in memory; labels may be NULL. */
static inline tacit_batch dense_rows(const double *values, const double *labels,
                                     int64_t n_rows, size_t n_features) {
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = n_rows;
  batch.n_features = n_features;
  batch.raw_values = values;
  batch.raw_labels = labels;
  return batch;
}

#define CHECK_OK(call, err)                                                            \
  do {                                                                                 \
    tacit_status check_status = (call);                                                \
    if (check_status != TACIT_OK) fail_msg("%s: %s", #call, (err).message);            \
  } while (0)

#define CHECK_RELATIVE(value, expected, tolerance)                                     \
  do {                                                                                 \
    double check_v = (value), check_e = (expected);                                    \
    if (!(fabs(check_v - check_e) <= (tolerance)*fabs(check_e)))                       \
      fail_msg("%s = %.17g, expected %.17g", #value, check_v, check_e);                \
  } while (0)

#define CHECK_WITHIN(value, expected, tolerance)                                       \
  do {                                                                                 \
    double check_v = (value), check_e = (expected);                                    \
    if (!(fabs(check_v - check_e) <= (tolerance)))                                     \
      fail_msg("%s = %.17g, expected %.17g +- %g", #value, check_v, check_e,           \
               (double)(tolerance));                                                   \
  } while (0)

#define CHECK_AT_MAX(value, limit)                                                     \
  do {                                                                                 \
    double check_v = (value), check_l = (limit);                                       \
    if (!(check_v <= check_l))                                                         \
      fail_msg("%s = %.17g exceeds %s = %.17g", #value, check_v, #limit, check_l);     \
  } while (0)

#endif
