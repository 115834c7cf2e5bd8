/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MODEL_NUMBERS_H
#define TACIT_MODEL_NUMBERS_H

#include <stddef.h>
#include <tacit/status.h>

/* The weights of a model file, which may be millions: jansson would make an object of
   each. They are written and read by hand, the rest of the file is jansson's. */

/* Writes the numbers in the place of the empty array "weights" of a text that jansson
   has indented by 1. *text is replaced. */
tacit_status tacit_numbers_insert(const double *numbers, size_t count, char **text,
                                  tacit_error *err);

/* Some numbers; and the text they were taken from, with an empty array in their place.
 */
typedef struct tacit_numbers {
  double *values; /* NULL: none were taken */
  size_t count;
  char *rest;
  size_t rest_size;
} tacit_numbers;

/* Takes the numbers of the array "weights" out of the object in `text`. Takes none, and
   says TACIT_OK, where anything is out of the ordinary: that is for jansson to read,
   and to complain about. */
tacit_status tacit_numbers_take(const char *text, size_t size, tacit_numbers *out,
                                tacit_error *err);
void tacit_numbers_fini(tacit_numbers *numbers);

#endif
