/* SPDX-License-Identifier: MIT */
/* Reads types, bounds and categories from a public sample: rows that anyone may know,
   such as a file of examples or last year's published table. Messages may name its rows
   by line and column. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/date.h"
#include "data/text/fields.h"
#include "data/text/number.h"
#include "extra/draft/draft.h"

enum {
  VALUES_MAX = 100, /* values of a category; a column with more is hashed or text */
  CLASSES_MAX = 20,
  WORDS_OF_TEXT = 3 /* fewest words per cell */
};

static const char *const formats[] = {
    "%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y",          "%d/%m/%Y",
    "%Y/%m/%d", "%d-%b-%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* What the cells of a column have in common. */
struct look {
  int64_t cells, missing, words; /* cells, words: without the missing cells */
  int is_number, is_bool, has_many;
  double min, max;
  unsigned formats; /* bit i is 1 if all cells are dates in format i */
  double first[FORMATS], last[FORMATS];
};

struct sample {
  tacit_draft_file file;
  locale_t c_locale;
  struct look *looks;
};

/* Returns 1 if a cell is one of some texts, which end with NULL. */
static int is_one_of(const tacit_field *cell, const char *const *texts) {
  for (; *texts != NULL; ++texts)
    if (strlen(*texts) == cell->size && memcmp(*texts, cell->begin, cell->size) == 0)
      return 1;
  return 0;
}

/* Returns 1 for the texts that statistics programs write for a missing cell. */
static int is_missing(const tacit_field *cell) {
  static const char *const texts[] = {"", "NA", "N/A", "NaN", "null", ".", NULL};
  return is_one_of(cell, texts);
}

static int is_truth(const tacit_field *cell) {
  static const char *const texts[] = {"true", "false", "True", "False", "TRUE", "FALSE",
                                      "T",    "F",     "0",    "1",     NULL};
  return is_one_of(cell, texts);
}

static void look_at_dates(struct look *look, const tacit_field *cell) {
  for (unsigned i = 0; i < FORMATS; ++i) {
    tacit_date date;
    if ((look->formats & 1u << i) == 0) continue;
    if (!tacit_date_parse(formats[i], cell->begin, cell->size, &date)) {
      look->formats &= ~(1u << i);
      continue;
    }
    double days = (double)tacit_date_days(&date);
    look->first[i] = fmin(look->first[i], days);
    look->last[i] = fmax(look->last[i], days);
  }
}

/* Takes a cell into account. Returns NULL, or the fault of the cell. */
static const char *look_at(const struct sample *sample, struct look *look,
                           tacit_draft_column *column, const tacit_field *cell) {
  double value;
  if (is_missing(cell)) {
    ++look->missing;
    return NULL;
  }
  ++look->cells;
  if (look->is_number && tacit_number_parse(cell->begin, cell->begin + cell->size,
                                            sample->c_locale, &value)) {
    look->min = fmin(look->min, value);
    look->max = fmax(look->max, value);
  } else {
    look->is_number = 0;
  }
  look->is_bool = look->is_bool && is_truth(cell);
  if (look->formats != 0) look_at_dates(look, cell);
  for (size_t i = 0; i < cell->size; ++i)
    look->words += i == 0 || (cell->begin[i - 1] == ' ' && cell->begin[i] != ' ');
  if (look->has_many) return NULL;
  if (memchr(cell->begin, '\n', cell->size) == NULL) {
    const char *fault = tacit_draft_add_value(column, cell->begin, cell->size);
    if (fault != NULL) return fault;
  } else {
    look->has_many = 1;
  }
  look->has_many |= column->n_values > VALUES_MAX;
  return NULL;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Decides what the label is: classes if it has few values, else a number. */
static void decide_label(tacit_draft_column *column, const struct look *look) {
  size_t most = look->is_number ? 2 : CLASSES_MAX;
  if (look->is_number && (column->n_values > most || look->has_many)) {
    column->min = look->min;
    column->max = look->max;
    column->has_bounds = look->min < look->max;
    tacit_draft_clear_values(column);
  } else if (look->has_many || column->n_values > most) {
    tacit_draft_clear_values(column);
  }
}

/* Decides the type of a column. Returns NULL, or tacit_draft_no_memory. */
static const char *decide(tacit_draft_column *column, const struct look *look) {
  const char *fault = NULL;
  unsigned format = 0;
  while (format < FORMATS && (look->formats & 1u << format) == 0)
    ++format;
  column->is_known = look->cells > 0;
  column->has_missing = look->missing > 0 && look->cells > 0;
  if (look->is_bool) {
    column->type = TACIT_COLUMN_BOOL;
  } else if (look->is_number) {
    column->type = TACIT_COLUMN_NUMERIC;
    column->min = look->min;
    column->max = look->min < look->max ? look->max : look->min + 1;
    column->has_bounds = look->cells > 0;
  } else if (format < FORMATS) {
    column->type = TACIT_COLUMN_DATE;
    fault = tacit_draft_set_format(column, formats[format], strlen(formats[format]));
    column->min = look->first[format];
    column->max = look->last[format] + (look->first[format] == look->last[format]);
    column->has_bounds = 1;
  } else if (!look->has_many) {
    column->type = TACIT_COLUMN_CATEGORY;
    column->has_missing = 0; /* a missing cell counts as `other` */
    return NULL;
  } else {
    int is_text = look->words >= WORDS_OF_TEXT * look->cells;
    column->type = is_text ? TACIT_COLUMN_TEXT : TACIT_COLUMN_HASHED;
    column->has_missing = 0;
  }
  tacit_draft_clear_values(column);
  return fault;
}

static tacit_status take_record(struct sample *sample, tacit_draft *draft,
                                const tacit_line *line, tacit_error *err) {
  const tacit_fields *fields = &sample->file.fields;
  if (fields->count != draft->count)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": too %s fields; the header has %zu",
                      sample->file.name, line->number,
                      fields->count < draft->count ? "few" : "many", draft->count);
  draft->quoted_newlines |=
      memchr(line->begin, '\n', (size_t)(line->end - line->begin)) != NULL;
  for (size_t i = 0; i < draft->count; ++i) {
    tacit_draft_column *column = &draft->columns[i];
    const char *fault = look_at(sample, &sample->looks[i], column, &fields->fields[i]);
    if (fault != NULL)
      return tacit_draft_fail(sample->file.name, line->number, column, fault, err);
  }
  return TACIT_OK;
}

static tacit_status read_records(struct sample *sample, tacit_draft *draft,
                                 tacit_error *err) {
  tacit_line line;
  TACIT_TRY(tacit_draft_first(&sample->file, &line, err));
  sample->file.delimiter = draft->delimiter;
  for (;;) {
    int more;
    TACIT_TRY(tacit_draft_next(&sample->file, draft->count, &line, &more, err));
    if (!more) break;
    if (line.begin < line.end) TACIT_TRY(take_record(sample, draft, &line, err));
  }
  for (size_t i = 0; i < draft->count; ++i) {
    tacit_draft_column *column = &draft->columns[i];
    const struct look *look = &sample->looks[i];
    draft->has_na |= look->missing > 0;
    if (look->cells == 0) continue;
    if (column->n_values > 1)
      qsort(column->values, column->n_values, sizeof *column->values, compare);
    if (i == draft->label)
      decide_label(column, look);
    else if (decide(column, look) != NULL)
      return tacit_fail_memory(err);
  }
  draft->note =
      "Types, bounds, values and classes were read off a public sample. Widen "
      "bounds to what the data may have; replace every null.";
  return TACIT_OK;
}

static tacit_status make_looks(struct sample *sample, const tacit_draft *draft,
                               tacit_error *err) {
  sample->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  sample->looks = tacit_array_new(draft->count, sizeof *sample->looks);
  if (sample->c_locale == (locale_t)0 || sample->looks == NULL)
    return tacit_fail_memory(err);
  for (size_t i = 0; i < draft->count; ++i) {
    struct look *look = &sample->looks[i];
    look->is_number = look->is_bool = 1;
    look->min = INFINITY;
    look->max = -INFINITY;
    look->formats = (1u << FORMATS) - 1;
    for (size_t j = 0; j < FORMATS; ++j) {
      look->first[j] = INFINITY;
      look->last[j] = -INFINITY;
    }
  }
  return TACIT_OK;
}

/* Checks that the columns of the sample are the columns of the draft, which come from a
   header of its own. */
static tacit_status check_header(const tacit_draft *draft, const char *path,
                                 uint64_t max_line, tacit_error *err) {
  tacit_draft own = {0};
  tacit_status status = tacit_draft_header(&own, path, NULL, max_line, err);
  int is_same = status == TACIT_OK && own.count == draft->count &&
                own.delimiter == draft->delimiter;
  for (size_t i = 0; is_same && i < own.count; ++i)
    is_same = strcmp(own.columns[i].name, draft->columns[i].name) == 0;
  if (status == TACIT_OK && !is_same)
    status = tacit_fail(err, TACIT_EDATA,
                        "%s: a sample must have the header of the data, with the same "
                        "columns in the same order",
                        path);
  tacit_draft_fini(&own);
  return status;
}

tacit_status tacit_draft_sample(tacit_draft *draft, const char *path, uint64_t max_line,
                                tacit_error *err) {
  struct sample sample = {0};
  TACIT_TRY(check_header(draft, path, max_line, err));
  tacit_status status = tacit_draft_open(&sample.file, path, 1, max_line, err);
  if (status == TACIT_OK) status = make_looks(&sample, draft, err);
  if (status == TACIT_OK) status = read_records(&sample, draft, err);
  tacit_draft_close(&sample.file);
  tacit_array_free(sample.looks);
  if (sample.c_locale != (locale_t)0) freelocale(sample.c_locale);
  return status;
}
