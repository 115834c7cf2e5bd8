/* SPDX-License-Identifier: MIT */
/* Writing JSON: jansson with our errors and our memory. */
#include "base/json.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The text so far. `failed` is needed because jansson does not report every failure. */
struct text {
  char *bytes;
  size_t size, room;
  int failed;
};

static int append(const char *part, size_t size, void *cookie) {
  struct text *text = cookie;
  if (text->failed) return -1;
  if (size >= text->room - text->size) {
    size_t room = 2 * text->room + size + 1;
    char *larger = tacit_array_grow(text->bytes, room, 1);
    if (larger == NULL) {
      text->failed = 1;
      return -1;
    }
    text->bytes = larger;
    text->room = room;
  }
  memcpy(text->bytes + text->size, part, size);
  text->size += size;
  text->bytes[text->size] = '\0';
  return 0;
}

tacit_status tacit_json_text(const json_t *json, size_t indent, char **out,
                             tacit_error *err) {
  struct text text = {0};
  int status = json_dump_callback(json, append, &text,
                                  JSON_INDENT(indent) | JSON_REAL_PRECISION(17) |
                                      JSON_ENCODE_ANY);
  if (status != 0 || text.failed) {
    tacit_array_free(text.bytes);
    return tacit_fail_memory(err);
  }
  *out = text.bytes;
  return TACIT_OK;
}
