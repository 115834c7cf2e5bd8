/* SPDX-License-Identifier: MIT */
/*
 * Counts the bytes that a rank sends and receives through MPI. Preloaded into
 * tacit-mpi, these functions wrap those of the library (the PMPI interface) and write
 * "sent received" to $TACIT_TEST_COUNT.RANK at the end. ranks.py checks that the
 * program calls no other function that moves data.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long long sent, received;

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if (to != MPI_PROC_NULL) sent += (long long)count * size;
  return PMPI_Isend(bytes, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *bytes, int count, MPI_Datatype type, int from, int tag,
              MPI_Comm comm, MPI_Request *request) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if (from != MPI_PROC_NULL) received += (long long)count * size;
  return PMPI_Irecv(bytes, count, type, from, tag, comm, request);
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
