/* SPDX-License-Identifier: MIT */
/* Any bytes as a schema file, and as a header line to make a template from. */
#include "fuzz.h"

#include <string.h>
#include <tacit/extra/draft.h>
#include <unistd.h>

#include "data/schema/schema.h"

static void check_schema(const tacit_schema *schema) {
  size_t features = tacit_schema_features(schema);
  FUZZ_CHECK(features >= 1 && features <= TACIT_FEATURES_MAX);
  FUZZ_CHECK(tacit_schema_feature_name(schema, features) == NULL);
  const char *last = tacit_schema_feature_name(schema, features - 1);
  FUZZ_CHECK(last == NULL || *last != '\0');
  size_t classes = tacit_schema_classes(schema);
  FUZZ_CHECK(classes != 1 && classes <= TACIT_CLASSES_MAX);
  for (size_t i = 0; i < classes; ++i)
    FUZZ_CHECK(*tacit_schema_class(schema, (int)i) != '\0');
  FUZZ_CHECK(tacit_schema_class(schema, (int)classes) == NULL);
  json_t *first, *second;
  tacit_schema *again;
  FUZZ_CHECK(tacit_schema_to_json(schema, &first, NULL) == TACIT_OK);
  FUZZ_CHECK(tacit_schema_from_json(first, "fuzz", &again, NULL) == TACIT_OK);
  FUZZ_CHECK(tacit_schema_to_json(again, &second, NULL) == TACIT_OK);
  FUZZ_CHECK(json_equal(first, second));
  json_decref(first);
  json_decref(second);
  tacit_schema_free(again);
}

/* A template is JSON, and not complete. */
static void check_template(const char *path) {
  char *text = NULL;
  tacit_schema *schema = NULL;
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.header = path;
  tacit_status status = tacit_schema_draft(&options, &text, NULL);
  FUZZ_CHECK((status == TACIT_OK) == (text != NULL));
  if (text == NULL) return;
  json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  FUZZ_CHECK(json != NULL);
  json_decref(json);
  tacit_error err;
  FUZZ_CHECK(tacit_schema_parse(text, strlen(text), "t", &schema, &err) == TACIT_EDATA);
  FUZZ_CHECK(strstr(err.message, "not filled in") != NULL);
  tacit_string_free(text);
}

/* The bytes themselves, which end where their memory ends. A file may also be
   compressed. */
static void check_text(const uint8_t *data, size_t size, int is_schema) {
  tacit_schema *schema = NULL;
  tacit_status status =
      tacit_schema_from_text((const char *)data, size, "fuzz", &schema, NULL);
  FUZZ_CHECK((status == TACIT_OK) == (schema != NULL));
  FUZZ_CHECK(schema == NULL || is_schema);
  tacit_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[32];
  int fd = fuzz_file(data, size, path);
  tacit_schema *schema = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status = tacit_schema_load(path, 0, &schema, &err);
  FUZZ_CHECK((status == TACIT_OK) == (schema != NULL));
  if (schema != NULL)
    check_schema(schema);
  else
    FUZZ_CHECK(status == TACIT_EDATA && strncmp(err.message, path, strlen(path)) == 0);
  check_text(data, size, schema != NULL);
  tacit_schema_free(schema);
  check_template(path);
  (void)close(fd);
  return 0;
}
