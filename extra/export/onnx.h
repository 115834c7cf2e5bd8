/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EXPORT_ONNX_H
#define TACIT_EXTRA_EXPORT_ONNX_H

#include "extra/export/formula.h"
#include "extra/export/graph.h"

/* A model on its way into a graph. */
typedef struct tacit_onnx {
  tacit_formula f; /* model and schema; writes no text */
  tacit_graph graph;
  size_t outputs;
  int scales;                   /* 1: rows may be scaled by their own norm */
  tacit_value margins, squares; /* sums so far, with a row per row */
} tacit_onnx;

/* What a row chooses of a column: levels, each with its share (0: the whole). A cross
   of four columns with hats has the most. */
enum { TACIT_ONNX_LEVELS = 1 << TACIT_CROSS_COLUMNS };
typedef struct tacit_onnx_levels {
  size_t count;
  tacit_value index[TACIT_ONNX_LEVELS], share[TACIT_ONNX_LEVELS];
} tacit_onnx_levels;

/* onnx_columns.c: adds a column, or a cross of columns that were added, to the sums.
   *levels begins as zeros, and stays so if the column cannot be in a cross. If memory
   runs out, graph.body.failed is 1. */
tacit_status tacit_onnx_add_column(tacit_onnx *o, const tacit_column *column,
                                   tacit_onnx_levels *levels, tacit_error *err);
void tacit_onnx_add_cross(tacit_onnx *o, const tacit_cross *cross,
                          const tacit_onnx_levels *of_columns);

#endif
