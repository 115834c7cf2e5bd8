/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "cli.h"

tacit_status tacit_cli_model_load(const struct cli_command *command, const char *path,
                                  tacit_model **out, tacit_error *err) {
  tacit_status status = tacit_model_load(path, out, err);
  if (status == TACIT_OK && tacit_model_digest(*out) == NULL)
    (void)tacit_cli_fail(command, CLI_OK,
                         "note: %s has no digest, it is of version 0.1.0: whether it "
                         "was edited cannot be told",
                         path);
  return status;
}
