/* SPDX-License-Identifier: MIT */
/* Any bytes as a CSV file with a schema that has a column of each type, with two
   classes and with three. */
#include "fuzz.h"

#include <string.h>

#include "data/schema/schema.h"

#define SCHEMA(classes)                                                                \
  "{\"tacit_schema\": 1, \"label\": {\"column\": \"y\", \"classes\": [" classes        \
  "]}, \"columns\": ["                                                                 \
  "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110},"              \
  "{\"name\": \"bmi\", \"type\": \"numeric\", \"min\": 10, \"max\": 60, \"map\": "     \
  "[0, 1], \"missing\": 25},"                                                          \
  "{\"name\": \"sex\", \"type\": \"category\", \"values\": [\"f\", \"m\"]},"           \
  "{\"name\": \"zip\", \"type\": \"hashed\", \"slots\": 64},"                          \
  "{\"name\": \"id\", \"type\": \"ignore\"}]}"

static const char *const schemas[] = {SCHEMA("\"no\", \"yes\""),
                                      SCHEMA("\"no\", \"perhaps\", \"yes\"")};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; ++i) {
    tacit_schema *schema;
    tacit_status status =
        tacit_schema_parse(schemas[i], strlen(schemas[i]), "fuzz", &schema, NULL);
    FUZZ_CHECK(status == TACIT_OK);
    fuzz_reader(data, size, schema);
    tacit_schema_free(schema);
  }
  return 0;
}
