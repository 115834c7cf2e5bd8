/* SPDX-License-Identifier: MIT */
/* Any bytes as a model file. What loads must predict, be saved, and load again as the
   same model. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>
#include <unistd.h>

static void check_predicts(const tacit_model *model) {
  size_t count, features = tacit_schema_features(tacit_model_schema(model));
  const double *weights = tacit_model_weights(model, &count);
  size_t inputs = features + (tacit_model_has_bias(model) ? 1 : 0);
  FUZZ_CHECK(count == tacit_model_outputs(model) * inputs);
  for (size_t i = 0; i < count; ++i)
    FUZZ_CHECK(isfinite(weights[i]));
  const double *offset = tacit_model_offset(model);
  for (size_t k = 0; offset != NULL && k < tacit_model_outputs(model); ++k)
    FUZZ_CHECK(isfinite(offset[k]));
  FUZZ_CHECK(isfinite(tacit_model_row_scale(model)) &&
             tacit_model_row_scale(model) >= 0);
  double *row = calloc(features + 1, sizeof *row), label = 1, out = 0;
  FUZZ_CHECK(row != NULL);
  for (size_t i = 0; i < features; ++i)
    row[i] = (double)(i % 3) - 1;
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = 1;
  batch.n_features = features;
  batch.raw_values = row;
  batch.raw_labels = &label;
  FUZZ_CHECK(tacit_model_predict(model, &batch, &out, NULL) == TACIT_OK);
  free(row);
}

static void check_saves(const tacit_model *model) {
  char path[] = "/tmp/tacit-fuzz-XXXXXX";
  int fd = mkstemp(path);
  tacit_model *again = NULL;
  FUZZ_CHECK(fd >= 0 && close(fd) == 0);
  FUZZ_CHECK(tacit_model_save(model, path, NULL) == TACIT_OK);
  FUZZ_CHECK(tacit_model_load(path, 0, &again, NULL) == TACIT_OK);
  size_t count, count_again;
  const double *weights = tacit_model_weights(model, &count);
  const double *weights_again = tacit_model_weights(again, &count_again);
  FUZZ_CHECK(count == count_again);
  FUZZ_CHECK(memcmp(weights, weights_again, count * sizeof *weights) == 0);
  const double *offset = tacit_model_offset(model);
  const double *offset_again = tacit_model_offset(again);
  FUZZ_CHECK((offset == NULL) == (offset_again == NULL));
  FUZZ_CHECK(
      offset == NULL ||
      memcmp(offset, offset_again, tacit_model_outputs(model) * sizeof *offset) == 0);
  FUZZ_CHECK(tacit_model_row_scale(model) == tacit_model_row_scale(again));
  FUZZ_CHECK(strcmp(tacit_model_statement_text(model),
                    tacit_model_statement_text(again)) == 0);
  tacit_model_free(again);
  (void)unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tacit_model *model = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status = tacit_model_parse((const char *)data, size, &model, &err);
  FUZZ_CHECK((status == TACIT_OK) == (model != NULL));
  if (model == NULL) {
    FUZZ_CHECK(status == TACIT_EDATA && err.status == status && err.message[0] != '\0');
    return 0;
  }
  check_predicts(model);
  check_saves(model);
  tacit_model_free(model);
  return 0;
}
