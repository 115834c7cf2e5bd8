/* SPDX-License-Identifier: MIT */
/* Any bytes as a CSV file with a schema that has a column of each type. */
#include "fuzz.h"

#include <string.h>

#include "data/schema.h"

static const char json[] =
    "{\"tacit_schema\": 1, \"label\": {\"column\": \"y\", \"classes\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110},"
    "{\"name\": \"bmi\", \"type\": \"numeric\", \"min\": 10, \"max\": 60, \"map\": "
    "[0, 1], \"missing\": 25},"
    "{\"name\": \"sex\", \"type\": \"category\", \"values\": [\"f\", \"m\"]},"
    "{\"name\": \"zip\", \"type\": \"hashed\", \"slots\": 64},"
    "{\"name\": \"id\", \"type\": \"ignore\"}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tacit_schema *schema;
  tacit_status status = tacit_schema_parse(json, strlen(json), "fuzz", &schema, NULL);
  FUZZ_CHECK(status == TACIT_OK);
  fuzz_reader(data, size, schema);
  tacit_schema_free(schema);
  return 0;
}
