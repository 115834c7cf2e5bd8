/* SPDX-License-Identifier: MIT */
/* Keeps drafts of schemas: the facts that dictionaries and persons give about a
   column. */
#include "extra/draft/draft.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/date.h"
#include "data/text/number.h"

/* Limits for the signal n mu / kappa. Below signal_least the practical preset does not
   centre rows. Below signal_per_column per column, lines did better than curves. */
static const double signal_least = 35, signal_per_column = 10;

int tacit_draft_curves(int64_t rows, double epsilon, double delta, size_t columns) {
  double n = (double)rows, mu = 0;
  if (rows <= 0 || !(epsilon > 0)) return 1;
  if (!(delta > 0)) delta = fmin(1 / (n * n), 1e-6);
  if (tacit_mu_from_dp_down(epsilon, delta, &mu, NULL) != TACIT_OK) return 1;
  return n * mu / 2 >= fmax(signal_least, signal_per_column * (double)columns);
}

void tacit_draft_clear_values(tacit_draft_column *column) {
  for (size_t i = 0; i < column->n_values; ++i)
    tacit_array_free(column->values[i]);
  column->n_values = 0;
}

void tacit_draft_fini(tacit_draft *draft) {
  for (size_t i = 0; i < draft->count; ++i) {
    tacit_draft_column *column = &draft->columns[i];
    tacit_draft_clear_values(column);
    TACIT_FREE(column->values, column->name, column->format);
  }
  tacit_array_free(draft->columns);
}

tacit_draft_column *tacit_draft_find(tacit_draft *draft, const char *text,
                                     size_t size) {
  for (size_t i = 0; i < draft->count; ++i) {
    const char *name = draft->columns[i].name;
    if (strncmp(name, text, size) == 0 && name[size] == '\0') return &draft->columns[i];
  }
  return NULL;
}

const char tacit_draft_no_memory[] = "out of memory";

static char *copy(const char *text, size_t size) {
  char *made = tacit_array_new(size + 1, 1);
  if (made != NULL && size > 0) memcpy(made, text, size);
  return made;
}

const char *tacit_draft_add_value(tacit_draft_column *column, const char *text,
                                  size_t size) {
  if (size > TACIT_VALUE_MAX) return "a value is too long";
  if (!tacit_draft_is_utf8(text, size)) return "a value is not UTF-8";
  for (size_t i = 0; i < size; ++i)
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
      return "a value has a control character";
  for (size_t i = 0; i < column->n_values; ++i) {
    const char *value = column->values[i];
    if (strncmp(value, text, size) == 0 && value[size] == '\0') return NULL;
  }
  if (!tacit_array_reserve(&column->values, &column->value_capacity,
                           column->n_values + 1, sizeof *column->values))
    return tacit_draft_no_memory;
  char *value = copy(text, size);
  if (value == NULL) return tacit_draft_no_memory;
  column->values[column->n_values++] = value;
  return NULL;
}

int tacit_draft_is_word(const char *word, const char *text, size_t size) {
  if (strlen(word) != size) return 0;
  for (size_t i = 0; i < size; ++i) {
    char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
    if (c != word[i]) return 0;
  }
  return 1;
}

const char *tacit_draft_set_type(tacit_draft_column *column, const char *text,
                                 size_t size) {
  static const struct {
    const char *word;
    tacit_column_type type;
  } words[] = {
      {"numeric", TACIT_COLUMN_NUMERIC},    {"number", TACIT_COLUMN_NUMERIC},
      {"continuous", TACIT_COLUMN_NUMERIC}, {"integer", TACIT_COLUMN_NUMERIC},
      {"int", TACIT_COLUMN_NUMERIC},        {"float", TACIT_COLUMN_NUMERIC},
      {"double", TACIT_COLUMN_NUMERIC},     {"real", TACIT_COLUMN_NUMERIC},
      {"category", TACIT_COLUMN_CATEGORY},  {"categorical", TACIT_COLUMN_CATEGORY},
      {"nominal", TACIT_COLUMN_CATEGORY},   {"factor", TACIT_COLUMN_CATEGORY},
      {"enum", TACIT_COLUMN_CATEGORY},      {"hashed", TACIT_COLUMN_HASHED},
      {"bool", TACIT_COLUMN_BOOL},          {"boolean", TACIT_COLUMN_BOOL},
      {"logical", TACIT_COLUMN_BOOL},       {"ordinal", TACIT_COLUMN_ORDINAL},
      {"ordered", TACIT_COLUMN_ORDINAL},    {"date", TACIT_COLUMN_DATE},
      {"text", TACIT_COLUMN_TEXT},          {"ignore", TACIT_COLUMN_IGNORE},
      {"id", TACIT_COLUMN_IGNORE}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    if (!tacit_draft_is_word(words[i].word, text, size)) continue;
    column->type = words[i].type;
    column->is_known = 1;
    return NULL;
  }
  return "the type is not numeric, category, ordinal, bool, date, text, hashed or "
         "ignore";
}

static int number_of(const char *text, size_t size, double *out) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) return 0;
  int is_number = tacit_number_parse(text, text + size, c_locale, out);
  freelocale(c_locale);
  return is_number;
}

const char *tacit_draft_set_bound(tacit_draft_column *column, int is_max,
                                  const char *text, size_t size) {
  double *bound = is_max ? &column->max : &column->min;
  tacit_date date;
  if (tacit_date_parse("%Y-%m-%d", text, size, &date)) {
    if (column->is_known && column->type != TACIT_COLUMN_DATE)
      return "a bound is a date, but the type is not";
    *bound = (double)tacit_date_days(&date);
    column->type = TACIT_COLUMN_DATE;
    column->is_known = 1;
  } else if (column->is_known && column->type == TACIT_COLUMN_DATE) {
    return "a bound is not a date written 2024-12-31";
  } else if (!number_of(text, size, bound)) {
    return "a bound is not a number";
  }
  if (is_max && !(column->min < column->max))
    return "the smallest is not below the largest";
  column->has_bounds = is_max;
  return NULL;
}

const char *tacit_draft_set_values(tacit_draft_column *column, const char *text,
                                   size_t size) {
  char separator = memchr(text, '|', size) != NULL   ? '|'
                   : memchr(text, ';', size) != NULL ? ';'
                                                     : ',';
  const char *end = text + size;
  tacit_draft_clear_values(column);
  for (const char *at = text;; ++at) {
    const char *stop = at < end ? memchr(at, separator, (size_t)(end - at)) : NULL;
    if (stop == NULL) stop = end;
    const char *first = at, *last = stop;
    while (first < last && *first == ' ')
      ++first;
    while (last > first && last[-1] == ' ')
      --last;
    const char *fault =
        first < last ? tacit_draft_add_value(column, first, (size_t)(last - first))
                     : NULL;
    if (fault != NULL) return fault;
    if (stop == end) break;
    at = stop;
  }
  if (column->n_values == 0) return "no value";
  if (!column->is_known) column->type = TACIT_COLUMN_CATEGORY;
  column->is_known = 1;
  return NULL;
}

const char *tacit_draft_set_format(tacit_draft_column *column, const char *text,
                                   size_t size) {
  char *format = copy(text, size);
  if (format == NULL) return tacit_draft_no_memory;
  const char *fault = tacit_date_format_fault(format);
  if (fault != NULL) {
    tacit_array_free(format);
    return fault;
  }
  tacit_array_free(column->format);
  column->format = format;
  return NULL;
}

tacit_status tacit_draft_fail(const char *file, int64_t line,
                              const tacit_draft_column *column, const char *fault,
                              tacit_error *err) {
  if (fault == tacit_draft_no_memory) return tacit_fail_memory(err);
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(column->name, 40, name);
  return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ", column '%s': %s", file,
                    line, name, fault);
}
