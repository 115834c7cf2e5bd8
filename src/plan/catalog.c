/* SPDX-License-Identifier: MIT */
/* What this build has of each family, from their registries. */
#include <tacit/catalog.h>

#include "data/bytes/codec.h"
#include "kernel/kernel.h"
#include "learner/learner.h"
#include "loss/loss.h"
#include "mechanism/mechanism.h"
#include "not_private/laws.h"

int tacit_catalog_get(tacit_family family, size_t index, tacit_catalog_entry *out) {
  switch (family) {
  case TACIT_LOSSES: {
    const tacit_loss_ops *ops = tacit_loss_at(index);
    if (ops == NULL) return 0;
    *out = (tacit_catalog_entry){ops->name, ops->summary, ops->params};
    return 1;
  }
  case TACIT_LEARNERS: {
    const tacit_learner_ops *ops = tacit_learner_at(index);
    if (ops == NULL) return 0;
    *out = (tacit_catalog_entry){ops->name, ops->summary, ops->params};
    return 1;
  }
  case TACIT_MECHANISMS: {
    const struct tacit_encoder_ops *ops = tacit_encoder_at(index);
    if (ops == NULL) return 0;
    *out = (tacit_catalog_entry){ops->name, ops->summary, ops->params};
    return 1;
  }
  case TACIT_LAWS: {
    const struct tacit_law_ops *ops = tacit_law_at(index);
    if (ops == NULL) return 0;
    *out = (tacit_catalog_entry){ops->name, tacit_law_summary(ops), NULL};
    return 1;
  }
  case TACIT_COMPRESSIONS: {
    const struct tacit_codec_ops *ops = tacit_codec_at(index);
    if (ops == NULL) return 0;
    *out = (tacit_catalog_entry){ops->name, ops->summary, NULL};
    return 1;
  }
  }
  return 0;
}

const char *tacit_catalog_dispatch(void) {
  const tacit_level *kernel = NULL;
  return tacit_kernel_pick(&kernel, NULL) == TACIT_OK ? kernel->name : NULL;
}
