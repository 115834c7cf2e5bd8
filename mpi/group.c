/* SPDX-License-Identifier: MIT */
/*
 * The group of a tacit-mpi process: all ranks of the job. Sums and releases use
 * pairwise exchange: in step k, rank r sends to rank r + k and receives from rank r -
 * k. So every rank sends only what the others need, for any number of ranks. To add up
 * d sums it sends 8 d bytes, less the bytes of its own coordinates. To gather them it
 * sends its coordinates to each other rank, or to one rank. Messages are cut so that
 * every count fits into an int.
 */
#include "group.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job.h"

enum { CHUNK = 1 << 22, TAG = 7 };
enum { TRIES_SPIN = 1000, TRIES_YIELD = 3000, NAP_NS = 100000 };

struct mpi_group {
  MPI_Comm comm;
  tacit_group table;
  int64_t sent, received; /* bytes that this rank sent and received */
  int broken;             /* 1 after MPI has failed: the ranks cannot talk any more */
  int neighbours;         /* number of ranks on this machine */
};

/* The one group of the process. It is global, because a process is one rank and MPI
   itself is global. */
static struct mpi_group job;

static int check(int result) {
  if (result != MPI_SUCCESS) job.broken = 1;
  return result != MPI_SUCCESS;
}

static int broadcast(void *self, void *bytes, size_t count, int root) {
  struct mpi_group *group = self;
  char *at = bytes;
  if (group->table.size == 1) return 0;
  while (count > 0) {
    size_t part = count < CHUNK ? count : CHUNK;
    if (check(MPI_Bcast(at, (int)part, MPI_BYTE, root, group->comm))) return 1;
    *(group->table.rank == root ? &group->sent : &group->received) += (int64_t)part;
    at += part;
    count -= part;
  }
  return 0;
}

/* Waits for both requests. First it spins, because ranks that are equally fast answer
   in microseconds. Then it sleeps, because a rank that reads a slow disk takes long,
   and others may need the core. */
static int wait_for(MPI_Request requests[2]) {
  const struct timespec nap = {0, NAP_NS};
  for (long tries = 0;; ++tries) {
    int done = 0;
    MPI_Status statuses[2]; /* not used; gcc warns about NULL with MPICH's header */
    if (check(MPI_Testall(2, requests, &done, statuses))) return 1;
    if (done) return 0;
    if (tries >= TRIES_YIELD)
      (void)nanosleep(&nap, NULL);
    else if (tries >= TRIES_SPIN)
      (void)sched_yield();
  }
}

/* Sends and receives at once, in as many messages as the longer direction needs. */
static int exchange(struct mpi_group *group, const void *out, size_t out_size, int to,
                    void *in, size_t in_size, int from) {
  const char *out_at = out;
  char *in_at = in;
  group->sent += (int64_t)out_size;
  group->received += (int64_t)in_size;
  while (out_size > 0 || in_size > 0) {
    size_t out_part = out_size < CHUNK ? out_size : CHUNK;
    size_t in_part = in_size < CHUNK ? in_size : CHUNK;
    MPI_Request requests[2];
    if (check(MPI_Irecv(in_at, (int)in_part, MPI_BYTE,
                        in_part > 0 ? from : MPI_PROC_NULL, TAG, group->comm,
                        &requests[0])) ||
        check(MPI_Isend(out_at, (int)out_part, MPI_BYTE,
                        out_part > 0 ? to : MPI_PROC_NULL, TAG, group->comm,
                        &requests[1])) ||
        wait_for(requests))
      return 1;
    out_at += out_part;
    in_at += in_part;
    out_size -= out_part;
    in_size -= in_part;
  }
  return 0;
}

/* Returns the offset of the part of rank `which`. */
static size_t start_of(const size_t *counts, int which) {
  size_t start = 0;
  for (int i = 0; i < which; ++i)
    start += counts[i];
  return start;
}

static int gather_all(void *self, void *bytes, const size_t *counts) {
  struct mpi_group *group = self;
  int rank = group->table.rank, size = group->table.size;
  char *all = bytes;
  const char *mine = all + start_of(counts, rank);
  for (int k = 1; k < size; ++k) {
    int to = (rank + k) % size, from = (rank + size - k) % size;
    if (exchange(group, mine, counts[rank], to, all + start_of(counts, from),
                 counts[from], from))
      return 1;
  }
  return 0;
}

/* Gathers the parts of all ranks at rank `root`. The ranks send in turn, so that no
   message waits in memory for rank `root`. */
static int gather(void *self, const void *raw_mine, const size_t *counts, void *raw_all,
                  int root) {
  struct mpi_group *group = self;
  int rank = group->table.rank, size = group->table.size;
  if (rank != root)
    return exchange(group, raw_mine, counts[rank], root, NULL, 0, MPI_PROC_NULL);
  char *at = raw_all;
  for (int i = 0; i < size; at += counts[i++]) {
    if (i != root && exchange(group, NULL, 0, MPI_PROC_NULL, at, counts[i], i))
      return 1;
    if (i == root && counts[i] > 0) memcpy(at, raw_mine, counts[i]);
  }
  return 0;
}

static int sum_scatter(void *self, const int64_t *raw_all, const size_t *counts,
                       int64_t *raw_mine) {
  struct mpi_group *group = self;
  int rank = group->table.rank, size = group->table.size;
  size_t own = counts[rank], bytes = own * sizeof *raw_mine;
  int64_t *raw_in = malloc(bytes > 0 ? bytes : 1);
  if (raw_in == NULL) {
    group->broken = 1;
    return 1;
  }
  if (own > 0) memcpy(raw_mine, raw_all + start_of(counts, rank), bytes);
  int failed = 0;
  for (int k = 1; k < size && !failed; ++k) {
    int to = (rank + k) % size, from = (rank + size - k) % size;
    failed = exchange(group, raw_all + start_of(counts, to),
                      counts[to] * sizeof *raw_all, to, raw_in, bytes, from);
    /* Unsigned, because the sum is modulo 2^64 and signed overflow is undefined. */
    for (size_t i = 0; !failed && i < own; ++i)
      raw_mine[i] = (int64_t)((uint64_t)raw_mine[i] + (uint64_t)raw_in[i]);
  }
  explicit_bzero(raw_in, bytes);
  free(raw_in);
  return failed;
}

int tacit_mpi_start(int *n_words, char ***words) {
  int given = 0;
  /* Only the thread that trains calls MPI. */
  if (MPI_Init_thread(n_words, words, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS ||
      MPI_Comm_dup(MPI_COMM_WORLD, &job.comm) != MPI_SUCCESS ||
      MPI_Comm_set_errhandler(job.comm, MPI_ERRORS_RETURN) != MPI_SUCCESS)
    return 1;
  job.table = (tacit_group){.struct_size = sizeof job.table,
                            .self = &job,
                            .broadcast = broadcast,
                            .gather_all = gather_all,
                            .sum_scatter = sum_scatter,
                            .gather = gather};
  MPI_Comm here;
  int failed = MPI_Comm_rank(job.comm, &job.table.rank) != MPI_SUCCESS ||
               MPI_Comm_size(job.comm, &job.table.size) != MPI_SUCCESS ||
               MPI_Comm_split_type(job.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                                   &here) != MPI_SUCCESS;
  if (failed) return 1;
  failed = MPI_Comm_size(here, &job.neighbours) != MPI_SUCCESS;
  return MPI_Comm_free(&here) != MPI_SUCCESS || failed;
}

int tacit_mpi_end(int exit_code) {
  if (job.broken) MPI_Abort(job.comm, exit_code != 0 ? exit_code : 1);
  (void)MPI_Comm_free(&job.comm);
  (void)MPI_Finalize();
  return exit_code;
}

const tacit_group *cli_group(void) { return &job.table; }

unsigned cli_group_threads(void) {
  cpu_set_t set;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  /* A rank that mpirun bound to some cores uses these; a free rank uses its share of
     all. */
  if (cores >= online && job.neighbours > 0) cores /= job.neighbours;
  return cores > 1 ? (unsigned)cores : 1;
}

json_t *cli_group_traffic(void) {
  int size = job.table.size;
  int64_t(*all)[2] = calloc((size_t)size, sizeof *all);
  size_t *counts = calloc((size_t)size, sizeof *counts);
  json_t *list = NULL;
  if (all != NULL && counts != NULL) {
    for (int i = 0; i < size; ++i)
      counts[i] = sizeof *all;
    all[job.table.rank][0] = job.sent;
    all[job.table.rank][1] = job.received;
    if (gather_all(&job, all, counts) == 0 && job.table.rank == 0) list = json_array();
  }
  for (int i = 0; list != NULL && i < size; ++i) {
    json_array_append_new(list,
                          json_pack("{s:I, s:I}", "sent_bytes", (json_int_t)all[i][0],
                                    "received_bytes", (json_int_t)all[i][1]));
  }
  free(all);
  free(counts);
  return list;
}
