/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CONFIG_H
#define TACIT_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Which data sets are neighbours (docs/privacy.md). */
typedef enum tacit_adjacency {
  TACIT_REPLACE = 0, /**< one record is replaced by any other */
  TACIT_ZERO_OUT = 1 /**< one record is replaced by one that contributes nothing */
} tacit_adjacency;

/** A set of defaults. */
typedef enum tacit_preset {
  TACIT_PRACTICAL = 0, /**< the best we know, by public numbers: rows centred at a mean
                          that a round 0 releases, up to 8 passes, learners that know
                          their noise */
  TACIT_PAPER = 1,     /**< the paper to the letter, errata corrected */
  TACIT_ANYTIME = 2    /**< the defaults of version 0.1.0: one pass, coin betting on
                          differences, rows scaled by their own norms */
} tacit_preset;

/** Where the bound on the contribution of one row comes from. Always enforced. */
typedef enum tacit_bound {
  TACIT_BOUND_DEFAULT = 0, /**< that of the preset */
  TACIT_BOUND_CLIP = 1,  /**< C (beta_t - beta_{t-1}); assumes nothing about the loss */
  TACIT_BOUND_TIGHT = 2, /**< from G and H of the loss: docs/proofs/bound_tight.md */
  TACIT_BOUND_PAPER = 3  /**< the paper's, from G and H */
} tacit_bound;

/** The set W of allowed weights; ball and box are centred at the start point. */
typedef enum tacit_domain {
  TACIT_DOMAIN_BALL = 0,   /**< ball of `radius` in the norm of the run */
  TACIT_DOMAIN_BOX = 1,    /**< every coordinate within `radius` */
  TACIT_DOMAIN_SIMPLEX = 2 /**< no negative coordinates, sum 1; no radius */
} tacit_domain;

/** Whether rows are centred at their mean, which a round 0 releases first. */
typedef enum tacit_centring {
  TACIT_CENTRE_DEFAULT = 0, /**< that of the preset: practical on, or head for rows that
                               can be read once (see again); the others off */
  TACIT_CENTRE_ON = 1,      /**< on, unless the mean would drown in noise */
  TACIT_CENTRE_OFF = 2,
  TACIT_CENTRE_HEAD = 3 /**< as on, for rows that can be read once, in their order: the
                           first sixteenth of them is for the mean only, the others are
                           for the rounds only, and each has the whole budget */
} tacit_centring;

/** How rows, with their bias, are scaled. */
typedef enum tacit_scaling {
  TACIT_SCALE_DEFAULT = 0, /**< own, except for losses on numbers with centre on */
  TACIT_SCALE_OWN = 1,     /**< a row longer than row_norm is scaled down to it */
  TACIT_SCALE_SAME = 2     /**< all rows are divided by one public number: row_norm, or
                              for a CSV schema with row_norm 1 the largest norm that a
                              row can have. Only contributions are clipped */
} tacit_scaling;

/** Public facts about a running run; nothing here depends on records. */
typedef struct tacit_progress {
  int64_t round, rounds;  /**< rounds released so far, and in total */
  int64_t rows, rows_all; /**< rows read so far, and in all passes */
  int pass, passes;       /**< current pass, from 1, and their number */
  double
      noise_scale; /**< std of the noise in one coordinate of the last mean gradient */
  int persons;     /**< 1: rows and rows_all count persons */
} tacit_progress;

/** Called now and then by the thread that trains. A non-zero result stops the run. */
typedef int (*tacit_progress_fn)(void *cookie, const tacit_progress *progress);

/**
 * Everything that defines a run. Fill with tacit_config_init, then change what you
 * need. No value may be computed from the records; if one was, name it in `leaks`.
 * Strings and pointers must be valid during the call that takes the config.
 */
typedef struct tacit_config {
  size_t struct_size;

  /* Privacy: epsilon (with delta) or rho. */
  double epsilon;            /**< > 0; 0: not given */
  double delta;              /**< 0 < delta <= 0.5; 0: 1/rows^2, at most 1e-6 */
  double rho;                /**< mu of the run, the paper's rho; 0: not given */
  tacit_adjacency adjacency; /**< default TACIT_REPLACE */

  /* Data. Public facts. */
  const tacit_schema *schema; /**< required */
  int64_t rows;               /**< rows in one pass, required */
  double row_norm; /**< rows, with bias, are scaled down to this norm, or by it: see
                      scaling; default 1 */
  int bias;        /**< append a column of ones; default 1 */
  int shuffled;    /**< 1: rows are used in a secret order, so neighbours are sets of
                      rows; tacit_train_run checks it, ask and tell need
                      tacit_train_order_key. 0: in the order they come, which must not
                      depend on what they say */

  /* Problem. */
  const char *loss; /**< "NAME" or "NAME:key=value,…"; NULL: by the label, logistic or
                       softmax for classes, squared for a number */
  double l2;        /**< (l2/2)|w|^2 without the bias; costs no privacy; default 0 */
  const double
      *start; /**< start point, features + bias numbers; NULL: zeros. Must be public */

  /* Algorithm 1. 0 or NULL means the value of the preset. */
  tacit_preset preset;   /**< default TACIT_PRACTICAL */
  const char *learner;   /**< "NAME" or "NAME:key=value,…" */
  const char *mechanism; /**< "auto", "banded", "matrix", "blt", "tree", "none" */
  tacit_bound bound;
  int passes; /**< E; 0: practical 1 to 8 by rows, columns and classes, and 1 for rows
                 that can be read once (see again); the other presets 1 */
  int64_t batch; /**< rows per round; 0: by the preset (paper: 1 row per round) */
  double power;  /**< k of beta_t = t^k, >= 1 */
  double clip;   /**< C; 0: by round 0; not centred: 0.7 times row_norm times the slope
                    bound */
  double radius; /**< of the domain; 0: 1000 (anytime: 100, paper: 10) */
  tacit_domain domain;

  /* Noise and execution. */
  int noise;  /**< must be 0: all noise is sampled exactly */
  int seeded; /**< 1: randomness from `seed`; the model is then not private */
  uint64_t seed;
  unsigned threads;           /**< 0: all cores; the result does not depend on it */
  tacit_progress_fn progress; /**< may be NULL */
  void *progress_cookie;

  /* The paper's other sections (docs/theory.md). */
  double norm;      /**< p of the primal norm, 1 <= p <= 2; 0: 2. Rows and contributions
                       are bounded in its dual norm; 1 means 1 + 1/ln(dimension) */
  int pure;         /**< 1: delta = 0, pure DP; delta must not be given */
  const char *law;  /**< law of the noise; NULL: gaussian, or laplace when pure */
  double reg_scale; /**< of the regulariser xi_t|w| + nu_t|w|^2; 0: off, 1: theorem */

  /* Your own parts; the tables must outlive the run. */
  const struct tacit_learner_ops *learner_ops; /**< instead of a named learner */
  const struct tacit_gradient_ops *gradient;   /**< instead of a loss: any model */

  /* Private fine tuning. */
  const struct tacit_model *init; /**< start from its weights; NULL: zeros */
  int init_public;                /**< 1: made without data of these people */
  const char *init_name;          /**< its name in the statement; NULL: no name */

  /* Several processes, one model. */
  const struct tacit_group *group; /**< must outlive the run; NULL: alone */

  /*
   * Checkpoints (docs/howto/checkpoint.md). The file holds the sums without noise of
   * the rounds so far, sealed with the key file. It is extended after every round up to
   * round 64, then after every 1/16 more rounds or every megabyte. It uses 8 bytes of
   * disk per round and weight, and tacit_train_run reads the data one more time. Delete
   * it with tacit_checkpoint_remove after the model is stored.
   */
  const char *checkpoint; /**< the file; NULL: none. If it exists, see resume */
  const char *key_file;   /**< 32 bytes or more that no one else can read */
  int resume; /**< 1: continue from the checkpoint if it exists; 0: an existing
                 checkpoint is TACIT_EPRIVACY */

  const char *leaks; /**< names of settings that were computed from the records, one
                        line of at most 200 bytes: the model then says that it is not
                        private, and why; NULL: none */

  const struct tacit_matrix *matrix; /**< a mechanism of your own (tacit/matrix.h), in
                                        place of a named one; NULL: none */

  /* Persons with several rows as units (tacit_reader_units). */
  int64_t units; /**< number of persons, a public fact, in place of rows; all defaults
                    rest on it, and batch counts persons. 0: each row is a unit */
  int64_t unit_rows; /**< every person has the share of this many rows, and of a person
                        with more rows as many are used; 0: all rows of each person */
  /* Weights of rows (tacit_batch has them) and classes. Both multiply the contribution
     of a row and its clip. */
  int weighted;                /**< 1: rows have weights; for the statement */
  const double *class_weights; /**< declared, one per class of the schema, >= 0; divided
                                  by the largest; NULL: all 1 */
  const char *unit_name; /**< what the ids of persons are called in the statement, one
                            line of at most 200 bytes; NULL: the column that the schema
                            names, or "by id" */
  tacit_centring centre; /**< a round 0 reads all rows once more and releases their mean
                            with a share of the budget (docs/proofs/mean_release.md);
                            the rounds use rows less that mean */
  tacit_scaling scaling;
  int again; /**< 1: rows that are not shuffled can be read again; 0: once, as from a
                pipe or a caller who feeds them as they come, unless passes or centre
                say otherwise. Shuffled rows and those of persons can be read again.
                Only the preset practical asks */

  /* Streams; tacit_stream_init fills these in, and other runs refuse them. */
  int64_t horizon; /**< days in all. Every round has the rows of one day, of any number,
                      and `batch` is what means divide by. 0: not a stream */
  int unit_once;   /**< 1: rows of persons who came on an earlier day do not count */
  double evaluate; /**< share of mu^2 for scoring each model on the next day's rows */
} tacit_config;

/** The defaults. */
TACIT_API void tacit_config_init(tacit_config *config);

#ifdef __cplusplus
}
#endif
#endif
