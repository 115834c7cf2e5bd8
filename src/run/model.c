/* SPDX-License-Identifier: MIT */
/* The model of a run: its point, its schema, how it was trained, and its statement. */
#include "model/model.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/archive.h"

/* Describes how the model was trained, with what round 0 released if the run is
   centred. */
static tacit_status describe_training(const tacit_train *train, json_t *about,
                                      json_t **out, tacit_error *err) {
  json_t *training = *out = json_copy(train->plan->training);
  if (training == NULL) return tacit_fail_memory(err);
  if (about != NULL && json_object_update(training, about) != 0)
    return tacit_fail_memory(err);
  const tacit_frame *frame = train->mean.frame;
  if (frame == NULL) return TACIT_OK;
  const tacit_learner *learner = tacit_algorithm1_learner(train->algorithm1);
  json_t *centre =
      json_pack("{s:f, s:f, s:f, s:f}", "radius", frame->radius, "slope", frame->slope,
                "contribution", frame->reach, "slope_start", frame->slope_start);
  int failed = json_object_set_new(training, "learner_params",
                                   tacit_plan_learner_params(learner)) != 0;
  failed |= json_object_set_new(training, "centre", centre) != 0;
  return failed ? tacit_fail_memory(err) : TACIT_OK;
}

tacit_status tacit_train_model(const tacit_train *train, json_t *about,
                               tacit_model **out, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  json_t *training = NULL;
  tacit_status status = describe_training(train, about, &training, err);
  const tacit_map *map = train->second.map;
  double *noise = NULL, *moved = NULL;
  const double *x = tacit_algorithm1_x(train->algorithm1);
  const tacit_frame *frame = train->mean.frame;
  int promises = tacit_schema_promises(plan->schema);
  if (status == TACIT_OK) status = tacit_train_noise(train, &noise, err);
  int is_stretched = frame != NULL && frame->stretch != NULL;
  if (status == TACIT_OK && (map != NULL || is_stretched || promises)) {
    status = TACIT_NEW(moved, plan->dim, err);
    if (status == TACIT_OK && map != NULL)
      tacit_map_fold(map, frame, x, moved, train->open.offsets);
    else if (status == TACIT_OK)
      memcpy(moved, x, plan->dim * sizeof *moved);
    x = moved;
    if (status == TACIT_OK && is_stretched) tacit_frame_unstretch(frame, moved);
  }
  if (status == TACIT_OK && promises)
    status = tacit_monotone(plan->schema, noise, moved, err);
  if (status == TACIT_OK && frame != NULL && map == NULL) {
    tacit_frame plain = *frame;
    plain.shift.values = frame->offset;
    tacit_frame_offsets(&plain, train->pool, x, train->open.offsets);
  }
  tacit_model_parts parts = {
      .schema = plan->schema,
      .loss_spec = plan->loss_spec,
      .row_norm = plan->row.row_norm,
      .row_exponent = plan->row.exponent,
      .row_scale = plan->row.scale,
      .bias = plan->row.bias,
      .weights = x,
      .offset = frame != NULL ? train->open.offsets : NULL,
      .training = training,
      .statement = plan->statement,
  };
  parts.noise = noise;
  if (status == TACIT_OK) status = tacit_model_new(&parts, out, err);
  tacit_array_free(noise);
  tacit_array_free(moved);
  json_decref(training);
  return status;
}
