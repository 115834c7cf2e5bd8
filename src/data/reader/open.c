/* SPDX-License-Identifier: MIT */
/* Opens files for reading: checks arguments, sets limits, and finds the kind of reader
   that the files need. */
#include <string.h>
#include <sys/resource.h>
#include <tacit/files.h>

#include "base/error.h"
#include "base/machine.h"
#include "data/reader/units.h"
#include "data/text/partition.h"

enum { FILES_OPEN_MAX = 64 };
static const uint64_t default_temp = UINT64_C(1) << 36;

void tacit_reader_options_init(tacit_reader_options *options) {
  if (options == NULL) return;
  memset(options, 0, sizeof *options);
  options->struct_size = sizeof *options;
  options->rows = -1;
  options->shuffle = 1;
  options->labels = 1;
}

static tacit_status check_arguments(const char *const *paths, size_t n_paths,
                                    const tacit_reader_options *options,
                                    tacit_reader **out, tacit_error *err) {
  if (paths == NULL || options == NULL || out == NULL || options->schema == NULL ||
      options->struct_size < sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "reader: paths, options, schema or out is missing");
  if (n_paths == 0) return tacit_fail(err, TACIT_EINVAL, "reader: no input file");
  if (options->rows < -1 || options->rows == 0)
    return tacit_fail(err, TACIT_EINVAL, "the number of rows must be at least 1");
  size_t n_stdin = 0;
  for (size_t i = 0; i < n_paths; ++i) {
    if (paths[i] == NULL)
      return tacit_fail(err, TACIT_EINVAL, "reader: a path is NULL");
    n_stdin += strcmp(paths[i], "-") == 0;
  }
  if (n_stdin > 1)
    return tacit_fail(err, TACIT_EINVAL, "standard input (-) can be given only once");
  return TACIT_OK;
}

/* Finds the kind of all files: text, or one binary file alone. */
static tacit_status find_kind(const char *const *paths, size_t n_paths,
                              const tacit_reader_options *options, tacit_file_kind *out,
                              tacit_error *err) {
  tacit_file_kind kind = TACIT_FILE_TEXT;
  for (size_t i = 0; i < n_paths && kind == TACIT_FILE_TEXT; ++i) {
    kind = tacit_file_kind_of(paths[i]);
    if (kind == TACIT_FILE_TEXT || n_paths == 1) continue;
    char name[TACIT_NAME_BYTES];
    tacit_name_shorten(paths[i], 90, name);
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: %s is read alone, not together with other files", name,
                      kind == TACIT_FILE_CACHE ? "a cache" : "a .npy file");
  }
  if (kind != TACIT_FILE_NPY && options->label_path != NULL)
    return tacit_fail(
        err, TACIT_EINVAL,
        "a file of labels is for .npy: the rows of other files have their "
        "labels with them");
  if (kind == TACIT_FILE_CACHE &&
      (options->unit_path != NULL || options->weight_path != NULL))
    return tacit_fail(err, TACIT_EINVAL,
                      "the rows of a cache have their %s with them: give the file when "
                      "the cache is made",
                      options->unit_path != NULL ? "ids" : "weights");
  if (kind == TACIT_FILE_TEXT && tacit_format_of(options->schema) == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "reader: the schema is for arrays in memory, not for files");
  *out = kind;
  return TACIT_OK;
}

/* Opens the ids of the rows and gives the reader out. Frees it on failure. */
static tacit_status open_units(tacit_reader *reader,
                               const tacit_reader_options *options, tacit_reader **out,
                               tacit_error *err) {
  tacit_status status = tacit_units_open(reader, options, err);
  return TACIT_HAND_OVER(status, reader, tacit_reader_free, out);
}

tacit_status tacit_reader_open_limited(const char *const *paths, size_t n_paths,
                                       const tacit_reader_options *options,
                                       const tacit_reader_limits *limits,
                                       tacit_reader **out, tacit_error *err) {
  TACIT_TRY(check_arguments(paths, n_paths, options, out, err));
  TACIT_TRY(tacit_partition_names(options->group, paths, n_paths, err));
  tacit_file_kind kind = TACIT_FILE_TEXT;
  tacit_reader *reader = NULL;
  tacit_status status = find_kind(paths, n_paths, options, &kind, err);
  if (status == TACIT_OK && kind == TACIT_FILE_TEXT) {
    TACIT_TRY(tacit_reader_open_text(paths, n_paths, options, limits, &reader, err));
    reader->keep_max = limits->max_kept;
    return open_units(reader, options, out, err);
  }
  /* All ranks read a binary file; the engine divides its rows by their places. */
  if (status == TACIT_OK)
    status = tacit_reader_open_binary(kind, paths[0], options, &reader, err);
  TACIT_TRY(tacit_reader_open_end(options, status, reader, &reader, err));
  reader->keep_max = limits->max_kept;
  return open_units(reader, options, out, err);
}

tacit_status tacit_reader_open_end(const tacit_reader_options *options,
                                   tacit_status status, tacit_reader *reader,
                                   tacit_reader **out, tacit_error *err) {
  if (status == TACIT_OK) status = tacit_reader_weigh(reader, NULL, options, err);
  status = tacit_group_agree(options->group, TACIT_PARTITION_STEP_OPEN, status, err);
  return TACIT_HAND_OVER(status, reader, tacit_reader_free, out);
}

/* Returns how many files stay open. Other code also needs file descriptors. */
static size_t max_open(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 4 > FILES_OPEN_MAX)
    return FILES_OPEN_MAX;
  return (size_t)limit.rlim_cur / 4;
}

int64_t tacit_reader_keep_max(const tacit_reader_options *options) {
  if (options->max_kept == 0) return tacit_machine_memory() / 8;
  return options->max_kept < INT64_MAX ? (int64_t)options->max_kept : INT64_MAX;
}

tacit_status tacit_reader_open(const char *const *paths, size_t n_paths,
                               const tacit_reader_options *options, tacit_reader **out,
                               tacit_error *err) {
  TACIT_TRY(check_arguments(paths, n_paths, options, out, err));
  uint64_t temp = options->max_temp > 0 ? options->max_temp : default_temp;
  int64_t share = tacit_machine_memory() / 8;
  const tacit_reader_limits limits = {
      .max_held = INT64_C(1) << 27,
      .max_mapped = share,
      .max_line = tacit_line_max(options->max_line),
      .max_temp = temp < INT64_MAX ? (int64_t)temp : INT64_MAX,
      .max_open = max_open(),
      .piece_bytes = INT64_C(1) << 22,
      .max_offsets = INT64_C(1) << 23,
      .max_kept = tacit_reader_keep_max(options),
  };
  return tacit_reader_open_limited(paths, n_paths, options, &limits, out, err);
}
