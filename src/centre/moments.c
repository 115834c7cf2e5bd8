/* SPDX-License-Identifier: MIT */
/* What round 0 adds up over the rows: the rows themselves, and the classes or the
   labels. Each part has a scale: the larger it is, the less noise the mean of that part
   gets beside the others. The constants were chosen on data:
   docs/results/defaults.md. */
#include <math.h>

#include "centre/frame.h"
#include "centre/labels.h"
#include "gradient/waves.h"

/* Scales of the classes; for losses on numbers, scales of the labels, of their
   histogram, and of the squared norms of rows. spread_scale is the norm of all waves of
   a row together. */
static const double indicator_scale = 0.3, spread_scale = 0.3, label_scale = 1.5,
                    bin_scale = 1.5, norm_scale = 0.5;
static const double share_rates = 0.2, share_numbers = 0.45; /* shares of mu */

void tacit_moments_of(const tacit_row_rule *row, const tacit_label_rule *label,
                      int weighs, int spreads, tacit_moments *out) {
  double unit = row->row_norm, squares = 1;
  *out = (tacit_moments){.columns = row->features + (row->bias ? 1 : 0)};
  if (label->kind == TACIT_LOSS_CLASSES) {
    out->rates = out->tails = label->classes > 2 ? label->classes : 1;
    out->label = indicator_scale * unit;
    out->label_unit = 1;
    out->share = share_rates;
    squares += indicator_scale * indicator_scale;
    if (spreads) {
      out->wave = spread_scale * unit / sqrt(TACIT_WAVES >> 1);
      out->tails += TACIT_WAVES;
      squares += spread_scale * spread_scale;
    }
  } else {
    double largest = fmax(fabs(label->min), fabs(label->max));
    out->bins = TACIT_LABEL_BINS;
    out->bin_low = label->kind == TACIT_LOSS_COUNT ? 0 : -1;
    out->bin = bin_scale * unit;
    out->tails = 3 + out->bins;
    out->label = label_scale * unit;
    out->label_unit = label->kind == TACIT_LOSS_COUNT ? largest : 1;
    out->norm = norm_scale / unit;
    out->share = share_numbers;
    squares += label_scale * label_scale * (1 + 0.25) + bin_scale * bin_scale +
               norm_scale * norm_scale;
  }
  if (weighs) {
    ++out->tails;
    out->weight = indicator_scale * unit;
    squares += indicator_scale * indicator_scale;
  }
  out->reach = unit * sqrt(squares);
}
