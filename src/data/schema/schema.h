/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_SCHEMA_H
#define TACIT_DATA_SCHEMA_SCHEMA_H

#include <jansson.h>
#include <tacit/data.h>

/* Limits of a schema. */
#define TACIT_FEATURES_MAX ((size_t)INT32_MAX)
enum {
  TACIT_COLUMN_NAME_MAX = 256, /* bytes */
  TACIT_VALUE_MAX = 4096,      /* bytes of a category or class */
  TACIT_CLASSES_MAX = 100000,
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
  TACIT_COLUMN_IGNORE = 3,
  TACIT_COLUMN_UNIT = 4,  /* the id of a person; declared by "unit", not by a type */
  TACIT_COLUMN_WEIGHT = 5 /* declared by "weight", not by a type */
} tacit_column_type;

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
  size_t first, n_inputs; /* the model inputs of this column */
  double min, max;        /* numeric: clamped to [min, max], mapped to [map_low, 1] */
  double map_low;         /* -1 or 0 */
  int has_missing;        /* numeric: an empty cell counts as `missing` */
  double missing;
  char **values; /* category, in the order declared; the last input is `other` */
  size_t n_values;
  tacit_entry *sorted;  /* the values, for look-up */
  tacit_lookup *lookup; /* likewise, faster */
} tacit_column;

struct tacit_schema {
  tacit_schema_kind kind;
  size_t features;
  tacit_label_kind label_kind;
  double label_min, label_max;
  char **classes; /* names, in the order declared; NULL for a number */
  size_t n_classes;
  /* CSV only. */
  char *label_column;
  char delimiter;
  tacit_column *columns; /* in the order declared, without the label */
  size_t n_columns;
  const char *unit_column;   /* the name of the column of ids; NULL: none */
  const char *weight_column; /* NULL: none */
  double weight_max;         /* declared; larger weights count as it */
  int skips_missing_label;   /* an empty label: the row has weight 0 */
  tacit_entry *by_name;      /* columns and label (number n_columns), sorted */
  tacit_entry *class_sorted; /* the classes, for look-up */
  tacit_lookup *class_lookup;
  /* Names of the model inputs; NULL when there are too many. */
  char *names;
  size_t *name_start;
};

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
double tacit_schema_class_label(const tacit_schema *schema, size_t which);
/* The number a cell becomes. */
static inline double tacit_column_map(const tacit_column *column, double value) {
  double clamped = value > column->min ? value : column->min;
  clamped = clamped < column->max ? clamped : column->max;
  /* max - min is finite, so min and max become exactly 0 and 1 here */
  double share = (clamped - column->min) / (column->max - column->min);
  return (1 - column->map_low) * share + column->map_low;
}

/* The largest norm that a row can have, with its bias: every column that is an input
   adds one number of size at most 1. INFINITY unless columns are declared. */
double tacit_schema_norm_max(const tacit_schema *schema, int bias, double exponent);

/* 1 if rows of such files have weights. */
static inline int tacit_schema_weighs(const tacit_schema *schema) {
  return schema->weight_column != NULL || schema->skips_missing_label;
}

/* "csv", "libsvm", "memory". */
const char *tacit_schema_kind_name(tacit_schema_kind kind);
/* "numeric", "category", "hashed", "ignore". */
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
