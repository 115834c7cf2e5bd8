/* SPDX-License-Identifier: MIT */
/* The MPI job this process is a rank of. */
#ifndef TACIT_MPI_JOB_H
#define TACIT_MPI_JOB_H

/* Joins the job; not 0 when MPI cannot be had. */
int tacit_mpi_start(int *n_words, char ***words);
/* Leaves it and returns the exit code. When MPI has failed on the way, ends it. */
int tacit_mpi_end(int exit_code);

#endif
