/* SPDX-License-Identifier: MIT */
#include "extra/export/protobuf.h"

#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"

enum { WIRE_WHOLE = 0, WIRE_BYTES = 2 };

void tacit_protobuf_free(tacit_protobuf *message) {
  tacit_array_free(message->bytes);
  *message = (tacit_protobuf){0};
}

static void add(tacit_protobuf *message, const void *bytes, size_t size) {
  if (message->failed || size == 0) return;
  message->failed =
      !tacit_array_reserve(&message->bytes, &message->room, message->size + size, 1);
  if (message->failed) return;
  memcpy(message->bytes + message->size, bytes, size);
  message->size += size;
}

/* Adds a whole number, seven bits per byte, the lowest first. The highest bit of a byte
   says that more bytes follow. */
static void add_varint(tacit_protobuf *message, uint64_t value) {
  unsigned char bytes[10];
  size_t size = 0;
  for (; value >= 0x80; value >>= 7)
    bytes[size++] = (unsigned char)(value | 0x80);
  bytes[size++] = (unsigned char)value;
  add(message, bytes, size);
}

void tacit_protobuf_whole(tacit_protobuf *message, unsigned field, int64_t value) {
  add_varint(message, (uint64_t)field << 3 | WIRE_WHOLE);
  add_varint(message, (uint64_t)value);
}

void tacit_protobuf_bytes(tacit_protobuf *message, unsigned field, const void *bytes,
                          size_t size) {
  add_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
  add_varint(message, size);
  add(message, bytes, size);
}

void tacit_protobuf_text(tacit_protobuf *message, unsigned field, const char *text) {
  tacit_protobuf_bytes(message, field, text, strlen(text));
}

void tacit_protobuf_doubles(tacit_protobuf *message, unsigned field,
                            const double *values, size_t count) {
  add_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
  add_varint(message, count * sizeof *values);
  for (size_t i = 0; i < count; ++i) {
    unsigned char bytes[8];
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    tacit_store_le64(bytes, bits);
    add(message, bytes, sizeof bytes);
  }
}

void tacit_protobuf_message(tacit_protobuf *message, unsigned field,
                            tacit_protobuf *inner) {
  message->failed |= inner->failed;
  tacit_protobuf_bytes(message, field, inner->bytes, inner->size);
  tacit_protobuf_free(inner);
}
