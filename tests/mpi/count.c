/* SPDX-License-Identifier: MIT */
/*
 * Seen from MPI: how many bytes a rank hands to it. Preloaded into tacit-mpi, it stands
 * before the library's own functions (the PMPI interface) and writes "sent received" to
 * $TACIT_TEST_COUNT.RANK at the end. ranks.py checks that the program calls no other
 * function that moves data.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long long sent, received;

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to,
                 int out_tag, void *in, int in_count, MPI_Datatype in_type, int from,
                 int in_tag, MPI_Comm comm, MPI_Status *status) {
  int out_size = 0, in_size = 0;
  PMPI_Type_size(out_type, &out_size);
  PMPI_Type_size(in_type, &in_size);
  if (to != MPI_PROC_NULL) sent += (long long)out_count * out_size;
  if (from != MPI_PROC_NULL) received += (long long)in_count * in_size;
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type,
                       from, in_tag, comm, status);
}

int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int size = 0, rank = 0;
  PMPI_Type_size(type, &size);
  PMPI_Comm_rank(comm, &rank);
  *(rank == root ? &sent : &received) += (long long)count * size;
  return PMPI_Bcast(bytes, count, type, root, comm);
}

int MPI_Finalize(void) {
  const char *base = getenv("TACIT_TEST_COUNT");
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (base != NULL) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", base, rank);
    FILE *file = fopen(path, "w");
    if (file != NULL) {
      fprintf(file, "%lld %lld\n", sent, received);
      fclose(file);
    }
  }
  return PMPI_Finalize();
}
