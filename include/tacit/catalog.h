/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CATALOG_H
#define TACIT_CATALOG_H

#include <stddef.h>
#include <tacit/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One number an implementation can be given, as in `--loss huber:tau=0.5`. */
typedef struct tacit_param {
  const char *name; /**< NULL ends a list */
  double min, max;  /**< closed range */
  double fallback;  /**< value when not given; NaN: derived from public facts */
  const char *help; /**< one line */
} tacit_param;

/** The families of interchangeable parts. */
typedef enum tacit_family {
  TACIT_LOSSES = 0,
  TACIT_LEARNERS = 1,
  TACIT_MECHANISMS = 2,
  TACIT_LAWS = 3
} tacit_family;

/** What this build offers; the strings live as long as the library. */
typedef struct tacit_catalog_entry {
  const char *name;
  const char *summary;
  const tacit_param *params; /**< NULL-name ended; NULL when there are none */
} tacit_catalog_entry;

/** Entry `index` of a family into *out; 0 when there is none (the end of the list). */
TACIT_API int tacit_catalog_get(tacit_family family, size_t index,
                                tacit_catalog_entry *out);

/** 1 when this build reads the compression ("gzip", "zstd"), else 0. */
TACIT_API int tacit_catalog_reads(const char *compression);

/**
 * The level of the processor that training and prediction use: "plain", "baseline",
 * "avx2" or "avx512". The widest there is, unless the environment variable
 * TACIT_DISPATCH names another; NULL when it names one that is not there. All levels
 * give the same bits.
 */
TACIT_API const char *tacit_catalog_dispatch(void);

#ifdef __cplusplus
}
#endif
#endif
