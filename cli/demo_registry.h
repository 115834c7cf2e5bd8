/* SPDX-License-Identifier: MIT */
/* The demo's synthetic patient registry: files with a known generating model. */
#ifndef TACIT_CLI_DEMO_REGISTRY_H
#define TACIT_CLI_DEMO_REGISTRY_H

#include <stdint.h>

#include "options.h"

/* Facts about a synthetic file. */
struct demo_facts {
  int64_t rows, positive;
  double best_loss;     /* mean log-loss of the generating probabilities */
  double best_accuracy; /* of the generating model's class */
};

/* Writes `rows` patients to a CSV file; another `stream` gives other patients. Returns
   the exit code. */
int tacit_cli_demo_write_patients(const struct cli_command *command, const char *path,
                                  int64_t rows, uint64_t stream,
                                  struct demo_facts *out_facts);
/* Writes the schema of these files. */
int tacit_cli_demo_write_schema(const struct cli_command *command, const char *path);

#endif
