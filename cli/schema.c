/* SPDX-License-Identifier: MIT */
/*
 * `tacit schema`: a schema template from the header line of a CSV file. No record is
 * read, so the bounds and categories are left to a person who knows the data's domain.
 */
#include <stdio.h>
#include <tacit/data.h>

#include "cli.h"
#include "limit.h"
#include "output.h"

static int run(const struct cli_arguments *arguments) {
  const char *path = tacit_cli_text(arguments, "header", NULL);
  if (path == NULL)
    return tacit_cli_fail(
        arguments->command, CLI_USAGE,
        "--header FILE is missing: the CSV file whose first line names "
        "the columns");
  tacit_error err;
  char *text = NULL;
  if (tacit_schema_template_limited(path, tacit_cli_text(arguments, "label", NULL),
                                    tacit_cli_limit_line(arguments), &text,
                                    &err) != TACIT_OK)
    return tacit_cli_fail_error(arguments->command, &err);
  struct cli_output output;
  int exit_code = tacit_cli_output_open(&output, arguments->command,
                                        tacit_cli_text(arguments, "output", NULL));
  if (exit_code == 0) {
    fputs(text, output.stream);
    exit_code = tacit_cli_output_close(&output);
  }
  tacit_string_free(text);
  return exit_code;
}

static const struct cli_option options[] = {
    {.name = "header",
     .placeholder = "FILE",
     .kind = CLI_TEXT,
     .file = CLI_INPUT,
     .help = "CSV file whose first line names the columns, - for standard input; "
             "required"},
    {.name = "label",
     .placeholder = "NAME",
     .kind = CLI_TEXT,
     .fallback = "the last column",
     .help = "column that is the label"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "FILE",
     .kind = CLI_TEXT,
     .file = CLI_OUTPUT_OR_PRINT,
     .fallback = "standard output",
     .help = "file the template is written to"},
    {0}};
static const struct cli_group group = {"Options", options};
static const struct cli_group *const groups[] = {&group, &tacit_cli_limit_line_group,
                                                 NULL};

const struct cli_command tacit_cli_schema = {
    .name = "schema",
    .operands = "",
    .summary = "a schema template from the header line of a CSV file",
    .description =
        "Writes a JSON schema with one entry per column for a person to complete: "
        "types, "
        "bounds, categories and the label. Only the header line is read. Bounds and "
        "categories must be known without looking at the records.",
    .examples =
        "tacit schema --header patients.csv --label readmitted -o schema.json\n",
    .groups = groups,
    .run = run,
};
