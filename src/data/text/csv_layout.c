/* SPDX-License-Identifier: MIT */
/* Reads the header of a CSV file: which field is which column. Messages do not quote
   the header, because the first line of a file without a header is a record. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/text/csv_fault.h"
#include "data/text/number.h"

static tacit_status place_field(const tacit_parse *parse, const tacit_line *line,
                                size_t field, tacit_csv_layout *layout,
                                tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  const tacit_field *name = &parse->fields.fields[field];
  const tacit_entry *entry =
      tacit_entry_find(schema->by_name, schema->n_columns + 1, name->begin, name->size);
  if (entry == NULL) {
    layout->n_unknown += !tacit_csv_is_kept(parse, name);
    return TACIT_OK;
  }
  size_t *place = entry->number == schema->n_columns ? &layout->label_field
                                                     : &layout->field_of[entry->number];
  if (*place != TACIT_NO_FIELD) {
    char shown[TACIT_NAME_BYTES];
    tacit_name_shorten(entry->text, 40, shown);
    return parse->name == NULL
               ? tacit_fail(err, TACIT_EDATA, "the table has column '%s' twice", shown)
               : tacit_fail(err, TACIT_EDATA,
                            "%s: line %" PRId64 ": column '%s' is in the header twice",
                            parse->name, line->number, shown);
  }
  *place = field;
  return TACIT_OK;
}

/* Finds the columns whose text is kept. They need not be declared. */
static tacit_status place_kept(const tacit_parse *parse, const tacit_line *line,
                               tacit_csv_layout *layout, tacit_error *err) {
  layout->n_kept = parse->n_keep;
  TACIT_TRY(TACIT_NEW(layout->kept, parse->n_keep + 1, err));
  for (size_t i = 0; i < parse->n_keep; ++i) {
    const char *name = parse->keep[i];
    size_t field = 0, size = strlen(name);
    while (field < layout->n_fields &&
           (parse->fields.fields[field].size != size ||
            memcmp(parse->fields.fields[field].begin, name, size) != 0))
      ++field;
    if (field == layout->n_fields) {
      char shown[TACIT_NAME_BYTES];
      tacit_name_shorten(name, 40, shown);
      return tacit_fail(err, TACIT_EDATA,
                        "%s: line %" PRId64 ": column '%s' should be kept, and is not "
                        "in the header",
                        parse->name, line->number, shown);
    }
    layout->kept[i] = field;
  }
  return TACIT_OK;
}

static tacit_status place_fields(tacit_parse *parse, const tacit_line *line,
                                 tacit_csv_layout *layout, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  layout->n_fields = parse->fields.count;
  layout->label_field = TACIT_NO_FIELD;
  for (size_t i = 0; i < schema->n_columns; ++i)
    layout->field_of[i] = TACIT_NO_FIELD;
  for (size_t i = 0; i < layout->n_fields; ++i)
    TACIT_TRY(place_field(parse, line, i, layout, err));
  int matches = layout->n_unknown == 0 || parse->ignores_extra;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    /* predictions need no label, no weight and no id */
    int needed = parse->labels || schema->columns[i].type <= TACIT_COLUMN_IGNORE;
    if (layout->field_of[i] == TACIT_NO_FIELD && needed) matches = 0;
  }
  if (parse->labels && layout->label_field == TACIT_NO_FIELD) matches = 0;
  if (!matches) return tacit_csv_header_fault(parse, line, layout, err);
  TACIT_TRY(place_kept(parse, line, layout, err));
  /* The fast parser takes a field without a column for the label, and keeps no text. */
  layout->in_order = layout->n_unknown == 0 && layout->n_kept == 0;
  size_t last = 0;
  for (size_t i = 0; i < schema->n_columns; ++i) {
    size_t field = layout->field_of[i];
    if (field == TACIT_NO_FIELD) continue;
    layout->column_at[field] = &schema->columns[i];
    if (schema->columns[i].type > TACIT_COLUMN_IGNORE)
      continue; /* these columns give
                   no entries */
    if (field < last) layout->in_order = 0;
    last = field;
  }
  return TACIT_OK;
}

/* Returns 1 if a text of "na" looks like a number, as "-9" does. */
static int has_numbers_in_na(const tacit_parse *parse) {
  const tacit_schema *schema = parse->schema;
  for (size_t i = 0; i < schema->n_na; ++i) {
    double number;
    const char *text = schema->na[i];
    if (tacit_number_parse(text, text + strlen(text), parse->c_locale, &number))
      return 1;
  }
  return 0;
}

void tacit_csv_layout_free(void *object) {
  tacit_csv_layout *layout = object;
  if (layout == NULL) return;
  TACIT_FREE(layout->field_of, layout->column_at, layout->kept);
  tacit_csv_plan_fini(&layout->plan);
  tacit_array_free(layout);
}

tacit_status tacit_csv_header(tacit_parse *parse, const tacit_line *line, void **out,
                              tacit_error *err) {
  TACIT_TRY(tacit_csv_split_max(parse, line, SIZE_MAX - 1, err));
  return tacit_csv_layout_new(parse, line, out, err);
}

tacit_status tacit_csv_layout_new(tacit_parse *parse, const tacit_line *line,
                                  void **out, tacit_error *err) {
  const tacit_schema *schema = parse->schema;
  tacit_csv_layout *layout = tacit_array_new(1, sizeof *layout);
  if (layout == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_NEW(layout->field_of, schema->n_columns, err);
  if (status == TACIT_OK)
    status = TACIT_NEW(layout->column_at, parse->fields.count, err);
  layout->na_is_number = has_numbers_in_na(parse);
  if (status == TACIT_OK) status = place_fields(parse, line, layout, err);
  if (status == TACIT_OK) status = tacit_csv_plan_init(parse, layout, err);
  return TACIT_HAND_OVER(status, layout, tacit_csv_layout_free, out);
}
