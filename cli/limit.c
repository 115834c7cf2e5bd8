/* SPDX-License-Identifier: MIT */
/* Limits on the memory and disk that input files may use; defaults are the library's.
 */
#include "data.h"

#define LIMIT_LINE                                                                     \
  SIZE("max-line", 1024, UINT64_C(1) << 40, "longest line of a text file",             \
       DEFAULT("64M"))
#define LIMIT_MODEL                                                                    \
  SIZE("max-model", 1024, UINT64_C(1) << 40, "largest model or schema file",           \
       DEFAULT("64M; 1G for a model"))
#define LIMIT_TEMP                                                                     \
  SIZE("max-temp", 1024, UINT64_C(1) << 50,                                            \
       "largest temporary file, in TMPDIR or /var/tmp, for compressed files that do "  \
       "not fit into memory when decoded, and for pipes with persons",                 \
       DEFAULT("64G"))
#define LIMIT_KEPT                                                                     \
  SIZE("max-kept", 0, UINT64_C(1) << 50,                                               \
       "memory for rows that later passes take again; if they need more, or with 0, "  \
       "every pass reads the files",                                                   \
       DEFAULT("an eighth of the memory"))

const struct cli_group cli_limit_group =
    GROUP("Limits", LIMIT_LINE, LIMIT_MODEL, LIMIT_TEMP);
const struct cli_group cli_limit_train_group =
    GROUP("Limits", LIMIT_LINE, LIMIT_MODEL, LIMIT_TEMP, LIMIT_KEPT);
const struct cli_group cli_limit_model_group = GROUP("Limits", LIMIT_MODEL);
const struct cli_group cli_limit_line_group = GROUP("Limits", LIMIT_LINE);
const struct cli_group cli_limit_schema_group =
    GROUP("Limits", LIMIT_LINE, LIMIT_MODEL);

uint64_t cli_limit_model(const struct cli_args *args) {
  return cli_value(args, "max-model")->integer;
}

uint64_t cli_limit_line(const struct cli_args *args) {
  return cli_value(args, "max-line")->integer;
}

void cli_limit_reader(const struct cli_args *args, tacit_reader_options *options) {
  options->max_line = cli_limit_line(args);
  options->max_temp = cli_value(args, "max-temp")->integer;
}

void cli_limit_train(const struct cli_args *args, tacit_reader_options *options) {
  const struct cli_value *kept = cli_value(args, "max-kept");
  cli_limit_reader(args, options);
  if (kept->given) options->max_kept = kept->integer > 0 ? kept->integer : 1;
}
