/* SPDX-License-Identifier: MIT */
/* Asks a person about what is not known of each column. An empty answer takes the
   offered value, or leaves the place open. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "extra/draft/draft.h"

enum { ANSWER_BYTES = 4096, QUESTION_BYTES = 512 };

struct talk {
  const tacit_draft_options *options;
  char question[QUESTION_BYTES];
  char answer[ANSWER_BYTES];
};

typedef const char *(*setter)(tacit_draft_column *column, const char *text,
                              size_t size);

static const char *set_min(tacit_draft_column *column, const char *text, size_t size) {
  return tacit_draft_set_bound(column, 0, text, size);
}

static const char *set_max(tacit_draft_column *column, const char *text, size_t size) {
  return tacit_draft_set_bound(column, 1, text, size);
}

/* Asks until the answer is good. Sets *out_given to 0 for an empty answer. */
static tacit_status ask(struct talk *talk, tacit_draft_column *column, const char *what,
                        setter set, int *out_given, tacit_error *err) {
  const char *fault = NULL;
  char name[TACIT_NAME_BYTES];
  tacit_name_shorten(column->name, 40, name);
  do {
    (void)snprintf(talk->question, sizeof talk->question,
                   "%s%s%s: %s: ", fault != NULL ? fault : "",
                   fault != NULL ? "\n" : "", name, what);
    if (!talk->options->ask(talk->options->ask_self, talk->question, talk->answer,
                            sizeof talk->answer))
      return tacit_fail(err, TACIT_EINVAL,
                        "the answers ended at column '%s'; nothing was written", name);
    const char *begin = talk->answer, *end = begin + strlen(begin);
    while (*begin == ' ')
      ++begin;
    while (end > begin && end[-1] == ' ')
      --end;
    *out_given = begin < end;
    fault = *out_given ? set(column, begin, (size_t)(end - begin)) : NULL;
    if (fault == tacit_draft_no_memory) return tacit_fail_memory(err);
  } while (fault != NULL);
  return TACIT_OK;
}

static tacit_status ask_bounds(struct talk *talk, tacit_draft_column *column,
                               const char *low, const char *high, tacit_error *err) {
  int given = 0;
  column->has_bounds = 0;
  TACIT_TRY(ask(talk, column, low, set_min, &given, err));
  return given ? ask(talk, column, high, set_max, &given, err) : TACIT_OK;
}

static tacit_status ask_column(struct talk *talk, tacit_draft_column *column,
                               tacit_error *err) {
  int given = 0;
  if (!column->is_known) {
    TACIT_TRY(
        ask(talk, column,
            "type: numeric, category, ordinal, bool, date, text, hashed or ignore "
            "[numeric]",
            tacit_draft_set_type, &given, err));
    if (!given) column->type = TACIT_COLUMN_NUMERIC;
    column->is_known = 1;
  }
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC:
    return column->has_bounds
               ? TACIT_OK
               : ask_bounds(talk, column, "smallest number", "largest number", err);
  case TACIT_COLUMN_CATEGORY:
  case TACIT_COLUMN_ORDINAL:
    return column->n_values > 0 ? TACIT_OK
                                : ask(talk, column, "values, separated by commas",
                                      tacit_draft_set_values, &given, err);
  case TACIT_COLUMN_DATE:
    if (column->format == NULL)
      TACIT_TRY(
          ask(talk, column, "format [%Y-%m-%d]", tacit_draft_set_format, &given, err));
    return column->has_bounds
               ? TACIT_OK
               : ask_bounds(talk, column, "first day, written 2024-12-31", "last day",
                            err);
  case TACIT_COLUMN_HASHED:
  case TACIT_COLUMN_BOOL:
  case TACIT_COLUMN_TEXT:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return TACIT_OK;
}

static const char *set_classes(tacit_draft_column *column, const char *text,
                               size_t size) {
  const char *fault = tacit_draft_set_values(column, text, size);
  return fault == NULL && column->n_values < 2 ? "at least two classes" : fault;
}

static tacit_status ask_label(struct talk *talk, tacit_draft_column *column,
                              tacit_error *err) {
  int given = 0;
  if (column->n_values >= 2 || column->has_bounds) return TACIT_OK;
  TACIT_TRY(ask(talk, column,
                "classes of the label, separated by commas, of two the negative first "
                "[a number]",
                set_classes, &given, err));
  if (given) return TACIT_OK;
  column->type = TACIT_COLUMN_NUMERIC;
  column->is_known = 1;
  return ask_bounds(talk, column, "smallest number", "largest number", err);
}

tacit_status tacit_draft_ask(tacit_draft *draft, const tacit_draft_options *options,
                             tacit_error *err) {
  struct talk talk = {.options = options};
  for (size_t i = 0; i < draft->count; ++i)
    if (i != draft->label) TACIT_TRY(ask_column(&talk, &draft->columns[i], err));
  return ask_label(&talk, &draft->columns[draft->label], err);
}
