/* SPDX-License-Identifier: MIT */
/* Makes schemas of LIBSVM files and of arrays, which have a number of inputs and a
   label. */
#include <math.h>

#include "base/error.h"
#include "data/schema/schema.h"

/* Makes a schema. If `classes` is 0, the label is a number between label_min and
   label_max. */
static tacit_status plain_schema(tacit_schema_kind kind, size_t features,
                                 size_t classes, double label_min, double label_max,
                                 tacit_schema **out, tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "schema: out is NULL");
  if (features < 1 || features > TACIT_FEATURES_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "the number of features must be from 1 to 2147483647");
  if (classes == 0 && !(label_min < label_max && isfinite(label_max - label_min)))
    return tacit_fail(err, TACIT_EINVAL,
                      "the bounds of the label must be finite and the first below the "
                      "second");
  if (classes == 1 || classes > TACIT_CLASSES_MAX)
    return tacit_fail(err, TACIT_EINVAL, "the number of classes must be from 2 to %d",
                      TACIT_CLASSES_MAX);
  tacit_schema *schema = tacit_schema_new(kind);
  if (schema == NULL) return tacit_fail_memory(err);
  schema->features = features;
  schema->n_classes = classes;
  schema->label_kind = classes == 0 ? TACIT_LABEL_NUMBER : TACIT_LABEL_CLASSES;
  schema->label_min = classes == 0 ? label_min : 0;
  schema->label_max = classes == 0 ? label_max : 0;
  tacit_status status = tacit_schema_finish(schema, "schema", err);
  return TACIT_HAND_OVER(status, schema, tacit_schema_free, out);
}

tacit_status tacit_schema_libsvm(size_t features, size_t classes, double label_min,
                                 double label_max, tacit_schema **out,
                                 tacit_error *err) {
  return plain_schema(TACIT_SCHEMA_LIBSVM, features, classes, label_min, label_max, out,
                      err);
}

tacit_status tacit_schema_memory(size_t features, size_t classes, double label_min,
                                 double label_max, tacit_schema **out,
                                 tacit_error *err) {
  return plain_schema(TACIT_SCHEMA_MEMORY, features, classes, label_min, label_max, out,
                      err);
}
