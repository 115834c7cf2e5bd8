/* SPDX-License-Identifier: MIT */
/* Reads a data dictionary: a CSV file with one line per column of the data, with its
   name and any of type, min, max, values, format, note. Dictionaries are public, so
   messages may quote them. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "data/text/fields.h"
#include "extra/draft/draft.h"

enum heading { NAME, TYPE, MIN, MAX, VALUES, FORMAT, NOTE, HEADINGS };
enum { NOWHERE = -1 };

struct dictionary {
  tacit_draft_file file;
  int place[HEADINGS]; /* field under each heading, or NOWHERE */
};

static int heading_of(const tacit_field *field) {
  static const struct {
    const char *word;
    enum heading heading;
  } words[] = {{"name", NAME},     {"column", NAME},       {"variable", NAME},
               {"field", NAME},    {"type", TYPE},         {"min", MIN},
               {"minimum", MIN},   {"max", MAX},           {"maximum", MAX},
               {"values", VALUES}, {"categories", VALUES}, {"levels", VALUES},
               {"codes", VALUES},  {"format", FORMAT},     {"note", NOTE},
               {"notes", NOTE},    {"description", NOTE}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (tacit_draft_is_word(words[i].word, field->begin, field->size))
      return (int)words[i].heading;
  return NOWHERE;
}

static tacit_status read_headings(struct dictionary *dictionary, tacit_error *err) {
  const tacit_fields *fields = &dictionary->file.fields;
  TACIT_TRY(tacit_draft_names(&dictionary->file, err));
  for (int i = 0; i < HEADINGS; ++i)
    dictionary->place[i] = NOWHERE;
  for (size_t i = 0; i < fields->count; ++i) {
    int heading = heading_of(&fields->fields[i]);
    if (heading != NOWHERE) dictionary->place[heading] = (int)i;
  }
  if (dictionary->place[NAME] != NOWHERE) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "%s: a data dictionary is a CSV file whose header has \"name\" and "
                    "any of type, min, max, values, format, note",
                    dictionary->file.name);
}

/* Returns the cell under a heading, which is empty if the heading does not occur. */
static tacit_field cell(const struct dictionary *dictionary, enum heading heading) {
  int place = dictionary->place[heading];
  tacit_field none = {"", 0};
  return place != NOWHERE && (size_t)place < dictionary->file.fields.count
             ? dictionary->file.fields.fields[place]
             : none;
}

/* Returns 1 if a text contains a phrase, which must be in lower case, in any case. */
static int says(const tacit_field *text, const char *phrase) {
  size_t length = strlen(phrase);
  for (size_t i = 0; i + length <= text->size; ++i)
    if (tacit_draft_is_word(phrase, text->begin + i, length)) return 1;
  return 0;
}

static const char *set(tacit_draft_column *column, enum heading heading,
                       const tacit_field *text) {
  switch (heading) {
  case TYPE: return tacit_draft_set_type(column, text->begin, text->size);
  case MIN: return tacit_draft_set_bound(column, 0, text->begin, text->size);
  case MAX: return tacit_draft_set_bound(column, 1, text->begin, text->size);
  case VALUES: return tacit_draft_set_values(column, text->begin, text->size);
  case FORMAT: return tacit_draft_set_format(column, text->begin, text->size);
  case NOTE: column->may_have_atom = says(text, "0 if none"); break;
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
    return tacit_draft_fail(dictionary->file.name, number, column,
                            "one of min and max is missing", err);
  for (int i = TYPE; i < HEADINGS; ++i) {
    tacit_field text = cell(dictionary, (enum heading)i);
    const char *fault = text.size > 0 ? set(column, (enum heading)i, &text) : NULL;
    if (fault != NULL)
      return tacit_draft_fail(dictionary->file.name, number, column, fault, err);
  }
  return TACIT_OK;
}

static tacit_status read_all(struct dictionary *dictionary, tacit_draft *draft,
                             tacit_error *err) {
  TACIT_TRY(read_headings(dictionary, err));
  for (;;) {
    tacit_line line;
    int more;
    TACIT_TRY(tacit_draft_next(&dictionary->file, SIZE_MAX - 1, &line, &more, err));
    if (!more) return TACIT_OK;
    TACIT_TRY(take_line(dictionary, draft, line.number, err));
  }
}

tacit_status tacit_draft_dictionary(tacit_draft *draft, const char *path,
                                    uint64_t max_line, tacit_error *err) {
  struct dictionary dictionary = {0};
  tacit_status status = tacit_draft_open(&dictionary.file, path, 1, max_line, err);
  if (status == TACIT_OK) status = read_all(&dictionary, draft, err);
  tacit_draft_close(&dictionary.file);
  return status;
}
