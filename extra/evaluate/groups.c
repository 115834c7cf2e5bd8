/* SPDX-License-Identifier: MIT */
/* Evaluates groups of rows in the release that evaluates all rows (groups.h). */
#include "extra/evaluate/groups.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A group whose total is below this many standard deviations of its noise says
   nothing. */
static const double least_signal = 4;

tacit_status tacit_groups_init(const tacit_schema *schema, const char *by,
                               const tacit_score_table *table, tacit_groups *out,
                               tacit_error *err) {
  *out = (tacit_groups){0};
  for (size_t i = 0; i < schema->n_columns && out->column == NULL; ++i)
    if (strcmp(schema->columns[i].name, by) == 0) out->column = &schema->columns[i];
  if (out->column == NULL || (out->column->type != TACIT_COLUMN_CATEGORY &&
                              out->column->type != TACIT_COLUMN_BOOL))
    return tacit_fail(err, TACIT_EINVAL,
                      "groups are those of a category or yes/no column of the model, "
                      "and %.100s is none",
                      by);
  out->count = tacit_column_values(out->column);
  if (out->count > TACIT_GROUPS_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "column %.100s has %zu groups: at most %d are evaluated", by,
                      out->count, TACIT_GROUPS_MAX);
  out->table = *table;
  if (table->kind == TACIT_TABLE_NUMBERS && !table->weighted)
    out->table.parts[out->table.n_parts++] =
        (tacit_tally_part){1, out->table.parts[0].scale};
  out->table.weighted = 1;
  out->table.columns = 0;
  for (size_t p = 0; p < out->table.n_parts; ++p)
    out->table.columns += out->table.parts[p].columns;
  return TACIT_OK;
}

void tacit_groups_parts(const tacit_groups *groups, tacit_tally_part *out) {
  for (size_t p = 0; p < groups->table.n_parts; ++p) {
    out[p] = groups->table.parts[p];
    out[p].columns *= groups->count;
  }
}

void tacit_groups_place(const tacit_groups *groups, const tacit_row *row, size_t n_base,
                        uint32_t *raw_columns, double *raw_values) {
  size_t raw_at = 0;
  uint32_t raw_group = tacit_column_place(groups->column, row, &raw_at);
  for (size_t p = 0; p < groups->table.n_parts; ++p) {
    size_t columns = groups->table.parts[p].columns;
    raw_columns[n_base + p] =
        columns > 1 ? raw_group * (uint32_t)columns + raw_columns[p] : raw_group;
    raw_values[n_base + p] = p < n_base ? raw_values[p] : 1;
  }
}

static const char *name_of(const tacit_column *column, size_t group) {
  if (column->type == TACIT_COLUMN_BOOL) return group > 0 ? "true" : "false";
  if (column->missing == TACIT_MISSING_OWN && group + 1 == tacit_column_values(column))
    return "missing";
  return group < column->n_values ? column->values[group] : "other";
}

/* Copies the released numbers of a group, part after part. */
static void table_of(const tacit_groups *groups, size_t group, const double *values,
                     double *out) {
  for (size_t p = 0; p < groups->table.n_parts; ++p) {
    size_t columns = groups->table.parts[p].columns;
    memcpy(out, values + group * columns, columns * sizeof *out);
    out += columns;
    values += groups->count * columns;
  }
}

/* Returns the released number of rows of a group, and the noise in it. */
static double total_of(const tacit_score_table *table, const double *values,
                       const double *noise, double *out_noise) {
  double total = 0;
  if (table->kind == TACIT_TABLE_NUMBERS) {
    *out_noise = noise[table->n_parts - 1];
    return values[table->columns - 1];
  }
  for (size_t i = 0; i < table->parts[0].columns; ++i)
    total += values[i];
  *out_noise = noise[0] * sqrt((double)table->parts[0].columns);
  return total;
}

/* Makes the object of a group. Curves of thresholds and tables of classes are left
   out. */
static tacit_status describe_group(const tacit_groups *groups,
                                   const tacit_schema *schema, size_t group,
                                   const double *values, const double *noise,
                                   json_t **out, tacit_error *err) {
  double spread, total = total_of(&groups->table, values, noise, &spread);
  const tacit_interval rows = {.value = fmax(total, 0),
                               .low = fmax(total - 1.96 * spread, 0),
                               .high = fmax(total + 1.96 * spread, 0)};
  json_t *object = json_pack("{s:s, s:o}", "group", name_of(groups->column, group),
                             "rows", tacit_interval_json(&rows));
  *out = object;
  if (object == NULL) return tacit_fail_memory(err);
  if (total < least_signal * spread)
    return json_object_set_new(object, "too_small", json_true()) == 0
               ? TACIT_OK
               : tacit_fail_memory(err);
  TACIT_TRY(tacit_table_result(&groups->table, schema, values, noise, object, err));
  const json_t *points = json_object_get(object, "thresholds");
  json_t *middle = json_array_get(points, groups->table.bins / 2 - 1);
  json_t *recall = json_object_get(middle, "true_positive_rate");
  if (recall != NULL &&
      json_object_set(json_object_get(object, "metrics"), "recall", recall) != 0)
    return tacit_fail_memory(err);
  (void)json_object_del(object, "thresholds");
  (void)json_object_del(object, "confusion");
  return TACIT_OK;
}

tacit_status tacit_groups_result(const tacit_groups *groups, const tacit_schema *schema,
                                 const double *values, const double *noise,
                                 json_t *object, tacit_error *err) {
  double *room = tacit_array_new(groups->table.columns, sizeof *room);
  json_t *list = json_array();
  tacit_status status =
      room != NULL && list != NULL ? TACIT_OK : tacit_fail_memory(err);
  for (size_t g = 0; status == TACIT_OK && g < groups->count; ++g) {
    json_t *one = NULL;
    table_of(groups, g, values, room);
    status = describe_group(groups, schema, g, room, noise, &one, err);
    if (status == TACIT_OK && json_array_append(list, one) != 0)
      status = tacit_fail_memory(err);
    json_decref(one);
  }
  if (status == TACIT_OK &&
      (json_object_set_new(object, "by", json_string(groups->column->name)) != 0 ||
       json_object_set(object, "groups", list) != 0))
    status = tacit_fail_memory(err);
  json_decref(list);
  tacit_array_free(room);
  return status;
}
