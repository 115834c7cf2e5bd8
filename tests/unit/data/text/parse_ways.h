/* SPDX-License-Identifier: MIT */
/* One text through each parser, and its result. For the tests of parsers. */
#ifndef TACIT_TESTS_PARSE_WAYS_H
#define TACIT_TESTS_PARSE_WAYS_H

#include "check.h"

#include <stdlib.h>

#include "data/text/csv.h"
#include "unit/data/text/number_shapes.h"

/* A text followed by exactly as many bytes as parsers may read. */
struct copy {
  char *bytes;
  size_t size;
};

static inline struct copy copy_of(const char *text) {
  struct copy copy = {NULL, strlen(text)};
  copy.bytes = malloc(copy.size + TACIT_TEXT_PADDING);
  assert_non_null(copy.bytes);
  memcpy(copy.bytes, text, copy.size);
  memset(copy.bytes + copy.size, '1', TACIT_TEXT_PADDING);
  return copy;
}

struct parser {
  const struct tacit_format_ops *format;
  tacit_schema *schema;
  tacit_parse parse;
  tacit_rows rows;
  tacit_csv_layout *layout;
};

static inline void open_parser(struct parser *parser, tacit_schema *schema, int labels,
                               const char *header) {
  tacit_error err;
  memset(parser, 0, sizeof *parser);
  parser->schema = schema;
  parser->format = tacit_format_of(schema);
  CHECK_OK(tacit_parse_init(&parser->parse, schema, labels, &err), err);
  CHECK_OK(tacit_rows_init(&parser->rows, tacit_schema_features(schema),
                           tacit_schema_classes(schema), labels, &err),
           err);
  parser->parse.name = "t";
  if (header == NULL) return;
  tacit_line line = {.begin = header, .end = header + strlen(header), .number = 1};
  void *layout;
  CHECK_OK(parser->format->header(&parser->parse, &line, &layout, &err), err);
  parser->layout = layout;
  parser->parse.layout = layout;
}

static inline void close_parser(struct parser *parser) {
  if (parser->layout != NULL) parser->format->layout_free(parser->layout);
  tacit_rows_fini(&parser->rows);
  tacit_parse_fini(&parser->parse);
  tacit_schema_free(parser->schema);
}

/* The result of a text: status and message, or the bits of its rows. */
enum { OUTCOME_ENTRIES = 128 };
struct outcome {
  tacit_status status;
  tacit_error err;
  int64_t taken, line, n_entries;
  double values[OUTCOME_ENTRIES], labels[8], weights[8];
  uint32_t indices[OUTCOME_ENTRIES];
};

static inline void parse_text(struct parser *parser, const char *text,
                              struct outcome *out) {
  struct copy copy = copy_of(text);
  tacit_text at = {copy.bytes, copy.bytes + copy.size, 5};
  memset(out, 0, sizeof *out);
  tacit_rows_clear(&parser->rows);
  out->status = parser->format->parse(&parser->parse, &at, 8, &parser->rows,
                                      &out->taken, &out->err);
  assert_memory_equal(copy.bytes, text, copy.size);
  free(copy.bytes);
  if (out->status != TACIT_OK) return;
  out->line = at.line;
  const tacit_batch *batch = tacit_rows_view(&parser->rows);
  assert_int_equal(batch->n_rows, out->taken);
  out->n_entries = batch->n_rows > 0 ? batch->raw_row_start[batch->n_rows] : 0;
  assert_true(out->n_entries <= OUTCOME_ENTRIES);
  memcpy(out->values, batch->raw_values,
         (size_t)out->n_entries * sizeof out->values[0]);
  memcpy(out->indices, batch->raw_indices,
         (size_t)out->n_entries * sizeof out->indices[0]);
  if (batch->raw_weights != NULL)
    memcpy(out->weights, batch->raw_weights,
           (size_t)out->taken * sizeof out->weights[0]);
  if (batch->raw_labels != NULL)
    memcpy(out->labels, batch->raw_labels, (size_t)out->taken * sizeof out->labels[0]);
}

static inline void check_equal(const struct outcome *a, const struct outcome *b,
                               const char *text, const char *ways) {
  if (memcmp(a, b, sizeof *a) == 0) return;
  fail_msg("%s: %s: %d '%s', %d '%s'", text, ways, (int)a->status, a->err.message,
           (int)b->status, b->err.message);
}

/* As a program parses it, by the parsers that this processor has, and by the one that
   every processor has. */
static inline void parse_both_ways(struct parser *parser, const char *text,
                                   struct outcome *out) {
  struct outcome other;
  int simd = parser->parse.simd;
  parse_text(parser, text, out);
  parser->parse.simd = 0;
  parse_text(parser, text, &other);
  check_equal(out, &other, text, "all, single");
  parser->parse.simd = simd;
}

/* A text of CSV by all of them and by the strict parser: the same; 1 if it is good. */
static inline int csv_is_good_all_ways(struct parser *parser, const char *text) {
  struct outcome fast, strict;
  int in_order = parser->layout->in_order, simd = parser->parse.simd;
  parse_both_ways(parser, text, &fast);
  parser->layout->in_order = 0;
  parser->parse.simd = 0;
  parse_text(parser, text, &strict);
  check_equal(&fast, &strict, text, "fast, strict");
  parser->layout->in_order = in_order;
  parser->parse.simd = simd;
  return fast.status == TACIT_OK;
}

static inline const char *one_of(uint64_t *word, const char *const *index,
                                 size_t count) {
  return index[number_word(word) % count];
}
#define PICK(word, index) one_of(word, index, sizeof(index) / sizeof((index)[0]))

#endif
