/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_DRAFT_H
#define TACIT_EXTRA_DRAFT_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Asks a person. Writes the answer, without its line end, to `answer`, which has room
    for `room` bytes. Returns 0 if there are no more answers, else 1. */
typedef int (*tacit_ask)(void *self, const char *question, char *answer, size_t room);

/** The sources of a schema. At least one of header and sample is required. */
typedef struct tacit_draft_options {
  size_t struct_size; /**< set by tacit_draft_options_init */
  const char *header; /**< CSV file of which only the header line is read */
  const char *sample; /**< CSV file without secrets, of which every row is read */
  const char
      *dictionary;   /**< CSV file with columns name, type, min, max, values, format */
  const char *label; /**< column of the label; NULL means the last one */
  int64_t rows;      /**< rows of the data, or 0 if not known */
  double epsilon;    /**< epsilon of the training, or 0 if not known */
  double delta;      /**< delta of the training; 0 means its default */
  uint64_t max_line; /**< limit on a line in bytes; 0 means 64 MiB */
  tacit_ask ask;     /**< answers what is not known; NULL leaves it open */
  void *ask_self;    /**< first argument of `ask` */
} tacit_draft_options;

TACIT_API void tacit_draft_options_init(tacit_draft_options *options);
/** Makes a schema from public sources. *out is JSON text with null for what is not
    known, which a person must complete. Free it with tacit_string_free. rows and
    epsilon choose between curves and straight lines for numbers; curves if they are not
    known. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_schema_draft(const tacit_draft_options *options, char **out, tacit_error *err);

/**
 * Writes the JSON text of a schema whose knots come from private counts: numbers with a
 * broken line (hats) get knots where the rows are. `path` is the output of `tacit
 * describe --json` with the same schema, of at most `max` bytes (0 means 64 MiB). Sets
 * *out_private to 1 if the counts were private; out_private may be NULL. Free *out with
 * tacit_string_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_knots(const tacit_schema *schema,
                                                          const char *path,
                                                          uint64_t max, char **out,
                                                          int *out_private,
                                                          tacit_error *err);

#ifdef __cplusplus
}
#endif

#endif
