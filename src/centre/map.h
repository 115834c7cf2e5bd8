/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CENTRE_MAP_H
#define TACIT_CENTRE_MAP_H

#include "centre/products.h"
#include "gradient/map.h"

/*
 * The map that second moments give to runs with classes. Rows pass through it in all
 * rounds from 1 on. After the last round it is folded into the weights.
 */

/* Makes the map from y, the release of the products. The caller frees it. */
tacit_status tacit_map_read(const tacit_products_facts *facts, const double *y,
                            tacit_map **out, tacit_error *err);
void tacit_map_free(tacit_map *map);
/* Returns the rule of mapped rows: dense, without a bias, no longer scaled. */
static inline tacit_row_rule tacit_map_rule(const tacit_row_rule *row) {
  return (tacit_row_rule){.features = row->features + (row->bias ? 1 : 0),
                          .row_norm = 1,
                          .exponent = 2,
                          .outputs = row->outputs,
                          .scale = 1};
}
/* Makes the frame of mapped rows from the frame that the map was made in. `constant` is
   the constant of tacit_frame_facts. */
void tacit_map_frame(const tacit_map *map, double constant, tacit_frame *frame);
/* Writes the weights of unmapped rows, with their bias, and the offset of each margin,
   for the weights x of mapped rows in a frame of mapped rows. */
void tacit_map_fold(const tacit_map *map, const tacit_frame *frame, const double *x,
                    double *weights, double *offsets);

#endif
