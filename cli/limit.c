/* SPDX-License-Identifier: MIT */
/* Limits on the memory and disk that input files may use; defaults are the library's.
 */
#include "limit.h"

#define LIMIT_LINE                                                                     \
  {                                                                                    \
    .name = "max-line", .placeholder = "SIZE", .kind = CLI_SIZE, .int_min = 1024,      \
    .int_max = UINT64_C(1) << 40, .fallback = "64M",                                   \
    .help = "longest line of a text file"                                              \
  }
#define LIMIT_MODEL                                                                    \
  {                                                                                    \
    .name = "max-model", .placeholder = "SIZE", .kind = CLI_SIZE, .int_min = 1024,     \
    .int_max = UINT64_C(1) << 40, .fallback = "64M; 1G for a model",                   \
    .help = "largest model or schema file"                                             \
  }
#define LIMIT_TEMP                                                                     \
  {                                                                                    \
    .name = "max-temp", .placeholder = "SIZE", .kind = CLI_SIZE, .int_min = 1024,      \
    .int_max = UINT64_C(1) << 50, .fallback = "64G",                                   \
    .help = "largest temporary file, in TMPDIR or /var/tmp, for compressed files "     \
            "that do not fit into memory when decoded, and for pipes with persons"     \
  }
#define LIMIT_KEPT                                                                     \
  {                                                                                    \
    .name = "max-kept", .placeholder = "SIZE", .kind = CLI_SIZE,                       \
    .int_max = UINT64_C(1) << 50, .fallback = "an eighth of the memory",               \
    .help = "memory for rows that later passes take again; if they need more, or "     \
            "with 0, every pass reads the files"                                       \
  }

static const struct cli_option all_options[] = {
    LIMIT_LINE, LIMIT_MODEL, LIMIT_TEMP, {0}};
static const struct cli_option train_options[] = {
    LIMIT_LINE, LIMIT_MODEL, LIMIT_TEMP, LIMIT_KEPT, {0}};
static const struct cli_option model_options[] = {LIMIT_MODEL, {0}};
static const struct cli_option line_options[] = {LIMIT_LINE, {0}};
static const struct cli_option schema_options[] = {LIMIT_LINE, LIMIT_MODEL, {0}};
const struct cli_group tacit_cli_limit_group = {"Limits", all_options};
const struct cli_group tacit_cli_limit_train_group = {"Limits", train_options};
const struct cli_group tacit_cli_limit_model_group = {"Limits", model_options};
const struct cli_group tacit_cli_limit_line_group = {"Limits", line_options};
const struct cli_group tacit_cli_limit_schema_group = {"Limits", schema_options};

uint64_t tacit_cli_limit_model(const struct cli_arguments *arguments) {
  return tacit_cli_value(arguments, "max-model")->integer;
}

uint64_t tacit_cli_limit_line(const struct cli_arguments *arguments) {
  return tacit_cli_value(arguments, "max-line")->integer;
}

void tacit_cli_limit_reader(const struct cli_arguments *arguments,
                            tacit_reader_options *options) {
  options->max_line = tacit_cli_limit_line(arguments);
  options->max_temp = tacit_cli_value(arguments, "max-temp")->integer;
}

void tacit_cli_limit_train(const struct cli_arguments *arguments,
                           tacit_reader_options *options) {
  const struct cli_value *kept = tacit_cli_value(arguments, "max-kept");
  tacit_cli_limit_reader(arguments, options);
  if (kept->given) options->max_kept = kept->integer > 0 ? kept->integer : 1;
}
