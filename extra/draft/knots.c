/* SPDX-License-Identifier: MIT */
/*
 * Knots from private counts. Knots at equal distances suit skewed numbers badly,
 * because most rows are then between two neighbouring knots. The counts of `tacit
 * describe` are released, so knots made from them have no further cost. With K the
 * declared number of knots, the knots are
 *
 *   atoms      a knot in the middle of every bin whose count is more than 1/K of all
 *              rows and more than five standard deviations of the noise;
 *   the rest   K - 2 inner knots at the quantiles 1/(K-1), 2/(K-1), … of a mixture: one
 *              half are the rows outside atoms, the other half is spread evenly over
 *              the bins, because effects may be in the tails;
 *
 * and min and max, with no two knots closer than a bin. A running sum of noisy counts
 * may fall, so the largest sum so far is used. docs/results/curves.md compares these
 * knots with equal distances.
 */
#include <math.h>
#include <string.h>
#include <tacit/extra/draft.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema/schema.h"
#include "privacy/statement_fields.h"

static const double atom_deviations = 5;

/* The counts of a column. A place is measured in bins: 1.5 is the middle of the second
   bin. */
struct bins {
  size_t count;
  double noise;                       /* standard deviation of each count */
  double *counts, *from, *to, *below; /* below[i]: share of the rest up to the end of
                                         bin i */
  double *places;                     /* places of inner knots */
  size_t n_places;
};

static double total_of(const struct bins *bins) {
  double total = 0;
  for (size_t i = 0; i < bins->count; ++i)
    total += bins->counts[i];
  return total;
}

static void add_place(struct bins *bins, double place) {
  size_t i = bins->n_places++;
  for (; i > 0 && bins->places[i - 1] > place; --i)
    bins->places[i] = bins->places[i - 1];
  bins->places[i] = place;
}

/* Adds knots for the atoms and sets their counts to 0. */
static void add_atoms(struct bins *bins, size_t knots) {
  double least = fmax(total_of(bins) / (double)knots, atom_deviations * bins->noise);
  for (size_t i = 0; i < bins->count; ++i) {
    if (!(bins->counts[i] > least)) continue;
    /* min and max are knots already */
    if (i > 0 && i + 1 < bins->count) add_place(bins, (double)i + 0.5);
    bins->counts[i] = 0;
  }
}

static void add_quantiles(struct bins *bins, size_t knots) {
  double sum = 0, most = 0, even = fmax(total_of(bins), 0) / (double)bins->count;
  for (size_t i = 0; i < bins->count; ++i) {
    sum += bins->counts[i] + even;
    most = fmax(most, sum);
    bins->below[i] = most;
  }
  if (!(most > 0)) return;
  for (size_t k = 1, i = 0; k + 1 < knots; ++k) {
    double wanted = most * (double)k / (double)(knots - 1);
    while (i + 1 < bins->count && bins->below[i] < wanted)
      ++i;
    double before = i > 0 ? bins->below[i - 1] : 0, rise = bins->below[i] - before;
    add_place(bins, (double)i + (rise > 0 ? fmin((wanted - before) / rise, 1) : 0.5));
  }
}

/* Returns the knots as a JSON array of numbers in the units of the file. Leaves out
   places that are less than a bin from the previous knot or from an end. Returns NULL
   if memory runs out. */
static json_t *edges_of(const struct bins *bins) {
  json_t *edges = json_array();
  double last = 0;
  for (size_t k = 0; edges != NULL && k < bins->n_places; ++k) {
    double place = bins->places[k];
    if (place - last < 1 || (double)bins->count - place < 1) continue;
    size_t i = (size_t)place;
    double share = place - (double)i;
    double value = bins->from[i] + share * (bins->to[i] - bins->from[i]);
    if (json_array_append_new(edges, json_real(value)) != 0) {
      json_decref(edges);
      return NULL;
    }
    last = place;
  }
  return edges;
}

/* Returns the counts of the numeric column with this name, or NULL. */
static const json_t *find(const json_t *counts, const char *name) {
  const json_t *columns = json_object_get(counts, "columns"), *column;
  size_t i;
  json_array_foreach(columns, i, column) {
    const char *own = json_string_value(json_object_get(column, "column"));
    const json_t *first = json_array_get(json_object_get(column, "counts"), 0);
    if (own != NULL && strcmp(own, name) == 0 &&
        !json_is_true(json_object_get(column, "label")) &&
        json_is_number(json_object_get(first, "from")))
      return column;
  }
  return NULL;
}

static tacit_status fault_of(const char *name, tacit_error *err) {
  return tacit_fail(
      err, TACIT_EDATA,
      "counts of column '%.80s' are not those of \"tacit describe --json\" "
      "with this schema",
      name);
}

/* Reads the bins of a column. They must ascend, between the bounds of the column.
   Leaves out the count of missing cells, which has no bounds. */
static tacit_status read_bins(const json_t *column, const char *name, double min,
                              double max, struct bins *bins, tacit_error *err) {
  const json_t *list = json_object_get(column, "counts"), *entry;
  double last = min;
  size_t i;
  bins->noise = json_number_value(json_object_get(column, "noise"));
  json_array_foreach(list, i, entry) {
    const json_t *count = json_object_get(entry, "count");
    if (json_object_get(entry, "from") == NULL) continue;
    double from = json_number_value(json_object_get(entry, "from")),
           to = json_number_value(json_object_get(entry, "to"));
    if (!json_is_number(count) || !(from >= last) || !(to > from) || !(to <= max))
      return fault_of(name, err);
    bins->counts[bins->count] = json_number_value(count);
    bins->from[bins->count] = from;
    bins->to[bins->count++] = last = to;
  }
  return bins->count > 1 && bins->noise >= 0 ? TACIT_OK : fault_of(name, err);
}

static tacit_status set_edges(json_t *json, const json_t *column, const char *name,
                              size_t knots, tacit_error *err) {
  size_t size = json_array_size(json_object_get(column, "counts"));
  double min = json_number_value(json_object_get(json, "min")),
         max = json_number_value(json_object_get(json, "max"));
  /* Room for an atom in every bin: if some counts are negative, more than K bins can
     have more than 1/K of the total. */
  double *room = tacit_array_new(5 * size + knots, sizeof *room);
  if (room == NULL) return tacit_fail_memory(err);
  struct bins bins = {.counts = room,
                      .from = room + size,
                      .to = room + 2 * size,
                      .below = room + 3 * size,
                      .places = room + 4 * size};
  tacit_status status = read_bins(column, name, min, max, &bins, err);
  if (status == TACIT_OK) {
    add_atoms(&bins, knots);
    add_quantiles(&bins, knots);
    json_t *edges = edges_of(&bins);
    /* Without an inner knot the declared knots stay. */
    if (edges == NULL ||
        (json_array_size(edges) > 0 && json_object_set(json, "edges", edges) != 0))
      status = tacit_fail_memory(err);
    else if (json_array_size(edges) > 0)
      (void)json_object_del(json_object_get(json, "curve"), "knots");
    json_decref(edges);
  }
  tacit_array_free(room);
  return status;
}

static tacit_status change(json_t *schema, const json_t *counts, tacit_error *err) {
  json_t *columns = json_object_get(schema, "columns"), *column;
  size_t i, found = 0;
  if (json_object_get(schema, "description") != NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "the schema was made from counts before: start from the schema "
                      "without \"description\", whose knots are the declared ones");
  json_array_foreach(columns, i, column) {
    const char *name = json_string_value(json_object_get(column, "name"));
    const char *type = json_string_value(json_object_get(column, "type"));
    const json_t *knots = json_object_get(json_object_get(column, "curve"), "knots");
    if (name == NULL || type == NULL || strcmp(type, "numeric") != 0 || knots == NULL)
      continue;
    const json_t *counted = find(counts, name);
    if (counted == NULL) continue;
    ++found;
    TACIT_TRY(set_edges(column, counted, name, (size_t)json_integer_value(knots), err));
  }
  if (found > 0) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "no number with knots has counts: run \"tacit describe\" with this "
                    "schema, --bins 256 and --json");
}

enum { DIGEST_BYTES = 16 };

static void digest_of(const char *text, size_t size, char out[2 * DIGEST_BYTES + 1]) {
  unsigned char digest[DIGEST_BYTES];
  tacit_hash_of(text, size, "tacit-description", NULL, 0, digest, sizeof digest);
  sodium_bin2hex(out, 2 * DIGEST_BYTES + 1, digest, sizeof digest);
}

/* Notes in the schema what the counts cost. The knots are a part of that release, so a
   run with this schema about the same people must count it. */
static tacit_status note_counts(json_t *schema, const json_t *counts,
                                const char *digest, tacit_error *err) {
  const json_t *statement = json_object_get(counts, "statement");
  int is_private = json_is_true(json_object_get(counts, "private"));
  json_t *noted = NULL;
  if (is_private && statement == NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "the counts have no privacy statement: run \"tacit describe\" of "
                      "this version again");
  TACIT_TRY(tacit_described_json(is_private ? statement : NULL, digest, &noted, err));
  return json_object_set_new(schema, "description", noted) == 0 &&
                 json_object_set_new(schema, "tacit_schema", json_integer(2)) == 0
             ? TACIT_OK
             : tacit_fail_memory(err);
}

tacit_status tacit_schema_knots(const tacit_schema *schema, const char *path,
                                uint64_t max, char **out, int *out_private,
                                tacit_error *err) {
  char *text = NULL;
  size_t size = 0;
  json_t *counts = NULL, *changed = NULL;
  TACIT_TRY(tacit_file_read(path, max > 0 ? max : TACIT_FILE_SMALL, "--max-model",
                            &text, &size, err));
  tacit_status status = tacit_json_parse(text, size, path, &counts, err);
  char digest[2 * DIGEST_BYTES + 1];
  digest_of(text, size, digest);
  tacit_array_free(text);
  if (status == TACIT_OK) status = tacit_schema_to_json(schema, &changed, err);
  if (status == TACIT_OK) status = change(changed, counts, err);
  if (status == TACIT_OK) status = note_counts(changed, counts, digest, err);
  if (status == TACIT_OK) status = tacit_json_text(changed, 2, out, err);
  if (status == TACIT_OK && out_private != NULL)
    *out_private = json_is_true(json_object_get(counts, "private"));
  json_decref(counts);
  json_decref(changed);
  return status;
}
