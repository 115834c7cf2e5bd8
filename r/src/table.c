/* SPDX-License-Identifier: MIT */
/* Data frames as tables: no number and no text is copied. */
#include <limits.h>
#include <string.h>
#include <tacit/table.h>

#include "core.h"

/* Fills a column with texts: a pointer and a length per cell. */
static void take_texts(SEXP values, tacit_table_column *column) {
  R_xlen_t count = XLENGTH(values);
  tacit_text_cell *cells =
      (tacit_text_cell *)(void *)R_alloc((size_t)count + 1, sizeof *cells);
  for (R_xlen_t i = 0; i < count; ++i) {
    SEXP value = STRING_ELT(values, i);
    int missing = value == NA_STRING;
    /* Translation copies only texts that are neither ASCII nor UTF-8. */
    const char *text = missing ? NULL : Rf_translateCharUTF8(value);
    cells[i].raw_text = text;
    cells[i].size = missing ? 0 : strlen(text);
  }
  column->type = TACIT_CELLS_TEXTS;
  column->raw_cells = cells;
}

static void take_integers(SEXP values, tacit_table_column *column) {
  column->type = TYPEOF(values) == LGLSXP ? TACIT_CELLS_BOOL32 : TACIT_CELLS_INT32;
  column->raw_cells =
      TYPEOF(values) == LGLSXP ? (const void *)LOGICAL_RO(values) : INTEGER_RO(values);
  column->has_missing = true;
  column->missing = INT_MIN;
  if (!Rf_isFactor(values)) return;
  SEXP levels = PROTECT(Rf_getAttrib(values, R_LevelsSymbol));
  tacit_table_column *texts = (tacit_table_column *)(void *)R_alloc(1, sizeof *texts);
  memset(texts, 0, sizeof *texts);
  texts->name = column->name;
  texts->n_cells = XLENGTH(levels);
  take_texts(levels, texts);
  column->levels = texts;
  column->base = 1;
  UNPROTECT(1);
}

static void take_reals(SEXP values, tacit_table_column *column) {
  column->raw_cells = REAL_RO(values);
  column->type = TACIT_CELLS_FLOAT64;
  if (!Rf_inherits(values, "integer64")) return;
  column->type = TACIT_CELLS_INT64; /* package bit64 keeps them in doubles */
  column->has_missing = true;
  column->missing = INT64_MIN;
}

static void take_column(SEXP values, const char *name, tacit_table_column *column) {
  memset(column, 0, sizeof *column);
  column->name = name;
  column->n_cells = XLENGTH(values);
  if (Rf_inherits(values, "Date")) column->per_day = 1;
  if (Rf_inherits(values, "POSIXct")) column->per_day = 86400;
  switch (TYPEOF(values)) {
  case LGLSXP:
  case INTSXP: take_integers(values, column); return;
  case REALSXP: take_reals(values, column); return;
  case STRSXP: take_texts(values, column); return;
  default: column->type = TACIT_CELLS_UNKNOWN;
  }
}

void core_table(SEXP frame, tacit_table *out) {
  R_xlen_t count = XLENGTH(frame);
  SEXP names = PROTECT(Rf_getAttrib(frame, R_NamesSymbol));
  tacit_table_column *columns =
      (tacit_table_column *)(void *)R_alloc((size_t)count + 1, sizeof *columns);
  for (R_xlen_t j = 0; j < count; ++j)
    take_column(VECTOR_ELT(frame, j), Rf_translateCharUTF8(STRING_ELT(names, j)),
                &columns[j]);
  tacit_table_init(out);
  out->n_rows = count > 0 ? columns[0].n_cells : 0;
  out->n_columns = (size_t)count;
  out->columns = columns;
  out->spelling = TACIT_SPELLING_R;
  UNPROTECT(1);
}
