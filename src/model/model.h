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
  double *wide;      /* the weights in the layout that the kernels read; NULL for one
                        output */
  double *offset;    /* one number per output, added to its margin; NULL for zeros */
  double term_scale; /* what tacit_model_term_scale returns; stored because computing it
                        takes a loop over all columns */
  double *noise;     /* standard deviations of the weights of features, per output;
                        NULL if not known */
  json_t *training;  /* how the model was trained, for people: learner, radius and
                        more */
  json_t *statement; /* the privacy statement (docs/privacy.md) */
  tacit_statement stated;      /* read from `statement` */
  tacit_statement stated_init; /* what stated.init points to, if it is not NULL */
  int unsealed; /* 1 if the model is from a file of version 1, which has no digest */
  char *statement_text, *statement_json;
};

/* The parts of a model. tacit_model_new copies all parts except the JSON objects, to
   which it keeps references. */
typedef struct tacit_model_parts {
  const tacit_schema *schema;
  const char *loss_spec; /* "huber:tau=1" with every number spelt out */
  double row_norm;
  double row_exponent; /* exponent of the norm in which rows are scaled to row_norm */
  double row_scale;    /* if not 0, all rows are multiplied by it, and row_norm is not
                          used */
  int bias;
  const double *weights; /* the weights; tacit_row_weights returns their number */
  const double *offset; /* one number per output, added to its margin; NULL for zeros */
  const double *noise;  /* standard deviations of the weights of features, per output;
                           NULL if not known */
  json_t *training;
  json_t *statement; /* the privacy statement, with the digest of the model file if the
                        file has one */
  int unsealed;      /* 1 if the parts are from a file of version 1, which has no
                        digest */
} tacit_model_parts;

enum { TACIT_DIGEST_TEXT = 65 }; /* bytes: 64 hexadecimal digits and the closing zero */

/* Makes a model. Returns TACIT_EDATA if the parts do not fit together or the statement
   is incomplete. */
tacit_status tacit_model_new(const tacit_model_parts *parts, tacit_model **out,
                             tacit_error *err);

/* Makes the JSON object of the model file, with this statement and an empty array of
   weights. */
tacit_status tacit_model_object(const tacit_model *model, json_t *statement,
                                json_t **out, tacit_error *err);
/* Adds the digest to the statement of a model. Returns TACIT_EDATA if the statement has
   a different digest. */
tacit_status tacit_model_seal(tacit_model *model, tacit_error *err);

/* monotone.c: moves the weights of one output to the nearest ones with which no column
   breaks its promise ("monotone"). `noise` has the standard deviation of each weight,
   or is NULL if they are not known and count alike. */
tacit_status tacit_monotone(const tacit_schema *schema, const double *noise,
                            double *weights, tacit_error *err);

/* Returns what a row of the largest norm is multiplied by in a model with this schema
   and rule. */
double tacit_term_scale_of(const tacit_schema *schema, const tacit_row_rule *row);
/* Makes the label rule for a schema and a loss that takes labels of this kind. `loss`
   is the name for messages. Returns TACIT_EINVAL if the schema declares another kind of
   label. */
tacit_status tacit_label_rule_of(const tacit_schema *schema, tacit_loss_labels kind,
                                 const char *loss, tacit_label_rule *out,
                                 tacit_error *err);
/* Writes "NAME:key=value,…" with all parameters of a loss, in 17 digits. */
tacit_status tacit_loss_spec_full(const tacit_loss *loss, char *out, size_t size,
                                  tacit_error *err);

#endif
