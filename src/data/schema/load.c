/* SPDX-License-Identifier: MIT */
/* Reads schema files. A message about a syntax error does not quote the file, because
   the user may have named a data file by mistake, and its records must not be
   printed. */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/bytes/source.h"
#include "data/schema/parts.h"

enum { SCHEMA_BYTES = 64 << 20, FIRST_BYTES = 1 << 16 };

/* Makes a schema from JSON text. If `counting` is not NULL, changes the JSON for
   counting before. */
static tacit_status parse(const char *text, size_t size, const char *where,
                          const tacit_counting *counting, tacit_schema **out,
                          tacit_error *err) {
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    size -= 3;
  }
  tacit_json_fault fault;
  json_t *json = NULL;
  tacit_status status = tacit_json_read(text, size, &json, &fault);
  if (status == TACIT_ENOMEM) return tacit_fail_memory(err);
  if (status != TACIT_OK && fault.key_twice)
    return tacit_fail(err, TACIT_EDATA, "%s: line %ld: a key is given twice", where,
                      fault.line);
  if (status != TACIT_OK)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %ld, column %ld: not valid JSON; `tacit schema` makes "
                      "a template",
                      where, fault.line, fault.column);
  tacit_schema *schema = NULL;
  if (counting != NULL && tacit_schema_change_for_counts(json, counting) != 0)
    status = tacit_fail_memory(err);
  if (status == TACIT_OK) status = tacit_schema_from_json(json, where, &schema, err);
  json_decref(json);
  if (status != TACIT_OK) return status;
  if (schema->kind != TACIT_SCHEMA_CSV) {
    tacit_schema_free(schema);
    return tacit_fail(err, TACIT_EDATA,
                      "%s: a schema file is for CSV: \"format\": \"csv\"", where);
  }
  *out = schema;
  return TACIT_OK;
}

tacit_status tacit_schema_parse(const char *text, size_t size, const char *where,
                                tacit_schema **out, tacit_error *err) {
  return parse(text, size, where, NULL, out, err);
}

tacit_status tacit_schema_from_text(const char *text, size_t size, const char *where,
                                    tacit_schema **out, tacit_error *err) {
  if (text == NULL || where == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "schema: text, where or out is NULL");
  return tacit_schema_parse(text, size, where, out, err);
}

static tacit_status read_all(tacit_source *source, size_t max, char **text,
                             size_t *out_size, tacit_error *err) {
  size_t capacity = FIRST_BYTES, size = 0, got;
  *text = tacit_raw_new(capacity, 1);
  if (*text == NULL) return tacit_fail_memory(err);
  do {
    if (size == capacity) {
      capacity = capacity >= max / 2 ? max + 1 : 2 * capacity;
      char *larger = tacit_raw_grow(*text, capacity, 1);
      if (larger == NULL) return tacit_fail_memory(err);
      *text = larger;
    }
    TACIT_TRY(tacit_source_read(source, *text + size, capacity - size, &got, err));
    size += got;
    if (size > max)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: larger than %zu bytes; raise the limit with --max-model "
                        "if it should be",
                        tacit_source_name(source), max);
  } while (got > 0);
  *out_size = size;
  return TACIT_OK;
}

tacit_status tacit_schema_load_for(const char *path, uint64_t max,
                                   const tacit_counting *counting, tacit_schema **out,
                                   tacit_error *err) {
  if (path == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "schema: path or out is NULL");
  if (max == 0) max = SCHEMA_BYTES;
  if (max > SIZE_MAX / 4) max = SIZE_MAX / 4;
  tacit_source *source;
  TACIT_TRY(tacit_source_open(path, &source, err));
  char *text = NULL;
  size_t size = 0;
  tacit_status status = read_all(source, (size_t)max, &text, &size, err);
  if (status == TACIT_OK)
    status = parse(text, size, tacit_source_name(source), counting, out, err);
  tacit_raw_free(text);
  tacit_source_free(source);
  return status;
}

tacit_status tacit_schema_load(const char *path, uint64_t max, tacit_schema **out,
                               tacit_error *err) {
  return tacit_schema_load_for(path, max, NULL, out, err);
}
