/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CONFIG_H
#define TACIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>
#include <tacit/payer.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which data sets are neighbours (docs/privacy.md). */
typedef enum tacit_adjacency {
  TACIT_ADJACENCY_DEFAULT = 0, /**< replace */
  TACIT_REPLACE = 1,           /**< one record is replaced by any other */
  TACIT_ZERO_OUT = 2 /**< one record is replaced by one that contributes nothing */
} tacit_adjacency;

/** A set of defaults. */
typedef enum tacit_preset {
  TACIT_PRESET_DEFAULT = 0, /**< practical */
  TACIT_PRACTICAL = 1,      /**< the best we know, by public numbers: rows centred at a
                               mean that a round 0 releases, up to 8 passes, learners
                               that know their noise */
  TACIT_ANYTIME = 2, /**< the defaults of version 0.1.0: one pass, coin betting on
                          differences, rows scaled by their own norms */
  TACIT_PAPER = 3    /**< the paper to the letter, errata corrected */
} tacit_preset;

/** Where the bound on the contribution of one row comes from. Always enforced. */
typedef enum tacit_bound {
  TACIT_BOUND_DEFAULT = 0, /**< chosen by the preset: paper in preset paper, otherwise
                                clip, or tight for very stiff losses */
  TACIT_BOUND_CLIP = 1, /**< C (beta_t - beta_{t-1}), C the clip; assumes nothing about
                             the loss */
  TACIT_BOUND_TIGHT =
      2, /**< a bound from G and H of the loss: docs/proofs/bound_tight.md */
  TACIT_BOUND_PAPER = 3 /**< the paper's formula, from G and H */
} tacit_bound;

/** The set W of allowed weights; ball and box are centred at the start point. */
typedef enum tacit_domain {
  TACIT_DOMAIN_DEFAULT = 0, /**< ball */
  TACIT_DOMAIN_BALL = 1,    /**< ball of `radius` in the norm of the run */
  TACIT_DOMAIN_BOX = 2,     /**< every coordinate within `radius` */
  TACIT_DOMAIN_SIMPLEX = 3  /**< no negative coordinates, sum 1; no radius */
} tacit_domain;

/** Whether rows are centred at their mean, which a round 0 releases first. */
typedef enum tacit_centring {
  TACIT_CENTRE_DEFAULT = 0, /**< practical: on, or head for rows that can be read only
                                 once (see rereadable); other presets: off */
  TACIT_CENTRE_ON = 1,      /**< on, unless the mean would drown in noise */
  TACIT_CENTRE_OFF = 2,
  TACIT_CENTRE_HEAD = 3 /**< as on, for rows that can be read only once, in their order:
                             the first sixteenth of the rows is for the mean only, the
                             other rows are for the rounds only, and each part has the
                             whole budget */
} tacit_centring;

/** How rows, with their bias, are scaled. */
typedef enum tacit_scaling {
  TACIT_SCALE_DEFAULT = 0, /**< with centre on: same for losses on numbers, spread for
                              classes in preset practical; otherwise own */
  TACIT_SCALE_OWN = 1,     /**< a row longer than row_norm is scaled down to it */
  TACIT_SCALE_SAME = 2,    /**< all rows are divided by one public number: row_norm, or
                              for a CSV schema with row_norm 1 the largest norm that a
                              row can have. Only contributions are clipped */
  TACIT_SCALE_SPREAD = 3   /**< like own; then round 0 also releases how far rows are
                              from each other, centred rows are cut by it, and the learner
                              measures them in it. For classes, with centre on */
} tacit_scaling;

/** Whether second moments of the centred rows are released, from which steps are made.
 */
typedef enum tacit_moments_choice {
  TACIT_MOMENTS_DEFAULT = 0, /**< auto */
  TACIT_MOMENTS_AUTO = 1,    /**< practical: on for the squared loss where they pay by
                                public numbers: at most 300 columns, 8 passes, n mu /
                                (kappa columns) at least 40 */
  TACIT_MOMENTS_ON = 2,      /**< with classes and a smooth loss: rows pass through a
                                linear map made of the moments, which the model has in
                                its weights; at most 4096 columns */
  TACIT_MOMENTS_OFF = 3
} tacit_moments_choice;

/** Public facts about a run in progress. No field depends on records. */
typedef struct tacit_progress {
  int64_t round, rounds;  /**< rounds released so far, and in total */
  int64_t rows, rows_all; /**< rows read so far, and in all passes */
  int pass, passes;       /**< current pass, from 1, and their number */
  double
      noise_scale; /**< std of the noise in one coordinate of the last mean gradient */
  bool persons;    /**< true if rows and rows_all count persons */
} tacit_progress;

/** A function that the thread that trains calls now and then. If it returns non-zero,
    the run stops. */
typedef int (*tacit_progress_fn)(void *cookie, const tacit_progress *progress);

/**
 * Everything that defines a run. Fill with tacit_config_init, then change what you
 * need. No value may be computed from the records; if one was, name it in `leaks`.
 * Strings and pointers must be valid during the call that takes the config.
 */
typedef struct tacit_config {
  size_t struct_size;

  /* Privacy: epsilon (with delta) or rho. */
  double epsilon; /**< > 0; 0: not given */
  double delta;   /**< 0 < delta <= 0.5; 0: 1/rows^2, at most 1e-6 */
  double rho;     /**< mu of the run, which the paper calls rho; 0: not
                       given */
  tacit_adjacency adjacency;

  /* Data. Public facts. */
  const tacit_schema *schema; /**< required */
  int64_t rows;               /**< rows in one pass, required */
  double row_norm; /**< norm that rows, with bias, are scaled down to or divided by (see
                        scaling); default 1 */
  bool bias;       /**< append a column of ones; default true */
  bool shuffled;   /**< true if rows are used in a secret order, so that neighbours are
                        sets of rows; tacit_train_run checks this, and a run that asks
                        and tells needs tacit_train_order_key. False if rows are used in
                      the   order they come, which must not depend on what they say */

  /* Problem. */
  const char *loss; /**< "NAME" or "NAME:key=value,…"; NULL: by the label, logistic or
                       softmax for classes, squared for a number */
  double l2;        /**< (l2/2)|w|^2 without the bias; costs no privacy; default 0 */
  const double
      *start; /**< start point, features + bias numbers; NULL: zeros. Must be public */

  /* Algorithm 1. 0 or NULL means the value of the preset. */
  tacit_preset preset;
  const char *learner;   /**< "NAME" or "NAME:key=value,…" */
  const char *mechanism; /**< "auto", "banded", "matrix", "blt", "tree", "none" */
  tacit_bound bound;
  int passes;    /**< number of passes E. 0: in practical, 1 to 8 by rows, columns and
                      classes, and 1 for rows that can be read only once (see rereadable);
                    in    other presets 1 */
  int64_t batch; /**< rows per round; 0: chosen by the preset (paper: 1) */
  double power;  /**< power k >= 1 of the weights beta_t = t^k; 0: by the preset */
  double clip;   /**< C; 0: computed from round 0, or without centring 0.7 times
                      row_norm times the bound on slopes */
  double radius; /**< radius of the domain; 0: 1000 (anytime: 100, paper: 10) */
  tacit_domain domain;

  /* Noise and execution. */
  bool seeded; /**< true: all randomness comes from `seed`, and the model is not private
                */
  uint64_t seed;
  unsigned threads;           /**< 0: all cores; the result does not depend on it */
  tacit_progress_fn progress; /**< may be NULL */
  void *progress_cookie;

  /* The paper's other sections (docs/theory.md). */
  double norm;      /**< p of the primal norm, 1 <= p <= 2; 0: 2. Rows and contributions
                       are bounded in its dual norm; 1 means 1 + 1/ln(dimension) */
  bool pure;        /**< true: delta = 0, pure DP; delta must not be given */
  const char *law;  /**< law of the noise; NULL: gaussian, or laplace when pure */
  double reg_scale; /**< factor of the regulariser xi_t|w| + nu_t|w|^2; 0: off, 1: as in
                         the theorem */

  /* Your own parts; the tables must outlive the run. */
  const struct tacit_learner_ops *learner_ops; /**< used instead of a named learner */
  const struct tacit_gradient_ops *gradient;   /**< used instead of a loss, for any
                                                    model */

  /* Private fine tuning. */
  const struct tacit_model *init; /**< model from whose weights the run starts; NULL:
                                       from zeros */
  bool init_public;      /**< true if the initial model was made without data of
                              these people */
  const char *init_name; /**< name of the initial model in the statement, or
                              NULL */

  /* Several processes, one model. */
  const struct tacit_group *group; /**< processes that train together; must outlive the
                                        run; NULL: this process alone */

  /*
   * Checkpoints (docs/howto/checkpoint.md). The file holds the sums without noise of
   * the rounds so far, sealed with the key file. It is extended after every round up to
   * round 64, then after every 1/16 more rounds or every megabyte. It uses 8 bytes of
   * disk per round and weight, and tacit_train_run reads the data one more time. Delete
   * it with tacit_checkpoint_remove after the model is stored.
   */
  const char *checkpoint; /**< path of the file; NULL: no checkpoint. If the file
                               exists, see resume */
  const char *key_file;   /**< path of a file of at least 32 bytes that no one else can
                               read */
  bool resume; /**< true: continues from the checkpoint if it exists; false: fails with
                    TACIT_EPRIVACY if it exists */

  const char *leaks; /**< names of settings that were computed from the records, one
                          line of at most 200 bytes, or NULL. If it is given, the model
                          says that it is not private, and why */

  const struct tacit_matrix *matrix; /**< a mechanism of your own (tacit/matrix.h), used
                                          instead of a named one, or NULL */

  /* Persons with several rows as units (tacit_reader_units). */
  int64_t units;     /**< number of persons, a public fact, used instead of rows: all
                          defaults rest on it, and batch counts persons. 0: each row is a
                          unit */
  int64_t unit_rows; /**< M > 0: at most M rows of each person are used, and each counts
                          as 1/M of a person. 0: all rows of a person are used, and
                          together count as one */
  /* Weights of rows (tacit_batch has them) and classes. Both multiply the contribution
     of a row and its clip. */
  bool weighted;               /**< true if rows have weights, which the statement then
                                    says */
  const double *class_weights; /**< declared, one per class of the schema, >= 0; divided
                                  by the largest; NULL: all 1 */
  const char *unit_name; /**< name of the ids of persons in the statement, one line of
                              at most 200 bytes; NULL: the column of ids in the schema,
                              or "by id" */
  tacit_centring centre; /**< a round 0 reads all rows once more and releases their mean
                            with a share of the budget (docs/proofs/mean_release.md);
                            the rounds use rows less that mean */
  tacit_scaling scaling;
  bool rereadable; /**< true if rows that are not shuffled can be read again; false if
                        only once, as from a pipe or a caller who feeds them as they
                        come. Only the preset practical asks, and only if neither passes
                        nor centre tells. Shuffled rows, and rows that belong to
                        persons, can always be read again */
  tacit_moments_choice moments; /**< one more reading releases second moments of the
                                   rows less their mean, with a share of the budget */
  const tacit_payer *payer; /**< pays for the run, as a ledger does, or NULL; must live
                                 as long as the run. tacit_train_new reserves,
                                 tacit_train_finish commits, and tacit_train_free gives
                                 back what a run that drew no noise has reserved */
} tacit_config;

/** Fills in the defaults. */
TACIT_API void tacit_config_init(tacit_config *config);

#ifdef __cplusplus
}
#endif
#endif
