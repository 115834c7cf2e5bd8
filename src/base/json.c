/* SPDX-License-Identifier: MIT */
/* Writes JSON by jansson, with the errors and the memory of this library. */
#include "base/json.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The text so far. `failed` is needed, because jansson does not report every
   failure. */
struct text {
  char *bytes;
  size_t size, room;
  int failed;
};

static int append(const char *part, size_t size, void *cookie) {
  struct text *text = cookie;
  if (text->failed) return -1;
  text->failed =
      !tacit_array_reserve(&text->bytes, &text->room, text->size + size + 1, 1);
  if (text->failed) return -1;
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
