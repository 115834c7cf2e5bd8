/* SPDX-License-Identifier: MIT */
/*
 * Decoding. Tree: gbar_t = sum over i in I_t of node i, and I_t = I_{t - lowbit(t)} +
 * {t}, so a stack of (index, prefix sum) serves: pop what lies past t - lowbit(t), add
 * row t to the prefix sum on top, push the result. Independent rows: a running sum,
 * which is the same stack never popped, kept to one entry.
 */
#include "convert/decode.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { LEVELS_MOST = 64 };

struct tacit_decoder {
  size_t dim;
  int tree; /* 1: tree; 0: running sum */
  int depth;
  int64_t index[LEVELS_MOST];
  double variance[LEVELS_MOST];
  double *sum[LEVELS_MOST];
};

void tacit_decoder_free(tacit_decoder *decoder) {
  if (decoder == NULL) return;
  for (int i = 0; i < LEVELS_MOST; ++i)
    tacit_array_free(decoder->sum[i]);
  tacit_array_free(decoder);
}

tacit_status tacit_decoder_new(const char *encoder, size_t dim, int64_t rounds,
                               tacit_decoder **out, tacit_error *err) {
  int tree = strcmp(encoder, "tree") == 0;
  if (!tree && strcmp(encoder, "none") != 0) {
    return tacit_fail(err, TACIT_EINVAL, "mechanism %s has no decoder", encoder);
  }
  tacit_decoder *decoder = tacit_array_new(1, sizeof *decoder);
  if (decoder == NULL) return tacit_fail_memory(err);
  decoder->dim = dim;
  decoder->tree = tree;
  for (int i = 0; i < LEVELS_MOST && (i == 0 || (tree && rounds >> i > 0)); ++i) {
    decoder->sum[i] = tacit_array_new(dim, sizeof *decoder->sum[i]);
    if (decoder->sum[i] == NULL) {
      tacit_decoder_free(decoder);
      return tacit_fail_memory(err);
    }
  }
  *out = decoder;
  return TACIT_OK;
}

void tacit_decoder_step(tacit_decoder *decoder, int64_t t, const double *y,
                        double y_std, double *out_sum, double *out_std) {
  int64_t keep = decoder->tree ? t - (t & -t) : t - 1; /* prefix to add row t to */
  while (decoder->depth > 0 && decoder->index[decoder->depth - 1] > keep) {
    --decoder->depth;
  }
  int below = decoder->depth - 1;
  int slot = decoder->tree ? decoder->depth : 0;
  const double *base = below >= 0 ? decoder->sum[below] : NULL;
  double *sum = decoder->sum[slot];
  for (size_t i = 0; i < decoder->dim; ++i) {
    sum[i] = (base != NULL ? base[i] : 0) + y[i];
    out_sum[i] = sum[i];
  }
  decoder->variance[slot] = (below >= 0 ? decoder->variance[below] : 0) + y_std * y_std;
  decoder->index[slot] = t;
  decoder->depth = slot + 1;
  *out_std = sqrt(decoder->variance[slot]);
}
