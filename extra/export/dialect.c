/* SPDX-License-Identifier: MIT */
/* Writes a choice, a cell and a function as each language spells them. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "extra/export/formula.h"

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

tacit_spelt tacit_formula_spell(const tacit_formula *f, double value) {
  char text[32];
  tacit_spelt spelt;
  (void)snprintf(text, sizeof text, "%.17g", value);
  int is_sql = tacit_formula_is_sql(f);
  /* C needs a point or an exponent, or the number and its quotients would be whole. SQL
     needs an exponent: without it the number is a decimal, and products of decimals
     overflow. PostgreSQL takes it for a decimal even then, so it also needs a cast. */
  const char *end = strpbrk(text, is_sql ? "e" : ".e") != NULL ? ""
                    : is_sql                                   ? "e0"
                                                               : ".0";
  const char *cast = f->language == TACIT_LANGUAGE_POSTGRESQL ? "::float8" : "";
  (void)snprintf(spelt.text, sizeof spelt.text, value < 0 ? "(%s%s%s)" : "%s%s%s", text,
                 end, cast);
  return spelt;
}

void tacit_formula_number(const tacit_formula *f, double value) {
  (void)fputs(tacit_formula_spell(f, value).text, f->to);
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

void tacit_formula_cell(const tacit_formula *f, size_t column) {
  if (!tacit_formula_is_sql(f))
    put_raw_cell(f, column);
  else
    put_around(f, "CAST(", column,
               f->language == TACIT_LANGUAGE_SQLITE ? " AS REAL)"
                                                    : " AS DOUBLE PRECISION)");
}

void tacit_formula_cell_text(const tacit_formula *f, size_t column) {
  if (!tacit_formula_is_sql(f))
    put_raw_cell(f, column);
  else
    put_around(f, "COALESCE(CAST(", column, " AS VARCHAR(4096)), '')");
}

void tacit_formula_is_missing(const tacit_formula *f, size_t column) {
  tacit_column_type type = f->schema->columns[column].type;
  int is_text = type == TACIT_COLUMN_ORDINAL || type == TACIT_COLUMN_CATEGORY;
  if (tacit_formula_is_sql(f))
    put_around(f, "", column, " IS NULL");
  else
    put_around(f, is_text ? "is_missing(" : "isnan(", column, ")");
}

void tacit_formula_is_text(const tacit_formula *f, size_t column, const char *text) {
  put(f, "", "is_text(");
  tacit_formula_cell_text(f, column);
  put(f, " = ", ", ");
  tacit_formula_text(f, text);
  put(f, "", ")");
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
    tacit_formula_cell_text(f, column);
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
