/* SPDX-License-Identifier: MIT */
/*
 * JSON of the library as values of jansson. jansson's own reader ends the process when
 * memory runs out; its constructors, which are used here, report that. The library has
 * written the text, or checked it, so only its structure is looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Each function takes its part off the begin of the text. One that returns a pointer
   returns NULL if the text is no JSON or memory ran out. */
static json_t *take_value(const char **text);

static int takes(const char **text, const char *word) {
  size_t size = strlen(word);
  *text += strspn(*text, " \t\r\n");
  if (strncmp(*text, word, size) != 0) return 0;
  *text += size;
  return 1;
}

/* Reads four hexadecimal digits and returns their number. */
static unsigned take_unit(const char **text) {
  unsigned unit = 0;
  int size = 0;
  (void)sscanf(*text, "%4x%n", &unit, &size);
  *text += size;
  return unit;
}

/* Writes the character of an escape in UTF-8. Returns the place after it. */
static char *take_escape(const char **text, char *out) {
  static const char names[] = "bfnrt", meant[] = "\b\f\n\r\t";
  static const unsigned leads[] = {0, 0xc0, 0xe0, 0xf0};
  char name = *(*text)++;
  const char *known = strchr(names, name);
  unsigned point = (unsigned char)(known != NULL ? meant[known - names] : name);
  if (name == 'u') point = take_unit(text);
  if (point >= 0xd800 && point < 0xdc00 && takes(text, "\\u"))
    point = 0x10000 + ((point & 0x3ff) << 10 | (take_unit(text) & 0x3ff));
  unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  *out++ = (char)(leads[more] | point >> 6 * more);
  while (more-- > 0)
    *out++ = (char)(0x80 | (point >> 6 * more & 0x3f));
  return out;
}

/* Takes a string, which is no longer than its text. The caller frees it. */
static char *take_string(const char **text) {
  if (!takes(text, "\"")) return NULL;
  const char *end = *text;
  while (*end != '\0' && *end != '"')
    end += end[0] == '\\' && end[1] != '\0' ? 2 : 1;
  char *string = *end == '"' ? malloc((size_t)(end - *text) + 1) : NULL, *out = string;
  while (string != NULL && *text < end) {
    char c = *(*text)++;
    if (c == '\\')
      out = take_escape(text, out);
    else
      *out++ = c;
  }
  if (string != NULL) *out = '\0';
  *text = end + 1;
  return string;
}

static json_t *take_list(const char **text, int is_object) {
  json_t *list = is_object ? json_object() : json_array();
  int good = list != NULL;
  for (int first = 1; good && !takes(text, is_object ? "}" : "]"); first = 0) {
    char *key = NULL;
    good = first || takes(text, ",");
    if (good && is_object) good = (key = take_string(text)) != NULL && takes(text, ":");
    json_t *value = good ? take_value(text) : NULL;
    good = value != NULL && (is_object ? json_object_set_new_nocheck(list, key, value)
                                       : json_array_append_new(list, value)) == 0;
    free(key);
  }
  if (good) return list;
  json_decref(list);
  return NULL;
}

static json_t *take_number(const char **text) {
  const char *begin = *text;
  size_t size = strspn(begin, "+-.0123456789eE");
  *text += size;
  if (size == 0) return NULL;
  return strcspn(begin, ".eE") < size ? json_real(strtod(begin, NULL))
                                      : json_integer(strtoll(begin, NULL, 10));
}

static json_t *take_value(const char **text) {
  if (takes(text, "{")) return take_list(text, 1);
  if (takes(text, "[")) return take_list(text, 0);
  if (takes(text, "true")) return json_true();
  if (takes(text, "false")) return json_false();
  if (takes(text, "null")) return json_null();
  if (**text != '"') return take_number(text);
  char *string = take_string(text);
  json_t *value = string != NULL ? json_string_nocheck(string) : NULL;
  free(string);
  return value;
}

json_t *cli_json_read(const char *text) { return take_value(&text); }
