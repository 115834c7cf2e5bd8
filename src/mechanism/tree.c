/* SPDX-License-Identifier: MIT */
/*
 * The binary tree of the paper. Row t is node t: the sum of the rounds
 *   S_t = { t - lowbit(t) + 1, …, t },   lowbit(t) = t & -t,
 * and {S_i : i in I_t} partitions {1, …, t}, where I_t holds the partial sums of the
 * binary expansion of t. A stack holds the nodes of I_{t-1}; the nodes inside S_t are
 * at its top. Sums have 128 bits; the vault refuses rounds that might not fit.
 */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/mechanism.h"

enum { LEVELS_MAX = 64, COUNTED_ROUNDS = 1 << 22 };

struct tree {
  size_t dim;
  int depth;  /* number of nodes on the stack before this round */
  int merged; /* number of nodes at the top of the stack that are part of node t */
  int64_t index[LEVELS_MAX];
  int64_t clip[LEVELS_MAX]; /* largest clip of the rounds in the node */
  tacit_i128 *raw_node[LEVELS_MAX];
};

/* Returns floor(log2 rounds) + 1. */
static int levels(int64_t rounds) { return tacit_ceil_log2((uint64_t)rounds + 1); }

/*
 * Computes the largest sum over nodes of m^power, where m is the number of rounds of a
 * phase inside a node, over all phases (Proof: docs/proofs/tree_sens.md). A node of 2^j
 * rounds contains every phase `whole` times and `rest` consecutive phases once more,
 * cyclically. So a difference array over the phases takes O(1) per node. For one pass,
 * or for too many rounds, computes a bound instead, which is exact for one pass.
 */
static tacit_status phase_sum(const tacit_encoder_facts *facts, int power, double *out,
                              tacit_error *err) {
  int64_t b = facts->per_pass, passes = facts->rounds / b;
  if (passes <= 1 || facts->rounds > COUNTED_ROUNDS) {
    /* On each level a record is in at most `passes` nodes, each of which holds it at
       most `max` times. */
    double bound = 0;
    for (int64_t size = 1; size <= facts->rounds; size *= 2) {
      int64_t max = power == 2 ? (size - 1) / b + 1 : 1;
      bound += (double)(max * passes);
    }
    *out = bound;
    return TACIT_OK;
  }
  int64_t *change = tacit_array_new(2 * (size_t)b, sizeof *change);
  if (change == NULL) return tacit_fail_memory(err);
  int64_t everywhere = 0;
  for (int64_t t = 1; t <= facts->rounds; ++t) {
    int64_t size = t & -t;
    int64_t whole = size / b, rest = size % b, extra = power == 2 ? 2 * whole + 1 : 1;
    int64_t first = (t - rest) % b; /* phase (0-based) of the first of the last `rest`
                                       rounds */
    everywhere += power == 2 ? whole * whole : whole;
    if (rest == 0) continue;
    change[first] += extra;
    change[first + rest] -= extra; /* phases past the last one continue at index b */
  }
  int64_t largest = 0;
  for (int64_t q = 1; q < 2 * b; ++q)
    change[q] += change[q - 1];
  for (int64_t q = 0; q < b; ++q)
    if (change[q] + change[q + b] > largest) largest = change[q] + change[q + b];
  tacit_array_free(change);
  *out = (double)(everywhere + largest);
  return TACIT_OK;
}

static tacit_status tree_sens(const void *self, const tacit_encoder_facts *facts,
                              tacit_encoder_sens *out, tacit_error *err) {
  (void)self;
  double squares;
  TACIT_TRY(phase_sum(facts, 2, &squares, err));
  TACIT_TRY(phase_sum(facts, 1, &out->sum, err));
  out->squares = tacit_sqrt_up(squares);
  out->extra_bits = 0;
  return TACIT_OK;
}

static void tree_fini(void *self) {
  struct tree *tree = self;
  for (int i = 0; i < LEVELS_MAX; ++i)
    tacit_raw_free(tree->raw_node[i]);
}

static tacit_status tree_init(void *self, const tacit_encoder_facts *facts,
                              tacit_error *err) {
  struct tree *tree = self;
  tree->dim = facts->dim;
  for (int i = 0; i < levels(facts->rounds); ++i)
    TACIT_TRY(TACIT_RAW_NEW(tree->raw_node[i], facts->dim, err));
  return TACIT_OK;
}

static int64_t tree_begin(void *self, int64_t t, int64_t clip) {
  struct tree *tree = self;
  tree->depth -= tree->merged;
  if (t > 1) ++tree->depth; /* the previous round has put its node on the stack */
  tree->merged = 0;
  while (tree->merged < tree->depth &&
         tree->index[tree->depth - 1 - tree->merged] > t - (t & -t)) {
    int64_t below = tree->clip[tree->depth - 1 - tree->merged];
    if (below > clip) clip = below;
    ++tree->merged;
  }
  int slot = tree->depth - tree->merged;
  tree->index[slot] = t;
  tree->clip[slot] = clip;
  return clip;
}

static void tree_encode(void *self, const int64_t *raw_sum, size_t first, size_t count,
                        tacit_i128 *raw_out) {
  struct tree *tree = self;
  int slot = tree->depth - tree->merged;
  for (size_t i = 0; i < count; ++i)
    raw_out[i] = raw_sum[first + i];
  for (int level = slot; level < tree->depth; ++level) {
    const tacit_i128 *raw_below = tree->raw_node[level] + first;
    for (size_t i = 0; i < count; ++i)
      raw_out[i] += raw_below[i];
  }
  memcpy(tree->raw_node[slot] + first, raw_out, count * sizeof *raw_out);
}

static void tree_archive(void *self, tacit_archive *raw_archive) {
  struct tree *tree = self;
  tacit_archive_part(raw_archive, &tree->depth, sizeof tree->depth);
  tacit_archive_part(raw_archive, &tree->merged, sizeof tree->merged);
  tacit_archive_part(raw_archive, tree->index, sizeof tree->index);
  tacit_archive_part(raw_archive, tree->clip, sizeof tree->clip);
  for (int i = 0; i < LEVELS_MAX && tree->raw_node[i] != NULL; ++i)
    tacit_archive_part(raw_archive, tree->raw_node[i],
                       tree->dim * sizeof *tree->raw_node[i]);
}

const struct tacit_encoder_ops tacit_encoder_tree = {
    .name = "tree",
    .summary = "the paper's binary tree of partial sums; any number of rounds",
    .private_noise = 1,
    .state_size = sizeof(struct tree),
    .sens = tree_sens,
    .init = tree_init,
    .fini = tree_fini,
    .begin = tree_begin,
    .encode = tree_encode,
    .archive = tree_archive,
};
