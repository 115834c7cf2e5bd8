/* SPDX-License-Identifier: MIT */
/* Writes protocol buffers, as far as ONNX files need them: whole numbers, bytes and
   messages within messages. */
#ifndef TACIT_EXTRA_EXPORT_PROTOBUF_H
#define TACIT_EXTRA_EXPORT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

/* A message under construction; must begin as zeros. */
typedef struct tacit_protobuf {
  unsigned char *bytes;
  size_t size, room;
  int failed; /* 1 after memory ran out; nothing more is added */
} tacit_protobuf;

void tacit_protobuf_free(tacit_protobuf *message);
void tacit_protobuf_whole(tacit_protobuf *message, unsigned field, int64_t value);
void tacit_protobuf_bytes(tacit_protobuf *message, unsigned field, const void *bytes,
                          size_t size);
void tacit_protobuf_text(tacit_protobuf *message, unsigned field, const char *text);
/* Adds doubles, least significant byte first, as one field of bytes. */
void tacit_protobuf_doubles(tacit_protobuf *message, unsigned field,
                            const double *values, size_t count);
/* Adds `inner` as a field of `message`, and frees it. */
void tacit_protobuf_message(tacit_protobuf *message, unsigned field,
                            tacit_protobuf *inner);

#endif
