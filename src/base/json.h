/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_JSON_H
#define TACIT_BASE_JSON_H

#include <jansson.h>
#include <stddef.h>
#include <tacit/status.h>

/* Where a text is not valid JSON. Lines and columns count from 1. */
typedef struct tacit_json_fault {
  long line, column;
  int key_twice; /* 1: the object has this key already */
} tacit_json_fault;

/* Reads an object or an array. Returns TACIT_OK, TACIT_EDATA with the fault filled in,
   or TACIT_ENOMEM. */
tacit_status tacit_json_read(const char *text, size_t size, json_t **out,
                             tacit_json_fault *out_fault);
/* The same with a message, which begins with `where`: "m.json: not JSON: line 3, column
   7". */
tacit_status tacit_json_parse(const char *text, size_t size, const char *where,
                              json_t **out, tacit_error *err);
/* The text of a value, with reals in 17 digits; free it with tacit_array_free. indent 0
   writes one line. */
tacit_status tacit_json_text(const json_t *json, size_t indent, char **out,
                             tacit_error *err);

#endif
