/* SPDX-License-Identifier: MIT */
/* Weights of rows that are not in the rows, but in a file of their own or in an
   array. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/array/npy.h"
#include "data/reader/reader.h"
#include "data/schema/schema.h"
#include "data/text/lines.h"
#include "data/text/number.h"

struct weights {
  const char *name; /* begins messages */
  double max;       /* declared; 0 if not declared */
  double *list;
  int64_t rows;
};

/* Stores the weight of a row, divided by the declared maximum. */
static tacit_status put(const struct weights *weights, int64_t row, double weight,
                        tacit_error *err) {
  if (!(weight >= 0 && weight <= DBL_MAX))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: row %" PRId64 ": a weight must be a number from 0 on",
                      weights->name, row + 1);
  double max = weights->max > 0 ? weights->max : 1;
  if (weights->max == 0 && weight > 1)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: row %" PRId64
                      ": a weight is above 1: declare the largest (--max-weight, "
                      "max_weight)",
                      weights->name, row + 1);
  weights->list[row] = weight < max ? weight / max : 1;
  return TACIT_OK;
}

static tacit_status put_all(const struct weights *weights, const double *array,
                            tacit_error *err) {
  for (int64_t row = 0; row < weights->rows; ++row)
    TACIT_TRY(put(weights, row, array[row], err));
  return TACIT_OK;
}

static tacit_status fail_count(const struct weights *weights, int64_t found, int more,
                               tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: %s%" PRId64 " weights for %" PRId64
                    " rows: give one for every row",
                    weights->name, more ? "more than " : "", found, weights->rows);
}

static tacit_status read_lines(const struct weights *weights, tacit_source *source,
                               tacit_lines *lines, tacit_error *err) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) return tacit_fail_memory(err);
  tacit_status status = TACIT_OK;
  int64_t row = 0;
  tacit_lines_start(lines, source);
  for (int more = 1; status == TACIT_OK; ++row) {
    tacit_line line;
    double weight = NAN;
    status = tacit_lines_next(lines, &line, &more, err);
    if (status != TACIT_OK || !more) break;
    if (row == weights->rows) status = fail_count(weights, row, 1, err);
    if (status != TACIT_OK) break;
    if (!tacit_number_parse(line.begin, line.end, c_locale, &weight)) weight = NAN;
    status = put(weights, row, weight, err);
  }
  if (status == TACIT_OK && row < weights->rows)
    status = fail_count(weights, row, 0, err);
  freelocale(c_locale);
  return status;
}

static tacit_status read_text(const struct weights *weights, const char *path,
                              const tacit_reader_options *options, tacit_error *err) {
  tacit_source *source = NULL;
  tacit_lines *lines = NULL;
  tacit_status status = tacit_source_open(path, &source, err);
  if (status == TACIT_OK)
    status = tacit_lines_new(tacit_line_max(options->max_line), 0, &lines, err);
  if (status == TACIT_OK) status = read_lines(weights, source, lines, err);
  tacit_lines_free(lines);
  tacit_source_free(source);
  return status;
}

static tacit_status read_npy(const struct weights *weights, const char *path,
                             tacit_error *err) {
  tacit_npy npy = {0};
  tacit_status status = tacit_npy_open(&npy, path, err);
  if (status == TACIT_OK && npy.head.n_dims != 1)
    status = tacit_fail(err, TACIT_EDATA, "%s: weights need one dimension, not two",
                        npy.name);
  if (status == TACIT_OK && npy.head.n_rows != weights->rows)
    status = fail_count(weights, npy.head.n_rows, 0, err);
  if (status == TACIT_OK) {
    tacit_npy_numbers(&npy, 0, weights->rows, weights->list);
    status = put_all(weights, weights->list, err);
  }
  tacit_npy_close(&npy);
  return status;
}

static tacit_status read_all(const struct weights *weights, const double *array,
                             const tacit_reader_options *options, tacit_error *err) {
  const char *path = options->weight_path;
  if (path != NULL)
    return tacit_file_kind_of(path) == TACIT_FILE_NPY
               ? read_npy(weights, path, err)
               : read_text(weights, path, options, err);
  return put_all(weights, array, err);
}

tacit_status tacit_reader_weigh(tacit_reader *reader, const double *weights,
                                const tacit_reader_options *options, tacit_error *err) {
  const char *path = options->weight_path;
  double max = options->max_weight;
  if (!(max >= 0 && max <= DBL_MAX))
    return tacit_fail(err, TACIT_EINVAL, "the largest weight must be above 0");
  if (tacit_schema_weighs(options->schema) && options->labels) reader->is_weighted = 1;
  if (weights == NULL && path == NULL) return TACIT_OK;
  if ((weights != NULL && path != NULL) || reader->is_weighted)
    return tacit_fail(err, TACIT_EINVAL,
                      "the rows have weights already: give one kind");
  if (tacit_schema_is_csv(options->schema))
    return tacit_fail(err, TACIT_EINVAL,
                      "a file of weights is for LIBSVM and .npy: the schema of a CSV "
                      "file declares the column of the weights");
  if (reader->rows < 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "weights need the number of rows: declare it (--rows)");
  char name[TACIT_NAME_BYTES] = "weights";
  if (path != NULL) tacit_name_shorten(path, 90, name);
  struct weights all = {name, max, NULL, reader->rows};
  TACIT_TRY(TACIT_RAW_NEW(reader->weights, (size_t)reader->rows, err));
  reader->is_weighted = 1;
  all.list = reader->weights;
  return read_all(&all, weights, options, err);
}
