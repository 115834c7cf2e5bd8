/* SPDX-License-Identifier: MIT */
/* Limits for reading: --max-line, --max-model, --max-temp, --max-kept. */
#ifndef TACIT_CLI_LIMIT_H
#define TACIT_CLI_LIMIT_H

#include <tacit/data.h>

#include "options.h"

/* For commands that read rows once; for training, which may read them several times;
   for commands that read only models and schemas; for commands that read only a line;
   for the one that makes schemas. */
extern const struct cli_group cli_limit_group, cli_limit_train_group,
    cli_limit_model_group, cli_limit_line_group, cli_limit_schema_group;

/* Sets the limits of a reader. */
void cli_limit_reader(const struct cli_arguments *args, tacit_reader_options *options);
/* Sets those of a reader that a run trains on. */
void cli_limit_train(const struct cli_arguments *args, tacit_reader_options *options);
/* Largest model or schema file, and largest line, in bytes; 0: the library's limit. */
uint64_t cli_limit_model(const struct cli_arguments *args);
uint64_t cli_limit_line(const struct cli_arguments *args);

#endif
