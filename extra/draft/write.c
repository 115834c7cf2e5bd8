/* SPDX-License-Identifier: MIT */
/* Writes the JSON text of a draft: one line per column, so that a person can complete
   it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema/date.h"
#include "extra/draft/draft.h"

/* The text so far. */
struct text {
  FILE *to;
  int failed; /* 1 if memory ran out for a part */
};

static void add(const struct text *text, const char *part) {
  (void)fputs(part, text->to);
}

/* Adds what a format makes, which must be shorter than 120 bytes. */
__attribute__((format(printf, 2, 3))) static void add_format(const struct text *text,
                                                             const char *format, ...) {
  char part[120];
  va_list values;
  va_start(values, format);
  (void)vsnprintf(part, sizeof part, format, values);
  va_end(values);
  add(text, part);
}

static void add_quoted(struct text *text, const char *name) {
  json_t *json = json_string(name);
  char *quoted = NULL;
  if (json == NULL || tacit_json_text(json, 0, &quoted, NULL) != TACIT_OK)
    text->failed = 1;
  else
    add(text, quoted);
  tacit_array_free(quoted);
  json_decref(json);
}

static void add_list(struct text *text, char *const *values, size_t count) {
  add(text, "[");
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) add(text, ", ");
    add_quoted(text, values[i]);
  }
  add(text, "]");
}

/* Adds the shortest text that strtod reads as this number. */
static void add_number(const struct text *text, double value) {
  char number[40];
  for (int digits = 15; digits <= 17; ++digits) {
    (void)snprintf(number, sizeof number, "%.*g", digits, value);
    if (strtod(number, NULL) == value) break; /* strtod has the locale of snprintf */
  }
  for (char *at = number; *at != '\0'; ++at)
    if (strchr("0123456789+-e", *at) == NULL) *at = '.';
  add(text, number);
}

static void add_bounds(const struct text *text, const tacit_draft_column *column) {
  const double bounds[] = {column->min, column->max};
  for (int i = 0; i < 2; ++i) {
    add(text, i == 0 ? ", \"min\": " : ", \"max\": ");
    if (!column->has_bounds) {
      add(text, "null");
    } else if (column->is_known && column->type == TACIT_COLUMN_DATE) {
      tacit_date date = tacit_date_of((int64_t)bounds[i]);
      add_format(text, "\"%04d-%02d-%02d\"", date.year, date.month, date.day);
    } else {
      add_number(text, bounds[i]);
    }
  }
}

static void add_curve(const struct text *text, const tacit_draft *draft) {
  if (draft->has_curves)
    add_format(text,
               ", \"curve\": {\"knots\": %d, \"kind\": \"linear\", \"line\": true}",
               TACIT_DRAFT_KNOTS);
}

static void add_facts(struct text *text, const tacit_draft *draft,
                      const tacit_draft_column *column) {
  switch (column->is_known ? column->type : TACIT_COLUMN_NUMERIC) {
  case TACIT_COLUMN_NUMERIC:
    add_bounds(text, column);
    add_curve(text, draft);
    break;
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_ORDINAL:
    add(text, ", \"values\": ");
    if (column->n_values > 0)
      add_list(text, column->values, column->n_values);
    else
      add(text, "null");
    break;
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_TEXT:
    add_format(text, ", \"slots\": %zu", column->slots > 0 ? column->slots : 256);
    break;
  case TACIT_COLUMN_DATE:
    add(text, ", \"format\": ");
    add_quoted(text, column->format != NULL ? column->format : "%Y-%m-%d");
    add_bounds(text, column);
    add(text, ", \"parts\": [\"month\", \"weekday\", \"days\"]");
    add_curve(text, draft);
    break;
  case TACIT_COLUMN_BOOL:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  if (column->has_missing) add(text, ", \"missing\": \"own\"");
}

static void add_label(struct text *text, const tacit_draft_column *column) {
  add(text, ",\n  \"label\": {\"column\": ");
  add_quoted(text, column->name);
  if (column->n_values >= 2) {
    add(text, ", \"classes\": ");
    add_list(text, column->values, column->n_values);
  } else if (column->has_bounds &&
             (!column->is_known || column->type == TACIT_COLUMN_NUMERIC)) {
    add_bounds(text, column);
  } else {
    add(text,
        ", \"classes\": [null, null],\n"
        "    \"note\": \"The values of the label; of two, the negative class first. "
        "For a number write min and max instead of classes.\"");
  }
  add(text, "}");
}

static const char unfilled[] =
    "Replace every null. Bounds, values and classes must be known without looking at "
    "the data. Types: numeric (min, max), category (values), ordinal (values, lowest "
    "first), bool, date, text (slots), hashed (slots), ignore. See "
    "docs/howto/schema.md.";

static void add_column(struct text *text, const tacit_draft *draft,
                       const tacit_draft_column *column) {
  tacit_column_type type = column->is_known ? column->type : TACIT_COLUMN_NUMERIC;
  add(text, "\n    {\"name\": ");
  add_quoted(text, column->name);
  add_format(text, ", \"type\": \"%s\"", tacit_column_type_name(type));
  add_facts(text, draft, column);
  if (column->may_have_atom && type == TACIT_COLUMN_NUMERIC)
    add(text, ", \"note\": \"0 if none: if most rows have 0, add \\\"atoms\\\": [0]\"");
  add(text, "}");
}

tacit_status tacit_draft_write(const tacit_draft *draft, char **out, tacit_error *err) {
  char *bytes = NULL;
  size_t size = 0;
  struct text text = {open_memstream(&bytes, &size), 0};
  char separator[2] = {draft->delimiter, '\0'};
  if (text.to == NULL) return tacit_fail_memory(err);
  add(&text, "{\n  \"tacit_schema\": 2,\n  \"note\": ");
  add_quoted(&text, draft->note != NULL ? draft->note : unfilled);
  add(&text, ",\n  \"delimiter\": ");
  add_quoted(&text, separator);
  if (draft->has_na)
    add(&text, ",\n  \"na\": [\"NA\", \"N/A\", \"NaN\", \"null\", \".\"]");
  if (draft->quoted_newlines) add(&text, ",\n  \"quoted_newlines\": true");
  add_label(&text, &draft->columns[draft->label]);
  add(&text, ",\n  \"columns\": [");
  for (size_t i = 0, written = 0; i < draft->count; ++i) {
    if (i == draft->label) continue;
    if (written++ > 0) add(&text, ",");
    add_column(&text, draft, &draft->columns[i]);
  }
  add(&text, "\n  ]\n}\n");
  if (tacit_io_text_end(text.to, &bytes) != 0 || text.failed) {
    free(bytes);
    return tacit_fail_memory(err);
  }
  *out = bytes;
  return TACIT_OK;
}
