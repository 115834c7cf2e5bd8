/* SPDX-License-Identifier: MIT */
/* Weights of rows (--weights, --max-weight) and of classes (--class-weight). */
#ifndef TACIT_CLI_WEIGHTS_H
#define TACIT_CLI_WEIGHTS_H

#include <tacit/data.h>

#include "options.h"

/* Refuses options that contradict each other; 0, or one line and the exit code. */
int cli_weights_check(const struct cli_arguments *args);
/* Where a reader finds labels, weights and ids that are not in the rows. */
void cli_row_files(const struct cli_arguments *args, tacit_reader_options *options);
/* The declared weights of the classes of the schema; *out is NULL without the option
   and is freed with free. Returns 0, or prints one line and returns the exit code. */
int cli_class_weights(const struct cli_arguments *args, const tacit_schema *schema,
                      double **out);

#endif
