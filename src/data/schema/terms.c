/* SPDX-License-Identifier: MIT */
/* The terms of a schema: groups of model inputs that belong together, and the names of
   the inputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/date.h"
#include "data/schema/parts.h"

struct tacit_term_entry {
  tacit_term term;
  char *name;               /* NULL if the term has the name of its column or cross */
  const tacit_curve *curve; /* NULL if the term is not a number */
  const tacit_cross *cross; /* NULL if the term is not a cross */
  int first_value;          /* for a part of a date: value of its first input */
};

void tacit_number_short(double value, char out[TACIT_SHORT_BYTES]) {
  (void)snprintf(out, TACIT_SHORT_BYTES, "%.6g", value);
  for (char *at = out; *at != '\0'; ++at)
    if (strchr("0123456789+-e", *at) == NULL)
      *at = '.'; /* replaces the decimal point of the locale */
}

const char *tacit_date_part_name(unsigned part) {
  static const char *const names[] = {"year", "month", "weekday", "yearday", "days"};
  return names[part];
}

void tacit_schema_terms_free(tacit_schema *schema) {
  for (size_t i = 0; i < schema->n_terms; ++i)
    tacit_array_free(schema->terms[i].name);
  tacit_array_free(schema->terms);
}

/* Adds a term after the last one. `ending` is appended to the name of its column. */
static tacit_status add(tacit_schema *schema, const tacit_column *column,
                        const char *ending, const tacit_term_entry *made,
                        tacit_error *err) {
  tacit_term_entry *larger =
      tacit_array_grow(schema->terms, schema->n_terms + 1, sizeof *larger);
  if (larger == NULL) return tacit_fail_memory(err);
  schema->terms = larger;
  tacit_term_entry *entry = &larger[schema->n_terms++];
  *entry = *made;
  entry->term.struct_size = sizeof entry->term;
  if (column == NULL) return TACIT_OK; /* a cross has its name already */
  entry->term.column = entry->term.name = column->name;
  if (entry->curve != NULL) {
    entry->term.min = entry->curve->min;
    entry->term.max = entry->curve->max;
    entry->term.map = tacit_number_map_name(entry->curve->map);
    entry->term.n_points = entry->curve->n_points;
    entry->term.points = entry->curve->points;
    entry->term.n_atoms = entry->curve->n_atoms;
    entry->term.atoms = entry->curve->atoms;
  }
  if (*ending == '\0') return TACIT_OK;
  size_t size = strlen(column->name) + strlen(ending) + 1;
  TACIT_TRY(TACIT_NEW(entry->name, size, err));
  (void)snprintf(entry->name, size, "%s%s", column->name, ending);
  entry->term.name = entry->name;
  return TACIT_OK;
}

static tacit_status add_date(tacit_schema *schema, const tacit_column *column,
                             tacit_error *err) {
  int first_year = tacit_date_of((int64_t)column->curve.min).year;
  size_t end = column->n_inputs - (column->missing == TACIT_MISSING_OWN);
  for (unsigned i = 0; i < TACIT_DATE_PARTS; ++i) {
    if ((column->parts & 1u << i) == 0) continue;
    size_t next = i + 1 < TACIT_DATE_PARTS ? column->part_first[i + 1] : end;
    int is_number = i == TACIT_DATE_DAYS;
    tacit_term_entry part = {
        .term = {.kind = is_number ? column->curve.shape : TACIT_TERM_VALUES,
                 .first = column->first + column->part_first[i],
                 .count = next - column->part_first[i]},
        .curve = is_number ? &column->curve : NULL,
        .first_value = i == TACIT_DATE_YEAR ? first_year : 1};
    char ending[16];
    (void)snprintf(ending, sizeof ending, ".%s", tacit_date_part_name(i));
    TACIT_TRY(add(schema, column, ending, &part, err));
  }
  return TACIT_OK;
}

static tacit_term_kind kind_of(const tacit_column *column) {
  switch (column->type) {
  case TACIT_COLUMN_NUMERIC: return column->curve.shape;
  case TACIT_COLUMN_CATEGORY: return TACIT_TERM_VALUES;
  case TACIT_COLUMN_ORDINAL: return TACIT_TERM_LEVELS;
  case TACIT_COLUMN_HASHED: return TACIT_TERM_HASHED;
  case TACIT_COLUMN_TEXT: return TACIT_TERM_WORDS;
  case TACIT_COLUMN_BOOL:
  case TACIT_COLUMN_DATE:
  case TACIT_COLUMN_IGNORE:
  case TACIT_COLUMN_UNIT:
  case TACIT_COLUMN_WEIGHT: break;
  }
  return TACIT_TERM_FLAG;
}

static tacit_status add_column(tacit_schema *schema, const tacit_column *column,
                               tacit_error *err) {
  size_t own = column->missing == TACIT_MISSING_OWN;
  if (column->n_inputs == 0) return TACIT_OK;
  tacit_term_entry entry = {
      .term = {.kind = kind_of(column),
               .first = column->first,
               .count = column->n_inputs - own,
               .n_values = column->n_values,
               .values = (const char *const *)column->values,
               .has_other = column->has_other != 0},
      .curve = column->type == TACIT_COLUMN_NUMERIC ? &column->curve : NULL};
  TACIT_TRY(column->type == TACIT_COLUMN_DATE ? add_date(schema, column, err)
                                              : add(schema, column, "", &entry, err));
  tacit_term_entry missing = {.term = {.kind = TACIT_TERM_FLAG,
                                       .first = column->first + column->n_inputs - 1,
                                       .count = 1}};
  return own ? add(schema, column, "=missing", &missing, err) : TACIT_OK;
}

/* Writes what follows the name of the term in the name of an input, for inputs that do
   not stand for a declared value. */
static void write_ending(const tacit_term_entry *entry, size_t input, char *out,
                         size_t room) {
  const tacit_term *term = &entry->term;
  size_t rest = term->count - term->n_atoms;
  char low[TACIT_SHORT_BYTES], high[TACIT_SHORT_BYTES];
  *out = '\0';
  if (input >= rest) {
    tacit_number_short(term->atoms[input - rest], low);
    (void)snprintf(out, room, "=%s", low);
    return;
  }
  switch (term->kind) {
  case TACIT_TERM_LINE:
  case TACIT_TERM_FLAG:
  case TACIT_TERM_LEVELS: break;
  case TACIT_TERM_STEPS:
    tacit_number_short(term->points[input], low);
    tacit_number_short(term->points[input + 1], high);
    (void)snprintf(out, room, "[%s,%s%c", low, high, input + 1 < rest ? ')' : ']');
    break;
  case TACIT_TERM_HATS:
    if (input == term->n_points) break; /* the line beside hats has no knot */
    tacit_number_short(term->points[input], low);
    (void)snprintf(out, room, "@%s", low);
    break;
  case TACIT_TERM_VALUES:
    (void)snprintf(out, room, "=%zu", input + (size_t)entry->first_value);
    break;
  case TACIT_TERM_HASHED:
  case TACIT_TERM_WORDS:
  case TACIT_TERM_CROSS: (void)snprintf(out, room, "#%zu", input); break;
  }
}

/* A buffer to which names are written one after the other. */
struct names {
  char *bytes;
  size_t used, room;
  int failed;    /* 1 after a failure: nothing more is written */
  int too_large; /* 1 if it failed because the names have too many bytes, not because
                    memory ran out */
};

static void append(struct names *names, const char *text) {
  size_t size = strlen(text);
  if (names->failed) return;
  if (names->used + size + 1 > names->room) {
    size_t room = 2 * (names->used + size + 1);
    names->too_large = room > TACIT_NAMES_BYTES;
    char *larger = names->too_large ? NULL : tacit_array_grow(names->bytes, room, 1);
    names->failed = larger == NULL;
    if (larger == NULL) return;
    names->bytes = larger;
    names->room = room;
  }
  memcpy(names->bytes + names->used, text, size + 1);
  names->used += size;
}

/* Appends the name of a level of a column in a cross: the name of an input or, for
   ordinal and bool, the name of a value. */
static void append_level(const tacit_schema *schema, const tacit_column *column,
                         size_t level, struct names *names) {
  static const char *const truth[] = {"false", "true"};
  int is_bool = column->type == TACIT_COLUMN_BOOL;
  if (!is_bool && column->type != TACIT_COLUMN_ORDINAL) {
    size_t input = column->first + tacit_level_input(column, level);
    /* copies the name, because the buffer moves when it grows */
    char *name = tacit_string_copy(names->bytes + schema->name_start[input]);
    names->failed |= name == NULL;
    append(names, name != NULL ? name : "");
    tacit_array_free(name);
    return;
  }
  size_t count = is_bool ? 2 : column->n_values;
  append(names, column->name);
  append(names, "=");
  append(names, level == count ? "missing"
                : is_bool      ? truth[level]
                               : column->values[level]);
}

/* Appends the name of an input of a cross, such as "age[20,30)*sex=f". */
static void append_levels(const tacit_schema *schema, const tacit_cross *cross,
                          size_t input, struct names *names) {
  size_t size = cross->size;
  for (size_t i = 0; i < cross->n_columns && !names->failed; ++i) {
    const tacit_column *column = &schema->columns[cross->columns[i]];
    size /= tacit_cross_levels(column);
    if (i > 0) append(names, "*");
    append_level(schema, column, input / size, names);
    input %= size;
  }
}

static void append_name(const tacit_schema *schema, const tacit_term_entry *entry,
                        size_t input, struct names *names) {
  const tacit_term *term = &entry->term;
  char ending[2 * TACIT_SHORT_BYTES + 8];
  if (entry->cross != NULL && entry->cross->size == term->count) {
    append_levels(schema, entry->cross, input, names);
    return;
  }
  append(names, term->name);
  if (term->kind == TACIT_TERM_LEVELS || term->values != NULL) {
    size_t value = input + (term->kind == TACIT_TERM_LEVELS);
    append(names, term->kind == TACIT_TERM_LEVELS ? ">=" : "=");
    append(names, value < term->n_values ? term->values[value] : "other");
    return;
  }
  write_ending(entry, input, ending, sizeof ending);
  append(names, ending);
}

/* Names the model inputs. Makes no names if there are too many. */
static tacit_status name_inputs(tacit_schema *schema, tacit_error *err) {
  struct names names = {0};
  if (schema->features > TACIT_NAMED_FEATURES) return TACIT_OK;
  TACIT_TRY(TACIT_NEW(schema->name_start, schema->features, err));
  for (size_t i = 0; i < schema->n_terms; ++i) {
    const tacit_term_entry *entry = &schema->terms[i];
    for (size_t j = 0; j < entry->term.count && !names.failed; ++j) {
      schema->name_start[entry->term.first + j] = names.used;
      append_name(schema, entry, j, &names);
      ++names.used; /* skips the NUL */
    }
  }
  if (!names.failed) {
    schema->names = names.bytes;
    return TACIT_OK;
  }
  tacit_array_free(names.bytes);
  return names.too_large ? TACIT_OK : tacit_fail_memory(err);
}

tacit_status tacit_schema_name_terms(tacit_schema *schema, tacit_error *err) {
  for (size_t i = 0; i < schema->n_columns; ++i)
    TACIT_TRY(add_column(schema, &schema->columns[i], err));
  for (size_t i = 0; i < schema->n_crosses; ++i) {
    const tacit_cross *cross = &schema->crosses[i];
    tacit_term_entry entry = {.term = {.kind = TACIT_TERM_CROSS,
                                       .name = cross->name,
                                       .first = cross->first,
                                       .count = cross->n_inputs},
                              .cross = cross};
    TACIT_TRY(add(schema, NULL, "", &entry, err));
  }
  return name_inputs(schema, err);
}

size_t tacit_schema_terms(const tacit_schema *schema) {
  return schema != NULL ? schema->n_terms : 0;
}

tacit_status tacit_schema_term(const tacit_schema *schema, size_t which,
                               tacit_term *out, tacit_error *err) {
  if (schema == NULL || out == NULL || which >= schema->n_terms ||
      out->struct_size < sizeof out->struct_size)
    return tacit_fail(err, TACIT_EINVAL, "schema: no such term");
  tacit_term term = schema->terms[which].term;
  size_t size = out->struct_size < sizeof term ? out->struct_size : sizeof term;
  term.struct_size = out->struct_size;
  memcpy(out, &term, size);
  return TACIT_OK;
}

size_t tacit_schema_term_parts(const tacit_schema *schema, size_t which, double value,
                               double out[3]) {
  const tacit_curve *curve = schema->terms[which].curve;
  double scale = tacit_curve_scale(curve);
  out[0] = scale;
  out[1] = out[2] = 0;
  if (curve->shape == TACIT_TERM_LINE) {
    out[0] = scale * tacit_curve_line(curve, value);
    return 0;
  }
  double mapped = tacit_curve_mapped(curve, value);
  size_t place = tacit_curve_find(curve, mapped);
  if (curve->shape == TACIT_TERM_STEPS) return place;
  double right = tacit_curve_between(curve, mapped, place);
  out[1] = scale * right;
  out[0] = scale * (1 - right);
  if (curve->has_line) out[2] = scale * tacit_curve_beside(curve, mapped);
  return place;
}

double tacit_schema_term_score(const tacit_schema *schema, size_t which,
                               const double *weights, double value) {
  if (schema == NULL || which >= schema->n_terms) return NAN;
  const tacit_curve *curve = schema->terms[which].curve;
  if (curve == NULL) return NAN;
  size_t atom = tacit_curve_atom(curve, value);
  if (atom < curve->n_atoms) return weights[tacit_curve_rest(curve) + atom];
  double parts[3];
  size_t place = tacit_schema_term_parts(schema, which, value, parts);
  if (curve->shape != TACIT_TERM_HATS) return weights[place] * parts[0];
  double hats = weights[place] * parts[0] + weights[place + 1] * parts[1];
  return curve->has_line ? hats + weights[curve->n_points] * parts[2] : hats;
}
