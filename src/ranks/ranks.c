/* SPDX-License-Identifier: MIT */
/*
 * Ranks synchronise by exchanging one short message each. Every rank sees the messages
 * of all ranks and draws the same conclusion from them, so that all continue or all
 * stop.
 */
#include "ranks/ranks.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { RANKS_MAX = 1 << 20 };

/* What a rank sends to all others. */
struct tacit_rank_message {
  int64_t status, point, raw_count;
  uint64_t public_check;
  unsigned char raw_digest[sizeof((tacit_sync *)0)->raw_digest];
};

static tacit_status fail_lost(const tacit_group *group, tacit_error *err) {
  return tacit_fail(err, TACIT_EIO,
                    "rank %d lost the other ranks: the job must be run again",
                    group->rank);
}

static tacit_status lost(tacit_ranks *ranks, tacit_error *err) {
  ranks->is_over = 1;
  return fail_lost(ranks->group, err);
}

static tacit_status check_group(const tacit_group *group, tacit_error *err) {
  if (group->struct_size < offsetof(tacit_group, gather) || group->size < 1 ||
      group->size > RANKS_MAX || group->rank < 0 || group->rank >= group->size ||
      group->broadcast == NULL || group->gather_all == NULL ||
      group->sum_scatter == NULL) {
    return tacit_fail(err, TACIT_EINVAL,
                      "the group has no size, no rank in it or no functions");
  }
  return TACIT_OK;
}

tacit_status tacit_ranks_init(tacit_ranks *ranks, const tacit_group *group,
                              tacit_error *err) {
  *ranks = (tacit_ranks){0};
  if (group == NULL) return TACIT_OK;
  TACIT_TRY(check_group(group, err));
  ranks->group = group;
  ranks->is_over = 1; /* without memory for messages, this rank cannot tell others of a
                         failure */
  size_t size = (size_t)group->size;
  ranks->raw_in = tacit_raw_new(size, sizeof *ranks->raw_in);
  ranks->in_bytes = tacit_array_new(size, sizeof *ranks->in_bytes);
  if (ranks->raw_in == NULL || ranks->in_bytes == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < size; ++i)
    ranks->in_bytes[i] = sizeof *ranks->raw_in;
  ranks->is_over = 0;
  return TACIT_OK;
}

void tacit_ranks_fini(tacit_ranks *ranks) {
  tacit_raw_free(ranks->raw_in);
  tacit_array_free(ranks->in_bytes);
}

int tacit_ranks_leads(const tacit_ranks *ranks) {
  return ranks->group == NULL || ranks->group->rank == 0;
}

/* Ends the work after a failure of rank `from`, whose message all ranks get. */
static tacit_status fail_together(tacit_ranks *ranks, int from, tacit_error *err) {
  const tacit_group *group = ranks->group;
  tacit_status status = (tacit_status)ranks->raw_in[from].status;
  tacit_error failure = {status, ""};
  if (group->rank == from) {
    snprintf(failure.message, sizeof failure.message, "%s",
             err != NULL ? err->message : tacit_status_text(status));
  }
  if (group->broadcast(group->self, failure.message, sizeof failure.message, from) != 0)
    return lost(ranks, err);
  ranks->is_over = 1;
  failure.message[sizeof failure.message - 1] = '\0';
  if (from == 0) return tacit_fail(err, status, "%s", failure.message);
  return tacit_fail(err, status, "rank %d: %s", from, failure.message);
}

/* Checks that all ranks are at the point of rank 0 and have the same public_check. */
static tacit_status compare(tacit_ranks *ranks, const tacit_sync *sync,
                            tacit_error *err) {
  const struct tacit_rank_message *in = ranks->raw_in;
  for (int i = 1; i < ranks->group->size; ++i) {
    if (in[i].point != in[0].point) {
      ranks->is_over = 1;
      return tacit_fail(err, TACIT_ESTATE,
                        "rank %d is at another point of the run than rank 0: start all "
                        "ranks alike",
                        i);
    }
    if (in[i].public_check == in[0].public_check) continue;
    ranks->is_over = 1;
    return tacit_fail(err, sync->differs, "rank %d %s", i, sync->message);
  }
  return TACIT_OK;
}

/* Adds what the other ranks sent to *sync. */
static void add_up(const tacit_ranks *ranks, tacit_sync *sync) {
  for (int i = 0; i < ranks->group->size; ++i) {
    if (i == ranks->group->rank) continue;
    const struct tacit_rank_message *in = &ranks->raw_in[i];
    sync->raw_count += in->raw_count;
    for (size_t k = 0; k < sizeof in->raw_digest; ++k)
      sync->raw_digest[k] ^= in->raw_digest[k];
  }
}

/* Sends the result of this rank's step and *sync, and receives the messages of all
   ranks. */
static tacit_status exchange(tacit_ranks *ranks, tacit_sync *sync, tacit_error *err) {
  const tacit_group *group = ranks->group;
  struct tacit_rank_message *out = &ranks->raw_in[group->rank];
  *out = (struct tacit_rank_message){.status = (int64_t)ranks->own,
                                     .point = sync->point,
                                     .raw_count = sync->raw_count,
                                     .public_check = sync->public_check};
  memcpy(out->raw_digest, sync->raw_digest, sizeof out->raw_digest);
  if (group->gather_all(group->self, ranks->raw_in, ranks->in_bytes) != 0)
    return lost(ranks, err);
  for (int i = 0; i < group->size; ++i)
    if (ranks->raw_in[i].status != TACIT_OK) return fail_together(ranks, i, err);
  TACIT_TRY(compare(ranks, sync, err));
  add_up(ranks, sync);
  return TACIT_OK;
}

tacit_status tacit_ranks_sync(tacit_ranks *ranks, tacit_sync *sync, tacit_step step,
                              void *context, tacit_error *err) {
  ranks->own = step != NULL ? step(context, err) : TACIT_OK;
  if (ranks->group == NULL) return ranks->own;
  if (!ranks->is_over) return exchange(ranks, sync, err);
  return ranks->own != TACIT_OK ? ranks->own : lost(ranks, err);
}

tacit_status tacit_ranks_step(tacit_ranks *ranks, tacit_step step, void *context,
                              tacit_error *err) {
  tacit_sync sync = {.point = TACIT_POINT_STEP};
  return tacit_ranks_sync(ranks, &sync, step, context, err);
}

tacit_status tacit_ranks_attempt(tacit_ranks *ranks, tacit_step step, void *context,
                                 tacit_error *err) {
  ranks->own = step(context, err);
  if (ranks->own == TACIT_OK || ranks->group == NULL || ranks->is_over)
    return ranks->own;
  tacit_sync sync = {.point = TACIT_POINT_STEP};
  return exchange(ranks, &sync, err);
}

tacit_status tacit_ranks_broadcast(tacit_ranks *ranks, void *bytes, size_t count,
                                   tacit_error *err) {
  const tacit_group *group = ranks->group;
  if (group == NULL) return TACIT_OK;
  if (group->broadcast(group->self, bytes, count, 0) == 0) return TACIT_OK;
  return lost(ranks, err);
}

tacit_status tacit_group_gather(const tacit_group *group, void *bytes,
                                const size_t *counts, tacit_error *err) {
  if (group == NULL || group->gather_all(group->self, bytes, counts) == 0)
    return TACIT_OK;
  return fail_lost(group, err);
}

tacit_status tacit_ranks_gather(tacit_ranks *ranks, void *bytes, const size_t *counts,
                                tacit_error *err) {
  tacit_status status = tacit_group_gather(ranks->group, bytes, counts, err);
  if (status != TACIT_OK) ranks->is_over = 1;
  return status;
}

int tacit_ranks_collects(const tacit_ranks *ranks) {
  const tacit_group *group = ranks->group;
  size_t needed = offsetof(tacit_group, gather) + sizeof group->gather;
  return group != NULL && group->struct_size >= needed && group->gather != NULL;
}

tacit_status tacit_ranks_collect(tacit_ranks *ranks, const void *raw_mine,
                                 const size_t *counts, void *raw_all,
                                 tacit_error *err) {
  const tacit_group *group = ranks->group;
  if (group->gather(group->self, raw_mine, counts, raw_all, 0) == 0) return TACIT_OK;
  return lost(ranks, err);
}

tacit_status tacit_ranks_sum(tacit_ranks *ranks, const int64_t *raw_all,
                             const size_t *counts, int64_t *raw_mine,
                             tacit_error *err) {
  const tacit_group *group = ranks->group;
  if (group == NULL) return TACIT_OK;
  if (group->sum_scatter(group->self, raw_all, counts, raw_mine) == 0) return TACIT_OK;
  return lost(ranks, err);
}

tacit_status tacit_group_sync(const tacit_group *group, tacit_sync *sync,
                              tacit_step step, void *context, tacit_error *err) {
  tacit_ranks ranks;
  tacit_error failure;
  tacit_status status = tacit_ranks_init(&ranks, group, &failure);
  if (status == TACIT_OK) {
    sync->point = TACIT_POINT_STEP - 1 - (sync->point & INT32_MAX);
    status = tacit_ranks_sync(&ranks, sync, step, context, err);
  } else if (err != NULL) {
    *err = failure;
  }
  tacit_ranks_fini(&ranks);
  return status;
}

tacit_status tacit_group_step(const tacit_group *group, int64_t point, tacit_step step,
                              void *context, tacit_error *err) {
  tacit_sync sync = {.point = point};
  return tacit_group_sync(group, &sync, step, context, err);
}

/* Returns the status in `context`: a step whose result is known already. */
static tacit_status repeat(void *context, tacit_error *err) {
  (void)err; /* it holds the message */
  return *(const tacit_status *)context;
}

tacit_status tacit_group_agree(const tacit_group *group, int64_t point,
                               tacit_status status, tacit_error *err) {
  return tacit_group_step(group, point, repeat, &status, err);
}
