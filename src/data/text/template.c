/* SPDX-License-Identifier: MIT */
/* A schema template for the user to complete, made from the header line of a CSV file.
   Nothing else of the file is read: bounds and categories must not depend on records.
   What the user must fill in is null, and a schema with such a null is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema/schema.h"
#include "data/text/fields.h"
#include "data/text/lines.h"

struct text {
  char *bytes;
  size_t size, capacity;
  int failed;
};

static void add(struct text *text, const char *part) {
  size_t size = strlen(part);
  if (text->failed) return;
  if (size + 1 > text->capacity - text->size) {
    size_t capacity = 2 * (text->capacity + size + 1);
    char *larger = tacit_array_grow(text->bytes, capacity, 1);
    if (larger == NULL) {
      text->failed = 1;
      return;
    }
    text->bytes = larger;
    text->capacity = capacity;
  }
  memcpy(text->bytes + text->size, part, size + 1);
  text->size += size;
}

static void add_quoted(struct text *text, const char *name) {
  json_t *json = json_string(name);
  char *quoted = NULL;
  if (json == NULL || tacit_json_text(json, 0, &quoted, NULL) != TACIT_OK) {
    text->failed = 1;
  } else {
    add(text, quoted);
  }
  tacit_array_free(quoted);
  json_decref(json);
}

static void write_template(struct text *text, char delimiter, char *const *names,
                           size_t count, size_t label) {
  char separator[2] = {delimiter, '\0'};
  add(text,
      "{\n  \"tacit_schema\": 1,\n"
      "  \"note\": \"Replace every null. Bounds, values and classes must be known "
      "without looking at the data. Types: numeric (min, max), category (values), "
      "hashed (slots), ignore. See docs/howto/schema.md.\",\n"
      "  \"delimiter\": ");
  add_quoted(text, separator);
  add(text, ",\n  \"label\": {\"column\": ");
  add_quoted(text, names[label]);
  add(text,
      ", \"classes\": [null, null],\n"
      "    \"note\": \"The values of the label; of two, the negative class first. "
      "For a number write min and max instead of classes.\"},\n"
      "  \"columns\": [");
  for (size_t i = 0, written = 0; i < count; ++i) {
    if (i == label) continue;
    add(text, written++ > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
    add_quoted(text, names[i]);
    add(text, ", \"type\": \"numeric\", \"min\": null, \"max\": null}");
  }
  add(text, "\n  ]\n}\n");
}

/* The most frequent delimiter outside quotes. */
static char guess_delimiter(const tacit_line *line) {
  static const char candidates[] = ",;\t|";
  size_t counts[sizeof candidates] = {0};
  int quoted = 0;
  for (const char *at = line->begin; at < line->end; ++at) {
    if (*at == '"') quoted = !quoted;
    const char *found = quoted ? NULL : strchr(candidates, *at);
    if (found != NULL) ++counts[found - candidates];
  }
  size_t best = 0;
  for (size_t i = 1; i < sizeof candidates - 1; ++i) {
    if (counts[i] > counts[best]) best = i;
  }
  return candidates[best];
}

/* JSON text must be UTF-8. Checked here because jansson reports bad text and lack of
   memory in the same way. */
static int is_utf8(const char *text, size_t size) {
  static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)text, *end = at + size;
  while (at < end) {
    unsigned char first = *at++;
    if (first < 0x80) continue;
    size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc0 || first >= 0xf8 || more > (size_t)(end - at)) return 0;
    uint32_t code = first & (0x3fu >> more);
    for (size_t i = 0; i < more; ++i) {
      if ((*at & 0xc0) != 0x80) return 0;
      code = code << 6 | (*at++ & 0x3fu);
    }
    int is_surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < smallest[more] || code > 0x10ffff || is_surrogate) return 0;
  }
  return 1;
}

static tacit_status copy_name(const tacit_field *field, size_t number,
                              const char *where, char **out, tacit_error *err) {
  if (field->size == 0 || field->size > TACIT_COLUMN_NAME_MAX)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: column %zu of the header must have a name of 1 to %d bytes",
                      where, number, TACIT_COLUMN_NAME_MAX);
  if (!is_utf8(field->begin, field->size))
    return tacit_fail(err, TACIT_EDATA,
                      "%s: column %zu of the header is not UTF-8; convert the file",
                      where, number);
  for (size_t i = 0; i < field->size; ++i) {
    unsigned char c = (unsigned char)field->begin[i];
    if (c < 0x20 || c == 0x7f)
      return tacit_fail(err, TACIT_EDATA,
                        "%s: column %zu of the header holds a control character", where,
                        number);
  }
  *out = tacit_array_new(field->size + 1, 1);
  if (*out == NULL) return tacit_fail_memory(err);
  memcpy(*out, field->begin, field->size);
  return TACIT_OK;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static tacit_status check_unique(char *const *names, size_t count, const char *where,
                                 tacit_error *err) {
  char **sorted = tacit_array_new(count, sizeof *sorted);
  if (sorted == NULL) return tacit_fail_memory(err);
  memcpy(sorted, names, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_names);
  tacit_status status = TACIT_OK;
  for (size_t i = 1; i < count && status == TACIT_OK; ++i) {
    if (strcmp(sorted[i - 1], sorted[i]) == 0)
      status = tacit_fail(
          err, TACIT_EDATA,
          "%s: two columns of the header have the same name; rename one", where);
  }
  tacit_array_free(sorted);
  return status;
}

static tacit_status find_label(char *const *names, size_t count, const char *label,
                               const char *where, size_t *out, tacit_error *err) {
  *out = count - 1;
  if (label == NULL) return TACIT_OK;
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(names[i], label) != 0) continue;
    *out = i;
    return TACIT_OK;
  }
  char shown[TACIT_NAME_BYTES];
  tacit_name_shorten(label, 40, shown);
  return tacit_fail(err, TACIT_EINVAL, "%s: no column '%s' in the header for the label",
                    where, shown);
}

static tacit_status make_template(const tacit_line *line, tacit_fields *fields,
                                  const char *label, const char *where, char **out,
                                  tacit_error *err) {
  char delimiter = guess_delimiter(line);
  int no_memory;
  const char *fault = tacit_fields_split(fields, line->begin, line->end, delimiter,
                                         SIZE_MAX - 1, &no_memory);
  if (no_memory) return tacit_fail_memory(err);
  if (fault != NULL)
    return tacit_fail(err, TACIT_EDATA, "%s: header, field %zu: %s", where,
                      fields->count + 1, fault);
  if (fields->count < 2)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the header has one column; names are separated by , ; | or "
                      "tab",
                      where);
  size_t count = fields->count, label_at = 0;
  char **names = tacit_array_new(count, sizeof *names);
  if (names == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_OK;
  for (size_t i = 0; i < count && status == TACIT_OK; ++i)
    status = copy_name(&fields->fields[i], i + 1, where, &names[i], err);
  if (status == TACIT_OK) status = check_unique(names, count, where, err);
  if (status == TACIT_OK)
    status = find_label(names, count, label, where, &label_at, err);
  if (status == TACIT_OK) {
    struct text text = {0};
    write_template(&text, delimiter, names, count, label_at);
    if (text.failed) {
      tacit_array_free(text.bytes);
      status = tacit_fail_memory(err);
    } else {
      *out = text.bytes;
    }
  }
  for (size_t i = 0; i < count; ++i)
    tacit_array_free(names[i]);
  tacit_array_free(names);
  return status;
}

static int is_blank(const tacit_line *line) {
  for (const char *at = line->begin; at < line->end; ++at) {
    if (*at != ' ' && *at != '\t') return 0;
  }
  return 1;
}

tacit_status tacit_schema_template_limited(const char *path, const char *label,
                                           uint64_t max_line, char **out,
                                           tacit_error *err) {
  if (path == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "schema: path or out is NULL");
  tacit_source *source = NULL;
  tacit_lines *lines = NULL;
  tacit_fields fields = {0};
  tacit_line line = {0};
  int more = 0;
  tacit_status status = tacit_source_open(path, &source, err);
  if (status == TACIT_OK)
    status = tacit_lines_new(tacit_line_max(max_line), 0, &lines, err);
  if (status == TACIT_OK) {
    tacit_lines_start(lines, source);
    do {
      status = tacit_lines_next(lines, &line, &more, err);
    } while (status == TACIT_OK && more && is_blank(&line));
  }
  if (status == TACIT_OK && !more)
    status = tacit_fail(err, TACIT_EDATA, "%s: the file has no header line",
                        tacit_source_name(source));
  if (status == TACIT_OK)
    status = make_template(&line, &fields, label, tacit_source_name(source), out, err);
  tacit_fields_fini(&fields);
  tacit_lines_free(lines);
  tacit_source_free(source);
  return status;
}

tacit_status tacit_schema_template(const char *path, const char *label, char **out,
                                   tacit_error *err) {
  return tacit_schema_template_limited(path, label, 0, out, err);
}

void tacit_string_free(char *text) { tacit_array_free(text); }
