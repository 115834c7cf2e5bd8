/* SPDX-License-Identifier: MIT */
/* Both kinds of mechanism in one form: a matrix that the vault holds, or a stream. */
#include "vault/encoder.h"

#include "base/error.h"
#include "base/memory.h"

tacit_status tacit_encoder_init(tacit_encoder *encoder,
                                const struct tacit_encoder_ops *ops,
                                const tacit_encoder_facts *facts, size_t count,
                                tacit_error *err) {
  encoder->ops = ops->fill != NULL ? &tacit_encoder_of_matrix : ops;
  encoder->facts = *facts;
  encoder->facts.fill = ops->fill;
  encoder->self = tacit_array_new(1, encoder->ops->state_size + 1);
  if (encoder->self == NULL) return tacit_fail_memory(err);
  if (encoder->ops->init == NULL) return TACIT_OK;
  /* The matrix is that of the run; only its memory is that of the coordinates. */
  tacit_encoder_facts part = encoder->facts;
  part.dim = count;
  return encoder->ops->init(encoder->self, &part, err);
}

void tacit_encoder_fini(tacit_encoder *encoder) {
  if (encoder->self != NULL && encoder->ops->fini != NULL)
    encoder->ops->fini(encoder->self);
  tacit_array_free(encoder->self);
}
