/* SPDX-License-Identifier: MIT */
/* Any bytes as a LIBSVM file, for two classes, for more, and for numbers. */
#include "fuzz.h"

#include <math.h>
#include <tacit/data.h>

static tacit_status make_schema(int kind, tacit_schema **out) {
  if (kind == 0) return tacit_schema_libsvm(123, 2, 0, 0, out, NULL);
  if (kind == 1) return tacit_schema_libsvm(123, 0, -5, 5, out, NULL);
  return tacit_schema_libsvm(123, 7, 0, 0, out, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (int kind = 0; kind < 3; ++kind) {
    tacit_schema *schema;
    FUZZ_CHECK(make_schema(kind, &schema) == TACIT_OK);
    fuzz_reader(data, size, schema);
    tacit_schema_free(schema);
  }
  return 0;
}
