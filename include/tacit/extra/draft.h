/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_DRAFT_H
#define TACIT_EXTRA_DRAFT_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Asks a person: writes the answer, without its line end, to `answer`, which has
    `room` bytes. 0: there are no more answers. */
typedef int (*tacit_ask)(void *self, const char *question, char *answer, size_t room);

/** What a schema is made of. At least one of header and sample is required. */
typedef struct tacit_draft_options {
  size_t struct_size; /**< set by tacit_draft_options_init */
  const char *header; /**< CSV file of which only the header line is read */
  const char *sample; /**< CSV file without secrets: every row is read */
  const char
      *dictionary;   /**< CSV file with columns name, type, min, max, values, format */
  const char *label; /**< column of the label; NULL: the last one */
  int64_t rows;      /**< of the data; 0: not known */
  double epsilon;    /**< of the training; 0: not known */
  double delta;      /**< of the training; 0: its default */
  uint64_t max_line; /**< bytes of a line; 0: 64 MiB */
  tacit_ask ask;     /**< for what is not known; NULL: leave it out */
  void *ask_self;    /**< its first argument */
} tacit_draft_options;

TACIT_API void tacit_draft_options_init(tacit_draft_options *options);
/** Makes a schema from public sources. *out is JSON text; what is not known is null,
   and a person completes it. Free it with tacit_string_free. rows and epsilon choose
    between curves and straight lines for numbers; not known means curves. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_schema_draft(const tacit_draft_options *options, char **out, tacit_error *err);

/**
 * Makes a schema template from the header line of a CSV file ("-" is standard input).
 * Only the header is read. *out is JSON text that a person completes; free it with
 * tacit_string_free. The label is the column named `label`, or the last column.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_template(const char *path,
                                                             const char *label,
                                                             char **out,
                                                             tacit_error *err);
/** The same for a header line of at most `max_line` bytes; 0 means 64 MiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_template_limited(const char *path,
                                                                     const char *label,
                                                                     uint64_t max_line,
                                                                     char **out,
                                                                     tacit_error *err);

#ifdef __cplusplus
}
#endif

#endif
