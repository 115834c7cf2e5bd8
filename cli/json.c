/* SPDX-License-Identifier: MIT */
/* Printing JSON with jansson. */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int tacit_cli_print_json(const struct cli_command *command, json_t *object) {
  if (object == NULL) return tacit_cli_fail(command, CLI_FAILED, "out of memory");
  int failed = json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  json_decref(object);
  putchar('\n');
  if (failed)
    return tacit_cli_fail(command, CLI_FAILED,
                          "standard output could not be written: is the disk full?");
  return tacit_cli_close_stdout(command);
}

json_t *tacit_cli_json_from_text(const char *text) {
  return json_loadb(text, strlen(text), 0, NULL);
}

json_t *tacit_cli_json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}
