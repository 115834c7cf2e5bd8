/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MODEL_NUMBERS_H
#define TACIT_MODEL_NUMBERS_H

#include <stddef.h>
#include <tacit/status.h>

/* The weights of a model file. There may be millions, and jansson would allocate an
   object for each. So this file writes and reads the weights, and jansson only the rest
   of the file. */

/* Writes the numbers into the empty array "weights" of *text, which jansson must have
   written with an indent of 1. Frees the old *text and allocates a new one. */
tacit_status tacit_numbers_insert(const double *numbers, size_t count, char **text,
                                  tacit_error *err);

/* The numbers taken from a text, and a copy of the text in which their array is
   empty. */
typedef struct tacit_numbers {
  double *values; /* NULL if no numbers were taken */
  size_t count;
  char *rest;
  size_t rest_size;
} tacit_numbers;

/* Takes the numbers of the array "weights" out of the JSON object in `text`. If
   anything about them is unusual, takes no numbers and returns TACIT_OK, and the caller
   lets jansson read the whole text, which reports faults. */
tacit_status tacit_numbers_take(const char *text, size_t size, tacit_numbers *out,
                                tacit_error *err);
void tacit_numbers_fini(tacit_numbers *numbers);

#endif
