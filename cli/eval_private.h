/* SPDX-License-Identifier: MIT */
/* The private half of `tacit eval`. */
#ifndef TACIT_CLI_EVAL_PRIVATE_H
#define TACIT_CLI_EVAL_PRIVATE_H

#include "options.h"

/* "Private release": max-loss, max-error, bins. */
extern const struct cli_group cli_eval_private_group;

/* The command with --epsilon; returns the exit code. */
int cli_eval_private(const struct cli_args *args);
/* Without --epsilon its options mean nothing: 0, or one line and the exit code. */
int cli_eval_refuse_options(const struct cli_args *args);

#endif
