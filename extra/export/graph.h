/* SPDX-License-Identifier: MIT */
/* Builds the graph of an ONNX file: inputs, constants, nodes, an output. */
#ifndef TACIT_EXTRA_EXPORT_GRAPH_H
#define TACIT_EXTRA_EXPORT_GRAPH_H

#include "extra/export/protobuf.h"

/* Types of elements, with the numbers of ONNX. */
enum { TACIT_ONNX_INT64 = 7, TACIT_ONNX_STRING = 8, TACIT_ONNX_DOUBLE = 11 };

/* Internal values are named "tacit:1", "tacit:2" and so on. */
#define TACIT_ONNX_PREFIX "tacit:"

typedef struct tacit_graph {
  tacit_protobuf body; /* GraphProto */
  int values;          /* number of values so far */
} tacit_graph;

/* The number of a value of the graph, or 0 for no value. */
typedef int tacit_value;

/* Adds an input of the model with `columns` columns and any number of rows. */
tacit_value tacit_graph_input(tacit_graph *graph, const char *name, int type,
                              size_t columns);
/* Makes `value`, which must be of doubles, the output of the model. */
void tacit_graph_output(tacit_graph *graph, const char *name, tacit_value value,
                        size_t columns);
/* Add a constant: a table of doubles, one double (1 x 1), or a list of whole
   numbers. */
tacit_value tacit_graph_table(tacit_graph *graph, const double *values, size_t rows,
                              size_t columns);
tacit_value tacit_graph_number(tacit_graph *graph, double value);
tacit_value tacit_graph_wholes(tacit_graph *graph, const int64_t *values, size_t count);
/* Adds a node without attributes. Inputs that are 0 are left out. */
tacit_value tacit_graph_node(tacit_graph *graph, const char *operation, tacit_value a,
                             tacit_value b, tacit_value c);
/* Adds a node that turns doubles or truth values into whole numbers. */
tacit_value tacit_graph_whole_of(tacit_graph *graph, tacit_value a);

/* A number for each of some texts. */
typedef struct tacit_graph_texts {
  const char **texts;
  int64_t *numbers;
  size_t count;
  int64_t others; /* number of all other texts */
} tacit_graph_texts;
tacit_value tacit_graph_text_numbers(tacit_graph *graph, tacit_value a,
                                     const tacit_graph_texts *texts);

#endif
