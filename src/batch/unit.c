/* SPDX-License-Identifier: MIT */
#include "batch/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

void tacit_unit_of(const char *text, size_t size, tacit_unit *out) {
  tacit_hash_of(text, size, "tacit-units-1", NULL, 0, out->raw_bytes,
                sizeof out->raw_bytes);
}

int tacit_unit_take(const char *text, size_t size, tacit_unit *out) {
  int is_nan = size == 3 && (text[0] | 32) == 'n' && (text[1] | 32) == 'a' &&
               (text[2] | 32) == 'n';
  if (size == 0 || is_nan) return 0;
  tacit_unit_of(text, size, out);
  return 1;
}

void tacit_unit_of_number(int64_t number, tacit_unit *out) {
  char text[24];
  int size = snprintf(text, sizeof text, "%" PRId64, number);
  tacit_unit_of(text, (size_t)size, out);
}

int tacit_unit_at(const void *raw_units, size_t unit_bytes, int64_t i,
                  tacit_unit *out) {
  size_t size = unit_bytes > 0 ? unit_bytes : sizeof(int64_t);
  const char *id = (const char *)raw_units + (size_t)i * size;
  if (unit_bytes > 0) return tacit_unit_take(id, strnlen(id, size), out);
  int64_t number;
  memcpy(&number, id, sizeof number);
  tacit_unit_of_number(number, out);
  return 1;
}
