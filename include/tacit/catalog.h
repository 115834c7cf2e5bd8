/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CATALOG_H
#define TACIT_CATALOG_H

#include <stddef.h>
#include <tacit/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter of an implementation, as tau in `--loss huber:tau=0.5`. */
typedef struct tacit_param {
  const char *name; /**< NULL ends a list */
  double min, max;  /**< closed range */
  double fallback;  /**< value if not given; NaN: derived from public facts */
  const char *help; /**< one line */
} tacit_param;

/** The families of interchangeable parts. */
typedef enum tacit_family {
  TACIT_LOSSES = 0,
  TACIT_LEARNERS = 1,
  TACIT_MECHANISMS = 2,
  TACIT_LAWS = 3,
  TACIT_COMPRESSIONS = 4 /**< compressed formats that readers decode */
} tacit_family;

/** One part that this build has; the strings are valid forever. */
typedef struct tacit_catalog_entry {
  const char *name;
  const char *summary;
  const tacit_param *params; /**< ends with a NULL name; NULL if there are none */
} tacit_catalog_entry;

/** Writes entry `index` of a family to *out and returns 1. Returns 0 after the last
    entry. */
TACIT_API int tacit_catalog_get(tacit_family family, size_t index,
                                tacit_catalog_entry *out);

/**
 * Returns the processor level that training and prediction use: "plain", "baseline",
 * "avx2" or "avx512". The default is the widest level that this CPU has; the
 * environment variable TACIT_DISPATCH picks another. Returns NULL if TACIT_DISPATCH is
 * not a known level or this CPU lacks it. All levels give the same bits.
 */
TACIT_API const char *tacit_catalog_dispatch(void);

#ifdef __cplusplus
}
#endif
#endif
