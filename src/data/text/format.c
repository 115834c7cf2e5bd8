/* SPDX-License-Identifier: MIT */
/* The registry of text formats, and what all parsers share. */
#include "data/text/format.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/registry.h"

static const struct tacit_format_ops *const formats[] = {
    &tacit_format_libsvm,
    &tacit_format_csv,
    NULL,
};

static const char *name_at(size_t i) {
  return formats[i] != NULL ? formats[i]->name : NULL;
}

const struct tacit_format_ops *tacit_format_of(const tacit_schema *schema) {
  const char *name = tacit_schema_kind_name(schema->kind);
  return formats[tacit_registry_index(name_at, name)];
}

tacit_status tacit_parse_init(tacit_parse *parse, const tacit_schema *schema,
                              int labels, tacit_error *err) {
  memset(parse, 0, sizeof *parse);
  parse->schema = schema;
  parse->labels = labels;
  parse->fields.line_breaks = schema->quoted_newlines;
  parse->simd = tacit_simd_allowed();
  parse->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return parse->c_locale != (locale_t)0 ? TACIT_OK : tacit_fail_memory(err);
}

void tacit_parse_fini(tacit_parse *parse) {
  tacit_stops_fini(&parse->stops);
  TACIT_RAW_FREE(parse->numbers, parse->spans);
  tacit_fields_fini(&parse->fields);
  tacit_cell_work_fini(&parse->work);
  if (parse->c_locale != (locale_t)0) freelocale(parse->c_locale);
  memset(parse, 0, sizeof *parse);
}

tacit_status tacit_text_check(const tacit_text *text, tacit_error *err) {
  if (text->at == text->end || text->end[-1] == '\n') return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL, "parser: the last line has no end");
}

void tacit_text_line(const tacit_text *text, int quotes, tacit_line *out) {
  int open = 0;
  const char *stop = tacit_record_end(text->at, text->end, quotes, &open);
  if (stop == NULL) stop = text->end - 1; /* a quote is not closed */
  if (stop > text->at && stop[-1] == '\r') --stop;
  out->begin = text->at;
  out->end = stop;
  out->offset = 0;
  out->mark = 0;
  out->number = text->line;
}

void tacit_text_pass(tacit_text *text, const tacit_line *line) {
  text->line += 1 + tacit_count_lines(line->begin, line->end);
  text->at = line->end + (*line->end == '\r' ? 2 : 1);
}
