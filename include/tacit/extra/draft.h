/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_DRAFT_H
#define TACIT_EXTRA_DRAFT_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

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
 * Makes a schema template from the header line of a CSV file ("-" is standard input).
 * Reads nothing else of it. *out is JSON text that a person completes; free it with
 * tacit_string_free. The label is the column named `label`, or the last column if
 * `label` is NULL.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_template(const char *path,
                                                             const char *label,
                                                             char **out,
                                                             tacit_error *err);
/** Makes a template like tacit_schema_template, from a header line of at most
    `max_line` bytes; 0 means 64 MiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_template_limited(const char *path,
                                                                     const char *label,
                                                                     uint64_t max_line,
                                                                     char **out,
                                                                     tacit_error *err);

#ifdef __cplusplus
}
#endif

#endif
