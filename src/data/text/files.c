/* SPDX-License-Identifier: MIT */
/* The text files of a reader: opens them, reads headers, and finds where rows begin. */
#include "data/text/files.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/text/partition.h"

static tacit_status open_files(tacit_text_files *files, const char *const *paths,
                               tacit_error *err) {
  files->is_regular = files->is_plain = 1;
  for (size_t i = 0; i < files->count; ++i) {
    tacit_source **source = &files->list[i].source;
    if (!tacit_partition_is_ours(files, i, TACIT_PARTITION_ANY)) continue;
    TACIT_TRY(tacit_source_open(paths[i], source, err));
    if (tacit_partition_is_ours(files, i, 0))
      TACIT_TRY(tacit_identity_add(&files->identity, i, paths[i], err));
    if (files->max_kept > 0 && files->group == NULL)
      TACIT_TRY(tacit_source_keep(*source, &files->max_kept, err));
    files->is_regular = files->is_regular && tacit_source_is_regular(*source);
    files->is_plain = files->is_plain && tacit_source_is_plain(*source);
    tacit_text_files_rest(files, i);
  }
  if (files->group != NULL && !files->is_regular)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: not a regular file: it cannot be read by several processes",
                      tacit_text_files_name(files));
  return TACIT_OK;
}

static tacit_status init(tacit_text_files *files, const char *const *paths,
                         size_t n_paths, const tacit_reader_options *options,
                         const tacit_text_limits *limits, tacit_error *err) {
  TACIT_TRY(tacit_parse_init(&files->parse, files->schema, files->labels, err));
  files->parse.ignores_extra = options->extra != 0;
  files->parse.keep = options->keep;
  files->parse.n_keep = options->n_keep;
  TACIT_TRY(tacit_lines_new(limits->max_line, files->schema->quoted_newlines,
                            &files->lines, err));
  TACIT_TRY(TACIT_NEW(files->list, n_paths, err));
  files->count = n_paths;
  files->max_kept = limits->max_kept;
  files->must_rest = n_paths > limits->max_open;
  return open_files(files, paths, err);
}

tacit_status tacit_text_files_new(const char *const *paths, size_t n_paths,
                                  const tacit_reader_options *options,
                                  const tacit_text_limits *limits,
                                  tacit_text_files **out, tacit_error *err) {
  tacit_text_files *files = tacit_array_new(1, sizeof *files);
  if (files == NULL) return tacit_fail_memory(err);
  files->format = tacit_format_of(options->schema);
  files->schema = options->schema;
  files->group = options->group;
  files->labels = options->labels != 0;
  tacit_status status = init(files, paths, n_paths, options, limits, err);
  return TACIT_HAND_OVER(status, files, tacit_text_files_free, out);
}

void tacit_text_files_free(tacit_text_files *files) {
  if (files == NULL) return;
  for (size_t i = 0; i < files->count; ++i) {
    tacit_text_file *file = &files->list[i];
    tacit_random_access_free(file->access);
    tacit_source_free(file->source);
    if (files->format->layout_free != NULL) files->format->layout_free(file->layout);
  }
  tacit_array_free(files->list);
  tacit_lines_free(files->lines);
  tacit_parse_fini(&files->parse);
  tacit_array_free(files);
}

const char *tacit_text_files_name(const tacit_text_files *files) {
  for (size_t i = 0; i < files->count; ++i)
    if (files->list[i].source != NULL) return tacit_source_name(files->list[i].source);
  return "the input";
}

const char *tacit_text_files_more(const tacit_text_files *files) {
  return files->count > 1 ? " and more" : "";
}

tacit_status tacit_text_files_check_rows(const tacit_text_files *files,
                                         int64_t declared, int64_t found,
                                         tacit_error *err) {
  const char *name = tacit_text_files_name(files);
  const char *more = tacit_text_files_more(files);
  if (found == 0) return tacit_fail(err, TACIT_EDATA, "%s%s: no rows", name, more);
  if (declared < 0 || found == declared) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "%s%s: declared %" PRId64 " rows, found %" PRId64
                    "; correct --rows or the file",
                    name, more, declared, found);
}

/* Reads the header, which is the first record, of a file whose lines were started. */
static tacit_status read_header(tacit_text_files *files, tacit_text_file *file,
                                tacit_error *err) {
  tacit_line line;
  int more;
  do {
    TACIT_TRY(tacit_lines_next(files->lines, &line, &more, err));
    if (!more)
      return tacit_fail(err, TACIT_EDATA, "%s: no rows: the file has no header line",
                        tacit_source_name(file->source));
  } while (!files->format->is_record(files->schema, line.begin, line.end));
  if (file->layout != NULL) return TACIT_OK; /* checked in an earlier pass */
  files->parse.name = tacit_source_name(file->source);
  return files->format->header(&files->parse, &line, &file->layout, err);
}

tacit_status tacit_text_files_start(tacit_text_files *files, size_t number,
                                    tacit_error *err) {
  tacit_text_file *file = &files->list[number];
  if (tacit_source_is_regular(file->source)) tacit_source_rewind(file->source);
  tacit_lines_start(files->lines, file->source);
  return files->format->header != NULL ? read_header(files, file, err) : TACIT_OK;
}

void tacit_text_files_rest(const tacit_text_files *files, size_t number) {
  if (files->must_rest) tacit_source_rest(files->list[number].source);
}

/* Finds where the rows of a file begin: after its header, or after a byte order
   mark. */
static tacit_status find_body(tacit_text_files *files, size_t number,
                              tacit_error *err) {
  tacit_text_file *file = &files->list[number];
  TACIT_TRY(tacit_text_files_start(files, number, err));
  if (files->format->header != NULL) {
    tacit_lines_position(files->lines, &file->body, &file->body_line);
    return TACIT_OK;
  }
  tacit_line line;
  int more;
  TACIT_TRY(tacit_lines_next(files->lines, &line, &more, err));
  file->body = more ? line.mark : 0;
  file->body_line = 1;
  return TACIT_OK;
}

tacit_status tacit_text_files_access(tacit_text_files *files,
                                     tacit_random_access_space *space,
                                     tacit_error *err) {
  for (size_t i = 0; i < files->count; ++i) {
    tacit_text_file *file = &files->list[i];
    if (file->source == NULL) continue;
    TACIT_TRY(find_body(files, i, err));
    tacit_source_rewind(file->source);
    TACIT_TRY(tacit_random_access_new(file->source, space, &file->access, err));
    tacit_text_files_rest(files, i);
    /* A later check of the source reports that the file was cut meanwhile. */
    if (tacit_random_access_size(file->access) < file->body) file->body = 0;
  }
  return TACIT_OK;
}
