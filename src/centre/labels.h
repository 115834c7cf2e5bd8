/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CENTRE_LABELS_H
#define TACIT_CENTRE_LABELS_H

/*
 * The mean and the deviation of labels from a noisy histogram. Bounds of labels are
 * declared without looking at data, so they may be much wider than the labels are. The
 * noise in the mean of the labels is as large as their bounds. A histogram says where
 * the labels are, however wide the bounds.
 */

enum { TACIT_LABEL_BINS = 17 }; /* points of the histogram */

/* What round 0 releases about labels u between `low` and 1, as means over the rows. */
typedef struct tacit_label_means {
  double mean, square; /* of u and u^2 */
  double noise;        /* deviation of the noise in `mean`; `square` has twice as
                          much */
  double low;          /* lower bound of u; the points of the histogram go from here to
                          1 */
  const double *hats;
  double hats_unit;  /* a mean is a hat over this number */
  double hats_noise; /* deviation of the noise in such a mean */
} tacit_label_means;

typedef struct tacit_label_guess {
  double mean, std;
} tacit_label_guess;

/* Returns the expected mean and deviation, given the release. Everything is public. */
tacit_label_guess tacit_label_guess_of(const tacit_label_means *means);

#endif
