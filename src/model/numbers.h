/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MODEL_NUMBERS_H
#define TACIT_MODEL_NUMBERS_H

#include <stddef.h>
#include <tacit/status.h>

/* The weights of a model file. There may be millions, and jansson would allocate an
   object for each, so they are written and read here and only the rest of the file by
   jansson. */

/* Writes the numbers into the empty array "weights" of a text that jansson has indented
   by 1. Replaces *text. */
tacit_status tacit_numbers_insert(const double *numbers, size_t count, char **text,
                                  tacit_error *err);

/* Numbers, and the text they were taken from with an empty array in their place. */
typedef struct tacit_numbers {
  double *values; /* NULL: none were taken */
  size_t count;
  char *rest;
  size_t rest_size;
} tacit_numbers;

/* Takes the numbers of the array "weights" out of the object in `text`. If anything
   about them is unusual, takes none and returns TACIT_OK: jansson then reads the whole
   text and reports faults. */
tacit_status tacit_numbers_take(const char *text, size_t size, tacit_numbers *out,
                                tacit_error *err);
void tacit_numbers_fini(tacit_numbers *numbers);

#endif
