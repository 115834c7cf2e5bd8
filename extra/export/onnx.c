/* SPDX-License-Identifier: MIT */
/* Writes a model as an ONNX file: the sums over columns, the scale of the row, the
   scores, and the message around the graph. */
#include "extra/export/onnx.h"

#include <math.h>
#include <string.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/export/c_file.h"

enum {
  MODEL_FORMAT = 1,
  MODEL_PRODUCER = 2,
  MODEL_PRODUCER_VERSION = 3,
  MODEL_TEXT = 6,
  MODEL_GRAPH = 7,
  MODEL_OPERATIONS = 8,
  MODEL_FACT = 14,
  OPERATIONS_DOMAIN = 1,
  OPERATIONS_VERSION = 2,
  FACT_KEY = 1,
  FACT_VALUE = 2,
  GRAPH_NAME = 2
};
enum { FORMAT = 8, OPERATIONS = 13, OPERATIONS_ML = 2 }; /* of ONNX 1.10 */

static tacit_value node(tacit_onnx *o, const char *operation, tacit_value a,
                        tacit_value b) {
  return tacit_graph_node(&o->graph, operation, a, b, 0);
}

static tacit_value number(tacit_onnx *o, double value) {
  return tacit_graph_number(&o->graph, value);
}

/* Sums over the columns of a CSV file and their crosses. */
static tacit_status sum_columns(tacit_onnx *o, tacit_error *err) {
  const tacit_schema *schema = o->f.schema;
  tacit_onnx_levels *levels = tacit_array_new(schema->n_columns, sizeof *levels);
  if (levels == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_OK;
  for (size_t i = 0; i < schema->n_columns && status == TACIT_OK; ++i)
    status = tacit_onnx_add_column(o, &schema->columns[i], &levels[i], err);
  for (size_t i = 0; i < schema->n_crosses && status == TACIT_OK; ++i)
    tacit_onnx_add_cross(o, &schema->crosses[i], levels);
  tacit_array_free(levels);
  return status;
}

/* Sums over the inputs of arrays and LIBSVM files. */
static tacit_status sum_array(tacit_onnx *o, tacit_error *err) {
  size_t features = o->f.schema->features;
  const int64_t across = 1;
  double *table = tacit_array_new(features * o->outputs, sizeof *table);
  if (table == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < features; ++i)
    for (size_t k = 0; k < o->outputs; ++k)
      table[i * o->outputs + k] = o->f.model->weights[k * features + i];
  tacit_value row = tacit_graph_input(&o->graph, "x", TACIT_ONNX_DOUBLE, features);
  o->margins =
      node(o, "MatMul", row, tacit_graph_table(&o->graph, table, features, o->outputs));
  o->squares = node(o, "ReduceSum", node(o, "Mul", row, row),
                    tacit_graph_wholes(&o->graph, &across, 1));
  tacit_array_free(table);
  return TACIT_OK;
}

/* Computes margins from the sums: bias, scale of the row, offset. */
static void finish_margins(tacit_onnx *o) {
  const tacit_model *model = o->f.model;
  if (model->row.bias) {
    const double *bias = model->weights + o->outputs * o->f.schema->features;
    o->margins =
        node(o, "Add", o->margins, tacit_graph_table(&o->graph, bias, 1, o->outputs));
    if (o->scales) o->squares = node(o, "Add", o->squares, number(o, 1));
  }
  if (o->scales) {
    tacit_value norm = node(o, "Sqrt", o->squares, 0);
    tacit_value scale = node(o, "Div", number(o, model->row.row_norm), norm);
    scale = node(o, "Min", scale, number(o, 1));
    o->margins = node(o, "Mul", o->margins, scale);
  } else if (model->row.scale > 0) {
    o->margins = node(o, "Mul", o->margins, number(o, model->row.scale));
  }
  if (model->offset != NULL)
    o->margins = node(o, "Add", o->margins,
                      tacit_graph_table(&o->graph, model->offset, 1, o->outputs));
}

/* Computes e^m up to the point where the loss goes over to a tangent, and the tangent
   above it. */
static tacit_value poisson_score(tacit_onnx *o) {
  double top = tacit_formula_poisson_top(o->f.model);
  tacit_value above = node(o, "Sub", o->margins, number(o, top));
  tacit_value tangent =
      node(o, "Mul", number(o, exp(top)), node(o, "Add", number(o, 1), above));
  tacit_value power = node(o, "Exp", node(o, "Min", o->margins, number(o, top)), 0);
  tacit_value is_above = node(o, "Greater", o->margins, number(o, top));
  return tacit_graph_node(&o->graph, "Where", is_above, tangent, power);
}

static tacit_value score(tacit_onnx *o) {
  const tacit_model *model = o->f.model;
  const char *loss = tacit_model_loss(model);
  if (strcmp(loss, "poisson") == 0) return poisson_score(o);
  if (strcmp(loss, "softmax") == 0 && o->outputs > 1)
    return node(o, "Softmax", o->margins, 0);
  if (strcmp(loss, "logistic") == 0 || strcmp(loss, "softmax") == 0)
    return node(o, "Sigmoid", o->margins, 0);
  if (model->label.kind != TACIT_LOSS_UNIT) return o->margins;
  double half = (model->label.max - model->label.min) / 2;
  tacit_value above = node(o, "Add", o->margins, number(o, 1));
  return node(o, "Add", number(o, model->label.min),
              node(o, "Mul", above, number(o, half)));
}

/* Refuses names of inputs that could be taken for other values. */
static tacit_status check_names(const tacit_schema *schema, tacit_error *err) {
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const char *name = schema->columns[i].name;
    if (strncmp(name, TACIT_ONNX_PREFIX, strlen(TACIT_ONNX_PREFIX)) == 0 ||
        strcmp(name, "scores") == 0)
      return tacit_fail(err, TACIT_EINVAL,
                        "column '%.100s': in ONNX a column cannot be called \"scores\" "
                        "or begin with \"" TACIT_ONNX_PREFIX "\"",
                        name);
  }
  return TACIT_OK;
}

static void add_fact(tacit_protobuf *file, const char *key, const char *value) {
  tacit_protobuf fact = {0};
  if (value == NULL) return;
  tacit_protobuf_text(&fact, FACT_KEY, key);
  tacit_protobuf_text(&fact, FACT_VALUE, value);
  tacit_protobuf_message(file, MODEL_FACT, &fact);
}

/* Adds the names of the classes, as JSON. */
static void add_classes(tacit_protobuf *file, const tacit_schema *schema) {
  json_t *names = json_array();
  for (size_t i = 0; i < tacit_schema_classes(schema); ++i)
    (void)json_array_append_new(names, json_string(tacit_schema_class(schema, (int)i)));
  char *text = json_dumps(names, JSON_COMPACT);
  if (text == NULL) file->failed = 1;
  if (json_array_size(names) > 0) add_fact(file, "classes", text);
  tacit_string_free(text);
  json_decref(names);
}

static void add_operations(tacit_protobuf *file, const char *domain, int version) {
  tacit_protobuf set = {0};
  tacit_protobuf_text(&set, OPERATIONS_DOMAIN, domain);
  tacit_protobuf_whole(&set, OPERATIONS_VERSION, version);
  tacit_protobuf_message(file, MODEL_OPERATIONS, &set);
}

/* Writes the ModelProto. Takes ownership of the graph. */
static void write_file(tacit_onnx *o, tacit_protobuf *file) {
  const tacit_model *model = o->f.model;
  tacit_graph_output(&o->graph, "scores", score(o), o->outputs);
  tacit_protobuf_text(&o->graph.body, GRAPH_NAME, "tacit");
  tacit_protobuf_whole(file, MODEL_FORMAT, FORMAT);
  tacit_protobuf_text(file, MODEL_PRODUCER, "tacit");
  tacit_protobuf_text(file, MODEL_PRODUCER_VERSION, tacit_version());
  tacit_protobuf_text(file, MODEL_TEXT, tacit_model_statement_text(model));
  tacit_protobuf_message(file, MODEL_GRAPH, &o->graph.body);
  add_operations(file, "", OPERATIONS);
  add_operations(file, "ai.onnx.ml", OPERATIONS_ML);
  add_fact(file, "digest", tacit_model_digest(model));
  add_fact(file, "loss", tacit_model_loss(model));
  add_classes(file, o->f.schema);
}

tacit_status tacit_model_onnx(const tacit_model *model, void **out, size_t *out_size,
                              tacit_error *err) {
  tacit_onnx o = {.f = {.model = model, .schema = model->schema, .unit = 1},
                  .outputs = model->row.outputs,
                  .scales = !(tacit_model_row_scale(model) > 0)};
  tacit_protobuf file = {0};
  int named = model->schema->kind == TACIT_SCHEMA_CSV;
  TACIT_TRY(tacit_formula_check(&o.f, err));
  TACIT_TRY(check_names(model->schema, err));
  tacit_status status = named ? sum_columns(&o, err) : sum_array(&o, err);
  if (status != TACIT_OK) {
    tacit_protobuf_free(&o.graph.body);
    return status;
  }
  finish_margins(&o);
  write_file(&o, &file);
  if (file.failed) {
    tacit_protobuf_free(&file);
    return tacit_fail_memory(err);
  }
  *out = file.bytes;
  *out_size = file.size;
  return TACIT_OK;
}
