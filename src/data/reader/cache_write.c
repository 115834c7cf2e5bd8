/* SPDX-License-Identifier: MIT */
/* The rows of a reader into a cache file. */
#include <string.h>
#include <sys/stat.h>
#include <tacit/files.h>

#include "base/error.h"
#include "data/bytes/source.h"
#include "data/cache/write.h"

void tacit_cache_options_init(tacit_cache_options *options) {
  if (options == NULL) return;
  memset(options, 0, sizeof *options);
  options->struct_size = sizeof *options;
}

static tacit_status write_rows(tacit_cache_writer *writer, int fd, tacit_reader *reader,
                               const tacit_cache_options *options, tacit_error *err) {
  TACIT_TRY(tacit_cache_writer_begin(writer, fd, err));
  for (;;) {
    const tacit_batch *batch;
    TACIT_TRY(tacit_reader_next(reader, &batch, err));
    if (batch->n_rows == 0) break;
    TACIT_TRY(tacit_cache_writer_add(writer, batch, err));
    if (options->progress != NULL &&
        options->progress(options->progress_cookie, tacit_cache_writer_rows(writer)) !=
            0)
      return tacit_fail(err, TACIT_ECANCELED, "stopped by the caller");
  }
  return tacit_cache_writer_end(writer, err);
}

/* Into a file of our own: it gets its name when it is complete, else it is removed. */
static tacit_status write_file(tacit_cache_writer *writer, tacit_reader *reader,
                               const char *path, const tacit_cache_options *options,
                               tacit_error *err) {
  tacit_output *output = NULL;
  TACIT_TRY(tacit_output_open(path, S_IRUSR | S_IWUSR, &output, err));
  tacit_status status =
      write_rows(writer, tacit_output_descriptor(output), reader, options, err);
  if (status == TACIT_OK) status = tacit_output_complete(output, 0, err);
  if (status == TACIT_OK) status = tacit_output_place(output, err);
  tacit_output_free(output);
  return status;
}

static tacit_status check_target(const char *name, const char *path,
                                 const tacit_cache_options *options, tacit_error *err) {
  struct stat facts, source;
  if (stat(path, &facts) != 0) return TACIT_OK;
  if (!S_ISREG(facts.st_mode))
    return tacit_fail(err, TACIT_EIO, "%s: a cache must be a regular file", name);
  for (size_t i = 0; i < options->n_sources; ++i) {
    if (strcmp(options->sources[i], "-") != 0 &&
        stat(options->sources[i], &source) == 0 && source.st_ino == facts.st_ino &&
        source.st_dev == facts.st_dev)
      return tacit_fail(err, TACIT_EINVAL,
                        "%s: is one of the files the rows come from; give another name",
                        name);
  }
  return TACIT_OK;
}

tacit_status tacit_cache_write(tacit_reader *reader, const char *path,
                               const tacit_cache_options *options, tacit_error *err) {
  if (reader == NULL || path == NULL || options == NULL || options->schema == NULL ||
      options->struct_size < sizeof *options ||
      (options->n_sources > 0 && options->sources == NULL))
    return tacit_fail(err, TACIT_EINVAL,
                      "cache: reader, path, options or schema is missing");
  if (tacit_schema_unit(options->schema) != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "a cache cannot keep the ids of persons (\"unit\" of the "
                      "schema): train on the files");
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(path, 90, name);
  TACIT_TRY(check_target(name, path, options, err));
  tacit_cache_writer *writer = NULL;
  TACIT_TRY(tacit_cache_writer_new(path, options->schema, tacit_reader_shuffled(reader),
                                   options->sources, options->n_sources, &writer, err));
  tacit_status status =
      options->output == NULL
          ? write_file(writer, reader, path, options, err)
          : write_rows(writer, tacit_output_descriptor(options->output), reader,
                       options, err);
  tacit_cache_writer_free(writer);
  return status;
}
