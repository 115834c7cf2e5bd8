/* SPDX-License-Identifier: MIT */
#ifndef TACIT_R_CORE_H
#define TACIT_R_CORE_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <tacit/tacit.h>

#if defined(__GNUC__)
#define TACIT_PRINTF __attribute__((format(printf, 1, 2), noreturn))
#else
#define TACIT_PRINTF
#endif

/*
 * What .Call reaches. A function frees what the library gave it before it raises a
 * condition, because R leaves C functions by longjmp. Memory of R_alloc goes by itself.
 */

/* Raises the condition of a failure, of class tacit_data_error and so on. Does not
   return. */
void core_raise(const tacit_error *err);
/* Raises a condition of class tacit_argument_error. Does not return. */
void core_refuse(const char *format, ...) TACIT_PRINTF;
/* Returns the text of a string, in UTF-8, or NULL for NULL. */
const char *core_text(SEXP text);
/* Returns a named list of `count` elements that the caller fills. Protects it. */
SEXP core_list(int count, const char *const *names);
/* Returns a string of the library as R's, and frees it. */
SEXP core_take_text(char *text);

/* table.c: fills a table with the columns of a data frame, which must outlive it.
   Numbers are borrowed; texts are borrowed by pointer and length per cell. */
void core_table(SEXP frame, tacit_table *out);

/* config.c: fills a config from a named list. `schema` must outlive the config. */
void core_config(SEXP settings, const tacit_schema *schema, tacit_config *out);

/* model.c: wraps a model, which R then owns. */
SEXP core_model_wrap(tacit_model *model);
const tacit_model *core_model_of(SEXP pointer);

#endif
