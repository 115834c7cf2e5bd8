/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EXPORT_ONNX_H
#define TACIT_EXTRA_EXPORT_ONNX_H

#include "extra/export/formula.h"
#include "extra/export/graph.h"

/* A model that is being written into a graph. */
typedef struct tacit_onnx {
  tacit_formula f; /* model and schema; writes no text */
  tacit_graph graph;
  size_t outputs;
  int scales;                   /* 1 if rows may be scaled by their own norm */
  tacit_value margins, squares; /* sums so far, with one row per input row */
} tacit_onnx;

/* The levels of a column that a row chooses, each with its share. A share of 0 means
   the whole level. A cross of four columns with hats has the most levels. */
enum { TACIT_ONNX_LEVELS = 1 << TACIT_CROSS_COLUMNS };
typedef struct tacit_onnx_levels {
  size_t count;
  tacit_value index[TACIT_ONNX_LEVELS], share[TACIT_ONNX_LEVELS];
} tacit_onnx_levels;

/* onnx_columns.c: add a column, or a cross of columns that were added before, to the
   sums. `levels` must be zero; it is filled if the column may be in a cross. Set
   graph.body.failed if memory runs out. */
tacit_status tacit_onnx_add_column(tacit_onnx *o, const tacit_column *column,
                                   tacit_onnx_levels *levels, tacit_error *err);
void tacit_onnx_add_cross(tacit_onnx *o, const tacit_cross *cross,
                          const tacit_onnx_levels *of_columns);

#endif
