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
 * Several processes (ranks) that train one model together, through MPI or any other
 * library of collectives. Every rank makes a run with the same config except `group`.
 * In each round the integer sums of the ranks are added up, every rank releases a part
 * of the coordinates, and the parts are gathered. The model has the same bits as in one
 * process.
 *
 * The thread that trains calls the functions, on all ranks in the same order. A
 * function returns 0 when this rank's part is done. If it returns another value, the
 * run ends on this rank without telling the others; the library of collectives should
 * end the job.
 *
 * sum_scatter and gather carry sums without noise and broadcast carries the key of the
 * run. So the ranks and the network between them must be as trusted as the machine of a
 * single run (docs/privacy.md).
 */
typedef struct tacit_group {
  size_t struct_size;
  int rank, size; /**< number of this rank and of all ranks; 0 <= rank < size <= 2^20 */
  void *self;     /**< passed to the functions below */
  /** Sends `count` bytes of rank `root` to all ranks. */
  int (*broadcast)(void *self, void *bytes, size_t count, int root);
  /** Gathers the pieces of all ranks on all ranks. `bytes` has the pieces one after the
      other, counts[i] bytes of rank i. On entry the piece of this rank is filled in, on
      return all pieces are. */
  int (*gather_all)(void *self, void *bytes, const size_t *counts);
  /** Adds raw_all over all ranks, number by number modulo 2^64, and gives each rank a
      piece of the total in raw_mine: the first counts[0] numbers to rank 0, the next
      counts[1] to rank 1, and so on. */
  int (*sum_scatter)(void *self, const int64_t *raw_all, const size_t *counts,
                     int64_t *raw_mine);
  /** Optional, for checkpoints. Gathers the pieces of all ranks, counts[i] bytes of
      rank i, one after the other in raw_all of rank `root`. The other ranks pass NULL
      as raw_all. If this function is NULL, or struct_size ends before it, gather_all is
      used, which sends more. */
  int (*gather)(void *self, const void *raw_mine, const size_t *counts, void *raw_all,
                int root);
} tacit_group;

/**
 * Shares a failure of one rank with all. Every rank calls it with its status, and with
 * the message in *err if it failed. Returns TACIT_OK if all ranks passed TACIT_OK;
 * otherwise every rank gets the status and message of the lowest rank that failed
 * ("rank 2: …"). `point` is a number that the caller gives to this point of the
 * program. Returns TACIT_ESTATE if the ranks pass different numbers.
 *
 * tacit_train_new, _feed, _run, _finish and tacit_round_tell already fail on all ranks
 * together. A rank that fails elsewhere calls this function once and then no other, so
 * that the next call of the other ranks fails instead of waiting.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_group_agree(const tacit_group *group,
                                                         int64_t point,
                                                         tacit_status status,
                                                         tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
