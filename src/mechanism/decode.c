/* SPDX-License-Identifier: MIT */
/* The table of decoders, and the decoders of `tree` and `none`. For the tree, gbar_t is
   the sum of the nodes in I_t, and I_t = I_{t - lowbit(t)} + {t} (mechanism/tree.c). So
   a stack of (index, prefix sum) is enough: pop all entries with an index above t -
   lowbit(t), add row t to the prefix sum on top, and push the result. */
#include "mechanism/decode.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

static const struct tacit_decoder_ops *const decoders[] = {
    &tacit_decoder_tree,   &tacit_decoder_banded, &tacit_decoder_blt,
    &tacit_decoder_matrix, &tacit_decoder_none,   NULL};

struct tacit_decoder {
  const struct tacit_decoder_ops *ops;
  void *state;
};

void tacit_decoder_free(tacit_decoder *decoder) {
  if (decoder == NULL) return;
  if (decoder->state != NULL) decoder->ops->fini(decoder->state);
  TACIT_FREE(decoder->state, decoder);
}

tacit_status tacit_decoder_new(const struct tacit_encoder_ops *encoder,
                               const tacit_encoder_facts *shape, tacit_decoder **out,
                               tacit_error *err) {
  size_t which = 0;
  while (decoders[which] != NULL && decoders[which]->encoder != encoder)
    ++which;
  if (decoders[which] == NULL)
    return tacit_fail(err, TACIT_EINVAL, "mechanism %s has no decoder", encoder->name);
  tacit_decoder *decoder = tacit_array_new(1, sizeof *decoder);
  if (decoder == NULL) return tacit_fail_memory(err);
  decoder->ops = decoders[which];
  decoder->state = tacit_array_new(1, decoder->ops->state_size);
  tacit_status status = tacit_made(decoder->state, err);
  if (status == TACIT_OK) status = decoder->ops->init(decoder->state, shape, err);
  return TACIT_HAND_OVER(status, decoder, tacit_decoder_free, out);
}

double tacit_decoder_open(tacit_decoder *decoder, int64_t t, double bound,
                          double y_std) {
  return decoder->ops->open(decoder->state, t, bound, y_std);
}

void tacit_decoder_sum(tacit_decoder *decoder, const double *y, size_t first,
                       size_t end, double *out_sum) {
  decoder->ops->sum(decoder->state, y, first, end, out_sum);
}

int tacit_decoder_archive(tacit_decoder *decoder, tacit_archive *archive) {
  if (decoder->ops->archive == NULL) return 0;
  decoder->ops->archive(decoder->state, archive);
  return 1;
}

/* The stack of prefix sums. `none` uses one entry, the running sum. */
enum { LEVELS_MAX = 64 };

struct stack {
  size_t dim;
  int depth;
  int below, slot; /* of the open row t: the sum in `slot` becomes row t plus the sum in
                      `below`, or row t alone if below is -1 */
  int64_t index[LEVELS_MAX];
  double variance[LEVELS_MAX];
  double *sum[LEVELS_MAX];
};

static void stack_fini(void *self) {
  struct stack *stack = self;
  for (int i = 0; i < LEVELS_MAX; ++i)
    tacit_array_free(stack->sum[i]);
}

static tacit_status stack_init(struct stack *stack, size_t dim, int levels,
                               tacit_error *err) {
  stack->dim = dim;
  for (int i = 0; i < levels; ++i)
    TACIT_TRY(TACIT_NEW(stack->sum[i], dim, err));
  return TACIT_OK;
}

static double stack_open(struct stack *stack, int below, int slot, int64_t t,
                         double y_std) {
  double variance = (below >= 0 ? stack->variance[below] : 0) + y_std * y_std;
  stack->below = below;
  stack->slot = slot;
  stack->variance[slot] = variance;
  stack->index[slot] = t;
  stack->depth = slot + 1;
  return sqrt(variance);
}

static void stack_sum(void *self, const double *y, size_t first, size_t end,
                      double *out_sum) {
  struct stack *stack = self;
  const double *below = stack->below >= 0 ? stack->sum[stack->below] : NULL;
  double *slot = stack->sum[stack->slot];
  for (size_t i = first; i < end; ++i) {
    double sum = (below != NULL ? below[i] : 0) + y[i];
    slot[i] = out_sum[i] = sum;
  }
}

static void stack_archive(void *self, tacit_archive *archive) {
  struct stack *stack = self;
  tacit_archive_part(archive, &stack->depth, sizeof stack->depth);
  tacit_archive_part(archive, stack->index, sizeof stack->index);
  tacit_archive_part(archive, stack->variance, sizeof stack->variance);
  for (int i = 0; i < LEVELS_MAX && stack->sum[i] != NULL; ++i)
    tacit_archive_part(archive, stack->sum[i], stack->dim * sizeof(double));
}

static tacit_status tree_init(void *self, const tacit_encoder_facts *shape,
                              tacit_error *err) {
  int levels = 0;
  for (int64_t rounds = shape->rounds; rounds > 0; rounds >>= 1)
    ++levels;
  return stack_init(self, shape->dim, levels, err);
}

static double tree_open(void *self, int64_t t, double bound, double y_std) {
  struct stack *stack = self;
  (void)bound;
  while (stack->depth > 0 && stack->index[stack->depth - 1] > t - (t & -t))
    --stack->depth;
  return stack_open(stack, stack->depth - 1, stack->depth, t, y_std);
}

static tacit_status none_init(void *self, const tacit_encoder_facts *shape,
                              tacit_error *err) {
  return stack_init(self, shape->dim, 1, err);
}

static double none_open(void *self, int64_t t, double bound, double y_std) {
  struct stack *stack = self;
  (void)bound;
  return stack_open(stack, stack->depth - 1, 0, t, y_std);
}

const struct tacit_decoder_ops tacit_decoder_tree = {
    .encoder = &tacit_encoder_tree,
    .state_size = sizeof(struct stack),
    .init = tree_init,
    .fini = stack_fini,
    .open = tree_open,
    .sum = stack_sum,
    .archive = stack_archive,
};
const struct tacit_decoder_ops tacit_decoder_none = {
    .encoder = &tacit_encoder_none,
    .state_size = sizeof(struct stack),
    .init = none_init,
    .fini = stack_fini,
    .open = none_open,
    .sum = stack_sum,
    .archive = stack_archive,
};
