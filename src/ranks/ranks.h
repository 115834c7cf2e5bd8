/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RANKS_RANKS_H
#define TACIT_RANKS_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/group.h>

/*
 * The ranks that work together, on top of the collectives of a tacit_group.
 *
 * A failure of one rank is a failure of all. No function takes the status of an earlier
 * one as an argument: what may fail on one rank is written as a step, the functions
 * below run the step, and the ranks then agree on its result.
 */
typedef tacit_status (*tacit_step)(void *context, tacit_error *err);

/* This process among the ranks. All zero means alone: every function below then does
   what a single process does. */
typedef struct tacit_ranks {
  const tacit_group *group;          /* NULL: alone */
  struct tacit_rank_message *raw_in; /* one message per rank */
  size_t *in_bytes;
  tacit_status own; /* result of this rank's last step */
  int is_over; /* all ranks know of a failure, or cannot be reached: no more calls */
} tacit_ranks;

/* Joins a group, which is checked first; NULL: alone. Call fini also after a failure.
 */
tacit_status tacit_ranks_init(tacit_ranks *ranks, const tacit_group *group,
                              tacit_error *err);
void tacit_ranks_fini(tacit_ranks *ranks);
/* 1 on rank 0, and for a process that is alone. */
int tacit_ranks_leads(const tacit_ranks *ranks);

/* Points of the program. Ranks that arrive from different points are TACIT_ESTATE. A
   round t uses 2t and 2t + 1; tacit_group_agree uses the numbers below these two. */
enum { TACIT_POINT_START = -1, TACIT_POINT_STEP = -2 };

/* What the ranks exchange when they synchronise. */
typedef struct tacit_sync {
  int64_t point;
  uint64_t public_check;        /* must be the same on all ranks, … */
  tacit_status differs;         /* … or else all ranks fail with this status and */
  const char *message;          /* "rank 2 " followed by this text */
  int64_t raw_count;            /* on return: the sum over all ranks */
  unsigned char raw_digest[16]; /* on return: the XOR over all ranks */
} tacit_sync;

/* Runs `step` (NULL: nothing) and synchronises with the other ranks. The step may fill
   in *sync. All ranks get TACIT_OK, or all get the failure of the lowest rank that
   failed. */
tacit_status tacit_ranks_sync(tacit_ranks *ranks, tacit_sync *sync, tacit_step step,
                              void *context, tacit_error *err);
/* The same with nothing to exchange but the result of the step. */
tacit_status tacit_ranks_step(tacit_ranks *ranks, tacit_step step, void *context,
                              tacit_error *err);
/* Runs a step that needs no agreement while it succeeds. A failure ends the work of all
   ranks: the others learn of it when they next synchronise. */
tacit_status tacit_ranks_attempt(tacit_ranks *ranks, tacit_step step, void *context,
                                 tacit_error *err);

/* The collectives of the group, with failures as messages. Alone they do nothing. */
tacit_status tacit_ranks_broadcast(tacit_ranks *ranks, void *bytes, size_t count,
                                   tacit_error *err);
tacit_status tacit_ranks_gather(tacit_ranks *ranks, void *bytes, const size_t *counts,
                                tacit_error *err);
tacit_status tacit_ranks_sum(tacit_ranks *ranks, const int64_t *raw_all,
                             const size_t *counts, int64_t *raw_mine, tacit_error *err);
/* 1 if the group can gather pieces on one rank alone. Only then: the pieces of all
   ranks, into raw_all of rank 0, which is NULL on the others. */
int tacit_ranks_collects(const tacit_ranks *ranks);
tacit_status tacit_ranks_collect(tacit_ranks *ranks, const void *raw_mine,
                                 const size_t *counts, void *raw_all, tacit_error *err);

/* For callers that keep no tacit_ranks: tacit_ranks_sync on a group, NULL for a process
   that is alone. sync->point is a number of the caller's, as in tacit_group_agree. */
tacit_status tacit_group_sync(const tacit_group *group, tacit_sync *sync,
                              tacit_step step, void *context, tacit_error *err);
/* The same with nothing to exchange but the result of the step. */
tacit_status tacit_group_step(const tacit_group *group, int64_t point, tacit_step step,
                              void *context, tacit_error *err);
/* gather_all of the group; alone it does nothing. */
tacit_status tacit_group_gather(const tacit_group *group, void *bytes,
                                const size_t *counts, tacit_error *err);

#endif
