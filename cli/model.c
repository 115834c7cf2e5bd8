/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "cli.h"
#include "limit.h"

tacit_status cli_model_load(const struct cli_arguments *args, const char *path,
                            tacit_model **out, tacit_error *err) {
  tacit_status status = tacit_model_load_limited(path, cli_limit_model(args), out, err);
  if (status == TACIT_OK && tacit_model_digest(*out) == NULL)
    (void)cli_fail(args->command, CLI_OK,
                   "note: %s is of format version 1 and has no digest: edits of the "
                   "file cannot be detected",
                   path);
  return status;
}
