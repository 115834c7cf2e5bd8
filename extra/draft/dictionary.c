/* SPDX-License-Identifier: MIT */
/* Reads a data dictionary: a CSV file with one line per column of the data, with its
   name and any of type, min, max, values, format. Dictionaries are public, so messages
   may quote them. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "data/text/fields.h"
#include "extra/draft/draft.h"

enum heading { NAME, TYPE, MIN, MAX, VALUES, FORMAT, HEADINGS };
enum { NOWHERE = -1 };

struct dictionary {
  tacit_lines *lines;
  tacit_fields fields;
  const char *name; /* name of the file */
  char delimiter;
  int place[HEADINGS]; /* field under each heading, or NOWHERE */
};

static int is_heading(const tacit_field *field, const char *word) {
  if (strlen(word) != field->size) return 0;
  for (size_t i = 0; i < field->size; ++i) {
    if ((field->begin[i] | 0x20) != word[i]) return 0;
  }
  return 1;
}

static int heading_of(const tacit_field *field) {
  static const struct {
    const char *word;
    enum heading heading;
  } words[] = {{"name", NAME},     {"column", NAME},       {"variable", NAME},
               {"field", NAME},    {"type", TYPE},         {"min", MIN},
               {"minimum", MIN},   {"max", MAX},           {"maximum", MAX},
               {"values", VALUES}, {"categories", VALUES}, {"levels", VALUES},
               {"codes", VALUES},  {"format", FORMAT}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    if (is_heading(field, words[i].word)) return (int)words[i].heading;
  }
  return NOWHERE;
}

static tacit_status split(struct dictionary *dictionary, const tacit_line *line,
                          tacit_error *err) {
  int no_memory;
  const char *fault =
      tacit_fields_split(&dictionary->fields, line->begin, line->end,
                         dictionary->delimiter, SIZE_MAX - 1, &no_memory);
  if (no_memory) return tacit_fail_memory(err);
  if (fault == NULL) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ", field %zu: %s",
                    dictionary->name, line->number, dictionary->fields.count + 1,
                    fault);
}

static tacit_status read_headings(struct dictionary *dictionary, tacit_error *err) {
  tacit_line line;
  TACIT_TRY(tacit_draft_first_line(dictionary->lines, dictionary->name, &line, err));
  dictionary->delimiter = tacit_draft_delimiter(&line);
  TACIT_TRY(split(dictionary, &line, err));
  for (int i = 0; i < HEADINGS; ++i)
    dictionary->place[i] = NOWHERE;
  for (size_t i = 0; i < dictionary->fields.count; ++i) {
    int heading = heading_of(&dictionary->fields.fields[i]);
    if (heading != NOWHERE) dictionary->place[heading] = (int)i;
  }
  if (dictionary->place[NAME] != NOWHERE) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "%s: a data dictionary is a CSV file whose header has \"name\" and "
                    "any of type, min, max, values, format",
                    dictionary->name);
}

/* Returns the cell under a heading, which is empty if the heading does not occur. */
static tacit_field cell(const struct dictionary *dictionary, enum heading heading) {
  int place = dictionary->place[heading];
  tacit_field none = {"", 0};
  return place != NOWHERE && (size_t)place < dictionary->fields.count
             ? dictionary->fields.fields[place]
             : none;
}

static const char *set(tacit_draft_column *column, enum heading heading,
                       const tacit_field *text) {
  switch (heading) {
  case TYPE: return tacit_draft_set_type(column, text->begin, text->size);
  case MIN: return tacit_draft_set_bound(column, 0, text->begin, text->size);
  case MAX: return tacit_draft_set_bound(column, 1, text->begin, text->size);
  case VALUES: return tacit_draft_set_values(column, text->begin, text->size);
  case FORMAT: return tacit_draft_set_format(column, text->begin, text->size);
  case NAME:
  case HEADINGS: break;
  }
  return NULL;
}

/* Takes a line of the dictionary. Leaves out a line about a column that the data does
   not have, because dictionaries are often larger than one file. */
static tacit_status take_line(const struct dictionary *dictionary, tacit_draft *draft,
                              int64_t number, tacit_error *err) {
  tacit_field name = cell(dictionary, NAME);
  tacit_draft_column *column = tacit_draft_find(draft, name.begin, name.size);
  if (column == NULL || name.size == 0) return TACIT_OK;
  int has_min = cell(dictionary, MIN).size > 0,
      has_max = cell(dictionary, MAX).size > 0;
  if (has_min != has_max)
    return tacit_draft_fail(dictionary->name, number, column,
                            "one of min and max is missing", err);
  for (int i = TYPE; i < HEADINGS; ++i) {
    tacit_field text = cell(dictionary, (enum heading)i);
    const char *fault = text.size > 0 ? set(column, (enum heading)i, &text) : NULL;
    if (fault != NULL)
      return tacit_draft_fail(dictionary->name, number, column, fault, err);
  }
  return TACIT_OK;
}

static tacit_status read_all(struct dictionary *dictionary, tacit_draft *draft,
                             tacit_error *err) {
  TACIT_TRY(read_headings(dictionary, err));
  for (;;) {
    tacit_line line;
    int more;
    TACIT_TRY(tacit_lines_next(dictionary->lines, &line, &more, err));
    if (!more) return TACIT_OK;
    TACIT_TRY(split(dictionary, &line, err));
    TACIT_TRY(take_line(dictionary, draft, line.number, err));
  }
}

tacit_status tacit_draft_dictionary(tacit_draft *draft, const char *path,
                                    uint64_t max_line, tacit_error *err) {
  struct dictionary dictionary = {0};
  tacit_source *source = NULL;
  tacit_status status = tacit_source_open(path, &source, err);
  dictionary.fields.line_breaks = 1;
  if (status == TACIT_OK)
    status = tacit_lines_new(tacit_line_max(max_line), 1, &dictionary.lines, err);
  if (status == TACIT_OK) {
    dictionary.name = tacit_source_name(source);
    tacit_lines_start(dictionary.lines, source);
    status = read_all(&dictionary, draft, err);
  }
  tacit_fields_fini(&dictionary.fields);
  tacit_lines_free(dictionary.lines);
  tacit_source_free(source);
  return status;
}
