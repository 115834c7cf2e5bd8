/* SPDX-License-Identifier: MIT */
/* What reading may take: --max-line, --max-model, --max-temp. */
#ifndef TACIT_CLI_LIMIT_H
#define TACIT_CLI_LIMIT_H

#include <tacit/data.h>

#include "options.h"

/* All three; of a command that reads models and schemas only; one that reads a line. */
extern const struct cli_group tacit_cli_limit_group, tacit_cli_limit_model_group,
    tacit_cli_limit_line_group;

/* Fills in the limits of a reader. */
void tacit_cli_limit_reader(const struct cli_arguments *arguments,
                            tacit_reader_options *options);
/* Bytes of a model or schema file, or of a line; 0: the library's limit. */
uint64_t tacit_cli_limit_model(const struct cli_arguments *arguments);
uint64_t tacit_cli_limit_line(const struct cli_arguments *arguments);

#endif
