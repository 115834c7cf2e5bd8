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

/* What a missing cell becomes. tacit_schema_is_missing says which cells are missing. */
typedef enum tacit_missing {
  TACIT_MISSING_REFUSED = 0,
  TACIT_MISSING_VALUE = 1, /* the cell counts as a declared value */
  TACIT_MISSING_OWN = 2    /* the last input of the column, which is only for missing
                              cells, is 1 */
} tacit_missing;

/* Parts of a date, in the order of their inputs. */
enum {
  TACIT_DATE_YEAR = 0,
  TACIT_DATE_MONTH = 1,
  TACIT_DATE_WEEKDAY = 2, /* Monday is 1, Sunday 7 */
  TACIT_DATE_YEARDAY = 3, /* day of the year, from 1 */
  TACIT_DATE_DAYS = 4,    /* elapsed days, a number */
  TACIT_DATE_PARTS = 5
};

/* A text and its number, in arrays sorted by text. */
typedef struct tacit_entry {
  const char *text;
  size_t number;
} tacit_entry;

typedef struct tacit_lookup tacit_lookup; /* data/schema/lookup.h */

/* A column of a CSV file. */
typedef struct tacit_column {
  char *name;
  tacit_column_type type;
  size_t first, n_inputs; /* the model inputs of this column, with the input for missing
                             cells */
  tacit_missing missing; /* what a missing cell becomes; only for numeric, bool, ordinal
                            and date */
  double missing_number; /* value of a missing cell: a number (numeric), 0 or 1 (bool),
                            a level (ordinal), days since 1970-01-01 (date) */
  tacit_curve curve; /* numeric; date: curve of the days since 1970-01-01, of which at
                        least the bounds are set */
  char **values;     /* category and ordinal: values in the order declared. The last
                        input of a category is for all other values */
  size_t n_values;
  tacit_entry *sorted; /* the values as cells may spell them, sorted for look-up */
  size_t n_sorted;
  tacit_lookup *lookup; /* a faster table of the same values */
  int monotone;         /* numeric and ordinal: 1 if the column promises never to fall,
                           -1 never to rise, 0 if it promises nothing */
  int has_other;        /* category: 1 if "other" was among the declared values; it was
                           taken out */
  char *format;         /* date */
  unsigned parts;       /* date: bit i is set if part i (TACIT_DATE_YEAR …) is an
                           input */
  size_t part_first[TACIT_DATE_PARTS]; /* date: first input of each part, counted from
                                          the first input of the column */
} tacit_column;

/* How a schema counts. */
typedef struct tacit_counting {
  int bins; /* number of bins of numbers and dates */
  int wide; /* 1 if numbers are counted by sign and power of two instead */
} tacit_counting;
/* Reads a schema file of at most `max` bytes, for counting unless `counting` is NULL.
 */
tacit_status tacit_schema_load_for(const char *path, uint64_t max,
                                   const tacit_counting *counting, tacit_schema **out,
                                   tacit_error *err);

/* Wide bins have edges at ±2^k, k from TACIT_WIDE_MIN to TACIT_WIDE_MAX. */
enum { TACIT_WIDE_MIN = -40, TACIT_WIDE_MAX = 40 };

enum { TACIT_CROSS_COLUMNS = 4, TACIT_CROSS_MAX = 1 << 20 };

/* Products of the one-hot inputs of some columns. */
typedef struct tacit_cross {
  char *name; /* "age*sex" */
  size_t columns[TACIT_CROSS_COLUMNS];
  size_t n_columns;
  size_t slots;           /* declared slots for hashing; 0 if not declared */
  size_t size;            /* number of combinations */
  size_t first, n_inputs; /* combinations are hashed if n_inputs < size */
} tacit_cross;

/* How the class of a row follows from its label cell. */
typedef enum tacit_class_rule {
  TACIT_RULE_NAME = 0,  /* the cell is the name of the class */
  TACIT_RULE_ABOVE = 1, /* positive if the number is above label_cut */
  TACIT_RULE_BELOW = 2,
  TACIT_RULE_IS = 3 /* positive if the cell is one of label_values */
} tacit_class_rule;

typedef struct tacit_term_entry tacit_term_entry; /* data/schema/terms.c */

struct tacit_schema {
  tacit_schema_kind kind;
  size_t features;
  tacit_label_kind label_kind;
  double label_min, label_max;
  char **classes; /* names of classes, in the order declared; NULL for a number */
  size_t n_classes;
  /* CSV only. */
  char *label_column;
  tacit_class_rule label_rule;
  double label_cut;
  char **label_values;
  size_t n_label_values;
  char delimiter;
  int quoted_newlines; /* 1 if a field in quotes may have line breaks */
  char **na;           /* texts that mean a missing cell, besides the empty one */
  size_t n_na;
  tacit_column *columns; /* in the order declared, without the label */
  size_t n_columns;
  tacit_cross *crosses;
  size_t n_crosses;
  size_t row_entries; /* the most entries that a row can have without its columns of
                         text */
  tacit_term_entry *terms;
  size_t n_terms;
  json_t *described;         /* description of the counts that the schema was made from,
                                or NULL */
  json_t *notes;             /* texts of "note" by name of column, for people; "" names
                                the schema. NULL without notes. Not in
                                tacit_schema_to_json: a schema is the same without */
  const char *unit_column;   /* name of the column of ids, or NULL */
  const char *weight_column; /* name of the column of weights, or NULL */
  double weight_max;         /* declared largest weight; larger weights count as this
                                weight */
  int skips_missing_label;   /* 1 if a row with an empty label has weight 0 */
  tacit_entry *by_name;      /* columns, and the label as number n_columns, sorted by
                                name */
  tacit_entry *class_sorted; /* the classes as cells may spell them, sorted for
                                look-up */
  size_t n_class_sorted;
  tacit_lookup *class_lookup;
  /* Names of the model inputs; NULL if there are too many. */
  char *names;
  size_t *name_start;
};

/* Returns the description of the private counts that the schema was made from, or
   NULL. */
const json_t *tacit_schema_described(const tacit_schema *schema);

/* Makes the sorted array and the hash table of declared texts, for look-up. Enters the
   whole number "2" also as "2.0", unless "2.0" is declared itself, because programs
   write whole numbers so if a cell of the column is missing. Sets *out_twice to a text
   that is declared twice, or to NULL. Free *out with tacit_array_free. */
tacit_status tacit_entries_new(char *const *texts, size_t count, tacit_entry **out,
                               size_t *out_count, tacit_lookup **out_lookup,
                               const char **out_twice, tacit_error *err);
/* Sorts entries. Returns a text that occurs twice, or NULL. */
const char *tacit_entries_sort(tacit_entry *entries, size_t count);
/* Returns 1 if a cell of `size` bytes is the declared text, or the declared whole
   number with ".0" after it. */
int tacit_text_is(const char *declared, const char *text, size_t size);
/* Returns the entry of a text of `size` bytes in a sorted array, or NULL if there is no
   such entry. */
const tacit_entry *tacit_entry_find(const tacit_entry *entries, size_t count,
                                    const char *text, size_t size);

/* Makes an empty schema, for tacit_schema_finish. Free it with tacit_schema_free. */
tacit_schema *tacit_schema_new(tacit_schema_kind kind);
/* Completes a schema: computes positions of the inputs, look-up tables and names.
   Columns and label must be set, and for kinds other than CSV also the numbers of
   features and classes. Returns TACIT_EDATA for duplicate names, no input, or too many
   inputs; `where` starts the message. */
tacit_status tacit_schema_finish(tacit_schema *schema, const char *where,
                                 tacit_error *err);
/* Returns the label of class `which`: -1 or +1 for two classes, the number of the class
   for more. */
static inline double tacit_schema_class_label(const tacit_schema *schema,
                                              size_t which) {
  return schema->n_classes == 2 ? 2 * (double)which - 1 : (double)which;
}
/* Returns 1 if a cell is missing, which means empty or one of the texts of "na". */
int tacit_schema_is_missing(const tacit_schema *schema, const char *text, size_t size);

/* Computes the inputs of a term of kind line, steps or hats for a number that is not an
   atom. Returns the first input that is not 0 and writes its value to out[0]. For hats,
   writes the value of the next input to out[1] and the value of the line, which is
   input n_points of the term, to out[2]. Writes 0 for inputs that do not exist. */
size_t tacit_schema_term_parts(const tacit_schema *schema, size_t which, double value,
                               double out[3]);

/* Returns the largest norm that a row can have, with its bias; docs/howto/schema.md
   says what each type adds. Returns INFINITY if the schema does not declare columns. */
double tacit_schema_norm_max(const tacit_schema *schema, int bias, double exponent);

/* Returns 1 if a column promises to be monotone. */
int tacit_schema_promises(const tacit_schema *schema);

/* Returns 1 if rows of files with this schema have weights. */
static inline int tacit_schema_weighs(const tacit_schema *schema) {
  return schema->weight_column != NULL || schema->skips_missing_label;
}

/* Returns the name of a kind: "csv", "libsvm" or "memory". */
const char *tacit_schema_kind_name(tacit_schema_kind kind);
/* Returns the name of a type of columns, such as "numeric" or "ignore". */
const char *tacit_column_type_name(tacit_column_type type);
/* Returns 1 for a character that may separate the fields of a CSV file. */
int tacit_is_delimiter(char c);

/* Convert a schema to JSON and back, as in model files; for CSV this is also the format
   of schema files. A schema read back from its JSON is the same schema.
   tacit_schema_from_json returns TACIT_EDATA for bad JSON, with a message that starts
   with `where` ("FILE" or "FILE: schema"). */
tacit_status tacit_schema_to_json(const tacit_schema *schema, json_t **out,
                                  tacit_error *err);
tacit_status tacit_schema_from_json(const json_t *json, const char *where,
                                    tacit_schema **out, tacit_error *err);
/* Makes a schema from the JSON text of a schema file; `where` starts messages. */
tacit_status tacit_schema_parse(const char *text, size_t size, const char *where,
                                tacit_schema **out, tacit_error *err);

#endif
