/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_JSON_H
#define TACIT_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <tacit/status.h>

/* The place where a text is not valid JSON. Lines and columns count from 1. */
typedef struct tacit_json_fault {
  long line, column;
  int key_twice; /* 1 if the object already has this key */
} tacit_json_fault;

/* Reads an object or an array. Returns TACIT_EDATA and fills *out_fault if the text is
   not valid, or TACIT_ENOMEM. */
tacit_status tacit_json_read(const char *text, size_t size, json_t **out,
                             tacit_json_fault *out_fault);
/* Reads an object or an array. The message of a failure begins with `where`: "m.json:
   not JSON: line 3, column 7". */
tacit_status tacit_json_parse(const char *text, size_t size, const char *where,
                              json_t **out, tacit_error *err);
/* Returns the bytes of the UTF-8 character at `text`, of which `left` > 0 are left, or
   0 if it is not valid or not the shortest form. */
size_t tacit_utf8_length(const char *text, size_t left);
/* Writes a value as text, with reals in 17 digits, in one line if `indent` is 0. The
   caller frees *out with tacit_array_free. */
tacit_status tacit_json_text(const json_t *json, size_t indent, char **out,
                             tacit_error *err);

#endif
