/* SPDX-License-Identifier: MIT */
/* Writes a choice, a cell and a function as each language spells them. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "extra/export/formula.h"
#include "privacy/format.h"

static void put(const tacit_formula *f, const char *sql, const char *c) {
  (void)fputs(tacit_formula_is_sql(f) ? sql : c, f->to);
}

void tacit_formula_put(const tacit_formula *f, const char *format, ...) {
  char text[1024]; /* longer than every piece */
  va_list values;
  va_start(values, format);
  (void)vsnprintf(text, sizeof text, format, values);
  va_end(values);
  (void)fputs(text, f->to);
}

void tacit_formula_open(const tacit_formula *f) { put(f, "CASE", "("); }
void tacit_formula_when(const tacit_formula *f, int is_first) {
  put(f, " WHEN ", is_first ? "" : " : ");
}
void tacit_formula_then(const tacit_formula *f) { put(f, " THEN ", " ? "); }
void tacit_formula_otherwise(const tacit_formula *f) { put(f, " ELSE ", " : "); }
void tacit_formula_close(const tacit_formula *f) { put(f, " END", ")"); }
void tacit_formula_nothing(const tacit_formula *f) { put(f, "NULL", "(double)NAN"); }

/* C needs a point or an exponent, or a number and its quotients would be whole. SQL
   needs an exponent where a number is a double: without it the number is a decimal. */
static const char *ending_of(const tacit_formula *f, const char *text, int is_double) {
  if (tacit_formula_is_sql(f)) return is_double && !strchr(text, 'e') ? "e0" : "";
  return strpbrk(text, ".e") == NULL ? ".0" : "";
}

tacit_spelt tacit_formula_spell(const tacit_formula *f, double value) {
  char text[TACIT_NUMBER_TEXT];
  tacit_spelt spelt;
  tacit_format_shortest(value, text);
  (void)snprintf(spelt.text, sizeof spelt.text, value < 0 ? "(%s%s)" : "%s%s", text,
                 ending_of(f, text, 1));
  return spelt;
}

tacit_spelt tacit_formula_value(const tacit_formula *f, double value, double length) {
  char text[40], *digits = text;
  tacit_spelt spelt;
  double size = fabs(value) * length;
  int places = size > 0 ? (int)floor(log10(size)) : 0;
  (void)snprintf(text, sizeof text, "%.*g",
                 places < -9  ? 5
                 : places < 3 ? 14 + places
                              : 17,
                 value);
  char *zero = strstr(text, "0.");
  if (zero == text || (zero == text + 1 && *text == '-')) /* .5 instead of 0.5 */
    memmove(zero, zero + 1, strlen(zero));
  (void)snprintf(spelt.text, sizeof spelt.text, "%s%s", digits,
                 ending_of(f, text, length > 1));
  return spelt;
}

void tacit_formula_number(const tacit_formula *f, double value) {
  (void)fputs(tacit_formula_value(f, value, 1).text, f->to);
}

/* Writes a text in quotes. SQL doubles the quote; C escapes it, and all characters that
   are not plain ASCII. */
static void put_quoted(const tacit_formula *f, const char *text, char quote) {
  (void)fputc(quote, f->to);
  for (; *text != '\0'; ++text) {
    unsigned char c = (unsigned char)*text;
    if (tacit_formula_is_sql(f))
      tacit_formula_put(f, *text == quote ? "%c%c" : "%c", *text, quote);
    else if (c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '?')
      tacit_formula_put(f, "\\%03o", (unsigned)c);
    else
      (void)fputc(c, f->to);
  }
  (void)fputc(quote, f->to);
}

void tacit_formula_text(const tacit_formula *f, const char *text) {
  put_quoted(f, text, tacit_formula_is_sql(f) ? '\'' : '"');
}

void tacit_formula_function(const tacit_formula *f, const char *name) {
  (void)fputs(!tacit_formula_is_sql(f) && strcmp(name, "ln") == 0 ? "log" : name,
              f->to);
}

void tacit_formula_c_name(const tacit_formula *f, size_t column) {
  tacit_formula_put(f, "c%zu_", column + 1);
  for (const char *at = f->schema->columns[column].name; *at != '\0'; ++at)
    (void)fputc(isalnum((unsigned char)*at) && (unsigned char)*at < 0x80 ? *at : '_',
                f->to);
}

/* Writes the cell as the table has it. */
static void put_raw_cell(const tacit_formula *f, size_t column) {
  if (tacit_formula_is_sql(f)) {
    put_quoted(f, f->schema->columns[column].name, '"');
    return;
  }
  (void)fputs("row->", f->to);
  tacit_formula_c_name(f, column);
}

/* Writes the cell between two texts. */
static void put_around(const tacit_formula *f, const char *before, size_t column,
                       const char *after) {
  (void)fputs(before, f->to);
  put_raw_cell(f, column);
  (void)fputs(after, f->to);
}

void tacit_formula_cell(const tacit_formula *f, size_t column, int is_double) {
  static const char *const after[] = {"", "+0e0", "::float8", "+0e0", "::double"};
  put_around(f, "", column, is_double ? after[f->language] : "");
}

/* Writes the cell as a text; NULL stays NULL in SQL. */
static void put_text(const tacit_formula *f, size_t column) {
  if (tacit_formula_is_sql(f))
    put_around(f, "CAST(", column, " AS VARCHAR(4096))");
  else
    put_raw_cell(f, column);
}

void tacit_formula_is_missing(const tacit_formula *f, size_t column) {
  tacit_column_type type = f->schema->columns[column].type;
  int is_text = type == TACIT_COLUMN_ORDINAL || type == TACIT_COLUMN_CATEGORY;
  if (tacit_formula_is_sql(f))
    put_around(f, "", column, " IS NULL");
  else
    put_around(f, is_text ? "is_missing(" : "isnan(", column, ")");
}

/* Returns 1 if a declared text may be what a database writes for a number, a date or a
   truth value. */
static int is_like_number(const char *text) {
  static const char *const truths[] = {"true", "false", "t", "f", "True", "False"};
  for (size_t i = 0; i < sizeof truths / sizeof *truths; ++i)
    if (strcmp(text, truths[i]) == 0) return 1;
  return *text != '\0' && strspn(text, "0123456789+-.:eE ") == strlen(text);
}

void tacit_formula_open_text(const tacit_formula *f, size_t column, int has_empty) {
  const tacit_column *of = &f->schema->columns[column];
  int is_cast = 0;
  for (size_t i = 0; i < of->n_values; ++i)
    is_cast |= is_like_number(of->values[i]);
  tacit_formula_open(f);
  if (!tacit_formula_is_sql(f)) return;
  (void)fputs(has_empty ? " COALESCE(" : " ", f->to);
  (is_cast ? put_text : put_raw_cell)(f, column);
  if (has_empty) (void)fputs(", '')", f->to);
}

void tacit_formula_when_text(const tacit_formula *f, int is_first, size_t column,
                             const char *text) {
  tacit_formula_when(f, is_first);
  put(f, "", "is_text(");
  if (!tacit_formula_is_sql(f)) {
    put_text(f, column);
    (void)fputs(", ", f->to);
  }
  put_quoted(f, text, tacit_formula_is_sql(f) ? '\'' : '"');
  put(f, "", ")");
  tacit_formula_then(f);
}

void tacit_formula_is_true(const tacit_formula *f, size_t column) {
  if (!tacit_formula_is_sql(f)) {
    put_around(f, "", column, " != 0");
    return;
  }
  /* Accepts truth values, numbers and words. DuckDB makes a join of a list of more than
     four texts, and its optimizer does not come to an end with hundreds of joins. */
  for (int i = 0; i < 2; ++i) {
    (void)fputs(i == 0 ? "LOWER(" : " OR LOWER(", f->to);
    put_text(f, column);
    (void)fputs(i == 0 ? ") IN ('true', 't', 'yes', 'y')" : ") IN ('1', '1.0')", f->to);
  }
}

void tacit_formula_days(const tacit_formula *f, size_t column) {
  static const char *const before[] = {
      "", "", "CAST(CAST(", "ROUND(julianday(",
      "CAST(date_diff('day', DATE '1970-01-01', CAST("};
  static const char *const after[] = {
      "", "", " AS DATE) - DATE '1970-01-01' AS DOUBLE PRECISION)",
      ") - 2440587.5 - 0.49)", " AS DATE)) AS DOUBLE PRECISION)"};
  put_around(f, before[f->language], column, after[f->language]);
}

void tacit_formula_date_part(const tacit_formula *f, size_t column, int part) {
  static const char *const sql[] = {"YEAR", "MONTH", "ISODOW", "DOY"};
  static const char *const sqlite[] = {"%Y", "%m", "%w", "%j"};
  if (!tacit_formula_is_sql(f)) {
    put_around(f, "date_part(", column, ", ");
    tacit_formula_put(f, "%d)", part);
  } else if (f->language == TACIT_LANGUAGE_SQLITE) {
    /* SQLite counts Sunday as 0, the schema as 7. */
    int is_weekday = part == TACIT_DATE_WEEKDAY;
    tacit_formula_put(f, "%sCAST(strftime('%s', ", is_weekday ? "((" : "",
                      sqlite[part]);
    put_raw_cell(f, column);
    tacit_formula_put(f, ") AS INTEGER)%s", is_weekday ? " + 6) % 7 + 1)" : "");
  } else {
    tacit_formula_put(f, "EXTRACT(%s FROM ", sql[part]);
    put_around(f, "CAST(", column, " AS DATE))");
  }
}
