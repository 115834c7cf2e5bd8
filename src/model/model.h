/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MODEL_INTERNAL_H
#define TACIT_MODEL_INTERNAL_H

#include <jansson.h>
#include <stddef.h>
#include <tacit/model.h>

#include "batch/row.h"
#include "data/schema/schema.h"
#include "gradient/label.h"
#include "loss/loss.h"

struct tacit_model {
  tacit_schema *schema;
  tacit_loss *loss;
  tacit_row_rule row;
  tacit_label_rule label;
  size_t dim; /* number of weights */
  double *weights;
  double *wide;      /* the weights as the kernels read them; NULL for one output */
  double *offset;    /* one number per output; NULL: zeros */
  double term_scale; /* tacit_model_term_scale: needs all columns, so it is kept */
  double *noise;     /* one number per output and feature; NULL: not known */
  json_t *training;  /* how it was trained, for people: learner, radius, … */
  json_t *statement; /* docs/privacy.md */
  int is_private;
  int unsealed; /* 1: from a file without a digest */
  char *statement_text, *statement_json;
};

/* The parts of a model. tacit_model_new copies them, except JSON, which it references.
 */
typedef struct tacit_model_parts {
  const tacit_schema *schema;
  const char *loss_spec; /* "huber:tau=1" with every number spelt out */
  double row_norm;
  double row_exponent; /* p of the norm in which rows are scaled to row_norm */
  double row_scale;    /* what all rows are multiplied by instead; 0: nothing */
  int bias;
  const double *weights; /* their number follows from schema, classes and bias */
  const double *offset;  /* added to the margins, one per output; NULL: zeros */
  const double *noise;   /* standard deviation of weights of features; NULL: none */
  json_t *training;
  json_t *statement; /* holds the digest of the model file, if that has one */
  int unsealed;      /* 1: from a file of version 1, without a digest */
} tacit_model_parts;

enum { TACIT_DIGEST_TEXT = 65 }; /* hexadecimal digits and the closing zero */

/* TACIT_EDATA if the parts do not fit together or the statement is incomplete. */
tacit_status tacit_model_new(const tacit_model_parts *parts, tacit_model **out,
                             tacit_error *err);

/* The JSON object of the model file with this statement and without weights. */
tacit_status tacit_model_object(const tacit_model *model, json_t *statement,
                                json_t **out, tacit_error *err);
/* Adds the digest to the statement of a new model; TACIT_EDATA if the statement has a
   different one. */
tacit_status tacit_model_seal(tacit_model *model, tacit_error *err);

/* What tacit_model_term_scale says, before there is a model. */
double tacit_term_scale_of(const tacit_schema *schema, const tacit_row_rule *row);
/* The label rule for a schema and a loss; TACIT_EINVAL if they do not go together. */
tacit_status tacit_label_rule_of(const tacit_schema *schema, tacit_loss_labels kind,
                                 const char *loss, tacit_label_rule *out,
                                 tacit_error *err);
/* "NAME:key=value,…" with all parameters of a loss, in 17 digits. */
tacit_status tacit_loss_spec_full(const tacit_loss *loss, char *out, size_t size,
                                  tacit_error *err);

#endif
