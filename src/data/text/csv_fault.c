/* SPDX-License-Identifier: MIT */
/* Messages about cells and headers that do not fit the schema. They quote no cell. */
#include "data/text/csv_fault.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns 1 if a text is this word, in upper or lower case. `word` must be in lower
   case. */
static int is_word(const char *text, size_t size, const char *word) {
  if (strlen(word) != size) return 0;
  for (size_t i = 0; i < size; ++i) {
    char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
    if (c != word[i]) return 0;
  }
  return 1;
}

static int is_one_of(const char *text, size_t size, const char *const *words) {
  for (; *words != NULL; ++words)
    if (is_word(text, size, *words)) return 1;
  return 0;
}

/* Returns how often `c` is in the text. *out_only becomes 1 if the text has only digits
   and `c`, perhaps after a sign. */
static size_t count(const char *text, size_t size, char c, int *out_only) {
  size_t found = 0, digits = 0, start = size > 0 && (text[0] == '-' || text[0] == '+');
  for (size_t i = start; i < size; ++i) {
    found += text[i] == c;
    digits += (size_t)is_digit(text[i]);
  }
  *out_only = digits > 0 && found + digits + start == size;
  return found;
}

/* Returns 1 for 2024-01-31, 31.1.2024 or 1/31/24, with or without a time after it. */
static int is_date(const char *text, size_t size) {
  static const char separators[] = "-./";
  size_t end = 0;
  while (end < size && text[end] != ' ' && text[end] != 'T')
    ++end;
  for (const char *c = separators; *c != '\0'; ++c) {
    int only;
    if (is_digit(text[0]) && count(text, end, *c, &only) == 2 && only) return 1;
  }
  return 0;
}

const char *tacit_csv_number_fault(const char *text, size_t size) {
  static const char *const missing[] = {"na",   "n/a",     "#n/a", "nan",    "null",
                                        "none", "nil",     "-",    "--",     ".",
                                        "?",    "missing", "<na>", "#null!", NULL};
  static const char *const truths[] = {"true", "false", "t", "f", "yes", "no", NULL};
  int only;
  if (size == 0) /* of a column, tacit_cell_missing says what to do */
    return "the cell is empty; \"missing_label\": \"skip\" in the schema leaves the "
           "row out";
  if (is_one_of(text, size, missing))
    return "a mark for a missing value, not a number; list it in \"na\" and give "
           "\"missing\"";
  if (is_one_of(text, size, truths))
    return "true or false, not a number; declare the type \"bool\"";
  if (text[size - 1] == '%')
    return "a percentage, not a number; write it without the % sign";
  if (count(text, size, ',', &only) == 1 && only)
    return "a comma in a number; write a decimal point, and no mark for thousands";
  if (is_date(text, size)) return "a date, not a number; declare the type \"date\"";
  return "not a finite number";
}

enum { LISTED = 3, NAME_SHOWN = 24 };

/* A list of names in quotes, of which only the first few are written out. */
struct names {
  char text[LISTED * (NAME_SHOWN + 4) + 24];
  size_t count;
};

static void add_name(struct names *names, const char *name, size_t size) {
  char copy[TACIT_COLUMN_NAME_MAX + 1], shown[TACIT_NAME_BYTES];
  if (++names->count > LISTED) return;
  size_t used = strlen(names->text), kept = size < sizeof copy ? size : sizeof copy - 1;
  memcpy(copy, name, kept);
  copy[kept] = '\0';
  tacit_name_shorten(copy, NAME_SHOWN, shown);
  (void)snprintf(names->text + used, sizeof names->text - used, "%s'%s'",
                 used > 0 ? ", " : "", shown);
}

static void end_names(struct names *names) {
  size_t used = strlen(names->text);
  if (names->count > LISTED)
    (void)snprintf(names->text + used, sizeof names->text - used, " and %zu more",
                   names->count - LISTED);
}

static void list_names(const tacit_parse *parse, const tacit_csv_layout *layout,
                       struct names *missing, struct names *unknown) {
  const tacit_schema *schema = parse->schema;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const char *name = schema->columns[i].name;
    int needed = parse->labels || schema->columns[i].type <= TACIT_COLUMN_IGNORE;
    if (needed && layout->field_of[i] == TACIT_NO_FIELD)
      add_name(missing, name, strlen(name));
  }
  if (parse->labels && layout->label_field == TACIT_NO_FIELD)
    add_name(missing, schema->label_column, strlen(schema->label_column));
  for (size_t i = 0; i < layout->n_fields && !parse->ignores_extra; ++i) {
    const tacit_field *name = &parse->fields.fields[i];
    if (tacit_entry_find(schema->by_name, schema->n_columns + 1, name->begin,
                         name->size) == NULL &&
        !tacit_csv_is_kept(parse, name))
      add_name(unknown, name->begin, name->size);
  }
  end_names(missing);
  end_names(unknown);
}

tacit_status tacit_csv_header_fault(const tacit_parse *parse, const tacit_line *line,
                                    const tacit_csv_layout *layout, tacit_error *err) {
  struct names missing = {"", 0}, unknown = {"", 0};
  list_names(parse, layout, &missing, &unknown);
  size_t declared = parse->schema->n_columns + 1;
  if (parse->name == NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "the table does not match the schema: missing %s; unknown %s%s",
                      missing.count > 0 ? missing.text : "none",
                      unknown.count > 0 ? unknown.text : "none",
                      unknown.count > 0 ? " (declare it, or let the reader leave out "
                                          "what is not declared: extra)"
                                        : "");
  if (layout->n_fields == 1 && layout->n_unknown == 1)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": the header is one undeclared column, and "
                      "the schema has %zu: is its \"delimiter\" that of the file?",
                      parse->name, line->number, declared);
  /* A line that consists mostly of declared names cannot be a record. */
  if (2 * layout->n_unknown > layout->n_fields && layout->n_unknown > 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": this is not the header of the schema: %zu "
                      "of its %zu columns are not declared; missing: %s",
                      parse->name, line->number, layout->n_unknown, layout->n_fields,
                      missing.count > 0 ? missing.text : "none");
  if (unknown.count == 0)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": the header lacks %zu of %zu names of the "
                      "schema: %s",
                      parse->name, line->number, missing.count, declared, missing.text);
  return tacit_fail(err, TACIT_EDATA,
                    "%s: line %" PRId64 ": the header does not match the schema: "
                    "missing %s; unknown %s (%s)",
                    parse->name, line->number,
                    missing.count > 0 ? missing.text : "none", unknown.text,
                    parse->labels ? "declare it; \"ignore\" leaves it out, and so does "
                                    "--extra ignore of eval"
                                  : "--extra ignore leaves it out");
}
