/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_SCHEMA_H
#define TACIT_DATA_SCHEMA_SCHEMA_H

#include <jansson.h>
#include <tacit/data.h>

#include "data/schema/curve.h"

/* Limits of a schema. */
#define TACIT_FEATURES_MAX ((size_t)INT32_MAX)
enum {
  TACIT_COLUMN_NAME_MAX = 256, /* bytes */
  TACIT_VALUE_MAX = 4096,      /* bytes of a category or class */
  TACIT_CLASSES_MAX = 100000,
  TACIT_LEVELS_MAX = 1000, /* values of an ordinal column */
  TACIT_NAMED_FEATURES = 1 << 18,
  TACIT_NAMES_BYTES = 1 << 26
};

typedef enum tacit_schema_kind {
  TACIT_SCHEMA_CSV = 0,
  TACIT_SCHEMA_LIBSVM = 1,
  TACIT_SCHEMA_MEMORY = 2
} tacit_schema_kind;

typedef enum tacit_column_type {
  TACIT_COLUMN_NUMERIC = 0,
  TACIT_COLUMN_CATEGORY = 1,
  TACIT_COLUMN_HASHED = 2,
  TACIT_COLUMN_BOOL = 3,
  TACIT_COLUMN_ORDINAL = 4,
  TACIT_COLUMN_DATE = 5,
  TACIT_COLUMN_TEXT = 6,
  TACIT_COLUMN_IGNORE = 7,
  TACIT_COLUMN_UNIT = 8,  /* the id of a person; declared by "unit", not by a type */
  TACIT_COLUMN_WEIGHT = 9 /* declared by "weight", not by a type */
} tacit_column_type;

/* What a missing cell becomes: see tacit_schema_is_missing. */
typedef enum tacit_missing {
  TACIT_MISSING_REFUSED = 0,
  TACIT_MISSING_VALUE = 1, /* it counts as a declared value */
  TACIT_MISSING_OWN = 2    /* a 1 in an own input, the last of the column */
} tacit_missing;

/* Parts of a date, in the order of their inputs. */
enum {
  TACIT_DATE_YEAR = 0,
  TACIT_DATE_MONTH = 1,
  TACIT_DATE_WEEKDAY = 2, /* Monday is 1, Sunday 7 */
  TACIT_DATE_YEARDAY = 3, /* from 1 */
  TACIT_DATE_DAYS = 4,    /* elapsed days, a number */
  TACIT_DATE_PARTS = 5
};

/* A text and its number, in arrays sorted by text. */
typedef struct tacit_entry {
  const char *text;
  size_t number;
} tacit_entry;

typedef struct tacit_lookup tacit_lookup; /* lookup.h */

/* A column of a CSV file. */
typedef struct tacit_column {
  char *name;
  tacit_column_type type;
  size_t first,
      n_inputs;          /* the model inputs of this column, that of missing included */
  tacit_missing missing; /* numeric, bool, ordinal, date */
  double missing_number; /* numeric: a number; bool: 0 or 1; ordinal: a level; date:
                            days since 1970-01-01 */
  tacit_curve curve; /* numeric; date: of days since 1970-01-01, its bounds are set */
  char **values;     /* category and ordinal, in the order declared; the last input of a
                        category is `other` */
  size_t n_values;
  tacit_entry *sorted; /* the values as cells may spell them, for look-up */
  size_t n_sorted;
  tacit_lookup *lookup; /* likewise, faster */
  int has_other;        /* category: "other" was among the values, and is not now */
  char *format;         /* date */
  unsigned parts;       /* date: bit TACIT_DATE_YEAR, … if it is an input */
  size_t part_first[TACIT_DATE_PARTS]; /* date: counted from the column's first */
} tacit_column;

/* Wide bins have edges at ±2^k, k from here to there. */
enum { TACIT_WIDE_MIN = -40, TACIT_WIDE_MAX = 40 };

enum { TACIT_CROSS_COLUMNS = 4, TACIT_CROSS_MAX = 1 << 20 };

/* Products of the one-hot inputs of some columns. */
typedef struct tacit_cross {
  char *name; /* "age*sex" */
  size_t columns[TACIT_CROSS_COLUMNS];
  size_t n_columns;
  size_t slots;           /* declared; 0: none */
  size_t size;            /* combinations */
  size_t first, n_inputs; /* n_inputs < size: combinations are hashed */
} tacit_cross;

/* How the class of a row follows from its label cell. */
typedef enum tacit_class_rule {
  TACIT_RULE_NAME = 0,  /* the cell is the name of the class */
  TACIT_RULE_ABOVE = 1, /* positive if the number is above label_cut */
  TACIT_RULE_BELOW = 2,
  TACIT_RULE_IS = 3 /* positive if the cell is one of label_values */
} tacit_class_rule;

typedef struct tacit_term_entry tacit_term_entry; /* terms.c */

struct tacit_schema {
  tacit_schema_kind kind;
  size_t features;
  tacit_label_kind label_kind;
  double label_min, label_max;
  char **classes; /* names, in the order declared; NULL for a number */
  size_t n_classes;
  /* CSV only. */
  char *label_column;
  tacit_class_rule label_rule;
  double label_cut;
  char **label_values;
  size_t n_label_values;
  char delimiter;
  int quoted_newlines; /* a field in quotes may have line breaks */
  char **na;           /* texts that mean a missing cell, besides the empty one */
  size_t n_na;
  tacit_column *columns; /* in the order declared, without the label */
  size_t n_columns;
  tacit_cross *crosses;
  size_t n_crosses;
  size_t row_entries; /* the most entries of a row, columns of text left out */
  tacit_term_entry *terms;
  size_t n_terms;
  json_t *described;         /* the counts it was made from; NULL if there are none */
  const char *unit_column;   /* the name of the column of ids; NULL: none */
  const char *weight_column; /* NULL: none */
  double weight_max;         /* declared; larger weights count as it */
  int skips_missing_label;   /* an empty label: the row has weight 0 */
  tacit_entry *by_name;      /* columns and label (number n_columns), sorted */
  tacit_entry *class_sorted; /* the classes as cells may spell them, for look-up */
  size_t n_class_sorted;
  tacit_lookup *class_lookup;
  /* Names of the model inputs; NULL when there are too many. */
  char *names;
  size_t *name_start;
};

/* Returns what the schema says of the private counts it was made from, or NULL. */
const json_t *tacit_schema_described(const tacit_schema *schema);

/* Makes the sorted array and the table of declared texts, for look-up. A whole number
   is entered as "2" and, unless that is declared too, as "2.0": programs write whole
   numbers so if a cell of their column is missing. *out_twice is a text that is
   declared twice, or NULL. Free *out with tacit_array_free. */
tacit_status tacit_entries_new(char *const *texts, size_t count, tacit_entry **out,
                               size_t *out_count, tacit_lookup **out_lookup,
                               const char **out_twice, tacit_error *err);
/* Sorts entries. Returns a text that occurs twice, or NULL. */
const char *tacit_entries_sort(tacit_entry *entries, size_t count);
/* Returns 1 if a cell of `size` bytes is a declared text, or is the whole number that
   it is, with ".0". */
int tacit_text_is(const char *declared, const char *text, size_t size);
/* The entry of a text of `size` bytes in a sorted array; NULL: not there. */
const tacit_entry *tacit_entry_find(const tacit_entry *entries, size_t count,
                                    const char *text, size_t size);

/* An empty schema, for tacit_schema_finish; free with tacit_schema_free. */
tacit_schema *tacit_schema_new(tacit_schema_kind kind);
/* Completes a schema whose columns, label and (not CSV) features and number of classes
   are set: positions of the inputs, look-up tables, names. TACIT_EDATA for duplicate
   names, no input at all, or too many inputs; `where` starts the message. */
tacit_status tacit_schema_finish(tacit_schema *schema, const char *where,
                                 tacit_error *err);
/* The label of class `which`: -1 and +1 for two classes, 0, 1, … for more. */
static inline double tacit_schema_class_label(const tacit_schema *schema,
                                              size_t which) {
  return schema->n_classes == 2 ? 2 * (double)which - 1 : (double)which;
}
/* 1 if a cell is missing: empty, or one of the texts of "na". */
int tacit_schema_is_missing(const tacit_schema *schema, const char *text, size_t size);

/* The inputs of a line, steps or hats for a number: returns the first that is not 0 and
   writes its value, and for hats that of the next and that of the line beside them,
   which is the last input of the term. What there is not is 0. */
size_t tacit_schema_term_parts(const tacit_schema *schema, size_t which, double value,
                               double out[3]);

/* The largest norm that a row can have, with its bias; docs/howto/schema.md says what
   each type adds. INFINITY unless columns are declared. */
double tacit_schema_norm_max(const tacit_schema *schema, int bias, double exponent);

/* 1 if rows of such files have weights. */
static inline int tacit_schema_weighs(const tacit_schema *schema) {
  return schema->weight_column != NULL || schema->skips_missing_label;
}

/* "csv", "libsvm", "memory". */
const char *tacit_schema_kind_name(tacit_schema_kind kind);
/* "numeric", "category", …, "ignore". */
const char *tacit_column_type_name(tacit_column_type type);
/* 1 for a character that may separate the fields of a CSV file. */
int tacit_is_delimiter(char c);

/* JSON of a schema, as in model files; for CSV it is also the format of a schema file.
   from_json fails with TACIT_EDATA; the message starts with `where` ("FILE" or "FILE:
   schema"). A schema read back from its JSON is the same schema. */
tacit_status tacit_schema_to_json(const tacit_schema *schema, json_t **out,
                                  tacit_error *err);
tacit_status tacit_schema_from_json(const json_t *json, const char *where,
                                    tacit_schema **out, tacit_error *err);
/* JSON text of a schema file. */
tacit_status tacit_schema_parse(const char *text, size_t size, const char *where,
                                tacit_schema **out, tacit_error *err);

#endif
