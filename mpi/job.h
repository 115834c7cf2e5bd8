/* SPDX-License-Identifier: MIT */
/* The MPI job of this process. */
#ifndef TACIT_MPI_JOB_H
#define TACIT_MPI_JOB_H

/* Joins the job. Returns 0 on success. */
int tacit_mpi_start(int *n_words, char ***words);
/* Leaves the job. Returns the exit code. Ends the whole job if MPI has failed. */
int tacit_mpi_end(int exit_code);

#endif
