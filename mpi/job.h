/* SPDX-License-Identifier: MIT */
/* The MPI job that this process belongs to. */
#ifndef TACIT_MPI_JOB_H
#define TACIT_MPI_JOB_H

/* Joins the job; returns 0 on success. */
int tacit_mpi_start(int *n_words, char ***words);
/* Leaves the job and returns the exit code. If MPI has failed, ends the whole job. */
int tacit_mpi_end(int exit_code);

#endif
