/* SPDX-License-Identifier: MIT */
/* Model files that a command reads. */
#ifndef TACIT_CLI_MODEL_H
#define TACIT_CLI_MODEL_H

#include <tacit/model.h>

#include "options.h"

/* Reads a model file of at most --max-model bytes. Prints a note on standard error if
   the file has no digest. */
tacit_status cli_model_load(const struct cli_arguments *args, const char *path,
                            tacit_model **out, tacit_error *err);

#endif
