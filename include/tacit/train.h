/* SPDX-License-Identifier: MIT */
#ifndef TACIT_TRAIN_H
#define TACIT_TRAIN_H

#include <tacit/config.h>
#include <tacit/model.h>
#include <tacit/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A training run: new, feed (rows in order, any number a call, every pass again),
 * finish. Or run, which feeds from a reader. After any error once rows were fed the run
 * is dead: every later call is TACIT_ESTATE and no model comes out. One run is used by
 * one thread at a time.
 *
 * With a group (tacit/group.h) new, feed, run, finish and tell are made by all ranks in
 * the same order, and a failure of one is a failure of all. All ranks feed the same
 * rows, and each adds up a share of them.
 */
typedef struct tacit_train tacit_train;

/**
 * Starts a run. With a checkpoint and `resume` the run goes on where the checkpoint was
 * written. It must be the same run: version, options, schema, start (TACIT_EPRIVACY),
 * and the same rows. tacit_train_run compares a digest of all data, read or not
 * (TACIT_EDATA), and reads the rows of the last pass again; tacit_train_feed expects
 * all rows from the first one on, compares (TACIT_EDATA) and skips them;
 * tacit_round_ask gives the next round, and nothing is compared. A checkpoint that does
 * not open with the key file is TACIT_EDATA.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_new(const tacit_config *config,
                                                       tacit_train **out,
                                                       tacit_error *err);
/** Frees the run; keys and un-noised sums are wiped. The checkpoint stays. */
TACIT_API void tacit_train_free(tacit_train *train);

/** Takes the next rows. More rows than declared, or another second pass, is
 * TACIT_EDATA. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_feed(tacit_train *train,
                                                        const tacit_batch *batch,
                                                        tacit_error *err);
/** Feeds every pass from a reader. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_run(tacit_train *train,
                                                       tacit_reader *reader,
                                                       tacit_error *err);
/** The model, once all rows of all passes were fed. Fewer is TACIT_EDATA. */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_finish(tacit_train *train,
                                                          tacit_model **out,
                                                          tacit_error *err);

/**
 * The weights x_T of a run with a gradient of your own, once all rows were fed: `dim`
 * numbers into out. The run has then ended.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_train_weights(tacit_train *train,
                                                           size_t dim, double *out,
                                                           tacit_error *err);
/** The plan the run follows, with its privacy statement; lives as long as the run. */
TACIT_API const tacit_plan *tacit_train_plan(const tacit_train *train);
/**
 * 1 from the moment before the first word of noise is drawn, also when that was before
 * a resume. Until then nothing of the records can have come out, and a run that ended
 * has cost nothing; from then on a failed run counts like any other.
 */
TACIT_API int tacit_train_noise_begun(const tacit_train *train);

/**
 * What can be told of checkpoint and key file before any row is read, so that a run
 * need not scan its data to find them wrong: the key file can be used, the checkpoint
 * can be written, one that is there opens. *out_found (may be NULL) is 1 when there is
 * a checkpoint to go on from.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_checkpoint_check(const char *checkpoint,
                                                              const char *key_file,
                                                              int resume,
                                                              int *out_found,
                                                              tacit_error *err);
/**
 * Deletes the checkpoint of a run whose model is safe. Until then it stays: a model
 * lost on the way is made again, the same bits, by resuming.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_checkpoint_remove(const char *checkpoint,
                                                               tacit_error *err);

/*
 * Ask and tell: the same run with the sums computed elsewhere.
 */

/** Bytes of the digest that says which problem a round belongs to. */
#define TACIT_PROBLEM_BYTES 16

/**
 * What a worker needs to compute its share of round t, all of it public. Views live
 * until the next tell. To send a round elsewhere send every field, the `dim` numbers
 * behind x and x_prev in their place.
 */
typedef struct tacit_round {
  size_t struct_size;
  int64_t t, rounds;    /**< 1-based round under way */
  int64_t n_rows;       /**< rows the round must have in all */
  size_t dim;           /**< features plus bias: length of the sums */
  const double *x;      /**< x_t */
  const double *x_prev; /**< x_{t-1} */
  double ratio;         /**< beta_{t-1}/beta_t */
  double lattice_scale; /**< lattice steps in one unit of a gradient difference over
                           beta_t */
  int64_t lattice_clip; /**< largest norm of one contribution, in lattice steps */
  int64_t first; /**< 0-based place in the pass of the round's first row: it has places
                    first … first + n_rows - 1 (order.h says which rows) */
  double lattice_clip_dual; /**< largest dual norm, in steps, where that is another norm
                             */
  unsigned char problem[TACIT_PROBLEM_BYTES]; /**< digest of all else a contribution
                                                 depends on, and of the rounds */
} tacit_round;

/** An empty round with its size filled in. */
TACIT_API void tacit_round_init(tacit_round *round);
/**
 * The round under way, between rounds only; TACIT_ESTATE when all rounds are done.
 * Fills out->struct_size bytes and no more (tacit_round_init sets it); with more than
 * this library knows, what it knows, and struct_size says how much that is.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_ask(tacit_train *train,
                                                       tacit_round *out,
                                                       tacit_error *err);
/**
 * Adds the clipped contributions of a shard to raw_sum (`dim` integers) and its rows to
 * *raw_count. Both are secret until told. Calls on different sums may run in parallel.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_delta(
    const tacit_train *train, const tacit_round *round, const tacit_batch *shard,
    int64_t *raw_sum, int64_t *raw_count, tacit_error *err);
/**
 * Releases the round and advances. Refused (TACIT_EPRIVACY) unless the count is the
 * round's and every |coordinate| <= count * lattice_clip. With a group every rank tells
 * its own sums and count, and both rules hold for their total.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_round_tell(tacit_train *train,
                                                        const int64_t *raw_sum,
                                                        int64_t raw_count,
                                                        tacit_error *err);

/**
 * A worker of a run that goes on elsewhere: another process, another machine. It has no
 * key, no noise and no state. Calls on different sums may run in parallel.
 */
typedef struct tacit_worker tacit_worker;

/**
 * A worker from the options of the run. Those that only the run itself needs are not
 * looked at and may be left out: epsilon, delta, rho, l2, learner, bound, power, clip,
 * radius, seed, threads, start, init.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_new(const tacit_config *config,
                                                        tacit_worker **out,
                                                        tacit_error *err);
TACIT_API void tacit_worker_free(tacit_worker *worker);
/** Length of the sums. */
TACIT_API size_t tacit_worker_dim(const tacit_worker *worker);
/**
 * The same integers as tacit_round_delta in the process of the run, from a round that
 * was asked there. TACIT_ESTATE for a round of a run with other options or of another
 * version of the library; on any error sum and count are as they were.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_delta(
    const tacit_worker *worker, const tacit_round *round, const tacit_batch *shard,
    int64_t *raw_sum, int64_t *raw_count, tacit_error *err);

/** Bytes of the key and of the digest of tacit_worker_digest. */
#define TACIT_WORKER_KEY_BYTES 32
#define TACIT_WORKER_DIGEST_BYTES 16
/**
 * For several passes, which must see the same rows: XORs into raw_digest a digest of
 * the shard's rows, row i at places[i] of the pass, under a secret random key of the
 * run's. The XOR over all shards of a round must be the same in every pass; comparing
 * is the caller's duty. Shards may come in any order and be cut in any way, but a row
 * must be given dense, or sparse, every time. The digest is secret.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_worker_digest(
    const tacit_worker *worker, const unsigned char key[TACIT_WORKER_KEY_BYTES],
    const tacit_batch *shard, const int64_t *places,
    unsigned char raw_digest[TACIT_WORKER_DIGEST_BYTES], tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
