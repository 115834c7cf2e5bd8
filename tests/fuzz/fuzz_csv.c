/* SPDX-License-Identifier: MIT */
/* Any bytes as a CSV file with a schema that has a column of each type of version 1,
   with two classes and with three, and one that has everything of version 2. */
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

#define VERSION_2                                                                      \
  "{\"tacit_schema\": 2, \"na\": [\"NA\"], \"quoted_newlines\": true, "                \
  "\"missing_label\": \"skip\", \"label\": {\"column\": \"y\", \"above\": 1}, "        \
  "\"columns\": ["                                                                     \
  "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110, "              \
  "\"curve\": {\"knots\": 4, \"line\": true}, \"missing\": \"own\"},"                  \
  "{\"name\": \"bmi\", \"type\": \"numeric\", \"min\": 10, \"max\": 60, "              \
  "\"map\": \"log\", \"edges\": [20, 30]},"                                            \
  "{\"name\": \"sex\", \"type\": \"bool\", \"missing\": true},"                        \
  "{\"name\": \"zip\", \"type\": \"ordinal\", \"values\": [\"a\", \"b\", \"c\"], "     \
  "\"missing\": \"own\"},"                                                             \
  "{\"name\": \"day\", \"type\": \"date\", \"format\": \"%d.%m.%Y\", \"min\": "        \
  "\"2020-01-01\", \"max\": \"2021-12-31\", \"parts\": [\"year\", \"month\", "         \
  "\"weekday\", \"yearday\", \"days\"], \"missing\": \"own\"},"                        \
  "{\"name\": \"id\", \"type\": \"text\", \"slots\": 8}],"                             \
  "\"crosses\": [[\"age\", \"sex\"], {\"columns\": [\"zip\", \"bmi\", \"sex\"], "      \
  "\"slots\": 3}]}"

static const char *const schemas[] = {
    SCHEMA("\"no\", \"yes\""), SCHEMA("\"no\", \"perhaps\", \"yes\""), VERSION_2};

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
