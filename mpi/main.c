/* SPDX-License-Identifier: MIT */
/*
 * tacit-mpi: `tacit train` as an MPI job. Every rank runs the command on its part of
 * the rows; only rank 0 prints and writes.
 */
#include <stdio.h>

#include "cli.h"
#include "group.h"
#include "job.h"

static const struct cli_command *const commands[] = {&cli_train, &cli_version, NULL};

static const struct cli_program program = {
    .name = "tacit-mpi",
    .about = "trains differentially private linear models on many processes.",
    .hint = "Start it with: mpirun -n 4 tacit-mpi train ...",
    .commands = commands,
    .elsewhere = "only train runs on ranks: the other commands, infer too, read the "
                 "rows few times, so one process with threads runs them; start them "
                 "with \"tacit\"",
};

int main(int n_words, char **words) {
  if (cli_open_standard() != CLI_OK) return CLI_FAILED;
  if (tacit_mpi_start(&n_words, &words) != 0) {
    fprintf(stderr, "tacit-mpi: MPI cannot be started\n");
    return CLI_FAILED;
  }
  if (!cli_speaks() && freopen("/dev/null", "w", stdout) == NULL)
    return tacit_mpi_end(CLI_FAILED);
  return tacit_mpi_end(cli_run(&program, n_words, words));
}
