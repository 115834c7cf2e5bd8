/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GROUP_H
#define TACIT_GROUP_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Several processes that train one model: what the engine asks of MPI, or of any other
 * library of collectives. Every rank makes a run with the same config but for `group`;
 * each round the integer sums of the ranks are added up, every rank releases its share
 * of the coordinates, and the shares are put together. The model is the same bits as
 * in one process.
 *
 * The members are called by the thread that trains, by all ranks in the same order;
 * they return when this rank's part is done, and 0 on success. After anything else the
 * run ends on this rank without a word to the others: the library should end the job.
 *
 * What passes through sum_scatter is not noised yet, and broadcast carries the key of
 * the run: the ranks and the network between them are as trusted as the machine of a
 * single run (docs/privacy.md).
 */
typedef struct tacit_group {
  size_t struct_size;
  int rank, size; /**< 0 <= rank < size <= 2^20 */
  void *self;     /**< handed to the functions */
  /** `count` bytes of rank `root` to all. */
  int (*broadcast)(void *self, void *bytes, size_t count, int root);
  /** `bytes` holds the pieces of all ranks in turn, counts[i] bytes of rank i: the own
      one is filled in on entry, all of them on return. */
  int (*gather_all)(void *self, void *bytes, const size_t *counts);
  /** Adds up raw_all of all ranks, number by number and modulo 2^64, and gives each
      rank its piece: counts[0] numbers to rank 0, the next counts[1] to rank 1, …;
      raw_mine has room for counts[rank]. */
  int (*sum_scatter)(void *self, const int64_t *raw_all, const size_t *counts,
                     int64_t *raw_mine);
} tacit_group;

/**
 * Makes a failure of one rank a failure of all. Every rank calls it with its status
 * and, after a failure, with the message in *err. Returns TACIT_OK when all ranks came
 * with TACIT_OK; otherwise every rank gets status and message of the lowest rank that
 * failed
 * ("rank 2: …"). `point` is a number of your choice for this point of the program; a
 * rank that arrives from another point is TACIT_ESTATE.
 *
 * tacit_train_new, _feed, _run, _finish and tacit_round_tell fail on all ranks together
 * without it. A rank that gives up elsewhere calls this function once, and no other
 * function of the run after it: the next call of the other ranks then fails instead of
 * waiting.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_group_agree(const tacit_group *group,
                                                         int64_t point,
                                                         tacit_status status,
                                                         tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
