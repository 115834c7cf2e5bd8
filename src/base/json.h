/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_JSON_H
#define TACIT_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <tacit/status.h>

/* Where a text is not JSON, lines and characters counted from 1. */
typedef struct tacit_json_fault {
  long line, column;
  int key_twice; /* 1: a key that its object has already */
} tacit_json_fault;

/* Reads an object or an array: TACIT_OK, TACIT_EDATA with the fault, TACIT_ENOMEM. */
tacit_status tacit_json_read(const char *text, size_t size, json_t **out,
                             tacit_json_fault *out_fault);
/* Parses `size` bytes; `where` opens the message: "m.json: not JSON: line 3, column 7".
   A key twice is refused. */
tacit_status tacit_json_parse(const char *text, size_t size, const char *where,
                              json_t **out, tacit_error *err);
/* The text of a value, reals in 17 digits; tacit_array_free it. indent 0: one line. */
tacit_status tacit_json_text(const json_t *json, size_t indent, char **out,
                             tacit_error *err);

#endif
