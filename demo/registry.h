/* SPDX-License-Identifier: MIT */
/* Writes the demo's synthetic patient registry: files with a known generating model. */
#ifndef TACIT_DEMO_REGISTRY_H
#define TACIT_DEMO_REGISTRY_H

#include <stdint.h>

#include "options.h"

/* Facts about a synthetic file. */
struct demo_facts {
  int64_t rows, positive;
  double best_loss;     /* mean log-loss of the generating probabilities */
  double best_accuracy; /* accuracy of the generating model's class */
};

/* Writes `rows` patients to a CSV file. Another `stream` gives other patients. `drift`,
   from 0 to 1, says how far the world has changed: columns have other effects. Returns
   the exit code. */
int cli_demo_write_patients(const char *path, int64_t rows, uint64_t stream,
                            double drift, struct demo_facts *out_facts);
/* Runs `tacit demo --days`: writes a file for each of `days` days, whose drift goes
   from 0 to 1. Returns the exit code. */
int cli_demo_days(const struct cli_args *arguments, const char *folder, int64_t days,
                  int64_t rows);
/* Writes the schema of the patient files. Returns the exit code. */
int cli_demo_write_schema(const char *path);

#endif
