/* SPDX-License-Identifier: MIT */
/* One JSON object on standard output. */
#ifndef TACIT_CLI_JSON_H
#define TACIT_CLI_JSON_H

#include <jansson.h>

#include "cli.h"

/* Prints and frees the object; returns the exit code. NULL means that memory ran out
   and is reported. Numbers have 17 digits, so reading gives the same double. */
int cli_print_json(const struct cli_command *command, json_t *object);
/* A key and its value as JSON text of the library; a NULL key ends a list. */
struct cli_json_part {
  const char *key, *text;
};
/* The same, with these parts after the members of the object. */
int cli_print_json_parts(const struct cli_command *command, json_t *object,
                         const struct cli_json_part *parts);
/* A number; null if it is not finite, because JSON has no such numbers. */
json_t *cli_json_number(double value);

#endif
