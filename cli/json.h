/* SPDX-License-Identifier: MIT */
/* One JSON object on standard output. */
#ifndef TACIT_CLI_JSON_H
#define TACIT_CLI_JSON_H

#include <jansson.h>

#include "cli.h"

/* Prints and frees the object; returns the exit code. NULL (out of memory while it was
   built) is reported too. Numbers carry 17 digits: reading gives the same double. */
int tacit_cli_print_json(const struct cli_command *command, json_t *object);
/* JSON text of the library, to stand in an object under a key; NULL key ends a list. */
struct cli_json_part {
  const char *key, *text;
};
/* The same with these behind what the object has. */
int tacit_cli_print_json_parts(const struct cli_command *command, json_t *object,
                               const struct cli_json_part *parts);
/* A number, or null when it is not finite: JSON has no other. */
json_t *tacit_cli_json_number(double value);

#endif
