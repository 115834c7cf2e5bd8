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
 * It must be the same run: returns TACIT_EPRIVACY if version, options, schema or start
 * differ. Returns TACIT_EDATA if the key file does not open the checkpoint. The run
 * must also get the same rows, which these functions check:
 * - tacit_train_run compares a digest of all data, including rows not yet used, and
 *   reads the rows of the last pass again. It returns TACIT_EDATA if the data differ;
 * - tacit_train_feed expects all rows again from the first one, compares and skips
 *   them. It returns TACIT_EDATA if they differ;
 * - tacit_round_ask gives the next round; nothing is compared.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_new(const tacit_config *config,
                                                       tacit_train **out,
                                                       tacit_error *err);
/** Frees the run and wipes its keys and sums. The checkpoint remains. */
TACIT_API void tacit_train_free(tacit_train *train);

/** Takes the next rows, in the order they come. Returns TACIT_EPRIVACY if the config
    says `shuffled`, because the run then needs a secret order. Returns TACIT_EDATA if
    there are more rows than declared or if a later pass has other rows than the
    first. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_feed(tacit_train *train,
                                                        const tacit_batch *batch,
                                                        tacit_error *err);
/** Feeds all passes from a reader, in a secret order unless the reader keeps the order
    of its files. Returns TACIT_EPRIVACY if the config says `shuffled` and the reader
    does not. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_run(tacit_train *train,
                                                       tacit_reader *reader,
                                                       tacit_error *err);
/** Makes the model. Returns TACIT_EDATA unless all rows of all passes were fed. */
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
 * Returns the id of the run, which no other run has, for tacit_ledger_reserve: 16
 * random bytes in hex, also in a run with a seed. A resumed run keeps its id. The id is
 * empty if an older version, which had no ids, wrote the checkpoint. All ranks of a
 * group have the same id. Valid as long as the run.
 */
TACIT_API const char *tacit_train_id(const tacit_train *train);
/** Returns the plan of the run, with its privacy statement, valid as long as the
    run. */
TACIT_API const tacit_plan *tacit_train_plan(const tacit_train *train);
/**
 * Returns 1 if noise was drawn, possibly before a resume. If 0, nothing about the
 * records was released, and a run that ends now costs no privacy. If 1, a failed run
 * costs as much as a successful one.
 */
TACIT_API int tacit_train_noise_begun(const tacit_train *train);

/**
 * Checks checkpoint and key file before any row is read: the key file is usable, the
 * checkpoint can be written, and an existing checkpoint opens. Sets *out_found
 * (out_found may be NULL) to 1 if there is a checkpoint to resume from.
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
 * Writes the key of the order of the rows, for tacit_order_open. With it, processes
 * that read the records agree on the rows of each round. The key is secret like the
 * records: whoever knows it knows the order, and the guarantee for sets of rows rests
 * on nobody knowing it. A run with `shuffled` that asks and tells must use the rows in
 * this order; tacit_round_ask returns TACIT_EPRIVACY if the key was never taken.
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
  int64_t t,
      rounds;           /**< number of this round, from 1, and of all rounds. t is 0 for
                             the mean of the rows, before round 1 of a centred run; with
                             second moments, which are round 0 then, the mean is round -1 */
  int64_t n_rows;       /**< total number of rows of the round */
  size_t dim;           /**< length of the sums: the number of weights; another number
                             in a centred run */
  const double *x;      /**< x_t; NULL before round 1 */
  const double *x_prev; /**< x_{t-1} */
  double ratio;         /**< beta_{t-1}/beta_t */
  double lattice_scale; /**< lattice steps per unit of a gradient difference divided by
                           beta_t */
  int64_t lattice_clip; /**< largest norm of a contribution, in lattice steps */
  int64_t first; /**< place of the round's first row in the pass, from 0: the round has
                    places first … first + n_rows - 1 (order.h maps them to rows) */
  double lattice_clip_dual; /**< largest dual norm of a contribution, in lattice steps,
                                 if the dual norm is another norm */
  unsigned char problem[TACIT_PROBLEM_BYTES]; /**< digest of all other facts that
                                                 contributions depend on */
  /* For centred rows; `offset` is NULL if rows are not centred, and for their mean. */
  const double *offset; /**< numbers that are added to the scaled row: features, bias
                             and one more */
  int offset_bits;      /**< the offset has whole multiples of 2^-offset_bits */
  const double *margins, *margins_prev; /**< numbers that are added to the margins at x
                                             and x_prev, one per output */
  double radius;                        /**< norm to which longer centred rows are
                                             cut */
  double slope_max;                     /**< size to which larger changes of slopes are
                                             cut */
  double square_scale, square_max;      /**< lattice steps per unit of the change of the
                                             squared slope, and the largest change */
  /* Lengths of the vectors: of x and x_prev, of offset, of margins and margins_prev. */
  size_t weights, offset_count, outputs;
  const double *stretch; /**< factors that the features are multiplied by before they
                              are scaled, powers of two; NULL if all are 1 */
  size_t stretch_count;  /**< length of `stretch` */
} tacit_round;

/** Makes an empty round and fills in its size. */
TACIT_API void tacit_round_init(tacit_round *round);
/**
 * Writes the current round. Returns TACIT_ESTATE if the round is half fed or all rounds
 * are done. Writes at most out->struct_size bytes, which tacit_round_init sets. If this
 * library knows fewer fields than the caller, it writes the fields that it knows and
 * sets struct_size to their size.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_ask(tacit_train *train,
                                                       tacit_round *out,
                                                       tacit_error *err);
/**
 * Adds the clipped contributions of a shard to raw_sum (`dim` integers) and its number
 * of rows to *raw_count. Sum and count are secret until they are told. Calls with
 * different sums may run in parallel.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_delta(
    const tacit_train *train, const tacit_round *round, const tacit_batch *shard,
    int64_t *raw_sum, int64_t *raw_count, tacit_error *err);
/**
 * Releases the round and starts the next one. Returns TACIT_EPRIVACY unless the count
 * is the number of rows of the round and every |coordinate| <= count * lattice_clip.
 * With a group every rank tells its own sum and count, and the rules apply to the
 * totals.
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
 * Makes a worker from the options of the run. Every round tells the workers what the
 * preset of the run has chosen. Options that only the run needs are ignored and may be
 * left out: epsilon, delta, rho, l2, preset, learner, mechanism, bound, passes, batch,
 * centre, power, clip, radius, seed, threads, start, init.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_new(const tacit_config *config,
                                                        tacit_worker **out,
                                                        tacit_error *err);
TACIT_API void tacit_worker_free(tacit_worker *worker);
/** Returns the length of the sums of a run that is not centred. tacit_round has the
    length of each round. */
TACIT_API size_t tacit_worker_dim(const tacit_worker *worker);
/**
 * Computes the same integers as tacit_round_delta in the process of the run. `round`
 * must come from tacit_round_ask of the run. Returns TACIT_ESTATE if the run has other
 * options or another version of the library. After an error, sum and count are
 * unchanged.
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
 * Helps an engine to use the same rows of a person as tacit_reader_units. Writes one
 * number per row of the shard, which depends on the bytes of the row alone;
 * raw_unit_rows is ignored. If unit_rows is M, the M rows of a person with the smallest
 * numbers are used, and of rows with equal numbers the earlier one. The numbers are
 * secret like the rows.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_contents(const tacit_worker *worker,
                                                             const tacit_batch *shard,
                                                             uint64_t *raw_contents,
                                                             tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
