/* SPDX-License-Identifier: MIT */
/* The graph of an ONNX file: inputs, constants, nodes, an output. */
#ifndef TACIT_EXTRA_EXPORT_GRAPH_H
#define TACIT_EXTRA_EXPORT_GRAPH_H

#include "extra/export/protobuf.h"

/* Types of elements, by ONNX's numbers. */
enum { TACIT_ONNX_INT64 = 7, TACIT_ONNX_STRING = 8, TACIT_ONNX_DOUBLE = 11 };

/* Internal values are named "tacit:1", "tacit:2", … */
#define TACIT_ONNX_PREFIX "tacit:"

typedef struct tacit_graph {
  tacit_protobuf body; /* GraphProto */
  int values;          /* so far */
} tacit_graph;

/* A value of the graph; 0: none. */
typedef int tacit_value;

/* An input of the model with `columns` columns and any number of rows. */
tacit_value tacit_graph_input(tacit_graph *graph, const char *name, int type,
                              size_t columns);
/* The output of the model: `value`, of doubles. */
void tacit_graph_output(tacit_graph *graph, const char *name, tacit_value value,
                        size_t columns);
/* Constants: a table of doubles, one double (1 x 1), a list of whole numbers. */
tacit_value tacit_graph_table(tacit_graph *graph, const double *values, size_t rows,
                              size_t columns);
tacit_value tacit_graph_number(tacit_graph *graph, double value);
tacit_value tacit_graph_wholes(tacit_graph *graph, const int64_t *values, size_t count);
/* A node with up to three inputs and no attributes. */
tacit_value tacit_graph_node(tacit_graph *graph, const char *operation, tacit_value a,
                             tacit_value b, tacit_value c);
/* Whole numbers from doubles or truth values. */
tacit_value tacit_graph_whole_of(tacit_graph *graph, tacit_value a);

/* The numbers of texts. */
typedef struct tacit_graph_texts {
  const char **texts;
  int64_t *numbers;
  size_t count;
  int64_t others; /* the number of all other texts */
} tacit_graph_texts;
tacit_value tacit_graph_text_numbers(tacit_graph *graph, tacit_value a,
                                     const tacit_graph_texts *texts);

#endif
