/* SPDX-License-Identifier: MIT */
/* Any bytes as a LIBSVM file, for classes and for numbers. */
#include "fuzz.h"

#include <math.h>
#include <tacit/data.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (int is_number = 0; is_number < 2; ++is_number) {
    tacit_schema *schema;
    tacit_status status = tacit_schema_libsvm(123, is_number ? -5 : NAN,
                                              is_number ? 5 : NAN, &schema, NULL);
    FUZZ_CHECK(status == TACIT_OK);
    fuzz_reader(data, size, schema);
    tacit_schema_free(schema);
  }
  return 0;
}
