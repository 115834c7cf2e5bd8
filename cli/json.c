/* SPDX-License-Identifier: MIT */
/* JSON with jansson: printing it, and the members of objects. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Prints the text of a part, indented by two more spaces. JSON strings contain no line
   breaks, so every line break may be followed by spaces. */
static void print_part(const struct cli_json_part *part, int first) {
  printf("%s\n  \"%s\": ", first ? "" : ",", part->key);
  for (const char *c = part->text; *c != '\0'; ++c) {
    putchar(*c);
    if (*c == '\n') fputs("  ", stdout);
  }
}

int cli_print_json_parts(json_t *object, const struct cli_json_part *parts) {
  char *text = object == NULL
                   ? NULL
                   : json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  int first = json_object_size(object) == 0;
  json_decref(object);
  if (text == NULL) return cli_fail(CLI_FAILED, "out of memory");
  /* Everything except the closing brace and the line break before it. */
  printf("%.*s", (int)strlen(text) - (first ? 1 : 2), text);
  free(text);
  for (; parts->key != NULL; ++parts, first = 0)
    print_part(parts, first);
  printf("\n}\n");
  return cli_close_stdout();
}

int cli_print_json(json_t *object) {
  return cli_print_json_parts(object, CLI_PARTS({NULL, NULL}));
}

json_t *cli_json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_numbers(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; ++i)
    json_array_append_new(list, cli_json_number(values != NULL ? values[i] : 0));
  return list;
}

double cli_json_real(const json_t *object, const char *key) {
  return json_number_value(json_object_get(object, key));
}

long long cli_json_count(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

const char *cli_json_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

int cli_json_is_true(const json_t *object, const char *key) {
  return json_is_true(json_object_get(object, key));
}
