/* SPDX-License-Identifier: MIT */
/* Reads the lines of the files that a draft is made from. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "extra/draft/draft.h"

tacit_status tacit_draft_open(tacit_draft_file *file, const char *path, int line_breaks,
                              uint64_t max_line, tacit_error *err) {
  TACIT_TRY(tacit_source_open(path, &file->source, err));
  TACIT_TRY(tacit_lines_new(tacit_line_max(max_line), line_breaks, &file->lines, err));
  file->fields.line_breaks = line_breaks;
  file->name = tacit_source_name(file->source);
  tacit_lines_start(file->lines, file->source);
  return TACIT_OK;
}

void tacit_draft_close(tacit_draft_file *file) {
  tacit_fields_fini(&file->fields);
  tacit_lines_free(file->lines);
  tacit_source_free(file->source);
}

static int is_blank(const tacit_line *line) {
  for (const char *at = line->begin; at < line->end; ++at)
    if (*at != ' ' && *at != '\t') return 0;
  return 1;
}

static char delimiter_of(const tacit_line *line) {
  static const char candidates[] = ",;\t|";
  size_t counts[sizeof candidates] = {0};
  int quoted = 0;
  for (const char *at = line->begin; at < line->end; ++at) {
    if (*at == '"') quoted = !quoted;
    const char *found = quoted ? NULL : strchr(candidates, *at);
    if (found != NULL) ++counts[found - candidates];
  }
  size_t best = 0;
  for (size_t i = 1; i < sizeof candidates - 1; ++i)
    if (counts[i] > counts[best]) best = i;
  return candidates[best];
}

/* Splits a line. Messages call the line "header" if its fields may have no line breaks.
 */
static tacit_status split(tacit_draft_file *file, const tacit_line *line, size_t most,
                          tacit_error *err) {
  int no_memory;
  char place[40] = "header";
  const char *fault = tacit_fields_split(&file->fields, line->begin, line->end,
                                         file->delimiter, most, &no_memory);
  if (no_memory) return tacit_fail_memory(err);
  if (fault == NULL) return TACIT_OK;
  if (file->fields.line_breaks)
    (void)snprintf(place, sizeof place, "line %" PRId64, line->number);
  return tacit_fail(err, TACIT_EDATA, "%s: %s, field %zu: %s", file->name, place,
                    file->fields.count + 1, fault);
}

tacit_status tacit_draft_first(tacit_draft_file *file, tacit_line *out,
                               tacit_error *err) {
  int more = 0;
  do {
    TACIT_TRY(tacit_lines_next(file->lines, out, &more, err));
    if (!more)
      return tacit_fail(err, TACIT_EDATA, "%s: the file has no header line",
                        file->name);
  } while (is_blank(out));
  file->delimiter = delimiter_of(out);
  return TACIT_OK;
}

tacit_status tacit_draft_names(tacit_draft_file *file, tacit_error *err) {
  tacit_line line;
  TACIT_TRY(tacit_draft_first(file, &line, err));
  return split(file, &line, SIZE_MAX - 1, err);
}

tacit_status tacit_draft_next(tacit_draft_file *file, size_t most, tacit_line *out,
                              int *out_more, tacit_error *err) {
  TACIT_TRY(tacit_lines_next(file->lines, out, out_more, err));
  return *out_more ? split(file, out, most, err) : TACIT_OK;
}
