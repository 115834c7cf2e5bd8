/* SPDX-License-Identifier: MIT */
#ifndef TACIT_TRAIN_H
#define TACIT_TRAIN_H

#include <tacit/config.h>
#include <tacit/model.h>
#include <tacit/order.h>
#include <tacit/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A training run: new, feed, finish. Feed takes the rows in order, any number per call,
 * and all of them again for every pass; tacit_train_run feeds from a reader instead. If
 * an error occurs after rows were fed, the run is dead: every later call returns
 * TACIT_ESTATE and there is no model. Only one thread at a time may use a run.
 *
 * With a group (tacit/group.h) all ranks call new, feed, run, finish and tell in the
 * same order, and if one rank fails, all fail. All ranks feed the same rows, and each
 * rank adds up a part of them.
 */
typedef struct tacit_train tacit_train;

/**
 * Starts a run. With a checkpoint and `resume` the run continues from the checkpoint.
 * It must be the same run: TACIT_EPRIVACY if version, options, schema or start differ.
 * It also needs the same rows, else TACIT_EDATA:
 * - tacit_train_run compares a digest of all data, including rows not yet used, and
 *   reads the rows of the last pass again;
 * - tacit_train_feed expects all rows again from the first one, compares and skips
 * them;
 * - tacit_round_ask gives the next round; nothing is compared.
 * TACIT_EDATA if the key file does not open the checkpoint.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_new(const tacit_config *config,
                                                       tacit_train **out,
                                                       tacit_error *err);
/** Frees the run and wipes its keys and sums. The checkpoint remains. */
TACIT_API void tacit_train_free(tacit_train *train);

/** Takes the next rows, in the order they come: TACIT_EPRIVACY with `shuffled`, which
    says that the order does not matter. TACIT_EDATA if there are more rows than
   declared or if a later pass has other rows than the first. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_feed(tacit_train *train,
                                                        const tacit_batch *batch,
                                                        tacit_error *err);
/** Feeds all passes from a reader, in a secret order unless the reader keeps that of
   its files. TACIT_EPRIVACY if the config says `shuffled` and the reader does not. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_run(tacit_train *train,
                                                       tacit_reader *reader,
                                                       tacit_error *err);
/** The model. TACIT_EDATA unless all rows of all passes were fed. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_finish(tacit_train *train,
                                                          tacit_model **out,
                                                          tacit_error *err);

/**
 * Writes the `dim` weights of a run with a gradient callback to out, after all rows
 * were fed. This ends the run.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_weights(tacit_train *train,
                                                           size_t dim, double *out,
                                                           tacit_error *err);
/**
 * Tells this run from all others, for tacit_ledger_reserve: 16 random bytes in hex,
 * also in a run with a seed. A resumed run has the id it began with; the id is empty if
 * its checkpoint has none, because an older version wrote it. All ranks of a group have
 * one id. Valid as long as the run.
 */
TACIT_API const char *tacit_train_id(const tacit_train *train);
/** The plan of the run, with its privacy statement; valid as long as the run. */
TACIT_API const tacit_plan *tacit_train_plan(const tacit_train *train);
/**
 * 1 if noise was drawn, possibly before a resume. If it is 0, nothing about the records
 * was released and a run that ends costs no privacy. If it is 1, a failed run costs as
 * much as a successful one.
 */
TACIT_API int tacit_train_noise_begun(const tacit_train *train);

/**
 * Checks checkpoint and key file before any row is read: the key file is usable, the
 * checkpoint can be written, and an existing checkpoint opens. *out_found (may be NULL)
 * is 1 if there is a checkpoint to resume from.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_checkpoint_check(const char *checkpoint,
                                                              const char *key_file,
                                                              int resume,
                                                              int *out_found,
                                                              tacit_error *err);
/**
 * Deletes the checkpoint of a run. Call it after the model is stored: until then a lost
 * model can be made again, with the same bits, by resuming.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_checkpoint_remove(const char *checkpoint,
                                                               tacit_error *err);

/*
 * Ask and tell: the same run, but the sums are computed elsewhere.
 */

/**
 * The key of the order of the rows, for tacit_order_open: with it, processes that read
 * the records agree on the rows of each round. Secret, like the records: whoever knows
 * it knows the order, and the guarantee for sets of rows rests on nobody knowing. A run
 * with `shuffled` that asks and tells must deal the rows by this order;
 * TACIT_EPRIVACY from tacit_round_ask if the key was never taken.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_order_key(
    tacit_train *train, unsigned char raw_key[TACIT_ORDER_KEY_BYTES], tacit_error *err);

/** Size of the digest that identifies the problem of a round. */
#define TACIT_PROBLEM_BYTES 16

/**
 * Everything a worker needs to compute its part of round t; all of it is public. The
 * pointers are valid until the next tell. To send a round to another process, send
 * every field, and the numbers of the vectors instead of the pointers.
 */
typedef struct tacit_round {
  size_t struct_size;
  int64_t t, rounds;    /**< current round, from 1, and their number; 0: the mean of all
                           rows, before round 1 of a centred run */
  int64_t n_rows;       /**< total number of rows of the round */
  size_t dim;           /**< length of the sums: features plus bias; another number in
                           rounds of a centred run */
  const double *x;      /**< x_t; NULL in round 0 */
  const double *x_prev; /**< x_{t-1} */
  double ratio;         /**< beta_{t-1}/beta_t */
  double lattice_scale; /**< lattice steps per unit of a gradient difference divided by
                           beta_t */
  int64_t lattice_clip; /**< largest norm of one contribution in lattice steps */
  int64_t first; /**< place of the round's first row in the pass, from 0: the round has
                    places first … first + n_rows - 1 (order.h maps them to rows) */
  double lattice_clip_dual; /**< largest dual norm in steps, if that is another norm */
  unsigned char problem[TACIT_PROBLEM_BYTES]; /**< digest of all other facts that
                                                 contributions depend on */
  /* Centred rows; `offset` is NULL if they are not, and in round 0. */
  const double *offset; /**< features, bias and one more number, which are added to the
                           scaled row */
  int offset_bits;      /**< they are whole multiples of 2^-offset_bits */
  const double *margins, *margins_prev; /**< added to the margins at x and x_prev, one
                                           number per output */
  double radius;                        /**< centred rows are cut to this norm */
  double slope_max;                     /**< and the changes of their slopes to this */
  double square_scale, square_max;      /**< of the change of the squared slope */
  /* Lengths of the vectors: of x and x_prev, of offset, of margins and margins_prev. */
  size_t weights, offset_count, outputs;
} tacit_round;

/** Makes an empty round and fills in its size. */
TACIT_API void tacit_round_init(tacit_round *round);
/**
 * The current round. TACIT_ESTATE if the round is half fed or all rounds are done.
 * Fills at most out->struct_size bytes, which tacit_round_init sets. If this library
 * knows fewer fields, it fills those and sets struct_size to their size.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_ask(tacit_train *train,
                                                       tacit_round *out,
                                                       tacit_error *err);
/**
 * Adds the clipped contributions of a shard to raw_sum (`dim` integers) and its number
 * of rows to *raw_count. Both are secret until they are told. Calls with different sums
 * may run in parallel.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_delta(
    const tacit_train *train, const tacit_round *round, const tacit_batch *shard,
    int64_t *raw_sum, int64_t *raw_count, tacit_error *err);
/**
 * Releases the round and starts the next one. TACIT_EPRIVACY unless the count is that
 * of the round and every |coordinate| <= count * lattice_clip. With a group every rank
 * tells its own sum and count, and the rules apply to the totals.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_tell(tacit_train *train,
                                                        const int64_t *raw_sum,
                                                        int64_t raw_count,
                                                        tacit_error *err);

/**
 * A remote worker: computes sums for a run in another process or machine. It has no
 * key, no noise and no state. Calls with different sums may run in parallel.
 */
typedef struct tacit_worker tacit_worker;

/**
 * Makes a worker from the options of the run. The run decides once what its preset
 * chooses, and every round tells the workers. Options that only the run needs are
 * ignored and may be left out: epsilon, delta, rho, l2, preset, learner, mechanism,
 * bound, passes, batch, centre, power, clip, radius, seed, threads, start, init.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_new(const tacit_config *config,
                                                        tacit_worker **out,
                                                        tacit_error *err);
TACIT_API void tacit_worker_free(tacit_worker *worker);
/** Length of the sums of a run that is not centred; tacit_round has that of a round. */
TACIT_API size_t tacit_worker_dim(const tacit_worker *worker);
/**
 * Computes the integers that tacit_round_delta computes in the process of the run. The
 * round was asked there. TACIT_ESTATE if the run has other options or another version
 * of the library. After an error, sum and count are unchanged.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_delta(
    const tacit_worker *worker, const tacit_round *round, const tacit_batch *shard,
    int64_t *raw_sum, int64_t *raw_count, tacit_error *err);

/** Sizes of the key and the digest of tacit_worker_digest. */
#define TACIT_WORKER_KEY_BYTES 32
#define TACIT_WORKER_DIGEST_BYTES 16
/**
 * Helps to check that every pass sees the same rows. XORs into raw_digest a digest of
 * the shard's rows, where row i has place places[i] in the pass, under a secret random
 * key of the run. The XOR over all shards of a round must be the same in every pass;
 * the caller must compare. Shards may have any order and any size, but a row must have
 * the same form, dense or sparse, in every pass. The digest is secret.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_digest(
    const tacit_worker *worker, const unsigned char key[TACIT_WORKER_KEY_BYTES],
    const tacit_batch *shard, const int64_t *places,
    unsigned char raw_digest[TACIT_WORKER_DIGEST_BYTES], tacit_error *err);
/**
 * Helps an engine to use the rows that tacit_reader_units uses. With a cap of M rows
 * these are the M rows of a person with the smallest numbers here (equal ones: the
 * earlier row). Writes one number per row of the shard, a function of its bytes alone;
 * raw_unit_rows is ignored. They are secret like the rows.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_contents(const tacit_worker *worker,
                                                             const tacit_batch *shard,
                                                             uint64_t *raw_contents,
                                                             tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
