/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MODEL_INTERNAL_H
#define TACIT_MODEL_INTERNAL_H

#include <jansson.h>
#include <stddef.h>
#include <tacit/model.h>

#include "data/batch/row.h"
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
  double *wide;      /* the same as the sweeps take them; NULL for one output */
  json_t *training;  /* how it was made: learner, weights, radius; for the reader */
  json_t *statement; /* docs/privacy.md */
  int is_private;
  int unsealed; /* 1: from a file without a digest */
  char *statement_text, *statement_json;
};

/* What a model is made of. Everything is copied (JSON: referenced). */
typedef struct tacit_model_parts {
  const tacit_schema *schema;
  const char *loss_spec; /* "huber:tau=1" with every number spelt out */
  double row_norm;
  double row_exponent; /* of the norm that is scaled to row_norm */
  int bias;
  const double *weights; /* as many as schema, classes and bias ask for */
  json_t *training;
  json_t *statement; /* with the digest of the file it comes from, if it has one */
  int unsealed;      /* 1: of a file of version 1, which has no digest */
} tacit_model_parts;

enum { TACIT_DIGEST_TEXT = 65 }; /* hexadecimal digits and the closing zero */

/* TACIT_EDATA when the parts do not fit together or the statement is incomplete. */
tacit_status tacit_model_new(const tacit_model_parts *parts, tacit_model **out,
                             tacit_error *err);

/* The object of the model file, weights left empty, with this statement. */
tacit_status tacit_model_object(const tacit_model *model, json_t *statement,
                                json_t **out, tacit_error *err);
/* Puts the digest of a new model into its statement; TACIT_EDATA if there is another
   one in it. */
tacit_status tacit_model_seal(tacit_model *model, tacit_error *err);

/* The label rule a schema and a loss give; TACIT_EINVAL when they do not agree. */
tacit_status tacit_label_rule_of(const tacit_schema *schema, tacit_loss_labels kind,
                                 const char *loss, tacit_label_rule *out,
                                 tacit_error *err);
/* "NAME:key=value,…" with all numbers of a loss in 17 digits. */
tacit_status tacit_loss_spec_full(const tacit_loss *loss, char *out, size_t size,
                                  tacit_error *err);

#endif
