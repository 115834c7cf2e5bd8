/* SPDX-License-Identifier: MIT */
/* Writes the messages of onnx.proto, with the numbers of their fields. */
#include "extra/export/graph.h"

#include <stdio.h>
#include <string.h>

enum {
  GRAPH_NODE = 1,
  GRAPH_CONSTANT = 5,
  GRAPH_INPUT = 11,
  GRAPH_OUTPUT = 12,
  NODE_INPUT = 1,
  NODE_OUTPUT = 2,
  NODE_OPERATION = 4,
  NODE_ATTRIBUTE = 5,
  NODE_DOMAIN = 7,
  ATTRIBUTE_NAME = 1,
  ATTRIBUTE_WHOLE = 3,
  ATTRIBUTE_WHOLES = 8,
  ATTRIBUTE_TEXTS = 9,
  ATTRIBUTE_TYPE = 20,
  TENSOR_SIZE = 1,
  TENSOR_TYPE = 2,
  TENSOR_WHOLES = 7,
  TENSOR_NAME = 8,
  TENSOR_BYTES = 9,
  VALUE_NAME = 1,
  VALUE_TYPE = 2,
  TYPE_TENSOR = 1,
  TYPE_ELEMENT = 1,
  TYPE_SHAPE = 2,
  SHAPE_SIZE = 1,
  SIZE_NUMBER = 1,
  SIZE_NAME = 2
};
enum { IS_WHOLE = 2, IS_WHOLES = 7, IS_TEXTS = 8 }; /* values of ATTRIBUTE_TYPE */

struct name {
  char text[24];
};

static struct name name_of(tacit_value value) {
  struct name name;
  (void)snprintf(name.text, sizeof name.text, TACIT_ONNX_PREFIX "%d", value);
  return name;
}

static tacit_value new_value(tacit_graph *graph) { return ++graph->values; }

/* Adds a ValueInfoProto: a name and the type tensor(type) of shape [rows, columns]. */
static void declare(tacit_graph *graph, unsigned field, const char *name, int type,
                    size_t columns) {
  tacit_protobuf info = {0}, kind = {0}, tensor = {0}, shape = {0}, rows = {0},
                 wide = {0};
  tacit_protobuf_text(&rows, SIZE_NAME, "rows");
  tacit_protobuf_whole(&wide, SIZE_NUMBER, (int64_t)columns);
  tacit_protobuf_message(&shape, SHAPE_SIZE, &rows);
  tacit_protobuf_message(&shape, SHAPE_SIZE, &wide);
  tacit_protobuf_whole(&tensor, TYPE_ELEMENT, type);
  tacit_protobuf_message(&tensor, TYPE_SHAPE, &shape);
  tacit_protobuf_message(&kind, TYPE_TENSOR, &tensor);
  tacit_protobuf_text(&info, VALUE_NAME, name);
  tacit_protobuf_message(&info, VALUE_TYPE, &kind);
  tacit_protobuf_message(&graph->body, field, &info);
}

/* Gives a value another name. */
static void add_name(tacit_graph *graph, const char *from, const char *to) {
  tacit_protobuf node = {0};
  tacit_protobuf_text(&node, NODE_INPUT, from);
  tacit_protobuf_text(&node, NODE_OUTPUT, to);
  tacit_protobuf_text(&node, NODE_OPERATION, "Identity");
  tacit_protobuf_message(&graph->body, GRAPH_NODE, &node);
}

tacit_value tacit_graph_input(tacit_graph *graph, const char *name, int type,
                              size_t columns) {
  tacit_value value = new_value(graph);
  declare(graph, GRAPH_INPUT, name, type, columns);
  add_name(graph, name, name_of(value).text);
  return value;
}

void tacit_graph_output(tacit_graph *graph, const char *name, tacit_value value,
                        size_t columns) {
  add_name(graph, name_of(value).text, name);
  declare(graph, GRAPH_OUTPUT, name, TACIT_ONNX_DOUBLE, columns);
}

tacit_value tacit_graph_table(tacit_graph *graph, const double *values, size_t rows,
                              size_t columns) {
  tacit_value value = new_value(graph);
  tacit_protobuf tensor = {0};
  tacit_protobuf_whole(&tensor, TENSOR_SIZE, (int64_t)rows);
  tacit_protobuf_whole(&tensor, TENSOR_SIZE, (int64_t)columns);
  tacit_protobuf_whole(&tensor, TENSOR_TYPE, TACIT_ONNX_DOUBLE);
  tacit_protobuf_text(&tensor, TENSOR_NAME, name_of(value).text);
  tacit_protobuf_doubles(&tensor, TENSOR_BYTES, values, rows * columns);
  tacit_protobuf_message(&graph->body, GRAPH_CONSTANT, &tensor);
  return value;
}

tacit_value tacit_graph_number(tacit_graph *graph, double value) {
  return tacit_graph_table(graph, &value, 1, 1);
}

tacit_value tacit_graph_wholes(tacit_graph *graph, const int64_t *values,
                               size_t count) {
  tacit_value value = new_value(graph);
  tacit_protobuf tensor = {0};
  tacit_protobuf_whole(&tensor, TENSOR_SIZE, (int64_t)count);
  tacit_protobuf_whole(&tensor, TENSOR_TYPE, TACIT_ONNX_INT64);
  tacit_protobuf_text(&tensor, TENSOR_NAME, name_of(value).text);
  for (size_t i = 0; i < count; ++i)
    tacit_protobuf_whole(&tensor, TENSOR_WHOLES, values[i]);
  tacit_protobuf_message(&graph->body, GRAPH_CONSTANT, &tensor);
  return value;
}

/* Returns a node without attributes, with its inputs and its output. */
static tacit_protobuf begin_node(const char *operation, const tacit_value *inputs,
                                 size_t count, tacit_value output) {
  tacit_protobuf node = {0};
  for (size_t i = 0; i < count && inputs[i] != 0; ++i)
    tacit_protobuf_text(&node, NODE_INPUT, name_of(inputs[i]).text);
  tacit_protobuf_text(&node, NODE_OUTPUT, name_of(output).text);
  tacit_protobuf_text(&node, NODE_OPERATION, operation);
  return node;
}

tacit_value tacit_graph_node(tacit_graph *graph, const char *operation, tacit_value a,
                             tacit_value b, tacit_value c) {
  const tacit_value inputs[] = {a, b, c};
  tacit_value value = new_value(graph);
  tacit_protobuf node = begin_node(operation, inputs, 3, value);
  tacit_protobuf_message(&graph->body, GRAPH_NODE, &node);
  return value;
}

/* Adds an AttributeProto with one whole number. */
static void add_whole(tacit_protobuf *node, const char *name, int64_t number) {
  tacit_protobuf attribute = {0};
  tacit_protobuf_text(&attribute, ATTRIBUTE_NAME, name);
  tacit_protobuf_whole(&attribute, ATTRIBUTE_WHOLE, number);
  tacit_protobuf_whole(&attribute, ATTRIBUTE_TYPE, IS_WHOLE);
  tacit_protobuf_message(node, NODE_ATTRIBUTE, &attribute);
}

tacit_value tacit_graph_whole_of(tacit_graph *graph, tacit_value a) {
  tacit_value value = new_value(graph);
  tacit_protobuf node = begin_node("Cast", &a, 1, value);
  add_whole(&node, "to", TACIT_ONNX_INT64);
  tacit_protobuf_message(&graph->body, GRAPH_NODE, &node);
  return value;
}

tacit_value tacit_graph_text_numbers(tacit_graph *graph, tacit_value a,
                                     const tacit_graph_texts *texts) {
  tacit_value value = new_value(graph);
  tacit_protobuf node = begin_node("LabelEncoder", &a, 1, value);
  tacit_protobuf keys = {0}, numbers = {0};
  tacit_protobuf_text(&keys, ATTRIBUTE_NAME, "keys_strings");
  tacit_protobuf_whole(&keys, ATTRIBUTE_TYPE, IS_TEXTS);
  tacit_protobuf_text(&numbers, ATTRIBUTE_NAME, "values_int64s");
  tacit_protobuf_whole(&numbers, ATTRIBUTE_TYPE, IS_WHOLES);
  for (size_t i = 0; i < texts->count; ++i) {
    tacit_protobuf_text(&keys, ATTRIBUTE_TEXTS, texts->texts[i]);
    tacit_protobuf_whole(&numbers, ATTRIBUTE_WHOLES, texts->numbers[i]);
  }
  tacit_protobuf_message(&node, NODE_ATTRIBUTE, &keys);
  tacit_protobuf_message(&node, NODE_ATTRIBUTE, &numbers);
  add_whole(&node, "default_int64", texts->others);
  tacit_protobuf_text(&node, NODE_DOMAIN, "ai.onnx.ml");
  tacit_protobuf_message(&graph->body, GRAPH_NODE, &node);
  return value;
}
